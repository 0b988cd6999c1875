//: Kernels that add up rows in the order of their places, where places have few rows.
//: Written for lazyarr; ordered_sums.py puts `placed` and `ordered` in front, and launches them.

//# warps
// Some numbers of a place, from one of its rows on; positions of numbers are words.
static __device__ __forceinline__ void read(
    const ordered& all,
    const unsigned int row,
    const int begin,
    const int length,
    const unsigned int stride,
    const unsigned int column,
    $number (&numbers)[$batch]) {
    if (all.mixed) {
        unsigned int word[$batch];
        const unsigned long long* from = all.items + (row + begin);
        #pragma unroll
        for (int j = 0; j < $batch; ++j) {
            word[j] = 0;
            if (begin + j < length) word[j] = (unsigned int)from[j];
        }
        #pragma unroll
        for (int j = 0; j < $batch; ++j) {
#if $carried
            numbers[j] = __int_as_float((int)word[j]);
#else
            numbers[j] = 0;
            if (begin + j < length) {
                numbers[j] = ($number)mapped_in(all, all.values[word[j] * stride + column]);
            }
#endif
        }
    } else {
        const $value* from = all.values + ((row + begin) * stride + column);
        #pragma unroll
        for (int j = 0; j < $batch; ++j) {
            numbers[j] = 0;
            if (begin + j < length) numbers[j] = ($number)mapped_in(all, *from);
            from += stride;
        }
    }
}

// A warp takes tiles of rows in order, and the places that begin in them: those from behind the
// place before the tile to the last one, some at a time. Of each of these it notes where its rows
// begin and where they end, which for the last one may be behind the tile. Then a lane adds up one
// column of a place, as its numbers lie in memory, and places without rows get what is there at
// first. Many rows of one place are left to a warp or a block of their own, and long stretches of
// places without rows are listed.
//
// Rows that are taken as they came may be in no order: the first warp that finds it says so, and
// all is left to other kernels.
extern "C" __global__ void __launch_bounds__($threads, $occupancy) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
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
    // Places in the order of rows; then the first row of each place, and above it its end.
    __align__(16) __shared__ unsigned int staged[$warps][$tile];
    const unsigned int none = 0xffffffffU, all_lanes = 0xffffffffU;
#if $checks
    const ordered all = {places, values, items, rows, count, step, far, false$arguments};
#else
    const ordered all = {places, values, items, rows, count, step, far, *mixed != 0$arguments};
#endif
    const int lane = threadIdx.x % $warp, warp = threadIdx.x / $warp;
#if $single
    const unsigned int across = 1, stride = step ? 1 : 0;
#else
    const unsigned int across = (unsigned int)width, stride = step ? across : 0;
