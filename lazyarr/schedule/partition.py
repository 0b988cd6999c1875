"""Which stored values one kernel computes together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from math import prod

from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.group_order import smallest_order
from lazyarr.schedule.groups import Edge, Fusion, Group, Output, is_constant, layout_of
from lazyarr.schedule.index_terms import Trace, domain_view, outer_view, sink_view, trace
from lazyarr.schedule.materialization import Placement, code_size

__all__ = ["Grouping"]

#: Why a kernel of some template cannot go on with what it has reduced.
_FINISHED = {
    "columns": "needs the finished reduction, which runs down the columns",
    "split": "needs the finished reduction, and the rows are too long to be read again from cache",
}


@dataclass(eq=False)
class _Draft:
    """A group while it is being filled."""

    domain: Shape
    reduced: tuple[int, ...]
    members: list[Node]
    reads: set[Node]
    operations: int
    before: int = 0  # bit set of the groups that must run earlier
    library: bool = False
    scan: bool = False
    order: Hashable = None  # in which it adds: see `Machine.order_of`

    @property
    def outer(self) -> Shape:
        """The shape of what its reductions give."""
        dropped = set(self.reduced)
        return tuple(n for axis, n in enumerate(self.domain) if axis not in dropped)


def _is_product(node: Node) -> bool:
    """Whether a node is a sum of products that go to its kernel's registers together."""
    return node.op.kind is Kind.REDUCE and node.src[0].op.contracts


