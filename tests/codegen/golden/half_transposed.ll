define void @kernel(i64 %begin, i64 %end, i64 %n0, float %s0, float %s1, ptr noalias readonly %in0, i64 %d0, ptr noalias %out0, i64 %d1, ptr noalias %flags) #0 {
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
      %v2.at.x1 = mul nsw i64 %d0, %i1
      %v2.at.s0 = add nsw i64 %w0, %v2.at.x1
      %v2.at = getelementptr inbounds half, ptr %in0, i64 %v2.at.s0
      %v2.half = load half, ptr %v2.at, align 2
      %v2 = fpext half %v2.half to float
      %v3 = fmul float %v2, %s0
      %v4 = call float @round_half_f32(float %v3)
      %v5 = fadd float %v4, %s1
      %v6 = call float @round_half_f32(float %v5)
      %out0.1.half = fptrunc float %v6 to half
      %out0.1.x0 = mul nsw i64 %d1, %w0
      %out0.1.s0 = add nsw i64 %out0.1.x0, %i1
      %out0.1 = getelementptr inbounds half, ptr %out0, i64 %out0.1.s0
      store half %out0.1.half, ptr %out0.1, align 2
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
