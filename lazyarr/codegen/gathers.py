"""The place of an element that a gather reads: part of its index is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Bounds
from lazyarr.codegen.loop_nest import Access
from lazyarr.codegen.parameters import KernelParameters
from lazyarr.codegen.status_checks import RuntimeChecks
from lazyarr.loop_ir.kernel import Index, Operand, Value
from lazyarr.ops.gather import Gathered
from lazyarr.schedule.index_terms import Term

__all__ = ["IndexedKernel", "gathered_index"]


class IndexedKernel(Protocol):
    """The code of one kernel while it is written, as gathers need it: indices and values."""

    @property
    def analysis(self) -> GroupTerms:
        """The terms of the group."""

    @property
    def checks(self) -> RuntimeChecks:
        """Its runtime checks."""

    @property
    def terms(self) -> Sequence[Term]:
        """The computation of each element, operands first."""

    @property
    def parameters(self) -> KernelParameters:
        """Its parameters."""

    def index(self, place: Access) -> Index:
        """Return the index of an access for the current loop counters."""

    def number(self, key: object, value: int, prefix: str) -> Value:
        """Return the parameter that passes an integer.

        Parameters
        ----------
        key : object
            What it stands for; the same key has the same parameter.
        value : int
            The number.
        prefix : str
            Of the parameter's name.
        """

    def value(self, k: int) -> Operand:
        """Return the value of a term that was written."""


def gathered_index(low: IndexedKernel, term: Term) -> Index:
    """Write the index of the element that a gather reads, and the checks of its bounds.

    Parameters
    ----------
    low : IndexedKernel
        The kernel.
    term : Term
        The gather; its indices have values.
    """
    assert term.base is not None and isinstance(term.node.attr, Gathered)
    place = low.analysis.accesses[term.base]
    source = low.terms[term.base].node
    steps = low.analysis.layout_strides[term.base]
    start = low.index(place)
    terms = list(start.terms)
    for axis, k in zip(term.node.attr.axes, term.args, strict=True):
        bounds = Bounds(term.node, axis)
        where = low.checks.within(bounds, source.shape[axis], low.value(k))
        stride = steps[axis] * place.unit
        factor: int | Value = stride
        if stride != place.unit:
            key = ("stride", low.parameters.memory(place.owner), source, axis)
            factor = low.number(key, stride, "d")
        if stride:
            terms.append((factor, where))
    return Index(start.constant, tuple(terms))
