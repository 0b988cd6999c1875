"""Products that sum over axes: all of them are (stacks of) matrix products of rearranged axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from lazyarr.core.dtypes import code_of
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries import cublas
from lazyarr.runtime.cuda.libraries.registry import on_device
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["Labelled", "contract", "product_bias", "product_bias_relu", "product_relu", "refuse"]


def refuse(out: Strided, *args: Any, **keywords: Any) -> str | None:
    """Return the reason for which a product is left to the host, or None.

    Parameters
    ----------
    out : Strided
        The result.
    *args, **keywords
        Operands and options of the product; none of them matters.
    """
    if code_of(out.dtype) not in cublas.CODES:
        return f"cuBLAS has no {out.dtype.name}"
    return None


@on_device(np.matmul, "cuBLAS", refuse, captured=True)
def _matmul(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    if a.ndim == b.ndim == 2:
        cublas.matrix_products(work, *map(cublas.stacked, (out, a, b)))
        return
    left, right = _stack_labels(a.ndim), _stack_labels(b.ndim)
    whole = max(left, right, key=len)
    rows, columns = ["n"] if a.ndim > 1 else [], ["m"] if b.ndim > 1 else []
    if b.ndim > 2 or a.reshaped((prod(a.shape[:-1]), a.shape[-1])) is None:
        # All operands get all stacking axes. Otherwise those of `a` are rows of one product.
        a, left = _stacked(a, len(whole)), whole
        b, right = _stacked(b, len(whole)) if whole else b, whole
    result = Labelled(out, [*whole, *rows, *columns])
    contract(work, result, Labelled(a, [*left, *rows, "k"]), Labelled(b, [*right, "k", *columns]))


def product_bias(work: Work, out: Strided, a: Strided, b: Strided, bias: Strided) -> None:
    """Queue ``out = a @ b + bias``.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out, a, b : Strided
        Matrices of float32; `out` is contiguous.
    bias : Strided
        A vector that is added to each row.
    """
    cublas.product_with(work, out, a, b, bias, False)


def product_relu(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    """Queue ``out = maximum(a @ b, 0)``.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out, a, b : Strided
        Matrices of float32; `out` is contiguous.
    """
    cublas.product_with(work, out, a, b, None, True)


def product_bias_relu(work: Work, out: Strided, a: Strided, b: Strided, bias: Strided) -> None:
    """Queue ``out = maximum(a @ b + bias, 0)``.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out, a, b : Strided
        Matrices of float32; `out` is contiguous.
    bias : Strided
        A vector that is added to each row.
    """
    cublas.product_with(work, out, a, b, bias, True)


def _stack_labels(ndim: int) -> list[str]:
    return [f"b{k}" for k in range(ndim - 2, 0, -1)]


def _stacked(x: Strided, axes: int) -> Strided:
    """Return an operand of matmul with so many stacking axes in front, of length one if new."""
    new = axes - max(x.ndim - 2, 0)
    return x.seen((1,) * new + x.shape, (0,) * new + x.strides)


@on_device(np.dot, "cuBLAS", refuse, captured=True)
def _dot(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    left = [f"a{k}" for k in range(a.ndim - 1)]
    right = [f"b{k}" for k in range(b.ndim)]
    right[-2 if b.ndim > 1 else -1] = "k"
    result = Labelled(out, left + [x for x in right if x != "k"])
    contract(work, result, Labelled(a, [*left, "k"]), Labelled(b, right))


@on_device(np.vdot, "cuBLAS", refuse, captured=True)
def _vdot(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    cublas.inner_product(work, out, a, b, True)


# -- two operands ----------------------------------------------------------------------------


class Labelled(NamedTuple):
    """An array with a label for each of its axes, as in a formula of ``einsum``."""

    array: Strided
    labels: Sequence[str]


def contract(
    work: Work,
    result: Labelled,
    first: Labelled,
    second: Labelled,
) -> None:
    """Queue the sum of products of two arrays over the labels that the result lacks.

    Labels of both operands and the result number the matrices of a stack; those of both operands
    alone are summed; those of one operand are its rows or columns. An axis of a stack of length
    one is broadcast.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    result, first, second : Labelled
        The result and the operands.
    """
    out, labels, labels_a, labels_b = result.array, result.labels, first.labels, second.labels
    if not out.size:
        return
    sizes = dict(zip(labels, out.shape, strict=True))
    summed = [x for x in labels_a if x not in sizes]
    stack = [x for x in labels if x in labels_a and x in labels_b]
    left = [x for x in labels if x not in labels_b]
    right = [x for x in labels if x not in labels_a]
    a = _ordered(first, [*stack, *left, *summed], sizes)
    b = _ordered(second, [*stack, *summed, *right], sizes)
    if not out.ndim and len(summed) == 1:
        cublas.inner_product(work, out, a, b, False)
        return
    count = len(stack)
    rows, columns = prod(sizes[x] for x in left), prod(sizes[x] for x in right)
    inner = prod(a.shape[count + len(left) :])
    lefts = _as_matrices(work, a, count, (rows, inner))
    rights = _as_matrices(work, b, count, (inner, columns))
    ordered = out.permuted([list(labels).index(x) for x in (*stack, *left, *right)])
    shape = (*(sizes[x] for x in stack), rows, columns)
    target = ordered.reshaped(shape)
    if target is not None and cublas.writable(target):
        _products(work, target, lefts, rights)
        return
    matrices = work.empty(shape, out.dtype)
    _products(work, matrices, lefts, rights)
    work.copy(matrices.seen(ordered.shape), ordered)


def _ordered(operand: Labelled, order: Sequence[str], sizes: dict[str, int]) -> Strided:
    permuted = operand.array.permuted([list(operand.labels).index(label) for label in order])
    full = tuple(sizes.get(label, n) for label, n in zip(order, permuted.shape, strict=True))
    return permuted.broadcast(full)


def _as_matrices(work: Work, x: Strided, stack: int, shape: tuple[int, int]) -> Strided:
    """Return an operand with its last axes merged to two; copied if their order asks for it."""
    matrices = x.reshaped((*x.shape[:stack], *shape))
    if matrices is None:
        # A broadcast stack need not be copied once for each of its matrices.
        stacked = [k for k in range(stack) if x.strides[k] == 0]
        small = tuple(1 if k in stacked else n for k, n in enumerate(x.shape))
        packed = work.packed(x.seen(small, x.strides))
        whole = (*small[:stack], *shape)
        matrices = packed.seen(whole)
        matrices = matrices.broadcast((*x.shape[:stack], *shape))
    return matrices


def _products(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    """Queue the products of stacks of matrices: in one call if the stacks' axes merge."""
    stack = out.shape[:-2]
    merged = [_merge_stack(x, len(stack)) for x in (out, a, b)]
    if all(x is not None for x in merged):
        target, left, right = merged
        assert target is not None and left is not None and right is not None
        cublas.matrix_products(work, target, left, right)
        return
    if stack[0] <= tuning.row().product_calls:
        for k in range(stack[0]):
            _products(work, out.at(k), a.at(k), b.at(k))
        return
    packed = [x if _merge_stack(x, len(stack)) is not None else work.packed(x) for x in (a, b)]
    _products(work, out, *packed)


def _merge_stack(x: Strided, axes: int) -> Strided | None:
    """Return the matrices with all stacking axes made one, or None where strides forbid it."""
    if axes == 0:
        return cublas.stacked(x)
    return x.reshaped((prod(x.shape[:axes]), *x.shape[axes:]))
