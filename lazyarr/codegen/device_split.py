"""Lowering of long rows for GPUs: blocks reduce chunks, and the last block combines them.

How a row is cut depends on its length alone, and the chunks are combined in a fixed order, so the
result has the same bits in every run and on every device.

Squared deviations are taken about a number of the chunk's, with the sum of the deviations beside
them, from which the squares about the mean follow: about its first element, in float64. What that
cancels of float64's digits lies far below those of float32. Where float64 is asked for, it is the
mean of the chunk's first part, an eighth, which is swept beforehand: squares about it are at most
nine times those about the mean, so that three bits may be cancelled. In the same way the chunks
are combined. The formulas are those of Chan, Golub and LeVeque (Algorithms for computing the sample
variance, The American Statistician 37, 1983).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import gcd
from typing import Any

import numpy as np

from lazyarr.codegen.accumulate import Component
from lazyarr.codegen.device import LastBlock
from lazyarr.codegen.device_lowering import DeviceLaunch, DeviceLowering
from lazyarr.codegen.device_reduce import (
    State,
    deviation_of,
    result_of,
    state_of,
    total_of_block,
    write_turns,
)
from lazyarr.codegen.frame import Frame, LoopAxis
from lazyarr.codegen.kernel import Operand, Pointer, Value
from lazyarr.fusion import Group
from lazyarr.ir import Kind, Node
from lazyarr.memory import Plan

__all__ = ["Parts", "first_part", "lower_split", "split_stores"]

FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)
THREADS = 256
#: Vectors that one thread takes of a chunk: few for short rows, so that all of the device works.
TURNS = (8, 16, 32, 64)
#: Chunks of a row that are enough to keep a device busy.
ENOUGH_CHUNKS = 4096
#: Turns whose loads overlap.
UNROLL = 4
#: Numbers of chunks that a thread loads at once where they are combined.
LOADS_AT_ONCE = 8
#: Turns that tell about what the deviations of a short chunk are taken.
FIRST_TURNS = 4
#: Blocks that a multiprocessor has room for where deviations are taken. If that is not said, ptxas
#: goes for twice as many with 32 registers a thread, in which the loads of turns do not overlap:
#: a standard deviation of float32 takes 1.36 of the time.
RESIDENT = 4


class Parts:
    """Where the states of the chunks lie: one array a component, chunk by chunk, then result.

    Attributes
    ----------
    deviations, early : list of int
        The reductions' terms: those of deviations, and the others.
    passes : int
        How often the deviations of a chunk are swept.
    """

    def __init__(self, low: DeviceLowering, chunks: int, results: int) -> None:
        self.low = low
        found = [
            k
            for k, term in enumerate(low.terms)
            if not term.loaded and term.node.op.kind is Kind.REDUCE
        ]
        self.deviations = [k for k in found if deviation_of(low, k)]
        self.passes = 2 if any(low.terms[k].dtype == FLOAT64 for k in self.deviations) else 1
        # A sum that only stands for the mean of deviations is not taken.
        used = {k for k, _ in low.stores}
        for k, term in enumerate(low.terms):
            used.update(term.args[:1] if k in self.deviations else term.args)
        self.early = [k for k in found if k not in self.deviations and k in used]
        self.components: dict[int, tuple[Component, ...]] = {}
        self.offsets: dict[tuple[int, int], int] = {}
        at = 0
        for k in self.reductions:
            self.components[k] = state_of(low, k, k in self.deviations)
            for n, component in enumerate(self.components[k]):
                self.offsets[k, n] = at
                at += -(-chunks * results * component.dtype.itemsize // 256) * 256
        #: Where the numbers lie about which the deviations of chunks were taken.
        self.centre_offsets: dict[int, int] = {}
        for k in self.deviations:
            self.centre_offsets[k] = at
            at += -(-chunks * results * FLOAT64.itemsize // 256) * 256
        self.nbytes = at

    @property
    def reductions(self) -> list[int]:
        """The terms of all."""
        return self.early + self.deviations

    def pointer(self, k: int, n: int) -> Pointer:
        """Return the parameter of one component of a reduction's states."""
        return self.low.part(("part", k, n), self.components[k][n].dtype, self.offsets[k, n])

    def store(self, k: int, values: Sequence[Operand], *place: Operand) -> None:
        """Write the state of a chunk."""
        for n, value in enumerate(values):
            self.low.builder.store(self.pointer(k, n), self.low.at(*place), value)

    def centre_pointer(self, k: int) -> Pointer:
        """Return the parameter of the numbers about which deviations were taken."""
        return self.low.part(("centre", k), FLOAT64, self.centre_offsets[k])

    def store_centre(self, k: int, centre: Operand, *place: Operand) -> None:
        """Write the number about which the deviations of a chunk were taken."""
        self.low.builder.store(self.centre_pointer(k), self.low.at(*place), centre)

    def load_centre(self, k: int, *place: Operand) -> Value:
        """Write the load of that number."""
        return self.low.builder.load(self.centre_pointer(k), self.low.at(*place))

    def state(self, k: int) -> State:
        """Write the state of no elements."""
        return State(self.low, k, drifting=k in self.deviations)

    def load_moved(self, k: int, centre: Operand, count: Operand, *place: Operand) -> list[Operand]:
        """Write the load of a chunk's deviations, squared and not, about another number.

        Parameters
        ----------
        k : int
            The reduction.
        centre : Operand
            The number.
        count : Operand
            The elements of the chunk.
        place : Operand
            Where it is.
        """
        b = self.low.builder
        away = b.call("subtract", self.load_centre(k, *place), centre)
        squares, drift = self.load(k, *place)
        far = b.call("multiply", away, count)
        between = b.call("add", b.call("add", drift, drift), far)
        return [
            b.call("add", squares, b.call("multiply", away, between)),
            b.call("add", drift, far),
        ]

    def sweep(
        self,
        states: Mapping[int, Sequence[State]],
        centres: Mapping[int, Sequence[Value]],
        inverse: Callable[[], Operand],
        work: Callable[[Operand | None], None],
    ) -> None:
        """Write the passes over elements, or over chunks, that reductions need.

        Parameters
        ----------
        states : mapping of int to sequence of State
            The states of reductions, of no elements.
        centres : mapping of int to sequence of Value
            For each state of deviations the variable that says about what they are taken. After the
            first of two passes it becomes the mean.
        inverse : callable
            Writes one by the number of elements of that pass.
        work : callable
            Writes a pass, after which all threads know the sum of deviations. It is given the
            number of the pass, 0 or 1, if there are two.
        """
        b, device, low = self.low.builder, self.low.device, self.low
        if self.passes == 1:
            work(None)
            return
        factor = inverse()
        with device.count("p", low.integer(0), low.integer(2), unroll=1) as number:
            for k, variables in centres.items():
                for centre, state in zip(variables, states[k], strict=True):
                    step = b.call("multiply", b.snapshot(state.values[1]), factor)
                    b.update(centre, "add", centre, step)
            for found in states.values():
                for state in found:
                    state.reset()
            work(number)

    @property
    def at_once(self) -> int:
        """How many chunks a thread loads at once."""
        numbers = sum(map(len, self.components.values())) + len(self.deviations)
        return max(1, LOADS_AT_ONCE // (1 << (numbers - 1).bit_length()))

    def about_mean(self, state: Sequence[Operand], length: int) -> Operand:
        """Write the squared deviations of all elements from their mean."""
        b = self.low.builder
        squares, drift = state
        mean = b.call("multiply", drift, self.inverse(length))
        return b.call("subtract", squares, b.call("multiply", drift, mean))

    def inverse(self, length: int) -> Value:
        """Return the parameter that passes one by a number of elements."""
        return self.low.real(("inverse", length), 1.0 / max(1, length))

    def turns(self, number: Operand | None, part: int, whole: Value) -> Operand:
        """Write how many turns there are in a pass: the first one takes a part of them."""
        low, b = self.low, self.low.builder
        if number is None:
            return whole
        first = b.call("equal", number, low.integer(0))
        return b.call("select", first, low.number("first turns", part, "n"), whole)

    def inverse_of_part(
        self, sizes: tuple[int, int, int], chunk: Operand, chunks: Operand
    ) -> Operand:
        """Write one by the number of elements of the first part of a chunk.

        Parameters
        ----------
        sizes : (int, int, int)
            Elements of all, of a chunk that is no last one, and of the first part of that.
        chunk, chunks : Operand
            Which one it is, of how many.
        """
        low, b = self.low, self.low.builder
        length, whole, part = sizes
        rest = length % whole
        if not 0 < rest < part:
            return self.inverse(part)
        inverse = low.real("inverse of the last", 1.0 / rest)
        if length < whole:
            return inverse
        is_last = b.call("equal", low.plus(chunk, low.integer(1)), chunks)
        return b.call("select", is_last, inverse, self.inverse(part))

    def load(self, k: int, *place: Operand) -> list[Operand]:
        """Write the loads of a chunk's state."""
        return [
            self.low.builder.load(self.pointer(k, n), self.low.at(*place))
            for n in range(len(self.components[k]))
        ]


def first_part(turns: int) -> int:
    """Return how many of the turns of a chunk tell about what its deviations are taken."""
    return min(turns, max(FIRST_TURNS, turns // 8))


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
    resident = RESIDENT if made.parts.deviations else 1
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
        self.part = first_part(turns)
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
            states = {k: [parts.state(k)] for k in parts.reductions}
            centres = self._pivots()
            sizes = self.length, self.per_chunk, self.part * self._step
            inverse = partial(parts.inverse_of_part, sizes, chunk, n_chunks)

            def work(number: Operand | None) -> None:
                about = {k: b.snapshot(centres[k][0]) for k in centres}
                self._sweep({k: state for k, (state,) in states.items()}, about, number)

            parts.sweep(states, centres, inverse, work)
            leader = b.call("equal", self.thread, low.integer(0))
            if self.chunks == 1:
                self._put_results(states)
                self._finish(leader)
                return self.outer.size * self.chunks
            with b.when(leader):
                for k, (state,) in states.items():
                    parts.store(k, [b.snapshot(v) for v in state.values], block)
                for k, (centre,) in centres.items():
                    parts.store_centre(k, b.snapshot(centre), block)
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

    def _pivots(self) -> dict[int, list[Value]]:
        """Write variables of the first elements of the chunk, about which deviations are taken."""
        low, b = self.low, self.low.builder
        pivots: dict[int, Operand] = {k: b.literal(0, FLOAT64) for k in self.parts.deviations}
        if pivots and self.length:
            wanted = low.needed([low.terms[k].args[0] for k in pivots])

            def take(lane: int, counter: Operand) -> None:
                for k in pivots:
                    value = low.value(low.terms[k].args[0])
                    pivots[k] = b.call("convert", value, dtype=FLOAT64)

            low.lanes(self.inner, low.decode(self.first, self.inner), 1, wanted, [], take)
        return {k: [b.declare("centre", pivot)] for k, pivot in pivots.items()}

    def _sweep(
        self, states: dict[int, State], centres: dict[int, Value], number: Operand | None
    ) -> None:
        """Write one pass over a chunk; all threads get its states."""
        low, device = self.low, self.low.device
        count = self.parts.turns(number, self.part, self.turn_count)
        several = len(self.inner.axes) > 1

        def turn(number: Operand) -> Operand:
            vector = low.plus(low.times(number, THREADS), self.thread)
            return low.plus(self.first, low.times(vector, self.width))

        def work(place: Operand) -> None:
            counters = [place]
            if several:
                counters = low.decode(place, self.inner)
            low.lanes(self.inner, counters, self.width, self.wanted, self.stores, consume(place))

        def consume(place: Operand) -> Callable[[int, Operand], None]:
            def take(lane: int, counter: Operand) -> None:
                at = counter
                if several and any(state.positional for state in states.values()):
                    at = low.plus(place, low.integer(lane))
                for k, state in states.items():
                    value = low.value(low.terms[k].args[0])
                    if k in centres:
                        state.step_from(centres[k], value)
                    else:
                        state.step(value, at)

            return take

        left = device.arithmetic("-", self.size, self.first)
        full = low.least(count, device.arithmetic("/", left, low.integer(self._step)))
        write_turns(
            low,
            (gcd(self.part, self.turns), count),
            full,
            low.overlapping(self.wanted, UNROLL, self.width),
            self.length % self.per_chunk == 0,
            lambda k: low.below(turn(k), self.size),
            lambda k: work(turn(k)),
        )
        total_of_block(low, list(states.values()), THREADS, self.thread)

    def _combine(self, row: Operand, n_chunks: Value) -> None:
        """Write the combining of all chunks by the last block's threads."""
        low, b, device = self.low, self.low.builder, self.low.device
        parts = self.parts
        base = device.arithmetic("*", row, n_chunks) if self.outer.axes else low.integer(0)
        states = {k: [parts.state(k)] for k in parts.reductions}
        centres = {k: [b.declare("centre", parts.load_centre(k, base))] for k in parts.deviations}

        def work(_: Operand | None) -> None:
            about = {k: b.snapshot(centres[k][0]) for k in centres}

            def take(chunk: Operand) -> None:
                for k, (state,) in states.items():
                    if k in about:
                        found = parts.load_moved(k, about[k], self._elements(chunk), base, chunk)
                    else:
                        found = parts.load(k, base, chunk)
                    state.merge(found, behind=True)

            self._each_chunk(n_chunks, take)
            total_of_block(low, [state for (state,) in states.values()], THREADS, self.thread)

        parts.sweep(states, centres, partial(parts.inverse, self.length), work)
        self._put_results(states)

    def _each_chunk(self, n_chunks: Value, take: Callable[[Operand], None]) -> None:
        """Write a loop over the chunks that are a thread's of the last block."""
        low, device = self.low, self.low.device
        # Copies take NVRTC time, and one or two turns are over soon.
        copies = 1 if self.chunks <= 2 * THREADS else self.parts.at_once
        each = THREADS * copies
        rounded = device.arithmetic("+", n_chunks, low.integer(each - 1))
        turns = device.arithmetic("/", rounded, low.integer(each))
        with device.count("c", low.integer(0), turns, unroll=1) as c:
            first = low.plus(low.times(c, each), self.thread)
            if copies == 1:
                with low.builder.when(low.below(first, n_chunks)):
                    take(first)
                return
            with device.count("j", low.integer(0), low.integer(copies), unroll=0) as j:
                chunk = low.plus(first, low.times(j, THREADS))
                with low.builder.when(low.below(chunk, n_chunks)):
                    take(chunk)

    def _put_results(self, states: dict[int, list[State]]) -> None:
        """Write what the states of whole rows amount to."""
        low, parts = self.low, self.parts
        for k, (state,) in states.items():
            if k in parts.deviations:
                final = [low.builder.snapshot(value) for value in state.values]
                low.put(k, result_of(low, low.terms[k], parts.about_mean(final, self.length)))
            else:
                low.put(k, state.result())

    def _finish(self, leader: Operand) -> None:
        """Write what follows from the results."""
        low, b = self.low, self.low.builder
        with b.when(leader):
            known = [k for k in range(len(low.terms)) if low.get(k) is not None]
            low.write(
                k
                for k in low.needed([low.stores[p][0] for p in self.rest], known)
                if low.get(k) is None
            )
            for p in self.rest:
                low.store(*low.stores[p])
