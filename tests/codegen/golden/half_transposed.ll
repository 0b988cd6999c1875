define void @kernel(i64 %begin, i64 %end, ptr noalias %tmp0, i64 %n0, i64 %n1, i64 %n2, i64 %n3, ptr noalias readonly %in0, i64 %d0, float %s0, float %s1, ptr noalias %out0, i64 %d1, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = sdiv i64 %w0, %n2
    %v2 = srem i64 %w0, %n2
    %v3 = mul i64 %v2, 64
    %v4 = add i64 %v3, 64
    %v5 = call i64 @minimum_i64(i64 %v4, i64 %n1)
    %v6 = srem i64 %v1, %n3
    %v7 = mul i64 %v6, 64
    %v8 = add i64 %v7, 64
    %v9 = call i64 @minimum_i64(i64 %v8, i64 %n0)
    %i11.any = icmp slt i64 %v7, %v9
    br i1 %i11.any, label %i11.body, label %i11.after
i11.body:
      %i11 = phi i64 [ %v7, %w0.body ], [ %i11.next, %i11.step ]
      %in0.1.x0 = mul nsw i64 %d0, %i11
      %in0.1.s0 = add nsw i64 %in0.1.x0, %v3
      %in0.1 = getelementptr half, ptr %in0, i64 %in0.1.s0
      %in0.1.a0 = getelementptr i8, ptr %in0.1, i64 128
      call void @llvm.prefetch.p0(ptr %in0.1.a0, i32 0, i32 3, i32 1)
      %in0.1.a64 = getelementptr i8, ptr %in0.1, i64 192
      call void @llvm.prefetch.p0(ptr %in0.1.a64, i32 0, i32 3, i32 1)
      %p12.any = icmp slt i64 %v3, %v5
      br i1 %p12.any, label %p12.body, label %p12.after
p12.body:
        %p12 = phi i64 [ %v3, %i11.body ], [ %p12.next, %p12.step ]
        %v13.at.x0 = mul nsw i64 %d0, %i11
        %v13.at.s0 = add nsw i64 %v13.at.x0, %p12
        %v13.at = getelementptr inbounds half, ptr %in0, i64 %v13.at.s0
        %v13.half = load half, ptr %v13.at, align 2
        %v13 = fpext half %v13.half to float
        %v14 = sub i64 %p12, %v3
        %v15 = sub i64 %i11, %v7
        %tmp0.2.half = fptrunc float %v13 to half
        %tmp0.2.x0 = mul nsw i64 80, %v14
        %tmp0.2.s0 = add nsw i64 %tmp0.2.x0, %v15
        %tmp0.2 = getelementptr inbounds half, ptr %tmp0, i64 %tmp0.2.s0
        store half %tmp0.2.half, ptr %tmp0.2, align 2
        br label %p12.step
p12.step:
        %p12.next = add nsw i64 %p12, 1
        %p12.more = icmp slt i64 %p12.next, %v5
        br i1 %p12.more, label %p12.body, label %p12.after
p12.after:
      br label %i11.step
i11.step:
      %i11.next = add nsw i64 %i11, 1
      %i11.more = icmp slt i64 %i11.next, %v9
      br i1 %i11.more, label %i11.body, label %i11.after
i11.after:
    %p16.any = icmp slt i64 %v3, %v5
    br i1 %p16.any, label %p16.body, label %p16.after
p16.body:
      %p16 = phi i64 [ %v3, %i11.after ], [ %p16.next, %p16.step ]
      %i17.any = icmp slt i64 %v7, %v9
      br i1 %i17.any, label %i17.body, label %i17.after
i17.body:
        %i17 = phi i64 [ %v7, %p16.body ], [ %i17.next, %i17.step ]
        %v18 = sub i64 %p16, %v3
        %v19 = sub i64 %i17, %v7
        %v20.at.x0 = mul nsw i64 80, %v18
        %v20.at.s0 = add nsw i64 %v20.at.x0, %v19
        %v20.at = getelementptr inbounds half, ptr %tmp0, i64 %v20.at.s0
        %v20.half = load half, ptr %v20.at, align 2
        %v20 = fpext half %v20.half to float
        %v21 = fmul float %v20, %s0
        %v22 = call float @round_half_f32(float %v21)
        %v23 = fadd float %v22, %s1
        %v24 = call float @round_half_f32(float %v23)
        %out0.3.half = fptrunc float %v24 to half
        %out0.3.x0 = mul nsw i64 %d1, %p16
        %out0.3.s0 = add nsw i64 %out0.3.x0, %i17
        %out0.3 = getelementptr inbounds half, ptr %out0, i64 %out0.3.s0
        store half %out0.3.half, ptr %out0.3, align 2
        br label %i17.step
i17.step:
        %i17.next = add nsw i64 %i17, 1
        %i17.more = icmp slt i64 %i17.next, %v9
        br i1 %i17.more, label %i17.body, label %i17.after
i17.after:
      br label %p16.step
p16.step:
      %p16.next = add nsw i64 %p16, 1
      %p16.more = icmp slt i64 %p16.next, %v5
      br i1 %p16.more, label %p16.body, label %p16.after
p16.after:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after
w0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
