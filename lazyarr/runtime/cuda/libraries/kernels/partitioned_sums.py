"""Kernels that add rows at places, from tiles in the order of buckets: CUDA C without a header.

A bucket is a range of places, whose number is a power of two. The rows of a tile are put in the
order of their buckets in shared memory, and nothing is known of other tiles, so that this takes one
pass over memory. Where those of each bucket begin in each tile is written to a table. A block then
holds the sums of a bucket in shared memory, and adds its numbers, some hundred at a time in the
order of tiles: of those that fall on one place, the first ones, then the second ones, and so on.
Where there is room for the sums of all buckets, rows of several numbers do not move: a warp takes
each, all go through the tiles side by side, and read rows that lie in the L2 cache.
"""

from __future__ import annotations

from functools import cache
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import ITEM, NAMES, DType, placed_text
from lazyarr.runtime.cuda.libraries.kernels.row_maps import map_names, map_pointers, mapped_text
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = [
    "Buckets",
    "bucket_bytes",
    "bucket_source",
    "buckets_of",
    "find_text",
    "gathered_bytes",
    "gathered_source",
    "has_bits",
    "has_room",
    "last_row",
    "moved_buckets",
    "partition_source",
    "span_of",
    "unmoved_buckets",
]

_U4 = np.dtype(np.uint32)
#: Bits of a word.
_WORD = 8 * _U4.itemsize


class Buckets(NamedTuple):
    """Ranges of places, of as many each, and tiles of rows.

    Attributes
    ----------
    low : int
        Bits that tell places of a bucket apart.
    most : int
        Buckets of a tile at most, a power of two.
    tile : int
        Rows of a tile.
    longest : int
        Rows of a bucket in a tile at most.
    places : int
        Places of a bucket.
    """

    low: int
    most: int
    tile: int
    longest: int
    places: int


