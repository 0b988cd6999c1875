"""Short rows of which several are reduced side by side: which lie so, and which are worth it.

Rows lie one behind the other, or in turn: a line of memory has an element of each of a few rows,
then the next of each, as for a reduction along the last axis but one.
"""

from __future__ import annotations

from collections.abc import Iterable

from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.extremum_lanes import are_in_lanes
from lazyarr.codegen.cpu.row_reduction import cached_terms
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Access, Frame, LoopAxis
from lazyarr.codegen.reducers import components_of, is_compensated, reducer_of
from lazyarr.codegen.row_passes import RowPasses, find_row_passes
from lazyarr.codegen.row_tile_tiling import RowTileTiling
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.core.frozen import dataclass
from lazyarr.core.vector_registers import registers
from lazyarr.graph.node import Kind
from lazyarr.schedule.index_terms import position_of

__all__ = ["Rows", "choose_row_tiles"]


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """The rows of a group.

    Attributes
    ----------
    around : Frame
        The loops around those that are taken side by side.
    across, along : LoopAxis
        The loop over rows, and the one over the elements of a row.
    beside : LoopAxis, optional
        The loop over rows whose elements lie in turn: a line of memory has an element of each, then
        the next of each.
    line : LoopAxis
        The loop over the elements of a line, which are those of all rows in turn.
    passes : RowPasses
        The passes over a row.
    moving : list of bool
        For each term, whether it differs between the rows of a tile.
    copied : tuple of int
        The operands that are copied.
    """

    around: Frame
    across: LoopAxis
    along: LoopAxis
    beside: LoopAxis | None
    line: LoopAxis
    passes: RowPasses
    moving: list[bool]
    copied: tuple[int, ...]

    @classmethod
    def of(cls, group: GroupTerms) -> Rows | None:
        """Return the rows of a group; None if they do not lie one behind the other."""
        outer = group.frame(group.result_axes)
        inner = group.frame(group.reduced)
        if not outer.axes or len(inner.axes) != 1:
            return None
        along, around = inner.axes[0], outer.axes
        beside, line = None, along
        if len(around) > 1 and _lie_in_turn(group, along, around[-1]):
            around, beside = around[:-1], around[-1]
            line = LoopAxis(along.size * beside.size, beside.axes)
        across = around[-1]
        passes = find_row_passes(group)
        moving: list[bool] = []
        copied: list[int] = []
        for k, term in enumerate(group.terms):
            kind = term.node.op.kind
            if not term.loaded and (term.node.op.loop is not None or kind is Kind.GATHER):
                return None
            if k in group.accesses:
                place = group.accesses[k]
                moving.append(across.stride(place.strides) != 0)
                if moving[k] and along.stride(place.strides) != 0:
                    if not _is_line(place, along, beside):
                        return None
                    copied.append(k)
            elif kind is Kind.GENERATE:
                if across.stride(position_of(term, group.domain)[1]):
                    return None
                moving.append(any(moving[a] for a in term.args))
            else:
                moving.append(kind is Kind.REDUCE or any(moving[a] for a in term.args))
        for positions in passes.full_stores.values():
            for _, place in (group.stores[p] for p in positions):
                if not _is_line(place, along, beside) or not across.stride(place.strides):
                    return None
        if not copied:
            return None
        outer = Frame(tuple(around[:-1]))
        return cls(outer, across, along, beside, line, passes, moving, tuple(copied))


def _lie_in_turn(group: GroupTerms, along: LoopAxis, beside: LoopAxis) -> bool:
    """Whether a line of every operand has an element of each of a few rows, then the next ones."""
    places = [place for place in group.accesses.values() if along.stride(place.strides)]
    few = 1 < beside.size < tuning.row().vector_loop
    return few and all(_is_line(place, along, beside) for place in places)


def _is_line(place: Access, along: LoopAxis, beside: LoopAxis | None) -> bool:
    """Whether the elements of a line lie one behind the other."""
    if place.unit != 1:
        return False
    if beside is None:
        return along.stride(place.strides) == 1
    return beside.stride(place.strides) == 1 and along.stride(place.strides) == beside.size


