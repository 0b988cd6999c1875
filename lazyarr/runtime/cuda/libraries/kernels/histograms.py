"""The kernel that counts in bins of equal widths: CUDA C without a header."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["count_source", "tile"]

DType = np.dtype[Any]


def tile() -> int:
    """Return the number of values that a block looks at at once."""
    return THREADS * tuning.row().search_items


@cache
def count_source(values: DType, edges: DType, scaled: DType) -> Source:
    """Return the kernel that counts values in bins.

    Parameters
    ----------
    values, edges : numpy.dtype
        Of the values, and of the edges of the bins.
    scaled : numpy.dtype
        In which a value's share of the bins is computed.
    """
    text = kernel_text(
        "histograms.cuh",
        "count",
        threads=THREADS,
        items=tuning.row().search_items,
        room=tuning.row().places_held,
        value=NAMES[values],
        edge=NAMES[edges],
        scaled=NAMES[scaled],
    )
    ends = dict.fromkeys(("lowest", "highest", "first", "span"), np.dtype(np.float64))
    pointers = {"values": values, "edges": edges, "counts": np.dtype(np.uint64)}
    return kernel_source(text, {**int64s("blocks", "total", "bins"), **ends}, pointers)
