"""Functions with ``out=``, casts, and writes to memory that was lent: as NumPy does."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.needed_values import cheap_value

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]
Into = Callable[[Any, Any, Any], Any]

#: Functions of a table and an output. All but the first few give vectors with a number for a row.
TABLES: dict[str, Into] = {
    "maximum.accumulate": lambda xp, x, out: xp.maximum.accumulate(x, out=out),
    "add.accumulate": lambda xp, x, out: xp.add.accumulate(x, axis=1, out=out),
    "cumsum": lambda xp, x, out: xp.cumsum(x, axis=0, out=out),
    "cumprod": lambda xp, x, out: xp.cumprod(x, axis=1, out=out),
    "method cumsum": lambda xp, x, out: x.cumsum(axis=1, out=out),
    "round": lambda xp, x, out: xp.round(x, 1, out=out),
    "clip": lambda xp, x, out: xp.clip(x, 1, 3, out=out),
}
ROWS: dict[str, Into] = {
    "sum": lambda xp, x, out: xp.sum(x, axis=1, out=out),
    "prod": lambda xp, x, out: xp.prod(x, axis=1, out=out),
    "max": lambda xp, x, out: xp.max(x, axis=1, out=out),
    "method min": lambda xp, x, out: x.min(axis=1, out=out),
    "add.reduce": lambda xp, x, out: xp.add.reduce(x, axis=1, out=out),
    "minimum.reduce": lambda xp, x, out: xp.minimum.reduce(x, axis=-1, out=out),
    "mean": lambda xp, x, out: xp.mean(x, axis=1, out=out),
    "argmax": lambda xp, x, out: xp.argmax(x, axis=1, out=out),
    "add.reduceat": lambda xp, x, out: xp.add.reduceat(x[:, 0], np.arange(len(x)), out=out),
    "take": lambda xp, x, out: xp.take(x, 1, axis=1, out=out),
    "dot": lambda xp, x, out: xp.dot(x, x[0], out=out),
    "dot of a table": lambda xp, x, out: xp.dot(x[:, :2], x[0, :2], out=out),
    "median": lambda xp, x, out: xp.median(x, axis=1, out=out),
}
DTYPES = ["i2", "i4", "i8", "u1", "f4", "f8", "?"]


def _same(result: Any, expected: Array) -> None:
    result = np.asarray(result)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert result.tobytes() == expected.tobytes()


def _outcome(function: Into, xp: Any, x: Any, out: Any) -> tuple[Any, list[str]]:
    """Return the result of a call, None where it refused, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            result: Any = function(xp, x, out)
        except (TypeError, ValueError):
            result = None
        np.asarray(out)
    return result, sorted(str(w.message) for w in noted)


@pytest.mark.parametrize("seed", range(120))
def test_outputs_of_functions_are_numpys(seed: int) -> None:
    random = np.random.default_rng(seed)
    calls = TABLES if random.random() < 0.5 else ROWS
    function = list(calls.values())[int(random.integers(len(calls)))]
    shape = int(random.integers(2, 30)), int(random.integers(2, 9))
    x = (random.random(shape) * 4).astype(random.choice(DTYPES))
    if x.dtype.kind == "f" and random.random() < 0.2:
        x[0, 1] = random.choice([np.inf, np.nan, -np.inf, 1e38])
    overlaps = calls is TABLES and random.random() < 0.3
    kind = x.dtype if random.random() < 0.5 else np.dtype(random.choice(DTYPES))
    size = shape if calls is TABLES else shape[:1]
    if random.random() < 0.05:
        size = (*size[:-1], size[-1] + 1)
    whole = np.ones((*size, 2), kind) if random.random() < 0.3 else np.ones(size, kind)
    outcomes = []
    for xp in np, la:
        table, memory = xp.array(x), xp.array(whole)
        out = table if overlaps else memory if memory.ndim == len(size) else memory[..., 1]
        before = out + 0
        with la.config(immediate=4096):
            result, noted = _outcome(function, xp, table, out)
        outcomes.append((result is out, noted, table, memory, before))
    theirs, ours = outcomes
    assert ours[:2] == theirs[:2]
    for mine, expected in zip(ours[2:], theirs[2:], strict=True):
        _same(mine, expected)


