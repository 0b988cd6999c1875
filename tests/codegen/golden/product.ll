define void @kernel(i64 %begin, i64 %end, ptr noalias %tmp0, ptr noalias %tmp1, ptr noalias %tmp2, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, i64 %n7, i64 %n8, i64 %n9, ptr noalias readonly %in0, i64 %d0, ptr noalias readonly %in1, i64 %d1, ptr noalias readonly %in2, float %s0, ptr noalias %out0, i64 %d2, ptr noalias %flags) #0 {
entry:
  %tile65 = alloca [256 x float], align 64
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = sdiv i64 %w0, %n4
    %v2 = sdiv i64 %v1, %n3
    %v3 = mul i64 %v2, %n4
    %v4 = srem i64 %w0, %n4
    %v5 = add i64 %v3, %v4
    %v6 = srem i64 %v1, %n3
    %v7 = mul i64 %v6, %n6
    %v8 = srem i64 %v5, %n2
    %v9 = mul i64 %v8, %n5
    %v10 = sub i64 %n0, %v9
    %v11 = call i64 @minimum_i64(i64 %n5, i64 %v10)
    %v12 = sub i64 %n1, %v7
    %v13 = call i64 @minimum_i64(i64 %n6, i64 %v12)
    %v14 = add i64 %v11, 7
    %v15 = sdiv i64 %v14, 8
    %v16 = add i64 %v13, 31
    %v17 = sdiv i64 %v16, 32
    %v19 = mul i64 %v15, 8
    %i20.any = icmp slt i64 0, %v19
    br i1 %i20.any, label %i20.body, label %i20.after
i20.body:
      %i20 = phi i64 [ 0, %w0.body ], [ %i20.next, %i20.step ]
      %v21 = mul i64 %i20, 384
      %j22.any = icmp slt i64 0, 384
      br i1 %j22.any, label %j22.body, label %j22.after
j22.body:
        %j22 = phi i64 [ 0, %i20.body ], [ %j22.next, %j22.step ]
        %tmp2.1.s0 = add nsw i64 %v21, %j22
        %tmp2.1 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.1.s0
        store double 0.0, ptr %tmp2.1, align 8
        br label %j22.step
j22.step:
        %j22.next = add nsw i64 %j22, 1
        %j22.more = icmp slt i64 %j22.next, 384
        br i1 %j22.more, label %j22.body, label %j22.after, !llvm.loop !200
j22.after:
      br label %i20.step
i20.step:
      %i20.next = add nsw i64 %i20, 1
      %i20.more = icmp slt i64 %i20.next, %v19
      br i1 %i20.more, label %i20.body, label %i20.after, !llvm.loop !201
i20.after:
    %s23.any = icmp slt i64 0, %n9
    br i1 %s23.any, label %s23.body, label %s23.after
s23.body:
      %s23 = phi i64 [ 0, %i20.after ], [ %s23.next, %s23.step ]
      %v24 = mul i64 %s23, %n8
      %v25 = sub i64 %n7, %v24
      %v26 = call i64 @minimum_i64(i64 %n8, i64 %v25)
      %v27 = sub i64 %n0, 1
      %i29.any = icmp slt i64 0, %v19
      br i1 %i29.any, label %i29.body, label %i29.after
i29.body:
        %i29 = phi i64 [ 0, %s23.body ], [ %i29.next, %i29.step ]
        %k30.any = icmp slt i64 0, %v26
        br i1 %k30.any, label %k30.body, label %k30.after
k30.body:
          %k30 = phi i64 [ 0, %i29.body ], [ %k30.next, %k30.step ]
          %v31 = add i64 %v9, %i29
          %v32 = call i64 @minimum_i64(i64 %v31, i64 %v27)
          %v33 = add i64 %v24, %k30
          %v34.at.x1 = mul nsw i64 %d0, %v32
          %v34.at.s0 = add nsw i64 %v33, %v34.at.x1
          %v34.at = getelementptr inbounds float, ptr %in0, i64 %v34.at.s0
          %v34 = load float, ptr %v34.at, align 4
          %tmp0.2.x0 = mul nsw i64 272, %i29
          %tmp0.2.s0 = add nsw i64 %tmp0.2.x0, %k30
          %tmp0.2 = getelementptr inbounds float, ptr %tmp0, i64 %tmp0.2.s0
          store float %v34, ptr %tmp0.2, align 4
          br label %k30.step
k30.step:
          %k30.next = add nsw i64 %k30, 1
          %k30.more = icmp slt i64 %k30.next, %v26
          br i1 %k30.more, label %k30.body, label %k30.after, !llvm.loop !202
k30.after:
        br label %i29.step
i29.step:
        %i29.next = add nsw i64 %i29, 1
        %i29.more = icmp slt i64 %i29.next, %v19
        br i1 %i29.more, label %i29.body, label %i29.after, !llvm.loop !203
i29.after:
      %v35 = sdiv i64 %v13, 32
      %k36.any = icmp slt i64 0, %v26
      br i1 %k36.any, label %k36.body, label %k36.after
k36.body:
        %k36 = phi i64 [ 0, %i29.after ], [ %k36.next, %k36.step ]
        %p37.any = icmp slt i64 0, %v35
        br i1 %p37.any, label %p37.body, label %p37.after
p37.body:
          %p37 = phi i64 [ 0, %k36.body ], [ %p37.next, %p37.step ]
          %v39 = mul i64 %p37, 32
          %v40 = add i64 %v7, %v39
          %v41 = add i64 %v40, 0
          %v42 = add i64 %v24, %k36
          %v43.at.x0 = mul nsw i64 %d1, %v42
          %v43.at.s0 = add nsw i64 %v43.at.x0, %v41
          %v43.at = getelementptr inbounds float, ptr %in1, i64 %v43.at.s0
          %v43 = load <32 x float>, ptr %v43.at, align 4
          %tmp1.3.x0 = mul nsw i64 8192, %p37
          %tmp1.3.x2 = mul nsw i64 32, %k36
          %tmp1.3.s0 = add nsw i64 %tmp1.3.x0, 0
          %tmp1.3.s1 = add nsw i64 %tmp1.3.s0, %tmp1.3.x2
          %tmp1.3 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.3.s1
          store <32 x float> %v43, ptr %tmp1.3, align 4
          br label %p37.step
p37.step:
          %p37.next = add nsw i64 %p37, 1
          %p37.more = icmp slt i64 %p37.next, %v35
          br i1 %p37.more, label %p37.body, label %p37.after, !llvm.loop !204
p37.after:
        br label %k36.step
k36.step:
        %k36.next = add nsw i64 %k36, 1
        %k36.more = icmp slt i64 %k36.next, %v26
        br i1 %k36.more, label %k36.body, label %k36.after, !llvm.loop !205
k36.after:
      %p44.any = icmp slt i64 %v35, %v17
      br i1 %p44.any, label %p44.body, label %p44.after
p44.body:
        %p44 = phi i64 [ %v35, %k36.after ], [ %p44.next, %p44.step ]
        %v45 = mul i64 %p44, 32
        %v46 = sub i64 %v13, %v45
        %v47 = call i64 @minimum_i64(i64 %v46, i64 32)
        %k48.any = icmp slt i64 0, %v26
        br i1 %k48.any, label %k48.body, label %k48.after
k48.body:
          %k48 = phi i64 [ 0, %p44.body ], [ %k48.next, %k48.step ]
          %j49.any = icmp slt i64 0, %v47
          br i1 %j49.any, label %j49.body, label %j49.after
j49.body:
            %j49 = phi i64 [ 0, %k48.body ], [ %j49.next, %j49.step ]
            %v51 = add i64 %v7, %v45
            %v52 = add i64 %v51, %j49
            %v53 = add i64 %v24, %k48
            %v54.at.x0 = mul nsw i64 %d1, %v53
            %v54.at.s0 = add nsw i64 %v54.at.x0, %v52
            %v54.at = getelementptr inbounds float, ptr %in1, i64 %v54.at.s0
            %v54 = load float, ptr %v54.at, align 4
            %tmp1.4.x0 = mul nsw i64 8192, %p44
            %tmp1.4.x2 = mul nsw i64 32, %k48
            %tmp1.4.s0 = add nsw i64 %tmp1.4.x0, %j49
            %tmp1.4.s1 = add nsw i64 %tmp1.4.s0, %tmp1.4.x2
            %tmp1.4 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.4.s1
            store float %v54, ptr %tmp1.4, align 4
            br label %j49.step
j49.step:
            %j49.next = add nsw i64 %j49, 1
            %j49.more = icmp slt i64 %j49.next, %v47
            br i1 %j49.more, label %j49.body, label %j49.after, !llvm.loop !206
j49.after:
          br label %k48.step
k48.step:
          %k48.next = add nsw i64 %k48, 1
          %k48.more = icmp slt i64 %k48.next, %v26
          br i1 %k48.more, label %k48.body, label %k48.after, !llvm.loop !207
k48.after:
        br label %p44.step
p44.step:
        %p44.next = add nsw i64 %p44, 1
        %p44.more = icmp slt i64 %p44.next, %v17
        br i1 %p44.more, label %p44.body, label %p44.after, !llvm.loop !208
p44.after:
      %p55.any = icmp slt i64 %v35, %v17
      br i1 %p55.any, label %p55.body, label %p55.after
p55.body:
        %p55 = phi i64 [ %v35, %p44.after ], [ %p55.next, %p55.step ]
        %k56.any = icmp slt i64 0, %v26
        br i1 %k56.any, label %k56.body, label %k56.after
k56.body:
          %k56 = phi i64 [ 0, %p55.body ], [ %k56.next, %k56.step ]
          %v57 = mul i64 %p55, 32
          %v58 = sub i64 %v13, %v57
          %v59 = sub i64 %v58, 1
          %j60.any = icmp slt i64 %v58, 32
          br i1 %j60.any, label %j60.body, label %j60.after
j60.body:
            %j60 = phi i64 [ %v58, %k56.body ], [ %j60.next, %j60.step ]
            %v61.at.x0 = mul nsw i64 8192, %p55
            %v61.at.x2 = mul nsw i64 32, %k56
            %v61.at.s0 = add nsw i64 %v61.at.x0, %v59
            %v61.at.s1 = add nsw i64 %v61.at.s0, %v61.at.x2
            %v61.at = getelementptr inbounds float, ptr %tmp1, i64 %v61.at.s1
            %v61 = load float, ptr %v61.at, align 4
            %tmp1.5.x0 = mul nsw i64 8192, %p55
            %tmp1.5.x2 = mul nsw i64 32, %k56
            %tmp1.5.s0 = add nsw i64 %tmp1.5.x0, %j60
            %tmp1.5.s1 = add nsw i64 %tmp1.5.s0, %tmp1.5.x2
            %tmp1.5 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.5.s1
            store float %v61, ptr %tmp1.5, align 4
            br label %j60.step
j60.step:
            %j60.next = add nsw i64 %j60, 1
            %j60.more = icmp slt i64 %j60.next, 32
            br i1 %j60.more, label %j60.body, label %j60.after, !llvm.loop !209
j60.after:
          br label %k56.step
k56.step:
          %k56.next = add nsw i64 %k56, 1
          %k56.more = icmp slt i64 %k56.next, %v26
          br i1 %k56.more, label %k56.body, label %k56.after, !llvm.loop !210
k56.after:
        br label %p55.step
p55.step:
        %p55.next = add nsw i64 %p55, 1
        %p55.more = icmp slt i64 %p55.next, %v17
        br i1 %p55.more, label %p55.body, label %p55.after, !llvm.loop !211
p55.after:
      %p62.any = icmp slt i64 0, %v17
      br i1 %p62.any, label %p62.body, label %p62.after
p62.body:
        %p62 = phi i64 [ 0, %p55.after ], [ %p62.next, %p62.step ]
        %t63.any = icmp slt i64 0, %v15
        br i1 %t63.any, label %t63.body, label %t63.after
