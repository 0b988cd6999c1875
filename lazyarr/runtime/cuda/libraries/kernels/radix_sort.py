"""Kernels that sort long rows digit by digit: CUDA C without a header.

Elements are moved as they are; a digit is eight bits, or fewer, of the key whose order is NumPy's.
One pass counts all digits. Each further pass orders by one digit, from the lowest, and keeps the
order of equal ones, so that the last leaves a stable order. A pass reads and writes every element
once: the blocks take tiles in turn, and learn how many equal digits lie in the tiles before theirs
while those are still being worked on [1]_.

.. [1] A. Adinets, D. Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
   arXiv:2206.01784 (2022).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_function
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["DIGITS", "count_source", "scatter_source", "state_dtype", "tile_size"]

DType = np.dtype[Any]

#: Values of a digit: one thread looks after each.
DIGITS = 256
_BYTE = DIGITS.bit_length() - 1
_WARPS = THREADS // WARP
#: Elements that a thread counts at once.
_COUNTED = tuning.row().sort_counted
#: Rows shorter than this fit their counts into 32 bits beside two flags.
_NARROW = 1 << 30

_I4 = np.dtype(np.int32)
_I8 = np.dtype(np.int64)
_U4 = np.dtype(np.uint32)
_U8 = np.dtype(np.uint64)


def passes(dtype: DType) -> int:
    """Return the number of passes, one for each byte of an element."""
    return dtype.itemsize


def tile_size(dtype: DType, positions: bool, length: int) -> int:
    """Return the elements of a tile: what shared memory holds of them, with their positions or not.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    positions : bool
        Whether their positions move with them.
    length : int
        Of a row: few elements are for many blocks all the same.
    """
    row = tuning.row()
    is_wide = dtype.itemsize == 8
    if positions or (is_wide and length < row.sort_large):
        return THREADS * (row.sort_items_wide if is_wide else row.sort_items)
    return THREADS * row.sort_items_alone


def state_dtype(length: int) -> DType:
    """Return the dtype of the words by which tiles of so long a row publish their counts."""
    return _U4 if length < _NARROW else _U8


def _digit_function(dtype: DType, digit_bits: int) -> str:
    bits, _ = word(dtype.itemsize)
    return key_function(dtype) + (
        f"static __device__ __forceinline__ int digit_of({bits} bits, int shift) {{\n"
        f"    return (int)(key_of(bits) >> shift) & {(1 << digit_bits) - 1};\n}}\n"
    )


@cache
def count_source(dtype: DType) -> Source:
    """Return the kernel that counts, for each row, how often each value of each digit occurs."""
    bits, bits_dtype = word(dtype.itemsize)
    kinds = passes(dtype) * DIGITS
    text = key_function(dtype) + kernel_text(
        "radix_sort.cuh",
        "count",
        threads=THREADS,
        bits=bits,
        kinds=kinds,
        piece=THREADS * _COUNTED,
        counted=_COUNTED,
        passes=passes(dtype),
        digits=DIGITS,
        last_digit=DIGITS - 1,
    )
    return kernel_source(text, int64s("length", "pieces"), {"from": bits_dtype, "counts": _U4})


@cache
def scatter_source(
    dtype: DType,
    positions: bool,
    state: DType,
    tile: int,
    repeats: bool = False,
    digit_bits: int = _BYTE,
) -> Source:
    """Return the kernel of one pass; where `needed` points to 0 it does nothing.

    A pass orders by the bits from `shift` on, whose counts are those of a `kind` of digits.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    positions : bool
        Whether the positions of the elements move with them. Without `places_from` an element's
        position is where it lies; the `last` pass writes positions only, as int64.
    state : numpy.dtype
        Of the words by which tiles publish their counts.
    tile : int
        The elements of a tile.
    repeats : bool, optional
        Whether a block takes one tile of the only row after another, or else one: many blocks take
        their time where nothing is to be done.
    digit_bits : int, optional
        The bits of a digit, eight at most.
    """
    bits, bits_dtype = word(dtype.itemsize)
    status, _ = word(state.itemsize)
    items = tile // THREADS
    suffix = "U" if state.itemsize == 4 else "ULL"
    low = 8 * state.itemsize - 2
    text = kernel_text(
        "radix_sort.cuh",
        "scatter",
        threads=THREADS,
        blocks=tuning.row().sort_occupancy,
        warps=_WARPS,
        positions=positions,
        repeats=int(repeats),
        bits=bits,
        status=status,
        tile=tile,
        items=items,
        warp_items=WARP * items,
        passes=passes(dtype),
        digits=DIGITS,
        ranks=_WARPS * DIGITS,
        last_digit=(1 << digit_bits) - 1,
        low=low,
        before=tuning.row().sort_before,
        tile_flag=f"(1{suffix} << {low})",
        sum_flag=f"(2{suffix} << {low})",
        count_mask=f"(1{suffix} << {low}) - 1",
    )
    pointers = {
        "counts": _U4,
        "ticket": _U4,
        "states": state,
        "needed": _U4,
        "from": bits_dtype,
        "to": bits_dtype,
    }
    if positions:
        pointers |= {"places_from": _U4, "places_to": _U4, "last": _I8}
    text = (
        _digit_function(dtype, digit_bits)
        + kernel_text("radix_sort.cuh", "before", warps=_WARPS)
        + kernel_text("radix_sort.cuh", "lanes", digit_bits=digit_bits)
        + text
    )
    digit = dict.fromkeys(("kind", "shift"), _I4)
    return kernel_source(text, {**int64s("length", "tiles"), **digit}, pointers)
