"""Reductions: sum, mean, min and their kin, in NumPy's dtypes."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from lazyarr import build
from lazyarr.array import LazyArray, apply, as_node, as_operand, asarray, wrap
from lazyarr.build import BOOL, FLOAT32, FLOAT64, INT64
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.functions.calling import call_library, deliver
from lazyarr.ir import Node
from lazyarr.masked import MaskedSelection
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.origin import origin
from lazyarr.shapes import normalize_axes, normalize_axis

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]

DType = np.dtype[Any]
Axis = Any
Function = TypeVar("Function", bound=Callable[..., Any])
_MISSING: Any = getattr(np, "_NoValue", None)
_accumulators: dict[tuple[str, DType], DType] = {}
_UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def given(value: Any) -> bool:
    """Return whether an optional argument was passed."""
    return value is not None and value is not _MISSING


def accumulator(name: str, dtype: DType) -> DType:
    """Return the dtype in which NumPy sums (or multiplies) values of `dtype`."""
    key = (name, dtype)
    found = _accumulators.get(key)
    if found is None:
        found = _accumulators[key] = _UFUNCS[name].reduce(np.zeros(1, dtype)).dtype
    return found


def axes_of(axis: Axis, ndim: int, *, lenient: bool = False) -> tuple[int, ...]:
    """Return the sorted axes that an ``axis=`` argument names.

    `lenient` lets a 0-d array be reduced over its missing axis, as NumPy's ufuncs do.
    """
    if lenient and not ndim and axis in (0, -1):
        return ()
    with build.located():
        return normalize_axes(axis, ndim)


def keep(x: Node, axes: tuple[int, ...], keepdims: Any) -> Node:
    """Put the reduced axes back with length one if `keepdims` is true."""
    return build.expand_axes(x, axes) if given(keepdims) and keepdims else x


def masked_aware(function: Function) -> Function:
    """Let a reduction with ``where=`` take ``x[mask]`` without ever gathering its elements."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(a: Any, *args: Any, **keywords: Any) -> Any:
        if isinstance(a, MaskedSelection):
            bound = signature.bind(a, *args, **keywords)
            arguments = bound.arguments
            where = arguments.get("where", True)
            if a.is_flat and _over_all(arguments.get("axis")) and where in (True, _MISSING):
                kept = arguments.pop("keepdims", False)
                out = arguments.pop("out", None)
                arguments.pop("axis", None)
                first = next(iter(signature.parameters))
                arguments[first] = wrap(a._values)
                arguments["where"] = wrap(a._mask)
                result = function(**arguments)
                return deliver(result.reshape(1) if given(kept) and kept else result, out)
        return function(a, *args, **keywords)

    return wrapper  # type: ignore[return-value]


def _over_all(axis: Axis) -> bool:
    return axis is None or axis is _MISSING or axis in (0, -1, (0,), (-1,))


def _masked(x: Node, where: Any, fill: Any) -> Node:
    """Return `x` where the mask is true, else `fill` in x's dtype."""
    if where is True or where is _MISSING or where is None:
        return x
    mask = as_node(where)
    filler = build.constant(fill, x.dtype)
    made = build.elementwise(ELEMENTWISE["where"], (build.cast(mask, BOOL), x, filler))
    if made.shape != x.shape:
        raise ShapeError(
            f"where= of shape {mask.shape} does not broadcast to {x.shape}", origin=origin()
        )
    return made


def _accumulate(
    name: str, a: Any, axis: Axis, dtype: Any, keepdims: Any, initial: Any, where: Any
) -> LazyArray:
    x = as_node(a)
    axes = axes_of(axis, x.ndim, lenient=True)
    wanted = accumulator(name, x.dtype) if dtype is None else build.as_dtype(dtype)
    identity = 0 if name == "sum" else 1
    x = _masked(build.cast(x, wanted), where, identity)
    result = build.reduce(name, (x,), axes, wanted) if axes else x
    if given(initial):
        ufunc = _UFUNCS[name]
        result = build.elementwise(
            ELEMENTWISE[ufunc.__name__], (result, as_operand(initial)), wanted, "unsafe"
        )
    return wrap(keep(result, axes, keepdims))


