"""Matrix products that kernels compute: written out as sums of products.

As such they share a kernel with what precedes and what follows them, and their order of
additions is known. Which of them a kernel should compute is decided by whoever knows the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Node, node, replace_sources, walk
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.ops.movement import VIEW
from lazyarr.ops.product import PRODUCT, SUM_OF_PRODUCTS

__all__ = ["write_out_products"]

_MATMUL = LIBRARY["matmul"]
_OPERANDS = Call((Slot(0), Slot(1)))


def write_out_products(
    roots: Sequence[Node], worth: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots with sums in the place of some matrix products.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    worth : callable
        Whether a kernel should compute a product of two arrays of two or more axes.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    chosen = {current for current in order if _is_product(current) and worth(current)}
    if not chosen:
        return tuple(roots)
    replaced: dict[Node, Node] = {}
    for current in order:
        moved = replace_sources(current, tuple([replaced[source] for source in current.src]))
        replaced[current] = _written_out(moved) if current in chosen else moved
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    return tuple(replaced[root] for root in roots)


def _is_product(value: Node) -> bool:
    """Whether a node is a product of matrices, or of stacks of them, and nothing more."""
    return (
        value.op is _MATMUL
        and value.attr == _OPERANDS
        and all(source.ndim >= 2 and source.dtype == value.dtype for source in value.src)
    )


def _written_out(value: Node) -> Node:
    """Return the product as a sum over the second to last of the axes (..., n, k, m)."""
    left, right = value.src
    *stack, rows, columns = value.shape
    domain = (*stack, rows, left.shape[-1], columns)
    axis = len(stack) + 1
    factors = (
        _spread(left, domain, (axis - 1, axis)),
        _spread(right, domain, (axis, axis + 1)),
    )
    product = node(PRODUCT, factors, value.dtype, domain, None, value.origin)
    return node(SUM_OF_PRODUCTS, (product,), value.dtype, value.shape, (axis,), value.origin)


def _spread(value: Node, domain: Shape, last: tuple[int, int]) -> Node:
    """Return a view of an operand over the domain: its last two axes lie along those given."""
    stack = value.ndim - 2
    axes = (*range(len(domain) - 3 - stack, len(domain) - 3), *last)
    rows = tuple(
        tuple(int(axis == k and size != 1) for k in range(len(domain)))
        for axis, size in zip(axes, value.shape, strict=True)
    )
    view = View((0,) * value.ndim, rows)
    return node(VIEW, (value,), value.dtype, domain, view, value.origin)
