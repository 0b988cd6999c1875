"""Functions that take parts of arrays by position: flips, diagonals, windows, elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.coercion import holds_numbers
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, asarray, wrap
from lazyarr.builders import build
from lazyarr.builders.build import INT64
from lazyarr.core import shapes
from lazyarr.core.axis_numbers import c_int, list_axes, normalize_axes, strict_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, IndexingError, ShapeError
from lazyarr.numpy_api.creation import as_shape
from lazyarr.numpy_api.index_modes import index_mode
from lazyarr.numpy_api.movement import axis_of, reshape, swapaxes
from lazyarr.numpy_api.ufunc_arguments import check_taken_output, write_back
from lazyarr.numpy_api.view_making import shown

__all__ = [
    "diagonal",
    "flip",
    "fliplr",
    "flipud",
    "rot90",
    "sliding_window_view",
    "take",
]


def flip(m: Any, axis: Any = None) -> LazyArray:
    """Return `m` with the elements along axes in reverse.

    Parameters
    ----------
    m : array_like
        Input.
    axis : int or tuple of int, optional
        Default: all axes.

    Returns
    -------
    LazyArray
        A view of `m`.
    """
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
    """Return `m` turned by `k` right angles in the plane of two axes.

    Parameters
    ----------
    m : array_like
        With at least two axes.
    k : int
        The number of right angles, from the first axis towards the second.
    axes : pair of int
        The plane.

    Returns
    -------
    LazyArray
        A view of `m`.

    Raises
    ------
    ArgumentError
        If the axes are not two different ones.
    """
    x = asarray(m)
    if len(axes) != 2:
        raise ArgumentError("len(axes) must be 2.", origin=origin())
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == x.ndim:
        raise ArgumentError("Axes must be different.", origin=origin())
    if not all(-x.ndim <= axis < x.ndim for axis in axes):
        raise ArgumentError(
            f"Axes={tuple(axes)} out of range for array of ndim={x.ndim}.", origin=origin()
        )
    first, second = axis_of(axes[0], x.ndim), axis_of(axes[1], x.ndim)
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
    x = as_lazy(a)
    if axis is None:
        x, axis = reshape(x, (x.size,)), 0
    elif not x.ndim:
        x = reshape(x, (1,))
    with build.located():
        at = strict_axis(axis, x.ndim)
    # Numbers are cut to integers; arrays have to be cast safely.
    index = as_lazy(indices, INT64 if holds_numbers(indices) else None)
    build.check_cast(index.dtype, INT64, "same_kind")
    size = x.shape[at]
    mode = index_mode(mode)
    shape = (*x.shape[:at], *index.shape, *x.shape[at + 1 :])
    check_taken_output(out, shape, x.dtype, "take")
    # No position is looked at; in the second case NumPy's "wrap" does not end.
    if 0 in x.shape[:at] or (not size and 0 in shape and mode != "raise"):
        return write_back(wrap(build.filled(0, x.dtype, shape)), out, "take")
    if not size and index.size:
        raise IndexingError("cannot do a non-empty take from an empty axes.", origin=origin())
    if mode == "wrap":
        index = index % size
    elif mode == "clip":
        from lazyarr.numpy_api.selection import clip

        index = clip(index, 0, size - 1)
    if kind_of(index.dtype) == "b":
        index = index.astype(np.int64)
    return write_back(x[(*(slice(None),) * at, index)], out, "take")


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> LazyArray:
    """Return a diagonal of two axes as the last axis.

    Parameters
    ----------
    a : array_like
        With at least two axes.
    offset : int
        Columns to the right of the main diagonal; negative ones are rows below it.
    axis1, axis2 : int
        The axes of rows and of columns.

    Returns
    -------
    LazyArray
        A view that cannot be written to, with the diagonal as its last axis.

    Raises
    ------
    ShapeError
        If there are fewer than two axes.
    """
    x, offset, (axis1, axis2) = as_node(a), c_int(offset), map(c_int, (axis1, axis2))
    if x.ndim < 2:
        raise ShapeError("diag requires an array of at least two dimensions", origin=origin())
    first = axis_of(axis1, x.ndim, "axis1: axis")
    second = axis_of(axis2, x.ndim, "axis2: axis")
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
    source = as_node(x)
    sizes = window_shape if isinstance(window_shape, (tuple, list)) else (window_shape,)
    if any(isinstance(size, int) and size < 0 for size in sizes):
        raise ShapeError("`window_shape` cannot contain negative values", origin=origin())
    window = as_shape(window_shape)
    if axis is None:
        axes = tuple(range(source.ndim))
    else:
        axes = tuple(axis_of(k, source.ndim) for k in list_axes(axis))
    if len(axes) != len(window):
        count = f"got {len(window)} window_shape elements and"
        raise ArgumentError(
            f"Since axis is `None`, must provide window_shape for all dimensions of `x`; {count} "
            f"`x.ndim` is {source.ndim}."
            if axis is None
            else f"Must provide matching length window_shape and axis; {count} {len(axes)} axes "
            "elements.",
            origin=origin(),
        )
    sizes = list(source.shape)
    total = source.ndim + len(window)
    rows = [[int(k == axis) for k in range(total)] for axis in range(source.ndim)]
    for position, (along, length) in enumerate(zip(axes, window, strict=True)):
        if sizes[along] < length:
            raise ShapeError(
                "window shape cannot be larger than input array shape", origin=origin()
            )
        sizes[along] -= length - 1
        rows[along][source.ndim + position] = 1
    index_map = shapes.View((0,) * source.ndim, tuple(map(tuple, rows)))
    return shown(x, index_map, (*sizes, *window), locked=not writeable)
