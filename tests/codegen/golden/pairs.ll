define void @kernel(i64 %begin, i64 %end, ptr noalias %tmp0, ptr noalias %tmp1, ptr noalias %tmp2, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, i64 %n7, i64 %n8, i64 %n9, ptr noalias readonly %in0, i64 %d0, ptr noalias readonly %in1, i64 %d1, ptr noalias %out0, i64 %d2, ptr noalias %flags) #0 {
entry:
  %tile57 = alloca [128 x float], align 64
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
    %v14 = add i64 %v11, 3
    %v15 = sdiv i64 %v14, 4
    %v16 = add i64 %v13, 31
    %v17 = sdiv i64 %v16, 32
    %v19 = mul i64 %v15, 4
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
          %tmp0.2.x0 = mul nsw i64 144, %i29
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
      %p36.any = icmp slt i64 0, %v17
      br i1 %p36.any, label %p36.body, label %p36.after
p36.body:
        %p36 = phi i64 [ 0, %i29.after ], [ %p36.next, %p36.step ]
        %v37 = mul i64 %p36, 32
        %v38 = sub i64 %v13, %v37
        %v39 = call i64 @minimum_i64(i64 %v38, i64 32)
        %j40.any = icmp slt i64 0, %v39
        br i1 %j40.any, label %j40.body, label %j40.after
j40.body:
          %j40 = phi i64 [ 0, %p36.body ], [ %j40.next, %j40.step ]
          %k41.any = icmp slt i64 0, %v26
          br i1 %k41.any, label %k41.body, label %k41.after
k41.body:
            %k41 = phi i64 [ 0, %j40.body ], [ %k41.next, %k41.step ]
            %v43 = add i64 %v7, %v37
            %v44 = add i64 %v43, %j40
            %v45 = add i64 %v24, %k41
            %v46.at.x1 = mul nsw i64 %d1, %v44
            %v46.at.s0 = add nsw i64 %v45, %v46.at.x1
            %v46.at = getelementptr inbounds float, ptr %in1, i64 %v46.at.s0
            %v46 = load float, ptr %v46.at, align 4
            %tmp1.3.x0 = mul nsw i64 4096, %p36
            %tmp1.3.x2 = mul nsw i64 32, %k41
            %tmp1.3.s0 = add nsw i64 %tmp1.3.x0, %j40
            %tmp1.3.s1 = add nsw i64 %tmp1.3.s0, %tmp1.3.x2
            %tmp1.3 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.3.s1
            store float %v46, ptr %tmp1.3, align 4
            br label %k41.step
k41.step:
            %k41.next = add nsw i64 %k41, 1
            %k41.more = icmp slt i64 %k41.next, %v26
            br i1 %k41.more, label %k41.body, label %k41.after, !llvm.loop !204
k41.after:
          br label %j40.step
j40.step:
          %j40.next = add nsw i64 %j40, 1
          %j40.more = icmp slt i64 %j40.next, %v39
          br i1 %j40.more, label %j40.body, label %j40.after, !llvm.loop !205
j40.after:
        br label %p36.step
p36.step:
        %p36.next = add nsw i64 %p36, 1
        %p36.more = icmp slt i64 %p36.next, %v17
        br i1 %p36.more, label %p36.body, label %p36.after, !llvm.loop !206
p36.after:
      %p47.any = icmp slt i64 %v35, %v17
      br i1 %p47.any, label %p47.body, label %p47.after
p47.body:
        %p47 = phi i64 [ %v35, %p36.after ], [ %p47.next, %p47.step ]
        %k48.any = icmp slt i64 0, %v26
        br i1 %k48.any, label %k48.body, label %k48.after
k48.body:
          %k48 = phi i64 [ 0, %p47.body ], [ %k48.next, %k48.step ]
          %v49 = mul i64 %p47, 32
          %v50 = sub i64 %v13, %v49
          %v51 = sub i64 %v50, 1
          %j52.any = icmp slt i64 %v50, 32
          br i1 %j52.any, label %j52.body, label %j52.after
j52.body:
            %j52 = phi i64 [ %v50, %k48.body ], [ %j52.next, %j52.step ]
            %v53.at.x0 = mul nsw i64 4096, %p47
            %v53.at.x2 = mul nsw i64 32, %k48
            %v53.at.s0 = add nsw i64 %v53.at.x0, %v51
            %v53.at.s1 = add nsw i64 %v53.at.s0, %v53.at.x2
            %v53.at = getelementptr inbounds float, ptr %tmp1, i64 %v53.at.s1
            %v53 = load float, ptr %v53.at, align 4
            %tmp1.4.x0 = mul nsw i64 4096, %p47
            %tmp1.4.x2 = mul nsw i64 32, %k48
            %tmp1.4.s0 = add nsw i64 %tmp1.4.x0, %j52
            %tmp1.4.s1 = add nsw i64 %tmp1.4.s0, %tmp1.4.x2
            %tmp1.4 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.4.s1
            store float %v53, ptr %tmp1.4, align 4
            br label %j52.step
j52.step:
            %j52.next = add nsw i64 %j52, 1
            %j52.more = icmp slt i64 %j52.next, 32
            br i1 %j52.more, label %j52.body, label %j52.after, !llvm.loop !207
j52.after:
          br label %k48.step
k48.step:
          %k48.next = add nsw i64 %k48, 1
          %k48.more = icmp slt i64 %k48.next, %v26
          br i1 %k48.more, label %k48.body, label %k48.after, !llvm.loop !208
k48.after:
        br label %p47.step
p47.step:
        %p47.next = add nsw i64 %p47, 1
        %p47.more = icmp slt i64 %p47.next, %v17
        br i1 %p47.more, label %p47.body, label %p47.after, !llvm.loop !209
