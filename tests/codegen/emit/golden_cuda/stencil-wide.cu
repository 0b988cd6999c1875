__device__ __forceinline__ int quotient_of_index(int index, int factor, int shift) {
    return (int)(__umulhi((unsigned int)index, (unsigned int)factor) >> shift);
}

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int m0,
    const int h0,
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
    const int i1 = quotient_of_index(block, m0, h0);
    const int i2 = i1 * n2;
    const int i3 = block - i2;
    const int i4 = i3 * 128;
    const int i5 = i4 + i0;
    const int i6 = i1 * 2;
    const int i7 = thread >> 7;
    const int i8 = i6 + i7;
    const bool v9 = i5 < n0;
    if (v9) {
        const bool v10 = i8 < n1;
        if (v10) {
            const float v11 = in0[d0 * i8 + i5];
            const float v12 = in1[d1 * i8 + i5];
            const float v13 = in2[d2 * i8 + i5];
            const float v14 = in3[d3 * i8 + i5];
            const float v15 = v11 + v12;
            const float v16 = v15 + v13;
            const float v17 = v16 + v14;
            const float v18 = s0 * v17;
            out0[d4 * i8 + i5] = v18;
        }
    }
}
