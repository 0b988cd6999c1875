"""Lowering of reductions down columns for GPUs: neighbouring threads take neighbouring columns.

A block takes a panel of columns and a chunk of rows; its lines of threads take rows in turn and
are combined through shared memory. The last block of a panel combines the chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from lazyarr.codegen.device import Barrier, LastBlock
from lazyarr.codegen.device_lowering import DeviceLaunch, DeviceLowering
from lazyarr.codegen.device_reduce import State, final_component, result_of
from lazyarr.codegen.device_split import Parts, split_stores, squares_about
from lazyarr.codegen.frame import Frame, LoopAxis
from lazyarr.codegen.kernel import Operand, Pointer, Value
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
#: Rows that are written out one after another, so that their loads overlap.
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
        counted = Parts(low, 2, 1)  # as if there were several chunks
        held = sum(c.dtype.itemsize for found in counted.components.values() for c in found)
        held = held * THREADS + len(counted.late) * FLOAT64.itemsize * WARP
        while self.width > 1 and held * self.width > SHARED_BYTES:
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
            (k, n): device.array("tile", c.dtype, THREADS * self.width, True)
            for k in parts.reductions
            for n, c in enumerate(parts.components[k])
        }
        # Of a panel's columns: a thread takes the mean of one, and the others read it here.
        together = self.across * self.width
        self.mean_tiles = {k: device.array("mean", FLOAT64, together, True) for k in parts.late}
        self.inside = inside
        # Results are a thread's each, side by side.
        self.own = low.plus(low.times(panel, together), thread)
        self.writer = low.below(self.own, self.size)
        self.leads = low.below(thread, low.integer(together))
        if together < THREADS:
            self.writer = b.call("and", self.leads, self.writer)
        with low.inside(self.front, low.decode(front, self.front)):
            states = self._sweep(parts.early, self.stores, None)
            if parts.late:
                means = self._means(self._elements(chunk))
                states |= self._sweep(parts.late, [], means)
            if self.chunks == 1:
                self._finish()
                return self.front.size * self.panels
            results = low.number("results", self.front.size * self.columns.size, "n")
            slot = low.plus(device.arithmetic("*", chunk, results), origin)
            with b.when(self.writer):
                for k in states:
                    whole = self._totals(k, range(len(parts.components[k])))
                    parts.store(k, whole, slot, self.own)
                for k, tile in self.mean_tiles.items():
                    parts.store_mean(k, b.load(tile, low.at(self.thread)), slot, self.own)
            last = device.fresh("last", BOOL)
            counters = low.counters(self.front.size * self.panels)
            device.emit(LastBlock(last, counters, whole_panel, n_chunks))
            with b.when(last):
                self._combine(low.plus(origin, self.place), n_chunks, results)
                self._finish()
        return self.front.size * self.panels * self.chunks

    def _elements(self, chunk: Operand) -> Operand:
        """Write the number of rows of a chunk, as float64."""
        low, device = self.low, self.low.device
        whole = low.times(self.turn_count, self.high)
        left = device.arithmetic("-", self.height, device.arithmetic("*", chunk, whole))
        return low.builder.call("convert", low.least(left, whole), dtype=FLOAT64)

    def _means(self, count: Operand) -> dict[int, list[Operand]]:
        """Write the means of a thread's columns, from the totals that were combined last."""
        low, b = self.low, self.low.builder
        with b.when(self.leads):
            for k, tile in self.mean_tiles.items():
                total = b.call("convert", self._total(low.terms[k].args[1]), dtype=FLOAT64)
                with low.device.seldom():
                    b.store(tile, low.at(self.thread), b.call("divide", total, count))
        low.device.emit(Barrier())
        first = low.times(self.column, self.width)
        return {
            k: [b.load(tile, low.at(first, low.integer(lane))) for lane in range(self.width)]
            for k, tile in self.mean_tiles.items()
        }

    def _sweep(
        self,
        reductions: Sequence[int],
        stores: Sequence[int],
        means: dict[int, list[Operand]] | None,
    ) -> dict[int, list[State]]:
        """Write one pass over a chunk; all lines of threads get its states."""
        low, b, device = self.low, self.low.builder, self.low.device
        states = {k: [self.parts.state(k) for _ in range(self.width)] for k in reductions}
        wanted = self.wanted
        if means is not None:
            wanted = low.needed([low.terms[k].args[0] for k in reductions])
        columns = Frame((self.columns,))

        def work(row: Operand) -> None:
            def take(lane: int, counter: Operand) -> None:
                for k, lanes in states.items():
                    value = low.value(low.terms[k].args[0])
                    if means is not None:
                        lanes[lane].step_from(means[k][lane], value)
                    else:
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

        def row(turn: Operand) -> Operand:
            return low.plus(low.plus(self.top, low.times(turn, self.high)), self.line)

        _write_turns(
            low,
            (self.turns, self.turn_count),
            full,
            low.written_out(wanted, UNROLL, self.width),
            self.rows.size % self.per_chunk == 0,
            lambda k: low.below(row(k), self.height),
            lambda k: work(row(k)),
        )
        self._across_lines(states)
        return states

    def _tile(self, k: int, components: Iterable[int], *place: Operand) -> list[Operand]:
        """Write the loads of a part of a state that a thread has put to shared memory."""
        low = self.low
        return [low.builder.load(self.tiles[k, n], low.at(*place)) for n in components]

    def _put_tile(self, k: int, state: State, *place: Operand) -> None:
        """Write the stores of a state to shared memory."""
        for n, value in enumerate(state.values):
            self.low.builder.store(self.tiles[k, n], self.low.at(*place), value)

    def _across_lines(self, states: dict[int, list[State]]) -> None:
        """Combine the states of all lines of threads, in shared memory."""
        if not states:
            return
        low, b, device = self.low, self.low.builder, self.low.device

        def put() -> None:
            for k, lanes in states.items():
                for lane, state in enumerate(lanes):
                    self._put_tile(k, state, self.thread, low.integer(lane * THREADS))

        def join_at(own: Operand, other: Operand) -> None:
            for k, lanes in states.items():
                components = range(len(lanes[0].values))
                state = State(low, k, self._tile(k, components, own))
                state.merge(self._tile(k, components, other))
                self._put_tile(k, state, own)

        def join(other: Operand) -> None:
            for k, lanes in states.items():
                for lane, state in enumerate(lanes):
                    components = range(len(state.values))
                    state.merge(self._tile(k, components, other, low.integer(lane * THREADS)))
            put()

        device.emit(Barrier())
        put()
        # Positions take more to compare than sums to add: a thread's columns take turns.
        in_turns = self.width > 1 and any(lanes[0].positional for lanes in states.values())
        steps = self.high.bit_length() - 1
        with device.count("s", low.integer(0), low.integer(steps), unroll=1) as number:
            step = device.arithmetic(">>", low.integer(self.high // 2), number)
            device.emit(Barrier())
            with b.when(low.below(self.line, step)):
                other = low.plus(self.thread, low.times(step, self.across))
                if in_turns:
                    width = low.integer(self.width)
                    with device.count("l", low.integer(0), width, unroll=1) as turn:
                        first = low.times(turn, THREADS)
                        join_at(low.plus(first, self.thread), low.plus(first, other))
                else:
                    join(other)
        device.emit(Barrier())

    def _totals(self, k: int, components: Iterable[int]) -> list[Operand]:
        """Write the loads of a part of the combined state of a thread's own column."""
        low, device = self.low, self.low.device
        lane = device.arithmetic("%", self.thread, low.integer(self.width))
        column = device.arithmetic("/", self.thread, low.integer(self.width))
        place = low.plus(low.times(lane, THREADS), column) if self.width > 1 else column
        return self._tile(k, components, place)

    def _total(self, k: int) -> Operand:
        """Write the load of what tells the result of a thread's own column."""
        (total,) = self._totals(k, [final_component(self.low.terms[k])])
        return total

    def _combine(self, base: Operand, n_chunks: Value, results: Value) -> None:
        """Write the combining of all chunks of a panel by its last block."""
        low, b, device = self.low, self.low.builder, self.low.device
        parts = self.parts
        missing = device.arithmetic("-", n_chunks, self.line)
        rounded = device.arithmetic("+", missing, low.integer(self.high - 1))
        turns = device.arithmetic("/", rounded, low.integer(self.high))
        # Copies take NVRTC time, and one or two turns are over soon.
        unroll = 1 if self.chunks <= 2 * self.high else 2
        states = {k: [State(low, k) for _ in range(self.width)] for k in parts.early}
        with device.count("c", low.integer(0), turns, unroll=unroll) as c:
            chunk = low.plus(low.times(c, self.high), self.line)
            slot = low.plus(device.arithmetic("*", chunk, results), base)
            for k, lanes in states.items():
                for lane, state in enumerate(lanes):
                    state.merge(parts.load(k, slot, low.integer(lane)), behind=True)
        self._across_lines(states)
        if not parts.late:
            return
        means = self._means(b.call("convert", self.height, dtype=FLOAT64))
        late = {k: [State(low, k) for _ in range(self.width)] for k in parts.late}
        with device.count("c", low.integer(0), turns, unroll=unroll) as c:
            chunk = low.plus(low.times(c, self.high), self.line)
            slot = low.plus(device.arithmetic("*", chunk, results), base)
            elements = self._elements(chunk)
            for k, lanes in late.items():
                for lane, state in enumerate(lanes):
                    own = parts.load_mean(k, slot, low.integer(lane))
                    held = parts.load(k, slot, low.integer(lane))
                    state.merge([squares_about(low, means[k][lane], own, elements, held)])
        self._across_lines(late)

    def _finish(self) -> None:
        """Write what follows from the results."""
        low, b = self.low, self.low.builder
        columns = Frame((self.columns,))
        # A mean of float64 was divided for: what it takes is there already.
        divide = low.device.seldom() if self.parts.late else nullcontext()
        with b.when(self.writer), low.inside(columns, (self.own,)), divide:
            for k in self.parts.reductions:
                low.put(k, result_of(low, low.terms[k], self._total(k)))
            known = [k for k in range(len(low.terms)) if low.get(k) is not None]
            low.write(
                k
                for k in low.needed([low.stores[p][0] for p in self.rest], known)
                if low.get(k) is None
            )
            for p in self.rest:
                low.store(*low.stores[p])


def _write_turns(
    low: DeviceLowering,
    turns: tuple[int, Operand],
    full: Operand,
    unroll: int,
    exact: bool,
    inside: Callable[[Operand], Operand],
    work: Callable[[Operand], None],
) -> None:
    """Write the turns of a chunk, `unroll` of them one after another.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    turns : (int, Operand)
        How many a whole chunk has, and the parameter that says so.
    full : Operand
        How many turns of this chunk all threads take part in.
    unroll : int
        How many are written out.
    exact : bool
        Whether all chunks are whole.
    inside : callable
        Writes whether a thread takes part in a turn of this number.
    work : callable
        Writes what it does in it.
    """
    device, count = low.device, turns[1]
    whole = exact and turns[0] % unroll == 0
    done: Operand = low.integer(0)
    if whole or unroll > 1:
        groups = device.arithmetic("/", full, low.integer(unroll)) if unroll > 1 else full
        with device.count("k", low.integer(0), groups, unroll=1) as k:
            first = low.times(k, unroll)
            with device.count("j", low.integer(0), low.integer(unroll), unroll=0) as j:
                work(low.plus(first, j))
        if not whole:
            done = low.times(groups, unroll)
    if not whole:
        # What is left of a group, and the turn in which a part of the threads takes part.
        end = low.least(count, low.plus(full, low.integer(1)))
        with device.count("k", done, end, unroll=1) as k, low.builder.when(inside(k)):
            work(k)
