"""Reductions down short columns for GPUs: a thread reduces neighbouring columns by itself.

It adds from the first row to the last, whatever is loaded at once. Columns of all matrices are
counted as one, so that few columns of many matrices keep a device as busy as many of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lazyarr.codegen.chunked_reduction import chunk_terms, full_stores, reductions_of
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import State, result_of
from lazyarr.codegen.cuda.context import DeviceLowering, LateTerms, Neighbours
from lazyarr.codegen.cuda.index_context import power_of_two
from lazyarr.codegen.cuda.partial_states import Parts, Take, inverse
from lazyarr.codegen.cuda.quotients import divided
from lazyarr.codegen.device_tilings import ColumnTiling
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.reducers import reducer_of
from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["ShortColumns", "are_short", "choose_short_columns"]


def are_short(rows: int, results: int) -> bool:
    """Whether threads reduce columns by themselves.

    Parameters
    ----------
    rows : int
        Elements of a column.
    results : int
        Columns of all matrices.
    """
    row = tuning.row()
    most = row.column_rows_of_many if results >= row.column_many else row.column_rows_of_few
    return 1 <= rows <= most


def choose_short_columns(
    low: DeviceLowering, frames: tuple[Frame, Frame, Frame], parts: Parts, operands: Sequence[int]
) -> ColumnTiling:
    """Return the tiling of a reduction whose threads each reduce neighbouring columns.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frames : (Frame, Frame, Frame)
        The loops over matrices, the rows of one and its columns.
    parts : Parts
        The reductions.
    operands : sequence of int
        The terms of an element.
    """
    row = tuning.row()
    stores, rest = full_stores(low, list(low.group.reduced))
    after = low.needed([low.stores[p][0] for p in rest], reductions_of(low))
    width = low.code.width(frames[2].axes[-1], sorted({*operands, *after}), [*stores, *rest])
    states = parts.components.values()
    nbytes = sum(component.dtype.itemsize for state in states for component in state)
    while width > 1 and width * nbytes > row.column_state_bytes:
        width //= 2
    count = frames[1].size
    written = min(power_of_two(count), row.column_rows_of_few)
    unroll = low.code.overlapping(operands, written, width)
    return ColumnTiling(row.column_threads, 1, width, count, 1, 1, unroll=unroll)


class ShortColumns:
    """The code of a reduction down short columns.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    frames : (Frame, Frame, Frame)
        The loops over matrices, the rows of one and its columns.
    """

    def __init__(self, low: DeviceLowering, frames: tuple[Frame, Frame, Frame]) -> None:
        self.low = low
        self.front, self.rows, self.columns = frames
        self.stores, self.rest = full_stores(low, list(low.group.reduced))
        self.operands = low.needed(chunk_terms(low, self.stores, reductions_of(low)))
        self.parts = Parts(low, 1, 1)
        self.tiling = choose_short_columns(low, frames, self.parts, self.operands)
        self.width, self.threads = self.tiling.width, self.tiling.across

    def write(self) -> int:
        """Write the kernel and return its number of blocks."""
        low, device, width = self.low, self.low.device, self.width
        block, thread = device.builtin("block"), device.builtin("thread")
        per_line = self.columns.size // width
        count = self.front.size * per_line
        place = low.plus(low.times(block, self.threads), thread)
        with low.builder.when(low.below(place, low.number("vectors", count, "n"))):
            line: Operand = low.integer(0)
            vector: Operand = place
            if self.front.axes:
                size = low.number("vectors of a line", per_line, "n")
                line, vector = divided(low, place, per_line, size)
            counters = low.decode(low.times(vector, width), self.columns)
            self.neighbours = Neighbours(self.columns, counters, width)
            with low.inside(self.front, low.decode(line, self.front)):
                self._write_column()
        return -(-count // self.threads)

    def _write_column(self) -> None:
        """Write the reductions of a thread's columns, and their epilogue."""
        low, b, parts, width = self.low, self.low.builder, self.parts, self.width
        states = {k: [parts.state(k) for _ in range(width)] for k in parts.reductions}
        centres = parts.pivots(width, self._first_row)

        def work(number: Operand | None) -> None:
            about = {k: [b.snapshot(centre) for centre in centres[k]] for k in centres}
            self._write_pass(states, about)

        parts.write_pass(states, centres, partial(inverse, low, self.rows.size), work)

        def put_results(lane: int) -> None:
            for k, several in states.items():
                state = [b.snapshot(value) for value in several[lane].values]
                if k in parts.deviations:
                    final = parts.about_mean(state, self.rows.size)
                else:
                    final = reducer_of(low.terms[k]).finish(b, state)
                low.put(k, result_of(low, low.terms[k], final))

        known = [k for k in range(len(low.terms)) if low.get(k) is not None]
        sinks = [low.stores[p][0] for p in self.rest]
        chosen = low.needed(sinks, [*known, *parts.reductions])
        late = LateTerms(put_results, parts.reductions)
        low.write_neighbours(self.neighbours, chosen, self.rest, late=late)

    def _first_row(self, operands: Sequence[int], take: Take) -> None:
        """Write terms of the first row."""
        low = self.low
        with low.inside(self.rows, low.decode(low.integer(0), self.rows)):
            low.write_neighbours(self.neighbours, operands, [], take)

    def _write_pass(self, states: dict[int, list[State]], centres: dict[int, list[Value]]) -> None:
        """Write one pass over the rows."""
        low = self.low

        def work(row: Operand) -> None:
            def take(lane: int, counter: Operand) -> None:
                for k, lanes in states.items():
                    value = low.value(low.terms[k].args[0])
                    if k in centres:
                        lanes[lane].step_from(centres[k][lane], value)
                    else:
                        lanes[lane].step(value, row)

            with low.inside(self.rows, low.decode(row, self.rows)):
                low.write_neighbours(self.neighbours, self.operands, self.stores, take)

        count, unroll = self.rows.size, self.tiling.unroll
        zero, end = low.integer(0), low.integer(count)
        with low.device.count("r", zero, end, unroll=0 if unroll >= count else unroll) as row:
            work(row)
