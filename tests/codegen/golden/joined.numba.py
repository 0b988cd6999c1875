def kernel(begin, end, in0, out0, flags):
    before = watch_begin()
    for i0 in range(begin, end):
        v1 = load_f64(in0, i0)
        v2 = sin_f64(v1)
        store_f64(out0, i0, v2)
    watch_end(flags, before)

def kernel(begin, end, n0, n1, n2, n3, in0, n4, n5, n6, in1, d0, in2, out0, flags):
    before = watch_begin()
    tile0 = local_f64(520)
    tile1 = local_f64(520)
    for r2 in range(0, n1):
        for j3 in range(0, n3):
            v4 = load_f64(in0, j3)
            for j5 in range(0, 3):
                store_f64(tile1, n2 * r2 + 3 * j3 + j5, v4)
    for w6 in range(begin, end):
        v8 = remainder_i64(w6, n4)
        v9 = multiply_i64(v8, n5)
        v10 = add_i64(v9, n5)
        v11 = minimum_i64(v10, n0)
        v12 = multiply_i64(v8, n1)
        v13 = add_i64(v12, n1)
        v14 = minimum_i64(v13, n6)
        for r15 in range(v12, v14):
            v16 = subtract_i64(r15, v12)
            for j17 in range(0, n3):
                for j18 in range(0, 3):
                    v19 = load_f64(in1, d0 * r15 + j18)
                    store_f64(tile0, n2 * v16 + 3 * j17 + j18, v19)
        v20 = subtract_i64(v11, v9)
        v21 = divide_i64(v20, 8)
        for b22 in range(0, v21):
            v23 = multiply_i64(b22, 8)
            v24 = add_i64(v9, v23)
            for l25 in range(0, 8):
                v26 = add_i64(v24, l25)
                v27 = subtract_i64(v26, v9)
                v28 = load_f64(tile0, v27)
                v29 = load_f64(tile1, v27)
                v30 = load_f64(in2, v26)
                v31 = v30 * v28
                v32 = exp_f64(v31)
                v33 = v32 + v29
                store_f64(out0, v26, v33)
        v34 = multiply_i64(v21, 8)
        v35 = add_i64(v9, v34)
        v36 = v35 < v11
        if v36:
            rest37 = local_f64(8)
            v38 = subtract_i64(v11, 8)
            v39 = maximum_i64(v38, 0)
            for l41 in range(0, 8):
                v42 = add_i64(v39, l41)
                v43 = subtract_i64(v42, v9)
                v44 = load_f64(tile0, v43)
                v45 = load_f64(tile1, v43)
                v46 = load_f64(in2, v42)
                v47 = v46 * v44
                v48 = exp_f64(v47)
                v49 = v48 + v45
                store_f64(rest37, l41, v49)
            for i50 in range(v35, v11):
                v54 = subtract_i64(i50, v39)
                v55 = load_f64(rest37, v54)
                store_f64(out0, i50, v55)
    watch_end(flags, before)
