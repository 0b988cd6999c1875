"""Loops that write: their expressions stay short, their plans few, their values NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import pending_writes
from lazyarr.compiler import pipeline
from lazyarr.graph.node import walk


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the plans that are made."""
    created: list[int] = []
    build = pipeline._build

    def counted(*args: Any, **keywords: Any) -> Any:
        created.append(1)
        return build(*args, **keywords)

    monkeypatch.setattr(pipeline, "_build", counted)
    return created


def _relax(u: Any) -> None:
    u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


@pytest.mark.parametrize("size", [20, 64])
def test_a_loop_that_writes_needs_few_plans(size: int, plans: list[int]) -> None:
    array = np.random.default_rng(1).random((size, size))
    lazy = la.asarray(array.copy())
    longest = 0
    for _ in range(200):
        _relax(array)
        _relax(lazy)
        longest = max(longest, sum(1 for _ in walk((lazy._node,))))
    assert longest < 40 * pending_writes.MOST_WRITES
    assert len(plans) <= 2
    np.testing.assert_array_equal(lazy.compute(), array)


def test_recurrences_of_small_arrays_compile_nothing(plans: list[int]) -> None:
    def run(z: Any) -> Any:
        z[0] = 1.0
        for i in range(1, 40):
            z[i] = z[i - 1] * 0.5 + 1
        return z

    expected = run(np.zeros(40))
    with la.config(immediate=4096):
        result = run(la.zeros(40))
    assert not plans
    np.testing.assert_array_equal(result.compute(), expected)


def test_views_and_expressions_of_before_stay_right() -> None:
    for m in (np, la):
        x = m.ones((5, 4))
        row, double = x[2], x * 2
        for k in range(20):
            x[k % 5] += k
            row *= 0.5
        expected = np.ones((5, 4))
        for k in range(20):
            expected[k % 5] += k
            expected[2] *= 0.5
        np.testing.assert_array_equal(np.asarray(x), expected)
        np.testing.assert_array_equal(np.asarray(row), expected[2])
        np.testing.assert_array_equal(np.asarray(double), np.full((5, 4), 2.0))


def test_nothing_is_computed_where_settings_forbid_it() -> None:
    with la.config(implicit="raise"):
        x = la.zeros(30)
        for k in range(20):
            x[k] = k
    np.testing.assert_array_equal(x.compute()[:20], np.arange(20))


def test_faults_are_told_at_the_users_line() -> None:
    # Not of zeros alone: a quotient of constants is one node, whoever built it first.
    x = la.asarray(np.zeros(30))
    with pytest.warns(RuntimeWarning, match="divide by zero") as warned:
        for k in range(20):
            x[k] = 1.0 / x[k + 1]
        x.compute()
    assert {warning.filename for warning in warned} == {__file__}
