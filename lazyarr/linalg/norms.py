"""Norms, ranks and condition numbers: sums over elements and over singular values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.builders import build
from lazyarr.core.shapes import normalize_axes
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.linalg.arguments import inexact, matrices, result_dtype
from lazyarr.linalg.decompositions import svdvals
from lazyarr.numpy_api import movement, reductions
from lazyarr.numpy_api.ufunc_arguments import call_library
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
    made = inexact(x)
    axes = reductions.axes_of(axis, made.ndim)
    if ord is None or (ord == 2 and len(axes) == 1):
        if axis is not None and len(axes) > 2:
            raise ShapeError("Improper number of dimensions to norm.", origin=origin())
        return vector_norm(made, axis=axes, keepdims=keepdims)
    if len(axes) == 1:
        return vector_norm(made, axis=axes, keepdims=keepdims, ord=ord)
    if len(axes) != 2:
        raise ShapeError("Improper number of dimensions to norm.", origin=origin())
    pair = tuple(axis) if axis is not None else (0, 1)
    return _matrix_norm(made, pair, keepdims, ord)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> LazyArray:
    """Return ``sum(abs(x)**ord)**(1/ord)`` over axes; `ord` may be 0 or infinite."""
    made = inexact(x)
    options = {"axis": axis, "keepdims": keepdims}
    found: LazyArray
    if isinstance(ord, str):
        raise ArgumentError(f"Invalid norm order {ord!r} for vectors", origin=origin())
    if ord == 2:
        if made.dtype.kind == "c":
            squares = made.real * made.real + made.imag * made.imag
        else:
            squares = made * made
        found = reductions.sum(squares, **options) ** 0.5
        return found
    size = abs(made)
    if ord == float("inf"):
        found = reductions.max(size, **options)
    elif ord == float("-inf"):
        found = reductions.min(size, **options)
    elif ord == 0:
        found = reductions.sum((size != 0).astype(size.dtype), **options)
    elif ord == 1:
        found = reductions.sum(size, **options)
    else:
        found = reductions.sum(size**ord, **options) ** (1.0 / ord)
    return found


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> LazyArray:
    """Return a norm of the matrices in the last two axes."""
    return _matrix_norm(inexact(x), (-2, -1), keepdims, ord)


def _matrix_norm(x: LazyArray, axis: Any, keepdims: bool, ord: Any) -> LazyArray:
    with build.located():
        axes = normalize_axes(axis, x.ndim)
    rows, columns = (k % x.ndim for k in axis)
    if ord is None or ord == "fro":
        return vector_norm(x, axis=axes, keepdims=keepdims)
    found: LazyArray
    if ord in (1, -1, float("inf"), float("-inf")):
        inside, outside = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = reductions.sum(abs(x), axis=inside, keepdims=True)
        pick = reductions.max if ord > 0 else reductions.min
        found = pick(sums, axis=outside, keepdims=True)
    elif ord in (2, -2, "nuc"):
        values = svdvals(movement.moveaxis(x, (rows, columns), (-2, -1)))
        picks: dict[Any, Callable[..., Any]] = {
            2: reductions.max,
            -2: reductions.min,
            "nuc": reductions.sum,
        }
        found = movement.expand_dims(picks[ord](values, axis=-1), axes)
    else:
        raise ArgumentError(f"Invalid norm order {ord!r} for matrices", origin=origin())
    return found if keepdims else movement.squeeze(found, axes)


def matrix_rank(
    A: Any,  # noqa: N803 - NumPy's name
    tol: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> LazyArray:
    """Return the ranks of matrices, by the number of singular values above a tolerance."""
    x = asarray(A)
    if x.ndim < 2:
        return reductions.any(x != 0).astype(np.int64)  # type: ignore[no-any-return]
    if tol is not None and rtol is not None:
        raise ArgumentError("`tol` and `rtol` can't be both set.", origin=origin())
    if hermitian or 0 in x.shape:
        options = {key: held for key, held in (("tol", tol), ("rtol", rtol)) if held is not None}
        return call_library(
            "linalg.matrix_rank",
            np.linalg.matrix_rank,
            (x,),
            x.shape[:-2],
            np.int64,
            hermitian=hermitian,
            **options,
        )
    values = svdvals(x)
    if tol is None:
        share = max(x.shape[-2:]) * np.finfo(values.dtype).eps
        if rtol is not None:
            share = asarray(rtol)[..., None]
        least = reductions.max(values, axis=-1, keepdims=True) * share
    else:
        least = asarray(tol)[..., None]
    return reductions.sum(values > least, axis=-1, dtype=np.int64)  # type: ignore[no-any-return]


def cond(x: Any, p: Any = None) -> LazyArray:
    """Return the condition numbers of matrices."""
    made = matrices(x, "cond", square=p not in (None, 2, -2))
    dtype = result_dtype(np.linalg.cond, made, p=p)
    return call_library("linalg.cond", np.linalg.cond, (made,), made.shape[:-2], dtype, p=p)


record_functions(globals(), __all__)
