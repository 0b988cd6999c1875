"""Lowering of elementwise kernels for GPUs: a vector a thread, neighbouring threads beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering, Neighbours
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.map_choice import map_candidates
from lazyarr.codegen.cuda.quotients import divided
from lazyarr.codegen.cuda.register_tiles import lower_register_tile
from lazyarr.codegen.cuda.transpose_tiles import choose_shared_tiles, lower_tiles
from lazyarr.codegen.device_tilings import GridTiling
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.transposes import find_transposes
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import Operand, Value

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling

__all__ = ["candidates_of_map", "lower_map"]


def lower_map(
    planned: PlannedGroup,
    vectors: bool = True,
    tiling: Tiling | None = None,
) -> DeviceLaunch:
    """Return the kernel of an elementwise group.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    vectors : bool, optional
        Whether neighbouring elements may be loaded at once.
    tiling : Tiling, optional
        How it is cut; default: as is predicted to be fastest.
    """
    low = DeviceLowering(planned, vectors)
    frame = low.frame(range(len(low.domain)))
    chosen = low.needed([k for k, _ in low.stores])
    transposes = find_transposes(low.analysis, frame, chosen)
    if transposes is not None:
        shared = choose_shared_tiles(low, transposes, chosen)
        if shared is not None:
            return lower_tiles(low, transposes, chosen, shared)

    def unaligned() -> DeviceLaunch:
        return lower_map(planned, False)

    width = _width(low, frame, chosen)
    candidates = map_candidates(low, frame, chosen, width)
    best = next((c for c in candidates if c.tiling == tiling), candidates[0])
    interleaved = best.tile is not None and best.tile.tiling.interleaved
    otherwise = unaligned() if best.tiling.width > 1 or interleaved else None
    if best.tile is not None:
        return lower_register_tile(low, best.tile, otherwise)
    assert isinstance(best.tiling, GridTiling)
    if best.tiling.is_flat:
        # Imported here: most lines are whole vectors.
        from lazyarr.codegen.cuda.flat_vectors import write_flat_vectors

        blocks = write_flat_vectors(low, frame, chosen, best.tiling)
    else:
        blocks = _Grid(low, frame, chosen, best.tiling).write()
    launch = low.device_launch(blocks, best.tiling.threads, otherwise)
    return replace(launch, tiling=best.tiling)


def candidates_of_map(planned: PlannedGroup) -> Sequence[tuple[Tiling, float]]:
    """Return the ways to cut an elementwise kernel with their predicted seconds.

    The first is the choice. None where transposed operands are read by way of shared memory.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    """
    low = DeviceLowering(planned)
    frame = low.frame(range(len(low.domain)))
    chosen = low.needed([k for k, _ in low.stores])
    if find_transposes(low.analysis, frame, chosen) is not None:
        return ()
    candidates = map_candidates(low, frame, chosen, _width(low, frame, chosen))
    return tuple((candidate.tiling, candidate.seconds) for candidate in candidates)


def _width(low: DeviceLowering, frame: Frame, chosen: Sequence[int]) -> int:
    """Return the neighbours that a thread may compute."""
    if not frame.axes or not frame.size:
        return 1
    inner, stores = frame.axes[-1], range(len(low.stores))
    width = low.code.width(inner, chosen, stores, ragged=low.code.may_overshoot(chosen))
    if frame.size % width:
        # Long code would be longer still with a vector that may have fewer elements.
        varying = [k for k in chosen if low.spans(k, inner.axes)]
        if low.code.overlapping(varying, width, 1, tuning.row().ragged_share) < width:
            return low.code.width(inner, chosen, stores)
    return width


class _Grid:
    """The code of a kernel whose threads each compute one vector.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    frame : Frame
        The loops over the domain.
    chosen : sequence of int
        The terms to write.
    tiling : GridTiling
        How threads share the domain.
    """

    def __init__(
        self, low: DeviceLowering, frame: Frame, chosen: Sequence[int], tiling: GridTiling
    ) -> None:
        self.low, self.frame, self.chosen, self.tiling = low, frame, chosen, tiling
        self.stores = range(len(low.stores))

    def write(self) -> int:
        """Write the kernel; return the number of blocks."""
        device = self.low.device
        block, thread = device.builtin("block"), device.builtin("thread")
        if self.tiling.across:
            blocks = self._write_lines(block, thread)
            return blocks if self.frame.size else 0
        return self._write_counted(block, thread)

    def _write_counted(self, block: Operand, thread: Operand) -> int:
        """Write the code of threads that are counted through all vectors of the domain."""
        low, device, width = self.low, self.low.device, self.tiling.width
        size, each, threads = self.frame.size, self.tiling.each, self.tiling.threads
        place = low.plus(low.times(block, threads * each), thread)
        count = -(-size // width)
        total = low.number("vectors", count, "n")
        if each > 1:
            end = device.arithmetic("-", total, low.integer(1))
            places = [low.plus(place, low.integer(k * threads)) for k in range(each)]
            self._write_each(
                [(low.below(own, total), self._counters(low.least(own, end))) for own in places]
            )
            return -(-count // (threads * each))
        with low.builder.when(low.below(place, total)):
            counters = self._counters(place)
            left = None
            if size % width:
                left = device.arithmetic("-", low.number("elements", size, "n"), counters[-1])
            elements = Neighbours(self.frame, counters, width, left)
            low.write_neighbours(elements, self.chosen, self.stores)
        return -(-count // threads)

    def _counters(self, place: Operand) -> list[Operand]:
        """Write the counters of a vector by its number among all of the domain."""
        low, axes, width = self.low, self.frame.axes, self.tiling.width
        if len(axes) <= 1:
            return [low.times(place, width)][: len(axes)]
        vectors = axes[-1].size // width
        per_line = low.number("vectors of a line", vectors, "n")
        line, column = divided(low, place, vectors, per_line)
        return [*low.decode(line, Frame(axes[:-1])), low.times(column, width)]

    def _write_lines(self, block: Operand, thread: Operand) -> int:
        """Write the code of threads that work tiles of lines."""
        low, device, tiling = self.low, self.low.device, self.tiling
        last, outer = self.frame.axes[-1], Frame(self.frame.axes[:-1])
        tiles = -(-last.size // (tiling.across * tiling.width * tiling.each))
        size = low.number(("size", last.axes), last.size, "n")
        lines = low.number("lines", outer.size, "n")
        n_tiles = low.number("tiles", tiles, "n")
        column: Operand = device.arithmetic("%", thread, low.integer(tiling.across))
        row_of_tiles, tile = divided(low, block, tiles, n_tiles)
        column = low.plus(low.times(tile, tiling.across * tiling.each), column)
        high = tiling.high * tiling.lines
        line: Operand = low.times(row_of_tiles, high)
        line = low.plus(line, device.arithmetic("/", thread, low.integer(tiling.across)))
        if tiling.each > 1:
            with low.builder.when(low.below(line, lines)):
                before = low.decode(line, outer)
                end = device.arithmetic("-", size, low.integer(tiling.width))
                first = low.times(column, tiling.width)
                step = tiling.across * tiling.width
                places = [low.plus(first, low.integer(k * step)) for k in range(tiling.each)]
                self._write_each(
                    [(low.below(own, size), [*before, low.least(own, end)]) for own in places]
                )
            return tiles * -(-outer.size // tiling.high)
        place = low.times(column, tiling.width)
        if tiling.lines > 1:
            with low.builder.when(low.below(place, size)):
                end = device.arithmetic("-", lines, low.integer(1))
                steps = [low.integer(k * tiling.high) for k in range(tiling.lines)]
                own_lines = [low.plus(line, step) for step in steps]
                self._write_each(
                    [
                        (low.below(own, lines), [*low.decode(low.least(own, end), outer), place])
                        for own in own_lines
                    ]
                )
            return tiles * -(-outer.size // high)
        with low.builder.when(low.below(place, size)), low.builder.when(low.below(line, lines)):
            counters = [*low.decode(line, outer), place]
            elements = Neighbours(self.frame, counters, tiling.width)
            low.write_neighbours(elements, self.chosen, self.stores)
        return tiles * -(-outer.size // tiling.high)

    def _write_each(self, vectors: Sequence[tuple[Value, list[Operand]]]) -> None:
        """Write the vectors of a thread: all are loaded before the first is computed, and stored.

        Compilers keep the order of loads and of what has branches, as divisions do.

        Parameters
        ----------
        vectors : sequence of (Value, list of Operand)
            Whether each is there, and its counters: behind the end those of the last one, which is
            computed again, and not stored.
        """
        low, width = self.low, self.tiling.width
        last, before = Frame(self.frame.axes[-1:]), Frame(self.frame.axes[:-1])
        computed: list[dict[int, list[Operand]]] = []
        elements = [Neighbours(self.frame, counters, width) for _, counters in vectors]
        loaded = []
        for own in elements:
            with low.scope():
                loaded.append(low.load_neighbours(own, self.chosen))
        for own, values_loaded in zip(elements, loaded, strict=True):
            written: dict[int, list[Operand]] = {p: [] for p in self.stores}

            def take(
                lane: int, counter: Operand, written: dict[int, list[Operand]] = written
            ) -> None:
                for p, values in written.items():
                    values.append(low.value(low.stores[p][0]))

            with low.scope():
                low.write_neighbours(own, self.chosen, (), take, loaded=values_loaded)
            computed.append(written)
        for (inside, counters), written in zip(vectors, computed, strict=True):
            with low.builder.when(inside), low.scope(), low.inside(before, counters[:-1]):
                with low.inside(last, counters[-1:]):
                    if width > 1:
                        low.store_vectors(written)
                        continue
                    for p, (value,) in written.items():
                        low.put(low.stores[p][0], value)
                        low.store(*low.stores[p])
