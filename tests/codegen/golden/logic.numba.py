def kernel(begin, end, in0, in1, s0, s1, s2, out0, status0, status1, status2):
    v4 = equal_i32(s0, constant_i32(0))
    v5 = select_i32(v4, constant_i32(1), s0)
    v7 = convert_i32_f64(v5)
    v8 = copysign_f64(0.5, v7)
    v9 = 1.0 / v7
    bad20 = False
    v23 = equal_i32(s2, constant_i32(0))
    v24 = select_i32(v23, constant_i32(1), s2)
    v25 = select_i32(v23, constant_i32(0), constant_i32(-1))
    v26 = convert_i32_f64(v24)
    v27 = copysign_f64(0.5, v26)
    v28 = 1.0 / v26
    bad41 = False
    bad42 = False
    for i0 in range(begin, end):
        v1 = load_i32(in0, i0)
        v2 = load_i32(in1, i0)
        v3 = greater_i32(v1, v2)
        v10 = convert_i32_f64(v1)
        v11 = v10 + v8
        v12 = v11 * v9
        v13 = floor_f64(v12)
        v14 = v13 + 6755399441055744.0
        v15 = bitcast_f64_i64(v14)
        v16 = convert_i64_i32(v15)
        v17 = multiply_i32(v16, v5)
        v18 = subtract_i32(v1, v17)
        bad20 = or_b1(bad20, v4)
        v21 = equal_i32(v18, s1)
        v22 = and_b1(v3, v21)
        v30 = v10 + v27
        v31 = v30 * v28
        v32 = floor_f64(v31)
        v33 = v32 + 6755399441055744.0
        v34 = bitcast_f64_i64(v33)
        v35 = convert_i64_i32(v34)
        v36 = and_i32(v35, v25)
        v38 = equal_i32(v1, constant_i32(-2147483648))
        v39 = equal_i32(s2, constant_i32(-1))
        v40 = and_b1(v38, v39)
        bad41 = or_b1(bad41, v23)
        bad42 = or_b1(bad42, v40)
        v43 = negative_i32(v2)
        v44 = select_i32(v22, v36, v43)
        store_i32(out0, i0, v44)
    if bad20:
        store_b1(status0, 0, bad20)
    if bad41:
        store_b1(status1, 0, bad41)
    if bad42:
        store_b1(status2, 0, bad42)
