"""Attention: means of values, weighted by the scores of their keys for a query."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, asarray
from lazyarr.core import tuning
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.differentiation import stop_gradient
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.nn.arguments import expect_shape, inexact, integers, match_dtype, widened
from lazyarr.nn.blockwise import blockwise, divided, finite_top
from lazyarr.nn.layers import linear
from lazyarr.nn.query_blocks import QueryBlocks, by_queries
from lazyarr.numpy_api import equal_steps, matrix_products, movement, reductions, selection
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.tracing import record_functions

__all__ = ["attention", "multi_head_attention"]


def attention(
    query: Any,
    key: Any,
    value: Any,
    *,
    mask: Any = None,
    bias: Any = None,
    causal: bool = False,
    scale: float | None = None,
    block: int | None = None,
) -> LazyArray:
    """Return ``softmax(scale * query @ key.T + bias) @ value`` over the last two axes.

    Parameters
    ----------
    query : array_like
        Of shape (..., queries, features). The axes in front, such as batch and heads, broadcast.
    key : array_like
        Of shape (..., keys, features).
    value : array_like
        Of shape (..., keys, outputs).
    mask : array_like of bool, optional
        Broadcasts to (..., queries, keys): which keys each query may see.
    bias : array_like, optional
        Broadcasts to (..., queries, keys): real numbers that are added to the scores, by the
        distance of query and key for example. Minus infinity hides a key.
    causal : bool
        Whether query i sees the keys up to ``i + keys - queries`` only, so that the last query
        sees all.
    scale : float, optional
        Default: ``1 / sqrt(features)``.
    block : int, optional
        Keys whose scores are in memory together. Default: all of up to 1,024 keys; of many scores
        that are causal a processor leaves half out, by up to eight blocks of queries. Of more keys,
        up to sixteen blocks of at least 256 queries (1,024 on a GPU, if they have at most 2**25
        scores) are taken one after another, each with all its keys, or where that is more than
        2**25 scores (2**28 on a GPU), blocks of 512 keys.

    Returns
    -------
    LazyArray
        Of shape (..., queries, outputs) and the dtype of `query`; float16 and bfloat16 are
        computed in float32. Zero for a query that may see no key.

    Raises
    ------
    ShapeError
        If the shapes do not fit.

    Notes
    -----
    Blocks of keys go one after another, with a running maximum and sum for each query, as in
    Milakov, Gimelshein: Online normalizer calculation for softmax, 2018, and Dao, Fu, Ermon,
    Rudra, Ré: FlashAttention, 2022. No array of (queries, keys) exists; the memory is that of
    (queries, block). Attention itself: Vaswani et al.: Attention is all you need, 2017.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.attention([[0.0, 0.0]], [[1.0, 2.0], [3.0, 4.0]], [[0.0], [1.0]]).compute()
    array([[0.5]])
    """
    queries, keys, values = (inexact(x, "attention") for x in (query, key, value))
    if min(queries.ndim, keys.ndim, values.ndim) < 2:
        raise ShapeError(
            f"attention needs arrays of at least 2 axes, got shapes {queries.shape}, "
            f"{keys.shape} and {values.shape}",
            origin=origin(),
        )
    if queries.shape[-1] != keys.shape[-1] or keys.shape[-2] != values.shape[-2]:
        raise ShapeError(
            f"attention: query {queries.shape}, key {keys.shape} and value {values.shape}, "
            "expected (..., n, d), (..., m, d) and (..., m, e)",
            origin=origin(),
        )
    dtype = queries.dtype
    factor = 1 / math.sqrt(max(queries.shape[-1], 1)) if scale is None else scale
    queries, keys, values = (widened(x) for x in (queries * factor, keys, values))
    count, total = queries.shape[-2], keys.shape[-2]
    seen = None if mask is None else _seen(mask, count, total)
    added = None if bias is None else _bias(bias, count, total).astype(queries.dtype)
    row = tuning.row()
    few = total <= row.attention_direct
    size = block if block is not None else total if few else row.attention_block
    if operator.index(size) < 1 and total:
        raise ArgumentError(f"block must be positive, got {size}", origin=origin())
    if block is None and causal and few and (rows := _causal_block(queries, total)):
        blocks = QueryBlocks(count, total, seen, causal, rows)
        attended = by_queries(queries, keys, values, blocks, added, stores_weights=True)
    elif total <= size:
        attended = _together(queries, keys, values, seen, causal, added)
    elif block is None and queries.size and (rows := _query_block(queries, total)):
        blocks = QueryBlocks(count, total, seen, causal, rows)
        attended = by_queries(queries, keys, values, blocks, added)
    else:
        attended = blockwise(queries, keys, values, seen, causal, size, added)
    return match_dtype(attended, dtype)


def _seen(mask: Any, queries: int, keys: int) -> LazyArray:
    """Return a mask with axes for queries and keys, which may have length one."""
    seen = as_lazy(mask)
    if kind_of(seen.dtype) != "b":
        raise ArgumentError(
            f"mask must be boolean, True where a query attends to a key, got {seen.dtype}",
            origin=origin(),
        )
    return _of_scores(seen, queries, keys, "mask")


def _bias(bias: Any, queries: int, keys: int) -> LazyArray:
    """Return a bias with axes for queries and keys, which may have length one."""
    added = as_lazy(bias)
    if kind_of(added.dtype) not in "iuf":
        raise ArgumentError(
            f"bias must be real numbers that are added to scores, got {added.dtype}; booleans are "
            "a mask",
            origin=origin(),
        )
    return _of_scores(added, queries, keys, "bias")


def _of_scores(x: LazyArray, queries: int, keys: int, name: str) -> LazyArray:
    """Return an array that broadcasts to scores, with at least two axes.

    Parameters
    ----------
    x : LazyArray
        Any array.
    queries, keys : int
        Their numbers.
    name : str
        The argument's name in messages.

    Raises
    ------
    ShapeError
        If it does not broadcast to them.
    """
    x = x.reshape((1,) * (2 - x.ndim) + x.shape) if x.ndim < 2 else x
    if x.shape[-2] not in (1, queries) or x.shape[-1] not in (1, keys):
        raise ShapeError(
            f"{name} has shape {x.shape}, expected (..., {queries}, {keys})", origin=origin()
        )
    return x


def _query_block(queries: LazyArray, keys: int) -> int:
    """Return the number of queries to take with all their keys; 0 where that is too much.

    Parameters
    ----------
    queries : LazyArray
        Of shape (..., n, d).
    keys : int
        The number of keys that each may see.
    """
    row = tuning.row()
    count = queries.shape[-2]
    rows = max(row.attention_queries, -(-count // row.attention_blocks))
    each = math.prod(queries.shape[:-2]) * keys
    most = row.attention_scores
    if is_on_device(queries._node):
        # Few queries are too few rows for all multiprocessors.
        rows = max(rows, min(row.attention_queries_of_gpu, most // max(each, 1)))
        most = row.attention_scores_of_gpu
    return rows if each * min(rows, count) <= most else 0


def _causal_block(queries: LazyArray, keys: int) -> int:
    """Return the number of queries in a block if each attends to few keys; 0 for no blocks.

    Parameters
    ----------
    queries : LazyArray
        Of shape (..., n, d).
    keys : int
        The number of keys that the last one may see.
    """
    row, count = tuning.row(), queries.shape[-2]
    rows = max(row.attention_causal_queries, -(-count // row.attention_causal_blocks))
    scores = math.prod(queries.shape[:-1]) * keys
    if is_on_device(queries._node) or count < 2 * rows or scores < row.attention_causal_scores:
        return 0
    # Keys before those of the first query are seen by all queries.
    return rows if 2 * count >= keys else 0


def _together(
    queries: LazyArray,
    keys: LazyArray,
    values: LazyArray,
    seen: Any,
    causal: bool,
    bias: LazyArray | None,
) -> LazyArray:
    """Return attention with the scores in one array."""
    count, total = queries.shape[-2], keys.shape[-2]
    if causal:
        places = equal_steps.arange(count)[:, None] + (total - count)
        before = places >= equal_steps.arange(total)
        seen = before if seen is None else seen & before
    scores = matrix_products.matmul(queries, movement.swapaxes(keys, -1, -2))
    if bias is not None:
        scores = scores + bias
    if not total:  # a maximum of nothing is an error, a sum of nothing is zero
        return as_lazy(matrix_products.matmul(scores, values))
    if seen is not None:
        scores = selection.where(seen, scores, -np.inf)
    top = reductions.max(scores, axis=-1, keepdims=True)
    powers = FUNCTIONS["exp"](scores - stop_gradient(finite_top(as_lazy(top))))
    weight = reductions.sum(powers, axis=-1, keepdims=True)
    return divided(matrix_products.matmul(powers, values), as_lazy(weight))


def multi_head_attention(
    x: Any,
    weight_query: Any,
    weight_key: Any,
    weight_value: Any,
    weight_out: Any,
    heads: int,
    *,
    memory: Any = None,
    mask: Any = None,
    bias: Any = None,
    causal: bool = False,
) -> LazyArray:
    """Return attention of several heads, each in a part of the features.

    Parameters
    ----------
    x : array_like
        Of shape (..., queries, features): the source of the queries.
    weight_query, weight_key, weight_value : array_like
        Of shape (features, inner), with `inner` a multiple of `heads`.
    weight_out : array_like
        Of shape (inner, outputs).
    heads : int
        The number of parts.
    memory : array_like, optional
        Of shape (..., keys, features): the source of keys and values; default: `x`.
    mask : array_like of bool, optional
        Broadcasts to (..., queries, keys): which keys each query may see.
    bias : array_like, optional
        Broadcasts to (..., heads, queries, keys): real numbers that are added to the scores.
    causal : bool
        As for :func:`attention`.

    Returns
    -------
    LazyArray
        Of shape (..., queries, outputs).

    Raises
    ------
    ShapeError
        If the shapes do not fit, or `heads` does not divide the inner features.

    References
    ----------
    Vaswani et al.: Attention is all you need, 2017, section 3.2.2.

    Examples
    --------
    >>> import lazyarr as la
    >>> w = la.eye(2)
    >>> la.nn.multi_head_attention(la.ones((3, 2)), w, w, w, w, heads=2).compute()[0]
    array([1., 1.])
    """
    inputs = inexact(x, "multi_head_attention")
    context = inputs if memory is None else inexact(memory, "multi_head_attention")
    (count,) = integers(heads, 1, "heads")
    parts = []
    for source, weight in ((inputs, weight_query), (context, weight_key), (context, weight_value)):
        projected = linear(source, weight)
        inner = projected.shape[-1]
        if count < 1 or inner % count:
            raise ShapeError(f"heads={count} must divide the {inner} features", origin=origin())
        apart = projected.reshape(*projected.shape[:-1], count, inner // count)
        parts.append(movement.moveaxis(apart, -2, -3))
    seen = None
    if mask is not None:
        seen = as_lazy(mask)
        seen = seen.reshape((*seen.shape[:-2], 1, *seen.shape[-2:])) if seen.ndim > 2 else seen
    joined = movement.moveaxis(attention(*parts, mask=seen, bias=bias, causal=causal), -3, -2)
    out = as_lazy(joined).reshape(*inputs.shape[:-1], -1)
    expect_shape(
        as_lazy(weight_out), (out.shape[-1], asarray(weight_out).shape[-1]), "weight_out", "inner"
    )
    return linear(out, weight_out)


record_functions(globals(), __all__)
