"""``x[key]`` and ``x[key] = value``.

Integers, slices, None and Ellipsis give a view. Integer arrays give a gather, which kernels
compute. Boolean masks over all
axes give a selection (:mod:`lazyarr.arrays.masked_selection`). Assignment makes the array stand for
a new value.
"""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_node, as_operand
from lazyarr.arrays.masked_selection import MaskedSelection, compress
from lazyarr.builders import nodes as build
from lazyarr.builders.gathers import gather_box
from lazyarr.builders.nodes import BOOL
from lazyarr.core import shapes
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError, IndexingError, ShapeError
from lazyarr.graph.node import Early, Leaf, Node, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import DATA_SHAPED, LIBRARY, Call, Slot, freeze
from lazyarr.ops.movement import LEAF

__all__ = ["getitem", "setitem"]

_CHECKED_SIZE = 100_000
"""Largest index array whose bounds are checked at once; the others are when evaluated."""


@dataclass(frozen=True, slots=True)
class _Basic:
    """A basic index: for each axis start, step and length, and where result axes come from."""

    starts: tuple[int, ...]
    steps: tuple[int, ...]
    lengths: tuple[int, ...]
    kept: tuple[int | None, ...]  # the source axis of each result axis; None is a new axis

    @property
    def shape(self) -> Shape:
        """Shape of the result."""
        return tuple(1 if axis is None else self.lengths[axis] for axis in self.kept)

    def view(self) -> View:
        """Return the index map."""
        rows = []
        for axis, step in enumerate(self.steps):
            rows.append(tuple(step if source == axis else 0 for source in self.kept))
        return View(self.starts, tuple(rows))


def _expand(key: Any, shape: Shape) -> list[Any]:
    """Return the index as a list that names every axis, without Ellipsis."""
    items = list(key) if isinstance(key, tuple) else [key]
    used = 0
    ellipsis = None
    for position, item in enumerate(items):
        if item is Ellipsis:
            if ellipsis is not None:
                raise IndexingError(
                    "an index can only have a single ellipsis ('...')", origin=origin()
                )
            ellipsis = position
        elif isinstance(item, (bool, np.bool_)) or item is None:
            continue
        elif isinstance(item, LazyArray | np.ndarray) and item.dtype.kind == "b":
            used += item.ndim
        else:
            used += 1
    if used > len(shape):
        raise IndexingError(
            f"too many indices for array: array is {len(shape)}-dimensional, "
            f"but {used} were indexed",
            origin=origin(),
        )
    fill = [slice(None)] * (len(shape) - used)
    if ellipsis is None:
        return items + fill
    return items[:ellipsis] + fill + items[ellipsis + 1 :]


def _integer(item: Any, size: int, axis: int) -> int:
    value = operator.index(item)
    if not -size <= value < size:
        raise IndexingError(
            f"index {value} is out of bounds for axis {axis} with size {size}", origin=origin()
        )
    return value + size if value < 0 else value


def _basic(items: list[Any], shape: Shape) -> _Basic | None:
    """Return the basic index that `items` are, or None if there is an array among them."""
    starts, steps, lengths = [], [], []
    kept: list[int | None] = []
    axis = 0
    for item in items:
        if item is None:
            kept.append(None)
            continue
        kind = type(item)
        if kind is slice:
            size = shape[axis]
            try:
                start, stop, step = item.indices(size)
            except TypeError as error:
                raise DTypeError(str(error), origin=origin()) from None
            except ValueError as error:
                raise ShapeError(str(error), origin=origin()) from None
            length = len(range(start, stop, step))
            # An empty slice, or one of length one, has no use for its start or step.
            starts.append(start if length else 0)
            steps.append(step if length != 1 else 1)
            lengths.append(length)
            kept.append(axis)
        elif kind is int or (isinstance(item, np.integer)):
            starts.append(_integer(item, shape[axis], axis))
            steps.append(0)
            lengths.append(1)
        else:
            return None
        axis += 1
    return _Basic(tuple(starts), tuple(steps), tuple(lengths), tuple(kept))


