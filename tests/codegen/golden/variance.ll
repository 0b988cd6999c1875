define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, ptr noalias %tmp0, ptr noalias readonly %in0, i64 %d0, ptr noalias %tmp1, ptr noalias %tmp2, ptr noalias %tmp3, ptr noalias %tmp4, ptr noalias %tmp5, ptr noalias %tmp6, ptr noalias %tmp7, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = srem i64 %w0, %n3
    %v2 = sdiv i64 %w0, %n3
    %v3 = srem i64 %v2, %n4
    %v4 = sdiv i64 %v2, %n4
    %v5 = mul i64 %v3, 1024
    %v6 = add i64 %v5, 1024
    %v7 = call i64 @minimum_i64(i64 %v6, i64 %n0)
    %v8 = mul i64 %v1, %n2
    %v9 = add i64 %v8, %n2
    %v10 = call i64 @minimum_i64(i64 %v9, i64 %n1)
    %v11 = sdiv i64 %n2, 8
    %v12 = add i64 %v8, %v11
    %v13 = call i64 @minimum_i64(i64 %v12, i64 %v10)
    %j14.any = icmp slt i64 %v5, %v7
    br i1 %j14.any, label %j14.body, label %j14.after
j14.body:
      %j14 = phi i64 [ %v5, %w0.body ], [ %j14.next, %j14.step ]
      %v15 = sub i64 %j14, %v5
      %tmp0.1 = getelementptr inbounds double, ptr %tmp0, i64 %v15
      store double 0.0, ptr %tmp0.1, align 8
      br label %j14.step
j14.step:
      %j14.next = add nsw i64 %j14, 1
      %j14.more = icmp slt i64 %j14.next, %v7
      br i1 %j14.more, label %j14.body, label %j14.after
j14.after:
    %v16 = sub i64 %v13, %v8
    %v17 = sdiv i64 %v16, 8
    %g18.any = icmp slt i64 0, %v17
    br i1 %g18.any, label %g18.body, label %g18.after
g18.body:
      %g18 = phi i64 [ 0, %j14.after ], [ %g18.next, %g18.step ]
      %v19 = mul i64 %g18, 8
      %v20 = add i64 %v8, %v19
      %v21 = add i64 %v20, 0
      %v22 = add i64 %v20, 1
      %v23 = add i64 %v20, 2
      %v24 = add i64 %v20, 3
      %v25 = add i64 %v20, 4
      %v26 = add i64 %v20, 5
      %v27 = add i64 %v20, 6
      %v28 = add i64 %v20, 7
      %j29.any = icmp slt i64 %v5, %v7
      br i1 %j29.any, label %j29.body, label %j29.after
j29.body:
        %j29 = phi i64 [ %v5, %g18.body ], [ %j29.next, %j29.step ]
        %v30 = sub i64 %j29, %v5
        %v31.at = getelementptr inbounds double, ptr %tmp0, i64 %v30
        %v31 = load double, ptr %v31.at, align 8
        %v32.at.x0 = mul nsw i64 %d0, %v21
        %v32.at.s0 = add nsw i64 %v32.at.x0, %j29
        %v32.at = getelementptr inbounds double, ptr %in0, i64 %v32.at.s0
        %v32 = load double, ptr %v32.at, align 8
        %v33 = fadd double %v31, %v32
        %v34.at.x0 = mul nsw i64 %d0, %v22
        %v34.at.s0 = add nsw i64 %v34.at.x0, %j29
        %v34.at = getelementptr inbounds double, ptr %in0, i64 %v34.at.s0
        %v34 = load double, ptr %v34.at, align 8
        %v35 = fadd double %v33, %v34
        %v36.at.x0 = mul nsw i64 %d0, %v23
        %v36.at.s0 = add nsw i64 %v36.at.x0, %j29
        %v36.at = getelementptr inbounds double, ptr %in0, i64 %v36.at.s0
        %v36 = load double, ptr %v36.at, align 8
        %v37 = fadd double %v35, %v36
        %v38.at.x0 = mul nsw i64 %d0, %v24
        %v38.at.s0 = add nsw i64 %v38.at.x0, %j29
        %v38.at = getelementptr inbounds double, ptr %in0, i64 %v38.at.s0
        %v38 = load double, ptr %v38.at, align 8
        %v39 = fadd double %v37, %v38
        %v40.at.x0 = mul nsw i64 %d0, %v25
        %v40.at.s0 = add nsw i64 %v40.at.x0, %j29
        %v40.at = getelementptr inbounds double, ptr %in0, i64 %v40.at.s0
        %v40 = load double, ptr %v40.at, align 8
        %v41 = fadd double %v39, %v40
        %v42.at.x0 = mul nsw i64 %d0, %v26
        %v42.at.s0 = add nsw i64 %v42.at.x0, %j29
        %v42.at = getelementptr inbounds double, ptr %in0, i64 %v42.at.s0
        %v42 = load double, ptr %v42.at, align 8
        %v43 = fadd double %v41, %v42
        %v44.at.x0 = mul nsw i64 %d0, %v27
        %v44.at.s0 = add nsw i64 %v44.at.x0, %j29
        %v44.at = getelementptr inbounds double, ptr %in0, i64 %v44.at.s0
        %v44 = load double, ptr %v44.at, align 8
        %v45 = fadd double %v43, %v44
        %v46.at.x0 = mul nsw i64 %d0, %v28
        %v46.at.s0 = add nsw i64 %v46.at.x0, %j29
        %v46.at = getelementptr inbounds double, ptr %in0, i64 %v46.at.s0
        %v46 = load double, ptr %v46.at, align 8
        %v47 = fadd double %v45, %v46
        %tmp0.2 = getelementptr inbounds double, ptr %tmp0, i64 %v30
        store double %v47, ptr %tmp0.2, align 8
        br label %j29.step
