//: Kernels that select the least of each row. Written for lazyarr; merge_sort.py puts key_of in
//: front, and describes the algorithm.

//# before
// Whether one element comes before another: keys are equal only where elements are.
static __device__ __forceinline__ bool before(
    const $key key, const unsigned int place, const $key other, const unsigned int there) {
    return key < other || (key == other && place < there);
}

//# part
// Keep the first `count` of `taken` elements, in order.
static __device__ __noinline__ void keep(
    $key* keys, unsigned int* places, const int taken, const int count) {
    $key own[$turns];
    unsigned int where[$turns];
    int ranks[$turns];
    #pragma unroll
    for (int turn = 0; turn < $turns; turn++) {
        const int slot = turn * $threads + threadIdx.x;
        ranks[turn] = count;
        if (slot < taken) {
            own[turn] = keys[slot];
            where[turn] = places[slot];
            int rank = 0;
            #pragma unroll 1
            for (int k = 0; k < taken; k++) {
                rank += before(keys[k], places[k], own[turn], where[turn]);
            }
            ranks[turn] = rank;
        }
    }
    __syncthreads();
    #pragma unroll
    for (int turn = 0; turn < $turns; turn++) {
        if (ranks[turn] < count) {
            keys[ranks[turn]] = own[turn];
            places[ranks[turn]] = where[turn];
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long length,
    const long long pieces,
    const int count,
    const int first,
    $parameters) {
    __shared__ $key keys[$room];
    __shared__ unsigned int places[$room];
    __shared__ $key bound;
    __shared__ unsigned int bound_place;
    __shared__ int taken;
    const long long row = blockIdx.x / pieces, piece = blockIdx.x % pieces;
    const long long start = row * length;
    const long long begin = length * piece / pieces, end = length * (piece + 1) / pieces;
    $key least = $last;
    unsigned int where = 0xffffffffU;
    #pragma unroll 2
    for (long long i = begin + threadIdx.x; i < end; i += $threads) {
        const $key key = $key_at;
        const unsigned int place = $place_at;
        if (before(key, place, least, where)) {
            least = key;
            where = place;
        }
    }
    keys[threadIdx.x] = least;
    places[threadIdx.x] = where;
    if (threadIdx.x == 0) {
        bound = $last;
        bound_place = 0xffffffffU;
        taken = 0;
    }
    __syncthreads();
    int rank = 0;
    #pragma unroll 4
    for (int k = 0; k < $threads; k++) rank += before(keys[k], places[k], least, where);
    __syncthreads();
    // So many threads have an element up to this one: no other can be among the first.
    if (rank == count - 1) {
        bound = least;
        bound_place = where;
    }
    __syncthreads();
    for (long long base = begin; base < end; base += $threads * $items) {
        const $key most = bound;
        const unsigned int most_place = bound_place;
        #pragma unroll
        for (int item = 0; item < $items; item++) {
            const long long i = base + item * $threads + threadIdx.x;
            if (i < end) {
                const $key key = $key_at;
                const unsigned int place = $place_at;
                if (!before(most, most_place, key, place)) {
                    const int slot = atomicAdd(&taken, 1);
                    keys[slot] = key;
                    places[slot] = place;
                }
            }
        }
        __syncthreads();
        const int now = taken;
        __syncthreads();
        if (now > $room - $threads * $items) {
            keep(keys, places, now, count);
            if (threadIdx.x == 0) {
                taken = count;
                bound = keys[count - 1];
                bound_place = places[count - 1];
            }
            __syncthreads();
        }
    }
    const int now = taken;
    keep(keys, places, now, count);
    for (int k = threadIdx.x; k < count; k += $threads) {
        const $key key = k < now ? keys[k] : $last;
        const unsigned int place = k < now ? places[k] : 0xffffffffU;
        const long long at = (long long)blockIdx.x * count + (first ? k : count - 1 - k);
        $write
    }
}

//# few
// What comes first of two lanes' elements goes to the one that is `low`.
static __device__ __forceinline__ void exchange(
    $key& key, unsigned int& place, const int step, const bool low) {
    const $key other = __shfl_xor_sync(0xffffffffU, key, step);
    const unsigned int there = __shfl_xor_sync(0xffffffffU, place, step);
    if (before(other, there, key, place) == low) {
        key = other;
        place = there;
    }
}

// A warp keeps the first elements of a row in order, one a lane. Among them go those of the next 32
// that come before the `count`-th: few of them one by one; many are put in falling order, and the
// first of each lane's two in order once more.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long length,
    const int count,
    const int first,
    const $bits* __restrict__ from,
    $out* __restrict__ to) {
    // Warps go on alone.
    const unsigned int all = 0xffffffffU;
    const int lane = threadIdx.x % $warp;
    const long long own_row = (long long)blockIdx.x * ($threads / $warp) + threadIdx.x / $warp;
    const long long row = own_row < rows ? own_row : rows - 1;
    const long long start = row * length;
    $key best = $last, bound = $last;
    unsigned int where = all, bound_place = all;
    for (long long base = 0; base < length; base += $warp * $items) {
        $bits loaded[$items];
        #pragma unroll
        for (int item = 0; item < $items; item++) {
            const long long i = base + item * $warp + lane;
            loaded[item] = i < length ? from[start + i] : 0;
        }
        #pragma unroll
        for (int item = 0; item < $items; item++) {
            const long long i = base + item * $warp + lane;
            $key key = i < length ? ($key)$key_at : $last;
            unsigned int place = i < length ? $place_at : all;
            unsigned int fresh = __ballot_sync(all, before(key, place, bound, bound_place));
            if (!fresh) continue;
            if (__popc(fresh) > $many) {
                #pragma unroll 1
                for (int size = 2; size <= $warp; size *= 2) {
                    #pragma unroll 1
                    for (int step = size / 2; step > 0; step /= 2) {
                        const bool falling = size == $warp || (lane & size) == 0;
                        exchange(key, place, step, ((lane & step) == 0) != falling);
                    }
                }
                if (before(key, place, best, where)) {
                    best = key;
                    where = place;
                }
                #pragma unroll 1
                for (int step = $warp / 2; step > 0; step /= 2) {
                    exchange(best, where, step, (lane & step) == 0);
                }
            } else {
                #pragma unroll 1
                for (; fresh; fresh &= fresh - 1) {
                    const int source = __popc((fresh & (0U - fresh)) - 1);
                    const $key own = __shfl_sync(all, key, source);
                    const unsigned int there = __shfl_sync(all, place, source);
                    const unsigned int ahead =
                        __ballot_sync(all, before(best, where, own, there));
                    const $key moved = __shfl_up_sync(all, best, 1);
                    const unsigned int from_there = __shfl_up_sync(all, where, 1);
                    const int target = __popc(ahead);
                    best = lane < target ? best : lane == target ? own : moved;
                    where = lane < target ? where : lane == target ? there : from_there;
                }
            }
            bound = __shfl_sync(all, best, count - 1);
            bound_place = __shfl_sync(all, where, count - 1);
        }
    }
    if (lane < count && own_row < rows) {
        const unsigned int place = where;
        const long long at = row * count + (first ? lane : count - 1 - lane);
        $write
    }
}
