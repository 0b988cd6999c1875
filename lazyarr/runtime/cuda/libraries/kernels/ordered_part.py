"""Kernels that select the first or last elements of sorted rows: CUDA C without a header.

Each thread of a block looks for the least of its elements of a row; the `count`-th of these least
ones bounds the `count`-th of the row. In a second pass what is not beyond the bound is gathered in
shared memory, and each element's rank among these says where it belongs. Where so many are gathered
that memory ends, all but the first `count` are dropped, and the bound falls.

Elements are compared by :func:`~.merge_sort.key_function`'s keys and, where these are equal, by
position, so the result is that of a stable sort. For the last elements the bits of both are
inverted. Few long rows are cut in pieces, of whose elements a second kernel selects.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_dtype, key_function
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["part_source"]

DType = np.dtype[Any]

_I4, _I8, _U4 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint32)


@cache
def part_source(
    dtype: DType, last: bool, positions: bool, *, whole: bool = True, gathered: bool = False
) -> Source:
    """Return the kernel that selects elements of rows, one block for each piece of a row.

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
    text = key_function(dtype) + kernel_text(
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
