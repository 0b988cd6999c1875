//: The kernel that adds numbers in no order, of tiles in the order of buckets: the numbers of a
//: bucket are put in the order of classes of places, each of which is a thread's.
//: Written for lazyarr; owned_sums.py puts `before` and `find` in front, and launches it.

//# owned
// Load the rows of a list, put them in the order of classes of places, and add them. A class is a
// thread's, which adds its rows one after another in their order; those of neighbouring threads lie
// side by side, or one behind the other where a class has more rows than there is room for. Returns
// additions in a row. The sums of a class lie in memory; of one place, the thread has its own.
static __device__ __forceinline__ unsigned int add(
    const unsigned int size,
    const unsigned int* __restrict__ near,
    const $value* __restrict__ moved,
    const unsigned int* list,
    unsigned int* counters,
    unsigned int* begins,
    unsigned int* warps,
    $value* staged,
    unsigned int* keys,
    $number* sums,
    $number& sum) {
    const int warp = threadIdx.x / $warp, lane = threadIdx.x % $warp;
    const unsigned int own_row = warp * ($each * $warp) + lane;
    // Keys are in the order of rows, and have the place in the class; above a class is a rank.
    unsigned int key[$each], rank[$each];
    $value added[$each];
    for (int k = threadIdx.x; k < $warps * $classes; k += $threads) counters[k] = 0;
    if (threadIdx.x == 0) begins[$classes] = 0;
    const unsigned int first_tile = list[0] / $tile;
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        const unsigned int k = own_row + i * $warp;
        key[i] = k < size ? list[k] : ~0U;
    }
    #pragma unroll
    for (int i = 0; i < $each; ++i) rank[i] = key[i] != ~0U ? near[key[i]] : 0;
    #pragma unroll
    for (int i = 0; i < $each; ++i) added[i] = key[i] != ~0U ? moved[key[i]] : 0;
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        const unsigned int place = rank[i] >> $row_bits;
        const unsigned int row =
            (key[i] / $tile - first_tile) << $row_bits | (rank[i] & $last_row);
        key[i] = row << $place_bits | place / $classes;
        rank[i] = place % $classes;
    }
    __syncthreads();
    // In a warp the ranks of a class are almost in the order of rows, and from warp to warp, too.
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        if (own_row + i * $warp >= size) continue;
        rank[i] += atomicAdd(&counters[warp * $classes + rank[i]], 1U) * $classes;
    }
    __syncthreads();
    unsigned int total = 0;
    if (threadIdx.x < $classes) {
        #pragma unroll
        for (int k = 0; k < $warps; ++k) {
            const unsigned int here = counters[k * $classes + threadIdx.x];
            counters[k * $classes + threadIdx.x] = total;
            total += here;
        }
    }
    const bool is_long = __syncthreads_or(total > $deep);
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        rank[i] += counters[warp * $classes + rank[i] % $classes] * $classes;
    }
    unsigned int begin = threadIdx.x, step = $classes, additions = $deep;
    __syncthreads();
    if (is_long) {
        atomicMax(&begins[$classes], total);
        begin = before(total, warps);
        step = 1;
        additions = begins[$classes];
        if (threadIdx.x < $classes) begins[threadIdx.x] = begin;
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < $each; ++i) rank[i] = begins[rank[i] % $classes] + rank[i] / $classes;
    }
    #pragma unroll
    for (int i = 0; i < $each; ++i) {
        if (own_row + i * $warp >= size) continue;
        staged[rank[i]] = added[i];
        keys[rank[i]] = key[i];
    }
    __syncthreads();
    // From here on each thread looks at rows of its own.
    bool is_mixed = false;
    unsigned int last = 0;
    #pragma unroll $batch
    for (unsigned int k = 0; k < total; ++k) {
        const unsigned int next = keys[begin + k * step];
        is_mixed |= next < last;
        last = next;
    }
    if (is_mixed) {
        #pragma unroll 1
        for (unsigned int k = 1; k < total; ++k) {
            unsigned int there = begin + k * step;
            const unsigned int moving = keys[there];
            if (keys[there - step] < moving) continue;
            const $value carried = staged[there];
            do {
                keys[there] = keys[there - step];
                staged[there] = staged[there - step];
                there -= step;
            } while (there != begin && keys[there - step] > moving);
            keys[there] = moving;
            staged[there] = carried;
        }
    }
    for (unsigned int k = 0; k < total; k += $batch) {
        $value next[$batch];
        unsigned int to[$batch];
        #pragma unroll
        for (int i = 0; i < $batch; ++i) {
            if (k + i >= total) continue;
            next[i] = staged[begin + (k + i) * step];
#if !$single
            to[i] = (keys[begin + (k + i) * step] & $last_place) * $classes + threadIdx.x;
#endif
        }
        #pragma unroll
        for (int i = 0; i < $batch; ++i) {
            if (k + i >= total) continue;
#if $single
            sum += ($number)next[i];
#else
            sums[to[i]] += ($number)next[i];
#endif
        }
    }
    __syncthreads();
    return additions;
}

