def kernel(begin, end, in0, in1, s0, s1, out0, flags):
    before = watch_begin()
    for i0 in range(begin, end):
        v1 = load_f32(in0, 2 * i0)
        v2 = load_f32(in0, 2 * i0 + 1)
        v3 = load_f32(in1, 2 * i0)
        v4 = load_f32(in1, 2 * i0 + 1)
        v6 = negative_f32(v4)
        v7 = v2 * v6
        v8 = negative_f32(v7)
        v9 = fma_f32(v1, v3, v8)
        v15 = v2 * v3
        v16 = fma_f32(v1, v6, v15)
        v17 = v9 + s0
        v20 = v16 + s1
        store_f32(out0, 2 * i0, v17)
        store_f32(out0, 2 * i0 + 1, v20)
    watch_end(flags, before)
