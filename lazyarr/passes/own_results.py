"""Results that have memory of their own: views of other memory become copies."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.graph.node import Kind, Node, node, replace_sources
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["own_results"]


def own_results(roots: Sequence[Node]) -> tuple[Node, ...]:
    """Return the roots; those that only view arrays, constants or other results become copies."""
    owned: list[Node] = []
    owners: set[Node] = set()
    for root in roots:
        base = _owner(root)
        if base.op.kind in (Kind.PARAMETER, Kind.CONSTANT):
            root = _copied(root)
            base = _owner(root)
        # A view of part of a result gets memory of its own anyway.
        while base in owners and base.size == root.size:
            root = _copied(root)
            base = _owner(root)
        owners.add(base)
        owned.append(root)
    return tuple(owned)


def _owner(root: Node) -> Node:
    """Return the value whose elements `root` shows in another arrangement."""
    while root.op.kind in (Kind.VIEW, Kind.RESHAPE):
        root = root.src[0]
    return root


def _copied(root: Node) -> Node:
    """Return a copy of `root` before its reshape, whose operand is stored anyway."""
    reshapes: list[Node] = []
    while root.op.kind is Kind.RESHAPE:
        reshapes.append(root)
        root = root.src[0]
    copy = node(ELEMENTWISE["cast"], (root,), root.dtype, root.shape, None, root.origin)
    for step in reversed(reshapes):
        copy = replace_sources(step, (copy,))
    return copy
