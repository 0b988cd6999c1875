"""Fusion: which values are stored, and which stored values one kernel computes together.

Two decisions are taken. First, *what lies in memory*: leaves, results, what library calls read and
write, reductions that leave their kernel, and values that would cost more to compute again than to
store. Everything else exists only inside a kernel. Second, *what shares a kernel*: stored values
over one domain whose kernel reads each shared input once instead of once for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.grouping import Grouping
from lazyarr.groups import Edge, Fusion, Group, Layout, Output, is_constant, layout_of
from lazyarr.ir import Kind, Node
from lazyarr.placement import COMPUTED, Placement
from lazyarr.shapes import Shape, View
from lazyarr.terms import domain_view, operands_of

__all__ = ["Edge", "Fusion", "Group", "Layout", "Output", "fuse", "layout_of"]

#: Arithmetic (in additions) that costs as much as storing and loading one value.
STORE_COST = 15
#: Rows or columns of a matrix product for which its kernel computes a factor of its own once.
PRODUCT_BLOCK = 192
#: Arithmetic for one element that shows beside loading and storing it: a division.
COSTLY = 4
#: Arithmetic worth one more kernel launch.
LAUNCH_COST = 50_000


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
    """Return values that are cheaper stored than computed as often as the kernels do.

    Users come first: what is chosen counts as stored from there on, so that its operands are
    computed for one kernel more and for no other reader.
    """
    owners = planner.owners
    weight = _weights(planner)
    ends = _ends(planner)
    domains: list[Shape] = []
    inside: list[set[Node]] = []
    reused: list[tuple[int, ...]] = []  # axes along which a kernel computes a value block by block
    # Where each value is computed: in which kernel, at which maps from that kernel's domain.
    places: dict[Node, dict[tuple[int, View], None]] = {}
    for group in fusion.groups:
        domains.append(group.domain)
        inside.append(set(group.members))
        products = any(value.op.contracts for value in group.nodes)
        kept = (axis for axis in range(len(group.domain)) if axis not in group.reduced)
        reused.append(tuple(kept) if products else ())
        if group.trace is not None:
            for sink in group.trace.sinks:
                term = group.trace.terms[sink[0]]
                places.setdefault(term.node, {})[len(domains) - 1, term.view] = None
    chosen: list[Node] = []
    for node in reversed(planner.order):
        found = places.get(node)
        if not found or node.op.kind is Kind.RESHAPE:
            continue
        computed = node.op.kind in COMPUTED or node.op.kind is Kind.GENERATE
        if computed and node.src and node not in owners:
            costly = weight[node] >= COSTLY
            points = sum(
                _points(domains[kernel], view, reused[kernel], costly) for kernel, view in found
            )
            extra = (points - node.size) * weight[node]
            # A loop that many elements share turns for one of them at a time.
            slow = node.op.loop is not None and any(
                view != domain_view(domains[kernel]) for kernel, view in found
            )
            # What ends a reduction is stored in its place.
            price = 0 if node in ends else STORE_COST * node.size + LAUNCH_COST
            if extra > price or (slow and node.size > 1):
                chosen.append(node)
                found = {(len(domains), domain_view(node.shape)): None}
                domains.append(node.shape)
                inside.append({node})
                reused.append(())
        for kernel, view in found:
            members = inside[kernel]

            def is_loaded(other: Node, members: set[Node] = members) -> bool:
                return other in owners and other not in members

            if not is_loaded(node):
                # What a gather reads lies in memory already.
                for source, at in operands_of(node, view, domains[kernel], is_loaded):
                    places.setdefault(source, {})[kernel, at] = None
    return chosen


def _ends(planner: Placement) -> set[Node]:
    """Return the values made of stored reductions and constants alone, element by element."""
    found: set[Node] = set()
    for node in planner.order:
        sources = [source for source in node.src if not is_constant(source)]
        if node.op.kind is Kind.ELEMENTWISE and sources:
            reduced = all(
                source in found or (source.op.kind is Kind.REDUCE and source in planner.owners)
                for source in sources
            )
            if reduced and all(source.shape == node.shape for source in sources):
                found.add(node)
    return found


def _points(domain: Shape, view: View, reused: tuple[int, ...], costly: bool) -> int:
    """Return how often a kernel computes a term.

    That is once for each turn of the loops around the innermost one in which it differs. What is
    cheap costs nothing in loops around that, for memory takes longer.
    """
    points = 1
    moving = [axis for axis in range(len(domain)) if any(row[axis] for row in view.coefficients)]
    for axis, size in enumerate(domain):
        if axis in moving or (costly and moving and axis < moving[-1]):
            points *= size
        elif axis in reused:
            points *= -(-size // PRODUCT_BLOCK)
    return points


def _weights(planner: Placement) -> dict[Node, int]:
    """Return the arithmetic behind one element of each value that is not stored."""
    weight: dict[Node, int] = {}
    for node in planner.order:
        if node in planner.owners:
            continue
        inner = sum(weight.get(source, 0) for source in node.src)
        computed = node.op.kind in COMPUTED or node.op.kind is Kind.GENERATE
        own = node.op.cost if computed else 0
        weight[node] = min(own + inner, 10_000)
    return weight
