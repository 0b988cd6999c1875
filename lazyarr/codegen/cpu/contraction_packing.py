"""Packing for contractions: reused operands of a block are contiguous in scratch memory.

Rows beyond the end of the block repeat the last one, and so do columns, so that every tile is
whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.codegen.chunked_reduction import align
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.contraction_analysis import Nest, Packed
from lazyarr.codegen.loop_nest import Frame
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand, Value
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["Area", "Block", "Packing"]


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """The rows and columns of the result that a work item computes.

    Attributes
    ----------
    height : Value
        Rows of the whole result.
    top, left : Operand
        The first row and column.
    rows, columns : Operand
        Their number.
    strips, panels : Operand
        Tiles below one another, and side by side.
    """

    height: Value
    top: Operand
    left: Operand
    rows: Operand
    columns: Operand
    strips: Operand
    panels: Operand


class Area:
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


class Packing:
    """The packed values of a nest.

    Parameters
    ----------
    low : Lowering
        The kernel.
    nest : Nest
        What is packed, and in which loops.
    """

    def __init__(self, low: Lowering, nest: Nest) -> None:
        self.low, self.nest, self.b = low, nest, low.builder
        self.nbytes = 0
        self.areas: list[Area] = []
        for packed in nest.packed:
            area = Area(low, nest, packed, self.nbytes)
            self.areas.append(area)
            self.nbytes += area.nbytes

    def write(self, block: Block, start: Operand, count: Operand) -> None:
        """Write the packing for one step along the reduction.

        Parameters
        ----------
        block : Block
            What is packed for.
        start, count : Operand
            The first element along the reduction, and how many.
        """
        self._pack_deep(start, count)
        self._pack_rows(block, start, count)
        self._pack_columns(block, start, count)

    def padded_rows(self, block: Block) -> Value:
        """Write the number of rows of whole tiles."""
        return self.b.call("multiply", block.strips, self.low.integer(self.nest.height))

    def _pack_deep(self, start: Operand, count: Operand) -> None:
        """Write the packing of values that change only along the reduction."""
        areas = [a for a in self.areas if not (a.packed.rows or a.packed.columns)]
        if areas:
            with self.b.loop("k", self.low.integer(0), count, AxisKind.SHORT) as k:
                self._copy(areas, start, k, None, lambda area: Index(0, ((1, k),)))

    def _pack_rows(self, block: Block, start: Operand, count: Operand) -> None:
        """Write the packing of values that change along the rows."""
        low, b = self.low, self.b
        zero = low.integer(0)
        last = b.call("subtract", block.height, low.integer(1))
        for deep, across in ((False, False), (True, False), (True, True)):
            areas = [
                a
                for a in self.areas
                if a.packed.rows and a.packed.deep == deep and a.packed.across == across
            ]
            if not areas:
                continue

            def row(i: Value, k: Value | None, areas: list[Area] = areas) -> None:
                source: Operand = b.call("add", block.top, i)
                if not areas[0].packed.across:
                    source = low.least(source, last)
                frame = Frame((self.nest.loops.rows,))
                self._copy(areas, start, k, (frame, source), lambda at: self._row(at, i, k))

            if not deep:
                with b.loop("i", zero, self.padded_rows(block), AxisKind.SCALAR) as i:
                    row(i, None)
            elif across:
                with b.loop("k", zero, count, AxisKind.SCALAR) as k:
                    with b.loop("i", zero, block.rows, AxisKind.SHORT) as i:
                        row(i, k)
                    end = b.call("subtract", block.rows, low.integer(1))
                    with b.loop("i", block.rows, self.padded_rows(block), AxisKind.SCALAR) as i:
                        for area in areas:
                            value = b.load(area.pointer, self._row(area, end, k))
                            b.store(area.pointer, self._row(area, i, k), value)
            else:
                with b.loop("i", zero, self.padded_rows(block), AxisKind.SCALAR) as i:
                    with b.loop("k", zero, count, AxisKind.SHORT) as k:
                        row(i, k)

    def _row(self, area: Area, i: Value, k: Value | None) -> Index:
        """Return the index of an element of a packed row."""
        steps = [(area.pitch, i)] if k is None else [(area.pitch, i), (area.step, k)]
        return Index(0, tuple(steps))

    def _pack_columns(self, block: Block, start: Operand, count: Operand) -> None:
        """Write the packing of values that change along the columns, in panels of a tile."""
        low, b = self.low, self.b
        zero, lanes = low.integer(0), low.integer(self.nest.width)
        whole = b.call("divide", block.columns, lanes)
        for deep, across in ((False, False), (True, False), (True, True)):
            areas = [
                a
                for a in self.areas
                if a.packed.columns and a.packed.deep == deep and a.packed.across == across
            ]
            if not areas:
                continue

            def column(panel: Value, j: Value, k: Value | None, areas: list[Area] = areas) -> None:
                first = b.call("multiply", panel, lanes)
                at = b.call("add", b.call("add", block.left, first), j)
                frame = Frame((self.nest.loops.columns,))
                self._copy(
                    areas, start, k, (frame, at), lambda area: self._column(area, panel, j, k)
                )

            def repeat(panel: Value, k: Value | None, areas: list[Area] = areas) -> None:
                """Write copies of the last column of a panel that is not full."""
                have = b.call("subtract", block.columns, b.call("multiply", panel, lanes))
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
            with b.loop("p", whole if across else zero, block.panels, AxisKind.SCALAR) as panel:
                have = b.call("subtract", block.columns, b.call("multiply", panel, lanes))
                iterations = low.least(have, lanes)
                if across:
                    with (
                        b.loop("k", zero, count, AxisKind.SCALAR) as k,
                        b.loop("j", zero, iterations, AxisKind.SCALAR) as j,
                    ):
                        column(panel, j, k)
                elif deep:
                    with (
                        b.loop("j", zero, iterations, AxisKind.SCALAR) as j,
                        b.loop("k", zero, count, AxisKind.SCALAR) as k,
                    ):
                        column(panel, j, k)
                else:
                    with b.loop("j", zero, iterations, AxisKind.SCALAR) as j:
                        column(panel, j, None)
            with b.loop("p", whole, block.panels, AxisKind.SCALAR) as panel:
                if deep:
                    with b.loop("k", zero, count, AxisKind.SCALAR) as k:
                        repeat(panel, k)
                else:
                    repeat(panel, None)

    def _column(self, area: Area, panel: Value, j: Value, k: Value | None) -> Index:
        """Return the index of an element of a panel."""
        steps = [(area.panel, panel), (1, j)]
        if k is not None:
            steps.append((area.step, k))
        return Index(0, tuple(steps))

    def _copy(
        self,
        areas: Sequence[Area],
        start: Operand,
        k: Value | None,
        side: tuple[Frame, Operand] | None,
        place: Callable[[Area], Index],
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

    def _store_packed(self, areas: Sequence[Area], place: Callable[[Area], Index]) -> None:
        low = self.low
        terms = [area.packed.term for area in areas]
        known = [k for k in range(len(low.terms)) if low.get(k) is not None]
        low.write(low.needed(terms, known))
        for area in areas:
            self.b.store(area.pointer, place(area), low.value(area.packed.term))
