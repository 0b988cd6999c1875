"""Fusion: which values are stored, and which stored values one kernel computes together.

Two decisions are taken. First, *what lies in memory*: leaves, results, what library calls read and
write, reductions that leave their kernel, and values that would cost more to compute again than to
store. Everything else exists only inside a kernel. Second, *what shares a kernel*: stored values
over one domain whose kernel reads each shared input once instead of once for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from lazyarr.ir import Kind, Node, walk
from lazyarr.shapes import Shape, View, contiguous_strides, reshape_strides, view_strides
from lazyarr.terms import SCALAR, Trace, domain_view, outer_view, trace

__all__ = ["Edge", "Fusion", "Group", "Layout", "Output", "fuse", "layout_of"]

#: Arithmetic (in additions) that costs as much as storing and loading one value.
STORE_COST = 15
#: Arithmetic worth one more kernel launch.
LAUNCH_COST = 200_000
#: Most operations of one kernel; longer chains are cut so that kernels stay compilable.
MAX_OPERATIONS = 96
#: Most arrays that one kernel touches.
MAX_OPERANDS = 48
#: Longest row that a kernel works through several times; it must stay in the L2 cache.
MAX_ROW = 1 << 16
#: Elements under which one thread does the work anyway.
SMALL = 1 << 16


@dataclass(frozen=True, slots=True)
class Edge:
    """A value that went through memory although one kernel might have kept it in registers.

    Attributes
    ----------
    source, consumer : Node
        Which value, and which stored value is computed from it.
    reason : str
        Why they do not share a kernel.
    nbytes : int
        Bytes written and read back because of it.
    """

    source: Node
    consumer: Node
    reason: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a value lies: the stored node that owns the memory, and how to step through it."""

    owner: Node
    offset: int
    strides: tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Output:
    """A value that a group writes, and where."""

    node: Node
    layout: Layout


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """What one kernel, or one library call, computes.

    Attributes
    ----------
    name : str
        Unique in its plan.
    kind : {"kernel", "library"}
        Who computes it.
    template : {"map", "rows", "split", "columns", "library"}
        The shape of its loops: elementwise; whole rows reduced by one work item each; rows split
        over work items and combined; leading axes reduced for panels of columns.
    domain : tuple of int
        Sizes of the iteration space.
    reduced : tuple of int
        Axes of the domain that are reduced.
    nodes : tuple of Node
        Everything that is computed inside.
    inputs : tuple of Node
        What is read from memory.
    outputs : tuple of Output
        What is written to memory.
    members : tuple of Node
        Stored or reduced values that the group computes, in order.
    trace : Trace, optional
        The terms of a kernel; sinks are the members and then the outputs.
    """

    name: str
    kind: str
    template: str
    domain: Shape
    reduced: tuple[int, ...]
    nodes: tuple[Node, ...]
    inputs: tuple[Node, ...]
    outputs: tuple[Output, ...]
    members: tuple[Node, ...]
    trace: Trace | None


@dataclass(frozen=True, eq=False, slots=True)
class Fusion:
    """The groups in an order that respects their dependencies, and what was not fused."""

    roots: tuple[Node, ...]
    groups: tuple[Group, ...]
    not_fused: tuple[Edge, ...]
    layouts: dict[Node, Layout]


def layout_of(node: Node, owners: dict[Node, Layout]) -> Layout | None:
    """Return where `node` lies if it is a stored value or a view of one, else None."""
    chain = []
    current = node
    while current not in owners:
        if current.op.kind not in (Kind.VIEW, Kind.RESHAPE):
            return None
        chain.append(current)
        current = current.src[0]
    found = owners[current]
    for step in reversed(chain):
        if step.op.kind is Kind.VIEW:
            assert isinstance(step.attr, View)
            offset, strides = view_strides(step.attr, found.strides, step.ndim)
            found = Layout(found.owner, found.offset + offset, strides)
        else:
            reshaped = reshape_strides(step.src[0].shape, found.strides, step.shape)
            if reshaped is None:
                return None
            found = Layout(found.owner, found.offset, reshaped)
    return found


def _is_constant(node: Node) -> bool:
    """Whether the value is one scalar known before anything runs."""
    if node.op.kind is Kind.CONSTANT:
        return True
    return (
        node.op.kind is Kind.PARAMETER
        and isinstance(node.attr, tuple)
        and (node.attr[0] == "scalar")
    )


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

    @property
    def outer(self) -> Shape:
        dropped = set(self.reduced)
        return tuple(n for axis, n in enumerate(self.domain) if axis not in dropped)


