"""Functions that choose, order or find elements."""

from __future__ import annotations

from math import prod
from typing import Any, TypeGuard

import numpy as np

from lazyarr.arrays.coercion import WEAK, is_sequence
from lazyarr.arrays.evaluation import persist
from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, as_node, wrap
from lazyarr.arrays.native_items import write_called
from lazyarr.arrays.native_rows import places_of
from lazyarr.arrays.plain_operands import operand_leaf, read_at_call
from lazyarr.builders import build
from lazyarr.builders.build import BOOL, FLOAT64, INT64
from lazyarr.core.axis_numbers import c_int, normalize_axis, strict_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.numpy_releases import DEPRECATES_FIX, WRAPS_CHOSEN_INTEGERS
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.library_calls import call_library, compute_now
from lazyarr.numpy_api.memory_order import in_order
from lazyarr.numpy_api.ufunc_arguments import store_into, write_back
from lazyarr.numpy_api.ufunc_calls import call_ufunc, ufunc_options
from lazyarr.numpy_api.ufunc_signatures import check_casting
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import DATA_SHAPED
from lazyarr.tracing import Symbol, running

__all__ = [
    "around",
    "clip",
    "compress",
    "extract",
    "fix",
    "flatnonzero",
    "nonzero",
    "round",
    "select",
    "where",
]

_NO_VALUE: Any = getattr(np, "_NoValue", None)


def where(condition: Any, x: Any = _NO_VALUE, y: Any = _NO_VALUE, /) -> Any:
    """Return elements of `x` where a condition holds, else of `y`.

    Parameters
    ----------
    condition : array_like
        Where it is true, or not zero.
    x, y : array_like
        What to choose from; a Python scalar takes the other's dtype. Without them the result
        is ``nonzero(condition)``.

    Returns
    -------
    LazyArray
        Of the shape that all three broadcast to.

    Raises
    ------
    ArgumentError
        If only one of `x` and `y` is given.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.asarray([-1.0, 2.0])
    >>> la.where(x > 0, x, 0).compute()
    array([0., 2.])
    """
    if x is _NO_VALUE and y is _NO_VALUE:
        return nonzero(condition)
    if x is _NO_VALUE or y is _NO_VALUE:
        raise ArgumentError("either both or neither of x and y should be given", origin=origin())
    if WRAPS_CHOSEN_INTEGERS and not (_fits(x) and _fits(y)):
        dtype = build.promote(*[v if type(v) in WEAK else as_node(v) for v in (x, y)])
        x, y = _wrapped(x, dtype), _wrapped(y, dtype)
    if type(condition) is np.ndarray and condition.dtype == BOOL and not running:
        mask = wrap(operand_leaf(condition, is_mask=True))  # small beside what it chooses from
    else:
        mask = as_lazy(condition)
    return apply(ELEMENTWISE["where"], (mask, x, y))


def _fits(value: Any) -> bool:
    """Return whether an operand is no Python integer, or one that fits every dtype of integers."""
    return type(value) is not int or 0 <= value <= 127


