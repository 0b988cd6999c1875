"""Kernels that add rows at places, from tiles in the order of buckets: CUDA C without a header.

A bucket is a range of places, whose number is a power of two. The rows of a tile are put in the
order of their buckets in shared memory, and nothing is known of other tiles, so that this takes one
pass over memory. Where those of each bucket begin in each tile is written to a table. A warp then
holds the sums of a bucket in shared memory, and adds its numbers, tile by tile: all that it looks
at together at once, but for those of the same place, which it adds in their order. Where there is
room for the sums of all buckets, rows of several numbers do not move: all warps go through the
tiles side by side, and read rows that lie in the L2 cache.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import ITEM, NAMES, DType, placed_text
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = [
    "Buckets",
    "bucket_bytes",
    "bucket_source",
    "buckets_of",
    "gathered_bytes",
    "gathered_source",
    "has_room",
    "partition_source",
    "span_of",
]

_U2 = np.dtype(np.uint16)
_U4 = np.dtype(np.uint32)


class Buckets(NamedTuple):
    """Ranges of places, of as many each.

    Attributes
    ----------
    low : int
        Bits that tell places of a bucket apart.
    most : int
        Buckets of a tile at most, a power of two.
    """

    low: int
    most: int


def buckets_of(count: int, row_bytes: int) -> Buckets:
    """Return the buckets of places: more where the sums of one would take much shared memory.

    Parameters
    ----------
    count : int
        Of places.
    row_bytes : int
        Of the sums of a place.
    """
    row = tuning.row()
    most = row.partition_buckets
    low = max(1, (count - 1).bit_length() - _bits(most))
    if low > 1 and row_bytes << low > row.partition_bucket_bytes:
        return Buckets(low - 1, 2 * most)
    return Buckets(low, most)


def bucket_bytes(dtype: DType, low: int, width: int) -> int:
    """Return the bytes of shared memory of a warp.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the sums.
    low, width : int
        Bits that tell places of a bucket apart, and numbers of a row.
    """
    return (width * dtype.itemsize + 1) << low


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


def _bits(power: int) -> int:
    return power.bit_length() - 1


@cache
def partition_source(
    values: DType, places: DType, buckets: Buckets, width: int, moves: bool = True
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
    """
    row = tuning.row()
    threads, tile = row.partition_threads, row.partition_tile
    each, warps = tile // threads, threads // WARP
    text = placed_text("placed") + kernel_text("radix_sort.cuh", "before", warps=warps)
    text += kernel_text(
        "partitioned_sums.cuh",
        "partition",
        threads=threads,
        occupancy=row.partition_occupancy,
        warps=warps,
        tile=tile,
        row_bits=_bits(tile),
        each=each,
        loads=min(each, row.partition_loads),
        buckets=buckets.most,
        own=-(-buckets.most // threads),
        low=buckets.low,
        last_place=(1 << buckets.low) - 1,
        width=width,
        moves=int(moves),
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
            "starts": _U2,
            "near": _U4,
            "moved": values,
            "other": _U4,
            "far": ITEM,
        },
    )
    staged = values.itemsize if width == 1 else 0
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
    warps = row.partition_warps
    text = _find(buckets) + kernel_text(
        "partitioned_sums.cuh",
        "bucket",
        threads=warps * WARP,
        warps=warps,
        room=WARP * WARP,
        tile=row.partition_tile,
        row_bits=_bits(row.partition_tile),
        bucket_places=1 << buckets.low,
        last_place=(1 << buckets.low) - 1,
        batch=row.partition_batch,
        width=width,
        number=NAMES[dtype],
        value=NAMES[values],
    )
    source = kernel_source(
        text,
        int64s("blocks", "rows", "count", "lead", "most"),
        {
            "needed": _U4,
            "starts": _U2,
            "near": _U4,
            "moved": values,
            "start": dtype,
            "out": dtype,
            "other": _U4,
        },
    )
    return replace(source, shared_bytes=warps * bucket_bytes(dtype, buckets.low, width))


@cache
def gathered_source(dtype: DType, values: DType, buckets: Buckets, width: int, span: int) -> Source:
    """Return the kernel that adds up the rows of buckets, which did not move.

    Parameters
    ----------
    dtype, values : numpy.dtype
        Of the sums, and of the numbers.
    buckets, width : Buckets, int
        As for :func:`partition_source`.
    span : int
        Tiles of which a warp loads rows at once, as of :func:`span_of`.
    """
    row = tuning.row()
    text = kernel_text("radix_sort.cuh", "lanes", digit_bits=buckets.low) + _find(buckets)
    text += kernel_text(
        "partitioned_sums.cuh",
        "gathered",
        tile=row.partition_tile,
        row_bits=_bits(row.partition_tile),
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
            "starts": _U2,
            "near": _U4,
            "values": values,
            "start": dtype,
            "out": dtype,
            "other": _U4,
        },
    )
    return replace(source, shared_bytes=gathered_bytes(dtype, buckets.low, width))


def span_of(in_use: int) -> int:
    """Return the tiles of which a warp loads rows at once: its registers have room for most.

    Parameters
    ----------
    in_use : int
        Buckets.
    """
    row = tuning.row()
    mean = row.partition_tile / in_use
    return WARP if mean <= row.gathered_fill * row.gathered_batch else WARP // 2


def _find(buckets: Buckets) -> str:
    tile, most = tuning.row().partition_tile, buckets.most
    sizes = {"tile": tile, "buckets": most, "last_bucket": most - 1}
    return kernel_text("partitioned_sums.cuh", "find", **sizes)