def _bits(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def template_of(domain: Shape, reduced: Sequence[int]) -> str:
    """Return the loop shape for a domain of which some axes are reduced."""
    axes = [axis for axis, size in enumerate(domain) if size != 1]
    dropped = set(reduced)
    kept = [axis for axis in axes if axis not in dropped]
    gone = [axis for axis in axes if axis in dropped]
    if not reduced:
        return "map"
    if kept and gone and kept[-1] > gone[-1]:
        return "columns"
    inner = prod(domain[axis] for axis in gone)
    outer = prod(domain[axis] for axis in kept)
    if inner <= MAX_ROW and (outer >= 4 or inner * outer <= SMALL):
        return "rows"
    return "split"


@dataclass(eq=False)
class _Planner:
    """The state of one fusion."""

    roots: tuple[Node, ...]
    covers: Callable[[Node], bool]
    order: list[Node] = field(default_factory=list)
    owners: dict[Node, Layout] = field(default_factory=dict)
    computed: dict[Node, None] = field(default_factory=dict)  # stored values somebody computes
    by_library: set[Node] = field(default_factory=set)

    def own(self, node: Node, strides: tuple[int, ...] | None = None) -> None:
        """Give a computed value memory of its own."""
        self.computed[node] = None
        if node not in self.owners:
            self.owners[node] = Layout(node, 0, strides or contiguous_strides(node.shape))

    def choose_stored(self, forced: Iterable[Node]) -> None:
        """Decide what lies in memory."""
        self.owners.clear()
        self.computed.clear()
        self.by_library.clear()
        self.order = list(walk(self.roots))
        wanted = {*self.roots, *forced}
        sizes: dict[Node, int] = {}
        claimed: set[Node] = set()
        for node in self.order:
            kind = node.op.kind
            if kind is Kind.PARAMETER and not _is_constant(node):
                assert isinstance(node.attr, tuple)
                self.owners[node] = Layout(node, 0, node.attr[2])
            elif kind is Kind.LIBRARY or (
                kind in (Kind.ELEMENTWISE, Kind.REDUCE) and not self.covers(node)
            ):
                for source in node.src:
                    self.need_memory(source)
                self.by_library.add(node)
                self.own(node)
            elif kind is Kind.REDUCE:
                self.own(node)
            elif kind is Kind.RESHAPE:
                self.need_memory(node.src[0])
                if layout_of(node, self.owners) is None:
                    # The source is a view whose axes cannot be merged: copy it first.
                    self.own(node.src[0])
            elif kind is Kind.CONCATENATE:
                self.own(node)
            elif node in wanted and kind in (Kind.ELEMENTWISE, Kind.GENERATE):
                self.own(node)
            elif kind is Kind.ELEMENTWISE:
                size = 1
                for source in node.src:
                    if source not in self.owners and source not in claimed:
                        size += sizes.get(source, 0)
                        claimed.add(source)
                sizes[node] = size
                if size > MAX_OPERATIONS:
                    self.own(node)
            elif kind is Kind.VIEW:
                source = node.src[0]
                if source not in self.owners and source not in claimed:
                    sizes[node] = sizes.get(source, 0)
                    claimed.add(source)
            if node in wanted and kind is Kind.VIEW and not self._covers_owner(node):
                self.own(node)

    def _covers_owner(self, node: Node) -> bool:
        """Whether a view is all of something that is computed and stored, in another order."""
        found = layout_of(node, self.owners)
        return (
            found is not None
            and found.owner in self.computed
            and found.owner.size == node.size
            and all(stride or n == 1 for stride, n in zip(found.strides, node.shape, strict=True))
        )

    def need_memory(self, node: Node) -> None:
        """Make `node` readable by a library call: stored, a view of something stored, or one
        constant."""
        base = node
        while base.op.kind is Kind.VIEW:
            base = base.src[0]
        if _is_constant(base) or layout_of(node, self.owners) is not None:
            return
        if node.op.kind is Kind.VIEW and base.op.kind in (Kind.ELEMENTWISE, Kind.GENERATE):
            if base.size <= node.size:
                self.own(base)
                return
        self.own(node)

    def place_parts(self) -> dict[Node, list[Output]]:
        """Give the parts of concatenations their place in the destination.

        Returns what must be written for each concatenation.
        """
        users: Counter[Node] = Counter()
        for node in self.order:
            users.update(node.src)
        keep = set(self.roots)
        parts: dict[Node, list[Output]] = {}
        for node in reversed(self.order):
            if node.op.kind is not Kind.CONCATENATE:
                continue
            whole = self.owners[node]
            axis = node.attr
            assert isinstance(axis, int)
            start = 0
            outputs = []
            for part in node.src:
                place = Layout(
                    whole.owner, whole.offset + start * whole.strides[axis], whole.strides
                )
                start += part.shape[axis]
                free = part in self.computed and self.owners[part].owner is part
                if free and part not in keep and part not in self.by_library and users[part] == 1:
                    self.owners[part] = place
                    if part.op.kind is not Kind.CONCATENATE:
                        outputs.append(Output(part, place))
                else:
                    outputs.append(Output(part, place))
            parts[node] = outputs
        return parts


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
    planner = _Planner(tuple(roots), covers)
    forced: dict[Node, None] = {}
    while True:
        planner.choose_stored(forced)
        fusion = _Grouping(planner).run()
        again = _too_often_computed(fusion, planner)
        if not again:
            return fusion
        forced.update(dict.fromkeys(again))


class _Grouping:
    """Assigns every stored value that somebody computes to a group."""

    def __init__(self, planner: _Planner) -> None:
        self.planner = planner
        self.drafts: list[_Draft] = []
        self.home: dict[Node, int] = {}
        self.writers: dict[Node, set[int]] = {}  # owner of memory -> groups that write it
        self.edges: list[Edge] = []
        self.extra: dict[int, list[Output]] = {}
        self.readers: dict[Node, set[int]] = {}
        self.kept: set[Node] = set()

    def run(self) -> Fusion:
        planner = self.planner
        parts = planner.place_parts()
        for node in planner.order:
            if node.op.kind is Kind.CONCATENATE:
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
        operations = len(traced.terms) - len(loads)
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
            draft = _Draft(domain, reduced, [node], loaded, operations, before)
            self._write(node, self._new(draft))
            return
        self._join(node, best, loaded, before, operations, reduced)

    def _constant_like(self, node: Node) -> bool:
        while node.op.kind is Kind.VIEW:
            node = node.src[0]
        return _is_constant(node)

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
        draft.reads |= {n for n in loaded if self.home.get(n) != index}
        draft.operations += operations
        draft.before |= before & ~(1 << index)
        for other in self.drafts:
            if other.before >> index & 1:
                other.before |= draft.before
        self._write(node, index)

    def _candidates(self, loaded: set[Node]) -> list[int]:
        """Return the groups worth joining: those that compute what is read, then those that read
        the same."""
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
        return not draft.library and any(
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
        needs = {n for n in loaded if self.home.get(n) == index}
        epilogue = bool(draft.reduced and not reduced and domain == draft.outer and needs)
        if domain != draft.domain and not epilogue:
            return f"different iteration space: {domain} against {draft.domain}"
        if reduced and draft.reduced and reduced != draft.reduced:
            return f"reduces axes {reduced}, not {draft.reduced}"
        if domain == draft.domain and epilogue and domain == draft.outer:
            epilogue = not set(draft.domain) - {1}
        if draft.operations + operations > 2 * MAX_OPERATIONS:
            return "the kernel would be too long to compile quickly"
        if len(draft.reads | loaded) + len(draft.members) > MAX_OPERANDS:
            return "the kernel would touch too many arrays"
        for source in loaded - needs:
            if index in self._written_by(source):
                return "the value is read through a reshape or a concatenation"
        for other in _bits(before & ~(1 << index)):
            if self.drafts[other].before >> index & 1:
                return "another kernel must run between them"
        axes = reduced or draft.reduced
        template = template_of(draft.domain, axes)
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
        deviation = node.op.combine == "deviation"
        for k in loads:
            term = traced.terms[k]
            if term.node not in needs:
                continue
            if term.node.op.kind is Kind.REDUCE:
                if term.view != outer:
                    return "the reduced value is read at other positions"
                direct = deviation and term.node is node.src[1]
                if not epilogue and not direct and template != "rows":
                    return (
                        "needs the finished reduction, and the rows are too long to be read "
                        "again from cache"
                        if template == "split"
                        else "needs the finished reduction, which runs down the columns"
                    )
            elif term.node.shape == draft.outer and draft.reduced and term.view == outer:
                if not epilogue and template != "rows":
                    return "needs the finished reduction"
            elif term.view != full or epilogue:
                return "the value is read at other positions than the one being computed"
        if epilogue:
            return None
        if deviation and template != "rows":
            # One pass needs the sum and nothing else of this group.
            inner = {t.node for t in traced.terms if t.loaded and t.node in needs}
            if inner - {node.src[1]}:
                return "needs the finished reduction"
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
            domain = part.shape
            view = domain_view(domain)
            owners = self.planner.owners

            def is_loaded(other: Node) -> bool:
                return other in owners or other.op.kind is Kind.RESHAPE

            traced = trace(((part, view),), domain, is_loaded)
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
        return order

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

        sinks = [(m, self._sink_view(m, draft)) for m in draft.members]
        sinks += [(o.node, self._sink_view(o.node, draft)) for o in outputs]
        traced = trace(sinks, draft.domain, is_loaded)
        computed = [t.node for t in traced.terms if not t.loaded and not _is_constant(t.node)]
        loaded = [t.node for t in traced.terms if t.loaded]
        label = next((o.node.op.name for o in reversed(outputs)), "copy")
        return Group(
            f"k{position}_{label}",
            "kernel",
            template_of(draft.domain, draft.reduced),
            draft.domain,
            draft.reduced,
            tuple(dict.fromkeys(computed)),
            tuple(dict.fromkeys(loaded)),
            tuple(outputs),
            tuple(draft.members),
            traced,
        )

    def _sink_view(self, node: Node, draft: _Draft) -> View:
        if not node.shape and not draft.domain:
            return SCALAR
        if node.op.kind is Kind.REDUCE or (node.shape != draft.domain and draft.reduced):
            return outer_view(draft.domain, draft.reduced)
        return domain_view(draft.domain)

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


def _too_often_computed(fusion: Fusion, planner: _Planner) -> list[Node]:
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
