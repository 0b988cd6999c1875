def kernel(begin, end, tmp0, tmp1, tmp2, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, in0, d0, in1, d1, out0, d2, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = divide_i64(w0, n4)
        v2 = divide_i64(v1, n3)
        v3 = multiply_i64(v2, n4)
        v4 = remainder_i64(w0, n4)
        v5 = add_i64(v3, v4)
        v6 = remainder_i64(v1, n3)
        v7 = multiply_i64(v6, n6)
        v8 = remainder_i64(v5, n2)
        v9 = multiply_i64(v8, n5)
        v10 = subtract_i64(n0, v9)
        v11 = minimum_i64(n5, v10)
        v12 = subtract_i64(n1, v7)
        v13 = minimum_i64(n6, v12)
        v14 = add_i64(v11, 3)
        v15 = divide_i64(v14, 4)
        v16 = add_i64(v13, 31)
        v17 = divide_i64(v16, 32)
        v18 = divide_i64(v5, n2)
        v19 = multiply_i64(v15, 4)
        for i20 in range(0, v19):
            v21 = multiply_i64(i20, 384)
            for j22 in range(0, 384):
                store_f64(tmp2, v21 + j22, 0.0)
        for s23 in range(0, n9):
            v24 = multiply_i64(s23, n8)
            v25 = subtract_i64(n7, v24)
            v26 = minimum_i64(n8, v25)
            v27 = subtract_i64(n0, 1)
            for i28 in range(0, v19):
                for k29 in range(0, v26):
                    v30 = add_i64(v9, i28)
                    v31 = minimum_i64(v30, v27)
                    v32 = add_i64(v24, k29)
                    v33 = load_f32(in0, v32 + d0 * v31)
                    store_f32(tmp0, 144 * i28 + k29, v33)
            v34 = divide_i64(v13, 32)
            for p35 in range(0, v17):
                v36 = multiply_i64(p35, 32)
                v37 = subtract_i64(v13, v36)
                v38 = minimum_i64(v37, 32)
                for j39 in range(0, v38):
                    for k40 in range(0, v26):
                        v41 = add_i64(v7, v36)
                        v42 = add_i64(v41, j39)
                        v43 = add_i64(v24, k40)
                        v44 = load_f32(in1, v43 + d1 * v42)
                        store_f32(tmp1, 4096 * p35 + j39 + 32 * k40, v44)
            for p45 in range(v34, v17):
                for k46 in range(0, v26):
                    v47 = multiply_i64(p45, 32)
                    v48 = subtract_i64(v13, v47)
                    v49 = subtract_i64(v48, 1)
                    for j50 in range(v48, 32):
                        v51 = load_f32(tmp1, 4096 * p45 + v49 + 32 * k46)
                        store_f32(tmp1, 4096 * p45 + j50 + 32 * k46, v51)
            for p52 in range(0, v17):
                for t53 in range(0, v15):
                    v54 = multiply_i64(t53, 4)
                    tile55 = local_f32(128)
                    for l56 in range(0, 32):
                        store_f32(tile55, l56, constant_f32(0.0))
                    for l57 in range(0, 32):
                        store_f32(tile55, l57 + 32, constant_f32(0.0))
                    for l58 in range(0, 32):
                        store_f32(tile55, l58 + 64, constant_f32(0.0))
                    for l59 in range(0, 32):
                        store_f32(tile55, l59 + 96, constant_f32(0.0))
                    v60 = divide_i64(v26, 8)
                    for g61 in range(0, v60):
                        v62 = multiply_i64(g61, 8)
                        for l63 in range(0, 32):
                            v64 = load_f32(tmp0, 144 * v54 + v62)
                            v65 = load_f32(tmp1, 4096 * p52 + 32 * v62 + l63)
                            v66 = v64 - v65
                            v67 = v66 * v66
                            v68 = load_f32(tmp0, 144 * v54 + v62 + 1)
                            v69 = load_f32(tmp1, 4096 * p52 + 32 * v62 + l63 + 32)
                            v70 = v68 - v69
                            v71 = v70 * v70
                            v72 = load_f32(tmp0, 144 * v54 + v62 + 2)
                            v73 = load_f32(tmp1, 4096 * p52 + 32 * v62 + l63 + 64)
                            v74 = v72 - v73
                            v75 = v74 * v74
                            v76 = load_f32(tmp0, 144 * v54 + v62 + 3)
                            v77 = load_f32(tmp1, 4096 * p52 + 32 * v62 + l63 + 96)
                            v78 = v76 - v77
                            v79 = v78 * v78
                            v80 = load_f32(tmp0, 144 * v54 + v62 + 4)
                            v81 = load_f32(tmp1, 4096 * p52 + 32 * v62 + l63 + 128)
                            v82 = v80 - v81
                            v83 = v82 * v82
                            v84 = load_f32(tmp0, 144 * v54 + v62 + 5)
                            v85 = load_f32(tmp1, 4096 * p52 + 32 * v62 + l63 + 160)
                            v86 = v84 - v85
                            v87 = v86 * v86
                            v88 = load_f32(tmp0, 144 * v54 + v62 + 6)
                            v89 = load_f32(tmp1, 4096 * p52 + 32 * v62 + l63 + 192)
                            v90 = v88 - v89
                            v91 = v90 * v90
                            v92 = load_f32(tmp0, 144 * v54 + v62 + 7)
                            v93 = load_f32(tmp1, 4096 * p52 + 32 * v62 + l63 + 224)
                            v94 = v92 - v93
                            v95 = v94 * v94
                            v96 = load_f32(tile55, l63)
                            v97 = v67 + v71
                            v98 = v75 + v79
                            v99 = v83 + v87
                            v100 = v91 + v95
                            v101 = v97 + v98
                            v102 = v99 + v100
                            v103 = v101 + v102
                            v104 = v96 + v103
                            store_f32(tile55, l63, v104)
                            v105 = load_f32(tmp0, 144 * v54 + v62 + 144)
                            v106 = v105 - v65
                            v107 = v106 * v106
                            v108 = load_f32(tmp0, 144 * v54 + v62 + 145)
                            v109 = v108 - v69
                            v110 = v109 * v109
                            v111 = load_f32(tmp0, 144 * v54 + v62 + 146)
                            v112 = v111 - v73
                            v113 = v112 * v112
                            v114 = load_f32(tmp0, 144 * v54 + v62 + 147)
                            v115 = v114 - v77
                            v116 = v115 * v115
                            v117 = load_f32(tmp0, 144 * v54 + v62 + 148)
                            v118 = v117 - v81
                            v119 = v118 * v118
                            v120 = load_f32(tmp0, 144 * v54 + v62 + 149)
                            v121 = v120 - v85
                            v122 = v121 * v121
                            v123 = load_f32(tmp0, 144 * v54 + v62 + 150)
                            v124 = v123 - v89
                            v125 = v124 * v124
                            v126 = load_f32(tmp0, 144 * v54 + v62 + 151)
                            v127 = v126 - v93
                            v128 = v127 * v127
                            v129 = load_f32(tile55, l63 + 32)
                            v130 = v107 + v110
                            v131 = v113 + v116
                            v132 = v119 + v122
                            v133 = v125 + v128
                            v134 = v130 + v131
                            v135 = v132 + v133
                            v136 = v134 + v135
                            v137 = v129 + v136
                            store_f32(tile55, l63 + 32, v137)
                            v138 = load_f32(tmp0, 144 * v54 + v62 + 288)
                            v139 = v138 - v65
                            v140 = v139 * v139
                            v141 = load_f32(tmp0, 144 * v54 + v62 + 289)
                            v142 = v141 - v69
                            v143 = v142 * v142
                            v144 = load_f32(tmp0, 144 * v54 + v62 + 290)
                            v145 = v144 - v73
                            v146 = v145 * v145
                            v147 = load_f32(tmp0, 144 * v54 + v62 + 291)
                            v148 = v147 - v77
                            v149 = v148 * v148
                            v150 = load_f32(tmp0, 144 * v54 + v62 + 292)
                            v151 = v150 - v81
                            v152 = v151 * v151
                            v153 = load_f32(tmp0, 144 * v54 + v62 + 293)
                            v154 = v153 - v85
                            v155 = v154 * v154
                            v156 = load_f32(tmp0, 144 * v54 + v62 + 294)
                            v157 = v156 - v89
                            v158 = v157 * v157
                            v159 = load_f32(tmp0, 144 * v54 + v62 + 295)
                            v160 = v159 - v93
                            v161 = v160 * v160
                            v162 = load_f32(tile55, l63 + 64)
                            v163 = v140 + v143
                            v164 = v146 + v149
                            v165 = v152 + v155
                            v166 = v158 + v161
                            v167 = v163 + v164
                            v168 = v165 + v166
                            v169 = v167 + v168
                            v170 = v162 + v169
                            store_f32(tile55, l63 + 64, v170)
                            v171 = load_f32(tmp0, 144 * v54 + v62 + 432)
                            v172 = v171 - v65
                            v173 = v172 * v172
                            v174 = load_f32(tmp0, 144 * v54 + v62 + 433)
                            v175 = v174 - v69
                            v176 = v175 * v175
                            v177 = load_f32(tmp0, 144 * v54 + v62 + 434)
                            v178 = v177 - v73
                            v179 = v178 * v178
                            v180 = load_f32(tmp0, 144 * v54 + v62 + 435)
                            v181 = v180 - v77
                            v182 = v181 * v181
                            v183 = load_f32(tmp0, 144 * v54 + v62 + 436)
                            v184 = v183 - v81
                            v185 = v184 * v184
                            v186 = load_f32(tmp0, 144 * v54 + v62 + 437)
                            v187 = v186 - v85
                            v188 = v187 * v187
                            v189 = load_f32(tmp0, 144 * v54 + v62 + 438)
                            v190 = v189 - v89
                            v191 = v190 * v190
                            v192 = load_f32(tmp0, 144 * v54 + v62 + 439)
                            v193 = v192 - v93
                            v194 = v193 * v193
                            v195 = load_f32(tile55, l63 + 96)
                            v196 = v173 + v176
                            v197 = v179 + v182
                            v198 = v185 + v188
                            v199 = v191 + v194
                            v200 = v196 + v197
                            v201 = v198 + v199
                            v202 = v200 + v201
                            v203 = v195 + v202
                            store_f32(tile55, l63 + 96, v203)
                    v204 = multiply_i64(v60, 8)
                    for k205 in range(v204, v26):
                        for l206 in range(0, 32):
                            v207 = load_f32(tmp0, 144 * v54 + k205)
                            v208 = load_f32(tmp1, 4096 * p52 + 32 * k205 + l206)
                            v209 = v207 - v208
                            v210 = v209 * v209
                            v211 = load_f32(tile55, l206)
                            v212 = v211 + v210
                            store_f32(tile55, l206, v212)
                            v213 = load_f32(tmp0, 144 * v54 + k205 + 144)
                            v214 = v213 - v208
                            v215 = v214 * v214
                            v216 = load_f32(tile55, l206 + 32)
                            v217 = v216 + v215
                            store_f32(tile55, l206 + 32, v217)
                            v218 = load_f32(tmp0, 144 * v54 + k205 + 288)
                            v219 = v218 - v208
                            v220 = v219 * v219
                            v221 = load_f32(tile55, l206 + 64)
                            v222 = v221 + v220
                            store_f32(tile55, l206 + 64, v222)
                            v223 = load_f32(tmp0, 144 * v54 + k205 + 432)
                            v224 = v223 - v208
                            v225 = v224 * v224
                            v226 = load_f32(tile55, l206 + 96)
                            v227 = v226 + v225
                            store_f32(tile55, l206 + 96, v227)
                    v228 = multiply_i64(p52, 32)
                    v229 = multiply_i64(v54, 384)
                    v230 = add_i64(v229, v228)
                    for l231 in range(0, 32):
                        v232 = load_f32(tile55, l231)
                        v233 = load_f64(tmp2, v230 + l231)
                        v234 = convert_f32_f64(v232)
                        v235 = v233 + v234
                        store_f64(tmp2, v230 + l231, v235)
                    for l236 in range(0, 32):
                        v237 = load_f32(tile55, l236 + 32)
                        v238 = load_f64(tmp2, v230 + l236 + 384)
                        v239 = convert_f32_f64(v237)
                        v240 = v238 + v239
                        store_f64(tmp2, v230 + l236 + 384, v240)
                    for l241 in range(0, 32):
                        v242 = load_f32(tile55, l241 + 64)
                        v243 = load_f64(tmp2, v230 + l241 + 768)
                        v244 = convert_f32_f64(v242)
                        v245 = v243 + v244
                        store_f64(tmp2, v230 + l241 + 768, v245)
                    for l246 in range(0, 32):
                        v247 = load_f32(tile55, l246 + 96)
                        v248 = load_f64(tmp2, v230 + l246 + 1152)
                        v249 = convert_f32_f64(v247)
                        v250 = v248 + v249
                        store_f64(tmp2, v230 + l246 + 1152, v250)
        for i251 in range(0, v11):
            v252 = multiply_i64(i251, 384)
            v253 = add_i64(v9, i251)
            for j254 in range(0, v13):
                v255 = add_i64(v7, j254)
                v256 = load_f64(tmp2, v252 + j254)
                v257 = convert_f64_f32(v256)
                v258 = negative_f32(v257)
                v259 = exp_f32(v258)
                store_f32(out0, d2 * v253 + v255, v259)
    watch_end(flags, before)
