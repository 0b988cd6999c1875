"""Products of matrices and vectors as sums of elementwise products.

Each element of the matrix is read once, for one multiplication: the time of such a product is that
of reading the matrix. As a reduction it shares a kernel with what precedes and what follows it.
Rows are summed where the summed axis lies along memory, and columns where the other one does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lazyarr.core.shapes import View
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.movement import VIEW
from lazyarr.ops.product import SUM_OF_PRODUCTS, TERM
from lazyarr.passes.expand_matmul import is_product, spread
from lazyarr.passes.memory_order import axes_in_memory
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["write_out_vector_products"]


class _Factors(NamedTuple):
    """The operands of a product of a matrix and a vector, each with stacks in front.

    Attributes
    ----------
    matrix, vector : Node
        The operands.
    unsummed : int or None
        The axis of the matrix that is not summed, counted from the end; None of two vectors.
    summed : int
        The axis of the matrix that is summed, counted from the end.
    """

    matrix: Node
    vector: Node
    unsummed: int | None
    summed: int


def write_out_vector_products(
    roots: Sequence[Node], worth: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots with sums in the place of products of which one operand is a vector.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    worth : callable
        Whether a kernel should compute such a product.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    chosen = {value for value in order if _factors(value) is not None and worth(value)}
    if not chosen:
        return tuple(roots)
    return replace_nodes(roots, order, chosen, lambda _, moved: _written_out(moved), final)


def _factors(value: Node) -> _Factors | None:
    """Return the matrix and the vector of a product; None if there is no vector, or no element."""
    if not is_product(value, 1) or not value.size:
        return None
    left, right = value.src
    if not left.shape[-1]:
        return None
    if right.ndim == 1 or right.shape[-1] == 1:
        unsummed = None if left.ndim == 1 else -2
        return _Factors(left, right, unsummed, -1)
    if left.ndim == 1 or left.shape[-2] == 1:
        return _Factors(right, left, -1, -2)
    return None


def _written_out(value: Node) -> Node:
    """Return a product of a matrix and a vector as a sum over an axis of elementwise products."""
    factors = _factors(value)
    assert factors is not None
    matrix, vector, unsummed, summed = factors
    axes = [summed] if unsummed is None else [unsummed, summed]
    if _is_turned(matrix, axes):
        axes.reverse()
    lengths = tuple(matrix.shape[axis] for axis in axes)
    # Behind the stacks, the result has an axis for each operand that is no vector of one axis.
    stack = value.shape[: value.ndim - (matrix.ndim > 1) - (vector.ndim > 1)]
    domain = (*stack, *lengths)
    place = len(stack) + axes.index(summed)
    # In the order of the axes of the matrix; the other axis of a vector has one element.
    loops = tuple(len(stack) + axes.index(axis) for axis in sorted(axes))
    operands = (
        spread(matrix, domain, len(stack), loops),
        spread(vector, domain, len(stack), (place, place)[: vector.ndim]),
    )
    product = node(TERM, operands, value.dtype, domain, None, value.origin)
    shape = (*domain[:place], *domain[place + 1 :])
    total = node(SUM_OF_PRODUCTS, (product,), value.dtype, shape, (place,), value.origin)
    if shape == value.shape:
        return total
    # The axis of the vector's one row or column comes last, or before that of a matrix behind it.
    place = len(stack) if unsummed == -1 else len(shape)
    rows = tuple(
        tuple(int(k == axis + (axis >= place)) for k in range(value.ndim))
        for axis in range(len(shape))
    )
    view = View((0,) * len(shape), rows)
    return node(VIEW, (total,), value.dtype, value.shape, view, value.origin)


def _is_turned(matrix: Node, axes: Sequence[int]) -> bool:
    """Whether the last of two axes is the outer one in memory."""
    if len(axes) < 2:
        return False
    current = matrix
    while current.op.kind is Kind.ELEMENTWISE:
        whole = [source for source in current.src if source.shape == matrix.shape]
        if not whole:
            return False
        current = whole[0]
    order = axes_in_memory(current)
    outer, inner = (axis % matrix.ndim for axis in axes)
    if order is None or outer not in order or inner not in order:
        return False
    return order.index(outer) > order.index(inner)
