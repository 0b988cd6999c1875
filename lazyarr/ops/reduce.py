"""Rows of the reductions. Sources have the loop dtype already; attr is the axes that go."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from lazyarr.graph.node import Kind, Node, Op

__all__ = ["REDUCE"]

Array = np.ndarray[Any, Any]


def axes_of(node: Node) -> tuple[int, ...]:
    """Return the reduced axes of a reduction node."""
    assert isinstance(node.attr, tuple)
    return node.attr


def _typed(ufunc: np.ufunc) -> Callable[..., Array]:
    def evaluate(node: Node, *arrays: Array) -> Array:
        return np.asarray(ufunc.reduce(arrays[0], axis=axes_of(node), dtype=node.dtype))

    return evaluate


def _plain(ufunc: np.ufunc) -> Callable[..., Array]:
    def evaluate(node: Node, *arrays: Array) -> Array:
        return np.asarray(ufunc.reduce(arrays[0], axis=axes_of(node)))

    return evaluate


def _position(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return the position in C order over the reduced axes, which are moved last and merged."""

    def evaluate(node: Node, *arrays: Array) -> Array:
        (array,) = arrays
        axes = axes_of(node)
        kept = [axis for axis in range(array.ndim) if axis not in axes]
        merged = array.transpose(*kept, *axes).reshape(
            *(array.shape[axis] for axis in kept), prod(array.shape[axis] for axis in axes)
        )
        return np.asarray(function(merged, axis=-1), dtype=node.dtype)

    return evaluate


def _sum_of_squared_deviations(node: Node, *arrays: Array) -> Array:
    """Return ``sum((x - total / n)**2)``, where `total` is the sum of x over the same axes."""
    array, total = arrays
    axes = axes_of(node)
    count = prod(array.shape[axis] for axis in axes)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.expand_dims(total, axes) / node.dtype.type(count)
    deviation = array - mean
    return np.asarray(np.add.reduce(deviation * deviation, axis=axes, dtype=node.dtype))


def _row(
    name: str,
    evaluate: Callable[..., Array],
    combine: str,
    ufunc: np.ufunc | None = None,
    identity: object = None,
    cost: int = 1,
    length: int = 8,
) -> Op:
    """Return one row; `length` is that of loops over elements, chunks and threads."""
    return Op(
        name,
        Kind.REDUCE,
        evaluate,
        ufunc,
        cost=cost,
        commutative=ufunc is not None,
        identity=identity,
        combine=combine,
        length=length,
    )


REDUCE: dict[str, Op] = {
    op.name: op
    for op in (
        _row("sum", _typed(np.add), "add", np.add, 0),
        _row("prod", _typed(np.multiply), "multiply", np.multiply, 1),
        _row("min", _plain(np.minimum), "minimum", np.minimum),
        _row("max", _plain(np.maximum), "maximum", np.maximum),
        _row("any", _plain(np.logical_or), "or", np.logical_or, False),
        _row("all", _plain(np.logical_and), "and", np.logical_and, True),
        _row("argmin", _position(np.argmin), "argminimum", length=18),
        _row("argmax", _position(np.argmax), "argmaximum", length=18),
        _row("sumsqdev", _sum_of_squared_deviations, "deviation", cost=3, length=18),
    )
}
"""Every reduction by its name."""
