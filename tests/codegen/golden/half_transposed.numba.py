def kernel(begin, end, n0, s0, s1, in0, d0, out0, d1, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        for i1 in range(0, n0):
            v2 = load_f16(in0, w0 + d0 * i1)
            v3 = v2 * s0
            v4 = round_half_f32(v3)
            v5 = v4 + s1
            v6 = round_half_f32(v5)
            store_f16(out0, d1 * w0 + i1, v6)
    watch_end(flags, before)
