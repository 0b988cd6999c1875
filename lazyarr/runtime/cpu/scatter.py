"""Sums of rows that fall on the same place, as ``numpy.add.at`` adds them: one after the other."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.dtypes import kind_of
from lazyarr.core.text_files import filled_in, text_file
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler, tuning
from lazyarr.runtime.cpu.fp_flags import bits, mask_of
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.host_target import architecture
from lazyarr.runtime.cpu.objects.machine_code import has_symbols

__all__ = ["COUNT", "FIRST", "PLACES", "SCALARS", "VALUES", "has_kernels", "kernel"]

#: The types of numbers that are added, as LLVM IR names them, and its addition.
SCALARS = {
    np.dtype(np.float32): ("float", "fadd"),
    np.dtype(np.float64): ("double", "fadd"),
    np.dtype(np.int32): ("i32", "add"),
    np.dtype(np.int64): ("i64", "add"),
}
#: The types of places.
PLACES = {np.dtype(np.int32): "i32", np.dtype(np.int64): "i64"}
_POINTERS = ("out", "start", "places", "values", "farthest", "flags")
_NUMBERS = ("rows", "width", "count", "place_step", "value_step", "column_step", "block", "first")
#: Which arguments are the rows that are added, the places up to which they are, and the place from
#: which on they are: 0 where the result does not yet hold what it begins with.
VALUES = _POINTERS.index("values")
COUNT, FIRST = (len(_POINTERS) + _NUMBERS.index(name) for name in ("count", "first"))
_FENV = ("fetestexcept", "feclearexcept", "feraiseexcept")


def has_kernels() -> bool:
    """Return whether floating-point flags can be watched on this processor."""
    return bool(bits()) and (architecture() == "x86_64" or has_symbols(_FENV))


@cache
def kernel(
    dtype: np.dtype[Any],
    places: np.dtype[Any],
    columns: int,
    *,
    filled: bool,
    counted: bool,
    strided: bool,
) -> Function:
    """Return the kernel that adds rows to rows of an array; a work item is a block of columns.

    It takes the addresses of the result, of what it begins with, of the places, of the rows that
    are added, of a uint64 for the farthest place that lies outside, and of a word for flags; the
    numbers of rows, of columns and of places; the steps from one place, from one row that is added
    and from one column of it to the next; the columns of a block; the first place whose row is
    added; and the two numbers of `filled` and `counted`.

    Parameters
    ----------
    dtype : numpy.dtype
        Of what is added; one of :data:`SCALARS`.
    places : numpy.dtype
        Of the places; one of :data:`PLACES`.
    columns : int
        Numbers of a row whose code is its own, and which is one block; 0: any row.
    filled : bool
        Whether the result begins with one number everywhere.
    counted : bool
        Whether one number is added at all places; rows are of one number then.
    strided : bool
        Whether the columns of what is added lie apart.
    """
    scalar, add = SCALARS[dtype]
    is_float = kind_of(dtype) == "f"
    kept = bool(columns) and not (strided and columns > 1)
    zero = "0.0" if is_float else "0"
    values = {
        "scalar": scalar,
        "add": add,
        "kept": kept,
        "taken": scalar if columns == 1 else f"<{columns} x {scalar}>",
        "taken_array": scalar if columns == 1 else f"[{columns} x {scalar}]",
        "none": zero if columns == 1 else "zeroinitializer",
        "sample": tuning.row().sampled_places,
        "foreseen": tuning.row().foreseen_part,
        "itemsize": dtype.itemsize,
        "place": PLACES[places],
        "place_align": places.itemsize,
        "widened": places.itemsize < np.dtype(np.int64).itemsize,
        "columns": columns,
        "short": bool(columns),
        "filled": filled,
        "counted": counted,
        "strided": strided,
        "flagged": is_float,
        "x86": architecture() == "x86_64",
        "mask": mask_of(bits()),
    }
    text = filled_in(text_file("lazyarr.runtime.cpu", "scatter.ll"), values)
    index = np.dtype(np.int64)
    parameters = (
        *(Parameter(name, dtype, True) for name in _POINTERS),
        *(Parameter(name, index, False) for name in _NUMBERS),
        Parameter("fill", dtype, False),
        Parameter("addend", dtype, False),
    )
    return compiler.load_support(Source("llvm", text, "scatter", parameters), get_config())
