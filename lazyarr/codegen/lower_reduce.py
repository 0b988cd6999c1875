"""Lowering of reductions that many work items share: long rows, and axes in front of kept ones.

The first kernel reduces fixed chunks and stores each chunk's state; the second combines the
states in order and computes what follows from the results. How the work is cut depends on the
shape alone. Squared deviations are taken about each chunk's own mean, while the chunk is still in
cache, and combined with the formula of Chan, Golub and LeVeque (Algorithms for computing the
sample variance, The American Statistician 37, 1983).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.codegen.accumulate import (
    BLOCK,
    Accumulator,
    Component,
    Look,
    components_of,
    finish,
    is_better,
)
from lazyarr.codegen.frame import Frame, LoopAxis
from lazyarr.codegen.kernel import Index, Operand, Pointer, Value
from lazyarr.codegen.lowering import Launch, Lowered, Lowering
from lazyarr.fusion import Group
from lazyarr.ir import Kind, Node
from lazyarr.memory import Plan

__all__ = ["lower_columns", "lower_split"]

Element = Callable[[], dict[int, Operand]]

FLOAT64 = np.dtype(np.float64)
INT64 = np.dtype(np.int64)

#: Elements of a row that one work item reduces.
SPLIT = 1 << 14
#: Columns and rows of the panel that one work item reduces.
PANEL_COLUMNS = 1024
PANEL_ROWS = 64


def _align(nbytes: int) -> int:
    return -(-nbytes // 64) * 64


class _Parts:
    """Where the chunks' states lie: one array a component, chunk by chunk, then output."""

    def __init__(self, low: Lowering, chunks: int, outputs: int) -> None:
        self.reductions = [
            k
            for k, term in enumerate(low.terms)
            if not term.loaded and term.node.op.kind is Kind.REDUCE
        ]
        self.chunks = chunks
        self.outputs = outputs
        self.offsets: dict[tuple[int, int], int] = {}
        self.components: dict[int, tuple[Component, ...]] = {}
        at = 0
        for k in self.reductions:
            self.components[k] = components_of(low.terms[k].node)
            for n, component in enumerate(self.components[k]):
                self.offsets[k, n] = at
                at += _align(chunks * outputs * component.dtype.itemsize)
        self.nbytes = at

    def pointer(self, low: Lowering, k: int, n: int, write: bool) -> Pointer:
        dtype = self.components[k][n].dtype
        return low.scratch(("part", k, n), dtype, self.offsets[k, n], False, write)


def _deviations(low: Lowering, reductions: Sequence[int]) -> list[int]:
    """Return the deviations whose sum is taken in the same pass."""
    return [
        k
        for k in reductions
        if low.terms[k].node.op.combine == "deviation" and low.terms[k].args[1] in reductions
    ]


def _axes(group: Group) -> tuple[list[int], list[int]]:
    reduced = set(group.reduced)
    kept = [axis for axis in range(len(group.domain)) if axis not in reduced]
    return kept, list(group.reduced)


