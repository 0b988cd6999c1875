"""Fusion: which values are stored, and which stored values one kernel computes together.

Two decisions are taken. First, *what lies in memory*: leaves, results, what library calls read and
write, reductions that leave their kernel, and values that would cost more to compute again than to
store. Everything else exists only inside a kernel. Second, *what shares a kernel*: stored values
over one domain whose kernel reads each shared input once instead of once for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.grouping import Grouping
from lazyarr.groups import Edge, Fusion, Group, Layout, Output, layout_of
from lazyarr.ir import Kind, Node
from lazyarr.placement import Placement

__all__ = ["Edge", "Fusion", "Group", "Layout", "Output", "fuse", "layout_of"]

#: Arithmetic (in additions) that costs as much as storing and loading one value.
STORE_COST = 15
#: Arithmetic worth one more kernel launch.
LAUNCH_COST = 200_000


def fuse(roots: Sequence[Node], covers: Callable[[Node], bool]) -> Fusion:
    """Partition a simplified DAG into groups.

    Parameters
    ----------
    roots : sequence of Node
        The results. None of them may be a leaf, a constant or a view of a leaf: such results are
        copies, and the caller has made them so.
    covers : callable
        Whether generated code can compute an elementwise or reduction node.
    """
    planner = Placement(tuple(roots), covers)
    forced: dict[Node, None] = {}
    while True:
        planner.choose_stored(forced)
        fusion = Grouping(planner).run()
        again = _too_often_computed(fusion, planner)
        if not again:
            return fusion
        forced.update(dict.fromkeys(again))


def _too_often_computed(fusion: Fusion, planner: Placement) -> list[Node]:
    """Return values that are cheaper stored than computed as often as the kernels do."""
    work: dict[Node, int] = {}
    for group in fusion.groups:
        if group.trace is None:
            continue
        for term in group.trace.terms:
            if term.loaded or term.node.op.kind is not Kind.ELEMENTWISE:
                continue
            if not term.node.src or term.node in planner.owners:
                continue
            points = 1
            for axis, size in enumerate(group.domain):
                if any(row[axis] for row in term.view.coefficients):
                    points *= size
            work[term.node] = work.get(term.node, 0) + points
    weight: dict[Node, int] = {}
    for node in planner.order:
        if node in work:
            inner = sum(weight.get(s, 0) for s in node.src if s not in planner.owners)
            weight[node] = min(node.op.cost + inner, 10_000)
        elif node.op.kind is Kind.VIEW and node not in planner.owners:
            weight[node] = weight.get(node.src[0], 0)
    chosen: list[Node] = []
    covered: set[Node] = set()
    for node in reversed(planner.order):
        if node in covered:
            covered.update(s for s in node.src if s not in planner.owners)
            continue
        points = work.get(node, 0)
        extra = (points - node.size) * weight.get(node, 0)
        if extra > STORE_COST * node.size + LAUNCH_COST:
            chosen.append(node)
            covered.update(s for s in node.src if s not in planner.owners)
    return chosen
