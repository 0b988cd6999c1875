define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, ptr noalias %tmp0, ptr noalias readonly %in0, i64 %d0, ptr noalias %tmp1, ptr noalias %tmp2, ptr noalias %tmp3, ptr noalias %tmp4, ptr noalias %tmp5, ptr noalias %tmp6, ptr noalias %tmp7, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = srem i64 %w0, %n4
    %v2 = sdiv i64 %w0, %n4
    %v3 = srem i64 %v2, %n3
    %v4 = sdiv i64 %v2, %n3
    %v5 = mul i64 %v1, 1024
    %v6 = add i64 %v5, 1024
    %v7 = call i64 @minimum_i64(i64 %v6, i64 %n0)
    %v8 = mul i64 %v3, %n2
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
    %j57.any = icmp slt i64 %v5, %v7
    br i1 %j57.any, label %j57.body, label %j57.after
j57.body:
      %j57 = phi i64 [ %v5, %q50.after ], [ %j57.next, %j57.step ]
      %v58 = sub i64 %j57, %v5
      %v59.at = getelementptr inbounds double, ptr %tmp0, i64 %v58
      %v59 = load double, ptr %v59.at, align 8
      %v60 = call double @convert_i64_f64(i64 %v16)
      %v61 = fdiv double %v59, %v60
      %tmp1.4 = getelementptr inbounds double, ptr %tmp1, i64 %v58
      store double %v61, ptr %tmp1.4, align 8
      %tmp0.5 = getelementptr inbounds double, ptr %tmp0, i64 %v58
      store double 0.0, ptr %tmp0.5, align 8
      %tmp2.6 = getelementptr inbounds double, ptr %tmp2, i64 %v58
      store double 0.0, ptr %tmp2.6, align 8
      %tmp3.7 = getelementptr inbounds double, ptr %tmp3, i64 %v58
      store double 0.0, ptr %tmp3.7, align 8
      br label %j57.step
j57.step:
      %j57.next = add nsw i64 %j57, 1
      %j57.more = icmp slt i64 %j57.next, %v7
      br i1 %j57.more, label %j57.body, label %j57.after
j57.after:
    %v62 = sub i64 %v10, %v8
    %v63 = sdiv i64 %v62, 8
    %g64.any = icmp slt i64 0, %v63
    br i1 %g64.any, label %g64.body, label %g64.after
g64.body:
      %g64 = phi i64 [ 0, %j57.after ], [ %g64.next, %g64.step ]
      %v65 = mul i64 %g64, 8
      %v66 = add i64 %v8, %v65
      %v67 = add i64 %v66, 0
      %v68 = add i64 %v66, 1
      %v69 = add i64 %v66, 2
      %v70 = add i64 %v66, 3
      %v71 = add i64 %v66, 4
      %v72 = add i64 %v66, 5
      %v73 = add i64 %v66, 6
      %v74 = add i64 %v66, 7
      %j75.any = icmp slt i64 %v5, %v7
      br i1 %j75.any, label %j75.body, label %j75.after
