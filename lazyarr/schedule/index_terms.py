"""Index terms: nodes under index maps, as a kernel computes them at one point of its loops.

A kernel iterates over a *domain*. A *term* is the value of one node at one affine map from the
domain's indices; views vanish here, because their maps compose. Two uses of a node through equal
maps are one term and are computed once; through different maps (a stencil) they are two. A complex
value is two terms, its parts, so that all that is computed is real.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from lazyarr.core import tuning
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import (
    Shape,
    View,
    compose,
    contiguous_strides,
    identity_view,
    view_strides,
)
from lazyarr.graph.node import Kind, Node, part_dtype
from lazyarr.ops.gather import Gathered

__all__ = [
    "SCALAR",
    "KernelTerms",
    "Term",
    "domain_view",
    "is_of_last_pass",
    "levels",
    "operands_of",
    "outer_view",
    "parts_of",
    "position_of",
    "settle",
    "sink_view",
    "trace",
    "wrapped_steps",
]

SCALAR = View((), ())
#: Maps that are remembered, by what they were composed of: plans of one program ask for few. A
#: symbolic length is the key of itself alone, so that its guards are recorded for each plan.
_remembered = lru_cache(tuning.row().maps)

_Place = tuple[Node, View, int]


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """One node at one map.

    Attributes
    ----------
    node : Node
        What is computed or loaded.
    view : View
        From the domain's indices to the node's.
    args : tuple of int
        Positions of its operands in the trace; empty for what is loaded or constant.
    loaded : bool
        Whether the value is read from memory that exists before the kernel starts.
    part : int
        Of a complex node, which part this is: 0 the real one, 1 the imaginary one.
    base : int, optional
        Of a gather, the position of what it gathers from: a loaded term, whose map stays at 0
        along the axes that the operands index.
    """

    node: Node
    view: View
    args: tuple[int, ...]
    loaded: bool
    part: int = 0
    base: int | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the term: that of the node, or of its parts."""
        return part_dtype(self.node.dtype)

    @property
    def source_dtype(self) -> np.dtype[Any]:
        """Of the first operand of the node, or of its parts."""
        return part_dtype(self.node.src[0].dtype)


@dataclass(frozen=True, eq=False, slots=True)
class KernelTerms:
    """The terms of a kernel, operands before users, and where each requested sink's parts are."""

    terms: tuple[Term, ...]
    sinks: tuple[tuple[int, ...], ...]


def parts_of(node: Node) -> tuple[int, ...]:
    """Return the parts of a node's value."""
    return (0, 1) if kind_of(node.dtype) == "c" else (0,)


@_remembered
def domain_view(domain: Shape) -> View:
    """Return the identity map of a domain, with the maps of length-one axes dropped."""
    return _drop_unit_axes(identity_view(len(domain)), domain)


@_remembered
def outer_view(domain: Shape, reduced: tuple[int, ...]) -> View:
    """Return the map from a domain to the result of reducing some of its axes.

    Parameters
    ----------
    domain : tuple of int
        Sizes of the iteration space.
    reduced : tuple of int
        Its axes that are reduced.
    """
    dropped = set(reduced)
    full = domain_view(domain)
    rows = tuple(row for axis, row in enumerate(full.coefficients) if axis not in dropped)
    return View((0,) * len(rows), rows)


def sink_view(node: Node, domain: Shape, reduced: tuple[int, ...]) -> View:
    """Return the map from a domain to a value that a kernel over it produces.

    Parameters
    ----------
    node : Node
        The value.
    domain : tuple of int
        Sizes of the iteration space.
    reduced : tuple of int
        Its axes that are reduced.
    """
    if not node.shape:
        return SCALAR
    if node.op.kind is Kind.REDUCE or node.shape != domain:
        return outer_view(domain, reduced)
    return domain_view(domain)


@_remembered
def _drop_unit_axes(view: View, domain: Shape) -> View:
    if 1 not in domain:
        return view
    rows = tuple(
        tuple(0 if size == 1 else c for c, size in zip(row, domain, strict=True))
        for row in view.coefficients
    )
    return View(view.offsets, rows)


@_remembered
def _operand_view(view: View, shape: Shape, operand: Shape) -> View:
    """Return the map of an operand of `operand` shape that broadcasts to `shape`."""
    if not operand:
        return SCALAR
    pad = len(shape) - len(operand)
    zero = (0,) * len(view.coefficients[0])
    offsets = []
    rows = []
    for axis, size in enumerate(operand):
        if size == 1 and shape[pad + axis] != 1:
            offsets.append(0)
            rows.append(zero)
        else:
            offsets.append(view.offsets[pad + axis])
            rows.append(view.coefficients[pad + axis])
    return View(tuple(offsets), tuple(rows))


def settle(
    node: Node, view: View, domain: Shape, is_loaded: Callable[[Node], bool]
) -> tuple[Node, View]:
    """Return the value behind views, computed or loaded, and its map.

    Parameters
    ----------
    node : Node
        A value.
    view : View
        From the domain to it.
    domain : tuple of int
        Sizes of the iteration space.
    is_loaded : callable
        Whether a value lies in memory when the kernel starts.
    """
    while node.op.kind is Kind.VIEW and not is_loaded(node):
        assert isinstance(node.attr, View)
        view = _composed(node.attr, view, len(domain))
        node = node.src[0]
    return node, _drop_unit_axes(view, domain) if node.shape else SCALAR


_composed = _remembered(compose)


