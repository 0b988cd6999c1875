"""Building gathers: integer arrays among the indices, ``take`` and ``take_along_axis``."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.builders import build, values
from lazyarr.builders.basic_index import check_axes
from lazyarr.builders.build import INT64
from lazyarr.core import shapes
from lazyarr.core.frozen import dataclass, replace
from lazyarr.core.shapes import MOST_AXES, Shape, View
from lazyarr.core.source_location import origin
from lazyarr.errors import IndexingError, ShapeError
from lazyarr.graph.node import Node, node
from lazyarr.ops.gather import GATHER, Gathered
from lazyarr.ops.library import LIBRARY, Call, Slot, freeze

__all__ = [
    "Flag",
    "assigned",
    "from_start",
    "gather",
    "gather_along",
    "gather_box",
    "gathered",
]


def from_start(value: Node) -> Node:
    """Return a gather whose negative indices, less the length of their axis, do not count from it.

    Parameters
    ----------
    value : Node
        A gather, or another node, which is returned as it is.
    """
    attr = value.attr
    if not isinstance(attr, Gathered):
        return value
    marked = replace(attr, from_end=False)
    return node(GATHER, value.src, value.dtype, value.shape, marked, value.origin)


def gather(x: Node, view: View, indices: Mapping[int, Node], shape: Shape) -> Node:
    """Return elements of `x` at positions that arrays give along some axes.

    Parameters
    ----------
    x : Node
        What to choose from; not empty.
    view : View
        From the result to `x`; at 0 along the gathered axes.
    indices : mapping of int to Node
        For each gathered axis positions that broadcast to the result.
    shape : tuple of int
        Of the result.
    """
    values.check_size(shape, x.dtype)
    axes = tuple(sorted(indices))
    sources = tuple(build.cast(indices[axis], INT64) for axis in axes)
    return node(GATHER, (x, *sources), x.dtype, shape, Gathered(view, axes), origin())


def gather_box(
    x: Node, items: Sequence[Node | int | slice | None], shape: Shape, together: Shape, at: int
) -> Node:
    """Return ``x[items]``, where arrays and integers are among the items.

    Parameters
    ----------
    x : Node
        What to choose from; not empty.
    items : sequence
        One item for each axis of `x`, and None for new axes.
    shape : tuple of int
        Of the result, not empty: that of the slices and new axes, with `together` from axis `at`
        on.
    together : tuple of int
        The shape that the arrays broadcast to.
    at : int
        Where the axes of the arrays begin.
    """
    ndim = len(shape)
    behind = ndim - at - len(together)
    offsets: list[int] = []
    rows: list[tuple[int, ...]] = []
    indices: dict[int, Node] = {}
    position = 0
    for item in items:
        if position == at:
            position += len(together)
        if item is None:
            position += 1
            continue
        axis = len(rows)
        offset, step = 0, 0
        if isinstance(item, slice):
            offset, _, step = item.indices(x.shape[axis])
        elif isinstance(item, Node):
            indices[axis] = build.reshape(item, item.shape + (1,) * behind)
        else:
            offset = item % x.shape[axis]
        offsets.append(offset)
        rows.append(tuple(step if k == position else 0 for k in range(ndim)))
        position += isinstance(item, slice)
    return gather(x, View(tuple(offsets), tuple(rows)), indices, shape)


def gather_along(x: Node, index: Node, axis: int, shape: Shape) -> Node:
    """Return elements of `x` at positions along one axis.

    Parameters
    ----------
    x : Node
        The source; its other axes broadcast to those of the result.
    index : Node
        Integers that broadcast to `shape`: the position of each element along the axis.
    axis : int
        The gathered axis.
    shape : tuple of int
        Of the result.
    """
    rows = tuple(
        tuple(int(k == j and j != axis and x.shape[j] != 1) for k in range(len(shape)))
        for j in range(len(shape))
    )
    return gather(x, View((0,) * len(shape), rows), {axis: index}, shape)


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean scalar among the indices."""

    value: bool


def gathered(x: Node, items: Sequence[Any]) -> Node:
    """Return ``x[items]``, where nodes of positions are among the items.

    Parameters
    ----------
    x : Node
        What to choose from.
    items : sequence
        For each axis a node of positions, an integer or a slice; None for new axes, `Flag` for
        boolean scalars, and Ellipsis where it stands for no axis.

    Raises
    ------
    IndexingError
        If the positions do not broadcast, or an axis has no elements.
    """
    items = [operator.index(item) if isinstance(item, np.integer) else item for item in items]
    shape, together, at = _gathered_shape(items, x.shape)
    if x.size and prod(shape) and not any(isinstance(item, Flag) for item in items):
        boxed = [item for item in items if item is not Ellipsis]
        return gather_box(x, boxed, shape, together, at)
    sources = [x]
    key = _template(items, sources)
    call = Call((Slot(0), key))
    return node(LIBRARY["getitem"], tuple(sources), x.dtype, shape, call, origin())


def assigned(x: Node, items: Sequence[Any], part: Node) -> Node:
    """Return `x` with a value in the place of ``x[items]``.

    Parameters
    ----------
    x : Node
        The value before.
    items : sequence
        As of :func:`gathered`.
    part : Node
        Of the dtype of `x`; it broadcasts to the shape of ``x[items]``.

    Raises
    ------
    IndexingError
        If the positions do not broadcast, or an axis has no elements.
    ShapeError
        If the value does not fit.
    """
    fitted = build.fitting(part, _gathered_shape(items, x.shape)[0], gathered=True)
    sources = [x, fitted]
    call = Call((Slot(0), Slot(1), _template(items, sources)))
    return node(LIBRARY["setitem"], tuple(sources), x.dtype, x.shape, call, origin())


def _gathered_shape(items: Sequence[Any], shape: Shape) -> tuple[Shape, Shape, int]:
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
        elif item is Ellipsis:
            continue
        elif isinstance(item, slice):
            result.append(len(range(*item.indices(shape[axis]))))
            axis += 1
        else:
            if not places:
                at = len(result)
            places.append(position)
            if isinstance(item, Flag):
                arrays.append((1,) if item.value else (0,))
            else:
                arrays.append(item.shape if isinstance(item, Node) else ())
                if isinstance(item, Node) and not shape[axis]:
                    empty.append(axis)
                axis += 1
    if len(arrays) >= MOST_AXES:
        raise IndexingError(
            f"the number of index arrays cannot be above {MOST_AXES - 1}, but {len(arrays)} index "
            "arrays found",
            origin=origin(),
        )
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
    if all(isinstance(items[k], Flag) for k in places):
        # Boolean scalars alone add one axis.
        together = together or (1,)
    at = at if adjacent else 0
    check_axes(len(result) + len(together))
    return (*result[:at], *together, *result[at:]), together, at


def _template(items: Sequence[Any], sources: list[Node]) -> Any:
    def slot(value: Any) -> int | None:
        if isinstance(value, Node):
            sources.append(value)
            return len(sources) - 1
        return None

    plain = tuple(item.value if isinstance(item, Flag) else item for item in items)
    return freeze(plain, slot)