j75.body:
        %j75 = phi i64 [ %v5, %g64.body ], [ %j75.next, %j75.step ]
        %v76 = sub i64 %j75, %v5
        %v77.at = getelementptr inbounds double, ptr %tmp0, i64 %v76
        %v77 = load double, ptr %v77.at, align 8
        %v78.at = getelementptr inbounds double, ptr %tmp2, i64 %v76
        %v78 = load double, ptr %v78.at, align 8
        %v79.at = getelementptr inbounds double, ptr %tmp3, i64 %v76
        %v79 = load double, ptr %v79.at, align 8
        %v80.at = getelementptr inbounds double, ptr %tmp1, i64 %v76
        %v80 = load double, ptr %v80.at, align 8
        %v81.at.x0 = mul nsw i64 %d0, %v67
        %v81.at.s0 = add nsw i64 %v81.at.x0, %j75
        %v81.at = getelementptr inbounds double, ptr %in0, i64 %v81.at.s0
        %v81 = load double, ptr %v81.at, align 8
        %v82 = fadd double %v77, %v81
        %v83 = fsub double %v81, %v80
        %v84 = fmul double %v83, %v83
        %v85 = fadd double %v78, %v84
        %v86 = fadd double %v79, %v83
        %v87.at.x0 = mul nsw i64 %d0, %v68
        %v87.at.s0 = add nsw i64 %v87.at.x0, %j75
        %v87.at = getelementptr inbounds double, ptr %in0, i64 %v87.at.s0
        %v87 = load double, ptr %v87.at, align 8
        %v88 = fadd double %v82, %v87
        %v89 = fsub double %v87, %v80
        %v90 = fmul double %v89, %v89
        %v91 = fadd double %v85, %v90
        %v92 = fadd double %v86, %v89
        %v93.at.x0 = mul nsw i64 %d0, %v69
        %v93.at.s0 = add nsw i64 %v93.at.x0, %j75
        %v93.at = getelementptr inbounds double, ptr %in0, i64 %v93.at.s0
        %v93 = load double, ptr %v93.at, align 8
        %v94 = fadd double %v88, %v93
        %v95 = fsub double %v93, %v80
        %v96 = fmul double %v95, %v95
        %v97 = fadd double %v91, %v96
        %v98 = fadd double %v92, %v95
        %v99.at.x0 = mul nsw i64 %d0, %v70
        %v99.at.s0 = add nsw i64 %v99.at.x0, %j75
        %v99.at = getelementptr inbounds double, ptr %in0, i64 %v99.at.s0
        %v99 = load double, ptr %v99.at, align 8
        %v100 = fadd double %v94, %v99
        %v101 = fsub double %v99, %v80
        %v102 = fmul double %v101, %v101
        %v103 = fadd double %v97, %v102
        %v104 = fadd double %v98, %v101
        %v105.at.x0 = mul nsw i64 %d0, %v71
        %v105.at.s0 = add nsw i64 %v105.at.x0, %j75
        %v105.at = getelementptr inbounds double, ptr %in0, i64 %v105.at.s0
        %v105 = load double, ptr %v105.at, align 8
        %v106 = fadd double %v100, %v105
        %v107 = fsub double %v105, %v80
        %v108 = fmul double %v107, %v107
        %v109 = fadd double %v103, %v108
        %v110 = fadd double %v104, %v107
        %v111.at.x0 = mul nsw i64 %d0, %v72
        %v111.at.s0 = add nsw i64 %v111.at.x0, %j75
        %v111.at = getelementptr inbounds double, ptr %in0, i64 %v111.at.s0
        %v111 = load double, ptr %v111.at, align 8
        %v112 = fadd double %v106, %v111
        %v113 = fsub double %v111, %v80
        %v114 = fmul double %v113, %v113
        %v115 = fadd double %v109, %v114
        %v116 = fadd double %v110, %v113
        %v117.at.x0 = mul nsw i64 %d0, %v73
        %v117.at.s0 = add nsw i64 %v117.at.x0, %j75
        %v117.at = getelementptr inbounds double, ptr %in0, i64 %v117.at.s0
        %v117 = load double, ptr %v117.at, align 8
        %v118 = fadd double %v112, %v117
        %v119 = fsub double %v117, %v80
        %v120 = fmul double %v119, %v119
        %v121 = fadd double %v115, %v120
        %v122 = fadd double %v116, %v119
        %v123.at.x0 = mul nsw i64 %d0, %v74
        %v123.at.s0 = add nsw i64 %v123.at.x0, %j75
        %v123.at = getelementptr inbounds double, ptr %in0, i64 %v123.at.s0
        %v123 = load double, ptr %v123.at, align 8
        %v124 = fadd double %v118, %v123
        %v125 = fsub double %v123, %v80
        %v126 = fmul double %v125, %v125
        %v127 = fadd double %v121, %v126
        %v128 = fadd double %v122, %v125
        %tmp0.8 = getelementptr inbounds double, ptr %tmp0, i64 %v76
        store double %v124, ptr %tmp0.8, align 8
        %tmp2.9 = getelementptr inbounds double, ptr %tmp2, i64 %v76
        store double %v127, ptr %tmp2.9, align 8
        %tmp3.10 = getelementptr inbounds double, ptr %tmp3, i64 %v76
        store double %v128, ptr %tmp3.10, align 8
        br label %j75.step
j75.step:
        %j75.next = add nsw i64 %j75, 1
        %j75.more = icmp slt i64 %j75.next, %v7
        br i1 %j75.more, label %j75.body, label %j75.after
j75.after:
      br label %g64.step
g64.step:
      %g64.next = add nsw i64 %g64, 1
      %g64.more = icmp slt i64 %g64.next, %v63
      br i1 %g64.more, label %g64.body, label %g64.after
