"""The kernel that adds numbers at places, each of a thread's own: CUDA C without a header.

Tiles in the order of buckets, as of :mod:`partitioned_sums`, hold the numbers of a bucket almost in
their order. A block lists some thousand of them and ranks them among those of the same class of
places, of which each thread has one: those whose last bits are equal. In shared memory the numbers
of a class lie below each other. A thread puts its own in order, where they are not, and adds one
after another, so that threads never meet.
"""

from __future__ import annotations

from functools import cache
from math import ceil, sqrt

import numpy as np

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.partitioned_sums import (
    Buckets,
    buckets_of,
    find_text,
    last_row,
)
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES, DType
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["owned_buckets", "owned_source"]

_U4 = np.dtype(np.uint32)
#: Bits of a key.
_WORD = 8 * _U4.itemsize


def owned_buckets(rows: int, count: int, itemsize: int) -> Buckets | None:
    """Return the buckets that keep all multiprocessors busy to the end, or None if these are many.

    Parameters
    ----------
    rows, count : int
        Rows, and places.
    itemsize : int
        Bytes of a sum.
    """
    row = tuning.row()
    # All threads have a class, if there are places enough.
    staged = _staged_bytes(row.owned_threads, itemsize) + row.owned_beside
    fitting = []
    for blocks in range(row.owned_least, row.owned_occupancy + 1):
        at_once, room = row.partition_blocks * blocks, row.owned_memory // blocks - staged
        if room >= itemsize:
            fitting.append((-(-count // (at_once * (room // itemsize))), at_once))
    # Of as many rounds, those of more blocks.
    rounds = min(fitting, default=(row.owned_rounds + 1, 0))[0]
    if rounds > row.owned_rounds:
        return None
    at_once = max(at_once for some, at_once in fitting if some == rounds)
    least = min(row.partition_least, count // row.partition_units)
    places = max(2, least, -(-count // (rounds * at_once)))
    buckets = buckets_of(places, count, rows)._replace(most=-(-count // places))
    # A word has room for a row of all, beside the place in a class, and a list for those of a tile.
    tiles = -(-rows // buckets.tile)
    bits = (tiles - 1).bit_length() + last_row(buckets.tile).bit_length() + _place_bits(buckets)
    has_room = bits <= _WORD and buckets.longest <= row.owned_threads * row.owned_each
    return buckets if has_room else None


def _deep(classes: int, room: int) -> int:
    """Return the rows of a class that there is room for."""
    mean = room / classes
    return min(room, ceil(mean + tuning.row().owned_uneven * sqrt(mean)))


def _staged_bytes(classes: int, itemsize: int) -> int:
    """Return the bytes of the rows of a list, and of their keys."""
    row = tuning.row()
    room = row.owned_threads * row.owned_each
    return _deep(classes, room) * classes * (itemsize + _U4.itemsize)


def _place_bits(buckets: Buckets) -> int:
    """Return the bits that tell places of a class apart."""
    return max(0, buckets.low - (tuning.row().owned_threads - 1).bit_length())


@cache
def owned_source(dtype: DType, values: DType, buckets: Buckets) -> Source:
    """Return the kernel that adds up the numbers of buckets.

    Parameters
    ----------
    dtype, values : numpy.dtype
        Of the sums, and of the numbers.
    buckets : Buckets
        The ranges of places.
    """
    row = tuning.row()
    threads, each, places = row.owned_threads, row.owned_each, buckets.places
    warps, room = threads // WARP, threads * each
    classes = min(threads, 1 << buckets.low)
    single = places <= threads
    sums_bytes = 0 if single else dtype.itemsize * places
    # What is ordered begins where any number may.
    sums_bytes = -(-sums_bytes // 16) * 16
    text = (
        kernel_text("radix_sort.cuh", "before", warps=warps)
        + find_text(buckets)
        + kernel_text(
            "owned_sums.cuh",
            "owned",
            threads=threads,
            occupancy=row.owned_occupancy,
            warps=warps,
            each=each,
            room=room,
            classes=classes,
            deep=_deep(classes, room),
            single=int(single),
            sums_bytes=sums_bytes,
            row_bits=last_row(buckets.tile).bit_length(),
            last_row=last_row(buckets.tile),
            place_bits=_place_bits(buckets),
            last_place=(1 << _place_bits(buckets)) - 1,
            tile=buckets.tile,
            bucket_places=places,
            batch=row.owned_batch,
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
    listed = _U4.itemsize * (room + warps * classes)
    staged = _staged_bytes(classes, values.itemsize)
    return replace(source, shared_bytes=sums_bytes + max(listed, staged))
