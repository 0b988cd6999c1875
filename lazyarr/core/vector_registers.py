"""The vector registers of this processor: how many values a loop may keep in them."""

from __future__ import annotations

import platform
from functools import cache

from lazyarr.core.frozen import dataclass

__all__ = ["Registers", "registers"]


@dataclass(frozen=True, slots=True)
class Registers:
    """The width of vector registers in bytes, and their number."""

    nbytes: int
    count: int


@cache
def registers() -> Registers:
    """Return the vector registers of this processor.

    NumPy has looked already, and asking it needs no compiler.
    """
    # Private, but what numpy.show_runtime() reads.
    from numpy._core._multiarray_umath import (  # type: ignore[import-not-found]
        __cpu_features__,
    )

    if __cpu_features__.get("AVX512F"):
        return Registers(64, 32)
    if __cpu_features__.get("AVX2"):
        return Registers(32, 16)
    if platform.machine().lower() in ("aarch64", "arm64"):
        return Registers(16, 32)
    return Registers(16, 16)
