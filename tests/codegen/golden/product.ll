define void @kernel(i64 %begin, i64 %end, ptr noalias %tmp0, ptr noalias %tmp1, ptr noalias %tmp2, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, i64 %n7, i64 %n8, i64 %n9, ptr noalias readonly %in0, i64 %d0, ptr noalias readonly %in1, i64 %d1, ptr noalias readonly %in2, float %s0, ptr noalias %out0, i64 %d2, ptr noalias %flags) #0 {
entry:
  %tile63 = alloca [256 x float], align 64
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
    %v18 = sdiv i64 %v5, %n2
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
      %i28.any = icmp slt i64 0, %v19
      br i1 %i28.any, label %i28.body, label %i28.after
i28.body:
        %i28 = phi i64 [ 0, %s23.body ], [ %i28.next, %i28.step ]
        %k29.any = icmp slt i64 0, %v26
        br i1 %k29.any, label %k29.body, label %k29.after
k29.body:
          %k29 = phi i64 [ 0, %i28.body ], [ %k29.next, %k29.step ]
          %v30 = add i64 %v9, %i28
          %v31 = call i64 @minimum_i64(i64 %v30, i64 %v27)
          %v32 = add i64 %v24, %k29
          %v33.at.x1 = mul nsw i64 %d0, %v31
          %v33.at.s0 = add nsw i64 %v32, %v33.at.x1
          %v33.at = getelementptr inbounds float, ptr %in0, i64 %v33.at.s0
          %v33 = load float, ptr %v33.at, align 4
          %tmp0.2.x0 = mul nsw i64 272, %i28
          %tmp0.2.s0 = add nsw i64 %tmp0.2.x0, %k29
          %tmp0.2 = getelementptr inbounds float, ptr %tmp0, i64 %tmp0.2.s0
          store float %v33, ptr %tmp0.2, align 4
          br label %k29.step
k29.step:
          %k29.next = add nsw i64 %k29, 1
          %k29.more = icmp slt i64 %k29.next, %v26
          br i1 %k29.more, label %k29.body, label %k29.after, !llvm.loop !202
k29.after:
        br label %i28.step
i28.step:
        %i28.next = add nsw i64 %i28, 1
        %i28.more = icmp slt i64 %i28.next, %v19
        br i1 %i28.more, label %i28.body, label %i28.after, !llvm.loop !203
i28.after:
      %v34 = sdiv i64 %v13, 32
      %k35.any = icmp slt i64 0, %v26
      br i1 %k35.any, label %k35.body, label %k35.after
k35.body:
        %k35 = phi i64 [ 0, %i28.after ], [ %k35.next, %k35.step ]
        %p36.any = icmp slt i64 0, %v34
        br i1 %p36.any, label %p36.body, label %p36.after
p36.body:
          %p36 = phi i64 [ 0, %k35.body ], [ %p36.next, %p36.step ]
          %v38 = mul i64 %p36, 32
          %v39 = add i64 %v7, %v38
          %v40 = add i64 %v39, 0
          %v41 = add i64 %v24, %k35
          %v42.at.x0 = mul nsw i64 %d1, %v41
          %v42.at.s0 = add nsw i64 %v42.at.x0, %v40
          %v42.at = getelementptr inbounds float, ptr %in1, i64 %v42.at.s0
          %v42 = load <32 x float>, ptr %v42.at, align 4
          %tmp1.3.x0 = mul nsw i64 8192, %p36
          %tmp1.3.x2 = mul nsw i64 32, %k35
          %tmp1.3.s0 = add nsw i64 %tmp1.3.x0, 0
          %tmp1.3.s1 = add nsw i64 %tmp1.3.s0, %tmp1.3.x2
          %tmp1.3 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.3.s1
          store <32 x float> %v42, ptr %tmp1.3, align 4
          br label %p36.step
p36.step:
          %p36.next = add nsw i64 %p36, 1
          %p36.more = icmp slt i64 %p36.next, %v34
          br i1 %p36.more, label %p36.body, label %p36.after, !llvm.loop !204
p36.after:
        br label %k35.step
k35.step:
        %k35.next = add nsw i64 %k35, 1
        %k35.more = icmp slt i64 %k35.next, %v26
        br i1 %k35.more, label %k35.body, label %k35.after, !llvm.loop !205
k35.after:
      %p43.any = icmp slt i64 %v34, %v17
      br i1 %p43.any, label %p43.body, label %p43.after
p43.body:
        %p43 = phi i64 [ %v34, %k35.after ], [ %p43.next, %p43.step ]
        %v44 = mul i64 %p43, 32
        %v45 = sub i64 %v13, %v44
        %v46 = call i64 @minimum_i64(i64 %v45, i64 32)
        %k47.any = icmp slt i64 0, %v26
        br i1 %k47.any, label %k47.body, label %k47.after
k47.body:
          %k47 = phi i64 [ 0, %p43.body ], [ %k47.next, %k47.step ]
          %j48.any = icmp slt i64 0, %v46
          br i1 %j48.any, label %j48.body, label %j48.after
j48.body:
            %j48 = phi i64 [ 0, %k47.body ], [ %j48.next, %j48.step ]
            %v49 = add i64 %v7, %v44
            %v50 = add i64 %v49, %j48
            %v51 = add i64 %v24, %k47
            %v52.at.x0 = mul nsw i64 %d1, %v51
            %v52.at.s0 = add nsw i64 %v52.at.x0, %v50
            %v52.at = getelementptr inbounds float, ptr %in1, i64 %v52.at.s0
            %v52 = load float, ptr %v52.at, align 4
            %tmp1.4.x0 = mul nsw i64 8192, %p43
            %tmp1.4.x2 = mul nsw i64 32, %k47
            %tmp1.4.s0 = add nsw i64 %tmp1.4.x0, %j48
            %tmp1.4.s1 = add nsw i64 %tmp1.4.s0, %tmp1.4.x2
            %tmp1.4 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.4.s1
            store float %v52, ptr %tmp1.4, align 4
            br label %j48.step
j48.step:
            %j48.next = add nsw i64 %j48, 1
            %j48.more = icmp slt i64 %j48.next, %v46
            br i1 %j48.more, label %j48.body, label %j48.after, !llvm.loop !206
j48.after:
          br label %k47.step
k47.step:
          %k47.next = add nsw i64 %k47, 1
          %k47.more = icmp slt i64 %k47.next, %v26
          br i1 %k47.more, label %k47.body, label %k47.after, !llvm.loop !207
k47.after:
        br label %p43.step
p43.step:
        %p43.next = add nsw i64 %p43, 1
        %p43.more = icmp slt i64 %p43.next, %v17
        br i1 %p43.more, label %p43.body, label %p43.after, !llvm.loop !208
p43.after:
      %p53.any = icmp slt i64 %v34, %v17
      br i1 %p53.any, label %p53.body, label %p53.after
p53.body:
        %p53 = phi i64 [ %v34, %p43.after ], [ %p53.next, %p53.step ]
        %k54.any = icmp slt i64 0, %v26
        br i1 %k54.any, label %k54.body, label %k54.after
k54.body:
          %k54 = phi i64 [ 0, %p53.body ], [ %k54.next, %k54.step ]
          %v55 = mul i64 %p53, 32
          %v56 = sub i64 %v13, %v55
          %v57 = sub i64 %v56, 1
          %j58.any = icmp slt i64 %v56, 32
          br i1 %j58.any, label %j58.body, label %j58.after
j58.body:
            %j58 = phi i64 [ %v56, %k54.body ], [ %j58.next, %j58.step ]
            %v59.at.x0 = mul nsw i64 8192, %p53
            %v59.at.x2 = mul nsw i64 32, %k54
            %v59.at.s0 = add nsw i64 %v59.at.x0, %v57
            %v59.at.s1 = add nsw i64 %v59.at.s0, %v59.at.x2
            %v59.at = getelementptr inbounds float, ptr %tmp1, i64 %v59.at.s1
            %v59 = load float, ptr %v59.at, align 4
            %tmp1.5.x0 = mul nsw i64 8192, %p53
            %tmp1.5.x2 = mul nsw i64 32, %k54
            %tmp1.5.s0 = add nsw i64 %tmp1.5.x0, %j58
            %tmp1.5.s1 = add nsw i64 %tmp1.5.s0, %tmp1.5.x2
            %tmp1.5 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.5.s1
            store float %v59, ptr %tmp1.5, align 4
            br label %j58.step
j58.step:
            %j58.next = add nsw i64 %j58, 1
            %j58.more = icmp slt i64 %j58.next, 32
            br i1 %j58.more, label %j58.body, label %j58.after, !llvm.loop !209
j58.after:
          br label %k54.step
k54.step:
          %k54.next = add nsw i64 %k54, 1
          %k54.more = icmp slt i64 %k54.next, %v26
          br i1 %k54.more, label %k54.body, label %k54.after, !llvm.loop !210
k54.after:
        br label %p53.step
p53.step:
        %p53.next = add nsw i64 %p53, 1
        %p53.more = icmp slt i64 %p53.next, %v17
        br i1 %p53.more, label %p53.body, label %p53.after, !llvm.loop !211
p53.after:
      %p60.any = icmp slt i64 0, %v17
      br i1 %p60.any, label %p60.body, label %p60.after
p60.body:
        %p60 = phi i64 [ 0, %p53.after ], [ %p60.next, %p60.step ]
        %t61.any = icmp slt i64 0, %v15
        br i1 %t61.any, label %t61.body, label %t61.after
t61.body:
          %t61 = phi i64 [ 0, %p60.body ], [ %t61.next, %t61.step ]
          %v62 = mul i64 %t61, 8
          %same.6.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.6 = shufflevector <32 x float> %same.6.one, <32 x float> poison, <32 x i32> zeroinitializer
          store <32 x float> %same.6, ptr %tile63, align 4
          %same.8.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.8 = shufflevector <32 x float> %same.8.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile63.9.s0 = add nsw i64 0, 32
          %tile63.9 = getelementptr inbounds float, ptr %tile63, i64 %tile63.9.s0
          store <32 x float> %same.8, ptr %tile63.9, align 4
          %same.10.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.10 = shufflevector <32 x float> %same.10.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile63.11.s0 = add nsw i64 0, 64
          %tile63.11 = getelementptr inbounds float, ptr %tile63, i64 %tile63.11.s0
          store <32 x float> %same.10, ptr %tile63.11, align 4
          %same.12.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.12 = shufflevector <32 x float> %same.12.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile63.13.s0 = add nsw i64 0, 96
          %tile63.13 = getelementptr inbounds float, ptr %tile63, i64 %tile63.13.s0
          store <32 x float> %same.12, ptr %tile63.13, align 4
          %same.14.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.14 = shufflevector <32 x float> %same.14.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile63.15.s0 = add nsw i64 0, 128
          %tile63.15 = getelementptr inbounds float, ptr %tile63, i64 %tile63.15.s0
          store <32 x float> %same.14, ptr %tile63.15, align 4
          %same.16.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.16 = shufflevector <32 x float> %same.16.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile63.17.s0 = add nsw i64 0, 160
          %tile63.17 = getelementptr inbounds float, ptr %tile63, i64 %tile63.17.s0
          store <32 x float> %same.16, ptr %tile63.17, align 4
          %same.18.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.18 = shufflevector <32 x float> %same.18.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile63.19.s0 = add nsw i64 0, 192
          %tile63.19 = getelementptr inbounds float, ptr %tile63, i64 %tile63.19.s0
          store <32 x float> %same.18, ptr %tile63.19, align 4
          %same.20.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.20 = shufflevector <32 x float> %same.20.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile63.21.s0 = add nsw i64 0, 224
          %tile63.21 = getelementptr inbounds float, ptr %tile63, i64 %tile63.21.s0
          store <32 x float> %same.20, ptr %tile63.21, align 4
          %v72 = sdiv i64 %v26, 8
          %g73.any = icmp slt i64 0, %v72
          br i1 %g73.any, label %g73.body, label %g73.after
