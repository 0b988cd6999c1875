"""``arange``: values at equal distances, computed as NumPy computes them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, asarray, wrap
from lazyarr.arrays.prototype_argument import with_like
from lazyarr.builders import build
from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.numpy_api.creation import Device, on_device
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.markers import refuse_differentiated

__all__ = ["arange"]

_NO_END = "arange() requires stop to be specified."


def _asks_for_the_end(function: Callable[..., LazyArray]) -> Callable[..., LazyArray]:
    """Return ``arange`` that takes no ``start=`` alone: only a positional one can be the end."""

    @functools.wraps(function)
    def call(*numbers: Any, **keywords: Any) -> LazyArray:
        if not numbers and "stop" not in keywords:
            function(**(keywords | {"start": 0, "step": 1}))  # refuses what is no parameter
            raise TypeError(_NO_END)
        return function(*numbers, **keywords)

    return call


@with_like
@_asks_for_the_end
def arange(
    start: Any = 0,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    device: Device = None,
    like: object = None,
) -> LazyArray:
    """Return evenly spaced values within a half-open interval.

    Parameters
    ----------
    start : number
        First value, by default 0; the end, if `stop` is not given.
    stop : number, optional
        End of the interval, not included.
    step : number
        Distance between values.
    dtype : dtype, optional
        Default: NumPy's rule for the numbers.
    device : {"cpu", "cuda"}, optional
        Where to hold the values; default: wherever they are used.
    like : object
        An array of another library, whose class makes the result (NEP 35).

    Returns
    -------
    LazyArray
        ``start + step * i``, computed as NumPy does.

    Raises
    ------
    ZeroDivisionError
        If `step` is zero.
    ShapeError, ArgumentError
        If there would be too many values, or their number is none.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.arange(2, 10, 3).compute()
    array([2, 5, 8])
    """
    if stop is None:
        start, stop = 0, start
    if stop is None:
        raise TypeError(_NO_END)
    if step is None:
        step = 1
    numbers = [_number(value) for value in (start, stop, step)]
    start, stop, step = numbers
    result_dtype = None if dtype is None else build.as_dtype(dtype)
    if step == 0:
        where = origin()
        at = "" if where is None else f"\n  built at {where[0]}:{where[1]}"
        raise ZeroDivisionError(f"arange with step 0{at}")
    if any(isinstance(value, complex) for value in numbers):
        # NumPy counts along both parts; rare enough to be computed at once.
        return on_device(asarray(np.arange(start, stop, step, dtype=dtype)), device)
    count = _length(start, stop, step)
    if result_dtype is None:
        # NumPy promotes without looking at the values; only types matter here.
        dtypes = [np.asarray(value).dtype for value in (start, stop, step)]
        result_dtype = build.as_dtype(np.result_type(*dtypes))
    if kind_of(result_dtype) == "b":
        return on_device(asarray(np.arange(start, stop, step, dtype=result_dtype)), device)
    if not count:  # no number has to fit into the dtype
        return on_device(wrap(build.filled(0, result_dtype, (0,))), device)
    # NumPy takes the second value, start + step, in the dtype, and the step from there.
    if kind_of(result_dtype) in "iu":
        exact = np.zeros(2, result_dtype)
        for place in range(min(count, 2)):
            exact[place] = start + place * step if place else start
        first, second = (int(value) for value in exact)
        loop = result_dtype
        index = build.cast(build.iota(count), loop)
    else:
        loop = np.dtype(np.float32) if is_narrow(result_dtype) else result_dtype
        first = loop.type(result_dtype.type(start))
        second = loop.type(result_dtype.type(start + step))
        index = build.cast(build.iota(count), loop)
    first_node = build.constant(loop.type(first), loop)
    if count == 1:  # the step may be infinite
        single = build.broadcast_to(build.cast(first_node, result_dtype), (1,))
        return on_device(wrap(single), device)
    with np.errstate(all="ignore"):
        difference = loop.type(second) - loop.type(first)
        is_second = loop.type(first) + difference == second
    step_node = build.constant(difference, loop)
    scaled = build.elementwise(ELEMENTWISE["multiply"], (index, step_node))
    values = build.elementwise(ELEMENTWISE["add"], (first_node, scaled))
    # NumPy's first two are as they are: to -0.0, 0 * step would be added, steps are rounded, and
    # infinite ones times 0 are no numbers.
    known = []
    if kind_of(loop) in "fc" and not is_second:
        known = [first_node, build.constant(loop.type(second), loop)]
    elif kind_of(loop) == "f" and first == 0 and np.signbit(first):
        known = [first_node]
    for place, value in enumerate(known):
        is_there = build.elementwise(ELEMENTWISE["equal"], (index, place))
        values = build.elementwise(ELEMENTWISE["where"], (is_there, value, values))
    return on_device(wrap(build.cast(values, result_dtype)), device)


def _length(start: Any, stop: Any, step: Any) -> int:
    if all(isinstance(value, int) for value in (start, stop, step)):
        count: int = -(-(stop - start) // step)
    else:
        length = (stop - start) / step
        if np.isnan(length):
            raise ArgumentError("arange: cannot compute length", origin=origin())
        if np.isinf(length):
            raise ShapeError(f"Maximum allowed size exceeded: {length} values", origin=origin())
        count = int(np.ceil(length))
        if length == 0 and start != stop and (start < stop) == (step > 0):
            count = 1  # the quotient is too small for a number
    if count >= 2**63 or float(count) < -(2**63):
        raise ShapeError(f"Maximum allowed size exceeded: {count} values", origin=origin())
    return max(count, 0)


def _number(value: Any) -> Any:
    if isinstance(value, (bool, int, float, complex)):
        return value
    if isinstance(value, (str, bytes)):
        value = np.asarray(value)
    if isinstance(value, (np.generic, np.ndarray, LazyArray)):
        build.as_dtype(value.dtype)
        if value.shape:
            raise ArgumentError("arange takes numbers", origin=origin())
        if isinstance(value, LazyArray):
            refuse_differentiated((value._node,), "arange")
        return value.item()
    raise ArgumentError(f"expected a number, got {type(value).__name__}", origin=origin())
