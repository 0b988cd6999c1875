"""Scheduling: groups become steps in an order, and every stored value gets a lifetime."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.fusion import Fusion, Group, layout_of

__all__ = ["Lifetime", "Schedule", "Step", "check_schedule", "schedule"]


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """One group at its place in the order."""

    index: int
    group: Group


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The steps from the first write of some memory to its last read, both included."""

    owner: Node
    first: int
    last: int
    result: bool


@dataclass(frozen=True, eq=False, slots=True)
class Schedule:
    """Steps in execution order and the lifetime of every computed value in memory."""

    fusion: Fusion
    steps: tuple[Step, ...]
    lifetimes: tuple[Lifetime, ...]


def schedule(fusion: Fusion) -> Schedule:
    """Order the groups and find how long each stored value lives.

    The groups of a fusion are already in an order that respects their dependencies; results live
    to the end.
    """
    steps = tuple(Step(index, group) for index, group in enumerate(fusion.groups))
    first: dict[Node, int] = {}
    last: dict[Node, int] = {}
    for step in steps:
        for output in step.group.outputs:
            owner = output.layout.owner
            first.setdefault(owner, step.index)
            last[owner] = step.index
    for step in steps:
        for node in step.group.inputs:
            layout = layout_of(node, fusion.layouts)
            if layout is not None and layout.owner in first:
                last[layout.owner] = max(last[layout.owner], step.index)
    results = set()
    for root in fusion.roots:
        layout = layout_of(root, fusion.layouts)
        assert layout is not None
        results.add(layout.owner)
    lifetimes = tuple(
        Lifetime(
            owner, start, len(steps) - 1 if owner in results else last[owner], owner in results
        )
        for owner, start in first.items()
    )
    return Schedule(fusion, steps, lifetimes)


def check_schedule(result: Schedule) -> None:
    """Check that every step reads only what earlier steps, or nobody, wrote.

    Raises
    ------
    ContractError
        If a step comes before one that writes its input, or a result is never written.
    """
    fusion = result.fusion
    written: set[Node] = set()
    remaining: dict[Node, int] = {}
    for step in result.steps:
        for output in step.group.outputs:
            owner = output.layout.owner
            remaining[owner] = remaining.get(owner, 0) + 1
    for step in result.steps:
        for node in step.group.inputs:
            layout = layout_of(node, fusion.layouts)
            if layout is None:
                continue
            owner = layout.owner
            if owner.op.kind is not Kind.PARAMETER and owner not in written:
                raise ContractError(f"{step.group.name} reads {owner} before it is written")
        for output in step.group.outputs:
            owner = output.layout.owner
            remaining[owner] -= 1
            if not remaining[owner]:
                written.add(owner)
    for root in fusion.roots:
        layout = layout_of(root, fusion.layouts)
        if layout is None or layout.owner not in written:
            raise ContractError(f"no step computes the result {root}")
