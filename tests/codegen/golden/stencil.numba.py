def kernel(begin, end, n0, s0, in0, d0, in1, d1, in2, d2, in3, d3, out0, d4, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        for i1 in range(0, n0):
            v2 = load_f64(in0, d0 * w0 + i1)
            v3 = load_f64(in1, d1 * w0 + i1)
            v4 = v2 + v3
            v5 = load_f64(in2, d2 * w0 + i1)
            v6 = v4 + v5
            v7 = load_f64(in3, d3 * w0 + i1)
            v8 = v6 + v7
            v9 = s0 * v8
            store_f64(out0, d4 * w0 + i1, v9)
    watch_end(flags, before)
