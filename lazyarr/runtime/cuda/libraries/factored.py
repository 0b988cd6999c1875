"""LU factors by cuSOLVER and cuBLAS, and solutions, inverses and determinants made of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.cusolver import refuse
from lazyarr.runtime.cuda.libraries.cusolver_calls import (
    at_once,
    call,
    check,
    columns_of,
    deliver,
    pointers,
    prefix,
    spread,
)
from lazyarr.runtime.cuda.libraries.handles import data_type
from lazyarr.runtime.cuda.libraries.registry import on_device
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["factored_inverse", "factored_solution", "factors"]

_PLAIN, _TRANSPOSED = 0, 1
_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


@dataclass(frozen=True, slots=True)
class _Factors:
    """LU factors of a stack by columns, and the exchanged rows.

    The exchanged rows are 32-bit numbers if all were factored at once.
    """

    lu: Strided
    pivots: Strided

    def spread(self, work: Work, stack: tuple[int, ...], target: tuple[int, ...]) -> _Factors:
        """Return the factors for the matrices of a broadcast stack.

        Parameters
        ----------
        work : Work
            Queues kernels and lends memory for one call.
        stack : tuple of int
            Shape of the stack that was factored.
        target : tuple of int
            Shape of the stack that it is broadcast to.
        """
        if self.lu.shape[0] == 1 or stack == target:
            return self
        return _Factors(*(spread(work, x, stack, target) for x in (self.lu, self.pivots)))

    @classmethod
    def within(cls, data: Strided, n: int, dtype: np.dtype[Any]) -> _Factors:
        """Return the factors in a value of :func:`lazyarr.ops.triangular.factors`.

        Parameters
        ----------
        data : Strided
            The bytes of a stack of factors.
        n : int
            Rows of a matrix.
        dtype : numpy.dtype
            Of the matrices.
        """
        count, size = prod(data.shape[:-1]), dtype.itemsize
        lu = Strided(data.address, (count, n, n), (data.shape[-1] // size, n, 1), dtype, data.keep)
        rows = _INT32 if at_once(lu, tuning.row().stacked_lu) else _INT64
        start = data.address + n * n * np.result_type(dtype, np.float64).itemsize
        steps = (data.shape[-1] // rows.itemsize, 1)
        return cls(lu, Strided(start, (count, n), steps, rows, data.keep))


def _factored(work: Work, a: Strided) -> tuple[_Factors, Strided]:
    """Return factors of matrices and the outcomes."""
    lu = columns_of(work, a)
    count, n, _ = lu.shape
    info = work.zeros((count,), _INT32)
    if at_once(lu, tuning.row().stacked_lu):
        pivots = work.empty((count, n), _INT32)
        addresses = pointers(work, lu, count)
        with work.libraries.lock:
            cublas, handle = work.libraries.opened("cublas")
            factor = getattr(cublas, f"{prefix(a.dtype)}getrf_batched")
            factor(handle, n, addresses.address, n, pivots.address, info.address, count)
        return _Factors(lu, pivots), info
    kind = data_type(a.dtype)
    pivots = work.empty((count, n), _INT64)
    for k in range(count):
        matrix = (n, n, kind, lu.at(k).address, n)
        args = (*matrix, pivots.at(k).address, kind)
        call(work, "xgetrf", (*matrix, kind), args, info.at(k).address)
    return _Factors(lu, pivots), info


def _substituted(work: Work, factors: _Factors, right: Strided, transposed: bool = False) -> None:
    """Put solutions in the place of right sides by columns; factors of one matrix serve all."""
    lu, pivots = factors.lu, factors.pivots
    order = _TRANSPOSED if transposed else _PLAIN
    n, kind = lu.shape[-1], data_type(lu.dtype)
    if pivots.dtype == _INT32:
        count = right.shape[0]
        first, second = pointers(work, lu, count), pointers(work, right, count)
        pivots = work.contiguous(pivots)
        outcome = np.zeros(1, np.int32)
        with work.libraries.lock:
            cublas, handle = work.libraries.opened("cublas")
            substitute = getattr(cublas, f"{prefix(lu.dtype)}getrs_batched")
            substitute(
                handle, order, n, right.shape[1], first.address, n, pivots.address,
                second.address, n, outcome.ctypes.data, count,
            )  # fmt: skip
        return
    if lu.shape[0] == 1:
        # By columns, right sides that lie one after another are those of one matrix.
        right = right.seen((1, right.shape[0] * right.shape[1], n))
    ignored = work.empty((1,), _INT32)
    with work.libraries.lock:
        solver, handle = work.libraries.opened("cusolverDn")
        parameters = work.libraries.solver_parameters
        for k in range(right.shape[0]):
            solver.xgetrs(
                handle, parameters, order, n, right.shape[1], kind, lu.at(k).address, n,
                pivots.at(k).address, kind, right.at(k).address, n, ignored.address,
            )  # fmt: skip


@on_device(np.linalg.solve, "cuSOLVER", refuse)
def _solve(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    own, info = _factored(work, a)
    _solve_by(work, out, own, a.shape[:-2], b)
    check(work, info, "Singular matrix")


def _solve_by(
    work: Work,
    out: Strided,
    factors: _Factors,
    stack: tuple[int, ...],
    b: Strided,
    transposed: bool = False,
) -> None:
    """Queue the solutions for a stack of factors."""
    if b.ndim == 1:
        b = b.seen((*b.shape, 1), (*b.strides, 1))
        out = out.seen((*out.shape, 1), (*out.strides, 1))
    target = out.shape[:-2]
    right = columns_of(work, b.broadcast((*target, *b.shape[-2:])))
    _substituted(work, factors.spread(work, stack, target), right, transposed)
    deliver(work, right, out)


def factors(work: Work, out: Strided, a: Strided) -> None:
    """Queue the LU factors of matrices, in bytes as :func:`lazyarr.ops.triangular.factors` has.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : Strided
        The bytes.
    a : Strided
        Of shape (..., n, n).
    """
    own, info = _factored(work, a)
    within = _Factors.within(out, a.shape[-1], a.dtype)
    work.copy(own.lu, within.lu)
    work.copy(own.pivots, within.pivots)
    check(work, info, "Singular matrix")


def factored_solution(
    work: Work, out: Strided, data: Strided, b: Strided, *, transposed: bool, as_numpy: bool
) -> None:
    """Queue solutions by factors; the arguments are those of the function of the host.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out, data, b : Strided
        Result, factors and right sides.
    transposed, as_numpy : bool
        Whether the system is of the transpose; whether it is NumPy's, which changes nothing.
    """
    own = _Factors.within(data, b.shape[-2 if b.ndim > 1 else 0], b.dtype)
    _solve_by(work, out, own, data.shape[:-1], b, transposed)


def factored_inverse(
    work: Work, out: Strided, data: Strided, *, n: int, dtype: np.dtype[Any]
) -> None:
    """Queue the transposes of inverses.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out, data : Strided
        Result and factors.
    n : int
        Rows of the matrices.
    dtype : numpy.dtype
        Of the matrices.
    """
    own = _Factors.within(data, n, dtype)
    right = work.identity(own.lu.shape[0], n, dtype)
    _substituted(work, own, right)
    work.copy(right, out.seen(right.shape))


@on_device(np.linalg.inv, "cuSOLVER", refuse)
def _inv(work: Work, out: Strided, a: Strided) -> None:
    factors, info = _factored(work, a)
    right = work.identity(factors.lu.shape[0], a.shape[-1], a.dtype)
    _substituted(work, factors, right)
    deliver(work, right, out)
    check(work, info, "Singular matrix")


def _determinants(work: Work, a: Strided) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the diagonals of LU factors and the signs of their exchanges, on the host."""
    factors, _ = _factored(work, a)
    n = a.shape[-1]
    shape = (*a.shape[:-2], n)
    diagonal = work.download(factors.lu.diagonal()).reshape(shape)
    exchanged = work.download(factors.pivots).reshape(shape) != np.arange(1, n + 1)
    return diagonal, np.where(exchanged.sum(axis=-1) % 2, -1.0, 1.0).astype(a.dtype)


@on_device(np.linalg.det, "cuSOLVER", refuse)
def _det(work: Work, out: Strided, a: Strided) -> None:
    diagonal, sign = _determinants(work, a)
    with np.errstate(all="ignore"):
        work.upload_to(out, np.asarray(sign * diagonal.prod(axis=-1), out.dtype))


@on_device(np.linalg.slogdet, "cuSOLVER", refuse)
def _slogdet(work: Work, out: tuple[Strided, Strided], a: Strided) -> None:
    diagonal, sign = _determinants(work, a)
    size = np.abs(diagonal)
    with np.errstate(all="ignore"):
        units = np.where(size == 0, 0, diagonal / size)
        logarithm = np.log(size).sum(axis=-1)
    work.upload_to(out[0], np.asarray(sign * units.prod(axis=-1), out[0].dtype))
    work.upload_to(out[1], np.asarray(logarithm, out[1].dtype))
