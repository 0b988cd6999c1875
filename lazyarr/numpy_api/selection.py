"""Functions that choose, order or find elements."""

from __future__ import annotations

import operator
from math import prod
from typing import Any, TypeGuard

import numpy as np

from lazyarr.arrays.coercion import holds_numbers
from lazyarr.arrays.evaluation import persist
from lazyarr.arrays.lazy_array import LazyArray, apply, as_node, as_operand, asarray, wrap
from lazyarr.builders import build
from lazyarr.builders.build import BOOL, FLOAT64, INT64
from lazyarr.core.config import CUDA
from lazyarr.core.shapes import normalize_axis
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.ufunc_arguments import (
    call_library,
    call_ufunc,
    compute_now,
    deliver,
    ufunc_options,
)
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import DATA_SHAPED
from lazyarr.tracing import Symbol

__all__ = [
    "allclose",
    "around",
    "array_equal",
    "array_equiv",
    "clip",
    "compress",
    "extract",
    "fix",
    "flatnonzero",
    "isclose",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
    "nan_to_num",
    "nonzero",
    "putmask",
    "round",
    "select",
    "sinc",
    "where",
]

_NO_VALUE: Any = getattr(np, "_NoValue", None)


def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
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
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ArgumentError("either both or neither of x and y should be given", origin=origin())
    return apply(ELEMENTWISE["where"], (asarray(condition), x, y))


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
        The limits; `min` and `max` are the Array API's names.
    out : ndarray or LazyArray, optional
        Takes the result on.
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
    options = ufunc_options("clip", {"out": out, **keywords})
    a = a if isinstance(a, LazyArray) else asarray(a)
    if a.dtype.kind in "iu":
        # As in NumPy, a Python integer beyond the dtype's range may limit nothing.
        limits = np.iinfo(a.dtype)
        low = None if _is_python_int(low) and low <= limits.min else low
        high = None if _is_python_int(high) and high >= limits.max else high
    if low is None and high is None:
        return call_ufunc((ELEMENTWISE["positive"],), (a,), **options)
    if low is None:
        return call_ufunc((ELEMENTWISE["minimum"],), (a, high), **options)
    if high is None:
        return call_ufunc((ELEMENTWISE["maximum"],), (a, low), **options)
    return call_ufunc((ELEMENTWISE["clip"],), (a, low, high), **options)


def _clip_method(a: Any, min: Any = None, max: Any = None, out: Any = None, **keywords: Any) -> Any:
    return clip(a, min, max, out, **keywords)


def _conjugate_method(a: LazyArray, out: Any = None) -> Any:
    """Return complex conjugates; what is not complex stays as it is, booleans too."""
    same = a if a.dtype.kind != "c" else apply(ELEMENTWISE["conjugate"], (a,))
    return deliver(same, out)


def _is_python_int(value: Any) -> TypeGuard[int]:
    return type(value) is int or (type(value) is Symbol and value.kind is int)


