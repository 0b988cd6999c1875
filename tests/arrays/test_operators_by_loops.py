"""Loops of the compiled form: small arrays of each dtype, layout and special value."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]

LAYOUTS = ("dense", "apart", "turned")
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in "add sub mul truediv and_ or_ xor lt le eq ne gt ge lshift rshift".split()
}
UFUNCS = (
    "minimum maximum add subtract multiply logical_and logical_or bitwise_and not_equal".split()
)
UNARY = "negative absolute invert logical_not square".split()
#: Comparing small integers with a number that they do not hold may be a fault of memory.
ENDS_COMPARISONS = np.lib.NumpyVersion(np.__version__) < "2.1.0"
DTYPES = "float64 float32 int64 int32 uint8 bool int16 uint64".split()
SPECIAL: dict[str, list[Any]] = {
    "f": [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e30],
    "i": [0, 1, -1, 2, "least", "most"],
    "u": [0, 1, 2, 7, "most"],
    "b": [False, True],
}


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _values(random: np.random.Generator, dtype: str, size: int, special: bool) -> Array:
    kind = np.dtype(dtype).kind
    if kind == "f":
        values = random.standard_normal(size).astype(dtype)
    elif kind == "b":
        return random.random(size) < 0.5
    else:
        values = random.integers(0 if kind == "u" else -9, 9, size).astype(dtype)
    if special:
        limits = {} if kind == "f" else {"least": np.iinfo(dtype).min, "most": np.iinfo(dtype).max}
        choices = np.array([limits.get(value, value) for value in SPECIAL[kind]], dtype)
        values = np.where(random.random(size) < 0.5, random.choice(choices, size), values)
    return values


def _laid(values: Array, shape: tuple[int, ...], layout: str) -> Array:
    if layout == "apart":
        wide = np.zeros((*shape[:-1], 2 * shape[-1]), values.dtype)
        wide[..., ::2] = values.reshape(shape)
        return wide[..., ::2]
    if layout == "turned":
        return np.ascontiguousarray(values.reshape(shape).T).T
    return values.reshape(shape)


def _arrays(seed: int) -> tuple[str, Array, Array]:
    """Return a dtype and two arrays that broadcast, of a random layout each."""
    random = np.random.default_rng(seed)
    dtype = str(random.choice(DTYPES))
    shape = tuple(map(int, random.integers(1, 9, random.integers(1, 4))))
    other = tuple(1 if random.random() < 0.2 else length for length in shape)
    special = bool(random.random() < 0.5)
    pair = [
        _laid(_values(random, dtype, int(np.prod(own)), special), own, str(random.choice(LAYOUTS)))
        for own in (shape, other)
    ]
    return dtype, pair[0], pair[1]


def _same(call: Callable[[Any, Any, Any], Any], *arrays: Any) -> None:
    """Assert that a call gives NumPy's dtype, shape and bits, or is refused as by NumPy."""
    with np.errstate(all="ignore"):
        try:
            expected = call(np, *arrays)
        except (TypeError, OverflowError) as error:
            with pytest.raises(type(error)):
                np.asarray(call(la, *_lazy(arrays)))
            return
        got = np.asarray(call(la, *_lazy(arrays)))
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    known = ~np.isnan(expected) if expected.dtype.kind == "f" else np.ones(got.shape, bool)
    np.testing.assert_array_equal(got, expected)
    assert got[known].tobytes() == expected[known].tobytes()


def _lazy(arrays: tuple[Any, ...]) -> list[Any]:
    return [_in_memory(x) if isinstance(x, np.ndarray) else x for x in arrays]


def _in_memory(x: Array) -> Any:
    """Return an array of the same elements, and as far apart, in memory."""
    if x.ndim and x.strides[-1] == 2 * x.itemsize and x.shape[-1] > 1:
        wide = la.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    return la.array(x)


