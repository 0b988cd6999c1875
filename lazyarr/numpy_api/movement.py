"""Functions that move elements without computing: reshapes, transposes, broadcasts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import layout
from lazyarr.arrays.coercion import copy_mode
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, asarray, wrap
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.axis_numbers import c_int, list_axes, normalize_axes, normalize_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, AxisError, ShapeError
from lazyarr.numpy_api.creation import as_shape, on_device
from lazyarr.numpy_api.memory_order import axes_by_stride, order_of
from lazyarr.numpy_api.reduction_arguments import axes_of
from lazyarr.numpy_api.view_making import broadcast, reshaped, shown

__all__ = [
    "astype",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "expand_dims",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "squeeze",
    "swapaxes",
    "transpose",
]

Shape = tuple[int, ...]


def axis_of(axis: Any, ndim: int, name: str = "axis") -> int:
    """Return an axis counted from the front.

    Parameters
    ----------
    axis : int
        An axis; a negative one counts from the end.
    ndim : int
        The number of axes of the array.
    name : str, optional
        The argument's name in error messages.

    Returns
    -------
    int
        From 0 to ``ndim - 1``.

    Raises
    ------
    AxisError
        If there is no such axis.
    """
    with build.located():
        return normalize_axis(axis, ndim, name)


def _permuted(a: Any, axes: Sequence[int]) -> LazyArray:
    """Return a view of `a` with its axes in another order."""
    x = as_node(a)
    return shown(a, shapes.permute_view(axes), tuple([x.shape[axis] for axis in axes]))


def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> LazyArray:
    """Return the elements in another shape.

    Parameters
    ----------
    a : array_like
        Input.
    shape : int or tuple of int
        New shape of the same size; one entry may be -1. None: that of `a`.
    order : {"C", "F", "A"}
        Whether the last or the first index runs fastest; "A" is "F" for an array that lies in
        memory like that, else "C".
    copy : bool, optional
        Whether to make an array of its own: by default only if the elements cannot be seen in
        that shape as they lie. False forbids it.

    Returns
    -------
    LazyArray
        Of the new shape: a view of `a` if that can be.

    Raises
    ------
    ShapeError
        If the sizes differ.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.reshape(la.arange(6), (2, -1)).shape
    (2, 3)
    """
    order, copy = order_of(a, order), copy_mode(copy)
    if shape is None:
        return asarray(a)[...]
    x = as_node(a)
    entries = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    try:
        if any(isinstance(n, (bool, np.bool_)) for n in entries):
            raise TypeError("an integer is required")
        with build.located():
            sizes = shapes.reshape_shape(x.shape, entries)
    except TypeError as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"a shape takes integers, got {shape!r}", origin=origin()) from None
    if order == "F":
        turned = transpose(reshaped(transpose(a), sizes[::-1], copy))
        return wrap(turned._node) if copy else turned
    return reshaped(a, sizes, copy)


def ravel(a: Any, order: str = "C") -> LazyArray:
    """Return the elements in one axis: a view if they lie in that order, else a copy.

    Parameters
    ----------
    a : array_like
        Input.
    order : {"C", "F", "A", "K"}
        "C" and "F" let the last or the first index run fastest, "A" whichever does in memory if
        the array is contiguous, and "K" takes the elements as they lie in memory.

    Returns
    -------
    LazyArray
        With one axis.

    Examples
    --------
    >>> import numpy as np, lazyarr as la
    >>> x = la.asarray(np.array([[1, 2], [3, 4]]).T)
    >>> la.ravel(x).tolist(), la.ravel(x, order="K").tolist()
    ([1, 3, 2, 4], [1, 2, 3, 4])
    """
    x = asarray(a)
    order = order_of(x, order, keep=True)
    if order == "K":
        place = layout(x)
        x, order = transpose(x, axes_by_stride(place.shape, [place.strides])), "C"
    copy = None
    if isinstance(a, LazyArray):
        place = layout(x)
        copy = not (place.f_contiguous if order == "F" else place.c_contiguous) or None
    return reshape(x, (-1,) if x.size else (0,), order=order, copy=copy)


def transpose(a: Any, axes: Any = None) -> LazyArray:
    """Return `a` with its axes reversed, or in the order of `axes`.

    Parameters
    ----------
    a : array_like
        Input.
    axes : sequence of int, optional
        The axis of `a` for each axis of the result; default: the reverse order.

    Returns
    -------
    LazyArray
        A view of `a`.

    Raises
    ------
    ShapeError
        If `axes` is no permutation of the axes.
    """
    x = as_node(a)
    if axes is None:
        return _permuted(a, range(x.ndim - 1, -1, -1))
    listed = list_axes(axes)
    with build.located():
        for axis in listed:
            if isinstance(axis, bool) or not hasattr(axis, "__index__"):
                raise ArgumentError(f"axes must be integers, got {axis!r}")
    if len(listed) != x.ndim:
        raise ShapeError(
            f"axes don't match array: {listed} of the shape {x.shape}", origin=origin()
        )
    order = tuple(axis_of(axis, x.ndim) for axis in listed)
    if len(set(order)) != x.ndim:
        raise ShapeError(f"repeated axis in transpose: {listed}", origin=origin())
    return _permuted(a, order)


def permute_dims(a: Any, axes: Any = None) -> LazyArray:
    """Return `a` with its axes in the order of `axes`.

    Parameters
    ----------
    a : array_like
        Input.
    axes : sequence of int, optional
        As for :func:`lazyarr.transpose`, whose name in the Array API this is.
    """
    return transpose(a, axes)


def matrix_transpose(x: Any, /) -> LazyArray:
    """Return `x` with its last two axes exchanged."""
    if as_node(x).ndim < 2:
        raise ShapeError(
            f"Input array must be at least 2-dimensional, but it is {as_node(x).ndim}",
            origin=origin(),
        )
    return swapaxes(x, -1, -2)


def swapaxes(a: Any, axis1: int, axis2: int) -> LazyArray:
    """Return `a` with two axes exchanged.

    Parameters
    ----------
    a : array_like
        Input.
    axis1, axis2 : int
        The axes.

    Returns
    -------
    LazyArray
        A view of `a`.
    """
    x, (axis1, axis2) = as_node(a), map(c_int, (axis1, axis2))
    order = list(range(x.ndim))
    first, second = axis_of(axis1, x.ndim, "axis1: axis"), axis_of(axis2, x.ndim, "axis2: axis")
    order[first], order[second] = order[second], order[first]
    return _permuted(a, order)


def moveaxis(a: Any, source: Any, destination: Any) -> LazyArray:
    """Return `a` with axes moved to other places, the rest in their order.

    Parameters
    ----------
    a : array_like
        Input.
    source : int or sequence of int
        The axes to move.
    destination : int or sequence of int
        Their positions in the result.

    Returns
    -------
    LazyArray
        A view of `a`.

    Raises
    ------
    ArgumentError
        If there are more of one than of the other.
    AxisError
        If an axis does not exist or is named twice.
    """
    x = as_node(a)
    froms, tos = list_axes(source), list_axes(destination)
    start = [axis_of(axis, x.ndim, "source: axis") for axis in froms]
    goal = [axis_of(axis, x.ndim, "destination: axis") for axis in tos]
    if len(start) != len(goal):
        raise ArgumentError(
            "`source` and `destination` arguments must have the same number of elements",
            origin=origin(),
        )
    if len(set(start)) != len(start) or len(set(goal)) != len(goal):
        name = "source" if len(set(start)) != len(start) else "destination"
        raise AxisError(f"repeated axis in `{name}` argument", origin=origin())
    order = [axis for axis in range(x.ndim) if axis not in start]
    for to, axis in sorted(zip(goal, start, strict=True)):
        order.insert(to, axis)
    return _permuted(a, order)


def rollaxis(a: Any, axis: int, start: int = 0) -> LazyArray:
    """Return `a` with an axis moved back to a position before another.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int
        The axis to move.
    start : int
        The axis before which it goes.

    Returns
    -------
    LazyArray
        A view of `a`.

    Raises
    ------
    AxisError
        If there is no such axis, or no such place before one.
    """
    ndim = as_node(a).ndim
    at = axis_of(axis, ndim)
    to = index(start) + ndim if start < 0 else index(start)
    if not 0 <= to <= ndim:
        raise AxisError(
            f"'start' arg requires {-ndim} <= start < {ndim + 1}, but {start} was passed in",
            origin=origin(),
        )
    return moveaxis(a, at, to - 1 if at < to else to)


def squeeze(a: Any, axis: Any = None) -> LazyArray:
    """Return `a` without its axes of length one, or without those named.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int or tuple of int, optional
        Axes of length one; default: all of them.

    Returns
    -------
    LazyArray
        A view of `a`; `a` itself if no axis goes.

    Raises
    ------
    ShapeError
        If the length of a named axis is not one.
    """
    x = as_node(a)
    axes: tuple[int, ...]
    if axis is None:
        axes = tuple(k for k, n in enumerate(x.shape) if n == 1)
    else:
        axes = axes_of(axis, x.ndim, lenient=True)
    if not axes and isinstance(a, LazyArray):
        return a
    if any(x.shape[k] != 1 for k in axes):
        raise ShapeError(
            "cannot select an axis to squeeze out which has size not equal to one, "
            f"got axis {axis} of shape {x.shape}",
            origin=origin(),
        )
    return reshaped(a, tuple(n for k, n in enumerate(x.shape) if k not in axes))


def expand_dims(a: Any, axis: Any) -> LazyArray:
    """Return `a` with additional axes of length one.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int or tuple of int
        Positions of the new axes in the result.

    Returns
    -------
    LazyArray
        A view of `a`.
    """
    x = as_node(a)
    listed = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    with build.located():
        axes = normalize_axes(listed, x.ndim + len(listed))
    remaining = iter(x.shape)
    total = range(x.ndim + len(listed))
    return reshaped(a, tuple(1 if k in axes else next(remaining) for k in total))


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> LazyArray:
    """Return `array` broadcast to a shape, without using memory for it.

    Parameters
    ----------
    array : array_like
        Input.
    shape : int or tuple of int
        Of the result.
    subok : bool
        Accepted for NumPy's sake.

    Returns
    -------
    LazyArray
        A view that cannot be written to.

    Raises
    ------
    ShapeError
        If the array does not broadcast to the shape.
    """
    return broadcast(array, as_shape(shape, "all elements of broadcast shape must be non-negative"))


def broadcast_shapes(*args: Any) -> Shape:
    """Return the shape that shapes broadcast to."""
    if all(type(shape) is tuple and all(type(n) is int for n in shape) for shape in args):
        try:
            return np.broadcast_shapes(*args)
        except ValueError:
            pass  # the error is that of the general way
    with build.located():
        sizes = [x.item() if hasattr(x, "item") and not np.ndim(x) else x for x in args]
        return shapes.broadcast_shapes(*map(as_shape, sizes))


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """Return the arrays broadcast against each other.

    Where one has elements such as None and strings, values are computed and NumPy broadcasts all.

    Parameters
    ----------
    *args : array_like
        Arrays.
    subok : bool
        For NumPy, where it broadcasts; else accepted for its sake.

    Returns
    -------
    tuple of LazyArray, or of ndarray
        Views that cannot be written to, and the arrays themselves that have the shape already.
    """
    if any(map(_has_objects, args)):
        args = tuple([np.asarray(x) if isinstance(x, LazyArray) else x for x in args])
        return tuple(np.broadcast_arrays(*args, subok=subok))
    arrays = [asarray(x) for x in args]
    with build.located():
        shape = shapes.broadcast_shapes(*[x.shape for x in arrays]) if arrays else ()
    return tuple([x if x.shape == shape else broadcast(x, shape) for x in arrays])


def _has_objects(value: Any) -> bool:
    """Return whether an array-like's elements are None, texts, dates or other objects."""
    if value is None or isinstance(value, (str, bytes, np.datetime64, np.timedelta64)):
        return True
    return isinstance(value, np.ndarray) and kind_of(value.dtype) not in "biufc"


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: str | None = None) -> LazyArray:
    """Return `x` converted to a dtype.

    Parameters
    ----------
    x : array_like
        Input.
    dtype : dtype
        Of the result.
    copy : bool
        False returns `x` itself if it has the dtype.
    device : {"cpu", "cuda"}, optional
        Where to hold the value; default: where it is.

    Returns
    -------
    LazyArray
        Of the shape of `x`.
    """
    if not isinstance(x, (LazyArray, np.ndarray, np.generic)):
        raise ArgumentError(
            f"Input should be a NumPy array or scalar. It is a {type(x)} instead.",
            origin=origin(),
        )
    if build.as_dtype(dtype) == x.dtype:
        return on_device(asarray(x, copy=copy or None), device)
    return on_device(as_lazy(x).astype(dtype), device)
