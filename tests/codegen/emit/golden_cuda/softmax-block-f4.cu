struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(128) kernel(
    const float* __restrict__ in0,
    const int d0,
    float* out0,
    const int d1) {
    extern __shared__ __align__(128) unsigned char shared[];
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    float* const row0 = (float*)(shared + 0);
    float* const row1 = (float*)(shared + 0);
    float best2 = __int_as_float(0xff800000);
    #pragma unroll
    for (int k3 = 0; k3 < 4; ++k3) {
        const int i4 = k3 * 128;
        const int i5 = i4 + thread;
        const int i6 = i5 * 4;
        const f32x4 q0 = *(const f32x4*)(in0 + d0 * block + i6);
        const float v7 = q0.lane[0];
        const float v8 = q0.lane[1];
        const float v9 = q0.lane[2];
        const float v10 = q0.lane[3];
        best2 = best2 > v7 || best2 != best2 ? best2 : v7;
        best2 = best2 > v8 || best2 != best2 ? best2 : v8;
        best2 = best2 > v9 || best2 != best2 ? best2 : v9;
        best2 = best2 > v10 || best2 != best2 ? best2 : v10;
        *(f32x4*)(row0 + i6) = f32x4{{v7, v8, v9, v10}};
    }
    #pragma unroll 1
    for (int s11 = 0; s11 < 5; ++s11) {
        const int i12 = 16 >> s11;
        const float v13 = __shfl_xor_sync(0xffffffffu, best2, i12);
        best2 = best2 > v13 || best2 != best2 ? best2 : v13;
    }
    const int i14 = thread & 31;
    const int i15 = thread >> 5;
    __shared__ float warps16[4];
    const bool v17 = i14 == 0;
    if (v17) {
        warps16[i15] = best2;
    }
    __syncthreads();
    const int i18 = thread & 3;
    const float v19 = warps16[i18];
    best2 = v19;
    #pragma unroll 1
    for (int s20 = 0; s20 < 2; ++s20) {
        const int i21 = 2 >> s20;
        const float v22 = __shfl_xor_sync(0xffffffffu, best2, i21);
        best2 = best2 > v22 || best2 != best2 ? best2 : v22;
    }
    const float v23 = best2;
    double sum24 = 0.0;
    #pragma unroll 1
    for (int k25 = 0; k25 < 4; ++k25) {
        const int i26 = k25 * 128;
        const int i27 = i26 + thread;
        const int i28 = i27 * 4;
        const f32x4 q1 = *(const f32x4*)(row0 + i28);
        const float v29 = q1.lane[0];
        const float v30 = q1.lane[1];
        const float v31 = q1.lane[2];
        const float v32 = q1.lane[3];
        const float v33 = v29 - v23;
        const float v34 = expf(v33);
        const double v35 = (double)v34;
        sum24 = sum24 + v35;
        const float v36 = v30 - v23;
        const float v37 = expf(v36);
        const double v38 = (double)v37;
        sum24 = sum24 + v38;
        const float v39 = v31 - v23;
        const float v40 = expf(v39);
        const double v41 = (double)v40;
        sum24 = sum24 + v41;
        const float v42 = v32 - v23;
        const float v43 = expf(v42);
        const double v44 = (double)v43;
        sum24 = sum24 + v44;
        *(f32x4*)(row1 + i28) = f32x4{{v34, v37, v40, v43}};
    }
    #pragma unroll 1
    for (int s45 = 0; s45 < 5; ++s45) {
        const int i46 = 16 >> s45;
        const double v47 = __shfl_xor_sync(0xffffffffu, sum24, i46);
        sum24 = sum24 + v47;
    }
    __shared__ double warps50[4];
    if (v17) {
        warps50[i15] = sum24;
    }
    __syncthreads();
    const double v53 = warps50[i18];
    sum24 = v53;
    #pragma unroll 1
    for (int s54 = 0; s54 < 2; ++s54) {
        const int i55 = 2 >> s54;
        const double v56 = __shfl_xor_sync(0xffffffffu, sum24, i55);
        sum24 = sum24 + v56;
    }
    const double v57 = sum24;
    const float v58 = (float)v57;
    #pragma unroll 1
    for (int k59 = 0; k59 < 4; ++k59) {
        const int i60 = k59 * 128;
        const int i61 = i60 + thread;
        const int i62 = i61 * 4;
        const f32x4 q2 = *(const f32x4*)(row1 + i62);
        const float v63 = q2.lane[0];
        const float v64 = q2.lane[1];
        const float v65 = q2.lane[2];
        const float v66 = q2.lane[3];
        const float v67 = v63 / v58;
        const float v68 = v64 / v58;
        const float v69 = v65 / v58;
        const float v70 = v66 / v58;
        *(f32x4*)(out0 + d1 * block + i62) = f32x4{{v67, v68, v69, v70}};
    }
}
