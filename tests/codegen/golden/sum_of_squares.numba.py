def kernel(begin, end, n0, in0, in1, tmp0, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = multiply_i64(w0, 16384)
        v2 = add_i64(v1, 16384)
        v3 = minimum_i64(v2, n0)
        sum4 = 0.0
        lost5 = 0.0
        v6 = subtract_i64(v3, v1)
        v7 = add_i64(v6, 255)
        v8 = divide_i64(v7, 256)
        for k9 in range(0, v8):
            v10 = multiply_i64(k9, 256)
            v11 = add_i64(v1, v10)
            v12 = add_i64(v11, 256)
            v13 = minimum_i64(v12, v3)
            part14 = 0.0
            for i15 in range(v11, v13):
                v16 = load_f64(in0, i15)
                v17 = load_f64(in1, i15)
                v18 = v16 - v17
                v19 = v18 * v18
                part14 = add_f64_r(part14, v19)
            v20 = sum4
            v21 = v20 + part14
            v22 = v21 - v20
            v23 = v21 - v22
            v24 = v20 - v23
            v25 = part14 - v22
            v26 = v24 + v25
            lost5 = lost5 + v26
            sum4 = v21
        v27 = sum4 + lost5
        v28 = lost5 == lost5
        v29 = select_f64(v28, v27, sum4)
        store_f64(tmp0, w0, v29)
    watch_end(flags, before)

def kernel(begin, end, n0, tmp0, out0, flags):
    before = watch_begin()
    for o0 in range(begin, end):
        sum1 = 0.0
        lost2 = 0.0
        for c3 in range(0, n0):
            v4 = multiply_i64(o0, n0)
            v5 = load_f64(tmp0, v4 + c3)
            v6 = sum1
            v7 = v6 + v5
            v8 = v7 - v6
            v9 = v7 - v8
            v10 = v6 - v9
            v11 = v5 - v8
            v12 = v10 + v11
            lost2 = lost2 + v12
            sum1 = v7
        v13 = sum1 + lost2
        v14 = lost2 == lost2
        v15 = select_f64(v14, v13, sum1)
        store_f64(out0, 0, v15)
    watch_end(flags, before)