def choose_row_tiles(group: GroupTerms) -> RowTileTiling | None:
    """Return the tiling of rows that are reduced side by side; None if others are better.

    Parameters
    ----------
    group : GroupTerms
        What is computed, of rows of so many elements that a tile of them is possible.
    """
    row = tuning.row()
    rows = Rows.of(group)
    if rows is None or rows.across.size < row.transposed_lines:
        return None
    length = rows.line.size
    if rows.along.size > max(row.written_out_row, _longest(group, rows)):
        return None
    if not row.least_tiled_row <= length <= row.most_tiled_row:
        return None
    if any(is_bfloat16(term.dtype) for term in group.terms):
        return None  # it is converted element by element
    if rows.beside is None and _are_written_out(group, rows):
        return None
    itemsize = max(group.terms[k].dtype.itemsize for k in rows.copied)
    if length * itemsize < row.least_tiled_bytes:
        return None
    lines = row.transposed_lines
    while lines > length:
        lines //= 2
    tiles = -(-rows.across.size // row.rows_side_by_side)
    chunk = max(1, group.grain() // (length * row.rows_side_by_side))
    cached = cached_terms(group, rows.passes)
    return RowTileTiling(row.rows_side_by_side, lines, cached, tiles, chunk)


def _are_written_out(group: GroupTerms, rows: Rows) -> bool:
    """Whether rows whose positions of extrema are asked for take less time written out than copied.

    That is so with vectors of 32 bytes; with longer ones their elements lie in more lines of cache.
    """
    row, length = tuning.row(), rows.along.size
    if length > row.written_out_row or registers().nbytes >= row.masking_bytes:
        return False
    if length * group.statement_count() > row.written_out_row_statements or rows.passes.full_stores:
        return False
    if any(t.node.op.cost >= row.special_cost for t in group.terms if not t.loaded):
        return False
    reductions = [k for one in rows.passes.reductions.values() for k in one]
    positions = [k for k in reductions if reducer_of(group.terms[k]).is_positional]
    return bool(positions) and not any(_is_sum(group, k) for k in set(reductions) - set(positions))


def _is_sum(group: GroupTerms, k: int) -> bool:
    """Whether a reduction adds, or takes moments."""
    reducer = reducer_of(group.terms[k])
    return reducer.primitive is None or components_of(group.terms[k])[0].initial == 0


def _longest(group: GroupTerms, rows: Rows) -> int:
    """Return the most elements of rows of which copies take less than each row by itself.

    Rows that lie in turn would be columns that fill no vector: copies take less whatever their
    length.
    """
    row = tuning.row()
    waits = (rows.passes.count - 1) * row.row_pass_ns
    waits += row.row_function_ns * _unfilled_functions(group, rows)
    copy_ns = row.tiled_copy_ns
    for reductions in rows.passes.reductions.values():
        own, is_position = 0.0, False
        for k in reductions:
            reducer = reducer_of(group.terms[k])
            if reducer.is_positional:
                own, is_position = own + row.row_position_ns, True
            elif _is_sum(group, k):
                own += row.row_sum_ns
            else:
                own += row.row_extremum_ns
        if is_position and are_in_lanes(group, reductions):
            # However many they are: side by side each of them takes its time, too.
            own = row.lane_position_ns
            copy_ns *= row.tiled_wide if _is_wide(group, rows.copied) else 1.0
        waits += own
    back = [group.stores[p][0] for stores in rows.passes.full_stores.values() for p in stores]
    reductions = [k for one in rows.passes.reductions.values() for k in one]
    rounds = any(is_compensated(group.terms[k]) for k in reductions)
    copies = (len(rows.copied) + len(back)) * copy_ns
    if back and not any(reducer_of(group.terms[k]).ordered for k in reductions):
        # Sums keep the order that they have: more of what copies take is counted for others.
        copies = len(rows.copied) * row.tiled_copy_ns + len(back) * row.tiled_result_ns
        copies *= row.tiled_wide if _is_wide(group, back) else 1.0
    longest = int(waits / copies)
    if rows.beside is not None:
        longest = row.most_tiled_row
    return min(longest, row.most_summed_row) if rounds else longest


def _is_wide(group: GroupTerms, terms: Iterable[int]) -> bool:
    """Whether the widest of some elements has more bytes than those that are copied soonest."""
    return max(group.terms[k].dtype.itemsize for k in terms) > tuning.row().narrow_bytes


def _unfilled_functions(group: GroupTerms, rows: Rows) -> int:
    """Return the number of functions of elements, if a row by itself does not fill their vectors.

    A loop over a row takes several vectors at a time, and what is left over one by one. The order
    of sums is not to depend on the vectors of the processor, and so neither does this.
    """
    row = tuning.row()
    itemsize = max(group.terms[k].dtype.itemsize for k in rows.copied)
    if rows.along.size * itemsize % row.row_vector_bytes == 0:
        return 0
    return sum(
        rows.passes.full[k] and not term.loaded and term.node.op.cost >= row.special_cost
        for k, term in enumerate(group.terms)
    )
