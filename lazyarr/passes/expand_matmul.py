"""Matrix products that kernels compute: written out as sums of products, or term by term.

As such they share a kernel with what precedes and what follows them, and their order of
additions is known. Which of them a kernel should compute is decided by whoever knows the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.ops.movement import VIEW
from lazyarr.ops.product import ADDED_TERM, PRODUCT, SUM_OF_PRODUCTS, TERM
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["is_product", "is_summed_down", "spread", "write_out_products", "write_out_terms"]

_MATMUL = LIBRARY["matmul"]
_OPERANDS = Call((Slot(0), Slot(1)))


def write_out_products(
    roots: Sequence[Node],
    worth: Callable[[Node], bool],
    final: dict[Node, Node],
    *,
    streamed: bool = False,
) -> tuple[Node, ...]:
    """Return the roots with sums in the place of some matrix products.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    worth : callable
        Whether a kernel should compute a product of two arrays, the first of which has two axes or
        more.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    streamed : bool, optional
        Whether operands may be read piece by piece: products of vectors are written out too, and
        sums that are longer than their operands are wide are taken one piece after the other.
    """
    axes = 1 if streamed else 2

    def takes(value: Node) -> bool:
        return is_product(value, axes) and worth(value)

    return _replaced(roots, takes, lambda value: _written_out(value, streamed), final)


def write_out_terms(
    roots: Sequence[Node], worth: Callable[[Node, bool], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots with some matrix products as elementwise additions, one product a term.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    worth : callable
        Whether a product of two arrays of two or more axes should be written so, where it is
        an operand of elementwise operations, which share its kernel then, or is not. Its sums have
        at least one term.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    products = [v for v in order if is_product(v, 2) and v.src[1].ndim > 1]
    if not products:
        return tuple(roots)
    operands = {x for value in order if value.op.kind is Kind.ELEMENTWISE for x in value.src}
    chosen = {value for value in products if worth(value, value in operands)}
    if not chosen:
        return tuple(roots)
    return replace_nodes(roots, order, chosen, lambda _, moved: _added_up(moved), final)


def _replaced(
    roots: Sequence[Node],
    takes: Callable[[Node], bool],
    rewritten: Callable[[Node], Node],
    final: dict[Node, Node],
) -> tuple[Node, ...]:
    """Return the roots with the replacements of the nodes that a rewriting covers."""
    order = list(walk(tuple(roots)))
    chosen = {current for current in order if takes(current)}
    if not chosen:
        return tuple(roots)
    return replace_nodes(roots, order, chosen, lambda _, moved: rewritten(moved), final)


def is_product(value: Node, axes: int) -> bool:
    """Return whether a node is a product of an array of so many axes at least, and nothing more.

    Parameters
    ----------
    value : Node
        Any.
    axes : int
        Of the first factor.
    """
    return (
        value.op is _MATMUL
        and value.attr == _OPERANDS
        and value.src[0].ndim >= axes
        and all(source.dtype == value.dtype for source in value.src)
    )


def _written_out(value: Node, streamed: bool) -> Node:
    """Return the product as a sum over one of the axes (..., n, k, m), of which n or m may lack."""
    left, right = value.src
    deep = left.shape[-1]
    rows, columns = left.shape[-2:-1], right.shape[-1:] if right.ndim > 1 else ()
    stack = value.shape[: value.ndim - len(rows) - len(columns)]
    first = len(stack)
    if streamed and not stack and deep > max((*rows, *columns), default=0):
        # Down columns, of which pieces are added one after the other.
        domain = (deep, *rows, *columns)
        of_left = (*range(1, 1 + len(rows)), 0)
        of_right = (0, *range(1 + len(rows), len(domain)))
        axis = 0
    else:
        axis = first + len(rows)
        domain = (*stack, *rows, deep, *columns)
        of_left = (*range(first, axis), axis)
        of_right = (axis, *range(axis + 1, len(domain)))
    factors = spread(left, domain, first, of_left), spread(right, domain, first, of_right)
    product = node(PRODUCT, factors, value.dtype, domain, None, value.origin)
    return node(SUM_OF_PRODUCTS, (product,), value.dtype, value.shape, (axis,), value.origin)


def _added_up(value: Node) -> Node:
    """Return the product as a sum of elementwise products, added from the first to the last."""
    left, right = value.src
    columns = value.ndim - 1
    total: Node | None = None
    for k in range(left.shape[-1]):
        factors = (
            _line(left, value, left.ndim - 1, k, columns - 1),
            _line(right, value, right.ndim - 2, k, columns),
        )
        term = node(TERM, factors, value.dtype, value.shape, None, value.origin)
        if total is not None:
            term = node(ADDED_TERM, (total, term), value.dtype, value.shape, None, value.origin)
        total = term
    assert total is not None
    return total


def _line(source: Node, value: Node, summed: int, k: int, across: int) -> Node:
    """Return the k-th rows or columns of a stack of matrices, spread over their product.

    Parameters
    ----------
    source : Node
        The matrices.
    value : Node
        The product.
    summed : int
        The axis of the matrices that is summed.
    k : int
        The number of the term.
    across : int
        The axis of the product along which the other axis of the matrices lies.
    """
    ndim, other = source.ndim, 2 * source.ndim - 3 - summed
    offsets = [0] * ndim
    offsets[summed] = k
    rows = [[0] * value.ndim for _ in range(ndim)]
    if source.shape[other] != 1:
        rows[other][across] = 1
    for axis in range(ndim - 2):
        if source.shape[axis] != 1:
            rows[axis][axis + value.ndim - ndim] = 1
    view = View(tuple(offsets), tuple(map(tuple, rows)))
    return node(VIEW, (source,), value.dtype, value.shape, view, value.origin)


def spread(value: Node, domain: Shape, stacks: int, last: tuple[int, ...]) -> Node:
    """Return a view of a factor over the loops of a product.

    Parameters
    ----------
    value : Node
        The factor.
    domain : tuple of int
        Sizes of the loops.
    stacks : int
        The loops over stacks, which come first: what is in front of the last axes of the factor
        lies along the last of them.
    last : tuple of int
        The loops along which the last axes lie, if they have more than one element.
    """
    axes = (*range(stacks + len(last) - value.ndim, stacks), *last)
    rows = tuple(
        tuple(int(axis == k and size != 1) for k in range(len(domain)))
        for axis, size in zip(axes, value.shape, strict=True)
    )
    view = View((0,) * value.ndim, rows)
    return node(VIEW, (value,), value.dtype, domain, view, value.origin)


def is_summed_down(value: Node) -> bool:
    """Return whether a node is a product that is written out down columns, to be read in pieces."""
    return value.op is SUM_OF_PRODUCTS and value.attr == (0,)
