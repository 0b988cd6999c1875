//: Kernels that add rows in no order: those of each tile are put in the order of buckets, which
//: are ranges of places, and a block or a warp adds up a bucket, tile by tile, in shared memory.
//: Written for lazyarr; partitioned_sums.py puts the functions `placed`, `before` and `lanes_of` in
//: front, and launches them.

//# partition
// A block takes a tile. In a bucket its rows lie as the additions to memory happen to come, or in
// their order, and each has its place in the bucket and its row in the tile beside it; rows that
// are read where they are do not move. Where a bucket has more of them than `$longest`, all sums
// are left to other kernels, as `other` says.
extern "C" __global__ void __launch_bounds__($threads, $occupancy) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const unsigned int* __restrict__ needed,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    unsigned int* __restrict__ starts,
    unsigned int* __restrict__ near,
    $value* __restrict__ moved,
    volatile unsigned int* other,
    unsigned long long* far$parameters) {
    if (needed && !*needed) return;
    $constants
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ unsigned int warps[$warps];
    __shared__ unsigned int counters[$buckets];
#if $sorts
    // A bit for each row of a tile in the order of buckets: whether it is the first of one.
    __shared__ unsigned int heads[($tile + $warp - 1) / $warp];
#endif
    __shared__ bool is_long;
    if (threadIdx.x == 0) is_long = *other != 0;
    __syncthreads();
    unsigned int* const staged_near = (unsigned int*)shared;
#if $width == 1 && $moves
    $value* const staged = ($value*)(shared + $tile * sizeof(unsigned int));
#endif
    const long long tiles = (rows + $tile - 1) / $tile;
    for (long long tile = blockIdx.x; tile < tiles && !is_long; tile += blocks) {
        const long long first = tile * $tile;
        const int size = rows - first < $tile ? (int)(rows - first) : $tile;
        for (int k = threadIdx.x; k < $buckets; k += $threads) counters[k] = 0;
#if $sorts
        for (int k = threadIdx.x; k < ($tile + $warp - 1) / $warp; k += $threads) heads[k] = 0;
#endif
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
#if $width == 1 && $moves
        $value own[$each];
        #pragma unroll
        for (int i = 0; i < $each; ++i) {
            const int k = threadIdx.x + i * $threads;
            own[i] = k < size ? values[first + k] : 0;
        }
#endif
        __syncthreads();
        // Below a place is the rank in its bucket. Where rows are put in order, all threads take
        // their next one at the same time: few additions come before one of an earlier row.
        #pragma unroll
        for (int i = 0; i < $each; ++i) {
            const int k = threadIdx.x + i * $threads;
            const unsigned int rank =
                k < size ? atomicAdd(&counters[place[i] / $bucket_places], 1U) : 0;
            place[i] = place[i] * $ranks + rank % $ranks;
#if $sorts
            __syncthreads();
#endif
        }
        __syncthreads();
        unsigned int total = 0;
        #pragma unroll
        for (int j = 0; j < $own; ++j) {
            const int bucket = threadIdx.x * $own + j;
            const unsigned int length = bucket < $buckets ? counters[bucket] : 0;
            if (length > $longest) is_long = true;
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
            starts[tile * $buckets + bucket] = length << 16 | front;
#if $sorts
            if (length) atomicOr(&heads[front / $warp], 1U << front % $warp);
#endif
            front += length;
        }
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < $each; ++i) {
            const int k = threadIdx.x + i * $threads;
            if (k >= size) continue;
            const unsigned int own_place = place[i] / $ranks;
            const unsigned int there = counters[own_place / $bucket_places] + place[i] % $ranks;
            staged_near[there] = own_place % $bucket_places << $row_bits | k;
#if $width == 1 && $moves
            staged[k] = mapped(own[i]$arguments);
#endif
        }
        __syncthreads();
#if $sorts
        // Neighbours of a bucket change places until all are in order.
        bool is_mixed = true;
        while (is_mixed) {
            is_mixed = false;
            #pragma unroll 1
            for (int odd = 0; odd < 2; ++odd) {
                #pragma unroll 4
                for (int k = 2 * threadIdx.x + odd; k + 1 < size; k += 2 * $threads) {
                    const unsigned int one = staged_near[k], two = staged_near[k + 1];
                    const bool is_head = heads[(k + 1) / $warp] >> (k + 1) % $warp & 1;
                    if (!is_head && (one & $last_row) > (two & $last_row)) {
                        staged_near[k] = two;
                        staged_near[k + 1] = one;
                        is_mixed = true;
                    }
                }
                if (!odd) __syncthreads();
            }
            is_mixed = __syncthreads_or(is_mixed);
        }
#endif
        for (int k = threadIdx.x; k < size; k += $threads) {
            const unsigned int item = staged_near[k];
            near[first + k] = item;
#if $width == 1 && $moves
            moved[first + k] = staged[item & $last_row];
#endif
        }
#if $width > 1 && $moves
        for (int k = threadIdx.x; k < size * $width; k += $threads) {
            const unsigned int row = staged_near[k / $width] & $last_row;
            moved[first * $width + k] =
                mapped(values[(first + row) * $width + k % $width]$arguments);
        }
#endif
        __syncthreads();
    }
    if (is_long && threadIdx.x == 0) other[0] = other[1] = 1;
}

