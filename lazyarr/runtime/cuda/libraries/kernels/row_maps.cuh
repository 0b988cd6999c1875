//: Operations with numbers on values that are added at places.
//: Written for lazyarr; row_maps.py puts them in.

//# mapped
static __device__ __forceinline__ $value mapped(const $value x$values) { return $text; }

//# map
// Values for a kernel that does not compute them. Nothing is done where `needed` points to 0.
extern "C" __global__ void __launch_bounds__($threads) kernel(
    const long long blocks,
    const long long total,
    const unsigned int* __restrict__ needed,
    const $value* __restrict__ from,
    $value* __restrict__ to$parameters) {
    if (needed && !*needed) return;
    $constants
    const long long step = blocks * ($threads * $each);
    long long at = (long long)blockIdx.x * ($threads * $each) + threadIdx.x;
    for (; at < total; at += step) {
        $value own[$each];
        #pragma unroll
        for (int i = 0; i < $each; ++i) {
            const long long k = at + i * $threads;
            own[i] = k < total ? from[k] : 0;
        }
        #pragma unroll
        for (int i = 0; i < $each; ++i) {
            const long long k = at + i * $threads;
            if (k < total) to[k] = mapped(own[i]$arguments);
        }
    }
}
