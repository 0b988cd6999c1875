"""Basic keys: integers, slices, None and Ellipsis, which choose elements by an index map."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders.basic_index import basic_index
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.errors import IndexingError
from lazyarr.tracing import Symbol

__all__ = [
    "basic_view",
    "expand_key",
    "has_ellipsis",
]

#: Index maps of basic keys, by their parts and the shape that they index: a loop uses few.
_views: dict[tuple[object, ...], tuple[View, Shape]] = {}
_MOST_VIEWS = tuning.row().cached_maps
_BOUNDS = (int, type(None))


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
