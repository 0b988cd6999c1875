"""Lowering of reductions down the columns: axes in front of a kept one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import numpy as np

from lazyarr.codegen.chunked_reduction import (
    CENTRE,
    Combination,
    Parts,
    align,
    away_from,
    chunk_terms,
    deviations,
    full_stores,
    known_mean,
    mean_of,
)
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.column_blocks import RowBlocks
from lazyarr.codegen.cpu.column_loops import ColumnLoops
from lazyarr.codegen.cpu.combine_columns import combine_columns
from lazyarr.codegen.cpu.merged_columns import store_merged, sum_of_columns
from lazyarr.codegen.cpu.parallel_chunks import ParallelChunks, loop_over_chunks
from lazyarr.codegen.inner_loops import ElementLoop, elements
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.processor_tilings import PanelTiling
from lazyarr.codegen.reducers import (
    Component,
    reducer_of,
    step_state,
)
from lazyarr.core.frozen import dataclass, replace
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["lower_columns"]

FLOAT64 = np.dtype(np.float64)


def lower_columns(
    low: Lowering,
    comments: Sequence[str],
    tiling: PanelTiling,
) -> Lowered:
    """Return the kernels: one accumulates the columns of panels, the other combines panels.

    Parameters
    ----------
    low : Lowering
        The first kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above each kernel.
    tiling : PanelTiling
        How it is cut.
    """
    group = low.group
    b = low.builder
    loops = ColumnLoops.of(low.analysis)
    front, columns, rows = loops.front, loops.columns, loops.rows
    panels, panel_rows, chunks = tiling.panels, tiling.rows, tiling.chunks
    # The states are stored in the order of the results: front axes, then columns.
    merged = tiling.merged
    results = columns.size // merged
    parts = Parts(low, chunks, front.size * results)
    stores, rest = full_stores(low, group.reduced)
    late = deviations(low, parts.reductions)
    early = [k for k in parts.reductions if k not in late]
    panel_scratch = _PanelScratch(low, parts, rows.size, columns.size, tiling)

    size = low.number("columns", columns.size, "n")
    each = low.number("merged columns", merged, "n") if merged > 1 else None
    height = low.number("rows", rows.size, "n")
    tall = low.number("panel rows", panel_rows, "n")
    low.number("chunks", chunks, "n")
    low.number("panels", panels, "n")
    outputs = low.number("outputs", parts.outputs, "n")

    def one_chunk(chunk: Operand, panel: Operand, front_index: Operand) -> None:
        width: Operand = low.integer(tiling.columns)
        if each is not None:  # other numbers of columns a result are no other kernels
            width = low.number("panel columns", tiling.columns, "n")
        first = b.call("multiply", panel, width)
        last = low.least(b.call("add", first, width), size)
        top = b.call("multiply", chunk, tall)
        bottom = low.least(b.call("add", top, tall), height)
        with low.inside(front, low.decode(front_index, front)):
            box = _Box(first, last, top, bottom, rows, Frame((columns,)))
            sample: Operand | None = None
            if late:
                sample = _sample_means(low, panel_scratch, box, (tall, each), tiling)
            panel_scratch.write_pass(box, early + late, stores, sample, tiling.together)
            origin = b.call("multiply", chunk, outputs)
            if each is not None:
                before = b.call("multiply", front_index, low.number("results", results, "n"))
                start = [b.call("add", origin, before), b.call("divide", first, each)]
                inside = b.call("divide", b.call("subtract", last, first), each)
                store_merged(low, parts, late, panel_scratch.pointer, inside, each, start)
            else:
                origin = b.call("add", origin, b.call("multiply", front_index, size))
                _store_states(low, parts, panel_scratch, (first, last), origin)

    several = partial(panel_scratch.write_beside, tall, outputs)
    items = loop_over_chunks(low, tiling, loops, height, one_chunk, several)
    main = replace(low.launch(items, 1, comments), tiling=tiling)

    finishing = Lowering(low.planned, f"{group.name}combine")

    def chunk_elements(c: Operand) -> Operand:
        fin = finishing.builder
        whole = finishing.number("rows", rows.size, "n")
        step = finishing.number("panel rows", panel_rows, "n")
        left = fin.call("subtract", whole, fin.call("multiply", c, step))
        count = finishing.least(left, step)
        if merged == 1:
            return count
        return fin.call("multiply", count, finishing.number("merged columns", merged, "n"))

    ordered = [*loops.front_axes, *loops.kept_axes]
    elements_of_all = rows.size * merged
    combination = Combination(finishing, parts, ordered, rest, chunk_elements, elements_of_all)
    launch = combine_columns(combination, comments, tiling)
    return Lowered(group, (main, launch), parts.nbytes, panel_scratch.nbytes)


def _sample_means(
    low: Lowering,
    panel_scratch: _PanelScratch,
    box: _Box,
    sizes: tuple[Operand, Operand | None],
    tiling: PanelTiling,
) -> Operand:
    """Write the pass over a panel's first rows, whose sums give the centres of its deviations.

    Returns the number of elements that each sum is of. `sizes` are the rows of a whole panel, and
    the columns of one result if they are merged.
    """
    b = low.builder
    tall, each = sizes
    totals = list(dict.fromkeys(low.terms[k].args[1] for k in panel_scratch.late))
    part = b.call("divide", tall, low.integer(tuning.row().sampled_part))
    sampled = low.least(b.call("add", box.top, part), box.bottom)
    first_rows = replace(box, bottom=sampled)
    panel_scratch.write_pass(first_rows, totals, [], None, tiling.sampled_together)
    count = b.call("subtract", sampled, box.top)
    if each is None:
        return count
    inside = b.call("divide", b.call("subtract", box.last, box.first), each)
    sum_of_columns(low, totals, panel_scratch.pointer, inside, each)
    return b.call("multiply", count, each)


def _store_states(
    low: Lowering,
    parts: Parts,
    panel_scratch: _PanelScratch,
    columns: tuple[Operand, Operand],
    origin: Value,
) -> None:
    """Write the loop over a panel's columns that stores their states."""
    b = low.builder
    first, last = columns
    with b.loop("j", first, last) as j:
        local = b.call("subtract", j, first)
        for k in parts.reductions:
            for n in range(len(parts.components[k])):
                value = b.load(panel_scratch.pointer(k, n), Index(0, ((1, local),)))
                target = parts.pointer(low, k, n, True)
                b.store(target, Index(0, ((1, origin), (1, j))), value)


