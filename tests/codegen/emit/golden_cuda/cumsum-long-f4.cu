struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256, 3) kernel(
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
    double part86 = (-0.0);
    const bool v87 = 0 < i7;
    const bool v88 = v85 && v87;
    if (v88) {
        while (*(volatile unsigned int*)(counters + n2 + i7) == 0u) {
        }
        __threadfence();
        const double v89 = tmp1[i7];
        const double v90 = part86;
        const double v91 = v90 + v89;
        part86 = v91;
    }
    const bool v92 = thread < i6;
    if (v92) {
        const int i93 = i8 + thread;
        while (*(volatile unsigned int*)(counters + i93 + 2) == 0u) {
        }
        __threadfence();
        const double v94 = tmp0[i93];
        const double v95 = part86;
        const double v96 = v95 + v94;
        part86 = v96;
    }
    __syncthreads();
    const double v97 = part86;
    double upto98 = v97;
    #pragma unroll 1
    for (int s99 = 0; s99 < 5; ++s99) {
        const int i100 = 1 << s99;
        const bool v101 = i0 >= i100;
        const double v102 = upto98;
        const double v103 = __shfl_up_sync(0xffffffffu, v102, i100);
        const double v104 = v103 + v102;
        const double v105 = v101 ? v104 : v102;
        upto98 = v105;
    }
    const double v106 = upto98;
    const double v107 = __shfl_sync(0xffffffffu, v106, 31);
    if (v68) {
        parts9[i1] = v107;
    }
    __syncthreads();
    const double v108 = parts9[i69];
    double upto109 = v108;
    #pragma unroll 1
    for (int s110 = 0; s110 < 3; ++s110) {
        const int i111 = 1 << s110;
        const bool v112 = i69 >= i111;
        const double v113 = upto109;
        const double v114 = __shfl_up_sync(0xffffffffu, v113, i111, 8);
        const double v115 = v114 + v113;
        const double v116 = v112 ? v115 : v113;
        upto109 = v116;
    }
    const double v117 = upto109;
    const double v118 = __shfl_sync(0xffffffffu, v117, i80, 8);
    const double v119 = __shfl_sync(0xffffffffu, v117, 7, 8);
    const double v120 = v82 ? v118 : (-0.0);
    const double v121 = v119 + v84;
    #pragma unroll
    for (int t122 = 0; t122 < 8; ++t122) {
        const int i123 = t122 * 32;
        const int i124 = i3 + i123;
        const int i125 = i124 * 4;
        const int i126 = i10 + i125;
        const bool v127 = i126 < n0;
        if (v127) {
            const double v128 = sum12[t122];
            const double v129 = v121 + v128;
            double run130 = v129;
            const float v131 = row11[4 * t122];
            const double v132 = run130;
            const double v133 = (double)v131;
            const double v134 = v132 + v133;
            run130 = v134;
            const double v135 = run130;
            const float v136 = (float)v135;
            const float v137 = row11[4 * t122 + 1];
            const double v138 = run130;
            const double v139 = (double)v137;
            const double v140 = v138 + v139;
            run130 = v140;
            const double v141 = run130;
            const float v142 = (float)v141;
            const float v143 = row11[4 * t122 + 2];
            const double v144 = run130;
            const double v145 = (double)v143;
            const double v146 = v144 + v145;
            run130 = v146;
            const double v147 = run130;
            const float v148 = (float)v147;
            const float v149 = row11[4 * t122 + 3];
            const double v150 = run130;
            const double v151 = (double)v149;
            const double v152 = v150 + v151;
            run130 = v152;
            const double v153 = run130;
            const float v154 = (float)v153;
            *(f32x4*)(out0 + i126) = f32x4{{v136, v142, v148, v154}};
        }
    }
    __shared__ bool last155_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last155_shared = atomicInc(counters + 1, n1 - 1) == n1 - 1;
    }
    __syncthreads();
    const bool last155 = last155_shared;
    __threadfence();
    if (last155) {
        const int i156 = n3 + 255;
        const int i157 = i156 / 256;
        #pragma unroll 1
        for (int f158 = 0; f158 < i157; ++f158) {
            const int i159 = f158 * 256;
            const int i160 = i159 + thread;
            const bool v161 = i160 < n3;
            if (v161) {
                counters[i160 + 2] = 0u;
            }
        }
    }
}
