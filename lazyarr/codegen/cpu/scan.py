"""Lowering of scans for CPUs: along one axis in order, as NumPy accumulates, so its bits.

Rows are work items. Where the axis is not the last one, panels of columns are: their running
values lie in a short array, and each line of the panel is a loop that vectorises.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.processor_tilings import LineScanTiling
from lazyarr.codegen.scans import (
    after_element,
    axis_of_scan,
    epilogue_of,
    initial,
    result_at,
    scans_of,
    state_dtype,
)
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer

__all__ = ["choose_scan", "lower_scan"]


def choose_scan(columns: int, length: int) -> LineScanTiling:
    """Return the tiling of a scan.

    Parameters
    ----------
    columns : int
        Lines that lie side by side in memory; 0 where the scan goes along the last axis.
    length : int
        Elements of a line.
    """
    row = tuning.row()
    if columns:
        return LineScanTiling(row.scan_panel, max(1, -(-columns // row.scan_panel)), 1)
    return LineScanTiling(0, 0, max(1, row.scan_chunk // max(1, length)))


def lower_scan(low: Lowering, comments: Sequence[str], tiling: LineScanTiling) -> Lowered:
    """Return the kernel of a group whose member is a scan.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : LineScanTiling
        How it is cut.
    """
    axis = axis_of_scan(low)
    kept = [k for k in range(len(low.domain)) if k != axis]
    line = low.frame([axis])
    if not line.axes:
        line = Frame((LoopAxis(low.domain[axis], ()),))
    behind = [k for k in kept if k > axis and low.domain[k] != 1]
    if behind:
        return _columns(low, kept, behind, line, comments, tiling)
    return _rows(low, kept, line, comments, tiling)


def _computed_terms(low: Lowering) -> list[int]:
    return low.needed(low.terms[k].args[0] for k in scans_of(low))


def _rows(
    low: Lowering,
    kept: Sequence[int],
    line: Frame,
    comments: Sequence[str],
    tiling: LineScanTiling,
) -> Lowered:
    b = low.builder
    outer = low.frame(kept)
    computed = _computed_terms(low)
    size = low.number("length", line.size, "n")
    with (
        b.loop("r", low.begin, low.end, AxisKind.PARALLEL) as r,
        low.inside(outer, low.decode(r, outer)),
    ):
        totals = {k: b.declare("total", initial(low, k)) for k in scans_of(low)}
        with b.loop("i", low.integer(0), size) as i, low.inside(line, (i,)):
            low.write(computed)
            for k, total in totals.items():
                value = low.value(low.terms[k].args[0])
                new = after_element(low, k, b.snapshot(total), value)
                b.assign(total, new)
                low.put(k, result_at(low, k, new))
            low.write(epilogue_of(low))
            for k, place in low.stores:
                low.store(k, place)
    count = outer.size if line.size else 0
    launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
    return Lowered(low.group, (launch,), 0, 0)


def _columns(
    low: Lowering,
    kept: Sequence[int],
    behind: Sequence[int],
    line: Frame,
    comments: Sequence[str],
    tiling: LineScanTiling,
) -> Lowered:
    b = low.builder
    columns = low.frame(behind).axes[-1]
    front = low.frame([k for k in kept if k not in columns.axes])
    computed = _computed_terms(low)
    length = low.number("length", line.size, "n")
    size = low.number("columns", columns.size, "n")
    n_panels = low.number("panels", tiling.panels, "n")
    panel = low.integer(tiling.panel)
    totals: dict[int, Pointer] = {}
    nbytes = 0
    for k in scans_of(low):
        dtype = state_dtype(low, k)
        totals[k] = low.scratch(("total", k), dtype, nbytes, True, True)
        nbytes += tiling.panel * dtype.itemsize
    with b.loop("w", low.begin, low.end, AxisKind.PARALLEL) as w:
        first = b.call("multiply", b.call("remainder", w, n_panels), panel)
        last = low.least(b.call("add", first, panel), size)
        with low.inside(front, low.decode(b.call("divide", w, n_panels), front)):

            def place(j: Operand) -> Index:
                return Index(0, ((1, b.call("subtract", j, first)),))

            with b.loop("j", first, last) as j:
                for k, pointer in totals.items():
                    b.store(pointer, place(j), initial(low, k))
            with b.loop("q", low.integer(0), length) as q, low.inside(line, (q,)):
                with b.loop("j", first, last) as j, low.inside(Frame((columns,)), (j,)):
                    low.write(computed)
                    for k, pointer in totals.items():
                        before = b.load(pointer, place(j))
                        new = after_element(low, k, before, low.value(low.terms[k].args[0]))
                        b.store(pointer, place(j), new)
                        low.put(k, result_at(low, k, new))
                    low.write(epilogue_of(low))
                    for k, output in low.stores:
                        low.store(k, output)
    count = front.size * tiling.panels
    launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
    return Lowered(low.group, (launch,), 0, nbytes)