#endif
    // A number up to 2**16 divided by the width: its product with 2**32 parts of one, rounded up.
    const unsigned int reciprocal = across == 1 ? 0 : 0xffffffffU / across + 1;
    const $number first_number = lead ? 0 : start[0];
    unsigned int* const own_words = staged[warp];
    unsigned short* const own_ends = (unsigned short*)own_words;
    // Warps go on alone.
    long long tile = (long long)blockIdx.x * $warps + warp;
    for (; tile * $tile < rows; tile += blocks * $warps) {
#if $checks
        if (__ballot_sync(all_lanes, *(volatile unsigned int*)mixed)) return;
#endif
        const long long first = tile * $tile;
        const int size = rows - first < $tile ? (int)(rows - first) : $tile;
        // Nothing is stored and nothing depends on a condition, so that all loads are under way at
        // once.
        long long indices[$each], index_beside;
        const long long row_beside = first ? first - 1 : 0;
        if (all.mixed) {
            index_beside = (long long)(items[row_beside] >> 32);
            #pragma unroll
            for (int j = 0; j < $each; ++j) {
                const int k = j * $warp + lane;
                indices[j] = (long long)(items[first + (k < size ? k : size - 1)] >> 32);
            }
        } else {
            index_beside = (long long)places[row_beside];
            #pragma unroll
            for (int j = 0; j < $each; ++j) {
                const int k = j * $warp + lane;
                indices[j] = (long long)places[first + (k < size ? k : size - 1)];
            }
        }
        #pragma unroll
        for (int j = 0; j < $each; ++j) {
            own_words[j * $warp + lane] = placed(indices[j], count, far);
        }
        const unsigned int beside = first ? placed(index_beside, count, far) : none;
        __syncwarp();
        // Rows beside one another are a lane's, which compares them.
        unsigned int here[$each];
        #pragma unroll
        for (int j = 0; j < $each; ++j) here[j] = own_words[lane * $each + j];
        __syncwarp();
        unsigned int before = __shfl_up_sync(all_lanes, here[$each - 1], 1);
        unsigned int behind = __shfl_sync(all_lanes, here[0], (lane + 1) % $warp);
        const unsigned int last = __shfl_sync(all_lanes, here[$each - 1], $warp - 1);
        if (lane == 0) before = beside;
        // The end of the last place is written apart.
        if (lane == $warp - 1) behind = last;
#if $checks
        bool is_late = false;
        #pragma unroll
        for (int j = 0; j < $each; ++j) {
            // `none` comes before all places here.
            is_late |= here[j] + 1 < (j ? here[j - 1] : before) + 1;
        }
        if (__ballot_sync(all_lanes, is_late)) {
            if (lane == 0) *(volatile unsigned int*)mixed = 1;
            return;
        }
#endif
        if (lane == 0 && first + size == rows) {
            list_gap(last + 1, (unsigned int)count, &waiting[2], (unsigned int)most, gaps);
        }
        if (last == beside) continue;
        // How far its rows go on.
        long long end = first + size;
        unsigned int same = all_lanes;
        while (same == all_lanes && end <= first + size + $of_warp) {
            same = __ballot_sync(all_lanes, goes_on(all, end + lane, last));
            end += __popc(same);
        }
        unsigned int low = beside + 1;
        while (low <= last) {
            unsigned int next = last;
            #pragma unroll
            for (int j = $each - 1; j >= 0; --j) {
                if (here[j] >= low) next = here[j];
            }
            const unsigned int lower = __ballot_sync(all_lanes, here[$each - 1] < low);
            next = __shfl_sync(all_lanes, next, __popc(lower));
            if (next - low > $gap_most) {
                if (lane == 0) list_gap(low, next, &waiting[2], (unsigned int)most, gaps);
                low = next;
            }
            const unsigned int span = last - low < $tile ? last - low + 1 : $tile;
            for (unsigned int k = lane; k < span; k += $warp) own_words[k] = 0;
            __syncwarp();
            #pragma unroll
            for (int j = 0; j < $each; ++j) {
                const unsigned int offset = here[j] - low;
                const unsigned int following = j < $each - 1 ? here[j + 1] : behind;
                const int k = lane * $each + j;
                if (offset < span) {
                    if (here[j] != (j ? here[j - 1] : before)) own_ends[2 * offset] = k;
                    if (here[j] != following) own_ends[2 * offset + 1] = k + 1;
                }
            }
            if (lane == 0 && last - low < span) {
                own_ends[2 * (last - low) + 1] = (unsigned short)(end - first);
            }
            __syncwarp();
            const unsigned int sums = span * across;
            const unsigned int shift = low * across;
            for (unsigned int begun = lane; begun < sums; begun += $warp * $sums) {
                unsigned int column[$sums], row[$sums];
                int length[$sums];
                $number next[$sums][$batch], sum[$sums];
                // All loads are under way before anything is stored.
                #pragma unroll
                for (int i = 0; i < $sums; ++i) {
                    const unsigned int own = begun + i * $warp < sums ? begun + i * $warp : begun;
#if $single
                    const unsigned int offset = own;
                    column[i] = 0;
#else
                    const unsigned int offset =
                        (unsigned int)((unsigned long long)own * reciprocal >> 32);
                    column[i] = own - offset * across;
#endif
                    const unsigned int word = own_words[offset];
                    const unsigned int begin = word & 0xffffU;
                    row[i] = (unsigned int)first + begin;
                    length[i] = (int)((word >> 16) - begin);
                    sum[i] = lead ? start[shift + own] : first_number;
                    read(all, row[i], 0, length[i], stride, step ? column[i] : 0, next[i]);
                }
                #pragma unroll
                for (int i = 0; i < $sums; ++i) {
                    if (begun + i * $warp >= sums) break;
                    if (length[i] > $of_thread) {
                        if (column[i]) continue;
                        if (length[i] > $of_warp) {
                            of_blocks[atomicAdd(&waiting[1], 1U)] = row[i];
                        } else {
                            of_warps[atomicAdd(&waiting[0], 1U)] = row[i];
                        }
                        continue;
                    }
                    #pragma unroll
                    for (int j = 0; j < $batch; ++j) {
                        if (j < length[i]) sum[i] += next[i][j];
                    }
                    for (int k = $batch; k < length[i]; k += $batch) {
                        read(all, row[i], k, length[i], stride, step ? column[i] : 0, next[i]);
                        #pragma unroll
                        for (int j = 0; j < $batch; ++j) {
                            if (k + j < length[i]) sum[i] += next[i][j];
                        }
                    }
                    out[shift + begun + i * $warp] = sum[i];
                }
            }
            __syncwarp();
            low += span;
        }
    }
}
