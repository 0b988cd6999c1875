"""How exact sums are, and that the number of threads does not change a bit of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.each_device

Array = np.ndarray[Any, Any]
LENGTHS = [100, 1000, 20_000, 200_000]


def _cancelling(generator: np.random.Generator, n: int) -> Array:
    """Numbers of many sizes whose sum is near zero."""
    half = generator.normal(size=n // 2) * 10.0 ** generator.uniform(-8, 8, n // 2)
    values = np.concatenate([half, -half * (1 + 1e-10)])
    return generator.permutation(values)


ILL: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "cancelling": _cancelling,
    "offset": lambda g, n: 1e8 + g.normal(size=n),
    "alternating": lambda g, n: np.where(np.arange(n) % 2, -1e16, 1e16) + g.uniform(size=n),
    "growing": lambda g, n: 10.0 ** np.linspace(-10, 10, n),
    "uniform": lambda g, n: g.uniform(size=n),
    "large first": lambda g, n: np.concatenate([[1e17], g.uniform(size=n - 1)]),
}


def excess(got: Any, ours: Array, values: Array, exact: float, numpys: Any) -> None:
    """Check that an error is not beyond NumPy's, with two roundings of the result allowed."""
    size = float(np.abs(values.astype(np.float64)).sum())
    eps = float(np.finfo(ours.dtype).eps)
    slack = 2 * eps * abs(exact) + 1e-300
    # Both are far inside of what pairwise summation promises.
    promise = eps * math.log2(max(values.size, 2)) * size
    error, theirs = abs(float(got) - exact), abs(float(numpys) - exact)
    assert error <= max(theirs, promise / 4) + slack, (error, theirs, promise)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("kind", ILL)
def test_sums_of_rows(kind: str, dtype: str) -> None:
    generator = np.random.default_rng(3)
    for length in LENGTHS:
        values = ILL[kind](generator, length).astype(dtype)
        total, mean = la.evaluate(la.asarray(values).sum(), la.asarray(values).mean())
        exact = math.fsum(values.tolist())
        excess(total, total, values, exact, values.sum())
        excess(mean, mean, values / dtype_of(dtype)(length), exact / length, values.mean())


def dtype_of(name: str) -> Any:
    return np.dtype(name).type


@pytest.mark.parametrize("kind", ILL)
def test_long_sums_are_better_than_pairwise(kind: str) -> None:
    """Blocks are compensated: what is lost is lost within blocks of 256."""
    generator = np.random.default_rng(4)
    values = ILL[kind](generator, 300_000)
    total = float(la.asarray(values).sum().compute())
    error = abs(total - math.fsum(values.tolist()))
    # The blocks' own sums are as large as their elements are.
    assert error <= 256 * np.finfo(float).eps * np.abs(values).sum() / 16


@pytest.mark.parametrize("shape", [(3000, 5), (200, 2000), (100_000, 2), (64, 3)])
def test_sums_of_columns(shape: tuple[int, int]) -> None:
    generator = np.random.default_rng(5)
    for kind, make in ILL.items():
        values = make(generator, shape[0] * shape[1]).reshape(shape)
        got = la.asarray(values).sum(axis=0).compute()
        theirs = values.sum(axis=0)
        for column in range(min(shape[1], 20)):
            exact = math.fsum(values[:, column].tolist())
            error = abs(float(got[column]) - exact)
            bound = abs(float(theirs[column]) - exact)
            size = np.finfo(float).eps * np.abs(values[:, column]).sum()
            assert error <= max(bound, 4 * size) + 2 * np.spacing(abs(exact)), kind


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((50,), 0), ((5000,), 0), ((200_000,), 0), ((20, 3000), 1), ((3000, 20), 0), ((70_000, 3), 0)],
)
def test_variances_of_offset_data(shape: tuple[int, ...], axis: int, dtype: str) -> None:
    offset = 1e6 if dtype == "f8" else 1e3
    values = (np.random.default_rng(6).normal(size=shape) + offset).astype(dtype)
    x = la.asarray(values)
    got, spread = la.evaluate(x.var(axis), x.std(axis, ddof=1))
    wide = values.astype(np.longdouble)
    exact = wide.var(axis)
    error = np.max(np.abs(got - exact) / exact)
    theirs = np.max(np.abs(values.var(axis) - exact) / exact)
    assert error <= max(theirs, 4 * np.finfo(dtype).eps)
    assert got.dtype == dtype
    np.testing.assert_allclose(spread, wide.std(axis, ddof=1).astype(dtype), rtol=1e-4)


