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
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.row_reduction import kept_terms
from lazyarr.codegen.cpu.transposed_copies import TransposedCopies
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Access, Frame, LoopAxis
from lazyarr.codegen.reducers import (
    components_of,
    finish,
    is_compensated,
    reducer_of,
    step_state,
)
from lazyarr.codegen.row_passes import RowPasses, find_row_passes
from lazyarr.codegen.row_tile_tiling import RowTileTiling
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.core.frozen import dataclass, replace
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.index_terms import position_of

__all__ = ["choose_row_tiles", "lower_row_tiles"]

FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class _Rows:
    """The rows of a group.

    Attributes
    ----------
    around : Frame
        The loops around those that are taken side by side.
    across, along : LoopAxis
        The loop over rows, and the one over the elements of a row.
    passes : RowPasses
        The passes over a row.
    moving : list of bool
        For each term, whether it differs between the rows of a tile.
    copied : tuple of int
        The operands that are copied.
    """

    around: Frame
    across: LoopAxis
    along: LoopAxis
    passes: RowPasses
    moving: list[bool]
    copied: tuple[int, ...]

    @classmethod
    def of(cls, group: GroupTerms) -> _Rows | None:
        """Return the rows of a group; None if they do not lie one behind the other."""
        reduced = set(group.reduced)
        outer = group.frame(axis for axis in range(len(group.domain)) if axis not in reduced)
        inner = group.frame(group.reduced)
        if not outer.axes or len(inner.axes) != 1:
            return None
        across, along = outer.axes[-1], inner.axes[0]
        passes = find_row_passes(group)
        moving: list[bool] = []
        copied: list[int] = []
        for k, term in enumerate(group.terms):
            kind = term.node.op.kind
            if not term.loaded and (term.node.op.loop is not None or kind is Kind.GATHER):
                return None
            if k in group.accesses:
                place = group.accesses[k]
                moving.append(across.stride(place.strides) != 0)
                if moving[k] and along.stride(place.strides) != 0:
                    if not _is_line(place, along):
                        return None
                    copied.append(k)
            elif kind is Kind.GENERATE:
                if across.stride(position_of(term, group.domain)[1]):
                    return None
                moving.append(any(moving[a] for a in term.args))
            else:
                moving.append(kind is Kind.REDUCE or any(moving[a] for a in term.args))
        for positions in passes.full_stores.values():
            for _, place in (group.stores[p] for p in positions):
                if not _is_line(place, along) or not across.stride(place.strides):
                    return None
        if not copied:
            return None
        return cls(Frame(outer.axes[:-1]), across, along, passes, moving, tuple(copied))


def _is_line(place: Access, along: LoopAxis) -> bool:
    """Whether the elements of a row lie one behind the other."""
    return place.unit == 1 and along.stride(place.strides) == 1