g64.after:
    %v129 = mul i64 %v63, 8
    %v130 = add i64 %v8, %v129
    %q131.any = icmp slt i64 %v130, %v10
    br i1 %q131.any, label %q131.body, label %q131.after
q131.body:
      %q131 = phi i64 [ %v130, %g64.after ], [ %q131.next, %q131.step ]
      %j132.any = icmp slt i64 %v5, %v7
      br i1 %j132.any, label %j132.body, label %j132.after
j132.body:
        %j132 = phi i64 [ %v5, %q131.body ], [ %j132.next, %j132.step ]
        %v133 = sub i64 %j132, %v5
        %v134.at = getelementptr inbounds double, ptr %tmp0, i64 %v133
        %v134 = load double, ptr %v134.at, align 8
        %v135.at = getelementptr inbounds double, ptr %tmp2, i64 %v133
        %v135 = load double, ptr %v135.at, align 8
        %v136.at = getelementptr inbounds double, ptr %tmp3, i64 %v133
        %v136 = load double, ptr %v136.at, align 8
        %v137.at = getelementptr inbounds double, ptr %tmp1, i64 %v133
        %v137 = load double, ptr %v137.at, align 8
        %v138.at.x0 = mul nsw i64 %d0, %q131
        %v138.at.s0 = add nsw i64 %v138.at.x0, %j132
        %v138.at = getelementptr inbounds double, ptr %in0, i64 %v138.at.s0
        %v138 = load double, ptr %v138.at, align 8
        %v139 = fadd double %v134, %v138
        %v140 = fsub double %v138, %v137
        %v141 = fmul double %v140, %v140
        %v142 = fadd double %v135, %v141
        %v143 = fadd double %v136, %v140
        %tmp0.11 = getelementptr inbounds double, ptr %tmp0, i64 %v133
        store double %v139, ptr %tmp0.11, align 8
        %tmp2.12 = getelementptr inbounds double, ptr %tmp2, i64 %v133
        store double %v142, ptr %tmp2.12, align 8
        %tmp3.13 = getelementptr inbounds double, ptr %tmp3, i64 %v133
        store double %v143, ptr %tmp3.13, align 8
        br label %j132.step
j132.step:
        %j132.next = add nsw i64 %j132, 1
        %j132.more = icmp slt i64 %j132.next, %v7
        br i1 %j132.more, label %j132.body, label %j132.after
j132.after:
      br label %q131.step
q131.step:
      %q131.next = add nsw i64 %q131, 1
      %q131.more = icmp slt i64 %q131.next, %v10
      br i1 %q131.more, label %q131.body, label %q131.after
q131.after:
    %v144 = mul i64 %v3, %n5
    %v145 = mul i64 %v4, %n0
    %v146 = add i64 %v144, %v145
    %j147.any = icmp slt i64 %v5, %v7
    br i1 %j147.any, label %j147.body, label %j147.after
j147.body:
      %j147 = phi i64 [ %v5, %q131.after ], [ %j147.next, %j147.step ]
      %v148 = sub i64 %j147, %v5
      %v149.at = getelementptr inbounds double, ptr %tmp0, i64 %v148
      %v149 = load double, ptr %v149.at, align 8
      %tmp4.14.s0 = add nsw i64 %v146, %j147
      %tmp4.14 = getelementptr inbounds double, ptr %tmp4, i64 %tmp4.14.s0
      store double %v149, ptr %tmp4.14, align 8
      %v150.at = getelementptr inbounds double, ptr %tmp2, i64 %v148
      %v150 = load double, ptr %v150.at, align 8
      %tmp5.15.s0 = add nsw i64 %v146, %j147
      %tmp5.15 = getelementptr inbounds double, ptr %tmp5, i64 %tmp5.15.s0
      store double %v150, ptr %tmp5.15, align 8
      %v151.at = getelementptr inbounds double, ptr %tmp3, i64 %v148
      %v151 = load double, ptr %v151.at, align 8
      %tmp6.16.s0 = add nsw i64 %v146, %j147
      %tmp6.16 = getelementptr inbounds double, ptr %tmp6, i64 %tmp6.16.s0
      store double %v151, ptr %tmp6.16, align 8
      %v152.at = getelementptr inbounds double, ptr %tmp1, i64 %v148
      %v152 = load double, ptr %v152.at, align 8
      %tmp7.17.s0 = add nsw i64 %v146, %j147
      %tmp7.17 = getelementptr inbounds double, ptr %tmp7, i64 %tmp7.17.s0
      store double %v152, ptr %tmp7.17, align 8
      br label %j147.step
