"""Lowering of reductions along short rows that lie one behind the other: several side by side.

A row of twenty elements leaves most of a vector over, and its reduction waits for each addition.
So a tile of rows is copied to scratch memory, in blocks that registers transpose, and vectors hold
the same element of as many rows. A pass goes over the elements from the first to the last, so sums
are in that order. Rows of results are transposed back. Where a tile has fewer rows, its other lanes
repeat one of them, so that they compute nothing that no row has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from lazyarr.codegen.chunked_reduction import align, away_from
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu.tiled_rows import Rows
from lazyarr.codegen.cpu.transposed_copies import TransposedCopies
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Access, Frame
from lazyarr.codegen.reducers import (
    components_of,
    finish,
    reducer_of,
    step_state,
)
from lazyarr.codegen.row_tile_tiling import RowTileTiling
from lazyarr.core.frozen import replace
from lazyarr.errors import ContractError
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["lower_row_tiles"]

FLOAT64 = np.dtype(np.float64)


def lower_row_tiles(low: Lowering, comments: Sequence[str], tiling: RowTileTiling) -> Lowered:
    """Return the kernel; a work item is a tile of rows.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : RowTileTiling
        How it is cut.
    """
    rows = Rows.of(low.analysis)
    if rows is None:
        raise ContractError(f"{low.name} has no rows to be reduced side by side")
    b = low.builder
    code = _Tile(low, rows, tiling)
    tiles = low.number("tiles", tiling.tiles, "n")
    height = low.integer(tiling.rows)
    size = low.number(("size", rows.across.axes), rows.across.size, "n")
    with b.loop("w", low.begin, low.end, AxisKind.PARALLEL) as w:
        first = b.call("multiply", b.call("remainder", w, tiles), height)
        last = low.least(b.call("add", first, height), size)
        with low.inside(rows.around, low.decode(b.call("divide", w, tiles), rows.around)):
            code.write(first, last)
    count = rows.around.size * tiling.tiles
    launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
    return Lowered(low.group, (launch,), 0, code.nbytes)


class _Copied:
    """The memory of a tile, and the copies of operands to it.

    Parameters
    ----------
    low : Lowering
        The kernel.
    rows : Rows
        The rows.
    tiling : RowTileTiling
        How they are cut.
    """

    def __init__(self, low: Lowering, rows: Rows, tiling: RowTileTiling) -> None:
        self.low, self.rows, self.tiling = low, rows, tiling
        self.plane = Frame((rows.across, rows.line))
        self.nbytes = 0
        #: Of terms that change along the row: a line of lanes for each element.
        self.areas = {k: self._area(("tile", k), k, True) for k in rows.copied}
        self.areas |= {k: self._area(("kept", k), k, False) for k in tiling.cached}
        self.results = {
            p: self._area(("result", p), low.stores[p][0], True)
            for positions in rows.passes.full_stores.values()
            for p in positions
        }
        #: The row of the first lane.
        self.base: Operand = low.integer(0)
        #: The row behind the last one, with which the next tile begins.
        self.next: Operand = low.integer(0)
        #: Of terms that are the same along the row: lanes.
        self.lanes: dict[int, Pointer] = {}

    def _area(self, key: object, k: int, in_memory: bool) -> Pointer:
        """Return scratch memory for a tile of a term."""
        low = self.low
        dtype = low.terms[k].dtype if in_memory else register_dtype(low.terms[k].dtype)
        pointer = low.scratch(key, dtype, self.nbytes, True, True)
        self.nbytes += align(self.rows.line.size * self.tiling.rows * dtype.itemsize)
        return pointer

    def _copies(self, tiles: Sequence[tuple[Access, Pointer]], *, back: bool) -> TransposedCopies:
        """Return the copies of operands to tiles, or of tiles to results."""
        pitch, lines = self.tiling.rows, self.tiling.lines
        return TransposedCopies(self.low, self.plane, tiles, pitch, lines, back, not back)

    def _copy(self, first: Operand, last: Operand, line: Operand, loaded: Sequence[int]) -> None:
        """Write the copies of operands: of lines, and of those of which each row has one number.

        Parameters
        ----------
        first, last : Operand
            The first row, and the one behind the last.
        line : Operand
            The elements of a line.
        loaded : sequence of int
            The operands of which each row has one number.
        """
        low = self.low
        tiles = [(low.accesses[k], self.areas[k]) for k in self.rows.copied]
        self._copies(tiles, back=False).write((self.base, low.integer(0)), (last, line))
        self._load_lanes(first, last, loaded)
        with self._free_lanes(first, last) as (row, lane):
            self._repeat_number(loaded, row, lane)
            with low.builder.loop("j", low.integer(0), line, AxisKind.SCALAR) as j:
                for k in self.rows.copied:
                    pitch = self.tiling.rows
                    value = low.builder.load(self.areas[k], Index(0, ((pitch, j), (1, row))))
                    low.builder.store(self.areas[k], Index(0, ((pitch, j), (1, lane))), value)

    def _prefetch(self, j: Value) -> None:
        """Write a hint that the next tile will be read, of a share of it for each element of a row.

        Rows in blocks are no stream that a processor would recognise.
        """
        low, b = self.low, self.low.builder
        share = b.call("multiply", j, low.integer(self.tiling.rows))
        with low.inside(self.plane, (self.next, share)):
            for k in self.rows.copied:
                pointer = low.parameters.pointer(low.accesses[k], self.areas[k].dtype)
                nbytes = self.tiling.rows * pointer.dtype.itemsize
                b.prefetch(pointer, low.index(low.accesses[k]), 0, nbytes)

    def _copy_lanes(self, first: Operand, last: Operand, loaded: Sequence[int]) -> None:
        """Write the copies of operands of which each row has one number.

        Parameters
        ----------
        first, last : Operand
            The first row, and the one behind the last.
        loaded : sequence of int
            The operands.
        """
        if loaded:
            self._load_lanes(first, last, loaded)
            with self._free_lanes(first, last) as (row, lane):
                self._repeat_number(loaded, row, lane)

    def _load_lanes(self, first: Operand, last: Operand, loaded: Sequence[int]) -> None:
        """Write the loads of one number a row."""
        low, b = self.low, self.low.builder
        for k in loaded:
            self._lanes_of(k)
        with self._one_by_one(first, last) as r:
            low.write(loaded)
            for k in loaded:
                at = Index(0, ((1, b.call("subtract", r, self.base)),))
                b.store(self.lanes[k], at, low.value(k))

    @contextmanager
    def _free_lanes(self, first: Operand, last: Operand) -> Iterator[tuple[Value, Value]]:
        """Open a loop over the lanes that have no row, with one that has."""
        low, b = self.low, self.low.builder
        height = low.integer(self.tiling.rows)
        begin, end = (b.call("subtract", row, self.base) for row in (first, last))
        with b.when(b.call("less", b.call("subtract", end, begin), height)):
            with b.loop("f", low.integer(0), height, AxisKind.SCALAR) as lane:
                free = b.call("or", b.call("less", lane, begin), b.call("less_equal", end, lane))
                with b.when(free):
                    yield begin, lane

    def _repeat_number(self, loaded: Sequence[int], row: Value, lane: Value) -> None:
        """Write the copy of the numbers of one row to a lane that has none."""
        b = self.low.builder
        for k in loaded:
            value = b.load(self.lanes[k], Index(0, ((1, row),)))
            b.store(self.lanes[k], Index(0, ((1, lane),)), value)

    @contextmanager
    def _one_by_one(self, first: Operand, last: Operand) -> Iterator[Value]:
        """Open a loop over the rows of a tile, one after the other."""
        low = self.low
        with low.builder.loop("r", first, last, AxisKind.SHORT) as r:
            with low.inside(Frame((self.rows.across,)), (r,)):
                yield r

    def _lanes_of(self, k: int) -> Pointer:
        """Return memory for the lanes of a term that is the same along the row."""
        dtype = register_dtype(self.low.terms[k].dtype)
        return self.lanes.setdefault(k, self.low.builder.local("row", dtype, self.tiling.rows))


class _Tile(_Copied):
    """The code of one tile.

    Parameters
    ----------
    low : Lowering
        The kernel.
    rows : Rows
        The rows.
    tiling : RowTileTiling
        How they are cut.
    """

    def __init__(self, low: Lowering, rows: Rows, tiling: RowTileTiling) -> None:
        super().__init__(low, rows, tiling)
        self.passes = rows.passes
        self.full = rows.passes.full
        #: The terms whose areas are filled.
        self.stored = set(rows.copied)
        #: Rows whose elements lie in turn, and which of them is computed.
        self.beside = 1 if rows.beside is None else rows.beside.size.__index__()
        self.row_beside: Value | None = None

    def write(self, first: Operand, last: Operand) -> None:
        """Write the code of the rows from one to another.

        Parameters
        ----------
        first, last : Operand
            The first row, and the one behind the last.
        """
        low, b = self.low, self.low.builder
        size = low.number(("size", self.rows.along.axes), self.rows.along.size, "n")
        line = size
        if self.rows.beside is not None:
            line = low.number(("line", self.rows.along.axes), self.rows.line.size, "n")
        # A whole block is copied where fewer rows are left, with some of the tile before.
        rows = low.number(("size", self.rows.across.axes), self.rows.across.size, "n")
        lines = low.integer(self.tiling.lines)
        self.base = low.least(first, b.call("subtract", rows, lines))
        self.next = last
        loaded = [k for k in low.accesses if self.rows.moving[k] and k not in self.areas]
        if self.rows.beside is None:
            self._copy(first, last, line, loaded)
            self._write_row(first, last, size)
        else:
            self._copy(first, last, line, ())
            beside = low.integer(self.beside)
            with b.loop("t", low.integer(0), beside, AxisKind.SCALAR) as t:
                with low.inside(Frame((self.rows.beside,)), (t,)):
                    self.row_beside = t
                    self._copy_lanes(first, last, loaded)
                    self._write_row(first, last, size)
        tiles = [(low.stores[p][1], area) for p, area in self.results.items()]
        if tiles:
            copies = self._copies(tiles, back=True)
            copies.write((first, low.integer(0)), (last, line), self.base)

    def _write_row(self, first: Operand, last: Operand, size: Operand) -> None:
        """Write all passes over rows, and the stores of each.

        Parameters
        ----------
        first, last : Operand
            The first row, and the one behind the last.
        size : Operand
            The elements of a row.
        """
        low, b = self.low, self.low.builder
        for number in range(self.passes.count):
            self._write_pass(number, size)
        stores = [low.stores[p] for p in self.passes.row_stores]
        self._write_rows([k for k, _ in stores])
        with self._one_by_one(first, last) as r:
            at = Index(0, ((1, b.call("subtract", r, self.base)),))
            for k, place in stores:
                if k in self.lanes:
                    low.put(k, b.load(self.lanes[k], at))
                low.store(k, place)

    def _at(self, j: Value, lane: Value) -> Index:
        """Return the place of an element in a tile."""
        if self.row_beside is None:
            return Index(0, ((self.tiling.rows, j), (1, lane)))
        step = self.tiling.rows * self.beside
        return Index(0, ((step, j), (self.tiling.rows, self.row_beside), (1, lane)))

    @contextmanager
    def _each_row(self) -> Iterator[Value]:
        """Open a loop over the rows of a tile, as lanes."""
        low = self.low
        height = low.integer(self.tiling.rows)
        with low.builder.loop("l", low.integer(0), height, AxisKind.INDEPENDENT) as lane:
            with low.scope():
                yield lane

    def _recall(self, terms: Iterable[int], lane: Value, j: Value | None = None) -> None:
        """Load some terms and their operands as far as they are stored, and write the rest.

        Parameters
        ----------
        terms : iterable of int
            The terms; without `j` none that changes along the row.
        lane, j : Value
            The row, and the element of it.
        """
        low, b = self.low, self.low.builder
        needed = self._needed(terms)
        for k in needed:
            if k in self.lanes:
                low.put(k, b.load(self.lanes[k], Index(0, ((1, lane),))))
            elif k in self.stored and j is not None:
                low.put(k, b.load(self.areas[k], self._at(j, lane)))
        low.write(needed)

    def _needed(self, terms: Iterable[int]) -> list[int]:
        """Return the terms without a value that others need, those that are stored among them."""
        low = self.low
        known = [k for k in range(len(low.terms)) if low.get(k) is not None]
        stored = [k for k in range(len(low.terms)) if k in self.lanes or k in self.stored]
        return [k for k in low.needed(terms, [*known, *stored]) if low.get(k) is None]

    def _write_rows(self, terms: Iterable[int]) -> None:
        """Write terms that are the same along the row, in lanes if rows differ."""
        low, b = self.low, self.low.builder
        open_terms = [k for k in self._needed(terms) if k not in self.lanes]
        low.write(k for k in open_terms if not self.rows.moving[k])
        chosen = [k for k in dict.fromkeys(terms) if k in open_terms and self.rows.moving[k]]
        if not chosen:
            return
        with self._each_row() as lane:
            self._recall(chosen, lane)
            values = {k: low.value(k) for k in chosen}
            for k, value in values.items():
                b.store(self._lanes_of(k), Index(0, ((1, lane),)), value)

    def _write_pass(self, number: int, size: Operand) -> None:
        """Write one pass over the rows, and its reductions.

        Parameters
        ----------
        number : int
            Of the pass.
        size : Operand
            The elements of a row.
        """
        low, b = self.low, self.low.builder
        sinks = self.passes.sinks(low.analysis, number)
        reductions = self.passes.reductions.get(number, [])
        cached = [k for k in self.tiling.cached if low.analysis.level[k] == number]
        means = {k: low.terms[k].args[1] for k in reductions if reducer_of(low.terms[k]).centred}
        needed = self._needed([*sinks, *cached])
        read = {
            a for k in needed if self.full[k] and k not in self.stored for a in low.terms[k].args
        }
        before = [k for k in needed if not self.full[k] and (k in sinks or k in read)]
        self._write_rows([*before, *means.values()])
        centres = self._write_means(means, size)
        states = {
            k: [
                b.local("state", component.dtype, self.tiling.rows)
                for component in components_of(low.terms[k])
            ]
            for k in reductions
        }
        with self._each_row() as lane:
            for k, pointers in states.items():
                for pointer, component in zip(pointers, components_of(low.terms[k]), strict=True):
                    literal = b.literal(component.initial, component.dtype)
                    b.store(pointer, Index(0, ((1, lane),)), literal)
        with b.loop("j", low.integer(0), size, AxisKind.SCALAR) as j:
            if number == self._most_expensive_pass() and self.rows.beside is None:
                self._prefetch(j)
            with low.inside(Frame((self.rows.along,)), (j,)), self._each_row() as lane:
                at = Index(0, ((1, lane),))
                self._recall([*sinks, *cached], lane, j)
                for k in cached:
                    b.store(self.areas[k], self._at(j, lane), low.value(k))
                for k, pointers in states.items():
                    value = low.value(low.terms[k].args[0])
                    if k in centres:
                        away = away_from(low, value, b.load(centres[k], at))
                        value = b.call("multiply", away, away)
                    state = [b.load(pointer, at) for pointer in pointers]
                    after = step_state(b, low.terms[k], state, value, j)
                    for pointer, part in zip(pointers, after, strict=True):
                        b.store(pointer, at, part)
                for p in self.passes.full_stores.get(number, []):
                    b.store(self.results[p], self._at(j, lane), low.value(low.stores[p][0]))
        self.stored.update(cached)
        with self._each_row() as lane:
            for k, pointers in states.items():
                at = Index(0, ((1, lane),))
                state = [b.load(pointer, at) for pointer in pointers]
                result = reducer_of(low.terms[k]).finish(b, state)
                b.store(self._lanes_of(k), at, finish(b, low.terms[k], result))

    def _most_expensive_pass(self) -> int:
        """Return the pass that computes most of each element, the last of several."""
        analysis = self.low.analysis
        cost = [0] * self.passes.count
        for k, term in enumerate(analysis.terms):
            if self.full[k] and term.args:
                cost[min(analysis.level[k], self.passes.count - 1)] += term.node.op.cost
        return max(range(self.passes.count), key=lambda number: (cost[number], number))

    def _write_means(self, totals: dict[int, int], size: Operand) -> dict[int, Pointer]:
        """Write the means about which deviations are taken, by reduction."""
        low, b = self.low, self.low.builder
        means = {k: b.local("mean", FLOAT64, self.tiling.rows) for k in totals}
        if means:
            count = b.call("convert", size, dtype=FLOAT64)
            with self._each_row() as lane:
                self._recall(totals.values(), lane)
                for k, total in totals.items():
                    wide = b.call("convert", low.value(total), dtype=FLOAT64)
                    mean = b.call("divide", wide, count)
                    b.store(means[k], Index(0, ((1, lane),)), mean)
        return means
