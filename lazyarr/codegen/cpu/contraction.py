"""Lowering of reductions that pair rows with columns: packed operands, tiles in registers.

A work item is a block of the result. Along the reduction it goes in steps of at most `DEEP`
elements: what the step needs of either side is packed into the worker's scratch memory, rows
beyond the end of the block repeating the last one, so that every tile is whole. The order in which
a sum is taken depends on its length alone: within a step trees of a few elements one after the
other, and then the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.codegen import shared_tuning
from lazyarr.codegen.chunked_reduction import align
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.contraction_analysis import Nest, Packed, state_dtype, sums_floats
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.reducers import components_of, finish, reducer_of, total_of
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.loop_ir.reducer import as_dtype

__all__ = ["lower_nest"]

DType = np.dtype[Any]
FLOAT64 = np.dtype(np.float64)


def lower_nest(low: Lowering, nest: Nest, comments: Sequence[str]) -> Lowered:
    """Return the kernel; a work item is a block of the result."""
    return _Nest(low, nest).lower(comments)


class _Area:
    """A packed value's scratch memory, and where in it an element lies."""

    def __init__(self, low: Lowering, nest: Nest, packed: Packed, offset: int) -> None:
        self.packed = packed
        dtype = register_dtype(low.terms[packed.term].dtype)
        self.pointer = low.scratch(("packed", packed.term), dtype, offset, True, True)
        padding = tuning.row().packed_padding // dtype.itemsize
        deep = nest.most_deep if packed.deep else 1
        #: Distances of neighbours along the reduction, the rows, and the panels of columns.
        self.step, self.pitch, self.panel = int(packed.deep), 0, 0
        elements = deep
        if packed.columns:
            self.step *= nest.width
            self.panel = nest.width * deep
            elements = nest.block_columns * deep
        elif packed.rows and packed.across:
            self.step, self.pitch = nest.most_rows + padding, 1
            elements = self.step * deep
        elif packed.rows:
            self.pitch = deep + padding if packed.deep else 1
            elements = self.pitch * nest.block_rows
        self.nbytes = align(elements * dtype.itemsize)