j147.step:
      %j147.next = add nsw i64 %j147, 1
      %j147.more = icmp slt i64 %j147.next, %v7
      br i1 %j147.more, label %j147.body, label %j147.after
j147.after:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after
w0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, ptr noalias readonly %tmp0, i64 %n3, i64 %n4, ptr noalias readonly %tmp1, ptr noalias readonly %tmp2, ptr noalias readonly %tmp3, double %s0, ptr noalias %out0, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %state5 = alloca [32 x double], align 64
  %state6 = alloca [32 x double], align 64
  %state20 = alloca [32 x double], align 64
  %state21 = alloca [32 x double], align 64
  %mean23 = alloca [32 x double], align 64
  %state73 = alloca [1 x double], align 64
  %state74 = alloca [1 x double], align 64
  %state88 = alloca [1 x double], align 64
  %state89 = alloca [1 x double], align 64
  %mean91 = alloca [1 x double], align 64
  %before = call i32 @watch_begin()
  %v0 = sub i64 %end, %begin
  %v1 = sdiv i64 %v0, 32
  %b2.any = icmp slt i64 0, %v1
  br i1 %b2.any, label %b2.body, label %b2.after
b2.body:
    %b2 = phi i64 [ 0, %entry ], [ %b2.next, %b2.step ]
    %v3 = mul i64 %b2, 32
    %v4 = add i64 %begin, %v3
    %l7.any = icmp slt i64 0, 32
    br i1 %l7.any, label %l7.body, label %l7.after
l7.body:
      %l7 = phi i64 [ 0, %b2.body ], [ %l7.next, %l7.step ]
      %state5.1 = getelementptr inbounds double, ptr %state5, i64 %l7
      store double 0.0, ptr %state5.1, align 8
      %state6.2 = getelementptr inbounds double, ptr %state6, i64 %l7
      store double 0.0, ptr %state6.2, align 8
      br label %l7.step
l7.step:
      %l7.next = add nsw i64 %l7, 1
      %l7.more = icmp slt i64 %l7.next, 32
      br i1 %l7.more, label %l7.body, label %l7.after, !llvm.loop !200
l7.after:
    %c8.any = icmp slt i64 0, %n0
    br i1 %c8.any, label %c8.body, label %c8.after
c8.body:
      %c8 = phi i64 [ 0, %l7.after ], [ %c8.next, %c8.step ]
      %l9.any = icmp slt i64 0, 32
      br i1 %l9.any, label %l9.body, label %l9.after
l9.body:
        %l9 = phi i64 [ 0, %c8.body ], [ %l9.next, %l9.step ]
        %v10.at.x0 = mul nsw i64 %n1, %c8
        %v10.at.s0 = add nsw i64 %v10.at.x0, %v4
        %v10.at.s1 = add nsw i64 %v10.at.s0, %l9
        %v10.at = getelementptr inbounds double, ptr %tmp0, i64 %v10.at.s1
        %v10 = load double, ptr %v10.at, align 8
        %v11.at = getelementptr inbounds double, ptr %state5, i64 %l9
        %v11 = load double, ptr %v11.at, align 8
        %v12.at = getelementptr inbounds double, ptr %state6, i64 %l9
        %v12 = load double, ptr %v12.at, align 8
        %v13 = fadd double %v11, %v10
        %v14 = fsub double %v13, %v11
        %v15 = fsub double %v13, %v14
        %v16 = fsub double %v11, %v15
        %v17 = fsub double %v10, %v14
        %v18 = fadd double %v16, %v17
        %v19 = fadd double %v12, %v18
        %state5.3 = getelementptr inbounds double, ptr %state5, i64 %l9
        store double %v13, ptr %state5.3, align 8
        %state6.4 = getelementptr inbounds double, ptr %state6, i64 %l9
        store double %v19, ptr %state6.4, align 8
        br label %l9.step
l9.step:
        %l9.next = add nsw i64 %l9, 1
        %l9.more = icmp slt i64 %l9.next, 32
        br i1 %l9.more, label %l9.body, label %l9.after, !llvm.loop !201
l9.after:
      br label %c8.step
c8.step:
      %c8.next = add nsw i64 %c8, 1
      %c8.more = icmp slt i64 %c8.next, %n0
      br i1 %c8.more, label %c8.body, label %c8.after
c8.after:
    %l22.any = icmp slt i64 0, 32
    br i1 %l22.any, label %l22.body, label %l22.after
