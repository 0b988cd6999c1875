"""The form of a group: all that its kernels depend on, whichever values it reads and writes.

A network repeats its layers, and the kernels of each are those of the first at other addresses.
Groups of one form have the same kernels, called with other addresses: of other memory, or of other
parts of the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.groups import Group, Layout, layout_of

__all__ = ["GroupForm", "form_of"]


@dataclass(frozen=True, eq=False, slots=True)
class GroupForm:
    """The form of a group and the nodes that it is filled with.

    Attributes
    ----------
    key : hashable
        Equal for groups that have the same kernels.
    nodes : tuple of Node
        All nodes that arguments of these kernels may name, in the order in which the key has them.
    starts : tuple of int
        For each that owns memory, the byte from which the key counts there; for others, 0.
    """

    key: Hashable
    nodes: tuple[Node, ...]
    starts: tuple[int, ...]


def form_of(group: Group, layouts: Mapping[Node, Layout], home: Mapping[Node, int]) -> GroupForm:
    """Return the form of a group.

    Parameters
    ----------
    group : Group
        One that kernels compute.
    layouts : mapping of Node to Layout
        Where stored values lie.
    home : mapping of Node to int
        The buffers of the owners of memory: those of one buffer overlap.
    """
    reader = _Reader(group, layouts, home)
    members = tuple([reader.read(node) for node in group.members])
    outputs = tuple([(reader.read(o.node), reader.place(o.node, o.layout)) for o in group.outputs])
    key = (
        group.template,
        group.domain,
        group.reduced,
        members,
        outputs,
        len(group.nodes),
        tuple(reader.entries),
    )
    starts = tuple([reader.starts.get(node, 0) for node in reader.numbers])
    return GroupForm(key, tuple(reader.numbers), starts)


class _Reader:
    """Numbers nodes in the order of traversal, and records their operations.

    Parameters
    ----------
    group : Group
        What is computed.
    layouts : mapping of Node to Layout
        Where stored values lie.
    home : mapping of Node to int
        The buffers of the owners of memory.
    """

    def __init__(
        self, group: Group, layouts: Mapping[Node, Layout], home: Mapping[Node, int]
    ) -> None:
        results = [output.node for output in group.outputs]
        self._inside = {*group.nodes, *group.members, *results}
        self._layouts = layouts
        self._home = home
        #: The memory that is read or written: its number, and the first byte that is named.
        self._memories: dict[object, tuple[int, int]] = {}
        self._read: set[Node] = set()
        self.numbers: dict[Node, int] = {}
        self.entries: list[Hashable] = []
        self.starts: dict[Node, int] = {}

    def read(self, root: Node) -> int:
        """Return the number of a node, after those of all that it is computed from in the group."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self._read:
                stack.pop()
                continue
            base = self._stored(node)
            layout = None if base is None else layout_of(node, self._layouts)
            if base is not None and layout is not None:  # in memory, however it came there
                self._enter(node, (base.shape, self.place(node, layout)))
                continue
            missing = [source for source in node.src if source not in self._read]
            if missing:
                stack.extend(reversed(missing))
                continue
            sources = tuple([self.numbers[source] for source in node.src])
            self._enter(node, (node.op, _attribute(node), sources))
        return self.numbers[root]

    def place(self, node: Node, layout: Layout) -> Hashable:
        """Return the place of a value in memory that is numbered.

        Two are in one place, to the multiple of what any access is aligned to, if these are equal.

        Parameters
        ----------
        node : Node
            The value.
        layout : Layout
            Where it lies.
        """
        owner, start = layout.owner, layout.offset * node.dtype.itemsize
        memory = self._home.get(owner, owner)
        number, first = self._memories.setdefault(memory, (len(self._memories), start))
        self.starts[owner] = first
        place = self._number(owner), number, start - first, first % ALIGNMENT
        return place, layout.strides

    def _stored(self, node: Node) -> Node | None:
        """Return the node that is in memory when the kernel starts: itself, or that of a view."""
        base = node
        while base not in self._layouts:
            if base.op.kind not in (Kind.VIEW, Kind.RESHAPE):
                return None
            base = base.src[0]
        return None if base in self._inside else base

    def _enter(self, node: Node, value: Hashable) -> None:
        """Note a node's place in the form."""
        self._read.add(node)
        self.entries.append((self._number(node), node.dtype, node.shape, value))

    def _number(self, node: Node) -> int:
        return self.numbers.setdefault(node, len(self.numbers))


def _attribute(node: Node) -> Hashable:
    """Return the attribute of a node; of a parameter, without its number."""
    attr = node.attr
    if node.op.kind is Kind.PARAMETER and isinstance(attr, tuple) and attr[0] == "scalar":
        return "scalar"
    return attr
