def kernel(begin, end, n0, n1, n2, n3, n4, n5, tmp0, n6, in0, tmp1, flags):
    before = watch_begin()
    for w0 in range(begin, end):
        v1 = remainder_i64(w0, n3)
        v2 = divide_i64(w0, n3)
        v3 = remainder_i64(v2, n4)
        v4 = divide_i64(v2, n4)
        v5 = multiply_i64(v3, 1024)
        v6 = add_i64(v5, 1024)
        v7 = minimum_i64(v6, n0)
        v8 = multiply_i64(v1, n2)
        v9 = add_i64(v8, n2)
        v10 = minimum_i64(v9, n1)
        for j11 in range(v5, v7):
            v12 = subtract_i64(j11, v5)
            store_f64(tmp0, v12, 0.0)
        v13 = subtract_i64(n6, 1)
        v14 = subtract_i64(v10, v8)
        v15 = add_i64(v14, v13)
        v16 = divide_i64(v15, n6)
        for k17 in range(0, v16):
            v18 = multiply_i64(k17, n6)
            v19 = add_i64(v8, v18)
            v20 = add_i64(v19, n6)
            v21 = minimum_i64(v20, v10)
            v22 = multiply_i64(v19, n0)
            v23 = multiply_i64(v21, n0)
            for i24 in range(v22, v23):
                v25 = load_f64(in0, i24)
                v26 = exp_f64(v25)
                v27 = subtract_i64(i24, v22)
                line28 = local_f64(512)
                store_f64(line28, v27, v26)
            v29 = subtract_i64(v21, v19)
            v30 = divide_i64(v29, 8)
            for g31 in range(0, v30):
                v32 = multiply_i64(g31, 8)
                v33 = add_i64(v19, v32)
                v34 = add_i64(v33, 0)
                v35 = add_i64(v33, 1)
                v36 = add_i64(v33, 2)
                v37 = add_i64(v33, 3)
                v38 = add_i64(v33, 4)
                v39 = add_i64(v33, 5)
                v40 = add_i64(v33, 6)
                v41 = add_i64(v33, 7)
                for j42 in range(v5, v7):
                    v43 = subtract_i64(j42, v5)
                    v44 = load_f64(tmp0, v43)
                    v45 = subtract_i64(v34, v19)
                    v46 = multiply_i64(v45, n0)
                    v48 = load_f64(line28, v46 + v43)
                    v49 = v44 + v48
                    v50 = subtract_i64(v35, v19)
                    v51 = multiply_i64(v50, n0)
                    v53 = load_f64(line28, v51 + v43)
                    v54 = v49 + v53
                    v55 = subtract_i64(v36, v19)
                    v56 = multiply_i64(v55, n0)
                    v58 = load_f64(line28, v56 + v43)
                    v59 = v54 + v58
                    v60 = subtract_i64(v37, v19)
                    v61 = multiply_i64(v60, n0)
                    v63 = load_f64(line28, v61 + v43)
                    v64 = v59 + v63
                    v65 = subtract_i64(v38, v19)
                    v66 = multiply_i64(v65, n0)
                    v68 = load_f64(line28, v66 + v43)
                    v69 = v64 + v68
                    v70 = subtract_i64(v39, v19)
                    v71 = multiply_i64(v70, n0)
                    v73 = load_f64(line28, v71 + v43)
                    v74 = v69 + v73
                    v75 = subtract_i64(v40, v19)
                    v76 = multiply_i64(v75, n0)
                    v78 = load_f64(line28, v76 + v43)
                    v79 = v74 + v78
                    v80 = subtract_i64(v41, v19)
                    v81 = multiply_i64(v80, n0)
                    v83 = load_f64(line28, v81 + v43)
                    v84 = v79 + v83
                    store_f64(tmp0, v43, v84)
            v85 = multiply_i64(v30, 8)
            v86 = add_i64(v19, v85)
            for q87 in range(v86, v21):
                for j88 in range(v5, v7):
                    v89 = subtract_i64(j88, v5)
                    v90 = load_f64(tmp0, v89)
                    v91 = subtract_i64(q87, v19)
                    v92 = multiply_i64(v91, n0)
                    v94 = load_f64(line28, v92 + v89)
                    v95 = v90 + v94
                    store_f64(tmp0, v89, v95)
        v96 = multiply_i64(v1, n5)
        v97 = multiply_i64(v4, n0)
        v98 = add_i64(v96, v97)
        for j99 in range(v5, v7):
            v100 = subtract_i64(j99, v5)
            v101 = load_f64(tmp0, v100)
            store_f64(tmp1, v98 + j99, v101)
    watch_end(flags, before)

def kernel(begin, end, n0, n1, n2, tmp0, out0, flags):
    before = watch_begin()
    v0 = subtract_i64(end, begin)
    v1 = divide_i64(v0, 32)
    for b2 in range(0, v1):
        v3 = multiply_i64(b2, 32)
        v4 = add_i64(begin, v3)
        state5 = local_f64(32)
        state6 = local_f64(32)
        for l7 in range(0, 32):
            store_f64(state5, l7, 0.0)
            store_f64(state6, l7, 0.0)
        for c8 in range(0, n0):
            for l9 in range(0, 32):
                v10 = load_f64(tmp0, n1 * c8 + v4 + l9)
                v11 = load_f64(state5, l9)
                v12 = load_f64(state6, l9)
                v13 = v11 + v10
                v14 = v13 - v11
                v15 = v13 - v14
                v16 = v11 - v15
                v17 = v10 - v14
                v18 = v16 + v17
                v19 = v12 + v18
                store_f64(state5, l9, v13)
                store_f64(state6, l9, v19)
        for l20 in range(0, 32):
            v21 = add_i64(v4, l20)
            v22 = load_f64(state5, l20)
            v23 = load_f64(state6, l20)
            v24 = v22 + v23
            v25 = v23 == v23
            v26 = select_f64(v25, v24, v22)
            store_f64(out0, v21, v26)
    v27 = multiply_i64(v1, 32)
    v28 = add_i64(begin, v27)
    for o29 in range(v28, end):
        state30 = local_f64(1)
        state31 = local_f64(1)
        for l32 in range(0, 1):
            store_f64(state30, l32, 0.0)
            store_f64(state31, l32, 0.0)
        for c33 in range(0, n0):
            for l34 in range(0, 1):
                v35 = load_f64(tmp0, n1 * c33 + o29 + l34)
                v36 = load_f64(state30, l34)
                v37 = load_f64(state31, l34)
                v38 = v36 + v35
                v39 = v38 - v36
                v40 = v38 - v39
                v41 = v36 - v40
                v42 = v35 - v39
                v43 = v41 + v42
                v44 = v37 + v43
                store_f64(state30, l34, v38)
                store_f64(state31, l34, v44)
        for l45 in range(0, 1):
            v46 = add_i64(o29, l45)
            v47 = load_f64(state30, l45)
            v48 = load_f64(state31, l45)
            v49 = v47 + v48
            v50 = v48 == v48
            v51 = select_f64(v50, v49, v47)
            store_f64(out0, v46, v51)
    watch_end(flags, before)