p47.after:
      %p54.any = icmp slt i64 0, %v17
      br i1 %p54.any, label %p54.body, label %p54.after
p54.body:
        %p54 = phi i64 [ 0, %p47.after ], [ %p54.next, %p54.step ]
        %t55.any = icmp slt i64 0, %v15
        br i1 %t55.any, label %t55.body, label %t55.after
t55.body:
          %t55 = phi i64 [ 0, %p54.body ], [ %t55.next, %t55.step ]
          %v56 = mul i64 %t55, 4
          %same.5.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.5 = shufflevector <32 x float> %same.5.one, <32 x float> poison, <32 x i32> zeroinitializer
          store <32 x float> %same.5, ptr %tile57, align 4
          %same.7.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.7 = shufflevector <32 x float> %same.7.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile57.8.s0 = add nsw i64 0, 32
          %tile57.8 = getelementptr inbounds float, ptr %tile57, i64 %tile57.8.s0
          store <32 x float> %same.7, ptr %tile57.8, align 4
          %same.9.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.9 = shufflevector <32 x float> %same.9.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile57.10.s0 = add nsw i64 0, 64
          %tile57.10 = getelementptr inbounds float, ptr %tile57, i64 %tile57.10.s0
          store <32 x float> %same.9, ptr %tile57.10, align 4
          %same.11.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.11 = shufflevector <32 x float> %same.11.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile57.12.s0 = add nsw i64 0, 96
          %tile57.12 = getelementptr inbounds float, ptr %tile57, i64 %tile57.12.s0
          store <32 x float> %same.11, ptr %tile57.12, align 4
          %v62 = sdiv i64 %v26, 8
          %g63.any = icmp slt i64 0, %v62
          br i1 %g63.any, label %g63.body, label %g63.after
