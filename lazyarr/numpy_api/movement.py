"""Functions that move elements without computing: views, reshapes, joins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import layout
from lazyarr.arrays.lazy_array import LazyArray, as_node, asarray, wrap
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.shapes import normalize_axes, normalize_axis
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, AxisError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.creation import as_shape, on_device
from lazyarr.numpy_api.memory_order import axes_by_stride, order_of
from lazyarr.numpy_api.ufunc_arguments import deliver
from lazyarr.numpy_api.view_making import broadcast, reshaped, shown

__all__ = [
    "astype",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "diagonal",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "rot90",
    "sliding_window_view",
    "squeeze",
    "swapaxes",
    "take",
    "transpose",
]

Shape = tuple[int, ...]


def axis_of(axis: Any, ndim: int) -> int:
    """Return an axis counted from the front."""
    with build.located():
        return normalize_axis(axis, ndim)


def permuted(x: Node, axes: Sequence[int]) -> Node:
    """Return `x` with its axes in another order."""
    if tuple(axes) == tuple(range(x.ndim)):
        return x
    return build.view(x, shapes.permute_view(axes), tuple(x.shape[axis] for axis in axes))


def _permuted(a: Any, axes: Sequence[int]) -> LazyArray:
    """Return a view of `a` with its axes in another order."""
    x = as_node(a)
    return shown(a, shapes.permute_view(axes), tuple([x.shape[axis] for axis in axes]))


def reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, copy: bool | None = None
) -> LazyArray:
    """Return the elements in another shape.

    Parameters
    ----------
    a : array_like
        Input.
    shape : int or tuple of int
        New shape of the same size; one entry may be -1.
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
    x = as_node(a)
    if shape is None:
        raise ArgumentError(
            "reshape() missing 1 required positional argument: 'shape'", origin=origin()
        )
    order = order_of(a, order)
    given = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    try:
        with build.located():
            sizes = shapes.reshape_shape(x.shape, given)
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
    """Return `a` with its axes reversed, or in the order of `axes`."""
    x = as_node(a)
    if axes is None:
        return _permuted(a, range(x.ndim - 1, -1, -1))
    given = tuple(axes) if isinstance(axes, Iterable) else (axes,)
    if len(given) != x.ndim:
        raise ShapeError(f"axes {given} don't match array of shape {x.shape}", origin=origin())
    order = tuple(axis_of(axis, x.ndim) for axis in given)
    if len(set(order)) != x.ndim:
        raise ShapeError(f"repeated axis in transpose: {given}", origin=origin())
    return _permuted(a, order)


def permute_dims(a: Any, axes: Any = None) -> LazyArray:
    """Return `a` with its axes in the order of `axes`."""
    return transpose(a, axes)


def matrix_transpose(x: Any, /) -> LazyArray:
    """Return `x` with its last two axes exchanged."""
    if as_node(x).ndim < 2:
        raise ShapeError(
            f"matrix transpose needs at least two axes, got shape {as_node(x).shape}",
            origin=origin(),
        )
    return swapaxes(x, -1, -2)


def swapaxes(a: Any, axis1: int, axis2: int) -> LazyArray:
    """Return `a` with two axes exchanged."""
    x = as_node(a)
    order = list(range(x.ndim))
    first, second = axis_of(axis1, x.ndim), axis_of(axis2, x.ndim)
    order[first], order[second] = order[second], order[first]
    return _permuted(a, order)


def moveaxis(a: Any, source: Any, destination: Any) -> LazyArray:
    """Return `a` with axes moved to other places, the rest in their order."""
    x = as_node(a)
    froms = tuple(source) if isinstance(source, Iterable) else (source,)
    tos = tuple(destination) if isinstance(destination, Iterable) else (destination,)
    start = [axis_of(axis, x.ndim) for axis in froms]
    goal = [axis_of(axis, x.ndim) for axis in tos]
    if len(start) != len(goal):
        raise ArgumentError(
            "`source` and `destination` arguments must have the same number of elements",
            origin=origin(),
        )
    if len(set(start)) != len(start) or len(set(goal)) != len(goal):
        raise AxisError(f"repeated axis in {froms} or {tos}", origin=origin())
    order = [axis for axis in range(x.ndim) if axis not in start]
    for to, axis in sorted(zip(goal, start, strict=True)):
        order.insert(to, axis)
    return _permuted(a, order)


