"""Products that sum over axes: matmul, einsum, tensordot and their kin. BLAS does them."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import check_order
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, wrap
from lazyarr.builders import build
from lazyarr.core.axis_numbers import normalize_axis
from lazyarr.core.numpy_releases import CROSSES_PLANE_VECTORS
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.einsum import check_out, contract, is_view, parse, view_of
from lazyarr.numpy_api.gufuncs import call_product, check_aligned, nodes_of_product, scaled, widened
from lazyarr.numpy_api.index_modes import overlap_mode
from lazyarr.numpy_api.joining import stack
from lazyarr.numpy_api.matrix_products import dot_of_matrices, matmul
from lazyarr.numpy_api.memory_order import in_order
from lazyarr.numpy_api.movement import axis_of, moveaxis, transpose
from lazyarr.numpy_api.slicing import diagonal
from lazyarr.numpy_api.ufunc_arguments import store_into, store_product

__all__ = [
    "convolve",
    "correlate",
    "cross",
    "dot",
    "einsum",
    "inner",
    "kron",
    "outer",
    "tensordot",
    "trace",
    "vdot",
]


def _promoted(*arrays: Any, dtype: Any = None) -> list[Node]:
    nodes = [as_node(x) for x in arrays]
    common = build.promote(*nodes) if dtype is None else build.as_dtype(dtype)
    return [build.cast(x, common) for x in nodes]


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Return the product over the last axis of `a` and the second to last of `b`.

    As in NumPy: an inner product of vectors, a matrix product of matrices, a plain product if
    either operand is 0-d.

    Parameters
    ----------
    a, b : array_like
        Operands. The last axis of `a` and the second to last of `b`, or the only one of a vector,
        have the same size.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Returns
    -------
    LazyArray
        Of shape ``a.shape[:-1] + b.shape[:-2] + b.shape[-1:]``; not conjugated.

    Raises
    ------
    ShapeError
        If the sizes of these axes differ.
    """
    x, y = nodes_of_product(a, b)
    if not x.shape or not y.shape:
        return store_product(in_order(scaled(x, y), "C"), out)
    check_aligned(x.shape, y.shape)
    if x.ndim == 2 and y.ndim == 2:
        return store_product(dot_of_matrices(*_promoted(wrap(x), wrap(y))), out)
    if x.ndim <= 2 and y.ndim <= 2:
        return store_product(matmul(wrap(x), wrap(y)), out)
    x, y = _promoted(wrap(x), wrap(y))
    rest = y.shape[:-2] + y.shape[-1:] if y.ndim > 1 else ()
    return store_product(call_product("dot", np.dot, (x, y), x.shape[:-1] + rest), out)


def vdot(a: Any, b: Any, /) -> LazyArray:
    """Return the inner product of the flattened arrays, the first one conjugated.

    Parameters
    ----------
    a, b : array_like
        Of as many elements, in any shapes.

    Returns
    -------
    LazyArray
        0-d: ``sum(conj(a) * b)``.

    Raises
    ------
    ShapeError
        If the numbers of elements differ.
    """
    x, y = (wrap(operand).reshape(-1) for operand in nodes_of_product(a, b))
    if x.shape != y.shape:
        text = f"cannot reshape array of size {y.size} into shape ({x.size},)"
        raise ShapeError(text, origin=origin())
    return call_product("vdot", np.vdot, _promoted(x, y), ())


def inner(a: Any, b: Any, /) -> LazyArray:
    """Return the product over the last axes of both arrays.

    Parameters
    ----------
    a, b : array_like
        Operands; their last axes have the same size. A 0-d operand multiplies the other one.

    Returns
    -------
    LazyArray
        Of shape ``a.shape[:-1] + b.shape[:-1]``; not conjugated.

    Raises
    ------
    ShapeError
        If the sizes of the last axes differ.
    """
    x, y = nodes_of_product(a, b)
    if not x.shape or not y.shape:
        return as_lazy(in_order(scaled(x, y), "C"))
    check_aligned(x.shape, y.shape[:-2] + y.shape[:-3:-1])
    x, y = _promoted(wrap(x), wrap(y))
    if x.ndim == 1 and y.ndim == 1:
        return as_lazy(matmul(wrap(x), wrap(y)))
    return wrap(_contracted(x, y, [x.ndim - 1], [y.ndim - 1]))


