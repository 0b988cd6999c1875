"""Rows of the elementwise table that are no ufunc: casts, choice, and parts of complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.ir import Node
from lazyarr.ops.table import Array, DType, Operand, Resolved, elementwise

__all__ = ["ROWS"]

BOOL = np.dtype(np.bool_)


def _cast(node: Node, *arrays: Array) -> Array:
    return np.asarray(arrays[0].astype(node.dtype))


def _cast_rule(operands: tuple[Operand, ...]) -> Resolved:
    raise TypeError("the target of a cast is its node's dtype")


def _where(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.where(*arrays))


def _where_rule(operands: tuple[Operand, ...]) -> Resolved:
    """Cast the condition to bool and the other two to their common dtype."""
    _, *choices = operands
    strong = [choice for choice in choices if isinstance(choice, np.dtype)]
    # A Python scalar of each weak type promotes just as its type does.
    result: DType = np.result_type(*strong, *(c(0) for c in choices if isinstance(c, type)))
    return (BOOL, result, result), result


def _real(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.real(arrays[0]))


def _imag(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.imag(arrays[0]))


def _angle(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.angle(arrays[0]))


def _strong(operand: Operand) -> DType:
    return operand if isinstance(operand, np.dtype) else np.dtype(operand)


def _part_rule(operands: tuple[Operand, ...]) -> Resolved:
    """Give the dtype of the components."""
    (loop,) = map(_strong, operands)
    result: np.dtype[Any] = np.zeros((), loop).real.dtype
    return (loop,), result


def _angle_rule(operands: tuple[Operand, ...]) -> Resolved:
    """Give arctan2's dtype for the components."""
    (loop,) = map(_strong, operands)
    if loop.kind != "c":
        # NumPy takes arctan2(0, x) with a weak zero.
        loop = np.arctan2.resolve_dtypes((int, loop, None))[2]
    return _part_rule((loop,))


ROWS = (
    elementwise("cast", evaluate=_cast, rule=_cast_rule),
    elementwise("where", evaluate=_where, rule=_where_rule),
    elementwise("real", evaluate=_real, rule=_part_rule),
    elementwise("imag", evaluate=_imag, rule=_part_rule),
    elementwise("angle", evaluate=_angle, rule=_angle_rule, cost=20),
)
