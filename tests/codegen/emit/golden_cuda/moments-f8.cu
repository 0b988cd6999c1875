struct __align__(16) f64x2 { double lane[2]; };

template <class Vector, class Element, class Count>
__device__ __forceinline__ Vector load_some(const Element* place, Count left) {
    const int width = sizeof(Vector) / sizeof(Element);
    Vector vector = {};
    if (left >= width) {
        vector = *(const Vector*)place;
    } else {
        #pragma unroll
        for (int k = 0; k < width - 1; ++k) {
            if (k < left) vector.lane[k] = place[k];
        }
    }
    return vector;
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
                const int i47 = n1 - i41;
                const f64x2 q1 = load_some<f64x2>(in0 + i41, i47);
                const double v48 = q1.lane[0];
                const double v49 = q1.lane[1];
                sum2 = sum2 + v48;
                const double v50 = v48 - v13;
                const double v51 = v50 * v50;
                dev3 = dev3 + v51;
                drift4 = drift4 + v50;
                const bool v52 = 1 < i47;
                if (v52) {
                    sum2 = sum2 + v49;
                    const double v53 = v49 - v13;
                    const double v54 = v53 * v53;
                    dev3 = dev3 + v54;
                    drift4 = drift4 + v53;
                }
            }
        }
        __syncthreads();
        __shared__ double tree55[256];
        __shared__ double tree56[256];
        __shared__ double tree57[256];
        tree55[thread] = sum2;
        tree56[thread] = dev3;
        tree57[thread] = drift4;
        #pragma unroll 1
        for (int s58 = 0; s58 < 8; ++s58) {
            const int i59 = 128 >> s58;
            __syncthreads();
            const bool v60 = thread < i59;
            if (v60) {
                const int i61 = thread + i59;
                const double v62 = tree55[thread];
                double sum63 = v62;
                const double v64 = tree55[i61];
                sum63 = sum63 + v64;
                tree55[thread] = sum63;
                const double v65 = tree56[thread];
                const double v66 = tree57[thread];
                double dev67 = v65;
                double drift68 = v66;
                const double v69 = tree56[i61];
                const double v70 = tree57[i61];
                dev67 = dev67 + v69;
                drift68 = drift68 + v70;
                tree56[thread] = dev67;
                tree57[thread] = drift68;
            }
        }
        __syncthreads();
        const double v71 = tree55[0];
        sum2 = v71;
        const double v72 = tree56[0];
        dev3 = v72;
        const double v73 = tree57[0];
        drift4 = v73;
    }
    const bool v74 = thread == 0;
    if (v74) {
        const double v75 = sum2;
        tmp0[block] = v75;
        const double v76 = dev3;
        const double v77 = drift4;
        tmp1[block] = v76;
        tmp2[block] = v77;
        const double v78 = centre6;
        tmp3[block] = v78;
    }
    __shared__ bool last79_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last79_shared = atomicInc(counters + 0, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last79 = last79_shared;
    __threadfence();
    if (last79) {
        double sum80 = 0.0;
        double dev81 = 0.0;
        double drift82 = 0.0;
        const double v83 = tmp3[0];
        double centre84 = v83;
        #pragma unroll 1
        for (int p85 = 0; p85 < 2; ++p85) {
            const double v86 = drift82;
            const double v87 = v86 * r2;
            centre84 = centre84 + v87;
            sum80 = 0.0;
            dev81 = 0.0;
            drift82 = 0.0;
            const double v88 = centre84;
            const int i89 = n0 + 255;
            const int i90 = i89 / 256;
            #pragma unroll 1
            for (int c91 = 0; c91 < i90; ++c91) {
                const int i92 = c91 * 256;
                const int i93 = i92 + thread;
                #pragma unroll
                for (int j94 = 0; j94 < 1; ++j94) {
                    const int i95 = j94 * 256;
                    const int i96 = i93 + i95;
                    const bool v97 = i96 < n0;
                    if (v97) {
                        const double v98 = tmp0[i96];
                        sum80 = sum80 + v98;
                        const int i99 = n2 * 512;
                        const int i100 = i96 * i99;
                        const int i101 = n1 - i100;
                        const int i102 = i101 < i99 ? i101 : i99;
                        const double v103 = (double)i102;
                        const double v104 = tmp3[i96];
                        const double v105 = v104 - v88;
                        const double v106 = tmp1[i96];
                        const double v107 = tmp2[i96];
                        const double v108 = v105 * v103;
                        const double v109 = v107 + v107;
                        const double v110 = v109 + v108;
                        const double v111 = v105 * v110;
                        const double v112 = v106 + v111;
                        const double v113 = v107 + v108;
                        dev81 = dev81 + v112;
                        drift82 = drift82 + v113;
                    }
                }
            }
            __syncthreads();
            __shared__ double tree114[256];
            __shared__ double tree115[256];
            __shared__ double tree116[256];
            tree114[thread] = sum80;
            tree115[thread] = dev81;
            tree116[thread] = drift82;
            #pragma unroll 1
            for (int s117 = 0; s117 < 8; ++s117) {
                const int i118 = 128 >> s117;
                __syncthreads();
                const bool v119 = thread < i118;
                if (v119) {
                    const int i120 = thread + i118;
                    const double v121 = tree114[thread];
                    double sum122 = v121;
                    const double v123 = tree114[i120];
                    sum122 = sum122 + v123;
                    tree114[thread] = sum122;
                    const double v124 = tree115[thread];
                    const double v125 = tree116[thread];
                    double dev126 = v124;
                    double drift127 = v125;
                    const double v128 = tree115[i120];
                    const double v129 = tree116[i120];
                    dev126 = dev126 + v128;
                    drift127 = drift127 + v129;
                    tree115[thread] = dev126;
                    tree116[thread] = drift127;
                }
            }
            __syncthreads();
            const double v130 = tree114[0];
            sum80 = v130;
            const double v131 = tree115[0];
            dev81 = v131;
            const double v132 = tree116[0];
            drift82 = v132;
        }
        const double v133 = sum80;
        const double v134 = dev81;
        const double v135 = drift82;
        const double v136 = v135 * r2;
        const double v137 = v135 * v136;
        const double v138 = v134 - v137;
        if (v74) {
            const double v139 = v133 / s0;
            const double v140 = v138 / s0;
            out0[0] = v139;
            out1[0] = v140;
        }
    }
}
