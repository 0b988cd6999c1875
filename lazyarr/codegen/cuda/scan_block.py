"""A block that scans pieces of rows on a GPU: its threads, and the totals of its warps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.scan_states import ScanStates
from lazyarr.codegen.device_tilings import ScanTiling
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.scalar import register_dtype
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Index, Literal, Operand, Pointer, Value
from lazyarr.loop_ir.threads import Barrier

__all__ = ["ScanBlock"]

DType = np.dtype[Any]


class ScanBlock:
    """The threads of a block that scans.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    states : ScanStates
        The running values.
    tiling : ScanTiling
        How threads share a row.
    line : Frame
        The loop along a row.
    operands : sequence of int
        The terms of an element.

    Attributes
    ----------
    thread, lane, first : Operand
        The number of a thread, among those of its warp that share a row, and its first vector in a
        piece.
    size : Value
        Elements of a row in whole vectors; what is behind the last one is scanned at the end.
    row : Operand
        The row, where the block works on whole rows.
    inside_rows : Value or None
        Whether there is such a row, where blocks may have fewer.
    shared : dict of int to Pointer
        The memory that warps exchange sums by.
    """

    def __init__(
        self,
        low: DeviceLowering,
        states: ScanStates,
        tiling: ScanTiling,
        line: Frame,
        operands: Sequence[int],
    ) -> None:
        self.low, self.states, self.tiling = low, states, tiling
        self.line, self.operands = line, operands
        self.scans = states.scans
        self.length = line.size // tiling.width * tiling.width
        self.number: Operand = low.device.builtin("block")
        self.thread = low.device.builtin("thread")

    @property
    def exact(self) -> bool:
        """Whether a row is whole pieces."""
        return self.length % self.tiling.piece == 0

    def open(self, rows: int) -> None:
        """Write which row a thread works on, and where in a piece it begins.

        Parameters
        ----------
        rows : int
            How many there are.
        """
        low, device, tiling = self.low, self.low.device, self.tiling
        self.size = low.number("length", self.length, "n")
        self.lane = device.arithmetic("%", self.thread, low.integer(tiling.lanes))
        own = self.thread
        row: Operand = self.number
        self.inside_rows: Value | None = None
        together = tiling.rows
        if together > 1:
            per_row = low.integer(tiling.per_row)
            row = low.plus(low.times(self.number, together), device.arithmetic("/", own, per_row))
            own = device.arithmetic("%", own, per_row)
            # All threads take part in the shuffles: those without a row redo the last one.
            if rows % together:
                total = low.number("rows", rows, "n")
                self.inside_rows = low.below(row, total)
                row = low.least(row, device.arithmetic("-", total, low.integer(1)))
        self.row = row
        self.first: Operand = self.lane
        if tiling.warps > 1:
            stretch = device.arithmetic("/", own, low.integer(WARP))
            self.first = low.plus(low.times(stretch, tiling.iterations * WARP), self.lane)
        self.shared = self.array_of_warps("warps")

    def dtype(self, k: int) -> DType:
        """Return the dtype of the elements of a scan."""
        return register_dtype(self.low.terms[k].source_dtype)

    def array_of_warps(self, name: str) -> dict[int, Pointer]:
        """Return shared memory for a running value of each warp, if there are several."""
        if self.tiling.warps == 1:
            return {}
        return {
            k: self.low.device.array(name, c.dtype, self.tiling.threads // WARP, True)
            for k, c in self.states.components.items()
        }

    def at(self, iteration: Operand, factor: int = 1, constant: int = 0) -> Index:
        """Return the index of an iteration's elements in a thread's registers.

        Parameters
        ----------
        iteration : Operand
            The iteration.
        factor, constant : int, optional
            Elements of each, and which of them.
        """
        if isinstance(iteration, Literal):
            return Index(constant)
        return Index(constant, ((factor, iteration),))

    def across_warps(
        self, totals: dict[int, Operand], shared: dict[int, Pointer]
    ) -> dict[int, tuple[Operand, Operand]]:
        """Write the sum of the row before the thread's warp, and that of the whole row.

        Parameters
        ----------
        totals : dict of int to Operand
            What the warp of a thread adds up to.
        shared : dict of int to Pointer
            Shared memory for a value of each warp.
        """
        low, b, device = self.low, self.low.builder, self.low.device
        warp = device.arithmetic("/", self.thread, low.integer(WARP))
        with b.when(b.call("equal", self.lane, low.integer(0))):
            for k, total in totals.items():
                b.store(shared[k], low.at(warp), total)
        device.emit(Barrier())
        place = device.arithmetic("%", self.thread, low.integer(self.tiling.warps))
        mine: Operand = warp
        first: Operand = low.integer(0)
        if self.tiling.rows > 1:
            mine = device.arithmetic("%", warp, low.integer(self.tiling.warps))
            first = device.arithmetic("-", warp, mine)
        states = {k: b.load(pointer, low.at(first, place)) for k, pointer in shared.items()}
        result: dict[int, tuple[Operand, Operand]] = {}
        for k, upto in self.states.upto(states, place, self.tiling.warps).items():
            before = device.shuffle(
                upto, device.arithmetic("-", mine, low.integer(1)), "lane", self.tiling.warps
            )
            started = b.call("less", low.integer(0), mine)
            total = device.shuffle(
                upto, low.integer(self.tiling.warps - 1), "lane", self.tiling.warps
            )
            result[k] = b.call("select", started, before, self.states.empty(k)), total
        return result
