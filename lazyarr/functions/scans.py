"""Cumulative sums and products, differences: ops along one axis that keep it."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr import build
from lazyarr.array import LazyArray, apply, as_node, asarray, wrap
from lazyarr.errors import ArgumentError
from lazyarr.functions.calling import deliver, library_node
from lazyarr.functions.movement import concatenate
from lazyarr.functions.reductions import accumulator
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY
from lazyarr.origin import origin
from lazyarr.shapes import normalize_axis

__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
    "nancumprod",
    "nancumsum",
    "trapezoid",
]


def _scan(name: str, a: Any, axis: Any, dtype: Any) -> LazyArray:
    x = as_node(a)
    if axis is None:
        x = build.reshape(x, (x.size,))
        axis = 0
    elif not x.shape:
        x = build.reshape(x, (1,))
    with build.located():
        axis = normalize_axis(axis, x.ndim)
    wanted = accumulator(name, x.dtype) if dtype is None else build.as_dtype(dtype)
    ufunc = np.add if name == "sum" else np.multiply
    return wrap(
        library_node(
            LIBRARY["accumulate"],
            (ufunc, build.cast(x, wanted)),
            {"axis": axis, "dtype": wanted},
            x.shape,
            wanted,
        )
    )


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the cumulative sum along an axis, or of the flattened array.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int, optional
        Default: the flattened array.
    dtype : dtype, optional
        To sum in; default: that of :func:`lazyarr.sum`.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Returns
    -------
    LazyArray
        Of the shape of `a`.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.cumsum([1, 2, 3]).compute()
    array([1, 3, 6])
    """
    return deliver(_scan("sum", a, axis, dtype), out)


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the cumulative product along an axis, or of the flattened array."""
    return deliver(_scan("prod", a, axis, dtype), out)


def _cumulative(name: str, x: Any, axis: Any, dtype: Any, out: Any, include: bool) -> Any:
    array = asarray(x)
    if array.ndim == 0:
        raise ArgumentError("0-d arrays are not supported here", origin=origin())
    if axis is None:
        if array.ndim != 1:
            raise ArgumentError("axis is needed for arrays of more than one axis", origin=origin())
        axis = 0
    result = _scan(name, array, axis, dtype)
    if include:
        at = normalize_axis(axis, array.ndim)
        shape = tuple(1 if k == at else n for k, n in enumerate(array.shape))
        first = build.filled(0 if name == "sum" else 1, result.dtype, shape)
        result = concatenate([wrap(first), result], axis=at)
    return deliver(result, out)


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    """Return the cumulative sum along an axis, with a leading zero if `include_initial`."""
    return _cumulative("sum", x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    """Return the cumulative product along an axis, with a leading one if `include_initial`."""
    return _cumulative("prod", x, axis, dtype, out, include_initial)


def _without_nan(a: Any, fill: float) -> LazyArray:
    x = asarray(a)
    if x.dtype.kind not in "fc":
        return x
    return apply(ELEMENTWISE["where"], (apply(ELEMENTWISE["isnan"], (x,)), fill, x))


def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the cumulative sum with NaN counted as zero."""
    return cumsum(_without_nan(a, 0.0), axis, dtype, out)


def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the cumulative product with NaN counted as one."""
    return cumprod(_without_nan(a, 1.0), axis, dtype, out)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> LazyArray:
    """Return the n-th difference along an axis.

    Parameters
    ----------
    a : array_like
        Input, with at least one axis.
    n : int
        How many times to difference.
    axis : int
        Along which axis.
    prepend, append : array_like, optional
        Put before and after `a` along the axis first.

    Returns
    -------
    LazyArray
        Shorter by `n` along the axis; bool for bool input.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.diff([1, 4, 9]).compute()
    array([3, 5])
    """
    if n < 0:
        raise ArgumentError(f"order must be non-negative but got {n!r}", origin=origin())
    x = asarray(a)
    if n == 0:
        return x
    if x.ndim == 0:
        raise ArgumentError("diff requires input that is at least one dimensional", origin=origin())
    with build.located():
        axis = normalize_axis(axis, x.ndim)
    parts = []
    for value, after in ((prepend, False), (x, False), (append, True)):
        if value is None or value is getattr(np, "_NoValue", None):
            continue
        part = asarray(value)
        if part.ndim == 0:
            shape = tuple(1 if k == axis else size for k, size in enumerate(x.shape))
            part = wrap(build.broadcast_to(part._node, shape))
        parts.append(part)
    x = concatenate(parts, axis=axis) if len(parts) > 1 else x
    front = (slice(None),) * axis
    for _ in range(n):
        later, earlier = x[(*front, slice(1, None))], x[(*front, slice(None, -1))]
        x = later != earlier if x.dtype.kind == "b" else later - earlier
    return x


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> LazyArray:
    """Return the differences of the flattened array, between `to_begin` and `to_end`."""
    x = asarray(ary).reshape(-1)
    parts = [x[1:] - x[:-1]]
    if to_begin is not None:
        parts.insert(0, asarray(to_begin).reshape(-1).astype(x.dtype))
    if to_end is not None:
        parts.append(asarray(to_end).reshape(-1).astype(x.dtype))
    return concatenate(parts) if len(parts) > 1 else parts[0]


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> LazyArray:
    """Return the integral along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        Values.
    x : array_like, optional
        Where they were taken: along the axis, or of the shape of `y`.
    dx : number
        Distance between values if `x` is not given.
    axis : int
        Along which axis.

    Returns
    -------
    LazyArray
        Without the axis.
    """
    values = asarray(y)
    with build.located():
        axis = normalize_axis(axis, values.ndim)
    step: Any = dx
    if x is not None:
        places = asarray(x)
        if places.ndim == 1:
            shape = [1] * values.ndim
            step = diff(places)
            shape[axis] = step.shape[0]
            step = step.reshape(tuple(shape))
        else:
            step = diff(places, axis=axis)
    front = (slice(None),) * axis
    later, earlier = values[(*front, slice(1, None))], values[(*front, slice(None, -1))]
    total: LazyArray = (step * (later + earlier) / 2.0).sum(axis=axis)
    return total
