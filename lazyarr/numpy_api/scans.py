"""Cumulative sums and products, differences: ops along one axis that keep it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import NO_VALUE, WEAK
from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, as_node, wrap
from lazyarr.builders import build
from lazyarr.core.axis_numbers import list_axes, normalize_axes, normalize_axis, strict_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Node, node
from lazyarr.numpy_api.joining import concatenate
from lazyarr.numpy_api.memory_order import along_memory
from lazyarr.numpy_api.reduction_arguments import accumulator, one_axis
from lazyarr.numpy_api.ufunc_arguments import accumulation_dtype, scan_into
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.scan import SCAN

__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
    "gradient",
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
        axis = strict_axis(axis, x.ndim)
    loop = accumulator(name, x.dtype) if dtype is None else build.as_dtype(dtype)
    build.warn_of_discarding(x.dtype, loop)
    op = SCAN[f"cum{name}"]

    def scanned(operands: Sequence[Node], axes: Sequence[int]) -> Node:
        (along,) = axes
        return node(op, tuple(operands), loop, operands[0].shape, along, origin())

    return wrap(along_memory((build.cast(x, loop),), (axis,), scanned))


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
    dtype = accumulation_dtype(as_node(a), dtype, out)
    return scan_into(_scan("sum", a, axis, dtype), out, "cumsum")


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the cumulative product along an axis, or of the flattened array.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int, optional
        Default: the flattened array.
    dtype : dtype, optional
        To multiply in; default: that of :func:`lazyarr.prod`.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Returns
    -------
    LazyArray
        Of the shape of `a`.
    """
    dtype = accumulation_dtype(as_node(a), dtype, out)
    return scan_into(_scan("prod", a, axis, dtype), out, "cumprod")


def _cumulative(name: str, x: Any, axis: Any, dtype: Any, out: Any, include: bool) -> Any:
    array = as_lazy(x)
    if array.ndim == 0:
        array = array.reshape(1)
    if axis is None:
        if array.ndim != 1:
            raise ArgumentError(
                "For arrays which have more than one dimension ``axis`` argument is required.",
                origin=origin(),
            )
        axis = 0
    at = one_axis(axis, array.ndim, "accumulate")
    dtype = accumulation_dtype(array._node, dtype, out)
    result = _scan(name, array, at, None if dtype is None else build.loop_dtype(dtype))
    if include:
        if isinstance(axis, tuple):
            raise ArgumentError("list indices must be integers, not tuple", origin=origin())
        shape = tuple(1 if k == at else n for k, n in enumerate(array.shape))
        first = build.filled(0 if name == "sum" else 1, result.dtype, shape)
        result = concatenate([wrap(first), result], axis=at)
    return scan_into(result, out, f"cumulative_{name}")


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    """Return the cumulative sum along an axis: the Array API's name of :func:`cumsum`.

    Parameters
    ----------
    x : array_like
        Input.
    axis : int, optional
        May be left out for a vector only.
    dtype : dtype, optional
        To sum in; default: that of :func:`lazyarr.sum`.
    out : ndarray or LazyArray, optional
        Takes the result on.
    include_initial : bool
        Whether to put a zero in front, so that the axis is longer by one.

    Raises
    ------
    ArgumentError
        If there are several axes and `axis` is left out.
    """
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
    """Return the cumulative product along an axis: the Array API's name of :func:`cumprod`.

    Parameters
    ----------
    x : array_like
        Input.
    axis : int, optional
        May be left out for a vector only.
    dtype : dtype, optional
        To multiply in; default: that of :func:`lazyarr.prod`.
    out : ndarray or LazyArray, optional
        Takes the result on.
    include_initial : bool
        Whether to put a one in front, so that the axis is longer by one.

    Raises
    ------
    ArgumentError
        If there are several axes and `axis` is left out.
    """
    return _cumulative("prod", x, axis, dtype, out, include_initial)


def _without_nan(a: Any, fill: float) -> LazyArray:
    x = as_lazy(a)
    if kind_of(x.dtype) not in "fc":
        return x
    return apply(ELEMENTWISE["where"], (apply(ELEMENTWISE["isnan"], (x,)), fill, x))


