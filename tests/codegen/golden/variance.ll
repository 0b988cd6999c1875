define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, ptr noalias %tmp0, ptr noalias readonly %in0, i64 %d0, ptr noalias %tmp1, ptr noalias %tmp2, ptr noalias %tmp3, ptr noalias %tmp4, ptr noalias %tmp5, ptr noalias %tmp6, ptr noalias %tmp7, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = srem i64 %w0, %n2
    %v2 = sdiv i64 %w0, %n2
    %v3 = srem i64 %v2, %n3
    %v4 = sdiv i64 %v2, %n3
    %v5 = mul i64 %v3, 1024
    %v6 = add i64 %v5, 1024
    %v7 = call i64 @minimum_i64(i64 %v6, i64 %n0)
    %v8 = mul i64 %v1, 64
    %v9 = add i64 %v8, 64
    %v10 = call i64 @minimum_i64(i64 %v9, i64 %n1)
    %v11 = add i64 %v8, 8
    %v12 = call i64 @minimum_i64(i64 %v11, i64 %v10)
    %j13.any = icmp slt i64 %v5, %v7
    br i1 %j13.any, label %j13.body, label %j13.after
j13.body:
      %j13 = phi i64 [ %v5, %w0.body ], [ %j13.next, %j13.step ]
      %v14 = sub i64 %j13, %v5
      %tmp0.1 = getelementptr inbounds double, ptr %tmp0, i64 %v14
      store double 0.0, ptr %tmp0.1, align 8
      br label %j13.step
j13.step:
      %j13.next = add nsw i64 %j13, 1
      %j13.more = icmp slt i64 %j13.next, %v7
      br i1 %j13.more, label %j13.body, label %j13.after
j13.after:
    %v15 = sub i64 %v12, %v8
    %v16 = sdiv i64 %v15, 8
    %g17.any = icmp slt i64 0, %v16
    br i1 %g17.any, label %g17.body, label %g17.after
g17.body:
      %g17 = phi i64 [ 0, %j13.after ], [ %g17.next, %g17.step ]
      %v18 = mul i64 %g17, 8
      %v19 = add i64 %v8, %v18
      %v20 = add i64 %v19, 0
      %v21 = add i64 %v19, 1
      %v22 = add i64 %v19, 2
      %v23 = add i64 %v19, 3
      %v24 = add i64 %v19, 4
      %v25 = add i64 %v19, 5
      %v26 = add i64 %v19, 6
      %v27 = add i64 %v19, 7
      %j28.any = icmp slt i64 %v5, %v7
      br i1 %j28.any, label %j28.body, label %j28.after
j28.body:
        %j28 = phi i64 [ %v5, %g17.body ], [ %j28.next, %j28.step ]
        %v29 = sub i64 %j28, %v5
        %v30.at = getelementptr inbounds double, ptr %tmp0, i64 %v29
        %v30 = load double, ptr %v30.at, align 8
        %v31.at.x0 = mul nsw i64 %d0, %v20
        %v31.at.s0 = add nsw i64 %v31.at.x0, %j28
        %v31.at = getelementptr inbounds double, ptr %in0, i64 %v31.at.s0
        %v31 = load double, ptr %v31.at, align 8
        %v32 = fadd double %v30, %v31
        %v33.at.x0 = mul nsw i64 %d0, %v21
        %v33.at.s0 = add nsw i64 %v33.at.x0, %j28
        %v33.at = getelementptr inbounds double, ptr %in0, i64 %v33.at.s0
        %v33 = load double, ptr %v33.at, align 8
        %v34 = fadd double %v32, %v33
        %v35.at.x0 = mul nsw i64 %d0, %v22
        %v35.at.s0 = add nsw i64 %v35.at.x0, %j28
        %v35.at = getelementptr inbounds double, ptr %in0, i64 %v35.at.s0
        %v35 = load double, ptr %v35.at, align 8
        %v36 = fadd double %v34, %v35
        %v37.at.x0 = mul nsw i64 %d0, %v23
        %v37.at.s0 = add nsw i64 %v37.at.x0, %j28
        %v37.at = getelementptr inbounds double, ptr %in0, i64 %v37.at.s0
        %v37 = load double, ptr %v37.at, align 8
        %v38 = fadd double %v36, %v37
        %v39.at.x0 = mul nsw i64 %d0, %v24
        %v39.at.s0 = add nsw i64 %v39.at.x0, %j28
        %v39.at = getelementptr inbounds double, ptr %in0, i64 %v39.at.s0
        %v39 = load double, ptr %v39.at, align 8
        %v40 = fadd double %v38, %v39
        %v41.at.x0 = mul nsw i64 %d0, %v25
        %v41.at.s0 = add nsw i64 %v41.at.x0, %j28
        %v41.at = getelementptr inbounds double, ptr %in0, i64 %v41.at.s0
        %v41 = load double, ptr %v41.at, align 8
        %v42 = fadd double %v40, %v41
        %v43.at.x0 = mul nsw i64 %d0, %v26
        %v43.at.s0 = add nsw i64 %v43.at.x0, %j28
        %v43.at = getelementptr inbounds double, ptr %in0, i64 %v43.at.s0
        %v43 = load double, ptr %v43.at, align 8
        %v44 = fadd double %v42, %v43
        %v45.at.x0 = mul nsw i64 %d0, %v27
        %v45.at.s0 = add nsw i64 %v45.at.x0, %j28
        %v45.at = getelementptr inbounds double, ptr %in0, i64 %v45.at.s0
        %v45 = load double, ptr %v45.at, align 8
        %v46 = fadd double %v44, %v45
        %tmp0.2 = getelementptr inbounds double, ptr %tmp0, i64 %v29
        store double %v46, ptr %tmp0.2, align 8
        br label %j28.step
