"""Factorisations, inverses, determinants and solutions: calls of LAPACK."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Literal, overload

import numpy as np

from lazyarr.arrays.coercion import NO_VALUE
from lazyarr.arrays.evaluation import persist
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, asarray
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.linalg.arguments import in_precision, matrices, result_dtype
from lazyarr.linalg.results import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from lazyarr.numpy_api import movement, reductions, selection
from lazyarr.numpy_api.gufuncs import check_core_axes, check_core_sizes
from lazyarr.numpy_api.library_calls import (
    NO_LAZY_FORM,
    call_library,
    compute_now,
    device_library,
    packed,
    tiny,
)
from lazyarr.numpy_api.matrix_products import matmul
from lazyarr.numpy_api.ufunc_arguments import check_outputs
from lazyarr.ops.eigenvalues import eigen
from lazyarr.runtime.cpu.factor_stacks import FUNCTIONS
from lazyarr.tracing import record_functions

__all__ = [
    "cholesky",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matrix_power",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
]

Shape = tuple[int, ...]


def _same(name: str, a: Any, *args: Any, **keywords: Any) -> LazyArray:
    function: Callable[..., Any] = FUNCTIONS.get(name) or getattr(np.linalg, name)
    x = matrices(a, name, square=True)
    dtype = np.asarray(function(tiny(x.dtype, 1, 1), *args, **keywords)).dtype
    if name != "matrix_power":
        x = in_precision(x, dtype)
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
    """Return the Cholesky factors of Hermitian positive definite matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n), Hermitian and positive definite; only one triangle is read.
    upper : bool
        Return ``U`` with ``a = U^H U`` instead of the lower ``L`` with ``a = L L^H``.

    Returns
    -------
    LazyArray
        Of the same shape; a matrix that is not positive definite raises LinAlgError when
        evaluated.
    """
    return _same("cholesky", a, upper=upper)


def matrix_power(a: Any, n: int) -> LazyArray:
    """Return square matrices raised to an integer power.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).
    n : int
        The exponent; a negative one powers the inverse, 0 gives the identity.

    Returns
    -------
    LazyArray
        Of the same shape; `a` itself for 1, as in NumPy.
    """
    power = _same("matrix_power", a, n)  # which checks the arguments
    return a if isinstance(a, LazyArray) and operator.index(n) == 1 else power


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NO_VALUE) -> LazyArray:
    """Return the Moore-Penrose pseudo-inverses of matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n).
    rcond, rtol : array_like, optional
        Singular values below this part of the largest count as 0; default: 1e-15, and the precision
        of the dtype where `rtol` is None.
    hermitian : bool
        Whether the matrices are Hermitian, which is faster.

    Returns
    -------
    LazyArray
        Of shape (..., n, m).
    """
    x = matrices(a, "pinv", square=False)
    if rcond is not None and rtol is not NO_VALUE:
        raise ArgumentError("`rtol` and `rcond` can't be both set.", origin=origin())
    # Of no elements NumPy computes nothing, in any dtype.
    dtype = x.dtype if 0 in x.shape[-2:] else result_dtype(np.linalg.pinv, x)
    if rcond is None and rtol is None:
        rcond = max(x.shape[-2:]) * np.finfo(x.dtype).eps
    elif rcond is None:
        rcond = 1e-15 if rtol is NO_VALUE else rtol
    if hermitian and 0 not in x.shape[-2:]:
        x = matrices(x, "pinv", square=True)
    if hermitian or 0 in x.shape:
        shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
        return call_library(
            "linalg.pinv", np.linalg.pinv, (x, rcond), shape, dtype, hermitian=hermitian
        )
    # As NumPy does: the singular values that count are inverted.
    conjugated = x.conj() if kind_of(x.dtype) == "c" else x
    u, s, vh = svd(conjugated, full_matrices=False)
    cutoff = as_lazy(rcond)[..., None] * reductions.max(s, axis=-1, keepdims=True)
    large = s > cutoff
    check_outputs([large.shape], s)
    # As in NumPy the others are not divided by, and warn of nothing.
    inverse = selection.where(large, 1 / selection.where(large, s, 1), 0)
    scaled = inverse[..., None] * movement.matrix_transpose(u)
    pseudoinverse: LazyArray = matmul(movement.matrix_transpose(vh), scaled)
    # The derivative exists where singular values are equal, too, and that of the factors does not.
    return LazyArray(build.derived(pseudoinverse._node, (x._node,), "pinv"))


def det(a: Any) -> LazyArray:
    """Return the determinants of square matrices."""
    x = matrices(a, "det", square=True)
    dtype = result_dtype(np.linalg.det, x)
    return call_library("linalg.det", np.linalg.det, (in_precision(x, dtype),), x.shape[:-2], dtype)


def slogdet(a: Any) -> SlogdetResult:
    """Return sign and logarithm of the absolute value of determinants."""
    x = matrices(a, "slogdet", square=True)
    sign, logabsdet = np.linalg.slogdet(tiny(x.dtype, 1, 1))
    outputs = [(x.shape[:-2], np.asarray(part).dtype) for part in (sign, logabsdet)]
    x = in_precision(x, outputs[0][1])
    return SlogdetResult(*packed(np.linalg.slogdet, (x,), outputs))


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
    x, y = matrices(a, "solve", square=True), as_lazy(b)
    one = y.ndim == 1
    solver = ("solve1", "(m,m),(m)->(m)") if one else ("solve", "(m,m),(m,n)->(m,n)")
    check_core_axes(*solver, x.shape, y.shape)
    check_core_sizes(*solver, x.shape, y.shape)
    if y.ndim == 1:
        shape = (*x.shape[:-2], y.shape[-1])
    else:
        with build.located():
            shape = (*broadcast_shapes(x.shape[:-2], y.shape[:-2]), *y.shape[-2:])
    dtype = result_dtype(np.linalg.solve, x, y)
    x, y = in_precision(x, dtype), in_precision(y, dtype)
    return call_library("linalg.solve", np.linalg.solve, (x, y), shape, dtype)


def _check_triangle(which: Any) -> None:
    if not isinstance(which, str) or which.upper() not in ("L", "U"):
        raise ArgumentError("UPLO argument must be 'L' or 'U'", origin=origin())


def eigh(a: Any, UPLO: str = "L") -> EighResult:  # noqa: N803 - NumPy's name
    """Return the eigenvalues (ascending) and eigenvectors of Hermitian matrices, computed once.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).
    UPLO : {"L", "U"}
        The triangle of `a` that is read.

    Returns
    -------
    EighResult of LazyArray
        Real eigenvalues of shape (..., n), and eigenvectors as the columns of (..., n, n).
    """
    _check_triangle(UPLO)
    x = matrices(a, "eigh", square=True)
    example = np.linalg.eigh(tiny(x.dtype, 1, 1))
    outputs = [(x.shape[:-1], example[0].dtype), (x.shape, example[1].dtype)]
    x = in_precision(x, example[1].dtype)
    return EighResult(*packed(np.linalg.eigh, (x,), outputs, UPLO=UPLO))


def eigvalsh(a: Any, UPLO: str = "L") -> LazyArray:  # noqa: N803 - NumPy's name
    """Return the eigenvalues of Hermitian matrices, ascending.

    Parameters
    ----------
    a : array_like
        Of shape (..., n, n).
    UPLO : {"L", "U"}
        The triangle of `a` that is read.

    Returns
    -------
    LazyArray
        Real, of shape (..., n).
    """
    _check_triangle(UPLO)
    x = matrices(a, "eigvalsh", square=True)
    dtype = result_dtype(np.linalg.eigvalsh, x)
    x = in_precision(x, dtype)
    return call_library("linalg.eigvalsh", np.linalg.eigvalsh, (x,), x.shape[:-1], dtype, UPLO=UPLO)


def _computed(name: str, *args: Any, **keywords: Any) -> Any:
    """Call a function whose result's shape or dtype depends on the data."""
    return compute_now(getattr(np.linalg, name), args, keywords)


