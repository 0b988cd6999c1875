struct __align__(16) f64x2 { double lane[2]; };

extern "C" __global__ void __launch_bounds__(512, 2) kernel(
    const int n0,
    const double* __restrict__ in0,
    double* out0) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    double sum0 = 0.0;
    #pragma unroll
    for (int k1 = 0; k1 < 5; ++k1) {
        const int i2 = k1 * 512;
        const int i3 = i2 + thread;
        const int i4 = i3 * 2;
        const bool v5 = i4 < n0;
        if (v5) {
            const f64x2 q0 = *(const f64x2*)(in0 + i4);
            const double v6 = q0.lane[0];
            const double v7 = q0.lane[1];
            sum0 = sum0 + v6;
            sum0 = sum0 + v7;
        }
    }
    #pragma unroll 1
    for (int s8 = 0; s8 < 5; ++s8) {
        const int i9 = 16 >> s8;
        const double v10 = __shfl_xor_sync(0xffffffffu, sum0, i9);
        sum0 = sum0 + v10;
    }
    const int i11 = thread & 31;
    const int i12 = thread >> 5;
    __shared__ double warps13[16];
    const bool v14 = i11 == 0;
    if (v14) {
        warps13[i12] = sum0;
    }
    __syncthreads();
    const int i15 = thread & 15;
    const double v16 = warps13[i15];
    sum0 = v16;
    #pragma unroll 1
    for (int s17 = 0; s17 < 4; ++s17) {
        const int i18 = 8 >> s17;
        const double v19 = __shfl_xor_sync(0xffffffffu, sum0, i18);
        sum0 = sum0 + v19;
    }
    const double v20 = sum0;
    const bool v21 = thread == 0;
    if (v21) {
        out0[0] = v20;
    }
}