def rollaxis(a: Any, axis: int, start: int = 0) -> LazyArray:
    """Return `a` with an axis moved back to before another."""
    ndim = as_node(a).ndim
    at = axis_of(axis, ndim)
    to = start + ndim if start < 0 else start
    return moveaxis(a, at, to - 1 if at < to else to)


def squeeze(a: Any, axis: Any = None) -> LazyArray:
    """Return `a` without its axes of length one, or without those named."""
    x = as_node(a)
    axes: tuple[int, ...]
    if axis is None:
        axes = tuple(k for k, n in enumerate(x.shape) if n == 1)
    else:
        with build.located():
            axes = normalize_axes(axis, x.ndim)
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
    """Return `a` with axes of length one at the positions `axis` of the result."""
    x = as_node(a)
    given = tuple(axis) if isinstance(axis, Iterable) else (axis,)
    with build.located():
        axes = normalize_axes(given, x.ndim + len(given))
    remaining = iter(x.shape)
    total = range(x.ndim + len(given))
    return reshaped(a, tuple(1 if k in axes else next(remaining) for k in total))


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> LazyArray:
    """Return `array` broadcast to a shape, without using memory for it."""
    return broadcast(array, as_shape(shape))


def broadcast_shapes(*args: Any) -> Shape:
    """Return the shape that shapes broadcast to."""
    with build.located():
        return shapes.broadcast_shapes(*[as_shape(shape) for shape in args])


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """Return the arrays broadcast against each other.

    Where one has elements that lazyarr does not compute with, such as None and strings, values
    are computed and NumPy broadcasts all.
    """
    if any(map(_has_objects, args)):
        values = [np.asarray(x) if isinstance(x, LazyArray) else x for x in args]
        return tuple(np.broadcast_arrays(*values, subok=subok))
    nodes = [as_node(x) for x in args]
    with build.located():
        shape = shapes.broadcast_shapes(*[x.shape for x in nodes]) if nodes else ()
    if all(x.shape == shape for x in nodes):
        return tuple(map(asarray, args))
    return tuple(broadcast(x, shape) for x in args)


def _has_objects(value: Any) -> bool:
    """Return whether an array-like's elements are None, texts, dates or other objects."""
    if value is None or isinstance(value, (str, bytes, np.datetime64, np.timedelta64)):
        return True
    return isinstance(value, np.ndarray) and value.dtype.kind not in "biufc"


def flip(m: Any, axis: Any = None) -> LazyArray:
    """Return `m` with the elements along axes in reverse."""
    x = asarray(m)
    with build.located():
        axes = normalize_axes(axis, x.ndim)
    reverse, whole = slice(None, None, -1), slice(None)
    return x[tuple(reverse if k in axes else whole for k in range(x.ndim))]


def fliplr(m: Any) -> LazyArray:
    """Return `m` with its second axis in reverse."""
    if as_node(m).ndim < 2:
        raise ShapeError("Input must be >= 2-d.", origin=origin())
    return flip(m, 1)


