define void @kernel(i64 %begin, i64 %end, ptr noalias %tmp0, ptr noalias %tmp1, ptr noalias %tmp2, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, ptr noalias readonly %in0, i64 %d0, ptr noalias readonly %in1, i64 %d1, ptr noalias %out0, i64 %d2, ptr noalias %flags) #0 {
entry:
  %tile54 = alloca [128 x float], align 64
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = sdiv i64 %w0, %n3
    %v2 = srem i64 %w0, %n3
    %v3 = mul i64 %v2, %n5
    %v4 = srem i64 %v1, %n2
    %v5 = mul i64 %v4, %n4
    %v6 = sub i64 %n0, %v5
    %v7 = call i64 @minimum_i64(i64 %n4, i64 %v6)
    %v8 = sub i64 %n1, %v3
    %v9 = call i64 @minimum_i64(i64 %n5, i64 %v8)
    %v10 = add i64 %v7, 3
    %v11 = sdiv i64 %v10, 4
    %v12 = add i64 %v9, 31
    %v13 = sdiv i64 %v12, 32
    %v14 = sdiv i64 %v1, %n2
    %v15 = mul i64 %v11, 4
    %i16.any = icmp slt i64 0, %v15
    br i1 %i16.any, label %i16.body, label %i16.after
i16.body:
      %i16 = phi i64 [ 0, %w0.body ], [ %i16.next, %i16.step ]
      %v17 = mul i64 %i16, 384
      %j18.any = icmp slt i64 0, 384
      br i1 %j18.any, label %j18.body, label %j18.after
j18.body:
        %j18 = phi i64 [ 0, %i16.body ], [ %j18.next, %j18.step ]
        %tmp2.1.s0 = add nsw i64 %v17, %j18
        %tmp2.1 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.1.s0
        store double 0.0, ptr %tmp2.1, align 8
        br label %j18.step
j18.step:
        %j18.next = add nsw i64 %j18, 1
        %j18.more = icmp slt i64 %j18.next, 384
        br i1 %j18.more, label %j18.body, label %j18.after, !llvm.loop !200
j18.after:
      br label %i16.step
i16.step:
      %i16.next = add nsw i64 %i16, 1
      %i16.more = icmp slt i64 %i16.next, %v15
      br i1 %i16.more, label %i16.body, label %i16.after, !llvm.loop !201
i16.after:
    %v19 = add i64 %n6, 127
    %v20 = sdiv i64 %v19, 128
    %s21.any = icmp slt i64 0, %v20
    br i1 %s21.any, label %s21.body, label %s21.after
s21.body:
      %s21 = phi i64 [ 0, %i16.after ], [ %s21.next, %s21.step ]
      %v22 = mul i64 %s21, 128
      %v23 = sub i64 %n6, %v22
      %v24 = call i64 @minimum_i64(i64 128, i64 %v23)
      %v25 = sub i64 %n0, 1
      %i26.any = icmp slt i64 0, %v15
      br i1 %i26.any, label %i26.body, label %i26.after
i26.body:
        %i26 = phi i64 [ 0, %s21.body ], [ %i26.next, %i26.step ]
        %k27.any = icmp slt i64 0, %v24
        br i1 %k27.any, label %k27.body, label %k27.after
k27.body:
          %k27 = phi i64 [ 0, %i26.body ], [ %k27.next, %k27.step ]
          %v28 = add i64 %v5, %i26
          %v29 = call i64 @minimum_i64(i64 %v28, i64 %v25)
          %v30 = add i64 %v22, %k27
          %v31.at.x1 = mul nsw i64 %d0, %v29
          %v31.at.s0 = add nsw i64 %v30, %v31.at.x1
          %v31.at = getelementptr inbounds float, ptr %in0, i64 %v31.at.s0
          %v31 = load float, ptr %v31.at, align 4
          %tmp0.2.x0 = mul nsw i64 144, %i26
          %tmp0.2.s0 = add nsw i64 %tmp0.2.x0, %k27
          %tmp0.2 = getelementptr inbounds float, ptr %tmp0, i64 %tmp0.2.s0
          store float %v31, ptr %tmp0.2, align 4
          br label %k27.step
k27.step:
          %k27.next = add nsw i64 %k27, 1
          %k27.more = icmp slt i64 %k27.next, %v24
          br i1 %k27.more, label %k27.body, label %k27.after, !llvm.loop !202
k27.after:
        br label %i26.step
i26.step:
        %i26.next = add nsw i64 %i26, 1
        %i26.more = icmp slt i64 %i26.next, %v15
        br i1 %i26.more, label %i26.body, label %i26.after, !llvm.loop !203
i26.after:
      %v32 = sdiv i64 %v9, 32
      %p33.any = icmp slt i64 0, %v13
      br i1 %p33.any, label %p33.body, label %p33.after
p33.body:
        %p33 = phi i64 [ 0, %i26.after ], [ %p33.next, %p33.step ]
        %v34 = mul i64 %p33, 32
        %v35 = sub i64 %v9, %v34
        %v36 = call i64 @minimum_i64(i64 %v35, i64 32)
        %v37 = icmp eq i64 %v36, 32
        %j38.any = icmp slt i64 0, %v36
        br i1 %j38.any, label %j38.body, label %j38.after
j38.body:
          %j38 = phi i64 [ 0, %p33.body ], [ %j38.next, %j38.step ]
          %k39.any = icmp slt i64 0, %v24
          br i1 %k39.any, label %k39.body, label %k39.after
k39.body:
            %k39 = phi i64 [ 0, %j38.body ], [ %k39.next, %k39.step ]
            %v40 = add i64 %v3, %v34
            %v41 = add i64 %v40, %j38
            %v42 = add i64 %v22, %k39
            %v43.at.x1 = mul nsw i64 %d1, %v41
            %v43.at.s0 = add nsw i64 %v42, %v43.at.x1
            %v43.at = getelementptr inbounds float, ptr %in1, i64 %v43.at.s0
            %v43 = load float, ptr %v43.at, align 4
            %tmp1.3.x0 = mul nsw i64 4096, %p33
            %tmp1.3.x2 = mul nsw i64 32, %k39
            %tmp1.3.s0 = add nsw i64 %tmp1.3.x0, %j38
            %tmp1.3.s1 = add nsw i64 %tmp1.3.s0, %tmp1.3.x2
            %tmp1.3 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.3.s1
            store float %v43, ptr %tmp1.3, align 4
            br label %k39.step
