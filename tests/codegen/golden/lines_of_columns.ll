define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, ptr noalias %tmp0, i64 %n6, ptr noalias readonly %in0, ptr noalias %tmp1, ptr noalias %flags) #0 {
entry:
  %line28 = alloca [512 x double], align 64
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = srem i64 %w0, %n3
    %v2 = sdiv i64 %w0, %n3
    %v3 = srem i64 %v2, %n4
    %v4 = sdiv i64 %v2, %n4
    %v5 = mul i64 %v3, 1024
    %v6 = add i64 %v5, 1024
    %v7 = call i64 @minimum_i64(i64 %v6, i64 %n0)
    %v8 = mul i64 %v1, %n2
    %v9 = add i64 %v8, %n2
    %v10 = call i64 @minimum_i64(i64 %v9, i64 %n1)
    %j11.any = icmp slt i64 %v5, %v7
    br i1 %j11.any, label %j11.body, label %j11.after
j11.body:
      %j11 = phi i64 [ %v5, %w0.body ], [ %j11.next, %j11.step ]
      %v12 = sub i64 %j11, %v5
      %tmp0.1 = getelementptr inbounds double, ptr %tmp0, i64 %v12
      store double 0.0, ptr %tmp0.1, align 8
      br label %j11.step
j11.step:
      %j11.next = add nsw i64 %j11, 1
      %j11.more = icmp slt i64 %j11.next, %v7
      br i1 %j11.more, label %j11.body, label %j11.after
j11.after:
    %v13 = sub i64 %n6, 1
    %v14 = sub i64 %v10, %v8
    %v15 = add i64 %v14, %v13
    %v16 = sdiv i64 %v15, %n6
    %k17.any = icmp slt i64 0, %v16
    br i1 %k17.any, label %k17.body, label %k17.after
k17.body:
      %k17 = phi i64 [ 0, %j11.after ], [ %k17.next, %k17.step ]
      %v18 = mul i64 %k17, %n6
      %v19 = add i64 %v8, %v18
      %v20 = add i64 %v19, %n6
      %v21 = call i64 @minimum_i64(i64 %v20, i64 %v10)
      %v22 = mul i64 %v19, %n0
      %v23 = mul i64 %v21, %n0
      %i24.any = icmp slt i64 %v22, %v23
      br i1 %i24.any, label %i24.body, label %i24.after
i24.body:
        %i24 = phi i64 [ %v22, %k17.body ], [ %i24.next, %i24.step ]
        %v25.at = getelementptr inbounds double, ptr %in0, i64 %i24
        %v25 = load double, ptr %v25.at, align 8
        %v26 = call double @exp_f64(double %v25)
        %v27 = sub i64 %i24, %v22
        %line28.2 = getelementptr inbounds double, ptr %line28, i64 %v27
        store double %v26, ptr %line28.2, align 8
        br label %i24.step
i24.step:
        %i24.next = add nsw i64 %i24, 1
        %i24.more = icmp slt i64 %i24.next, %v23
        br i1 %i24.more, label %i24.body, label %i24.after, !llvm.loop !200
i24.after:
      %v29 = sub i64 %v21, %v19
      %v30 = sdiv i64 %v29, 8
      %g31.any = icmp slt i64 0, %v30
      br i1 %g31.any, label %g31.body, label %g31.after
g31.body:
        %g31 = phi i64 [ 0, %i24.after ], [ %g31.next, %g31.step ]
        %v32 = mul i64 %g31, 8
        %v33 = add i64 %v19, %v32
        %v34 = add i64 %v33, 0
        %v35 = add i64 %v33, 1
        %v36 = add i64 %v33, 2
        %v37 = add i64 %v33, 3
        %v38 = add i64 %v33, 4
        %v39 = add i64 %v33, 5
        %v40 = add i64 %v33, 6
        %v41 = add i64 %v33, 7
        %j42.any = icmp slt i64 %v5, %v7
        br i1 %j42.any, label %j42.body, label %j42.after
