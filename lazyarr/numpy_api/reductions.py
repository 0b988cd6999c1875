"""Reductions: sum, mean, min and their kin, in NumPy's dtypes."""

from __future__ import annotations

import builtins
import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_node, as_operand, asarray, wrap
from lazyarr.arrays.masked_selection import MaskedSelection
from lazyarr.builders import build
from lazyarr.builders.build import BOOL, INT64
from lazyarr.core.shapes import normalize_axes, normalize_axis
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.ufunc_arguments import accumulation_dtype, deliver, library_node, reduce_into
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "min",
    "prod",
    "ptp",
    "sum",
]

DType = np.dtype[Any]
Axis = Any
Function = TypeVar("Function", bound=Callable[..., Any])
NO_VALUE: Any = getattr(np, "_NoValue", None)
_accumulators: dict[tuple[str, DType], DType] = {}
_UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def given(value: Any) -> bool:
    """Return whether an optional argument was passed."""
    return value is not None and value is not NO_VALUE


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
            if a.is_flat and _over_all(arguments.get("axis")) and where in (True, NO_VALUE):
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
    return axis is None or axis is NO_VALUE or axis in (0, -1, (0,), (-1,))


def fill_unmasked(x: Node, where: Any, fill: Any) -> Node:
    """Return `x` where the mask is true, else `fill` in x's dtype."""
    if where is True or where is NO_VALUE or where is None:
        return x
    mask = as_node(where)
    filler = build.constant(fill, x.dtype)
    made = build.elementwise(ELEMENTWISE["where"], (build.cast(mask, BOOL), x, filler))
    if made.shape != x.shape:
        raise ShapeError(
            f"where= of shape {mask.shape} does not broadcast to {x.shape}", origin=origin()
        )
    return made


def fold(name: str, x: Node, axes: tuple[int, ...]) -> Node:
    """Return the sum or product of `x` over `axes`, in its own dtype."""
    if not axes:
        return x
    if x.dtype == BOOL:
        # NumPy adds booleans with "or" and multiplies them with "and".
        name = "any" if name == "sum" else "all"
    return build.reduce(name, (x,), axes, x.dtype)


def _accumulate(
    name: str, a: Any, axis: Axis, dtype: Any, keepdims: Any, initial: Any, where: Any
) -> LazyArray:
    x = as_node(a)
    axes = axes_of(axis, x.ndim, lenient=True)
    check_initial(initial)
    wanted = accumulator(name, x.dtype) if dtype is None else build.as_dtype(dtype)
    identity = 0 if name == "sum" else 1
    x = fill_unmasked(build.cast(x, wanted), where, identity)
    result = fold(name, x, axes)
    if given(initial):
        ufunc = _UFUNCS[name]
        result = build.elementwise(
            ELEMENTWISE[ufunc.__name__], (result, as_operand(initial)), wanted, "unsafe"
        )
    return wrap(keep(result, axes, keepdims))


def check_initial(initial: Any) -> None:
    """Raise ArgumentError unless a reduction's ``initial=`` is one number."""
    if given(initial) and (
        np.ndim(initial) if not isinstance(initial, LazyArray) else initial.ndim
    ):
        raise ArgumentError(
            f"Input object to FillWithScalar is not a scalar: initial={initial!r}", origin=origin()
        )


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
    dtype = accumulation_dtype(as_node(a), dtype, out)
    return reduce_into(_accumulate("sum", a, axis, dtype, keepdims, initial, where), out, "add")


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
    dtype = accumulation_dtype(as_node(a), dtype, out)
    result = _accumulate("prod", a, axis, dtype, keepdims, initial, where)
    return reduce_into(result, out, "multiply")


def extreme(dtype: DType, name: str) -> Any:
    """Return the value that never wins: the largest of `dtype` for min, the least for max."""
    if dtype.kind == "b":
        return name == "min"
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return int(limits.max if name == "min" else limits.min)
    return float("inf") if name == "min" else float("-inf")


def _is_masked(a: MaskedSelection, axis: Axis, initial: Any, where: Any) -> bool:
    """Whether the extreme of a selection can be taken over all elements, the others masked."""
    plain = where is True and not given(initial)
    return a.is_flat and a.dtype.kind != "c" and _over_all(axis) and plain