k39.step:
            %k39.next = add nsw i64 %k39, 1
            %k39.more = icmp slt i64 %k39.next, %v24
            br i1 %k39.more, label %k39.body, label %k39.after, !llvm.loop !204
k39.after:
          br label %j38.step
j38.step:
          %j38.next = add nsw i64 %j38, 1
          %j38.more = icmp slt i64 %j38.next, %v36
          br i1 %j38.more, label %j38.body, label %j38.after, !llvm.loop !205
j38.after:
        br label %p33.step
p33.step:
        %p33.next = add nsw i64 %p33, 1
        %p33.more = icmp slt i64 %p33.next, %v13
        br i1 %p33.more, label %p33.body, label %p33.after, !llvm.loop !206
p33.after:
      %p44.any = icmp slt i64 %v32, %v13
      br i1 %p44.any, label %p44.body, label %p44.after
p44.body:
        %p44 = phi i64 [ %v32, %p33.after ], [ %p44.next, %p44.step ]
        %k45.any = icmp slt i64 0, %v24
        br i1 %k45.any, label %k45.body, label %k45.after
k45.body:
          %k45 = phi i64 [ 0, %p44.body ], [ %k45.next, %k45.step ]
          %v46 = mul i64 %p44, 32
          %v47 = sub i64 %v9, %v46
          %v48 = sub i64 %v47, 1
          %j49.any = icmp slt i64 %v47, 32
          br i1 %j49.any, label %j49.body, label %j49.after
j49.body:
            %j49 = phi i64 [ %v47, %k45.body ], [ %j49.next, %j49.step ]
            %v50.at.x0 = mul nsw i64 4096, %p44
            %v50.at.x2 = mul nsw i64 32, %k45
            %v50.at.s0 = add nsw i64 %v50.at.x0, %v48
            %v50.at.s1 = add nsw i64 %v50.at.s0, %v50.at.x2
            %v50.at = getelementptr inbounds float, ptr %tmp1, i64 %v50.at.s1
            %v50 = load float, ptr %v50.at, align 4
            %tmp1.4.x0 = mul nsw i64 4096, %p44
            %tmp1.4.x2 = mul nsw i64 32, %k45
            %tmp1.4.s0 = add nsw i64 %tmp1.4.x0, %j49
            %tmp1.4.s1 = add nsw i64 %tmp1.4.s0, %tmp1.4.x2
            %tmp1.4 = getelementptr inbounds float, ptr %tmp1, i64 %tmp1.4.s1
            store float %v50, ptr %tmp1.4, align 4
            br label %j49.step
j49.step:
            %j49.next = add nsw i64 %j49, 1
            %j49.more = icmp slt i64 %j49.next, 32
            br i1 %j49.more, label %j49.body, label %j49.after, !llvm.loop !207
j49.after:
          br label %k45.step
k45.step:
          %k45.next = add nsw i64 %k45, 1
          %k45.more = icmp slt i64 %k45.next, %v24
          br i1 %k45.more, label %k45.body, label %k45.after, !llvm.loop !208
k45.after:
        br label %p44.step
p44.step:
        %p44.next = add nsw i64 %p44, 1
        %p44.more = icmp slt i64 %p44.next, %v13
        br i1 %p44.more, label %p44.body, label %p44.after, !llvm.loop !209
p44.after:
      %p51.any = icmp slt i64 0, %v13
      br i1 %p51.any, label %p51.body, label %p51.after
p51.body:
        %p51 = phi i64 [ 0, %p44.after ], [ %p51.next, %p51.step ]
        %t52.any = icmp slt i64 0, %v11
        br i1 %t52.any, label %t52.body, label %t52.after
t52.body:
          %t52 = phi i64 [ 0, %p51.body ], [ %t52.next, %t52.step ]
          %v53 = mul i64 %t52, 4
          %same.5.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.5 = shufflevector <32 x float> %same.5.one, <32 x float> poison, <32 x i32> zeroinitializer
          store <32 x float> %same.5, ptr %tile54, align 4
          %same.7.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.7 = shufflevector <32 x float> %same.7.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile54.8.s0 = add nsw i64 0, 32
          %tile54.8 = getelementptr inbounds float, ptr %tile54, i64 %tile54.8.s0
          store <32 x float> %same.7, ptr %tile54.8, align 4
          %same.9.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.9 = shufflevector <32 x float> %same.9.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile54.10.s0 = add nsw i64 0, 64
          %tile54.10 = getelementptr inbounds float, ptr %tile54, i64 %tile54.10.s0
          store <32 x float> %same.9, ptr %tile54.10, align 4
          %same.11.one = insertelement <32 x float> poison, float 0.0, i64 0
          %same.11 = shufflevector <32 x float> %same.11.one, <32 x float> poison, <32 x i32> zeroinitializer
          %tile54.12.s0 = add nsw i64 0, 96
          %tile54.12 = getelementptr inbounds float, ptr %tile54, i64 %tile54.12.s0
          store <32 x float> %same.11, ptr %tile54.12, align 4
          %v59 = sdiv i64 %v24, 8
          %g60.any = icmp slt i64 0, %v59
          br i1 %g60.any, label %g60.body, label %g60.after
