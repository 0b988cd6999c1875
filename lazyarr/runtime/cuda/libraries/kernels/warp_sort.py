"""A kernel whose warps sort short rows in registers: CUDA C without a header.

A lane has every 32nd element of a row, so that what lies 32 apart or more is compared within a lane
and everything else between lanes, by a bitonic network [1]_. Elements that are sorted without their
positions become keys from which their bits follow: they are in NumPy's order, of zeros the negative
ones come first, and NaN last. Others become pairs of key and position, which are all different.

.. [1] K. E. Batcher, "Sorting networks and their applications", AFIPS 32 (1968), 307-314.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_dtype, key_function
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["rows_of_block", "sort_source"]

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
    value = "place_of_item" if positions else "from[start + place_of_item]"
    if not (positions or stable):
        item, last, item_at = bits, f"({bits})~({bits})0", "key_of(from[start + place])"
        text = _invertible_keys(dtype) + kernel_text("warp_sort.cuh", "key", item=item)
        value = "bits_of(items[e])"
    elif key_dtype(dtype).itemsize == _KEY_BYTES:
        item, last = "unsigned long long", "~0ULL"
        item_at = "(unsigned long long)key_of(from[start + place]) << 32 | place"
        text = key_function(dtype) + kernel_text("warp_sort.cuh", "key", item=item)
        value = value.replace("place_of_item", "(unsigned int)items[e]")
    else:
        item, last = "item", "item{~0ULL, ~0U}"
        item_at = "item{key_of(from[start + place]), place}"
        text = key_function(dtype) + kernel_text("warp_sort.cuh", "pair")
        value = value.replace("place_of_item", "items[e].place")
    text += kernel_text(
        "warp_sort.cuh",
        "sort",
        threads=THREADS,
        bits=bits,
        out=out,
        item=item,
        items=max(1, width // WARP),
        lanes=lanes,
        rows_of_warp=WARP // lanes,
        last=last,
        item_at=item_at,
        value=value,
    )
    return kernel_source(text, int64s("rows", "length"), {"from": bits_dtype, "to": out_dtype})