j42.body:
          %j42 = phi i64 [ %v5, %g31.body ], [ %j42.next, %j42.step ]
          %v43 = sub i64 %j42, %v5
          %v44.at = getelementptr inbounds double, ptr %tmp0, i64 %v43
          %v44 = load double, ptr %v44.at, align 8
          %v45 = sub i64 %v34, %v19
          %v46 = mul i64 %v45, %n0
          %v48.at.s0 = add nsw i64 %v46, %v43
          %v48.at = getelementptr inbounds double, ptr %line28, i64 %v48.at.s0
          %v48 = load double, ptr %v48.at, align 8
          %v49 = fadd double %v44, %v48
          %v50 = sub i64 %v35, %v19
          %v51 = mul i64 %v50, %n0
          %v53.at.s0 = add nsw i64 %v51, %v43
          %v53.at = getelementptr inbounds double, ptr %line28, i64 %v53.at.s0
          %v53 = load double, ptr %v53.at, align 8
          %v54 = fadd double %v49, %v53
          %v55 = sub i64 %v36, %v19
          %v56 = mul i64 %v55, %n0
          %v58.at.s0 = add nsw i64 %v56, %v43
          %v58.at = getelementptr inbounds double, ptr %line28, i64 %v58.at.s0
          %v58 = load double, ptr %v58.at, align 8
          %v59 = fadd double %v54, %v58
          %v60 = sub i64 %v37, %v19
          %v61 = mul i64 %v60, %n0
          %v63.at.s0 = add nsw i64 %v61, %v43
          %v63.at = getelementptr inbounds double, ptr %line28, i64 %v63.at.s0
          %v63 = load double, ptr %v63.at, align 8
          %v64 = fadd double %v59, %v63
          %v65 = sub i64 %v38, %v19
          %v66 = mul i64 %v65, %n0
          %v68.at.s0 = add nsw i64 %v66, %v43
          %v68.at = getelementptr inbounds double, ptr %line28, i64 %v68.at.s0
          %v68 = load double, ptr %v68.at, align 8
          %v69 = fadd double %v64, %v68
          %v70 = sub i64 %v39, %v19
          %v71 = mul i64 %v70, %n0
          %v73.at.s0 = add nsw i64 %v71, %v43
          %v73.at = getelementptr inbounds double, ptr %line28, i64 %v73.at.s0
          %v73 = load double, ptr %v73.at, align 8
          %v74 = fadd double %v69, %v73
          %v75 = sub i64 %v40, %v19
          %v76 = mul i64 %v75, %n0
          %v78.at.s0 = add nsw i64 %v76, %v43
          %v78.at = getelementptr inbounds double, ptr %line28, i64 %v78.at.s0
          %v78 = load double, ptr %v78.at, align 8
          %v79 = fadd double %v74, %v78
          %v80 = sub i64 %v41, %v19
          %v81 = mul i64 %v80, %n0
          %v83.at.s0 = add nsw i64 %v81, %v43
          %v83.at = getelementptr inbounds double, ptr %line28, i64 %v83.at.s0
          %v83 = load double, ptr %v83.at, align 8
          %v84 = fadd double %v79, %v83
          %tmp0.3 = getelementptr inbounds double, ptr %tmp0, i64 %v43
          store double %v84, ptr %tmp0.3, align 8
          br label %j42.step
j42.step:
          %j42.next = add nsw i64 %j42, 1
          %j42.more = icmp slt i64 %j42.next, %v7
          br i1 %j42.more, label %j42.body, label %j42.after
j42.after:
        br label %g31.step
g31.step:
        %g31.next = add nsw i64 %g31, 1
        %g31.more = icmp slt i64 %g31.next, %v30
        br i1 %g31.more, label %g31.body, label %g31.after
g31.after:
      %v85 = mul i64 %v30, 8
      %v86 = add i64 %v19, %v85
      %q87.any = icmp slt i64 %v86, %v21
      br i1 %q87.any, label %q87.body, label %q87.after
q87.body:
        %q87 = phi i64 [ %v86, %g31.after ], [ %q87.next, %q87.step ]
        %j88.any = icmp slt i64 %v5, %v7
        br i1 %j88.any, label %j88.body, label %j88.after
