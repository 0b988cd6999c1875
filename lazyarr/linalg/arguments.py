"""Arguments of linear algebra: matrices, in the precision in which NumPy computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import MatrixError
from lazyarr.numpy_api.library_calls import tiny

__all__ = ["in_precision", "inexact", "matrices", "result_dtype"]


def matrices(a: Any, name: str, *, square: bool) -> LazyArray:
    """Return the argument of the function `name` as matrices in the last two axes.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).
    name : str
        The function's name in messages.
    square : bool
        Whether m must equal n.

    Returns
    -------
    LazyArray
        Of the same shape.

    Raises
    ------
    MatrixError
        If there are fewer than two axes, or the matrices are not square and must be.
    """
    x = as_lazy(a)
    if x.ndim < 2:
        raise MatrixError(
            f"{x.ndim}-dimensional array given. Array must be at least two-dimensional",
            origin=origin(),
        )
    if square and x.shape[-1] != x.shape[-2]:
        raise MatrixError(
            f"Last 2 dimensions of the array must be square: {name} got {x.shape}",
            origin=origin(),
        )
    return x


def result_dtype(
    function: Callable[..., Any], *arrays: LazyArray, **keywords: Any
) -> np.dtype[Any]:
    """Return the dtype of the result of a function of NumPy's for matrices.

    Parameters
    ----------
    function : callable
        Of numpy.linalg.
    arrays : LazyArray
        Its arrays, of which only the dtypes matter.
    keywords : object
        Its keywords.
    """
    small = [tiny(x.dtype, 1, 1) for x in arrays]
    result: np.dtype[Any] = np.asarray(function(*small, **keywords)).dtype
    return result


def in_precision(x: LazyArray, dtype: np.dtype[Any]) -> LazyArray:
    """Return `x` in the precision in which NumPy would compute a result of `dtype`.

    Parameters
    ----------
    x : LazyArray
        The function's argument.
    dtype : numpy.dtype
        Of NumPy's result for that argument.

    Returns
    -------
    LazyArray
        In `dtype`, or in the complex dtype of that precision if `x` is complex and `dtype` real.
    """
    widens = kind_of(x.dtype) == "c" and kind_of(dtype) != "c"
    wide = np.dtype(dtype.char.upper()) if widens else dtype
    return x if x.dtype == wide else x.astype(wide)


def inexact(x: Any) -> LazyArray:
    """Return an array of floating-point numbers."""
    array = as_lazy(x)
    return array if kind_of(array.dtype) in "fc" else array.astype(np.float64)