// A block takes a bucket. Its threads list the rows of its tiles in the order of these, and add
// them when the list is full, and at the end. Where so many rows fall on the same places that more
// than `most` are added in a row, all sums are left to other kernels, as `other` says. Nothing is
// done where `needed` points to 0.
extern "C" __global__ void __launch_bounds__($threads, $occupancy) kernel(
    const long long rows,
    const long long count,
    const long long lead,
    const long long most,
    const unsigned int* __restrict__ needed,
    const unsigned int* __restrict__ starts,
    const unsigned int* __restrict__ near,
    const $value* __restrict__ moved,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    volatile unsigned int* other) {
    if (needed && !*needed) return;
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ unsigned int warps[$warps];
    __shared__ unsigned int begins[$classes + 1];
    __shared__ unsigned int ends[$threads];
    __shared__ unsigned int taken;
    __shared__ bool is_other;
    // Rows in the order of classes lie where the list and the counters were.
    $number* const sums = ($number*)shared;
    unsigned int* const list = (unsigned int*)(shared + $sums_bytes);
    unsigned int* const counters = list + $room;
    unsigned int* const keys = list;
    $value* const staged = ($value*)(keys + $deep * $classes);
    const unsigned int size = (unsigned int)rows, bucket = blockIdx.x;
    const long long lowest = (long long)bucket * $bucket_places;
    const int own_places =
        count - lowest < $bucket_places ? (int)(count - lowest) : $bucket_places;
    if (threadIdx.x == 0) is_other = *other != 0;
    $number sum = 0;
#if $single
    if (threadIdx.x < own_places) sum = start[(lowest + threadIdx.x) * lead];
#else
    for (int k = threadIdx.x; k < own_places; k += $threads) sums[k] = start[(lowest + k) * lead];
#endif
    __syncthreads();
    if (is_other) return;
    unsigned int steps = 0, in_list = 0, begin, end;
    find(starts, bucket, threadIdx.x, size, &begin, &end);
    for (unsigned int base = 0; base <= (size - 1) / $tile; base += $threads) {
        const unsigned int length = end - begin;
        const unsigned int first = (base + threadIdx.x) * $tile + begin;
        // Where the next rows lie is loaded while these are added.
        find(starts, bucket, base + $threads + threadIdx.x, size, &begin, &end);
        const unsigned int behind = before(length, warps);
        const unsigned int own_end = behind + length;
        ends[threadIdx.x] = own_end;
        __syncthreads();
        const unsigned int total = ends[$threads - 1];
        const bool is_last = base + $threads > (size - 1) / $tile;
        for (unsigned int done = 0; true;) {
            // All rows of some tiles, because those of a tile are in no order.
            const unsigned int fit = done + ($room - in_list);
            if (threadIdx.x == 0 && own_end > fit) taken = 0;
            if (own_end <= fit) {
                const bool is_end = threadIdx.x == $threads - 1 || ends[threadIdx.x + 1] > fit;
                if (is_end) taken = own_end - done;
            }
            __syncthreads();
            const unsigned int from = in_list + behind - done;
            if (behind >= done && own_end <= done + taken) {
                for (unsigned int k = 0; k < length; ++k) list[from + k] = first + k;
            }
            done += taken;
            in_list += taken;
            __syncthreads();
            if (done == total && (!is_last || !in_list)) break;
            steps += add(
                in_list, near, moved, list, counters, begins, warps, staged, keys, sums, sum);
            if (steps > most) {
                if (threadIdx.x == 0) other[0] = other[1] = 1;
                return;
            }
            in_list = 0;
        }
    }
#if $single
    if (threadIdx.x < own_places) out[lowest + threadIdx.x] = sum;
#else
    for (int k = threadIdx.x; k < own_places; k += $threads) out[lowest + k] = sums[k];
#endif
}
