"""Norms, ranks and condition numbers: sums over elements and over singular values."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.builders import build
from lazyarr.core.axis_numbers import normalize_axes
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, MatrixError, ShapeError
from lazyarr.linalg.arguments import inexact, matrices, result_dtype
from lazyarr.linalg.decompositions import svdvals
from lazyarr.numpy_api import movement, reductions
from lazyarr.numpy_api.library_calls import call_library
from lazyarr.tracing import record_functions

__all__ = ["cond", "matrix_norm", "matrix_rank", "norm", "vector_norm"]


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> LazyArray:
    """Return a norm of vectors or matrices, as NumPy's `ord` names it.

    Parameters
    ----------
    x : array_like
        Input.
    ord : number or str, optional
        Default: the root of the sum of squares.
    axis : int or pair of int, optional
        Of the vectors or matrices; default: all.
    keepdims : bool
        Keep the axes, with length one.

    Returns
    -------
    LazyArray
        Real.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.linalg.norm([3.0, 4.0]).compute()
    array(5.)
    """
    array = inexact(x)
    axis = _axes_of_norm(axis)
    with build.located():
        axes = normalize_axes(axis, array.ndim)
    if axis == ():
        raise ShapeError("Improper number of dimensions to norm.", origin=origin())
    if ord is None or (ord == 2 and len(axes) == 1):
        if axis is not None and len(axes) > 2:
            raise ShapeError("Improper number of dimensions to norm.", origin=origin())
        if axis is None or len(axes) != 1:
            return vector_norm(array, axis=axes, keepdims=keepdims)
        ord = 2
    if len(axes) == 1:
        return vector_norm(array, axis=axes, keepdims=bool(operator.index(keepdims)), ord=ord)
    if len(axes) != 2:
        raise ShapeError("Improper number of dimensions to norm.", origin=origin())
    pair = tuple(axis) if axis is not None else (0, 1)
    return _matrix_norm(array, pair, keepdims, ord)


def _axes_of_norm(axis: Any) -> Any:
    """Return the axes of a norm, of which NumPy makes an integer unless there are several."""
    if axis is None or (isinstance(axis, tuple) and not any(isinstance(k, bool) for k in axis)):
        return axis
    try:
        return int(axis)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"'axis' must be None, an integer or a tuple of integers, got {axis!r}",
            origin=origin(),
        ) from None


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> LazyArray:
    """Return ``sum(abs(x)**ord)**(1/ord)`` over axes; `ord` may be 0 or infinite.

    Parameters
    ----------
    x : array_like
        Of any shape.
    axis : int or tuple of int, optional
        Axes of the vectors; default: all.
    keepdims : bool
        Keep the axes, with length one.
    ord : number
        0 counts the elements that are not zero; infinity and minus infinity are the largest and
        the smallest magnitude.

    Returns
    -------
    LazyArray
        Real.

    Raises
    ------
    ArgumentError
        If `ord` is a string.
    """
    array = inexact(x)
    with build.located():
        axes = normalize_axes(_axes_of_norm(axis), array.ndim)
        if keepdims:  # NumPy converts no text to a number then
            normalize_axes(axis, array.ndim)
    options = {"axis": axes, "keepdims": bool(keepdims)}
    length: LazyArray
    if isinstance(ord, str):
        raise ArgumentError(f"Invalid norm order {ord!r} for vectors", origin=origin())
    if ord is None or ord == 2:
        if kind_of(array.dtype) == "c":
            squares = array.real * array.real + array.imag * array.imag
        else:
            squares = array * array
        length = reductions.sum(squares, **options) ** 0.5
        return length
    size = abs(array)
    if ord == float("inf"):
        length = reductions.max(size, **options, initial=0)  # that of no elements
    elif ord == float("-inf"):
        length = reductions.min(size, **options)
    elif ord == 0:
        length = reductions.sum((size != 0).astype(size.dtype), **options)
    elif ord == 1:
        length = reductions.sum(size, **options)
    else:
        length = reductions.sum(size**ord, **options) ** (1.0 / ord)
    return length


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> LazyArray:
    """Return a norm of the matrices in the last two axes.

    Parameters
    ----------
    x : array_like
        Of shape (..., m, n).
    keepdims : bool
        Keep the last two axes, with length one.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}
        "fro": the root of the sum of squares. 1 and -1: the largest and the smallest sum of
        magnitudes of a column; infinity and minus infinity, of a row. 2 and -2: the largest and
        the smallest singular value; "nuc": their sum.

    Returns
    -------
    LazyArray
        Real, of shape (...).

    Raises
    ------
    ArgumentError
        If there is no such norm.
    """
    return _matrix_norm(inexact(x), (-2, -1), keepdims, ord)


#: Of magnitudes: that of none is zero.
_largest = functools.partial(reductions.max, initial=0)


def _matrix_norm(x: LazyArray, axis: Any, keepdims: bool, ord: Any) -> LazyArray:
    with build.located():
        axes = normalize_axes(axis, x.ndim)
    rows, columns = (k % x.ndim for k in axis)
    if ord in (None, "fro", "f"):
        return vector_norm(x, axis=axes, keepdims=keepdims)
    value: LazyArray
    if ord in (1, -1, float("inf"), float("-inf")):
        inside, outside = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = reductions.sum(abs(x), axis=inside, keepdims=True)
        pick = _largest if ord > 0 else reductions.min
        value = pick(sums, axis=outside, keepdims=True)
    elif ord in (2, -2, "nuc"):
        values = svdvals(movement.moveaxis(x, (rows, columns), (-2, -1)))
        picks: dict[Any, Callable[..., Any]] = {
            2: _largest,
            -2: reductions.min,
            "nuc": reductions.sum,
        }
        value = movement.expand_dims(picks[ord](values, axis=-1), axes)
    else:
        raise ArgumentError(f"Invalid norm order for matrices. Got {ord!r}", origin=origin())
    return value if keepdims else movement.squeeze(value, axes)


def matrix_rank(
    A: Any,  # noqa: N803 - NumPy's name
    tol: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> LazyArray:
    """Return the ranks of matrices, by the number of singular values above a tolerance.

    Parameters
    ----------
    A : array_like
        Of shape (..., m, n); a vector has rank 1, or 0 if all of it is zero.
    tol : array_like, optional
        Singular values up to this count as 0; default: the largest of them times `rtol`.
    hermitian : bool
        Whether the matrices are Hermitian, which is faster.
    rtol : array_like, optional
        Default: ``max(m, n)`` times the machine epsilon.

    Returns
    -------
    LazyArray
        Integers, of shape (...).

    Raises
    ------
    ArgumentError
        If both tolerances are passed.
    """
    if tol is not None and rtol is not None:
        raise ArgumentError("`tol` and `rtol` can't be both set.", origin=origin())
    x = as_lazy(A)
    if x.ndim < 2:
        return reductions.any(x != 0).astype(np.int64)  # type: ignore[no-any-return]
    if hermitian:
        x = matrices(x, "matrix_rank", square=True)
    if hermitian or 0 in x.shape:
        limits = (("tol", tol), ("rtol", rtol))
        options = {key: limit for key, limit in limits if limit is not None}
        return call_library(
            "linalg.matrix_rank",
            np.linalg.matrix_rank,
            (x,),
            broadcast_shapes(x.shape[:-2], *map(np.shape, options.values())),
            np.int64,
            hermitian=hermitian,
            **options,
        )
    values = svdvals(x)
    if tol is None:
        share = max(x.shape[-2:]) * np.finfo(values.dtype).eps
        if rtol is not None:
            share = as_lazy(rtol)[..., None]
        least = reductions.max(values, axis=-1, keepdims=True) * share
    else:
        least = as_lazy(tol)[..., None]
    return reductions.sum(values > least, axis=-1, dtype=np.int64)  # type: ignore[no-any-return]


def cond(x: Any, p: Any = None) -> LazyArray:
    """Return the condition numbers of matrices.

    Parameters
    ----------
    x : array_like
        Of shape (..., m, n), square unless `p` is 2, -2 or None.
    p : {None, 2, -2, 1, -1, inf, -inf, "fro", "nuc"}
        The norm, see :func:`matrix_norm`; None is 2.

    Returns
    -------
    LazyArray
        ``norm(x, p) * norm(inv(x), p)``, of shape (...); of the norm 2 the ratio of the largest
        and the smallest singular value.

    Raises
    ------
    MatrixError
        If the matrices have no elements.
    """
    array = matrices(x, "cond", square=p not in (None, 2, -2))
    if 0 in array.shape[-2:]:
        raise MatrixError("cond is not defined on empty arrays", origin=origin())
    dtype = result_dtype(np.linalg.cond, array, p=p)
    return call_library("linalg.cond", np.linalg.cond, (array,), array.shape[:-2], dtype, p=p)


record_functions(globals(), __all__, None, np.linalg)
