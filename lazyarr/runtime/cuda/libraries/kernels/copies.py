"""Small kernels around library calls: copies between orders, identities, triangles, scaling.

Written by hand, header-free like the generated ones. Shapes and strides are arguments; only the
size of an element and the number of axes are in the text.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = [
    "MAX_AXES",
    "THREADS",
    "copy_source",
    "differs_source",
    "follow_source",
    "identity_source",
    "mirror_source",
    "number_source",
    "scale_source",
    "transpose_source",
    "triangle_source",
]

THREADS = tuning.row().copy_threads
#: Axes, after merging, of one copy.
MAX_AXES = 6

_WORDS = {
    1: ("unsigned char", np.uint8),
    2: ("unsigned short", np.uint16),
    4: ("unsigned int", np.uint32),
    8: ("unsigned long long", np.uint64),
}


def word(itemsize: int) -> tuple[str, np.dtype[np.generic]]:
    """Return the C type and dtype that carry elements of a size."""
    name, kind = _WORDS[itemsize]
    return name, np.dtype(kind)


def _head(parameters: list[str]) -> str:
    joined = ",\n    ".join(parameters)
    return (
        f'extern "C" __global__ void __launch_bounds__({THREADS}) kernel(\n    {joined}) {{\n'
        f"    const long long i = (long long)blockIdx.x * {THREADS} + threadIdx.x;\n"
    )


@cache
def copy_source(itemsize: int, ndim: int) -> Source:
    """Return the kernel that copies between two arrays of any strides, element by element.

    Parameters
    ----------
    itemsize : int
        Bytes of an element: 1, 2, 4 or 8.
    ndim : int
        Number of axes, at least 1.
    """
    name, dtype = word(itemsize)
    sizes = [f"n{k}" for k in range(1, ndim)]
    reads = [f"r{k}" for k in range(ndim)]
    writes = [f"w{k}" for k in range(ndim)]
    parameters = [
        "const long long total",
        *(f"const long long {s}" for s in sizes + reads + writes),
    ]
    parameters += [f"const {name}* __restrict__ from", f"{name}* __restrict__ to"]
    lines = [_head(parameters), "    if (i >= total) return;\n    long long rest = i;\n"]
    lines.append("    long long read = 0, write = 0;\n")
    for k in reversed(range(1, ndim)):
        lines.append(f"    const long long k{k} = rest % n{k};\n    rest /= n{k};\n")
        lines.append(f"    read += k{k} * r{k};\n    write += k{k} * w{k};\n")
    lines.append("    to[write + rest * w0] = from[read + rest * r0];\n}\n")
    return kernel_source(
        "".join(lines), int64s("total", *sizes, *reads, *writes), {"from": dtype, "to": dtype}
    )


#: Edge of the squares that a transposing copy works in.
TILE = tuning.row().copy_tile


@cache
def transpose_source(itemsize: int) -> Source:
    """Return the kernel that copies matrices into the other order, through shared memory."""
    name, dtype = word(itemsize)
    text = kernel_text(
        "copies.cuh",
        "transpose",
        threads=THREADS,
        word=name,
        edge=TILE,
        pitch=TILE + 1,
        padded=TILE * (TILE + 1),
        step=THREADS // TILE,
    )
    names = ["rows", "columns", "across", "down", "r0", "rb", "w1", "wb"]
    return kernel_source(text, int64s(*names), {"from": dtype, "to": dtype})


@cache
def number_source(itemsize: int) -> Source:
    """Return the kernel that writes a number, which is given as its bits."""
    name, dtype = word(itemsize)
    head = _head(["const long long total", f"const {name} bits", f"{name}* __restrict__ to"])
    text = head + "    if (i < total) to[i] = bits;\n}\n"
    return kernel_source(text, {**int64s("total"), "bits": dtype}, {"to": dtype})


@cache
def identity_source(itemsize: int, parts: int) -> Source:
    """Return the kernel that writes identity matrices; one is given as the bits of a part.

    Parameters
    ----------
    itemsize : int
        Bytes of a part of an element.
    parts : int
        2 for complex numbers, else 1.
    """
    name, dtype = word(itemsize)
    text = (
        _head(
            [
                "const long long total",
                "const long long n",
                f"const {name} one",
                f"{name}* __restrict__ to",
            ]
        )
        + f"""\
    if (i >= total) return;
    const long long element = i / {parts} % (n * n);
    to[i] = i % {parts} == 0 && element / n == element % n ? one : 0;
}}
"""
    )
    return kernel_source(text, {**int64s("total", "n"), "one": dtype}, {"to": dtype})


@cache
def triangle_source(itemsize: int) -> Source:
    """Return the kernel that clears a triangle of contiguous matrices, in words of 8 or fewer.

    Elements (row, column) with ``sign * (column - row) > 0`` become zero.
    """
    name, dtype = word(min(itemsize, 8))
    parts = itemsize // min(itemsize, 8)
    text = (
        _head(
            [
                "const long long total",
                "const long long rows",
                "const long long columns",
                "const long long sign",
                f"{name}* __restrict__ to",
            ]
        )
        + f"""\
    if (i >= total) return;
    const long long element = i / {parts};
    const long long column = element % columns;
    const long long row = element / columns % rows;
    if (sign * (column - row) > 0) to[i] = 0;
}}
"""
    )
    return kernel_source(text, int64s("total", "rows", "columns", "sign"), {"to": dtype})


@cache
def mirror_source(itemsize: int) -> Source:
    """Return the kernel that writes the second halves of the transforms of real rows.

    Element k of n is the conjugate of element n - k.
    """
    name = {4: "float", 8: "double"}[itemsize]
    text = (
        f"struct __align__({2 * itemsize}) pair {{ {name} real, imaginary; }};\n"
        + _head(["const long long total", "const long long n", f"{name}* parts"])
        + """\
    if (i >= total) return;
    const long long k = i % n;
    if (2 * k <= n) return;
    pair* const to = (pair*)parts;
    pair other = to[i - k + (n - k)];
    other.imaginary = -other.imaginary;
    to[i] = other;
}
"""
    )
    return kernel_source(text, int64s("total", "n"), {"parts": np.dtype(f"f{itemsize}")})


@cache
def scale_source(itemsize: int) -> Source:
    """Return the kernel that multiplies real numbers in place; complex ones are pairs."""
    name = {4: "float", 8: "double"}[itemsize]
    dtype = np.dtype(f"f{itemsize}")
    text = (
        _head(["const long long total", f"const {name} factor", f"{name}* __restrict__ to"])
        + "    if (i < total) to[i] = to[i] * factor;\n}\n"
    )
    return kernel_source(text, {**int64s("total"), "factor": dtype}, {"to": dtype})


@cache
def follow_source(bias: bool, ramp: bool) -> Source:
    """Return the kernel of an epilogue on float32, in place.

    Parameters
    ----------
    bias : bool
        Whether it adds a vector to each row.
    ramp : bool
        Whether negative numbers become 0.
    """
    parameters = ["const long long total", "const long long columns"]
    parameters += ["const float* __restrict__ bias", "float* __restrict__ to"]
    lines = ["    if (i >= total) return;\n    float value = to[i];\n"]
    if bias:
        lines.append("    value = value + bias[i % columns];\n")
    if ramp:
        lines.append("    if (value < 0) value = 0;\n")
    lines.append("    to[i] = value;\n}\n")
    f4 = np.dtype(np.float32)
    return kernel_source(
        _head(parameters) + "".join(lines), int64s("total", "columns"), {"bias": f4, "to": f4}
    )


@cache
def differs_source() -> Source:
    """Return the kernel that sets a flag if two arrays differ in any of their 32-bit words."""
    text = (
        _head(
            [
                "const long long total",
                "const unsigned int* __restrict__ one",
                "const unsigned int* __restrict__ other",
                "unsigned int* __restrict__ flag",
            ]
        )
        + "    if (i < total && one[i] != other[i]) *flag = 1;\n}\n"
    )
    u4 = np.dtype(np.uint32)
    pointers = dict.fromkeys(("one", "other", "flag"), u4)
    return kernel_source(text, int64s("total"), pointers)
