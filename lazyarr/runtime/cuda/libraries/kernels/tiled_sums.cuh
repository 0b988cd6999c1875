//: Kernels that add up rows in the order of their places, by tiles in shared memory.
//: Written for lazyarr; ordered_sums.py puts what they need in front, and launches them.

//# tiles
// A number below 2**12 divided by one up to 64, of which `reciprocal` is 2**20 parts, rounded up.
static __device__ __forceinline__ unsigned int quotient(
    const unsigned int number, const unsigned int reciprocal) {
    return number * reciprocal >> 20;
}

// Read some rows, for each thread some places and numbers, and the places beside the rows. Nothing
// is stored and nothing depends on a condition, so that all loads are under way at once.
static __device__ __forceinline__ void read_rows(
    const ordered& all,
    const long long first,
    const int size,
    const unsigned int across,
    const unsigned int reciprocal,
    long long (&places)[$turns],
    $number (&numbers)[$turns],
    long long& beside) {
    const int last = size * (int)across - 1;
    if (!all.mixed) {
        const $place* const here = all.places + first;
        const $value* const added = all.values + first * all.step;
        const int step = all.step != 0;
        #pragma unroll
        for (int j = 0; j < $turns; ++j) {
            const int k = j * $threads + threadIdx.x;
            places[j] = here[k < size ? k : 0];
        }
        #pragma unroll
        for (int j = 0; j < $turns; ++j) {
            const int k = j * $threads + threadIdx.x;
            numbers[j] = ($number)mapped_in(all, added[(k < last ? k : last) * step]);
        }
    } else {
        const unsigned long long* const here = all.items + first;
        unsigned long long item[$turns];
        #pragma unroll
        for (int j = 0; j < $turns; ++j) {
            const int k = j * $threads + threadIdx.x;
            item[j] = here[k < size ? k : 0];
            places[j] = (long long)(item[j] >> 32);
        }
#if $carried
        #pragma unroll
        for (int j = 0; j < $turns; ++j) numbers[j] = __int_as_float((int)item[j]);
#else
        if (across != 1) {
            #pragma unroll
            for (int j = 0; j < $turns; ++j) {
                const int k = j * $threads + threadIdx.x;
                item[j] = here[quotient(k < last ? k : last, reciprocal)];
            }
        }
        #pragma unroll
        for (int j = 0; j < $turns; ++j) {
            const int k = j * $threads + threadIdx.x;
            const unsigned int own = k < last ? k : last;
            const unsigned int column = own - quotient(own, reciprocal) * across;
            const unsigned int row = (unsigned int)item[j];
            numbers[j] =
                ($number)mapped_in(all, all.values[row * all.step + (all.step ? column : 0)]);
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
//
// Rows that are taken as they came may be in no order: the first block that finds it says so, and
// all is left to other kernels. Places without rows get what is there at first, or are listed.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const long long high,
    const long long tall,
    const long long most,
    const unsigned int* __restrict__ needed,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    const unsigned long long* __restrict__ items,
    unsigned int* mixed,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    unsigned int* waiting,
    unsigned int* __restrict__ of_warps,
    unsigned int* __restrict__ of_blocks,
    unsigned int* __restrict__ gaps,
    unsigned long long* far$parameters) {
    if (needed && !*needed) return;
    $constants
    __shared__ $number staged[$stage];
    __shared__ unsigned int at[$stage + 2];
    __shared__ unsigned short heads[$stage];
    __shared__ $number begun[2][$widest];
    __shared__ unsigned int open[2];
    __shared__ unsigned int begins;
    const unsigned int none = 0xffffffffU;
#if $checks
    __shared__ bool stops, is_late;
    const ordered all = {places, values, items, rows, count, step, far, false$arguments};
#else
    const ordered all = {places, values, items, rows, count, step, far, *mixed != 0$arguments};
#endif
    const int across = (int)width, lane = threadIdx.x % $warp;
    const unsigned int reciprocal = ((1U << 20) + across - 1) / across, lower = (1U << lane) - 1;
    int side = 0;
    if (threadIdx.x == 0) open[0] = none;
#if $checks
    if (threadIdx.x == 0) is_late = *(volatile unsigned int*)mixed != 0;
    __syncthreads();
    if (is_late) return;
#endif
    for (long long tile = blockIdx.x; tile * tall < rows; tile += blocks) {
        const long long limit = tile * tall + tall;
        long long first = tile * tall;
        long long places_here[$turns], beside;
        $number numbers[$turns];
        bool is_read = false;
#if $checks
        unsigned int late = threadIdx.x == 0 ? *(volatile unsigned int*)mixed : 0;
#endif
        do {
            const int span = first < limit || high < $finish ? (int)high : $finish;
            const int size = rows - first < span ? (int)(rows - first) : span;
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
#if $checks
                stops = late != 0;
#endif
            }
            __syncthreads();
            // The next rows come while these are added up.
            const long long ahead = first + span;
            is_read = ahead < limit && ahead < rows;
            if (is_read) {
                const int left = rows - ahead < high ? (int)(rows - ahead) : (int)high;
                read_rows(all, ahead, left, across, reciprocal, places_here, numbers, beside);
            }
            if (first < limit) {
                // One addition to the counter a warp: others would wait for it.
                unsigned int firsts[$turns], total = 0;
                #pragma unroll
                for (int j = 0; j < $turns; ++j) {
                    const int k = j * $threads + threadIdx.x;
                    const unsigned int place = at[k + 1], last = at[k];
                    const bool is_head = k < size && place != last;
                    firsts[j] = __ballot_sync(0xffffffffU, is_head);
                    total += __popc(firsts[j]);
#if $checks
                    // `none` comes before all places here.
                    if (is_head && place + 1 < last + 1) stops = true;
#endif
                }
                unsigned int slot = 0;
                if (lane == 0 && total) slot = atomicAdd(&begins, total);
                slot = __shfl_sync(0xffffffffU, slot, 0);
                #pragma unroll
                for (int j = 0; j < $turns; ++j) {
                    if (firsts[j] >> lane & 1) {
                        const int k = j * $threads + threadIdx.x;
                        heads[slot + __popc(firsts[j] & lower)] = (unsigned short)k;
                    }
                    slot += __popc(firsts[j]);
                }
            }
            __syncthreads();
#if $checks
            if (stops) {
                if (threadIdx.x == 0) *(volatile unsigned int*)mixed = 1;
                return;
            }
            if (threadIdx.x == 0 && first < limit && first + size == rows) {
                const unsigned int last = at[size] + 1;
                list_gap(last, (unsigned int)count, &waiting[2], (unsigned int)most, gaps);
            }
#endif
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
#if $checks
                // `none` comes before the first place.
                const unsigned int gap = which < fresh ? at[head] + 1 : place;
                if (place - gap > $gap_most) {
                    if (!column) list_gap(gap, place, &waiting[2], (unsigned int)most, gaps);
                } else {
                    for (unsigned int k = gap * across + column; k < target; k += across) {
                        out[k] = start[k * lead];
                    }
                }
#endif
                int k = head;
                while (k + 8 <= size && at[k + 8] == place) {
                    $number next[8];
                    #pragma unroll
                    for (int j = 0; j < 8; ++j) next[j] = staged[(k + j) * across + column];
                    #pragma unroll
                    for (int j = 0; j < 8; ++j) sum += next[j];
                    k += 8;
                }
                #pragma unroll
                for (int some = 4; some > 0; some /= 2) {
                    if (k + some <= size && at[k + some] == place) {
                        #pragma unroll
                        for (int j = 0; j < some; ++j) sum += staged[(k + j) * across + column];
                        k += some;
                    }
                }
                if (k < size || at[size + 1] != place) {
                    out[target] = sum;
                } else if (which < fresh && goes_on(all, first + head + $of_warp, place)) {
                    const unsigned int row = (unsigned int)(first + head);
                    const unsigned int slot = column ? 0 : atomicAdd(&waiting[1], 1U);
                    // Only rows in no order make more of them.
                    if (!column && slot <= rows / $of_warp) of_blocks[slot] = row;
                } else {
                    begun[side ^ 1][column] = sum;
                    if (!column) open[side ^ 1] = place;
                }
            }
            __syncthreads();
            side ^= 1;
            first += span;
        } while (first < rows && (first < limit || open[side] != none));
    }
}
