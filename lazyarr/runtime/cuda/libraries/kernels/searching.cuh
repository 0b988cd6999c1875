//: Kernels that look values up in sorted vectors. Written for lazyarr; searching.py launches them.

//# search
// Every `stride`-th element is in shared memory, in the order of the levels of a search tree; the
// rest of the way is through memory.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const long long length,
    const long long stride,
    const int samples,
    const int first_step,
    const $bits* __restrict__ sorted,
    const $bits* __restrict__ values,
    $place* __restrict__ to) {
    extern __shared__ __align__(128) unsigned char shared[];
    $key* const sample = ($key*)shared;
    const int leaf = 2 * first_step;
    for (int k = 1 + threadIdx.x; k < leaf; k += $threads) {
        const int level = (int)sizeof(int) * 8 - 1 - __clz(k), apart = first_step >> level;
        const int next = (2 * (k - (1 << level)) + 1) * apart;
        sample[k] = next <= samples ? key_of(sorted[next * stride - 1]) : $last;
    }
    __syncthreads();
    const long long tile = $threads * $items;
    for (long long base = (long long)blockIdx.x * tile + threadIdx.x; base < total;
         base += blocks * tile) {
        $key own[$items];
        int node[$items];
        #pragma unroll
        for (int e = 0; e < $items; ++e) {
            const long long i = base + e * $threads;
            own[e] = i < total ? key_of(values[i]) : 0;
            node[e] = 1;
        }
        for (int step = first_step; step > 0; step /= 2) {
            #pragma unroll
            for (int e = 0; e < $items; ++e) {
                node[e] = 2 * node[e] + (sample[node[e]] $precedes own[e]);
            }
        }
        #pragma unroll
        for (int e = 0; e < $items; ++e) {
            const int low = node[e] - leaf;
            long long place = (low < samples ? low : samples) * stride;
            for (long long step = stride / 2; step > 0; step /= 2) {
                const long long probe = place + step - 1;
                if (probe < length && key_of(sorted[probe]) $precedes own[e]) place += step;
            }
            const long long i = base + e * $threads;
            if (i < total) to[i] = ($place)place;
        }
    }
}

//# interpolate
// The formula is that of numpy.interp, operation by operation.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const long long length,
    const long long stride,
    const int samples,
    const int first_step,
    const int has_left,
    const int has_right,
    const double left,
    const double right,
    const $point* __restrict__ points,
    const $height* __restrict__ heights,
    const $value* __restrict__ values,
    double* __restrict__ to) {
    extern __shared__ __align__(128) unsigned char shared[];
    $compared* const sample = ($compared*)shared;
    const int leaf = 2 * first_step;
    for (int k = 1 + threadIdx.x; k < leaf; k += $threads) {
        const int level = (int)sizeof(int) * 8 - 1 - __clz(k), apart = first_step >> level;
        const int next = (2 * (k - (1 << level)) + 1) * apart;
        sample[k] = ($compared)points[next <= samples ? next * stride - 1 : length - 1];
    }
    __syncthreads();
    const double first = (double)points[0], last = (double)points[length - 1];
    const double below = has_left ? left : (double)heights[0];
    const double above = has_right ? right : (double)heights[length - 1];
    const long long tile = $threads * $items;
    for (long long base = (long long)blockIdx.x * tile + threadIdx.x; base < total;
         base += blocks * tile) {
        $compared own[$items];
        int node[$items];
        #pragma unroll
        for (int e = 0; e < $items; ++e) {
            const long long i = base + e * $threads;
            own[e] = i < total ? ($compared)values[i] : 0;
            node[e] = 1;
        }
        for (int step = first_step; step > 0; step /= 2) {
            #pragma unroll
            for (int e = 0; e < $items; ++e) {
                node[e] = 2 * node[e] + (sample[node[e]] <= own[e]);
            }
        }
        #pragma unroll
        for (int e = 0; e < $items; ++e) {
            const double x = own[e];
            const int low = node[e] - leaf;
            long long place = (low < samples ? low : samples) * stride;
            for (long long step = stride / 2; step > 0; step /= 2) {
                const long long probe = place + step - 1;
                if (probe < length && ($compared)points[probe] <= own[e]) place += step;
            }
            if (place == 0) place = 1;  // as in points that are in no order
            double y;
            if (x != x) y = length == 1 ? (double)heights[0] : x;
            else if (x > last) y = above;
            else if (x < first) y = below;
            else if (place >= length) y = (double)heights[length - 1];
            else {
                const double x0 = (double)points[place - 1], y0 = (double)heights[place - 1];
                const double x1 = (double)points[place], y1 = (double)heights[place];
                const double slope = (y1 - y0) / (x1 - x0);
                y = slope * (x - x0) + y0;
                if (y != y) {
                    // What is NaN from one point may be a number from the other.
                    y = slope * (x - x1) + y1;
                    if (y != y && y0 == y1) y = y0;
                }
                if (x0 == x) y = y0;
            }
            const long long i = base + e * $threads;
            if (i < total) to[i] = y;
        }
    }
}

//# mirror
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long total,
    const long long length,
    long long* __restrict__ to) {
    const long long i = (long long)blockIdx.x * $threads + threadIdx.x;
    if (i < total) to[i] = length - to[i];
}
