"""Stacks of small matrix products, computed term by term in kernels.

A call of a library takes as long as a hundred additions before it begins. A product of few terms
is an elementwise kernel instead, one with what precedes and what follows it.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from lazyarr.core.shapes import View
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.ops.movement import VIEW
from lazyarr.passes.expand_matmul import write_out_terms

__all__ = ["write_out_stacks"]

_DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


class Limits(Protocol):
    """The sizes up to which terms are faster than a library, of a family of processors.

    Attributes
    ----------
    special_cost : int
        Of an operation that is a function of the mathematics library, at least.
    terms, terms_matrix, terms_work : int
        Most terms of a sum, most elements of a matrix, and products of elements at least.
    """

    @property
    def special_cost(self) -> int: ...
    @property
    def terms(self) -> int: ...
    @property
    def terms_matrix(self) -> int: ...
    @property
    def terms_work(self) -> int: ...


def write_out_stacks(
    roots: tuple[Node, ...], final: dict[Node, Node], limits: Limits
) -> tuple[Node, ...]:
    """Return the roots with stacks of small products term by term, if that is faster.

    Beside functions of the mathematics library and reductions, whose loops are others, products are
    left to the library.

    Parameters
    ----------
    roots : tuple of Node
        Simplified results.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    limits : Limits
        Up to which sizes.
    """
    for value in walk(roots):
        if value.op.kind in (Kind.REDUCE, Kind.SCAN):
            return roots
        if value.op.kind is Kind.ELEMENTWISE and value.op.cost >= limits.special_cost:
            return roots
    return write_out_terms(roots, partial(_pays, limits), final)


def _pays(limits: Limits, value: Node, _followed: bool) -> bool:
    """Whether a product is one of a stack of small ones whose second operands have rows."""
    left, right = value.src
    deep = left.shape[-1]
    if value.dtype not in _DTYPES or min(left.ndim, right.ndim) < 2 or value.ndim <= 2:
        return False
    if right.op is VIEW and isinstance(right.attr, View):
        # No vector holds what lies apart, or what is one number.
        if not right.src[0].ndim or right.attr.coefficients[-1][-1] != 1:
            return False
    rows, columns = value.shape[-2:]
    return (
        0 < deep <= limits.terms
        and rows * columns <= limits.terms_matrix
        and value.size > rows * columns
        and value.size * deep >= limits.terms_work
    )
