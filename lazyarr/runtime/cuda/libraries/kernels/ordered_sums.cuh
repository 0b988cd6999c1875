//: Kernels that add up rows in the order of their places, as they came or as they were sorted.
//: Written for lazyarr; placed_sums.py puts the function `placed` in front, and launches them.

//# ordered
// Rows in the order of their places: as they came, or as items that were put in order.
struct ordered {
    const $place* __restrict__ places;
    const $value* __restrict__ values;
    const unsigned long long* __restrict__ items;
    long long rows, count, step;
    unsigned long long* far;
    bool mixed;
};

static __device__ __forceinline__ unsigned int place_of(const ordered& all, long long i) {
    if (all.mixed) return (unsigned int)(all.items[i] >> 32);
    return placed(all.places[i], all.count, all.far);
}

static __device__ __forceinline__ bool goes_on(
    const ordered& all, long long i, unsigned int place) {
    return i < all.rows && place_of(all, i) == place;
}

static __device__ __forceinline__ $number value_of(
    const ordered& all, long long i, long long column) {
#if $carried
    if (all.mixed) return __int_as_float((int)all.items[i]);
    return all.values[i];
#else
    const long long row = all.mixed ? (unsigned int)all.items[i] : i;
    return ($number)all.values[row * all.step + (all.step ? column : 0)];
#endif
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
    unsigned long long* far) {
    if (needed && !*needed) return;
    const ordered all = {places, values, items, rows, count, step, far, *mixed != 0};
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

//# tiles
// A number below 2**12 divided by one up to 64, of which `reciprocal` is 2**20 parts, rounded up.
static __device__ __forceinline__ unsigned int quotient(
    const unsigned int number, const unsigned int reciprocal) {
    return number * reciprocal >> 20;
}

// Read some rows, for each thread some places and numbers, and the places beside the rows. Nothing
// is stored meanwhile, so that all loads are under way at once.
static __device__ __forceinline__ void read_rows(
    const ordered& all,
    const long long first,
    const int size,
    const unsigned int across,
    const unsigned int reciprocal,
    long long (&places)[$turns],
    $number (&numbers)[$turns],
    long long& beside) {
    if (!all.mixed) {
        const $place* const here = all.places + first;
        const $value* const added = all.values + first * all.step;
        const int step = all.step != 0;
        #pragma unroll
        for (int j = 0; j < $turns; ++j) {
            const int k = j * $threads + threadIdx.x;
            places[j] = k < size ? here[k] : 0;
        }
        #pragma unroll
        for (int j = 0; j < $turns; ++j) {
            const int k = j * $threads + threadIdx.x;
            numbers[j] = k < size * (int)across ? ($number)added[k * step] : 0;
        }
    } else {
        const unsigned long long* const here = all.items + first;
        unsigned long long item[$turns];
        #pragma unroll
        for (int j = 0; j < $turns; ++j) {
            const int k = j * $threads + threadIdx.x;
            item[j] = k < size ? here[k] : 0;
            places[j] = (long long)(item[j] >> 32);
        }
#if $carried
        #pragma unroll
        for (int j = 0; j < $turns; ++j) numbers[j] = __int_as_float((int)item[j]);
#else
        #pragma unroll
        for (int j = 0; j < $turns; ++j) {
            const unsigned int k = j * $threads + threadIdx.x;
            const unsigned int own = k < size * across ? k : 0;
            const unsigned int down = quotient(own, reciprocal);
            const unsigned int row = across == 1 ? (unsigned int)item[j] : (unsigned int)here[down];
            const unsigned int column = own - down * across;
            numbers[j] = k < size * across
                ? ($number)all.values[row * all.step + (all.step ? column : 0)] : 0;
        }
#endif
    }
    const long long row = threadIdx.x == 0 ? first - 1 : first + size;
    const bool is_row = threadIdx.x < 2 && row >= 0 && row < all.rows;
    beside = !is_row ? 0 : all.mixed ? (long long)(all.items[row] >> 32) : all.places[row];
}

// A block takes tiles of rows, and adds up the places that begin in them. It copies `high` rows to
// shared memory, where a thread adds up one column of a place. A place that has not ended there
// goes on with the next rows; one with very many is left to a block of its own.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const long long high,
    const long long tall,
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
    unsigned long long* far) {
    if (needed && !*needed) return;
    __shared__ $number staged[$stage];
    __shared__ unsigned int at[$stage + 2];
    __shared__ unsigned short heads[$stage];
    __shared__ $number begun[2][$widest];
    __shared__ unsigned int open[2];
    __shared__ unsigned int begins;
    const unsigned int none = 0xffffffffU;
    const ordered all = {places, values, items, rows, count, step, far, *mixed != 0};
    const int across = (int)width;
    const unsigned int reciprocal = ((1U << 20) + across - 1) / across;
    int side = 0;
    if (threadIdx.x == 0) open[0] = none;
    for (long long tile = blockIdx.x; tile * tall < rows; tile += blocks) {
        const long long limit = tile * tall + tall;
        long long first = tile * tall;
        long long places_here[$turns], beside;
        $number numbers[$turns];
        bool is_read = false;
        do {
            const int size = rows - first < high ? (int)(rows - first) : (int)high;
            if (!is_read) {
                read_rows(all, first, size, across, reciprocal, places_here, numbers, beside);
            }
            #pragma unroll
            for (int j = 0; j < $turns; ++j) {
                const int k = j * $threads + threadIdx.x;
                if (k < size) at[k + 1] = placed(places_here[j], count, far);
                if (k < size * across) staged[k] = numbers[j];
            }
            if (threadIdx.x < 2) {
                const bool is_row = threadIdx.x ? first + size < rows : first > 0;
                at[threadIdx.x * (size + 1)] = is_row ? placed(beside, count, far) : none;
            }
            if (threadIdx.x == 0) {
                begins = 0;
                open[side ^ 1] = none;
            }
            __syncthreads();
            // The next rows come while these are added up.
            const long long ahead = first + high;
            is_read = ahead < limit && ahead < rows;
            if (is_read) {
                const int left = rows - ahead < high ? (int)(rows - ahead) : (int)high;
                read_rows(all, ahead, left, across, reciprocal, places_here, numbers, beside);
            }
            if (first < limit) {
                for (int k = threadIdx.x; k < size; k += $threads) {
                    if (at[k + 1] != at[k]) heads[atomicAdd(&begins, 1U)] = (unsigned short)k;
                }
            }
            __syncthreads();
            const int fresh = (int)begins;
            const unsigned int before = open[side];
            const int sums = (fresh + (before != none)) * across;
            for (int own = threadIdx.x; own < sums; own += $threads) {
                const int which = (int)quotient(own, reciprocal);
                const int column = own - which * across;
                const int head = which < fresh ? heads[which] : 0;
                const unsigned int place = which < fresh ? at[head + 1] : before;
                const unsigned int target = place * across + column;
                $number sum = which < fresh ? start[target * lead] : begun[side][column];
                int k = head;
                while (k + 8 <= size && at[k + 8] == place) {
                    $number next[8];
                    #pragma unroll
                    for (int j = 0; j < 8; ++j) next[j] = staged[(k + j) * across + column];
                    #pragma unroll
                    for (int j = 0; j < 8; ++j) sum += next[j];
                    k += 8;
                }
                for (; k < size && at[k + 1] == place; ++k) sum += staged[k * across + column];
                if (k < size || at[size + 1] != place) {
                    out[target] = sum;
                } else if (which < fresh && goes_on(all, first + head + $of_warp, place)) {
                    const unsigned int row = (unsigned int)(first + head);
                    if (!column) of_blocks[atomicAdd(&waiting[1], 1U)] = row;
                } else {
                    begun[side ^ 1][column] = sum;
                    if (!column) open[side ^ 1] = place;
                }
            }
            __syncthreads();
            side ^= 1;
            first += high;
        } while (first < rows && (first < limit || open[side] != none));
    }
}

