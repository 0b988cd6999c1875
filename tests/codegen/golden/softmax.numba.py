def kernel(begin, end, n0, in0, d0, tmp0, out0, d1, flags):
    before = watch_begin()
    for r0 in range(begin, end):
        best1 = constant_f32(-inf)
        for j2 in range(0, n0):
            v3 = load_f32(in0, d0 * r0 + j2)
            best1 = maximum_f32_r(best1, v3)
        sum4 = 0.0
        for j5 in range(0, n0):
            v6 = load_f32(in0, d0 * r0 + j5)
            v7 = v6 - best1
            v8 = exp_f32(v7)
            store_f32(tmp0, j5, v8)
            v9 = convert_f32_f64(v8)
            sum4 = add_f64_r(sum4, v9)
        v10 = convert_f64_f32(sum4)
        for j11 in range(0, n0):
            v12 = load_f32(tmp0, j11)
            v13 = v12 / v10
            store_f32(out0, d1 * r0 + j11, v13)
    watch_end(flags, before)