g60.body:
            %g60 = phi i64 [ 0, %t52.body ], [ %g60.next, %g60.step ]
            %v61 = mul i64 %g60, 8
            %v63.at.x0 = mul nsw i64 144, %v53
            %v63.at.s0 = add nsw i64 %v63.at.x0, %v61
            %v63.at = getelementptr inbounds float, ptr %tmp0, i64 %v63.at.s0
            %v63 = load float, ptr %v63.at, align 4
            %v64.at.x0 = mul nsw i64 4096, %p51
            %v64.at.x1 = mul nsw i64 32, %v61
            %v64.at.s0 = add nsw i64 %v64.at.x0, %v64.at.x1
            %v64.at.s1 = add nsw i64 %v64.at.s0, 0
            %v64.at = getelementptr inbounds float, ptr %tmp1, i64 %v64.at.s1
            %v64 = load <32 x float>, ptr %v64.at, align 4
            %same.13.one = insertelement <32 x float> poison, float %v63, i64 0
            %same.13 = shufflevector <32 x float> %same.13.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v65 = fsub <32 x float> %same.13, %v64
            %v66 = fmul <32 x float> %v65, %v65
            %v67.at.x0 = mul nsw i64 144, %v53
            %v67.at.s0 = add nsw i64 %v67.at.x0, %v61
            %v67.at.s1 = add nsw i64 %v67.at.s0, 1
            %v67.at = getelementptr inbounds float, ptr %tmp0, i64 %v67.at.s1
            %v67 = load float, ptr %v67.at, align 4
            %v68.at.x0 = mul nsw i64 4096, %p51
            %v68.at.x1 = mul nsw i64 32, %v61
            %v68.at.s0 = add nsw i64 %v68.at.x0, %v68.at.x1
            %v68.at.s1 = add nsw i64 %v68.at.s0, 0
            %v68.at.s2 = add nsw i64 %v68.at.s1, 32
            %v68.at = getelementptr inbounds float, ptr %tmp1, i64 %v68.at.s2
            %v68 = load <32 x float>, ptr %v68.at, align 4
            %same.14.one = insertelement <32 x float> poison, float %v67, i64 0
            %same.14 = shufflevector <32 x float> %same.14.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v69 = fsub <32 x float> %same.14, %v68
            %v70 = fmul <32 x float> %v69, %v69
            %v71.at.x0 = mul nsw i64 144, %v53
            %v71.at.s0 = add nsw i64 %v71.at.x0, %v61
            %v71.at.s1 = add nsw i64 %v71.at.s0, 2
            %v71.at = getelementptr inbounds float, ptr %tmp0, i64 %v71.at.s1
            %v71 = load float, ptr %v71.at, align 4
            %v72.at.x0 = mul nsw i64 4096, %p51
            %v72.at.x1 = mul nsw i64 32, %v61
            %v72.at.s0 = add nsw i64 %v72.at.x0, %v72.at.x1
            %v72.at.s1 = add nsw i64 %v72.at.s0, 0
            %v72.at.s2 = add nsw i64 %v72.at.s1, 64
            %v72.at = getelementptr inbounds float, ptr %tmp1, i64 %v72.at.s2
            %v72 = load <32 x float>, ptr %v72.at, align 4
            %same.15.one = insertelement <32 x float> poison, float %v71, i64 0
            %same.15 = shufflevector <32 x float> %same.15.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v73 = fsub <32 x float> %same.15, %v72
            %v74 = fmul <32 x float> %v73, %v73
            %v75.at.x0 = mul nsw i64 144, %v53
            %v75.at.s0 = add nsw i64 %v75.at.x0, %v61
            %v75.at.s1 = add nsw i64 %v75.at.s0, 3
            %v75.at = getelementptr inbounds float, ptr %tmp0, i64 %v75.at.s1
            %v75 = load float, ptr %v75.at, align 4
            %v76.at.x0 = mul nsw i64 4096, %p51
            %v76.at.x1 = mul nsw i64 32, %v61
            %v76.at.s0 = add nsw i64 %v76.at.x0, %v76.at.x1
            %v76.at.s1 = add nsw i64 %v76.at.s0, 0
            %v76.at.s2 = add nsw i64 %v76.at.s1, 96
            %v76.at = getelementptr inbounds float, ptr %tmp1, i64 %v76.at.s2
            %v76 = load <32 x float>, ptr %v76.at, align 4
            %same.16.one = insertelement <32 x float> poison, float %v75, i64 0
            %same.16 = shufflevector <32 x float> %same.16.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v77 = fsub <32 x float> %same.16, %v76
            %v78 = fmul <32 x float> %v77, %v77
            %v79.at.x0 = mul nsw i64 144, %v53
            %v79.at.s0 = add nsw i64 %v79.at.x0, %v61
            %v79.at.s1 = add nsw i64 %v79.at.s0, 4
            %v79.at = getelementptr inbounds float, ptr %tmp0, i64 %v79.at.s1
            %v79 = load float, ptr %v79.at, align 4
            %v80.at.x0 = mul nsw i64 4096, %p51
            %v80.at.x1 = mul nsw i64 32, %v61
            %v80.at.s0 = add nsw i64 %v80.at.x0, %v80.at.x1
            %v80.at.s1 = add nsw i64 %v80.at.s0, 0
            %v80.at.s2 = add nsw i64 %v80.at.s1, 128
            %v80.at = getelementptr inbounds float, ptr %tmp1, i64 %v80.at.s2
            %v80 = load <32 x float>, ptr %v80.at, align 4
            %same.17.one = insertelement <32 x float> poison, float %v79, i64 0
            %same.17 = shufflevector <32 x float> %same.17.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v81 = fsub <32 x float> %same.17, %v80
            %v82 = fmul <32 x float> %v81, %v81
            %v83.at.x0 = mul nsw i64 144, %v53
            %v83.at.s0 = add nsw i64 %v83.at.x0, %v61
            %v83.at.s1 = add nsw i64 %v83.at.s0, 5
            %v83.at = getelementptr inbounds float, ptr %tmp0, i64 %v83.at.s1
            %v83 = load float, ptr %v83.at, align 4
            %v84.at.x0 = mul nsw i64 4096, %p51
            %v84.at.x1 = mul nsw i64 32, %v61
            %v84.at.s0 = add nsw i64 %v84.at.x0, %v84.at.x1
            %v84.at.s1 = add nsw i64 %v84.at.s0, 0
            %v84.at.s2 = add nsw i64 %v84.at.s1, 160
            %v84.at = getelementptr inbounds float, ptr %tmp1, i64 %v84.at.s2
            %v84 = load <32 x float>, ptr %v84.at, align 4
            %same.18.one = insertelement <32 x float> poison, float %v83, i64 0
            %same.18 = shufflevector <32 x float> %same.18.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v85 = fsub <32 x float> %same.18, %v84
            %v86 = fmul <32 x float> %v85, %v85
            %v87.at.x0 = mul nsw i64 144, %v53
            %v87.at.s0 = add nsw i64 %v87.at.x0, %v61
            %v87.at.s1 = add nsw i64 %v87.at.s0, 6
            %v87.at = getelementptr inbounds float, ptr %tmp0, i64 %v87.at.s1
            %v87 = load float, ptr %v87.at, align 4
            %v88.at.x0 = mul nsw i64 4096, %p51
            %v88.at.x1 = mul nsw i64 32, %v61
            %v88.at.s0 = add nsw i64 %v88.at.x0, %v88.at.x1
            %v88.at.s1 = add nsw i64 %v88.at.s0, 0
            %v88.at.s2 = add nsw i64 %v88.at.s1, 192
            %v88.at = getelementptr inbounds float, ptr %tmp1, i64 %v88.at.s2
            %v88 = load <32 x float>, ptr %v88.at, align 4
            %same.19.one = insertelement <32 x float> poison, float %v87, i64 0
            %same.19 = shufflevector <32 x float> %same.19.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v89 = fsub <32 x float> %same.19, %v88
            %v90 = fmul <32 x float> %v89, %v89
            %v91.at.x0 = mul nsw i64 144, %v53
            %v91.at.s0 = add nsw i64 %v91.at.x0, %v61
            %v91.at.s1 = add nsw i64 %v91.at.s0, 7
            %v91.at = getelementptr inbounds float, ptr %tmp0, i64 %v91.at.s1
            %v91 = load float, ptr %v91.at, align 4
            %v92.at.x0 = mul nsw i64 4096, %p51
            %v92.at.x1 = mul nsw i64 32, %v61
            %v92.at.s0 = add nsw i64 %v92.at.x0, %v92.at.x1
            %v92.at.s1 = add nsw i64 %v92.at.s0, 0
            %v92.at.s2 = add nsw i64 %v92.at.s1, 224
            %v92.at = getelementptr inbounds float, ptr %tmp1, i64 %v92.at.s2
            %v92 = load <32 x float>, ptr %v92.at, align 4
            %same.20.one = insertelement <32 x float> poison, float %v91, i64 0
            %same.20 = shufflevector <32 x float> %same.20.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v93 = fsub <32 x float> %same.20, %v92
            %v94 = fmul <32 x float> %v93, %v93
            %v95 = load <32 x float>, ptr %tile54, align 4
            %v96 = fadd <32 x float> %v66, %v70
            %v97 = fadd <32 x float> %v74, %v78
            %v98 = fadd <32 x float> %v82, %v86
            %v99 = fadd <32 x float> %v90, %v94
            %v100 = fadd <32 x float> %v96, %v97
            %v101 = fadd <32 x float> %v98, %v99
            %v102 = fadd <32 x float> %v100, %v101
            %v103 = fadd <32 x float> %v95, %v102
            store <32 x float> %v103, ptr %tile54, align 4
            %v104.at.x0 = mul nsw i64 144, %v53
            %v104.at.s0 = add nsw i64 %v104.at.x0, %v61
            %v104.at.s1 = add nsw i64 %v104.at.s0, 144
            %v104.at = getelementptr inbounds float, ptr %tmp0, i64 %v104.at.s1
            %v104 = load float, ptr %v104.at, align 4
            %same.22.one = insertelement <32 x float> poison, float %v104, i64 0
            %same.22 = shufflevector <32 x float> %same.22.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v105 = fsub <32 x float> %same.22, %v64
            %v106 = fmul <32 x float> %v105, %v105
            %v107.at.x0 = mul nsw i64 144, %v53
            %v107.at.s0 = add nsw i64 %v107.at.x0, %v61
            %v107.at.s1 = add nsw i64 %v107.at.s0, 145
            %v107.at = getelementptr inbounds float, ptr %tmp0, i64 %v107.at.s1
            %v107 = load float, ptr %v107.at, align 4
            %same.23.one = insertelement <32 x float> poison, float %v107, i64 0
            %same.23 = shufflevector <32 x float> %same.23.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v108 = fsub <32 x float> %same.23, %v68
            %v109 = fmul <32 x float> %v108, %v108
            %v110.at.x0 = mul nsw i64 144, %v53
            %v110.at.s0 = add nsw i64 %v110.at.x0, %v61
            %v110.at.s1 = add nsw i64 %v110.at.s0, 146
            %v110.at = getelementptr inbounds float, ptr %tmp0, i64 %v110.at.s1
            %v110 = load float, ptr %v110.at, align 4
            %same.24.one = insertelement <32 x float> poison, float %v110, i64 0
            %same.24 = shufflevector <32 x float> %same.24.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v111 = fsub <32 x float> %same.24, %v72
            %v112 = fmul <32 x float> %v111, %v111
            %v113.at.x0 = mul nsw i64 144, %v53
            %v113.at.s0 = add nsw i64 %v113.at.x0, %v61
            %v113.at.s1 = add nsw i64 %v113.at.s0, 147
            %v113.at = getelementptr inbounds float, ptr %tmp0, i64 %v113.at.s1
            %v113 = load float, ptr %v113.at, align 4
            %same.25.one = insertelement <32 x float> poison, float %v113, i64 0
            %same.25 = shufflevector <32 x float> %same.25.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v114 = fsub <32 x float> %same.25, %v76
            %v115 = fmul <32 x float> %v114, %v114
            %v116.at.x0 = mul nsw i64 144, %v53
            %v116.at.s0 = add nsw i64 %v116.at.x0, %v61
            %v116.at.s1 = add nsw i64 %v116.at.s0, 148
            %v116.at = getelementptr inbounds float, ptr %tmp0, i64 %v116.at.s1
            %v116 = load float, ptr %v116.at, align 4
            %same.26.one = insertelement <32 x float> poison, float %v116, i64 0
            %same.26 = shufflevector <32 x float> %same.26.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v117 = fsub <32 x float> %same.26, %v80
            %v118 = fmul <32 x float> %v117, %v117
            %v119.at.x0 = mul nsw i64 144, %v53
            %v119.at.s0 = add nsw i64 %v119.at.x0, %v61
            %v119.at.s1 = add nsw i64 %v119.at.s0, 149
            %v119.at = getelementptr inbounds float, ptr %tmp0, i64 %v119.at.s1
            %v119 = load float, ptr %v119.at, align 4
            %same.27.one = insertelement <32 x float> poison, float %v119, i64 0
            %same.27 = shufflevector <32 x float> %same.27.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v120 = fsub <32 x float> %same.27, %v84
            %v121 = fmul <32 x float> %v120, %v120
            %v122.at.x0 = mul nsw i64 144, %v53
            %v122.at.s0 = add nsw i64 %v122.at.x0, %v61
            %v122.at.s1 = add nsw i64 %v122.at.s0, 150
            %v122.at = getelementptr inbounds float, ptr %tmp0, i64 %v122.at.s1
            %v122 = load float, ptr %v122.at, align 4
            %same.28.one = insertelement <32 x float> poison, float %v122, i64 0
            %same.28 = shufflevector <32 x float> %same.28.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v123 = fsub <32 x float> %same.28, %v88
            %v124 = fmul <32 x float> %v123, %v123
            %v125.at.x0 = mul nsw i64 144, %v53
            %v125.at.s0 = add nsw i64 %v125.at.x0, %v61
            %v125.at.s1 = add nsw i64 %v125.at.s0, 151
            %v125.at = getelementptr inbounds float, ptr %tmp0, i64 %v125.at.s1
            %v125 = load float, ptr %v125.at, align 4
            %same.29.one = insertelement <32 x float> poison, float %v125, i64 0
            %same.29 = shufflevector <32 x float> %same.29.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v126 = fsub <32 x float> %same.29, %v92
            %v127 = fmul <32 x float> %v126, %v126
            %v128.at.s0 = add nsw i64 0, 32
            %v128.at = getelementptr inbounds float, ptr %tile54, i64 %v128.at.s0
            %v128 = load <32 x float>, ptr %v128.at, align 4
            %v129 = fadd <32 x float> %v106, %v109
            %v130 = fadd <32 x float> %v112, %v115
            %v131 = fadd <32 x float> %v118, %v121
            %v132 = fadd <32 x float> %v124, %v127
            %v133 = fadd <32 x float> %v129, %v130
            %v134 = fadd <32 x float> %v131, %v132
            %v135 = fadd <32 x float> %v133, %v134
            %v136 = fadd <32 x float> %v128, %v135
            %tile54.30.s0 = add nsw i64 0, 32
            %tile54.30 = getelementptr inbounds float, ptr %tile54, i64 %tile54.30.s0
            store <32 x float> %v136, ptr %tile54.30, align 4
            %v137.at.x0 = mul nsw i64 144, %v53
            %v137.at.s0 = add nsw i64 %v137.at.x0, %v61
            %v137.at.s1 = add nsw i64 %v137.at.s0, 288
            %v137.at = getelementptr inbounds float, ptr %tmp0, i64 %v137.at.s1
            %v137 = load float, ptr %v137.at, align 4
            %same.31.one = insertelement <32 x float> poison, float %v137, i64 0
            %same.31 = shufflevector <32 x float> %same.31.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v138 = fsub <32 x float> %same.31, %v64
            %v139 = fmul <32 x float> %v138, %v138
            %v140.at.x0 = mul nsw i64 144, %v53
            %v140.at.s0 = add nsw i64 %v140.at.x0, %v61
            %v140.at.s1 = add nsw i64 %v140.at.s0, 289
            %v140.at = getelementptr inbounds float, ptr %tmp0, i64 %v140.at.s1
            %v140 = load float, ptr %v140.at, align 4
            %same.32.one = insertelement <32 x float> poison, float %v140, i64 0
            %same.32 = shufflevector <32 x float> %same.32.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v141 = fsub <32 x float> %same.32, %v68
            %v142 = fmul <32 x float> %v141, %v141
            %v143.at.x0 = mul nsw i64 144, %v53
            %v143.at.s0 = add nsw i64 %v143.at.x0, %v61
            %v143.at.s1 = add nsw i64 %v143.at.s0, 290
            %v143.at = getelementptr inbounds float, ptr %tmp0, i64 %v143.at.s1
            %v143 = load float, ptr %v143.at, align 4
            %same.33.one = insertelement <32 x float> poison, float %v143, i64 0
            %same.33 = shufflevector <32 x float> %same.33.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v144 = fsub <32 x float> %same.33, %v72
            %v145 = fmul <32 x float> %v144, %v144
            %v146.at.x0 = mul nsw i64 144, %v53
            %v146.at.s0 = add nsw i64 %v146.at.x0, %v61
            %v146.at.s1 = add nsw i64 %v146.at.s0, 291
            %v146.at = getelementptr inbounds float, ptr %tmp0, i64 %v146.at.s1
            %v146 = load float, ptr %v146.at, align 4
            %same.34.one = insertelement <32 x float> poison, float %v146, i64 0
            %same.34 = shufflevector <32 x float> %same.34.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v147 = fsub <32 x float> %same.34, %v76
            %v148 = fmul <32 x float> %v147, %v147
            %v149.at.x0 = mul nsw i64 144, %v53
            %v149.at.s0 = add nsw i64 %v149.at.x0, %v61
            %v149.at.s1 = add nsw i64 %v149.at.s0, 292
            %v149.at = getelementptr inbounds float, ptr %tmp0, i64 %v149.at.s1
            %v149 = load float, ptr %v149.at, align 4
            %same.35.one = insertelement <32 x float> poison, float %v149, i64 0
            %same.35 = shufflevector <32 x float> %same.35.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v150 = fsub <32 x float> %same.35, %v80
            %v151 = fmul <32 x float> %v150, %v150
            %v152.at.x0 = mul nsw i64 144, %v53
            %v152.at.s0 = add nsw i64 %v152.at.x0, %v61
            %v152.at.s1 = add nsw i64 %v152.at.s0, 293
            %v152.at = getelementptr inbounds float, ptr %tmp0, i64 %v152.at.s1
            %v152 = load float, ptr %v152.at, align 4
            %same.36.one = insertelement <32 x float> poison, float %v152, i64 0
            %same.36 = shufflevector <32 x float> %same.36.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v153 = fsub <32 x float> %same.36, %v84
            %v154 = fmul <32 x float> %v153, %v153
            %v155.at.x0 = mul nsw i64 144, %v53
            %v155.at.s0 = add nsw i64 %v155.at.x0, %v61
            %v155.at.s1 = add nsw i64 %v155.at.s0, 294
            %v155.at = getelementptr inbounds float, ptr %tmp0, i64 %v155.at.s1
            %v155 = load float, ptr %v155.at, align 4
            %same.37.one = insertelement <32 x float> poison, float %v155, i64 0
            %same.37 = shufflevector <32 x float> %same.37.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v156 = fsub <32 x float> %same.37, %v88
            %v157 = fmul <32 x float> %v156, %v156
            %v158.at.x0 = mul nsw i64 144, %v53
            %v158.at.s0 = add nsw i64 %v158.at.x0, %v61
            %v158.at.s1 = add nsw i64 %v158.at.s0, 295
            %v158.at = getelementptr inbounds float, ptr %tmp0, i64 %v158.at.s1
            %v158 = load float, ptr %v158.at, align 4
            %same.38.one = insertelement <32 x float> poison, float %v158, i64 0
            %same.38 = shufflevector <32 x float> %same.38.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v159 = fsub <32 x float> %same.38, %v92
            %v160 = fmul <32 x float> %v159, %v159
            %v161.at.s0 = add nsw i64 0, 64
            %v161.at = getelementptr inbounds float, ptr %tile54, i64 %v161.at.s0
            %v161 = load <32 x float>, ptr %v161.at, align 4
            %v162 = fadd <32 x float> %v139, %v142
            %v163 = fadd <32 x float> %v145, %v148
            %v164 = fadd <32 x float> %v151, %v154
            %v165 = fadd <32 x float> %v157, %v160
            %v166 = fadd <32 x float> %v162, %v163
            %v167 = fadd <32 x float> %v164, %v165
            %v168 = fadd <32 x float> %v166, %v167
            %v169 = fadd <32 x float> %v161, %v168
            %tile54.39.s0 = add nsw i64 0, 64
            %tile54.39 = getelementptr inbounds float, ptr %tile54, i64 %tile54.39.s0
            store <32 x float> %v169, ptr %tile54.39, align 4
            %v170.at.x0 = mul nsw i64 144, %v53
            %v170.at.s0 = add nsw i64 %v170.at.x0, %v61
            %v170.at.s1 = add nsw i64 %v170.at.s0, 432
            %v170.at = getelementptr inbounds float, ptr %tmp0, i64 %v170.at.s1
            %v170 = load float, ptr %v170.at, align 4
            %same.40.one = insertelement <32 x float> poison, float %v170, i64 0
            %same.40 = shufflevector <32 x float> %same.40.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v171 = fsub <32 x float> %same.40, %v64
            %v172 = fmul <32 x float> %v171, %v171
            %v173.at.x0 = mul nsw i64 144, %v53
            %v173.at.s0 = add nsw i64 %v173.at.x0, %v61
            %v173.at.s1 = add nsw i64 %v173.at.s0, 433
            %v173.at = getelementptr inbounds float, ptr %tmp0, i64 %v173.at.s1
            %v173 = load float, ptr %v173.at, align 4
            %same.41.one = insertelement <32 x float> poison, float %v173, i64 0
            %same.41 = shufflevector <32 x float> %same.41.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v174 = fsub <32 x float> %same.41, %v68
            %v175 = fmul <32 x float> %v174, %v174
            %v176.at.x0 = mul nsw i64 144, %v53
            %v176.at.s0 = add nsw i64 %v176.at.x0, %v61
            %v176.at.s1 = add nsw i64 %v176.at.s0, 434
            %v176.at = getelementptr inbounds float, ptr %tmp0, i64 %v176.at.s1
            %v176 = load float, ptr %v176.at, align 4
            %same.42.one = insertelement <32 x float> poison, float %v176, i64 0
            %same.42 = shufflevector <32 x float> %same.42.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v177 = fsub <32 x float> %same.42, %v72
            %v178 = fmul <32 x float> %v177, %v177
            %v179.at.x0 = mul nsw i64 144, %v53
            %v179.at.s0 = add nsw i64 %v179.at.x0, %v61
            %v179.at.s1 = add nsw i64 %v179.at.s0, 435
            %v179.at = getelementptr inbounds float, ptr %tmp0, i64 %v179.at.s1
            %v179 = load float, ptr %v179.at, align 4
            %same.43.one = insertelement <32 x float> poison, float %v179, i64 0
            %same.43 = shufflevector <32 x float> %same.43.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v180 = fsub <32 x float> %same.43, %v76
            %v181 = fmul <32 x float> %v180, %v180
            %v182.at.x0 = mul nsw i64 144, %v53
            %v182.at.s0 = add nsw i64 %v182.at.x0, %v61
            %v182.at.s1 = add nsw i64 %v182.at.s0, 436
            %v182.at = getelementptr inbounds float, ptr %tmp0, i64 %v182.at.s1
            %v182 = load float, ptr %v182.at, align 4
            %same.44.one = insertelement <32 x float> poison, float %v182, i64 0
            %same.44 = shufflevector <32 x float> %same.44.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v183 = fsub <32 x float> %same.44, %v80
            %v184 = fmul <32 x float> %v183, %v183
            %v185.at.x0 = mul nsw i64 144, %v53
            %v185.at.s0 = add nsw i64 %v185.at.x0, %v61
            %v185.at.s1 = add nsw i64 %v185.at.s0, 437
            %v185.at = getelementptr inbounds float, ptr %tmp0, i64 %v185.at.s1
            %v185 = load float, ptr %v185.at, align 4
            %same.45.one = insertelement <32 x float> poison, float %v185, i64 0
            %same.45 = shufflevector <32 x float> %same.45.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v186 = fsub <32 x float> %same.45, %v84
            %v187 = fmul <32 x float> %v186, %v186
            %v188.at.x0 = mul nsw i64 144, %v53
            %v188.at.s0 = add nsw i64 %v188.at.x0, %v61
            %v188.at.s1 = add nsw i64 %v188.at.s0, 438
            %v188.at = getelementptr inbounds float, ptr %tmp0, i64 %v188.at.s1
            %v188 = load float, ptr %v188.at, align 4
            %same.46.one = insertelement <32 x float> poison, float %v188, i64 0
            %same.46 = shufflevector <32 x float> %same.46.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v189 = fsub <32 x float> %same.46, %v88
            %v190 = fmul <32 x float> %v189, %v189
            %v191.at.x0 = mul nsw i64 144, %v53
            %v191.at.s0 = add nsw i64 %v191.at.x0, %v61
            %v191.at.s1 = add nsw i64 %v191.at.s0, 439
            %v191.at = getelementptr inbounds float, ptr %tmp0, i64 %v191.at.s1
            %v191 = load float, ptr %v191.at, align 4
            %same.47.one = insertelement <32 x float> poison, float %v191, i64 0
            %same.47 = shufflevector <32 x float> %same.47.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v192 = fsub <32 x float> %same.47, %v92
            %v193 = fmul <32 x float> %v192, %v192
            %v194.at.s0 = add nsw i64 0, 96
            %v194.at = getelementptr inbounds float, ptr %tile54, i64 %v194.at.s0
            %v194 = load <32 x float>, ptr %v194.at, align 4
            %v195 = fadd <32 x float> %v172, %v175
            %v196 = fadd <32 x float> %v178, %v181
            %v197 = fadd <32 x float> %v184, %v187
            %v198 = fadd <32 x float> %v190, %v193
            %v199 = fadd <32 x float> %v195, %v196
            %v200 = fadd <32 x float> %v197, %v198
            %v201 = fadd <32 x float> %v199, %v200
            %v202 = fadd <32 x float> %v194, %v201
            %tile54.48.s0 = add nsw i64 0, 96
            %tile54.48 = getelementptr inbounds float, ptr %tile54, i64 %tile54.48.s0
            store <32 x float> %v202, ptr %tile54.48, align 4
            br label %g60.step
