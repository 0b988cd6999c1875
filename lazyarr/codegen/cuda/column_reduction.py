"""Lowering of reductions down columns for GPUs: neighbouring threads take neighbouring columns.

A block takes a panel of columns and a chunk of rows; its lines of threads take rows in turn and
are combined through shared memory. The last block of a panel combines the chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import gcd
from typing import Any

import numpy as np

from lazyarr.codegen.chunked_reduction import chunk_terms, full_stores, reductions_of
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import State, result_of, write_turns
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.occupancy import resident_of_columns
from lazyarr.codegen.cuda.partial_states import Parts, Take, first_part
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.reducers import reducer_of
from lazyarr.codegen.tiling import ColumnTiling
from lazyarr.core.frozen import replace
from lazyarr.graph.node import Node
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Operand, Pointer, Value
from lazyarr.loop_ir.threads import Barrier, LastBlock
from lazyarr.schedule.fusion import Group
from lazyarr.schedule.memory import Plan

__all__ = ["lower_columns"]

FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)


def lower_columns(
    group: Group,
    plan: Plan,
    layouts: dict[Node, Any],
    comments: Sequence[str],
    vectors: bool = True,
) -> tuple[DeviceLaunch, int]:
    """Return the kernel of a group and the scratch bytes it needs."""
    low = DeviceLowering(group, plan, layouts, vectors)
    made = _Columns(low, group)
    otherwise = None
    if made.width > 1:
        otherwise, _ = lower_columns(group, plan, layouts, comments, False)
    blocks = made.write()
    resident = resident_of_columns(low, made.parts, made.wanted)
    launch = low.device_launch(blocks, made.threads, comments, otherwise, resident)
    return replace(launch, tiling=made.tiling), made.parts.nbytes


class _Columns:
    """The code of a reduction down columns."""

    def __init__(self, low: DeviceLowering, group: Group) -> None:
        self.low = low
        reduced = list(group.reduced)
        kept = [axis for axis in range(len(group.domain)) if axis not in set(reduced)]
        last_reduced = max(a for a in reduced if group.domain[a] != 1)
        self.columns: LoopAxis = low.frame([a for a in kept if a > last_reduced]).axes[-1]
        front_axes = [a for a in kept if a not in self.columns.axes]
        self.front = low.frame(front_axes)
        self.rows = low.frame(reduced)
        self.stores, self.rest = full_stores(low, reduced)
        self.wanted = low.needed(chunk_terms(low, self.stores, reductions_of(low)))
        self.width = low.width(self.columns, self.wanted, self.stores)
        counted = Parts(low, 1, 1)
        held = sum(c.dtype.itemsize for found in counted.components.values() for c in found)
        self.threads = tuning.row().column_threads  # of many reductions fewer have room
        while (
            self.width > 1 and held * self.threads * self.width > tuning.row().column_shared_bytes
        ):
            self.width //= 2
        while self.threads > WARP and held * self.threads > tuning.row().column_shared_bytes:
            self.threads //= 2
        vectors = -(-self.columns.size // self.width)
        self.across = min(WARP, 1 << max(0, vectors - 1).bit_length())
        self.high = self.threads // self.across
        self.panels = -(-vectors // self.across)
        blocks = self.front.size * self.panels
        turns = tuning.row().column_turns[-1]
        for candidate in tuning.row().column_turns:
            if blocks * -(-self.rows.size // (candidate * self.high)) <= tuning.row().column_blocks:
                turns = candidate
                break
        turns = max(turns, -(-self.rows.size // (self.high * tuning.row().column_chunks)))
        self.turns = turns
        self.part = first_part(turns)
        self.per_chunk = turns * self.high
        self.chunks = max(1, -(-self.rows.size // self.per_chunk))
        self.tiling = ColumnTiling(self.across, self.high, self.width, turns, self.chunks)
        self.parts = Parts(low, self.chunks, self.front.size * self.columns.size)

    def write(self) -> int:
        """Write the kernel and return its number of blocks."""
        low, b, device = self.low, self.low.builder, self.low.device
        parts = self.parts
        block, thread = device.builtin("block"), device.builtin("thread")
        n_chunks = low.number("chunks", self.chunks, "n")
        self.size = low.number("columns", self.columns.size, "n")
        self.height = low.number("rows", self.rows.size, "n")
        self.turn_count = low.number("turns", self.turns, "n")
        self.thread = thread
        self.column = device.arithmetic("%", thread, low.integer(self.across))
        self.line = device.arithmetic("/", thread, low.integer(self.across))
        chunk = device.arithmetic("%", block, n_chunks)
        whole_panel = device.arithmetic("/", block, n_chunks)
        panel, front, origin = low.panel(whole_panel, self.panels, self.size, self.front)
        wide = low.plus(low.times(panel, self.across), self.column)
        place = low.times(wide, self.width)
        # Threads beyond the last column work on the last ones again; they store nothing.
        inside = low.below(place, self.size)
        end = device.arithmetic("-", self.size, low.integer(self.width))
        self.place = low.least(place, end)
        self.top = device.arithmetic("*", chunk, low.times(self.turn_count, self.high))
        self.tiles: dict[tuple[int, int], Pointer] = {
            (k, n): device.array("tile", c.dtype, self.threads * self.width, True)
            for k in parts.reductions
            for n, c in enumerate(parts.components[k])
        }
        self.inside = inside
        self.together = self.across * self.width
        # Results are a thread's each, side by side.
        self.first = low.times(panel, self.together)
        self.own = low.plus(self.first, thread)
        self.writer = low.below(self.own, self.size)
        if self.together < self.threads:
            leads = low.below(thread, low.integer(self.together))
            self.writer = b.call("and", leads, self.writer)
        with low.inside(self.front, low.decode(front, self.front)):
            states = {k: [parts.state(k) for _ in range(self.width)] for k in parts.reductions}
            centres = parts.pivots(self.width, self._first_row if self.rows.size else None)
            sizes = self.rows.size, self.per_chunk, self.part * self.high
            inverse = partial(parts.inverse_of_part, sizes, chunk, n_chunks)

            def work(number: Operand | None) -> None:
                about = {k: [b.snapshot(centre) for centre in centres[k]] for k in centres}
                self._sweep(states, about, number)

            parts.sweep(states, centres, inverse, work)
            if self.chunks == 1:
                self._finish()
                return self.front.size * self.panels
            results = low.number("results", self.front.size * self.columns.size, "n")
            slot = low.plus(device.arithmetic("*", chunk, results), origin)
            with b.when(self.writer):
                for k in parts.reductions:
                    parts.store(k, self._totals(k), slot, self.own)
            if centres:
                # The first line of threads holds what all of them have of their columns.
                first = b.call("and", b.call("equal", self.line, low.integer(0)), self.inside)
                with b.when(first):
                    for k, lanes in centres.items():
                        for lane, centre in enumerate(lanes):
                            at = (slot, self.place, low.integer(lane))
                            parts.store_centre(k, b.snapshot(centre), *at)
            last = device.fresh("last", BOOL)
            counters = low.counters(self.front.size * self.panels)
            device.emit(LastBlock(last, counters, whole_panel, n_chunks))
            with b.when(last):
                self._combine(origin, n_chunks, results)
                self._finish()
        return self.front.size * self.panels * self.chunks

    def _first_row(self, wanted: Sequence[int], take: Take) -> None:
        """Write terms of the chunk's first row."""
        low = self.low
        with low.inside(self.rows, low.decode(self.top, self.rows)):
            low.lanes(Frame((self.columns,)), [self.place], self.width, wanted, [], take)

    def _elements(self, chunk: Operand) -> Operand:
        """Write the number of rows of a chunk, as float64."""
        low, device = self.low, self.low.device
        whole = low.times(self.turn_count, self.high)
        left = device.arithmetic("-", self.height, device.arithmetic("*", chunk, whole))
        return low.builder.call("convert", low.least(left, whole), dtype=FLOAT64)

    def _sweep(
        self,
        states: dict[int, list[State]],
        centres: dict[int, list[Value]],
        number: Operand | None,
    ) -> None:
        """Write one pass over a chunk; what its lines of threads find together is in the tiles."""
        low, b, device = self.low, self.low.builder, self.low.device
        count = self.parts.turns(number, self.part, self.turn_count)
        columns = Frame((self.columns,))

        def work(row: Operand) -> None:
            def take(lane: int, counter: Operand) -> None:
                for k, lanes in states.items():
                    value = low.value(low.terms[k].args[0])
                    if k in centres:
                        lanes[lane].step_from(centres[k][lane], value)
                    else:
                        lanes[lane].step(value, row)

            with low.inside(self.rows, low.decode(row, self.rows)):
                # What lies beyond the last column is stored by the thread it belongs to.
                low.lanes(
                    columns, [self.place], self.width, self.wanted, self.stores, take,
                    guard=self.inside,
                )  # fmt: skip

        left = device.arithmetic("-", self.height, self.top)
        full = low.least(count, device.arithmetic("/", left, low.integer(self.high)))

        def row(turn: Operand) -> Operand:
            return low.plus(low.plus(self.top, low.times(turn, self.high)), self.line)

        write_turns(
            low,
            (gcd(self.part, self.turns), count),
            full,
            low.overlapping(self.wanted, tuning.row().column_unroll, self.width),
            self.rows.size % self.per_chunk == 0,
            lambda k: low.below(row(k), self.height),
            lambda k: work(row(k)),
        )
        self._across_lines(states, self.width, self.high)
        if number is None:
            return
        column = low.times(self.column, self.width)
        for k in centres:
            for lane, state in enumerate(states[k]):
                place = low.plus(column, low.integer(lane))
                b.assign(state.values[1], b.load(self.tiles[k, 1], low.at(place)))

    def _across_lines(self, states: dict[int, list[State]], width: int, lines: int) -> None:
        """Combine the states of lines of threads, column by column, in shared memory.

        Parameters
        ----------
        states : dict of int to list of State
            For each reduction, those of a thread: of columns side by side.
        width : int
            How many columns a thread has.
        lines : int
            How many lines of threads there are.
        """
        low, b, device = self.low, self.low.builder, self.low.device
        device.emit(Barrier())
        for k, found in states.items():
            for lane, state in enumerate(found):
                place = low.plus(low.times(self.thread, width), low.integer(lane))
                self._put_tile(k, state.values, place)
        # A step of the tree for as many pairs at a time as there are threads: those that are as far
        # apart or nearer take one, and those that are further apart several.
        half = lines // 2 * self.together
        steps = lines.bit_length() - 1
        turns = sum(max(1, (half >> step) // self.threads) for step in range(steps))
        far = half > self.threads
        if far:
            distance = b.declare("distance", low.integer(half))
            pair = b.declare("pair", self.thread)
        with device.count("s", low.integer(0), low.integer(turns), unroll=1) as step:
            apart = device.arithmetic(">>", low.integer(half), step)
            own = self.thread
            if far:
                apart, own = b.snapshot(distance), b.snapshot(pair)
            device.emit(Barrier())
            with b.when(low.below(own, apart)):
                other = low.plus(own, apart)
                for k in states:
                    state = State(low, k, self._tile(k, own), k in self.parts.deviations)
                    state.merge(self._tile(k, other))
                    self._put_tile(k, state.values, own)
            if far:
                next_pair = device.arithmetic("+", own, low.integer(self.threads))
                b.assign(pair, next_pair)
                with b.when(b.call("less_equal", apart, next_pair)):
                    b.assign(pair, self.thread)
                    b.assign(distance, device.arithmetic("/", apart, low.integer(2)))
        device.emit(Barrier())

    def _tile(self, k: int, place: Operand) -> list[Operand]:
        """Write the loads of a state that a thread has put to shared memory."""
        low = self.low
        tiles = [self.tiles[k, n] for n in range(len(self.parts.components[k]))]
        return [low.builder.load(tile, low.at(place)) for tile in tiles]

    def _put_tile(self, k: int, values: Iterable[Operand], place: Operand) -> None:
        """Write the stores of a state to shared memory."""
        for n, value in enumerate(values):
            self.low.builder.store(self.tiles[k, n], self.low.at(place), value)

    def _totals(self, k: int) -> list[Operand]:
        """Write the loads of the combined state of a thread's own column."""
        return self._tile(k, self.thread)

    def _combine(self, origin: Operand, n_chunks: Value, results: Value) -> None:
        """Write the combining of all chunks of a panel by its last block, a column a thread."""
        low, b, device = self.low, self.low.builder, self.low.device
        parts = self.parts
        lines = self.threads // self.together
        column = device.arithmetic("%", self.thread, low.integer(self.together))
        line = device.arithmetic("/", self.thread, low.integer(self.together))
        end = device.arithmetic("-", self.size, low.integer(1))
        base = low.plus(origin, low.least(low.plus(self.first, column), end))

        def each_chunk(take: Callable[..., None]) -> None:
            def take_at(chunk: Operand) -> None:
                take(chunk, low.plus(device.arithmetic("*", chunk, results), base))

            parts.each_of((line, lines), (n_chunks, self.chunks), take_at)

        def meet(states: dict[int, list[State]], number: Operand | None) -> None:
            self._across_lines(states, 1, lines)
            for k in parts.deviations if number is not None else ():
                total = b.load(self.tiles[k, 1], low.at(column))
                b.assign(states[k][0].values[1], total)

        parts.combine([base], self.rows.size, each_chunk, self._elements, meet)

    def _finish(self) -> None:
        """Write what follows from the results."""
        low, b = self.low, self.low.builder
        columns = Frame((self.columns,))
        with b.when(self.writer), low.inside(columns, (self.own,)):
            for k in self.parts.reductions:
                state = self._totals(k)
                if k in self.parts.deviations:
                    final = self.parts.about_mean(state, self.rows.size)
                else:
                    final = reducer_of(low.terms[k]).finish(b, state)
                low.put(k, result_of(low, low.terms[k], final))
            known = [k for k in range(len(low.terms)) if low.get(k) is not None]
            low.write(
                k
                for k in low.needed([low.stores[p][0] for p in self.rest], known)
                if low.get(k) is None
            )
            for p in self.rest:
                low.store(*low.stores[p])
