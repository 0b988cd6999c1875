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
    const bool v69 = i0 == 0;
    if (v69) {
        warps4[i1] = v67;
    }
    __syncthreads();
    const int i70 = thread & 7;
    const double v71 = warps4[i70];
    double upto72 = v71;
    #pragma unroll 1
    for (int s73 = 0; s73 < 3; ++s73) {
        const int i74 = 1 << s73;
        const bool v75 = i70 >= i74;
        const double v76 = upto72;
        const double v77 = __shfl_up_sync(0xffffffffu, v76, i74, 8);
        const double v78 = v77 + v76;
        const double v79 = v75 ? v78 : v76;
        upto72 = v79;
    }
    const double v80 = upto72;
    const int i81 = i1 - 1;
    const double v82 = __shfl_sync(0xffffffffu, v80, i81, 8);
    const bool v83 = 0 < i1;
    const double v84 = __shfl_sync(0xffffffffu, v80, 7, 8);
    const double v85 = v83 ? v82 : (-0.0);
    const bool v86 = thread == 0;
    if (v86) {
        tmp0[order5] = v84;
        __threadfence();
        *(volatile unsigned int*)(counters + order5 + 2) = 1u;
    }
    double part87 = (-0.0);
    const bool v89 = 0 < i7;
    const bool v90 = v86 && v89;
    if (v90) {
        while (*(volatile unsigned int*)(counters + n2 + i7) == 0u) {
        }
        __threadfence();
        const double v91 = tmp1[i7];
        const double v92 = part87;
        const double v93 = v92 + v91;
        part87 = v93;
    }
    const bool v94 = thread < i6;
    if (v94) {
        const int i95 = i8 + thread;
        while (*(volatile unsigned int*)(counters + i95 + 2) == 0u) {
        }
        __threadfence();
        const double v96 = tmp0[i95];
        const double v97 = part87;
        const double v98 = v97 + v96;
        part87 = v98;
    }
    __syncthreads();
    const double v100 = part87;
    double upto101 = v100;
    #pragma unroll 1
    for (int s102 = 0; s102 < 5; ++s102) {
        const int i103 = 1 << s102;
        const bool v104 = i0 >= i103;
        const double v105 = upto101;
        const double v106 = __shfl_up_sync(0xffffffffu, v105, i103);
        const double v107 = v106 + v105;
        const double v108 = v104 ? v107 : v105;
        upto101 = v108;
    }
    const double v109 = upto101;
    const double v110 = __shfl_sync(0xffffffffu, v109, 31);
    if (v69) {
        parts9[i1] = v110;
    }
    __syncthreads();
    const double v114 = parts9[i70];
    double upto115 = v114;
    #pragma unroll 1
    for (int s116 = 0; s116 < 3; ++s116) {
        const int i117 = 1 << s116;
        const bool v118 = i70 >= i117;
        const double v119 = upto115;
        const double v120 = __shfl_up_sync(0xffffffffu, v119, i117, 8);
        const double v121 = v120 + v119;
        const double v122 = v118 ? v121 : v119;
        upto115 = v122;
    }
    const double v123 = upto115;
    const double v125 = __shfl_sync(0xffffffffu, v123, i81, 8);
    const double v127 = __shfl_sync(0xffffffffu, v123, 7, 8);
    const double v128 = v83 ? v125 : (-0.0);
    const double v129 = v127 + v85;
    #pragma unroll
    for (int t130 = 0; t130 < 8; ++t130) {
        const int i131 = t130 * 32;
        const int i132 = i3 + i131;
        const int i133 = i132 * 4;
        const int i134 = i10 + i133;
        const bool v135 = i134 < n0;
        if (v135) {
            const double v136 = sum12[t130];
            const double v137 = v129 + v136;
            double run138 = v137;
            const float v139 = row11[4 * t130];
            const double v140 = run138;
            const double v141 = (double)v139;
            const double v142 = v140 + v141;
            run138 = v142;
            const double v143 = run138;
            const float v144 = (float)v143;
            const float v145 = row11[4 * t130 + 1];
            const double v146 = run138;
            const double v147 = (double)v145;
            const double v148 = v146 + v147;
            run138 = v148;
            const double v149 = run138;
            const float v150 = (float)v149;
            const float v151 = row11[4 * t130 + 2];
            const double v152 = run138;
            const double v153 = (double)v151;
            const double v154 = v152 + v153;
            run138 = v154;
            const double v155 = run138;
            const float v156 = (float)v155;
            const float v157 = row11[4 * t130 + 3];
            const double v158 = run138;
            const double v159 = (double)v157;
            const double v160 = v158 + v159;
            run138 = v160;
            const double v161 = run138;
            const float v162 = (float)v161;
            *(f32x4*)(out0 + i134) = f32x4{{v144, v150, v156, v162}};
        }
    }
    __shared__ bool last163_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last163_shared = atomicInc(counters + 1, n1 - 1) == n1 - 1;
    }
    __syncthreads();
    const bool last163 = last163_shared;
    __threadfence();
    if (last163) {
        const int i164 = n3 + 255;
        const int i165 = i164 / 256;
        #pragma unroll 1
        for (int f166 = 0; f166 < i165; ++f166) {
            const int i167 = f166 * 256;
            const int i168 = i167 + thread;
            const bool v169 = i168 < n3;
            if (v169) {
                counters[i168 + 2] = 0u;
            }
        }
    }
}
