"""Kernels that add rows at places: CUDA C without a header.

Few rows are looked at by the threads of all results. Where places have few rows, those of each are
linked as they come, and one thread puts them in order and adds them up. Others are put in the order
of their places by the passes of :mod:`radix_sort`, which keep the order of equal ones, unless they
are in that order already; then a thread adds up what falls on one place, or a warp or block if that
is much; where all places have many rows, each is a block's. These kernels also follow links, where
they do nothing unless a place turned out to have many rows. Many rows are added up as they came at
first, until a block finds that they are in no order. Sums of whole numbers have no order, nor have
those of floats where last bits do not matter.
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
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = [
    "ITEM",
    "NAMES",
    "DType",
    "alone_source",
    "atomic_source",
    "carries",
    "digits_of",
    "fill_source",
    "heads_source",
    "lines_source",
    "link_source",
    "linked_source",
    "look_source",
    "ordered_text",
    "pieces",
    "placed_text",
    "prepare_source",
    "runs_source",
    "tasks_source",
    "tiles_source",
]

DType = np.dtype[Any]

#: The C types of numbers.
NAMES = {
    np.dtype(kind): name
    for kind, name in {
        "i1": "signed char",
        "u1": "unsigned char",
        "i2": "short",
        "u2": "unsigned short",
        "i4": "int",
        "u4": "unsigned int",
        "i8": "long long",
        "u8": "unsigned long long",
        "f4": "float",
        "f8": "double",
    }.items()
}
#: What is put in order: a place above a word.
ITEM = np.dtype(np.uint64)

_I8 = np.dtype(np.int64)
_U4 = np.dtype(np.uint32)
_BITS = radix_sort.DIGITS.bit_length() - 1
_SIZES = ("width", "step")
#: The numbers of kernels that add rows in order.
_ORDERED = int64s("blocks", "rows", "count", *_SIZES, "lead")


def carries(dtype: DType, values: DType, step: int, width: int) -> bool:
    """Return whether an item holds a row itself, and not its number.

    Parameters
    ----------
    dtype, values : numpy.dtype
        Of the sums, and of what is added.
    step, width : int
        From one row of the values to the next, and the numbers of a row.
    """
    return dtype == values == np.float32 and step == width == 1


def placed_text(section: str, **values: object) -> str:
    """Return a section of ``placed_sums.cuh``.

    Parameters
    ----------
    section : str
        Its name.
    **values
        What the names in it stand for.
    """
    return kernel_text("placed_sums.cuh", section, threads=THREADS, **values)


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


@cache
def alone_source(dtype: DType, values: DType, places: DType) -> Source:
    """Return the kernel whose threads look at all rows.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, of what is added, and of the places.
    """
    text = placed_text("placed") + placed_text(
        "alone",
        number=NAMES[dtype],
        value=NAMES[values],
        place=NAMES[places],
        tile=tuning.row().places_tile,
    )
    return kernel_source(
        text,
        int64s("rows", "count", *_SIZES, "lead"),
        {
            "needed": _U4,
            "places": places,
            "values": values,
            "start": dtype,
            "out": dtype,
            "far": ITEM,
        },
    )


@cache
def link_source(places: DType) -> Source:
    """Return the kernel that links the rows of each place."""
    text = placed_text("placed") + placed_text("link", place=NAMES[places], **pieces())
    return kernel_source(
        text,
        int64s("rows", "count"),
        {
            "needed": _U4,
            "places": places,
            "mixed": _U4,
            "heads": _U4,
            "links": _U4,
            "other": _U4,
            "far": ITEM,
        },
    )


@cache
def linked_source(dtype: DType, values: DType, most: int, sums: int) -> Source:
    """Return the kernel that adds up linked rows.

    Parameters
    ----------
    dtype, values : numpy.dtype
        Of the sums, and of what is added.
    most, sums : int
        Rows that a thread holds, and sums that are a thread's.
    """
    names = {"number": NAMES[dtype], "value": NAMES[values]}
    short = tuning.row().places_short
    text = placed_text("linked", of_list=most, sums=sums, short=short, **names)
    return kernel_source(
        text,
        int64s("count", *_SIZES, "lead"),
        {
            "needed": _U4,
            "heads": _U4,
            "links": _U4,
            "values": values,
            "start": dtype,
            "out": dtype,
            "other": _U4,
        },
    )


@cache
def look_source(places: DType) -> Source:
    """Return the kernel that finds out whether places are in order."""
    text = placed_text("placed") + placed_text("look", place=NAMES[places], **pieces())
    return kernel_source(
        text, int64s("blocks", "rows", "count"), {"places": places, "mixed": _U4, "far": ITEM}
    )


@cache
def prepare_source(
    values: DType, places: DType, passes: int, bits: int, low: int, carried: bool
) -> Source:
    """Return the kernel that makes items, and counts their digits.

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
    """
    text = placed_text("placed") + placed_text(
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
        },
    )


def pieces() -> dict[str, int]:
    """Return the numbers of rows that a thread and a block look at at once."""
    counted = tuning.row().places_at_once
    return {"counted": counted, "piece": THREADS * counted}


@cache
def fill_source(dtype: DType) -> Source:
    """Return the kernel that copies an array, or one number to all elements."""
    text = placed_text("fill", number=NAMES[dtype], filled=tuning.row().places_at_once)
    return kernel_source(
        text, int64s("blocks", "total", "lead"), {"needed": _U4, "start": dtype, "out": dtype}
    )


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
    return kernel_source(text, _ORDERED, {"needed": _U4, **pointers})


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
    numbers = {**_ORDERED, **int64s("high", "tall", "most")}
    far = pointers.pop("far")
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
    numbers = {**_ORDERED, **int64s("high", "most")}
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
    return kernel_source(text, _ORDERED, {"needed": _U4, **pointers})


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
    return kernel_source(text, _ORDERED, {"skipped": _U4, **pointers, "gaps": _U4, "far": far})


@cache
def atomic_source(dtype: DType, values: DType, places: DType, in_blocks: bool) -> Source:
    """Return the kernel that adds numbers in any order.

    Parameters
    ----------
    dtype, values, places : numpy.dtype
        Of the sums, whose whole numbers have no sign, of what is added, and of the places.
    in_blocks : bool
        Whether blocks have room for all sums.
    """
    text = placed_text("placed") + placed_text(
        "atomic",
        number=NAMES[dtype],
        value=NAMES[values],
        place=NAMES[places],
        room=tuning.row().places_held if in_blocks else 0,
    )
    return kernel_source(
        text,
        int64s("blocks", "total", "count", *_SIZES),
        {"needed": _U4, "places": places, "values": values, "out": dtype, "far": ITEM},
    )


def digits_of(count: int, low: int = 0) -> tuple[int, int]:
    """Return the digits of places below a number, and the bits of each: no more than they need.

    Parameters
    ----------
    count : int
        Of places.
    low : int, optional
        Bits that are not looked at.
    """
    bits = max(1, (count - 1).bit_length() - low)
    digits = -(-bits // _BITS)
    return digits, -(-bits // digits)