g60.step:
            %g60.next = add nsw i64 %g60, 1
            %g60.more = icmp slt i64 %g60.next, %v59
            br i1 %g60.more, label %g60.body, label %g60.after, !llvm.loop !210
g60.after:
          %v203 = mul i64 %v59, 8
          %k204.any = icmp slt i64 %v203, %v24
          br i1 %k204.any, label %k204.body, label %k204.after
k204.body:
            %k204 = phi i64 [ %v203, %g60.after ], [ %k204.next, %k204.step ]
            %v206.at.x0 = mul nsw i64 144, %v53
            %v206.at.s0 = add nsw i64 %v206.at.x0, %k204
            %v206.at = getelementptr inbounds float, ptr %tmp0, i64 %v206.at.s0
            %v206 = load float, ptr %v206.at, align 4
            %v207.at.x0 = mul nsw i64 4096, %p51
            %v207.at.x1 = mul nsw i64 32, %k204
            %v207.at.s0 = add nsw i64 %v207.at.x0, %v207.at.x1
            %v207.at.s1 = add nsw i64 %v207.at.s0, 0
            %v207.at = getelementptr inbounds float, ptr %tmp1, i64 %v207.at.s1
            %v207 = load <32 x float>, ptr %v207.at, align 4
            %same.49.one = insertelement <32 x float> poison, float %v206, i64 0
            %same.49 = shufflevector <32 x float> %same.49.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v208 = fsub <32 x float> %same.49, %v207
            %v209 = fmul <32 x float> %v208, %v208
            %v210 = load <32 x float>, ptr %tile54, align 4
            %v211 = fadd <32 x float> %v210, %v209
            store <32 x float> %v211, ptr %tile54, align 4
            %v212.at.x0 = mul nsw i64 144, %v53
            %v212.at.s0 = add nsw i64 %v212.at.x0, %k204
            %v212.at.s1 = add nsw i64 %v212.at.s0, 144
            %v212.at = getelementptr inbounds float, ptr %tmp0, i64 %v212.at.s1
            %v212 = load float, ptr %v212.at, align 4
            %same.51.one = insertelement <32 x float> poison, float %v212, i64 0
            %same.51 = shufflevector <32 x float> %same.51.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v213 = fsub <32 x float> %same.51, %v207
            %v214 = fmul <32 x float> %v213, %v213
            %v215.at.s0 = add nsw i64 0, 32
            %v215.at = getelementptr inbounds float, ptr %tile54, i64 %v215.at.s0
            %v215 = load <32 x float>, ptr %v215.at, align 4
            %v216 = fadd <32 x float> %v215, %v214
            %tile54.52.s0 = add nsw i64 0, 32
            %tile54.52 = getelementptr inbounds float, ptr %tile54, i64 %tile54.52.s0
            store <32 x float> %v216, ptr %tile54.52, align 4
            %v217.at.x0 = mul nsw i64 144, %v53
            %v217.at.s0 = add nsw i64 %v217.at.x0, %k204
            %v217.at.s1 = add nsw i64 %v217.at.s0, 288
            %v217.at = getelementptr inbounds float, ptr %tmp0, i64 %v217.at.s1
            %v217 = load float, ptr %v217.at, align 4
            %same.53.one = insertelement <32 x float> poison, float %v217, i64 0
            %same.53 = shufflevector <32 x float> %same.53.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v218 = fsub <32 x float> %same.53, %v207
            %v219 = fmul <32 x float> %v218, %v218
            %v220.at.s0 = add nsw i64 0, 64
            %v220.at = getelementptr inbounds float, ptr %tile54, i64 %v220.at.s0
            %v220 = load <32 x float>, ptr %v220.at, align 4
            %v221 = fadd <32 x float> %v220, %v219
            %tile54.54.s0 = add nsw i64 0, 64
            %tile54.54 = getelementptr inbounds float, ptr %tile54, i64 %tile54.54.s0
            store <32 x float> %v221, ptr %tile54.54, align 4
            %v222.at.x0 = mul nsw i64 144, %v53
            %v222.at.s0 = add nsw i64 %v222.at.x0, %k204
            %v222.at.s1 = add nsw i64 %v222.at.s0, 432
            %v222.at = getelementptr inbounds float, ptr %tmp0, i64 %v222.at.s1
            %v222 = load float, ptr %v222.at, align 4
            %same.55.one = insertelement <32 x float> poison, float %v222, i64 0
            %same.55 = shufflevector <32 x float> %same.55.one, <32 x float> poison, <32 x i32> zeroinitializer
            %v223 = fsub <32 x float> %same.55, %v207
            %v224 = fmul <32 x float> %v223, %v223
            %v225.at.s0 = add nsw i64 0, 96
            %v225.at = getelementptr inbounds float, ptr %tile54, i64 %v225.at.s0
            %v225 = load <32 x float>, ptr %v225.at, align 4
            %v226 = fadd <32 x float> %v225, %v224
            %tile54.56.s0 = add nsw i64 0, 96
            %tile54.56 = getelementptr inbounds float, ptr %tile54, i64 %tile54.56.s0
            store <32 x float> %v226, ptr %tile54.56, align 4
            br label %k204.step
