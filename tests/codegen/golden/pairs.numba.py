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
            for i29 in range(0, v19):
                for k30 in range(0, v26):
                    v31 = add_i64(v9, i29)
                    v32 = minimum_i64(v31, v27)
                    v33 = add_i64(v24, k30)
                    v34 = load_f32(in0, v33 + d0 * v32)
                    store_f32(tmp0, 144 * i29 + k30, v34)
            v35 = divide_i64(v13, 32)
            for p36 in range(0, v17):
                v37 = multiply_i64(p36, 32)
                v38 = subtract_i64(v13, v37)
                v39 = minimum_i64(v38, 32)
                for j40 in range(0, v39):
                    for k41 in range(0, v26):
                        v43 = add_i64(v7, v37)
                        v44 = add_i64(v43, j40)
                        v45 = add_i64(v24, k41)
                        v46 = load_f32(in1, v45 + d1 * v44)
                        store_f32(tmp1, 4096 * p36 + j40 + 32 * k41, v46)
            for p47 in range(v35, v17):
                for k48 in range(0, v26):
                    v49 = multiply_i64(p47, 32)
                    v50 = subtract_i64(v13, v49)
                    v51 = subtract_i64(v50, 1)
                    for j52 in range(v50, 32):
                        v53 = load_f32(tmp1, 4096 * p47 + v51 + 32 * k48)
                        store_f32(tmp1, 4096 * p47 + j52 + 32 * k48, v53)
            for p54 in range(0, v17):
                for t55 in range(0, v15):
                    v56 = multiply_i64(t55, 4)
                    tile57 = local_f32(128)
                    for l58 in range(0, 32):
                        store_f32(tile57, l58, constant_f32(0.0))
                    for l59 in range(0, 32):
                        store_f32(tile57, l59 + 32, constant_f32(0.0))
                    for l60 in range(0, 32):
                        store_f32(tile57, l60 + 64, constant_f32(0.0))
                    for l61 in range(0, 32):
                        store_f32(tile57, l61 + 96, constant_f32(0.0))
                    v62 = divide_i64(v26, 8)
                    for g63 in range(0, v62):
                        v64 = multiply_i64(g63, 8)
                        for l65 in range(0, 32):
                            v66 = load_f32(tmp0, 144 * v56 + v64)
                            v67 = load_f32(tmp1, 4096 * p54 + 32 * v64 + l65)
                            v68 = v66 - v67
                            v69 = v68 * v68
                            v70 = load_f32(tmp0, 144 * v56 + v64 + 1)
                            v71 = load_f32(tmp1, 4096 * p54 + 32 * v64 + l65 + 32)
                            v72 = v70 - v71
                            v73 = v72 * v72
                            v74 = load_f32(tmp0, 144 * v56 + v64 + 2)
                            v75 = load_f32(tmp1, 4096 * p54 + 32 * v64 + l65 + 64)
                            v76 = v74 - v75
                            v77 = v76 * v76
                            v78 = load_f32(tmp0, 144 * v56 + v64 + 3)
                            v79 = load_f32(tmp1, 4096 * p54 + 32 * v64 + l65 + 96)
                            v80 = v78 - v79
                            v81 = v80 * v80
                            v82 = load_f32(tmp0, 144 * v56 + v64 + 4)
                            v83 = load_f32(tmp1, 4096 * p54 + 32 * v64 + l65 + 128)
                            v84 = v82 - v83
                            v85 = v84 * v84
                            v86 = load_f32(tmp0, 144 * v56 + v64 + 5)
                            v87 = load_f32(tmp1, 4096 * p54 + 32 * v64 + l65 + 160)
                            v88 = v86 - v87
                            v89 = v88 * v88
                            v90 = load_f32(tmp0, 144 * v56 + v64 + 6)
                            v91 = load_f32(tmp1, 4096 * p54 + 32 * v64 + l65 + 192)
                            v92 = v90 - v91
                            v93 = v92 * v92
                            v94 = load_f32(tmp0, 144 * v56 + v64 + 7)
                            v95 = load_f32(tmp1, 4096 * p54 + 32 * v64 + l65 + 224)
                            v96 = v94 - v95
                            v97 = v96 * v96
                            v98 = load_f32(tile57, l65)
                            v99 = v69 + v73
                            v100 = v77 + v81
                            v101 = v85 + v89
                            v102 = v93 + v97
                            v103 = v99 + v100
                            v104 = v101 + v102
                            v105 = v103 + v104
                            v106 = v98 + v105
                            store_f32(tile57, l65, v106)
                            v107 = load_f32(tmp0, 144 * v56 + v64 + 144)
                            v108 = v107 - v67
                            v109 = v108 * v108
                            v110 = load_f32(tmp0, 144 * v56 + v64 + 145)
                            v111 = v110 - v71
                            v112 = v111 * v111
                            v113 = load_f32(tmp0, 144 * v56 + v64 + 146)
                            v114 = v113 - v75
                            v115 = v114 * v114
                            v116 = load_f32(tmp0, 144 * v56 + v64 + 147)
                            v117 = v116 - v79
                            v118 = v117 * v117
                            v119 = load_f32(tmp0, 144 * v56 + v64 + 148)
                            v120 = v119 - v83
                            v121 = v120 * v120
                            v122 = load_f32(tmp0, 144 * v56 + v64 + 149)
                            v123 = v122 - v87
                            v124 = v123 * v123
                            v125 = load_f32(tmp0, 144 * v56 + v64 + 150)
                            v126 = v125 - v91
                            v127 = v126 * v126
                            v128 = load_f32(tmp0, 144 * v56 + v64 + 151)
                            v129 = v128 - v95
                            v130 = v129 * v129
                            v131 = load_f32(tile57, l65 + 32)
                            v132 = v109 + v112
                            v133 = v115 + v118
                            v134 = v121 + v124
                            v135 = v127 + v130
                            v136 = v132 + v133
                            v137 = v134 + v135
                            v138 = v136 + v137
                            v139 = v131 + v138
                            store_f32(tile57, l65 + 32, v139)
                            v140 = load_f32(tmp0, 144 * v56 + v64 + 288)
                            v141 = v140 - v67
                            v142 = v141 * v141
                            v143 = load_f32(tmp0, 144 * v56 + v64 + 289)
                            v144 = v143 - v71
                            v145 = v144 * v144
                            v146 = load_f32(tmp0, 144 * v56 + v64 + 290)
                            v147 = v146 - v75
                            v148 = v147 * v147
                            v149 = load_f32(tmp0, 144 * v56 + v64 + 291)
                            v150 = v149 - v79
                            v151 = v150 * v150
                            v152 = load_f32(tmp0, 144 * v56 + v64 + 292)
                            v153 = v152 - v83
                            v154 = v153 * v153
                            v155 = load_f32(tmp0, 144 * v56 + v64 + 293)
                            v156 = v155 - v87
                            v157 = v156 * v156
                            v158 = load_f32(tmp0, 144 * v56 + v64 + 294)
                            v159 = v158 - v91
                            v160 = v159 * v159
                            v161 = load_f32(tmp0, 144 * v56 + v64 + 295)
                            v162 = v161 - v95
                            v163 = v162 * v162
                            v164 = load_f32(tile57, l65 + 64)
                            v165 = v142 + v145
                            v166 = v148 + v151
                            v167 = v154 + v157
                            v168 = v160 + v163
                            v169 = v165 + v166
                            v170 = v167 + v168
                            v171 = v169 + v170
                            v172 = v164 + v171
                            store_f32(tile57, l65 + 64, v172)
                            v173 = load_f32(tmp0, 144 * v56 + v64 + 432)
                            v174 = v173 - v67
                            v175 = v174 * v174
                            v176 = load_f32(tmp0, 144 * v56 + v64 + 433)
                            v177 = v176 - v71
                            v178 = v177 * v177
                            v179 = load_f32(tmp0, 144 * v56 + v64 + 434)
                            v180 = v179 - v75
                            v181 = v180 * v180
                            v182 = load_f32(tmp0, 144 * v56 + v64 + 435)
                            v183 = v182 - v79
                            v184 = v183 * v183
                            v185 = load_f32(tmp0, 144 * v56 + v64 + 436)
                            v186 = v185 - v83
                            v187 = v186 * v186
                            v188 = load_f32(tmp0, 144 * v56 + v64 + 437)
                            v189 = v188 - v87
                            v190 = v189 * v189
                            v191 = load_f32(tmp0, 144 * v56 + v64 + 438)
                            v192 = v191 - v91
                            v193 = v192 * v192
                            v194 = load_f32(tmp0, 144 * v56 + v64 + 439)
                            v195 = v194 - v95
                            v196 = v195 * v195
                            v197 = load_f32(tile57, l65 + 96)
                            v198 = v175 + v178
                            v199 = v181 + v184
                            v200 = v187 + v190
                            v201 = v193 + v196
                            v202 = v198 + v199
                            v203 = v200 + v201
                            v204 = v202 + v203
                            v205 = v197 + v204
                            store_f32(tile57, l65 + 96, v205)
                    v206 = multiply_i64(v62, 8)
                    for k207 in range(v206, v26):
                        for l208 in range(0, 32):
                            v209 = load_f32(tmp0, 144 * v56 + k207)
                            v210 = load_f32(tmp1, 4096 * p54 + 32 * k207 + l208)
                            v211 = v209 - v210
                            v212 = v211 * v211
                            v213 = load_f32(tile57, l208)
                            v214 = v213 + v212
                            store_f32(tile57, l208, v214)
                            v215 = load_f32(tmp0, 144 * v56 + k207 + 144)
                            v216 = v215 - v210
                            v217 = v216 * v216
                            v218 = load_f32(tile57, l208 + 32)
                            v219 = v218 + v217
                            store_f32(tile57, l208 + 32, v219)
                            v220 = load_f32(tmp0, 144 * v56 + k207 + 288)
                            v221 = v220 - v210
                            v222 = v221 * v221
                            v223 = load_f32(tile57, l208 + 64)
                            v224 = v223 + v222
                            store_f32(tile57, l208 + 64, v224)
                            v225 = load_f32(tmp0, 144 * v56 + k207 + 432)
                            v226 = v225 - v210
                            v227 = v226 * v226
                            v228 = load_f32(tile57, l208 + 96)
                            v229 = v228 + v227
                            store_f32(tile57, l208 + 96, v229)
                    v230 = multiply_i64(p54, 32)
                    v231 = multiply_i64(v56, 384)
                    v232 = add_i64(v231, v230)
                    for l233 in range(0, 32):
                        v234 = load_f32(tile57, l233)
                        v235 = load_f64(tmp2, v232 + l233)
                        v236 = convert_f32_f64(v234)
                        v237 = v235 + v236
                        store_f64(tmp2, v232 + l233, v237)
                    for l238 in range(0, 32):
                        v239 = load_f32(tile57, l238 + 32)
                        v240 = load_f64(tmp2, v232 + l238 + 384)
                        v241 = convert_f32_f64(v239)
                        v242 = v240 + v241
                        store_f64(tmp2, v232 + l238 + 384, v242)
                    for l243 in range(0, 32):
                        v244 = load_f32(tile57, l243 + 64)
                        v245 = load_f64(tmp2, v232 + l243 + 768)
                        v246 = convert_f32_f64(v244)
                        v247 = v245 + v246
                        store_f64(tmp2, v232 + l243 + 768, v247)
                    for l248 in range(0, 32):
                        v249 = load_f32(tile57, l248 + 96)
                        v250 = load_f64(tmp2, v232 + l248 + 1152)
                        v251 = convert_f32_f64(v249)
                        v252 = v250 + v251
                        store_f64(tmp2, v232 + l248 + 1152, v252)
        for i253 in range(0, v11):
            v254 = multiply_i64(i253, 384)
            v255 = add_i64(v9, i253)
            for j256 in range(0, v13):
                v257 = add_i64(v7, j256)
                v258 = load_f64(tmp2, v254 + j256)
                v259 = convert_f64_f32(v258)
                v260 = negative_f32(v259)
                v261 = exp_f32(v260)
                store_f32(out0, d2 * v255 + v257, v261)
    watch_end(flags, before)
