"""One factorisation for the systems of a matrix: what NumPy's functions give is made of factors.

Derivatives of solutions are solutions by the factors of the matrix, see
:mod:`lazyarr.linalg.factored`. Their values are NumPy's, which factorises once more.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.graph.node import Node, node, replace_sources, walk
from lazyarr.ops.library import Call, Slot, freeze
from lazyarr.ops.triangular import SOLUTION
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["share_factors"]

_AS_NUMPY = Call(
    (Slot(0), Slot(1)),
    (("transposed", freeze(False, lambda _: None)), ("as_numpy", freeze(True, lambda _: None))),
)


def share_factors(roots: Sequence[Node], final: dict[Node, Node]) -> tuple[Node, ...]:
    """``solve(a, b) -> solution(factors(a), b)`` where a graph has the factors; the bits are same.

    Parameters
    ----------
    roots : sequence of Node
        The graph.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(roots))
    known = {value.src[0]: value for value in order if value.op.spares is not None}
    chosen = {
        value
        for value in order
        if value.src and value.src[0] in known and value.op.calls is known[value.src[0]].op.spares
    }
    if not chosen:
        return tuple(roots)

    def rewritten(old: Node, moved: Node) -> Node:
        a, b = moved.src
        src = (replace_sources(known[old.src[0]], (a,)), b)
        return node(SOLUTION, src, old.dtype, old.shape, _AS_NUMPY, old.origin)

    return replace_nodes(roots, order, chosen, rewritten, final)
