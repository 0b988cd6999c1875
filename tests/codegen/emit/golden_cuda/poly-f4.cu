struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const float* __restrict__ in0,
    const float* __restrict__ in1,
    const float* __restrict__ in2,
    const float s0,
    const float s1,
    const float s2,
    float* out0) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = block * 256;
    const int i1 = i0 + thread;
    const bool v2 = i1 < n0;
    if (v2) {
        const int i3 = i1 * 4;
        const f32x4 q0 = *(const f32x4*)(in0 + i3);
        const float v4 = q0.lane[0];
        const float v5 = q0.lane[1];
        const float v6 = q0.lane[2];
        const float v7 = q0.lane[3];
        const f32x4 q1 = *(const f32x4*)(in1 + i3);
        const float v8 = q1.lane[0];
        const float v9 = q1.lane[1];
        const float v10 = q1.lane[2];
        const float v11 = q1.lane[3];
        const f32x4 q2 = *(const f32x4*)(in2 + i3);
        const float v12 = q2.lane[0];
        const float v13 = q2.lane[1];
        const float v14 = q2.lane[2];
        const float v15 = q2.lane[3];
        const float v16 = s0 * v4;
        const float v17 = s1 * v8;
        const float v18 = v17 * v12;
        const float v19 = v16 + v18;
        const float v20 = v4 * v8;
        const float v21 = v12 + s2;
        const float v22 = v20 / v21;
        const float v23 = v19 - v22;
        const float v24 = s0 * v5;
        const float v25 = s1 * v9;
        const float v26 = v25 * v13;
        const float v27 = v24 + v26;
        const float v28 = v5 * v9;
        const float v29 = v13 + s2;
        const float v30 = v28 / v29;
        const float v31 = v27 - v30;
        const float v32 = s0 * v6;
        const float v33 = s1 * v10;
        const float v34 = v33 * v14;
        const float v35 = v32 + v34;
        const float v36 = v6 * v10;
        const float v37 = v14 + s2;
        const float v38 = v36 / v37;
        const float v39 = v35 - v38;
        const float v40 = s0 * v7;
        const float v41 = s1 * v11;
        const float v42 = v41 * v15;
        const float v43 = v40 + v42;
        const float v44 = v7 * v11;
        const float v45 = v15 + s2;
        const float v46 = v44 / v45;
        const float v47 = v43 - v46;
        *(f32x4*)(out0 + i3) = f32x4{{v23, v31, v39, v47}};
    }
}