def getitem(x: LazyArray, key: Any) -> LazyArray:
    """Return ``x[key]``."""
    if isinstance(key, (LazyArray, np.ndarray)) and key.dtype.kind == "b" and key.ndim:
        return _select(x, key)
    made = x._node
    if type(key) is tuple and len(key) == made.ndim and all(type(k) is slice for k in key):
        items = list(key)
    else:
        items = _expand(key, made.shape)
    basic = _basic(items, made.shape)
    if basic is not None:
        return LazyArray(build.view(made, basic.view(), basic.shape))
    return _gather(made, _arrays(items, made.shape))


def _select(x: LazyArray, key: Any) -> LazyArray:
    mask = as_node(key)
    base = x._node
    if mask.ndim > base.ndim:
        raise IndexingError(
            f"too many indices for array: array is {base.ndim}-dimensional, "
            f"but {mask.ndim} were indexed",
            origin=origin(),
        )
    for axis, (size, wanted) in enumerate(zip(mask.shape, base.shape, strict=False)):
        if size != wanted:
            raise IndexingError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is "
                f"{wanted} but size of corresponding boolean axis is {size}",
                origin=origin(),
            )
    return MaskedSelection(base, mask)


def _arrays(items: list[Any], shape: Shape) -> list[Any]:
    """Return `items` with every array as a node: masks as the positions of their true entries."""
    found: list[Any] = []
    axis = 0
    for item in items:
        if item is None or isinstance(item, slice):
            found.append(item)
            axis += item is not None
            continue
        if isinstance(item, (bool, np.bool_)):
            # A boolean scalar adds an axis of length one or zero, like an array of positions.
            found.append(_Flag(bool(item)))
            continue
        index = _as_index(item)
        if index.dtype == BOOL:
            if not index.shape:
                found.append(_Flag(bool(LazyArray(index))))
                continue
            mask = LazyArray(index)
            if mask.shape != shape[axis : axis + mask.ndim]:
                raise IndexingError(
                    f"boolean index of shape {mask.shape} did not match indexed array of shape "
                    f"{shape} along axis {axis}",
                    origin=origin(),
                )
            truths = mask._value("a boolean index", DATA_SHAPED)
            early = Early("a boolean index", DATA_SHAPED, truths.nbytes)
            found.extend(build.leaf(places, early) for places in truths.nonzero())
            axis += mask.ndim
            continue
        _check_bounds(index, shape[axis], axis)
        found.append(index)
        axis += 1
    return found


@dataclass(frozen=True, slots=True)
class _Flag:
    """A boolean scalar among the indices."""

    value: bool


def _as_index(item: Any) -> Node:
    if isinstance(item, (list, tuple)) and len(item) == 0:
        return build.leaf(np.zeros(0, np.intp))
    try:
        index = as_node(item)
    except (TypeError, ValueError):
        raise IndexingError(
            "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays "
            f"are valid indices, got {type(item).__name__}",
            origin=origin(),
        ) from None
    if index.dtype.kind not in "iub":
        raise IndexingError(
            f"arrays used as indices must be of integer (or boolean) type, got {index.dtype}",
            origin=origin(),
        )
    return index


def _check_bounds(index: Node, size: int, axis: int) -> None:
    if index.op is not LEAF or not index.size or index.size > _CHECKED_SIZE:
        return
    assert isinstance(index.attr, Leaf)
    values = index.attr.array
    low, high = int(values.min()), int(values.max())
    if low < -size or high >= size:
        bad = low if low < -size else high
        raise IndexingError(
            f"index {bad} is out of bounds for axis {axis} with size {size}", origin=origin()
        )