g73.body:
            %g73 = phi i64 [ 0, %t61.body ], [ %g73.next, %g73.step ]
            %v74 = mul i64 %g73, 8
            %v76.at.x0 = mul nsw i64 272, %v62
            %v76.at.s0 = add nsw i64 %v76.at.x0, %v74
            %v76.at = getelementptr inbounds float, ptr %tmp0, i64 %v76.at.s0
            %v76 = load float, ptr %v76.at, align 4
            %v77.at.x0 = mul nsw i64 8192, %p60
            %v77.at.x1 = mul nsw i64 32, %v74
            %v77.at.s0 = add nsw i64 %v77.at.x0, %v77.at.x1
            %v77.at.s1 = add nsw i64 %v77.at.s0, 0
            %v77.at = getelementptr inbounds float, ptr %tmp1, i64 %v77.at.s1
            %v77 = load <32 x float>, ptr %v77.at, align 4
            %v78 = load <32 x float>, ptr %tile63, align 4
            %same.22.one = insertelement <32 x float> poison, float %v76, i64 0
            %same.22 = shufflevector <32 x float> %same.22.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v79 = call <32 x float> @fma_f32_x32(<32 x float> %same.22, <32 x float> %v77, <32 x float> %v78)
            store <32 x float> %v79, ptr %tile63, align 4
            %v80.at.x0 = mul nsw i64 272, %v62
            %v80.at.s0 = add nsw i64 %v80.at.x0, %v74
            %v80.at.s1 = add nsw i64 %v80.at.s0, 272
            %v80.at = getelementptr inbounds float, ptr %tmp0, i64 %v80.at.s1
            %v80 = load float, ptr %v80.at, align 4
            %v81.at.s0 = add nsw i64 0, 32
            %v81.at = getelementptr inbounds float, ptr %tile63, i64 %v81.at.s0
            %v81 = load <32 x float>, ptr %v81.at, align 4
            %same.24.one = insertelement <32 x float> poison, float %v80, i64 0
            %same.24 = shufflevector <32 x float> %same.24.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v82 = call <32 x float> @fma_f32_x32(<32 x float> %same.24, <32 x float> %v77, <32 x float> %v81)
            %tile63.25.s0 = add nsw i64 0, 32
            %tile63.25 = getelementptr inbounds float, ptr %tile63, i64 %tile63.25.s0
            store <32 x float> %v82, ptr %tile63.25, align 4
            %v83.at.x0 = mul nsw i64 272, %v62
            %v83.at.s0 = add nsw i64 %v83.at.x0, %v74
            %v83.at.s1 = add nsw i64 %v83.at.s0, 544
            %v83.at = getelementptr inbounds float, ptr %tmp0, i64 %v83.at.s1
            %v83 = load float, ptr %v83.at, align 4
            %v84.at.s0 = add nsw i64 0, 64
            %v84.at = getelementptr inbounds float, ptr %tile63, i64 %v84.at.s0
            %v84 = load <32 x float>, ptr %v84.at, align 4
            %same.26.one = insertelement <32 x float> poison, float %v83, i64 0
            %same.26 = shufflevector <32 x float> %same.26.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v85 = call <32 x float> @fma_f32_x32(<32 x float> %same.26, <32 x float> %v77, <32 x float> %v84)
            %tile63.27.s0 = add nsw i64 0, 64
            %tile63.27 = getelementptr inbounds float, ptr %tile63, i64 %tile63.27.s0
            store <32 x float> %v85, ptr %tile63.27, align 4
            %v86.at.x0 = mul nsw i64 272, %v62
            %v86.at.s0 = add nsw i64 %v86.at.x0, %v74
            %v86.at.s1 = add nsw i64 %v86.at.s0, 816
            %v86.at = getelementptr inbounds float, ptr %tmp0, i64 %v86.at.s1
            %v86 = load float, ptr %v86.at, align 4
            %v87.at.s0 = add nsw i64 0, 96
            %v87.at = getelementptr inbounds float, ptr %tile63, i64 %v87.at.s0
            %v87 = load <32 x float>, ptr %v87.at, align 4
            %same.28.one = insertelement <32 x float> poison, float %v86, i64 0
            %same.28 = shufflevector <32 x float> %same.28.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v88 = call <32 x float> @fma_f32_x32(<32 x float> %same.28, <32 x float> %v77, <32 x float> %v87)
            %tile63.29.s0 = add nsw i64 0, 96
            %tile63.29 = getelementptr inbounds float, ptr %tile63, i64 %tile63.29.s0
            store <32 x float> %v88, ptr %tile63.29, align 4
            %v89.at.x0 = mul nsw i64 272, %v62
            %v89.at.s0 = add nsw i64 %v89.at.x0, %v74
            %v89.at.s1 = add nsw i64 %v89.at.s0, 1088
            %v89.at = getelementptr inbounds float, ptr %tmp0, i64 %v89.at.s1
            %v89 = load float, ptr %v89.at, align 4
            %v90.at.s0 = add nsw i64 0, 128
            %v90.at = getelementptr inbounds float, ptr %tile63, i64 %v90.at.s0
            %v90 = load <32 x float>, ptr %v90.at, align 4
            %same.30.one = insertelement <32 x float> poison, float %v89, i64 0
            %same.30 = shufflevector <32 x float> %same.30.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v91 = call <32 x float> @fma_f32_x32(<32 x float> %same.30, <32 x float> %v77, <32 x float> %v90)
            %tile63.31.s0 = add nsw i64 0, 128
            %tile63.31 = getelementptr inbounds float, ptr %tile63, i64 %tile63.31.s0
            store <32 x float> %v91, ptr %tile63.31, align 4
            %v92.at.x0 = mul nsw i64 272, %v62
            %v92.at.s0 = add nsw i64 %v92.at.x0, %v74
            %v92.at.s1 = add nsw i64 %v92.at.s0, 1360
            %v92.at = getelementptr inbounds float, ptr %tmp0, i64 %v92.at.s1
            %v92 = load float, ptr %v92.at, align 4
            %v93.at.s0 = add nsw i64 0, 160
            %v93.at = getelementptr inbounds float, ptr %tile63, i64 %v93.at.s0
            %v93 = load <32 x float>, ptr %v93.at, align 4
            %same.32.one = insertelement <32 x float> poison, float %v92, i64 0
            %same.32 = shufflevector <32 x float> %same.32.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v94 = call <32 x float> @fma_f32_x32(<32 x float> %same.32, <32 x float> %v77, <32 x float> %v93)
            %tile63.33.s0 = add nsw i64 0, 160
            %tile63.33 = getelementptr inbounds float, ptr %tile63, i64 %tile63.33.s0
            store <32 x float> %v94, ptr %tile63.33, align 4
            %v95.at.x0 = mul nsw i64 272, %v62
            %v95.at.s0 = add nsw i64 %v95.at.x0, %v74
            %v95.at.s1 = add nsw i64 %v95.at.s0, 1632
            %v95.at = getelementptr inbounds float, ptr %tmp0, i64 %v95.at.s1
            %v95 = load float, ptr %v95.at, align 4
            %v96.at.s0 = add nsw i64 0, 192
            %v96.at = getelementptr inbounds float, ptr %tile63, i64 %v96.at.s0
            %v96 = load <32 x float>, ptr %v96.at, align 4
            %same.34.one = insertelement <32 x float> poison, float %v95, i64 0
            %same.34 = shufflevector <32 x float> %same.34.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v97 = call <32 x float> @fma_f32_x32(<32 x float> %same.34, <32 x float> %v77, <32 x float> %v96)
            %tile63.35.s0 = add nsw i64 0, 192
            %tile63.35 = getelementptr inbounds float, ptr %tile63, i64 %tile63.35.s0
            store <32 x float> %v97, ptr %tile63.35, align 4
            %v98.at.x0 = mul nsw i64 272, %v62
            %v98.at.s0 = add nsw i64 %v98.at.x0, %v74
            %v98.at.s1 = add nsw i64 %v98.at.s0, 1904
            %v98.at = getelementptr inbounds float, ptr %tmp0, i64 %v98.at.s1
            %v98 = load float, ptr %v98.at, align 4
            %v99.at.s0 = add nsw i64 0, 224
            %v99.at = getelementptr inbounds float, ptr %tile63, i64 %v99.at.s0
            %v99 = load <32 x float>, ptr %v99.at, align 4
            %same.36.one = insertelement <32 x float> poison, float %v98, i64 0
            %same.36 = shufflevector <32 x float> %same.36.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v100 = call <32 x float> @fma_f32_x32(<32 x float> %same.36, <32 x float> %v77, <32 x float> %v99)
            %tile63.37.s0 = add nsw i64 0, 224
            %tile63.37 = getelementptr inbounds float, ptr %tile63, i64 %tile63.37.s0
            store <32 x float> %v100, ptr %tile63.37, align 4
            %v102.at.x0 = mul nsw i64 272, %v62
            %v102.at.s0 = add nsw i64 %v102.at.x0, %v74
            %v102.at.s1 = add nsw i64 %v102.at.s0, 1
            %v102.at = getelementptr inbounds float, ptr %tmp0, i64 %v102.at.s1
            %v102 = load float, ptr %v102.at, align 4
            %v103.at.x0 = mul nsw i64 8192, %p60
            %v103.at.x1 = mul nsw i64 32, %v74
            %v103.at.s0 = add nsw i64 %v103.at.x0, %v103.at.x1
            %v103.at.s1 = add nsw i64 %v103.at.s0, 0
            %v103.at.s2 = add nsw i64 %v103.at.s1, 32
            %v103.at = getelementptr inbounds float, ptr %tmp1, i64 %v103.at.s2
            %v103 = load <32 x float>, ptr %v103.at, align 4
            %v104 = load <32 x float>, ptr %tile63, align 4
            %same.38.one = insertelement <32 x float> poison, float %v102, i64 0
            %same.38 = shufflevector <32 x float> %same.38.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v105 = call <32 x float> @fma_f32_x32(<32 x float> %same.38, <32 x float> %v103, <32 x float> %v104)
            store <32 x float> %v105, ptr %tile63, align 4
            %v106.at.x0 = mul nsw i64 272, %v62
            %v106.at.s0 = add nsw i64 %v106.at.x0, %v74
            %v106.at.s1 = add nsw i64 %v106.at.s0, 273
            %v106.at = getelementptr inbounds float, ptr %tmp0, i64 %v106.at.s1
            %v106 = load float, ptr %v106.at, align 4
            %v107.at.s0 = add nsw i64 0, 32
            %v107.at = getelementptr inbounds float, ptr %tile63, i64 %v107.at.s0
            %v107 = load <32 x float>, ptr %v107.at, align 4
            %same.40.one = insertelement <32 x float> poison, float %v106, i64 0
            %same.40 = shufflevector <32 x float> %same.40.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v108 = call <32 x float> @fma_f32_x32(<32 x float> %same.40, <32 x float> %v103, <32 x float> %v107)
            %tile63.41.s0 = add nsw i64 0, 32
            %tile63.41 = getelementptr inbounds float, ptr %tile63, i64 %tile63.41.s0
            store <32 x float> %v108, ptr %tile63.41, align 4
            %v109.at.x0 = mul nsw i64 272, %v62
            %v109.at.s0 = add nsw i64 %v109.at.x0, %v74
            %v109.at.s1 = add nsw i64 %v109.at.s0, 545
            %v109.at = getelementptr inbounds float, ptr %tmp0, i64 %v109.at.s1
            %v109 = load float, ptr %v109.at, align 4
            %v110.at.s0 = add nsw i64 0, 64
            %v110.at = getelementptr inbounds float, ptr %tile63, i64 %v110.at.s0
            %v110 = load <32 x float>, ptr %v110.at, align 4
            %same.42.one = insertelement <32 x float> poison, float %v109, i64 0
            %same.42 = shufflevector <32 x float> %same.42.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v111 = call <32 x float> @fma_f32_x32(<32 x float> %same.42, <32 x float> %v103, <32 x float> %v110)
            %tile63.43.s0 = add nsw i64 0, 64
            %tile63.43 = getelementptr inbounds float, ptr %tile63, i64 %tile63.43.s0
            store <32 x float> %v111, ptr %tile63.43, align 4
            %v112.at.x0 = mul nsw i64 272, %v62
            %v112.at.s0 = add nsw i64 %v112.at.x0, %v74
            %v112.at.s1 = add nsw i64 %v112.at.s0, 817
            %v112.at = getelementptr inbounds float, ptr %tmp0, i64 %v112.at.s1
            %v112 = load float, ptr %v112.at, align 4
            %v113.at.s0 = add nsw i64 0, 96
            %v113.at = getelementptr inbounds float, ptr %tile63, i64 %v113.at.s0
            %v113 = load <32 x float>, ptr %v113.at, align 4
            %same.44.one = insertelement <32 x float> poison, float %v112, i64 0
            %same.44 = shufflevector <32 x float> %same.44.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v114 = call <32 x float> @fma_f32_x32(<32 x float> %same.44, <32 x float> %v103, <32 x float> %v113)
            %tile63.45.s0 = add nsw i64 0, 96
            %tile63.45 = getelementptr inbounds float, ptr %tile63, i64 %tile63.45.s0
            store <32 x float> %v114, ptr %tile63.45, align 4
            %v115.at.x0 = mul nsw i64 272, %v62
            %v115.at.s0 = add nsw i64 %v115.at.x0, %v74
            %v115.at.s1 = add nsw i64 %v115.at.s0, 1089
            %v115.at = getelementptr inbounds float, ptr %tmp0, i64 %v115.at.s1
            %v115 = load float, ptr %v115.at, align 4
            %v116.at.s0 = add nsw i64 0, 128
            %v116.at = getelementptr inbounds float, ptr %tile63, i64 %v116.at.s0
            %v116 = load <32 x float>, ptr %v116.at, align 4
            %same.46.one = insertelement <32 x float> poison, float %v115, i64 0
            %same.46 = shufflevector <32 x float> %same.46.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v117 = call <32 x float> @fma_f32_x32(<32 x float> %same.46, <32 x float> %v103, <32 x float> %v116)
            %tile63.47.s0 = add nsw i64 0, 128
            %tile63.47 = getelementptr inbounds float, ptr %tile63, i64 %tile63.47.s0
            store <32 x float> %v117, ptr %tile63.47, align 4
            %v118.at.x0 = mul nsw i64 272, %v62
            %v118.at.s0 = add nsw i64 %v118.at.x0, %v74
            %v118.at.s1 = add nsw i64 %v118.at.s0, 1361
            %v118.at = getelementptr inbounds float, ptr %tmp0, i64 %v118.at.s1
            %v118 = load float, ptr %v118.at, align 4
            %v119.at.s0 = add nsw i64 0, 160
            %v119.at = getelementptr inbounds float, ptr %tile63, i64 %v119.at.s0
            %v119 = load <32 x float>, ptr %v119.at, align 4
            %same.48.one = insertelement <32 x float> poison, float %v118, i64 0
            %same.48 = shufflevector <32 x float> %same.48.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v120 = call <32 x float> @fma_f32_x32(<32 x float> %same.48, <32 x float> %v103, <32 x float> %v119)
            %tile63.49.s0 = add nsw i64 0, 160
            %tile63.49 = getelementptr inbounds float, ptr %tile63, i64 %tile63.49.s0
            store <32 x float> %v120, ptr %tile63.49, align 4
            %v121.at.x0 = mul nsw i64 272, %v62
            %v121.at.s0 = add nsw i64 %v121.at.x0, %v74
            %v121.at.s1 = add nsw i64 %v121.at.s0, 1633
            %v121.at = getelementptr inbounds float, ptr %tmp0, i64 %v121.at.s1
            %v121 = load float, ptr %v121.at, align 4
            %v122.at.s0 = add nsw i64 0, 192
            %v122.at = getelementptr inbounds float, ptr %tile63, i64 %v122.at.s0
            %v122 = load <32 x float>, ptr %v122.at, align 4
            %same.50.one = insertelement <32 x float> poison, float %v121, i64 0
            %same.50 = shufflevector <32 x float> %same.50.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v123 = call <32 x float> @fma_f32_x32(<32 x float> %same.50, <32 x float> %v103, <32 x float> %v122)
            %tile63.51.s0 = add nsw i64 0, 192
            %tile63.51 = getelementptr inbounds float, ptr %tile63, i64 %tile63.51.s0
            store <32 x float> %v123, ptr %tile63.51, align 4
            %v124.at.x0 = mul nsw i64 272, %v62
            %v124.at.s0 = add nsw i64 %v124.at.x0, %v74
            %v124.at.s1 = add nsw i64 %v124.at.s0, 1905
            %v124.at = getelementptr inbounds float, ptr %tmp0, i64 %v124.at.s1
            %v124 = load float, ptr %v124.at, align 4
            %v125.at.s0 = add nsw i64 0, 224
            %v125.at = getelementptr inbounds float, ptr %tile63, i64 %v125.at.s0
            %v125 = load <32 x float>, ptr %v125.at, align 4
            %same.52.one = insertelement <32 x float> poison, float %v124, i64 0
            %same.52 = shufflevector <32 x float> %same.52.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v126 = call <32 x float> @fma_f32_x32(<32 x float> %same.52, <32 x float> %v103, <32 x float> %v125)
            %tile63.53.s0 = add nsw i64 0, 224
            %tile63.53 = getelementptr inbounds float, ptr %tile63, i64 %tile63.53.s0
            store <32 x float> %v126, ptr %tile63.53, align 4
            %v128.at.x0 = mul nsw i64 272, %v62
            %v128.at.s0 = add nsw i64 %v128.at.x0, %v74
            %v128.at.s1 = add nsw i64 %v128.at.s0, 2
            %v128.at = getelementptr inbounds float, ptr %tmp0, i64 %v128.at.s1
            %v128 = load float, ptr %v128.at, align 4
            %v129.at.x0 = mul nsw i64 8192, %p60
            %v129.at.x1 = mul nsw i64 32, %v74
            %v129.at.s0 = add nsw i64 %v129.at.x0, %v129.at.x1
            %v129.at.s1 = add nsw i64 %v129.at.s0, 0
            %v129.at.s2 = add nsw i64 %v129.at.s1, 64
            %v129.at = getelementptr inbounds float, ptr %tmp1, i64 %v129.at.s2
            %v129 = load <32 x float>, ptr %v129.at, align 4
            %v130 = load <32 x float>, ptr %tile63, align 4
            %same.54.one = insertelement <32 x float> poison, float %v128, i64 0
            %same.54 = shufflevector <32 x float> %same.54.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v131 = call <32 x float> @fma_f32_x32(<32 x float> %same.54, <32 x float> %v129, <32 x float> %v130)
            store <32 x float> %v131, ptr %tile63, align 4
            %v132.at.x0 = mul nsw i64 272, %v62
            %v132.at.s0 = add nsw i64 %v132.at.x0, %v74
            %v132.at.s1 = add nsw i64 %v132.at.s0, 274
            %v132.at = getelementptr inbounds float, ptr %tmp0, i64 %v132.at.s1
            %v132 = load float, ptr %v132.at, align 4
            %v133.at.s0 = add nsw i64 0, 32
            %v133.at = getelementptr inbounds float, ptr %tile63, i64 %v133.at.s0
            %v133 = load <32 x float>, ptr %v133.at, align 4
            %same.56.one = insertelement <32 x float> poison, float %v132, i64 0
            %same.56 = shufflevector <32 x float> %same.56.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v134 = call <32 x float> @fma_f32_x32(<32 x float> %same.56, <32 x float> %v129, <32 x float> %v133)
            %tile63.57.s0 = add nsw i64 0, 32
            %tile63.57 = getelementptr inbounds float, ptr %tile63, i64 %tile63.57.s0
            store <32 x float> %v134, ptr %tile63.57, align 4
            %v135.at.x0 = mul nsw i64 272, %v62
            %v135.at.s0 = add nsw i64 %v135.at.x0, %v74
            %v135.at.s1 = add nsw i64 %v135.at.s0, 546
            %v135.at = getelementptr inbounds float, ptr %tmp0, i64 %v135.at.s1
            %v135 = load float, ptr %v135.at, align 4
            %v136.at.s0 = add nsw i64 0, 64
            %v136.at = getelementptr inbounds float, ptr %tile63, i64 %v136.at.s0
            %v136 = load <32 x float>, ptr %v136.at, align 4
            %same.58.one = insertelement <32 x float> poison, float %v135, i64 0
            %same.58 = shufflevector <32 x float> %same.58.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v137 = call <32 x float> @fma_f32_x32(<32 x float> %same.58, <32 x float> %v129, <32 x float> %v136)
            %tile63.59.s0 = add nsw i64 0, 64
            %tile63.59 = getelementptr inbounds float, ptr %tile63, i64 %tile63.59.s0
            store <32 x float> %v137, ptr %tile63.59, align 4
            %v138.at.x0 = mul nsw i64 272, %v62
            %v138.at.s0 = add nsw i64 %v138.at.x0, %v74
            %v138.at.s1 = add nsw i64 %v138.at.s0, 818
            %v138.at = getelementptr inbounds float, ptr %tmp0, i64 %v138.at.s1
            %v138 = load float, ptr %v138.at, align 4
            %v139.at.s0 = add nsw i64 0, 96
            %v139.at = getelementptr inbounds float, ptr %tile63, i64 %v139.at.s0
            %v139 = load <32 x float>, ptr %v139.at, align 4
            %same.60.one = insertelement <32 x float> poison, float %v138, i64 0
            %same.60 = shufflevector <32 x float> %same.60.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v140 = call <32 x float> @fma_f32_x32(<32 x float> %same.60, <32 x float> %v129, <32 x float> %v139)
            %tile63.61.s0 = add nsw i64 0, 96
            %tile63.61 = getelementptr inbounds float, ptr %tile63, i64 %tile63.61.s0
            store <32 x float> %v140, ptr %tile63.61, align 4
            %v141.at.x0 = mul nsw i64 272, %v62
            %v141.at.s0 = add nsw i64 %v141.at.x0, %v74
            %v141.at.s1 = add nsw i64 %v141.at.s0, 1090
            %v141.at = getelementptr inbounds float, ptr %tmp0, i64 %v141.at.s1
            %v141 = load float, ptr %v141.at, align 4
            %v142.at.s0 = add nsw i64 0, 128
            %v142.at = getelementptr inbounds float, ptr %tile63, i64 %v142.at.s0
            %v142 = load <32 x float>, ptr %v142.at, align 4
            %same.62.one = insertelement <32 x float> poison, float %v141, i64 0
            %same.62 = shufflevector <32 x float> %same.62.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v143 = call <32 x float> @fma_f32_x32(<32 x float> %same.62, <32 x float> %v129, <32 x float> %v142)
            %tile63.63.s0 = add nsw i64 0, 128
            %tile63.63 = getelementptr inbounds float, ptr %tile63, i64 %tile63.63.s0
            store <32 x float> %v143, ptr %tile63.63, align 4
            %v144.at.x0 = mul nsw i64 272, %v62
            %v144.at.s0 = add nsw i64 %v144.at.x0, %v74
            %v144.at.s1 = add nsw i64 %v144.at.s0, 1362
            %v144.at = getelementptr inbounds float, ptr %tmp0, i64 %v144.at.s1
            %v144 = load float, ptr %v144.at, align 4
            %v145.at.s0 = add nsw i64 0, 160
            %v145.at = getelementptr inbounds float, ptr %tile63, i64 %v145.at.s0
            %v145 = load <32 x float>, ptr %v145.at, align 4
            %same.64.one = insertelement <32 x float> poison, float %v144, i64 0
            %same.64 = shufflevector <32 x float> %same.64.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v146 = call <32 x float> @fma_f32_x32(<32 x float> %same.64, <32 x float> %v129, <32 x float> %v145)
            %tile63.65.s0 = add nsw i64 0, 160
            %tile63.65 = getelementptr inbounds float, ptr %tile63, i64 %tile63.65.s0
            store <32 x float> %v146, ptr %tile63.65, align 4
            %v147.at.x0 = mul nsw i64 272, %v62
            %v147.at.s0 = add nsw i64 %v147.at.x0, %v74
            %v147.at.s1 = add nsw i64 %v147.at.s0, 1634
            %v147.at = getelementptr inbounds float, ptr %tmp0, i64 %v147.at.s1
            %v147 = load float, ptr %v147.at, align 4
            %v148.at.s0 = add nsw i64 0, 192
            %v148.at = getelementptr inbounds float, ptr %tile63, i64 %v148.at.s0
            %v148 = load <32 x float>, ptr %v148.at, align 4
            %same.66.one = insertelement <32 x float> poison, float %v147, i64 0
            %same.66 = shufflevector <32 x float> %same.66.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v149 = call <32 x float> @fma_f32_x32(<32 x float> %same.66, <32 x float> %v129, <32 x float> %v148)
            %tile63.67.s0 = add nsw i64 0, 192
            %tile63.67 = getelementptr inbounds float, ptr %tile63, i64 %tile63.67.s0
            store <32 x float> %v149, ptr %tile63.67, align 4
            %v150.at.x0 = mul nsw i64 272, %v62
            %v150.at.s0 = add nsw i64 %v150.at.x0, %v74
            %v150.at.s1 = add nsw i64 %v150.at.s0, 1906
            %v150.at = getelementptr inbounds float, ptr %tmp0, i64 %v150.at.s1
            %v150 = load float, ptr %v150.at, align 4
            %v151.at.s0 = add nsw i64 0, 224
            %v151.at = getelementptr inbounds float, ptr %tile63, i64 %v151.at.s0
            %v151 = load <32 x float>, ptr %v151.at, align 4
            %same.68.one = insertelement <32 x float> poison, float %v150, i64 0
            %same.68 = shufflevector <32 x float> %same.68.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v152 = call <32 x float> @fma_f32_x32(<32 x float> %same.68, <32 x float> %v129, <32 x float> %v151)
            %tile63.69.s0 = add nsw i64 0, 224
            %tile63.69 = getelementptr inbounds float, ptr %tile63, i64 %tile63.69.s0
            store <32 x float> %v152, ptr %tile63.69, align 4
            %v154.at.x0 = mul nsw i64 272, %v62
            %v154.at.s0 = add nsw i64 %v154.at.x0, %v74
            %v154.at.s1 = add nsw i64 %v154.at.s0, 3
            %v154.at = getelementptr inbounds float, ptr %tmp0, i64 %v154.at.s1
            %v154 = load float, ptr %v154.at, align 4
            %v155.at.x0 = mul nsw i64 8192, %p60
            %v155.at.x1 = mul nsw i64 32, %v74
            %v155.at.s0 = add nsw i64 %v155.at.x0, %v155.at.x1
            %v155.at.s1 = add nsw i64 %v155.at.s0, 0
            %v155.at.s2 = add nsw i64 %v155.at.s1, 96
            %v155.at = getelementptr inbounds float, ptr %tmp1, i64 %v155.at.s2
            %v155 = load <32 x float>, ptr %v155.at, align 4
            %v156 = load <32 x float>, ptr %tile63, align 4
            %same.70.one = insertelement <32 x float> poison, float %v154, i64 0
            %same.70 = shufflevector <32 x float> %same.70.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v157 = call <32 x float> @fma_f32_x32(<32 x float> %same.70, <32 x float> %v155, <32 x float> %v156)
            store <32 x float> %v157, ptr %tile63, align 4
            %v158.at.x0 = mul nsw i64 272, %v62
            %v158.at.s0 = add nsw i64 %v158.at.x0, %v74
            %v158.at.s1 = add nsw i64 %v158.at.s0, 275
            %v158.at = getelementptr inbounds float, ptr %tmp0, i64 %v158.at.s1
            %v158 = load float, ptr %v158.at, align 4
            %v159.at.s0 = add nsw i64 0, 32
            %v159.at = getelementptr inbounds float, ptr %tile63, i64 %v159.at.s0
            %v159 = load <32 x float>, ptr %v159.at, align 4
            %same.72.one = insertelement <32 x float> poison, float %v158, i64 0
            %same.72 = shufflevector <32 x float> %same.72.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v160 = call <32 x float> @fma_f32_x32(<32 x float> %same.72, <32 x float> %v155, <32 x float> %v159)
            %tile63.73.s0 = add nsw i64 0, 32
            %tile63.73 = getelementptr inbounds float, ptr %tile63, i64 %tile63.73.s0
            store <32 x float> %v160, ptr %tile63.73, align 4
            %v161.at.x0 = mul nsw i64 272, %v62
            %v161.at.s0 = add nsw i64 %v161.at.x0, %v74
            %v161.at.s1 = add nsw i64 %v161.at.s0, 547
            %v161.at = getelementptr inbounds float, ptr %tmp0, i64 %v161.at.s1
            %v161 = load float, ptr %v161.at, align 4
            %v162.at.s0 = add nsw i64 0, 64
            %v162.at = getelementptr inbounds float, ptr %tile63, i64 %v162.at.s0
            %v162 = load <32 x float>, ptr %v162.at, align 4
            %same.74.one = insertelement <32 x float> poison, float %v161, i64 0
            %same.74 = shufflevector <32 x float> %same.74.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v163 = call <32 x float> @fma_f32_x32(<32 x float> %same.74, <32 x float> %v155, <32 x float> %v162)
            %tile63.75.s0 = add nsw i64 0, 64
            %tile63.75 = getelementptr inbounds float, ptr %tile63, i64 %tile63.75.s0
            store <32 x float> %v163, ptr %tile63.75, align 4
            %v164.at.x0 = mul nsw i64 272, %v62
            %v164.at.s0 = add nsw i64 %v164.at.x0, %v74
            %v164.at.s1 = add nsw i64 %v164.at.s0, 819
            %v164.at = getelementptr inbounds float, ptr %tmp0, i64 %v164.at.s1
            %v164 = load float, ptr %v164.at, align 4
            %v165.at.s0 = add nsw i64 0, 96
            %v165.at = getelementptr inbounds float, ptr %tile63, i64 %v165.at.s0
            %v165 = load <32 x float>, ptr %v165.at, align 4
            %same.76.one = insertelement <32 x float> poison, float %v164, i64 0
            %same.76 = shufflevector <32 x float> %same.76.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v166 = call <32 x float> @fma_f32_x32(<32 x float> %same.76, <32 x float> %v155, <32 x float> %v165)
            %tile63.77.s0 = add nsw i64 0, 96
            %tile63.77 = getelementptr inbounds float, ptr %tile63, i64 %tile63.77.s0
            store <32 x float> %v166, ptr %tile63.77, align 4
            %v167.at.x0 = mul nsw i64 272, %v62
            %v167.at.s0 = add nsw i64 %v167.at.x0, %v74
            %v167.at.s1 = add nsw i64 %v167.at.s0, 1091
            %v167.at = getelementptr inbounds float, ptr %tmp0, i64 %v167.at.s1
            %v167 = load float, ptr %v167.at, align 4
            %v168.at.s0 = add nsw i64 0, 128
            %v168.at = getelementptr inbounds float, ptr %tile63, i64 %v168.at.s0
            %v168 = load <32 x float>, ptr %v168.at, align 4
            %same.78.one = insertelement <32 x float> poison, float %v167, i64 0
            %same.78 = shufflevector <32 x float> %same.78.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v169 = call <32 x float> @fma_f32_x32(<32 x float> %same.78, <32 x float> %v155, <32 x float> %v168)
            %tile63.79.s0 = add nsw i64 0, 128
            %tile63.79 = getelementptr inbounds float, ptr %tile63, i64 %tile63.79.s0
            store <32 x float> %v169, ptr %tile63.79, align 4
            %v170.at.x0 = mul nsw i64 272, %v62
            %v170.at.s0 = add nsw i64 %v170.at.x0, %v74
            %v170.at.s1 = add nsw i64 %v170.at.s0, 1363
            %v170.at = getelementptr inbounds float, ptr %tmp0, i64 %v170.at.s1
            %v170 = load float, ptr %v170.at, align 4
            %v171.at.s0 = add nsw i64 0, 160
            %v171.at = getelementptr inbounds float, ptr %tile63, i64 %v171.at.s0
            %v171 = load <32 x float>, ptr %v171.at, align 4
            %same.80.one = insertelement <32 x float> poison, float %v170, i64 0
            %same.80 = shufflevector <32 x float> %same.80.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v172 = call <32 x float> @fma_f32_x32(<32 x float> %same.80, <32 x float> %v155, <32 x float> %v171)
            %tile63.81.s0 = add nsw i64 0, 160
            %tile63.81 = getelementptr inbounds float, ptr %tile63, i64 %tile63.81.s0
            store <32 x float> %v172, ptr %tile63.81, align 4
            %v173.at.x0 = mul nsw i64 272, %v62
            %v173.at.s0 = add nsw i64 %v173.at.x0, %v74
            %v173.at.s1 = add nsw i64 %v173.at.s0, 1635
            %v173.at = getelementptr inbounds float, ptr %tmp0, i64 %v173.at.s1
            %v173 = load float, ptr %v173.at, align 4
            %v174.at.s0 = add nsw i64 0, 192
            %v174.at = getelementptr inbounds float, ptr %tile63, i64 %v174.at.s0
            %v174 = load <32 x float>, ptr %v174.at, align 4
            %same.82.one = insertelement <32 x float> poison, float %v173, i64 0
            %same.82 = shufflevector <32 x float> %same.82.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v175 = call <32 x float> @fma_f32_x32(<32 x float> %same.82, <32 x float> %v155, <32 x float> %v174)
            %tile63.83.s0 = add nsw i64 0, 192
            %tile63.83 = getelementptr inbounds float, ptr %tile63, i64 %tile63.83.s0
            store <32 x float> %v175, ptr %tile63.83, align 4
            %v176.at.x0 = mul nsw i64 272, %v62
            %v176.at.s0 = add nsw i64 %v176.at.x0, %v74
            %v176.at.s1 = add nsw i64 %v176.at.s0, 1907
            %v176.at = getelementptr inbounds float, ptr %tmp0, i64 %v176.at.s1
            %v176 = load float, ptr %v176.at, align 4
            %v177.at.s0 = add nsw i64 0, 224
            %v177.at = getelementptr inbounds float, ptr %tile63, i64 %v177.at.s0
            %v177 = load <32 x float>, ptr %v177.at, align 4
            %same.84.one = insertelement <32 x float> poison, float %v176, i64 0
            %same.84 = shufflevector <32 x float> %same.84.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v178 = call <32 x float> @fma_f32_x32(<32 x float> %same.84, <32 x float> %v155, <32 x float> %v177)
            %tile63.85.s0 = add nsw i64 0, 224
            %tile63.85 = getelementptr inbounds float, ptr %tile63, i64 %tile63.85.s0
            store <32 x float> %v178, ptr %tile63.85, align 4
            %v180.at.x0 = mul nsw i64 272, %v62
            %v180.at.s0 = add nsw i64 %v180.at.x0, %v74
            %v180.at.s1 = add nsw i64 %v180.at.s0, 4
            %v180.at = getelementptr inbounds float, ptr %tmp0, i64 %v180.at.s1
            %v180 = load float, ptr %v180.at, align 4
            %v181.at.x0 = mul nsw i64 8192, %p60
            %v181.at.x1 = mul nsw i64 32, %v74
            %v181.at.s0 = add nsw i64 %v181.at.x0, %v181.at.x1
            %v181.at.s1 = add nsw i64 %v181.at.s0, 0
            %v181.at.s2 = add nsw i64 %v181.at.s1, 128
            %v181.at = getelementptr inbounds float, ptr %tmp1, i64 %v181.at.s2
            %v181 = load <32 x float>, ptr %v181.at, align 4
            %v182 = load <32 x float>, ptr %tile63, align 4
            %same.86.one = insertelement <32 x float> poison, float %v180, i64 0
            %same.86 = shufflevector <32 x float> %same.86.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v183 = call <32 x float> @fma_f32_x32(<32 x float> %same.86, <32 x float> %v181, <32 x float> %v182)
            store <32 x float> %v183, ptr %tile63, align 4
            %v184.at.x0 = mul nsw i64 272, %v62
            %v184.at.s0 = add nsw i64 %v184.at.x0, %v74
            %v184.at.s1 = add nsw i64 %v184.at.s0, 276
            %v184.at = getelementptr inbounds float, ptr %tmp0, i64 %v184.at.s1
            %v184 = load float, ptr %v184.at, align 4
            %v185.at.s0 = add nsw i64 0, 32
            %v185.at = getelementptr inbounds float, ptr %tile63, i64 %v185.at.s0
            %v185 = load <32 x float>, ptr %v185.at, align 4
            %same.88.one = insertelement <32 x float> poison, float %v184, i64 0
            %same.88 = shufflevector <32 x float> %same.88.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v186 = call <32 x float> @fma_f32_x32(<32 x float> %same.88, <32 x float> %v181, <32 x float> %v185)
            %tile63.89.s0 = add nsw i64 0, 32
            %tile63.89 = getelementptr inbounds float, ptr %tile63, i64 %tile63.89.s0
            store <32 x float> %v186, ptr %tile63.89, align 4
            %v187.at.x0 = mul nsw i64 272, %v62
            %v187.at.s0 = add nsw i64 %v187.at.x0, %v74
            %v187.at.s1 = add nsw i64 %v187.at.s0, 548
            %v187.at = getelementptr inbounds float, ptr %tmp0, i64 %v187.at.s1
            %v187 = load float, ptr %v187.at, align 4
            %v188.at.s0 = add nsw i64 0, 64
            %v188.at = getelementptr inbounds float, ptr %tile63, i64 %v188.at.s0
            %v188 = load <32 x float>, ptr %v188.at, align 4
            %same.90.one = insertelement <32 x float> poison, float %v187, i64 0
            %same.90 = shufflevector <32 x float> %same.90.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v189 = call <32 x float> @fma_f32_x32(<32 x float> %same.90, <32 x float> %v181, <32 x float> %v188)
            %tile63.91.s0 = add nsw i64 0, 64
            %tile63.91 = getelementptr inbounds float, ptr %tile63, i64 %tile63.91.s0
            store <32 x float> %v189, ptr %tile63.91, align 4
            %v190.at.x0 = mul nsw i64 272, %v62
            %v190.at.s0 = add nsw i64 %v190.at.x0, %v74
            %v190.at.s1 = add nsw i64 %v190.at.s0, 820
            %v190.at = getelementptr inbounds float, ptr %tmp0, i64 %v190.at.s1
            %v190 = load float, ptr %v190.at, align 4
            %v191.at.s0 = add nsw i64 0, 96
            %v191.at = getelementptr inbounds float, ptr %tile63, i64 %v191.at.s0
            %v191 = load <32 x float>, ptr %v191.at, align 4
            %same.92.one = insertelement <32 x float> poison, float %v190, i64 0
            %same.92 = shufflevector <32 x float> %same.92.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v192 = call <32 x float> @fma_f32_x32(<32 x float> %same.92, <32 x float> %v181, <32 x float> %v191)
            %tile63.93.s0 = add nsw i64 0, 96
            %tile63.93 = getelementptr inbounds float, ptr %tile63, i64 %tile63.93.s0
            store <32 x float> %v192, ptr %tile63.93, align 4
            %v193.at.x0 = mul nsw i64 272, %v62
            %v193.at.s0 = add nsw i64 %v193.at.x0, %v74
            %v193.at.s1 = add nsw i64 %v193.at.s0, 1092
            %v193.at = getelementptr inbounds float, ptr %tmp0, i64 %v193.at.s1
            %v193 = load float, ptr %v193.at, align 4
            %v194.at.s0 = add nsw i64 0, 128
            %v194.at = getelementptr inbounds float, ptr %tile63, i64 %v194.at.s0
            %v194 = load <32 x float>, ptr %v194.at, align 4
            %same.94.one = insertelement <32 x float> poison, float %v193, i64 0
            %same.94 = shufflevector <32 x float> %same.94.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v195 = call <32 x float> @fma_f32_x32(<32 x float> %same.94, <32 x float> %v181, <32 x float> %v194)
            %tile63.95.s0 = add nsw i64 0, 128
            %tile63.95 = getelementptr inbounds float, ptr %tile63, i64 %tile63.95.s0
            store <32 x float> %v195, ptr %tile63.95, align 4
            %v196.at.x0 = mul nsw i64 272, %v62
            %v196.at.s0 = add nsw i64 %v196.at.x0, %v74
            %v196.at.s1 = add nsw i64 %v196.at.s0, 1364
            %v196.at = getelementptr inbounds float, ptr %tmp0, i64 %v196.at.s1
            %v196 = load float, ptr %v196.at, align 4
            %v197.at.s0 = add nsw i64 0, 160
            %v197.at = getelementptr inbounds float, ptr %tile63, i64 %v197.at.s0
            %v197 = load <32 x float>, ptr %v197.at, align 4
            %same.96.one = insertelement <32 x float> poison, float %v196, i64 0
            %same.96 = shufflevector <32 x float> %same.96.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v198 = call <32 x float> @fma_f32_x32(<32 x float> %same.96, <32 x float> %v181, <32 x float> %v197)
            %tile63.97.s0 = add nsw i64 0, 160
            %tile63.97 = getelementptr inbounds float, ptr %tile63, i64 %tile63.97.s0
            store <32 x float> %v198, ptr %tile63.97, align 4
            %v199.at.x0 = mul nsw i64 272, %v62
            %v199.at.s0 = add nsw i64 %v199.at.x0, %v74
            %v199.at.s1 = add nsw i64 %v199.at.s0, 1636
            %v199.at = getelementptr inbounds float, ptr %tmp0, i64 %v199.at.s1
            %v199 = load float, ptr %v199.at, align 4
            %v200.at.s0 = add nsw i64 0, 192
            %v200.at = getelementptr inbounds float, ptr %tile63, i64 %v200.at.s0
            %v200 = load <32 x float>, ptr %v200.at, align 4
            %same.98.one = insertelement <32 x float> poison, float %v199, i64 0
            %same.98 = shufflevector <32 x float> %same.98.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v201 = call <32 x float> @fma_f32_x32(<32 x float> %same.98, <32 x float> %v181, <32 x float> %v200)
            %tile63.99.s0 = add nsw i64 0, 192
            %tile63.99 = getelementptr inbounds float, ptr %tile63, i64 %tile63.99.s0
            store <32 x float> %v201, ptr %tile63.99, align 4
            %v202.at.x0 = mul nsw i64 272, %v62
            %v202.at.s0 = add nsw i64 %v202.at.x0, %v74
            %v202.at.s1 = add nsw i64 %v202.at.s0, 1908
            %v202.at = getelementptr inbounds float, ptr %tmp0, i64 %v202.at.s1
            %v202 = load float, ptr %v202.at, align 4
            %v203.at.s0 = add nsw i64 0, 224
            %v203.at = getelementptr inbounds float, ptr %tile63, i64 %v203.at.s0
            %v203 = load <32 x float>, ptr %v203.at, align 4
            %same.100.one = insertelement <32 x float> poison, float %v202, i64 0
            %same.100 = shufflevector <32 x float> %same.100.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v204 = call <32 x float> @fma_f32_x32(<32 x float> %same.100, <32 x float> %v181, <32 x float> %v203)
            %tile63.101.s0 = add nsw i64 0, 224
            %tile63.101 = getelementptr inbounds float, ptr %tile63, i64 %tile63.101.s0
            store <32 x float> %v204, ptr %tile63.101, align 4
            %v206.at.x0 = mul nsw i64 272, %v62
            %v206.at.s0 = add nsw i64 %v206.at.x0, %v74
            %v206.at.s1 = add nsw i64 %v206.at.s0, 5
            %v206.at = getelementptr inbounds float, ptr %tmp0, i64 %v206.at.s1
            %v206 = load float, ptr %v206.at, align 4
            %v207.at.x0 = mul nsw i64 8192, %p60
            %v207.at.x1 = mul nsw i64 32, %v74
            %v207.at.s0 = add nsw i64 %v207.at.x0, %v207.at.x1
            %v207.at.s1 = add nsw i64 %v207.at.s0, 0
            %v207.at.s2 = add nsw i64 %v207.at.s1, 160
            %v207.at = getelementptr inbounds float, ptr %tmp1, i64 %v207.at.s2
            %v207 = load <32 x float>, ptr %v207.at, align 4
            %v208 = load <32 x float>, ptr %tile63, align 4
            %same.102.one = insertelement <32 x float> poison, float %v206, i64 0
            %same.102 = shufflevector <32 x float> %same.102.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v209 = call <32 x float> @fma_f32_x32(<32 x float> %same.102, <32 x float> %v207, <32 x float> %v208)
            store <32 x float> %v209, ptr %tile63, align 4
            %v210.at.x0 = mul nsw i64 272, %v62
            %v210.at.s0 = add nsw i64 %v210.at.x0, %v74
            %v210.at.s1 = add nsw i64 %v210.at.s0, 277
            %v210.at = getelementptr inbounds float, ptr %tmp0, i64 %v210.at.s1
            %v210 = load float, ptr %v210.at, align 4
            %v211.at.s0 = add nsw i64 0, 32
            %v211.at = getelementptr inbounds float, ptr %tile63, i64 %v211.at.s0
            %v211 = load <32 x float>, ptr %v211.at, align 4
            %same.104.one = insertelement <32 x float> poison, float %v210, i64 0
            %same.104 = shufflevector <32 x float> %same.104.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v212 = call <32 x float> @fma_f32_x32(<32 x float> %same.104, <32 x float> %v207, <32 x float> %v211)
            %tile63.105.s0 = add nsw i64 0, 32
            %tile63.105 = getelementptr inbounds float, ptr %tile63, i64 %tile63.105.s0
            store <32 x float> %v212, ptr %tile63.105, align 4
            %v213.at.x0 = mul nsw i64 272, %v62
            %v213.at.s0 = add nsw i64 %v213.at.x0, %v74
            %v213.at.s1 = add nsw i64 %v213.at.s0, 549
            %v213.at = getelementptr inbounds float, ptr %tmp0, i64 %v213.at.s1
            %v213 = load float, ptr %v213.at, align 4
            %v214.at.s0 = add nsw i64 0, 64
            %v214.at = getelementptr inbounds float, ptr %tile63, i64 %v214.at.s0
            %v214 = load <32 x float>, ptr %v214.at, align 4
            %same.106.one = insertelement <32 x float> poison, float %v213, i64 0
            %same.106 = shufflevector <32 x float> %same.106.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v215 = call <32 x float> @fma_f32_x32(<32 x float> %same.106, <32 x float> %v207, <32 x float> %v214)
            %tile63.107.s0 = add nsw i64 0, 64
            %tile63.107 = getelementptr inbounds float, ptr %tile63, i64 %tile63.107.s0
            store <32 x float> %v215, ptr %tile63.107, align 4
            %v216.at.x0 = mul nsw i64 272, %v62
            %v216.at.s0 = add nsw i64 %v216.at.x0, %v74
            %v216.at.s1 = add nsw i64 %v216.at.s0, 821
            %v216.at = getelementptr inbounds float, ptr %tmp0, i64 %v216.at.s1
            %v216 = load float, ptr %v216.at, align 4
            %v217.at.s0 = add nsw i64 0, 96
            %v217.at = getelementptr inbounds float, ptr %tile63, i64 %v217.at.s0
            %v217 = load <32 x float>, ptr %v217.at, align 4
            %same.108.one = insertelement <32 x float> poison, float %v216, i64 0
            %same.108 = shufflevector <32 x float> %same.108.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v218 = call <32 x float> @fma_f32_x32(<32 x float> %same.108, <32 x float> %v207, <32 x float> %v217)
            %tile63.109.s0 = add nsw i64 0, 96
            %tile63.109 = getelementptr inbounds float, ptr %tile63, i64 %tile63.109.s0
            store <32 x float> %v218, ptr %tile63.109, align 4
            %v219.at.x0 = mul nsw i64 272, %v62
            %v219.at.s0 = add nsw i64 %v219.at.x0, %v74
            %v219.at.s1 = add nsw i64 %v219.at.s0, 1093
            %v219.at = getelementptr inbounds float, ptr %tmp0, i64 %v219.at.s1
            %v219 = load float, ptr %v219.at, align 4
            %v220.at.s0 = add nsw i64 0, 128
            %v220.at = getelementptr inbounds float, ptr %tile63, i64 %v220.at.s0
            %v220 = load <32 x float>, ptr %v220.at, align 4
            %same.110.one = insertelement <32 x float> poison, float %v219, i64 0
            %same.110 = shufflevector <32 x float> %same.110.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v221 = call <32 x float> @fma_f32_x32(<32 x float> %same.110, <32 x float> %v207, <32 x float> %v220)
            %tile63.111.s0 = add nsw i64 0, 128
            %tile63.111 = getelementptr inbounds float, ptr %tile63, i64 %tile63.111.s0
            store <32 x float> %v221, ptr %tile63.111, align 4
            %v222.at.x0 = mul nsw i64 272, %v62
            %v222.at.s0 = add nsw i64 %v222.at.x0, %v74
            %v222.at.s1 = add nsw i64 %v222.at.s0, 1365
            %v222.at = getelementptr inbounds float, ptr %tmp0, i64 %v222.at.s1
            %v222 = load float, ptr %v222.at, align 4
            %v223.at.s0 = add nsw i64 0, 160
            %v223.at = getelementptr inbounds float, ptr %tile63, i64 %v223.at.s0
            %v223 = load <32 x float>, ptr %v223.at, align 4
            %same.112.one = insertelement <32 x float> poison, float %v222, i64 0
            %same.112 = shufflevector <32 x float> %same.112.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v224 = call <32 x float> @fma_f32_x32(<32 x float> %same.112, <32 x float> %v207, <32 x float> %v223)
            %tile63.113.s0 = add nsw i64 0, 160
            %tile63.113 = getelementptr inbounds float, ptr %tile63, i64 %tile63.113.s0
            store <32 x float> %v224, ptr %tile63.113, align 4
            %v225.at.x0 = mul nsw i64 272, %v62
            %v225.at.s0 = add nsw i64 %v225.at.x0, %v74
            %v225.at.s1 = add nsw i64 %v225.at.s0, 1637
            %v225.at = getelementptr inbounds float, ptr %tmp0, i64 %v225.at.s1
            %v225 = load float, ptr %v225.at, align 4
            %v226.at.s0 = add nsw i64 0, 192
            %v226.at = getelementptr inbounds float, ptr %tile63, i64 %v226.at.s0
            %v226 = load <32 x float>, ptr %v226.at, align 4
            %same.114.one = insertelement <32 x float> poison, float %v225, i64 0
            %same.114 = shufflevector <32 x float> %same.114.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v227 = call <32 x float> @fma_f32_x32(<32 x float> %same.114, <32 x float> %v207, <32 x float> %v226)
            %tile63.115.s0 = add nsw i64 0, 192
            %tile63.115 = getelementptr inbounds float, ptr %tile63, i64 %tile63.115.s0
            store <32 x float> %v227, ptr %tile63.115, align 4
            %v228.at.x0 = mul nsw i64 272, %v62
            %v228.at.s0 = add nsw i64 %v228.at.x0, %v74
            %v228.at.s1 = add nsw i64 %v228.at.s0, 1909
            %v228.at = getelementptr inbounds float, ptr %tmp0, i64 %v228.at.s1
            %v228 = load float, ptr %v228.at, align 4
            %v229.at.s0 = add nsw i64 0, 224
            %v229.at = getelementptr inbounds float, ptr %tile63, i64 %v229.at.s0
            %v229 = load <32 x float>, ptr %v229.at, align 4
            %same.116.one = insertelement <32 x float> poison, float %v228, i64 0
            %same.116 = shufflevector <32 x float> %same.116.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v230 = call <32 x float> @fma_f32_x32(<32 x float> %same.116, <32 x float> %v207, <32 x float> %v229)
            %tile63.117.s0 = add nsw i64 0, 224
            %tile63.117 = getelementptr inbounds float, ptr %tile63, i64 %tile63.117.s0
            store <32 x float> %v230, ptr %tile63.117, align 4
            %v232.at.x0 = mul nsw i64 272, %v62
            %v232.at.s0 = add nsw i64 %v232.at.x0, %v74
            %v232.at.s1 = add nsw i64 %v232.at.s0, 6
            %v232.at = getelementptr inbounds float, ptr %tmp0, i64 %v232.at.s1
            %v232 = load float, ptr %v232.at, align 4
            %v233.at.x0 = mul nsw i64 8192, %p60
            %v233.at.x1 = mul nsw i64 32, %v74
            %v233.at.s0 = add nsw i64 %v233.at.x0, %v233.at.x1
            %v233.at.s1 = add nsw i64 %v233.at.s0, 0
            %v233.at.s2 = add nsw i64 %v233.at.s1, 192
            %v233.at = getelementptr inbounds float, ptr %tmp1, i64 %v233.at.s2
            %v233 = load <32 x float>, ptr %v233.at, align 4
            %v234 = load <32 x float>, ptr %tile63, align 4
            %same.118.one = insertelement <32 x float> poison, float %v232, i64 0
            %same.118 = shufflevector <32 x float> %same.118.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v235 = call <32 x float> @fma_f32_x32(<32 x float> %same.118, <32 x float> %v233, <32 x float> %v234)
            store <32 x float> %v235, ptr %tile63, align 4
            %v236.at.x0 = mul nsw i64 272, %v62
            %v236.at.s0 = add nsw i64 %v236.at.x0, %v74
            %v236.at.s1 = add nsw i64 %v236.at.s0, 278
            %v236.at = getelementptr inbounds float, ptr %tmp0, i64 %v236.at.s1
            %v236 = load float, ptr %v236.at, align 4
            %v237.at.s0 = add nsw i64 0, 32
            %v237.at = getelementptr inbounds float, ptr %tile63, i64 %v237.at.s0
            %v237 = load <32 x float>, ptr %v237.at, align 4
            %same.120.one = insertelement <32 x float> poison, float %v236, i64 0
            %same.120 = shufflevector <32 x float> %same.120.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v238 = call <32 x float> @fma_f32_x32(<32 x float> %same.120, <32 x float> %v233, <32 x float> %v237)
            %tile63.121.s0 = add nsw i64 0, 32
            %tile63.121 = getelementptr inbounds float, ptr %tile63, i64 %tile63.121.s0
            store <32 x float> %v238, ptr %tile63.121, align 4
            %v239.at.x0 = mul nsw i64 272, %v62
            %v239.at.s0 = add nsw i64 %v239.at.x0, %v74
            %v239.at.s1 = add nsw i64 %v239.at.s0, 550
            %v239.at = getelementptr inbounds float, ptr %tmp0, i64 %v239.at.s1
            %v239 = load float, ptr %v239.at, align 4
            %v240.at.s0 = add nsw i64 0, 64
            %v240.at = getelementptr inbounds float, ptr %tile63, i64 %v240.at.s0
            %v240 = load <32 x float>, ptr %v240.at, align 4
            %same.122.one = insertelement <32 x float> poison, float %v239, i64 0
            %same.122 = shufflevector <32 x float> %same.122.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v241 = call <32 x float> @fma_f32_x32(<32 x float> %same.122, <32 x float> %v233, <32 x float> %v240)
            %tile63.123.s0 = add nsw i64 0, 64
            %tile63.123 = getelementptr inbounds float, ptr %tile63, i64 %tile63.123.s0
            store <32 x float> %v241, ptr %tile63.123, align 4
            %v242.at.x0 = mul nsw i64 272, %v62
            %v242.at.s0 = add nsw i64 %v242.at.x0, %v74
            %v242.at.s1 = add nsw i64 %v242.at.s0, 822
            %v242.at = getelementptr inbounds float, ptr %tmp0, i64 %v242.at.s1
            %v242 = load float, ptr %v242.at, align 4
            %v243.at.s0 = add nsw i64 0, 96
            %v243.at = getelementptr inbounds float, ptr %tile63, i64 %v243.at.s0
            %v243 = load <32 x float>, ptr %v243.at, align 4
            %same.124.one = insertelement <32 x float> poison, float %v242, i64 0
            %same.124 = shufflevector <32 x float> %same.124.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v244 = call <32 x float> @fma_f32_x32(<32 x float> %same.124, <32 x float> %v233, <32 x float> %v243)
            %tile63.125.s0 = add nsw i64 0, 96
            %tile63.125 = getelementptr inbounds float, ptr %tile63, i64 %tile63.125.s0
            store <32 x float> %v244, ptr %tile63.125, align 4
            %v245.at.x0 = mul nsw i64 272, %v62
            %v245.at.s0 = add nsw i64 %v245.at.x0, %v74
            %v245.at.s1 = add nsw i64 %v245.at.s0, 1094
            %v245.at = getelementptr inbounds float, ptr %tmp0, i64 %v245.at.s1
            %v245 = load float, ptr %v245.at, align 4
            %v246.at.s0 = add nsw i64 0, 128
            %v246.at = getelementptr inbounds float, ptr %tile63, i64 %v246.at.s0
            %v246 = load <32 x float>, ptr %v246.at, align 4
            %same.126.one = insertelement <32 x float> poison, float %v245, i64 0
            %same.126 = shufflevector <32 x float> %same.126.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v247 = call <32 x float> @fma_f32_x32(<32 x float> %same.126, <32 x float> %v233, <32 x float> %v246)
            %tile63.127.s0 = add nsw i64 0, 128
            %tile63.127 = getelementptr inbounds float, ptr %tile63, i64 %tile63.127.s0
            store <32 x float> %v247, ptr %tile63.127, align 4
            %v248.at.x0 = mul nsw i64 272, %v62
            %v248.at.s0 = add nsw i64 %v248.at.x0, %v74
            %v248.at.s1 = add nsw i64 %v248.at.s0, 1366
            %v248.at = getelementptr inbounds float, ptr %tmp0, i64 %v248.at.s1
            %v248 = load float, ptr %v248.at, align 4
            %v249.at.s0 = add nsw i64 0, 160
            %v249.at = getelementptr inbounds float, ptr %tile63, i64 %v249.at.s0
            %v249 = load <32 x float>, ptr %v249.at, align 4
            %same.128.one = insertelement <32 x float> poison, float %v248, i64 0
            %same.128 = shufflevector <32 x float> %same.128.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v250 = call <32 x float> @fma_f32_x32(<32 x float> %same.128, <32 x float> %v233, <32 x float> %v249)
            %tile63.129.s0 = add nsw i64 0, 160
            %tile63.129 = getelementptr inbounds float, ptr %tile63, i64 %tile63.129.s0
            store <32 x float> %v250, ptr %tile63.129, align 4
            %v251.at.x0 = mul nsw i64 272, %v62
            %v251.at.s0 = add nsw i64 %v251.at.x0, %v74
            %v251.at.s1 = add nsw i64 %v251.at.s0, 1638
            %v251.at = getelementptr inbounds float, ptr %tmp0, i64 %v251.at.s1
            %v251 = load float, ptr %v251.at, align 4
            %v252.at.s0 = add nsw i64 0, 192
            %v252.at = getelementptr inbounds float, ptr %tile63, i64 %v252.at.s0
            %v252 = load <32 x float>, ptr %v252.at, align 4
            %same.130.one = insertelement <32 x float> poison, float %v251, i64 0
            %same.130 = shufflevector <32 x float> %same.130.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v253 = call <32 x float> @fma_f32_x32(<32 x float> %same.130, <32 x float> %v233, <32 x float> %v252)
            %tile63.131.s0 = add nsw i64 0, 192
            %tile63.131 = getelementptr inbounds float, ptr %tile63, i64 %tile63.131.s0
            store <32 x float> %v253, ptr %tile63.131, align 4
            %v254.at.x0 = mul nsw i64 272, %v62
            %v254.at.s0 = add nsw i64 %v254.at.x0, %v74
            %v254.at.s1 = add nsw i64 %v254.at.s0, 1910
            %v254.at = getelementptr inbounds float, ptr %tmp0, i64 %v254.at.s1
            %v254 = load float, ptr %v254.at, align 4
            %v255.at.s0 = add nsw i64 0, 224
            %v255.at = getelementptr inbounds float, ptr %tile63, i64 %v255.at.s0
            %v255 = load <32 x float>, ptr %v255.at, align 4
            %same.132.one = insertelement <32 x float> poison, float %v254, i64 0
            %same.132 = shufflevector <32 x float> %same.132.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v256 = call <32 x float> @fma_f32_x32(<32 x float> %same.132, <32 x float> %v233, <32 x float> %v255)
            %tile63.133.s0 = add nsw i64 0, 224
            %tile63.133 = getelementptr inbounds float, ptr %tile63, i64 %tile63.133.s0
            store <32 x float> %v256, ptr %tile63.133, align 4
            %v258.at.x0 = mul nsw i64 272, %v62
            %v258.at.s0 = add nsw i64 %v258.at.x0, %v74
            %v258.at.s1 = add nsw i64 %v258.at.s0, 7
            %v258.at = getelementptr inbounds float, ptr %tmp0, i64 %v258.at.s1
            %v258 = load float, ptr %v258.at, align 4
            %v259.at.x0 = mul nsw i64 8192, %p60
            %v259.at.x1 = mul nsw i64 32, %v74
            %v259.at.s0 = add nsw i64 %v259.at.x0, %v259.at.x1
            %v259.at.s1 = add nsw i64 %v259.at.s0, 0
            %v259.at.s2 = add nsw i64 %v259.at.s1, 224
            %v259.at = getelementptr inbounds float, ptr %tmp1, i64 %v259.at.s2
            %v259 = load <32 x float>, ptr %v259.at, align 4
            %v260 = load <32 x float>, ptr %tile63, align 4
            %same.134.one = insertelement <32 x float> poison, float %v258, i64 0
            %same.134 = shufflevector <32 x float> %same.134.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v261 = call <32 x float> @fma_f32_x32(<32 x float> %same.134, <32 x float> %v259, <32 x float> %v260)
            store <32 x float> %v261, ptr %tile63, align 4
            %v262.at.x0 = mul nsw i64 272, %v62
            %v262.at.s0 = add nsw i64 %v262.at.x0, %v74
            %v262.at.s1 = add nsw i64 %v262.at.s0, 279
            %v262.at = getelementptr inbounds float, ptr %tmp0, i64 %v262.at.s1
            %v262 = load float, ptr %v262.at, align 4
            %v263.at.s0 = add nsw i64 0, 32
            %v263.at = getelementptr inbounds float, ptr %tile63, i64 %v263.at.s0
            %v263 = load <32 x float>, ptr %v263.at, align 4
            %same.136.one = insertelement <32 x float> poison, float %v262, i64 0
            %same.136 = shufflevector <32 x float> %same.136.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v264 = call <32 x float> @fma_f32_x32(<32 x float> %same.136, <32 x float> %v259, <32 x float> %v263)
            %tile63.137.s0 = add nsw i64 0, 32
            %tile63.137 = getelementptr inbounds float, ptr %tile63, i64 %tile63.137.s0
            store <32 x float> %v264, ptr %tile63.137, align 4
            %v265.at.x0 = mul nsw i64 272, %v62
            %v265.at.s0 = add nsw i64 %v265.at.x0, %v74
            %v265.at.s1 = add nsw i64 %v265.at.s0, 551
            %v265.at = getelementptr inbounds float, ptr %tmp0, i64 %v265.at.s1
            %v265 = load float, ptr %v265.at, align 4
            %v266.at.s0 = add nsw i64 0, 64
            %v266.at = getelementptr inbounds float, ptr %tile63, i64 %v266.at.s0
            %v266 = load <32 x float>, ptr %v266.at, align 4
            %same.138.one = insertelement <32 x float> poison, float %v265, i64 0
            %same.138 = shufflevector <32 x float> %same.138.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v267 = call <32 x float> @fma_f32_x32(<32 x float> %same.138, <32 x float> %v259, <32 x float> %v266)
            %tile63.139.s0 = add nsw i64 0, 64
            %tile63.139 = getelementptr inbounds float, ptr %tile63, i64 %tile63.139.s0
            store <32 x float> %v267, ptr %tile63.139, align 4
            %v268.at.x0 = mul nsw i64 272, %v62
            %v268.at.s0 = add nsw i64 %v268.at.x0, %v74
            %v268.at.s1 = add nsw i64 %v268.at.s0, 823
            %v268.at = getelementptr inbounds float, ptr %tmp0, i64 %v268.at.s1
            %v268 = load float, ptr %v268.at, align 4
            %v269.at.s0 = add nsw i64 0, 96
            %v269.at = getelementptr inbounds float, ptr %tile63, i64 %v269.at.s0
            %v269 = load <32 x float>, ptr %v269.at, align 4
            %same.140.one = insertelement <32 x float> poison, float %v268, i64 0
            %same.140 = shufflevector <32 x float> %same.140.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v270 = call <32 x float> @fma_f32_x32(<32 x float> %same.140, <32 x float> %v259, <32 x float> %v269)
            %tile63.141.s0 = add nsw i64 0, 96
            %tile63.141 = getelementptr inbounds float, ptr %tile63, i64 %tile63.141.s0
            store <32 x float> %v270, ptr %tile63.141, align 4
            %v271.at.x0 = mul nsw i64 272, %v62
            %v271.at.s0 = add nsw i64 %v271.at.x0, %v74
            %v271.at.s1 = add nsw i64 %v271.at.s0, 1095
            %v271.at = getelementptr inbounds float, ptr %tmp0, i64 %v271.at.s1
            %v271 = load float, ptr %v271.at, align 4
            %v272.at.s0 = add nsw i64 0, 128
            %v272.at = getelementptr inbounds float, ptr %tile63, i64 %v272.at.s0
            %v272 = load <32 x float>, ptr %v272.at, align 4
            %same.142.one = insertelement <32 x float> poison, float %v271, i64 0
            %same.142 = shufflevector <32 x float> %same.142.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v273 = call <32 x float> @fma_f32_x32(<32 x float> %same.142, <32 x float> %v259, <32 x float> %v272)
            %tile63.143.s0 = add nsw i64 0, 128
            %tile63.143 = getelementptr inbounds float, ptr %tile63, i64 %tile63.143.s0
            store <32 x float> %v273, ptr %tile63.143, align 4
            %v274.at.x0 = mul nsw i64 272, %v62
            %v274.at.s0 = add nsw i64 %v274.at.x0, %v74
            %v274.at.s1 = add nsw i64 %v274.at.s0, 1367
            %v274.at = getelementptr inbounds float, ptr %tmp0, i64 %v274.at.s1
            %v274 = load float, ptr %v274.at, align 4
            %v275.at.s0 = add nsw i64 0, 160
            %v275.at = getelementptr inbounds float, ptr %tile63, i64 %v275.at.s0
            %v275 = load <32 x float>, ptr %v275.at, align 4
            %same.144.one = insertelement <32 x float> poison, float %v274, i64 0
            %same.144 = shufflevector <32 x float> %same.144.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v276 = call <32 x float> @fma_f32_x32(<32 x float> %same.144, <32 x float> %v259, <32 x float> %v275)
            %tile63.145.s0 = add nsw i64 0, 160
            %tile63.145 = getelementptr inbounds float, ptr %tile63, i64 %tile63.145.s0
            store <32 x float> %v276, ptr %tile63.145, align 4
            %v277.at.x0 = mul nsw i64 272, %v62
            %v277.at.s0 = add nsw i64 %v277.at.x0, %v74
            %v277.at.s1 = add nsw i64 %v277.at.s0, 1639
            %v277.at = getelementptr inbounds float, ptr %tmp0, i64 %v277.at.s1
            %v277 = load float, ptr %v277.at, align 4
            %v278.at.s0 = add nsw i64 0, 192
            %v278.at = getelementptr inbounds float, ptr %tile63, i64 %v278.at.s0
            %v278 = load <32 x float>, ptr %v278.at, align 4
            %same.146.one = insertelement <32 x float> poison, float %v277, i64 0
            %same.146 = shufflevector <32 x float> %same.146.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v279 = call <32 x float> @fma_f32_x32(<32 x float> %same.146, <32 x float> %v259, <32 x float> %v278)
            %tile63.147.s0 = add nsw i64 0, 192
            %tile63.147 = getelementptr inbounds float, ptr %tile63, i64 %tile63.147.s0
            store <32 x float> %v279, ptr %tile63.147, align 4
            %v280.at.x0 = mul nsw i64 272, %v62
            %v280.at.s0 = add nsw i64 %v280.at.x0, %v74
            %v280.at.s1 = add nsw i64 %v280.at.s0, 1911
            %v280.at = getelementptr inbounds float, ptr %tmp0, i64 %v280.at.s1
            %v280 = load float, ptr %v280.at, align 4
            %v281.at.s0 = add nsw i64 0, 224
            %v281.at = getelementptr inbounds float, ptr %tile63, i64 %v281.at.s0
            %v281 = load <32 x float>, ptr %v281.at, align 4
            %same.148.one = insertelement <32 x float> poison, float %v280, i64 0
            %same.148 = shufflevector <32 x float> %same.148.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v282 = call <32 x float> @fma_f32_x32(<32 x float> %same.148, <32 x float> %v259, <32 x float> %v281)
            %tile63.149.s0 = add nsw i64 0, 224
            %tile63.149 = getelementptr inbounds float, ptr %tile63, i64 %tile63.149.s0
            store <32 x float> %v282, ptr %tile63.149, align 4
            br label %g73.step
