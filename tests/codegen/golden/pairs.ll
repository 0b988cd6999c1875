define void @kernel(i64 %begin, i64 %end, ptr noalias %tmp0, ptr noalias %tmp1, ptr noalias %tmp2, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, i64 %n7, i64 %n8, i64 %n9, ptr noalias readonly %in0, i64 %d0, ptr noalias readonly %in1, i64 %d1, ptr noalias %out0, i64 %d2, ptr noalias %flags) #0 {
entry:
  %tile55 = alloca [128 x float], align 64
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
    %v18 = sdiv i64 %v5, %n2
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
          %tmp0.2.x0 = mul nsw i64 144, %i28
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
      %p35.any = icmp slt i64 0, %v17
      br i1 %p35.any, label %p35.body, label %p35.after
p35.body:
        %p35 = phi i64 [ 0, %i28.after ], [ %p35.next, %p35.step ]
        %v36 = mul i64 %p35, 32
        %v37 = sub i64 %v13, %v36
        %v38 = call i64 @minimum_i64(i64 %v37, i64 32)
        %j39.any = icmp slt i64 0, %v38
        br i1 %j39.any, label %j39.body, label %j39.after
j39.body:
          %j39 = phi i64 [ 0, %p35.body ], [ %j39.next, %j39.step ]
          %k40.any = icmp slt i64 0, %v26
          br i1 %k40.any, label %k40.body, label %k40.after
k40.body:
            %k40 = phi i64 [ 0, %j39.body ], [ %k40.next, %k40.step ]
            %v41 = add i64 %v7, %v36
            %v42 = add i64 %v41, %j39
            %v43 = add i64 %v24, %k40
            %v44.at.x1 = mul nsw i64 %d1, %v42
            %v44.at.s0 = add nsw i64 %v43, %v44.at.x1
            %v44.at = getelementptr inbounds float, ptr %in1, i64 %v44.at.s0
            %v44 = load float, ptr %v44.at, align 4
            %tmp1.3.x0 = mul nsw i64 4096, %p35
            %tmp1.3.x2 = mul nsw i64 32, %k40
            %tmp1.3.s0 = add nsw i64 %tmp1.3.x0, %j39
            %tmp1.3.s1 = add nsw i64 %tmp1.3.s0, %tmp1.3.x2
            %tmp1.3 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.3.s1
            store float %v44, ptr %tmp1.3, align 4
            br label %k40.step
k40.step:
            %k40.next = add nsw i64 %k40, 1
            %k40.more = icmp slt i64 %k40.next, %v26
            br i1 %k40.more, label %k40.body, label %k40.after, !llvm.loop !204
k40.after:
          br label %j39.step
j39.step:
          %j39.next = add nsw i64 %j39, 1
          %j39.more = icmp slt i64 %j39.next, %v38
          br i1 %j39.more, label %j39.body, label %j39.after, !llvm.loop !205
j39.after:
        br label %p35.step
p35.step:
        %p35.next = add nsw i64 %p35, 1
        %p35.more = icmp slt i64 %p35.next, %v17
        br i1 %p35.more, label %p35.body, label %p35.after, !llvm.loop !206
p35.after:
      %p45.any = icmp slt i64 %v34, %v17
      br i1 %p45.any, label %p45.body, label %p45.after
p45.body:
        %p45 = phi i64 [ %v34, %p35.after ], [ %p45.next, %p45.step ]
        %k46.any = icmp slt i64 0, %v26
        br i1 %k46.any, label %k46.body, label %k46.after
k46.body:
          %k46 = phi i64 [ 0, %p45.body ], [ %k46.next, %k46.step ]
          %v47 = mul i64 %p45, 32
          %v48 = sub i64 %v13, %v47
          %v49 = sub i64 %v48, 1
          %j50.any = icmp slt i64 %v48, 32
          br i1 %j50.any, label %j50.body, label %j50.after
j50.body:
            %j50 = phi i64 [ %v48, %k46.body ], [ %j50.next, %j50.step ]
            %v51.at.x0 = mul nsw i64 4096, %p45
            %v51.at.x2 = mul nsw i64 32, %k46
            %v51.at.s0 = add nsw i64 %v51.at.x0, %v49
            %v51.at.s1 = add nsw i64 %v51.at.s0, %v51.at.x2
            %v51.at = getelementptr inbounds float, ptr %tmp1, i64 %v51.at.s1
            %v51 = load float, ptr %v51.at, align 4
            %tmp1.4.x0 = mul nsw i64 4096, %p45
            %tmp1.4.x2 = mul nsw i64 32, %k46
            %tmp1.4.s0 = add nsw i64 %tmp1.4.x0, %j50
            %tmp1.4.s1 = add nsw i64 %tmp1.4.s0, %tmp1.4.x2
            %tmp1.4 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.4.s1
            store float %v51, ptr %tmp1.4, align 4
            br label %j50.step
j50.step:
            %j50.next = add nsw i64 %j50, 1
            %j50.more = icmp slt i64 %j50.next, 32
            br i1 %j50.more, label %j50.body, label %j50.after, !llvm.loop !207
j50.after:
          br label %k46.step
k46.step:
          %k46.next = add nsw i64 %k46, 1
          %k46.more = icmp slt i64 %k46.next, %v26
          br i1 %k46.more, label %k46.body, label %k46.after, !llvm.loop !208
k46.after:
        br label %p45.step
p45.step:
        %p45.next = add nsw i64 %p45, 1
        %p45.more = icmp slt i64 %p45.next, %v17
        br i1 %p45.more, label %p45.body, label %p45.after, !llvm.loop !209
p45.after:
      %p52.any = icmp slt i64 0, %v17
      br i1 %p52.any, label %p52.body, label %p52.after