def _full_stores(low: Lowering, reduced: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the positions of the stores that span the rows, and of the others."""
    full: list[int] = []
    rest: list[int] = []
    for position, (k, place) in enumerate(low.stores):
        spans = any(place.strides[axis] for axis in reduced)
        needs = any(
            low.terms[j].node.op.kind is Kind.REDUCE and not low.terms[j].loaded
            for j in low.needed([k])
        )
        (full if spans and not needs else rest).append(position)
    return full, rest


def _chunk_terms(low: Lowering, stores: Sequence[int], reductions: Sequence[int]) -> list[int]:
    """Return the terms that one element's reductions and stores consume."""
    sinks = [low.terms[k].args[0] for k in reductions]
    return sinks + [low.stores[p][0] for p in stores]


def _known_mean(low: Lowering, k: int, length: int) -> Operand | None:
    """Write the mean of a deviation whose sum was computed before; None for other reductions."""
    if low.terms[k].node.op.combine != "deviation":
        return None
    b = low.builder
    total = low.terms[k].args[1]
    low.write(low.needed([total]))
    count = b.call("convert", low.number("length of row", length, "n"), dtype=FLOAT64)
    return b.call("divide", b.call("convert", low.value(total), dtype=FLOAT64), count)


def _squared(low: Lowering, value: Operand, mean: Operand) -> Operand:
    b = low.builder
    away = b.call("subtract", b.call("convert", value, dtype=FLOAT64), mean)
    return b.call("multiply", away, away)


# -- long rows ---------------------------------------------------------------------------------


def lower_split(
    group: Group, plan: Plan, layouts: dict[Node, Any], comments: Sequence[str]
) -> Lowered:
    """Cut every row into chunks of :data:`SPLIT` elements."""
    low = Lowering(group, plan, layouts, group.name)
    b = low.builder
    kept, reduced = _axes(group)
    outer = low.frame(kept)
    inner = low.frame(reduced)
    last = inner.axes[-1] if inner.axes else LoopAxis(1, ())
    lines = Frame(inner.axes[:-1])
    per_chunk = max(1, SPLIT // max(last.size, 1))
    chunks = -(-lines.size // per_chunk) if lines.axes else -(-last.size // SPLIT)
    chunks = max(chunks, 1)
    parts = _Parts(low, chunks, outer.size)
    stores, rest = _full_stores(low, reduced)
    late = _deviations(low, parts.reductions)
    early = [k for k in parts.reductions if k not in late]

    with b.loop("w", low.begin, low.end) as w:
        row: Operand = low.integer(0)
        chunk: Operand = w
        if outer.axes:
            count = low.number("chunks", chunks, "n")
            row, chunk = b.call("divide", w, count), b.call("remainder", w, count)
        with low.inside(outer, low.decode(row, outer) if outer.axes else ()):
            region = _ChunkRegion(low, lines, last, chunk, per_chunk)
            known = {k: _known_mean(low, k, inner.size) for k in early}
            totals = _sweep_chunk(low, region, early, stores, known)
            if late:
                means = {k: _chunk_mean(low, totals, k, region.elements()) for k in late}
                totals |= _sweep_chunk(low, region, late, [], means)
            for k in parts.reductions:
                for n, value in enumerate(totals[k]):
                    pointer = parts.pointer(low, k, n, True)
                    b.store(pointer, Index(0, ((1, w),)), value)
    main = low.launch(outer.size * chunks, 1 if chunks > 1 else 8, comments)

    def chunk_elements(c: Operand) -> Operand:
        fin = finishing.builder
        if lines.axes:
            whole = finishing.number("lines", lines.size, "n")
            step = finishing.number("per chunk", per_chunk, "n")
            left = fin.call("subtract", whole, fin.call("multiply", c, step))
            size = finishing.number("line", last.size, "n")
            return fin.call("multiply", finishing.least(left, step), size)
        whole = finishing.number("length", last.size, "n")
        full = finishing.integer(SPLIT)
        left = fin.call("subtract", whole, fin.call("multiply", c, full))
        return finishing.least(left, full)

    finishing = Lowering(group, plan, layouts, f"{group.name}_combine")
    launch = _combine(
        finishing, parts, kept, rest, chunk_elements, row_major=True, comments=comments
    )
    return Lowered(group, (main, launch), parts.nbytes, 0)


class _ChunkRegion:
    """The elements of one chunk of a row."""

    def __init__(
        self, low: Lowering, lines: Frame, last: LoopAxis, chunk: Operand, per_chunk: int
    ) -> None:
        self.low = low
        self.lines = lines
        self.last = last
        b = low.builder
        self.size = low.number("line", last.size, "n")
        step: Operand = low.integer(SPLIT)
        whole = self.size
        if lines.axes:
            step = low.number("per chunk", per_chunk, "n")
            whole = low.number("lines", lines.size, "n")
        self.first = b.call("multiply", chunk, step)
        self.stop = low.least(b.call("add", self.first, step), whole)

    def elements(self) -> Operand:
        """Write the number of elements."""
        b = self.low.builder
        count = b.call("subtract", self.stop, self.first)
        return b.call("multiply", count, self.size) if self.lines.axes else count

    @contextmanager
    def loops(self, sums: dict[int, Accumulator], element: Element) -> Iterator[None]:
        """Open the loops over the chunk."""
        low, b = self.low, self.low.builder
        if not self.lines.axes:
            with self._blocks(self.first, self.stop, sums, element, low.integer(0)):
                yield
            return
        with b.loop("q", self.first, self.stop) as q:
            base = b.call("multiply", q, self.size)
            with low.inside(self.lines, low.decode(q, self.lines)):
                with self._blocks(low.integer(0), self.size, sums, element, base):
                    yield

    @contextmanager
    def _blocks(
        self,
        start: Operand,
        stop: Operand,
        sums: dict[int, Accumulator],
        element: Element,
        base: Operand,
    ) -> Iterator[None]:
        """Open the loops over one line of the row, which starts at position `base`."""
        low, b = self.low, self.low.builder
        inner = Frame((self.last,))

        @contextmanager
        def block(first: Operand, last: Operand) -> Iterator[None]:
            for accumulator in sums.values():
                accumulator.begin_block()
            with b.loop("i", first, last) as i, low.inside(inner, (i,)):
                yield
            for k, accumulator in sums.items():

                def again(look: Look, k: int = k) -> None:
                    with b.loop("i", first, last) as i, low.inside(inner, (i,)):
                        look(element()[k], b.call("add", base, i))

                accumulator.end_block(again)

        if not any(accumulator.blocked for accumulator in sums.values()):
            with block(start, stop):
                yield
            return
        step = low.integer(BLOCK)
        length = b.call("subtract", stop, start)
        rounded = b.call("add", length, low.integer(BLOCK - 1))
        with b.loop("k", low.integer(0), b.call("divide", rounded, step)) as k:
            begin = b.call("add", start, b.call("multiply", k, step))
            end = low.least(b.call("add", begin, step), stop)
            with block(begin, end):
                yield


def _sweep_chunk(
    low: Lowering,
    region: _ChunkRegion,
    reductions: Sequence[int],
    stores: Sequence[int],
    means: Mapping[int, Operand | None],
) -> dict[int, list[Operand]]:
    """Write one pass over a chunk and return the states of its reductions."""
    sums = {k: low.accumulator(k, True) for k in reductions}
    wanted = low.needed(_chunk_terms(low, stores, reductions))

    def element() -> dict[int, Operand]:
        low.write(wanted)
        return {k: low.value(low.terms[k].args[0]) for k in sums}

    with region.loops(sums, element):
        values = element()
        for p in stores:
            low.store(*low.stores[p])
        for k, accumulator in sums.items():
            mean = means[k]
            value = values[k] if mean is None else _squared(low, values[k], mean)
            accumulator.update(value)
    return {k: accumulator.state() for k, accumulator in sums.items()}


def _chunk_mean(
    low: Lowering, totals: dict[int, list[Operand]], k: int, elements: Operand
) -> Operand:
    b = low.builder
    total = totals[low.terms[k].args[1]][0]
    count = b.call("convert", elements, dtype=FLOAT64)
    return b.call("divide", b.call("convert", total, dtype=FLOAT64), count)


# -- combining -----------------------------------------------------------------------------------


def _combine(
    low: Lowering,
    parts: _Parts,
    kept: Sequence[int],
    stores: Sequence[int],
    chunk_elements: Callable[[Operand], Operand],
    *,
    row_major: bool,
    comments: Sequence[str],
) -> Launch:
    """Write the kernel that combines the chunks' states and computes what follows.

    `row_major` says that the states of one output lie side by side; otherwise those of one chunk
    do.
    """
    b = low.builder
    sinks = [low.stores[p][0] for p in stores]
    after = [k for k in low.needed(sinks, parts.reductions) if k not in parts.reductions]
    frame = low.frame(kept, {*after, *sinks})
    deviations = _deviations(low, parts.reductions)
    with b.loop("o", low.begin, low.end) as o:
        with low.inside(frame, low.decode(o, frame)):
            sums = {k: low.accumulator(k, True) for k in parts.reductions if k not in deviations}
            moments = {k: _Moments(low) for k in deviations}
            chunks = low.number("chunks", parts.chunks, "n")
            outputs = low.number("outputs", parts.outputs, "n")
            with b.loop("c", low.integer(0), chunks) as c:
                place: Index
                if row_major:
                    base = b.call("multiply", o, chunks)
                    place = Index(0, ((1, base), (1, c)))
                else:
                    place = Index(0, ((outputs, c), (1, o)))
                loaded: dict[int, list[Operand]] = {}
                for k in parts.reductions:
                    count = len(parts.components[k])
                    loaded[k] = [
                        b.load(parts.pointer(low, k, n, False), place) for n in range(count)
                    ]
                for k, accumulator in sums.items():
                    accumulator.merge(loaded[k])
                for k, moment in moments.items():
                    total = loaded[low.terms[k].args[1]][0]
                    moment.merge(chunk_elements(c), total, loaded[k][0])
            for k, accumulator in sums.items():
                low.put(k, accumulator.result())
            for k, moment in moments.items():
                low.put(k, finish(b, low.terms[k].node, moment.squares))
            low.write(k for k in after if low.get(k) is None)
            for p in stores:
                low.store(*low.stores[p])
    count = parts.outputs
    return low.launch(count, max(64, SPLIT // max(1, parts.chunks)), comments)


class _Moments:
    """Number, mean and squared deviations of the chunks so far."""

    def __init__(self, low: Lowering) -> None:
        self.low = low
        zero = low.builder.literal(0, FLOAT64)
        self.count = low.builder.declare("count", zero)
        self.mean = low.builder.declare("mean", zero)
        self.squares = low.builder.declare("dev", zero)

    def merge(self, elements: Operand, total: Operand, squares: Operand) -> None:
        """Take in one more chunk."""
        b = self.low.builder
        n = b.call("convert", elements, dtype=FLOAT64)
        count, mean, held = (b.snapshot(v) for v in (self.count, self.mean, self.squares))
        wide = b.call("convert", total, dtype=FLOAT64)
        away = b.call("subtract", b.call("divide", wide, n), mean)
        both = b.call("add", count, n)
        share = b.call("divide", n, both)
        weight = b.call("multiply", count, share)
        between = b.call("multiply", b.call("multiply", away, away), weight)
        b.assign(self.count, both)
        b.update(self.mean, "add", mean, b.call("multiply", away, share))
        inside = b.call("add", held, b.call("convert", squares, dtype=FLOAT64))
        b.update(self.squares, "add", inside, between)


# -- leading axes --------------------------------------------------------------------------------


def lower_columns(
    group: Group, plan: Plan, layouts: dict[Node, Any], comments: Sequence[str]
) -> Lowered:
    """Cut the domain into panels of rows and columns; accumulate each panel's columns."""
    low = Lowering(group, plan, layouts, group.name)
    b = low.builder
    kept, reduced = _axes(group)
    last_reduced = max(a for a in reduced if group.domain[a] != 1)
    behind = [a for a in kept if a > last_reduced]
    across = low.frame(behind)
    columns = across.axes[-1]
    front_axes = [a for a in kept if a not in columns.axes]
    front = low.frame(front_axes)
    rows = low.frame(reduced)
    chunks = max(1, -(-rows.size // PANEL_ROWS))
    panels = max(1, -(-columns.size // PANEL_COLUMNS))
    # The states are stored in the order of the results: front axes, then columns.
    parts = _Parts(low, chunks, front.size * columns.size)
    stores, rest = _full_stores(low, reduced)
    late = _deviations(low, parts.reductions)
    early = [k for k in parts.reductions if k not in late]
    panel_scratch = _PanelScratch(low, parts, rows.size)

    size = low.number("columns", columns.size, "n")
    height = low.number("rows", rows.size, "n")
    n_chunks = low.number("chunks", chunks, "n")
    n_panels = low.number("panels", panels, "n")
    outputs = low.number("outputs", parts.outputs, "n")
    with b.loop("w", low.begin, low.end) as w:
        chunk = b.call("remainder", w, n_chunks)
        rest_of = b.call("divide", w, n_chunks)
        panel = b.call("remainder", rest_of, n_panels)
        front_index = b.call("divide", rest_of, n_panels)
        first = b.call("multiply", panel, low.integer(PANEL_COLUMNS))
        last = low.least(b.call("add", first, low.integer(PANEL_COLUMNS)), size)
        top = b.call("multiply", chunk, low.integer(PANEL_ROWS))
        bottom = low.least(b.call("add", top, low.integer(PANEL_ROWS)), height)
        with low.inside(front, low.decode(front_index, front)):
            box = _Box(first, last, top, bottom, rows, columns)
            panel_scratch.sweep(box, early, stores, None)
            if late:
                elements = b.call("convert", b.call("subtract", bottom, top), dtype=FLOAT64)
                panel_scratch.sweep(box, late, [], elements)
            origin = b.call("multiply", chunk, outputs)
            origin = b.call("add", origin, b.call("multiply", front_index, size))
            with b.loop("j", first, last) as j:
                local = b.call("subtract", j, first)
                for k in parts.reductions:
                    for n in range(len(parts.components[k])):
                        value = b.load(panel_scratch.pointer(k, n), Index(0, ((1, local),)))
                        target = parts.pointer(low, k, n, True)
                        b.store(target, Index(0, ((1, origin), (1, j))), value)
    main = low.launch(front.size * panels * chunks, 1, comments)

    finishing = Lowering(group, plan, layouts, f"{group.name}_combine")

    def chunk_elements(c: Operand) -> Operand:
        fin = finishing.builder
        whole = finishing.number("rows", rows.size, "n")
        step = finishing.integer(PANEL_ROWS)
        left = fin.call("subtract", whole, fin.call("multiply", c, step))
        return finishing.least(left, step)

    ordered = [*front_axes, *columns.axes]
    launch = _combine(
        finishing, parts, ordered, rest, chunk_elements, row_major=False, comments=comments
    )
    return Lowered(group, (main, launch), parts.nbytes, panel_scratch.nbytes)


class _Box:
    """The rows and columns of one work item."""

    def __init__(
        self,
        first: Operand,
        last: Operand,
        top: Operand,
        bottom: Operand,
        rows: Frame,
        columns: LoopAxis,
    ) -> None:
        self.first, self.last, self.top, self.bottom = first, last, top, bottom
        self.rows = rows
        self.columns = Frame((columns,))


class _PanelScratch:
    """A panel's running states: one short array a component, in the worker's own scratch."""

    def __init__(self, low: Lowering, parts: _Parts, rows: int) -> None:
        self.low = low
        self.rows = rows
        self.parts = parts
        self.offsets: dict[tuple[int, int], int] = {}
        at = 0
        for k in parts.reductions:
            for n, component in enumerate(parts.components[k]):
                self.offsets[k, n] = at
                at += _align(PANEL_COLUMNS * component.dtype.itemsize)
        self.nbytes = at

    def pointer(self, k: int, n: int) -> Pointer:
        dtype = self.parts.components[k][n].dtype
        return self.low.scratch(("panel", k, n), dtype, self.offsets[k, n], True, True)

    def sweep(
        self,
        box: _Box,
        reductions: Sequence[int],
        stores: Sequence[int],
        elements: Operand | None,
    ) -> None:
        """Write one pass over a panel; with `elements`, of deviations from the panel's means."""
        low, b = self.low, self.low.builder
        with b.loop("j", box.first, box.last) as j:
            local = b.call("subtract", j, box.first)
            for k in reductions:
                for n, component in enumerate(self.parts.components[k]):
                    initial = b.literal(component.initial, component.dtype)
                    b.store(self.pointer(k, n), Index(0, ((1, local),)), initial)
        wanted = low.needed(_chunk_terms(low, stores, reductions))
        with b.loop("q", box.top, box.bottom) as q:
            with low.inside(box.rows, low.decode(q, box.rows)):
                with b.loop("j", box.first, box.last) as j, low.inside(box.columns, (j,)):
                    local = b.call("subtract", j, box.first)
                    low.write(wanted)
                    for p in stores:
                        low.store(*low.stores[p])
                    for k in reductions:
                        self._update(k, local, q, elements)

    def _update(self, k: int, local: Value, row: Value, elements: Operand | None) -> None:
        low, b = self.low, self.low.builder
        place = Index(0, ((1, local),))
        value = low.value(low.terms[k].args[0])
        mean: Operand | None
        if elements is not None:
            total = b.load(self.pointer(low.terms[k].args[1], 0), place)
            mean = b.call("divide", b.call("convert", total, dtype=FLOAT64), elements)
        else:
            mean = _known_mean(low, k, self.rows)
        if mean is not None:
            value = _squared(low, value, mean)
        pointers = [self.pointer(k, n) for n in range(len(self.parts.components[k]))]
        state: list[Operand] = [b.load(p, place) for p in pointers]
        for pointer, new in zip(
            pointers, _step(low, low.terms[k].node, state, value, row), strict=True
        ):
            b.store(pointer, place, new)


def _step(
    low: Lowering, node: Node, state: Sequence[Operand], value: Operand, position: Operand
) -> list[Operand]:
    """Write the state after one more element."""
    b = low.builder
    match node.op.combine:
        case "add" | "deviation":
            return [b.call("add", state[0], b.call("convert", value, dtype=state[0].dtype))]
        case "multiply":
            return [b.call("multiply", state[0], b.call("convert", value, dtype=state[0].dtype))]
        case "argminimum" | "argmaximum":
            better = is_better(b, node, value, state[0])
            return [
                b.call("select", better, value, state[0]),
                b.call("select", better, position, state[1]),
            ]
        case combine:
            name = str(combine)
            if value.dtype.kind == "b":
                name = {"minimum": "and", "maximum": "or"}.get(name, name)
            return [b.call(name, state[0], value)]
