//: Kernels whose warps or threads sort short rows in registers. Written for lazyarr after
//: K. E. Batcher, "Sorting networks and their applications", AFIPS 32 (1968); warp_sort.py has what
//: they do.

//# key
static __device__ __forceinline__ bool before($item a, $item b) { return a < b; }

static __device__ __forceinline__ $item passed($item own, int distance) {
    return __shfl_xor_sync(0xffffffffU, own, distance);
}

//# pair
struct item {
    unsigned long long key;
    unsigned int place;
};

static __device__ __forceinline__ bool before(item a, item b) {
    return a.key < b.key || (a.key == b.key && a.place < b.place);
}

static __device__ __forceinline__ item passed(item own, int distance) {
    item other;
    other.key = __shfl_xor_sync(0xffffffffU, own.key, distance);
    other.place = __shfl_xor_sync(0xffffffffU, own.place, distance);
    return other;
}

//# sort
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long length,
    const $bits* __restrict__ from,
    $out* __restrict__ to) {
    const int lane = threadIdx.x % $warp, at = lane % $lanes;
    const long long warp = ((long long)blockIdx.x * $threads + threadIdx.x) / $warp;
    const long long row = warp * $rows_of_warp + lane / $lanes;
    const long long start = row * length;
    $item items[$items];
    #pragma unroll
    for (int e = 0; e < $items; ++e) {
        const unsigned int place = e * $warp + at;
        const bool inside = row < rows && place < length;
        items[e] = $last;
        if (inside) items[e] = $item_at;
    }
    // Rows of a power of two are made of two halves in opposite orders, each sorted before.
    for (int size = 2; size <= $lanes; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            #pragma unroll
            for (int e = 0; e < $items; ++e) {
                const bool rises = size < $warp ? !(at & size) : !(e & 1) || $items == 1;
                const $item other = passed(items[e], distance);
                const bool first = !(at & distance) == rises;
                if (first ? before(other, items[e]) : before(items[e], other)) items[e] = other;
            }
        }
    }
    #pragma unroll
    for (int size = 2; size <= $items; size *= 2) {
        #pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            #pragma unroll
            for (int e = 0; e < $items; ++e) {
                if (e & distance) continue;
                const bool rises = !(e & size);
                const $item low = items[e], high = items[e + distance];
                if (rises ? before(high, low) : before(low, high)) {
                    items[e] = high;
                    items[e + distance] = low;
                }
            }
        }
        for (int distance = $warp / 2; distance > 0; distance /= 2) {
            #pragma unroll
            for (int e = 0; e < $items; ++e) {
                const $item other = passed(items[e], distance);
                const bool first = !(at & distance) == !(e & size);
                if (first ? before(other, items[e]) : before(items[e], other)) items[e] = other;
            }
        }
    }
    #pragma unroll
    for (int e = 0; e < $items; ++e) {
        const unsigned int place = e * $warp + at;
        if (row < rows && place < length) to[start + place] = $value;
    }
}

//# rows
// What comes first of two goes to the first one.
static __device__ __forceinline__ void exchange($item& one, $item& two) {
    const $item first = one, second = two;
    const bool falls = before(second, first);
    one = falls ? second : first;
    two = falls ? first : second;
}

extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long length,
    const $bits* __restrict__ from,
    $out* __restrict__ to) {
    __shared__ $bits staged[$threads * $pitch];
    const long long first_row = (long long)blockIdx.x * $threads, first = first_row * $length;
    const int own_rows = rows - first_row < $threads ? (int)(rows - first_row) : $threads;
    const int size = own_rows * $length;
    $bits loaded[$length];
    #pragma unroll
    for (int e = 0; e < $length; ++e) {
        const int k = e * $threads + threadIdx.x;
        loaded[e] = k < size ? from[first + k] : 0;
    }
    #pragma unroll
    for (int e = 0; e < $length; ++e) {
        const int k = e * $threads + threadIdx.x;
        staged[k / $length * $pitch + k % $length] = loaded[e];
    }
    __syncthreads();
    // Rows lie apart by an odd number of elements, in different banks.
    $bits* const own = staged + threadIdx.x * $pitch;
    $item items[$length];
    #pragma unroll
    for (int e = 0; e < $length; ++e) items[e] = $item_at;
$exchanges
    $bits sorted[$length];
    #pragma unroll
    for (int e = 0; e < $length; ++e) sorted[e] = $value;
    #pragma unroll
    for (int e = 0; e < $length; ++e) own[e] = sorted[e];
    __syncthreads();
    #pragma unroll
    for (int e = 0; e < $length; ++e) {
        const int k = e * $threads + threadIdx.x;
        if (k < size) to[first + k] = ($out)staged[k / $length * $pitch + k % $length];
    }
}
