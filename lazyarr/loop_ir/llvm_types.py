"""LLVM IR's names of dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["kind", "memory_kind"]

DType = np.dtype[Any]

KINDS: dict[DType, str] = {
    np.dtype(np.bool_): "i1",
    **{np.dtype(f"{sign}{size}"): f"i{8 * size}" for sign in "iu" for size in (1, 2, 4, 8)},
    np.dtype(np.float16): "half",
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
}
_MEMORY_KINDS = KINDS | {np.dtype(np.bool_): "i8"}

# Methods of dictionaries, since printing asks for every value of a kernel.

kind: Callable[[DType], str] = KINDS.__getitem__
"""Return the type of a value in a register."""

memory_kind: Callable[[DType], str] = _MEMORY_KINDS.__getitem__
"""Return the type of a value in memory, where a bool takes a byte."""
