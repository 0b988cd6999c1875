define void @kernel(i64 %begin, i64 %end, ptr noalias readonly %in0, ptr noalias readonly %in1, float %s0, float %s1, ptr noalias %out0, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %i0.any = icmp slt i64 %begin, %end
  br i1 %i0.any, label %i0.body, label %i0.after
i0.body:
    %i0 = phi i64 [ %begin, %entry ], [ %i0.next, %i0.step ]
    %v1.at.x0 = mul nsw i64 2, %i0
    %v1.at = getelementptr inbounds float, ptr %in0, i64 %v1.at.x0
    %v1 = load float, ptr %v1.at, align 4
    %v2.at.x0 = mul nsw i64 2, %i0
    %v2.at.s0 = add nsw i64 %v2.at.x0, 1
    %v2.at = getelementptr inbounds float, ptr %in0, i64 %v2.at.s0
    %v2 = load float, ptr %v2.at, align 4
    %v3.at.x0 = mul nsw i64 2, %i0
    %v3.at = getelementptr inbounds float, ptr %in1, i64 %v3.at.x0
    %v3 = load float, ptr %v3.at, align 4
    %v4.at.x0 = mul nsw i64 2, %i0
    %v4.at.s0 = add nsw i64 %v4.at.x0, 1
    %v4.at = getelementptr inbounds float, ptr %in1, i64 %v4.at.s0
    %v4 = load float, ptr %v4.at, align 4
    %v6 = fneg float %v4
    %v7 = fmul float %v2, %v6
    %v8 = fneg float %v7
    %v9 = call float @fma_f32(float %v1, float %v3, float %v8)
    %v15 = fmul float %v2, %v3
    %v16 = call float @fma_f32(float %v1, float %v6, float %v15)
    %v17 = fadd float %v9, %s0
    %v20 = fadd float %v16, %s1
    %out0.1.x0 = mul nsw i64 2, %i0
    %out0.1 = getelementptr inbounds float, ptr %out0, i64 %out0.1.x0
    store float %v17, ptr %out0.1, align 4
    %out0.2.x0 = mul nsw i64 2, %i0
    %out0.2.s0 = add nsw i64 %out0.2.x0, 1
    %out0.2 = getelementptr inbounds float, ptr %out0, i64 %out0.2.s0
    store float %v20, ptr %out0.2, align 4
    br label %i0.step
i0.step:
    %i0.next = add nsw i64 %i0, 1
    %i0.more = icmp slt i64 %i0.next, %end
    br i1 %i0.more, label %i0.body, label %i0.after
i0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}
