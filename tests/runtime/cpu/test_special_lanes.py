"""Exponentials and logarithms of arguments that vector libraries leave to scalar functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la

FUNCTIONS = ("exp", "log", "log2", "log10")
#: Beside each other in a vector: ordinary arguments, and the ends of what has a finite result.
EXTREME = {
    "float32": [-87.0, -87.4, -103.0, -103.9, -104.1, -1e30, 87.0, 88.7, 88.73, 1e-45, 1e-39],
    "float64": [-708.0, -708.5, -744.0, -745.2, -1e300, 708.0, 709.7, 709.8, 5e-324, 1e-310],
}
ALWAYS = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1.0]


def _arguments(dtype: str) -> np.ndarray[Any, Any]:
    """Return arguments of all kinds in a random order."""
    random = np.random.default_rng(5)
    reach = 120 if dtype == "float32" else 800
    small = np.float64(np.finfo(dtype).smallest_normal) * random.random(3000)
    parts = [np.repeat(EXTREME[dtype] + ALWAYS, 40), random.uniform(-reach, reach, 9001), small]
    with np.errstate(over="ignore", under="ignore"):
        return random.permutation(np.concatenate(parts)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_within_four_units_in_the_last_place(name: str, dtype: str) -> None:
    x = _arguments(dtype)
    with np.errstate(all="ignore"):
        result = la.evaluate(getattr(la, name)(la.asarray(x)))
        wide = np.longdouble if dtype == "float64" else np.float64
        exact = getattr(np, name)(x.astype(wide))
        rounded = exact.astype(dtype)
        np.testing.assert_array_equal(np.isnan(result), np.isnan(rounded))
        np.testing.assert_array_equal(np.isinf(result), np.isinf(rounded))
        finite = np.isfinite(rounded)
        np.testing.assert_array_equal(np.signbit(result[finite]), np.signbit(rounded[finite]))
        units = np.abs(result[finite] - exact[finite]) / np.spacing(np.abs(rounded[finite]))
    assert units.max() <= 4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_ordinary_lanes_have_their_bits_beside_any_others(name: str, dtype: str) -> None:
    x = np.linspace(0.1, 50, 999).astype(dtype)
    beside = np.repeat(x, 2)
    beside[::2] = np.resize(_arguments(dtype), 999)
    function = getattr(la, name)
    with np.errstate(all="ignore"):
        together = la.evaluate(function(la.asarray(beside)))[1::2]
        np.testing.assert_array_equal(la.evaluate(function(la.asarray(x))), together)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "argument", "fault"),
    [
        ("exp", 1000.0, "over"),
        ("exp", -1000.0, "under"),
        ("log", 0.0, "divide"),
        ("log10", -1.0, "invalid"),
        ("log2", -np.inf, "invalid"),
    ],
)
def test_faults_are_raised(name: str, argument: float, fault: str, dtype: str) -> None:
    x = np.full(33, 1.5, dtype)
    x[17] = argument
    with np.errstate(all="ignore"), np.errstate(**{fault: "raise"}):  # type: ignore[arg-type]
        with pytest.raises(FloatingPointError):
            la.evaluate(getattr(la, name)(la.asarray(x)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("exp", [np.inf, -np.inf, np.nan, 80.0, -80.0, 0.0]),
        ("log", [np.inf, np.nan, 1e-30, 1e30, 1.0]),
    ],
)
def test_exact_results_raise_nothing(name: str, arguments: list[float], dtype: str) -> None:
    x = np.resize(arguments, 101).astype(dtype)
    with np.errstate(all="raise"):
        result = la.evaluate(getattr(la, name)(la.asarray(x)))
        expected = getattr(np, name)(x)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_hyperbolic_tangents_are_within_three_units(dtype: str) -> None:
    random = np.random.default_rng(6)
    sizes = np.concatenate([np.exp(random.uniform(-40, 3, 5_000)), random.random(2_000)])
    x = np.concatenate([-sizes, ALWAYS, EXTREME[dtype], sizes]).astype(dtype)
    with np.errstate(all="raise"):
        result = la.evaluate(la.tanh(la.asarray(x)))
    exact = np.tanh(x.astype(np.longdouble if dtype == "float64" else np.float64))
    np.testing.assert_array_equal(np.isnan(result), np.isnan(x))
    number = ~np.isnan(x)
    np.testing.assert_array_equal(np.signbit(result[number]), np.signbit(x[number]))
    units = np.abs(result - exact)[number] / np.spacing(np.abs(exact[number]).astype(dtype))
    assert units.max() <= 3
