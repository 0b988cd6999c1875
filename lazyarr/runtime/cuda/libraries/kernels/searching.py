"""Kernels that look values up in sorted vectors: CUDA C without a header.

A block has as many elements of the vector in shared memory as fit, evenly apart, and looks at all
of a few values at once: bisection without branches, by powers of two [1]_. What lies between two of
the elements is looked up in memory. Shorter vectors are in shared memory as a whole.

.. [1] P.-V. Khuong, P. Morin, "Array layouts for comparison-based searching", JEA 22 (2017).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_dtype, key_function
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["interpolate_source", "mirror_source", "sampling", "search_source", "tile"]

DType = np.dtype[Any]

_F8 = np.dtype(np.float64)
_I4 = np.dtype(np.int32)
_I8 = np.dtype(np.int64)


def tile() -> int:
    """Return the number of values that a block looks up at once."""
    return THREADS * tuning.row().search_items


def sampling(length: int) -> tuple[int, int, int]:
    """Return the elements of a vector that are in shared memory.

    Parameters
    ----------
    length : int
        Of the vector, not empty.

    Returns
    -------
    stride : int
        From one to the next in the vector, a power of two.
    samples : int
        How many.
    first_step : int
        The power of two with which a bisection of them begins.
    """
    stride = 1
    while length // stride >= tuning.row().search_room:
        stride *= 2
    samples = length // stride
    return stride, samples, 1 << (samples.bit_length() - 1)


@cache
def search_source(dtype: DType, right: bool) -> Source:
    """Return the kernel that finds where values belong in a sorted vector.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the vector and the values.
    right : bool
        Whether a value belongs behind equal elements, or else before them.
    """
    bits, bits_dtype = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    text = key_function(dtype) + kernel_text(
        "searching.cuh",
        "search",
        threads=THREADS,
        items=tuning.row().search_items,
        room=tuning.row().search_room,
        bits=bits,
        key=key,
        last=f"~({key})0",
        precedes="<=" if right else "<",
    )
    numbers = {**int64s("blocks", "total", "length", "stride"), "samples": _I4, "first_step": _I4}
    return kernel_source(text, numbers, {"sorted": bits_dtype, "values": bits_dtype, "to": _I8})


@cache
def interpolate_source(points: DType, heights: DType, values: DType) -> Source:
    """Return the kernel that interpolates linearly between points.

    Parameters
    ----------
    points, heights, values : numpy.dtype
        Of the abscissae and the ordinates of the points, and of what is looked up. All is computed
        in float64.
    """
    text = kernel_text(
        "searching.cuh",
        "interpolate",
        threads=THREADS,
        items=tuning.row().search_items,
        room=tuning.row().search_room,
        point=NAMES[points],
        height=NAMES[heights],
        value=NAMES[values],
    )
    integers = dict.fromkeys(("samples", "first_step", "has_left", "has_right"), _I4)
    numbers = {**int64s("blocks", "total", "length", "stride"), **integers}
    return kernel_source(
        text,
        {**numbers, "left": _F8, "right": _F8},
        {"points": points, "heights": heights, "values": values, "to": _F8},
    )


@cache
def mirror_source() -> Source:
    """Return the kernel that counts positions in a vector from its other end."""
    text = kernel_text("searching.cuh", "mirror", threads=THREADS)
    return kernel_source(text, int64s("total", "length"), {"to": _I8})