@pytest.mark.parametrize("name", BINARY)
def test_operators_give_numpys_bits(name: str) -> None:
    for seed in range(100):
        _, x, y = _arrays(seed)
        _same(lambda xp, a, b: BINARY[name](a, b), x, y)
        _same(lambda xp, a, b: BINARY[name](b, a), x, y)


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_give_numpys_bits(name: str) -> None:
    for seed in range(100):
        _, x, y = _arrays(seed)
        _same(lambda xp, a, b: getattr(xp, name)(a, b), x, y)


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array_give_numpys_bits(name: str) -> None:
    for seed in range(100):
        _, x, _ = _arrays(seed)
        _same(lambda xp, a: getattr(xp, name)(a), x)


@pytest.mark.parametrize("name", [*BINARY, "minimum", "maximum"])
@pytest.mark.parametrize("number", [0, 1, 2, -1, 255, 256, 1 << 40, 2.0, -0.0, np.int64(3), True])
def test_numbers_beside_arrays_give_numpys_bits(name: str, number: Any) -> None:
    if ENDS_COMPARISONS and number == 1 << 40 and name in ("lt", "le", "eq", "ne", "gt", "ge"):
        pytest.skip("NumPy itself ends the process")
    for seed in range(12):
        _, x, _ = _arrays(seed)

        def call(xp: Any, a: Any) -> Any:
            return BINARY[name](a, number) if name in BINARY else getattr(xp, name)(a, number)

        _same(call, x)


@pytest.mark.parametrize("name", "iadd isub imul iand ior ixor ilshift irshift".split())
def test_operators_in_place_write_numpys_bits(name: str) -> None:
    def write(xp: Any, a: Any, b: Any) -> Any:
        a = a.copy()
        part = a[..., 1:]
        try:
            part = getattr(operator, name)(part, b[..., :1])
        except TypeError:
            return a * False
        return a

    for seed in range(100):
        _, x, y = _arrays(seed)
        if y.shape == x.shape:
            _same(write, x, y)


def test_truth_values_may_be_any_bytes() -> None:
    memory = np.array([0, 1, 2, 255, 3], np.uint8)
    other = np.array([1, 1, 0, 2, 3], np.uint8)
    for name in ("and_", "or_", "xor", "eq", "ne"):
        expected = BINARY[name](memory.view(bool), other.view(bool))
        got = BINARY[name](la.array(memory.view(bool)), la.array(other.view(bool)))
        np.testing.assert_array_equal(np.asarray(got), expected)
    np.testing.assert_array_equal(np.asarray(~la.array(memory.view(bool))), ~memory.view(bool))


def test_extrema_of_nan_and_of_zeros_are_numpys() -> None:
    special = np.array([0.0, -0.0, np.nan, -np.nan, 1.0, -np.inf])
    x, y = (part.ravel().copy() for part in np.meshgrid(special, special))
    for dtype in (np.float64, np.float32):
        a, b = x.astype(dtype), y.astype(dtype)
        for name in ("minimum", "maximum"):
            got = np.asarray(getattr(la, name)(la.array(a), la.array(b)))
            assert got.tobytes() == getattr(np, name)(a, b).tobytes()


@pytest.mark.parametrize("length", [1, 63, 64, 65, 127, 128, 130, 316])
@pytest.mark.parametrize("dtype", ["?", "u1"])
def test_rows_of_bytes_of_any_length(dtype: str, length: int) -> None:
    random = np.random.default_rng(length)
    a, b = (random.integers(0, 2, (3, length + 2)).astype(dtype) for _ in range(2))
    x, y = la.array(a), la.array(b)
    for rows in (slice(None), slice(None, length), slice(1, length + 1)):
        left, right = a[:, rows], b[:, rows]
        for name in ("logical_and", "logical_or", "bitwise_xor", "equal", "maximum"):
            function = getattr(np, name)
            ours = getattr(la, name)
            np.testing.assert_array_equal(ours(x[:, rows], y[:, rows]), function(left, right))
            np.testing.assert_array_equal(ours(x[:, rows], y[:, :1]), function(left, b[:, :1]))
        np.testing.assert_array_equal(la.logical_not(x[:, rows]), np.logical_not(left))