class _Nest:
    """Writes the loops of one nest."""

    def __init__(self, low: Lowering, nest: Nest) -> None:
        self.low, self.nest, self.b = low, nest, low.builder
        self.nbytes = 0
        self.areas: list[_Area] = []
        for packed in nest.packed:
            area = _Area(low, nest, packed, self.nbytes)
            self.areas.append(area)
            self.nbytes += area.nbytes
        self.pitch = nest.most_columns
        self.totals: dict[int, list[Pointer]] = {k: self._make_totals(k) for k in nest.reductions}

    def _make_totals(self, k: int) -> list[Pointer]:
        """Return the scratch memory of a reduction's state, for each element of a block."""
        found = []
        for n, dtype in enumerate(self._total_dtypes(k)):
            found.append(self.low.scratch(("total", k, n), dtype, self.nbytes, True, True))
            self.nbytes += align(self.nest.block_rows * self.pitch * dtype.itemsize)
        return found

    def _total_dtypes(self, k: int) -> tuple[DType, ...]:
        """Return the dtypes of what is kept from one step along the reduction to the next.

        Sums of float64 are kept with what their additions lose, shorter floats in float64.
        """
        inside = state_dtype(self.low, k)
        if self.nest.whole or not sums_floats(self.low.terms[k]):
            return (inside,)
        return (inside, inside) if inside == FLOAT64 else (FLOAT64,)

    # -- blocks --------------------------------------------------------------------------------

    def lower(self, comments: Sequence[str]) -> Lowered:
        """Return the kernel."""
        low, b, nest = self.low, self.b, self.nest
        loops = nest.loops
        high, wide = (
            -(-size // block)
            for size, block in (
                (loops.rows.size, nest.block_rows),
                (loops.columns.size, nest.block_columns),
            )
        )
        self.height = low.number("height", loops.rows.size, "n")
        self.width = low.number("width", loops.columns.size, "n")
        n_high, n_wide = low.number("high", high, "n"), low.number("wide", wide, "n")
        # Neighbouring blocks share what they read of the longer side: of the rest there is less.
        group = low.number("group", high if high <= wide else 1, "n")
        block_rows = low.number("block rows", nest.block_rows, "n")
        block_columns = low.number("block columns", nest.block_columns, "n")
        with b.loop("w", low.begin, low.end, AxisKind.SCALAR) as w:
            inner = b.call("divide", w, group)
            rest = b.call("divide", inner, n_wide)
            high_at = b.call("add", b.call("multiply", rest, group), b.call("remainder", w, group))
            self.left = b.call("multiply", b.call("remainder", inner, n_wide), block_columns)
            self.top = b.call("multiply", b.call("remainder", high_at, n_high), block_rows)
            self.rows = low.least(block_rows, b.call("subtract", self.height, self.top))
            self.columns = low.least(block_columns, b.call("subtract", self.width, self.left))
            self.strips = self._count(self.rows, nest.height)
            self.panels = self._count(self.columns, nest.width)
            outer = low.decode(b.call("divide", high_at, n_high), loops.outer)
            with low.inside(loops.outer, outer):
                low.write(low.needed(nest.held))
                self._sum()
                self._finish()
        count = loops.outer.size * high * wide
        work = sum(low.terms[k].node.op.cost for k in (*nest.interior, *nest.reductions))
        points = nest.block_rows * nest.block_columns * loops.depth.size
        widest = max(state_dtype(low, k).itemsize for k in nest.reductions)
        chunk = max(
            1,
            int(
                shared_tuning.row().task_ns
                / (shared_tuning.row().addition_ns * work * points * widest / 8)
            ),
        )
        launch = replace(low.launch(count, chunk, comments), tiling=nest.tiling)
        return Lowered(low.group, (launch,), 0, self.nbytes)

    def _count(self, size: Operand, each: int) -> Value:
        """Write how many of some size it takes."""
        more = self.b.call("add", size, self.low.integer(each - 1))
        return self.b.call("divide", more, self.low.integer(each))

    def _sum(self) -> None:
        """Write the reductions of a block."""
        low, b, nest = self.low, self.b, self.nest
        size = low.number("deep", nest.loops.depth.size, "n")
        if nest.whole:
            self._step(low.integer(0), size)
            return
        for k in nest.reductions:
            initial = components_of(low.terms[k])[0].initial
            with b.loop("i", low.integer(0), self._padded_rows(), AxisKind.SCALAR) as i:
                row = b.call("multiply", i, low.integer(self.pitch))
                with b.loop("j", low.integer(0), low.integer(self.pitch), AxisKind.SHORT) as j:
                    for total in self.totals[k]:
                        place = Index(0, ((1, row), (1, j)))
                        b.store(total, place, b.literal(initial, total.dtype))
        step = low.number("step", nest.deep, "n")
        steps = low.number("steps", -(-nest.loops.depth.size // nest.deep), "n")
        with b.loop("s", low.integer(0), steps, AxisKind.SCALAR) as s:
            start = b.call("multiply", s, step)
            self._step(start, low.least(step, b.call("subtract", size, start)))

    def _padded_rows(self) -> Value:
        return self.b.call("multiply", self.strips, self.low.integer(self.nest.height))

    def _step(self, start: Operand, count: Operand) -> None:
        """Write one step along the reduction: packing, and all tiles of the block."""
        b = self.b
        for side in (self._pack_deep, self._pack_rows, self._pack_columns):
            side(start, count)
        zero = self.low.integer(0)
        with (
            b.loop("p", zero, self.panels, AxisKind.SCALAR) as panel,
            b.loop("t", zero, self.strips, AxisKind.SCALAR) as strip,
        ):
            self._tile(panel, strip, count)

    # -- packing -------------------------------------------------------------------------------

    def _pack_deep(self, start: Operand, count: Operand) -> None:
        """Write the packing of what changes along the reduction alone."""
        areas = [a for a in self.areas if not (a.packed.rows or a.packed.columns)]
        if areas:
            with self.b.loop("k", self.low.integer(0), count, AxisKind.SHORT) as k:
                self._copy(areas, start, k, None, lambda area: Index(0, ((1, k),)))

    def _pack_rows(self, start: Operand, count: Operand) -> None:
        """Write the packing of what changes along the rows."""
        low, b = self.low, self.b
        zero = low.integer(0)
        last = b.call("subtract", self.height, low.integer(1))
        for deep, across in ((False, False), (True, False), (True, True)):
            areas = [
                a
                for a in self.areas
                if a.packed.rows and a.packed.deep == deep and a.packed.across == across
            ]
            if not areas:
                continue

            def row(i: Value, k: Value | None, areas: list[_Area] = areas) -> None:
                source: Operand = b.call("add", self.top, i)
                if not areas[0].packed.across:
                    source = low.least(source, last)
                frame = Frame((self.nest.loops.rows,))
                self._copy(areas, start, k, (frame, source), lambda at: self._row(at, i, k))

            if not deep:
                with b.loop("i", zero, self._padded_rows(), AxisKind.SCALAR) as i:
                    row(i, None)
            elif across:
                with b.loop("k", zero, count, AxisKind.SCALAR) as k:
                    with b.loop("i", zero, self.rows, AxisKind.SHORT) as i:
                        row(i, k)
                    end = b.call("subtract", self.rows, low.integer(1))
                    with b.loop("i", self.rows, self._padded_rows(), AxisKind.SCALAR) as i:
                        for area in areas:
                            value = b.load(area.pointer, self._row(area, end, k))
                            b.store(area.pointer, self._row(area, i, k), value)
            else:
                with b.loop("i", zero, self._padded_rows(), AxisKind.SCALAR) as i:
                    with b.loop("k", zero, count, AxisKind.SHORT) as k:
                        row(i, k)

    def _row(self, area: _Area, i: Value, k: Value | None) -> Index:
        """Return where an element of a packed row lies."""
        steps = [(area.pitch, i)] if k is None else [(area.pitch, i), (area.step, k)]
        return Index(0, tuple(steps))

    def _pack_columns(self, start: Operand, count: Operand) -> None:
        """Write the packing of what changes along the columns, panel by panel of a tile's width."""
        low, b = self.low, self.b
        zero, lanes = low.integer(0), low.integer(self.nest.width)
        whole = b.call("divide", self.columns, lanes)
        for deep, across in ((False, False), (True, False), (True, True)):
            areas = [
                a
                for a in self.areas
                if a.packed.columns and a.packed.deep == deep and a.packed.across == across
            ]
            if not areas:
                continue

            def column(panel: Value, j: Value, k: Value | None, areas: list[_Area] = areas) -> None:
                first = b.call("multiply", panel, lanes)
                at = b.call("add", b.call("add", self.left, first), j)
                frame = Frame((self.nest.loops.columns,))
                self._copy(
                    areas, start, k, (frame, at), lambda area: self._column(area, panel, j, k)
                )

            def repeat(panel: Value, k: Value | None, areas: list[_Area] = areas) -> None:
                """Write copies of the last column of a panel that is not full."""
                have = b.call("subtract", self.columns, b.call("multiply", panel, lanes))
                last = b.call("subtract", have, low.integer(1))
                with b.loop("j", have, lanes, AxisKind.SCALAR) as j:
                    for area in areas:
                        value = b.load(area.pointer, self._column(area, panel, last, k))
                        b.store(area.pointer, self._column(area, panel, j, k), value)

            if across:
                # Line by line of the memory behind it, as far as the panels are full.
                with (
                    b.loop("k", zero, count, AxisKind.SCALAR) as k,
                    b.loop("p", zero, whole, AxisKind.SCALAR) as panel,
                    b.loop("j", zero, lanes, AxisKind.INDEPENDENT) as j,
                ):
                    column(panel, j, k)
            with b.loop("p", whole if across else zero, self.panels, AxisKind.SCALAR) as panel:
                have = b.call("subtract", self.columns, b.call("multiply", panel, lanes))
                turns = low.least(have, lanes)
                if across:
                    with (
                        b.loop("k", zero, count, AxisKind.SCALAR) as k,
                        b.loop("j", zero, turns, AxisKind.SCALAR) as j,
                    ):
                        column(panel, j, k)
                elif deep:
                    with (
                        b.loop("j", zero, turns, AxisKind.SCALAR) as j,
                        b.loop("k", zero, count, AxisKind.SCALAR) as k,
                    ):
                        column(panel, j, k)
                else:
                    with b.loop("j", zero, turns, AxisKind.SCALAR) as j:
                        column(panel, j, None)
            with b.loop("p", whole, self.panels, AxisKind.SCALAR) as panel:
                if deep:
                    with b.loop("k", zero, count, AxisKind.SCALAR) as k:
                        repeat(panel, k)
                else:
                    repeat(panel, None)

    def _column(self, area: _Area, panel: Value, j: Value, k: Value | None) -> Index:
        """Return where an element of a panel lies."""
        steps = [(area.panel, panel), (1, j)]
        if k is not None:
            steps.append((area.step, k))
        return Index(0, tuple(steps))

    def _copy(
        self,
        areas: Sequence[_Area],
        start: Operand,
        k: Value | None,
        side: tuple[Frame, Operand] | None,
        place: Callable[[_Area], Index],
    ) -> None:
        """Write the computation of one element of some packed values."""
        low, b, depth = self.low, self.b, self.nest.loops.depth
        deep = low.decode(b.call("add", start, k), depth) if k is not None else []
        frames = [(depth, deep)] if k is not None else []
        frames += [(side[0], [side[1]])] if side is not None else []
        if len(frames) == 2:
            with low.inside(*frames[0]), low.inside(*frames[1]):
                self._store_packed(areas, place)
        else:
            with low.inside(*frames[0]):
                self._store_packed(areas, place)

    def _store_packed(self, areas: Sequence[_Area], place: Callable[[_Area], Index]) -> None:
        low = self.low
        terms = [area.packed.term for area in areas]
        known = [k for k in range(len(low.terms)) if low.get(k) is not None]
        low.write(low.needed(terms, known))
        for area in areas:
            self.b.store(area.pointer, place(area), low.value(area.packed.term))

    # -- tiles ---------------------------------------------------------------------------------

    def _tile(self, panel: Value, strip: Value, count: Operand) -> None:
        """Write the sums of one tile over one step."""
        low, b, nest = self.low, self.b, self.nest
        zero = low.integer(0)
        row = b.call("multiply", strip, low.integer(nest.height))
        states: dict[int, Pointer] = {}
        for k in nest.reductions:
            dtype = state_dtype(low, k)
            states[k] = b.local("tile", dtype, nest.height * nest.width)
            initial = b.literal(components_of(low.terms[k])[0].initial, dtype)
            for m in range(nest.height):
                with b.loop("l", zero, low.integer(nest.width), AxisKind.INDEPENDENT) as lane:
                    b.store(states[k], Index(m * nest.width, ((1, lane),)), initial)
        rest: Operand = zero
        if nest.tree > 1:
            groups = b.call("divide", count, low.integer(nest.tree))
            with b.loop("g", zero, groups, AxisKind.SCALAR) as g:
                first = b.call("multiply", g, low.integer(nest.tree))
                # Factors are held for one product; elements of a tree until it is summed.
                each = 1 if nest.contracted else nest.tree
                for start in range(0, nest.tree, each):
                    self._take(states, panel, row, first, range(start, start + each))
            rest = b.call("multiply", groups, low.integer(nest.tree))
        with b.loop("k", rest, count, AxisKind.SCALAR) as single:
            self._take(states, panel, row, single, range(1))
        self._merge(states, panel, row)

    def _take(
        self, states: dict[int, Pointer], panel: Value, row: Value, first: Value, which: range
    ) -> None:
        """Write what some neighbours along the reduction add to a tile."""
        low, b, nest = self.low, self.b, self.nest
        bases = {area: self._base(area, panel, row, first) for area in self.areas}
        with b.loop("l", low.integer(0), low.integer(nest.width), AxisKind.INDEPENDENT) as lane:
            for m in range(nest.height):
                place = Index(m * nest.width, ((1, lane),))
                found: dict[int, list[tuple[Operand, ...]]] = {k: [] for k in nest.reductions}
                for u in which:
                    with low.scope():
                        for area, base in bases.items():
                            low.put(area.packed.term, self._packed(area, base, m, u, lane))
                        low.write(nest.interior)
                        for k in nest.reductions:
                            wanted = nest.contracted.get(k, low.terms[k].args[:1])
                            found[k].append(tuple([low.value(a) for a in wanted]))
                for k, values in found.items():
                    held = b.load(states[k], place)
                    b.store(states[k], place, self._combined(k, held, values))

    def _base(
        self, area: _Area, panel: Value, row: Value, first: Value
    ) -> tuple[tuple[int, Value], ...]:
        """Return where the first element of a packed value that a tile takes lies."""
        packed = area.packed
        steps: list[tuple[int, Value]] = []
        if packed.rows:
            steps.append((area.pitch, row))
        elif packed.columns:
            steps.append((area.panel, panel))
        if packed.deep:
            steps.append((area.step, first))
        return tuple(steps)

    def _packed(
        self, area: _Area, base: tuple[tuple[int, Value], ...], m: int, u: int, lane: Value
    ) -> Value:
        """Return a packed value for row `m` of a tile, `u` elements further along the reduction."""
        packed = area.packed
        constant = u * area.step + (m * area.pitch if packed.rows else 0)
        steps = (*base, (1, lane)) if packed.columns else base
        index = Index(constant, steps)
        key = ("packed", packed.term, index)
        known = self.b.recall(key)
        if known is None:
            known = (self.b.load(area.pointer, index),)
            self.b.remember(key, known)
        return known[0]

    def _combined(self, k: int, state: Operand, elements: Sequence[tuple[Operand, ...]]) -> Operand:
        """Write a state after some more elements, each a value or two factors."""
        if k in self.nest.contracted:
            for left, right in elements:
                state = self.b.call("fma", left, right, state)
            return state
        values: list[Operand] = [value for (value,) in elements]
        while len(values) > 1:
            values = [self._pair(k, *values[n : n + 2]) for n in range(0, len(values), 2)]
        return self._pair(k, state, *values)

    def _pair(self, k: int, left: Operand, right: Operand) -> Operand:
        """Write the combination of two elements or states."""
        dtype = state_dtype(self.low, k)
        left, right = (as_dtype(self.b, side, dtype) for side in (left, right))
        (both,) = reducer_of(self.low.terms[k]).merge(self.b, [left], [right])
        return both

    def _merge(self, states: dict[int, Pointer], panel: Value, row: Value) -> None:
        """Write how a tile goes to the totals of its block."""
        low, b, nest = self.low, self.b, self.nest
        column = b.call("multiply", panel, low.integer(nest.width))
        at = b.call("add", b.call("multiply", row, low.integer(self.pitch)), column)
        for k, state in states.items():
            totals = self.totals[k]
            for m in range(nest.height):
                with b.loop(
                    "l", low.integer(0), low.integer(nest.width), AxisKind.INDEPENDENT
                ) as lane:
                    part = b.load(state, Index(m * nest.width, ((1, lane),)))
                    place = Index(m * self.pitch, ((1, at), (1, lane)))
                    if nest.whole:
                        b.store(totals[0], place, part)
                        continue
                    before = b.load(totals[0], place)
                    if len(totals) == 1:
                        b.store(totals[0], place, self._together(k, before, part))
                        continue
                    compensation = reducer_of(low.terms[k]).compensation
                    assert compensation is not None
                    after, lost = compensation(b, before, part)
                    b.store(totals[0], place, after)
                    b.store(totals[1], place, b.call("add", b.load(totals[1], place), lost))

    def _together(self, k: int, total: Value, part: Value) -> Operand:
        if total.dtype != part.dtype:
            return self.b.call("add", total, self.b.call("convert", part, dtype=total.dtype))
        return self._pair(k, total, part)

    # -- what follows ----------------------------------------------------------------------------

    def _finish(self) -> None:
        """Write what is computed from the reductions of a block, row by row, and its stores."""
        low, b, loops = self.low, self.b, self.nest.loops
        zero = low.integer(0)
        with b.loop("i", zero, self.rows, AxisKind.SCALAR) as i:
            line = b.call("multiply", i, low.integer(self.pitch))
            with low.inside(Frame((loops.rows,)), (b.call("add", self.top, i),)):
                with b.loop("j", zero, self.columns, AxisKind.SHORT) as j:
                    place = Index(0, ((1, line), (1, j)))
                    with low.inside(Frame((loops.columns,)), (b.call("add", self.left, j),)):
                        for k, totals in self.totals.items():
                            value = total_of(b, [b.load(total, place) for total in totals])
                            low.put(k, finish(b, low.terms[k], value))
                        known = [k for k in range(len(low.terms)) if low.get(k) is not None]
                        low.write(low.needed([k for k, _ in low.stores], known))
                        for k, output in low.stores:
                            low.store(k, output)
