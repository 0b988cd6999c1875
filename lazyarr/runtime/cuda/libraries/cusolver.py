"""Linear algebra by cuSOLVER and cuBLAS: matrices are copied to Fortran's order.

A stack of small matrices is one call for all of them where there is such a call; large ones, which
fill the device alone, come one after another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.cusolver_calls import (
    at_once,
    call,
    check,
    columns_of,
    deliver,
    pointers,
    prefix,
    real_dtype,
    rotate,
)
from lazyarr.runtime.cuda.libraries.handles import data_type
from lazyarr.runtime.cuda.libraries.registry import on_device
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["eigen", "refuse", "refuse_eigen"]

_LOWER, _UPPER = 0, 1
_VALUES_ONLY, _WITH_VECTORS = 0, 1
_PLAIN, _TRANSPOSED = 0, 1
_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_DTYPES = frozenset(np.dtype(name) for name in ("f4", "f8", "c8", "c16"))


def refuse(
    out: Strided | tuple[Strided, ...], a: Strided, *others: Any, **keywords: Any
) -> str | None:
    """Return the reason for which a decomposition is left to the host, or None.

    Parameters
    ----------
    out : Strided or tuple of Strided
        The results; not looked at.
    a : Strided
        The matrices.
    *others : object
        Further arguments; arrays among them must have supported dtypes, too.
    **keywords
        Those of the NumPy function.
    """
    for x in (a, *others):
        if isinstance(x, Strided) and x.dtype not in _DTYPES:
            return f"cuSOLVER has no {x.dtype.name}"
        if isinstance(x, Strided) and not x.size:
            return "the matrix is empty"
    if keywords.get("hermitian"):
        return "hermitian=True is left to NumPy"
    return None


@on_device(np.linalg.cholesky, "cuSOLVER", refuse)
def _cholesky(work: Work, out: Strided, a: Strided, upper: bool = False) -> None:
    factor = columns_of(work, a)
    count, n, _ = factor.shape
    half = _UPPER if upper else _LOWER
    kind = data_type(a.dtype)
    info = work.zeros((count,), _INT32)
    if at_once(factor, tuning.row().stacked_cholesky):
        addresses = pointers(work, factor, count)
        with work.libraries.lock:
            solver, handle = work.libraries.opened("cusolverDn")
            decompose = getattr(solver, f"{prefix(a.dtype)}potrf_batched")
            decompose(handle, half, n, addresses.address, n, info.address, count)
    else:
        for k in range(count):
            args = (half, n, kind, factor.at(k).address, n, kind)
            call(work, "xpotrf", args, args, info.at(k).address)
    deliver(work, factor, out)
    work.keep_triangle(out, not upper)
    check(work, info, "Matrix is not positive definite")


def _eigen(
    work: Work,
    a: Strided,
    triangle: str,
    vectors: bool,
) -> tuple[Strided, Strided]:
    """Return eigenvalues, ascending, and eigenvectors by columns."""
    columns = columns_of(work, a)
    count, n, _ = columns.shape
    kind, real = data_type(a.dtype), real_dtype(a.dtype)
    values = work.empty((count, n), real)
    info = work.zeros((count,), _INT32)
    job = _WITH_VECTORS if vectors else _VALUES_ONLY
    half = _LOWER if triangle.upper() == "L" else _UPPER
    if count > 1 and n <= tuning.row().rotated:
        name = "heevj" if kind_of(a.dtype) == "c" else "syevj"
        rotate(work, name, (job, half, n, columns.address, n, values.address), info, a.dtype)
    elif at_once(columns, tuning.row().stacked_eigen):
        for k in range(0, count, tuning.row().stacked_at_once):
            some = min(tuning.row().stacked_at_once, count - k)
            matrices = (
                job, half, n, kind, columns.at(k).address, n, data_type(real), values.at(k).address,
                kind,
            )  # fmt: skip
            sizing = (*matrices, some)
            call(work, "xsyev_batched", sizing, matrices, info.at(k).address, some)
    else:
        _decompose_each(work, columns, values, info, job, half)
    check(work, info, "Eigenvalues did not converge")
    return values, columns


def _decompose_each(
    work: Work, columns: Strided, values: Strided, info: Strided, job: int, half: int
) -> None:
    n, kind = columns.shape[-1], data_type(columns.dtype)
    for k in range(columns.shape[0]):
        matrix = (job, half, n, kind, columns.at(k).address, n)
        args = (*matrix, data_type(values.dtype), values.at(k).address, kind)
        call(work, "xsyevd", args, args, info.at(k).address)


@on_device(np.linalg.eigh, "cuSOLVER", refuse)
def _eigh(
    work: Work,
    out: tuple[Strided, Strided],
    a: Strided,
    UPLO: str = "L",  # noqa: N803
) -> None:
    values, vectors = _eigen(work, a, UPLO, True)
    work.queue.copy(out[0].address, values.address, values.nbytes)
    deliver(work, vectors, out[1])


@on_device(np.linalg.eigvalsh, "cuSOLVER", refuse)
def _eigvalsh(work: Work, out: Strided, a: Strided, UPLO: str = "L") -> None:  # noqa: N803
    values, _ = _eigen(work, a, UPLO, False)
    work.queue.copy(out.address, values.address, values.nbytes)


def refuse_eigen(out: tuple[Strided, ...], a: Strided, vectors: bool) -> str | None:
    """Return the reason for which eigenvalues of general matrices are left to the host, or None.

    Of real matrices NumPy distinguishes the real values from the pairs: imaginary parts of the
    first are 0 and parts of the second equal.

    Parameters
    ----------
    out : tuple of Strided
        The results; not looked at.
    a : Strided
        The matrices.
    vectors : bool
        Whether eigenvectors are computed, too.
    """
    if kind_of(a.dtype) != "c":
        return "cuSOLVER's eigenvalues of real matrices have rounding errors for imaginary parts"
    return refuse(out, a, vectors)


def eigen(work: Work, out: tuple[Strided, ...], a: Strided, vectors: bool) -> None:
    """Queue the eigenvalues of complex matrices, and their eigenvectors if asked for.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : tuple of Strided
        Eigenvalues of shape (..., n), and eigenvectors of shape (..., n, n) as columns.
    a : Strided
        Complex, of shape (..., n, n).
    vectors : bool
        Whether eigenvectors are computed.
    """
    matrices = columns_of(work, a)
    count, n, _ = matrices.shape
    kind = data_type(a.dtype)
    values = work.empty((count, n), a.dtype)
    columns = work.empty(matrices.shape, a.dtype) if vectors else None
    info = work.zeros((count,), _INT32)
    job = _WITH_VECTORS if vectors else _VALUES_ONLY
    for k in range(count):
        args = (
            _VALUES_ONLY, job, n, kind, matrices.at(k).address, n, kind, values.at(k).address, kind,
            0, n, kind, columns.at(k).address if columns else 0, n, kind,
        )  # fmt: skip
        call(work, "xgeev", args, args, info.at(k).address)
    check(work, info, "Eigenvalues did not converge")
    work.queue.copy(out[0].address, values.address, values.nbytes)
    if columns:
        deliver(work, columns, out[1])


@on_device(np.linalg.qr, "cuSOLVER", refuse)
def _qr(
    work: Work, out: Strided | tuple[Strided, Strided], a: Strided, mode: str = "reduced"
) -> None:
    q_out, r_out = (None, out) if isinstance(out, Strided) else out
    factors = columns_of(work, a)
    count, n, m = factors.shape
    least = min(m, n)
    kind = data_type(a.dtype)
    tau = work.empty((count, least), a.dtype)
    info = work.zeros((count,), _INT32)
    for k in range(count):
        args = (m, n, kind, factors.at(k).address, m, kind, tau.at(k).address, kind)
        call(work, "xgeqrf", args, args, info.at(k).address)
    rows = r_out.shape[-2]
    deliver(work, factors.cut((count, n, rows)), r_out)
    work.keep_triangle(r_out, False)
    if q_out is None:
        return
    columns = q_out.shape[-1]
    q = factors
    if columns != n:
        q = work.zeros((count, columns, m), a.dtype)
        work.copy(factors.cut((count, least, m)), q.cut((count, least, m)))
    name = prefix(a.dtype) + ("ungqr" if kind_of(a.dtype) == "c" else "orgqr")
    with work.libraries.lock:
        solver, handle = work.libraries.opened("cusolverDn")
        for k in range(count):
            own = (m, columns, least, q.at(k).address, m, tau.at(k).address)
            length = getattr(solver, f"{name}_buffer_size")(handle, *own)
            space = work.empty((max(length, 1),), a.dtype)
            getattr(solver, name)(handle, *own, space.address, length, info.at(k).address)
    deliver(work, q, q_out)


@on_device(np.linalg.svd, "cuSOLVER", refuse)
def _svd(
    work: Work,
    out: Strided | tuple[Strided, Strided, Strided],
    a: Strided,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
) -> None:
    """Queue decompositions. cuSOLVER wants no more columns than rows: others are transposed."""
    wide = a.shape[-1] > a.shape[-2]
    matrices = columns_of(work, a.transposed if wide else a)
    count, n, m = matrices.shape
    if count > 1 and m <= tuning.row().rotated and kind_of(a.dtype) == "f":
        _small_svd(work, out, matrices, wide, full_matrices)
        return
    kind, real = data_type(a.dtype), real_dtype(a.dtype)
    values = work.empty((count, n), real)
    info = work.zeros((count,), _INT32)
    left = right = None
    job = ord("N")
    if compute_uv:
        job = ord("A") if full_matrices else ord("S")
        left = work.empty((count, m if full_matrices else n, m), a.dtype)
        right = work.empty((count, n, n), a.dtype)
    for k in range(count):
        args = (
            job, job, m, n, kind, matrices.at(k).address, m, data_type(real), values.at(k).address,
            kind, left.at(k).address if left else 0, m,
            kind, right.at(k).address if right else 0, n, kind,
        )  # fmt: skip
        call(work, "xgesvd", args, args, info.at(k).address)
    check(work, info, "SVD did not converge")
    if left is None or right is None:
        assert isinstance(out, Strided)
        work.queue.copy(out.address, values.address, values.nbytes)
        return
    assert isinstance(out, tuple)
    u, s, vh = out
    work.queue.copy(s.address, values.address, values.nbytes)
    if wide:
        # A.T = U S Vh, so A = Vh.T S U.T; by columns, memory already holds the transposes.
        left, right = right.transposed, left.transposed
    deliver(work, left, u)
    deliver(work, right, vh)


def _small_svd(
    work: Work,
    out: Strided | tuple[Strided, Strided, Strided],
    matrices: Strided,
    wide: bool,
    full_matrices: bool,
) -> None:
    """Queue the decompositions of a stack of small real matrices by rotations."""
    count, n, m = matrices.shape
    values, info = work.empty((count, n), matrices.dtype), work.zeros((count,), _INT32)
    left, right = (
        work.empty((count, m, m), matrices.dtype),
        work.empty((count, n, n), matrices.dtype),
    )
    vectors = not isinstance(out, Strided)
    args = (
        _WITH_VECTORS if vectors else _VALUES_ONLY, m, n, matrices.address, m, values.address,
        left.address, m, right.address, n,
    )  # fmt: skip
    rotate(work, "gesvdj", args, info, matrices.dtype)
    check(work, info, "SVD did not converge")
    if isinstance(out, Strided):
        work.queue.copy(out.address, values.address, values.nbytes)
        return
    u, s, vh = out
    work.queue.copy(s.address, values.address, values.nbytes)
    # The right vectors come as columns, so that memory holds them as rows.
    right = right.transposed
    if not full_matrices:
        left = left.cut((count, n, m))
    if wide:
        left, right = right.transposed, left.transposed
    deliver(work, left, u)
    deliver(work, right, vh)
