"""Histograms in jitted functions, and those that are computed at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import TracingError


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("density", [None, True])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1"])
def test_jitted_functions_count_between_ends(dtype: str, density: Any, weights: bool) -> None:
    random = np.random.default_rng(3)
    a = (random.random((40, 50)) * 5).astype(dtype)
    added = random.random((40, 50)) if weights else None

    def counts(xp: Any, a: Any, added: Any) -> Any:
        return xp.histogram(a, 7, (0.5, 4.5), density=density, weights=added)

    jitted = la.jit(lambda a, added: counts(la, a, added))
    for ours, theirs in zip(jitted(a, added), counts(np, a, added), strict=True):
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("options", [{}, {"bins": 5}, {"density": True}, {"weights": np.ones(300)}])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_jitted_functions_count_between_extremes(dtype: str, options: Any) -> None:
    a = (np.random.default_rng(6).standard_normal(300) * 9).astype(dtype)
    results = la.jit(lambda a: la.histogram(a, **options))(a)
    for ours, theirs in zip(results, np.histogram(a, **options), strict=True):
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


def test_numpys_function_is_traced_too() -> None:
    a = np.random.default_rng(4).random(900)
    jitted = la.jit(lambda a: np.histogram(a, bins=100, range=(0.5, 1.5))[0])
    assert np.array_equal(jitted(a), np.histogram(a, bins=100, range=(0.5, 1.5))[0])


@pytest.mark.parametrize("options", [{"bins": "auto"}, {"bins": "sturges"}])
def test_what_depends_on_the_values_is_no_part_of_a_jitted_function(options: Any) -> None:
    with pytest.raises(TracingError):
        la.jit(lambda a: la.histogram(a, **options)[0])(np.arange(5.0))


@pytest.mark.parametrize("options", [{}, {"bins": 5}, {"bins": [0, 1, 2.5]}, {"bins": "auto"}])
def test_histograms_of_arrays_on_the_host_are_computed_at_once(options: Any) -> None:
    a = np.random.default_rng(5).standard_normal(300)
    counts, edges = la.histogram(la.asarray(a) * 1, **options)
    expected = np.histogram(a, **options)
    assert np.array_equal(counts, expected[0]) and np.array_equal(edges, expected[1])


@pytest.mark.parametrize("ends", [(1, 0), (0, np.nan)])
def test_ends_are_judged_where_the_function_is_called(ends: Any) -> None:
    with pytest.raises(ValueError, match="range"):
        la.jit(lambda a: la.histogram(a, 5, ends)[0])(np.arange(5.0))


def test_integers_are_counted() -> None:
    x = np.array([3, 1, 3, 0])
    assert np.array_equal(la.bincount(la.asarray(x)), np.bincount(x))
    assert np.array_equal(la.bincount(x, [1, 2, 0.5, 3], 6), np.bincount(x, [1, 2, 0.5, 3], 6))
