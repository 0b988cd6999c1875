"""Medians and quantiles by kernels of a GPU, with NumPy's bits: the kernels run on the CPU."""

from __future__ import annotations

import shutil
import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]

Array = np.ndarray[Any, Any]
METHODS = (
    "linear linear linear lower higher nearest midpoint averaged_inverted_cdf "
    "interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased"
).split()


def drawn(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Few distinct numbers or many, with infinities and NaN among them at times."""
    values = random.standard_normal(shape) * float(random.choice([2, 100]))
    array = (np.abs(values) if dtype[0] == "u" else values).astype(dtype)
    if dtype[0] != "f":
        return array
    kind = int(random.integers(4))
    if kind == 1:
        array[random.random(shape) < 0.02] = np.nan
    if kind == 2:
        array[random.random(shape) < 0.2] = random.choice([np.inf, -np.inf])
    if kind == 3:
        array[random.random(shape) < 0.6] = np.nan
    return array


def shape_and_axis(random: np.random.Generator) -> tuple[tuple[int, ...], Any]:
    length = int(random.choice([1, 2, 3, 7, 30, 200, 700]))
    return [
        ((length,), None),
        ((6, length), 1),
        ((length, 5), 0),
        ((3, length, 2), -2),
        ((3, length, 2), (0, 2)),
        ((2, length), None),
    ][int(random.integers(6))]


def check(function: Any, a: Array) -> None:
    lazy = function(la, la.asarray(a))
    assert not la.explain(lazy).fallbacks
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = np.asarray(function(np, a))
        result = la.evaluate(lazy)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)
    number = ~np.isnan(expected)
    assert np.array_equal(np.signbit(result)[number], np.signbit(expected)[number])


@pytest.mark.parametrize("seed", range(60))
def test_random_medians(seed: int) -> None:
    random = np.random.default_rng([seed, 41])
    shape, axis = shape_and_axis(random)
    name = str(random.choice(["median", "nanmedian"]))
    kinds = ["f4", "f8"] if name == "nanmedian" else ["f4", "f8", "f8", "i4", "u1", "i8"]
    keepdims = bool(random.integers(2))
    a = drawn(random, shape, str(random.choice(kinds)))
    check(lambda xp, a: getattr(xp, name)(a, axis=axis, keepdims=keepdims), a)


@pytest.mark.parametrize("seed", range(120))
def test_random_quantiles(seed: int) -> None:
    random = np.random.default_rng([seed, 43])
    shape, axis = shape_and_axis(random)
    name = str(random.choice(["quantile", "percentile", "nanquantile", "nanpercentile"]))
    kinds = ["f4", "f8"] if name[0] == "n" else ["f4", "f8", "f8", "i4", "u1", "i8"]
    share: Any = random.random(3)
    share[: int(random.integers(3))] = random.choice([0.0, 0.5, 1.0])
    share = share.astype(str(random.choice(["f8", "f4"])))
    if random.random() < 0.5:
        share = float(share[1])
    if "percent" in name:
        share = share * 100
        if random.random() < 0.3:
            share = np.rint(share).astype("i8") if isinstance(share, np.ndarray) else int(share)
    options = {"axis": axis, "method": str(random.choice(METHODS))}
    if random.random() < 0.3:
        options["keepdims"] = True
    a = drawn(random, shape, str(random.choice(kinds)))
    check(lambda xp, a: getattr(xp, name)(a, share, **options), a)


def test_long_rows_are_sorted_digit_by_digit() -> None:
    a = np.random.default_rng(5).standard_normal((2, 5001)).astype("f4")
    check(lambda xp, a: xp.percentile(a, [5, 50, 95], axis=1), a)


def test_quantiles_are_part_of_a_graph() -> None:
    a = np.random.default_rng(6).standard_normal((20, 50))
    shares = np.array([0.25, 0.75])

    def spread(xp: Any, a: Any) -> Any:
        ends = xp.quantile(a * 2, shares, axis=1)
        return (a - xp.median(a, axis=1, keepdims=True)) / (ends[1] - ends[0])[:, None]

    assert not la.explain(spread(la, la.asarray(a))).fallbacks
    np.testing.assert_array_equal(la.jit(lambda a: spread(la, a))(a), spread(np, a))