def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the cumulative sum with NaN counted as zero.

    Parameters
    ----------
    a, axis, dtype, out
        As for :func:`lazyarr.cumsum`.
    """
    return cumsum(_without_nan(a, 0.0), axis, dtype, out)


def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the cumulative product with NaN counted as one.

    Parameters
    ----------
    a, axis, dtype, out
        As for :func:`lazyarr.cumprod`.
    """
    return cumprod(_without_nan(a, 1.0), axis, dtype, out)


def diff(
    a: Any, n: int = 1, axis: int = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE
) -> LazyArray:
    """Return the n-th difference along an axis.

    Parameters
    ----------
    a : array_like
        Input, with at least one axis.
    n : int
        Order of the difference.
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
    x = as_lazy(a)
    if n == 0:
        return x
    if x.ndim == 0:
        raise ArgumentError("diff requires input that is at least one dimensional", origin=origin())
    with build.located():
        axis = normalize_axis(axis, x.ndim)
    parts = []
    for value in (prepend, x, append):
        if value is NO_VALUE:
            continue
        part = as_lazy(value)
        if part.ndim == 0:
            shape = tuple(1 if k == axis else size for k, size in enumerate(x.shape))
            part = wrap(build.broadcast_to(part._node, shape))
        parts.append(part)
    x = concatenate(parts, axis=axis) if len(parts) > 1 else x
    front = (slice(None),) * axis
    for _ in range(n):
        later, earlier = x[(*front, slice(1, None))], x[(*front, slice(None, -1))]
        x = later != earlier if kind_of(x.dtype) == "b" else later - earlier
    return x


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> LazyArray:
    """Return the differences of neighbours in the flattened array.

    Parameters
    ----------
    ary : array_like
        Input.
    to_end, to_begin : array_like, optional
        Values behind and before the differences, in their dtype.

    Returns
    -------
    LazyArray
        A vector.
    """
    x = as_lazy(ary).reshape(-1)
    parts = [x[1:] - x[:-1]]
    for name, ends, place in (("to_begin", to_begin, 0), ("to_end", to_end, len(parts) + 1)):
        if ends is None:
            continue
        dtype = np.asarray(ends).dtype if type(ends) in WEAK else as_node(ends).dtype
        if not np.can_cast(dtype, x.dtype, "same_kind"):
            raise DTypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the "
                "`same_kind` rule.",
                origin=origin(),
            )
        parts.insert(place, as_lazy(ends).reshape(-1).astype(x.dtype))
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
    values = as_lazy(y)
    with build.located():
        place = strict_axis(axis, values.ndim)
    step: Any = dx
    if x is not None:
        places = as_lazy(x)
        if places.ndim == 1:
            shape = [1] * values.ndim
            step = diff(places)
            shape[place] = step.shape[0]
            step = step.reshape(tuple(shape))
        else:
            step = diff(places, axis=axis)  # which may have more axes than the values
    front = (slice(None),) * place
    later, earlier = values[(*front, slice(1, None))], values[(*front, slice(None, -1))]
    total: LazyArray = (step * (later + earlier) / 2.0).sum(axis=axis)
    return total


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the gradient by central differences inside and one-sided ones at the ends.

    The formulas are NumPy's, of second order inside.

    Parameters
    ----------
    f : array_like
        Values on a grid.
    *varargs : number or array_like
        Spacing: one number for all axes, or for each axis a number or the coordinates.
    axis : int or tuple of int, optional
        Along which axes; default: all.
    edge_order : {1, 2}
        Order of accuracy at the ends.

    Returns
    -------
    LazyArray or tuple of LazyArray
        One for one axis, a tuple for several.

    Raises
    ------
    ShapeError
        If an axis is too short, or coordinates do not fit it.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.gradient([1.0, 4.0, 9.0]).compute()
    array([3., 4., 5.])
    """
    x = as_lazy(f)
    if kind_of(x.dtype) in "iu":
        x = x.astype(np.float64)
    if edge_order not in (1, 2):
        raise ArgumentError("'edge_order' greater than 2 not supported", origin=origin())
    listed = tuple(range(x.ndim)) if axis is None else list_axes(axis)
    with build.located():
        normalize_axes(listed, x.ndim)
        axes = [normalize_axis(at, x.ndim) for at in listed]
    if not varargs:
        spacings: list[Any] = [1.0] * len(axes)
    elif len(varargs) == 1 and np.ndim(varargs[0]) == 0:
        spacings = [varargs[0]] * len(axes)
    elif len(varargs) == len(axes):
        spacings = list(varargs)
    else:
        raise ArgumentError(
            f"invalid number of arguments: {len(varargs)} spacings for {len(axes)} axes",
            origin=origin(),
        )
    result = x.dtype if kind_of(x.dtype) in "fc" else np.dtype(np.float64)

    def along(axis: int, spacing: Any) -> LazyArray:
        def sloped(operands: Sequence[Node], axes: Sequence[int]) -> Node:
            return _slope(wrap(operands[0]), axes[0], spacing, edge_order).astype(result)._node

        return wrap(along_memory((x._node,), (axis,), sloped))

    slopes = tuple([along(at, by) for at, by in zip(axes, spacings, strict=True)])
    return slopes[0] if len(slopes) == 1 else slopes


