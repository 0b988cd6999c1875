"""Lowering of reductions down columns for GPUs: neighbouring threads take neighbouring columns.

A block takes a panel of columns and a chunk of rows; its lines of threads take rows in turn and
are combined through shared memory. The last block of a panel combines the chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import gcd

import numpy as np

from lazyarr.codegen.chunked_reduction import chunk_terms, full_stores, reductions_of
from lazyarr.codegen.cuda.block_reduction import (
    ChunkLoop,
    State,
    result_of,
    write_iterations,
)
from lazyarr.codegen.cuda.column_choice import (
    anchors_of,
    are_turned,
    choose_column_tiling,
    result_axes,
)
from lazyarr.codegen.cuda.context import DeviceLowering, Neighbours
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.line_states import LineStates
from lazyarr.codegen.cuda.occupancy import blocks_of_columns
from lazyarr.codegen.cuda.partial_states import (
    Parts,
    Take,
    inverse_of_part,
    iterations_of_pass,
)
from lazyarr.codegen.cuda.short_columns import ShortColumns, are_short
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.reducers import reducer_of
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import Operand, Value
from lazyarr.loop_ir.threads import LastBlock
from lazyarr.schedule.fusion import Group

__all__ = ["lower_columns"]

FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)


def lower_columns(
    planned: PlannedGroup,
    vectors: bool = True,
) -> tuple[DeviceLaunch, int]:
    """Return the kernel of a group that reduces columns, and its scratch memory in bytes.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    vectors : bool, optional
        Whether neighbouring elements may be loaded at once.
    """
    low, group = DeviceLowering(planned, vectors), planned.group
    frames = _frames(low, group)
    front, rows, behind = (frame.size for frame in frames)
    short = are_short(rows, front * behind)
    columns = ShortColumns(low, frames) if short else _Columns(low, group, frames)
    otherwise = None
    if columns.width > 1 and not columns.tiling.is_apart:
        otherwise, _ = lower_columns(planned, False)
    blocks = columns.write()
    alone = short or columns.tiling.is_apart
    min_blocks = 1 if alone else blocks_of_columns(low, columns.parts, columns.operands)
    launch = low.device_launch(blocks, columns.threads, otherwise, min_blocks)
    return replace(launch, tiling=columns.tiling), columns.parts.nbytes


def _frames(low: DeviceLowering, group: Group) -> tuple[Frame, Frame, Frame]:
    """Return the loops over matrices, the rows of one and its columns.

    Columns are what lies side by side in memory: of transposed arrays those may be axes in front.
    """
    front, behind = result_axes(low.analysis)
    if are_turned(low, front, behind):
        front, behind = behind, front
    return low.frame(front), low.frame(list(group.reduced)), low.frame(behind)


class _Columns:
    """The code of a reduction down columns."""

    def __init__(
        self, low: DeviceLowering, group: Group, frames: tuple[Frame, Frame, Frame]
    ) -> None:
        self.low = low
        self.front, self.rows, self.columns = frames
        self.stores, self.rest = full_stores(low, list(group.reduced))
        self.operands = low.needed(chunk_terms(low, self.stores, reductions_of(low)))
        self.tiling = choose_column_tiling(low, frames, self.operands, self.stores)
        if self.tiling.is_apart:
            # Compilers see which elements a thread loads several times.
            low.literal_strides = self.tiling.width
            low.anchors = anchors_of(low, self.tiling.width)
        self.threads = self.tiling.across * self.tiling.lines
        self.width = self.tiling.width
        self.across, self.high = self.tiling.across, self.tiling.lines
        self.iterations, self.chunks = self.tiling.iterations, self.tiling.chunks
        self.panels = -(-self.columns.size // (self.width * self.across))
        self.part = self.tiling.first
        self.per_chunk = self.iterations * self.high
        self.parts = Parts(low, self.chunks, self.front.size * self.columns.size)

    def write(self) -> int:
        """Write the kernel and return its number of blocks."""
        low, b, device = self.low, self.low.builder, self.low.device
        parts = self.parts
        block, thread = device.builtin("block"), device.builtin("thread")
        n_chunks = low.number("chunks", self.chunks, "n")
        self.size = low.number("columns", self.columns.size, "n")
        self.height = low.number("rows", self.rows.size, "n")
        self.iteration_count = low.number("iterations", self.iterations, "n")
        self.column: Operand = low.integer(0)
        self.line = thread
        if self.tiling.is_apart:
            pass  # a line of threads is one thread
        elif self.tiling.by_lines:
            # Rows lie side by side: neighbouring threads take them, numbered as if they did not.
            self.line = device.arithmetic("%", thread, low.integer(self.high))
            self.column = device.arithmetic("/", thread, low.integer(self.high))
            first = device.arithmetic("*", self.line, low.integer(self.across))
            thread = device.arithmetic("+", first, self.column)
        else:
            self.column = device.arithmetic("%", thread, low.integer(self.across))
            self.line = device.arithmetic("/", thread, low.integer(self.across))
        self.thread = thread
        chunk = device.arithmetic("%", block, n_chunks)
        whole_panel = device.arithmetic("/", block, n_chunks)
        panel, front, origin = low.panel(whole_panel, self.panels, self.size, self.front)
        wide = low.plus(low.times(panel, self.across), self.column)
        place = self.column if self.tiling.is_apart else low.times(wide, self.width)
        # Threads beyond the last column work on the last ones again; they store nothing.
        inside = low.below(place, self.size)
        end = device.arithmetic("-", self.size, low.integer(self.width))
        self.place = place if self.tiling.is_apart else low.least(place, end)
        self.top = device.arithmetic("*", chunk, low.times(self.iteration_count, self.high))
        self.together = self.across * self.width
        self.lines = LineStates(low, parts, thread, self.tiling)
        columns = self.columns
        at_place, apart = low.decode(self.place, columns), self.tiling.is_apart
        self.neighbours = Neighbours(columns, at_place, self.width, is_apart=apart)
        self.inside = inside
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
            inverse = partial(inverse_of_part, low, sizes, chunk, n_chunks)

            def work(number: Operand | None) -> None:
                about = {k: [b.snapshot(centre) for centre in centres[k]] for k in centres}
                self._write_pass(states, about, number)

            parts.write_pass(states, centres, inverse, work)
            if self.chunks == 1:
                self._finish()
                return self.front.size * self.panels
            results = low.number("results", self.front.size * self.columns.size, "n")
            slot = low.plus(device.arithmetic("*", chunk, results), origin)
            with b.when(self.writer):
                for k in parts.reductions:
                    parts.store(k, self.lines.total(k, self.thread), slot, self.own)
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

    def _first_row(self, operands: Sequence[int], take: Take) -> None:
        """Write terms of the chunk's first row."""
        low = self.low
        with low.inside(self.rows, low.decode(self.top, self.rows)):
            low.write_neighbours(self.neighbours, operands, [], take)

    def _elements(self, chunk: Operand) -> Operand:
        """Write the number of rows of a chunk, as float64."""
        low, device = self.low, self.low.device
        whole = low.times(self.iteration_count, self.high)
        left = device.arithmetic("-", self.height, device.arithmetic("*", chunk, whole))
        return low.builder.call("convert", low.least(left, whole), dtype=FLOAT64)

    def _write_pass(
        self,
        states: dict[int, list[State]],
        centres: dict[int, list[Value]],
        number: Operand | None,
    ) -> None:
        """Write one pass over a chunk; the tiles have the merged states of its lines of threads."""
        low, b, device = self.low, self.low.builder, self.low.device
        count = iterations_of_pass(low, number, self.part, self.iteration_count)

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
                low.write_neighbours(
                    self.neighbours, self.operands, self.stores, take, guard=self.inside
                )

        left = device.arithmetic("-", self.height, self.top)
        full = low.least(count, device.arithmetic("/", left, low.integer(self.high)))

        def row(iteration: Operand) -> Operand:
            return low.plus(low.plus(self.top, low.times(iteration, self.high)), self.line)

        loop = ChunkLoop(
            count,
            full,
            divisor=gcd(self.part, self.iterations),
            unroll=self.tiling.unroll,
            is_exact=self.rows.size % self.per_chunk == 0,
        )
        write_iterations(
            low, loop, lambda k: low.below(row(k), self.height), lambda k: work(row(k))
        )
        self.lines.combine(states, self.width, self.high)
        if number is None:
            return
        column = low.times(self.column, self.width)
        for k in centres:
            for lane, state in enumerate(states[k]):
                place = low.plus(column, low.integer(lane))
                b.assign(state.values[1], self.lines.total(k, place)[1])

    def _combine(self, origin: Operand, n_chunks: Value, results: Value) -> None:
        """Write the combining of a panel's chunks by its last block, a column a thread or all."""
        low, b, device = self.low, self.low.builder, self.low.device
        parts = self.parts
        lines = self.tiling.combining
        width = self.width if self.tiling.is_apart else 1
        line, column, base = self.line, self.column, origin
        if not self.tiling.is_apart:
            column = device.arithmetic("%", self.thread, low.integer(self.together))
            line = device.arithmetic("/", self.thread, low.integer(self.together))
            end = device.arithmetic("-", self.size, low.integer(1))
            base = low.plus(origin, low.least(low.plus(self.first, column), end))

        def each_chunk(take: Callable[..., None]) -> None:
            def take_at(chunk: Operand) -> None:
                take(chunk, low.plus(device.arithmetic("*", chunk, results), base))

            parts.each_of((line, lines), (n_chunks, self.chunks), self.tiling.combined, take_at)

        def meet(states: dict[int, list[State]], number: Operand | None) -> None:
            self.lines.combine(states, width, lines)
            for k in parts.deviations if number is not None else ():
                b.assign(states[k][0].values[1], self.lines.total(k, column)[1])

        parts.combine([base], self.rows.size, each_chunk, self._elements, meet, width)

    def _finish(self) -> None:
        """Write the epilogue."""
        low, b = self.low, self.low.builder
        counters = low.decode(self.own, self.columns)
        with b.when(self.writer), low.inside(self.columns, counters):
            for k in self.parts.reductions:
                state = self.lines.total(k, self.thread)
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
