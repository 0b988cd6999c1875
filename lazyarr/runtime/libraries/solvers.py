"""Linear algebra by cuSOLVER: matrices are copied to Fortran's order, a stack one after another."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lazyarr.runtime.libraries.handles import data_type
from lazyarr.runtime.libraries.strided import Strided
from lazyarr.runtime.libraries.table import on_device
from lazyarr.runtime.libraries.work import Work

__all__: list[str] = []

_LOWER, _UPPER = 0, 1
_VALUES_ONLY, _WITH_VECTORS = 0, 1
_PLAIN = 0
_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_DTYPES = frozenset(np.dtype(name) for name in ("f4", "f8", "c8", "c16"))
_PREFIX = {"f4": "s", "f8": "d", "c8": "c", "c16": "z"}


def _refuse(out: Any, a: Strided, *others: Any, **keywords: Any) -> str | None:
    """Return why the host must do a decomposition, or None."""
    for x in (a, *others):
        if isinstance(x, Strided) and x.dtype not in _DTYPES:
            return f"cuSOLVER has no {x.dtype.name}"
        if isinstance(x, Strided) and not x.size:
            return "the matrix is empty"
    if keywords.get("hermitian"):
        return "hermitian=True is left to NumPy"
    return None


def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def _stack(work: Work, x: Strided) -> Strided:
    """Return a private copy of matrices by columns, one stacking axis: ``[k, column, row]``."""
    packed = work.columns(x)
    shape = (prod(x.shape[:-2]), *packed.shape[-2:])
    return packed.seen(shape)


def _deliver(work: Work, columns: Strided, out: Strided) -> None:
    """Copy matrices by columns into a contiguous result."""
    shape = (columns.shape[0], *out.shape[-2:])
    flat = out.seen(shape)
    work.copy(columns.turned, flat)


def _call(work: Work, name: str, sizing: tuple[int, ...], args: tuple[int, ...], info: int) -> None:
    """Queue one of cuSOLVER's 64-bit functions, which take work space here and on the host.

    `sizing` are the arguments of the function that says how much; `args` those of the function
    itself before the work space.
    """
    libraries = work.libraries
    with libraries.lock:
        solver, handle = libraries.opened("cusolverDn")
        parameters = libraries.solver_parameters
        here, on_host = getattr(solver, f"{name}_buffer_size")(handle, parameters, *sizing)
        space = work.empty((max(here, 1),), np.dtype(np.uint8))
        host = np.empty(max(on_host, 1), np.uint8)
        getattr(solver, name)(
            handle, parameters, *args, space.address, here, host.ctypes.data, on_host, info
        )
        if on_host:
            work.queue.synchronize()  # what is queued may still read it


def _check(work: Work, info: Strided, message: str) -> None:
    """Wait for the outcomes of a stack.

    Raises
    ------
    numpy.linalg.LinAlgError
        If one of them is not 0.
    """
    if work.download(info).any():
        raise np.linalg.LinAlgError(message)


def _factored(work: Work, a: Strided) -> tuple[Strided, Strided, Strided]:
    """Return LU factors by columns, the exchanged rows, and the outcomes."""
    lu = _stack(work, a)
    count, n, _ = lu.shape
    kind = data_type(a.dtype)
    pivots = work.empty((count, n), _INT64)
    info = work.zeros((count,), _INT32)
    for k in range(count):
        matrix = (n, n, kind, lu.at(k).address, n)
        args = (*matrix, pivots.at(k).address, kind)
        _call(work, "xgetrf", (*matrix, kind), args, info.at(k).address)
    return lu, pivots, info


def _substituted(work: Work, lu: Strided, pivots: Strided, right: Strided) -> None:
    """Put solutions in the place of right sides by columns; stacks of one serve all."""
    n, kind = lu.shape[-1], data_type(lu.dtype)
    ignored = work.empty((1,), _INT32)
    count = max(lu.shape[0], right.shape[0])
    with work.libraries.lock:
        solver, handle = work.libraries.opened("cusolverDn")
        parameters = work.libraries.solver_parameters
        for k in range(count):
            factor = k if lu.shape[0] > 1 else 0
            solver.xgetrs(
                handle, parameters, _PLAIN, n, right.shape[1], kind, lu.at(factor).address, n,
                pivots.at(factor).address, kind, right.at(k).address, n, ignored.address,
            )  # fmt: skip


@on_device(np.linalg.solve, "cuSOLVER", _refuse)
def _solve(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    if b.ndim == 1:
        b = b.seen((*b.shape, 1), (*b.strides, 1))
        out = out.seen((*out.shape, 1), (*out.strides, 1))
    stack = out.shape[:-2]
    lu, pivots, info = _factored(work, a)
    if lu.shape[0] > 1:
        # Every right side finds its own factors at its own place.
        lu, pivots = (_spread(work, x, a.shape[:-2], stack) for x in (lu, pivots))
    right = _stack(work, b.broadcast((*stack, *b.shape[-2:])))
    _substituted(work, lu, pivots, right)
    _deliver(work, right, out)
    _check(work, info, "Singular matrix")


def _spread(work: Work, x: Strided, stack: tuple[int, ...], wanted: tuple[int, ...]) -> Strided:
    """Return stacked values with one for each of a broadcast stack."""
    if stack == wanted:
        return x
    shape = (*stack, *x.shape[1:])
    full = x.seen(shape)
    packed = work.packed(full.broadcast((*wanted, *x.shape[1:])))
    shape = (prod(wanted), *x.shape[1:])
    return packed.seen(shape)


@on_device(np.linalg.inv, "cuSOLVER", _refuse)
def _inv(work: Work, out: Strided, a: Strided) -> None:
    lu, pivots, info = _factored(work, a)
    right = work.identity(lu.shape[0], a.shape[-1], a.dtype)
    _substituted(work, lu, pivots, right)
    _deliver(work, right, out)
    _check(work, info, "Singular matrix")


def _determinants(work: Work, a: Strided) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the diagonals of LU factors and the signs of their exchanges, on the host."""
    lu, pivots, _ = _factored(work, a)
    n = a.shape[-1]
    shape = (*a.shape[:-2], n)
    diagonal = work.download(lu.diagonal()).reshape(shape)
    exchanged = work.download(pivots).reshape(shape) != np.arange(1, n + 1)
    return diagonal, np.where(exchanged.sum(axis=-1) % 2, -1.0, 1.0).astype(a.dtype)


