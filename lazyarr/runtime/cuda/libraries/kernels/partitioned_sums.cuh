//: Kernels that add rows in no order: those of each tile are put in the order of buckets, which
//: are ranges of places, and a warp adds up a bucket, tile by tile, in shared memory.
//: Written for lazyarr; partitioned_sums.py puts the functions `placed`, `before` and `lanes_of` in
//: front, and launches them.

//# partition
// A block takes a tile. In a bucket its rows lie as the additions to memory happen to come, and
// each has its place in the bucket and its row in the tile beside it; rows that are read where they
// are do not move. Where a bucket has more of them than a warp looks at together, all sums are left
// to other kernels, as `other` says.
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
#if $width > 1 && $moves
        for (int k = threadIdx.x; k < size * $width; k += $threads) {
            const unsigned int row = staged_near[k / $width] % $tile;
            moved[first * $width + k] = values[(first + row) * $width + k % $width];
        }
#endif
        __syncthreads();
    }
    if (is_long && threadIdx.x == 0) other[0] = other[1] = 1;
}

//# find
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
    if (tile > (rows - 1) / $tile) return;
    *begin = starts[own];
    *end = bucket < $last_bucket ? starts[own + 1] : rows - first < $tile ? rows - first : $tile;
}

//# bucket
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

//# gathered
// Load rows of some tiles, from those that are `done`, for the lanes of a warp: their places, their
// ranks among the rows of the same place that the warp looks at together, and their numbers. A lane
// counts the rows up to the end of its tile, and knows how far they lie `behind` that number.
// Returns the rows that are done then. A warp looks together at all rows of some tiles, because
// those of a tile are in no order. The rank of a lane without a row is negative.
static __device__ __forceinline__ unsigned int load(
    const unsigned int* __restrict__ near,
    const $value* __restrict__ values,
    const unsigned int counted,
    const unsigned int behind,
    unsigned int done,
    unsigned int (&place)[$batch],
    int (&rank)[$batch],
    $number (&added)[$batch][$width]) {
    const int lane = threadIdx.x % $warp;
    const unsigned int total = __shfl_sync(0xffffffffU, counted, $warp - 1);
    unsigned int at[$batch], row[$batch];
    bool is_row[$batch];
    #pragma unroll
    for (int i = 0; i < $batch; ++i) {
        const unsigned int fit = __ballot_sync(0xffffffffU, counted <= done + $warp);
        const unsigned int last = __shfl_sync(0xffffffffU, counted, __popc(fit) - 1);
        const unsigned int own = done + lane;
        is_row[i] = own < last;
        int tile = 0;
        #pragma unroll
        for (int step = $warp / 2; step > 0; step /= 2) {
            if (__shfl_sync(0xffffffffU, counted, tile + step - 1) <= own) tile += step;
        }
        at[i] = __shfl_sync(0xffffffffU, behind, tile) + own;
        done = last;
    }
    #pragma unroll
    for (int i = 0; i < $batch; ++i) {
        const unsigned int item = is_row[i] ? near[at[i]] : 0;
        place[i] = item >> $row_bits;
        row[i] = at[i] / $tile * $tile + item % $tile;
    }
    #pragma unroll
    for (int i = 0; i < $batch; ++i) {
        const $value* const from = values + (long long)row[i] * $width;
        #pragma unroll
        for (int k = 0; k < $width; ++k) added[i][k] = is_row[i] ? ($number)from[k] : 0;
    }
    #pragma unroll
    for (int i = 0; i < $batch; ++i) {
        rank[i] = is_row[i] ? 0 : -1;
        unsigned int equal = __ballot_sync(0xffffffffU, is_row[i]);
        if (!equal) continue;
        equal &= lanes_of((int)place[i]);
        unsigned int others = is_row[i] ? equal & ~(1U << lane) : 0;
        while (__ballot_sync(0xffffffffU, others)) {
            const int source = others ? __popc((others & -others) - 1) : lane;
            const unsigned int other = __shfl_sync(0xffffffffU, row[i], source);
            if (others && other < row[i]) ++rank[i];
            others &= others - 1;
        }
    }
    return done;
}

// Add rows to the sums of their places, those of one place in their order. Returns the steps that
// it takes.
static __device__ __forceinline__ unsigned int add(
    $number* sums,
    const unsigned int (&place)[$batch],
    const int (&rank)[$batch],
    const $number (&added)[$batch][$width]) {
    unsigned int steps = 0;
    #pragma unroll
    for (int i = 0; i < $batch; ++i) {
        $number* const own = sums + place[i] * $width;
        for (int step = 0; __ballot_sync(0xffffffffU, rank[i] >= step); ++step) {
            if (rank[i] == step) {
                #pragma unroll
                for (int k = 0; k < $width; ++k) own[k] += added[i][k];
            }
            __syncwarp();
            ++steps;
        }
    }
    return steps;
}

// A warp takes a bucket, and reads its rows where they are: all warps go through the tiles side by
// side, so that the rows of the same ones lie in the L2 cache. Where places have so many rows that
// more than `most` steps are taken, all sums are left to other kernels, as `other` says. Nothing is
// done where `needed` points to 0.
extern "C" __global__ void __launch_bounds__($warp) kernel(
    const long long rows,
    const long long count,
    const long long lead,
    const long long most,
    const unsigned int* __restrict__ needed,
    const unsigned short* __restrict__ starts,
    const unsigned int* __restrict__ near,
    const $value* __restrict__ values,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    volatile unsigned int* other) {
    if ((needed && !*needed) || *other) return;
    extern __shared__ __align__(128) unsigned char shared[];
    $number* const sums = ($number*)shared;
    const int lane = threadIdx.x;
    const unsigned int size = (unsigned int)rows, bucket = blockIdx.x;
    const long long lowest = (long long)bucket * $bucket_places;
    const int own_places =
        count - lowest < $bucket_places ? (int)(count - lowest) : $bucket_places;
    const int own_sums = own_places * $width;
    for (int k = lane; k < own_sums; k += $warp) sums[k] = start[(lowest * $width + k) * lead];
    __syncwarp();
    // Lanes beyond the span look behind the last tile.
    const unsigned int beyond = ~0U / $tile, own_tile = lane < $span ? lane : beyond;
    unsigned int steps = 0, begin, end;
    find(starts, bucket, own_tile, size, &begin, &end);
    for (unsigned int base = 0; base <= (size - 1) / $tile; base += $span) {
        const unsigned int length = end - begin;
        const unsigned int first = (base + own_tile) * $tile + begin;
        // Where the next rows lie is loaded while these are added.
        find(starts, bucket, lane < $span ? base + $span + lane : beyond, size, &begin, &end);
        unsigned int counted = length;
        #pragma unroll
        for (int distance = 1; distance < $warp; distance *= 2) {
            const unsigned int earlier = __shfl_up_sync(0xffffffffU, counted, distance);
            if (lane >= distance) counted += earlier;
        }
        const unsigned int behind = first - (counted - length);
        const unsigned int total = __shfl_sync(0xffffffffU, counted, $warp - 1);
        for (unsigned int done = 0; done < total;) {
            unsigned int place[$batch];
            int rank[$batch];
            $number added[$batch][$width];
            done = load(near, values, counted, behind, done, place, rank, added);
            steps += add(sums, place, rank, added);
        }
        if (steps > most) {
            if (lane == 0) other[0] = other[1] = 1;
            return;
        }
    }
    for (int k = lane; k < own_sums; k += $warp) out[lowest * $width + k] = sums[k];
}
