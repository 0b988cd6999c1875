"""Kernels that keep the elements that a mask selects: CUDA C without a header."""

from __future__ import annotations

from functools import cache

import numpy as np

from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["TILE", "places_source", "rows_source"]

_ITEMS = tuning.row().selected_items
_WARPS = THREADS // WARP
#: Entries of a mask that a block looks at.
TILE = THREADS * _ITEMS

_I8 = np.dtype(np.int64)
_U1 = np.dtype(np.uint8)
_U4 = np.dtype(np.uint32)
_U8 = np.dtype(np.uint64)


@cache
def places_source() -> Source:
    """Return the kernel that writes where a mask is true, in order.

    Blocks take tiles in turn; each adds up how many entries are true in the tiles before its own,
    which blocks that began earlier publish.
    """
    text = kernel_text(
        "compaction.cuh",
        "places",
        threads=THREADS,
        warps=_WARPS,
        items=_ITEMS,
        warp_items=WARP * _ITEMS,
        tile=TILE,
    )
    return kernel_source(
        text, int64s("total"), {"ticket": _U4, "states": _U8, "mask": _U1, "places": _I8}
    )


@cache
def rows_source(itemsize: int) -> Source:
    """Return the kernel that copies rows by their positions."""
    name, dtype = word(itemsize)
    text = kernel_text("compaction.cuh", "rows", threads=THREADS, word=name)
    return kernel_source(
        text, int64s("total", "width"), {"from": dtype, "places": _I8, "to": dtype}
    )
