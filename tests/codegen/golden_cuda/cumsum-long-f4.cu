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
    const int i85 = thread & 7;
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
        const bool v113 = thread < i6;
        if (v113) {
            const int i114 = i8 + thread;
            while (*(volatile unsigned int*)(counters + i114 + 2) == 0u) {
            }
            __threadfence();
            const double v115 = tmp0[i114];
            const double v116 = part107;
            const double v117 = v116 + v115;
            part107 = v117;
        }
        const double v118 = part107;
        const double v119 = __shfl_up_sync(0xffffffffu, v118, 1);
        const bool v120 = i0 >= 1;
        const double v121 = v119 + v118;
        const double v122 = v120 ? v121 : v118;
        const double v123 = __shfl_up_sync(0xffffffffu, v122, 2);
        const bool v124 = i0 >= 2;
        const double v125 = v123 + v122;
        const double v126 = v124 ? v125 : v122;
        const double v127 = __shfl_up_sync(0xffffffffu, v126, 4);
        const bool v128 = i0 >= 4;
        const double v129 = v127 + v126;
        const double v130 = v128 ? v129 : v126;
        const double v131 = __shfl_up_sync(0xffffffffu, v130, 8);
        const bool v132 = i0 >= 8;
        const double v133 = v131 + v130;
        const double v134 = v132 ? v133 : v130;
        const double v135 = __shfl_up_sync(0xffffffffu, v134, 16);
        const bool v136 = i0 >= 16;
        const double v137 = v135 + v134;
        const double v138 = v136 ? v137 : v134;
        const double v139 = __shfl_sync(0xffffffffu, v138, 31);
        if (v84) {
            parts9[i1] = v139;
        }
        __syncthreads();
        const double v140 = parts9[i85];
        const double v141 = __shfl_up_sync(0xffffffffu, v140, 1, 8);
        const double v142 = v141 + v140;
        const double v143 = v88 ? v142 : v140;
        const double v144 = __shfl_up_sync(0xffffffffu, v143, 2, 8);
        const double v145 = v144 + v143;
        const double v146 = v92 ? v145 : v143;
        const double v147 = __shfl_up_sync(0xffffffffu, v146, 4, 8);
        const double v148 = v147 + v146;
        const double v149 = v96 ? v148 : v146;
        const double v150 = __shfl_sync(0xffffffffu, v149, i99, 8);
        const double v151 = __shfl_sync(0xffffffffu, v149, 7, 8);
        const double v152 = v101 ? v150 : (-0.0);
        carry105 = v151;
    }
    const double v153 = carry105;
    const double v154 = v153 + v103;
    #pragma unroll
    for (int t155 = 0; t155 < 8; ++t155) {
        const int i156 = t155 * 32;
        const int i157 = i3 + i156;
        const int i158 = i157 * 4;
        const int i159 = i10 + i158;
        const bool v160 = i159 < n0;
        if (v160) {
            const double v161 = sum12[t155];
            const double v162 = v154 + v161;
            double run163 = v162;
            const float v164 = row11[4 * t155];
            const double v165 = run163;
            const double v166 = (double)v164;
            const double v167 = v165 + v166;
            run163 = v167;
            const double v168 = run163;
            const float v169 = (float)v168;
            const float v170 = row11[4 * t155 + 1];
            const double v171 = run163;
            const double v172 = (double)v170;
            const double v173 = v171 + v172;
            run163 = v173;
            const double v174 = run163;
            const float v175 = (float)v174;
            const float v176 = row11[4 * t155 + 2];
            const double v177 = run163;
            const double v178 = (double)v176;
            const double v179 = v177 + v178;
            run163 = v179;
            const double v180 = run163;
            const float v181 = (float)v180;
            const float v182 = row11[4 * t155 + 3];
            const double v183 = run163;
            const double v184 = (double)v182;
            const double v185 = v183 + v184;
            run163 = v185;
            const double v186 = run163;
            const float v187 = (float)v186;
            *(f32x4*)(out0 + i159) = f32x4{{v169, v175, v181, v187}};
        }
    }
    __shared__ bool last188_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last188_shared = atomicInc(counters + 1, n1 - 1) == n1 - 1;
    }
    __syncthreads();
    const bool last188 = last188_shared;
    __threadfence();
    if (last188) {
        const int i189 = n3 + 255;
        const int i190 = i189 / 256;
        for (int f191 = 0; f191 < i190; ++f191) {
            const int i192 = f191 * 256;
            const int i193 = i192 + thread;
            const bool v194 = i193 < n3;
            if (v194) {
                counters[i193 + 2] = 0u;
            }
        }
    }
}