t63.body:
          %t63 = phi i64 [ 0, %p62.body ], [ %t63.next, %t63.step ]
          %v64 = mul i64 %t63, 8
          %same.6.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.6 = shufflevector <32 x float> %same.6.one, <32 x float> poison, <32 x i32> zeroinitializer
          store <32 x float> %same.6, ptr %tile65, align 4
          %same.8.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.8 = shufflevector <32 x float> %same.8.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile65.9.s0 = add nsw i64 0, 32
          %tile65.9 = getelementptr inbounds float, ptr %tile65, i64 %tile65.9.s0
          store <32 x float> %same.8, ptr %tile65.9, align 4
          %same.10.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.10 = shufflevector <32 x float> %same.10.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile65.11.s0 = add nsw i64 0, 64
          %tile65.11 = getelementptr inbounds float, ptr %tile65, i64 %tile65.11.s0
          store <32 x float> %same.10, ptr %tile65.11, align 4
          %same.12.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.12 = shufflevector <32 x float> %same.12.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile65.13.s0 = add nsw i64 0, 96
          %tile65.13 = getelementptr inbounds float, ptr %tile65, i64 %tile65.13.s0
          store <32 x float> %same.12, ptr %tile65.13, align 4
          %same.14.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.14 = shufflevector <32 x float> %same.14.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile65.15.s0 = add nsw i64 0, 128
          %tile65.15 = getelementptr inbounds float, ptr %tile65, i64 %tile65.15.s0
          store <32 x float> %same.14, ptr %tile65.15, align 4
          %same.16.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.16 = shufflevector <32 x float> %same.16.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile65.17.s0 = add nsw i64 0, 160
          %tile65.17 = getelementptr inbounds float, ptr %tile65, i64 %tile65.17.s0
          store <32 x float> %same.16, ptr %tile65.17, align 4
          %same.18.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.18 = shufflevector <32 x float> %same.18.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile65.19.s0 = add nsw i64 0, 192
          %tile65.19 = getelementptr inbounds float, ptr %tile65, i64 %tile65.19.s0
          store <32 x float> %same.18, ptr %tile65.19, align 4
          %same.20.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.20 = shufflevector <32 x float> %same.20.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile65.21.s0 = add nsw i64 0, 224
          %tile65.21 = getelementptr inbounds float, ptr %tile65, i64 %tile65.21.s0
          store <32 x float> %same.20, ptr %tile65.21, align 4
          %v74 = sdiv i64 %v26, 8
          %g75.any = icmp slt i64 0, %v74
          br i1 %g75.any, label %g75.body, label %g75.after
