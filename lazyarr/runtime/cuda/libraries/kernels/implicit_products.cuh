//: Convolutions as products whose left matrix, that of windows, is never stored: its elements are
//: read from the images into shared memory, tile by tile. Written for lazyarr; see
//: implicit_products.py.

//# windows
struct __align__(16) Four { $element at[4]; };

// Images, channels last or anywhere, and the windows that slide over them.
struct Images {
    const $element* __restrict__ first;
    int height, width, channels;
    int by_image, by_row, by_column, by_channel;
    int stride_down, stride_across, gap_down, gap_across;
    int low_down, low_across, spread_down, spread_across;
};

// An element of a window: its tap and its channel.
struct Tap {
    int down, across, channel;
};

static __device__ __forceinline__ Tap tap_of(int k, int channels, int taps_across) {
    const int tap = k / channels;
    return {tap / taps_across, tap % taps_across, k - tap * channels};
}

static __device__ __forceinline__ void advance(Tap& tap, int by, int channels, int taps_across) {
    tap.channel += by;
    while (tap.channel >= channels) {
        tap.channel -= channels;
        if (++tap.across == taps_across) {
            tap.across = 0;
            ++tap.down;
        }
    }
}

// The place of an element of the window whose first element is at row y, column x; -1: zero.
static __device__ __forceinline__ int place_of(
    const Images& images, int image, int y, int x, const Tap& tap) {
    int row = y + tap.down * images.gap_down;
    int column = x + tap.across * images.gap_across;
#if $spread
    if (row < 0 || column < 0) return -1;
    if (row % images.spread_down || column % images.spread_across) return -1;
    row /= images.spread_down;
    column /= images.spread_across;
#endif
    if ((unsigned int)row >= (unsigned int)images.height) return -1;
    if ((unsigned int)column >= (unsigned int)images.width) return -1;
    return image + row * images.by_row + column * images.by_column
        + tap.channel * images.by_channel;
}

static __device__ __forceinline__ Four four_at(const $element* from, bool there) {
    Four none = {{0, 0, 0, 0}};
    return there ? *(const Four*)from : none;
}

