"""Attention over blocks of keys, forward and backward, without an array of queries and keys.

The running maximum and sum are those of Milakov, Gimelshein: Online normalizer calculation for
softmax, 2018; the backward pass computes the weights again from the logarithms of the sums, as in
Dao, Fu, Ermon, Rudra, Ré: FlashAttention, 2022, algorithm 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.control_flow import fori_loop
from lazyarr.core.shapes import Shape, broadcast_shapes
from lazyarr.differentiation import custom_vjp
from lazyarr.numpy_api import (
    creation,
    equal_steps,
    matrix_products,
    movement,
    padding,
    reductions,
    selection,
    slicing,
)
from lazyarr.numpy_api.elementwise import FUNCTIONS

__all__ = ["blockwise", "broadcast_front", "divided", "finite_top", "transposed"]


def finite_top(top: LazyArray) -> LazyArray:
    """Return the maximum of scores, 0 where no key is seen."""
    return as_lazy(selection.where(top == -np.inf, 0, top))


def divided(total: LazyArray, weight: LazyArray) -> LazyArray:
    """Return a weighted sum over its weight; 0 where no key is seen.

    Parameters
    ----------
    total : LazyArray
        Sums of weighted values, of shape (..., n, e).
    weight : LazyArray
        Sums of the weights, of shape (..., n, 1).
    """
    return as_lazy(total / selection.where(weight == 0, 1, weight))


def transposed(x: Any) -> LazyArray:
    """Return an array with its last two axes exchanged."""
    return movement.swapaxes(x, -1, -2)


def _split(x: LazyArray, count: int, size: int, axis: int) -> LazyArray:
    """Return blocks along an axis as a new first axis; the last one is filled up."""
    axis %= x.ndim
    missing = count * size - x.shape[axis]
    if missing:
        widths = [(0, 0)] * x.ndim
        widths[axis] = (0, missing)
        x = padding.pad(x, widths)
    apart = x.reshape(*x.shape[:axis], count, size, *x.shape[axis + 1 :])
    return movement.moveaxis(apart, axis, 0)


def _joined(blocks: LazyArray, total: int) -> LazyArray:
    """Return blocks of rows, (count, ..., size, features), as (..., total, features)."""
    apart = movement.moveaxis(blocks, 0, -3)
    long = apart.reshape(*apart.shape[:-3], -1, apart.shape[-1])
    return as_lazy(long[..., :total, :])


class _Blocks:
    """Keys and values in blocks, and which of them queries see.

    Parameters
    ----------
    queries, keys, values : LazyArray
        Of shape (..., n, d), (..., m, d) and (..., m, e), with equal axes in front.
    seen : LazyArray, optional
        Mask.
    causal : bool
        Whether query i sees the keys up to ``i + m - n`` only.
    size : int
        Keys in a block.
    """

    def __init__(
        self,
        queries: LazyArray,
        keys: LazyArray,
        values: LazyArray,
        seen: LazyArray | None,
        causal: bool,
        size: int,
    ) -> None:
        self.queries = queries
        self.total = keys.shape[-2]
        self.size = size
        self.count = -(-self.total // size)
        self._keys = _split(keys, self.count, size, -2)
        self._values = _split(values, self.count, size, -2)
        self._narrow = seen is None or seen.shape[-1] == 1
        self._seen = seen
        if seen is not None and not self._narrow:
            self._seen = _split(seen, self.count, size, -1)
        rows = queries.shape[-2]
        self._last = equal_steps.arange(rows)[:, None] + (self.total - rows) if causal else None

    def keys(self, block: Any) -> LazyArray:
        """Return the keys of a block."""
        return as_lazy(slicing.take(self._keys, block, axis=0))

    def values(self, block: Any) -> LazyArray:
        """Return the values of a block."""
        return as_lazy(slicing.take(self._values, block, axis=0))

    def scores(self, block: Any) -> LazyArray:
        """Return the scores of a block, minus infinity where a key is not seen."""
        places = block * self.size + equal_steps.arange(self.size)
        visible: Any = places < self.total
        if self._last is not None:
            visible = visible & (places <= self._last)
        if self._seen is not None:
            own = self._seen if self._narrow else slicing.take(self._seen, block, axis=0)
            visible = visible & own
        scores = matrix_products.matmul(self.queries, transposed(self.keys(block)))
        return as_lazy(selection.where(visible, scores, -np.inf))


def blockwise(
    queries: LazyArray,
    keys: LazyArray,
    values: LazyArray,
    seen: LazyArray | None,
    causal: bool,
    size: int,
) -> LazyArray:
    """Return attention over blocks of keys, one after another.

    Parameters
    ----------
    queries : LazyArray
        Of shape (..., n, d).
    keys : LazyArray
        Of shape (..., m, d); the axes in front broadcast.
    values : LazyArray
        Of shape (..., m, e).
    seen : LazyArray, optional
        Booleans that broadcast to (..., n, m): the keys that each query sees.
    causal : bool
        Whether query i sees the keys up to ``i + m - n`` only.
    size : int
        Keys in a block.

    Returns
    -------
    LazyArray
        Of shape (..., n, e); zero for a query that sees no key. Its derivative computes the
        weights again, block by block.
    """
    wide = broadcast_front((queries, keys, values), seen)

    def value(queries: LazyArray, keys: LazyArray, values: LazyArray) -> LazyArray:
        return _forward(_Blocks(queries, keys, values, seen, causal, size), values)[0]

    def forward(queries: LazyArray, keys: LazyArray, values: LazyArray) -> Any:
        means, sums = _forward(_Blocks(queries, keys, values, seen, causal, size), values)
        return means, (queries, keys, values, means, sums)

    def backward(saved: tuple[LazyArray, ...], cotangent: LazyArray) -> Any:
        queries, keys, values, means, sums = saved
        blocks = _Blocks(queries, keys, values, seen, causal, size)
        return _backward(blocks, keys, values, means, sums, cotangent)

    attended = custom_vjp(value)
    attended.defvjp(forward, backward)
    return as_lazy(attended(*wide))


def broadcast_front(arrays: Sequence[LazyArray], seen: LazyArray | None) -> list[LazyArray]:
    """Return arrays of rows with the same axes before the last two.

    Parameters
    ----------
    arrays : sequence of LazyArray
        Queries, keys and values.
    seen : LazyArray, optional
        A mask, whose axes count too.
    """
    masks = () if seen is None else seen.shape[:-2]
    front = broadcast_shapes(*[x.shape[:-2] for x in arrays], masks)
    return [_broadcast(x, front) for x in arrays]


def _broadcast(x: LazyArray, front: Shape) -> LazyArray:
    shape = (*front, *x.shape[-2:])
    return x if x.shape == shape else movement.broadcast_to(x, shape)


def _forward(blocks: _Blocks, values: LazyArray) -> tuple[LazyArray, LazyArray]:
    """Return the attention, and the logarithm of the sum of the weights of each query.

    The latter is infinite for a query that sees no key, so that its weights come out as zero.
    """

    def iteration(k: Any, state: tuple[LazyArray, ...]) -> tuple[LazyArray, ...]:
        total, top, weight = state
        scores = blocks.scores(k)
        block_top = reductions.max(scores, axis=-1, keepdims=True)
        higher = as_lazy(FUNCTIONS["maximum"](top, block_top))
        shift = finite_top(higher)
        powers = FUNCTIONS["exp"](scores - shift)
        old = FUNCTIONS["exp"](top - shift)
        block_weight = reductions.sum(powers, axis=-1, keepdims=True)
        return (
            as_lazy(total * old + matrix_products.matmul(powers, blocks.values(k))),
            higher,
            as_lazy(weight * old + block_weight),
        )

    dtype, rows = blocks.queries.dtype, blocks.queries.shape[:-1]
    state = (
        creation.zeros((*rows, values.shape[-1]), dtype=dtype),
        creation.full((*rows, 1), -np.inf, dtype=dtype),
        creation.zeros((*rows, 1), dtype=dtype),
    )
    total, top, weight = fori_loop(blocks.count, iteration, state)
    none = weight == 0
    sums = top + FUNCTIONS["log"](selection.where(none, 1, weight))
    return divided(total, weight), as_lazy(selection.where(none, np.inf, sums))


def _backward(
    blocks: _Blocks,
    keys: LazyArray,
    values: LazyArray,
    means: LazyArray,
    sums: LazyArray,
    cotangent: LazyArray,
) -> tuple[LazyArray, LazyArray, LazyArray]:
    """Return the cotangents of queries, keys and values."""
    queries = blocks.queries
    share = reductions.sum(cotangent * means, axis=-1, keepdims=True)
    numbers = equal_steps.arange(blocks.count).reshape(-1, *[1] * queries.ndim)

    def iteration(k: Any, state: tuple[LazyArray, ...]) -> tuple[LazyArray, ...]:
        of_queries, of_keys, of_values = state
        weights = as_lazy(FUNCTIONS["exp"](blocks.scores(k) - sums))
        of_weights = matrix_products.matmul(cotangent, transposed(blocks.values(k)))
        of_scores = as_lazy(weights * (of_weights - share))
        here = numbers == k
        own_keys = matrix_products.matmul(transposed(of_scores), queries)
        own_values = matrix_products.matmul(transposed(weights), cotangent)
        return (
            as_lazy(of_queries + matrix_products.matmul(of_scores, blocks.keys(k))),
            as_lazy(selection.where(here, own_keys, of_keys)),
            as_lazy(selection.where(here, own_values, of_values)),
        )

    dtype, front = queries.dtype, queries.shape[:-2]
    state = (
        creation.zeros(queries.shape, dtype=dtype),
        creation.zeros((blocks.count, *front, blocks.size, keys.shape[-1]), dtype=dtype),
        creation.zeros((blocks.count, *front, blocks.size, values.shape[-1]), dtype=dtype),
    )
    of_queries, of_keys, of_values = fori_loop(blocks.count, iteration, state)
    return (
        as_lazy(of_queries),
        _joined(as_lazy(of_keys), blocks.total),
        _joined(as_lazy(of_values), blocks.total),
    )
