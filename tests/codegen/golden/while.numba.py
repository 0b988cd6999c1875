def kernel(begin, end, s0, in0, in1, out0, flags):
    before = watch_begin()
    v0 = subtract_i64(end, begin)
    v1 = add_i64(v0, 63)
    v2 = divide_i64(v1, 64)
    for b3 in range(0, v2):
        v4 = multiply_i64(b3, 64)
        v5 = add_i64(begin, v4)
        v6 = subtract_i64(end, v5)
        v7 = minimum_i64(64, v6)
        v8 = v7 == 64
        state9 = local_f64(64)
        state10 = local_f64(64)
        if v8:
            for l11 in range(0, 64):
                v12 = add_i64(v5, l11)
                v13 = load_f64(in0, v12)
                v14 = load_f64(in1, v12)
                store_f64(state9, l11, v13)
                store_f64(state10, l11, v14)
        v15 = not_b1(v8)
        if v15:
            for l16 in range(0, v7):
                v17 = add_i64(v5, l16)
                v18 = load_f64(in0, v17)
                v19 = load_f64(in1, v17)
                store_f64(state9, l16, v18)
                store_f64(state10, l16, v19)
            for l20 in range(v7, 64):
                v21 = load_f64(state9, 0)
                store_f64(state9, l20, v21)
                v22 = load_f64(state10, 0)
                store_f64(state10, l20, v22)
        more23 = True
        while more23:
            more23 = False
            for l24 in range(0, 64):
                v25 = load_f64(state9, l24)
                v26 = load_f64(state10, l24)
                v27 = v25 >= 1.0
                v28 = v25 * s0
                v29 = v26 + 1.0
                v30 = select_f64(v27, v28, v25)
                store_f64(state9, l24, v30)
                v31 = select_f64(v27, v29, v26)
                store_f64(state10, l24, v31)
                more23 = or_b1(more23, v27)
        for l32 in range(0, v7):
            v33 = load_f64(state10, l32)
            v34 = add_i64(v5, l32)
            store_f64(out0, v34, v33)
    watch_end(flags, before)