def _even_step(spacing: Any, size: int) -> Any:
    """Return the one distance between coordinates, as NumPy uses it; None if they are uneven.

    Of a LazyArray the values are not looked at.
    """
    if np.ndim(spacing) == 0:
        return spacing
    if isinstance(spacing, LazyArray):
        return None
    places = np.asarray(spacing)
    if places.shape != (size,) or size < 2:
        return None
    steps = np.diff(places.astype(np.float64) if kind_of(places.dtype) in "iu" else places)
    return steps[0] if (steps == steps[0]).all() else None


def _slope(x: LazyArray, axis: int, spacing: Any, edge_order: int) -> LazyArray:
    size = x.shape[axis]
    if size < edge_order + 1:
        raise ShapeError(
            "Shape of array too small to calculate a numerical gradient, at least "
            "(edge_order + 1) elements are required.",
            origin=origin(),
        )

    def at(start: int | None, stop: int | None) -> LazyArray:
        return x[(*(slice(None),) * axis, slice(start, stop))]

    step = _even_step(spacing, size)
    if step is not None:
        middle = (at(2, None) - at(None, -2)) / (2.0 * step)
        first, last = (at(1, 2) - at(0, 1)) / step, (at(-1, None) - at(-2, -1)) / step
        if edge_order == 2:
            first = -1.5 / step * at(0, 1) + 2.0 / step * at(1, 2) + -0.5 / step * at(2, 3)
            last = 0.5 / step * at(-3, -2) + -2.0 / step * at(-2, -1) + 1.5 / step * at(-1, None)
        return as_lazy(concatenate([first, middle, last], axis=axis))
    places = as_lazy(spacing)
    if places.ndim != 1:
        raise ShapeError(
            f"distances must be either scalars or 1d, got shape {places.shape}", origin=origin()
        )
    if places.shape != (size,):
        raise ShapeError(
            "when 1d, distances must match the length of the corresponding dimension: "
            f"{places.shape} for {size}",
            origin=origin(),
        )
    shape = tuple(-1 if k == axis else 1 for k in range(x.ndim))
    if kind_of(places.dtype) in "iu":
        places = places.astype(np.float64)
    steps = diff(places).reshape(shape)

    def step_at(start: int | None, stop: int | None) -> LazyArray:
        return steps[(*(slice(None),) * axis, slice(start, stop))]

    left, right = step_at(None, -1), step_at(1, None)
    middle = (
        -right / (left * (left + right)) * at(None, -2)
        + (right - left) / (left * right) * at(1, -1)
        + left / (right * (left + right)) * at(2, None)
    )
    near, far = step_at(0, 1), step_at(-1, None)
    first, last = (at(1, 2) - at(0, 1)) / near, (at(-1, None) - at(-2, -1)) / far
    if edge_order == 2:
        one, two = near, step_at(1, 2)
        first = (
            -(2.0 * one + two) / (one * (one + two)) * at(0, 1)
            + (one + two) / (one * two) * at(1, 2)
            - one / (two * (one + two)) * at(2, 3)
        )
        one, two = step_at(-2, -1), far
        last = (
            two / (one * (one + two)) * at(-3, -2)
            - (two + one) / (one * two) * at(-2, -1)
            + (2.0 * two + one) / (two * (one + two)) * at(-1, None)
        )
    return as_lazy(concatenate([first, middle, last], axis=axis))