j88.body:
          %j88 = phi i64 [ %v5, %q87.body ], [ %j88.next, %j88.step ]
          %v89 = sub i64 %j88, %v5
          %v90.at = getelementptr inbounds double, ptr %tmp0, i64 %v89
          %v90 = load double, ptr %v90.at, align 8
          %v91 = sub i64 %q87, %v19
          %v92 = mul i64 %v91, %n0
          %v94.at.s0 = add nsw i64 %v92, %v89
          %v94.at = getelementptr inbounds double, ptr %line28, i64 %v94.at.s0
          %v94 = load double, ptr %v94.at, align 8
          %v95 = fadd double %v90, %v94
          %tmp0.4 = getelementptr inbounds double, ptr %tmp0, i64 %v89
          store double %v95, ptr %tmp0.4, align 8
          br label %j88.step
j88.step:
          %j88.next = add nsw i64 %j88, 1
          %j88.more = icmp slt i64 %j88.next, %v7
          br i1 %j88.more, label %j88.body, label %j88.after
j88.after:
        br label %q87.step
q87.step:
        %q87.next = add nsw i64 %q87, 1
        %q87.more = icmp slt i64 %q87.next, %v21
        br i1 %q87.more, label %q87.body, label %q87.after
q87.after:
      br label %k17.step
k17.step:
      %k17.next = add nsw i64 %k17, 1
      %k17.more = icmp slt i64 %k17.next, %v16
      br i1 %k17.more, label %k17.body, label %k17.after, !llvm.loop !201
k17.after:
    %v96 = mul i64 %v1, %n5
    %v97 = mul i64 %v4, %n0
    %v98 = add i64 %v96, %v97
    %j99.any = icmp slt i64 %v5, %v7
    br i1 %j99.any, label %j99.body, label %j99.after
j99.body:
      %j99 = phi i64 [ %v5, %k17.after ], [ %j99.next, %j99.step ]
      %v100 = sub i64 %j99, %v5
      %v101.at = getelementptr inbounds double, ptr %tmp0, i64 %v100
      %v101 = load double, ptr %v101.at, align 8
      %tmp1.5.s0 = add nsw i64 %v98, %j99
      %tmp1.5 = getelementptr inbounds double, ptr %tmp1, i64 %tmp1.5.s0
      store double %v101, ptr %tmp1.5, align 8
      br label %j99.step
j99.step:
      %j99.next = add nsw i64 %j99, 1
      %j99.more = icmp slt i64 %j99.next, %v7
      br i1 %j99.more, label %j99.body, label %j99.after
j99.after:
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
!103 = !{!"llvm.loop.vectorize.enable", i1 false}
!104 = !{!"llvm.loop.interleave.count", i32 1}
!200 = distinct !{!200, !100, !104}
!201 = distinct !{!201, !100, !103}
define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, ptr noalias readonly %tmp0, ptr noalias %out0, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %state5 = alloca [32 x double], align 64
  %state6 = alloca [32 x double], align 64
  %state30 = alloca [1 x double], align 64
  %state31 = alloca [1 x double], align 64
  %before = call i32 @watch_begin()
  %v0 = sub i64 %end, %begin
  %v1 = sdiv i64 %v0, 32
  %b2.any = icmp slt i64 0, %v1
  br i1 %b2.any, label %b2.body, label %b2.after
b2.body:
    %b2 = phi i64 [ 0, %entry ], [ %b2.next, %b2.step ]
    %v3 = mul i64 %b2, 32
    %v4 = add i64 %begin, %v3
    %l7.any = icmp slt i64 0, 32
    br i1 %l7.any, label %l7.body, label %l7.after
l7.body:
      %l7 = phi i64 [ 0, %b2.body ], [ %l7.next, %l7.step ]
      %state5.1 = getelementptr inbounds double, ptr %state5, i64 %l7
      store double 0.0, ptr %state5.1, align 8
      %state6.2 = getelementptr inbounds double, ptr %state6, i64 %l7
      store double 0.0, ptr %state6.2, align 8
      br label %l7.step
l7.step:
      %l7.next = add nsw i64 %l7, 1
      %l7.more = icmp slt i64 %l7.next, 32
      br i1 %l7.more, label %l7.body, label %l7.after, !llvm.loop !200
l7.after:
    %c8.any = icmp slt i64 0, %n0
    br i1 %c8.any, label %c8.body, label %c8.after
