"""Powers of float32 by way of float64."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cpu import vector_math

pytestmark = pytest.mark.host  # of processors' vector functions

Array = np.ndarray[Any, Any]

SPECIAL = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.5, -3.0, 1.0, 1e-45, 1e-39, 3e38, 1.1754944e-38],
    np.float32,
)
EXPONENTS = np.array(
    [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 3.0, -3.0, 0.3, np.inf, -np.inf, np.nan, 1e30, 1e-40],
    np.float32,
)


def _power(x: Array, y: Array | float) -> Array:
    result: Array = la.evaluate(
        la.asarray(x) ** (la.asarray(y) if isinstance(y, np.ndarray) else y)
    )
    return result


@pytest.mark.parametrize("exponent", [2.7, -1.3, 0.7, 17.25, -37.5, 1e-3])
def test_powers_are_the_nearest_numbers_or_beside_them(exponent: float) -> None:
    random = np.random.default_rng(1)
    x = np.exp(random.uniform(-2, 2, 20_011)).astype(np.float32)
    exact = x.astype(np.float64) ** np.float64(np.float32(exponent))
    error = np.abs(_power(x, exponent) - exact) / np.spacing(exact.astype(np.float32))
    assert error.max() < 0.6 if vector_math.has_wide_tables() else error.max() < 2


def test_powers_beside_one_have_all_digits() -> None:
    # The logarithm of what is nearly 1 has few digits in a sum of an exponent and another one.
    x = np.repeat(np.nextafter(np.float32(1), np.array([0, 2], np.float32)), 50)
    y = np.linspace(-1e8, 1e8, 100).astype(np.float32)
    exact = x.astype(np.float64) ** y.astype(np.float64)
    error = np.abs(_power(x, y) - exact) / np.spacing(exact.astype(np.float32))
    assert error.max() < 0.6 if vector_math.has_wide_tables() else error.max() < 2


def test_special_numbers_have_the_powers_of_numpy_beside_any_others() -> None:
    x, y = (a.ravel() for a in np.meshgrid(SPECIAL, EXPONENTS))
    ordinary = np.linspace(0.5, 2, x.size).astype(np.float32)
    with np.errstate(all="ignore"):
        mixed = _power(np.stack([x, ordinary], 1), np.stack([y, y * 0 + 2.5], 1))
        expected = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
        np.testing.assert_allclose(mixed[:, 0], expected, rtol=3e-7)
        zeros = expected == 0
        np.testing.assert_array_equal(np.signbit(mixed[zeros, 0]), np.signbit(expected[zeros]))
        regular = np.isfinite(y)  # elsewhere the other exponent is NaN
        alone = _power(ordinary, 2.5)
    np.testing.assert_array_equal(mixed[regular, 1], alone[regular])


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [(3e38, 1.5, "overflow"), (0.0, -0.5, "divide by zero"), (-2.0, 0.5, "invalid value")],
)
def test_powers_warn_as_numpy_does(x: float, y: float, message: str) -> None:
    with pytest.warns(RuntimeWarning, match=message):
        _power(np.full(100, x, np.float32), y)


def test_ordinary_powers_do_not_warn() -> None:
    x = np.array([0.0, 1.0, np.inf, 5.0, 1e-40] * 20, np.float32)
    y = np.array([0.0, np.inf, 0.0, -np.inf, 0.5] * 20, np.float32)
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        np.testing.assert_array_equal(_power(x, y)[:4], [1, 1, 1, 0])


def test_an_element_has_the_same_bits_wherever_it_lies() -> None:
    x = np.linspace(0.1, 9, 1003).astype(np.float32)
    whole = _power(x, 1.37)
    for first in (1, 15, 990, 1002):
        np.testing.assert_array_equal(_power(x[first:].copy(), 1.37), whole[first:])
