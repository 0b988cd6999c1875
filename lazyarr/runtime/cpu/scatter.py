"""Sums of rows that fall on the same place, as ``numpy.add.at`` adds them: one after the other."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.core.config import get_config
from lazyarr.core.text_files import filled_in, text_file
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.threads.parallel_for import launch

__all__ = ["SCALARS", "add_rows"]

Array = np.ndarray[Any, Any]

#: The types of numbers that are added, as LLVM IR names them, and its addition.
SCALARS = {
    np.dtype(np.float32): ("float", "fadd"),
    np.dtype(np.float64): ("double", "fadd"),
    np.dtype(np.int32): ("i32", "add"),
    np.dtype(np.int64): ("i64", "add"),
}
_PLACE = np.dtype(np.int64)
_NUMBERS = ("rows", "width", "step")


@cache
def _kernel(dtype: np.dtype[Any]) -> compiler.Function:
    scalar, add = SCALARS[dtype]
    values = {"scalar": scalar, "add": add, "align": dtype.itemsize}
    text = filled_in(text_file("lazyarr.runtime.cpu", "scatter.ll"), values)
    parameters = (
        Parameter("out", dtype, True),
        Parameter("places", _PLACE, True),
        Parameter("values", dtype, True),
        *(Parameter(name, _PLACE, False) for name in _NUMBERS),
    )
    source = Source("llvm", text, "scatter", parameters)
    return compiler.load_support(source, get_config())


def add_rows(out: Array, places: Array, values: Array) -> None:
    """Add rows to rows of an array.

    Parameters
    ----------
    out : numpy.ndarray
        Rows in C order, of one of the dtypes in :data:`SCALARS`.
    places : numpy.ndarray
        A vector of the numbers of rows in `out`, from ``-len(out)`` up to it, int64, contiguous.
    values : numpy.ndarray
        A row for each place, in C order, or one number for all if rows are numbers; of the dtype
        of `out`.
    """
    function = _kernel(out.dtype)
    width = out.size // len(out)
    step = width if values.ndim else 0
    addresses = (address_of(out), address_of(places), address_of(values))
    block = function.pack(*addresses, len(out), width, step)
    launch(function, block, places.size, threads=1, chunk=places.size)
