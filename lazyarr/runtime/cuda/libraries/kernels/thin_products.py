"""The kernel of stacks of products whose second matrices have few columns: CUDA C, no header.

A library computes tiles of some dozens of columns, most of which are idle then. Here a thread has
all columns of one row, and left matrices come from memory once, in whole sectors.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.tuning import OF_MACHINE
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["thin_source"]

DType = np.dtype[Any]

_I4 = np.dtype(np.int32)


@cache
def thin_source(dtype: DType, columns: int, rows: int, is_aligned: bool) -> Source:
    """Return the kernel that computes a row of the result with each thread.

    Parameters
    ----------
    dtype : numpy.dtype
        float32 or float64.
    columns : int
        Of the result at most, a power of two. They take no more bytes than what comes to shared
        memory of a row at a time.
    rows : int
        Of a left matrix at least.
    is_aligned : bool
        Whether whole vectors of 16 bytes may be loaded of the left rows, which have no other
        elements.
    """
    width = OF_MACHINE.thin_load // dtype.itemsize if is_aligned else 1
    name, depth = NAMES[dtype], OF_MACHINE.thin_bytes // dtype.itemsize
    text = f"struct __align__({width * dtype.itemsize}) Lanes {{ {name} lane[{width}]; }};\n"
    text += kernel_text(
        "thin_products.cuh",
        "thin",
        threads=THREADS,
        type=name,
        columns=columns,
        depth=depth,
        lines=THREADS // (depth // width),
        matrices=-(-(THREADS - 1) // rows) + 1,
        width=width,
        fma="fmaf" if dtype.itemsize == _I4.itemsize else "fma",
    )
    numbers = dict.fromkeys(("total", "rows", "columns", "inner"), _I4)
    numbers |= int64s("left_row", "right_stack", "right_inner", "right_column")
    return kernel_source(text, numbers, dict.fromkeys(("left", "right", "out"), dtype))
