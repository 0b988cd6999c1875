extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
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
    const int i2 = i1 * 32;
    const int i3 = i0 % n2;
    const int i4 = i3 * 32;
    const int i5 = i0 / n2;
    const int i6 = thread & 31;
    const int i7 = thread >> 5;
    __shared__ double tile8[1056];
    #pragma unroll
    for (int r9 = 0; r9 < 4; ++r9) {
        const int i10 = r9 * 8;
        const int i11 = i10 + i7;
        const int i12 = i2 + i11;
        const int i13 = i4 + i6;
        const bool v14 = i12 < n0;
        const bool v15 = i13 < n1;
        const bool v16 = v14 && v15;
        if (v16) {
            const double v17 = in0[d0 * i12 + i13];
            const int i18 = i11 * 33;
            tile8[i18 + i6] = v17;
        }
    }
    __syncthreads();
    #pragma unroll
    for (int r19 = 0; r19 < 4; ++r19) {
        const int i20 = r19 * 8;
        const int i21 = i20 + i7;
        const int i22 = i2 + i6;
        const int i23 = i4 + i21;
        const bool v24 = i22 < n0;
        const bool v25 = i23 < n1;
        const bool v26 = v24 && v25;
        if (v26) {
            const int i27 = i6 * 33;
            const double v28 = tile8[i27 + i21];
            const double v29 = in1[d1 * i23 + i22];
            const double v30 = v29 + v28;
            out0[d2 * i23 + i22] = v30;
        }
    }
}