//# find
// Where the numbers of a bucket begin and end in a tile; nowhere behind the last.
static __device__ __forceinline__ void find(
    const unsigned int* __restrict__ starts,
    const unsigned int bucket,
    const unsigned int tile,
    const unsigned int rows,
    unsigned int* begin,
    unsigned int* end) {
    *begin = *end = 0;
    if (tile > (rows - 1) / $tile) return;
    const unsigned int word = starts[(long long)tile * $buckets + bucket];
    *begin = word & 0xffffU;
    *end = *begin + (word >> 16);
}

//# bucket
// The last end of a tile that is not beyond `most`, from a tile on: the one behind it is the next.
static __device__ __forceinline__ unsigned int cut(
    const unsigned int* ends, const unsigned int most, unsigned int& tile) {
    unsigned int fit = ~0U;
    while (fit == ~0U) {
        const unsigned int own = tile + threadIdx.x % $warp;
        fit = __ballot_sync(0xffffffffU, own < $threads && ends[own] <= most);
        tile += __popc(fit);
    }
    return tile ? ends[tile - 1] : 0;
}

// Load rows of the list, for the threads of a block: their places, and what is added; nothing waits
// for what is loaded. What is beyond the end is ~0.
static __device__ __forceinline__ void load(
    const unsigned int* list,
    const unsigned int first,
    const unsigned int size,
    const unsigned int* __restrict__ near,
    const $value* __restrict__ moved,
    unsigned int (&at)[$batch],
    unsigned int (&item)[$batch],
    $value (&added)[$batch][$width]) {
    #pragma unroll
    for (int i = 0; i < $batch; ++i) {
        const unsigned int k = first + i * $threads + threadIdx.x;
        at[i] = k < size ? list[k] : ~0U;
    }
    #pragma unroll
    for (int i = 0; i < $batch; ++i) {
        item[i] = ~0U;
        if (at[i] == ~0U) continue;
        item[i] = near[at[i]];
        #pragma unroll
        for (int k = 0; k < $width; ++k) added[i][k] = moved[at[i] * $width + k];
    }
}

// Add rows to the sums of their places, those of one place in their order: each time the first of
// those that wait. Returns how often, which all threads of the block know.
static __device__ __forceinline__ unsigned int add(
    $number* sums,
    unsigned int* least,
    const unsigned int (&at)[$batch],
    unsigned int (&item)[$batch],
    const $value (&added)[$batch][$width]) {
    unsigned int row[$batch], rounds = 0;
    #pragma unroll
    for (int i = 0; i < $batch; ++i) row[i] = at[i] / $tile * $tile + (item[i] & $last_row);
    bool waits;
    do {
        #pragma unroll
        for (int i = 0; i < $batch; ++i) {
            if (item[i] != ~0U) atomicMin(&least[item[i] >> $row_bits], row[i]);
        }
        __syncthreads();
        waits = false;
        #pragma unroll
        for (int i = 0; i < $batch; ++i) {
            if (item[i] == ~0U) continue;
            const unsigned int place = item[i] >> $row_bits;
            // No other row has the number, nor is there one where the first has been added.
            if (least[place] == row[i]) {
                $number* const own = sums + place * $width;
                #pragma unroll
                for (int k = 0; k < $width; ++k) own[k] += ($number)added[i][k];
                least[place] = ~0U;
                item[i] = ~0U;
            } else {
                waits = true;
            }
        }
        ++rounds;
    } while (__syncthreads_or(waits));
    return rounds;
}