def choose_row_tiles(group: GroupTerms) -> RowTileTiling | None:
    """Return the tiling of rows that are reduced side by side; None if others are better.

    Parameters
    ----------
    group : GroupTerms
        What is computed, of rows of so many elements that a tile of them is possible.
    """
    row = tuning.row()
    length = group.frame(group.reduced).size
    rows = _Rows.of(group)
    if rows is None or rows.across.size < row.transposed_lines:
        return None
    if length > max(row.written_out_row, _longest(group, rows)):
        return None
    if any(is_bfloat16(term.dtype) for term in group.terms):
        return None  # it is converted element by element
    itemsize = max(group.terms[k].dtype.itemsize for k in rows.copied)
    if length * itemsize < row.least_tiled_bytes:
        return None
    lines = row.transposed_lines
    while lines > length:
        lines //= 2
    tiles = -(-rows.across.size // row.rows_side_by_side)
    chunk = max(1, group.grain() // (length * row.rows_side_by_side))
    kept = kept_terms(group, rows.passes)
    return RowTileTiling(row.rows_side_by_side, lines, kept, tiles, chunk)


def _longest(group: GroupTerms, rows: _Rows) -> int:
    """Return the most elements of rows of which copies take less than each row by itself."""
    row = tuning.row()
    waits = (rows.passes.count - 1) * row.row_pass_ns
    for reductions in rows.passes.reductions.values():
        for k in reductions:
            reducer = reducer_of(group.terms[k])
            if reducer.is_positional:
                waits += row.row_position_ns
            elif reducer.primitive is None or components_of(group.terms[k])[0].initial == 0:
                waits += row.row_sum_ns
            else:
                waits += row.row_extremum_ns
    copies = len(rows.copied) + sum(map(len, rows.passes.full_stores.values()))
    longest = int(waits / (copies * row.tiled_copy_ns))
    sums = (k for reductions in rows.passes.reductions.values() for k in reductions)
    rounds = any(is_compensated(group.terms[k]) for k in sums)
    return min(longest, row.most_summed_row) if rounds else longest


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
    rows = _Rows.of(low.analysis)
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


class _Tile:
    """The code of one tile.

    Parameters
    ----------
    low : Lowering
        The kernel.
    rows : _Rows
        The rows.
    tiling : RowTileTiling
        How they are cut.
    """

    def __init__(self, low: Lowering, rows: _Rows, tiling: RowTileTiling) -> None:
        self.low, self.rows, self.tiling = low, rows, tiling
        self.passes = rows.passes
        self.full = rows.passes.full
        self.plane = Frame((rows.across, rows.along))
        self.nbytes = 0
        #: Of terms that change along the row: a line of lanes for each element.
        self.areas = {k: self._area(("tile", k), k, True) for k in rows.copied}
        self.areas |= {k: self._area(("kept", k), k, False) for k in tiling.kept}
        self.results = {
            p: self._area(("result", p), low.stores[p][0], True)
            for positions in rows.passes.full_stores.values()
            for p in positions
        }
        #: The row of the first lane.
        self.base: Operand = low.integer(0)
        #: The terms whose areas are filled.
        self.stored = set(rows.copied)
        #: Of terms that are the same along the row: lanes.
        self.lanes: dict[int, Pointer] = {}

    def _area(self, key: object, k: int, in_memory: bool) -> Pointer:
        """Return scratch memory for a tile of a term."""
        low = self.low
        dtype = low.terms[k].dtype if in_memory else register_dtype(low.terms[k].dtype)
        pointer = low.scratch(key, dtype, self.nbytes, True, True)
        self.nbytes += align(self.rows.along.size * self.tiling.rows * dtype.itemsize)
        return pointer

    def write(self, first: Operand, last: Operand) -> None:
        """Write the code of the rows from one to another.

        Parameters
        ----------
        first, last : Operand
            The first row, and the one behind the last.
        """
        low, b = self.low, self.low.builder
        size = low.number(("size", self.rows.along.axes), self.rows.along.size, "n")
        # A whole block is copied where fewer rows are left, with some of the tile before.
        rows = low.number(("size", self.rows.across.axes), self.rows.across.size, "n")
        lines = low.integer(self.tiling.lines)
        self.base = low.least(first, b.call("subtract", rows, lines))
        self._copy(first, last, size)
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
        tiles = [(low.stores[p][1], area) for p, area in self.results.items()]
        if tiles:
            copies = self._copies(tiles, back=True)
            copies.write((first, low.integer(0)), (last, size), self.base)

    def _copies(self, tiles: Sequence[tuple[Access, Pointer]], *, back: bool) -> TransposedCopies:
        """Return the copies of operands to tiles, or of tiles to results."""
        pitch, lines = self.tiling.rows, self.tiling.lines
        return TransposedCopies(self.low, self.plane, tiles, pitch, lines, back, not back)

    def _copy(self, first: Operand, last: Operand, size: Operand) -> None:
        """Write the copies of operands, of rows and of one number a row."""
        low, b = self.low, self.low.builder
        tiles = [(low.accesses[k], self.areas[k]) for k in self.rows.copied]
        self._copies(tiles, back=False).write((self.base, low.integer(0)), (last, size))
        loaded = [k for k in low.accesses if self.rows.moving[k] and k not in self.areas]
        for k in loaded:
            self._lanes_of(k)
        with self._one_by_one(first, last) as r:
            low.write(loaded)
            for k in loaded:
                at = Index(0, ((1, b.call("subtract", r, self.base)),))
                b.store(self.lanes[k], at, low.value(k))
        height = low.integer(self.tiling.rows)
        begin, end = (b.call("subtract", row, self.base) for row in (first, last))
        with b.when(b.call("less", b.call("subtract", end, begin), height)):
            with b.loop("f", low.integer(0), height, AxisKind.SCALAR) as lane:
                free = b.call("or", b.call("less", lane, begin), b.call("less_equal", end, lane))
                with b.when(free):
                    self._repeat(loaded, begin, lane, size)

    def _repeat(self, loaded: Sequence[int], row: Value, lane: Value, size: Operand) -> None:
        """Write the copy of one row to a lane that has none."""
        low, b = self.low, self.low.builder
        for k in loaded:
            value = b.load(self.lanes[k], Index(0, ((1, row),)))
            b.store(self.lanes[k], Index(0, ((1, lane),)), value)
        with b.loop("j", low.integer(0), size, AxisKind.SCALAR) as j:
            for k in self.rows.copied:
                value = b.load(self.areas[k], self._at(j, row))
                b.store(self.areas[k], self._at(j, lane), value)

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

    def _at(self, j: Value, lane: Value) -> Index:
        """Return the place of an element in a tile."""
        return Index(0, ((self.tiling.rows, j), (1, lane)))

    @contextmanager
    def _each_row(self) -> Iterator[Value]:
        """Open a loop over the rows of a tile, as lanes."""
        low = self.low
        height = low.integer(self.tiling.rows)
        with low.builder.loop("l", low.integer(0), height, AxisKind.INDEPENDENT) as lane:
            with low.scope():
                yield lane

    def _recall(self, terms: Iterable[int], lane: Value, j: Value | None = None) -> None:
        """Load what is stored of some terms and of what they need, and write the rest.

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
        """Write one pass over the rows, and what it reduces.

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
        kept = [k for k in self.tiling.kept if low.analysis.level[k] == number]
        means = {k: low.terms[k].args[1] for k in reductions if reducer_of(low.terms[k]).centred}
        needed = self._needed([*sinks, *kept])
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
            with low.inside(Frame((self.rows.along,)), (j,)), self._each_row() as lane:
                at = Index(0, ((1, lane),))
                self._recall([*sinks, *kept], lane, j)
                for k in kept:
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
        self.stored.update(kept)
        with self._each_row() as lane:
            for k, pointers in states.items():
                at = Index(0, ((1, lane),))
                state = [b.load(pointer, at) for pointer in pointers]
                result = reducer_of(low.terms[k]).finish(b, state)
                b.store(self._lanes_of(k), at, finish(b, low.terms[k], result))

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
