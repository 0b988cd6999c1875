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
    const double v8 = __shfl_xor_sync(0xffffffffu, sum0, 16);
    sum0 = sum0 + v8;
    const double v9 = __shfl_xor_sync(0xffffffffu, sum0, 8);
    sum0 = sum0 + v9;
    const double v10 = __shfl_xor_sync(0xffffffffu, sum0, 4);
    sum0 = sum0 + v10;
    const double v11 = __shfl_xor_sync(0xffffffffu, sum0, 2);
    sum0 = sum0 + v11;
    const double v12 = __shfl_xor_sync(0xffffffffu, sum0, 1);
    sum0 = sum0 + v12;
    const int i13 = thread % 32;
    const int i14 = thread / 32;
    __shared__ double warps15[16];
    const bool v16 = i13 == 0;
    if (v16) {
        warps15[i14] = sum0;
    }
    __syncthreads();
    const int i17 = thread % 16;
    const double v18 = warps15[i17];
    sum0 = v18;
    const double v19 = __shfl_xor_sync(0xffffffffu, sum0, 8);
    sum0 = sum0 + v19;
    const double v20 = __shfl_xor_sync(0xffffffffu, sum0, 4);
    sum0 = sum0 + v20;
    const double v21 = __shfl_xor_sync(0xffffffffu, sum0, 2);
    sum0 = sum0 + v21;
    const double v22 = __shfl_xor_sync(0xffffffffu, sum0, 1);
    sum0 = sum0 + v22;
    const double v23 = sum0;
    const bool v24 = thread == 0;
    if (v24) {
        out0[0] = v23;
    }
}