class Grouping:
    """Assigns every stored value that somebody computes to a group."""

    def __init__(self, planner: Placement) -> None:
        self.planner = planner
        self.machine = planner.machine
        self.drafts: list[_Draft] = []
        self.awaited = 0  # bit set of the groups that any other must run after
        self.home: dict[Node, int] = {}
        self.writers: dict[Node, set[int]] = {}  # owner of memory -> groups that write it
        self.edges: list[Edge] = []
        self.extra: dict[int, list[Output]] = {}
        self.readers: dict[Node, set[int]] = {}
        self.kept: set[Node] = set()

    def run(self) -> Fusion:
        """Return the groups, in an order in which they can run."""
        planner = self.planner
        parts = planner.place_parts()
        for node in planner.order:
            if node in parts:
                self._concatenate(node, parts[node])
            elif node in planner.computed:
                self._place(node)
        self._find_readers()
        order = self._sorted()
        groups = []
        for position, index in enumerate(order):
            groups.append(self._finish(index, position))
        return Fusion(planner.roots, tuple(groups), tuple(self.edges), dict(planner.owners))

    # -- placing one stored value ------------------------------------------------------------

    def _reads(self, node: Node, domain: Shape, view: View) -> tuple[Trace, list[int]]:
        """Return the terms of `node` alone, and the positions of what it loads."""
        owners = self.planner.owners

        def is_loaded(other: Node) -> bool:
            return other is not node and (other in owners or (other.op.kind is Kind.RESHAPE))

        traced = trace(((node, view),), domain, is_loaded)
        return traced, [k for k, term in enumerate(traced.terms) if term.loaded]

    def _before(self, loads: Iterable[Node]) -> int:
        """Return the groups that must run before something that loads these nodes."""
        mask = 0
        for node in loads:
            for index in self._written_by(node):
                mask |= (1 << index) | self.drafts[index].before
        return mask

    def _written_by(self, node: Node) -> set[int]:
        """Return the groups that write the memory in which `node` lies."""
        found = layout_of(node, self.planner.owners)
        assert found is not None, node
        return self.writers.get(found.owner, set())

    def _new(self, draft: _Draft) -> int:
        index = len(self.drafts)
        self.drafts.append(draft)
        self.awaited |= draft.before
        return index

    def _write(self, node: Node, index: int) -> None:
        self.home[node] = index
        self.writers.setdefault(self.planner.owners[node].owner, set()).add(index)

    def _place(self, node: Node) -> None:
        if node in self.planner.by_library:
            reads = {s for s in node.src if not self._constant_like(s)}
            draft = _Draft(node.shape, (), [node], reads, 1, self._before(reads), library=True)
            self._write(node, self._new(draft))
            for source in reads:
                self._note_edge(source, node, "computed by a library call")
            return
        if node.op.kind is Kind.REDUCE:
            domain, reduced = node.src[0].shape, node.attr
            assert isinstance(reduced, tuple)
        else:
            domain, reduced = node.shape, ()
        view = outer_view(domain, reduced)
        traced, loads = self._reads(node, domain, view)
        loaded = {traced.terms[k].node for k in loads}
        before = self._before(loaded)
        operations = sum(code_size(term.node) for term in traced.terms if not term.loaded)
        if node.op.kind is Kind.SCAN:
            draft = _Draft(domain, (), [node], loaded, operations, before, scan=True)
            self._write(node, self._new(draft))
            for source in loaded:
                self._note_edge(source, node, "accumulates along an axis, in a kernel of its own")
            return
        best = -1
        for index in self._candidates(loaded):
            reason = self._refusal(node, index, domain, reduced, loaded, before, operations)
            if reason is None:
                best = index
                break
            for source in loaded:
                if self.home.get(source) == index:
                    self._note_edge(source, node, reason)
        if best < 0:
            order = self.machine.order_of(node)
            draft = _Draft(domain, reduced, [node], loaded, operations, before, order=order)
            self._write(node, self._new(draft))
            return
        self._join(node, best, loaded, before, operations, reduced)

    def _constant_like(self, node: Node) -> bool:
        while node.op.kind is Kind.VIEW:
            node = node.src[0]
        return is_constant(node)

    def _join(
        self,
        node: Node,
        index: int,
        loaded: set[Node],
        before: int,
        operations: int,
        reduced: tuple[int, ...],
    ) -> None:
        draft = self.drafts[index]
        draft.members.append(node)
        if reduced:
            draft.reduced = reduced
        if draft.order is None:
            draft.order = self.machine.order_of(node)
        draft.reads |= {n for n in loaded if self.home.get(n) != index}
        draft.operations += operations
        draft.before |= before & ~(1 << index)
        if self.awaited >> index & 1:
            for other in self.drafts:
                if other.before >> index & 1:
                    other.before |= draft.before
        self.awaited |= draft.before
        self._write(node, index)

    def _candidates(self, loaded: set[Node]) -> list[int]:
        """Return the groups worth joining, those that compute what is read first."""
        direct = {self.home[n] for n in loaded if n in self.home}
        owners = self.planner.owners
        bases = {found.owner for n in loaded if (found := layout_of(n, owners)) is not None}
        shared = [
            index
            for index in range(len(self.drafts) - 1, max(-1, len(self.drafts) - 64), -1)
            if index not in direct and self._touches(self.drafts[index], bases)
        ]
        return sorted(direct, reverse=True) + shared

    def _touches(self, draft: _Draft, bases: set[Node]) -> bool:
        owners = self.planner.owners
        return not (draft.library or draft.scan) and any(
            (found := layout_of(n, owners)) is not None and found.owner in bases
            for n in draft.reads
        )

    def _refusal(
        self,
        node: Node,
        index: int,
        domain: Shape,
        reduced: tuple[int, ...],
        loaded: set[Node],
        before: int,
        operations: int,
    ) -> str | None:
        """Return why `node` cannot join a group, or None if it can."""
        draft = self.drafts[index]
        if draft.library:
            return "its source is computed by a library call"
        if draft.scan:
            return "its source accumulates along an axis, in a kernel of its own"
        needs = {n for n in loaded if self.home.get(n) == index}
        epilogue = bool(draft.reduced and not reduced and domain == draft.outer and needs)
        if domain != draft.domain and not epilogue:
            return f"different iteration space: {domain} against {draft.domain}"
        if not epilogue and any(map(_is_product, (node, *draft.members))):
            return "a matrix product has a kernel of its own"
        if reduced and draft.reduced and reduced != draft.reduced:
            return f"reduces axes {reduced}, not {draft.reduced}"
        if domain == draft.domain and epilogue and domain == draft.outer:
            epilogue = not set(draft.domain) - {1}
        order = self.machine.order_of(node)
        if order is not None and draft.order not in (None, order):
            return f"adds {order} in another order than {draft.order}"
        if draft.operations + operations > 2 * self.machine.costs.max_operations:
            return "the kernel would be too long to compile quickly"
        if len(draft.reads | loaded) + len(draft.members) > self.machine.costs.max_operands:
            return "the kernel would touch too many arrays"
        for source in loaded - needs:
            if index in self._written_by(source):
                return "the value is read through a reshape or a concatenation"
        # What must run before a group includes what must run before that in turn.
        for source in loaded:
            for other in self._written_by(source):
                if other != index and self.drafts[other].before >> index & 1:
                    return "another kernel must run between them"
        axes = reduced or draft.reduced
        template = self.machine.choose_template(draft.domain, axes)
        if not needs:
            return None
        return self._dependent_refusal(node, draft, epilogue, axes, template, needs)

    def _dependent_refusal(
        self,
        node: Node,
        draft: _Draft,
        epilogue: bool,
        axes: tuple[int, ...],
        template: str,
        needs: set[Node],
    ) -> str | None:
        """Return why `node`, which reads `needs` of the group, cannot join it."""
        full = domain_view(draft.domain)
        outer = outer_view(draft.domain, axes)
        start = outer if epilogue or node.op.kind is Kind.REDUCE else full
        traced, loads = self._reads(node, draft.domain, start)
        deviation = node.op.reducer is not None and node.op.reducer.centred
        gathered = {t.base for t in traced.terms}
        if epilogue and prod(draft.outer) > 1:
            if any(t.node.op.loop is not None and not t.loaded for t in traced.terms):
                return "a loop over the reduced values is faster in a kernel of its own"
        for k in loads:
            term = traced.terms[k]
            if term.node not in needs:
                continue
            if k in gathered:
                return "elements of it are read at computed positions"
            if term.node.op.kind is Kind.REDUCE:
                if term.view != outer:
                    return "the reduced value is read at other positions"
                direct = deviation and term.node is node.src[1]
                if not epilogue and not direct and template != "rows":
                    return _FINISHED[template]
            elif term.node.shape == draft.outer and draft.reduced and term.view == outer:
                if not epilogue and template != "rows":
                    return _FINISHED[template]
            elif term.view != full or epilogue:
                return "the value is read at other positions than the one being computed"
        return None

    def _note_edge(self, source: Node, consumer: Node, reason: str) -> None:
        if source in self.home:
            self.edges.append(Edge(source, consumer, reason, 2 * source.nbytes))

    # -- concatenations ----------------------------------------------------------------------

    def _concatenate(self, node: Node, outputs: list[Output]) -> None:
        """Add copies for the parts that no kernel writes in place."""
        for output in outputs:
            part = output.node
            if part in self.home and self.planner.owners[part] is output.layout:
                continue  # computed straight into its slice
            index = self.home.get(part)
            if index is not None and not self.drafts[index].library:
                # Stored elsewhere too: its kernel writes it twice.
                self.extra.setdefault(index, []).append(output)
                self.writers.setdefault(output.layout.owner, set()).add(index)
                continue
            self._copy(output)

    def _copy(self, output: Output) -> None:
        """Add a kernel that does nothing but write one value where it is wanted."""
        domain = output.node.shape
        owners = self.planner.owners

        def is_loaded(other: Node) -> bool:
            return other in owners or other.op.kind is Kind.RESHAPE

        traced = trace(((output.node, domain_view(domain)),), domain, is_loaded)
        loaded = {t.node for t in traced.terms if t.loaded}
        draft = _Draft(domain, (), [], loaded, len(traced.terms), self._before(loaded))
        made = self._new(draft)
        self.extra.setdefault(made, []).append(output)
        self.writers.setdefault(output.layout.owner, set()).add(made)

    # -- finishing ---------------------------------------------------------------------------

    def _sorted(self) -> list[int]:
        """Return the groups in an order that respects their dependencies, early ones first."""
        done = 0
        order: list[int] = []
        waiting = list(range(len(self.drafts)))
        while waiting:
            rest = []
            for index in waiting:
                if self.drafts[index].before & ~done:
                    rest.append(index)
                else:
                    order.append(index)
                    done |= 1 << index
            assert len(rest) < len(waiting), "groups depend on each other"
            waiting = rest
        # In longer plans, looking for another order would take longer than it saves.
        return self._smallest(order) if 2 < len(order) <= 1024 else order

    def _smallest(self, order: list[int]) -> list[int]:
        """Return an order of groups that needs less memory, if there is one."""
        owners = self.planner.owners
        readers: dict[Node, set[int]] = {}
        for base, groups in self.readers.items():
            if base in owners:
                readers.setdefault(owners[base].owner, set()).update(groups)
        waits = [
            {k for k in range(draft.before.bit_length()) if draft.before >> k & 1}
            for draft in self.drafts
        ]
        return smallest_order(order, waits, self.writers, readers, self.kept)

    def _finish(self, index: int, position: int) -> Group:
        draft = self.drafts[index]
        owners = self.planner.owners
        if draft.library:
            node = draft.members[0]
            return Group(
                f"k{position}_{node.op.name}",
                "library",
                "library",
                node.shape,
                (),
                (node,),
                node.src,
                (Output(node, owners[node]),),
                (node,),
                None,
            )
        members = set(draft.members)
        leaving = self._leaving(index)
        outputs = [Output(m, owners[m]) for m in draft.members if m in leaving]
        outputs += self.extra.get(index, [])

        def is_loaded(other: Node) -> bool:
            return other not in members and (other in owners or other.op.kind is Kind.RESHAPE)

        sinks = [(m, sink_view(m, draft.domain, draft.reduced)) for m in draft.members]
        sinks += [(o.node, sink_view(o.node, draft.domain, draft.reduced)) for o in outputs]
        traced = trace(sinks, draft.domain, is_loaded)
        computed = [t.node for t in traced.terms if not t.loaded and not is_constant(t.node)]
        loaded = [t.node for t in traced.terms if t.loaded]
        label = next((o.node.op.name for o in reversed(outputs)), "copy")
        group = Group(
            f"k{position}_{label}",
            "kernel",
            "scan" if draft.scan else self.machine.choose_template(draft.domain, draft.reduced),
            draft.domain,
            draft.reduced,
            tuple(dict.fromkeys(computed)),
            tuple(dict.fromkeys(loaded)),
            tuple(outputs),
            tuple(draft.members),
            traced,
        )
        return replace(group, template=self.machine.refine_template(group, owners))

    def _find_readers(self) -> None:
        """Note which groups read each stored value, and which memory the results lie in."""
        for index, draft in enumerate(self.drafts):
            for node in draft.reads:
                base = node
                while base not in self.home and base.op.kind in (Kind.VIEW, Kind.RESHAPE):
                    base = base.src[0]
                self.readers.setdefault(base, set()).add(index)
        for root in self.planner.roots:
            found = layout_of(root, self.planner.owners)
            assert found is not None, root
            self.kept.add(found.owner)

    def _leaving(self, index: int) -> set[Node]:
        """Return the members of a group that anything outside it reads."""
        result = set()
        for member in self.drafts[index].members:
            owner = self.planner.owners[member].owner
            outside = self.readers.get(member, set()) - {index}
            if owner in self.kept or owner is not member or outside:
                result.add(member)
        return result
