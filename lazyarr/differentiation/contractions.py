"""Derivatives of matrix products and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core.dtypes import kind_of
from lazyarr.differentiation.products import Product
from lazyarr.differentiation.rules import BY_NAME, Application, Cotangent, Rule, fitted, spread
from lazyarr.numpy_api.contraction import convolve, dot, tensordot, vdot
from lazyarr.numpy_api.matrix_products import matmul
from lazyarr.ops.library import Call

__all__: list[str] = []


def _transposed(x: LazyArray) -> LazyArray:
    return x.mT


def _matmul_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    x, y = at.operands
    left = x if x.ndim > 1 else x[None, :]
    right = y if y.ndim > 1 else y[:, None]
    if y.ndim == 1:
        g = g[..., None]
    if x.ndim == 1:
        g = g[..., None, :]
    cotangents: list[Cotangent] = [None, None]
    if at.needed[0]:
        if right.shape[-1] == 1:
            share = g * _transposed(right)  # an outer product: it fuses
        else:
            share = matmul(g, _transposed(right))
        cotangents[0] = _back(share, x, left, at, 0)
    if at.needed[1]:
        cotangents[1] = _right_cotangent(at, left, right, g)
    return cotangents


def _right_cotangent(at: Application, left: LazyArray, right: LazyArray, g: LazyArray) -> Cotangent:
    """Return the cotangent of the right factor of a product of matrices, or of stacks of them."""
    x, y = at.operands
    if left.shape[-2] == 1:
        share = _transposed(left) * g
    elif right.ndim == 2 and left.shape[:-2] == g.shape[:-2]:
        # One product over all leading axes, instead of a sum of products.
        rows = left.reshape(-1, left.shape[-1])
        slopes = g.reshape(rows.shape[0], g.shape[-1])
        if y.ndim == 2 and x.dtype == y.dtype == g.dtype:
            return Product(rows._node, slopes._node)
        share = matmul(_transposed(rows), slopes)
    else:
        share = matmul(_transposed(left), g)
    return _back(share, y, right, at, 1)


def _back(share: Any, x: LazyArray, wide: LazyArray, at: Application, position: int) -> LazyArray:
    """Return a cotangent in the shape of an operand that may have been a vector."""
    summed = fitted(share, wide._node)
    return fitted(summed.reshape(x.shape), at.node.src[position])


def _bilinear(product: Any) -> Any:
    """Return the forward rule of a product of two operands."""

    def jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
        x, y = at.operands
        first, second = tangents
        total: LazyArray | None = None
        if first is not None:
            total = product(first, y, at)
        if second is not None:
            share = product(x, second, at)
            total = share if total is None else total + share
        return None if total is None else spread(total, at.node)

    return jvp


def _dot_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    """Transpose ``np.dot`` of arrays of more than two axes."""
    x, y = at.operands
    cotangents: list[Cotangent] = [None, None]
    other = _first_to_front(y)
    count = other.ndim - 1
    leading = x.ndim - 1
    if at.needed[0]:
        axes = (list(range(leading, g.ndim)), list(range(1, other.ndim)))
        cotangents[0] = fitted(tensordot(g, other, axes), at.node.src[0])
    if at.needed[1]:
        share = tensordot(x, g, (list(range(leading)), list(range(leading))))
        cotangents[1] = fitted(_front_to_second_last(share) if count else share, at.node.src[1])
    return cotangents


def _first_to_front(y: LazyArray) -> LazyArray:
    """Return `y` with its second to last axis in front."""
    if y.ndim < 2:
        return y
    order = [y.ndim - 2, *range(y.ndim - 2), y.ndim - 1]
    return y.transpose(order)


def _front_to_second_last(y: LazyArray) -> LazyArray:
    order = [*range(1, y.ndim - 1), 0, y.ndim - 1]
    return y.transpose(order)


def _vdot_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    x, y = at.operands
    left = x.conj() if kind_of(x.dtype) == "c" else x
    first = (g * y).conj() if kind_of(x.dtype) == "c" else g * y
    return [first if at.needed[0] else None, g * left if at.needed[1] else None]


def _mode(at: Application) -> str:
    call = at.node.attr
    assert isinstance(call, Call)
    return str(dict(call.keywords)["mode"])


def _convolve_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    """Correlate the cotangent, widened to that of the full convolution, with the other operand."""
    x, y = at.operands
    wide = _widened(g, x.size, y.size, _mode(at))
    return [
        convolve(wide, y[::-1], "valid")[: x.size] if at.needed[0] else None,
        convolve(wide, x[::-1], "valid")[: y.size] if at.needed[1] else None,
    ]


def _widened(g: LazyArray, n: int, m: int, mode: str) -> LazyArray:
    from lazyarr.differentiation.boxes import padded

    full = n + m - 1
    before = {"full": 0, "same": (min(n, m) - 1) // 2, "valid": min(n, m) - 1}[mode]
    return LazyArray(padded(g._node, 0, before, full - before - g.size))


def _convolve(x: LazyArray, y: LazyArray, at: Application) -> LazyArray:
    return convolve(x, y, _mode(at))


BY_NAME |= {
    "matmul": Rule(_matmul_vjp, _bilinear(lambda x, y, at: matmul(x, y))),
    "dot": Rule(_dot_vjp, _bilinear(lambda x, y, at: dot(x, y))),
    "vdot": Rule(_vdot_vjp, _bilinear(lambda x, y, at: vdot(x, y))),
    "convolve": Rule(_convolve_vjp, _bilinear(_convolve)),
}
