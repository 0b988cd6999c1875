define void @kernel(i64 %begin, i64 %end, ptr noalias %tmp0, ptr noalias %tmp1, ptr noalias %tmp2, i64 %n0, i64 %n1, i64 %n2, ptr noalias readonly %in0, i64 %d0, ptr noalias %out0, i64 %d1, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %state37 = alloca [32 x float], align 64
  %row46 = alloca [32 x float], align 64
  %state47 = alloca [32 x double], align 64
  %row61 = alloca [32 x float], align 64
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = srem i64 %w0, %n0
    %v2 = mul i64 %v1, 32
    %v3 = add i64 %v2, 32
    %v4 = call i64 @minimum_i64(i64 %v3, i64 %n1)
    %v6 = sub i64 %n1, 8
    %v7 = call i64 @minimum_i64(i64 %v2, i64 %v6)
    %v8 = sub i64 %v4, %v7
    %v9 = sub i64 %n2, 0
    %v10 = add i64 %v8, 7
    %v11 = sdiv i64 %v10, 8
    %v12 = add i64 %v9, 7
    %v13 = sdiv i64 %v12, 8
    %v14 = sub i64 %v4, 8
    %v15 = sub i64 %n2, 8
    %bi16.any = icmp slt i64 0, %v11
    br i1 %bi16.any, label %bi16.body, label %bi16.after
bi16.body:
      %bi16 = phi i64 [ 0, %w0.body ], [ %bi16.next, %bi16.step ]
      %v17 = mul i64 %bi16, 8
      %v18 = add i64 %v7, %v17
      %v19 = call i64 @minimum_i64(i64 %v18, i64 %v14)
      %bp20.any = icmp slt i64 0, %v13
      br i1 %bp20.any, label %bp20.body, label %bp20.after
bp20.body:
        %bp20 = phi i64 [ 0, %bi16.body ], [ %bp20.next, %bp20.step ]
        %v21 = mul i64 %bp20, 8
        %v22 = add i64 0, %v21
        %v23 = call i64 @minimum_i64(i64 %v22, i64 %v15)
        %v24 = sub i64 %v19, %v7
        %v25 = sub i64 %v23, 0
        %in0.1.x0 = mul nsw i64 %d0, %v19
        %in0.1.s0 = add nsw i64 %in0.1.x0, %v23
        %in0.1 = getelementptr inbounds float, ptr %in0, i64 %in0.1.s0
        %tmp0.2.x0 = mul nsw i64 32, %v25
        %tmp0.2.s0 = add nsw i64 %tmp0.2.x0, %v24
        %tmp0.2 = getelementptr inbounds float, ptr %tmp0, i64 %tmp0.2.s0
        call void @transpose_f32_x8(ptr %in0.1, i64 %d0, ptr %tmp0.2, i64 32)
        br label %bp20.step
bp20.step:
        %bp20.next = add nsw i64 %bp20, 1
        %bp20.more = icmp slt i64 %bp20.next, %v13
        br i1 %bp20.more, label %bp20.body, label %bp20.after
bp20.after:
      br label %bi16.step
bi16.step:
      %bi16.next = add nsw i64 %bi16, 1
      %bi16.more = icmp slt i64 %bi16.next, %v11
      br i1 %bi16.more, label %bi16.body, label %bi16.after, !llvm.loop !200
bi16.after:
    %r26.any = icmp slt i64 %v2, %v4
    br i1 %r26.any, label %r26.body, label %r26.after
r26.body:
      %r26 = phi i64 [ %v2, %bi16.after ], [ %r26.next, %r26.step ]
      br label %r26.step
r26.step:
      %r26.next = add nsw i64 %r26, 1
      %r26.more = icmp slt i64 %r26.next, %v4
      br i1 %r26.more, label %r26.body, label %r26.after, !llvm.loop !201
r26.after:
    %v27 = sub i64 %v2, %v7
    %v29 = sub i64 %v8, %v27
    %v30 = icmp slt i64 %v29, 32
    br i1 %v30, label %then.3, label %after.3
then.3:
      %f31.any = icmp slt i64 0, 32
      br i1 %f31.any, label %f31.body, label %f31.after
f31.body:
        %f31 = phi i64 [ 0, %then.3 ], [ %f31.next, %f31.step ]
        %v32 = icmp slt i64 %f31, %v27
        %v33 = icmp sle i64 %v8, %f31
        %v34 = or i1 %v32, %v33
        br i1 %v34, label %then.4, label %after.4
then.4:
          %j35.any = icmp slt i64 0, %n2
          br i1 %j35.any, label %j35.body, label %j35.after
j35.body:
            %j35 = phi i64 [ 0, %then.4 ], [ %j35.next, %j35.step ]
            %v36.at.x0 = mul nsw i64 32, %j35
            %v36.at.s0 = add nsw i64 %v36.at.x0, %v27
            %v36.at = getelementptr inbounds float, ptr %tmp0, i64 %v36.at.s0
            %v36 = load float, ptr %v36.at, align 4
            %tmp0.5.x0 = mul nsw i64 32, %j35
            %tmp0.5.s0 = add nsw i64 %tmp0.5.x0, %f31
            %tmp0.5 = getelementptr inbounds float, ptr %tmp0, i64 %tmp0.5.s0
            store float %v36, ptr %tmp0.5, align 4
            br label %j35.step
j35.step:
            %j35.next = add nsw i64 %j35, 1
            %j35.more = icmp slt i64 %j35.next, %n2
            br i1 %j35.more, label %j35.body, label %j35.after, !llvm.loop !202
j35.after:
          br label %after.4
after.4:
        br label %f31.step
f31.step:
        %f31.next = add nsw i64 %f31, 1
        %f31.more = icmp slt i64 %f31.next, 32
        br i1 %f31.more, label %f31.body, label %f31.after, !llvm.loop !203
f31.after:
      br label %after.3
after.3:
    %same.6.one = insertelement <32 x float> poison, float 0xFFF0000000000000, i64 0
    %same.6 = shufflevector <32 x float> %same.6.one, <32 x float> poison, <32 x i32> zeroinitializer
    store <32 x float> %same.6, ptr %state37, align 4
    %j39.any = icmp slt i64 0, %n2
    br i1 %j39.any, label %j39.body, label %j39.after
j39.body:
      %j39 = phi i64 [ 0, %after.3 ], [ %j39.next, %j39.step ]
      %v41.at.x0 = mul nsw i64 32, %j39
      %v41.at.s0 = add nsw i64 %v41.at.x0, 0
      %v41.at = getelementptr inbounds float, ptr %tmp0, i64 %v41.at.s0
      %v41 = load <32 x float>, ptr %v41.at, align 4
      %v42 = load <32 x float>, ptr %state37, align 4
      %v43 = call <32 x float> @maximum_f32_x32(<32 x float> %v42, <32 x float> %v41)
      store <32 x float> %v43, ptr %state37, align 4
      br label %j39.step
j39.step:
      %j39.next = add nsw i64 %j39, 1
      %j39.more = icmp slt i64 %j39.next, %n2
      br i1 %j39.more, label %j39.body, label %j39.after, !llvm.loop !204
j39.after:
    %l44.any = icmp slt i64 0, 32
    br i1 %l44.any, label %l44.body, label %l44.after
l44.body:
      %l44 = phi i64 [ 0, %j39.after ], [ %l44.next, %l44.step ]
      %v45.at = getelementptr inbounds float, ptr %state37, i64 %l44
      %v45 = load float, ptr %v45.at, align 4
      %row46.9 = getelementptr inbounds float, ptr %row46, i64 %l44
      store float %v45, ptr %row46.9, align 4
      br label %l44.step
l44.step:
      %l44.next = add nsw i64 %l44, 1
      %l44.more = icmp slt i64 %l44.next, 32
      br i1 %l44.more, label %l44.body, label %l44.after, !llvm.loop !205
l44.after:
    %same.10.one = insertelement <32 x double> poison, double 0.0, i64 0
    %same.10 = shufflevector <32 x double> %same.10.one, <32 x double> poison, <32 x i32> zeroinitializer
    store <32 x double> %same.10, ptr %state47, align 8
    %j49.any = icmp slt i64 0, %n2
    br i1 %j49.any, label %j49.body, label %j49.after
j49.body:
      %j49 = phi i64 [ 0, %l44.after ], [ %j49.next, %j49.step ]
      %v50 = mul i64 %j49, 32
      %in0.12.x0 = mul nsw i64 %d0, %v4
      %in0.12.s0 = add nsw i64 %in0.12.x0, %v50
      %in0.12 = getelementptr float, ptr %in0, i64 %in0.12.s0
      %in0.12.a0 = getelementptr i8, ptr %in0.12, i64 0
      call void @llvm.prefetch.p0(ptr %in0.12.a0, i32 0, i32 3, i32 1)
      %in0.12.a64 = getelementptr i8, ptr %in0.12, i64 64
      call void @llvm.prefetch.p0(ptr %in0.12.a64, i32 0, i32 3, i32 1)
      %l51.any = icmp slt i64 0, 32
      br i1 %l51.any, label %l51.body, label %l51.after
l51.body:
        %l51 = phi i64 [ 0, %j49.body ], [ %l51.next, %l51.step ]
        %v52.at.x0 = mul nsw i64 32, %j49
        %v52.at.s0 = add nsw i64 %v52.at.x0, %l51
        %v52.at = getelementptr inbounds float, ptr %tmp0, i64 %v52.at.s0
        %v52 = load float, ptr %v52.at, align 4
        %v53.at = getelementptr inbounds float, ptr %row46, i64 %l51
        %v53 = load float, ptr %v53.at, align 4
        %v54 = fsub float %v52, %v53
        %v55 = call float @exp_f32(float %v54)
        %tmp1.13.x0 = mul nsw i64 32, %j49
        %tmp1.13.s0 = add nsw i64 %tmp1.13.x0, %l51
        %tmp1.13 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.13.s0
        store float %v55, ptr %tmp1.13, align 4
        %v56.at = getelementptr inbounds double, ptr %state47, i64 %l51
        %v56 = load double, ptr %v56.at, align 8
        %v57 = call double @convert_f32_f64(float %v55)
        %v58 = fadd double %v56, %v57
        %state47.14 = getelementptr inbounds double, ptr %state47, i64 %l51
        store double %v58, ptr %state47.14, align 8
        br label %l51.step
l51.step:
        %l51.next = add nsw i64 %l51, 1
        %l51.more = icmp slt i64 %l51.next, 32
        br i1 %l51.more, label %l51.body, label %l51.after, !llvm.loop !206
l51.after:
      br label %j49.step
j49.step:
      %j49.next = add nsw i64 %j49, 1
      %j49.more = icmp slt i64 %j49.next, %n2
      br i1 %j49.more, label %j49.body, label %j49.after, !llvm.loop !207
j49.after:
    %l59.any = icmp slt i64 0, 32
    br i1 %l59.any, label %l59.body, label %l59.after
l59.body:
      %l59 = phi i64 [ 0, %j49.after ], [ %l59.next, %l59.step ]
      %v60.at = getelementptr inbounds double, ptr %state47, i64 %l59
      %v60 = load double, ptr %v60.at, align 8
      %v62 = call float @convert_f64_f32(double %v60)
      %row61.15 = getelementptr inbounds float, ptr %row61, i64 %l59
      store float %v62, ptr %row61.15, align 4
      br label %l59.step
l59.step:
      %l59.next = add nsw i64 %l59, 1
      %l59.more = icmp slt i64 %l59.next, 32
      br i1 %l59.more, label %l59.body, label %l59.after, !llvm.loop !208
l59.after:
    %j64.any = icmp slt i64 0, %n2
    br i1 %j64.any, label %j64.body, label %j64.after
j64.body:
      %j64 = phi i64 [ 0, %l59.after ], [ %j64.next, %j64.step ]
      %v66.at.x0 = mul nsw i64 32, %j64
      %v66.at.s0 = add nsw i64 %v66.at.x0, 0
      %v66.at = getelementptr inbounds float, ptr %tmp1, i64 %v66.at.s0
      %v66 = load <32 x float>, ptr %v66.at, align 4
      %v67 = load <32 x float>, ptr %row61, align 4
      %v68 = fdiv <32 x float> %v66, %v67
      %tmp2.16.x0 = mul nsw i64 32, %j64
      %tmp2.16.s0 = add nsw i64 %tmp2.16.x0, 0
      %tmp2.16 = getelementptr inbounds float, ptr %tmp2, i64 %tmp2.16.s0
      store <32 x float> %v68, ptr %tmp2.16, align 4
      br label %j64.step
j64.step:
      %j64.next = add nsw i64 %j64, 1
      %j64.more = icmp slt i64 %j64.next, %n2
      br i1 %j64.more, label %j64.body, label %j64.after, !llvm.loop !209
j64.after:
    %r70.any = icmp slt i64 %v2, %v4
    br i1 %r70.any, label %r70.body, label %r70.after
r70.body:
      %r70 = phi i64 [ %v2, %j64.after ], [ %r70.next, %r70.step ]
      br label %r70.step
r70.step:
      %r70.next = add nsw i64 %r70, 1
      %r70.more = icmp slt i64 %r70.next, %v4
      br i1 %r70.more, label %r70.body, label %r70.after, !llvm.loop !210
r70.after:
    %v72 = sub i64 %v4, %v2
    %v74 = call i64 @minimum_i64(i64 %v72, i64 %v9)
    %v75 = icmp sle i64 8, %v74
    br i1 %v75, label %then.17, label %after.17
then.17:
      %v76 = add i64 %v72, 7
      %v77 = sdiv i64 %v76, 8
      %bi82.any = icmp slt i64 0, %v77
      br i1 %bi82.any, label %bi82.body, label %bi82.after
bi82.body:
        %bi82 = phi i64 [ 0, %then.17 ], [ %bi82.next, %bi82.step ]
        %v83 = mul i64 %bi82, 8
        %v84 = add i64 %v2, %v83
        %v85 = call i64 @minimum_i64(i64 %v84, i64 %v14)
        %bp86.any = icmp slt i64 0, %v13
        br i1 %bp86.any, label %bp86.body, label %bp86.after
bp86.body:
          %bp86 = phi i64 [ 0, %bi82.body ], [ %bp86.next, %bp86.step ]
          %v87 = mul i64 %bp86, 8
          %v88 = add i64 0, %v87
          %v89 = call i64 @minimum_i64(i64 %v88, i64 %v15)
          %v90 = sub i64 %v85, %v7
          %v91 = sub i64 %v89, 0
          %tmp2.18.x0 = mul nsw i64 32, %v91
          %tmp2.18.s0 = add nsw i64 %tmp2.18.x0, %v90
          %tmp2.18 = getelementptr inbounds float, ptr %tmp2, i64 %tmp2.18.s0
          %out0.19.x0 = mul nsw i64 %d1, %v85
          %out0.19.s0 = add nsw i64 %out0.19.x0, %v89
          %out0.19 = getelementptr inbounds float, ptr %out0, i64 %out0.19.s0
          call void @transpose_f32_x8(ptr %tmp2.18, i64 32, ptr %out0.19, i64 %d1)
          br label %bp86.step
bp86.step:
          %bp86.next = add nsw i64 %bp86, 1
          %bp86.more = icmp slt i64 %bp86.next, %v13
          br i1 %bp86.more, label %bp86.body, label %bp86.after
bp86.after:
        br label %bi82.step
bi82.step:
        %bi82.next = add nsw i64 %bi82, 1
        %bi82.more = icmp slt i64 %bi82.next, %v77
        br i1 %bi82.more, label %bi82.body, label %bi82.after, !llvm.loop !211
bi82.after:
      br label %after.17
after.17:
    %v92 = call i1 @not_b1(i1 %v75)
    br i1 %v92, label %then.20, label %after.20
then.20:
      %i93.any = icmp slt i64 %v2, %v4
      br i1 %i93.any, label %i93.body, label %i93.after
i93.body:
        %i93 = phi i64 [ %v2, %then.20 ], [ %i93.next, %i93.step ]
        %p94.any = icmp slt i64 0, %n2
        br i1 %p94.any, label %p94.body, label %p94.after
p94.body:
          %p94 = phi i64 [ 0, %i93.body ], [ %p94.next, %p94.step ]
          %v95 = sub i64 %i93, %v7
          %v96 = sub i64 %p94, 0
          %v97.at.x0 = mul nsw i64 32, %v96
          %v97.at.s0 = add nsw i64 %v97.at.x0, %v95
          %v97.at = getelementptr inbounds float, ptr %tmp2, i64 %v97.at.s0
          %v97 = load float, ptr %v97.at, align 4
          %out0.21.x0 = mul nsw i64 %d1, %i93
          %out0.21.s0 = add nsw i64 %out0.21.x0, %p94
          %out0.21 = getelementptr inbounds float, ptr %out0, i64 %out0.21.s0
          store float %v97, ptr %out0.21, align 4
          br label %p94.step
p94.step:
          %p94.next = add nsw i64 %p94, 1
          %p94.more = icmp slt i64 %p94.next, %n2
          br i1 %p94.more, label %p94.body, label %p94.after, !llvm.loop !212
p94.after:
        br label %i93.step
i93.step:
        %i93.next = add nsw i64 %i93, 1
        %i93.more = icmp slt i64 %i93.next, %v4
        br i1 %i93.more, label %i93.body, label %i93.after, !llvm.loop !213
i93.after:
      br label %after.20
after.20:
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
!101 = !{!"llvm.loop.vectorize.followup_vectorized", !102}
!102 = !{!"llvm.loop.unroll.full"}
!103 = !{!"llvm.loop.vectorize.enable", i1 false}
!104 = !{!"llvm.loop.interleave.count", i32 1}
!200 = distinct !{!200, !100, !103}
!201 = distinct !{!201, !100, !104}
!202 = distinct !{!202, !100, !103}
!203 = distinct !{!203, !100, !103}
!204 = distinct !{!204, !100, !103}
!205 = distinct !{!205, !100, !101}
!206 = distinct !{!206, !100, !101}
!207 = distinct !{!207, !100, !103}
!208 = distinct !{!208, !100, !101}
!209 = distinct !{!209, !100, !103}
!210 = distinct !{!210, !100, !104}
!211 = distinct !{!211, !100, !103}
!212 = distinct !{!212, !100, !103}
!213 = distinct !{!213, !100, !103}