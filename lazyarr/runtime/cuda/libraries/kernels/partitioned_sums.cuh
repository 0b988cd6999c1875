//: Kernels that add rows in no order: those of each tile are put in the order of buckets, which
//: are ranges of places, and a warp adds up a bucket, tile by tile, in shared memory.
//: Written for lazyarr; partitioned_sums.py puts the functions `placed` and `before` in front, and
//: launches them.

//# partition
// A block takes a tile. In a bucket its rows lie as the additions to memory happen to come, and
// each has its place in the bucket and its row in the tile beside it. Where a bucket has more of
// them than a warp looks at together, all sums are left to other kernels, as `other` says.
extern "C" __global__ void __launch_bounds__($threads, $occupancy) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const unsigned int* __restrict__ needed,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    unsigned short* __restrict__ starts,
    unsigned int* __restrict__ near,
    $value* __restrict__ moved,
    volatile unsigned int* other,
    unsigned long long* far) {
    if (needed && !*needed) return;
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ unsigned int warps[$warps];
    __shared__ unsigned int counters[$buckets];
    __shared__ bool is_long;
    if (threadIdx.x == 0) is_long = *other != 0;
    __syncthreads();
    unsigned int* const staged_near = (unsigned int*)shared;
#if $width == 1
    $value* const staged = ($value*)(shared + $tile * sizeof(unsigned int));
#endif
    const long long tiles = (rows + $tile - 1) / $tile;
    for (long long tile = blockIdx.x; tile < tiles && !is_long; tile += blocks) {
        const long long first = tile * $tile;
        const int size = rows - first < $tile ? (int)(rows - first) : $tile;
        for (int k = threadIdx.x; k < $buckets; k += $threads) counters[k] = 0;
        // A report between two loads would keep them apart.
        unsigned int place[$each];
        #pragma unroll
        for (int j = 0; j < $each; j += $loads) {
            $place index[$loads];
            #pragma unroll
            for (int i = 0; i < $loads; ++i) {
                const int k = threadIdx.x + (j + i) * $threads;
                index[i] = k < size ? places[first + k] : 0;
            }
            #pragma unroll
            for (int i = 0; i < $loads; ++i) {
                const int k = threadIdx.x + (j + i) * $threads;
                place[j + i] = k < size ? placed(index[i], count, far) : 0;
            }
        }
#if $width == 1
        $value own[$each];
        #pragma unroll
        for (int i = 0; i < $each; ++i) {
            const int k = threadIdx.x + i * $threads;
            own[i] = k < size ? values[first + k] : 0;
        }
#endif
        __syncthreads();
        // Below a place is the rank in its bucket, which is less than a warp has lanes.
        #pragma unroll
        for (int i = 0; i < $each; ++i) {
            const int k = threadIdx.x + i * $threads;
            const unsigned int rank =
                k < size ? atomicAdd(&counters[place[i] >> $low], 1U) : 0;
            place[i] = place[i] * $warp + rank % $warp;
        }
        __syncthreads();
        unsigned int total = 0;
        #pragma unroll
        for (int j = 0; j < $own; ++j) {
            const int bucket = threadIdx.x * $own + j;
            const unsigned int length = bucket < $buckets ? counters[bucket] : 0;
            if (length > $warp) is_long = true;
            total += length;
        }
        unsigned int front = before(total, warps);
        if (is_long) break;
        #pragma unroll
        for (int j = 0; j < $own; ++j) {
            const int bucket = threadIdx.x * $own + j;
            if (bucket >= $buckets) continue;
            const unsigned int length = counters[bucket];
            counters[bucket] = front;
            starts[tile * $buckets + bucket] = (unsigned short)front;
            front += length;
        }
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < $each; ++i) {
            const int k = threadIdx.x + i * $threads;
            if (k >= size) continue;
            const unsigned int own_place = place[i] / $warp;
            const unsigned int there = counters[own_place >> $low] + place[i] % $warp;
            staged_near[there] = (own_place & $last_place) << $row_bits | k;
#if $width == 1
            staged[there] = own[i];
#endif
        }
        __syncthreads();
        for (int k = threadIdx.x; k < size; k += $threads) {
            near[first + k] = staged_near[k];
#if $width == 1
            moved[first + k] = staged[k];
#endif
        }
#if $width > 1
        for (int k = threadIdx.x; k < size * $width; k += $threads) {
            const unsigned int row = staged_near[k / $width] % $tile;
            moved[first * $width + k] = values[(first + row) * $width + k % $width];
        }
#endif
        __syncthreads();
    }
    if (is_long && threadIdx.x == 0) other[0] = other[1] = 1;
}

//# bucket
// Where the numbers of a bucket begin and end in a tile; nowhere behind the last.
static __device__ __forceinline__ void find(
    const unsigned short* __restrict__ starts,
    const unsigned int bucket,
    const unsigned int tile,
    const unsigned int rows,
    unsigned int* begin,
    unsigned int* end) {
    const unsigned int first = tile * $tile, own = tile * $buckets + bucket;
    *begin = *end = 0;
    if (first >= rows) return;
    *begin = starts[own];
    *end = bucket < $last_bucket ? starts[own + 1] : rows - first < $tile ? rows - first : $tile;
}

