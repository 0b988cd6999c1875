def kernel(begin, end, tmp0, n0, n1, n2, n3, n4, n5, in0, d0, s0, s1, out0, d1, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = divide_i64(w0, n2)
        v2 = remainder_i64(w0, n2)
        v3 = multiply_i64(v2, n4)
        v4 = add_i64(v3, n4)
        v5 = minimum_i64(v4, n1)
        v6 = remainder_i64(v1, n3)
        v7 = multiply_i64(v6, n5)
        v8 = add_i64(v7, n5)
        v9 = minimum_i64(v8, n0)
        for i11 in range(v7, v9):
            pass
        v12 = subtract_i64(v9, v7)
        v13 = subtract_i64(v5, v3)
        v14 = minimum_i64(v12, v13)
        v15 = 8 <= v14
        if v15:
            v16 = add_i64(v12, 7)
            v17 = divide_i64(v16, 8)
            v18 = add_i64(v13, 7)
            v19 = divide_i64(v18, 8)
            v20 = subtract_i64(v9, 8)
            v21 = subtract_i64(v5, 8)
            for bi22 in range(0, v17):
                v23 = multiply_i64(bi22, 8)
                v24 = add_i64(v7, v23)
                v25 = minimum_i64(v24, v20)
                for bp26 in range(0, v19):
                    v27 = multiply_i64(bp26, 8)
                    v28 = add_i64(v3, v27)
                    v29 = minimum_i64(v28, v21)
                    v30 = subtract_i64(v25, v7)
                    v31 = subtract_i64(v29, v3)
                    for row in range(8):
                        for column in range(8):
                            store_f16(tmp0, 96 * v31 + v30 + column * 96 + row, load_f16(in0, d0 * v25 + v29 + row * d0 + column))
        v32 = not_b1(v15)
        if v32:
            for i33 in range(v7, v9):
                for p34 in range(v3, v5):
                    v35 = subtract_i64(i33, v7)
                    v36 = subtract_i64(p34, v3)
                    v37 = load_f16(in0, d0 * i33 + p34)
                    store_f16(tmp0, 96 * v36 + v35, v37)
        for p38 in range(v3, v5):
            for i39 in range(v7, v9):
                v40 = subtract_i64(p38, v3)
                v41 = subtract_i64(i39, v7)
                v42 = load_f16(tmp0, 96 * v40 + v41)
                v43 = v42 * s0
                v44 = round_half_f32(v43)
                v45 = v44 + s1
                v46 = round_half_f32(v45)
                store_f16(out0, d1 * p38 + i39, v46)
    watch_end(flags, before)
