__device__ __forceinline__ int quotient_of_index(int index, int factor, int shift) {
    return (int)(__umulhi((unsigned int)index, (unsigned int)factor) >> shift);
}

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
    const int m0,
    const int h0,
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
    const int i1 = block * 2;
    const int i2 = thread >> 7;
    const int i3 = i1 + i2;
    const bool v4 = i0 < n0;
    if (v4) {
        const bool v5 = i3 < n1;
        if (v5) {
            const int i6 = quotient_of_index(i3, m0, h0);
            const int i7 = i6 * n3;
            const int i8 = i3 - i7;
            const double v9 = in0[d0 * i6 + d1 * i8 + i0];
            const double v10 = in1[d2 * i6 + d3 * i8 + i0];
            const double v11 = in2[d4 * i6 + d5 * i8 + i0];
            const double v12 = in3[d6 * i6 + d7 * i8 + i0];
            const double v13 = v9 + v10;
            const double v14 = v13 + v11;
            const double v15 = s0 * v12;
            const double v16 = v14 - v15;
            out0[d8 * i6 + d9 * i8 + i0] = v16;
        }
    }
}
