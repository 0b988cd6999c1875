//: A kernel that adds up rows of some hundred or thousand places, where there are not many rows.
//: Written for lazyarr; scanned_sums.py puts the function `placed` in front, and launches it.

//# sums
// Add the rows that a warp has noted to the sum of their place: neighbouring lanes load the numbers
// of a row, and each adds those of its column in the order of the rows.
static __device__ __forceinline__ $number added(
    $number sum,
    const unsigned int* noted,
    const int size,
    $number* staged,
    const $value* __restrict__ values,
    const long long step) {
    const int lane = threadIdx.x % $warp, column = lane % $across;
    const int last = column < $width && step ? column : 0;
    $value loaded[$loads];
    #pragma unroll
    for (int i = 0; i < $loads; ++i) {
        const int row = i * ($warp / $across) + lane / $across;
        loaded[i] = row < size ? values[noted[row] * step + last] : 0;
    }
    #pragma unroll
    for (int i = 0; i < $loads; ++i) staged[i * $warp + lane] = ($number)loaded[i];
    __syncwarp();
    int row = 0;
    for (; row + 8 <= size; row += 8) {
        $number next[8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) next[k] = staged[(row + k) * $across + column];
        #pragma unroll
        for (int k = 0; k < 8; ++k) sum += next[k];
    }
    for (; row < size; ++row) sum += staged[row * $across + column];
    __syncwarp();
    return sum;
}

// A block has `high` places. All its threads look at all rows, and list those of its places in
// their order. A warp then adds up the rows of one place after another.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long count,
    const long long step,
    const long long lead,
    const long long high,
    const $place* __restrict__ places,
    const $value* __restrict__ values,
    const $number* __restrict__ start,
    $number* __restrict__ out,
    unsigned long long* far) {
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ unsigned int list[$room];
    __shared__ unsigned int noted[$warps][$noted];
    __shared__ unsigned int sizes[$warps];
    $number* const sums = ($number*)shared + $warps * $loads * $warp;
    const unsigned int none = 0xffffffffU;
    const int lane = threadIdx.x % $warp, warp = threadIdx.x / $warp;
    const unsigned int lower = (1U << lane) - 1;
    const long long lowest = blockIdx.x * high;
    const unsigned int own_places = (unsigned int)(count - lowest < high ? count - lowest : high);
    for (unsigned int k = threadIdx.x; k < own_places * $width; k += $threads) {
        sums[k] = start[(lowest * $width + k) * lead];
    }
    $number* const staged = ($number*)shared + warp * $loads * $warp;
    unsigned int size = 0;
    const long long own_row = warp * ($warp * $items) + lane;
    $place index[$items];
    #pragma unroll
    for (int i = 0; i < $items; ++i) {
        const long long row = own_row + i * $warp;
        index[i] = row < rows ? places[row] : 0;
    }
    for (long long base = 0; base < rows; base += $threads * $items) {
        unsigned int own[$items], votes[$items], total = 0;
        #pragma unroll
        for (int i = 0; i < $items; ++i) {
            const long long row = base + own_row + i * $warp;
            own[i] = row < rows ? placed(index[i], count, far) - (unsigned int)lowest : none;
        }
        // The next places come while these are listed.
        #pragma unroll
        for (int i = 0; i < $items; ++i) {
            const long long row = base + $threads * $items + own_row + i * $warp;
            index[i] = row < rows ? places[row] : 0;
        }
        #pragma unroll
        for (int i = 0; i < $items; ++i) {
            votes[i] = __ballot_sync(0xffffffffU, own[i] < own_places);
            total += __popc(votes[i]);
        }
        if (lane == 0) sizes[warp] = total;
        __syncthreads();
        unsigned int front = size;
        #pragma unroll
        for (int k = 0; k < $warps; ++k) {
            front += k < warp ? sizes[k] : 0;
            size += sizes[k];
        }
        #pragma unroll
        for (int i = 0; i < $items; ++i) {
            const unsigned int row = (unsigned int)(base + own_row) + i * $warp;
            if (own[i] < own_places) {
                list[front + __popc(votes[i] & lower)] = own[i] << $row_bits | row;
            }
            front += __popc(votes[i]);
        }
        __syncthreads();
        if (size <= $room - $threads * $items && base + $threads * $items < rows) continue;
        // Warps go on alone.
        for (unsigned int place = warp; place < own_places; place += $warps) {
            const unsigned int own_sum = place * $width + lane % $across;
            $number sum = lane % $across < $width ? sums[own_sum] : 0;
            unsigned int taken = 0;
            for (unsigned int first = 0; first < size; first += $warp) {
                const unsigned int item = first + lane < size ? list[first + lane] : none;
                const bool is_row = item >> $row_bits == place;
                const unsigned int rows_here = __ballot_sync(0xffffffffU, is_row);
                if (!rows_here) continue;
                if (taken + __popc(rows_here) > $noted) {
                    sum = added(sum, noted[warp], taken, staged, values, step);
                    taken = 0;
                }
                if (is_row) {
                    noted[warp][taken + __popc(rows_here & lower)] = item & $last_row;
                }
                taken += __popc(rows_here);
                __syncwarp();
            }
            sum = added(sum, noted[warp], taken, staged, values, step);
            if (lane < $width) sums[own_sum] = sum;
        }
        size = 0;
        __syncthreads();
    }
    for (unsigned int k = threadIdx.x; k < own_places * $width; k += $threads) {
        out[lowest * $width + k] = sums[k];
    }
}
