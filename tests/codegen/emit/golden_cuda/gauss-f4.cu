struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(128) kernel(
    const int n0,
    const float* __restrict__ in0,
    const float* __restrict__ in1,
    const int n1,
    float* out0) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    __shared__ float tile0[2688];
    const int i1 = block * 2560;
    #pragma unroll 4
    for (int k2 = 0; k2 < 5; ++k2) {
        const int i3 = k2 * 128;
        const int i4 = i3 + thread;
        const int i5 = i4 * 4;
        const int i6 = i1 + i5;
        const bool v7 = i6 < n0;
        if (v7) {
            const f32x4 q0 = *(const f32x4*)(in0 + i6);
            const float v8 = q0.lane[0];
            const float v9 = q0.lane[1];
            const float v10 = q0.lane[2];
            const float v11 = q0.lane[3];
            const f32x4 q1 = *(const f32x4*)(in1 + i6);
            const float v12 = q1.lane[0];
            const float v13 = q1.lane[1];
            const float v14 = q1.lane[2];
            const float v15 = q1.lane[3];
            const float v16 = v8 - v12;
            const float v17 = v16 * v16;
            const int i18 = i5 / 20;
            const int i19 = i5 + i18;
            tile0[i19] = v17;
            const float v20 = v9 - v13;
            const float v21 = v20 * v20;
            const int i22 = i5 + 1;
            const int i23 = i22 / 20;
            const int i24 = i22 + i23;
            tile0[i24] = v21;
            const float v25 = v10 - v14;
            const float v26 = v25 * v25;
            const int i27 = i5 + 2;
            const int i28 = i27 / 20;
            const int i29 = i27 + i28;
            tile0[i29] = v26;
            const float v30 = v11 - v15;
            const float v31 = v30 * v30;
            const int i32 = i5 + 3;
            const int i33 = i32 / 20;
            const int i34 = i32 + i33;
            tile0[i34] = v31;
        }
    }
    __syncthreads();
    const int i35 = block * 128;
    const int i36 = i35 + thread;
    const bool v37 = i36 < n1;
    if (v37) {
        const int i38 = thread * 21;
        double sum39 = 0.0;
        double sum40 = 0.0;
        double sum41 = 0.0;
        double sum42 = 0.0;
        #pragma unroll
        for (int t43 = 0; t43 < 2; ++t43) {
            const int i44 = t43 * 16;
            #pragma unroll
            for (int j45 = 0; j45 < 4; ++j45) {
                const int i46 = i44 + j45;
                const float v47 = tile0[i38 + i46];
                const double v48 = (double)v47;
                sum39 = sum39 + v48;
            }
            const int i50 = i44 + 4;
            const bool v51 = i50 < 20;
            if (v51) {
                #pragma unroll
                for (int j52 = 0; j52 < 4; ++j52) {
                    const int i53 = i50 + j52;
                    const float v54 = tile0[i38 + i53];
                    const double v55 = (double)v54;
                    sum40 = sum40 + v55;
                }
            }
            const int i57 = i44 + 8;
            const bool v58 = i57 < 20;
            if (v58) {
                #pragma unroll
                for (int j59 = 0; j59 < 4; ++j59) {
                    const int i60 = i57 + j59;
                    const float v61 = tile0[i38 + i60];
                    const double v62 = (double)v61;
                    sum41 = sum41 + v62;
                }
            }
            const int i64 = i44 + 12;
            const bool v65 = i64 < 20;
            if (v65) {
                #pragma unroll
                for (int j66 = 0; j66 < 4; ++j66) {
                    const int i67 = i64 + j66;
                    const float v68 = tile0[i38 + i67];
                    const double v69 = (double)v68;
                    sum42 = sum42 + v69;
                }
            }
        }
        const double v70 = sum41;
        sum39 = sum39 + v70;
        const double v71 = sum42;
        sum40 = sum40 + v71;
        const double v72 = sum40;
        sum39 = sum39 + v72;
        const double v73 = sum39;
        const float v74 = (float)v73;
        const float v75 = -v74;
        const float v76 = expf(v75);
        out0[i36] = v76;
    }
}
