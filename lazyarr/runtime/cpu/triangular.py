"""Triangular systems by NumPy's BLAS: the routines that ``numpy.linalg`` has no function for."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.runtime.cpu.blas import located

__all__ = ["routine"]

Array = np.ndarray[Any, Any]

_CODES = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}
_LETTERS = {np.dtype(code): letter for letter, code in _CODES.items()}
#: As CBLAS numbers them.
_ROWS, _LEFT, _PLAIN, _TRANSPOSED, _UPPER, _LOWER, _ANY_DIAGONAL = 101, 141, 111, 112, 121, 122, 131


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
    letter = _LETTERS.get(dtype)
    place = None if letter is None else located(f"{letter}trsm")
    if place is None:
        return None
    address, integer, library = place
    whole = ctypes.c_int32 if integer == "i32" else ctypes.c_int64
    one: Any
    factor: Any
    if kind_of(dtype) == "c":  # a complex number by its address
        one, factor = np.ones(1, dtype).ctypes, ctypes.c_void_p
    else:
        one, factor = 1.0, ctypes.c_float if letter == "s" else ctypes.c_double
    flags = (ctypes.c_int,) * 5
    pointer = ctypes.c_void_p
    kind = ctypes.CFUNCTYPE(None, *flags, whole, whole, factor, pointer, whole, pointer, whole)
    call = kind(address)

    def solve(matrices: Array, sides: Array, lower: bool, transposed: bool) -> None:
        count, n, width = sides.shape
        triangle, order = _LOWER if lower else _UPPER, _TRANSPOSED if transposed else _PLAIN
        flags = (_ROWS, _LEFT, triangle, order, _ANY_DIAGONAL)
        scale = one.data if kind_of(dtype) == "c" else one
        first, second = matrices.ctypes.data, sides.ctypes.data
        step = matrices[0].nbytes if len(matrices) > 1 else 0
        along = sides[0].nbytes
        for _ in range(count):
            call(*flags, n, width, scale, first, n, second, width)
            first += step
            second += along

    solve.__dict__["library"] = library  # stays loaded
    return solve