@on_device(np.linalg.det, "cuSOLVER", _refuse)
def _det(work: Work, out: Strided, a: Strided) -> None:
    diagonal, sign = _determinants(work, a)
    with np.errstate(all="ignore"):
        work.upload_to(out, np.asarray(sign * diagonal.prod(axis=-1), out.dtype))


@on_device(np.linalg.slogdet, "cuSOLVER", _refuse)
def _slogdet(work: Work, out: tuple[Strided, Strided], a: Strided) -> None:
    diagonal, sign = _determinants(work, a)
    size = np.abs(diagonal)
    with np.errstate(all="ignore"):
        units = np.where(size == 0, 0, diagonal / size)
        logarithm = np.log(size).sum(axis=-1)
    work.upload_to(out[0], np.asarray(sign * units.prod(axis=-1), out[0].dtype))
    work.upload_to(out[1], np.asarray(logarithm, out[1].dtype))


@on_device(np.linalg.cholesky, "cuSOLVER", _refuse)
def _cholesky(work: Work, out: Strided, a: Strided, upper: bool = False) -> None:
    factor = _stack(work, a)
    count, n, _ = factor.shape
    kind = data_type(a.dtype)
    info = work.zeros((count,), _INT32)
    for k in range(count):
        args = (_UPPER if upper else _LOWER, n, kind, factor.at(k).address, n, kind)
        _call(work, "xpotrf", args, args, info.at(k).address)
    _deliver(work, factor, out)
    work.keep_triangle(out, not upper)
    _check(work, info, "Matrix is not positive definite")


def _eigen(
    work: Work,
    a: Strided,
    triangle: str,
    vectors: bool,
) -> tuple[Strided, Strided]:
    """Return eigenvalues, ascending, and eigenvectors by columns."""
    held = _stack(work, a)
    count, n, _ = held.shape
    kind, real = data_type(a.dtype), _real(a.dtype)
    values = work.empty((count, n), real)
    info = work.zeros((count,), _INT32)
    job = _WITH_VECTORS if vectors else _VALUES_ONLY
    half = _LOWER if triangle.upper() == "L" else _UPPER
    for k in range(count):
        matrix = (job, half, n, kind, held.at(k).address, n)
        args = (*matrix, data_type(real), values.at(k).address, kind)
        _call(work, "xsyevd", args, args, info.at(k).address)
    _check(work, info, "Eigenvalues did not converge")
    return values, held


@on_device(np.linalg.eigh, "cuSOLVER", _refuse)
def _eigh(
    work: Work,
    out: tuple[Strided, Strided],
    a: Strided,
    UPLO: str = "L",  # noqa: N803
) -> None:
    values, vectors = _eigen(work, a, UPLO, True)
    work.queue.copy(out[0].address, values.address, values.nbytes)
    _deliver(work, vectors, out[1])


