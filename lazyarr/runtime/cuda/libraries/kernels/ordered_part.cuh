//: Kernels that select the least of each row. Written for lazyarr; merge_sort.py puts key_of in
//: front, and describes the algorithm.

//# part
// Whether one element comes before another: keys are equal only where elements are.
static __device__ __forceinline__ bool before(
    const $key key, const unsigned int place, const $key other, const unsigned int there) {
    return key < other || (key == other && place < there);
}

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
