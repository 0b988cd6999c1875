"""Attention over blocks of queries, each with all the keys that it may see, forward and backward.

A block of queries is a few steps with lengths that are known when the expression is built, so that
causal attention leaves out half of the work, and no loop has to be entered. Few weights are stored
for the backward pass. Of many it computes them again from the logarithms of their sums, as in Dao,
Fu, Ermon, Rudra, Ré: FlashAttention, 2022, algorithm 4.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.frozen import dataclass
from lazyarr.differentiation import custom_vjp
from lazyarr.differentiation.checkpointing import computed_after
from lazyarr.nn.blockwise import (
    broadcast_front,
    divided,
    finite_top,
    summed_like,
    transposed,
)
from lazyarr.numpy_api import (
    equal_steps,
    joining,
    matrix_products,
    padding,
    reductions,
    selection,
)
from lazyarr.numpy_api.elementwise import FUNCTIONS

__all__ = ["QueryBlocks", "by_queries"]


@dataclass(frozen=True, slots=True)
class _Block:
    """Queries from `first` up to `last`, which see no key from `end` on."""

    first: int
    last: int
    end: int


@dataclass(frozen=True, slots=True)
class QueryBlocks:
    """A cut of the queries into blocks, with the keys that they see.

    Attributes
    ----------
    queries, keys : int
        Their numbers, n and m.
    seen : LazyArray or None
        Booleans that broadcast to (..., n, m): the keys that each query sees.
    causal : bool
        Whether query i sees the keys up to ``i + keys - queries`` only.
    size : int
        Queries in a block.
    """

    queries: int
    keys: int
    seen: LazyArray | None
    causal: bool
    size: int

    def __iter__(self) -> Iterator[_Block]:
        for first in range(0, self.queries, self.size):
            last = min(first + self.size, self.queries)
            end = last + self.keys - self.queries if self.causal else self.keys
            yield _Block(first, last, min(max(end, 1), self.keys))

    def scores(
        self, block: _Block, queries: LazyArray, keys: LazyArray, biases: Sequence[LazyArray]
    ) -> LazyArray:
        """Return the scores of a block, minus infinity where a key is not seen.

        Parameters
        ----------
        block : _Block
            The block.
        queries : LazyArray
            Its queries.
        keys : LazyArray
            All keys.
        biases : sequence of LazyArray
            One that broadcasts to all scores and is added to them, or none.
        """
        own: Any = matrix_products.matmul(queries, transposed(_until(keys, block)))
        for bias in biases:
            own = own + _of_block(bias, block)
        visible = self._visible(block)
        return as_lazy(own if visible is None else selection.where(visible, own, -np.inf))

    def _visible(self, block: _Block) -> Any:
        visible: Any = None
        if self.causal:
            places = equal_steps.arange(block.first, block.last)[:, None] + (
                self.keys - self.queries
            )
            visible = equal_steps.arange(block.end) <= places
        if self.seen is not None:
            own = _of_block(self.seen, block)
            visible = own if visible is None else visible & own
        return visible


def _of_block(x: Any, block: _Block) -> LazyArray:
    """Return the part of a block of an array that broadcasts to all scores."""
    x = x if x.shape[-2] == 1 else x[..., block.first : block.last, :]
    return as_lazy(x if x.shape[-1] == 1 else x[..., : block.end])


def _rows(x: Any, block: _Block) -> LazyArray:
    """Return the rows of the queries of a block."""
    return as_lazy(x[..., block.first : block.last, :])


def _until(x: Any, block: _Block) -> LazyArray:
    """Return the rows of the keys that a block may see."""
    return as_lazy(x[..., : block.end, :])


def by_queries(
    queries: LazyArray,
    keys: LazyArray,
    values: LazyArray,
    blocks: QueryBlocks,
    bias: LazyArray | None = None,
    *,
    stores_weights: bool = False,
) -> LazyArray:
    """Return attention over blocks of queries.

    Parameters
    ----------
    queries : LazyArray
        Of shape (..., n, d).
    keys : LazyArray
        Of shape (..., m, d); the axes in front broadcast.
    values : LazyArray
        Of shape (..., m, e).
    blocks : QueryBlocks
        The cut of the queries, and the keys that each of them sees.
    bias : LazyArray, optional
        Numbers that broadcast to (..., n, m), which are added to scores.
    stores_weights : bool, optional
        Whether all weights stay in memory for the derivative; it computes them again otherwise,
        block by block.

    Returns
    -------
    LazyArray
        Of shape (..., n, e); zero for a query that sees no key.
    """
    operands = broadcast_front((queries, keys, values), blocks.seen, bias)

    def value(*operands: LazyArray) -> LazyArray:
        return _joined([block.means for block in _forward(blocks, *operands)])

    def forward(*operands: LazyArray) -> Any:
        done = list(_forward(blocks, *operands))
        means = _joined([block.means for block in done])
        if stores_weights:
            sums = _joined([_infinite(block.sums, block) for block in done])
            return means, (means, sums, operands, [block.powers for block in done])
        return means, (means, _joined(list(map(_logarithm, done))), operands)

    def backward(saved: tuple[Any, ...], cotangent: LazyArray) -> Any:
        return (_backward_from_weights if stores_weights else _backward)(blocks, saved, cotangent)

    attended = custom_vjp(value)
    attended.defvjp(forward, backward)
    return as_lazy(attended(*operands))


def _joined(parts: list[LazyArray]) -> LazyArray:
    return parts[0] if len(parts) == 1 else as_lazy(joining.concatenate(parts, axis=-2))


@dataclass(frozen=True, eq=False, slots=True)
class _Attended:
    """Attention of a block of queries: its weights before they are divided, and their sums."""

    means: LazyArray
    powers: LazyArray
    top: LazyArray
    sums: LazyArray


def _forward(
    blocks: QueryBlocks,
    queries: LazyArray,
    keys: LazyArray,
    values: LazyArray,
    *biases: LazyArray,
) -> Iterator[_Attended]:
    """Yield the attention of each block."""
    for block in blocks:
        scores = blocks.scores(block, _rows(queries, block), keys, biases)
        top = finite_top(as_lazy(reductions.max(scores, axis=-1, keepdims=True)))
        powers = as_lazy(FUNCTIONS["exp"](scores - top))
        sums = as_lazy(reductions.sum(powers, axis=-1, keepdims=True))
        means = divided(matrix_products.matmul(powers, _until(values, block)), sums)
        yield _Attended(means, powers, top, sums)


def _infinite(numbers: LazyArray, block: _Attended) -> LazyArray:
    """Return numbers of queries, infinity for one that sees no key: its weights come out as 0."""
    return as_lazy(selection.where(block.sums == 0, np.inf, numbers))


def _logarithm(block: _Attended) -> LazyArray:
    """Return the logarithm of the sum of the weights of each query."""
    sums = selection.where(block.sums == 0, 1, block.sums)
    return _infinite(as_lazy(block.top + FUNCTIONS["log"](sums)), block)


class _BiasCotangent:
    """The cotangent of a bias, block by block of the queries.

    Parameters
    ----------
    blocks : QueryBlocks
        The cut of the queries.
    biases : sequence of LazyArray
        The bias, or nothing.
    """

    def __init__(self, blocks: QueryBlocks, biases: Sequence[LazyArray]) -> None:
        self._blocks = blocks
        self._biases = biases
        self._parts: list[LazyArray] = []

    def add(self, block: _Block, of_scores: LazyArray) -> None:
        """Take the cotangent of the scores of a block.

        Parameters
        ----------
        block : _Block
            The block.
        of_scores : LazyArray
            Of shape (..., its queries, the keys that it may see).
        """
        for bias in self._biases:
            self._parts.append(summed_like(of_scores, _of_block(bias, block)))

    def joined(self) -> list[LazyArray]:
        """Return the cotangent in the shape of the bias; nothing without one."""
        return [self._joined(bias) for bias in self._biases]

    def _joined(self, bias: LazyArray) -> LazyArray:
        rows, columns = bias.shape[-2:]
        ends = [block.end if columns > 1 else 1 for block in self._blocks]
        if rows == 1:
            return transposed(_summed([transposed(part) for part in self._parts], ends))
        front = [(0, 0)] * (bias.ndim - 1)
        return _joined(
            [
                part if end == columns else padding.pad(part, [*front, (0, columns - end)])
                for part, end in zip(self._parts, ends, strict=True)
            ]
        )


def _backward_from_weights(
    blocks: QueryBlocks, saved: tuple[Any, ...], cotangent: LazyArray
) -> tuple[LazyArray, ...]:
    """Return the cotangents of the operands, from the weights of the forward pass."""
    means, sums, (queries, keys, values, *biases), powers = saved
    # Rows of the cotangent are divided, and not the weights, which are more.
    scaled = as_lazy(cotangent / sums)
    share = as_lazy(reductions.sum(scaled * means, axis=-1, keepdims=True))
    of_queries, of_keys, of_values = [], [], []
    of_bias = _BiasCotangent(blocks, biases)
    for block, weights in zip(blocks, powers, strict=True):
        own = _rows(scaled, block)
        of_weights = matrix_products.matmul(own, transposed(_until(values, block)))
        of_scores = as_lazy(weights * (of_weights - _rows(share, block)))
        of_bias.add(block, of_scores)
        of_queries.append(as_lazy(matrix_products.matmul(of_scores, _until(keys, block))))
        rows = _rows(queries, block)
        of_keys.append(as_lazy(matrix_products.matmul(transposed(of_scores), rows)))
        of_values.append(as_lazy(matrix_products.matmul(transposed(weights), own)))
    ends = [block.end for block in blocks]
    of_rows = _joined(of_queries), _summed(of_keys, ends), _summed(of_values, ends)
    return *of_rows, *of_bias.joined()


def _backward(
    blocks: QueryBlocks, saved: tuple[Any, ...], cotangent: LazyArray
) -> tuple[LazyArray, ...]:
    """Return the cotangents of the operands."""
    means, sums, (queries, keys, values, *biases) = saved
    share = as_lazy(reductions.sum(cotangent * means, axis=-1, keepdims=True))
    of_queries, of_keys, of_values = [], [], []
    of_bias = _BiasCotangent(blocks, biases)
    before = sums
    for block in blocks:
        # Scores are computed again, of one block after the other, so that few are in memory.
        again = computed_after(_rows(queries, block), before)
        scores = blocks.scores(block, again, keys, biases)
        weights = before = as_lazy(FUNCTIONS["exp"](scores - _rows(sums, block)))
        own = _rows(cotangent, block)
        of_weights = matrix_products.matmul(own, transposed(_until(values, block)))
        of_scores = as_lazy(weights * (of_weights - _rows(share, block)))
        of_bias.add(block, of_scores)
        of_queries.append(as_lazy(matrix_products.matmul(of_scores, _until(keys, block))))
        of_keys.append(as_lazy(matrix_products.matmul(transposed(of_scores), again)))
        of_values.append(as_lazy(matrix_products.matmul(transposed(weights), own)))
    ends = [block.end for block in blocks]
    of_rows = _joined(of_queries), _summed(of_keys, ends), _summed(of_values, ends)
    return *of_rows, *of_bias.joined()


def _summed(parts: list[LazyArray], ends: list[int]) -> LazyArray:
    """Return the sum of the contributions of blocks of queries to the first rows of an array.

    Parameters
    ----------
    parts : list of LazyArray
        By block, its rows from the first one on.
    ends : list of int
        By block, how many rows these are; none has less than the one before, the last
        one all.
    """
    segments: list[Any] = []
    first = 0
    for end in dict.fromkeys(ends):
        reaching = [part for part, most in zip(parts, ends, strict=True) if most >= end]
        rows = [part[..., first:end, :] for part in reaching]
        segments.append(as_lazy(reduce(operator.add, rows)))
        first = end
    return _joined(segments)
