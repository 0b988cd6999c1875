"""Lowering of reductions that pair rows with columns: packed operands, tiles in registers.

A work item is a block of the result. Along the reduction it goes in steps of at most `DEEP`
elements: what the step needs of either side is packed into the worker's scratch memory, rows
beyond the end of the block repeating the last one, so that every tile is whole. The order in which
a sum is taken depends on its length alone: within a step trees of a few elements one after the
other, and then the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.codegen import shared_tuning
from lazyarr.codegen.chunked_reduction import align
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu.contraction_analysis import Nest, find_nest, state_dtype, sums_floats
from lazyarr.codegen.cpu.contraction_packing import Area, Block, Packing
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.processor_tilings import ContractionTiling
from lazyarr.codegen.reducers import components_of, finish, reducer_of, total_of
from lazyarr.core.frozen import replace
from lazyarr.errors import ContractError
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand, Pointer, Value
from lazyarr.loop_ir.reducer import as_dtype

__all__ = ["choose_contraction", "lower_contraction"]

DType = np.dtype[Any]
FLOAT64 = np.dtype(np.float64)


def choose_contraction(group: GroupTerms, nest: Nest) -> ContractionTiling:
    """Return the tiling of a contraction.

    Parameters
    ----------
    group : GroupTerms
        The group.
    nest : Nest
        Its cut into blocks and tiles.
    """
    row = shared_tuning.row()
    work = sum(group.terms[k].node.op.cost for k in (*nest.interior, *nest.reductions))
    points = nest.block_rows * nest.block_columns * nest.loops.depth.size
    widest = max(state_dtype(group.terms[k]).itemsize for k in nest.reductions)
    chunk = max(1, int(8 * row.task_ns / (row.addition_ns * work * widest)) // points)
    return ContractionTiling(
        nest.height,
        nest.width,
        nest.block_rows,
        nest.block_columns,
        min(nest.deep, nest.loops.depth.size),
        chunk,
    )


def lower_contraction(low: Lowering, comments: Sequence[str], tiling: ContractionTiling) -> Lowered:
    """Return the kernel; a work item is a block of the result.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : ContractionTiling
        How it is cut.
    """
    nest = find_nest(low.analysis)
    if nest is None:
        raise ContractError(f"{low.name} is not a contraction")
    nest = replace(
        nest,
        height=tiling.height,
        width=tiling.width,
        block_rows=tiling.block_rows,
        block_columns=tiling.block_columns,
    )
    return _Nest(low, nest).lower(comments, tiling)


class _Totals:
    """The states of a block's reductions from one step along the reduction to the next.

    Parameters
    ----------
    low : Lowering
        The kernel.
    nest : Nest
        What is reduced.
    offset : int
        Where their scratch memory begins, in bytes.
    """

    def __init__(self, low: Lowering, nest: Nest, offset: int) -> None:
        self.low, self.nest = low, nest
        #: Elements from row to row.
        self.pitch = nest.most_columns
        self.end = offset
        self.memory: dict[int, list[Pointer]] = {k: self._allocate(k) for k in nest.reductions}

    def _allocate(self, k: int) -> list[Pointer]:
        """Return the scratch memory of a reduction's state, for each element of a block."""
        pointers = []
        for n, dtype in enumerate(self._dtypes(k)):
            pointers.append(self.low.scratch(("total", k, n), dtype, self.end, True, True))
            self.end += align(self.nest.block_rows * self.pitch * dtype.itemsize)
        return pointers

    def _dtypes(self, k: int) -> tuple[DType, ...]:
        """Return the dtypes of the state between steps along the reduction.

        Sums of float64 are kept with what their additions lose, shorter floats in float64.
        """
        inside = state_dtype(self.low.terms[k])
        if self.nest.whole or not sums_floats(self.low.terms[k]):
            return (inside,)
        return (inside, inside) if inside == FLOAT64 else (FLOAT64,)

    def begin(self, rows: Operand) -> None:
        """Write the states of no elements for some rows."""
        low, b = self.low, self.low.builder
        for k in self.nest.reductions:
            initial = components_of(low.terms[k])[0].initial
            with b.loop("i", low.integer(0), rows, AxisKind.SCALAR) as i:
                row = b.call("multiply", i, low.integer(self.pitch))
                with b.loop("j", low.integer(0), low.integer(self.pitch), AxisKind.SHORT) as j:
                    for total in self.memory[k]:
                        place = Index(0, ((1, row), (1, j)))
                        b.store(total, place, b.literal(initial, total.dtype))


