define void @kernel(i64 %begin, i64 %end, ptr noalias %tmp0, ptr noalias %tmp1, ptr noalias %tmp2, i64 %n0, i64 %n1, i64 %n2, ptr noalias readonly %in0, i64 %d0, ptr noalias %out0, i64 %d1, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %state37 = alloca [32 x float], align 64
  %row46 = alloca [32 x float], align 64
  %state47 = alloca [32 x double], align 64
  %row60 = alloca [32 x float], align 64
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
      %l50.any = icmp slt i64 0, 32
      br i1 %l50.any, label %l50.body, label %l50.after
l50.body:
        %l50 = phi i64 [ 0, %j49.body ], [ %l50.next, %l50.step ]
        %v51.at.x0 = mul nsw i64 32, %j49
        %v51.at.s0 = add nsw i64 %v51.at.x0, %l50
        %v51.at = getelementptr inbounds float, ptr %tmp0, i64 %v51.at.s0
        %v51 = load float, ptr %v51.at, align 4
        %v52.at = getelementptr inbounds float, ptr %row46, i64 %l50
        %v52 = load float, ptr %v52.at, align 4
        %v53 = fsub float %v51, %v52
        %v54 = call float @exp_f32(float %v53)
        %tmp1.12.x0 = mul nsw i64 32, %j49
        %tmp1.12.s0 = add nsw i64 %tmp1.12.x0, %l50
        %tmp1.12 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.12.s0
        store float %v54, ptr %tmp1.12, align 4
        %v55.at = getelementptr inbounds double, ptr %state47, i64 %l50
        %v55 = load double, ptr %v55.at, align 8
        %v56 = call double @convert_f32_f64(float %v54)
        %v57 = fadd double %v55, %v56
        %state47.13 = getelementptr inbounds double, ptr %state47, i64 %l50
        store double %v57, ptr %state47.13, align 8
        br label %l50.step
l50.step:
        %l50.next = add nsw i64 %l50, 1
        %l50.more = icmp slt i64 %l50.next, 32
        br i1 %l50.more, label %l50.body, label %l50.after, !llvm.loop !206
l50.after:
      br label %j49.step
j49.step:
      %j49.next = add nsw i64 %j49, 1
      %j49.more = icmp slt i64 %j49.next, %n2
      br i1 %j49.more, label %j49.body, label %j49.after, !llvm.loop !207
j49.after:
    %l58.any = icmp slt i64 0, 32
    br i1 %l58.any, label %l58.body, label %l58.after
l58.body:
      %l58 = phi i64 [ 0, %j49.after ], [ %l58.next, %l58.step ]
      %v59.at = getelementptr inbounds double, ptr %state47, i64 %l58
      %v59 = load double, ptr %v59.at, align 8
      %v61 = call float @convert_f64_f32(double %v59)
      %row60.14 = getelementptr inbounds float, ptr %row60, i64 %l58
      store float %v61, ptr %row60.14, align 4
      br label %l58.step
l58.step:
      %l58.next = add nsw i64 %l58, 1
      %l58.more = icmp slt i64 %l58.next, 32
      br i1 %l58.more, label %l58.body, label %l58.after, !llvm.loop !208
l58.after:
    %j63.any = icmp slt i64 0, %n2
    br i1 %j63.any, label %j63.body, label %j63.after
j63.body:
      %j63 = phi i64 [ 0, %l58.after ], [ %j63.next, %j63.step ]
      %v65.at.x0 = mul nsw i64 32, %j63
      %v65.at.s0 = add nsw i64 %v65.at.x0, 0
      %v65.at = getelementptr inbounds float, ptr %tmp1, i64 %v65.at.s0
      %v65 = load <32 x float>, ptr %v65.at, align 4
      %v66 = load <32 x float>, ptr %row60, align 4
      %v67 = fdiv <32 x float> %v65, %v66
      %tmp2.15.x0 = mul nsw i64 32, %j63
      %tmp2.15.s0 = add nsw i64 %tmp2.15.x0, 0
      %tmp2.15 = getelementptr inbounds float, ptr %tmp2, i64 %tmp2.15.s0
      store <32 x float> %v67, ptr %tmp2.15, align 4
      br label %j63.step
j63.step:
      %j63.next = add nsw i64 %j63, 1
      %j63.more = icmp slt i64 %j63.next, %n2
      br i1 %j63.more, label %j63.body, label %j63.after, !llvm.loop !209
j63.after:
    %r69.any = icmp slt i64 %v2, %v4
    br i1 %r69.any, label %r69.body, label %r69.after
r69.body:
      %r69 = phi i64 [ %v2, %j63.after ], [ %r69.next, %r69.step ]
      br label %r69.step
r69.step:
      %r69.next = add nsw i64 %r69, 1
      %r69.more = icmp slt i64 %r69.next, %v4
      br i1 %r69.more, label %r69.body, label %r69.after, !llvm.loop !210
r69.after:
    %v71 = sub i64 %v4, %v2
    %v73 = call i64 @minimum_i64(i64 %v71, i64 %v9)
    %v74 = icmp sle i64 8, %v73
    br i1 %v74, label %then.16, label %after.16
then.16:
      %v75 = add i64 %v71, 7
      %v76 = sdiv i64 %v75, 8
      %bi81.any = icmp slt i64 0, %v76
      br i1 %bi81.any, label %bi81.body, label %bi81.after
bi81.body:
        %bi81 = phi i64 [ 0, %then.16 ], [ %bi81.next, %bi81.step ]
        %v82 = mul i64 %bi81, 8
        %v83 = add i64 %v2, %v82
        %v84 = call i64 @minimum_i64(i64 %v83, i64 %v14)
        %bp85.any = icmp slt i64 0, %v13
        br i1 %bp85.any, label %bp85.body, label %bp85.after
bp85.body:
          %bp85 = phi i64 [ 0, %bi81.body ], [ %bp85.next, %bp85.step ]
          %v86 = mul i64 %bp85, 8
          %v87 = add i64 0, %v86
          %v88 = call i64 @minimum_i64(i64 %v87, i64 %v15)
          %v89 = sub i64 %v84, %v7
          %v90 = sub i64 %v88, 0
          %tmp2.17.x0 = mul nsw i64 32, %v90
          %tmp2.17.s0 = add nsw i64 %tmp2.17.x0, %v89
          %tmp2.17 = getelementptr inbounds float, ptr %tmp2, i64 %tmp2.17.s0
          %out0.18.x0 = mul nsw i64 %d1, %v84
          %out0.18.s0 = add nsw i64 %out0.18.x0, %v88
          %out0.18 = getelementptr inbounds float, ptr %out0, i64 %out0.18.s0
          call void @transpose_f32_x8(ptr %tmp2.17, i64 32, ptr %out0.18, i64 %d1)
          br label %bp85.step
bp85.step:
          %bp85.next = add nsw i64 %bp85, 1
          %bp85.more = icmp slt i64 %bp85.next, %v13
          br i1 %bp85.more, label %bp85.body, label %bp85.after
bp85.after:
        br label %bi81.step
bi81.step:
        %bi81.next = add nsw i64 %bi81, 1
        %bi81.more = icmp slt i64 %bi81.next, %v76
        br i1 %bi81.more, label %bi81.body, label %bi81.after, !llvm.loop !211
bi81.after:
      br label %after.16
after.16:
    %v91 = call i1 @not_b1(i1 %v74)
    br i1 %v91, label %then.19, label %after.19
then.19:
      %i92.any = icmp slt i64 %v2, %v4
      br i1 %i92.any, label %i92.body, label %i92.after
i92.body:
        %i92 = phi i64 [ %v2, %then.19 ], [ %i92.next, %i92.step ]
        %p93.any = icmp slt i64 0, %n2
        br i1 %p93.any, label %p93.body, label %p93.after
p93.body:
          %p93 = phi i64 [ 0, %i92.body ], [ %p93.next, %p93.step ]
          %v94 = sub i64 %i92, %v7
          %v95 = sub i64 %p93, 0
          %v96.at.x0 = mul nsw i64 32, %v95
          %v96.at.s0 = add nsw i64 %v96.at.x0, %v94
          %v96.at = getelementptr inbounds float, ptr %tmp2, i64 %v96.at.s0
          %v96 = load float, ptr %v96.at, align 4
          %out0.20.x0 = mul nsw i64 %d1, %i92
          %out0.20.s0 = add nsw i64 %out0.20.x0, %p93
          %out0.20 = getelementptr inbounds float, ptr %out0, i64 %out0.20.s0
          store float %v96, ptr %out0.20, align 4
          br label %p93.step
p93.step:
          %p93.next = add nsw i64 %p93, 1
          %p93.more = icmp slt i64 %p93.next, %n2
          br i1 %p93.more, label %p93.body, label %p93.after, !llvm.loop !212
p93.after:
        br label %i92.step
i92.step:
        %i92.next = add nsw i64 %i92, 1
        %i92.more = icmp slt i64 %i92.next, %v4
        br i1 %i92.more, label %i92.body, label %i92.after, !llvm.loop !213
i92.after:
      br label %after.19
after.19:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after
w0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

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