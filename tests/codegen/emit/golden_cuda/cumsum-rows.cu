struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const float* __restrict__ in0,
    const int d0,
    const float s0,
    const float s1,
    float* out0,
    const int d1) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = thread & 31;
    const int i1 = block * 8;
    const int i2 = thread >> 5;
    const int i3 = i1 + i2;
    float row5[4];
    double sum6[1];
    const int i7 = i0 * 4;
    sum6[0] = (-0.0);
    const bool v8 = i7 < n0;
    if (v8) {
        const f32x4 q0 = *(const f32x4*)(in0 + d0 * i3 + i7);
        const float v9 = q0.lane[0];
        const float v10 = q0.lane[1];
        const float v11 = q0.lane[2];
        const float v12 = q0.lane[3];
        const float v13 = v9 * s0;
        row5[0] = v13;
        const double v14 = (double)v13;
        const float v15 = v10 * s0;
        row5[1] = v15;
        const double v16 = (double)v15;
        const double v17 = v14 + v16;
        const float v18 = v11 * s0;
        row5[2] = v18;
        const double v19 = (double)v18;
        const double v20 = v17 + v19;
        const float v21 = v12 * s0;
        row5[3] = v21;
        const double v22 = (double)v21;
        const double v23 = v20 + v22;
        sum6[0] = v23;
    }
    double base24 = (-0.0);
    const double v25 = sum6[0];
    const bool v26 = i0 >= 1;
    const double v27 = __shfl_up_sync(0xffffffffu, v25, 1);
    const double v28 = v27 + v25;
    const double v29 = v26 ? v28 : v25;
    const bool v30 = i0 >= 2;
    const double v31 = __shfl_up_sync(0xffffffffu, v29, 2);
    const double v32 = v31 + v29;
    const double v33 = v30 ? v32 : v29;
    const bool v34 = i0 >= 4;
    const double v35 = __shfl_up_sync(0xffffffffu, v33, 4);
    const double v36 = v35 + v33;
    const double v37 = v34 ? v36 : v33;
    const bool v38 = i0 >= 8;
    const double v39 = __shfl_up_sync(0xffffffffu, v37, 8);
    const double v40 = v39 + v37;
    const double v41 = v38 ? v40 : v37;
    const bool v42 = i0 >= 16;
    const double v43 = __shfl_up_sync(0xffffffffu, v41, 16);
    const double v44 = v43 + v41;
    const double v45 = v42 ? v44 : v41;
    const double v46 = __shfl_up_sync(0xffffffffu, v45, 1);
    const bool v47 = 0 < i0;
    const double v48 = __shfl_sync(0xffffffffu, v45, 31);
    const double v49 = v47 ? v46 : (-0.0);
    const double v50 = base24;
    const double v51 = v50 + v49;
    sum6[0] = v51;
    const double v52 = v50 + v48;
    base24 = v52;
    const double v53 = base24;
    if (v8) {
        const double v56 = sum6[0];
        double run57 = v56;
        const float v58 = row5[0];
        const double v59 = run57;
        const double v60 = (double)v58;
        const double v61 = v59 + v60;
        run57 = v61;
        const double v62 = run57;
        const float v63 = (float)v62;
        const float v64 = v63 + s1;
        const float v65 = row5[1];
        const double v66 = run57;
        const double v67 = (double)v65;
        const double v68 = v66 + v67;
        run57 = v68;
        const double v69 = run57;
        const float v70 = (float)v69;
        const float v71 = v70 + s1;
        const float v72 = row5[2];
        const double v73 = run57;
        const double v74 = (double)v72;
        const double v75 = v73 + v74;
        run57 = v75;
        const double v76 = run57;
        const float v77 = (float)v76;
        const float v78 = v77 + s1;
        const float v79 = row5[3];
        const double v80 = run57;
        const double v81 = (double)v79;
        const double v82 = v80 + v81;
        run57 = v82;
        const double v83 = run57;
        const float v84 = (float)v83;
        const float v85 = v84 + s1;
        *(f32x4*)(out0 + d1 * i3 + i7) = f32x4{{v64, v71, v78, v85}};
    }
}