@masked_aware
def sum(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the sum over axes.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int or tuple of int, optional
        Axes to sum over; default: all.
    dtype : dtype, optional
        To sum in; default: NumPy's, at least 64 bits for integers.
    out : ndarray or LazyArray, optional
        Takes the result on.
    keepdims : bool
        Keep the axes, with length one.
    initial : number, optional
        Added to the sum.
    where : array_like of bool
        Which elements count.

    Returns
    -------
    LazyArray
        0-d if every axis is summed over.

    Raises
    ------
    AxisError
        If an axis does not exist or is named twice.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.sum([[1, 2], [3, 4]], axis=0).compute()
    array([4, 6])
    """
    return deliver(_accumulate("sum", a, axis, dtype, keepdims, initial, where), out)


@masked_aware
def prod(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the product over axes; the arguments are those of :func:`lazyarr.sum`."""
    return deliver(_accumulate("prod", a, axis, dtype, keepdims, initial, where), out)


def extreme(dtype: DType, name: str) -> Any:
    """Return the value that never wins: the largest of `dtype` for min, the least for max."""
    if dtype.kind == "b":
        return name == "min"
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return int(limits.max if name == "min" else limits.min)
    return float("inf") if name == "min" else float("-inf")


def _extreme(name: str, a: Any, axis: Axis, keepdims: Any, initial: Any, where: Any) -> LazyArray:
    if isinstance(a, MaskedSelection) and a.is_flat and a.dtype.kind != "c" and _over_all(axis):
        if where is True and not given(initial):
            fill = extreme(a.dtype, name)
            values = _masked(a._values, wrap(a._mask), fill)
            axes = tuple(range(values.ndim))
            result = build.reduce(name, (values,), axes, values.dtype) if axes else values
            checked = call_library(
                "nonempty",
                lambda value, count, name: value,
                (result, as_node(a.count()), _UFUNCS[name].__name__),
                (),
                values.dtype,
            )
            return checked.reshape(1) if given(keepdims) and keepdims else checked
    x = as_node(a)
    axes = axes_of(axis, x.ndim, lenient=True)
    ufunc = _UFUNCS[name]
    if where is not True and where is not _MISSING:
        if not given(initial):
            raise ArgumentError(
                f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a "
                "where mask one has to specify 'initial'",
                origin=origin(),
            )
        x = _masked(x, where, initial)
    empty = build.size_over(x.shape, axes) == 0
    kept_size = build.size_over(x.shape, tuple(k for k in range(x.ndim) if k not in axes))
    if empty and not given(initial) and kept_size:
        raise ArgumentError(
            f"zero-size array to reduction operation {ufunc.__name__} which has no identity",
            origin=origin(),
            hint="pass initial=",
        )
    if not axes:
        result = x
    elif empty:
        shape = tuple(n for k, n in enumerate(x.shape) if k not in axes)
        start = initial if given(initial) else 0
        return wrap(keep(build.filled(start, x.dtype, shape), axes, keepdims))
    else:
        result = build.reduce(name, (x,), axes, x.dtype)
    if given(initial):
        result = build.elementwise(
            ELEMENTWISE[ufunc.__name__], (result, as_operand(initial)), x.dtype, "unsafe"
        )
    return wrap(keep(result, axes, keepdims))


def min(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the least value over axes; NaN if there is one.

    The arguments are those of :func:`lazyarr.sum`.

    Raises
    ------
    ArgumentError
        If there is nothing to take the minimum of and no `initial`.
    """
    return deliver(_extreme("min", a, axis, keepdims, initial, where), out)


def max(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the greatest value over axes; see :func:`lazyarr.min`."""
    return deliver(_extreme("max", a, axis, keepdims, initial, where), out)


amin, amax = min, max


def _logical(name: str, a: Any, axis: Axis, keepdims: Any, where: Any) -> LazyArray:
    x = build.cast(as_node(a), BOOL)
    axes = axes_of(axis, x.ndim, lenient=True)
    x = _masked(x, where, name == "all")
    return wrap(keep(build.reduce(name, (x,), axes, BOOL) if axes else x, axes, keepdims))


@masked_aware
def any(
    a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """Return whether any element over the axes is true (NaN is)."""
    return deliver(_logical("any", a, axis, keepdims, where), out)


@masked_aware
def all(
    a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """Return whether all elements over the axes are true."""
    return deliver(_logical("all", a, axis, keepdims, where), out)


def _position(name: str, a: Any, axis: Axis, keepdims: Any) -> LazyArray:
    x = as_node(a)
    if axis is not None and x.ndim:
        with build.located():
            axis = normalize_axis(axis, x.ndim)
    axes = axes_of(axis, x.ndim, lenient=True)
    if build.size_over(x.shape, axes) == 0:
        raise ArgumentError(f"attempt to get {name} of an empty sequence", origin=origin())
    result = build.reduce(name, (x,), axes, INT64) if axes else build.constant(0, INT64)
    return wrap(keep(result, axes, keepdims))


def argmin(a: Any, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """Return the index of the first least value along an axis, or in the flattened array."""
    return deliver(_position("argmin", a, axis, keepdims), out)


def argmax(a: Any, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """Return the index of the first greatest value along an axis, or in the flattened array."""
    return deliver(_position("argmax", a, axis, keepdims), out)


def warn(message: str) -> None:
    """Give NumPy's RuntimeWarning at the user's line."""
    warnings.warn_explicit(message, RuntimeWarning, *(origin() or ("<unknown>", 0)))


def divided(x: Node, count: int | float, dtype: DType) -> Node:
    """Return ``x / count`` rounded to `dtype` once, as NumPy's mean does."""
    if dtype.kind in "iub":
        return build.cast(
            build.elementwise(ELEMENTWISE["divide"], (build.cast(x, FLOAT64), float(count))), dtype
        )
    if dtype.kind == "f" and dtype.itemsize < 8 and float(dtype.type(count)) != count:
        # The count is not exact in this dtype: NumPy divides in float64.
        wide = build.elementwise(ELEMENTWISE["divide"], (build.cast(x, FLOAT64), float(count)))
        return build.cast(wide, dtype)
    return build.elementwise(ELEMENTWISE["divide"], (x, float(count)))


def _over_count(total: Node, count: Node, dtype: DType) -> Node:
    loop = dtype if dtype.kind in "fc" else FLOAT64
    quotient = build.elementwise(ELEMENTWISE["divide"], (build.cast(total, loop), count))
    return build.cast(quotient, dtype)


def _counts(where: Any, x: Node, axes: tuple[int, ...]) -> Node:
    mask = build.broadcast_to(build.cast(as_node(where), BOOL), x.shape)
    return build.reduce("sum", (build.cast(mask, INT64),), axes, INT64)


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
    x = as_node(a)
    axes = axes_of(axis, x.ndim)
    result_dtype: DType | None = None
    if dtype is not None:
        loop = build.as_dtype(dtype)
    elif x.dtype.kind in "biu":
        loop = FLOAT64
    elif x.dtype == np.float16:
        loop, result_dtype = FLOAT32, x.dtype
    else:
        loop = x.dtype
    masked = where is not True and where is not _MISSING
    counts = _counts(where, x, axes) if masked else None
    x = _masked(build.cast(x, loop), where, 0)
    count = build.size_over(x.shape, axes)
    if count == 0 and not masked:
        warn("Mean of empty slice.")
    total = build.reduce("sum", (x,), axes, loop) if axes else x
    if counts is not None:
        result = _over_count(total, counts, loop)
    else:
        result = divided(total, count, loop)
    result = keep(
        result if result_dtype is None else build.cast(result, result_dtype), axes, keepdims
    )
    return deliver(wrap(result), out, "unsafe")


def _squared(x: Node) -> Node:
    """Return ``abs(x)**2``, real even if x is complex."""
    if x.dtype.kind != "c":
        return build.elementwise(ELEMENTWISE["multiply"], (x, x))
    parts = [build.elementwise(ELEMENTWISE[name], (x,)) for name in ("real", "imag")]
    squares = [build.elementwise(ELEMENTWISE["multiply"], (part, part)) for part in parts]
    return build.elementwise(ELEMENTWISE["add"], tuple(squares))


def _variance(
    a: Any, axis: Axis, dtype: Any, ddof: Any, keepdims: Any, where: Any, center: Any
) -> LazyArray:
    x = as_node(a)
    axes = axes_of(axis, x.ndim)
    result_dtype: DType | None = None
    if dtype is not None:
        result_dtype = build.as_dtype(dtype)
        loop = result_dtype if result_dtype.kind in "fc" else FLOAT64
        if x.dtype.kind == "c" and loop.kind != "c":
            loop = np.result_type(loop, np.complex64)
    elif x.dtype.kind in "biu":
        loop = FLOAT64
    else:
        loop = x.dtype
    if loop == np.float16:
        loop, result_dtype = FLOAT32, np.dtype(np.float16)
    x = build.cast(x, loop)
    real = np.zeros((), loop).real.dtype
    masked = where is not True and where is not _MISSING
    count = build.size_over(x.shape, axes)
    if masked:
        counts = _counts(where, x, axes)
        total = build.reduce("sum", (_masked(x, where, 0),), axes, loop) if axes else x
        middle = build.expand_axes(_over_count(total, counts, loop), axes)
        if given(center):
            middle = as_node(center)
        deviation = build.elementwise(ELEMENTWISE["subtract"], (x, middle))
        squares = _masked(_squared(deviation), where, 0)
        summed = build.reduce("sum", (squares,), axes, real) if axes else squares
        freedom = apply(ELEMENTWISE["maximum"], (wrap(counts) - ddof, 0))
        result = _over_count(summed, as_node(freedom), real)
    else:
        if count - ddof <= 0:
            warn("Degrees of freedom <= 0 for slice")
        if axes and not given(center) and loop.kind != "c":
            total = build.reduce("sum", (x,), axes, loop)
            summed = build.reduce("sumsqdev", (x, total), axes, loop)
        else:
            total = build.reduce("sum", (x,), axes, loop) if axes else x
            middle = build.expand_axes(divided(total, count, loop), axes)
            if given(center):
                middle = build.cast(as_node(center), loop)
            squares = _squared(build.elementwise(ELEMENTWISE["subtract"], (x, middle)))
            summed = build.reduce("sum", (squares,), axes, real) if axes else squares
        freedom_left = count - ddof
        result = divided(summed, freedom_left if freedom_left > 0 else 0, real)
    if result_dtype is not None and result_dtype.kind != "c":
        result = build.cast(result, result_dtype)
    return wrap(keep(result, axes, keepdims))


def degrees_of_freedom(ddof: Any, correction: Any) -> Any:
    """Return the degrees of freedom that ``ddof=`` or its other name gives."""
    if given(correction):
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
    return deliver(result, out, "unsafe")


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
    """Return the standard deviation over axes: the root of :func:`lazyarr.var`."""
    degrees = degrees_of_freedom(ddof, correction)
    variance = _variance(a, axis, dtype, degrees, keepdims, where, mean)
    root = apply(ELEMENTWISE["sqrt"], (variance,))
    return deliver(root if dtype is None else root.astype(variance.dtype), out, "unsafe")


def count_nonzero(a: Any, axis: Axis = None, *, keepdims: Any = False) -> LazyArray:
    """Return how many elements over the axes are not zero, as int64."""
    return asarray(
        sum(
            a != 0 if isinstance(a, LazyArray) else asarray(a) != 0,
            axis=axis,
            dtype=INT64,
            keepdims=keepdims,
        )
    )


def ptp(a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False) -> Any:
    """Return the range, greatest minus least value, over axes."""
    found = max(a, axis=axis, keepdims=keepdims) - min(a, axis=axis, keepdims=keepdims)
    return deliver(found, out, "unsafe")


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
    if weights is None:
        found = mean(x, axis, keepdims=keepdims)
        total = build.filled(
            build.size_over(x.shape, axes_of(axis, x.ndim)), found.dtype, found.shape
        )
        return (found, wrap(total)) if returned else found
    w = asarray(weights)
    loop = build.promote(x._node, w._node)
    if x.dtype.kind in "iub":
        loop = np.result_type(loop, FLOAT64)
    if x.shape != w.shape:
        if axis is None:
            raise ArgumentError(
                "Axis must be specified when shapes of a and weights differ.", origin=origin()
            )
        axes = axes_of(axis, x.ndim)
        if w.shape != tuple(x.shape[k] for k in axes):
            raise ShapeError(
                "Shape of weights must be consistent with shape of a along specified axis.",
                origin=origin(),
            )
        w = w.reshape(tuple(n if k in axes else 1 for k, n in enumerate(x.shape)))
        w = wrap(build.broadcast_to(w._node, x.shape))
    scale = sum(w, axis=axis, dtype=loop, keepdims=keepdims)
    found = sum(x * w, axis=axis, dtype=loop, keepdims=keepdims) / scale
    return (found, scale) if returned else found