l22.body:
      %l22 = phi i64 [ 0, %c8.after ], [ %l22.next, %l22.step ]
      %state20.5 = getelementptr inbounds double, ptr %state20, i64 %l22
      store double 0.0, ptr %state20.5, align 8
      %state21.6 = getelementptr inbounds double, ptr %state21, i64 %l22
      store double 0.0, ptr %state21.6, align 8
      br label %l22.step
l22.step:
      %l22.next = add nsw i64 %l22, 1
      %l22.more = icmp slt i64 %l22.next, 32
      br i1 %l22.more, label %l22.body, label %l22.after, !llvm.loop !202
l22.after:
    %l24.any = icmp slt i64 0, 32
    br i1 %l24.any, label %l24.body, label %l24.after
l24.body:
      %l24 = phi i64 [ 0, %l22.after ], [ %l24.next, %l24.step ]
      %v25.at = getelementptr inbounds double, ptr %state5, i64 %l24
      %v25 = load double, ptr %v25.at, align 8
      %v26.at = getelementptr inbounds double, ptr %state6, i64 %l24
      %v26 = load double, ptr %v26.at, align 8
      %v27 = fadd double %v25, %v26
      %v28 = fcmp oeq double %v26, %v26
      %v29 = select i1 %v28, double %v27, double %v25
      %v30 = call double @convert_i64_f64(i64 %n2)
      %v31 = fdiv double %v29, %v30
      %mean23.7 = getelementptr inbounds double, ptr %mean23, i64 %l24
      store double %v31, ptr %mean23.7, align 8
      br label %l24.step
l24.step:
      %l24.next = add nsw i64 %l24, 1
      %l24.more = icmp slt i64 %l24.next, 32
      br i1 %l24.more, label %l24.body, label %l24.after, !llvm.loop !203
l24.after:
    %c32.any = icmp slt i64 0, %n0
    br i1 %c32.any, label %c32.body, label %c32.after
c32.body:
      %c32 = phi i64 [ 0, %l24.after ], [ %c32.next, %c32.step ]
      %v33 = mul i64 %c32, %n4
      %v34 = sub i64 %n3, %v33
      %v35 = call i64 @minimum_i64(i64 %v34, i64 %n4)
      %l36.any = icmp slt i64 0, 32
      br i1 %l36.any, label %l36.body, label %l36.after
l36.body:
        %l36 = phi i64 [ 0, %c32.body ], [ %l36.next, %l36.step ]
        %v37.at.x0 = mul nsw i64 %n1, %c32
        %v37.at.s0 = add nsw i64 %v37.at.x0, %v4
        %v37.at.s1 = add nsw i64 %v37.at.s0, %l36
        %v37.at = getelementptr inbounds double, ptr %tmp1, i64 %v37.at.s1
        %v37 = load double, ptr %v37.at, align 8
        %v38.at.x0 = mul nsw i64 %n1, %c32
        %v38.at.s0 = add nsw i64 %v38.at.x0, %v4
        %v38.at.s1 = add nsw i64 %v38.at.s0, %l36
        %v38.at = getelementptr inbounds double, ptr %tmp2, i64 %v38.at.s1
        %v38 = load double, ptr %v38.at, align 8
        %v39.at.x0 = mul nsw i64 %n1, %c32
        %v39.at.s0 = add nsw i64 %v39.at.x0, %v4
        %v39.at.s1 = add nsw i64 %v39.at.s0, %l36
        %v39.at = getelementptr inbounds double, ptr %tmp3, i64 %v39.at.s1
        %v39 = load double, ptr %v39.at, align 8
        %v40.at = getelementptr inbounds double, ptr %mean23, i64 %l36
        %v40 = load double, ptr %v40.at, align 8
        %v41 = fsub double %v39, %v40
        %v42 = call double @convert_i64_f64(i64 %v35)
        %v43 = fadd double %v38, %v38
        %v44 = fmul double %v42, %v41
        %v45 = fadd double %v43, %v44
        %v46 = fmul double %v41, %v45
        %v47 = fadd double %v37, %v46
        %v48.at = getelementptr inbounds double, ptr %state20, i64 %l36
        %v48 = load double, ptr %v48.at, align 8
        %v49.at = getelementptr inbounds double, ptr %state21, i64 %l36
        %v49 = load double, ptr %v49.at, align 8
        %v50 = fadd double %v48, %v47
        %v51 = fsub double %v50, %v48
        %v52 = fsub double %v50, %v51
        %v53 = fsub double %v48, %v52
        %v54 = fsub double %v47, %v51
        %v55 = fadd double %v53, %v54
        %v56 = fadd double %v49, %v55
        %state20.8 = getelementptr inbounds double, ptr %state20, i64 %l36
        store double %v50, ptr %state20.8, align 8
        %state21.9 = getelementptr inbounds double, ptr %state21, i64 %l36
        store double %v56, ptr %state21.9, align 8
        br label %l36.step