class _Tiles:
    """The sums of one tile, which stay in registers over a step along the reduction.

    Parameters
    ----------
    low : Lowering
        The kernel.
    nest : Nest
        What is reduced.
    packing : Packing
        What is read.
    totals : _Totals
        What the tile's sums go to.
    """

    def __init__(self, low: Lowering, nest: Nest, packing: Packing, totals: _Totals) -> None:
        self.low, self.nest, self.b = low, nest, low.builder
        self.packing, self.totals = packing, totals

    def write(self, panel: Value, strip: Value, count: Operand) -> None:
        """Write the sums of one tile over one step.

        Parameters
        ----------
        panel, strip : Value
            The tile's column and row among the tiles of the block.
        count : Operand
            Elements along the reduction.
        """
        low, b, nest = self.low, self.b, self.nest
        zero = low.integer(0)
        row = b.call("multiply", strip, low.integer(nest.height))
        states: dict[int, Pointer] = {}
        for k in nest.reductions:
            dtype = state_dtype(low.terms[k])
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
                # Factors are before for one product; elements of a tree until it is summed.
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
        """Write the additions of some neighbours along the reduction to a tile."""
        low, b, nest = self.low, self.b, self.nest
        bases = {area: self._base(area, panel, row, first) for area in self.packing.areas}
        with b.loop("l", low.integer(0), low.integer(nest.width), AxisKind.INDEPENDENT) as lane:
            loaded: dict[tuple[int, int | Value], Value] = {}
            for m in range(nest.height):
                place = Index(m * nest.width, ((1, lane),))
                taken: dict[int, list[tuple[Operand, ...]]] = {k: [] for k in nest.reductions}
                for u in which:
                    with low.scope():
                        for area, base in bases.items():
                            index = self._packed(area, base, m, u, lane)
                            key = (area.packed.term, index.constant)
                            if key not in loaded:
                                loaded[key] = b.load(area.pointer, index)
                            low.put(area.packed.term, loaded[key])
                        low.write(nest.interior)
                        for k in nest.reductions:
                            factors = nest.contracted.get(k, low.terms[k].args[:1])
                            taken[k].append(tuple([low.value(a) for a in factors]))
                for k, values in taken.items():
                    before = b.load(states[k], place)
                    b.store(states[k], place, self._combined(k, before, values))

    def _base(
        self, area: Area, panel: Value, row: Value, first: Value
    ) -> tuple[tuple[int, Value], ...]:
        """Return the steps to the first element of a packed value that a tile takes."""
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
        self, area: Area, base: tuple[tuple[int, Value], ...], m: int, u: int, lane: Value
    ) -> Index:
        """Return the index of a packed value for row `m` of a tile, `u` elements further on."""
        packed = area.packed
        constant = u * area.step + (m * area.pitch if packed.rows else 0)
        return Index(constant, (*base, (1, lane)) if packed.columns else base)

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
        dtype = state_dtype(self.low.terms[k])
        left, right = (as_dtype(self.b, side, dtype) for side in (left, right))
        (both,) = reducer_of(self.low.terms[k]).merge(self.b, [left], [right])
        return both

    def _merge(self, states: dict[int, Pointer], panel: Value, row: Value) -> None:
        """Write the addition of a tile to the totals of its block."""
        low, b, nest = self.low, self.b, self.nest
        column = b.call("multiply", panel, low.integer(nest.width))
        at = b.call("add", b.call("multiply", row, low.integer(self.totals.pitch)), column)
        for k, state in states.items():
            totals = self.totals.memory[k]
            for m in range(nest.height):
                with b.loop(
                    "l", low.integer(0), low.integer(nest.width), AxisKind.INDEPENDENT
                ) as lane:
                    part = b.load(state, Index(m * nest.width, ((1, lane),)))
                    place = Index(m * self.totals.pitch, ((1, at), (1, lane)))
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