c8.body:
      %c8 = phi i64 [ 0, %l7.after ], [ %c8.next, %c8.step ]
      %l9.any = icmp slt i64 0, 32
      br i1 %l9.any, label %l9.body, label %l9.after
l9.body:
        %l9 = phi i64 [ 0, %c8.body ], [ %l9.next, %l9.step ]
        %v10.at.x0 = mul nsw i64 %n1, %c8
        %v10.at.s0 = add nsw i64 %v10.at.x0, %v4
        %v10.at.s1 = add nsw i64 %v10.at.s0, %l9
        %v10.at = getelementptr inbounds double, ptr %tmp0, i64 %v10.at.s1
        %v10 = load double, ptr %v10.at, align 8
        %v11.at = getelementptr inbounds double, ptr %state5, i64 %l9
        %v11 = load double, ptr %v11.at, align 8
        %v12.at = getelementptr inbounds double, ptr %state6, i64 %l9
        %v12 = load double, ptr %v12.at, align 8
        %v13 = fadd double %v11, %v10
        %v14 = fsub double %v13, %v11
        %v15 = fsub double %v13, %v14
        %v16 = fsub double %v11, %v15
        %v17 = fsub double %v10, %v14
        %v18 = fadd double %v16, %v17
        %v19 = fadd double %v12, %v18
        %state5.3 = getelementptr inbounds double, ptr %state5, i64 %l9
        store double %v13, ptr %state5.3, align 8
        %state6.4 = getelementptr inbounds double, ptr %state6, i64 %l9
        store double %v19, ptr %state6.4, align 8
        br label %l9.step
l9.step:
        %l9.next = add nsw i64 %l9, 1
        %l9.more = icmp slt i64 %l9.next, 32
        br i1 %l9.more, label %l9.body, label %l9.after, !llvm.loop !201
l9.after:
      br label %c8.step
c8.step:
      %c8.next = add nsw i64 %c8, 1
      %c8.more = icmp slt i64 %c8.next, %n0
      br i1 %c8.more, label %c8.body, label %c8.after
c8.after:
    %l20.any = icmp slt i64 0, 32
    br i1 %l20.any, label %l20.body, label %l20.after
l20.body:
      %l20 = phi i64 [ 0, %c8.after ], [ %l20.next, %l20.step ]
      %v21 = add i64 %v4, %l20
      %v22.at = getelementptr inbounds double, ptr %state5, i64 %l20
      %v22 = load double, ptr %v22.at, align 8
      %v23.at = getelementptr inbounds double, ptr %state6, i64 %l20
      %v23 = load double, ptr %v23.at, align 8
      %v24 = fadd double %v22, %v23
      %v25 = fcmp oeq double %v23, %v23
      %v26 = select i1 %v25, double %v24, double %v22
      %out0.5 = getelementptr inbounds double, ptr %out0, i64 %v21
      store double %v26, ptr %out0.5, align 8
      br label %l20.step
l20.step:
      %l20.next = add nsw i64 %l20, 1
      %l20.more = icmp slt i64 %l20.next, 32
      br i1 %l20.more, label %l20.body, label %l20.after, !llvm.loop !202
l20.after:
    br label %b2.step
b2.step:
    %b2.next = add nsw i64 %b2, 1
    %b2.more = icmp slt i64 %b2.next, %v1
    br i1 %b2.more, label %b2.body, label %b2.after
b2.after:
  %v27 = mul i64 %v1, 32
  %v28 = add i64 %begin, %v27
  %o29.any = icmp slt i64 %v28, %end
  br i1 %o29.any, label %o29.body, label %o29.after
o29.body:
    %o29 = phi i64 [ %v28, %b2.after ], [ %o29.next, %o29.step ]
    %l32.any = icmp slt i64 0, 1
    br i1 %l32.any, label %l32.body, label %l32.after
l32.body:
      %l32 = phi i64 [ 0, %o29.body ], [ %l32.next, %l32.step ]
      %state30.6 = getelementptr inbounds double, ptr %state30, i64 %l32
      store double 0.0, ptr %state30.6, align 8
      %state31.7 = getelementptr inbounds double, ptr %state31, i64 %l32
      store double 0.0, ptr %state31.7, align 8
      br label %l32.step
