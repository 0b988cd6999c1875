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
    const int i2 = i1 * 256;
    const int i3 = i2 + i0;
    __shared__ double warps4[8];
    __shared__ unsigned int order5_shared;
    if (threadIdx.x == 0) {
        order5_shared = atomicInc(counters + 0, n1 - 1);
    }
    __syncthreads();
    const int order5 = order5_shared;
    const int i6 = order5 % 1024;
    const int i7 = order5 / 1024;
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
    double base49 = (-0.0);
    #pragma unroll
    for (int t50 = 0; t50 < 8; ++t50) {
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
            const double v111 = part107;
            const double v112 = v111 + v110;
            part107 = v112;
        }
        const int i113 = thread * 4;
        const bool v114 = i113 < i6;
        if (v114) {
            const int i115 = i8 + i113;
            while (*(volatile unsigned int*)(counters + i115 + 2) == 0u) {
            }
            __threadfence();
            const double v116 = tmp0[i115];
            const double v117 = part107;
            const double v118 = v117 + v116;
            part107 = v118;
        }
        const int i119 = i113 + 1;
        const bool v120 = i119 < i6;
        if (v120) {
            const int i121 = i8 + i119;
            while (*(volatile unsigned int*)(counters + i121 + 2) == 0u) {
            }
            __threadfence();
            const double v122 = tmp0[i121];
            const double v123 = part107;
            const double v124 = v123 + v122;
            part107 = v124;
        }
        const int i125 = i113 + 2;
        const bool v126 = i125 < i6;
        if (v126) {
            const int i127 = i8 + i125;
            while (*(volatile unsigned int*)(counters + i127 + 2) == 0u) {
            }
            __threadfence();
            const double v128 = tmp0[i127];
            const double v129 = part107;
            const double v130 = v129 + v128;
            part107 = v130;
        }
        const int i131 = i113 + 3;
        const bool v132 = i131 < i6;
        if (v132) {
            const int i133 = i8 + i131;
            while (*(volatile unsigned int*)(counters + i133 + 2) == 0u) {
            }
            __threadfence();
            const double v134 = tmp0[i133];
            const double v135 = part107;
            const double v136 = v135 + v134;
            part107 = v136;
        }
        const double v137 = part107;
        const double v138 = __shfl_up_sync(0xffffffffu, v137, 1);
        const bool v139 = i0 >= 1;
        const double v140 = v138 + v137;
        const double v141 = v139 ? v140 : v137;
        const double v142 = __shfl_up_sync(0xffffffffu, v141, 2);
        const bool v143 = i0 >= 2;
        const double v144 = v142 + v141;
        const double v145 = v143 ? v144 : v141;
        const double v146 = __shfl_up_sync(0xffffffffu, v145, 4);
        const bool v147 = i0 >= 4;
        const double v148 = v146 + v145;
        const double v149 = v147 ? v148 : v145;
        const double v150 = __shfl_up_sync(0xffffffffu, v149, 8);
        const bool v151 = i0 >= 8;
        const double v152 = v150 + v149;
        const double v153 = v151 ? v152 : v149;
        const double v154 = __shfl_up_sync(0xffffffffu, v153, 16);
        const bool v155 = i0 >= 16;
        const double v156 = v154 + v153;
        const double v157 = v155 ? v156 : v153;
        const double v158 = __shfl_sync(0xffffffffu, v157, 31);
        if (v84) {
            parts9[i1] = v158;
        }
        __syncthreads();
        const double v159 = parts9[i85];
        const double v160 = __shfl_up_sync(0xffffffffu, v159, 1, 8);
        const double v161 = v160 + v159;
        const double v162 = v88 ? v161 : v159;
        const double v163 = __shfl_up_sync(0xffffffffu, v162, 2, 8);
        const double v164 = v163 + v162;
        const double v165 = v92 ? v164 : v162;
        const double v166 = __shfl_up_sync(0xffffffffu, v165, 4, 8);
        const double v167 = v166 + v165;
        const double v168 = v96 ? v167 : v165;
        const double v169 = __shfl_sync(0xffffffffu, v168, i99, 8);
        const double v170 = __shfl_sync(0xffffffffu, v168, 7, 8);
        const double v171 = v101 ? v169 : (-0.0);
        carry105 = v170;
    }
    const double v172 = carry105;
    const double v173 = v172 + v103;
    #pragma unroll
    for (int t174 = 0; t174 < 8; ++t174) {
        const int i175 = t174 * 32;
        const int i176 = i3 + i175;
        const int i177 = i176 * 4;
        const int i178 = i10 + i177;
        const bool v179 = i178 < n0;
        if (v179) {
            const double v180 = sum12[t174];
            const double v181 = v173 + v180;
            double run182 = v181;
            const float v183 = row11[4 * t174];
            const double v184 = run182;
            const double v185 = (double)v183;
            const double v186 = v184 + v185;
            run182 = v186;
            const double v187 = run182;
            const float v188 = (float)v187;
            const float v189 = row11[4 * t174 + 1];
            const double v190 = run182;
            const double v191 = (double)v189;
            const double v192 = v190 + v191;
            run182 = v192;
            const double v193 = run182;
            const float v194 = (float)v193;
            const float v195 = row11[4 * t174 + 2];
            const double v196 = run182;
            const double v197 = (double)v195;
            const double v198 = v196 + v197;
            run182 = v198;
            const double v199 = run182;
            const float v200 = (float)v199;
            const float v201 = row11[4 * t174 + 3];
            const double v202 = run182;
            const double v203 = (double)v201;
            const double v204 = v202 + v203;
            run182 = v204;
            const double v205 = run182;
            const float v206 = (float)v205;
            *(f32x4*)(out0 + i178) = f32x4{{v188, v194, v200, v206}};
        }
    }
    __shared__ bool last207_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last207_shared = atomicInc(counters + 1, n1 - 1) == n1 - 1;
    }
    __syncthreads();
    const bool last207 = last207_shared;
    __threadfence();
    if (last207) {
        const int i208 = n3 + 255;
        const int i209 = i208 / 256;
        for (int f210 = 0; f210 < i209; ++f210) {
            const int i211 = f210 * 256;
            const int i212 = i211 + thread;
            const bool v213 = i212 < n3;
            if (v213) {
                counters[i212 + 2] = 0u;
            }
        }
    }
}