//# images
// Rows of the product are windows, columns are outputs. A thread has $own_rows x $own_columns sums,
// in groups of four, each of which it adds in the order of the elements of a window.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long windows, const long long down, const long long across,
    const long long depth, const long long outputs, const long long taps_across,
    const long long column_tiles, const long long to_image, const long long to_row,
    const long long to_column,
    const long long height, const long long width, const long long channels,
    const long long by_image, const long long by_row, const long long by_column,
    const long long by_channel, const long long stride_down, const long long stride_across,
    const long long gap_down, const long long gap_across,
    const long long low_down, const long long low_across,
    const long long spread_down, const long long spread_across,
    const $element* __restrict__ from,
    const $element* __restrict__ weights,
    $element* __restrict__ to) {
    const Images images = {
        from, (int)height, (int)width, (int)channels,
        (int)by_image, (int)by_row, (int)by_column, (int)by_channel,
        (int)stride_down, (int)stride_across, (int)gap_down, (int)gap_across,
        (int)low_down, (int)low_across, (int)spread_down, (int)spread_across};
    __align__(16) __shared__ $element lefts[2][$step][$rows + 4];
    __align__(16) __shared__ $element rights[2][$step][$columns];
    const int total = (int)windows, deep = (int)depth, wide = (int)outputs;
    const int thread = threadIdx.x;
    const int top = (int)(blockIdx.x / column_tiles) * $rows;
    const int left = (int)(blockIdx.x % column_tiles) * $columns;

    // What a thread reads of the images: $fetched groups of elements of some windows.
#if $vectors
    const int first_row = thread / ($step / 4), own_k = thread % ($step / 4) * 4;
    const int row_step = $threads / ($step / 4);
#else
    const int first_row = thread, own_k = 0;
    const int row_step = $threads;
#endif
    int ys[$fetched], xs[$fetched], places[$fetched];
    #pragma unroll
    for (int r = 0; r < $fetched; ++r) {
        const int row = top + first_row + r * row_step;
        const int image = row / (int)(down * across), rest = row % (int)(down * across);
        places[r] = row < total ? image * images.by_image : -1;
        ys[r] = rest / (int)across * images.stride_down - images.low_down;
        xs[r] = rest % (int)across * images.stride_across - images.low_across;
    }
    Tap tap = tap_of(own_k, images.channels, (int)taps_across);
    int at_k = own_k;

#if $vectors
    Four loaded[$fetched];
#else
    $element loaded[$fetched][$step];
#endif
    Four weight[$weight_fours];

    const auto fetch = [&](int slice) {
#if $vectors
        #pragma unroll
        for (int r = 0; r < $fetched; ++r) {
            int place = -1;
            if (places[r] >= 0 && at_k < deep) {
                place = place_of(images, places[r], ys[r], xs[r], tap);
            }
            loaded[r] = four_at(images.first + place, place >= 0);
        }
        at_k += $step;
        advance(tap, $step, images.channels, (int)taps_across);
#else
        #pragma unroll
        for (int k = 0; k < $step; ++k) {
            #pragma unroll
            for (int r = 0; r < $fetched; ++r) {
                int place = -1;
                if (places[r] >= 0 && at_k < deep) {
                    place = place_of(images, places[r], ys[r], xs[r], tap);
                }
                loaded[r][k] = place >= 0 ? images.first[place] : 0;
            }
            ++at_k;
            advance(tap, 1, images.channels, (int)taps_across);
        }
#endif
        #pragma unroll
        for (int n = 0; n < $weight_fours; ++n) {
            const int slot = thread + n * $threads;
            const int k = slice * $step + slot / ($columns / 4);
            const int column = left + slot % ($columns / 4) * 4;
            const bool there = slot < $step * ($columns / 4) && k < deep;
#if $whole
            weight[n] = four_at(weights + (long long)k * wide + column, there && column < wide);
#else
            #pragma unroll
            for (int c = 0; c < 4; ++c) {
                weight[n].at[c] =
                    there && column + c < wide ? weights[(long long)k * wide + column + c] : 0;
            }
#endif
        }
    };
    const auto keep = [&](int side) {
#if $vectors
        #pragma unroll
        for (int r = 0; r < $fetched; ++r) {
            #pragma unroll
            for (int c = 0; c < 4; ++c) {
                lefts[side][own_k + c][first_row + r * row_step] = loaded[r].at[c];
            }
        }
#else
        #pragma unroll
        for (int r = 0; r < $fetched; ++r) {
            #pragma unroll
            for (int k = 0; k < $step; ++k) {
                if (first_row + r * row_step < $rows) {
                    lefts[side][k][first_row + r * row_step] = loaded[r][k];
                }
            }
        }
#endif
        #pragma unroll
        for (int n = 0; n < $weight_fours; ++n) {
            const int slot = thread + n * $threads;
            if (slot < $step * ($columns / 4)) {
                *(Four*)&rights[side][slot / ($columns / 4)][slot % ($columns / 4) * 4] = weight[n];
            }
        }
    };

    const int column_group = thread % $column_groups * 4, row_group = thread / $column_groups * 4;
    $element sums[$own_rows][$own_columns] = {};
    const int slices = (deep + $step - 1) / $step;
    fetch(0);
    keep(0);
    __syncthreads();
    for (int slice = 0; slice < slices; ++slice) {
        const int side = slice & 1;
        if (slice + 1 < slices) fetch(slice + 1);
        #pragma unroll
        for (int k = 0; k < $step; ++k) {
            Four a[$own_rows / 4], b[$own_columns / 4];
            #pragma unroll
            for (int r = 0; r < $own_rows / 4; ++r) {
                a[r] = *(const Four*)&lefts[side][k][r * $row_groups * 4 + row_group];
            }
            #pragma unroll
            for (int c = 0; c < $own_columns / 4; ++c) {
                b[c] = *(const Four*)&rights[side][k][c * $column_groups * 4 + column_group];
            }
            #pragma unroll
            for (int r = 0; r < $own_rows; ++r) {
                #pragma unroll
                for (int c = 0; c < $own_columns; ++c) {
                    sums[r][c] = $fma(a[r / 4].at[r % 4], b[c / 4].at[c % 4], sums[r][c]);
                }
            }
        }
        if (slice + 1 < slices) keep(side ^ 1);
        __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < $own_rows; ++r) {
        const int row = top + r / 4 * $row_groups * 4 + row_group + r % 4;
        if (row >= total) continue;
#if $apart
        const int image = row / (int)(down * across), rest = row % (int)(down * across);
        $element* const line = to + image * to_image + rest / (int)across * to_row
            + rest % (int)across * to_column;
#else
        $element* const line = to + (long long)row * wide;
#endif
        #pragma unroll
        for (int c = 0; c < $own_columns; c += 4) {
            const int column = left + c / 4 * $column_groups * 4 + column_group;
            $element* const place = line + column;
#if $whole
            if (column < wide) {
                Four group;
                #pragma unroll
                for (int e = 0; e < 4; ++e) group.at[e] = sums[r][c + e];
                *(Four*)place = group;
            }
#else
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                if (column + e < wide) place[e] = sums[r][c + e];
            }
#endif
        }
    }
}

