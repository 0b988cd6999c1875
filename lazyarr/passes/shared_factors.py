"""One factorisation for all systems of a matrix, as results of its factors.

Derivatives of solutions are solutions by the factors of the matrix, see
:mod:`lazyarr.linalg.factored`. Their values are NumPy's, which factorises once more.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from lazyarr.graph.node import Node, node, replace_sources, walk
from lazyarr.ops.factored_solutions import SOLVED, SOLVED_SIDES
from lazyarr.ops.library import Call, Slot, freeze
from lazyarr.ops.triangular import LAPACK, SOLUTION, solved_bytes
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["share_factors", "solve_with_factors"]

_AS_NUMPY = Call(
    (Slot(0), Slot(1)),
    (("transposed", freeze(False, lambda _: None)), ("as_numpy", freeze(True, lambda _: None))),
)
_OF_BOTH = Call((Slot(0), Slot(1)), ())


def solve_with_factors(roots: Sequence[Node], final: dict[Node, Node]) -> tuple[Node, ...]:
    """``solve(a, b), factors(a) -> sides(s), s`` with ``s = solved(a, b)``; the bits are same.

    One routine gives both, whatever the number of threads. It takes the first right sides of each
    matrix.

    Parameters
    ----------
    roots : sequence of Node
        The graph.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    pairs: dict[Node, Node] = {}  # by the factors, the solution
    for value, factors in _solutions(list(walk(roots))).items():
        a, b = value.src
        same = {a.dtype, b.dtype, value.dtype} == {a.dtype} and a.dtype in LAPACK
        own = a.ndim == 2 if b.ndim == 1 else a.shape[:-2] == b.shape[:-2]
        if same and value.size and own:
            pairs.setdefault(factors, value)
    # Right sides come first, but for those that are made of the factors.
    order = list(walk((*[value.src[1] for value in pairs.values()], *roots)))
    places = {value: k for k, value in enumerate(order)}
    pairs = {
        factors: value for factors, value in pairs.items() if places[value.src[1]] < places[factors]
    }
    if not pairs:
        return tuple(roots)
    solved = set(pairs.values())
    replaced: dict[Node, Node] = {}
    for current in order:
        src = tuple([replaced[source] for source in current.src])
        if current in pairs:
            replaced[current] = _solved(src[0], replaced[pairs[current].src[1]], pairs[current])
        elif current in solved:
            replaced[current] = _sides_of(_solved(src[0], src[1], current), current)
        else:
            replaced[current] = replace_sources(current, src)
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    return tuple([replaced[root] for root in roots])


def _solutions(order: Sequence[Node]) -> dict[Node, Node]:
    """Return the solutions for matrices whose factors a graph has, with these."""
    known = {value.src[0]: value for value in order if value.op.spares is not None}
    return {
        value: known[value.src[0]]
        for value in order
        if value.src and value.src[0] in known and value.op.calls is known[value.src[0]].op.spares
    }


def _solved(a: Node, b: Node, value: Node) -> Node:
    """Return the factors of a matrix, with the solutions behind them."""
    n = a.shape[-1]
    count = 1 if value.ndim == 1 else value.shape[-1]
    nbytes = solved_bytes(n, count, a.dtype)
    return node(SOLVED, (a, b), np.dtype(np.uint8), (*a.shape[:-2], nbytes), _OF_BOTH, value.origin)


def _sides_of(record: Node, value: Node) -> Node:
    """Return the solutions behind factors."""
    sizes = (value.shape[0], 0) if value.ndim == 1 else value.shape[-2:]
    # Numbers, not symbols: a routine's arguments are those of the plan, whatever fills it.
    keywords = {"shape": tuple(map(operator.index, sizes)), "dtype": value.dtype}
    frozen = tuple([(key, freeze(item, lambda _: None)) for key, item in keywords.items()])
    call = Call((Slot(0),), frozen)
    return node(SOLVED_SIDES, (record,), value.dtype, value.shape, call, value.origin)


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
    known = _solutions(order)
    if not known:
        return tuple(roots)

    def rewritten(old: Node, moved: Node) -> Node:
        a, b = moved.src
        src = (replace_sources(known[old], (a,)), b)
        return node(SOLUTION, src, old.dtype, old.shape, _AS_NUMPY, old.origin)

    return replace_nodes(roots, order, known, rewritten, final)
