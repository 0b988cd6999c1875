"""Groups under construction: the values that each computes and reads, and its dependences."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.groups import layout_of
from lazyarr.schedule.index_terms import KernelTerms, outer_view
from lazyarr.schedule.machine import Machine
from lazyarr.schedule.materialization import Placement

__all__ = ["Candidate", "Draft", "Drafts", "is_sum_of_products", "terms_of"]


def is_sum_of_products(node: Node) -> bool:
    """Whether a node is a sum of products that go to its kernel's registers together."""
    return node.op.kind is Kind.REDUCE and node.src[0].op.allows_fma


class Draft:
    """A group to which values are added.

    Parameters
    ----------
    first : Candidate
        The value that begins it: its domain, loads and code are the group's.
    members : list of Node
        The values that it stores.
    library : bool, optional
        Whether it is a library call.
    """

    def __init__(self, first: Candidate, members: list[Node], library: bool = False) -> None:
        self.domain = first.domain
        self.reduced = first.reduced
        self.members = members
        self.reads = set(first.loaded)
        self.code = dict(first.code)
        self.operations = first.operations
        self.before = first.before
        self.library = library
        self.scan = bool(members) and first.node.op.kind is Kind.SCAN  # else it is copied
        self.order = first.order
        #: Whether a member is a sum of products that go to the kernel's registers together.
        self.sums_products = any(map(is_sum_of_products, members))

    @property
    def outer(self) -> Shape:
        """The shape of the results of its reductions."""
        reduced = self.reduced
        return tuple([n for axis, n in enumerate(self.domain) if axis not in reduced])


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """A stored value without a group.

    Attributes
    ----------
    node : Node
        The value.
    domain : tuple of int
        The iteration space of its kernel.
    reduced : tuple of int
        The axes that it reduces.
    loaded : set of Node
        The loads of a kernel of this value alone.
    before : int
        Bit set of the groups that must run earlier.
    writers : set of int
        Those among them that write what is loaded.
    code : dict of tuple to int
        The values in its code, at their index maps, and the sizes of their operations.
    operations : int
        The sum of these.
    order : hashable
        In which it adds: see `Machine.order_of`.
    """

    node: Node
    domain: Shape
    reduced: tuple[int, ...]
    loaded: set[Node]
    before: int
    writers: set[int]
    code: Mapping[tuple[Node, View], int]
    operations: int
    order: Hashable

    def draft(self) -> Draft:
        """Return a group of this value alone."""
        return Draft(self, [self.node])


def terms_of(
    planner: Placement, node: Node, domain: Shape, view: View
) -> tuple[KernelTerms, list[int]]:
    """Return the terms of a value alone, and the positions of its loads.

    Parameters
    ----------
    planner : Placement
        What is stored.
    node : Node
        The value.
    domain : tuple of int
        The iteration space.
    view : View
        From the domain to the value.
    """
    traced = planner.terms.of(node, view, domain, computed=True)
    return traced, [k for k, term in enumerate(traced.terms) if term.loaded]


