"""Operands of library steps that lie in memory: numbers are stored where a library reads arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.execution.arguments import is_leaf
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["store_numbers"]

_CAST = ELEMENTWISE["cast"]


def store_numbers(
    roots: Sequence[Node], takes_memory: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots with a kernel that stores each number that a library reads as an array.

    A step whose operands all lie in memory can be queued as part of a graph.

    Parameters
    ----------
    roots : sequence of Node
        In operations that the device has.
    takes_memory : callable
        Whether a library of the device computes a node.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    chosen = {
        value
        for value in order
        if value.op.kind is Kind.LIBRARY
        and any(_is_number(source) for source in value.src)
        and takes_memory(value)
    }
    if not chosen:
        return tuple(roots)
    replaced: dict[Node, Node] = {}
    for value in order:
        sources = [replaced[source] for source in value.src]
        if value in chosen:
            pairs = zip(value.src, sources, strict=True)
            sources = [_stored(new) if _is_number(old) else new for old, new in pairs]
        replaced[value] = replace_sources(value, tuple(sources))
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    return tuple(replaced[root] for root in roots)


def _is_number(value: Node) -> bool:
    """Whether a value is one number, however large the array that it fills."""
    while value.op.kind is Kind.VIEW:
        (value,) = value.src
    parameter = value.op.kind is Kind.PARAMETER and not is_leaf(value)
    return parameter or value.op.kind is Kind.CONSTANT


def _stored(value: Node) -> Node:
    """Return the number in memory, once, however large the array that it fills."""
    if value.op.kind is Kind.VIEW:
        return replace_sources(value, (_stored(value.src[0]),))
    return node(_CAST, (value,), value.dtype, value.shape, None, value.origin)
