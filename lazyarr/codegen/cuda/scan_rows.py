"""Scans along rows on GPUs: a row, or a piece of one, is loaded once and stays in registers.

Each thread takes vectors in turn, a warp a stretch of them, and what lies before a thread's
elements comes by shuffles, before a warp's through shared memory. A row that is longer than a
block can hold is taken in pieces: one after another by one block where there are rows enough, else
by as many blocks, in one pass over memory, as Merrill and Garland do (Single-pass Parallel Prefix
Scan with Decoupled Look-back, 2016). Theirs adds what happens to be known already, which differs
from run to run. Here each piece announces its own total, and takes in those of its group and the
total of the groups before, always in order: the result has the same bits in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.index_context import power_of_two
from lazyarr.codegen.cuda.scan_block import ScanBlock
from lazyarr.codegen.cuda.scan_chain import ChainParts, write_chain
from lazyarr.codegen.cuda.scan_piece import ScanPiece
from lazyarr.codegen.cuda.scan_states import ScanStates
from lazyarr.codegen.device_tilings import ScanTiling
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.scalar import register_dtype
from lazyarr.codegen.scans import epilogue_of
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Operand
from lazyarr.loop_ir.threads import Barrier

__all__ = ["RowScan", "choose_row_scan"]


def choose_row_scan(
    sizes: tuple[int, int], width: int, element: tuple[int, int], fits: Callable[[int], int]
) -> ScanTiling:
    """Return the tiling of a scan along rows.

    Parameters
    ----------
    sizes : (int, int)
        Rows, and the elements of one in whole vectors.
    width : int
        Elements of a vector.
    element : (int, int)
        Numbers that a thread keeps of an element, and their bytes.
    fits : callable
        ``fits(most)``: of so many vectors, those for which code may be written out.

    Examples
    --------
    >>> print(choose_row_scan((64, 1000), 4, (1, 4), lambda most: most))
    1 piece a row, 64 threads a piece, 4 vectors of 4 a thread
    >>> print(choose_row_scan((100_000, 33), 1, (1, 4), lambda most: most))
    1 piece a row, 16 threads a piece, 3 elements a thread
    """
    row = tuning.row()
    rows, length = sizes
    numbers, nbytes = element
    vectors = -(-length // width)
    kept, most_warps = row.scan_elements // numbers, row.scan_warps
    if rows < row.scan_rows and length > kept * WARP * row.scan_piece_warps:
        kept, most_warps = row.scan_piece_bytes // nbytes, row.scan_piece_warps
    # Each of a thread's elements has code of its own.
    most = fits(max(1, kept // width))
    lanes = min(WARP, power_of_two(vectors))
    if rows >= row.scan_rows and vectors > 1 and width * nbytes < row.vector_bytes:
        # So many threads as a multiprocessor holds do not keep memory busy with one such load each.
        shared = power_of_two(-(-vectors // min(most, row.scan_row_vectors)))
        lanes = min(lanes, max(2, shared))
    warps = min(most_warps, power_of_two(-(-vectors // (lanes * most))))
    iterations = min(most, max(1, -(-vectors // (lanes * warps))))
    pieces = max(1, -(-length // (lanes * warps * iterations * width)))
    threads = lanes * warps if pieces > 1 else max(row.scan_row_threads, lanes * warps)
    chained = pieces > 1 and rows < row.scan_rows
    return ScanTiling(lanes, warps, iterations, width, pieces, threads, chained, row.scan_span)


def _choose(
    low: DeviceLowering, outer: Frame, line: Frame, scans: Sequence[int], operands: Sequence[int]
) -> ScanTiling:
    """Return the tiling of a group, with the choices that depend on the code of an element.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    outer, line : Frame
        The loops over rows, and that along a row.
    scans, operands : sequence of int
        The scans, and the terms of an element.
    """
    row = tuning.row()
    everything = sorted({*operands, *epilogue_of(low)})
    width = low.code.width(line.axes[-1], everything, range(len(low.stores)), ragged=True)
    nbytes = sum(register_dtype(low.terms[k].source_dtype).itemsize for k in scans)

    def fits(most: int) -> int:
        return low.code.overlapping(everything, most, width, row.scan_share)

    sizes = outer.size, line.size // width * width
    tiling = choose_row_scan(sizes, width, (len(scans), nbytes), fits)
    most = tiling.iterations
    return replace(
        tiling,
        unrolled_loads=low.code.written_out(operands, most, width, 2 * row.written_cost) == most,
        loads_once=low.code.overlapping(operands, most, width, row.scan_share / 2) < most,
    )


class RowScan:
    """A scan along rows: its tiling and its code.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    outer, line : Frame
        The loops over rows, and that along a row.

    Attributes
    ----------
    tiling : ScanTiling
        How threads share a row.
    scans : list of int
        The terms.
    nbytes : int
        Of scratch memory.
    """

    def __init__(self, low: DeviceLowering, outer: Frame, line: Frame) -> None:
        self._low = low
        self._outer, self._line = outer, line
        self._states = ScanStates(low)
        self.scans = self._states.scans
        self._operands = low.needed(low.terms[k].args[0] for k in self.scans)
        self.tiling = _choose(low, outer, line, self.scans, self._operands)
        self._parts = ChainParts(self._states, self.tiling, outer.size)
        self.nbytes = self._parts.nbytes

    def write(self) -> int:
        """Write the kernel and return its number of blocks."""
        low, outer = self._low, self._outer
        block = ScanBlock(low, self._states, self.tiling, self._line, self._operands)
        if not block.length:
            return 0
        block.open(outer.size)
        if self.tiling.chained:
            return write_chain(block, self._parts, outer)
        with low.inside(outer, low.decode(block.row, outer)):
            if self.tiling.pieces == 1:
                ScanPiece(block, low.integer(0)).write(None)
            else:
                _one_after_another(block)
        return -(-outer.size // self.tiling.rows)


def _one_after_another(block: ScanBlock) -> None:
    """Write the loop of a block over the pieces of its row."""
    low, b, device = block.low, block.low.builder, block.low.device
    carries = {k: b.declare("carry", block.states.empty(k)) for k in block.scans}

    def take(totals: dict[int, Operand]) -> dict[int, Operand]:
        before: dict[int, Operand] = {k: b.snapshot(carry) for k, carry in carries.items()}
        for k, carry in carries.items():
            b.assign(carry, block.states.plus(k, before[k], totals[k]))
        return before

    with device.count("p", low.integer(0), low.number("pieces", block.tiling.pieces, "n")) as p:
        ScanPiece(block, low.times(p, block.tiling.piece)).write(take)
        device.emit(Barrier())  # shared memory is free again
