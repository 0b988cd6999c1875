"""Lowering of reductions down columns for GPUs: neighbouring threads take neighbouring columns.

A block takes a panel of columns and a chunk of rows; its lines of threads take rows in turn and
are combined through shared memory. The last block of a panel combines the chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import gcd, prod

import numpy as np

from lazyarr.codegen.chunked_reduction import chunk_terms, full_stores, reductions_of
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import (
    ChunkLoop,
    State,
    deviation_of,
    result_of,
    write_iterations,
)
from lazyarr.codegen.cuda.context import DeviceLowering, Neighbours
from lazyarr.codegen.cuda.index_context import power_of_two
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.line_states import LineStates
from lazyarr.codegen.cuda.occupancy import blocks_of_columns
from lazyarr.codegen.cuda.partial_states import (
    Parts,
    Take,
    chunks_at_once,
    first_part,
    inverse_of_part,
    iterations_of_pass,
)
from lazyarr.codegen.cuda.short_columns import ShortColumns, are_short
from lazyarr.codegen.cuda.summation import granule_of
from lazyarr.codegen.device_tilings import ColumnTiling
from lazyarr.codegen.group_terms import GroupTerms, PlannedGroup
from lazyarr.codegen.loop_nest import Access, Frame
from lazyarr.codegen.reducers import reducer_of
from lazyarr.core.frozen import replace
from lazyarr.core.narrow_columns import are_of_one_thread
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Operand, Value
from lazyarr.loop_ir.threads import LastBlock
from lazyarr.schedule.fusion import Group

__all__ = ["choose_columns", "lower_columns"]

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


def _result_axes(group: GroupTerms) -> tuple[list[int], list[int]]:
    """Return the axes of results in front of the last reduced axis, and those behind it."""
    axes = group.result_axes
    last_reduced = max(a for a in group.reduced if group.domain[a] != 1)
    return [a for a in axes if a < last_reduced], [a for a in axes if a > last_reduced]


def _frames(low: DeviceLowering, group: Group) -> tuple[Frame, Frame, Frame]:
    """Return the loops over matrices, the rows of one and its columns.

    Columns are what lies side by side in memory: of transposed arrays those may be axes in front.
    """
    front, behind = _result_axes(low.analysis)
    if _are_turned(low, front, behind):
        front, behind = behind, front
    return low.frame(front), low.frame(list(group.reduced)), low.frame(behind)


def _are_closer(low: DeviceLowering, axes: Sequence[int], others: Sequence[int]) -> bool:
    """Whether of the largest operands neighbours along some axes share sectors more than others.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    axes, others : sequence of int
        Axes of the domain: the last of each with more than one element counts.
    """
    last = [[axis for axis in some if low.domain[axis] != 1][-1:] for some in (axes, others)]
    if not all(last):
        return False
    sizes = {}
    for k, access in low.accesses.items():
        if low.terms[k].loaded:
            along = [n for n, s in zip(low.domain, access.strides, strict=True) if s]
            sizes[k] = prod(along) * low.terms[k].dtype.itemsize
    largest = [k for k, size in sizes.items() if 2 * size > max(sizes.values())]
    sector = tuning.row().sector_bytes

    def step(k: int, axis: int) -> int:
        stride = abs(low.accesses[k].strides[axis]) * low.terms[k].dtype.itemsize
        return min(stride or sector, sector)

    (axis,), (other,) = last
    return bool(largest) and all(step(k, axis) < step(k, other) for k in largest)


def _are_turned(low: DeviceLowering, front: Sequence[int], behind: Sequence[int]) -> bool:
    """Whether the axes in front are taken as columns.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    front, behind : sequence of int
        The axes of results in front of the rows, and those behind.
    """
    return not _share_much(low, front, behind) and _are_closer(low, front, behind)


def _share_much(low: DeviceLowering, front: Sequence[int], behind: Sequence[int]) -> bool:
    """Whether few columns share so much of each row that a thread takes all of them.

    Parameters
    ----------
    low, front, behind
        As for :func:`_are_turned`.
    """
    row, reduced = tuning.row(), low.group.reduced
    if not are_of_one_thread(low.domain, reduced, row.thread_columns):
        return False
    stores, _ = full_stores(low, list(reduced))
    operands = low.needed(chunk_terms(low, stores, reductions_of(low)))
    nodes = [low.terms[k].node for k in operands]
    plain = all(low.terms[k].base is None for k in operands) and not any(
        node.op.kind is Kind.GENERATE or node.op.allows_fma for node in nodes
    )
    if stores or not plain or any(deviation_of(low, k) for k in reductions_of(low)):
        return False
    full = [k for k in operands if low.spans(k, reduced) and low.spans(k, front)]
    shared = [k for k in operands if low.spans(k, reduced) and not low.spans(k, behind)]
    arithmetic = sum(low.terms[k].node.op.cost for k in shared if k not in low.accesses)
    # Of weights in memory most bytes are read once so, if no other array is as large.
    loads = {k for k in full if k in low.accesses}
    return arithmetic >= row.costly or (bool(loads) and loads <= set(shared))


def choose_columns(
    sizes: tuple[int, int, int],
    width: int,
    granule: int | None,
    state_bytes: int,
    turned: bool = False,
) -> ColumnTiling:
    """Return the tiling of a reduction down columns.

    What orders additions, the lines of threads and the rows that each takes, follows from sizes and
    granule alone.

    Parameters
    ----------
    sizes : (int, int, int)
        How many matrices there are, and the rows and columns of one.
    width : int
        Columns that are loaded at once, at most.
    granule : int or None
        Columns that would be, if the values lay in memory; None where no order of additions shows.
    state_bytes : int
        Bytes of the states of one column's reductions.
    turned : bool, optional
        Whether the first columns of all matrices lie side by side, and are taken as columns.

    Examples
    --------
    >>> print(choose_columns((1, 4096, 256), 4, 4, 8))
    panels of 128 columns, 128 chunks of 32 rows, 8 lines of 32 threads
    """
    row = tuning.row()
    threads = row.column_threads
    while width > 1 and state_bytes * threads * width > row.column_shared_bytes:
        width //= 2
    granule = granule or width
    matrices, rows, columns = sizes
    pieces = -(-columns // granule)
    across = _panel(pieces, WARP)
    panels = max(1, -(-pieces // across))
    lines = power_of_two(threads // across + 1) // 2
    blocks = matrices * panels
    if blocks >= row.multiprocessors:
        # Of short columns, fewer threads with more rows each: the rest of a block is combining.
        # Blocks of wide matrices keep most of their threads, with more columns side by side.
        fewer = power_of_two(rows // row.column_rows_each + 1) // 2
        wide = power_of_two(threads // (2 * pieces) + 1) if pieces >= WARP else 1
        fewer = max(fewer, granule, wide)
        if fewer < lines:
            lines = fewer
            across = _panel(pieces, threads // lines)
    iterations = next(
        (t for t in row.column_iterations if blocks * -(-rows // (t * lines)) <= row.column_blocks),
        row.column_iterations[-1],
    )
    is_narrow = across * lines * granule < threads  # elements that a block loads at once
    most = row.column_chunks_narrow if is_narrow else row.column_chunks
    iterations = max(iterations, -(-rows // (lines * most)))
    chunks = max(1, -(-rows // (iterations * lines)))
    if turned:
        across = _panel(-(-matrices // granule), threads // lines)
    shares = state_bytes * across * lines * width > row.column_shared_bytes
    first = first_part(iterations)
    return ColumnTiling(across, lines, width, iterations, chunks, lines // granule, first, shares)


def _panel(pieces: int, most: int) -> int:
    """Return the pieces of a panel, at most so many, of panels that are alike."""
    return max(1, -(-pieces // max(1, -(-pieces // most))))


def _choose(
    low: DeviceLowering,
    frames: tuple[Frame, Frame, Frame],
    operands: Sequence[int],
    stores: Sequence[int],
) -> ColumnTiling:
    """Return the tiling of a group, with the choices that depend on the code of an element."""
    front, rows, columns = frames
    in_front, behind = _result_axes(low.analysis)
    turned = _are_turned(low, in_front, behind)
    granule = granule_of(low, behind)
    free = low.code.width(columns.axes[-1], operands, stores)
    width = free if granule is None else min(granule, free)
    parts = Parts(low, 1, 1)
    state_bytes = sum(c.dtype.itemsize for state in parts.components.values() for c in state)
    matrices, across = (columns, front) if turned else (front, columns)
    sizes = matrices.size, rows.size, across.size
    if _share_much(low, in_front, behind):
        return _whole_rows(low, sizes, granule, state_bytes, operands)
    tiling = choose_columns(sizes, width, granule, state_bytes, turned)
    # Where a vector is narrower than memory could give, more of them are under way.
    row = tuning.row()
    loaded = [low.terms[k].dtype.itemsize for k in operands if k in low.accesses]
    full = min(row.vector_elements, row.vector_bytes // max(loaded)) if loaded else free
    most = row.column_unroll * max(1, full // width)
    unroll = low.code.overlapping(operands, most, tiling.width)
    by_lines = not turned and _are_closer(low, low.group.reduced, behind)
    return replace(tiling, unroll=unroll, combined=chunks_at_once(parts), by_lines=by_lines)


def _whole_rows(
    low: DeviceLowering,
    sizes: tuple[int, int, int],
    granule: int | None,
    state_bytes: int,
    operands: Sequence[int],
) -> ColumnTiling:
    """Return the tiling in which a thread takes all columns, with the same lines and chunks.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    sizes, granule, state_bytes
        As for :func:`choose_columns`.
    operands : sequence of int
        The terms of an element.
    """
    row, columns = tuning.row(), sizes[2]
    tiling = choose_columns(sizes, 1, granule, state_bytes)
    shares = state_bytes * tiling.lines * columns > row.column_shared_bytes
    unroll = low.code.overlapping(operands, row.column_unroll, columns)
    return replace(tiling, across=1, width=columns, shares=shares, unroll=unroll, is_apart=True)


def _anchors(low: DeviceLowering, most: int) -> dict[int, Access]:
    """Return accesses at a common address, in the place of those near to them.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    most : int
        Elements between two of one memory at most.
    """
    first: dict[object, int] = {}
    for place in low.accesses.values():
        first[place.owner] = min(place.offset, first.get(place.owner, place.offset))
    return {
        k: replace(place, offset=first[place.owner])
        for k, place in low.accesses.items()
        if 0 < place.offset - first[place.owner] <= most
    }


class _Columns:
    """The code of a reduction down columns."""

    def __init__(
        self, low: DeviceLowering, group: Group, frames: tuple[Frame, Frame, Frame]
    ) -> None:
        self.low = low
        self.front, self.rows, self.columns = frames
        self.stores, self.rest = full_stores(low, list(group.reduced))
        self.operands = low.needed(chunk_terms(low, self.stores, reductions_of(low)))
        self.tiling = _choose(low, frames, self.operands, self.stores)
        if self.tiling.is_apart:
            # Compilers see which elements a thread loads several times.
            low.literal_strides = self.tiling.width
            low.anchors = _anchors(low, self.tiling.width)
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
        counters = low.decode(self.place, columns)
        apart = self.tiling.is_apart
        self.neighbours = Neighbours(columns, counters, self.width, is_apart=apart)
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
