"""Sorted arrays of which little is read: its first or last elements are selected, not sorted.

``partition(x, k)[:, :k]``, ``sort(x)[-5:]`` and ``argsort(x)[:10]`` are of this form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import View, identity_view
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.library import LIBRARY, ORDERS, Call, Slot, freeze, thaw
from lazyarr.ops.movement import VIEW

__all__ = ["fold_slices"]

_PART = LIBRARY["sorted_part"]


@dataclass(frozen=True, slots=True)
class _Part:
    """The selection that stands for an ordered array.

    Attributes
    ----------
    value : Node
        The selection, of the array as it was.
    axis : int
        Along which it selects.
    before : int
        Elements along the axis before those that it has.
    """

    value: Node
    axis: int
    before: int


def fold_slices(
    roots: Sequence[Node], is_library_step: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots, in which elements are selected where an order is used for no more.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    is_library_step : callable
        Whether the target selects elements as a node says.
    final : dict of Node to Node
        What became of other nodes; brought up to date. An order of which nothing but elements is
        selected stays what it was.
    """
    order = list(walk(tuple(roots)))
    ordered = [value for value in order if _function_of(value) in ORDERS]
    if not ordered:
        return tuple(roots)
    users: dict[Node, list[Node]] = {value: [] for value in ordered}
    for current in order:
        for source in current.src:
            if source in users:
                users[source].append(current)
    parts: dict[Node, _Part] = {}
    for value in ordered:
        part = None if value in roots else _part_of(value, users[value])
        if part is not None and is_library_step(part.value):
            parts[value] = part
    if not parts:
        return tuple(roots)
    replaced: dict[Node, Node] = {}
    for current in order:
        sources = tuple([replaced[source] for source in current.src])
        if current in parts:
            replaced[current] = replace_sources(parts[current].value, sources)
        elif current.src and current.src[0] in parts:
            replaced[current] = _seen(current, sources[0], parts[current.src[0]])
        elif _is_ordered(current, parts):
            replaced[current] = sources[0]
        else:
            replaced[current] = replace_sources(current, sources)
    for original, became in final.items():
        if became not in parts:
            final[original] = replaced.get(became, became)
    return tuple(replaced[root] for root in roots)


def _function_of(value: Node) -> Callable[..., object] | None:
    """Return the function that a library step calls on one array along one axis."""
    if value.op.kind is not Kind.LIBRARY or value.op.calls not in ORDERS or len(value.src) != 1:
        return None
    return value.op.calls


def _axis_of(value: Node) -> int:
    """Return the axis along which an array is ordered."""
    call = value.attr
    assert isinstance(call, Call)
    axis = thaw(dict(call.keywords).get("axis", -1), ())
    return int(axis) % value.ndim


def _part_of(value: Node, users: Sequence[Node]) -> _Part | None:
    """Return the selection of the elements of a sorted array that views read; None if others do."""
    if value.ndim == 0 or any(user.op.kind is not Kind.VIEW for user in users):
        return None
    axis = _axis_of(value)
    length = value.shape[axis]
    reaches = [_reach(user, axis) for user in users if user.size]
    if not reaches:
        return None
    low, high = min(low for low, _ in reaches), max(high for _, high in reaches)
    last = length - low < high + 1
    count = length - low if last else high + 1
    if type(count) is not int:
        return None  # it is part of the call, and a plan that serves many lengths has many
    function = _function_of(value)
    assert function is not None
    arguments = (axis, count, last, ORDERS[function])
    call = Call((Slot(0), *(freeze(argument, lambda _: None) for argument in arguments)))
    shape = (*value.shape[:axis], count, *value.shape[axis + 1 :])
    selection = node(_PART, value.src, value.dtype, shape, call, value.origin)
    return _Part(selection, axis, length - count if last else 0)


def _reach(user: Node, axis: int) -> tuple[int, int]:
    """Return the least and the largest index that a view reads along an axis of its source."""
    view = user.attr
    assert isinstance(view, View)
    steps = [
        step * (size - 1) for step, size in zip(view.coefficients[axis], user.shape, strict=True)
    ]
    low = view.offsets[axis] + sum(step for step in steps if step < 0)
    return low, view.offsets[axis] + sum(step for step in steps if step > 0)


def _seen(user: Node, selection: Node, part: _Part) -> Node:
    """Return a view of an ordered array as one of its selection."""
    view = user.attr
    assert isinstance(view, View)
    offsets = list(view.offsets)
    if user.size:
        offsets[part.axis] -= part.before
    moved = View(tuple(offsets), view.coefficients)
    if moved == identity_view(user.ndim) and user.shape == selection.shape:
        return selection
    return node(VIEW, (selection,), user.dtype, user.shape, moved, user.origin)


def _is_ordered(value: Node, parts: dict[Node, _Part]) -> bool:
    """Whether a sort finds its operand in order: all that was selected along the same axis."""
    if _function_of(value) is not np.sort:
        return False
    view = value.src[0]
    part = parts.get(view.src[0]) if view.op.kind is Kind.VIEW else None
    if part is None or _axis_of(value) != part.axis or not isinstance(view.attr, View):
        return False
    same = identity_view(value.ndim).coefficients
    return view.attr.coefficients == same and part.value.dtype == value.dtype
