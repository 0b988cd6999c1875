define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, ptr noalias %tmp0, ptr noalias readonly %in0, i64 %d0, ptr noalias %tmp1, ptr noalias %tmp2, ptr noalias %tmp3, ptr noalias %tmp4, ptr noalias %tmp5, ptr noalias %tmp6, ptr noalias %flags) #0 {
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
    %j11.any = icmp slt i64 %v5, %v7
    br i1 %j11.any, label %j11.body, label %j11.after
j11.body:
      %j11 = phi i64 [ %v5, %w0.body ], [ %j11.next, %j11.step ]
      %v12 = sub i64 %j11, %v5
      %tmp0.1 = getelementptr inbounds double, ptr %tmp0, i64 %v12
      store double 0.0, ptr %tmp0.1, align 8
      br label %j11.step
j11.step:
      %j11.next = add nsw i64 %j11, 1
      %j11.more = icmp slt i64 %j11.next, %v7
      br i1 %j11.more, label %j11.body, label %j11.after
j11.after:
    %v13 = sub i64 %v10, %v8
    %v14 = sdiv i64 %v13, 4
    %g15.any = icmp slt i64 0, %v14
    br i1 %g15.any, label %g15.body, label %g15.after
g15.body:
      %g15 = phi i64 [ 0, %j11.after ], [ %g15.next, %g15.step ]
      %v16 = mul i64 %g15, 4
      %v17 = add i64 %v8, %v16
      %v18 = add i64 %v17, 0
      %v19 = add i64 %v17, 1
      %v20 = add i64 %v17, 2
      %v21 = add i64 %v17, 3
      %j22.any = icmp slt i64 %v5, %v7
      br i1 %j22.any, label %j22.body, label %j22.after
j22.body:
        %j22 = phi i64 [ %v5, %g15.body ], [ %j22.next, %j22.step ]
        %v23 = sub i64 %j22, %v5
        %v24.at = getelementptr inbounds double, ptr %tmp0, i64 %v23
        %v24 = load double, ptr %v24.at, align 8
        %v25.at.x0 = mul nsw i64 %d0, %v18
        %v25.at.s0 = add nsw i64 %v25.at.x0, %j22
        %v25.at = getelementptr inbounds double, ptr %in0, i64 %v25.at.s0
        %v25 = load double, ptr %v25.at, align 8
        %v26 = fadd double %v24, %v25
        %v27.at.x0 = mul nsw i64 %d0, %v19
        %v27.at.s0 = add nsw i64 %v27.at.x0, %j22
        %v27.at = getelementptr inbounds double, ptr %in0, i64 %v27.at.s0
        %v27 = load double, ptr %v27.at, align 8
        %v28 = fadd double %v26, %v27
        %v29.at.x0 = mul nsw i64 %d0, %v20
        %v29.at.s0 = add nsw i64 %v29.at.x0, %j22
        %v29.at = getelementptr inbounds double, ptr %in0, i64 %v29.at.s0
        %v29 = load double, ptr %v29.at, align 8
        %v30 = fadd double %v28, %v29
        %v31.at.x0 = mul nsw i64 %d0, %v21
        %v31.at.s0 = add nsw i64 %v31.at.x0, %j22
        %v31.at = getelementptr inbounds double, ptr %in0, i64 %v31.at.s0
        %v31 = load double, ptr %v31.at, align 8
        %v32 = fadd double %v30, %v31
        %tmp0.2 = getelementptr inbounds double, ptr %tmp0, i64 %v23
        store double %v32, ptr %tmp0.2, align 8
        br label %j22.step
j22.step:
        %j22.next = add nsw i64 %j22, 1
        %j22.more = icmp slt i64 %j22.next, %v7
        br i1 %j22.more, label %j22.body, label %j22.after
j22.after:
      br label %g15.step
g15.step:
      %g15.next = add nsw i64 %g15, 1
      %g15.more = icmp slt i64 %g15.next, %v14
      br i1 %g15.more, label %g15.body, label %g15.after
g15.after:
    %v33 = mul i64 %v14, 4
    %v34 = add i64 %v8, %v33
    %q35.any = icmp slt i64 %v34, %v10
    br i1 %q35.any, label %q35.body, label %q35.after
q35.body:
      %q35 = phi i64 [ %v34, %g15.after ], [ %q35.next, %q35.step ]
      %j36.any = icmp slt i64 %v5, %v7
      br i1 %j36.any, label %j36.body, label %j36.after