class _Nest:
    """The loops over blocks, steps along the reduction and tiles.

    Parameters
    ----------
    low : Lowering
        The kernel.
    nest : Nest
        How it is cut.
    """

    def __init__(self, low: Lowering, nest: Nest) -> None:
        self.low, self.nest, self.b = low, nest, low.builder
        self.packing = Packing(low, nest)
        self.totals = _Totals(low, nest, self.packing.nbytes)
        self.tiles = _Tiles(low, nest, self.packing, self.totals)

    def lower(self, comments: Sequence[str], tiling: ContractionTiling) -> Lowered:
        """Return the kernel.

        Parameters
        ----------
        comments : sequence of str
            Lines for the reader above it.
        tiling : ContractionTiling
            How it is cut.
        """
        low, b, nest = self.low, self.b, self.nest
        loops = nest.loops
        high, wide = (
            -(-size // block)
            for size, block in (
                (loops.rows.size, nest.block_rows),
                (loops.columns.size, nest.block_columns),
            )
        )
        height = low.number("height", loops.rows.size, "n")
        width = low.number("width", loops.columns.size, "n")
        n_high, n_wide = low.number("high", high, "n"), low.number("wide", wide, "n")
        # Neighbouring blocks share what they read of the longer side: of the rest there is less.
        group = low.number("group", high if high <= wide else 1, "n")
        block_rows = low.number("block rows", nest.block_rows, "n")
        block_columns = low.number("block columns", nest.block_columns, "n")
        # Work items, whose loop LLVM is to leave as it stands.
        with b.loop("w", low.begin, low.end, AxisKind.SCALAR) as w:
            inner = b.call("divide", w, group)
            rest = b.call("divide", inner, n_wide)
            high_at = b.call("add", b.call("multiply", rest, group), b.call("remainder", w, group))
            left = b.call("multiply", b.call("remainder", inner, n_wide), block_columns)
            top = b.call("multiply", b.call("remainder", high_at, n_high), block_rows)
            rows = low.least(block_rows, b.call("subtract", height, top))
            columns = low.least(block_columns, b.call("subtract", width, left))
            strips = self._count(rows, nest.height)
            panels = self._count(columns, nest.width)
            outer = low.decode(b.call("divide", high_at, n_high), loops.outer)
            with low.inside(loops.outer, outer):
                low.write(low.needed(nest.constant))
                block = Block(height, top, left, rows, columns, strips, panels)
                self._sum(block)
                self._finish(block)
        count = loops.outer.size * high * wide
        launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
        return Lowered(low.group, (launch,), 0, self.totals.end)

    def _count(self, size: Operand, each: int) -> Value:
        """Write how many of some size it takes."""
        more = self.b.call("add", size, self.low.integer(each - 1))
        return self.b.call("divide", more, self.low.integer(each))

    def _sum(self, block: Block) -> None:
        """Write the reductions of a block."""
        low, b, nest = self.low, self.b, self.nest
        size = low.number("deep", nest.loops.depth.size, "n")
        if nest.whole:
            self._step(block, low.integer(0), size)
            return
        self.totals.begin(self.packing.padded_rows(block))
        step = low.number("step", nest.deep, "n")
        steps = low.number("steps", -(-nest.loops.depth.size // nest.deep), "n")
        with b.loop("s", low.integer(0), steps, AxisKind.SCALAR) as s:
            start = b.call("multiply", s, step)
            self._step(block, start, low.least(step, b.call("subtract", size, start)))

    def _step(self, block: Block, start: Operand, count: Operand) -> None:
        """Write one step along the reduction: packing, and all tiles of the block."""
        b = self.b
        self.packing.write(block, start, count)
        zero = self.low.integer(0)
        with (
            b.loop("p", zero, block.panels, AxisKind.SCALAR) as panel,
            b.loop("t", zero, block.strips, AxisKind.SCALAR) as strip,
        ):
            self.tiles.write(panel, strip, count)

    def _finish(self, block: Block) -> None:
        """Write the epilogue of a block's reductions, row by row, and its stores."""
        low, b, loops = self.low, self.b, self.nest.loops
        zero = low.integer(0)
        with b.loop("i", zero, block.rows, AxisKind.SCALAR) as i:
            line = b.call("multiply", i, low.integer(self.totals.pitch))
            with low.inside(Frame((loops.rows,)), (b.call("add", block.top, i),)):
                with b.loop("j", zero, block.columns, AxisKind.SHORT) as j:
                    place = Index(0, ((1, line), (1, j)))
                    with low.inside(Frame((loops.columns,)), (b.call("add", block.left, j),)):
                        for k, totals in self.totals.memory.items():
                            value = total_of(b, [b.load(total, place) for total in totals])
                            low.put(k, finish(b, low.terms[k], value))
                        known = [k for k in range(len(low.terms)) if low.get(k) is not None]
                        low.write(low.needed([k for k, _ in low.stores], known))
                        for k, output in low.stores:
                            low.store(k, output)
