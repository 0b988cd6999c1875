def kernel(begin, end, n0, n1, n2, n3, n4, tmp0, in0, d0, tmp1, tmp2, tmp3, tmp4, tmp5, tmp6, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = remainder_i64(w0, n2)
        v2 = divide_i64(w0, n2)
        v3 = remainder_i64(v2, n3)
        v4 = divide_i64(v2, n3)
        v5 = multiply_i64(v3, 1024)
        v6 = add_i64(v5, 1024)
        v7 = minimum_i64(v6, n0)
        v8 = multiply_i64(v1, 64)
        v9 = add_i64(v8, 64)
        v10 = minimum_i64(v9, n1)
        for j11 in range(v5, v7):
            v12 = subtract_i64(j11, v5)
            store_f64(tmp0, v12, 0.0)
        v13 = subtract_i64(v10, v8)
        v14 = divide_i64(v13, 4)
        for g15 in range(0, v14):
            v16 = multiply_i64(g15, 4)
            v17 = add_i64(v8, v16)
            v18 = add_i64(v17, 0)
            v19 = add_i64(v17, 1)
            v20 = add_i64(v17, 2)
            v21 = add_i64(v17, 3)
            for j22 in range(v5, v7):
                v23 = subtract_i64(j22, v5)
                v24 = load_f64(tmp0, v23)
                v25 = load_f64(in0, d0 * v18 + j22)
                v26 = v24 + v25
                v27 = load_f64(in0, d0 * v19 + j22)
                v28 = v26 + v27
                v29 = load_f64(in0, d0 * v20 + j22)
                v30 = v28 + v29
                v31 = load_f64(in0, d0 * v21 + j22)
                v32 = v30 + v31
                store_f64(tmp0, v23, v32)
        v33 = multiply_i64(v14, 4)
        v34 = add_i64(v8, v33)
        for q35 in range(v34, v10):
            for j36 in range(v5, v7):
                v37 = subtract_i64(j36, v5)
                v38 = load_f64(tmp0, v37)
                v39 = load_f64(in0, d0 * q35 + j36)
                v40 = v38 + v39
                store_f64(tmp0, v37, v40)
        v41 = convert_i64_f64(v13)
        for j42 in range(v5, v7):
            v43 = subtract_i64(j42, v5)
            store_f64(tmp1, v43, 0.0)
            store_f64(tmp2, v43, 0.0)
            v44 = load_f64(tmp0, v43)
            v45 = v44 / v41
            store_f64(tmp3, v43, v45)
        for g46 in range(0, v14):
            v47 = multiply_i64(g46, 4)
            v48 = add_i64(v8, v47)
            v49 = add_i64(v48, 0)
            v50 = add_i64(v48, 1)
            v51 = add_i64(v48, 2)
            v52 = add_i64(v48, 3)
            for j53 in range(v5, v7):
                v54 = subtract_i64(j53, v5)
                v55 = load_f64(tmp1, v54)
                v56 = load_f64(tmp2, v54)
                v57 = load_f64(tmp3, v54)
                v58 = load_f64(in0, d0 * v49 + j53)
                v59 = v58 - v57
                v60 = v59 * v59
                v61 = v55 + v60
                v62 = v56 + v59
                v63 = load_f64(in0, d0 * v50 + j53)
                v64 = v63 - v57
                v65 = v64 * v64
                v66 = v61 + v65
                v67 = v62 + v64
                v68 = load_f64(in0, d0 * v51 + j53)
                v69 = v68 - v57
                v70 = v69 * v69
                v71 = v66 + v70
                v72 = v67 + v69
                v73 = load_f64(in0, d0 * v52 + j53)
                v74 = v73 - v57
                v75 = v74 * v74
                v76 = v71 + v75
                v77 = v72 + v74
                store_f64(tmp1, v54, v76)
                store_f64(tmp2, v54, v77)
        for q78 in range(v34, v10):
            for j79 in range(v5, v7):
                v80 = subtract_i64(j79, v5)
                v81 = load_f64(tmp1, v80)
                v82 = load_f64(tmp2, v80)
                v83 = load_f64(tmp3, v80)
                v84 = load_f64(in0, d0 * q78 + j79)
                v85 = v84 - v83
                v86 = v85 * v85
                v87 = v81 + v86
                v88 = v82 + v85
                store_f64(tmp1, v80, v87)
                store_f64(tmp2, v80, v88)
        v89 = multiply_i64(v1, n4)
        v90 = multiply_i64(v4, n0)
        v91 = add_i64(v89, v90)
        for j92 in range(v5, v7):
            v93 = subtract_i64(j92, v5)
            v94 = load_f64(tmp0, v93)
            store_f64(tmp4, v91 + j92, v94)
            v95 = load_f64(tmp1, v93)
            store_f64(tmp5, v91 + j92, v95)
            v96 = load_f64(tmp2, v93)
            store_f64(tmp6, v91 + j92, v96)
    watch_end(flags, before)

def kernel(begin, end, n0, n1, tmp0, n2, n3, tmp1, tmp2, s0, out0, flags):
    before = watch_begin()
    for o0 in range(begin, end):
        sum1 = 0.0
        lost2 = 0.0
        for c3 in range(0, n0):
            v4 = load_f64(tmp0, n1 * c3 + o0)
            v5 = sum1
            v6 = v5 + v4
            v7 = v6 - v5
            v8 = v6 - v7
            v9 = v5 - v8
            v10 = v4 - v7
            v11 = v9 + v10
            lost2 = lost2 + v11
            sum1 = v6
        dev12 = 0.0
        lost13 = 0.0
        v14 = sum1 + lost2
        v15 = lost2 == lost2
        v16 = select_f64(v15, v14, sum1)
        v17 = convert_i64_f64(n2)
        v18 = v16 / v17
        for c19 in range(0, n0):
            v20 = load_f64(tmp0, n1 * c19 + o0)
            v21 = multiply_i64(c19, 64)
            v22 = subtract_i64(n3, v21)
            v23 = minimum_i64(v22, 64)
            v24 = load_f64(tmp1, n1 * c19 + o0)
            v25 = load_f64(tmp2, n1 * c19 + o0)
            v26 = convert_i64_f64(v23)
            v27 = v20 / v26
            v28 = v27 - v18
            v29 = v25 + v25
            v30 = v26 * v28
            v31 = v29 + v30
            v32 = v28 * v31
            v33 = v24 + v32
            v34 = dev12
            v35 = v34 + v33
            v36 = v35 - v34
            v37 = v35 - v36
            v38 = v34 - v37
            v39 = v33 - v36
            v40 = v38 + v39
            lost13 = lost13 + v40
            dev12 = v35
        v41 = dev12 + lost13
        v42 = lost13 == lost13
        v43 = select_f64(v42, v41, dev12)
        v44 = v43 / s0
        store_f64(out0, o0, v44)
    watch_end(flags, before)
