define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, ptr noalias readonly %in0, i64 %d0, ptr noalias %tmp0, ptr noalias %out0, i64 %d1, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %lanes1 = alloca [64 x float], align 64
  %best11 = alloca float
  %best15 = alloca float
  %best19 = alloca float
  %best23 = alloca float
  %best27 = alloca float
  %best31 = alloca float
  %best35 = alloca float
  %best36 = alloca float
  %sum39 = alloca double
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
      %v13.at.s0 = add nsw i64 %l12, 32
      %v13.at = getelementptr inbounds float, ptr %lanes1, i64 %v13.at.s0
      %v13 = load float, ptr %v13.at, align 4
      %v14.at = getelementptr inbounds float, ptr %lanes1, i64 %l12
      %v14 = load float, ptr %v14.at, align 4
      store float %v14, ptr %best15
      %best15.6 = load float, ptr %best15
      %best15.7 = call float @maximum_f32_r(float %best15.6, float %v13)
      store float %best15.7, ptr %best15
      %best15.8 = load float, ptr %best15
      %lanes1.9 = getelementptr inbounds float, ptr %lanes1, i64 %l12
      store float %best15.8, ptr %lanes1.9, align 4
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
      %v17.at.s0 = add nsw i64 %l16, 16
      %v17.at = getelementptr inbounds float, ptr %lanes1, i64 %v17.at.s0
      %v17 = load float, ptr %v17.at, align 4
      %v18.at = getelementptr inbounds float, ptr %lanes1, i64 %l16
      %v18 = load float, ptr %v18.at, align 4
      store float %v18, ptr %best19
      %best19.10 = load float, ptr %best19
      %best19.11 = call float @maximum_f32_r(float %best19.10, float %v17)
      store float %best19.11, ptr %best19
      %best19.12 = load float, ptr %best19
      %lanes1.13 = getelementptr inbounds float, ptr %lanes1, i64 %l16
      store float %best19.12, ptr %lanes1.13, align 4
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
      %v21.at.s0 = add nsw i64 %l20, 8
      %v21.at = getelementptr inbounds float, ptr %lanes1, i64 %v21.at.s0
      %v21 = load float, ptr %v21.at, align 4
      %v22.at = getelementptr inbounds float, ptr %lanes1, i64 %l20
      %v22 = load float, ptr %v22.at, align 4
      store float %v22, ptr %best23
      %best23.14 = load float, ptr %best23
      %best23.15 = call float @maximum_f32_r(float %best23.14, float %v21)
      store float %best23.15, ptr %best23
      %best23.16 = load float, ptr %best23
      %lanes1.17 = getelementptr inbounds float, ptr %lanes1, i64 %l20
      store float %best23.16, ptr %lanes1.17, align 4
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
      %v25.at.s0 = add nsw i64 %l24, 4
      %v25.at = getelementptr inbounds float, ptr %lanes1, i64 %v25.at.s0
      %v25 = load float, ptr %v25.at, align 4
      %v26.at = getelementptr inbounds float, ptr %lanes1, i64 %l24
      %v26 = load float, ptr %v26.at, align 4
      store float %v26, ptr %best27
      %best27.18 = load float, ptr %best27
      %best27.19 = call float @maximum_f32_r(float %best27.18, float %v25)
      store float %best27.19, ptr %best27
      %best27.20 = load float, ptr %best27
      %lanes1.21 = getelementptr inbounds float, ptr %lanes1, i64 %l24
      store float %best27.20, ptr %lanes1.21, align 4
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
      %v29.at.s0 = add nsw i64 %l28, 2
      %v29.at = getelementptr inbounds float, ptr %lanes1, i64 %v29.at.s0
      %v29 = load float, ptr %v29.at, align 4
      %v30.at = getelementptr inbounds float, ptr %lanes1, i64 %l28
      %v30 = load float, ptr %v30.at, align 4
      store float %v30, ptr %best31
      %best31.22 = load float, ptr %best31
      %best31.23 = call float @maximum_f32_r(float %best31.22, float %v29)
      store float %best31.23, ptr %best31
      %best31.24 = load float, ptr %best31
      %lanes1.25 = getelementptr inbounds float, ptr %lanes1, i64 %l28
      store float %best31.24, ptr %lanes1.25, align 4
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
      %v33.at.s0 = add nsw i64 %l32, 1
      %v33.at = getelementptr inbounds float, ptr %lanes1, i64 %v33.at.s0
      %v33 = load float, ptr %v33.at, align 4
      %v34.at = getelementptr inbounds float, ptr %lanes1, i64 %l32
      %v34 = load float, ptr %v34.at, align 4
      store float %v34, ptr %best35
      %best35.26 = load float, ptr %best35
      %best35.27 = call float @maximum_f32_r(float %best35.26, float %v33)
      store float %best35.27, ptr %best35
      %best35.28 = load float, ptr %best35
      %lanes1.29 = getelementptr inbounds float, ptr %lanes1, i64 %l32
      store float %best35.28, ptr %lanes1.29, align 4
      br label %l32.step
