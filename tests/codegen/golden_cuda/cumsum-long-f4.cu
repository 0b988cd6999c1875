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
    const int i0 = thread % 32;
    const int i1 = thread / 32;
    const int i2 = i1 * 128;
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
    const int i10 = order5 * 4096;
    float row11[16];
    double sum12[4];
    const int i13 = i10 + 4096;
    const bool v14 = i13 <= n0;
    if (v14) {
        #pragma unroll
        for (int t15 = 0; t15 < 4; ++t15) {
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
        for (int t32 = 0; t32 < 4; ++t32) {
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
    double base49 = (-0.0);
    #pragma unroll
    for (int t50 = 0; t50 < 4; ++t50) {
        const int i51 = t50 * 32;
        const int i52 = i3 + i51;
        const int i53 = i52 * 4;
        const int i54 = i10 + i53;
        const double v55 = sum12[t50];
        const double v56 = __shfl_up_sync(0xffffffffu, v55, 1);
        const bool v57 = i0 >= 1;
        const double v58 = v56 + v55;
        const double v59 = v57 ? v58 : v55;
        const double v60 = __shfl_up_sync(0xffffffffu, v59, 2);
        const bool v61 = i0 >= 2;
        const double v62 = v60 + v59;
        const double v63 = v61 ? v62 : v59;
        const double v64 = __shfl_up_sync(0xffffffffu, v63, 4);
        const bool v65 = i0 >= 4;
        const double v66 = v64 + v63;
        const double v67 = v65 ? v66 : v63;
        const double v68 = __shfl_up_sync(0xffffffffu, v67, 8);
        const bool v69 = i0 >= 8;
        const double v70 = v68 + v67;
        const double v71 = v69 ? v70 : v67;
        const double v72 = __shfl_up_sync(0xffffffffu, v71, 16);
        const bool v73 = i0 >= 16;
        const double v74 = v72 + v71;
        const double v75 = v73 ? v74 : v71;
        const double v76 = __shfl_up_sync(0xffffffffu, v75, 1);
        const bool v77 = 0 < i0;
        const double v78 = __shfl_sync(0xffffffffu, v75, 31);
        const double v79 = v77 ? v76 : (-0.0);
        const double v80 = base49;
        const double v81 = v80 + v79;
        sum12[t50] = v81;
        const double v82 = v80 + v78;
        base49 = v82;
    }
    const double v83 = base49;
    const bool v84 = i0 == 0;
    if (v84) {
        warps4[i1] = v83;
    }
    __syncthreads();
    const int i85 = thread % 8;
    const double v86 = warps4[i85];
    const double v87 = __shfl_up_sync(0xffffffffu, v86, 1, 8);
    const bool v88 = i85 >= 1;
    const double v89 = v87 + v86;
    const double v90 = v88 ? v89 : v86;
    const double v91 = __shfl_up_sync(0xffffffffu, v90, 2, 8);
    const bool v92 = i85 >= 2;
    const double v93 = v91 + v90;
    const double v94 = v92 ? v93 : v90;
    const double v95 = __shfl_up_sync(0xffffffffu, v94, 4, 8);
    const bool v96 = i85 >= 4;
    const double v97 = v95 + v94;
    const double v98 = v96 ? v97 : v94;
    const int i99 = i1 - 1;
    const double v100 = __shfl_sync(0xffffffffu, v98, i99, 8);
    const bool v101 = 0 < i1;
    const double v102 = __shfl_sync(0xffffffffu, v98, 7, 8);
    const double v103 = v101 ? v100 : (-0.0);
    const bool v104 = thread == 0;
    if (v104) {
        tmp0[order5] = v102;
        __threadfence();
        *(volatile unsigned int*)(counters + order5 + 2) = 1u;
    }
    double carry105 = (-0.0);
    const bool v106 = 0 < order5;
    if (v106) {
        double part107 = (-0.0);
        const bool v108 = 0 < i7;
        const bool v109 = v104 && v108;
        if (v109) {
            while (*(volatile unsigned int*)(counters + n2 + i7) == 0u) {
            }
            __threadfence();
            const double v110 = tmp1[i7];
            part107 = v110;
        }
        const bool v111 = 0 < thread;
        const bool v112 = thread <= i6;
        const bool v113 = v111 && v112;
        if (v113) {
            const int i114 = i8 + thread;
            const int i115 = i114 - 1;
            while (*(volatile unsigned int*)(counters + i115 + 2) == 0u) {
            }
            __threadfence();
            const double v116 = tmp0[i115];
            part107 = v116;
        }
        const double v117 = part107;
        const double v118 = __shfl_up_sync(0xffffffffu, v117, 1);
        const bool v119 = i0 >= 1;
        const double v120 = v118 + v117;
        const double v121 = v119 ? v120 : v117;
        const double v122 = __shfl_up_sync(0xffffffffu, v121, 2);
        const bool v123 = i0 >= 2;
        const double v124 = v122 + v121;
        const double v125 = v123 ? v124 : v121;
        const double v126 = __shfl_up_sync(0xffffffffu, v125, 4);
        const bool v127 = i0 >= 4;
        const double v128 = v126 + v125;
        const double v129 = v127 ? v128 : v125;
        const double v130 = __shfl_up_sync(0xffffffffu, v129, 8);
        const bool v131 = i0 >= 8;
        const double v132 = v130 + v129;
        const double v133 = v131 ? v132 : v129;
        const double v134 = __shfl_up_sync(0xffffffffu, v133, 16);
        const bool v135 = i0 >= 16;
        const double v136 = v134 + v133;
        const double v137 = v135 ? v136 : v133;
        const double v138 = __shfl_sync(0xffffffffu, v137, 31);
        if (v84) {
            parts9[i1] = v138;
        }
        __syncthreads();
        const double v139 = parts9[i85];
        const double v140 = __shfl_up_sync(0xffffffffu, v139, 1, 8);
        const double v141 = v140 + v139;
        const double v142 = v88 ? v141 : v139;
        const double v143 = __shfl_up_sync(0xffffffffu, v142, 2, 8);
        const double v144 = v143 + v142;
        const double v145 = v92 ? v144 : v142;
        const double v146 = __shfl_up_sync(0xffffffffu, v145, 4, 8);
        const double v147 = v146 + v145;
        const double v148 = v96 ? v147 : v145;
        const double v149 = __shfl_sync(0xffffffffu, v148, i99, 8);
        const double v150 = __shfl_sync(0xffffffffu, v148, 7, 8);
        const double v151 = v101 ? v149 : (-0.0);
        carry105 = v150;
    }
    const double v152 = carry105;
    const double v153 = v152 + v103;
    #pragma unroll
    for (int t154 = 0; t154 < 4; ++t154) {
        const int i155 = t154 * 32;
        const int i156 = i3 + i155;
        const int i157 = i156 * 4;
        const int i158 = i10 + i157;
        const bool v159 = i158 < n0;
        if (v159) {
            const double v160 = sum12[t154];
            const double v161 = v153 + v160;
            double run162 = v161;
            const float v163 = row11[4 * t154];
            const double v164 = run162;
            const double v165 = (double)v163;
            const double v166 = v164 + v165;
            run162 = v166;
            const double v167 = run162;
            const float v168 = (float)v167;
            const float v169 = row11[4 * t154 + 1];
            const double v170 = run162;
            const double v171 = (double)v169;
            const double v172 = v170 + v171;
            run162 = v172;
            const double v173 = run162;
            const float v174 = (float)v173;
            const float v175 = row11[4 * t154 + 2];
            const double v176 = run162;
            const double v177 = (double)v175;
            const double v178 = v176 + v177;
            run162 = v178;
            const double v179 = run162;
            const float v180 = (float)v179;
            const float v181 = row11[4 * t154 + 3];
            const double v182 = run162;
            const double v183 = (double)v181;
            const double v184 = v182 + v183;
            run162 = v184;
            const double v185 = run162;
            const float v186 = (float)v185;
            *(f32x4*)(out0 + i158) = f32x4{{v168, v174, v180, v186}};
        }
    }
    __shared__ bool last187_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last187_shared = atomicInc(counters + 1, n1 - 1) == n1 - 1;
    }
    __syncthreads();
    const bool last187 = last187_shared;
    __threadfence();
    if (last187) {
        const int i188 = n3 + 255;
        const int i189 = i188 / 256;
        for (int f190 = 0; f190 < i189; ++f190) {
            const int i191 = f190 * 256;
            const int i192 = i191 + thread;
            const bool v193 = i192 < n3;
            if (v193) {
                counters[i192 + 2] = 0u;
            }
        }
    }
}
