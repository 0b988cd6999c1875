"""Sums of cotangents that are zero outside a box, as slices have them.

Boxes that lie apart are joined: each element is written once, and a value whose thousand rows were
read one by one gets its cotangent in one pass. Where boxes overlap and hold multiples of one value,
as those of a stencil do, that value is stored once with enough zeros around it, and each box is a
view of it. Other boxes that overlap are dealt out to layers in which none do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape
from lazyarr.graph.node import Node, Op
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import CONSTANT, VIEW

__all__ = ["Box", "added", "padded", "sliced", "summed"]

_ADD = ELEMENTWISE["add"]
_NEGATIVE, _MULTIPLY, _DIVIDE = (ELEMENTWISE[name] for name in ("negative", "multiply", "divide"))


@dataclass(frozen=True, slots=True)
class Box:
    """A value within a larger one that is zero elsewhere.

    Attributes
    ----------
    value : Node
        The elements; as many axes as the larger value has.
    starts : tuple of int
        The position of the first element.
    steps : tuple of int, optional
        From one element to the next along each axis; default: 1.
    """

    value: Node
    starts: Shape
    steps: Shape = ()

    def stop(self, axis: int) -> int:
        """Return the position behind the last element along an axis."""
        return self.starts[axis] + self.value.shape[axis]


@dataclass(frozen=True, slots=True)
class _Region:
    """A part of a value, in which boxes are added.

    Attributes
    ----------
    starts : tuple of int
        Its first position.
    sizes : tuple of int
        Its shape.
    """

    starts: Shape
    sizes: Shape

    def part(self, axis: int, lower: int, upper: int) -> _Region:
        """Return the part between two positions along an axis.

        Parameters
        ----------
        axis : int
            The axis.
        lower, upper : int
            The first position, and the one behind the last.
        """
        starts, sizes = [*self.starts], [*self.sizes]
        starts[axis], sizes[axis] = lower, upper - lower
        return _Region(tuple(starts), tuple(sizes))


def sliced(x: Node, axis: int, start: int, size: int, step: int = 1) -> Node:
    """Return `size` elements from `start` on along an axis.

    Parameters
    ----------
    x : Node
        Of any shape.
    axis : int
        Not negative.
    start, size, step : int
        The first element, their number, and the distance between them, which may be negative.
    """
    starts = [0] * x.ndim
    steps = [1] * x.ndim
    starts[axis], steps[axis] = start, step
    shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
    return build.view(x, shapes.slice_view(starts, steps), shape)


def padded(x: Node, axis: int, before: int, after: int) -> Node:
    """Return `x` with zeros put around it along an axis; a negative number cuts off.

    Parameters
    ----------
    x : Node
        Of any shape.
    axis : int
        Not negative.
    before, after : int
        Zeros to put before and behind, or minus the elements to cut off.
    """
    size = x.shape[axis]
    start, stop = max(0, -before), size - max(0, -after)
    if (start, stop) != (0, size):
        x = sliced(x, axis, start, stop - start)
    parts = [x]
    for count, place in ((max(0, before), 0), (max(0, after), 2)):
        if count:
            shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
            parts.insert(place, build.filled(0, x.dtype, shape))
    return build.concatenate(parts, axis) if len(parts) > 1 else x


def summed(boxes: Sequence[Box], shape: Shape) -> Node:
    """Return the sum of boxes within a value of some shape.

    Parameters
    ----------
    boxes : sequence of Box
        At least one; of one dtype.
    shape : tuple of int
        Of the value.
    """
    for axis, size in enumerate(shape):
        boxes = _without_steps(boxes, axis, size)
    return _filled(boxes, _Region((0,) * len(shape), shape), 2 * len(shape))


def _without_steps(boxes: Sequence[Box], axis: int, size: int) -> list[Box]:
    """Return boxes in which elements are neighbours along an axis of some size."""
    dense: list[Box] = []
    groups: dict[tuple[Shape, ...], list[Box]] = {}
    for box in boxes:
        if not box.steps or box.steps[axis] == 1:
            dense.append(box)
            continue
        others = [shape[:axis] + shape[axis + 1 :] for shape in (box.starts, box.value.shape)]
        groups.setdefault((box.steps, *others), []).append(box)
    return dense + [_interleaved(group, axis, size) for group in groups.values()]


def _interleaved(boxes: Sequence[Box], axis: int, size: int) -> Box:
    """Return the sum of boxes that differ along one axis, where they have one step, as one box.

    The elements at each distance from the first, up to a step, are a lane; lanes are stacked.
    """
    steps = boxes[0].steps
    step = steps[axis]
    first = min(box.starts[axis] for box in boxes)
    lanes: dict[int, list[Box]] = {}
    origin = (0,) * len(steps)
    for box in boxes:
        position, lane = divmod(box.starts[axis] - first, step)
        moved = Box(box.value, _replaced(origin, axis, position))
        lanes.setdefault(lane, []).append(moved)
    count = max(box.stop(axis) for own in lanes.values() for box in own)
    shape = _replaced(boxes[0].value.shape, axis, count)
    parts: list[Node] = []
    reach = 0
    for lane in sorted([*lanes, step]):
        if lane > reach:
            gap = (*shape[: axis + 1], lane - reach, *shape[axis + 1 :])
            parts.append(build.filled(0, boxes[0].value.dtype, gap))
        if lane < step:
            parts.append(build.expand_axes(summed(lanes[lane], shape), (axis + 1,)))
        reach = lane + 1
    stacked = build.concatenate(parts, axis + 1)
    value = build.reshape(stacked, _replaced(shape, axis, count * step))
    beyond = first + count * step - size
    if beyond > 0:  # the gap behind the last element
        value = padded(value, axis, 0, -beyond)
    return Box(value, _replaced(boxes[0].starts, axis, first), _replaced(steps, axis, 1))


def _replaced(shape: Shape, axis: int, number: int) -> Shape:
    return (*shape[:axis], number, *shape[axis + 1 :])


def _filled(boxes: Sequence[Box], region: _Region, cuts: int) -> Node:
    """Return the sum of boxes within a region, which may be cut so many times more."""
    if len(boxes) == 1:
        return _alone(boxes[0], region)
    for axis in range(len(region.sizes)) if cuts else ():
        if len(_segments(boxes, axis)) > 1:
            return _cut(boxes, region, axis, cuts - 1)
    return _overlapping(boxes, region, cuts)


def _alone(box: Box, region: _Region) -> Node:
    """Return one box with zeros around it."""
    value = box.value
    for axis, (start, size) in enumerate(zip(region.starts, region.sizes, strict=True)):
        before = box.starts[axis] - start
        value = padded(value, axis, before, size - before - value.shape[axis])
    return value


def _segments(boxes: Sequence[Box], axis: int) -> list[list[Box]]:
    """Return boxes in groups between which an axis may be cut, in order."""
    segments: list[list[Box]] = []
    reach = 0
    for box in sorted(boxes, key=lambda box: box.starts[axis]):
        if segments and box.starts[axis] < reach:
            segments[-1].append(box)
        else:
            segments.append([box])
        reach = max(reach, box.stop(axis))
    return segments


def _cut(boxes: Sequence[Box], region: _Region, axis: int, cuts: int) -> Node:
    """Return the sum of boxes within a region that is cut along an axis."""
    dtype, at = boxes[0].value.dtype, region.starts[axis]
    parts: list[Node] = []
    for segment in _segments(boxes, axis):
        lower, upper = segment[0].starts[axis], max(box.stop(axis) for box in segment)
        parts += _zeros(dtype, region.part(axis, at, lower))
        parts.append(_filled(segment, region.part(axis, lower, upper), cuts))
        at = upper
    parts += _zeros(dtype, region.part(axis, at, region.starts[axis] + region.sizes[axis]))
    return build.concatenate(parts, axis)


def _zeros(dtype: np.dtype[Any], region: _Region) -> list[Node]:
    """Return the zeros of a region, if it has elements."""
    return [build.filled(0, dtype, region.sizes)] if all(region.sizes) else []


def _overlapping(boxes: Sequence[Box], region: _Region, cuts: int) -> Node:
    """Return the sum of boxes that no cut sets apart."""
    terms: list[Node] = []
    others: list[Box] = []
    for group in _multiples(boxes):
        if len(group.boxes) > 1:
            terms += group.views(region)
        else:
            others += group.boxes
    if others:
        axes = range(len(region.sizes))
        axis = max(axes, key=lambda axis: len({box.starts[axis] for box in others}))
        terms += [_cut(layer, region, axis, 0) for layer in _layers(others, axis)]
    return added(terms)


def added(terms: Sequence[Node]) -> Node:
    """Return the sum of values, at least one, in their order."""
    return reduce(lambda total, term: build.elementwise(_ADD, (total, term)), terms)


def _layers(boxes: Sequence[Box], axis: int) -> list[list[Box]]:
    """Return boxes in layers; those of one do not overlap along an axis."""
    layers: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: box.starts[axis]):
        for layer in layers:
            if layer[-1].stop(axis) <= box.starts[axis]:
                layer.append(box)
                break
        else:
            layers.append([box])
    return layers


# ---------------------------------------------------------------- multiples of one value

#: An operation that keeps zeros, and for each operand the number; None: the value.
_Factor = tuple[Op, tuple[Node | None, ...]]


class _Multiples:
    """Boxes whose values are one value times constants.

    Parameters
    ----------
    base : Node
        The value.

    Attributes
    ----------
    boxes : list of Box
        The boxes.
    factors : list of list of (Op, tuple)
        What makes the value of each of them, from `base` on.
    """

    def __init__(self, base: Node) -> None:
        self._base = base
        self.boxes: list[Box] = []
        self.factors: list[list[_Factor]] = []

    def views(self, region: _Region) -> list[Node]:
        """Return each box with zeros around it: views of one value with as many as all take.

        Parameters
        ----------
        region : _Region
            Where they are.
        """
        common = 0
        while all(len(own) > common for own in self.factors) and (
            len({own[common] for own in self.factors}) == 1
        ):
            common += 1
        wide = _multiplied(self._base, self.factors[0][:common])
        last = []
        for axis, size in enumerate(region.sizes):
            starts = [box.starts[axis] for box in self.boxes]
            last.append(max(starts))
            before = last[axis] - region.starts[axis]
            total = size + last[axis] - min(starts)
            wide = padded(wide, axis, before, total - before - wide.shape[axis])
        terms = []
        for box, own in zip(self.boxes, self.factors, strict=True):
            offsets = [end - start for end, start in zip(last, box.starts, strict=True)]
            steps = [1] * len(offsets)
            view = build.view(wide, shapes.slice_view(offsets, steps), region.sizes)
            terms.append(_multiplied(view, own[common:]))
        return terms


def _multiples(boxes: Sequence[Box]) -> list[_Multiples]:
    """Return boxes in groups of multiples of one value."""
    groups: dict[Node, _Multiples] = {}
    for box in boxes:
        base, factors = box.value, []
        while (factor := _factor(base)) is not None:
            factors.append(factor)
            (base,) = [x for x, number in zip(base.src, factor[1], strict=True) if number is None]
        group = groups.setdefault(base, _Multiples(base))
        group.boxes.append(box)
        group.factors.append(factors[::-1])
    return list(groups.values())


def _multiplied(value: Node, factors: Sequence[_Factor]) -> Node:
    for op, operands in factors:
        value = build.elementwise(op, tuple([value if x is None else x for x in operands]))
    return value


def _factor(value: Node) -> _Factor | None:
    """Return the constant factor of another value of the same shape; None: it is no multiple."""
    if any(source.dtype != value.dtype for source in value.src):
        return None
    if value.op is _NEGATIVE:
        return value.op, (None,)
    if value.op is not _MULTIPLY and value.op is not _DIVIDE:
        return None
    for index in (1, 0) if value.op is _MULTIPLY else (1,):
        number = _number(value.src[index])
        if number is None or value.src[1 - index].shape != value.shape:
            continue
        memory: Any = number.attr
        dtype: Any = number.dtype
        factor = np.frombuffer(memory, dtype)[0]
        # Zeros stay zeros: an infinite factor or a divisor of zero would make them nan.
        if np.isfinite(factor) and (factor or value.op is _MULTIPLY):
            return value.op, ((number, None) if index == 0 else (None, number))
    return None


def _number(value: Node) -> Node | None:
    """Return the constant of which a value repeats the number; None: it is none."""
    if value.op is VIEW:
        value = value.src[0]
    return value if value.op is CONSTANT and not value.shape else None