l36.step:
        %l36.next = add nsw i64 %l36, 1
        %l36.more = icmp slt i64 %l36.next, 32
        br i1 %l36.more, label %l36.body, label %l36.after, !llvm.loop !204
l36.after:
      br label %c32.step
c32.step:
      %c32.next = add nsw i64 %c32, 1
      %c32.more = icmp slt i64 %c32.next, %n0
      br i1 %c32.more, label %c32.body, label %c32.after
c32.after:
    %l57.any = icmp slt i64 0, 32
    br i1 %l57.any, label %l57.body, label %l57.after
l57.body:
      %l57 = phi i64 [ 0, %c32.after ], [ %l57.next, %l57.step ]
      %v58 = add i64 %v4, %l57
      %v64.at = getelementptr inbounds double, ptr %state20, i64 %l57
      %v64 = load double, ptr %v64.at, align 8
      %v65.at = getelementptr inbounds double, ptr %state21, i64 %l57
      %v65 = load double, ptr %v65.at, align 8
      %v66 = fadd double %v64, %v65
      %v67 = fcmp oeq double %v65, %v65
      %v68 = select i1 %v67, double %v66, double %v64
      %v69 = fdiv double %v68, %s0
      %out0.10 = getelementptr inbounds double, ptr %out0, i64 %v58
      store double %v69, ptr %out0.10, align 8
      br label %l57.step
l57.step:
      %l57.next = add nsw i64 %l57, 1
      %l57.more = icmp slt i64 %l57.next, 32
      br i1 %l57.more, label %l57.body, label %l57.after, !llvm.loop !205
l57.after:
    br label %b2.step
b2.step:
    %b2.next = add nsw i64 %b2, 1
    %b2.more = icmp slt i64 %b2.next, %v1
    br i1 %b2.more, label %b2.body, label %b2.after
b2.after:
  %v70 = mul i64 %v1, 32
  %v71 = add i64 %begin, %v70
  %o72.any = icmp slt i64 %v71, %end
  br i1 %o72.any, label %o72.body, label %o72.after
o72.body:
    %o72 = phi i64 [ %v71, %b2.after ], [ %o72.next, %o72.step ]
    %l75.any = icmp slt i64 0, 1
    br i1 %l75.any, label %l75.body, label %l75.after
l75.body:
      %l75 = phi i64 [ 0, %o72.body ], [ %l75.next, %l75.step ]
      %state73.11 = getelementptr inbounds double, ptr %state73, i64 %l75
      store double 0.0, ptr %state73.11, align 8
      %state74.12 = getelementptr inbounds double, ptr %state74, i64 %l75
      store double 0.0, ptr %state74.12, align 8
      br label %l75.step
l75.step:
      %l75.next = add nsw i64 %l75, 1
      %l75.more = icmp slt i64 %l75.next, 1
      br i1 %l75.more, label %l75.body, label %l75.after, !llvm.loop !206
l75.after:
    %c76.any = icmp slt i64 0, %n0
    br i1 %c76.any, label %c76.body, label %c76.after
c76.body:
      %c76 = phi i64 [ 0, %l75.after ], [ %c76.next, %c76.step ]
      %l77.any = icmp slt i64 0, 1
      br i1 %l77.any, label %l77.body, label %l77.after
