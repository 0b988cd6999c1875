struct __align__(8) f32x2 { float lane[2]; };

struct __align__(16) i64x2 { long long lane[2]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const long long* __restrict__ in0,
    const long long s0,
    const float s1,
    const float* __restrict__ in1,
    const long long c0,
    float* out0,
    unsigned long long* far0at) {
    unsigned long long far22 = 0ULL;
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = block * 256;
    const int i1 = i0 + thread;
    const bool v2 = i1 < n0;
    if (v2) {
        const int i3 = i1 * 2;
        const i64x2 q0 = *(const i64x2*)(in0 + i3);
        const long long v4 = q0.lane[0];
        const long long v5 = q0.lane[1];
        const bool v6 = s0 == 0LL;
        const bool v7 = s0 == (-1LL);
        const bool v8 = v6 || v7;
        const long long v9 = v8 ? 1LL : s0;
        const long long v10 = (long long)(v4 % v9);
        const bool v11 = v10 != 0LL;
        const bool v12 = v10 < 0LL;
        const bool v13 = v9 < 0LL;
        const bool v14 = v12 != v13;
        const bool v15 = v11 && v14;
        const long long v16 = (long long)((unsigned long long)v10 + (unsigned long long)v9);
        const long long v17 = v15 ? v16 : v10;
        const long long v18 = (long long)((unsigned long long)v17 + (unsigned long long)c0);
        const bool v19 = v17 < 0LL;
        const long long v20 = v19 ? v18 : v17;
        const unsigned long long v21 = (unsigned long long)v20;
        far22 = far22 > v21 ? far22 : v21;
        const unsigned long long v23 = (unsigned long long)c0;
        const bool v24 = v21 < v23;
        const long long v25 = v24 ? v20 : 0LL;
        const int v26 = (int)v25;
        const float v27 = in1[v26];
        const float v28 = v27 * s1;
        const long long v29 = (long long)(v5 % v9);
        const bool v30 = v29 != 0LL;
        const bool v31 = v29 < 0LL;
        const bool v32 = v31 != v13;
        const bool v33 = v30 && v32;
        const long long v34 = (long long)((unsigned long long)v29 + (unsigned long long)v9);
        const long long v35 = v33 ? v34 : v29;
        const long long v36 = (long long)((unsigned long long)v35 + (unsigned long long)c0);
        const bool v37 = v35 < 0LL;
        const long long v38 = v37 ? v36 : v35;
        const unsigned long long v39 = (unsigned long long)v38;
        far22 = far22 > v39 ? far22 : v39;
        const bool v40 = v39 < v23;
        const long long v41 = v40 ? v38 : 0LL;
        const int v42 = (int)v41;
        const float v43 = in1[v42];
        const float v44 = v43 * s1;
        *(f32x2*)(out0 + i3) = f32x2{{v28, v44}};
    }
    const unsigned long long v45 = (unsigned long long)c0;
    const unsigned long long v46 = far22;
    const bool v47 = v46 >= v45;
    if (v47) {
        far0at[0] = v46;
    }
}
