define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, ptr noalias readonly %in0, i64 %d0, ptr noalias %tmp0, ptr noalias %out0, i64 %d1, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %lanes1 = alloca [64 x float], align 64
  %best11 = alloca float
  %best14 = alloca float
  %best18 = alloca float
  %best22 = alloca float
  %best26 = alloca float
  %best30 = alloca float
  %best34 = alloca float
  %best37 = alloca float
  %sum40 = alloca double
  %before = call i32 @watch_begin()
  %r0.any = icmp slt i64 %begin, %end
  br i1 %r0.any, label %r0.body, label %r0.after
r0.body:
    %r0 = phi i64 [ %begin, %entry ], [ %r0.next, %r0.step ]
    %l2.any = icmp slt i64 0, 64
    br i1 %l2.any, label %l2.body, label %l2.after
l2.body:
      %l2 = phi i64 [ 0, %r0.body ], [ %l2.next, %l2.step ]
      %lanes1.1 = getelementptr inbounds float, ptr %lanes1, i64 %l2
      store float 0xFFF0000000000000, ptr %lanes1.1, align 4
      br label %l2.step
l2.step:
      %l2.next = add nsw i64 %l2, 1
      %l2.more = icmp slt i64 %l2.next, 64
      br i1 %l2.more, label %l2.body, label %l2.after, !llvm.loop !200
l2.after:
    %k3.any = icmp slt i64 0, %n1
    br i1 %k3.any, label %k3.body, label %k3.after
k3.body:
      %k3 = phi i64 [ 0, %l2.after ], [ %k3.next, %k3.step ]
      %v4 = sub i64 %n0, 64
      %v5 = mul i64 %k3, 64
      %v6 = call i64 @minimum_i64(i64 %v5, i64 %v4)
      %l7.any = icmp slt i64 0, 64
      br i1 %l7.any, label %l7.body, label %l7.after
l7.body:
        %l7 = phi i64 [ 0, %k3.body ], [ %l7.next, %l7.step ]
        %v8 = add i64 %v6, %l7
        %v9.at.x0 = mul nsw i64 %d0, %r0
        %v9.at.s0 = add nsw i64 %v9.at.x0, %v8
        %v9.at = getelementptr inbounds float, ptr %in0, i64 %v9.at.s0
        %v9 = load float, ptr %v9.at, align 4
        %v10.at = getelementptr inbounds float, ptr %lanes1, i64 %l7
        %v10 = load float, ptr %v10.at, align 4
        store float %v10, ptr %best11
        %best11.2 = load float, ptr %best11
        %best11.3 = call float @maximum_f32_r(float %best11.2, float %v9)
        store float %best11.3, ptr %best11
        %best11.4 = load float, ptr %best11
        %lanes1.5 = getelementptr inbounds float, ptr %lanes1, i64 %l7
        store float %best11.4, ptr %lanes1.5, align 4
        br label %l7.step
l7.step:
        %l7.next = add nsw i64 %l7, 1
        %l7.more = icmp slt i64 %l7.next, 64
        br i1 %l7.more, label %l7.body, label %l7.after, !llvm.loop !201
l7.after:
      br label %k3.step
k3.step:
      %k3.next = add nsw i64 %k3, 1
      %k3.more = icmp slt i64 %k3.next, %n1
      br i1 %k3.more, label %k3.body, label %k3.after
k3.after:
    %l12.any = icmp slt i64 0, 32
    br i1 %l12.any, label %l12.body, label %l12.after
l12.body:
      %l12 = phi i64 [ 0, %k3.after ], [ %l12.next, %l12.step ]
      %v13.at = getelementptr inbounds float, ptr %lanes1, i64 %l12
      %v13 = load float, ptr %v13.at, align 4
      store float %v13, ptr %best14
      %v15.at.s0 = add nsw i64 %l12, 32
      %v15.at = getelementptr inbounds float, ptr %lanes1, i64 %v15.at.s0
      %v15 = load float, ptr %v15.at, align 4
      %best14.6 = load float, ptr %best14
      %best14.7 = call float @maximum_f32_r(float %best14.6, float %v15)
      store float %best14.7, ptr %best14
      %best14.8 = load float, ptr %best14
      %lanes1.9 = getelementptr inbounds float, ptr %lanes1, i64 %l12
      store float %best14.8, ptr %lanes1.9, align 4
      br label %l12.step
l12.step:
      %l12.next = add nsw i64 %l12, 1
      %l12.more = icmp slt i64 %l12.next, 32
      br i1 %l12.more, label %l12.body, label %l12.after, !llvm.loop !202
l12.after:
    %l16.any = icmp slt i64 0, 16
    br i1 %l16.any, label %l16.body, label %l16.after
