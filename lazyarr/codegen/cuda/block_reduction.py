"""Reductions accumulated by GPU threads, and the merging of their partial states.

Sums of float32 and float16 are taken in float64. A thread adds a bounded number of elements, and
the threads' parts are added in a tree, so the rounding error is that of pairwise summation. Which
elements a thread takes depends on the shape alone: the result has the same bits in every run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.reducers import Component, components_of, finish, reducer_of
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value
from lazyarr.loop_ir.reducer import as_dtype
from lazyarr.loop_ir.threads import Barrier
from lazyarr.schedule.index_terms import Term

__all__ = [
    "ChunkLoop",
    "State",
    "across_block",
    "across_lanes",
    "deviation_of",
    "result_of",
    "state_of",
    "total_of_block",
    "write_iterations",
]

FLOAT64 = np.dtype(np.float64)
#: The position of the best element where none was better than the worst that there can be.
NOWHERE = -1


class State:
    """The running state of one reduction in the variables of a thread.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    k : int
        The reduction's term.
    start : sequence of Operand
        What it holds at first; else that of no elements.
    drifting : bool
        Whether the deviations are summed too, not only their squares.
    """

    def __init__(
        self,
        low: DeviceLowering,
        k: int,
        start: Sequence[Operand] | None = None,
        drifting: bool = False,
    ) -> None:
        self.low = low
        self.k, self.drifting = k, drifting
        self.term = low.terms[k]
        self.components = state_of(low, k, drifting)
        self.reducer = reducer_of(self.term)
        start = start or [low.builder.literal(c.initial, c.dtype) for c in self.components]
        names = [self.reducer.name] * len(start)
        if drifting:
            names[-1] = "drift"
        self.values: list[Value] = [
            low.builder.declare(name, value) for name, value in zip(names, start, strict=True)
        ]

    @property
    def positional(self) -> bool:
        """Whether the result is a position."""
        return self.reducer.is_positional

    def reset(self) -> None:
        """Write that it holds no elements."""
        for value, component in zip(self.values, self.components, strict=True):
            self.low.builder.assign(
                value, self.low.builder.literal(component.initial, component.dtype)
            )

    def step(self, value: Operand, position: Operand) -> None:
        """Take in one element, behind all before.

        Parameters
        ----------
        value : Operand
            The element.
        position : Operand
            Where it is along the reduced axes.
        """
        if self.positional:
            self.merge([value, position], behind=True)
        elif self.reducer.primitive is not None:
            self.merge([value])
        else:
            self._assign(self.reducer.step(self.low.builder, self.state(), [value]))

    def step_from(self, mean: Operand, value: Operand) -> None:
        """Accumulate the difference of an element from a mean.

        Parameters
        ----------
        mean : Operand
            A float64.
        value : Operand
            The element.
        """
        b = self.low.builder
        away = b.call("subtract", b.call("convert", value, dtype=FLOAT64), mean)
        self.merge([b.call("multiply", away, away), away][: len(self.values)])

    def merge(self, parts: Sequence[Operand], behind: bool = False) -> None:
        """Take in the state of other elements.

        Parameters
        ----------
        parts : sequence of Operand
            The state of the other elements.
        behind : bool, optional
            Whether they lie behind all before.
        """
        b, primitive = self.low.builder, self.reducer.primitive
        if self.positional:
            self._take_better(parts[0], parts[1], behind)
            return
        if primitive is None:
            self._assign(self.reducer.merge(b, self.state(), parts))
            return
        for value, part in zip(self.values, parts, strict=True):
            b.update(value, primitive(value.dtype), value, as_dtype(b, part, value.dtype))

    def state(self) -> list[Operand]:
        """Write the values of the variables as they are now."""
        return [self.low.builder.snapshot(value) for value in self.values]

    def _assign(self, state: Sequence[Operand]) -> None:
        for variable, value in zip(self.values, state, strict=True):
            self.low.builder.assign(variable, value)

    def _take_better(self, value: Operand, position: Operand, behind: bool) -> None:
        """Keep the first best element; the first NaN beats everything, as in NumPy.

        Threads do not meet the elements in order, so of equal ones the lower position wins.
        """
        b, better = self.low.builder, self.reducer.better
        assert better is not None
        best, place = self.values
        leader, at = b.snapshot(best), b.snapshot(place)
        taken = better(b, value, leader)
        if not behind:
            alike = b.call("not", better(b, leader, value))
            sooner = b.call("less", position, at)
            taken = b.call("or", taken, b.call("and", sooner, alike))
        b.update(place, "select", taken, position, at)
        b.update(best, "select", taken, value, leader)

    def result(self) -> Operand:
        """Return the reduced value in the node's dtype."""
        b, reducer = self.low.builder, self.reducer
        if reducer.primitive is None:
            return result_of(self.low, self.term, reducer.finish(b, self.state()))
        final = reducer.finish(b, self.values)
        assert isinstance(final, Value)
        return result_of(self.low, self.term, b.snapshot(final))