def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Return all products of elements of two flattened arrays: a broadcast multiplication.

    Parameters
    ----------
    a, b : array_like
        Of m and n elements, in any shapes.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Returns
    -------
    LazyArray
        Of shape (m, n); not conjugated.
    """
    x, y = as_lazy(a).reshape(-1), as_lazy(b).reshape(-1)
    return store_into(x[:, None] * y[None, :], out, ufunc="multiply")


def tensordot(a: Any, b: Any, axes: Any = 2) -> LazyArray:
    """Return the product summed over several axes.

    Parameters
    ----------
    a, b : array_like
        Operands.
    axes : int or pair of sequences of int
        How many last axes of `a` and first axes of `b`, or which of each.

    Returns
    -------
    LazyArray
        The axes of `a` that are left, then those of `b`.

    Raises
    ------
    ShapeError
        If the sizes of the axes differ.
    """
    x, y = _promoted(a, b)
    if isinstance(axes, Iterable) and not (isinstance(axes, np.ndarray) and not axes.ndim):
        first, second = axes
        lefts = list(first) if isinstance(first, Iterable) else [first]
        rights = list(second) if isinstance(second, Iterable) else [second]
    else:
        count = operator.index(axes)
        lefts, rights = list(range(-count, 0)), list(range(count))
    if len(lefts) != len(rights):
        raise ShapeError("shape-mismatch for sum: different numbers of axes", origin=origin())
    with build.located():
        lefts = [normalize_axis(axis, x.ndim) for axis in lefts]
        rights = [normalize_axis(axis, y.ndim) for axis in rights]
    if any(x.shape[m] != y.shape[n] for m, n in zip(lefts, rights, strict=True)):
        raise ShapeError(
            f"shape-mismatch for sum: {x.shape} over {lefts}, {y.shape} over {rights}",
            origin=origin(),
        )
    return wrap(_contracted(x, y, lefts, rights))


def _contracted(x: Node, y: Node, lefts: list[int], rights: list[int]) -> Node:
    """Return the product summed over pairs of axes, as one product of matrices.

    Arranging the operands is left to kernels, which do so in the pass that computes them, and
    the product is written straight to its place.
    """
    left_free = [k for k in range(x.ndim) if k not in lefts]
    right_free = [k for k in range(y.ndim) if k not in rights]
    count = prod(x.shape[k] for k in lefts)
    rows = prod(x.shape[k] for k in left_free)
    columns = prod(y.shape[k] for k in right_free)
    left = build.reshape(as_node(transpose(wrap(x), left_free + lefts)), (rows, count))
    right = build.reshape(as_node(transpose(wrap(y), rights + right_free)), (count, columns))
    product = as_node(dot_of_matrices(left, right))
    shape = tuple(x.shape[k] for k in left_free) + tuple(y.shape[k] for k in right_free)
    return build.reshape(product, shape)


def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: Any = "safe",
    optimize: Any = True,
) -> Any:
    """Return a sum of products in Einstein's notation.

    Parameters
    ----------
    *operands : str and array_like
        Subscripts such as ``"ij,jk->ik"`` and the arrays; the form with lists of axis numbers
        works too.
    out : ndarray or LazyArray, optional
        Takes the result on.
    dtype : dtype, optional
        To compute in.
    order : {"C", "F", "A", "K"}
        Of the result in memory; "A" is "F" if all operands lie in Fortran order.
    casting : str
        Rule for the conversion to `dtype`, and to that of `out`.
    optimize : bool or str
        How NumPy orders the contractions of more than two operands; here the default is to
        optimise.

    Returns
    -------
    LazyArray
        Of the shape that the subscripts name.

    Raises
    ------
    ShapeError
        If subscripts and shapes do not agree.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.einsum("ij->i", [[1, 2], [3, 4]]).compute()
    array([3, 7])
    """
    if not operands:
        raise ArgumentError("einsum needs subscripts and operands", origin=origin())
    if isinstance(operands[0], str):
        places = list(range(1, len(operands)))
    else:
        places = list(range(0, len(operands) - 1, 2))
    shows = len(places) == 1 and out is None and is_view(operands, places[0])
    dtype = None if dtype is None else build.as_dtype(dtype)
    if shows:
        dtype = None  # NumPy does not look at it
    nodes = _promoted(*[operands[k] for k in places], dtype=dtype) if places else []
    if dtype is not None:
        for place, x in zip(places, nodes, strict=True):
            build.check_cast(as_node(operands[place]).dtype, x.dtype, casting)
    check_order(order)
    small = list(operands)
    for k in range(len(operands)):
        if k not in places and isinstance(operands[k], (LazyArray, np.ndarray)):
            small[k] = operands[k].tolist()  # axis numbers in an array
    operands = tuple(small)
    for place, x in zip(places, nodes, strict=True):
        small[place] = np.ones((1,) * x.ndim)
    try:
        np.can_cast(np.int64, np.int64, casting)  # NumPy knows the rules
    except ValueError as error:
        raise ArgumentError(str(error), origin=origin()) from None
    try:
        np.einsum(*small)  # NumPy judges the notation
        subscripts = parse(operands, [x.shape for x in nodes])
        if shows and subscripts.result:
            return view_of(operands[places[0]], subscripts)
        factors, narrow = widened(nodes)
        result = contract(subscripts, factors, optimize)
    except ValueError as error:
        raise ShapeError(str(error), origin=origin()) from None
    result = result if narrow is None else build.cast(result, narrow)
    check_out(out, result.shape)
    return store_into(in_order(wrap(result), order, [operands[k] for k in places]), out, casting)


def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """Return the sum along a diagonal of two axes.

    Parameters
    ----------
    a : array_like
        With at least two axes.
    offset : int
        Columns to the right of the main diagonal; negative ones are rows below it.
    axis1, axis2 : int
        The axes of rows and of columns.
    dtype : dtype, optional
        To sum in; default: that of :func:`lazyarr.sum`.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Returns
    -------
    LazyArray
        Without the two axes.
    """
    loop = None if dtype is None else build.as_dtype(dtype)  # NumPy takes any order of bytes here
    return reductions.sum(diagonal(as_lazy(a), offset, axis1, axis2), axis=-1, dtype=loop, out=out)


def kron(a: Any, b: Any) -> LazyArray:
    """Return the Kronecker product of two arrays.

    Parameters
    ----------
    a, b : array_like
        Operands; axes of length one are put in front of the one with fewer axes.

    Returns
    -------
    LazyArray
        ``a[i] * b[j]`` at ``i * b.shape + j``, of the shape ``a.shape * b.shape``.
    """
    x, y = as_lazy(a), as_lazy(b)
    ndim = max(x.ndim, y.ndim)
    left = (1,) * (ndim - x.ndim) + x.shape
    right = (1,) * (ndim - y.ndim) + y.shape
    wide = x.reshape(tuple(n for size in left for n in (size, 1)))
    tall = y.reshape(tuple(n for size in right for n in (1, size)))
    product: LazyArray = wide * tall
    return product.reshape(tuple(m * n for m, n in zip(left, right, strict=True)))


_OF_TWO = (
    "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead. "
    "(deprecated in NumPy 2.0)"
)


_NO_VECTORS = (
    "incompatible dimensions for cross product\n(dimension must be 2 or 3): got {} and {}"
    if CROSSES_PLANE_VECTORS
    else "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
    "{} and {} dimensional instead."
)


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> LazyArray:
    """Return the vector product of vectors of three components.

    Parameters
    ----------
    a, b : array_like
        Vectors of three components. Those of two are taken where NumPy takes them, which is
        deprecated since 2.0 and gone since 2.5.
    axisa, axisb : int
        The axes of the components of `a` and `b`.
    axisc : int
        The axis of the components of the result.
    axis : int, optional
        Stands for all three of them.

    Returns
    -------
    LazyArray
        Of the shape that the operands broadcast to, without the axis of components for two
        vectors of two.

    Raises
    ------
    ShapeError
        If there are not three components.
    DTypeError
        If both operands are boolean.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    if not as_node(a).ndim or not as_node(b).ndim:
        raise ShapeError("At least one array has zero dimension", origin=origin())
    a, b = as_lazy(a), as_lazy(b)
    x = moveaxis(a, axis_of(axisa, a.ndim), -1)
    y = moveaxis(b, axis_of(axisb, b.ndim), -1)
    lengths = x.shape[-1], y.shape[-1]
    if CROSSES_PLANE_VECTORS and 2 in lengths and set(lengths) <= {2, 3}:
        warn_user(_OF_TWO, DeprecationWarning)
        if lengths == (2, 2):
            return x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]
    elif lengths != (3, 3):
        raise ShapeError(_NO_VECTORS.format(*lengths), origin=origin())
    if x.dtype == y.dtype == np.bool_:
        raise DTypeError("cross needs numbers, got bool", origin=origin())
    (x0, x1, *x2), (y0, y1, *y2) = ([z[..., k] for k in range(z.shape[-1])] for z in (x, y))
    # Nothing is multiplied by a component that is missing.
    if x2 and y2:
        parts = [x1 * y2[0] - x2[0] * y1, x2[0] * y0 - x0 * y2[0]]
    else:
        parts = [-(x2[0] * y1), x2[0] * y0] if x2 else [x1 * y2[0], -(x0 * y2[0])]
    parts.append(x0 * y1 - x1 * y0)
    return moveaxis(stack(parts, axis=-1), -1, axisc)


