struct __align__(8) f32x2 { float lane[2]; };

struct __align__(16) i64x2 { long long lane[2]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const long long* __restrict__ in0,
    const long long s0,
    const float* __restrict__ in1,
    const long long c0,
    float* out0,
    unsigned long long* far0at) {
    bool bad18 = false;
    unsigned long long far23 = 0ULL;
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
        bad18 = bad18 || v6;
        const long long v19 = (long long)((unsigned long long)v17 + (unsigned long long)c0);
        const bool v20 = v17 < 0LL;
        const long long v21 = v20 ? v19 : v17;
        const unsigned long long v22 = (unsigned long long)v21;
        far23 = far23 > v22 ? far23 : v22;
        const unsigned long long v24 = (unsigned long long)c0;
        const bool v25 = v22 < v24;
        const long long v26 = v25 ? v21 : 0LL;
        const int v27 = (int)v26;
        const float v28 = in1[v27];
        const float v29 = v28 * 2.0f;
        const long long v30 = (long long)(v5 % v9);
        const bool v31 = v30 != 0LL;
        const bool v32 = v30 < 0LL;
        const bool v33 = v32 != v13;
        const bool v34 = v31 && v33;
        const long long v35 = (long long)((unsigned long long)v30 + (unsigned long long)v9);
        const long long v36 = v34 ? v35 : v30;
        bad18 = bad18 || v6;
        const long long v37 = (long long)((unsigned long long)v36 + (unsigned long long)c0);
        const bool v38 = v36 < 0LL;
        const long long v39 = v38 ? v37 : v36;
        const unsigned long long v40 = (unsigned long long)v39;
        far23 = far23 > v40 ? far23 : v40;
        const bool v41 = v40 < v24;
        const long long v42 = v41 ? v39 : 0LL;
        const int v43 = (int)v42;
        const float v44 = in1[v43];
        const float v45 = v44 * 2.0f;
        *(f32x2*)(out0 + i3) = f32x2{{v29, v45}};
    }
    const unsigned long long v46 = (unsigned long long)c0;
    const unsigned long long v47 = far23;
    const bool v48 = v47 >= v46;
    if (v48) {
        far0at[0] = v47;
    }
}
