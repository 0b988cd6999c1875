"""Materialization: the values that are stored; all others exist only inside a kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import View, contiguous_strides, inserts_axes, reshape_strides
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.schedule.groups import Layout, Output, is_constant, layout_of
from lazyarr.schedule.index_terms import KernelTerms
from lazyarr.schedule.known_terms import KnownTerms
from lazyarr.schedule.machine import Machine
from lazyarr.schedule.narrow_cuts import Cut, NarrowCuts

__all__ = ["COMPUTED", "KernelNodes", "Placement", "code_size", "why_no_kernel"]

#: What kernels compute element by element.
COMPUTED = frozenset({Kind.ELEMENTWISE, Kind.GATHER})


def code_size(node: Node, function_code: int) -> int:
    """Return the number of simple operations that the code of a node counts as.

    A function is several units, of complex numbers twice as many; a reduction or a draw of a random
    number is more. A loop has the code of an iteration.

    Parameters
    ----------
    node : Node
        The operation.
    function_code : int
        Simple operations that compile as long as one unit of a function's code.
    """
    op = node.op
    if op.loop is not None:
        return sum(code_size(step, function_code) for step in op.loop.steps)
    if op.kind is Kind.GENERATE and not node.src:
        return 1
    size = max(1, op.cost // 4)
    if op.code_size and (op.kind is Kind.REDUCE or kind_of(node.dtype) == "f"):
        size = op.code_size
    if size == 1:
        return 1
    is_complex = any(kind_of(value.dtype) == "c" for value in node.src[:1])
    return size * function_code * (2 if is_complex else 1)


class KernelNodes(NamedTuple):
    """The nodes that a kernel computes and loads, and the size of its code.

    Attributes
    ----------
    computed : tuple of Node
        What is computed, constants excepted.
    loaded : tuple of Node
        What is read from memory.
    code : dict of tuple to int
        The values that are computed, at their index maps, and the sizes of their operations.
    operations : int
        The sum of these.
    """

    computed: tuple[Node, ...]
    loaded: tuple[Node, ...]
    code: Mapping[tuple[Node, View], int]
    operations: int

    @classmethod
    def of(cls, traced: KernelTerms, function_code: int) -> KernelNodes:
        """Return the nodes of a kernel.

        Parameters
        ----------
        traced : KernelTerms
            Its terms.
        function_code : int
            As of :func:`code_size`.
        """
        terms = traced.terms
        computed = [term for term in terms if not term.loaded]
        code = {(term.node, term.view): code_size(term.node, function_code) for term in computed}
        return cls(
            tuple(dict.fromkeys([t.node for t in computed if not is_constant(t.node)])),
            tuple(dict.fromkeys([term.node for term in terms if term.loaded])),
            code,
            sum(code.values()),
        )


def why_no_kernel(node: Node) -> str:
    """Return why a node that is no library call is left to NumPy."""
    if node.op.kind is Kind.GATHER:
        return "all that it reads is one constant, which lies in no memory"
    if node.op.cpu_only:
        return "calls a function that was compiled for the processor"
    if node.op.kind is Kind.ELEMENTWISE and node.op.expand is None:
        return "has no kernel code"
    if node.op.approximate and kind_of(node.src[0].dtype) == "c":
        return 'kernels may be more than 4 ulp off for complex numbers; numerics="fast" lets them'
    dtypes = dict.fromkeys(value.dtype.name for value in (*node.src, node))
    return f"has no kernel code for {', '.join(dtypes)}"


def _without_axes(root: Node) -> Node:
    """Return the source of a view that only inserts axes of length one, else the result itself."""
    if root.op.kind is not Kind.VIEW:
        return root
    assert isinstance(root.attr, View)
    source = root.src[0]
    return source if inserts_axes(root.attr, source.shape, root.shape) else root


class Placement:
    """Decides which values are stored, for one DAG.

    Parameters
    ----------
    roots : tuple of Node
        Of the DAG.
    machine : Machine
        What it is planned for.
    """

    def __init__(self, roots: tuple[Node, ...], machine: Machine) -> None:
        self.roots = roots
        self.machine = machine
        self.order = list(walk(roots))
        self.owners: dict[Node, Layout] = {}
        self.computed: dict[Node, None] = {}  # stored values somebody computes
        self.by_library: set[Node] = set()
        self.cuts: dict[Node, Cut] = {}  # where long code is cut, by the values that it stores
        self.terms = KnownTerms(self.owners)
        self._nodes: dict[KernelTerms, KernelNodes] = {}
        #: The operations in the code of values that are not stored, and all values among them.
        self._code: dict[Node, dict[Node, int]] = {}
        self._in_code: set[Node] = set()
        self._covered: dict[Node, bool] = {}

    def nodes_of(self, traced: KernelTerms) -> KernelNodes:
        """Return the nodes of a kernel, collected once for its terms."""
        nodes = self._nodes.get(traced)
        if nodes is None:
            nodes = KernelNodes.of(traced, self.machine.costs.function_code)
            self._nodes[traced] = nodes
        return nodes

    def own(self, node: Node, strides: tuple[int, ...] | None = None) -> None:
        """Give a computed value memory of its own.

        Parameters
        ----------
        node : Node
            The value.
        strides : tuple of int, optional
            Of its memory, in elements; default: C order.
        """
        self.computed[node] = None
        if node not in self.owners:
            if node in self._in_code:  # what reads it has less code now
                self._forget_code()
            self.owners[node] = Layout(node, 0, strides or contiguous_strides(node.shape))

    def choose_stored(self, forced: Iterable[Node]) -> None:
        """Decide which values lie in memory."""
        self.owners.clear()
        self.computed.clear()
        self.by_library.clear()
        self.cuts.clear()
        self._forget_code()
        required = {*self.roots, *forced, *map(_without_axes, self.roots)}
        # Bounds of the operations that the code of each value has; shared ones may count twice.
        bounds: dict[Node, int] = {}
        cuts: NarrowCuts | None = None
        most, expensive = self.machine.costs.max_operations, self.machine.costs.expensive
        for node in self.order:
            self._store(node, required, bounds)
            if node in self.owners or bounds.get(node, 0) <= most:
                continue
            sizes = self.operations_of(node)
            bounds[node] = sum(sizes.values())
            if bounds[node] > most and node.op.kind in COMPUTED:
                cuts = cuts or NarrowCuts(self.order)
                cut = cuts.cut(sizes, most, expensive)
                for value in cut.stored:
                    self.own(value)
                    self.cuts[value] = cut
                bounds[node] = sum(self.operations_of(node).values())
        self.terms.choice_changed()

    def operations_of(self, node: Node) -> dict[Node, int]:
        """Return the operations in the code of a value, and their sizes; of a stored one, none."""
        unit, known, owners = self.machine.costs.function_code, self._code, self.owners

        def is_end(value: Node) -> bool:
            return value in known or value in owners or value.op.kind is Kind.GENERATE

        for value in walk((node,), stop=is_end):
            if value in known or value in owners:
                continue
            code: dict[Node, int] = {}
            kind = value.op.kind
            if kind is not Kind.GENERATE:
                for source in value.src:
                    code.update(known.get(source, ()))
            if kind in COMPUTED or (kind is Kind.GENERATE and value.src):
                code[value] = code_size(value, unit)
            known[value] = code
            self._in_code.add(value)
        return known.get(node, {})

    def _forget_code(self) -> None:
        self._code.clear()
        self._in_code.clear()

    def _store(self, node: Node, required: Collection[Node], bounds: dict[Node, int]) -> None:
        """Decide whether a value lies in memory, and bound the code of one that does not.

        Parameters
        ----------
        node : Node
            The value; its sources are decided.
        required : collection of Node
            What is stored in any case.
        bounds : dict of Node to int
            At least the size of the operations in the code of each value; brought up to date.
        """
        kind, function_code = node.op.kind, self.machine.costs.function_code
        if kind is Kind.GATHER:
            self._need_source(node)
        if kind is Kind.PARAMETER and not is_constant(node):
            assert isinstance(node.attr, tuple)
            self.owners[node] = Layout(node, 0, node.attr[2])
        elif kind is Kind.LIBRARY or (
            kind in (Kind.ELEMENTWISE, Kind.REDUCE, Kind.SCAN) and not self._covers(node)
        ):
            for source in node.src:
                self.need_memory(source)
            self.by_library.add(node)
            self.own(node)
        elif kind in (Kind.REDUCE, Kind.SCAN):
            if kind is Kind.SCAN:
                self._store_expensive(node)
            self.own(node)
        elif kind is Kind.RESHAPE:
            self._need_order(node)
            if layout_of(node, self.owners) is None:
                # The source lies in another order: copy it.
                self.own(node)
        elif kind is Kind.CONCATENATE:
            self.own(node)
        elif kind is Kind.WRITE:
            self._lie_in_leaf(node)
        elif node in required and (kind in COMPUTED or kind is Kind.GENERATE):
            self.own(node)
        elif kind in COMPUTED:
            behind = [bounds.get(source, 0) for source in node.src if source not in self.owners]
            bounds[node] = code_size(node, function_code) + sum(behind)
        elif kind is Kind.GENERATE and node.src:
            bounds[node] = code_size(node, function_code)
        elif kind is Kind.VIEW:
            source = node.src[0]
            if source not in self.owners and source in bounds:
                bounds[node] = bounds[source]
        if node in required and kind is Kind.VIEW and not self._covers_owner(node):
            self.own(node)

    def _covers(self, node: Node) -> bool:
        """Whether a kernel computes a node, which is the same in each round of fusion."""
        covered = self._covered.get(node)
        if covered is None:
            covered = self._covered[node] = self.machine.covers(node)
        return covered

    def _store_expensive(self, scan: Node) -> None:
        """Store an expensive operand of a scan along memory, whose loop has no vectors."""
        most = self.machine.costs.scanned_arithmetic
        lines = [axis for axis, size in enumerate(scan.shape) if size != 1]
        if not most or lines[-1:] != [scan.attr]:
            return
        for source in scan.src:
            behind = walk((source,), stop=self.owners.__contains__)
            computed = [v for v in behind if v.op.kind in COMPUTED and v not in self.owners]
            if sum(value.op.cost for value in computed) > most:
                self.need_memory(source)

    def _lie_in_leaf(self, write: Node) -> None:
        """Let a value that is written to a leaf lie there."""
        place = layout_of(write.src[1], self.owners)
        assert place is not None
        self.owners[write] = place
        self.computed[write] = None

    def _covers_owner(self, node: Node) -> bool:
        """Whether a view is all of something that is computed and stored, in another order."""
        layout = layout_of(node, self.owners)
        return (
            layout is not None
            and layout.owner in self.computed
            and layout.owner.size == node.size
            and all(stride or n == 1 for stride, n in zip(layout.strides, node.shape, strict=True))
        )

    def need_memory(self, node: Node) -> None:
        """Make `node` readable by a library call."""
        base = node
        while base.op.kind is Kind.VIEW:
            base = base.src[0]
        if is_constant(base) or layout_of(node, self.owners) is not None:
            return
        if node.op.kind is Kind.VIEW and base.op.kind in (*COMPUTED, Kind.GENERATE):
            if base.size <= node.size:
                self.own(base)
                return
        self.own(node)

    def _need_source(self, node: Node) -> None:
        """Let a gather's source lie in memory; of a constant there is nothing to read."""
        source = node.src[0]
        self.need_memory(source)
        if layout_of(source, self.owners) is None:
            self.by_library.add(node)
            for index in node.src[1:]:
                self.need_memory(index)
            self.own(node)

    def _need_order(self, reshape: Node) -> None:
        """Store the source of a reshape, in the order of its elements if nothing stores it yet."""
        source = base = reshape.src[0]
        while base.op.kind is Kind.VIEW:
            base = base.src[0]
        if base is not source and base.op.kind is Kind.ELEMENTWISE and base not in self.owners:
            stored = {base: Layout(base, 0, contiguous_strides(base.shape))}
            if layout_of(reshape, stored) is None:
                # Stored as it is computed, it would have to be copied into that order.
                self.own(source)
                return
        self.need_memory(source)

    def place_parts(self) -> dict[Node, list[Output]]:
        """Give the parts of concatenations their place in the destination.

        Returns what must be written for each concatenation and each reshape that is a copy.
        """
        users: Counter[Node] = Counter()
        for node in self.order:
            users.update(node.src)
        keep = set(self.roots)
        parts: dict[Node, list[Output]] = {}
        for node in reversed(self.order):
            if node not in self.computed or node in self.by_library:
                continue
            whole = self.owners[node]
            if node.op.kind is Kind.RESHAPE:
                source = node.src[0]
                place = Layout(whole.owner, whole.offset, contiguous_strides(source.shape))
                parts[node] = [Output(source, place)]
            if node.op.kind not in (Kind.CONCATENATE, Kind.WRITE):
                continue
            outputs = []
            for part, place in _places(node, whole):
                inner = None
                if part.op.kind in (Kind.RESHAPE, Kind.VIEW) and part not in self.computed:
                    inner = _joined_inside(part, place, users, self.owners)
                if inner is not None and not keep.intersection((part, *part.src)):
                    self.owners[part.src[0]] = inner
                    continue
                free = part in self.computed and self.owners[part].owner is part
                free = free and part.op.kind is not Kind.RESHAPE and users[part] == 1
                library = self._written_by_library(part, place, users, keep)
                if library is not None:
                    self.owners[library] = Layout(
                        place.owner, place.offset, contiguous_strides(library.shape)
                    )
                elif free and part not in keep and part not in self.by_library:
                    self.owners[part] = place
                    if part.op.kind is not Kind.CONCATENATE:
                        outputs.append(Output(part, place))
                else:
                    outputs.append(Output(part, place))
            parts[node] = outputs
        return parts

    def _written_by_library(
        self, part: Node, place: Layout, users: Mapping[Node, int], keep: Collection[Node]
    ) -> Node | None:
        """Return the library call that can write a part of a concatenation where it is to lie.

        The part is all that the call computes, reshaped perhaps, and nothing else reads either.
        """
        if part.size == 0 or place.strides != contiguous_strides(part.shape):
            return None
        source = part
        while source.op.kind is Kind.RESHAPE and source not in self.computed:
            if users[source] != 1 or source in keep:
                return None
            source = source.src[0]
        free = source in self.by_library and self.owners[source].owner is source
        if not free or not source.op.supports_out or users[source] != 1 or source in keep:
            return None
        return source