j36.body:
        %j36 = phi i64 [ %v5, %q35.body ], [ %j36.next, %j36.step ]
        %v37 = sub i64 %j36, %v5
        %v38.at = getelementptr inbounds double, ptr %tmp0, i64 %v37
        %v38 = load double, ptr %v38.at, align 8
        %v39.at.x0 = mul nsw i64 %d0, %q35
        %v39.at.s0 = add nsw i64 %v39.at.x0, %j36
        %v39.at = getelementptr inbounds double, ptr %in0, i64 %v39.at.s0
        %v39 = load double, ptr %v39.at, align 8
        %v40 = fadd double %v38, %v39
        %tmp0.3 = getelementptr inbounds double, ptr %tmp0, i64 %v37
        store double %v40, ptr %tmp0.3, align 8
        br label %j36.step
j36.step:
        %j36.next = add nsw i64 %j36, 1
        %j36.more = icmp slt i64 %j36.next, %v7
        br i1 %j36.more, label %j36.body, label %j36.after
j36.after:
      br label %q35.step
q35.step:
      %q35.next = add nsw i64 %q35, 1
      %q35.more = icmp slt i64 %q35.next, %v10
      br i1 %q35.more, label %q35.body, label %q35.after
q35.after:
    %v41 = call double @convert_i64_f64(i64 %v13)
    %j42.any = icmp slt i64 %v5, %v7
    br i1 %j42.any, label %j42.body, label %j42.after
j42.body:
      %j42 = phi i64 [ %v5, %q35.after ], [ %j42.next, %j42.step ]
      %v43 = sub i64 %j42, %v5
      %tmp1.4 = getelementptr inbounds double, ptr %tmp1, i64 %v43
      store double 0.0, ptr %tmp1.4, align 8
      %tmp2.5 = getelementptr inbounds double, ptr %tmp2, i64 %v43
      store double 0.0, ptr %tmp2.5, align 8
      %v44.at = getelementptr inbounds double, ptr %tmp0, i64 %v43
      %v44 = load double, ptr %v44.at, align 8
      %v45 = fdiv double %v44, %v41
      %tmp3.6 = getelementptr inbounds double, ptr %tmp3, i64 %v43
      store double %v45, ptr %tmp3.6, align 8
      br label %j42.step
j42.step:
      %j42.next = add nsw i64 %j42, 1
      %j42.more = icmp slt i64 %j42.next, %v7
      br i1 %j42.more, label %j42.body, label %j42.after
j42.after:
    %g46.any = icmp slt i64 0, %v14
    br i1 %g46.any, label %g46.body, label %g46.after
g46.body:
      %g46 = phi i64 [ 0, %j42.after ], [ %g46.next, %g46.step ]
      %v47 = mul i64 %g46, 4
      %v48 = add i64 %v8, %v47
      %v49 = add i64 %v48, 0
      %v50 = add i64 %v48, 1
      %v51 = add i64 %v48, 2
      %v52 = add i64 %v48, 3
      %j53.any = icmp slt i64 %v5, %v7
      br i1 %j53.any, label %j53.body, label %j53.after
j53.body:
        %j53 = phi i64 [ %v5, %g46.body ], [ %j53.next, %j53.step ]
        %v54 = sub i64 %j53, %v5
        %v55.at = getelementptr inbounds double, ptr %tmp1, i64 %v54
        %v55 = load double, ptr %v55.at, align 8
        %v56.at = getelementptr inbounds double, ptr %tmp2, i64 %v54
        %v56 = load double, ptr %v56.at, align 8
        %v57.at = getelementptr inbounds double, ptr %tmp3, i64 %v54
        %v57 = load double, ptr %v57.at, align 8
        %v58.at.x0 = mul nsw i64 %d0, %v49
        %v58.at.s0 = add nsw i64 %v58.at.x0, %j53
        %v58.at = getelementptr inbounds double, ptr %in0, i64 %v58.at.s0
        %v58 = load double, ptr %v58.at, align 8
        %v59 = fsub double %v58, %v57
        %v60 = fmul double %v59, %v59
        %v61 = fadd double %v55, %v60
        %v62 = fadd double %v56, %v59
        %v63.at.x0 = mul nsw i64 %d0, %v50
        %v63.at.s0 = add nsw i64 %v63.at.x0, %j53
        %v63.at = getelementptr inbounds double, ptr %in0, i64 %v63.at.s0
        %v63 = load double, ptr %v63.at, align 8
        %v64 = fsub double %v63, %v57
        %v65 = fmul double %v64, %v64
        %v66 = fadd double %v61, %v65
        %v67 = fadd double %v62, %v64
        %v68.at.x0 = mul nsw i64 %d0, %v51
        %v68.at.s0 = add nsw i64 %v68.at.x0, %j53
        %v68.at = getelementptr inbounds double, ptr %in0, i64 %v68.at.s0
        %v68 = load double, ptr %v68.at, align 8
        %v69 = fsub double %v68, %v57
        %v70 = fmul double %v69, %v69
        %v71 = fadd double %v66, %v70
        %v72 = fadd double %v67, %v69
        %v73.at.x0 = mul nsw i64 %d0, %v52
        %v73.at.s0 = add nsw i64 %v73.at.x0, %j53
        %v73.at = getelementptr inbounds double, ptr %in0, i64 %v73.at.s0
        %v73 = load double, ptr %v73.at, align 8
        %v74 = fsub double %v73, %v57
        %v75 = fmul double %v74, %v74
        %v76 = fadd double %v71, %v75
        %v77 = fadd double %v72, %v74
        %tmp1.7 = getelementptr inbounds double, ptr %tmp1, i64 %v54
        store double %v76, ptr %tmp1.7, align 8
        %tmp2.8 = getelementptr inbounds double, ptr %tmp2, i64 %v54
        store double %v77, ptr %tmp2.8, align 8
        br label %j53.step