g75.body:
            %g75 = phi i64 [ 0, %t63.body ], [ %g75.next, %g75.step ]
            %v76 = mul i64 %g75, 8
            %v78.at.x0 = mul nsw i64 272, %v64
            %v78.at.s0 = add nsw i64 %v78.at.x0, %v76
            %v78.at = getelementptr inbounds float, ptr %tmp0, i64 %v78.at.s0
            %v78 = load float, ptr %v78.at, align 4
            %v79.at.x0 = mul nsw i64 8192, %p62
            %v79.at.x1 = mul nsw i64 32, %v76
            %v79.at.s0 = add nsw i64 %v79.at.x0, %v79.at.x1
            %v79.at.s1 = add nsw i64 %v79.at.s0, 0
            %v79.at = getelementptr inbounds float, ptr %tmp1, i64 %v79.at.s1
            %v79 = load <32 x float>, ptr %v79.at, align 4
            %v80 = load <32 x float>, ptr %tile65, align 4
            %same.22.one = insertelement <32 x float> poison, float %v78, i64 0
            %same.22 = shufflevector <32 x float> %same.22.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v81 = call <32 x float> @fma_f32_x32(<32 x float> %same.22, <32 x float> %v79, <32 x float> %v80)
            store <32 x float> %v81, ptr %tile65, align 4
            %v82.at.x0 = mul nsw i64 272, %v64
            %v82.at.s0 = add nsw i64 %v82.at.x0, %v76
            %v82.at.s1 = add nsw i64 %v82.at.s0, 272
            %v82.at = getelementptr inbounds float, ptr %tmp0, i64 %v82.at.s1
            %v82 = load float, ptr %v82.at, align 4
            %v83.at.s0 = add nsw i64 0, 32
            %v83.at = getelementptr inbounds float, ptr %tile65, i64 %v83.at.s0
            %v83 = load <32 x float>, ptr %v83.at, align 4
            %same.24.one = insertelement <32 x float> poison, float %v82, i64 0
            %same.24 = shufflevector <32 x float> %same.24.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v84 = call <32 x float> @fma_f32_x32(<32 x float> %same.24, <32 x float> %v79, <32 x float> %v83)
            %tile65.25.s0 = add nsw i64 0, 32
            %tile65.25 = getelementptr inbounds float, ptr %tile65, i64 %tile65.25.s0
            store <32 x float> %v84, ptr %tile65.25, align 4
            %v85.at.x0 = mul nsw i64 272, %v64
            %v85.at.s0 = add nsw i64 %v85.at.x0, %v76
            %v85.at.s1 = add nsw i64 %v85.at.s0, 544
            %v85.at = getelementptr inbounds float, ptr %tmp0, i64 %v85.at.s1
            %v85 = load float, ptr %v85.at, align 4
            %v86.at.s0 = add nsw i64 0, 64
            %v86.at = getelementptr inbounds float, ptr %tile65, i64 %v86.at.s0
            %v86 = load <32 x float>, ptr %v86.at, align 4
            %same.26.one = insertelement <32 x float> poison, float %v85, i64 0
            %same.26 = shufflevector <32 x float> %same.26.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v87 = call <32 x float> @fma_f32_x32(<32 x float> %same.26, <32 x float> %v79, <32 x float> %v86)
            %tile65.27.s0 = add nsw i64 0, 64
            %tile65.27 = getelementptr inbounds float, ptr %tile65, i64 %tile65.27.s0
            store <32 x float> %v87, ptr %tile65.27, align 4
            %v88.at.x0 = mul nsw i64 272, %v64
            %v88.at.s0 = add nsw i64 %v88.at.x0, %v76
            %v88.at.s1 = add nsw i64 %v88.at.s0, 816
            %v88.at = getelementptr inbounds float, ptr %tmp0, i64 %v88.at.s1
            %v88 = load float, ptr %v88.at, align 4
            %v89.at.s0 = add nsw i64 0, 96
            %v89.at = getelementptr inbounds float, ptr %tile65, i64 %v89.at.s0
            %v89 = load <32 x float>, ptr %v89.at, align 4
            %same.28.one = insertelement <32 x float> poison, float %v88, i64 0
            %same.28 = shufflevector <32 x float> %same.28.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v90 = call <32 x float> @fma_f32_x32(<32 x float> %same.28, <32 x float> %v79, <32 x float> %v89)
            %tile65.29.s0 = add nsw i64 0, 96
            %tile65.29 = getelementptr inbounds float, ptr %tile65, i64 %tile65.29.s0
            store <32 x float> %v90, ptr %tile65.29, align 4
            %v91.at.x0 = mul nsw i64 272, %v64
            %v91.at.s0 = add nsw i64 %v91.at.x0, %v76
            %v91.at.s1 = add nsw i64 %v91.at.s0, 1088
            %v91.at = getelementptr inbounds float, ptr %tmp0, i64 %v91.at.s1
            %v91 = load float, ptr %v91.at, align 4
            %v92.at.s0 = add nsw i64 0, 128
            %v92.at = getelementptr inbounds float, ptr %tile65, i64 %v92.at.s0
            %v92 = load <32 x float>, ptr %v92.at, align 4
            %same.30.one = insertelement <32 x float> poison, float %v91, i64 0
            %same.30 = shufflevector <32 x float> %same.30.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v93 = call <32 x float> @fma_f32_x32(<32 x float> %same.30, <32 x float> %v79, <32 x float> %v92)
            %tile65.31.s0 = add nsw i64 0, 128
            %tile65.31 = getelementptr inbounds float, ptr %tile65, i64 %tile65.31.s0
            store <32 x float> %v93, ptr %tile65.31, align 4
            %v94.at.x0 = mul nsw i64 272, %v64
            %v94.at.s0 = add nsw i64 %v94.at.x0, %v76
            %v94.at.s1 = add nsw i64 %v94.at.s0, 1360
            %v94.at = getelementptr inbounds float, ptr %tmp0, i64 %v94.at.s1
            %v94 = load float, ptr %v94.at, align 4
            %v95.at.s0 = add nsw i64 0, 160
            %v95.at = getelementptr inbounds float, ptr %tile65, i64 %v95.at.s0
            %v95 = load <32 x float>, ptr %v95.at, align 4
            %same.32.one = insertelement <32 x float> poison, float %v94, i64 0
            %same.32 = shufflevector <32 x float> %same.32.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v96 = call <32 x float> @fma_f32_x32(<32 x float> %same.32, <32 x float> %v79, <32 x float> %v95)
            %tile65.33.s0 = add nsw i64 0, 160
            %tile65.33 = getelementptr inbounds float, ptr %tile65, i64 %tile65.33.s0
            store <32 x float> %v96, ptr %tile65.33, align 4
            %v97.at.x0 = mul nsw i64 272, %v64
            %v97.at.s0 = add nsw i64 %v97.at.x0, %v76
            %v97.at.s1 = add nsw i64 %v97.at.s0, 1632
            %v97.at = getelementptr inbounds float, ptr %tmp0, i64 %v97.at.s1
            %v97 = load float, ptr %v97.at, align 4
            %v98.at.s0 = add nsw i64 0, 192
            %v98.at = getelementptr inbounds float, ptr %tile65, i64 %v98.at.s0
            %v98 = load <32 x float>, ptr %v98.at, align 4
            %same.34.one = insertelement <32 x float> poison, float %v97, i64 0
            %same.34 = shufflevector <32 x float> %same.34.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v99 = call <32 x float> @fma_f32_x32(<32 x float> %same.34, <32 x float> %v79, <32 x float> %v98)
            %tile65.35.s0 = add nsw i64 0, 192
            %tile65.35 = getelementptr inbounds float, ptr %tile65, i64 %tile65.35.s0
            store <32 x float> %v99, ptr %tile65.35, align 4
            %v100.at.x0 = mul nsw i64 272, %v64
            %v100.at.s0 = add nsw i64 %v100.at.x0, %v76
            %v100.at.s1 = add nsw i64 %v100.at.s0, 1904
            %v100.at = getelementptr inbounds float, ptr %tmp0, i64 %v100.at.s1
            %v100 = load float, ptr %v100.at, align 4
            %v101.at.s0 = add nsw i64 0, 224
            %v101.at = getelementptr inbounds float, ptr %tile65, i64 %v101.at.s0
            %v101 = load <32 x float>, ptr %v101.at, align 4
            %same.36.one = insertelement <32 x float> poison, float %v100, i64 0
            %same.36 = shufflevector <32 x float> %same.36.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v102 = call <32 x float> @fma_f32_x32(<32 x float> %same.36, <32 x float> %v79, <32 x float> %v101)
            %tile65.37.s0 = add nsw i64 0, 224
            %tile65.37 = getelementptr inbounds float, ptr %tile65, i64 %tile65.37.s0
            store <32 x float> %v102, ptr %tile65.37, align 4
            %v104.at.x0 = mul nsw i64 272, %v64
            %v104.at.s0 = add nsw i64 %v104.at.x0, %v76
            %v104.at.s1 = add nsw i64 %v104.at.s0, 1
            %v104.at = getelementptr inbounds float, ptr %tmp0, i64 %v104.at.s1
            %v104 = load float, ptr %v104.at, align 4
            %v105.at.x0 = mul nsw i64 8192, %p62
            %v105.at.x1 = mul nsw i64 32, %v76
            %v105.at.s0 = add nsw i64 %v105.at.x0, %v105.at.x1
            %v105.at.s1 = add nsw i64 %v105.at.s0, 0
            %v105.at.s2 = add nsw i64 %v105.at.s1, 32
            %v105.at = getelementptr inbounds float, ptr %tmp1, i64 %v105.at.s2
            %v105 = load <32 x float>, ptr %v105.at, align 4
            %v106 = load <32 x float>, ptr %tile65, align 4
            %same.38.one = insertelement <32 x float> poison, float %v104, i64 0
            %same.38 = shufflevector <32 x float> %same.38.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v107 = call <32 x float> @fma_f32_x32(<32 x float> %same.38, <32 x float> %v105, <32 x float> %v106)
            store <32 x float> %v107, ptr %tile65, align 4
            %v108.at.x0 = mul nsw i64 272, %v64
            %v108.at.s0 = add nsw i64 %v108.at.x0, %v76
            %v108.at.s1 = add nsw i64 %v108.at.s0, 273
            %v108.at = getelementptr inbounds float, ptr %tmp0, i64 %v108.at.s1
            %v108 = load float, ptr %v108.at, align 4
            %v109.at.s0 = add nsw i64 0, 32
            %v109.at = getelementptr inbounds float, ptr %tile65, i64 %v109.at.s0
            %v109 = load <32 x float>, ptr %v109.at, align 4
            %same.40.one = insertelement <32 x float> poison, float %v108, i64 0
            %same.40 = shufflevector <32 x float> %same.40.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v110 = call <32 x float> @fma_f32_x32(<32 x float> %same.40, <32 x float> %v105, <32 x float> %v109)
            %tile65.41.s0 = add nsw i64 0, 32
            %tile65.41 = getelementptr inbounds float, ptr %tile65, i64 %tile65.41.s0
            store <32 x float> %v110, ptr %tile65.41, align 4
            %v111.at.x0 = mul nsw i64 272, %v64
            %v111.at.s0 = add nsw i64 %v111.at.x0, %v76
            %v111.at.s1 = add nsw i64 %v111.at.s0, 545
            %v111.at = getelementptr inbounds float, ptr %tmp0, i64 %v111.at.s1
            %v111 = load float, ptr %v111.at, align 4
            %v112.at.s0 = add nsw i64 0, 64
            %v112.at = getelementptr inbounds float, ptr %tile65, i64 %v112.at.s0
            %v112 = load <32 x float>, ptr %v112.at, align 4
            %same.42.one = insertelement <32 x float> poison, float %v111, i64 0
            %same.42 = shufflevector <32 x float> %same.42.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v113 = call <32 x float> @fma_f32_x32(<32 x float> %same.42, <32 x float> %v105, <32 x float> %v112)
            %tile65.43.s0 = add nsw i64 0, 64
            %tile65.43 = getelementptr inbounds float, ptr %tile65, i64 %tile65.43.s0
            store <32 x float> %v113, ptr %tile65.43, align 4
            %v114.at.x0 = mul nsw i64 272, %v64
            %v114.at.s0 = add nsw i64 %v114.at.x0, %v76
            %v114.at.s1 = add nsw i64 %v114.at.s0, 817
            %v114.at = getelementptr inbounds float, ptr %tmp0, i64 %v114.at.s1
            %v114 = load float, ptr %v114.at, align 4
            %v115.at.s0 = add nsw i64 0, 96
            %v115.at = getelementptr inbounds float, ptr %tile65, i64 %v115.at.s0
            %v115 = load <32 x float>, ptr %v115.at, align 4
            %same.44.one = insertelement <32 x float> poison, float %v114, i64 0
            %same.44 = shufflevector <32 x float> %same.44.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v116 = call <32 x float> @fma_f32_x32(<32 x float> %same.44, <32 x float> %v105, <32 x float> %v115)
            %tile65.45.s0 = add nsw i64 0, 96
            %tile65.45 = getelementptr inbounds float, ptr %tile65, i64 %tile65.45.s0
            store <32 x float> %v116, ptr %tile65.45, align 4
            %v117.at.x0 = mul nsw i64 272, %v64
            %v117.at.s0 = add nsw i64 %v117.at.x0, %v76
            %v117.at.s1 = add nsw i64 %v117.at.s0, 1089
            %v117.at = getelementptr inbounds float, ptr %tmp0, i64 %v117.at.s1
            %v117 = load float, ptr %v117.at, align 4
            %v118.at.s0 = add nsw i64 0, 128
            %v118.at = getelementptr inbounds float, ptr %tile65, i64 %v118.at.s0
            %v118 = load <32 x float>, ptr %v118.at, align 4
            %same.46.one = insertelement <32 x float> poison, float %v117, i64 0
            %same.46 = shufflevector <32 x float> %same.46.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v119 = call <32 x float> @fma_f32_x32(<32 x float> %same.46, <32 x float> %v105, <32 x float> %v118)
            %tile65.47.s0 = add nsw i64 0, 128
            %tile65.47 = getelementptr inbounds float, ptr %tile65, i64 %tile65.47.s0
            store <32 x float> %v119, ptr %tile65.47, align 4
            %v120.at.x0 = mul nsw i64 272, %v64
            %v120.at.s0 = add nsw i64 %v120.at.x0, %v76
            %v120.at.s1 = add nsw i64 %v120.at.s0, 1361
            %v120.at = getelementptr inbounds float, ptr %tmp0, i64 %v120.at.s1
            %v120 = load float, ptr %v120.at, align 4
            %v121.at.s0 = add nsw i64 0, 160
            %v121.at = getelementptr inbounds float, ptr %tile65, i64 %v121.at.s0
            %v121 = load <32 x float>, ptr %v121.at, align 4
            %same.48.one = insertelement <32 x float> poison, float %v120, i64 0
            %same.48 = shufflevector <32 x float> %same.48.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v122 = call <32 x float> @fma_f32_x32(<32 x float> %same.48, <32 x float> %v105, <32 x float> %v121)
            %tile65.49.s0 = add nsw i64 0, 160
            %tile65.49 = getelementptr inbounds float, ptr %tile65, i64 %tile65.49.s0
            store <32 x float> %v122, ptr %tile65.49, align 4
            %v123.at.x0 = mul nsw i64 272, %v64
            %v123.at.s0 = add nsw i64 %v123.at.x0, %v76
            %v123.at.s1 = add nsw i64 %v123.at.s0, 1633
            %v123.at = getelementptr inbounds float, ptr %tmp0, i64 %v123.at.s1
            %v123 = load float, ptr %v123.at, align 4
            %v124.at.s0 = add nsw i64 0, 192
            %v124.at = getelementptr inbounds float, ptr %tile65, i64 %v124.at.s0
            %v124 = load <32 x float>, ptr %v124.at, align 4
            %same.50.one = insertelement <32 x float> poison, float %v123, i64 0
            %same.50 = shufflevector <32 x float> %same.50.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v125 = call <32 x float> @fma_f32_x32(<32 x float> %same.50, <32 x float> %v105, <32 x float> %v124)
            %tile65.51.s0 = add nsw i64 0, 192
            %tile65.51 = getelementptr inbounds float, ptr %tile65, i64 %tile65.51.s0
            store <32 x float> %v125, ptr %tile65.51, align 4
            %v126.at.x0 = mul nsw i64 272, %v64
            %v126.at.s0 = add nsw i64 %v126.at.x0, %v76
            %v126.at.s1 = add nsw i64 %v126.at.s0, 1905
            %v126.at = getelementptr inbounds float, ptr %tmp0, i64 %v126.at.s1
            %v126 = load float, ptr %v126.at, align 4
            %v127.at.s0 = add nsw i64 0, 224
            %v127.at = getelementptr inbounds float, ptr %tile65, i64 %v127.at.s0
            %v127 = load <32 x float>, ptr %v127.at, align 4
            %same.52.one = insertelement <32 x float> poison, float %v126, i64 0
            %same.52 = shufflevector <32 x float> %same.52.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v128 = call <32 x float> @fma_f32_x32(<32 x float> %same.52, <32 x float> %v105, <32 x float> %v127)
            %tile65.53.s0 = add nsw i64 0, 224
            %tile65.53 = getelementptr inbounds float, ptr %tile65, i64 %tile65.53.s0
            store <32 x float> %v128, ptr %tile65.53, align 4
            %v130.at.x0 = mul nsw i64 272, %v64
            %v130.at.s0 = add nsw i64 %v130.at.x0, %v76
            %v130.at.s1 = add nsw i64 %v130.at.s0, 2
            %v130.at = getelementptr inbounds float, ptr %tmp0, i64 %v130.at.s1
            %v130 = load float, ptr %v130.at, align 4
            %v131.at.x0 = mul nsw i64 8192, %p62
            %v131.at.x1 = mul nsw i64 32, %v76
            %v131.at.s0 = add nsw i64 %v131.at.x0, %v131.at.x1
            %v131.at.s1 = add nsw i64 %v131.at.s0, 0
            %v131.at.s2 = add nsw i64 %v131.at.s1, 64
            %v131.at = getelementptr inbounds float, ptr %tmp1, i64 %v131.at.s2
            %v131 = load <32 x float>, ptr %v131.at, align 4
            %v132 = load <32 x float>, ptr %tile65, align 4
            %same.54.one = insertelement <32 x float> poison, float %v130, i64 0
            %same.54 = shufflevector <32 x float> %same.54.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v133 = call <32 x float> @fma_f32_x32(<32 x float> %same.54, <32 x float> %v131, <32 x float> %v132)
            store <32 x float> %v133, ptr %tile65, align 4
            %v134.at.x0 = mul nsw i64 272, %v64
            %v134.at.s0 = add nsw i64 %v134.at.x0, %v76
            %v134.at.s1 = add nsw i64 %v134.at.s0, 274
            %v134.at = getelementptr inbounds float, ptr %tmp0, i64 %v134.at.s1
            %v134 = load float, ptr %v134.at, align 4
            %v135.at.s0 = add nsw i64 0, 32
            %v135.at = getelementptr inbounds float, ptr %tile65, i64 %v135.at.s0
            %v135 = load <32 x float>, ptr %v135.at, align 4
            %same.56.one = insertelement <32 x float> poison, float %v134, i64 0
            %same.56 = shufflevector <32 x float> %same.56.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v136 = call <32 x float> @fma_f32_x32(<32 x float> %same.56, <32 x float> %v131, <32 x float> %v135)
            %tile65.57.s0 = add nsw i64 0, 32
            %tile65.57 = getelementptr inbounds float, ptr %tile65, i64 %tile65.57.s0
            store <32 x float> %v136, ptr %tile65.57, align 4
            %v137.at.x0 = mul nsw i64 272, %v64
            %v137.at.s0 = add nsw i64 %v137.at.x0, %v76
            %v137.at.s1 = add nsw i64 %v137.at.s0, 546
            %v137.at = getelementptr inbounds float, ptr %tmp0, i64 %v137.at.s1
            %v137 = load float, ptr %v137.at, align 4
            %v138.at.s0 = add nsw i64 0, 64
            %v138.at = getelementptr inbounds float, ptr %tile65, i64 %v138.at.s0
            %v138 = load <32 x float>, ptr %v138.at, align 4
            %same.58.one = insertelement <32 x float> poison, float %v137, i64 0
            %same.58 = shufflevector <32 x float> %same.58.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v139 = call <32 x float> @fma_f32_x32(<32 x float> %same.58, <32 x float> %v131, <32 x float> %v138)
            %tile65.59.s0 = add nsw i64 0, 64
            %tile65.59 = getelementptr inbounds float, ptr %tile65, i64 %tile65.59.s0
            store <32 x float> %v139, ptr %tile65.59, align 4
            %v140.at.x0 = mul nsw i64 272, %v64
            %v140.at.s0 = add nsw i64 %v140.at.x0, %v76
            %v140.at.s1 = add nsw i64 %v140.at.s0, 818
            %v140.at = getelementptr inbounds float, ptr %tmp0, i64 %v140.at.s1
            %v140 = load float, ptr %v140.at, align 4
            %v141.at.s0 = add nsw i64 0, 96
            %v141.at = getelementptr inbounds float, ptr %tile65, i64 %v141.at.s0
            %v141 = load <32 x float>, ptr %v141.at, align 4
            %same.60.one = insertelement <32 x float> poison, float %v140, i64 0
            %same.60 = shufflevector <32 x float> %same.60.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v142 = call <32 x float> @fma_f32_x32(<32 x float> %same.60, <32 x float> %v131, <32 x float> %v141)
            %tile65.61.s0 = add nsw i64 0, 96
            %tile65.61 = getelementptr inbounds float, ptr %tile65, i64 %tile65.61.s0
            store <32 x float> %v142, ptr %tile65.61, align 4
            %v143.at.x0 = mul nsw i64 272, %v64
            %v143.at.s0 = add nsw i64 %v143.at.x0, %v76
            %v143.at.s1 = add nsw i64 %v143.at.s0, 1090
            %v143.at = getelementptr inbounds float, ptr %tmp0, i64 %v143.at.s1
            %v143 = load float, ptr %v143.at, align 4
            %v144.at.s0 = add nsw i64 0, 128
            %v144.at = getelementptr inbounds float, ptr %tile65, i64 %v144.at.s0
            %v144 = load <32 x float>, ptr %v144.at, align 4
            %same.62.one = insertelement <32 x float> poison, float %v143, i64 0
            %same.62 = shufflevector <32 x float> %same.62.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v145 = call <32 x float> @fma_f32_x32(<32 x float> %same.62, <32 x float> %v131, <32 x float> %v144)
            %tile65.63.s0 = add nsw i64 0, 128
            %tile65.63 = getelementptr inbounds float, ptr %tile65, i64 %tile65.63.s0
            store <32 x float> %v145, ptr %tile65.63, align 4
            %v146.at.x0 = mul nsw i64 272, %v64
            %v146.at.s0 = add nsw i64 %v146.at.x0, %v76
            %v146.at.s1 = add nsw i64 %v146.at.s0, 1362
            %v146.at = getelementptr inbounds float, ptr %tmp0, i64 %v146.at.s1
            %v146 = load float, ptr %v146.at, align 4
            %v147.at.s0 = add nsw i64 0, 160
            %v147.at = getelementptr inbounds float, ptr %tile65, i64 %v147.at.s0
            %v147 = load <32 x float>, ptr %v147.at, align 4
            %same.64.one = insertelement <32 x float> poison, float %v146, i64 0
            %same.64 = shufflevector <32 x float> %same.64.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v148 = call <32 x float> @fma_f32_x32(<32 x float> %same.64, <32 x float> %v131, <32 x float> %v147)
            %tile65.65.s0 = add nsw i64 0, 160
            %tile65.65 = getelementptr inbounds float, ptr %tile65, i64 %tile65.65.s0
            store <32 x float> %v148, ptr %tile65.65, align 4
            %v149.at.x0 = mul nsw i64 272, %v64
            %v149.at.s0 = add nsw i64 %v149.at.x0, %v76
            %v149.at.s1 = add nsw i64 %v149.at.s0, 1634
            %v149.at = getelementptr inbounds float, ptr %tmp0, i64 %v149.at.s1
            %v149 = load float, ptr %v149.at, align 4
            %v150.at.s0 = add nsw i64 0, 192
            %v150.at = getelementptr inbounds float, ptr %tile65, i64 %v150.at.s0
            %v150 = load <32 x float>, ptr %v150.at, align 4
            %same.66.one = insertelement <32 x float> poison, float %v149, i64 0
            %same.66 = shufflevector <32 x float> %same.66.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v151 = call <32 x float> @fma_f32_x32(<32 x float> %same.66, <32 x float> %v131, <32 x float> %v150)
            %tile65.67.s0 = add nsw i64 0, 192
            %tile65.67 = getelementptr inbounds float, ptr %tile65, i64 %tile65.67.s0
            store <32 x float> %v151, ptr %tile65.67, align 4
            %v152.at.x0 = mul nsw i64 272, %v64
            %v152.at.s0 = add nsw i64 %v152.at.x0, %v76
            %v152.at.s1 = add nsw i64 %v152.at.s0, 1906
            %v152.at = getelementptr inbounds float, ptr %tmp0, i64 %v152.at.s1
            %v152 = load float, ptr %v152.at, align 4
            %v153.at.s0 = add nsw i64 0, 224
            %v153.at = getelementptr inbounds float, ptr %tile65, i64 %v153.at.s0
            %v153 = load <32 x float>, ptr %v153.at, align 4
            %same.68.one = insertelement <32 x float> poison, float %v152, i64 0
            %same.68 = shufflevector <32 x float> %same.68.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v154 = call <32 x float> @fma_f32_x32(<32 x float> %same.68, <32 x float> %v131, <32 x float> %v153)
            %tile65.69.s0 = add nsw i64 0, 224
            %tile65.69 = getelementptr inbounds float, ptr %tile65, i64 %tile65.69.s0
            store <32 x float> %v154, ptr %tile65.69, align 4
            %v156.at.x0 = mul nsw i64 272, %v64
            %v156.at.s0 = add nsw i64 %v156.at.x0, %v76
            %v156.at.s1 = add nsw i64 %v156.at.s0, 3
            %v156.at = getelementptr inbounds float, ptr %tmp0, i64 %v156.at.s1
            %v156 = load float, ptr %v156.at, align 4
            %v157.at.x0 = mul nsw i64 8192, %p62
            %v157.at.x1 = mul nsw i64 32, %v76
            %v157.at.s0 = add nsw i64 %v157.at.x0, %v157.at.x1
            %v157.at.s1 = add nsw i64 %v157.at.s0, 0
            %v157.at.s2 = add nsw i64 %v157.at.s1, 96
            %v157.at = getelementptr inbounds float, ptr %tmp1, i64 %v157.at.s2
            %v157 = load <32 x float>, ptr %v157.at, align 4
            %v158 = load <32 x float>, ptr %tile65, align 4
            %same.70.one = insertelement <32 x float> poison, float %v156, i64 0
            %same.70 = shufflevector <32 x float> %same.70.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v159 = call <32 x float> @fma_f32_x32(<32 x float> %same.70, <32 x float> %v157, <32 x float> %v158)
            store <32 x float> %v159, ptr %tile65, align 4
            %v160.at.x0 = mul nsw i64 272, %v64
            %v160.at.s0 = add nsw i64 %v160.at.x0, %v76
            %v160.at.s1 = add nsw i64 %v160.at.s0, 275
            %v160.at = getelementptr inbounds float, ptr %tmp0, i64 %v160.at.s1
            %v160 = load float, ptr %v160.at, align 4
            %v161.at.s0 = add nsw i64 0, 32
            %v161.at = getelementptr inbounds float, ptr %tile65, i64 %v161.at.s0
            %v161 = load <32 x float>, ptr %v161.at, align 4
            %same.72.one = insertelement <32 x float> poison, float %v160, i64 0
            %same.72 = shufflevector <32 x float> %same.72.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v162 = call <32 x float> @fma_f32_x32(<32 x float> %same.72, <32 x float> %v157, <32 x float> %v161)
            %tile65.73.s0 = add nsw i64 0, 32
            %tile65.73 = getelementptr inbounds float, ptr %tile65, i64 %tile65.73.s0
            store <32 x float> %v162, ptr %tile65.73, align 4
            %v163.at.x0 = mul nsw i64 272, %v64
            %v163.at.s0 = add nsw i64 %v163.at.x0, %v76
            %v163.at.s1 = add nsw i64 %v163.at.s0, 547
            %v163.at = getelementptr inbounds float, ptr %tmp0, i64 %v163.at.s1
            %v163 = load float, ptr %v163.at, align 4
            %v164.at.s0 = add nsw i64 0, 64
            %v164.at = getelementptr inbounds float, ptr %tile65, i64 %v164.at.s0
            %v164 = load <32 x float>, ptr %v164.at, align 4
            %same.74.one = insertelement <32 x float> poison, float %v163, i64 0
            %same.74 = shufflevector <32 x float> %same.74.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v165 = call <32 x float> @fma_f32_x32(<32 x float> %same.74, <32 x float> %v157, <32 x float> %v164)
            %tile65.75.s0 = add nsw i64 0, 64
            %tile65.75 = getelementptr inbounds float, ptr %tile65, i64 %tile65.75.s0
            store <32 x float> %v165, ptr %tile65.75, align 4
            %v166.at.x0 = mul nsw i64 272, %v64
            %v166.at.s0 = add nsw i64 %v166.at.x0, %v76
            %v166.at.s1 = add nsw i64 %v166.at.s0, 819
            %v166.at = getelementptr inbounds float, ptr %tmp0, i64 %v166.at.s1
            %v166 = load float, ptr %v166.at, align 4
            %v167.at.s0 = add nsw i64 0, 96
            %v167.at = getelementptr inbounds float, ptr %tile65, i64 %v167.at.s0
            %v167 = load <32 x float>, ptr %v167.at, align 4
            %same.76.one = insertelement <32 x float> poison, float %v166, i64 0
            %same.76 = shufflevector <32 x float> %same.76.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v168 = call <32 x float> @fma_f32_x32(<32 x float> %same.76, <32 x float> %v157, <32 x float> %v167)
            %tile65.77.s0 = add nsw i64 0, 96
            %tile65.77 = getelementptr inbounds float, ptr %tile65, i64 %tile65.77.s0
            store <32 x float> %v168, ptr %tile65.77, align 4
            %v169.at.x0 = mul nsw i64 272, %v64
            %v169.at.s0 = add nsw i64 %v169.at.x0, %v76
            %v169.at.s1 = add nsw i64 %v169.at.s0, 1091
            %v169.at = getelementptr inbounds float, ptr %tmp0, i64 %v169.at.s1
            %v169 = load float, ptr %v169.at, align 4
            %v170.at.s0 = add nsw i64 0, 128
            %v170.at = getelementptr inbounds float, ptr %tile65, i64 %v170.at.s0
            %v170 = load <32 x float>, ptr %v170.at, align 4
            %same.78.one = insertelement <32 x float> poison, float %v169, i64 0
            %same.78 = shufflevector <32 x float> %same.78.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v171 = call <32 x float> @fma_f32_x32(<32 x float> %same.78, <32 x float> %v157, <32 x float> %v170)
            %tile65.79.s0 = add nsw i64 0, 128
            %tile65.79 = getelementptr inbounds float, ptr %tile65, i64 %tile65.79.s0
            store <32 x float> %v171, ptr %tile65.79, align 4
            %v172.at.x0 = mul nsw i64 272, %v64
            %v172.at.s0 = add nsw i64 %v172.at.x0, %v76
            %v172.at.s1 = add nsw i64 %v172.at.s0, 1363
            %v172.at = getelementptr inbounds float, ptr %tmp0, i64 %v172.at.s1
            %v172 = load float, ptr %v172.at, align 4
            %v173.at.s0 = add nsw i64 0, 160
            %v173.at = getelementptr inbounds float, ptr %tile65, i64 %v173.at.s0
            %v173 = load <32 x float>, ptr %v173.at, align 4
            %same.80.one = insertelement <32 x float> poison, float %v172, i64 0
            %same.80 = shufflevector <32 x float> %same.80.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v174 = call <32 x float> @fma_f32_x32(<32 x float> %same.80, <32 x float> %v157, <32 x float> %v173)
            %tile65.81.s0 = add nsw i64 0, 160
            %tile65.81 = getelementptr inbounds float, ptr %tile65, i64 %tile65.81.s0
            store <32 x float> %v174, ptr %tile65.81, align 4
            %v175.at.x0 = mul nsw i64 272, %v64
            %v175.at.s0 = add nsw i64 %v175.at.x0, %v76
            %v175.at.s1 = add nsw i64 %v175.at.s0, 1635
            %v175.at = getelementptr inbounds float, ptr %tmp0, i64 %v175.at.s1
            %v175 = load float, ptr %v175.at, align 4
            %v176.at.s0 = add nsw i64 0, 192
            %v176.at = getelementptr inbounds float, ptr %tile65, i64 %v176.at.s0
            %v176 = load <32 x float>, ptr %v176.at, align 4
            %same.82.one = insertelement <32 x float> poison, float %v175, i64 0
            %same.82 = shufflevector <32 x float> %same.82.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v177 = call <32 x float> @fma_f32_x32(<32 x float> %same.82, <32 x float> %v157, <32 x float> %v176)
            %tile65.83.s0 = add nsw i64 0, 192
            %tile65.83 = getelementptr inbounds float, ptr %tile65, i64 %tile65.83.s0
            store <32 x float> %v177, ptr %tile65.83, align 4
            %v178.at.x0 = mul nsw i64 272, %v64
            %v178.at.s0 = add nsw i64 %v178.at.x0, %v76
            %v178.at.s1 = add nsw i64 %v178.at.s0, 1907
            %v178.at = getelementptr inbounds float, ptr %tmp0, i64 %v178.at.s1
            %v178 = load float, ptr %v178.at, align 4
            %v179.at.s0 = add nsw i64 0, 224
            %v179.at = getelementptr inbounds float, ptr %tile65, i64 %v179.at.s0
            %v179 = load <32 x float>, ptr %v179.at, align 4
            %same.84.one = insertelement <32 x float> poison, float %v178, i64 0
            %same.84 = shufflevector <32 x float> %same.84.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v180 = call <32 x float> @fma_f32_x32(<32 x float> %same.84, <32 x float> %v157, <32 x float> %v179)
            %tile65.85.s0 = add nsw i64 0, 224
            %tile65.85 = getelementptr inbounds float, ptr %tile65, i64 %tile65.85.s0
            store <32 x float> %v180, ptr %tile65.85, align 4
            %v182.at.x0 = mul nsw i64 272, %v64
            %v182.at.s0 = add nsw i64 %v182.at.x0, %v76
            %v182.at.s1 = add nsw i64 %v182.at.s0, 4
            %v182.at = getelementptr inbounds float, ptr %tmp0, i64 %v182.at.s1
            %v182 = load float, ptr %v182.at, align 4
            %v183.at.x0 = mul nsw i64 8192, %p62
            %v183.at.x1 = mul nsw i64 32, %v76
            %v183.at.s0 = add nsw i64 %v183.at.x0, %v183.at.x1
            %v183.at.s1 = add nsw i64 %v183.at.s0, 0
            %v183.at.s2 = add nsw i64 %v183.at.s1, 128
            %v183.at = getelementptr inbounds float, ptr %tmp1, i64 %v183.at.s2
            %v183 = load <32 x float>, ptr %v183.at, align 4
            %v184 = load <32 x float>, ptr %tile65, align 4
            %same.86.one = insertelement <32 x float> poison, float %v182, i64 0
            %same.86 = shufflevector <32 x float> %same.86.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v185 = call <32 x float> @fma_f32_x32(<32 x float> %same.86, <32 x float> %v183, <32 x float> %v184)
            store <32 x float> %v185, ptr %tile65, align 4
            %v186.at.x0 = mul nsw i64 272, %v64
            %v186.at.s0 = add nsw i64 %v186.at.x0, %v76
            %v186.at.s1 = add nsw i64 %v186.at.s0, 276
            %v186.at = getelementptr inbounds float, ptr %tmp0, i64 %v186.at.s1
            %v186 = load float, ptr %v186.at, align 4
            %v187.at.s0 = add nsw i64 0, 32
            %v187.at = getelementptr inbounds float, ptr %tile65, i64 %v187.at.s0
            %v187 = load <32 x float>, ptr %v187.at, align 4
            %same.88.one = insertelement <32 x float> poison, float %v186, i64 0
            %same.88 = shufflevector <32 x float> %same.88.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v188 = call <32 x float> @fma_f32_x32(<32 x float> %same.88, <32 x float> %v183, <32 x float> %v187)
            %tile65.89.s0 = add nsw i64 0, 32
            %tile65.89 = getelementptr inbounds float, ptr %tile65, i64 %tile65.89.s0
            store <32 x float> %v188, ptr %tile65.89, align 4
            %v189.at.x0 = mul nsw i64 272, %v64
            %v189.at.s0 = add nsw i64 %v189.at.x0, %v76
            %v189.at.s1 = add nsw i64 %v189.at.s0, 548
            %v189.at = getelementptr inbounds float, ptr %tmp0, i64 %v189.at.s1
            %v189 = load float, ptr %v189.at, align 4
            %v190.at.s0 = add nsw i64 0, 64
            %v190.at = getelementptr inbounds float, ptr %tile65, i64 %v190.at.s0
            %v190 = load <32 x float>, ptr %v190.at, align 4
            %same.90.one = insertelement <32 x float> poison, float %v189, i64 0
            %same.90 = shufflevector <32 x float> %same.90.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v191 = call <32 x float> @fma_f32_x32(<32 x float> %same.90, <32 x float> %v183, <32 x float> %v190)
            %tile65.91.s0 = add nsw i64 0, 64
            %tile65.91 = getelementptr inbounds float, ptr %tile65, i64 %tile65.91.s0
            store <32 x float> %v191, ptr %tile65.91, align 4
            %v192.at.x0 = mul nsw i64 272, %v64
            %v192.at.s0 = add nsw i64 %v192.at.x0, %v76
            %v192.at.s1 = add nsw i64 %v192.at.s0, 820
            %v192.at = getelementptr inbounds float, ptr %tmp0, i64 %v192.at.s1
            %v192 = load float, ptr %v192.at, align 4
            %v193.at.s0 = add nsw i64 0, 96
            %v193.at = getelementptr inbounds float, ptr %tile65, i64 %v193.at.s0
            %v193 = load <32 x float>, ptr %v193.at, align 4
            %same.92.one = insertelement <32 x float> poison, float %v192, i64 0
            %same.92 = shufflevector <32 x float> %same.92.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v194 = call <32 x float> @fma_f32_x32(<32 x float> %same.92, <32 x float> %v183, <32 x float> %v193)
            %tile65.93.s0 = add nsw i64 0, 96
            %tile65.93 = getelementptr inbounds float, ptr %tile65, i64 %tile65.93.s0
            store <32 x float> %v194, ptr %tile65.93, align 4
            %v195.at.x0 = mul nsw i64 272, %v64
            %v195.at.s0 = add nsw i64 %v195.at.x0, %v76
            %v195.at.s1 = add nsw i64 %v195.at.s0, 1092
            %v195.at = getelementptr inbounds float, ptr %tmp0, i64 %v195.at.s1
            %v195 = load float, ptr %v195.at, align 4
            %v196.at.s0 = add nsw i64 0, 128
            %v196.at = getelementptr inbounds float, ptr %tile65, i64 %v196.at.s0
            %v196 = load <32 x float>, ptr %v196.at, align 4
            %same.94.one = insertelement <32 x float> poison, float %v195, i64 0
            %same.94 = shufflevector <32 x float> %same.94.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v197 = call <32 x float> @fma_f32_x32(<32 x float> %same.94, <32 x float> %v183, <32 x float> %v196)
            %tile65.95.s0 = add nsw i64 0, 128
            %tile65.95 = getelementptr inbounds float, ptr %tile65, i64 %tile65.95.s0
            store <32 x float> %v197, ptr %tile65.95, align 4
            %v198.at.x0 = mul nsw i64 272, %v64
            %v198.at.s0 = add nsw i64 %v198.at.x0, %v76
            %v198.at.s1 = add nsw i64 %v198.at.s0, 1364
            %v198.at = getelementptr inbounds float, ptr %tmp0, i64 %v198.at.s1
            %v198 = load float, ptr %v198.at, align 4
            %v199.at.s0 = add nsw i64 0, 160
            %v199.at = getelementptr inbounds float, ptr %tile65, i64 %v199.at.s0
            %v199 = load <32 x float>, ptr %v199.at, align 4
            %same.96.one = insertelement <32 x float> poison, float %v198, i64 0
            %same.96 = shufflevector <32 x float> %same.96.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v200 = call <32 x float> @fma_f32_x32(<32 x float> %same.96, <32 x float> %v183, <32 x float> %v199)
            %tile65.97.s0 = add nsw i64 0, 160
            %tile65.97 = getelementptr inbounds float, ptr %tile65, i64 %tile65.97.s0
            store <32 x float> %v200, ptr %tile65.97, align 4
            %v201.at.x0 = mul nsw i64 272, %v64
            %v201.at.s0 = add nsw i64 %v201.at.x0, %v76
            %v201.at.s1 = add nsw i64 %v201.at.s0, 1636
            %v201.at = getelementptr inbounds float, ptr %tmp0, i64 %v201.at.s1
            %v201 = load float, ptr %v201.at, align 4
            %v202.at.s0 = add nsw i64 0, 192
            %v202.at = getelementptr inbounds float, ptr %tile65, i64 %v202.at.s0
            %v202 = load <32 x float>, ptr %v202.at, align 4
            %same.98.one = insertelement <32 x float> poison, float %v201, i64 0
            %same.98 = shufflevector <32 x float> %same.98.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v203 = call <32 x float> @fma_f32_x32(<32 x float> %same.98, <32 x float> %v183, <32 x float> %v202)
            %tile65.99.s0 = add nsw i64 0, 192
            %tile65.99 = getelementptr inbounds float, ptr %tile65, i64 %tile65.99.s0
            store <32 x float> %v203, ptr %tile65.99, align 4
            %v204.at.x0 = mul nsw i64 272, %v64
            %v204.at.s0 = add nsw i64 %v204.at.x0, %v76
            %v204.at.s1 = add nsw i64 %v204.at.s0, 1908
            %v204.at = getelementptr inbounds float, ptr %tmp0, i64 %v204.at.s1
            %v204 = load float, ptr %v204.at, align 4
            %v205.at.s0 = add nsw i64 0, 224
            %v205.at = getelementptr inbounds float, ptr %tile65, i64 %v205.at.s0
            %v205 = load <32 x float>, ptr %v205.at, align 4
            %same.100.one = insertelement <32 x float> poison, float %v204, i64 0
            %same.100 = shufflevector <32 x float> %same.100.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v206 = call <32 x float> @fma_f32_x32(<32 x float> %same.100, <32 x float> %v183, <32 x float> %v205)
            %tile65.101.s0 = add nsw i64 0, 224
            %tile65.101 = getelementptr inbounds float, ptr %tile65, i64 %tile65.101.s0
            store <32 x float> %v206, ptr %tile65.101, align 4
            %v208.at.x0 = mul nsw i64 272, %v64
            %v208.at.s0 = add nsw i64 %v208.at.x0, %v76
            %v208.at.s1 = add nsw i64 %v208.at.s0, 5
            %v208.at = getelementptr inbounds float, ptr %tmp0, i64 %v208.at.s1
            %v208 = load float, ptr %v208.at, align 4
            %v209.at.x0 = mul nsw i64 8192, %p62
            %v209.at.x1 = mul nsw i64 32, %v76
            %v209.at.s0 = add nsw i64 %v209.at.x0, %v209.at.x1
            %v209.at.s1 = add nsw i64 %v209.at.s0, 0
            %v209.at.s2 = add nsw i64 %v209.at.s1, 160
            %v209.at = getelementptr inbounds float, ptr %tmp1, i64 %v209.at.s2
            %v209 = load <32 x float>, ptr %v209.at, align 4
            %v210 = load <32 x float>, ptr %tile65, align 4
            %same.102.one = insertelement <32 x float> poison, float %v208, i64 0
            %same.102 = shufflevector <32 x float> %same.102.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v211 = call <32 x float> @fma_f32_x32(<32 x float> %same.102, <32 x float> %v209, <32 x float> %v210)
            store <32 x float> %v211, ptr %tile65, align 4
            %v212.at.x0 = mul nsw i64 272, %v64
            %v212.at.s0 = add nsw i64 %v212.at.x0, %v76
            %v212.at.s1 = add nsw i64 %v212.at.s0, 277
            %v212.at = getelementptr inbounds float, ptr %tmp0, i64 %v212.at.s1
            %v212 = load float, ptr %v212.at, align 4
            %v213.at.s0 = add nsw i64 0, 32
            %v213.at = getelementptr inbounds float, ptr %tile65, i64 %v213.at.s0
            %v213 = load <32 x float>, ptr %v213.at, align 4
            %same.104.one = insertelement <32 x float> poison, float %v212, i64 0
            %same.104 = shufflevector <32 x float> %same.104.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v214 = call <32 x float> @fma_f32_x32(<32 x float> %same.104, <32 x float> %v209, <32 x float> %v213)
            %tile65.105.s0 = add nsw i64 0, 32
            %tile65.105 = getelementptr inbounds float, ptr %tile65, i64 %tile65.105.s0
            store <32 x float> %v214, ptr %tile65.105, align 4
            %v215.at.x0 = mul nsw i64 272, %v64
            %v215.at.s0 = add nsw i64 %v215.at.x0, %v76
            %v215.at.s1 = add nsw i64 %v215.at.s0, 549
            %v215.at = getelementptr inbounds float, ptr %tmp0, i64 %v215.at.s1
            %v215 = load float, ptr %v215.at, align 4
            %v216.at.s0 = add nsw i64 0, 64
            %v216.at = getelementptr inbounds float, ptr %tile65, i64 %v216.at.s0
            %v216 = load <32 x float>, ptr %v216.at, align 4
            %same.106.one = insertelement <32 x float> poison, float %v215, i64 0
            %same.106 = shufflevector <32 x float> %same.106.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v217 = call <32 x float> @fma_f32_x32(<32 x float> %same.106, <32 x float> %v209, <32 x float> %v216)
            %tile65.107.s0 = add nsw i64 0, 64
            %tile65.107 = getelementptr inbounds float, ptr %tile65, i64 %tile65.107.s0
            store <32 x float> %v217, ptr %tile65.107, align 4
            %v218.at.x0 = mul nsw i64 272, %v64
            %v218.at.s0 = add nsw i64 %v218.at.x0, %v76
            %v218.at.s1 = add nsw i64 %v218.at.s0, 821
            %v218.at = getelementptr inbounds float, ptr %tmp0, i64 %v218.at.s1
            %v218 = load float, ptr %v218.at, align 4
            %v219.at.s0 = add nsw i64 0, 96
            %v219.at = getelementptr inbounds float, ptr %tile65, i64 %v219.at.s0
            %v219 = load <32 x float>, ptr %v219.at, align 4
            %same.108.one = insertelement <32 x float> poison, float %v218, i64 0
            %same.108 = shufflevector <32 x float> %same.108.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v220 = call <32 x float> @fma_f32_x32(<32 x float> %same.108, <32 x float> %v209, <32 x float> %v219)
            %tile65.109.s0 = add nsw i64 0, 96
            %tile65.109 = getelementptr inbounds float, ptr %tile65, i64 %tile65.109.s0
            store <32 x float> %v220, ptr %tile65.109, align 4
            %v221.at.x0 = mul nsw i64 272, %v64
            %v221.at.s0 = add nsw i64 %v221.at.x0, %v76
            %v221.at.s1 = add nsw i64 %v221.at.s0, 1093
            %v221.at = getelementptr inbounds float, ptr %tmp0, i64 %v221.at.s1
            %v221 = load float, ptr %v221.at, align 4
            %v222.at.s0 = add nsw i64 0, 128
            %v222.at = getelementptr inbounds float, ptr %tile65, i64 %v222.at.s0
            %v222 = load <32 x float>, ptr %v222.at, align 4
            %same.110.one = insertelement <32 x float> poison, float %v221, i64 0
            %same.110 = shufflevector <32 x float> %same.110.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v223 = call <32 x float> @fma_f32_x32(<32 x float> %same.110, <32 x float> %v209, <32 x float> %v222)
            %tile65.111.s0 = add nsw i64 0, 128
            %tile65.111 = getelementptr inbounds float, ptr %tile65, i64 %tile65.111.s0
            store <32 x float> %v223, ptr %tile65.111, align 4
            %v224.at.x0 = mul nsw i64 272, %v64
            %v224.at.s0 = add nsw i64 %v224.at.x0, %v76
            %v224.at.s1 = add nsw i64 %v224.at.s0, 1365
            %v224.at = getelementptr inbounds float, ptr %tmp0, i64 %v224.at.s1
            %v224 = load float, ptr %v224.at, align 4
            %v225.at.s0 = add nsw i64 0, 160
            %v225.at = getelementptr inbounds float, ptr %tile65, i64 %v225.at.s0
            %v225 = load <32 x float>, ptr %v225.at, align 4
            %same.112.one = insertelement <32 x float> poison, float %v224, i64 0
            %same.112 = shufflevector <32 x float> %same.112.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v226 = call <32 x float> @fma_f32_x32(<32 x float> %same.112, <32 x float> %v209, <32 x float> %v225)
            %tile65.113.s0 = add nsw i64 0, 160
            %tile65.113 = getelementptr inbounds float, ptr %tile65, i64 %tile65.113.s0
            store <32 x float> %v226, ptr %tile65.113, align 4
            %v227.at.x0 = mul nsw i64 272, %v64
            %v227.at.s0 = add nsw i64 %v227.at.x0, %v76
            %v227.at.s1 = add nsw i64 %v227.at.s0, 1637
            %v227.at = getelementptr inbounds float, ptr %tmp0, i64 %v227.at.s1
            %v227 = load float, ptr %v227.at, align 4
            %v228.at.s0 = add nsw i64 0, 192
            %v228.at = getelementptr inbounds float, ptr %tile65, i64 %v228.at.s0
            %v228 = load <32 x float>, ptr %v228.at, align 4
            %same.114.one = insertelement <32 x float> poison, float %v227, i64 0
            %same.114 = shufflevector <32 x float> %same.114.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v229 = call <32 x float> @fma_f32_x32(<32 x float> %same.114, <32 x float> %v209, <32 x float> %v228)
            %tile65.115.s0 = add nsw i64 0, 192
            %tile65.115 = getelementptr inbounds float, ptr %tile65, i64 %tile65.115.s0
            store <32 x float> %v229, ptr %tile65.115, align 4
            %v230.at.x0 = mul nsw i64 272, %v64
            %v230.at.s0 = add nsw i64 %v230.at.x0, %v76
            %v230.at.s1 = add nsw i64 %v230.at.s0, 1909
            %v230.at = getelementptr inbounds float, ptr %tmp0, i64 %v230.at.s1
            %v230 = load float, ptr %v230.at, align 4
            %v231.at.s0 = add nsw i64 0, 224
            %v231.at = getelementptr inbounds float, ptr %tile65, i64 %v231.at.s0
            %v231 = load <32 x float>, ptr %v231.at, align 4
            %same.116.one = insertelement <32 x float> poison, float %v230, i64 0
            %same.116 = shufflevector <32 x float> %same.116.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v232 = call <32 x float> @fma_f32_x32(<32 x float> %same.116, <32 x float> %v209, <32 x float> %v231)
            %tile65.117.s0 = add nsw i64 0, 224
            %tile65.117 = getelementptr inbounds float, ptr %tile65, i64 %tile65.117.s0
            store <32 x float> %v232, ptr %tile65.117, align 4
            %v234.at.x0 = mul nsw i64 272, %v64
            %v234.at.s0 = add nsw i64 %v234.at.x0, %v76
            %v234.at.s1 = add nsw i64 %v234.at.s0, 6
            %v234.at = getelementptr inbounds float, ptr %tmp0, i64 %v234.at.s1
            %v234 = load float, ptr %v234.at, align 4
            %v235.at.x0 = mul nsw i64 8192, %p62
            %v235.at.x1 = mul nsw i64 32, %v76
            %v235.at.s0 = add nsw i64 %v235.at.x0, %v235.at.x1
            %v235.at.s1 = add nsw i64 %v235.at.s0, 0
            %v235.at.s2 = add nsw i64 %v235.at.s1, 192
            %v235.at = getelementptr inbounds float, ptr %tmp1, i64 %v235.at.s2
            %v235 = load <32 x float>, ptr %v235.at, align 4
            %v236 = load <32 x float>, ptr %tile65, align 4
            %same.118.one = insertelement <32 x float> poison, float %v234, i64 0
            %same.118 = shufflevector <32 x float> %same.118.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v237 = call <32 x float> @fma_f32_x32(<32 x float> %same.118, <32 x float> %v235, <32 x float> %v236)
            store <32 x float> %v237, ptr %tile65, align 4
            %v238.at.x0 = mul nsw i64 272, %v64
            %v238.at.s0 = add nsw i64 %v238.at.x0, %v76
            %v238.at.s1 = add nsw i64 %v238.at.s0, 278
            %v238.at = getelementptr inbounds float, ptr %tmp0, i64 %v238.at.s1
            %v238 = load float, ptr %v238.at, align 4
            %v239.at.s0 = add nsw i64 0, 32
            %v239.at = getelementptr inbounds float, ptr %tile65, i64 %v239.at.s0
            %v239 = load <32 x float>, ptr %v239.at, align 4
            %same.120.one = insertelement <32 x float> poison, float %v238, i64 0
            %same.120 = shufflevector <32 x float> %same.120.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v240 = call <32 x float> @fma_f32_x32(<32 x float> %same.120, <32 x float> %v235, <32 x float> %v239)
            %tile65.121.s0 = add nsw i64 0, 32
            %tile65.121 = getelementptr inbounds float, ptr %tile65, i64 %tile65.121.s0
            store <32 x float> %v240, ptr %tile65.121, align 4
            %v241.at.x0 = mul nsw i64 272, %v64
            %v241.at.s0 = add nsw i64 %v241.at.x0, %v76
            %v241.at.s1 = add nsw i64 %v241.at.s0, 550
            %v241.at = getelementptr inbounds float, ptr %tmp0, i64 %v241.at.s1
            %v241 = load float, ptr %v241.at, align 4
            %v242.at.s0 = add nsw i64 0, 64
            %v242.at = getelementptr inbounds float, ptr %tile65, i64 %v242.at.s0
            %v242 = load <32 x float>, ptr %v242.at, align 4
            %same.122.one = insertelement <32 x float> poison, float %v241, i64 0
            %same.122 = shufflevector <32 x float> %same.122.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v243 = call <32 x float> @fma_f32_x32(<32 x float> %same.122, <32 x float> %v235, <32 x float> %v242)
            %tile65.123.s0 = add nsw i64 0, 64
            %tile65.123 = getelementptr inbounds float, ptr %tile65, i64 %tile65.123.s0
            store <32 x float> %v243, ptr %tile65.123, align 4
            %v244.at.x0 = mul nsw i64 272, %v64
            %v244.at.s0 = add nsw i64 %v244.at.x0, %v76
            %v244.at.s1 = add nsw i64 %v244.at.s0, 822
            %v244.at = getelementptr inbounds float, ptr %tmp0, i64 %v244.at.s1
            %v244 = load float, ptr %v244.at, align 4
            %v245.at.s0 = add nsw i64 0, 96
            %v245.at = getelementptr inbounds float, ptr %tile65, i64 %v245.at.s0
            %v245 = load <32 x float>, ptr %v245.at, align 4
            %same.124.one = insertelement <32 x float> poison, float %v244, i64 0
            %same.124 = shufflevector <32 x float> %same.124.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v246 = call <32 x float> @fma_f32_x32(<32 x float> %same.124, <32 x float> %v235, <32 x float> %v245)
            %tile65.125.s0 = add nsw i64 0, 96
            %tile65.125 = getelementptr inbounds float, ptr %tile65, i64 %tile65.125.s0
            store <32 x float> %v246, ptr %tile65.125, align 4
            %v247.at.x0 = mul nsw i64 272, %v64
            %v247.at.s0 = add nsw i64 %v247.at.x0, %v76
            %v247.at.s1 = add nsw i64 %v247.at.s0, 1094
            %v247.at = getelementptr inbounds float, ptr %tmp0, i64 %v247.at.s1
            %v247 = load float, ptr %v247.at, align 4
            %v248.at.s0 = add nsw i64 0, 128
            %v248.at = getelementptr inbounds float, ptr %tile65, i64 %v248.at.s0
            %v248 = load <32 x float>, ptr %v248.at, align 4
            %same.126.one = insertelement <32 x float> poison, float %v247, i64 0
            %same.126 = shufflevector <32 x float> %same.126.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v249 = call <32 x float> @fma_f32_x32(<32 x float> %same.126, <32 x float> %v235, <32 x float> %v248)
            %tile65.127.s0 = add nsw i64 0, 128
            %tile65.127 = getelementptr inbounds float, ptr %tile65, i64 %tile65.127.s0
            store <32 x float> %v249, ptr %tile65.127, align 4
            %v250.at.x0 = mul nsw i64 272, %v64
            %v250.at.s0 = add nsw i64 %v250.at.x0, %v76
            %v250.at.s1 = add nsw i64 %v250.at.s0, 1366
            %v250.at = getelementptr inbounds float, ptr %tmp0, i64 %v250.at.s1
            %v250 = load float, ptr %v250.at, align 4
            %v251.at.s0 = add nsw i64 0, 160
            %v251.at = getelementptr inbounds float, ptr %tile65, i64 %v251.at.s0
            %v251 = load <32 x float>, ptr %v251.at, align 4
            %same.128.one = insertelement <32 x float> poison, float %v250, i64 0
            %same.128 = shufflevector <32 x float> %same.128.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v252 = call <32 x float> @fma_f32_x32(<32 x float> %same.128, <32 x float> %v235, <32 x float> %v251)
            %tile65.129.s0 = add nsw i64 0, 160
            %tile65.129 = getelementptr inbounds float, ptr %tile65, i64 %tile65.129.s0
            store <32 x float> %v252, ptr %tile65.129, align 4
            %v253.at.x0 = mul nsw i64 272, %v64
            %v253.at.s0 = add nsw i64 %v253.at.x0, %v76
            %v253.at.s1 = add nsw i64 %v253.at.s0, 1638
            %v253.at = getelementptr inbounds float, ptr %tmp0, i64 %v253.at.s1
            %v253 = load float, ptr %v253.at, align 4
            %v254.at.s0 = add nsw i64 0, 192
            %v254.at = getelementptr inbounds float, ptr %tile65, i64 %v254.at.s0
            %v254 = load <32 x float>, ptr %v254.at, align 4
            %same.130.one = insertelement <32 x float> poison, float %v253, i64 0
            %same.130 = shufflevector <32 x float> %same.130.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v255 = call <32 x float> @fma_f32_x32(<32 x float> %same.130, <32 x float> %v235, <32 x float> %v254)
            %tile65.131.s0 = add nsw i64 0, 192
            %tile65.131 = getelementptr inbounds float, ptr %tile65, i64 %tile65.131.s0
            store <32 x float> %v255, ptr %tile65.131, align 4
            %v256.at.x0 = mul nsw i64 272, %v64
            %v256.at.s0 = add nsw i64 %v256.at.x0, %v76
            %v256.at.s1 = add nsw i64 %v256.at.s0, 1910
            %v256.at = getelementptr inbounds float, ptr %tmp0, i64 %v256.at.s1
            %v256 = load float, ptr %v256.at, align 4
            %v257.at.s0 = add nsw i64 0, 224
            %v257.at = getelementptr inbounds float, ptr %tile65, i64 %v257.at.s0
            %v257 = load <32 x float>, ptr %v257.at, align 4
            %same.132.one = insertelement <32 x float> poison, float %v256, i64 0
            %same.132 = shufflevector <32 x float> %same.132.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v258 = call <32 x float> @fma_f32_x32(<32 x float> %same.132, <32 x float> %v235, <32 x float> %v257)
            %tile65.133.s0 = add nsw i64 0, 224
            %tile65.133 = getelementptr inbounds float, ptr %tile65, i64 %tile65.133.s0
            store <32 x float> %v258, ptr %tile65.133, align 4
            %v260.at.x0 = mul nsw i64 272, %v64
            %v260.at.s0 = add nsw i64 %v260.at.x0, %v76
            %v260.at.s1 = add nsw i64 %v260.at.s0, 7
            %v260.at = getelementptr inbounds float, ptr %tmp0, i64 %v260.at.s1
            %v260 = load float, ptr %v260.at, align 4
            %v261.at.x0 = mul nsw i64 8192, %p62
            %v261.at.x1 = mul nsw i64 32, %v76
            %v261.at.s0 = add nsw i64 %v261.at.x0, %v261.at.x1
            %v261.at.s1 = add nsw i64 %v261.at.s0, 0
            %v261.at.s2 = add nsw i64 %v261.at.s1, 224
            %v261.at = getelementptr inbounds float, ptr %tmp1, i64 %v261.at.s2
            %v261 = load <32 x float>, ptr %v261.at, align 4
            %v262 = load <32 x float>, ptr %tile65, align 4
            %same.134.one = insertelement <32 x float> poison, float %v260, i64 0
            %same.134 = shufflevector <32 x float> %same.134.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v263 = call <32 x float> @fma_f32_x32(<32 x float> %same.134, <32 x float> %v261, <32 x float> %v262)
            store <32 x float> %v263, ptr %tile65, align 4
            %v264.at.x0 = mul nsw i64 272, %v64
            %v264.at.s0 = add nsw i64 %v264.at.x0, %v76
            %v264.at.s1 = add nsw i64 %v264.at.s0, 279
            %v264.at = getelementptr inbounds float, ptr %tmp0, i64 %v264.at.s1
            %v264 = load float, ptr %v264.at, align 4
            %v265.at.s0 = add nsw i64 0, 32
            %v265.at = getelementptr inbounds float, ptr %tile65, i64 %v265.at.s0
            %v265 = load <32 x float>, ptr %v265.at, align 4
            %same.136.one = insertelement <32 x float> poison, float %v264, i64 0
            %same.136 = shufflevector <32 x float> %same.136.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v266 = call <32 x float> @fma_f32_x32(<32 x float> %same.136, <32 x float> %v261, <32 x float> %v265)
            %tile65.137.s0 = add nsw i64 0, 32
            %tile65.137 = getelementptr inbounds float, ptr %tile65, i64 %tile65.137.s0
            store <32 x float> %v266, ptr %tile65.137, align 4
            %v267.at.x0 = mul nsw i64 272, %v64
            %v267.at.s0 = add nsw i64 %v267.at.x0, %v76
            %v267.at.s1 = add nsw i64 %v267.at.s0, 551
            %v267.at = getelementptr inbounds float, ptr %tmp0, i64 %v267.at.s1
            %v267 = load float, ptr %v267.at, align 4
            %v268.at.s0 = add nsw i64 0, 64
            %v268.at = getelementptr inbounds float, ptr %tile65, i64 %v268.at.s0
            %v268 = load <32 x float>, ptr %v268.at, align 4
            %same.138.one = insertelement <32 x float> poison, float %v267, i64 0
            %same.138 = shufflevector <32 x float> %same.138.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v269 = call <32 x float> @fma_f32_x32(<32 x float> %same.138, <32 x float> %v261, <32 x float> %v268)
            %tile65.139.s0 = add nsw i64 0, 64
            %tile65.139 = getelementptr inbounds float, ptr %tile65, i64 %tile65.139.s0
            store <32 x float> %v269, ptr %tile65.139, align 4
            %v270.at.x0 = mul nsw i64 272, %v64
            %v270.at.s0 = add nsw i64 %v270.at.x0, %v76
            %v270.at.s1 = add nsw i64 %v270.at.s0, 823
            %v270.at = getelementptr inbounds float, ptr %tmp0, i64 %v270.at.s1
            %v270 = load float, ptr %v270.at, align 4
            %v271.at.s0 = add nsw i64 0, 96
            %v271.at = getelementptr inbounds float, ptr %tile65, i64 %v271.at.s0
            %v271 = load <32 x float>, ptr %v271.at, align 4
            %same.140.one = insertelement <32 x float> poison, float %v270, i64 0
            %same.140 = shufflevector <32 x float> %same.140.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v272 = call <32 x float> @fma_f32_x32(<32 x float> %same.140, <32 x float> %v261, <32 x float> %v271)
            %tile65.141.s0 = add nsw i64 0, 96
            %tile65.141 = getelementptr inbounds float, ptr %tile65, i64 %tile65.141.s0
            store <32 x float> %v272, ptr %tile65.141, align 4
            %v273.at.x0 = mul nsw i64 272, %v64
            %v273.at.s0 = add nsw i64 %v273.at.x0, %v76
            %v273.at.s1 = add nsw i64 %v273.at.s0, 1095
            %v273.at = getelementptr inbounds float, ptr %tmp0, i64 %v273.at.s1
            %v273 = load float, ptr %v273.at, align 4
            %v274.at.s0 = add nsw i64 0, 128
            %v274.at = getelementptr inbounds float, ptr %tile65, i64 %v274.at.s0
            %v274 = load <32 x float>, ptr %v274.at, align 4
            %same.142.one = insertelement <32 x float> poison, float %v273, i64 0
            %same.142 = shufflevector <32 x float> %same.142.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v275 = call <32 x float> @fma_f32_x32(<32 x float> %same.142, <32 x float> %v261, <32 x float> %v274)
            %tile65.143.s0 = add nsw i64 0, 128
            %tile65.143 = getelementptr inbounds float, ptr %tile65, i64 %tile65.143.s0
            store <32 x float> %v275, ptr %tile65.143, align 4
            %v276.at.x0 = mul nsw i64 272, %v64
            %v276.at.s0 = add nsw i64 %v276.at.x0, %v76
            %v276.at.s1 = add nsw i64 %v276.at.s0, 1367
            %v276.at = getelementptr inbounds float, ptr %tmp0, i64 %v276.at.s1
            %v276 = load float, ptr %v276.at, align 4
            %v277.at.s0 = add nsw i64 0, 160
            %v277.at = getelementptr inbounds float, ptr %tile65, i64 %v277.at.s0
            %v277 = load <32 x float>, ptr %v277.at, align 4
            %same.144.one = insertelement <32 x float> poison, float %v276, i64 0
            %same.144 = shufflevector <32 x float> %same.144.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v278 = call <32 x float> @fma_f32_x32(<32 x float> %same.144, <32 x float> %v261, <32 x float> %v277)
            %tile65.145.s0 = add nsw i64 0, 160
            %tile65.145 = getelementptr inbounds float, ptr %tile65, i64 %tile65.145.s0
            store <32 x float> %v278, ptr %tile65.145, align 4
            %v279.at.x0 = mul nsw i64 272, %v64
            %v279.at.s0 = add nsw i64 %v279.at.x0, %v76
            %v279.at.s1 = add nsw i64 %v279.at.s0, 1639
            %v279.at = getelementptr inbounds float, ptr %tmp0, i64 %v279.at.s1
            %v279 = load float, ptr %v279.at, align 4
            %v280.at.s0 = add nsw i64 0, 192
            %v280.at = getelementptr inbounds float, ptr %tile65, i64 %v280.at.s0
            %v280 = load <32 x float>, ptr %v280.at, align 4
            %same.146.one = insertelement <32 x float> poison, float %v279, i64 0
            %same.146 = shufflevector <32 x float> %same.146.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v281 = call <32 x float> @fma_f32_x32(<32 x float> %same.146, <32 x float> %v261, <32 x float> %v280)
            %tile65.147.s0 = add nsw i64 0, 192
            %tile65.147 = getelementptr inbounds float, ptr %tile65, i64 %tile65.147.s0
            store <32 x float> %v281, ptr %tile65.147, align 4
            %v282.at.x0 = mul nsw i64 272, %v64
            %v282.at.s0 = add nsw i64 %v282.at.x0, %v76
            %v282.at.s1 = add nsw i64 %v282.at.s0, 1911
            %v282.at = getelementptr inbounds float, ptr %tmp0, i64 %v282.at.s1
            %v282 = load float, ptr %v282.at, align 4
            %v283.at.s0 = add nsw i64 0, 224
            %v283.at = getelementptr inbounds float, ptr %tile65, i64 %v283.at.s0
            %v283 = load <32 x float>, ptr %v283.at, align 4
            %same.148.one = insertelement <32 x float> poison, float %v282, i64 0
            %same.148 = shufflevector <32 x float> %same.148.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v284 = call <32 x float> @fma_f32_x32(<32 x float> %same.148, <32 x float> %v261, <32 x float> %v283)
            %tile65.149.s0 = add nsw i64 0, 224
            %tile65.149 = getelementptr inbounds float, ptr %tile65, i64 %tile65.149.s0
            store <32 x float> %v284, ptr %tile65.149, align 4
            br label %g75.step
