"""What scans are on every target: their terms, first values and steps."""

from __future__ import annotations

import numpy as np

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.reducers import components_of
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.kernel import Operand, Value
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["axis_of_scan", "combined", "initial", "primitive_of", "scans_of"]


def scans_of(low: Lowering) -> list[int]:
    """Return the terms that are scans: one, or the two parts of one of complex numbers."""
    return [
        k for k, term in enumerate(low.terms) if term.node.op.kind is Kind.SCAN and not term.loaded
    ]


def axis_of_scan(low: Lowering) -> int:
    """Return the axis along which a group's scan runs."""
    axis = low.terms[scans_of(low)[0]].node.attr
    assert isinstance(axis, int)
    return axis


def initial(low: Lowering, k: int) -> Operand:
    """Return what leaves the first element as it is: of sums of floats the negative zero."""
    term = low.terms[k]
    dtype = register_dtype(term.dtype)
    first = components_of(term)[0].initial
    if term.node.op.combine == "add" and dtype.kind == "f":
        first = -0.0
    return low.builder.literal(first, dtype)


def primitive_of(low: Lowering, k: int) -> str:
    """Return the primitive that takes in one more element."""
    term = low.terms[k]
    combine = str(term.node.op.combine)
    if term.dtype.kind == "b":
        return {"minimum": "and", "maximum": "or"}[combine]
    return combine


def combined(low: Lowering, k: int, held: Operand, value: Operand) -> Value:
    """Write the running value with one more element, rounded to the dtype of the result."""
    b = low.builder
    new = b.call(primitive_of(low, k), held, value)
    return b.call("round_half", new) if low.terms[k].dtype == np.float16 else new
