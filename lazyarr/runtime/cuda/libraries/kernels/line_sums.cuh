//: Kernels that add up wide rows in the order of their places. Written for lazyarr; ordered_sums.py
//: puts the functions `placed` and `ordered` in front, and launches them.

//# lines
// Neighbouring lanes of a warp take the columns of a stretch of rows, one row after another, and
// add up the places that begin there: the last one with the rows behind the stretch, unless it has
// very many and is left to a block of its own. Each lane looks at the place of one of the next
// rows, so that a bit for each says where a place begins.
//
// Rows that are taken as they came may be in no order: who finds it says so, and all is left to
// other kernels. Places without rows get what is there at first, or are listed.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const long long high,
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
    const unsigned int none = 0xffffffffU, all_lanes = 0xffffffffU;
#if $checks
    if (*(volatile unsigned int*)mixed) return;
    const ordered all = {places, values, items, rows, count, step, far, false$arguments};
#else
    const ordered all = {places, values, items, rows, count, step, far, *mixed != 0$arguments};
#endif
    const unsigned int across = (unsigned int)width, lane = threadIdx.x % $lanes;
    const unsigned int panels = (across + $lanes - 1) / $lanes;
    const unsigned int shift = threadIdx.x % $warp / $lanes * $lanes;
    const $number first_number = lead ? 0 : start[0];
    const long long stretches = (rows + high - 1) / high * panels;
    const long long lines = blocks * ($threads / $lanes);
    // Warps go on alone.
    long long line = (long long)blockIdx.x * ($threads / $lanes) + threadIdx.x / $lanes;
    for (; __ballot_sync(all_lanes, line < stretches); line += lines) {
        const unsigned int column = (unsigned int)(line % panels) * $lanes + lane;
        const bool is_column = column < across, is_first = column == 0;
        const long long begin = line / panels * high;
        const long long limit = begin + high < rows ? begin + high : rows;
        long long head = 0;
        // The rows before the first place that begins here are added up in vain.
        unsigned int last = none, open = none;
        if (line < stretches && begin) last = place_of(all, begin - 1);
        $number sum = 0;
        bool goes = line < stretches;
        for (long long i = begin; __ballot_sync(all_lanes, goes); i += $lanes) {
            // Beyond the end is a place of its own.
            unsigned int own_place = none, own_row = 0;
            if (goes && i + lane < rows) {
                if (all.mixed) {
                    const unsigned long long item = items[i + lane];
                    own_place = (unsigned int)(item >> 32);
                    own_row = (unsigned int)item;
                } else {
                    own_place = placed(places[i + lane], count, far);
                    own_row = (unsigned int)(i + lane);
                }
            }
            unsigned int before = __shfl_up_sync(all_lanes, own_place, 1, $lanes);
            if (lane == 0) before = last;
            const unsigned int heads = __ballot_sync(all_lanes, own_place != before) >> shift;
#if $checks
            // `none` comes before all places, and behind them.
            const bool is_late = goes && own_place != none && own_place + 1 < before + 1;
            if (__ballot_sync(all_lanes, is_late)) {
                if (threadIdx.x % $warp == 0) *(volatile unsigned int*)mixed = 1;
                return;
            }
#endif
            #pragma unroll 1
            for (int some = 0; some < $lanes; some += $ahead) {
                unsigned int here[$ahead];
                $number next[$ahead], begun[$ahead];
                #pragma unroll
                for (int j = 0; j < $ahead; ++j) {
                    here[j] = __shfl_sync(all_lanes, own_place, some + j, $lanes);
                    unsigned int row = (unsigned int)i + some + j;
                    if (all.mixed) row = __shfl_sync(all_lanes, own_row, some + j, $lanes);
                    const bool is_read = goes && is_column && here[j] != none;
                    next[j] = is_read ? ($number)value_in(all, row, column) : 0;
                }
                #pragma unroll
                for (int j = 0; j < $ahead; ++j) {
                    begun[j] = first_number;
                    if (lead && goes && is_column && heads >> (some + j) & 1 && here[j] != none) {
                        begun[j] = start[(long long)here[j] * across + column];
                    }
                }
                #pragma unroll
                for (int j = 0; j < $ahead; ++j) {
                    if (goes && heads >> (some + j) & 1) {
                        if (open != none && is_column) out[open * across + column] = sum;
                        goes = i + some + j < limit;
                        open = none;
                        if (goes) {
#if $checks
                            const unsigned int gap = last + 1;
                            if (here[j] - gap > $gap_most) {
                                if (is_first) {
                                    list_gap(gap, here[j], &waiting[2], (unsigned int)most, gaps);
                                }
                            } else if (is_column) {
                                for (unsigned int k = gap; k < here[j]; ++k) {
                                    out[k * across + column] =
                                        start[((long long)k * across + column) * lead];
                                }
                            }
#endif
                            open = here[j];
                            head = i + some + j;
                            sum = begun[j];
                        }
                    }
                    last = here[j];
                    sum += next[j];
                }
            }
            const long long behind = i + $lanes;
            if (goes && behind >= limit) {
                goes = open != none;
                if (goes && behind < limit + $lanes && goes_on(all, head + $of_warp, open)) {
                    // Only rows in no order make more of them.
                    const unsigned int slot = is_first ? atomicAdd(&waiting[1], 1U) : 0;
                    if (is_first && slot <= rows / $of_warp) of_blocks[slot] = (unsigned int)head;
                    open = none;
                    goes = false;
                }
            }
        }
#if $checks
        if (is_first && line < stretches && limit == rows) {
            const unsigned int behind = place_of(all, rows - 1) + 1;
            list_gap(behind, (unsigned int)count, &waiting[2], (unsigned int)most, gaps);
        }
#endif
    }
}