p52.body:
        %p52 = phi i64 [ 0, %p45.after ], [ %p52.next, %p52.step ]
        %t53.any = icmp slt i64 0, %v15
        br i1 %t53.any, label %t53.body, label %t53.after
t53.body:
          %t53 = phi i64 [ 0, %p52.body ], [ %t53.next, %t53.step ]
          %v54 = mul i64 %t53, 4
          %same.5.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.5 = shufflevector <32 x float> %same.5.one, <32 x float> poison, <32 x i32> zeroinitializer
          store <32 x float> %same.5, ptr %tile55, align 4
          %same.7.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.7 = shufflevector <32 x float> %same.7.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile55.8.s0 = add nsw i64 0, 32
          %tile55.8 = getelementptr inbounds float, ptr %tile55, i64 %tile55.8.s0
          store <32 x float> %same.7, ptr %tile55.8, align 4
          %same.9.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.9 = shufflevector <32 x float> %same.9.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile55.10.s0 = add nsw i64 0, 64
          %tile55.10 = getelementptr inbounds float, ptr %tile55, i64 %tile55.10.s0
          store <32 x float> %same.9, ptr %tile55.10, align 4
          %same.11.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.11 = shufflevector <32 x float> %same.11.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile55.12.s0 = add nsw i64 0, 96
          %tile55.12 = getelementptr inbounds float, ptr %tile55, i64 %tile55.12.s0
          store <32 x float> %same.11, ptr %tile55.12, align 4
          %v60 = sdiv i64 %v26, 8
          %g61.any = icmp slt i64 0, %v60
          br i1 %g61.any, label %g61.body, label %g61.after
