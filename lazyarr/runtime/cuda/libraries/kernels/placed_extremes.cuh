//: Kernels that take the extremes of rows that fall on the same place. Written for lazyarr;
//: placed_extremes.py describes the algorithm.

//# begin
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const long long lead,
    const $bits* __restrict__ start,
    $bits* __restrict__ ranks,
    unsigned int* special) {
    for (long long i = (long long)blockIdx.x * $threads + threadIdx.x; i < total;
         i += blocks * $threads) {
        const $bits own = start[i * lead];
        ranks[i] = rank_of(own);
        if (is_special(own)) *special = 1;
    }
}

//# raise
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const long long count,
    const long long width,
    const long long step,
    const $place* __restrict__ places,
    const $bits* __restrict__ values,
    $bits* ranks,
    unsigned int* special,
    unsigned long long* far) {
    for (long long i = (long long)blockIdx.x * $threads + threadIdx.x; i < total;
         i += blocks * $threads) {
        const long long row = i / width, column = i % width;
        const $bits own = values[row * step + (step ? column : 0)];
        $bits* const to = ranks + placed(places[row], count, far) * width + column;
        const $bits rank = rank_of(own);
        // Ranks only rise, so one that was read too early is too low.
        if (rank > *(volatile $bits*)to) atomicMax(to, rank);
        if (is_special(own)) *special = 1;
    }
}

//# settle
// Of equal zeros the last is taken, and the first NaN.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const long long count,
    const long long width,
    const long long step,
    const $place* __restrict__ places,
    const $bits* __restrict__ values,
    const $bits* __restrict__ ranks,
    const unsigned int* __restrict__ special,
    unsigned int* ties,
    unsigned long long* far) {
    if (!*special) return;
    for (long long i = (long long)blockIdx.x * $threads + threadIdx.x; i < total;
         i += blocks * $threads) {
        const long long row = i / width, column = i % width;
        const $bits rank = rank_of(values[row * step + (step ? column : 0)]);
        if (rank != $zero && rank != $nan) continue;
        const long long to = placed(places[row], count, far) * width + column;
        const unsigned int number = (unsigned int)row + 1;
        if (ranks[to] == rank) atomicMax(ties + to, rank == $nan ? ~number : number);
    }
}

//# end
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const long long width,
    const long long step,
    const long long lead,
    const $bits* __restrict__ start,
    const $bits* __restrict__ values,
    const unsigned int* __restrict__ special,
    const unsigned int* __restrict__ ties,
    $bits* __restrict__ ranks) {
    for (long long i = (long long)blockIdx.x * $threads + threadIdx.x; i < total;
         i += blocks * $threads) {
        const $bits rank = ranks[i];
        $bits own = bits_of(rank);
        if ($is_float && *special && (rank == $zero || rank == $nan)) {
            own = start[i * lead];
            const unsigned int tie = ties[i];
            if (tie && (rank == $zero || rank_of(own) != rank)) {
                const long long row = (rank == $nan ? ~tie : tie) - 1;
                own = values[row * step + (step ? i % width : 0)];
            }
        }
        ranks[i] = own;
    }
}

//# negate
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long total,
    const $bits* __restrict__ from,
    $bits* __restrict__ to) {
    const long long i = (long long)blockIdx.x * $threads + threadIdx.x;
    if (i < total) to[i] = $negative;
}
