"""Kernels that add rows at places, bucket by bucket: CUDA C without a header.

A bucket is a range of places, whose number is a power of two. Rows that lie in the order of their
buckets, and in a bucket in the order in which they came, are put in the order of their places in
shared memory. So fewer passes over memory order them than a sort would need. Where a bucket has
some places of many rows, a warp ranks rows by ballots, as the passes do; else each place counts its
rows, and the few of a place are ordered by one thread.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import radix_sort
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.ordered_sums import ordered_text
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import ITEM, NAMES, DType, placed_text
from lazyarr.runtime.cuda.libraries.kernels.row_maps import map_names, mapped_text
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["bucket_bits", "bucket_source", "is_dense"]

_U4 = np.dtype(np.uint32)
_DIGIT = radix_sort.DIGITS.bit_length() - 1


def bucket_bits(rows: int, count: int) -> int:
    """Return the low bits of a place, which tell places of a bucket apart.

    Parameters
    ----------
    rows, count : int
        Rows, and places.
    """
    row, bits = tuning.row(), max(1, (count - 1).bit_length())
    widest = min(bits, row.buckets_places.bit_length() - 1)
    # What one pass less costs may be several chunks of a bucket.
    most = count * row.buckets_chunk * row.buckets_chunks
    low = max(1, bits - _DIGIT)
    while low > 1 and (low > widest or rows << low > most):
        low = max(1, low - _DIGIT)
    while low < widest and rows << low + 1 <= count * row.buckets_mean:
        low += 1
    return low


def is_dense(low: int) -> bool:
    """Return whether a thread of a block may look after each place of a bucket.

    Parameters
    ----------
    low : int
        Bits that tell places of a bucket apart.
    """
    return 1 << low <= radix_sort.DIGITS


@cache
def bucket_source(
    dtype: DType, values: DType, places: DType, carried: bool, single: bool, dense: bool
) -> Source:
    """Return the kernel that adds up the rows of buckets.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    carried : bool
        Whether an item holds the value itself.
    single : bool
        Whether a row is one number: these are staged in shared memory.
    dense : bool
        Whether rows are ranked by ballots.
    """
    row = tuning.row()
    chunk, warps = row.buckets_chunk, THREADS // WARP
    names = {"number": NAMES[dtype], "value": NAMES[values], "place": NAMES[places]}
    text = placed_text("placed") + mapped_text("", values)
    text += ordered_text("ordered", carried=int(carried), **names, **map_names("", values))
    text += ordered_text("range", warps=warps, **names)
    text += kernel_text("radix_sort.cuh", "before", warps=warps)
    if dense:
        text += kernel_text("radix_sort.cuh", "lanes", digit_bits=_DIGIT)
    by_warps = f"warp * {chunk // warps} + i * {WARP} + lane"
    text += kernel_text(
        "bucket_sums.cuh",
        "bucket",
        threads=THREADS,
        warps=warps,
        digits=radix_sort.DIGITS,
        chunk=chunk,
        each=chunk // THREADS,
        words=row.buckets_places // 2,
        position=by_warps if dense else f"i * {THREADS} + (int)threadIdx.x",
        staged=int(single),
        dense=int(dense),
        short=row.buckets_short,
        batch=row.buckets_batch,
        **names,
    )
    return kernel_source(
        text,
        int64s("blocks", "rows", "count", "width", "step", "lead", "low", "most"),
        {
            "needed": _U4,
            "places": places,
            "values": values,
            "items": ITEM,
            "start": dtype,
            "out": dtype,
            "other": _U4,
            "far": ITEM,
        },
    )