j29.step:
        %j29.next = add nsw i64 %j29, 1
        %j29.more = icmp slt i64 %j29.next, %v7
        br i1 %j29.more, label %j29.body, label %j29.after
j29.after:
      br label %g18.step
g18.step:
      %g18.next = add nsw i64 %g18, 1
      %g18.more = icmp slt i64 %g18.next, %v17
      br i1 %g18.more, label %g18.body, label %g18.after
g18.after:
    %v48 = mul i64 %v17, 8
    %v49 = add i64 %v8, %v48
    %q50.any = icmp slt i64 %v49, %v13
    br i1 %q50.any, label %q50.body, label %q50.after
q50.body:
      %q50 = phi i64 [ %v49, %g18.after ], [ %q50.next, %q50.step ]
      %j51.any = icmp slt i64 %v5, %v7
      br i1 %j51.any, label %j51.body, label %j51.after
j51.body:
        %j51 = phi i64 [ %v5, %q50.body ], [ %j51.next, %j51.step ]
        %v52 = sub i64 %j51, %v5
        %v53.at = getelementptr inbounds double, ptr %tmp0, i64 %v52
        %v53 = load double, ptr %v53.at, align 8
        %v54.at.x0 = mul nsw i64 %d0, %q50
        %v54.at.s0 = add nsw i64 %v54.at.x0, %j51
        %v54.at = getelementptr inbounds double, ptr %in0, i64 %v54.at.s0
        %v54 = load double, ptr %v54.at, align 8
        %v55 = fadd double %v53, %v54
        %tmp0.3 = getelementptr inbounds double, ptr %tmp0, i64 %v52
        store double %v55, ptr %tmp0.3, align 8
        br label %j51.step
j51.step:
        %j51.next = add nsw i64 %j51, 1
        %j51.more = icmp slt i64 %j51.next, %v7
        br i1 %j51.more, label %j51.body, label %j51.after
j51.after:
      br label %q50.step
q50.step:
      %q50.next = add nsw i64 %q50, 1
      %q50.more = icmp slt i64 %q50.next, %v13
      br i1 %q50.more, label %q50.body, label %q50.after
q50.after:
    %j56.any = icmp slt i64 %v5, %v7
    br i1 %j56.any, label %j56.body, label %j56.after
j56.body:
      %j56 = phi i64 [ %v5, %q50.after ], [ %j56.next, %j56.step ]
      %v57 = sub i64 %j56, %v5
      %v58.at = getelementptr inbounds double, ptr %tmp0, i64 %v57
      %v58 = load double, ptr %v58.at, align 8
      %v59 = call double @convert_i64_f64(i64 %v16)
      %v60 = fdiv double %v58, %v59
      %tmp1.4 = getelementptr inbounds double, ptr %tmp1, i64 %v57
      store double %v60, ptr %tmp1.4, align 8
      %tmp0.5 = getelementptr inbounds double, ptr %tmp0, i64 %v57
      store double 0.0, ptr %tmp0.5, align 8
      %tmp2.6 = getelementptr inbounds double, ptr %tmp2, i64 %v57
      store double 0.0, ptr %tmp2.6, align 8
      %tmp3.7 = getelementptr inbounds double, ptr %tmp3, i64 %v57
      store double 0.0, ptr %tmp3.7, align 8
      br label %j56.step
