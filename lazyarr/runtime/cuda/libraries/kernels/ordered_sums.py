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
from lazyarr.runtime.cuda.libraries.kernels import radix_sort
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import (
    ITEM,
    NAMES,
    DType,
    pieces,
    placed_text,
)
from lazyarr.runtime.cuda.libraries.kernels.row_maps import map_names, map_pointers, mapped_text
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = [
    "heads_source",
    "lines_source",
    "ordered_text",
    "prepare_source",
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


def _sums(
    dtype: DType, values: DType, places: DType, carried: bool, steps: str = ""
) -> tuple[Any, ...]:
    """Return the arrays of kernels that add rows in order, and the text before them."""
    names = {"number": NAMES[dtype], "value": NAMES[values], "place": NAMES[places]}
    names |= map_names(steps, values)
    text = placed_text("placed") + mapped_text(steps, values)
    text += ordered_text("ordered", carried=int(carried), **names)
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
def prepare_source(
    values: DType,
    places: DType,
    passes: int,
    bits: int,
    low: int,
    carried: bool,
    steps: str = "",
) -> Source:
    """Return the kernel that makes items of rows in no order, and counts their digits.

    Parameters
    ----------
    values, places : numpy.dtype
        Of what is added, and of the places.
    passes, bits : int
        Digits of a place that are not 0 in all, and the bits of each.
    low : int
        Bits of a place below them.
    carried : bool
        Whether an item holds the value itself.
    steps : str, optional
        Operations with numbers on such a value, as of :func:`~.row_maps.map_names`.
    """
    text = placed_text("placed") + mapped_text(steps, values)
    text += placed_text(
        "prepare",
        value=NAMES[values],
        place=NAMES[places],
        kinds=passes * radix_sort.DIGITS,
        first_kind=radix_sort.DIGITS * (ITEM.itemsize // 2),
        passes=passes,
        digits=radix_sort.DIGITS,
        bits=bits,
        low=low,
        last_digit=(1 << bits) - 1,
        carried=int(carried),
        **pieces(),
        **map_names(steps, values),
    )
    return kernel_source(
        text,
        int64s("blocks", "rows", "count", "words"),
        {
            "places": places,
            "values": values,
            "items": ITEM,
            "counts": _U4,
            "states": _U4,
            "mixed": _U4,
            "far": ITEM,
            **map_pointers(steps, values),
        },
    )


@cache
def heads_source(
    dtype: DType, values: DType, places: DType, carried: bool, steps: str = ""
) -> Source:
    """Return the kernel that adds up places with few rows, and lists the others.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    carried : bool
        Whether an item holds the value itself.
    steps : str, optional
        Operations with numbers on what is added, as of :func:`~.row_maps.map_names`.
    """
    row = tuning.row()
    pointers, text, names = _sums(dtype, values, places, carried, steps)
    most = {"of_thread": row.places_of_thread, "of_warp": row.places_of_warp}
    text += ordered_text("heads", **most, **names)
    pointers |= map_pointers(steps, values)
    return kernel_source(text, int64s(*_NUMBERS), {"needed": _U4, **pointers})


@cache
def tiles_source(
    dtype: DType,
    values: DType,
    places: DType,
    carried: bool,
    checks: bool = False,
    steps: str = "",
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
    steps : str, optional
        Operations with numbers on what is added, as of :func:`~.row_maps.map_names`.
    """
    row = tuning.row()
    pointers, text, names = _sums(dtype, values, places, carried, steps)
    sizes = {"stage": row.places_stage, "widest": row.places_widest, "of_warp": row.places_of_warp}
    sizes |= {"turns": row.places_stage // THREADS, "carried": int(carried), "checks": int(checks)}
    sizes |= {"gap_most": row.places_gap, "finish": row.places_finish}
    if checks:
        text += _gaps()
    text += kernel_text("tiled_sums.cuh", "tiles", threads=THREADS, **sizes, **names)
    numbers = int64s(*_NUMBERS, "high", "tall", "most")
    far = pointers.pop("far")
    pointers |= {"gaps": _U4, "far": far, **map_pointers(steps, values)}
    return kernel_source(text, numbers, {"needed": _U4, **pointers})


@cache
def warps_source(
    dtype: DType,
    values: DType,
    places: DType,
    carried: bool,
    single: bool,
    checks: bool = False,
    steps: str = "",
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
    steps : str, optional
        Operations with numbers on what is added, as of :func:`~.row_maps.map_names`.
    """
    row = tuning.row()
    pointers, text, names = _sums(dtype, values, places, carried, steps)
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
    pointers |= {"gaps": _U4, "far": far, **map_pointers(steps, values)}
    return kernel_source(text, numbers, {"needed": _U4, **pointers})


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
    steps: str = "",
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
    steps : str, optional
        Operations with numbers on what is added, as of :func:`~.row_maps.map_names`.
    """
    row = tuning.row()
    pointers, text, names = _sums(dtype, values, places, carried, steps)
    sizes = {"of_warp": row.places_of_warp, "gap_most": row.places_gap, "checks": int(checks)}
    sizes |= {"ahead": max(1, min(lanes // 2, row.places_ahead)), "lanes": lanes}
    if checks:
        text += _gaps()
    text += kernel_text("line_sums.cuh", "lines", threads=THREADS, **sizes, **names)
    far = pointers.pop("far")
    numbers = int64s(*_NUMBERS, "high", "most")
    pointers |= {"gaps": _U4, "far": far, **map_pointers(steps, values)}
    return kernel_source(text, numbers, {"needed": _U4, **pointers})


@cache
def runs_source(
    dtype: DType,
    values: DType,
    places: DType,
    carried: bool,
    alone: bool = False,
    steps: str = "",
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
    steps : str, optional
        Operations with numbers on what is added, as of :func:`~.row_maps.map_names`.
    """
    pointers, text, names = _sums(dtype, values, places, carried, steps)
    sizes = _stretch(dtype, tuning.row().places_stretch[alone]) | names
    text += kernel_text("run_sums.cuh", "run", threads=THREADS, **sizes)
    text += ordered_text("range", **sizes)
    text += kernel_text("run_sums.cuh", "runs", threads=THREADS, **sizes)
    for name in ("waiting", "of_warps", "of_blocks"):
        del pointers[name]
    pointers |= map_pointers(steps, values)
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
def tasks_source(
    dtype: DType, values: DType, places: DType, carried: bool, steps: str = ""
) -> Source:
    """Return the kernel that adds up the places that were listed, and fills those without rows.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    carried : bool
        Whether an item holds the value itself.
    steps : str, optional
        Operations with numbers on what is added, as of :func:`~.row_maps.map_names`.
    """
    pointers, text, names = _sums(dtype, values, places, carried, steps)
    sizes = _stretch(dtype, tuning.row().places_stretch[0]) | names
    text += kernel_text("run_sums.cuh", "run", threads=THREADS, **sizes)
    text += ordered_text("tasks", **sizes)
    far = pointers.pop("far")
    pointers |= {"gaps": _U4, "far": far, **map_pointers(steps, values)}
    return kernel_source(text, int64s(*_NUMBERS), {"skipped": _U4, **pointers})
