"""Derivatives of linear algebra.

Formulas: Giles, "Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic
Differentiation" (2008), for inverse, determinant, solution, Cholesky, eigenvalues and singular
values; Golub and Pereyra (1973) for the pseudo-inverse; Walter and Lehmann (2013) for QR.
Factorisations say the forward direction; the backward one is its transpose.

Factors of Hermitian matrices are differentiated as functions of Hermitian matrices: of a direction
only the Hermitian part counts, though LAPACK reads one triangle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr import linalg
from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy
from lazyarr.builders import build
from lazyarr.differentiation import markers
from lazyarr.differentiation.rules import (
    BY_FUNCTION,
    BY_NAME,
    Application,
    Cotangent,
    Rule,
    fitted,
    is_complex,
    refused,
)
from lazyarr.errors import DifferentiationError
from lazyarr.linalg.factored import (
    FACTORED_INVERSE,
    FACTORED_SOLUTION,
    factored_inverse,
    factored_solution,
)
from lazyarr.linalg.triangular import solve_triangular
from lazyarr.numpy_api import selection
from lazyarr.numpy_api.joining import tril, triu
from lazyarr.numpy_api.matrix_products import matmul
from lazyarr.numpy_api.ranges import eye
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import Call, thaw

__all__: list[str] = []


def _adjoint(x: LazyArray) -> LazyArray:
    return x.mT.conj() if is_complex(x) else x.mT


def _hermitian(x: LazyArray) -> LazyArray:
    return (x + _adjoint(x)) * 0.5


def _product(*factors: LazyArray) -> LazyArray:
    product = factors[0]
    for factor in factors[1:]:
        product = matmul(product, factor)
    return product


def _wide(x: LazyArray) -> LazyArray:
    """Return numbers, one a matrix, with two axes of length one."""
    return x[..., None, None]


def _diagonal(x: LazyArray) -> LazyArray:
    return linalg.diagonal(x)


def _identity(n: int, like: LazyArray) -> LazyArray:
    return eye(n, dtype=like.dtype)


def _keyword(at: Application, name: str, default: Any = None) -> Any:
    call = at.node.attr
    assert isinstance(call, Call)
    return thaw(dict(call.keywords).get(name, default), ())


# ---------------------------------------------------------------- inverses and solutions


def _inverse_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    turned = at.out.mT
    return [-_product(turned, g, turned)]


def _inverse_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    return None if t is None else -_product(at.out, t, at.out)


def _minus_outer(left: LazyArray, right: LazyArray) -> LazyArray:
    """Return ``-left @ right.mT``; a column times a row is no product of matrices."""
    left = -left  # the smaller factor as a rule
    return left * right.mT if right.shape[-1] == 1 else matmul(left, right.mT)


def _solve_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    a, b = at.operands
    x = at.out
    if b.ndim == 1:
        g, x = g[..., None], x[..., None]
    right = factored_solution(a, g, transposed=True)
    over_a = fitted(_minus_outer(right, x), at.node.src[0]) if at.needed[0] else None
    over_b = right[..., 0] if b.ndim == 1 else right
    return [over_a, fitted(over_b, at.node.src[1]) if at.needed[1] else None]


def _solve_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    a, b = at.operands
    over_a, over_b = tangents
    x = at.out[..., None] if b.ndim == 1 else at.out
    moved: LazyArray | None = None
    if over_b is not None:
        moved = over_b[..., None] if b.ndim == 1 else over_b
    if over_a is not None:
        share = -matmul(over_a, x)
        moved = share if moved is None else moved + share
    if moved is None:
        return None
    solution = factored_solution(a, moved)
    return solution[..., 0] if b.ndim == 1 else solution


def _factored_rule(transposed: bool) -> Rule:
    """Return the rule of solutions by factors; the operands are the value, `a` and `b`.

    Derivatives are made of the marked value, ``at.out``: the value alone has none.
    """

    def vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
        x, a = at.out, at.operand(1)
        right = factored_solution(a, g, transposed=not transposed)
        over_a: LazyArray | None = None
        if at.needed[1]:
            left, other = (x, right) if transposed else (right, x)
            over_a = fitted(_minus_outer(left, other), at.node.src[1])
        return [None, over_a, fitted(right, at.node.src[2]) if at.needed[2] else None]

    def jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
        _, over_a, moved = tangents
        x, a = at.out, at.operand(1)
        if over_a is not None:
            share = -matmul(over_a.mT if transposed else over_a, x)
            moved = share if moved is None else moved + share
        return None if moved is None else factored_solution(a, moved, transposed=transposed)

    return Rule(vjp, jvp)


def _factored_inverse_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    x = at.out
    return [None, -_product(x, g.mT, x)]


def _factored_inverse_jvp(
    at: Application, tangents: Sequence[LazyArray | None]
) -> LazyArray | None:
    x, t = at.out, tangents[1]
    return None if t is None else -_product(x, t.mT, x)


def _triangle(x: LazyArray, at: Application) -> LazyArray:
    """Return the triangle of matrices that a triangular system has."""
    return tril(x) if _keyword(at, "lower") else triu(x)


def _triangular_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    a, x = at.operand(0), at.out
    transposed = bool(_keyword(at, "transposed"))
    lower = bool(_keyword(at, "lower"))
    right = solve_triangular(a, g, lower=lower, transposed=not transposed)
    over_a: LazyArray | None = None
    if at.needed[0]:
        left, other = (x, right) if transposed else (right, x)
        over_a = fitted(_triangle(-matmul(left, other.mT), at), at.node.src[0])
    return [over_a, fitted(right, at.node.src[1]) if at.needed[1] else None]


def _triangular_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    over_a, moved = tangents
    transposed = bool(_keyword(at, "transposed"))
    if over_a is not None:
        change = _triangle(over_a, at)
        share = -matmul(change.mT if transposed else change, at.out)
        moved = share if moved is None else moved + share
    if moved is None:
        return None
    lower = bool(_keyword(at, "lower"))
    return solve_triangular(at.operand(0), moved, lower=lower, transposed=transposed)


def _det_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [_wide(g * at.out) * factored_inverse(at.operand(0))]


def _det_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    return None if t is None else at.out * _logarithmic(at.operand(0), t)


def _logarithmic(a: LazyArray, t: LazyArray) -> LazyArray:
    """Return ``trace(inv(a) @ t)``: the change of the determinant over the determinant."""
    return (factored_inverse(a) * t).sum(axis=(-2, -1))


def _slogdet_jvp(at: Application, tangents: Sequence[Any]) -> Any:
    """Let ``w = trace(inv(A) dA)``: the sign rotates by its imaginary part."""
    (t,) = tangents
    if t is None:
        return None
    sign, _ = markers.members(at.node)
    rotation = _logarithmic(at.operand(0), t)
    if not is_complex(rotation):
        return [None, rotation]
    return [sign * (1j * rotation.imag), rotation.real]


def _slogdet_vjp(at: Application, cotangents: Any) -> Sequence[Cotangent]:
    """Transpose the forward direction: the inverse takes less than solutions for an identity."""
    over_sign, total = cotangents
    sign, _ = markers.members(at.node)
    if over_sign is not None and is_complex(sign):
        rotation = 1j * (over_sign * sign).imag
        total = rotation if total is None else total + rotation
    if total is None:
        return [None]
    # Of a matrix with a NaN, elimination gives numbers where it has not met that yet.
    has_nan = apply(ELEMENTWISE["isnan"], (at.operand(0),)).any(axis=(-2, -1))
    total = selection.where(has_nan, np.nan, total)
    return [fitted(_wide(total) * factored_inverse(at.operand(0)), at.node.src[0])]


def _pseudo_inverse(a: LazyArray, x: LazyArray, t: LazyArray) -> LazyArray:
    turned = _adjoint(t)
    m, n = a.shape[-2:]
    left = _product(x, _adjoint(x), turned, _identity(m, a) - matmul(a, x))
    right = _product(_identity(n, a) - matmul(x, a), turned, _adjoint(x), x)
    return left + right - _product(x, t, x)


def _pinv_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    """Differentiate where the rank stays."""
    t = tangents[0]
    return None if t is None else _pseudo_inverse(at.operand(0), at.out, t)


def _marked_pinv_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    t = tangents[1]
    return None if t is None else _pseudo_inverse(at.operand(1), at.out, t)


def _marked_lstsq_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    """Differentiate ``pinv(a) @ b`` where the rank stays; the operands are x, a and b."""
    x, a, b = at.operands
    inverse = linalg.pinv(a)
    total: LazyArray | None = None
    if tangents[1] is not None:
        total = matmul(_pseudo_inverse(a, inverse, tangents[1].astype(a.dtype)), b)
    if tangents[2] is not None:
        share = matmul(inverse, tangents[2])
        total = share if total is None else total + share
    return None if total is None else total.astype(x.dtype)


# ---------------------------------------------------------------- factorisations


def _lower_half(x: LazyArray) -> LazyArray:
    """Return the lower triangle with half of the diagonal."""
    n = x.shape[-1]
    return tril(x) * (1.0 - 0.5 * eye(n, dtype=np.float32).astype(x.real.dtype))


def _cholesky_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    if t is None:
        return None
    upper = bool(_keyword(at, "upper", default=False))
    factor = _adjoint(at.out) if upper else at.out
    half = solve_triangular(factor, _hermitian(t))
    inner = solve_triangular(factor, _adjoint(half))
    change = matmul(factor, _lower_half(inner))
    return _adjoint(change) if upper else change


def _cholesky_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    """Transpose the forward direction: Murray, "Differentiation of the Cholesky decomposition"."""
    upper = bool(_keyword(at, "upper", default=False))
    factor, share = (_adjoint(at.out), _adjoint(g)) if upper else (at.out, g)
    inner = _lower_half(matmul(factor.mT, share))
    half = solve_triangular(factor, inner, transposed=True)
    return [_hermitian(solve_triangular(factor, _adjoint(half), transposed=True))]


def _gaps(w: LazyArray) -> LazyArray:
    """Return ``1 / (w[j] - w[i])``, and 0 on the diagonal."""
    gap = w[..., None, :] - w[..., :, None]
    own = eye(w.shape[-1], dtype=np.bool_)
    return apply(
        ELEMENTWISE["where"], (own, 0.0, 1.0 / apply(ELEMENTWISE["where"], (own, 1.0, gap)))
    )


def _eigh_jvp(at: Application, tangents: Sequence[Any]) -> Any:
    (t,) = tangents
    if t is None:
        return None
    w, v = markers.members(at.node)
    inner = _product(_adjoint(v), _hermitian(t), v)
    return [_diagonal(inner).real, matmul(v, _gaps(w) * inner)]


def _svd_jvp(at: Application, tangents: Sequence[Any]) -> Any:
    (t,) = tangents
    if t is None:
        return None
    u, s, vh = markers.members(at.node)
    m, n = at.node.src[0].shape[-2:]
    if u.shape[-1] != vh.shape[-2] or u.shape[-1] != s.shape[-1]:
        raise DifferentiationError(
            f"svd of matrices of {m} rows and {n} columns with full_matrices=True cannot be "
            "differentiated: the vectors of the null space are not determined",
            origin=at.node.origin,
            hint="pass full_matrices=False",
        )
    v = _adjoint(vh)
    inner = _product(_adjoint(u), t, v)
    turned = _adjoint(inner)
    row, column = s[..., None, :], s[..., :, None]
    gaps = _gaps(s * s)
    left = gaps * (inner * row + column * turned)
    if is_complex(inner):
        phase = _diagonal(inner - turned) / (2.0 * s)
        left = left + _identity(s.shape[-1], u) * phase[..., None, :]
    over_u = matmul(u, left)
    over_v = matmul(v, gaps * (column * inner + turned * row))
    if m > s.shape[-1]:
        outside = matmul(t, v) - matmul(u, inner)
        over_u = over_u + outside / row
    if n > s.shape[-1]:
        outside = matmul(_adjoint(t), u) - matmul(v, turned)
        over_v = over_v + outside / row
    return [over_u, _diagonal(inner).real, _adjoint(over_v)]


def _qr_jvp(at: Application, tangents: Sequence[Any]) -> Any:
    (t,) = tangents
    if t is None:
        return None
    q, r = markers.members(at.node)
    m, n = at.node.src[0].shape[-2:]
    least = min(m, n)
    if q.shape[-1] != least:
        raise DifferentiationError(
            f"qr of matrices of {m} rows and {n} columns in mode "
            f"{_keyword(at, 'mode', 'reduced')!r} cannot be differentiated: the factors are not "
            "determined",
            origin=at.node.origin,
            hint="use mode='reduced'",
        )
    over_q, over_r = _qr_of_leading(q, r[..., :least], t[..., :least])
    if m >= n:
        return [over_q, over_r]
    # The leading columns determine q, and q the others' coefficients.
    others = matmul(_adjoint(q), t[..., m:] - matmul(over_q, r[..., m:]))
    return [over_q, LazyArray(build.concatenate([over_r._node, others._node], over_r.ndim - 1))]


def _qr_of_leading(q: LazyArray, r: LazyArray, t: LazyArray) -> tuple[LazyArray, LazyArray]:
    """Return the tangents of factors of matrices with at least as many rows as columns."""
    scaled = solve_triangular(r, t.mT, lower=False, transposed=True).mT
    inner = matmul(_adjoint(q), scaled)
    lower = tril(inner, -1)
    rotation = lower - _adjoint(lower)
    if is_complex(inner):
        rotation = rotation + _identity(r.shape[-1], q) * (1j * inner.imag)
    return matmul(q, rotation - inner) + scaled, matmul(inner - rotation, r)


# ---------------------------------------------------------------- made of others


def _power(a: LazyArray, n: int) -> LazyArray:
    """Return a matrix power by repeated squaring."""
    if n == 0:
        return a * 0.0 + _identity(a.shape[-1], a)
    base, count = (a, n) if n > 0 else (linalg.inv(a), -n)
    power: LazyArray | None = None
    while count:
        if count & 1:
            power = base if power is None else matmul(power, base)
        count >>= 1
        if count:
            base = matmul(base, base)
    assert power is not None
    return power


def _chain(arrays: Sequence[Any]) -> LazyArray:
    return _product(*[as_lazy(x) for x in arrays])


def _cond(x: LazyArray, p: Any = None) -> LazyArray:
    if p in (None, 2, -2):
        s = linalg.svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    inverse = linalg.inv(x)
    return linalg.matrix_norm(x, ord=p) * linalg.matrix_norm(inverse, ord=p)


_GENERAL = "lazyarr knows the derivatives of eigenvalues of Hermitian matrices alone; use eigh"

BY_NAME |= {
    "linalg.inv": Rule(_inverse_vjp, _inverse_jvp),
    "linalg.solve": Rule(_solve_vjp, _solve_jvp),
    "linalg.det": Rule(_det_vjp, _det_jvp),
    "linalg.pinv": Rule(None, _pinv_jvp),
    "linalg.solve_triangular": Rule(_triangular_vjp, _triangular_jvp),
    "linalg.cholesky": Rule(_cholesky_vjp, _cholesky_jvp),
    "linalg.eigvalsh": Rule(compose=lambda a, UPLO="L": linalg.eigh(a, UPLO)[0]),  # noqa: N803
    "linalg.svd": Rule(compose=lambda a, compute_uv: linalg.svd(a, full_matrices=False)[1]),
    "linalg.qr": Rule(compose=lambda a, mode: linalg.qr(a)[1]),
    "linalg.matrix_power": Rule(compose=_power),
    "linalg.multi_dot": Rule(compose=_chain),
    "linalg.cond": Rule(compose=_cond),
    "pinv": Rule(None, _marked_pinv_jvp),
    **{name: _factored_rule(transposed) for transposed, name in FACTORED_SOLUTION.items()},
    FACTORED_INVERSE: Rule(_factored_inverse_vjp, _factored_inverse_jvp),
    "numpy.linalg.lstsq[0]": Rule(None, _marked_lstsq_jvp),
    "numpy.linalg.eig": refused(_GENERAL),
    "numpy.linalg.eigvals": refused(_GENERAL),
}
BY_FUNCTION |= {
    np.linalg.slogdet: Rule(_slogdet_vjp, _slogdet_jvp),
    np.linalg.eigh: Rule(None, _eigh_jvp),
    np.linalg.svd: Rule(None, _svd_jvp),
    np.linalg.qr: Rule(None, _qr_jvp),
}
