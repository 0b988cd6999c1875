struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(192, 8) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
    const float* __restrict__ in0,
    const int d0,
    const int n4,
    double* tmp0,
    unsigned int* counters,
    const float s0,
    float* out0) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = thread % 24;
    const int i1 = thread / 24;
    const int i2 = block % n0;
    const int i3 = block / n0;
    const int i4 = i3 * 24;
    const int i5 = i4 + i0;
    const int i6 = i5 * 4;
    const bool v7 = i6 < n1;
    const int i8 = n1 - 4;
    const int i9 = i6 < i8 ? i6 : i8;
    const int i10 = n3 * 8;
    const int i11 = i2 * i10;
    __shared__ double tile12[768];
    const int i13 = i3 * 96;
    const int i14 = i13 + thread;
    const bool v15 = i14 < n1;
    const bool v16 = thread < 96;
    const bool v17 = v16 && v15;
    double sum18 = 0.0;
    double sum19 = 0.0;
    double sum20 = 0.0;
    double sum21 = 0.0;
    const int i22 = n2 - i11;
    const int i23 = i22 / 8;
    const int i24 = n3 < i23 ? n3 : i23;
    const int i25 = i24 / 4;
    #pragma unroll 1
    for (int k26 = 0; k26 < i25; ++k26) {
        const int i27 = k26 * 4;
        #pragma unroll
        for (int j28 = 0; j28 < 4; ++j28) {
            const int i29 = i27 + j28;
            const int i30 = i29 * 8;
            const int i31 = i11 + i30;
            const int i32 = i31 + i1;
            const f32x4 q0 = *(const f32x4*)(in0 + d0 * i32 + i9);
            const float v33 = q0.lane[0];
            const float v34 = q0.lane[1];
            const float v35 = q0.lane[2];
            const float v36 = q0.lane[3];
            const float v37 = v33 * v33;
            const double v38 = (double)v37;
            sum18 = sum18 + v38;
            const float v39 = v34 * v34;
            const double v40 = (double)v39;
            sum19 = sum19 + v40;
            const float v41 = v35 * v35;
            const double v42 = (double)v41;
            sum20 = sum20 + v42;
            const float v43 = v36 * v36;
            const double v44 = (double)v43;
            sum21 = sum21 + v44;
        }
    }
    const int i45 = i25 * 4;
    const int i46 = i24 + 1;
    const int i47 = n3 < i46 ? n3 : i46;
    #pragma unroll 1
    for (int k48 = i45; k48 < i47; ++k48) {
        const int i49 = k48 * 8;
        const int i50 = i11 + i49;
        const int i51 = i50 + i1;
        const bool v52 = i51 < n2;
        if (v52) {
            const f32x4 q1 = *(const f32x4*)(in0 + d0 * i51 + i9);
            const float v56 = q1.lane[0];
            const float v57 = q1.lane[1];
            const float v58 = q1.lane[2];
            const float v59 = q1.lane[3];
            const float v60 = v56 * v56;
            const double v61 = (double)v60;
            sum18 = sum18 + v61;
            const float v62 = v57 * v57;
            const double v63 = (double)v62;
            sum19 = sum19 + v63;
            const float v64 = v58 * v58;
            const double v65 = (double)v64;
            sum20 = sum20 + v65;
            const float v66 = v59 * v59;
            const double v67 = (double)v66;
            sum21 = sum21 + v67;
        }
    }
    __syncthreads();
    const int i68 = thread * 4;
    tile12[i68] = sum18;
    const int i70 = i68 + 1;
    tile12[i70] = sum19;
    const int i72 = i68 + 2;
    tile12[i72] = sum20;
    const int i74 = i68 + 3;
    tile12[i74] = sum21;
    int distance75 = 384;
    int pair76 = thread;
    #pragma unroll 1
    for (int s77 = 0; s77 < 4; ++s77) {
        const int i78 = 384 >> s77;
        const int v79 = distance75;
        const int v80 = pair76;
        __syncthreads();
        const bool v81 = v80 < v79;
        if (v81) {
            const int i82 = v80 + v79;
            const double v83 = tile12[v80];
            double sum84 = v83;
            const double v85 = tile12[i82];
            sum84 = sum84 + v85;
            tile12[v80] = sum84;
        }
        const int i86 = v80 + 192;
        pair76 = i86;
        const bool v87 = v79 <= i86;
        if (v87) {
            pair76 = thread;
            const int i88 = v79 / 2;
            distance75 = i88;
        }
    }
    __syncthreads();
    const int i89 = i2 * n4;
    if (v17) {
        const double v90 = tile12[thread];
        tmp0[i89 + i14] = v90;
    }
    __shared__ bool last91_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last91_shared = atomicInc(counters + i3, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last91 = last91_shared;
    __threadfence();
    if (last91) {
        const int i92 = thread % 96;
        const int i93 = thread / 96;
        const int i94 = n1 - 1;
        const int i95 = i13 + i92;
        const int i96 = i95 < i94 ? i95 : i94;
        double sum97 = 0.0;
        const int i98 = n0 + 15;
        const int i99 = i98 / 16;
        #pragma unroll 1
        for (int c100 = 0; c100 < i99; ++c100) {
            const int i101 = c100 * 16;
            const int i102 = i101 + i93;
            #pragma unroll
            for (int j103 = 0; j103 < 8; ++j103) {
                const int i104 = j103 * 2;
                const int i105 = i102 + i104;
                const bool v106 = i105 < n0;
                if (v106) {
                    const int i107 = i105 * n4;
                    const int i108 = i107 + i96;
                    const double v109 = tmp0[i108];
                    sum97 = sum97 + v109;
                }
            }
        }
        __syncthreads();
        tile12[thread] = sum97;
        #pragma unroll 1
        for (int s110 = 0; s110 < 1; ++s110) {
            const int i111 = 96 >> s110;
            __syncthreads();
            const bool v112 = thread < i111;
            if (v112) {
                const int i113 = thread + i111;
                const double v114 = tile12[thread];
                double sum115 = v114;
                const double v116 = tile12[i113];
                sum115 = sum115 + v116;
                tile12[thread] = sum115;
            }
        }
        __syncthreads();
        if (v17) {
            const double v117 = tile12[thread];
            const float v118 = (float)v117;
            const float v119 = v118 / s0;
            out0[i14] = v119;
        }
    }
}
