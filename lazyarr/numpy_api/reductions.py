"""Reductions: sum, mean, min and their kin, in NumPy's dtypes."""

from __future__ import annotations

import builtins
from typing import Any, NoReturn

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, as_operand, wrap
from lazyarr.arrays.masked_selection import MaskedSelection
from lazyarr.arrays.native_methods import count_of_truths
from lazyarr.builders import build
from lazyarr.builders.build import BOOL, INT64
from lazyarr.core.axis_numbers import strict_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcasts_to
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.initial_values import (
    beginning,
    begun,
    check_initial,
    negative_zeros,
    sum_from_negative_zeros,
)
from lazyarr.numpy_api.library_calls import library_node
from lazyarr.numpy_api.reduction_arguments import (
    NO_VALUE,
    UFUNCS,
    Axis,
    accumulator,
    axes_of,
    compared,
    extreme,
    fill_unmasked,
    fold,
    is_over_all,
    is_passed,
    keep,
    masked_aware,
    unfit_mask,
)
from lazyarr.numpy_api.ufunc_arguments import (
    accumulation_dtype,
    mask_of,
    reduce_into,
    store_positions,
)
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY
from lazyarr.ops.markers import is_differentiated

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


def _accumulate(
    name: str, a: Any, axis: Axis, dtype: Any, keepdims: Any, initial: Any, where: Any
) -> LazyArray:
    x = as_node(a)
    axes = axes_of(axis, x.ndim, lenient=True)
    loop = accumulator(name, x.dtype) if dtype is None else build.loop_dtype(dtype)
    check_initial(initial, UFUNCS[name], loop)
    build.warn_of_discarding(x.dtype, loop)
    if initial is None and where is not True and where is not NO_VALUE:
        _refuse_mask(UFUNCS[name])
    if initial is None and build.size_over(x.shape, axes) == 0:
        _refuse_nothing(UFUNCS[name])
    negative = negative_zeros(initial, loop) if name == "sum" else ()
    identity: complex = -0.0 if negative else 0 if name == "sum" else 1
    if "imag" in negative:
        identity = complex(identity, -0.0)
    masked = where is not True and where is not NO_VALUE
    if name == "prod" and masked and kind_of(loop) == "c" and not is_differentiated((x,)):
        return _chosen_product(build.cast(x, loop), axes, keepdims, initial, where)
    x = fill_unmasked(build.cast(x, loop), where, identity)
    if not axes and initial is NO_VALUE and kind_of(loop) in ("fc" if name == "sum" else "c"):
        initial = int(name == "prod")  # NumPy computes: no sum is -0, one part's NaN is both's
    if name == "prod" and is_passed(initial):
        if build.size_over(x.shape, axes) == 0:
            shape = tuple(n for k, n in enumerate(x.shape) if k not in axes)
            return wrap(keep(beginning(initial, loop, shape), axes, keepdims))
        if kind_of(loop) in "fc":  # others are exact in any order
            return wrap(keep(fold(name, begun(x, axes, initial), axes), axes, keepdims))
    result = fold(name, x, axes)
    if is_passed(initial):
        ufunc = UFUNCS[name]
        total = build.elementwise(
            ELEMENTWISE[ufunc.__name__], (result, as_operand(initial)), loop, "unsafe"
        )
        result = sum_from_negative_zeros(x, total, axes, negative) if negative else total
    return wrap(keep(result, axes, keepdims))


def _chosen_product(
    x: Node, axes: tuple[int, ...], keepdims: Any, initial: Any, where: Any
) -> LazyArray:
    """Return the product of the complex elements that a mask chooses.

    One in the place of another element would make NaN of an infinite product.
    """
    mask = mask_of(where)
    if not broadcasts_to(mask.shape, x.shape):
        raise unfit_mask(mask.shape, x.shape)
    options: dict[str, Any] = {"axis": axes, "where": wrap(mask)}
    if is_passed(initial):
        options["initial"] = initial
    shape = tuple(n for k, n in enumerate(x.shape) if k not in axes)
    product = library_node(LIBRARY["reduce"], (np.multiply, x), options, shape, x.dtype)
    return wrap(keep(product, axes, keepdims))


