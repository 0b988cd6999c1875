struct __align__(16) f32x4 { float lane[4]; };

template <class T, int n> struct __align__(n * sizeof(T)) lanes_of { T lane[n]; };
__device__ __forceinline__ float with_product(float a, float b, float sum) {
    return fmaf(a, b, sum);
}
__device__ __forceinline__ double with_product(double a, double b, double sum) {
    return fma(a, b, sum);
}
// Leaves sums of products of some rows and some vectors of columns, in the order of the terms.
template <int rows, int row_step, int vectors, int width, int vector_step, int terms, int pitch,
          class T>
__device__ __forceinline__ void small_product(
    const T* __restrict__ left, const T* __restrict__ right, T* __restrict__ sums) {
    const int each = 16 / sizeof(T);
    #pragma unroll
    for (int i = 0; i < rows * vectors * width; ++i) sums[i] = 0;
    #pragma unroll 2
    for (int first = 0; first + each <= terms; first += each) {
        lanes_of<T, each> factors[rows];
        #pragma unroll
        for (int i = 0; i < rows; ++i) {
            factors[i] = *(const lanes_of<T, each>*)(left + i * row_step + first);
        }
        #pragma unroll
        for (int k = 0; k < each; ++k) {
            #pragma unroll
            for (int v = 0; v < vectors; ++v) {
                const lanes_of<T, width> others = *(const lanes_of<T, width>*)(
                    right + (first + k) * pitch + v * vector_step);
                #pragma unroll
                for (int i = 0; i < rows; ++i) {
                    #pragma unroll
                    for (int j = 0; j < width; ++j) {
                        T& sum = sums[(i * vectors + v) * width + j];
                        sum = with_product(factors[i].lane[k], others.lane[j], sum);
                    }
                }
            }
        }
    }
    #pragma unroll
    for (int k = terms / each * each; k < terms; ++k) {
        #pragma unroll
        for (int v = 0; v < vectors; ++v) {
            const lanes_of<T, width> others = *(const lanes_of<T, width>*)(
                right + k * pitch + v * vector_step);
            #pragma unroll
            for (int i = 0; i < rows; ++i) {
                #pragma unroll
                for (int j = 0; j < width; ++j) {
                    T& sum = sums[(i * vectors + v) * width + j];
                    sum = with_product(left[i * row_step + k], others.lane[j], sum);
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(192) kernel(
    const float* __restrict__ in0,
    const int d0,
    const float s0,
    const float s1,
    const float* __restrict__ in1,
    const int d1,
    const float s2,
    float* out0,
    const int d2,
    const int d3) {
    extern __shared__ __align__(128) unsigned char shared[];
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    float* const left0 = (float*)(shared + 0);
    float* const right1 = (float*)(shared + 17280);
    const int i2 = block * 9;
    const int i3 = thread & 3;
    const int i4 = thread >> 2;
    const int i5 = i3 * 4;
    const int i6 = i4 + 48;
    const int i7 = i4 + 96;
    const int i8 = i4 + 144;
    const int i9 = i4 < 215 ? i4 : 215;
    const int i10 = i6 < 215 ? i6 : 215;
    const int i11 = i7 < 215 ? i7 : 215;
    const int i12 = i8 < 215 ? i8 : 215;
    const int i13 = i2 * 24;
    const int i14 = i13 + i9;
    const int i16 = i13 + i10;
    const int i18 = i13 + i11;
    const int i20 = i13 + i12;
    const f32x4 q0 = *(const f32x4*)(in0 + d0 * i14 + i5);
    const float v21 = q0.lane[0];
    const float v22 = q0.lane[1];
    const float v23 = q0.lane[2];
    const float v24 = q0.lane[3];
    const f32x4 q1 = *(const f32x4*)(in0 + d0 * i16 + i5);
    const float v25 = q1.lane[0];
    const float v26 = q1.lane[1];
    const float v27 = q1.lane[2];
    const float v28 = q1.lane[3];
    const f32x4 q2 = *(const f32x4*)(in0 + d0 * i18 + i5);
    const float v29 = q2.lane[0];
    const float v30 = q2.lane[1];
    const float v31 = q2.lane[2];
    const float v32 = q2.lane[3];
    const f32x4 q3 = *(const f32x4*)(in0 + d0 * i20 + i5);
    const float v33 = q3.lane[0];
    const float v34 = q3.lane[1];
    const float v35 = q3.lane[2];
    const float v36 = q3.lane[3];
    const float v37 = s0 * v21;
    const float v38 = v37 - s1;
    const float v39 = s0 * v22;
    const float v40 = v39 - s1;
    const float v41 = s0 * v23;
    const float v42 = v41 - s1;
    const float v43 = s0 * v24;
    const float v44 = v43 - s1;
    const int i45 = i9 * 20;
    const int i46 = i45 + i5;
    *(f32x4*)(left0 + i46) = f32x4{{v38, v40, v42, v44}};
    const float v47 = s0 * v25;
    const float v48 = v47 - s1;
    const float v49 = s0 * v26;
    const float v50 = v49 - s1;
    const float v51 = s0 * v27;
    const float v52 = v51 - s1;
    const float v53 = s0 * v28;
    const float v54 = v53 - s1;
    const int i55 = i10 * 20;
    const int i56 = i55 + i5;
    *(f32x4*)(left0 + i56) = f32x4{{v48, v50, v52, v54}};
    const float v57 = s0 * v29;
    const float v58 = v57 - s1;
    const float v59 = s0 * v30;
    const float v60 = v59 - s1;
    const float v61 = s0 * v31;
    const float v62 = v61 - s1;
    const float v63 = s0 * v32;
    const float v64 = v63 - s1;
    const int i65 = i11 * 20;
    const int i66 = i65 + i5;
    *(f32x4*)(left0 + i66) = f32x4{{v58, v60, v62, v64}};
    const float v67 = s0 * v33;
    const float v68 = v67 - s1;
    const float v69 = s0 * v34;
    const float v70 = v69 - s1;
    const float v71 = s0 * v35;
    const float v72 = v71 - s1;
    const float v73 = s0 * v36;
    const float v74 = v73 - s1;
    const int i75 = i12 * 20;
    const int i76 = i75 + i5;
    *(f32x4*)(left0 + i76) = f32x4{{v68, v70, v72, v74}};
    const int i77 = i4 + 192;
    const int i78 = i77 < 215 ? i77 : 215;
    const int i80 = i13 + i78;
    const f32x4 q4 = *(const f32x4*)(in0 + d0 * i80 + i5);
    const float v81 = q4.lane[0];
    const float v82 = q4.lane[1];
    const float v83 = q4.lane[2];
    const float v84 = q4.lane[3];
    const float v85 = s0 * v81;
    const float v86 = v85 - s1;
    const float v87 = s0 * v82;
    const float v88 = v87 - s1;
    const float v89 = s0 * v83;
    const float v90 = v89 - s1;
    const float v91 = s0 * v84;
    const float v92 = v91 - s1;
    const int i93 = i78 * 20;
    const int i94 = i93 + i5;
    *(f32x4*)(left0 + i94) = f32x4{{v86, v88, v90, v92}};
    const int i95 = thread % 3;
    const int i96 = thread / 3;
    const int i97 = i95 * 4;
    const int i98 = i96 + 64;
    const int i99 = i96 < 143 ? i96 : 143;
    const int i100 = i98 < 143 ? i98 : 143;
    const int i101 = i2 * 16;
    const int i102 = i101 + i99;
    const int i104 = i101 + i100;
    const f32x4 q5 = *(const f32x4*)(in1 + d1 * i102 + i97);
    const float v105 = q5.lane[0];
    const float v106 = q5.lane[1];
    const float v107 = q5.lane[2];
    const float v108 = q5.lane[3];
    const f32x4 q6 = *(const f32x4*)(in1 + d1 * i104 + i97);
    const float v109 = q6.lane[0];
    const float v110 = q6.lane[1];
    const float v111 = q6.lane[2];
    const float v112 = q6.lane[3];
    const int i113 = i99 * 12;
    const int i114 = i113 + i97;
    *(f32x4*)(right1 + i114) = f32x4{{v105, v106, v107, v108}};
    const int i115 = i100 * 12;
    const int i116 = i115 + i97;
    *(f32x4*)(right1 + i116) = f32x4{{v109, v110, v111, v112}};
    const int i117 = i96 + 128;
    const int i118 = i117 < 143 ? i117 : 143;
    const int i120 = i101 + i118;
    const f32x4 q7 = *(const f32x4*)(in1 + d1 * i120 + i97);
    const float v121 = q7.lane[0];
    const float v122 = q7.lane[1];
    const float v123 = q7.lane[2];
    const float v124 = q7.lane[3];
    const int i125 = i118 * 12;
    const int i126 = i125 + i97;
    *(f32x4*)(right1 + i126) = f32x4{{v121, v122, v123, v124}};
    __syncthreads();
    const int i127 = thread / 18;
    const int i128 = thread % 18;
    const int i129 = i128 / 3;
    const int i130 = i128 % 3;
    const int i131 = i130 * 4;
    const bool v132 = thread < 162;
    if (v132) {
        const int i133 = i129 * 20;
        const int i134 = i127 * 480;
        const int i135 = i134 + i133;
        const int i136 = i127 * 192;
        const int i137 = i136 + i131;
        float sums138[16];
        small_product<4, 120, 1, 4, 12, 16, 12>(left0 + i135, right1 + i137, sums138);
        const int i139 = i2 + i127;
        const float v140 = sums138[0];
        const float v141 = v140 > s2 || v140 != v140 ? v140 : s2;
        const float v142 = sums138[1];
        const float v143 = v142 > s2 || v142 != v142 ? v142 : s2;
        const float v144 = sums138[2];
        const float v145 = v144 > s2 || v144 != v144 ? v144 : s2;
        const float v146 = sums138[3];
        const float v147 = v146 > s2 || v146 != v146 ? v146 : s2;
        *(f32x4*)(out0 + d2 * i139 + d3 * i129 + i131) = f32x4{{v141, v143, v145, v147}};
        const int i148 = i129 + 6;
        const float v149 = sums138[4];
        const float v150 = v149 > s2 || v149 != v149 ? v149 : s2;
        const float v151 = sums138[5];
        const float v152 = v151 > s2 || v151 != v151 ? v151 : s2;
        const float v153 = sums138[6];
        const float v154 = v153 > s2 || v153 != v153 ? v153 : s2;
        const float v155 = sums138[7];
        const float v156 = v155 > s2 || v155 != v155 ? v155 : s2;
        *(f32x4*)(out0 + d2 * i139 + d3 * i148 + i131) = f32x4{{v150, v152, v154, v156}};
        const int i157 = i129 + 12;
        const float v158 = sums138[8];
        const float v159 = v158 > s2 || v158 != v158 ? v158 : s2;
        const float v160 = sums138[9];
        const float v161 = v160 > s2 || v160 != v160 ? v160 : s2;
        const float v162 = sums138[10];
        const float v163 = v162 > s2 || v162 != v162 ? v162 : s2;
        const float v164 = sums138[11];
        const float v165 = v164 > s2 || v164 != v164 ? v164 : s2;
        *(f32x4*)(out0 + d2 * i139 + d3 * i157 + i131) = f32x4{{v159, v161, v163, v165}};
        const int i166 = i129 + 18;
        const float v167 = sums138[12];
        const float v168 = v167 > s2 || v167 != v167 ? v167 : s2;
        const float v169 = sums138[13];
        const float v170 = v169 > s2 || v169 != v169 ? v169 : s2;
        const float v171 = sums138[14];
        const float v172 = v171 > s2 || v171 != v171 ? v171 : s2;
        const float v173 = sums138[15];
        const float v174 = v173 > s2 || v173 != v173 ? v173 : s2;
        *(f32x4*)(out0 + d2 * i139 + d3 * i166 + i131) = f32x4{{v168, v170, v172, v174}};
    }
}
