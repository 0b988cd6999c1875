"""The kernel that adds rows of several numbers where they lie: CUDA C without a header.

Tiles in the order of buckets, as of :mod:`partitioned_sums`, say where the rows of a bucket lie. A
block puts these in the order of their places in shared memory, and neighbouring threads add the
numbers of a row. So wide rows are read once, and the result is written once.
"""

from __future__ import annotations

from functools import cache

import numpy as np

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
from lazyarr.runtime.cuda.libraries.kernels.row_maps import map_names, map_pointers, mapped_text
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["row_buckets", "rows_source"]

_U4 = np.dtype(np.uint32)


def row_buckets(rows: int, count: int) -> Buckets:
    """Return buckets whose rows a block has room for.

    Parameters
    ----------
    rows, count : int
        Rows, and places.
    """
    row = tuning.row()
    low = max(1, (count - 1).bit_length())
    while low > 1 and (
        1 << low > row.lists_places
        or rows << low > count * row.lists_mean
        or count >> low < row.partition_units
    ):
        low -= 1
    return buckets_of(1 << low, count, rows)


@cache
def rows_source(
    dtype: DType, values: DType, buckets: Buckets, width: int, steps: str = ""
) -> Source:
    """Return the kernel that adds up the rows of buckets.

    Parameters
    ----------
    dtype, values : numpy.dtype
        Of the sums, and of the numbers.
    buckets : Buckets
        The ranges of places.
    width : int
        Numbers of a row.
    steps : str, optional
        Operations with numbers on what is added.
    """
    row = tuning.row()
    threads, tile, places = row.lists_threads, buckets.tile, 1 << buckets.low
    each, warps = row.lists_each, threads // WARP
    vector = max(1, row.places_pack // max(dtype.itemsize, values.itemsize))
    # Threads of few places read many rows each.
    while width % vector or (vector > 1 and places * (width // vector) < threads):
        vector //= 2
    is_brief = places * (width // vector) > threads
    is_dense = buckets.low <= row.lists_dense
    by_warps = f"warp * {each * WARP} + i * {WARP} + lane"
    text = kernel_text("radix_sort.cuh", "before", warps=warps) + find_text(buckets)
    if is_dense:
        text += kernel_text("radix_sort.cuh", "lanes", digit_bits=buckets.low)
    text += mapped_text(steps, values) + kernel_text(
        "bucket_rows.cuh",
        "rows",
        **map_names(steps, values),
        threads=threads,
        occupancy=row.lists_occupancy,
        warps=warps,
        each=each,
        room=each * threads,
        position=by_warps if is_dense else f"i * {threads} + threadIdx.x",
        dense=int(is_dense),
        tile=tile,
        row_bits=last_row(tile).bit_length(),
        last_row=last_row(tile),
        places=places,
        own=-(-places // threads),
        width=width,
        vector=vector,
        across=width // vector,
        value_bytes=vector * values.itemsize,
        number_bytes=vector * dtype.itemsize,
        sums=row.lists_sums if is_brief else 1,
        batch=row.lists_batch if is_brief else row.lists_ahead,
        number=NAMES[dtype],
        value=NAMES[values],
    )
    return kernel_source(
        text,
        int64s("rows", "count", "lead", "most"),
        {
            "needed": _U4,
            "table": _U4,
            "near": _U4,
            "values": values,
            "start": dtype,
            "out": dtype,
            "other": _U4,
            **map_pointers(steps, values),
        },
    )