@pytest.mark.parametrize("shape", [(200_000,), (3000, 20), (20, 3000)])
def test_variances_of_nearly_equal_float32(shape: tuple[int, ...]) -> None:
    """A few are the next number: the deviation is a fraction of float32's resolution."""
    values = np.full(shape, 1e6, np.float32)
    values.reshape(-1)[::1001] = np.nextafter(np.float32(1e6), np.float32(2e6))
    for axis in range(len(shape)):
        exact = values.astype(np.longdouble).var(axis)
        x = la.asarray(values)
        wide, own = la.evaluate(x.var(axis, dtype="f8"), x.var(axis))
        np.testing.assert_allclose(wide, exact, rtol=1e-12)
        error, theirs = np.abs(own - exact), np.abs(values.var(axis) - exact)
        assert np.all(error <= np.maximum(theirs, 4 * np.finfo("f4").eps * exact))


def _outliers_first(generator: np.random.Generator, n: int) -> Array:
    """Numbers of which the first few of each kernel's panel lie far from the others."""
    values = generator.normal(size=n)
    values[np.arange(n) % 256 < 32] += 1e6
    return values


def _one_outlier(generator: np.random.Generator, n: int) -> Array:
    """Numbers of which the first of each kernel's panel lies far from the others."""
    values = generator.normal(size=n)
    values[::64] = 1e8
    return values


