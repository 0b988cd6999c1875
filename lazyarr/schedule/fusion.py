"""Fusion: which values are stored, and which stored values one kernel computes together.

Two decisions are taken. First, *what lies in memory*: leaves, results, what library calls read and
write, reductions that leave their kernel, and values that would cost more to compute again than to
store. Everything else exists only inside a kernel. Second, *what shares a kernel*: stored values
over one domain whose kernel reads each shared input once instead of once for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from lazyarr.core import tuning
from lazyarr.core.frozen import dataclass
from lazyarr.core.narrow_columns import are_of_one_thread
from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.groups import Edge, Fusion, Group, Layout, Output, is_constant, layout_of
from lazyarr.schedule.index_terms import domain_view, operands_of
from lazyarr.schedule.machine import FusionCosts, Machine
from lazyarr.schedule.materialization import COMPUTED, Placement
from lazyarr.schedule.partition import Grouping
from lazyarr.schedule.term_budget import repeated_too_often

__all__ = ["Edge", "Fusion", "Group", "Layout", "Output", "fuse", "layout_of"]


def fuse(roots: Sequence[Node], machine: Machine) -> Fusion:
    """Partition a simplified DAG into groups.

    Parameters
    ----------
    roots : sequence of Node
        The results. None of them may be a leaf, a constant or a view of a leaf: such results are
        copies, and the caller has made them so.
    machine : Machine
        What the plan is made for: what its kernels compute, in which loops, at which costs.
    """
    planner = Placement(tuple(roots), machine)
    forced: dict[Node, None] = {}
    while True:
        planner.choose_stored(forced)
        crowding = repeated_too_often(planner)
        if crowding:
            forced.update(dict.fromkeys(crowding))
            planner.choose_stored(forced)
        grouping = Grouping(planner)
        finished = grouping.finished()
        again = _too_often_computed(finished.groups, planner)
        if not again:
            return grouping.fusion(finished)
        forced.update(dict.fromkeys(again))


@dataclass(frozen=True, eq=False, slots=True)
class _Kernel:
    """A kernel during fusion, with the values that it computes.

    Attributes
    ----------
    domain : tuple of int
        Its loops.
    members : set of Node
        What it stores or reduces.
    blocks : tuple of int
        Axes along which it computes a value block by block.
    reduced : tuple of int
        Axes that it reduces.
    behind : frozenset of Node
        What no reduction reads: it is computed behind the loops over those axes.
    """

    domain: Shape
    members: set[Node]
    blocks: tuple[int, ...] = ()
    reduced: tuple[int, ...] = ()
    behind: frozenset[Node] = frozenset()

    @classmethod
    def of(cls, group: Group) -> _Kernel:
        """Return the kernel of a group."""
        members = set(group.members)
        products = any(value.op.allows_fma for value in group.nodes)
        unreduced = (axis for axis in range(len(group.domain)) if axis not in group.reduced)
        # Nothing is behind a reduction where there is none.
        terms = group.trace.terms if group.trace is not None and group.reduced else ()
        before = [term.node.op.kind is Kind.REDUCE and term.node in members for term in terms]
        for k in reversed(range(len(terms))):
            for source in terms[k].args if before[k] else ():
                before[source] = True
        inner = {term.node for term, is_before in zip(terms, before, strict=True) if is_before}
        behind = frozenset({term.node for term in terms} - inner)
        return cls(
            group.domain, members, tuple(unreduced) if products else (), group.reduced, behind
        )

    def points(self, node: Node, view: View, expensive: bool, costs: FusionCosts) -> int:
        """Return the number of times that a value is computed at a map from the domain.

        That is once for each iteration of the loops around the innermost one in which it differs.
        What is cheap costs nothing in other loops around that, for memory takes longer.

        Parameters
        ----------
        node : Node
            The value.
        view : View
            From the domain to the value.
        expensive : bool
            Whether its arithmetic shows beside loading and storing it.
        costs : FusionCosts
            How often a kernel computes what stays the same.
        """
        points = 1
        axes = range(len(self.domain))
        moving = [axis for axis in axes if any(row[axis] for row in view.coefficients)]
        around = range(moving[-1]) if expensive and moving else range(0)
        beside = not self.reduced or node not in self.behind
        if expensive and beside and not moving and costs.shared_elements:
            return max(prod(self.domain) // costs.shared_elements, 1)
        if expensive and beside and moving and self.reduced and costs.thread_elements:
            inner = prod(self.domain[moving[-1] + 1 :])
            narrow = inner <= tuning.row().thread_columns
            if not (narrow and are_of_one_thread(self.domain, self.reduced)):
                # A thread has as many neighbours as divide a line of many columns.
                points *= inner // gcd(inner, costs.thread_elements)
        gone = self.reduced if node in self.behind else ()
        for axis, size in enumerate(self.domain):
            if axis in moving:
                points *= size
            elif axis in self.blocks:
                points *= -(-size // costs.product_block)
            elif axis in around and axis not in gone:
                points *= size
        return points


def _too_often_computed(groups: Sequence[Group], planner: Placement) -> list[Node]:
    """Return values that are cheaper stored than computed as often as the kernels do.

    Users come first: what is chosen counts as stored from there on, so that its operands are
    computed for one kernel more and for no other reader.

    Parameters
    ----------
    groups : sequence of Group
        The kernels.
    planner : Placement
        What is stored, and the machine.
    """
    owners, costs = planner.owners, planner.machine.costs
    weight = _weights(planner)
    ends = _ends(planner)
    kernels = [_Kernel.of(group) for group in groups]
    wholes: dict[int, View] = {}  # the identity maps of kernels' domains
    # Where each value is computed: in which kernel, at which maps from that kernel's domain.
    places: dict[Node, dict[tuple[int, View], None]] = {}
    for index, group in enumerate(groups):
        if group.trace is not None:
            for sink in group.trace.sinks:
                term = group.trace.terms[sink[0]]
                places.setdefault(term.node, {})[index, term.view] = None
                if term.node.shape == group.domain:
                    wholes[index] = term.view
    chosen: list[Node] = []
    for node in reversed(planner.order):
        uses = places.get(node)
        if not uses or node.op.kind is Kind.RESHAPE:
            continue
        computed = node.op.kind in COMPUTED or node.op.kind is Kind.GENERATE
        if len(uses) == 1 and node.op.loop is None:
            ((kernel, view),) = uses
            # Each of its elements is computed once.
            if view == wholes.get(kernel) and node.shape == kernels[kernel].domain:
                computed = False
        if computed and node.src and node not in owners:
            expensive = weight[node] >= costs.expensive
            points = sum(kernels[k].points(node, view, expensive, costs) for k, view in uses)
            extra = (points - node.size) * weight[node]
            # A loop that many elements share iterations for one of them at a time.
            slow = node.op.loop is not None and any(
                view != domain_view(kernels[kernel].domain) for kernel, view in uses
            )
            # What ends a reduction is stored in its place.
            price = 0 if node in ends else costs.store_cost * node.size + costs.launch_cost
            if extra > price or (slow and node.size > 1):
                chosen.append(node)
                uses = {(len(kernels), domain_view(node.shape)): None}
                kernels.append(_Kernel(node.shape, {node}))
        for kernel, view in uses:
            members = kernels[kernel].members

            def is_loaded(other: Node, members: set[Node] = members) -> bool:
                return other in owners and other not in members

            if not is_loaded(node):
                # What a gather reads lies in memory already.
                for source, at in operands_of(node, view, kernels[kernel].domain, is_loaded):
                    places.setdefault(source, {})[kernel, at] = None
    return chosen


def _ends(planner: Placement) -> set[Node]:
    """Return the values made of stored reductions, constants and arrays in memory that repeat.

    As they are computed element by element, they take as much memory as the reductions.
    """
    ends: set[Node] = set()
    for node in planner.order:
        if node.op.kind is not Kind.ELEMENTWISE:
            continue
        sources = [x for x in node.src if not is_constant(x) and not _repeats(x, node)]
        if sources:
            reduced = all(
                source in ends or (source.op.kind is Kind.REDUCE and source in planner.owners)
                for source in sources
            )
            if reduced and all(source.shape == node.shape for source in sources):
                ends.add(node)
    return ends


def _repeats(source: Node, node: Node) -> bool:
    """Return whether an operand is an array in memory that is smaller than the result."""
    base = source
    while base.op.kind is Kind.VIEW:
        base = base.src[0]
    return base.op.kind is Kind.PARAMETER and base.shape != node.shape and base.size < node.size


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
