"""Powers of float64 by a logarithm of two numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cpu import vector_math

pytestmark = pytest.mark.host  # of processors' vector functions

Array = np.ndarray[Any, Any]

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.5, -3.0, 1.0, 5e-324, 1e-310, 1.7e308]
EXPONENTS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.5,
    -2.5,
    3.0,
    -3.0,
    0.3,
    np.inf,
    -np.inf,
    np.nan,
    1e300,
    1e-310,
]
#: Units in the last place: of lazyarr's own, and of a library's.
MOST = 0.75 if vector_math.has_wide_tables() else 4.0


def _power(x: Array, y: Array) -> Array:
    result: Array = la.evaluate(la.asarray(x) ** la.asarray(y))
    return result


def _errors(x: Array, y: Array) -> Array:
    """Return errors in units in the last place."""
    with np.errstate(all="ignore"):
        result, exact = _power(x, y), x.astype(np.longdouble) ** y.astype(np.longdouble)
        near = exact.astype(np.float64)
        ordinary = np.isfinite(near) & (near > np.finfo(np.float64).smallest_normal)
        units = np.spacing(near[ordinary]).astype(np.longdouble)
        errors: Array = np.abs(result[ordinary] - exact[ordinary]) / units
    return errors


@pytest.mark.parametrize("reach", [1e-3, 1.0, 30.0, 300.0])
def test_powers_are_within_three_quarters_of_a_unit(reach: float) -> None:
    random = np.random.default_rng(1)
    x = np.exp(random.uniform(-reach, reach, 20_011))
    y = random.uniform(-300, 300, x.size) / reach
    assert _errors(x, y).max() < MOST


def test_powers_beside_one_have_all_digits() -> None:
    x = np.tile(np.nextafter(1.0, np.array([0.0, 2.0])), 50)
    assert _errors(x, np.linspace(-1e18, 1e18, 100)).max() < MOST


def test_special_numbers_have_the_powers_of_numpy_beside_any_others() -> None:
    x, y = (a.ravel() for a in np.meshgrid(SPECIAL, EXPONENTS))
    ordinary = np.linspace(0.5, 2, x.size)
    with np.errstate(all="ignore"):
        mixed = _power(np.stack([x, ordinary], 1), np.stack([y, np.full(y.size, 2.5)], 1))
        expected = np.power(x, y)
        np.testing.assert_allclose(mixed[:, 0], expected, rtol=1e-15)
        zeros = expected == 0
        np.testing.assert_array_equal(np.signbit(mixed[zeros, 0]), np.signbit(expected[zeros]))
        alone = _power(ordinary, np.full(y.size, 2.5))
    np.testing.assert_array_equal(mixed[:, 1], alone)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_ends_of_what_is_finite(sign: int) -> None:
    x = np.full(400, np.e)
    y = sign * np.linspace(690, 760, 400)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(_power(x, y), x**y, rtol=1e-15, atol=5e-324)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [(1e300, 1.5, "overflow"), (0.0, -0.5, "divide by zero"), (-2.0, 0.5, "invalid value")],
)
def test_powers_warn_as_numpy_does(x: float, y: float, message: str) -> None:
    with pytest.warns(RuntimeWarning, match=message):
        _power(np.full(100, x), np.full(100, y))


def test_ordinary_powers_do_not_warn() -> None:
    x = np.array([0.0, 1.0, np.inf, 5.0, 0.5, 1e-310, 2.0] * 20)
    y = np.array([0.0, np.inf, 0.0, -np.inf, 1e308, 0.5, 1e-310] * 20)
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        np.testing.assert_array_equal(_power(x, y)[[0, 1, 2, 3, 4, 6]], [1, 1, 1, 0, 0, 1])


def test_an_element_has_the_same_bits_wherever_it_lies() -> None:
    x = np.linspace(0.1, 9, 1003)
    y = np.full(x.size, 1.37)
    whole = _power(x, y)
    for first in (1, 7, 990, 1002):
        np.testing.assert_array_equal(_power(x[first:].copy(), y[first:].copy()), whole[first:])
