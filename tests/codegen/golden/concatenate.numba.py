def kernel(begin, end, in0, s0, out0, flags):
    before = watch_begin()
    for i0 in range(begin, end):
        v1 = load_f64(in0, i0)
        v2 = v1 + s0
        store_f64(out0, i0, v2)
    watch_end(flags, before)

def kernel(begin, end, in0, s0, out0, flags):
    before = watch_begin()
    for i0 in range(begin, end):
        v1 = load_f64(in0, i0)
        v2 = v1 * s0
        store_f64(out0, i0, v2)
    watch_end(flags, before)
