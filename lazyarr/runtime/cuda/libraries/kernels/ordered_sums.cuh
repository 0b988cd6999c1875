//: Kernels that add up rows in the order of their places, as they came or as they were sorted.
//: Written for lazyarr; ordered_sums.py puts the function `placed` in front, and launches them.

//# ordered
// Rows in the order of their places: as they came, or as items that were put in order.
struct ordered {
    const $place* __restrict__ places;
    const $value* __restrict__ values;
    const unsigned long long* __restrict__ items;
    long long rows, count, step;
    unsigned long long* far;
    bool mixed;
    $fields
};

// A number of a row, after the operations with numbers.
static __device__ __forceinline__ $value mapped_in(const ordered& all, const $value x) {
    return mapped(x$members);
}

static __device__ __forceinline__ unsigned int place_of(const ordered& all, long long i) {
    if (all.mixed) return (unsigned int)(all.items[i] >> 32);
    return placed(all.places[i], all.count, all.far);
}

static __device__ __forceinline__ bool goes_on(
    const ordered& all, long long i, unsigned int place) {
    return i < all.rows && place_of(all, i) == place;
}

// A number of a row, by the word that is in its item, or by its position as it came.
static __device__ __forceinline__ $value value_in(
    const ordered& all, unsigned int item, long long column) {
#if $carried
    if (all.mixed) return __int_as_float((int)item);
    return mapped_in(all, all.values[item]);
#else
    return mapped_in(all, all.values[item * all.step + (all.step ? column : 0)]);
#endif
}

static __device__ __forceinline__ $number value_of(
    const ordered& all, long long i, long long column) {
    return ($number)value_in(all, (unsigned int)(all.mixed ? all.items[i] : i), column);
}

//# range
// The positions of the rows whose places are from `lowest` to below `next`. All threads of a block
// look for both ends, each at one row of a range that becomes shorter.
static __device__ void find_range(
    const ordered& all,
    const long long lowest,
    const long long next,
    int (*smaller)[$warps],
    long long (&range)[2]) {
    const int lane = threadIdx.x % $warp, warp = threadIdx.x / $warp;
    // How many rows are of places before the first, and before the end.
    long long least[2] = {0, 0}, most[2] = {all.rows, all.rows};
    while (least[0] < most[0] || least[1] < most[1]) {
        long long apart[2];
        #pragma unroll
        for (int k = 0; k < 2; ++k) {
            apart[k] = (most[k] - least[k] + $threads - 1) / $threads;
            const long long row = least[k] + threadIdx.x * apart[k];
            const bool is_smaller = row < most[k] && place_of(all, row) < (k ? next : lowest);
            const unsigned int votes = __ballot_sync(0xffffffffU, is_smaller);
            if (lane == 0) smaller[k][warp] = __popc(votes);
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < 2; ++k) {
            int known = 0;
            #pragma unroll
            for (int j = 0; j < $warps; ++j) known += smaller[k][j];
            const long long end = least[k] + known * apart[k];
            if (end < most[k]) most[k] = end;
            if (known) least[k] = end - apart[k] + 1;
        }
        __syncthreads();
    }
    range[0] = least[0];
    range[1] = least[1];
}

//# gaps
// List places without rows, in pieces. Only rows in no order make more of them than `most`.
static __device__ __noinline__ void list_gap(
    unsigned int first,
    const unsigned int end,
    unsigned int* count,
    const unsigned int most,
    unsigned int* gaps) {
    for (; first < end; first += $gap_piece) {
        const unsigned int slot = atomicAdd(count, 1U);
        if (slot >= most) return;
        gaps[2 * slot] = first;
        gaps[2 * slot + 1] = end - first < $gap_piece ? end : first + $gap_piece;
    }
}

//# heads
// The thread of a place's first row adds up a column of them, or leaves the place to a warp or a
// block if it has many.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const unsigned int* __restrict__ needed,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    const unsigned long long* __restrict__ items,
    const unsigned int* __restrict__ mixed,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    unsigned int* waiting,
    unsigned int* __restrict__ of_warps,
    unsigned int* __restrict__ of_blocks,
    unsigned long long* far$parameters) {
    if (needed && !*needed) return;
    $constants
    const ordered all = {places, values, items, rows, count, step, far, *mixed != 0$arguments};
    const unsigned int across = (unsigned int)width;
    const unsigned int total = (unsigned int)(rows * width);
    unsigned int own = blockIdx.x * $threads + threadIdx.x;
    for (; own < total; own += (unsigned int)blocks * $threads) {
        const unsigned int first = across == 1 ? own : own / across;
        const unsigned int column = own - first * across;
        const unsigned int place = place_of(all, first);
        if (first && place_of(all, first - 1) == place) continue;
        const $number begun = start[(place * width + column) * lead] + value_of(all, first, column);
        if (!goes_on(all, first + 1, place)) {
            out[place * width + column] = begun;
            continue;
        }
        if (goes_on(all, first + $of_thread, place)) {
            if (column) continue;
            if (goes_on(all, first + $of_warp, place)) {
                of_blocks[atomicAdd(&waiting[1], 1U)] = (unsigned int)first;
            } else {
                of_warps[atomicAdd(&waiting[0], 1U)] = (unsigned int)first;
            }
            continue;
        }
        $number sum = begun;
        bool going = true;
        for (long long i = first + 1; going; i += 4) {
            $number next[4];
            bool more[4];
            #pragma unroll
            for (int k = 0; k < 4; ++k) {
                more[k] = goes_on(all, i + k, place);
                next[k] = more[k] ? value_of(all, i + k, column) : 0;
            }
            #pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (more[k]) sum += next[k];
            }
            going = more[3];
        }
        out[place * width + column] = sum;
    }
}

