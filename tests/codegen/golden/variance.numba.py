def kernel(begin, end, n0, n1, n2, n3, n4, tmp0, in0, d0, tmp1, tmp2, tmp3, tmp4, tmp5, tmp6, tmp7, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = remainder_i64(w0, n2)
        v2 = divide_i64(w0, n2)
        v3 = remainder_i64(v2, n3)
        v4 = divide_i64(v2, n3)
        v5 = multiply_i64(v3, 1024)
        v6 = add_i64(v5, 1024)
        v7 = minimum_i64(v6, n0)
        v8 = multiply_i64(v1, 64)
        v9 = add_i64(v8, 64)
        v10 = minimum_i64(v9, n1)
        v11 = add_i64(v8, 8)
        v12 = minimum_i64(v11, v10)
        for j13 in range(v5, v7):
            v14 = subtract_i64(j13, v5)
            store_f64(tmp0, v14, 0.0)
        v15 = subtract_i64(v12, v8)
        v16 = divide_i64(v15, 8)
        for g17 in range(0, v16):
            v18 = multiply_i64(g17, 8)
            v19 = add_i64(v8, v18)
            v20 = add_i64(v19, 0)
            v21 = add_i64(v19, 1)
            v22 = add_i64(v19, 2)
            v23 = add_i64(v19, 3)
            v24 = add_i64(v19, 4)
            v25 = add_i64(v19, 5)
            v26 = add_i64(v19, 6)
            v27 = add_i64(v19, 7)
            for j28 in range(v5, v7):
                v29 = subtract_i64(j28, v5)
                v30 = load_f64(tmp0, v29)
                v31 = load_f64(in0, d0 * v20 + j28)
                v32 = v30 + v31
                v33 = load_f64(in0, d0 * v21 + j28)
                v34 = v32 + v33
                v35 = load_f64(in0, d0 * v22 + j28)
                v36 = v34 + v35
                v37 = load_f64(in0, d0 * v23 + j28)
                v38 = v36 + v37
                v39 = load_f64(in0, d0 * v24 + j28)
                v40 = v38 + v39
                v41 = load_f64(in0, d0 * v25 + j28)
                v42 = v40 + v41
                v43 = load_f64(in0, d0 * v26 + j28)
                v44 = v42 + v43
                v45 = load_f64(in0, d0 * v27 + j28)
                v46 = v44 + v45
                store_f64(tmp0, v29, v46)
        v47 = multiply_i64(v16, 8)
        v48 = add_i64(v8, v47)
        for q49 in range(v48, v12):
            for j50 in range(v5, v7):
                v51 = subtract_i64(j50, v5)
                v52 = load_f64(tmp0, v51)
                v53 = load_f64(in0, d0 * q49 + j50)
                v54 = v52 + v53
                store_f64(tmp0, v51, v54)
        for j55 in range(v5, v7):
            v56 = subtract_i64(j55, v5)
            v57 = load_f64(tmp0, v56)
            v58 = convert_i64_f64(v15)
            v59 = v57 / v58
            store_f64(tmp1, v56, v59)
            store_f64(tmp0, v56, 0.0)
            store_f64(tmp2, v56, 0.0)
            store_f64(tmp3, v56, 0.0)
        v60 = subtract_i64(v10, v8)
        v61 = divide_i64(v60, 8)
        for g62 in range(0, v61):
            v63 = multiply_i64(g62, 8)
            v64 = add_i64(v8, v63)
            v65 = add_i64(v64, 0)
            v66 = add_i64(v64, 1)
            v67 = add_i64(v64, 2)
            v68 = add_i64(v64, 3)
            v69 = add_i64(v64, 4)
            v70 = add_i64(v64, 5)
            v71 = add_i64(v64, 6)
            v72 = add_i64(v64, 7)
            for j73 in range(v5, v7):
                v74 = subtract_i64(j73, v5)
                v75 = load_f64(tmp0, v74)
                v76 = load_f64(tmp2, v74)
                v77 = load_f64(tmp3, v74)
                v78 = load_f64(tmp1, v74)
                v79 = load_f64(in0, d0 * v65 + j73)
                v80 = v75 + v79
                v81 = v79 - v78
                v82 = v81 * v81
                v83 = v76 + v82
                v84 = v77 + v81
                v85 = load_f64(in0, d0 * v66 + j73)
                v86 = v80 + v85
                v87 = v85 - v78
                v88 = v87 * v87
                v89 = v83 + v88
                v90 = v84 + v87
                v91 = load_f64(in0, d0 * v67 + j73)
                v92 = v86 + v91
                v93 = v91 - v78
                v94 = v93 * v93
                v95 = v89 + v94
                v96 = v90 + v93
                v97 = load_f64(in0, d0 * v68 + j73)
                v98 = v92 + v97
                v99 = v97 - v78
                v100 = v99 * v99
                v101 = v95 + v100
                v102 = v96 + v99
                v103 = load_f64(in0, d0 * v69 + j73)
                v104 = v98 + v103
                v105 = v103 - v78
                v106 = v105 * v105
                v107 = v101 + v106
                v108 = v102 + v105
                v109 = load_f64(in0, d0 * v70 + j73)
                v110 = v104 + v109
                v111 = v109 - v78
                v112 = v111 * v111
                v113 = v107 + v112
                v114 = v108 + v111
                v115 = load_f64(in0, d0 * v71 + j73)
                v116 = v110 + v115
                v117 = v115 - v78
                v118 = v117 * v117
                v119 = v113 + v118
                v120 = v114 + v117
                v121 = load_f64(in0, d0 * v72 + j73)
                v122 = v116 + v121
                v123 = v121 - v78
                v124 = v123 * v123
                v125 = v119 + v124
                v126 = v120 + v123
                store_f64(tmp0, v74, v122)
                store_f64(tmp2, v74, v125)
                store_f64(tmp3, v74, v126)
        v127 = multiply_i64(v61, 8)
        v128 = add_i64(v8, v127)
        for q129 in range(v128, v10):
            for j130 in range(v5, v7):
                v131 = subtract_i64(j130, v5)
                v132 = load_f64(tmp0, v131)
                v133 = load_f64(tmp2, v131)
                v134 = load_f64(tmp3, v131)
                v135 = load_f64(tmp1, v131)
                v136 = load_f64(in0, d0 * q129 + j130)
                v137 = v132 + v136
                v138 = v136 - v135
                v139 = v138 * v138
                v140 = v133 + v139
                v141 = v134 + v138
                store_f64(tmp0, v131, v137)
                store_f64(tmp2, v131, v140)
                store_f64(tmp3, v131, v141)
        v142 = multiply_i64(v1, n4)
        v143 = multiply_i64(v4, n0)
        v144 = add_i64(v142, v143)
        for j145 in range(v5, v7):
            v146 = subtract_i64(j145, v5)
            v147 = load_f64(tmp0, v146)
            store_f64(tmp4, v144 + j145, v147)
            v148 = load_f64(tmp2, v146)
            store_f64(tmp5, v144 + j145, v148)
            v149 = load_f64(tmp3, v146)
            store_f64(tmp6, v144 + j145, v149)
            v150 = load_f64(tmp1, v146)
            store_f64(tmp7, v144 + j145, v150)
    watch_end(flags, before)

def kernel(begin, end, n0, n1, tmp0, n2, n3, tmp1, tmp2, tmp3, s0, out0, flags):
    before = watch_begin()
    for o0 in range(begin, end):
        sum1 = 0.0
        lost2 = 0.0
        for c3 in range(0, n0):
            v4 = load_f64(tmp0, n1 * c3 + o0)
            v5 = sum1
            v6 = v5 + v4
            v7 = v6 - v5
            v8 = v6 - v7
            v9 = v5 - v8
            v10 = v4 - v7
            v11 = v9 + v10
            lost2 = lost2 + v11
            sum1 = v6
        dev12 = 0.0
        lost13 = 0.0
        v14 = sum1 + lost2
        v15 = lost2 == lost2
        v16 = select_f64(v15, v14, sum1)
        v17 = convert_i64_f64(n2)
        v18 = v16 / v17
        for c19 in range(0, n0):
            v20 = multiply_i64(c19, 64)
            v21 = subtract_i64(n3, v20)
            v22 = minimum_i64(v21, 64)
            v23 = load_f64(tmp1, n1 * c19 + o0)
            v24 = load_f64(tmp2, n1 * c19 + o0)
            v25 = load_f64(tmp3, n1 * c19 + o0)
            v26 = v25 - v18
            v27 = convert_i64_f64(v22)
            v28 = v24 + v24
            v29 = v27 * v26
            v30 = v28 + v29
            v31 = v26 * v30
            v32 = v23 + v31
            v33 = dev12
            v34 = v33 + v32
            v35 = v34 - v33
            v36 = v34 - v35
            v37 = v33 - v36
            v38 = v32 - v35
            v39 = v37 + v38
            lost13 = lost13 + v39
            dev12 = v34
        v40 = dev12 + lost13
        v41 = lost13 == lost13
        v42 = select_f64(v41, v40, dev12)
        v43 = v42 / s0
        store_f64(out0, o0, v43)
    watch_end(flags, before)
