"""Histograms of bins of equal widths, by a kernel of our own."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import histograms
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["count", "refuse_counts"]

#: The order of float64 is that of whole numbers up to this.
_EXACT = 1 << 53


def refuse_counts(
    out: Strided, values: Strided, edges: Strided, low: Any, high: Any, weights: Any = None
) -> str | None:
    """Return the reason for which the host counts, or None.

    Parameters
    ----------
    out : Strided
        The counts.
    values, edges, low, high, weights
        As of :func:`lazyarr.ops.histograms.counted`.
    """
    if weights is not None:
        return "weights= is left to NumPy"
    if values.dtype not in NAMES or edges.dtype not in NAMES:
        return f"no histogram of {values.dtype.name} on a GPU"
    if max(abs(low), abs(high)) > _EXACT and kind_of(values.dtype) != "f":
        return "ends that float64 does not hold"
    return None


def count(work: Work, out: Strided, values: Strided, edges: Strided, low: Any, high: Any) -> None:
    """Queue the counts of values between the edges of bins.

    Parameters
    ----------
    work : Work
        Where to queue it.
    out : Strided
        The counts, int64.
    values, edges, low, high
        As of :func:`lazyarr.ops.histograms.counted`.
    """
    if low == high:
        low, high = low - 0.5, high + 0.5
    span = _difference(high, low)
    scaled = np.result_type(edges.dtype, span)
    ends = (_compared(end, values.dtype) for end in (low, high))
    work.clear(out)
    blocks = min(-(-values.size // histograms.tile()), tuning.row().sort_blocks)
    whole, bounds = work.contiguous(values), work.contiguous(edges)
    work.launch_blocks(
        histograms.count_source(values.dtype, edges.dtype, scaled),
        blocks,
        blocks,
        values.size,
        out.size,
        *ends,
        float(low),
        float(span),
        whole.address,
        bounds.address,
        out.address,
    )


def _compared(end: Any, dtype: np.dtype[Any]) -> float:
    """Return an end as it is when NumPy compares elements of a dtype with it."""
    common = np.result_type(dtype, end)
    return float(common.type(end)) if kind_of(common) == "f" else float(end)


def _difference(high: Any, low: Any) -> Any:
    """Return the difference of two numbers, of whole ones without a sign."""
    common = np.result_type(high, low)
    difference = np.subtract(high, low, dtype=common)
    if kind_of(common) == "i":
        return difference.view(f"u{common.itemsize}")
    return difference
