"""Functions made of pieces: of conditions, of periods, of axes one after another."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, asarray
from lazyarr.arrays.plain_operands import read_at_call
from lazyarr.core.axis_numbers import strict_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.equal_steps import arange
from lazyarr.numpy_api.joining import concatenate, stack
from lazyarr.numpy_api.movement import expand_dims
from lazyarr.numpy_api.scans import cumsum, diff
from lazyarr.numpy_api.selection import where

__all__ = [
    "apply_over_axes",
    "diag_indices",
    "diag_indices_from",
    "piecewise",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unwrap",
]


@read_at_call
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> LazyArray:
    """Return the values of functions, each where its condition holds.

    Parameters
    ----------
    x : array_like
        The domain.
    condlist : sequence of array_like of bool
        Where each function holds; of several, the last counts.
    funclist : sequence of callable or scalar
        One for each condition, and maybe one more for the rest. A function takes the selected
        elements of `x`, which may be none.
    *args, **kw : object
        Passed to each function.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.arange(-2.0, 3.0)
    >>> la.piecewise(x, [x < 0, x > 1], [lambda v: v * v, 1]).compute()
    array([4., 1., 0., 0., 1.])
    """
    x = as_lazy(x)
    listed = [condlist] if _is_one_condition(condlist, x) else list(condlist)
    conditions = [_as_bools(as_lazy(condition)) for condition in listed]
    if len(funclist) == len(conditions) + 1:
        conditions.append(~_any_of(conditions))
    if len(funclist) != len(conditions):
        count = len(conditions)
        raise ArgumentError(
            f"with {count} condition(s), either {count} or {count + 1} functions are expected",
            origin=origin(),
        )
    # By NumPy's protocol, which computes what is small at once.
    y: LazyArray = asarray(np.zeros_like(x))
    for condition, function in zip(conditions, funclist, strict=True):
        y[condition] = function(x[condition], *args, **kw) if callable(function) else function
    return y


def _as_bools(condition: LazyArray) -> LazyArray:
    return condition if kind_of(condition.dtype) == "b" else condition.astype(bool)


def _any_of(conditions: list[LazyArray]) -> LazyArray:
    """Return the places at which any of the conditions holds."""
    if len({condition.shape for condition in conditions}) != 1:
        return as_lazy(reductions.any(stack(conditions), axis=0))  # which refuses them
    places, *others = conditions
    for condition in others:
        places = as_lazy(places | condition)
    return places


def _is_one_condition(condlist: Any, x: LazyArray) -> bool:
    """Return whether NumPy takes a condition alone for a list of one."""
    if isinstance(condlist, (np.ndarray, LazyArray)):
        return condlist.ndim == 0 or (condlist.ndim == 1 and x.ndim != 0)
    if not isinstance(condlist, Sequence):
        return True
    return x.ndim != 0 and not isinstance(condlist[0], (list, np.ndarray, LazyArray))


def unwrap(
    p: Any, discont: Any = None, axis: int = -1, *, period: Any = 6.283185307179586
) -> LazyArray:
    """Return angles with multiples of the period added, so that none is far from the one before.

    Parameters
    ----------
    p : array_like
        Angles.
    discont : float, optional
        Smaller steps stay as they are; default: half of a period.
    axis : int
        Along which they follow each other.
    period : float
        Of a turn.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.unwrap([0, 3, 2, 1], period=4).compute()
    array([ 0, -1, -2, -3])
    """
    x = as_lazy(p)
    at = strict_axis(axis, x.ndim)
    steps = diff(x, axis=at)
    dtype = np.result_type(steps.dtype, period)
    if kind_of(dtype) in "iu":
        half, rest = divmod(period, 2)
    else:
        half, rest = period / 2, 0
    near = (steps - -half) % period + -half
    if not rest:
        # Half a turn forward is no half turn back.
        near = where((near == -half) & (steps > 0), half, near)
    least = period / 2 if discont is None else discont
    missing = where(abs(steps) < least, 0, near - steps)
    first, others = ((slice(None),) * at + (slice(*ends),) for ends in ((0, 1), (1, None)))
    turned = x[others] + cumsum(missing, axis=at)
    return as_lazy(concatenate([x[first].astype(dtype), turned.astype(dtype)], axis=at))


@read_at_call
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """Return the result of a function applied along several axes, one after another.

    Parameters
    ----------
    func : callable
        ``func(array, axis)`` returns an array with the axis, or without it.
    a : array_like
        Input.
    axes : int or sequence of int
        The axes, in this order.

    Returns
    -------
    LazyArray
        With as many axes as `a`.

    Raises
    ------
    ArgumentError
        If the function returns another number of axes.
    """
    value = as_lazy(a)
    ndim = value.ndim
    for axis in [axes] if np.ndim(axes) == 0 else list(axes):
        at = axis + ndim if axis < 0 else axis
        result = as_lazy(func(value, at))
        if result.ndim != value.ndim:
            result = as_lazy(expand_dims(result, at))
        if result.ndim != value.ndim:
            raise ArgumentError(
                "function is not returning an array of the correct shape", origin=origin()
            )
        value = result
    return value


def diag_indices(n: Any, ndim: int = 2) -> tuple[LazyArray, ...]:
    """Return the indices of the main diagonal of an array with axes of length `n`.

    Parameters
    ----------
    n : int
        The length of the axes.
    ndim : int
        The number of axes.

    Returns
    -------
    tuple of LazyArray
        One int64 vector for each axis.
    """
    return (arange(n),) * operator.index(ndim)


def diag_indices_from(arr: Any) -> tuple[LazyArray, ...]:
    """Return the indices of the main diagonal of an array with axes of equal length."""
    shape = _shape_of(arr)
    if len(shape) < 2:
        raise ArgumentError(f"input array must be at least 2-d, got {shape}", origin=origin())
    if len(set(shape)) != 1:
        raise ArgumentError(
            f"All dimensions of input must be of equal length, got {shape}", origin=origin()
        )
    return diag_indices(shape[0], len(shape))


def _triangle(name: str, *arguments: Any) -> tuple[LazyArray, ...]:
    return tuple(as_lazy(positions) for positions in getattr(np, name)(*arguments))


def tril_indices(n: Any, k: int = 0, m: Any = None) -> tuple[LazyArray, ...]:
    """Return the indices of the lower triangle of a matrix.

    Parameters
    ----------
    n : int
        Rows.
    k : int
        The diagonal: 0 is the main one, above it is positive.
    m : int, optional
        Columns; default: `n`.

    Returns
    -------
    tuple of LazyArray
        int64 vectors of rows and columns, in C order.
    """
    return _triangle("tril_indices", n, k, m)


def triu_indices(n: Any, k: int = 0, m: Any = None) -> tuple[LazyArray, ...]:
    """Return the indices of the upper triangle of a matrix.

    Parameters
    ----------
    n, k, m
        As for :func:`lazyarr.tril_indices`.

    Returns
    -------
    tuple of LazyArray
        int64 vectors of rows and columns, in C order.
    """
    return _triangle("triu_indices", n, k, m)


def _shape_of(arr: Any) -> tuple[int, ...]:
    """Return the shape of an array, of which NumPy reads the attributes: a list has none."""
    if not hasattr(arr, "ndim"):
        raise AttributeError(f"{type(arr).__name__!r} object has no attribute 'ndim'")
    return asarray(arr).shape


def _plane(arr: Any) -> tuple[int, int]:
    shape = _shape_of(arr)
    if len(shape) != 2:
        raise ArgumentError(f"input array must be 2-d, its shape is {shape}", origin=origin())
    return shape[0], shape[1]


def tril_indices_from(arr: Any, k: int = 0) -> tuple[LazyArray, ...]:
    """Return the indices of the lower triangle of a matrix.

    Parameters
    ----------
    arr : array_like
        A matrix, of which only the shape matters.
    k : int
        As for :func:`lazyarr.tril_indices`.
    """
    rows, columns = _plane(arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Any, k: int = 0) -> tuple[LazyArray, ...]:
    """Return the indices of the upper triangle of a matrix.

    Parameters
    ----------
    arr : array_like
        A matrix, of which only the shape matters.
    k : int
        As for :func:`lazyarr.tril_indices`.
    """
    rows, columns = _plane(arr)
    return triu_indices(rows, k, columns)