l77.body:
        %l77 = phi i64 [ 0, %c76.body ], [ %l77.next, %l77.step ]
        %v78.at.x0 = mul nsw i64 %n1, %c76
        %v78.at.s0 = add nsw i64 %v78.at.x0, %o72
        %v78.at.s1 = add nsw i64 %v78.at.s0, %l77
        %v78.at = getelementptr inbounds double, ptr %tmp0, i64 %v78.at.s1
        %v78 = load double, ptr %v78.at, align 8
        %v79.at = getelementptr inbounds double, ptr %state73, i64 %l77
        %v79 = load double, ptr %v79.at, align 8
        %v80.at = getelementptr inbounds double, ptr %state74, i64 %l77
        %v80 = load double, ptr %v80.at, align 8
        %v81 = fadd double %v79, %v78
        %v82 = fsub double %v81, %v79
        %v83 = fsub double %v81, %v82
        %v84 = fsub double %v79, %v83
        %v85 = fsub double %v78, %v82
        %v86 = fadd double %v84, %v85
        %v87 = fadd double %v80, %v86
        %state73.13 = getelementptr inbounds double, ptr %state73, i64 %l77
        store double %v81, ptr %state73.13, align 8
        %state74.14 = getelementptr inbounds double, ptr %state74, i64 %l77
        store double %v87, ptr %state74.14, align 8
        br label %l77.step
l77.step:
        %l77.next = add nsw i64 %l77, 1
        %l77.more = icmp slt i64 %l77.next, 1
        br i1 %l77.more, label %l77.body, label %l77.after, !llvm.loop !207
l77.after:
      br label %c76.step
c76.step:
      %c76.next = add nsw i64 %c76, 1
      %c76.more = icmp slt i64 %c76.next, %n0
      br i1 %c76.more, label %c76.body, label %c76.after
c76.after:
    %l90.any = icmp slt i64 0, 1
    br i1 %l90.any, label %l90.body, label %l90.after
l90.body:
      %l90 = phi i64 [ 0, %c76.after ], [ %l90.next, %l90.step ]
      %state88.15 = getelementptr inbounds double, ptr %state88, i64 %l90
      store double 0.0, ptr %state88.15, align 8
      %state89.16 = getelementptr inbounds double, ptr %state89, i64 %l90
      store double 0.0, ptr %state89.16, align 8
      br label %l90.step
l90.step:
      %l90.next = add nsw i64 %l90, 1
      %l90.more = icmp slt i64 %l90.next, 1
      br i1 %l90.more, label %l90.body, label %l90.after, !llvm.loop !208
l90.after:
    %l92.any = icmp slt i64 0, 1
    br i1 %l92.any, label %l92.body, label %l92.after
l92.body:
      %l92 = phi i64 [ 0, %l90.after ], [ %l92.next, %l92.step ]
      %v93.at = getelementptr inbounds double, ptr %state73, i64 %l92
      %v93 = load double, ptr %v93.at, align 8
      %v94.at = getelementptr inbounds double, ptr %state74, i64 %l92
      %v94 = load double, ptr %v94.at, align 8
      %v95 = fadd double %v93, %v94
      %v96 = fcmp oeq double %v94, %v94
      %v97 = select i1 %v96, double %v95, double %v93
      %v98 = call double @convert_i64_f64(i64 %n2)
      %v99 = fdiv double %v97, %v98
      %mean91.17 = getelementptr inbounds double, ptr %mean91, i64 %l92
      store double %v99, ptr %mean91.17, align 8
      br label %l92.step
l92.step:
      %l92.next = add nsw i64 %l92, 1
      %l92.more = icmp slt i64 %l92.next, 1
      br i1 %l92.more, label %l92.body, label %l92.after, !llvm.loop !209
l92.after:
    %c100.any = icmp slt i64 0, %n0
    br i1 %c100.any, label %c100.body, label %c100.after
c100.body:
      %c100 = phi i64 [ 0, %l92.after ], [ %c100.next, %c100.step ]
      %v101 = mul i64 %c100, %n4
      %v102 = sub i64 %n3, %v101
      %v103 = call i64 @minimum_i64(i64 %v102, i64 %n4)
      %l104.any = icmp slt i64 0, 1
      br i1 %l104.any, label %l104.body, label %l104.after
