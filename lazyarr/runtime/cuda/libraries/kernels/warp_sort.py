"""Kernels whose warps or threads sort short rows in registers: CUDA C without a header.

A lane has every 32nd element of a row, so that what lies 32 apart or more is compared within a lane
and everything else between lanes, by a bitonic network [1]_. Elements that are sorted without their
positions become keys from which their bits follow: they are in NumPy's order, of zeros the negative
ones come first, and NaN last. Others become pairs of key and position, which are all different.

Rows of a few elements are sorted by one thread each, by a network that compares fewer of them: they
come by way of shared memory, as threads side by side load what lies side by side.

.. [1] K. E. Batcher, "Sorting networks and their applications", AFIPS 32 (1968), 307-314.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_dtype, key_function
from lazyarr.runtime.cuda.libraries.kernels.networks import exchanges
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["rows_of_block", "short_source", "sort_source"]

DType = np.dtype[Any]

_I8 = np.dtype(np.int64)
_KEY_BYTES = 4


def rows_of_block(width: int) -> int:
    """Return the number of rows that a block sorts, if each takes so many elements."""
    return THREADS // min(width, WARP)


def _invertible_keys(dtype: DType) -> str:
    """Return the C functions from the bits of an element to a key, and back."""
    size = dtype.itemsize
    bits, _ = word(size)
    suffix = "ULL" if size == 8 else "U"
    sign = f"0x{1 << (8 * size - 1):x}{suffix}"
    key, back = "bits", "key"
    if kind_of(dtype) == "i":
        key, back = f"bits ^ {sign}", f"key ^ {sign}"
    if kind_of(dtype) == "f":
        # Negative numbers before positive ones; negative NaN, which come before them, wrap.
        least = (1 << (8 * size)) - 1 - int(np.array(-np.inf, dtype).view(f"u{size}"))
        key = f"(bits & {sign} ? ~bits : bits | {sign}) - 0x{least:x}{suffix}"
        raised = f"({bits})(key + 0x{least:x}{suffix})"
        back = f"{raised} & {sign} ? {raised} ^ {sign} : ~{raised}"
    head = "static __device__ __forceinline__"
    return (
        f"{head} {bits} key_of({bits} bits) {{\n    return ({bits})({key});\n}}\n"
        f"{head} {bits} bits_of({bits} key) {{\n    return ({bits})({back});\n}}\n"
    )


class _Items(NamedTuple):
    """Items of a row, as they are sorted.

    Attributes
    ----------
    text : str
        The functions that compare two, and pass one to another lane.
    kind, last : str
        The C type of one, and what is behind all others.
    item_of : str
        The C expression for that of an `element` at a `place`.
    place : str
        The C expression for the position of an `item`; without it, `bits_of` returns the element.
    """

    text: str
    kind: str
    last: str
    item_of: str
    place: str = ""


def _items(dtype: DType, keeps_places: bool) -> _Items:
    """Return the items of rows: keys alone, or with the positions of the elements."""
    bits, _ = word(dtype.itemsize)
    if not keeps_places:
        text = _invertible_keys(dtype) + kernel_text("warp_sort.cuh", "key", item=bits)
        return _Items(text, bits, f"({bits})~({bits})0", "key_of(element)")
    if key_dtype(dtype).itemsize == _KEY_BYTES:
        item = "unsigned long long"
        text = key_function(dtype) + kernel_text("warp_sort.cuh", "key", item=item)
        packed = f"({item})key_of(element) << 32 | place"
        return _Items(text, item, "~0ULL", packed, "(unsigned int)item")
    text = key_function(dtype) + kernel_text("warp_sort.cuh", "pair")
    return _Items(text, "item", "item{~0ULL, ~0U}", "item{key_of(element), place}", "item.place")


@cache
def sort_source(dtype: DType, width: int, positions: bool, stable: bool) -> Source:
    """Return the kernel that sorts rows, one or several by each warp.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    width : int
        What a row takes of elements, a power of two.
    positions : bool
        Whether positions are written, int64, or else the elements.
    stable : bool
        Whether equal elements stay in their order, of elements that differ in their bits.
    """
    bits, bits_dtype = word(dtype.itemsize)
    out, out_dtype = ("long long", _I8) if positions else (bits, bits_dtype)
    lanes = min(width, WARP)
    items = _items(dtype, positions or stable)
    place = items.place.replace("item", "items[e]", 1)
    value = place if positions else f"from[start + {place}]" if place else "bits_of(items[e])"
    text = items.text + kernel_text(
        "warp_sort.cuh",
        "sort",
        threads=THREADS,
        bits=bits,
        out=out,
        item=items.kind,
        items=max(1, width // WARP),
        lanes=lanes,
        rows_of_warp=WARP // lanes,
        last=items.last,
        item_at=items.item_of.replace("element", "from[start + place]"),
        value=value,
    )
    return kernel_source(text, int64s("rows", "length"), {"from": bits_dtype, "to": out_dtype})


@cache
def short_source(dtype: DType, length: int, positions: bool, stable: bool) -> Source:
    """Return the kernel that sorts rows, one by each thread.

    Parameters
    ----------
    dtype, positions, stable : numpy.dtype, bool, bool
        As for :func:`sort_source`.
    length : int
        Elements of a row.
    """
    bits, bits_dtype = word(dtype.itemsize)
    out, out_dtype = ("long long", _I8) if positions else (bits, bits_dtype)
    items = _items(dtype, positions or stable)
    place = items.place.replace("item", "items[e]", 1)
    value = f"({bits})({place})" if positions else f"own[{place}]" if place else "bits_of(items[e])"
    text = items.text + kernel_text(
        "warp_sort.cuh",
        "rows",
        threads=tuning.row().sort_threads,
        bits=bits,
        out=out,
        item=items.kind,
        length=length,
        pitch=length | 1,
        item_at=items.item_of.replace("element", "own[e]").replace("place", "(unsigned int)e"),
        exchanges="\n".join(
            f"    exchange(items[{one}], items[{two}]);" for one, two in exchanges(length)
        ),
        value=value,
    )
    return kernel_source(text, int64s("rows", "length"), {"from": bits_dtype, "to": out_dtype})
