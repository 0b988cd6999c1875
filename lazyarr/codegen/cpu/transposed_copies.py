"""Copies between memory and tiles in which its lines are columns."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.loop_nest import Access, Frame
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value

__all__ = ["TransposedCopies"]


class TransposedCopies:
    """Copies of a rectangle of some arrays to tiles, or of tiles to arrays.

    Whole blocks are transposed in registers. The last one of a line overlaps the one before; only
    rectangles that are narrower than a block are copied element by element.

    Parameters
    ----------
    low : Lowering
        The kernel.
    plane : Frame
        The loops over the lines of the arrays, and over the elements of a line.
    tiles : sequence of (Access, Pointer)
        The arrays, and the tile of each.
    pitch : int
        Elements of a tile from one of its lines to the next.
    side : int
        Lines of a block, a power of two.
    back : bool, optional
        Whether tiles are copied to the arrays.
    wide : bool, optional
        Whether no rectangle is narrower than a block.
    """

    def __init__(
        self,
        low: Lowering,
        plane: Frame,
        tiles: Sequence[tuple[Access, Pointer]],
        pitch: int,
        side: int,
        back: bool = False,
        wide: bool = False,
    ) -> None:
        self.low = low
        self.plane = plane
        self.pitch = pitch
        self.side = side
        self.back = back
        self.wide = wide
        across = plane.axes[1]
        # Blocks are loaded from lines whose elements lie one behind the other.
        self.in_blocks = [
            (place, tile)
            for place, tile in tiles
            if place.unit == 1 == across.stride(place.strides) and side > 1
        ]
        self.corner: tuple[Operand, Operand] = (low.integer(0), low.integer(0))
        self.others = [each for each in tiles if each not in self.in_blocks]

    def write(
        self,
        first: tuple[Operand, Operand],
        last: tuple[Operand, Operand],
        base: Operand | None = None,
    ) -> None:
        """Write the copies of a rectangle.

        Parameters
        ----------
        first, last : tuple of (Operand, Operand)
            The line and the element with which it begins, and those behind its end.
        base : Operand, optional
            The line with which the tile begins; default: the rectangle's.
        """
        low, b = self.low, self.low.builder
        self.corner = (first[0] if base is None else base, first[1])
        if self.in_blocks:
            width = low.integer(self.side)
            sizes = [b.call("subtract", end, begin) for begin, end in zip(first, last, strict=True)]
            if self.wide:
                self._write_blocks(first, last, sizes)
            else:
                wide = b.call("less_equal", width, low.least(*sizes))
                with b.when(wide):
                    self._write_blocks(first, last, sizes)
                with b.when(b.call("not", wide)):
                    self._write_elements(self.in_blocks, first, last)
        if self.others:
            self._write_elements(self.others, first, last)

    def _write_blocks(
        self,
        first: tuple[Operand, Operand],
        last: tuple[Operand, Operand],
        sizes: Sequence[Operand],
    ) -> None:
        """Write the loops over blocks."""
        low, b = self.low, self.low.builder
        width, most = low.integer(self.side), low.integer(self.side - 1)
        counts = [b.call("divide", b.call("add", size, most), width) for size in sizes]
        latest = [b.call("subtract", end, width) for end in last]

        def begin(axis: int, block: Operand) -> Operand:
            start = b.call("add", first[axis], b.call("multiply", block, width))
            return low.least(start, latest[axis])

        with b.loop("bi", low.integer(0), counts[0], AxisKind.SCALAR) as block:
            i = begin(0, block)
            with b.loop("bp", low.integer(0), counts[1]) as inner:
                p = begin(1, inner)
                with low.inside(self.plane, (i, p)):
                    for place, tile in self.in_blocks:
                        pointer = low.parameters.pointer(place, tile.dtype)
                        index = low.index(place)
                        lines = (pointer, index, self._pitch(index, i))
                        columns = (tile, self._place(i, p), low.integer(self.pitch))
                        source, result = (columns, lines) if self.back else (lines, columns)
                        b.transpose(source, result, self.side)

    def _pitch(self, index: Index, i: Operand) -> Operand:
        """Return the elements of an array from one of its lines to the next."""
        factor = next((by for by, variable in index.terms if variable is i), 0)
        return factor if isinstance(factor, Value) else self.low.integer(factor)

    def _write_elements(
        self,
        tiles: Sequence[tuple[Access, Pointer]],
        first: tuple[Operand, Operand],
        last: tuple[Operand, Operand],
    ) -> None:
        """Write the loops over elements."""
        low, b = self.low, self.low.builder
        with b.loop("i", first[0], last[0], AxisKind.SCALAR) as i:
            with (
                b.loop("p", first[1], last[1], AxisKind.SCALAR) as p,
                low.inside(self.plane, (i, p)),
            ):
                for place, tile in tiles:
                    line = (low.parameters.pointer(place, tile.dtype), low.index(place))
                    column = (tile, self._place(i, p))
                    source, result = (column, line) if self.back else (line, column)
                    b.store(*result, b.load(*source))

    def _place(self, i: Operand, p: Operand) -> Index:
        """Return the place of an element in a tile."""
        b = self.low.builder
        column, line = (
            b.call("subtract", at, c) for at, c in zip((i, p), self.corner, strict=True)
        )
        return Index(0, ((self.pitch, line), (1, column)))