l104.body:
        %l104 = phi i64 [ 0, %c100.body ], [ %l104.next, %l104.step ]
        %v105.at.x0 = mul nsw i64 %n1, %c100
        %v105.at.s0 = add nsw i64 %v105.at.x0, %o72
        %v105.at.s1 = add nsw i64 %v105.at.s0, %l104
        %v105.at = getelementptr inbounds double, ptr %tmp1, i64 %v105.at.s1
        %v105 = load double, ptr %v105.at, align 8
        %v106.at.x0 = mul nsw i64 %n1, %c100
        %v106.at.s0 = add nsw i64 %v106.at.x0, %o72
        %v106.at.s1 = add nsw i64 %v106.at.s0, %l104
        %v106.at = getelementptr inbounds double, ptr %tmp2, i64 %v106.at.s1
        %v106 = load double, ptr %v106.at, align 8
        %v107.at.x0 = mul nsw i64 %n1, %c100
        %v107.at.s0 = add nsw i64 %v107.at.x0, %o72
        %v107.at.s1 = add nsw i64 %v107.at.s0, %l104
        %v107.at = getelementptr inbounds double, ptr %tmp3, i64 %v107.at.s1
        %v107 = load double, ptr %v107.at, align 8
        %v108.at = getelementptr inbounds double, ptr %mean91, i64 %l104
        %v108 = load double, ptr %v108.at, align 8
        %v109 = fsub double %v107, %v108
        %v110 = call double @convert_i64_f64(i64 %v103)
        %v111 = fadd double %v106, %v106
        %v112 = fmul double %v110, %v109
        %v113 = fadd double %v111, %v112
        %v114 = fmul double %v109, %v113
        %v115 = fadd double %v105, %v114
        %v116.at = getelementptr inbounds double, ptr %state88, i64 %l104
        %v116 = load double, ptr %v116.at, align 8
        %v117.at = getelementptr inbounds double, ptr %state89, i64 %l104
        %v117 = load double, ptr %v117.at, align 8
        %v118 = fadd double %v116, %v115
        %v119 = fsub double %v118, %v116
        %v120 = fsub double %v118, %v119
        %v121 = fsub double %v116, %v120
        %v122 = fsub double %v115, %v119
        %v123 = fadd double %v121, %v122
        %v124 = fadd double %v117, %v123
        %state88.18 = getelementptr inbounds double, ptr %state88, i64 %l104
        store double %v118, ptr %state88.18, align 8
        %state89.19 = getelementptr inbounds double, ptr %state89, i64 %l104
        store double %v124, ptr %state89.19, align 8
        br label %l104.step
l104.step:
        %l104.next = add nsw i64 %l104, 1
        %l104.more = icmp slt i64 %l104.next, 1
        br i1 %l104.more, label %l104.body, label %l104.after, !llvm.loop !210
l104.after:
      br label %c100.step
c100.step:
      %c100.next = add nsw i64 %c100, 1
      %c100.more = icmp slt i64 %c100.next, %n0
      br i1 %c100.more, label %c100.body, label %c100.after
c100.after:
    %l125.any = icmp slt i64 0, 1
    br i1 %l125.any, label %l125.body, label %l125.after
l125.body:
      %l125 = phi i64 [ 0, %c100.after ], [ %l125.next, %l125.step ]
      %v126 = add i64 %o72, %l125
      %v132.at = getelementptr inbounds double, ptr %state88, i64 %l125
      %v132 = load double, ptr %v132.at, align 8
      %v133.at = getelementptr inbounds double, ptr %state89, i64 %l125
      %v133 = load double, ptr %v133.at, align 8
      %v134 = fadd double %v132, %v133
      %v135 = fcmp oeq double %v133, %v133
      %v136 = select i1 %v135, double %v134, double %v132
      %v137 = fdiv double %v136, %s0
      %out0.20 = getelementptr inbounds double, ptr %out0, i64 %v126
      store double %v137, ptr %out0.20, align 8
      br label %l125.step
l125.step:
      %l125.next = add nsw i64 %l125, 1
      %l125.more = icmp slt i64 %l125.next, 1
      br i1 %l125.more, label %l125.body, label %l125.after, !llvm.loop !211
l125.after:
    br label %o72.step
o72.step:
    %o72.next = add nsw i64 %o72, 1
    %o72.more = icmp slt i64 %o72.next, %end
    br i1 %o72.more, label %o72.body, label %o72.after
o72.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

!100 = !{!"llvm.loop.unroll.disable"}
!101 = !{!"llvm.loop.vectorize.followup_vectorized", !102}
!102 = !{!"llvm.loop.unroll.full"}
!103 = !{!"llvm.loop.vectorize.enable", i1 false}
!200 = distinct !{!200, !100, !101}
!201 = distinct !{!201, !100, !101}
!202 = distinct !{!202, !100, !101}
!203 = distinct !{!203, !100, !101}
!204 = distinct !{!204, !100, !101}
!205 = distinct !{!205, !100, !101}
!206 = distinct !{!206, !100, !103}
!207 = distinct !{!207, !100, !103}
!208 = distinct !{!208, !100, !103}
!209 = distinct !{!209, !100, !103}
!210 = distinct !{!210, !100, !103}
!211 = distinct !{!211, !100, !103}