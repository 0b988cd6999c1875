"""NumPy's functions that write into their first argument.

What they write to a LazyArray is seen in all views of the same elements; an ndarray that was
wrapped stays as it is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import is_number, layout
from lazyarr.arrays.coercion import holds_numbers
from lazyarr.arrays.copies import snapshot
from lazyarr.arrays.indexing import check_bounds
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, as_operand, asarray, wrap
from lazyarr.arrays.native_items import write_called, write_item
from lazyarr.builders import build
from lazyarr.builders.build import BOOL, INT64
from lazyarr.core import shapes
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcasts_to, text_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api import selection
from lazyarr.numpy_api.creation import as_shape, zeros
from lazyarr.numpy_api.index_modes import index_mode
from lazyarr.numpy_api.joining import concatenate
from lazyarr.numpy_api.library_calls import call_library, compute_now
from lazyarr.numpy_api.movement import axis_of
from lazyarr.tracing import running

__all__ = ["copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"]

Array = np.ndarray[Any, Any]


def _on_a_copy(function: Callable[..., None]) -> Callable[..., Array]:
    def call(array: Array, *args: Any, **keywords: Any) -> Array:
        copy = array.copy()
        function(copy, *args, **keywords)
        return copy

    return call


def _rebind(function: Callable[..., None], a: Any, args: tuple[Any, ...], **keywords: Any) -> None:
    """Apply NumPy's in-place function to a copy of `a`, and write the result to `a`."""
    if not isinstance(a, LazyArray):
        compute_now(function, (a, *args), keywords)
        return
    if not running and write_called(function, a, args, keywords):
        return
    name = function.__name__
    operands = [np.asarray(x) if isinstance(x, (list, tuple)) else snapshot(x) for x in args]
    written = call_library(name, _on_a_copy(function), (a, *operands), a.shape, a.dtype, **keywords)
    a._become(written._node)


_CONVERTED = (bool, int, float, complex, str, bytes, list, tuple)


def _values(values: Any, a: Any) -> Any:
    """Return values for an array; numbers of Python's have to fit its dtype."""
    dtype = getattr(a, "dtype", None)
    if dtype is None or not isinstance(values, _CONVERTED):
        return values
    texts = isinstance(values, (str, bytes))
    return np.asarray(values, dtype) if texts or holds_numbers(values) else values


def _check_safe(value: Any, dtype: np.dtype[Any]) -> None:
    """Refuse an array that cannot be cast safely; numbers of Python's are cast."""
    if isinstance(value, (LazyArray, np.ndarray)):
        build.check_cast(value.dtype, dtype, "safe")


