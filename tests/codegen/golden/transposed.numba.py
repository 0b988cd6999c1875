def kernel(begin, end, tmp0, n0, n1, n2, n3, in0, d0, in1, d1, out0, d2, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = divide_i64(w0, n2)
        v2 = remainder_i64(w0, n2)
        v3 = multiply_i64(v2, 64)
        v4 = add_i64(v3, 64)
        v5 = minimum_i64(v4, n1)
        v6 = remainder_i64(v1, n3)
        v7 = multiply_i64(v6, 64)
        v8 = add_i64(v7, 64)
        v9 = minimum_i64(v8, n0)
        for i11 in range(v7, v9):
            for p12 in range(v3, v5):
                v13 = load_f64(in0, d0 * i11 + p12)
                v14 = subtract_i64(p12, v3)
                v15 = subtract_i64(i11, v7)
                store_f64(tmp0, 68 * v14 + v15, v13)
        for p16 in range(v3, v5):
            for i17 in range(v7, v9):
                v18 = subtract_i64(p16, v3)
                v19 = subtract_i64(i17, v7)
                v20 = load_f64(tmp0, 68 * v18 + v19)
                v21 = load_f64(in1, d1 * p16 + i17)
                v22 = v21 + v20
                store_f64(out0, d2 * p16 + i17, v22)
    watch_end(flags, before)
