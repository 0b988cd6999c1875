"""Memory planning: which stored values share bytes, and the exact peak."""

from __future__ import annotations

import dataclasses
from itertools import accumulate

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.frozen import dataclass, replace
from lazyarr.core.shapes import View, view_strides
from lazyarr.errors import ContractError
from lazyarr.graph.node import Node
from lazyarr.schedule.fusion import Group, Layout, Output, layout_of
from lazyarr.schedule.index_terms import Trace, levels, sink_view
from lazyarr.schedule.order import Lifetime, Schedule, Step

__all__ = ["Buffer", "Plan", "access", "check_plan", "plan_memory"]


@dataclass(frozen=True, eq=False, slots=True)
class Buffer:
    """Bytes that hold one value after another.

    Attributes
    ----------
    name : str
        Unique in its plan.
    kind : {"arena", "output", "adopted"}
        A slice of the plan's one arena; memory of a result; or memory that a library call makes.
    nbytes : int
        Its size.
    offset : int
        Where it starts in the arena; 0 for the other kinds.
    first, last : int
        Steps from the first write to the last read, both included.
    values : tuple of Node
        What it holds, in order; each overwrites the one before, element by element.
    """

    name: str
    kind: str
    nbytes: int
    offset: int
    first: int
    last: int
    values: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """Steps with their buffers.

    Attributes
    ----------
    steps : tuple of Step
        In execution order.
    buffers : tuple of Buffer
        Every buffer.
    home : dict of Node to int
        The buffer of each owner of memory.
    arena_bytes, scratch_bytes, peak_bytes : int
        Sizes of the arena and of the kernels' shared scratch, and the most bytes that lazyarr
        holds at one time, results included.
    """

    steps: tuple[Step, ...]
    buffers: tuple[Buffer, ...]
    home: dict[Node, int]
    arena_bytes: int
    scratch_bytes: int = 0
    peak_bytes: int = 0

    def with_scratch(self, nbytes: int) -> Plan:
        """Return the plan with `nbytes` of scratch memory added to its peak."""
        return replace(
            self,
            scratch_bytes=nbytes,
            peak_bytes=self.peak_bytes - self.scratch_bytes + nbytes,
        )


@dataclasses.dataclass(eq=False)
class _Draft:
    kind: str
    nbytes: int
    first: int
    last: int
    values: list[Node] = dataclasses.field(default_factory=list)


def access(layout: Layout, view: View, ndim: int) -> tuple[int, tuple[int, ...]]:
    """Return the offset and strides by which a kernel steps through `layout`."""
    offset, strides = view_strides(view, layout.strides, ndim)
    return layout.offset + offset, strides


def plan_memory(scheduled: Schedule) -> Plan:
    """Assign every stored value to a buffer.

    A value takes over the bytes of an input that dies in its step when the kernel reads each of
    that input's elements just where it writes its own. The other intermediates share one arena,
    packed largest first at the lowest offset that is free during their lifetime.
    """
    lifetimes = {lifetime.owner: lifetime for lifetime in scheduled.lifetimes}
    drafts: list[_Draft] = []
    home: dict[Node, int] = {}
    for step in scheduled.steps:
        taken: set[int] = set()
        for output in step.group.outputs:
            owner = output.layout.owner
            if owner in home:
                continue
            lifetime = lifetimes[owner]
            index = _take_over(step, output, scheduled, lifetimes, home, drafts, taken)
            if index is None:
                index = len(drafts)
                drafts.append(_Draft(_kind(step.group, lifetime), owner.nbytes, step.index, 0))
            draft = drafts[index]
            taken.add(index)
            draft.values.append(owner)
            draft.last = lifetime.last
            if lifetime.result and draft.kind == "arena":
                draft.kind = "output"
            home[owner] = index
    offsets, arena = _pack(drafts)
    buffers = tuple(
        Buffer(f"b{k}", d.kind, d.nbytes, offsets[k], d.first, d.last, tuple(d.values))
        for k, d in enumerate(drafts)
    )
    change = [0] * (len(scheduled.steps) + 1)
    for buffer in buffers:
        if buffer.kind == "adopted":
            change[buffer.first] += buffer.nbytes
            change[buffer.last + 1] -= buffer.nbytes
    adopted = max(accumulate(change))
    results = sum(b.nbytes for b in buffers if b.kind == "output")
    return Plan(scheduled.steps, buffers, home, arena, 0, arena + results + adopted)


