"""Loops of reductions down the columns, and the tilings of their kernels.

Where the innermost axes are reduced too, and a kept axis lies between them and the other reduced
ones, each of their elements is a column of its own. The states of columns that belong to one result
are merged at the end of a panel.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazyarr.codegen.chunked_reduction import (
    chunk_terms,
    deviations,
    full_stores,
    reductions_of,
)
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.column_blocks import lanes_of_blocks
from lazyarr.codegen.cpu.combine_columns import choose_combining
from lazyarr.codegen.cpu.extremum_lanes import is_float_extremum
from lazyarr.codegen.cpu.joined_loops import is_line, steps_of
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.processor_tilings import PanelTiling
from lazyarr.codegen.reducers import reducer_of
from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Kind

__all__ = ["ColumnLoops", "choose_panels", "column_count", "merges_columns"]


@dataclass(frozen=True, eq=False, slots=True)
class ColumnLoops:
    """The loops of a reduction down columns: kept axes in front, columns, and the rows.

    Attributes
    ----------
    front_axes : tuple of int
        The kept axes in front.
    front : Frame
        Their loops.
    columns : LoopAxis
        The columns that lie side by side.
    rows : Frame
        The loops down a column.
    kept_axes : tuple of int
        The kept axes among those of the columns.
    merged : int
        Neighbouring columns that belong to one result.
    rows_outside : bool
        Whether the axes in front lie inside of the rows, in the order of the domain.
    """

    front_axes: tuple[int, ...]
    front: Frame
    columns: LoopAxis
    rows: Frame
    kept_axes: tuple[int, ...]
    merged: int
    rows_outside: bool

    @classmethod
    def of(cls, group: GroupTerms) -> ColumnLoops:
        """Return the loops of a group.

        Parameters
        ----------
        group : GroupTerms
            What is computed.
        """
        axes, domain = range(len(group.domain)), group.domain
        results = group.result_axes
        last_result = max(axis for axis in results if domain[axis] != 1)
        down = [axis for axis in group.reduced if axis < last_result]
        last = max(axis for axis in down if domain[axis] != 1)
        behind = [axis for axis in group.reduced if axis > last_result and domain[axis] != 1]
        taken = _taken_in(group) if behind else None
        columns = group.frame([axis for axis in axes if axis > last], taken).axes[-1]
        front_axes = tuple(axis for axis in results if axis not in columns.axes)
        inner = [axis for axis in front_axes if domain[axis] != 1]
        return cls(
            front_axes,
            group.frame(front_axes),
            columns,
            group.frame(down),
            tuple(axis for axis in columns.axes if axis in results),
            prod([domain[axis] for axis in behind]),
            bool(inner) and min(inner) > last,
        )


def _taken_in(group: GroupTerms) -> list[int]:
    """Return the terms of an element that reductions and stores of whole columns need."""
    reductions = reductions_of(group)
    stores, _ = full_stores(group, group.reduced)
    late = deviations(group, reductions)
    means = [
        group.terms[k].args[1]
        for k in reductions
        if reducer_of(group.terms[k]).centred and k not in late
    ]
    return group.needed([*chunk_terms(group, stores, reductions), *means])


def merges_columns(group: GroupTerms) -> bool:
    """Return whether a reduction of the innermost axes, and of others, goes down columns.

    It does where a kept axis lies between them, their elements lie one behind the other with those
    of that axis, there are few of them, and no result is needed before all are there.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    row, domain = tuning.row(), group.domain
    kept = [n != 1 and axis not in group.reduced for axis, n in enumerate(domain)]
    gone = [axis for axis in group.reduced if domain[axis] != 1]
    if True not in kept or not gone or not any(kept[gone[0] :]):
        return False
    last_kept = len(kept) - 1 - kept[::-1].index(True)
    merged = prod([domain[axis] for axis in gone if axis > last_kept])
    down = prod([domain[axis] for axis in gone if axis < last_kept])
    if not 1 < merged <= row.merged_columns:
        return False
    few = down < row.least_merged_rows
    if (few and merged > row.merged_part * down) or not _reduces_at_once(group):
        return False
    if few and any(is_float_extremum(group.terms[k]) for k in reductions_of(group)):
        return False  # the sign of a zero among zeros is that of its row, wherever it lies
    columns = ColumnLoops.of(group).columns.axes
    behind = [axis for axis in gone if axis > last_kept]
    return last_kept in columns and all(axis in columns for axis in behind)


def _reduces_at_once(group: GroupTerms) -> bool:
    """Return whether one pass takes in all elements, of sums and extrema and their deviations."""
    reductions = reductions_of(group)
    late = deviations(group, reductions)
    for k in reductions:
        term = group.terms[k]
        source = term.node.src[0] if term.node.src else None
        if reducer_of(term).is_positional or (source is not None and source.op.allows_fma):
            return False
        if group.level[k] - 1 > (k in late) or group.level[term.args[0]] > 0:
            return False
    _, rest = full_stores(group, group.reduced)
    return not any(
        any(place.strides[axis] for axis in group.reduced)
        for _, place in (group.stores[position] for position in rest)
    )


