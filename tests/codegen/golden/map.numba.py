def kernel(begin, end, in0, in1, s0, out0, flags):
    before = watch_begin()
    for i0 in range(begin, end):
        v1 = load_f64(in0, i0)
        v2 = sin_f64(v1)
        v3 = v2 * v2
        v4 = load_f64(in1, i0)
        v5 = v4 * s0
        v6 = v3 + v5
        store_f64(out0, i0, v6)
    watch_end(flags, before)
