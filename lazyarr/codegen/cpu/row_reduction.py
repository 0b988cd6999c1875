"""Lowering of reductions along rows: whole rows, each passed over as often as it must be.

The axes of results are the work items; the reduced axes are the row. What depends on the row alone
is computed between the passes. An expensive value that a later pass needs again is stored in a row
cache: scratch memory of the worker, which stays in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.codegen.chunked_reduction import align, away_from
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.extremum_lanes import ExtremumLanes, lanes_of
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.inner_loops import ElementLoop, elements
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.processor_tilings import RowLoopTiling
from lazyarr.codegen.reducers import BLOCK, Accumulator, Look, finish, reducer_of, takes_blocks
from lazyarr.codegen.row_passes import RowPasses, find_row_passes
from lazyarr.core.frozen import dataclass, replace
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["cached_terms", "choose_row_loops", "lower_rows"]

RowSearch = Callable[[int, Sequence[Operand], Operand, Look], None]

FLOAT64 = np.dtype(np.float64)


def choose_row_loops(group: GroupTerms) -> RowLoopTiling:
    """Return the tiling of a reduction along rows."""
    row = tuning.row()
    rows, length = group.frame(group.result_axes).size, group.frame(group.reduced).size
    passes = find_row_passes(group)
    tile = 1
    if length < row.short_row and rows >= row.row_tile:
        frame = tile_frame(group, passes)
        tile = row.row_tile if frame is not None else 1
    chunk = max(1, group.grain() // max(1, length * tile))
    return RowLoopTiling(tile, cached_terms(group, passes), chunk)


def tile_frame(group: GroupTerms, passes: RowPasses) -> Frame | None:
    """Return the loop of the rows' epilogue if it pays to work rows in tiles, else None.

    Parameters
    ----------
    group : GroupTerms
        The group.
    passes : RowPasses
        The passes over a row.
    """
    if passes.count != 1 or passes.full_stores or not passes.row_stores:
        return None
    sinks = [group.stores[p][0] for p in passes.row_stores]
    reductions = passes.reductions[0]
    after = [k for k in group.needed(sinks, reductions) if k not in reductions]
    cost = sum(group.terms[k].node.op.cost for k in after if group.terms[k].args)
    if cost < tuning.row().tile_epilogue_cost:
        return None
    frame = group.frame(group.result_axes, {*after, *sinks})
    return frame if len(frame.axes) == 1 else None


def cached_terms(group: GroupTerms, passes: RowPasses) -> tuple[int, ...]:
    """Return the terms that later passes need and that are more expensive to compute than to keep.

    Parameters
    ----------
    group : GroupTerms
        The group.
    passes : RowPasses
        The passes over a row.
    """
    full = passes.full
    cost: list[int] = []
    for k, term in enumerate(group.terms):
        own = term.node.op.cost if term.args and full[k] else 0
        cost.append(own + sum(cost[a] for a in term.args if full[a]))
    chosen: list[int] = []
    done: set[int] = set()
    for number in range(passes.count):
        stack = passes.sinks(group, number)
        seen: set[int] = set()
        while stack:
            k = stack.pop()
            if k in seen or k in chosen or not full[k]:
                continue
            seen.add(k)
            is_known = k in done and group.level[k] < number and bool(group.terms[k].args)
            if is_known and cost[k] >= tuning.row().row_keep_cost:
                chosen.append(k)
            else:
                stack.extend(group.terms[k].args)
        done |= seen
    return tuple(chosen)


def lower_rows(low: Lowering, comments: Sequence[str], tiling: RowLoopTiling) -> Lowered:
    """Return the kernel; a work item is a row, or a tile of short rows.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : RowLoopTiling
        How it is cut.
    """
    return _Rows(low, tiling).lower(comments)


@dataclass(frozen=True, eq=False, slots=True)
class _Line:
    """One line of a row: its outer counters, its first position, and operands of the pass."""

    counters: Sequence[Operand]
    base: Operand
    number: int
    sinks: Sequence[int]


class _RowCache:
    """The values of a row that passes leave for later ones, in scratch memory of the worker.

    Parameters
    ----------
    low : Lowering
        The kernel.
    cached : tuple of int
        The cached terms.
    length : int
        Elements of a row.
    """

    def __init__(self, low: Lowering, cached: tuple[int, ...], length: int) -> None:
        self.low = low
        #: Where the row of each cached term begins, in bytes.
        self.offsets: dict[int, int] = {}
        self.nbytes = 0
        for k in cached:
            self.offsets[k] = self.nbytes
            self.nbytes += align(length * register_dtype(low.terms[k].dtype).itemsize)

    def _pointer(self, k: int) -> Pointer:
        dtype = register_dtype(self.low.terms[k].dtype)
        return self.low.scratch(("kept", k), dtype, self.offsets[k], True, True)

    def _index(self) -> Index:
        """Return the place of the present element in a cached row."""
        low = self.low
        frame, counters = low.position.frames[-1]
        terms: list[tuple[int | Value, Value]] = []
        step = 1
        for axis, counter in reversed(list(zip(frame.axes, counters, strict=True))):
            assert isinstance(counter, Value)
            factor: int | Value = 1
            if step != 1:
                factor = low.number(("kept", axis.axes), step, "d")
            terms.append((factor, counter))
            step *= axis.size
        return Index(0, tuple(reversed(terms)))

    def before(self, number: int) -> set[int]:
        """Return the terms that passes before one have cached."""
        return {k for k in self.offsets if self.low.analysis.level[k] < number}

    def written_by(self, number: int) -> list[int]:
        """Return the terms that a pass caches."""
        return [k for k in self.offsets if self.low.analysis.level[k] == number]

    def load(self, number: int, sinks: Sequence[int]) -> None:
        """Write the loads of cached values of the present element.

        Parameters
        ----------
        number : int
            Of the pass.
        sinks : sequence of int
            The terms that are computed from them.
        """
        low = self.low
        earlier = self.before(number)
        for k in low.needed(sinks, earlier):
            if k in earlier:
                low.put(k, low.builder.load(self._pointer(k), self._index()))

    def store(self, number: int) -> None:
        """Write the stores of the values of the present element that a pass caches."""
        low = self.low
        for k in self.written_by(number):
            low.write(_open(low, [k]))
            low.builder.store(self._pointer(k), self._index(), low.value(k))


def _open(low: Lowering, sinks: Iterable[int]) -> list[int]:
    """Return the terms that must be written for `sinks`: all that have no value yet."""
    return low.needed(sinks, (k for k in range(len(low.terms)) if low.get(k) is not None))


class _RowLoops:
    """The loops over one row: outer row axes, blocks, and the innermost axis.

    Parameters
    ----------
    low : Lowering
        The kernel.
    inner : Frame
        The loops over the reduced axes.
    cache : _RowCache
        What earlier passes have left.
    """

    def __init__(self, low: Lowering, inner: Frame, cache: _RowCache) -> None:
        self.low, self.inner, self.cache = low, inner, cache

    @contextmanager
    def open(
        self,
        blocked: bool,
        sums: dict[int, Accumulator],
        search: RowSearch,
        number: int,
        sinks: Sequence[int],
    ) -> Iterator[list[Operand]]:
        """Open the loops over the row: outer row axes, blocks, and the innermost axis.

        Parameters
        ----------
        blocked : bool
            Whether elements are taken in blocks.
        sums : dict of int to Accumulator
            The reductions of the pass.
        search : callable
            Writes an element once more, to find its position.
        number : int
            The number of the pass.
        sinks : sequence of int
            The terms that the body asks for.
        """
        low, b = self.low, self.low.builder
        axes = self.inner.axes
        last = axes[-1]
        size = low.number(("size", last.axes), last.size, "n")
        outer_row = Frame(axes[:-1])
        if not outer_row.axes:
            line = _Line([], low.integer(0), number, sinks)
            with self._blocks(blocked, size, sums, search, line) as i:
                yield [i]
            return
        lines = low.number("lines", outer_row.size, "n")
        with b.loop("q", low.integer(0), lines) as q:
            counters = low.decode(q, outer_row)
            line = _Line(counters, b.call("multiply", q, size), number, sinks)
            with self._blocks(blocked, size, sums, search, line) as i:
                yield [*counters, i]

    @contextmanager
    def _blocks(
        self,
        blocked: bool,
        size: Value,
        sums: dict[int, Accumulator],
        search: RowSearch,
        line: _Line,
    ) -> Iterator[Value]:
        """Open the loops over one line of the row."""
        low, b = self.low, self.low.builder
        length = self.inner.axes[-1].size

        @contextmanager
        def place(j: Value) -> Iterator[None]:
            with low.inside(self.inner, [*line.counters, j]):
                self.cache.load(line.number, line.sinks)
                yield

        @contextmanager
        def block(start: Operand, stop: Operand) -> Iterator[Value]:
            for accumulator in sums.values():
                accumulator.begin_block()
            axes = low.group.reduced
            cached = self.cache.before(line.number)
            loop = ElementLoop("j", start, stop, place, axes, length)
            with elements(low, loop, line.sinks, cached) as j:
                yield j
            for k, accumulator in sums.items():

                def again(look: Look, k: int = k) -> None:
                    with b.loop("j", start, stop) as j:
                        search(k, [*line.counters, j], b.call("add", line.base, j), look)

                accumulator.end_block(again)

        if not blocked:
            with block(low.integer(0), size) as j:
                yield j
            return
        step = low.integer(BLOCK)
        count = low.number("row blocks", -(-self.inner.axes[-1].size // BLOCK), "n")
        with b.loop("k", low.integer(0), count) as k:
            start = b.call("multiply", k, step)
            stop = low.least(b.call("add", start, step), size)
            with block(start, stop) as j:
                yield j


class _Rows:
    """The code of a row kernel.

    Parameters
    ----------
    low : Lowering
        The kernel.
    tiling : RowLoopTiling
        How it is cut.
    """

    def __init__(self, low: Lowering, tiling: RowLoopTiling) -> None:
        self.low = low
        self.tiling = tiling
        self.outer = low.frame(low.analysis.result_axes)
        self.inner = low.frame(low.group.reduced)
        if not self.inner.axes:
            self.inner = Frame((LoopAxis(1, ()),))
        self.length = self.inner.size
        self.passes = find_row_passes(low.analysis)
        self.cache = _RowCache(low, tiling.cached, self.length)
        self.loops = _RowLoops(low, self.inner, self.cache)

    def lower(self, comments: Sequence[str]) -> Lowered:
        """Return the row kernel."""
        low, b = self.low, self.low.builder
        rows = self.outer.size
        if self.tiling.tile > 1:
            return self._lower_tiles(comments)
        with b.loop("r", low.begin, low.end, AxisKind.PARALLEL) as r:
            with low.inside(self.outer, low.decode(r, self.outer)):
                for number in range(self.passes.count):
                    self._write_pass(number)
                self._finish_rows([low.stores[p] for p in self.passes.row_stores])
        launch = replace(low.launch(rows, self.tiling.chunk, comments), tiling=self.tiling)
        return Lowered(low.group, (launch,), 0, self.cache.nbytes)

    def _finish_rows(self, stores: Sequence[tuple[int, Any]]) -> None:
        self.low.write(_open(self.low, [k for k, _ in stores]))
        for k, place in stores:
            self.low.store(k, place)

    def _lower_tiles(self, comments: Sequence[str]) -> Lowered:
        """Reduce a tile of rows into scratch, then finish the tile in one vectorised loop."""
        low, b = self.low, self.low.builder
        rows, height = self.outer.size, self.tiling.tile
        frame = tile_frame(low.analysis, self.passes)
        assert frame is not None
        total = low.number("rows", rows, "n")
        tile = low.integer(height)
        pointers = {}
        with b.loop("t", low.begin, low.end, AxisKind.PARALLEL) as t:
            first = b.call("multiply", t, tile)
            last = low.least(b.call("add", first, tile), total)
            with b.loop("r", first, last) as r:
                with low.inside(self.outer, low.decode(r, self.outer)):
                    self._write_pass(0)
                    place = b.call("subtract", r, first)
                    for position, k in enumerate(self.passes.reductions[0]):
                        value = low.value(k)
                        pointers[k] = low.scratch(
                            ("tile", k),
                            value.dtype,
                            position * height * 8,
                            True,
                            True,
                        )
                        b.store(pointers[k], Index(0, ((1, place),)), value)
            with b.loop("r", first, last) as r, low.inside(frame, (r,)):
                place = b.call("subtract", r, first)
                for k, pointer in pointers.items():
                    low.put(k, b.load(pointer, Index(0, ((1, place),))))
                self._finish_rows([low.stores[p] for p in self.passes.row_stores])
        count = -(-rows // height)
        launch = replace(low.launch(count, self.tiling.chunk, comments), tiling=self.tiling)
        return Lowered(low.group, (launch,), 0, len(pointers) * height * 8)

    def _write_pass(self, number: int) -> None:
        """Write one pass over the row and finish its reductions."""
        low = self.low
        sinks = self.passes.sinks(low.analysis, number)
        reductions = self.passes.reductions.get(number, [])
        means = {k: self._mean(k) for k in reductions if self._deviates(k)}
        needed = _open(low, sinks)
        low.write(k for k in needed if not self.passes.full[k] and self._row_only(k))
        blocked = self.length > BLOCK and any(takes_blocks(low.terms[k]) for k in reductions)

        cached = self.cache.written_by(number)

        def element() -> dict[int, Operand]:
            """Write the reductions' step of one element."""
            self.cache.load(number, sinks)
            low.write(_open(low, sinks))
            return {k: low.value(low.terms[k].args[0]) for k in reductions}

        def search(k: int, counters: Sequence[Operand], position: Operand, look: Look) -> None:
            with low.inside(self.inner, counters):
                look(element()[k], position)

        if not cached and not self.passes.full_stores.get(number):
            length = self.inner.axes[-1].size
            lanes = lanes_of(low, reductions, sinks, length, self._lines, positions=True)
            if lanes:
                self._write_lanes(reductions, lanes, element)
                return
        sums = {k: Accumulator(low.builder, low.terms[k], blocked) for k in reductions}
        consumed = [*sinks, *cached]
        with self.loops.open(blocked, sums, search, number, consumed) as counters:
            with low.inside(self.inner, counters):
                values = element()
                self.cache.store(number)
                for k, accumulator in sums.items():
                    value = values[k]
                    if k in means:
                        away = away_from(low, value, means[k])
                        value = low.builder.call("multiply", away, away)
                    accumulator.update(value)
                for p in self.passes.full_stores.get(number, []):
                    low.store(*low.stores[p])
        for k, accumulator in sums.items():
            low.put(k, accumulator.result())

    @property
    def _lines(self) -> int:
        """Lines of a row."""
        return Frame(self.inner.axes[:-1]).size

    def _write_lanes(
        self, reductions: Sequence[int], lanes: int, element: Callable[[], dict[int, Operand]]
    ) -> None:
        """Write a pass of minima and maxima, and of their positions, in lanes."""
        low, b = self.low, self.low.builder
        extrema = ExtremumLanes(low, reductions, lanes)
        last, outer = self.inner.axes[-1], Frame(self.inner.axes[:-1])
        size = low.number(("size", last.axes), last.size, "n")

        def take_line(counters: Sequence[Operand], base: Operand | None = None) -> None:
            extrema.take_line(
                last.size, size, lambda j: low.inside(self.inner, [*counters, j]), element, base
            )

        if outer.axes:
            lines = low.number("lines", outer.size, "n")
            with b.loop("q", low.integer(0), lines) as q:
                take_line(low.decode(q, outer), b.call("multiply", q, size))
        else:
            take_line([])
        for k in reductions:
            low.put(k, finish(b, low.terms[k], extrema.result(k)))

    def _row_only(self, k: int) -> bool:
        """Whether a term can be computed before the loop over the row."""
        return all(not self.passes.full[j] for j in _open(self.low, [k]))

    def _deviates(self, k: int) -> bool:
        return reducer_of(self.low.terms[k]).centred

    def _mean(self, k: int) -> Operand:
        """Write the mean about which a deviation is taken."""
        low, b = self.low, self.low.builder
        total = low.terms[k].args[1]
        low.write(_open(low, [total]))
        wide = b.call("convert", low.value(total), dtype=FLOAT64)
        return b.call(
            "divide",
            wide,
            low.builder.call("convert", low.number("length", self.length, "n"), dtype=FLOAT64),
        )
