"""Iteration over few long rows of an expression: they wait for what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la


def _slope(xp: Any, state: Any) -> Any:
    x, y, z = state
    return xp.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])


def _steps(xp: Any, state: Any, count: int) -> Any:
    for _ in range(count):
        first = _slope(xp, state)
        second = _slope(xp, state + 0.002 * first)
        state = state + 0.004 * second
    return state


@pytest.mark.parametrize("columns", [40, 400])
def test_steps_of_rows_are_few_evaluations(columns: int) -> None:
    state = np.random.default_rng(columns).standard_normal((3, columns))
    expected = _steps(np, state, 6)
    with la.config(immediate=4):
        for _ in range(3):
            before = la.cache.info().plans
            result = np.asarray(_steps(la, la.asarray(state), 6))
            np.testing.assert_array_equal(result, expected)
        after = la.cache.info().plans
        assert after.misses == before.misses  # the third time
        assert after.hits - before.hits <= 6


def _shifted(xp: Any, x: Any) -> Any:
    a, b = x[:, ::-1] * 2
    return a - b


def _normed(xp: Any, x: Any) -> Any:
    a, b = x - x.mean(axis=1, keepdims=True)
    return a * b


def _product(xp: Any, x: Any) -> Any:
    a, b = x @ x.T @ x
    return a + b


def _written(xp: Any, x: Any) -> Any:
    y = x * 3
    for row in y:
        row[2:] += row[:-2] * 2
    return y


def _written_between(xp: Any, x: Any) -> Any:
    y = x * 3
    a, b = y
    y[0] = 7
    b[:] = a + y[0]
    return y - a


def _kept(xp: Any, x: Any) -> Any:
    rows = [*(x + 1)]
    return xp.stack([row * k for k, row in enumerate(rows)]) + sum(rows)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c16"])
@pytest.mark.parametrize(
    "program", [_shifted, _normed, _product, _written, _written_between, _kept]
)
def test_rows_have_the_values_of_the_moment(program: Callable[..., Any], dtype: str) -> None:
    random = np.random.default_rng(5)
    x = (random.random((2, 300)) * 9).astype(dtype)
    expected = program(np, x.copy())
    with la.config(immediate=8):
        for _ in range(2):
            result = np.asarray(program(la, la.asarray(x)))
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_many_rows_are_computed_once() -> None:
    x = np.random.default_rng(6).random((200, 50))
    with la.config(immediate=4):
        before = la.cache.info().plans
        sums = [float(row.sum()) for row in la.asarray(x) * 2]
        after = la.cache.info().plans
    np.testing.assert_allclose(sums, (x * 2).sum(axis=1), rtol=1e-13)
    assert after.misses - before.misses <= 2
