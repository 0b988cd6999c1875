"""Arrays whose elements follow from their positions: ranges, grids and diagonals."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, asarray, wrap
from lazyarr.builders import nodes as build
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api.creation import as_shape, zeros
from lazyarr.numpy_api.joining import concatenate, stack
from lazyarr.numpy_api.movement import moveaxis
from lazyarr.numpy_api.ufunc_arguments import call_library
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = [
    "arange",
    "eye",
    "geomspace",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "tri",
]


def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, **ignored: Any
) -> LazyArray:
    """Return evenly spaced values within a half-open interval.

    Parameters
    ----------
    start : number
        First value; the end, if `stop` is not given.
    stop : number, optional
        End of the interval, not included.
    step : number
        Distance between values.
    dtype : dtype, optional
        Default: NumPy's rule for the numbers.

    Returns
    -------
    LazyArray
        ``start + step * i``, computed as NumPy does.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.arange(2, 10, 3).compute()
    array([2, 5, 8])
    """
    if stop is None:
        start, stop = 0, start
    if step is None:
        step = 1
    numbers = [_number(value) for value in (start, stop, step)]
    start, stop, step = numbers
    wanted = None if dtype is None else build.as_dtype(dtype)
    if step == 0:
        raise ArgumentError("arange with step 0", origin=origin())
    count = max(int(np.ceil((stop - start) / step)), 0)
    if all(isinstance(value, int) for value in numbers):
        count = len(range(start, stop, step))
    if wanted is None:
        # NumPy promotes without looking at the values; only types matter here.
        wanted = np.result_type(*[np.asarray(value).dtype for value in (start, stop, step)])
    if wanted.kind == "b":
        return asarray(np.arange(start, stop, step, dtype=wanted))
    # NumPy takes the second value, start + step, in the dtype, and the step from there.
    if wanted.kind in "iu":
        exact = np.arange(start, start + 2 * step, step, dtype=wanted)[:2]
        first, second = (int(value) for value in exact)
        loop = wanted
        index = build.cast(build.iota(count), loop)
    else:
        loop = np.dtype(np.float32) if wanted == np.float16 else wanted
        first = loop.type(wanted.type(start))
        second = loop.type(wanted.type(start + step))
        index = build.cast(build.iota(count), loop)
    first_node = build.constant(loop.type(first), loop)
    with np.errstate(all="ignore"):
        step_node = build.constant(loop.type(second) - loop.type(first), loop)
    scaled = build.elementwise(ELEMENTWISE["multiply"], (index, step_node))
    return wrap(build.cast(build.elementwise(ELEMENTWISE["add"], (first_node, scaled)), wanted))


def _number(value: Any) -> Any:
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (np.generic, np.ndarray, LazyArray)):
        if value.shape:
            raise ArgumentError("arange takes numbers", origin=origin())
        return value.item()
    raise ArgumentError(f"expected a number, got {type(value).__name__}", origin=origin())


def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: object = None,
) -> Any:
    """Return evenly spaced values over an interval.

    Parameters
    ----------
    start, stop : array_like
        Ends of the interval.
    num : int
        How many values.
    endpoint : bool
        Whether `stop` is the last of them.
    retstep : bool
        Also return the step.
    dtype : dtype, optional
        Default: NumPy's rule, at least float64.
    axis : int
        Where the new axis goes if the ends are arrays.
    device : object
        Accepted for the Array API's sake.

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
    left, right = asarray(start) * 1.0, asarray(stop) * 1.0
    loop = build.promote(left._node, right._node, float(parts))
    wanted = loop if dtype is None else build.as_dtype(dtype)
    difference = right - left
    position = wrap(build.iota(count)).astype(loop).reshape((count,) + (1,) * difference.ndim)
    step: Any
    if parts > 0:
        step = difference / parts
        values = position * step + left
        if endpoint and count > 1:
            last = wrap(build.broadcast_to(right.astype(loop)._node, values.shape[1:]))[None]
            values = concatenate([values[:-1], last.astype(values.dtype)], axis=0)
    else:
        step = asarray(float("nan"))
        values = position * difference + left
    if axis != 0:
        values = moveaxis(values, 0, axis)
    if wanted.kind in "iu":
        values = wrap(build.elementwise(ELEMENTWISE["floor"], (values._node,)))
    values = values.astype(wanted)
    return (values, step) if retstep else values


