"""Slices of invariants of a loop that depend on the number of the iteration alone.

The cotangent of an array of which iteration i reads ``x[i]`` is the stack of the cotangents of the
slices. To add up the cotangents of the whole array instead would take time in proportion to its
length in every iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.shapes import View, broadcast_shapes
from lazyarr.differentiation import markers
from lazyarr.differentiation.modes import pull_back
from lazyarr.graph.node import Kind, Loop, Node, node, walk
from lazyarr.numpy_api import movement, slicing
from lazyarr.ops.gather import Gathered

__all__ = ["array_cotangent", "sliced_invariants"]


def sliced_invariants(loop: Loop, active: Sequence[int]) -> dict[int, list[Node]]:
    """Return the invariants that are read in slices alone, and these slices.

    Parameters
    ----------
    loop : Loop
        A loop whose body has shapes.
    active : sequence of int
        Positions of the invariants in question.

    Returns
    -------
    dict of int to list of Node
        By the position of an invariant the nodes of the body that read it.
    """
    readers: dict[Node, list[Node]] = {loop.invariants[k]: [] for k in active}
    whole = {root for root in loop.updates if root in readers}
    for current in walk(loop.updates):
        for source in current.src:
            if source not in readers:
                continue
            if source is current.src[0] and _is_slice(current, loop):
                readers[source].append(current)
            else:
                whole.add(source)
    return {
        k: readers[invariant]
        for k in active
        if (invariant := loop.invariants[k]) not in whole and readers[invariant]
    }


def _is_slice(value: Node, loop: Loop) -> bool:
    """Return whether a value is a slice along one axis, at a position made of the index."""
    gathered = value.attr
    if not isinstance(gathered, Gathered) or len(gathered.axes) != 1:
        return False
    source, position = value.src
    if position in loop.invariants or position.size != 1 or loop.index is None:
        return False
    (axis,) = gathered.axes
    rows = [[0] * value.ndim for _ in source.shape]
    for place, row in enumerate(rows[:axis] + rows[axis + 1 :]):
        if place >= value.ndim:
            return False
        row[place] = 1
    view = View((0,) * source.ndim, tuple(map(tuple, rows)))
    expected = source.shape[:axis] + source.shape[axis + 1 :]
    return value.shape == expected and gathered.view == view and _is_of_index(position, loop)


def _is_of_index(position: Node, loop: Loop) -> bool:
    """Return whether a value of one element is elementwise arithmetic on the index."""
    kinds = (Kind.ELEMENTWISE, Kind.CONSTANT)
    return all(
        current is loop.index or current.op.kind in kinds or _is_reshaped(current)
        for current in walk((position,))
    )


def _is_reshaped(value: Node) -> bool:
    return value.op.kind in (Kind.VIEW, Kind.RESHAPE) and value.src[0].size == value.size == 1


def array_cotangent(array: Node, slices: LazyArray, value: Node, loop: Loop) -> LazyArray:
    """Return the cotangent of an invariant of whose slices the cotangents are known.

    Parameters
    ----------
    array : Node
        The invariant outside of the loop.
    slices : LazyArray
        The cotangent of the slice of each iteration, along a new first axis.
    value : Node
        The slice in the body of the loop.
    loop : Loop
        The loop.
    """
    assert isinstance(value.attr, Gathered)
    (axis,) = value.attr.axes
    count = slices.shape[0]
    stacked: LazyArray = movement.moveaxis(slices, 0, axis)
    index = value.src[1]
    while _is_reshaped(index):
        index = index.src[0]
    if index is loop.index and array.shape[axis] == count:
        return stacked
    place = markers.variable(array)
    taken: LazyArray = slicing.take(LazyArray(place), _positions(index, count, loop), axis=axis)
    (cotangent,) = pull_back([taken._node], [place], [stacked])
    assert cotangent is not None
    return cotangent


def _positions(position: Node, count: int, loop: Loop) -> LazyArray:
    """Return a position made of the index for all iterations."""
    assert loop.index is not None
    every = build.cast(build.leaf(np.arange(count)), loop.index.dtype)
    known: dict[Node, Node] = {loop.index: every}
    for current in walk((position,)):
        if current in known:
            continue
        if _is_reshaped(current):
            known[current] = known[current.src[0]]
        elif current.op.kind is Kind.CONSTANT:
            known[current] = current
        else:
            src = tuple(known[source] for source in current.src)
            shape = broadcast_shapes(*[x.shape for x in src])
            known[current] = node(
                current.op, src, current.dtype, shape, current.attr, current.origin
            )
    return LazyArray(build.broadcast_to(known[position], (count,)))
