"""Calls of libraries as steps of plans that run again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import pipeline
from lazyarr.core.config import get_config
from lazyarr.execution.cpu.library_step import library_step

MATRIX = np.random.default_rng(0).standard_normal((4, 4)) / 3


def steps_of(expression: Any) -> Any:
    """Return the plan of an expression, and its steps that are calls of libraries."""
    executor, _ = pipeline.prepare((expression._node,), get_config())
    plan: Any = executor.plan  # type: ignore[attr-defined]
    return plan, [step for step in plan.steps if not step.calls and step.group.kind == "library"]


def test_numbers_of_a_run_are_operands() -> None:
    x = la.asarray(np.ones((4, 4)))
    plan, (step,) = steps_of(la.fori_loop(3, lambda i, x: x @ MATRIX, x) + 1)
    library = library_step(plan, step)
    assert library is not None
    _, values, *_ = library.row([3])
    assert any(
        isinstance(value, np.ndarray) and value == 3 for value in values if np.ndim(value) < 1
    )


@pytest.mark.parametrize("count", [0, 2, 5])
def test_loops_are_steps_of_jitted_calls(count: int) -> None:
    """Another number of iterations compiles nothing, and is that of the call."""

    def steps(x: Any, n: int) -> Any:
        return la.fori_loop(n, lambda i, x: x @ MATRIX + i, x * 2).sum(0)

    jitted = la.jit(steps)
    x = np.arange(8.0).reshape(2, 4)
    for number in (count, count + 1, count):
        expected = x * 2
        for i in range(number):
            expected = expected @ MATRIX + i
        np.testing.assert_allclose(jitted(x, number), expected.sum(0), rtol=1e-13)
    lazy = la.jit(lambda x, n: la.fori_loop(n, lambda i, x: x @ MATRIX, x).sum())
    for number in (1, 4):
        expected = x @ np.linalg.matrix_power(MATRIX, number)
        assert lazy(x, np.asarray(number)) == pytest.approx(expected.sum())


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i8"])
def test_numbers_of_a_run_are_operands_with_axes(dtype: str) -> None:
    """The first state is one number, which is an argument of the plan."""
    matrix = np.asarray(MATRIX * 3, dtype)

    def steps(x: Any, first: Any) -> Any:
        return la.fori_loop(2, lambda i, s: s @ matrix + x, la.zeros((2, 4), dtype) + first)

    jitted = la.jit(steps)
    x = np.arange(8).reshape(2, 4).astype(dtype)
    for first in (3, -2, 3):
        state = np.full((2, 4), first, dtype)
        expected = (state @ matrix + x) @ matrix + x
        for _ in range(2):
            np.testing.assert_array_equal(jitted(x, first), expected, strict=True)
