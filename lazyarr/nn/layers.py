"""Layers without a layout of space or time: products, tables, random masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.nn.arguments import (
    FLOAT64,
    expect_shape,
    fraction,
    inexact,
    match_dtype,
    taken_rows,
)
from lazyarr.numpy_api import matrix_products, selection
from lazyarr.random import Generator
from lazyarr.tracing import record_functions

__all__ = ["dropout", "embedding", "linear"]


def linear(x: Any, weight: Any, bias: Any = None) -> LazyArray:
    """Return ``x @ weight + bias``.

    Parameters
    ----------
    x : array_like
        Of shape (..., inputs).
    weight : array_like
        Of shape (inputs, outputs).
    bias : array_like, optional
        Of shape (outputs,).

    Returns
    -------
    LazyArray
        Of shape (..., outputs).

    Raises
    ------
    ShapeError
        If the shapes do not fit.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.linear([1.0, 2.0], [[1.0], [1.0]], [0.5]).compute()
    array([3.5])
    """
    array, matrix = inexact(x, "linear"), inexact(weight, "linear")
    if array.ndim < 1 or matrix.ndim != 2 or array.shape[-1] != matrix.shape[0]:
        raise ShapeError(
            f"linear: x of shape {array.shape} and weight of shape {matrix.shape}, expected "
            "(..., inputs) and (inputs, outputs)",
            origin=origin(),
        )
    rows = array if array.ndim <= 2 else array.reshape(-1, array.shape[-1])
    product = as_lazy(matrix_products.matmul(rows, matrix))
    if bias is not None:
        offset = inexact(bias, "linear")
        expect_shape(offset, matrix.shape[1:], "bias", "the number of outputs")
        product = product + offset
    return product.reshape(array.shape[:-1] + matrix.shape[1:])


def embedding(indices: Any, table: Any) -> LazyArray:
    """Return rows of a table.

    Parameters
    ----------
    indices : array_like of int
        Of any shape: numbers of rows.
    table : array_like
        Of shape (rows, features).

    Returns
    -------
    LazyArray
        Of shape ``(*indices.shape, features)``, and the dtype of `table`.

    Raises
    ------
    IndexingError
        If an index is negative or not below the number of rows: at once for indices in memory,
        otherwise when the result is evaluated.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.embedding([1, 0], [[0.0, 1.0], [2.0, 3.0]]).compute()
    array([[2., 3.],
           [0., 1.]])
    """
    rows = as_lazy(table)
    if rows.ndim != 2:
        raise ShapeError(f"table must have 2 axes, got shape {rows.shape}", origin=origin())
    return taken_rows(rows, as_lazy(indices), "indices", "rows")


def dropout(x: Any, rate: float, rng: Generator, *, training: bool = True) -> LazyArray:
    """Return `x` with elements set to zero at random, and the others scaled to keep the mean.

    Parameters
    ----------
    x : array_like
        Of any shape.
    rate : float
        Probability in [0, 1) with which an element becomes zero; the others are divided by
        ``1 - rate``.
    rng : lazyarr.random.Generator
        Gives the random bits, in the kernel that uses them: no mask is stored, and the backward
        pass draws the same numbers again.
    training : bool
        Otherwise `x` itself is the result.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.

    Raises
    ------
    ArgumentError
        If `rate` is not in [0, 1), or `rng` is no generator of :mod:`lazyarr.random`.

    References
    ----------
    Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov: Dropout, 2014.

    Examples
    --------
    >>> import lazyarr as la
    >>> y = la.nn.dropout(la.ones(1000), 0.5, la.random.default_rng(0)).compute()
    >>> sorted(set(y.tolist())), 400 < (y == 0).sum() < 600
    ([0.0, 2.0], np.True_)
    """
    array = inexact(x, "dropout")
    probability = fraction(rate, "rate", closed=False)
    if not isinstance(rng, Generator):
        raise ArgumentError(
            f"rng must be a generator of lazyarr.random, got {type(rng).__name__}",
            origin=origin(),
            hint="lazyarr.random.default_rng(seed)",
        )
    if not training or not probability:
        return array
    wide = array.dtype == FLOAT64
    drawn = rng.random(array.shape, dtype=np.float64 if wide else np.float32)
    scaled = array * (1 / (1 - probability))
    return match_dtype(as_lazy(selection.where(drawn >= probability, scaled, 0)), array.dtype)


record_functions(globals(), __all__)
