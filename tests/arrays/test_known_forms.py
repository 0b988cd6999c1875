"""Operations that are built as their like was built before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la

SIZE = 50_000


@pytest.fixture(autouse=True, params=[0, 4096])
def small_arrays(request: pytest.FixtureRequest) -> Any:
    """Operations on small arrays run at once, or not."""
    with la.config(immediate=request.param, implicit="allow"):
        yield


def values(dtype: str) -> np.ndarray[Any, Any]:
    return (np.random.default_rng(3).random(SIZE) * 100).astype(dtype)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_next_to_integers_take_numbers_that_fit(dtype: str) -> None:
    x, info = values(dtype), np.iinfo(dtype)
    y = la.asarray(x)
    for number in (1, 7, int(info.max), int(info.min), 3):
        for _ in range(2):  # the second time it is known
            np.testing.assert_array_equal((y + number) ^ y, (x + x.dtype.type(number)) ^ x)
            assert (y + number).dtype == x.dtype
    for number in (int(info.max) + 1, int(info.min) - 1):
        with pytest.raises(OverflowError):
            la.evaluate(y + number)
    for number in (3, 10):
        np.testing.assert_array_equal(y // number, x // number)
        np.testing.assert_array_equal(y % number, x % number)


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_come_with_their_casts_and_divisions(dtype: str, keepdims: bool) -> None:
    x = values(dtype).reshape(250, 200)
    y = la.asarray(x)
    for axis in (None, 0, 1, -1):
        for name in ("sum", "mean", "max", "std"):
            if dtype in ("?", "c16") and name in ("max", "std"):
                continue
            expected = getattr(x + x, name)(axis=axis, keepdims=keepdims)
            for _ in range(3):
                got = getattr(y + y, name)(axis=axis, keepdims=keepdims)
                assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
                np.testing.assert_allclose(got, expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_squares_are_those_of_numpy(dtype: str) -> None:
    x = values(dtype)
    y = la.asarray(x)
    with np.errstate(all="ignore"):
        for _ in range(3):
            np.testing.assert_array_equal((y + y) ** 2, (x + x) ** 2)
            np.testing.assert_array_equal(y**2, x**2)
            np.testing.assert_allclose(y**3, x**3, rtol=1e-3)
            assert (y**2).dtype == (x**2).dtype


@pytest.mark.parametrize("size", [3_000, 10_000, 30_000])
def test_operations_on_what_was_wrapped_see_it_as_it_is(size: int) -> None:
    x = np.random.default_rng(5).random(size)
    y = la.asarray(x)
    double, joined = y * 2, la.stack([y, y + 1])
    minimum = la.minimum(y, 0.5)
    np.testing.assert_array_equal(double, x * 2)
    np.testing.assert_array_equal(joined, np.stack([x, x + 1]))
    np.testing.assert_array_equal(minimum, np.minimum(x, 0.5))
    flat = la.atleast_2d(y)
    np.testing.assert_array_equal(flat, np.atleast_2d(x))
    y[0] = 7
    assert x[0] != 7


@pytest.mark.parametrize("seed", range(12))
def test_ndarrays_beside_expressions(seed: int) -> None:
    """Of any dtype, rank and strides, read anew by each expression that is built."""
    random = np.random.default_rng(seed)
    ours, theirs = (str(random.choice(["?", "i4", "i8", "f4", "f8", ">f8"])) for _ in range(2))
    x = values("f8").astype(ours.strip(">")).reshape(50, 1000)
    wide = (random.random((50, 2000)) * 9 + 1).astype(theirs)
    forms = [
        wide[:, ::2],
        wide[:, 1000:],
        wide[7, :1000],
        wide[:, :1],
        wide[3, 3:4],
        np.array(wide[1, 1]),
    ]
    operations = [np.add, np.multiply, np.maximum, np.less, np.subtract]
    for place in range(3):
        memory = forms[(seed + place) % len(forms)]
        for function in operations:
            for _ in range(2):  # the second time it is known
                expected = function(np.negative(1.5 * x), memory), function(memory, 1.5 * x)
                lazy = (
                    function(-(1.5 * la.asarray(x)), memory),
                    function(memory, 1.5 * la.asarray(x)),
                )
                for got, other in zip(lazy, expected, strict=True):
                    assert got.dtype == other.dtype and np.array_equal(np.asarray(got), other)
                if memory.flags.writeable:
                    memory[...] = 1  # what was evaluated stays; what is built now reads it


_CHOICES: dict[str, Any] = {
    "number": lambda m, x, i: m.where(x * 2 > 100, x * 3, 0.5),
    "integers": lambda m, x, i: m.where(x > 50, i * 2, -1),
    "both dtypes": lambda m, x, i: m.where(x > 50, i * 2, x * 2),
    "complex": lambda m, x, i: m.where(x > 50, x * 2, 1j),
    "broadcast": lambda m, x, i: m.where(x[:300, None] * 2 > 90, (x * 2)[:200], 1),
    "a condition of integers": lambda m, x, i: m.where(i * 2, x, 1),
    "truth values": lambda m, x, i: m.where(x > 50, True, x * 2 > 30),
    "numbers": lambda m, x, i: m.where(x * 2 > 50, 1, 0.0),
    "parts": lambda m, x, i: m.where((x * 2 > 9)[1:], (x * 2)[1:], (x * 3)[:-1]),
    "a number of NumPy's": lambda m, x, i: m.where(x > 50, x * 2, np.float32(3)),
}


@pytest.mark.parametrize("name", _CHOICES)
def test_choices_are_numpys_the_second_time(name: str) -> None:
    x, i, choose = values("f8"), values("i8"), _CHOICES[name]
    expected = choose(np, x, i)
    for module in (la, la, np, np):
        result = choose(module, la.asarray(x), la.asarray(i))
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(np.asarray(result), expected, strict=True)


def test_an_integer_that_does_not_fit_is_what_numpy_makes_of_it() -> None:
    """It wraps, or is an error from NumPy 2.5 on."""

    def outcome(m: Any, x: Any, i: Any) -> tuple[str, Any]:
        try:
            result = np.asarray(m.where(x > 50, (i * 2).astype("i1"), 300))
        except OverflowError as error:
            return type(error).__name__, str(error)
        return result.dtype.str, result.tolist()

    x, i = values("f8"), values("i8")
    expected = outcome(np, x, i)
    for module in (la, la, np, np):
        assert outcome(module, la.asarray(x), la.asarray(i)) == expected


def test_choices_that_do_not_broadcast_are_refused() -> None:
    x = la.asarray(values("f8"))
    for _ in range(3):
        with pytest.raises(ValueError, match="broadcast"):
            np.where(x > 1, (x * 2)[1:], 0.0)
