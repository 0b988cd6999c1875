extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
    const double* __restrict__ in0,
    const int d0,
    const int d1,
    const double* __restrict__ in1,
    const int d2,
    const int d3,
    const double* __restrict__ in2,
    const int d4,
    const int d5,
    const double* __restrict__ in3,
    const int d6,
    const int d7,
    const double s0,
    double* out0,
    const int d8,
    const int d9) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = thread & 127;
    const int i1 = block % n2;
    const int i2 = i1 * 128;
    const int i3 = i2 + i0;
    const int i4 = block / n2;
    const int i5 = i4 * 2;
    const int i6 = thread >> 7;
    const int i7 = i5 + i6;
    const bool v8 = i3 < n0;
    if (v8) {
        const bool v9 = i7 < n1;
        if (v9) {
            const int i10 = i7 % n3;
            const int i11 = i7 / n3;
            const double v12 = in0[d0 * i11 + d1 * i10 + i3];
            const double v13 = in1[d2 * i11 + d3 * i10 + i3];
            const double v14 = in2[d4 * i11 + d5 * i10 + i3];
            const double v15 = in3[d6 * i11 + d7 * i10 + i3];
            const double v16 = v12 + v13;
            const double v17 = v16 + v14;
            const double v18 = s0 * v15;
            const double v19 = v17 - v18;
            out0[d8 * i11 + d9 * i10 + i3] = v19;
        }
    }
}