j56.step:
      %j56.next = add nsw i64 %j56, 1
      %j56.more = icmp slt i64 %j56.next, %v7
      br i1 %j56.more, label %j56.body, label %j56.after
j56.after:
    %v61 = sub i64 %v10, %v8
    %v62 = sdiv i64 %v61, 8
    %g63.any = icmp slt i64 0, %v62
    br i1 %g63.any, label %g63.body, label %g63.after
g63.body:
      %g63 = phi i64 [ 0, %j56.after ], [ %g63.next, %g63.step ]
      %v64 = mul i64 %g63, 8
      %v65 = add i64 %v8, %v64
      %v66 = add i64 %v65, 0
      %v67 = add i64 %v65, 1
      %v68 = add i64 %v65, 2
      %v69 = add i64 %v65, 3
      %v70 = add i64 %v65, 4
      %v71 = add i64 %v65, 5
      %v72 = add i64 %v65, 6
      %v73 = add i64 %v65, 7
      %j74.any = icmp slt i64 %v5, %v7
      br i1 %j74.any, label %j74.body, label %j74.after
j74.body:
        %j74 = phi i64 [ %v5, %g63.body ], [ %j74.next, %j74.step ]
        %v75 = sub i64 %j74, %v5
        %v76.at = getelementptr inbounds double, ptr %tmp0, i64 %v75
        %v76 = load double, ptr %v76.at, align 8
        %v77.at = getelementptr inbounds double, ptr %tmp2, i64 %v75
        %v77 = load double, ptr %v77.at, align 8
        %v78.at = getelementptr inbounds double, ptr %tmp3, i64 %v75
        %v78 = load double, ptr %v78.at, align 8
        %v79.at = getelementptr inbounds double, ptr %tmp1, i64 %v75
        %v79 = load double, ptr %v79.at, align 8
        %v80.at.x0 = mul nsw i64 %d0, %v66
        %v80.at.s0 = add nsw i64 %v80.at.x0, %j74
        %v80.at = getelementptr inbounds double, ptr %in0, i64 %v80.at.s0
        %v80 = load double, ptr %v80.at, align 8
        %v81 = fadd double %v76, %v80
        %v82 = fsub double %v80, %v79
        %v83 = fmul double %v82, %v82
        %v84 = fadd double %v77, %v83
        %v85 = fadd double %v78, %v82
        %v86.at.x0 = mul nsw i64 %d0, %v67
        %v86.at.s0 = add nsw i64 %v86.at.x0, %j74
        %v86.at = getelementptr inbounds double, ptr %in0, i64 %v86.at.s0
        %v86 = load double, ptr %v86.at, align 8
        %v87 = fadd double %v81, %v86
        %v88 = fsub double %v86, %v79
        %v89 = fmul double %v88, %v88
        %v90 = fadd double %v84, %v89
        %v91 = fadd double %v85, %v88
        %v92.at.x0 = mul nsw i64 %d0, %v68
        %v92.at.s0 = add nsw i64 %v92.at.x0, %j74
        %v92.at = getelementptr inbounds double, ptr %in0, i64 %v92.at.s0
        %v92 = load double, ptr %v92.at, align 8
        %v93 = fadd double %v87, %v92
        %v94 = fsub double %v92, %v79
        %v95 = fmul double %v94, %v94
        %v96 = fadd double %v90, %v95
        %v97 = fadd double %v91, %v94
        %v98.at.x0 = mul nsw i64 %d0, %v69
        %v98.at.s0 = add nsw i64 %v98.at.x0, %j74
        %v98.at = getelementptr inbounds double, ptr %in0, i64 %v98.at.s0
        %v98 = load double, ptr %v98.at, align 8
        %v99 = fadd double %v93, %v98
        %v100 = fsub double %v98, %v79
        %v101 = fmul double %v100, %v100
        %v102 = fadd double %v96, %v101
        %v103 = fadd double %v97, %v100
        %v104.at.x0 = mul nsw i64 %d0, %v70
        %v104.at.s0 = add nsw i64 %v104.at.x0, %j74
        %v104.at = getelementptr inbounds double, ptr %in0, i64 %v104.at.s0
        %v104 = load double, ptr %v104.at, align 8
        %v105 = fadd double %v99, %v104
        %v106 = fsub double %v104, %v79
        %v107 = fmul double %v106, %v106
        %v108 = fadd double %v102, %v107
        %v109 = fadd double %v103, %v106
        %v110.at.x0 = mul nsw i64 %d0, %v71
        %v110.at.s0 = add nsw i64 %v110.at.x0, %j74
        %v110.at = getelementptr inbounds double, ptr %in0, i64 %v110.at.s0
        %v110 = load double, ptr %v110.at, align 8
        %v111 = fadd double %v105, %v110
        %v112 = fsub double %v110, %v79
        %v113 = fmul double %v112, %v112
        %v114 = fadd double %v108, %v113
        %v115 = fadd double %v109, %v112
        %v116.at.x0 = mul nsw i64 %d0, %v72
        %v116.at.s0 = add nsw i64 %v116.at.x0, %j74
        %v116.at = getelementptr inbounds double, ptr %in0, i64 %v116.at.s0
        %v116 = load double, ptr %v116.at, align 8
        %v117 = fadd double %v111, %v116
        %v118 = fsub double %v116, %v79
        %v119 = fmul double %v118, %v118
        %v120 = fadd double %v114, %v119
        %v121 = fadd double %v115, %v118
        %v122.at.x0 = mul nsw i64 %d0, %v73
        %v122.at.s0 = add nsw i64 %v122.at.x0, %j74
        %v122.at = getelementptr inbounds double, ptr %in0, i64 %v122.at.s0
        %v122 = load double, ptr %v122.at, align 8
        %v123 = fadd double %v117, %v122
        %v124 = fsub double %v122, %v79
        %v125 = fmul double %v124, %v124
        %v126 = fadd double %v120, %v125
        %v127 = fadd double %v121, %v124
        %tmp0.8 = getelementptr inbounds double, ptr %tmp0, i64 %v75
        store double %v123, ptr %tmp0.8, align 8
        %tmp2.9 = getelementptr inbounds double, ptr %tmp2, i64 %v75
        store double %v126, ptr %tmp2.9, align 8
        %tmp3.10 = getelementptr inbounds double, ptr %tmp3, i64 %v75
        store double %v127, ptr %tmp3.10, align 8
        br label %j74.step
