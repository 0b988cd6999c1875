//: Kernels around library calls that are more than a line. Written for lazyarr; see copies.py.

//# transpose
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long rows,
    const long long columns,
    const long long across,
    const long long down,
    const long long r0,
    const long long rb,
    const long long w1,
    const long long wb,
    const $word* __restrict__ from,
    $word* __restrict__ to) {
    // from[row * r0 + column] goes to to[column * w1 + row].
    __shared__ $word tile[$padded];
    const long long place = blockIdx.x;
    const long long batch = place / (across * down);
    const long long left = place % across * $edge;
    const long long top = place / across % down * $edge;
    const int x = threadIdx.x % $edge;
    const int y = threadIdx.x / $edge;
    for (int k = y; k < $edge; k += $step) {
        if (top + k < rows && left + x < columns) {
            tile[k * $pitch + x] = from[batch * rb + (top + k) * r0 + left + x];
        }
    }
    __syncthreads();
    for (int k = y; k < $edge; k += $step) {
        if (left + k < columns && top + x < rows) {
            to[batch * wb + (left + k) * w1 + top + x] = tile[x * $pitch + k];
        }
    }
}