def _wrapped(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return an operand of :func:`where` in which a Python integer, however large, is cast."""
    if type(value) is not int or kind_of(dtype) not in "iu":
        return value
    return np.array(value).astype(dtype)[()]


def clip(
    a: Any,
    a_min: Any = _NO_VALUE,
    a_max: Any = _NO_VALUE,
    out: Any = None,
    *,
    min: Any = _NO_VALUE,
    max: Any = _NO_VALUE,
    **keywords: Any,
) -> Any:
    """Return elements limited to an interval; None leaves a side open.

    Parameters
    ----------
    a : array_like
        Input.
    a_min, a_max : array_like, optional
        The limits.
    out : ndarray or LazyArray, optional
        Where to write the result.
    min, max : array_like, optional
        The limits, as the Array API calls them.
    **keywords
        ``where``, ``dtype``, ``casting``, ``order``, ``subok`` and ``signature``, as of the ufuncs.

    Returns
    -------
    LazyArray
        ``minimum(maximum(a, a_min), a_max)``.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.clip([1, 5, 9], 2, 6).compute()
    array([2, 5, 6])
    """
    if a_min is _NO_VALUE and a_max is _NO_VALUE:
        low = None if min is _NO_VALUE else min
        high = None if max is _NO_VALUE else max
    elif a_min is _NO_VALUE or a_max is _NO_VALUE:
        lacking = "a_min" if a_min is _NO_VALUE else "a_max"
        raise ArgumentError(
            f"clip() missing 1 required positional argument: {lacking!r}", origin=origin()
        )
    elif min is not _NO_VALUE or max is not _NO_VALUE:
        raise ArgumentError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden.",
            origin=origin(),
        )
    else:
        low, high = a_min, a_max
    if isinstance(out, LazyArray) and not (keywords or running):
        if write_called(_clip_into, out, (a, low, high), {}):
            return out
    options = ufunc_options("clip", {"out": out, **keywords})
    a = a if isinstance(a, LazyArray) else as_lazy(a)
    if kind_of(a.dtype) in "iu":
        # As in NumPy, a Python integer beyond the dtype's range may limit nothing.
        limits = np.iinfo(a.dtype)
        low = None if _is_python_int(low) and low <= limits.min else low
        high = None if _is_python_int(high) and high >= limits.max else high
    operands = (a, *[limit for limit in (low, high) if limit is not None])
    if len(operands) == 2:
        op = ELEMENTWISE["maximum" if high is None else "minimum"]
    else:
        op = ELEMENTWISE["positive" if low is None else "clip"]
    if "casting" in options and op.ufunc is not None:
        check_casting(op.ufunc, operands, options.get("dtype"), options["casting"])
    return call_ufunc((op,), operands, **options)


def _clip_into(out: Any, a: Any, low: Any, high: Any) -> None:
    np.clip(a, low, high, out=out)


def _clip_method(a: Any, min: Any = None, max: Any = None, out: Any = None, **keywords: Any) -> Any:
    return clip(a, min, max, out, **keywords)


def _conjugate_method(a: LazyArray, out: Any = None) -> Any:
    """Return complex conjugates; real numbers and booleans stay as they are."""
    same = a if kind_of(a.dtype) != "c" else apply(ELEMENTWISE["conjugate"], (a,))
    return store_into(same, out)


def _is_python_int(value: Any) -> TypeGuard[int]:
    return type(value) is int or (type(value) is Symbol and value.kind is int)


def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Return elements rounded to a number of decimals, halves to even.

    Parameters
    ----------
    a : array_like
        Input.
    decimals : int
        Digits behind the point; negative ones are zeros before it.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `a`; float16 for booleans. Complex numbers are rounded by parts.
    """
    x = as_lazy(a)
    places = c_int(decimals)
    if isinstance(out, (LazyArray, np.ndarray)) and out.size != x.size:
        raise ShapeError("invalid output shape", origin=origin())
    if kind_of(x.dtype) == "b" and places:
        scaled = "multiply" if places > 0 else "divide"
        build.check_cast(FLOAT64, x.dtype, "same_kind", ufunc=scaled)
    if kind_of(x.dtype) in "biu" and (places >= 0 or out is None):
        if places >= 0:
            same = x.copy("K") if kind_of(x.dtype) != "b" else apply(ELEMENTWISE["rint"], (x,))
            return store_into(same, out)
        return call_library("round", np.round, (x, places), x.shape, x.dtype)
    if kind_of(x.dtype) == "c":
        parts = (round(x.real, places), round(x.imag, places))
        whole = apply(ELEMENTWISE["complex"], parts)
        return store_into(whole, out)
    rint = ELEMENTWISE["rint"]
    if places == 0:
        return store_into(apply(rint, (x,)), out, ufunc="rint")
    factor = 10.0 ** abs(places)
    if places > 0:
        return store_into(apply(rint, (x * factor,)) / factor, out, ufunc="multiply")
    return store_into(apply(rint, (x / factor,)) * factor, out, ufunc="divide")


around = round


@read_at_call
def fix(x: Any, out: Any = None) -> Any:
    """Return elements rounded towards zero.

    Parameters
    ----------
    x : array_like
        Real numbers.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Warns
    -----
    DeprecationWarning
        Beside NumPy 2.5 and later, as there.
    """
    if DEPRECATES_FIX:
        text = (
            "numpy.fix is deprecated. Use numpy.trunc instead, which is faster and follows the "
            "Array API standard."
        )
        warn_user(text, DeprecationWarning)
    return store_into(apply(ELEMENTWISE["trunc"], (x,)), out, ufunc="trunc")


def along(x: LazyArray, axis: Any, *, strict: bool = False) -> tuple[LazyArray, int]:
    """Return the array to work on and its axis, as an ``axis=`` argument names them.

    Parameters
    ----------
    x : LazyArray
        Input.
    axis : int or None
        The user's argument.
    strict : bool
        Whether True and False name no axes.

    Returns
    -------
    array : LazyArray
        `x`, flattened if `axis` is None.
    axis : int
        Not negative.
    """
    if axis is None:
        return x.reshape((x.size,)), 0
    with build.located():
        return x, (strict_axis if strict else normalize_axis)(axis, x.ndim)


def nonzero(a: Any) -> tuple[LazyArray, ...]:
    """Return the positions of elements that are not zero, one array an axis; computes."""
    x = as_lazy(a)
    if not x.ndim:
        raise ShapeError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead.",
            origin=origin(),
        )
    if is_on_device(x._node) and x.size:
        flat = true_places((x != 0).reshape(-1))
        behind = [prod(x.shape[k + 1 :]) for k in range(x.ndim)]
        places = [flat // step % n for step, n in zip(behind, x.shape, strict=True)]
        return (persist(flat),) if x.ndim == 1 else tuple(persist(*places))
    positions: tuple[LazyArray, ...] = compute_now(_places, (x,), {}, DATA_SHAPED)
    return positions


def _places(array: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], ...]:
    places: tuple[np.ndarray[Any, Any], ...] = places_of(array)
    return places


