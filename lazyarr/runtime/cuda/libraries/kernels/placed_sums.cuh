//: Kernels that add rows where several may fall on the same place, in the order of the rows: so
//: sums of floats have the bits of a loop. Written for lazyarr; placed_sums.py launches them.

//# placed
// The place of an index, which counts from the end if it is negative; if there is none, 0 and a
// report.
static __device__ __forceinline__ unsigned int placed(
    long long index, long long count, unsigned long long* far) {
    if ((unsigned long long)index < (unsigned long long)count) return (unsigned int)index;
    const unsigned long long place = index < 0 ? index + count : index;
    if (place < (unsigned long long)count) return (unsigned int)place;
    *far = place;
    return 0;
}

//# alone
// A thread adds up one number of the result. All threads of a block look at all places.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const unsigned int* __restrict__ needed,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    unsigned long long* far) {
    if (needed && !*needed) return;
    __shared__ unsigned int staged[$tile];
    const long long own = (long long)blockIdx.x * $threads + threadIdx.x;
    const unsigned int row = (unsigned int)(own / width);
    const long long column = step ? own % width : 0;
    $number sum = own < count * width ? start[own * lead] : 0;
    for (long long first = 0; first < rows; first += $tile) {
        const int size = rows - first < $tile ? (int)(rows - first) : $tile;
        __syncthreads();
        for (int k = threadIdx.x; k < $tile; k += $threads) {
            staged[k] = k < size ? placed(places[first + k], count, far) : 0xffffffffU;
        }
        __syncthreads();
        #pragma unroll 16
        for (int k = 0; k < $tile; ++k) {
            if (staged[k] == row) sum += ($number)values[(first + k) * step + column];
        }
    }
    if (own < count * width) out[own] = sum;
}

//# look
// Whether places are in no order, and all are places. A block that knows it looks no further.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const $place* __restrict__ places,
    unsigned int* mixed,
    unsigned long long* far) {
    __shared__ bool apart;
    const long long step = blocks * $piece;
    bool falls = false;
    if (threadIdx.x == 0) apart = false;
    __syncthreads();
    for (long long base = (long long)blockIdx.x * $piece; base < rows; base += step) {
        const long long at = base + threadIdx.x;
        long long own[$counted], last[$counted];
        #pragma unroll
        for (int i = 0; i < $counted; ++i) {
            const long long row = at + i * $threads;
            own[i] = row < rows ? places[row] : 0;
            last[i] = row < rows && row ? places[row - 1] : 0;
        }
        #pragma unroll
        for (int i = 0; i < $counted; ++i) {
            const long long row = at + i * $threads;
            if (row < rows) {
                const unsigned int place = placed(own[i], count, far);
                falls |= row && place < placed(last[i], count, far);
            }
        }
        if (falls) apart = true;
        __syncthreads();
        if (apart) {
            if (threadIdx.x == 0) *mixed = 1;
            return;
        }
        __syncthreads();
    }
}

