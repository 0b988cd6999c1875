"""The partition of stored values into kernels."""

from __future__ import annotations

from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.drafts import Draft, Drafts
from lazyarr.schedule.finished_groups import finished_groups
from lazyarr.schedule.groups import Edge, Fusion, Output, is_constant
from lazyarr.schedule.index_terms import domain_view
from lazyarr.schedule.materialization import Placement

__all__ = ["Grouping"]


class Grouping:
    """Assigns every stored value that is computed to a group."""

    def __init__(self, planner: Placement) -> None:
        self._planner = planner
        self._drafts = Drafts(planner, planner.machine)
        self._edges: list[Edge] = []
        self._extra: dict[int, list[Output]] = {}

    def run(self) -> Fusion:
        """Return the groups, in an order in which they can run."""
        planner = self._planner
        parts = planner.place_parts()
        for node in planner.order:
            if node in parts:
                self._concatenate(node, parts[node])
            elif node in planner.computed:
                self._place(node)
        groups = finished_groups(planner, self._drafts, self._extra)
        return Fusion(planner.roots, groups, tuple(self._edges), dict(planner.owners))

    def _place(self, node: Node) -> None:
        """Give a value a group: the first that it can join, or one of its own."""
        drafts = self._drafts
        if node in self._planner.by_library:
            reads = {s for s in node.src if not _constant_like(s)}
            draft = Draft(node.shape, (), [node], reads, {}, drafts.before(reads), library=True)
            drafts.add(draft)
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
            self._copy(output)

    def _copy(self, output: Output) -> None:
        """Add a kernel that does nothing but write one value where it is wanted."""
        domain = output.node.shape
        view = domain_view(domain)
        traced = self._planner.terms.of(output.node, view, domain, computed=False)
        loaded = {t.node for t in traced.terms if t.loaded}
        code = {(term.node, term.view): 1 for term in traced.terms}
        draft = Draft(domain, (), [], loaded, code, self._drafts.before(loaded))
        index = self._drafts.add(draft)
        self._extra.setdefault(index, []).append(output)
        self._drafts.writers.setdefault(output.layout.owner, set()).add(index)


def _constant_like(node: Node) -> bool:
    """Whether a value is a constant, or a view of one."""
    while node.op.kind is Kind.VIEW:
        node = node.src[0]
    return is_constant(node)
