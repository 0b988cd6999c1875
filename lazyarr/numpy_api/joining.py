"""Functions that join arrays, or fill triangles and diagonals."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import WEAK
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, asarray, wrap
from lazyarr.builders import build
from lazyarr.core.axis_numbers import list_axes, normalize_axes, strict_axis
from lazyarr.core.shapes import View, expand_view, identity_view
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Node, node
from lazyarr.numpy_api.early_joins import are_many_in_memory, joined_now
from lazyarr.numpy_api.memory_order import along_memory
from lazyarr.numpy_api.movement import axis_of, expand_dims
from lazyarr.numpy_api.selection import where
from lazyarr.numpy_api.slicing import diagonal
from lazyarr.numpy_api.ufunc_arguments import store_into
from lazyarr.ops.movement import CONCATENATE, VIEW

__all__ = [
    "append",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "column_stack",
    "concat",
    "concatenate",
    "diag",
    "diagflat",
    "dstack",
    "hstack",
    "roll",
    "row_stack",
    "stack",
    "tril",
    "triu",
    "vstack",
]


def concatenate(
    arrays: Any,
    /,
    axis: Any = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Return arrays joined along an axis they have.

    Parameters
    ----------
    arrays : sequence of array_like
        Equal in shape but for `axis`.
    axis : int, optional
        None joins the flattened arrays.
    out : ndarray or LazyArray, optional
        Takes the result on.
    dtype : dtype, optional
        Default: the promotion of the dtypes.
    casting : str
        Rule for the conversion to `dtype`.

    Returns
    -------
    LazyArray
        When evaluated, each part is written straight into its place.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or there is no array.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.concatenate([[1, 2], [3]]).compute()
    array([1, 2, 3])
    """
    parts = list(arrays if isinstance(arrays, (list, tuple)) else as_lazy(arrays))
    if out is None and dtype is None and casting == "same_kind" and are_many_in_memory(parts):
        joined = joined_now(np.concatenate, parts, axis)
        if joined is not None:
            return joined
    nodes = [as_node(part) for part in parts]
    # Among flattened operands a number of Python's takes the dtype of the others.
    operands = [part if type(part) in WEAK and axis is None else as_node(part) for part in parts]
    if not nodes:
        raise ShapeError("need at least one array to concatenate", origin=origin())
    if axis is None:
        nodes = [build.reshape(x, (x.size,)) for x in nodes]
        axis = 0
    if not nodes[0].shape:
        raise ShapeError("zero-dimensional arrays cannot be concatenated", origin=origin())
    with build.located():
        at = strict_axis(axis, nodes[0].ndim)
    if out is not None:
        if dtype is not None:
            raise ArgumentError(
                "concatenate() only takes `out` or `dtype` as an argument, but both were provided.",
                origin=origin(),
            )
        dtype = getattr(out, "dtype", None)
    common = build.promote(*operands) if dtype is None else build.as_dtype(dtype)
    if dtype is not None or casting != "same_kind":
        for x in nodes:
            build.check_cast(x.dtype, common, casting)
            build.warn_of_discarding(x.dtype, common)
    nodes = [build.cast(x, common) for x in nodes]
    joined = wrap(along_memory(nodes, (at,), _joined))
    if out is not None and getattr(out, "shape", joined.shape) != joined.shape:
        raise ShapeError(
            f"Output array is the wrong shape: {out.shape} for {joined.shape}", origin=origin()
        )
    return store_into(joined, out, casting)


concat = concatenate


def _joined(nodes: Sequence[Node], axes: Sequence[int]) -> Node:
    return build.concatenate(list(nodes), *axes)


def _sequence(arrays: Any) -> Any:
    """Return arrays to join, which have to be a sequence; an iterator is refused."""
    if not hasattr(arrays, "__getitem__"):
        raise DTypeError(
            'arrays to stack must be passed as a "sequence" type such as list or tuple.',
            origin=origin(),
        )
    return arrays


