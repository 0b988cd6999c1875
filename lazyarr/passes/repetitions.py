"""Elementwise operations on repeated elements, computed before the repetitions become one axis.

What `repeat` and `tile` return has no strides: an axis of the array and one of the repetitions
become one, which takes memory of its own. Elementwise operations on it are applied before that
instead: ``reshape(f(x[:, None], y.reshape(n, count)))`` in the place of
``f(reshape(x[:, None]), y)``. What takes memory then is their result, whose axes become one without
a copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.core.repeated_axes import repeats
from lazyarr.core.shapes import Shape, View, broadcast_view, compose, reshape_view
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.movement import VIEW
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["compute_before_merging"]


def compute_before_merging(roots: Sequence[Node], final: dict[Node, Node]) -> tuple[Node, ...]:
    """Return the roots with operations on repeated elements before the axes become one.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    repeated = {x for x in order if x.op.kind is Kind.RESHAPE and _repeats(x.src[0])}
    if not repeated:
        return tuple(roots)
    chosen: set[Node] = set()
    for value in order:
        if value.op.kind is Kind.ELEMENTWISE and value.op.loop is None and value.size:
            if any(source in repeated or source in chosen for source in value.src):
                chosen.add(value)
    if not chosen:
        return tuple(roots)
    merged: set[Node] = set()

    def rewritten(_: Node, moved: Node) -> Node:
        before = _before_merging(moved, merged)
        if before is None:
            return moved
        merged.add(before)
        return before

    return replace_nodes(roots, order, chosen, rewritten, final)


def _repeats(value: Node) -> bool:
    """Whether a value is a view that has some elements several times."""
    if value.op is not VIEW:
        return False
    assert isinstance(value.attr, View)
    return repeats(value.attr, value.shape)


def _before_merging(value: Node, merged: set[Node]) -> Node | None:
    """Return an operation before the axes of an operand become one; None if others do not fit."""
    wide = next(
        (
            source
            for source in value.src
            if source.op.kind is Kind.RESHAPE
            and source.shape == value.shape
            and (source in merged or _repeats(source.src[0]))
        ),
        None,
    )
    if wide is None:
        return None
    shape = wide.src[0].shape
    sources = []
    for source in value.src:
        divided = _divided(source, shape, value.shape)
        if divided is None:
            return None
        sources.append(divided)
    before = node(value.op, tuple(sources), value.dtype, shape, value.attr, value.origin)
    return node(wide.op, (before,), value.dtype, value.shape, None, value.origin)


def _divided(value: Node, shape: Shape, whole: Shape) -> Node | None:
    """Return an operand in the shape that axes have before they become one; None without one."""
    if not value.shape:
        return value
    if value.op.kind is Kind.RESHAPE and value.shape == whole and value.src[0].shape == shape:
        return value.src[0]
    view = reshape_view(whole, shape)
    if view is None:
        return None
    if value.shape != whole:
        view = compose(broadcast_view(value.shape, whole), view, len(shape))
    return node(VIEW, (value,), value.dtype, shape, view, value.origin)
