"""Grids, buffers, covariances, lists of lazy numbers and masked copies: at once, as NumPy's."""

from __future__ import annotations

import array
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED

pytestmark = pytest.mark.host
compiled = pytest.mark.skipif(COMPILED is None, reason="Python's form builds expressions")


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _same(result: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(result) == len(expected)
        for mine, theirs in zip(result, expected, strict=True):
            _same(mine, theirs)
        return
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert np.asarray(result).tobytes() == np.asarray(expected).tobytes()


def _slice(random: np.random.Generator) -> slice:
    start = random.choice([0, -3, 2, 0.5, -1.25])
    start = None if random.random() < 0.2 else float(start) if start % 1 else int(start)
    stop = random.choice([4, 7, 1.5, 3.25, -9, 0])
    step = [None, 1, 2, 0.5, -1, 3j, 5j, 0j][int(random.integers(8))]
    return slice(start, float(stop) if stop % 1 else int(stop), step)


@pytest.mark.parametrize("seed", range(60))
def test_grids_of_few_points_are_numpys_and_in_memory(seed: int) -> None:
    random = np.random.default_rng(seed)
    axes = tuple(_slice(random) for _ in range(int(random.integers(1, 4))))
    key: Any = axes[0] if len(axes) == 1 and random.random() < 0.5 else axes
    for name in "mgrid", "ogrid":
        try:
            expected = getattr(np, name)[key]
        except (ValueError, ZeroDivisionError) as error:
            with pytest.raises(type(error)):
                getattr(la, name)[key]
            continue
        result = getattr(la, name)[key]
        _same(result, expected)
        parts = result if isinstance(result, tuple) else (result,)
        if isinstance(key, tuple) and all(part.size for part in parts):
            assert all(part._array is not None for part in parts)
        for part in parts:
            part += 1  # it may be written to
        _same(getattr(la, name)[key], expected)


@pytest.mark.parametrize("dtype", ["u1", "i2", "<f4", "f8", "?", ">i4", "S2"])
@pytest.mark.parametrize(
    "make",
    [bytes, bytearray, memoryview, lambda b: array.array("B", b)],
    ids=["bytes", "bytearray", "memoryview", "array"],
)
def test_buffers_are_read_as_numpy_reads_them(make: Callable[[bytes], Any], dtype: str) -> None:
    content = make(bytes(range(2)) * 40)
    for keywords in {}, {"offset": 16}, {"count": 3}:
        mine = la.frombuffer(content, dtype, **keywords)
        expected = np.frombuffer(content, dtype, **keywords)
        _same(mine, expected)
        assert mine.flags.writeable == expected.flags.writeable
        if dtype in (">i4", "S2"):
            continue
        _same(mine[1:], expected[1:])
        if expected.flags.writeable:
            continue
        for x in mine, mine[1:], mine.reshape(-1, 1):
            with pytest.raises(ValueError, match="read-only"):
                x[0] = 1
            with pytest.raises(ValueError, match="WRITEABLE"):
                x.flags.writeable = True
        copied = mine.copy()
        copied[0] = 1
        _same(mine, expected)


def test_what_is_written_to_a_buffer_is_seen() -> None:
    content = bytearray(8)
    x = la.frombuffer(content, "u1")
    content[3] = 7
    assert x.compute()[3] == 7


@pytest.mark.parametrize("seed", range(40))
def test_covariances_are_numpys(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 900))
    shape = (n,) if random.random() < 0.6 else (int(random.integers(2, 5)), n)
    x, y = random.random(shape), random.random(n)
    by_row = bool(random.random() < 0.7) or len(shape) == 1
    x = x if by_row else x.T
    other = y if random.random() < 0.5 and by_row else None
    for name in "cov", "corrcoef":
        for xp in la, np:
            lazy = None if other is None else la.array(other)
            result = getattr(xp, name)(la.array(x), lazy, rowvar=by_row)
            expected = getattr(np, name)(x, other, rowvar=by_row)
            if COMPILED is None:  # a product of other kernels
                np.testing.assert_allclose(result, expected, rtol=1e-12)
                continue
            assert result._array is not None
            _same(result, expected)