#: The same of matrices with an output of any shape.
MATRICES: dict[str, Into] = {
    "matmul": lambda xp, x, out: xp.matmul(x.T, x, out=out),
    "dot": lambda xp, x, out: xp.dot(x.T, x, out=out),
    "method dot": lambda xp, x, out: x.T.dot(x, out=out),
    "einsum": lambda xp, x, out: xp.einsum("ij,ik->jk", x, x, out=out),
    "concatenate": lambda xp, x, out: xp.concatenate([x, x], axis=1, out=out),
    "stack": lambda xp, x, out: xp.stack([x, x], out=out),
    "compress": lambda xp, x, out: xp.compress([True, False, True], x, axis=0, out=out),
    "method sum": lambda xp, x, out: x.sum(axis=0, out=out),
    "method mean": lambda xp, x, out: x.mean(axis=0, out=out),
    "method max": lambda xp, x, out: x.max(axis=0, keepdims=True, out=out),
    "method argmin": lambda xp, x, out: x.argmin(axis=1, out=out),
    "take": lambda xp, x, out: xp.take(x, [2, 0, 1, 2], axis=0, out=out),
    "outer": lambda xp, x, out: xp.outer(x[0], x[1], out=out),
    "std": lambda xp, x, out: xp.std(x, axis=0, out=out),
    "all": lambda xp, x, out: xp.all(x, axis=0, out=out),
    "sum where": lambda xp, x, out: xp.sum(x, axis=0, out=out, where=x > 1),
    "maximum.accumulate": lambda xp, x, out: xp.maximum.accumulate(x, axis=1, out=out),
    "cumsum": lambda xp, x, out: xp.cumsum(x, axis=0, out=out),
}