def _gathered_shape(items: list[Any], shape: Shape) -> tuple[Shape, Shape, int]:
    """Return the shape of advanced indexing, by NumPy's rule of where the array axes go.

    Second and third the shape that the arrays broadcast to, and where in the result it is.
    """
    arrays: list[Shape] = []
    result: list[int] = []
    places: list[int] = []  # positions in `items` that are arrays or integers
    at = 0
    axis = 0
    empty: list[int] = []  # axes without elements that arrays index
    for position, item in enumerate(items):
        if item is None:
            result.append(1)
        elif isinstance(item, slice):
            result.append(len(range(*item.indices(shape[axis]))))
            axis += 1
        else:
            if not places:
                at = len(result)
            places.append(position)
            if isinstance(item, _Flag):
                arrays.append((1,) if item.value else (0,))
            else:
                arrays.append(item.shape if isinstance(item, Node) else ())
                if isinstance(item, Node) and not shape[axis]:
                    empty.append(axis)
                axis += 1
    try:
        together = shapes.broadcast_shapes(*arrays)
    except ShapeError:
        listed = " ".join(str(s) for s in arrays)
        raise IndexingError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {listed}",
            origin=origin(),
        ) from None
    if empty and 0 not in together:
        raise IndexingError(
            f"every index is out of bounds for axis {empty[0]} with size 0", origin=origin()
        )
    adjacent = places[-1] - places[0] == len(places) - 1
    if all(isinstance(items[k], _Flag) for k in places):
        # Boolean scalars alone add one axis.
        together = together or (1,)
    at = at if adjacent else 0
    return (*result[:at], *together, *result[at:]), together, at


def _template(items: list[Any], sources: list[Node]) -> Any:
    def slot(value: Any) -> int | None:
        if isinstance(value, Node):
            sources.append(value)
            return len(sources) - 1
        return None

    plain = tuple(item.value if isinstance(item, _Flag) else item for item in items)
    return freeze(plain, slot)


def _gather(x: Node, items: list[Any]) -> LazyArray:
    items = [operator.index(item) if isinstance(item, np.integer) else item for item in items]
    shape, together, at = _gathered_shape(items, x.shape)
    if x.size and prod(shape) and not any(isinstance(item, _Flag) for item in items):
        return LazyArray(gather_box(x, items, shape, together, at))
    sources = [x]
    key = _template(items, sources)
    call = Call((Slot(0), key))
    return LazyArray(node(LIBRARY["getitem"], tuple(sources), x.dtype, shape, call, origin()))


def setitem(x: LazyArray, key: Any, value: Any) -> None:
    """Make `x` stand for its value with ``x[key]`` replaced by `value`."""
    base = x._node
    if isinstance(key, (LazyArray, np.ndarray)) and key.dtype.kind == "b" and key.ndim:
        x._node = _assign_masked(x, base, as_node(key), value)
        return
    items = _expand(key, base.shape)
    basic = _basic(items, base.shape)
    if basic is not None:
        part = _fitting(_cast_value(value, base), basic.shape)
        x._node = _assign_basic(base, basic, part)
        return
    items = _arrays(items, base.shape)
    part = _cast_value(value, base)
    part = _fitting(part, _gathered_shape(items, base.shape)[0])
    sources = [base, part]
    call = Call((Slot(0), Slot(1), _template(items, sources)))
    x._node = node(LIBRARY["setitem"], tuple(sources), base.dtype, base.shape, call, origin())


def _cast_value(value: Any, base: Node) -> Node:
    """Return the value in the dtype of the array it goes into, as C casts."""
    if value is None:
        value = _of_none(base)
    operand = as_operand(value)
    if not isinstance(operand, Node):
        if isinstance(operand, complex) and base.dtype.kind != "c":
            raise DTypeError(
                f"a complex number cannot go into an array of {base.dtype}", origin=origin()
            )
        if isinstance(operand, float) and base.dtype.kind in "iu":
            # NumPy truncates, and refuses NaN and infinity.
            operand = int(operand)
        return build.constant(operand, base.dtype)
    build.warn_of_discarding(operand.dtype, base.dtype)
    return build.cast(operand, base.dtype)


def _of_none(base: Node) -> Any:
    """Return what None becomes in an array: NaN, or false."""
    match base.dtype.kind:
        case "f":
            return np.nan
        case "c":
            return complex(np.nan, np.nan)
        case "b":
            return False
        case _:
            raise DTypeError(f"None cannot go into an array of {base.dtype}", origin=origin())


