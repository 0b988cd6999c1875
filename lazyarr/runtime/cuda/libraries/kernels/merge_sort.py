"""Kernels that sort: CUDA C without a header.

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
    "few_source",
    "key_dtype",
    "key_function",
    "merge_source",
    "part_source",
    "pick_source",
    "tile_source",
]

DType = np.dtype[Any]

#: Elements of a tile.
TILE = tuning.row().sort_tile

_I4 = np.dtype(np.int32)
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
def part_source(
    dtype: DType, last: bool, positions: bool, *, whole: bool = True, gathered: bool = False
) -> Source:
    """Return the kernel that selects the first or last elements of sorted rows.

    Each thread of a block looks for the least of its elements of a row; the `count`-th of these
    least ones bounds the `count`-th of the row. In a second pass what is not beyond the bound is
    gathered in shared memory, and each element's rank among these says where it belongs. Where so
    many are gathered that memory ends, all but the first `count` are dropped, and the bound falls.

    Elements whose keys are equal are compared by position, so the result is that of a stable sort.
    For the last elements the bits of both are inverted. Few long rows are cut in pieces, one block
    for each, of whose elements a second kernel selects.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    last : bool
        Whether the last elements in order are selected, or else the first.
    positions : bool
        Whether positions are written, or else the elements.
    whole : bool, optional
        Whether a row is one piece, so that this is what is asked for; else keys and positions are
        written. Default: True.
    gathered : bool, optional
        Whether keys and positions are read that such a kernel has written. Default: False.
    """
    bits, bits_dtype = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    invert = "~" if last else ""
    pointers: dict[str, DType] = {"from": bits_dtype}
    parameters = [f"const {bits}* __restrict__ from"]
    key_at, place_at = f"({key}){invert}key_of(from[start + i])", f"{invert}(unsigned int)i"
    if gathered:
        pointers |= {"their_keys": key_dtype(dtype), "their_places": _U4}
        parameters.append(f"const {key}* __restrict__ their_keys")
        parameters.append("const unsigned int* __restrict__ their_places")
        key_at, place_at = "their_keys[start + i]", "their_places[start + i]"
    if not whole:
        pointers |= {"to_keys": key_dtype(dtype), "to_places": _U4}
        parameters += [f"{key}* __restrict__ to_keys", "unsigned int* __restrict__ to_places"]
        write = "to_keys[at] = key; to_places[at] = place;"
    elif positions:
        pointers["to"] = _I8
        parameters.append("long long* __restrict__ to")
        write = f"to[at] = {invert}place;"
    else:
        pointers["to"] = bits_dtype
        parameters.append(f"{bits}* __restrict__ to")
        write = f"to[at] = from[row * elements + {invert}place];"
    text = key_function(dtype) + kernel_text("ordered_part.cuh", "before", key=key)
    text += kernel_text(
        "ordered_part.cuh",
        "part",
        threads=THREADS,
        key=key,
        last=f"(~({key})0)",
        room=tuning.row().part_room,
        turns=tuning.row().part_room // THREADS,
        items=tuning.row().part_items,
        parameters=",\n    ".join(["const long long elements", *parameters]),
        key_at=key_at,
        place_at=place_at,
        write=write,
    )
    numbers = {**int64s("length", "pieces"), "count": _I4, "first": _I4, **int64s("elements")}
    return kernel_source(text, numbers, pointers)


@cache
def few_source(dtype: DType, last: bool, positions: bool) -> Source:
    """Return the kernel whose warps select few elements of sorted rows, one warp a row.

    A warp has the first 32 elements so far in order. An element that does not come before the
    `count`-th of them is looked at once; most others are put where they belong one by one.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    last : bool
        Whether the last elements in order are selected, or else the first.
    positions : bool
        Whether positions are written, or else the elements.
    """
    bits, bits_dtype = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    invert = "~" if last else ""
    value = f"{invert}place" if positions else f"from[start + {invert}place]"
    text = key_function(dtype) + kernel_text("ordered_part.cuh", "before", key=key)
    text += kernel_text(
        "ordered_part.cuh",
        "few",
        threads=THREADS,
        bits=bits,
        key=key,
        out="long long" if positions else bits,
        last=f"(~({key})0)",
        items=tuning.row().part_items,
        many=tuning.row().part_inserted,
        key_at=f"{invert}key_of(loaded[item])",
        place_at=f"{invert}(unsigned int)i",
        write=f"to[at] = {value};",
    )
    numbers = {**int64s("rows", "length"), "count": _I4, "first": _I4}
    return kernel_source(
        text, numbers, {"from": bits_dtype, "to": _I8 if positions else bits_dtype}
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
