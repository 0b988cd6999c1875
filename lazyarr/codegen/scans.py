"""Scans on every target: their terms, initial values and steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.reducers import components_of, finish, reducer_of, step_state
from lazyarr.core.dtypes import is_narrow
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.kernel import Operand
from lazyarr.loop_ir.primitives import register_dtype

__all__ = [
    "after_element",
    "axis_of_scan",
    "epilogue_of",
    "initial",
    "result_at",
    "scans_of",
    "state_dtype",
]

DType = np.dtype[Any]


def scans_of(low: Lowering | GroupTerms) -> list[int]:
    """Return the terms that are scans: one, or the two parts of one of complex numbers."""
    return [
        k for k, term in enumerate(low.terms) if term.node.op.kind is Kind.SCAN and not term.loaded
    ]


def epilogue_of(low: Lowering | GroupTerms) -> list[int]:
    """Return the terms that are computed of each element of scans, operands before users."""
    scans = scans_of(low)
    stored = low.needed((k for k, _ in low.stores), scans)
    return [k for k in stored if k not in scans]


def axis_of_scan(low: Lowering | GroupTerms) -> int:
    """Return the axis along which a group's scan runs."""
    axis = low.terms[scans_of(low)[0]].node.attr
    assert isinstance(axis, int)
    return axis


def state_dtype(low: Lowering, k: int) -> DType:
    """Return the dtype in which a processor accumulates: that of the result, as NumPy's loops do.

    What more than one primitive accumulates has a state of its own.

    Parameters
    ----------
    low : Lowering
        Of the kernel.
    k : int
        The scan: the number of its term.
    """
    term = low.terms[k]
    return register_dtype(term.dtype) if reducer_of(term).is_fold else components_of(term)[0].dtype


def initial(low: Lowering, k: int) -> Operand:
    """Return the running value before the first element.

    Parameters
    ----------
    low : Lowering
        Of the kernel.
    k : int
        The scan: the number of its term.
    """
    dtype = state_dtype(low, k)
    (number,) = reducer_of(low.terms[k]).identity((dtype,))
    return low.builder.literal(number, dtype)


def after_element(low: Lowering, k: int, state: Operand, value: Operand) -> Operand:
    """Write the running value with one more element, rounded as the dtype of the result is.

    Parameters
    ----------
    low : Lowering
        Of the kernel.
    k : int
        The scan: the number of its term.
    state : Operand
        The running value, of :func:`state_dtype`.
    value : Operand
        The element.
    """
    b = low.builder
    (new,) = step_state(b, low.terms[k], [state], value, value)
    dtype = low.terms[k].dtype
    return b.round_to(new, dtype) if is_narrow(dtype) and new.dtype == np.float32 else new


def result_at(low: Lowering, k: int, state: Operand) -> Operand:
    """Write the element of the result that a running value amounts to.

    Parameters
    ----------
    low : Lowering
        Of the kernel.
    k : int
        The scan: the number of its term.
    state : Operand
        The running value, of :func:`state_dtype`.
    """
    term = low.terms[k]
    if reducer_of(term).is_fold:
        return state
    return finish(low.builder, term, reducer_of(term).finish(low.builder, [state]))
