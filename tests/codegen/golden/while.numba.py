def kernel(begin, end, s0, in0, in1, out0):
    v0 = subtract_i64(end, begin)
    v1 = add_i64(v0, 63)
    v2 = divide_i64(v1, 64)
    for b3 in range(0, v2):
        v4 = multiply_i64(b3, 64)
        v5 = add_i64(begin, v4)
        v6 = subtract_i64(end, v5)
        v7 = minimum_i64(64, v6)
        held8 = local_f64(64)
        held9 = local_f64(64)
        for l10 in range(0, v7):
            v11 = add_i64(v5, l10)
            v12 = load_f64(in0, v11)
            v13 = load_f64(in1, v11)
            store_f64(held8, l10, v12)
            store_f64(held9, l10, v13)
        for l14 in range(v7, 64):
            v15 = load_f64(held8, 0)
            store_f64(held8, l14, v15)
            v16 = load_f64(held9, 0)
            store_f64(held9, l14, v16)
        state17 = local_f64(64)
        state18 = local_f64(64)
        for l19 in range(0, 64):
            v20 = load_f64(held8, l19)
            store_f64(state17, l19, v20)
            v21 = load_f64(held9, l19)
            store_f64(state18, l19, v21)
        more22 = True
        while more22:
            more22 = False
            for l23 in range(0, 64):
                v24 = load_f64(state17, l23)
                v25 = load_f64(state18, l23)
                v26 = v24 >= 1.0
                v27 = v24 * s0
                v28 = v25 + 1.0
                v29 = select_f64(v26, v27, v24)
                store_f64(state17, l23, v29)
                v30 = select_f64(v26, v28, v25)
                store_f64(state18, l23, v30)
                more22 = or_b1(more22, v26)
        for l31 in range(0, v7):
            v32 = load_f64(held8, l31)
            v33 = load_f64(held9, l31)
            v34 = load_f64(state18, l31)
            v35 = add_i64(v5, l31)
            store_f64(out0, v35, v34)