g73.step:
            %g73.next = add nsw i64 %g73, 1
            %g73.more = icmp slt i64 %g73.next, %v72
            br i1 %g73.more, label %g73.body, label %g73.after, !llvm.loop !212
g73.after:
          %v283 = mul i64 %v72, 8
          %k284.any = icmp slt i64 %v283, %v26
          br i1 %k284.any, label %k284.body, label %k284.after
k284.body:
            %k284 = phi i64 [ %v283, %g73.after ], [ %k284.next, %k284.step ]
            %v286.at.x0 = mul nsw i64 272, %v62
            %v286.at.s0 = add nsw i64 %v286.at.x0, %k284
            %v286.at = getelementptr inbounds float, ptr %tmp0, i64 %v286.at.s0
            %v286 = load float, ptr %v286.at, align 4
            %v287.at.x0 = mul nsw i64 8192, %p60
            %v287.at.x1 = mul nsw i64 32, %k284
            %v287.at.s0 = add nsw i64 %v287.at.x0, %v287.at.x1
            %v287.at.s1 = add nsw i64 %v287.at.s0, 0
            %v287.at = getelementptr inbounds float, ptr %tmp1, i64 %v287.at.s1
            %v287 = load <32 x float>, ptr %v287.at, align 4
            %v288 = load <32 x float>, ptr %tile63, align 4
            %same.150.one = insertelement <32 x float> poison, float %v286, i64 0
            %same.150 = shufflevector <32 x float> %same.150.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v289 = call <32 x float> @fma_f32_x32(<32 x float> %same.150, <32 x float> %v287, <32 x float> %v288)
            store <32 x float> %v289, ptr %tile63, align 4
            %v290.at.x0 = mul nsw i64 272, %v62
            %v290.at.s0 = add nsw i64 %v290.at.x0, %k284
            %v290.at.s1 = add nsw i64 %v290.at.s0, 272
            %v290.at = getelementptr inbounds float, ptr %tmp0, i64 %v290.at.s1
            %v290 = load float, ptr %v290.at, align 4
            %v291.at.s0 = add nsw i64 0, 32
            %v291.at = getelementptr inbounds float, ptr %tile63, i64 %v291.at.s0
            %v291 = load <32 x float>, ptr %v291.at, align 4
            %same.152.one = insertelement <32 x float> poison, float %v290, i64 0
            %same.152 = shufflevector <32 x float> %same.152.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v292 = call <32 x float> @fma_f32_x32(<32 x float> %same.152, <32 x float> %v287, <32 x float> %v291)
            %tile63.153.s0 = add nsw i64 0, 32
            %tile63.153 = getelementptr inbounds float, ptr %tile63, i64 %tile63.153.s0
            store <32 x float> %v292, ptr %tile63.153, align 4
            %v293.at.x0 = mul nsw i64 272, %v62
            %v293.at.s0 = add nsw i64 %v293.at.x0, %k284
            %v293.at.s1 = add nsw i64 %v293.at.s0, 544
            %v293.at = getelementptr inbounds float, ptr %tmp0, i64 %v293.at.s1
            %v293 = load float, ptr %v293.at, align 4
            %v294.at.s0 = add nsw i64 0, 64
            %v294.at = getelementptr inbounds float, ptr %tile63, i64 %v294.at.s0
            %v294 = load <32 x float>, ptr %v294.at, align 4
            %same.154.one = insertelement <32 x float> poison, float %v293, i64 0
            %same.154 = shufflevector <32 x float> %same.154.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v295 = call <32 x float> @fma_f32_x32(<32 x float> %same.154, <32 x float> %v287, <32 x float> %v294)
            %tile63.155.s0 = add nsw i64 0, 64
            %tile63.155 = getelementptr inbounds float, ptr %tile63, i64 %tile63.155.s0
            store <32 x float> %v295, ptr %tile63.155, align 4
            %v296.at.x0 = mul nsw i64 272, %v62
            %v296.at.s0 = add nsw i64 %v296.at.x0, %k284
            %v296.at.s1 = add nsw i64 %v296.at.s0, 816
            %v296.at = getelementptr inbounds float, ptr %tmp0, i64 %v296.at.s1
            %v296 = load float, ptr %v296.at, align 4
            %v297.at.s0 = add nsw i64 0, 96
            %v297.at = getelementptr inbounds float, ptr %tile63, i64 %v297.at.s0
            %v297 = load <32 x float>, ptr %v297.at, align 4
            %same.156.one = insertelement <32 x float> poison, float %v296, i64 0
            %same.156 = shufflevector <32 x float> %same.156.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v298 = call <32 x float> @fma_f32_x32(<32 x float> %same.156, <32 x float> %v287, <32 x float> %v297)
            %tile63.157.s0 = add nsw i64 0, 96
            %tile63.157 = getelementptr inbounds float, ptr %tile63, i64 %tile63.157.s0
            store <32 x float> %v298, ptr %tile63.157, align 4
            %v299.at.x0 = mul nsw i64 272, %v62
            %v299.at.s0 = add nsw i64 %v299.at.x0, %k284
            %v299.at.s1 = add nsw i64 %v299.at.s0, 1088
            %v299.at = getelementptr inbounds float, ptr %tmp0, i64 %v299.at.s1
            %v299 = load float, ptr %v299.at, align 4
            %v300.at.s0 = add nsw i64 0, 128
            %v300.at = getelementptr inbounds float, ptr %tile63, i64 %v300.at.s0
            %v300 = load <32 x float>, ptr %v300.at, align 4
            %same.158.one = insertelement <32 x float> poison, float %v299, i64 0
            %same.158 = shufflevector <32 x float> %same.158.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v301 = call <32 x float> @fma_f32_x32(<32 x float> %same.158, <32 x float> %v287, <32 x float> %v300)
            %tile63.159.s0 = add nsw i64 0, 128
            %tile63.159 = getelementptr inbounds float, ptr %tile63, i64 %tile63.159.s0
            store <32 x float> %v301, ptr %tile63.159, align 4
            %v302.at.x0 = mul nsw i64 272, %v62
            %v302.at.s0 = add nsw i64 %v302.at.x0, %k284
            %v302.at.s1 = add nsw i64 %v302.at.s0, 1360
            %v302.at = getelementptr inbounds float, ptr %tmp0, i64 %v302.at.s1
            %v302 = load float, ptr %v302.at, align 4
            %v303.at.s0 = add nsw i64 0, 160
            %v303.at = getelementptr inbounds float, ptr %tile63, i64 %v303.at.s0
            %v303 = load <32 x float>, ptr %v303.at, align 4
            %same.160.one = insertelement <32 x float> poison, float %v302, i64 0
            %same.160 = shufflevector <32 x float> %same.160.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v304 = call <32 x float> @fma_f32_x32(<32 x float> %same.160, <32 x float> %v287, <32 x float> %v303)
            %tile63.161.s0 = add nsw i64 0, 160
            %tile63.161 = getelementptr inbounds float, ptr %tile63, i64 %tile63.161.s0
            store <32 x float> %v304, ptr %tile63.161, align 4
            %v305.at.x0 = mul nsw i64 272, %v62
            %v305.at.s0 = add nsw i64 %v305.at.x0, %k284
            %v305.at.s1 = add nsw i64 %v305.at.s0, 1632
            %v305.at = getelementptr inbounds float, ptr %tmp0, i64 %v305.at.s1
            %v305 = load float, ptr %v305.at, align 4
            %v306.at.s0 = add nsw i64 0, 192
            %v306.at = getelementptr inbounds float, ptr %tile63, i64 %v306.at.s0
            %v306 = load <32 x float>, ptr %v306.at, align 4
            %same.162.one = insertelement <32 x float> poison, float %v305, i64 0
            %same.162 = shufflevector <32 x float> %same.162.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v307 = call <32 x float> @fma_f32_x32(<32 x float> %same.162, <32 x float> %v287, <32 x float> %v306)
            %tile63.163.s0 = add nsw i64 0, 192
            %tile63.163 = getelementptr inbounds float, ptr %tile63, i64 %tile63.163.s0
            store <32 x float> %v307, ptr %tile63.163, align 4
            %v308.at.x0 = mul nsw i64 272, %v62
            %v308.at.s0 = add nsw i64 %v308.at.x0, %k284
            %v308.at.s1 = add nsw i64 %v308.at.s0, 1904
            %v308.at = getelementptr inbounds float, ptr %tmp0, i64 %v308.at.s1
            %v308 = load float, ptr %v308.at, align 4
            %v309.at.s0 = add nsw i64 0, 224
            %v309.at = getelementptr inbounds float, ptr %tile63, i64 %v309.at.s0
            %v309 = load <32 x float>, ptr %v309.at, align 4
            %same.164.one = insertelement <32 x float> poison, float %v308, i64 0
            %same.164 = shufflevector <32 x float> %same.164.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v310 = call <32 x float> @fma_f32_x32(<32 x float> %same.164, <32 x float> %v287, <32 x float> %v309)
            %tile63.165.s0 = add nsw i64 0, 224
            %tile63.165 = getelementptr inbounds float, ptr %tile63, i64 %tile63.165.s0
            store <32 x float> %v310, ptr %tile63.165, align 4
            br label %k284.step