g63.body:
            %g63 = phi i64 [ 0, %t55.body ], [ %g63.next, %g63.step ]
            %v64 = mul i64 %g63, 8
            %v66.at.x0 = mul nsw i64 144, %v56
            %v66.at.s0 = add nsw i64 %v66.at.x0, %v64
            %v66.at = getelementptr inbounds float, ptr %tmp0, i64 %v66.at.s0
            %v66 = load float, ptr %v66.at, align 4
            %v67.at.x0 = mul nsw i64 4096, %p54
            %v67.at.x1 = mul nsw i64 32, %v64
            %v67.at.s0 = add nsw i64 %v67.at.x0, %v67.at.x1
            %v67.at.s1 = add nsw i64 %v67.at.s0, 0
            %v67.at = getelementptr inbounds float, ptr %tmp1, i64 %v67.at.s1
            %v67 = load <32 x float>, ptr %v67.at, align 4
            %same.13.one = insertelement <32 x float> poison, float %v66, i64 0
            %same.13 = shufflevector <32 x float> %same.13.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v68 = fsub <32 x float> %same.13, %v67
            %v69 = fmul <32 x float> %v68, %v68
            %v70.at.x0 = mul nsw i64 144, %v56
            %v70.at.s0 = add nsw i64 %v70.at.x0, %v64
            %v70.at.s1 = add nsw i64 %v70.at.s0, 1
            %v70.at = getelementptr inbounds float, ptr %tmp0, i64 %v70.at.s1
            %v70 = load float, ptr %v70.at, align 4
            %v71.at.x0 = mul nsw i64 4096, %p54
            %v71.at.x1 = mul nsw i64 32, %v64
            %v71.at.s0 = add nsw i64 %v71.at.x0, %v71.at.x1
            %v71.at.s1 = add nsw i64 %v71.at.s0, 0
            %v71.at.s2 = add nsw i64 %v71.at.s1, 32
            %v71.at = getelementptr inbounds float, ptr %tmp1, i64 %v71.at.s2
            %v71 = load <32 x float>, ptr %v71.at, align 4
            %same.14.one = insertelement <32 x float> poison, float %v70, i64 0
            %same.14 = shufflevector <32 x float> %same.14.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v72 = fsub <32 x float> %same.14, %v71
            %v73 = fmul <32 x float> %v72, %v72
            %v74.at.x0 = mul nsw i64 144, %v56
            %v74.at.s0 = add nsw i64 %v74.at.x0, %v64
            %v74.at.s1 = add nsw i64 %v74.at.s0, 2
            %v74.at = getelementptr inbounds float, ptr %tmp0, i64 %v74.at.s1
            %v74 = load float, ptr %v74.at, align 4
            %v75.at.x0 = mul nsw i64 4096, %p54
            %v75.at.x1 = mul nsw i64 32, %v64
            %v75.at.s0 = add nsw i64 %v75.at.x0, %v75.at.x1
            %v75.at.s1 = add nsw i64 %v75.at.s0, 0
            %v75.at.s2 = add nsw i64 %v75.at.s1, 64
            %v75.at = getelementptr inbounds float, ptr %tmp1, i64 %v75.at.s2
            %v75 = load <32 x float>, ptr %v75.at, align 4
            %same.15.one = insertelement <32 x float> poison, float %v74, i64 0
            %same.15 = shufflevector <32 x float> %same.15.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v76 = fsub <32 x float> %same.15, %v75
            %v77 = fmul <32 x float> %v76, %v76
            %v78.at.x0 = mul nsw i64 144, %v56
            %v78.at.s0 = add nsw i64 %v78.at.x0, %v64
            %v78.at.s1 = add nsw i64 %v78.at.s0, 3
            %v78.at = getelementptr inbounds float, ptr %tmp0, i64 %v78.at.s1
            %v78 = load float, ptr %v78.at, align 4
            %v79.at.x0 = mul nsw i64 4096, %p54
            %v79.at.x1 = mul nsw i64 32, %v64
            %v79.at.s0 = add nsw i64 %v79.at.x0, %v79.at.x1
            %v79.at.s1 = add nsw i64 %v79.at.s0, 0
            %v79.at.s2 = add nsw i64 %v79.at.s1, 96
            %v79.at = getelementptr inbounds float, ptr %tmp1, i64 %v79.at.s2
            %v79 = load <32 x float>, ptr %v79.at, align 4
            %same.16.one = insertelement <32 x float> poison, float %v78, i64 0
            %same.16 = shufflevector <32 x float> %same.16.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v80 = fsub <32 x float> %same.16, %v79
            %v81 = fmul <32 x float> %v80, %v80
            %v82.at.x0 = mul nsw i64 144, %v56
            %v82.at.s0 = add nsw i64 %v82.at.x0, %v64
            %v82.at.s1 = add nsw i64 %v82.at.s0, 4
            %v82.at = getelementptr inbounds float, ptr %tmp0, i64 %v82.at.s1
            %v82 = load float, ptr %v82.at, align 4
            %v83.at.x0 = mul nsw i64 4096, %p54
            %v83.at.x1 = mul nsw i64 32, %v64
            %v83.at.s0 = add nsw i64 %v83.at.x0, %v83.at.x1
            %v83.at.s1 = add nsw i64 %v83.at.s0, 0
            %v83.at.s2 = add nsw i64 %v83.at.s1, 128
            %v83.at = getelementptr inbounds float, ptr %tmp1, i64 %v83.at.s2
            %v83 = load <32 x float>, ptr %v83.at, align 4
            %same.17.one = insertelement <32 x float> poison, float %v82, i64 0
            %same.17 = shufflevector <32 x float> %same.17.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v84 = fsub <32 x float> %same.17, %v83
            %v85 = fmul <32 x float> %v84, %v84
            %v86.at.x0 = mul nsw i64 144, %v56
            %v86.at.s0 = add nsw i64 %v86.at.x0, %v64
            %v86.at.s1 = add nsw i64 %v86.at.s0, 5
            %v86.at = getelementptr inbounds float, ptr %tmp0, i64 %v86.at.s1
            %v86 = load float, ptr %v86.at, align 4
            %v87.at.x0 = mul nsw i64 4096, %p54
            %v87.at.x1 = mul nsw i64 32, %v64
            %v87.at.s0 = add nsw i64 %v87.at.x0, %v87.at.x1
            %v87.at.s1 = add nsw i64 %v87.at.s0, 0
            %v87.at.s2 = add nsw i64 %v87.at.s1, 160
            %v87.at = getelementptr inbounds float, ptr %tmp1, i64 %v87.at.s2
            %v87 = load <32 x float>, ptr %v87.at, align 4
            %same.18.one = insertelement <32 x float> poison, float %v86, i64 0
            %same.18 = shufflevector <32 x float> %same.18.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v88 = fsub <32 x float> %same.18, %v87
            %v89 = fmul <32 x float> %v88, %v88
            %v90.at.x0 = mul nsw i64 144, %v56
            %v90.at.s0 = add nsw i64 %v90.at.x0, %v64
            %v90.at.s1 = add nsw i64 %v90.at.s0, 6
            %v90.at = getelementptr inbounds float, ptr %tmp0, i64 %v90.at.s1
            %v90 = load float, ptr %v90.at, align 4
            %v91.at.x0 = mul nsw i64 4096, %p54
            %v91.at.x1 = mul nsw i64 32, %v64
            %v91.at.s0 = add nsw i64 %v91.at.x0, %v91.at.x1
            %v91.at.s1 = add nsw i64 %v91.at.s0, 0
            %v91.at.s2 = add nsw i64 %v91.at.s1, 192
            %v91.at = getelementptr inbounds float, ptr %tmp1, i64 %v91.at.s2
            %v91 = load <32 x float>, ptr %v91.at, align 4
            %same.19.one = insertelement <32 x float> poison, float %v90, i64 0
            %same.19 = shufflevector <32 x float> %same.19.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v92 = fsub <32 x float> %same.19, %v91
            %v93 = fmul <32 x float> %v92, %v92
            %v94.at.x0 = mul nsw i64 144, %v56
            %v94.at.s0 = add nsw i64 %v94.at.x0, %v64
            %v94.at.s1 = add nsw i64 %v94.at.s0, 7
            %v94.at = getelementptr inbounds float, ptr %tmp0, i64 %v94.at.s1
            %v94 = load float, ptr %v94.at, align 4
            %v95.at.x0 = mul nsw i64 4096, %p54
            %v95.at.x1 = mul nsw i64 32, %v64
            %v95.at.s0 = add nsw i64 %v95.at.x0, %v95.at.x1
            %v95.at.s1 = add nsw i64 %v95.at.s0, 0
            %v95.at.s2 = add nsw i64 %v95.at.s1, 224
            %v95.at = getelementptr inbounds float, ptr %tmp1, i64 %v95.at.s2
            %v95 = load <32 x float>, ptr %v95.at, align 4
            %same.20.one = insertelement <32 x float> poison, float %v94, i64 0
            %same.20 = shufflevector <32 x float> %same.20.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v96 = fsub <32 x float> %same.20, %v95
            %v97 = fmul <32 x float> %v96, %v96
            %v98 = load <32 x float>, ptr %tile57, align 4
            %v99 = fadd <32 x float> %v69, %v73
            %v100 = fadd <32 x float> %v77, %v81
            %v101 = fadd <32 x float> %v85, %v89
            %v102 = fadd <32 x float> %v93, %v97
            %v103 = fadd <32 x float> %v99, %v100
            %v104 = fadd <32 x float> %v101, %v102
            %v105 = fadd <32 x float> %v103, %v104
            %v106 = fadd <32 x float> %v98, %v105
            store <32 x float> %v106, ptr %tile57, align 4
            %v107.at.x0 = mul nsw i64 144, %v56
            %v107.at.s0 = add nsw i64 %v107.at.x0, %v64
            %v107.at.s1 = add nsw i64 %v107.at.s0, 144
            %v107.at = getelementptr inbounds float, ptr %tmp0, i64 %v107.at.s1
            %v107 = load float, ptr %v107.at, align 4
            %same.22.one = insertelement <32 x float> poison, float %v107, i64 0
            %same.22 = shufflevector <32 x float> %same.22.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v108 = fsub <32 x float> %same.22, %v67
            %v109 = fmul <32 x float> %v108, %v108
            %v110.at.x0 = mul nsw i64 144, %v56
            %v110.at.s0 = add nsw i64 %v110.at.x0, %v64
            %v110.at.s1 = add nsw i64 %v110.at.s0, 145
            %v110.at = getelementptr inbounds float, ptr %tmp0, i64 %v110.at.s1
            %v110 = load float, ptr %v110.at, align 4
            %same.23.one = insertelement <32 x float> poison, float %v110, i64 0
            %same.23 = shufflevector <32 x float> %same.23.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v111 = fsub <32 x float> %same.23, %v71
            %v112 = fmul <32 x float> %v111, %v111
            %v113.at.x0 = mul nsw i64 144, %v56
            %v113.at.s0 = add nsw i64 %v113.at.x0, %v64
            %v113.at.s1 = add nsw i64 %v113.at.s0, 146
            %v113.at = getelementptr inbounds float, ptr %tmp0, i64 %v113.at.s1
            %v113 = load float, ptr %v113.at, align 4
            %same.24.one = insertelement <32 x float> poison, float %v113, i64 0
            %same.24 = shufflevector <32 x float> %same.24.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v114 = fsub <32 x float> %same.24, %v75
            %v115 = fmul <32 x float> %v114, %v114
            %v116.at.x0 = mul nsw i64 144, %v56
            %v116.at.s0 = add nsw i64 %v116.at.x0, %v64
            %v116.at.s1 = add nsw i64 %v116.at.s0, 147
            %v116.at = getelementptr inbounds float, ptr %tmp0, i64 %v116.at.s1
            %v116 = load float, ptr %v116.at, align 4
            %same.25.one = insertelement <32 x float> poison, float %v116, i64 0
            %same.25 = shufflevector <32 x float> %same.25.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v117 = fsub <32 x float> %same.25, %v79
            %v118 = fmul <32 x float> %v117, %v117
            %v119.at.x0 = mul nsw i64 144, %v56
            %v119.at.s0 = add nsw i64 %v119.at.x0, %v64
            %v119.at.s1 = add nsw i64 %v119.at.s0, 148
            %v119.at = getelementptr inbounds float, ptr %tmp0, i64 %v119.at.s1
            %v119 = load float, ptr %v119.at, align 4
            %same.26.one = insertelement <32 x float> poison, float %v119, i64 0
            %same.26 = shufflevector <32 x float> %same.26.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v120 = fsub <32 x float> %same.26, %v83
            %v121 = fmul <32 x float> %v120, %v120
            %v122.at.x0 = mul nsw i64 144, %v56
            %v122.at.s0 = add nsw i64 %v122.at.x0, %v64
            %v122.at.s1 = add nsw i64 %v122.at.s0, 149
            %v122.at = getelementptr inbounds float, ptr %tmp0, i64 %v122.at.s1
            %v122 = load float, ptr %v122.at, align 4
            %same.27.one = insertelement <32 x float> poison, float %v122, i64 0
            %same.27 = shufflevector <32 x float> %same.27.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v123 = fsub <32 x float> %same.27, %v87
            %v124 = fmul <32 x float> %v123, %v123
            %v125.at.x0 = mul nsw i64 144, %v56
            %v125.at.s0 = add nsw i64 %v125.at.x0, %v64
            %v125.at.s1 = add nsw i64 %v125.at.s0, 150
            %v125.at = getelementptr inbounds float, ptr %tmp0, i64 %v125.at.s1
            %v125 = load float, ptr %v125.at, align 4
            %same.28.one = insertelement <32 x float> poison, float %v125, i64 0
            %same.28 = shufflevector <32 x float> %same.28.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v126 = fsub <32 x float> %same.28, %v91
            %v127 = fmul <32 x float> %v126, %v126
            %v128.at.x0 = mul nsw i64 144, %v56
            %v128.at.s0 = add nsw i64 %v128.at.x0, %v64
            %v128.at.s1 = add nsw i64 %v128.at.s0, 151
            %v128.at = getelementptr inbounds float, ptr %tmp0, i64 %v128.at.s1
            %v128 = load float, ptr %v128.at, align 4
            %same.29.one = insertelement <32 x float> poison, float %v128, i64 0
            %same.29 = shufflevector <32 x float> %same.29.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v129 = fsub <32 x float> %same.29, %v95
            %v130 = fmul <32 x float> %v129, %v129
            %v131.at.s0 = add nsw i64 0, 32
            %v131.at = getelementptr inbounds float, ptr %tile57, i64 %v131.at.s0
            %v131 = load <32 x float>, ptr %v131.at, align 4
            %v132 = fadd <32 x float> %v109, %v112
            %v133 = fadd <32 x float> %v115, %v118
            %v134 = fadd <32 x float> %v121, %v124
            %v135 = fadd <32 x float> %v127, %v130
            %v136 = fadd <32 x float> %v132, %v133
            %v137 = fadd <32 x float> %v134, %v135
            %v138 = fadd <32 x float> %v136, %v137
            %v139 = fadd <32 x float> %v131, %v138
            %tile57.30.s0 = add nsw i64 0, 32
            %tile57.30 = getelementptr inbounds float, ptr %tile57, i64 %tile57.30.s0
            store <32 x float> %v139, ptr %tile57.30, align 4
            %v140.at.x0 = mul nsw i64 144, %v56
            %v140.at.s0 = add nsw i64 %v140.at.x0, %v64
            %v140.at.s1 = add nsw i64 %v140.at.s0, 288
            %v140.at = getelementptr inbounds float, ptr %tmp0, i64 %v140.at.s1
            %v140 = load float, ptr %v140.at, align 4
            %same.31.one = insertelement <32 x float> poison, float %v140, i64 0
            %same.31 = shufflevector <32 x float> %same.31.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v141 = fsub <32 x float> %same.31, %v67
            %v142 = fmul <32 x float> %v141, %v141
            %v143.at.x0 = mul nsw i64 144, %v56
            %v143.at.s0 = add nsw i64 %v143.at.x0, %v64
            %v143.at.s1 = add nsw i64 %v143.at.s0, 289
            %v143.at = getelementptr inbounds float, ptr %tmp0, i64 %v143.at.s1
            %v143 = load float, ptr %v143.at, align 4
            %same.32.one = insertelement <32 x float> poison, float %v143, i64 0
            %same.32 = shufflevector <32 x float> %same.32.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v144 = fsub <32 x float> %same.32, %v71
            %v145 = fmul <32 x float> %v144, %v144
            %v146.at.x0 = mul nsw i64 144, %v56
            %v146.at.s0 = add nsw i64 %v146.at.x0, %v64
            %v146.at.s1 = add nsw i64 %v146.at.s0, 290
            %v146.at = getelementptr inbounds float, ptr %tmp0, i64 %v146.at.s1
            %v146 = load float, ptr %v146.at, align 4
            %same.33.one = insertelement <32 x float> poison, float %v146, i64 0
            %same.33 = shufflevector <32 x float> %same.33.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v147 = fsub <32 x float> %same.33, %v75
            %v148 = fmul <32 x float> %v147, %v147
            %v149.at.x0 = mul nsw i64 144, %v56
            %v149.at.s0 = add nsw i64 %v149.at.x0, %v64
            %v149.at.s1 = add nsw i64 %v149.at.s0, 291
            %v149.at = getelementptr inbounds float, ptr %tmp0, i64 %v149.at.s1
            %v149 = load float, ptr %v149.at, align 4
            %same.34.one = insertelement <32 x float> poison, float %v149, i64 0
            %same.34 = shufflevector <32 x float> %same.34.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v150 = fsub <32 x float> %same.34, %v79
            %v151 = fmul <32 x float> %v150, %v150
            %v152.at.x0 = mul nsw i64 144, %v56
            %v152.at.s0 = add nsw i64 %v152.at.x0, %v64
            %v152.at.s1 = add nsw i64 %v152.at.s0, 292
            %v152.at = getelementptr inbounds float, ptr %tmp0, i64 %v152.at.s1
            %v152 = load float, ptr %v152.at, align 4
            %same.35.one = insertelement <32 x float> poison, float %v152, i64 0
            %same.35 = shufflevector <32 x float> %same.35.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v153 = fsub <32 x float> %same.35, %v83
            %v154 = fmul <32 x float> %v153, %v153
            %v155.at.x0 = mul nsw i64 144, %v56
            %v155.at.s0 = add nsw i64 %v155.at.x0, %v64
            %v155.at.s1 = add nsw i64 %v155.at.s0, 293
            %v155.at = getelementptr inbounds float, ptr %tmp0, i64 %v155.at.s1
            %v155 = load float, ptr %v155.at, align 4
            %same.36.one = insertelement <32 x float> poison, float %v155, i64 0
            %same.36 = shufflevector <32 x float> %same.36.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v156 = fsub <32 x float> %same.36, %v87
            %v157 = fmul <32 x float> %v156, %v156
            %v158.at.x0 = mul nsw i64 144, %v56
            %v158.at.s0 = add nsw i64 %v158.at.x0, %v64
            %v158.at.s1 = add nsw i64 %v158.at.s0, 294
            %v158.at = getelementptr inbounds float, ptr %tmp0, i64 %v158.at.s1
            %v158 = load float, ptr %v158.at, align 4
            %same.37.one = insertelement <32 x float> poison, float %v158, i64 0
            %same.37 = shufflevector <32 x float> %same.37.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v159 = fsub <32 x float> %same.37, %v91
            %v160 = fmul <32 x float> %v159, %v159
            %v161.at.x0 = mul nsw i64 144, %v56
            %v161.at.s0 = add nsw i64 %v161.at.x0, %v64
            %v161.at.s1 = add nsw i64 %v161.at.s0, 295
            %v161.at = getelementptr inbounds float, ptr %tmp0, i64 %v161.at.s1
            %v161 = load float, ptr %v161.at, align 4
            %same.38.one = insertelement <32 x float> poison, float %v161, i64 0
            %same.38 = shufflevector <32 x float> %same.38.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v162 = fsub <32 x float> %same.38, %v95
            %v163 = fmul <32 x float> %v162, %v162
            %v164.at.s0 = add nsw i64 0, 64
            %v164.at = getelementptr inbounds float, ptr %tile57, i64 %v164.at.s0
            %v164 = load <32 x float>, ptr %v164.at, align 4
            %v165 = fadd <32 x float> %v142, %v145
            %v166 = fadd <32 x float> %v148, %v151
            %v167 = fadd <32 x float> %v154, %v157
            %v168 = fadd <32 x float> %v160, %v163
            %v169 = fadd <32 x float> %v165, %v166
            %v170 = fadd <32 x float> %v167, %v168
            %v171 = fadd <32 x float> %v169, %v170
            %v172 = fadd <32 x float> %v164, %v171
            %tile57.39.s0 = add nsw i64 0, 64
            %tile57.39 = getelementptr inbounds float, ptr %tile57, i64 %tile57.39.s0
            store <32 x float> %v172, ptr %tile57.39, align 4
            %v173.at.x0 = mul nsw i64 144, %v56
            %v173.at.s0 = add nsw i64 %v173.at.x0, %v64
            %v173.at.s1 = add nsw i64 %v173.at.s0, 432
            %v173.at = getelementptr inbounds float, ptr %tmp0, i64 %v173.at.s1
            %v173 = load float, ptr %v173.at, align 4
            %same.40.one = insertelement <32 x float> poison, float %v173, i64 0
            %same.40 = shufflevector <32 x float> %same.40.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v174 = fsub <32 x float> %same.40, %v67
            %v175 = fmul <32 x float> %v174, %v174
            %v176.at.x0 = mul nsw i64 144, %v56
            %v176.at.s0 = add nsw i64 %v176.at.x0, %v64
            %v176.at.s1 = add nsw i64 %v176.at.s0, 433
            %v176.at = getelementptr inbounds float, ptr %tmp0, i64 %v176.at.s1
            %v176 = load float, ptr %v176.at, align 4
            %same.41.one = insertelement <32 x float> poison, float %v176, i64 0
            %same.41 = shufflevector <32 x float> %same.41.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v177 = fsub <32 x float> %same.41, %v71
            %v178 = fmul <32 x float> %v177, %v177
            %v179.at.x0 = mul nsw i64 144, %v56
            %v179.at.s0 = add nsw i64 %v179.at.x0, %v64
            %v179.at.s1 = add nsw i64 %v179.at.s0, 434
            %v179.at = getelementptr inbounds float, ptr %tmp0, i64 %v179.at.s1
            %v179 = load float, ptr %v179.at, align 4
            %same.42.one = insertelement <32 x float> poison, float %v179, i64 0
            %same.42 = shufflevector <32 x float> %same.42.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v180 = fsub <32 x float> %same.42, %v75
            %v181 = fmul <32 x float> %v180, %v180
            %v182.at.x0 = mul nsw i64 144, %v56
            %v182.at.s0 = add nsw i64 %v182.at.x0, %v64
            %v182.at.s1 = add nsw i64 %v182.at.s0, 435
            %v182.at = getelementptr inbounds float, ptr %tmp0, i64 %v182.at.s1
            %v182 = load float, ptr %v182.at, align 4
            %same.43.one = insertelement <32 x float> poison, float %v182, i64 0
            %same.43 = shufflevector <32 x float> %same.43.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v183 = fsub <32 x float> %same.43, %v79
            %v184 = fmul <32 x float> %v183, %v183
            %v185.at.x0 = mul nsw i64 144, %v56
            %v185.at.s0 = add nsw i64 %v185.at.x0, %v64
            %v185.at.s1 = add nsw i64 %v185.at.s0, 436
            %v185.at = getelementptr inbounds float, ptr %tmp0, i64 %v185.at.s1
            %v185 = load float, ptr %v185.at, align 4
            %same.44.one = insertelement <32 x float> poison, float %v185, i64 0
            %same.44 = shufflevector <32 x float> %same.44.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v186 = fsub <32 x float> %same.44, %v83
            %v187 = fmul <32 x float> %v186, %v186
            %v188.at.x0 = mul nsw i64 144, %v56
            %v188.at.s0 = add nsw i64 %v188.at.x0, %v64
            %v188.at.s1 = add nsw i64 %v188.at.s0, 437
            %v188.at = getelementptr inbounds float, ptr %tmp0, i64 %v188.at.s1
            %v188 = load float, ptr %v188.at, align 4
            %same.45.one = insertelement <32 x float> poison, float %v188, i64 0
            %same.45 = shufflevector <32 x float> %same.45.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v189 = fsub <32 x float> %same.45, %v87
            %v190 = fmul <32 x float> %v189, %v189
            %v191.at.x0 = mul nsw i64 144, %v56
            %v191.at.s0 = add nsw i64 %v191.at.x0, %v64
            %v191.at.s1 = add nsw i64 %v191.at.s0, 438
            %v191.at = getelementptr inbounds float, ptr %tmp0, i64 %v191.at.s1
            %v191 = load float, ptr %v191.at, align 4
            %same.46.one = insertelement <32 x float> poison, float %v191, i64 0
            %same.46 = shufflevector <32 x float> %same.46.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v192 = fsub <32 x float> %same.46, %v91
            %v193 = fmul <32 x float> %v192, %v192
            %v194.at.x0 = mul nsw i64 144, %v56
            %v194.at.s0 = add nsw i64 %v194.at.x0, %v64
            %v194.at.s1 = add nsw i64 %v194.at.s0, 439
            %v194.at = getelementptr inbounds float, ptr %tmp0, i64 %v194.at.s1
            %v194 = load float, ptr %v194.at, align 4
            %same.47.one = insertelement <32 x float> poison, float %v194, i64 0
            %same.47 = shufflevector <32 x float> %same.47.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v195 = fsub <32 x float> %same.47, %v95
            %v196 = fmul <32 x float> %v195, %v195
            %v197.at.s0 = add nsw i64 0, 96
            %v197.at = getelementptr inbounds float, ptr %tile57, i64 %v197.at.s0
            %v197 = load <32 x float>, ptr %v197.at, align 4
            %v198 = fadd <32 x float> %v175, %v178
            %v199 = fadd <32 x float> %v181, %v184
            %v200 = fadd <32 x float> %v187, %v190
            %v201 = fadd <32 x float> %v193, %v196
            %v202 = fadd <32 x float> %v198, %v199
            %v203 = fadd <32 x float> %v200, %v201
            %v204 = fadd <32 x float> %v202, %v203
            %v205 = fadd <32 x float> %v197, %v204
            %tile57.48.s0 = add nsw i64 0, 96
            %tile57.48 = getelementptr inbounds float, ptr %tile57, i64 %tile57.48.s0
            store <32 x float> %v205, ptr %tile57.48, align 4
            br label %g63.step
