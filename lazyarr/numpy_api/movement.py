"""Functions that move elements without computing: views, reshapes, joins."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_node, asarray, wrap
from lazyarr.builders import nodes as build
from lazyarr.core import shapes
from lazyarr.core.shapes import normalize_axes, normalize_axis
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, AxisError, DTypeError, ShapeError
from lazyarr.graph.node import Early, Node
from lazyarr.numpy_api.creation import as_shape
from lazyarr.numpy_api.ufunc_arguments import call_library, deliver
from lazyarr.ops.library import DATA_SHAPED

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
    "repeat",
    "reshape",
    "resize",
    "rollaxis",
    "rot90",
    "sliding_window_view",
    "squeeze",
    "swapaxes",
    "take",
    "tile",
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
        Whether the last or the first index runs fastest.
    copy : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    LazyArray
        Of the new shape.

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
    given = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    try:
        with build.located():
            sizes = shapes.reshape_shape(x.shape, given)
    except TypeError as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"a shape takes integers, got {shape!r}", origin=origin()) from None
    if order == "F":
        reverse = range(x.ndim - 1, -1, -1)
        turned = build.reshape(permuted(x, tuple(reverse)), sizes[::-1])
        return wrap(permuted(turned, tuple(range(len(sizes) - 1, -1, -1))))
    if order not in ("C", "A", "K"):
        raise ArgumentError(f"order must be 'C', 'F' or 'A', got {order!r}", origin=origin())
    return wrap(build.reshape(x, sizes))


def ravel(a: Any, order: str = "C") -> LazyArray:
    """Return the elements in one axis."""
    return reshape(a, (-1,), order=order) if as_node(a).size else reshape(a, (0,))


def transpose(a: Any, axes: Any = None) -> LazyArray:
    """Return `a` with its axes reversed, or in the order of `axes`."""
    x = as_node(a)
    if axes is None:
        return wrap(permuted(x, tuple(range(x.ndim - 1, -1, -1))))
    given = tuple(axes) if isinstance(axes, Iterable) else (axes,)
    if len(given) != x.ndim:
        raise ShapeError(f"axes {given} don't match array of shape {x.shape}", origin=origin())
    order = tuple(axis_of(axis, x.ndim) for axis in given)
    if len(set(order)) != x.ndim:
        raise ShapeError(f"repeated axis in transpose: {given}", origin=origin())
    return wrap(permuted(x, order))


def permute_dims(x: Any, /, axes: Any) -> LazyArray:
    """Return `x` with its axes in the order of `axes`."""
    return transpose(x, axes)


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
    return wrap(permuted(x, order))


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
    return wrap(permuted(x, order))


def rollaxis(a: Any, axis: int, start: int = 0) -> LazyArray:
    """Return `a` with an axis moved back to before another."""
    ndim = as_node(a).ndim
    at = axis_of(axis, ndim)
    to = start + ndim if start < 0 else start
    return moveaxis(a, at, to - 1 if at < to else to)


def squeeze(a: Any, axis: Any = None) -> LazyArray:
    """Return `a` without its axes of length one, or without those named."""
    x = as_node(a)
    if axis is None:
        return wrap(build.reshape(x, tuple(n for n in x.shape if n != 1)))
    with build.located():
        axes = normalize_axes(axis, x.ndim)
    if any(x.shape[k] != 1 for k in axes):
        raise ShapeError(
            "cannot select an axis to squeeze out which has size not equal to one, "
            f"got axis {axis} of shape {x.shape}",
            origin=origin(),
        )
    return wrap(build.reshape(x, tuple(n for k, n in enumerate(x.shape) if k not in axes)))


def expand_dims(a: Any, /, axis: Any = 0) -> LazyArray:
    """Return `a` with axes of length one at the positions `axis` of the result."""
    x = as_node(a)
    given = tuple(axis) if isinstance(axis, Iterable) else (axis,)
    with build.located():
        axes = normalize_axes(given, x.ndim + len(given))
    return wrap(build.expand_axes(x, axes))


def broadcast_to(array: Any, /, shape: Any, subok: bool = False) -> LazyArray:
    """Return `array` broadcast to a shape, without using memory for it."""
    return wrap(build.broadcast_to(as_node(array), as_shape(shape)))


def broadcast_shapes(*args: Any) -> Shape:
    """Return the shape that shapes broadcast to."""
    with build.located():
        return shapes.broadcast_shapes(*[as_shape(shape) for shape in args])


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[LazyArray, ...]:
    """Return the arrays broadcast against each other."""
    nodes = [as_node(x) for x in args]
    with build.located():
        shape = shapes.broadcast_shapes(*[x.shape for x in nodes]) if nodes else ()
    return tuple(wrap(build.broadcast_to(x, shape)) for x in nodes)


def flip(m: Any, /, axis: Any = None) -> LazyArray:
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
            return x
        case 1:
            return swapaxes(flip(x, second), first, second)
        case 2:
            return flip(x, (first, second))
        case _:
            return flip(swapaxes(x, first, second), second)


def tile(A: Any, reps: Any) -> LazyArray:  # noqa: N803 - NumPy's name
    """Return `A` repeated as a whole, `reps` times along each axis."""
    counts = as_shape(reps)
    x = asarray(A)
    ndim = max(x.ndim, len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    sizes = (1,) * (ndim - x.ndim) + x.shape
    if all(count == 1 for count in counts):
        return x.reshape(sizes)
    apart = x.reshape(tuple(n for size in sizes for n in (1, size)))
    wide = build.broadcast_to(
        apart._node, tuple(n for pair in zip(counts, sizes, strict=True) for n in pair)
    )
    return wrap(build.reshape(wide, tuple(c * n for c, n in zip(counts, sizes, strict=True))))


def repeat(a: Any, repeats: Any, axis: Any = None) -> LazyArray:
    """Return `a` with each element repeated.

    Parameters
    ----------
    a : array_like
        Input.
    repeats : int or array_like of int
        How often: one number for all, or one an element along `axis`. An array is computed.
    axis : int, optional
        Default: the flattened array.

    Returns
    -------
    LazyArray
        Longer along the axis.
    """
    x = asarray(a)
    if axis is None:
        x, axis = x.reshape(-1) if x.size else x.reshape(0), 0
    at = axis_of(axis, x.ndim)
    counts = (
        repeats._value("numpy.repeat", DATA_SHAPED)
        if isinstance(repeats, LazyArray)
        else np.asarray(repeats)
    )
    if counts.size == 1:
        count = operator.index(counts.reshape(())[()])
        if count < 0:
            raise ArgumentError("repeats may not contain negative values.", origin=origin())
        shape = (*x.shape[: at + 1], count, *x.shape[at + 1 :])
        wide = build.broadcast_to(expand_dims(x, at + 1)._node, shape)
        merged = (*x.shape[:at], x.shape[at] * count, *x.shape[at + 1 :])
        return wrap(build.reshape(wide, merged))
    try:
        places = np.repeat(np.arange(x.shape[at]), counts)
    except ValueError as error:
        raise ShapeError(str(error), origin=origin()) from None
    index: Any = places
    if isinstance(repeats, LazyArray):
        index = wrap(build.leaf(places, Early("numpy.repeat", DATA_SHAPED, counts.nbytes)))
    return asarray(take(x, index, axis=at))


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
    return wrap(build.view(x, shapes.View(tuple(starts), tuple(rows)), shape))


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
    subok, writeable : bool
        Accepted for NumPy's sake.

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
    return wrap(build.view(made, index_map, (*sizes, *window)))


def resize(a: Any, new_shape: Any) -> LazyArray:
    """Return the elements, repeated as often as needed, in another shape of any size."""
    sizes = as_shape(new_shape)
    x = asarray(a)
    wanted = prod(sizes)
    if not x.size:
        return wrap(build.filled(0, x.dtype, sizes))
    return tile(x.reshape(-1), -(-wanted // x.size))[:wanted].reshape(sizes)


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: object = None) -> LazyArray:
    """Return `x` converted to `dtype`."""
    return asarray(x).astype(dtype)


def reinterpreted(x: LazyArray, dtype: Any) -> LazyArray:
    """Return the bits of the elements, read as another dtype, as ``ndarray.view`` does."""
    wanted = build.as_dtype(dtype)
    if wanted == x.dtype:
        return x
    shape = x.shape
    if wanted.itemsize != x.dtype.itemsize:
        length, rest = divmod(shape[-1] * x.dtype.itemsize if shape else 1, wanted.itemsize)
        if not shape or rest:
            raise DTypeError(
                f"cannot read {x.dtype} of shape {shape} as {wanted}: the last axis is no "
                f"multiple of {wanted.itemsize} bytes",
                origin=origin(),
            )
        shape = (*shape[:-1], length)
    return call_library("view", _view, (x,), shape, wanted, target=wanted)


def _view(array: Any, target: Any) -> Any:
    return np.ascontiguousarray(array).reshape(array.shape).view(target)
