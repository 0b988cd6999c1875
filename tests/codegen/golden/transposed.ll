define void @kernel(i64 %begin, i64 %end, ptr noalias %tmp0, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, ptr noalias readonly %in0, i64 %d0, ptr noalias readonly %in1, i64 %d1, ptr noalias %out0, i64 %d2, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = sdiv i64 %w0, %n2
    %v2 = srem i64 %w0, %n2
    %v3 = mul i64 %v2, %n4
    %v4 = add i64 %v3, %n4
    %v5 = call i64 @minimum_i64(i64 %v4, i64 %n1)
    %v6 = srem i64 %v1, %n3
    %v7 = mul i64 %v6, %n5
    %v8 = add i64 %v7, %n5
    %v9 = call i64 @minimum_i64(i64 %v8, i64 %n0)
    %i11.any = icmp slt i64 %v7, %v9
    br i1 %i11.any, label %i11.body, label %i11.after
i11.body:
      %i11 = phi i64 [ %v7, %w0.body ], [ %i11.next, %i11.step ]
      %in0.1.x0 = mul nsw i64 %d0, %i11
      %in0.1.s0 = add nsw i64 %in0.1.x0, %v3
      %in0.1 = getelementptr double, ptr %in0, i64 %in0.1.s0
      %in0.1.a0 = getelementptr i8, ptr %in0.1, i64 512
      call void @llvm.prefetch.p0(ptr %in0.1.a0, i32 0, i32 3, i32 1)
      %in0.1.a64 = getelementptr i8, ptr %in0.1, i64 576
      call void @llvm.prefetch.p0(ptr %in0.1.a64, i32 0, i32 3, i32 1)
      %in0.1.a128 = getelementptr i8, ptr %in0.1, i64 640
      call void @llvm.prefetch.p0(ptr %in0.1.a128, i32 0, i32 3, i32 1)
      %in0.1.a192 = getelementptr i8, ptr %in0.1, i64 704
      call void @llvm.prefetch.p0(ptr %in0.1.a192, i32 0, i32 3, i32 1)
      %in0.1.a256 = getelementptr i8, ptr %in0.1, i64 768
      call void @llvm.prefetch.p0(ptr %in0.1.a256, i32 0, i32 3, i32 1)
      %in0.1.a320 = getelementptr i8, ptr %in0.1, i64 832
      call void @llvm.prefetch.p0(ptr %in0.1.a320, i32 0, i32 3, i32 1)
      %in0.1.a384 = getelementptr i8, ptr %in0.1, i64 896
      call void @llvm.prefetch.p0(ptr %in0.1.a384, i32 0, i32 3, i32 1)
      %in0.1.a448 = getelementptr i8, ptr %in0.1, i64 960
      call void @llvm.prefetch.p0(ptr %in0.1.a448, i32 0, i32 3, i32 1)
      br label %i11.step
i11.step:
      %i11.next = add nsw i64 %i11, 1
      %i11.more = icmp slt i64 %i11.next, %v9
      br i1 %i11.more, label %i11.body, label %i11.after
i11.after:
    %v12 = sub i64 %v9, %v7
    %v13 = sub i64 %v5, %v3
    %v14 = call i64 @minimum_i64(i64 %v12, i64 %v13)
    %v15 = icmp sle i64 8, %v14
    br i1 %v15, label %then.2, label %after.2
then.2:
      %v16 = add i64 %v12, 7
      %v17 = sdiv i64 %v16, 8
      %v18 = add i64 %v13, 7
      %v19 = sdiv i64 %v18, 8
      %v20 = sub i64 %v9, 8
      %v21 = sub i64 %v5, 8
      %bi22.any = icmp slt i64 0, %v17
      br i1 %bi22.any, label %bi22.body, label %bi22.after
bi22.body:
        %bi22 = phi i64 [ 0, %then.2 ], [ %bi22.next, %bi22.step ]
        %v23 = mul i64 %bi22, 8
        %v24 = add i64 %v7, %v23
        %v25 = call i64 @minimum_i64(i64 %v24, i64 %v20)
        %bp26.any = icmp slt i64 0, %v19
        br i1 %bp26.any, label %bp26.body, label %bp26.after
bp26.body:
          %bp26 = phi i64 [ 0, %bi22.body ], [ %bp26.next, %bp26.step ]
          %v27 = mul i64 %bp26, 8
          %v28 = add i64 %v3, %v27
          %v29 = call i64 @minimum_i64(i64 %v28, i64 %v21)
          %v30 = sub i64 %v25, %v7
          %v31 = sub i64 %v29, %v3
          %in0.3.x0 = mul nsw i64 %d0, %v25
          %in0.3.s0 = add nsw i64 %in0.3.x0, %v29
          %in0.3 = getelementptr inbounds double, ptr %in0, i64 %in0.3.s0
          %tmp0.4.x0 = mul nsw i64 72, %v31
          %tmp0.4.s0 = add nsw i64 %tmp0.4.x0, %v30
          %tmp0.4 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.4.s0
          call void @transpose_f64_x8(ptr %in0.3, i64 %d0, ptr %tmp0.4, i64 72)
          br label %bp26.step
bp26.step:
          %bp26.next = add nsw i64 %bp26, 1
          %bp26.more = icmp slt i64 %bp26.next, %v19
          br i1 %bp26.more, label %bp26.body, label %bp26.after
bp26.after:
        br label %bi22.step
bi22.step:
        %bi22.next = add nsw i64 %bi22, 1
        %bi22.more = icmp slt i64 %bi22.next, %v17
        br i1 %bi22.more, label %bi22.body, label %bi22.after, !llvm.loop !200
bi22.after:
      br label %after.2
after.2:
    %v32 = call i1 @not_b1(i1 %v15)
    br i1 %v32, label %then.5, label %after.5
then.5:
      %i33.any = icmp slt i64 %v7, %v9
      br i1 %i33.any, label %i33.body, label %i33.after
i33.body:
        %i33 = phi i64 [ %v7, %then.5 ], [ %i33.next, %i33.step ]
        %p34.any = icmp slt i64 %v3, %v5
        br i1 %p34.any, label %p34.body, label %p34.after
p34.body:
          %p34 = phi i64 [ %v3, %i33.body ], [ %p34.next, %p34.step ]
          %v35 = sub i64 %i33, %v7
          %v36 = sub i64 %p34, %v3
          %v37.at.x0 = mul nsw i64 %d0, %i33
          %v37.at.s0 = add nsw i64 %v37.at.x0, %p34
          %v37.at = getelementptr inbounds double, ptr %in0, i64 %v37.at.s0
          %v37 = load double, ptr %v37.at, align 8
          %tmp0.6.x0 = mul nsw i64 72, %v36
          %tmp0.6.s0 = add nsw i64 %tmp0.6.x0, %v35
          %tmp0.6 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.6.s0
          store double %v37, ptr %tmp0.6, align 8
          br label %p34.step
p34.step:
          %p34.next = add nsw i64 %p34, 1
          %p34.more = icmp slt i64 %p34.next, %v5
          br i1 %p34.more, label %p34.body, label %p34.after, !llvm.loop !201
p34.after:
        br label %i33.step
i33.step:
        %i33.next = add nsw i64 %i33, 1
        %i33.more = icmp slt i64 %i33.next, %v9
        br i1 %i33.more, label %i33.body, label %i33.after, !llvm.loop !202
i33.after:
      br label %after.5
after.5:
    %p38.any = icmp slt i64 %v3, %v5
    br i1 %p38.any, label %p38.body, label %p38.after
p38.body:
      %p38 = phi i64 [ %v3, %after.5 ], [ %p38.next, %p38.step ]
      %i39.any = icmp slt i64 %v7, %v9
      br i1 %i39.any, label %i39.body, label %i39.after
i39.body:
        %i39 = phi i64 [ %v7, %p38.body ], [ %i39.next, %i39.step ]
        %v40 = sub i64 %p38, %v3
        %v41 = sub i64 %i39, %v7
        %v42.at.x0 = mul nsw i64 72, %v40
        %v42.at.s0 = add nsw i64 %v42.at.x0, %v41
        %v42.at = getelementptr inbounds double, ptr %tmp0, i64 %v42.at.s0
        %v42 = load double, ptr %v42.at, align 8
        %v43.at.x0 = mul nsw i64 %d1, %p38
        %v43.at.s0 = add nsw i64 %v43.at.x0, %i39
        %v43.at = getelementptr inbounds double, ptr %in1, i64 %v43.at.s0
        %v43 = load double, ptr %v43.at, align 8
        %v44 = fadd double %v43, %v42
        %out0.7.x0 = mul nsw i64 %d2, %p38
        %out0.7.s0 = add nsw i64 %out0.7.x0, %i39
        %out0.7 = getelementptr inbounds double, ptr %out0, i64 %out0.7.s0
        store double %v44, ptr %out0.7, align 8
        br label %i39.step
i39.step:
        %i39.next = add nsw i64 %i39, 1
        %i39.more = icmp slt i64 %i39.next, %v9
        br i1 %i39.more, label %i39.body, label %i39.after
i39.after:
      br label %p38.step
p38.step:
      %p38.next = add nsw i64 %p38, 1
      %p38.more = icmp slt i64 %p38.next, %v5
      br i1 %p38.more, label %p38.body, label %p38.after
p38.after:
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

!100 = !{!"llvm.loop.unroll.disable"}
!103 = !{!"llvm.loop.vectorize.enable", i1 false}
!200 = distinct !{!200, !100, !103}
!201 = distinct !{!201, !100, !103}
!202 = distinct !{!202, !100, !103}