j74.step:
        %j74.next = add nsw i64 %j74, 1
        %j74.more = icmp slt i64 %j74.next, %v7
        br i1 %j74.more, label %j74.body, label %j74.after
j74.after:
      br label %g63.step
g63.step:
      %g63.next = add nsw i64 %g63, 1
      %g63.more = icmp slt i64 %g63.next, %v62
      br i1 %g63.more, label %g63.body, label %g63.after
g63.after:
    %v128 = mul i64 %v62, 8
    %v129 = add i64 %v8, %v128
    %q130.any = icmp slt i64 %v129, %v10
    br i1 %q130.any, label %q130.body, label %q130.after
q130.body:
      %q130 = phi i64 [ %v129, %g63.after ], [ %q130.next, %q130.step ]
      %j131.any = icmp slt i64 %v5, %v7
      br i1 %j131.any, label %j131.body, label %j131.after
j131.body:
        %j131 = phi i64 [ %v5, %q130.body ], [ %j131.next, %j131.step ]
        %v132 = sub i64 %j131, %v5
        %v133.at = getelementptr inbounds double, ptr %tmp0, i64 %v132
        %v133 = load double, ptr %v133.at, align 8
        %v134.at = getelementptr inbounds double, ptr %tmp2, i64 %v132
        %v134 = load double, ptr %v134.at, align 8
        %v135.at = getelementptr inbounds double, ptr %tmp3, i64 %v132
        %v135 = load double, ptr %v135.at, align 8
        %v136.at = getelementptr inbounds double, ptr %tmp1, i64 %v132
        %v136 = load double, ptr %v136.at, align 8
        %v137.at.x0 = mul nsw i64 %d0, %q130
        %v137.at.s0 = add nsw i64 %v137.at.x0, %j131
        %v137.at = getelementptr inbounds double, ptr %in0, i64 %v137.at.s0
        %v137 = load double, ptr %v137.at, align 8
        %v138 = fadd double %v133, %v137
        %v139 = fsub double %v137, %v136
        %v140 = fmul double %v139, %v139
        %v141 = fadd double %v134, %v140
        %v142 = fadd double %v135, %v139
        %tmp0.11 = getelementptr inbounds double, ptr %tmp0, i64 %v132
        store double %v138, ptr %tmp0.11, align 8
        %tmp2.12 = getelementptr inbounds double, ptr %tmp2, i64 %v132
        store double %v141, ptr %tmp2.12, align 8
        %tmp3.13 = getelementptr inbounds double, ptr %tmp3, i64 %v132
        store double %v142, ptr %tmp3.13, align 8
        br label %j131.step
