def kernel(begin, end, tmp0, tmp1, tmp2, n0, n1, n2, in0, d0, out0, d1, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = remainder_i64(w0, n0)
        v2 = multiply_i64(v1, 32)
        v3 = add_i64(v2, 32)
        v4 = minimum_i64(v3, n1)
        v6 = subtract_i64(n1, 8)
        v7 = minimum_i64(v2, v6)
        v8 = subtract_i64(v4, v7)
        v9 = subtract_i64(n2, 0)
        v10 = add_i64(v8, 7)
        v11 = divide_i64(v10, 8)
        v12 = add_i64(v9, 7)
        v13 = divide_i64(v12, 8)
        v14 = subtract_i64(v4, 8)
        v15 = subtract_i64(n2, 8)
        for bi16 in range(0, v11):
            v17 = multiply_i64(bi16, 8)
            v18 = add_i64(v7, v17)
            v19 = minimum_i64(v18, v14)
            for bp20 in range(0, v13):
                v21 = multiply_i64(bp20, 8)
                v22 = add_i64(0, v21)
                v23 = minimum_i64(v22, v15)
                v24 = subtract_i64(v19, v7)
                v25 = subtract_i64(v23, 0)
                for row in range(8):
                    for column in range(8):
                        store_f32(tmp0, 32 * v25 + v24 + column * 32 + row, load_f32(in0, d0 * v19 + v23 + row * d0 + column))
        for r26 in range(v2, v4):
            pass
        v27 = subtract_i64(v2, v7)
        v29 = subtract_i64(v8, v27)
        v30 = v29 < 32
        if v30:
            for f31 in range(0, 32):
                v32 = f31 < v27
                v33 = v8 <= f31
                v34 = or_b1(v32, v33)
                if v34:
                    for j35 in range(0, n2):
                        v36 = load_f32(tmp0, 32 * j35 + v27)
                        store_f32(tmp0, 32 * j35 + f31, v36)
        state37 = local_f32(32)
        for l38 in range(0, 32):
            store_f32(state37, l38, constant_f32(-inf))
        for j39 in range(0, n2):
            for l40 in range(0, 32):
                v41 = load_f32(tmp0, 32 * j39 + l40)
                v42 = load_f32(state37, l40)
                v43 = maximum_f32(v42, v41)
                store_f32(state37, l40, v43)
        for l44 in range(0, 32):
            v45 = load_f32(state37, l44)
            row46 = local_f32(32)
            store_f32(row46, l44, v45)
        state47 = local_f64(32)
        for l48 in range(0, 32):
            store_f64(state47, l48, 0.0)
        for j49 in range(0, n2):
            for l50 in range(0, 32):
                v51 = load_f32(tmp0, 32 * j49 + l50)
                v52 = load_f32(row46, l50)
                v53 = v51 - v52
                v54 = exp_f32(v53)
                store_f32(tmp1, 32 * j49 + l50, v54)
                v55 = load_f64(state47, l50)
                v56 = convert_f32_f64(v54)
                v57 = v55 + v56
                store_f64(state47, l50, v57)
        for l58 in range(0, 32):
            v59 = load_f64(state47, l58)
            row60 = local_f32(32)
            v61 = convert_f64_f32(v59)
            store_f32(row60, l58, v61)
        for l62 in range(0, 32):
            pass
        for j63 in range(0, n2):
            for l64 in range(0, 32):
                v65 = load_f32(tmp1, 32 * j63 + l64)
                v66 = load_f32(row60, l64)
                v67 = v65 / v66
                store_f32(tmp2, 32 * j63 + l64, v67)
        for l68 in range(0, 32):
            pass
        for r69 in range(v2, v4):
            pass
        v71 = subtract_i64(v4, v2)
        v73 = minimum_i64(v71, v9)
        v74 = 8 <= v73
        if v74:
            v75 = add_i64(v71, 7)
            v76 = divide_i64(v75, 8)
            for bi81 in range(0, v76):
                v82 = multiply_i64(bi81, 8)
                v83 = add_i64(v2, v82)
                v84 = minimum_i64(v83, v14)
                for bp85 in range(0, v13):
                    v86 = multiply_i64(bp85, 8)
                    v87 = add_i64(0, v86)
                    v88 = minimum_i64(v87, v15)
                    v89 = subtract_i64(v84, v7)
                    v90 = subtract_i64(v88, 0)
                    for row in range(8):
                        for column in range(8):
                            store_f32(out0, d1 * v84 + v88 + column * d1 + row, load_f32(tmp2, 32 * v90 + v89 + row * 32 + column))
        v91 = not_b1(v74)
        if v91:
            for i92 in range(v2, v4):
                for p93 in range(0, n2):
                    v94 = subtract_i64(i92, v7)
                    v95 = subtract_i64(p93, 0)
                    v96 = load_f32(tmp2, 32 * v95 + v94)
                    store_f32(out0, d1 * i92 + p93, v96)
    watch_end(flags, before)