def _taken(low: Lowering, reductions: Sequence[int]) -> list[int]:
    """Return the terms that reductions take in."""
    return list(dict.fromkeys(low.terms[k].args[0] for k in reductions))


@dataclass(frozen=True, eq=False, slots=True)
class _Box:
    """The rows and columns of one work item."""

    first: Operand
    last: Operand
    top: Operand
    bottom: Operand
    rows: Frame
    columns: Frame


class _PanelScratch:
    """A panel's running states: one short array a component, in the worker's own scratch."""

    def __init__(
        self, low: Lowering, parts: Parts, rows: int, columns: int, tiling: PanelTiling
    ) -> None:
        self.low, self.parts, self.tiling = low, parts, tiling
        self.rows = rows
        self.ahead, self.capacity = tiling.ahead, tiling.line
        #: Of a line of whole rows what reductions take in, by term.
        self.values: dict[int, Pointer] = {}
        self.late = dict.fromkeys(deviations(low, parts.reductions))
        self.offsets: dict[tuple[int, int], int] = {}
        # What runs along, and of deviations the place of the means behind it.
        self.states: dict[int, tuple[Component, ...]] = {}
        self.centres: dict[int, int] = {}
        at = 0
        for k in parts.reductions:
            lines = parts.components[k]
            self.states[k] = lines
            if reducer_of(low.terms[k]).centred:
                self.states[k] = lines[:CENTRE]
                self.centres[k] = len(self.states[k])
                lines = (*self.states[k], Component(FLOAT64, 0))
            for n, component in enumerate(lines):
                self.offsets[k, n] = at
                width = min(columns + tiling.row_lanes, tiling.columns)
                at += align(width * component.dtype.itemsize)
        self.nbytes = at
        self.blocks = RowBlocks(low, columns, tiling) if tiling.row_lanes else None

    def pointer(self, k: int, n: int) -> Pointer:
        """Return the array of a reduction's component, or of the means it deviates from.

        Parameters
        ----------
        k : int
            The reduction's term.
        n : int
            The component.
        """
        running = self.states[k]
        dtype = running[n].dtype if n < len(running) else FLOAT64
        return self.low.scratch(("panel", k, n), dtype, self.offsets[k, n], True, True)

    def write_pass(
        self,
        box: _Box,
        reductions: Sequence[int],
        stores: Sequence[int],
        sampled: Operand | None,
        together: int,
    ) -> None:
        """Write one pass over a panel.

        Its sums, of `sampled` rows, give the centres of deviations from means not known before.

        Several rows are taken together, so that the states are loaded and stored less often.

        Parameters
        ----------
        box : _Box
            The rows and columns of the panel.
        reductions : sequence of int
            Terms.
        stores : sequence of int
            Positions of the stores to write.
        sampled : Operand, optional
            The number of rows whose sums are known.
        together : int
            Rows that are taken together.
        """
        low, b = self.low, self.low.builder
        self._prepare(box, reductions, sampled)
        computed = low.needed(chunk_terms(low, stores, reductions))
        if self.blocks is not None:
            self.blocks.clear(_taken(low, reductions))
        if not self.ahead:
            self._write_rows(box, reductions, stores, computed, together)
            return
        block = low.number("rows ahead", self.ahead, "n")
        most = b.call("subtract", block, low.integer(1))
        height = b.call("subtract", box.bottom, box.top)
        count = b.call("divide", b.call("add", height, most), block)
        with b.loop("k", low.integer(0), count, AxisKind.SCALAR) as k:
            top = b.call("add", box.top, b.call("multiply", k, block))
            bottom = low.least(b.call("add", top, block), box.bottom)
            part = replace(box, top=top, bottom=bottom)
            self._write_line(part, reductions, computed, self.values)
            self._write_rows(part, reductions, stores, computed, together)

    def write_beside(
        self, tall: Operand, outputs: Operand, chunk: Operand, front_index: Operand
    ) -> None:
        """Write the passes over whole chunks of a few columns, side by side, and store the states.

        Parameters
        ----------
        tall : Operand
            Rows of each.
        outputs : Operand
            Results that each chunk has states of.
        chunk : Operand
            The first of them.
        front_index : Operand
            The number of the axes in front.
        """
        loops = ColumnLoops.of(self.low.analysis)
        with self.low.inside(loops.front, self.low.decode(front_index, loops.front)):
            self._write_beside(loops, tall, outputs, chunk, front_index)

    def _write_beside(
        self, loops: ColumnLoops, tall: Operand, outputs: Operand, chunk: Operand, front: Operand
    ) -> None:
        low, b = self.low, self.low.builder
        before = b.call("multiply", front, low.number("columns", loops.columns.size, "n"))
        zero, columns = low.integer(0), low.integer(loops.columns.size)
        box = _Box(zero, columns, zero, zero, loops.rows, Frame((loops.columns,)))
        reductions = self.parts.reductions
        computed = low.needed(chunk_terms(low, [], reductions))
        beside, count = self.tiling.beside, loops.columns.size.__index__()
        group = ParallelChunks(
            low, self.parts, count, beside, tall, partial(self._at, box), computed
        )
        chunks = [chunk, *(b.call("add", chunk, low.integer(n)) for n in range(1, beside))]
        origins = [b.call("add", b.call("multiply", c, outputs), before) for c in chunks]
        first = b.call("multiply", chunk, tall)
        if not self.ahead:
            group.write(first, origins)
            return
        lines: dict[int, Pointer] = {}

        def write_line(number: Value, top: Operand, bottom: Operand) -> dict[int, Pointer]:
            part = replace(box, top=top, bottom=bottom)
            self._write_line(part, reductions, computed, lines, beside, number)
            return lines

        group.write_ahead(first, origins, self.ahead, write_line, self.capacity)

    def _write_line(
        self,
        box: _Box,
        reductions: Sequence[int],
        computed: Sequence[int],
        values: dict[int, Pointer],
        lines: int = 1,
        number: Value | None = None,
    ) -> None:
        """Write the steps of the reductions over some whole rows, which are one line of several."""
        low, b = self.low, self.low.builder
        (rows,), (columns,) = box.rows.axes, box.columns.axes
        size = rows.size * columns.size
        line = Frame((LoopAxis(size, (*rows.axes, *columns.axes)),))
        width = low.number("columns", columns.size, "n")
        first, last = (b.call("multiply", row, width) for row in (box.top, box.bottom))
        with b.loop("i", first, last, AxisKind.SHORT) as i, low.inside(line, (i,)):
            low.write(computed)
            place = Index(0, ((1, b.call("subtract", i, first)),))
            if number is not None:
                place = Index(0, ((self.capacity, number), *place.terms))
            for k in _taken(low, reductions):
                if k not in values:
                    dtype = register_dtype(low.terms[k].dtype)
                    values[k] = b.local("line", dtype, lines * self.capacity)
                b.store(values[k], place, low.value(k))

    def _write_rows(
        self,
        box: _Box,
        reductions: Sequence[int],
        stores: Sequence[int],
        computed: Sequence[int],
        together: int,
    ) -> None:
        """Write the loops over some rows."""
        low, b = self.low, self.low.builder
        height = b.call("subtract", box.bottom, box.top)
        step = low.integer(together)
        groups = b.call("divide", height, step)
        if together > 1:
            with b.loop("g", low.integer(0), groups) as g:
                first = b.call("add", box.top, b.call("multiply", g, step))
                rows = [b.call("add", first, low.integer(n)) for n in range(together)]
                self._rows(box, rows, reductions, stores, computed)
        rest = b.call("add", box.top, b.call("multiply", groups, step))
        with b.loop("q", box.top if together == 1 else rest, box.bottom) as q:
            self._rows(box, [q], reductions, stores, computed)

    def _prepare(self, box: _Box, reductions: Sequence[int], sampled: Operand | None) -> None:
        """Write the first states, and the means from which deviations are taken."""
        low, b = self.low, self.low.builder
        with b.loop("j", box.first, box.last) as j, low.inside(box.columns, (j,)):
            place = Index(0, ((1, b.call("subtract", j, box.first)),))
            for k in reductions:
                if k not in self.centres:
                    continue
                if sampled is not None and k in self.late:
                    total = b.load(self.pointer(low.terms[k].args[1], 0), place)
                    mean: Operand | None = mean_of(low, total, sampled)
                else:
                    mean = known_mean(low, k, self.rows)
                assert mean is not None
                b.store(self.pointer(k, self.centres[k]), place, mean)
            for k in reductions:
                for n, component in enumerate(self.states[k]):
                    b.store(
                        self.pointer(k, n), place, b.literal(component.initial, component.dtype)
                    )
        if self.blocks is not None:
            # No column lies there, but vectors of states do.
            with self.blocks.behind() as j:
                for k in reductions:
                    for n in range(len(self.states[k]) + (k in self.centres)):
                        pointer = self.pointer(k, n)
                        zero = b.literal(np.zeros((), pointer.dtype).item(), pointer.dtype)
                        b.store(pointer, Index(0, ((1, j),)), zero)

    @contextmanager
    def _at(self, box: _Box, row: Operand, column: Operand) -> Iterator[None]:
        """Have the counters of the frames for an element."""
        low = self.low
        with low.inside(box.rows, low.decode(row, box.rows)), low.inside(box.columns, (column,)):
            yield

    def _read_line(self, box: _Box, row: Operand, j: Operand) -> dict[int, Operand]:
        """Load the values that were computed of an element of the present line."""
        low, b = self.low, self.low.builder
        width = low.number("columns", box.columns.size, "n")
        before = b.call("multiply", b.call("subtract", row, box.top), width)
        place = Index(0, ((1, before), (1, b.call("subtract", j, box.first))))
        return {k: b.load(pointer, place) for k, pointer in self.values.items()}

    def _rows(
        self,
        box: _Box,
        rows: Sequence[Operand],
        reductions: Sequence[int],
        stores: Sequence[int],
        computed: Sequence[int],
    ) -> None:
        """Write a loop over the columns that takes in one element of each of some rows."""
        low, b = self.low, self.low.builder
        sinks = chunk_terms(low, stores, reductions)

        axes = [*box.columns.axes[0].axes, *(a for axis in box.rows.axes for a in axis.axes)]
        width = box.columns.axes[0].size
        blocks = self.blocks
        if blocks is not None:
            blocks.write(rows, partial(self._at, box), _taken(low, reductions), computed)
            loops: AbstractContextManager[Value] = blocks.loops()
        else:
            first_row = partial(self._at, box, rows[0])
            loop = ElementLoop("j", box.first, box.last, first_row, axes, width)
            loops = elements(low, loop, sinks)
        with loops as j:
            place = Index(0, ((1, j if blocks else b.call("subtract", j, box.first)),))
            states: dict[int, Sequence[Operand]] = {}
            means: dict[int, Operand] = {}
            for k in reductions:
                count = len(self.states[k])
                states[k] = [b.load(self.pointer(k, n), place) for n in range(count)]
                if k in self.centres:
                    means[k] = b.load(self.pointer(k, self.centres[k]), place)
            for n, row in enumerate(rows):
                with self._at(box, row, j):
                    if blocks is not None:
                        known = blocks.read(n, j)
                    else:
                        known = self._read_line(box, row, j) if self.values else {}
                    for k, loaded in known.items():
                        low.put(k, loaded)
                    low.write(k for k in computed if not known or k in known)
                    for p in stores:
                        low.store(*low.stores[p])
                    for k in reductions:
                        value = low.value(low.terms[k].args[0])
                        if k not in means:
                            states[k] = step_state(b, low.terms[k], states[k], value, row)
                            continue
                        away = away_from(low, value, means[k])
                        news = [b.call("multiply", away, away), away]
                        states[k] = [
                            b.call("add", state, new)
                            for state, new in zip(states[k], news, strict=False)
                        ]
            for k in reductions:
                for n, new in enumerate(states[k]):
                    b.store(self.pointer(k, n), place, new)
