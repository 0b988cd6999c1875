"""What linear algebra takes: matrices, in the precision in which NumPy computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.core.source_location import origin
from lazyarr.errors import MatrixError
from lazyarr.numpy_api.ufunc_arguments import tiny

__all__ = ["in_precision", "inexact", "matrices", "result_dtype"]


def matrices(a: Any, name: str, *, square: bool) -> LazyArray:
    """Return the argument of the function `name` as matrices in the last two axes."""
    x = asarray(a)
    if x.ndim < 2:
        raise MatrixError(
            f"{name}: {x.ndim}-dimensional array given. Array must be at least two-dimensional",
            origin=origin(),
        )
    if square and x.shape[-1] != x.shape[-2]:
        raise MatrixError(
            f"{name}: last 2 dimensions of the array must be square, got {x.shape}",
            origin=origin(),
        )
    return x


def result_dtype(
    function: Callable[..., Any], *arrays: LazyArray, **keywords: Any
) -> np.dtype[Any]:
    """Return the dtype of what a function of NumPy's makes of matrices."""
    small = [tiny(x.dtype, 1, 1) for x in arrays]
    return np.asarray(function(*small, **keywords)).dtype


def in_precision(x: LazyArray, dtype: np.dtype[Any]) -> LazyArray:
    """Return `x` in the precision in which NumPy would compute a result of `dtype`."""
    wide = np.dtype(dtype.char.upper()) if x.dtype.kind == "c" and dtype.kind != "c" else dtype
    return x if x.dtype == wide else x.astype(wide)


def inexact(x: Any) -> LazyArray:
    """Return an array of floating-point numbers."""
    made = asarray(x)
    return made if made.dtype.kind in "fc" else made.astype(np.float64)