def flipud(m: Any) -> LazyArray:
    """Return `m` with its first axis in reverse."""
    if as_node(m).ndim < 1:
        raise ShapeError("Input must be >= 1-d.", origin=origin())
    return flip(m, 0)


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> LazyArray:
    """Return `m` turned by `k` right angles in the plane of two axes."""
    x = asarray(m)
    if len(axes) != 2:
        raise ArgumentError("len(axes) must be 2.", origin=origin())
    first, second = axis_of(axes[0], x.ndim), axis_of(axes[1], x.ndim)
    if first == second:
        raise ArgumentError("Axes must be different.", origin=origin())
    match k % 4:
        case 0:
            return x[...]
        case 1:
            return swapaxes(flip(x, second), first, second)
        case 2:
            return flip(x, (first, second))
        case _:
            return flip(swapaxes(x, first, second), second)


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """Return elements of `a` at positions along an axis.

    Parameters
    ----------
    a : array_like
        Input.
    indices : array_like of int
        Positions; negative ones count from the end.
    axis : int, optional
        Default: the flattened array.
    out : ndarray or LazyArray, optional
        Takes the result on.
    mode : {"raise", "wrap", "clip"}
        What to do with positions out of bounds.

    Returns
    -------
    LazyArray
        The axis is replaced by the axes of `indices`.
    """
    x = asarray(a)
    if axis is None:
        x, axis = reshape(x, (x.size,)), 0
    at = axis_of(axis, x.ndim)
    index = asarray(indices)
    if not index.size and isinstance(indices, (list, tuple)):
        index = index.astype(np.int64)  # an empty list has no dtype of its own
    size = x.shape[at]
    if mode == "wrap":
        index = index % size
    elif mode == "clip":
        from lazyarr.numpy_api.selection import clip

        index = clip(index, 0, size - 1)
    elif mode != "raise":
        raise ArgumentError(f"mode must be raise, wrap or clip, got {mode!r}", origin=origin())
    if index.dtype.kind == "b":
        index = index.astype(np.int64)
    return deliver(x[(*(slice(None),) * at, index)], out)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> LazyArray:
    """Return a diagonal of two axes as the last axis: a view."""
    x = as_node(a)
    if x.ndim < 2:
        raise ShapeError("diag requires an array of at least two dimensions", origin=origin())
    first, second = axis_of(axis1, x.ndim), axis_of(axis2, x.ndim)
    if first == second:
        raise ArgumentError("axis1 and axis2 cannot be the same", origin=origin())
    others = [axis for axis in range(x.ndim) if axis not in (first, second)]
    down, right = max(-offset, 0), max(offset, 0)
    length = max(min(x.shape[first] - down, x.shape[second] - right), 0)
    shape = (*(x.shape[axis] for axis in others), length)
    rows = []
    starts = []
    for axis in range(x.ndim):
        start = down if axis == first else right if axis == second else 0
        starts.append(start if length else 0)
        place = len(others) if axis in (first, second) else others.index(axis)
        rows.append(tuple(int(k == place) for k in range(len(shape))))
    return shown(a, shapes.View(tuple(starts), tuple(rows)), shape, locked=True)


def sliding_window_view(
    x: Any,
    window_shape: Any,
    axis: Any = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> LazyArray:
    """Return all windows of a shape, as added axes at the end: a view.

    Parameters
    ----------
    x : array_like
        Input.
    window_shape : int or tuple of int
        Size of the window along each axis of `axis`.
    axis : int or tuple of int, optional
        Default: all axes.
    subok : bool
        Accepted for NumPy's sake.
    writeable : bool
        Whether the windows can be written to; where they overlap, the last one wins.

    Returns
    -------
    LazyArray
        Each windowed axis is shorter by the window's size less one.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.sliding_window_view(la.arange(5), 3).sum(axis=-1).compute()
    array([3, 6, 9])
    """
    made = as_node(x)
    window = as_shape(window_shape)
    if axis is None:
        axes = tuple(range(made.ndim))
    else:
        given = tuple(axis) if isinstance(axis, Iterable) else (axis,)
        axes = tuple(axis_of(k, made.ndim) for k in given)
    if len(axes) != len(window):
        raise ArgumentError(
            f"window_shape has {len(window)} entries for {len(axes)} axes", origin=origin()
        )
    sizes = list(made.shape)
    total = made.ndim + len(window)
    rows = [[int(k == axis) for k in range(total)] for axis in range(made.ndim)]
    for position, (along, length) in enumerate(zip(axes, window, strict=True)):
        if sizes[along] < length:
            raise ShapeError(
                "window shape cannot be larger than input array shape", origin=origin()
            )
        sizes[along] -= length - 1
        rows[along][made.ndim + position] = 1
    index_map = shapes.View((0,) * made.ndim, tuple(map(tuple, rows)))
    return shown(x, index_map, (*sizes, *window), locked=not writeable)


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: str | None = None) -> LazyArray:
    """Return `x` converted to `dtype`, held on `device` if one is named."""
    return on_device(asarray(x).astype(dtype), device)
