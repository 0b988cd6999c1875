define void @kernel(i64 %begin, i64 %end, i64 %n0, double %s0, ptr noalias readonly %in0, i64 %d0, ptr noalias readonly %in1, i64 %d1, ptr noalias readonly %in2, i64 %d2, ptr noalias readonly %in3, i64 %d3, ptr noalias %out0, i64 %d4, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %i1.any = icmp slt i64 0, %n0
    br i1 %i1.any, label %i1.body, label %i1.after
i1.body:
      %i1 = phi i64 [ 0, %w0.body ], [ %i1.next, %i1.step ]
      %v2.at.x0 = mul nsw i64 %d0, %w0
      %v2.at.s0 = add nsw i64 %v2.at.x0, %i1
      %v2.at = getelementptr inbounds double, ptr %in0, i64 %v2.at.s0
      %v2 = load double, ptr %v2.at, align 8
      %v3.at.x0 = mul nsw i64 %d1, %w0
      %v3.at.s0 = add nsw i64 %v3.at.x0, %i1
      %v3.at = getelementptr inbounds double, ptr %in1, i64 %v3.at.s0
      %v3 = load double, ptr %v3.at, align 8
      %v4 = fadd double %v2, %v3
      %v5.at.x0 = mul nsw i64 %d2, %w0
      %v5.at.s0 = add nsw i64 %v5.at.x0, %i1
      %v5.at = getelementptr inbounds double, ptr %in2, i64 %v5.at.s0
      %v5 = load double, ptr %v5.at, align 8
      %v6 = fadd double %v4, %v5
      %v7.at.x0 = mul nsw i64 %d3, %w0
      %v7.at.s0 = add nsw i64 %v7.at.x0, %i1
      %v7.at = getelementptr inbounds double, ptr %in3, i64 %v7.at.s0
      %v7 = load double, ptr %v7.at, align 8
      %v8 = fadd double %v6, %v7
      %v9 = fmul double %s0, %v8
      %out0.1.x0 = mul nsw i64 %d4, %w0
      %out0.1.s0 = add nsw i64 %out0.1.x0, %i1
      %out0.1 = getelementptr inbounds double, ptr %out0, i64 %out0.1.s0
      store double %v9, ptr %out0.1, align 8
      br label %i1.step
i1.step:
      %i1.next = add nsw i64 %i1, 1
      %i1.more = icmp slt i64 %i1.next, %n0
      br i1 %i1.more, label %i1.body, label %i1.after
i1.after:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after
w0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}
