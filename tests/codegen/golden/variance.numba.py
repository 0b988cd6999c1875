def kernel(begin, end, n0, n1, n2, n3, n4, tmp0, in0, d0, tmp1, tmp2, tmp3, tmp4):
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
            v44 = load_f64(tmp0, v43)
            v45 = v44 / v41
            store_f64(tmp2, v43, v45)
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
                v57 = load_f64(in0, d0 * v49 + j53)
                v58 = v57 - v56
                v59 = v58 * v58
                v60 = v55 + v59
                v61 = load_f64(in0, d0 * v50 + j53)
                v62 = v61 - v56
                v63 = v62 * v62
                v64 = v60 + v63
                v65 = load_f64(in0, d0 * v51 + j53)
                v66 = v65 - v56
                v67 = v66 * v66
                v68 = v64 + v67
                v69 = load_f64(in0, d0 * v52 + j53)
                v70 = v69 - v56
                v71 = v70 * v70
                v72 = v68 + v71
                store_f64(tmp1, v54, v72)
        for q73 in range(v34, v10):
            for j74 in range(v5, v7):
                v75 = subtract_i64(j74, v5)
                v76 = load_f64(tmp1, v75)
                v77 = load_f64(tmp2, v75)
                v78 = load_f64(in0, d0 * q73 + j74)
                v79 = v78 - v77
                v80 = v79 * v79
                v81 = v76 + v80
                store_f64(tmp1, v75, v81)
        v82 = multiply_i64(v1, n4)
        v83 = multiply_i64(v4, n0)
        v84 = add_i64(v82, v83)
        for j85 in range(v5, v7):
            v86 = subtract_i64(j85, v5)
            v87 = load_f64(tmp0, v86)
            store_f64(tmp3, v84 + j85, v87)
            v88 = load_f64(tmp1, v86)
            store_f64(tmp4, v84 + j85, v88)

def kernel(begin, end, n0, n1, tmp0, tmp1, n2, s0, out0):
    for o0 in range(begin, end):
        sum1 = 0.0
        lost2 = 0.0
        count3 = 0.0
        mean4 = 0.0
        dev5 = 0.0
        for c6 in range(0, n0):
            v7 = load_f64(tmp0, n1 * c6 + o0)
            v8 = load_f64(tmp1, n1 * c6 + o0)
            v9 = sum1
            v10 = v9 + v7
            v11 = v10 - v9
            v12 = v10 - v11
            v13 = v9 - v12
            v14 = v7 - v11
            v15 = v13 + v14
            lost2 = lost2 + v15
            sum1 = v10
            v16 = multiply_i64(c6, 64)
            v17 = subtract_i64(n2, v16)
            v18 = minimum_i64(v17, 64)
            v19 = convert_i64_f64(v18)
            v20 = count3
            v21 = mean4
            v22 = dev5
            v23 = v7 / v19
            v24 = v23 - v21
            v25 = v20 + v19
            v26 = v19 / v25
            v27 = v20 * v26
            v28 = v24 * v24
            v29 = v28 * v27
            count3 = v25
            v30 = v24 * v26
            mean4 = v21 + v30
            v31 = v22 + v8
            dev5 = v31 + v29
        v32 = sum1 + lost2
        v33 = lost2 == lost2
        v34 = select_f64(v33, v32, sum1)
        v35 = dev5 / s0
        store_f64(out0, o0, v35)
