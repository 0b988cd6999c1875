"""Products of few columns as kernels that pack nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.frozen import replace
from lazyarr.core.vector_registers import registers
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler, tuning
from lazyarr.runtime.cpu.fp_flags import bits
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.host_target import architecture
from lazyarr.runtime.cpu.long_product_code import (
    COPY_NUMBERS,
    ROW_NUMBERS,
    SUM_NUMBERS,
    Form,
    block_numbers,
    blocks_text,
    copy_text,
    rows_text,
    sums_text,
)
from lazyarr.runtime.cpu.objects.machine_code import has_symbols

__all__ = [
    "SCALARS",
    "blocks_kernel",
    "copy_kernel",
    "has_kernels",
    "rows_kernel",
    "sums_kernel",
    "together",
]

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


def _form(dtype: np.dtype[Any], columns: int) -> Form:
    """Return the form of a product of any number of rows on this processor."""
    available = registers()
    lanes = available.nbytes // dtype.itemsize
    while lanes > columns:
        lanes //= 2
    row = tuning.row()
    widest, spare = row.long_product_vectors, row.long_product_spare
    if available.count <= row.few_registers:
        widest, spare = row.few_vectors, row.few_spare
    # Beside the sums there are the vectors of a row, and one element of each.
    sums = available.count - widest - spare
    vectors = -(-columns // lanes)
    return Form(vectors, (), SCALARS[dtype], dtype.itemsize, lanes, sums, widest, together())


def _loaded(
    dtype: np.dtype[Any], text: str, entry: str, pointers: Sequence[str], numbers: Sequence[str]
) -> Function:
    index = np.dtype(np.int64)
    parameters = (
        *(Parameter(name, dtype, True) for name in pointers),
        *(Parameter(name, index, False) for name in numbers),
    )
    source = Source("llvm", text, entry, parameters, _INTRINSICS, optimize=False)
    return compiler.load_support(source, get_config())


def blocks_kernel(
    dtype: np.dtype[Any], rows: int, columns: int
) -> tuple[Function, tuple[int, ...]]:
    """Return the kernel that multiplies blocks along the sums, and its numbers of strips.

    Parameters
    ----------
    dtype : numpy.dtype
        One of :data:`SCALARS`.
    rows, columns : int
        Of the product.
    """
    form = _form(dtype, columns)
    strips = tuple(form.strips(rows))
    form = replace(form, heights=tuple([height for height, _, _ in strips]))
    numbers = tuple([number for _, *counts in strips for number in counts])
    return _blocks_of(dtype, form), numbers


@cache
def _blocks_of(dtype: np.dtype[Any], form: Form) -> Function:
    pointers = ("parts", "left", "right", "flags")
    return _loaded(dtype, blocks_text(form), "product_blocks", pointers, block_numbers(form))


@cache
def sums_kernel(dtype: np.dtype[Any]) -> Function:
    """Return the kernel that adds the sums of blocks.

    Parameters
    ----------
    dtype : numpy.dtype
        One of :data:`SCALARS`.
    """
    text = sums_text(_form(dtype, together()))
    return _loaded(dtype, text, "product_sums", ("out", "parts", "flags"), SUM_NUMBERS)


@cache
def copy_kernel(dtype: np.dtype[Any]) -> Function:
    """Return the kernel that copies the second operand of a product, row by row.

    Parameters
    ----------
    dtype : numpy.dtype
        One of :data:`SCALARS`.
    """
    text = copy_text(_form(dtype, together()))
    return _loaded(dtype, text, "product_copy", ("copy", "right"), COPY_NUMBERS)


def rows_kernel(dtype: np.dtype[Any], columns: int) -> Function:
    """Return the kernel that multiplies some rows.

    Parameters
    ----------
    dtype : numpy.dtype
        One of :data:`SCALARS`.
    columns : int
        Of the product.
    """
    return _rows_of(dtype, _form(dtype, columns))


@cache
def _rows_of(dtype: np.dtype[Any], form: Form) -> Function:
    pointers = ("out", "left", "right", "flags")
    return _loaded(dtype, rows_text(form), "product_rows", pointers, ROW_NUMBERS)