j28.step:
        %j28.next = add nsw i64 %j28, 1
        %j28.more = icmp slt i64 %j28.next, %v7
        br i1 %j28.more, label %j28.body, label %j28.after
j28.after:
      br label %g17.step
g17.step:
      %g17.next = add nsw i64 %g17, 1
      %g17.more = icmp slt i64 %g17.next, %v16
      br i1 %g17.more, label %g17.body, label %g17.after
g17.after:
    %v47 = mul i64 %v16, 8
    %v48 = add i64 %v8, %v47
    %q49.any = icmp slt i64 %v48, %v12
    br i1 %q49.any, label %q49.body, label %q49.after
q49.body:
      %q49 = phi i64 [ %v48, %g17.after ], [ %q49.next, %q49.step ]
      %j50.any = icmp slt i64 %v5, %v7
      br i1 %j50.any, label %j50.body, label %j50.after
j50.body:
        %j50 = phi i64 [ %v5, %q49.body ], [ %j50.next, %j50.step ]
        %v51 = sub i64 %j50, %v5
        %v52.at = getelementptr inbounds double, ptr %tmp0, i64 %v51
        %v52 = load double, ptr %v52.at, align 8
        %v53.at.x0 = mul nsw i64 %d0, %q49
        %v53.at.s0 = add nsw i64 %v53.at.x0, %j50
        %v53.at = getelementptr inbounds double, ptr %in0, i64 %v53.at.s0
        %v53 = load double, ptr %v53.at, align 8
        %v54 = fadd double %v52, %v53
        %tmp0.3 = getelementptr inbounds double, ptr %tmp0, i64 %v51
        store double %v54, ptr %tmp0.3, align 8
        br label %j50.step
j50.step:
        %j50.next = add nsw i64 %j50, 1
        %j50.more = icmp slt i64 %j50.next, %v7
        br i1 %j50.more, label %j50.body, label %j50.after
j50.after:
      br label %q49.step
q49.step:
      %q49.next = add nsw i64 %q49, 1
      %q49.more = icmp slt i64 %q49.next, %v12
      br i1 %q49.more, label %q49.body, label %q49.after
q49.after:
    %j55.any = icmp slt i64 %v5, %v7
    br i1 %j55.any, label %j55.body, label %j55.after