def stack(
    arrays: Any,
    axis: int = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Return arrays of one shape joined along a new axis.

    Parameters
    ----------
    arrays : sequence of array_like
        Of one shape.
    axis : int
        The position of the new axis in the result.
    out : ndarray or LazyArray, optional
        Takes the result on.
    dtype : dtype, optional
        Default: the promotion of the dtypes.
    casting : str
        Rule for the conversion to `dtype`.

    Returns
    -------
    LazyArray
        With one more axis, as long as there are arrays.

    Raises
    ------
    ShapeError
        If the shapes differ, or there is no array.
    """
    parts = [as_lazy(part) for part in _sequence(arrays)]
    if not parts:
        raise ShapeError("need at least one array to stack", origin=origin())
    if any(part.shape != parts[0].shape for part in parts):
        raise ShapeError(
            f"all input arrays must have the same shape, got {[p.shape for p in parts]}",
            origin=origin(),
        )
    at = axis_of(axis, parts[0].ndim + 1)
    if out is None and dtype is None and casting == "same_kind":
        joined = joined_now(np.stack, parts, at) if are_many_in_memory(parts) else None
        if joined is not None:
            return joined
        return _stacked([part._node for part in parts], at)
    expanded = [expand_dims(part, at) for part in parts]
    return concatenate(expanded, axis=at, out=out, dtype=dtype, casting=casting)


def _stacked(nodes: Sequence[Node], axis: int) -> LazyArray:
    """Return values of one shape joined along a new axis, as `concatenate` would."""
    shape = nodes[0].shape
    expanded = (*shape[:axis], 1, *shape[axis:])
    index_map = expand_view(shape, expanded)
    common = build.promote(*nodes)
    values = [build.cast(x, common) for x in nodes]
    if index_map is not None:
        values = [build.view(x, index_map, expanded) for x in values]
    # The axes of joined vectors have no other order.
    whole = along_memory(values, (axis,), _joined) if len(shape) > 1 else _joined(values, (axis,))
    return wrap(whole)


def _at_least(x: Any, ndim: int) -> LazyArray:
    array = asarray(x)
    if array.ndim >= ndim:
        return array
    if ndim == 3:
        shapes_by_ndim: dict[int, tuple[int, ...]] = {
            0: (1, 1, 1),
            1: (1, *array.shape, 1),
            2: (*array.shape, 1),
        }
        return array.reshape(shapes_by_ndim[array.ndim])
    return array.reshape((1,) * (ndim - array.ndim) + array.shape)


def _each_at_least(arrays: tuple[Any, ...], ndim: int) -> Any:
    results = tuple(_at_least(x, ndim) for x in arrays)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys: Any) -> Any:
    """Return the arrays with at least one axis."""
    return _each_at_least(arys, 1)


def atleast_2d(*arys: Any) -> Any:
    """Return the arrays with at least two axes."""
    return _each_at_least(arys, 2)


def atleast_3d(*arys: Any) -> Any:
    """Return the arrays with at least three axes."""
    return _each_at_least(arys, 3)


def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> LazyArray:
    """Return arrays joined along the first axis, vectors as rows.

    Parameters
    ----------
    tup : sequence of array_like
        Equal in shape but for the first axis; a vector is one row.
    dtype : dtype, optional
        Default: the promotion of the dtypes.
    casting : str
        Rule for the conversion to `dtype`.

    Returns
    -------
    LazyArray
        With at least two axes.
    """
    parts = [_at_least(as_lazy(x), 2) for x in _sequence(tup)]
    return as_lazy(concatenate(parts, axis=0, dtype=dtype, casting=casting))


def row_stack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> LazyArray:
    """Return :func:`vstack` of the arguments; deprecated, as in NumPy."""
    text = "`row_stack` alias is deprecated. Use `np.vstack` directly."
    warn_user(text, DeprecationWarning)
    return vstack(tup, dtype=dtype, casting=casting)


def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> LazyArray:
    """Return arrays joined along the second axis, vectors along their only one.

    Parameters
    ----------
    tup, dtype, casting
        As for :func:`lazyarr.vstack`; vectors stay vectors.
    """
    parts = [_at_least(as_lazy(x), 1) for x in _sequence(tup)]
    axis = 0 if parts and parts[0].ndim == 1 else 1
    return as_lazy(concatenate(parts, axis=axis, dtype=dtype, casting=casting))


def dstack(tup: Any) -> LazyArray:
    """Return arrays joined along the third axis."""
    return as_lazy(concatenate([_at_least(as_lazy(x), 3) for x in _sequence(tup)], axis=2))


def column_stack(tup: Any) -> LazyArray:
    """Return vectors as the columns of a matrix, matrices side by side."""
    parts = [as_lazy(x) for x in _sequence(tup)]
    return as_lazy(concatenate([x.reshape((-1, 1)) if x.ndim < 2 else x for x in parts], axis=1))


def append(arr: Any, values: Any, axis: Any = None) -> LazyArray:
    """Return `values` joined to the end of `arr`.

    Parameters
    ----------
    arr, values : array_like
        Equal in shape but for `axis`.
    axis : int, optional
        Default: both are flattened.

    Returns
    -------
    LazyArray
        A new array; neither argument changes.
    """
    if axis is None:
        return as_lazy(concatenate([as_lazy(arr).ravel(), as_lazy(values).ravel()]))
    return as_lazy(concatenate([arr, values], axis=axis))


def roll(a: Any, shift: Any, axis: Any = None) -> LazyArray:
    """Return `a` with elements moved along axes, those that leave coming back in front.

    Parameters
    ----------
    a : array_like
        Input.
    shift : int or tuple of int
        Number of places, for each axis.
    axis : int or tuple of int, optional
        Default: the flattened array, back in shape.

    Returns
    -------
    LazyArray
        A concatenation of slices. Several of one array, by few places, are read from one copy of it
        with a halo.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.roll(la.arange(5), 2).compute()
    array([3, 4, 0, 1, 2])
    """
    x = as_lazy(a)
    if axis is None:
        if x.ndim == 1 and type(shift) is int:
            return wrap(_rolled(shift, (x._node,), (0,)))
        if not x.size:
            list(_pairs(shift, 0, 1))  # it refuses what are no numbers
            return x.copy()
        return roll(x.reshape(-1), shift, 0).reshape(x.shape)
    if not x.ndim:
        with build.located():
            normalize_axes(axis, 0)
        raise ArgumentError("a 0-d array cannot be rolled along an axis", origin=origin())
    pairs = [(shift, axis)] if type(shift) is int and type(axis) is int else ()
    rolled = x._node
    for by, along in pairs or _pairs(shift, axis, x.ndim):
        moved = partial(_rolled, by)
        rolled = along_memory((rolled,), (axis_of(along, x.ndim),), moved)
    return wrap(rolled)


def _pairs(shift: Any, axis: Any, ndim: int) -> Iterable[tuple[int, int]]:
    """Return the axes that are rolled, each behind its number of places."""
    if type(shift) is tuple and type(axis) is tuple and len(shift) == len(axis):
        if all([type(number) is int for number in shift + axis]):  # noqa: C419 - faster
            return zip(shift, axis, strict=True)
    named = np.asarray([axis_of(place, ndim) for place in list_axes(axis)], np.int64)
    shifts, axes = np.broadcast_arrays(np.asarray(shift), named)
    if shifts.ndim > 1:
        raise ArgumentError("'shift' and 'axis' should be scalars or 1D sequences", origin=origin())
    places = map(int, shifts.reshape(-1).tolist())
    return zip(places, axes.reshape(-1).tolist(), strict=True)


def _rolled(by: int, operands: Sequence[Node], axes: Sequence[int]) -> Node:
    """Return an array rolled along one axis: its end, then its beginning."""
    (x,), (axis,) = operands, axes
    shape = x.shape
    size = shape[axis]
    places = by % size if size else 0
    if not places or 0 in shape:
        return x
    halves, line = _halves(shape, axis, size - places), origin()
    if x.op is VIEW:
        parts = [build.view(x, *part) for part in halves]
    else:
        parts = [node(VIEW, (x,), x.dtype, part, index_map, line) for index_map, part in halves]
    return node(CONCATENATE, tuple(parts), x.dtype, shape, axis, line)


@lru_cache(1024)
def _halves(
    shape: tuple[int, ...], axis: int, cut: int
) -> tuple[tuple[View, tuple[int, ...]], ...]:
    """Return the views of the parts of an axis after and before a position."""
    parts = []
    for start, length in ((cut, shape[axis] - cut), (0, cut)):
        starts, part = [0] * len(shape), list(shape)
        starts[axis], part[axis] = start, length
        index_map = View(tuple(starts), identity_view(len(shape)).coefficients)
        parts.append((index_map, tuple(part)))
    return tuple(parts)


def diag(v: Any, k: int = 0) -> LazyArray:
    """Return a diagonal of a matrix, or a matrix with a vector on its diagonal.

    Parameters
    ----------
    v : array_like
        A matrix or a vector.
    k : int
        The diagonal: 0 is the main one, above it is positive.

    Returns
    -------
    LazyArray
        Of a matrix a view, as :func:`lazyarr.diagonal` returns it; of n elements a matrix of ``n
        + abs(k)`` rows.
    """
    x = as_lazy(v)
    if x.ndim == 2:
        return diagonal(v, k)
    if x.ndim != 1:
        raise ShapeError("Input must be 1- or 2-d.", origin=origin())
    size = x.shape[0] + abs(k := operator.index(k))
    padded = _padded(x, max(k, 0), max(-k, 0))
    row, column = wrap(build.iota(size))[:, None], wrap(build.iota(size))[None, :]
    return as_lazy(where(row + k == column, padded[None, :], wrap(build.constant(0, x.dtype))))


def _padded(x: LazyArray, before: int, after: int) -> LazyArray:
    parts = [build.filled(0, x.dtype, (before,)), x._node, build.filled(0, x.dtype, (after,))]
    return wrap(build.concatenate(parts, 0))


def diagflat(v: Any, k: int = 0) -> LazyArray:
    """Return a matrix with the flattened input on a diagonal.

    Parameters
    ----------
    v : array_like
        Of n elements in any shape.
    k : int
        As for :func:`lazyarr.diag`.
    """
    return diag(as_lazy(v).ravel(), k)


def _triangle(m: Any, k: Any, lower: bool) -> LazyArray:
    x = as_lazy(m)
    if x.ndim < 1:
        raise ShapeError("tril and triu need an array of at least 1 dimension", origin=origin())
    rows, columns = x.shape[-2:] if x.ndim > 1 else (x.shape[0], x.shape[0])
    below: LazyArray
    if isinstance(k, (float, np.floating)):  # NumPy rounds the numbers of columns
        diagonal: Any = k if lower else k - 1
        known = np.tri(rows, columns, diagonal, bool)
        below = as_lazy(known if lower else ~known)
    elif isinstance(k, (list, tuple, str)):
        operation = "bad operand type for unary -" if lower else "an integer is required"
        raise DTypeError(f"{operation}: {type(k).__name__!r}", origin=origin())
    else:
        row, column = wrap(build.iota(rows))[:, None], wrap(build.iota(columns))
        below = row + k >= column if lower else row + k <= column
    return as_lazy(where(below, x, wrap(build.constant(0, x.dtype))))


def tril(m: Any, k: int = 0) -> LazyArray:
    """Return `m` with zeros above the k-th diagonal of its last two axes.

    Parameters
    ----------
    m : array_like
        With at least one axis; a vector stands for a matrix of equal rows.
    k : int
        The diagonal: 0 is the main one, above it is positive.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `m`.
    """
    return _triangle(m, k, lower=True)


def triu(m: Any, k: int = 0) -> LazyArray:
    """Return `m` with zeros below the k-th diagonal of its last two axes.

    Parameters
    ----------
    m, k
        As for :func:`lazyarr.tril`.
    """
    return _triangle(m, k, lower=False)
