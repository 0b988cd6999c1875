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
            const int i49 = i44 + 4;
            const bool v50 = i49 < 20;
            if (v50) {
                #pragma unroll
                for (int j51 = 0; j51 < 4; ++j51) {
                    const int i52 = i49 + j51;
                    const float v53 = tile0[i38 + i52];
                    const double v54 = (double)v53;
                    sum40 = sum40 + v54;
                }
            }
            const int i55 = i44 + 8;
            const bool v56 = i55 < 20;
            if (v56) {
                #pragma unroll
                for (int j57 = 0; j57 < 4; ++j57) {
                    const int i58 = i55 + j57;
                    const float v59 = tile0[i38 + i58];
                    const double v60 = (double)v59;
                    sum41 = sum41 + v60;
                }
            }
            const int i61 = i44 + 12;
            const bool v62 = i61 < 20;
            if (v62) {
                #pragma unroll
                for (int j63 = 0; j63 < 4; ++j63) {
                    const int i64 = i61 + j63;
                    const float v65 = tile0[i38 + i64];
                    const double v66 = (double)v65;
                    sum42 = sum42 + v66;
                }
            }
        }
        const double v67 = sum41;
        sum39 = sum39 + v67;
        const double v68 = sum42;
        sum40 = sum40 + v68;
        const double v69 = sum40;
        sum39 = sum39 + v69;
        const double v70 = sum39;
        const float v71 = (float)v70;
        const float v72 = -v71;
        const float v73 = expf(v72);
        out0[i36] = v73;
    }
}
