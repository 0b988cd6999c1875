define void @kernel(i64 %begin, i64 %end, i64 %s0, double %s1, double %s2, i64 %n0, i64 %n1, ptr noalias readonly %in0, ptr noalias %out0, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %sum1 = alloca double
  %lost2 = alloca double
  %part7 = alloca double
  %state17 = alloca [128 x double], align 64
  %before = call i32 @watch_begin()
  %r0.any = icmp slt i64 %begin, %end
  br i1 %r0.any, label %r0.body, label %r0.after
r0.body:
    %r0 = phi i64 [ %begin, %entry ], [ %r0.next, %r0.step ]
    store double 0.0, ptr %sum1
    store double 0.0, ptr %lost2
    %k3.any = icmp slt i64 0, %n1
    br i1 %k3.any, label %k3.body, label %k3.after
k3.body:
      %k3 = phi i64 [ 0, %r0.body ], [ %k3.next, %k3.step ]
      %v4 = mul i64 %k3, 256
      %v5 = add i64 %v4, 256
      %v6 = call i64 @minimum_i64(i64 %v5, i64 %n0)
      store double 0.0, ptr %part7
      %v8 = sub i64 %v6, %v4
      %v9 = add i64 %v8, 127
      %v10 = sdiv i64 %v9, 128
      %b11.any = icmp slt i64 0, %v10
      br i1 %b11.any, label %b11.body, label %b11.after
b11.body:
        %b11 = phi i64 [ 0, %k3.body ], [ %b11.next, %b11.step ]
        %v12 = mul i64 %b11, 128
        %v13 = add i64 %v4, %v12
        %v14 = sub i64 %v6, %v13
        %v15 = call i64 @minimum_i64(i64 128, i64 %v14)
        %v16 = icmp eq i64 %v15, 128
        br i1 %v16, label %then.1, label %after.1
then.1:
          %l18.any = icmp slt i64 0, 128
          br i1 %l18.any, label %l18.body, label %l18.after
l18.body:
            %l18 = phi i64 [ 0, %then.1 ], [ %l18.next, %l18.step ]
            %v19 = add i64 %v13, %l18
            %v20.at = getelementptr inbounds double, ptr %in0, i64 %v19
            %v20 = load double, ptr %v20.at, align 8
            %v21 = fmul double %v20, %s1
            %state17.2 = getelementptr inbounds double, ptr %state17, i64 %l18
            store double %v21, ptr %state17.2, align 8
            br label %l18.step
l18.step:
            %l18.next = add nsw i64 %l18, 1
            %l18.more = icmp slt i64 %l18.next, 128
            br i1 %l18.more, label %l18.body, label %l18.after, !llvm.loop !200
l18.after:
          br label %after.1
after.1:
        %v22 = call i1 @not_b1(i1 %v16)
        br i1 %v22, label %then.3, label %after.3
then.3:
          %l23.any = icmp slt i64 0, %v15
          br i1 %l23.any, label %l23.body, label %l23.after
l23.body:
            %l23 = phi i64 [ 0, %then.3 ], [ %l23.next, %l23.step ]
            %v24 = add i64 %v13, %l23
            %v25.at = getelementptr inbounds double, ptr %in0, i64 %v24
            %v25 = load double, ptr %v25.at, align 8
            %v26 = fmul double %v25, %s1
            %state17.4 = getelementptr inbounds double, ptr %state17, i64 %l23
            store double %v26, ptr %state17.4, align 8
            br label %l23.step
l23.step:
            %l23.next = add nsw i64 %l23, 1
            %l23.more = icmp slt i64 %l23.next, %v15
            br i1 %l23.more, label %l23.body, label %l23.after
l23.after:
          %l27.any = icmp slt i64 %v15, 128
          br i1 %l27.any, label %l27.body, label %l27.after
l27.body:
            %l27 = phi i64 [ %v15, %l23.after ], [ %l27.next, %l27.step ]
            %v28 = load double, ptr %state17, align 8
            %state17.5 = getelementptr inbounds double, ptr %state17, i64 %l27
            store double %v28, ptr %state17.5, align 8
            br label %l27.step
l27.step:
            %l27.next = add nsw i64 %l27, 1
            %l27.more = icmp slt i64 %l27.next, 128
            br i1 %l27.more, label %l27.body, label %l27.after
l27.after:
          br label %after.3
after.3:
        %t29.any = icmp slt i64 0, %s0
        br i1 %t29.any, label %t29.body, label %t29.after
t29.body:
          %t29 = phi i64 [ 0, %after.3 ], [ %t29.next, %t29.step ]
          %l30.any = icmp slt i64 0, 128
          br i1 %l30.any, label %l30.body, label %l30.after
l30.body:
            %l30 = phi i64 [ 0, %t29.body ], [ %l30.next, %l30.step ]
            %v31.at = getelementptr inbounds double, ptr %state17, i64 %l30
            %v31 = load double, ptr %v31.at, align 8
            %v32 = fmul double %v31, %v31
            %v33 = fsub double %v32, %s2
            %v34 = call double @convert_i64_f64(i64 %t29)
            %v35 = fadd double %v33, %v34
            %state17.6 = getelementptr inbounds double, ptr %state17, i64 %l30
            store double %v35, ptr %state17.6, align 8
            br label %l30.step
l30.step:
            %l30.next = add nsw i64 %l30, 1
            %l30.more = icmp slt i64 %l30.next, 128
            br i1 %l30.more, label %l30.body, label %l30.after, !llvm.loop !201
l30.after:
          br label %t29.step
t29.step:
          %t29.next = add nsw i64 %t29, 1
          %t29.more = icmp slt i64 %t29.next, %s0
          br i1 %t29.more, label %t29.body, label %t29.after
t29.after:
        %l36.any = icmp slt i64 0, %v15
        br i1 %l36.any, label %l36.body, label %l36.after
l36.body:
          %l36 = phi i64 [ 0, %t29.after ], [ %l36.next, %l36.step ]
          %v37.at = getelementptr inbounds double, ptr %state17, i64 %l36
          %v37 = load double, ptr %v37.at, align 8
          %part7.7 = load double, ptr %part7
          %part7.8 = fadd reassoc double %part7.7, %v37
          store double %part7.8, ptr %part7
          br label %l36.step
l36.step:
          %l36.next = add nsw i64 %l36, 1
          %l36.more = icmp slt i64 %l36.next, %v15
          br i1 %l36.more, label %l36.body, label %l36.after
l36.after:
        br label %b11.step
b11.step:
        %b11.next = add nsw i64 %b11, 1
        %b11.more = icmp slt i64 %b11.next, %v10
        br i1 %b11.more, label %b11.body, label %b11.after
b11.after:
      %sum1.9 = load double, ptr %sum1
      %part7.10 = load double, ptr %part7
      %v40 = fadd double %sum1.9, %part7.10
      %v41 = fsub double %v40, %sum1.9
      %v42 = fsub double %v40, %v41
      %v43 = fsub double %sum1.9, %v42
      %part7.11 = load double, ptr %part7
      %v44 = fsub double %part7.11, %v41
      %v45 = fadd double %v43, %v44
      %lost2.12 = load double, ptr %lost2
      %lost2.13 = fadd double %lost2.12, %v45
      store double %lost2.13, ptr %lost2
      store double %v40, ptr %sum1
      br label %k3.step
k3.step:
      %k3.next = add nsw i64 %k3, 1
      %k3.more = icmp slt i64 %k3.next, %n1
      br i1 %k3.more, label %k3.body, label %k3.after
k3.after:
    %sum1.14 = load double, ptr %sum1
    %lost2.15 = load double, ptr %lost2
    %v46 = fadd double %sum1.14, %lost2.15
    %lost2.16 = load double, ptr %lost2
    %lost2.17 = load double, ptr %lost2
    %v47 = fcmp oeq double %lost2.16, %lost2.17
    %sum1.18 = load double, ptr %sum1
    %v48 = select i1 %v47, double %v46, double %sum1.18
    store double %v48, ptr %out0, align 8
    br label %r0.step
r0.step:
    %r0.next = add nsw i64 %r0, 1
    %r0.more = icmp slt i64 %r0.next, %end
    br i1 %r0.more, label %r0.body, label %r0.after
r0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

!100 = !{!"llvm.loop.unroll.disable"}
!101 = !{!"llvm.loop.vectorize.followup_vectorized", !102}
!102 = !{!"llvm.loop.unroll.full"}
!200 = distinct !{!200, !100, !101}
!201 = distinct !{!201, !100, !101}