j55.body:
      %j55 = phi i64 [ %v5, %q49.after ], [ %j55.next, %j55.step ]
      %v56 = sub i64 %j55, %v5
      %v57.at = getelementptr inbounds double, ptr %tmp0, i64 %v56
      %v57 = load double, ptr %v57.at, align 8
      %v58 = call double @convert_i64_f64(i64 %v15)
      %v59 = fdiv double %v57, %v58
      %tmp1.4 = getelementptr inbounds double, ptr %tmp1, i64 %v56
      store double %v59, ptr %tmp1.4, align 8
      %tmp0.5 = getelementptr inbounds double, ptr %tmp0, i64 %v56
      store double 0.0, ptr %tmp0.5, align 8
      %tmp2.6 = getelementptr inbounds double, ptr %tmp2, i64 %v56
      store double 0.0, ptr %tmp2.6, align 8
      %tmp3.7 = getelementptr inbounds double, ptr %tmp3, i64 %v56
      store double 0.0, ptr %tmp3.7, align 8
      br label %j55.step
j55.step:
      %j55.next = add nsw i64 %j55, 1
      %j55.more = icmp slt i64 %j55.next, %v7
      br i1 %j55.more, label %j55.body, label %j55.after
j55.after:
    %v60 = sub i64 %v10, %v8
    %v61 = sdiv i64 %v60, 8
    %g62.any = icmp slt i64 0, %v61
    br i1 %g62.any, label %g62.body, label %g62.after
g62.body:
      %g62 = phi i64 [ 0, %j55.after ], [ %g62.next, %g62.step ]
      %v63 = mul i64 %g62, 8
      %v64 = add i64 %v8, %v63
      %v65 = add i64 %v64, 0
      %v66 = add i64 %v64, 1
      %v67 = add i64 %v64, 2
      %v68 = add i64 %v64, 3
      %v69 = add i64 %v64, 4
      %v70 = add i64 %v64, 5
      %v71 = add i64 %v64, 6
      %v72 = add i64 %v64, 7
      %j73.any = icmp slt i64 %v5, %v7
      br i1 %j73.any, label %j73.body, label %j73.after