_places.__module__, _places.__name__ = np.nonzero.__module__, np.nonzero.__name__


def true_places(mask: LazyArray) -> LazyArray:
    """Return the positions of the true elements of a vector, for a GPU to find; counts them now."""
    stored = persist(mask)
    count = int(reductions.sum(stored, dtype=INT64)._value("the number of places", DATA_SHAPED))
    return call_library("flatnonzero", np.flatnonzero, (stored,), (count,), INT64)


def flatnonzero(a: Any) -> LazyArray:
    """Return the positions of elements of the flattened array that are not zero; computes."""
    return nonzero(as_lazy(a).reshape(-1))[0]


def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Return the slices of `a` along an axis for which a vector of conditions is true.

    Parameters
    ----------
    condition : array_like of bool
        A vector, at most as long as the axis; slices beyond it are left out.
    a : array_like
        Input.
    axis : int, optional
        The axis of the slices; default: the flattened array.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Returns
    -------
    LazyArray
        As long along the axis as conditions are true; their number is computed.

    Raises
    ------
    ShapeError
        If `condition` is no vector.
    IndexingError
        If it is true beyond the end of the axis.
    """
    conditions = as_lazy(condition)
    if not isinstance(condition, (LazyArray, np.ndarray)) and is_sequence(condition):
        build.check_cast(conditions.dtype, BOOL, "safe")  # a buffer is no list of numbers to NumPy
    mask = conditions.astype(BOOL)
    if mask.ndim != 1:
        raise ShapeError("condition must be a 1-d array", origin=origin())
    x = as_lazy(a)
    x, at = along(x if x.ndim else x.reshape(1), axis, strict=True)
    size = x.shape[at]
    if mask.size > size:
        beyond = np.flatnonzero(mask[size:]._value("numpy.compress", DATA_SHAPED))
        if beyond.size and not prod(x.shape[:at]):  # there is nothing that NumPy would take
            count = int(mask._value("numpy.compress", DATA_SHAPED).sum())
            shape = (*x.shape[:at], count, *x.shape[at + 1 :])
            return write_back(wrap(build.filled(0, x.dtype, shape)), out, "take")
        if beyond.size:
            text = f"index {size + int(beyond[0])} is out of bounds for axis {at} with size {size}"
            if not size and 0 not in x.shape[at + 1 :]:
                text = "cannot do a non-empty take from an empty axes."
            raise IndexingError(text, origin=origin())
        mask = mask[:size]
    front = (slice(None),) * at
    x = x[(*front, slice(None, mask.shape[0]))]
    chosen = x[mask] if axis is None or x.ndim == 1 else x[(*front, mask)]
    return write_back(chosen, out, "take")


def _compress_method(a: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    return compress(condition, a, axis, out)


def extract(condition: Any, arr: Any) -> LazyArray:
    """Return the elements of `arr` for which a condition is true.

    Parameters
    ----------
    condition : array_like of bool
        As many conditions as `arr` has elements, or fewer.
    arr : array_like
        Input.

    Returns
    -------
    LazyArray
        A vector, in C order.
    """
    return as_lazy(compress(as_lazy(condition).reshape(-1), as_lazy(arr).reshape(-1)))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> LazyArray:
    """Return for each element the choice of the first condition that holds, else a default.

    Parameters
    ----------
    condlist : sequence of array_like of bool
        Conditions, the first one to hold wins.
    choicelist : sequence of array_like
        For each condition the array to choose from.
    default : array_like
        Chosen where no condition holds.

    Returns
    -------
    LazyArray
        Of the shape that all of them broadcast to, in the dtype that the choices promote to.

    Raises
    ------
    ArgumentError
        If there is no condition, or not one for each choice.
    """
    if len(condlist) != len(choicelist):
        raise ArgumentError(
            "list of cases must be same length as list of conditions", origin=origin()
        )
    if not condlist:
        raise ArgumentError("select with an empty condition list is not possible", origin=origin())
    for position, condition in enumerate(condlist):
        kind = as_node(condition).dtype
        if kind_of(kind) != "b":
            raise DTypeError(
                f"invalid entry {position} in condlist: should be boolean ndarray, got {kind}",
                origin=origin(),
            )
    operands = [
        c if isinstance(c, (bool, int, float, complex)) else as_node(c)
        for c in (*choicelist, default)
    ]
    dtype = build.promote(*operands)
    for choice in choicelist:
        build.check_cast(as_node(choice).dtype, dtype, "same_kind")
    chosen: Any = as_lazy(default).astype(dtype)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        chosen = where(condition, as_lazy(choice).astype(dtype), chosen)
    return as_lazy(in_order(as_lazy(chosen), "C"))
