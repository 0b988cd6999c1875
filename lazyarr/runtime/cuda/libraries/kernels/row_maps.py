"""Operations with numbers, in kernels that add values at places: CUDA C without a header."""

from __future__ import annotations

from functools import cache

import numpy as np

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES, DType
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["map_names", "map_pointers", "map_source", "mapped_text"]

_U4 = np.dtype(np.uint32)
#: Operations with a number, by name, and their forms in C.
_STEPS = {
    "multiply": "({x} * {n})",
    "add": "({x} + {n})",
    "subtract": "({x} - {n})",
    "subtract_from": "({n} - {x})",
}


def map_names(steps: str, values: DType) -> dict[str, str]:
    """Return the texts of names in a kernel: its last parameters, and the numbers there.

    The numbers may be fields of `all`, which kernels of rows in order have.

    Parameters
    ----------
    steps : str
        Names of operations.
    values : numpy.dtype
        Of what they work on.
    """
    kind, names = NAMES[values], [f"n{k}" for k in range(len(steps.split()))]
    return {
        "parameters": "".join([f", const {kind}* __restrict__ {name}_at" for name in names]),
        "values": "".join([f", const {kind} {name}" for name in names]),
        "arguments": "".join([f", {name}" for name in names]),
        "constants": " ".join([f"const {kind} {name} = *{name}_at;" for name in names]),
        "fields": " ".join([f"{kind} {name};" for name in names]),
        "members": "".join([f", all.{name}" for name in names]),
    }


def map_pointers(steps: str, values: DType) -> dict[str, DType]:
    """Return the last parameters of a kernel: the number of each operation.

    Parameters
    ----------
    steps, values : str, numpy.dtype
        As for :func:`map_names`.
    """
    return {f"n{k}_at": values for k in range(len(steps.split()))}


def mapped_text(steps: str, values: DType) -> str:
    """Return the function of a value, which is the value itself without operations.

    Parameters
    ----------
    steps, values : str, numpy.dtype
        As for :func:`map_names`.
    """
    text = "x"
    for k, step in enumerate(steps.split()):
        text = _STEPS[step].format(x=text, n=f"n{k}")
    names = map_names(steps, values)
    return kernel_text(
        "row_maps.cuh", "mapped", value=NAMES[values], text=text, values=names["values"]
    )


@cache
def map_source(steps: str, values: DType) -> Source:
    """Return the kernel that writes values for kernels that do not compute them.

    Parameters
    ----------
    steps, values : str, numpy.dtype
        As for :func:`map_names`.
    """
    names = map_names(steps, values)
    del names["values"]
    text = mapped_text(steps, values) + kernel_text(
        "row_maps.cuh",
        "map",
        threads=THREADS,
        each=tuning.row().maps_at_once,
        value=NAMES[values],
        **names,
    )
    pointers = {"needed": _U4, "from": values, "to": values, **map_pointers(steps, values)}
    return kernel_source(text, int64s("blocks", "total"), pointers)
