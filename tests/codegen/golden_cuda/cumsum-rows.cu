struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const float* __restrict__ in0,
    const int d0,
    const float s0,
    float* out0,
    const int d1) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = block / n0;
    const int i1 = block % n0;
    const int i2 = i1 * n2;
    const int i3 = i2 + n2;
    const int i4 = i3 < n1 ? i3 : n1;
    const int i5 = i0 * n0;
    double carry6 = (-0.0);
    __shared__ double warps7[8];
    const int i8 = i4 - i2;
    const int i9 = i8 + 1023;
    const int i10 = i9 / 1024;
    for (int t11 = 0; t11 < i10; ++t11) {
        const int i12 = t11 * 256;
        const int i13 = i12 + thread;
        const int i14 = i13 * 4;
        const int i15 = i2 + i14;
        const bool v16 = i15 < i4;
        double run17 = (-0.0);
        double run18 = (-0.0);
        double run19 = (-0.0);
        double run20 = (-0.0);
        if (v16) {
            const f32x4 q0 = *(const f32x4*)(in0 + d0 * i0 + i15);
            const float v21 = q0.lane[0];
            const float v22 = q0.lane[1];
            const float v23 = q0.lane[2];
            const float v24 = q0.lane[3];
            const float v25 = v21 * s0;
            const double v26 = (double)v25;
            const double v27 = (-0.0) + v26;
            run17 = v27;
            const float v28 = v22 * s0;
            const double v29 = run17;
            const double v30 = (double)v28;
            const double v31 = v29 + v30;
            run18 = v31;
            const float v32 = v23 * s0;
            const double v33 = run18;
            const double v34 = (double)v32;
            const double v35 = v33 + v34;
            run19 = v35;
            const float v36 = v24 * s0;
            const double v37 = run19;
            const double v38 = (double)v36;
            const double v39 = v37 + v38;
            run20 = v39;
        }
        const double v40 = run20;
        const double v41 = __shfl_xor_sync(0xffffffffu, v40, 1);
        const int i42 = thread / 1;
        const int i43 = i42 % 2;
        const bool v44 = i43 == 1;
        const double v45 = (double)(-0.0);
        const double v46 = v41 + v45;
        const double v47 = v44 ? v46 : (-0.0);
        const double v48 = v41 + v40;
        const double v49 = v40 + v41;
        const double v50 = v44 ? v48 : v49;
        const double v51 = __shfl_xor_sync(0xffffffffu, v50, 2);
        const int i52 = thread / 2;
        const int i53 = i52 % 2;
        const bool v54 = i53 == 1;
        const double v55 = v51 + v47;
        const double v56 = v54 ? v55 : v47;
        const double v57 = v51 + v50;
        const double v58 = v50 + v51;
        const double v59 = v54 ? v57 : v58;
        const double v60 = __shfl_xor_sync(0xffffffffu, v59, 4);
        const int i61 = thread / 4;
        const int i62 = i61 % 2;
        const bool v63 = i62 == 1;
        const double v64 = v60 + v56;
        const double v65 = v63 ? v64 : v56;
        const double v66 = v60 + v59;
        const double v67 = v59 + v60;
        const double v68 = v63 ? v66 : v67;
        const double v69 = __shfl_xor_sync(0xffffffffu, v68, 8);
        const int i70 = thread / 8;
        const int i71 = i70 % 2;
        const bool v72 = i71 == 1;
        const double v73 = v69 + v65;
        const double v74 = v72 ? v73 : v65;
        const double v75 = v69 + v68;
        const double v76 = v68 + v69;
        const double v77 = v72 ? v75 : v76;
        const double v78 = __shfl_xor_sync(0xffffffffu, v77, 16);
        const int i79 = thread / 16;
        const int i80 = i79 % 2;
        const bool v81 = i80 == 1;
        const double v82 = v78 + v74;
        const double v83 = v81 ? v82 : v74;
        const double v84 = v78 + v77;
        const double v85 = v77 + v78;
        const double v86 = v81 ? v84 : v85;
        const int i87 = thread % 32;
        const int i88 = thread / 32;
        __syncthreads();
        const bool v89 = i87 == 0;
        if (v89) {
            warps7[i88] = v86;
        }
        __syncthreads();
        const double v90 = warps7[0];
        const bool v91 = 0 < i88;
        const double v92 = (-0.0) + v90;
        const double v93 = v91 ? v92 : (-0.0);
        const double v94 = warps7[1];
        const bool v95 = 1 < i88;
        const double v96 = v93 + v94;
        const double v97 = v95 ? v96 : v93;
        const double v98 = v92 + v94;
        const double v99 = warps7[2];
        const bool v100 = 2 < i88;
        const double v101 = v97 + v99;
        const double v102 = v100 ? v101 : v97;
        const double v103 = v98 + v99;
        const double v104 = warps7[3];
        const bool v105 = 3 < i88;
        const double v106 = v102 + v104;
        const double v107 = v105 ? v106 : v102;
        const double v108 = v103 + v104;
        const double v109 = warps7[4];
        const bool v110 = 4 < i88;
        const double v111 = v107 + v109;
        const double v112 = v110 ? v111 : v107;
        const double v113 = v108 + v109;
        const double v114 = warps7[5];
        const bool v115 = 5 < i88;
        const double v116 = v112 + v114;
        const double v117 = v115 ? v116 : v112;
        const double v118 = v113 + v114;
        const double v119 = warps7[6];
        const bool v120 = 6 < i88;
        const double v121 = v117 + v119;
        const double v122 = v120 ? v121 : v117;
        const double v123 = v118 + v119;
        const double v124 = warps7[7];
        const bool v125 = 7 < i88;
        const double v126 = v122 + v124;
        const double v127 = v125 ? v126 : v122;
        const double v128 = v123 + v124;
        const double v129 = v127 + v83;
        const double v130 = carry6;
        const double v131 = v130 + v129;
        const double v132 = carry6;
        const double v133 = v132 + v128;
        carry6 = v133;
        if (v16) {
            const double v134 = run17;
            const double v135 = v131 + v134;
            const float v136 = (float)v135;
            const double v137 = run18;
            const double v138 = v131 + v137;
            const float v139 = (float)v138;
            const double v140 = run19;
            const double v141 = v131 + v140;
            const float v142 = (float)v141;
            const double v143 = run20;
            const double v144 = v131 + v143;
            const float v145 = (float)v144;
            *(f32x4*)(out0 + d1 * i0 + i15) = f32x4{{v136, v139, v142, v145}};
        }
    }
}
