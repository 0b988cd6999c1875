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
    const int i0 = thread & 255;
    const int i1 = block % n2;
    const int i2 = i1 * 256;
    const int i3 = i2 + i0;
    const int i4 = block / n2;
    const int i5 = thread >> 8;
    const int i6 = i4 + i5;
    const bool v7 = i3 < n0;
    if (v7) {
        const bool v8 = i6 < n1;
        if (v8) {
            const float v9 = in0[d0 * i6 + i3];
            const float v10 = in1[d1 * i6 + i3];
            const float v11 = in2[d2 * i6 + i3];
            const float v12 = in3[d3 * i6 + i3];
            const float v13 = v9 + v10;
            const float v14 = v13 + v11;
            const float v15 = v14 + v12;
            const float v16 = s0 * v15;
            out0[d4 * i6 + i3] = v16;
        }
    }
}
