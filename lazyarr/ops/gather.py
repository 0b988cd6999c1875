"""The row of gathering: elements at positions that are computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import View
from lazyarr.errors import IndexingError
from lazyarr.graph.node import Kind, Node, Op

__all__ = ["GATHER", "POSITION", "Gathered"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The attribute of a gather: the axes of the first source that the others index.

    Attributes
    ----------
    view : View
        From the indices of the result to those of the first source. Along a gathered axis it
        stays at 0.
    axes : tuple of int
        The gathered axes. Source ``1 + k``, int64, says where along ``axes[k]``; it broadcasts to
        the result, and counts from the end where it is negative.
    from_end : bool
        Whether negative numbers of the user's count from the end. Otherwise the sources hold them
        less the length of the axis, so that they are out of bounds, and messages undo that.
    places : tuple of int
        Of a rolled array the places by which elements move along each of the axes, from 1 up to the
        length less one. There are no sources of indices then.
    side : {"", "left", "right"}
        Of a search in a sorted vector, as of ``numpy.searchsorted``: the second source has values,
        and the result is their positions, int64, in the place of elements.
    """

    view: View
    axes: tuple[int, ...]
    from_end: bool = True
    places: tuple[int, ...] = ()
    side: str = ""


def _gather(node: Node, *arrays: Array) -> Array:
    attr = node.attr
    assert isinstance(attr, Gathered)
    if attr.places:
        return np.roll(arrays[0], attr.places, attr.axes)
    if attr.side:
        return np.asarray(np.searchsorted(*arrays, attr.side))  # type: ignore[call-overload]
    places: list[Any] = []
    for offset, row in zip(attr.view.offsets, attr.view.coefficients, strict=True):
        place: Any = np.asarray(offset)
        for axis, factor in enumerate(row):
            if factor:
                steps = np.arange(node.shape[axis]) * factor
                place = place + steps.reshape((-1,) + (1,) * (len(node.shape) - axis - 1))
        places.append(place)
    for axis, index in zip(attr.axes, arrays[1:], strict=True):
        places[axis] = index
        if not attr.from_end and (index < 0).any():
            size = arrays[0].shape[axis]
            wrong = int(index.min()) + size
            raise IndexingError(
                f"index {wrong} is out of bounds for axis {axis} with size {size}",
                origin=node.origin,
            )
    elements = arrays[0][tuple(np.broadcast_arrays(*places, np.empty(node.shape))[:-1])]
    return np.asarray(elements, node.dtype)


GATHER = Op("gather", Kind.GATHER, _gather, cost=4)
#: A search: as a gather, it reads elements of its first source that only the kernel knows.
POSITION = Op("position", Kind.GATHER, _gather, cost=64)
