struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const float* __restrict__ in0,
    const int d0,
    const float s0,
    float* out0,
    const int d1) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = thread & 31;
    const int i1 = block * 8;
    const int i2 = thread >> 5;
    const int i3 = i1 + i2;
    float row4[4];
    double sum5[1];
    const int i6 = i0 * 4;
    sum5[0] = (-0.0);
    const bool v7 = i6 < n0;
    if (v7) {
        const f32x4 q0 = *(const f32x4*)(in0 + d0 * i3 + i6);
        const float v8 = q0.lane[0];
        const float v9 = q0.lane[1];
        const float v10 = q0.lane[2];
        const float v11 = q0.lane[3];
        const float v12 = v8 * s0;
        row4[0] = v12;
        const double v13 = (double)v12;
        const float v14 = v9 * s0;
        row4[1] = v14;
        const double v15 = (double)v14;
        const double v16 = v13 + v15;
        const float v17 = v10 * s0;
        row4[2] = v17;
        const double v18 = (double)v17;
        const double v19 = v16 + v18;
        const float v20 = v11 * s0;
        row4[3] = v20;
        const double v21 = (double)v20;
        const double v22 = v19 + v21;
        sum5[0] = v22;
    }
    double base23 = (-0.0);
    const double v24 = sum5[0];
    const bool v25 = i0 >= 1;
    const double v26 = __shfl_up_sync(0xffffffffu, v24, 1);
    const double v27 = v26 + v24;
    const double v28 = v25 ? v27 : v24;
    const bool v29 = i0 >= 2;
    const double v30 = __shfl_up_sync(0xffffffffu, v28, 2);
    const double v31 = v30 + v28;
    const double v32 = v29 ? v31 : v28;
    const bool v33 = i0 >= 4;
    const double v34 = __shfl_up_sync(0xffffffffu, v32, 4);
    const double v35 = v34 + v32;
    const double v36 = v33 ? v35 : v32;
    const bool v37 = i0 >= 8;
    const double v38 = __shfl_up_sync(0xffffffffu, v36, 8);
    const double v39 = v38 + v36;
    const double v40 = v37 ? v39 : v36;
    const bool v41 = i0 >= 16;
    const double v42 = __shfl_up_sync(0xffffffffu, v40, 16);
    const double v43 = v42 + v40;
    const double v44 = v41 ? v43 : v40;
    const double v45 = __shfl_up_sync(0xffffffffu, v44, 1);
    const bool v46 = 0 < i0;
    const double v47 = __shfl_sync(0xffffffffu, v44, 31);
    const double v48 = v46 ? v45 : (-0.0);
    const double v49 = base23;
    const double v50 = v49 + v48;
    sum5[0] = v50;
    const double v51 = v49 + v47;
    base23 = v51;
    const double v52 = base23;
    if (v7) {
        const double v53 = sum5[0];
        double run54 = v53;
        const float v55 = row4[0];
        const double v56 = run54;
        const double v57 = (double)v55;
        const double v58 = v56 + v57;
        run54 = v58;
        const double v59 = run54;
        const float v60 = (float)v59;
        const float v61 = row4[1];
        const double v62 = run54;
        const double v63 = (double)v61;
        const double v64 = v62 + v63;
        run54 = v64;
        const double v65 = run54;
        const float v66 = (float)v65;
        const float v67 = row4[2];
        const double v68 = run54;
        const double v69 = (double)v67;
        const double v70 = v68 + v69;
        run54 = v70;
        const double v71 = run54;
        const float v72 = (float)v71;
        const float v73 = row4[3];
        const double v74 = run54;
        const double v75 = (double)v73;
        const double v76 = v74 + v75;
        run54 = v76;
        const double v77 = run54;
        const float v78 = (float)v77;
        *(f32x4*)(out0 + d1 * i3 + i6) = f32x4{{v60, v66, v72, v78}};
    }
}
