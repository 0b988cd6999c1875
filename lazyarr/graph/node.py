"""The expression DAG: nodes, operations and the one walker. No op is named here."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from lazyarr.core.source_location import Origin
from lazyarr.graph.elements import Loop, Node, Op, leaves_of, walk
from lazyarr.graph.interning import (
    count_nodes,
    count_nodes_soon,
    forget_node,
    live_nodes,
    look_at_nodes,
    node,
    set_memo,
    set_origin,
    set_stored,
    unique_node,
)
from lazyarr.graph.kind import Kind, WarningText, part_dtype
from lazyarr.graph.leaf import ComputedLeaf, Early, Leaf

__all__ = [
    "ComputedLeaf",
    "Early",
    "Kind",
    "Leaf",
    "Loop",
    "Node",
    "Op",
    "WarningText",
    "count_nodes",
    "count_nodes_soon",
    "forget_node",
    "fresh_leaf",
    "is_of_constants",
    "leaves_of",
    "live_nodes",
    "look_at_nodes",
    "node",
    "part_dtype",
    "replace_sources",
    "set_memo",
    "set_origin",
    "set_stored",
    "unique_node",
    "walk",
]


def fresh_leaf(
    op: Op, dtype: np.dtype[Any], shape: tuple[int, ...], attr: Hashable, origin: Origin | None
) -> Node:
    """Return a node without operands that no other equals: for memory that nothing else names yet.

    It is not entered into the interning table.

    Parameters
    ----------
    op : Op
        The operation, of kind LEAF.
    dtype : numpy.dtype
        Of the elements.
    shape : tuple of int
        Of the array.
    attr : hashable
        The :class:`Leaf`.
    origin : tuple of (str, int) or None
        File and line of the user.
    """
    return unique_node(op, (), dtype, shape, attr, origin)


def replace_sources(old: Node, src: tuple[Node, ...]) -> Node:
    """Return `old` with other operands of the same shapes and dtypes.

    Parameters
    ----------
    old : Node
        The node.
    src : tuple of Node
        Its new operands, as many as it has.

    Returns
    -------
    Node
        `old` itself if the operands are the same.
    """
    if all(a is b for a, b in zip(old.src, src, strict=True)):
        return old
    return node(old.op, src, old.dtype, old.shape, old.attr, old.origin)


def is_of_constants(value: Node) -> bool:
    """Return whether a value is made of constants alone.

    Then plans refer to the very node, which must not get a stored value: that would be memory
    inside of a plan.
    """
    return not any(leaf.op.kind in (Kind.LEAF, Kind.GENERATE) for leaf in leaves_of(value))