def _step(generator: np.random.Generator, n: int) -> Array:
    """Numbers that lie elsewhere from some place on."""
    values = generator.normal(size=n)
    values[n // 7 :] -= 1e4
    return values


@pytest.mark.parametrize("make", [*ILL.values(), _outliers_first, _one_outlier])
@pytest.mark.parametrize("rows", [5, 70, 3000, 13_000])
def test_variances_of_columns(rows: int, make: Callable[[np.random.Generator, int], Array]) -> None:
    generator = np.random.default_rng(3)
    values = np.stack([make(generator, 2 * rows)[:rows] for _ in range(6)], axis=1)
    x = la.asarray(values)
    got, mean = la.evaluate(x.var(0), x.mean(0))
    wide = values.astype(np.longdouble)
    exact = wide.var(0)
    eps = np.finfo(float).eps
    error = np.max(np.abs(got - exact) / exact)
    theirs = np.max(np.abs(values.var(0) - exact) / exact)
    assert error <= max(theirs, 16 * eps)
    centre = wide.mean(0)
    bound = max(np.max(np.abs(values.mean(0) - centre)), 4 * eps * np.mean(np.abs(wide)))
    assert np.max(np.abs(mean - centre)) <= bound


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("make", [*ILL.values(), _outliers_first, _one_outlier, _step])
@pytest.mark.parametrize(
    ("length", "count", "axis"), [(40_000, 1, 0), (300_000, 1, 1), (150_000, 2, 1), (9000, 4, 0)]
)
def test_variances_alone(
    length: int,
    count: int,
    axis: int,
    make: Callable[[np.random.Generator, int], Array],
    dtype: str,
) -> None:
    """Without a mean beside them, and of numbers that begin far from their mean."""
    generator = np.random.default_rng(4)
    parts = [make(generator, 2 * length)[:length] for _ in range(count)]
    values = np.stack(parts, axis=1 - axis).astype(dtype)
    got = la.asarray(values).var(axis).compute()
    exact = values.astype(np.longdouble).var(axis)
    size = np.where(exact > 0, exact, 1)  # in float32, some are all alike
    error = np.max(np.abs(got - exact) / size)
    theirs = np.max(np.abs(values.var(axis) - exact) / size)
    assert error <= max(theirs, 16 * np.finfo(float).eps, np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("length", [3000, 70_000])
def test_variances_beside_many_reductions(length: int, dtype: str) -> None:
    values = np.random.default_rng(8).normal(5, 2, (length, 2)).astype(dtype)
    wide = values.astype(np.longdouble)
    for axis, x in ((None, la.asarray(values)), (0, la.asarray(values))):
        got = la.evaluate(
            x.var(axis), x.mean(axis), x.min(axis), x.max(axis), (x * x).sum(axis),
            x.argmax(axis), (x + 1).var(axis),
        )  # fmt: skip
        expected = [wide.var(axis), wide.mean(axis), values.min(axis), values.max(axis)]
        expected += [(wide * wide).sum(axis), values.argmax(axis), wide.var(axis)]
        for ours, theirs in zip(got, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=2e-6 if dtype == "f4" else 1e-13)


def test_variances_of_large_numbers() -> None:
    values = np.zeros((300, 700))
    values[64:] = 5e152
    got = la.asarray(values).var(0).compute()
    np.testing.assert_allclose(got, values.var(0), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("length", [1, 2, 300, 70_000])
def test_variances_of_equal_numbers(length: int, dtype: str) -> None:
    values = np.full((length, 3), [0.5, 2.0**100, -7.0], dtype)
    x = la.asarray(values)
    assert not np.any(la.evaluate(x.T.var(1), x.var(0)))


SPECIAL = [
    [np.inf], [-np.inf], [np.nan], [np.inf, -np.inf], [np.inf, np.nan], [np.inf, np.inf],
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("length", [10, 300, 1000, 20_000, 70_000])
def test_infinities_and_nan(length: int, dtype: str) -> None:
    values = np.ones((len(SPECIAL), length), dtype)
    for row, odd in zip(values, SPECIAL, strict=True):
        places = np.linspace(0, length - 1, len(odd)).astype(int)
        row[places] = odd
    with np.errstate(invalid="ignore"):
        for operand, axis in ((values, 1), (np.ascontiguousarray(values.T), 0)):
            x = la.asarray(operand)
            got = la.evaluate(x.sum(axis), x.mean(axis), x.var(axis), x.max(axis), x.min(axis))
            expected = [operand.sum(axis), operand.mean(axis), operand.var(axis)]
            expected += [operand.max(axis), operand.min(axis)]
            for a, b in zip(got, expected, strict=True):
                np.testing.assert_array_equal(a, b)
        for row in values:
            x = la.asarray(row)
            got = la.evaluate(x.sum(), x.var(), x.argmax(), x.argmin())
            expected = [row.sum(), row.var(), row.argmax(), row.argmin()]
            np.testing.assert_array_equal(got, expected)


def test_sums_overflow_as_numpys_do() -> None:
    large = np.full(1000, 1e308)
    with np.errstate(over="ignore"):
        assert la.asarray(large).sum().compute() == large.sum() == np.inf
        assert la.asarray(-large).sum().compute() == -np.inf
    # One that float32 could not sum: its sums are taken in float64.
    single = np.array([3e38, 3e38, -3e38, -3e38], np.float32)
    assert la.asarray(single).sum().compute() == 0


def _all_templates(generator: np.random.Generator, dtype: Any) -> list[Any]:
    """Results of every template, reducing data of many sizes."""
    wild = _cancelling(generator, 240_000).astype(dtype)
    results: list[Any] = []
    for shape, axes in [
        ((240_000,), (0,)),
        ((3, 80_000), (1, 0)),
        ((400, 600), (0, 1, (0, 1))),
        ((80_000, 3), (0, 1)),
        ((20, 60, 200), (1, (0, 2), (1, 2))),
    ]:
        x = la.asarray(wild.reshape(shape))
        for axis in axes:
            results += [x.sum(axis), x.mean(axis), x.var(axis), (x * x).sum(axis), x.max(axis)]
            if not isinstance(axis, tuple):
                results.append(x.argmax(axis))
    return results


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_number_of_threads_changes_no_bit(dtype: Any) -> None:
    results: dict[int, list[Array]] = {}
    for threads in (1, 2, 7):
        lazy = _all_templates(np.random.default_rng(8), dtype)
        with la.config(threads=threads):
            results[threads] = [la.evaluate(x) for x in lazy]
            again = [la.evaluate(x) for x in lazy]
        for a, b in zip(results[threads], again, strict=True):
            assert a.tobytes() == b.tobytes()
    for threads in (2, 7):
        for a, b in zip(results[1], results[threads], strict=True):
            assert a.tobytes() == b.tobytes()


def test_masked_sums_are_as_exact() -> None:
    values = _cancelling(np.random.default_rng(9), 100_000)
    x = la.asarray(values)
    total = float(x[x > 0].sum().compute())
    exact = math.fsum(values[values > 0].tolist())
    assert abs(total - exact) <= 4 * np.spacing(exact)
