define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, ptr noalias %tmp0, ptr noalias readonly %in0, i64 %d0, ptr noalias %tmp1, ptr noalias %tmp2, ptr noalias %tmp3, ptr noalias %tmp4) #0 {
entry:
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
      %v44.at = getelementptr inbounds double, ptr %tmp0, i64 %v43
      %v44 = load double, ptr %v44.at, align 8
      %v45 = fdiv double %v44, %v41
      %tmp2.5 = getelementptr inbounds double, ptr %tmp2, i64 %v43
      store double %v45, ptr %tmp2.5, align 8
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
        %v57.at.x0 = mul nsw i64 %d0, %v49
        %v57.at.s0 = add nsw i64 %v57.at.x0, %j53
        %v57.at = getelementptr inbounds double, ptr %in0, i64 %v57.at.s0
        %v57 = load double, ptr %v57.at, align 8
        %v58 = fsub double %v57, %v56
        %v59 = fmul double %v58, %v58
        %v60 = fadd double %v55, %v59
        %v61.at.x0 = mul nsw i64 %d0, %v50
        %v61.at.s0 = add nsw i64 %v61.at.x0, %j53
        %v61.at = getelementptr inbounds double, ptr %in0, i64 %v61.at.s0
        %v61 = load double, ptr %v61.at, align 8
        %v62 = fsub double %v61, %v56
        %v63 = fmul double %v62, %v62
        %v64 = fadd double %v60, %v63
        %v65.at.x0 = mul nsw i64 %d0, %v51
        %v65.at.s0 = add nsw i64 %v65.at.x0, %j53
        %v65.at = getelementptr inbounds double, ptr %in0, i64 %v65.at.s0
        %v65 = load double, ptr %v65.at, align 8
        %v66 = fsub double %v65, %v56
        %v67 = fmul double %v66, %v66
        %v68 = fadd double %v64, %v67
        %v69.at.x0 = mul nsw i64 %d0, %v52
        %v69.at.s0 = add nsw i64 %v69.at.x0, %j53
        %v69.at = getelementptr inbounds double, ptr %in0, i64 %v69.at.s0
        %v69 = load double, ptr %v69.at, align 8
        %v70 = fsub double %v69, %v56
        %v71 = fmul double %v70, %v70
        %v72 = fadd double %v68, %v71
        %tmp1.6 = getelementptr inbounds double, ptr %tmp1, i64 %v54
        store double %v72, ptr %tmp1.6, align 8
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
    %q73.any = icmp slt i64 %v34, %v10
    br i1 %q73.any, label %q73.body, label %q73.after
q73.body:
      %q73 = phi i64 [ %v34, %g46.after ], [ %q73.next, %q73.step ]
      %j74.any = icmp slt i64 %v5, %v7
      br i1 %j74.any, label %j74.body, label %j74.after
j74.body:
        %j74 = phi i64 [ %v5, %q73.body ], [ %j74.next, %j74.step ]
        %v75 = sub i64 %j74, %v5
        %v76.at = getelementptr inbounds double, ptr %tmp1, i64 %v75
        %v76 = load double, ptr %v76.at, align 8
        %v77.at = getelementptr inbounds double, ptr %tmp2, i64 %v75
        %v77 = load double, ptr %v77.at, align 8
        %v78.at.x0 = mul nsw i64 %d0, %q73
        %v78.at.s0 = add nsw i64 %v78.at.x0, %j74
        %v78.at = getelementptr inbounds double, ptr %in0, i64 %v78.at.s0
        %v78 = load double, ptr %v78.at, align 8
        %v79 = fsub double %v78, %v77
        %v80 = fmul double %v79, %v79
        %v81 = fadd double %v76, %v80
        %tmp1.7 = getelementptr inbounds double, ptr %tmp1, i64 %v75
        store double %v81, ptr %tmp1.7, align 8
        br label %j74.step
j74.step:
        %j74.next = add nsw i64 %j74, 1
        %j74.more = icmp slt i64 %j74.next, %v7
        br i1 %j74.more, label %j74.body, label %j74.after
j74.after:
      br label %q73.step
q73.step:
      %q73.next = add nsw i64 %q73, 1
      %q73.more = icmp slt i64 %q73.next, %v10
      br i1 %q73.more, label %q73.body, label %q73.after
q73.after:
    %v82 = mul i64 %v1, %n4
    %v83 = mul i64 %v4, %n0
    %v84 = add i64 %v82, %v83
    %j85.any = icmp slt i64 %v5, %v7
    br i1 %j85.any, label %j85.body, label %j85.after
j85.body:
      %j85 = phi i64 [ %v5, %q73.after ], [ %j85.next, %j85.step ]
      %v86 = sub i64 %j85, %v5
      %v87.at = getelementptr inbounds double, ptr %tmp0, i64 %v86
      %v87 = load double, ptr %v87.at, align 8
      %tmp3.8.s0 = add nsw i64 %v84, %j85
      %tmp3.8 = getelementptr inbounds double, ptr %tmp3, i64 %tmp3.8.s0
      store double %v87, ptr %tmp3.8, align 8
      %v88.at = getelementptr inbounds double, ptr %tmp1, i64 %v86
      %v88 = load double, ptr %v88.at, align 8
      %tmp4.9.s0 = add nsw i64 %v84, %j85
      %tmp4.9 = getelementptr inbounds double, ptr %tmp4, i64 %tmp4.9.s0
      store double %v88, ptr %tmp4.9, align 8
      br label %j85.step
