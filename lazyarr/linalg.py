"""Linear algebra: numpy.linalg's functions as lazy calls, norms as fused expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr import build
from lazyarr.array import LazyArray, asarray
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.evaluation import persist
from lazyarr.functions import contraction, movement, reductions, selection
from lazyarr.functions.calling import (
    NO_LAZY_FORM,
    call_library,
    compute_now,
    deliver,
    packed,
    tiny,
)
from lazyarr.functions.contraction import cross, matmul, outer, tensordot, vecdot
from lazyarr.functions.movement import matrix_transpose
from lazyarr.ops.library import eigen
from lazyarr.origin import origin
from lazyarr.protocols import computing_function
from lazyarr.shapes import broadcast_shapes, normalize_axes
from lazyarr.tracing import record_functions

__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

Shape = tuple[int, ...]

_EIG_ROUNDED = "cuSOLVER's eigenvalues of real matrices have rounding errors for imaginary parts"


def __getattr__(name: str) -> Any:
    """Return NumPy's exception, or a function without a lazy form, which computes at once."""
    if name == "LinAlgError":
        return np.linalg.LinAlgError
    found = computing_function(getattr(np.linalg, name, None))
    if found is None:
        raise AttributeError(f"module 'lazyarr.linalg' has no attribute {name!r}")
    return found


def _matrices(a: Any, name: str, *, square: bool) -> LazyArray:
    x = asarray(a)
    if x.ndim < 2:
        raise ShapeError(
            f"{name}: {x.ndim}-dimensional array given. Array must be at least two-dimensional",
            origin=origin(),
        )
    if square and x.shape[-1] != x.shape[-2]:
        raise ShapeError(
            f"{name}: last 2 dimensions of the array must be square, got {x.shape}",
            origin=origin(),
        )
    return x


def _dtype(function: Callable[..., Any], *arrays: LazyArray, **keywords: Any) -> np.dtype[Any]:
    small = [tiny(x.dtype, 1, 1) for x in arrays]
    return np.asarray(function(*small, **keywords)).dtype


def _as(x: LazyArray, dtype: np.dtype[Any]) -> LazyArray:
    """Return `x` in the precision in which NumPy would compute a result of `dtype`."""
    wide = np.dtype(dtype.char.upper()) if x.dtype.kind == "c" and dtype.kind != "c" else dtype
    return x if x.dtype == wide else x.astype(wide)


def _same(name: str, a: Any, *args: Any, **keywords: Any) -> LazyArray:
    function: Callable[..., Any] = getattr(np.linalg, name)
    x = _matrices(a, name, square=True)
    dtype = np.asarray(function(tiny(x.dtype, 1, 1), *args, **keywords)).dtype
    if name != "matrix_power":
        x = _as(x, dtype)
    return call_library(f"linalg.{name}", function, (x, *args), x.shape, dtype, **keywords)


