"""Arguments of neural-network functions: floating-point arrays, sizes along axes, labels."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.builders import build
from lazyarr.builders.gathers import from_start
from lazyarr.core.axis_numbers import normalize_axis
from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.graph.node import Leaf
from lazyarr.numpy_api import slicing
from lazyarr.numpy_api.selection import where

__all__ = [
    "axes_of",
    "checked_indices",
    "expect_shape",
    "fraction",
    "in_memory",
    "inexact",
    "integers",
    "match_dtype",
    "taken_rows",
    "widened",
]

DType = np.dtype[Any]
FLOAT32, FLOAT64, INT64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)


def inexact(x: Any, name: str) -> LazyArray:
    """Return an array of real floating-point numbers; integers become float64.

    Parameters
    ----------
    x : array_like
        The function's argument.
    name : str
        The function's name in messages.

    Returns
    -------
    LazyArray
        float16, bfloat16, float32 or float64, of the shape of `x`.

    Raises
    ------
    DTypeError
        If the numbers are complex or the elements are no numbers.
    """
    array = as_lazy(x)
    if kind_of(array.dtype) == "f":
        return array
    if kind_of(array.dtype) not in "biu":
        raise DTypeError(f"{name} takes real numbers, got {array.dtype}", origin=origin())
    return array.astype(FLOAT64)


def widened(x: LazyArray) -> LazyArray:
    """Return float16 and bfloat16 as float32, in which sums and exponentials are computed."""
    return x.astype(FLOAT32) if is_narrow(x.dtype) else x


def match_dtype(x: LazyArray, dtype: DType) -> LazyArray:
    """Return `x` in `dtype`.

    Parameters
    ----------
    x : LazyArray
        Of any shape.
    dtype : numpy.dtype
        Of the result.
    """
    return x if x.dtype == dtype else x.astype(dtype)


def expect_shape(x: LazyArray, shape: Sequence[int], name: str, meaning: str) -> None:
    """Raise ShapeError unless `x` has the expected shape.

    Parameters
    ----------
    x : LazyArray
        The argument.
    shape : sequence of int
        The expected shape.
    name : str
        The argument's name in the message.
    meaning : str
        The meaning of the sizes, for the message.
    """
    if x.shape != tuple(shape):
        raise ShapeError(
            f"{name} has shape {x.shape}, expected {tuple(shape)}: {meaning}", origin=origin()
        )


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return axes as non-negative numbers, in ascending order.

    Parameters
    ----------
    axis : int or iterable of int
        Axes; negative ones count from the end.
    ndim : int
        The number of axes of the array.

    Returns
    -------
    tuple of int
        Ascending.
    """
    listed = tuple(axis) if isinstance(axis, Iterable) else (axis,)
    with build.located():
        return tuple(sorted(normalize_axis(operator.index(k), ndim) for k in listed))


def fraction(value: Any, name: str, *, closed: bool) -> float:
    """Return a Python number in [0, 1), or in [0, 1] if `closed`.

    Parameters
    ----------
    value : float
        The argument.
    name : str
        The argument's name in messages.
    closed : bool
        Whether 1 is allowed.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ArgumentError
        If it lies elsewhere.
    """
    number = float(value)
    if not (0 <= number < 1 or (closed and number == 1)):
        end = "]" if closed else ")"
        raise ArgumentError(f"{name} must lie in [0, 1{end}, got {number}", origin=origin())
    return number


def integers(values: Any, count: int, name: str) -> tuple[int, ...]:
    """Return `count` integers; a single one stands for all of them.

    Parameters
    ----------
    values : int or iterable of int
        The argument.
    count : int
        The number of integers, one for each spatial axis.
    name : str
        The argument's name in messages.

    Raises
    ------
    ArgumentError
        If there is another number of them, or one is no integer.
    """
    listed = tuple(values) if isinstance(values, Iterable) else (values,) * count
    if len(listed) != count:
        raise ArgumentError(
            f"{name} needs one number or {count} of them, got {listed}", origin=origin()
        )
    try:
        return tuple(operator.index(value) for value in listed)
    except TypeError:
        raise ArgumentError(f"{name} takes integers, got {values!r}", origin=origin()) from None


def in_memory(x: LazyArray) -> np.ndarray[Any, Any] | None:
    """Return the elements of an array in the host's memory, or None for any other."""
    memory = x._node.attr
    if isinstance(memory, Leaf) and memory.is_on_host:
        return memory.array
    return None


def checked_indices(indices: LazyArray, count: int, name: str, what: str) -> LazyArray:
    """Return indices of which no negative one counts from the end.

    Those in memory are checked at once. Those of an expression become, where they are negative,
    less by `count`: the gather that reads them finds them out of bounds when it runs.

    Parameters
    ----------
    indices : LazyArray
        Of any shape and an integer dtype.
    count : int
        Indices must be below it.
    name : str
        The argument's name in messages.
    what : str
        The plural of the noun that is counted, for messages.

    Returns
    -------
    LazyArray
        Of the shape of `indices`.

    Raises
    ------
    DTypeError
        If they are not integers.
    IndexingError
        If one in memory is negative or not below `count`.
    """
    if kind_of(indices.dtype) not in "iu":
        raise DTypeError(
            f"{name} must be integers, got {indices.dtype}",
            origin=origin(),
            hint=f"{name}.astype(int) if they are whole numbers",
        )
    array = in_memory(indices)
    if array is not None:
        outside = (array < 0) | (array >= count)
        if outside.any():
            place = tuple(map(int, np.argwhere(outside)[0]))
            raise IndexingError(
                f"{name}{list(place)} is {array[place]}, out of range for {count} {what}",
                origin=origin(),
                hint=f"{what} are numbered from 0 to {count - 1}",
            )
    if kind_of(indices.dtype) == "u" and indices.dtype.itemsize < INT64.itemsize:
        return indices
    indices = indices.astype(INT64)  # the largest uint64 are negative, and out of range anyway
    return as_lazy(where(indices < 0, indices - count, indices))


def taken_rows(rows: LazyArray, indices: LazyArray, name: str, what: str) -> LazyArray:
    """Return rows along the first axis at indices that :func:`checked_indices` checks.

    Parameters
    ----------
    rows : LazyArray
        At least one axis.
    indices, name, what
        As for :func:`checked_indices`.

    Returns
    -------
    LazyArray
        Of the shape of `indices` and that of a row.
    """
    taken: LazyArray = slicing.take(
        rows, checked_indices(indices, rows.shape[0], name, what), axis=0
    )
    return LazyArray(from_start(taken._node)) if taken._array is None else taken
