"""Lowering of elementwise kernels that read shifted neighbours for GPUs: tiles in registers.

A thread computes a few lines of a few neighbours and loads each element that they read once, in
vectors where rows allow that: see :mod:`lazyarr.codegen.cuda.tile_schedule`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.staged_stores import StagedTiles
from lazyarr.codegen.cuda.tile_schedule import (
    Chunk,
    Compute,
    Key,
    Load,
    Run,
    Step,
    Store,
    Stream,
    ThreadTile,
    TileSchedule,
)
from lazyarr.codegen.device_tilings import RegisterTiling
from lazyarr.codegen.loop_nest import Access, Frame, LoopAxis
from lazyarr.core.frozen import dataclass, replace
from lazyarr.loop_ir.kernel import Index, Operand, Value

__all__ = ["RegisterTile", "lower_register_tile"]


@dataclass(frozen=True, eq=False, slots=True)
class RegisterTile:
    """A chosen tile, with the work of a thread for it.

    Attributes
    ----------
    frame : Frame
        The loops over the domain.
    chosen : tuple of int
        The terms to write.
    tiling : RegisterTiling
        Its lines, neighbours and threads.
    schedule : TileSchedule
        What is loaded and computed.
    steps : tuple of Step
        The same in order.
    registers : int
        That hold its values at a time.
    """

    frame: Frame
    chosen: tuple[int, ...]
    tiling: RegisterTiling
    schedule: TileSchedule
    steps: tuple[Step, ...]
    registers: int


# -- writing --------------------------------------------------------------------------------------


def lower_register_tile(
    low: DeviceLowering,
    tile: RegisterTile,
    otherwise: DeviceLaunch | None,
) -> DeviceLaunch:
    """Return the kernel.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    tile : RegisterTile
        How it is cut.
    otherwise : DeviceLaunch, optional
        The launch for addresses that are not aligned.
    """
    writer = _TileWriter(low, tile)
    blocks = writer.write()
    shared = tile.tiling.staged_bytes
    launch = low.device_launch(blocks, tile.tiling.threads, otherwise, shared_bytes=shared)
    return replace(launch, tiling=tile.tiling)


class _TileWriter:
    """The code of a kernel in tiles of registers.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    tile : RegisterTile
        How it is cut.
    """

    def __init__(self, low: DeviceLowering, tile: RegisterTile) -> None:
        self.low = low
        self.tile = tile
        self.inner = tile.frame.axes[-1]
        self.outer = tile.frame.axes[:-1]
        tiling = tile.tiling
        self.axis = None if tiling.axis is None else self.outer[tiling.axis]
        #: The loops over tiles: lines in groups, vectors for elements.
        self.groups = Frame(
            tuple(
                LoopAxis(-(-axis.size // tiling.lines), axis.axes) if axis is self.axis else axis
                for axis in self.outer
            )
        )
        self.vectors = -(-self.inner.size // tiling.width)
        self._origins = self._runs(tile.schedule.chunks)
        self._staged: StagedTiles | None = None

    def write(self) -> int:
        """Write all; return the number of blocks."""
        low, device, tiling = self.low, self.low.device, self.tile.tiling
        block, thread = device.builtin("block"), device.builtin("thread")
        if tiling.staged_bytes:
            here = block, thread
            self._staged = StagedTiles(low, self.tile.frame, tiling, self.tile.schedule, here)
        count = self.groups.size
        vectors = low.number("vectors", self.vectors, "n")
        if tiling.across:
            tiles, piles = -(-self.vectors // tiling.across), -(-count // tiling.high)
            if tiling.strips:
                number = low.number("piles", piles, "n")
                tile, pile = device.arithmetic("/", block, number), ("%", block, number)
            else:
                number = low.number("tiles", tiles, "n")
                tile, pile = device.arithmetic("%", block, number), ("/", block, number)
            column: Operand = low.plus(
                low.times(tile, tiling.across),
                device.arithmetic("%", thread, low.integer(tiling.across)),
            )
            group: Operand = low.plus(
                low.times(device.arithmetic(*pile), tiling.high),
                device.arithmetic("/", thread, low.integer(tiling.across)),
            )
            there = low.below(column, vectors)
            if count % tiling.high:
                there = low.builder.call(
                    "and", there, low.below(group, low.number("groups", count, "n"))
                )
            blocks = tiles * piles
        else:
            place = low.plus(low.times(block, tiling.threads), thread)
            column, group = place, low.integer(0)
            if count > 1:
                column = device.arithmetic("%", place, vectors)
                group = device.arithmetic("/", place, vectors)
            there = low.below(place, low.number("all vectors", count * self.vectors, "n"))
            blocks = -(-count * self.vectors // tiling.threads)
        with low.builder.when(there):
            counters = low.decode(group, self.groups) if count > 1 else self._single()
            if tiling.axis is not None:
                counters[tiling.axis] = low.times(counters[tiling.axis], tiling.lines)
            counters.append(low.times(column, tiling.width))
            self._tile_or_elements(counters)
        if self._staged is not None:
            self._staged.store()
        return blocks

    def _single(self) -> list[Operand]:
        return [self.low.integer(0) for _ in self.outer]

    def _tile_or_elements(self, counters: list[Operand]) -> None:
        """Write the tile, and one element after another for tiles at the end of the domain."""
        low, b = self.low, self.low.builder
        conditions = list(self._conditions(counters))
        if not conditions:
            self._write_steps(self.tile.schedule, self.tile.steps, counters)
            return
        whole: Value = conditions[0]
        for condition in conditions[1:]:
            whole = b.call("and", whole, condition)
        with b.when(whole):
            self._write_steps(self.tile.schedule, self.tile.steps, counters)
        single = TileSchedule(low.analysis, self.tile.chosen, ThreadTile(self.inner, self.axis))
        steps = tuple(single.best()[0])
        with b.when(b.call("not", whole)):
            self._each_line(counters, single, steps)

    def _each_line(
        self, counters: list[Operand], single: TileSchedule, steps: tuple[Step, ...]
    ) -> None:
        """Write loops over the lines and the neighbours that a tile at the end has."""
        low, device, tiling = self.low, self.low.device, self.tile.tiling
        zero = low.integer(0)
        if self.axis is not None and tiling.lines > 1:
            assert tiling.axis is not None
            size = low.number(("whole", self.axis.axes), self.axis.size, "n")
            first = counters[tiling.axis]
            left = low.least(device.arithmetic("-", size, first), low.integer(tiling.lines))
            with device.count("r", zero, left, unroll=1) as r:
                shifted = [*counters]
                shifted[tiling.axis] = low.plus(first, r)
                self._each_neighbour(shifted, single, steps)
        else:
            self._each_neighbour(counters, single, steps)

    def _each_neighbour(
        self, counters: list[Operand], single: TileSchedule, steps: tuple[Step, ...]
    ) -> None:
        low, device, tiling = self.low, self.low.device, self.tile.tiling
        if tiling.width == 1:
            self._write_steps(single, steps, counters)
            return
        size = low.number(("whole", self.inner.axes), self.inner.size, "n")
        left = low.least(device.arithmetic("-", size, counters[-1]), low.integer(tiling.width))
        with device.count("e", low.integer(0), left, unroll=1) as e:
            self._write_steps(single, steps, [*counters[:-1], low.plus(counters[-1], e)])

    def _conditions(self, counters: Sequence[Operand]) -> Iterator[Value]:
        """Yield the conditions on the first element under which all of a tile is there."""
        low, tiling = self.low, self.tile.tiling
        if self.axis is not None and self.axis.size % tiling.lines:
            assert tiling.axis is not None
            last = low.number(("last line", self.axis.axes), self.axis.size - tiling.lines + 1, "n")
            yield low.below(counters[tiling.axis], last)
        if self.inner.size % tiling.width:
            last = low.number("last vector", self.inner.size - tiling.width + 1, "n")
            yield low.below(counters[-1], last)
        for number, stream in enumerate(self.tile.schedule.streams):
            room = self.tile.schedule.room(number, self.tile.frame)
            if room is not None:
                base = self._base(stream.place, counters)
                yield low.below(base, low.number(("room", number), room, "n"))

    # -- elements ----------------------------------------------------------------------------

    def _runs(self, chunks: Sequence[Chunk]) -> dict[Chunk, int]:
        """Return for each chunk the address that a pointer is passed for: near ones share it."""
        origins: dict[Chunk, int] = {}
        reach = self.tile.tiling.reach
        for stream in range(len(self.tile.schedule.streams)):
            origin: int | None = None
            for chunk in sorted((c for c in chunks if c.stream == stream), key=lambda c: c.address):
                if origin is None or chunk.address - origin > reach:
                    origin = chunk.address
                origins[chunk] = origin
        return origins

    def _base(self, place: Access, counters: Sequence[Operand]) -> Operand:
        """Write the index of a tile's first element, for accesses of some strides."""
        low = self.low
        total: Operand = low.integer(0)
        for axis, counter in zip(self.tile.frame.axes, counters, strict=True):
            stride = axis.stride(place.strides)
            if not stride:
                continue
            step = counter
            if stride == place.unit:
                step = low.times(counter, stride)
            else:
                factor = low.number(("step", place.strides, axis.axes), stride, "d")
                step = low.device.arithmetic("*", counter, factor)
            total = low.plus(total, step)
        return total

    def _write_steps(
        self, schedule: TileSchedule, steps: Sequence[Step], counters: Sequence[Operand]
    ) -> None:
        """Write loads, operations and stores in order."""
        low = self.low
        values: dict[Key, Operand] = {}
        bases: dict[object, Operand] = {}
        for stream in schedule.streams:
            pattern = (stream.place.strides, stream.place.unit)
            if pattern not in bases:
                bases[pattern] = self._base(stream.place, counters)

        def fill(line: int, lane: int, terms: Sequence[int]) -> None:
            """Give terms the values that they have for a neighbour of a line."""
            for k in terms:
                key = schedule.key(line, lane, k)
                if key is None:
                    low.write([k])
                else:
                    low.put(k, values[key])

        for step in steps:
            if isinstance(step, Load):
                stream = schedule.streams[step.chunk.stream]
                base = bases[stream.place.strides, stream.place.unit]
                keys = schedule.elements(step.chunk)
                values |= zip(keys, self._load(stream, step.chunk, base), strict=True)
            elif isinstance(step, Compute):
                line, lane, term = step.key
                with low.scope():
                    fill(line, lane, low.terms[term].args)
                    low.write([term])
                    values[step.key] = low.value(term)
            else:
                self._store(schedule, step, counters, fill)

    def _load(self, stream: Stream, chunk: Chunk, base: Operand) -> Sequence[Value]:
        low = self.low
        origin = self._origins[self.tile.schedule.chunk(chunk.stream, chunk.address)]
        place = replace(stream.place, offset=origin, part=0)
        terms = ((1, base),) if isinstance(base, Value) else ()
        index = Index(chunk.address - origin, terms)
        if stream.width == 1:
            return [low.builder.load(low.parameters.pointer(place, stream.dtype), index)]
        return low.device.vector(
            low.aligned(place, stream.dtype, stream.width), index, stream.width
        )

    def _store(
        self,
        schedule: TileSchedule,
        step: Store,
        counters: Sequence[Operand],
        fill: Any,
    ) -> None:
        low, line, run = self.low, step.line, schedule.runs[step.position, step.lane]
        term, place = low.stores[step.position]
        shifted = [*counters]
        if self.tile.tiling.axis is not None:
            shifted[self.tile.tiling.axis] = low.plus(
                counters[self.tile.tiling.axis], low.integer(line)
            )
        written: list[Operand] = []
        with low.inside(self.tile.frame, shifted):
            for position, lane in run.elements:
                stored = low.stores[position][0]
                with low.scope():
                    fill(line, lane, [stored])
                    written.append(low.value(stored))
            if schedule.interleaved:
                self._store_run(run, place, low.terms[term].dtype, written)
            elif schedule.width == 1:
                low.put(term, written[0])
                low.store(term, place)
            else:
                low.store_vectors({step.position: written})

    def _store_run(
        self, run: Run, place: Access, dtype: np.dtype[Any], values: Sequence[Operand]
    ) -> None:
        """Write the store of elements that may belong to several outputs.

        Parameters
        ----------
        run : Run
            The elements.
        place : Access
            Where the first lies.
        dtype : numpy.dtype
            Of all.
        values : sequence of Operand
            One for each.
        """
        if self._staged is not None and self._staged.collect(place, run.address, values):
            return
        low, origin = self.low, run.origin - run.origin % len(values)
        first = replace(place, offset=origin)
        index = low.index(first, run.address - origin)
        if len(values) > 1:
            low.device.store_vector(low.aligned(first, dtype, len(values)), index, values)
        else:
            low.builder.store(low.parameters.pointer(first, dtype), index, values[0])
