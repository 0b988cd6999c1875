"""Products of several matrices, and diagonals of matrices."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.builders import build
from lazyarr.core.axis_numbers import normalize_axis
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, MatrixError, ShapeError
from lazyarr.numpy_api import contraction, slicing
from lazyarr.numpy_api.gufuncs import check_aligned
from lazyarr.numpy_api.library_calls import call_library
from lazyarr.numpy_api.ufunc_arguments import store_product
from lazyarr.tracing import record_functions

__all__ = ["cross", "diagonal", "multi_dot", "outer", "trace"]


def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """Return the product of several matrices.

    Parameters
    ----------
    arrays : sequence of array_like
        At least two matrices; the first and the last may be vectors.
    out : ndarray or LazyArray, optional
        Takes the result.

    Returns
    -------
    LazyArray
        The product, multiplied in the order that takes the fewest operations.

    Raises
    ------
    ArgumentError
        If there are fewer than two, or `out` is no C array of the result's shape and dtype.
    MatrixError
        If an array in between is no matrix, or has another number of axes than one or two.
    """
    parts = [as_lazy(part) for part in arrays]
    if len(parts) < 2:
        raise ArgumentError("Expecting at least two arrays.", origin=origin())
    if len(parts) == 2:
        return contraction.dot(parts[0], parts[1], out)
    for place, part in enumerate(parts):
        # Only the first and the last may be vectors.
        if part.ndim != 2 and (part.ndim != 1 or 0 < place < len(parts) - 1):
            raise MatrixError(
                f"{part.ndim}-dimensional array given. Array must be two-dimensional",
                origin=origin(),
            )
    shapes = [part.shape for part in parts]
    shapes[0] = (1, *shapes[0])[-2:]
    shapes[-1] = (*shapes[-1], 1)[:2]
    for one, two in itertools.pairwise(shapes):
        check_aligned(one, two)
    left = parts[0].shape[0] if parts[0].ndim == 2 else None
    right = parts[-1].shape[1] if parts[-1].ndim == 2 else None
    shape = tuple(n for n in (left, right) if n is not None)
    dtype = build.promote(*[part._node for part in parts])
    product = call_library("linalg.multi_dot", np.linalg.multi_dot, (parts,), shape, dtype)
    return store_product(product, out)


def diagonal(x: Any, /, *, offset: int = 0) -> LazyArray:
    """Return the diagonals of the matrices in the last two axes.

    Parameters
    ----------
    x : array_like
        Of shape (..., m, n).
    offset : int
        Columns to the right of the main diagonal; negative ones are rows below it.

    Returns
    -------
    LazyArray
        A view of `x`, of shape (..., k).
    """
    return slicing.diagonal(x, offset, -2, -1)


def outer(x1: Any, x2: Any, /) -> LazyArray:
    """Return the products of all pairs of elements of two vectors.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors of n and m elements.

    Returns
    -------
    LazyArray
        Of shape (n, m).

    Raises
    ------
    ShapeError
        If an operand is no vector; :func:`lazyarr.outer` takes others.
    """
    x, y = as_lazy(x1), as_lazy(x2)
    if x.ndim != 1 or y.ndim != 1:
        raise ShapeError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={x.ndim} and x2.ndim={y.ndim}.",
            origin=origin(),
        )
    return as_lazy(contraction.outer(x, y))


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> LazyArray:
    """Return the vector product of vectors of three components.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors of three components along the axis; they broadcast together.
    axis : int
        The axis of the components.

    Returns
    -------
    LazyArray
        Of the shape that the operands broadcast to.

    Raises
    ------
    ShapeError
        If there are not three components.
    """
    x, y = as_lazy(x1), as_lazy(x2)
    with build.located():
        lengths = [z.shape[normalize_axis(axis, z.ndim)] for z in (x, y)]
    if lengths != [3, 3]:
        raise ShapeError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{lengths[0]} and {lengths[1]} dimensional instead.",
            origin=origin(),
        )
    return contraction.cross(x, y, axis=axis)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> LazyArray:
    """Return the sums of the diagonals of the matrices in the last two axes.

    Parameters
    ----------
    x : array_like
        Of shape (..., m, n).
    offset : int
        Columns to the right of the main diagonal; negative ones are rows below it.
    dtype : dtype, optional
        In which to sum; default: that of `x`, and NumPy's default integer for narrower ones.

    Returns
    -------
    LazyArray
        Of shape (...).
    """
    return as_lazy(contraction.trace(x, offset, -2, -1, dtype))


record_functions(globals(), __all__, None, np.linalg)
