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
    const int i15 = i4 * 128;
    const int i16 = i15 + thread;
    const bool v17 = i16 < n2;
    const bool v18 = thread < 128;
    const bool v19 = v18 && v17;
    const int i20 = i5 * n2;
    double sum21 = 0.0;
    double sum22 = 0.0;
    double sum23 = 0.0;
    double sum24 = 0.0;
    const int i25 = n3 - i13;
    const int i26 = i25 / 8;
    const int i27 = n4 < i26 ? n4 : i26;
    const int i28 = i27 / 4;
    #pragma unroll 1
    for (int k29 = 0; k29 < i28; ++k29) {
        const int i30 = k29 * 4;
        #pragma unroll
        for (int j31 = 0; j31 < 4; ++j31) {
            const int i32 = i30 + j31;
            const int i33 = i32 * 8;
            const int i34 = i13 + i33;
            const int i35 = i34 + i1;
            const f32x4 q0 = *(const f32x4*)(in0 + d0 * i35 + i11);
            const float v36 = q0.lane[0];
            const float v37 = q0.lane[1];
            const float v38 = q0.lane[2];
            const float v39 = q0.lane[3];
            const float v40 = v36 * v36;
            const double v41 = (double)v40;
            sum21 = sum21 + v41;
            const float v42 = v37 * v37;
            const double v43 = (double)v42;
            sum22 = sum22 + v43;
            const float v44 = v38 * v38;
            const double v45 = (double)v44;
            sum23 = sum23 + v45;
            const float v46 = v39 * v39;
            const double v47 = (double)v46;
            sum24 = sum24 + v47;
        }
    }
    const int i48 = i28 * 4;
    const int i49 = i27 + 1;
    const int i50 = n4 < i49 ? n4 : i49;
    #pragma unroll 1
    for (int k51 = i48; k51 < i50; ++k51) {
        const int i52 = k51 * 8;
        const int i53 = i13 + i52;
        const int i54 = i53 + i1;
        const bool v55 = i54 < n3;
        if (v55) {
            const f32x4 q1 = *(const f32x4*)(in0 + d0 * i54 + i11);
            const float v56 = q1.lane[0];
            const float v57 = q1.lane[1];
            const float v58 = q1.lane[2];
            const float v59 = q1.lane[3];
            const float v60 = v56 * v56;
            const double v61 = (double)v60;
            sum21 = sum21 + v61;
            const float v62 = v57 * v57;
            const double v63 = (double)v62;
            sum22 = sum22 + v63;
            const float v64 = v58 * v58;
            const double v65 = (double)v64;
            sum23 = sum23 + v65;
            const float v66 = v59 * v59;
            const double v67 = (double)v66;
            sum24 = sum24 + v67;
        }
    }
    __syncthreads();
    tile14[thread] = sum21;
    tile14[thread + 256] = sum22;
    tile14[thread + 512] = sum23;
    tile14[thread + 768] = sum24;
    #pragma unroll 1
    for (int s68 = 0; s68 < 3; ++s68) {
        const int i69 = 4 >> s68;
        __syncthreads();
        const bool v70 = i1 < i69;
        if (v70) {
            const int i71 = i69 * 32;
            const int i72 = thread + i71;
            const double v73 = tile14[i72];
            sum21 = sum21 + v73;
            const double v74 = tile14[i72 + 256];
            sum22 = sum22 + v74;
            const double v75 = tile14[i72 + 512];
            sum23 = sum23 + v75;
            const double v76 = tile14[i72 + 768];
            sum24 = sum24 + v76;
            tile14[thread] = sum21;
            tile14[thread + 256] = sum22;
            tile14[thread + 512] = sum23;
            tile14[thread + 768] = sum24;
        }
    }
    __syncthreads();
    const int i77 = i2 * n5;
    const int i78 = i77 + i20;
    if (v19) {
        const int i79 = thread & 3;
        const int i80 = thread >> 2;
        const int i81 = i79 * 256;
        const int i82 = i81 + i80;
        const double v83 = tile14[i82];
        tmp0[i78 + i16] = v83;
    }
    __shared__ bool last84_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last84_shared = atomicInc(counters + i3, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last84 = last84_shared;
    __threadfence();
    if (last84) {
        const int i85 = i20 + i11;
        const int i86 = n0 - i1;
        const int i87 = i86 + 7;
        const int i88 = i87 / 8;
        double sum89 = 0.0;
        double sum90 = 0.0;
        double sum91 = 0.0;
        double sum92 = 0.0;
        #pragma unroll 1
        for (int c93 = 0; c93 < i88; ++c93) {
            const int i94 = c93 * 8;
            const int i95 = i94 + i1;
            const int i96 = i95 * n5;
            const int i97 = i96 + i85;
            const double v98 = tmp0[i97];
            sum89 = sum89 + v98;
            const double v99 = tmp0[i97 + 1];
            sum90 = sum90 + v99;
            const double v100 = tmp0[i97 + 2];
            sum91 = sum91 + v100;
            const double v101 = tmp0[i97 + 3];
            sum92 = sum92 + v101;
        }
        __syncthreads();
        tile14[thread] = sum89;
        tile14[thread + 256] = sum90;
        tile14[thread + 512] = sum91;
        tile14[thread + 768] = sum92;
        #pragma unroll 1
        for (int s102 = 0; s102 < 3; ++s102) {
            const int i103 = 4 >> s102;
            __syncthreads();
            const bool v104 = i1 < i103;
            if (v104) {
                const int i105 = i103 * 32;
                const int i106 = thread + i105;
                const double v107 = tile14[i106];
                sum89 = sum89 + v107;
                const double v108 = tile14[i106 + 256];
                sum90 = sum90 + v108;
                const double v109 = tile14[i106 + 512];
                sum91 = sum91 + v109;
                const double v110 = tile14[i106 + 768];
                sum92 = sum92 + v110;
                tile14[thread] = sum89;
                tile14[thread + 256] = sum90;
                tile14[thread + 512] = sum91;
                tile14[thread + 768] = sum92;
            }
        }
        __syncthreads();
        if (v19) {
            const int i111 = thread & 3;
            const int i112 = thread >> 2;
            const int i113 = i111 * 256;
            const int i114 = i113 + i112;
            const double v115 = tile14[i114];
            const float v116 = (float)v115;
            const float v117 = v116 / s0;
            out0[i16] = v117;
        }
    }
}
