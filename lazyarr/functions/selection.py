"""Functions that choose, order or find elements."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from lazyarr import build
from lazyarr.array import LazyArray, apply, as_node, asarray, wrap
from lazyarr.build import BOOL, FLOAT64, INT64
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.functions.calling import call_library, call_ufunc, deliver
from lazyarr.functions.movement import concatenate
from lazyarr.functions.reductions import all as all_
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.origin import origin
from lazyarr.shapes import normalize_axis

__all__ = [
    "allclose",
    "argpartition",
    "argsort",
    "argwhere",
    "around",
    "array_equal",
    "array_equiv",
    "choose",
    "clip",
    "compress",
    "delete",
    "extract",
    "fix",
    "flatnonzero",
    "insert",
    "isclose",
    "iscomplex",
    "isin",
    "isneginf",
    "isposinf",
    "isreal",
    "nan_to_num",
    "nonzero",
    "pad",
    "partition",
    "putmask",
    "round",
    "searchsorted",
    "select",
    "sinc",
    "sort",
    "take_along_axis",
    "where",
]


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
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
    where: Any = True,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Return elements limited to an interval; None leaves a side open.

    Parameters
    ----------
    a : array_like
        Input.
    a_min, a_max : array_like, optional
        The limits; `min` and `max` are the Array API's names.
    out, where, dtype, casting
        As for the ufuncs.

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
    no_value = getattr(np, "_NoValue", None)
    low = min if a_min is None or a_min is no_value else a_min
    high = max if a_max is None or a_max is no_value else a_max
    low = None if low is no_value else low
    high = None if high is no_value else high
    options = {"out": out, "where": where, "dtype": dtype, "casting": casting}
    a = a if isinstance(a, LazyArray) else asarray(a)
    if low is None and high is None:
        return call_ufunc((ELEMENTWISE["positive"],), (a,), **options)
    if low is None:
        return call_ufunc((ELEMENTWISE["minimum"],), (a, high), **options)
    if high is None:
        return call_ufunc((ELEMENTWISE["maximum"],), (a, low), **options)
    return call_ufunc((ELEMENTWISE["clip"],), (a, low, high), **options)


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
        return parts[0] + parts[1] * asarray(np.asarray(1j, made.dtype))
    if made.dtype.kind != "f":
        return made
    limits = np.finfo(made.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    found = where(apply(ELEMENTWISE["isnan"], (made,)), nan, made)
    found = where(made == float("inf"), high, found)
    found = where(made == float("-inf"), low, found)
    return asarray(found).astype(made.dtype)


def isposinf(x: Any, out: Any = None) -> Any:
    """Return whether each element is positive infinity."""
    return deliver(asarray(x) == float("inf"), out)


def isneginf(x: Any, out: Any = None) -> Any:
    """Return whether each element is negative infinity."""
    return deliver(asarray(x) == float("-inf"), out)


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
    near = (abs(x - y) <= atol + rtol * abs(y)) & finite | (x == y)
    if equal_nan and x.dtype.kind in "fc":
        near = near | (x != x) & (y != y)
    return near


def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> LazyArray:
    """Return, as a 0-d LazyArray, whether all elements are close; see :func:`isclose`."""
    return asarray(all_(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> LazyArray:
    """Return, as a 0-d LazyArray, whether shapes and all elements are equal."""
    x, y = asarray(a1), asarray(a2)
    if x.shape != y.shape:
        return asarray(False)
    same = x == y
    if equal_nan and x.dtype.kind in "fc" and y.dtype.kind in "fc":
        same = same | (x != x) & (y != y)
    return asarray(all_(same))


def array_equiv(a1: Any, a2: Any) -> LazyArray:
    """Return, as a 0-d LazyArray, whether arrays broadcast together and are equal then."""
    x, y = asarray(a1), asarray(a2)
    try:
        return asarray(all_(x == y))
    except ShapeError:
        return asarray(False)


def _along(x: LazyArray, axis: Any) -> tuple[LazyArray, int]:
    if axis is None:
        return x.reshape((x.size,)), 0
    with build.located():
        return x, normalize_axis(axis, x.ndim)


def sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> LazyArray:
    """Return elements in ascending order along an axis, or of the flattened array."""
    x, at = _along(asarray(a), axis)
    if order is not None:
        raise ArgumentError("order= is for structured dtypes", origin=origin())
    return call_library("sort", np.sort, (x,), x.shape, x.dtype, axis=at, kind=kind, stable=stable)


def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> LazyArray:
    """Return the positions that would sort along an axis."""
    x, at = _along(asarray(a), axis)
    if order is not None:
        raise ArgumentError("order= is for structured dtypes", origin=origin())
    return call_library(
        "argsort", np.argsort, (x,), x.shape, INT64, axis=at, kind=kind, stable=stable
    )


def partition(
    a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> LazyArray:
    """Return elements with those at `kth` in their sorted place along an axis."""
    x, at = _along(asarray(a), axis)
    np.partition(np.zeros(x.shape[at]), kth)
    return call_library("partition", np.partition, (x, kth), x.shape, x.dtype, axis=at)


def argpartition(
    a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> LazyArray:
    """Return the positions that would partition along an axis."""
    x, at = _along(asarray(a), axis)
    np.partition(np.zeros(x.shape[at]), kth)
    return call_library("argpartition", np.argpartition, (x, kth), x.shape, INT64, axis=at)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> LazyArray:
    """Return where to put values in a sorted vector to keep it sorted."""
    x, values = asarray(a), asarray(v)
    if x.ndim != 1:
        raise ShapeError(f"a must be one-dimensional, got shape {x.shape}", origin=origin())
    if side not in ("left", "right"):
        raise ArgumentError(f"side must be 'left' or 'right', got {side!r}", origin=origin())
    extra = {} if sorter is None else {"sorter": asarray(sorter)}
    return call_library(
        "searchsorted", np.searchsorted, (x, values), values.shape, INT64, side=side, **extra
    )


def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> LazyArray:
    """Return elements of `arr` at positions that differ from slice to slice along an axis."""
    x = asarray(arr)
    index = asarray(indices)
    if axis is None:
        if index.ndim != 1:
            raise ShapeError(
                "when axis=None, `indices` must have a single dimension.", origin=origin()
            )
    x, at = _along(x, axis)
    if x.ndim != index.ndim:
        raise ShapeError(
            "`indices` and `arr` must have the same number of dimensions", origin=origin()
        )
    if index.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    sizes = [n for k, n in enumerate(x.shape) if k != at]
    other = [n for k, n in enumerate(index.shape) if k != at]
    from lazyarr.shapes import broadcast_shapes

    with build.located():
        together = list(broadcast_shapes(tuple(sizes), tuple(other)))
    together.insert(at, index.shape[at])
    return call_library(
        "take_along_axis", np.take_along_axis, (x, index), tuple(together), x.dtype, axis=at
    )


def nonzero(a: Any) -> tuple[LazyArray, ...]:
    """Return the positions of elements that are not zero, one array an axis; computes."""
    x = asarray(a)
    if not x.ndim:
        raise ShapeError("Calling nonzero on 0d arrays is not allowed.", origin=origin())
    return tuple(asarray(found) for found in x._value("nonzero").nonzero())


def flatnonzero(a: Any) -> LazyArray:
    """Return the positions of elements of the flattened array that are not zero; computes."""
    return nonzero(asarray(a).reshape(-1))[0]


def argwhere(a: Any) -> LazyArray:
    """Return the positions of elements that are not zero, one row each; computes."""
    return asarray(np.argwhere(asarray(a)._value("argwhere")))


def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Return the slices of `a` along an axis for which a vector of conditions is true."""
    mask = asarray(condition).astype(BOOL)
    if mask.ndim != 1:
        raise ShapeError("condition must be a 1-d array", origin=origin())
    x, at = _along(asarray(a), axis)
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


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Return elements picked from `choices` by an array of positions."""
    index = asarray(a)
    options = [asarray(choice) for choice in choices]
    dtype = build.promote(*[as_node(option) for option in options])
    from lazyarr.shapes import broadcast_shapes

    with build.located():
        shape = broadcast_shapes(index.shape, *[option.shape for option in options])
    return deliver(
        call_library("choose", np.choose, (index, options), shape, dtype, mode=mode), out
    )


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


def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> LazyArray:
    """Return whether each element is among others."""
    x, others = asarray(element), asarray(test_elements)
    return call_library("isin", np.isin, (x, others), x.shape, BOOL, invert=invert, kind=kind)


def putmask(a: LazyArray, mask: Any, values: Any) -> None:
    """Make `a` stand for its value with `values` where a mask is true."""
    filler = asarray(values)
    if filler.size != 1 and filler.shape != a.shape:
        from lazyarr.functions.movement import resize

        filler = resize(filler, a.shape)
    a._node = as_node(where(mask, filler.astype(a.dtype), a))


def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> LazyArray:
    """Return `arr` with values put in before positions along an axis."""
    x, at = _along(asarray(arr), axis)
    place = obj._value("insert") if isinstance(obj, LazyArray) else obj
    shape = np.insert(np.broadcast_to(np.int8(0), x.shape), place, 0, axis=at).shape
    return call_library(
        "insert",
        np.insert,
        (x, place if not isinstance(place, np.ndarray) else asarray(place), asarray(values)),
        shape,
        x.dtype,
        axis=at,
    )


def delete(arr: Any, obj: Any, axis: Any = None) -> LazyArray:
    """Return `arr` without the slices at positions along an axis."""
    x, at = _along(asarray(arr), axis)
    place = obj._value("delete") if isinstance(obj, LazyArray) else obj
    kept = np.delete(np.arange(x.shape[at]), place)
    return x[(*(slice(None),) * at, kept)]


def pad(array: Any, pad_width: Any, mode: Any = "constant", **keywords: Any) -> LazyArray:
    """Return `array` with a border.

    Parameters
    ----------
    array : array_like
        Input.
    pad_width : int, pair, or sequence of pairs
        How many elements before and after along each axis; as in NumPy.
    mode : str
        "constant" (with `constant_values`), "edge", "wrap", "reflect" and "symmetric" are
        concatenations; NumPy's others are computed by NumPy.
    **keywords
        NumPy's, for the mode.

    Returns
    -------
    LazyArray
        Larger by the border.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.pad([1, 2], 1).compute()
    array([0, 1, 2, 0])
    """
    x = asarray(array)
    widths = _pairs(pad_width, x.ndim)
    if any(n < 0 for pair in widths for n in pair):
        raise ArgumentError("index can't contain negative values", origin=origin())
    if mode == "constant":
        fills = _value_pairs(keywords.pop("constant_values", 0), x.ndim)
        for axis, ((before, after), (first, last)) in enumerate(zip(widths, fills, strict=True)):
            if before or after:
                sides = []
                for count, fill in ((before, first), (after, last)):
                    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
                    value = build.cast(as_node(fill), x.dtype)
                    sides.append(wrap(build.broadcast_to(value, shape)))
                x = asarray(concatenate([sides[0], x, sides[1]], axis=axis))
        return x
    simple = ("edge", "wrap", "reflect", "symmetric")
    if (
        mode in simple
        and not keywords
        and all(
            max(pair) < size or (mode == "edge" and size) or max(pair) == 0
            for pair, size in zip(widths, x.shape, strict=True)
        )
    ):
        for axis, (before, after) in enumerate(widths):
            if before or after:
                x = _bordered(x, axis, before, after, mode)
        return x
    shape = tuple(n + before + after for n, (before, after) in zip(x.shape, widths, strict=True))
    np.pad(np.ones((1,) * x.ndim), 0, mode, **keywords)
    return call_library("pad", np.pad, (x, widths, mode), shape, x.dtype, **keywords)


def _bordered(x: LazyArray, axis: int, before: int, after: int, mode: str) -> LazyArray:
    front = (slice(None),) * axis
    size = x.shape[axis]

    def cut(start: int, stop: int) -> LazyArray:
        return x[(*front, slice(start, stop))]

    def turned(part: LazyArray) -> LazyArray:
        return part[(*front, slice(None, None, -1))]

    if mode == "edge":

        def wide(part: LazyArray, count: int) -> LazyArray:
            shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
            return wrap(build.broadcast_to(part._node, shape))

        left, right = wide(cut(0, 1), before), wide(cut(size - 1, size), after)
    elif mode == "wrap":
        left, right = cut(size - before, size), cut(0, after)
    elif mode == "reflect":
        left, right = turned(cut(1, before + 1)), turned(cut(size - 1 - after, size - 1))
    else:
        left, right = turned(cut(0, before)), turned(cut(size - after, size))
    return asarray(concatenate([left, x, right], axis=axis))


def _pairs(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    if isinstance(pad_width, dict):
        found = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            with build.located():
                at = normalize_axis(axis, ndim)
            first, last = np.broadcast_to(np.asarray(width), (2,)).tolist()
            found[at] = (first, last)
        return tuple(found)
    widths = np.asarray(pad_width)
    if widths.dtype.kind not in "iu":
        raise ArgumentError("`pad_width` must be of integral type.", origin=origin())
    try:
        table = np.broadcast_to(widths, (ndim, 2)).tolist()
    except ValueError:
        raise ShapeError(
            f"pad_width of shape {widths.shape} does not fit {ndim} axes", origin=origin()
        ) from None
    return tuple((before, after) for before, after in table)


def _value_pairs(values: Any, ndim: int) -> list[tuple[Any, Any]]:
    if isinstance(values, LazyArray):
        return [(values, values)] * ndim
    table = np.broadcast_to(np.asarray(values), (ndim, 2))
    return [(row[0], row[1]) for row in table]
