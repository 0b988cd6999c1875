"""Kernels that sort and search: CUDA C without a header.

Elements become unsigned keys whose order is NumPy's: negative before positive, the two zeros equal,
NaN last. A tile of a row is sorted in shared memory by a bitonic network [1]_ on pairs of key and
position, so equal keys stay in order; sorted runs are then merged in pairs.

.. [1] K. E. Batcher, "Sorting networks and their applications", AFIPS 32 (1968), 307-314.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = [
    "TILE",
    "key_dtype",
    "key_function",
    "merge_source",
    "pick_source",
    "search_source",
    "tile_source",
]

DType = np.dtype[Any]

#: Elements of a tile.
TILE = tuning.row().sort_tile

_I8 = np.dtype(np.int64)
_U4 = np.dtype(np.uint32)


def key_dtype(dtype: DType) -> DType:
    """Return the dtype of the keys of elements."""
    return np.dtype(np.uint64 if dtype.itemsize == 8 else np.uint32)


def key_function(dtype: DType) -> str:
    """Return the C function from the bits of an element to its key."""
    bits, _ = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    suffix = "ULL" if dtype.itemsize == 8 else "U"
    sign = f"0x{1 << (8 * dtype.itemsize - 1):x}{suffix}"
    head = f"static __device__ __forceinline__ {key} key_of({bits} bits) {{\n"
    if kind_of(dtype) == "f":
        infinity = int(np.array(np.inf, dtype).view(f"u{dtype.itemsize}"))
        last = f"0x{(1 << (8 * key_dtype(dtype).itemsize)) - 1:x}{suffix}"
        every = f"0x{(1 << (8 * dtype.itemsize)) - 1:x}{suffix}"
        return head + (
            f"    const {key} size = bits & ({sign} - 1);\n"
            f"    if (size > 0x{infinity:x}{suffix}) return {last};\n"
            f"    if (size == 0) return {sign};\n"
            f"    return bits & {sign} ? ~({key})bits & {every} : bits | {sign};\n}}\n"
        )
    if kind_of(dtype) == "i":
        return head + f"    return ({key})bits ^ {sign};\n}}\n"
    return head + "    return bits;\n}\n"


@cache
def tile_source(dtype: DType, width: int) -> Source:
    """Return the kernel that sorts the tiles of each row, one block for each.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    width : int
        Elements of a tile that a row takes, a power of two: several short rows share a tile.
    """
    bits, bits_dtype = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    text = key_function(dtype) + kernel_text(
        "merge_sort.cuh",
        "tile",
        threads=THREADS,
        bits=bits,
        key=key,
        last=f"~({key})0",
        tile=TILE,
        pairs=TILE // 2,
        width=width,
        width_mask=width - 1,
        rows_of_tile=TILE // width,
    )
    return kernel_source(
        text,
        int64s("rows", "length", "tiles"),
        {"from": bits_dtype, "keys": key_dtype(dtype), "places": _U4},
    )


@cache
def merge_source(keys: DType) -> Source:
    """Return the kernel that merges pairs of sorted runs of each row, a piece for each block.

    Two bisections along a diagonal [1]_ find which parts of both runs make up the piece; in shared
    memory each element then finds its place by bisection.

    .. [1] O. Green, R. McColl, D. A. Bader, "GPU merge path", ICS 2012.
    """
    key, _ = word(keys.itemsize)
    text = kernel_text("merge_sort.cuh", "merge", threads=THREADS, key=key, tile=TILE)
    return kernel_source(
        text,
        int64s("length", "width", "pieces"),
        {"keys": keys, "places": _U4, "merged_keys": keys, "merged_places": _U4},
    )


@cache
def pick_source(itemsize: int) -> Source:
    """Return the kernel that picks elements of rows by position; of no size: the positions."""
    name, dtype = word(itemsize) if itemsize else ("long long", _I8)
    value = "from[i / length * length + places[i]]" if itemsize else "places[i]"
    text = kernel_text("merge_sort.cuh", "pick", threads=THREADS, word=name, value=value)
    return kernel_source(
        text, int64s("total", "length"), {"from": dtype, "places": _U4, "to": dtype}
    )


@cache
def search_source(dtype: DType, right: bool) -> Source:
    """Return the kernel that finds by bisection where values belong in a sorted vector.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the vector and the values.
    right : bool
        Whether a value belongs behind equal elements, or else before them.
    """
    bits, bits_dtype = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    before = "<=" if right else "<"
    text = key_function(dtype) + kernel_text(
        "merge_sort.cuh", "search", threads=THREADS, bits=bits, key=key, precedes=before
    )
    return kernel_source(
        text, int64s("total", "length"), {"sorted": bits_dtype, "values": bits_dtype, "to": _I8}
    )