def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Return elements rounded to a number of decimals, halves to even."""
    x = asarray(a)
    places = operator.index(decimals)
    if x.dtype.kind in "biu":
        if places >= 0:
            same = x if x.dtype.kind != "b" else apply(ELEMENTWISE["rint"], (x,))
            return deliver(same, out)
        return deliver(call_library("round", np.round, (x, places), x.shape, x.dtype), out)
    if x.dtype.kind == "c":
        whole = round(x.real, places) + round(x.imag, places) * asarray(np.asarray(1j, x.dtype))
        return deliver(whole, out)
    rint = ELEMENTWISE["rint"]
    if places == 0:
        return deliver(apply(rint, (x,)), out)
    factor = 10.0 ** abs(places)
    if places > 0:
        return deliver(apply(rint, (x * factor,)) / factor, out)
    return deliver(apply(rint, (x / factor,)) * factor, out)


around = round


def fix(x: Any, out: Any = None) -> Any:
    """Return elements rounded towards zero."""
    return deliver(apply(ELEMENTWISE["trunc"], (x,)), out)


def sinc(x: Any) -> LazyArray:
    """Return ``sin(pi x) / (pi x)``, and 1 at zero."""
    made = asarray(x)
    loop = made.dtype if made.dtype.kind in "fc" else FLOAT64
    made = made.astype(loop)
    scaled = made * np.pi
    safe = where(scaled != 0, scaled, np.finfo(loop).eps)
    found: LazyArray = apply(ELEMENTWISE["sin"], (safe,)) / safe
    return found


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> LazyArray:
    """Return `x` with numbers in place of NaN and infinities.

    Parameters
    ----------
    x : array_like
        Input.
    copy : bool
        Accepted for NumPy's sake.
    nan, posinf, neginf : number
        What to put; for infinities the default is the greatest finite number of the dtype.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.
    """
    made = asarray(x)
    if made.dtype.kind == "c":
        parts = [nan_to_num(p, copy, nan, posinf, neginf) for p in (made.real, made.imag)]
        return apply(ELEMENTWISE["complex"], tuple(parts))
    for name, value in (("nan", nan), ("posinf", posinf), ("neginf", neginf)):
        if value is not None and made.dtype.kind == "f":
            filler = as_operand(value)
            strong = filler.dtype if isinstance(filler, Node) else np.dtype(type(filler))
            if not np.can_cast(strong, made.dtype, "same_kind"):
                raise DTypeError(
                    f"cannot put {name}={value!r} into an array of {made.dtype}", origin=origin()
                )
            if isinstance(filler, Node):
                build.broadcast_to(filler, made.shape)  # raises if it does not fit
    if made.dtype.kind != "f":
        return made
    limits = np.finfo(made.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    found = where(apply(ELEMENTWISE["isnan"], (made,)), nan, made)
    found = where(made == float("inf"), high, found)
    found = where(made == float("-inf"), low, found)
    return asarray(found).astype(made.dtype)


def _ordered(x: Any) -> LazyArray:
    made = asarray(x)
    if made.dtype.kind == "c":
        raise DTypeError(
            f"This operation is not supported for {made.dtype} values because it would be "
            "ambiguous.",
            origin=origin(),
        )
    return made


def isposinf(x: Any, out: Any = None) -> Any:
    """Return whether each element is positive infinity."""
    return deliver(_ordered(x) == float("inf"), out)


def isneginf(x: Any, out: Any = None) -> Any:
    """Return whether each element is negative infinity."""
    return deliver(_ordered(x) == float("-inf"), out)


def isreal(x: Any) -> LazyArray:
    """Return whether each element's imaginary part is zero."""
    return asarray(x).imag == 0


def iscomplex(x: Any) -> LazyArray:
    """Return whether each element's imaginary part is not zero."""
    return asarray(x).imag != 0


def isclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> LazyArray:
    """Return whether elements are equal within ``atol + rtol * abs(b)``."""
    x, y = asarray(a), asarray(b)
    if y.dtype.kind in "biu":
        y = y.astype(np.result_type(y.dtype, 1.0))
    finite = apply(ELEMENTWISE["isfinite"], (y,))
    near: Any = abs(x - y) <= atol + rtol * abs(y)
    near = wrap(build.silent(near._node, (x._node, y._node))) & finite | (x == y)
    if equal_nan and x.dtype.kind in "fc":
        near = near | (x != x) & (y != y)
    return asarray(near)