def eig(a: Any) -> EigResult:
    """Return eigenvalues and eigenvectors; computes, as their dtype depends on the data."""
    x = matrices(a, "eig", square=True)
    parts, reason = _device_eig(x, True)
    return EigResult(*(parts or compute_now(np.linalg.eig, (x,), {}, reason)))


def _device_eig(x: LazyArray, vectors: bool) -> tuple[tuple[LazyArray, ...], str]:
    """Return eigenvalues on the matrices' device, with `vectors` also eigenvectors, and by whom.

    Nothing, and the reason, where no library of the device computes them.
    """
    if not is_on_device(x._node) or not x.size:
        return (), NO_LAZY_FORM
    outputs = [(x.shape[:-1], x.dtype)] + [(x.shape, x.dtype)] * vectors
    parts = packed(eigen, (x, vectors), outputs)
    (pack,) = parts[0]._node.src
    stays, library = device_library(x.device, pack)
    if not stays:
        return (), library
    return ((persist(*parts),) if len(parts) == 1 else persist(*parts)), library


def eigvals(a: Any) -> LazyArray:
    """Return eigenvalues; computes, as their dtype depends on the data."""
    x = matrices(a, "eigvals", square=True)
    parts, reason = _device_eig(x, False)
    return as_lazy(parts[0] if parts else compute_now(np.linalg.eigvals, (x,), {}, reason))


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[LazyArray, LazyArray, np.int32, LazyArray]:
    """Return NumPy's least-squares solution; computes, as the shape depends on the rank.

    Parameters
    ----------
    a : array_like
        Of shape (m, n).
    b : array_like
        Right sides, of shape (m,) or (m, k).
    rcond : float, optional
        Singular values below this part of the largest count as 0; default: the machine epsilon
        times ``max(m, n)``.

    Returns
    -------
    solution : LazyArray
        Of shape (n,) or (n, k).
    residuals : LazyArray
        Squared norms of ``b - a @ solution``, of shape (k,) or (1,); empty unless `a` has rank n
        and ``m > n``.
    rank : int
        Of `a`.
    singular_values : LazyArray
        Of shape (min(m, n),), descending.
    """
    x, y = as_lazy(a), as_lazy(b)
    small = x.ndim != 2 or y.ndim not in (1, 2) or 0 in (*x.shape, *y.shape)
    if not is_on_device(x._node) or small or x.shape[0] != y.shape[0]:
        result: tuple[LazyArray, LazyArray, np.int32, LazyArray]
        result = _computed("lstsq", x, y, rcond=rcond)
        return result
    return _device_lstsq(x, y, rcond)


