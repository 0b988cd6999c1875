"""Gradients of weights that multiply many arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph.kind import Kind
from lazyarr.graph.node import Node, walk

STEPS, ROWS, WIDE = 5, 3, 7


def recurrence(w: Any, u: Any, x: Any) -> Any:
    h = la.zeros((ROWS, WIDE), w.dtype)
    for k in range(STEPS):
        h = la.tanh(x[k] @ w + h @ u)
    return (h * h).sum()


def arguments(dtype: str = "f8") -> list[np.ndarray]:
    random = np.random.default_rng(0)
    shapes = [(4, WIDE), (WIDE, WIDE), (STEPS, ROWS, 4)]
    return [random.normal(size=shape).astype(dtype) for shape in shapes]


def gradient_nodes(function: Callable[..., Any], *arrays: np.ndarray) -> list[Node]:
    with la.config(immediate=0):
        lazy = [la.asarray(x) for x in arrays]
        slopes = la.grad(function, argnums=tuple(range(len(arrays))))(*lazy)
        return list(walk([slope._node for slope in slopes]))


@pytest.mark.parametrize("position", range(3))
def test_gradients_of_a_recurrence_are_its_differences(position: int) -> None:
    arrays = arguments()
    got = np.asarray(la.grad(recurrence, argnums=position)(*map(la.asarray, arrays)))
    step = 1e-6
    for index in np.ndindex(arrays[position].shape):
        sides = []
        for shift in (step, -step):
            moved = [x.copy() for x in arrays]
            moved[position][index] += shift
            sides.append(float(recurrence(*map(la.asarray, moved))))
        assert got[index] == pytest.approx((sides[0] - sides[1]) / 2 / step, rel=1e-6, abs=1e-8)


def test_hessians_pass_through_joined_products() -> None:
    w, u, x = arguments()

    def energy(w: Any) -> Any:
        return recurrence(w.reshape(w_shape), la.asarray(u), la.asarray(x))

    w_shape, flat = w.shape, w.reshape(-1)
    got = np.asarray(la.hessian(energy)(la.asarray(flat)))
    slope, step = la.grad(energy), 1e-5
    for k in range(0, flat.size, 5):
        e = np.zeros_like(flat)
        e[k] = step
        above, below = (np.asarray(slope(la.asarray(flat + s * e))) for s in (1, -1))
        np.testing.assert_allclose(got[k], (above - below) / 2 / step, rtol=1e-5, atol=1e-7)


def test_one_product_for_a_weight_that_is_used_often() -> None:
    """Of the factors those that are slices of an array, one behind the other, are not copied."""
    arrays = [np.ones((16, 32)), np.ones((32, 32)), np.ones((STEPS, ROWS, 16))]

    def value(w: Any, u: Any, x: Any) -> Any:
        h = la.tanh(x[0] @ w)
        for k in range(1, STEPS):
            h = la.tanh(x[k] @ w + h @ u)
        return (h * h).sum()

    nodes = gradient_nodes(value, *arrays)
    products = [node.shape for node in nodes if node.op.name == "matmul"]
    assert products.count((16, 32)) == products.count((32, 32)) == 1
    joined = [node.shape for node in nodes if node.op.kind is Kind.CONCATENATE]
    rows = STEPS * ROWS
    # Cotangents of all steps, those of the steps that have a state before, and these states.
    slopes = [(rows, 32), (rows - ROWS, 32), (rows - ROWS, 32)]
    assert sorted(joined) == sorted([*slopes, (STEPS, ROWS, 16)])


def test_weights_of_one_step_share_their_joined_cotangents() -> None:
    """In the order of the steps, so that the inputs are one array as they are."""
    arrays = [np.ones((16, 32)), np.ones((32, 32)), np.ones(32), np.ones((STEPS, ROWS, 16))]
    with la.config(immediate=0):
        w, u, b, x = map(la.asarray, arrays)

        def value(w: Any, u: Any) -> Any:
            h = la.ones((ROWS, 32))
            for k in range(STEPS):
                h = la.tanh(x[k] @ w + b + h @ u)
            return (h * h).sum()

        slopes = la.grad(value, argnums=(0, 1))(w, u)
        nodes = list(walk([slope._node for slope in slopes]))
    joined = [node.shape for node in nodes if node.op.kind is Kind.CONCATENATE]
    # The cotangents, of which w and u have the same, and the states.
    assert joined == [(STEPS * ROWS, 32)] * 2


def test_products_with_more_rows_than_columns_are_added() -> None:
    """Joining their factors would take more memory than the sums."""

    def value(w: Any, x: Any) -> Any:
        return sum((la.sin(x[k] @ w).sum() for k in range(3)), la.zeros(()))

    nodes = gradient_nodes(value, np.ones((4, 5)), np.ones((3, 100, 4)))
    assert [node.shape for node in nodes if node.op.name == "matmul"].count((4, 5)) == 3


@pytest.mark.parametrize(
    ("first", "second"), [("f4", "f8"), ("f8", "f4"), ("f4", "f4"), ("c16", "f8")]
)
def test_dtypes_of_factors(first: str, second: str) -> None:
    random = np.random.default_rng(1)
    w, x = random.normal(size=(6, 5)).astype(first), random.normal(size=(4, 2, 6)).astype(second)

    def value(w: Any) -> Any:
        return sum((la.asarray(x)[k] @ w).real.sum() * (k + 1) for k in range(4))

    got = np.asarray(la.grad(value)(la.asarray(w)))
    assert got.dtype == w.dtype
    weights = np.arange(1, 5)[:, None]
    expected = np.repeat((x.sum(1) * weights).sum(0)[:, None], 5, 1)
    np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_slices_in_any_order_are_joined_in_it() -> None:
    random = np.random.default_rng(2)
    w, x = random.normal(size=(9, 8)), random.normal(size=(12, 9))
    rows = [slice(9, 12), slice(0, 3), slice(6, 9), slice(2, 5)]

    def value(w: Any) -> Any:
        lazy = la.asarray(x)
        return sum((la.sin(lazy[part] @ w) * k).sum() for k, part in enumerate(rows, 1))

    got = np.asarray(la.grad(value)(la.asarray(w)))
    expected = sum(x[part].T @ (np.cos(x[part] @ w) * k) for k, part in enumerate(rows, 1))
    np.testing.assert_allclose(got, expected, rtol=1e-12)
