"""Means and variances over axes."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, as_node, as_operand, wrap
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT32, FLOAT64, INT64
from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.numpy_releases import ENDS_EMPTY_MEANS_WITH_A_DOT
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.reduction_arguments import (
    NO_VALUE,
    Axis,
    axes_of,
    degrees_of_freedom,
    fill_unmasked,
    fold,
    is_passed,
    keep,
    masked_aware,
)
from lazyarr.numpy_api.reductions import DType
from lazyarr.numpy_api.ufunc_arguments import accumulation_dtype, mask_of, reduce_into
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = [
    "mean",
    "std",
    "var",
]


_NOTHING = "Mean of empty slice" + "." * ENDS_EMPTY_MEANS_WITH_A_DOT
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
    is_narrow_float = kind_of(dtype) == "f" and dtype.itemsize < 8
    if kind_of(dtype) in "iub" or (is_narrow_float and float(dtype.type(count)) != count):
        # The count is not exact in this dtype: NumPy divides in float64.
        wide = build.elementwise(ELEMENTWISE["divide"], (build.cast(x, FLOAT64), float(count)))
        return build.cast(wide, dtype)
    return build.elementwise(ELEMENTWISE["divide"], (x, float(count)))


def _over_count(total: Node, count: Node, dtype: DType) -> Node:
    loop = dtype if kind_of(dtype) in "fc" else FLOAT64
    quotient = build.elementwise(ELEMENTWISE["divide"], (build.cast(total, loop), count))
    return build.cast(quotient, dtype)


def _counts(where: Any, x: Node, axes: tuple[int, ...]) -> Node:
    if where is None:
        raise ArgumentError(
            "int() argument must be a string, a bytes-like object or a real number, not "
            "'NoneType': where must be an array of bools or True",
            origin=origin(),
        )
    mask = build.broadcast_to(mask_of(where), x.shape)
    return fold("sum", build.cast(mask, INT64), axes)


def _warn_of_output(x: Node, dtype: Any, out: Any) -> None:
    """Warn of complex outputs where a dtype to sum in is chosen, to which NumPy casts them."""
    if dtype is None and kind_of(x.dtype) in "biu":
        dtype = FLOAT64
    accumulation_dtype(x, dtype, out)


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
    means, counts = mean_and_counts(a, axis, dtype, where, dtype_of_output(out))
    _warn_of_output(as_node(a), dtype, out)
    if counts is not None:
        means = build.warned(means, nothing_in(counts), _NOTHING)
    else:
        x = as_node(a)
        if not build.size_over(x.shape, axes_of(axis, x.ndim)):
            warn_user(_NOTHING)
    kept = keep(means, axes_of(axis, as_node(a).ndim, lenient=True), keepdims)
    return reduce_into(wrap(kept), out, "add")


def mean_and_counts(
    a: Any, axis: Axis, dtype: Any, where: Any, into: DType | None = None
) -> tuple[Node, Node | None]:
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
    into : dtype, optional
        Of the output, where NumPy divides the sums.

    Returns
    -------
    mean : Node
        Without the axes; NaN where nothing is averaged.
    counts : Node or None
        Numbers of elements of each mean, int64; None without a mask.
    """
    x = as_node(a)
    axes = axes_of(axis, x.ndim, lenient=where is not True and where is not NO_VALUE)
    result_dtype: DType | None = None
    if dtype is not None:
        loop = build.loop_dtype(dtype)
    elif kind_of(x.dtype) in "biu":
        loop = FLOAT64
    elif is_narrow(x.dtype):
        loop, result_dtype = FLOAT32, x.dtype
    else:
        loop = x.dtype
    masked = where is not True and where is not NO_VALUE
    counts = _counts(where, x, axes) if masked else None
    build.warn_of_discarding(x.dtype, loop)
    x = fill_unmasked(build.cast(x, loop), where, 0)
    total = fold("sum", x, axes)
    if not axes and kind_of(loop) in "fc":  # no sum of NumPy's is -0
        total = build.elementwise(ELEMENTWISE["add"], (total, build.constant(0, loop)), loop)
    summed, loop = _stored(total, loop, into)
    if counts is None:
        result = divided(summed, build.size_over(x.shape, axes), loop)
    else:
        result = _over_count(summed, counts, loop)
    if result_dtype is not None and into is None:
        result = build.cast(result, result_dtype)
    return result, counts


