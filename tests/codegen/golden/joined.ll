define void @kernel(i64 %begin, i64 %end, ptr noalias readonly %in0, ptr noalias %out0, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %i0.any = icmp slt i64 %begin, %end
  br i1 %i0.any, label %i0.body, label %i0.after
i0.body:
    %i0 = phi i64 [ %begin, %entry ], [ %i0.next, %i0.step ]
    %v1.at = getelementptr inbounds double, ptr %in0, i64 %i0
    %v1 = load double, ptr %v1.at, align 8
    %v2 = call double @sin_f64(double %v1)
    %out0.1 = getelementptr inbounds double, ptr %out0, i64 %i0
    store double %v2, ptr %out0.1, align 8
    br label %i0.step
i0.step:
    %i0.next = add nsw i64 %i0, 1
    %i0.more = icmp slt i64 %i0.next, %end
    br i1 %i0.more, label %i0.body, label %i0.after
i0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, i64 %n3, ptr noalias readonly %in0, i64 %n4, i64 %n5, i64 %n6, ptr noalias readonly %in1, i64 %d0, ptr noalias readonly %in2, ptr noalias %out0, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %tile0 = alloca [520 x double], align 64
  %tile1 = alloca [520 x double], align 64
  %rest37 = alloca [8 x double], align 64
  %before = call i32 @watch_begin()
  %r2.any = icmp slt i64 0, %n1
  br i1 %r2.any, label %r2.body, label %r2.after
r2.body:
    %r2 = phi i64 [ 0, %entry ], [ %r2.next, %r2.step ]
    %j3.any = icmp slt i64 0, %n3
    br i1 %j3.any, label %j3.body, label %j3.after
j3.body:
      %j3 = phi i64 [ 0, %r2.body ], [ %j3.next, %j3.step ]
      %v4.at = getelementptr inbounds double, ptr %in0, i64 %j3
      %v4 = load double, ptr %v4.at, align 8
      %j5.any = icmp slt i64 0, 3
      br i1 %j5.any, label %j5.body, label %j5.after
j5.body:
        %j5 = phi i64 [ 0, %j3.body ], [ %j5.next, %j5.step ]
        %tile1.1.x0 = mul nsw i64 %n2, %r2
        %tile1.1.x1 = mul nsw i64 3, %j3
        %tile1.1.s0 = add nsw i64 %tile1.1.x0, %tile1.1.x1
        %tile1.1.s1 = add nsw i64 %tile1.1.s0, %j5
        %tile1.1 = getelementptr inbounds double, ptr %tile1, i64 %tile1.1.s1
        store double %v4, ptr %tile1.1, align 8
        br label %j5.step
j5.step:
        %j5.next = add nsw i64 %j5, 1
        %j5.more = icmp slt i64 %j5.next, 3
        br i1 %j5.more, label %j5.body, label %j5.after
j5.after:
      br label %j3.step
j3.step:
      %j3.next = add nsw i64 %j3, 1
      %j3.more = icmp slt i64 %j3.next, %n3
      br i1 %j3.more, label %j3.body, label %j3.after
j3.after:
    br label %r2.step
r2.step:
    %r2.next = add nsw i64 %r2, 1
    %r2.more = icmp slt i64 %r2.next, %n1
    br i1 %r2.more, label %r2.body, label %r2.after
r2.after:
  %w6.any = icmp slt i64 %begin, %end
  br i1 %w6.any, label %w6.body, label %w6.after
w6.body:
    %w6 = phi i64 [ %begin, %r2.after ], [ %w6.next, %w6.step ]
    %v8 = srem i64 %w6, %n4
    %v9 = mul i64 %v8, %n5
    %v10 = add i64 %v9, %n5
    %v11 = call i64 @minimum_i64(i64 %v10, i64 %n0)
    %v12 = mul i64 %v8, %n1
    %v13 = add i64 %v12, %n1
    %v14 = call i64 @minimum_i64(i64 %v13, i64 %n6)
    %r15.any = icmp slt i64 %v12, %v14
    br i1 %r15.any, label %r15.body, label %r15.after
r15.body:
      %r15 = phi i64 [ %v12, %w6.body ], [ %r15.next, %r15.step ]
      %v16 = sub i64 %r15, %v12
      %j17.any = icmp slt i64 0, %n3
      br i1 %j17.any, label %j17.body, label %j17.after
j17.body:
        %j17 = phi i64 [ 0, %r15.body ], [ %j17.next, %j17.step ]
        %j18.any = icmp slt i64 0, 3
        br i1 %j18.any, label %j18.body, label %j18.after
j18.body:
          %j18 = phi i64 [ 0, %j17.body ], [ %j18.next, %j18.step ]
          %v19.at.x0 = mul nsw i64 %d0, %r15
          %v19.at.s0 = add nsw i64 %v19.at.x0, %j18
          %v19.at = getelementptr inbounds double, ptr %in1, i64 %v19.at.s0
          %v19 = load double, ptr %v19.at, align 8
          %tile0.2.x0 = mul nsw i64 %n2, %v16
          %tile0.2.x1 = mul nsw i64 3, %j17
          %tile0.2.s0 = add nsw i64 %tile0.2.x0, %tile0.2.x1
          %tile0.2.s1 = add nsw i64 %tile0.2.s0, %j18
          %tile0.2 = getelementptr inbounds double, ptr %tile0, i64 %tile0.2.s1
          store double %v19, ptr %tile0.2, align 8
          br label %j18.step
j18.step:
          %j18.next = add nsw i64 %j18, 1
          %j18.more = icmp slt i64 %j18.next, 3
          br i1 %j18.more, label %j18.body, label %j18.after
j18.after:
        br label %j17.step
j17.step:
        %j17.next = add nsw i64 %j17, 1
        %j17.more = icmp slt i64 %j17.next, %n3
        br i1 %j17.more, label %j17.body, label %j17.after
j17.after:
      br label %r15.step
r15.step:
      %r15.next = add nsw i64 %r15, 1
      %r15.more = icmp slt i64 %r15.next, %v14
      br i1 %r15.more, label %r15.body, label %r15.after
r15.after:
    %v20 = sub i64 %v11, %v9
    %v21 = sdiv i64 %v20, 8
    %b22.any = icmp slt i64 0, %v21
    br i1 %b22.any, label %b22.body, label %b22.after
b22.body:
      %b22 = phi i64 [ 0, %r15.after ], [ %b22.next, %b22.step ]
      %v23 = mul i64 %b22, 8
      %v24 = add i64 %v9, %v23
      %l25.any = icmp slt i64 0, 8
      br i1 %l25.any, label %l25.body, label %l25.after
l25.body:
        %l25 = phi i64 [ 0, %b22.body ], [ %l25.next, %l25.step ]
        %v26 = add i64 %v24, %l25
        %v27 = sub i64 %v26, %v9
        %v28.at = getelementptr inbounds double, ptr %tile0, i64 %v27
        %v28 = load double, ptr %v28.at, align 8
        %v29.at = getelementptr inbounds double, ptr %tile1, i64 %v27
        %v29 = load double, ptr %v29.at, align 8
        %v30.at = getelementptr inbounds double, ptr %in2, i64 %v26
        %v30 = load double, ptr %v30.at, align 8
        %v31 = fmul double %v30, %v28
        %v32 = call double @exp_f64(double %v31)
        %v33 = fadd double %v32, %v29
        %out0.3 = getelementptr inbounds double, ptr %out0, i64 %v26
        store double %v33, ptr %out0.3, align 8
        br label %l25.step
l25.step:
        %l25.next = add nsw i64 %l25, 1
        %l25.more = icmp slt i64 %l25.next, 8
        br i1 %l25.more, label %l25.body, label %l25.after, !llvm.loop !200
l25.after:
      br label %b22.step
b22.step:
      %b22.next = add nsw i64 %b22, 1
      %b22.more = icmp slt i64 %b22.next, %v21
      br i1 %b22.more, label %b22.body, label %b22.after
b22.after:
    %v34 = mul i64 %v21, 8
    %v35 = add i64 %v9, %v34
    %v36 = icmp slt i64 %v35, %v11
    br i1 %v36, label %then.4, label %after.4
then.4:
      %v38 = sub i64 %v11, 8
      %v39 = call i64 @maximum_i64(i64 %v38, i64 0)
      %l41.any = icmp slt i64 0, 8
      br i1 %l41.any, label %l41.body, label %l41.after
l41.body:
        %l41 = phi i64 [ 0, %then.4 ], [ %l41.next, %l41.step ]
        %v42 = add i64 %v39, %l41
        %v43 = sub i64 %v42, %v9
        %v44.at = getelementptr inbounds double, ptr %tile0, i64 %v43
        %v44 = load double, ptr %v44.at, align 8
        %v45.at = getelementptr inbounds double, ptr %tile1, i64 %v43
        %v45 = load double, ptr %v45.at, align 8
        %v46.at = getelementptr inbounds double, ptr %in2, i64 %v42
        %v46 = load double, ptr %v46.at, align 8
        %v47 = fmul double %v46, %v44
        %v48 = call double @exp_f64(double %v47)
        %v49 = fadd double %v48, %v45
        %rest37.5 = getelementptr inbounds double, ptr %rest37, i64 %l41
        store double %v49, ptr %rest37.5, align 8
        br label %l41.step
l41.step:
        %l41.next = add nsw i64 %l41, 1
        %l41.more = icmp slt i64 %l41.next, 8
        br i1 %l41.more, label %l41.body, label %l41.after, !llvm.loop !201
l41.after:
      %i50.any = icmp slt i64 %v35, %v11
      br i1 %i50.any, label %i50.body, label %i50.after
i50.body:
        %i50 = phi i64 [ %v35, %l41.after ], [ %i50.next, %i50.step ]
        %v54 = sub i64 %i50, %v39
        %v55.at = getelementptr inbounds double, ptr %rest37, i64 %v54
        %v55 = load double, ptr %v55.at, align 8
        %out0.6 = getelementptr inbounds double, ptr %out0, i64 %i50
        store double %v55, ptr %out0.6, align 8
        br label %i50.step
i50.step:
        %i50.next = add nsw i64 %i50, 1
        %i50.more = icmp slt i64 %i50.next, %v11
        br i1 %i50.more, label %i50.body, label %i50.after, !llvm.loop !202
i50.after:
      br label %after.4
after.4:
    br label %w6.step
w6.step:
    %w6.next = add nsw i64 %w6, 1
    %w6.more = icmp slt i64 %w6.next, %end
    br i1 %w6.more, label %w6.body, label %w6.after
w6.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

!100 = !{!"llvm.loop.unroll.disable"}
!101 = !{!"llvm.loop.vectorize.followup_vectorized", !102}
!102 = !{!"llvm.loop.unroll.full"}
!103 = !{!"llvm.loop.vectorize.enable", i1 false}
!200 = distinct !{!200, !100, !101}
!201 = distinct !{!201, !100, !101}
!202 = distinct !{!202, !100, !103}