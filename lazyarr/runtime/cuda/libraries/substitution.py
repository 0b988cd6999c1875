"""Triangular systems by cuBLAS: rows of right sides stay rows, so that nothing is transposed."""

from __future__ import annotations

from math import prod

import numpy as np

from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.cusolver_calls import prefix
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["solve_triangular"]

_RIGHT, _LOWER, _UPPER, _PLAIN, _TRANSPOSED, _ANY_DIAGONAL = 1, 0, 1, 0, 1, 0
#: The factor of right sides, by dtype; cuBLAS reads it through a pointer into this memory.
_ONE = {np.dtype(name): np.ones(1, name) for name in ("f4", "f8", "c8", "c16")}


def solve_triangular(
    work: Work, out: Strided, a: Strided, b: Strided, *, lower: bool, transposed: bool
) -> None:
    """Queue the solutions of triangular systems.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : Strided
        Contiguous, of shape (..., n, k).
    a : Strided
        Of shape (..., n, n); the other triangle is not read.
    b : Strided
        Right sides as columns, of shape (..., n, k).
    lower : bool
        Which triangle of `a` counts.
    transposed : bool
        Whether its transpose is the matrix of the system.
    """
    stack = out.shape[:-2]
    n, k = out.shape[-2:]
    count = prod(stack)
    work.copy(b.broadcast(out.shape), out)
    single = prod(a.shape[:-2]) == 1
    matrices = work.contiguous(a if single else a.broadcast((*stack, n, n)))
    left = matrices.seen((1 if single else count, n, n))
    right = out.seen((count, n, k))
    # Seen by columns, as cuBLAS sees memory, these are transposes: x.T @ op(a).T = b.T.
    flags = (_RIGHT, _UPPER if lower else _LOWER, _TRANSPOSED if transposed else _PLAIN)
    sizes = (*flags, _ANY_DIAGONAL, k, n, _ONE[out.dtype].ctypes.data)
    letter = prefix(out.dtype)
    at_once = count > 1 and n <= tuning.row().stacked_lu
    if at_once:
        step = n * n * out.dtype.itemsize if not single else 0
        places = np.arange(count, dtype=np.int64)
        first = work.upload(left.address + step * places)
        second = work.upload(right.address + n * k * out.dtype.itemsize * places)
    with work.libraries.lock:
        cublas, handle = work.libraries.opened("cublas")
        if at_once:
            solve = getattr(cublas, f"{letter}trsm_batched")
            solve(handle, *sizes, first.address, n, second.address, k, count)
            return
        solve = getattr(cublas, f"{letter}trsm")
        for place in range(count):
            matrix = left.at(0 if single else place)
            solve(handle, *sizes, matrix.address, n, right.at(place).address, k)