g63.step:
            %g63.next = add nsw i64 %g63, 1
            %g63.more = icmp slt i64 %g63.next, %v62
            br i1 %g63.more, label %g63.body, label %g63.after, !llvm.loop !210
g63.after:
          %v206 = mul i64 %v62, 8
          %k207.any = icmp slt i64 %v206, %v26
          br i1 %k207.any, label %k207.body, label %k207.after
k207.body:
            %k207 = phi i64 [ %v206, %g63.after ], [ %k207.next, %k207.step ]
            %v209.at.x0 = mul nsw i64 144, %v56
            %v209.at.s0 = add nsw i64 %v209.at.x0, %k207
            %v209.at = getelementptr inbounds float, ptr %tmp0, i64 %v209.at.s0
            %v209 = load float, ptr %v209.at, align 4
            %v210.at.x0 = mul nsw i64 4096, %p54
            %v210.at.x1 = mul nsw i64 32, %k207
            %v210.at.s0 = add nsw i64 %v210.at.x0, %v210.at.x1
            %v210.at.s1 = add nsw i64 %v210.at.s0, 0
            %v210.at = getelementptr inbounds float, ptr %tmp1, i64 %v210.at.s1
            %v210 = load <32 x float>, ptr %v210.at, align 4
            %same.49.one = insertelement <32 x float> poison, float %v209, i64 0
            %same.49 = shufflevector <32 x float> %same.49.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v211 = fsub <32 x float> %same.49, %v210
            %v212 = fmul <32 x float> %v211, %v211
            %v213 = load <32 x float>, ptr %tile57, align 4
            %v214 = fadd <32 x float> %v213, %v212
            store <32 x float> %v214, ptr %tile57, align 4
            %v215.at.x0 = mul nsw i64 144, %v56
            %v215.at.s0 = add nsw i64 %v215.at.x0, %k207
            %v215.at.s1 = add nsw i64 %v215.at.s0, 144
            %v215.at = getelementptr inbounds float, ptr %tmp0, i64 %v215.at.s1
            %v215 = load float, ptr %v215.at, align 4
            %same.51.one = insertelement <32 x float> poison, float %v215, i64 0
            %same.51 = shufflevector <32 x float> %same.51.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v216 = fsub <32 x float> %same.51, %v210
            %v217 = fmul <32 x float> %v216, %v216
            %v218.at.s0 = add nsw i64 0, 32
            %v218.at = getelementptr inbounds float, ptr %tile57, i64 %v218.at.s0
            %v218 = load <32 x float>, ptr %v218.at, align 4
            %v219 = fadd <32 x float> %v218, %v217
            %tile57.52.s0 = add nsw i64 0, 32
            %tile57.52 = getelementptr inbounds float, ptr %tile57, i64 %tile57.52.s0
            store <32 x float> %v219, ptr %tile57.52, align 4
            %v220.at.x0 = mul nsw i64 144, %v56
            %v220.at.s0 = add nsw i64 %v220.at.x0, %k207
            %v220.at.s1 = add nsw i64 %v220.at.s0, 288
            %v220.at = getelementptr inbounds float, ptr %tmp0, i64 %v220.at.s1
            %v220 = load float, ptr %v220.at, align 4
            %same.53.one = insertelement <32 x float> poison, float %v220, i64 0
            %same.53 = shufflevector <32 x float> %same.53.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v221 = fsub <32 x float> %same.53, %v210
            %v222 = fmul <32 x float> %v221, %v221
            %v223.at.s0 = add nsw i64 0, 64
            %v223.at = getelementptr inbounds float, ptr %tile57, i64 %v223.at.s0
            %v223 = load <32 x float>, ptr %v223.at, align 4
            %v224 = fadd <32 x float> %v223, %v222
            %tile57.54.s0 = add nsw i64 0, 64
            %tile57.54 = getelementptr inbounds float, ptr %tile57, i64 %tile57.54.s0
            store <32 x float> %v224, ptr %tile57.54, align 4
            %v225.at.x0 = mul nsw i64 144, %v56
            %v225.at.s0 = add nsw i64 %v225.at.x0, %k207
            %v225.at.s1 = add nsw i64 %v225.at.s0, 432
            %v225.at = getelementptr inbounds float, ptr %tmp0, i64 %v225.at.s1
            %v225 = load float, ptr %v225.at, align 4
            %same.55.one = insertelement <32 x float> poison, float %v225, i64 0
            %same.55 = shufflevector <32 x float> %same.55.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v226 = fsub <32 x float> %same.55, %v210
            %v227 = fmul <32 x float> %v226, %v226
            %v228.at.s0 = add nsw i64 0, 96
            %v228.at = getelementptr inbounds float, ptr %tile57, i64 %v228.at.s0
            %v228 = load <32 x float>, ptr %v228.at, align 4
            %v229 = fadd <32 x float> %v228, %v227
            %tile57.56.s0 = add nsw i64 0, 96
            %tile57.56 = getelementptr inbounds float, ptr %tile57, i64 %tile57.56.s0
            store <32 x float> %v229, ptr %tile57.56, align 4
            br label %k207.step