g75.step:
            %g75.next = add nsw i64 %g75, 1
            %g75.more = icmp slt i64 %g75.next, %v74
            br i1 %g75.more, label %g75.body, label %g75.after, !llvm.loop !212
g75.after:
          %v285 = mul i64 %v74, 8
          %k286.any = icmp slt i64 %v285, %v26
          br i1 %k286.any, label %k286.body, label %k286.after
k286.body:
            %k286 = phi i64 [ %v285, %g75.after ], [ %k286.next, %k286.step ]
            %v288.at.x0 = mul nsw i64 272, %v64
            %v288.at.s0 = add nsw i64 %v288.at.x0, %k286
            %v288.at = getelementptr inbounds float, ptr %tmp0, i64 %v288.at.s0
            %v288 = load float, ptr %v288.at, align 4
            %v289.at.x0 = mul nsw i64 8192, %p62
            %v289.at.x1 = mul nsw i64 32, %k286
            %v289.at.s0 = add nsw i64 %v289.at.x0, %v289.at.x1
            %v289.at.s1 = add nsw i64 %v289.at.s0, 0
            %v289.at = getelementptr inbounds float, ptr %tmp1, i64 %v289.at.s1
            %v289 = load <32 x float>, ptr %v289.at, align 4
            %v290 = load <32 x float>, ptr %tile65, align 4
            %same.150.one = insertelement <32 x float> poison, float %v288, i64 0
            %same.150 = shufflevector <32 x float> %same.150.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v291 = call <32 x float> @fma_f32_x32(<32 x float> %same.150, <32 x float> %v289, <32 x float> %v290)
            store <32 x float> %v291, ptr %tile65, align 4
            %v292.at.x0 = mul nsw i64 272, %v64
            %v292.at.s0 = add nsw i64 %v292.at.x0, %k286
            %v292.at.s1 = add nsw i64 %v292.at.s0, 272
            %v292.at = getelementptr inbounds float, ptr %tmp0, i64 %v292.at.s1
            %v292 = load float, ptr %v292.at, align 4
            %v293.at.s0 = add nsw i64 0, 32
            %v293.at = getelementptr inbounds float, ptr %tile65, i64 %v293.at.s0
            %v293 = load <32 x float>, ptr %v293.at, align 4
            %same.152.one = insertelement <32 x float> poison, float %v292, i64 0
            %same.152 = shufflevector <32 x float> %same.152.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v294 = call <32 x float> @fma_f32_x32(<32 x float> %same.152, <32 x float> %v289, <32 x float> %v293)
            %tile65.153.s0 = add nsw i64 0, 32
            %tile65.153 = getelementptr inbounds float, ptr %tile65, i64 %tile65.153.s0
            store <32 x float> %v294, ptr %tile65.153, align 4
            %v295.at.x0 = mul nsw i64 272, %v64
            %v295.at.s0 = add nsw i64 %v295.at.x0, %k286
            %v295.at.s1 = add nsw i64 %v295.at.s0, 544
            %v295.at = getelementptr inbounds float, ptr %tmp0, i64 %v295.at.s1
            %v295 = load float, ptr %v295.at, align 4
            %v296.at.s0 = add nsw i64 0, 64
            %v296.at = getelementptr inbounds float, ptr %tile65, i64 %v296.at.s0
            %v296 = load <32 x float>, ptr %v296.at, align 4
            %same.154.one = insertelement <32 x float> poison, float %v295, i64 0
            %same.154 = shufflevector <32 x float> %same.154.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v297 = call <32 x float> @fma_f32_x32(<32 x float> %same.154, <32 x float> %v289, <32 x float> %v296)
            %tile65.155.s0 = add nsw i64 0, 64
            %tile65.155 = getelementptr inbounds float, ptr %tile65, i64 %tile65.155.s0
            store <32 x float> %v297, ptr %tile65.155, align 4
            %v298.at.x0 = mul nsw i64 272, %v64
            %v298.at.s0 = add nsw i64 %v298.at.x0, %k286
            %v298.at.s1 = add nsw i64 %v298.at.s0, 816
            %v298.at = getelementptr inbounds float, ptr %tmp0, i64 %v298.at.s1
            %v298 = load float, ptr %v298.at, align 4
            %v299.at.s0 = add nsw i64 0, 96
            %v299.at = getelementptr inbounds float, ptr %tile65, i64 %v299.at.s0
            %v299 = load <32 x float>, ptr %v299.at, align 4
            %same.156.one = insertelement <32 x float> poison, float %v298, i64 0
            %same.156 = shufflevector <32 x float> %same.156.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v300 = call <32 x float> @fma_f32_x32(<32 x float> %same.156, <32 x float> %v289, <32 x float> %v299)
            %tile65.157.s0 = add nsw i64 0, 96
            %tile65.157 = getelementptr inbounds float, ptr %tile65, i64 %tile65.157.s0
            store <32 x float> %v300, ptr %tile65.157, align 4
            %v301.at.x0 = mul nsw i64 272, %v64
            %v301.at.s0 = add nsw i64 %v301.at.x0, %k286
            %v301.at.s1 = add nsw i64 %v301.at.s0, 1088
            %v301.at = getelementptr inbounds float, ptr %tmp0, i64 %v301.at.s1
            %v301 = load float, ptr %v301.at, align 4
            %v302.at.s0 = add nsw i64 0, 128
            %v302.at = getelementptr inbounds float, ptr %tile65, i64 %v302.at.s0
            %v302 = load <32 x float>, ptr %v302.at, align 4
            %same.158.one = insertelement <32 x float> poison, float %v301, i64 0
            %same.158 = shufflevector <32 x float> %same.158.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v303 = call <32 x float> @fma_f32_x32(<32 x float> %same.158, <32 x float> %v289, <32 x float> %v302)
            %tile65.159.s0 = add nsw i64 0, 128
            %tile65.159 = getelementptr inbounds float, ptr %tile65, i64 %tile65.159.s0
            store <32 x float> %v303, ptr %tile65.159, align 4
            %v304.at.x0 = mul nsw i64 272, %v64
            %v304.at.s0 = add nsw i64 %v304.at.x0, %k286
            %v304.at.s1 = add nsw i64 %v304.at.s0, 1360
            %v304.at = getelementptr inbounds float, ptr %tmp0, i64 %v304.at.s1
            %v304 = load float, ptr %v304.at, align 4
            %v305.at.s0 = add nsw i64 0, 160
            %v305.at = getelementptr inbounds float, ptr %tile65, i64 %v305.at.s0
            %v305 = load <32 x float>, ptr %v305.at, align 4
            %same.160.one = insertelement <32 x float> poison, float %v304, i64 0
            %same.160 = shufflevector <32 x float> %same.160.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v306 = call <32 x float> @fma_f32_x32(<32 x float> %same.160, <32 x float> %v289, <32 x float> %v305)
            %tile65.161.s0 = add nsw i64 0, 160
            %tile65.161 = getelementptr inbounds float, ptr %tile65, i64 %tile65.161.s0
            store <32 x float> %v306, ptr %tile65.161, align 4
            %v307.at.x0 = mul nsw i64 272, %v64
            %v307.at.s0 = add nsw i64 %v307.at.x0, %k286
            %v307.at.s1 = add nsw i64 %v307.at.s0, 1632
            %v307.at = getelementptr inbounds float, ptr %tmp0, i64 %v307.at.s1
            %v307 = load float, ptr %v307.at, align 4
            %v308.at.s0 = add nsw i64 0, 192
            %v308.at = getelementptr inbounds float, ptr %tile65, i64 %v308.at.s0
            %v308 = load <32 x float>, ptr %v308.at, align 4
            %same.162.one = insertelement <32 x float> poison, float %v307, i64 0
            %same.162 = shufflevector <32 x float> %same.162.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v309 = call <32 x float> @fma_f32_x32(<32 x float> %same.162, <32 x float> %v289, <32 x float> %v308)
            %tile65.163.s0 = add nsw i64 0, 192
            %tile65.163 = getelementptr inbounds float, ptr %tile65, i64 %tile65.163.s0
            store <32 x float> %v309, ptr %tile65.163, align 4
            %v310.at.x0 = mul nsw i64 272, %v64
            %v310.at.s0 = add nsw i64 %v310.at.x0, %k286
            %v310.at.s1 = add nsw i64 %v310.at.s0, 1904
            %v310.at = getelementptr inbounds float, ptr %tmp0, i64 %v310.at.s1
            %v310 = load float, ptr %v310.at, align 4
            %v311.at.s0 = add nsw i64 0, 224
            %v311.at = getelementptr inbounds float, ptr %tile65, i64 %v311.at.s0
            %v311 = load <32 x float>, ptr %v311.at, align 4
            %same.164.one = insertelement <32 x float> poison, float %v310, i64 0
            %same.164 = shufflevector <32 x float> %same.164.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v312 = call <32 x float> @fma_f32_x32(<32 x float> %same.164, <32 x float> %v289, <32 x float> %v311)
            %tile65.165.s0 = add nsw i64 0, 224
            %tile65.165 = getelementptr inbounds float, ptr %tile65, i64 %tile65.165.s0
            store <32 x float> %v312, ptr %tile65.165, align 4
            br label %k286.step
