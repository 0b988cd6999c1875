"""Copies of operands to tiles in which their lines are columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.processor_tilings import TransposeTiling
from lazyarr.loop_ir.kernel import Index, Operand, Pointer

__all__ = ["TransposedCopies"]


class TransposedCopies:
    """Copies of a rectangle of some operands to tiles.

    Whole blocks are transposed in registers. The last one of a line overlaps the one before; only
    rectangles that are narrower than a block are copied element by element.

    Parameters
    ----------
    low : Lowering
        The kernel.
    plane : Frame
        The loops over the lines of the operands, and over the elements of a line.
    areas : mapping of int to Pointer
        The tiles by term. All terms are loaded.
    tiling : TransposeTiling
        How tiles lie in scratch memory, and the blocks.
    """

    def __init__(
        self, low: Lowering, plane: Frame, areas: Mapping[int, Pointer], tiling: TransposeTiling
    ) -> None:
        self.low = low
        self.plane = plane
        self.areas = areas
        self.pitch = tiling.pitch
        self.side = tiling.lines
        across = plane.axes[1]
        places = {k: low.accesses[k] for k in areas}
        #: The terms whose lines lie element behind element, as blocks are loaded.
        self.in_blocks = [
            k for k, place in places.items() if place.unit == 1 == across.stride(place.strides)
        ]

    def write(self, first: tuple[Operand, Operand], last: tuple[Operand, Operand]) -> None:
        """Write the copies of a rectangle.

        Parameters
        ----------
        first, last : tuple of (Operand, Operand)
            The line and the element with which it begins, and those behind its end.
        """
        low, b = self.low, self.low.builder
        others = [k for k in self.areas if k not in self.in_blocks]
        if self.in_blocks:
            width = low.integer(self.side)
            sizes = [b.call("subtract", end, begin) for begin, end in zip(first, last, strict=True)]
            wide = b.call("less_equal", width, low.least(*sizes))
            with b.when(wide):
                self._write_blocks(first, last, sizes)
            with b.when(b.call("not", wide)):
                self._write_elements(self.in_blocks, first, last)
        if others:
            self._write_elements(others, first, last)

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
            return low.least(
                b.call("add", first[axis], b.call("multiply", block, width)), latest[axis]
            )

        with b.loop("bi", low.integer(0), counts[0]) as block:
            i = begin(0, block)
            with b.loop("bp", low.integer(0), counts[1]) as inner:
                p = begin(1, inner)
                with low.inside(self.plane, (i, p)):
                    for k in self.in_blocks:
                        access = low.accesses[k]
                        pointer = low.parameters.pointer(access, low.terms[k].dtype)
                        pitch = low.pitch(access, self.plane.axes[0])
                        source = (pointer, low.index(access), pitch)
                        result = (self.areas[k], self._place(first, i, p), low.integer(self.pitch))
                        b.transpose(source, result, self.side)

    def _write_elements(
        self, terms: list[int], first: tuple[Operand, Operand], last: tuple[Operand, Operand]
    ) -> None:
        """Write the loops over elements."""
        low, b = self.low, self.low.builder
        with b.loop("i", first[0], last[0]) as i, b.loop("p", first[1], last[1]) as p:
            with low.inside(self.plane, (i, p)):
                low.write(terms)
                for k in terms:
                    b.store(self.areas[k], self._place(first, i, p), low.value(k))

    def _place(self, first: tuple[Operand, Operand], i: Operand, p: Operand) -> Index:
        """Return the place of an element in a tile."""
        b = self.low.builder
        line, column = b.call("subtract", p, first[1]), b.call("subtract", i, first[0])
        return Index(0, ((self.pitch, line), (1, column)))
