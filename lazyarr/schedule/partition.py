"""The partition of stored values into kernels."""

from __future__ import annotations

from typing import NamedTuple

from lazyarr.core.shapes import view_strides
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.drafts import Candidate, Draft, Drafts
from lazyarr.schedule.finished_groups import FinishedGroups
from lazyarr.schedule.groups import (
    Edge,
    Fusion,
    Output,
    copied_in_place,
    is_constant,
    layout_of,
)
from lazyarr.schedule.index_terms import KernelTerms, domain_view
from lazyarr.schedule.materialization import Placement

__all__ = ["Grouping"]


class _Steps(NamedTuple):
    """The memory that a kernel reads: its owner, and its strides."""

    owner: Node
    strides: tuple[int, ...]


#: What a kernel reads, and from which bytes on.
_Places = dict[_Steps, set[int]]


class Grouping:
    """Assigns every stored value that is computed to a group."""

    def __init__(self, planner: Placement) -> None:
        self._planner = planner
        self._drafts = Drafts(planner, planner.machine)
        self._edges: list[Edge] = []
        self._extra: dict[int, list[Output]] = {}
        #: The groups that write parts of concatenations alone, with what they read.
        self._read: dict[int, _Places] = {}

    def finished(self) -> FinishedGroups:
        """Return the groups."""
        planner = self._planner
        parts = planner.place_parts()
        for node in planner.order:
            if node in parts:
                self._concatenate(node, parts[node])
            elif node in planner.computed:
                self._place(node)
        return FinishedGroups(planner, self._drafts, self._extra)

    def fusion(self, groups: FinishedGroups) -> Fusion:
        """Return groups in an order in which they can run, and what was not fused.

        Parameters
        ----------
        groups : FinishedGroups
            Those of :meth:`finished`.
        """
        planner = self._planner
        return Fusion(planner.roots, groups.in_order(), tuple(self._edges), dict(planner.owners))

    def _place(self, node: Node) -> None:
        """Give a value a group: the first that it can join, or one of its own."""
        drafts = self._drafts
        if node in self._planner.by_library:
            reads = {s for s in node.src if not _constant_like(s)}
            writers = drafts.writers_of(reads)
            before = drafts.before(writers)
            call = Candidate(node, node.shape, (), reads, before, writers, {}, 0, None)
            drafts.add(Draft(call, [node], library=True))
            for source in reads:
                self._note_edge(source, node, "computed by a library call")
            return
        candidate = drafts.candidate(node)
        if node.op.kind is Kind.SCAN:
            drafts.add(candidate.draft())
            for source in candidate.loaded:
                self._note_edge(source, node, "accumulates along an axis, in a kernel of its own")
            return
        for index in drafts.worth_joining(candidate.loaded):
            from lazyarr.schedule.join_rules import refusal  # most expressions are one kernel

            reason = refusal(self._planner, drafts, candidate, index)
            if reason is None:
                drafts.join(candidate, index)
                return
            for source in candidate.loaded:
                if drafts.home.get(source) == index:
                    self._note_edge(source, node, reason)
        drafts.add(candidate.draft())

    def _note_edge(self, source: Node, consumer: Node, reason: str) -> None:
        if source in self._drafts.home:
            self._edges.append(Edge(source, consumer, reason, 2 * source.nbytes))

    # -- concatenations ----------------------------------------------------------------------

    def _concatenate(self, node: Node, outputs: list[Output]) -> None:
        """Add copies for the parts that no kernel writes in place."""
        # Parts of different lengths are the pieces of an array around a write. Some may have equal
        # shapes by chance, which ones depends on the place of the write.
        beside = node.op.kind is Kind.CONCATENATE and len({part.shape for part in node.src}) == 1
        for output in outputs:
            part = output.node
            if part in self._drafts.home and self._planner.owners[part] is output.layout:
                continue  # computed straight into its slice
            index = self._drafts.home.get(part)
            if index is not None and not self._drafts.groups[index].library:
                # Stored elsewhere too: its kernel writes it twice.
                self._extra.setdefault(index, []).append(output)
                self._drafts.writers.setdefault(output.layout.owner, set()).add(index)
                continue
            # What lies at its own place already may need no copy: it is left alone.
            in_place = copied_in_place(output, self._planner.owners) is not None
            self._copy(output, beside and not in_place)

    def _copy(self, output: Output, beside: bool) -> None:
        """Add a copy of one value to a kernel, in the place that an output names.

        Parameters
        ----------
        output : Output
            The value, and its place.
        beside : bool
            Whether the kernel may also copy other parts of the concatenation that read the same
            elements. A write to a leaf has a kernel of its own, as the leaf may be read meanwhile.
        """
        drafts, part = self._drafts, output.node
        view = domain_view(part.shape)
        traced = self._planner.terms.of(part, view, part.shape, computed=False)
        candidate = drafts.candidate_of(part, part.shape, (), traced)
        index = None
        if beside:
            read = self._places_of(traced, part.ndim)
            index = self._copied_beside(candidate, read)
        if index is None:
            index = drafts.add(Draft(candidate, []))
        else:
            drafts.take_in(candidate, index)
        if beside:
            places = self._read.setdefault(index, {})
            for steps, starts in read.items():
                places.setdefault(steps, set()).update(starts)
        self._extra.setdefault(index, []).append(output)
        drafts.writers.setdefault(output.layout.owner, set()).add(index)

    def _places_of(self, traced: KernelTerms, ndim: int) -> _Places:
        """Return the memory that a kernel reads.

        Parameters
        ----------
        traced : KernelTerms
            Its terms.
        ndim : int
            Axes of the domain.
        """
        places: _Places = {}
        for term in traced.terms:
            if term.loaded:
                layout = layout_of(term.node, self._planner.owners)
                assert layout is not None
                offset, strides = view_strides(term.view, layout.strides, ndim)
                start = (layout.offset + offset) * term.node.dtype.itemsize
                places.setdefault(_Steps(layout.owner, strides), set()).add(start)
        return places

    def _are_near(self, read: _Places, others: _Places) -> bool:
        """Whether a part reads some elements beside those of others, as it goes along.

        Parameters
        ----------
        read, others : dict of _Steps to set of int
            What they read.
        """
        near = self._planner.machine.costs.near_bytes
        for steps, starts in read.items():
            for other in others.get(steps, ()):
                for start in starts:
                    if -near < start - other < near:
                        return True
        return False

    def _copied_beside(self, candidate: Candidate, read: _Places) -> int | None:
        """Return the group of other parts that reads elements near by and can go on.

        Parameters
        ----------
        candidate : Candidate
            The part.
        read : dict of _Steps to set of int
            What it reads.
        """
        from lazyarr.schedule.join_rules import refusal  # most expressions join nothing

        drafts, costs = self._drafts, self._planner.machine.costs
        first = len(drafts.groups) - costs.searched_groups
        for index in reversed(self._read):
            if index < first:
                break
            if not self._are_near(read, self._read[index]):
                continue
            stored = len(self._extra[index])
            together = len(drafts.groups[index].reads | candidate.loaded)
            if stored + together >= costs.max_operands:
                continue
            if refusal(self._planner, drafts, candidate, index) is None:
                return index
        return None


def _constant_like(node: Node) -> bool:
    """Whether a value is a constant, or a view of one."""
    while node.op.kind is Kind.VIEW:
        node = node.src[0]
    return is_constant(node)