// A warp takes a bucket. Where places have so many rows that more than `most` steps are taken, all
// sums are left to other kernels, as `other` says. Nothing is done where `needed` points to 0.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long lead,
    const long long most,
    const unsigned int* __restrict__ needed,
    const unsigned short* __restrict__ starts,
    const unsigned int* __restrict__ near,
    const $value* __restrict__ moved,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    volatile unsigned int* other) {
    if (needed && !*needed) return;
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ unsigned int lists[$warps * $room];
    const int lane = threadIdx.x % $warp, warp = threadIdx.x / $warp;
    $number* const sums = ($number*)shared + warp * $bucket_places * $width;
    unsigned char* const tags =
        shared + $warps * $bucket_places * $width * sizeof($number) + warp * $bucket_places;
    unsigned int* const list = lists + warp * $room;
    const unsigned int size = (unsigned int)rows, step = (unsigned int)blocks * $warps;
    const unsigned int buckets = (unsigned int)((count + $last_place) / $bucket_places);
    // Warps go on alone.
    for (unsigned int bucket = blockIdx.x * $warps + warp; bucket < buckets; bucket += step) {
        if (__shfl_sync(0xffffffffU, *other, 0)) return;
        const long long lowest = (long long)bucket * $bucket_places;
        const int own_places =
            count - lowest < $bucket_places ? (int)(count - lowest) : $bucket_places;
        const int own_sums = own_places * $width;
        for (int k = lane; k < own_sums; k += $warp) sums[k] = start[(lowest * $width + k) * lead];
        __syncwarp();
        // Where the next numbers lie, and they themselves, are loaded while others are added.
        unsigned int steps = 0, behind = 0, done = 0, total = 0, begin, end;
        unsigned int next_item[$batch], next_order[$batch];
        $number next[$batch][$width];
        find(starts, bucket, lane, size, &begin, &end);
        bool is_held = false;
        for (unsigned int tile = lane; true;) {
            unsigned int item[$batch], order[$batch];
            $number added[$batch][$width];
            #pragma unroll
            for (int i = 0; is_held && i < $batch; ++i) {
                item[i] = next_item[i];
                order[i] = next_order[i];
                #pragma unroll
                for (int k = 0; k < $width; ++k) added[i][k] = next[i][k];
            }
            for (; done == total && (tile - lane) * $tile < size; tile += $warp) {
                const unsigned int length = end - begin;
                const unsigned int first = tile * $tile + begin;
                find(starts, bucket, tile + $warp, size, &begin, &end);
                behind = length;
                #pragma unroll
                for (int distance = 1; distance < $warp; distance *= 2) {
                    const unsigned int earlier =
                        __shfl_up_sync(0xffffffffU, behind, distance);
                    if (lane >= distance) behind += earlier;
                }
                done = 0;
                total = __shfl_sync(0xffffffffU, behind, $warp - 1);
                __syncwarp();
                for (unsigned int k = 0; k < length; ++k) list[behind - length + k] = first + k;
                __syncwarp();
            }
            // Those that a warp looks at together are all those of some tiles.
            const bool is_next = done < total;
            #pragma unroll
            for (int i = 0; is_next && i < $batch; ++i) {
                next_item[i] = next_order[i] = ~0U;
                #pragma unroll
                for (int k = 0; k < $width; ++k) next[i][k] = 0;
                if (done == total) continue;
                const unsigned int fit = __ballot_sync(0xffffffffU, behind <= done + $warp);
                const unsigned int last = __shfl_sync(0xffffffffU, behind, __popc(fit) - 1);
                if (done + lane < last) {
                    next_order[i] = list[done + lane];
                    next_item[i] = near[next_order[i]];
                    #pragma unroll
                    for (int k = 0; k < $width; ++k) {
                        next[i][k] = ($number)moved[(long long)next_order[i] * $width + k];
                    }
                }
                done = last;
            }
            #pragma unroll
            for (int i = 0; is_held && i < $batch; ++i) {
                const bool is_row = order[i] != ~0U;
                if (!__ballot_sync(0xffffffffU, is_row)) continue;
                const unsigned int place = item[i] >> $row_bits;
                $number* const own_sum = sums + place * $width;
                if (is_row) tags[place] = (unsigned char)lane;
                __syncwarp();
                const bool lost = is_row && tags[place] != lane;
                bool alone = is_row;
                if (__ballot_sync(0xffffffffU, lost)) {
                    // Numbers of one place are added in the order of tiles, and of rows.
                    if (lost) tags[place] = $warp;
                    __syncwarp();
                    alone = is_row && tags[place] != $warp;
                    unsigned int own = ~0U;
                    if (is_row && !alone) own = order[i] / $tile * $tile + item[i] % $tile;
                    while (true) {
                        const unsigned int least = __reduce_min_sync(0xffffffffU, own);
                        if (least == ~0U) break;
                        if (own == least) {
                            #pragma unroll
                            for (int k = 0; k < $width; ++k) own_sum[k] += added[i][k];
                            own = ~0U;
                        }
                        __syncwarp();
                        ++steps;
                    }
                }
                #pragma unroll
                for (int k = 0; alone && k < $width; ++k) own_sum[k] += added[i][k];
                __syncwarp();
                ++steps;
            }
            if (steps > most) {
                if (lane == 0) other[0] = other[1] = 1;
                return;
            }
            if (!is_next) break;
            is_held = true;
        }
        for (int k = lane; k < own_sums; k += $warp) out[lowest * $width + k] = sums[k];
        __syncwarp();
    }
}
