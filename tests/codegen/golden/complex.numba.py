def kernel(begin, end, in0, in1, s0, s1, out0, flags):
    before = watch_begin()
    for i0 in range(begin, end):
        v1 = load_f32(in0, 2 * i0)
        v2 = load_f32(in0, 2 * i0 + 1)
        v3 = load_f32(in1, 2 * i0)
        v4 = load_f32(in1, 2 * i0 + 1)
        v5 = negative_f32(v4)
        v6 = v2 * v5
        v7 = negative_f32(v6)
        v8 = fma_f32(v1, v3, v7)
        v9 = v2 * v3
        v10 = fma_f32(v1, v5, v9)
        v11 = v8 + s0
        v12 = v10 + s1
        store_f32(out0, 2 * i0, v11)
        store_f32(out0, 2 * i0 + 1, v12)
    watch_end(flags, before)