def inv(a: Any) -> LazyArray:
    """Return the inverses of square matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).

    Returns
    -------
    LazyArray
        Of the same shape; a singular matrix raises LinAlgError when evaluated.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).compute()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _same("inv", a)


def cholesky(a: Any, /, *, upper: bool = False) -> LazyArray:
    """Return the Cholesky factors of Hermitian positive definite matrices."""
    return _same("cholesky", a, upper=upper)


def matrix_power(a: Any, n: int) -> LazyArray:
    """Return square matrices raised to an integer power."""
    return _same("matrix_power", a, n)


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> LazyArray:
    """Return the Moore-Penrose pseudo-inverses of matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).
    rcond, rtol : array_like, optional
        Singular values below this part of the largest count as 0; default: 1e-15.
    hermitian : bool
        Whether the matrices are Hermitian, which is faster.

    Returns
    -------
    LazyArray
        Of shape (..., n, m).
    """
    x = _matrices(a, "pinv", square=False)
    if rcond is not None and rtol is not None:
        raise ArgumentError("`rtol` and `rcond` can't be both set.", origin=origin())
    dtype = _dtype(np.linalg.pinv, x)
    if rcond is None:
        rcond = 1e-15 if rtol is None else rtol
    if hermitian or 0 in x.shape:
        shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
        return call_library(
            "linalg.pinv", np.linalg.pinv, (x, rcond), shape, dtype, hermitian=hermitian
        )
    # As NumPy does: the singular values that count are inverted.
    conjugated = x.conj() if x.dtype.kind == "c" else x
    u, s, vh = svd(conjugated, full_matrices=False)
    cutoff = asarray(rcond)[..., None] * reductions.max(s, axis=-1, keepdims=True)
    large = s > cutoff
    inverse = selection.where(large, 1 / s, 0)
    scaled = inverse[..., None] * movement.matrix_transpose(u)
    found: LazyArray = matmul(movement.matrix_transpose(vh), scaled)
    return found


def det(a: Any) -> LazyArray:
    """Return the determinants of square matrices."""
    x = _matrices(a, "det", square=True)
    dtype = _dtype(np.linalg.det, x)
    return call_library("linalg.det", np.linalg.det, (_as(x, dtype),), x.shape[:-2], dtype)


def slogdet(a: Any) -> Any:
    """Return sign and logarithm of the absolute value of determinants."""
    x = _matrices(a, "slogdet", square=True)
    sign, logabsdet = np.linalg.slogdet(tiny(x.dtype, 1, 1))
    outputs = [(x.shape[:-2], np.asarray(part).dtype) for part in (sign, logabsdet)]
    x = _as(x, outputs[0][1])
    return type(np.linalg.slogdet(np.eye(1)))(*packed(np.linalg.slogdet, (x,), outputs))


def solve(a: Any, b: Any) -> LazyArray:
    """Return the solutions of ``a @ x = b``.

    Parameters
    ----------
    a : array_like
        Square matrices.
    b : array_like
        One vector, or matrices of right sides as columns.

    Returns
    -------
    LazyArray
        Of the shape of `b`, with the leading axes broadcast.
    """
    x, y = _matrices(a, "solve", square=True), asarray(b)
    rows = y.shape[-1] if y.ndim == 1 else y.shape[-2] if y.ndim else -1
    if rows != x.shape[-1]:
        raise ShapeError(f"solve: {x.shape} does not fit {y.shape}", origin=origin())
    if y.ndim == 1:
        shape = (*x.shape[:-2], y.shape[-1])
    else:
        with build.located():
            shape = (*broadcast_shapes(x.shape[:-2], y.shape[:-2]), *y.shape[-2:])
    dtype = _dtype(np.linalg.solve, x, y)
    x, y = _as(x, dtype), _as(y, dtype)
    return call_library("linalg.solve", np.linalg.solve, (x, y), shape, dtype)


def eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    """Return eigenvalues (ascending) and eigenvectors of Hermitian matrices, computed once."""
    x = _matrices(a, "eigh", square=True)
    found = np.linalg.eigh(tiny(x.dtype, 1, 1))
    outputs = [(x.shape[:-1], found[0].dtype), (x.shape, found[1].dtype)]
    kind: Callable[..., Any] = type(found)
    x = _as(x, found[1].dtype)
    return kind(*packed(np.linalg.eigh, (x,), outputs, UPLO=UPLO))


def eigvalsh(a: Any, UPLO: str = "L") -> LazyArray:  # noqa: N803 - NumPy's name
    """Return the eigenvalues of Hermitian matrices, ascending."""
    x = _matrices(a, "eigvalsh", square=True)
    dtype = _dtype(np.linalg.eigvalsh, x)
    x = _as(x, dtype)
    return call_library("linalg.eigvalsh", np.linalg.eigvalsh, (x,), x.shape[:-1], dtype, UPLO=UPLO)


def _computed(name: str, *args: Any, **keywords: Any) -> Any:
    """Call a function whose result's shape or dtype depends on the data."""
    return compute_now(getattr(np.linalg, name), args, keywords)


def eig(a: Any) -> Any:
    """Return eigenvalues and eigenvectors; computes, as their dtype depends on the data."""
    x = _matrices(a, "eig", square=True)
    if not _eig_stays(x):
        return compute_now(np.linalg.eig, (x,), {}, _eig_reason(x))
    kind: Callable[..., Any] = type(np.linalg.eig(np.eye(1)))
    return kind(*_device_eig(x, True))


