"""Reductions over the axis of a stack, as operations between the arrays that are stacked.

``stack([x, y, z]).max(0)`` is ``maximum(maximum(x, y), z)``: nothing is stacked. The derivative of
a maximum counts the elements that are equal to it, which are additions of ones and zeros, and what
it gives each of the arrays is computed for that one alone. Sums and products of floats are taken so
where the target combines few elements one after the other, in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.core import tuning
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import View, compose, identity_view
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import CONCATENATE, VIEW
from lazyarr.passes.rewrite import replace_nodes
from lazyarr.passes.simplify import constant

__all__ = ["reduce_between_parts"]

_CAST = ELEMENTWISE["cast"]
_WIDE = np.dtype(np.float64)
#: Dtypes of sums and products that are computed in float64.
_IN_ORDER = frozenset((np.dtype(np.float32), _WIDE))


def reduce_between_parts(
    roots: Sequence[Node], final: dict[Node, Node], *, in_order: bool = False
) -> tuple[Node, ...]:
    """Return the roots with reductions over stacks as operations between their parts.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    in_order : bool, optional
        Whether the target takes sums and products of so few floats from the first element on, in
        float64; else those are left as they are.
    """
    order = list(walk(tuple(roots)))
    chosen = {
        value for value in order if value.op.kind is Kind.REDUCE and _is_of_stack(value, in_order)
    }
    chosen |= _places_of_stacks(roots, order)
    if not chosen:
        return tuple(roots)

    partial: dict[Node, Node] = {}

    def rewritten(old: Node, new: Node) -> Node:
        return _at_place(new) if old.op is VIEW else _between_parts(new, partial)

    results = replace_nodes(roots, order, chosen, rewritten, final)
    for part, total in partial.items():
        final.setdefault(part, total)  # the faults of partial results are the reduction's
    return results


def _places_of_stacks(roots: Sequence[Node], order: Sequence[Node]) -> set[Node]:
    """Return the views of one place along a stack of values that only such views read."""
    views: dict[Node, list[Node]] = {}
    users: dict[Node, int] = dict.fromkeys(roots, 1)
    for value in order:
        for source in value.src:
            users[source] = users.get(source, 0) + 1
        if value.op is VIEW and value.src[0].op.kind is Kind.ELEMENTWISE:
            views.setdefault(value.src[0], []).append(value)
    chosen: set[Node] = set()
    for source, reading in views.items():
        axes = {_axis_of_place(view) for view in reading}
        axis = axes.pop()
        if axes or axis is None or users[source] > len(reading):
            continue
        if _has_few_parts(source, axis) and _reads_stack(source, axis):
            chosen.update(reading)
    return chosen


def _axis_of_place(value: Node) -> int | None:
    """Return the only axis of a view's source of which it reads one place, or None."""
    view = value.attr
    assert isinstance(view, View)
    fixed = [
        axis
        for axis, row in enumerate(view.coefficients)
        if not any(row) and value.src[0].shape[axis] != 1
    ]
    return fixed[0] if len(fixed) == 1 else None


def _at_place(value: Node) -> Node:
    """Return a view of one position along an axis as a view of the value for that position."""
    view = value.attr
    axis = _axis_of_place(value)
    assert isinstance(view, View) and axis is not None
    part = _part(value.src[0], axis, view.offsets[axis])
    rest = View(
        (*view.offsets[:axis], *view.offsets[axis + 1 :]),
        (*view.coefficients[:axis], *view.coefficients[axis + 1 :]),
    )
    if part.shape == value.shape and rest == identity_view(value.ndim):
        return part
    return node(VIEW, (part,), value.dtype, value.shape, rest, value.origin)


def _has_few_parts(source: Node, axis: int) -> bool:
    """Whether a stack has several parts, and no more than are worth an operation each."""
    return 1 < source.shape[axis] <= tuning.row().joined_pieces


def _is_of_stack(value: Node, in_order: bool) -> bool:
    """Whether a reduction is over the axis of a stack, and exact in the order of its parts."""
    axes = value.attr
    assert isinstance(axes, tuple)
    (source, *others) = value.src
    if others or len(axes) != 1 or value.op.ufunc is None or source.dtype != value.dtype:
        return False
    if not _has_few_parts(source, axes[0]):
        return False
    if _is_rounded(value) and not (in_order and value.dtype in _IN_ORDER):
        return False
    return _reads_stack(source, axes[0])


