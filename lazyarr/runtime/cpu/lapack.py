"""LU factors by NumPy's LAPACK: ``numpy.linalg`` has them, and hands out none."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.runtime.cpu.blas import LAPACK_NAMES, located

__all__ = ["routines"]

Array = np.ndarray[Any, Any]

_CODES = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}
_LETTERS = {np.dtype(code): letter for letter, code in _CODES.items()}
#: Whether a system is that of the transposed matrix, as Fortran reads it, and its length.
_FLAGS = {False: np.array([b"N"]), True: np.array([b"T"])}
_LENGTH = 1
#: Elements of work space for each row, in which inverses are computed by blocks.
_BLOCK = 64

Factor = Callable[[Array, Array], bool]
Substitute = Callable[[Array, Array, Array, bool], None]
Invert = Callable[[Array, Array], None]


def routines(dtype: np.dtype[Any]) -> tuple[Factor, Substitute, Invert] | None:
    """Return the functions of LU factors in place; None without such a LAPACK.

    Parameters
    ----------
    dtype : numpy.dtype
        Of matrices and right sides.

    Returns
    -------
    tuple of callable, or None
        ``factor(matrices, rows)``: factors in the place of matrices by columns, of shape
        (count, n, n), and exchanged rows of (count, n), int64; whether no matrix is singular.
        ``substitute(factors, rows, sides, transposed)``: solutions in the place of right sides by
        columns, of shape (count, k, n); factors of one matrix serve all. ``invert(factors, rows)``:
        inverses by columns in the place of factors.
    """
    letter = _LETTERS.get(dtype)
    names = ("getrf", "getrs", "getri")
    places = [None if letter is None else located(letter + name, LAPACK_NAMES) for name in names]
    getrf, getrs, getri = (
        None if place is None else _function(place, count)
        for place, count in zip(places, (6, 10, 7), strict=True)
    )
    if getrf is None or getrs is None or getri is None or places[0] is None:
        return None
    whole = np.dtype(np.int32 if places[0][1] == "i32" else np.int64)

    def factor(matrices: Array, rows: Array) -> bool:
        count, n, _ = matrices.shape
        numbers = np.array([n, 0], whole)
        size = address_of(numbers)
        outcome = size + whole.itemsize
        first, second = address_of(matrices), address_of(rows)
        regular = True
        for _ in range(count):
            getrf(size, size, first, size, second, outcome)
            regular = regular and not numbers[1]
            first += matrices.strides[0]
            second += rows.strides[0]
        return regular

    def substitute(factors: Array, rows: Array, sides: Array, transposed: bool) -> None:
        count, width, n = sides.shape
        numbers = np.array([n, width, 0], whole)
        size = address_of(numbers)
        columns, outcome = size + whole.itemsize, size + 2 * whole.itemsize
        flag = address_of(_FLAGS[transposed])
        first, second, third = address_of(factors), address_of(rows), address_of(sides)
        several = len(factors) > 1
        for _ in range(count):
            getrs(flag, size, columns, first, size, second, third, size, outcome, _LENGTH)
            third += sides.strides[0]
            if several:
                first += factors.strides[0]
                second += rows.strides[0]

    def invert(factors: Array, rows: Array) -> None:
        count, n, _ = factors.shape
        length = _BLOCK * n
        work = np.empty(length, dtype)
        numbers = np.array([n, length, 0], whole)
        size = address_of(numbers)
        extent, outcome = size + whole.itemsize, size + 2 * whole.itemsize
        first, second, space = address_of(factors), address_of(rows), address_of(work)
        for _ in range(count):
            getri(size, first, size, second, space, extent, outcome)
            first += factors.strides[0]
            second += rows.strides[0]

    for function, place in zip((factor, substitute, invert), places, strict=True):
        function.__dict__["library"] = place  # stays loaded
    return factor, substitute, invert


def _function(place: tuple[int, str, object], count: int) -> Callable[..., None]:
    """Return a routine that takes so many addresses."""
    call: Callable[..., None] = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * count)(place[0])
    return call
