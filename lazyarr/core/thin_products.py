"""Stacks of matrix products with few columns: those of which GPUs have a kernel of their own."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.core import tuning

__all__ = ["is_thin"]

_DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


def is_thin(shape: Sequence[int], inner: int, dtype: np.dtype[Any]) -> bool:
    """Return whether products have so few columns that the kernel is faster than a library.

    Parameters
    ----------
    shape : sequence of int
        Of the results, two axes at least.
    inner : int
        The terms of a sum.
    dtype : numpy.dtype
        Of the results and the factors.
    """
    row, (rows, columns) = tuning.row(), shape[-2:]
    return (
        dtype in _DTYPES
        and 0 < columns * dtype.itemsize <= row.thin_bytes
        and rows >= max(row.thin_rows, row.thin_columns_each * columns)
        and inner >= row.thin_depth
        and prod(shape[:-1]) >= row.thin_rows_in_all
    )