def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Replace elements of `a`, counted in C order.

    Parameters
    ----------
    a : LazyArray
        The array to change.
    ind : array_like of int
        Positions in C order.
    v : array_like
        Values, repeated as often as needed.
    mode : {"raise", "wrap", "clip"}
        What to do with positions that lie outside.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.zeros(4)
    >>> la.put(x, [1, -1], [5.0, 6.0])
    >>> x.compute()
    array([0., 5., 0., 6.])
    """
    mode = index_mode(mode)
    if isinstance(a, LazyArray):
        if not a.size and np.size(ind):
            raise IndexingError("cannot replace elements of an empty array", origin=origin())
        _check_safe(ind, INT64)
        if isinstance(ind, (list, tuple)) and not ind:
            ind = np.zeros(0, INT64)  # of an empty sequence no dtype is known
        elif ind is None:
            raise DTypeError("indices must be integers, got None", origin=origin())
        elif not np.size(v):
            return  # of no values none is written, wherever
        elif mode == "raise":
            check_bounds(ind if type(ind) is int else as_node(ind), a.size, 0)
    _rebind(np.put, a, (ind, _values(v, a)), mode=mode)


def place(arr: Any, mask: Any, vals: Any) -> None:
    """Replace the elements of `arr` under a mask one by one.

    Parameters
    ----------
    arr : LazyArray or ndarray
        The array to change; an ndarray changes at once.
    mask : array_like of bool
        Of as many elements as `arr`.
    vals : array_like
        Values in the order of the elements under the mask, repeated as often as needed.

    Raises
    ------
    ShapeError
        If the mask has another number of elements.
    """
    if isinstance(arr, LazyArray) and np.size(mask) != arr.size:
        raise ShapeError("place: mask and data must be the same size", origin=origin())
    if isinstance(arr, LazyArray):
        _check_safe(vals, arr.dtype)
        if not np.size(vals) and not (running and isinstance(mask, LazyArray)):
            if np.any(mask):
                raise ArgumentError("Cannot insert from an empty array!", origin=origin())
            return
    _rebind(np.place, arr, (mask, _values(vals, arr)))


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write to the main diagonal of `a`.

    Parameters
    ----------
    a : LazyArray or ndarray
        The array to change; an ndarray changes at once.
    val : array_like
        Values along the diagonal, repeated as often as needed.
    wrap : bool
        Whether the diagonal of a tall matrix begins again below.

    Raises
    ------
    ShapeError
        If `a` has one axis, or more than two of different lengths.
    """
    shape = np.shape(a)
    if len(shape) < 2:
        raise ShapeError("array must be at least 2-d", origin=origin())
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ShapeError("All dimensions of input must be of equal length", origin=origin())
    _rebind(np.fill_diagonal, a, (_values(val, a),), wrap=wrap)


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """Replace the elements of `arr` at positions along an axis.

    Parameters
    ----------
    arr : LazyArray or ndarray
        The array to change; an ndarray changes at once.
    indices : array_like of int
        Positions along the axis, with as many axes as `arr`; the other axes broadcast.
    values : array_like
        Broadcasts to the shape of `indices`.
    axis : int or None
        None counts positions in the flattened array.
    """
    values = _values(values, arr)
    if axis is None and np.ndim(indices) != 1:
        raise ArgumentError(
            "when axis=None, `indices` must have a single dimension.", origin=origin()
        )
    if axis is not None:
        axis = axis_of(axis, np.ndim(arr))
        if np.ndim(indices) != np.ndim(arr):
            raise ArgumentError(
                "`indices` and `arr` must have the same number of dimensions", origin=origin()
            )
    if isinstance(arr, LazyArray) and axis is not None:
        if kind_of(getattr(indices, "dtype", INT64)) not in "iu":
            raise IndexingError("`indices` must be an integer array", origin=origin())
        others = (*arr.shape[:axis], 1, *arr.shape[axis + 1 :])
        with build.located():
            chosen = shapes.broadcast_shapes(others, np.shape(indices))
            written = np.shape(values)
            kept = written[max(len(written) - len(chosen), 0) :]
        if prod(written[: len(written) - len(kept)]) != 1 or not broadcasts_to(kept, chosen):
            raise ShapeError(
                f"shape mismatch: value array of shape {text_of(written)} could not be broadcast "
                f"to indexing result of shape {text_of(chosen)}",
                origin=origin(),
            )
        if prod(chosen) and not arr.shape[axis]:
            raise IndexingError(
                f"index 0 is out of bounds for axis {axis} with size 0", origin=origin()
            )
    _rebind(np.put_along_axis, arr, (indices, values), axis=axis)