//# tasks
static __device__ __forceinline__ $number added(
    $number sum, const $number* staged, int size, int pitch) {
    int k = 0;
    for (; k + 8 <= size; k += 8) {
        $number next[8];
        #pragma unroll
        for (int j = 0; j < 8; ++j) next[j] = staged[(k + j) * pitch];
        #pragma unroll
        for (int j = 0; j < 8; ++j) sum += next[j];
    }
    for (; k < size; ++k) sum += staged[k * pitch];
    return sum;
}

// Blocks take places with very many rows: some warps load a stretch of rows while others add up the
// one before it, a thread for each column. Then warps take places of their own.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    const unsigned long long* __restrict__ items,
    const unsigned int* __restrict__ mixed,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    const unsigned int* __restrict__ waiting,
    const unsigned int* __restrict__ of_warps,
    const unsigned int* __restrict__ of_blocks,
    unsigned long long* far) {
    __shared__ $number staged[2][$stage];
    __shared__ bool same[$threads];
    __shared__ int reached;
    const ordered all = {places, values, items, rows, count, step, far, *mixed != 0};
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
        const int adders = (across + 31) / 32 * 32;
        const int high = $stage / across;
        const bool adds = threadIdx.x < across;
        const long long target = place * width + left + threadIdx.x;
        $number sum = adds ? start[target * lead] : 0;
        int side = 0;
        for (long long first = begin; first < end + high; first += high, side ^= 1) {
            if (threadIdx.x >= adders) {
                const long long rest = first < end ? end - first : 0;
                const int size = (int)(rest < high ? rest : high) * across;
                const int apart = $threads - adders;
                for (int at = threadIdx.x - adders; at < size; at += 8 * apart) {
                    $number next[8];
                    #pragma unroll
                    for (int j = 0; j < 8; ++j) {
                        const int k = at + j * apart < size ? at + j * apart : at;
                        next[j] = value_of(all, first + k / across, left + k % across);
                    }
                    #pragma unroll
                    for (int j = 0; j < 8; ++j) {
                        if (at + j * apart < size) staged[side][at + j * apart] = next[j];
                    }
                }
            } else if (adds && first > begin) {
                const long long rest = end - (first - high);
                const int size = (int)(rest < high ? rest : high);
                sum = added(sum, &staged[side ^ 1][threadIdx.x], size, across);
            }
            __syncthreads();
        }
        if (adds) out[target] = sum;
    }
    // Warps go on alone.
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    $number* const own = &staged[0][warp * ($stage / $warps)];
    const long long parts = (width + 31) / 32;
    long long task = (long long)blockIdx.x * $warps + warp;
    for (; task < waiting[0] * parts; task += blocks * $warps) {
        const long long begin = of_warps[task / parts];
        const long long left = task % parts * 32;
        const int across = width - left < 32 ? (int)(width - left) : 32;
        const int high = $stage / $warps / across < 32 ? $stage / $warps / across : 32;
        const unsigned int place = place_of(all, begin);
        const long long target = place * width + left + lane;
        $number sum = lane < across ? start[target * lead] : 0;
        int size = high;
        for (long long first = begin; size == high; first += high) {
            const bool here = lane < high && goes_on(all, first + lane, place);
            size = __popc(__ballot_sync(0xffffffffU, here));
            if (!size) break;
            $number next[$stage / $warps / 32];
            #pragma unroll
            for (int q = 0; q < $stage / $warps / 32; ++q) {
                const int k = q * 32 + lane < size * across ? q * 32 + lane : 0;
                next[q] = value_of(all, first + k / across, left + k % across);
            }
            #pragma unroll
            for (int q = 0; q < $stage / $warps / 32; ++q) {
                if (q * 32 + lane < size * across) own[q * 32 + lane] = next[q];
            }
            __syncwarp();
            if (lane < across) sum = added(sum, own + lane, size, across);
            __syncwarp();
        }
        if (lane < across) out[target] = sum;
    }
}
