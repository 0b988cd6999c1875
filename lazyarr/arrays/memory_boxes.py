"""Ranges of indices of an array in memory that a view shows, and copies of what is around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of

__all__ = ["box_of", "copy_around"]

Array = np.ndarray[Any, Any]


def box_of(owned: Array, part: Array) -> list[tuple[int, int]] | None:
    """Return the range of indices along each axis of an array that a view of it shows.

    None if it shows no such ranges, or of memory in neither C nor Fortran order.

    Parameters
    ----------
    owned : numpy.ndarray
        The array.
    part : numpy.ndarray
        The view, of as many elements as the ranges have.
    """
    if not owned.flags.forc or 0 in part.shape:
        return None
    start = address_of(part) - address_of(owned)
    lengths: dict[int, int] = {}
    for stride, size in zip(part.strides, part.shape, strict=True):
        if size == 1:
            continue
        if stride < 0:
            start += stride * (size - 1)
        if abs(stride) in lengths:
            return None
        lengths[abs(stride)] = size
    box = [(0, size) for size in owned.shape]
    for axis in sorted(range(owned.ndim), key=lambda axis: -owned.strides[axis]):
        stride, size = owned.strides[axis], owned.shape[axis]
        if size == 1:
            continue
        low, start = divmod(start, stride)
        length = lengths.pop(stride, 1)
        if low < 0 or low + length > size:
            return None
        box[axis] = low, low + length
    return None if start or lengths else box


def copy_around(target: Array, source: Array, box: list[tuple[int, int]]) -> None:
    """Copy the elements of an array that are in no box.

    Parameters
    ----------
    target, source : numpy.ndarray
        Of one shape.
    box : list of (int, int)
        Where the box begins and ends along each axis.
    """
    inside: tuple[slice, ...] = ()
    for (low, high), size in zip(box, source.shape, strict=True):
        if low:
            before = (*inside, slice(0, low))
            target[before] = source[before]
        if high < size:
            behind = (*inside, slice(high, size))
            target[behind] = source[behind]
        inside = (*inside, slice(low, high))
