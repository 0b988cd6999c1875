"""The smallest elements of rows in order, of rows of which a sort or a partition reads no more."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.dtypes import kind_of
from lazyarr.core.text_files import filled_in, text_file
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.function import Function

__all__ = ["MOST_SELECTED", "NUMBERS", "kernel"]

#: The types of elements that are selected from.
NUMBERS = tuple(np.dtype(name) for name in ("float32", "float64", "int32", "int64"))
#: The most elements that are put in order: the lanes of the vectors.
MOST_SELECTED = 16


@cache
def kernel(dtype: np.dtype[Any]) -> Function:
    """Return the kernel that selects from rows; a work item is a row.

    It takes the addresses of the result and of the rows; the elements of a row, those that are
    selected, and the elements from one row to the next.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements; one of :data:`NUMBERS`.
    """
    bits = 8 * dtype.itemsize
    is_float = kind_of(dtype) == "f"
    word = np.dtype(f"i{dtype.itemsize}")
    special = (
        {name: int(np.array(getattr(np, name), dtype).view(word)) for name in ("inf", "nan")}
        if is_float
        else dict.fromkeys(("inf", "nan"), 0)
    )
    values = {
        "word": f"i{bits}",
        "itemsize": dtype.itemsize,
        "narrow": bits < 64,
        "floating": is_float,
        "least": -(1 << (bits - 1)),
        "most": (1 << (bits - 1)) - 1,
        "shift": bits - 1,
        "infinity": special["inf"],
        "nan": special["nan"],
    }
    text = filled_in(text_file("lazyarr.runtime.cpu", "selection.ll"), values)
    parameters = (
        *(Parameter(name, dtype, True) for name in ("out", "in")),
        *(Parameter(name, np.dtype(np.int64), False) for name in ("length", "count", "step")),
    )
    return compiler.load_support(Source("llvm", text, "selection", parameters), get_config())
