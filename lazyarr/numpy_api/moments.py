"""Means and variances over axes."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, as_node, asarray, wrap
from lazyarr.builders import build
from lazyarr.builders.build import BOOL, FLOAT32, FLOAT64, INT64
from lazyarr.core.axis_numbers import list_axes, normalize_axes
from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.reduction_arguments import (
    NO_VALUE,
    Axis,
    axes_of,
    fill_unmasked,
    fold,
    is_passed,
    keep,
    masked_aware,
    warn,
)
from lazyarr.numpy_api.reductions import DType, sum
from lazyarr.numpy_api.ufunc_arguments import reduce_into
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = [
    "average",
    "mean",
    "std",
    "var",
]


_NOTHING = "Mean of empty slice."
_NO_FREEDOM = "Degrees of freedom <= 0 for slice"


def divided(x: Node, count: int | float, dtype: DType) -> Node:
    """Return ``x / count`` rounded to `dtype` once, as NumPy's mean does.

    Parameters
    ----------
    x : Node
        Sums.
    count : int or float
        The divisor; 0 gives NaN or infinity.
    dtype : numpy.dtype
        Of the result; the quotient is computed in float64 where `count` is not exact in it.

    Returns
    -------
    Node
        Of the shape of `x`.
    """
    if kind_of(dtype) in "iub":
        return build.cast(
            build.elementwise(ELEMENTWISE["divide"], (build.cast(x, FLOAT64), float(count))), dtype
        )
    if kind_of(dtype) == "f" and dtype.itemsize < 8 and float(dtype.type(count)) != count:
        # The count is not exact in this dtype: NumPy divides in float64.
        wide = build.elementwise(ELEMENTWISE["divide"], (build.cast(x, FLOAT64), float(count)))
        return build.cast(wide, dtype)
    return build.elementwise(ELEMENTWISE["divide"], (x, float(count)))


def _over_count(total: Node, count: Node, dtype: DType) -> Node:
    loop = dtype if kind_of(dtype) in "fc" else FLOAT64
    quotient = build.elementwise(ELEMENTWISE["divide"], (build.cast(total, loop), count))
    return build.cast(quotient, dtype)


def _counts(where: Any, x: Node, axes: tuple[int, ...]) -> Node:
    mask = build.broadcast_to(build.cast(as_node(where), BOOL), x.shape)
    return fold("sum", build.cast(mask, INT64), axes)


@masked_aware
def mean(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Any:
    """Return the arithmetic mean over axes.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int or tuple of int, optional
        Default: all axes.
    dtype : dtype, optional
        To compute in; default: float64 for integers, float32 inside for float16.
    out, keepdims, where
        As for :func:`lazyarr.sum`.

    Returns
    -------
    LazyArray
        NaN, with a RuntimeWarning, where there is nothing to average.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.mean([1, 2, 4]).compute()
    array(2.33333333)
    """
    means, counts = mean_and_counts(a, axis, dtype, where)
    if counts is not None:
        means = build.warned(means, nothing_in(counts), _NOTHING)
    else:
        x = as_node(a)
        if not build.size_over(x.shape, axes_of(axis, x.ndim)):
            warn(_NOTHING)
    return reduce_into(wrap(keep(means, axes_of(axis, as_node(a).ndim), keepdims)), out, "mean")


def mean_and_counts(a: Any, axis: Axis, dtype: Any, where: Any) -> tuple[Node, Node | None]:
    """Return a mean over axes, and the numbers of elements that a mask leaves.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int, tuple of int or None
        Axes to average over; None for all.
    dtype : dtype, optional
        To compute in, as for :func:`lazyarr.mean`.
    where : array_like of bool, True or None
        The mask; True for no mask.

    Returns
    -------
    mean : Node
        Without the axes; NaN where nothing is averaged.
    counts : Node or None
        Numbers of elements of each mean, int64; None without a mask.
    """
    x = as_node(a)
    axes = axes_of(axis, x.ndim)
    result_dtype: DType | None = None
    if dtype is not None:
        loop = build.as_dtype(dtype)
    elif kind_of(x.dtype) in "biu":
        loop = FLOAT64
    elif is_narrow(x.dtype):
        loop, result_dtype = FLOAT32, x.dtype
    else:
        loop = x.dtype
    masked = where is not True and where is not NO_VALUE
    counts = _counts(where, x, axes) if masked else None
    x = fill_unmasked(build.cast(x, loop), where, 0)
    count = build.size_over(x.shape, axes)
    summed = fold("sum", x, axes)
    if counts is not None:
        result = _over_count(summed, counts, loop)
    else:
        result = divided(summed, count, loop)
    return result if result_dtype is None else build.cast(result, result_dtype), counts


def nothing_in(counts: Node) -> Node:
    """Return whether each count is zero: nothing is left to average."""
    return build.elementwise(ELEMENTWISE["less_equal"], (counts, 0))


def _squared(x: Node, square: Callable[[Node], Node]) -> Node:
    """Return ``abs(x)**2``, real even if x is complex."""
    if kind_of(x.dtype) != "c":
        return square(x)
    parts = [build.elementwise(ELEMENTWISE[name], (x,)) for name in ("real", "imag")]
    return build.elementwise(ELEMENTWISE["add"], tuple(map(square, parts)))


def _variance(
    a: Any, axis: Axis, dtype: Any, ddof: Any, keepdims: Any, where: Any, center: Any
) -> LazyArray:
    variance, freedom = variance_and_freedom(a, axis, dtype, ddof, where, center)
    if isinstance(freedom, Node):
        variance = build.warned(variance, nothing_in(freedom), _NO_FREEDOM)
    elif freedom <= 0:
        warn(_NO_FREEDOM)
    return wrap(keep(variance, axes_of(axis, as_node(a).ndim), keepdims))


def variance_and_freedom(
    a: Any,
    axis: Axis,
    dtype: Any,
    ddof: Any,
    where: Any,
    center: Any,
    square: Callable[[Node], Node] = lambda x: build.elementwise(ELEMENTWISE["square"], (x,)),
) -> tuple[Node, Any]:
    """Return a variance over axes, and its degrees of freedom.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int, tuple of int or None
        Axes to reduce over; None for all.
    dtype : dtype, optional
        To compute in; default: float64 for integers, float32 inside for float16.
    ddof : int or float
        Subtracted from the number of elements.
    where : array_like of bool or True
        The mask; True for no mask.
    center : array_like, optional
        The mean with its axes kept; default: computed.
    square : callable
        From a real node to its square. NumPy's functions square in different ways, and warn of an
        overflow under different names.

    Returns
    -------
    variance : Node
        Real, without the axes.
    freedom : int, float or Node
        The number of elements less `ddof`; a node where a mask decides.
    """
    x = as_node(a)
    axes = axes_of(axis, x.ndim)
    result_dtype: DType | None = None
    if dtype is not None:
        result_dtype = build.as_dtype(dtype)
        loop = result_dtype if kind_of(result_dtype) in "fc" else FLOAT64
        if kind_of(x.dtype) == "c" and kind_of(loop) != "c":
            loop = np.result_type(loop, np.complex64)
    elif kind_of(x.dtype) in "biu":
        loop = FLOAT64
    else:
        loop = x.dtype
    if is_narrow(loop):
        loop, result_dtype = FLOAT32, loop
    x = build.cast(x, loop)
    real = np.zeros((), loop).real.dtype
    masked = where is not True and where is not NO_VALUE
    count = build.size_over(x.shape, axes)
    left: Any
    if masked:
        counts = _counts(where, x, axes)
        whole = fold("sum", fill_unmasked(x, where, 0), axes)
        if is_passed(center):
            middle = as_node(center)
        else:
            # NumPy divides by zero in silence here.
            middle = _over_count(whole, counts, loop)
            middle = build.silent(middle, (whole, counts), ELEMENTWISE["divide"])
            middle = build.expand_axes(middle, axes)
        deviation = build.elementwise(ELEMENTWISE["subtract"], (x, middle))
        squares = fill_unmasked(_squared(deviation, square), where, 0)
        summed = fold("sum", squares, axes)
        left = as_node(wrap(counts) - ddof)
        result = _over_count(summed, build.elementwise(ELEMENTWISE["maximum"], (left, 0)), real)
    else:
        left = count - ddof
        if axes and not is_passed(center) and kind_of(loop) != "c":
            whole = build.reduce("sum", (x,), axes, loop)
            summed = build.reduce("sumsqdev", (x, whole), axes, loop)
        else:
            whole = fold("sum", x, axes)
            middle = build.expand_axes(divided(whole, count, loop), axes)
            if is_passed(center):
                middle = build.cast(as_node(center), loop)
            squares = _squared(build.elementwise(ELEMENTWISE["subtract"], (x, middle)), square)
            summed = fold("sum", squares, axes)
        result = divided(summed, builtins.max(left, 0), real)
    return result if result_dtype is None else build.cast(result, result_dtype), left


def degrees_of_freedom(ddof: Any, correction: Any) -> Any:
    """Return the number to subtract from the number of elements of a variance.

    Parameters
    ----------
    ddof : int or float
        NumPy's argument; 0 is its default.
    correction : int or float, optional
        The Array API's name of it.

    Returns
    -------
    int or float
        The one that was passed.

    Raises
    ------
    ArgumentError
        If both were.
    """
    if is_passed(correction):
        if ddof != 0:
            raise ArgumentError(
                "ddof and correction can't be provided simultaneously.", origin=origin()
            )
        return correction
    return ddof


@masked_aware
def var(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """Return the variance over axes: ``sum((x - mean)**2) / (n - ddof)``.

    Parameters
    ----------
    a : array_like
        Input.
    axis, dtype, out, keepdims, where
        As for :func:`lazyarr.mean`.
    ddof : int or float
        Degrees of freedom taken off the count; `correction` is the Array API's name.
    mean : array_like, optional
        The mean with its axes kept, if it is known already.
    correction : int or float, optional
        Same as `ddof`.

    Returns
    -------
    LazyArray
        Real, also of complex input.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.var([1.0, 2.0, 3.0, 4.0], ddof=1).compute()
    array(1.66666667)
    """
    degrees = degrees_of_freedom(ddof, correction)
    result = _variance(a, axis, dtype, degrees, keepdims, where, mean)
    return reduce_into(result, out, "var")


@masked_aware
def std(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """Return the standard deviation over axes: the root of :func:`lazyarr.var`.

    Parameters
    ----------
    a : array_like
        Input.
    axis, dtype, out, keepdims, where
        As for :func:`lazyarr.mean`.
    ddof, mean, correction
        As for :func:`lazyarr.var`.

    Returns
    -------
    LazyArray
        Real, also of complex input.
    """
    degrees = degrees_of_freedom(ddof, correction)
    variance = _variance(a, axis, dtype, degrees, keepdims, where, mean)
    root = apply(ELEMENTWISE["sqrt"], (variance,))
    root = root if dtype is None else root.astype(variance.dtype)
    return reduce_into(root, out, "std", "same_kind")


def average(
    a: Any,
    axis: Axis = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: Any = False,
) -> Any:
    """Return the weighted mean over axes.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int or tuple of int, optional
        Default: all axes.
    weights : array_like, optional
        Of the shape of `a`, or of its `axis` alone; default: all one.
    returned : bool
        Also return the sum of the weights.
    keepdims : bool
        Keep the axes, with length one.

    Returns
    -------
    LazyArray, or tuple of two
        The mean, and the sum of weights if `returned`.
    """
    x = asarray(a)
    with build.located():
        axes = normalize_axes(axis, x.ndim)
    if weights is None:
        result = mean(x, axes, keepdims=keepdims)
        if not result.size:
            raise ZeroDivisionError("division by zero")  # as NumPy's: elements for each mean
        total = build.filled(build.size_over(x.shape, axes), result.dtype, result.shape)
        return (result, wrap(total)) if returned else result
    w = asarray(weights)
    loop = build.promote(x._node, w._node)
    if kind_of(x.dtype) in "iub":
        loop = np.result_type(loop, FLOAT64)
    if x.shape != w.shape:
        if axis is None:
            raise ArgumentError(
                "Axis must be specified when shapes of a and weights differ.", origin=origin()
            )
        # Axes of weights go with the axes in the order in which these are named.
        named = [k % x.ndim for k in list_axes(axis)]
        if w.shape != tuple(x.shape[k] for k in named):
            raise ShapeError(
                "Shape of weights must be consistent with shape of a along specified axis.",
                origin=origin(),
            )
        w = w.transpose([int(k) for k in np.argsort(named)])
        w = w.reshape(tuple(n if k in axes else 1 for k, n in enumerate(x.shape)))
        w = wrap(build.broadcast_to(w._node, x.shape))
    scale = sum(w, axis=axes, dtype=loop, keepdims=keepdims)
    result = sum(x * w, axis=axes, dtype=loop, keepdims=keepdims) / scale
    return (result, scale) if returned else result
