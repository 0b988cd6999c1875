"""Functions that sort, search and pick by position: NumPy computes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import WEAK
from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, as_node, wrap
from lazyarr.builders import build
from lazyarr.builders.build import BOOL, INT64
from lazyarr.builders.gathers import gather_along
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.index_modes import index_mode
from lazyarr.numpy_api.library_calls import call_library, library_node
from lazyarr.numpy_api.memory_order import along_memory, in_order, order_of
from lazyarr.numpy_api.reduction_arguments import NO_VALUE
from lazyarr.numpy_api.selection import along
from lazyarr.numpy_api.ufunc_arguments import store_into
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import DATA_SHAPED, library_function

__all__ = [
    "argpartition",
    "argsort",
    "choose",
    "delete",
    "insert",
    "isin",
    "partition",
    "searchsorted",
    "sort",
    "take_along_axis",
]


def _check_order(order: object) -> None:
    if order is not None:
        raise ArgumentError("Cannot specify order when the array has no fields.", origin=origin())


def _check_kind(kind: Any, stable: Any) -> None:
    try:
        np.sort(np.zeros(1), kind=kind, stable=stable)
    except (TypeError, ValueError) as error:
        raise ArgumentError(str(error), origin=origin()) from None


def _reversed_order(x: LazyArray) -> LazyArray:
    """Return values whose ascending order is the descending one of `x`; NaN stays last."""
    return apply(ELEMENTWISE["invert" if kind_of(x.dtype) in "biu" else "negative"], (x,))


def sort(
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
    descending: Any = False,
) -> LazyArray:
    """Return elements in ascending order along an axis, or of the flattened array.

    Parameters
    ----------
    a : array_like
        Input. NaN comes last, complex numbers are ordered by real part first, as in NumPy.
    axis : int or None
        The axis to sort along; None flattens.
    kind : str, optional
        NumPy's algorithms, which it may use; the result is the same for all.
    order : object
        Refused: it is for structured dtypes.
    stable : bool, optional
        As `kind`.
    descending : bool
        Whether the largest comes first, and NaN last.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `a`.
    """
    x, at = along(as_lazy(a), axis)
    _check_order(order)
    _check_kind(kind, stable)
    is_descending = descending is not NO_VALUE and bool(descending)
    x = _reversed_order(x) if is_descending else x

    def ordered(operands: Sequence[Node], axes: Sequence[int]) -> Node:
        op, options = library_function("sort", np.sort), {"kind": kind, "stable": stable}
        shape = operands[0].shape
        return library_node(op, operands, {"axis": axes[0], **options}, shape, x.dtype)

    result = wrap(along_memory((x._node,), (at,), ordered))
    return _reversed_order(result) if is_descending else result


def argsort(
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
    descending: Any = False,
) -> LazyArray:
    """Return the positions that would sort along an axis.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int or None
        The axis to sort along; None flattens.
    kind : str, optional
        NumPy's algorithm.
    order : object
        Refused: it is for structured dtypes.
    stable : bool, optional
        Whether equal elements stay in their order.
    descending : bool
        Whether the largest comes first, and NaN last.

    Returns
    -------
    LazyArray
        int64, of the shape of `a`.
    """
    x = as_lazy(a)
    x, at = along(x if x.ndim else x.reshape(1), axis, strict=True)
    _check_order(order)
    _check_kind(kind, stable)
    if descending is not NO_VALUE and descending:
        x = _reversed_order(x)
    return call_library(
        "argsort", np.argsort, (x,), x.shape, INT64, axis=at, kind=kind, stable=stable
    )


def _check_places(
    function: Callable[..., Any], length: int, kth: Any, kind: Any, order: Any
) -> None:
    """Raise NumPy's error for invalid positions of a partition."""
    places = np.asarray(kth)
    if places.ndim < 2 and kind_of(places.dtype) in "iu" and 0 < places.size < length:
        if -length <= places.min() and places.max() < length:
            length, kth = 1, 0  # what is known to be right needs no partition
    function(np.zeros(length), kth, kind=kind, order=order)