//# filters
// Rows of the product are elements of a window, columns are outputs, and windows are summed: each
// block takes a part of them, whose sums it leaves to a kernel of their own. The warps of a block
// that have the same columns take the windows of a tile in turns.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long windows, const long long down, const long long across,
    const long long depth, const long long outputs, const long long taps_across,
    const long long row_tiles, const long long column_tiles, const long long share,
    const long long height, const long long width, const long long channels,
    const long long by_image, const long long by_row, const long long by_column,
    const long long by_channel, const long long stride_down, const long long stride_across,
    const long long gap_down, const long long gap_across,
    const long long low_down, const long long low_across,
    const long long spread_down, const long long spread_across,
    const $element* __restrict__ from,
    const $element* __restrict__ cotangent,
    $element* __restrict__ to) {
    const Images images = {
        from, (int)height, (int)width, (int)channels,
        (int)by_image, (int)by_row, (int)by_column, (int)by_channel,
        (int)stride_down, (int)stride_across, (int)gap_down, (int)gap_across,
        (int)low_down, (int)low_across, (int)spread_down, (int)spread_across};
    __align__(16) __shared__ $element lefts[2][$step][$pitch];
    __align__(16) __shared__ $element rights[2][$step][$columns];
    __align__(16) __shared__ $element joined[$rows][$columns];
    const int deep = (int)depth, wide = (int)outputs;
    const int thread = threadIdx.x;
    const int tiles = (int)(row_tiles * column_tiles);
    const int part = blockIdx.x / tiles, tile = blockIdx.x % tiles;
    const int top = tile / (int)column_tiles * $rows, left = tile % (int)column_tiles * $columns;
    const int begin = part * (int)share;
    const int end = begin + (int)share < (int)windows ? begin + (int)share : (int)windows;

    // A thread reads the same elements of different windows.
#if $vectors
    const int own_k = thread % ($rows / 4) * 4, first_window = thread / ($rows / 4);
    const int window_step = $threads / ($rows / 4);
    Tap tap = tap_of(top + own_k, images.channels, (int)taps_across);
    Four loaded[$fetched];
#else
    const int own_k = thread / $step, first_window = thread % $step;
    const int window_step = $step;
    __shared__ Tap taps[$rows];
    for (int k = thread; k < $rows; k += $threads) {
        taps[k] = tap_of(top + k, images.channels, (int)taps_across);
    }
    __syncthreads();
    $element loaded[$loaded_taps];
#endif
    int image[$fetched], row[$fetched], column[$fetched], at[$fetched];
    #pragma unroll
    for (int r = 0; r < $fetched; ++r) {
        at[r] = begin + first_window + r * window_step;
        const int rest = at[r] % (int)(down * across);
        image[r] = at[r] / (int)(down * across);
        row[r] = rest / (int)across;
        column[r] = rest % (int)across;
    }
    const int step_down = $step / (int)across, step_across = $step % (int)across;
    Four other[$other_fours];

    const auto fetch = [&](int slice) {
        #pragma unroll
        for (int r = 0; r < $fetched; ++r) {
            const int place = image[r] * images.by_image;
            const int y = row[r] * images.stride_down - images.low_down;
            const int x = column[r] * images.stride_across - images.low_across;
#if $vectors
            int there = -1;
            if (at[r] < end && top + own_k < deep) there = place_of(images, place, y, x, tap);
            loaded[r] = four_at(images.first + there, there >= 0);
#else
            #pragma unroll
            for (int k = 0; k < $loaded_taps; ++k) {
                const int of = own_k + k * ($threads / $step);
                int there = -1;
                if (at[r] < end && top + of < deep) {
                    there = place_of(images, place, y, x, taps[of]);
                }
                loaded[k] = there >= 0 ? images.first[there] : 0;
            }
#endif
            at[r] += $step;
            row[r] += step_down;
            column[r] += step_across;
            if (column[r] >= (int)across) {
                column[r] -= (int)across;
                ++row[r];
            }
            while (row[r] >= (int)down) {
                row[r] -= (int)down;
                ++image[r];
            }
        }
        #pragma unroll
        for (int n = 0; n < $other_fours; ++n) {
            const int slot = thread + n * $threads;
            const int window = begin + slice * $step + slot / ($columns / 4);
            const int first = left + slot % ($columns / 4) * 4;
            const bool there = slot < $step * ($columns / 4) && window < end;
#if $whole
            other[n] = four_at(cotangent + (long long)window * wide + first, there && first < wide);
#else
            #pragma unroll
            for (int c = 0; c < 4; ++c) {
                other[n].at[c] =
                    there && first + c < wide ? cotangent[(long long)window * wide + first + c] : 0;
            }
#endif
        }
    };
    const auto keep = [&](int side) {
#if $vectors
        #pragma unroll
        for (int r = 0; r < $fetched; ++r) {
            *(Four*)&lefts[side][first_window + r * window_step][own_k] = loaded[r];
        }
#else
        #pragma unroll
        for (int k = 0; k < $loaded_taps; ++k) {
            lefts[side][first_window][own_k + k * ($threads / $step)] = loaded[k];
        }
#endif
        #pragma unroll
        for (int n = 0; n < $other_fours; ++n) {
            const int slot = thread + n * $threads;
            if (slot < $step * ($columns / 4)) {
                *(Four*)&rights[side][slot / ($columns / 4)][slot % ($columns / 4) * 4] = other[n];
            }
        }
    };

    const int warp = thread / $warp, lane = thread % $warp;
    const int turn = warp / $warps_across, across_group = warp % $warps_across * $warp_columns;
    const int column_group = across_group + lane % $column_groups * 4;
    const int row_group = lane / $column_groups * 4;
    $element sums[$own_rows][$own_columns] = {};
    const int slices = (end - begin + $step - 1) / $step;
    fetch(0);
    keep(0);
    __syncthreads();
    for (int slice = 0; slice < slices; ++slice) {
        const int side = slice & 1;
        if (slice + 1 < slices) fetch(slice + 1);
        #pragma unroll
        for (int n = 0; n < $step / $turns; ++n) {
            const int k = turn * ($step / $turns) + n;
            Four a[$own_rows / 4], b[$own_columns / 4];
            #pragma unroll
            for (int r = 0; r < $own_rows / 4; ++r) {
                a[r] = *(const Four*)&lefts[side][k][r * ($warp / $column_groups) * 4 + row_group];
            }
            #pragma unroll
            for (int c = 0; c < $own_columns / 4; ++c) {
                b[c] = *(const Four*)&rights[side][k][c * $column_groups * 4 + column_group];
            }
            #pragma unroll
            for (int r = 0; r < $own_rows; ++r) {
                #pragma unroll
                for (int c = 0; c < $own_columns; ++c) {
                    sums[r][c] = $fma(a[r / 4].at[r % 4], b[c / 4].at[c % 4], sums[r][c]);
                }
            }
        }
        if (slice + 1 < slices) keep(side ^ 1);
        __syncthreads();
    }
    // The warps' sums are added one after another.
    for (int t = 0; t < $turns; ++t) {
        if (turn == t) {
            #pragma unroll
            for (int r = 0; r < $own_rows; ++r) {
                #pragma unroll
                for (int c = 0; c < $own_columns; ++c) {
                    $element* const place =
                        &joined[r / 4 * ($warp / $column_groups) * 4 + row_group + r % 4]
                               [c / 4 * $column_groups * 4 + column_group + c % 4];
                    *place = t ? *place + sums[r][c] : sums[r][c];
                }
            }
        }
        __syncthreads();
    }
    to += (long long)part * deep * wide;
    for (int n = thread; n < $rows * $columns; n += $threads) {
        const int k = top + n / $columns, output = left + n % $columns;
        if (k < deep && output < wide) {
            to[(long long)k * wide + output] = joined[n / $columns][n % $columns];
        }
    }
}

//# sums
// Adds the sums of parts: $lines lines of threads take the parts in turns, and are added in order.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long total, const long long parts,
    const $element* __restrict__ from,
    $element* __restrict__ to) {
    __shared__ $element shares[$lines][$threads / $lines];
    const int own = threadIdx.x % ($threads / $lines), line = threadIdx.x / ($threads / $lines);
    const long long at = (long long)blockIdx.x * ($threads / $lines) + own;
    $element sum = 0;
    if (at < total) {
        #pragma unroll 8
        for (int part = line; part < (int)parts; part += $lines) sum += from[part * total + at];
    }
    shares[line][own] = sum;
    __syncthreads();
    if (line || at >= total) return;
    for (int k = 1; k < $lines; ++k) sum += shares[k][own];
    to[at] = sum;
}
