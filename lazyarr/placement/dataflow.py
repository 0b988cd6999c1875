"""Dataflow of a fused expression: the memory that each group reads and writes."""

from __future__ import annotations

from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.groups import Fusion

__all__ = ["memory_of", "operands_of", "owner_of"]


def memory_of(fusion: Fusion, value: Node) -> Node:
    """Return the stored value of which another is a view, or the value itself.

    Parameters
    ----------
    fusion : Fusion
        The groups.
    value : Node
        An input of a group, or a result.
    """
    while value not in fusion.layouts and value.op.kind in (Kind.VIEW, Kind.RESHAPE):
        value = value.src[0]
    return value


def owner_of(fusion: Fusion, value: Node) -> Node:
    """Return the value that owns the memory in which another lies.

    Parameters
    ----------
    fusion : Fusion
        The groups.
    value : Node
        An input of a group, or a result.
    """
    stored = memory_of(fusion, value)
    return fusion.layouts[stored].owner if stored in fusion.layouts else stored


def operands_of(fusion: Fusion) -> list[list[int]]:
    """Return for each group the numbers of those whose values it reads."""
    producers: dict[Node, list[int]] = {}
    for number, group in enumerate(fusion.groups):
        for output in group.outputs:
            producers.setdefault(output.layout.owner, []).append(number)
    operands = []
    for number, group in enumerate(fusion.groups):
        owners = dict.fromkeys(owner_of(fusion, value) for value in group.inputs)
        read = {one for owner in owners for one in producers.get(owner, ())}
        operands.append(sorted(read - {number}))
    return operands
