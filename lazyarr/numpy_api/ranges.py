"""Arrays whose elements follow from their positions: ranges, grids and diagonals."""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import WEAK
from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, as_node, asarray, wrap
from lazyarr.arrays.prototype_argument import with_like
from lazyarr.builders import build
from lazyarr.core.axis_numbers import normalize_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.numpy_releases import LISTS_GRIDS
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.creation import (
    Device,
    as_shape,
    check_order_of_new,
    on_device,
    zeros,
)
from lazyarr.numpy_api.equal_steps import arange
from lazyarr.numpy_api.joining import concatenate, stack
from lazyarr.numpy_api.library_calls import library_node
from lazyarr.numpy_api.memory_order import in_order
from lazyarr.numpy_api.movement import expand_dims, moveaxis
from lazyarr.numpy_api.view_making import broadcast
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import library_function

__all__ = [
    "eye",
    "geomspace",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "tri",
]


def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Device = None,
) -> Any:
    """Return evenly spaced values over an interval.

    Parameters
    ----------
    start, stop : array_like
        Ends of the interval.
    num : int
        Number of values.
    endpoint : bool
        Whether `stop` is the last of them.
    retstep : bool
        Also return the step.
    dtype : dtype, optional
        Default: NumPy's rule, at least float64.
    axis : int
        Where the new axis goes if the ends are arrays.
    device : {"cpu", "cuda"}, optional
        Where to hold the values; default: wherever they are used.

    Returns
    -------
    LazyArray, or tuple of LazyArray and step
        As in NumPy, the last value is exactly `stop` if `endpoint` is true.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.linspace(0, 1, 5).compute()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    count = operator.index(num)
    if count < 0:
        raise ArgumentError(f"Number of samples, {num}, must be non-negative.", origin=origin())
    parts = count - 1 if endpoint else count
    left, right = as_lazy(start), as_lazy(stop)
    # Numbers of Python's are weak.
    operands = [x if type(x) in WEAK else as_node(x) for x in (start, stop)]
    loop = build.promote(*operands)
    if kind_of(loop) not in "fc":
        loop = build.promote(left._node, right._node, 0.0)
    result_dtype = loop if dtype is None else build.as_dtype(dtype)
    left = left if kind_of(left.dtype) in "fc" else left * 1.0
    difference = right.astype(loop) - left.astype(loop)
    position = wrap(build.iota(count)).astype(loop).reshape((count,) + (1,) * difference.ndim)
    step: Any
    if parts > 0:
        step = difference / parts
        values = _spread((start, stop), position, difference, step, parts) + left
        if endpoint and count > 1:
            last = wrap(build.broadcast_to(right.astype(loop)._node, values.shape[1:]))[None]
            values = concatenate([values[:-1].astype(loop), last], axis=0)
    else:
        step = as_lazy(float("nan"))
        values = position * difference + left
    values = as_lazy(values).astype(loop)
    if axis != 0:
        values = moveaxis(values, 0, axis)
    if kind_of(result_dtype) in "iu":
        values = wrap(build.elementwise(ELEMENTWISE["floor"], (values._node,)))
    values = on_device(values.astype(result_dtype), device)
    return (values, step) if retstep else values


def _spread(
    ends: tuple[Any, Any],
    position: LazyArray,
    difference: LazyArray,
    step: LazyArray,
    parts: int,
) -> LazyArray:
    """Return ``position * step``, unless the step vanished among subnormal numbers.

    As in NumPy, one step of zero changes how all values are computed.
    """
    if all(isinstance(end, (int, float, complex, np.number)) for end in ends):
        with np.errstate(all="ignore"):
            vanished = (np.multiply(ends[1], 1.0) - np.multiply(ends[0], 1.0)) / parts == 0
        return position / parts * difference if vanished else position * step
    lost = reductions.any(step == 0)
    return apply(ELEMENTWISE["where"], (lost, position / parts * difference, position * step))


def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> LazyArray:
    """Return powers with evenly spaced exponents: ``base ** linspace(start, stop, num)``.

    Parameters
    ----------
    start, stop : array_like
        Exponents of the first and the last value.
    num : int
        Number of values.
    endpoint : bool
        Whether the last exponent is `stop`.
    base : array_like
        Of the powers.
    dtype : dtype, optional
        Default: that of the powers, at least float64.
    axis : int
        Where the new axis goes if the ends are arrays.
    """
    ndim = max(as_node(x).ndim for x in (start, stop, base))
    if as_node(base).ndim:
        # The axis of the values goes among those that all three broadcast to.
        start, stop, base = (
            as_lazy(x).reshape((1,) * (ndim - as_node(x).ndim) + as_node(x).shape)
            for x in (start, stop, base)
        )
        with build.located():
            base = expand_dims(base, normalize_axis(axis, ndim + 1))
    exponents = linspace(start, stop, num, endpoint=endpoint, axis=axis)
    values: LazyArray = base**exponents
    return values if dtype is None else values.astype(dtype)


def geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> LazyArray:
    """Return numbers whose logarithms are evenly spaced.

    Parameters
    ----------
    start, stop : array_like
        The first and the last value, not zero.
    num : int
        Number of values.
    endpoint : bool
        Whether `stop` is the last of them.
    dtype : dtype, optional
        Default: NumPy's rule, at least float64.
    axis : int
        Where the new axis goes if the ends are arrays.

    Returns
    -------
    LazyArray
        NumPy computes it: at once if both ends are known, else when it is evaluated.
    """
    if operator.index(num) < 0:
        raise ArgumentError(f"Number of samples, {num}, must be non-negative.", origin=origin())
    options: dict[str, Any] = {"endpoint": endpoint, "dtype": dtype, "axis": axis}
    if not isinstance(start, LazyArray) and not isinstance(stop, LazyArray):
        return asarray(np.geomspace(start, stop, num, **options))
    ends = [as_lazy(start), as_lazy(stop)]
    # NumPy says which dtype and shape come out, and nothing is as large as the result is.
    small = [np.broadcast_to(np.ones((), end.dtype), end.shape) for end in ends]
    spaced: Callable[..., Any] = np.geomspace
    few = spaced(*small, 1, **options)
    joined = np.broadcast_shapes(*[x.shape for x in ends])
    values = np.broadcast_to(0, (operator.index(num), *joined))
    shape = (values if axis == 0 else np.moveaxis(values, 0, axis)).shape
    options["dtype"] = few.dtype  # to compute in: a complex one makes spirals of real ends
    op = library_function("geomspace", np.geomspace)
    return wrap(library_node(op, (*ends, num), options, shape, few.dtype))


@with_like
def eye(
    N: Any,  # noqa: N803 - NumPy's name
    M: Any = None,  # noqa: N803
    k: int = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: Device = None,
    like: object = None,
) -> LazyArray:
    """Return an array with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns; default: `N`.
    k : int
        Which diagonal: 0 is the main one, above it is positive.
    dtype : dtype
        Of the result.
    order : {"C", "F"}
        Of the elements in memory.
    like : object
        An array of another library, whose class makes the result (NEP 35).
    device : {"cpu", "cuda"}, optional
        Where to hold the values; default: wherever they are used.

    Returns
    -------
    LazyArray
        Of shape (N, M).

    Examples
    --------
    >>> import lazyarr as la
    >>> la.eye(2, 3, k=1, dtype=int).compute()
    array([[0, 1, 0],
           [0, 0, 1]])
    """
    rows, columns = as_shape((N, N if M is None else M))
    row, column = wrap(build.iota(rows)), wrap(build.iota(columns))
    check_order_of_new(order)
    # NumPy reads the number of a diagonal as an integer only if it begins inside of the matrix.
    place = columns if k >= columns else _diagonal(k, rows, columns)
    on_diagonal: LazyArray = row[:, None] + place == column
    result = on_diagonal.astype(float if dtype is None else dtype)
    return on_device(in_order(result, order), device)


def _diagonal(k: Any, rows: int, columns: int) -> int:
    """Return the number of a diagonal; those far outside the matrix are all alike."""
    try:
        place = operator.index(k)
    except TypeError as error:
        raise ArgumentError(f"k: {error}", origin=origin()) from None
    return max(-rows, min(place, columns))


@with_like
def identity(n: Any, dtype: Any = None, *, like: object = None) -> LazyArray:
    """Return ``eye(n, dtype=dtype)``.

    Parameters
    ----------
    n : int
        Rows and columns.
    dtype : dtype, optional
        Default: float64.
    like : object
        An array of another library, whose class makes the result (NEP 35).

    Returns
    -------
    LazyArray
        Of shape (n, n).
    """
    return eye(n, dtype=dtype)


@with_like
def tri(
    N: Any,  # noqa: N803 - NumPy's name
    M: Any = None,  # noqa: N803
    k: int = 0,
    dtype: Any = float,
    *,
    like: object = None,
) -> LazyArray:
    """Return ones at and below a diagonal and zeros above.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns; default: `N`.
    k : int
        The diagonal: 0 is the main one, above it is positive.
    dtype : dtype
        Of the result.
    like : object
        An array of another library, whose class makes the result (NEP 35).

    Returns
    -------
    LazyArray
        Of shape (N, M).
    """
    # NumPy counts them as `arange` does.
    sizes = [
        ceil(n) if isinstance(n, (float, np.floating)) else operator.index(n)
        for n in (N, N if M is None else M)
    ]
    rows, columns = as_shape(tuple(max(n, 0) for n in sizes))
    if isinstance(k, (float, np.floating)):  # NumPy rounds the numbers of columns
        return asarray(np.tri(rows, columns, k, bool)).astype(float if dtype is None else dtype)
    row, column = wrap(build.iota(rows)), wrap(build.iota(columns))
    below: LazyArray = row[:, None] + _diagonal(k, rows, columns) >= column
    return below.astype(float if dtype is None else dtype)


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """Return the index of each element of a grid along each axis.

    Parameters
    ----------
    dimensions : sequence of int
        The shape of the grid.
    dtype : dtype
        Of the result.
    sparse : bool
        Whether to return one array for each axis, of length one along the others.

    Returns
    -------
    LazyArray, or tuple of LazyArray
        Of shape ``(len(dimensions), *dimensions)``; or, if `sparse`, one array for each axis.
    """
    sizes = as_shape(tuple(dimensions))
    index_dtype = build.as_dtype(dtype)
    grids = []
    for axis, size in enumerate(sizes):
        shape = tuple(size if k == axis else 1 for k in range(len(sizes)))
        if size > 2 and index_dtype == np.dtype(bool):
            arange(size, dtype=index_dtype)  # which says why there are none
        grids.append(build.reshape(build.cast(build.iota(size), index_dtype), shape))
    if sparse:
        return tuple(wrap(grid) for grid in grids)
    if not grids:
        return zeros((0,), index_dtype)
    return stack([wrap(build.broadcast_to(grid, sizes)) for grid in grids])


def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[LazyArray, ...] | list[LazyArray]:
    """Return coordinate arrays from coordinate vectors; broadcasts, so no memory is used.

    Parameters
    ----------
    *xi : array_like
        Vectors of coordinates.
    copy : bool
        Whether the results have elements of their own, or are views: those of the vectors, and
        locked ones. Views of sparse coordinates are a list beside NumPy before 2.5, as there.
    sparse : bool
        Whether to leave the other axes at length one.
    indexing : {"xy", "ij"}
        Whether the first two axes are exchanged, as coordinates of pictures are.

    Returns
    -------
    tuple of LazyArray, or list of LazyArray
        One for each vector.

    Raises
    ------
    ArgumentError
        If there is no such indexing.
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(
            f"Valid values for `indexing` are 'xy' and 'ij'. Got {indexing!r}", origin=origin()
        )
    vectors = [(as_lazy if copy else asarray)(x).reshape(-1) for x in xi]
    count = len(vectors)
    place = list(range(count))
    if indexing == "xy" and count > 1:
        place[:2] = [1, 0]
    shaped = [
        vector.reshape(tuple(-1 if axis == at else 1 for axis in range(count)))
        for vector, at in zip(vectors, place, strict=True)
    ]
    if sparse:
        if copy:
            return tuple(grid.copy() for grid in shaped)
        return shaped if LISTS_GRIDS else tuple(shaped)
    shape = tuple(vectors[place.index(axis)].size for axis in range(count))
    if not copy:
        return tuple(broadcast(grid, shape) for grid in shaped)
    return tuple(broadcast(grid, shape).copy() for grid in shaped)
