"""Stacks of matrix products whose second matrices have few columns, by a kernel of our own."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core import tuning
from lazyarr.core.thin_products import is_thin
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.thin_products import thin_source
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["has_kernel", "thin_products"]

#: Rows of all left matrices are ints in the kernel, and so are those of the last block.
_MOST_ROWS = np.iinfo(np.int32).max - THREADS


def has_kernel(out: Strided, a: Strided) -> bool:
    """Return whether the kernel computes products, sooner than a library.

    Parameters
    ----------
    out, a : Strided
        The results and the left matrices, three axes each.
    """
    count, rows, _ = out.shape
    return (
        is_thin(out.shape, a.shape[-1], out.dtype)
        and count * rows < _MOST_ROWS
        and out.contiguous
        and a.strides[2] == 1
        and a.strides[0] == rows * a.strides[1] > 0
    )


def thin_products(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    """Queue ``out[k] = a[k] @ b[k]``, where :func:`has_kernel`.

    Sums are taken in the order of the summed axis, each product with one rounding.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out, a, b : Strided
        Three axes each; strides of the stack of `b` may be 0.
    """
    count, rows, columns = out.shape
    inner = a.shape[-1]
    source = thin_source(
        out.dtype, max(4, _power_of_two(columns)), _rows_at_least(rows), _is_aligned(a)
    )
    total = count * rows
    work.launch_blocks(
        source,
        -(-total // THREADS),
        total,
        rows,
        columns,
        inner,
        a.strides[1],
        *(b.strides[0], b.strides[1], b.strides[2]),
        a.address,
        b.address,
        out.address,
    )


def _power_of_two(number: int) -> int:
    """Return the least power of two that is no less than a number."""
    return 1 << (number - 1).bit_length()


def _rows_at_least(rows: int) -> int:
    """Return the rows for which a kernel is compiled: a power of two, up to those of a block."""
    return min(THREADS, 1 << (rows.bit_length() - 1))


def _is_aligned(a: Strided) -> bool:
    """Whether rows begin, and end, where whole vectors do."""
    itemsize: Any = a.dtype.itemsize
    nbytes = (a.address, a.shape[2] * itemsize, a.strides[1] * itemsize)
    return not any(number % tuning.row().thin_load for number in nbytes)