@on_device(np.linalg.eigvalsh, "cuSOLVER", _refuse)
def _eigvalsh(work: Work, out: Strided, a: Strided, UPLO: str = "L") -> None:  # noqa: N803
    values, _ = _eigen(work, a, UPLO, False)
    work.queue.copy(out.address, values.address, values.nbytes)


def _refuse_eig(out: Any, a: Strided) -> str | None:
    if a.dtype.kind != "c":
        return "cuSOLVER's real eigenvalues have rounding errors for imaginary parts"
    return _refuse(out, a)


@on_device(np.linalg.eig, "cuSOLVER", _refuse_eig)
def _eig(work: Work, out: tuple[Strided, Strided], a: Strided) -> None:
    held = _stack(work, a)
    count, n, _ = held.shape
    kind = data_type(a.dtype)
    values, vectors = work.empty((count, n), a.dtype), work.empty(held.shape, a.dtype)
    info = work.zeros((count,), _INT32)
    for k in range(count):
        args = (
            _VALUES_ONLY, _WITH_VECTORS, n, kind, held.at(k).address, n, kind,
            values.at(k).address, kind, 0, n, kind, vectors.at(k).address, n, kind,
        )  # fmt: skip
        _call(work, "xgeev", args, args, info.at(k).address)
    _check(work, info, "Eigenvalues did not converge")
    work.queue.copy(out[0].address, values.address, values.nbytes)
    _deliver(work, vectors, out[1])


@on_device(np.linalg.qr, "cuSOLVER", _refuse)
def _qr(
    work: Work, out: Strided | tuple[Strided, Strided], a: Strided, mode: str = "reduced"
) -> None:
    q_out, r_out = (None, out) if isinstance(out, Strided) else out
    held = _stack(work, a)
    count, n, m = held.shape
    least = min(m, n)
    kind, size = data_type(a.dtype), a.dtype.itemsize
    tau = work.empty((count, least), a.dtype)
    info = work.zeros((count,), _INT32)
    for k in range(count):
        args = (m, n, kind, held.at(k).address, m, kind, tau.at(k).address, kind)
        _call(work, "xgeqrf", args, args, info.at(k).address)
    rows = r_out.shape[-2]
    _deliver(work, held.cut((count, n, rows)), r_out)
    work.keep_triangle(r_out, False)
    if q_out is None:
        return
    columns = q_out.shape[-1]
    q = held
    if columns != n:
        q = work.zeros((count, columns, m), a.dtype)
        work.copy(held.cut((count, least, m)), q.cut((count, least, m)))
    prefix = _PREFIX[f"{a.dtype.kind}{size}"]
    name = prefix + ("ungqr" if a.dtype.kind == "c" else "orgqr")
    with work.libraries.lock:
        solver, handle = work.libraries.opened("cusolverDn")
        for k in range(count):
            own = (m, columns, least, q.at(k).address, m, tau.at(k).address)
            length = getattr(solver, f"{name}_buffer_size")(handle, *own)
            space = work.empty((max(length, 1),), a.dtype)
            getattr(solver, name)(handle, *own, space.address, length, info.at(k).address)
    _deliver(work, q, q_out)


@on_device(np.linalg.svd, "cuSOLVER", _refuse)
def _svd(
    work: Work,
    out: Strided | tuple[Strided, Strided, Strided],
    a: Strided,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
) -> None:
    """Queue decompositions. cuSOLVER wants no more columns than rows: others are turned."""
    wide = a.shape[-1] > a.shape[-2]
    held = _stack(work, a.turned if wide else a)
    count, n, m = held.shape
    kind, real = data_type(a.dtype), _real(a.dtype)
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
            job, job, m, n, kind, held.at(k).address, m, data_type(real), values.at(k).address,
            kind, left.at(k).address if left else 0, m,
            kind, right.at(k).address if right else 0, n, kind,
        )  # fmt: skip
        _call(work, "xgesvd", args, args, info.at(k).address)
    _check(work, info, "SVD did not converge")
    if left is None or right is None:
        assert isinstance(out, Strided)
        work.queue.copy(out.address, values.address, values.nbytes)
        return
    assert isinstance(out, tuple)
    u, s, vh = out
    work.queue.copy(s.address, values.address, values.nbytes)
    if wide:
        # A.T = U S Vh, so A = Vh.T S U.T; by columns, memory already holds the transposes.
        left, right = right.turned, left.turned
    _deliver(work, left, u)
    _deliver(work, right, vh)
