def kernel(begin, end, tmp0, tmp1, tmp2, n0, n1, n2, n3, n4, n5, n6, in0, d0, in1, d1, out0, d2, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = divide_i64(w0, n3)
        v2 = remainder_i64(w0, n3)
        v3 = multiply_i64(v2, n5)
        v4 = remainder_i64(v1, n2)
        v5 = multiply_i64(v4, n4)
        v6 = subtract_i64(n0, v5)
        v7 = minimum_i64(n4, v6)
        v8 = subtract_i64(n1, v3)
        v9 = minimum_i64(n5, v8)
        v10 = add_i64(v7, 3)
        v11 = divide_i64(v10, 4)
        v12 = add_i64(v9, 31)
        v13 = divide_i64(v12, 32)
        v14 = divide_i64(v1, n2)
        v15 = multiply_i64(v11, 4)
        for i16 in range(0, v15):
            v17 = multiply_i64(i16, 384)
            for j18 in range(0, 384):
                store_f64(tmp2, v17 + j18, 0.0)
        v19 = add_i64(n6, 127)
        v20 = divide_i64(v19, 128)
        for s21 in range(0, v20):
            v22 = multiply_i64(s21, 128)
            v23 = subtract_i64(n6, v22)
            v24 = minimum_i64(128, v23)
            v25 = subtract_i64(n0, 1)
            for i26 in range(0, v15):
                for k27 in range(0, v24):
                    v28 = add_i64(v5, i26)
                    v29 = minimum_i64(v28, v25)
                    v30 = add_i64(v22, k27)
                    v31 = load_f32(in0, v30 + d0 * v29)
                    store_f32(tmp0, 144 * i26 + k27, v31)
            v32 = divide_i64(v9, 32)
            for p33 in range(0, v13):
                v34 = multiply_i64(p33, 32)
                v35 = subtract_i64(v9, v34)
                v36 = minimum_i64(v35, 32)
                v37 = v36 == 32
                for j38 in range(0, v36):
                    for k39 in range(0, v24):
                        v40 = add_i64(v3, v34)
                        v41 = add_i64(v40, j38)
                        v42 = add_i64(v22, k39)
                        v43 = load_f32(in1, v42 + d1 * v41)
                        store_f32(tmp1, 4096 * p33 + j38 + 32 * k39, v43)
            for p44 in range(v32, v13):
                for k45 in range(0, v24):
                    v46 = multiply_i64(p44, 32)
                    v47 = subtract_i64(v9, v46)
                    v48 = subtract_i64(v47, 1)
                    for j49 in range(v47, 32):
                        v50 = load_f32(tmp1, 4096 * p44 + v48 + 32 * k45)
                        store_f32(tmp1, 4096 * p44 + j49 + 32 * k45, v50)
            for p51 in range(0, v13):
                for t52 in range(0, v11):
                    v53 = multiply_i64(t52, 4)
                    tile54 = local_f32(128)
                    for l55 in range(0, 32):
                        store_f32(tile54, l55, constant_f32(0.0))
                    for l56 in range(0, 32):
                        store_f32(tile54, l56 + 32, constant_f32(0.0))
                    for l57 in range(0, 32):
                        store_f32(tile54, l57 + 64, constant_f32(0.0))
                    for l58 in range(0, 32):
                        store_f32(tile54, l58 + 96, constant_f32(0.0))
                    v59 = divide_i64(v24, 8)
                    for g60 in range(0, v59):
                        v61 = multiply_i64(g60, 8)
                        for l62 in range(0, 32):
                            v63 = load_f32(tmp0, 144 * v53 + v61)
                            v64 = load_f32(tmp1, 4096 * p51 + 32 * v61 + l62)
                            v65 = v63 - v64
                            v66 = v65 * v65
                            v67 = load_f32(tmp0, 144 * v53 + v61 + 1)
                            v68 = load_f32(tmp1, 4096 * p51 + 32 * v61 + l62 + 32)
                            v69 = v67 - v68
                            v70 = v69 * v69
                            v71 = load_f32(tmp0, 144 * v53 + v61 + 2)
                            v72 = load_f32(tmp1, 4096 * p51 + 32 * v61 + l62 + 64)
                            v73 = v71 - v72
                            v74 = v73 * v73
                            v75 = load_f32(tmp0, 144 * v53 + v61 + 3)
                            v76 = load_f32(tmp1, 4096 * p51 + 32 * v61 + l62 + 96)
                            v77 = v75 - v76
                            v78 = v77 * v77
                            v79 = load_f32(tmp0, 144 * v53 + v61 + 4)
                            v80 = load_f32(tmp1, 4096 * p51 + 32 * v61 + l62 + 128)
                            v81 = v79 - v80
                            v82 = v81 * v81
                            v83 = load_f32(tmp0, 144 * v53 + v61 + 5)
                            v84 = load_f32(tmp1, 4096 * p51 + 32 * v61 + l62 + 160)
                            v85 = v83 - v84
                            v86 = v85 * v85
                            v87 = load_f32(tmp0, 144 * v53 + v61 + 6)
                            v88 = load_f32(tmp1, 4096 * p51 + 32 * v61 + l62 + 192)
                            v89 = v87 - v88
                            v90 = v89 * v89
                            v91 = load_f32(tmp0, 144 * v53 + v61 + 7)
                            v92 = load_f32(tmp1, 4096 * p51 + 32 * v61 + l62 + 224)
                            v93 = v91 - v92
                            v94 = v93 * v93
                            v95 = load_f32(tile54, l62)
                            v96 = v66 + v70
                            v97 = v74 + v78
                            v98 = v82 + v86
                            v99 = v90 + v94
                            v100 = v96 + v97
                            v101 = v98 + v99
                            v102 = v100 + v101
                            v103 = v95 + v102
                            store_f32(tile54, l62, v103)
                            v104 = load_f32(tmp0, 144 * v53 + v61 + 144)
                            v105 = v104 - v64
                            v106 = v105 * v105
                            v107 = load_f32(tmp0, 144 * v53 + v61 + 145)
                            v108 = v107 - v68
                            v109 = v108 * v108
                            v110 = load_f32(tmp0, 144 * v53 + v61 + 146)
                            v111 = v110 - v72
                            v112 = v111 * v111
                            v113 = load_f32(tmp0, 144 * v53 + v61 + 147)
                            v114 = v113 - v76
                            v115 = v114 * v114
                            v116 = load_f32(tmp0, 144 * v53 + v61 + 148)
                            v117 = v116 - v80
                            v118 = v117 * v117
                            v119 = load_f32(tmp0, 144 * v53 + v61 + 149)
                            v120 = v119 - v84
                            v121 = v120 * v120
                            v122 = load_f32(tmp0, 144 * v53 + v61 + 150)
                            v123 = v122 - v88
                            v124 = v123 * v123
                            v125 = load_f32(tmp0, 144 * v53 + v61 + 151)
                            v126 = v125 - v92
                            v127 = v126 * v126
                            v128 = load_f32(tile54, l62 + 32)
                            v129 = v106 + v109
                            v130 = v112 + v115
                            v131 = v118 + v121
                            v132 = v124 + v127
                            v133 = v129 + v130
                            v134 = v131 + v132
                            v135 = v133 + v134
                            v136 = v128 + v135
                            store_f32(tile54, l62 + 32, v136)
                            v137 = load_f32(tmp0, 144 * v53 + v61 + 288)
                            v138 = v137 - v64
                            v139 = v138 * v138
                            v140 = load_f32(tmp0, 144 * v53 + v61 + 289)
                            v141 = v140 - v68
                            v142 = v141 * v141
                            v143 = load_f32(tmp0, 144 * v53 + v61 + 290)
                            v144 = v143 - v72
                            v145 = v144 * v144
                            v146 = load_f32(tmp0, 144 * v53 + v61 + 291)
                            v147 = v146 - v76
                            v148 = v147 * v147
                            v149 = load_f32(tmp0, 144 * v53 + v61 + 292)
                            v150 = v149 - v80
                            v151 = v150 * v150
                            v152 = load_f32(tmp0, 144 * v53 + v61 + 293)
                            v153 = v152 - v84
                            v154 = v153 * v153
                            v155 = load_f32(tmp0, 144 * v53 + v61 + 294)
                            v156 = v155 - v88
                            v157 = v156 * v156
                            v158 = load_f32(tmp0, 144 * v53 + v61 + 295)
                            v159 = v158 - v92
                            v160 = v159 * v159
                            v161 = load_f32(tile54, l62 + 64)
                            v162 = v139 + v142
                            v163 = v145 + v148
                            v164 = v151 + v154
                            v165 = v157 + v160
                            v166 = v162 + v163
                            v167 = v164 + v165
                            v168 = v166 + v167
                            v169 = v161 + v168
                            store_f32(tile54, l62 + 64, v169)
                            v170 = load_f32(tmp0, 144 * v53 + v61 + 432)
                            v171 = v170 - v64
                            v172 = v171 * v171
                            v173 = load_f32(tmp0, 144 * v53 + v61 + 433)
                            v174 = v173 - v68
                            v175 = v174 * v174
                            v176 = load_f32(tmp0, 144 * v53 + v61 + 434)
                            v177 = v176 - v72
                            v178 = v177 * v177
                            v179 = load_f32(tmp0, 144 * v53 + v61 + 435)
                            v180 = v179 - v76
                            v181 = v180 * v180
                            v182 = load_f32(tmp0, 144 * v53 + v61 + 436)
                            v183 = v182 - v80
                            v184 = v183 * v183
                            v185 = load_f32(tmp0, 144 * v53 + v61 + 437)
                            v186 = v185 - v84
                            v187 = v186 * v186
                            v188 = load_f32(tmp0, 144 * v53 + v61 + 438)
                            v189 = v188 - v88
                            v190 = v189 * v189
                            v191 = load_f32(tmp0, 144 * v53 + v61 + 439)
                            v192 = v191 - v92
                            v193 = v192 * v192
                            v194 = load_f32(tile54, l62 + 96)
                            v195 = v172 + v175
                            v196 = v178 + v181
                            v197 = v184 + v187
                            v198 = v190 + v193
                            v199 = v195 + v196
                            v200 = v197 + v198
                            v201 = v199 + v200
                            v202 = v194 + v201
                            store_f32(tile54, l62 + 96, v202)
                    v203 = multiply_i64(v59, 8)
                    for k204 in range(v203, v24):
                        for l205 in range(0, 32):
                            v206 = load_f32(tmp0, 144 * v53 + k204)
                            v207 = load_f32(tmp1, 4096 * p51 + 32 * k204 + l205)
                            v208 = v206 - v207
                            v209 = v208 * v208
                            v210 = load_f32(tile54, l205)
                            v211 = v210 + v209
                            store_f32(tile54, l205, v211)
                            v212 = load_f32(tmp0, 144 * v53 + k204 + 144)
                            v213 = v212 - v207
                            v214 = v213 * v213
                            v215 = load_f32(tile54, l205 + 32)
                            v216 = v215 + v214
                            store_f32(tile54, l205 + 32, v216)
                            v217 = load_f32(tmp0, 144 * v53 + k204 + 288)
                            v218 = v217 - v207
                            v219 = v218 * v218
                            v220 = load_f32(tile54, l205 + 64)
                            v221 = v220 + v219
                            store_f32(tile54, l205 + 64, v221)
                            v222 = load_f32(tmp0, 144 * v53 + k204 + 432)
                            v223 = v222 - v207
                            v224 = v223 * v223
                            v225 = load_f32(tile54, l205 + 96)
                            v226 = v225 + v224
                            store_f32(tile54, l205 + 96, v226)
                    v227 = multiply_i64(p51, 32)
                    v228 = multiply_i64(v53, 384)
                    v229 = add_i64(v228, v227)
                    for l230 in range(0, 32):
                        v231 = load_f32(tile54, l230)
                        v232 = load_f64(tmp2, v229 + l230)
                        v233 = convert_f32_f64(v231)
                        v234 = v232 + v233
                        store_f64(tmp2, v229 + l230, v234)
                    for l235 in range(0, 32):
                        v236 = load_f32(tile54, l235 + 32)
                        v237 = load_f64(tmp2, v229 + l235 + 384)
                        v238 = convert_f32_f64(v236)
                        v239 = v237 + v238
                        store_f64(tmp2, v229 + l235 + 384, v239)
                    for l240 in range(0, 32):
                        v241 = load_f32(tile54, l240 + 64)
                        v242 = load_f64(tmp2, v229 + l240 + 768)
                        v243 = convert_f32_f64(v241)
                        v244 = v242 + v243
                        store_f64(tmp2, v229 + l240 + 768, v244)
                    for l245 in range(0, 32):
                        v246 = load_f32(tile54, l245 + 96)
                        v247 = load_f64(tmp2, v229 + l245 + 1152)
                        v248 = convert_f32_f64(v246)
                        v249 = v247 + v248
                        store_f64(tmp2, v229 + l245 + 1152, v249)
        for i250 in range(0, v7):
            v251 = multiply_i64(i250, 384)
            v252 = add_i64(v5, i250)
            for j253 in range(0, v9):
                v254 = add_i64(v3, j253)
                v255 = load_f64(tmp2, v251 + j253)
                v256 = convert_f64_f32(v255)
                v257 = negative_f32(v256)
                v258 = exp_f32(v257)
                store_f32(out0, d2 * v252 + v254, v258)
    watch_end(flags, before)
