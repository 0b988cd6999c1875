"""Kernels that sort and search: CUDA C without a header.

Elements become unsigned keys whose order is NumPy's: negative before positive, the two zeros equal,
NaN last. A tile of a row is sorted in shared memory by a bitonic network [1]_ on pairs of key and
position, so equal keys stay in order; sorted runs are then merged in pairs.

.. [1] K. E. Batcher, "Sorting networks and their applications", AFIPS 32 (1968), 307-314.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word

__all__ = [
    "TILE",
    "key_dtype",
    "key_function",
    "merge_source",
    "pick_source",
    "search_source",
    "tile_source",
]

DType = np.dtype[Any]

#: Elements of a tile.
TILE = 2048

_I8 = np.dtype(np.int64)
_U4 = np.dtype(np.uint32)


def key_dtype(dtype: DType) -> DType:
    """Return the dtype of the keys of elements."""
    return np.dtype(np.uint64 if dtype.itemsize == 8 else np.uint32)


def key_function(dtype: DType) -> str:
    """Return the C function from the bits of an element to its key."""
    bits, _ = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    suffix = "ULL" if dtype.itemsize == 8 else "U"
    sign = f"0x{1 << (8 * dtype.itemsize - 1):x}{suffix}"
    head = f"static __device__ __forceinline__ {key} key_of({bits} bits) {{\n"
    if dtype.kind == "f":
        infinity = int(np.array(np.inf, dtype).view(f"u{dtype.itemsize}"))
        last = f"0x{(1 << (8 * key_dtype(dtype).itemsize)) - 1:x}{suffix}"
        every = f"0x{(1 << (8 * dtype.itemsize)) - 1:x}{suffix}"
        return head + (
            f"    const {key} size = bits & ({sign} - 1);\n"
            f"    if (size > 0x{infinity:x}{suffix}) return {last};\n"
            f"    if (size == 0) return {sign};\n"
            f"    return bits & {sign} ? ~({key})bits & {every} : bits | {sign};\n}}\n"
        )
    if dtype.kind == "i":
        return head + f"    return ({key})bits ^ {sign};\n}}\n"
    return head + "    return bits;\n}\n"


def _signature(*parameters: tuple[str, DType, bool]) -> tuple[Parameter, ...]:
    return tuple(Parameter(*parameter) for parameter in parameters)


@cache
def tile_source(dtype: DType, width: int) -> Source:
    """Return the kernel that sorts the tiles of each row, one block for each.

    `width`, a power of two, is how much of a tile a row takes: several short ones share a tile.
    """
    bits, bits_dtype = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    last = f"~({key})0"
    text = (
        key_function(dtype)
        + f"""\