def dtype_of_output(out: Any) -> DType | None:
    """Return the dtype of ``out=``; None without an output."""
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    return build.as_dtype(target.dtype) if isinstance(target, (LazyArray, np.ndarray)) else None


def _stored(total: Node, dtype: DType, into: DType | None) -> tuple[Node, DType]:
    """Return sums as an output holds them, and the dtype to divide them in."""
    if into is None or (kind_of(dtype) == "c" and kind_of(into) != "c"):
        return total, dtype
    return build.cast(total, into), into


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
    a: Any, axis: Axis, dtype: Any, out: Any, ddof: Any, keepdims: Any, where: Any, center: Any
) -> LazyArray:
    into = dtype_of_output(out)
    variance, freedom = variance_and_freedom(a, axis, dtype, ddof, where, center, into=into)
    if isinstance(freedom, Node):
        variance = build.warned(variance, nothing_in(freedom), _NO_FREEDOM)
    elif freedom <= 0:
        warn_user(_NO_FREEDOM)
    return wrap(keep(variance, axes_of(axis, as_node(a).ndim, lenient=True), keepdims))


def _square(x: Node) -> Node:
    return build.elementwise(ELEMENTWISE["square"], (x,))


def _holds(loop: DType, dtype: DType) -> bool:
    """Whether deviations from a mean in one dtype have it, and are real if it is."""
    real = kind_of(dtype) != "c"
    kinds = "f" if real else "c"
    return kind_of(loop) in kinds and np.result_type(dtype, loop) == loop


def _variance_in_steps(
    x: Node,
    axes: tuple[int, ...],
    dtype: DType | None,
    ddof: Any,
    where: Any,
    center: Any,
    square: Callable[[Node], Node],
    into: DType | None,
) -> tuple[Node, Any]:
    """Return a variance and its degrees of freedom, the sums alone in a dtype of the user's.

    NumPy takes the deviations from the mean in the dtype that both have in common.
    """
    if dtype is None and kind_of(x.dtype) in "biu":
        dtype = FLOAT64
    masked = where is not True and where is not NO_VALUE
    counts = _counts(where, x, axes) if masked else None
    count = build.size_over(x.shape, axes)

    def summed(terms: Node) -> Node:
        terms = terms if dtype is None else build.cast(terms, dtype)
        along = axes if len(axes) < x.ndim else tuple(range(terms.ndim))  # a mean may have more
        return fold("sum", fill_unmasked(terms, where, 0), along)

    def over(total: Node, less: Any) -> Node:
        if counts is None:
            return divided(total, builtins.max(count - less, 0), total.dtype)
        left = build.elementwise(ELEMENTWISE["subtract"], (counts, less))
        left = build.elementwise(ELEMENTWISE["maximum"], (left, 0))
        return _over_count(total, left, total.dtype)

    whole = None
    if is_passed(center):
        middle = as_operand(center)
    else:
        whole = summed(x)
        middle = build.silent(over(whole, 0), (whole,), ELEMENTWISE["divide"])
        middle = build.expand_axes(middle, axes)
    terms = build.elementwise(ELEMENTWISE["subtract"], (x, middle))
    if square is not _square:
        terms = _squared(build.cast(terms, x.dtype), square)
    elif kind_of(x.dtype) in "iuf":
        terms = _square(terms)  # of complex numbers, too
        if dtype is not None:
            build.warn_of_discarding(terms.dtype, dtype)
    else:
        terms = _squared(terms, _square)
    left = count - ddof if counts is None else as_node(wrap(counts) - ddof)
    total = summed(terms)
    total, _ = _stored(total, total.dtype, into)
    if not count and counts is None and whole is not None:
        return _with_mean_of_nothing(over(total, ddof), over(whole, 0)), left
    return over(total, ddof), left


