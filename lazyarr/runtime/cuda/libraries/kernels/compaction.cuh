//: Kernels that keep what a mask selects. Written for lazyarr; compaction.py launches them.

//# places
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long total,
    unsigned int* ticket,
    volatile unsigned long long* states,
    const unsigned char* __restrict__ mask,
    long long* __restrict__ places) {
    __shared__ unsigned int counts[$warps];
    __shared__ unsigned int taken;
    __shared__ unsigned long long front;
    const int lane = threadIdx.x % $warp, warp = threadIdx.x / $warp;
    const unsigned int lower = (1U << lane) - 1;
    if (threadIdx.x == 0) taken = atomicAdd(ticket, 1U);
    __syncthreads();
    const long long tile = taken;
    const long long start = tile * $tile + warp * $warp_items + lane;
    bool here[$items];
    unsigned int rank[$items];
    #pragma unroll
    for (int i = 0; i < $items; ++i) {
        here[i] = start + i * $warp < total && mask[start + i * $warp] != 0;
    }
    unsigned int count = 0;
    #pragma unroll
    for (int i = 0; i < $items; ++i) {
        const unsigned int votes = __ballot_sync(0xffffffffU, here[i]);
        rank[i] = count + __popc(votes & lower);
        count += __popc(votes);
    }
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    unsigned int before = 0, whole = 0;
    #pragma unroll
    for (int k = 0; k < $warps; ++k) {
        before += k < warp ? counts[k] : 0U;
        whole += counts[k];
    }
    if (threadIdx.x == 0) {
        // The two highest bits say: this tile alone, or all up to it.
        if (tile) states[tile] = (1ULL << 62) | whole;
        unsigned long long sum = 0;
        long long other = tile - 1;
        while (other >= 0) {
            const unsigned long long seen = states[other];
            if (seen >> 62 == 0) continue;
            sum += seen & ((1ULL << 62) - 1);
            if (seen >> 62 == 2) break;
            --other;
        }
        states[tile] = (2ULL << 62) | (sum + whole);
        front = sum;
    }
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < $items; ++i) {
        if (here[i]) places[front + before + rank[i]] = start + i * $warp;
    }
}

//# rows
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long total,
    const long long width,
    const $word* __restrict__ from,
    const long long* __restrict__ places,
    $word* __restrict__ to) {
    const long long i = (long long)blockIdx.x * $threads + threadIdx.x;
    if (i < total) to[i] = from[places[i / width] * width + i % width];
}
