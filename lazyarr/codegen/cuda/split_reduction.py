"""Lowering of long rows for GPUs: blocks reduce chunks, and the last block combines them.

How a row is cut depends on its length alone, and the chunks are combined in a fixed order, so the
result has the same bits in every run and on every device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from math import gcd

import numpy as np

from lazyarr.codegen.chunked_reduction import chunk_terms, full_stores, reductions_of
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import (
    ChunkLoop,
    State,
    result_of,
    total_of_block,
    write_iterations,
)
from lazyarr.codegen.cuda.context import DeviceLowering, Neighbours
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.occupancy import blocks_of_split
from lazyarr.codegen.cuda.partial_states import (
    Parts,
    Take,
    chunks_at_once,
    first_part,
    inverse_of_part,
    iterations_of_pass,
)
from lazyarr.codegen.cuda.summation import granule_of, ordered_terms, widest_granule
from lazyarr.codegen.device_tilings import SplitTiling
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import Operand, Value
from lazyarr.loop_ir.threads import LastBlock

__all__ = ["choose_split", "lower_split"]

FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)


def lower_split(
    planned: PlannedGroup,
    vectors: bool = True,
) -> tuple[DeviceLaunch, int]:
    """Return the kernel of a group that reduces long rows, and its scratch memory in bytes.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    vectors : bool, optional
        Whether neighbouring elements may be loaded at once.
    """
    low = DeviceLowering(planned, vectors)
    split = _Split(low)
    otherwise = lower_split(planned, False)[0] if split.width > 1 else None
    blocks = split.write()
    min_blocks = blocks_of_split(low, split.parts, split.operands, split.iterations, split.width)
    launch = low.device_launch(blocks, split.tiling.threads, otherwise, min_blocks)
    return replace(launch, tiling=split.tiling), split.parts.nbytes


def choose_split(
    length: int, width: int, granule: int | None = None, rows: int = 1, narrow: int = 1
) -> SplitTiling:
    """Return the tiling of a long row: chunks enough for a device, of few iterations if need be.

    Parameters
    ----------
    length : int
        Elements of a row.
    width : int
        Elements that are loaded at once.
    granule : int, optional
        Neighbours that one thread takes one after another, a multiple of `width`; else a vector.
    rows : int, optional
        How many rows there are.
    narrow : int, optional
        Granules of which the widest that a thread may load consists: so many take its time.

    Examples
    --------
    >>> choose_split(1 << 22, 4).chunks * choose_split(1 << 22, 4).iterations * 256 * 4 == 1 << 22
    True
    """
    row = tuning.row()
    granule = granule or width
    step = row.split_threads * granule
    chunks_at_most = max(1, row.split_chunks // max(1, rows))
    choices = [t * narrow for t in row.split_iterations]
    iterations = next((t for t in choices if length <= t * step * chunks_at_most), choices[-1])
    chunks = max(1, -(-length // (step * iterations)))
    first = first_part(iterations)
    iterations *= granule // width
    return SplitTiling(row.split_threads, width, granule, iterations, chunks, first, row.tree_bytes)


def _choose(
    low: DeviceLowering,
    sizes: tuple[int, int],
    width: int,
    granule: int,
    operands: Sequence[int],
) -> SplitTiling:
    """Return the tiling of a group, with the choices that depend on the code of an element.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    sizes : (int, int)
        Rows, and the elements of one.
    width, granule : int
        Elements of a vector, and neighbours that one thread takes one after another.
    operands : sequence of int
        The terms of an element.
    """
    rows, length = sizes
    dtypes = ordered_terms(low).values()
    widest = max((widest_granule(1 << 20, dtype.itemsize) for dtype in dtypes), default=granule)
    narrow = max(1, widest // granule)
    tiling = choose_split(length, width, granule, rows, narrow)
    # Where a vector is narrower than memory could give, more of them are under way.
    most = tuning.row().split_unroll * (granule // width) * narrow
    unroll = low.code.overlapping(operands, most, width)
    return replace(tiling, unroll=unroll, combined=chunks_at_once(Parts(low, 1, 1)))


class _Split:
    """The code of a split reduction."""

    def __init__(self, low: DeviceLowering) -> None:
        self.low = low
        reduced = list(low.group.reduced)
        outer, inner = low.frame(low.analysis.result_axes), low.frame(reduced)
        if not inner.axes:
            inner = Frame((LoopAxis(1, ()),))
        self.outer, self.inner = outer, inner
        self.stores, self.rest = full_stores(low, reduced)
        self.operands = low.needed(chunk_terms(low, self.stores, reductions_of(low)))
        granule = granule_of(low, reduced, ragged=True)
        ragged = low.code.may_overshoot(self.operands)
        width = low.code.width(
            inner.axes[-1], self.operands, self.stores, ragged=ragged, most=granule
        )
        self.width, self.granule = width, granule or width
        self.length, self.steps = inner.size, self.granule // width
        sizes = outer.size, self.length
        self.tiling = _choose(low, sizes, width, self.granule, self.operands)
        self.iterations, self.chunks = self.tiling.iterations // self.steps, self.tiling.chunks
        self.part = self.tiling.first
        self.per_chunk = self.tiling.threads * self.granule * self.iterations
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
        self.iteration_count = low.number("iterations", self.iterations, "n")
        self.first = low.times(device.arithmetic("*", chunk, self.iteration_count), self._step)
        parts = self.parts
        with low.inside(self.outer, low.decode(row, self.outer) if self.outer.axes else ()):
            states = {k: [parts.state(k)] for k in parts.reductions}
            centres = parts.pivots(1, self._first_element if self.length else None)
            sizes = self.length, self.per_chunk, self.part * self._step
            inverse = partial(inverse_of_part, low, sizes, chunk, n_chunks)

            def work(number: Operand | None) -> None:
                about = {k: b.snapshot(centres[k][0]) for k in centres}
                self._write_pass({k: state for k, (state,) in states.items()}, about, number)

            parts.write_pass(states, centres, inverse, work)
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
        return self.tiling.threads * self.granule

    def _elements(self, chunk: Operand) -> Operand:
        """Write the number of elements of a chunk, as float64."""
        low, device = self.low, self.low.device
        whole = low.times(self.iteration_count, self._step)
        left = device.arithmetic("-", self.size, device.arithmetic("*", chunk, whole))
        return low.builder.call("convert", low.least(left, whole), dtype=FLOAT64)

    def _first_element(self, operands: Sequence[int], take: Take) -> None:
        """Write terms of the chunk's first element."""
        low = self.low
        element = Neighbours(self.inner, low.decode(self.first, self.inner), 1)
        low.write_neighbours(element, operands, [], take)

    def _write_pass(
        self, states: dict[int, State], centres: dict[int, Value], number: Operand | None
    ) -> None:
        """Write one pass over a chunk; all threads get its states."""
        low, device = self.low, self.low.device
        count = iterations_of_pass(low, number, self.part, self.iteration_count)
        several = len(self.inner.axes) > 1
        ragged = self.length % self.width != 0

        def iteration(number: Operand) -> Operand:
            vector = low.plus(low.times(number, self.tiling.threads), self.thread)
            return low.plus(self.first, low.times(vector, self.granule))

        def work(place: Operand, left: Operand | None = None) -> None:
            counters = [place]
            if several:
                counters = low.decode(place, self.inner)
            elements = Neighbours(self.inner, counters, self.width, left)
            low.write_neighbours(elements, self.operands, self.stores, consume(place, left))

        def rest(number: Operand) -> None:
            each_step(iteration(number), lambda at: work(at, device.arithmetic("-", self.size, at)))

        def each_step(place: Operand, take: Callable[[Operand], None], whole: bool = False) -> None:
            """Write the vectors of a granule, of which some may lie behind the end."""
            if self.steps == 1:
                take(place)
                return
            copies = 0 if overlapping >= self.steps else max(1, overlapping)
            with device.count("i", low.integer(0), low.integer(self.steps), unroll=copies) as i:
                at = low.plus(place, low.times(i, self.width))
                with nullcontext() if whole else low.builder.when(low.below(at, self.size)):
                    take(at)

        def consume(place: Operand, left: Operand | None) -> Callable[[int, Operand], None]:
            def take(lane: int, counter: Operand) -> None:
                at = counter
                if several and any(state.positional for state in states.values()):
                    at = low.plus(place, low.integer(lane))
                if left is None or not lane:
                    step(at)
                    return
                with low.builder.when(low.below(low.integer(lane), left)):
                    step(at)

            return take

        def step(at: Operand) -> None:
            for k, state in states.items():
                value = low.value(low.terms[k].args[0])
                if k in centres:
                    state.step_from(centres[k], value)
                else:
                    state.step(value, at)

        left = device.arithmetic("-", self.size, self.first)
        full = low.least(count, device.arithmetic("/", left, low.integer(self._step)))
        overlapping = self.tiling.unroll
        loop = ChunkLoop(
            count,
            full,
            divisor=gcd(self.part, self.iterations),
            unroll=max(1, overlapping // self.steps),
            is_exact=self.length % self.per_chunk == 0,
        )
        write_iterations(
            low,
            loop,
            lambda k: low.below(iteration(k), self.size),
            lambda k: each_step(iteration(k), work, whole=True),
            rest if ragged else lambda k: each_step(iteration(k), work),
        )
        self._total(list(states.values()))

    def _combine(self, row: Operand, n_chunks: Value) -> None:
        """Write the combining of all chunks by the last block's threads."""
        low, device, parts = self.low, self.low.device, self.parts
        base = device.arithmetic("*", row, n_chunks) if self.outer.axes else low.integer(0)

        def each_chunk(take: Callable[..., None]) -> None:
            lines, chunks = (self.thread, self.tiling.threads), (n_chunks, self.chunks)
            combined = self.tiling.combined
            parts.each_of(lines, chunks, combined, lambda chunk: take(chunk, base, chunk))

        def meet(states: dict[int, list[State]], number: Operand | None) -> None:
            self._total([state for (state,) in states.values()])

        self._put_results(parts.combine([base], self.length, each_chunk, self._elements, meet))

    def _total(self, states: Sequence[State]) -> None:
        """Write the tree by which a block's threads combine their states."""
        tiling = self.tiling
        total_of_block(self.low, states, tiling.threads, self.thread, tiling.tree_bytes)

    def _put_results(self, states: dict[int, list[State]]) -> None:
        """Write the results of the states of whole rows."""
        low, parts = self.low, self.parts
        for k, (state,) in states.items():
            if k in parts.deviations:
                final = [low.builder.snapshot(value) for value in state.values]
                low.put(k, result_of(low, low.terms[k], parts.about_mean(final, self.length)))
            else:
                low.put(k, state.result())

    def _finish(self, leader: Operand) -> None:
        """Write the epilogue."""
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
