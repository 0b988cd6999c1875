def kernel(begin, end, n0, n1, in0, d0, tmp0, out0, d1, flags):
    before = watch_begin()
    for r0 in range(begin, end):
        lanes1 = local_f32(64)
        for l2 in range(0, 64):
            store_f32(lanes1, l2, constant_f32(-inf))
        for k3 in range(0, n1):
            v4 = subtract_i64(n0, 64)
            v5 = multiply_i64(k3, 64)
            v6 = minimum_i64(v5, v4)
            for l7 in range(0, 64):
                v8 = add_i64(v6, l7)
                v9 = load_f32(in0, d0 * r0 + v8)
                v10 = load_f32(lanes1, l7)
                best11 = v10
                best11 = maximum_f32_r(best11, v9)
                store_f32(lanes1, l7, best11)
        for l12 in range(0, 32):
            v13 = load_f32(lanes1, l12)
            best14 = v13
            v15 = load_f32(lanes1, l12 + 32)
            best14 = maximum_f32_r(best14, v15)
            store_f32(lanes1, l12, best14)
        for l16 in range(0, 16):
            v17 = load_f32(lanes1, l16)
            best18 = v17
            v19 = load_f32(lanes1, l16 + 16)
            best18 = maximum_f32_r(best18, v19)
            store_f32(lanes1, l16, best18)
        for l20 in range(0, 8):
            v21 = load_f32(lanes1, l20)
            best22 = v21
            v23 = load_f32(lanes1, l20 + 8)
            best22 = maximum_f32_r(best22, v23)
            store_f32(lanes1, l20, best22)
        for l24 in range(0, 4):
            v25 = load_f32(lanes1, l24)
            best26 = v25
            v27 = load_f32(lanes1, l24 + 4)
            best26 = maximum_f32_r(best26, v27)
            store_f32(lanes1, l24, best26)
        for l28 in range(0, 2):
            v29 = load_f32(lanes1, l28)
            best30 = v29
            v31 = load_f32(lanes1, l28 + 2)
            best30 = maximum_f32_r(best30, v31)
            store_f32(lanes1, l28, best30)
        for l32 in range(0, 1):
            v33 = load_f32(lanes1, l32)
            best34 = v33
            v35 = load_f32(lanes1, l32 + 1)
            best34 = maximum_f32_r(best34, v35)
            store_f32(lanes1, l32, best34)
        v36 = load_f32(lanes1, 0)
        best37 = v36
        for l38 in range(1, 1):
            v39 = load_f32(lanes1, l38)
            best37 = maximum_f32_r(best37, v39)
        sum40 = 0.0
        for j41 in range(0, n0):
            v42 = load_f32(in0, d0 * r0 + j41)
            v43 = v42 - best37
            v44 = exp_f32(v43)
            store_f32(tmp0, j41, v44)
            v45 = convert_f32_f64(v44)
            sum40 = add_f64_r(sum40, v45)
        v46 = convert_f64_f32(sum40)
        for j47 in range(0, n0):
            v48 = load_f32(tmp0, j47)
            v49 = v48 / v46
            store_f32(out0, d1 * r0 + j47, v49)
    watch_end(flags, before)