g61.body:
            %g61 = phi i64 [ 0, %t53.body ], [ %g61.next, %g61.step ]
            %v62 = mul i64 %g61, 8
            %v64.at.x0 = mul nsw i64 144, %v54
            %v64.at.s0 = add nsw i64 %v64.at.x0, %v62
            %v64.at = getelementptr inbounds float, ptr %tmp0, i64 %v64.at.s0
            %v64 = load float, ptr %v64.at, align 4
            %v65.at.x0 = mul nsw i64 4096, %p52
            %v65.at.x1 = mul nsw i64 32, %v62
            %v65.at.s0 = add nsw i64 %v65.at.x0, %v65.at.x1
            %v65.at.s1 = add nsw i64 %v65.at.s0, 0
            %v65.at = getelementptr inbounds float, ptr %tmp1, i64 %v65.at.s1
            %v65 = load <32 x float>, ptr %v65.at, align 4
            %same.13.one = insertelement <32 x float> poison, float %v64, i64 0
            %same.13 = shufflevector <32 x float> %same.13.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v66 = fsub <32 x float> %same.13, %v65
            %v67 = fmul <32 x float> %v66, %v66
            %v68.at.x0 = mul nsw i64 144, %v54
            %v68.at.s0 = add nsw i64 %v68.at.x0, %v62
            %v68.at.s1 = add nsw i64 %v68.at.s0, 1
            %v68.at = getelementptr inbounds float, ptr %tmp0, i64 %v68.at.s1
            %v68 = load float, ptr %v68.at, align 4
            %v69.at.x0 = mul nsw i64 4096, %p52
            %v69.at.x1 = mul nsw i64 32, %v62
            %v69.at.s0 = add nsw i64 %v69.at.x0, %v69.at.x1
            %v69.at.s1 = add nsw i64 %v69.at.s0, 0
            %v69.at.s2 = add nsw i64 %v69.at.s1, 32
            %v69.at = getelementptr inbounds float, ptr %tmp1, i64 %v69.at.s2
            %v69 = load <32 x float>, ptr %v69.at, align 4
            %same.14.one = insertelement <32 x float> poison, float %v68, i64 0
            %same.14 = shufflevector <32 x float> %same.14.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v70 = fsub <32 x float> %same.14, %v69
            %v71 = fmul <32 x float> %v70, %v70
            %v72.at.x0 = mul nsw i64 144, %v54
            %v72.at.s0 = add nsw i64 %v72.at.x0, %v62
            %v72.at.s1 = add nsw i64 %v72.at.s0, 2
            %v72.at = getelementptr inbounds float, ptr %tmp0, i64 %v72.at.s1
            %v72 = load float, ptr %v72.at, align 4
            %v73.at.x0 = mul nsw i64 4096, %p52
            %v73.at.x1 = mul nsw i64 32, %v62
            %v73.at.s0 = add nsw i64 %v73.at.x0, %v73.at.x1
            %v73.at.s1 = add nsw i64 %v73.at.s0, 0
            %v73.at.s2 = add nsw i64 %v73.at.s1, 64
            %v73.at = getelementptr inbounds float, ptr %tmp1, i64 %v73.at.s2
            %v73 = load <32 x float>, ptr %v73.at, align 4
            %same.15.one = insertelement <32 x float> poison, float %v72, i64 0
            %same.15 = shufflevector <32 x float> %same.15.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v74 = fsub <32 x float> %same.15, %v73
            %v75 = fmul <32 x float> %v74, %v74
            %v76.at.x0 = mul nsw i64 144, %v54
            %v76.at.s0 = add nsw i64 %v76.at.x0, %v62
            %v76.at.s1 = add nsw i64 %v76.at.s0, 3
            %v76.at = getelementptr inbounds float, ptr %tmp0, i64 %v76.at.s1
            %v76 = load float, ptr %v76.at, align 4
            %v77.at.x0 = mul nsw i64 4096, %p52
            %v77.at.x1 = mul nsw i64 32, %v62
            %v77.at.s0 = add nsw i64 %v77.at.x0, %v77.at.x1
            %v77.at.s1 = add nsw i64 %v77.at.s0, 0
            %v77.at.s2 = add nsw i64 %v77.at.s1, 96
            %v77.at = getelementptr inbounds float, ptr %tmp1, i64 %v77.at.s2
            %v77 = load <32 x float>, ptr %v77.at, align 4
            %same.16.one = insertelement <32 x float> poison, float %v76, i64 0
            %same.16 = shufflevector <32 x float> %same.16.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v78 = fsub <32 x float> %same.16, %v77
            %v79 = fmul <32 x float> %v78, %v78
            %v80.at.x0 = mul nsw i64 144, %v54
            %v80.at.s0 = add nsw i64 %v80.at.x0, %v62
            %v80.at.s1 = add nsw i64 %v80.at.s0, 4
            %v80.at = getelementptr inbounds float, ptr %tmp0, i64 %v80.at.s1
            %v80 = load float, ptr %v80.at, align 4
            %v81.at.x0 = mul nsw i64 4096, %p52
            %v81.at.x1 = mul nsw i64 32, %v62
            %v81.at.s0 = add nsw i64 %v81.at.x0, %v81.at.x1
            %v81.at.s1 = add nsw i64 %v81.at.s0, 0
            %v81.at.s2 = add nsw i64 %v81.at.s1, 128
            %v81.at = getelementptr inbounds float, ptr %tmp1, i64 %v81.at.s2
            %v81 = load <32 x float>, ptr %v81.at, align 4
            %same.17.one = insertelement <32 x float> poison, float %v80, i64 0
            %same.17 = shufflevector <32 x float> %same.17.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v82 = fsub <32 x float> %same.17, %v81
            %v83 = fmul <32 x float> %v82, %v82
            %v84.at.x0 = mul nsw i64 144, %v54
            %v84.at.s0 = add nsw i64 %v84.at.x0, %v62
            %v84.at.s1 = add nsw i64 %v84.at.s0, 5
            %v84.at = getelementptr inbounds float, ptr %tmp0, i64 %v84.at.s1
            %v84 = load float, ptr %v84.at, align 4
            %v85.at.x0 = mul nsw i64 4096, %p52
            %v85.at.x1 = mul nsw i64 32, %v62
            %v85.at.s0 = add nsw i64 %v85.at.x0, %v85.at.x1
            %v85.at.s1 = add nsw i64 %v85.at.s0, 0
            %v85.at.s2 = add nsw i64 %v85.at.s1, 160
            %v85.at = getelementptr inbounds float, ptr %tmp1, i64 %v85.at.s2
            %v85 = load <32 x float>, ptr %v85.at, align 4
            %same.18.one = insertelement <32 x float> poison, float %v84, i64 0
            %same.18 = shufflevector <32 x float> %same.18.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v86 = fsub <32 x float> %same.18, %v85
            %v87 = fmul <32 x float> %v86, %v86
            %v88.at.x0 = mul nsw i64 144, %v54
            %v88.at.s0 = add nsw i64 %v88.at.x0, %v62
            %v88.at.s1 = add nsw i64 %v88.at.s0, 6
            %v88.at = getelementptr inbounds float, ptr %tmp0, i64 %v88.at.s1
            %v88 = load float, ptr %v88.at, align 4
            %v89.at.x0 = mul nsw i64 4096, %p52
            %v89.at.x1 = mul nsw i64 32, %v62
            %v89.at.s0 = add nsw i64 %v89.at.x0, %v89.at.x1
            %v89.at.s1 = add nsw i64 %v89.at.s0, 0
            %v89.at.s2 = add nsw i64 %v89.at.s1, 192
            %v89.at = getelementptr inbounds float, ptr %tmp1, i64 %v89.at.s2
            %v89 = load <32 x float>, ptr %v89.at, align 4
            %same.19.one = insertelement <32 x float> poison, float %v88, i64 0
            %same.19 = shufflevector <32 x float> %same.19.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v90 = fsub <32 x float> %same.19, %v89
            %v91 = fmul <32 x float> %v90, %v90
            %v92.at.x0 = mul nsw i64 144, %v54
            %v92.at.s0 = add nsw i64 %v92.at.x0, %v62
            %v92.at.s1 = add nsw i64 %v92.at.s0, 7
            %v92.at = getelementptr inbounds float, ptr %tmp0, i64 %v92.at.s1
            %v92 = load float, ptr %v92.at, align 4
            %v93.at.x0 = mul nsw i64 4096, %p52
            %v93.at.x1 = mul nsw i64 32, %v62
            %v93.at.s0 = add nsw i64 %v93.at.x0, %v93.at.x1
            %v93.at.s1 = add nsw i64 %v93.at.s0, 0
            %v93.at.s2 = add nsw i64 %v93.at.s1, 224
            %v93.at = getelementptr inbounds float, ptr %tmp1, i64 %v93.at.s2
            %v93 = load <32 x float>, ptr %v93.at, align 4
            %same.20.one = insertelement <32 x float> poison, float %v92, i64 0
            %same.20 = shufflevector <32 x float> %same.20.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v94 = fsub <32 x float> %same.20, %v93
            %v95 = fmul <32 x float> %v94, %v94
            %v96 = load <32 x float>, ptr %tile55, align 4
            %v97 = fadd <32 x float> %v67, %v71
            %v98 = fadd <32 x float> %v75, %v79
            %v99 = fadd <32 x float> %v83, %v87
            %v100 = fadd <32 x float> %v91, %v95
            %v101 = fadd <32 x float> %v97, %v98
            %v102 = fadd <32 x float> %v99, %v100
            %v103 = fadd <32 x float> %v101, %v102
            %v104 = fadd <32 x float> %v96, %v103
            store <32 x float> %v104, ptr %tile55, align 4
            %v105.at.x0 = mul nsw i64 144, %v54
            %v105.at.s0 = add nsw i64 %v105.at.x0, %v62
            %v105.at.s1 = add nsw i64 %v105.at.s0, 144
            %v105.at = getelementptr inbounds float, ptr %tmp0, i64 %v105.at.s1
            %v105 = load float, ptr %v105.at, align 4
            %same.22.one = insertelement <32 x float> poison, float %v105, i64 0
            %same.22 = shufflevector <32 x float> %same.22.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v106 = fsub <32 x float> %same.22, %v65
            %v107 = fmul <32 x float> %v106, %v106
            %v108.at.x0 = mul nsw i64 144, %v54
            %v108.at.s0 = add nsw i64 %v108.at.x0, %v62
            %v108.at.s1 = add nsw i64 %v108.at.s0, 145
            %v108.at = getelementptr inbounds float, ptr %tmp0, i64 %v108.at.s1
            %v108 = load float, ptr %v108.at, align 4
            %same.23.one = insertelement <32 x float> poison, float %v108, i64 0
            %same.23 = shufflevector <32 x float> %same.23.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v109 = fsub <32 x float> %same.23, %v69
            %v110 = fmul <32 x float> %v109, %v109
            %v111.at.x0 = mul nsw i64 144, %v54
            %v111.at.s0 = add nsw i64 %v111.at.x0, %v62
            %v111.at.s1 = add nsw i64 %v111.at.s0, 146
            %v111.at = getelementptr inbounds float, ptr %tmp0, i64 %v111.at.s1
            %v111 = load float, ptr %v111.at, align 4
            %same.24.one = insertelement <32 x float> poison, float %v111, i64 0
            %same.24 = shufflevector <32 x float> %same.24.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v112 = fsub <32 x float> %same.24, %v73
            %v113 = fmul <32 x float> %v112, %v112
            %v114.at.x0 = mul nsw i64 144, %v54
            %v114.at.s0 = add nsw i64 %v114.at.x0, %v62
            %v114.at.s1 = add nsw i64 %v114.at.s0, 147
            %v114.at = getelementptr inbounds float, ptr %tmp0, i64 %v114.at.s1
            %v114 = load float, ptr %v114.at, align 4
            %same.25.one = insertelement <32 x float> poison, float %v114, i64 0
            %same.25 = shufflevector <32 x float> %same.25.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v115 = fsub <32 x float> %same.25, %v77
            %v116 = fmul <32 x float> %v115, %v115
            %v117.at.x0 = mul nsw i64 144, %v54
            %v117.at.s0 = add nsw i64 %v117.at.x0, %v62
            %v117.at.s1 = add nsw i64 %v117.at.s0, 148
            %v117.at = getelementptr inbounds float, ptr %tmp0, i64 %v117.at.s1
            %v117 = load float, ptr %v117.at, align 4
            %same.26.one = insertelement <32 x float> poison, float %v117, i64 0
            %same.26 = shufflevector <32 x float> %same.26.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v118 = fsub <32 x float> %same.26, %v81
            %v119 = fmul <32 x float> %v118, %v118
            %v120.at.x0 = mul nsw i64 144, %v54
            %v120.at.s0 = add nsw i64 %v120.at.x0, %v62
            %v120.at.s1 = add nsw i64 %v120.at.s0, 149
            %v120.at = getelementptr inbounds float, ptr %tmp0, i64 %v120.at.s1
            %v120 = load float, ptr %v120.at, align 4
            %same.27.one = insertelement <32 x float> poison, float %v120, i64 0
            %same.27 = shufflevector <32 x float> %same.27.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v121 = fsub <32 x float> %same.27, %v85
            %v122 = fmul <32 x float> %v121, %v121
            %v123.at.x0 = mul nsw i64 144, %v54
            %v123.at.s0 = add nsw i64 %v123.at.x0, %v62
            %v123.at.s1 = add nsw i64 %v123.at.s0, 150
            %v123.at = getelementptr inbounds float, ptr %tmp0, i64 %v123.at.s1
            %v123 = load float, ptr %v123.at, align 4
            %same.28.one = insertelement <32 x float> poison, float %v123, i64 0
            %same.28 = shufflevector <32 x float> %same.28.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v124 = fsub <32 x float> %same.28, %v89
            %v125 = fmul <32 x float> %v124, %v124
            %v126.at.x0 = mul nsw i64 144, %v54
            %v126.at.s0 = add nsw i64 %v126.at.x0, %v62
            %v126.at.s1 = add nsw i64 %v126.at.s0, 151
            %v126.at = getelementptr inbounds float, ptr %tmp0, i64 %v126.at.s1
            %v126 = load float, ptr %v126.at, align 4
            %same.29.one = insertelement <32 x float> poison, float %v126, i64 0
            %same.29 = shufflevector <32 x float> %same.29.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v127 = fsub <32 x float> %same.29, %v93
            %v128 = fmul <32 x float> %v127, %v127
            %v129.at.s0 = add nsw i64 0, 32
            %v129.at = getelementptr inbounds float, ptr %tile55, i64 %v129.at.s0
            %v129 = load <32 x float>, ptr %v129.at, align 4
            %v130 = fadd <32 x float> %v107, %v110
            %v131 = fadd <32 x float> %v113, %v116
            %v132 = fadd <32 x float> %v119, %v122
            %v133 = fadd <32 x float> %v125, %v128
            %v134 = fadd <32 x float> %v130, %v131
            %v135 = fadd <32 x float> %v132, %v133
            %v136 = fadd <32 x float> %v134, %v135
            %v137 = fadd <32 x float> %v129, %v136
            %tile55.30.s0 = add nsw i64 0, 32
            %tile55.30 = getelementptr inbounds float, ptr %tile55, i64 %tile55.30.s0
            store <32 x float> %v137, ptr %tile55.30, align 4
            %v138.at.x0 = mul nsw i64 144, %v54
            %v138.at.s0 = add nsw i64 %v138.at.x0, %v62
            %v138.at.s1 = add nsw i64 %v138.at.s0, 288
            %v138.at = getelementptr inbounds float, ptr %tmp0, i64 %v138.at.s1
            %v138 = load float, ptr %v138.at, align 4
            %same.31.one = insertelement <32 x float> poison, float %v138, i64 0
            %same.31 = shufflevector <32 x float> %same.31.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v139 = fsub <32 x float> %same.31, %v65
            %v140 = fmul <32 x float> %v139, %v139
            %v141.at.x0 = mul nsw i64 144, %v54
            %v141.at.s0 = add nsw i64 %v141.at.x0, %v62
            %v141.at.s1 = add nsw i64 %v141.at.s0, 289
            %v141.at = getelementptr inbounds float, ptr %tmp0, i64 %v141.at.s1
            %v141 = load float, ptr %v141.at, align 4
            %same.32.one = insertelement <32 x float> poison, float %v141, i64 0
            %same.32 = shufflevector <32 x float> %same.32.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v142 = fsub <32 x float> %same.32, %v69
            %v143 = fmul <32 x float> %v142, %v142
            %v144.at.x0 = mul nsw i64 144, %v54
            %v144.at.s0 = add nsw i64 %v144.at.x0, %v62
            %v144.at.s1 = add nsw i64 %v144.at.s0, 290
            %v144.at = getelementptr inbounds float, ptr %tmp0, i64 %v144.at.s1
            %v144 = load float, ptr %v144.at, align 4
            %same.33.one = insertelement <32 x float> poison, float %v144, i64 0
            %same.33 = shufflevector <32 x float> %same.33.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v145 = fsub <32 x float> %same.33, %v73
            %v146 = fmul <32 x float> %v145, %v145
            %v147.at.x0 = mul nsw i64 144, %v54
            %v147.at.s0 = add nsw i64 %v147.at.x0, %v62
            %v147.at.s1 = add nsw i64 %v147.at.s0, 291
            %v147.at = getelementptr inbounds float, ptr %tmp0, i64 %v147.at.s1
            %v147 = load float, ptr %v147.at, align 4
            %same.34.one = insertelement <32 x float> poison, float %v147, i64 0
            %same.34 = shufflevector <32 x float> %same.34.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v148 = fsub <32 x float> %same.34, %v77
            %v149 = fmul <32 x float> %v148, %v148
            %v150.at.x0 = mul nsw i64 144, %v54
            %v150.at.s0 = add nsw i64 %v150.at.x0, %v62
            %v150.at.s1 = add nsw i64 %v150.at.s0, 292
            %v150.at = getelementptr inbounds float, ptr %tmp0, i64 %v150.at.s1
            %v150 = load float, ptr %v150.at, align 4
            %same.35.one = insertelement <32 x float> poison, float %v150, i64 0
            %same.35 = shufflevector <32 x float> %same.35.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v151 = fsub <32 x float> %same.35, %v81
            %v152 = fmul <32 x float> %v151, %v151
            %v153.at.x0 = mul nsw i64 144, %v54
            %v153.at.s0 = add nsw i64 %v153.at.x0, %v62
            %v153.at.s1 = add nsw i64 %v153.at.s0, 293
            %v153.at = getelementptr inbounds float, ptr %tmp0, i64 %v153.at.s1
            %v153 = load float, ptr %v153.at, align 4
            %same.36.one = insertelement <32 x float> poison, float %v153, i64 0
            %same.36 = shufflevector <32 x float> %same.36.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v154 = fsub <32 x float> %same.36, %v85
            %v155 = fmul <32 x float> %v154, %v154
            %v156.at.x0 = mul nsw i64 144, %v54
            %v156.at.s0 = add nsw i64 %v156.at.x0, %v62
            %v156.at.s1 = add nsw i64 %v156.at.s0, 294
            %v156.at = getelementptr inbounds float, ptr %tmp0, i64 %v156.at.s1
            %v156 = load float, ptr %v156.at, align 4
            %same.37.one = insertelement <32 x float> poison, float %v156, i64 0
            %same.37 = shufflevector <32 x float> %same.37.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v157 = fsub <32 x float> %same.37, %v89
            %v158 = fmul <32 x float> %v157, %v157
            %v159.at.x0 = mul nsw i64 144, %v54
            %v159.at.s0 = add nsw i64 %v159.at.x0, %v62
            %v159.at.s1 = add nsw i64 %v159.at.s0, 295
            %v159.at = getelementptr inbounds float, ptr %tmp0, i64 %v159.at.s1
            %v159 = load float, ptr %v159.at, align 4
            %same.38.one = insertelement <32 x float> poison, float %v159, i64 0
            %same.38 = shufflevector <32 x float> %same.38.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v160 = fsub <32 x float> %same.38, %v93
            %v161 = fmul <32 x float> %v160, %v160
            %v162.at.s0 = add nsw i64 0, 64
            %v162.at = getelementptr inbounds float, ptr %tile55, i64 %v162.at.s0
            %v162 = load <32 x float>, ptr %v162.at, align 4
            %v163 = fadd <32 x float> %v140, %v143
            %v164 = fadd <32 x float> %v146, %v149
            %v165 = fadd <32 x float> %v152, %v155
            %v166 = fadd <32 x float> %v158, %v161
            %v167 = fadd <32 x float> %v163, %v164
            %v168 = fadd <32 x float> %v165, %v166
            %v169 = fadd <32 x float> %v167, %v168
            %v170 = fadd <32 x float> %v162, %v169
            %tile55.39.s0 = add nsw i64 0, 64
            %tile55.39 = getelementptr inbounds float, ptr %tile55, i64 %tile55.39.s0
            store <32 x float> %v170, ptr %tile55.39, align 4
            %v171.at.x0 = mul nsw i64 144, %v54
            %v171.at.s0 = add nsw i64 %v171.at.x0, %v62
            %v171.at.s1 = add nsw i64 %v171.at.s0, 432
            %v171.at = getelementptr inbounds float, ptr %tmp0, i64 %v171.at.s1
            %v171 = load float, ptr %v171.at, align 4
            %same.40.one = insertelement <32 x float> poison, float %v171, i64 0
            %same.40 = shufflevector <32 x float> %same.40.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v172 = fsub <32 x float> %same.40, %v65
            %v173 = fmul <32 x float> %v172, %v172
            %v174.at.x0 = mul nsw i64 144, %v54
            %v174.at.s0 = add nsw i64 %v174.at.x0, %v62
            %v174.at.s1 = add nsw i64 %v174.at.s0, 433
            %v174.at = getelementptr inbounds float, ptr %tmp0, i64 %v174.at.s1
            %v174 = load float, ptr %v174.at, align 4
            %same.41.one = insertelement <32 x float> poison, float %v174, i64 0
            %same.41 = shufflevector <32 x float> %same.41.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v175 = fsub <32 x float> %same.41, %v69
            %v176 = fmul <32 x float> %v175, %v175
            %v177.at.x0 = mul nsw i64 144, %v54
            %v177.at.s0 = add nsw i64 %v177.at.x0, %v62
            %v177.at.s1 = add nsw i64 %v177.at.s0, 434
            %v177.at = getelementptr inbounds float, ptr %tmp0, i64 %v177.at.s1
            %v177 = load float, ptr %v177.at, align 4
            %same.42.one = insertelement <32 x float> poison, float %v177, i64 0
            %same.42 = shufflevector <32 x float> %same.42.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v178 = fsub <32 x float> %same.42, %v73
            %v179 = fmul <32 x float> %v178, %v178
            %v180.at.x0 = mul nsw i64 144, %v54
            %v180.at.s0 = add nsw i64 %v180.at.x0, %v62
            %v180.at.s1 = add nsw i64 %v180.at.s0, 435
            %v180.at = getelementptr inbounds float, ptr %tmp0, i64 %v180.at.s1
            %v180 = load float, ptr %v180.at, align 4
            %same.43.one = insertelement <32 x float> poison, float %v180, i64 0
            %same.43 = shufflevector <32 x float> %same.43.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v181 = fsub <32 x float> %same.43, %v77
            %v182 = fmul <32 x float> %v181, %v181
            %v183.at.x0 = mul nsw i64 144, %v54
            %v183.at.s0 = add nsw i64 %v183.at.x0, %v62
            %v183.at.s1 = add nsw i64 %v183.at.s0, 436
            %v183.at = getelementptr inbounds float, ptr %tmp0, i64 %v183.at.s1
            %v183 = load float, ptr %v183.at, align 4
            %same.44.one = insertelement <32 x float> poison, float %v183, i64 0
            %same.44 = shufflevector <32 x float> %same.44.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v184 = fsub <32 x float> %same.44, %v81
            %v185 = fmul <32 x float> %v184, %v184
            %v186.at.x0 = mul nsw i64 144, %v54
            %v186.at.s0 = add nsw i64 %v186.at.x0, %v62
            %v186.at.s1 = add nsw i64 %v186.at.s0, 437
            %v186.at = getelementptr inbounds float, ptr %tmp0, i64 %v186.at.s1
            %v186 = load float, ptr %v186.at, align 4
            %same.45.one = insertelement <32 x float> poison, float %v186, i64 0
            %same.45 = shufflevector <32 x float> %same.45.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v187 = fsub <32 x float> %same.45, %v85
            %v188 = fmul <32 x float> %v187, %v187
            %v189.at.x0 = mul nsw i64 144, %v54
            %v189.at.s0 = add nsw i64 %v189.at.x0, %v62
            %v189.at.s1 = add nsw i64 %v189.at.s0, 438
            %v189.at = getelementptr inbounds float, ptr %tmp0, i64 %v189.at.s1
            %v189 = load float, ptr %v189.at, align 4
            %same.46.one = insertelement <32 x float> poison, float %v189, i64 0
            %same.46 = shufflevector <32 x float> %same.46.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v190 = fsub <32 x float> %same.46, %v89
            %v191 = fmul <32 x float> %v190, %v190
            %v192.at.x0 = mul nsw i64 144, %v54
            %v192.at.s0 = add nsw i64 %v192.at.x0, %v62
            %v192.at.s1 = add nsw i64 %v192.at.s0, 439
            %v192.at = getelementptr inbounds float, ptr %tmp0, i64 %v192.at.s1
            %v192 = load float, ptr %v192.at, align 4
            %same.47.one = insertelement <32 x float> poison, float %v192, i64 0
            %same.47 = shufflevector <32 x float> %same.47.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v193 = fsub <32 x float> %same.47, %v93
            %v194 = fmul <32 x float> %v193, %v193
            %v195.at.s0 = add nsw i64 0, 96
            %v195.at = getelementptr inbounds float, ptr %tile55, i64 %v195.at.s0
            %v195 = load <32 x float>, ptr %v195.at, align 4
            %v196 = fadd <32 x float> %v173, %v176
            %v197 = fadd <32 x float> %v179, %v182
            %v198 = fadd <32 x float> %v185, %v188
            %v199 = fadd <32 x float> %v191, %v194
            %v200 = fadd <32 x float> %v196, %v197
            %v201 = fadd <32 x float> %v198, %v199
            %v202 = fadd <32 x float> %v200, %v201
            %v203 = fadd <32 x float> %v195, %v202
            %tile55.48.s0 = add nsw i64 0, 96
            %tile55.48 = getelementptr inbounds float, ptr %tile55, i64 %tile55.48.s0
            store <32 x float> %v203, ptr %tile55.48, align 4
            br label %g61.step
