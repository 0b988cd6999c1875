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
            v50 = multiply_i64(j49, 32)
            for l51 in range(0, 32):
                v52 = load_f32(tmp0, 32 * j49 + l51)
                v53 = load_f32(row46, l51)
                v54 = v52 - v53
                v55 = exp_f32(v54)
                store_f32(tmp1, 32 * j49 + l51, v55)
                v56 = load_f64(state47, l51)
                v57 = convert_f32_f64(v55)
                v58 = v56 + v57
                store_f64(state47, l51, v58)
        for l59 in range(0, 32):
            v60 = load_f64(state47, l59)
            row61 = local_f32(32)
            v62 = convert_f64_f32(v60)
            store_f32(row61, l59, v62)
        for l63 in range(0, 32):
            pass
        for j64 in range(0, n2):
            for l65 in range(0, 32):
                v66 = load_f32(tmp1, 32 * j64 + l65)
                v67 = load_f32(row61, l65)
                v68 = v66 / v67
                store_f32(tmp2, 32 * j64 + l65, v68)
        for l69 in range(0, 32):
            pass
        for r70 in range(v2, v4):
            pass
        v72 = subtract_i64(v4, v2)
        v74 = minimum_i64(v72, v9)
        v75 = 8 <= v74
        if v75:
            v76 = add_i64(v72, 7)
            v77 = divide_i64(v76, 8)
            for bi82 in range(0, v77):
                v83 = multiply_i64(bi82, 8)
                v84 = add_i64(v2, v83)
                v85 = minimum_i64(v84, v14)
                for bp86 in range(0, v13):
                    v87 = multiply_i64(bp86, 8)
                    v88 = add_i64(0, v87)
                    v89 = minimum_i64(v88, v15)
                    v90 = subtract_i64(v85, v7)
                    v91 = subtract_i64(v89, 0)
                    for row in range(8):
                        for column in range(8):
                            store_f32(out0, d1 * v85 + v89 + column * d1 + row, load_f32(tmp2, 32 * v91 + v90 + row * 32 + column))
        v92 = not_b1(v75)
        if v92:
            for i93 in range(v2, v4):
                for p94 in range(0, n2):
                    v95 = subtract_i64(i93, v7)
                    v96 = subtract_i64(p94, 0)
                    v97 = load_f32(tmp2, 32 * v96 + v95)
                    store_f32(out0, d1 * i93 + p94, v97)
    watch_end(flags, before)
