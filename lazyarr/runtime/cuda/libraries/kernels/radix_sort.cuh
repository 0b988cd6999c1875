//: Kernels that sort by digits. Written for lazyarr after A. Adinets, D. Merrill, "Onesweep: a
//: faster least significant digit radix sort for GPUs", arXiv:2206.01784 (2022). radix_sort.py
//: puts key_of and digit_of in front, and describes the algorithm.

//# count
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long length,
    const long long pieces,
    const $bits* __restrict__ from,
    unsigned int* __restrict__ counts) {
    __shared__ unsigned int bins[$kinds];
    const long long row = blockIdx.x / pieces;
    const long long step = pieces * $piece;
    for (int k = threadIdx.x; k < $kinds; k += $threads) bins[k] = 0;
    __syncthreads();
    long long at = blockIdx.x % pieces * $piece + threadIdx.x;
    for (; at < length; at += step) {
        $bits item[$counted];
        #pragma unroll
        for (int i = 0; i < $counted; ++i) {
            const long long place = at + i * $threads;
            item[i] = place < length ? from[row * length + place] : 0;
        }
        #pragma unroll
        for (int i = 0; i < $counted; ++i) {
            if (at + i * $threads < length) {
                const unsigned long long key = key_of(item[i]);
                #pragma unroll
                for (int k = 0; k < $passes; ++k) {
                    atomicAdd(&bins[k * $digits + (int)(key >> (8 * k) & $last_digit)], 1U);
                }
            }
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < $kinds; k += $threads) {
        if (bins[k]) atomicAdd(&counts[row * $kinds + k], bins[k]);
    }
}

//# before
// The sum over the threads before this one.
static __device__ __forceinline__ unsigned int before(unsigned int value, unsigned int* warps) {
    const int lane = threadIdx.x % $warp, warp = threadIdx.x / $warp;
    unsigned int sum = value;
    #pragma unroll
    for (int step = 1; step < $warp; step *= 2) {
        const unsigned int other = __shfl_up_sync(0xffffffffU, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == $warp - 1) warps[warp] = sum;
    __syncthreads();
    unsigned int front = 0;
    #pragma unroll
    for (int k = 0; k < $warps; ++k) front += k < warp ? warps[k] : 0U;
    __syncthreads();
    return front + sum - value;
}

//# lanes
// The lanes of a warp that have the same digit, bit by bit: the instruction for it takes longer.
static __device__ __forceinline__ unsigned int lanes_of(const int digit) {
    unsigned int equal = 0xffffffffU;
    #pragma unroll
    for (int bit = 0; bit < $digit_bits; ++bit) {
        const bool is_set = digit >> bit & 1;
        const unsigned int set = __ballot_sync(0xffffffffU, is_set);
        equal &= is_set ? set : ~set;
    }
    return equal;
}

//# scatter
extern "C" __global__ void __launch_bounds__($threads, $blocks) kernel(
    const long long length,
    const long long tiles,
    const int kind,
    const int shift,
    const unsigned int* __restrict__ counts,
    unsigned int* ticket,
    volatile $status* states,
    const unsigned int* __restrict__ needed,
    const $bits* __restrict__ from,
#if $positions
    $bits* __restrict__ to,
    const unsigned int* __restrict__ places_from,
    unsigned int* __restrict__ places_to,
    long long* __restrict__ last) {
#else
    $bits* __restrict__ to) {
#endif
    if (needed && !*needed) return;
    // Ranks are no longer needed where elements are staged.
    __shared__ union {
        unsigned int ranks[$ranks];
        $bits staged[$tile];
    } room;
    __shared__ unsigned int starts[$digits];
    __shared__ long long offsets[$digits];
    __shared__ unsigned int warps[$warps];
    __shared__ unsigned int taken;
#if $positions
    __shared__ unsigned int places[$tile];
#endif
    const int own_digit = threadIdx.x;
    const int lane = threadIdx.x % $warp, warp = threadIdx.x / $warp;
    const unsigned int lower = (1U << lane) - 1;
#if $repeats
    while (true) {
#endif
    // Tiles in the order in which blocks begin: those before ours are under way or done.
    if (threadIdx.x == 0) taken = atomicAdd(ticket, 1U);
    for (int k = threadIdx.x; k < $ranks; k += $threads) room.ranks[k] = 0;
    __syncthreads();
#if $repeats
    if (taken >= tiles) return;
#endif
    const long long row = taken / tiles, tile = taken % tiles;
    const long long base = row * length, start = tile * $tile;
    const int size = length - start < $tile ? (int)(length - start) : $tile;
    $bits item[$items];
    unsigned int place[$items];
    #pragma unroll
    for (int i = 0; i < $items; ++i) {
        const int k = warp * $warp_items + i * $warp + lane;
        item[i] = k < size ? from[base + start + k] : 0;
    }
    // Digits are counted before they are ranked: the tiles behind this one wait for the counts.
    // What lies beyond the end comes last.
    #pragma unroll
    for (int i = 0; i < $items; ++i) {
        const int k = warp * $warp_items + i * $warp + lane;
        const int digit = k < size ? digit_of(item[i], shift) : $last_digit;
        atomicAdd(&room.ranks[warp * $digits + digit], 1U);
    }
    __syncthreads();
    unsigned int total = 0;
    #pragma unroll
    for (int k = 0; k < $warps; ++k) {
        const unsigned int count = room.ranks[k * $digits + own_digit];
        room.ranks[k * $digits + own_digit] = total;
        total += count;
    }
    volatile $status* const state = states + row * tiles * $digits + own_digit;
    if (tile) state[tile * $digits] = $tile_flag | total;
    const unsigned int first = before(total, warps);
    $status front = 0;
    if (tile == 0) {
        front = before(counts[(row * $passes + kind) * $digits + own_digit], warps);
    } else {
        // The first tile's is a sum, so that no tile before it counts.
        long long other = tile - 1;
        for (bool whole = false; !whole;) {
            $status seen[$before];
            #pragma unroll
            for (int k = 0; k < $before; ++k) {
                seen[k] = state[(other >= k ? other - k : 0) * $digits];
            }
            bool known = true;
            #pragma unroll
            for (int k = 0; k < $before; ++k) {
                known = known && !whole && seen[k] >> $low != 0;
                if (known) {
                    front += seen[k] & ($count_mask);
                    whole = seen[k] >> $low == 2;
                    --other;
                }
            }
        }
    }
    state[tile * $digits] = $sum_flag | (front + total);
    starts[own_digit] = first;
    offsets[own_digit] = (long long)front - first;
    __syncthreads();
    // A warp ranks its elements in order.
    #pragma unroll
    for (int i = 0; i < $items; ++i) {
        const int k = warp * $warp_items + i * $warp + lane;
        const int digit = k < size ? digit_of(item[i], shift) : $last_digit;
        const unsigned int equal = lanes_of(digit);
        unsigned int* const rank = &room.ranks[warp * $digits + digit];
        const unsigned int earlier = *rank;
        __syncwarp();
        if ((equal & lower) == 0) *rank = earlier + __popc(equal);
        __syncwarp();
        place[i] = earlier + __popc(equal & lower) + starts[digit];
    }
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < $items; ++i) room.staged[place[i]] = item[i];
#if $positions
    #pragma unroll
    for (int i = 0; i < $items; ++i) {
        const int k = warp * $warp_items + i * $warp + lane;
        unsigned int position = (unsigned int)(start + k);
        if (places_from && k < size) position = places_from[base + start + k];
        places[place[i]] = position;
    }
#endif
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < $items; ++i) {
        const int k = i * $threads + threadIdx.x;
        if (k >= size) break;
        const $bits own = room.staged[k];
        const long long there = base + offsets[digit_of(own, shift)] + k;
#if $positions
        if (last) {
            last[there] = places[k];
        } else {
            to[there] = own;
            places_to[there] = places[k];
        }
#else
        to[there] = own;
#endif
    }
#if $repeats
    __syncthreads();
    }
#endif
}
