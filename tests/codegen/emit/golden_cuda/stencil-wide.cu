extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const float* __restrict__ in0,
    const int d0,
    const float* __restrict__ in1,
    const int d1,
    const float* __restrict__ in2,
    const int d2,
    const float* __restrict__ in3,
    const int d3,
    const float s0,
    float* out0,
    const int d4) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = thread & 127;
    const int i1 = block % n2;
    const int i2 = i1 * 128;
    const int i3 = i2 + i0;
    const int i4 = block / n2;
    const int i5 = i4 * 8;
    const int i6 = thread >> 7;
    const int i7 = i5 + i6;
    const bool v8 = i3 < n0;
    if (v8) {
        const int i9 = i7 + 6;
        const bool v10 = i9 < n1;
        if (v10) {
            #pragma unroll 4
            for (int r11 = 0; r11 < 4; ++r11) {
                const int i12 = r11 * 2;
                const int i13 = i7 + i12;
                const float v14 = in0[d0 * i13 + i3];
                const float v15 = in1[d1 * i13 + i3];
                const float v16 = in2[d2 * i13 + i3];
                const float v17 = in3[d3 * i13 + i3];
                const float v18 = v14 + v15;
                const float v19 = v18 + v16;
                const float v20 = v19 + v17;
                const float v21 = s0 * v20;
                out0[d4 * i13 + i3] = v21;
            }
        }
        const bool v22 = !v10;
        if (v22) {
            for (int r23 = 0; r23 < 4; ++r23) {
                const int i24 = r23 * 2;
                const int i25 = i7 + i24;
                const bool v26 = i25 < n1;
                if (v26) {
                    const float v27 = in0[d0 * i25 + i3];
                    const float v28 = in1[d1 * i25 + i3];
                    const float v29 = in2[d2 * i25 + i3];
                    const float v30 = in3[d3 * i25 + i3];
                    const float v31 = v27 + v28;
                    const float v32 = v31 + v29;
                    const float v33 = v32 + v30;
                    const float v34 = s0 * v33;
                    out0[d4 * i25 + i3] = v34;
                }
            }
        }
    }
}