def partition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> LazyArray:
    """Return elements with those at `kth` in their sorted place along an axis.

    Parameters
    ----------
    a : array_like
        Input.
    kth : int or sequence of int
        Positions that get the element that sorting would put there; smaller ones stand before it,
        others behind.
    axis : int or None
        The axis to partition along; None flattens.
    kind, order : object
        Accepted for NumPy's sake.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `a`; the order within the parts is not determined.
    """
    x, at = along(as_lazy(a), axis)
    _check_places(np.partition, x.shape[at] if x.size else 0, kth, kind, order)

    def parted(operands: Sequence[Node], axes: Sequence[int]) -> Node:
        op, shape = library_function("partition", np.partition), operands[0].shape
        return library_node(op, (operands[0], kth), {"axis": axes[0]}, shape, x.dtype)

    return wrap(along_memory((x._node,), (at,), parted))


def argpartition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> LazyArray:
    """Return the positions that would partition along an axis.

    Parameters
    ----------
    a : array_like
        Input.
    kth, axis, kind, order
        As for :func:`lazyarr.partition`.

    Returns
    -------
    LazyArray
        int64, of the shape of `a`.
    """
    x = as_lazy(a)
    x, at = along(x if x.ndim else x.reshape(1), axis, strict=True)
    _check_places(np.argpartition, x.shape[at] if x.size else 0, kth, kind, order)
    return call_library("argpartition", np.argpartition, (x, kth), x.shape, INT64, axis=at)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> LazyArray:
    """Return the positions at which values would keep a sorted vector sorted.

    Parameters
    ----------
    a : array_like
        A vector in ascending order, or in that of `sorter`.
    v : array_like
        Values, of any shape.
    side : {"left", "right"}
        Whether an equal element of `a` comes behind the position or before it.
    sorter : array_like of int, optional
        Positions that sort `a`.

    Returns
    -------
    LazyArray
        int64, of the shape of `v`: from 0 to ``len(a)``.

    Raises
    ------
    ShapeError
        If `a` is no vector.
    """
    x, values = as_lazy(a), as_lazy(v)
    if x.ndim != 1:
        depth = "too deep" if x.ndim else "of too small depth"
        raise ShapeError(
            f"object {depth} for desired array: a must be one-dimensional, got shape {x.shape}",
            origin=origin(),
        )
    if side not in ("left", "right"):
        raise ArgumentError(
            "search side must be one of 'left' or 'right'"
            if str(side)[:1].lower() in ("l", "r")
            else f"search side must be 'left' or 'right' (got {side!r})",
            origin=origin(),
        )
    extra = {} if sorter is None else {"sorter": as_lazy(sorter)}
    for order in extra.values():
        if kind_of(order.dtype) not in "biu":
            raise DTypeError("sorter must only contain integers", origin=origin())
        if order.size != x.size:
            raise ShapeError("sorter.size must equal a.size", origin=origin())
    common = build.promote(x._node, values._node)
    x, values = x.astype(common), values.astype(common)
    return call_library(
        "searchsorted", np.searchsorted, (x, values), values.shape, INT64, side=side, **extra
    )