def _joined_inside(
    part: Node, place: Layout, users: Mapping[Node, int], owners: Mapping[Node, Layout]
) -> Layout | None:
    """Return the place of a concatenation that is reshaped to a part of another one.

    None if the part is something else, or is read elsewhere, too.

    Parameters
    ----------
    part : Node
        The part, a view or a reshape without memory of its own.
    place : Layout
        Where it is to lie.
    users : mapping of Node to int
        How often each value is read.
    owners : mapping of Node to Layout
        The stored values.
    """
    source = part.src[0]
    if isinstance(part.attr, View) and not inserts_axes(part.attr, source.shape, part.shape):
        return None
    if source.op.kind is not Kind.CONCATENATE or users[part] != 1 or users[source] != 1:
        return None
    if owners[source].owner is not source:
        return None
    strides = reshape_strides(part.shape, place.strides, source.shape)
    return None if strides is None else Layout(place.owner, place.offset, strides)


def _places(node: Node, whole: Layout) -> list[tuple[Node, Layout]]:
    """Return the parts of a concatenation, or the value that is written, and where they lie."""
    if node.op.kind is Kind.WRITE:
        return [(node.src[0], whole)]
    axis, start = node.attr, 0
    assert isinstance(axis, int)
    places = []
    for part in node.src:
        offset = whole.offset + start * whole.strides[axis]
        places.append((part, Layout(whole.owner, offset, whole.strides)))
        start += part.shape[axis]
    return places
