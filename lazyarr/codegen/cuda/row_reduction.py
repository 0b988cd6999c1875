"""Lowering of whole rows for GPUs: many rows to a warp, a warp a row, or a block a row.

A row is loaded once. What later passes need of it stays in the registers of the threads, which
take vectors in turn, or in shared memory where the code of all iterations would be long: registers
have no numbers that a loop could count. Rows too long for that are read again, from the L2 cache.
The rows of contiguous operands that are shorter than a few vectors are loaded as one flat piece of
memory, and each thread then reduces one row in shared memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from lazyarr.codegen.cuda.block_reduction import (
    State,
    across_block,
    across_lanes,
    deviation_of,
)
from lazyarr.codegen.cuda.context import DeviceLowering, LateTerms, Neighbours
from lazyarr.codegen.cuda.l2_prefetch import RowsAhead, find_rows_ahead
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.row_cache import RowCache, RowShape
from lazyarr.codegen.cuda.row_loops import find_row_loops, position_of, row_of_thread
from lazyarr.codegen.cuda.short_rows import write_short_rows
from lazyarr.codegen.device_tilings import RowTiling
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Operand

__all__ = ["lower_rows"]

FLOAT64 = np.dtype(np.float64)


def lower_rows(
    planned: PlannedGroup,
    vectors: bool = True,
    sharing: bool = True,
) -> DeviceLaunch:
    """Return the row kernel of a group.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    vectors : bool, optional
        Whether neighbouring elements may be loaded at once.
    sharing : bool, optional
        Whether rows may lie in shared memory.
    """
    rows = _Rows(planned, vectors, sharing)
    otherwise, smaller = None, None
    if rows.uses_vectors():
        otherwise = lower_rows(planned, False, sharing)
    if rows.cache.shared_bytes:
        smaller = partial(lower_rows, planned, vectors, False)
    return replace(rows.lower(otherwise, smaller), tiling=rows.tiling)


class _Pass(NamedTuple):
    """One pass over the elements of a row.

    Attributes
    ----------
    number : int
        Of the pass.
    chosen : sequence of int
        The terms that it computes or reads from the row cache.
    available, new : collection of int
        The terms in the row cache before the pass, and those that it adds.
    states : dict of int to State
        The states of its reductions.
    means : dict of int to Operand
        The means about which reductions are taken.
    """

    number: int
    chosen: Sequence[int]
    available: set[int]
    new: Sequence[int]
    states: dict[int, State]
    means: dict[int, Operand]


class _Rows:
    """The passes over a group's rows, and their code."""

    def __init__(self, planned: PlannedGroup, vectors: bool, sharing: bool) -> None:
        self.low = DeviceLowering(planned, vectors)
        self.loops = loops = find_row_loops(self.low)
        tiling = loops.tiling
        self.lanes, self.threads = tiling.lanes, tiling.threads
        self.iterations, self.width = tiling.iterations, tiling.width
        self.exact = loops.exact
        sinks = [
            loops.passes.sinks(self.low.analysis, number) for number in range(loops.passes.count)
        ]
        shape = RowShape(self.iterations, self.lanes, self.width, self.threads // self.lanes)
        cached = [] if tiling.streaming else sinks
        self.cache = RowCache(self.low, loops.passes.full, cached, shape, sharing)
        self.ahead = self._rows_ahead()
        cache = "none"
        if self.cache.terms:
            cache = "registers" if self.cache.in_registers else "shared memory"
        unroll = tiling.unroll
        if loops.flat is None and not tiling.streaming:
            unroll = tuple(self.cache.choose_unroll(number) for number in range(loops.passes.count))
        self.tiling: RowTiling = replace(
            tiling, cache=cache, prefetch=self.ahead is not None, unroll=unroll
        )

    def uses_vectors(self) -> bool:
        """Whether addresses have to be aligned."""
        return self.loops.width > 1

    def _rows_ahead(self) -> RowsAhead | None:
        """Return the operands of which a block fetches a row that a later block will load."""
        low, loops = self.low, self.loops
        several = loops.passes.count > 1 and not self.loops.tiling.streaming
        if not several or self.lanes <= WARP or self.width == 1:
            return None
        terms = sorted(low.needed(loops.passes.sinks(low.analysis, 0)))
        ahead = find_rows_ahead(low, loops.outer, loops.inner, terms)
        low.passing = ahead is not None
        return ahead

    # -- code --------------------------------------------------------------------------------

    def lower(
        self,
        otherwise: DeviceLaunch | None,
        smaller: Callable[[], DeviceLaunch] | None,
    ) -> DeviceLaunch:
        """Return the kernel.

        Parameters
        ----------
        otherwise : DeviceLaunch or None
            The launch for addresses that are not aligned.
        smaller : callable or None
            Returns a launch that needs less shared memory.
        """
        low, device = self.low, self.low.device
        loops = self.loops
        rows = loops.outer.size
        block, self.thread = device.builtin("block"), device.builtin("thread")
        if loops.flat is not None:
            blocks = write_short_rows(low, loops, loops.flat, block, self.thread)
            return low.device_launch(blocks, self.threads, otherwise)
        row, line, self.lane, self.inside_rows = row_of_thread(
            low, self.tiling, rows, block, self.thread
        )
        self.row = row
        with low.inside(loops.outer, low.decode(row, loops.outer)):
            self.cache.declare(line)
            for number in range(loops.passes.count):
                self._write_pass(number)
            if loops.passes.row_stores:
                self._store_rows()
        blocks = -(-rows // (self.threads // self.lanes))
        return low.device_launch(
            blocks, self.threads, otherwise, self.tiling.min_blocks,
            self.cache.shared_bytes, smaller,
        )  # fmt: skip

    def _store_rows(self) -> None:
        low, b = self.low, self.low.builder
        stores = [low.stores[p] for p in self.loops.passes.row_stores]
        low.write(low.open_terms([k for k, _ in stores]))
        first = b.call("equal", self.lane, low.integer(0))
        if self.inside_rows is not None:
            first = b.call("and", first, self.inside_rows)
        with b.when(first):
            for k, place in stores:
                low.store(k, place)

    def _write_pass(self, number: int) -> None:
        """Write one pass over the row and finish its reductions."""
        low, device = self.low, self.low.device
        full = self.loops.passes.full
        sinks = self.loops.passes.sinks(low.analysis, number)
        reductions = self.loops.passes.reductions.get(number, [])
        means = {k: self._mean(k) for k in reductions if deviation_of(low, k)}
        available = {k for k in self.cache.before(number) if low.analysis.level[k] < number}
        chosen = [
            k
            for k in low.needed(
                sinks, {*available, *(j for j in range(len(low.terms)) if low.get(j) is not None)}
            )
            if low.get(k) is None
        ]
        low.write(k for k in chosen if not full[k] and self._row_only(k))
        states = {k: State(low, k) for k in reductions}
        zero, iterations = low.integer(0), low.integer(self.iterations)
        new = [k for k in sorted(self.cache.terms) if k in chosen and k not in available]
        of_pass = _Pass(number, chosen, available, new, states, means)
        if self.iterations == 1:
            self._iteration(zero, of_pass)
        elif self.tiling.streaming:
            count = low.number("iterations", self.iterations, "n")
            unroll = low.code.written_out(chosen, 2, self.width)
            with device.count("k", zero, count, unroll=unroll) as iteration:
                self._iteration(iteration, of_pass)
        else:
            unroll = self.tiling.unroll[number]
            unroll = 0 if unroll == self.iterations else unroll
            rest = zero
            if not self.exact and self.tiling.granule == 1 and self.loops.length >= self.lanes:
                # Of single elements, which all threads have: vectors are asked for at once.
                rest = low.integer(self.loops.length // self.lanes)
                with device.count("k", zero, rest, unroll=unroll) as iteration:
                    self._iteration(iteration, of_pass, whole=True)
            with device.count("k", rest, iterations, unroll=unroll) as iteration:
                self._iteration(iteration, of_pass)
        if number == 0 and self.ahead is not None:
            self.ahead.fetch(self.row, self.thread, self.threads)
        all_states = list(states.values())
        apart = self.cache.in_registers
        if self.lanes <= WARP:
            across_lanes(low, all_states, self.lanes, apart)
        else:
            across_block(low, all_states, self.threads, self.thread, apart)
        for k, state in states.items():
            low.put(k, state.result())

    def _row_only(self, k: int) -> bool:
        """Whether a term can be computed before the loop over the row."""
        return not any(self.loops.passes.full[j] for j in self.low.open_terms([k]))

    def _iteration(
        self,
        iteration: Operand,
        of_pass: _Pass,
        whole: bool = False,
    ) -> None:
        """Write a thread's work on one vector of the row.

        Parameters
        ----------
        iteration : Operand
            The number of the vector among the thread's own.
        of_pass : _Pass
            What is computed.
        whole : bool, optional
            Whether all threads have such a vector, wherever the row ends.
        """
        low, b = self.low, self.low.builder
        chosen, available, new = of_pass.chosen, of_pass.available, of_pass.new
        states, means = of_pass.states, of_pass.means
        position = position_of(low, self.tiling, self.lane, iteration)
        stores = self.loops.passes.full_stores.get(of_pass.number, [])
        several = len(self.loops.inner.axes) > 1
        fresh: dict[int, list[Operand]] = {k: [] for k in new}

        def consume(lane: int, counter: Operand) -> None:
            self.cache.write(lane, {k: low.value(k) for k in new}, iteration)
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
                counters = low.decode(position, self.loops.inner)
            written = [k for k in chosen if k not in available]
            old = [k for k in sorted(available) if k in chosen]
            read = self.cache.reader(old, iteration, position)

            def put_cached(lane: int) -> None:
                for k, value in read(lane):
                    low.put(k, value)

            elements = Neighbours(self.loops.inner, counters, self.width)
            late = LateTerms(put_cached, old)
            # A row that another thread works on too is stored by that one.
            low.write_neighbours(elements, written, stores, consume, late, self.inside_rows)
            self.cache.write_vectors(fresh, position)

        if whole or (self.exact and not self.tiling.streaming):
            work()
            return
        size = low.number("length", self.loops.length, "n")
        with b.when(low.below(position, size)):
            work()

    def _mean(self, k: int) -> Operand:
        """Write the mean about which a deviation is taken."""
        low, b = self.low, self.low.builder
        total = low.terms[k].args[1]
        low.write(low.open_terms([total]))
        length = low.number("length", self.loops.length, "n")
        wide = b.call("convert", low.value(total), dtype=FLOAT64)
        return b.call("divide", wide, b.call("convert", length, dtype=FLOAT64))
