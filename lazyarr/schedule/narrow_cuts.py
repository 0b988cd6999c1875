"""Cuts of code that is too long for one kernel, where few values are alive.

A kernel's code has a bound. Behind the operation that exceeds it, a chain of operations has one
value to store, but the state of a loop that was written out, or many results of shared operands,
are several. In the order in which operations were built, those before a cut that are used behind it
are stored; of all cuts that leave each kernel a fair part, the one that stores the fewest bytes is
chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Kind, Node

__all__ = ["Cut", "NarrowCuts"]


@dataclass(frozen=True, eq=False, slots=True)
class Cut:
    """A place in the order of the nodes behind which another kernel computes.

    Attributes
    ----------
    stored : tuple of Node
        The values before the cut that are used behind it, at least one: a kernel that stores one
        of them computes all.
    operations : int
        Size of the code before it.
    """

    stored: tuple[Node, ...]
    operations: int


class NarrowCuts:
    """Finds cuts in the order of the nodes of a DAG.

    Parameters
    ----------
    order : sequence of Node
        All nodes, sources before users.
    """

    def __init__(self, order: Sequence[Node]) -> None:
        self._place = {node: place for place, node in enumerate(order)}
        self._last_use: dict[Node, int] = {}
        for node in reversed(order):
            # A view is part of the code of what reads it.
            passes = node.op.kind is Kind.VIEW
            use = self._last_use.get(node, 0) if passes else self._place[node]
            for source in node.src:
                self._last_use[source] = max(use, self._last_use.get(source, 0))

    def cut(self, sizes: Mapping[Node, int], most: int, expensive: int) -> Cut:
        """Return the cheapest cut of the code of a kernel.

        Parameters
        ----------
        sizes : mapping of Node to int
            The operations of a kernel with the size of the code of each, among them the one that
            exceeds the bound.
        most : int
            The bound of their sum.
        expensive : int
            Arithmetic that shows beside storing and loading: what costs less is computed again.
        """
        nodes = sorted(sizes, key=self._place.__getitem__)
        last = nodes[-1]
        best: Cut | None = None
        least = 0
        alive: dict[Node, None] = {}
        costs: dict[Node, int] = {}
        code = 0
        for node in nodes:
            place = self._place[node]
            code += sizes[node]
            for other in [other for other in alive if self._last_use[other] <= place]:
                del alive[other]
            # Shared operands count twice: only what costs little is of interest.
            behind = sum(costs.get(_base(source), 0) for source in node.src)
            costs[node] = min(node.op.cost + behind, expensive)
            if node.op.kind is not Kind.GENERATE and costs[node] >= expensive:
                alive[node] = None
            if 2 * code < most or self._place[last] - place > most or not alive:
                continue
            stored = _stored(alive, expensive)
            nbytes = sum(other.nbytes for other in stored)
            if stored and (best is None or nbytes <= least):
                best, least = Cut(stored, code), nbytes
        return best or Cut((last,), sum(sizes.values()))


def _stored(alive: Mapping[Node, None], expensive: int) -> tuple[Node, ...]:
    """Return values without those that one cheap operation computes of others among them."""
    stored: dict[Node, None] = {}
    for node in alive:
        if node.op.cost >= expensive or not all(_base(source) in stored for source in node.src):
            stored[node] = None
    return tuple(stored)


def _base(node: Node) -> Node:
    """Return the value that a view is of."""
    while node.op.kind is Kind.VIEW:
        node = node.src[0]
    return node
