def kernel(begin, end, in0, s0, in1, n0, s1, out0, far0at, flags):
    before = watch_begin()
    far7 = constant_u64(0)
    for i0 in range(begin, end):
        v1 = load_i64(in0, i0)
        v2 = multiply_i64(v1, s0)
        v3 = add_i64(v2, n0)
        v4 = v2 < 0
        v5 = select_i64(v4, v3, v2)
        v6 = bitcast_i64_u64(v5)
        far7 = maximum_u64(far7, v6)
        v8 = bitcast_i64_u64(n0)
        v9 = v6 < v8
        v10 = select_i64(v9, v5, 0)
        v11 = load_f64(in1, v10)
        v12 = v11 + s1
        store_f64(out0, i0, v12)
    v13 = bitcast_i64_u64(n0)
    v14 = far7
    v15 = v14 >= v13
    if v15:
        store_u64(far0at, 0, v14)
    watch_end(flags, before)
