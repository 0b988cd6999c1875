struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256, 8) kernel(
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
    const int i65 = thread * 4;
    tile12[i65] = sum18;
    const int i66 = i65 + 1;
    tile12[i66] = sum19;
    const int i67 = i65 + 2;
    tile12[i67] = sum20;
    const int i68 = i65 + 3;
    tile12[i68] = sum21;
    int distance69 = 512;
    int pair70 = thread;
    #pragma unroll 1
    for (int s71 = 0; s71 < 4; ++s71) {
        const int i72 = 512 >> s71;
        const int v73 = distance69;
        const int v74 = pair70;
        __syncthreads();
        const bool v75 = v74 < v73;
        if (v75) {
            const int i76 = v74 + v73;
            const double v77 = tile12[v74];
            double sum78 = v77;
            const double v79 = tile12[i76];
            sum78 = sum78 + v79;
            tile12[v74] = sum78;
        }
        const int i80 = v74 + 256;
        pair70 = i80;
        const bool v81 = v73 <= i80;
        if (v81) {
            pair70 = thread;
            const int i82 = v73 / 2;
            distance69 = i82;
        }
    }
    __syncthreads();
    const int i83 = i2 * n4;
    if (v17) {
        const double v84 = tile12[thread];
        tmp0[i83 + i14] = v84;
    }
    __shared__ bool last85_shared;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last85_shared = atomicInc(counters + i3, n0 - 1) == n0 - 1;
    }
    __syncthreads();
    const bool last85 = last85_shared;
    __threadfence();
    if (last85) {
        const int i86 = thread & 127;
        const int i87 = thread >> 7;
        const int i88 = n1 - 1;
        const int i89 = i13 + i86;
        const int i90 = i89 < i88 ? i89 : i88;
        double sum91 = 0.0;
        const int i92 = n0 + 15;
        const int i93 = i92 / 16;
        #pragma unroll 1
        for (int c94 = 0; c94 < i93; ++c94) {
            const int i95 = c94 * 16;
            const int i96 = i95 + i87;
            #pragma unroll
            for (int j97 = 0; j97 < 8; ++j97) {
                const int i98 = j97 * 2;
                const int i99 = i96 + i98;
                const bool v100 = i99 < n0;
                if (v100) {
                    const int i101 = i99 * n4;
                    const int i102 = i101 + i90;
                    const double v103 = tmp0[i102];
                    sum91 = sum91 + v103;
                }
            }
        }
        __syncthreads();
        tile12[thread] = sum91;
        #pragma unroll 1
        for (int s104 = 0; s104 < 1; ++s104) {
            const int i105 = 128 >> s104;
            __syncthreads();
            const bool v106 = thread < i105;
            if (v106) {
                const int i107 = thread + i105;
                const double v108 = tile12[thread];
                double sum109 = v108;
                const double v110 = tile12[i107];
                sum109 = sum109 + v110;
                tile12[thread] = sum109;
            }
        }
        __syncthreads();
        if (v17) {
            const double v111 = tile12[thread];
            const float v112 = (float)v111;
            const float v113 = v112 / s0;
            out0[i14] = v113;
        }
    }
}