k286.step:
            %k286.next = add nsw i64 %k286, 1
            %k286.more = icmp slt i64 %k286.next, %v26
            br i1 %k286.more, label %k286.body, label %k286.after, !llvm.loop !213
k286.after:
          %v313 = mul i64 %p62, 32
          %v314 = mul i64 %v64, 384
          %v315 = add i64 %v314, %v313
          %v317 = load <32 x float>, ptr %tile65, align 4
          %v318.at.s0 = add nsw i64 %v315, 0
          %v318.at = getelementptr inbounds double, ptr %tmp2, i64 %v318.at.s0
          %v318 = load <32 x double>, ptr %v318.at, align 8
          %v319 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v317)
          %v320 = fadd <32 x double> %v318, %v319
          %tmp2.166.s0 = add nsw i64 %v315, 0
          %tmp2.166 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.166.s0
          store <32 x double> %v320, ptr %tmp2.166, align 8
          %v322.at.s0 = add nsw i64 0, 32
          %v322.at = getelementptr inbounds float, ptr %tile65, i64 %v322.at.s0
          %v322 = load <32 x float>, ptr %v322.at, align 4
          %v323.at.s0 = add nsw i64 %v315, 0
          %v323.at.s1 = add nsw i64 %v323.at.s0, 384
          %v323.at = getelementptr inbounds double, ptr %tmp2, i64 %v323.at.s1
          %v323 = load <32 x double>, ptr %v323.at, align 8
          %v324 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v322)
          %v325 = fadd <32 x double> %v323, %v324
          %tmp2.167.s0 = add nsw i64 %v315, 0
          %tmp2.167.s1 = add nsw i64 %tmp2.167.s0, 384
          %tmp2.167 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.167.s1
          store <32 x double> %v325, ptr %tmp2.167, align 8
          %v327.at.s0 = add nsw i64 0, 64
          %v327.at = getelementptr inbounds float, ptr %tile65, i64 %v327.at.s0
          %v327 = load <32 x float>, ptr %v327.at, align 4
          %v328.at.s0 = add nsw i64 %v315, 0
          %v328.at.s1 = add nsw i64 %v328.at.s0, 768
          %v328.at = getelementptr inbounds double, ptr %tmp2, i64 %v328.at.s1
          %v328 = load <32 x double>, ptr %v328.at, align 8
          %v329 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v327)
          %v330 = fadd <32 x double> %v328, %v329
          %tmp2.168.s0 = add nsw i64 %v315, 0
          %tmp2.168.s1 = add nsw i64 %tmp2.168.s0, 768
          %tmp2.168 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.168.s1
          store <32 x double> %v330, ptr %tmp2.168, align 8
          %v332.at.s0 = add nsw i64 0, 96
          %v332.at = getelementptr inbounds float, ptr %tile65, i64 %v332.at.s0
          %v332 = load <32 x float>, ptr %v332.at, align 4
          %v333.at.s0 = add nsw i64 %v315, 0
          %v333.at.s1 = add nsw i64 %v333.at.s0, 1152
          %v333.at = getelementptr inbounds double, ptr %tmp2, i64 %v333.at.s1
          %v333 = load <32 x double>, ptr %v333.at, align 8
          %v334 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v332)
          %v335 = fadd <32 x double> %v333, %v334
          %tmp2.169.s0 = add nsw i64 %v315, 0
          %tmp2.169.s1 = add nsw i64 %tmp2.169.s0, 1152
          %tmp2.169 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.169.s1
          store <32 x double> %v335, ptr %tmp2.169, align 8
          %v337.at.s0 = add nsw i64 0, 128
          %v337.at = getelementptr inbounds float, ptr %tile65, i64 %v337.at.s0
          %v337 = load <32 x float>, ptr %v337.at, align 4
          %v338.at.s0 = add nsw i64 %v315, 0
          %v338.at.s1 = add nsw i64 %v338.at.s0, 1536
          %v338.at = getelementptr inbounds double, ptr %tmp2, i64 %v338.at.s1
          %v338 = load <32 x double>, ptr %v338.at, align 8
          %v339 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v337)
          %v340 = fadd <32 x double> %v338, %v339
          %tmp2.170.s0 = add nsw i64 %v315, 0
          %tmp2.170.s1 = add nsw i64 %tmp2.170.s0, 1536
          %tmp2.170 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.170.s1
          store <32 x double> %v340, ptr %tmp2.170, align 8
          %v342.at.s0 = add nsw i64 0, 160
          %v342.at = getelementptr inbounds float, ptr %tile65, i64 %v342.at.s0
          %v342 = load <32 x float>, ptr %v342.at, align 4
          %v343.at.s0 = add nsw i64 %v315, 0
          %v343.at.s1 = add nsw i64 %v343.at.s0, 1920
          %v343.at = getelementptr inbounds double, ptr %tmp2, i64 %v343.at.s1
          %v343 = load <32 x double>, ptr %v343.at, align 8
          %v344 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v342)
          %v345 = fadd <32 x double> %v343, %v344
          %tmp2.171.s0 = add nsw i64 %v315, 0
          %tmp2.171.s1 = add nsw i64 %tmp2.171.s0, 1920
          %tmp2.171 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.171.s1
          store <32 x double> %v345, ptr %tmp2.171, align 8
          %v347.at.s0 = add nsw i64 0, 192
          %v347.at = getelementptr inbounds float, ptr %tile65, i64 %v347.at.s0
          %v347 = load <32 x float>, ptr %v347.at, align 4
          %v348.at.s0 = add nsw i64 %v315, 0
          %v348.at.s1 = add nsw i64 %v348.at.s0, 2304
          %v348.at = getelementptr inbounds double, ptr %tmp2, i64 %v348.at.s1
          %v348 = load <32 x double>, ptr %v348.at, align 8
          %v349 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v347)
          %v350 = fadd <32 x double> %v348, %v349
          %tmp2.172.s0 = add nsw i64 %v315, 0
          %tmp2.172.s1 = add nsw i64 %tmp2.172.s0, 2304
          %tmp2.172 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.172.s1
          store <32 x double> %v350, ptr %tmp2.172, align 8
          %v352.at.s0 = add nsw i64 0, 224
          %v352.at = getelementptr inbounds float, ptr %tile65, i64 %v352.at.s0
          %v352 = load <32 x float>, ptr %v352.at, align 4
          %v353.at.s0 = add nsw i64 %v315, 0
          %v353.at.s1 = add nsw i64 %v353.at.s0, 2688
          %v353.at = getelementptr inbounds double, ptr %tmp2, i64 %v353.at.s1
          %v353 = load <32 x double>, ptr %v353.at, align 8
          %v354 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v352)
          %v355 = fadd <32 x double> %v353, %v354
          %tmp2.173.s0 = add nsw i64 %v315, 0
          %tmp2.173.s1 = add nsw i64 %tmp2.173.s0, 2688
          %tmp2.173 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.173.s1
          store <32 x double> %v355, ptr %tmp2.173, align 8
          br label %t63.step