g61.step:
            %g61.next = add nsw i64 %g61, 1
            %g61.more = icmp slt i64 %g61.next, %v60
            br i1 %g61.more, label %g61.body, label %g61.after, !llvm.loop !210
g61.after:
          %v204 = mul i64 %v60, 8
          %k205.any = icmp slt i64 %v204, %v26
          br i1 %k205.any, label %k205.body, label %k205.after
k205.body:
            %k205 = phi i64 [ %v204, %g61.after ], [ %k205.next, %k205.step ]
            %v207.at.x0 = mul nsw i64 144, %v54
            %v207.at.s0 = add nsw i64 %v207.at.x0, %k205
            %v207.at = getelementptr inbounds float, ptr %tmp0, i64 %v207.at.s0
            %v207 = load float, ptr %v207.at, align 4
            %v208.at.x0 = mul nsw i64 4096, %p52
            %v208.at.x1 = mul nsw i64 32, %k205
            %v208.at.s0 = add nsw i64 %v208.at.x0, %v208.at.x1
            %v208.at.s1 = add nsw i64 %v208.at.s0, 0
            %v208.at = getelementptr inbounds float, ptr %tmp1, i64 %v208.at.s1
            %v208 = load <32 x float>, ptr %v208.at, align 4
            %same.49.one = insertelement <32 x float> poison, float %v207, i64 0
            %same.49 = shufflevector <32 x float> %same.49.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v209 = fsub <32 x float> %same.49, %v208
            %v210 = fmul <32 x float> %v209, %v209
            %v211 = load <32 x float>, ptr %tile55, align 4
            %v212 = fadd <32 x float> %v211, %v210
            store <32 x float> %v212, ptr %tile55, align 4
            %v213.at.x0 = mul nsw i64 144, %v54
            %v213.at.s0 = add nsw i64 %v213.at.x0, %k205
            %v213.at.s1 = add nsw i64 %v213.at.s0, 144
            %v213.at = getelementptr inbounds float, ptr %tmp0, i64 %v213.at.s1
            %v213 = load float, ptr %v213.at, align 4
            %same.51.one = insertelement <32 x float> poison, float %v213, i64 0
            %same.51 = shufflevector <32 x float> %same.51.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v214 = fsub <32 x float> %same.51, %v208
            %v215 = fmul <32 x float> %v214, %v214
            %v216.at.s0 = add nsw i64 0, 32
            %v216.at = getelementptr inbounds float, ptr %tile55, i64 %v216.at.s0
            %v216 = load <32 x float>, ptr %v216.at, align 4
            %v217 = fadd <32 x float> %v216, %v215
            %tile55.52.s0 = add nsw i64 0, 32
            %tile55.52 = getelementptr inbounds float, ptr %tile55, i64 %tile55.52.s0
            store <32 x float> %v217, ptr %tile55.52, align 4
            %v218.at.x0 = mul nsw i64 144, %v54
            %v218.at.s0 = add nsw i64 %v218.at.x0, %k205
            %v218.at.s1 = add nsw i64 %v218.at.s0, 288
            %v218.at = getelementptr inbounds float, ptr %tmp0, i64 %v218.at.s1
            %v218 = load float, ptr %v218.at, align 4
            %same.53.one = insertelement <32 x float> poison, float %v218, i64 0
            %same.53 = shufflevector <32 x float> %same.53.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v219 = fsub <32 x float> %same.53, %v208
            %v220 = fmul <32 x float> %v219, %v219
            %v221.at.s0 = add nsw i64 0, 64
            %v221.at = getelementptr inbounds float, ptr %tile55, i64 %v221.at.s0
            %v221 = load <32 x float>, ptr %v221.at, align 4
            %v222 = fadd <32 x float> %v221, %v220
            %tile55.54.s0 = add nsw i64 0, 64
            %tile55.54 = getelementptr inbounds float, ptr %tile55, i64 %tile55.54.s0
            store <32 x float> %v222, ptr %tile55.54, align 4
            %v223.at.x0 = mul nsw i64 144, %v54
            %v223.at.s0 = add nsw i64 %v223.at.x0, %k205
            %v223.at.s1 = add nsw i64 %v223.at.s0, 432
            %v223.at = getelementptr inbounds float, ptr %tmp0, i64 %v223.at.s1
            %v223 = load float, ptr %v223.at, align 4
            %same.55.one = insertelement <32 x float> poison, float %v223, i64 0
            %same.55 = shufflevector <32 x float> %same.55.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v224 = fsub <32 x float> %same.55, %v208
            %v225 = fmul <32 x float> %v224, %v224
            %v226.at.s0 = add nsw i64 0, 96
            %v226.at = getelementptr inbounds float, ptr %tile55, i64 %v226.at.s0
            %v226 = load <32 x float>, ptr %v226.at, align 4
            %v227 = fadd <32 x float> %v226, %v225
            %tile55.56.s0 = add nsw i64 0, 96
            %tile55.56 = getelementptr inbounds float, ptr %tile55, i64 %tile55.56.s0
            store <32 x float> %v227, ptr %tile55.56, align 4
            br label %k205.step
