"""The place of an element that a gather reads: part of its index is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Bounds
from lazyarr.codegen.loop_nest import Access, LoopPosition
from lazyarr.codegen.parameters import KernelParameters
from lazyarr.codegen.status_checks import RuntimeChecks
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Index, Literal, Operand, Pointer, Value
from lazyarr.ops.gather import Gathered
from lazyarr.schedule.index_terms import Term

__all__ = [
    "IndexedKernel",
    "gathered_index",
    "is_search",
    "searched_position",
    "wrapped_position",
]


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

    def integer(self, value: int) -> Literal:
        """Return an integer of the source text."""

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

    @property
    def builder(self) -> Builder:
        """The writer of its code."""

    @property
    def position(self) -> LoopPosition:
        """The loops that are open."""


def wrapped_position(low: IndexedKernel, term: Term, axis: int, apart: int = 0) -> Value:
    """Write the position along an axis of the element that a rolled array has in its place.

    Parameters
    ----------
    low : IndexedKernel
        The kernel.
    term : Term
        The rolled array.
    axis : int
        Which it rolls.
    apart : int, optional
        Elements to go on from there, by less than the length in all.
    """
    assert isinstance(term.node.attr, Gathered)
    b, size = low.builder, term.node.shape[axis]
    places = term.node.attr.places[term.node.attr.axes.index(axis)]
    start = term.view.offsets[axis]
    total: Value | None = None
    for factor, axes, counter in low.position.moving(term.view.coefficients[axis]):
        if isinstance(counter, Literal):
            start += factor * int(counter.value)
            continue
        step: Value = counter
        if factor != 1:
            step = b.call("multiply", counter, low.number(("turn", id(term), axes), factor, "d"))
        total = step if total is None else b.call("add", total, step)
    if total is None:
        return low.number(("place", id(term), axis, apart), (start - places + apart) % size, "n")
    if (apart - places) % size == 0:
        return b.call("add", total, low.number(("start", id(term), axis), start, "a"))
    # Where that is in front of the first element, it is as far from the end.
    shift = start + (apart - places) % size - size
    moved = b.call("add", total, low.number(("shift", id(term), axis, apart), shift, "a"))
    length = low.number(("length", id(term), axis), size, "n")
    in_front = b.call("less", moved, low.integer(0))
    return b.call("select", in_front, b.call("add", moved, length), moved)


def gathered_index(
    low: IndexedKernel, term: Term, apart: Mapping[int, int] = MappingProxyType({})
) -> Index:
    """Write the index of the element that a gather reads, and the checks of its bounds.

    Parameters
    ----------
    low : IndexedKernel
        The kernel.
    term : Term
        The gather; its indices have values.
    apart : mapping of int to int, optional
        Elements to go on from there along axes of a rolled array.
    """
    assert term.base is not None and isinstance(term.node.attr, Gathered)
    place = low.analysis.accesses[term.base]
    source = low.terms[term.base].node
    steps = low.analysis.layout_strides[term.base]
    start = low.index(place)
    terms = list(start.terms)
    for n, axis in enumerate(term.node.attr.axes):
        if term.node.attr.places:
            where = wrapped_position(low, term, axis, apart.get(axis, 0))
        else:
            bounds = Bounds(term.node, axis)
            where = low.checks.within(bounds, source.shape[axis], low.value(term.args[n]))
        stride = steps[axis] * place.unit
        factor: int | Value = stride
        if stride != place.unit:
            key = ("stride", low.parameters.memory(place.owner), source, axis)
            factor = low.number(key, stride, "d")
        if stride:
            terms.append((factor, where))
    return Index(start.constant, tuple(terms))


def is_search(term: Term) -> bool:
    """Return whether a gather is a search, whose elements are positions.

    Parameters
    ----------
    term : Term
        Any.
    """
    return isinstance(term.node.attr, Gathered) and bool(term.node.attr.side)


def searched_position(low: IndexedKernel, term: Term, pointer: Pointer) -> Value:
    """Write the search for the position of a value in a sorted vector.

    Parameters
    ----------
    low : IndexedKernel
        The kernel.
    term : Term
        The search; its value is written.
    pointer : Pointer
        The memory that has the vector.
    """
    assert term.base is not None and isinstance(term.node.attr, Gathered)
    (step,) = low.analysis.layout_strides[term.base]
    (length,) = low.terms[term.base].node.shape
    by: Operand = low.integer(1) if step == 1 else low.number(("step", id(term)), step, "d")
    size = low.number(("length", id(term)), length, "n")
    operands = (by, size, low.value(term.args[0]))
    return low.builder.position_in(pointer, operands, term.node.attr.side)
