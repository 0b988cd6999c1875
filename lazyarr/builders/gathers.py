"""Building gathers: integer arrays among the indices, ``take`` and ``take_along_axis``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyarr.builders import build, values
from lazyarr.builders.build import INT64
from lazyarr.core.frozen import replace
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.graph.node import Node, node
from lazyarr.ops.gather import GATHER, Gathered

__all__ = ["from_start", "gather", "gather_along", "gather_box"]


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