def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """Write `values` to `a` where a mask is true.

    Parameters
    ----------
    a : LazyArray or ndarray
        The array to change; an ndarray changes at once.
    mask : array_like of bool
        Of the shape or size of `a`.
    values : array_like
        Of the shape of `a`; others are flattened and repeated to it, so that an element takes the
        value of its own position.

    Raises
    ------
    DTypeError
        If an array of values cannot be cast safely.
    """
    if not isinstance(a, LazyArray):
        compute_now(np.putmask, (a, mask, values), {})
        return
    if not running and write_called(np.putmask, a, (mask, values), {}):
        return
    mask = asarray(snapshot(mask))
    if mask.size != a.size:
        raise ShapeError("putmask: mask and data must be the same size", origin=origin())
    if holds_numbers(values):
        filler = as_lazy(values, dtype=a.dtype)
    else:
        filler = asarray(snapshot(values))
        # A pending number is one of NumPy's, which is cast however wide it is.
        if not (isinstance(values, LazyArray) and is_number(values)):
            build.check_cast(filler.dtype, a.dtype, "safe")
    if not filler.size:
        return
    if filler.size == 1:
        filler = filler.reshape(())
    elif filler.shape != a.shape:
        from lazyarr.numpy_api.repetition import resize

        filler = resize(filler, a.shape)
    a._become(as_node(selection.where(mask.reshape(a.shape), filler.astype(a.dtype), a)))


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write `src`, broadcast and cast, to `dst` where a mask is true.

    Parameters
    ----------
    dst : LazyArray or ndarray
        The array to change; an ndarray changes at once.
    src : array_like
        Broadcasts to the shape of `dst`.
    casting : str
        Rule for the conversion to the dtype of `dst`.
    where : array_like of bool
        Broadcasts to the shape of `dst`; elements where it is false stay.

    Raises
    ------
    DTypeError
        If `casting` forbids the cast.
    ShapeError
        If `src` does not broadcast to the shape of `dst`.
    """
    if not isinstance(dst, LazyArray):
        compute_now(np.copyto, (dst, src), {"casting": casting, "where": where})
        return
    if type(src) is np.ndarray and where is True and not running:
        build.check_cast(src.dtype, dst.dtype, casting, scalar=not src.ndim)
        if broadcasts_to(src.shape, dst.shape) and write_item(dst, ..., src):
            return
    operand = as_operand(snapshot(src))
    if isinstance(operand, Node):
        build.check_cast(operand.dtype, dst.dtype, casting, scalar=not operand.ndim)
        build.warn_of_discarding(operand.dtype, dst.dtype)
    else:
        kind = type(operand)
        common = np.result_type(dst.dtype, kind(0))  # type: ignore[call-arg]
        own = np.dtype(kind) if kind is bool or casting == "equiv" else common
        if kind is not bool and casting == "equiv" and own != dst.dtype:
            raise DTypeError(
                f"cannot cast Python {kind.__name__} to {dst.dtype} under the casting rule 'equiv'",
                origin=origin(),
            )
        if not np.can_cast(own, dst.dtype, casting):  # type: ignore[arg-type]
            build.check_cast(np.dtype(kind), dst.dtype, casting, scalar=True)
        # An integer has to fit; other numbers are cast as arrays are.
        number: Any = np.asarray(operand) if kind in (float, complex) else operand
        if kind is complex:
            build.warn_of_discarding(number.dtype, dst.dtype)
            number = number if kind_of(dst.dtype) in "cb" else number.real
        operand = build.constant(number, dst.dtype)
    value = build.fitting(build.cast(operand, dst.dtype), dst.shape)
    if where is not True:
        mask = as_node(np.asarray(where, bool) if holds_numbers(where) else snapshot(where))
        build.check_cast(mask.dtype, BOOL, "safe")
        if not broadcasts_to(mask.shape, dst.shape):
            raise ShapeError(
                f"could not broadcast where mask from shape {text_of(mask.shape)} into shape "
                f"{text_of(dst.shape)}",
                origin=origin(),
            )
        mask = build.broadcast_to(mask, dst.shape)
        value = as_node(selection.where(wrap(mask), wrap(value), dst))
    dst._become(value)


def resized(x: LazyArray, new_shape: tuple[Any, ...], refcheck: Any) -> LazyArray:
    """Return the elements of an array, as they lie in memory, in another shape.

    Zeros fill it up. The result lies in the order of the array, too: C's or Fortran's.

    Parameters
    ----------
    x : LazyArray
        Input.
    new_shape : tuple
        The arguments of ``ndarray.resize``, which :func:`lazyarr.resize` is not: lengths or a
        shape. Nothing, or None, keeps the shape.
    refcheck : bool
        Without effect; a number in NumPy.

    Returns
    -------
    LazyArray
        Of that shape; elements that do not fit are left out.
    """
    operator.index(refcheck)
    if not new_shape or (len(new_shape) == 1 and new_shape[0] is None):
        return x
    shape = as_shape(new_shape[0] if len(new_shape) == 1 else new_shape)
    lies = layout(x)
    order = "F" if lies.f_contiguous and not lies.c_contiguous else "C"
    flat, missing = x.reshape(-1, order=order), prod(shape) - x.size
    if missing > 0:
        flat = concatenate([flat, zeros(missing, x.dtype)])
    return flat[: prod(shape)].reshape(shape, order=order)