k207.step:
            %k207.next = add nsw i64 %k207, 1
            %k207.more = icmp slt i64 %k207.next, %v26
            br i1 %k207.more, label %k207.body, label %k207.after, !llvm.loop !211
k207.after:
          %v230 = mul i64 %p54, 32
          %v231 = mul i64 %v56, 384
          %v232 = add i64 %v231, %v230
          %v234 = load <32 x float>, ptr %tile57, align 4
          %v235.at.s0 = add nsw i64 %v232, 0
          %v235.at = getelementptr inbounds double, ptr %tmp2, i64 %v235.at.s0
          %v235 = load <32 x double>, ptr %v235.at, align 8
          %v236 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v234)
          %v237 = fadd <32 x double> %v235, %v236
          %tmp2.57.s0 = add nsw i64 %v232, 0
          %tmp2.57 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.57.s0
          store <32 x double> %v237, ptr %tmp2.57, align 8
          %v239.at.s0 = add nsw i64 0, 32
          %v239.at = getelementptr inbounds float, ptr %tile57, i64 %v239.at.s0
          %v239 = load <32 x float>, ptr %v239.at, align 4
          %v240.at.s0 = add nsw i64 %v232, 0
          %v240.at.s1 = add nsw i64 %v240.at.s0, 384
          %v240.at = getelementptr inbounds double, ptr %tmp2, i64 %v240.at.s1
          %v240 = load <32 x double>, ptr %v240.at, align 8
          %v241 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v239)
          %v242 = fadd <32 x double> %v240, %v241
          %tmp2.58.s0 = add nsw i64 %v232, 0
          %tmp2.58.s1 = add nsw i64 %tmp2.58.s0, 384
          %tmp2.58 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.58.s1
          store <32 x double> %v242, ptr %tmp2.58, align 8
          %v244.at.s0 = add nsw i64 0, 64
          %v244.at = getelementptr inbounds float, ptr %tile57, i64 %v244.at.s0
          %v244 = load <32 x float>, ptr %v244.at, align 4
          %v245.at.s0 = add nsw i64 %v232, 0
          %v245.at.s1 = add nsw i64 %v245.at.s0, 768
          %v245.at = getelementptr inbounds double, ptr %tmp2, i64 %v245.at.s1
          %v245 = load <32 x double>, ptr %v245.at, align 8
          %v246 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v244)
          %v247 = fadd <32 x double> %v245, %v246
          %tmp2.59.s0 = add nsw i64 %v232, 0
          %tmp2.59.s1 = add nsw i64 %tmp2.59.s0, 768
          %tmp2.59 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.59.s1
          store <32 x double> %v247, ptr %tmp2.59, align 8
          %v249.at.s0 = add nsw i64 0, 96
          %v249.at = getelementptr inbounds float, ptr %tile57, i64 %v249.at.s0
          %v249 = load <32 x float>, ptr %v249.at, align 4
          %v250.at.s0 = add nsw i64 %v232, 0
          %v250.at.s1 = add nsw i64 %v250.at.s0, 1152
          %v250.at = getelementptr inbounds double, ptr %tmp2, i64 %v250.at.s1
          %v250 = load <32 x double>, ptr %v250.at, align 8
          %v251 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v249)
          %v252 = fadd <32 x double> %v250, %v251
          %tmp2.60.s0 = add nsw i64 %v232, 0
          %tmp2.60.s1 = add nsw i64 %tmp2.60.s0, 1152
          %tmp2.60 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.60.s1
          store <32 x double> %v252, ptr %tmp2.60, align 8
          br label %t55.step
