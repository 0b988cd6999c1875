"""The states of a block's lines of threads in shared memory, combined column by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lazyarr.codegen.cuda.block_reduction import State
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.partial_states import Parts
from lazyarr.codegen.device_tilings import ColumnTiling
from lazyarr.loop_ir.kernel import Operand, Pointer, Value
from lazyarr.loop_ir.threads import Barrier

__all__ = ["LineStates"]


class LineStates:
    """Reduction states of columns: one for each thread of a line and each reduction.

    Where shared memory has no room for the states of all reductions, the reductions use the same
    memory one after another, and the combined states go to a second, smaller array.

    Parameters
    ----------
    low : DeviceLowering
        The kernel.
    parts : Parts
        The reductions and their states.
    thread : Value
        The number of the thread.
    tiling : ColumnTiling
        The threads of the block, and their columns.
    """

    def __init__(
        self, low: DeviceLowering, parts: Parts, thread: Value, tiling: ColumnTiling
    ) -> None:
        self.low, self.parts = low, parts
        self.thread, self.threads = thread, tiling.across * tiling.lines
        self.together = tiling.across * tiling.width
        self._whole = tiling.width if tiling.is_apart else 0
        array = low.device.array
        self.shares = tiling.shares
        size = self.threads * tiling.width
        self._totals: dict[tuple[int, int], Pointer] = {}
        self._tiles: dict[tuple[int, int], Pointer] = {}
        shared: dict[object, Pointer] = {}
        for k in parts.reductions:
            for n, component in enumerate(parts.components[k]):
                dtype = component.dtype
                if not self.shares:
                    self._tiles[k, n] = array("tile", dtype, size, True)
                    continue
                if (n, dtype) not in shared:
                    shared[n, dtype] = array("tile", dtype, size, True)
                self._tiles[k, n] = shared[n, dtype]
                self._totals[k, n] = array("total", dtype, self.together, True)

    def total(self, k: int, column: Operand) -> list[Operand]:
        """Write the loads of the combined state of a column.

        Parameters
        ----------
        k : int
            The reduction.
        column : Operand
            Of those of the block.
        """
        return self._load(self._totals if self.shares else self._tiles, k, column)

    def combine(self, states: Mapping[int, Sequence[State]], width: int, lines: int) -> None:
        """Combine the states of lines of threads, column by column.

        Parameters
        ----------
        states : mapping of int to sequence of State
            For each reduction, those of a thread: of columns side by side.
        width : int
            How many columns a thread has.
        lines : int
            How many lines of threads there are.
        """
        if not self.shares:
            self._combine(states, width, lines)
            return
        low, b = self.low, self.low.builder
        for k, group in states.items():
            self._combine({k: group}, width, lines)
            with b.when(low.below(self.thread, low.integer(self.together))):
                state = self._load(self._tiles, k, self.thread)
                self._store(self._totals, k, state, self.thread)
        low.device.emit(Barrier())

    def _combine(self, states: Mapping[int, Sequence[State]], width: int, lines: int) -> None:
        low, b, device = self.low, self.low.builder, self.low.device
        device.emit(Barrier())
        for k, group in states.items():
            for lane, state in enumerate(group):
                place = low.plus(low.times(self.thread, width), low.integer(lane))
                self._store(self._tiles, k, state.values, place)
        if self._whole:
            self._merge_whole_lines(states, lines)
            return
        # Threads merge as many pairs at a time as there are threads: a level of the tree with more
        # pairs takes several iterations.
        half = lines // 2 * self.together
        steps = lines.bit_length() - 1
        iterations = sum(max(1, (half >> step) // self.threads) for step in range(steps))
        far = half > self.threads
        if far:
            distance = b.declare("distance", low.integer(half))
            pair = b.declare("pair", self.thread)
        with device.count("s", low.integer(0), low.integer(iterations), unroll=1) as step:
            apart = device.arithmetic(">>", low.integer(half), step)
            own = self.thread
            if far:
                apart, own = b.snapshot(distance), b.snapshot(pair)
            device.emit(Barrier())
            with b.when(low.below(own, apart)):
                self._merge(states, own, low.plus(own, apart))
            if far:
                next_pair = device.arithmetic("+", own, low.integer(self.threads))
                b.assign(pair, next_pair)
                with b.when(b.call("less_equal", apart, next_pair)):
                    b.assign(pair, self.thread)
                    b.assign(distance, device.arithmetic("/", apart, low.integer(2)))
        device.emit(Barrier())

    def _merge_whole_lines(self, states: Iterable[int], lines: int) -> None:
        """Write the merging of lines of one thread each: a thread merges all columns of two."""
        low, device = self.low, self.low.device
        steps = low.integer(lines.bit_length() - 1)
        with device.count("s", low.integer(0), steps, unroll=1) as step:
            apart = device.arithmetic(">>", low.integer(lines // 2), step)
            device.emit(Barrier())
            with low.builder.when(low.below(self.thread, apart)):
                own = low.times(self.thread, self._whole)
                other = low.times(low.plus(self.thread, apart), self._whole)
                for lane in map(low.integer, range(self._whole)):
                    self._merge(states, low.plus(own, lane), low.plus(other, lane))
        device.emit(Barrier())

    def _merge(self, states: Iterable[int], own: Operand, other: Operand) -> None:
        """Write the merging of the states at two places, of some reductions."""
        for k in states:
            loaded = self._load(self._tiles, k, own)
            state = State(self.low, k, loaded, k in self.parts.deviations)
            state.merge(self._load(self._tiles, k, other))
            self._store(self._tiles, k, state.values, own)

    def _load(
        self, arrays: Mapping[tuple[int, int], Pointer], k: int, place: Operand
    ) -> list[Operand]:
        """Write the loads of a reduction's state."""
        pointers = [arrays[k, n] for n in range(len(self.parts.components[k]))]
        return [self.low.builder.load(pointer, self.low.at(place)) for pointer in pointers]

    def _store(
        self,
        arrays: Mapping[tuple[int, int], Pointer],
        k: int,
        values: Iterable[Operand],
        place: Operand,
    ) -> None:
        """Write the stores of a reduction's state."""
        for n, value in enumerate(values):
            self.low.builder.store(arrays[k, n], self.low.at(place), value)