l32.step:
      %l32.next = add nsw i64 %l32, 1
      %l32.more = icmp slt i64 %l32.next, 1
      br i1 %l32.more, label %l32.body, label %l32.after, !llvm.loop !207
l32.after:
    store float 0xFFF0000000000000, ptr %best36
    %l37.any = icmp slt i64 0, 1
    br i1 %l37.any, label %l37.body, label %l37.after
l37.body:
      %l37 = phi i64 [ 0, %l32.after ], [ %l37.next, %l37.step ]
      %v38.at = getelementptr inbounds float, ptr %lanes1, i64 %l37
      %v38 = load float, ptr %v38.at, align 4
      %best36.30 = load float, ptr %best36
      %best36.31 = call float @maximum_f32_r(float %best36.30, float %v38)
      store float %best36.31, ptr %best36
      br label %l37.step
l37.step:
      %l37.next = add nsw i64 %l37, 1
      %l37.more = icmp slt i64 %l37.next, 1
      br i1 %l37.more, label %l37.body, label %l37.after
l37.after:
    store double 0.0, ptr %sum39
    %j40.any = icmp slt i64 0, %n0
    br i1 %j40.any, label %j40.body, label %j40.after
j40.body:
      %j40 = phi i64 [ 0, %l37.after ], [ %j40.next, %j40.step ]
      %v41.at.x0 = mul nsw i64 %d0, %r0
      %v41.at.s0 = add nsw i64 %v41.at.x0, %j40
      %v41.at = getelementptr inbounds float, ptr %in0, i64 %v41.at.s0
      %v41 = load float, ptr %v41.at, align 4
      %best36.32 = load float, ptr %best36
      %v42 = fsub float %v41, %best36.32
      %v43 = call float @exp_f32(float %v42)
      %tmp0.33 = getelementptr inbounds float, ptr %tmp0, i64 %j40
      store float %v43, ptr %tmp0.33, align 4
      %v44 = call double @convert_f32_f64(float %v43)
      %sum39.34 = load double, ptr %sum39
      %sum39.35 = fadd reassoc double %sum39.34, %v44
      store double %sum39.35, ptr %sum39
      br label %j40.step
j40.step:
      %j40.next = add nsw i64 %j40, 1
      %j40.more = icmp slt i64 %j40.next, %n0
      br i1 %j40.more, label %j40.body, label %j40.after
j40.after:
    %sum39.36 = load double, ptr %sum39
    %v45 = call float @convert_f64_f32(double %sum39.36)
    %j46.any = icmp slt i64 0, %n0
    br i1 %j46.any, label %j46.body, label %j46.after
j46.body:
      %j46 = phi i64 [ 0, %j40.after ], [ %j46.next, %j46.step ]
      %v47.at = getelementptr inbounds float, ptr %tmp0, i64 %j46
      %v47 = load float, ptr %v47.at, align 4
      %v48 = fdiv float %v47, %v45
      %out0.37.x0 = mul nsw i64 %d1, %r0
      %out0.37.s0 = add nsw i64 %out0.37.x0, %j46
      %out0.37 = getelementptr inbounds float, ptr %out0, i64 %out0.37.s0
      store float %v48, ptr %out0.37, align 4
      br label %j46.step
j46.step:
      %j46.next = add nsw i64 %j46, 1
      %j46.more = icmp slt i64 %j46.next, %n0
      br i1 %j46.more, label %j46.body, label %j46.after
j46.after:
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