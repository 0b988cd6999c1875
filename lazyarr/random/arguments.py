"""Arguments of a generator's functions: sizes, parameters, ends of intervals, probabilities."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from lazyarr.arrays.coercion import holds_numbers
from lazyarr.arrays.display import in_memory
from lazyarr.arrays.immediate import SMALL
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, wrap
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT64, INT64
from lazyarr.core.dtypes import finfo, kind_of
from lazyarr.core.shapes import Shape, broadcast_shapes, broadcasts_to
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import node
from lazyarr.numpy_api.creation import as_shape
from lazyarr.ops.markers import PARAMETERS
from lazyarr.tracing import Symbol, running

__all__ = [
    "count_of",
    "counts",
    "interval",
    "known",
    "meets",
    "modular",
    "positive",
    "probabilities",
    "range_of",
    "real",
    "shape_of",
]

DType = np.dtype[Any]

UINT64 = np.dtype(np.uint64)


def count_of(x: Any) -> int:
    """Return a count as an int that is not negative."""
    count = operator.index(x)
    if count < 0:
        raise ArgumentError(f"expected a number of at least 0, got {count}", origin=origin())
    return count


def integer(value: Any) -> int:
    """Return a count of things other than elements as an int; a float is truncated, as in NumPy.

    Raises
    ------
    TypeError
        If it is no number.
    """
    if not hasattr(type(value), "__int__"):
        raise TypeError("an integer is required")
    return int(value)


def shape_of(size: Any, *parameters: Any) -> Shape:
    """Return the shape of a draw.

    Parameters
    ----------
    size : int, tuple of int or None
        The shape that the caller passed.
    parameters : object
        Numbers and arrays.

    Returns
    -------
    tuple of int
        `size`, or without it the shape of the parameters broadcast together.

    Raises
    ------
    ShapeError
        If the parameters do not broadcast to `size`.
    """
    with build.located():
        common = broadcast_shapes(*[getattr(x, "shape", ()) for x in parameters])
    if size is None:
        return common
    shape = as_shape(size)
    if broadcasts_to(common, shape):
        return shape
    with build.located():
        both = broadcast_shapes(shape, common)
    raise ShapeError(
        f"Output size {shape} is not compatible with broadcast dimensions of inputs {both}.",
        origin=origin(),
    )


def known(value: Any) -> Any:
    """Return a copy of a small LazyArray's value if it is in memory, so that it can be checked.

    Parameters
    ----------
    value : object
        Anything else is returned as it is, and so are all arrays while code is traced.
    """
    if not isinstance(value, LazyArray) or running or value.size > SMALL:
        return value
    values = in_memory(value._node)
    return value if values is None else values.copy()


def real(value: Any, name: str) -> Any:
    """Return a parameter as a float64 number, ndarray or LazyArray.

    Parameters
    ----------
    value : object
        A number, symbol or array.
    name : str
        The parameter's name in messages.

    Returns
    -------
    float, Symbol, ndarray or LazyArray
        In float64.

    Raises
    ------
    DTypeError, ArgumentError
        If the numbers are not real.
    """
    if type(value) is Symbol and value.kind is not complex:
        return value.apply(lambda number: float(cast("float", number)))
    if isinstance(value, LazyArray) and kind_of(value.dtype) == "c":
        raise DTypeError(f"{name} must be real, got {value.dtype}", origin=origin())
    value = known(value)
    if isinstance(value, LazyArray):
        return value.astype(FLOAT64)
    try:
        array = np.asarray(float(value) if type(value) is int else value)
        if kind_of(array.dtype) not in "biuf":
            float(value)  # raises as NumPy does, of a number that is not real
            raise TypeError(f"of dtype {array.dtype}")
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{error}: {name} must be real numbers", origin=origin()) from None
    return array.astype(FLOAT64) if array.ndim else float(array)


def meets(condition: Callable[[Any], Any], value: Any) -> bool:
    """Return whether any number of a parameter meets a condition; False for a LazyArray.

    Parameters
    ----------
    condition : callable
        From a number or an ndarray to booleans.
    value : float, Symbol, ndarray or LazyArray
        The parameter, as :func:`real` returns it.
    """
    if type(value) is Symbol:
        return bool(value.apply(lambda number: bool(condition(number))))
    return not isinstance(value, LazyArray) and bool(np.any(condition(value)))


def positive(value: Any, name: str, *, zero: bool = True) -> Any:
    """Return a parameter that must not be negative.

    Parameters
    ----------
    value : object
        A number, symbol or array.
    name : str
        The parameter's name in messages.
    zero : bool
        Whether it may be zero.

    Returns
    -------
    float, Symbol, ndarray or LazyArray
        In float64.

    Raises
    ------
    ArgumentError
        If a number is negative, -0.0 included: of an expression when that is evaluated, on a
        processor.
    """
    number = real(value, name)
    if isinstance(number, LazyArray):
        op = PARAMETERS[f"{name} < 0" if zero else f"{name} <= 0"]
        return wrap(node(op, (number._node,), FLOAT64, number.shape, None, origin()))
    if not zero and meets(lambda shape: shape <= 0, number):
        raise ArgumentError(f"{name} <= 0", origin=origin())
    if meets(np.signbit, number):
        raise ArgumentError(f"{name} < 0", origin=origin())
    return number


def range_of(low: Any, high: Any, ordered: bool) -> tuple[Any, Any]:
    """Return the first end of an interval and its length, in float64.

    Parameters
    ----------
    low, high : object
        The ends: numbers, symbols or arrays.
    ordered : bool
        Whether the second one must not be less.

    Raises
    ------
    ArgumentError
        If it is; of an expression when that is evaluated.
    OverflowError
        If the length is not finite.
    """
    start, stop = real(low, "low"), real(high, "high")
    with np.errstate(over="ignore"):
        spread = stop - start
    if meets(lambda width: ~np.isfinite(width), spread):
        where = origin()
        at = "" if where is None else f"\n  built at {where[0]}:{where[1]}"
        raise OverflowError(f"Range exceeds valid bounds{at}")
    return start, positive(spread, "high - low") if ordered else spread


def counts(value: Any) -> Any:
    """Return numbers of things as an int, an integer ndarray or an integer LazyArray.

    Parameters
    ----------
    value : array_like
        Floats are truncated, as in NumPy, unless they are those of an array.

    Raises
    ------
    DTypeError
        If it is an array whose elements are not all int64.
    ValueError, OverflowError
        If a number is not finite.
    """
    value = known(value)
    if not isinstance(value, (LazyArray, np.ndarray)) and holds_numbers(value):
        value = _truncated(np.asarray(value))
        if kind_of(value.dtype) in "iub":
            return value if value.ndim else int(value)
        if kind_of(value.dtype) == "O" and all(type(number) is int for number in value.flat):
            value = value.astype(INT64)  # raises
    numbers = value if isinstance(value, LazyArray) else np.asarray(value)
    build.check_cast(numbers.dtype, INT64, "safe", scalar=not numbers.ndim)
    return numbers


def _truncated(value: Any) -> Any:
    """Return an ndarray of floats as int64; others as they are."""
    if kind_of(value.dtype) != "f":
        return value
    outside = ~(np.abs(value) < 2.0**63)
    if outside.any():
        int(value[outside].flat[0])  # which says why not
        raise OverflowError("Python int too large to convert to C long")
    return value.astype(INT64)


def whole(value: Any, name: str) -> Any:
    """Return an end of an interval as an int, an integer ndarray or an integer LazyArray.

    Parameters
    ----------
    value : object
        An integer, or an array; floats are truncated, as in NumPy.
    name : str
        The parameter's name in messages.

    Raises
    ------
    ArgumentError
        If the numbers are not integers.
    """
    value = known(value)
    if not isinstance(value, LazyArray):
        try:
            return operator.index(value)
        except TypeError:
            value = _truncated(np.asarray(value))
        if kind_of(value.dtype) in "iub" and not value.ndim:
            return int(value)
    elif kind_of(value.dtype) == "f":
        return value.astype(INT64)
    if kind_of(value.dtype) not in "iub":
        raise ArgumentError(f"{name} must be integers, got {value.dtype}", origin=origin())
    return value


def interval(low: Any, high: Any, dtype: DType, endpoint: bool) -> tuple[Any, Any]:
    """Return the first integer of an interval and the number of integers in it, both modulo 2**64.

    Parameters
    ----------
    low, high : int or array_like of int
        Ends of the interval.
    dtype : numpy.dtype
        Of the draws, bool or an integer dtype, whose range the ends must respect.
    endpoint : bool
        Whether `high` belongs to the interval.

    Returns
    -------
    start : LazyArray
        uint64.
    count : LazyArray or None
        uint64; None for all 2**64.

    Raises
    ------
    ArgumentError
        If the interval is empty or goes beyond the dtype; of LazyArrays this is not checked.
    """
    first, stop = whole(low, "low"), whole(high, "high")
    ends = (first, stop)
    least, most = (0, 1) if kind_of(dtype) == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if not any(isinstance(end, LazyArray) for end in ends):
        if np.any(np.less(first, least)):
            raise ArgumentError(f"low is out of bounds for {dtype}", origin=origin())
        if np.any(np.greater(stop, most if endpoint else most + 1)):
            raise ArgumentError(f"high is out of bounds for {dtype}", origin=origin())
        if np.any(np.greater(first, stop) if endpoint else np.greater_equal(first, stop)):
            comparison = "low > high" if endpoint else "low >= high"
            if not np.any(first):
                comparison = "high < 0" if endpoint else "high <= 0"
            raise ArgumentError(comparison, origin=origin())
    if all(isinstance(end, int) for end in ends):
        count = stop - first + bool(endpoint)
        return modular(first), None if count == 2**64 else modular(count)
    start = modular(first)
    count = modular(stop) - start + modular(int(endpoint))
    if isinstance(first, (int, np.ndarray)) and isinstance(stop, (int, np.ndarray)):
        if (count.compute() == 0).any():
            raise ArgumentError(
                "the range of all 2**64 integers needs scalar bounds, not arrays",
                origin=origin(),
            )
    return start, count


def modular(value: Any) -> LazyArray:
    """Return integers modulo 2**64."""
    if isinstance(value, int):
        return wrap(build.constant(np.uint64(value % 2**64), UINT64))
    return as_lazy(value).astype(UINT64)


def probabilities(p: Any, count: int) -> Any:
    """Return checked probabilities.

    Parameters
    ----------
    p : array_like
        The probabilities.
    count : int
        Their number.

    Returns
    -------
    ndarray or LazyArray
        float64, of shape (count,). Of an array_like that is no LazyArray the values are checked,
        too.

    Raises
    ------
    ShapeError
        If there is another number of them.
    ArgumentError
        If they are negative or NaN, or do not sum to 1 within the root of their dtype's precision.
    """
    p = known(p)
    weights = p if isinstance(p, LazyArray) else np.asarray(real(p, "p"))
    if weights.ndim != 1:
        raise ShapeError(f"p must be 1-dimensional, got shape {weights.shape}", origin=origin())
    if weights.size != count:
        raise ShapeError(
            f"a and p must have same size, got {count} and {weights.size}", origin=origin()
        )
    if isinstance(weights, LazyArray):
        return weights.astype(FLOAT64)
    total = weights.sum()
    if not np.isfinite(total):  # NumPy sums infinities to NaN
        raise ArgumentError("Probabilities contain NaN", origin=origin())
    if (weights < 0).any():
        raise ArgumentError("Probabilities are not non-negative", origin=origin())
    # Of a narrower array NumPy expects no more than the sum of rounded numbers.
    narrow = isinstance(p, np.ndarray) and kind_of(p.dtype) == "f" and p.dtype != FLOAT64
    if abs(total - 1) > float(np.sqrt(finfo(p.dtype if narrow else FLOAT64).eps)):
        raise ArgumentError(
            "Probabilities do not sum to 1. See Notes section of docstring for more information: "
            f"they sum to {total}",
            origin=origin(),
        )
    return weights
