"""Sorts along the last axis as calls that write where they are asked to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lazyarr.graph.node import Node, node, walk
from lazyarr.ops.library import Call, Slot, freeze, thaw
from lazyarr.ops.sorted_rows import SORTED_ROWS
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["sort_rows"]


def sort_rows(
    roots: Sequence[Node], has_kernel: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """``sort(x, axis=-1) -> sorted_rows(x)``, and the same of ``argsort``.

    Parameters
    ----------
    roots : sequence of Node
        The graph.
    has_kernel : callable
        Whether a kernel sorts what a node of the new kind does.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(roots))
    chosen = {value: row for value in order if (row := _row_of(value)) and has_kernel(row)}
    if not chosen:
        return tuple(roots)

    def rewritten(old: Node, moved: Node) -> Node:
        row = chosen[old]
        return node(row.op, moved.src, row.dtype, row.shape, row.attr, old.origin)

    return replace_nodes(roots, order, chosen, rewritten, final)


def _row_of(value: Node) -> Node | None:
    """Return a sort as one of rows; None if it is none."""
    call = value.attr
    if value.op.calls not in (np.sort, np.argsort) or not isinstance(call, Call):
        return None
    options = {key: thaw(item, ()) for key, item in call.keywords}
    if set(options) != {"axis", "kind", "stable"} or options["axis"] != value.ndim - 1:
        return None
    arguments = value.op.calls is np.argsort, options["kind"], options["stable"]
    frozen = tuple([freeze(argument, lambda _: None) for argument in arguments])
    row = Call((Slot(0), *frozen), ())
    return node(SORTED_ROWS, value.src, value.dtype, value.shape, row, value.origin)