def _with_mean_of_nothing(variance: Node, mean: Node) -> Node:
    """Return a variance of nothing, NaN or with ``ddof < 0`` zero, that depends on the mean.

    No deviation is computed, so the mean is not either, for which NumPy warns, too.
    """
    if kind_of(variance.dtype) != "c":
        mean = build.elementwise(ELEMENTWISE["real"], (mean,))
    mean = build.cast(mean, variance.dtype)
    return build.elementwise(ELEMENTWISE["fmax"], (variance, mean))


def variance_and_freedom(
    a: Any,
    axis: Axis,
    dtype: Any,
    ddof: Any,
    where: Any,
    center: Any,
    square: Callable[[Node], Node] = _square,
    into: DType | None = None,
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
    into : dtype, optional
        Of the output, where NumPy divides the sums.

    Returns
    -------
    variance : Node
        Real, without the axes.
    freedom : int, float or Node
        The number of elements less `ddof`; a node where a mask decides.
    """
    x = as_node(a)
    axes = axes_of(axis, x.ndim, lenient=where is not True and where is not NO_VALUE)
    result_dtype: DType | None = None
    is_wide = is_passed(center) and not is_narrow(build.promote(x, as_operand(center)))
    if dtype is None and is_wide and square is _square:
        return _variance_in_steps(x, axes, None, ddof, where, center, square, into)
    if dtype is not None:
        result_dtype = loop = build.loop_dtype(dtype)
        if not is_passed(center):
            build.warn_of_discarding(x.dtype, loop)
        if not _holds(loop, x.dtype):
            return _variance_in_steps(x, axes, loop, ddof, where, center, square, into)
    elif kind_of(x.dtype) in "biu":
        loop = FLOAT64
    else:
        loop = x.dtype
    if is_narrow(loop):
        loop, result_dtype = FLOAT32, loop
    x = build.cast(x, loop)
    real = np.zeros((), loop).real.dtype
    quotient = real if result_dtype is None or kind_of(result_dtype) != "c" else result_dtype
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
        squares = build.cast(_squared(deviation, square), real)
        summed = fold("sum", fill_unmasked(squares, where, 0), axes)
        left = as_node(wrap(counts) - ddof)
        summed, real = _stored(build.cast(summed, quotient), quotient, into)
        result = _over_count(summed, build.elementwise(ELEMENTWISE["maximum"], (left, 0)), real)
    else:
        left = count - ddof
        if axes and count and not is_passed(center) and kind_of(loop) != "c":
            whole = build.reduce("sum", (x,), axes, loop)
            summed = build.reduce("sumsqdev", (x, whole), axes, loop)
        else:
            whole = fold("sum", x, axes)
            middle = build.expand_axes(divided(whole, count, loop), axes)
            if is_passed(center):
                middle = build.cast(as_node(center), loop)
            squares = _squared(build.elementwise(ELEMENTWISE["subtract"], (x, middle)), square)
            summed = fold("sum", squares, axes)
        summed, real = _stored(build.cast(summed, quotient), quotient, into)
        result = divided(summed, builtins.max(left, 0), real)
        if not count and not is_passed(center):
            result = _with_mean_of_nothing(result, divided(whole, count, loop))
    if result_dtype is None or into is not None:
        return result, left
    return build.cast(result, result_dtype), left


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
    result = _variance(a, axis, dtype, out, degrees, keepdims, where, mean)
    _warn_of_output(as_node(a), dtype, out)
    return reduce_into(result, out, "add")


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
    variance = _variance(a, axis, dtype, out, degrees, keepdims, where, mean)
    into = dtype_of_output(out)
    if into is not None:
        build.warn_of_discarding(variance.dtype, into)
        variance = variance.astype(into)
    if (variance.ndim or into is not None) and kind_of(variance.dtype) in "biu":
        root_dtype = np.sqrt(np.zeros((), variance.dtype)).dtype
        build.check_cast(root_dtype, variance.dtype, "same_kind", ufunc="sqrt")
    _warn_of_output(as_node(a), dtype, out)
    root = apply(ELEMENTWISE["sqrt"], (variance,))
    root = root if dtype is None else root.astype(variance.dtype)
    return reduce_into(root, out, "add", "same_kind")