def result_of(low: DeviceLowering, term: Term, final: Operand) -> Operand:
    """Return the reduced value in the node's dtype, from the finished state.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    term : Term
        The reduction.
    final : Operand
        What its last state amounts to.
    """
    if reducer_of(term).is_positional:
        # Where nothing is better than nothing, all elements are alike, and the first is the best.
        final = low.builder.call("maximum", final, low.integer(0))
    return finish(low.builder, term, final)


def across_lanes(
    low: DeviceLowering, states: Sequence[State], lanes: int, apart: bool = False
) -> None:
    """Give every one of `lanes` neighbouring threads the state of all of them.

    The steps are a loop, whose code takes NVRTC a tenth less for a whole kernel, or `apart`: around
    a loop, rows of float64 that are kept in registers take up to 5 % longer.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    states : sequence of State
        Those of a thread.
    lanes : int
        Threads that exchange them: a power of two, 32 at most.
    apart : bool, optional
        Whether the steps are written out.
    """
    if lanes == 1 or not states:
        return
    device, steps = low.device, lanes.bit_length() - 1
    if apart:
        for step in range(steps):
            distance = low.integer(lanes >> step + 1)
            for state in states:
                state.merge([device.shuffle(value, distance) for value in state.values])
        return
    with device.count("s", low.integer(0), low.integer(steps), unroll=1) as iteration:
        moving = device.arithmetic(">>", low.integer(lanes // 2), iteration)
        for state in states:
            state.merge([device.shuffle(value, moving) for value in state.values])


def across_block(
    low: DeviceLowering,
    states: Sequence[State],
    threads: int,
    thread: Value,
    apart: bool = False,
) -> None:
    """Give every thread of a block the state of all of them.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    states : sequence of State
        Those of a thread.
    threads : int
        Of the block.
    thread : Value
        The number of this one.
    apart : bool, optional
        Whether the steps are written out, as in :func:`across_lanes`.
    """
    across_lanes(low, states, WARP, apart)
    warps = threads // WARP
    if warps == 1 or not states:
        return
    b, device = low.builder, low.device
    lane = device.arithmetic("%", thread, low.integer(WARP))
    warp = device.arithmetic("/", thread, low.integer(WARP))
    arrays: list[list[Pointer]] = [
        [device.array("warps", value.dtype, warps, True) for value in state.values]
        for state in states
    ]
    with b.when(b.call("equal", lane, low.integer(0))):
        for state, shared in zip(states, arrays, strict=True):
            for value, array in zip(state.values, shared, strict=True):
                b.store(array, Index(0, ((1, warp),)), value)
    device.emit(Barrier())
    mine = device.arithmetic("%", thread, low.integer(warps))
    for state, shared in zip(states, arrays, strict=True):
        for value, array in zip(state.values, shared, strict=True):
            b.assign(value, b.load(array, low.at(mine)))
    across_lanes(low, states, warps, apart)


def total_of_block(
    low: DeviceLowering, states: Sequence[State], threads: int, thread: Value, tree_bytes: int
) -> None:
    """Give every thread of a block the state of all of them, by a tree in shared memory.

    A loop of barriers takes longer than shuffles and half of their code, for what a thread does
    once after a long loop. Where there are many states, some go to the tree after others.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    states : sequence of State
        Those of a thread.
    threads : int
        Of the block: a power of two.
    thread : Value
        The number of this one.
    tree_bytes : int
        Bytes of shared memory that one tree may take.
    """
    memory: dict[tuple[int, np.dtype[Any]], Pointer] = {}
    for group in _together(states, tree_bytes // threads):
        _tree_of_block(low, group, threads, thread, memory)


def _together(states: Sequence[State], most: int) -> Iterator[list[State]]:
    """Yield the states in groups of which a thread's take `most` bytes, or that are a state."""
    group: list[State] = []
    size = 0
    for state in states:
        nbytes = sum(value.dtype.itemsize for value in state.values)
        if group and size + nbytes > most:
            yield group
            group, size = [], 0
        group.append(state)
        size += nbytes
    yield group


def _tree_of_block(
    low: DeviceLowering,
    states: Sequence[State],
    threads: int,
    thread: Value,
    memory: dict[tuple[int, np.dtype[Any]], Pointer],
) -> None:
    """Write the tree of some states, in memory that those before it may have used."""
    b, device = low.builder, low.device
    device.emit(Barrier())  # some may still read what an iteration or a tree before left behind
    trees: list[list[Pointer]] = []
    places: Counter[np.dtype[Any]] = Counter()
    for state in states:
        trees.append([])
        for value in state.values:
            key = (places[value.dtype], value.dtype)
            if key not in memory:
                memory[key] = device.array("tree", value.dtype, threads, True)
            places[value.dtype] += 1
            trees[-1].append(memory[key])
    for state, tree in zip(states, trees, strict=True):
        for value, array in zip(state.values, tree, strict=True):
            b.store(array, low.at(thread), value)
    steps = low.integer(threads.bit_length() - 1)
    with device.count("s", low.integer(0), steps, unroll=1) as iteration:
        distance = device.arithmetic(">>", low.integer(threads // 2), iteration)
        device.emit(Barrier())
        with b.when(low.below(thread, distance)):
            other = low.plus(thread, distance)
            for state, tree in zip(states, trees, strict=True):
                own = [b.load(array, low.at(thread)) for array in tree]
                joint = State(low, state.k, own, state.drifting)
                joint.merge([b.load(array, low.at(other)) for array in tree])
                for value, array in zip(joint.values, tree, strict=True):
                    b.store(array, low.at(thread), value)
    device.emit(Barrier())
    for state, tree in zip(states, trees, strict=True):
        for value, array in zip(state.values, tree, strict=True):
            b.assign(value, b.load(array, low.at(low.integer(0))))


def state_of(low: DeviceLowering, k: int, drifting: bool = False) -> tuple[Component, ...]:
    """Return the state that a reduction keeps on a device, where positions are indices.

    That of deviations may be `drifting`: behind the squares lies the sum of the deviations.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    k : int
        The reduction.
    drifting : bool, optional
        Whether the sum of the deviations lies behind their squares.
    """
    components = components_of(low.terms[k])
    if reducer_of(low.terms[k]).is_positional:
        return components[0], Component(low.index_dtype, NOWHERE)
    return (*components, Component(FLOAT64, 0)) if drifting else components


def deviation_of(low: DeviceLowering, k: int) -> bool:
    """Whether a reduction is the squared deviation from the mean.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    k : int
        The reduction.
    """
    return reducer_of(low.terms[k]).centred


class ChunkLoop(NamedTuple):
    """The loop of a block's threads over the iterations of a chunk.

    Attributes
    ----------
    iterations : Operand
        The iterations of a whole chunk.
    full : Operand
        The iterations of this chunk in which all threads take part.
    divisor : int
        A divisor of `iterations`.
    unroll : int
        The unroll factor.
    is_exact : bool
        Whether all chunks are whole.
    """

    iterations: Operand
    full: Operand
    divisor: int
    unroll: int
    is_exact: bool


def write_iterations(
    low: DeviceLowering,
    loop: ChunkLoop,
    inside: Callable[[Operand], Operand],
    work: Callable[[Operand], None],
    rest: Callable[[Operand], None] | None = None,
) -> None:
    """Write the iterations of a chunk.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    loop : ChunkLoop
        Their numbers, and the unroll factor.
    inside : callable
        Writes whether a thread takes part in an iteration of this number.
    work : callable
        Writes what it does in it.
    rest : callable, optional
        Writes the same for iterations in which a thread may meet the end.
    """
    device, unroll, full = low.device, loop.unroll, loop.full
    whole = loop.is_exact and loop.divisor % unroll == 0
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
        # What is left of a group, and the iteration in which a part of the threads takes part.
        end = low.least(loop.iterations, low.plus(full, low.integer(1)))
        with device.count("k", done, end, unroll=1) as k, low.builder.when(inside(k)):
            (rest or work)(k)
