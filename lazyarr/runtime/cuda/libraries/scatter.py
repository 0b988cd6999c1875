"""Sums and extremes of rows that fall on the same place, in their order, by kernels of our own."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import (
    ordered_sums,
    placed_sums,
    row_maps,
    scanned_sums,
)
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.placed_extremes import negated, take_extremes
from lazyarr.runtime.cuda.libraries.placed_rows import PlacedRows, RowMap
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.unordered_rows import (
    Cleared,
    add_unordered,
    cleared_words,
    has_buckets,
    look,
    ordered_items,
)
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = [
    "refuse_mapped",
    "refuse_scatter",
    "refuse_sums",
    "scatter",
    "scatter_mapped",
    "sums_at",
]

_U4 = np.dtype(np.uint32)
#: Sums, by the dtype in which they are added: whole numbers wrap.
_SUMS = {
    np.dtype(kind): np.dtype(added)
    for kind, added in {
        "f4": "f4",
        "f8": "f8",
        "i4": "u4",
        "u4": "u4",
        "i8": "u8",
        "u8": "u8",
    }.items()
}
#: The functions that take extremes.
_RANKED = frozenset((np.maximum, np.minimum))
#: Numbers of rows, places and items are 32 bits wide.
_MOST = int(np.iinfo(np.int32).max) // 2


def refuse_scatter(
    out: Strided, ufunc: Any, start: Strided, places: Any, *values: Any
) -> str | None:
    """Return the reason for which sums at places are left to the host, or None.

    Parameters
    ----------
    out : Strided
        The result; not looked at.
    ufunc : numpy.ufunc
        The function whose ``at`` is meant.
    start, places, *values : Strided
        What is there at first, and the arguments of ``at``.
    """
    if ufunc not in _RANKED | {np.add, np.subtract} or len(values) != 1:
        return f"no kernel for {ufunc.__name__}.at"
    if start.dtype not in _SUMS:
        return f"no scatter-add kernel for {start.dtype.name}"
    if not isinstance(places, Strided) or places.ndim != 1 or places.dtype not in placed_sums.NAMES:
        return "indices that are not a vector of integers"
    if kind_of(places.dtype) not in "iu" or places.dtype == np.uint64:
        return f"indices of {places.dtype.name}"
    if not start.ndim or not start.size or not places.size:
        return "an array without elements"
    (added,) = values
    if not isinstance(added, Strided) or added.dtype not in placed_sums.NAMES:
        return "values of another dtype kind"
    if np.result_type(start.dtype, added.dtype) != start.dtype:
        return f"values of {added.dtype.name} added to {start.dtype.name}"
    if ufunc is not np.add and added.dtype != start.dtype:
        return f"values of {added.dtype.name} beside {start.dtype.name}"
    if added.shape not in ((), (places.size, *start.shape[1:])):
        return "values that are broadcast"
    if max(start.size, places.size * prod(start.shape[1:])) > _MOST:
        return f"more than {_MOST:,} elements"
    return None


def scatter(
    work: Work, out: Strided, ufunc: Any, start: Strided, places: Strided, values: Strided
) -> None:
    """Queue the sums, or the extremes, of rows at places and of what is there at first.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : Strided
        The result, contiguous.
    ufunc : numpy.ufunc
        The addition or subtraction, or what takes the extremes.
    start, places, values : Strided
        What is there at first, the places, and the row of each or one number.
    """
    start, lead = _first(work, start)
    places, values = work.contiguous(places), work.contiguous(values)
    if ufunc is np.subtract:
        values = negated(work, values)
    sums = PlacedRows(out, start, lead, places, values)
    if ufunc in _RANKED:
        take_extremes(work, sums, ufunc is np.minimum)
    elif kind_of(start.dtype) != "f":
        _fill(work, sums)
        _add_atomically(work, sums)
    else:
        _add_floats(work, sums)


def _first(work: Work, start: Strided) -> tuple[Strided, int]:
    """Return the first values, contiguous or one number, and the step between elements."""
    lead = 1 if start.size == 1 or any(start.strides) else 0
    return work.contiguous(start) if lead else start, lead


def refuse_mapped(
    out: Strided,
    steps: str,
    start: Strided,
    places: Any,
    values: Any,
    *numbers: Any,
) -> str | None:
    """Return the reason for which operations are left to a kernel of their own, or None.

    Parameters
    ----------
    out : Strided
        The result; not looked at.
    steps : str
        The operations.
    start, places, values, *numbers : Strided
        What is there at first, where what is added, and the numbers of operations.
    """
    refused = refuse_scatter(out, np.add, start, places, values)
    if refused is not None:
        return refused
    row, sums = tuning.row(), PlacedRows(start, start, 1, places, values)
    is_float = kind_of(start.dtype) == kind_of(values.dtype) == "f"
    is_looked_at = sums.rows >= row.places_looked and sums.width <= row.places_widest
    if not is_float or not is_looked_at:
        return "another way to add them"
    return None


def scatter_mapped(
    work: Work,
    out: Strided,
    steps: str,
    start: Strided,
    places: Strided,
    values: Strided,
    *numbers: Strided,
) -> None:
    """Queue the sums of rows at places, of what operations make of these.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : Strided
        The result, contiguous.
    steps : str
        The operations.
    start, places, values, *numbers : Strided
        As for :func:`refuse_mapped`.
    """
    start, lead = _first(work, start)
    places, values = work.contiguous(places), work.contiguous(values)
    # Few kernels read results of the operations: the others compute them on the way.
    waits = work.fast or not has_buckets(PlacedRows(out, start, lead, places, values))
    results = work.empty(values.shape if waits else (0,), values.dtype)
    results = Strided(results.address, values.shape, values.strides, values.dtype, results)
    row_map = RowMap(steps, values, numbers)
    _add_floats(work, PlacedRows(out, start, lead, places, results, row_map))


def _map_rows(work: Work, sums: PlacedRows, needed: int) -> None:
    """Compute values for a kernel that does not, if they are `needed`."""
    if sums.map is None:
        return
    row, total = tuning.row(), sums.values.size
    blocks = min(-(-total // (THREADS * row.maps_at_once)), row.sort_blocks)
    work.launch_blocks(
        row_maps.map_source(sums.steps, sums.values.dtype),
        blocks,
        blocks, total, needed, sums.source.address, sums.values.address, *sums.numbers,
    )  # fmt: skip


def _add_floats(work: Work, sums: PlacedRows) -> None:
    """Queue sums of floats: in the order of their rows, unless last bits do not matter."""
    row, rows, count = tuning.row(), sums.rows, sums.count
    start, out, places, values, lead = sums.start, sums.out, sums.places, sums.values, sums.lead
    # What says whether the next kernels are needed: kept until all are queued.
    ordered = None
    needed = mixed = 0
    cleared: Cleared = partial(_zeros, work)
    if rows >= row.places_looked and sums.width <= row.places_widest:
        cleared = cleared_words(work)
        ordered = _add_as_they_come(work, sums, cleared)
        needed = mixed = ordered.address
    if work.fast and row.places_alone < rows < count * row.places_of_warp:
        _map_rows(work, sums, needed)
        _fill(work, sums, needed)
        _add_atomically(work, sums, needed)
        return
    if sums.map is not None and not has_buckets(sums):
        _map_rows(work, sums, needed)
        sums = replace(sums, map=None)
    linked = add_unordered(work, sums, needed, cleared)
    if linked is not None:
        needed, mixed = linked.address, linked.at(1).address
    if rows <= row.places_alone and rows <= count * row.places_shared:
        work.launch(
            placed_sums.alone_source(start.dtype, values.dtype, places.dtype),
            start.size,
            rows, *sums.sizes, lead, needed,
            places.address, values.address, start.address, out.address, work.report,
        )  # fmt: skip
    elif not needed and _is_scanned(sums):
        _add_scanned(work, sums)
    else:
        _add_in_order(work, sums, needed, mixed, cleared)
    del ordered, linked


def _is_scanned(sums: PlacedRows) -> bool:
    """Return whether blocks look for their rows among all: few of narrow ones, but no long runs."""
    row, rows = tuning.row(), sums.rows
    return (
        rows <= row.scanned_rows
        and sums.width <= row.scanned_width
        and rows < sums.count * row.places_of_warp
    )


def _add_scanned(work: Work, sums: PlacedRows) -> None:
    """Add up rows that blocks look for among all of them."""
    out, start, places, values = sums.out, sums.start, sums.places, sums.values
    high = scanned_sums.places_of_block(sums.count)
    room = 1 << (high - 1).bit_length()
    work.launch_blocks(
        scanned_sums.scanned_source(out.dtype, values.dtype, places.dtype, sums.width, room),
        -(-sums.count // high),
        sums.rows, sums.count, sums.step, sums.lead, high,
        places.address, values.address, start.address, out.address, work.report,
        threads=tuning.row().scanned_threads,
    )  # fmt: skip


def _zeros(work: Work, size: int) -> Strided:
    return work.zeros((size,), _U4)


def _fill(work: Work, sums: PlacedRows, needed: int = 0) -> None:
    """Copy the initial elements, if they are `needed`; without a `lead` that is one number."""
    start, out = sums.start, sums.out
    if sums.lead and not needed:
        work.copy(start, out)
        return
    row = tuning.row()
    source = placed_sums.fill_source(start.dtype)
    blocks = min(-(-out.size // (THREADS * row.places_at_once)), row.sort_blocks)
    arguments = out.size, sums.lead, needed, start.address, out.address
    work.launch_blocks(source, blocks, blocks, *arguments)


def refuse_sums(out: Strided, values: Strided, positions: Strided, size: int) -> str | None:
    """Return the reason for which a vector of sums is left to the host, or None.

    Parameters
    ----------
    out : Strided
        The result.
    values, positions : Strided
        What is added, and where.
    size : int
        Elements of the result.
    """
    if values.shape != positions.shape:
        return "values that are broadcast"
    return refuse_scatter(out, np.add, out, *_vectors(positions, values))


def sums_at(work: Work, out: Strided, values: Strided, positions: Strided, size: int) -> None:
    """Queue a vector of sums.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : Strided
        The result, contiguous.
    values, positions : Strided
        What is added, and where.
    size : int
        Elements of the result.
    """
    flat = _vectors(work.contiguous(positions), work.contiguous(values))
    scatter(work, out, np.add, work.zeros(out.shape, out.dtype), *flat)


def _vectors(*arrays: Strided) -> list[Strided]:
    return [array.seen((array.size,)) for array in arrays]


def _add_atomically(work: Work, sums: PlacedRows, needed: int = 0) -> None:
    """Add numbers in any order to those that lie in the result, if it is `needed`."""
    row, out, places, values = tuning.row(), sums.out, sums.places, sums.values
    total = sums.rows * sums.width
    is_whole = kind_of(out.dtype) != "f"
    in_blocks = is_whole and out.size <= row.places_held <= total
    source = placed_sums.atomic_source(_SUMS[out.dtype], values.dtype, places.dtype, in_blocks)
    blocks = min(-(-total // THREADS), row.sort_blocks)
    work.launch_blocks(
        source, blocks,
        blocks, total, *sums.sizes, needed, places.address, values.address, out.address,
        work.report,
    )  # fmt: skip


def _add_in_order(work: Work, sums: PlacedRows, needed: int, mixed: int, cleared: Cleared) -> None:
    """Put rows in the order of their places, and add up those of each place, if it is `needed`.

    The word at `mixed` says whether they are in no order; without an address, it is looked.
    """
    row, out, start, places, values = (
        tuning.row(), sums.out, sums.start, sums.places, sums.source,
    )  # fmt: skip
    rows, count, width, dtype = sums.rows, sums.count, sums.width, start.dtype
    has_runs = rows >= count * row.places_of_warp
    is_brief = _is_brief(rows, count, width)
    if not has_runs and not is_brief:
        _fill(work, sums, needed)
    carried = placed_sums.carries(dtype, values.dtype, sums.step, width)
    items, words = ordered_items(work, sums, carried, 0, mixed, cleared)
    waiting = words.address
    mixed = mixed or words.at(3).address
    numbers = rows, *sums.sizes, sums.lead
    arguments: tuple[int, ...] = (
        places.address, values.address, items.address, mixed, start.address, out.address,
    )  # fmt: skip
    kinds_of_numbers = dtype, values.dtype, places.dtype, carried
    if has_runs:
        panels = count * -(-width // row.places_columns)
        blocks = min(panels, row.sort_blocks)
        is_alone = panels <= row.places_blocks_alone
        runs = ordered_sums.runs_source(*kinds_of_numbers, is_alone, sums.steps)
        ends = needed, *arguments, work.report, *sums.numbers
        work.launch_blocks(runs, blocks, blocks, *numbers, *ends)
        return
    of_warps, of_blocks = _lists(work, rows)
    most, gaps = _gaps(work, count)
    arguments += waiting, of_warps.address, of_blocks.address
    if width <= row.places_widest:
        ends = most, needed, *arguments, gaps.address
        _add_in_pieces(work, sums, kinds_of_numbers, False, numbers, ends)
        listed = row.places_of_thread if is_brief else row.places_of_warp
    else:
        blocks = min(-(-rows * width // THREADS), row.places_blocks)
        heads = ordered_sums.heads_source(*kinds_of_numbers, sums.steps)
        ends = needed, *arguments, work.report, *sums.numbers
        work.launch_blocks(heads, blocks, blocks, *numbers, *ends)
        listed = row.places_of_thread
    if rows > listed or is_brief:
        blocks = row.sort_blocks
        tasks = ordered_sums.tasks_source(*kinds_of_numbers, sums.steps)
        ends = gaps.address, work.report, *sums.numbers
        work.launch_blocks(tasks, blocks, blocks, *numbers, 0, *arguments, *ends)


def _is_brief(rows: int, count: int, width: int) -> bool:
    """Return whether warps add up rows in order, because places have few of them."""
    row = tuning.row()
    if width >= row.places_wide or width > row.places_widest:
        return False
    return rows <= count * min(row.places_brief * width, row.places_brief_most)


def _lists(work: Work, rows: int) -> tuple[Strided, Strided]:
    """Return room for places that are left to warps and to blocks."""
    row = tuning.row()
    least = min(row.places_of_thread, row.places_of_list), row.places_of_warp
    of_warps, of_blocks = (work.empty((rows // some + 1,), _U4) for some in least)
    return of_warps, of_blocks


def _gaps(work: Work, count: int) -> tuple[int, Strided]:
    """Return the largest number of listed stretches without rows, and room for them."""
    row = tuning.row()
    most = count // row.places_gap + count // row.places_gap_piece + 2
    return most, work.empty((2 * most,), _U4)


def _add_in_pieces(
    work: Work,
    sums: PlacedRows,
    kinds: tuple[Any, ...],
    checks: bool,
    numbers: tuple[int, ...],
    arguments: tuple[int, ...],
) -> None:
    """Add up rows in the order of their places: in shared memory, or as they are read.

    The last are those of few rows for each place, and wide ones.
    """
    row, steps, behind = tuning.row(), sums.steps, (work.report, *sums.numbers)
    rows, count, width, *_ = numbers
    if _is_brief(rows, count, width):
        tile = row.places_of_lane * THREADS
        blocks = min(-(-rows // tile), row.sort_blocks)
        source = ordered_sums.warps_source(*kinds, width == 1, checks, steps)
        work.launch_blocks(source, blocks, blocks, *numbers, *arguments, *behind)
        return
    if width >= row.places_wide:
        lanes = min(WARP, 1 << (width - 1).bit_length())
        panels, lines = -(-width // lanes), THREADS // lanes
        batches = min(row.places_line, rows * panels * lanes // row.places_line_threads) // lanes
        high = lanes * max(1, batches)
        source = ordered_sums.lines_source(*kinds, checks, lanes, steps)
        blocks = min(-(-(-(-rows // high) * panels) // lines), row.sort_blocks)
        work.launch_blocks(source, blocks, blocks, *numbers, high, *arguments, *behind)
        return
    # Few rows are for many blocks all the same.
    high = min(
        row.places_stage // THREADS * (THREADS // width),
        max(row.places_least, -(-rows // row.sort_blocks)),
    )
    tall = high * max(1, min(row.places_stretches, rows // (high * row.sort_blocks)))
    blocks = min(-(-rows // tall), row.sort_blocks)
    source = ordered_sums.tiles_source(*kinds, checks, steps)
    work.launch_blocks(source, blocks, blocks, *numbers, high, tall, *arguments, *behind)


def _add_as_they_come(work: Work, sums: PlacedRows, cleared: Cleared) -> Strided:
    """Add up rows that may be in the order of their places.

    Returns
    -------
    Strided
        A word of the device: whether all is to be computed otherwise, because they are in no order.
    """
    row, rows, count = tuning.row(), sums.rows, sums.count
    out, start, places, values = sums.out, sums.start, sums.places, sums.source
    words = cleared(4)
    skipped, waiting = words.address, words.address + _U4.itemsize
    of_warps, of_blocks = _lists(work, rows)
    most, gaps = _gaps(work, count)
    kinds, numbers = (out.dtype, values.dtype, places.dtype, False), (rows, *sums.sizes, sums.lead)
    arguments = (
        places.address, values.address, 0, skipped, start.address, out.address, waiting,
        of_warps.address, of_blocks.address,
    )  # fmt: skip
    # Few rows show mostly whether they are in no order.
    look(work, places.seen((min(rows, row.places_sample),)), count, skipped)
    _add_in_pieces(work, sums, kinds, True, numbers, (most, 0, *arguments, gaps.address))
    blocks, tasks = row.sort_blocks, ordered_sums.tasks_source(*kinds, sums.steps)
    ends = gaps.address, work.report, *sums.numbers
    work.launch_blocks(tasks, blocks, blocks, *numbers, skipped, *arguments, *ends)
    return words