def choose_panels(group: GroupTerms) -> PanelTiling:
    """Return the tiling of a reduction down columns.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    loops, row = ColumnLoops.of(group), tuning.row()
    width, merged = row.panel_columns, loops.merged
    if merged != 1:
        merged = merged.__index__()  # of a plan that serves many lengths, too
        width = max(1, width // merged) * merged
    panels = max(1, -(-loops.columns.size // width))
    rows = _panel_rows(loops.rows.size, loops.front.size * panels)
    reductions = reductions_of(group)
    if loops.rows_outside and any(_is_of_products(group, k) for k in reductions):
        # The states of a chunk, all products of a row's factors, shall take less than the chunk.
        least = row.product_states * min(loops.front.size, loops.columns.size)
        rows *= max(1, -(-least // rows).__index__())
    chunks = max(1, -(-loops.rows.size // rows))
    late = deviations(group, reductions)
    stores, _ = full_stores(group, group.reduced)
    early = [k for k in reductions if k not in late]
    totals = list(dict.fromkeys(group.terms[k].args[1] for k in late))
    functions = _functions_ahead(group, loops, stores)
    beside = 1
    # However many chunks: another number of rows is no other kernel.
    if not stores and merged == 1 and functions[2] == 0 and loops.rows.size > 0:
        beside = _chunks_beside(group, loops, functions[0])
    return PanelTiling(
        width,
        panels,
        rows,
        chunks,
        _rows_together(group, early + late, stores),
        _rows_together(group, totals, []),
        *choose_combining(chunks),
        *functions,
        merged,
        beside,
    )


def _chunks_beside(group: GroupTerms, loops: ColumnLoops, ahead: int) -> int:
    """Return the chunks that a work item reduces side by side: several, where columns are few."""
    row, columns = tuning.row(), loops.columns.size
    if type(columns) is not int or not 0 < columns < row.column_chains:
        return 1  # of a plan that serves many
    reductions = reductions_of(group)
    reducers = [reducer_of(group.terms[k]) for k in reductions]
    if any(reducer.centred or reducer.is_positional for reducer in reducers):
        return 1
    beside = -(-row.column_chains // columns)
    computed = [group.terms[k] for k in group.needed(chunk_terms(group, [], reductions))]
    if any(not term.loaded and term.node.op.loop is not None for term in computed):
        return 1
    written_out = len(reductions) if ahead else len(computed)
    return beside if written_out * beside * columns <= row.rows_together_terms else 1


def _functions_ahead(
    group: GroupTerms, loops: ColumnLoops, stores: Sequence[int]
) -> tuple[int, int, int]:
    """Return the rows whose functions are one line, its elements, and the lanes of longer rows.

    Rows that are no shorter than a vector have blocks of lanes each. Nothing is computed ahead
    where all three are 0.
    """
    row, columns = tuning.row(), loops.columns.size
    terms = group.needed(chunk_terms(group, stores, reductions_of(group)))
    computed = [group.terms[k] for k in terms if not group.terms[k].loaded]
    functions = [term for term in computed if term.node.op.cost >= row.special_cost]
    itemsize = min((max(4, term.dtype.itemsize) for term in functions), default=0)
    if not functions or stores or any(term.node.op.loop for term in computed):
        return 0, 0, 0
    if columns * itemsize >= row.least_lane_bytes:
        lanes = lanes_of_blocks(columns, itemsize)
        return 0, row.line_columns if lanes else 0, lanes
    if len(loops.rows.axes) != 1 or any(term.node.op.kind is Kind.GATHER for term in computed):
        return 0, 0, 0
    parts = (*loops.rows.axes, loops.columns)
    if columns == 0 or not all(is_line(steps_of(group, k), parts) for k in terms):
        return 0, 0, 0
    rows = row.line_elements // (columns * row.line_rows) * row.line_rows
    # Of a plan that serves many numbers of columns, too.
    return rows.__index__(), row.line_elements, 0


def column_count(group: GroupTerms) -> int:
    """Return the number of columns that lie side by side.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    return ColumnLoops.of(group).columns.size


def _rows_together(group: GroupTerms, reductions: Sequence[int], stores: Sequence[int]) -> int:
    """Return the rows that one loop over columns takes in: several, if that code stays short."""
    row = tuning.row()
    computed = group.needed(chunk_terms(group, stores, reductions))
    terms = [group.terms[k] for k in computed]
    if any(not term.loaded and term.node.op.loop is not None for term in terms):
        return 1
    short = (n for n in row.rows_together if len(computed) * n <= row.rows_together_terms)
    return next(short, 1)


def _is_of_products(group: GroupTerms, k: int) -> bool:
    return any(source.op.allows_fma for source in group.terms[k].node.src)


def _panel_rows(rows: int, across: int) -> int:
    """Return the number of rows of a panel, if `across` panels lie side by side."""
    enough = (n for n in tuning.row().panel_rows if -(-rows // n) * across >= tuning.row().panels)
    return next(enough, tuning.row().panel_rows[-1])
