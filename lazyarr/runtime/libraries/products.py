"""Products that sum over axes: all of them are (stacks of) matrix products of rearranged axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.runtime.libraries import blas
from lazyarr.runtime.libraries.strided import Strided
from lazyarr.runtime.libraries.table import on_device
from lazyarr.runtime.libraries.work import Work

__all__ = ["contract", "product_bias", "product_bias_relu", "product_relu", "refuse"]

#: Stacks of matrices whose strides do not merge: this many calls rather than one copy.
_MAX_CALLS = 16


def refuse(out: Strided, *args: Any, **keywords: Any) -> str | None:
    """Return why a product is left to the host, or None."""
    if out.dtype not in blas.DTYPES:
        return f"cuBLAS has no {out.dtype.name}"
    return None


@on_device(np.matmul, "cuBLAS", refuse, captured=True)
def _matmul(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    if a.ndim == b.ndim == 2:
        blas.matrix_products(work, *map(blas.stacked, (out, a, b)))
        return
    left, right = _stack_labels(a.ndim), _stack_labels(b.ndim)
    whole = max(left, right, key=len)
    rows, columns = ["n"] if a.ndim > 1 else [], ["m"] if b.ndim > 1 else []
    if b.ndim > 2 or a.reshaped((prod(a.shape[:-1]), a.shape[-1])) is None:
        # All operands get all stacking axes. Otherwise those of `a` are rows of one product.
        a, left = _stacked(a, len(whole)), whole
        b, right = _stacked(b, len(whole)) if whole else b, whole
    labels_a, labels_b = [*left, *rows, "k"], [*right, "k", *columns]
    contract(work, out, [*whole, *rows, *columns], a, labels_a, b, labels_b)


def product_bias(work: Work, out: Strided, a: Strided, b: Strided, bias: Strided) -> None:
    """Queue a product with a vector added to each row."""
    blas.product_with(work, out, a, b, bias, False)


def product_relu(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    """Queue a product with what is negative put to 0."""
    blas.product_with(work, out, a, b, None, True)


def product_bias_relu(work: Work, out: Strided, a: Strided, b: Strided, bias: Strided) -> None:
    """Queue a product, a vector added to each row, and what is negative put to 0."""
    blas.product_with(work, out, a, b, bias, True)


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
    contract(work, out, left + [x for x in right if x != "k"], a, [*left, "k"], b, right)


@on_device(np.inner, "cuBLAS", refuse, captured=True)
def _inner(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    left = [f"a{k}" for k in range(a.ndim - 1)]
    right = [f"b{k}" for k in range(b.ndim - 1)]
    contract(work, out, left + right, a, [*left, "k"], b, [*right, "k"])


@on_device(np.vdot, "cuBLAS", refuse, captured=True)
def _vdot(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    blas.inner_product(work, out, a, b, True)


@on_device(np.tensordot, "cuBLAS", refuse, captured=True)
def _tensordot(
    work: Work, out: Strided, a: Strided, b: Strided, axes: tuple[Sequence[int], Sequence[int]]
) -> None:
    left = [f"a{k}" for k in range(a.ndim)]
    right = [f"b{k}" for k in range(b.ndim)]
    for k, (m, n) in enumerate(zip(*axes, strict=True)):
        left[m] = right[n] = f"k{k}"
    rest = [x for x in left + right if not x.startswith("k")]
    contract(work, out, rest, a, left, b, right)


# -- einsum ----------------------------------------------------------------------------------


def _refuse_einsum(out: Strided, *operands: Any, optimize: Any = True) -> str | None:
    refused = refuse(out)
    if refused is not None:
        return refused
    try:
        terms, arrays, result = _parsed(operands)
    except ValueError as error:
        return str(error)
    for left, right, kept in _path(terms, arrays, result, optimize):
        if right is None:
            if set(left) - set(kept):
                return "a sum over one operand is no matrix product"
            continue
        shared = set(left) & set(right)
        if shared <= set(kept) and shared in (set(left), set(right)):
            return "products without a sum are no matrix products"
        if set(left) - set(right) - set(kept) or set(right) - set(left) - set(kept):
            return "a sum over one operand is no matrix product"
    return None


@on_device(np.einsum, "cuBLAS", _refuse_einsum, captured=True)
def _einsum(work: Work, out: Strided, *operands: Any, optimize: Any = True) -> None:
    terms, arrays, result = _parsed(operands)
    held = [_plain(term, array) for term, array in zip(terms, arrays, strict=True)]
    order = _order([term for term, _ in held], [x for _, x in held], result, optimize)
    for places in order:
        parts = [held[k] for k in places]
        held = [x for k, x in enumerate(held) if k not in places]
        last = not held
        kept = result if last else _kept(parts, held, result)
        if len(parts) == 1:
            term, array = parts[0]
            found = array.permuted([term.index(x) for x in kept])
            if last:
                work.copy(found, out)
            held.append((kept, found))
            continue
        (left, a), (right, b) = parts
        sizes = dict(zip(left, a.shape, strict=True)) | {
            x: n for x, n in zip(right, b.shape, strict=True) if n != 1 or x not in left
        }
        target = out if last else work.empty(tuple(sizes[x] for x in kept), out.dtype)
        contract(work, target, kept, a, left, b, right)
        held.append((kept, target))


def _kept(
    parts: Sequence[tuple[list[str], Strided]],
    others: Sequence[tuple[list[str], Strided]],
    result: list[str],
) -> list[str]:
    wanted = set(result).union(*(term for term, _ in others)) if others else set(result)
    labels = dict.fromkeys(x for term, _ in parts for x in term)
    return [x for x in labels if x in wanted]


def _path(
    terms: list[list[str]], arrays: list[Strided], result: list[str], optimize: Any
) -> Iterable[tuple[list[str], list[str] | None, list[str]]]:
    """Yield the labels of each contraction's operands and of its result."""
    held = [_plain(term, array) for term, array in zip(terms, arrays, strict=True)]
    for places in _order([term for term, _ in held], [x for _, x in held], result, optimize):
        parts = [held[k] for k in places]
        held = [x for k, x in enumerate(held) if k not in places]
        kept = _kept(parts, held, result) if held else result
        yield parts[0][0], parts[1][0] if len(parts) > 1 else None, kept
        sizes = {x: n for term, array in parts for x, n in zip(term, array.shape, strict=True)}
        shape = tuple(sizes[x] for x in kept)
        held.append((kept, parts[0][1].seen(shape)))


