"""Vectors along an axis: of length one, their angles, and those of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.differentiation import stop_gradient
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.nn.arguments import axes_of, inexact, integers, match_dtype, taken_rows, widened
from lazyarr.numpy_api import equal_steps, movement, reductions
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.numpy_api.selection import where
from lazyarr.tracing import record_functions

__all__ = ["cosine_similarity", "normalize", "one_hot"]


def normalize(x: Any, axis: Any = -1, *, eps: float = 1e-12) -> LazyArray:
    """Return ``x / max(sqrt(sum(x**2)), eps)`` along an axis, without overflow.

    Parameters
    ----------
    x : array_like
        Of any shape.
    axis : int or tuple of int
        Along which the squares of the result sum to one.
    eps : float
        Positive: the least divisor.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`; float16 and bfloat16 are computed in float32. Zeros stay
        zeros.

    Raises
    ------
    ArgumentError
        If `eps` is not positive.

    Notes
    -----
    Vectors are divided by their largest absolute element before they are squared, as Blue's
    algorithm of 1978 scales. The derivative of a vector of zeros is ``1 / eps``.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.normalize([[3.0, 4.0], [3e300, 4e300]]).compute()
    array([[0.6, 0.8],
           [0.6, 0.8]])
    """
    array = inexact(x, "normalize")
    return match_dtype(_normalized(widened(array), axis, eps), array.dtype)


def cosine_similarity(x: Any, y: Any, axis: int = -1, *, eps: float = 1e-8) -> LazyArray:
    """Return the cosine of the angle between vectors along an axis.

    ``sum(x * y) / (max(norm(x), eps) * max(norm(y), eps))``, without overflow.

    Parameters
    ----------
    x, y : array_like
        Of shapes that broadcast.
    axis : int
        Of the elements of a vector, in the shape that both broadcast to.
    eps : float
        Positive: the least norm.

    Returns
    -------
    LazyArray
        Of the shape that both broadcast to, without `axis`, and of the dtype to which they
        promote; float16 and bfloat16 are computed in float32.

    Raises
    ------
    ArgumentError
        If `eps` is not positive.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.cosine_similarity([[1.0, 0.0], [2.0, 2.0]], [3.0, 3.0]).compute().round(4)
    array([0.7071, 1.    ])
    """
    first, second = inexact(x, "cosine_similarity"), inexact(y, "cosine_similarity")
    shape = movement.broadcast_shapes(first.shape, second.shape)
    (place,) = axes_of(axis, len(shape))
    units = [
        _normalized(widened(as_lazy(movement.broadcast_to(array, shape))), place, eps)
        for array in (first, second)
    ]
    cosine = as_lazy(reductions.sum(units[0] * units[1], axis=place))
    return match_dtype(cosine, first.dtype if first.dtype == second.dtype else cosine.dtype)


def _normalized(x: LazyArray, axis: Any, eps: float) -> LazyArray:
    if not eps > 0:
        raise ArgumentError(f"eps must be positive, got {eps}", origin=origin())
    # The scale cancels in the quotient, and so would its derivative.
    top = stop_gradient(
        reductions.max(FUNCTIONS["absolute"](x), axis=axis, keepdims=True, initial=0)
    )
    scaled = x / where(top > 0, top, 1)
    total = reductions.sum(scaled * scaled, axis=axis, keepdims=True)
    # The root of a vector of zeros would have an infinite derivative.
    norm = top * FUNCTIONS["sqrt"](where(top > 0, total, 1))
    return as_lazy(x / FUNCTIONS["maximum"](norm, eps))


def one_hot(labels: Any, classes: int, *, dtype: Any = np.float64, axis: int = -1) -> LazyArray:
    """Return vectors that are 1 at a label and 0 elsewhere.

    Parameters
    ----------
    labels : array_like of int
        Of any shape: numbers of classes.
    classes : int
        The number of classes.
    dtype : dtype
        Of the result.
    axis : int
        The axis of the result along which the classes are.

    Returns
    -------
    LazyArray
        Of `dtype`, and the shape of `labels` with an axis of length `classes` inserted.

    Raises
    ------
    DTypeError
        If labels are not integers, or `dtype` is not a dtype of numbers or bool.
    ArgumentError
        If `classes` is negative.
    IndexingError
        If a label is negative or not below `classes`: at once for labels in memory, otherwise when
        the result is evaluated.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.one_hot([2, 0], 3).compute()
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    (count,) = integers(classes, 1, "classes")
    if count < 0:
        raise ArgumentError(f"classes must not be negative, got {count}", origin=origin())
    kind = np.dtype(dtype)
    if kind_of(kind) not in "biufc":
        raise DTypeError(f"one_hot: no numbers of dtype {kind}", origin=origin())
    array = as_lazy(labels)
    (place,) = axes_of(axis, array.ndim + 1)
    numbers = equal_steps.arange(count)
    chosen = taken_rows(numbers, array, "labels", "classes")
    hot = as_lazy(chosen[..., None] == numbers).astype(kind)
    return movement.moveaxis(hot, -1, place)


record_functions(globals(), __all__)
