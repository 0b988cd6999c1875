struct __align__(8) f32x2 { float lane[2]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int d0,
    const int n3,
    const float* __restrict__ in0,
    const float* __restrict__ in1,
    const float* __restrict__ in2,
    const float s0,
    float* out0,
    const int d1,
    const int n4) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = block % n1;
    const int i1 = i0 * 64;
    const int i2 = thread & 63;
    const int i3 = i1 + i2;
    const int i4 = block / n1;
    const int i5 = i4 * 4;
    const int i6 = thread >> 6;
    const int i7 = i5 + i6;
    const bool v8 = i3 < n0;
    const bool v9 = i7 < n2;
    const bool v10 = v8 && v9;
    if (v10) {
        const int i11 = i3 * 2;
        const int i12 = i7 * d0;
        const int i13 = i12 + i11;
        const bool v14 = i13 < n3;
        if (v14) {
            const f32x2 q0 = *(const f32x2*)(in0 + i13);
            const float v17 = q0.lane[0];
            const float v18 = q0.lane[1];
            const f32x2 q1 = *(const f32x2*)(in0 + i13 + 2);
            const float v19 = q1.lane[0];
            const float v20 = q1.lane[1];
            const float v21 = v17 + v19;
            const float v22 = v18 + v20;
            const f32x2 q2 = *(const f32x2*)(in1 + i13);
            const float v23 = q2.lane[0];
            const float v24 = q2.lane[1];
            const float v25 = v21 + v24;
            const f32x2 q3 = *(const f32x2*)(in2 + i13);
            const float v26 = q3.lane[0];
            const float v27 = q3.lane[1];
            const float v28 = v25 + v27;
            const float v29 = s0 * v28;
            const f32x2 q4 = *(const f32x2*)(in1 + i13 + 2);
            const float v30 = q4.lane[0];
            const float v31 = q4.lane[1];
            const float v32 = v22 + v30;
            const f32x2 q5 = *(const f32x2*)(in2 + i13 + 2);
            const float v33 = q5.lane[0];
            const float v34 = q5.lane[1];
            const float v35 = v32 + v33;
            const float v36 = s0 * v35;
            *(f32x2*)(out0 + d1 * i7 + i11) = f32x2{{v29, v36}};
        }
        const bool v37 = !v14;
        if (v37) {
            const int i38 = n4 - i11;
            const int i39 = i38 < 2 ? i38 : 2;
            #pragma unroll 1
            for (int e40 = 0; e40 < i39; ++e40) {
                const int i41 = i11 + e40;
                const int i43 = i12 + i41;
                const float v44 = in0[i43];
                const float v45 = in0[i43 + 2];
                const float v46 = v44 + v45;
                const float v47 = in1[i43 + 1];
                const float v48 = v46 + v47;
                const float v49 = in2[i43 + 1];
                const float v50 = v48 + v49;
                const float v51 = s0 * v50;
                out0[d1 * i7 + i41] = v51;
            }
        }
    }
}