def _order(
    terms: list[list[str]], arrays: list[Strided], result: list[str], optimize: Any
) -> list[tuple[int, ...]]:
    """Return which operands are contracted in turn, as numpy.einsum_path orders them."""
    if len(terms) <= 2:
        return [tuple(range(len(terms)))]
    numbers = {x: k for k, x in enumerate(dict.fromkeys(x for term in terms for x in term))}
    arguments: list[Any] = []
    for term, array in zip(terms, arrays, strict=True):
        arguments += [np.broadcast_to(np.float32(0), array.shape), [numbers[x] for x in term]]
    path, _ = np.einsum_path(*arguments, [numbers[x] for x in result], optimize="greedy")
    pairs: list[tuple[int, ...]] = []
    count = len(terms)
    for step in path[1:]:
        places = tuple(step)
        while True:
            # Two at a time; their product goes to the end.
            pairs.append(places[:2])
            left = [k for k in range(count) if k not in places[:2]]
            count = len(left) + 1
            if len(places) <= 2:
                break
            places = (*(left.index(k) for k in places[2:]), len(left))
    return pairs


def _plain(term: list[str], array: Strided) -> tuple[list[str], Strided]:
    """Return an operand without repeated labels: a diagonal is a stride."""
    labels = list(dict.fromkeys(term))
    shape, strides = [], []
    for label in labels:
        places = [k for k, x in enumerate(term) if x == label]
        shape.append(array.shape[places[0]])
        strides.append(sum(array.strides[k] for k in places))
    return labels, array.seen(tuple(shape), tuple(strides))


def _parsed(operands: Sequence[Any]) -> tuple[list[list[str]], list[Strided], list[str]]:
    """Return the labels of each operand, the operands, and the labels of the result."""
    if isinstance(operands[0], str):
        text = operands[0].replace(" ", "")
        arrays = list(operands[1:])
        inputs, arrow, output = text.partition("->")
        terms = [_spelled(part) for part in inputs.split(",")]
        result = _spelled(output) if arrow else None
    else:
        arrays = list(operands[0 : len(operands) - 1 : 2])
        lists = [operands[k] for k in range(1, 2 * len(arrays), 2)]
        terms = [["..." if x is Ellipsis else f"#{x:09d}" for x in part] for part in lists]
        result = None
        if len(operands) % 2:
            result = ["..." if x is Ellipsis else f"#{x:09d}" for x in operands[-1]]
    named = [_dotted(term, array.ndim) for term, array in zip(terms, arrays, strict=True)]
    widest = max((term for term in named), key=lambda t: sum(x.startswith("...") for x in t))
    dots = [x for x in widest if x.startswith("...")]
    if result is None:
        counts: dict[str, int] = {}
        for term in terms:
            for label in term:
                counts[label] = counts.get(label, 0) + 1
        once = sorted(x for x, n in counts.items() if n == 1 and x != "...")
        result = [*dots, *once]
    else:
        result = [y for x in result for y in (dots if x == "..." else [x])]
    sizes: dict[str, set[int]] = {}
    for term, array in zip(named, arrays, strict=True):
        for label, n in zip(term, array.shape, strict=True):
            sizes.setdefault(label, set()).add(n)
    if any(len(found) > 1 for found in sizes.values()):
        raise ValueError("axes of length one are broadcast")
    return named, arrays, result