k204.step:
            %k204.next = add nsw i64 %k204, 1
            %k204.more = icmp slt i64 %k204.next, %v24
            br i1 %k204.more, label %k204.body, label %k204.after, !llvm.loop !211
k204.after:
          %v227 = mul i64 %p51, 32
          %v228 = mul i64 %v53, 384
          %v229 = add i64 %v228, %v227
          %v231 = load <32 x float>, ptr %tile54, align 4
          %v232.at.s0 = add nsw i64 %v229, 0
          %v232.at = getelementptr inbounds double, ptr %tmp2, i64 %v232.at.s0
          %v232 = load <32 x double>, ptr %v232.at, align 8
          %v233 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v231)
          %v234 = fadd <32 x double> %v232, %v233
          %tmp2.57.s0 = add nsw i64 %v229, 0
          %tmp2.57 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.57.s0
          store <32 x double> %v234, ptr %tmp2.57, align 8
          %v236.at.s0 = add nsw i64 0, 32
          %v236.at = getelementptr inbounds float, ptr %tile54, i64 %v236.at.s0
          %v236 = load <32 x float>, ptr %v236.at, align 4
          %v237.at.s0 = add nsw i64 %v229, 0
          %v237.at.s1 = add nsw i64 %v237.at.s0, 384
          %v237.at = getelementptr inbounds double, ptr %tmp2, i64 %v237.at.s1
          %v237 = load <32 x double>, ptr %v237.at, align 8
          %v238 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v236)
          %v239 = fadd <32 x double> %v237, %v238
          %tmp2.58.s0 = add nsw i64 %v229, 0
          %tmp2.58.s1 = add nsw i64 %tmp2.58.s0, 384
          %tmp2.58 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.58.s1
          store <32 x double> %v239, ptr %tmp2.58, align 8
          %v241.at.s0 = add nsw i64 0, 64
          %v241.at = getelementptr inbounds float, ptr %tile54, i64 %v241.at.s0
          %v241 = load <32 x float>, ptr %v241.at, align 4
          %v242.at.s0 = add nsw i64 %v229, 0
          %v242.at.s1 = add nsw i64 %v242.at.s0, 768
          %v242.at = getelementptr inbounds double, ptr %tmp2, i64 %v242.at.s1
          %v242 = load <32 x double>, ptr %v242.at, align 8
          %v243 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v241)
          %v244 = fadd <32 x double> %v242, %v243
          %tmp2.59.s0 = add nsw i64 %v229, 0
          %tmp2.59.s1 = add nsw i64 %tmp2.59.s0, 768
          %tmp2.59 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.59.s1
          store <32 x double> %v244, ptr %tmp2.59, align 8
          %v246.at.s0 = add nsw i64 0, 96
          %v246.at = getelementptr inbounds float, ptr %tile54, i64 %v246.at.s0
          %v246 = load <32 x float>, ptr %v246.at, align 4
          %v247.at.s0 = add nsw i64 %v229, 0
          %v247.at.s1 = add nsw i64 %v247.at.s0, 1152
          %v247.at = getelementptr inbounds double, ptr %tmp2, i64 %v247.at.s1
          %v247 = load <32 x double>, ptr %v247.at, align 8
          %v248 = call <32 x double> @convert_f32_f64_x32(<32 x float> %v246)
          %v249 = fadd <32 x double> %v247, %v248
          %tmp2.60.s0 = add nsw i64 %v229, 0
          %tmp2.60.s1 = add nsw i64 %tmp2.60.s0, 1152
          %tmp2.60 = getelementptr inbounds double, ptr %tmp2, i64 %tmp2.60.s1
          store <32 x double> %v249, ptr %tmp2.60, align 8
          br label %t52.step
