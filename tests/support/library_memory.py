"""Vectors and matrices at addresses, as NVIDIA's libraries take them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from tests.support.bfloat16 import BFLOAT16

DTYPES: dict[int, Any] = {0: "f4", 1: "f8", 2: "f2", 4: "c8", 5: "c16", 14: BFLOAT16}


def vector(address: int, n: int, dtype: Any, step: int = 1) -> Any:
    dtype = np.dtype(dtype)
    span = (max(n, 1) - 1) * step + 1
    flat = np.frombuffer((ctypes.c_char * (span * dtype.itemsize)).from_address(address), dtype)
    return flat[::step][:n]


def columns(address: int, rows: int, columns: int, leading: int, dtype: Any) -> Any:
    """Return a matrix by columns, writable."""
    assert leading >= max(rows, 1), "a leading dimension is shorter than a column"
    dtype = np.dtype(dtype)
    span = (columns - 1) * leading + rows
    flat = np.frombuffer((ctypes.c_char * (span * dtype.itemsize)).from_address(address), dtype)
    return np.lib.stride_tricks.as_strided(
        flat, (rows, columns), (dtype.itemsize, leading * dtype.itemsize), writeable=True
    )


def addresses(address: int, count: int) -> list[int]:
    return [int(x) for x in vector(address, count, np.uint64)]
