"""Pooling to a number of windows: each axis is divided into parts of almost equal lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.nn.arguments import inexact, integers, match_dtype, widened
from lazyarr.nn.windows import channels_first, channels_last
from lazyarr.numpy_api import reductions, slicing
from lazyarr.numpy_api.selection import where
from lazyarr.tracing import record_functions

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
]


def adaptive_avg_pool1d(x: Any, size: Any, *, channels: str = "first") -> LazyArray:
    """Return the mean of each of `size` parts of signals; see :func:`adaptive_avg_pool2d`.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, length).
    size : int
        The number of parts.
    channels : {"first", "last"}
        Whether channels are axis 1 or the last.

    Returns
    -------
    LazyArray
        Of shape (batch, channels, size) and the dtype of `x`; float16 and bfloat16 are summed in
        float32.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.adaptive_avg_pool1d([[[1.0, 3.0, 5.0]]], 2).compute()
    array([[[2., 4.]]])
    """
    return _pooled("adaptive_avg_pool1d", 1, x, size, channels, largest=False)


def adaptive_avg_pool2d(x: Any, size: Any, *, channels: str = "first") -> LazyArray:
    """Return the mean of each part of images.

    Part k of an axis of n elements is from ``floor(k * n / size)`` to ``ceil((k + 1) * n / size)``:
    neighbours share an element where `size` does not divide n.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, height, width).
    size : int or pair of int
        The number of parts of each axis.
    channels : {"first", "last"}
        Whether channels are axis 1 or the last.

    Returns
    -------
    LazyArray
        Of shape (batch, channels) + size and the dtype of `x`; float16 and bfloat16 are summed in
        float32.

    Raises
    ------
    ArgumentError
        If `size` is not positive.
    ShapeError
        If `x` has another number of axes, or an axis without elements.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.adaptive_avg_pool2d(la.arange(16.0).reshape(1, 1, 4, 4), (2, 1)).compute()
    array([[[[ 3.5],
             [11.5]]]])
    """
    return _pooled("adaptive_avg_pool2d", 2, x, size, channels, largest=False)


def adaptive_max_pool1d(x: Any, size: Any, *, channels: str = "first") -> LazyArray:
    """Return the largest element of each of `size` parts of signals.

    Parameters
    ----------
    x, size, channels
        As for :func:`adaptive_avg_pool1d`.

    Returns
    -------
    LazyArray
        Of shape (batch, channels, size) and the dtype of `x`; NaN wins.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.adaptive_max_pool1d([[[1.0, 3.0, 5.0]]], 2).compute()
    array([[[3., 5.]]])
    """
    return _pooled("adaptive_max_pool1d", 1, x, size, channels, largest=True)


def adaptive_max_pool2d(x: Any, size: Any, *, channels: str = "first") -> LazyArray:
    """Return the largest element of each part of images.

    Parameters
    ----------
    x, size, channels
        As for :func:`adaptive_avg_pool2d`, which defines the parts.

    Returns
    -------
    LazyArray
        Of shape (batch, channels) + size and the dtype of `x`; NaN wins.

    Raises
    ------
    ArgumentError
        If `size` is not positive.
    ShapeError
        If `x` has another number of axes, or an axis without elements.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.adaptive_max_pool2d(la.arange(16.0).reshape(1, 1, 4, 4), (2, 1)).compute()
    array([[[[ 7.],
             [15.]]]])
    """
    return _pooled("adaptive_max_pool2d", 2, x, size, channels, largest=True)


def _pooled(name: str, rank: int, x: Any, size: Any, channels: str, *, largest: bool) -> LazyArray:
    array = inexact(x, name)
    images = channels_last(array, channels, name, rank)
    parts = integers(size, rank, "size")
    if any(n < 1 for n in parts):
        raise ArgumentError(f"size must be positive, got {parts}", origin=origin())
    if not all(images.shape[1:-1]):
        raise ShapeError(f"{name}: x of shape {array.shape} has no elements", origin=origin())
    pooled = images if largest else widened(images)
    for axis, count in enumerate(parts, 1):
        pooled = _along(pooled, axis, count, largest=largest)
    return channels_first(match_dtype(pooled, array.dtype), channels)


def _along(x: LazyArray, axis: int, count: int, *, largest: bool) -> LazyArray:
    """Return the largest elements, or the means, of parts of an axis.

    Parameters
    ----------
    x : LazyArray
        Of any shape, with elements.
    axis : int
        Which is divided.
    count : int
        The number of parts.
    largest : bool
        Whether the largest elements.
    """
    size = x.shape[axis]
    outer, inner = x.shape[:axis], x.shape[axis + 1 :]
    if not size % count:
        parts = x.reshape(*outer, count, size // count, *inner)
        if largest:
            return as_lazy(reductions.max(parts, axis=axis + 1))
        return as_lazy(reductions.sum(parts, axis=axis + 1) / (size // count))
    numbers = np.arange(count)
    starts, ends = numbers * size // count, -(-(numbers + 1) * size // count)
    places = starts[:, None] + np.arange(max(ends - starts))
    inside = (places < ends[:, None]).reshape(count, -1, *(1,) * len(inner))
    parts = as_lazy(slicing.take(x, np.minimum(places, size - 1), axis=axis))
    parts = as_lazy(where(inside, parts, -np.inf if largest else 0))
    if largest:
        return as_lazy(reductions.max(parts, axis=axis + 1))
    lengths = (ends - starts).reshape(count, *(1,) * len(inner)).astype(x.dtype)
    return as_lazy(reductions.sum(parts, axis=axis + 1) / lengths)


record_functions(globals(), __all__)