j73.body:
        %j73 = phi i64 [ %v5, %g62.body ], [ %j73.next, %j73.step ]
        %v74 = sub i64 %j73, %v5
        %v75.at = getelementptr inbounds double, ptr %tmp0, i64 %v74
        %v75 = load double, ptr %v75.at, align 8
        %v76.at = getelementptr inbounds double, ptr %tmp2, i64 %v74
        %v76 = load double, ptr %v76.at, align 8
        %v77.at = getelementptr inbounds double, ptr %tmp3, i64 %v74
        %v77 = load double, ptr %v77.at, align 8
        %v78.at = getelementptr inbounds double, ptr %tmp1, i64 %v74
        %v78 = load double, ptr %v78.at, align 8
        %v79.at.x0 = mul nsw i64 %d0, %v65
        %v79.at.s0 = add nsw i64 %v79.at.x0, %j73
        %v79.at = getelementptr inbounds double, ptr %in0, i64 %v79.at.s0
        %v79 = load double, ptr %v79.at, align 8
        %v80 = fadd double %v75, %v79
        %v81 = fsub double %v79, %v78
        %v82 = fmul double %v81, %v81
        %v83 = fadd double %v76, %v82
        %v84 = fadd double %v77, %v81
        %v85.at.x0 = mul nsw i64 %d0, %v66
        %v85.at.s0 = add nsw i64 %v85.at.x0, %j73
        %v85.at = getelementptr inbounds double, ptr %in0, i64 %v85.at.s0
        %v85 = load double, ptr %v85.at, align 8
        %v86 = fadd double %v80, %v85
        %v87 = fsub double %v85, %v78
        %v88 = fmul double %v87, %v87
        %v89 = fadd double %v83, %v88
        %v90 = fadd double %v84, %v87
        %v91.at.x0 = mul nsw i64 %d0, %v67
        %v91.at.s0 = add nsw i64 %v91.at.x0, %j73
        %v91.at = getelementptr inbounds double, ptr %in0, i64 %v91.at.s0
        %v91 = load double, ptr %v91.at, align 8
        %v92 = fadd double %v86, %v91
        %v93 = fsub double %v91, %v78
        %v94 = fmul double %v93, %v93
        %v95 = fadd double %v89, %v94
        %v96 = fadd double %v90, %v93
        %v97.at.x0 = mul nsw i64 %d0, %v68
        %v97.at.s0 = add nsw i64 %v97.at.x0, %j73
        %v97.at = getelementptr inbounds double, ptr %in0, i64 %v97.at.s0
        %v97 = load double, ptr %v97.at, align 8
        %v98 = fadd double %v92, %v97
        %v99 = fsub double %v97, %v78
        %v100 = fmul double %v99, %v99
        %v101 = fadd double %v95, %v100
        %v102 = fadd double %v96, %v99
        %v103.at.x0 = mul nsw i64 %d0, %v69
        %v103.at.s0 = add nsw i64 %v103.at.x0, %j73
        %v103.at = getelementptr inbounds double, ptr %in0, i64 %v103.at.s0
        %v103 = load double, ptr %v103.at, align 8
        %v104 = fadd double %v98, %v103
        %v105 = fsub double %v103, %v78
        %v106 = fmul double %v105, %v105
        %v107 = fadd double %v101, %v106
        %v108 = fadd double %v102, %v105
        %v109.at.x0 = mul nsw i64 %d0, %v70
        %v109.at.s0 = add nsw i64 %v109.at.x0, %j73
        %v109.at = getelementptr inbounds double, ptr %in0, i64 %v109.at.s0
        %v109 = load double, ptr %v109.at, align 8
        %v110 = fadd double %v104, %v109
        %v111 = fsub double %v109, %v78
        %v112 = fmul double %v111, %v111
        %v113 = fadd double %v107, %v112
        %v114 = fadd double %v108, %v111
        %v115.at.x0 = mul nsw i64 %d0, %v71
        %v115.at.s0 = add nsw i64 %v115.at.x0, %j73
        %v115.at = getelementptr inbounds double, ptr %in0, i64 %v115.at.s0
        %v115 = load double, ptr %v115.at, align 8
        %v116 = fadd double %v110, %v115
        %v117 = fsub double %v115, %v78
        %v118 = fmul double %v117, %v117
        %v119 = fadd double %v113, %v118
        %v120 = fadd double %v114, %v117
        %v121.at.x0 = mul nsw i64 %d0, %v72
        %v121.at.s0 = add nsw i64 %v121.at.x0, %j73
        %v121.at = getelementptr inbounds double, ptr %in0, i64 %v121.at.s0
        %v121 = load double, ptr %v121.at, align 8
        %v122 = fadd double %v116, %v121
        %v123 = fsub double %v121, %v78
        %v124 = fmul double %v123, %v123
        %v125 = fadd double %v119, %v124
        %v126 = fadd double %v120, %v123
        %tmp0.8 = getelementptr inbounds double, ptr %tmp0, i64 %v74
        store double %v122, ptr %tmp0.8, align 8
        %tmp2.9 = getelementptr inbounds double, ptr %tmp2, i64 %v74
        store double %v125, ptr %tmp2.9, align 8
        %tmp3.10 = getelementptr inbounds double, ptr %tmp3, i64 %v74
        store double %v126, ptr %tmp3.10, align 8
        br label %j73.step
j73.step:
        %j73.next = add nsw i64 %j73, 1
        %j73.more = icmp slt i64 %j73.next, %v7
        br i1 %j73.more, label %j73.body, label %j73.after
j73.after:
      br label %g62.step
g62.step:
      %g62.next = add nsw i64 %g62, 1
      %g62.more = icmp slt i64 %g62.next, %v61
      br i1 %g62.more, label %g62.body, label %g62.after
g62.after:
    %v127 = mul i64 %v61, 8
    %v128 = add i64 %v8, %v127
    %q129.any = icmp slt i64 %v128, %v10
    br i1 %q129.any, label %q129.body, label %q129.after
q129.body:
      %q129 = phi i64 [ %v128, %g62.after ], [ %q129.next, %q129.step ]
      %j130.any = icmp slt i64 %v5, %v7
      br i1 %j130.any, label %j130.body, label %j130.after