def _fitting(part: Node, shape: Shape) -> Node:
    """Return `part` broadcast to `shape`; leading axes of length one may be too many."""
    extra = part.ndim - len(shape)
    if extra > 0 and all(n == 1 for n in part.shape[:extra]):
        part = build.reshape(part, part.shape[extra:])
    try:
        return build.broadcast_to(part, shape)
    except ShapeError:
        raise ShapeError(
            f"could not broadcast input array from shape {part.shape} into shape {shape}",
            origin=origin(),
        ) from None


def _assign_masked(x: LazyArray, base: Node, mask: Node, value: Any) -> Node:
    selection = _select(x, LazyArray(mask))
    assert isinstance(selection, MaskedSelection)
    spread = build.reshape(mask, mask.shape + (1,) * (base.ndim - mask.ndim))
    if isinstance(value, MaskedSelection) and value.is_flat and value._mask is mask:
        chosen = build.cast(value._values, base.dtype)
        return build.elementwise(ELEMENTWISE["where"], (mask, chosen, base))
    chosen = _cast_value(value, base)
    tail = base.shape[mask.ndim :]
    if chosen.size == 1 or (chosen.ndim <= len(tail)):
        fitted = build.reshape(chosen, ()) if chosen.size == 1 else _fitting(chosen, tail)
        return build.elementwise(ELEMENTWISE["where"], (spread, fitted, base))
    count = compress(base, mask).shape[0]
    fitted = _fitting(chosen, (count, *tail))
    return node(
        LIBRARY["setitem"],
        (base, fitted, mask),
        base.dtype,
        base.shape,
        Call((Slot(0), Slot(1), Slot(2))),
        origin(),
    )


def _assign_basic(base: Node, basic: _Basic, part: Node) -> Node:
    """Return `base` with a box of it replaced.

    A box of step one is a concatenation along each axis of what is before, the box and what is
    after, so that each part is written straight into its place.
    """
    if 0 in basic.lengths:
        return base
    if any(abs(step) > 1 for step in basic.steps):
        key = tuple(
            slice(start, stop if stop >= 0 else None, step or 1)
            for start, stop, step in (
                (start, start + (step or 1) * length, step)
                for start, step, length in zip(
                    basic.starts, basic.steps, basic.lengths, strict=True
                )
            )
        )
        call = Call((Slot(0), Slot(1), freeze(key, lambda value: None)))
        sources = (base, _unsliced(part, basic))
        return node(LIBRARY["setitem"], sources, base.dtype, base.shape, call, origin())
    value = _unsliced(part, basic)
    lows = []
    for axis, (start, step, length) in enumerate(
        zip(basic.starts, basic.steps, basic.lengths, strict=True)
    ):
        if step < 0:
            value = _flipped(value, axis)
            start = start - length + 1
        lows.append(start)
    for axis in range(base.ndim - 1, -1, -1):
        low, high = lows[axis], lows[axis] + basic.lengths[axis]
        if low == 0 and high == base.shape[axis]:
            continue
        # Axes in front of this one are cut to the box already, those behind are whole again.
        box = [(lows[k], basic.lengths[k]) for k in range(axis)]
        rest = [(0, base.shape[k]) for k in range(axis + 1, base.ndim)]
        before = _cut(base, [*box, (0, low), *rest])
        after = _cut(base, [*box, (high, base.shape[axis] - high), *rest])
        value = build.concatenate([before, value, after], axis)
    return value


def _unsliced(part: Node, basic: _Basic) -> Node:
    """Return `part`, of the index's shape, with one axis for every axis of the array."""
    return build.reshape(part, basic.lengths)


def _cut(x: Node, ranges: list[tuple[int, int]]) -> Node:
    starts = tuple(start if length else 0 for start, length in ranges)
    shape = tuple(length for _, length in ranges)
    return build.view(x, shapes.slice_view(starts, (1,) * len(starts)), shape)


def _flipped(x: Node, axis: int) -> Node:
    starts = [0] * x.ndim
    steps = [1] * x.ndim
    starts[axis], steps[axis] = x.shape[axis] - 1, -1
    return build.view(x, shapes.slice_view(starts, steps), x.shape)
