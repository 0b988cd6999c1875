"""The tiling of reductions down columns for GPUs: which threads take which rows and columns.

Lines of threads and the rows that each takes order additions, and follow from sizes alone. Who is a
neighbour follows from what lies side by side in memory. Of few columns that share much of a row, a
line is one thread, which takes all.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazyarr.codegen.chunked_reduction import chunk_terms, full_stores, reductions_of
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import deviation_of
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.index_context import power_of_two
from lazyarr.codegen.cuda.partial_states import Parts, chunks_at_once, first_part
from lazyarr.codegen.cuda.summation import granule_of
from lazyarr.codegen.device_tilings import ColumnTiling
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Access, Frame
from lazyarr.core.frozen import replace
from lazyarr.core.narrow_columns import are_of_one_thread
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.cuda_kernel import WARP

__all__ = ["anchors_of", "are_turned", "choose_column_tiling", "choose_columns", "result_axes"]


def result_axes(group: GroupTerms) -> tuple[list[int], list[int]]:
    """Return the axes of results in front of the last reduced axis, and those behind it."""
    axes = group.result_axes
    last_reduced = max(a for a in group.reduced if group.domain[a] != 1)
    return [a for a in axes if a < last_reduced], [a for a in axes if a > last_reduced]


def _are_closer(low: DeviceLowering, axes: Sequence[int], others: Sequence[int]) -> bool:
    """Whether of the largest operands neighbours along some axes share sectors more than others.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    axes, others : sequence of int
        Axes of the domain: the last of each with more than one element counts.
    """
    last = [[axis for axis in some if low.domain[axis] != 1][-1:] for some in (axes, others)]
    if not all(last):
        return False
    sizes = {}
    for k, access in low.accesses.items():
        if low.terms[k].loaded:
            along = [n for n, s in zip(low.domain, access.strides, strict=True) if s]
            sizes[k] = prod(along) * low.terms[k].dtype.itemsize
    largest = [k for k, size in sizes.items() if 2 * size > max(sizes.values())]
    sector = tuning.row().sector_bytes

    def step(k: int, axis: int) -> int:
        stride = abs(low.accesses[k].strides[axis]) * low.terms[k].dtype.itemsize
        return min(stride or sector, sector)

    (axis,), (other,) = last
    return bool(largest) and all(step(k, axis) < step(k, other) for k in largest)


def are_turned(low: DeviceLowering, front: Sequence[int], behind: Sequence[int]) -> bool:
    """Whether the axes in front are taken as columns.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    front, behind : sequence of int
        The axes of results in front of the rows, and those behind.
    """
    return not _share_much(low, front, behind) and _are_closer(low, front, behind)


def _share_much(low: DeviceLowering, front: Sequence[int], behind: Sequence[int]) -> bool:
    """Whether few columns share so much of each row that a thread takes all of them.

    Parameters
    ----------
    low, front, behind
        As for :func:`are_turned`.
    """
    row, reduced = tuning.row(), low.group.reduced
    if not are_of_one_thread(low.domain, reduced):
        return False
    stores, _ = full_stores(low, list(reduced))
    operands = low.needed(chunk_terms(low, stores, reductions_of(low)))
    nodes = [low.terms[k].node for k in operands]
    plain = all(low.terms[k].base is None for k in operands) and not any(
        node.op.kind is Kind.GENERATE or node.op.allows_fma for node in nodes
    )
    if stores or not plain or any(deviation_of(low, k) for k in reductions_of(low)):
        return False
    full = [k for k in operands if low.spans(k, reduced) and low.spans(k, front)]
    shared = [k for k in operands if low.spans(k, reduced) and not low.spans(k, behind)]
    arithmetic = sum(low.terms[k].node.op.cost for k in shared if k not in low.accesses)
    # Of weights in memory most bytes are read once so, if no other array is as large.
    loads = {k for k in full if k in low.accesses}
    return arithmetic >= row.costly or (bool(loads) and loads <= set(shared))


def choose_columns(
    sizes: tuple[int, int, int],
    width: int,
    granule: int | None,
    state_bytes: int,
    turned: bool = False,
) -> ColumnTiling:
    """Return the tiling of a reduction down columns.

    What orders additions, the lines of threads and the rows that each takes, follows from sizes and
    granule alone.

    Parameters
    ----------
    sizes : (int, int, int)
        How many matrices there are, and the rows and columns of one.
    width : int
        Columns that are loaded at once, at most.
    granule : int or None
        Columns that would be, if the values lay in memory; None where no order of additions shows.
    state_bytes : int
        Bytes of the states of one column's reductions.
    turned : bool, optional
        Whether the first columns of all matrices lie side by side, and are taken as columns.

    Examples
    --------
    >>> print(choose_columns((1, 4096, 256), 4, 4, 8))
    panels of 128 columns, 128 chunks of 32 rows, 8 lines of 32 threads
    """
    row = tuning.row()
    threads = row.column_threads
    while width > 1 and state_bytes * threads * width > row.column_shared_bytes:
        width //= 2
    granule = granule or width
    matrices, rows, columns = sizes
    pieces = -(-columns // granule)
    across = _panel(pieces, WARP)
    panels = max(1, -(-pieces // across))
    lines = power_of_two(threads // across + 1) // 2
    blocks = matrices * panels
    if blocks >= row.multiprocessors:
        # Of short columns, fewer threads with more rows each: the rest of a block is combining.
        # Blocks of wide matrices keep most of their threads, with more columns side by side.
        fewer = power_of_two(rows // row.column_rows_each + 1) // 2
        wide = power_of_two(threads // (2 * pieces) + 1) if pieces >= WARP else 1
        fewer = max(fewer, granule, wide)
        if fewer < lines:
            lines = fewer
            across = _panel(pieces, threads // lines)
    iterations = next(
        (t for t in row.column_iterations if blocks * -(-rows // (t * lines)) <= row.column_blocks),
        row.column_iterations[-1],
    )
    is_narrow = across * lines * granule < threads  # elements that a block loads at once
    most = row.column_chunks_narrow if is_narrow else row.column_chunks
    iterations = max(iterations, -(-rows // (lines * most)))
    chunks = max(1, -(-rows // (iterations * lines)))
    if turned:
        across = _panel(-(-matrices // granule), threads // lines)
    shares = state_bytes * across * lines * width > row.column_shared_bytes
    first = first_part(iterations)
    return ColumnTiling(across, lines, width, iterations, chunks, lines // granule, first, shares)


def _panel(pieces: int, most: int) -> int:
    """Return the pieces of a panel, at most so many, of panels that are alike."""
    return max(1, -(-pieces // max(1, -(-pieces // most))))


def choose_column_tiling(
    low: DeviceLowering,
    frames: tuple[Frame, Frame, Frame],
    operands: Sequence[int],
    stores: Sequence[int],
) -> ColumnTiling:
    """Return the tiling of a group, with the choices that depend on the code of an element.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frames : (Frame, Frame, Frame)
        The loops over matrices, the rows of one and its columns.
    operands, stores : sequence of int
        The terms of an element, and the positions of stores for each.
    """
    front, rows, columns = frames
    in_front, behind = result_axes(low.analysis)
    turned = are_turned(low, in_front, behind)
    granule = granule_of(low, behind)
    free = low.code.width(columns.axes[-1], operands, stores)
    width = free if granule is None else min(granule, free)
    parts = Parts(low, 1, 1)
    state_bytes = sum(c.dtype.itemsize for state in parts.components.values() for c in state)
    matrices, across = (columns, front) if turned else (front, columns)
    sizes = matrices.size, rows.size, across.size
    if _share_much(low, in_front, behind):
        return _whole_rows(low, sizes, granule, state_bytes, operands)
    tiling = choose_columns(sizes, width, granule, state_bytes, turned)
    # Where a vector is narrower than memory could give, more of them are under way.
    row = tuning.row()
    loaded = [low.terms[k].dtype.itemsize for k in operands if k in low.accesses]
    full = min(row.vector_elements, row.vector_bytes // max(loaded)) if loaded else free
    most = row.column_unroll * max(1, full // width)
    unroll = low.code.overlapping(operands, most, tiling.width)
    by_lines = not turned and _are_closer(low, low.group.reduced, behind)
    return replace(tiling, unroll=unroll, combined=chunks_at_once(parts), by_lines=by_lines)


def _whole_rows(
    low: DeviceLowering,
    sizes: tuple[int, int, int],
    granule: int | None,
    state_bytes: int,
    operands: Sequence[int],
) -> ColumnTiling:
    """Return the tiling in which a thread takes all columns, with the same lines and chunks.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    sizes, granule, state_bytes
        As for :func:`choose_columns`.
    operands : sequence of int
        The terms of an element.
    """
    row, columns = tuning.row(), sizes[2]
    tiling = choose_columns(sizes, 1, granule, state_bytes)
    shares = state_bytes * tiling.lines * columns > row.column_shared_bytes
    # Where little is computed, more words of what is shared are under way.
    cheap = sum(low.terms[k].node.op.cost for k in operands if k not in low.accesses) < row.costly
    unroll = low.code.overlapping(operands, row.column_unroll << cheap, columns)
    return replace(tiling, across=1, width=columns, shares=shares, unroll=unroll, is_apart=True)


def anchors_of(low: DeviceLowering, most: int) -> dict[int, Access]:
    """Return accesses at a common address, in the place of those near to them.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    most : int
        Elements between two of one memory at most.
    """
    first: dict[object, int] = {}
    for place in low.accesses.values():
        first[place.owner] = min(place.offset, first.get(place.owner, place.offset))
    return {
        k: replace(place, offset=first[place.owner])
        for k, place in low.accesses.items()
        if 0 < place.offset - first[place.owner] <= most
    }
