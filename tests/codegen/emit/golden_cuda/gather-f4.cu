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
        const long long v33 = (long long)(v5 % v9);
        const bool v34 = v33 != 0LL;
        const bool v35 = v33 < 0LL;
        const bool v37 = v35 != v13;
        const bool v38 = v34 && v37;
        const long long v39 = (long long)((unsigned long long)v33 + (unsigned long long)v9);
        const long long v40 = v38 ? v39 : v33;
        const long long v41 = (long long)((unsigned long long)v40 + (unsigned long long)c0);
        const bool v42 = v40 < 0LL;
        const long long v43 = v42 ? v41 : v40;
        const unsigned long long v44 = (unsigned long long)v43;
        far22 = far22 > v44 ? far22 : v44;
        const bool v46 = v44 < v23;
        const long long v47 = v46 ? v43 : 0LL;
        const int v48 = (int)v47;
        const float v49 = in1[v48];
        const float v50 = v49 * s1;
        *(f32x2*)(out0 + i3) = f32x2{{v28, v50}};
    }
    const unsigned long long v51 = (unsigned long long)c0;
    const unsigned long long v52 = far22;
    const bool v53 = v52 >= v51;
    if (v53) {
        far0at[0] = v52;
    }
}