k205.step:
            %k205.next = add nsw i64 %k205, 1
            %k205.more = icmp slt i64 %k205.next, %v26
            br i1 %k205.more, label %k205.body, label %k205.after, !llvm.loop !211
k205.after:
          %v228 = mul i64 %p52, 32
          %v229 = mul i64 %v54, 384
          %v230 = add i64 %v229, %v228
          %v232 = load <32 x float>, ptr %tile55, align 4
          %v233.at.s0 = add nsw i64 %v230, 0
          %v233.at = getelementptr inbounds double, ptr %tmp2, i64 %v233.at.s0
          %v233 = load <32 x double>, ptr %v233.at, align 8
          %v234 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v232)
          %v235 = fadd <32 x double> %v233, %v234
          %tmp2.57.s0 = add nsw i64 %v230, 0
          %tmp2.57 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.57.s0
          store <32 x double> %v235, ptr %tmp2.57, align 8
          %v237.at.s0 = add nsw i64 0, 32
          %v237.at = getelementptr inbounds float, ptr %tile55, i64 %v237.at.s0
          %v237 = load <32 x float>, ptr %v237.at, align 4
          %v238.at.s0 = add nsw i64 %v230, 0
          %v238.at.s1 = add nsw i64 %v238.at.s0, 384
          %v238.at = getelementptr inbounds double, ptr %tmp2, i64 %v238.at.s1
          %v238 = load <32 x double>, ptr %v238.at, align 8
          %v239 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v237)
          %v240 = fadd <32 x double> %v238, %v239
          %tmp2.58.s0 = add nsw i64 %v230, 0
          %tmp2.58.s1 = add nsw i64 %tmp2.58.s0, 384
          %tmp2.58 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.58.s1
          store <32 x double> %v240, ptr %tmp2.58, align 8
          %v242.at.s0 = add nsw i64 0, 64
          %v242.at = getelementptr inbounds float, ptr %tile55, i64 %v242.at.s0
          %v242 = load <32 x float>, ptr %v242.at, align 4
          %v243.at.s0 = add nsw i64 %v230, 0
          %v243.at.s1 = add nsw i64 %v243.at.s0, 768
          %v243.at = getelementptr inbounds double, ptr %tmp2, i64 %v243.at.s1
          %v243 = load <32 x double>, ptr %v243.at, align 8
          %v244 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v242)
          %v245 = fadd <32 x double> %v243, %v244
          %tmp2.59.s0 = add nsw i64 %v230, 0
          %tmp2.59.s1 = add nsw i64 %tmp2.59.s0, 768
          %tmp2.59 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.59.s1
          store <32 x double> %v245, ptr %tmp2.59, align 8
          %v247.at.s0 = add nsw i64 0, 96
          %v247.at = getelementptr inbounds float, ptr %tile55, i64 %v247.at.s0
          %v247 = load <32 x float>, ptr %v247.at, align 4
          %v248.at.s0 = add nsw i64 %v230, 0
          %v248.at.s1 = add nsw i64 %v248.at.s0, 1152
          %v248.at = getelementptr inbounds double, ptr %tmp2, i64 %v248.at.s1
          %v248 = load <32 x double>, ptr %v248.at, align 8
          %v249 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v247)
          %v250 = fadd <32 x double> %v248, %v249
          %tmp2.60.s0 = add nsw i64 %v230, 0
          %tmp2.60.s1 = add nsw i64 %tmp2.60.s0, 1152
          %tmp2.60 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.60.s1
          store <32 x double> %v250, ptr %tmp2.60, align 8
          br label %t53.step
