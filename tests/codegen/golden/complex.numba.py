def kernel(begin, end, in0, in1, s0, s1, out0, flags):
    before = watch_begin()
    for i0 in range(begin, end):
        v1 = load_f32(in0, 2 * i0)
        v2 = load_f32(in0, 2 * i0 + 1)
        v3 = load_f32(in1, 2 * i0)
        v4 = load_f32(in1, 2 * i0 + 1)
        v5 = negative_f32(v4)
        v7 = v2 * v5
        v8 = negative_f32(v7)
        v9 = fma_f32(v1, v3, v8)
        v10 = v2 * v3
        v11 = fma_f32(v1, v5, v10)
        v17 = v9 + s0
        v18 = v11 + s1
        store_f32(out0, 2 * i0, v17)
        store_f32(out0, 2 * i0 + 1, v18)
    watch_end(flags, before)