//# prepare
// Items are a place with the number of its row, or with the row itself if that is a word. Their
// digits are counted, and the words by which tiles publish counts cleared. What is in order needs
// none of it.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long rows,
    const long long count,
    const long long words,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    unsigned long long* __restrict__ items,
    unsigned int* __restrict__ counts,
    unsigned int* __restrict__ states,
    const unsigned int* mixed,
    unsigned long long* far$parameters) {
    if (!*mixed) return;
    $constants
    __shared__ unsigned int bins[$kinds];
    const long long own_word = (long long)blockIdx.x * $threads + threadIdx.x;
    for (long long k = own_word; k < words; k += blocks * $threads) states[k] = 0;
    for (int k = threadIdx.x; k < $kinds; k += $threads) bins[k] = 0;
    __syncthreads();
    const long long step = blocks * $piece;
    for (long long at = (long long)blockIdx.x * $piece + threadIdx.x; at < rows; at += step) {
        long long own[$counted];
        unsigned int word[$counted];
        #pragma unroll
        for (int i = 0; i < $counted; ++i) {
            const long long row = at + i * $threads;
            own[i] = row < rows ? places[row] : 0;
#if $carried
            word[i] =
                row < rows ? (unsigned int)__float_as_int(mapped(values[row]$arguments)) : 0U;
#else
            word[i] = (unsigned int)row;
#endif
        }
        #pragma unroll
        for (int i = 0; i < $counted; ++i) {
            const long long row = at + i * $threads;
            if (row < rows) {
                const unsigned int place = placed(own[i], count, far);
                items[row] = (unsigned long long)place << 32 | word[i];
                #pragma unroll
                for (int k = 0; k < $passes; ++k) {
                    const int digit = (int)(place >> ($low + $bits * k) & $last_digit);
                    atomicAdd(&bins[k * $digits + digit], 1U);
                }
            }
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < $kinds; k += $threads) {
        if (bins[k]) atomicAdd(&counts[$first_kind + k], bins[k]);
    }
}

//# fill
// Nothing is done where `needed` points to 0; so are other kernels with this argument.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const long long lead,
    const unsigned int* __restrict__ needed,
    const $number* __restrict__ start,
    $number* __restrict__ out) {
    if (needed && !*needed) return;
    const long long step = blocks * ($threads * $filled);
    long long at = (long long)blockIdx.x * ($threads * $filled) + threadIdx.x;
    for (; at < total; at += step) {
        #pragma unroll
        for (int i = 0; i < $filled; ++i) {
            const long long k = at + i * $threads;
            if (k < total) out[k] = start[k * lead];
        }
    }
}

//# link
// The rows of each place are linked, in the order in which the additions to memory happen to come.
// Rows are numbered from 1; 0 is the end. Nothing is done where `needed` points to 0. Of places in
// order the sums are left to other kernels: `other` says whether they are, and whether rows have to
// be put in order for them.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long count,
    const unsigned int* __restrict__ needed,
    const $place* __restrict__ places,
    const unsigned int* __restrict__ mixed,
    unsigned int* heads,
    unsigned int* __restrict__ links,
    unsigned int* other,
    unsigned long long* far) {
    if (needed && !*needed) return;
    if (mixed && !*mixed) {
        if (blockIdx.x == 0 && threadIdx.x == 0) other[0] = 1;
        return;
    }
    const long long at = (long long)blockIdx.x * $piece + threadIdx.x;
    long long own[$counted];
    #pragma unroll
    for (int i = 0; i < $counted; ++i) {
        const long long row = at + i * $threads;
        own[i] = row < rows ? places[row] : 0;
    }
    #pragma unroll
    for (int i = 0; i < $counted; ++i) {
        const long long row = at + i * $threads;
        if (row < rows) {
            const unsigned int place = placed(own[i], count, far);
            links[row] = atomicExch(&heads[place], (unsigned int)row + 1);
        }
    }
}

//# linked
// Put the rows of a list in order and add up one column of them; false if a thread cannot hold
// them.
static __device__ __noinline__ bool add_list(
    unsigned int row,
    const unsigned int* __restrict__ links,
    const $value* __restrict__ values,
    const long long step,
    const long long column,
    $number& total) {
    // Later rows come first: links are mostly in that order already.
    unsigned int list[$of_list];
    int size = 0;
    for (; row; row = links[row - 1]) {
        if (size == $of_list) return false;
        int k = size++;
        for (; k && list[k - 1] < row; --k) list[k] = list[k - 1];
        list[k] = row;
    }
    $number sum = total;
    while (size >= 4) {
        size -= 4;
        $number next[4];
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            next[k] = ($number)values[(list[size + 3 - k] - 1) * step + column];
        }
        #pragma unroll
        for (int k = 0; k < 4; ++k) sum += next[k];
    }
    while (size) sum += ($number)values[(list[--size] - 1) * step + column];
    total = sum;
    return true;
}

