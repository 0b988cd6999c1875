"""LU factors that several systems of one matrix share, which derivatives are made of.

Solutions, and the values of NumPy's functions beside them, are of one factorisation: the pass of
:mod:`lazyarr.passes.shared_factors` lets those values be made of factors that a graph has.
"""

from __future__ import annotations

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.graph.node import Node
from lazyarr.numpy_api.library_calls import library_node
from lazyarr.ops.triangular import (
    FACTORS,
    INVERSE,
    LAPACK,
    SOLUTION,
    FactorRoutines,
    factors_bytes,
)
from lazyarr.runtime.cpu.lapack import routines

__all__ = ["FACTORED_INVERSE", "FACTORED_SOLUTION", "factored_inverse", "factored_solution"]

#: Names of the rules of derivatives. Of a solution there are two, by whether it is of the
#: transposed matrix.
FACTORED_SOLUTION = {False: "factored solution", True: "factored solution of the transpose"}
FACTORED_INVERSE = "factored inverse"


def _factors(a: LazyArray) -> Node:
    nbytes = factors_bytes(a.shape[-1], a.dtype)
    return library_node(FACTORS, (a,), {}, (*a.shape[:-2], nbytes), np.dtype(np.uint8))


def factored_solution(a: LazyArray, b: LazyArray, *, transposed: bool = False) -> LazyArray:
    """Return the solutions of ``a @ x = b``, or of ``a.mT @ x = b``.

    Parameters
    ----------
    a : LazyArray
        Of shape (..., n, n); a singular matrix raises LinAlgError when evaluated.
    b : LazyArray
        Right sides as columns, of shape (..., n, k).
    transposed : bool
        Whether the transpose of `a` is the matrix of the system.

    Returns
    -------
    LazyArray
        Of the shape of `b`, with the leading axes broadcast.
    """
    dtype = np.result_type(a.dtype, b.dtype)
    a, b = a.astype(dtype), b.astype(dtype)
    shape = (*broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    keywords = {"transposed": transposed, "as_numpy": False}
    value = library_node(SOLUTION, (_factors(a), b), keywords, shape, dtype)
    return LazyArray(build.derived(value, (a._node, b._node), FACTORED_SOLUTION[transposed]))


def factored_inverse(a: LazyArray) -> LazyArray:
    """Return the transposes of inverses.

    Parameters
    ----------
    a : LazyArray
        Of shape (..., n, n); a singular matrix raises LinAlgError when evaluated.

    Returns
    -------
    LazyArray
        Of the same shape.
    """
    keywords = {"n": a.shape[-1], "dtype": a.dtype}
    value = library_node(INVERSE, (_factors(a),), keywords, a.shape, a.dtype)
    return LazyArray(build.derived(value, (a._node,), FACTORED_INVERSE))


_routines = {np.dtype(code): routines(np.dtype(code)) for code in ("f4", "f8", "c8", "c16")}
if all(_routines.values()):
    LAPACK.update({dtype: FactorRoutines(*own) for dtype, own in _routines.items() if own})