k284.step:
            %k284.next = add nsw i64 %k284, 1
            %k284.more = icmp slt i64 %k284.next, %v26
            br i1 %k284.more, label %k284.body, label %k284.after, !llvm.loop !213
k284.after:
          %v311 = mul i64 %p60, 32
          %v312 = mul i64 %v62, 384
          %v313 = add i64 %v312, %v311
          %v315 = load <32 x float>, ptr %tile63, align 4
          %v316.at.s0 = add nsw i64 %v313, 0
          %v316.at = getelementptr inbounds double, ptr %tmp2, i64 %v316.at.s0
          %v316 = load <32 x double>, ptr %v316.at, align 8
          %v317 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v315)
          %v318 = fadd <32 x double> %v316, %v317
          %tmp2.166.s0 = add nsw i64 %v313, 0
          %tmp2.166 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.166.s0
          store <32 x double> %v318, ptr %tmp2.166, align 8
          %v320.at.s0 = add nsw i64 0, 32
          %v320.at = getelementptr inbounds float, ptr %tile63, i64 %v320.at.s0
          %v320 = load <32 x float>, ptr %v320.at, align 4
          %v321.at.s0 = add nsw i64 %v313, 0
          %v321.at.s1 = add nsw i64 %v321.at.s0, 384
          %v321.at = getelementptr inbounds double, ptr %tmp2, i64 %v321.at.s1
          %v321 = load <32 x double>, ptr %v321.at, align 8
          %v322 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v320)
          %v323 = fadd <32 x double> %v321, %v322
          %tmp2.167.s0 = add nsw i64 %v313, 0
          %tmp2.167.s1 = add nsw i64 %tmp2.167.s0, 384
          %tmp2.167 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.167.s1
          store <32 x double> %v323, ptr %tmp2.167, align 8
          %v325.at.s0 = add nsw i64 0, 64
          %v325.at = getelementptr inbounds float, ptr %tile63, i64 %v325.at.s0
          %v325 = load <32 x float>, ptr %v325.at, align 4
          %v326.at.s0 = add nsw i64 %v313, 0
          %v326.at.s1 = add nsw i64 %v326.at.s0, 768
          %v326.at = getelementptr inbounds double, ptr %tmp2, i64 %v326.at.s1
          %v326 = load <32 x double>, ptr %v326.at, align 8
          %v327 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v325)
          %v328 = fadd <32 x double> %v326, %v327
          %tmp2.168.s0 = add nsw i64 %v313, 0
          %tmp2.168.s1 = add nsw i64 %tmp2.168.s0, 768
          %tmp2.168 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.168.s1
          store <32 x double> %v328, ptr %tmp2.168, align 8
          %v330.at.s0 = add nsw i64 0, 96
          %v330.at = getelementptr inbounds float, ptr %tile63, i64 %v330.at.s0
          %v330 = load <32 x float>, ptr %v330.at, align 4
          %v331.at.s0 = add nsw i64 %v313, 0
          %v331.at.s1 = add nsw i64 %v331.at.s0, 1152
          %v331.at = getelementptr inbounds double, ptr %tmp2, i64 %v331.at.s1
          %v331 = load <32 x double>, ptr %v331.at, align 8
          %v332 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v330)
          %v333 = fadd <32 x double> %v331, %v332
          %tmp2.169.s0 = add nsw i64 %v313, 0
          %tmp2.169.s1 = add nsw i64 %tmp2.169.s0, 1152
          %tmp2.169 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.169.s1
          store <32 x double> %v333, ptr %tmp2.169, align 8
          %v335.at.s0 = add nsw i64 0, 128
          %v335.at = getelementptr inbounds float, ptr %tile63, i64 %v335.at.s0
          %v335 = load <32 x float>, ptr %v335.at, align 4
          %v336.at.s0 = add nsw i64 %v313, 0
          %v336.at.s1 = add nsw i64 %v336.at.s0, 1536
          %v336.at = getelementptr inbounds double, ptr %tmp2, i64 %v336.at.s1
          %v336 = load <32 x double>, ptr %v336.at, align 8
          %v337 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v335)
          %v338 = fadd <32 x double> %v336, %v337
          %tmp2.170.s0 = add nsw i64 %v313, 0
          %tmp2.170.s1 = add nsw i64 %tmp2.170.s0, 1536
          %tmp2.170 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.170.s1
          store <32 x double> %v338, ptr %tmp2.170, align 8
          %v340.at.s0 = add nsw i64 0, 160
          %v340.at = getelementptr inbounds float, ptr %tile63, i64 %v340.at.s0
          %v340 = load <32 x float>, ptr %v340.at, align 4
          %v341.at.s0 = add nsw i64 %v313, 0
          %v341.at.s1 = add nsw i64 %v341.at.s0, 1920
          %v341.at = getelementptr inbounds double, ptr %tmp2, i64 %v341.at.s1
          %v341 = load <32 x double>, ptr %v341.at, align 8
          %v342 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v340)
          %v343 = fadd <32 x double> %v341, %v342
          %tmp2.171.s0 = add nsw i64 %v313, 0
          %tmp2.171.s1 = add nsw i64 %tmp2.171.s0, 1920
          %tmp2.171 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.171.s1
          store <32 x double> %v343, ptr %tmp2.171, align 8
          %v345.at.s0 = add nsw i64 0, 192
          %v345.at = getelementptr inbounds float, ptr %tile63, i64 %v345.at.s0
          %v345 = load <32 x float>, ptr %v345.at, align 4
          %v346.at.s0 = add nsw i64 %v313, 0
          %v346.at.s1 = add nsw i64 %v346.at.s0, 2304
          %v346.at = getelementptr inbounds double, ptr %tmp2, i64 %v346.at.s1
          %v346 = load <32 x double>, ptr %v346.at, align 8
          %v347 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v345)
          %v348 = fadd <32 x double> %v346, %v347
          %tmp2.172.s0 = add nsw i64 %v313, 0
          %tmp2.172.s1 = add nsw i64 %tmp2.172.s0, 2304
          %tmp2.172 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.172.s1
          store <32 x double> %v348, ptr %tmp2.172, align 8
          %v350.at.s0 = add nsw i64 0, 224
          %v350.at = getelementptr inbounds float, ptr %tile63, i64 %v350.at.s0
          %v350 = load <32 x float>, ptr %v350.at, align 4
          %v351.at.s0 = add nsw i64 %v313, 0
          %v351.at.s1 = add nsw i64 %v351.at.s0, 2688
          %v351.at = getelementptr inbounds double, ptr %tmp2, i64 %v351.at.s1
          %v351 = load <32 x double>, ptr %v351.at, align 8
          %v352 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v350)
          %v353 = fadd <32 x double> %v351, %v352
          %tmp2.173.s0 = add nsw i64 %v313, 0
          %tmp2.173.s1 = add nsw i64 %tmp2.173.s0, 2688
          %tmp2.173 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.173.s1
          store <32 x double> %v353, ptr %tmp2.173, align 8
          br label %t61.step
