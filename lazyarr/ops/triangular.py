"""Solutions of triangular systems: NumPy has no function for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.ops.library import LIBRARY, library_op

__all__ = ["ROUTINES", "TRIANGULAR", "solve_triangular"]

Array = np.ndarray[Any, Any]

#: Functions of a BLAS by dtype, which :mod:`lazyarr.linalg.triangular` enters. Each takes matrices
#: of shape (count, n, n), or one of (1, n, n) for all, and right sides of shape (count, n, k),
#: both in C order, whether the matrices are lower and whether they are transposed, and puts the
#: solutions in the place of the right sides.
ROUTINES: dict[np.dtype[Any], Callable[[Array, Array, bool, bool], None]] = {}


def solve_triangular(
    a: Array, b: Array, *, lower: bool, transposed: bool, out: Array | None = None
) -> Array:
    """Return the solutions of ``a @ x = b`` with triangular matrices, or of ``a.mT @ x = b``.

    Parameters
    ----------
    a : numpy.ndarray
        Of shape (..., n, n); the other triangle is not read.
    b : numpy.ndarray
        Right sides as columns, of shape (..., n, k) and the dtype of `a`.
    lower : bool
        Which triangle of `a` counts.
    transposed : bool
        Whether its transpose is the matrix of the system.
    out : numpy.ndarray, optional
        Receives the result, in C order.

    Returns
    -------
    numpy.ndarray
        Of the shape of `b` with the leading axes broadcast. A zero on the diagonal gives infinite
        or undefined numbers, and no error.
    """
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if out is None:
        out = np.empty((*stack, *b.shape[-2:]), b.dtype)
    np.copyto(out, b)
    if not out.size:
        return out
    n, count = b.shape[-2:]
    if a.size > n * n and a.shape[:-2] != stack:
        a = np.broadcast_to(a, (*stack, n, n))
    matrices = np.ascontiguousarray(a).reshape(-1, n, n)
    sides = out.reshape(-1, n, count)  # a view: `out` is in C order
    ROUTINES.get(out.dtype, _substitute)(matrices, sides, lower, transposed)
    return out


def _substitute(a: Array, x: Array, lower: bool, transposed: bool) -> None:
    """Put solutions in the place of right sides, one unknown after another."""
    matrices = np.swapaxes(a, -1, -2) if transposed else a
    n = a.shape[-1]
    forward = lower != transposed
    with np.errstate(all="ignore"):
        for k in range(n) if forward else range(n - 1, -1, -1):
            known = slice(0, k) if forward else slice(k + 1, n)
            share = matrices[..., k : k + 1, known] @ x[..., known, :]
            x[..., k, :] = (x[..., k, :] - share[..., 0, :]) / matrices[..., k, k, None]


TRIANGULAR = LIBRARY["linalg.solve_triangular"] = library_op(
    "linalg.solve_triangular", solve_triangular, supports_out=True
)
"""The library op, of two sources: matrices and right sides."""
