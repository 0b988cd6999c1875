"""Kernels that write to the elements that arrays of indices choose: CUDA C without a header.

Where several values are for one element, the last of them is written: a first kernel finds the last
one of each element, and a second one writes it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.libraries.kernels.copies import MAX_AXES, THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import ITEM, NAMES, placed_text
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source

__all__ = ["MAX_AXES", "last_source", "write_source"]

DType = np.dtype[Any]

_U4 = np.dtype(np.uint32)


def _numbers(ndim: int, indices: tuple[DType, ...]) -> list[str]:
    """Return the names of the parameters that are numbers: sizes and steps of all axes."""
    axes = range(ndim)
    names = ["total", *(f"n{k}" for k in axes), *(f"v{k}" for k in axes), *(f"b{k}" for k in axes)]
    for j in range(len(indices)):
        names += [f"size{j}", f"step{j}", f"axis{j}", *(f"i{j}_{k}" for k in axes)]
    return names


def _text(ndim: int, indices: tuple[DType, ...], pointers: list[str], body: str) -> str:
    """Return a kernel whose body knows the number `i` of a value, and the `place` for it."""
    parameters = [f"const long long {name}" for name in _numbers(ndim, indices)]
    parameters += [
        f"const {NAMES[dtype]}* __restrict__ index{j}" for j, dtype in enumerate(indices)
    ]
    joined = ",\n    ".join([*parameters, *pointers, "unsigned long long* far"])
    lines = [
        f'extern "C" __global__ void __launch_bounds__({THREADS}) kernel(\n    {joined}) {{',
        f"    const long long i = (long long)blockIdx.x * {THREADS} + threadIdx.x;",
        "    if (i >= total) return;",
        "    long long rest = i, place = 0, read = 0;",
        *(f"    long long at{j} = 0;" for j in range(len(indices))),
    ]
    for k in reversed(range(ndim)):
        lines.append(f"    const long long k{k} = rest % n{k};\n    rest /= n{k};")
        lines.append(f"    place += k{k} * b{k};\n    read += k{k} * v{k};")
        lines += [f"    at{j} += k{k} * i{j}_{k};" for j in range(len(indices))]
    lines += [
        f"    place += step{j} * placed(index{j}[at{j}], size{j}, far + axis{j});"
        for j in range(len(indices))
    ]
    return placed_text("placed") + "\n".join([*lines, body, "}\n"])


def _pointers(indices: tuple[DType, ...]) -> dict[str, DType]:
    return {f"index{j}": dtype for j, dtype in enumerate(indices)}


@cache
def last_source(ndim: int, indices: tuple[DType, ...]) -> Source:
    """Return the kernel that finds the last value for each element.

    Parameters
    ----------
    ndim : int
        Axes of the values.
    indices : tuple of numpy.dtype
        Of the arrays of indices.
    """
    body = "    atomicMax(last + place, (unsigned int)i + 1);"
    text = _text(ndim, indices, ["unsigned int* last"], body)
    return kernel_source(
        text, int64s(*_numbers(ndim, indices)), {**_pointers(indices), "last": _U4, "far": ITEM}
    )


@cache
def write_source(itemsize: int, ndim: int, indices: tuple[DType, ...]) -> Source:
    """Return the kernel that writes the last value for each element, or all without a `last`.

    Parameters
    ----------
    itemsize : int
        Bytes of an element: 1, 2, 4 or 8.
    ndim : int
        Axes of the values.
    indices : tuple of numpy.dtype
        Of the arrays of indices.
    """
    name, dtype = word(itemsize)
    body = "    if (!last || last[place] == (unsigned int)i + 1) to[place] = values[read];"
    pointers = [
        "const unsigned int* __restrict__ last",
        f"const {name}* __restrict__ values",
        f"{name}* to",
    ]
    text = _text(ndim, indices, pointers, body)
    ends = {"last": _U4, "values": dtype, "to": dtype, "far": ITEM}
    return kernel_source(text, int64s(*_numbers(ndim, indices)), {**_pointers(indices), **ends})
