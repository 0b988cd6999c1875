"""Reductions that leave NaN out."""

from __future__ import annotations

from typing import Any

from lazyarr import build
from lazyarr.array import LazyArray, apply, asarray, wrap
from lazyarr.functions import moments, reductions
from lazyarr.functions.calling import deliver
from lazyarr.functions.selection import where as where_
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"]


def _nan(x: LazyArray) -> LazyArray:
    return apply(ELEMENTWISE["isnan"], (x,))


def _real(a: Any) -> tuple[LazyArray, bool]:
    x = asarray(a)
    return x, x.dtype.kind in "fc"


def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the sum over axes with NaN counted as zero; see :func:`lazyarr.sum`."""
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
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the product over axes with NaN counted as one; see :func:`lazyarr.sum`."""
    x, inexact = _real(a)
    if inexact:
        x = apply(ELEMENTWISE["where"], (_nan(x), 1.0, x))
    return reductions.prod(x, axis, dtype, out, keepdims, initial, where)


def _extreme(name: str, a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, mask: Any) -> Any:
    x, inexact = _real(a)
    function = getattr(reductions, name)
    if not inexact or x.dtype.kind == "c":
        return function(x, axis, out, keepdims, initial, mask)
    worst = reductions.extreme(x.dtype, name)
    found = function(where_(_nan(x), worst, x), axis, None, keepdims, initial, mask)
    if not reductions.given(initial):
        # What has nothing but NaN gives NaN, whatever stood in for it.
        nothing = reductions.all(_nan(x), axis, None, keepdims)
        found = where_(nothing, float("nan"), found)
    return deliver(found, out)


def nanmin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the least value over axes that is not NaN; NaN if there is none."""
    return _extreme("min", a, axis, out, keepdims, initial, where)


def nanmax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the greatest value over axes that is not NaN; NaN if there is none."""
    return _extreme("max", a, axis, out, keepdims, initial, where)


def _numbers(x: LazyArray, mask: Any) -> Any:
    found = apply(ELEMENTWISE["logical_not"], (_nan(x),))
    return found if mask is True or not reductions.given(mask) else found & mask


def _said(found: LazyArray, x: LazyArray, text: str) -> LazyArray:
    """Let quotients of nothing by nothing say what NumPy says of them."""
    return wrap(build.saying(found._node, (x._node,), ELEMENTWISE["divide"], text))


def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Any:
    """Return the mean over axes of what is not NaN; see :func:`lazyarr.mean`."""
    x, inexact = _real(a)
    mask = _numbers(x, where) if inexact else where
    axis = reductions.axes_of(axis, x.ndim, lenient=True)
    found = moments.mean(x, axis, dtype, None, keepdims, where=mask)
    if inexact:
        found = _said(found, x, "Mean of empty slice")
    return deliver(found, out, "unsafe")


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
    axis = reductions.axes_of(axis, x.ndim, lenient=True)
    ddof, correction = degrees
    free = moments.degrees_of_freedom(ddof, correction)
    mask = _numbers(x, mask) if inexact else mask
    function = getattr(moments, name)
    found = function(x, axis, dtype, None, free, keepdims, where=mask, mean=center)
    if inexact:
        found = _said(found, x, "Degrees of freedom <= 0 for slice.")
        count = reductions.sum(asarray(mask), axis, keepdims=keepdims)
        found = where_(count <= free, float("nan"), found)
    return deliver(found, out)


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
    """Return the variance over axes of what is not NaN; NaN where too little is."""
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
    """Return the standard deviation over axes of what is not NaN; NaN where too little is."""
    return _spread("std", a, axis, dtype, out, (ddof, correction), keepdims, where, mean)