def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> LazyArray:
    """Return elements of `arr` at positions that differ from slice to slice along an axis.

    Parameters
    ----------
    arr : array_like
        Input.
    indices : array_like of int
        Positions along the axis, with as many axes as `arr`; the other axes broadcast.
    axis : int or None
        None flattens `arr`; `indices` then has one axis.

    Returns
    -------
    LazyArray
        Of the shape that `indices` broadcasts to.

    Raises
    ------
    ShapeError
        If the numbers of axes differ.
    """
    x = as_lazy(arr)
    index = as_lazy(indices)
    if axis is None and index.ndim != 1:
        raise ShapeError("when axis=None, `indices` must have a single dimension.", origin=origin())
    x, at = along(x, axis)
    if x.ndim != index.ndim:
        raise ShapeError(
            "`indices` and `arr` must have the same number of dimensions", origin=origin()
        )
    if kind_of(index.dtype) not in "iu":
        raise IndexError("`indices` must be an integer array")
    sizes = [n for k, n in enumerate(x.shape) if k != at]
    other = [n for k, n in enumerate(index.shape) if k != at]

    with build.located():
        together = list(broadcast_shapes(tuple(sizes), tuple(other)))
    together.insert(at, index.shape[at])
    if x.size and prod(together):
        with build.located():
            return wrap(gather_along(as_node(x), as_node(index), at, tuple(together)))
    return call_library(
        "take_along_axis", np.take_along_axis, (x, index), tuple(together), x.dtype, axis=at
    )


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Return elements picked from `choices` by an array of positions.

    Parameters
    ----------
    a : array_like of int
        For each element the position of its choice.
    choices : sequence of array_like
        Arrays that broadcast with `a`.
    out : ndarray or LazyArray, optional
        Takes the result on.
    mode : {"raise", "wrap", "clip"}
        What to do with positions out of bounds; "raise" does so when it is evaluated.

    Returns
    -------
    LazyArray
        Of the shape that all broadcast to, in the dtype that the choices promote to.
    """
    index = as_lazy(a)
    mode = index_mode(mode)
    build.check_cast(index.dtype, build.INT64, "safe", scalar=not index.ndim)
    options = [as_lazy(choice) for choice in choices]
    weak = [choice if type(choice) in WEAK else as_node(choice) for choice in choices]
    dtype = build.promote(*weak)
    options = [option.astype(dtype) for option in options]

    with build.located():
        shape = broadcast_shapes(*[option.shape for option in options], index.shape)
    if isinstance(out, (LazyArray, np.ndarray)) and out.shape != shape:
        raise DTypeError("choose: invalid shape for output array.", origin=origin())
    return store_into(
        call_library("choose", np.choose, (index, options), shape, dtype, mode=mode), out, "unsafe"
    )


def _choose_method(a: Any, *choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """``x.choose``, which takes the choices in a sequence or one by one."""
    return choose(a, choices[0] if len(choices) == 1 else choices, out, mode)


def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> LazyArray:
    """Return whether each element is among others.

    Parameters
    ----------
    element : array_like
        Input.
    test_elements : array_like
        The elements to look for.
    assume_unique : bool
        Accepted for NumPy's sake.
    invert : bool
        Whether to return the opposite.
    kind : {"sort", "table"}, optional
        NumPy's algorithm; the result is the same.

    Returns
    -------
    LazyArray
        Booleans, of the shape of `element`.
    """
    if kind not in (None, "sort", "table"):
        raise ArgumentError(
            f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.", origin=origin()
        )
    x, others = as_lazy(element), as_lazy(test_elements)
    if kind == "table" and not all(kind_of(z.dtype) in "biu" for z in (x, others)):
        raise ArgumentError(
            "The 'table' method is only supported for boolean or integer arrays. Please select "
            "'sort' or None for kind.",
            origin=origin(),
        )
    return call_library("isin", np.isin, (x, others), x.shape, BOOL, invert=invert, kind=kind)


def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> LazyArray:
    """Return `arr` with values put in before positions along an axis.

    Parameters
    ----------
    arr : array_like
        Input.
    obj : int, slice or array_like of int
        Positions in `arr` before which to insert; a LazyArray is computed.
    values : array_like
        Values, which broadcast to the inserted slices, in the dtype of `arr`.
    axis : int, optional
        Default: the flattened array.

    Returns
    -------
    LazyArray
        Longer along the axis.
    """
    x, at = along(as_lazy(arr), axis)
    place = obj._value("numpy.insert", DATA_SHAPED) if isinstance(obj, LazyArray) else obj
    added = as_lazy(values, dtype=x.dtype)
    # Values may be longer than the positions are many, as in insert(x, 1, [1, 2]).
    empty, filler = (np.broadcast_to(np.int8(0), array.shape) for array in (x, added))
    shape = np.insert(empty, place, filler, axis=at).shape
    result = call_library(
        "insert",
        np.insert,
        (x, place if not isinstance(place, np.ndarray) else as_lazy(place), added),
        shape,
        x.dtype,
        axis=at,
    )
    return as_lazy(in_order(result, "A", (x,)))


def delete(arr: Any, obj: Any, axis: Any = None) -> LazyArray:
    """Return `arr` without the slices at positions along an axis.

    Parameters
    ----------
    arr : array_like
        Input.
    obj : int, slice or array_like of int or bool
        Positions, or a mask; a LazyArray is computed.
    axis : int, optional
        Default: the flattened array.

    Returns
    -------
    LazyArray
        Shorter along the axis.
    """
    x, at = along(as_lazy(arr), axis)
    order = order_of(x, "A")  # a wrapped array with gaps has another one once it is indexed
    place = obj._value("numpy.delete", DATA_SHAPED) if isinstance(obj, LazyArray) else obj
    try:
        remaining = np.delete(np.arange(x.shape[at]), place)
    except IndexError as error:
        text = str(error).replace("axis 0", f"axis {at}")
        raise IndexingError(text, origin=origin()) from None
    return as_lazy(in_order(x[(*(slice(None),) * at, remaining)], order))
