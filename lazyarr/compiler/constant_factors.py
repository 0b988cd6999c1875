"""Products with one number repeated, such as the zeros that a recurrent net begins with.

A library reads memory, in which a constant does not lie. A kernel stores a copy, so that the
product is a call like any other, and the plan one of calls alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY
from lazyarr.schedule.groups import is_constant

__all__ = ["store_constant_factors"]

_MATMUL = LIBRARY["matmul"]


def store_constant_factors(roots: Sequence[Node], final: dict[Node, Node]) -> tuple[Node, ...]:
    """Return the roots with copies in the place of constants that are factors of products.

    Parameters
    ----------
    roots : sequence of Node
        With the products that are left to the library.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    if not any(value.op is _MATMUL and any(map(_is_repeated, value.src)) for value in order):
        return tuple(roots)
    replaced: dict[Node, Node] = {}
    for value in order:
        sources = [replaced[source] for source in value.src]
        if value.op is _MATMUL:
            sources = [_copied(source) if _is_repeated(source) else source for source in sources]
        replaced[value] = replace_sources(value, tuple(sources))
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    return tuple(replaced[root] for root in roots)


def _is_repeated(value: Node) -> bool:
    """Return whether an array is one number, repeated."""
    base = value
    while base.op.kind is Kind.VIEW:
        base = base.src[0]
    return value.ndim > 0 and is_constant(base)


def _copied(value: Node) -> Node:
    return node(ELEMENTWISE["positive"], (value,), value.dtype, value.shape, None, value.origin)