def _into_plain_memory(seed: int) -> tuple[Into, Array, Array]:
    """Return a function, its table and the output that NumPy's result or another one fits."""
    random = np.random.default_rng(seed)
    function = list(MATRICES.values())[seed % len(MATRICES)]
    shape = int(random.integers(3, 30)), int(random.integers(2, 9))
    x = (random.random(shape) * 4).astype(random.choice(DTYPES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = np.asarray(function(np, x, None))
        except (TypeError, ValueError):
            result = np.zeros(shape[1], x.dtype)
    kind = result.dtype if random.random() < 0.7 else np.dtype(random.choice([*DTYPES, "f2"]))
    size = result.shape if random.random() < 0.9 else (*result.shape, 2)
    whole = np.full((*size, 2), 3, kind)
    return function, x, whole[..., 0] if random.random() < 0.3 else whole[..., 0].copy()


def _kept(out: Array) -> Array:
    """Return another array with an output's elements, which lie in memory as they do."""
    return np.lib.stride_tricks.as_strided(out.base.copy(), out.shape, out.strides)


@pytest.mark.parametrize("seed", range(180))
def test_outputs_that_are_numpys_own_arrays(seed: int) -> None:
    function, x, out = _into_plain_memory(seed)
    outcomes = []
    for xp, lazily in (np, False), (la, True), (np, True):
        memory = out.copy() if out.base is None else _kept(out)
        with la.config(immediate=4096):
            result, noted = _outcome(function, xp, la.array(x) if lazily else x.copy(), memory)
        outcomes.append((result is memory, noted, memory))
    for ours in outcomes[1:]:
        assert ours[:2] == outcomes[0][:2]
        if not ours[0]:
            continue  # what NumPy refuses after it has begun to write is not written here
        np.testing.assert_allclose(ours[2].astype("f8"), outcomes[0][2].astype("f8"), rtol=1e-6)


def test_two_outputs_are_refused() -> None:
    x = np.arange(3.0)
    for xp in np, la:
        for first, second in (np.zeros(3), np.zeros(3)), (la.zeros(3), la.zeros(3)):
            for function in xp.add, xp.multiply:
                with pytest.raises(TypeError):
                    function(la.array(x), 2, first, out=second)
            with pytest.raises(TypeError):
                xp.exp(la.array(x), first, out=second)
            with pytest.raises(TypeError):
                xp.cumsum(la.array(x), 0, None, first, out=second)


@pytest.mark.skipif(COMPILED is None, reason="Python's form evaluates an expression")
@pytest.mark.parametrize("name", [name for name in MATRICES if name not in ("std", "sum where")])
@pytest.mark.parametrize("kind", ["plain", "lazy"])
def test_an_output_is_written_to_at_once(name: str, kind: str) -> None:
    x = np.random.default_rng(3).random((9, 5))
    function = MATRICES[name]
    expected = np.empty_like(function(np, x, None))
    function(np, x, expected)
    for xp in np, la:
        with la.config(immediate=4096):
            out = np.zeros_like(expected) if kind == "plain" else la.array(np.zeros_like(expected))
            lazy = la.array(x)
            plans = la.cache.info().plans
            function(xp, lazy, out)
            later = la.cache.info().plans
        assert (later.hits, later.misses) == (plans.hits, plans.misses)
        _same(out, expected)


def test_an_output_keeps_what_expressions_have_seen() -> None:
    with la.config(immediate=4096):
        x, out = la.arange(6.0), la.zeros(6)
        seen, part = out + 1, out[2:]
        assert la.cumsum(x, out=out) is out
        _same(out, np.cumsum(np.arange(6.0)))
        _same(part, np.cumsum(np.arange(6.0))[2:])
        _same(seen, np.ones(6))
        if COMPILED is not None:
            assert out._array is not None, "it is in memory"


@pytest.mark.parametrize("size", [1_000, 8_000, 60_000, 300_000])
def test_casts_are_numpys(size: int) -> None:
    random = np.random.default_rng(size)
    codes = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
    for _ in range(30):
        source, target = random.choice(codes, 2)
        x = (random.random(size) * 100).astype(source)
        x = x[:: int(random.choice([1, 1, 2, -1]))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            for most in 0, 4096:
                with la.config(immediate=most, threads=1):
                    _same(la.array(x).astype(target), x.astype(target))
                    if source == "f8":
                        _same((la.array(x) * 2).astype(target), (x * 2).astype(target))


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("source", ["f4", "f8"])
@pytest.mark.parametrize("size", [5, 9_000, 300_000])
def test_casts_at_the_bounds_of_integers_warn_as_in_numpy(
    size: int, source: str, bits: int
) -> None:
    edge = 2.0 ** (bits - 1)
    ends = [np.nextafter(end, to) for end in (edge, -edge) for to in (-np.inf, np.inf)]
    ends += [edge, -edge, -edge - 0.5, -edge - 1, edge - 0.5, np.nan, np.inf, -np.inf]
    for end in ends:
        x = np.ones(size, source)
        with np.errstate(over="ignore"):
            x[size // 2] = end
        noted = []
        results = []
        for xp in np, la:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                results.append(np.asarray((xp.asarray(x) * 1).astype(f"i{bits // 8}")))
            noted.append([str(w.message) for w in caught])
        assert noted[1] == noted[0], end
        _same(results[1], results[0])


@pytest.mark.parametrize("size", [100_000, 250_000])
def test_a_cast_of_memory_is_numpys(size: int) -> None:
    x = np.random.default_rng(size).random(size) * 100
    with la.config(immediate=4096, threads=1):
        for target in "i4", "i8", "u1", "f4", "?":
            with la.config(immediate=0, threads=1):
                pending = la.array(x).astype(target)
            value = cheap_value(pending._node)
            assert value is not None
            _same(value, x.astype(target))


@pytest.mark.parametrize("seed", range(40))
def test_what_was_handed_out_never_changes(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.random(int(random.choice([5_000, 9_000])))
    with la.config(immediate=4096):
        lazy, expected = la.array(x), x.copy()
        handed: list[tuple[Array, Array]] = []
        ways: list[Callable[[Any], Array]] = [
            np.asarray,
            lambda v: np.asarray(v)[3:][::2],
            lambda v: np.frombuffer(memoryview(np.asarray(v))),
            lambda v: np.lib.stride_tricks.as_strided(np.asarray(v), (4,), (16,)),
            lambda v: v.compute(),
        ]
        for _ in range(12):
            shown = ways[int(random.integers(len(ways)))](lazy)
            if random.random() < 0.6:
                handed.append((shown, shown.copy()))
            del shown
            start = int(random.integers(len(x)))
            for array in lazy, expected:
                array[start : start + 50] = start
            if random.random() < 0.3:
                handed.clear()
            for value, before in handed:
                np.testing.assert_array_equal(value, before)
            _same(lazy, expected)


@pytest.mark.skipif(COMPILED is None, reason="the compiled form alone lends by the buffer")
def test_memory_that_nobody_has_any_more_is_written_in_place() -> None:
    with la.config(immediate=4096):
        lazy = la.array(np.arange(9_000.0))
        lazy[0] = 1
        memory = lazy._array
        assert np.asarray(lazy)[3] == 3
        lazy[3] = 7
        assert lazy._array is memory
        shown = np.asarray(lazy)[2:]
        lazy[3] = 8
        assert lazy._array is not memory and shown[1] == 7
