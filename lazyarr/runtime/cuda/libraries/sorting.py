"""Sorting, by kernels of our own."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import (
    merge_sort,
    radix_sort,
    warp_sort,
)
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.registry import on_device
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["refuse_order", "refuse_part", "sorted_part", "sorted_rows"]

_OWN = "own kernels"
_U1 = np.dtype(np.uint8)
_U4 = np.dtype(np.uint32)
#: Positions in a row are 32 bits wide, and one value marks the end.
_LONGEST = (1 << 32) - 2


def refuse_order(a: Strided, length: int) -> str | None:
    """Return the reason for which rows are not put in order here, or None.

    Parameters
    ----------
    a : Strided
        The array.
    length : int
        Elements of a row.
    """
    if kind_of(a.dtype) not in "biuf":
        return f"no sort of {a.dtype.name} on a GPU"
    if not a.size:
        return "the array is empty"
    if length > _LONGEST:
        return f"more than {_LONGEST:,} elements along the axis"
    return None


def _refuse(out: Strided, a: Strided, *others: Any, **keywords: Any) -> str | None:
    return refuse_order(a, a.shape[keywords.get("axis", -1)] if a.ndim else 1)


def _sorted_places(work: Work, rows: Strided) -> Strided:
    """Return the positions that sort each row of a contiguous array, stably."""
    length, total = rows.shape[-1], rows.size
    dtype = merge_sort.key_dtype(rows.dtype)
    keys, places = work.empty((total,), dtype), work.empty((total,), _U4)
    tiles = -(-length // merge_sort.TILE)
    count = total // length
    # Of few lengths, so that there are few kernels.
    width = next((w for w in tuning.row().sort_widths if w >= length), merge_sort.TILE)
    work.launch_blocks(
        merge_sort.tile_source(rows.dtype, width),
        -(-count // (merge_sort.TILE // width)) * tiles,
        count,
        length,
        tiles,
        rows.address,
        keys.address,
        places.address,
    )
    if tiles == 1:
        return places
    merged_keys, merged_places = work.empty((total,), dtype), work.empty((total,), _U4)
    merge = merge_sort.merge_source(dtype)
    while width < length:
        work.launch_blocks(
            merge,
            total // length * tiles,
            length,
            width,
            tiles,
            keys.address,
            places.address,
            merged_keys.address,
            merged_places.address,
        )
        keys, merged_keys = merged_keys, keys
        places, merged_places = merged_places, places
        width *= 2
    return places


def _merged(work: Work, rows: Strided, result: Strided, itemsize: int) -> None:
    """Sort rows by merging; write the elements or, with no `itemsize`, the positions."""
    places = _sorted_places(work, rows)
    work.launch(
        merge_sort.pick_source(itemsize),
        rows.size,
        rows.size,
        rows.shape[-1],
        rows.address,
        places.address,
        result.address,
    )


def _swept(work: Work, rows: Strided, result: Strided, positions: bool) -> None:
    """Sort long rows digit by digit; write the elements or the positions."""
    length, total, dtype = rows.shape[-1], rows.size, rows.dtype
    count, digits = total // length, radix_sort.DIGITS
    passes, tile = radix_sort.passes(dtype), radix_sort.tile_size(dtype, positions, length)
    tiles = -(-length // tile)
    state = radix_sort.state_dtype(length)
    # How often each value of each digit occurs in each row, and the next tile in each pass.
    counters = work.zeros((4 * (count * passes * digits + passes),), _U1)
    tickets = counters.address + 4 * count * passes * digits
    pieces = max(1, min(tiles, tuning.row().sort_blocks // count))
    work.launch_blocks(
        radix_sort.count_source(dtype),
        count * pieces,
        length,
        pieces,
        rows.address,
        counters.address,
    )
    scatter = radix_sort.scatter_source(dtype, positions, state, tile)
    states = work.empty((count * tiles * digits,), state)
    # The elements go from one of two places to the other, and end in the second.
    home = result if not positions else work.empty((total if passes > 2 else 0,), dtype)
    spare = work.empty((total if passes > 1 else 0,), dtype)
    places = [work.empty((total if positions and passes > k else 0,), _U4) for k in (2, 1)]
    source, places_from = rows, 0
    for k in range(passes):
        odd = (passes - 1 - k) % 2
        target = spare if odd else home
        work.clear(states)
        addresses = [source.address, target.address]
        if positions:
            places_to = places[odd].address
            addresses += [places_from, places_to, result.address if k == passes - 1 else 0]
            places_from = places_to
        work.launch_blocks(
            scatter, count * tiles, length, tiles, k, 8 * k, counters.address,
            tickets + 4 * k, states.address, 0, *addresses,
        )  # fmt: skip
        source = target


def _deliver(
    work: Work, out: Strided, a: Strided, axis: int, positions: bool, stable: bool = False
) -> None:
    """Sort along an axis, and write the elements or the positions."""
    rows = work.contiguous(a.moved_last(axis))
    target = out.moved_last(axis)
    result = target if target.contiguous else work.empty(target.shape, out.dtype)
    _order(work, rows, result, positions, stable)
    if result is not target:
        work.copy(result, target)


def _order(
    work: Work, rows: Strided, result: Strided, positions: bool, stable: bool = False
) -> None:
    length, width = rows.shape[-1], _width_of_warp(rows, positions, stable)
    if length <= tuning.row().sort_of_thread:
        source = warp_sort.short_source(rows.dtype, length, positions, stable)
        count, threads = rows.size // length, tuning.row().sort_threads
        ends = rows.address, result.address
        work.launch_blocks(source, -(-count // threads), count, length, *ends, threads=threads)
    elif width is not None:
        source = warp_sort.sort_source(rows.dtype, width, positions, stable)
        count = rows.size // length
        blocks = -(-count // warp_sort.rows_of_block(width))
        work.launch_blocks(source, blocks, count, length, rows.address, result.address)
    elif length >= tuning.row().sort_digits:
        _swept(work, rows, result, positions)
    else:
        _merged(work, rows, result, 0 if positions else rows.dtype.itemsize)


def _width_of_warp(rows: Strided, positions: bool, stable: bool) -> int | None:
    """Return the elements that a row takes of a warp that sorts it; None if no warp does."""
    most = tuning.row().sort_of_warp
    if rows.dtype.itemsize == 8 or positions or stable:
        most //= 2  # wider items, whose code takes as long to compile
    return next((w for w in tuning.row().warp_widths if rows.shape[-1] <= w <= most), None)


def sorted_rows(work: Work, rows: Strided) -> Strided:
    """Return the elements of each row in order, NaN last.

    Parameters
    ----------
    work : Work
        Where to queue it.
    rows : Strided
        A contiguous matrix, not empty.
    """
    result = work.empty(rows.shape, rows.dtype)
    _order(work, rows, result, False)
    return result


@on_device(np.sort, _OWN, _refuse, captured=True)
def _sort(
    work: Work, out: Strided, a: Strided, axis: int = -1, kind: Any = None, stable: Any = None
) -> None:
    # Of floats alone, equal elements differ: zeros by their signs, NaN by their bits.
    is_stable = bool(stable) or (kind or "q")[0].lower() in "ms"
    _deliver(work, out, a, axis, False, is_stable and kind_of(a.dtype) == "f")


@on_device(np.argsort, _OWN, _refuse, captured=True)
def _argsort(
    work: Work, out: Strided, a: Strided, axis: int = -1, kind: Any = None, stable: Any = None
) -> None:
    _deliver(work, out, a, axis, True)


def _refuse_partition(out: Strided, a: Strided, kth: Any, **keywords: Any) -> str | None:
    return _refuse(out, a, **keywords)


@on_device(np.partition, _OWN, _refuse_partition, captured=True)
def _partition(work: Work, out: Strided, a: Strided, kth: Any, axis: int = -1) -> None:
    # All are put in their places, not those at `kth` alone.
    _deliver(work, out, a, axis, False)


@on_device(np.argpartition, _OWN, _refuse_partition, captured=True)
def _argpartition(work: Work, out: Strided, a: Strided, kth: Any, axis: int = -1) -> None:
    _deliver(work, out, a, axis, True)


def refuse_part(
    out: Strided, a: Strided, axis: int, count: int, last: bool, positions: bool
) -> str | None:
    """Return why elements are not selected here, or None.

    Parameters
    ----------
    out : Strided
        The result.
    a, axis, count, last, positions
        As of :func:`lazyarr.ops.library.sorted_part`.
    """
    row, length = tuning.row(), a.shape[axis]
    if length < max(row.part_length, row.part_share * count) or count > row.part_count:
        return f"{count} of {length} elements are sorted faster"
    return _refuse(out, a, axis=axis)


def sorted_part(
    work: Work, out: Strided, a: Strided, axis: int, count: int, last: bool, positions: bool
) -> None:
    """Queue the selection of the first or last elements of a sorted array.

    Parameters
    ----------
    work : Work
        Where to queue it.
    out : Strided
        The result.
    a, axis, count, last, positions
        As of :func:`lazyarr.ops.library.sorted_part`.
    """
    rows, target = work.contiguous(a.moved_last(axis)), out.moved_last(axis)
    result = target if target.contiguous else work.empty(target.shape, out.dtype)
    length, row = rows.shape[-1], tuning.row()
    blocks = rows.size // length
    pieces = max(1, min(row.part_blocks // blocks, length // row.part_piece))
    first = int(not last)
    if count <= WARP and (blocks >= row.part_warps or length <= row.part_short):
        source = merge_sort.few_source(a.dtype, last, positions)
        warps = THREADS // WARP
        ends = rows.address, result.address
        work.launch_blocks(source, -(-blocks // warps), blocks, length, count, first, *ends)
    elif pieces == 1:
        source = merge_sort.part_source(a.dtype, last, positions)
        ends = rows.address, result.address
        work.launch_blocks(source, blocks, length, 1, count, first, length, *ends)
    else:
        gathered = pieces * count
        keys = work.empty((blocks * gathered,), merge_sort.key_dtype(a.dtype))
        places = work.empty((blocks * gathered,), _U4)
        between = keys.address, places.address
        source = merge_sort.part_source(a.dtype, last, positions, whole=False)
        work.launch_blocks(
            source, blocks * pieces, length, pieces, count, 1, length, rows.address, *between
        )
        source = merge_sort.part_source(a.dtype, last, positions, gathered=True)
        addresses = rows.address, *between, result.address
        work.launch_blocks(source, blocks, gathered, 1, count, first, length, *addresses)
    if result is not target:
        work.copy(result, target)