l32.step:
      %l32.next = add nsw i64 %l32, 1
      %l32.more = icmp slt i64 %l32.next, 1
      br i1 %l32.more, label %l32.body, label %l32.after, !llvm.loop !203
l32.after:
    %c33.any = icmp slt i64 0, %n0
    br i1 %c33.any, label %c33.body, label %c33.after
c33.body:
      %c33 = phi i64 [ 0, %l32.after ], [ %c33.next, %c33.step ]
      %l34.any = icmp slt i64 0, 1
      br i1 %l34.any, label %l34.body, label %l34.after
l34.body:
        %l34 = phi i64 [ 0, %c33.body ], [ %l34.next, %l34.step ]
        %v35.at.x0 = mul nsw i64 %n1, %c33
        %v35.at.s0 = add nsw i64 %v35.at.x0, %o29
        %v35.at.s1 = add nsw i64 %v35.at.s0, %l34
        %v35.at = getelementptr inbounds double, ptr %tmp0, i64 %v35.at.s1
        %v35 = load double, ptr %v35.at, align 8
        %v36.at = getelementptr inbounds double, ptr %state30, i64 %l34
        %v36 = load double, ptr %v36.at, align 8
        %v37.at = getelementptr inbounds double, ptr %state31, i64 %l34
        %v37 = load double, ptr %v37.at, align 8
        %v38 = fadd double %v36, %v35
        %v39 = fsub double %v38, %v36
        %v40 = fsub double %v38, %v39
        %v41 = fsub double %v36, %v40
        %v42 = fsub double %v35, %v39
        %v43 = fadd double %v41, %v42
        %v44 = fadd double %v37, %v43
        %state30.8 = getelementptr inbounds double, ptr %state30, i64 %l34
        store double %v38, ptr %state30.8, align 8
        %state31.9 = getelementptr inbounds double, ptr %state31, i64 %l34
        store double %v44, ptr %state31.9, align 8
        br label %l34.step
l34.step:
        %l34.next = add nsw i64 %l34, 1
        %l34.more = icmp slt i64 %l34.next, 1
        br i1 %l34.more, label %l34.body, label %l34.after, !llvm.loop !204
l34.after:
      br label %c33.step
c33.step:
      %c33.next = add nsw i64 %c33, 1
      %c33.more = icmp slt i64 %c33.next, %n0
      br i1 %c33.more, label %c33.body, label %c33.after
c33.after:
    %l45.any = icmp slt i64 0, 1
    br i1 %l45.any, label %l45.body, label %l45.after
l45.body:
      %l45 = phi i64 [ 0, %c33.after ], [ %l45.next, %l45.step ]
      %v46 = add i64 %o29, %l45
      %v47.at = getelementptr inbounds double, ptr %state30, i64 %l45
      %v47 = load double, ptr %v47.at, align 8
      %v48.at = getelementptr inbounds double, ptr %state31, i64 %l45
      %v48 = load double, ptr %v48.at, align 8
      %v49 = fadd double %v47, %v48
      %v50 = fcmp oeq double %v48, %v48
      %v51 = select i1 %v50, double %v49, double %v47
      %out0.10 = getelementptr inbounds double, ptr %out0, i64 %v46
      store double %v51, ptr %out0.10, align 8
      br label %l45.step
l45.step:
      %l45.next = add nsw i64 %l45, 1
      %l45.more = icmp slt i64 %l45.next, 1
      br i1 %l45.more, label %l45.body, label %l45.after, !llvm.loop !205
l45.after:
    br label %o29.step
o29.step:
    %o29.next = add nsw i64 %o29, 1
    %o29.more = icmp slt i64 %o29.next, %end
    br i1 %o29.more, label %o29.body, label %o29.after
o29.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

!100 = !{!"llvm.loop.unroll.disable"}
!101 = !{!"llvm.loop.vectorize.followup_vectorized", !102}
!102 = !{!"llvm.loop.unroll.full"}
!103 = !{!"llvm.loop.vectorize.enable", i1 false}
!200 = distinct !{!200, !100, !101}
!201 = distinct !{!201, !100, !101}
!202 = distinct !{!202, !100, !101}
!203 = distinct !{!203, !100, !103}
!204 = distinct !{!204, !100, !103}
!205 = distinct !{!205, !100, !103}