def _refuse_mask(ufunc: np.ufunc) -> NoReturn:
    """Raise ArgumentError for a reduction of masked elements that begins with none."""
    raise ArgumentError(
        f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a "
        "where mask one has to specify 'initial'",
        origin=origin(),
    )


def _refuse_nothing(ufunc: np.ufunc) -> NoReturn:
    """Raise ArgumentError for a reduction of no elements that begins with none."""
    raise ArgumentError(
        f"zero-size array to reduction operation {ufunc.__name__} which has no identity",
        origin=origin(),
        hint="pass initial=",
    )


@masked_aware
def sum(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NO_VALUE,
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
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the product over axes.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int or tuple of int, optional
        Axes to multiply over; default: all.
    dtype : dtype, optional
        To multiply in; default: NumPy's, at least 64 bits for integers.
    out, keepdims, where
        As for :func:`lazyarr.sum`.
    initial : number, optional
        Multiplied with the product.

    Returns
    -------
    LazyArray
        0-d if every axis is multiplied over; one where there are no elements.
    """
    dtype = accumulation_dtype(as_node(a), dtype, out)
    result = _accumulate("prod", a, axis, dtype, keepdims, initial, where)
    return reduce_into(result, out, "multiply")


def _is_masked(a: MaskedSelection, axis: Axis, initial: Any, where: Any) -> bool:
    """Whether the extreme of a selection can be taken over all elements, the others masked."""
    plain = where is True and not is_passed(initial)
    return a.is_flat and kind_of(a.dtype) != "c" and is_over_all(axis) and plain


def _extreme_of_selection(name: str, a: MaskedSelection, keepdims: Any) -> LazyArray:
    """Return the extreme of selected elements: the others are replaced by its identity."""
    values = fill_unmasked(a._values, wrap(a._mask), extreme(a.dtype, name))
    axes = tuple(range(values.ndim))
    result = build.reduce(name, (values,), axes, values.dtype) if axes else values
    arguments = (result, as_node(a.count()), UFUNCS[name].__name__)
    checked = wrap(library_node(LIBRARY["nonempty"], arguments, {}, (), values.dtype))
    return checked.reshape(1) if is_passed(keepdims) and keepdims else checked


def _extreme(name: str, a: Any, axis: Axis, keepdims: Any, initial: Any, where: Any) -> LazyArray:
    if isinstance(a, MaskedSelection) and _is_masked(a, axis, initial, where):
        return _extreme_of_selection(name, a, keepdims)
    x = as_node(a)
    axes = axes_of(axis, x.ndim, lenient=True)
    ufunc = UFUNCS[name]
    check_initial(initial, ufunc, x.dtype)
    if where is not True and where is not NO_VALUE:
        if not is_passed(initial):
            _refuse_mask(ufunc)
        x = fill_unmasked(x, where, initial)
    empty = build.size_over(x.shape, axes) == 0
    if empty and not is_passed(initial):
        _refuse_nothing(ufunc)
    if not axes:
        result = wrap(x).copy("K")._node  # an array of its own, which may lie in another way
    elif empty:
        shape = tuple(n for k, n in enumerate(x.shape) if k not in axes)
        return wrap(keep(build.filled(initial, x.dtype, shape), axes, keepdims))
    else:
        result = build.reduce(name, (x,), axes, x.dtype)
    if is_passed(initial):
        first = as_operand(initial)
        # Of several complex NaNs, the first one is the result.
        operands = (first, result) if kind_of(x.dtype) == "c" else (result, first)
        result = build.elementwise(ELEMENTWISE[ufunc.__name__], operands, x.dtype, "unsafe")
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

    Parameters
    ----------
    a : array_like
        Input; complex numbers are ordered by real part first.
    axis : int or tuple of int, optional
        Axes to reduce over; default: all.
    out, keepdims
        As for :func:`lazyarr.sum`.
    initial : number, optional
        An upper bound of the result; needed with `where`.
    where : array_like of bool
        Which elements count.

    Returns
    -------
    LazyArray
        Of the dtype of `a`.

    Raises
    ------
    ArgumentError
        If there is nothing to take the minimum of and no `initial`.
    """
    a = compared(a, out)
    return reduce_into(_extreme("min", a, axis, keepdims, initial, where), out, "minimum")


def max(
    a: Any,
    axis: Axis = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return the greatest value over axes; NaN if there is one.

    Parameters
    ----------
    a : array_like
        Input; complex numbers are ordered by real part first.
    axis, out, keepdims, where
        As for :func:`lazyarr.min`.
    initial : number, optional
        A lower bound of the result; needed with `where`.

    Returns
    -------
    LazyArray
        Of the dtype of `a`.

    Raises
    ------
    ArgumentError
        If there is nothing to take the maximum of and no `initial`.
    """
    a = compared(a, out)
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
    """Return whether any element over the axes is true.

    Parameters
    ----------
    a : array_like
        Numbers; those that are not zero are true, NaN too.
    axis : int or tuple of int, optional
        Axes to reduce over; default: all.
    out, keepdims, where
        As for :func:`lazyarr.sum`.

    Returns
    -------
    LazyArray
        Booleans; false where there are no elements.
    """
    return reduce_into(_logical("any", a, axis, keepdims, where), out, "logical_or")


@masked_aware
def all(
    a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """Return whether all elements over the axes are true.

    Parameters
    ----------
    a : array_like
        Numbers; those that are not zero are true, NaN too.
    axis : int or tuple of int, optional
        Axes to reduce over; default: all.
    out, keepdims, where
        As for :func:`lazyarr.sum`.

    Returns
    -------
    LazyArray
        Booleans; true where there are no elements.
    """
    return reduce_into(_logical("all", a, axis, keepdims, where), out, "logical_and")


def _position(name: str, a: Any, axis: Axis, keepdims: Any) -> LazyArray:
    x = as_node(a)
    if axis is not None:
        with build.located():
            axis = strict_axis(axis, builtins.max(x.ndim, 1))
    axes = axes_of(axis, x.ndim, lenient=True)
    if build.size_over(x.shape, axes) == 0:
        raise ArgumentError(f"attempt to get {name} of an empty sequence", origin=origin())
    result = build.reduce(name, (x,), axes, INT64) if axes else build.constant(0, INT64)
    return wrap(keep(result, axes, keepdims is not NO_VALUE and bool(keepdims)))


def argmin(a: Any, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """Return the index of the first least value along an axis.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int, optional
        Default: the flattened array.
    out : ndarray or LazyArray, optional
        Takes the result on; of a dtype that casts to int64 safely.
    keepdims : bool
        Keep the axis, with length one.

    Returns
    -------
    LazyArray
        int64. NaN counts as least, as in NumPy.

    Raises
    ------
    ArgumentError
        If there is nothing to search.
    """
    return store_positions(_position("argmin", a, axis, keepdims), out, "argmin")


def argmax(a: Any, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Any:
    """Return the index of the first greatest value along an axis.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int, optional
        Default: the flattened array.
    out : ndarray or LazyArray, optional
        Takes the result on; of a dtype that casts to int64 safely.
    keepdims : bool
        Keep the axis, with length one.

    Returns
    -------
    LazyArray
        int64. NaN counts as greatest, as in NumPy.

    Raises
    ------
    ArgumentError
        If there is nothing to search.
    """
    return store_positions(_position("argmax", a, axis, keepdims), out, "argmax")


def count_nonzero(a: Any, axis: Axis = None, *, keepdims: Any = False) -> LazyArray:
    """Return the number of elements over the axes that are not zero.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int or tuple of int, optional
        Axes to count over; default: all.
    keepdims : bool
        Keep the axes, with length one.

    Returns
    -------
    LazyArray
        int64; 0-d over all axes, where NumPy returns a Python int.
    """
    counted = None if axis is not None or keepdims else count_of_truths(a, LazyArray)
    if counted is not None:
        return as_lazy(counted)
    truths = a != 0 if isinstance(a, LazyArray) else as_lazy(a) != 0
    kept = keepdims if keepdims or axis is not None else False
    return as_lazy(sum(truths, axis=axis, dtype=INT64, keepdims=kept))


def ptp(a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False) -> Any:
    """Return the range, greatest minus least value, over axes."""
    greatest, least = (function(a, axis=axis, keepdims=keepdims) for function in (max, min))
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if isinstance(target, (LazyArray, np.ndarray)):
        greatest = greatest.astype(target.dtype)  # NumPy stores it there before it subtracts
    return reduce_into(greatest - least, out, "maximum", "same_kind")