//# tasks
// Blocks take places with very many rows. Then warps fill the listed places without rows with what
// is there at first, and take places of their own.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const unsigned int* __restrict__ skipped,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    const unsigned long long* __restrict__ items,
    const unsigned int* __restrict__ mixed,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    const unsigned int* __restrict__ waiting,
    const unsigned int* __restrict__ of_warps,
    const unsigned int* __restrict__ of_blocks,
    const unsigned int* __restrict__ gaps,
    unsigned long long* far$parameters) {
    if (skipped && *skipped) return;
    // Asked for at once: one after another they take a microsecond.
    if (!(waiting[0] | waiting[1] | waiting[2])) return;
    $constants
    __align__(16) __shared__ $number staged[2][$stage];
    __shared__ bool same[$threads];
    __shared__ int reached;
    const ordered all = {places, values, items, rows, count, step, far, *mixed != 0$arguments};
    const long long panels = (width + $columns - 1) / $columns;
    for (long long task = blockIdx.x; task < waiting[1] * panels; task += blocks) {
        const long long begin = of_blocks[task / panels];
        const long long left = task % panels * $columns;
        const int across = width - left < $columns ? (int)(width - left) : $columns;
        const unsigned int place = place_of(all, begin);
        // Where the place ends: between a row of it and one that is none.
        long long inside = begin, end = rows;
        while (end - inside > 1) {
            const long long apart = (end - inside + $threads - 1) / $threads;
            const long long probe = inside + (threadIdx.x + 1) * apart;
            same[threadIdx.x] = probe < end && place_of(all, probe) == place;
            if (threadIdx.x == 0) reached = 0;
            __syncthreads();
            const bool next = threadIdx.x + 1 < $threads && same[threadIdx.x + 1];
            if (same[threadIdx.x] && !next) reached = threadIdx.x + 1;
            __syncthreads();
            inside += reached * apart;
            end = inside + apart < end ? inside + apart : end;
            __syncthreads();
        }
        const bool adds = (int)threadIdx.x < across;
        const long long target = place * width + left + threadIdx.x;
        $number sum = adds ? start[target * lead] : 0;
        const unsigned int first = (unsigned int)begin, last = (unsigned int)end;
        sum = run_sum(all, first, last, left, across, sum, staged);
        if (adds) out[target] = sum;
    }
    // Warps go on alone.
    const int lane = threadIdx.x % $warp, warp = threadIdx.x / $warp;
    if (gaps) {
        const unsigned int numbers = (unsigned int)width;
        unsigned int gap = blockIdx.x * $warps + warp;
        for (; gap < waiting[2]; gap += (unsigned int)blocks * $warps) {
            const unsigned int end = gaps[2 * gap + 1] * numbers;
            for (unsigned int k = gaps[2 * gap] * numbers + lane; k < end; k += $warp) {
                out[k] = start[k * lead];
            }
        }
    }
    $number* const own = &staged[0][warp * $each_warp];
    const long long parts = (width + $warp - 1) / $warp;
    long long task = (long long)blockIdx.x * $warps + warp;
    for (; task < waiting[0] * parts; task += blocks * $warps) {
        const long long begin = of_warps[task / parts];
        const long long left = task % parts * $warp;
        const int across = width - left < $warp ? (int)(width - left) : $warp;
        const int high = $each_warp / across < $warp ? $each_warp / across : $warp;
        const unsigned int place = place_of(all, begin);
        const long long target = place * width + left + lane;
        $number sum = lane < across ? start[target * lead] : 0;
        int size = high;
        for (long long first = begin; size == high; first += high) {
            const bool here = lane < high && goes_on(all, first + lane, place);
            size = __popc(__ballot_sync(0xffffffffU, here));
            if (!size) break;
            $number next[$each_warp / $warp];
            #pragma unroll
            for (int q = 0; q < $each_warp / $warp; ++q) {
                const int k = q * $warp + lane < size * across ? q * $warp + lane : 0;
                next[q] = value_of(all, first + k / across, left + k % across);
            }
            #pragma unroll
            for (int q = 0; q < $each_warp / $warp; ++q) {
                if (q * $warp + lane < size * across) own[q * $warp + lane] = next[q];
            }
            __syncwarp();
            if (lane < across) sum = added(sum, own + lane, size, across);
            __syncwarp();
        }
        if (lane < across) out[target] = sum;
    }
}
