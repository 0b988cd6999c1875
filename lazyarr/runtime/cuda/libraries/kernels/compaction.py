"""Kernels that keep what a mask selects: CUDA C without a header."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS, word

__all__ = ["TILE", "places_source", "rows_source"]

_ITEMS = 16
_WARPS = THREADS // 32
#: Entries of a mask that a block looks at.
TILE = THREADS * _ITEMS

_I8 = np.dtype(np.int64)
_U1 = np.dtype(np.uint8)
_U4 = np.dtype(np.uint32)
_U8 = np.dtype(np.uint64)


@cache
def places_source() -> Source:
    """Return the kernel that writes where a mask is true, in order.

    Blocks take tiles in turn; each adds up how many entries are true in the tiles before its own,
    which blocks that began earlier tell of.
    """
    text = f"""\
extern "C" __global__ void __launch_bounds__({THREADS}) kernel(
    const long long total,
    unsigned int* turn,
    volatile unsigned long long* states,
    const unsigned char* __restrict__ mask,
    long long* __restrict__ places) {{
    __shared__ unsigned int counts[{_WARPS}];
    __shared__ unsigned int taken;
    __shared__ unsigned long long front;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned int lower = (1U << lane) - 1;
    if (threadIdx.x == 0) taken = atomicAdd(turn, 1U);
    __syncthreads();
    const long long tile = taken;
    const long long start = tile * {TILE} + warp * {32 * _ITEMS} + lane;
    bool here[{_ITEMS}];
    unsigned int rank[{_ITEMS}];
    #pragma unroll
    for (int i = 0; i < {_ITEMS}; ++i) {{
        here[i] = start + i * 32 < total && mask[start + i * 32] != 0;
    }}
    unsigned int count = 0;
    #pragma unroll
    for (int i = 0; i < {_ITEMS}; ++i) {{
        const unsigned int found = __ballot_sync(0xffffffffU, here[i]);
        rank[i] = count + __popc(found & lower);
        count += __popc(found);
    }}
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    unsigned int before = 0, whole = 0;
    #pragma unroll
    for (int k = 0; k < {_WARPS}; ++k) {{
        before += k < warp ? counts[k] : 0U;
        whole += counts[k];
    }}
    if (threadIdx.x == 0) {{
        // The two highest bits say: this tile alone, or all up to it.
        if (tile) states[tile] = (1ULL << 62) | whole;
        unsigned long long sum = 0;
        long long other = tile - 1;
        while (other >= 0) {{
            const unsigned long long seen = states[other];
            if (seen >> 62 == 0) continue;
            sum += seen & ((1ULL << 62) - 1);
            if (seen >> 62 == 2) break;
            --other;
        }}
        states[tile] = (2ULL << 62) | (sum + whole);
        front = sum;
    }}
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < {_ITEMS}; ++i) {{
        if (here[i]) places[front + before + rank[i]] = start + i * 32;
    }}
}}
"""
    signature = (
        Parameter("total", _I8, False),
        Parameter("turn", _U4, True),
        Parameter("states", _U8, True),
        Parameter("mask", _U1, True),
        Parameter("places", _I8, True),
    )
    return Source("cuda", text, "kernel", signature)


@cache
def rows_source(itemsize: int) -> Source:
    """Return the kernel that copies rows by their positions."""
    name, dtype = word(itemsize)
    text = f"""\
extern "C" __global__ void __launch_bounds__({THREADS}) kernel(
    const long long total,
    const long long width,
    const {name}* __restrict__ from,
    const long long* __restrict__ places,
    {name}* __restrict__ to) {{
    const long long i = (long long)blockIdx.x * {THREADS} + threadIdx.x;
    if (i < total) to[i] = from[places[i / width] * width + i % width];
}}
"""
    signature: tuple[Any, ...] = (
        Parameter("total", _I8, False),
        Parameter("width", _I8, False),
        Parameter("from", dtype, True),
        Parameter("places", _I8, True),
        Parameter("to", dtype, True),
    )
    return Source("cuda", text, "kernel", signature)
