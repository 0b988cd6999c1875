"""Lowering of long rows for GPUs: blocks reduce chunks, and the last block combines them.

How a row is cut depends on its length alone, and the chunks are combined in a fixed order, so the
result has the same bits in every run and on every device. Squared deviations are taken about each
chunk's own mean while the chunk is in cache, and combined with the formula of Chan, Golub and
LeVeque (Algorithms for computing the sample variance, The American Statistician 37, 1983), with
the sum of the deviations kept, so that the rounding of the chunk's mean does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from lazyarr.codegen.accumulate import Component
from lazyarr.codegen.device import LastBlock
from lazyarr.codegen.device_lowering import DeviceLaunch, DeviceLowering
from lazyarr.codegen.device_reduce import (
    State,
    across_block,
    deviation_of,
    state_of,
)
from lazyarr.codegen.frame import Frame, LoopAxis
from lazyarr.codegen.kernel import Operand, Pointer, Value
from lazyarr.fusion import Group
from lazyarr.ir import Kind, Node
from lazyarr.memory import Plan

__all__ = ["Parts", "lower_split", "split_stores", "squares_about"]

FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)
THREADS = 256
#: Vectors that one thread takes of a chunk: few for short rows, so that all of the device works.
TURNS = (8, 16, 32, 64)
#: Chunks of a row that are enough to keep a device busy.
ENOUGH_CHUNKS = 4096
#: Turns whose loads overlap.
UNROLL = 4
#: Blocks that a multiprocessor has room for where deviations are taken. If that is not said, ptxas
#: goes for twice as many with 32 registers a thread, in which the loads of turns do not overlap:
#: a standard deviation of float32 takes 1.36 of the time.
RESIDENT = 4


class Parts:
    """Where the states of the chunks lie: one array a component, chunk by chunk, then result.

    Attributes
    ----------
    reductions : list of int
        The reductions' terms.
    late : list of int
        The deviations among them, and `early` the others.
    drifting : list of int
        The deviations that are summed too, not only their squares. What the sum of deviations from
        a rounded mean adds to the squares is below the digits of float32, whose means are float64.
    """

    def __init__(self, low: DeviceLowering, chunks: int, results: int) -> None:
        self.low = low
        self.reductions = [
            k
            for k, term in enumerate(low.terms)
            if not term.loaded and term.node.op.kind is Kind.REDUCE
        ]
        self.late = [k for k in self.reductions if deviation_of(low, k)]
        self.early = [k for k in self.reductions if k not in self.late]
        several = [k for k in self.late if chunks > 1]
        self.drifting = [k for k in several if low.terms[k].dtype == FLOAT64]
        self.components: dict[int, tuple[Component, ...]] = {}
        self.offsets: dict[tuple[int, int], int] = {}
        at = 0
        for k in self.reductions:
            self.components[k] = state_of(low, k, k in self.drifting)
            for n, component in enumerate(self.components[k]):
                self.offsets[k, n] = at
                at += -(-chunks * results * component.dtype.itemsize // 256) * 256
        #: Where the means of chunks lie about which deviations were taken.
        self.mean_offsets: dict[int, int] = {}
        for k in self.late:
            self.mean_offsets[k] = at
            at += -(-chunks * results * FLOAT64.itemsize // 256) * 256
        self.nbytes = at

    def pointer(self, k: int, n: int) -> Pointer:
        """Return the parameter of one component of a reduction's states."""
        return self.low.part(("part", k, n), self.components[k][n].dtype, self.offsets[k, n])

    def store(self, k: int, values: Sequence[Operand], *place: Operand) -> None:
        """Write the state of a chunk."""
        for n, value in enumerate(values):
            self.low.builder.store(self.pointer(k, n), self.low.at(*place), value)

    def mean_pointer(self, k: int) -> Pointer:
        """Return the parameter of the means of chunks."""
        return self.low.part(("mean", k), FLOAT64, self.mean_offsets[k])

    def store_mean(self, k: int, mean: Operand, *place: Operand) -> None:
        """Write the mean of a chunk about which its deviations were taken."""
        self.low.builder.store(self.mean_pointer(k), self.low.at(*place), mean)

    def load_mean(self, k: int, *place: Operand) -> Value:
        """Write the load of a chunk's mean."""
        return self.low.builder.load(self.mean_pointer(k), self.low.at(*place))

    def state(self, k: int) -> State:
        """Write the first state of a chunk."""
        return State(self.low, k, drifting=k in self.drifting)

    def load(self, k: int, *place: Operand) -> list[Operand]:
        """Write the loads of a chunk's state."""
        return [
            self.low.builder.load(self.pointer(k, n), self.low.at(*place))
            for n in range(len(self.components[k]))
        ]


