"""Kernels that take the extremes of rows that fall on the same place: CUDA C without a header.

Numbers become ranks, whole numbers without a sign of which the largest is the extreme, so that rows
may come in any order. Zeros of both signs have one rank, as have all NaN: where there are any, a
further pass finds which of them NumPy's loop over the rows would leave.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_function
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import ITEM, NAMES, placed_text
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["begin_source", "end_source", "negate_source", "raise_source", "settle_source"]

DType = np.dtype[Any]

_U4 = np.dtype(np.uint32)


def _constants(dtype: DType, least: bool) -> dict[str, str]:
    """Return the C constants of the ranks of numbers."""
    size = dtype.itemsize
    suffix = "ULL" if size == 8 else "U"
    sign, every = 1 << (8 * size - 1), (1 << (8 * size)) - 1
    zero = every - sign if least else sign
    return {
        "sign": f"0x{sign:x}{suffix}",
        "zero": f"0x{zero:x}{suffix}",
        "nan": f"0x{every:x}{suffix}",
        "is_float": "true" if kind_of(dtype) == "f" else "false",
    }


def _functions(dtype: DType, least: bool) -> str:
    """Return the C functions from the bits of a number to its rank, and back."""
    bits, _ = word(dtype.itemsize)
    names = _constants(dtype, least)
    sign, nan = names["sign"], names["nan"]
    head = "static __device__ __forceinline__"
    is_float = kind_of(dtype) == "f"
    key = "~rank" if least else "rank"
    rank = "~key" if least else "key"
    if least and is_float:
        rank = f"key == {nan} ? key : ~key"
    if is_float:
        back = f"key & {sign} ? key ^ {sign} : ~key"
        special = f"own == {sign} || key_of(own) == {nan}"
    else:
        back = f"key ^ {sign}" if kind_of(dtype) == "i" else "key"
        special = "false"
    return key_function(dtype) + (
        f"{head} {bits} rank_of({bits} own) {{\n"
        f"    const {bits} key = key_of(own);\n    return {rank};\n}}\n"
        f"{head} {bits} bits_of({bits} rank) {{\n"
        f"    const {bits} key = {key};\n    return {back};\n}}\n"
        f"{head} bool is_special({bits} own) {{\n    return {special};\n}}\n"
    )


def _text(section: str, dtype: DType, least: bool, **names: str) -> str:
    bits, _ = word(dtype.itemsize)
    names = _constants(dtype, least) | names
    return _functions(dtype, least) + kernel_text(
        "placed_extremes.cuh", section, threads=THREADS, bits=bits, **names
    )


@cache
def begin_source(dtype: DType, least: bool) -> Source:
    """Return the kernel that writes the ranks of what is there at first.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the numbers.
    least : bool
        Whether the extremes are the least numbers, or else the largest.
    """
    _, bits = word(dtype.itemsize)
    return kernel_source(
        _text("begin", dtype, least),
        int64s("blocks", "total", "lead"),
        {"start": bits, "ranks": bits, "special": _U4},
    )


@cache
def raise_source(dtype: DType, places: DType, least: bool) -> Source:
    """Return the kernel that raises the ranks of places to those of their rows.

    Parameters
    ----------
    dtype, places : numpy.dtype
        Of the numbers, and of the places.
    least : bool
        Whether the extremes are the least numbers, or else the largest.
    """
    _, bits = word(dtype.itemsize)
    text = placed_text("placed") + _text("raise", dtype, least, place=NAMES[places])
    pointers = {"places": places, "values": bits, "ranks": bits, "special": _U4, "far": ITEM}
    return kernel_source(text, int64s("blocks", "total", "count", "width", "step"), pointers)


@cache
def settle_source(dtype: DType, places: DType, least: bool) -> Source:
    """Return the kernel that finds which of equal zeros and NaN is left at a place.

    Parameters
    ----------
    dtype, places : numpy.dtype
        Of the numbers, and of the places.
    least : bool
        Whether the extremes are the least numbers, or else the largest.
    """
    _, bits = word(dtype.itemsize)
    text = placed_text("placed") + _text("settle", dtype, least, place=NAMES[places])
    pointers = {"places": places, "values": bits, "ranks": bits, "special": _U4, "ties": _U4}
    sizes = int64s("blocks", "total", "count", "width", "step")
    return kernel_source(text, sizes, {**pointers, "far": ITEM})


@cache
def end_source(dtype: DType, least: bool) -> Source:
    """Return the kernel that writes the numbers of ranks in their place.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the numbers.
    least : bool
        Whether the extremes are the least numbers, or else the largest.
    """
    _, bits = word(dtype.itemsize)
    return kernel_source(
        _text("end", dtype, least),
        int64s("blocks", "total", "width", "step", "lead"),
        {"start": bits, "values": bits, "special": _U4, "ties": _U4, "ranks": bits},
    )


@cache
def negate_source(dtype: DType) -> Source:
    """Return the kernel that writes numbers with the other sign; those without one wrap."""
    name, bits = word(dtype.itemsize)
    negative = (
        f"from[i] ^ {_constants(dtype, False)['sign']}" if kind_of(dtype) == "f" else "0 - from[i]"
    )
    text = kernel_text(
        "placed_extremes.cuh", "negate", threads=THREADS, bits=name, negative=negative
    )
    return kernel_source(text, int64s("total"), {"from": bits, "to": bits})
