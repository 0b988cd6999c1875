"""Lowering of reductions down columns for GPUs: neighbouring threads take neighbouring columns.

A block takes a panel of columns and a chunk of rows; its lines of threads take rows in turn and
are combined through shared memory. The last block of a panel combines the chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.device import Barrier, LastBlock
from lazyarr.codegen.device_lowering import DeviceLaunch, DeviceLowering
from lazyarr.codegen.device_reduce import State, new_state, squared_distance
from lazyarr.codegen.device_split import Parts, between_means, split_stores
from lazyarr.codegen.frame import Frame, LoopAxis
from lazyarr.codegen.kernel import Index, Operand, Pointer, Value
from lazyarr.fusion import Group
from lazyarr.ir import Kind, Node
from lazyarr.memory import Plan

__all__ = ["lower_columns"]

FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)
THREADS = 256
WARP = 32
#: Rows that one line of threads takes of a chunk: few for small arrays.
TURNS = (4, 8, 16, 32, 64)
ENOUGH_BLOCKS = 1024
#: Rows whose loads overlap.
UNROLL = 4
#: Most chunks of one panel: the last block combines them alone.
MAX_CHUNKS = 256
#: Bytes of shared memory that every GPU gives a block.
SHARED_BYTES = 40 << 10


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
    return low.device_launch(blocks, THREADS, comments, otherwise), made.parts.nbytes


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
        self.stores, self.rest = split_stores(low, reduced)
        sinks = [
            term.args[0]
            for term in low.terms
            if not term.loaded and term.node.op.kind is Kind.REDUCE
        ]
        self.wanted = low.needed(sinks + [low.stores[p][0] for p in self.stores])
        self.width = low.width(self.columns, self.wanted, self.stores)
        counted = Parts(low, 1, 1)
        held = sum(c.dtype.itemsize for found in counted.components.values() for c in found)
        while self.width > 1 and held * self.width * THREADS > SHARED_BYTES:
            self.width //= 2
        # Chan's formula needs what a vector's columns hold at once; the code stays short.
        vectors = -(-self.columns.size // self.width)
        self.across = min(WARP, 1 << max(0, vectors - 1).bit_length())
        self.high = THREADS // self.across
        self.panels = -(-vectors // self.across)
        blocks = self.front.size * self.panels
        turns = TURNS[-1]
        for candidate in TURNS:
            if blocks * -(-self.rows.size // (candidate * self.high)) <= ENOUGH_BLOCKS:
                turns = candidate
                break
        turns = max(turns, -(-self.rows.size // (self.high * MAX_CHUNKS)))
        self.turns = turns
        self.per_chunk = turns * self.high
        self.chunks = max(1, -(-self.rows.size // self.per_chunk))
        self.parts = Parts(low, self.chunks, self.front.size * self.columns.size)

    def write(self) -> int:
        """Write the kernel and return its number of blocks."""
        low, b, device = self.low, self.low.builder, self.low.device
        parts = self.parts
        block, thread = device.builtin("block"), device.builtin("thread")
        n_chunks = low.number("chunks", self.chunks, "n")
        n_panels = low.number("panels", self.panels, "n")
        self.size = low.number("columns", self.columns.size, "n")
        self.height = low.number("rows", self.rows.size, "n")
        self.turn_count = low.number("turns", self.turns, "n")
        self.thread = thread
        self.column = device.arithmetic("%", thread, low.integer(self.across))
        self.line = device.arithmetic("/", thread, low.integer(self.across))
        chunk = device.arithmetic("%", block, n_chunks)
        whole_panel = device.arithmetic("/", block, n_chunks)
        panel = device.arithmetic("%", whole_panel, n_panels)
        front = device.arithmetic("/", whole_panel, n_panels)
        wide = low.plus(low.times(panel, self.across), self.column)
        place = low.times(wide, self.width)
        # Threads beyond the last column work on the last ones again; they store nothing.
        inside = low.below(place, self.size)
        end = device.arithmetic("-", self.size, low.integer(self.width))
        self.place = low.least(place, end)
        self.top = device.arithmetic("*", chunk, low.times(self.turn_count, self.high))
        self.tiles: dict[tuple[int, int], Pointer] = {
            (k, n): device.array("tile", c.dtype, THREADS * self.width, True)
            for k in parts.reductions
            for n, c in enumerate(parts.components[k])
        }
        self.inside = inside
        origin = device.arithmetic("*", front, self.size)
        with low.inside(self.front, low.decode(front, self.front)):
            states = self._sweep(parts.early, self.stores, None)
            if parts.late:
                count = self._elements(chunk)
                means = self._means(states, count)
                states |= self._sweep(parts.late, [], means)
            leads = b.call("equal", self.line, low.integer(0))
            writer = b.call("and", leads, inside)
            if self.chunks == 1:
                self._finish(states, writer)
                return self.front.size * self.panels
            results = low.number("results", self.front.size * self.columns.size, "n")
            slot = low.plus(device.arithmetic("*", chunk, results), origin)
            slot = low.plus(slot, self.place)
            with b.when(writer):
                for k, lanes in states.items():
                    for lane, state in enumerate(lanes):
                        values = [b.snapshot(v) for v in state.values]
                        parts.store(k, values, slot, low.integer(lane))
            last = device.fresh("last", BOOL)
            counters = low.counters(self.front.size * self.panels)
            device.emit(LastBlock(last, counters, whole_panel, n_chunks))
            with b.when(last):
                base = low.plus(origin, self.place)
                self._finish(self._combine(base, n_chunks, results), writer)
        return self.front.size * self.panels * self.chunks

    def _elements(self, chunk: Operand) -> Operand:
        """Write the number of rows of a chunk, as float64."""
        low, device = self.low, self.low.device
        whole = low.times(self.turn_count, self.high)
        left = device.arithmetic("-", self.height, device.arithmetic("*", chunk, whole))
        return low.builder.call("convert", low.least(left, whole), dtype=FLOAT64)

    def _means(self, states: dict[int, list[State]], count: Operand) -> dict[int, list[Operand]]:
        low, b = self.low, self.low.builder
        means: dict[int, list[Operand]] = {}
        for k in self.parts.late:
            lanes = states[low.terms[k].args[1]]
            totals = [b.snapshot(state.values[0]) for state in lanes]
            means[k] = [
                b.call("divide", b.call("convert", t, dtype=FLOAT64), count) for t in totals
            ]
        return means

    def _sweep(
        self,
        reductions: Sequence[int],
        stores: Sequence[int],
        means: dict[int, list[Operand]] | None,
    ) -> dict[int, list[State]]:
        """Write one pass over a chunk; all lines of threads get its states."""
        low, b, device = self.low, self.low.builder, self.low.device
        states = {k: [new_state(low, k) for _ in range(self.width)] for k in reductions}
        wanted = self.wanted
        if means is not None:
            wanted = low.needed([low.terms[k].args[0] for k in reductions])
        columns = Frame((self.columns,))

        def work(row: Operand) -> None:
            def take(lane: int, counter: Operand) -> None:
                for k, lanes in states.items():
                    value = low.value(low.terms[k].args[0])
                    if means is not None:
                        value = squared_distance(low, value, means[k][lane])
                    lanes[lane].step(value, row)

            with low.inside(self.rows, low.decode(row, self.rows)):
                if stores:
                    # What lies beyond the last column is stored by the thread it belongs to.
                    low.lanes(columns, [self.place], self.width, wanted, [], take)
                    with b.when(self.inside):
                        low.lanes(columns, [self.place], self.width, wanted, stores)
                else:
                    low.lanes(columns, [self.place], self.width, wanted, [], take)

        left = device.arithmetic("-", self.height, self.top)
        full = low.least(self.turn_count, device.arithmetic("/", left, low.integer(self.high)))
        unroll = low.written_out(wanted, UNROLL, self.width)
        with device.count("k", low.integer(0), full, unroll=unroll) as k:
            work(low.plus(low.plus(self.top, low.times(k, self.high)), self.line))
        if self.rows.size % self.per_chunk:
            row = low.plus(low.plus(self.top, low.times(full, self.high)), self.line)
            some = low.below(full, self.turn_count)
            with b.when(b.call("and", some, low.below(row, self.height))):
                work(row)
        self._across_lines(states)
        return states

    def _across_lines(self, states: dict[int, list[State]]) -> None:
        """Give every line of threads the states of all lines."""
        if self.high == 1 or not states:
            return
        low, b, device = self.low, self.low.builder, self.low.device

        def slot(lane: int, thread: Operand) -> Index:
            return low.at(thread, low.integer(lane * THREADS))

        def put() -> None:
            for k, lanes in states.items():
                for lane, state in enumerate(lanes):
                    for n, value in enumerate(state.values):
                        b.store(self.tiles[k, n], slot(lane, self.thread), value)

        def get(k: int, lane: int, state: State, thread: Operand) -> list[Operand]:
            count = len(state.values)
            return [b.load(self.tiles[k, n], slot(lane, thread)) for n in range(count)]

        device.emit(Barrier())
        put()
        step = self.high // 2
        while step:
            device.emit(Barrier())
            with b.when(low.below(self.line, low.integer(step))):
                other = low.plus(self.thread, low.integer(step * self.across))
                for k, lanes in states.items():
                    for lane, state in enumerate(lanes):
                        state.merge(get(k, lane, state, other))
                put()
            step //= 2
        device.emit(Barrier())
        for k, lanes in states.items():
            for lane, state in enumerate(lanes):
                for value, found in zip(
                    state.values, get(k, lane, state, self.column), strict=True
                ):
                    b.assign(value, found)

    def _combine(self, base: Operand, n_chunks: Value, results: Value) -> dict[int, list[State]]:
        """Write the combining of all chunks of a panel by its last block."""
        low, b, device = self.low, self.low.builder, self.low.device
        parts = self.parts
        missing = device.arithmetic("-", n_chunks, self.line)
        rounded = device.arithmetic("+", missing, low.integer(self.high - 1))
        turns = device.arithmetic("/", rounded, low.integer(self.high))
        # More copies than there are turns take NVRTC time, and save none.
        unroll = 2 if self.chunks <= 2 * self.high else None
        states = {k: [new_state(low, k) for _ in range(self.width)] for k in parts.early}
        with device.count("c", low.integer(0), turns, unroll=unroll) as c:
            chunk = low.plus(low.times(c, self.high), self.line)
            slot = low.plus(device.arithmetic("*", chunk, results), base)
            for k, lanes in states.items():
                for lane, state in enumerate(lanes):
                    state.merge(parts.load(k, slot, low.integer(lane)))
        self._across_lines(states)
        if not parts.late:
            return states
        means = self._means(states, b.call("convert", self.height, dtype=FLOAT64))
        late = {k: [new_state(low, k) for _ in range(self.width)] for k in parts.late}
        with device.count("c", low.integer(0), turns, unroll=unroll) as c:
            chunk = low.plus(low.times(c, self.high), self.line)
            slot = low.plus(device.arithmetic("*", chunk, results), base)
            own = self._elements(chunk)
            for k, lanes in late.items():
                for lane, state in enumerate(lanes):
                    total = parts.load(low.terms[k].args[1], slot, low.integer(lane))[0]
                    squares = parts.load(k, slot, low.integer(lane))[0]
                    mean = means[k][lane]
                    state.merge([between_means(low, total, mean, own, squares)])
        self._across_lines(late)
        return states | late

    def _finish(self, states: dict[int, list[State]], writer: Operand) -> None:
        """Write what follows from the results."""
        low, b = self.low, self.low.builder
        columns = Frame((self.columns,))
        with b.when(writer):
            for lane in range(self.width):
                counter = low.plus(self.place, low.integer(lane))
                with low.inside(columns, (counter,)):
                    for k, lanes in states.items():
                        low.put(k, lanes[lane].result())
                    known = [k for k in range(len(low.terms)) if low.get(k) is not None]
                    low.write(
                        k
                        for k in low.needed([low.stores[p][0] for p in self.rest], known)
                        if low.get(k) is None
                    )
                    for p in self.rest:
                        low.store(*low.stores[p])
