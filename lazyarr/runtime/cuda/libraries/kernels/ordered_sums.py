"""Kernels that add up rows in the order of their places: CUDA C without a header.

They lie in that order as they came, or as items that were put in order. Where places have few rows,
a warp takes those that begin in a tile of rows, and a lane adds up what falls on one of them. Of
others a tile is copied to shared memory; of wide rows the columns are neighbouring threads'. Many
rows of one place are left to a warp or block, and where all places have many, each is a block's.
Rows that are taken as they came may be in no order, which the first block that finds it reports.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import ITEM, NAMES, DType, placed_text
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = [
    "heads_source",
    "lines_source",
    "ordered_text",
    "runs_source",
    "tasks_source",
    "tiles_source",
    "warps_source",
]

_U4 = np.dtype(np.uint32)
#: Names of the numbers of all these kernels.
_NUMBERS = ("blocks", "rows", "count", "width", "step", "lead")


def ordered_text(section: str, **values: object) -> str:
    """Return a section of ``ordered_sums.cuh``.

    Parameters
    ----------
    section : str
        Its name.
    **values
        What the names in it stand for.
    """
    return kernel_text("ordered_sums.cuh", section, threads=THREADS, **values)


def _sums(dtype: DType, values: DType, places: DType, carried: bool) -> tuple[Any, ...]:
    """Return the arrays of kernels that add rows in order, and the text before them."""
    names = {"number": NAMES[dtype], "value": NAMES[values], "place": NAMES[places]}
    text = placed_text("placed") + ordered_text("ordered", carried=int(carried), **names)
    pointers = {
        "places": places,
        "values": values,
        "items": ITEM,
        "mixed": _U4,
        "start": dtype,
        "out": dtype,
        "waiting": _U4,
        "of_warps": _U4,
        "of_blocks": _U4,
        "far": ITEM,
    }
    return pointers, text, names


@cache
def heads_source(dtype: DType, values: DType, places: DType, carried: bool) -> Source:
    """Return the kernel that adds up places with few rows, and lists the others.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    carried : bool
        Whether an item holds the value itself.
    """
    row = tuning.row()
    pointers, text, names = _sums(dtype, values, places, carried)
    most = {"of_thread": row.places_of_thread, "of_warp": row.places_of_warp}
    text += ordered_text("heads", **most, **names)
    return kernel_source(text, int64s(*_NUMBERS), {"needed": _U4, **pointers})


@cache
def tiles_source(
    dtype: DType, values: DType, places: DType, carried: bool, checks: bool = False
) -> Source:
    """Return the kernel that adds up places in shared memory, and lists those with many rows.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    carried : bool
        Whether an item holds the value itself.
    checks : bool, optional
        Whether rows are taken as they came, and may turn out to be in no order.
    """
    row = tuning.row()
    pointers, text, names = _sums(dtype, values, places, carried)
    sizes = {"stage": row.places_stage, "widest": row.places_widest, "of_warp": row.places_of_warp}
    sizes |= {"turns": row.places_stage // THREADS, "carried": int(carried), "checks": int(checks)}
    sizes |= {"gap_most": row.places_gap, "finish": row.places_finish}
    if checks:
        text += _gaps()
    text += kernel_text("tiled_sums.cuh", "tiles", threads=THREADS, **sizes, **names)
    numbers = int64s(*_NUMBERS, "high", "tall", "most")
    far = pointers.pop("far")
    return kernel_source(text, numbers, {"needed": _U4, **pointers, "gaps": _U4, "far": far})


@cache
def warps_source(
    dtype: DType, values: DType, places: DType, carried: bool, single: bool, checks: bool = False
) -> Source:
    """Return the kernel whose warps add up places with few rows, and list the others.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    carried : bool
        Whether an item holds the value itself.
    single : bool
        Whether a row is one number.
    checks : bool, optional
        Whether rows are taken as they came, and may turn out to be in no order.
    """
    row = tuning.row()
    pointers, text, names = _sums(dtype, values, places, carried)
    text += _gaps() + kernel_text(
        "warp_sums.cuh",
        "warps",
        threads=THREADS,
        warps=THREADS // WARP,
        occupancy=row.places_occupancy,
        each=row.places_of_lane,
        tile=row.places_of_lane * WARP,
        sums=row.places_sums,
        batch=row.places_at_once,
        of_thread=min(row.places_of_list, row.places_of_warp),
        of_warp=row.places_of_warp,
        gap_most=row.places_gap,
        carried=int(carried),
        single=int(single),
        checks=int(checks),
        **names,
    )
    far = pointers.pop("far")
    numbers = int64s(*_NUMBERS, "most")
    return kernel_source(text, numbers, {"needed": _U4, **pointers, "gaps": _U4, "far": far})


def _gaps() -> str:
    return ordered_text("gaps", gap_piece=tuning.row().places_gap_piece)


@cache
def lines_source(
    dtype: DType,
    values: DType,
    places: DType,
    carried: bool,
    checks: bool = False,
    lanes: int = WARP,
) -> Source:
    """Return the kernel whose neighbouring threads add up the columns of wide rows.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    carried : bool
        Whether an item holds the value itself.
    checks : bool, optional
        Whether rows are taken as they came, and may turn out to be in no order.
    lanes : int, optional
        Threads side by side: a power of two.
    """
    row = tuning.row()
    pointers, text, names = _sums(dtype, values, places, carried)
    sizes = {"of_warp": row.places_of_warp, "gap_most": row.places_gap, "checks": int(checks)}
    sizes |= {"ahead": max(1, min(lanes // 2, row.places_ahead)), "lanes": lanes}
    if checks:
        text += _gaps()
    text += kernel_text("line_sums.cuh", "lines", threads=THREADS, **sizes, **names)
    far = pointers.pop("far")
    numbers = int64s(*_NUMBERS, "high", "most")
    return kernel_source(text, numbers, {"needed": _U4, **pointers, "gaps": _U4, "far": far})


@cache
def runs_source(
    dtype: DType, values: DType, places: DType, carried: bool, alone: bool = False
) -> Source:
    """Return the kernel that adds up places of many rows each.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    carried : bool
        Whether an item holds the value itself.
    alone : bool, optional
        Whether a block has a multiprocessor for itself.
    """
    pointers, text, names = _sums(dtype, values, places, carried)
    sizes = _stretch(dtype, tuning.row().places_stretch[alone]) | names
    text += kernel_text("run_sums.cuh", "run", threads=THREADS, **sizes)
    text += ordered_text("range", **sizes)
    text += kernel_text("run_sums.cuh", "runs", threads=THREADS, **sizes)
    for name in ("waiting", "of_warps", "of_blocks"):
        del pointers[name]
    return kernel_source(text, int64s(*_NUMBERS), {"needed": _U4, **pointers})


def _stretch(dtype: DType, nbytes: int) -> dict[str, Any]:
    """Return the sizes of what a block adds up at a time, of which a thread reads some bytes."""
    row = tuning.row()
    each = nbytes // dtype.itemsize
    stage = each * (THREADS - WARP)
    pack = row.places_pack // dtype.itemsize
    return {
        "each": each,
        "pack": pack,
        "batch": row.places_batch,
        "stage": stage + 2 * pack * row.places_columns,  # what a column's last packs lack
        "each_warp": stage // THREADS * WARP,  # a whole number for each thread
        "columns": row.places_columns,
        "warps": THREADS // WARP,
    }


@cache
def tasks_source(dtype: DType, values: DType, places: DType, carried: bool) -> Source:
    """Return the kernel that adds up the places that were listed, and fills those without rows.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    carried : bool
        Whether an item holds the value itself.
    """
    pointers, text, names = _sums(dtype, values, places, carried)
    sizes = _stretch(dtype, tuning.row().places_stretch[0]) | names
    text += kernel_text("run_sums.cuh", "run", threads=THREADS, **sizes)
    text += ordered_text("tasks", **sizes)
    far = pointers.pop("far")
    return kernel_source(
        text, int64s(*_NUMBERS), {"skipped": _U4, **pointers, "gaps": _U4, "far": far}
    )
