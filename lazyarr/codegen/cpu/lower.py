"""Lowering for CPUs: elementwise kernels and row kernels, and the choice among templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from lazyarr.codegen.chunked_reduction import away_from
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.column_reduction import lower_columns
from lazyarr.codegen.cpu.contraction import lower_nest
from lazyarr.codegen.cpu.contraction_analysis import find_nest
from lazyarr.codegen.cpu.scan import lower_scan
from lazyarr.codegen.cpu.split_reduction import lower_split
from lazyarr.codegen.cpu.transpose_tiles import lower_tiles
from lazyarr.codegen.inner_loops import elements
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.reducers import BLOCK, Accumulator, Look, is_compensated, reducer_of
from lazyarr.codegen.row_passes import find_sweeps
from lazyarr.codegen.transposes import find_transposes
from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.graph.node import Node
from lazyarr.loop_ir.kernel import Index, Operand, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.fusion import Group
from lazyarr.schedule.memory import Plan

__all__ = ["lower"]

RowSearch = Callable[[int, Sequence[Operand], Operand, Look], None]

FLOAT64 = np.dtype(np.float64)


def lower(group: Group, plan: Plan, layouts: dict[Node, Any], comments: Sequence[str]) -> Lowered:
    """Return the kernels of a group.

    Parameters
    ----------
    group : Group
        What to compute.
    plan : Plan
        Which stored values share memory.
    layouts : dict of Node to Layout
        Where stored values lie.
    comments : sequence of str
        Lines for the reader above each kernel.
    """
    if group.reduced:
        low = Lowering(group, plan, layouts, group.name)
        nest = find_nest(low)
        if nest is not None:
            return lower_nest(low, nest, comments)
    match group.template:
        case "map":
            return _lower_map(group, plan, layouts, comments)
        case "rows":
            return _Rows(group, plan, layouts).lower(comments)
        case "split":
            return lower_split(group, plan, layouts, comments)
        case "columns":
            return lower_columns(group, plan, layouts, comments)
        case "scan":
            return lower_scan(group, plan, layouts, comments)
        case _:
            raise ContractError(f"no kernel template {group.template!r}")


def _lower_map(
    group: Group, plan: Plan, layouts: dict[Node, Any], comments: Sequence[str]
) -> Lowered:
    """One pass over the domain; the innermost loop is over the last merged axis."""
    low = Lowering(group, plan, layouts, group.name)
    b = low.builder
    frame = low.frame(range(len(group.domain)))
    sinks = [k for k, _ in low.stores]
    wanted = low.needed(sinks)
    tiles = find_transposes(low, frame, wanted)
    if tiles is not None:
        return lower_tiles(low, tiles, wanted, comments)

    def body() -> None:
        low.write(wanted)
        for k, place in low.stores:
            low.store(k, place)

    if len(frame.axes) <= 1:
        axes = frame.axes[0].axes if frame.axes else ()

        def place(i: Value) -> AbstractContextManager[None]:
            return low.inside(frame, (i,)[: len(frame.axes)])

        with elements(low, "i", low.begin, low.end, place, axes, frame.size, sinks) as i, place(i):
            body()
        count, chunk = frame.size, low.analysis.grain()
    else:
        outer, inner = Frame(frame.axes[:-1]), Frame(frame.axes[-1:])
        length = inner.axes[0].size
        cut = length > tuning.row().inner_elements and outer.size < 64
        size = low.number(("size", inner.axes[0].axes), length, "n")
        blocks = -(-length // tuning.row().inner_elements) if cut else 1
        with b.loop("w", low.begin, low.end) as w:
            row: Operand = w
            start: Operand = low.integer(0)
            stop: Operand = size
            if cut:
                per_row = low.number("blocks", blocks, "n")
                step = low.number("step", tuning.row().inner_elements, "n")
                row = b.call("divide", w, per_row)
                start = b.call("multiply", b.call("remainder", w, per_row), step)
                stop = low.least(b.call("add", start, step), size)
            with low.inside(outer, low.decode(row, outer)):
                low.write(
                    k
                    for k in wanted
                    if not low.spans(k, inner.axes[0].axes) and _cheap_row(low, k, inner)
                )

                def place(i: Value) -> AbstractContextManager[None]:
                    return low.inside(inner, (i,))

                axes = inner.axes[0].axes
                with elements(low, "i", start, stop, place, axes, length, sinks) as i, place(i):
                    body()
        count = outer.size * blocks
        chunk = max(
            1,
            low.analysis.grain()
            // max(1, min(length, tuning.row().inner_elements) if cut else length),
        )
    if frame.size == 0:
        count = 0
    return Lowered(group, (low.launch(count, chunk, comments),), 0, 0)


def _cheap_row(low: Lowering, k: int, inner: Frame) -> bool:
    """Whether a term and all it needs stay the same along the inner loop."""
    axes = inner.axes[0].axes
    return all(not low.spans(j, axes) for j in low.needed([k]))


@dataclass(frozen=True, eq=False, slots=True)
class _Line:
    """One line of a row: its outer counters, its first position, and what the sweep consumes."""

    counters: Sequence[Operand]
    base: Operand
    sweep: int
    sinks: Sequence[int]


class _Rows:
    """Whole rows, each swept as often as its dependent reductions ask.

    The kept axes are the work items; the reduced axes are the row. What only depends on the row is
    computed between the sweeps. An expensive value that a later sweep needs again is kept in a
    scratch row that stays in cache.
    """

    def __init__(self, group: Group, plan: Plan, layouts: dict[Node, Any]) -> None:
        self.low = Lowering(group, plan, layouts, group.name)
        self.group = group
        reduced = set(group.reduced)
        kept = [axis for axis in range(len(group.domain)) if axis not in reduced]
        self.kept = kept
        self.outer = self.low.frame(kept)
        self.inner = self.low.frame(group.reduced)
        if not self.inner.axes:
            self.inner = Frame((LoopAxis(1, ()),))
        self.length = self.inner.size
        self.spilled: dict[int, int] = {}
        self._plan_sweeps()

    def _plan_sweeps(self) -> None:
        """Assign reductions and stores to sweeps and decide what is kept between them."""
        low = self.low
        found = find_sweeps(low)
        self.full, self.sweeps = found.full, found.count
        self.reductions = found.reductions
        self.full_stores, self.row_stores = found.full_stores, found.row_stores
        cost: list[int] = []
        for k, term in enumerate(low.terms):
            own = term.node.op.cost if term.args and self.full[k] else 0
            cost.append(own + sum(cost[a] for a in term.args if self.full[a]))
        offset = 0
        done: set[int] = set()
        for sweep in range(self.sweeps):
            stack = self._sinks(sweep)
            seen: set[int] = set()
            while stack:
                k = stack.pop()
                if k in seen or k in self.spilled or not self.full[k]:
                    continue
                seen.add(k)
                if (
                    k in done
                    and low.analysis.level[k] < sweep
                    and low.terms[k].args
                    and (cost[k] >= tuning.row().row_keep_cost)
                ):
                    self.spilled[k] = offset
                    itemsize = register_dtype(low.terms[k].dtype).itemsize
                    offset += -(-self.length * itemsize // 64) * 64
                    continue
                stack.extend(low.terms[k].args)
            done |= seen
        self.spill_bytes = offset

    def _sinks(self, sweep: int) -> list[int]:
        """Return the terms whose values a sweep consumes or keeps."""
        low = self.low
        wanted = [low.terms[k].args[0] for k in self.reductions.get(sweep, [])]
        wanted += [low.stores[p][0] for p in self.full_stores.get(sweep, [])]
        return wanted

    # -- code --------------------------------------------------------------------------------

    def lower(self, comments: Sequence[str]) -> Lowered:
        """Return the row kernel."""
        low, b = self.low, self.low.builder
        rows = self.outer.size
        tiled = self._tile_frame()
        if tiled is not None:
            return self._lower_tiles(tiled, comments)
        with b.loop("r", low.begin, low.end) as r:
            with low.inside(self.outer, low.decode(r, self.outer)):
                for sweep in range(self.sweeps):
                    self._sweep(sweep)
                self._finish_rows([low.stores[p] for p in self.row_stores])
        chunk = max(1, low.analysis.grain() // max(1, self.length))
        launch = low.launch(rows, chunk, comments)
        return Lowered(self.group, (launch,), 0, self.spill_bytes)

    def _finish_rows(self, stores: Sequence[tuple[int, Any]]) -> None:
        self.low.write(self._open([k for k, _ in stores]))
        for k, place in stores:
            self.low.store(k, place)

    def _open(self, sinks: Iterable[int]) -> list[int]:
        """Return the terms that must be written for `sinks`: all that have no value yet."""
        low = self.low
        return low.needed(sinks, (k for k in range(len(low.terms)) if low.get(k) is not None))

    def _tile_frame(self) -> Frame | None:
        """Return the loops of the rows' epilogue if rows are worked in tiles, else None."""
        if self.sweeps != 1 or self.full_stores or not self.row_stores:
            return None
        if self.length >= tuning.row().short_row or self.outer.size < tuning.row().row_tile:
            return None
        low = self.low
        sinks = [low.stores[p][0] for p in self.row_stores]
        after = [k for k in low.needed(sinks, self.reductions[0]) if k not in self.reductions[0]]
        if sum(low.terms[k].node.op.cost for k in after if low.terms[k].args) < 4:
            return None
        frame = low.frame(self.kept, {*after, *sinks})
        return frame if len(frame.axes) == 1 else None

    def _lower_tiles(self, frame: Frame, comments: Sequence[str]) -> Lowered:
        """Reduce a tile of rows into scratch, then finish the tile in one vectorised loop."""
        low, b = self.low, self.low.builder
        rows = self.outer.size
        total = low.number("rows", rows, "n")
        tile = low.integer(tuning.row().row_tile)
        pointers = {}
        with b.loop("t", low.begin, low.end) as t:
            first = b.call("multiply", t, tile)
            last = low.least(b.call("add", first, tile), total)
            with b.loop("r", first, last) as r:
                with low.inside(self.outer, low.decode(r, self.outer)):
                    self._sweep(0)
                    place = b.call("subtract", r, first)
                    for position, k in enumerate(self.reductions[0]):
                        value = low.value(k)
                        pointers[k] = low.scratch(
                            ("tile", k),
                            value.dtype,
                            position * tuning.row().row_tile * 8,
                            True,
                            True,
                        )
                        b.store(pointers[k], Index(0, ((1, place),)), value)
            with b.loop("r", first, last) as r, low.inside(frame, (r,)):
                place = b.call("subtract", r, first)
                for k, pointer in pointers.items():
                    low.put(k, b.load(pointer, Index(0, ((1, place),))))
                self._finish_rows([low.stores[p] for p in self.row_stores])
        count = -(-rows // tuning.row().row_tile)
        chunk = max(1, low.analysis.grain() // max(1, self.length * tuning.row().row_tile))
        launch = low.launch(count, chunk, comments)
        return Lowered(self.group, (launch,), 0, len(pointers) * tuning.row().row_tile * 8)

    def _sweep(self, sweep: int) -> None:
        """Write one pass over the row and finish its reductions."""
        low = self.low
        sinks = self._sinks(sweep)
        reductions = self.reductions.get(sweep, [])
        means = {k: self._mean(k) for k in reductions if self._deviates(k)}
        needed = self._open(k for k in sinks)
        low.write(k for k in needed if not self.full[k] and self._row_only(k))
        blocked = self.length > BLOCK and any(
            reducer_of(low.terms[k]).is_positional or is_compensated(low.terms[k])
            for k in reductions
        )
        sums = {k: Accumulator(low.builder, low.terms[k], blocked) for k in reductions}

        kept_now = [k for k in self.spilled if low.analysis.level[k] == sweep]

        def element() -> dict[int, Operand]:
            """Write what one element gives to the reductions."""
            self._load_kept(sweep, sinks)
            low.write(self._open(sinks))
            return {k: low.value(low.terms[k].args[0]) for k in sums}

        def search(k: int, counters: Sequence[Operand], position: Operand, look: Look) -> None:
            with low.inside(self.inner, counters):
                look(element()[k], position)

        consumed = [*sinks, *kept_now]
        with self._row_loops(blocked, sums, search, sweep, consumed) as counters:
            with low.inside(self.inner, counters):
                values = element()
                self._keep(sweep)
                for k, accumulator in sums.items():
                    value = values[k]
                    if k in means:
                        away = away_from(low, value, means[k])
                        value = low.builder.call("multiply", away, away)
                    accumulator.update(value)
                for p in self.full_stores.get(sweep, []):
                    low.store(*low.stores[p])
        for k, accumulator in sums.items():
            low.put(k, accumulator.result())

    def _row_only(self, k: int) -> bool:
        """Whether a term can be computed before the loop over the row."""
        return all(not self.full[j] for j in self._open([k]))

    @contextmanager
    def _row_loops(
        self,
        blocked: bool,
        sums: dict[int, Accumulator],
        search: RowSearch,
        sweep: int,
        sinks: Sequence[int],
    ) -> Iterator[list[Operand]]:
        """Open the loops over the row: outer row axes, blocks, and the innermost axis."""
        low, b = self.low, self.low.builder
        axes = self.inner.axes
        last = axes[-1]
        size = low.number(("size", last.axes), last.size, "n")
        outer_row = Frame(axes[:-1])
        if not outer_row.axes:
            line = _Line([], low.integer(0), sweep, sinks)
            with self._blocks(blocked, size, sums, search, line) as i:
                yield [i]
            return
        lines = low.number("lines", outer_row.size, "n")
        with b.loop("q", low.integer(0), lines) as q:
            counters = low.decode(q, outer_row)
            line = _Line(counters, b.call("multiply", q, size), sweep, sinks)
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
                self._load_kept(line.sweep, line.sinks)
                yield

        @contextmanager
        def block(start: Operand, stop: Operand) -> Iterator[Value]:
            for accumulator in sums.values():
                accumulator.begin_block()
            axes = self.group.reduced
            given = self._kept_before(line.sweep)
            with elements(low, "j", start, stop, place, axes, length, line.sinks, given) as j:
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

    # -- deviations from the mean --------------------------------------------------------------

    def _deviates(self, k: int) -> bool:
        return reducer_of(self.low.terms[k]).centred

    def _mean(self, k: int) -> Operand:
        """Write the mean about which a deviation is taken."""
        low, b = self.low, self.low.builder
        total = low.terms[k].args[1]
        low.write(self._open([total]))
        wide = b.call("convert", low.value(total), dtype=FLOAT64)
        return b.call(
            "divide",
            wide,
            low.builder.call("convert", low.number("length", self.length, "n"), dtype=FLOAT64),
        )

    # -- values kept between sweeps -------------------------------------------------------------

    def _kept_pointer(self, k: int) -> Any:
        dtype = register_dtype(self.low.terms[k].dtype)
        return self.low.scratch(("kept", k), dtype, self.spilled[k], True, True)

    def _kept_index(self) -> Index:
        """Return the place of the present element in a scratch row."""
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

    def _kept_before(self, sweep: int) -> set[int]:
        """Return the terms that earlier sweeps kept."""
        return {k for k in self.spilled if self.low.analysis.level[k] < sweep}

    def _load_kept(self, sweep: int, sinks: Sequence[int]) -> None:
        """Load what an earlier sweep kept and this one needs."""
        low, b = self.low, self.low.builder
        earlier = self._kept_before(sweep)
        for k in low.needed(sinks, earlier):
            if k in earlier:
                low.put(k, b.load(self._kept_pointer(k), self._kept_index()))

    def _keep(self, sweep: int) -> None:
        """Store what a later sweep will need."""
        low, b = self.low, self.low.builder
        for k in self.spilled:
            if low.analysis.level[k] == sweep:
                low.write(self._open([k]))
                b.store(self._kept_pointer(k), self._kept_index(), low.value(k))