t61.step:
          %t61.next = add nsw i64 %t61, 1
          %t61.more = icmp slt i64 %t61.next, %v15
          br i1 %t61.more, label %t61.body, label %t61.after, !llvm.loop !214
t61.after:
        br label %p60.step
p60.step:
        %p60.next = add nsw i64 %p60, 1
        %p60.more = icmp slt i64 %p60.next, %v17
        br i1 %p60.more, label %p60.body, label %p60.after, !llvm.loop !215
p60.after:
      br label %s23.step
s23.step:
      %s23.next = add nsw i64 %s23, 1
      %s23.more = icmp slt i64 %s23.next, %n9
      br i1 %s23.more, label %s23.body, label %s23.after, !llvm.loop !216
s23.after:
    %i354.any = icmp slt i64 0, %v11
    br i1 %i354.any, label %i354.body, label %i354.after
i354.body:
      %i354 = phi i64 [ 0, %s23.after ], [ %i354.next, %i354.step ]
      %v355 = mul i64 %i354, 384
      %v356 = add i64 %v9, %i354
      %j357.any = icmp slt i64 0, %v13
      br i1 %j357.any, label %j357.body, label %j357.after
j357.body:
        %j357 = phi i64 [ 0, %i354.body ], [ %j357.next, %j357.step ]
        %v358 = add i64 %v7, %j357
        %v359.at.s0 = add nsw i64 %v355, %j357
        %v359.at = getelementptr inbounds double, ptr %tmp2, i64 %v359.at.s0
        %v359 = load double, ptr %v359.at, align 8
        %v360 = call float @convert_f64_f32(double %v359)
        %v361.at = getelementptr inbounds float, ptr %in2, i64 %v356
        %v361 = load float, ptr %v361.at, align 4
        %v362 = fadd float %v360, %v361
        %v363 = call float @maximum_f32(float %v362, float %s0)
        %out0.174.x0 = mul nsw i64 %d2, %v356
        %out0.174.s0 = add nsw i64 %out0.174.x0, %v358
        %out0.174 = getelementptr inbounds float, ptr %out0, i64 %out0.174.s0
        store float %v363, ptr %out0.174, align 4
        br label %j357.step
j357.step:
        %j357.next = add nsw i64 %j357, 1
        %j357.more = icmp slt i64 %j357.next, %v13
        br i1 %j357.more, label %j357.body, label %j357.after, !llvm.loop !217
j357.after:
      br label %i354.step
i354.step:
      %i354.next = add nsw i64 %i354, 1
      %i354.more = icmp slt i64 %i354.next, %v11
      br i1 %i354.more, label %i354.body, label %i354.after, !llvm.loop !218
i354.after:
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