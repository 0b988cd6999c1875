"""Resizing of images and signals: the nearest elements, and linear interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.nn.arguments import inexact, integers, match_dtype, widened
from lazyarr.nn.windows import channels_first, channels_last
from lazyarr.numpy_api import repetition, slicing
from lazyarr.numpy_api.selection import where
from lazyarr.tracing import record_functions

__all__ = ["upsample"]


def upsample(
    x: Any,
    scale: Any = None,
    *,
    size: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    channels: str = "first",
) -> LazyArray:
    """Return images, or signals, of another size.

    Parameters
    ----------
    x : array_like
        Of shape (batch, channels, ...), with any number of spatial axes.
    scale : int or tuple of int, optional
        The factor of all spatial axes, or of each of them.
    size : int or tuple of int, optional
        The size of the spatial axes of the result, instead of `scale`; it may be smaller.
    mode : {"nearest", "linear"}
        "nearest": the element whose centre is nearest, the later one of two. "linear": linear
        interpolation between centres along each axis, bilinear for images.
    align_corners : bool
        Whether the first and the last element of an axis stay where they are in "linear" mode.
        Otherwise the ends of the axes, half an element outside of these, do.
    channels : {"first", "last"}
        Whether channels are axis 1 or the last.

    Returns
    -------
    LazyArray
        Of shape (batch, channels) + size and the dtype of `x`; float16 and bfloat16 are
        interpolated in float32.

    Raises
    ------
    ArgumentError
        If not exactly one of `scale` and `size` is passed, a number is not positive, or there is no
        such mode.
    ShapeError
        If `x` has no spatial axis, or one without elements.

    Notes
    -----
    Elements with centres at ``(k + 1/2) / n`` of an axis, and no low-pass filter for smaller sizes,
    as in most libraries.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.upsample([[[1.0, 3.0]]], 2).compute()
    array([[[1., 1., 3., 3.]]])
    >>> la.nn.upsample([[[1.0, 3.0]]], 2, mode="linear").compute()
    array([[[1. , 1.5, 2.5, 3. ]]])
    """
    array = inexact(x, "upsample")
    rank = array.ndim - 2
    if rank < 1 or not all(array.shape[1:]):
        raise ShapeError(
            f"upsample: x must have batch, channels, and at least one spatial axis with elements; "
            f"got {array.shape}",
            origin=origin(),
        )
    if mode not in ("nearest", "linear"):
        raise ArgumentError(f"mode must be 'nearest' or 'linear', got {mode!r}", origin=origin())
    images = channels_last(array, channels, "upsample", rank)
    sizes = _sizes(scale, size, images.shape[1:-1])
    if mode == "linear":
        images = widened(images)
    for axis, count in enumerate(sizes, 1):
        if mode == "nearest":
            images = _nearest(images, axis, count)
        else:
            images = _linear(images, axis, count, align_corners)
    return channels_first(match_dtype(images, array.dtype), channels)


def _sizes(scale: Any, size: Any, before: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes of the spatial axes of the result."""
    if (scale is None) == (size is None):
        raise ArgumentError(
            f"upsample needs scale or size, got scale={scale} and size={size}", origin=origin()
        )
    name, value = ("size", size) if scale is None else ("scale", scale)
    numbers = integers(value, len(before), name)
    if any(n < 1 for n in numbers):
        raise ArgumentError(f"{name} must be positive, got {numbers}", origin=origin())
    if scale is None:
        return numbers
    return tuple(n * factor for n, factor in zip(before, numbers, strict=True))


def _nearest(x: LazyArray, axis: int, count: int) -> LazyArray:
    before = x.shape[axis]
    if not count % before:
        return as_lazy(repetition.repeat(x, count // before, axis=axis))
    places = (2 * np.arange(count) + 1) * before // (2 * count)
    return as_lazy(slicing.take(x, places, axis=axis))


def _linear(x: LazyArray, axis: int, count: int, align_corners: bool) -> LazyArray:
    before = x.shape[axis]
    if count == before:
        return x
    if align_corners:
        places = np.arange(count) * ((before - 1) / max(count - 1, 1))
    else:
        places = np.clip((np.arange(count) + 0.5) * (before / count) - 0.5, 0, before - 1)
    lower = np.minimum(places.astype(np.int64), before - 1)
    upper = np.minimum(lower + 1, before - 1)
    shape = (count,) + (1,) * (x.ndim - 1 - axis)
    weights = (places - lower).reshape(shape)
    first = slicing.take(x, lower, axis=axis) * (1 - weights).astype(x.dtype)
    # An infinite neighbour of an element that has all the weight would make it NaN.
    neighbour = where(weights > 0, slicing.take(x, upper, axis=axis), 0)
    return as_lazy(first + neighbour * weights.astype(x.dtype))


record_functions(globals(), __all__)
