"""Lookups in sorted vectors: the positions of values, and interpolation between points."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.dtypes import kind_of
from lazyarr.core.text_files import filled_in, text_file
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler, tuning
from lazyarr.runtime.cpu.function import Function

__all__ = ["BLOCK", "INTERPOLATED", "NUMBERS", "interpolation", "search"]

DType = np.dtype[Any]

#: The types of numbers that are looked up.
NUMBERS = tuple(np.dtype(code) for code in "fdbhilqBHILQ")
#: The type in which NumPy interpolates.
INTERPOLATED = np.dtype(np.float64)
#: Values that are looked up together; there must be as many.
BLOCK = 8

_INDEX = np.dtype(np.int64)


@cache
def search(dtype: DType, right: bool) -> Function:
    """Return the kernel that finds positions; a work item is a block of values.

    It takes the addresses of the positions, the sorted vector and the values, and the lengths of
    the vector and of the values.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the vector and the values; one of :data:`NUMBERS`.
    right : bool
        Whether an equal element lies before the position.
    """
    pointers = {"out": _INDEX, "table": dtype, "in": dtype}
    return _kernel(dtype, right, pointers, {})


@cache
def interpolation(stored: DType) -> Function:
    """Return the kernel that interpolates; a work item is a block of values.

    It takes the addresses of the results, the points, their heights and the values; the numbers of
    points and of values; and for either end whether there is a number for what is beyond it, and
    that number.

    Parameters
    ----------
    stored : numpy.dtype
        Of the points and their heights: float64 or float32.
    """
    pointers = {"out": INTERPOLATED, "table": stored, "heights": stored, "in": INTERPOLATED}
    ends = {"has_left": _INDEX, "left": INTERPOLATED, "has_right": _INDEX, "right": INTERPOLATED}
    return _kernel(INTERPOLATED, True, pointers, ends)


def _kernel(
    dtype: DType, right: bool, pointers: dict[str, DType], ends: dict[str, DType]
) -> Function:
    stored, is_float = pointers["table"], kind_of(dtype) == "f"
    sign = "u" if kind_of(dtype) == "u" else "s"
    values = {
        "element": _type_of(dtype),
        "itemsize": dtype.itemsize,
        "stored": _type_of(stored),
        "stored_bytes": stored.itemsize,
        "name": f"{'f' if is_float else 'i'}{8 * stored.itemsize}",
        "narrow": stored != dtype,
        "floating": is_float,
        "right": right,
        "interpolates": bool(ends),
        "less": f"{sign}lt",
        "least_or_equal": f"{sign}le",
        "counted": tuning.row().counted_table,
    }
    text = filled_in(text_file("lazyarr.runtime.cpu", "lookups.ll"), values)
    parameters = (
        *(Parameter(name, kind, True) for name, kind in pointers.items()),
        *(Parameter(name, _INDEX, False) for name in ("length", "count")),
        *(Parameter(name, kind, False) for name, kind in ends.items()),
    )
    return compiler.load_support(Source("llvm", text, "lookups", parameters), get_config())


def _type_of(dtype: DType) -> str:
    """Return the LLVM type of an element."""
    bits = 8 * dtype.itemsize
    return {32: "float", 64: "double"}[bits] if kind_of(dtype) == "f" else f"i{bits}"
