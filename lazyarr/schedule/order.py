"""Scheduling: groups become steps in an order, and every stored value gets a lifetime."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.fusion import Fusion, Group, layout_of

__all__ = ["Lifetime", "Schedule", "Step", "check_schedule", "schedule"]


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """One group at its place in the order.

    Attributes
    ----------
    index : int
        The place.
    group : Group
        What the step computes.
    joined : int
        The step before which this one is waited for, if it runs beside those in between: the first
        that reads its result, and at the latest the last one. Its own index of any other step.
    """

    index: int
    group: Group
    joined: int


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The steps from the first write of some memory to its last read, both included.

    What a step reads that runs beside others is read until the step that waits for it.
    """

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
    """Order the groups and determine the lifetime of each stored value.

    The groups of a fusion are already in an order that respects their dependencies; results live
    to the end.
    """
    steps = _steps(fusion)
    first: dict[Node, int] = {}
    last: dict[Node, int] = {}
    for step in steps:
        for output in step.group.outputs:
            owner = output.layout.owner
            first.setdefault(owner, step.index)
            last[owner] = max(last.get(owner, 0), step.joined)
    for step in steps:
        for node in step.group.inputs:
            layout = layout_of(node, fusion.layouts)
            if layout is not None and layout.owner in first:
                last[layout.owner] = max(last[layout.owner], step.joined)
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


def _steps(fusion: Fusion) -> tuple[Step, ...]:
    """Return the groups at their places, with the steps that wait for those beside others."""
    joined = list(range(len(fusion.groups)))
    beside: dict[Node, list[int]] = {}  # by what they write, which may be parts of one array
    for index, group in enumerate(fusion.groups):
        for owner in _read(group, fusion) if beside else ():
            for other in beside.pop(owner, ()):
                joined[other] = index
        if group.beside:
            beside.setdefault(group.outputs[0].layout.owner, []).append(index)
    for others in beside.values():
        for other in others:
            joined[other] = len(joined) - 1
    return tuple([Step(k, group, joined[k]) for k, group in enumerate(fusion.groups)])


def _read(group: Group, fusion: Fusion) -> list[Node]:
    """Return the owners of the memory that a group reads."""
    layouts = [layout_of(node, fusion.layouts) for node in group.inputs]
    return list(dict.fromkeys([layout.owner for layout in layouts if layout is not None]))


def check_schedule(result: Schedule) -> None:
    """Check that every step reads only values of earlier steps, or leaves.

    Memory that is written in parts may be read after the first one, where its array is the first of
    several.

    Raises
    ------
    ContractError
        If a step comes before one that writes its input, or a result is never written; if memory
        that a step beside others uses is not kept for it until it is waited for.
    """
    _check_beside(result)
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
            if not remaining[owner] or owner in fusion.rewritten:
                written.add(owner)
    for root in fusion.roots:
        layout = layout_of(root, fusion.layouts)
        if layout is None or layout.owner not in written:
            raise ContractError(f"no step computes the result {root}")


def _check_beside(result: Schedule) -> None:
    """Check that concurrent steps keep their memory until they are waited for."""
    last = {lifetime.owner: lifetime.last for lifetime in result.lifetimes}
    for step in result.steps:
        if not step.group.beside:
            continue
        written = {output.layout.owner for output in step.group.outputs}
        for owner in (*written, *_read(step.group, result.fusion)):
            if last.get(owner, step.joined) < step.joined:
                raise ContractError(f"{step.group.name} is still running when {owner} is released")
        for other in result.steps[step.index + 1 : step.joined]:
            if written.intersection(_read(other.group, result.fusion)):
                raise ContractError(f"{other.group.name} does not wait for {step.group.name}")