def _device_lstsq(
    x: LazyArray, y: LazyArray, rcond: Any
) -> tuple[LazyArray, LazyArray, np.int32, LazyArray]:
    """Return NumPy's least-squares solution by singular values; all large arrays stay there."""
    dtype = np.linalg.lstsq(tiny(x.dtype, 1, 1), tiny(y.dtype, 1, 1), rcond=None)[0].dtype
    m, n = x.shape
    x, y = in_precision(x, dtype), in_precision(y, dtype)
    right = y if y.ndim == 2 else y[:, None]
    u, s, vh = persist(*svd(x, full_matrices=False))
    sizes = np.asarray(s)
    if rcond is None:
        rcond = np.finfo(dtype).eps * max(m, n)
    rank = int((sizes > (np.finfo(dtype).eps if rcond < 0 else rcond) * sizes[0]).sum())
    leading = u[:, :rank], s[:rank], vh[:rank]
    turned = [part.conj() if kind_of(dtype) == "c" else part for part in (leading[0], leading[2])]
    solution = turned[1].T @ ((turned[0].T @ right) / leading[1][:, None])
    if rank == n and m > n:
        rest = abs(right - x @ solution)
        residuals = reductions.sum(rest * rest, axis=0)
    else:
        residuals = asarray(np.empty(0, sizes.dtype))
    parts = persist(solution if y.ndim == 2 else solution[:, 0], residuals)
    return parts[0], parts[1], np.int32(rank), s


