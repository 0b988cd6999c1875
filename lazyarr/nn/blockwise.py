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

__all__ = [
    "blockwise",
    "broadcast_front",
    "divided",
    "finite_top",
    "summed_like",
    "transposed",
]


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


def summed_like(x: LazyArray, bias: LazyArray) -> LazyArray:
    """Return the sum of numbers of all scores over the axes along which a bias has length one.

    Parameters
    ----------
    x : LazyArray
        Of shape (..., queries, keys).
    bias : LazyArray
        With as many axes, which broadcasts to that.
    """
    axes = tuple(k for k, n in enumerate(bias.shape) if n == 1 != x.shape[k])
    return as_lazy(reductions.sum(x, axis=axes, keepdims=True)) if axes else x


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
    bias : LazyArray, optional
        Added to scores, with as many axes.
    """

    def __init__(
        self,
        queries: LazyArray,
        keys: LazyArray,
        values: LazyArray,
        seen: LazyArray | None,
        causal: bool,
        size: int,
        bias: LazyArray | None = None,
    ) -> None:
        self.queries = queries
        self.total = keys.shape[-2]
        self.size = size
        self.count = -(-self.total // size)
        self._keys = _split(keys, self.count, size, -2)
        self._values = _split(values, self.count, size, -2)
        self._seen, self._bias = self._of_scores(seen), self._of_scores(bias)
        rows = queries.shape[-2]
        self._last = equal_steps.arange(rows)[:, None] + (self.total - rows) if causal else None

    def _of_scores(self, x: LazyArray | None) -> tuple[LazyArray | None, bool]:
        """Return an array that broadcasts to scores, and whether it is in blocks of keys."""
        if x is None or x.shape[-1] == 1:
            return x, False
        return _split(x, self.count, self.size, -1), True

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
        seen, bias = (_part(x, block) for x in (self._seen, self._bias))
        if seen is not None:
            visible = visible & seen
        scores = matrix_products.matmul(self.queries, transposed(self.keys(block)))
        if bias is not None:
            scores = scores + bias
        return as_lazy(selection.where(visible, scores, -np.inf))

    # -- the cotangent of a bias, of all blocks of keys one after another or of their sum ----

    def no_bias(self) -> list[LazyArray]:
        """Return its beginning, zeros; nothing without a bias."""
        bias, _ = self._bias
        return [] if bias is None else [creation.zeros(bias.shape, dtype=bias.dtype)]

    def bias_with(self, before: Any, of_scores: LazyArray, here: Any) -> LazyArray:
        """Return it with the part of one more block.

        Parameters
        ----------
        before : LazyArray
            That of the blocks before.
        of_scores : LazyArray
            The cotangent of the block's scores.
        here : LazyArray
            Booleans, by block: whether it is this one.
        """
        bias, is_split = self._bias
        assert bias is not None
        if not is_split:
            return as_lazy(before + summed_like(of_scores, bias))
        own = summed_like(of_scores, as_lazy(bias[0]))
        return as_lazy(selection.where(here, own, before))

    def bias_of(self, blocks: LazyArray) -> LazyArray:
        """Return it in the shape of the bias."""
        if not self._bias[1]:
            return blocks
        return transposed(_joined(transposed(blocks), self.total))


def _part(x: tuple[LazyArray | None, bool], block: Any) -> LazyArray | None:
    """Return the part of a block of keys."""
    array, is_split = x
    return as_lazy(slicing.take(array, block, axis=0)) if is_split else array


def blockwise(
    queries: LazyArray,
    keys: LazyArray,
    values: LazyArray,
    seen: LazyArray | None,
    causal: bool,
    size: int,
    bias: LazyArray | None = None,
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
    bias : LazyArray, optional
        Numbers that broadcast to (..., n, m), which are added to scores.

    Returns
    -------
    LazyArray
        Of shape (..., n, e); zero for a query that sees no key. Its derivative computes the
        weights again, block by block.
    """
    operands = broadcast_front((queries, keys, values), seen, bias)

    def blocks_of(
        queries: LazyArray, keys: LazyArray, values: LazyArray, *biases: LazyArray
    ) -> _Blocks:
        return _Blocks(queries, keys, values, seen, causal, size, *biases)

    def value(*operands: LazyArray) -> LazyArray:
        return _forward(blocks_of(*operands), operands[2])[0]

    def forward(*operands: LazyArray) -> Any:
        means, sums = _forward(blocks_of(*operands), operands[2])
        return means, (means, sums, *operands)

    def backward(saved: tuple[LazyArray, ...], cotangent: LazyArray) -> Any:
        means, sums, *operands = saved
        return _backward(blocks_of(*operands), operands[1], operands[2], means, sums, cotangent)

    attended = custom_vjp(value)
    attended.defvjp(forward, backward)
    return as_lazy(attended(*operands))


def broadcast_front(
    arrays: Sequence[LazyArray], seen: LazyArray | None, bias: LazyArray | None = None
) -> list[LazyArray]:
    """Return arrays of rows with the same axes before the last two, and a bias with as many axes.

    Parameters
    ----------
    arrays : sequence of LazyArray
        Queries, keys and values.
    seen : LazyArray, optional
        A mask, whose axes count too.
    bias : LazyArray, optional
        Numbers added to scores, whose axes count too. It is not broadcast.
    """
    others = [x.shape[:-2] for x in (seen, bias) if x is not None]
    front = broadcast_shapes(*[x.shape[:-2] for x in arrays], *others)
    rows = [_broadcast(x, front) for x in arrays]
    if bias is None:
        return rows
    return [*rows, bias.reshape((1,) * (len(front) + 2 - bias.ndim) + bias.shape)]


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
) -> tuple[LazyArray, ...]:
    """Return the cotangents of queries, keys and values, and of a bias."""
    queries = blocks.queries
    share = reductions.sum(cotangent * means, axis=-1, keepdims=True)
    numbers = equal_steps.arange(blocks.count).reshape(-1, *[1] * queries.ndim)

    def iteration(k: Any, state: tuple[LazyArray, ...]) -> tuple[LazyArray, ...]:
        of_queries, of_keys, of_values, *of_bias = state
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
            *[blocks.bias_with(x, of_scores, here) for x in of_bias],
        )

    dtype, front = queries.dtype, queries.shape[:-2]
    state = (
        creation.zeros(queries.shape, dtype=dtype),
        creation.zeros((blocks.count, *front, blocks.size, keys.shape[-1]), dtype=dtype),
        creation.zeros((blocks.count, *front, blocks.size, values.shape[-1]), dtype=dtype),
        *blocks.no_bias(),
    )
    of_queries, of_keys, of_values, *of_bias = fori_loop(blocks.count, iteration, state)
    return (
        as_lazy(of_queries),
        _joined(as_lazy(of_keys), blocks.total),
        _joined(as_lazy(of_values), blocks.total),
        *[blocks.bias_of(as_lazy(x)) for x in of_bias],
    )
