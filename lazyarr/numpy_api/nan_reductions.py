"""Reductions that leave NaN out."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, as_node, wrap
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api import moments, reduction_arguments, reductions, selection
from lazyarr.numpy_api.initial_values import check_initial
from lazyarr.numpy_api.ufunc_arguments import mask_of, reduce_into
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"]


MULTIPLY = ELEMENTWISE["multiply"]


def _nan(x: LazyArray) -> LazyArray:
    return apply(ELEMENTWISE["isnan"], (x,))


def _real(a: Any) -> tuple[LazyArray, bool]:
    x = as_lazy(a)
    return x, kind_of(x.dtype) in "fc"


def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = reduction_arguments.NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the sum over axes with NaN counted as zero.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, initial, where
        As for :func:`lazyarr.sum`.
    """
    x, inexact = _real(a)
    if inexact:
        x = apply(ELEMENTWISE["where"], (_nan(x), 0.0, x))
    return reductions.sum(x, axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = reduction_arguments.NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the product over axes with NaN counted as one.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, initial, where
        As for :func:`lazyarr.prod`.
    """
    x, inexact = _real(a)
    if inexact:
        x = apply(ELEMENTWISE["where"], (_nan(x), 1.0, x))
    return reductions.prod(x, axis, dtype, out, keepdims, initial, where)


def _extreme(name: str, a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, mask: Any) -> Any:
    x, inexact = _real(a)
    function = getattr(reductions, name)
    if not inexact:
        return function(x, axis, out, keepdims, initial, mask)
    filled = selection.where(_nan(x), _worst(name, x), x)
    passed = reduction_arguments.is_passed(initial)
    if passed and (isinstance(initial, LazyArray) or initial != initial):
        return reduce_into(_begun(name, x, initial, axis, keepdims, mask), out, f"f{name}")
    result = function(filled, axis, None, keepdims, initial, mask)
    if not passed:
        # What has nothing but NaN gives NaN, whatever stood in for it.
        empty = reductions.all(_nan(x), axis, None, keepdims)
        result = selection.where(empty, _unknown(name, x, axis, keepdims), result)
        # NumPy reduces what is no array of its own by another function.
        kind = "slice" if isinstance(a, (LazyArray, np.ndarray)) else "axis"
        warned = build.warned(as_node(result), as_node(empty), f"All-NaN {kind} encountered")
        result = wrap(warned)
    return reduce_into(result, out, f"f{name}")


def _worst(name: str, x: LazyArray) -> complex:
    """Return the number that any other one comes before."""
    worst: float = reduction_arguments.extreme(x.dtype, name)
    return complex(worst, worst) if kind_of(x.dtype) == "c" else worst


def _begun(name: str, x: LazyArray, initial: Any, axis: Any, keepdims: Any, mask: Any) -> LazyArray:
    """Return an extreme with an initial value, which is ignored if it is NaN."""
    function = getattr(reductions, name)
    check_initial(initial, reduction_arguments.UFUNCS[name], x.dtype)
    counted = _numbers(x, mask)
    lazy = isinstance(initial, LazyArray)
    first = as_node(initial) if lazy else build.constant(initial, x.dtype)
    axes = reduction_arguments.axes_of(axis, x.ndim, lenient=True)
    if build.size_over(x.shape, axes):
        values = function(selection.where(counted, x, _worst(name, x)), axis, None, keepdims)
        least = ELEMENTWISE["fmin" if name == "min" else "fmax"]
        known = build.elementwise(least, (first, as_node(values)), x.dtype, "unsafe")
        result = selection.where(
            reductions.any(counted, axis, None, keepdims), wrap(known), wrap(first)
        )
        result = result.astype(x.dtype)
    else:
        result = function(x, axis, None, keepdims, initial)
    isnan = as_node(_nan(result))
    return wrap(build.warned(as_node(result), isnan, "All-NaN slice encountered"))


def _unknown(name: str, x: LazyArray, axis: Any, keepdims: Any) -> Any:
    """Return NumPy's result for nothing but NaN: of complex numbers, the first of them."""
    if kind_of(x.dtype) != "c":
        return float("nan")
    return getattr(reductions, name)(x, axis, None, keepdims)


def nanmin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = reduction_arguments.NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the least value over axes that is not NaN; NaN if there is none.

    Parameters
    ----------
    a, axis, out, keepdims, initial, where
        As for :func:`lazyarr.min`.
    """
    return _extreme("min", a, axis, out, keepdims, initial, where)


def nanmax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = reduction_arguments.NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the greatest value over axes that is not NaN; NaN if there is none.

    Parameters
    ----------
    a, axis, out, keepdims, initial, where
        As for :func:`lazyarr.max`.
    """
    return _extreme("max", a, axis, out, keepdims, initial, where)


def _numbers(x: LazyArray, mask: Any) -> Any:
    numbers = apply(ELEMENTWISE["logical_not"], (_nan(x),))
    if mask is True or mask is reduction_arguments.NO_VALUE:
        return numbers
    return numbers & wrap(mask_of(mask))


def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Any:
    """Return the mean over axes of the elements that are not NaN.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, where
        As for :func:`lazyarr.mean`.
    """
    x, inexact = _real(a)
    if not inexact:
        return moments.mean(x, axis, dtype, out, keepdims, where=where)
    axis = reduction_arguments.axes_of(axis, x.ndim, lenient=True)
    _check_inexact(dtype, out)
    mask = _numbers(x, where)
    is_empty = not build.size_over(x.shape, axis)
    # Of no elements the number is no sum: compilers fold 0 / 0 to a NaN of another sign.
    means, counts = moments.mean_and_counts(x, axis, dtype, True if is_empty else mask)
    counts = build.constant(0, build.INT64) if counts is None else counts
    means = build.silent(means, (x._node, as_node(mask)), ELEMENTWISE["divide"])
    means = build.warned(means, moments.nothing_in(counts), "Mean of empty slice")
    return reduce_into(wrap(reduction_arguments.keep(means, axis, keepdims)), out, "add")


def _check_inexact(dtype: Any, out: Any) -> None:
    if reduction_arguments.is_passed(dtype) and kind_of(build.as_dtype(dtype)) not in "fc":
        raise DTypeError("If a is inexact, then dtype must be inexact", origin=origin())
    if isinstance(out, (LazyArray, np.ndarray)) and kind_of(out.dtype) not in "fc":
        raise DTypeError("If a is inexact, then out must be inexact", origin=origin())


def _spread(
    name: str,
    a: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    degrees: tuple[Any, Any],
    keepdims: Any,
    mask: Any,
    center: Any,
) -> Any:
    x, inexact = _real(a)
    ddof, correction = degrees
    free = reduction_arguments.degrees_of_freedom(ddof, correction)
    if not inexact:
        function = getattr(moments, name)
        return function(x, axis, dtype, out, free, keepdims, where=mask, mean=center)
    axis = reduction_arguments.axes_of(axis, x.ndim, lenient=True)
    _check_inexact(dtype, out)
    if dtype is not None:
        build.warn_of_discarding(build.as_dtype(dtype), x.dtype)
    mask = _numbers(x, mask)
    # No NaN is computed with, as its slope would be one for the whole sum.
    x = apply(ELEMENTWISE["where"], (_nan(x), 0.0, x))

    stored = None if dtype is None else np.zeros((), x.dtype).real.dtype

    def square(deviation: Node) -> Node:
        remaining = reduction_arguments.fill_unmasked(deviation, mask, 0)
        if stored is None:
            return build.elementwise(MULTIPLY, (remaining, remaining))
        # NumPy stores deviations and squares where the array was, and sums in the other dtype.
        remaining = build.cast(remaining, stored)
        return build.elementwise(MULTIPLY, (remaining, remaining))

    spread, left = moments.variance_and_freedom(x, axis, dtype, free, mask, center, square)
    spread = build.silent(spread, (x._node, as_node(mask)), ELEMENTWISE["divide"])
    few = moments.nothing_in(left)
    result = selection.where(wrap(few), float("nan"), wrap(spread))
    result = wrap(build.warned(result._node, few, "Degrees of freedom <= 0 for slice."))
    if name == "std":
        result = apply(ELEMENTWISE["sqrt"], (result,))
    return reduce_into(wrap(reduction_arguments.keep(result._node, axis, keepdims)), out, "add")


def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """Return the variance over axes of the elements that are not NaN; NaN if there are too few.

    Parameters
    ----------
    a, axis, dtype, out, ddof, keepdims, where, mean, correction
        As for :func:`lazyarr.var`.
    """
    return _spread("var", a, axis, dtype, out, (ddof, correction), keepdims, where, mean)


def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """Return the standard deviation over axes of the elements that are not NaN; NaN if too few.

    Parameters
    ----------
    a, axis, dtype, out, ddof, keepdims, where, mean, correction
        As for :func:`lazyarr.std`.
    """
    return _spread("std", a, axis, dtype, out, (ddof, correction), keepdims, where, mean)
