"""Triangular systems by NumPy's BLAS: the routines that ``numpy.linalg`` has no function for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.runtime.cpu.stacked_routines import Fortran

__all__ = ["routine"]

Array = np.ndarray[Any, Any]

_CODES = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}
_LETTERS = {np.dtype(code): letter for letter, code in _CODES.items()}
#: As Fortran reads them: a diagonal that is not of ones is called as what is not transposed is.
_RIGHT, _UPPER, _LOWER, _PLAIN, _TRANSPOSED = (
    np.array([letter]) for letter in (b"R", b"U", b"L", b"N", b"T")
)


def routine(dtype: np.dtype[Any]) -> Callable[[Array, Array, bool, bool], None] | None:
    """Return the function that solves a triangular system in place; None without such a BLAS.

    Parameters
    ----------
    dtype : numpy.dtype
        Of matrix and right sides.

    Returns
    -------
    callable or None
        ``solve(matrices, sides, lower, transposed)``: arrays in C order, of shapes (count, n, n)
        and (count, n, k); one matrix, of shape (1, n, n), serves all.
    """
    letter = _LETTERS.get(dtype, "")
    trsm = Fortran.of(f"{letter}trsm") if letter else None
    if trsm is None:
        return None
    one = np.ones(1, dtype)
    whole = trsm.integers

    def solve(matrices: Array, sides: Array, lower: bool, transposed: bool) -> None:
        count, n, width = sides.shape
        # Seen by columns, as Fortran sees memory, these are transposes: x.T @ op(a).T = b.T.
        flags = [_RIGHT, _UPPER if lower else _LOWER, _TRANSPOSED if transposed else _PLAIN, _PLAIN]
        numbers = np.array([width, n], whole)
        start = address_of(numbers)
        columns, size = (start, 0), (start + whole.itemsize, 0)
        step = matrices.strides[0] if len(matrices) > 1 else 0
        first, second = (address_of(matrices), step), (address_of(sides), sides.strides[0])
        letters = [(address_of(flag), 0) for flag in flags]
        scale = address_of(one), 0
        arguments = *letters, columns, size, scale, first, size, second, columns
        trsm.repeat(count, arguments, n * n * width / 2)

    return solve
