//: A kernel that counts in bins of equal widths, with the formula of numpy.histogram, operation by
//: operation. Written for lazyarr; histograms.py launches it.

//# count
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const long long bins,
    const double lowest,
    const double highest,
    const double first,
    const double span,
    const $value* __restrict__ values,
    const $edge* __restrict__ edges,
    unsigned long long* counts) {
    __shared__ unsigned int counted[$room];
    const bool in_block = bins <= $room;
    for (int k = threadIdx.x; k < $room; k += $threads) counted[k] = 0;
    __syncthreads();
    const long long tile = $threads * $items;
    for (long long base = (long long)blockIdx.x * tile + threadIdx.x; base < total;
         base += blocks * tile) {
        $value own[$items];
        #pragma unroll
        for (int e = 0; e < $items; ++e) {
            const long long i = base + e * $threads;
            if (i < total) own[e] = values[i];
        }
        #pragma unroll
        for (int e = 0; e < $items; ++e) {
            const bool inside = (double)own[e] >= lowest && (double)own[e] <= highest;
            if (base + e * $threads >= total || !inside) continue;
            const $edge x = ($edge)own[e];
            const $edge offset = x - ($edge)first;
            const $scaled scaled = ($scaled)offset / ($scaled)span * ($scaled)bins;
            long long bin = (long long)scaled;
            if (bin == bins) --bin;
            // The quotient may be rounded across an edge.
            if (x < edges[bin]) --bin;
            if (bin != bins - 1 && x >= edges[bin + 1]) ++bin;
            if (in_block) atomicAdd(&counted[bin], 1U);
            else atomicAdd(&counts[bin], 1ULL);
        }
    }
    __syncthreads();
    if (!in_block) return;
    for (int k = threadIdx.x; k < bins; k += $threads) {
        if (counted[k]) atomicAdd(&counts[k], (unsigned long long)counted[k]);
    }
}
