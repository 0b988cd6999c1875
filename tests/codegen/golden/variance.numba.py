def kernel(begin, end, n0, n1, n2, n3, n4, n5, tmp0, in0, d0, tmp1, tmp2, tmp3, tmp4, tmp5, tmp6, tmp7, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = remainder_i64(w0, n4)
        v2 = divide_i64(w0, n4)
        v3 = remainder_i64(v2, n3)
        v4 = divide_i64(v2, n3)
        v5 = multiply_i64(v1, 1024)
        v6 = add_i64(v5, 1024)
        v7 = minimum_i64(v6, n0)
        v8 = multiply_i64(v3, n2)
        v9 = add_i64(v8, n2)
        v10 = minimum_i64(v9, n1)
        v11 = divide_i64(n2, 8)
        v12 = add_i64(v8, v11)
        v13 = minimum_i64(v12, v10)
        for j14 in range(v5, v7):
            v15 = subtract_i64(j14, v5)
            store_f64(tmp0, v15, 0.0)
        v16 = subtract_i64(v13, v8)
        v17 = divide_i64(v16, 8)
        for g18 in range(0, v17):
            v19 = multiply_i64(g18, 8)
            v20 = add_i64(v8, v19)
            v21 = add_i64(v20, 0)
            v22 = add_i64(v20, 1)
            v23 = add_i64(v20, 2)
            v24 = add_i64(v20, 3)
            v25 = add_i64(v20, 4)
            v26 = add_i64(v20, 5)
            v27 = add_i64(v20, 6)
            v28 = add_i64(v20, 7)
            for j29 in range(v5, v7):
                v30 = subtract_i64(j29, v5)
                v31 = load_f64(tmp0, v30)
                v32 = load_f64(in0, d0 * v21 + j29)
                v33 = v31 + v32
                v34 = load_f64(in0, d0 * v22 + j29)
                v35 = v33 + v34
                v36 = load_f64(in0, d0 * v23 + j29)
                v37 = v35 + v36
                v38 = load_f64(in0, d0 * v24 + j29)
                v39 = v37 + v38
                v40 = load_f64(in0, d0 * v25 + j29)
                v41 = v39 + v40
                v42 = load_f64(in0, d0 * v26 + j29)
                v43 = v41 + v42
                v44 = load_f64(in0, d0 * v27 + j29)
                v45 = v43 + v44
                v46 = load_f64(in0, d0 * v28 + j29)
                v47 = v45 + v46
                store_f64(tmp0, v30, v47)
        v48 = multiply_i64(v17, 8)
        v49 = add_i64(v8, v48)
        for q50 in range(v49, v13):
            for j51 in range(v5, v7):
                v52 = subtract_i64(j51, v5)
                v53 = load_f64(tmp0, v52)
                v54 = load_f64(in0, d0 * q50 + j51)
                v55 = v53 + v54
                store_f64(tmp0, v52, v55)
        for j57 in range(v5, v7):
            v58 = subtract_i64(j57, v5)
            v59 = load_f64(tmp0, v58)
            v60 = convert_i64_f64(v16)
            v61 = v59 / v60
            store_f64(tmp1, v58, v61)
            store_f64(tmp0, v58, 0.0)
            store_f64(tmp2, v58, 0.0)
            store_f64(tmp3, v58, 0.0)
        v62 = subtract_i64(v10, v8)
        v63 = divide_i64(v62, 8)
        for g64 in range(0, v63):
            v65 = multiply_i64(g64, 8)
            v66 = add_i64(v8, v65)
            v67 = add_i64(v66, 0)
            v68 = add_i64(v66, 1)
            v69 = add_i64(v66, 2)
            v70 = add_i64(v66, 3)
            v71 = add_i64(v66, 4)
            v72 = add_i64(v66, 5)
            v73 = add_i64(v66, 6)
            v74 = add_i64(v66, 7)
            for j75 in range(v5, v7):
                v76 = subtract_i64(j75, v5)
                v77 = load_f64(tmp0, v76)
                v78 = load_f64(tmp2, v76)
                v79 = load_f64(tmp3, v76)
                v80 = load_f64(tmp1, v76)
                v81 = load_f64(in0, d0 * v67 + j75)
                v82 = v77 + v81
                v83 = v81 - v80
                v84 = v83 * v83
                v85 = v78 + v84
                v86 = v79 + v83
                v87 = load_f64(in0, d0 * v68 + j75)
                v88 = v82 + v87
                v89 = v87 - v80
                v90 = v89 * v89
                v91 = v85 + v90
                v92 = v86 + v89
                v93 = load_f64(in0, d0 * v69 + j75)
                v94 = v88 + v93
                v95 = v93 - v80
                v96 = v95 * v95
                v97 = v91 + v96
                v98 = v92 + v95
                v99 = load_f64(in0, d0 * v70 + j75)
                v100 = v94 + v99
                v101 = v99 - v80
                v102 = v101 * v101
                v103 = v97 + v102
                v104 = v98 + v101
                v105 = load_f64(in0, d0 * v71 + j75)
                v106 = v100 + v105
                v107 = v105 - v80
                v108 = v107 * v107
                v109 = v103 + v108
                v110 = v104 + v107
                v111 = load_f64(in0, d0 * v72 + j75)
                v112 = v106 + v111
                v113 = v111 - v80
                v114 = v113 * v113
                v115 = v109 + v114
                v116 = v110 + v113
                v117 = load_f64(in0, d0 * v73 + j75)
                v118 = v112 + v117
                v119 = v117 - v80
                v120 = v119 * v119
                v121 = v115 + v120
                v122 = v116 + v119
                v123 = load_f64(in0, d0 * v74 + j75)
                v124 = v118 + v123
                v125 = v123 - v80
                v126 = v125 * v125
                v127 = v121 + v126
                v128 = v122 + v125
                store_f64(tmp0, v76, v124)
                store_f64(tmp2, v76, v127)
                store_f64(tmp3, v76, v128)
        v129 = multiply_i64(v63, 8)
        v130 = add_i64(v8, v129)
        for q131 in range(v130, v10):
            for j132 in range(v5, v7):
                v133 = subtract_i64(j132, v5)
                v134 = load_f64(tmp0, v133)
                v135 = load_f64(tmp2, v133)
                v136 = load_f64(tmp3, v133)
                v137 = load_f64(tmp1, v133)
                v138 = load_f64(in0, d0 * q131 + j132)
                v139 = v134 + v138
                v140 = v138 - v137
                v141 = v140 * v140
                v142 = v135 + v141
                v143 = v136 + v140
                store_f64(tmp0, v133, v139)
                store_f64(tmp2, v133, v142)
                store_f64(tmp3, v133, v143)
        v144 = multiply_i64(v3, n5)
        v145 = multiply_i64(v4, n0)
        v146 = add_i64(v144, v145)
        for j147 in range(v5, v7):
            v148 = subtract_i64(j147, v5)
            v149 = load_f64(tmp0, v148)
            store_f64(tmp4, v146 + j147, v149)
            v150 = load_f64(tmp2, v148)
            store_f64(tmp5, v146 + j147, v150)
            v151 = load_f64(tmp3, v148)
            store_f64(tmp6, v146 + j147, v151)
            v152 = load_f64(tmp1, v148)
            store_f64(tmp7, v146 + j147, v152)
    watch_end(flags, before)

def kernel(begin, end, n0, n1, n2, tmp0, n3, n4, tmp1, tmp2, tmp3, s0, out0, flags):
    before = watch_begin()
    v0 = subtract_i64(end, begin)
    v1 = divide_i64(v0, 32)
    for b2 in range(0, v1):
        v3 = multiply_i64(b2, 32)
        v4 = add_i64(begin, v3)
        state5 = local_f64(32)
        state6 = local_f64(32)
        for l7 in range(0, 32):
            store_f64(state5, l7, 0.0)
            store_f64(state6, l7, 0.0)
        for c8 in range(0, n0):
            for l9 in range(0, 32):
                v10 = load_f64(tmp0, n1 * c8 + v4 + l9)
                v11 = load_f64(state5, l9)
                v12 = load_f64(state6, l9)
                v13 = v11 + v10
                v14 = v13 - v11
                v15 = v13 - v14
                v16 = v11 - v15
                v17 = v10 - v14
                v18 = v16 + v17
                v19 = v12 + v18
                store_f64(state5, l9, v13)
                store_f64(state6, l9, v19)
        state20 = local_f64(32)
        state21 = local_f64(32)
        for l22 in range(0, 32):
            store_f64(state20, l22, 0.0)
            store_f64(state21, l22, 0.0)
        mean23 = local_f64(32)
        for l24 in range(0, 32):
            v25 = load_f64(state5, l24)
            v26 = load_f64(state6, l24)
            v27 = v25 + v26
            v28 = v26 == v26
            v29 = select_f64(v28, v27, v25)
            v30 = convert_i64_f64(n2)
            v31 = v29 / v30
            store_f64(mean23, l24, v31)
        for c32 in range(0, n0):
            v33 = multiply_i64(c32, n4)
            v34 = subtract_i64(n3, v33)
            v35 = minimum_i64(v34, n4)
            for l36 in range(0, 32):
                v37 = load_f64(tmp1, n1 * c32 + v4 + l36)
                v38 = load_f64(tmp2, n1 * c32 + v4 + l36)
                v39 = load_f64(tmp3, n1 * c32 + v4 + l36)
                v40 = load_f64(mean23, l36)
                v41 = v39 - v40
                v42 = convert_i64_f64(v35)
                v43 = v38 + v38
                v44 = v42 * v41
                v45 = v43 + v44
                v46 = v41 * v45
                v47 = v37 + v46
                v48 = load_f64(state20, l36)
                v49 = load_f64(state21, l36)
                v50 = v48 + v47
                v51 = v50 - v48
                v52 = v50 - v51
                v53 = v48 - v52
                v54 = v47 - v51
                v55 = v53 + v54
                v56 = v49 + v55
                store_f64(state20, l36, v50)
                store_f64(state21, l36, v56)
        for l57 in range(0, 32):
            v58 = add_i64(v4, l57)
            v64 = load_f64(state20, l57)
            v65 = load_f64(state21, l57)
            v66 = v64 + v65
            v67 = v65 == v65
            v68 = select_f64(v67, v66, v64)
            v69 = v68 / s0
            store_f64(out0, v58, v69)
    v70 = multiply_i64(v1, 32)
    v71 = add_i64(begin, v70)
    for o72 in range(v71, end):
        state73 = local_f64(1)
        state74 = local_f64(1)
        for l75 in range(0, 1):
            store_f64(state73, l75, 0.0)
            store_f64(state74, l75, 0.0)
        for c76 in range(0, n0):
            for l77 in range(0, 1):
                v78 = load_f64(tmp0, n1 * c76 + o72 + l77)
                v79 = load_f64(state73, l77)
                v80 = load_f64(state74, l77)
                v81 = v79 + v78
                v82 = v81 - v79
                v83 = v81 - v82
                v84 = v79 - v83
                v85 = v78 - v82
                v86 = v84 + v85
                v87 = v80 + v86
                store_f64(state73, l77, v81)
                store_f64(state74, l77, v87)
        state88 = local_f64(1)
        state89 = local_f64(1)
        for l90 in range(0, 1):
            store_f64(state88, l90, 0.0)
            store_f64(state89, l90, 0.0)
        mean91 = local_f64(1)
        for l92 in range(0, 1):
            v93 = load_f64(state73, l92)
            v94 = load_f64(state74, l92)
            v95 = v93 + v94
            v96 = v94 == v94
            v97 = select_f64(v96, v95, v93)
            v98 = convert_i64_f64(n2)
            v99 = v97 / v98
            store_f64(mean91, l92, v99)
        for c100 in range(0, n0):
            v101 = multiply_i64(c100, n4)
            v102 = subtract_i64(n3, v101)
            v103 = minimum_i64(v102, n4)
            for l104 in range(0, 1):
                v105 = load_f64(tmp1, n1 * c100 + o72 + l104)
                v106 = load_f64(tmp2, n1 * c100 + o72 + l104)
                v107 = load_f64(tmp3, n1 * c100 + o72 + l104)
                v108 = load_f64(mean91, l104)
                v109 = v107 - v108
                v110 = convert_i64_f64(v103)
                v111 = v106 + v106
                v112 = v110 * v109
                v113 = v111 + v112
                v114 = v109 * v113
                v115 = v105 + v114
                v116 = load_f64(state88, l104)
                v117 = load_f64(state89, l104)
                v118 = v116 + v115
                v119 = v118 - v116
                v120 = v118 - v119
                v121 = v116 - v120
                v122 = v115 - v119
                v123 = v121 + v122
                v124 = v117 + v123
                store_f64(state88, l104, v118)
                store_f64(state89, l104, v124)
        for l125 in range(0, 1):
            v126 = add_i64(o72, l125)
            v132 = load_f64(state88, l125)
            v133 = load_f64(state89, l125)
            v134 = v132 + v133
            v135 = v133 == v133
            v136 = select_f64(v135, v134, v132)
            v137 = v136 / s0
            store_f64(out0, v126, v137)
    watch_end(flags, before)