def _is_rounded(value: Node) -> bool:
    """Whether the order of a reduction affects it: counts of truth values are exact."""
    (source,) = value.src
    counts = source.op is _CAST and kind_of(source.src[0].dtype) == "b"
    return value.op.identity is not None and not counts and kind_of(source.dtype) not in "biu"


def _reads_stack(source: Node, axis: int) -> bool:
    """Whether elementwise operations lead from a stack along an axis to a value."""
    stack, seen = [source], {source}
    while stack:
        current = stack.pop()
        if current.op is CONCATENATE and current.attr == axis:
            if all(part.shape[axis] == 1 for part in current.src):
                return True
        elif current.op.kind is Kind.ELEMENTWISE and current.op.loop is None:
            fresh = [
                operand
                for operand in current.src
                if operand not in seen and operand.ndim == current.ndim
            ]
            seen.update(fresh)
            stack += fresh
    return False


def _between_parts(value: Node, partial: dict[Node, Node]) -> Node:
    """Return a reduction over the axis of a stack as operations in the order of its elements.

    Partial results, and what they are of, are entered in `partial`.
    """
    (source,) = value.src
    axes = value.attr
    assert isinstance(axes, tuple) and value.op.ufunc is not None
    (axis,) = axes
    combined = ELEMENTWISE[value.op.ufunc.__name__]
    is_rounded = _is_rounded(value)
    wide = _WIDE if is_rounded else value.dtype
    first, *rest = (
        _as_dtype(_part(source, axis, place), wide, value) for place in range(source.shape[axis])
    )
    total, own = first, []
    if is_rounded and value.op.identity == 0:
        # Sums begin with 0, and -0 is not it.
        total = node(combined, (constant(0, first), first), wide, value.shape, None, value.origin)
        own.append(total)
    for part in rest:
        total = node(combined, (total, part), wide, value.shape, None, value.origin)
        own.append(total)
    result = _as_dtype(total, value.dtype, value)
    partial.update((part, result) for part in own if part is not result)
    return result


def _as_dtype(part: Node, dtype: np.dtype[Any], value: Node) -> Node:
    """Return a part of a reduction in a dtype."""
    if part.dtype == dtype:
        return part
    return node(_CAST, (part,), dtype, part.shape, None, value.origin)


def _part(value: Node, axis: int, place: int) -> Node:
    """Return the elements of a value at a place along an axis, which goes."""
    behind = value.ndim - axis  # operands of fewer axes are aligned at the last one
    known: dict[Node, Node] = {}
    pending = [value]
    while pending:
        current = pending[-1]
        axis = current.ndim - behind
        shape = (*current.shape[:axis], *current.shape[axis + 1 :])
        if axis < 0:
            known[current] = current
        elif current.op.kind is Kind.ELEMENTWISE and current.op.loop is None:
            waiting = [source for source in current.src if source not in known]
            if waiting:
                pending += waiting
                continue
            sources = tuple(known[source] for source in current.src)
            known[current] = node(
                current.op, sources, current.dtype, shape, current.attr, current.origin
            )
        elif (
            current.op is CONCATENATE
            and current.attr == axis
            and all(part.shape[axis] == 1 for part in current.src)
        ):
            known[current] = _selected(current.src[place], axis, 0)
        else:
            known[current] = _selected(current, axis, place if current.shape[axis] != 1 else 0)
        pending.pop()
    return known[value]


def _selected(value: Node, axis: int, place: int) -> Node:
    """Return the elements of a stored value, or of a view, at a place along an axis."""
    ndim = value.ndim - 1
    rows = []
    for source_axis in range(value.ndim):
        at = source_axis if source_axis < axis else source_axis - 1
        rows.append(tuple(int(source_axis != axis and k == at) for k in range(ndim)))
    view = View(tuple(place if k == axis else 0 for k in range(value.ndim)), tuple(rows))
    source = value
    while source.op is VIEW and type(source.attr) is View:
        view, source = compose(source.attr, view, ndim), source.src[0]
    shape = (*value.shape[:axis], *value.shape[axis + 1 :])
    if source.shape == shape and view == identity_view(ndim):
        return source
    return node(VIEW, (source,), value.dtype, shape, view, value.origin)
