"""Extremes of rows that fall on the same place, by kernels of our own."""

from __future__ import annotations

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import placed_extremes
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.placed_rows import PlacedRows
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["negated", "take_extremes"]

_U4 = np.dtype(np.uint32)


def take_extremes(work: Work, rows: PlacedRows, least: bool) -> None:
    """Queue the extremes of rows at places and of what is there at first.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    rows : PlacedRows
        The rows, of the dtype of the result; which has room for ranks meanwhile.
    least : bool
        Whether the extremes are the least numbers, or else the largest.
    """
    out, start, places, values = rows.out, rows.start, rows.places, rows.values
    dtype, total = out.dtype, rows.rows * rows.width
    is_float = kind_of(dtype) == "f"
    special = work.zeros((1,), _U4)
    ties = work.zeros((out.size if is_float else 0,), _U4)
    few, many = _blocks(out.size), _blocks(total)
    begin = placed_extremes.begin_source(dtype, least)
    work.launch_blocks(
        begin, few, few, out.size, rows.lead, start.address, out.address, special.address
    )
    arguments = many, total, *rows.sizes, places.address, values.address, out.address
    work.launch_blocks(
        placed_extremes.raise_source(dtype, places.dtype, least),
        many,
        *arguments,
        special.address,
        work.report,
    )
    if is_float:
        settle = placed_extremes.settle_source(dtype, places.dtype, least)
        ends = special.address, ties.address, work.report
        work.launch_blocks(settle, many, *arguments, *ends)
    work.launch_blocks(
        placed_extremes.end_source(dtype, least),
        few,
        few,
        out.size,
        rows.width,
        rows.step,
        rows.lead,
        start.address,
        values.address,
        special.address,
        ties.address,
        out.address,
    )


def _blocks(total: int) -> int:
    return min(-(-total // THREADS), tuning.row().sort_blocks)


def negated(work: Work, values: Strided) -> Strided:
    """Return contiguous numbers with the other sign; those without one wrap.

    Parameters
    ----------
    work : Work
        Where to queue it.
    values : Strided
        Contiguous numbers.
    """
    result = work.empty(values.shape, values.dtype)
    source = placed_extremes.negate_source(values.dtype)
    work.launch(source, values.size, values.size, values.address, result.address)
    return result
