"""LU factors by NumPy's LAPACK: ``numpy.linalg`` has them, and hands out none."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.runtime.cpu.stacked_routines import Fortran

__all__ = ["BLOCK", "UNDIVIDED", "fortran_routine", "routines"]

Array = np.ndarray[Any, Any]

_CODES = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}
_LETTERS = {np.dtype(code): letter for letter, code in _CODES.items()}
#: Whether a system is that of the transposed matrix, as Fortran reads it, and its length.
_FLAGS = {False: np.array([b"N"]), True: np.array([b"T"])}
_LENGTH = 1
#: Elements of work space for each row, in which inverses are computed by blocks.
BLOCK = 64
#: Rows of matrices up to which LAPACK's own routine has the same bits for any number of threads.
UNDIVIDED = 64

Factor = Callable[[Array, Array], bool]
Substitute = Callable[[Array, Array, Array, bool], None]
Invert = Callable[[Array, Array], None]
Solve = Callable[[Array, Array, Array], bool]


@cache
def fortran_routine(dtype: np.dtype[Any], name: str) -> Fortran | None:
    """Return a routine of NumPy's LAPACK; None if NumPy has no such library.

    Parameters
    ----------
    dtype : numpy.dtype
        Of its matrices.
    name : str
        Without the letter of the type.
    """
    letter = _LETTERS.get(dtype)
    return None if letter is None else Fortran.of(letter + name)


def routines(dtype: np.dtype[Any]) -> tuple[Factor, Substitute, Invert, Solve] | None:
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
        inverses by columns in the place of factors. ``solve(matrices, rows, sides)``: both factors
        and solutions, by the one routine that NumPy calls; whether no matrix is singular.
    """
    names = ("getrf", "getrs", "getri", "gesv")
    getrf, getrs, getri, gesv = (fortran_routine(dtype, name) for name in names)
    if getrf is None or getrs is None or getri is None or gesv is None:
        return None
    whole = getrf.integers

    def factor(matrices: Array, rows: Array) -> bool:
        count, n, _ = matrices.shape
        numbers = np.zeros(count + 1, whole)  # behind the size an outcome of each
        numbers[0] = n
        start = address_of(numbers)
        size = start, 0
        first = address_of(matrices), matrices.strides[0]
        second = address_of(rows), rows.strides[0]
        outcome = start + whole.itemsize, whole.itemsize
        getrf.repeat(count, (size, size, first, size, second, outcome), n**3 / 3)
        return bool(np.count_nonzero(numbers) == 1)  # the size alone

    def substitute(factors: Array, rows: Array, sides: Array, transposed: bool) -> None:
        count, width, n = sides.shape
        numbers = np.array([n, width, 0], whole)
        start = address_of(numbers)
        size = start, 0
        columns, outcome = (start + whole.itemsize, 0), (start + 2 * whole.itemsize, 0)
        several = len(factors) > 1
        first = address_of(factors), factors.strides[0] if several else 0
        second = address_of(rows), rows.strides[0] if several else 0
        third = address_of(sides), sides.strides[0]
        flag = address_of(_FLAGS[transposed]), 0
        arguments = flag, size, columns, first, size, second, third, size, outcome, (_LENGTH, 0)
        getrs.repeat(count, arguments, n * n * width)

    def invert(factors: Array, rows: Array) -> None:
        count, n, _ = factors.shape
        length = BLOCK * n if n > BLOCK else n
        work = np.empty((count, length), dtype)  # each thread has its own
        numbers = np.array([n, length, 0], whole)
        start = address_of(numbers)
        size = start, 0
        extent, outcome = (start + whole.itemsize, 0), (start + 2 * whole.itemsize, 0)
        first = address_of(factors), factors.strides[0]
        second = address_of(rows), rows.strides[0]
        third = address_of(work), work.strides[0]
        getri.repeat(count, (size, first, size, second, third, extent, outcome), 2 * n**3 / 3)

    def solve(matrices: Array, rows: Array, sides: Array) -> bool:
        count, width, n = sides.shape
        numbers = np.zeros(count + 2, whole)  # behind the sizes an outcome of each
        numbers[:2] = n, width
        start = address_of(numbers)
        size, columns = (start, 0), (start + whole.itemsize, 0)
        first = address_of(matrices), matrices.strides[0]
        second = address_of(rows), rows.strides[0]
        third = address_of(sides), sides.strides[0]
        outcome = start + 2 * whole.itemsize, whole.itemsize
        arguments = size, columns, first, size, second, third, size, outcome
        gesv.repeat(count, arguments, n**3 / 3 + n * n * width, alone=n <= UNDIVIDED)
        return bool(np.count_nonzero(numbers) == 2)  # the sizes alone

    return factor, substitute, invert, solve
