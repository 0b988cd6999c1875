"""The result of fusion: groups of nodes that share a kernel, and layouts of stored values."""

from __future__ import annotations

from collections.abc import Mapping

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View, reshape_strides, view_strides
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.index_terms import KernelTerms

__all__ = [
    "READS_FIRST",
    "Edge",
    "Fusion",
    "Group",
    "Layout",
    "Output",
    "copied_in_place",
    "is_constant",
    "layout_of",
]

#: Loops that read what belongs to an element of a result before they write it.
READS_FIRST = ("map", "tiles", "rows", "contraction")


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
    """The layout of a value: the stored node that owns its memory, offset and strides."""

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
    """The nodes that one kernel, or one library call, computes.

    Attributes
    ----------
    name : str
        Unique in its plan.
    kind : {"kernel", "library"}
        Who computes it.
    template : {"map", "tiles", "rows", "split", "columns", "contraction", "scan", "library"}
        The shape of its loops: elementwise; that in tiles, for transposed operands; whole rows
        reduced by one work item each; rows split over work items and combined; leading axes
        reduced for panels of columns; blocks of rows paired with columns; an axis along which
        elements accumulate.
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
    trace : KernelTerms, optional
        The terms of a kernel; sinks are the members and then the outputs.
    beside : bool
        Whether it runs beside the groups that follow, up to the first one that reads its result.
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
    trace: KernelTerms | None
    beside: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Fusion:
    """The groups in an order that respects their dependencies, and the unfused edges.

    Attributes
    ----------
    roots : tuple of Node
        The results.
    groups : tuple of Group
        In the order in which they run.
    not_fused : tuple of Edge
        Values that go through memory between groups.
    layouts : dict of Node to Layout
        Where stored values lie.
    rewritten : frozenset of Node
        Owners of memory in which arrays lie one after the other: after each write to a part of it
        the next one. What reads one of them runs before the next one is written.
    """

    roots: tuple[Node, ...]
    groups: tuple[Group, ...]
    not_fused: tuple[Edge, ...]
    layouts: dict[Node, Layout]
    rewritten: frozenset[Node] = frozenset()


def layout_of(node: Node, owners: Mapping[Node, Layout]) -> Layout | None:
    """Return the layout of a stored value or of a view of one; None for others.

    Parameters
    ----------
    node : Node
        A value.
    owners : mapping of Node to Layout
        The stored values.
    """
    chain = []
    current = node
    while current not in owners:
        if current.op.kind not in (Kind.VIEW, Kind.RESHAPE):
            return None
        chain.append(current)
        current = current.src[0]
    layout = owners[current]
    for step in reversed(chain):
        if step.op.kind is Kind.VIEW:
            assert isinstance(step.attr, View)
            offset, strides = view_strides(step.attr, layout.strides, step.ndim)
            layout = Layout(layout.owner, layout.offset + offset, strides)
        else:
            reshaped = reshape_strides(step.src[0].shape, layout.strides, step.shape)
            if reshaped is None:
                return None
            layout = Layout(layout.owner, layout.offset, reshaped)
    return layout


def copied_in_place(output: Output, owners: Mapping[Node, Layout]) -> Node | None:
    """Return the owner of memory of which an output is a copy, at the place where it lies there.

    None if the output is computed, or is a copy of elements at other places.

    Parameters
    ----------
    output : Output
        What is written.
    owners : mapping of Node to Layout
        The stored values.
    """
    source = layout_of(output.node, owners)
    if source is None or source.offset != output.layout.offset:
        return None
    steps = zip(output.node.shape, source.strides, output.layout.strides, strict=True)
    return None if any(n != 1 and a != b for n, a, b in steps) else source.owner


def is_constant(node: Node) -> bool:
    """Whether the value is one scalar known before anything runs."""
    if node.op.kind is Kind.CONSTANT:
        return True
    return (
        node.op.kind is Kind.PARAMETER
        and isinstance(node.attr, tuple)
        and (node.attr[0] == "scalar")
    )