// A block takes a bucket. Its threads list the rows of some tiles in the order of these, and then
// add them piece by piece, of which each has all rows of some tiles, because those of a tile are in
// no order. Where places have so many rows that there are more than `most` rounds, all sums are
// left to other kernels, as `other` says. Nothing is done where `needed` points to 0.
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
    __shared__ unsigned int list[$room];
    __shared__ unsigned int warps[$warps];
    __shared__ unsigned int ends[$threads];
    __shared__ bool is_other;
    $number* const sums = ($number*)shared;
    unsigned int* const least =
        (unsigned int*)(shared + $bucket_places * $width * sizeof($number));
    const unsigned int size = (unsigned int)rows, bucket = blockIdx.x;
    const long long lowest = (long long)bucket * $bucket_places;
    const int own_places =
        count - lowest < $bucket_places ? (int)(count - lowest) : $bucket_places;
    const int own_sums = own_places * $width;
    if (threadIdx.x == 0) is_other = *other != 0;
    for (int k = threadIdx.x; k < own_sums; k += $threads) {
        sums[k] = start[(lowest * $width + k) * lead];
    }
    for (int k = threadIdx.x; k < own_places; k += $threads) least[k] = ~0U;
    __syncthreads();
    if (is_other) return;
    unsigned int steps = 0, begin, end;
    find(starts, bucket, threadIdx.x, size, &begin, &end);
    for (unsigned int base = 0; base <= (size - 1) / $tile; base += $threads) {
        const unsigned int length = end - begin;
        const unsigned int first = (base + threadIdx.x) * $tile + begin;
        // Where the next rows lie is loaded while these are added.
        find(starts, bucket, base + $threads + threadIdx.x, size, &begin, &end);
        const unsigned int behind = before(length, warps);
        ends[threadIdx.x] = behind + length;
        __syncthreads();
        const unsigned int total = ends[$threads - 1];
        unsigned int listed_tile = 0, tile = 0;
        for (unsigned int from = 0; from < total;) {
            const unsigned int to = cut(ends, from + $room, listed_tile);
            if (behind >= from && behind < to) {
                for (unsigned int k = 0; k < length; ++k) list[behind - from + k] = first + k;
            }
            __syncthreads();
            unsigned int at[$batch], item[$batch];
            $value added[$batch][$width];
            unsigned int begun = from;
            unsigned int done = cut(ends, from + $piece < to ? from + $piece : to, tile);
            load(list, 0, done - from, near, moved, at, item, added);
            while (begun < to) {
                unsigned int next_at[$batch], next_item[$batch];
                $value next[$batch][$width];
                const unsigned int ahead =
                    cut(ends, done + $piece < to ? done + $piece : to, tile);
                load(list, done - from, ahead - from, near, moved, next_at, next_item, next);
                steps += add(sums, least, at, item, added);
                #pragma unroll
                for (int i = 0; i < $batch; ++i) {
                    at[i] = next_at[i];
                    item[i] = next_item[i];
                    #pragma unroll
                    for (int j = 0; j < $width; ++j) added[i][j] = next[i][j];
                }
                begun = done;
                done = ahead;
            }
            if (steps > most) {
                if (threadIdx.x == 0) other[0] = other[1] = 1;
                return;
            }
            from = to;
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < own_sums; k += $threads) out[lowest * $width + k] = sums[k];
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
    $number (&added)[$batch][$width]$values) {
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
        row[i] = at[i] / $tile * $tile + (item & $last_row);
    }
    #pragma unroll
    for (int i = 0; i < $batch; ++i) {
        const $value* const from = values + (long long)row[i] * $width;
        #pragma unroll
        for (int k = 0; k < $width; ++k) {
            added[i][k] = is_row[i] ? ($number)mapped(from[k]$arguments) : 0;
        }
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
    const unsigned int* __restrict__ starts,
    const unsigned int* __restrict__ near,
    const $value* __restrict__ values,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    volatile unsigned int* other$parameters) {
    if ((needed && !*needed) || *other) return;
    $constants
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
            done = load(near, values, counted, behind, done, place, rank, added$arguments);
            steps += add(sums, place, rank, added);
        }
        if (steps > most) {
            if (lane == 0) other[0] = other[1] = 1;
            return;
        }
    }
    for (int k = lane; k < own_sums; k += $warp) out[lowest * $width + k] = sums[k];
}