def _sliding(name: str, a: Any, v: Any, mode: str | int) -> LazyArray:
    x, y = as_lazy(a), as_lazy(v)
    if name == "convolve":
        x, y = (z if z.ndim else z.reshape(1) for z in (x, y))
    if (x.size and y.size) or name == "correlate":
        mode = overlap_mode(mode)
    for z in (x, y):
        if z.ndim != 1:
            depth = "too deep" if z.ndim else "of too small depth"
            raise ShapeError(f"object {depth} for desired array", origin=origin())
    for operand, letter in ((x, "a"), (y, "v")):
        if not operand.size:
            raise ShapeError(f"{letter} cannot be empty", origin=origin())
    longer, shorter = max(x.size, y.size), min(x.size, y.size)
    sizes = {"full": longer + shorter - 1, "same": longer, "valid": longer - shorter + 1}
    function = np.convolve if name == "convolve" else np.correlate
    return call_product(name, function, _promoted(x, y), (sizes[str(mode)],), mode=mode)


def convolve(a: Any, v: Any, mode: str = "full") -> LazyArray:
    """Return the convolution of two vectors.

    Parameters
    ----------
    a, v : array_like
        Vectors of n and m elements; neither is empty.
    mode : {"full", "same", "valid"}
        "full": all ``n + m - 1`` sums; "same": the middle ``max(n, m)`` of them; "valid": those
        in which the vectors overlap completely.

    Returns
    -------
    LazyArray
        ``sum(a[j] * v[k - j] for j)``; NumPy computes it when it is evaluated.

    Raises
    ------
    ShapeError
        If an operand is no vector, or empty.
    ArgumentError
        If there is no such mode.
    """
    return _sliding("convolve", a, v, mode)


def correlate(a: Any, v: Any, mode: str = "valid") -> LazyArray:
    """Return the cross-correlation of two vectors.

    Parameters
    ----------
    a, v : array_like
        Vectors of n and m elements; neither is empty.
    mode : {"valid", "same", "full"}
        As for :func:`lazyarr.convolve`.

    Returns
    -------
    LazyArray
        ``sum(a[j + k] * conj(v[j]) for j)``; NumPy computes it when it is evaluated.

    Raises
    ------
    ShapeError
        If an operand is no vector, or empty.
    ArgumentError
        If there is no such mode.
    """
    return _sliding("correlate", a, v, mode)
