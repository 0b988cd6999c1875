"""Arrays that show the elements of others: where NumPy makes a view, and where it copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import layout
from lazyarr.arrays.lazy_array import LazyArray, as_node, asarray, wrap
from lazyarr.arrays.steps import Bits, Locked, Reshaped, Unsettled, as_bits
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError

__all__ = ["broadcast", "is_fortran", "reinterpreted", "reshaped", "shown", "windows_in_memory"]

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


def _shared(a: Any) -> Any:
    """Return an ndarray as a LazyArray of its memory, of which there are views.

    Of memory with gaps there are none: what shows a part of it gets a copy.
    """
    return asarray(a) if type(a) is np.ndarray and a.flags.forc else a


def shown(a: Any, index_map: shapes.View, shape: Shape, *, locked: bool = False) -> LazyArray:
    """Return the elements of `a` that an index map chooses: a view of an array.

    Parameters
    ----------
    a : array_like
        The array to show.
    index_map : View
        From the indices of the result to those of `a`.
    shape : tuple of int
        Of the result.
    locked : bool
        Whether the view cannot be written to.

    Returns
    -------
    LazyArray
        A view if `a` is an array, else a new one.
    """
    a = _shared(a)
    x = as_node(a)
    value = build.view(x, index_map, shape)
    if not isinstance(a, LazyArray):
        return wrap(value)
    view: LazyArray = a._view(value, Locked(index_map, shape) if locked else (index_map, shape))
    return view


def reshaped(a: Any, shape: Shape, copy: bool | None = None) -> LazyArray:
    """Return `a` in another shape of the same size: a view where NumPy makes one.

    Parameters
    ----------
    a : array_like
        Input.
    shape : tuple of int
        Of as many elements.
    copy : bool, optional
        True copies; False forbids to; by default a copy is made where there can be no view.

    Returns
    -------
    LazyArray
        The elements in C order.

    Raises
    ------
    ArgumentError
        If there can be no view and `copy` is False.
    """
    a = _shared(a)
    x = as_node(a)
    value = build.reshape(x, shape)
    if not isinstance(a, LazyArray):
        return wrap(value)
    if copy:
        return a.copy() if value is x else wrap(value)
    index_map = shapes.expand_view(x.shape, shape)
    if index_map is not None:
        return shown(a, index_map, shape)
    if copy is None:
        unsettled: LazyArray = a._view(value, Unsettled(shape))
        return unsettled
    if layout(a).reshaped(shape) is None:
        raise ArgumentError(
            "Unable to avoid creating a copy while reshaping.",
            origin=origin(),
            hint=f"an array of shape {x.shape} has no view of shape {shape}",
        )
    view: LazyArray = a._view(value, Reshaped(shape))
    return view


def is_fortran(a: Any) -> bool:
    """Return whether an array lies in Fortran order, and not in C order."""
    if isinstance(a, LazyArray):
        place = layout(a)
        return place.f_contiguous and not place.c_contiguous
    return isinstance(a, np.ndarray) and np.isfortran(a)


def broadcast(array: Any, shape: Shape) -> LazyArray:
    """Return an array broadcast to a shape.

    Parameters
    ----------
    array : array_like
        Input.
    shape : tuple of int
        Of the result.

    Returns
    -------
    LazyArray
        A view that cannot be written to.

    Raises
    ------
    ShapeError
        If the array does not broadcast to the shape.
    """
    shared = asarray(array)
    x = shared._node
    value = build.broadcast_to(x, shape)
    view: LazyArray = shared._view(value, Locked(shapes.broadcast_view(x.shape, shape), shape))
    return view


def reinterpreted(x: LazyArray, dtype: Any) -> LazyArray:
    """Return the bits of the elements, read as another dtype, as ``ndarray.view`` does.

    Parameters
    ----------
    x : LazyArray
        Input.
    dtype : dtype
        To read the bits as.

    Returns
    -------
    LazyArray
        A view; the last axis is longer or shorter if the sizes of the dtypes differ.

    Raises
    ------
    ArgumentError
        If the sizes differ, and the last axis is not contiguous or no multiple of the dtype's size.
    """
    target = build.as_dtype(dtype)
    if target == x.dtype:
        return x[...]
    shape = x.shape
    if target.itemsize != x.dtype.itemsize:
        rest = shape[-1] * x.dtype.itemsize % target.itemsize if shape else 1
        if not shape or rest:
            text = "Changing the dtype of a 0d array is only supported if the itemsize is unchanged"
            if shape:
                text = "When changing to a larger dtype, its size must be a divisor of the total "
                text += "size in bytes of the last axis of the array."
            raise ArgumentError(text, origin=origin())
    bits = as_bits(x._node, target)
    if layout(x).read_as(target.itemsize) is None:
        raise ArgumentError(
            "To change to a dtype of a different size, the last axis must be contiguous",
            origin=origin(),
            hint="copy it first: x.copy()",
        )
    view: LazyArray = x._view(bits, Bits(target))
    return view


def windows_in_memory(
    x: Array, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Array:
    """Return the windows of an array in C order, as a view, as ``sliding_window_view`` does.

    Parameters
    ----------
    x : numpy.ndarray
        The array.
    window_shape, axis, subok, writeable
        As there.

    Raises
    ------
    ValueError
        Of other arrays, and if there is no such window: the expression says why.
    """
    sizes = window_shape if isinstance(window_shape, tuple) else (window_shape,)
    axes = axis if isinstance(axis, tuple) else range(x.ndim) if axis is None else (axis,)
    shape = list(x.shape)
    for along, size in zip(axes, sizes, strict=True):
        shape[along] -= size - 1
    if not x.flags.c_contiguous or min(shape, default=0) < 1 or min(sizes, default=0) < 1:
        raise ValueError("no windows in memory")
    strides = (*x.strides, *[x.strides[along] for along in axes])
    windows: Array = np.ndarray((*shape, *sizes), x.dtype, x, 0, strides)
    windows.flags.writeable = writeable
    return windows
