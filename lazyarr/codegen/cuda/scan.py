"""Lowering of scans for GPUs: along rows in one kernel, down columns in one or two.

Down columns, neighbouring threads take neighbouring columns. Where these are few they are cut into
chunks: one kernel reduces each chunk, and the next begins each chunk with the total of those before
it. Where columns are fewer than a block's threads, it has several lines of threads, each of which
takes consecutive rows of the chunk.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.index_context import power_of_two
from lazyarr.codegen.cuda.launch import DeviceLaunch, DeviceLowered
from lazyarr.codegen.cuda.occupancy import blocks_of_scan
from lazyarr.codegen.cuda.quotients import divided
from lazyarr.codegen.cuda.scan_rows import RowScan
from lazyarr.codegen.cuda.scan_states import ScanStates
from lazyarr.codegen.device_tilings import ColumnScanTiling
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.scans import axis_of_scan, epilogue_of
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Operand, Pointer, Value
from lazyarr.loop_ir.threads import Barrier

__all__ = ["choose_column_scan", "lower_scan"]


def choose_column_scan(
    results: int, columns: int, length: int, written_out: Callable[[int], int]
) -> ColumnScanTiling:
    """Return the tiling of a scan down columns.

    Parameters
    ----------
    results : int
        Columns of all matrices.
    columns : int
        Columns of one, which lie side by side.
    length : int
        Elements of a column.
    written_out : callable
        ``written_out(most)``: of so many rows, those whose code may follow one another.

    Examples
    --------
    >>> print(choose_column_scan(1000, 1000, 100_000, lambda most: most))
    panels of 256 columns, 128 chunks of 782 rows
    >>> print(choose_column_scan(80, 80, 271_219, lambda most: most))
    panels of 80 columns, 545 chunks of 498 rows, 3 lines of 80 threads
    >>> print(choose_column_scan(9_000_000, 9_000_000, 4, lambda most: most))
    panels of 256 columns, 4 rows written out
    >>> print(choose_column_scan(3_600_000, 12, 9, lambda most: most))
    panels of 256 columns of all matrices, 9 rows written out
    """
    row = tuning.row()
    few = results < row.scan_columns
    lines = row.scan_threads // columns if few and results else 1
    if lines > 1:
        # A line takes in the totals of a part of the chunks: at most twice as many as its rows.
        least = max(row.scan_line_rows, isqrt(length // 2) // lines)
        rows = max(least, -(-length * results // row.scan_line_threads))
        lines = max(1, min(lines, -(-length // rows)))
        chunks = max(1, -(-length // (rows * lines)))
        unroll = written_out(row.scan_column_unroll)
        return ColumnScanTiling(lines * columns, rows, chunks, unroll, lines)
    rows = length
    if few:
        # A chunk takes in the totals of those before it: there are at most twice as many as rows.
        busy = min(row.scan_column_threads // max(results, 1), isqrt(2 * length))
        most = max(row.scan_column_chunks, busy)
        rows = max(row.scan_column_rows, -(-length // most))
    rows = max(1, min(rows, length))
    chunks = max(1, -(-length // rows))
    is_whole = chunks == 1 and results < row.scan_columns_many
    threads = row.scan_threads_few if is_whole else row.scan_threads
    is_packed = columns < min(threads, results)
    if not is_packed:
        threads = min(threads, max(WARP, power_of_two(columns)))
    unroll = written_out(row.scan_column_unroll)
    if chunks == 1 and rows <= unroll:
        unroll = 0  # the number of rows is in the text, so that all are loaded before the first sum
    return ColumnScanTiling(threads, rows, chunks, unroll, is_packed=is_packed)


def lower_scan(planned: PlannedGroup) -> DeviceLowered:
    """Return the kernels of a group whose member is a scan.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    """
    group = planned.group
    axis = group.members[0].attr
    assert isinstance(axis, int)
    if any(group.domain[k] != 1 for k in range(axis + 1, len(group.domain))):
        return _lower_columns(planned)

    def make(vectors: bool) -> tuple[DeviceLaunch, int]:
        low = DeviceLowering(planned, vectors)
        line = low.frame([axis])
        if not line.axes:
            line = Frame((LoopAxis(group.domain[axis], ()),))
        scan = RowScan(low, low.frame([k for k in range(len(group.domain)) if k != axis]), line)
        tiling = scan.tiling
        otherwise = make(False)[0] if tiling.width > 1 else None
        blocks = scan.write()
        dtypes = [low.terms[k].dtype for k in scan.scans]
        min_blocks = blocks_of_scan(dtypes) if tiling.chained else 1
        launch = low.device_launch(blocks, tiling.threads, otherwise, min_blocks)
        return replace(launch, tiling=tiling), scan.nbytes

    launch, nbytes = make(True)
    return DeviceLowered(group, (launch,), nbytes)


def _lower_columns(planned: PlannedGroup) -> DeviceLowered:
    def make(totals: bool) -> tuple[DeviceLaunch, _Columns]:
        low = DeviceLowering(planned)
        columns = _Columns(low)
        tiling = columns.tiling
        launch = low.device_launch(columns.write(totals), tiling.threads)
        return replace(launch, tiling=tiling), columns

    scanned, columns = make(False)
    if columns.tiling.chunks * columns.tiling.lines == 1:
        return DeviceLowered(planned.group, (scanned,), 0)
    return DeviceLowered(planned.group, (make(True)[0], scanned), columns.nbytes)


class _Columns:
    """A scan down columns: its tiling, and the code of both kernels.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    """

    def __init__(self, low: DeviceLowering) -> None:
        self.low = low
        domain = low.domain
        axis = axis_of_scan(low)
        self.states = ScanStates(low)
        self.scans = self.states.scans
        self.operands = low.needed(low.terms[k].args[0] for k in self.scans)
        self.line = low.frame([axis])
        if not self.line.axes:
            self.line = Frame((LoopAxis(domain[axis], ()),))
        self.length = self.line.size
        kept = [k for k in range(len(domain)) if k != axis]
        behind = [k for k in kept if k > axis and domain[k] != 1]
        self.columns = low.frame(behind).axes[-1]
        self.outer = low.frame([k for k in kept if k not in self.columns.axes])
        self.results = self.outer.size * self.columns.size
        self.tiling = choose_column_scan(
            self.results,
            self.columns.size,
            self.length,
            lambda most: low.code.written_out(self.operands, most),
        )
        self.across = self.tiling.threads // self.tiling.lines
        self.components = self.states.components
        #: Where the totals of lines and, if a chunk has several, of chunks lie in scratch memory.
        self.offsets: dict[tuple[str, int], int] = {}
        self.nbytes = 0
        counts = {"part": self.tiling.chunks * self.tiling.lines}
        if self.tiling.lines > 1:
            counts["total"] = self.tiling.chunks
        for k, component in self.components.items():
            for name, count in counts.items():
                self.offsets[name, k] = self.nbytes
                size = count * self.results * component.dtype.itemsize
                self.nbytes += -(-size // 256) * 256

    def _scratch(self, name: str, k: int) -> Pointer:
        return self.low.part((name, k), self.components[k].dtype, self.offsets[name, k])

    def _bounds(self, part: Operand) -> tuple[Operand, Operand]:
        """Write where the rows of a line of threads begin and end."""
        low = self.low
        if not self.tiling.unroll:
            return low.integer(0), low.integer(self.length)
        step = low.number("chunk", self.tiling.rows, "n")
        first = low.device.arithmetic("*", part, step)
        return first, low.least(low.plus(first, step), self.size)

    def write(self, totals: bool) -> int:
        """Write the kernel that reduces the chunks, or the one that scans them."""
        low, b, device = self.low, self.low.builder, self.low.device
        columns = self.columns
        self.block = device.builtin("block")
        self.thread = device.builtin("thread")
        if not self.length:
            return 0
        self.n_chunks = low.number("chunks", self.tiling.chunks, "n")
        self.size = low.number("length", self.length, "n")
        panels = -(-columns.size // self.across)
        width = low.number("columns", columns.size, "n")
        chunk: Operand = device.arithmetic("%", self.block, self.n_chunks)
        rest = device.arithmetic("/", self.block, self.n_chunks)
        if self.tiling.is_packed:
            self.n_results = low.number("results", self.results, "n")
            self.result = low.plus(low.times(rest, self.across), self.thread)
            with b.when(low.below(self.result, self.n_results)):
                front, column = divided(low, self.result, columns.size, width)
                self._write_column(front, column, chunk, totals)
            return -(-self.results // self.across) * self.tiling.chunks
        panel, front, origin = low.panel(rest, panels, width, self.outer)
        self.n_results = low.number("results", self.results, "n")
        if self.tiling.lines == 1:
            column = low.plus(low.times(panel, self.across), self.thread)
            self.result = low.plus(origin, column)
            with b.when(low.below(column, width)):
                self._write_column(front, column, chunk, totals)
            return self.outer.size * panels * self.tiling.chunks
        # All threads of a block have a column, the only panel's.
        column = device.arithmetic("%", self.thread, width)
        self.result = low.plus(origin, column)
        line = device.arithmetic("/", self.thread, width)
        top = low.times(chunk, self.tiling.lines)
        part = low.plus(top, line)
        carries = {k: b.declare("carry", self.states.empty(k)) for k in self.scans}
        if not totals:
            self._add_chunks(carries, chunk, line, column)
            self._add_totals(carries, "part", top, part)
        self._scan(carries, front, column, self._bounds(part), totals)
        if totals:
            self._store_totals(carries, "part", part)
            sums = self._sums_of_lines(carries, column)
            with b.when(b.call("equal", line, low.integer(0))):
                self._store_totals(sums, "total", chunk)
        return self.outer.size * self.tiling.chunks

    def _write_column(self, front: Operand, column: Operand, chunk: Operand, totals: bool) -> None:
        """Write the scan of a thread's chunk of a column, or its total."""
        low, b = self.low, self.low.builder
        carries = {k: b.declare("carry", self.states.empty(k)) for k in self.scans}
        if self.tiling.chunks > 1 and not totals:
            self._add_totals(carries, "part", low.integer(0), chunk)
        self._scan(carries, front, column, self._bounds(chunk), totals)
        if totals:
            self._store_totals(carries, "part", chunk)

    def _add_totals(
        self, carries: dict[int, Value], name: str, first: Operand, last: Operand
    ) -> None:
        """Write the addition of some totals of the thread's column to its running values."""
        low, b, device = self.low, self.low.builder, self.low.device
        with device.count("c", first, last) as c:
            at = low.plus(device.arithmetic("*", c, self.n_results), self.result)
            for k, carry in carries.items():
                total = b.load(self._scratch(name, k), low.at(at))
                b.assign(carry, self.states.plus(k, b.snapshot(carry), total))

    def _add_chunks(
        self, carries: dict[int, Value], chunk: Operand, line: Operand, column: Operand
    ) -> None:
        """Write the addition of all chunks before one, of which each line takes a part."""
        low, device = self.low, self.low.device
        lines = low.integer(self.tiling.lines)
        rounded = low.plus(chunk, low.integer(self.tiling.lines - 1))
        each = device.arithmetic("/", rounded, lines)
        first = device.arithmetic("*", line, each)
        self._add_totals(carries, "total", first, low.least(low.plus(first, each), chunk))
        for k, total in self._sums_of_lines(carries, column).items():
            low.builder.assign(carries[k], low.builder.snapshot(total))

    def _sums_of_lines(self, carries: dict[int, Value], column: Operand) -> dict[int, Value]:
        """Write the running values of all lines of a block, one after another, for each thread."""
        low, b, device = self.low, self.low.builder, self.low.device
        shared = {
            k: device.array("lines", component.dtype, self.tiling.threads, True)
            for k, component in self.components.items()
        }
        for k, carry in carries.items():
            b.store(shared[k], low.at(self.thread), b.snapshot(carry))
        device.emit(Barrier())
        totals = {k: b.declare("sum", self.states.empty(k)) for k in carries}
        with device.count("l", low.integer(0), low.integer(self.tiling.lines)) as number:
            at = low.plus(low.times(number, self.across), column)
            for k, total in totals.items():
                own = b.load(shared[k], low.at(at))
                b.assign(total, self.states.plus(k, b.snapshot(total), own))
        return totals

    def _scan(
        self,
        carries: dict[int, Value],
        front: Operand,
        column: Operand,
        bounds: tuple[Operand, Operand],
        totals: bool,
    ) -> None:
        """Write the scan of a thread's rows, or only their totals."""
        low, b, device = self.low, self.low.builder, self.low.device
        with (
            low.inside(self.outer, low.decode(front, self.outer)),
            low.inside(Frame((self.columns,)), (column,)),
            device.count("q", *bounds, unroll=self.tiling.unroll) as q,
            low.inside(self.line, (q,)),
        ):
            low.write(self.operands)
            for k, carry in carries.items():
                value = low.value(low.terms[k].args[0])
                new = self.states.step(k, b.snapshot(carry), value)
                b.assign(carry, new)
                low.put(k, self.states.result(k, new))
            if not totals:
                low.write(epilogue_of(low))
                for k, place in low.stores:
                    low.store(k, place)

    def _store_totals(self, carries: dict[int, Value], name: str, number: Operand) -> None:
        """Write the running values of a thread's column to scratch memory."""
        low, b = self.low, self.low.builder
        at = low.plus(low.device.arithmetic("*", number, self.n_results), self.result)
        for k, carry in carries.items():
            b.store(self._scratch(name, k), low.at(at), b.snapshot(carry))