def _eig_stays(x: LazyArray) -> bool:
    """Whether a GPU finds the eigenvalues.

    Of real matrices NumPy tells the real values from the pairs: imaginary parts of the first are 0
    and parts of the second equal. cuSOLVER's have rounding errors.
    """
    return x.device == "cuda" and x.size > 0 and x.dtype.kind == "c"


def _eig_reason(x: LazyArray) -> str:
    return _EIG_ROUNDED if x.device == "cuda" and x.size else NO_LAZY_FORM


def _device_eig(x: LazyArray, vectors: bool) -> tuple[LazyArray, ...]:
    """Return eigenvalues of complex matrices, and eigenvectors if wanted, held on the GPU."""
    outputs = [(x.shape[:-1], x.dtype)] + [(x.shape, x.dtype)] * vectors
    found = packed(eigen, (x, vectors), outputs)
    return (persist(*found),) if len(found) == 1 else persist(*found)


def eigvals(a: Any) -> LazyArray:
    """Return eigenvalues; computes, as their dtype depends on the data."""
    x = _matrices(a, "eigvals", square=True)
    if not _eig_stays(x):
        return asarray(compute_now(np.linalg.eigvals, (x,), {}, _eig_reason(x)))
    return _device_eig(x, False)[0]


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Return NumPy's least-squares solution; computes, as the shape depends on the rank."""
    x, y = asarray(a), asarray(b)
    small = x.ndim != 2 or y.ndim not in (1, 2) or 0 in (*x.shape, *y.shape)
    if x.device != "cuda" or small or x.shape[0] != y.shape[0]:
        return _computed("lstsq", x, y, rcond=rcond)
    return _device_lstsq(x, y, rcond)


def _device_lstsq(
    x: LazyArray, y: LazyArray, rcond: Any
) -> tuple[LazyArray, LazyArray, np.int32, LazyArray]:
    """Return NumPy's least-squares solution by singular values; all large arrays stay there."""
    dtype = np.linalg.lstsq(tiny(x.dtype, 1, 1), tiny(y.dtype, 1, 1), rcond=None)[0].dtype
    m, n = x.shape
    x, y = _as(x, dtype), _as(y, dtype)
    right = y if y.ndim == 2 else y[:, None]
    u, s, vh = persist(*svd(x, full_matrices=False))
    sizes = np.asarray(s)
    if rcond is None:
        rcond = np.finfo(dtype).eps * max(m, n)
    rank = int((sizes > (np.finfo(dtype).eps if rcond < 0 else rcond) * sizes[0]).sum())
    kept = u[:, :rank], s[:rank], vh[:rank]
    turned = [part.conj() if dtype.kind == "c" else part for part in (kept[0], kept[2])]
    solution = turned[1].T @ ((turned[0].T @ right) / kept[1][:, None])
    if rank == n and m > n:
        rest = abs(right - x @ solution)
        residuals = reductions.sum(rest * rest, axis=0)
    else:
        residuals = asarray(np.empty(0, sizes.dtype))
    found = persist(solution if y.ndim == 2 else solution[:, 0], residuals)
    return found[0], found[1], np.int32(rank), s


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Return singular value decompositions ``U, S, Vh``, computed once.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).
    full_matrices : bool
        Whether U and Vh are square.
    compute_uv : bool
        Otherwise only S is returned.
    hermitian : bool
        Whether the matrices are Hermitian, which is faster.

    Returns
    -------
    SVDResult of LazyArray, or LazyArray
        U, S, Vh; or S.
    """
    x = _matrices(a, "svd", square=False)
    m, n = x.shape[-2:]
    k = min(m, n)
    batch = x.shape[:-2]
    if not compute_uv:
        return svdvals(x)
    found = np.linalg.svd(tiny(x.dtype, 1, 1))
    rows, columns = (m, n) if full_matrices else (k, k)
    shapes = [(*batch, m, rows), (*batch, k), (*batch, columns, n)]
    outputs = [(shape, part.dtype) for shape, part in zip(shapes, found, strict=True)]
    kind: Callable[..., Any] = type(found)
    x = _as(x, found[0].dtype)
    return kind(
        *packed(np.linalg.svd, (x,), outputs, full_matrices=full_matrices, hermitian=hermitian)
    )


def svdvals(x: Any, /) -> LazyArray:
    """Return the singular values, descending."""
    made = _matrices(x, "svdvals", square=False)
    shape = (*made.shape[:-2], min(made.shape[-2:]))
    dtype = np.linalg.svd(tiny(made.dtype, 1, 1), compute_uv=False).dtype
    made = _as(made, dtype)
    return call_library("linalg.svd", np.linalg.svd, (made,), shape, dtype, compute_uv=False)


def qr(a: Any, mode: str = "reduced") -> Any:
    """Return QR decompositions; `mode` is NumPy's."""
    x = _matrices(a, "qr", square=False)
    m, n = x.shape[-2:]
    k = min(m, n)
    batch = x.shape[:-2]
    dtype = np.linalg.qr(tiny(x.dtype, 1, 1))[0].dtype
    x = _as(x, dtype)
    match mode:
        case "reduced":
            shapes: list[Shape] = [(*batch, m, k), (*batch, k, n)]
        case "complete":
            shapes = [(*batch, m, m), (*batch, m, n)]
        case "r":
            return call_library("linalg.qr", np.linalg.qr, (x,), (*batch, k, n), dtype, mode="r")
        case "raw":
            return _computed("qr", x, mode="raw")
        case _:
            raise ArgumentError(f"Unrecognized mode {mode!r}", origin=origin())
    outputs = [(shape, dtype) for shape in shapes]
    kind: Callable[..., Any] = type(np.linalg.qr(np.eye(1)))
    return kind(*packed(np.linalg.qr, (x,), outputs, mode=mode))


