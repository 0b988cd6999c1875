def kernel(begin, end, n0, n1, n2, n3, n4, n5, n6, n7, in0, tmp0, tmp1, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = remainder_i64(w0, n6)
        v2 = divide_i64(w0, n6)
        v3 = multiply_i64(v1, 4)
        v4 = add_i64(v3, 4)
        v5 = multiply_i64(v4, n2)
        v6 = v5 <= n1
        if v6:
            v7 = multiply_i64(v2, n0)
            v8 = add_i64(v3, 1)
            v9 = add_i64(v3, 2)
            v10 = add_i64(v3, 3)
            v11 = multiply_i64(v3, n5)
            v12 = add_i64(v11, v7)
            v13 = multiply_i64(v8, n5)
            v14 = add_i64(v13, v7)
            v15 = multiply_i64(v9, n5)
            v16 = add_i64(v15, v7)
            v17 = multiply_i64(v10, n5)
            v18 = add_i64(v17, v7)
            v19 = multiply_i64(v3, n2)
            state20 = 0.0
            state21 = 0.0
            state22 = 0.0
            state23 = 0.0
            state24 = 0.0
            state25 = 0.0
            state26 = 0.0
            state27 = 0.0
            state28 = 0.0
            state29 = 0.0
            state30 = 0.0
            state31 = 0.0
            v32 = subtract_i64(n7, 1)
            v33 = add_i64(n2, v32)
            v34 = divide_i64(v33, n7)
            for k35 in range(0, v34):
                v36 = multiply_i64(k35, n7)
                v37 = add_i64(v36, n7)
                v38 = minimum_i64(v37, n2)
                for s39 in range(0, 4):
                    v40 = multiply_i64(s39, n2)
                    v41 = add_i64(v19, v40)
                    v42 = add_i64(v41, v36)
                    v43 = add_i64(v41, v38)
                    v44 = multiply_i64(v42, n0)
                    v45 = multiply_i64(v43, n0)
                    for i46 in range(v44, v45):
                        v47 = load_f64(in0, i46)
                        v48 = exp_f64(v47)
                        v49 = subtract_i64(i46, v44)
                        line50 = local_f64(2048)
                        store_f64(line50, 512 * s39 + v49, v48)
                v51 = subtract_i64(v38, v36)
                for q52 in range(0, v51):
                    v53 = multiply_i64(q52, 3)
                    v54 = load_f64(line50, v53)
                    v55 = state20
                    v56 = v55 + v54
                    state20 = v56
                    v57 = load_f64(line50, v53 + 1)
                    v58 = state21
                    v59 = v58 + v57
                    state21 = v59
                    v60 = load_f64(line50, v53 + 2)
                    v61 = state22
                    v62 = v61 + v60
                    state22 = v62
                    v63 = load_f64(line50, v53 + 512)
                    v64 = state23
                    v65 = v64 + v63
                    state23 = v65
                    v66 = load_f64(line50, v53 + 513)
                    v67 = state24
                    v68 = v67 + v66
                    state24 = v68
                    v69 = load_f64(line50, v53 + 514)
                    v70 = state25
                    v71 = v70 + v69
                    state25 = v71
                    v72 = load_f64(line50, v53 + 1024)
                    v73 = state26
                    v74 = v73 + v72
                    state26 = v74
                    v75 = load_f64(line50, v53 + 1025)
                    v76 = state27
                    v77 = v76 + v75
                    state27 = v77
                    v78 = load_f64(line50, v53 + 1026)
                    v79 = state28
                    v80 = v79 + v78
                    state28 = v80
                    v81 = load_f64(line50, v53 + 1536)
                    v82 = state29
                    v83 = v82 + v81
                    state29 = v83
                    v84 = load_f64(line50, v53 + 1537)
                    v85 = state30
                    v86 = v85 + v84
                    state30 = v86
                    v87 = load_f64(line50, v53 + 1538)
                    v88 = state31
                    v89 = v88 + v87
                    state31 = v89
            v90 = state20
            store_f64(tmp0, v12, v90)
            v91 = state21
            store_f64(tmp0, v12 + 1, v91)
            v92 = state22
            store_f64(tmp0, v12 + 2, v92)
            v93 = state23
            store_f64(tmp0, v14, v93)
            v94 = state24
            store_f64(tmp0, v14 + 1, v94)
            v95 = state25
            store_f64(tmp0, v14 + 2, v95)
            v96 = state26
            store_f64(tmp0, v16, v96)
            v97 = state27
            store_f64(tmp0, v16 + 1, v97)
            v98 = state28
            store_f64(tmp0, v16 + 2, v98)
            v99 = state29
            store_f64(tmp0, v18, v99)
            v100 = state30
            store_f64(tmp0, v18 + 1, v100)
            v101 = state31
            store_f64(tmp0, v18 + 2, v101)
        v102 = not_b1(v6)
        if v102:
            v103 = minimum_i64(v4, n3)
            for c104 in range(v3, v103):
                v105 = multiply_i64(0, 1024)
                v106 = add_i64(v105, 1024)
                v107 = minimum_i64(v106, n0)
                v108 = multiply_i64(c104, n2)
                v109 = add_i64(v108, n2)
                v110 = minimum_i64(v109, n1)
                for j111 in range(v105, v107):
                    v112 = subtract_i64(j111, v105)
                    store_f64(tmp1, v112, 0.0)
                v113 = subtract_i64(n7, 1)
                v114 = subtract_i64(v110, v108)
                v115 = add_i64(v114, v113)
                v116 = divide_i64(v115, n7)
                for k117 in range(0, v116):
                    v118 = multiply_i64(k117, n7)
                    v119 = add_i64(v108, v118)
                    v120 = add_i64(v119, n7)
                    v121 = minimum_i64(v120, v110)
                    v122 = multiply_i64(v119, n0)
                    v123 = multiply_i64(v121, n0)
                    for i124 in range(v122, v123):
                        v125 = load_f64(in0, i124)
                        v126 = exp_f64(v125)
                        v127 = subtract_i64(i124, v122)
                        line128 = local_f64(512)
                        store_f64(line128, v127, v126)
                    v129 = subtract_i64(v121, v119)
                    v130 = divide_i64(v129, 8)
                    for g131 in range(0, v130):
                        v132 = multiply_i64(g131, 8)
                        v133 = add_i64(v119, v132)
                        v134 = add_i64(v133, 0)
                        v135 = add_i64(v133, 1)
                        v136 = add_i64(v133, 2)
                        v137 = add_i64(v133, 3)
                        v138 = add_i64(v133, 4)
                        v139 = add_i64(v133, 5)
                        v140 = add_i64(v133, 6)
                        v141 = add_i64(v133, 7)
                        for j142 in range(v105, v107):
                            v143 = subtract_i64(j142, v105)
                            v144 = load_f64(tmp1, v143)
                            v145 = subtract_i64(v134, v119)
                            v146 = multiply_i64(v145, n0)
                            v148 = load_f64(line128, v146 + v143)
                            v149 = v144 + v148
                            v150 = subtract_i64(v135, v119)
                            v151 = multiply_i64(v150, n0)
                            v153 = load_f64(line128, v151 + v143)
                            v154 = v149 + v153
                            v155 = subtract_i64(v136, v119)
                            v156 = multiply_i64(v155, n0)
                            v158 = load_f64(line128, v156 + v143)
                            v159 = v154 + v158
                            v160 = subtract_i64(v137, v119)
                            v161 = multiply_i64(v160, n0)
                            v163 = load_f64(line128, v161 + v143)
                            v164 = v159 + v163
                            v165 = subtract_i64(v138, v119)
                            v166 = multiply_i64(v165, n0)
                            v168 = load_f64(line128, v166 + v143)
                            v169 = v164 + v168
                            v170 = subtract_i64(v139, v119)
                            v171 = multiply_i64(v170, n0)
                            v173 = load_f64(line128, v171 + v143)
                            v174 = v169 + v173
                            v175 = subtract_i64(v140, v119)
                            v176 = multiply_i64(v175, n0)
                            v178 = load_f64(line128, v176 + v143)
                            v179 = v174 + v178
                            v180 = subtract_i64(v141, v119)
                            v181 = multiply_i64(v180, n0)
                            v183 = load_f64(line128, v181 + v143)
                            v184 = v179 + v183
                            store_f64(tmp1, v143, v184)
                    v185 = multiply_i64(v130, 8)
                    v186 = add_i64(v119, v185)
                    for q187 in range(v186, v121):
                        for j188 in range(v105, v107):
                            v189 = subtract_i64(j188, v105)
                            v190 = load_f64(tmp1, v189)
                            v191 = subtract_i64(q187, v119)
                            v192 = multiply_i64(v191, n0)
                            v194 = load_f64(line128, v192 + v189)
                            v195 = v190 + v194
                            store_f64(tmp1, v189, v195)
                v196 = multiply_i64(c104, n5)
                v197 = multiply_i64(v2, n0)
                v198 = add_i64(v196, v197)
                for j199 in range(v105, v107):
                    v200 = subtract_i64(j199, v105)
                    v201 = load_f64(tmp1, v200)
                    store_f64(tmp0, v198 + j199, v201)
    watch_end(flags, before)

def kernel(begin, end, n0, n1, n2, tmp0, out0, flags):
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
        for l20 in range(0, 32):
            v21 = add_i64(v4, l20)
            v22 = load_f64(state5, l20)
            v23 = load_f64(state6, l20)
            v24 = v22 + v23
            v25 = v23 == v23
            v26 = select_f64(v25, v24, v22)
            store_f64(out0, v21, v26)
    v27 = multiply_i64(v1, 32)
    v28 = add_i64(begin, v27)
    for o29 in range(v28, end):
        state30 = local_f64(1)
        state31 = local_f64(1)
        for l32 in range(0, 1):
            store_f64(state30, l32, 0.0)
            store_f64(state31, l32, 0.0)
        for c33 in range(0, n0):
            for l34 in range(0, 1):
                v35 = load_f64(tmp0, n1 * c33 + o29 + l34)
                v36 = load_f64(state30, l34)
                v37 = load_f64(state31, l34)
                v38 = v36 + v35
                v39 = v38 - v36
                v40 = v38 - v39
                v41 = v36 - v40
                v42 = v35 - v39
                v43 = v41 + v42
                v44 = v37 + v43
                store_f64(state30, l34, v38)
                store_f64(state31, l34, v44)
        for l45 in range(0, 1):
            v46 = add_i64(o29, l45)
            v47 = load_f64(state30, l45)
            v48 = load_f64(state31, l45)
            v49 = v47 + v48
            v50 = v48 == v48
            v51 = select_f64(v50, v49, v47)
            store_f64(out0, v46, v51)
    watch_end(flags, before)
