extern "C" __global__ void __launch_bounds__(256, 4) kernel(
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
    const int i0 = thread & 31;
    const int i1 = thread >> 5;
    const int i2 = block % n0;
    const int i3 = block / n0;
    const int i4 = i3 * 32;
    const int i5 = i4 + i0;
    const bool v6 = i5 < n1;
    const int i7 = n1 - 1;
    const int i8 = i5 < i7 ? i5 : i7;
    const int i9 = n3 * 8;
    const int i10 = i2 * i9;
    __shared__ double tile11[256];
    __shared__ double tile12[256];
    const int i13 = i4 + thread;
    const bool v14 = i13 < n1;
    const bool v15 = thread < 32;
    const bool v16 = v15 && v14;
    double dev17 = 0.0;
    double drift18 = 0.0;
    const float v19 = in0[d0 * i10 + i8];
    const double v20 = (double)v19;
    double centre21 = v20;
    const double v22 = centre21;
    const int i23 = n2 - i10;
    const int i24 = i23 / 8;
    const int i25 = n3 < i24 ? n3 : i24;
    const int i26 = i25 / 4;
    #pragma unroll 1
    for (int k27 = 0; k27 < i26; ++k27) {
        const int i28 = k27 * 4;
        #pragma unroll
        for (int j29 = 0; j29 < 4; ++j29) {
            const int i30 = i28 + j29;
            const int i31 = i30 * 8;
            const int i32 = i10 + i31;
            const int i33 = i32 + i1;
            const float v34 = in0[d0 * i33 + i8];
            const double v35 = (double)v34;
            const double v36 = v35 - v22;
            const double v37 = v36 * v36;
            dev17 = dev17 + v37;
            drift18 = drift18 + v36;
        }
    }
    const int i38 = i26 * 4;
    const int i39 = i25 + 1;
    const int i40 = n3 < i39 ? n3 : i39;
    #pragma unroll 1
    for (int k41 = i38; k41 < i40; ++k41) {
        const int i42 = k41 * 8;
        const int i43 = i10 + i42;
        const int i44 = i43 + i1;
        const bool v45 = i44 < n2;
        if (v45) {
            const float v46 = in0[d0 * i44 + i8];
            const double v47 = (double)v46;
            const double v48 = v47 - v22;
            const double v49 = v48 * v48;
            dev17 = dev17 + v49;
            drift18 = drift18 + v48;
        }
    }
    __syncthreads();
    tile11[thread] = dev17;
    tile12[thread] = drift18;
    #pragma unroll 1
    for (int s50 = 0; s50 < 3; ++s50) {
        const int i51 = 128 >> s50;
        __syncthreads();
        const bool v52 = thread < i51;
        if (v52) {
            const int i53 = thread + i51;
            const double v54 = tile11[thread];
            const double v55 = tile12[thread];
            double dev56 = v54;
            double drift57 = v55;
            const double v58 = tile11[i53];
            const double v59 = tile12[i53];
            dev56 = dev56 + v58;
            drift57 = drift57 + v59;
            tile11[thread] = dev56;
            tile12[thread] = drift57;
        }
    }
    __syncthreads();
    const int i60 = i2 * n4;
    if (v16) {
        const double v61 = tile11[thread];
        const double v62 = tile12[thread];
        tmp0[i60 + i13] = v61;
        tmp1[i60 + i13] = v62;
    }
    const bool v63 = i1 == 0;
    const bool v64 = v63 && v6;
    if (v64) {
        const double v65 = centre21;
        tmp2[i60 + i8] = v65;
    }
    __shared__ bool last66_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last66_shared = atomicInc(counters + i3, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last66 = last66_shared;
    __threadfence();
    if (last66) {
        double dev67 = 0.0;
        double drift68 = 0.0;
        const double v69 = tmp2[i8];
        double centre70 = v69;
        const double v71 = centre70;
        const int i72 = n0 + 15;
        const int i73 = i72 / 16;
        #pragma unroll 1
        for (int c74 = 0; c74 < i73; ++c74) {
            const int i75 = c74 * 16;
            const int i76 = i75 + i1;
            #pragma unroll
            for (int j77 = 0; j77 < 2; ++j77) {
                const int i78 = j77 * 8;
                const int i79 = i76 + i78;
                const bool v80 = i79 < n0;
                if (v80) {
                    const int i81 = i79 * n4;
                    const int i82 = i81 + i8;
                    const int i83 = i79 * i9;
                    const int i84 = n2 - i83;
                    const int i85 = i84 < i9 ? i84 : i9;
                    const double v86 = (double)i85;
                    const double v87 = tmp2[i82];
                    const double v88 = v87 - v71;
                    const double v89 = tmp0[i82];
                    const double v90 = tmp1[i82];
                    const double v91 = v88 * v86;
                    const double v92 = v90 + v90;
                    const double v93 = v92 + v91;
                    const double v94 = v88 * v93;
                    const double v95 = v89 + v94;
                    const double v96 = v90 + v91;
                    dev67 = dev67 + v95;
                    drift68 = drift68 + v96;
                }
            }
        }
        __syncthreads();
        tile11[thread] = dev67;
        tile12[thread] = drift68;
        #pragma unroll 1
        for (int s97 = 0; s97 < 3; ++s97) {
            const int i98 = 128 >> s97;
            __syncthreads();
            const bool v99 = thread < i98;
            if (v99) {
                const int i100 = thread + i98;
                const double v101 = tile11[thread];
                const double v102 = tile12[thread];
                double dev103 = v101;
                double drift104 = v102;
                const double v105 = tile11[i100];
                const double v106 = tile12[i100];
                dev103 = dev103 + v105;
                drift104 = drift104 + v106;
                tile11[thread] = dev103;
                tile12[thread] = drift104;
            }
        }
        __syncthreads();
        if (v16) {
            const double v107 = tile11[thread];
            const double v108 = tile12[thread];
            const double v109 = v108 * r0;
            const double v110 = v108 * v109;
            const double v111 = v107 - v110;
            const float v112 = (float)v111;
            const float v113 = v112 / s0;
            out0[i13] = v113;
        }
    }
}
