//: Kernels that sort by comparing. Written for lazyarr after K. E. Batcher, "Sorting
//: networks and their applications", AFIPS 32 (1968), and O. Green, R. McColl, D. A. Bader, "GPU
//: merge path", ICS 2012. merge_sort.py puts key_of in front, and describes the algorithm.

//# tile
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long length,
    const long long tiles,
    const $bits* __restrict__ from,
    $key* __restrict__ keys,
    unsigned int* __restrict__ places) {
    __shared__ $key staged[$tile];
    __shared__ unsigned int place[$tile];
    const long long first = blockIdx.x / tiles * $rows_of_tile;
    const long long start = blockIdx.x % tiles * $tile;
    for (int k = threadIdx.x; k < $tile; k += $threads) {
        const long long row = first + k / $width, at = start + k % $width;
        const bool inside = row < rows && at < length;
        staged[k] = inside ? key_of(from[row * length + at]) : $last;
        place[k] = inside ? (unsigned int)at : 0xffffffffU;
    }
    __syncthreads();
    for (int size = 2; size <= $width; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            for (int p = threadIdx.x; p < $pairs; p += $threads) {
                const int i = 2 * p - (p & (step - 1));
                const int j = i + step;
                const bool rising = (i & size & $width_mask) == 0;
                const bool equal = staged[i] == staged[j];
                const bool above = staged[i] > staged[j] || (equal && place[i] > place[j]);
                if (above == rising) {
                    const $key other = staged[i];
                    const unsigned int there = place[i];
                    staged[i] = staged[j];
                    place[i] = place[j];
                    staged[j] = other;
                    place[j] = there;
                }
            }
            __syncthreads();
        }
    }
    for (int k = threadIdx.x; k < $tile; k += $threads) {
        const long long row = first + k / $width, at = start + k % $width;
        if (row < rows && at < length) {
            keys[row * length + at] = staged[k];
            places[row * length + at] = place[k];
        }
    }
}

//# merge
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long length,
    const long long width,
    const long long pieces,
    const $key* __restrict__ keys,
    const unsigned int* __restrict__ places,
    $key* __restrict__ merged_keys,
    unsigned int* __restrict__ merged_places) {
    __shared__ $key staged[$tile];
    __shared__ long long cut[2];
    const long long row = blockIdx.x / pieces * length;
    const long long from = blockIdx.x % pieces * $tile;
    const long long base = from / (2 * width) * (2 * width);
    const long long middle = base + width < length ? base + width : length;
    const long long end = base + 2 * width < length ? base + 2 * width : length;
    const long long to = from + $tile < end ? from + $tile : end;
    const long long first_size = middle - base, second_size = end - middle;
    if (threadIdx.x < 2) {
        // How many of the elements before this place come from the first run.
        const long long diagonal = (threadIdx.x ? to : from) - base;
        long long low = diagonal > second_size ? diagonal - second_size : 0;
        long long high = diagonal < first_size ? diagonal : first_size;
        while (low < high) {
            const long long half = (low + high) / 2;
            if (keys[row + base + half] <= keys[row + middle + diagonal - half - 1]) low = half + 1;
            else high = half;
        }
        cut[threadIdx.x] = low;
    }
    __syncthreads();
    const long long first = base + cut[0];
    const long long second = middle + (from - base) - cut[0];
    const int count = (int)(cut[1] - cut[0]);
    const int size = (int)(to - from);
    for (int k = threadIdx.x; k < size; k += $threads) {
        staged[k] = keys[row + (k < count ? first + k : second + k - count)];
    }
    __syncthreads();
    for (int k = threadIdx.x; k < size; k += $threads) {
        const $key own = staged[k];
        const bool later = k >= count;
        int low = later ? 0 : count;
        int high = later ? count : size;
        const int start = low;
        // Of equal elements, those of the first run come first.
        while (low < high) {
            const int half = (low + high) / 2;
            if (staged[half] < own || (later && staged[half] == own)) low = half + 1;
            else high = half;
        }
        const long long at = row + from + (later ? k - count : k) + (low - start);
        merged_keys[at] = own;
        merged_places[at] = places[row + (later ? second + k - count : first + k)];
    }
}

//# pick
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long total,
    const long long length,
    const $word* __restrict__ from,
    const unsigned int* __restrict__ places,
    $word* __restrict__ to) {
    const long long i = (long long)blockIdx.x * $threads + threadIdx.x;
    if (i < total) to[i] = $value;
}
