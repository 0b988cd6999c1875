"""Lowering of whole rows for GPUs: many rows to a warp, a warp a row, or a block a row.

A row is loaded once. What later sweeps need of it stays in the registers of the threads, which
take vectors in turn, or in shared memory where the code of all turns would be long: registers have
no numbers that a loop could count. Rows too long for that are read again, from the L2 cache. The
rows of contiguous operands that are shorter than a few vectors are loaded as one flat piece of
memory, and each thread then reduces one row in shared memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import (
    State,
    across_block,
    across_lanes,
    deviation_of,
)
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.index_context import power_of_two
from lazyarr.codegen.cuda.l2_prefetch import RowsAhead, find_rows_ahead
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.row_cache import Kept, Shape
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.row_passes import find_sweeps
from lazyarr.codegen.scalar import register_dtype
from lazyarr.codegen.tiling import RowTiling
from lazyarr.core.frozen import replace
from lazyarr.graph.node import Kind, Node
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Operand, Value
from lazyarr.loop_ir.threads import Barrier
from lazyarr.schedule.fusion import Group
from lazyarr.schedule.memory import Plan

__all__ = ["choose_rows", "lower_rows"]

FLOAT64 = np.dtype(np.float64)


def lower_rows(
    group: Group,
    plan: Plan,
    layouts: dict[Node, Any],
    comments: Sequence[str],
    vectors: bool = True,
    sharing: bool = True,
) -> DeviceLaunch:
    """Return the row kernel of a group; `sharing`: rows may lie in shared memory."""
    rows = _Rows(group, plan, layouts, vectors, sharing)
    otherwise, smaller = None, None
    if rows.uses_vectors():
        otherwise = lower_rows(group, plan, layouts, comments, False, sharing)
    if rows.kept.shared_bytes:
        smaller = partial(lower_rows, group, plan, layouts, comments, vectors, False)
    return replace(rows.lower(comments, otherwise, smaller), tiling=rows.tiling)


def choose_rows(length: int, width: int, itemsize: int) -> RowTiling:
    """Return how many threads work on a row, and how many vectors each takes.

    Parameters
    ----------
    length : int
        Elements of a row.
    width : int
        Elements that are loaded at once.
    itemsize : int
        Bytes of the widest value that is computed of an element.

    Examples
    --------
    >>> print(choose_rows(4096, 4, 4))
    1 row a block, 256 threads a row, 4 vectors of 4 a thread, read once
    """
    vectors = -(-length // width)
    each = max(1, tuning.row().row_elements // width)
    most = max(1, tuning.row().row_bytes // (itemsize * width))
    lanes = power_of_two(-(-vectors // 2))
    if lanes > WARP or vectors > WARP * 2:
        lanes = min(tuning.row().row_threads_most, max(WARP, power_of_two(-(-vectors // each))))
    threads = max(tuning.row().row_threads, lanes) if lanes <= WARP else lanes
    # Of an empty row too: what is kept of it is an array, and none has a size of zero.
    turns = max(1, -(-vectors // lanes))
    return RowTiling(lanes, threads, turns, width, streaming=turns > most)


class _Rows:
    """Which sweeps a group's rows need, and their code."""

    def __init__(
        self, group: Group, plan: Plan, layouts: dict[Node, Any], vectors: bool, sharing: bool
    ) -> None:
        self.low = DeviceLowering(group, plan, layouts, vectors)
        self.group = group
        reduced = set(group.reduced)
        self.kept_axes = [axis for axis in range(len(group.domain)) if axis not in reduced]
        self.outer = self.low.frame(self.kept_axes)
        self.inner = self.low.frame(group.reduced)
        if not self.inner.axes:
            self.inner = Frame((LoopAxis(1, ()),))
        self.length = self.inner.size
        self._find_sweeps()
        full = [k for k in range(len(self.low.terms)) if self.full[k]]
        stores = [p for found in self.full_stores.values() for p in found]
        self.flat = self._flat_frame(full)
        if self.flat is not None:
            self.width = self.low.width(self.flat.axes[-1], full, stores)
        else:
            self.width = self.low.width(self.inner.axes[-1], full, stores)
        self._choose_threads()
        sinks = [self._sinks(sweep) for sweep in range(self.sweeps)]
        shape = Shape(self.turns, self.lanes, self.width, self.threads // self.lanes)
        self.kept = Kept(self.low, self.full, [] if self.streaming else sinks, shape, sharing)
        self._choose_ahead()
        cache = "none"
        if self.kept.terms:
            cache = "registers" if self.kept.in_registers else "shared memory"
        self.tiling: RowTiling = replace(self.tiling, cache=cache, prefetch=self.ahead is not None)

    def uses_vectors(self) -> bool:
        """Whether addresses have to be aligned."""
        return self.width > 1

    def _find_sweeps(self) -> None:
        """Assign reductions and stores to sweeps over the row."""
        low = self.low
        found = find_sweeps(low.analysis)
        self.full, self.sweeps = found.full, found.count
        self.reductions = found.reductions
        self.full_stores, self.row_stores = found.full_stores, found.row_stores

    def _flat_frame(self, full: Sequence[int]) -> Frame | None:
        """Return the loop over all rows as one if short rows lie one after another."""
        low = self.low
        if self.sweeps != 1 or self.full_stores or not 1 < self.length <= tuning.row().short_row:
            return None
        if self.outer.size < 64 or len(self.inner.axes) != 1:
            return None
        if any(low.terms[k].node.op.kind is Kind.GENERATE for k in full):
            return None
        if any(not self.full[a] for k in full for a in low.terms[k].args if low.terms[a].args):
            return None
        order = [*self.kept_axes, *self.group.reduced]
        if order != sorted(order):
            return None
        size = sum(self._state_dtype(k).itemsize for k in self.reductions[0])
        if (
            tuning.row().short_row_threads * (self.length + 1) * size
            > tuning.row().row_shared_bytes
        ):
            return None
        used = low.needed(low.terms[k].args[0] for k in self.reductions[0])
        if any(not self.full[k] and low.accesses.get(k) for k in used):
            return None
        frame = low.frame(order, [k for k in full if k in low.accesses])
        if len(frame.axes) != 1:
            return None
        return frame

    def _state_dtype(self, k: int) -> np.dtype[Any]:
        return register_dtype(self.low.terms[k].source_dtype)

    def _choose_threads(self) -> None:
        """Take the tiling of rows of this length."""
        sizes = [register_dtype(t.dtype).itemsize for t in self.low.terms]
        self.itemsize = max(sizes, default=8)
        self.tiling = choose_rows(self.length, self.width, self.itemsize)
        self.lanes, self.threads = self.tiling.lanes, self.tiling.threads
        self.turns, self.streaming = self.tiling.turns, self.tiling.streaming
        self.exact = self.turns * self.lanes * self.width == self.length

    def _choose_ahead(self) -> None:
        """Find the operands of which a block fetches a row that a later block will load."""
        low = self.low
        self.ahead: RowsAhead | None = None
        if self.sweeps > 1 and self.lanes > WARP and self.width > 1 and not self.streaming:
            terms = sorted(low.needed(self._sinks(0)))
            self.ahead = find_rows_ahead(low, self.outer, self.inner, terms)
            low.passing = self.ahead is not None

    def _sinks(self, sweep: int) -> list[int]:
        """Return the terms whose values a sweep consumes."""
        low = self.low
        wanted = [low.terms[k].args[0] for k in self.reductions.get(sweep, [])]
        return wanted + [low.stores[p][0] for p in self.full_stores.get(sweep, [])]

    # -- code --------------------------------------------------------------------------------

    def lower(
        self,
        comments: Sequence[str],
        otherwise: DeviceLaunch | None,
        smaller: Callable[[], DeviceLaunch] | None,
    ) -> DeviceLaunch:
        """Return the kernel."""
        low, device = self.low, self.low.device
        rows = self.outer.size
        block, self.thread = device.builtin("block"), device.builtin("thread")
        if self.flat is not None:
            blocks = self._lower_flat(self.flat, block)
            return low.device_launch(blocks, tuning.row().short_row_threads, comments, otherwise)
        together = self.threads // self.lanes
        row: Operand = block
        self.lane: Operand = self.thread
        self.inside_rows: Value | None = None
        line: Operand = low.integer(0)
        if together > 1:
            lanes = low.integer(self.lanes)
            total = low.number("rows", rows, "n")
            row = low.times(block, together)
            line = device.arithmetic("/", self.thread, lanes)
            row = low.plus(row, line)
            self.lane = device.arithmetic("%", self.thread, lanes)
            # All lanes take part in the shuffles: those without a row redo the last one.
            if rows % together:
                self.inside_rows = low.below(row, total)
                row = low.least(row, device.arithmetic("-", total, low.integer(1)))
        self.row = row
        with low.inside(self.outer, low.decode(row, self.outer)):
            self.kept.declare(line)
            for sweep in range(self.sweeps):
                self._sweep(sweep)
            if self.row_stores:
                self._store_rows()
        blocks = -(-rows // together)
        resident = 1
        if self.lanes > WARP and self.itemsize == 8:
            resident = max(1, tuning.row().row_resident // self.threads)
        return low.device_launch(
            blocks, self.threads, comments, otherwise, resident, self.kept.shared_bytes, smaller
        )

    def _store_rows(self) -> None:
        low, b = self.low, self.low.builder
        stores = [low.stores[p] for p in self.row_stores]
        low.write(self._open([k for k, _ in stores]))
        first = b.call("equal", self.lane, low.integer(0))
        if self.inside_rows is not None:
            first = b.call("and", first, self.inside_rows)
        with b.when(first):
            for k, place in stores:
                low.store(k, place)

    def _open(self, sinks: Iterable[int]) -> list[int]:
        """Return the terms that must be written for `sinks`: all that have no value yet."""
        low = self.low
        return low.needed(sinks, (k for k in range(len(low.terms)) if low.get(k) is not None))

    def _sweep(self, sweep: int) -> None:
        """Write one pass over the row and finish its reductions."""
        low, device = self.low, self.low.device
        sinks = self._sinks(sweep)
        reductions = self.reductions.get(sweep, [])
        means = {k: self._mean(k) for k in reductions if deviation_of(low, k)}
        available = {k for k in self.kept.before(sweep) if low.analysis.level[k] < sweep}
        wanted = [
            k
            for k in low.needed(
                sinks, {*available, *(j for j in range(len(low.terms)) if low.get(j) is not None)}
            )
            if low.get(k) is None
        ]
        low.write(k for k in wanted if not self.full[k] and self._row_only(k))
        states = {k: State(low, k) for k in reductions}
        zero, turns = low.integer(0), low.integer(self.turns)
        new = [k for k in sorted(self.kept.terms) if k in wanted and k not in available]
        if self.turns == 1:
            self._turn(zero, wanted, available, new, states, means, sweep)
        elif self.streaming:
            count = low.number("turns", self.turns, "n")
            unroll = low.written_out(wanted, 2, self.width)
            with device.count("k", zero, count, unroll=unroll) as turn:
                self._turn(turn, wanted, available, new, states, means, sweep)
        else:
            unroll = self.kept.written_out(sweep)
            unroll = 0 if unroll == self.turns else unroll
            with device.count("k", zero, turns, unroll=unroll) as turn:
                self._turn(turn, wanted, available, new, states, means, sweep)
        if sweep == 0 and self.ahead is not None:
            self.ahead.fetch(self.row, self.thread, self.threads)
        found = list(states.values())
        apart = self.kept.in_registers
        if self.lanes <= WARP:
            across_lanes(low, found, self.lanes, apart)
        else:
            across_block(low, found, self.threads, self.thread, apart)
        for k, state in states.items():
            low.put(k, state.result())

    def _row_only(self, k: int) -> bool:
        """Whether a term can be computed before the loop over the row."""
        return all(not self.full[j] for j in self._open([k]))

    def _turn(
        self,
        turn: Operand,
        wanted: Sequence[int],
        available: set[int],
        new: Sequence[int],
        states: dict[int, State],
        means: dict[int, Operand],
        sweep: int,
    ) -> None:
        """Write what a thread does with one vector of the row."""
        low, b = self.low, self.low.builder
        vector = self.lane
        if self.turns > 1:
            vector = low.plus(low.times(turn, self.lanes), self.lane)
        position = low.times(vector, self.width)
        stores = self.full_stores.get(sweep, [])
        several = len(self.inner.axes) > 1
        fresh: dict[int, list[Operand]] = {k: [] for k in new}

        def consume(lane: int, counter: Operand) -> None:
            self.kept.write(lane, {k: low.value(k) for k in new}, turn)
            for k, values in fresh.items():
                values.append(low.value(k))
            place = counter
            if several and any(state.positional for state in states.values()):
                place = low.plus(position, low.integer(lane))
            for k, state in states.items():
                value = low.value(low.terms[k].args[0])
                if k in means:
                    state.step_from(means[k], value)
                else:
                    state.step(value, place)

        def work() -> None:
            counters = [position]
            if several:
                counters = low.decode(position, self.inner)
            written = [k for k in wanted if k not in available]
            old = [k for k in sorted(available) if k in wanted]
            read = self.kept.reader(old, turn, position)

            def prepare(lane: int) -> None:
                for k, value in read(lane):
                    low.put(k, value)

            # A row that another thread works on too is stored by that one.
            low.lanes(
                self.inner, counters, self.width, written, stores, consume, prepare, old,
                self.inside_rows,
            )  # fmt: skip
            self.kept.write_vectors(fresh, position)

        if self.exact and not self.streaming:
            work()
            return
        size = low.number("length", self.length, "n")
        with b.when(low.below(position, size)):
            work()

    def _mean(self, k: int) -> Operand:
        """Write the mean about which a deviation is taken."""
        low, b = self.low, self.low.builder
        total = low.terms[k].args[1]
        low.write(self._open([total]))
        length = low.number("length", self.length, "n")
        wide = b.call("convert", low.value(total), dtype=FLOAT64)
        return b.call("divide", wide, b.call("convert", length, dtype=FLOAT64))

    # -- short rows one after another ----------------------------------------------------------

    def _lower_flat(self, flat: Frame, block: Operand) -> int:
        """Load the rows of a block as one piece of memory, then reduce a row a thread."""
        low, b, device = self.low, self.low.builder, self.low.device
        rows, length, width = self.outer.size, self.length, self.width
        pitch = length | 1  # an odd pitch keeps the threads on different banks
        reductions = self.reductions[0]
        sources = list(dict.fromkeys(low.terms[k].args[0] for k in reductions))
        nbytes = (
            tuning.row().short_row_threads
            * pitch
            * sum(self._state_dtype(k).itemsize for k in reductions)
        )
        together = (
            tuning.row().short_row_threads
            if nbytes <= tuning.row().short_row_bytes
            else tuning.row().short_row_threads // 2
        )
        tiles = {
            k: device.array("tile", register_dtype(low.terms[k].dtype), together * pitch, True)
            for k in sources
        }
        total = low.number("elements", rows * length, "n")
        start = low.times(block, together * length)
        turns = -(-together * length // (tuning.row().short_row_threads * width))
        wanted = low.needed(sources)

        def load(turn: Operand) -> None:
            vector = (
                self.thread
                if turns == 1
                else low.plus(low.times(turn, tuning.row().short_row_threads), self.thread)
            )
            local = low.times(vector, width)
            place = low.plus(start, local)
            inside = low.below(place, total)
            if turns * tuning.row().short_row_threads * width > together * length:
                inside = b.call("and", inside, low.below(local, low.integer(together * length)))

            def consume(lane: int, counter: Operand) -> None:
                here = low.plus(local, low.integer(lane)) if lane else local
                if pitch != length:
                    here = low.plus(here, device.arithmetic("/", here, low.integer(length)))
                for k, tile in tiles.items():
                    b.store(tile, low.at(here), low.value(k))

            with b.when(inside):
                low.lanes(flat, [place], width, wanted, [], consume)

        if turns == 1:
            load(low.integer(0))
        else:
            unroll = low.written_out(wanted, 4, width)
            with device.count("k", low.integer(0), low.integer(turns), unroll=unroll) as turn:
                load(turn)
        device.emit(Barrier())
        row = low.plus(low.times(block, together), self.thread)
        inside = low.below(row, low.number("rows", rows, "n"))
        if together < tuning.row().short_row_threads:
            inside = b.call("and", inside, low.below(self.thread, low.integer(together)))
        with b.when(inside):
            with low.inside(self.outer, low.decode(row, self.outer)):
                states = {k: State(low, k) for k in reductions}
                first = low.times(self.thread, pitch)
                with device.count("j", low.integer(0), low.integer(length), unroll=0) as j:
                    for k, state in states.items():
                        tile = tiles[low.terms[k].args[0]]
                        state.step(b.load(tile, low.at(first, j)), j)
                for k, state in states.items():
                    low.put(k, state.result())
                low.write(self._open([low.stores[p][0] for p in self.row_stores]))
                for p in self.row_stores:
                    low.store(*low.stores[p])
        return -(-rows // together)
