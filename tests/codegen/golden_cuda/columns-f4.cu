struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
    const int n4,
    const float* __restrict__ in0,
    const int d0,
    const int n5,
    double* tmp0,
    unsigned int* counters,
    const float s0,
    float* out0) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = thread & 31;
    const int i1 = thread >> 5;
    const int i2 = block % n0;
    const int i3 = block / n0;
    const int i4 = i3 % n1;
    const int i5 = i3 / n1;
    const int i6 = i4 * 32;
    const int i7 = i6 + i0;
    const int i8 = i7 * 4;
    const bool v9 = i8 < n2;
    const int i10 = n2 - 4;
    const int i11 = i8 < i10 ? i8 : i10;
    const int i12 = n4 * 8;
    const int i13 = i2 * i12;
    __shared__ double tile14[1024];
    const int i15 = i5 * n2;
    double sum16 = 0.0;
    double sum17 = 0.0;
    double sum18 = 0.0;
    double sum19 = 0.0;
    const int i20 = n3 - i13;
    const int i21 = i20 / 8;
    const int i22 = n4 < i21 ? n4 : i21;
    #pragma unroll 4
    for (int k23 = 0; k23 < i22; ++k23) {
        const int i24 = k23 * 8;
        const int i25 = i13 + i24;
        const int i26 = i25 + i1;
        const f32x4 q0 = *(const f32x4*)(in0 + d0 * i26 + i11);
        const float v27 = q0.lane[0];
        const float v28 = q0.lane[1];
        const float v29 = q0.lane[2];
        const float v30 = q0.lane[3];
        const float v31 = v27 * v27;
        const double v32 = (double)v31;
        sum16 = sum16 + v32;
        const float v33 = v28 * v28;
        const double v34 = (double)v33;
        sum17 = sum17 + v34;
        const float v35 = v29 * v29;
        const double v36 = (double)v35;
        sum18 = sum18 + v36;
        const float v37 = v30 * v30;
        const double v38 = (double)v37;
        sum19 = sum19 + v38;
    }
    const int i39 = i22 * 8;
    const int i40 = i13 + i39;
    const int i41 = i40 + i1;
    const bool v42 = i22 < n4;
    const bool v43 = i41 < n3;
    const bool v44 = v42 && v43;
    if (v44) {
        const f32x4 q1 = *(const f32x4*)(in0 + d0 * i41 + i11);
        const float v45 = q1.lane[0];
        const float v46 = q1.lane[1];
        const float v47 = q1.lane[2];
        const float v48 = q1.lane[3];
        const float v49 = v45 * v45;
        const double v50 = (double)v49;
        sum16 = sum16 + v50;
        const float v51 = v46 * v46;
        const double v52 = (double)v51;
        sum17 = sum17 + v52;
        const float v53 = v47 * v47;
        const double v54 = (double)v53;
        sum18 = sum18 + v54;
        const float v55 = v48 * v48;
        const double v56 = (double)v55;
        sum19 = sum19 + v56;
    }
    __syncthreads();
    tile14[thread] = sum16;
    tile14[thread + 256] = sum17;
    tile14[thread + 512] = sum18;
    tile14[thread + 768] = sum19;
    __syncthreads();
    const bool v57 = i1 < 4;
    if (v57) {
        const int i58 = thread + 128;
        const double v59 = tile14[i58];
        sum16 = sum16 + v59;
        const double v60 = tile14[i58 + 256];
        sum17 = sum17 + v60;
        const double v61 = tile14[i58 + 512];
        sum18 = sum18 + v61;
        const double v62 = tile14[i58 + 768];
        sum19 = sum19 + v62;
        tile14[thread] = sum16;
        tile14[thread + 256] = sum17;
        tile14[thread + 512] = sum18;
        tile14[thread + 768] = sum19;
    }
    __syncthreads();
    const bool v63 = i1 < 2;
    if (v63) {
        const int i64 = thread + 64;
        const double v65 = tile14[i64];
        sum16 = sum16 + v65;
        const double v66 = tile14[i64 + 256];
        sum17 = sum17 + v66;
        const double v67 = tile14[i64 + 512];
        sum18 = sum18 + v67;
        const double v68 = tile14[i64 + 768];
        sum19 = sum19 + v68;
        tile14[thread] = sum16;
        tile14[thread + 256] = sum17;
        tile14[thread + 512] = sum18;
        tile14[thread + 768] = sum19;
    }
    __syncthreads();
    const bool v69 = i1 < 1;
    if (v69) {
        const int i70 = thread + 32;
        const double v71 = tile14[i70];
        sum16 = sum16 + v71;
        const double v72 = tile14[i70 + 256];
        sum17 = sum17 + v72;
        const double v73 = tile14[i70 + 512];
        sum18 = sum18 + v73;
        const double v74 = tile14[i70 + 768];
        sum19 = sum19 + v74;
        tile14[thread] = sum16;
        tile14[thread + 256] = sum17;
        tile14[thread + 512] = sum18;
        tile14[thread + 768] = sum19;
    }
    __syncthreads();
    const double v75 = tile14[i0];
    sum16 = v75;
    const double v76 = tile14[i0 + 256];
    sum17 = v76;
    const double v77 = tile14[i0 + 512];
    sum18 = v77;
    const double v78 = tile14[i0 + 768];
    sum19 = v78;
    const bool v79 = i1 == 0;
    const bool v80 = v79 && v9;
    const int i81 = i2 * n5;
    const int i82 = i81 + i15;
    const int i83 = i82 + i11;
    if (v80) {
        const double v84 = sum16;
        tmp0[i83] = v84;
        const double v85 = sum17;
        tmp0[i83 + 1] = v85;
        const double v86 = sum18;
        tmp0[i83 + 2] = v86;
        const double v87 = sum19;
        tmp0[i83 + 3] = v87;
    }
    __shared__ bool last88_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last88_shared = atomicInc(counters + i3, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last88 = last88_shared;
    __threadfence();
    if (last88) {
        const int i89 = i15 + i11;
        const int i90 = n0 - i1;
        const int i91 = i90 + 7;
        const int i92 = i91 / 8;
        double sum93 = 0.0;
        double sum94 = 0.0;
        double sum95 = 0.0;
        double sum96 = 0.0;
        #pragma unroll 2
        for (int c97 = 0; c97 < i92; ++c97) {
            const int i98 = c97 * 8;
            const int i99 = i98 + i1;
            const int i100 = i99 * n5;
            const int i101 = i100 + i89;
            const double v102 = tmp0[i101];
            sum93 = sum93 + v102;
            const double v103 = tmp0[i101 + 1];
            sum94 = sum94 + v103;
            const double v104 = tmp0[i101 + 2];
            sum95 = sum95 + v104;
            const double v105 = tmp0[i101 + 3];
            sum96 = sum96 + v105;
        }
        __syncthreads();
        tile14[thread] = sum93;
        tile14[thread + 256] = sum94;
        tile14[thread + 512] = sum95;
        tile14[thread + 768] = sum96;
        __syncthreads();
        if (v57) {
            const int i106 = thread + 128;
            const double v107 = tile14[i106];
            sum93 = sum93 + v107;
            const double v108 = tile14[i106 + 256];
            sum94 = sum94 + v108;
            const double v109 = tile14[i106 + 512];
            sum95 = sum95 + v109;
            const double v110 = tile14[i106 + 768];
            sum96 = sum96 + v110;
            tile14[thread] = sum93;
            tile14[thread + 256] = sum94;
            tile14[thread + 512] = sum95;
            tile14[thread + 768] = sum96;
        }
        __syncthreads();
        if (v63) {
            const int i111 = thread + 64;
            const double v112 = tile14[i111];
            sum93 = sum93 + v112;
            const double v113 = tile14[i111 + 256];
            sum94 = sum94 + v113;
            const double v114 = tile14[i111 + 512];
            sum95 = sum95 + v114;
            const double v115 = tile14[i111 + 768];
            sum96 = sum96 + v115;
            tile14[thread] = sum93;
            tile14[thread + 256] = sum94;
            tile14[thread + 512] = sum95;
            tile14[thread + 768] = sum96;
        }
        __syncthreads();
        if (v69) {
            const int i116 = thread + 32;
            const double v117 = tile14[i116];
            sum93 = sum93 + v117;
            const double v118 = tile14[i116 + 256];
            sum94 = sum94 + v118;
            const double v119 = tile14[i116 + 512];
            sum95 = sum95 + v119;
            const double v120 = tile14[i116 + 768];
            sum96 = sum96 + v120;
            tile14[thread] = sum93;
            tile14[thread + 256] = sum94;
            tile14[thread + 512] = sum95;
            tile14[thread + 768] = sum96;
        }
        __syncthreads();
        const double v121 = tile14[i0];
        sum93 = v121;
        const double v122 = tile14[i0 + 256];
        sum94 = v122;
        const double v123 = tile14[i0 + 512];
        sum95 = v123;
        const double v124 = tile14[i0 + 768];
        sum96 = v124;
        if (v80) {
            const double v125 = sum93;
            const float v126 = (float)v125;
            const float v127 = v126 / s0;
            out0[i11] = v127;
            const int i128 = i11 + 1;
            const double v129 = sum94;
            const float v130 = (float)v129;
            const float v131 = v130 / s0;
            out0[i128] = v131;
            const int i132 = i11 + 2;
            const double v133 = sum95;
            const float v134 = (float)v133;
            const float v135 = v134 / s0;
            out0[i132] = v135;
            const int i136 = i11 + 3;
            const double v137 = sum96;
            const float v138 = (float)v137;
            const float v139 = v138 / s0;
            out0[i136] = v139;
        }
    }
}