j53.step:
        %j53.next = add nsw i64 %j53, 1
        %j53.more = icmp slt i64 %j53.next, %v7
        br i1 %j53.more, label %j53.body, label %j53.after
j53.after:
      br label %g46.step
g46.step:
      %g46.next = add nsw i64 %g46, 1
      %g46.more = icmp slt i64 %g46.next, %v14
      br i1 %g46.more, label %g46.body, label %g46.after
g46.after:
    %q78.any = icmp slt i64 %v34, %v10
    br i1 %q78.any, label %q78.body, label %q78.after
q78.body:
      %q78 = phi i64 [ %v34, %g46.after ], [ %q78.next, %q78.step ]
      %j79.any = icmp slt i64 %v5, %v7
      br i1 %j79.any, label %j79.body, label %j79.after
j79.body:
        %j79 = phi i64 [ %v5, %q78.body ], [ %j79.next, %j79.step ]
        %v80 = sub i64 %j79, %v5
        %v81.at = getelementptr inbounds double, ptr %tmp1, i64 %v80
        %v81 = load double, ptr %v81.at, align 8
        %v82.at = getelementptr inbounds double, ptr %tmp2, i64 %v80
        %v82 = load double, ptr %v82.at, align 8
        %v83.at = getelementptr inbounds double, ptr %tmp3, i64 %v80
        %v83 = load double, ptr %v83.at, align 8
        %v84.at.x0 = mul nsw i64 %d0, %q78
        %v84.at.s0 = add nsw i64 %v84.at.x0, %j79
        %v84.at = getelementptr inbounds double, ptr %in0, i64 %v84.at.s0
        %v84 = load double, ptr %v84.at, align 8
        %v85 = fsub double %v84, %v83
        %v86 = fmul double %v85, %v85
        %v87 = fadd double %v81, %v86
        %v88 = fadd double %v82, %v85
        %tmp1.9 = getelementptr inbounds double, ptr %tmp1, i64 %v80
        store double %v87, ptr %tmp1.9, align 8
        %tmp2.10 = getelementptr inbounds double, ptr %tmp2, i64 %v80
        store double %v88, ptr %tmp2.10, align 8
        br label %j79.step
j79.step:
        %j79.next = add nsw i64 %j79, 1
        %j79.more = icmp slt i64 %j79.next, %v7
        br i1 %j79.more, label %j79.body, label %j79.after
j79.after:
      br label %q78.step
q78.step:
      %q78.next = add nsw i64 %q78, 1
      %q78.more = icmp slt i64 %q78.next, %v10
      br i1 %q78.more, label %q78.body, label %q78.after
q78.after:
    %v89 = mul i64 %v1, %n4
    %v90 = mul i64 %v4, %n0
    %v91 = add i64 %v89, %v90
    %j92.any = icmp slt i64 %v5, %v7
    br i1 %j92.any, label %j92.body, label %j92.after
