struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(128) kernel(
    const int n0,
    const float* __restrict__ in0,
    const float* __restrict__ in1,
    const int n1,
    float* out0) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    __shared__ float tile0[2688];
    const int i1 = block * 2560;
    #pragma unroll 4
    for (int k2 = 0; k2 < 5; ++k2) {
        const int i3 = k2 * 128;
        const int i4 = i3 + thread;
        const int i5 = i4 * 4;
        const int i6 = i1 + i5;
        const bool v7 = i6 < n0;
        if (v7) {
            const f32x4 q0 = *(const f32x4*)(in0 + i6);
            const float v8 = q0.lane[0];
            const float v9 = q0.lane[1];
            const float v10 = q0.lane[2];
            const float v11 = q0.lane[3];
            const f32x4 q1 = *(const f32x4*)(in1 + i6);
            const float v12 = q1.lane[0];
            const float v13 = q1.lane[1];
            const float v14 = q1.lane[2];
            const float v15 = q1.lane[3];
            const float v16 = v8 - v12;
            const float v17 = v16 * v16;
            const int i18 = i5 / 20;
            const int i19 = i5 + i18;
            tile0[i19] = v17;
            const float v20 = v9 - v13;
            const float v21 = v20 * v20;
            const int i22 = i5 + 1;
            const int i23 = i22 / 20;
            const int i24 = i22 + i23;
            tile0[i24] = v21;
            const float v25 = v10 - v14;
            const float v26 = v25 * v25;
            const int i27 = i5 + 2;
            const int i28 = i27 / 20;
            const int i29 = i27 + i28;
            tile0[i29] = v26;
            const float v30 = v11 - v15;
            const float v31 = v30 * v30;
            const int i32 = i5 + 3;
            const int i33 = i32 / 20;
            const int i34 = i32 + i33;
            tile0[i34] = v31;
        }
    }
    __syncthreads();
    const int i35 = block * 128;
    const int i36 = i35 + thread;
    const bool v37 = i36 < n1;
    if (v37) {
        double sum38 = 0.0;
        const int i39 = thread * 21;
        #pragma unroll
        for (int j40 = 0; j40 < 20; ++j40) {
            const float v41 = tile0[i39 + j40];
            const double v42 = (double)v41;
            sum38 = sum38 + v42;
        }
        const double v43 = sum38;
        const float v44 = (float)v43;
        const float v45 = -v44;
        const float v46 = expf(v45);
        out0[i36] = v46;
    }
}