def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> LazyArray:
    """Return ``base ** linspace(start, stop, num)``."""
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
    """Return numbers spaced evenly on a log scale, by NumPy: lazily if an end is lazy."""
    options: dict[str, Any] = {"endpoint": endpoint, "dtype": dtype, "axis": axis}
    if not isinstance(start, LazyArray) and not isinstance(stop, LazyArray):
        return asarray(np.geomspace(start, stop, num, **options))
    ends = [asarray(start), asarray(stop)]
    # NumPy says which dtype and shape come out, and nothing is as large as the result is.
    small = [np.broadcast_to(np.ones((), end.dtype), end.shape) for end in ends]
    spaced: Callable[..., Any] = np.geomspace
    few = spaced(*small, 1, **options)
    at = axis % few.ndim
    shape = (*few.shape[:at], operator.index(num), *few.shape[at + 1 :])
    del options["dtype"]  # the result is cast to it
    return call_library("geomspace", np.geomspace, (*ends, num), shape, few.dtype, **options)


def eye(
    N: Any,  # noqa: N803 - NumPy's name
    M: Any = None,  # noqa: N803
    k: int = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: object = None,
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
    order, device, like : object
        Accepted for NumPy's sake.

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
    on_diagonal: LazyArray = row[:, None] + k == column
    return on_diagonal.astype(float if dtype is None else dtype)


def identity(n: Any, dtype: Any = None, *, like: object = None) -> LazyArray:
    """Return ``eye(n, dtype=dtype)``."""
    return eye(n, dtype=dtype)


def tri(
    N: Any,  # noqa: N803 - NumPy's name
    M: Any = None,  # noqa: N803
    k: int = 0,
    dtype: Any = float,
    *,
    like: object = None,
) -> LazyArray:
    """Return ones at and below the k-th diagonal and zeros above."""
    rows, columns = as_shape((N, N if M is None else M))
    row, column = wrap(build.iota(rows)), wrap(build.iota(columns))
    below: LazyArray = row[:, None] + k >= column
    return below.astype(dtype)


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """Return the index of each element along each axis: stacked, or a tuple if `sparse`."""
    sizes = as_shape(dimensions)
    wanted = build.as_dtype(dtype)
    found = []
    for axis, size in enumerate(sizes):
        shape = tuple(size if k == axis else 1 for k in range(len(sizes)))
        found.append(build.reshape(build.cast(build.iota(size), wanted), shape))
    if sparse:
        return tuple(wrap(made) for made in found)
    if not found:
        return zeros((0,), wanted)
    return stack([wrap(build.broadcast_to(made, sizes)) for made in found])


def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[LazyArray, ...]:
    """Return coordinate arrays from coordinate vectors; broadcasts, so no memory is used."""
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f'indexing must be "xy" or "ij", got {indexing!r}', origin=origin())
    vectors = [asarray(x).reshape(-1) for x in xi]
    count = len(vectors)
    place = list(range(count))
    if indexing == "xy" and count > 1:
        place[:2] = [1, 0]
    shaped = [
        vector.reshape(tuple(-1 if axis == at else 1 for axis in range(count)))
        for vector, at in zip(vectors, place, strict=True)
    ]
    if sparse:
        return tuple(shaped)
    shape = tuple(vectors[place.index(axis)].size for axis in range(count))
    return tuple(wrap(build.broadcast_to(made._node, shape)) for made in shaped)
