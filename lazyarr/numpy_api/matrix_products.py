"""Generalized ufuncs: products of matrices and vectors. BLAS computes them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, wrap
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.graph.node import Node
from lazyarr.numpy_api.gufuncs import GeneralizedUfunc, call_product
from lazyarr.numpy_api.library_calls import call_library

__all__ = [
    "GENERALIZED",
    "dot_of_matrices",
    "matmul",
    "matvec",
    "vecdot",
    "vecmat",
]


_NOTHING: Any = getattr(np, "_NoValue", None)


def matmul(
    x1: Any,
    x2: Any,
    /,
    out: Any = None,
    *,
    axes: Any = _NOTHING,
    axis: Any = _NOTHING,
    keepdims: bool = False,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any:
    """Return the matrix product over the last two axes.

    Parameters
    ----------
    x1, x2 : array_like
        Of shapes (..., n, k) and (..., k, m); a vector is a row or a column.
    out : ndarray or LazyArray, optional
        Takes the result on.
    axes : list of tuple of int, optional
        The matrix axes of both operands and of the result.
    casting : str
        Rule for conversions.
    dtype : dtype, optional
        To compute in.
    axis, keepdims, order, subok, signature
        As of NumPy's generalized ufuncs; the first two are refused, as NumPy does.

    Returns
    -------
    LazyArray
        Of shape (..., n, m), without the axes that vectors lack.

    Raises
    ------
    ShapeError
        If the inner sizes differ, or an operand is 0-d.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.matmul([[1, 2], [3, 4]], [1, 1]).compute()
    array([3, 7])
    """
    options = {"axes": axes, "axis": axis, "order": order, "subok": subok, "signature": signature}
    return _MATMUL(x1, x2, out, keepdims=keepdims, casting=casting, dtype=dtype, **options)


def _matmul(a: Node, b: Node) -> LazyArray:
    left = a.shape if a.ndim > 1 else (1, *a.shape)
    right = b.shape if b.ndim > 1 else (*b.shape, 1)
    with build.located():
        shape = broadcast_shapes(left[:-2], right[:-2])
    shape += (left[-2],) if a.ndim > 1 else ()
    shape += (right[-1],) if b.ndim > 1 else ()
    return call_library("matmul", np.matmul, (a, b), shape, a.dtype)


def dot_of_matrices(x: Node, y: Node) -> LazyArray:
    """Return the product of matrices with the bits of NumPy's ``dot``.

    Products of a column and a row of complex numbers differ in their last bits, and where there are
    infinities: BLAS computes them for ``dot``, with fused operations, and loops of NumPy's for
    ``matmul``.

    Parameters
    ----------
    x, y : Node
        Matrices of one dtype, of shapes (n, k) and (k, m).

    Returns
    -------
    LazyArray
        Of shape (n, m).
    """
    shape = (x.shape[0], y.shape[1])
    if kind_of(x.dtype) == "c" and x.shape[1] == 1 and 1 not in shape:
        if not (is_on_device(x) or is_on_device(y)):
            return call_product("dot", np.dot, (x, y), shape)
    product: LazyArray = matmul(wrap(x), wrap(y))
    return product


def vecdot(
    x1: Any,
    x2: Any,
    /,
    out: Any = None,
    *,
    axes: Any = _NOTHING,
    axis: Any = _NOTHING,
    keepdims: bool = False,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any:
    """Return the inner products of vectors, the first operand conjugated.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors along the last axes, or along `axis`.
    out : ndarray or LazyArray, optional
        Takes the result on.
    axes : list of tuple of int, optional
        The vectors' axes in both operands, and in the result if `keepdims`.
    axis : int, optional
        The vectors' axis in both operands.
    keepdims : bool
        Keep the axis, with length one.
    casting, order, dtype, subok, signature
        As of NumPy's generalized ufuncs.

    Returns
    -------
    LazyArray
        Without the axis.

    Raises
    ------
    ShapeError
        If the vectors differ in length, or an operand is 0-d.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.vecdot([[1, 2], [3, 4]], [1, 1], keepdims=True).compute()
    array([[3],
           [7]])
    """
    options = {"axes": axes, "axis": axis, "order": order, "subok": subok, "signature": signature}
    return _VECDOT(x1, x2, out, keepdims=keepdims, casting=casting, dtype=dtype, **options)


def matvec(
    x1: Any,
    x2: Any,
    /,
    out: Any = None,
    *,
    axes: Any = _NOTHING,
    axis: Any = _NOTHING,
    keepdims: bool = False,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any:
    """Return the products of matrices with vectors.

    Parameters
    ----------
    x1 : array_like
        Matrices, of shape (..., m, n).
    x2 : array_like
        Vectors, of shape (..., n).
    out, axes, casting, dtype
        As for :func:`lazyarr.matmul`.
    axis, keepdims, order, subok, signature
        As of NumPy's generalized ufuncs; the first two are refused, as NumPy does.

    Returns
    -------
    LazyArray
        Of shape (..., m).

    Raises
    ------
    ShapeError
        If the inner sizes differ, or an operand has too few axes.
    """
    options = {"axes": axes, "axis": axis, "order": order, "subok": subok, "signature": signature}
    return _MATVEC(x1, x2, out, keepdims=keepdims, casting=casting, dtype=dtype, **options)


def vecmat(
    x1: Any,
    x2: Any,
    /,
    out: Any = None,
    *,
    axes: Any = _NOTHING,
    axis: Any = _NOTHING,
    keepdims: bool = False,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
) -> Any:
    """Return the products of conjugated vectors with matrices.

    Parameters
    ----------
    x1 : array_like
        Vectors, of shape (..., n), which are conjugated.
    x2 : array_like
        Matrices, of shape (..., n, m).
    out, axes, casting, dtype
        As for :func:`lazyarr.matmul`.
    axis, keepdims, order, subok, signature
        As of NumPy's generalized ufuncs; the first two are refused, as NumPy does.

    Returns
    -------
    LazyArray
        Of shape (..., m).

    Raises
    ------
    ShapeError
        If the inner sizes differ, or an operand has too few axes.
    """
    options = {"axes": axes, "axis": axis, "order": order, "subok": subok, "signature": signature}
    return _VECMAT(x1, x2, out, keepdims=keepdims, casting=casting, dtype=dtype, **options)


def _conjugated(x: Node) -> LazyArray:
    return wrap(x).conj() if kind_of(x.dtype) == "c" else wrap(x)


def _vecdot(x: Node, y: Node) -> LazyArray:
    product = _matmul(_conjugated(x)[..., None, :]._node, wrap(y)[..., :, None]._node)
    return product[..., 0, 0]


def _matvec(x: Node, y: Node) -> LazyArray:
    return _matmul(x, wrap(y)[..., None]._node)[..., 0]


def _vecmat(x: Node, y: Node) -> LazyArray:
    return _matmul(_conjugated(x)[..., None, :]._node, y)[..., 0, :]


_MATMUL = GeneralizedUfunc("matmul", (2, 2, 2), _matmul)

_VECDOT = GeneralizedUfunc("vecdot", (1, 1, 0), _vecdot)

_MATVEC = GeneralizedUfunc("matvec", (2, 1, 1), _matvec)

_VECMAT = GeneralizedUfunc("vecmat", (1, 2, 1), _vecmat)

#: The functions of NumPy's generalized ufuncs, by name.
GENERALIZED: dict[str, Callable[..., Any]] = {
    "matmul": matmul,
    "matvec": matvec,
    "vecdot": vecdot,
    "vecmat": vecmat,
}


def _refused(name: str, method: str, kind: type[Exception], message: str) -> Callable[..., Any]:
    def refused(*_: Any, **__: Any) -> Any:
        raise kind(message)

    refused.__name__ = refused.__qualname__ = f"{name}.{method}"
    return refused


def _describe(function: Any, theirs: np.ufunc) -> None:
    """Give a function the attributes of a generalized ufunc; its methods refuse, as in NumPy."""
    for name in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
        setattr(function, name, getattr(theirs, name))
    function.resolve_dtypes = theirs.resolve_dtypes
    for method in ("reduce", "accumulate", "reduceat"):
        message = "Reduction not defined on ufunc with signature"
        setattr(function, method, _refused(theirs.__name__, method, RuntimeError, message))
    message = "method outer is not allowed in ufunc with non-trivial signature"
    function.outer = _refused(theirs.__name__, "outer", TypeError, message)
    message = f"{theirs.__name__}.at does not support ufunc with non-trivial signature: "
    message += f"{theirs.__name__} has signature {theirs.signature}."
    function.at = _refused(theirs.__name__, "at", TypeError, message)
    function.__signature__ = inspect.signature(function)


for _name, _function in GENERALIZED.items():
    _theirs = getattr(np, _name, None)
    if isinstance(_theirs, np.ufunc):  # some lack in old releases
        _describe(_function, _theirs)