def buckets_of(places: int, count: int, rows: int) -> Buckets:
    """Return the buckets of so many places each.

    Parameters
    ----------
    places : int
        Of a bucket.
    count, rows : int
        Places in all, and rows.
    """
    row, tile = tuning.row(), _tile_of(rows)
    in_use, low = -(-count // places), max(1, (places - 1).bit_length())
    mean = tile / in_use
    longest = mean + row.partition_uneven * sqrt(mean) + row.partition_round
    longest -= longest % row.partition_round
    return Buckets(low, 1 << (in_use - 1).bit_length(), tile, min(tile, int(longest)), places)


def has_bits(count: int, buckets: Buckets) -> bool:
    """Return whether a place and a rank among the rows of a bucket fit into a word.

    Parameters
    ----------
    count : int
        Of places.
    buckets : Buckets
        The ranges of places.
    """
    return (count - 1).bit_length() + _bits(buckets.longest - 1) <= _WORD


def moved_buckets(rows: int, count: int, row_bytes: int) -> Buckets:
    """Return the buckets of rows that move: few, but blocks enough, which have room for the sums.

    Parameters
    ----------
    rows, count : int
        Rows, and places.
    row_bytes : int
        Of the sums of a place.
    """
    row = tuning.row()
    low = max(1, (count - 1).bit_length())
    each = row_bytes + _U4.itemsize
    while low > 1 and (each << low > row.partition_bytes or count >> low < row.partition_units):
        low -= 1
    return buckets_of(1 << low, count, rows)


def unmoved_buckets(rows: int, count: int, row_bytes: int) -> Buckets:
    """Return the buckets of rows that do not move: more where sums take much shared memory.

    Parameters
    ----------
    rows, count, row_bytes : int
        As for :func:`moved_buckets`.
    """
    row = tuning.row()
    low = max(1, (count - 1).bit_length() - _bits(row.gathered_buckets - 1))
    if low > 1 and row_bytes << low > row.gathered_bucket_bytes:
        low -= 1
    return buckets_of(1 << low, count, rows)._replace(longest=WARP)


def _tile_of(rows: int) -> int:
    """Return the rows of a tile: as many as leave few multiprocessors without one at the end."""
    row = tuning.row()
    threads, blocks = row.partition_threads, row.partition_blocks * row.partition_occupancy
    most = row.partition_tile // threads

    def busy(each: int) -> float:
        rounds = -(-rows // (each * threads)) / blocks
        return rounds / ceil(rounds)

    sizes = range(most, max(1, most // 2) - 1, -1)
    fitting = (each for each in sizes if busy(each) >= row.partition_busy)
    return threads * next(fitting, max(sizes, key=busy))


def bucket_bytes(dtype: DType, low: int, width: int) -> int:
    """Return the bytes of shared memory of a block for the sums of a bucket.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the sums.
    low, width : int
        Bits that tell places of a bucket apart, and numbers of a row.
    """
    return (width * dtype.itemsize + _U4.itemsize) << low


def gathered_bytes(dtype: DType, low: int, width: int) -> int:
    """Return the bytes of shared memory of a warp that reads rows where they are.

    Parameters
    ----------
    dtype, low, width : numpy.dtype, int, int
        As for :func:`bucket_bytes`.
    """
    return width * dtype.itemsize << low


def has_room(in_use: int, nbytes: int) -> bool:
    """Return whether all buckets are added up at the same time.

    Parameters
    ----------
    in_use : int
        Buckets.
    nbytes : int
        Of the sums of one.
    """
    row = tuning.row()
    return in_use <= row.gathered_units * min(row.gathered_blocks, row.gathered_bytes // nbytes)


def _bits(last: int) -> int:
    return last.bit_length()


@cache
def partition_source(
    values: DType,
    places: DType,
    buckets: Buckets,
    width: int,
    moves: bool = True,
    steps: str = "",
    sorts: bool = False,
) -> Source:
    """Return the kernel that puts the numbers of each tile in the order of their buckets.

    Parameters
    ----------
    values, places : numpy.dtype
        Of the numbers, and of their places.
    buckets : Buckets
        The ranges of places.
    width : int
        Numbers of a row.
    moves : bool, optional
        Whether rows of several numbers move.
    steps : str, optional
        Operations with numbers on what moves.
    sorts : bool, optional
        Whether the rows of a bucket are put in order.
    """
    row = tuning.row()
    threads, tile = row.partition_threads, buckets.tile
    each, warps = tile // threads, threads // WARP
    text = placed_text("placed") + kernel_text("radix_sort.cuh", "before", warps=warps)
    names = map_names(steps, values)
    del names["values"]
    text += mapped_text(steps, values) + kernel_text(
        "partitioned_sums.cuh",
        "partition",
        **names,
        threads=threads,
        occupancy=row.partition_occupancy,
        warps=warps,
        tile=tile,
        row_bits=_bits(tile - 1),
        last_row=last_row(tile),
        each=each,
        loads=max(n for n in range(1, row.partition_loads + 1) if each % n == 0),
        buckets=buckets.most,
        ranks=1 << _bits(buckets.longest - 1),
        longest=buckets.longest,
        own=-(-buckets.most // threads),
        bucket_places=buckets.places,
        width=width,
        moves=int(moves),
        sorts=int(sorts),
        value=NAMES[values],
        place=NAMES[places],
    )
    source = kernel_source(
        text,
        int64s("blocks", "rows", "count"),
        {
            "needed": _U4,
            "places": places,
            "values": values,
            "starts": _U4,
            "near": _U4,
            "moved": values,
            "other": _U4,
            "far": ITEM,
            **map_pointers(steps, values),
        },
    )
    staged = values.itemsize if width == 1 and moves else 0
    return replace(source, shared_bytes=tile * (staged + _U4.itemsize))


@cache
def bucket_source(dtype: DType, values: DType, buckets: Buckets, width: int) -> Source:
    """Return the kernel that adds up the numbers of buckets.

    Parameters
    ----------
    dtype, values : numpy.dtype
        Of the sums, and of the numbers.
    buckets, width : Buckets, int
        As for :func:`partition_source`.
    """
    row = tuning.row()
    threads, tile = row.rounds_threads, buckets.tile
    warps = threads // WARP
    text = (
        kernel_text("radix_sort.cuh", "before", warps=warps)
        + find_text(buckets)
        + kernel_text(
            "partitioned_sums.cuh",
            "bucket",
            threads=threads,
            occupancy=row.rounds_occupancy,
            warps=warps,
            piece=threads * row.rounds_batch,
            room=threads * row.rounds_batch * row.rounds_listed,
            last_row=last_row(tile),
            tile=tile,
            row_bits=_bits(tile - 1),
            bucket_places=1 << buckets.low,
            batch=row.rounds_batch,
            width=width,
            number=NAMES[dtype],
            value=NAMES[values],
        )
    )
    source = kernel_source(
        text,
        int64s("rows", "count", "lead", "most"),
        {
            "needed": _U4,
            "starts": _U4,
            "near": _U4,
            "moved": values,
            "start": dtype,
            "out": dtype,
            "other": _U4,
        },
    )
    return replace(source, shared_bytes=bucket_bytes(dtype, buckets.low, width))


@cache
def gathered_source(
    dtype: DType, values: DType, buckets: Buckets, width: int, span: int, steps: str = ""
) -> Source:
    """Return the kernel that adds up the rows of buckets, which did not move.

    Parameters
    ----------
    dtype, values : numpy.dtype
        Of the sums, and of the numbers.
    buckets, width : Buckets, int
        As for :func:`partition_source`.
    span : int
        Tiles of which a warp loads rows at once, as of :func:`span_of`.
    steps : str, optional
        Operations with numbers on what is added.
    """
    row = tuning.row()
    text = kernel_text("radix_sort.cuh", "lanes", digit_bits=buckets.low) + find_text(buckets)
    text += mapped_text(steps, values) + kernel_text(
        "partitioned_sums.cuh",
        "gathered",
        **map_names(steps, values),
        tile=buckets.tile,
        row_bits=_bits(buckets.tile - 1),
        last_row=last_row(buckets.tile),
        bucket_places=1 << buckets.low,
        batch=row.gathered_batch,
        span=span,
        width=width,
        number=NAMES[dtype],
        value=NAMES[values],
    )
    source = kernel_source(
        text,
        int64s("rows", "count", "lead", "most"),
        {
            "needed": _U4,
            "starts": _U4,
            "near": _U4,
            "values": values,
            "start": dtype,
            "out": dtype,
            "other": _U4,
            **map_pointers(steps, values),
        },
    )
    return replace(source, shared_bytes=gathered_bytes(dtype, buckets.low, width))


def span_of(in_use: int, tile: int) -> int:
    """Return the tiles of which a warp loads rows at once: its registers have room for most.

    Parameters
    ----------
    in_use, tile : int
        Buckets, and rows of a tile.
    """
    row = tuning.row()
    mean = tile / in_use
    return WARP if mean <= row.gathered_fill * row.gathered_batch else WARP // 2


def last_row(tile: int) -> int:
    """Return the bits of a word that hold the row of a tile."""
    return (1 << _bits(tile - 1)) - 1


def find_text(buckets: Buckets) -> str:
    """Return the function that finds the rows of a bucket in a tile."""
    sizes = {"tile": buckets.tile, "buckets": buckets.most}
    return kernel_text("partitioned_sums.cuh", "find", **sizes)