def _kind(group: Group, lifetime: Lifetime) -> str:
    if group.kind == "library" and not group.members[0].op.writes_out:
        return "adopted"
    return "output" if lifetime.result else "arena"


def _take_over(
    step: Step,
    output: Output,
    scheduled: Schedule,
    lifetimes: dict[Node, Lifetime],
    home: dict[Node, int],
    drafts: list[_Draft],
    taken: set[int],
) -> int | None:
    """Return the buffer of an input that dies here and that the output may overwrite."""
    group = step.group
    traced = group.trace
    if traced is None or group.template not in ("map", "tiles", "rows", "contraction"):
        return None
    if output.node is not output.layout.owner:
        return None  # a slice of a concatenation
    layouts = scheduled.fusion.layouts
    ndim = len(group.domain)
    sink = traced.sinks[len(group.members) + group.outputs.index(output)][0]
    view = sink_view(output.node, group.domain, group.reduced)
    target = access(output.layout, view, ndim)
    level = levels(traced)
    final = max(level)
    if level[sink] != final or _reads_later(traced, level, sink):
        return None
    seen: dict[Node, list[tuple[int, tuple[int, ...]]]] = {}
    gathered = {term.base for term in traced.terms}
    elsewhere: set[Node] = set()  # what is read at other places than the map says
    for k, term in enumerate(traced.terms):
        if term.loaded:
            layout = layout_of(term.node, layouts)
            assert layout is not None
            seen.setdefault(layout.owner, []).append(access(layout, term.view, ndim))
            if k in gathered:
                elsewhere.add(layout.owner)
    for owner, accesses in seen.items():
        index = home.get(owner)
        if index is None or index in taken or owner in elsewhere:
            continue
        # A result outlives the last step, although no step reads it any more.
        if lifetimes[owner].result or lifetimes[owner].last != step.index:
            continue
        draft = drafts[index]
        if draft.values[-1] is not owner or draft.nbytes != output.node.nbytes:
            continue
        if owner.dtype != output.node.dtype:
            continue
        if all(found == target for found in accesses):
            return index
    return None


def _reads_later(traced: Trace, level: tuple[int, ...], sink: int) -> bool:
    return any(level[k] > level[sink] for k in range(len(traced.terms)))


def _pack(drafts: list[_Draft]) -> tuple[list[int], int]:
    """Return the offset of each arena buffer and the arena's size."""
    offsets = [0] * len(drafts)
    placed: list[int] = []
    arena = 0
    wanted = [k for k, d in enumerate(drafts) if d.kind == "arena"]
    for k in sorted(wanted, key=lambda k: (-drafts[k].nbytes, k)):
        draft = drafts[k]
        busy = sorted(
            (offsets[j], offsets[j] + _aligned(drafts[j].nbytes))
            for j in placed
            if drafts[j].first <= draft.last and draft.first <= drafts[j].last
        )
        at = 0
        for start, stop in busy:
            if at + _aligned(draft.nbytes) <= start:
                break
            at = max(at, stop)
        offsets[k] = at
        placed.append(k)
        arena = max(arena, at + _aligned(draft.nbytes))
    return offsets, arena


def _aligned(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def check_plan(plan: Plan) -> None:
    """Check that no two buffers of the arena that are alive at one time overlap.

    Raises
    ------
    ContractError
        If two do.
    """
    held = [b for b in plan.buffers if b.kind == "arena" and b.nbytes]
    for k, a in enumerate(held):
        for b in held[k + 1 :]:
            together = a.first <= b.last and b.first <= a.last
            if together and a.offset < b.offset + b.nbytes and b.offset < a.offset + a.nbytes:
                raise ContractError(f"buffers {a.name} and {b.name} overlap while both are alive")
