"""Runs of a plan whose values do not fit in memory: launches tile by tile, files beside.

While a tile is computed, the next one is read and the last one is written, each in a thread of its
own. Results have the bits that they have in memory, as the kernels and the order of their additions
are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.execution.arguments import bind, memory_of
from lazyarr.execution.cpu.kernel_sequence import Call
from lazyarr.execution.cpu.pieces import Piece, Window, window_of, windows_of
from lazyarr.execution.cpu.placement import Placement
from lazyarr.execution.cpu.step_by_step import HostRun, StepByStep, result_array
from lazyarr.execution.cpu.tiles import (
    Ranges,
    Tile,
    tiles_of,
)
from lazyarr.execution.executor import Donated
from lazyarr.execution.launch import RunReporter
from lazyarr.execution.plan import CompiledPlan, CompiledStep, LoweredPlan
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu.fp_flags import SignalPool
from lazyarr.runtime.cpu.threads.parallel_for import launch_range
from lazyarr.runtime.host_memory_pool import address_of, pool

__all__ = ["TiledRun"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, slots=True)
class _Staged:
    """Memory for a tile's part of one array, and the windows that are to be written."""

    piece: Piece
    windows: tuple[Window, ...] = ()


class TiledRun(StepByStep):
    """One run of a plan within a bound on its memory.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    lowered : LoweredPlan
        What it was compiled from.
    threads : int
        How many threads may do one launch.
    signals : SignalPool, optional
        Memory for what the kernels report.
    reporter : RunReporter
        Called after the run.
    limit : int
        Bytes that buffers may take.
    """

    __slots__ = ("_aside", "_limit", "_lowered", "_where")

    _where: Placement

    def __init__(
        self,
        plan: CompiledPlan[Call],
        lowered: LoweredPlan,
        threads: int,
        signals: SignalPool | None,
        reporter: RunReporter,
        limit: int,
    ) -> None:
        super().__init__(plan, threads, signals, reporter)
        self._lowered = lowered
        self._limit = limit
        #: Scratch memory of launches within the tiles of others.
        self._aside = 0

    # Memory.

    def _allocate(self, run: HostRun, outs: Any, donated: Donated) -> dict[int, Array]:
        """Decide which values lie in memory and which are streamed, and allocate the former.

        Raises
        ------
        MemoryLimitError
            If that takes too much, or a launch cannot be cut; nothing was run then.
        """
        where = self._where = Placement(self._plan, self._lowered, run.bindings, self._limit)
        where.open(outs)
        direct = {} if outs is None else self._direct_outs(run.bindings, _arrays_of(outs))
        where.decide(direct)
        for base in where.outside.keys() - where.sinks.keys() - where.sources:
            self._read_whole(run, base)
        self._place(run, direct)
        if where.repeats_launches:
            self._aside = self._scratch(run)
        return direct

    def _inputs(self, bindings: Bindings) -> list[Array]:
        leaves = [memory_of(leaf) for leaf in bindings.leaves]
        return [leaf.array for leaf in leaves if type(leaf) is not StreamedLeaf]

    def _read_whole(self, run: HostRun, base: int) -> None:
        """Read all of an array, and enter its address."""
        outside = self._where.outside[base]
        count = prod(outside.shape)
        if count:
            window = window_of(outside.shape, 0, count)
            piece = Piece.read(outside.store, window, outside.dtype)
        else:
            piece = Piece(0, 0)
        run.count(piece.nbytes)
        run.keep.append(piece)
        run.addresses[base] = piece.address

    def _place(self, run: HostRun, direct: dict[int, Array]) -> None:
        """Allocate the values that lie in memory, and fill in their addresses."""
        for base, buffer in self._where.buffers:
            array = direct.get(base)
            if array is None and base not in self._where.inside and base not in self._where.sinks:
                value = buffer.values[-1]
                if buffer.kind != "adopted":
                    array = pool.allocate(buffer.nbytes).array(value.shape, value.dtype)
                    run.count(buffer.nbytes)
            if array is not None and buffer.kind == "output":
                run.arrays[base] = array
            elif array is not None:
                run.keep.append(array)
            run.addresses.append(0 if array is None else address_of(array))
        run.addresses.append(self._scratch(run))
        if self.signals is not None:
            run.signals = self.signals.take()
            run.addresses.append(run.signals.address)

    def _scratch(self, run: HostRun) -> int:
        """Return the address of scratch memory for a launch at a time."""
        nbytes = self._plan.memory.scratch_bytes
        if not nbytes:
            return 0
        block = pool.allocate(nbytes)
        run.keep.append(block)
        run.count(nbytes)
        return block.address

    # Launches.

    def _kernels(self, run: HostRun, step: CompiledStep[Call]) -> None:
        for call in step.calls:
            work = self._where.passes.get(call)
            if work is not None:
                tiles = list(tiles_of(work, self._where.items[call], self._where.room))
                self._run_tiles(run, tiles)

    def _run_tiles(self, run: HostRun, tiles: Sequence[Tile]) -> None:
        """Run the tiles of a pass: read the next one and write the last one beside, if they fit."""
        exact = _are_adjacent([tile.writes for tile in tiles])
        if (
            len(tiles) == 1
            or not any(tile.reads or tile.writes for tile in tiles)
            or any(tile.nbytes > self._where.room for tile in tiles)
        ):
            for tile in tiles:
                self._run_alone(run, tile, exact)
            return
        with (
            ThreadPoolExecutor(1, "lazyarr-reader") as reader,
            ThreadPoolExecutor(1, "lazyarr-writer") as writer,
        ):
            coming = reader.submit(self._read, tiles[0], exact)
            writing: Future[None] | None = None
            for tile, after in zip(tiles, [*tiles[1:], None], strict=True):
                staged = coming.result()
                if after is not None and exact:
                    coming = reader.submit(self._read, after, exact)
                self._run_tile(run, tile, staged)
                if writing is not None:
                    writing.result()
                writing = writer.submit(self._write, staged)
                if after is not None and not exact:
                    writing.result()  # the next tile begins with what this one has written
                    coming = reader.submit(self._read, after, exact)
            assert writing is not None
            writing.result()

    def _run_alone(self, run: HostRun, tile: Tile, exact: bool) -> None:
        """Read, run and write a tile, whose memory is free again afterwards."""
        staged = self._read(tile, exact)
        self._run_tile(run, tile, staged)
        self._write(staged)

    def _read(self, tile: Tile, exact: bool) -> dict[int, _Staged]:
        """Return memory for the streamed elements of a tile, with those that it reads."""
        staged: dict[int, _Staged] = {}
        for base, places in (*tile.reads.items(), *tile.writes.items()):
            outside = self._where.outside[base]
            first, stop = outside.elements(places)
            size = outside.dtype.itemsize
            if base in tile.writes and exact:
                windows = tuple(windows_of(outside.shape, first, stop))
                staged[base] = _Staged(Piece(first * size, stop * size), windows)
                continue
            window = window_of(outside.shape, first, stop)
            written = base in tile.writes
            piece = Piece.read(outside.store, window, outside.dtype, writable=written)
            staged[base] = _Staged(piece, (window,) if written else ())
        return staged

    def _run_tile(self, run: HostRun, tile: Tile, staged: dict[int, _Staged]) -> None:
        """Run the launches of a tile."""
        memory = {base: one.piece for base, one in staged.items()}
        memory |= {base: Piece(*places) for base, places in tile.inside.items()}
        addresses = list(run.addresses)
        for base, piece in memory.items():
            addresses[base] = piece.address
        taken = sum(piece.nbytes for piece in memory.values())
        run.count(taken)
        place = self._plan.bases.scratch
        for ranged, items in tile.calls:
            call = ranged.call
            # What the last launch leaves in its scratch memory the others must not write over.
            is_last = ranged is tile.calls[-1][0]
            addresses[place] = run.addresses[place] if is_last else self._aside
            block = call.function.pack(*bind(call.template, addresses, run.scalars))
            launch_range(call.function, block, items, self._threads, call.chunk, call.scratch)
        run.count(-taken)

    def _write(self, staged: dict[int, _Staged]) -> None:
        """Write the results of a tile."""
        for base, one in staged.items():
            for window in one.windows:
                one.piece.write(self._where.sinks[base], window, self._where.outside[base].dtype)

    def _results(self, run: HostRun, outs: Any, direct: dict[int, Array]) -> list[Any]:
        results: list[Any] = []
        for index, result in enumerate(self._plan.results):
            out = None if outs is None else outs[index]
            if result.base in self._where.sinks:
                results.append(out)
                continue
            array = result_array(run.arrays[result.base], result)
            if out is not None and direct.get(result.base) is not out:
                out[(...,) if isinstance(out, np.ndarray) else (slice(None),) * array.ndim] = array
            results.append(array if out is None else out)
        return results


def _arrays_of(outs: Sequence[Any]) -> list[Array | None]:
    """Return the arrays in memory among the places for results."""
    return [out if isinstance(out, np.ndarray) else None for out in outs]


def _are_adjacent(writes: Sequence[Ranges]) -> bool:
    """Return whether tiles write ranges that follow each other, each element in one of them."""
    return all(
        before.keys() == after.keys() and all(before[base][1] == after[base][0] for base in before)
        for before, after in pairwise(writes)
    )
