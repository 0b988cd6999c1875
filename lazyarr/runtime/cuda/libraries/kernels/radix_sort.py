"""Kernels that sort long rows digit by digit: CUDA C without a header.

Elements are moved as they are; a digit is eight bits of the key whose order is NumPy's. One pass
counts all digits. Each further pass orders by one digit, from the lowest, and keeps the order of
equal ones, so that the last leaves a stable order. A pass reads and writes every element once: the
blocks take tiles in turn, and learn how many equal digits lie in the tiles before theirs while
those are still being worked on [1]_.

.. [1] A. Adinets, D. Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
   arXiv:2206.01784 (2022).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_function

__all__ = ["DIGITS", "count_source", "state_dtype", "sweep_source", "tile_size"]

DType = np.dtype[Any]

#: Values of a digit: one thread looks after each.
DIGITS = 256
_WARPS = THREADS // 32
#: Elements that a thread counts at once.
_COUNTED = 16
#: Rows shorter than this fit their counts into 32 bits beside two flags.
_NARROW = 1 << 30

_I4 = np.dtype(np.int32)
_I8 = np.dtype(np.int64)
_U4 = np.dtype(np.uint32)
_U8 = np.dtype(np.uint64)


def passes(dtype: DType) -> int:
    """Return how many digits an element has."""
    return dtype.itemsize


def tile_size(dtype: DType) -> int:
    """Return the elements of a tile: as many as shared memory holds with their positions."""
    return THREADS * (12 if dtype.itemsize == 8 else 16)


def state_dtype(length: int) -> DType:
    """Return the dtype of the words by which tiles of so long a row tell of their counts."""
    return _U4 if length < _NARROW else _U8


def _digit_function(dtype: DType) -> str:
    bits, _ = word(dtype.itemsize)
    return key_function(dtype) + (
        f"static __device__ __forceinline__ unsigned int digit_of({bits} bits, int shift) {{\n"
        f"    return (unsigned int)(key_of(bits) >> shift) & {DIGITS - 1}U;\n}}\n"
    )


@cache
def count_source(dtype: DType) -> Source:
    """Return the kernel that counts, for each row, how often each value of each digit occurs."""
    bits, bits_dtype = word(dtype.itemsize)
    kinds = passes(dtype) * DIGITS
    text = (
        key_function(dtype)
        + f"""\
extern "C" __global__ void __launch_bounds__({THREADS}) kernel(
    const long long length,
    const long long pieces,
    const {bits}* __restrict__ from,
    unsigned int* __restrict__ counts) {{
    __shared__ unsigned int held[{kinds}];
    const long long row = blockIdx.x / pieces;
    const long long step = pieces * {THREADS * _COUNTED};
    for (int k = threadIdx.x; k < {kinds}; k += {THREADS}) held[k] = 0;
    __syncthreads();
    long long at = blockIdx.x % pieces * {THREADS * _COUNTED} + threadIdx.x;
    for (; at < length; at += step) {{
        {bits} item[{_COUNTED}];
        #pragma unroll
        for (int i = 0; i < {_COUNTED}; ++i) {{
            const long long place = at + i * {THREADS};
            item[i] = place < length ? from[row * length + place] : 0;
        }}
        #pragma unroll
        for (int i = 0; i < {_COUNTED}; ++i) {{
            if (at + i * {THREADS} < length) {{
                const unsigned long long key = key_of(item[i]);
                #pragma unroll
                for (int k = 0; k < {passes(dtype)}; ++k) {{
                    atomicAdd(&held[k * {DIGITS} + (int)(key >> (8 * k) & {DIGITS - 1})], 1U);
                }}
            }}
        }}
    }}
    __syncthreads();
    for (int k = threadIdx.x; k < {kinds}; k += {THREADS}) {{
        if (held[k]) atomicAdd(&counts[row * {kinds} + k], held[k]);
    }}
}}
"""
    )
    signature = (
        Parameter("length", _I8, False),
        Parameter("pieces", _I8, False),
        Parameter("from", bits_dtype, True),
        Parameter("counts", _U4, True),
    )
    return Source("cuda", text, "kernel", signature)


_BEFORE = f"""\
// The sum over the threads before this one.
static __device__ __forceinline__ unsigned int before(unsigned int value, unsigned int* warps) {{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned int sum = value;
    #pragma unroll
    for (int step = 1; step < 32; step *= 2) {{
        const unsigned int other = __shfl_up_sync(0xffffffffU, sum, step);
        if (lane >= step) sum += other;
    }}
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    unsigned int front = 0;
    #pragma unroll
    for (int k = 0; k < {_WARPS}; ++k) front += k < warp ? warps[k] : 0U;
    __syncthreads();
    return front + sum - value;
}}
"""


@cache
def sweep_source(dtype: DType, positions: bool, state: DType) -> Source:
    """Return the kernel of one pass.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    positions : bool
        Whether the positions of the elements move with them. Without `places_from` an element's
        position is where it lies; the `last` pass writes positions only, as int64.
    state : numpy.dtype
        Of the words by which tiles tell of their counts.
    """
    bits, bits_dtype = word(dtype.itemsize)
    told, _ = word(state.itemsize)
    tile = tile_size(dtype)
    items = tile // THREADS
    suffix = "U" if state.itemsize == 4 else "ULL"
    low = 8 * state.itemsize - 2
    counted, summed = f"(1{suffix} << {low})", f"(2{suffix} << {low})"
    value = f"(1{suffix} << {low}) - 1"
    only = (lambda text: text) if positions else (lambda text: "")
    parameters = [
        ("const long long length", Parameter("length", _I8, False)),
        ("const long long tiles", Parameter("tiles", _I8, False)),
        ("const int digit", Parameter("digit", _I4, False)),
        ("const unsigned int* __restrict__ counts", Parameter("counts", _U4, True)),
        ("unsigned int* turn", Parameter("turn", _U4, True)),
        (f"volatile {told}* states", Parameter("states", state, True)),
        (f"const {bits}* __restrict__ from", Parameter("from", bits_dtype, True)),
        (f"{bits}* __restrict__ to", Parameter("to", bits_dtype, True)),
    ]
    if positions:
        parameters += [
            ("const unsigned int* __restrict__ places_from", Parameter("places_from", _U4, True)),
            ("unsigned int* __restrict__ places_to", Parameter("places_to", _U4, True)),
            ("long long* __restrict__ last", Parameter("last", _I8, True)),
        ]
    listed = ",\n    ".join(text for text, _ in parameters)
    deliver = "to[base + offsets[digit_of(own, shift)] + k] = own;"
    if positions:
        deliver = """\