extern "C" __global__ void __launch_bounds__({THREADS}) kernel(
    const long long rows,
    const long long length,
    const long long tiles,
    const {bits}* __restrict__ from,
    {key}* __restrict__ keys,
    unsigned int* __restrict__ places) {{
    __shared__ {key} held[{TILE}];
    __shared__ unsigned int place[{TILE}];
    const long long first = blockIdx.x / tiles * {TILE // width};
    const long long start = blockIdx.x % tiles * {TILE};
    for (int k = threadIdx.x; k < {TILE}; k += {THREADS}) {{
        const long long row = first + k / {width}, at = start + k % {width};
        const bool inside = row < rows && at < length;
        held[k] = inside ? key_of(from[row * length + at]) : {last};
        place[k] = inside ? (unsigned int)at : 0xffffffffU;
    }}
    __syncthreads();
    for (int size = 2; size <= {width}; size *= 2) {{
        for (int step = size / 2; step > 0; step /= 2) {{
            for (int p = threadIdx.x; p < {TILE // 2}; p += {THREADS}) {{
                const int i = 2 * p - (p & (step - 1));
                const int j = i + step;
                const bool rising = (i & size & {width - 1}) == 0;
                const bool above = held[i] > held[j] || (held[i] == held[j] && place[i] > place[j]);
                if (above == rising) {{
                    const {key} other = held[i];
                    const unsigned int there = place[i];
                    held[i] = held[j];
                    place[i] = place[j];
                    held[j] = other;
                    place[j] = there;
                }}
            }}
            __syncthreads();
        }}
    }}
    for (int k = threadIdx.x; k < {TILE}; k += {THREADS}) {{
        const long long row = first + k / {width}, at = start + k % {width};
        if (row < rows && at < length) {{
            keys[row * length + at] = held[k];
            places[row * length + at] = place[k];
        }}
    }}
}}
"""
    )
    signature = _signature(
        ("rows", _I8, False),
        ("length", _I8, False),
        ("tiles", _I8, False),
        ("from", bits_dtype, True),
        ("keys", key_dtype(dtype), True),
        ("places", _U4, True),
    )
    return Source("cuda", text, "kernel", signature)


@cache
def merge_source(keys: DType) -> Source:
    """Return the kernel that merges pairs of sorted runs of each row, a piece for each block.

    Two bisections along a diagonal [1]_ find which parts of both runs make up the piece; in shared
    memory each element then finds its place by bisection.

    .. [1] O. Green, R. McColl, D. A. Bader, "GPU merge path", ICS 2012.
    """
    key, _ = word(keys.itemsize)
    text = f"""\
extern "C" __global__ void __launch_bounds__({THREADS}) kernel(
    const long long length,
    const long long width,
    const long long pieces,
    const {key}* __restrict__ keys,
    const unsigned int* __restrict__ places,
    {key}* __restrict__ merged_keys,
    unsigned int* __restrict__ merged_places) {{
    __shared__ {key} held[{TILE}];
    __shared__ long long cut[2];
    const long long row = blockIdx.x / pieces * length;
    const long long from = blockIdx.x % pieces * {TILE};
    const long long base = from / (2 * width) * (2 * width);
    const long long middle = base + width < length ? base + width : length;
    const long long end = base + 2 * width < length ? base + 2 * width : length;
    const long long to = from + {TILE} < end ? from + {TILE} : end;
    const long long first_size = middle - base, second_size = end - middle;
    if (threadIdx.x < 2) {{
        // How many of the elements before this place come from the first run.
        const long long diagonal = (threadIdx.x ? to : from) - base;
        long long low = diagonal > second_size ? diagonal - second_size : 0;
        long long high = diagonal < first_size ? diagonal : first_size;
        while (low < high) {{
            const long long half = (low + high) / 2;
            if (keys[row + base + half] <= keys[row + middle + diagonal - half - 1]) low = half + 1;
            else high = half;
        }}
        cut[threadIdx.x] = low;
    }}
    __syncthreads();
    const long long first = base + cut[0];
    const long long second = middle + (from - base) - cut[0];
    const int count = (int)(cut[1] - cut[0]);
    const int size = (int)(to - from);
    for (int k = threadIdx.x; k < size; k += {THREADS}) {{
        held[k] = keys[row + (k < count ? first + k : second + k - count)];
    }}
    __syncthreads();
    for (int k = threadIdx.x; k < size; k += {THREADS}) {{
        const {key} own = held[k];
        const bool later = k >= count;
        int low = later ? 0 : count;
        int high = later ? count : size;
        const int start = low;
        // Of equal elements, those of the first run come first.
        while (low < high) {{
            const int half = (low + high) / 2;
            if (held[half] < own || (later && held[half] == own)) low = half + 1;
            else high = half;
        }}
        const long long at = row + from + (later ? k - count : k) + (low - start);
        merged_keys[at] = own;
        merged_places[at] = places[row + (later ? second + k - count : first + k)];
    }}
}}
"""
    signature = _signature(
        ("length", _I8, False),
        ("width", _I8, False),
        ("pieces", _I8, False),
        ("keys", keys, True),
        ("places", _U4, True),
        ("merged_keys", keys, True),
        ("merged_places", _U4, True),
    )
    return Source("cuda", text, "kernel", signature)


@cache
def pick_source(itemsize: int) -> Source:
    """Return the kernel that picks elements of rows by position; of no size: the positions."""
    name, dtype = word(itemsize) if itemsize else ("long long", _I8)
    value = "from[i / length * length + places[i]]" if itemsize else "places[i]"
    text = f"""\
extern "C" __global__ void __launch_bounds__({THREADS}) kernel(
    const long long total,
    const long long length,
    const {name}* __restrict__ from,
    const unsigned int* __restrict__ places,
    {name}* __restrict__ to) {{
    const long long i = (long long)blockIdx.x * {THREADS} + threadIdx.x;
    if (i < total) to[i] = {value};
}}
"""
    signature = _signature(
        ("total", _I8, False),
        ("length", _I8, False),
        ("from", dtype, True),
        ("places", _U4, True),
        ("to", dtype, True),
    )
    return Source("cuda", text, "kernel", signature)


@cache
def search_source(dtype: DType, right: bool) -> Source:
    """Return the kernel that finds by bisection where values belong in a sorted vector."""
    bits, bits_dtype = word(dtype.itemsize)
    key, _ = word(key_dtype(dtype).itemsize)
    before = "<=" if right else "<"
    text = (
        key_function(dtype)
        + f"""\
extern "C" __global__ void __launch_bounds__({THREADS}) kernel(
    const long long total,
    const long long length,
    const {bits}* __restrict__ sorted,
    const {bits}* __restrict__ values,
    long long* __restrict__ to) {{
    const long long i = (long long)blockIdx.x * {THREADS} + threadIdx.x;
    if (i >= total) return;
    const {key} wanted = key_of(values[i]);
    long long low = 0, high = length;
    while (low < high) {{
        const long long middle = (low + high) / 2;
        if (key_of(sorted[middle]) {before} wanted) low = middle + 1;
        else high = middle;
    }}
    to[i] = low;
}}
"""
    )
    signature = _signature(
        ("total", _I8, False),
        ("length", _I8, False),
        ("sorted", bits_dtype, True),
        ("values", bits_dtype, True),
        ("to", _I8, True),
    )
    return Source("cuda", text, "kernel", signature)
