"""Solutions of triangular systems, and of systems by their LU factors: NumPy has no such functions.

The LU factors of a matrix are one value, a row of bytes, which solutions and inverses share: both
factors by columns, and then the exchanged rows. What lies there is known to the functions of this
module and, of a GPU's, to its library alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.frozen import dataclass, replace
from lazyarr.ops.library import LIBRARY, library_op

__all__ = [
    "FACTORS",
    "INVERSE",
    "LAPACK",
    "ROUTINES",
    "SOLUTION",
    "TRIANGULAR",
    "FactorRoutines",
    "factors",
    "factors_bytes",
    "inverse_transposed",
    "solution",
    "solve_triangular",
    "solved",
    "solved_bytes",
    "solved_sides",
]

Array = np.ndarray[Any, Any]

#: Functions of a BLAS by dtype, which :mod:`lazyarr.linalg.triangular` enters. Each takes matrices
#: of shape (count, n, n), or one of (1, n, n) for all, and right sides of shape (count, n, k),
#: both in C order, whether the matrices are lower and whether they are transposed, and puts the
#: solutions in the place of the right sides.
ROUTINES: dict[np.dtype[Any], Callable[[Array, Array, bool, bool], None]] = {}


@dataclass(frozen=True, eq=False, slots=True)
class FactorRoutines:
    """Functions of a LAPACK for one dtype; all arrays are of whole matrices, in place.

    Attributes
    ----------
    factor : callable
        ``factor(matrices, rows)``: puts factors in the place of matrices by columns, of shape
        (count, n, n), and the exchanged rows into (count, n); whether no matrix is singular.
    substitute : callable
        ``substitute(factors, rows, sides, transposed)``: puts solutions in the place of right
        sides by columns, of shape (count, k, n); factors of one matrix serve all.
    invert : callable
        ``invert(factors, rows)``: puts inverses by columns in the place of factors.
    solve : callable
        ``solve(matrices, rows, sides)``: puts factors in the place of matrices as `factor` does,
        and solutions in that of as many right sides by columns; whether no matrix is singular. It
        is the routine that NumPy calls, whose bits depend on the number of threads.
    """

    factor: Callable[[Array, Array], bool]
    substitute: Callable[[Array, Array, Array, bool], None]
    invert: Callable[[Array, Array], None]
    solve: Callable[[Array, Array, Array], bool]


#: By dtype, entered by :mod:`lazyarr.linalg.factored`.
LAPACK: dict[np.dtype[Any], FactorRoutines] = {}


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
    stack = b.shape[:-2]
    if a.shape[:-2] != stack:
        stack = np.broadcast_shapes(a.shape[:-2], stack)
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


def factors_bytes(n: int, dtype: np.dtype[Any]) -> int:
    """Return the bytes of the factors of a matrix.

    Parameters
    ----------
    n : int
        Its rows.
    dtype : numpy.dtype
        Of the matrix; NumPy factorises in double precision.

    Examples
    --------
    >>> factors_bytes(3, np.dtype("f4"))  # nine numbers and three rows
    128
    """
    nbytes = n * (n * _wide(dtype).itemsize + _ROW.itemsize)
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


_ROW = np.dtype(np.int64)


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a dtype in double precision."""
    return _DOUBLE.get(dtype) or np.result_type(dtype, np.float64)


_DOUBLE = {np.dtype(x): np.dtype(y) for x, y in (("f4", "f8"), ("f8", "f8"), ("c8", "c16"))}


