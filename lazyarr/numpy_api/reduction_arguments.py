"""Arguments that reductions share: axes, masks, initial values, dtypes to accumulate in."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from lazyarr.arrays.coercion import NO_VALUE
from lazyarr.arrays.lazy_array import as_lazy, as_node, wrap
from lazyarr.arrays.masked_selection import MaskedSelection
from lazyarr.builders import build
from lazyarr.builders.build import BOOL
from lazyarr.core.axis_numbers import strict_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcast_shapes, text_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, AxisError, DTypeError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.ufunc_arguments import accumulation_dtype, mask_of, store_into
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = [
    "NO_VALUE",
    "UFUNCS",
    "Axis",
    "accumulator",
    "axes_of",
    "compared",
    "degrees_of_freedom",
    "extreme",
    "fill_unmasked",
    "fold",
    "is_over_all",
    "is_passed",
    "keep",
    "masked_aware",
    "one_axis",
    "unfit_mask",
]


DType = np.dtype[Any]
Axis = Any

Function = TypeVar("Function", bound=Callable[..., Any])

UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
"""The ufunc of each reduction with a dtype to accumulate in, or an identity."""
_accumulators: dict[tuple[str, DType], DType] = {}


def is_passed(value: Any) -> bool:
    """Return whether an optional argument was passed."""
    return value is not None and value is not NO_VALUE


def accumulator(name: str, dtype: DType) -> DType:
    """Return the dtype in which NumPy sums (or multiplies) values of `dtype`.

    Parameters
    ----------
    name : {"sum", "prod"}
        The reduction.
    dtype : numpy.dtype
        Of the elements.

    Returns
    -------
    numpy.dtype
        At least 64 bits wide for integers and booleans.
    """
    key = (name, dtype)
    result = _accumulators.get(key)
    if result is None:
        result = _accumulators[key] = UFUNCS[name].reduce(np.zeros(1, dtype)).dtype
    return result


def axes_of(axis: Axis, ndim: int, *, lenient: bool = False) -> tuple[int, ...]:
    """Return the sorted axes that an ``axis=`` argument of a ufunc's reduction names.

    Parameters
    ----------
    axis : int, tuple of int or None
        The user's argument; None names all axes. Lists, arrays and booleans name none.
    ndim : int
        The number of axes of the array.
    lenient : bool
        Whether a 0-d array may be reduced over its missing axis, as by NumPy's ufuncs.

    Returns
    -------
    tuple of int
        Not negative, in ascending order.

    Raises
    ------
    AxisError
        If an axis does not exist or is named twice.
    ArgumentError
        If it is neither an integer nor a tuple of integers.
    """
    if axis is None:
        return tuple(range(ndim))
    if type(axis) is int and -ndim <= axis < ndim:
        return (axis % ndim,)
    with build.located():
        if not isinstance(axis, tuple):
            if lenient and not ndim and hasattr(axis, "__index__"):
                if not isinstance(axis, bool) and operator.index(axis) in (0, -1):
                    return ()
            return (strict_axis(axis, ndim),)
        axes = tuple([strict_axis(place, ndim) for place in axis])
        if len(set(axes)) != len(axes):
            raise AxisError("duplicate value in 'axis'")
        return tuple(sorted(axes))


def one_axis(axis: Axis, ndim: int, method: str) -> int:
    """Return the axis along which a method of ufuncs gives as many results as there are elements.

    Parameters
    ----------
    axis : int, tuple of one int, or None
        The user's argument; None names the only axis of a vector.
    ndim : int
        The number of axes of the array.
    method : {"accumulate", "reduceat"}
        For messages.

    Returns
    -------
    int
        Not negative.

    Raises
    ------
    DTypeError
        If the array has no axes.
    ArgumentError
        If several axes are named.
    """
    axes = axes_of(axis, ndim, lenient=True)
    if not ndim:
        raise DTypeError(f"cannot {method} on a scalar", origin=origin())
    if len(axes) != 1:
        raise ArgumentError(f"{method} does not allow multiple axes", origin=origin())
    return axes[0]


def keep(x: Node, axes: tuple[int, ...], keepdims: Any) -> Node:
    """Return a reduced value, with the axes of length one that ``keepdims=`` asks for.

    Parameters
    ----------
    x : Node
        The value without the axes.
    axes : tuple of int
        The axes that were reduced.
    keepdims : bool
        The user's argument.

    Returns
    -------
    Node
        A view, or `x` itself.

    Raises
    ------
    TypeError
        If ``keepdims=`` is no integer.
    """
    if keepdims is NO_VALUE:
        return x
    if not isinstance(keepdims, bool):
        keepdims = operator.index(keepdims)
    return build.expand_axes(x, axes) if keepdims else x


def masked_aware(function: Function) -> Function:
    """Let a reduction with ``where=`` take ``x[mask]`` without ever gathering its elements."""
    signature = inspect.signature(function)
    first = next(iter(signature.parameters))

    @functools.wraps(function)
    def wrapper(a: Any, *args: Any, **keywords: Any) -> Any:
        if isinstance(a, MaskedSelection):
            arguments: dict[str, Any] = {}
            if args or keywords:
                arguments = signature.bind(a, *args, **keywords).arguments
            where = arguments.get("where", True)
            if a.is_flat and is_over_all(arguments.get("axis")) and where in (True, NO_VALUE):
                keepdims = arguments.pop("keepdims", False)
                out = arguments.pop("out", None)
                arguments.pop("axis", None)
                arguments[first] = wrap(a._values)
                arguments["where"] = wrap(a._mask)
                result = function(**arguments)
                return store_into(
                    result.reshape(1) if is_passed(keepdims) and keepdims else result, out
                )
        return function(a, *args, **keywords)

    return wrapper  # type: ignore[return-value]


def is_over_all(axis: Axis) -> bool:
    """Return whether an ``axis=`` argument names the only axis of a vector, or all axes."""
    return axis is None or axis is NO_VALUE or axis in (0, -1, (0,), (-1,))


def fill_unmasked(x: Node, where: Any, fill: Any) -> Node:
    """Return the elements under a mask, and a number in the places of the others.

    Parameters
    ----------
    x : Node
        The elements.
    where : array_like of bool
        The mask, which broadcasts to the shape of `x`; True for no mask.
    fill : number
        The value of elements that the mask leaves out.

    Returns
    -------
    Node
        Of the shape and dtype of `x`.

    Raises
    ------
    ShapeError
        If the mask does not broadcast to the shape of `x`.
    """
    if where is True or where is NO_VALUE:
        return x
    mask = mask_of(where)
    filler = build.constant(fill, x.dtype)
    try:
        filled = build.elementwise(ELEMENTWISE["where"], (mask, x, filler))
    except ShapeError:
        filled = None
    if filled is None or filled.shape != x.shape:
        raise unfit_mask(mask.shape, x.shape)
    return filled


def unfit_mask(mask: tuple[int, ...], shape: tuple[int, ...]) -> ShapeError:
    """Return NumPy's error about a mask that does not broadcast to a shape.

    Parameters
    ----------
    mask : tuple of int
        Shape of the mask.
    shape : tuple of int
        Of the elements.
    """
    if len(mask) > len(shape):
        text = "input operand has more dimensions than allowed by the axis remapping"
        return ShapeError(text, origin=origin())
    try:
        common = text_of(broadcast_shapes(mask, shape))
    except ShapeError:
        text = "operands could not be broadcast together with remapped shapes "
        text += f"[original->remapped]: {text_of(shape)} {text_of(mask)}"
    else:
        text = f"non-broadcastable operand with shape {text_of(shape)} doesn't match the "
        text += f"broadcast shape {common}"
    return ShapeError(text, origin=origin())


def fold(name: str, x: Node, axes: tuple[int, ...]) -> Node:
    """Return a sum or product over axes, in the dtype of the elements.

    Parameters
    ----------
    name : {"sum", "prod"}
        The reduction.
    x : Node
        The elements; booleans are combined by "or" and "and", as in NumPy.
    axes : tuple of int
        Not negative; may be empty.

    Returns
    -------
    Node
        Without the axes.
    """
    if not axes:
        return x
    if x.dtype == BOOL:
        # NumPy adds booleans with "or" and multiplies them with "and".
        name = "any" if name == "sum" else "all"
    return build.reduce(name, (x,), axes, x.dtype)


def compared(a: Any, out: Any) -> Any:
    """Return an array in the dtype in which NumPy compares its elements for an output.

    Parameters
    ----------
    a : array_like
        The elements.
    out : ndarray, LazyArray, tuple of one, or None
        The user's output; its dtype and that of the elements are promoted.
    """
    loop = None if out is None else accumulation_dtype(as_node(a), None, out)
    return a if loop is None else as_lazy(a).astype(loop, copy=False)


def extreme(dtype: DType, name: str) -> Any:
    """Return the identity of a minimum or maximum.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements, real.
    name : {"min", "max"}
        The reduction.

    Returns
    -------
    bool, int or float
        The largest number of `dtype` for "min", the least for "max"; infinities are numbers.
    """
    if kind_of(dtype) == "b":
        return name == "min"
    if kind_of(dtype) in "iu":
        limits = np.iinfo(dtype)
        return int(limits.max if name == "min" else limits.min)
    return float("inf") if name == "min" else float("-inf")


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