t52.step:
          %t52.next = add nsw i64 %t52, 1
          %t52.more = icmp slt i64 %t52.next, %v11
          br i1 %t52.more, label %t52.body, label %t52.after, !llvm.loop !212
t52.after:
        br label %p51.step
p51.step:
        %p51.next = add nsw i64 %p51, 1
        %p51.more = icmp slt i64 %p51.next, %v13
        br i1 %p51.more, label %p51.body, label %p51.after, !llvm.loop !213
p51.after:
      br label %s21.step
s21.step:
      %s21.next = add nsw i64 %s21, 1
      %s21.more = icmp slt i64 %s21.next, %v20
      br i1 %s21.more, label %s21.body, label %s21.after, !llvm.loop !214
s21.after:
    %i250.any = icmp slt i64 0, %v7
    br i1 %i250.any, label %i250.body, label %i250.after
i250.body:
      %i250 = phi i64 [ 0, %s21.after ], [ %i250.next, %i250.step ]
      %v251 = mul i64 %i250, 384
      %v252 = add i64 %v5, %i250
      %j253.any = icmp slt i64 0, %v9
      br i1 %j253.any, label %j253.body, label %j253.after
j253.body:
        %j253 = phi i64 [ 0, %i250.body ], [ %j253.next, %j253.step ]
        %v254 = add i64 %v3, %j253
        %v255.at.s0 = add nsw i64 %v251, %j253
        %v255.at = getelementptr inbounds double, ptr %tmp2, i64 %v255.at.s0
        %v255 = load double, ptr %v255.at, align 8
        %v256 = call float @convert_f64_f32(double %v255)
        %v257 = fneg float %v256
        %v258 = call float @exp_f32(float %v257)
        %out0.61.x0 = mul nsw i64 %d2, %v252
        %out0.61.s0 = add nsw i64 %out0.61.x0, %v254
        %out0.61 = getelementptr inbounds float, ptr %out0, i64 %out0.61.s0
        store float %v258, ptr %out0.61, align 4
        br label %j253.step
j253.step:
        %j253.next = add nsw i64 %j253, 1
        %j253.more = icmp slt i64 %j253.next, %v9
        br i1 %j253.more, label %j253.body, label %j253.after, !llvm.loop !215
j253.after:
      br label %i250.step
i250.step:
      %i250.next = add nsw i64 %i250, 1
      %i250.more = icmp slt i64 %i250.next, %v7
      br i1 %i250.more, label %i250.body, label %i250.after, !llvm.loop !216
i250.after:
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