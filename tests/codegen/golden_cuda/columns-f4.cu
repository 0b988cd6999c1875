struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
    const float* __restrict__ in0,
    const int d0,
    const int n4,
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
    const int i4 = i3 * 32;
    const int i5 = i4 + i0;
    const int i6 = i5 * 4;
    const bool v7 = i6 < n1;
    const int i8 = n1 - 4;
    const int i9 = i6 < i8 ? i6 : i8;
    const int i10 = n3 * 8;
    const int i11 = i2 * i10;
    __shared__ double tile12[1024];
    const int i13 = i3 * 128;
    const int i14 = i13 + thread;
    const bool v15 = i14 < n1;
    const bool v16 = thread < 128;
    const bool v17 = v16 && v15;
    double sum18 = 0.0;
    double sum19 = 0.0;
    double sum20 = 0.0;
    double sum21 = 0.0;
    const int i22 = n2 - i11;
    const int i23 = i22 / 8;
    const int i24 = n3 < i23 ? n3 : i23;
    const int i25 = i24 / 4;
    #pragma unroll 1
    for (int k26 = 0; k26 < i25; ++k26) {
        const int i27 = k26 * 4;
        #pragma unroll
        for (int j28 = 0; j28 < 4; ++j28) {
            const int i29 = i27 + j28;
            const int i30 = i29 * 8;
            const int i31 = i11 + i30;
            const int i32 = i31 + i1;
            const f32x4 q0 = *(const f32x4*)(in0 + d0 * i32 + i9);
            const float v33 = q0.lane[0];
            const float v34 = q0.lane[1];
            const float v35 = q0.lane[2];
            const float v36 = q0.lane[3];
            const float v37 = v33 * v33;
            const double v38 = (double)v37;
            sum18 = sum18 + v38;
            const float v39 = v34 * v34;
            const double v40 = (double)v39;
            sum19 = sum19 + v40;
            const float v41 = v35 * v35;
            const double v42 = (double)v41;
            sum20 = sum20 + v42;
            const float v43 = v36 * v36;
            const double v44 = (double)v43;
            sum21 = sum21 + v44;
        }
    }
    const int i45 = i25 * 4;
    const int i46 = i24 + 1;
    const int i47 = n3 < i46 ? n3 : i46;
    #pragma unroll 1
    for (int k48 = i45; k48 < i47; ++k48) {
        const int i49 = k48 * 8;
        const int i50 = i11 + i49;
        const int i51 = i50 + i1;
        const bool v52 = i51 < n2;
        if (v52) {
            const f32x4 q1 = *(const f32x4*)(in0 + d0 * i51 + i9);
            const float v53 = q1.lane[0];
            const float v54 = q1.lane[1];
            const float v55 = q1.lane[2];
            const float v56 = q1.lane[3];
            const float v57 = v53 * v53;
            const double v58 = (double)v57;
            sum18 = sum18 + v58;
            const float v59 = v54 * v54;
            const double v60 = (double)v59;
            sum19 = sum19 + v60;
            const float v61 = v55 * v55;
            const double v62 = (double)v61;
            sum20 = sum20 + v62;
            const float v63 = v56 * v56;
            const double v64 = (double)v63;
            sum21 = sum21 + v64;
        }
    }
    __syncthreads();
    tile12[thread] = sum18;
    tile12[thread + 256] = sum19;
    tile12[thread + 512] = sum20;
    tile12[thread + 768] = sum21;
    #pragma unroll 1
    for (int s65 = 0; s65 < 3; ++s65) {
        const int i66 = 4 >> s65;
        __syncthreads();
        const bool v67 = i1 < i66;
        if (v67) {
            const int i68 = i66 * 32;
            const int i69 = thread + i68;
            const double v70 = tile12[i69];
            sum18 = sum18 + v70;
            const double v71 = tile12[i69 + 256];
            sum19 = sum19 + v71;
            const double v72 = tile12[i69 + 512];
            sum20 = sum20 + v72;
            const double v73 = tile12[i69 + 768];
            sum21 = sum21 + v73;
            tile12[thread] = sum18;
            tile12[thread + 256] = sum19;
            tile12[thread + 512] = sum20;
            tile12[thread + 768] = sum21;
        }
    }
    __syncthreads();
    const int i74 = i2 * n4;
    if (v17) {
        const int i75 = thread & 3;
        const int i76 = thread >> 2;
        const int i77 = i75 * 256;
        const int i78 = i77 + i76;
        const double v79 = tile12[i78];
        tmp0[i74 + i14] = v79;
    }
    __shared__ bool last80_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last80_shared = atomicInc(counters + i3, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last80 = last80_shared;
    __threadfence();
    if (last80) {
        const int i81 = n0 - i1;
        const int i82 = i81 + 7;
        const int i83 = i82 / 8;
        double sum84 = 0.0;
        double sum85 = 0.0;
        double sum86 = 0.0;
        double sum87 = 0.0;
        #pragma unroll 1
        for (int c88 = 0; c88 < i83; ++c88) {
            const int i89 = c88 * 8;
            const int i90 = i89 + i1;
            const int i91 = i90 * n4;
            const int i92 = i91 + i9;
            const double v93 = tmp0[i92];
            sum84 = sum84 + v93;
            const double v94 = tmp0[i92 + 1];
            sum85 = sum85 + v94;
            const double v95 = tmp0[i92 + 2];
            sum86 = sum86 + v95;
            const double v96 = tmp0[i92 + 3];
            sum87 = sum87 + v96;
        }
        __syncthreads();
        tile12[thread] = sum84;
        tile12[thread + 256] = sum85;
        tile12[thread + 512] = sum86;
        tile12[thread + 768] = sum87;
        #pragma unroll 1
        for (int s97 = 0; s97 < 3; ++s97) {
            const int i98 = 4 >> s97;
            __syncthreads();
            const bool v99 = i1 < i98;
            if (v99) {
                const int i100 = i98 * 32;
                const int i101 = thread + i100;
                const double v102 = tile12[i101];
                sum84 = sum84 + v102;
                const double v103 = tile12[i101 + 256];
                sum85 = sum85 + v103;
                const double v104 = tile12[i101 + 512];
                sum86 = sum86 + v104;
                const double v105 = tile12[i101 + 768];
                sum87 = sum87 + v105;
                tile12[thread] = sum84;
                tile12[thread + 256] = sum85;
                tile12[thread + 512] = sum86;
                tile12[thread + 768] = sum87;
            }
        }
        __syncthreads();
        if (v17) {
            const int i106 = thread & 3;
            const int i107 = thread >> 2;
            const int i108 = i106 * 256;
            const int i109 = i108 + i107;
            const double v110 = tile12[i109];
            const float v111 = (float)v110;
            const float v112 = v111 / s0;
            out0[i14] = v112;
        }
    }
}
