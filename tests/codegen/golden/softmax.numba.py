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
            v13 = load_f32(lanes1, l12 + 32)
            v14 = load_f32(lanes1, l12)
            best15 = v14
            best15 = maximum_f32_r(best15, v13)
            store_f32(lanes1, l12, best15)
        for l16 in range(0, 16):
            v17 = load_f32(lanes1, l16 + 16)
            v18 = load_f32(lanes1, l16)
            best19 = v18
            best19 = maximum_f32_r(best19, v17)
            store_f32(lanes1, l16, best19)
        for l20 in range(0, 8):
            v21 = load_f32(lanes1, l20 + 8)
            v22 = load_f32(lanes1, l20)
            best23 = v22
            best23 = maximum_f32_r(best23, v21)
            store_f32(lanes1, l20, best23)
        for l24 in range(0, 4):
            v25 = load_f32(lanes1, l24 + 4)
            v26 = load_f32(lanes1, l24)
            best27 = v26
            best27 = maximum_f32_r(best27, v25)
            store_f32(lanes1, l24, best27)
        for l28 in range(0, 2):
            v29 = load_f32(lanes1, l28 + 2)
            v30 = load_f32(lanes1, l28)
            best31 = v30
            best31 = maximum_f32_r(best31, v29)
            store_f32(lanes1, l28, best31)
        for l32 in range(0, 1):
            v33 = load_f32(lanes1, l32 + 1)
            v34 = load_f32(lanes1, l32)
            best35 = v34
            best35 = maximum_f32_r(best35, v33)
            store_f32(lanes1, l32, best35)
        best36 = constant_f32(-inf)
        for l37 in range(0, 1):
            v38 = load_f32(lanes1, l37)
            best36 = maximum_f32_r(best36, v38)
        sum39 = 0.0
        for j40 in range(0, n0):
            v41 = load_f32(in0, d0 * r0 + j40)
            v42 = v41 - best36
            v43 = exp_f32(v42)
            store_f32(tmp0, j40, v43)
            v44 = convert_f32_f64(v43)
            sum39 = add_f64_r(sum39, v44)
        v45 = convert_f64_f32(sum39)
        for j46 in range(0, n0):
            v47 = load_f32(tmp0, j46)
            v48 = v47 / v45
            store_f32(out0, d1 * r0 + j46, v48)
    watch_end(flags, before)
