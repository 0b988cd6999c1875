"""Solutions of triangular systems, which derivatives of factorisations are made of."""

from __future__ import annotations

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, wrap
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.numpy_api.library_calls import library_node
from lazyarr.ops.triangular import ROUTINES, TRIANGULAR
from lazyarr.runtime.cpu.triangular import routine

__all__ = ["solve_triangular"]


def solve_triangular(
    a: LazyArray, b: LazyArray, *, lower: bool = True, transposed: bool = False
) -> LazyArray:
    """Return the solutions of ``a @ x = b`` with triangular matrices, or of ``a.mT @ x = b``.

    Parameters
    ----------
    a : LazyArray
        Of shape (..., n, n); the other triangle is not read.
    b : LazyArray
        Right sides as columns, of shape (..., n, k).
    lower : bool
        Which triangle of `a` counts.
    transposed : bool
        Whether its transpose is the matrix of the system.

    Returns
    -------
    LazyArray
        Of the shape of `b`, with the leading axes broadcast. A zero on the diagonal gives infinite
        or undefined numbers, and no error.
    """
    dtype = np.result_type(a.dtype, b.dtype)
    shape = (*broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    sources = (a.astype(dtype), b.astype(dtype))
    keywords = {"lower": lower, "transposed": transposed}
    return wrap(library_node(TRIANGULAR, sources, keywords, shape, dtype))


for _code in ("f4", "f8", "c8", "c16"):
    if (_routine := routine(np.dtype(_code))) is not None:
        ROUTINES[np.dtype(_code)] = _routine
