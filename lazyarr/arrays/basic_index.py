"""Basic keys: integers, slices, None and Ellipsis, which choose elements by an index map."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders.gathers import check_axes
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError, IndexingError, ShapeError
from lazyarr.tracing import Symbol

__all__ = [
    "BasicIndex",
    "basic_index",
    "basic_view",
    "expand_key",
    "has_ellipsis",
    "no_index",
]

#: Index maps of basic keys, by their parts and the shape that they index: a loop uses few.
_views: dict[tuple[object, ...], tuple[View, Shape]] = {}
_MOST_VIEWS = tuning.row().cached_maps
_BOUNDS = (int, type(None))


@dataclass(frozen=True, slots=True)
class BasicIndex:
    """A basic index: for each axis start, step and length, and where result axes come from."""

    starts: tuple[int, ...]
    steps: tuple[int, ...]
    lengths: tuple[int, ...]
    axes: tuple[int | None, ...]  # the source axis of each result axis; None is a new axis

    @property
    def shape(self) -> Shape:
        """Shape of the result."""
        return tuple(1 if axis is None else self.lengths[axis] for axis in self.axes)

    def view(self) -> View:
        """Return the index map."""
        rows = []
        for axis, step in enumerate(self.steps):
            rows.append(tuple(step if source == axis else 0 for source in self.axes))
        return View(self.starts, tuple(rows))


def expand_key(key: Any, shape: Shape) -> list[Any]:
    """Return a key as a list that names every axis.

    Ellipsis is left in it only where it stands for no axis, as it still keeps index arrays apart.

    Parameters
    ----------
    key : object
        What NumPy takes for an index.
    shape : tuple of int
        Of the indexed array.

    Raises
    ------
    IndexingError
        If the key names more axes than there are, or has two Ellipses.
    """
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
        elif isinstance(item, LazyArray | np.ndarray) and kind_of(item.dtype) == "b":
            used += item.ndim
        else:
            items[position] = _plain(item)
            used += 1
    if used > len(shape):
        raise IndexingError(
            f"too many indices for array: array is {len(shape)}-dimensional, "
            f"but {used} were indexed",
            origin=origin(),
        )
    fill: list[Any] = [slice(None)] * (len(shape) - used)
    if ellipsis is None or (not fill and 0 < ellipsis < len(items) - 1):
        return items + fill
    return items[:ellipsis] + fill + items[ellipsis + 1 :]


def _plain(item: Any) -> Any:
    """Return the integer of an object that is one by ``__index__``, and no array; else itself."""
    kind = type(item)
    if kind is int or isinstance(item, np.integer) or kind is Symbol:
        return item
    if hasattr(kind, "__index__") and not hasattr(kind, "__array__"):
        return operator.index(item)
    return item


def _integer(item: Any, size: int, axis: int) -> int:
    value = operator.index(item)
    if not -size <= value < size:
        raise IndexingError(
            f"index {value} is out of bounds for axis {axis} with size {size}", origin=origin()
        )
    return value + size if value < 0 else value


def no_index(item: Any) -> IndexingError:
    """Return the error of a value that is no index.

    Parameters
    ----------
    item : object
        The value.

    Returns
    -------
    IndexingError
        To be raised.
    """
    return IndexingError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
        f"boolean arrays are valid indices, got {type(item).__name__}",
        origin=origin(),
    )


def basic_index(items: list[Any], shape: Shape) -> BasicIndex | None:
    """Return the basic index that items are, or None if there is an array among them.

    Parameters
    ----------
    items : list
        As :func:`expand_key` returns them.
    shape : tuple of int
        Of the indexed array.

    Raises
    ------
    IndexingError
        If an integer is out of bounds.
    """
    starts, steps, lengths = [], [], []
    axes: list[int | None] = []
    axis = 0
    for item in items:
        if item is None or item is Ellipsis:
            axes += [] if item is Ellipsis else [None]
            continue
        kind = type(item)
        if kind is slice:
            size = shape[axis]
            try:
                start, stop, step = item.indices(size)
            except TypeError as error:
                for other in items:  # NumPy looks at them before it does at slices
                    if isinstance(other, (float, complex, np.inexact)):
                        raise no_index(other) from None
                raise DTypeError(str(error), origin=origin()) from None
            except ValueError as error:
                raise ShapeError(str(error), origin=origin()) from None
            length = len(range(start, stop, step))
            # An empty slice, or one of length one, has no use for its start or step.
            starts.append(start if length else 0)
            steps.append(step if length != 1 else 1)
            lengths.append(length)
            axes.append(axis)
        elif kind is int or (isinstance(item, np.integer)):
            starts.append(_integer(item, shape[axis], axis))
            steps.append(0)
            lengths.append(1)
        else:
            return None
        axis += 1
    check_axes(len(axes))
    return BasicIndex(tuple(starts), tuple(steps), tuple(lengths), tuple(axes))


def basic_view(key: Any, shape: Shape) -> tuple[View, Shape] | None:
    """Return the index map of a basic key and the shape of its result; None of any other key.

    Parameters
    ----------
    key : object
        What NumPy takes for an index.
    shape : tuple of int
        Of the indexed array.

    Raises
    ------
    IndexingError
        If the key names more axes than there are, or an integer is out of bounds.
    """
    parts = _parts(key, shape)
    if parts is not None:
        known = _views.get(parts)
        if known is not None:
            return known
    basic = basic_index(expand_key(key, shape), shape)
    if basic is None:
        return None
    view = basic.view(), basic.shape
    if parts is not None:
        if len(_views) >= _MOST_VIEWS:
            _views.clear()
        _views[parts] = view
    return view


def _parts(key: Any, shape: Shape) -> tuple[object, ...] | None:
    """Return the parts of a basic key of plain integers, to look it up; None of another key."""
    parts: list[object] = [shape]
    for item in key if type(key) is tuple else (key,):
        kind = type(item)
        if kind is slice:
            start, stop, step = item.start, item.stop, item.step
            # Equal numbers of other types are no bounds.
            if not (type(start) in _BOUNDS and type(stop) in _BOUNDS and type(step) in _BOUNDS):
                return None
            parts.append((start, stop, step))
        elif kind is int or item is None or item is Ellipsis:
            parts.append(item)
        else:
            return None
    return tuple(parts)


def has_ellipsis(key: Any) -> bool:
    """Return whether a key has an Ellipsis, so that it gives an array even without axes."""
    return key is Ellipsis or (type(key) is tuple and any(item is Ellipsis for item in key))