LISTS: dict[str, Callable[[Any, Any], Any]] = {
    "diag": lambda xp, x: xp.diag([1, 2, x[0]]),
    "diag of two": lambda xp, x: xp.diag([x[1], x[0]], 1),
    "diag of lists": lambda xp, x: xp.diag([[x[1], 2.0], [1.0, x[2]]]),
    "diagflat": lambda xp, x: xp.diagflat([x[1], x[0]]),
    "tile": lambda xp, x: xp.tile([x[0], x[1]], 3),
    "vander": lambda xp, x: xp.vander([x[0], x[1], 2.0]),
    "repeat": lambda xp, x: xp.repeat([x[0], x[1]], 2),
    "pad": lambda xp, x: xp.pad([x[0], x[1]], 1),
    "sum": lambda xp, x: xp.sum([x[0], x[1]]),
    "outer": lambda xp, x: xp.outer([x[0], 1.0], [1.0, x[2]]),
    "norm": lambda xp, x: xp.linalg.norm([x[0], x[1]]),
    "cross": lambda xp, x: xp.cross([x[0], x[1], 1.0], [1.0, x[2], 3.0]),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_lazy_numbers_are_numpys(name: str) -> None:
    random = np.random.default_rng(3)
    for dtype in "f8", "f4", "i8", "i4", "?":
        x = (random.random(4) * 9).astype(dtype)
        expected = LISTS[name](np, x)
        plans = la.cache.info().plans
        result = LISTS[name](la, la.array(x))
        _same(result, expected)
        assert COMPILED is None or la.cache.info().plans == plans


@pytest.mark.parametrize("seed", range(60))
def test_copies_where_a_mask_is_true_are_numpys(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = int(random.integers(1, 40)), int(random.integers(1, 9))
    codes = ["f8", "f4", "i8", "i4", "u1", "?"]
    target = (random.random(shape) * 9).astype(random.choice(codes))
    source: Any = (random.random(shape[-1:] if seed % 3 else shape) * 9).astype(
        random.choice(codes)
    )
    source = source if seed % 4 else float(source.flat[0])
    mask: Any = random.random(shape if seed % 2 else (*shape[:1], 1)) < 0.5
    mask = mask if seed % 5 else bool(seed % 2)
    expected, plain, lazy = target.copy(), target.copy(), la.array(target)
    seen = lazy + 0
    try:
        np.copyto(expected, source, where=mask)
    except TypeError:
        for out in lazy, plain:
            with pytest.raises(TypeError):
                la.copyto(out, source, where=la.asarray(mask))
    else:
        la.copyto(lazy, source, where=mask if isinstance(mask, bool) else la.array(mask))
        np.copyto(plain, source, where=mask if isinstance(mask, bool) else la.array(mask))
    _same(lazy, expected)
    _same(plain, expected)
    _same(seen, target + 0)


@compiled
def test_a_masked_copy_is_made_at_once() -> None:
    x, mask = la.zeros(100), la.array(np.arange(100) % 3 == 0)
    plans = la.cache.info().plans
    la.copyto(x, 2.0, where=mask)
    assert x._array is not None and la.cache.info().plans == plans


def test_any_arrays_are_wrapped_as_arrays_are() -> None:
    x = np.arange(6.0)
    lazy = la.asanyarray(x)
    assert la.asanyarray(lazy) is lazy
    assert COMPILED is None or lazy._array is not None
    lazy[0] = 5
    assert x[0] == 0
    _same(la.asanyarray([1, 2.5]), np.asanyarray([1, 2.5]))
    _same(la.asanyarray(x, dtype="f4"), np.asanyarray(x, dtype="f4"))


@compiled
def test_middle_sizes_are_computed_at_once() -> None:
    random = np.random.default_rng(3)
    x, y = random.random(100_000), random.random(100_000)
    for name in "cov", "corrcoef":
        result = getattr(la, name)(la.array(x), la.array(y))
        assert result._array is not None
        _same(result, getattr(np, name)(x, y))
    for arguments in (100_000,), (5, 100_000), (0.0, 1e5), (100_000, 3, -1):
        steps = la.arange(*arguments)
        assert steps._array is not None
        _same(steps, np.arange(*arguments))
    ranks = la.empty(len(x), dtype=int)
    ranks[la.argsort(la.array(x))] = la.arange(len(x))
    _same(ranks, np.argsort(np.argsort(x)))


OPERATORS: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.lt,
    operator.ge,
    operator.eq,
    operator.ne,
]


@pytest.mark.parametrize("first", [1.5, 0.0, -2.0, np.inf, np.nan, 3, -1, True, False])
def test_operators_of_two_numbers_have_numpys_dtype_and_value(first: float) -> None:
    for second in 2.5, 0.0, -np.inf, np.nan, 7, 0, True, False:
        for function in OPERATORS:
            pair = np.array([first])[0], np.array([second])[0]
            if function is operator.sub and all(isinstance(x, np.bool_) for x in pair):
                continue  # NumPy refuses to subtract truth values
            with np.errstate(all="ignore"):
                expected = function(*pair)
                for one, other in (
                    (la.array([first])[0], la.array([second])[0]),
                    (pair[0], la.array([second])[0]),
                    (la.array([first])[0], pair[1]),
                ):
                    result = function(one, other)
                    assert result.dtype == expected.dtype
                    np.testing.assert_array_equal(np.asarray(result), expected)
