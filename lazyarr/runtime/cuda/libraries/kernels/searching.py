"""Kernels that look values up in sorted vectors: CUDA C without a header.

A block has as many elements of the vector in shared memory as fit, evenly apart, and looks at all
of a few values at once: bisection without branches, by powers of two [1]_. The elements lie level
by level, as in a search tree, so that what the threads of a warp compare lies side by side: the
elements of a level of a sorted vector are a power of two apart, in few banks. What lies between two
of the elements is looked up in memory. Shorter vectors are in shared memory as a whole.

.. [1] P.-V. Khuong, P. Morin, "Array layouts for comparison-based searching", JEA 22 (2017).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_dtype, key_function
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = [
    "Sampling",
    "blocks_of",
    "compared_dtype",
    "interpolate_source",
    "mirror_source",
    "sampling",
    "search_source",
    "threads_of",
]

DType = np.dtype[Any]

_F4 = np.dtype(np.float32)
_F8 = np.dtype(np.float64)
_I4 = np.dtype(np.int32)
_I8 = np.dtype(np.int64)


class Sampling(NamedTuple):
    """The elements of a sorted vector that are in the shared memory of a block.

    Attributes
    ----------
    stride : int
        From one to the next in the vector, a power of two.
    samples : int
        How many.
    first_step : int
        The power of two with which a bisection of them begins.
    nbytes : int
        Of shared memory, a power of two.
    """

    stride: int
    samples: int
    first_step: int
    nbytes: int


def threads_of(nbytes: int) -> int:
    """Return the threads of a block: more, where few blocks have room for the elements.

    Parameters
    ----------
    nbytes : int
        Of shared memory.
    """
    return THREADS * max(1, nbytes // tuning.row().search_bytes)


def blocks_of(nbytes: int, values: int) -> int:
    """Return the number of blocks that look up values, no more than a GPU has room for.

    Parameters
    ----------
    nbytes : int
        Of shared memory.
    values : int
        How many there are.
    """
    row = tuning.row()
    room = row.search_blocks * row.search_bytes // max(nbytes, row.search_bytes)
    return min(-(-values // (threads_of(nbytes) * row.search_items)), room * row.search_units)


def sampling(length: int, itemsize: int, values: int) -> Sampling:
    """Return the elements of a vector that are in shared memory.

    Parameters
    ----------
    length : int
        Of the vector, not empty.
    itemsize : int
        Bytes of what is compared.
    values : int
        That are looked up: for few of them, few elements are loaded.
    """
    row = tuning.row()
    most = max(row.search_least_bytes, int(values * row.search_share) * itemsize)
    room = max(2, min(most, row.search_most_bytes) // itemsize)
    stride = 1
    while length // stride >= room:
        stride *= 2
    samples = length // stride
    first_step = 1 << (samples.bit_length() - 1)
    return Sampling(stride, samples, first_step, 2 * first_step * itemsize)


@cache
def search_source(dtype: DType, right: bool, places: DType, nbytes: int) -> Source:
    """Return the kernel that finds where values belong in a sorted vector.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the vector and the values.
    right : bool
        Whether a value belongs behind equal elements, or else before them.
    places : numpy.dtype
        Of the result: an integer that holds the vector's length.
    nbytes : int
        Of shared memory.
    """
    bits, bits_dtype = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    text = key_function(dtype) + kernel_text(
        "searching.cuh",
        "search",
        threads=threads_of(nbytes),
        items=tuning.row().search_items,
        bits=bits,
        key=key,
        place=NAMES[places],
        last=f"~({key})0",
        precedes="<=" if right else "<",
    )
    numbers = {**int64s("blocks", "total", "length", "stride"), "samples": _I4, "first_step": _I4}
    pointers = {"sorted": bits_dtype, "values": bits_dtype, "to": places}
    return replace(kernel_source(text, numbers, pointers), shared_bytes=nbytes)


def compared_dtype(points: DType, values: DType) -> DType:
    """Return the dtype in which values are compared with points as in float64.

    Parameters
    ----------
    points, values : numpy.dtype
        Of the abscissae, and of what is looked up among them.
    """
    return _F4 if points == values == _F4 else _F8


@cache
def interpolate_source(points: DType, heights: DType, values: DType, nbytes: int) -> Source:
    """Return the kernel that interpolates linearly between points.

    Parameters
    ----------
    points, heights, values : numpy.dtype
        Of the abscissae and the ordinates of the points, and of what is looked up. All is computed
        in float64.
    nbytes : int
        Of shared memory.
    """
    text = kernel_text(
        "searching.cuh",
        "interpolate",
        threads=threads_of(nbytes),
        items=tuning.row().search_items,
        compared=NAMES[compared_dtype(points, values)],
        point=NAMES[points],
        height=NAMES[heights],
        value=NAMES[values],
    )
    integers = dict.fromkeys(("samples", "first_step", "has_left", "has_right"), _I4)
    numbers = {**int64s("blocks", "total", "length", "stride"), **integers}
    source = kernel_source(
        text,
        {**numbers, "left": _F8, "right": _F8},
        {"points": points, "heights": heights, "values": values, "to": _F8},
    )
    return replace(source, shared_bytes=nbytes)


@cache
def mirror_source() -> Source:
    """Return the kernel that counts positions in a vector from its other end."""
    text = kernel_text("searching.cuh", "mirror", threads=THREADS)
    return kernel_source(text, int64s("total", "length"), {"to": _I8})
