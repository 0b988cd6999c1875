"""Memory placement of a streamed run: values in memory and values in tiles, within a bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.errors import ArgumentError, MemoryLimitError
from lazyarr.execution import tuning
from lazyarr.execution.cpu.kernel_sequence import Call
from lazyarr.execution.cpu.tiles import (
    Pass,
    RangedCall,
    choose_items,
    passes_of,
    repetitions,
)
from lazyarr.execution.plan import CompiledPlan, LoweredPlan
from lazyarr.graph.node import Node
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.passes.canonicalize import Bindings
from lazyarr.schedule.groups import layout_of
from lazyarr.schedule.memory import Buffer

__all__ = ["Outside", "Placement"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, slots=True)
class Outside:
    """An array that does not lie in memory.

    Attributes
    ----------
    store : Source or Sink
        What its elements are read from and written to.
    shape : tuple of int
        Sizes of the axes.
    dtype : numpy.dtype
        Type of the elements in memory.
    """

    store: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return prod(self.shape) * self.dtype.itemsize

    def elements(self, places: tuple[int, int]) -> tuple[int, int]:
        """Return the elements that have some of these bytes."""
        size = self.dtype.itemsize
        return places[0] // size, -(-places[1] // size)


class Placement:
    """The memory placement of the values of one run.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    lowered : LoweredPlan
        What it was compiled from.
    bindings : Bindings
        The leaves and scalars of the run.
    limit : int
        Bytes that buffers may take.

    Attributes
    ----------
    outside : dict of int to Outside
        By bases, what does not lie in memory.
    sinks : dict of int to Sink
        The results among them.
    sources, inside : frozenset of int
        The bases of arrays that are read tile by tile, and of values between launches that are
        computed so.
    passes : dict of Call to Pass
        The launches that are run on their own.
    items : dict of Call to int
        The work items of their tiles.
    room : int
        Bytes that a tile may take.
    """

    def __init__(
        self, plan: CompiledPlan[Call], lowered: LoweredPlan, bindings: Bindings, limit: int
    ) -> None:
        self._plan = plan
        self._lowered = lowered
        self._bindings = bindings
        self._limit = limit
        self.room = limit
        #: Bytes of what lies in memory as a whole, and the results that are written elsewhere.
        self._reserved = 0
        self._written: frozenset[Node] = frozenset()
        self.outside: dict[int, Outside] = {}
        self.sinks: dict[int, Any] = {}
        self.sources: frozenset[int] = frozenset()
        self.inside: frozenset[int] = frozenset()
        self.passes: dict[Call, Pass] = {}
        self.items: dict[Call, int] = {}

    @property
    def buffers(self) -> Iterator[tuple[int, Buffer]]:
        """The buffers of the plan by bases."""
        return iter(enumerate(self._plan.memory.buffers, self._plan.bases.leaf_count))

    @property
    def repeats_launches(self) -> bool:
        """Whether tiles of some launches need those of others."""
        return any(work.producers for work in self.passes.values())

    def open(self, outs: Any) -> None:
        """Note the arrays outside of memory: leaves, and results that are to be written there.

        Parameters
        ----------
        outs : sequence of (numpy.ndarray or Sink or None), optional
            Where to write the results.

        Raises
        ------
        ArgumentError
            If a result is to be written to an array that is streamed in.
        """
        for base, leaf in enumerate(self._bindings.leaves):
            if type(leaf.attr) is StreamedLeaf:
                self.outside[base] = Outside(leaf.attr.source, leaf.shape, leaf.dtype)
        if outs is None:
            return
        pairs = list(zip(outs, self._plan.results, strict=True))
        self._written = frozenset(result.root for out, result in pairs if out is not None)
        read = {id(outside.store) for outside in self.outside.values()}
        for out, result in pairs:
            if out is None or isinstance(out, np.ndarray):
                continue
            if id(out) in read:
                raise ArgumentError("out= is also read by the expression, as a streamed array")
            index = result.base - self._plan.bases.leaf_count
            if result.is_whole and self._plan.memory.buffers[index].kind == "output":
                self.sinks[result.base] = out
                self.outside[result.base] = Outside(out, result.root.shape, result.root.dtype)

    def decide(self, direct: dict[int, Array]) -> None:
        """Decide which values lie in memory, and the tiles of the launches.

        Parameters
        ----------
        direct : dict of int to numpy.ndarray
            The results that kernels write in arrays of the caller's.

        Raises
        ------
        MemoryLimitError
            If that takes too much, or a launch cannot be cut.
        """
        scratch = self._plan.memory.scratch_bytes
        self._take(scratch, None)
        calls = self._calls()
        for base in self._sinks_in_memory(calls):
            del self.sinks[base], self.outside[base]
        for base, buffer in self.buffers:
            if buffer.kind != "arena" and base not in self.sinks and base not in direct:
                self._take(buffer.nbytes, buffer.values[-1])
        self.inside = self._streamed_between(calls)
        for base, buffer in self.buffers:
            if buffer.kind == "arena" and base not in self.inside:
                self._take(buffer.nbytes, buffer.values[-1])
        self.sources = self._streamed_sources()
        passes = passes_of(calls, self.sources, self.inside, frozenset(self.sinks))
        common = self._written_twice(passes)
        if common:
            # Whoever writes such a part for a tile of another needs the place of its own.
            for base, buffer in self.buffers:
                if base in common:
                    del self.sinks[base], self.outside[base]
                    self._take(buffer.nbytes, buffer.values[-1])
            passes = passes_of(calls, self.sources, self.inside, frozenset(self.sinks))
        if any(work is not None and work.producers for work in passes):
            self._take(scratch, None)
        self.room = min(self.room, tuning.row().tile_bytes)
        for call, work in zip(calls, passes, strict=True):
            if work is not None:
                self._cut(call, work)

    def _sinks_in_memory(self, calls: Sequence[RangedCall]) -> list[int]:
        """Return the sinks that are written at the end, from memory, as later launches read them.

        Tiles compute the part of a sink that they read once more. That repeats much for a small
        one; and launches before it whose results are in the scratch memory cannot be repeated.
        """
        small = self.room // tuning.row().small_share
        of_libraries = self._of_libraries
        once = self._computed_once(calls)
        read: set[int] = set()
        for call in calls:
            read |= call.reads
        return [
            base
            for base in self.sinks
            if base in of_libraries
            or (base in read and (base in once or self.outside[base].nbytes <= small))
        ]

    @staticmethod
    def _computed_once(calls: Sequence[RangedCall]) -> set[int]:
        """Return the values that launches make of what others left in the scratch memory."""
        return {base for call in calls if call.reads_scratch for base in call.writes}

    def _written_twice(self, passes: Sequence[Pass | None]) -> set[int]:
        """Return the sinks that the tiles of one launch and their producers both write to.

        They are concatenations, one part of which is computed from another part's source.
        """
        return {
            base
            for work in passes
            if work is not None
            for producer in work.producers
            for base in producer.writes & work.target.writes & self.sinks.keys()
        }

    def _streamed_between(self, calls: Sequence[RangedCall]) -> frozenset[int]:
        """Return the values between launches that are computed tile by tile."""
        if self._plan.memory.arena_bytes * 2 <= self.room:
            return frozenset()
        small = self.room // tuning.row().small_share
        large = {b for b, buffer in self.buffers if buffer.kind == "arena"} - self._of_libraries
        once = self._computed_once(calls)
        sizes = {base: buffer.nbytes for base, buffer in self.buffers}
        return frozenset(base for base in large - once if sizes[base] > small)

    def _streamed_sources(self) -> frozenset[int]:
        """Return the arrays that are read tile by tile; the others are read as a whole."""
        sources = self.outside.keys() - self.sinks.keys()
        small = self.room // tuning.row().small_share
        whole = {base for base in sources if self.outside[base].nbytes <= small}
        for base in sorted(whole | (sources & self._of_libraries)):
            self._take(self.outside[base].nbytes, self._bindings.leaves[base])
            whole.add(base)
        return frozenset(sources - whole)

    @property
    def _of_libraries(self) -> set[int]:
        """The bases that library calls read or write, which takes whole arrays."""
        bases: set[int] = set()
        for step in self._plan.steps:
            if step.calls or step.group.kind != "library":
                continue
            for value in (*step.group.inputs, *(output.node for output in step.group.outputs)):
                layout = layout_of(value, self._plan.layouts)
                if layout is not None:
                    bases.add(self._plan.bases.of(layout.owner))
        return bases

    def _calls(self) -> list[RangedCall]:
        """Return the launches of the plan, in order."""
        sizes = {base: buffer.nbytes for base, buffer in self.buffers}
        sizes |= {base: leaf.nbytes for base, leaf in enumerate(self._bindings.leaves)}
        kernels: dict[Any, Any] = {own.group: own for own in self._lowered.lowered}
        calls: list[RangedCall] = []
        for step in self._plan.steps:
            if step.calls:
                node = step.group.outputs[0].node
                for call, launch in zip(step.calls, kernels[step.group].launches, strict=True):
                    calls.append(RangedCall(call, launch, node, self._plan.bases, sizes))
        return calls

    def _take(self, nbytes: int, value: Node | None) -> None:
        """Reserve memory from the rest; raise an error for a value that does not fit."""
        self.room -= nbytes
        if self.room < 0:
            raise self._refusal(nbytes, value, "it must be entirely in memory")
        self._reserved += nbytes

    def _refusal(self, nbytes: int, value: Node | None, why: str) -> MemoryLimitError:
        # A plan's own peak is without the arrays that it reads.
        peak = max(self._plan.memory.peak_bytes, self._reserved + nbytes)
        text = f"the plan needs {peak:,} bytes, the limit is {self._limit:,}"
        if value is None:
            return MemoryLimitError(f"{text}: the states of its threads take {nbytes:,}")
        is_result = any(result.root is value for result in self._plan.results)
        name = value.op.name if value.src else "the streamed array"
        return MemoryLimitError(
            f"{text}: {name} of shape {value.shape} takes {nbytes:,} bytes, and {why}",
            origin=value.origin,
            hint="pass out= to lazyarr.evaluate, such as a numpy.memmap"
            if is_result and value not in self._written
            else "raise max_memory, or evaluate a part of the arrays",
        )

    def _cut(self, call: RangedCall, work: Pass) -> None:
        """Choose the tiles of a launch."""
        items = choose_items(work, self.room)
        why = "it cannot be cut into smaller tiles"
        if items is not None and repetitions(work, items) > tuning.row().most_repetitions:
            why = f"tiles of {items:,} work items would recompute their operands repeatedly"
            items = None
        if items is None:
            error = self._refusal(work.tile((0, 1)).nbytes, call.node, why)
            error.origin = self._plan.lines.of(self._bindings, call.node)
            raise error
        self.passes[call.call] = work
        self.items[call.call] = items