const long long there = base + offsets[digit_of(own, shift)] + k;
        if (last) {
            last[there] = places[k];
        } else {
            to[there] = own;
            places_to[there] = places[k];
        }"""
    text = (
        _digit_function(dtype)
        + _BEFORE
        + f"""\
extern "C" __global__ void __launch_bounds__({THREADS}) kernel(
    {listed}) {{
    __shared__ unsigned int ranks[{_WARPS * DIGITS}];
    __shared__ unsigned int starts[{DIGITS}];
    __shared__ long long offsets[{DIGITS}];
    __shared__ unsigned int warps[{_WARPS}];
    __shared__ unsigned int taken;
    __shared__ {bits} held[{tile}];
"""
        + only(f"    __shared__ unsigned int places[{tile}];\n")
        + f"""\
    const int own_digit = threadIdx.x;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned int lower = (1U << lane) - 1;
    const int shift = 8 * digit;
    // Tiles in the order in which blocks begin: those before ours are under way or done.
    if (threadIdx.x == 0) taken = atomicAdd(turn, 1U);
    for (int k = threadIdx.x; k < {_WARPS * DIGITS}; k += {THREADS}) ranks[k] = 0;
    __syncthreads();
    const long long row = taken / tiles, tile = taken % tiles;
    const long long base = row * length, start = tile * {tile};
    const int size = length - start < {tile} ? (int)(length - start) : {tile};
    {bits} item[{items}];
    unsigned int place[{items}];
    #pragma unroll
    for (int i = 0; i < {items}; ++i) {{
        const int k = warp * {32 * items} + i * 32 + lane;
        item[i] = k < size ? from[base + start + k] : 0;
    }}
    // A warp counts the digits of its elements in order. What lies beyond the end comes last.
    #pragma unroll
    for (int i = 0; i < {items}; ++i) {{
        const int k = warp * {32 * items} + i * 32 + lane;
        const unsigned int digit = k < size ? digit_of(item[i], shift) : {DIGITS - 1}U;
        const unsigned int equal = __match_any_sync(0xffffffffU, digit);
        unsigned int* const rank = &ranks[warp * {DIGITS} + digit];
        const unsigned int earlier = *rank;
        __syncwarp();
        if ((equal & lower) == 0) *rank = earlier + __popc(equal);
        __syncwarp();
        place[i] = earlier + __popc(equal & lower);
    }}
    __syncthreads();
    unsigned int total = 0;
    #pragma unroll
    for (int k = 0; k < {_WARPS}; ++k) {{
        const unsigned int count = ranks[k * {DIGITS} + own_digit];
        ranks[k * {DIGITS} + own_digit] = total;
        total += count;
    }}
    volatile {told}* const state = states + row * tiles * {DIGITS} + own_digit;
    if (tile) state[tile * {DIGITS}] = {counted} | total;
    const unsigned int first = before(total, warps);
    {told} front = 0;
    if (tile == 0) {{
        front = before(counts[(row * {passes(dtype)} + digit) * {DIGITS} + own_digit], warps);
    }} else {{
        long long other = tile - 1;
        while (true) {{
            const {told} seen = state[other * {DIGITS}];
            if (seen >> {low} == 0) continue;
            front += seen & ({value});
            if (seen >> {low} == 2) break;
            --other;
        }}
    }}
    state[tile * {DIGITS}] = {summed} | (front + total);
    starts[own_digit] = first;
    offsets[own_digit] = (long long)front - first;
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < {items}; ++i) {{
        const int k = warp * {32 * items} + i * 32 + lane;
        const unsigned int digit = k < size ? digit_of(item[i], shift) : {DIGITS - 1}U;
        const unsigned int there = place[i] + ranks[warp * {DIGITS} + digit] + starts[digit];
        held[there] = item[i];
"""
        + only("        place[i] = there;\n")
        + "    }\n"
        + only(
            f"""\
    #pragma unroll
    for (int i = 0; i < {items}; ++i) {{
        const int k = warp * {32 * items} + i * 32 + lane;
        unsigned int position = (unsigned int)(start + k);
        if (places_from && k < size) position = places_from[base + start + k];
        places[place[i]] = position;
    }}
"""
        )
        + f"""\
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < {items}; ++i) {{
        const int k = i * {THREADS} + threadIdx.x;
        if (k >= size) break;
        const {bits} own = held[k];
        {deliver}
    }}
}}
"""
    )
    return Source("cuda", text, "kernel", tuple(p for _, p in parameters))
