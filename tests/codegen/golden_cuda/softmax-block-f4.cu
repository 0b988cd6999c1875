struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(128) kernel(
    const float* __restrict__ in0,
    const int d0,
    float* out0,
    const int d1) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    float row0[16];
    float row1[16];
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
        row0[4 * k3] = v7;
        best2 = best2 >= v7 || best2 != best2 ? best2 : v7;
        row0[4 * k3 + 1] = v8;
        best2 = best2 >= v8 || best2 != best2 ? best2 : v8;
        row0[4 * k3 + 2] = v9;
        best2 = best2 >= v9 || best2 != best2 ? best2 : v9;
        row0[4 * k3 + 3] = v10;
        best2 = best2 >= v10 || best2 != best2 ? best2 : v10;
    }
    const float v11 = __shfl_xor_sync(0xffffffffu, best2, 16);
    best2 = best2 >= v11 || best2 != best2 ? best2 : v11;
    const float v12 = __shfl_xor_sync(0xffffffffu, best2, 8);
    best2 = best2 >= v12 || best2 != best2 ? best2 : v12;
    const float v13 = __shfl_xor_sync(0xffffffffu, best2, 4);
    best2 = best2 >= v13 || best2 != best2 ? best2 : v13;
    const float v14 = __shfl_xor_sync(0xffffffffu, best2, 2);
    best2 = best2 >= v14 || best2 != best2 ? best2 : v14;
    const float v15 = __shfl_xor_sync(0xffffffffu, best2, 1);
    best2 = best2 >= v15 || best2 != best2 ? best2 : v15;
    const int i16 = thread & 31;
    const int i17 = thread >> 5;
    __shared__ float warps18[4];
    const bool v19 = i16 == 0;
    if (v19) {
        warps18[i17] = best2;
    }
    __syncthreads();
    const int i20 = thread & 3;
    const float v21 = warps18[i20];
    best2 = v21;
    const float v22 = __shfl_xor_sync(0xffffffffu, best2, 2);
    best2 = best2 >= v22 || best2 != best2 ? best2 : v22;
    const float v23 = __shfl_xor_sync(0xffffffffu, best2, 1);
    best2 = best2 >= v23 || best2 != best2 ? best2 : v23;
    const float v24 = best2;
    double sum25 = 0.0;
    #pragma unroll
    for (int k26 = 0; k26 < 4; ++k26) {
        const int i27 = k26 * 128;
        const int i28 = i27 + thread;
        const int i29 = i28 * 4;
        const float v30 = row0[4 * k26];
        const float v31 = v30 - v24;
        const float v32 = expf(v31);
        row1[4 * k26] = v32;
        const double v33 = (double)v32;
        sum25 = sum25 + v33;
        const float v34 = row0[4 * k26 + 1];
        const float v35 = v34 - v24;
        const float v36 = expf(v35);
        row1[4 * k26 + 1] = v36;
        const double v37 = (double)v36;
        sum25 = sum25 + v37;
        const float v38 = row0[4 * k26 + 2];
        const float v39 = v38 - v24;
        const float v40 = expf(v39);
        row1[4 * k26 + 2] = v40;
        const double v41 = (double)v40;
        sum25 = sum25 + v41;
        const float v42 = row0[4 * k26 + 3];
        const float v43 = v42 - v24;
        const float v44 = expf(v43);
        row1[4 * k26 + 3] = v44;
        const double v45 = (double)v44;
        sum25 = sum25 + v45;
    }
    const double v46 = __shfl_xor_sync(0xffffffffu, sum25, 16);
    sum25 = sum25 + v46;
    const double v47 = __shfl_xor_sync(0xffffffffu, sum25, 8);
    sum25 = sum25 + v47;
    const double v48 = __shfl_xor_sync(0xffffffffu, sum25, 4);
    sum25 = sum25 + v48;
    const double v49 = __shfl_xor_sync(0xffffffffu, sum25, 2);
    sum25 = sum25 + v49;
    const double v50 = __shfl_xor_sync(0xffffffffu, sum25, 1);
    sum25 = sum25 + v50;
    __shared__ double warps51[4];
    if (v19) {
        warps51[i17] = sum25;
    }
    __syncthreads();
    const double v52 = warps51[i20];
    sum25 = v52;
    const double v53 = __shfl_xor_sync(0xffffffffu, sum25, 2);
    sum25 = sum25 + v53;
    const double v54 = __shfl_xor_sync(0xffffffffu, sum25, 1);
    sum25 = sum25 + v54;
    const double v55 = sum25;
    const float v56 = (float)v55;
    #pragma unroll
    for (int k57 = 0; k57 < 4; ++k57) {
        const int i58 = k57 * 128;
        const int i59 = i58 + thread;
        const int i60 = i59 * 4;
        const float v61 = row1[4 * k57];
        const float v62 = v61 / v56;
        const float v63 = row1[4 * k57 + 1];
        const float v64 = v63 / v56;
        const float v65 = row1[4 * k57 + 2];
        const float v66 = v65 / v56;
        const float v67 = row1[4 * k57 + 3];
        const float v68 = v67 / v56;
        *(f32x4*)(out0 + d1 * block + i60) = f32x4{{v62, v64, v66, v68}};
    }
}