// A thread adds up one column of the rows of a place, for some places side by side. Where a place
// has more rows than it can hold, all sums are left to other kernels, as `other` says.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long count,
    const long long width,
    const long long step,
    const long long lead,
    const unsigned int* __restrict__ needed,
    const unsigned int* __restrict__ heads,
    const unsigned int* __restrict__ links,
    const $value* __restrict__ values,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    unsigned int* other) {
    if (other[0] || (needed && !*needed)) return;
    const unsigned int total = (unsigned int)(count * width), across = (unsigned int)width;
    const unsigned int begin = blockIdx.x * ($threads * $sums) + threadIdx.x;
    unsigned int rows[$sums][$short + 1];
    unsigned int column[$sums];
    $number sum[$sums], added[$sums][$short];
    #pragma unroll
    for (int j = 0; j < $sums; ++j) {
        const unsigned int own = begin + j * $threads;
        const unsigned int place = across == 1 ? own : own / across;
        column[j] = step ? own - place * across : 0;
        rows[j][0] = own < total ? heads[place] : 0;
        sum[j] = own < total ? start[own * lead] : 0;
    }
    #pragma unroll
    for (int i = 0; i < $short; ++i) {
        #pragma unroll
        for (int j = 0; j < $sums; ++j) {
            rows[j][i + 1] = rows[j][i] ? links[rows[j][i] - 1] : 0;
        }
    }
    #pragma unroll
    for (int j = 0; j < $sums; ++j) {
        // A short list is put in order here, where what it lacks is behind all rows.
        unsigned int own[$short];
        #pragma unroll
        for (int i = 0; i < $short; ++i) own[i] = rows[j][i] - 1;
        #pragma unroll
        for (int i = 1; i < $short; ++i) {
            #pragma unroll
            for (int k = i; k > 0; --k) {
                const unsigned int one = own[k - 1], two = own[k];
                own[k - 1] = one < two ? one : two;
                own[k] = one < two ? two : one;
            }
        }
        #pragma unroll
        for (int i = 0; i < $short; ++i) {
            const bool is_row = own[i] != 0xffffffffU && !rows[j][$short];
            added[j][i] = is_row ? ($number)values[own[i] * step + column[j]] : 0;
            if (!is_row) own[i] = 0xffffffffU;
            rows[j][i] = i == 0 && rows[j][$short] ? rows[j][0] : own[i] + 1;
        }
    }
    #pragma unroll
    for (int j = 0; j < $sums; ++j) {
        const unsigned int own = begin + j * $threads;
        if (rows[j][$short]) {
            if (!add_list(rows[j][0], links, values, step, column[j], sum[j])) {
                other[0] = other[1] = 1;
                return;
            }
        } else {
            #pragma unroll
            for (int i = 0; i < $short; ++i) {
                if (rows[j][i]) sum[j] += added[j][i];
            }
        }
        if (own < total) out[own] = sum[j];
    }
}

//# atomic
// Whole numbers may be added in any order, and floats where last bits do not matter. Few places of
// whole numbers are added up by each block for itself.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const long long count,
    const long long width,
    const long long step,
    const unsigned int* __restrict__ needed,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    $number* out,
    unsigned long long* far) {
    if (needed && !*needed) return;
    const long long stride = blocks * $threads;
    long long own = (long long)blockIdx.x * $threads + threadIdx.x;
#if $room
    __shared__ $number own_sums[$room];
    for (int k = threadIdx.x; k < count * width; k += $threads) own_sums[k] = 0;
    __syncthreads();
    $number* const sums = own_sums;
#else
    $number* const sums = out;
#endif
    for (; own < total; own += stride) {
        const long long row = width == 1 ? own : own / width;
        const long long column = own - row * width;
        const long long place = placed(places[row], count, far);
        atomicAdd(&sums[place * width + column],
                  ($number)values[row * step + (step ? column : 0)]);
    }
#if $room
    __syncthreads();
    for (int k = threadIdx.x; k < count * width; k += $threads) {
        if (own_sums[k]) atomicAdd(&out[k], own_sums[k]);
    }
#endif
}