def matrix_rank(
    A: Any,  # noqa: N803 - NumPy's name
    tol: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> LazyArray:
    """Return the ranks of matrices, by the number of singular values above a tolerance."""
    x = asarray(A)
    if x.ndim < 2:
        return reductions.any(x != 0).astype(np.int64)  # type: ignore[no-any-return]
    if tol is not None and rtol is not None:
        raise ArgumentError("`tol` and `rtol` can't be both set.", origin=origin())
    if hermitian or 0 in x.shape:
        options = {key: held for key, held in (("tol", tol), ("rtol", rtol)) if held is not None}
        return call_library(
            "linalg.matrix_rank",
            np.linalg.matrix_rank,
            (x,),
            x.shape[:-2],
            np.int64,
            hermitian=hermitian,
            **options,
        )
    values = svdvals(x)
    if tol is None:
        share = max(x.shape[-2:]) * np.finfo(values.dtype).eps
        if rtol is not None:
            share = asarray(rtol)[..., None]
        least = reductions.max(values, axis=-1, keepdims=True) * share
    else:
        least = asarray(tol)[..., None]
    return reductions.sum(values > least, axis=-1, dtype=np.int64)  # type: ignore[no-any-return]


def cond(x: Any, p: Any = None) -> LazyArray:
    """Return the condition numbers of matrices."""
    made = _matrices(x, "cond", square=p not in (None, 2, -2))
    dtype = _dtype(np.linalg.cond, made, p=p)
    return call_library("linalg.cond", np.linalg.cond, (made,), made.shape[:-2], dtype, p=p)


def _inexact(x: Any) -> LazyArray:
    made = asarray(x)
    return made if made.dtype.kind in "fc" else made.astype(np.float64)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> LazyArray:
    """Return a norm of vectors or matrices, as NumPy's `ord` names it.

    Parameters
    ----------
    x : array_like
        Input.
    ord : number or str, optional
        Default: the root of the sum of squares.
    axis : int or pair of int, optional
        Of the vectors or matrices; default: all.
    keepdims : bool
        Keep the axes, with length one.

    Returns
    -------
    LazyArray
        Real.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.linalg.norm([3.0, 4.0]).compute()
    array(5.)
    """
    made = _inexact(x)
    axes = reductions.axes_of(axis, made.ndim)
    if ord is None or (ord == 2 and len(axes) == 1):
        if axis is not None and len(axes) > 2:
            raise ShapeError("Improper number of dimensions to norm.", origin=origin())
        return vector_norm(made, axis=axes, keepdims=keepdims)
    if len(axes) == 1:
        return vector_norm(made, axis=axes, keepdims=keepdims, ord=ord)
    if len(axes) != 2:
        raise ShapeError("Improper number of dimensions to norm.", origin=origin())
    pair = tuple(axis) if axis is not None else (0, 1)
    return _matrix_norm(made, pair, keepdims, ord)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> LazyArray:
    """Return ``sum(abs(x)**ord)**(1/ord)`` over axes; `ord` may be 0 or infinite."""
    made = _inexact(x)
    options = {"axis": axis, "keepdims": keepdims}
    found: LazyArray
    if isinstance(ord, str):
        raise ArgumentError(f"Invalid norm order {ord!r} for vectors", origin=origin())
    if ord == 2:
        if made.dtype.kind == "c":
            squares = made.real * made.real + made.imag * made.imag
        else:
            squares = made * made
        found = reductions.sum(squares, **options) ** 0.5
        return found
    size = abs(made)
    if ord == float("inf"):
        found = reductions.max(size, **options)
    elif ord == float("-inf"):
        found = reductions.min(size, **options)
    elif ord == 0:
        found = reductions.sum((size != 0).astype(size.dtype), **options)
    elif ord == 1:
        found = reductions.sum(size, **options)
    else:
        found = reductions.sum(size**ord, **options) ** (1.0 / ord)
    return found


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> LazyArray:
    """Return a norm of the matrices in the last two axes."""
    return _matrix_norm(_inexact(x), (-2, -1), keepdims, ord)


def _matrix_norm(x: LazyArray, axis: Any, keepdims: bool, ord: Any) -> LazyArray:
    with build.located():
        axes = normalize_axes(axis, x.ndim)
    rows, columns = (k % x.ndim for k in axis)
    if ord is None or ord == "fro":
        return vector_norm(x, axis=axes, keepdims=keepdims)
    found: LazyArray
    if ord in (1, -1, float("inf"), float("-inf")):
        inside, outside = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = reductions.sum(abs(x), axis=inside, keepdims=True)
        pick = reductions.max if ord > 0 else reductions.min
        found = pick(sums, axis=outside, keepdims=True)
    elif ord in (2, -2, "nuc"):
        values = svdvals(movement.moveaxis(x, (rows, columns), (-2, -1)))
        picks: dict[Any, Callable[..., Any]] = {
            2: reductions.max,
            -2: reductions.min,
            "nuc": reductions.sum,
        }
        found = movement.expand_dims(picks[ord](values, axis=-1), axes)
    else:
        raise ArgumentError(f"Invalid norm order {ord!r} for matrices", origin=origin())
    return found if keepdims else movement.squeeze(found, axes)


def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """Return the product of several matrices, in the order of operations that is cheapest."""
    parts = [asarray(part) for part in arrays]
    if len(parts) < 2:
        raise ArgumentError("Expecting at least two arrays.", origin=origin())
    if len(parts) == 2:
        return matmul(parts[0], parts[1], out=out)
    left = parts[0].shape[0] if parts[0].ndim == 2 else None
    right = parts[-1].shape[1] if parts[-1].ndim == 2 else None
    shape = tuple(n for n in (left, right) if n is not None)
    dtype = build.promote(*[part._node for part in parts])
    return deliver(
        call_library("linalg.multi_dot", np.linalg.multi_dot, (parts,), shape, dtype), out
    )


def diagonal(x: Any, /, *, offset: int = 0) -> LazyArray:
    """Return the diagonals of the matrices in the last two axes."""
    return movement.diagonal(x, offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> LazyArray:
    """Return the sums of the diagonals of the matrices in the last two axes."""
    return asarray(contraction.trace(x, offset, -2, -1, dtype))


record_functions(globals(), __all__)