def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> LazyArray:
    """Return, as a 0-d LazyArray, whether all elements are close; see :func:`isclose`."""
    return asarray(reductions.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> LazyArray:
    """Return, as a 0-d LazyArray, whether shapes and all elements are equal."""
    x, y = asarray(a1), asarray(a2)
    if x.shape != y.shape:
        return asarray(False)
    same = x == y
    if equal_nan and x.dtype.kind in "fc" and y.dtype.kind in "fc":
        same = same | (x != x) & (y != y)
    return asarray(reductions.all(same))


def array_equiv(a1: Any, a2: Any) -> LazyArray:
    """Return, as a 0-d LazyArray, whether arrays broadcast together and are equal then."""
    x, y = asarray(a1), asarray(a2)
    try:
        return asarray(reductions.all(x == y))
    except ShapeError:
        return asarray(False)


def along(x: LazyArray, axis: Any) -> tuple[LazyArray, int]:
    """Return the array and the axis to work along; None flattens."""
    if axis is None:
        return x.reshape((x.size,)), 0
    with build.located():
        return x, normalize_axis(axis, x.ndim)


def nonzero(a: Any) -> tuple[LazyArray, ...]:
    """Return the positions of elements that are not zero, one array an axis; computes."""
    x = asarray(a)
    if not x.ndim:
        raise ShapeError("Calling nonzero on 0d arrays is not allowed.", origin=origin())
    if x.device == CUDA and x.size:
        flat = true_places((x != 0).reshape(-1))
        behind = [prod(x.shape[k + 1 :]) for k in range(x.ndim)]
        places = [flat // step % n for step, n in zip(behind, x.shape, strict=True)]
        return (persist(flat),) if x.ndim == 1 else tuple(persist(*places))
    found: tuple[LazyArray, ...] = compute_now(np.nonzero, (x,), {}, DATA_SHAPED)
    return found


def true_places(mask: LazyArray) -> LazyArray:
    """Return where a vector of conditions is true, for a GPU to find; counts them now."""
    held = persist(mask)
    count = int(reductions.sum(held, dtype=INT64)._value("the number of places", DATA_SHAPED))
    return call_library("flatnonzero", np.flatnonzero, (held,), (count,), INT64)


def flatnonzero(a: Any) -> LazyArray:
    """Return the positions of elements of the flattened array that are not zero; computes."""
    return nonzero(asarray(a).reshape(-1))[0]


def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Return the slices of `a` along an axis for which a vector of conditions is true."""
    mask = asarray(condition).astype(BOOL)
    if mask.ndim != 1:
        raise ShapeError("condition must be a 1-d array", origin=origin())
    x, at = along(asarray(a), axis)
    size = x.shape[at]
    if mask.size > size:
        beyond = np.flatnonzero(mask[size:]._value("numpy.compress", DATA_SHAPED))
        if beyond.size:
            raise IndexingError(
                f"index {size + int(beyond[0])} is out of bounds for axis {at} with size {size}",
                origin=origin(),
            )
        mask = mask[:size]
    front = (slice(None),) * at
    x = x[(*front, slice(None, mask.shape[0]))]
    if axis is None or x.ndim == 1:
        return deliver(x[mask], out)
    return deliver(x[(*front, mask)], out)


def _compress_method(a: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    return compress(condition, a, axis, out)


def extract(condition: Any, arr: Any) -> LazyArray:
    """Return the elements of `arr` for which a condition is true."""
    return asarray(compress(asarray(condition).reshape(-1), asarray(arr).reshape(-1)))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> LazyArray:
    """Return for each element the choice of the first condition that holds, else a default."""
    if len(condlist) != len(choicelist):
        raise ArgumentError(
            "list of cases must be same length as list of conditions", origin=origin()
        )
    if not condlist:
        raise ArgumentError("select with an empty condition list is not possible", origin=origin())
    operands = [
        c if isinstance(c, (bool, int, float, complex)) else as_node(c)
        for c in (*choicelist, default)
    ]
    dtype = build.promote(*operands)
    found: Any = asarray(default).astype(dtype)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        found = where(condition, asarray(choice).astype(dtype), found)
    return asarray(found)


def putmask(a: LazyArray, /, mask: Any, values: Any) -> None:
    """Write `values` to `a` where a mask is true.

    Raises
    ------
    DTypeError
        If an array of values cannot be cast safely.
    """
    if holds_numbers(values):
        filler = asarray(values, dtype=a.dtype)
    else:
        filler = asarray(values)
        build.check_cast(filler.dtype, a.dtype, "safe")
    if filler.size != 1 and filler.shape != a.shape:
        from lazyarr.numpy_api.repetition import resize

        filler = resize(filler, a.shape)
    a._become(as_node(where(mask, filler.astype(a.dtype), a)))
