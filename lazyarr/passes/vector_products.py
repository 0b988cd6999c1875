"""Products of matrices and vectors as sums of elementwise products.

Each element of the matrix is read once, for one multiplication: the time of such a product is that
of reading the matrix. As a reduction it shares a kernel with what precedes and what follows it.
Rows are summed where the summed axis lies along memory, and columns where the other one does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lazyarr.builders import build
from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.ops.movement import VIEW
from lazyarr.ops.product import SUM_OF_PRODUCTS, TERM
from lazyarr.passes.memory_order import axes_in_memory
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["write_out_vector_products"]

_MATMUL = LIBRARY["matmul"]
_OPERANDS = Call((Slot(0), Slot(1)))


class _Factors(NamedTuple):
    """The operands of a product of a matrix and a vector, each with stacks in front.

    Attributes
    ----------
    matrix, vector : Node
        The operands.
    kept : int or None
        The axis of the matrix that is not summed, counted from the end; None of two vectors.
    summed : int
        The axis of the matrix that is summed, counted from the end.
    along : int
        The axis of the vector that is summed, counted from the end.
    """

    matrix: Node
    vector: Node
    kept: int | None
    summed: int
    along: int


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
    if value.op is not _MATMUL or value.attr != _OPERANDS or not value.size:
        return None
    left, right = value.src
    if left.dtype != value.dtype or right.dtype != value.dtype or not left.shape[-1]:
        return None
    if right.ndim == 1 or right.shape[-1] == 1:
        kept = None if left.ndim == 1 else -2
        return _Factors(left, right, kept, -1, -1 if right.ndim == 1 else -2)
    if left.ndim == 1 or left.shape[-2] == 1:
        return _Factors(right, left, -1, -2, -1)
    return None


def _written_out(value: Node) -> Node:
    """Return a product of a matrix and a vector as a sum over an axis of elementwise products."""
    factors = _factors(value)
    assert factors is not None
    matrix, vector, kept, summed, along = factors
    axes = [summed] if kept is None else [kept, summed]
    if _is_turned(matrix, axes):
        axes.reverse()
    lengths = tuple(matrix.shape[axis] for axis in axes)
    # Behind the stacks, the result has an axis for each operand that is no vector of one axis.
    stack = value.shape[: value.ndim - (matrix.ndim > 1) - (vector.ndim > 1)]
    domain = (*stack, *lengths)
    place = len(stack) + axes.index(summed)
    places = {axis: len(stack) + k for k, axis in enumerate(axes)}
    operands = (
        _spread(matrix, domain, len(stack), places),
        _spread(vector, domain, len(stack), {along: place}),
    )
    product = node(TERM, operands, value.dtype, domain, None, value.origin)
    shape = (*domain[:place], *domain[place + 1 :])
    total = node(SUM_OF_PRODUCTS, (product,), value.dtype, shape, (place,), value.origin)
    return total if shape == value.shape else build.reshape(total, value.shape)


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


def _spread(source: Node, domain: Shape, stacks: int, places: dict[int, int]) -> Node:
    """Return a view of an operand over the domain.

    Parameters
    ----------
    source : Node
        The operand.
    domain : tuple of int
        Sizes of the loops.
    stacks : int
        The loops over stacks, which come first: what is in front of the last two axes of the
        operand lies along the last of them.
    places : dict of int to int
        Loops by the axes that lie along them, counted from the end.
    """
    ndim = source.ndim
    along = {axis % ndim: loop for axis, loop in places.items()}
    along |= {axis: stacks - (ndim - 2) + axis for axis in range(ndim - 2)}
    rows = tuple(
        tuple(int(size != 1 and k == along.get(axis)) for k in range(len(domain)))
        for axis, size in enumerate(source.shape)
    )
    view = View((0,) * ndim, rows)
    return node(VIEW, (source,), source.dtype, domain, view, source.origin)