def _parts(data: Array, n: int, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return views of records in C order: factors by columns, and the exchanged rows."""
    count, step = data.shape
    size = dtype.itemsize
    lu: Array = np.ndarray((count, n, n), dtype, data, 0, (step, n * size, size))
    rows: Array = np.ndarray((count, n), _ROW, data, n * n * size, (step, _ROW.itemsize))
    return lu, rows


def factors(a: Array, *, out: Array | None = None) -> Array:
    """Return the LU factors of square matrices.

    Parameters
    ----------
    a : numpy.ndarray
        Of shape (..., n, n).
    out : numpy.ndarray, optional
        Receives the result, in C order.

    Returns
    -------
    numpy.ndarray
        Bytes, of shape (..., :func:`factors_bytes`). Without a LAPACK that is known they are those
        of the matrices.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix is singular.
    """
    n = a.shape[-1]
    stack = a.shape[:-2]
    if out is None:
        out = np.empty((*stack, factors_bytes(n, a.dtype)), np.uint8)
    if not out.size:
        return out
    records = out.reshape(-1, out.shape[-1])  # a view: `out` is in C order
    wide = _wide(a.dtype)
    lu, rows = _parts(records, n, wide)
    np.copyto(lu.reshape(*stack, n, n), a.mT)
    routines = LAPACK.get(wide)
    if routines is not None and not routines.factor(lu, rows):
        raise np.linalg.LinAlgError("Singular matrix")
    return out


def solved_bytes(n: int, count: int, dtype: np.dtype[Any]) -> int:
    """Return the bytes of the factors of a matrix with solutions behind them.

    Parameters
    ----------
    n : int
        Its rows.
    count : int
        How many right sides there are.
    dtype : numpy.dtype
        Of the matrix.

    Examples
    --------
    >>> solved_bytes(3, 2, np.dtype("f4"))
    192
    """
    nbytes = n * count * _wide(dtype).itemsize
    return factors_bytes(n, dtype) - (-nbytes // ALIGNMENT) * ALIGNMENT


def _sides(data: Array, n: int, count: int, dtype: np.dtype[Any]) -> Array:
    """Return the view of right sides by columns behind factors."""
    records, step = data.shape
    wide = _wide(dtype)
    steps = (step, n * wide.itemsize, wide.itemsize)
    return np.ndarray((records, count, n), wide, data, factors_bytes(n, dtype), steps)


def solved(a: Array, b: Array, *, out: Array | None = None) -> Array:
    """Return the LU factors of square matrices, and the solutions of ``a @ x = b`` behind them.

    Parameters
    ----------
    a : numpy.ndarray
        Of shape (..., n, n), of a dtype in :data:`LAPACK`.
    b : numpy.ndarray
        One right side, of shape (n,), or several as columns, of shape (..., n, k), with the dtype
        and the leading axes of `a`.
    out : numpy.ndarray, optional
        Receives the result, in C order.

    Returns
    -------
    numpy.ndarray
        Bytes, of shape (..., :func:`solved_bytes`); the solutions have NumPy's bits.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix is singular.
    """
    n, stack = a.shape[-1], a.shape[:-2]
    right = b[:, None] if b.ndim == 1 else b
    count = right.shape[-1]
    nbytes = solved_bytes(n, count, a.dtype)
    if out is None:
        out = np.empty((*stack, nbytes), np.uint8)
    records = out.reshape(-1, nbytes)  # a view: `out` is in C order
    lu, rows = _parts(records, n, _wide(a.dtype))
    sides = _sides(records, n, count, a.dtype)
    np.copyto(lu.reshape(*stack, n, n), a.mT)
    np.copyto(sides.reshape(*stack, count, n), right.mT)
    if not LAPACK[_wide(a.dtype)].solve(lu, rows, sides):
        raise np.linalg.LinAlgError("Singular matrix")
    return out


def solved_sides(
    data: Array, *, shape: tuple[int, int], dtype: np.dtype[Any], out: Array | None = None
) -> Array:
    """Return the solutions behind factors.

    Parameters
    ----------
    data : numpy.ndarray
        As :func:`solved` returns it.
    shape : tuple of int
        Rows of a matrix, and how many right sides it has; 0: one, which is no column.
    dtype : numpy.dtype
        Of the matrices.
    out : numpy.ndarray, optional
        Receives the result, in C order.
    """
    n, count = shape
    stack, columns = data.shape[:-1], max(count, 1)
    if out is None:
        out = np.empty((*stack, n, count) if count else (n,), dtype)
    records = np.ascontiguousarray(data).reshape(-1, data.shape[-1])
    sides = _sides(records, n, columns, dtype).reshape(*stack, columns, n)
    np.copyto(out.reshape(*stack, n, columns), sides.mT, casting="same_kind")
    return out


def solution(
    data: Array, b: Array, *, transposed: bool, as_numpy: bool, out: Array | None = None
) -> Array:
    """Return the solutions of ``a @ x = b`` by the factors of `a`, or of ``a.mT @ x = b``.

    Parameters
    ----------
    data : numpy.ndarray
        The factors, as :func:`factors` returns them.
    b : numpy.ndarray
        One right side, of shape (n,), or several as columns, of shape (..., n, k).
    transposed : bool
        Whether the transpose is the matrix of the system.
    as_numpy : bool
        Whether to have the bits of ``numpy.linalg.solve``, which computes in double precision; else
        many right sides are solved for in the precision that they have.
    out : numpy.ndarray, optional
        Receives the result, in C order.

    Returns
    -------
    numpy.ndarray
        Of the shape of `b` with the leading axes broadcast.
    """
    right = b[:, None] if b.ndim == 1 else b
    n, count = right.shape[-2:]
    stack = right.shape[:-2]
    if data.shape[:-1] != stack:
        stack = np.broadcast_shapes(data.shape[:-1], stack)
        if data.size > data.shape[-1]:
            data = np.broadcast_to(data, (*stack, data.shape[-1]))
    shape = (*stack, n) if b.ndim == 1 else (*stack, n, count)
    if out is None:
        out = np.empty(shape, b.dtype)
    if not out.size:
        return out
    wide = _wide(b.dtype)
    lu, rows = _parts(np.ascontiguousarray(data).reshape(-1, data.shape[-1]), n, wide)
    routines = LAPACK.get(wide)
    if routines is None:
        lu = lu.reshape(*data.shape[:-1], n, n)
        result = np.linalg.solve(lu if transposed else lu.mT, right)
        np.copyto(out, result.reshape(shape), casting="same_kind")
        return out
    if wide != b.dtype and not as_numpy and count >= n:
        wide, lu = b.dtype, lu.astype(b.dtype)
        routines = LAPACK[wide]
    sides = np.empty((*stack, count, n), wide)
    np.copyto(sides, right.mT)
    routines.substitute(lu, rows, sides.reshape(-1, count, n), transposed)
    np.copyto(out.reshape(*stack, n, count), sides.mT, casting="same_kind")
    return out


def inverse_transposed(
    data: Array, *, n: int, dtype: np.dtype[Any], out: Array | None = None
) -> Array:
    """Return the transposes of inverses.

    Parameters
    ----------
    data : numpy.ndarray
        The factors, as :func:`factors` returns them.
    n : int
        Rows of the matrices.
    dtype : numpy.dtype
        Of the matrices.
    out : numpy.ndarray, optional
        Receives the result, in C order.

    Returns
    -------
    numpy.ndarray
        Of the shape of the matrices.
    """
    wide = _wide(dtype)
    if out is None:
        out = np.empty((*data.shape[:-1], n, n), dtype)
    if not out.size:
        return out
    lu, rows = _parts(np.ascontiguousarray(data).reshape(-1, data.shape[-1]), n, wide)
    routines = LAPACK.get(wide)
    result = out.reshape(-1, n, n)
    if routines is None:
        np.copyto(result, np.linalg.inv(lu), casting="same_kind")
        return out
    np.copyto(result, lu, casting="same_kind")
    LAPACK[dtype].invert(result, rows)
    return out


TRIANGULAR = LIBRARY["linalg.solve_triangular"] = library_op(
    "linalg.solve_triangular", solve_triangular, supports_out=True
)
"""The library op, of two sources: matrices and right sides."""

FACTORS = LIBRARY["linalg.factors"] = replace(
    library_op("linalg.factors", factors, supports_out=True), spares=np.linalg.solve
)
"""The factors of matrices, its one source."""

SOLUTION = LIBRARY["linalg.factored_solution"] = library_op(
    "linalg.factored_solution", solution, supports_out=True
)
"""Solutions; the sources are factors and right sides."""

INVERSE = LIBRARY["linalg.factored_inverse"] = library_op(
    "linalg.factored_inverse", inverse_transposed, supports_out=True
)
"""Transposed inverses; the source are factors."""