t53.step:
          %t53.next = add nsw i64 %t53, 1
          %t53.more = icmp slt i64 %t53.next, %v15
          br i1 %t53.more, label %t53.body, label %t53.after, !llvm.loop !212
t53.after:
        br label %p52.step
p52.step:
        %p52.next = add nsw i64 %p52, 1
        %p52.more = icmp slt i64 %p52.next, %v17
        br i1 %p52.more, label %p52.body, label %p52.after, !llvm.loop !213
p52.after:
      br label %s23.step
s23.step:
      %s23.next = add nsw i64 %s23, 1
      %s23.more = icmp slt i64 %s23.next, %n9
      br i1 %s23.more, label %s23.body, label %s23.after, !llvm.loop !214
s23.after:
    %i251.any = icmp slt i64 0, %v11
    br i1 %i251.any, label %i251.body, label %i251.after
i251.body:
      %i251 = phi i64 [ 0, %s23.after ], [ %i251.next, %i251.step ]
      %v252 = mul i64 %i251, 384
      %v253 = add i64 %v9, %i251
      %j254.any = icmp slt i64 0, %v13
      br i1 %j254.any, label %j254.body, label %j254.after
j254.body:
        %j254 = phi i64 [ 0, %i251.body ], [ %j254.next, %j254.step ]
        %v255 = add i64 %v7, %j254
        %v256.at.s0 = add nsw i64 %v252, %j254
        %v256.at = getelementptr inbounds double, ptr %tmp2, i64 %v256.at.s0
        %v256 = load double, ptr %v256.at, align 8
        %v257 = call float @convert_f64_f32(double %v256)
        %v258 = fneg float %v257
        %v259 = call float @exp_f32(float %v258)
        %out0.61.x0 = mul nsw i64 %d2, %v253
        %out0.61.s0 = add nsw i64 %out0.61.x0, %v255
        %out0.61 = getelementptr inbounds float, ptr %out0, i64 %out0.61.s0
        store float %v259, ptr %out0.61, align 4
        br label %j254.step
j254.step:
        %j254.next = add nsw i64 %j254, 1
        %j254.more = icmp slt i64 %j254.next, %v13
        br i1 %j254.more, label %j254.body, label %j254.after, !llvm.loop !215
j254.after:
      br label %i251.step
i251.step:
      %i251.next = add nsw i64 %i251, 1
      %i251.more = icmp slt i64 %i251.next, %v11
      br i1 %i251.more, label %i251.body, label %i251.after, !llvm.loop !216
i251.after:
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