j85.step:
      %j85.next = add nsw i64 %j85, 1
      %j85.more = icmp slt i64 %j85.next, %v7
      br i1 %j85.more, label %j85.body, label %j85.after
j85.after:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after
w0.after:
  ret void
}

define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, ptr noalias readonly %tmp0, ptr noalias readonly %tmp1, i64 %n2, double %s0, ptr noalias %out0) #0 {
entry:
  %sum1 = alloca double
  %lost2 = alloca double
  %count3 = alloca double
  %mean4 = alloca double
  %dev5 = alloca double
  %o0.any = icmp slt i64 %begin, %end
  br i1 %o0.any, label %o0.body, label %o0.after
o0.body:
    %o0 = phi i64 [ %begin, %entry ], [ %o0.next, %o0.step ]
    store double 0.0, ptr %sum1
    store double 0.0, ptr %lost2
    store double 0.0, ptr %count3
    store double 0.0, ptr %mean4
    store double 0.0, ptr %dev5
    %c6.any = icmp slt i64 0, %n0
    br i1 %c6.any, label %c6.body, label %c6.after
c6.body:
      %c6 = phi i64 [ 0, %o0.body ], [ %c6.next, %c6.step ]
      %v7.at.x0 = mul nsw i64 %n1, %c6
      %v7.at.s0 = add nsw i64 %v7.at.x0, %o0
      %v7.at = getelementptr inbounds double, ptr %tmp0, i64 %v7.at.s0
      %v7 = load double, ptr %v7.at, align 8
      %v8.at.x0 = mul nsw i64 %n1, %c6
      %v8.at.s0 = add nsw i64 %v8.at.x0, %o0
      %v8.at = getelementptr inbounds double, ptr %tmp1, i64 %v8.at.s0
      %v8 = load double, ptr %v8.at, align 8
      %sum1.1 = load double, ptr %sum1
      %v10 = fadd double %sum1.1, %v7
      %v11 = fsub double %v10, %sum1.1
      %v12 = fsub double %v10, %v11
      %v13 = fsub double %sum1.1, %v12
      %v14 = fsub double %v7, %v11
      %v15 = fadd double %v13, %v14
      %lost2.2 = load double, ptr %lost2
      %lost2.3 = fadd double %lost2.2, %v15
      store double %lost2.3, ptr %lost2
      store double %v10, ptr %sum1
      %v16 = mul i64 %c6, 64
      %v17 = sub i64 %n2, %v16
      %v18 = call i64 @minimum_i64(i64 %v17, i64 64)
      %v19 = call double @convert_i64_f64(i64 %v18)
      %count3.4 = load double, ptr %count3
      %mean4.5 = load double, ptr %mean4
      %dev5.6 = load double, ptr %dev5
      %v23 = fdiv double %v7, %v19
      %v24 = fsub double %v23, %mean4.5
      %v25 = fadd double %count3.4, %v19
      %v26 = fdiv double %v19, %v25
      %v27 = fmul double %count3.4, %v26
      %v28 = fmul double %v24, %v24
      %v29 = fmul double %v28, %v27
      store double %v25, ptr %count3
      %v30 = fmul double %v24, %v26
      %mean4.7 = fadd double %mean4.5, %v30
      store double %mean4.7, ptr %mean4
      %v31 = fadd double %dev5.6, %v8
      %dev5.8 = fadd double %v31, %v29
      store double %dev5.8, ptr %dev5
      br label %c6.step
c6.step:
      %c6.next = add nsw i64 %c6, 1
      %c6.more = icmp slt i64 %c6.next, %n0
      br i1 %c6.more, label %c6.body, label %c6.after
c6.after:
    %sum1.9 = load double, ptr %sum1
    %lost2.10 = load double, ptr %lost2
    %v32 = fadd double %sum1.9, %lost2.10
    %lost2.11 = load double, ptr %lost2
    %lost2.12 = load double, ptr %lost2
    %v33 = fcmp oeq double %lost2.11, %lost2.12
    %sum1.13 = load double, ptr %sum1
    %v34 = select i1 %v33, double %v32, double %sum1.13
    %dev5.14 = load double, ptr %dev5
    %v35 = fdiv double %dev5.14, %s0
    %out0.15 = getelementptr inbounds double, ptr %out0, i64 %o0
    store double %v35, ptr %out0.15, align 8
    br label %o0.step
o0.step:
    %o0.next = add nsw i64 %o0, 1
    %o0.more = icmp slt i64 %o0.next, %end
    br i1 %o0.more, label %o0.body, label %o0.after
o0.after:
  ret void
}