l16.body:
      %l16 = phi i64 [ 0, %l12.after ], [ %l16.next, %l16.step ]
      %v17.at = getelementptr inbounds float, ptr %lanes1, i64 %l16
      %v17 = load float, ptr %v17.at, align 4
      store float %v17, ptr %best18
      %v19.at.s0 = add nsw i64 %l16, 16
      %v19.at = getelementptr inbounds float, ptr %lanes1, i64 %v19.at.s0
      %v19 = load float, ptr %v19.at, align 4
      %best18.10 = load float, ptr %best18
      %best18.11 = call float @maximum_f32_r(float %best18.10, float %v19)
      store float %best18.11, ptr %best18
      %best18.12 = load float, ptr %best18
      %lanes1.13 = getelementptr inbounds float, ptr %lanes1, i64 %l16
      store float %best18.12, ptr %lanes1.13, align 4
      br label %l16.step
l16.step:
      %l16.next = add nsw i64 %l16, 1
      %l16.more = icmp slt i64 %l16.next, 16
      br i1 %l16.more, label %l16.body, label %l16.after, !llvm.loop !203
l16.after:
    %l20.any = icmp slt i64 0, 8
    br i1 %l20.any, label %l20.body, label %l20.after
l20.body:
      %l20 = phi i64 [ 0, %l16.after ], [ %l20.next, %l20.step ]
      %v21.at = getelementptr inbounds float, ptr %lanes1, i64 %l20
      %v21 = load float, ptr %v21.at, align 4
      store float %v21, ptr %best22
      %v23.at.s0 = add nsw i64 %l20, 8
      %v23.at = getelementptr inbounds float, ptr %lanes1, i64 %v23.at.s0
      %v23 = load float, ptr %v23.at, align 4
      %best22.14 = load float, ptr %best22
      %best22.15 = call float @maximum_f32_r(float %best22.14, float %v23)
      store float %best22.15, ptr %best22
      %best22.16 = load float, ptr %best22
      %lanes1.17 = getelementptr inbounds float, ptr %lanes1, i64 %l20
      store float %best22.16, ptr %lanes1.17, align 4
      br label %l20.step
l20.step:
      %l20.next = add nsw i64 %l20, 1
      %l20.more = icmp slt i64 %l20.next, 8
      br i1 %l20.more, label %l20.body, label %l20.after, !llvm.loop !204
l20.after:
    %l24.any = icmp slt i64 0, 4
    br i1 %l24.any, label %l24.body, label %l24.after
l24.body:
      %l24 = phi i64 [ 0, %l20.after ], [ %l24.next, %l24.step ]
      %v25.at = getelementptr inbounds float, ptr %lanes1, i64 %l24
      %v25 = load float, ptr %v25.at, align 4
      store float %v25, ptr %best26
      %v27.at.s0 = add nsw i64 %l24, 4
      %v27.at = getelementptr inbounds float, ptr %lanes1, i64 %v27.at.s0
      %v27 = load float, ptr %v27.at, align 4
      %best26.18 = load float, ptr %best26
      %best26.19 = call float @maximum_f32_r(float %best26.18, float %v27)
      store float %best26.19, ptr %best26
      %best26.20 = load float, ptr %best26
      %lanes1.21 = getelementptr inbounds float, ptr %lanes1, i64 %l24
      store float %best26.20, ptr %lanes1.21, align 4
      br label %l24.step
l24.step:
      %l24.next = add nsw i64 %l24, 1
      %l24.more = icmp slt i64 %l24.next, 4
      br i1 %l24.more, label %l24.body, label %l24.after, !llvm.loop !205
l24.after:
    %l28.any = icmp slt i64 0, 2
    br i1 %l28.any, label %l28.body, label %l28.after
l28.body:
      %l28 = phi i64 [ 0, %l24.after ], [ %l28.next, %l28.step ]
      %v29.at = getelementptr inbounds float, ptr %lanes1, i64 %l28
      %v29 = load float, ptr %v29.at, align 4
      store float %v29, ptr %best30
      %v31.at.s0 = add nsw i64 %l28, 2
      %v31.at = getelementptr inbounds float, ptr %lanes1, i64 %v31.at.s0
      %v31 = load float, ptr %v31.at, align 4
      %best30.22 = load float, ptr %best30
      %best30.23 = call float @maximum_f32_r(float %best30.22, float %v31)
      store float %best30.23, ptr %best30
      %best30.24 = load float, ptr %best30
      %lanes1.25 = getelementptr inbounds float, ptr %lanes1, i64 %l28
      store float %best30.24, ptr %lanes1.25, align 4
      br label %l28.step
l28.step:
      %l28.next = add nsw i64 %l28, 1
      %l28.more = icmp slt i64 %l28.next, 2
      br i1 %l28.more, label %l28.body, label %l28.after, !llvm.loop !206
l28.after:
    %l32.any = icmp slt i64 0, 1
    br i1 %l32.any, label %l32.body, label %l32.after
