struct __align__(16) f64x2 { double lane[2]; };

extern "C" __global__ void __launch_bounds__(256) kernel(
    const int n0,
    const int n1,
    const int n2,
    const int n3,
    const int d0,
    const int d1,
    const double* __restrict__ in0,
    const double* __restrict__ in1,
    const double s0,
    const double* __restrict__ in2,
    const double* __restrict__ in3,
    double* out0,
    const int d2,
    const int d3,
    const double* __restrict__ in4,
    const double* __restrict__ in5,
    const double* __restrict__ in6,
    const double* __restrict__ in7,
    const double* __restrict__ in8,
    const double* __restrict__ in9,
    const int n4,
    const int n5) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i0 = block * 256;
    const int i1 = i0 + thread;
    const int i2 = i1 % n0;
    const int i3 = i1 / n0;
    const bool v4 = i1 < n1;
    if (v4) {
        const int i5 = i3 % n2;
        const int i6 = i3 / n2;
        const int i7 = i6 * 4;
        const int i8 = i2 * 2;
        const bool v9 = i7 < n3;
        if (v9) {
            const int i10 = i7 * d0;
            const int i11 = i5 * d1;
            const int i12 = i10 + i11;
            const int i13 = i12 + i8;
            const f64x2 q0 = *(const f64x2*)(in0 + i13);
            const double v14 = q0.lane[0];
            const double v15 = q0.lane[1];
            const f64x2 q1 = *(const f64x2*)(in0 + i13 + 2);
            const double v16 = q1.lane[0];
            const double v17 = q1.lane[1];
            const f64x2 q2 = *(const f64x2*)(in1 + i13);
            const double v18 = q2.lane[0];
            const double v19 = q2.lane[1];
            const double v20 = s0 * v19;
            const f64x2 q3 = *(const f64x2*)(in1 + i13 + 2);
            const double v21 = q3.lane[0];
            const double v22 = q3.lane[1];
            const double v23 = s0 * v21;
            const f64x2 q4 = *(const f64x2*)(in2 + i13);
            const double v24 = q4.lane[0];
            const double v25 = q4.lane[1];
            const f64x2 q5 = *(const f64x2*)(in2 + i13 + 2);
            const double v26 = q5.lane[0];
            const double v27 = q5.lane[1];
            const f64x2 q6 = *(const f64x2*)(in3 + i13);
            const double v28 = q6.lane[0];
            const double v29 = q6.lane[1];
            const double v30 = v29 + v15;
            const double v31 = s0 * v29;
            const double v32 = v30 + v25;
            const double v33 = v32 - v20;
            const f64x2 q7 = *(const f64x2*)(in3 + i13 + 2);
            const double v34 = q7.lane[0];
            const double v35 = q7.lane[1];
            const double v36 = v34 + v16;
            const double v37 = s0 * v34;
            const double v38 = v36 + v26;
            const double v39 = v38 - v23;
            *(f64x2*)(out0 + d2 * i7 + d3 * i5 + i8) = f64x2{{v33, v39}};
            const f64x2 q8 = *(const f64x2*)(in4 + i13);
            const double v40 = q8.lane[0];
            const double v41 = q8.lane[1];
            const f64x2 q9 = *(const f64x2*)(in4 + i13 + 2);
            const double v42 = q9.lane[0];
            const double v43 = q9.lane[1];
            const f64x2 q10 = *(const f64x2*)(in5 + i13);
            const double v44 = q10.lane[0];
            const double v45 = q10.lane[1];
            const double v46 = v45 + v19;
            const double v47 = s0 * v45;
            const double v48 = v46 + v41;
            const double v49 = v48 - v31;
            const f64x2 q11 = *(const f64x2*)(in5 + i13 + 2);
            const double v50 = q11.lane[0];
            const double v51 = q11.lane[1];
            const double v52 = v50 + v21;
            const double v53 = s0 * v50;
            const double v54 = v52 + v42;
            const double v55 = v54 - v37;
            const int i56 = i7 + 1;
            *(f64x2*)(out0 + d2 * i56 + d3 * i5 + i8) = f64x2{{v49, v55}};
            const f64x2 q12 = *(const f64x2*)(in6 + i13);
            const double v57 = q12.lane[0];
            const double v58 = q12.lane[1];
            const f64x2 q13 = *(const f64x2*)(in6 + i13 + 2);
            const double v59 = q13.lane[0];
            const double v60 = q13.lane[1];
            const f64x2 q14 = *(const f64x2*)(in7 + i13);
            const double v61 = q14.lane[0];
            const double v62 = q14.lane[1];
            const double v63 = v62 + v29;
            const double v64 = s0 * v62;
            const double v65 = v63 + v58;
            const double v66 = v65 - v47;
            const f64x2 q15 = *(const f64x2*)(in7 + i13 + 2);
            const double v67 = q15.lane[0];
            const double v68 = q15.lane[1];
            const double v69 = v67 + v34;
            const double v70 = s0 * v67;
            const double v71 = v69 + v59;
            const double v72 = v71 - v53;
            const int i73 = i7 + 2;
            *(f64x2*)(out0 + d2 * i73 + d3 * i5 + i8) = f64x2{{v66, v72}};
            const f64x2 q16 = *(const f64x2*)(in8 + i13);
            const double v74 = q16.lane[0];
            const double v75 = q16.lane[1];
            const f64x2 q17 = *(const f64x2*)(in8 + i13 + 2);
            const double v76 = q17.lane[0];
            const double v77 = q17.lane[1];
            const f64x2 q18 = *(const f64x2*)(in9 + i13);
            const double v78 = q18.lane[0];
            const double v79 = q18.lane[1];
            const double v80 = v79 + v45;
            const double v81 = v80 + v75;
            const double v82 = v81 - v64;
            const f64x2 q19 = *(const f64x2*)(in9 + i13 + 2);
            const double v83 = q19.lane[0];
            const double v84 = q19.lane[1];
            const double v85 = v83 + v50;
            const double v86 = v85 + v76;
            const double v87 = v86 - v70;
            const int i88 = i7 + 3;
            *(f64x2*)(out0 + d2 * i88 + d3 * i5 + i8) = f64x2{{v82, v87}};
        }
        const bool v89 = !v9;
        if (v89) {
            const int i90 = n4 - i7;
            const int i91 = i90 < 4 ? i90 : 4;
            #pragma unroll 1
            for (int r92 = 0; r92 < i91; ++r92) {
                const int i93 = i7 + r92;
                const int i94 = n5 - i8;
                const int i95 = i94 < 2 ? i94 : 2;
                #pragma unroll 1
                for (int e96 = 0; e96 < i95; ++e96) {
                    const int i97 = i8 + e96;
                    const int i98 = i93 * d0;
                    const int i99 = i5 * d1;
                    const int i100 = i98 + i99;
                    const int i101 = i100 + i97;
                    const double v102 = in3[i101 + 1];
                    const double v103 = in0[i101 + 1];
                    const double v104 = v102 + v103;
                    const double v105 = in2[i101 + 1];
                    const double v106 = v104 + v105;
                    const double v107 = in1[i101 + 1];
                    const double v108 = s0 * v107;
                    const double v109 = v106 - v108;
                    out0[d2 * i93 + d3 * i5 + i97] = v109;
                }
            }
        }
    }
}
