"""Matrix products whose factors and sums are bfloat16, where a library computes them as such.

A product of bfloat16 is an expression of float32: its factors are widened, which is exact, and the
sums are rounded once. Tensor cores take the factors as they are, add in float32, and round the sums
as they are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lazyarr.core.dtypes import is_bfloat16
from lazyarr.graph.node import Node, node, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY
from lazyarr.ops.movement import VIEW
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["narrow_products"]

_CAST = ELEMENTWISE["cast"]
_PRODUCTS = frozenset({LIBRARY["matmul"], LIBRARY["dot"]})
_WIDE = np.dtype(np.float32)


def narrow_products(
    roots: Sequence[Node], is_library_step: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots with products of bfloat16 in the place of widened ones.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    is_library_step : callable
        Whether a library step on the GPU computes a node.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    casts = {x for x in order if x.op is _CAST and is_bfloat16(x.dtype) and _is_wide(x.src[0])}
    if not casts:
        return tuple(roots)
    seen = {source for x in order if x not in casts for source in x.src}.union(roots)
    chosen = {x for x in casts if x.src[0] not in seen and is_library_step(_narrowed(x, x))}
    if not chosen:
        return tuple(roots)
    return replace_nodes(roots, order, chosen, _narrowed, final)


def _is_wide(value: Node) -> bool:
    """Whether a node is a product of matrices that were widened, and nothing more."""
    if value.op not in _PRODUCTS or value.dtype != _WIDE or not value.ndim:
        return False
    return all(_before_widening(source) is not None for source in value.src)


def _before_widening(value: Node) -> Node | None:
    """Return the array of bfloat16 that was widened, seen alike; None if there is none."""
    if value.op is _CAST:
        (source,) = value.src
        return source if is_bfloat16(source.dtype) else None
    if value.op is VIEW:
        source_before = _before_widening(value.src[0])
        return None if source_before is None else _alike(value, source_before)
    return None


def _alike(value: Node, *sources: Node) -> Node:
    """Return the operation of a node on operands of bfloat16."""
    return node(value.op, sources, sources[0].dtype, value.shape, value.attr, value.origin)


def _narrowed(_: Node, cast: Node) -> Node:
    """Return the product that a cast rounds, of the factors before they were widened."""
    (product,) = cast.src
    factors = [_before_widening(source) for source in product.src]
    known = [factor for factor in factors if factor is not None]
    assert len(known) == len(factors)
    return _alike(product, *known)
