"""What neural-network functions take: floating-point arrays, sizes along axes, integer labels."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.builders import build
from lazyarr.core.shapes import normalize_axis
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Leaf
from lazyarr.numpy_api.selection import where
from lazyarr.tracing import Placeholder

__all__ = [
    "axes_of",
    "checked_indices",
    "expect_shape",
    "fraction",
    "inexact",
    "integers",
    "match_dtype",
    "widened",
]

DType = np.dtype[Any]
FLOAT16, FLOAT32, FLOAT64 = map(np.dtype, (np.float16, np.float32, np.float64))


def inexact(x: Any, name: str) -> LazyArray:
    """Return an array of real floating-point numbers; integers become float64."""
    array = asarray(x)
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind not in "biu":
        raise DTypeError(f"{name} takes real numbers, got {array.dtype}", origin=origin())
    return array.astype(FLOAT64)


def widened(x: LazyArray) -> LazyArray:
    """Return float16 as float32, in which sums and exponentials of it are computed."""
    return x.astype(FLOAT32) if x.dtype == FLOAT16 else x


def match_dtype(x: LazyArray, dtype: DType) -> LazyArray:
    """Return `x` in `dtype`."""
    return x if x.dtype == dtype else x.astype(dtype)


def expect_shape(x: LazyArray, shape: Sequence[int], name: str, meaning: str) -> None:
    """Raise ShapeError unless `x` has a shape; `meaning` says what the sizes are."""
    if x.shape != tuple(shape):
        raise ShapeError(
            f"{name} has shape {x.shape}, expected {tuple(shape)}: {meaning}", origin=origin()
        )


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return axes as non-negative numbers, in ascending order."""
    listed = tuple(axis) if isinstance(axis, Iterable) else (axis,)
    with build.located():
        return tuple(sorted(normalize_axis(operator.index(k), ndim) for k in listed))


def fraction(value: Any, name: str, *, closed: bool) -> float:
    """Return a Python number in [0, 1), or in [0, 1] if `closed`."""
    number = float(value)
    if not (0 <= number < 1 or (closed and number == 1)):
        end = "]" if closed else ")"
        raise ArgumentError(f"{name} must lie in [0, 1{end}, got {number}", origin=origin())
    return number


def integers(values: Any, count: int, name: str) -> tuple[int, ...]:
    """Return `count` integers; a single one stands for all of them."""
    listed = tuple(values) if isinstance(values, Iterable) else (values,) * count
    if len(listed) != count:
        raise ArgumentError(
            f"{name} needs one number or {count} of them, got {listed}", origin=origin()
        )
    try:
        return tuple(operator.index(value) for value in listed)
    except TypeError:
        raise ArgumentError(f"{name} takes integers, got {values!r}", origin=origin()) from None


def checked_indices(indices: LazyArray, count: int, name: str, what: str) -> LazyArray:
    """Return indices of which no negative one counts from the end.

    Those in memory are checked at once. Those of an expression become, where they are negative,
    `count`: the gather that reads them finds it out of bounds when it runs.
    """
    if indices.dtype.kind not in "iu":
        raise DTypeError(
            f"{name} must be integers, got {indices.dtype}",
            origin=origin(),
            hint=f"{name}.astype(int) if they are whole numbers",
        )
    held = indices._node.attr
    if isinstance(held, Leaf) and not isinstance(held, (DeviceLeaf, Placeholder)):
        array = held.array
        outside = (array < 0) | (array >= count)
        if outside.any():
            place = tuple(map(int, np.argwhere(outside)[0]))
            raise IndexingError(
                f"{name}{list(place)} is {array[place]}, out of range for {count} {what}",
                origin=origin(),
                hint=f"{what} are numbered from 0 to {count - 1}",
            )
    if indices.dtype.kind == "u":
        return indices
    return asarray(where(indices < 0, count, indices))
