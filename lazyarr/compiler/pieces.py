"""Long expressions in pieces: a loop that never asks for a value is planned a few turns at a time.

The nodes of a long expression are cut where the user's program was at the same line, so that the
pieces of a loop have one form and share one plan. A piece computes what later ones read; these are
built anew with leaves of those values, and the expression itself stays as it is. Each node is in
one piece, and nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from lazyarr.core import tuning
from lazyarr.core.source_location import Origin
from lazyarr.graph.node import Early, Kind, Node, replace_sources
from lazyarr.passes.canonicalize import bound_node

__all__ = ["PIECE", "last_piece"]

#: Where values come from that the next pieces begin with.
PIECE = Early("a long expression", "it is planned in pieces")


def last_piece(
    roots: Sequence[Node],
    order: Sequence[Node],
    compute: Callable[[tuple[Node, ...]], Sequence[Node]],
) -> tuple[Node, ...]:
    """Compute all pieces but the last; return that: the results, made of leaves of the others.

    Parameters
    ----------
    roots : sequence of Node
        The results.
    order : sequence of Node
        All that they are made of, operands first, as
        :func:`~lazyarr.passes.canonicalize.bind` returns it without windows.
    compute : callable
        Returns leaves of the values of some nodes.
    """
    bound = set(order)
    last_use: dict[Node, int] = {}
    for position, value in enumerate(order):
        for source in value.src:
            last_use[bound_node(source, bound)] = position
    ends = [bound_node(root, bound) for root in roots]
    last_use.update(dict.fromkeys(ends, len(order)))
    present: dict[Node, Node] = {}

    def build(values: Sequence[Node]) -> None:
        for value in values:
            sources = tuple([present[bound_node(source, bound)] for source in value.src])
            present[value] = replace_sources(value, sources)

    start = 0
    for stop in _cuts(order):
        piece = order[start:stop]
        build(piece)
        crossing = [value for value in piece if last_use.get(value, -1) >= stop]
        bases = [
            base
            for base in dict.fromkeys([_base(value, bound) for value in crossing])
            if present[base].src
        ]
        if bases:
            leaves = compute(tuple([present[base] for base in bases]))
            present.update(zip(bases, leaves, strict=True))
            build([value for value in piece if value.op.kind in _MOVES])
        start = stop
    build(order[start:])
    return tuple([present[end] for end in ends])


def _cuts(order: Sequence[Node]) -> Iterator[int]:
    """Yield the ends of pieces: behind nodes of one line, if that comes again soon enough."""
    least = tuning.row().piece_nodes
    line: Origin | None = None
    start = 0
    for position, value in enumerate(order, 1):
        length = position - start
        if len(order) - position < least:
            return
        if length >= 2 * least or (length >= least and value.origin == line is not None):
            line, start = value.origin, position
            yield position


#: What shows a value's elements in another arrangement: it costs nothing to make again.
_MOVES = (Kind.VIEW, Kind.RESHAPE)


def _base(value: Node, bound: Container[Node]) -> Node:
    """Return the value whose elements are shown."""
    while value.op.kind in _MOVES:
        value = bound_node(value.src[0], bound)
    return value
