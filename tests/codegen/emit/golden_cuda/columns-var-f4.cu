extern "C" __global__ void __launch_bounds__(136, 4) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
    const float* __restrict__ in0,
    const int d0,
    const int n4,
    double* tmp0,
    double* tmp1,
    double* tmp2,
    unsigned int* counters,
    const double r0,
    const float s0,
    float* out0) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = thread % 17;
    const int i1 = thread / 17;
    const int i2 = block % n0;
    const int i3 = block / n0;
    const int i4 = i3 * 17;
    const int i5 = i4 + i0;
    const bool v6 = i5 < n1;
    const int i7 = n1 - 1;
    const int i8 = i5 < i7 ? i5 : i7;
    const int i9 = n3 * 8;
    const int i10 = i2 * i9;
    __shared__ double tile11[136];
    __shared__ double tile12[136];
    const int i14 = i4 + thread;
    const bool v15 = i14 < n1;
    const bool v16 = thread < 17;
    const bool v17 = v16 && v15;
    double dev18 = 0.0;
    double drift19 = 0.0;
    const float v20 = in0[d0 * i10 + i8];
    const double v21 = (double)v20;
    double centre22 = v21;
    const double v23 = centre22;
    const int i24 = n2 - i10;
    const int i25 = i24 / 8;
    const int i26 = n3 < i25 ? n3 : i25;
    const int i27 = i26 / 16;
    #pragma unroll 1
    for (int k28 = 0; k28 < i27; ++k28) {
        const int i29 = k28 * 16;
        #pragma unroll
        for (int j30 = 0; j30 < 16; ++j30) {
            const int i31 = i29 + j30;
            const int i32 = i31 * 8;
            const int i33 = i10 + i32;
            const int i34 = i33 + i1;
            const float v35 = in0[d0 * i34 + i8];
            const double v36 = (double)v35;
            const double v37 = v36 - v23;
            const double v38 = v37 * v37;
            dev18 = dev18 + v38;
            drift19 = drift19 + v37;
        }
    }
    const int i39 = i27 * 16;
    const int i40 = i26 + 1;
    const int i41 = n3 < i40 ? n3 : i40;
    #pragma unroll 1
    for (int k42 = i39; k42 < i41; ++k42) {
        const int i43 = k42 * 8;
        const int i44 = i10 + i43;
        const int i45 = i44 + i1;
        const bool v46 = i45 < n2;
        if (v46) {
            const float v50 = in0[d0 * i45 + i8];
            const double v51 = (double)v50;
            const double v52 = v51 - v23;
            const double v53 = v52 * v52;
            dev18 = dev18 + v53;
            drift19 = drift19 + v52;
        }
    }
    __syncthreads();
    tile11[thread] = dev18;
    tile12[thread] = drift19;
    #pragma unroll 1
    for (int s54 = 0; s54 < 3; ++s54) {
        const int i55 = 68 >> s54;
        __syncthreads();
        const bool v56 = thread < i55;
        if (v56) {
            const int i57 = thread + i55;
            const double v58 = tile11[thread];
            const double v59 = tile12[thread];
            double dev60 = v58;
            double drift61 = v59;
            const double v62 = tile11[i57];
            const double v63 = tile12[i57];
            dev60 = dev60 + v62;
            drift61 = drift61 + v63;
            tile11[thread] = dev60;
            tile12[thread] = drift61;
        }
    }
    __syncthreads();
    const int i64 = i2 * n4;
    if (v17) {
        const double v65 = tile11[thread];
        const double v66 = tile12[thread];
        tmp0[i64 + i14] = v65;
        tmp1[i64 + i14] = v66;
    }
    const bool v67 = i1 == 0;
    const bool v68 = v67 && v6;
    if (v68) {
        const double v69 = centre22;
        tmp2[i64 + i8] = v69;
    }
    __shared__ bool last70_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last70_shared = atomicInc(counters + i3, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last70 = last70_shared;
    __threadfence();
    if (last70) {
        double dev76 = 0.0;
        double drift77 = 0.0;
        const double v78 = tmp2[i8];
        double centre79 = v78;
        const double v80 = centre79;
        const int i81 = n0 + 15;
        const int i82 = i81 / 16;
        #pragma unroll 1
        for (int c83 = 0; c83 < i82; ++c83) {
            const int i84 = c83 * 16;
            const int i85 = i84 + i1;
            #pragma unroll
            for (int j86 = 0; j86 < 2; ++j86) {
                const int i87 = j86 * 8;
                const int i88 = i85 + i87;
                const bool v89 = i88 < n0;
                if (v89) {
                    const int i90 = i88 * n4;
                    const int i91 = i90 + i8;
                    const int i93 = i88 * i9;
                    const int i94 = n2 - i93;
                    const int i95 = i94 < i9 ? i94 : i9;
                    const double v96 = (double)i95;
                    const double v97 = tmp2[i91];
                    const double v98 = v97 - v80;
                    const double v99 = tmp0[i91];
                    const double v100 = tmp1[i91];
                    const double v101 = v98 * v96;
                    const double v102 = v100 + v100;
                    const double v103 = v102 + v101;
                    const double v104 = v98 * v103;
                    const double v105 = v99 + v104;
                    const double v106 = v100 + v101;
                    dev76 = dev76 + v105;
                    drift77 = drift77 + v106;
                }
            }
        }
        __syncthreads();
        tile11[thread] = dev76;
        tile12[thread] = drift77;
        #pragma unroll 1
        for (int s107 = 0; s107 < 3; ++s107) {
            const int i108 = 68 >> s107;
            __syncthreads();
            const bool v109 = thread < i108;
            if (v109) {
                const int i110 = thread + i108;
                const double v111 = tile11[thread];
                const double v112 = tile12[thread];
                double dev113 = v111;
                double drift114 = v112;
                const double v115 = tile11[i110];
                const double v116 = tile12[i110];
                dev113 = dev113 + v115;
                drift114 = drift114 + v116;
                tile11[thread] = dev113;
                tile12[thread] = drift114;
            }
        }
        __syncthreads();
        if (v17) {
            const double v117 = tile11[thread];
            const double v118 = tile12[thread];
            const double v119 = v118 * r0;
            const double v120 = v118 * v119;
            const double v121 = v117 - v120;
            const float v122 = (float)v121;
            const float v123 = v122 / s0;
            out0[i14] = v123;
        }
    }
}
