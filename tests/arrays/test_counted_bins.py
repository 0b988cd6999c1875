"""Numbers of elements in bins of equal widths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import counted_bins, tuning

LEAST = tuning.row().binned_elements
Array = np.ndarray[Any, Any]

#: Vectors of elements; some lie on edges, or next to them, or have bins that are narrow for them.
VALUES: dict[str, Callable[[np.random.Generator], Array]] = {
    "uniform": lambda random: random.random(LEAST),
    "normal": lambda random: random.standard_normal(2 * LEAST + 77),
    "rounded": lambda random: np.round(random.random(LEAST), 3),
    "few on edges": lambda random: np.append(random.random(LEAST), np.linspace(0, 1, 51)),
    "next to edges": lambda random: np.append(
        random.random(LEAST) * 4 - 2, np.nextafter(np.linspace(-2, 2, 101), 9.0)
    ),
    "far from zero": lambda random: 1e9 + random.random(LEAST) * 1e-3,
    "large": lambda random: random.standard_normal(LEAST) * 1e300,
    "small": lambda random: random.standard_normal(LEAST) * 1e-310,
    "equal": lambda random: np.full(LEAST, 0.3),
    "matrix": lambda random: random.random((LEAST // 4, 4)),
    "strided": lambda random: random.random(2 * LEAST)[::-2],
    "float32": lambda random: random.random(LEAST).astype(np.float32),
    "integers": lambda random: random.integers(0, 99, LEAST),
}


@pytest.mark.parametrize("bins", [1, 10, 50, 3333])
@pytest.mark.parametrize("name", VALUES)
def test_counts_and_edges_are_numpys(name: str, bins: int) -> None:
    values = VALUES[name](np.random.default_rng(len(name)))
    counts, edges = counted_bins.histogram(values, bins)
    expected, expected_edges = np.histogram(values, bins)
    assert (counts.dtype, edges.dtype) == (expected.dtype, expected_edges.dtype)
    np.testing.assert_array_equal(counts, expected)
    np.testing.assert_array_equal(edges, expected_edges)


@pytest.mark.parametrize(
    "options",
    [
        {"range": (0.25, 0.5)},
        {"range": np.array([0.25, 0.5])},
        {"weights": np.linspace(0, 1, LEAST)},
        {"weights": np.ones(LEAST), "density": True},
        {"density": True},
        {"bins": [0.1, 0.4, 0.9]},
        {"bins": np.int64(7)},
        {"bins": "sqrt"},
    ],
    ids=lambda options: "-".join(options),
)
def test_other_arguments_are_numpys(options: dict[str, Any]) -> None:
    values = np.random.default_rng(1).random(LEAST)
    got = counted_bins.histogram(values, **options)
    for ours, numpys in zip(got, np.histogram(values, **options), strict=True):
        np.testing.assert_array_equal(ours, numpys)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_ends_that_are_not_finite_raise_numpys_error(special: float) -> None:
    values = np.random.default_rng(1).random(LEAST)
    values[7] = special
    with pytest.raises(ValueError, match="is not finite"):
        counted_bins.histogram(values, 10)


def test_it_is_called_in_the_place_of_numpys() -> None:
    values = np.random.default_rng(1).random(LEAST)
    for array in (la.asarray(values), la.asarray(values) * 2):
        counts, edges = la.histogram(array, bins=20)
        expected, expected_edges = np.histogram(np.asarray(array), bins=20)
        np.testing.assert_array_equal(np.asarray(counts), expected)
        np.testing.assert_array_equal(np.asarray(edges), expected_edges)
