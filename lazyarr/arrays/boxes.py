"""Writes to the elements that an index map chooses, as nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.graph.node import Node, node
from lazyarr.ops.library import LIBRARY, Call, Slot, freeze, library_function

__all__ = ["write_box"]


def write_box(base: Node, index_map: View, value: Node) -> Node:
    """Return `base` with the elements that an index map chooses replaced by those of `value`.

    Parameters
    ----------
    base : Node
        The array.
    index_map : View
        From `value` to `base`.
    value : Node
        Of the dtype of `base`.
    """
    box = _box_of(index_map, value.shape)
    if box is None:
        op = library_function("scatter_view", _scatter_view)
        attr = (index_map.offsets, index_map.coefficients)
        call = Call((Slot(0), Slot(1), freeze(attr, lambda value: None)))
        return node(op, (base, value), base.dtype, base.shape, call, origin())
    starts, steps, lengths, order = box
    if 0 in value.shape:
        return base
    if order != tuple(range(len(order))):
        index_map = shapes.permute_view(order)
        value = build.view(value, index_map, tuple([value.shape[axis] for axis in order]))
    return _replaced(base, starts, steps, lengths, build.reshape(value, lengths))


def _box_of(
    index_map: View, shape: Shape
) -> tuple[tuple[int, ...], tuple[int, ...], Shape, tuple[int, ...]] | None:
    """Return starts, steps and lengths along the axes of a source, and the order of the result's.

    None if the map is no choice of a range along each axis.
    """
    steps: list[int] = []
    lengths: list[int] = []
    order: list[int] = []
    for row in index_map.coefficients:
        axes = [axis for axis, factor in enumerate(row) if factor and shape[axis] != 1]
        if len(axes) > 1 or (axes and axes[0] in order):
            return None
        steps.append(row[axes[0]] if axes else 0)
        lengths.append(shape[axes[0]] if axes else 1)
        order += axes
    rest = [axis for axis in range(len(shape)) if axis not in order]
    if any(shape[axis] > 1 for axis in rest):
        return None
    return index_map.offsets, tuple(steps), tuple(lengths), (*order, *rest)


def _replaced(
    base: Node, starts: tuple[int, ...], steps: tuple[int, ...], lengths: Shape, value: Node
) -> Node:
    """Return `base` with a box of it replaced by `value`, of the shape `lengths`.

    A box of step one is a concatenation along each axis of what is before, the box and what is
    after, so that each part is written straight into its place.
    """
    if 0 in lengths:
        return base
    if any(abs(step) > 1 for step in steps):
        ends = [a + (s or 1) * n for a, s, n in zip(starts, steps, lengths, strict=True)]
        key = tuple(
            slice(start, end if end >= 0 else None, step or 1)
            for start, end, step in zip(starts, ends, steps, strict=True)
        )
        call = Call((Slot(0), Slot(1), freeze(key, lambda value: None)))
        return node(LIBRARY["setitem"], (base, value), base.dtype, base.shape, call, origin())
    lows = []
    for axis, (start, step, length) in enumerate(zip(starts, steps, lengths, strict=True)):
        if step < 0:
            value = _flipped(value, axis)
            start = start - length + 1
        lows.append(start)
    for axis in range(base.ndim - 1, -1, -1):
        low, high = lows[axis], lows[axis] + lengths[axis]
        if low == 0 and high == base.shape[axis]:
            continue
        # Axes in front of this one are cut to the box already, those behind are whole again.
        box = [(lows[k], lengths[k]) for k in range(axis)]
        rest = [(0, base.shape[k]) for k in range(axis + 1, base.ndim)]
        before = _cut(base, [*box, (0, low), *rest])
        after = _cut(base, [*box, (high, base.shape[axis] - high), *rest])
        value = build.concatenate([before, value, after], axis)
    return value


def _cut(x: Node, ranges: list[tuple[int, int]]) -> Node:
    starts = tuple(start if length else 0 for start, length in ranges)
    shape = tuple(length for _, length in ranges)
    return build.view(x, shapes.slice_view(starts, (1,) * len(starts)), shape)


def _flipped(x: Node, axis: int) -> Node:
    starts = [0] * x.ndim
    steps = [1] * x.ndim
    starts[axis], steps[axis] = x.shape[axis] - 1, -1
    return build.view(x, shapes.slice_view(starts, steps), x.shape)


def _scatter_view(array: Any, value: Any, index_map: Any) -> Any:
    """Return a copy of an array with `value` written to it by an index map, later elements last."""
    result = np.array(array, order="C")
    offset, strides = shapes.view_strides(View(*index_map), result.strides, value.ndim)
    flat = result.reshape(-1)[offset // result.itemsize :]
    np.lib.stride_tricks.as_strided(flat, value.shape, strides)[...] = value
    return result