t63.step:
          %t63.next = add nsw i64 %t63, 1
          %t63.more = icmp slt i64 %t63.next, %v15
          br i1 %t63.more, label %t63.body, label %t63.after, !llvm.loop !214
t63.after:
        br label %p62.step
p62.step:
        %p62.next = add nsw i64 %p62, 1
        %p62.more = icmp slt i64 %p62.next, %v17
        br i1 %p62.more, label %p62.body, label %p62.after, !llvm.loop !215
p62.after:
      br label %s23.step
s23.step:
      %s23.next = add nsw i64 %s23, 1
      %s23.more = icmp slt i64 %s23.next, %n9
      br i1 %s23.more, label %s23.body, label %s23.after, !llvm.loop !216
s23.after:
    %i356.any = icmp slt i64 0, %v11
    br i1 %i356.any, label %i356.body, label %i356.after
i356.body:
      %i356 = phi i64 [ 0, %s23.after ], [ %i356.next, %i356.step ]
      %v357 = mul i64 %i356, 384
      %v358 = add i64 %v9, %i356
      %j359.any = icmp slt i64 0, %v13
      br i1 %j359.any, label %j359.body, label %j359.after
j359.body:
        %j359 = phi i64 [ 0, %i356.body ], [ %j359.next, %j359.step ]
        %v360 = add i64 %v7, %j359
        %v361.at.s0 = add nsw i64 %v357, %j359
        %v361.at = getelementptr inbounds double, ptr %tmp2, i64 %v361.at.s0
        %v361 = load double, ptr %v361.at, align 8
        %v362 = call float @convert_f64_f32(double %v361)
        %v363.at = getelementptr inbounds float, ptr %in2, i64 %v358
        %v363 = load float, ptr %v363.at, align 4
        %v364 = fadd float %v362, %v363
        %v365 = call float @maximum_f32(float %v364, float %s0)
        %out0.174.x0 = mul nsw i64 %d2, %v358
        %out0.174.s0 = add nsw i64 %out0.174.x0, %v360
        %out0.174 = getelementptr inbounds float, ptr %out0, i64 %out0.174.s0
        store float %v365, ptr %out0.174, align 4
        br label %j359.step
