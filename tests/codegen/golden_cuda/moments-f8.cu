extern "C" __global__ void __launch_bounds__(256, 3) kernel(
    const int n0,
    const int n1,
    const int n2,
    const double* __restrict__ in0,
    const double r0,
    const double r1,
    const int n3,
    double* tmp0,
    double* tmp1,
    double* tmp2,
    double* tmp3,
    unsigned int* counters,
    const double r2,
    const double s0,
    double* out0,
    double* out1) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = block * n2;
    const int i1 = i0 * 256;
    double sum2 = 0.0;
    double dev3 = 0.0;
    double drift4 = 0.0;
    const double v5 = in0[i1];
    double centre6 = v5;
    const int i7 = block + 1;
    const bool v8 = i7 == n0;
    const double v9 = v8 ? r0 : r1;
    #pragma unroll 1
    for (int p10 = 0; p10 < 2; ++p10) {
        const double v11 = drift4;
        const double v12 = v11 * v9;
        centre6 = centre6 + v12;
        sum2 = 0.0;
        dev3 = 0.0;
        drift4 = 0.0;
        const double v13 = centre6;
        const bool v14 = p10 == 0;
        const int v15 = v14 ? n3 : n2;
        const int i16 = n1 - i1;
        const int i17 = i16 / 256;
        const int i18 = v15 < i17 ? v15 : i17;
        const int i19 = i18 / 4;
        #pragma unroll 1
        for (int k20 = 0; k20 < i19; ++k20) {
            const int i21 = k20 * 4;
            #pragma unroll
            for (int j22 = 0; j22 < 4; ++j22) {
                const int i23 = i21 + j22;
                const int i24 = i23 * 256;
                const int i25 = i24 + thread;
                const int i26 = i1 + i25;
                const double v27 = in0[i26];
                sum2 = sum2 + v27;
                const double v28 = v27 - v13;
                const double v29 = v28 * v28;
                dev3 = dev3 + v29;
                drift4 = drift4 + v28;
            }
        }
        const int i30 = i19 * 4;
        const int i31 = i18 + 1;
        const int i32 = v15 < i31 ? v15 : i31;
        #pragma unroll 1
        for (int k33 = i30; k33 < i32; ++k33) {
            const int i34 = k33 * 256;
            const int i35 = i34 + thread;
            const int i36 = i1 + i35;
            const bool v37 = i36 < n1;
            if (v37) {
                const double v38 = in0[i36];
                sum2 = sum2 + v38;
                const double v39 = v38 - v13;
                const double v40 = v39 * v39;
                dev3 = dev3 + v40;
                drift4 = drift4 + v39;
            }
        }
        __syncthreads();
        __shared__ double tree41[256];
        __shared__ double tree42[256];
        __shared__ double tree43[256];
        tree41[thread] = sum2;
        tree42[thread] = dev3;
        tree43[thread] = drift4;
        #pragma unroll 1
        for (int s44 = 0; s44 < 8; ++s44) {
            const int i45 = 128 >> s44;
            __syncthreads();
            const bool v46 = thread < i45;
            if (v46) {
                const int i47 = thread + i45;
                const double v48 = tree41[thread];
                double sum49 = v48;
                const double v50 = tree41[i47];
                sum49 = sum49 + v50;
                tree41[thread] = sum49;
                const double v51 = tree42[thread];
                const double v52 = tree43[thread];
                double dev53 = v51;
                double drift54 = v52;
                const double v55 = tree42[i47];
                const double v56 = tree43[i47];
                dev53 = dev53 + v55;
                drift54 = drift54 + v56;
                tree42[thread] = dev53;
                tree43[thread] = drift54;
            }
        }
        __syncthreads();
        const double v57 = tree41[0];
        sum2 = v57;
        const double v58 = tree42[0];
        dev3 = v58;
        const double v59 = tree43[0];
        drift4 = v59;
    }
    const bool v60 = thread == 0;
    if (v60) {
        const double v61 = sum2;
        tmp0[block] = v61;
        const double v62 = dev3;
        const double v63 = drift4;
        tmp1[block] = v62;
        tmp2[block] = v63;
        const double v64 = centre6;
        tmp3[block] = v64;
    }
    __shared__ bool last65_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last65_shared = atomicInc(counters + 0, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last65 = last65_shared;
    __threadfence();
    if (last65) {
        double sum66 = 0.0;
        double dev67 = 0.0;
        double drift68 = 0.0;
        const double v69 = tmp3[0];
        double centre70 = v69;
        #pragma unroll 1
        for (int p71 = 0; p71 < 2; ++p71) {
            const double v72 = drift68;
            const double v73 = v72 * r2;
            centre70 = centre70 + v73;
            sum66 = 0.0;
            dev67 = 0.0;
            drift68 = 0.0;
            const double v74 = centre70;
            const int i75 = n0 + 255;
            const int i76 = i75 / 256;
            #pragma unroll 1
            for (int c77 = 0; c77 < i76; ++c77) {
                const int i78 = c77 * 256;
                const int i79 = i78 + thread;
                #pragma unroll
                for (int j80 = 0; j80 < 1; ++j80) {
                    const int i81 = j80 * 256;
                    const int i82 = i79 + i81;
                    const bool v83 = i82 < n0;
                    if (v83) {
                        const double v84 = tmp0[i82];
                        sum66 = sum66 + v84;
                        const int i85 = n2 * 256;
                        const int i86 = i82 * i85;
                        const int i87 = n1 - i86;
                        const int i88 = i87 < i85 ? i87 : i85;
                        const double v89 = (double)i88;
                        const double v90 = tmp3[i82];
                        const double v91 = v90 - v74;
                        const double v92 = tmp1[i82];
                        const double v93 = tmp2[i82];
                        const double v94 = v91 * v89;
                        const double v95 = v93 + v93;
                        const double v96 = v95 + v94;
                        const double v97 = v91 * v96;
                        const double v98 = v92 + v97;
                        const double v99 = v93 + v94;
                        dev67 = dev67 + v98;
                        drift68 = drift68 + v99;
                    }
                }
            }
            __syncthreads();
            __shared__ double tree100[256];
            __shared__ double tree101[256];
            __shared__ double tree102[256];
            tree100[thread] = sum66;
            tree101[thread] = dev67;
            tree102[thread] = drift68;
            #pragma unroll 1
            for (int s103 = 0; s103 < 8; ++s103) {
                const int i104 = 128 >> s103;
                __syncthreads();
                const bool v105 = thread < i104;
                if (v105) {
                    const int i106 = thread + i104;
                    const double v107 = tree100[thread];
                    double sum108 = v107;
                    const double v109 = tree100[i106];
                    sum108 = sum108 + v109;
                    tree100[thread] = sum108;
                    const double v110 = tree101[thread];
                    const double v111 = tree102[thread];
                    double dev112 = v110;
                    double drift113 = v111;
                    const double v114 = tree101[i106];
                    const double v115 = tree102[i106];
                    dev112 = dev112 + v114;
                    drift113 = drift113 + v115;
                    tree101[thread] = dev112;
                    tree102[thread] = drift113;
                }
            }
            __syncthreads();
            const double v116 = tree100[0];
            sum66 = v116;
            const double v117 = tree101[0];
            dev67 = v117;
            const double v118 = tree102[0];
            drift68 = v118;
        }
        const double v119 = sum66;
        const double v120 = dev67;
        const double v121 = drift68;
        const double v122 = v121 * r2;
        const double v123 = v121 * v122;
        const double v124 = v120 - v123;
        if (v60) {
            const double v125 = v119 / s0;
            const double v126 = v124 / s0;
            out0[0] = v125;
            out1[0] = v126;
        }
    }
}
