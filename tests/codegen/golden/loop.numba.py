def kernel(begin, end, s0, s1, n0, n1, in0, out0):
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
                held16 = local_f64(128)
                for l17 in range(0, v15):
                    v18 = add_i64(v13, l17)
                    v19 = load_f64(in0, v18)
                    v20 = v19 * 2.0
                    store_f64(held16, l17, v20)
                for l21 in range(v15, 128):
                    v22 = load_f64(held16, 0)
                    store_f64(held16, l21, v22)
                state23 = local_f64(128)
                for l24 in range(0, 128):
                    v25 = load_f64(held16, l24)
                    store_f64(state23, l24, v25)
                for t26 in range(0, s0):
                    for l27 in range(0, 128):
                        v28 = load_f64(state23, l27)
                        v29 = v28 * v28
                        v30 = v29 - s1
                        v31 = convert_i64_f64(t26)
                        v32 = v30 + v31
                        store_f64(state23, l27, v32)
                for l33 in range(0, v15):
                    v34 = load_f64(held16, l33)
                    v35 = load_f64(state23, l33)
                    v36 = add_i64(v13, l33)
                    part7 = add_f64_r(part7, v35)
            v37 = sum1
            v38 = v37 + part7
            v39 = v38 - v37
            v40 = v38 - v39
            v41 = v37 - v40
            v42 = part7 - v39
            v43 = v41 + v42
            lost2 = lost2 + v43
            sum1 = v38
        v44 = sum1 + lost2
        v45 = lost2 == lost2
        v46 = select_f64(v45, v44, sum1)
        store_f64(out0, 0, v46)
