//: Kernels that take medians and quantiles of sorted rows, with the formulas of numpy.median and
//: numpy.quantile, operation by operation. Written for lazyarr; order_statistics.py launches them.

//# valid
// The number of elements of a sorted row before those that are NaN.
static __device__ __forceinline__ long long valid(const $number* row, long long length) {
    long long low = 0, high = length;
    while (low < high) {
        const long long middle = (low + high) / 2;
        if (row[middle] == row[middle]) low = middle + 1;
        else high = middle;
    }
    return low;
}

//# median
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long length,
    const $number* __restrict__ sorted,
    $result* __restrict__ to) {
    const long long i = (long long)blockIdx.x * $threads + threadIdx.x;
    if (i >= rows) return;
    const $number* row = sorted + i * length;
    const long long count = $count;
    const $number last = row[length - 1];
    if (count == 0 || ($count == length && last != last)) {
        to[i] = last;
        return;
    }
    // A sum begins with 0.
    if (count % 2) to[i] = 0 + ($result)row[count / 2];
    else to[i] = (0 + ($result)row[count / 2 - 1] + ($result)row[count / 2]) / 2;
}

//# quantile
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long total,
    const long long rows,
    const long long length,
    const $share share,
    const $listed* __restrict__ shares,
    const $number* __restrict__ sorted,
    $result* __restrict__ to) {
    const long long i = (long long)blockIdx.x * $threads + threadIdx.x;
    if (i >= total) return;
    const $number* row = sorted + i % rows * length;
    const long long count = $count;
    const $number last = row[length - 1];
    if (count == 0 || ($count == length && last != last)) {
        to[i] = last;
        return;
    }
    const $share asked = shares ? ($share)shares[i / rows] : share;
    const $share q = $scaled;
    const $share place = $place;
#if $picked
    to[i] = row[(long long)place];
#else
    long long before = (long long)floor(place), behind = before + 1;
    if (place >= count - 1) before = behind = -1;
    if (place < 0) before = behind = 0;
    const $share part = ($share)((double)place - (double)before);
    const $share weight = $weight;
    const $number low = row[before < 0 ? count - 1 : before];
    const $number high = row[behind < 0 ? count - 1 : behind];
    const $result span = ($result)($number)(high - low);
    if (weight >= ($share)0.5) to[i] = ($result)high - span * ($result)(1 - weight);
    else to[i] = ($result)low + span * ($result)weight;
#endif
}