j92.body:
      %j92 = phi i64 [ %v5, %q78.after ], [ %j92.next, %j92.step ]
      %v93 = sub i64 %j92, %v5
      %v94.at = getelementptr inbounds double, ptr %tmp0, i64 %v93
      %v94 = load double, ptr %v94.at, align 8
      %tmp4.11.s0 = add nsw i64 %v91, %j92
      %tmp4.11 = getelementptr inbounds double, ptr %tmp4, i64 %tmp4.11.s0
      store double %v94, ptr %tmp4.11, align 8
      %v95.at = getelementptr inbounds double, ptr %tmp1, i64 %v93
      %v95 = load double, ptr %v95.at, align 8
      %tmp5.12.s0 = add nsw i64 %v91, %j92
      %tmp5.12 = getelementptr inbounds double, ptr %tmp5, i64 %tmp5.12.s0
      store double %v95, ptr %tmp5.12, align 8
      %v96.at = getelementptr inbounds double, ptr %tmp2, i64 %v93
      %v96 = load double, ptr %v96.at, align 8
      %tmp6.13.s0 = add nsw i64 %v91, %j92
      %tmp6.13 = getelementptr inbounds double, ptr %tmp6, i64 %tmp6.13.s0
      store double %v96, ptr %tmp6.13, align 8
      br label %j92.step
j92.step:
      %j92.next = add nsw i64 %j92, 1
      %j92.more = icmp slt i64 %j92.next, %v7
      br i1 %j92.more, label %j92.body, label %j92.after
j92.after:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after
w0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, ptr noalias readonly %tmp0, i64 %n2, i64 %n3, ptr noalias readonly %tmp1, ptr noalias readonly %tmp2, double %s0, ptr noalias %out0, ptr noalias %flags) #0 {
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
      %v20.at.x0 = mul nsw i64 %n1, %c19
      %v20.at.s0 = add nsw i64 %v20.at.x0, %o0
      %v20.at = getelementptr inbounds double, ptr %tmp0, i64 %v20.at.s0
      %v20 = load double, ptr %v20.at, align 8
      %v21 = mul i64 %c19, 64
      %v22 = sub i64 %n3, %v21
      %v23 = call i64 @minimum_i64(i64 %v22, i64 64)
      %v24.at.x0 = mul nsw i64 %n1, %c19
      %v24.at.s0 = add nsw i64 %v24.at.x0, %o0
      %v24.at = getelementptr inbounds double, ptr %tmp1, i64 %v24.at.s0
      %v24 = load double, ptr %v24.at, align 8
      %v25.at.x0 = mul nsw i64 %n1, %c19
      %v25.at.s0 = add nsw i64 %v25.at.x0, %o0
      %v25.at = getelementptr inbounds double, ptr %tmp2, i64 %v25.at.s0
      %v25 = load double, ptr %v25.at, align 8
      %v26 = call double @convert_i64_f64(i64 %v23)
      %v27 = fdiv double %v20, %v26
      %v28 = fsub double %v27, %v18
      %v29 = fadd double %v25, %v25
      %v30 = fmul double %v26, %v28
      %v31 = fadd double %v29, %v30
      %v32 = fmul double %v28, %v31
      %v33 = fadd double %v24, %v32
      %dev12.9 = load double, ptr %dev12
      %v35 = fadd double %dev12.9, %v33
      %v36 = fsub double %v35, %dev12.9
      %v37 = fsub double %v35, %v36
      %v38 = fsub double %dev12.9, %v37
      %v39 = fsub double %v33, %v36
      %v40 = fadd double %v38, %v39
      %lost13.10 = load double, ptr %lost13
      %lost13.11 = fadd double %lost13.10, %v40
      store double %lost13.11, ptr %lost13
      store double %v35, ptr %dev12
      br label %c19.step
c19.step:
      %c19.next = add nsw i64 %c19, 1
      %c19.more = icmp slt i64 %c19.next, %n0
      br i1 %c19.more, label %c19.body, label %c19.after
c19.after:
    %dev12.12 = load double, ptr %dev12
    %lost13.13 = load double, ptr %lost13
    %v41 = fadd double %dev12.12, %lost13.13
    %lost13.14 = load double, ptr %lost13
    %lost13.15 = load double, ptr %lost13
    %v42 = fcmp oeq double %lost13.14, %lost13.15
    %dev12.16 = load double, ptr %dev12
    %v43 = select i1 %v42, double %v41, double %dev12.16
    %v44 = fdiv double %v43, %s0
    %out0.17 = getelementptr inbounds double, ptr %out0, i64 %o0
    store double %v44, ptr %out0.17, align 8
    br label %o0.step
o0.step:
    %o0.next = add nsw i64 %o0, 1
    %o0.more = icmp slt i64 %o0.next, %end
    br i1 %o0.more, label %o0.body, label %o0.after
o0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}
