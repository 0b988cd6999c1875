"""Pooling: one value for each window of a signal or image, or for all of it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.nn.arguments import inexact, integers, match_dtype, widened
from lazyarr.nn.disjoint_windows import (
    are_disjoint,
    with_rule_of_largest,
    with_rule_of_total,
)
from lazyarr.nn.windows import (
    Windows,
    channels_first,
    channels_last,
    padded,
    sides_of,
    slices_of,
    windows_of,
)
from lazyarr.numpy_api import moments, reductions
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.tracing import record_functions

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "global_avg_pool",
    "global_max_pool",
    "max_pool1d",
    "max_pool2d",
]


def max_pool1d(
    x: Any, window: Any, *, stride: Any = None, padding: Any = 0, channels: str = "first"
) -> LazyArray:
    """Return the largest element of each window of signals; see :func:`max_pool2d`.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, length).
    window : int
        Elements in a window.
    stride : int, optional
        Steps from window to window; default: the window's own size.
    padding : int, pair of int, "valid" or "same"
        Elements before and behind the signal, which are less than any other; at most half a
        window.
    channels : {"first", "last"}
        Whether channels are axis 1 or the last.

    Returns
    -------
    LazyArray
        Of shape (batch, channels, length') and the dtype of `x`; NaN wins.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.max_pool1d([[[1.0, 3.0, 2.0, 0.0]]], 2).compute()
    array([[[3., 2.]]])
    """
    return _largest("max_pool1d", 1, x, window, stride, padding, channels)


def max_pool2d(
    x: Any, window: Any, *, stride: Any = None, padding: Any = 0, channels: str = "first"
) -> LazyArray:
    """Return the largest element of each window of images.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, height, width).
    window : int or pair of int
        Rows and columns of a window.
    stride : int or pair of int, optional
        Steps from window to window; default: the window's own size.
    padding : int, pair of int, pair of pairs, "valid" or "same"
        Elements before and behind each axis, which are less than any other; at most half a
        window.
    channels : {"first", "last"}
        Whether channels are axis 1 or the last.

    Returns
    -------
    LazyArray
        Of shape (batch, channels, height', width') and the dtype of `x`; NaN wins.

    Raises
    ------
    ShapeError
        If no window fits.
    ArgumentError
        If a number makes no sense.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.max_pool2d(la.arange(16.0).reshape(1, 1, 4, 4), 2).compute()
    array([[[[ 5.,  7.],
             [13., 15.]]]])
    """
    return _largest("max_pool2d", 2, x, window, stride, padding, channels)


def avg_pool1d(
    x: Any,
    window: Any,
    *,
    stride: Any = None,
    padding: Any = 0,
    count_padding: bool = True,
    channels: str = "first",
) -> LazyArray:
    """Return the mean of each window of signals; see :func:`avg_pool2d`.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, length).
    window, stride, padding, channels
        As for :func:`max_pool1d`; the elements that are added are zero.
    count_padding : bool
        Whether the mean counts the added elements.

    Returns
    -------
    LazyArray
        Of shape (batch, channels, length') and the dtype of `x`; float16 and bfloat16 are summed
        in float32.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.avg_pool1d([[[1.0, 3.0, 2.0, 0.0]]], 2).compute()
    array([[[2., 1.]]])
    """
    return _mean("avg_pool1d", 1, x, window, stride, padding, count_padding, channels)


def avg_pool2d(
    x: Any,
    window: Any,
    *,
    stride: Any = None,
    padding: Any = 0,
    count_padding: bool = True,
    channels: str = "first",
) -> LazyArray:
    """Return the mean of each window of images.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, height, width).
    window, stride, padding, channels
        As for :func:`max_pool2d`; the elements that are added are zero.
    count_padding : bool
        Whether the mean counts the added elements.

    Returns
    -------
    LazyArray
        Of shape (batch, channels, height', width') and the dtype of `x`; float16 and bfloat16 are
        summed in float32.

    Raises
    ------
    ShapeError
        If no window fits.
    ArgumentError
        If a number makes no sense.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.avg_pool2d(la.arange(16.0).reshape(1, 1, 4, 4), 2).compute()
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]])
    """
    return _mean("avg_pool2d", 2, x, window, stride, padding, count_padding, channels)


def global_max_pool(x: Any, *, channels: str = "first") -> LazyArray:
    """Return the largest element of each channel.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, ...).
    channels : {"first", "last"}
        Whether channels are axis 1 or the last.

    Returns
    -------
    LazyArray
        Of shape (batch, channels).

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.global_max_pool(la.arange(8.0).reshape(1, 2, 2, 2)).compute()
    array([[3., 7.]])
    """
    array = inexact(x, "global_max_pool")
    images = channels_last(array, channels, "global_max_pool", array.ndim - 2)
    return as_lazy(reductions.max(images, axis=tuple(range(1, images.ndim - 1))))


def global_avg_pool(x: Any, *, channels: str = "first") -> LazyArray:
    """Return the mean of each channel.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, ...).
    channels : {"first", "last"}
        Whether channels are axis 1 or the last.

    Returns
    -------
    LazyArray
        Of shape (batch, channels).

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.global_avg_pool(la.arange(8.0).reshape(1, 2, 2, 2)).compute()
    array([[1.5, 5.5]])
    """
    array = inexact(x, "global_avg_pool")
    images = channels_last(array, channels, "global_avg_pool", array.ndim - 2)
    mean = moments.mean(widened(images), axis=tuple(range(1, images.ndim - 1)))
    return match_dtype(as_lazy(mean), array.dtype)


def _windows(window: Any, stride: Any, rank: int) -> Windows:
    size = integers(window, rank, "window")
    return windows_of(size, size if stride is None else stride, 1)


def _sides(padding: Any, windows: Windows, sizes: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    sides = sides_of(padding, windows, sizes)
    if any(2 * max(pair) > size for pair, size in zip(sides, windows.size, strict=True)):
        raise ArgumentError(
            f"padding {sides} is more than half a window of {windows.size}: some windows would "
            "contain only padding",
            origin=origin(),
        )
    return sides


def _largest(
    name: str, rank: int, x: Any, window: Any, stride: Any, padding: Any, channels: str
) -> LazyArray:
    images = channels_last(inexact(x, name), channels, name, rank)
    windows = _windows(window, stride, rank)
    sides = _sides(padding, windows, images.shape[1:-1])
    wide = padded(images, sides, -np.inf)
    total: Any = None
    for part in slices_of(wide, windows):
        total = part if total is None else FUNCTIONS["maximum"](total, part)
    if are_disjoint(windows) and kind_of(wide.dtype) == "f":
        total = with_rule_of_largest(total, wide, windows)
    return channels_first(total, channels)


def _total(images: LazyArray, windows: Windows) -> LazyArray:
    """Return the sum of each window."""
    total: Any = None
    for part in slices_of(images, windows):
        total = part if total is None else total + part
    if are_disjoint(windows):
        return with_rule_of_total(as_lazy(total), images, windows)
    return as_lazy(total)


def _mean(
    name: str,
    rank: int,
    x: Any,
    window: Any,
    stride: Any,
    padding: Any,
    count_padding: bool,
    channels: str,
) -> LazyArray:
    array = inexact(x, name)
    images = channels_last(array, channels, name, rank)
    windows = _windows(window, stride, rank)
    sides = _sides(padding, windows, images.shape[1:-1])
    total = _total(padded(widened(images), sides), windows)
    counts: Any = prod(windows.size)
    if not count_padding and any(n for pair in sides for n in pair):
        counts = _counts(images.shape[1:-1], sides, windows).astype(total.dtype)
    return channels_first(match_dtype(as_lazy(total / counts), array.dtype), channels)


def _counts(
    sizes: tuple[int, ...], sides: tuple[tuple[int, int], ...], windows: Windows
) -> np.ndarray[Any, Any]:
    """Return the number of elements of each window that are not padding, of shape (*windows, 1)."""
    counts = np.ones((1,) * len(sizes))
    for axis, (n, pair, size, step, count) in enumerate(
        zip(
            sizes,
            sides,
            windows.size,
            windows.stride,
            windows.counts([n + sum(pair) for n, pair in zip(sizes, sides, strict=True)]),
            strict=True,
        )
    ):
        starts = np.arange(count) * step - pair[0]
        inside = np.minimum(starts + size, n) - np.maximum(starts, 0)
        shape = [1] * len(sizes)
        shape[axis] = count
        counts = counts * inside.reshape(shape)
    return counts[..., None]


record_functions(globals(), __all__)
