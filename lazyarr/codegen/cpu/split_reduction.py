"""Lowering of reductions whose rows are too long, or too few, for one work item each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from lazyarr.codegen import shared_tuning
from lazyarr.codegen.chunked_reduction import (
    Combination,
    Parts,
    align,
    away_from,
    chunk_terms,
    combine,
    deviations,
    full_stores,
    known_mean,
    mean_of,
    reductions_of,
)
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.extremum_lanes import ExtremumLanes, lanes_of
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.inner_loops import ElementLoop, elements
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.processor_tilings import ChunkTiling
from lazyarr.codegen.reducers import (
    BLOCK,
    Accumulator,
    Look,
    is_compensated,
    reducer_of,
)
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["choose_chunks", "lower_split"]

Element = Callable[[], dict[int, Operand]]


def choose_chunks(group: GroupTerms) -> ChunkTiling:
    """Return the tiling of a reduction whose rows are cut into chunks."""
    row = tuning.row()
    reduced = set(group.reduced)
    inner = group.frame(group.reduced)
    last = inner.axes[-1] if inner.axes else LoopAxis(1, ())
    lines = Frame(inner.axes[:-1])
    per_chunk = max(1, row.split_elements // max(last.size, 1)) if lines.axes else 0
    size = lines.size if lines.axes else last.size
    chunks = max(1, -(-size // (per_chunk or row.split_elements)))
    reductions = reductions_of(group)
    late = deviations(group, reductions)
    stores, _ = full_stores(group, sorted(reduced))
    early = [k for k in reductions if k not in late]
    passes = [(early, early, stores)]
    if late:
        totals = [group.terms[k].args[1] for k in late]
        passes.append((late, [*late, *totals], []))
    alternating = tuple(
        _alternates(group, summed, chunk_terms(group, written, taken), last.axes)
        for taken, summed, written in passes
    )
    chunk = 1 if chunks > 1 else row.single_chunks
    combining = max(
        shared_tuning.row().combined_outputs, shared_tuning.row().combined_states // chunks
    )
    return ChunkTiling(per_chunk, row.split_elements, chunks, alternating, chunk, combining)


def _alternates(
    group: GroupTerms, sums: Sequence[int], sinks: Sequence[int], axes: Sequence[int]
) -> bool:
    """Whether a pass over a block takes the vectors of operands in turn.

    Vectors that are taken several at a time come from several lines of one operand, then of the
    next; one at a time, operands alternate, and memory is up to 8 % faster. Each addition then
    waits for the last, which does no harm where the rest of an element takes as long.
    """
    if not all(is_compensated(group.terms[k]) for k in sums):
        return False
    moving = [k for k in group.needed(sinks) if group.spans(k, axes)]
    work = sum(group.terms[k].node.op.cost if group.terms[k].args else 1 for k in moving)
    return work >= tuning.row().addition_wait


def lower_split(
    low: Lowering,
    comments: Sequence[str],
    tiling: ChunkTiling,
) -> Lowered:
    """Return the kernels: one reduces chunks of ``split_elements``, the other combines them.

    Parameters
    ----------
    low : Lowering
        The first kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above each kernel.
    tiling : ChunkTiling
        How it is cut.
    """
    group = low.group
    b = low.builder
    results, reduced = low.analysis.result_axes, list(group.reduced)
    inner = low.frame(reduced)
    last = inner.axes[-1] if inner.axes else LoopAxis(1, ())
    lines = Frame(inner.axes[:-1])
    rows = _Rows(low, results, tiling.chunks)
    parts = Parts(low, tiling.chunks, rows.size)
    if all(reducer_of(low.terms[k]).is_positional for k in parts.reductions):
        # Vectors are made of elements apart. Sums would have other bits then.
        low.literal_strides = tuning.row().columns_apart
    stores, rest = full_stores(low, reduced)
    late = deviations(low, parts.reductions)
    early = [k for k in parts.reductions if k not in late]

    with b.loop("w", low.begin, low.end, AxisKind.PARALLEL) as w:
        with rows.inside(w) as (chunk, place):
            region = _ChunkRegion(low, lines, last, chunk, tiling)
            known = {k: known_mean(low, k, inner.size) for k in early}
            kind = _kind(tiling.alternating[0])
            values = _CachedValues(low, region, early, late)
            totals = _write_chunk(low, region, values, _ChunkPass(early, stores, known, kind))
            if late:
                means = {k: _chunk_mean(low, totals, k, region.elements()) for k in late}
                kind = _kind(tiling.alternating[1])
                totals |= _write_chunk(low, region, values, _ChunkPass(late, [], means, kind, late))
                for k, mean in means.items():
                    totals[k].append(mean)
            for k in parts.reductions:
                for n, value in enumerate(totals[k]):
                    pointer = parts.pointer(low, k, n, True)
                    b.store(pointer, Index(0, ((1, place),)), value)
    main = replace(low.launch(rows.size * tiling.chunks, tiling.chunk, comments), tiling=tiling)

    def chunk_elements(c: Operand) -> Operand:
        fin = finishing.builder
        if lines.axes:
            whole = finishing.number("lines", lines.size, "n")
            step = finishing.number("per chunk", tiling.lines, "n")
            left = fin.call("subtract", whole, fin.call("multiply", c, step))
            size = finishing.number("line", last.size, "n")
            return fin.call("multiply", finishing.least(left, step), size)
        whole = finishing.number("length", last.size, "n")
        full = finishing.integer(tiling.elements)
        left = fin.call("subtract", whole, fin.call("multiply", c, full))
        return finishing.least(left, full)

    finishing = Lowering(low.planned, f"{group.name}combine")
    combination = Combination(finishing, parts, results, rest, chunk_elements, inner.size)
    launch = combine(combination, comments, tiling.combining)
    return Lowered(group, (main, launch), parts.nbytes, values.nbytes)


class _Rows:
    """The rows that are cut into chunks, in the order in which work items take them.

    Items that follow each other work on memory that does. Where kept axes lie behind the first
    reduced one, these take the chunks of one number of all rows there, and then the next ones; so
    arrays in files are read once, from their beginning to their end.

    Parameters
    ----------
    low : Lowering
        The kernel.
    kept : sequence of int
        The axes of the results.
    chunks : int
        Of each row.
    """

    def __init__(self, low: Lowering, kept: Sequence[int], chunks: int) -> None:
        self._low, self._chunks = low, chunks
        group = low.group
        longer = [axis for axis in group.reduced if group.domain[axis] != 1]
        first = min(longer, default=len(group.domain))
        behind = [axis for axis in kept if axis > first]
        if low.frame(behind).size == 1:
            behind = []
        self._front = low.frame([axis for axis in kept if axis not in behind])
        self._behind = low.frame(behind)
        #: The number of rows.
        self.size = self._front.size * self._behind.size

    @contextmanager
    def inside(self, item: Value) -> Iterator[tuple[Operand, Value]]:
        """Bind the counters of a work item's row; yield its chunk and the place of its states.

        The states of the chunks of one row lie side by side.

        Parameters
        ----------
        item : Value
            The number of the work item.
        """
        low, b = self._low, self._low.builder
        front, behind = self._front, self._behind
        if not front.axes and not behind.axes:
            yield item, item
            return
        count = low.number("chunks", self._chunks, "n")
        if not behind.axes:
            row, chunk = b.call("divide", item, count), b.call("remainder", item, count)
            with low.inside(front, low.decode(row, front)):
                yield chunk, item
            return
        beside = low.number("rows behind", behind.size, "n")
        chunk, column = b.call("divide", item, beside), b.call("remainder", item, beside)
        row = column
        counters: Sequence[Operand] = ()
        if front.axes:
            before, chunk = b.call("divide", chunk, count), b.call("remainder", chunk, count)
            counters = low.decode(before, front)
            row = b.call("add", b.call("multiply", before, beside), column)
        place = b.call("add", b.call("multiply", row, count), chunk)
        with low.inside(front, counters), low.inside(behind, low.decode(column, behind)):
            yield chunk, place


class _ChunkRegion:
    """The elements of one chunk of a row."""

    def __init__(
        self, low: Lowering, lines: Frame, last: LoopAxis, chunk: Operand, tiling: ChunkTiling
    ) -> None:
        self.low = low
        self.lines = lines
        self.last = last
        self.most = tiling.elements
        b = low.builder
        self.size = low.number("line", last.size, "n")
        step: Operand = low.integer(tiling.elements)
        whole = self.size
        if lines.axes:
            step = low.number("per chunk", tiling.lines, "n")
            whole = low.number("lines", lines.size, "n")
        self.first = b.call("multiply", chunk, step)
        self.stop = low.least(b.call("add", self.first, step), whole)

    def elements(self) -> Operand:
        """Write the number of elements."""
        b = self.low.builder
        count = b.call("subtract", self.stop, self.first)
        return b.call("multiply", count, self.size) if self.lines.axes else count

    @contextmanager
    def loops(
        self,
        sums: dict[int, Accumulator],
        element: Element,
        sinks: Sequence[int],
        kind: AxisKind,
    ) -> Iterator[None]:
        """Open the loops over the chunk.

        Parameters
        ----------
        sums : dict of int to Accumulator
            The reductions.
        element : callable
            Writes the values that an element gives to them.
        sinks : sequence of int
            The terms that the body asks for.
        kind : AxisKind
            Of the innermost loop.
        """
        low, b = self.low, self.low.builder
        if not self.lines.axes:
            first, stop = self.first, self.stop
            with self._blocks(first, stop, sums, element, sinks, kind, low.integer(0)):
                yield
            return
        with b.loop("q", self.first, self.stop) as q:
            base = b.call("multiply", q, self.size)
            with low.inside(self.lines, low.decode(q, self.lines)):
                start = low.integer(0)
                with self._blocks(start, self.size, sums, element, sinks, kind, base):
                    yield

    @contextmanager
    def lines_of_chunk(self) -> Iterator[Callable[[Operand], AbstractContextManager[None]]]:
        """Open the loop over lines; yield a function that binds the counters at a position."""
        low, b = self.low, self.low.builder
        with b.loop("q", self.first, self.stop) as q:
            with low.inside(self.lines, low.decode(q, self.lines)):
                yield lambda i: low.inside(Frame((self.last,)), (i,))

    @contextmanager
    def _blocks(
        self,
        start: Operand,
        stop: Operand,
        sums: dict[int, Accumulator],
        element: Element,
        sinks: Sequence[int],
        kind: AxisKind,
        base: Operand,
    ) -> Iterator[None]:
        """Open the loops over one line of the row, which starts at position `base`."""
        low, b = self.low, self.low.builder
        inner = Frame((self.last,))

        def place(i: Value) -> AbstractContextManager[None]:
            return low.inside(inner, (i,))

        @contextmanager
        def block(first: Operand, last: Operand) -> Iterator[None]:
            for accumulator in sums.values():
                accumulator.begin_block()
            loop = ElementLoop("i", first, last, place, self.last.axes, self.last.size)
            with elements(low, loop, sinks, kind=kind) as i:
                with place(i):
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


class _CachedValues:
    """The values of a chunk whose deviations are taken, if computing them again takes longer.

    Parameters
    ----------
    low : Lowering
        The kernel.
    region : _ChunkRegion
        The chunk.
    early, late : sequence of int
        The reductions of the first pass, and the deviations of the second.
    """

    def __init__(
        self, low: Lowering, region: _ChunkRegion, early: Sequence[int], late: Sequence[int]
    ) -> None:
        self.low, self.region = low, region
        self.nbytes = 0
        self.areas: dict[int, Pointer] = {}
        before = low.needed(chunk_terms(low, [], early)) if late and not region.lines.axes else ()
        for k in dict.fromkeys(low.terms[k].args[0] for k in late):
            if k in before and self._is_expensive(k):
                dtype = register_dtype(low.terms[k].dtype)
                self.areas[k] = low.scratch(("kept", k), dtype, self.nbytes, True, True)
                self.nbytes += align(region.most * dtype.itemsize)

    def _is_expensive(self, k: int) -> bool:
        computed = [self.low.terms[j] for j in self.low.needed([k])]
        ops = [term.node.op for term in computed if term.args and not term.loaded]
        if any(op.loop is not None for op in ops):
            return False
        return sum(op.cost for op in ops) >= tuning.row().row_keep_cost

    def store(self) -> None:
        """Write the stores of the values of the present element."""
        for k, pointer in self.areas.items():
            self.low.builder.store(pointer, self._at(), self.low.value(k))

    def load(self) -> None:
        """Write the loads of the values of the present element."""
        for k, pointer in self.areas.items():
            self.low.put(k, self.low.builder.load(pointer, self._at()))

    def _at(self) -> Index:
        counter = self.low.position.frames[-1][1][-1]
        return Index(0, ((1, self.low.builder.call("subtract", counter, self.region.first)),))


def _kind(alternating: bool) -> AxisKind:
    """Return the kind of the loop over a block."""
    return AxisKind.SHORT if alternating else AxisKind.SERIAL


class _ChunkPass(NamedTuple):
    """One pass over the elements of a chunk.

    Attributes
    ----------
    reductions : sequence of int
        The terms that are reduced.
    stores : sequence of int
        What is stored of each element.
    means : mapping of int to (Operand or None)
        What the squares of deviations are taken from; None: the values themselves are reduced.
    kind : AxisKind
        Of the loop over a block.
    drifting : sequence of int
        The deviations that are summed too, not only their squares: those of a second pass, whose
        values the first one caches.
    """

    reductions: Sequence[int]
    stores: Sequence[int]
    means: Mapping[int, Operand | None]
    kind: AxisKind
    drifting: Sequence[int] = ()


def _write_chunk(
    low: Lowering, region: _ChunkRegion, cached: _CachedValues, step: _ChunkPass
) -> dict[int, list[Operand]]:
    """Write one pass over a chunk and return the states of its reductions."""
    reductions, stores, drifting = step.reductions, step.stores, step.drifting
    b = low.builder
    sinks = chunk_terms(low, stores, reductions)
    computed = low.needed(sinks, cached.areas if drifting else ())

    def element() -> dict[int, Operand]:
        if drifting:
            cached.load()
        low.write(computed)
        return {k: low.value(low.terms[k].args[0]) for k in reductions}

    lanes = 0
    if region.lines.axes and not (stores or drifting):
        lanes = lanes_of(low, reductions, sinks, region.last.size, region.lines.size)
    if lanes:
        extrema = ExtremumLanes(low, reductions, lanes)
        with region.lines_of_chunk() as place:
            extrema.take_line(region.last.size, region.size, place, element)
        return {k: [extrema.result(k)] for k in reductions}
    sums = {k: Accumulator(b, low.terms[k], True) for k in reductions}
    drifts = {k: Accumulator(b, low.terms[low.terms[k].args[1]], True) for k in drifting}
    every = sums | {~k: drift for k, drift in drifts.items()}
    with region.loops(every, element, sinks, step.kind):
        values = element()
        if not drifting:
            cached.store()
        for p in stores:
            low.store(*low.stores[p])
        for k, accumulator in sums.items():
            mean = step.means[k]
            if mean is None:
                accumulator.update(values[k])
                continue
            away = away_from(low, values[k], mean)
            accumulator.update(b.call("multiply", away, away))
            if k in drifts:
                drifts[k].update(away)
    totals = {k: accumulator.state() for k, accumulator in sums.items()}
    for k, drift in drifts.items():
        totals[k] += drift.state()
    return totals


def _chunk_mean(
    low: Lowering, totals: dict[int, list[Operand]], k: int, elements: Operand
) -> Operand:
    return mean_of(low, totals[low.terms[k].args[1]][0], elements)
