extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
    const int n4,
    const int n5,
    const int n6,
    const double* __restrict__ in0,
    const int d0,
    const double* __restrict__ in1,
    const int d1,
    double* out0,
    const int d2) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = block / n3;
    const int i1 = block % n3;
    const int i2 = i1 * n4;
    const int i3 = i0 % n2;
    const int i4 = i3 * n5;
    const int i5 = i0 / n2;
    __shared__ double tile6[1280];
    #pragma unroll
    for (int r7 = 0; r7 < 5; ++r7) {
        const int i8 = r7 * 256;
        const int i9 = i8 + thread;
        const int i10 = i9 * n6;
        const int i11 = i10 >> 17;
        const int i12 = i11 * n5;
        const int i13 = i9 - i12;
        const int i14 = i2 + i11;
        const int i15 = i4 + i13;
        const bool v16 = i14 < n0;
        const bool v17 = i15 < n1;
        const bool v18 = v16 && v17;
        const bool v19 = i11 < n4;
        const bool v20 = v18 && v19;
        if (v20) {
            const double v21 = in0[d0 * i14 + i15];
            const int i22 = i11 * 33;
            tile6[i22 + i13] = v21;
        }
    }
    __syncthreads();
    #pragma unroll
    for (int r23 = 0; r23 < 5; ++r23) {
        const int i24 = r23 * 256;
        const int i25 = i24 + thread;
        const int i26 = i25 * n6;
        const int i27 = i26 >> 17;
        const int i28 = i27 * n4;
        const int i29 = i25 - i28;
        const int i30 = i2 + i29;
        const int i31 = i4 + i27;
        const bool v32 = i30 < n0;
        const bool v33 = i31 < n1;
        const bool v34 = v32 && v33;
        const bool v35 = i27 < n5;
        const bool v36 = v34 && v35;
        if (v36) {
            const int i37 = i29 * 33;
            const double v38 = tile6[i37 + i27];
            const double v39 = in1[d1 * i31 + i30];
            const double v40 = v39 + v38;
            out0[d2 * i31 + i30] = v40;
        }
    }
}
