"""The kernel that adds up rows that blocks look for among all rows: CUDA C without a header.

Each block has some neighbouring places. It lists the rows that fall on them in shared memory, in
their order, and a warp adds up the rows of a place. So one kernel does what several small ones take
longer for: to put the rows in the order of their places, and to add them up.
"""

from __future__ import annotations

from functools import cache

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import ITEM, NAMES, DType, placed_text
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["places_of_block", "scanned_source"]


def places_of_block(count: int) -> int:
    """Return the places of each block, for as many blocks as there are multiprocessors."""
    return -(-count // tuning.row().scanned_blocks)


@cache
def scanned_source(dtype: DType, values: DType, places: DType, width: int, high: int) -> Source:
    """Return the kernel that adds up rows of all places.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    width : int
        Numbers of a row, no more than a warp has lanes.
    high : int
        Places of a block, rounded up to a power of two.
    """
    row = tuning.row()
    threads = row.scanned_threads
    row_bits = (row.scanned_rows - 1).bit_length()
    across = 1 << (width - 1).bit_length()
    # A warp adds up so many rows at a time: loads of a lane, each of which is of a row or of some.
    loads = min(row.scanned_loads, row.scanned_noted * across // WARP)
    text = placed_text("placed") + kernel_text(
        "scanned_sums.cuh",
        "sums",
        threads=threads,
        warps=threads // WARP,
        items=row.scanned_items,
        room=2 * threads * row.scanned_items,
        row_bits=row_bits,
        last_row=(1 << row_bits) - 1,
        width=width,
        across=across,
        loads=loads,
        noted=loads * WARP // across,
        number=NAMES[dtype],
        value=NAMES[values],
        place=NAMES[places],
    )
    source = kernel_source(
        text,
        int64s("rows", "count", "step", "lead", "high"),
        {"places": places, "values": values, "start": dtype, "out": dtype, "far": ITEM},
    )
    staged = threads * loads
    return replace(source, shared_bytes=(staged + high * width) * dtype.itemsize)
