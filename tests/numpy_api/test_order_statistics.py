"""Medians and quantiles, of which each place is looked for by itself: NumPy's bits and warnings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from lazyarr.arrays import tuning
from lazyarr.numpy_api.order_statistics import FASTER
from lazyarr.runtime.cpu.numpy_loops import COMPILED
from tests.support.tuning_rows import use_row

Array = np.ndarray[Any, Any]
METHODS = (
    "linear inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen "
    "weibull median_unbiased normal_unbiased lower higher midpoint nearest"
).split()
SHAPES = [(7,), (200,), (3, 5), (40, 300), (300, 40), (4, 150, 6), (1, 1), (2, 700)]


@pytest.fixture(autouse=True)
def few_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    use_row(monkeypatch, tuning, parted_elements=1)


def drawn(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Return numbers with many ties, zeros of both signs, infinities and, rarely, NaN."""
    x = np.round(random.standard_normal(shape) * float(random.choice([0.6, 3, 100])), 1)
    if dtype[0] == "f":
        odd = np.array([0.0, -0.0, np.inf, -np.inf])
        x = np.where(random.random(shape) < 0.1, random.choice(odd, shape), x)
        x = np.where(random.random(shape) < random.choice([0, 0.01]), np.nan, x)
    return x.astype(dtype)


def result_of(function: Any, *args: Any, **keywords: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        try:
            return np.asarray(function(*args, **keywords)), [str(one.message) for one in issued]
        except (TypeError, ValueError, IndexError) as error:
            return f"{type(error).__name__}: {error}", []


def compare(function: Any, *args: Any, **keywords: Any) -> None:
    ours, issued = result_of(FASTER[function], *args, **keywords)
    theirs, expected = result_of(function, *args, **keywords)
    if isinstance(theirs, str):
        assert ours == theirs
        return
    assert set(issued) == set(expected)
    assert type(ours) is np.ndarray
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_array_equal(ours, theirs)
    numbers = ~np.isnan(theirs)
    np.testing.assert_array_equal(np.signbit(ours)[numbers], np.signbit(theirs)[numbers])


def axis_of(random: np.random.Generator, ndim: int) -> Any:
    axes: list[Any] = [None, *range(-ndim, ndim)]
    if ndim > 1:
        axes += [(0, 1), (-1, 0)]
    return axes[int(random.integers(len(axes)))]


@pytest.mark.skipif(COMPILED is None, reason="NumPy computes without the extension module")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("seed", range(6))
def test_medians_of_ordinary_rows_need_no_python(dtype: str, seed: int) -> None:
    random = np.random.default_rng([seed, 17])
    shape = tuple(int(n) for n in random.integers(1, 40, random.integers(1, 4)))
    x = (random.standard_normal(shape) + 5).astype(dtype)
    medians = COMPILED.row_medians(x)
    assert medians.dtype == x.dtype
    np.testing.assert_array_equal(medians, np.median(x, axis=-1))


@pytest.mark.skipif(COMPILED is None, reason="NumPy computes without the extension module")
@pytest.mark.parametrize(
    "row",
    [
        [1.0, np.nan, 2.0],
        [np.inf, 1.0, np.inf],
        [1e308, 1.5e308],
        [5e-324, 0.0],
        [0.0, -0.0, -0.0],
        [],
    ],
)
def test_medians_that_numpy_decides_on_are_numpys(row: list[float]) -> None:
    x = np.array([row, row])
    assert COMPILED.row_medians(x) is None
    assert COMPILED.row_medians(np.array([[1, 2]])) is None
    compare(np.median, x, axis=1)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "u1"])
@pytest.mark.parametrize("seed", range(4))
def test_medians(dtype: str, seed: int) -> None:
    random = np.random.default_rng([seed, 11])
    for shape in SHAPES:
        x = drawn(random, shape, dtype)
        x = x[..., ::-1] if random.random() < 0.3 else np.asfortranarray(x)
        before = x.copy()
        options = {"axis": axis_of(random, x.ndim), "keepdims": bool(random.integers(2))}
        compare(np.median, x, **options)
        compare(np.nanmedian, x, **options)
        np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("seed", range(6))
def test_quantiles(dtype: str, seed: int) -> None:
    random = np.random.default_rng([seed, 13])
    for shape in SHAPES:
        x = drawn(random, shape, dtype)
        shares = [0.3, np.array([0.1, 0.9]), np.array([0, 0.5, 1]), random.random((2, 3))]
        q = shares[int(random.integers(4))]
        options = {
            "axis": axis_of(random, x.ndim),
            "keepdims": bool(random.integers(2)),
            "method": METHODS[int(random.integers(len(METHODS)))],
        }
        for function, scale in ((np.quantile, 1), (np.percentile, 100)):
            compare(function, x, q * scale, **options)
        compare(np.nanquantile, x, q, **options)
        compare(np.nanpercentile, x, q=q * 100, **options)


@pytest.mark.parametrize("function", [np.median, np.nanmedian])
def test_nothing_and_a_number(function: Any) -> None:
    compare(function, np.zeros((0, 3)), axis=0)
    compare(function, np.zeros((3, 0)), axis=1)
    compare(function, np.float64(-0.0))
    compare(function, np.full((2, 3), np.nan), axis=1)


def test_arguments_that_numpy_refuses() -> None:
    compare(np.quantile, np.arange(5.0), 1.5)
    compare(np.quantile, np.arange(5.0), 0.5, axis=2)
    compare(np.quantile, np.arange(5.0), 0.5, method="none")


def test_weights() -> None:
    random = np.random.default_rng(17)
    x, weights = random.standard_normal((30, 20)), random.random((30, 20))
    for function in (np.quantile, np.nanquantile):
        compare(function, x, [0.2, 0.7], axis=1, weights=weights, method="inverted_cdf")
