"""The drawn graph: vertices, edges and clusters of a DAG or of a compiled program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lazyarr.graph.node import Kind, Node, walk
from lazyarr.inspect.drawing.collapse import Item, Part, collapse
from lazyarr.inspect.labels import (
    bytes_text,
    derivative_pass,
    detail_text,
    hover_text,
    origin_of,
    origin_text,
    shape_text,
    subtitle_text,
    title_text,
    type_text,
)
from lazyarr.schedule.cost import computed_by, is_scalar_argument, traffic

if TYPE_CHECKING:
    from lazyarr.compiler.program import Program
    from lazyarr.schedule.fusion import Group

__all__ = ["Cluster", "Edge", "Graph", "Vertex", "fused_graph", "node_graph"]

LIMIT = 300


@dataclass(frozen=True, slots=True)
class Vertex:
    """A box.

    Attributes
    ----------
    key : str
        Its name in every file format; an identifier.
    kind : str
        The op kind's value, or "collapsed".
    title, subtitle : str
        Its two lines of text.
    hover : str
        All that is known of it.
    cluster : str, optional
        Key of the cluster that it lies in.
    root : bool
        Whether it is a result.
    count : int
        Nodes that it stands for.
    derivative : str
        The pass of a derivative that it belongs to: "backward", "tangent", "again" (computed again
        for the backward pass), or an empty text.
    """

    key: str
    kind: str
    title: str
    subtitle: str
    hover: str
    cluster: str | None = None
    root: bool = False
    count: int = 1
    derivative: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow from a value to its user.

    ``operands`` are the positions at which the user takes the value; ``nbytes`` and ``reason``
    are set on edges that pass through memory.
    """

    source: str
    target: str
    operands: tuple[int, ...] = ()
    nbytes: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A frame round the vertices of one kernel or library step."""

    key: str
    kind: str
    title: str
    subtitle: str
    hover: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Everything that a picture of one stage shows."""

    stage: str
    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
    clusters: tuple[Cluster, ...] = ()
    node_count: int = 0
    caption: str = ""


@dataclass(slots=True)
class _Sketch:
    """A graph being built: operand lists by index, so that 100,000 nodes cost no text."""

    items: list[Item] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    sources: list[list[tuple[int, int]]] = field(default_factory=list)  # (item, operand)
    place: dict[int, int] = field(default_factory=dict)  # id of a stored node -> its item
    written: dict[int, list[int]] = field(default_factory=dict)  # ... -> the items that write it

    def add(self, node: Node, cluster: int | None, local: dict[int, int]) -> int:
        """Append an item for a node, and return its number.

        Parameters
        ----------
        node : Node
            The value that is drawn.
        cluster : int or None
            The step whose frame it stands in; None: it stands outside.
        local : dict of int to int
            Items of this cluster by the identity of their nodes. Operands that are not among them
            are those of other clusters, in `place`.
        """
        sources = []
        for operand, source in enumerate(node.src):
            if not is_scalar_argument(source):
                at = local.get(id(source))
                if node.op.kind is Kind.CONCATENATE:
                    at = self._next_writer(source, at)
                sources.append((self.place[id(source)] if at is None else at, operand))
        return self._append(node, node.op.kind, sources, cluster)

    def add_copy(self, node: Node, cluster: int) -> int:
        """Append an item that copies a stored value to where a concatenation wants it."""
        self.ensure([node])
        sources = [(self.place[id(node)], 0)]
        return self._append(node, Kind.VIEW, sources, cluster)

    def _next_writer(self, part: Node, otherwise: int | None) -> int | None:
        """Return the writer of a part of a concatenation; equal parts are written one by one."""
        writers = self.written.get(id(part), [])
        if not writers:
            return otherwise
        return writers.pop(0) if len(writers) > 1 else writers[0]

    def _append(
        self, node: Node, kind: Kind, sources: list[tuple[int, int]], cluster: int | None
    ) -> int:
        distinct = tuple(dict.fromkeys(source for source, _ in sources))
        self.items.append(Item(kind, distinct, cluster))
        self.nodes.append(node)
        self.sources.append(sources)
        return len(self.items) - 1

    def ensure(self, roots: Iterable[Node]) -> None:
        """Append `roots` and the values under them, if missing, outside any cluster."""
        kept = tuple(roots)
        drawn = {id(root) for root in kept}
        for node in walk(kept, stop=lambda node: id(node) in self.place):
            is_inline = is_scalar_argument(node) and id(node) not in drawn
            if id(node) not in self.place and not is_inline:
                self.place[id(node)] = self.add(node, None, {})


