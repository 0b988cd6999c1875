"""Reductions of transposed arrays, in the order in which these lie in memory.

The axes of ``x.T.max(1)`` lie in another order than the elements of ``x``, so that a row of the
loops would read a column of the memory. The same extrema are those of ``x`` down its first axis.

Sums of floats depend on the order of additions. Columns, and rows of a few elements, are added in
the order of the axes, wherever they lie. Of long rows whose elements lie apart the compiler would
read a line of cache for each element, and choose the lanes of the sum by itself: they are added in
the order of memory, as NumPy adds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import (
    Shape,
    View,
    compose,
    contiguous_strides,
    identity_view,
    permute_view,
    view_strides,
)
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.movement import VIEW
from lazyarr.ops.reduce import axes_of
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["axes_in_memory", "reduce_in_memory_order"]


def reduce_in_memory_order(
    roots: Sequence[Node],
    final: dict[Node, Node],
    sequential: int,
    *,
    rows_as_columns: bool = True,
) -> tuple[Node, ...]:
    """Return the roots with reductions over the axes of operands in memory.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    sequential : int
        Elements up to which rows are summed one after another, whatever lies around them.
    rows_as_columns : bool, optional
        Whether the elements of short rows are added in one order wherever they lie.
    """
    order = list(walk(tuple(roots)))
    reductions = [value for value in order if value.op.kind is Kind.REDUCE and _may_move(value)]
    if not reductions or not any(map(_is_turned, order)):
        return tuple(roots)
    users: dict[Node, list[Node]] = {}
    for current in order:
        for source in current.src:
            users.setdefault(source, []).append(current)
    results = set(roots)
    beside: dict[tuple[Node, object], list[Node]] = {}
    for current in reductions:
        beside.setdefault((current.src[0], current.attr), []).append(current)
    chosen: dict[Node, tuple[int, ...]] = {}
    for together in beside.values():
        axes = _common_order(together, users, results)
        if axes is not None and all(
            _keeps_bits(value, axes, sequential, rows_as_columns) for value in together
        ):
            chosen.update(dict.fromkeys(together, axes))
    if not chosen:
        return tuple(roots)
    return replace_nodes(roots, order, chosen, lambda old, new: _moved(new, chosen[old]), final)


def _may_move(value: Node) -> bool:
    """Whether a reduction may have another order of axes at all: positions are in C order."""
    return value.op.reducer is not None and not value.op.reducer.is_positional


def _is_exact(value: Node) -> bool:
    """Whether elements may be reduced in any order."""
    if value.op.ufunc is None:  # deviations
        return False
    return value.op.identity is None or kind_of(value.src[0].dtype) in "biu"


def _keeps_bits(
    value: Node, order: tuple[int, ...], sequential: int, rows_as_columns: bool
) -> bool:
    """Whether a reduction in the order of memory has the bits that the order of the axes fixes.

    Parameters
    ----------
    value : Node
        The reduction.
    order : tuple of int
        The axes as they lie in memory, the outermost first.
    sequential : int
        Elements up to which rows are summed one after another.
    rows_as_columns : bool
        Whether the elements of short rows are added in one order wherever they lie.
    """
    if _is_exact(value):
        return True
    shape, dropped = value.src[0].shape, axes_of(value)
    long = [axis for axis, n in enumerate(shape) if n != 1]
    moved = [axis for axis in order if axis in dropped and shape[axis] != 1]
    if not long or long[-1] not in dropped:
        return False  # columns
    is_long = prod(shape[axis] for axis in moved) > sequential
    return is_long or (rows_as_columns and moved == sorted(moved))


def axes_in_memory(value: Node) -> tuple[int, ...] | None:
    """Return the axes of an operand, those with the largest strides first.

    Axes of length one are left out. None of windows, and of what is the same along an axis.
    """
    strides = contiguous_strides(value.shape)
    view = value.attr
    if value.op is VIEW and isinstance(view, View):
        for row in view.coefficients:
            if sum(factor != 0 for factor in row) > 1:
                return None
        source = value.src[0]
        _, strides = view_strides(view, _strides_in_memory(source), value.ndim)
    elif value.op.kind is Kind.PARAMETER:
        strides = _strides_in_memory(value)
    axes = [axis for axis, n in enumerate(value.shape) if n != 1]
    if any(strides[axis] == 0 for axis in axes):
        return None
    return tuple(sorted(axes, key=lambda axis: -abs(strides[axis])))


def _strides_in_memory(source: Node) -> tuple[int, ...]:
    """Return the strides of wrapped arrays, and of values that will be stored in C order."""
    if source.op.kind is Kind.PARAMETER and isinstance(source.attr, tuple):
        kind, *_, strides = source.attr
        if kind == "leaf":
            return tuple(strides)
    return contiguous_strides(source.shape)


def _is_turned(value: Node) -> bool:
    """Whether the axes of an operand have another order in memory."""
    if value.op is not VIEW and value.op.kind is not Kind.PARAMETER:
        return False
    axes = axes_in_memory(value)
    return axes is not None and list(axes) != sorted(axes)


def _common_order(
    reductions: Sequence[Node], users: dict[Node, list[Node]], results: set[Node]
) -> tuple[int, ...] | None:
    """Return the order in memory of all that is reduced, if it has one.

    Parameters
    ----------
    reductions : sequence of Node
        All reductions of one value over the same axes that may move.
    users : dict of Node to list of Node
        What reads each value.
    results : set of Node
        The results.
    """
    source = reductions[0].src[0]
    shape = source.shape
    orders: set[tuple[int, ...]] = set()
    region = set(reductions)
    stack = [source]
    while stack:
        current = stack.pop()
        if current in region or not current.shape:
            continue
        if current.ndim != len(shape):
            return None
        if current.op.kind is Kind.ELEMENTWISE and current.op.loop is None:
            # What others use, too, is computed for them in their order.
            if current in results or any(user not in region for user in users[current]):
                return None
            region.add(current)
            stack += current.src
        elif not _is_broadcast(current, shape):
            axes = axes_in_memory(current)
            if axes is None:
                return None
            orders.add(axes)
    if len(orders) != 1:
        return None
    (axes,) = orders
    if list(axes) == sorted(axes):
        return None
    return (*(k for k in range(len(shape)) if k not in axes), *axes)


def _is_broadcast(value: Node, shape: Shape) -> bool:
    """Whether an operand is broadcast along an axis, so that it has fewer elements."""
    if value.shape != shape:
        return True
    view = value.attr
    if value.op is not VIEW or not isinstance(view, View):
        return False
    return any(n != 1 and not any(row[k] for row in view.coefficients) for k, n in enumerate(shape))


def _moved(value: Node, order: tuple[int, ...]) -> Node:
    """Return a reduction over axes in another order, and its result in the order from before."""
    shape = value.src[0].shape
    dropped = axes_of(value)
    axes = tuple(k for k, axis in enumerate(order) if axis in dropped)
    remaining = [axis for axis in order if axis not in dropped]
    reduced = tuple(shape[axis] for axis in remaining)
    # Operands behind the first are reductions over the same axes.
    there = permute_view([sorted(remaining).index(axis) for axis in remaining])
    others = [_viewed(source, there, reduced) for source in value.src[1:]]
    operands = (_permuted(value.src[0], order, {}), *others)
    result = node(value.op, operands, value.dtype, reduced, axes, value.origin)
    if remaining == sorted(remaining):
        return result
    back = permute_view([remaining.index(axis) for axis in sorted(remaining)])
    return node(VIEW, (result,), value.dtype, value.shape, back, value.origin)


def _viewed(value: Node, view: View, shape: Shape) -> Node:
    """Return a view of a value, which is its source where it undoes another view.

    Parameters
    ----------
    value : Node
        What is viewed.
    view : View
        From an index of the result to one of the value.
    shape : tuple of int
        Of the result.
    """
    if value.op is VIEW:
        inner = value.attr
        assert isinstance(inner, View)
        value, view = value.src[0], compose(inner, view, len(shape))
    if value.shape == shape and view == identity_view(len(shape)):
        return value
    return node(VIEW, (value,), value.dtype, shape, view, value.origin)


def _permuted(value: Node, order: tuple[int, ...], known: dict[Node, Node]) -> Node:
    """Return elementwise operations and views with their axes in another order."""
    pending = [value]
    while pending:
        current = pending[-1]
        if not current.shape:
            known[current] = current
        elif current.op is VIEW:
            assert isinstance(current.attr, View)
            view = compose(current.attr, permute_view(order), len(order))
            lengths = tuple(current.shape[axis] for axis in order)
            known[current] = node(VIEW, current.src, current.dtype, lengths, view, current.origin)
        elif current.op.kind is not Kind.ELEMENTWISE or current.op.loop is not None:
            view = permute_view(order)
            lengths = tuple(current.shape[axis] for axis in order)
            known[current] = node(VIEW, (current,), current.dtype, lengths, view, current.origin)
        else:
            waiting = [source for source in current.src if source not in known]
            if waiting:
                pending += waiting
                continue
            moved = tuple(known[source] for source in current.src)
            lengths = tuple(current.shape[axis] for axis in order)
            known[current] = node(
                current.op, moved, current.dtype, lengths, current.attr, current.origin
            )
        pending.pop()
    return known[value]
