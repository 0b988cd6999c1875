"""Writes to the elements that an index map chooses, as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.graph.node import Node, node
from lazyarr.ops.library import Call, Slot, freeze, library_function

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


@dataclass(frozen=True, slots=True)
class _Choice:
    """Every so many indices along an axis.

    Attributes
    ----------
    start, length, step : int
        The first index, how many there are, and the positive distance of neighbours.
    """

    start: int
    length: int
    step: int = 1

    def whole_steps(self, extent: int) -> int:
        """Return the number of chosen indices behind which a whole step fits into an axis.

        Parameters
        ----------
        extent : int
            Of the axis.
        """
        fits = self.step == 1 or self.start + self.length * self.step <= extent
        return self.length if fits else self.length - 1

    def end(self, extent: int) -> int:
        """Return one more than the last index that is chosen or lies between those chosen.

        Parameters
        ----------
        extent : int
            Of the axis.
        """
        whole = self.whole_steps(extent)
        return self.start + whole * self.step + (self.length - whole)


def _replaced(
    base: Node, starts: tuple[int, ...], steps: tuple[int, ...], lengths: Shape, value: Node
) -> Node:
    """Return `base` with a box of it replaced by `value`, of the shape `lengths`.

    A box is a concatenation along each axis of what is before, the box and what is after, so that
    each part is written straight into its place. Along an axis of which every `step`-th element is
    chosen, that and those up to the next one are a concatenation along an axis of their own.
    """
    if 0 in lengths:
        return base
    chosen = []
    for axis, (start, step, length) in enumerate(zip(starts, steps, lengths, strict=True)):
        if step < 0:
            value = _flipped(value, axis)
            start = start + step * (length - 1)
        chosen.append(_Choice(start, length, abs(step) if length > 1 else 1))
    for axis in range(base.ndim - 1, -1, -1):
        one = chosen[axis]
        if one == _Choice(0, base.shape[axis]):
            continue
        # Axes in front of this one are cut to the box already, those behind are whole again.
        box, rest = chosen[:axis], [_Choice(0, n) for n in base.shape[axis + 1 :]]
        if one.step > 1:
            value = _spread(base, box, one, rest, value)
        end = one.end(base.shape[axis])
        after = _Choice(end, base.shape[axis] - end)
        parts = [_cut(base, [*box, part, *rest]) for part in (_Choice(0, one.start), after)]
        value = build.concatenate([parts[0], value, parts[1]], axis)
    return value


def _spread(
    base: Node, box: Sequence[_Choice], one: _Choice, rest: Sequence[_Choice], value: Node
) -> Node:
    """Return elements along an axis with those of an array between them.

    Parameters
    ----------
    base : Node
        The array.
    box, rest : sequence of _Choice
        Its indices along the axes before and behind.
    one : _Choice
        Its indices along the axis, at which `value` stands.
    value : Node
        The elements.
    """
    axis, step = len(box), one.step
    blocks = one.whole_steps(base.shape[axis])
    starts = (*[choice.start for choice in box], one.start + 1, *[choice.start for choice in rest])
    ndim = base.ndim + 1
    rows = [tuple([c.step if k == at else 0 for k in range(ndim)]) for at, c in enumerate(box)]
    rows.append(tuple([{axis: step, axis + 1: 1}.get(k, 0) for k in range(ndim)]))
    rows += [
        tuple([c.step if k == at else 0 for k in range(ndim)])
        for at, c in enumerate(rest, axis + 2)
    ]
    before, behind = [choice.length for choice in box], [choice.length for choice in rest]
    between = build.view(base, View(starts, tuple(rows)), (*before, blocks, step - 1, *behind))
    whole = [_Choice(0, n) for n in value.shape]
    first = _cut(value, [*whole[:axis], _Choice(0, blocks), *whole[axis + 1 :]])
    left = _Choice(blocks, one.length - blocks)
    last = _cut(value, [*whole[:axis], left, *whole[axis + 1 :]])
    first = build.reshape(first, (*before, blocks, 1, *behind))
    joined = build.concatenate([first, between], axis + 1)
    spread = build.reshape(joined, (*before, blocks * step, *behind))
    return build.concatenate([spread, last], axis)


def _cut(x: Node, choices: Sequence[_Choice]) -> Node:
    starts = tuple(choice.start if choice.length else 0 for choice in choices)
    steps = tuple(choice.step for choice in choices)
    return build.view(x, shapes.slice_view(starts, steps), tuple(c.length for c in choices))


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