def position_of(term: Term, domain: Shape) -> tuple[int, tuple[int, ...]]:
    """Return the position of a term's element in C order: an offset, and steps by axis.

    Parameters
    ----------
    term : Term
        The term.
    domain : tuple of int
        Sizes of the iteration space.
    """
    return view_strides(term.view, contiguous_strides(term.node.shape), len(domain))


def wrapped_steps(term: Term) -> tuple[tuple[int, ...], ...]:
    """Return the steps of a rolled array's element by domain axis, for each axis that it rolls.

    Parameters
    ----------
    term : Term
        Any.
    """
    attr = term.node.attr
    if term.base is None or not isinstance(attr, Gathered) or not attr.places:
        return ()
    return tuple([term.view.coefficients[axis] for axis in attr.axes])


def operands_of(
    node: Node, view: View, domain: Shape, is_loaded: Callable[[Node], bool]
) -> tuple[tuple[Node, View], ...]:
    """Return the operands of a term that is computed, each at its map.

    Parameters
    ----------
    node : Node
        What is computed.
    view : View
        From the domain to it.
    domain : tuple of int
        Sizes of the iteration space.
    is_loaded : callable
        Whether a value lies in memory when the kernel starts.
    """
    src, shape, kind = node.src, node.shape, node.op.kind
    if kind is Kind.REDUCE and src:
        # The first operand spans the domain; others are reductions over the same axes.
        assert isinstance(node.attr, tuple)
        outer = outer_view(domain, node.attr)
        steps = [(src[0], domain_view(domain)), *[(source, outer) for source in src[1:]]]
        return tuple([settle(source, at, domain, is_loaded) for source, at in steps])
    operands = []
    # What is gathered from is no operand: elements of it are, which only the kernel knows.
    for source in src[1:] if kind is Kind.GATHER else src:
        at = view if source.shape == shape else _operand_view(view, shape, source.shape)
        # A map of an operand that is no view stays at 0 along axes of length one, as its user's.
        is_view = source.op.kind is Kind.VIEW
        operands.append(settle(source, at, domain, is_loaded) if is_view else (source, at))
    return tuple(operands)


def trace(
    sinks: Iterable[tuple[Node, View]], domain: Shape, is_loaded: Callable[[Node], bool]
) -> KernelTerms:
    """Return the terms that `sinks` need.

    Parameters
    ----------
    sinks : iterable of (Node, View)
        What the kernel produces, each at its map from the domain.
    domain : tuple of int
        Sizes of the iteration space.
    is_loaded : callable
        Whether a node's value already lies in memory when the kernel starts. A sink is computed
        even if it answers yes for it, unless it is no computation.
    """
    terms: list[Term] = []
    positions: dict[_Place, int] = {}
    places: list[list[_Place]] = []
    for sink, sink_view in sinks:
        settled, at = settle(sink, sink_view, domain, is_loaded)
        starts = [(settled, at, part) for part in parts_of(settled)]
        places.append(starts)
        # A place whose operands come first waits with these in a list.
        stack: list[_Place | list[Any]] = [*starts[::-1]]
        while stack:
            current = stack.pop()
            loaded = False
            if type(current) is list:
                place, operands = current
                node, view, part = place
            else:
                place = current
                if place in positions:
                    continue
                node, view, part = place
                loaded = is_loaded(node)
                operands = [] if loaded else _operand_parts(node, view, part, domain, is_loaded)
                if operands:
                    stack.append([place, operands])
                    stack += operands[::-1]
                    continue
            base = None
            if node.op.kind is Kind.GATHER and not loaded:
                base = len(terms)
                terms.append(Term(node.src[0], _base_view(node, view, domain), (), True, part))
            positions[place] = len(terms)
            args = tuple([positions[operand] for operand in operands]) if operands else ()
            terms.append(Term(node, view, args, loaded, part, base))
    sunk = tuple([tuple([positions[place] for place in starts]) for starts in places])
    return KernelTerms(tuple(terms), sunk)


def _base_view(node: Node, view: View, domain: Shape) -> View:
    """Return the map from the domain to the source of a gather."""
    assert isinstance(node.attr, Gathered)
    return _drop_unit_axes(compose(node.attr.view, view, len(domain)), domain)


def _operand_parts(
    node: Node, view: View, part: int, domain: Shape, is_loaded: Callable[[Node], bool]
) -> list[_Place]:
    """Return the operands of one part: reductions and scans take the same, an op takes all."""
    operands = operands_of(node, view, domain, is_loaded)
    if node.op.kind in (Kind.REDUCE, Kind.SCAN) and kind_of(node.dtype) == "c":
        return [(source, at, part) for source, at in operands]
    places: list[_Place] = []
    for source, at in operands:
        places.append((source, at, 0))
        if kind_of(source.dtype) == "c":
            places.append((source, at, 1))
    return places


def levels(traced: KernelTerms) -> tuple[int, ...]:
    """Return for each term the pass over a row in which it can first be computed.

    A reduction is finished after the pass that computes its operand, so it and all that depends
    on it are one level higher.
    """
    result: list[int] = []
    for term in traced.terms:
        level = max((result[k] for k in term.args), default=0)
        if term.node.op.kind is Kind.REDUCE and not term.loaded:
            level += 1
        result.append(level)
    return tuple(result)


def is_of_last_pass(traced: KernelTerms, position: int) -> bool:
    """Return whether a term is first computed in the last pass over a row.

    Parameters
    ----------
    traced : KernelTerms
        The terms of a kernel.
    position : int
        Of the term.
    """
    level = levels(traced)
    return level[position] == max(level)