def node_graph(roots: Sequence[Node], stage: str, limit: int = LIMIT) -> Graph:
    """Return the graph of a DAG: one vertex a node, constants written into their users.

    Parameters
    ----------
    roots : sequence of Node
        The expressions.
    stage : {"raw", "simplified"}
        For the caption.
    limit : int
        Vertices above which chains of elementwise operations become one vertex.
    """
    sketch = _Sketch()
    sketch.ensure(roots)
    return _finish(sketch, roots, stage, (), {}, limit)


def fused_graph(program: Program, limit: int = LIMIT) -> Graph:
    """Return the graph of a compiled program: one cluster a step.

    A node that several kernels compute is drawn in each. Leaves, and views of stored values,
    stand outside.

    Parameters
    ----------
    program : Program
        In the user's nodes.
    limit : int
        Vertices above which chains of elementwise operations become one vertex.
    """
    sketch = _Sketch()
    groups = [step.group for step in program.plan.steps]
    reasons = _reasons(program, groups)
    for number, group in enumerate(groups):
        written = [output.node for output in group.outputs]
        inside = computed_by([*group.nodes, *written], group.inputs)
        members = {id(node) for node in inside}
        needed = {id(source): source for node in inside for source in node.src}
        needed.update((id(source), source) for source in group.inputs)
        sketch.ensure(
            source
            for key, source in needed.items()
            if key not in members and not is_scalar_argument(source)
        )
        local: dict[int, int] = {}
        for node in inside:
            local[id(node)] = sketch.add(node, number, local)
        for node in written:
            if id(node) in local:
                writer = sketch.place[id(node)] = local[id(node)]
            else:
                writer = sketch.add_copy(node, number)
            sketch.written.setdefault(id(node), []).append(writer)
    sketch.ensure(program.simplified)
    return _finish(sketch, program.simplified, "fused", groups, reasons, limit)


def _reasons(program: Program, groups: Sequence[Group]) -> dict[tuple[int, int | None], str]:
    """Return why a value was not fused into a group that reads it."""
    homes: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for node in {*group.nodes, *(output.node for output in group.outputs)}:
            homes.setdefault(id(node), []).append(number)
    return {
        (id(edge.source), number): edge.reason
        for edge in program.not_fused
        for number in homes.get(id(edge.consumer), ())
    }