class Drafts:
    """The groups so far, and which of them computes each value.

    Parameters
    ----------
    planner : Placement
        What is stored.
    machine : Machine
        What the plan is made for.

    Attributes
    ----------
    groups : list of Draft
        The groups by their numbers.
    home : dict of Node to int
        The group that computes each value.
    """

    def __init__(self, planner: Placement, machine: Machine) -> None:
        self._planner = planner
        self._machine = machine
        self.groups: list[Draft] = []
        self.home: dict[Node, int] = {}
        self.writers: dict[Node, set[int]] = {}  # owner of memory -> groups that write it
        self._awaited = 0  # bit set of the groups that any other must run after
        self._owner: dict[Node, Node | None] = {}  # of the memory of each value that is read
        #: The groups that read memory of an owner and may take values in.
        self._readers: dict[Node, set[int]] = {}

    def candidate(self, node: Node) -> Candidate:
        """Return a value with the loads and operations of its kernel."""
        if node.op.kind is Kind.REDUCE:
            domain, reduced = node.src[0].shape, node.attr
            assert isinstance(reduced, tuple)
        else:
            domain, reduced = node.shape, ()
        traced, _ = terms_of(self._planner, node, domain, outer_view(domain, reduced))
        return self.candidate_of(node, domain, reduced, traced, self._machine.order_of(node))

    def candidate_of(
        self,
        node: Node,
        domain: Shape,
        reduced: tuple[int, ...],
        traced: KernelTerms,
        order: Hashable = None,
    ) -> Candidate:
        """Return a value whose terms are known.

        Parameters
        ----------
        node : Node
            The value.
        domain : tuple of int
            The iteration space of its kernel.
        reduced : tuple of int
            The axes that it reduces.
        traced : KernelTerms
            Its terms.
        order : hashable, optional
            In which it adds: see `Machine.order_of`.
        """
        nodes = self._planner.nodes_of(traced)
        loaded = set(nodes.loaded)
        code, operations, writers = nodes.code, nodes.operations, self.writers_of(loaded)
        before = self.before(writers)
        return Candidate(node, domain, reduced, loaded, before, writers, code, operations, order)

    def writers_of(self, loads: Iterable[Node]) -> set[int]:
        """Return the groups that write the memory in which some nodes lie."""
        writers: set[int] = set()
        for node in loads:
            writers |= self.written_by(node)
        return writers

    def before(self, writers: Iterable[int]) -> int:
        """Return the groups that must run before something that loads what some write."""
        mask = 0
        for index in writers:
            mask |= (1 << index) | self.groups[index].before
        return mask

    def written_by(self, node: Node) -> set[int]:
        """Return the groups that write the memory in which a value lies."""
        owner = self._owner_of(node)
        assert owner is not None, node
        return self.writers.get(owner, set())

    def _owner_of(self, node: Node) -> Node | None:
        """Return the owner of the memory in which a value lies, None if it lies in none."""
        if node not in self._owner:
            layout = layout_of(node, self._planner.owners)
            self._owner[node] = None if layout is None else layout.owner
        return self._owner[node]

    def _owners_of(self, nodes: Iterable[Node]) -> set[Node]:
        """Return the owners of the memory in which values lie, of those that lie in any."""
        return {owner for node in nodes if (owner := self._owner_of(node)) is not None}

    def add(self, draft: Draft) -> int:
        """Add a group and return its number; its members are at home in it."""
        index = len(self.groups)
        self.groups.append(draft)
        self._awaited |= draft.before
        self._note_reads(draft, index, draft.reads)
        for member in draft.members:
            self._settle(member, index)
        return index

    def _note_reads(self, draft: Draft, index: int, nodes: Iterable[Node]) -> None:
        """Add a group to the readers of the memory in which nodes lie."""
        if not (draft.library or draft.scan):
            for owner in self._owners_of(nodes):
                self._readers.setdefault(owner, set()).add(index)

    def join(self, candidate: Candidate, index: int) -> None:
        """Add a value to a group.

        Parameters
        ----------
        candidate : Candidate
            The value.
        index : int
            The number of the group.
        """
        draft = self.groups[index]
        draft.members.append(candidate.node)
        draft.sums_products |= is_sum_of_products(candidate.node)
        if candidate.reduced:
            draft.reduced = candidate.reduced
        if draft.order is None:
            draft.order = candidate.order
        self.take_in(candidate, index)
        self._settle(candidate.node, index)

    def take_in(self, candidate: Candidate, index: int) -> None:
        """Let a group read and compute what a value needs.

        Parameters
        ----------
        candidate : Candidate
            The value.
        index : int
            The number of the group.
        """
        draft = self.groups[index]
        fresh = {n for n in candidate.loaded if self.home.get(n) != index}
        self._note_reads(draft, index, fresh)
        draft.reads |= fresh
        draft.code.update(candidate.code)
        draft.operations = sum(draft.code.values())
        draft.before |= candidate.before & ~(1 << index)
        if self._awaited >> index & 1:
            for other in self.groups:
                if other.before >> index & 1:
                    other.before |= draft.before
        self._awaited |= draft.before

    def _settle(self, node: Node, index: int) -> None:
        self.home[node] = index
        self.writers.setdefault(self._planner.owners[node].owner, set()).add(index)

    def worth_joining(self, loaded: set[Node]) -> list[int]:
        """Return the groups that share loads, those that compute the value first."""
        direct = {self.home[n] for n in loaded if n in self.home}
        first = len(self.groups) - self._machine.costs.searched_groups
        shared: set[int] = set()
        for owner in self._owners_of(loaded):
            shared |= self._readers.get(owner, set())
        near = [index for index in shared if index > first and index not in direct]
        return sorted(direct, reverse=True) + sorted(near, reverse=True)