t55.step:
          %t55.next = add nsw i64 %t55, 1
          %t55.more = icmp slt i64 %t55.next, %v15
          br i1 %t55.more, label %t55.body, label %t55.after, !llvm.loop !212
t55.after:
        br label %p54.step
p54.step:
        %p54.next = add nsw i64 %p54, 1
        %p54.more = icmp slt i64 %p54.next, %v17
        br i1 %p54.more, label %p54.body, label %p54.after, !llvm.loop !213
p54.after:
      br label %s23.step
s23.step:
      %s23.next = add nsw i64 %s23, 1
      %s23.more = icmp slt i64 %s23.next, %n9
      br i1 %s23.more, label %s23.body, label %s23.after, !llvm.loop !214
s23.after:
    %i253.any = icmp slt i64 0, %v11
    br i1 %i253.any, label %i253.body, label %i253.after
i253.body:
      %i253 = phi i64 [ 0, %s23.after ], [ %i253.next, %i253.step ]
      %v254 = mul i64 %i253, 384
      %v255 = add i64 %v9, %i253
      %j256.any = icmp slt i64 0, %v13
      br i1 %j256.any, label %j256.body, label %j256.after
j256.body:
        %j256 = phi i64 [ 0, %i253.body ], [ %j256.next, %j256.step ]
        %v257 = add i64 %v7, %j256
        %v258.at.s0 = add nsw i64 %v254, %j256
        %v258.at = getelementptr inbounds double, ptr %tmp2, i64 %v258.at.s0
        %v258 = load double, ptr %v258.at, align 8
        %v259 = call float @convert_f64_f32(double %v258)
        %v260 = fneg float %v259
        %v261 = call float @exp_f32(float %v260)
        %out0.61.x0 = mul nsw i64 %d2, %v255
        %out0.61.s0 = add nsw i64 %out0.61.x0, %v257
        %out0.61 = getelementptr inbounds float, ptr %out0, i64 %out0.61.s0
        store float %v261, ptr %out0.61, align 4
        br label %j256.step
j256.step:
        %j256.next = add nsw i64 %j256, 1
        %j256.more = icmp slt i64 %j256.next, %v13
        br i1 %j256.more, label %j256.body, label %j256.after, !llvm.loop !215
j256.after:
      br label %i253.step
i253.step:
      %i253.next = add nsw i64 %i253, 1
      %i253.more = icmp slt i64 %i253.next, %v11
      br i1 %i253.more, label %i253.body, label %i253.after, !llvm.loop !216
i253.after:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after, !llvm.loop !217
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
!215 = distinct !{!215, !100, !104}
!216 = distinct !{!216, !100, !103}
!217 = distinct !{!217, !100, !103}