j131.step:
        %j131.next = add nsw i64 %j131, 1
        %j131.more = icmp slt i64 %j131.next, %v7
        br i1 %j131.more, label %j131.body, label %j131.after
j131.after:
      br label %q130.step
q130.step:
      %q130.next = add nsw i64 %q130, 1
      %q130.more = icmp slt i64 %q130.next, %v10
      br i1 %q130.more, label %q130.body, label %q130.after
q130.after:
    %v143 = mul i64 %v1, %n5
    %v144 = mul i64 %v4, %n0
    %v145 = add i64 %v143, %v144
    %j146.any = icmp slt i64 %v5, %v7
    br i1 %j146.any, label %j146.body, label %j146.after
j146.body:
      %j146 = phi i64 [ %v5, %q130.after ], [ %j146.next, %j146.step ]
      %v147 = sub i64 %j146, %v5
      %v148.at = getelementptr inbounds double, ptr %tmp0, i64 %v147
      %v148 = load double, ptr %v148.at, align 8
      %tmp4.14.s0 = add nsw i64 %v145, %j146
      %tmp4.14 = getelementptr inbounds double, ptr %tmp4, i64 %tmp4.14.s0
      store double %v148, ptr %tmp4.14, align 8
      %v149.at = getelementptr inbounds double, ptr %tmp2, i64 %v147
      %v149 = load double, ptr %v149.at, align 8
      %tmp5.15.s0 = add nsw i64 %v145, %j146
      %tmp5.15 = getelementptr inbounds double, ptr %tmp5, i64 %tmp5.15.s0
      store double %v149, ptr %tmp5.15, align 8
      %v150.at = getelementptr inbounds double, ptr %tmp3, i64 %v147
      %v150 = load double, ptr %v150.at, align 8
      %tmp6.16.s0 = add nsw i64 %v145, %j146
      %tmp6.16 = getelementptr inbounds double, ptr %tmp6, i64 %tmp6.16.s0
      store double %v150, ptr %tmp6.16, align 8
      %v151.at = getelementptr inbounds double, ptr %tmp1, i64 %v147
      %v151 = load double, ptr %v151.at, align 8
      %tmp7.17.s0 = add nsw i64 %v145, %j146
      %tmp7.17 = getelementptr inbounds double, ptr %tmp7, i64 %tmp7.17.s0
      store double %v151, ptr %tmp7.17, align 8
      br label %j146.step
j146.step:
      %j146.next = add nsw i64 %j146, 1
      %j146.more = icmp slt i64 %j146.next, %v7
      br i1 %j146.more, label %j146.body, label %j146.after
j146.after:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after
w0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, ptr noalias readonly %tmp0, i64 %n2, i64 %n3, i64 %n4, ptr noalias readonly %tmp1, ptr noalias readonly %tmp2, ptr noalias readonly %tmp3, double %s0, ptr noalias %out0, ptr noalias %flags) #0 {
entry:
  %sum1 = alloca double
  %lost2 = alloca double
  %dev12 = alloca double
  %lost13 = alloca double
  %before = call i32 @watch_begin()
  %o0.any = icmp slt i64 %begin, %end
  br i1 %o0.any, label %o0.body, label %o0.after
o0.body:
    %o0 = phi i64 [ %begin, %entry ], [ %o0.next, %o0.step ]
    store double 0.0, ptr %sum1
    store double 0.0, ptr %lost2
    %c3.any = icmp slt i64 0, %n0
    br i1 %c3.any, label %c3.body, label %c3.after
c3.body:
      %c3 = phi i64 [ 0, %o0.body ], [ %c3.next, %c3.step ]
      %v4.at.x0 = mul nsw i64 %n1, %c3
      %v4.at.s0 = add nsw i64 %v4.at.x0, %o0
      %v4.at = getelementptr inbounds double, ptr %tmp0, i64 %v4.at.s0
      %v4 = load double, ptr %v4.at, align 8
      %sum1.1 = load double, ptr %sum1
      %v6 = fadd double %sum1.1, %v4
      %v7 = fsub double %v6, %sum1.1
      %v8 = fsub double %v6, %v7
      %v9 = fsub double %sum1.1, %v8
      %v10 = fsub double %v4, %v7
      %v11 = fadd double %v9, %v10
      %lost2.2 = load double, ptr %lost2
      %lost2.3 = fadd double %lost2.2, %v11
      store double %lost2.3, ptr %lost2
      store double %v6, ptr %sum1
      br label %c3.step
