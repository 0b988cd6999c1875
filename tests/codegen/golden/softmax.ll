define void @kernel(i64 %begin, i64 %end, i64 %n0, ptr noalias readonly %in0, i64 %d0, ptr noalias %tmp0, ptr noalias %out0, i64 %d1, ptr noalias %flags) #0 {
entry:
  %best1 = alloca float
  %sum4 = alloca double
  %before = call i32 @watch_begin()
  %r0.any = icmp slt i64 %begin, %end
  br i1 %r0.any, label %r0.body, label %r0.after
r0.body:
    %r0 = phi i64 [ %begin, %entry ], [ %r0.next, %r0.step ]
    store float 0xFFF0000000000000, ptr %best1
    %j2.any = icmp slt i64 0, %n0
    br i1 %j2.any, label %j2.body, label %j2.after
j2.body:
      %j2 = phi i64 [ 0, %r0.body ], [ %j2.next, %j2.step ]
      %v3.at.x0 = mul nsw i64 %d0, %r0
      %v3.at.s0 = add nsw i64 %v3.at.x0, %j2
      %v3.at = getelementptr inbounds float, ptr %in0, i64 %v3.at.s0
      %v3 = load float, ptr %v3.at, align 4
      %best1.1 = load float, ptr %best1
      %best1.2 = call float @maximum_f32_r(float %best1.1, float %v3)
      store float %best1.2, ptr %best1
      br label %j2.step
j2.step:
      %j2.next = add nsw i64 %j2, 1
      %j2.more = icmp slt i64 %j2.next, %n0
      br i1 %j2.more, label %j2.body, label %j2.after
j2.after:
    store double 0.0, ptr %sum4
    %j5.any = icmp slt i64 0, %n0
    br i1 %j5.any, label %j5.body, label %j5.after
j5.body:
      %j5 = phi i64 [ 0, %j2.after ], [ %j5.next, %j5.step ]
      %v6.at.x0 = mul nsw i64 %d0, %r0
      %v6.at.s0 = add nsw i64 %v6.at.x0, %j5
      %v6.at = getelementptr inbounds float, ptr %in0, i64 %v6.at.s0
      %v6 = load float, ptr %v6.at, align 4
      %best1.3 = load float, ptr %best1
      %v7 = fsub float %v6, %best1.3
      %v8 = call float @exp_f32(float %v7)
      %tmp0.4 = getelementptr inbounds float, ptr %tmp0, i64 %j5
      store float %v8, ptr %tmp0.4, align 4
      %v9 = call double @convert_f32_f64(float %v8)
      %sum4.5 = load double, ptr %sum4
      %sum4.6 = fadd reassoc double %sum4.5, %v9
      store double %sum4.6, ptr %sum4
      br label %j5.step
j5.step:
      %j5.next = add nsw i64 %j5, 1
      %j5.more = icmp slt i64 %j5.next, %n0
      br i1 %j5.more, label %j5.body, label %j5.after
j5.after:
    %sum4.7 = load double, ptr %sum4
    %v10 = call float @convert_f64_f32(double %sum4.7)
    %j11.any = icmp slt i64 0, %n0
    br i1 %j11.any, label %j11.body, label %j11.after
j11.body:
      %j11 = phi i64 [ 0, %j5.after ], [ %j11.next, %j11.step ]
      %v12.at = getelementptr inbounds float, ptr %tmp0, i64 %j11
      %v12 = load float, ptr %v12.at, align 4
      %v13 = fdiv float %v12, %v10
      %out0.8.x0 = mul nsw i64 %d1, %r0
      %out0.8.s0 = add nsw i64 %out0.8.x0, %j11
      %out0.8 = getelementptr inbounds float, ptr %out0, i64 %out0.8.s0
      store float %v13, ptr %out0.8, align 4
      br label %j11.step
j11.step:
      %j11.next = add nsw i64 %j11, 1
      %j11.more = icmp slt i64 %j11.next, %n0
      br i1 %j11.more, label %j11.body, label %j11.after
j11.after:
    br label %r0.step
r0.step:
    %r0.next = add nsw i64 %r0, 1
    %r0.more = icmp slt i64 %r0.next, %end
    br i1 %r0.more, label %r0.body, label %r0.after
r0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}
