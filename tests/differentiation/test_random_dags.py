"""Derivatives of random expressions: against differences, between modes, and against JAX."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from tests.support.derivatives import check_derivatives, values

_UNARY: dict[str, Callable[[Any, Any], Any]] = {
    "sin": lambda np_, x: np_.sin(x),
    "tanh": lambda np_, x: np_.tanh(x),
    "exp": lambda np_, x: np_.exp(-(x**2)),
    "log1p": lambda np_, x: np_.log1p(x**2),
    "sqrt": lambda np_, x: np_.sqrt(x**2 + 0.5),
    "arctan": lambda np_, x: np_.arctan(x),
    "negative": lambda np_, x: -x,
    "reciprocal": lambda np_, x: 1 / (x**2 + 1),
    "transpose": lambda np_, x: x.T,
    "reverse": lambda np_, x: x[::-1, ::-1],
    "rows": lambda np_, x: x[np.array([0, 2, 2])],
    "shift": lambda np_, x: np_.concatenate([x[1:], x[:1]], axis=0),
    "sum": lambda np_, x: x - np_.sum(x, axis=0, keepdims=True) / 3,
    "mean": lambda np_, x: x * np_.mean(x, axis=1, keepdims=True),
    "variance": lambda np_, x: x / (1 + np_.var(x)),
    "softmax": lambda np_, x: np_.exp(x) / np_.sum(np_.exp(x), axis=1, keepdims=True),
    "cumsum": lambda np_, x: np_.cumsum(x, axis=1) / 3,
    "cumprod": lambda np_, x: np_.cumprod(np_.tanh(x), axis=0),
    "prod": lambda np_, x: x * np_.prod(np_.tanh(x), axis=0),
    "reshape": lambda np_, x: x.reshape(9)[::-1].reshape(3, 3),
    "window": lambda np_, x: np_.pad(x, ((0, 1), (1, 0)))[1:, :3] * x,
    "diagonal": lambda np_, x: x + np_.diagonal(x)[:, None],
    "norm": lambda np_, x: x / np_.sqrt(np_.sum(x * x) + 0.1),
    "inverse": lambda np_, x: np_.linalg.inv(np_.tanh(x) @ np_.tanh(x).T + 3 * np.eye(3)),
    "solution": lambda np_, x: np_.linalg.solve(np_.tanh(x) @ np_.tanh(x).T + 3 * np.eye(3), x),
    "determinant": lambda np_, x: x * np_.linalg.det(np_.tanh(x) / 3 + np.eye(3)),
}
_BINARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda np_, x, y: x + y,
    "multiply": lambda np_, x, y: x * y,
    "divide": lambda np_, x, y: x / (y**2 + 1),
    "matmul": lambda np_, x, y: np_.tanh(x @ y),
    "broadcast": lambda np_, x, y: x[:, :1] * y[1],
    "hypot": lambda np_, x, y: np_.sqrt(x**2 + y**2 + 0.2),
    "logaddexp": lambda np_, x, y: np_.logaddexp(x, y),
    "arctan2": lambda np_, x, y: np_.arctan2(x, y**2 + 0.5),
    "einsum": lambda np_, x, y: np_.tanh(np_.einsum("ij,ik->kj", x, y)),
    "where": lambda np_, x, y: np_.where(np.eye(3) > 0, x, y * 2),
}


@st.composite
def _programs(draw: Any) -> list[tuple[str, int, int]]:
    """Return steps: the name of an operation, and which values it takes."""
    length = draw(st.integers(1, 7))
    names = st.sampled_from(sorted(_UNARY) + sorted(_BINARY))
    return [
        (draw(names), draw(st.integers(0, 1 + k)), draw(st.integers(0, 1 + k)))
        for k in range(length)
    ]


def _run(program: list[tuple[str, int, int]], np_: Any, x: Any, y: Any) -> Any:
    arrays = [x, y]
    for name, first, second in program:
        if name in _UNARY:
            arrays.append(_UNARY[name](np_, arrays[first]))
        else:
            arrays.append(_BINARY[name](np_, arrays[first], arrays[second]))
    # Every value counts, so that none of the steps is in vain.
    return functools.reduce(lambda total, value: total + np_.sum(np_.tanh(value)), arrays[2:], 0.0)


def _points(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (3, 3)), rng.uniform(-1, 1, (3, 3))


@settings(max_examples=40, deadline=None)
@given(_programs(), st.integers(0, 2**16))
def test_random_programs_against_differences(
    program: list[tuple[str, int, int]], seed: int
) -> None:
    x, y = _points(seed)
    check_derivatives(lambda x, y: _run(program, la, x, y), x, y, rtol=1e-5, atol=1e-6)


@settings(max_examples=8, deadline=None)
@given(_programs(), st.integers(0, 2**16))
def test_random_programs_compiled_and_checkpointed(
    program: list[tuple[str, int, int]], seed: int
) -> None:
    x, y = _points(seed)

    def fun(x: Any, y: Any) -> Any:
        return _run(program, la, x, y)

    expected = values(la.grad(fun, argnums=(0, 1))(x, y))
    compiled = la.evaluate(*la.grad(fun, argnums=(0, 1))(x, y))
    jitted = la.jit(la.grad(la.checkpoint(fun), argnums=(0, 1)))(x, y)
    for ours, theirs, again in zip(compiled, expected, jitted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(again, theirs, rtol=1e-9, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(_programs(), st.integers(0, 2**16))
def test_random_programs_against_jax(program: list[tuple[str, int, int]], seed: int) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    x, y = _points(seed)
    theirs = jax.grad(lambda x, y: _run(program, jax.numpy, x, y), argnums=(0, 1))(x, y)
    ours = values(la.grad(lambda x, y: _run(program, la, x, y), argnums=(0, 1))(x, y))
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-10)