c3.step:
      %c3.next = add nsw i64 %c3, 1
      %c3.more = icmp slt i64 %c3.next, %n0
      br i1 %c3.more, label %c3.body, label %c3.after
c3.after:
    store double 0.0, ptr %dev12
    store double 0.0, ptr %lost13
    %sum1.4 = load double, ptr %sum1
    %lost2.5 = load double, ptr %lost2
    %v14 = fadd double %sum1.4, %lost2.5
    %lost2.6 = load double, ptr %lost2
    %lost2.7 = load double, ptr %lost2
    %v15 = fcmp oeq double %lost2.6, %lost2.7
    %sum1.8 = load double, ptr %sum1
    %v16 = select i1 %v15, double %v14, double %sum1.8
    %v17 = call double @convert_i64_f64(i64 %n2)
    %v18 = fdiv double %v16, %v17
    %c19.any = icmp slt i64 0, %n0
    br i1 %c19.any, label %c19.body, label %c19.after
c19.body:
      %c19 = phi i64 [ 0, %c3.after ], [ %c19.next, %c19.step ]
      %v20 = mul i64 %c19, %n4
      %v21 = sub i64 %n3, %v20
      %v22 = call i64 @minimum_i64(i64 %v21, i64 %n4)
      %v23.at.x0 = mul nsw i64 %n1, %c19
      %v23.at.s0 = add nsw i64 %v23.at.x0, %o0
      %v23.at = getelementptr inbounds double, ptr %tmp1, i64 %v23.at.s0
      %v23 = load double, ptr %v23.at, align 8
      %v24.at.x0 = mul nsw i64 %n1, %c19
      %v24.at.s0 = add nsw i64 %v24.at.x0, %o0
      %v24.at = getelementptr inbounds double, ptr %tmp2, i64 %v24.at.s0
      %v24 = load double, ptr %v24.at, align 8
      %v25.at.x0 = mul nsw i64 %n1, %c19
      %v25.at.s0 = add nsw i64 %v25.at.x0, %o0
      %v25.at = getelementptr inbounds double, ptr %tmp3, i64 %v25.at.s0
      %v25 = load double, ptr %v25.at, align 8
      %v26 = fsub double %v25, %v18
      %v27 = call double @convert_i64_f64(i64 %v22)
      %v28 = fadd double %v24, %v24
      %v29 = fmul double %v27, %v26
      %v30 = fadd double %v28, %v29
      %v31 = fmul double %v26, %v30
      %v32 = fadd double %v23, %v31
      %dev12.9 = load double, ptr %dev12
      %v34 = fadd double %dev12.9, %v32
      %v35 = fsub double %v34, %dev12.9
      %v36 = fsub double %v34, %v35
      %v37 = fsub double %dev12.9, %v36
      %v38 = fsub double %v32, %v35
      %v39 = fadd double %v37, %v38
      %lost13.10 = load double, ptr %lost13
      %lost13.11 = fadd double %lost13.10, %v39
      store double %lost13.11, ptr %lost13
      store double %v34, ptr %dev12
      br label %c19.step
c19.step:
      %c19.next = add nsw i64 %c19, 1
      %c19.more = icmp slt i64 %c19.next, %n0
      br i1 %c19.more, label %c19.body, label %c19.after
c19.after:
    %dev12.12 = load double, ptr %dev12
    %lost13.13 = load double, ptr %lost13
    %v40 = fadd double %dev12.12, %lost13.13
    %lost13.14 = load double, ptr %lost13
    %lost13.15 = load double, ptr %lost13
    %v41 = fcmp oeq double %lost13.14, %lost13.15
    %dev12.16 = load double, ptr %dev12
    %v42 = select i1 %v41, double %v40, double %dev12.16
    %v43 = fdiv double %v42, %s0
    %out0.17 = getelementptr inbounds double, ptr %out0, i64 %o0
    store double %v43, ptr %out0.17, align 8
    br label %o0.step
o0.step:
    %o0.next = add nsw i64 %o0, 1
    %o0.more = icmp slt i64 %o0.next, %end
    br i1 %o0.more, label %o0.body, label %o0.after
o0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}