j130.body:
        %j130 = phi i64 [ %v5, %q129.body ], [ %j130.next, %j130.step ]
        %v131 = sub i64 %j130, %v5
        %v132.at = getelementptr inbounds double, ptr %tmp0, i64 %v131
        %v132 = load double, ptr %v132.at, align 8
        %v133.at = getelementptr inbounds double, ptr %tmp2, i64 %v131
        %v133 = load double, ptr %v133.at, align 8
        %v134.at = getelementptr inbounds double, ptr %tmp3, i64 %v131
        %v134 = load double, ptr %v134.at, align 8
        %v135.at = getelementptr inbounds double, ptr %tmp1, i64 %v131
        %v135 = load double, ptr %v135.at, align 8
        %v136.at.x0 = mul nsw i64 %d0, %q129
        %v136.at.s0 = add nsw i64 %v136.at.x0, %j130
        %v136.at = getelementptr inbounds double, ptr %in0, i64 %v136.at.s0
        %v136 = load double, ptr %v136.at, align 8
        %v137 = fadd double %v132, %v136
        %v138 = fsub double %v136, %v135
        %v139 = fmul double %v138, %v138
        %v140 = fadd double %v133, %v139
        %v141 = fadd double %v134, %v138
        %tmp0.11 = getelementptr inbounds double, ptr %tmp0, i64 %v131
        store double %v137, ptr %tmp0.11, align 8
        %tmp2.12 = getelementptr inbounds double, ptr %tmp2, i64 %v131
        store double %v140, ptr %tmp2.12, align 8
        %tmp3.13 = getelementptr inbounds double, ptr %tmp3, i64 %v131
        store double %v141, ptr %tmp3.13, align 8
        br label %j130.step
j130.step:
        %j130.next = add nsw i64 %j130, 1
        %j130.more = icmp slt i64 %j130.next, %v7
        br i1 %j130.more, label %j130.body, label %j130.after
j130.after:
      br label %q129.step
q129.step:
      %q129.next = add nsw i64 %q129, 1
      %q129.more = icmp slt i64 %q129.next, %v10
      br i1 %q129.more, label %q129.body, label %q129.after
q129.after:
    %v142 = mul i64 %v1, %n4
    %v143 = mul i64 %v4, %n0
    %v144 = add i64 %v142, %v143
    %j145.any = icmp slt i64 %v5, %v7
    br i1 %j145.any, label %j145.body, label %j145.after
j145.body:
      %j145 = phi i64 [ %v5, %q129.after ], [ %j145.next, %j145.step ]
      %v146 = sub i64 %j145, %v5
      %v147.at = getelementptr inbounds double, ptr %tmp0, i64 %v146
      %v147 = load double, ptr %v147.at, align 8
      %tmp4.14.s0 = add nsw i64 %v144, %j145
      %tmp4.14 = getelementptr inbounds double, ptr %tmp4, i64 %tmp4.14.s0
      store double %v147, ptr %tmp4.14, align 8
      %v148.at = getelementptr inbounds double, ptr %tmp2, i64 %v146
      %v148 = load double, ptr %v148.at, align 8
      %tmp5.15.s0 = add nsw i64 %v144, %j145
      %tmp5.15 = getelementptr inbounds double, ptr %tmp5, i64 %tmp5.15.s0
      store double %v148, ptr %tmp5.15, align 8
      %v149.at = getelementptr inbounds double, ptr %tmp3, i64 %v146
      %v149 = load double, ptr %v149.at, align 8
      %tmp6.16.s0 = add nsw i64 %v144, %j145
      %tmp6.16 = getelementptr inbounds double, ptr %tmp6, i64 %tmp6.16.s0
      store double %v149, ptr %tmp6.16, align 8
      %v150.at = getelementptr inbounds double, ptr %tmp1, i64 %v146
      %v150 = load double, ptr %v150.at, align 8
      %tmp7.17.s0 = add nsw i64 %v144, %j145
      %tmp7.17 = getelementptr inbounds double, ptr %tmp7, i64 %tmp7.17.s0
      store double %v150, ptr %tmp7.17, align 8
      br label %j145.step
j145.step:
      %j145.next = add nsw i64 %j145, 1
      %j145.more = icmp slt i64 %j145.next, %v7
      br i1 %j145.more, label %j145.body, label %j145.after
j145.after:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after
w0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, ptr noalias readonly %tmp0, i64 %n2, i64 %n3, ptr noalias readonly %tmp1, ptr noalias readonly %tmp2, ptr noalias readonly %tmp3, double %s0, ptr noalias %out0, ptr noalias %flags) #0 {
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
      %v20 = mul i64 %c19, 64
      %v21 = sub i64 %n3, %v20
      %v22 = call i64 @minimum_i64(i64 %v21, i64 64)
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