j359.step:
        %j359.next = add nsw i64 %j359, 1
        %j359.more = icmp slt i64 %j359.next, %v13
        br i1 %j359.more, label %j359.body, label %j359.after, !llvm.loop !217
j359.after:
      br label %i356.step
i356.step:
      %i356.next = add nsw i64 %i356, 1
      %i356.more = icmp slt i64 %i356.next, %v11
      br i1 %i356.more, label %i356.body, label %i356.after, !llvm.loop !218
i356.after:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after, !llvm.loop !219
w0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

!100 = !{!"llvm.loop.unroll.disable"}
!103 = !{!"llvm.loop.vectorize.enable", i1 false}
!104 = !{!"llvm.loop.interleave.count", i32 1}
!200 = distinct !{!200, !100, !104}
!201 = distinct !{!201, !100, !103}
!202 = distinct !{!202, !100, !104}
!203 = distinct !{!203, !100, !103}
!204 = distinct !{!204, !100, !103}
!205 = distinct !{!205, !100, !103}
!206 = distinct !{!206, !100, !103}
!207 = distinct !{!207, !100, !103}
!208 = distinct !{!208, !100, !103}
!209 = distinct !{!209, !100, !103}
!210 = distinct !{!210, !100, !103}
!211 = distinct !{!211, !100, !103}
!212 = distinct !{!212, !100, !103}
!213 = distinct !{!213, !100, !103}
!214 = distinct !{!214, !100, !103}
!215 = distinct !{!215, !100, !103}
!216 = distinct !{!216, !100, !103}
!217 = distinct !{!217, !100, !104}
!218 = distinct !{!218, !100, !103}
!219 = distinct !{!219, !100, !103}