def split_stores(low: DeviceLowering, reduced: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the positions of the stores that each element makes, and of those at the end."""
    full: list[int] = []
    rest: list[int] = []
    for position, (k, place) in enumerate(low.stores):
        spans = any(place.strides[axis] for axis in reduced)
        needs = any(
            low.terms[j].node.op.kind is Kind.REDUCE and not low.terms[j].loaded
            for j in low.needed([k])
        )
        (full if spans and not needs else rest).append(position)
    return full, rest


def squares_about(
    low: DeviceLowering, mean: Operand, own: Operand, count: Operand, state: Sequence[Operand]
) -> Operand:
    """Write the squared deviations of a chunk from the mean of all.

    The state of the chunk, whose mean is about `own`, is that of the deviations from this number.
    """
    b = low.builder
    squares, *drifts = state
    away = b.call("subtract", own, mean)
    if not drifts:
        return b.call("add", squares, b.call("multiply", b.call("multiply", away, away), count))
    (drift,) = drifts
    between = b.call("add", b.call("add", drift, drift), b.call("multiply", away, count))
    return b.call("add", squares, b.call("multiply", away, between))


def lower_split(
    group: Group,
    plan: Plan,
    layouts: dict[Node, Any],
    comments: Sequence[str],
    vectors: bool = True,
) -> tuple[DeviceLaunch, int]:
    """Return the kernel of a group and the scratch bytes it needs."""
    low = DeviceLowering(group, plan, layouts, vectors)
    reduced = list(group.reduced)
    kept = [axis for axis in range(len(group.domain)) if axis not in set(reduced)]
    outer, inner = low.frame(kept), low.frame(reduced)
    if not inner.axes:
        inner = Frame((LoopAxis(1, ()),))
    stores, rest = split_stores(low, reduced)
    wanted = low.needed(_sinks(low, stores))
    width = low.width(inner.axes[-1], wanted, stores)
    otherwise = None
    if width > 1:
        otherwise, _ = lower_split(group, plan, layouts, comments, False)
    made = _Split(low, outer, inner, width, wanted, stores, rest)
    blocks = made.write()
    resident = RESIDENT if made.parts.late else 1
    launch = low.device_launch(blocks, THREADS, comments, otherwise, resident)
    return launch, made.parts.nbytes


def _sinks(low: DeviceLowering, stores: Sequence[int]) -> list[int]:
    found = [
        term.args[0] for term in low.terms if not term.loaded and term.node.op.kind is Kind.REDUCE
    ]
    return found + [low.stores[p][0] for p in stores]


class _Split:
    """The code of a split reduction."""

    def __init__(
        self,
        low: DeviceLowering,
        outer: Frame,
        inner: Frame,
        width: int,
        wanted: Sequence[int],
        stores: Sequence[int],
        rest: Sequence[int],
    ) -> None:
        self.low = low
        self.outer, self.inner = outer, inner
        self.width = width
        self.wanted = wanted
        self.stores, self.rest = stores, rest
        self.length = inner.size
        step = THREADS * width
        turns = next((t for t in TURNS if self.length <= t * step * ENOUGH_CHUNKS), TURNS[-1])
        self.turns = turns
        self.per_chunk = step * turns
        self.chunks = max(1, -(-self.length // self.per_chunk))
        self.parts = Parts(low, self.chunks, outer.size)

    def write(self) -> int:
        """Write the kernel and return its number of blocks."""
        low, b, device = self.low, self.low.builder, self.low.device
        block = device.builtin("block")
        self.thread = device.builtin("thread")
        n_chunks = low.number("chunks", self.chunks, "n")
        row: Operand = low.integer(0)
        chunk: Operand = block
        if self.outer.axes:
            row = device.arithmetic("/", block, n_chunks)
            chunk = device.arithmetic("%", block, n_chunks)
        self.size = low.number("length", self.length, "n")
        self.turn_count = low.number("turns", self.turns, "n")
        self.first = low.times(device.arithmetic("*", chunk, self.turn_count), self._step)
        parts = self.parts
        with low.inside(self.outer, low.decode(row, self.outer) if self.outer.axes else ()):
            states = self._sweep(parts.early, self.stores, None)
            means: dict[int, Operand] = {}
            if parts.late:
                count = self._elements(chunk)
                means = {k: self._own_mean(states, k, count) for k in parts.late}
                states |= self._sweep(parts.late, [], means)
            leader = b.call("equal", self.thread, low.integer(0))
            if self.chunks == 1:
                for k, state in states.items():
                    low.put(k, state.result())
                self._finish(leader)
                return self.outer.size * self.chunks
            with b.when(leader):
                for k, state in states.items():
                    parts.store(k, [b.snapshot(v) for v in state.values], block)
                for k, mean in means.items():
                    parts.store_mean(k, mean, block)
            last = device.fresh("last", BOOL)
            device.emit(LastBlock(last, low.counters(self.outer.size), row, n_chunks))
            with b.when(last):
                self._combine(row, n_chunks)
                self._finish(leader)
        return self.outer.size * self.chunks

    @property
    def _step(self) -> int:
        return THREADS * self.width

    def _elements(self, chunk: Operand) -> Operand:
        """Write the number of elements of a chunk, as float64."""
        low, device = self.low, self.low.device
        whole = low.times(self.turn_count, self._step)
        left = device.arithmetic("-", self.size, device.arithmetic("*", chunk, whole))
        return low.builder.call("convert", low.least(left, whole), dtype=FLOAT64)

    def _own_mean(self, states: dict[int, State], k: int, count: Operand) -> Operand:
        b = self.low.builder
        total = b.snapshot(states[self.low.terms[k].args[1]].values[0])
        with self.low.device.seldom():
            return b.call("divide", b.call("convert", total, dtype=FLOAT64), count)

    def _sweep(
        self, reductions: Sequence[int], stores: Sequence[int], means: dict[int, Operand] | None
    ) -> dict[int, State]:
        """Write one pass over a chunk; all threads get its states."""
        low, b, device = self.low, self.low.builder, self.low.device
        states = {k: self.parts.state(k) for k in reductions}
        wanted = self.wanted
        if means is not None:
            wanted = low.needed([low.terms[k].args[0] for k in reductions])

        several = len(self.inner.axes) > 1

        def turn(number: Operand) -> Operand:
            vector = low.plus(low.times(number, THREADS), self.thread)
            return low.plus(self.first, low.times(vector, self.width))

        def work(place: Operand) -> None:
            counters = [place]
            if several:
                counters = low.decode(place, self.inner)
            low.lanes(self.inner, counters, self.width, wanted, stores, consume(place))

        def consume(place: Operand) -> Callable[[int, Operand], None]:
            def take(lane: int, counter: Operand) -> None:
                at = counter
                if several and any(state.positional for state in states.values()):
                    at = low.plus(place, low.integer(lane))
                for k, state in states.items():
                    value = low.value(low.terms[k].args[0])
                    if means is not None:
                        state.step_from(means[k], value)
                    else:
                        state.step(value, at)

            return take

        left = device.arithmetic("-", self.size, self.first)
        full = low.least(self.turn_count, device.arithmetic("/", left, low.integer(self._step)))
        unroll = low.written_out(wanted, UNROLL, self.width)
        with device.count("k", low.integer(0), full, unroll=unroll) as k:
            work(turn(k))
        if self.length % self.per_chunk:
            place = turn(full)
            some = low.below(full, self.turn_count)
            with b.when(b.call("and", some, low.below(place, self.size))):
                work(place)
        across_block(low, list(states.values()), THREADS, self.thread)
        return states

    def _combine(self, row: Operand, n_chunks: Value) -> None:
        """Write the combining of all chunks by the last block's threads."""
        low, b, device = self.low, self.low.builder, self.low.device
        parts = self.parts
        base = device.arithmetic("*", row, n_chunks) if self.outer.axes else low.integer(0)
        missing = device.arithmetic("-", n_chunks, self.thread)
        rounded = device.arithmetic("+", missing, low.integer(THREADS - 1))
        turns = device.arithmetic("/", rounded, low.integer(THREADS))
        # Copies take NVRTC time, and one or two turns are over soon.
        unroll = 1 if self.chunks <= 2 * THREADS else None
        states = {k: State(low, k) for k in parts.early}
        with device.count("c", low.integer(0), turns, unroll=unroll) as c:
            chunk = low.plus(low.times(c, THREADS), self.thread)
            for k, state in states.items():
                state.merge(parts.load(k, base, chunk), behind=True)
        across_block(low, list(states.values()), THREADS, self.thread)
        for k, state in states.items():
            low.put(k, state.result())
        if not parts.late:
            return
        count = b.call("convert", self.size, dtype=FLOAT64)
        means = {k: self._own_mean(states, k, count) for k in parts.late}
        late = {k: State(low, k) for k in parts.late}
        if parts.drifting:
            unroll = unroll or 2  # a turn loads several numbers: those of two overlap enough
        with device.count("c", low.integer(0), turns, unroll=unroll) as c:
            chunk = low.plus(low.times(c, THREADS), self.thread)
            elements = self._elements(chunk)
            for k, state in late.items():
                own = parts.load_mean(k, base, chunk)
                held = parts.load(k, base, chunk)
                state.merge([squares_about(low, means[k], own, elements, held)])
        across_block(low, list(late.values()), THREADS, self.thread)
        for k, state in late.items():
            low.put(k, state.result())

    def _finish(self, leader: Operand) -> None:
        """Write what follows from the results."""
        low, b = self.low, self.low.builder
        # A mean of float64 was divided for: what it takes is there already.
        divide = low.device.seldom() if self.parts.late else nullcontext()
        with b.when(leader), divide:
            known = [k for k in range(len(low.terms)) if low.get(k) is not None]
            low.write(
                k
                for k in low.needed([low.stores[p][0] for p in self.rest], known)
                if low.get(k) is None
            )
            for p in self.rest:
                low.store(*low.stores[p])
