//: Sums of the rows of one place, one after another: a thread for each column adds them up.
//: Written for lazyarr; ordered_sums.py puts what they need in front, and launches them.

//# run
// Add up numbers that lie `pitch` apart. The next ones are loaded before those here are added.
static __device__ __forceinline__ $number added(
    $number sum, const $number* staged, int size, int pitch) {
    int k = 0;
    if (size >= 8) {
        $number here[8], next[8];
        #pragma unroll
        for (int j = 0; j < 8; ++j) here[j] = staged[j * pitch];
        #pragma unroll 2
        for (k = 8; k + 8 <= size; k += 8) {
            #pragma unroll
            for (int j = 0; j < 8; ++j) next[j] = staged[(k + j) * pitch];
            #pragma unroll
            for (int j = 0; j < 8; ++j) sum += here[j];
            #pragma unroll
            for (int j = 0; j < 8; ++j) here[j] = next[j];
        }
        #pragma unroll
        for (int j = 0; j < 8; ++j) sum += here[j];
    }
    for (; k < size; ++k) sum += staged[k * pitch];
    return sum;
}

struct __align__(16) Pack { $number at[$pack]; };

// Add up numbers that lie one behind the other. An addition waits for the one before it; what is
// loaded beside it in packs costs few of the instructions that are issued meanwhile.
static __device__ __forceinline__ $number added_in_line(
    $number sum, const $number* staged, int size) {
    int k = 0;
    if (size >= $batch) {
        Pack here[$batch / $pack], next[$batch / $pack];
        #pragma unroll
        for (int j = 0; j < $batch / $pack; ++j) here[j] = ((const Pack*)staged)[j];
        #pragma unroll 2
        for (k = $batch; k + $batch <= size; k += $batch) {
            #pragma unroll
            for (int j = 0; j < $batch / $pack; ++j) next[j] = ((const Pack*)(staged + k))[j];
            #pragma unroll
            for (int j = 0; j < $batch; ++j) sum += here[j / $pack].at[j % $pack];
            #pragma unroll
            for (int j = 0; j < $batch / $pack; ++j) here[j] = next[j];
        }
        #pragma unroll
        for (int j = 0; j < $batch; ++j) sum += here[j / $pack].at[j % $pack];
    }
    if (k < size) {
        // All packs of the rest at once: one number after another would wait for each.
        Pack rest[$batch / $pack];
        #pragma unroll
        for (int j = 0; j < $batch / $pack; ++j) {
            rest[j] = ((const Pack*)(staged + k))[k + j * $pack < size ? j : 0];
        }
        #pragma unroll
        for (int j = 0; j < $batch; ++j) {
            if (k + j < size) sum += rest[j / $pack].at[j % $pack];
        }
    }
    return sum;
}

// What one thread reads of a place: one column of some rows in a stretch, `apart` from one another,
// and which rows those of the next stretch are.
struct reader {
    const ordered& all;
    const unsigned int end, begin, apart;
    const long long column;
    $value numbers[$each];
    unsigned int rows[$each];

    // Beyond the end the last row is read again, and not added.
    __device__ __forceinline__ void read_rows(unsigned int first) {
        #pragma unroll
        for (int j = 0; j < $each; ++j) {
            const unsigned int row = first + begin + j * apart;
            rows[j] = row < end ? row : end - 1;
        }
        if (!all.mixed) return;
        #pragma unroll
        for (int j = 0; j < $each; ++j) rows[j] = (unsigned int)all.items[rows[j]];
    }

    __device__ __forceinline__ void read_numbers() {
        #pragma unroll
        for (int j = 0; j < $each; ++j) numbers[j] = value_in(all, rows[j], column);
    }

    __device__ __forceinline__ void stage($number* staged) const {
        #pragma unroll
        for (int j = 0; j < $each; ++j) staged[j * apart] = ($number)numbers[j];
    }
};

// The sum of the rows from `begin` to `end`, of one place, in `across` columns of them, and of what
// is there at first. Some warps read, two stretches of rows ahead of those that add. All threads of
// a block call it; it returns a sum to a thread for each column.
static __device__ __forceinline__ $number run_sum(
    const ordered& all,
    const unsigned int begin,
    const unsigned int end,
    const long long left,
    const int across,
    $number sum,
    $number (*staged)[$stage]) {
    const int adders = (across + $warp - 1) / $warp * $warp, lines = ($threads - adders) / across;
    const int own = (int)threadIdx.x - adders, high = lines * $each;
    // Each column in packs, of which the first ones lie in other banks than those of the next.
    const int pitch = (high + $pack - 1) / $pack * $pack | $pack;
    const bool reads = own >= 0 && own < lines * across, adds = (int)threadIdx.x < across;
    const int line = reads ? own / across : 0, column = own - line * across;
    reader ahead = {all, end, (unsigned int)line, (unsigned int)lines, left + column};
    const int place = reads ? column * pitch + line : 0;
    if (reads) {
        ahead.read_rows(begin);
        ahead.read_numbers();
        ahead.read_rows(begin + high);
        ahead.stage(&staged[0][place]);
        ahead.read_numbers();
        ahead.read_rows(begin + 2 * high);
    }
    __syncthreads();
    int side = 0;
    for (unsigned int first = begin; first < end; first += high, side ^= 1) {
        if (reads) {
            ahead.stage(&staged[side ^ 1][place]);
            ahead.read_numbers();
            ahead.read_rows(first + 3 * high);
        } else if (adds) {
            const int size = end - first < high ? (int)(end - first) : high;
            sum = added_in_line(sum, &staged[side][threadIdx.x * pitch], size);
        }
        __syncthreads();
    }
    return sum;
}

//# runs
// A block takes a place of many rows, and some columns of them.
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
    unsigned long long* far$parameters) {
    if (needed && !*needed) return;
    $constants
    __align__(16) __shared__ $number staged[2][$stage];
    __shared__ int smaller[2][$warps];
    const ordered all = {places, values, items, rows, count, step, far, *mixed != 0$arguments};
    const long long panels = (width + $columns - 1) / $columns;
    for (long long task = blockIdx.x; task < count * panels; task += blocks) {
        const unsigned int place = (unsigned int)(task / panels);
        const long long left = task % panels * $columns;
        const int across = width - left < $columns ? (int)(width - left) : $columns;
        long long range[2];
        find_range(all, place, (long long)place + 1, smaller, range);
        const long long target = place * width + left + threadIdx.x;
        const bool adds = (int)threadIdx.x < across;
        $number sum = adds ? start[target * lead] : 0;
        if (range[0] < range[1]) {
            const unsigned int begin = (unsigned int)range[0], end = (unsigned int)range[1];
            sum = run_sum(all, begin, end, left, across, sum, staged);
        }
        if (adds) out[target] = sum;
    }
}
