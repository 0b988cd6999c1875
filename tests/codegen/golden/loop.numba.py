def kernel(begin, end, s0, s1, s2, n0, n1, in0, out0, flags):
    before = watch_begin()
    for r0 in range(begin, end):
        sum1 = 0.0
        lost2 = 0.0
        for k3 in range(0, n1):
            v4 = multiply_i64(k3, 256)
            v5 = add_i64(v4, 256)
            v6 = minimum_i64(v5, n0)
            part7 = 0.0
            v8 = subtract_i64(v6, v4)
            v9 = add_i64(v8, 127)
            v10 = divide_i64(v9, 128)
            for b11 in range(0, v10):
                v12 = multiply_i64(b11, 128)
                v13 = add_i64(v4, v12)
                v14 = subtract_i64(v6, v13)
                v15 = minimum_i64(128, v14)
                v16 = v15 == 128
                state17 = local_f64(128)
                if v16:
                    for l18 in range(0, 128):
                        v19 = add_i64(v13, l18)
                        v20 = load_f64(in0, v19)
                        v21 = v20 * s1
                        store_f64(state17, l18, v21)
                v22 = not_b1(v16)
                if v22:
                    for l23 in range(0, v15):
                        v24 = add_i64(v13, l23)
                        v25 = load_f64(in0, v24)
                        v26 = v25 * s1
                        store_f64(state17, l23, v26)
                    for l27 in range(v15, 128):
                        v28 = load_f64(state17, 0)
                        store_f64(state17, l27, v28)
                for t29 in range(0, s0):
                    for l30 in range(0, 128):
                        v31 = load_f64(state17, l30)
                        v32 = v31 * v31
                        v33 = v32 - s2
                        v34 = convert_i64_f64(t29)
                        v35 = v33 + v34
                        store_f64(state17, l30, v35)
                for l36 in range(0, v15):
                    v37 = load_f64(state17, l36)
                    part7 = add_f64_r(part7, v37)
            v39 = sum1
            v40 = v39 + part7
            v41 = v40 - v39
            v42 = v40 - v41
            v43 = v39 - v42
            v44 = part7 - v41
            v45 = v43 + v44
            lost2 = lost2 + v45
            sum1 = v40
        v46 = sum1 + lost2
        v47 = lost2 == lost2
        v48 = select_f64(v47, v46, sum1)
        store_f64(out0, 0, v48)
    watch_end(flags, before)
