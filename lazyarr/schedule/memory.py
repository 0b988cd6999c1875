"""Memory planning: which stored values share bytes, and the exact peak."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate

import numpy as np

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.frozen import dataclass, replace
from lazyarr.core.shapes import View, contiguous_strides, view_strides
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node
from lazyarr.ops.library import LIBRARY
from lazyarr.schedule.fusion import Group, Layout, Output, layout_of
from lazyarr.schedule.groups import READS_FIRST
from lazyarr.schedule.index_terms import is_of_last_pass, sink_view
from lazyarr.schedule.order import Lifetime, Schedule, Step

__all__ = ["Buffer", "Plan", "access", "check_plan", "overwritable", "plan_memory"]

_UNPACK = LIBRARY["unpack"]


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
    donated : int, optional
        Number of the leaf whose memory it is; None of memory of its own.
    block : int, optional
        Number of the adopted buffer of which it is a part: it has no bytes of its own.
    """

    name: str
    kind: str
    nbytes: int
    offset: int
    first: int
    last: int
    values: tuple[Node, ...]
    donated: int | None = None
    block: int | None = None


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
        The buffer of each owner of memory, donated leaves among them.
    arena_bytes, scratch_bytes, peak_bytes : int
        Sizes of the arena and of the kernels' shared scratch, and the most bytes that lazyarr
        holds at one time, results included but for those in donated memory.
    copies : tuple of (int, int)
        Numbers of donated leaves that a run copies first, and the offsets of the copies in the
        arena.
    """

    steps: tuple[Step, ...]
    buffers: tuple[Buffer, ...]
    home: dict[Node, int]
    arena_bytes: int
    scratch_bytes: int = 0
    peak_bytes: int = 0
    copies: tuple[tuple[int, int], ...] = ()

    @property
    def donated(self) -> tuple[int, ...]:
        """Numbers of the leaves that results overwrite."""
        return tuple(b.donated for b in self.buffers if b.donated is not None)

    def with_scratch(self, nbytes: int) -> Plan:
        """Return the plan with `nbytes` of scratch memory added to its peak."""
        return replace(
            self,
            scratch_bytes=nbytes,
            peak_bytes=self.peak_bytes - self.scratch_bytes + nbytes,
        )

    def with_copies(self, buffers: Sequence[Buffer]) -> Plan:
        """Return the plan with copies of donated memory behind the arena's buffers.

        Parameters
        ----------
        buffers : sequence of Buffer
            Each in the memory of a donated leaf.
        """
        end = _aligned(self.arena_bytes)
        copies: list[tuple[int, int]] = []
        for buffer in buffers:
            assert buffer.donated is not None
            copies.append((buffer.donated, end))
            end += _aligned(buffer.nbytes)
        if not copies:
            return self
        peak = self.peak_bytes - self.arena_bytes + end
        return replace(self, arena_bytes=end, peak_bytes=peak, copies=tuple(copies))


class _Draft:
    """A buffer while its lifetime is being found."""

    def __init__(self, kind: str, nbytes: int, first: int, last: int) -> None:
        self.kind = kind
        self.nbytes = nbytes
        self.first = first
        self.last = last
        self.values: list[Node] = []
        self.donated: int | None = None
        self.block: int | None = None

    def buffer(self, number: int, offset: int) -> Buffer:
        """Return the buffer.

        Parameters
        ----------
        number : int
            Among those of the plan.
        offset : int
            Where it starts in the arena.
        """
        place = f"b{number}", self.kind, self.nbytes, offset, self.first, self.last
        return Buffer(*place, tuple(self.values), self.donated, self.block)


def access(layout: Layout, view: View, ndim: int) -> tuple[int, tuple[int, ...]]:
    """Return the offset and strides by which a kernel steps through `layout`.

    Parameters
    ----------
    layout : Layout
        Where a value lies.
    view : View
        From the domain to the value.
    ndim : int
        Axes of the domain.
    """
    offset, strides = view_strides(view, layout.strides, ndim)
    return layout.offset + offset, strides


def plan_memory(
    scheduled: Schedule,
    donated: Sequence[int] = (),
    *,
    in_place: bool = True,
    shares_blocks: bool = False,
) -> Plan:
    """Assign every stored value to a buffer.

    A value takes over the bytes of an input that dies in its step when the kernel reads each of
    that input's elements just where it writes its own. The other intermediates share one arena,
    packed largest first at the lowest offset that is free during their lifetime. A result that may
    overwrite a donated leaf takes over no other input.

    Parameters
    ----------
    scheduled : Schedule
        The steps.
    donated : sequence of int
        Numbers of the leaves, each in memory of its own, that results may overwrite once they are
        read. The first result takes the first of its shape and dtype, and so on.
    in_place : bool, optional
        Whether a value may take over the bytes of an input.
    shares_blocks : bool, optional
        Whether a value of a block of results is read where it lies in the block.
    """
    buffers_so_far = _Buffers(scheduled)
    lifetimes, drafts, home = buffers_so_far.lifetimes, buffers_so_far.drafts, buffers_so_far.home
    readers = _readers(scheduled, donated) if donated else {}
    spoken_for: set[Node] = set()
    for step in scheduled.steps:
        taken: set[int] = set()
        for output in step.group.outputs:
            owner = output.layout.owner
            if owner in home or leaf_number(owner) is not None:
                continue
            lifetime = lifetimes[owner]
            index = None
            leaf = None
            if lifetime.result and readers:
                leaf = buffers_so_far.read_last(step, output, readers, spoken_for)
            if leaf is not None:
                spoken_for.add(leaf)
            elif in_place:
                index = buffers_so_far.overwritten(step, output, taken)
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
    _give_donated(scheduled, home, drafts, readers, donated)
    if shares_blocks:
        buffers_so_far.place_parts()
    offsets, arena = _pack(drafts)
    buffers = tuple([draft.buffer(k, offsets[k]) for k, draft in enumerate(drafts)])
    change = [0] * (len(scheduled.steps) + 1)
    for buffer in buffers:
        if buffer.kind == "adopted":
            change[buffer.first] += buffer.nbytes
            change[buffer.last + 1] -= buffer.nbytes
    adopted = max(accumulate(change))
    results = sum(b.nbytes for b in buffers if b.kind == "output" and b.donated is None)
    return Plan(scheduled.steps, buffers, home, arena, 0, arena + results + adopted)


def _kind(group: Group, lifetime: Lifetime) -> str:
    if group.kind == "library" and not group.members[0].op.supports_out:
        return "adopted"
    return "output" if lifetime.result else "arena"


class _Buffers:
    """The buffers of a schedule's values, step by step.

    Parameters
    ----------
    scheduled : Schedule
        The steps.
    """

    def __init__(self, scheduled: Schedule) -> None:
        self._layouts = scheduled.fusion.layouts
        self.lifetimes = {lifetime.owner: lifetime for lifetime in scheduled.lifetimes}
        self.drafts: list[_Draft] = []
        self.home: dict[Node, int] = {}

    def overwritten(self, step: Step, output: Output, taken: set[int]) -> int | None:
        """Return the buffer of an input that dies in a step and that an output may overwrite.

        Parameters
        ----------
        step : Step
            The step.
        output : Output
            One of its outputs.
        taken : set of int
            The buffers of its other outputs.
        """
        for owner in overwritable(step.group, output, self._layouts):
            index = self.home.get(owner)
            if index is None or index in taken:
                continue
            # A result outlives the last step, although no step reads it any more.
            if self.lifetimes[owner].result or self.lifetimes[owner].last != step.index:
                continue
            draft = self.drafts[index]
            if draft.values[-1] is owner and draft.nbytes == output.node.nbytes:
                return index
        return None

    def read_last(
        self,
        step: Step,
        output: Output,
        readers: Mapping[Node, Collection[int]],
        spoken_for: Collection[Node],
    ) -> Node | None:
        """Return the donated leaf that a result may overwrite in the last step that reads it.

        Parameters
        ----------
        step : Step
            The step.
        output : Output
            One of its outputs, a result.
        readers : mapping of Node to collection of int
            The steps that read each donated leaf.
        spoken_for : collection of Node
            Leaves that other results overwrite.
        """
        value = output.node
        for leaf in overwritable(step.group, output, self._layouts):
            if leaf not in readers or leaf in spoken_for or max(readers[leaf]) > step.index:
                continue
            if leaf.shape == value.shape and _is_in_order(leaf, self._layouts):
                return leaf
        return None

    def place_parts(self) -> None:
        """Let the values of each block of results lie in the block, which lives as long as they.

        Results, and the values of a block that is one, have memory of their own.
        """
        for node, index in self.home.items():
            block = self.home.get(node.src[0]) if node.op is _UNPACK else None
            if block is None:
                continue
            part, whole = self.drafts[index], self.drafts[block]
            values = (*part.values, *whole.values)
            if whole.kind == "adopted" and not any(self.lifetimes[v].result for v in values):
                part.block, part.nbytes = block, 0
                whole.last = max(whole.last, part.last)


def overwritable(group: Group, output: Output, layouts: Mapping[Node, Layout]) -> list[Node]:
    """Return the inputs of a group whose memory one of its outputs may overwrite.

    They are those of the output's dtype of which the kernel reads each element only where, and
    before, it writes that of the output.

    Parameters
    ----------
    group : Group
        What the kernel computes.
    output : Output
        One of the group's outputs.
    layouts : mapping of Node to Layout
        Where stored values lie.

    Returns
    -------
    list of Node
        Owners of memory, in the order in which the kernel first reads them.
    """
    traced = group.trace
    if traced is None or group.template not in READS_FIRST:
        return []
    if output.node is not output.layout.owner:
        return []  # a slice of a concatenation
    ndim = len(group.domain)
    sink = traced.sinks[len(group.members) + group.outputs.index(output)][0]
    view = sink_view(output.node, group.domain, group.reduced)
    target = access(output.layout, view, ndim)
    if not is_of_last_pass(traced, sink):
        return []
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
    return [
        owner
        for owner, accesses in seen.items()
        if owner not in elsewhere
        and owner.dtype == output.node.dtype
        and all(place == target for place in accesses)
    ]


def _is_in_order(leaf: Node, layouts: Mapping[Node, Layout]) -> bool:
    """Whether a leaf lies in memory in C order."""
    layout = layout_of(leaf, layouts)
    return layout is not None and layout.strides == contiguous_strides(leaf.shape)


def _readers(scheduled: Schedule, donated: Sequence[int]) -> dict[Node, set[int]]:
    """Return the steps that read each donated leaf, and those that wait for them."""
    layouts = scheduled.fusion.layouts
    readers: dict[Node, set[int]] = {}
    for step in scheduled.steps:
        for value in step.group.inputs:
            layout = layout_of(value, layouts)
            if layout is not None and leaf_number(layout.owner) in donated:
                readers.setdefault(layout.owner, set()).update((step.index, step.joined))
    return readers


def _give_donated(
    scheduled: Schedule,
    home: dict[Node, int],
    drafts: list[_Draft],
    readers: Mapping[Node, Collection[int]],
    donated: Sequence[int],
) -> None:
    """Let results lie in the memory of donated leaves that are read before.

    A leaf that the step which writes the result reads too goes before others, so that an update
    stays where its parameter is.
    """
    layouts = scheduled.fusion.layouts
    results: dict[int, int] = {}
    for root in scheduled.fusion.roots:
        layout = layout_of(root, layouts)
        assert layout is not None
        if layout.owner in home:
            results.setdefault(home[layout.owner], len(results))
    fitting: list[tuple[bool, int, int, Node]] = []
    for index, draft in enumerate(drafts):
        if draft.kind != "output":
            continue
        for leaf, steps in readers.items():
            if _may_overwrite(scheduled, home, index, draft, leaf, max(steps)):
                number = leaf_number(leaf)
                assert number is not None
                which = donated.index(number)
                fitting.append((draft.first not in steps, results[index], which, leaf))
    taken: set[Node] = set()
    buffers = {order: index for index, order in results.items()}
    for _, order, which, leaf in sorted(fitting, key=lambda one: one[:3]):
        index = buffers[order]
        if leaf not in taken and drafts[index].donated is None:
            taken.add(leaf)
            drafts[index].donated = donated[which]
            home[leaf] = index


def _may_overwrite(
    scheduled: Schedule, home: dict[Node, int], index: int, draft: _Draft, leaf: Node, last: int
) -> bool:
    """Whether a draft may lie in the memory of a leaf that step `last` is the last to read."""
    layouts = scheduled.fusion.layouts
    value = draft.values[-1]
    if (value.shape, value.dtype) != (leaf.shape, leaf.dtype):
        return False
    if not _is_in_order(leaf, layouts) or last > draft.first:
        return False
    if last < draft.first:
        return True
    group = scheduled.steps[last].group
    outputs = [output for output in group.outputs if home[output.layout.owner] == index]
    return len(outputs) == 1 and leaf in overwritable(group, outputs[0], layouts)


def leaf_number(owner: Node) -> int | None:
    """Return the number of a leaf of the plan; None of any other owner of memory."""
    attr = owner.attr
    if owner.op.kind is Kind.PARAMETER and isinstance(attr, tuple) and attr[0] == "leaf":
        return int(attr[1])
    return None


def _pack(drafts: list[_Draft]) -> tuple[list[int], int]:
    """Return the offset of each arena buffer and the arena's size."""
    offsets = [0] * len(drafts)
    arena = 0
    in_arena = [k for k, d in enumerate(drafts) if d.kind == "arena"]
    order = sorted(in_arena, key=lambda k: (-drafts[k].nbytes, k))
    places: list[tuple[int, int]] = []  # of each buffer so far, where it begins and ends
    # NumPy compares the lifetimes, of hundreds of buffers with those of hundreds.
    first = np.array([drafts[k].first for k in order], np.int64)
    last = np.array([drafts[k].last for k in order], np.int64)
    for number, k in enumerate(order):
        draft, size = drafts[k], _aligned(drafts[k].nbytes)
        together = (first[:number] <= draft.last) & (last[:number] >= draft.first)
        at = 0
        for start, stop in sorted([places[j] for j in together.nonzero()[0].tolist()]):
            if at + size <= start:
                break
            at = max(at, stop)
        offsets[k] = at
        places.append((at, at + size))
        arena = max(arena, at + size)
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
    arena = [b for b in plan.buffers if b.kind == "arena" and b.nbytes]
    alive: list[Buffer] = []
    for b in sorted(arena, key=lambda buffer: buffer.first):
        alive = [a for a in alive if a.last >= b.first]
        for a in alive:
            if a.offset < b.offset + b.nbytes and b.offset < a.offset + a.nbytes:
                raise ContractError(f"buffers {a.name} and {b.name} overlap while both are live")
        alive.append(b)
