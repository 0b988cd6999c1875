"""Products of few rows and columns, whose sums are long, as kernels that pack nothing."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.vector_registers import registers
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler, tuning
from lazyarr.runtime.cpu.fp_flags import bits
from lazyarr.runtime.cpu.host_target import architecture
from lazyarr.runtime.cpu.long_product_code import (
    BLOCK_NUMBERS,
    SUM_NUMBERS,
    Form,
    blocks_text,
    sums_text,
)
from lazyarr.runtime.cpu.objects.machine_code import has_symbols

__all__ = ["SCALARS", "has_kernels", "kernels", "together"]

#: The types of numbers, as LLVM IR names them.
SCALARS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
_FENV = ("fetestexcept", "feclearexcept", "feraiseexcept")
_INTRINSICS = ("watch_begin", "watch_end")


@cache
def has_kernels() -> bool:
    """Return whether vectors are as wide as it takes, and floating-point flags can be watched."""
    watched = bool(bits()) and (architecture() == "x86_64" or has_symbols(_FENV))
    return watched and registers().nbytes >= tuning.row().long_product_bytes


def together() -> int:
    """Return the elements of a product whose blocks' sums one work item adds."""
    return tuning.row().long_product_elements


@cache
def kernels(
    dtype: np.dtype[Any], rows: int, columns: int
) -> tuple[compiler.Function, compiler.Function]:
    """Return the kernel that multiplies blocks along the sums, and the one that adds their sums.

    Parameters
    ----------
    dtype : numpy.dtype
        One of :data:`SCALARS`.
    rows, columns : int
        Of the product.
    """
    available = registers()
    lanes = available.nbytes // dtype.itemsize
    while lanes > columns:
        lanes //= 2
    widest = tuning.row().long_product_vectors
    # Beside the sums there are the vectors of a row, and one element of each.
    sums = available.count - widest - tuning.row().long_product_spare
    form = Form(rows, columns, SCALARS[dtype], dtype.itemsize, lanes, sums, widest, together())
    index = np.dtype(np.int64)
    sources = [
        Source(
            "llvm",
            text,
            entry,
            (
                *(Parameter(name, dtype, True) for name in pointers),
                *(Parameter(name, index, False) for name in numbers),
            ),
            _INTRINSICS,
            optimize=False,
        )
        for text, entry, pointers, numbers in (
            (
                blocks_text(form),
                "product_blocks",
                ("parts", "left", "right", "flags"),
                BLOCK_NUMBERS,
            ),
            (sums_text(form), "product_sums", ("out", "parts", "flags"), SUM_NUMBERS),
        )
    ]
    first, second = (compiler.load_support(source, get_config()) for source in sources)
    return first, second