def _extreme_of_selection(name: str, a: MaskedSelection, keepdims: Any) -> LazyArray:
    """Return the extreme with what is not selected replaced by what never wins."""
    values = fill_unmasked(a._values, wrap(a._mask), extreme(a.dtype, name))
    axes = tuple(range(values.ndim))
    result = build.reduce(name, (values,), axes, values.dtype) if axes else values
    arguments = (result, as_node(a.count()), _UFUNCS[name].__name__)
    checked = wrap(library_node(LIBRARY["nonempty"], arguments, {}, (), values.dtype))
    return checked.reshape(1) if given(keepdims) and keepdims else checked


def _extreme(name: str, a: Any, axis: Axis, keepdims: Any, initial: Any, where: Any) -> LazyArray:
    if isinstance(a, MaskedSelection) and _is_masked(a, axis, initial, where):
        return _extreme_of_selection(name, a, keepdims)
    x = as_node(a)
    axes = axes_of(axis, x.ndim, lenient=True)
    ufunc = _UFUNCS[name]
    check_initial(initial)
    if where is not True and where is not NO_VALUE:
        if not given(initial):
            raise ArgumentError(
                f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a "
                "where mask one has to specify 'initial'",
                origin=origin(),
            )
        x = fill_unmasked(x, where, initial)
    empty = build.size_over(x.shape, axes) == 0
    if empty and not given(initial):
        raise ArgumentError(
            f"zero-size array to reduction operation {ufunc.__name__} which has no identity",
            origin=origin(),
            hint="pass initial=",
        )
    if not axes:
        result = x
    elif empty:
        shape = tuple(n for k, n in enumerate(x.shape) if k not in axes)
        return wrap(keep(build.filled(initial, x.dtype, shape), axes, keepdims))
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
    return reduce_into(_extreme("min", a, axis, keepdims, initial, where), out, "minimum")


def max(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the greatest value over axes; see :func:`lazyarr.min`."""
    return reduce_into(_extreme("max", a, axis, keepdims, initial, where), out, "maximum")


amin, amax = min, max


def _logical(name: str, a: Any, axis: Axis, keepdims: Any, where: Any) -> LazyArray:
    x = build.cast(as_node(a), BOOL)
    axes = axes_of(axis, x.ndim, lenient=True)
    x = fill_unmasked(x, where, name == "all")
    return wrap(keep(build.reduce(name, (x,), axes, BOOL) if axes else x, axes, keepdims))


@masked_aware
def any(
    a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """Return whether any element over the axes is true (NaN is)."""
    return reduce_into(_logical("any", a, axis, keepdims, where), out, "logical_or")


@masked_aware
def all(
    a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """Return whether all elements over the axes are true."""
    return reduce_into(_logical("all", a, axis, keepdims, where), out, "logical_and")


def _position(name: str, a: Any, axis: Axis, keepdims: Any) -> LazyArray:
    x = as_node(a)
    if axis is not None:
        with build.located():
            axis = normalize_axis(axis, builtins.max(x.ndim, 1))
    axes = axes_of(axis, x.ndim, lenient=True)
    if build.size_over(x.shape, axes) == 0:
        raise ArgumentError(f"attempt to get {name} of an empty sequence", origin=origin())
    result = build.reduce(name, (x,), axes, INT64) if axes else build.constant(0, INT64)
    return wrap(keep(result, axes, keepdims))


def _placed(result: LazyArray, out: Any, name: str) -> Any:
    """Put positions into an output whose dtype has to fit into that of positions."""
    if isinstance(out, (LazyArray, np.ndarray)):
        build.check_cast(out.dtype, INT64, "safe")
    return reduce_into(result, out, name)


def argmin(a: Any, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """Return the index of the first least value along an axis, or in the flattened array."""
    return _placed(_position("argmin", a, axis, keepdims), out, "argmin")


def argmax(a: Any, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """Return the index of the first greatest value along an axis, or in the flattened array."""
    return _placed(_position("argmax", a, axis, keepdims), out, "argmax")


def warn(message: str) -> None:
    """Give NumPy's RuntimeWarning at the user's line."""
    warnings.warn_explicit(message, RuntimeWarning, *(origin() or ("<unknown>", 0)))


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
    return reduce_into(found, out, "ptp")
