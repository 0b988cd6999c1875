"""Lowering of scans for GPUs.

A block scans tiles of a row one after another: each thread a vector, the threads of a warp by
shuffles, the warps through shared memory, always in the same order. Where there are few rows they
are cut into chunks. One kernel reduces each chunk, and the next begins each chunk with the total
of those before it. Down columns, neighbouring threads take neighbouring columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazyarr.codegen.accumulate import Component, components_of, finish
from lazyarr.codegen.device import Barrier
from lazyarr.codegen.device_lowering import DeviceLaunch, DeviceLowered, DeviceLowering
from lazyarr.codegen.device_reduce import across_block, new_state
from lazyarr.codegen.frame import Frame, LoopAxis
from lazyarr.codegen.kernel import Index, Literal, Operand, Pointer, Value
from lazyarr.codegen.scans import axis_of_scan, primitive_of, scans_of
from lazyarr.fusion import Group
from lazyarr.ir import Node
from lazyarr.memory import Plan

__all__ = ["lower_scan"]

THREADS = 256
WARP = 32
#: Rows, or threads for columns, that keep a device busy without chunks.
ENOUGH_ROWS = 512
ENOUGH_COLUMNS = 1 << 15
#: Tiles of a chunk at least, and chunks of a row at most.
TILES = 4
MAX_CHUNKS = 1024
#: Rows of a column's chunk at least, and such chunks at most.
COLUMN_ROWS = 64
MAX_COLUMN_CHUNKS = 128


def lower_scan(
    group: Group, plan: Plan, layouts: dict[Node, Any], comments: Sequence[str]
) -> DeviceLowered:
    """Return the kernels of a group whose member is a scan."""

    def make(totals: bool, vectors: bool = True) -> tuple[DeviceLaunch, int, int]:
        low = DeviceLowering(group, plan, layouts, vectors)
        found = _Scan(low)
        otherwise = None
        if found.width > 1:
            otherwise, _, _ = make(totals, False)
        blocks = found.write(totals)
        launch = low.device_launch(blocks, THREADS, comments, otherwise)
        return launch, found.chunks, found.nbytes

    scanned, chunks, nbytes = make(False)
    if chunks == 1:
        return DeviceLowered(group, (scanned,), 0)
    return DeviceLowered(group, (make(True)[0], scanned), nbytes)


class _Scan:
    """The code of a scan: how the work is cut, and both kernels."""

    def __init__(self, low: DeviceLowering) -> None:
        self.low = low
        domain = low.domain
        axis = axis_of_scan(low)
        self.scans = scans_of(low)
        self.wanted = low.needed(low.terms[k].args[0] for k in self.scans)
        kept = [k for k in range(len(domain)) if k != axis]
        self.line = low.frame([axis])
        if not self.line.axes:
            self.line = Frame((LoopAxis(domain[axis], ()),))
        self.length = self.line.size
        behind = [k for k in kept if k > axis and domain[k] != 1]
        self.columns = low.frame(behind).axes[-1] if behind else None
        self.width = 1
        if self.columns is None:
            self.outer = low.frame(kept)
            stores = range(len(low.stores))
            self.width = low.width(self.line.axes[-1], self.wanted, stores)
            self.tile = THREADS * self.width
            # The vectors of two chunks never overlap: the length is a multiple of the width.
            self.per_chunk = self._cut(self.tile, TILES, MAX_CHUNKS, self.outer.size < ENOUGH_ROWS)
            self.results = self.outer.size
        else:
            self.outer = low.frame([k for k in kept if k not in self.columns.axes])
            self.results = self.outer.size * self.columns.size
            few = self.results < ENOUGH_COLUMNS
            self.per_chunk = self._cut(1, COLUMN_ROWS, MAX_COLUMN_CHUNKS, few)
        self.chunks = max(1, -(-self.length // self.per_chunk))
        self.components: dict[int, Component] = {
            k: components_of(low.terms[k])[0] for k in self.scans
        }
        self.offsets: dict[int, int] = {}
        self.nbytes = 0
        for k, component in self.components.items():
            self.offsets[k] = self.nbytes
            size = self.chunks * self.results * component.dtype.itemsize
            self.nbytes += -(-size // 256) * 256

    def _cut(self, unit: int, least: int, most: int, few: bool) -> int:
        """Return how many elements a chunk has: all of them, unless there are few lines."""
        units = -(-self.length // unit)
        each = max(least, -(-units // most)) if few else units
        return max(1, each) * unit

    def write(self, totals: bool) -> int:
        """Write the kernel that reduces the chunks, or the one that scans them."""
        low = self.low
        self.block = low.device.builtin("block")
        self.thread = low.device.builtin("thread")
        if not self.length:
            return 0
        self.n_chunks = low.number("chunks", self.chunks, "n")
        self.size = low.number("length", self.length, "n")
        return self._rows(totals) if self.columns is None else self._columns(self.columns, totals)

    # -- shared -------------------------------------------------------------------------------

    def _part(self, k: int) -> Pointer:
        return self.low.part(("part", k), self.components[k].dtype, self.offsets[k])

    def _empty(self, k: int) -> Literal:
        component = self.components[k]
        first = -0.0 if self._adds_floats(k) else component.initial
        return self.low.builder.literal(first, component.dtype)

    def _adds_floats(self, k: int) -> bool:
        adds = self.low.terms[k].node.op.combine == "add"
        return adds and self.components[k].dtype.kind == "f"

    def _plus(self, k: int, held: Operand, value: Operand) -> Value:
        """Write one state followed by another."""
        b = self.low.builder
        wide = b.call("convert", value, dtype=self.components[k].dtype)
        return b.call(primitive_of(self.low, k), held, wide)

    def _bounds(self, chunk: Operand) -> tuple[Operand, Operand]:
        """Write where a chunk begins and ends."""
        low = self.low
        step = low.number("chunk", self.per_chunk, "n")
        first = low.device.arithmetic("*", chunk, step)
        return first, low.least(low.plus(first, step), self.size)

    # -- along rows -----------------------------------------------------------------------------

    def _rows(self, totals: bool) -> int:
        low, device = self.low, self.low.device
        row = device.arithmetic("/", self.block, self.n_chunks)
        chunk = device.arithmetic("%", self.block, self.n_chunks)
        first, last = self._bounds(chunk)
        with low.inside(self.outer, low.decode(row, self.outer)):
            if totals:
                self._row_totals(first, last)
            else:
                base = device.arithmetic("*", row, self.n_chunks)
                self._row_scan(first, last, base, chunk)
        return self.outer.size * self.chunks

    def _turns(self, first: Operand, last: Operand) -> tuple[Operand, Callable[[Operand], Operand]]:
        """Return the number of tiles of a chunk, and the place of a thread in each."""
        low, device = self.low, self.low.device
        tile = low.integer(self.tile)
        rounded = low.plus(device.arithmetic("-", last, first), low.integer(self.tile - 1))

        def place(turn: Operand) -> Operand:
            vector = low.plus(low.times(turn, THREADS), self.thread)
            return low.plus(first, low.times(vector, self.width))

        return device.arithmetic("/", rounded, tile), place

    def _row_totals(self, first: Operand, last: Operand) -> None:
        low, b, device = self.low, self.low.builder, self.low.device
        states = {k: new_state(low, k) for k in self.scans}
        turns, place = self._turns(first, last)

        def consume(lane: int, counter: Operand) -> None:
            for k, state in states.items():
                state.step(low.value(low.terms[k].args[0]), counter)

        with device.count("t", low.integer(0), turns, unroll=2) as t:
            at = place(t)
            with b.when(low.below(at, last)):
                low.lanes(self.line, [at], self.width, self.wanted, [], consume)
        across_block(low, list(states.values()), THREADS, self.thread)
        with b.when(b.call("equal", self.thread, low.integer(0))):
            for k, state in states.items():
                b.store(self._part(k), low.at(self.block), b.snapshot(state.values[0]))

    def _before(self, base: Operand, chunk: Operand) -> dict[int, Value]:
        """Write the totals of the chunks before one; all threads get them."""
        low, b, device = self.low, self.low.builder, self.low.device
        states = {k: new_state(low, k) for k in self.scans}
        missing = low.plus(device.arithmetic("-", chunk, self.thread), low.integer(THREADS - 1))
        count = device.arithmetic("/", missing, low.integer(THREADS))
        with device.count("c", low.integer(0), count) as c:
            at = low.plus(low.times(c, THREADS), self.thread)
            for k, state in states.items():
                state.merge([b.load(self._part(k), low.at(base, at))])
        across_block(low, list(states.values()), THREADS, self.thread)
        return {k: b.snapshot(state.values[0]) for k, state in states.items()}

    def _row_scan(self, first: Operand, last: Operand, base: Operand, chunk: Operand) -> None:
        low, b, device = self.low, self.low.builder, self.low.device
        carries = {k: b.declare("carry", self._empty(k)) for k in self.scans}
        if self.chunks > 1:
            for k, value in self._before(base, chunk).items():
                started = b.call("less", low.integer(0), chunk)
                b.update(carries[k], "select", started, value, self._empty(k))
        shared = {
            k: device.array("warps", self.components[k].dtype, THREADS // WARP, True)
            for k in self.scans
        }
        turns, place = self._turns(first, last)
        with device.count("t", low.integer(0), turns) as t:
            at = place(t)
            inside = low.below(at, last)
            runs = {
                k: [b.declare("run", self._empty(k)) for _ in range(self.width)] for k in self.scans
            }

            def consume(lane: int, counter: Operand) -> None:
                for k, run in runs.items():
                    value = low.value(low.terms[k].args[0])
                    held = b.snapshot(run[lane - 1]) if lane else self._empty(k)
                    b.assign(run[lane], self._plus(k, held, value))

            with b.when(inside):
                low.lanes(self.line, [at], self.width, self.wanted, [], consume)
            befores: dict[int, Value] = {}
            for k in self.scans:
                before, whole = self._across(k, b.snapshot(runs[k][-1]), shared[k])
                befores[k] = self._plus(k, b.snapshot(carries[k]), before)
                b.assign(carries[k], self._plus(k, b.snapshot(carries[k]), whole))

            def prepare(lane: int) -> None:
                for k, run in runs.items():
                    value = self._plus(k, befores[k], b.snapshot(run[lane]))
                    low.put(k, finish(b, low.terms[k], value))

            with b.when(inside):
                stores = range(len(low.stores))
                low.lanes(self.line, [at], self.width, [], stores, None, prepare)

    def _across(self, k: int, own: Value, shared: Pointer) -> tuple[Value, Value]:
        """Write the total of the threads before this one, and that of the whole block."""
        low, b, device = self.low, self.low.builder, self.low.device
        two = low.integer(2)
        before: Operand = self._empty(k)
        whole = own
        distance = 1
        while distance < WARP:
            other = device.shuffle(whole, distance)
            group = device.arithmetic("/", self.thread, low.integer(distance))
            second = b.call("equal", device.arithmetic("%", group, two), low.integer(1))
            before = b.call("select", second, self._plus(k, other, before), before)
            # Neighbours add in one order, so that they agree.
            pair = self._plus(k, other, whole), self._plus(k, whole, other)
            whole = b.call("select", second, *pair)
            distance *= 2
        lane = device.arithmetic("%", self.thread, low.integer(WARP))
        warp = device.arithmetic("/", self.thread, low.integer(WARP))
        device.emit(Barrier())
        with b.when(b.call("equal", lane, low.integer(0))):
            b.store(shared, low.at(warp), whole)
        device.emit(Barrier())
        front: Operand = self._empty(k)
        total: Operand = self._empty(k)
        for number in range(THREADS // WARP):
            value = b.load(shared, Index(number))
            earlier = b.call("less", low.integer(number), warp)
            front = b.call("select", earlier, self._plus(k, front, value), front)
            total = self._plus(k, total, value)
        assert isinstance(total, Value)
        return self._plus(k, front, before), total

    # -- down columns -----------------------------------------------------------------------------

    def _columns(self, columns: LoopAxis, totals: bool) -> int:
        low, b, device = self.low, self.low.builder, self.low.device
        panels = -(-columns.size // THREADS)
        n_panels = low.number("panels", panels, "n")
        width = low.number("columns", columns.size, "n")
        chunk = device.arithmetic("%", self.block, self.n_chunks)
        rest = device.arithmetic("/", self.block, self.n_chunks)
        panel = device.arithmetic("%", rest, n_panels)
        front = device.arithmetic("/", rest, n_panels)
        column = low.plus(low.times(panel, THREADS), self.thread)
        first, last = self._bounds(chunk)
        results = low.number("results", self.results, "n")
        result = low.plus(device.arithmetic("*", front, width), column)
        with b.when(low.below(column, width)):
            carries = {k: b.declare("carry", self._empty(k)) for k in self.scans}
            if self.chunks > 1 and not totals:
                with device.count("c", low.integer(0), chunk) as c:
                    at = low.plus(device.arithmetic("*", c, results), result)
                    for k, carry in carries.items():
                        part = b.load(self._part(k), low.at(at))
                        b.assign(carry, self._plus(k, b.snapshot(carry), part))
            with low.inside(self.outer, low.decode(front, self.outer)):
                with low.inside(Frame((columns,)), (column,)):
                    with device.count("q", first, last, unroll=4) as q, low.inside(self.line, (q,)):
                        low.write(self.wanted)
                        for k, carry in carries.items():
                            value = low.value(low.terms[k].args[0])
                            new = self._plus(k, b.snapshot(carry), value)
                            b.assign(carry, new)
                            low.put(k, finish(b, low.terms[k], new))
                        if not totals:
                            for k, place in low.stores:
                                low.store(k, place)
            if totals:
                at = low.plus(device.arithmetic("*", chunk, results), result)
                for k, carry in carries.items():
                    b.store(self._part(k), low.at(at), b.snapshot(carry))
        return self.outer.size * panels * self.chunks