@overload
def svd(
    a: Any,
    full_matrices: bool = True,
    compute_uv: Literal[True] = True,
    hermitian: bool = False,
) -> SVDResult: ...
@overload
def svd(
    a: Any,
    full_matrices: bool = True,
    *,
    compute_uv: Literal[False],
    hermitian: bool = False,
) -> LazyArray: ...
@overload
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> SVDResult | LazyArray: ...
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> SVDResult | LazyArray:
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
    x = matrices(a, "svd", square=bool(hermitian))
    m, n = x.shape[-2:]
    k = min(m, n)
    batch = x.shape[:-2]
    if not compute_uv:
        return _singular_values(x, {"hermitian": True} if hermitian else {})
    example = np.linalg.svd(tiny(x.dtype, 1, 1))
    rows, columns = (m, n) if full_matrices else (k, k)
    shapes = [(*batch, m, rows), (*batch, k), (*batch, columns, n)]
    outputs = [(shape, part.dtype) for shape, part in zip(shapes, example, strict=True)]
    x = in_precision(x, example[0].dtype)
    return SVDResult(
        *packed(np.linalg.svd, (x,), outputs, full_matrices=full_matrices, hermitian=hermitian)
    )


def svdvals(x: Any, /) -> LazyArray:
    """Return the singular values, descending."""
    return _singular_values(matrices(x, "svdvals", square=False), {})


def _singular_values(array: LazyArray, options: dict[str, Any]) -> LazyArray:
    """Return the singular values of matrices; of Hermitian ones NumPy reads one triangle."""
    shape = (*array.shape[:-2], min(array.shape[-2:]))
    dtype = np.linalg.svd(tiny(array.dtype, 1, 1), compute_uv=False).dtype
    array = in_precision(array, dtype)
    return call_library(
        "linalg.svd", np.linalg.svd, (array,), shape, dtype, compute_uv=False, **options
    )


@overload
def qr(a: Any, mode: Literal["reduced", "complete"] = "reduced") -> QRResult: ...
@overload
def qr(a: Any, mode: Literal["r"]) -> LazyArray: ...
@overload
def qr(a: Any, mode: str) -> Any: ...
def qr(a: Any, mode: str = "reduced") -> Any:
    """Return QR decompositions of matrices.

    Parameters
    ----------
    a : array_like
        Of shape (..., m, n); k is ``min(m, n)``.
    mode : {"reduced", "complete", "r", "raw"}
        "reduced": Q of shape (..., m, k) and R of (..., k, n). "complete": Q of (..., m, m) and R
        of (..., m, n). "r": R of (..., k, n) alone. "raw": Householder reflectors and their
        factors, computed at once.

    Returns
    -------
    QRResult of LazyArray, or LazyArray
        Q and R; or R.

    Raises
    ------
    ArgumentError
        If there is no such mode.
    """
    x = matrices(a, "qr", square=False)
    m, n = x.shape[-2:]
    k = min(m, n)
    batch = x.shape[:-2]
    dtype = np.linalg.qr(tiny(x.dtype, 1, 1))[0].dtype
    x = in_precision(x, dtype)
    if mode in ("full", "f"):
        text = "The 'full' option is deprecated in favor of 'reduced'."
        warn_user(text, DeprecationWarning)
        mode = "reduced"
    if mode in ("economic", "e"):
        warn_user("The 'economic' option is deprecated.", DeprecationWarning)
        return _computed("qr", x, mode="raw")[0].mT
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
    return QRResult(*packed(np.linalg.qr, (x,), outputs, mode=mode))


record_functions(globals(), __all__, None, np.linalg)
