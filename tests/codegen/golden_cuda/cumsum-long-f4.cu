struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    unsigned int* counters,
    const int n1,
    const int n2,
    double* tmp0,
    double* tmp1,
    const float* __restrict__ in0,
    float* out0,
    const int n3) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = thread & 31;
    const int i1 = thread >> 5;
    const int i2 = i1 * 256;
    const int i3 = i2 + i0;
    __shared__ double warps4[8];
    __shared__ unsigned int order5_shared;
    if (threadIdx.x == 0) {
        order5_shared = atomicInc(counters + 0, n1 - 1);
    }
    __syncthreads();
    const int order5 = order5_shared;
    const int i6 = order5 % 256;
    const int i7 = order5 / 256;
    const int i8 = order5 - i6;
    __shared__ double parts9[8];
    const int i10 = order5 * 8192;
    float row11[32];
    double sum12[8];
    const int i13 = i10 + 8192;
    const bool v14 = i13 <= n0;
    if (v14) {
        #pragma unroll
        for (int t15 = 0; t15 < 8; ++t15) {
            const int i16 = t15 * 32;
            const int i17 = i3 + i16;
            const int i18 = i17 * 4;
            const int i19 = i10 + i18;
            const f32x4 q0 = *(const f32x4*)(in0 + i19);
            const float v20 = q0.lane[0];
            const float v21 = q0.lane[1];
            const float v22 = q0.lane[2];
            const float v23 = q0.lane[3];
            row11[4 * t15] = v20;
            const double v24 = (double)v20;
            row11[4 * t15 + 1] = v21;
            const double v25 = (double)v21;
            const double v26 = v24 + v25;
            row11[4 * t15 + 2] = v22;
            const double v27 = (double)v22;
            const double v28 = v26 + v27;
            row11[4 * t15 + 3] = v23;
            const double v29 = (double)v23;
            const double v30 = v28 + v29;
            sum12[t15] = v30;
        }
    }
    const bool v31 = !v14;
    if (v31) {
        #pragma unroll
        for (int t32 = 0; t32 < 8; ++t32) {
            const int i33 = t32 * 32;
            const int i34 = i3 + i33;
            const int i35 = i34 * 4;
            const int i36 = i10 + i35;
            sum12[t32] = (-0.0);
            const bool v37 = i36 < n0;
            if (v37) {
                const f32x4 q1 = *(const f32x4*)(in0 + i36);
                const float v38 = q1.lane[0];
                const float v39 = q1.lane[1];
                const float v40 = q1.lane[2];
                const float v41 = q1.lane[3];
                row11[4 * t32] = v38;
                const double v42 = (double)v38;
                row11[4 * t32 + 1] = v39;
                const double v43 = (double)v39;
                const double v44 = v42 + v43;
                row11[4 * t32 + 2] = v40;
                const double v45 = (double)v40;
                const double v46 = v44 + v45;
                row11[4 * t32 + 3] = v41;
                const double v47 = (double)v41;
                const double v48 = v46 + v47;
                sum12[t32] = v48;
            }
        }
    }
    #pragma unroll 1
    for (int s49 = 0; s49 < 5; ++s49) {
        const int i50 = 1 << s49;
        const bool v51 = i0 >= i50;
        #pragma unroll
        for (int t52 = 0; t52 < 8; ++t52) {
            const double v53 = sum12[t52];
            const double v54 = __shfl_up_sync(0xffffffffu, v53, i50);
            const double v55 = v54 + v53;
            const double v56 = v51 ? v55 : v53;
            sum12[t52] = v56;
        }
    }
    double base57 = (-0.0);
    #pragma unroll
    for (int t58 = 0; t58 < 8; ++t58) {
        const double v59 = sum12[t58];
        const double v60 = __shfl_up_sync(0xffffffffu, v59, 1);
        const bool v61 = 0 < i0;
        const double v62 = __shfl_sync(0xffffffffu, v59, 31);
        const double v63 = v61 ? v60 : (-0.0);
        const double v64 = base57;
        const double v65 = v64 + v63;
        sum12[t58] = v65;
        const double v66 = v64 + v62;
        base57 = v66;
    }
    const double v67 = base57;
    const bool v68 = i0 == 0;
    if (v68) {
        warps4[i1] = v67;
    }
    __syncthreads();
    const int i69 = thread & 7;
    const double v70 = warps4[i69];
    double upto71 = v70;
    #pragma unroll 1
    for (int s72 = 0; s72 < 3; ++s72) {
        const int i73 = 1 << s72;
        const bool v74 = i69 >= i73;
        const double v75 = upto71;
        const double v76 = __shfl_up_sync(0xffffffffu, v75, i73, 8);
        const double v77 = v76 + v75;
        const double v78 = v74 ? v77 : v75;
        upto71 = v78;
    }
    const double v79 = upto71;
    const int i80 = i1 - 1;
    const double v81 = __shfl_sync(0xffffffffu, v79, i80, 8);
    const bool v82 = 0 < i1;
    const double v83 = __shfl_sync(0xffffffffu, v79, 7, 8);
    const double v84 = v82 ? v81 : (-0.0);
    const bool v85 = thread == 0;
    if (v85) {
        tmp0[order5] = v83;
        __threadfence();
        *(volatile unsigned int*)(counters + order5 + 2) = 1u;
    }
    double carry86 = (-0.0);
    const bool v87 = 0 < order5;
    if (v87) {
        double part88 = (-0.0);
        const bool v89 = 0 < i7;
        const bool v90 = v85 && v89;
        if (v90) {
            while (*(volatile unsigned int*)(counters + n2 + i7) == 0u) {
            }
            __threadfence();
            const double v91 = tmp1[i7];
            const double v92 = part88;
            const double v93 = v92 + v91;
            part88 = v93;
        }
        const bool v94 = thread < i6;
        if (v94) {
            const int i95 = i8 + thread;
            while (*(volatile unsigned int*)(counters + i95 + 2) == 0u) {
            }
            __threadfence();
            const double v96 = tmp0[i95];
            const double v97 = part88;
            const double v98 = v97 + v96;
            part88 = v98;
        }
        const double v99 = part88;
        double upto100 = v99;
        #pragma unroll 1
        for (int s101 = 0; s101 < 5; ++s101) {
            const int i102 = 1 << s101;
            const bool v103 = i0 >= i102;
            const double v104 = upto100;
            const double v105 = __shfl_up_sync(0xffffffffu, v104, i102);
            const double v106 = v105 + v104;
            const double v107 = v103 ? v106 : v104;
            upto100 = v107;
        }
        const double v108 = upto100;
        const double v109 = __shfl_sync(0xffffffffu, v108, 31);
        if (v68) {
            parts9[i1] = v109;
        }
        __syncthreads();
        const double v110 = parts9[i69];
        double upto111 = v110;
        #pragma unroll 1
        for (int s112 = 0; s112 < 3; ++s112) {
            const int i113 = 1 << s112;
            const bool v114 = i69 >= i113;
            const double v115 = upto111;
            const double v116 = __shfl_up_sync(0xffffffffu, v115, i113, 8);
            const double v117 = v116 + v115;
            const double v118 = v114 ? v117 : v115;
            upto111 = v118;
        }
        const double v119 = upto111;
        const double v120 = __shfl_sync(0xffffffffu, v119, i80, 8);
        const double v121 = __shfl_sync(0xffffffffu, v119, 7, 8);
        const double v122 = v82 ? v120 : (-0.0);
        carry86 = v121;
    }
    const double v123 = carry86;
    const double v124 = v123 + v84;
    #pragma unroll
    for (int t125 = 0; t125 < 8; ++t125) {
        const int i126 = t125 * 32;
        const int i127 = i3 + i126;
        const int i128 = i127 * 4;
        const int i129 = i10 + i128;
        const bool v130 = i129 < n0;
        if (v130) {
            const double v131 = sum12[t125];
            const double v132 = v124 + v131;
            double run133 = v132;
            const float v134 = row11[4 * t125];
            const double v135 = run133;
            const double v136 = (double)v134;
            const double v137 = v135 + v136;
            run133 = v137;
            const double v138 = run133;
            const float v139 = (float)v138;
            const float v140 = row11[4 * t125 + 1];
            const double v141 = run133;
            const double v142 = (double)v140;
            const double v143 = v141 + v142;
            run133 = v143;
            const double v144 = run133;
            const float v145 = (float)v144;
            const float v146 = row11[4 * t125 + 2];
            const double v147 = run133;
            const double v148 = (double)v146;
            const double v149 = v147 + v148;
            run133 = v149;
            const double v150 = run133;
            const float v151 = (float)v150;
            const float v152 = row11[4 * t125 + 3];
            const double v153 = run133;
            const double v154 = (double)v152;
            const double v155 = v153 + v154;
            run133 = v155;
            const double v156 = run133;
            const float v157 = (float)v156;
            *(f32x4*)(out0 + i129) = f32x4{{v139, v145, v151, v157}};
        }
    }
    __shared__ bool last158_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last158_shared = atomicInc(counters + 1, n1 - 1) == n1 - 1;
    }
    __syncthreads();
    const bool last158 = last158_shared;
    __threadfence();
    if (last158) {
        const int i159 = n3 + 255;
        const int i160 = i159 / 256;
        #pragma unroll 1
        for (int f161 = 0; f161 < i160; ++f161) {
            const int i162 = f161 * 256;
            const int i163 = i162 + thread;
            const bool v164 = i163 < n3;
            if (v164) {
                counters[i163 + 2] = 0u;
            }
        }
    }
}