def _finish(
    sketch: _Sketch,
    roots: Sequence[Node],
    stage: str,
    groups: Sequence[Group],
    reasons: dict[tuple[int, int | None], str],
    limit: int,
) -> Graph:
    results = {sketch.place[id(root)] for root in roots}
    parts = collapse(sketch.items, results, limit)
    part_of = [0] * len(sketch.items)
    for at, part in enumerate(parts):
        for item in part.items:
            part_of[item] = at
    vertices = tuple(
        _vertex(at, part, sketch, bool(results.intersection(part.items)))
        for at, part in enumerate(parts)
    )
    edges: dict[tuple[int, int], Edge] = {}
    for item, sources in enumerate(sketch.sources):
        target = part_of[item]
        for source_item, operand in sources:
            source = part_of[source_item]
            if source == target:
                continue
            earlier = edges.get((source, target))
            operands = (operand,) if len(parts[target].items) == 1 else ()
            nbytes, reason = 0, ""
            home, user = sketch.items[source_item].cluster, sketch.items[item].cluster
            is_whole = sketch.items[source_item].kind is Kind.CONCATENATE and bool(groups)
            is_part = sketch.items[item].kind is Kind.CONCATENATE  # written in place
            if (home is not None or is_whole) and home != user and not is_part:
                value = sketch.nodes[source_item]
                nbytes = value.nbytes
                reason = reasons.get((id(value), user), "")
            if earlier is not None:
                operands = (*earlier.operands, *operands)
                nbytes = max(nbytes, earlier.nbytes)
                reason = earlier.reason or reason
            edges[source, target] = Edge(f"n{source}", f"n{target}", operands, nbytes, reason)
    shown = {part.cluster for part in parts}
    clusters = tuple(
        _cluster(number, group) for number, group in enumerate(groups) if number in shown
    )
    return Graph(
        stage, vertices, tuple(edges.values()), clusters, len(sketch.items),
        _caption(sketch, len(vertices), groups),
    )  # fmt: skip


def _caption(sketch: _Sketch, drawn: int, groups: Sequence[Group]) -> str:
    count = len(sketch.items)
    caption = f"{count:,} node{'s' if count != 1 else ''}"
    if drawn < count:
        caption += f" drawn as {drawn}"
    kernels = sum(group.kind == "kernel" for group in groups)
    if groups:
        others = len(groups) - kernels
        caption += f", {kernels} kernel{'s' if kernels != 1 else ''}"
        caption += f", {others} other step{'s' if others != 1 else ''}" if others else ""
    return caption


def _vertex(at: int, part: Part, sketch: _Sketch, is_root: bool) -> Vertex:
    cluster = None if part.cluster is None else f"c{part.cluster}"
    nodes = [sketch.nodes[item] for item in part.items]
    if len(nodes) > 1:
        names = dict.fromkeys(node.op.name for node in nodes)
        listed = ", ".join(list(names)[:6]) + (", …" if len(names) > 6 else "")
        hover = f"{len(nodes):,} nodes: {listed}\nlast: {hover_text(nodes[-1])}"
        title = f"… {len(nodes):,} more …"
        return Vertex(f"n{at}", "collapsed", title, listed, hover, cluster, is_root, len(nodes))
    node = nodes[0]
    kind = sketch.items[part.items[0]].kind
    if kind is not node.op.kind:
        hover = f"copy into a concatenation\n{type_text(node)}"
        return Vertex(f"n{at}", kind.value, "copy", type_text(node), hover, cluster, is_root)
    detail = detail_text(node)
    title = f"{title_text(node)} {detail}" if detail else title_text(node)
    hover = hover_text(node)
    return Vertex(
        f"n{at}",
        kind.value,
        title,
        subtitle_text(node),
        hover,
        cluster,
        is_root,
        derivative=derivative_pass(node.origin),
    )


def _cluster(number: int, group: Group) -> Cluster:
    written = [output.node for output in group.outputs]
    moved = traffic(group.nodes, group.inputs, written)
    origin = origin_of(written, group.nodes)
    dtypes = ", ".join(dict.fromkeys(node.dtype.name for node in written))
    shape = group.domain or (written[0].shape if written else ())
    title = group.name if group.template == group.name else f"{group.name} · {group.template}"
    facts = [
        f"{dtypes} {shape_text(shape)}",
        f"reads {bytes_text(moved.read)}, writes {bytes_text(moved.written)}",
    ]
    if origin is not None:
        facts.append(origin_text(origin))
    hover = "\n".join(
        [f"{group.kind} {group.name}, template {group.template}", *facts[:2]]
        + ([f"built at {origin[0]}:{origin[1]}"] if origin is not None else [])
        + [f"{len(group.nodes)} nodes"]
    )
    return Cluster(f"c{number}", group.kind, title, "  ·  ".join(facts), hover)
