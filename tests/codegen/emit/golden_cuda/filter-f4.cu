struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
    const float* __restrict__ in0,
    const float s0,
    float* out0,
    const int n4) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = block * 256;
    const int i1 = i0 + thread;
    const bool v2 = i1 < n1;
    if (v2) {
        const int i3 = i1 * 4;
        const bool v4 = i3 < n2;
        const bool v5 = i3 < n3;
        const bool v6 = v4 && v5;
        if (v6) {
            const f32x4 q0 = *(const f32x4*)(in0 + i3);
            const float v7 = q0.lane[0];
            const float v8 = q0.lane[1];
            const float v9 = q0.lane[2];
            const float v10 = q0.lane[3];
            const float v11 = s0 * v8;
            const float v12 = s0 * v9;
            const float v13 = s0 * v10;
            const float v14 = v9 - v11;
            const float v15 = v10 - v12;
            const float v16 = v14 + v7;
            const float v17 = v15 + v8;
            const f32x4 q1 = *(const f32x4*)(in0 + i3 + 4);
            const float v18 = q1.lane[0];
            const float v19 = q1.lane[1];
            const float v20 = q1.lane[2];
            const float v21 = q1.lane[3];
            const float v22 = s0 * v18;
            const float v23 = v18 - v13;
            const float v24 = v19 - v22;
            const float v25 = v23 + v9;
            const float v26 = v24 + v10;
            *(f32x4*)(out0 + i3) = f32x4{{v16, v17, v25, v26}};
        }
        const bool v27 = !v6;
        if (v27) {
            const int i28 = n4 - i3;
            const int i29 = i28 < 4 ? i28 : 4;
            #pragma unroll 1
            for (int e30 = 0; e30 < i29; ++e30) {
                const int i31 = i3 + e30;
                const float v32 = in0[i31 + 2];
                const float v33 = in0[i31 + 1];
                const float v34 = s0 * v33;
                const float v35 = v32 - v34;
                const float v36 = in0[i31];
                const float v37 = v35 + v36;
                out0[i31] = v37;
            }
        }
    }
}
