"""What a backward loop reads of the forward loop, and what it adds up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph.node import walk
from lazyarr.ops.loop_records import record_of
from tests.support.derivatives import check_derivatives

_rng = np.random.default_rng(0)
_X = _rng.standard_normal((3, 2, 4)) / 2
_H = _rng.standard_normal((2, 4)) / 2
_W = _rng.standard_normal((4, 4)) / 2


def _rounds(body: Callable[..., Any], count: int = 3) -> Callable[..., Any]:
    return lambda h, w, x: la.fori_loop(count, lambda i, h: body(i, h, w, x), h)


#: Loops whose iterations have products, reductions and calls of libraries.
_LOOPS: dict[str, Callable[..., Any]] = {
    "cell": _rounds(lambda i, h, w, x: la.tanh(x[i] @ w + h @ w)),
    "weight on the left": _rounds(lambda i, h, w, x: la.tanh(w @ h.T).T + x[i]),
    "weight by itself": _rounds(lambda i, h, w, x: la.tanh(h @ w) @ w.T + w.sum(0)),
    "vectors": _rounds(lambda i, h, w, x: la.tanh(h[0] @ w) + h * la.tanh(w @ x[i, 1])),
    "rows of one": _rounds(lambda i, h, w, x: la.tanh(h[:, None] @ w)[:, 0] * x[i]),
    "reductions": _rounds(lambda i, h, w, x: la.sin(h - h.max(1, keepdims=True)) * (h @ w).sum()),
    "solution": _rounds(lambda i, h, w, x: la.linalg.solve(w + 4 * la.eye(4), h.T).T + x[i]),
    "several results": _rounds(lambda i, h, w, x: la.linalg.qr((h @ w).T + la.eye(4)[:, :2])[0].T),
    "loop inside": _rounds(
        lambda i, h, w, x: la.fori_loop(2, lambda j, h: la.tanh(h @ w) + x[j] * 0.1, h)
    ),
    "elementwise loop inside": _rounds(
        lambda i, h, w, x: la.fori_loop(2, lambda j, h: la.sin(h) * 0.9, h @ w)
    ),
    "checkpoint": _rounds(
        lambda i, h, w, x: la.checkpoint(lambda h, w: la.tanh(la.tanh(h @ w) @ w))(h, w) + x[i]
    ),
    "everything again": _rounds(
        lambda i, h, w, x: la.checkpoint(lambda h, w: la.tanh(h @ w) @ w, everything=True)(h, w)
    ),
}


@pytest.mark.parametrize("name", _LOOPS)
def test_derivatives(name: str) -> None:
    check_derivatives(_LOOPS[name], _H, _W, _X, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["cell", "vectors", "loop inside"])
def test_derivatives_of_gradients(name: str) -> None:
    def slope(h: Any, w: Any, x: Any) -> Any:
        return la.grad(lambda *a: (_LOOPS[name](*a) ** 2).sum(), argnums=(0, 1, 2))(h, w, x)

    check_derivatives(slope, _H, _W, _X, rtol=1e-5, atol=1e-6)


def _loss(h: Any, w: Any, x: Any) -> Any:
    def body(i: Any, state: Any) -> Any:
        h, total = state
        h = la.tanh(x[i] @ w + h @ w)
        return h, total + (h**2).sum()

    return la.fori_loop(len(x), body, (h, la.asarray(0.0)))[1]


def _products(gradient: Any) -> int:
    """Return the number of matrix products in an iteration of the backward loop."""
    loops = []
    for value in walk((gradient._node,)):
        record = record_of(value)
        if value.op.loop is not None:
            loops.append(value.op.loop.steps)
        elif record is not None and record.is_backward:
            loops.append(record.loop.steps)
    (steps,) = loops
    return sum(step.op.name == "matmul" for step in steps)


def test_iterations_add_no_products_of_few_rows() -> None:
    gradient = la.grad(_loss, argnums=1)
    w = np.eye(4)
    # The one product is that of the cotangents by the weight; with many rows two more are added.
    assert _products(gradient(np.zeros((2, 4)), w, np.zeros((3, 2, 4)))) == 1
    assert _products(gradient(np.zeros((9, 4)), w, np.zeros((3, 9, 4)))) == 3


def test_products_of_the_forward_loop_are_not_computed_again() -> None:
    assert _products(la.grad(_loss)(_H, _W, _X)) == 1
