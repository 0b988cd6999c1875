"""Covariances and quantiles, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.values import assert_same

Array = np.ndarray[Any, Any]


def test_covariances_of_one_row() -> None:
    x = np.random.default_rng(0).random((1, 4))
    assert np.cov(x[:, :1].T, rowvar=False, ddof=0).shape == ()
    if np.lib.NumpyVersion(np.__version__) >= "2.2.0":
        with pytest.warns(RuntimeWarning):
            expected = np.cov(x, rowvar=False)
        with pytest.warns(RuntimeWarning):
            result = la.evaluate(np.cov(la.asarray(x), rowvar=False))
        np.testing.assert_array_equal(result, expected)
    assert la.evaluate(np.cov(la.zeros((0, 3)))).shape == (0, 0)


@pytest.mark.parametrize("name", ["percentile", "quantile", "nanpercentile", "nanquantile"])
def test_quantiles_by_a_python_number_keep_the_dtype(name: str) -> None:
    x = np.arange(5, dtype=np.float32)
    for q in (0.5, 1, np.float64(0.5), [0.5, 1.0]):
        assert_same(getattr(np, name)(la.asarray(x), q), np.asarray(getattr(np, name)(x, q)))


@pytest.mark.parametrize("coefficients", [[1.0, 2.0], np.poly1d([1.0, 2.0]), la.array([1.0, 2.0])])
def test_polynomials_of_polynomials_are_polynomials(coefficients: Any) -> None:
    composed = la.polyval(coefficients, np.poly1d([3.0, 4.0]))
    assert isinstance(composed, np.poly1d)
    np.testing.assert_array_equal(composed.coeffs, [3.0, 6.0])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"ddof": 1.5}, "ddof must be integer"),
        ({"fweights": [1.5, 2, 3]}, "fweights must be integer"),
        ({"aweights": [-1, 2, 3]}, "aweights cannot be negative"),
        ({}, "Cannot cast ufunc 'subtract' output"),
    ],
)
def test_arguments_of_cov_are_judged_in_numpys_order(arguments: dict[str, Any], text: str) -> None:
    for module in (np, la):
        named = {k: module.asarray(v) if k != "ddof" else v for k, v in arguments.items()}
        with pytest.raises((ValueError, TypeError), match=text):
            module.cov(module.arange(6).reshape(2, 3), dtype=int, **named)


@pytest.mark.host
def test_average_of_no_weight_raises_when_it_is_evaluated() -> None:
    x, weights = np.arange(6, dtype="c8").reshape(2, 3), np.array([[1, 0, -1], [1, 2, 3]])
    with la.config(immediate=0):
        a, w = la.array(x), la.array(weights)
        wrong, right = la.average(a, 1, w), la.average(a, 0, w + np.array([[0], [1]]))
        with pytest.raises(ZeroDivisionError, match=r"^Weights sum to zero, can't be normalized$"):
            wrong.compute()
        assert_same(right, np.average(x, 0, weights + np.array([[0], [1]])))
        mean = la.jit(lambda a, w: la.average(a, weights=w))
        with pytest.raises(ZeroDivisionError):
            mean(x, weights * [[1], [0]])
        assert_same(mean(x, weights), np.average(x, weights=weights))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "D", None])
@pytest.mark.parametrize("weights", [{"aweights": np.arange(1.0, 6)}, {"fweights": np.arange(5)}])
def test_weighted_covariances_have_numpys_dtype(weights: Any, dtype: Any) -> None:
    x = np.random.default_rng(2).normal(size=(3, 5)).astype("f4")
    expected = np.cov(x, dtype=dtype, **weights)
    result = la.cov(la.asarray(x), dtype=dtype, **weights)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_the_shape_of_a_kaiser_window_is_one_number() -> None:
    for count in (0, 1, 3):
        for m in (np, la):
            with pytest.raises((TypeError, ValueError)):
                m.kaiser(count, m.asarray([1.0, 2.0, 3.0]))