l32.body:
      %l32 = phi i64 [ 0, %l28.after ], [ %l32.next, %l32.step ]
      %v33.at = getelementptr inbounds float, ptr %lanes1, i64 %l32
      %v33 = load float, ptr %v33.at, align 4
      store float %v33, ptr %best34
      %v35.at.s0 = add nsw i64 %l32, 1
      %v35.at = getelementptr inbounds float, ptr %lanes1, i64 %v35.at.s0
      %v35 = load float, ptr %v35.at, align 4
      %best34.26 = load float, ptr %best34
      %best34.27 = call float @maximum_f32_r(float %best34.26, float %v35)
      store float %best34.27, ptr %best34
      %best34.28 = load float, ptr %best34
      %lanes1.29 = getelementptr inbounds float, ptr %lanes1, i64 %l32
      store float %best34.28, ptr %lanes1.29, align 4
      br label %l32.step
l32.step:
      %l32.next = add nsw i64 %l32, 1
      %l32.more = icmp slt i64 %l32.next, 1
      br i1 %l32.more, label %l32.body, label %l32.after, !llvm.loop !207
l32.after:
    %v36 = load float, ptr %lanes1, align 4
    store float %v36, ptr %best37
    %l38.any = icmp slt i64 1, 1
    br i1 %l38.any, label %l38.body, label %l38.after
l38.body:
      %l38 = phi i64 [ 1, %l32.after ], [ %l38.next, %l38.step ]
      %v39.at = getelementptr inbounds float, ptr %lanes1, i64 %l38
      %v39 = load float, ptr %v39.at, align 4
      %best37.30 = load float, ptr %best37
      %best37.31 = call float @maximum_f32_r(float %best37.30, float %v39)
      store float %best37.31, ptr %best37
      br label %l38.step
l38.step:
      %l38.next = add nsw i64 %l38, 1
      %l38.more = icmp slt i64 %l38.next, 1
      br i1 %l38.more, label %l38.body, label %l38.after
l38.after:
    store double 0.0, ptr %sum40
    %j41.any = icmp slt i64 0, %n0
    br i1 %j41.any, label %j41.body, label %j41.after
j41.body:
      %j41 = phi i64 [ 0, %l38.after ], [ %j41.next, %j41.step ]
      %v42.at.x0 = mul nsw i64 %d0, %r0
      %v42.at.s0 = add nsw i64 %v42.at.x0, %j41
      %v42.at = getelementptr inbounds float, ptr %in0, i64 %v42.at.s0
      %v42 = load float, ptr %v42.at, align 4
      %best37.32 = load float, ptr %best37
      %v43 = fsub float %v42, %best37.32
      %v44 = call float @exp_f32(float %v43)
      %tmp0.33 = getelementptr inbounds float, ptr %tmp0, i64 %j41
      store float %v44, ptr %tmp0.33, align 4
      %v45 = call double @convert_f32_f64(float %v44)
      %sum40.34 = load double, ptr %sum40
      %sum40.35 = fadd reassoc double %sum40.34, %v45
      store double %sum40.35, ptr %sum40
      br label %j41.step
j41.step:
      %j41.next = add nsw i64 %j41, 1
      %j41.more = icmp slt i64 %j41.next, %n0
      br i1 %j41.more, label %j41.body, label %j41.after
j41.after:
    %sum40.36 = load double, ptr %sum40
    %v46 = call float @convert_f64_f32(double %sum40.36)
    %j47.any = icmp slt i64 0, %n0
    br i1 %j47.any, label %j47.body, label %j47.after
j47.body:
      %j47 = phi i64 [ 0, %j41.after ], [ %j47.next, %j47.step ]
      %v48.at = getelementptr inbounds float, ptr %tmp0, i64 %j47
      %v48 = load float, ptr %v48.at, align 4
      %v49 = fdiv float %v48, %v46
      %out0.37.x0 = mul nsw i64 %d1, %r0
      %out0.37.s0 = add nsw i64 %out0.37.x0, %j47
      %out0.37 = getelementptr inbounds float, ptr %out0, i64 %out0.37.s0
      store float %v49, ptr %out0.37, align 4
      br label %j47.step
j47.step:
      %j47.next = add nsw i64 %j47, 1
      %j47.more = icmp slt i64 %j47.next, %n0
      br i1 %j47.more, label %j47.body, label %j47.after
j47.after:
    br label %r0.step
r0.step:
    %r0.next = add nsw i64 %r0, 1
    %r0.more = icmp slt i64 %r0.next, %end
    br i1 %r0.more, label %r0.body, label %r0.after
r0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

!100 = !{!"llvm.loop.unroll.disable"}
!101 = !{!"llvm.loop.vectorize.followup_vectorized", !102}
!102 = !{!"llvm.loop.unroll.full"}
!200 = distinct !{!200, !100, !101}
!201 = distinct !{!201, !100, !101}
!202 = distinct !{!202, !100, !101}
!203 = distinct !{!203, !100, !101}
!204 = distinct !{!204, !100, !101}
!205 = distinct !{!205, !100, !101}
!206 = distinct !{!206, !100, !101}
!207 = distinct !{!207, !100, !101}