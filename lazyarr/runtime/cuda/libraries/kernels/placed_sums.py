"""Kernels that add up rows at places: CUDA C without a header.

Few rows are looked at by the threads of all results. Where places have few rows, those of each are
linked as they come, and one thread puts them in order and adds them up. Others are put in the order
of their places by the passes of :mod:`radix_sort`, which keep the order of equal ones, unless they
are in that order already, and added up by the kernels of :mod:`ordered_sums`. These kernels also
follow links, where they do nothing unless a place turned out to have many rows. Sums of whole
numbers have no order, nor have those of floats where last bits do not matter.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

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
    "link_source",
    "linked_source",
    "look_source",
    "pieces",
    "placed_text",
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

_U4 = np.dtype(np.uint32)
_BITS = radix_sort.DIGITS.bit_length() - 1
_SIZES = ("width", "step")


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