def _spelled(term: str) -> list[str]:
    head, dots, tail = term.partition("...")
    return [*head, *(["..."] if dots else []), *tail]


def _dotted(term: list[str], ndim: int) -> list[str]:
    """Return the labels with the ellipsis spelled out, counted from the right."""
    if "..." not in term:
        return term
    at = term.index("...")
    count = ndim - len(term) + 1
    return [*term[:at], *(f"...{k}" for k in range(count, 0, -1)), *term[at + 1 :]]


# -- two operands ----------------------------------------------------------------------------


def contract(
    work: Work,
    out: Strided,
    labels: Sequence[str],
    a: Strided,
    labels_a: Sequence[str],
    b: Strided,
    labels_b: Sequence[str],
) -> None:
    """Queue the sum of products of two arrays over the labels that the result lacks.

    Labels of both operands and the result number the matrices of a stack; those of both operands
    alone are summed; those of one operand are its rows or columns. An axis of a stack of length
    one is broadcast.
    """
    if not out.size:
        return
    sizes = dict(zip(labels, out.shape, strict=True))
    summed = [x for x in labels_a if x not in sizes]
    stack = [x for x in labels if x in labels_a and x in labels_b]
    left = [x for x in labels if x not in labels_b]
    right = [x for x in labels if x not in labels_a]
    a = _ordered(a, labels_a, [*stack, *left, *summed], sizes)
    b = _ordered(b, labels_b, [*stack, *summed, *right], sizes)
    if not out.ndim and len(summed) == 1:
        blas.inner_product(work, out, a, b, False)
        return
    count = len(stack)
    rows, columns = prod(sizes[x] for x in left), prod(sizes[x] for x in right)
    inner = prod(a.shape[count + len(left) :])
    lefts = _as_matrices(work, a, count, (rows, inner))
    rights = _as_matrices(work, b, count, (inner, columns))
    wanted = out.permuted([list(labels).index(x) for x in (*stack, *left, *right)])
    shape = (*(sizes[x] for x in stack), rows, columns)
    target = wanted.reshaped(shape)
    if target is not None and blas.writable(target):
        _products(work, target, lefts, rights)
        return
    made = work.empty(shape, out.dtype)
    _products(work, made, lefts, rights)
    work.copy(made.seen(wanted.shape), wanted)


def _ordered(
    x: Strided, labels: Sequence[str], wanted: Sequence[str], sizes: dict[str, int]
) -> Strided:
    turned = x.permuted([list(labels).index(label) for label in wanted])
    full = tuple(sizes.get(label, n) for label, n in zip(wanted, turned.shape, strict=True))
    return turned.broadcast(full)


def _as_matrices(work: Work, x: Strided, stack: int, shape: tuple[int, int]) -> Strided:
    """Return an operand with its last axes merged to two; copied if their order asks for it."""
    found = x.reshaped((*x.shape[:stack], *shape))
    if found is None:
        # A broadcast stack need not be copied once for each of its matrices.
        stacked = [k for k in range(stack) if x.strides[k] == 0]
        small = tuple(1 if k in stacked else n for k, n in enumerate(x.shape))
        packed = work.packed(x.seen(small, x.strides))
        whole = (*small[:stack], *shape)
        found = packed.seen(whole)
        found = found.broadcast((*x.shape[:stack], *shape))
    return found


def _products(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    """Queue the products of stacks of matrices: in one call if the stacks' axes merge."""
    stack = out.shape[:-2]
    merged = [_merge_stack(x, len(stack)) for x in (out, a, b)]
    if all(x is not None for x in merged):
        target, left, right = merged
        assert target is not None and left is not None and right is not None
        blas.matrix_products(work, target, left, right)
        return
    if stack[0] <= _MAX_CALLS:
        for k in range(stack[0]):
            _products(work, out.at(k), a.at(k), b.at(k))
        return
    packed = [x if _merge_stack(x, len(stack)) is not None else work.packed(x) for x in (a, b)]
    _products(work, out, *packed)


def _merge_stack(x: Strided, axes: int) -> Strided | None:
    """Return the matrices with all stacking axes made one, or None where strides forbid it."""
    if axes == 0:
        return blas.stacked(x)
    return x.reshaped((prod(x.shape[:axes]), *x.shape[axes:]))
