"""Functions of the rows of a panel, computed in blocks of lanes before they are reduced.

A function of the mathematics library takes as long for one element as for a vector, and LLVM
leaves what a row has beyond its vectors to single elements. So what a few rows give to the
reductions is computed into local memory, the last block of each row so early that it is whole.
There, and in the states, rows are as long as their blocks: every loop over them is of vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

import numpy as np

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.row_pieces import are_fewer
from lazyarr.codegen.processor_tilings import PanelTiling
from lazyarr.core.vector_registers import registers
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["RowBlocks", "lanes_of_blocks"]


def lanes_of_blocks(columns: int, itemsize: int) -> int:
    """Return the lanes of the blocks of a row; 0 if they spare few calls of functions, or none.

    Parameters
    ----------
    columns : int
        Of a row.
    itemsize : int
        Bytes of the narrowest number of which a function is computed.
    """
    row = tuning.row()
    lanes = min(row.least_lane_bytes, registers().nbytes) // itemsize
    if type(columns) is not int or not lanes < columns <= row.line_columns:
        return 0  # of a plan that serves many, or nothing is left over to speak of
    if registers().nbytes < row.least_lane_bytes:
        return lanes if are_fewer(columns, lanes) else 0
    # Of such wide vectors none of half the lanes is made.
    calls, rest = divmod(columns, lanes)
    return lanes if calls + rest >= row.spared_calls * -(-columns // lanes) else 0


class RowBlocks:
    """Local memory for the values of some rows of a panel that reductions take in.

    Parameters
    ----------
    low : Lowering
        The kernel.
    columns : int
        Of a row, no fewer than there are lanes.
    tiling : PanelTiling
        Its lanes, and its elements of memory for a row.
    """

    def __init__(self, low: Lowering, columns: int, tiling: PanelTiling) -> None:
        self.low = low
        self.lanes, self.pitch, self.together = tiling.row_lanes, tiling.line, tiling.together
        self.count = low.number(("blocks", self.lanes), -(-columns // self.lanes), "n")
        self.columns = low.number("columns", columns, "n")
        self.values: dict[int, Pointer] = {}

    @contextmanager
    def loops(self) -> Iterator[Value]:
        """Open the loops over the elements of a row and those behind it, and yield the column."""
        b, width = self.low.builder, self.low.integer(self.lanes)
        with b.loop("k", self.low.integer(0), self.count, AxisKind.SCALAR) as k:
            first = b.call("multiply", k, width)
            with b.loop("l", self.low.integer(0), width, AxisKind.LANES) as lane:
                yield b.call("add", first, lane)

    @contextmanager
    def behind(self) -> Iterator[Value]:
        """Open the loop over the elements behind a row, which are of no column."""
        b = self.low.builder
        end = b.call("multiply", self.count, self.low.integer(self.lanes))
        with b.loop("j", self.columns, end, AxisKind.SCALAR) as j:
            yield j

    def clear(self, terms: Sequence[int]) -> None:
        """Write numbers behind the rows, so that nothing else is computed with.

        Parameters
        ----------
        terms : sequence of int
            What the rows have values of.
        """
        low, b = self.low, self.low.builder
        for k in terms:
            if k not in self.values:
                dtype = register_dtype(low.terms[k].dtype)
                self.values[k] = b.local("line", dtype, self.pitch * self.together)
                zero = b.literal(np.zeros((), dtype).item(), dtype)
                rows = low.integer(self.together)
                with b.loop("n", low.integer(0), rows, AxisKind.SCALAR) as n, self.behind() as j:
                    b.store(self.values[k], Index(0, ((self.pitch, n), (1, j))), zero)

    def write(
        self,
        rows: Sequence[Operand],
        place: Callable[[Operand, Operand], AbstractContextManager[None]],
        terms: Sequence[int],
        computed: Sequence[int],
    ) -> None:
        """Write the values of some rows.

        Parameters
        ----------
        rows : sequence of Operand
            Their numbers, one after the other.
        place : callable
            Gives the counters of the frames for a row and a column.
        terms : sequence of int
            Whose values are kept.
        computed : sequence of int
            What is computed for them.
        """
        low, b = self.low, self.low.builder
        width = low.integer(self.lanes)
        latest = b.call("subtract", self.columns, width)
        with b.loop("n", low.integer(0), low.integer(len(rows)), AxisKind.SCALAR) as n:
            row = b.call("add", rows[0], n)
            with b.loop("k", low.integer(0), self.count, AxisKind.SCALAR) as k:
                first = low.least(b.call("multiply", k, width), latest)
                with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
                    column = b.call("add", first, lane)
                    with place(row, column):
                        low.write(computed)
                        at = Index(0, ((self.pitch, n), (1, column)))
                        for term in terms:
                            b.store(self.values[term], at, low.value(term))

    def read(self, n: int, column: Value) -> dict[int, Operand]:
        """Write the loads of the values of an element.

        Parameters
        ----------
        n : int
            Which of the rows.
        column : Operand
            Of the element, or behind the row.
        """
        place = Index(n * self.pitch, ((1, column),))
        return {k: self.low.builder.load(pointer, place) for k, pointer in self.values.items()}
