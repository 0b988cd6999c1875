struct __align__(16) f64x2 { double lane[2]; };

template <class Vector, class Element, class Count>
__device__ __forceinline__ Vector load_some(const Element* place, Count left) {
    const int width = sizeof(Vector) / sizeof(Element);
    Vector found = {};
    if (left >= width) {
        found = *(const Vector*)place;
    } else {
        #pragma unroll
        for (int k = 0; k < width - 1; ++k) {
            if (k < left) found.lane[k] = place[k];
        }
    }
    return found;
}

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
    const int i1 = i0 * 512;
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
        const int i17 = i16 / 512;
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
                const int i26 = i25 * 2;
                const int i27 = i1 + i26;
                const f64x2 q0 = *(const f64x2*)(in0 + i27);
                const double v28 = q0.lane[0];
                const double v29 = q0.lane[1];
                sum2 = sum2 + v28;
                const double v30 = v28 - v13;
                const double v31 = v30 * v30;
                dev3 = dev3 + v31;
                drift4 = drift4 + v30;
                sum2 = sum2 + v29;
                const double v32 = v29 - v13;
                const double v33 = v32 * v32;
                dev3 = dev3 + v33;
                drift4 = drift4 + v32;
            }
        }
        const int i34 = i19 * 4;
        const int i35 = i18 + 1;
        const int i36 = v15 < i35 ? v15 : i35;
        #pragma unroll 1
        for (int k37 = i34; k37 < i36; ++k37) {
            const int i38 = k37 * 256;
            const int i39 = i38 + thread;
            const int i40 = i39 * 2;
            const int i41 = i1 + i40;
            const bool v42 = i41 < n1;
            if (v42) {
                const int i43 = n1 - i41;
                const f64x2 q1 = load_some<f64x2>(in0 + i41, i43);
                const double v44 = q1.lane[0];
                const double v45 = q1.lane[1];
                sum2 = sum2 + v44;
                const double v46 = v44 - v13;
                const double v47 = v46 * v46;
                dev3 = dev3 + v47;
                drift4 = drift4 + v46;
                const bool v48 = 1 < i43;
                if (v48) {
                    sum2 = sum2 + v45;
                    const double v49 = v45 - v13;
                    const double v50 = v49 * v49;
                    dev3 = dev3 + v50;
                    drift4 = drift4 + v49;
                }
            }
        }
        __syncthreads();
        __shared__ double tree51[256];
        __shared__ double tree52[256];
        __shared__ double tree53[256];
        tree51[thread] = sum2;
        tree52[thread] = dev3;
        tree53[thread] = drift4;
        #pragma unroll 1
        for (int s54 = 0; s54 < 8; ++s54) {
            const int i55 = 128 >> s54;
            __syncthreads();
            const bool v56 = thread < i55;
            if (v56) {
                const int i57 = thread + i55;
                const double v58 = tree51[thread];
                double sum59 = v58;
                const double v60 = tree51[i57];
                sum59 = sum59 + v60;
                tree51[thread] = sum59;
                const double v61 = tree52[thread];
                const double v62 = tree53[thread];
                double dev63 = v61;
                double drift64 = v62;
                const double v65 = tree52[i57];
                const double v66 = tree53[i57];
                dev63 = dev63 + v65;
                drift64 = drift64 + v66;
                tree52[thread] = dev63;
                tree53[thread] = drift64;
            }
        }
        __syncthreads();
        const double v67 = tree51[0];
        sum2 = v67;
        const double v68 = tree52[0];
        dev3 = v68;
        const double v69 = tree53[0];
        drift4 = v69;
    }
    const bool v70 = thread == 0;
    if (v70) {
        const double v71 = sum2;
        tmp0[block] = v71;
        const double v72 = dev3;
        const double v73 = drift4;
        tmp1[block] = v72;
        tmp2[block] = v73;
        const double v74 = centre6;
        tmp3[block] = v74;
    }
    __shared__ bool last75_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last75_shared = atomicInc(counters + 0, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last75 = last75_shared;
    __threadfence();
    if (last75) {
        double sum76 = 0.0;
        double dev77 = 0.0;
        double drift78 = 0.0;
        const double v79 = tmp3[0];
        double centre80 = v79;
        #pragma unroll 1
        for (int p81 = 0; p81 < 2; ++p81) {
            const double v82 = drift78;
            const double v83 = v82 * r2;
            centre80 = centre80 + v83;
            sum76 = 0.0;
            dev77 = 0.0;
            drift78 = 0.0;
            const double v84 = centre80;
            const int i85 = n0 + 255;
            const int i86 = i85 / 256;
            #pragma unroll 1
            for (int c87 = 0; c87 < i86; ++c87) {
                const int i88 = c87 * 256;
                const int i89 = i88 + thread;
                #pragma unroll
                for (int j90 = 0; j90 < 1; ++j90) {
                    const int i91 = j90 * 256;
                    const int i92 = i89 + i91;
                    const bool v93 = i92 < n0;
                    if (v93) {
                        const double v94 = tmp0[i92];
                        sum76 = sum76 + v94;
                        const int i95 = n2 * 512;
                        const int i96 = i92 * i95;
                        const int i97 = n1 - i96;
                        const int i98 = i97 < i95 ? i97 : i95;
                        const double v99 = (double)i98;
                        const double v100 = tmp3[i92];
                        const double v101 = v100 - v84;
                        const double v102 = tmp1[i92];
                        const double v103 = tmp2[i92];
                        const double v104 = v101 * v99;
                        const double v105 = v103 + v103;
                        const double v106 = v105 + v104;
                        const double v107 = v101 * v106;
                        const double v108 = v102 + v107;
                        const double v109 = v103 + v104;
                        dev77 = dev77 + v108;
                        drift78 = drift78 + v109;
                    }
                }
            }
            __syncthreads();
            __shared__ double tree110[256];
            __shared__ double tree111[256];
            __shared__ double tree112[256];
            tree110[thread] = sum76;
            tree111[thread] = dev77;
            tree112[thread] = drift78;
            #pragma unroll 1
            for (int s113 = 0; s113 < 8; ++s113) {
                const int i114 = 128 >> s113;
                __syncthreads();
                const bool v115 = thread < i114;
                if (v115) {
                    const int i116 = thread + i114;
                    const double v117 = tree110[thread];
                    double sum118 = v117;
                    const double v119 = tree110[i116];
                    sum118 = sum118 + v119;
                    tree110[thread] = sum118;
                    const double v120 = tree111[thread];
                    const double v121 = tree112[thread];
                    double dev122 = v120;
                    double drift123 = v121;
                    const double v124 = tree111[i116];
                    const double v125 = tree112[i116];
                    dev122 = dev122 + v124;
                    drift123 = drift123 + v125;
                    tree111[thread] = dev122;
                    tree112[thread] = drift123;
                }
            }
            __syncthreads();
            const double v126 = tree110[0];
            sum76 = v126;
            const double v127 = tree111[0];
            dev77 = v127;
            const double v128 = tree112[0];
            drift78 = v128;
        }
        const double v129 = sum76;
        const double v130 = dev77;
        const double v131 = drift78;
        const double v132 = v131 * r2;
        const double v133 = v131 * v132;
        const double v134 = v130 - v133;
        if (v70) {
            const double v135 = v129 / s0;
            const double v136 = v134 / s0;
            out0[0] = v135;
            out1[0] = v136;
        }
    }
}
