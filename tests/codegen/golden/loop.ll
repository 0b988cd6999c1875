define void @kernel(i64 %begin, i64 %end, i64 %s0, double %s1, i64 %n0, i64 %n1, ptr noalias readonly %in0, ptr noalias %out0) #0 {
entry:
  %sum1 = alloca double
  %lost2 = alloca double
  %part7 = alloca double
  %held16 = alloca [128 x double], align 64
  %state23 = alloca [128 x double], align 64
  %r0.any = icmp slt i64 %begin, %end
  br i1 %r0.any, label %r0.body, label %r0.after
r0.body:
    %r0 = phi i64 [ %begin, %entry ], [ %r0.next, %r0.step ]
    store double 0.0, ptr %sum1
    store double 0.0, ptr %lost2
    %k3.any = icmp slt i64 0, %n1
    br i1 %k3.any, label %k3.body, label %k3.after
k3.body:
      %k3 = phi i64 [ 0, %r0.body ], [ %k3.next, %k3.step ]
      %v4 = mul i64 %k3, 256
      %v5 = add i64 %v4, 256
      %v6 = call i64 @minimum_i64(i64 %v5, i64 %n0)
      store double 0.0, ptr %part7
      %v8 = sub i64 %v6, %v4
      %v9 = add i64 %v8, 127
      %v10 = sdiv i64 %v9, 128
      %b11.any = icmp slt i64 0, %v10
      br i1 %b11.any, label %b11.body, label %b11.after
b11.body:
        %b11 = phi i64 [ 0, %k3.body ], [ %b11.next, %b11.step ]
        %v12 = mul i64 %b11, 128
        %v13 = add i64 %v4, %v12
        %v14 = sub i64 %v6, %v13
        %v15 = call i64 @minimum_i64(i64 128, i64 %v14)
        %l17.any = icmp slt i64 0, %v15
        br i1 %l17.any, label %l17.body, label %l17.after
l17.body:
          %l17 = phi i64 [ 0, %b11.body ], [ %l17.next, %l17.step ]
          %v18 = add i64 %v13, %l17
          %v19.at = getelementptr inbounds double, ptr %in0, i64 %v18
          %v19 = load double, ptr %v19.at, align 8
          %v20 = fmul double %v19, 2.0
          %held16.1 = getelementptr inbounds double, ptr %held16, i64 %l17
          store double %v20, ptr %held16.1, align 8
          br label %l17.step
l17.step:
          %l17.next = add nsw i64 %l17, 1
          %l17.more = icmp slt i64 %l17.next, %v15
          br i1 %l17.more, label %l17.body, label %l17.after
l17.after:
        %l21.any = icmp slt i64 %v15, 128
        br i1 %l21.any, label %l21.body, label %l21.after
l21.body:
          %l21 = phi i64 [ %v15, %l17.after ], [ %l21.next, %l21.step ]
          %v22 = load double, ptr %held16, align 8
          %held16.2 = getelementptr inbounds double, ptr %held16, i64 %l21
          store double %v22, ptr %held16.2, align 8
          br label %l21.step
l21.step:
          %l21.next = add nsw i64 %l21, 1
          %l21.more = icmp slt i64 %l21.next, 128
          br i1 %l21.more, label %l21.body, label %l21.after
l21.after:
        %l24.any = icmp slt i64 0, 128
        br i1 %l24.any, label %l24.body, label %l24.after
l24.body:
          %l24 = phi i64 [ 0, %l21.after ], [ %l24.next, %l24.step ]
          %v25.at = getelementptr inbounds double, ptr %held16, i64 %l24
          %v25 = load double, ptr %v25.at, align 8
          %state23.3 = getelementptr inbounds double, ptr %state23, i64 %l24
          store double %v25, ptr %state23.3, align 8
          br label %l24.step
l24.step:
          %l24.next = add nsw i64 %l24, 1
          %l24.more = icmp slt i64 %l24.next, 128
          br i1 %l24.more, label %l24.body, label %l24.after, !llvm.loop !3
l24.after:
        %t26.any = icmp slt i64 0, %s0
        br i1 %t26.any, label %t26.body, label %t26.after
t26.body:
          %t26 = phi i64 [ 0, %l24.after ], [ %t26.next, %t26.step ]
          %l27.any = icmp slt i64 0, 128
          br i1 %l27.any, label %l27.body, label %l27.after
l27.body:
            %l27 = phi i64 [ 0, %t26.body ], [ %l27.next, %l27.step ]
            %v28.at = getelementptr inbounds double, ptr %state23, i64 %l27
            %v28 = load double, ptr %v28.at, align 8
            %v29 = fmul double %v28, %v28
            %v30 = fsub double %v29, %s1
            %v31 = call double @convert_i64_f64(i64 %t26)
            %v32 = fadd double %v30, %v31
            %state23.4 = getelementptr inbounds double, ptr %state23, i64 %l27
            store double %v32, ptr %state23.4, align 8
            br label %l27.step
l27.step:
            %l27.next = add nsw i64 %l27, 1
            %l27.more = icmp slt i64 %l27.next, 128
            br i1 %l27.more, label %l27.body, label %l27.after, !llvm.loop !4
l27.after:
          br label %t26.step
t26.step:
          %t26.next = add nsw i64 %t26, 1
          %t26.more = icmp slt i64 %t26.next, %s0
          br i1 %t26.more, label %t26.body, label %t26.after
t26.after:
        %l33.any = icmp slt i64 0, %v15
        br i1 %l33.any, label %l33.body, label %l33.after
l33.body:
          %l33 = phi i64 [ 0, %t26.after ], [ %l33.next, %l33.step ]
          %v34.at = getelementptr inbounds double, ptr %held16, i64 %l33
          %v34 = load double, ptr %v34.at, align 8
          %v35.at = getelementptr inbounds double, ptr %state23, i64 %l33
          %v35 = load double, ptr %v35.at, align 8
          %v36 = add i64 %v13, %l33
          %part7.5 = load double, ptr %part7
          %part7.6 = fadd reassoc double %part7.5, %v35
          store double %part7.6, ptr %part7
          br label %l33.step
l33.step:
          %l33.next = add nsw i64 %l33, 1
          %l33.more = icmp slt i64 %l33.next, %v15
          br i1 %l33.more, label %l33.body, label %l33.after
l33.after:
        br label %b11.step
b11.step:
        %b11.next = add nsw i64 %b11, 1
        %b11.more = icmp slt i64 %b11.next, %v10
        br i1 %b11.more, label %b11.body, label %b11.after
b11.after:
      %sum1.7 = load double, ptr %sum1
      %part7.8 = load double, ptr %part7
      %v38 = fadd double %sum1.7, %part7.8
      %v39 = fsub double %v38, %sum1.7
      %v40 = fsub double %v38, %v39
      %v41 = fsub double %sum1.7, %v40
      %part7.9 = load double, ptr %part7
      %v42 = fsub double %part7.9, %v39
      %v43 = fadd double %v41, %v42
      %lost2.10 = load double, ptr %lost2
      %lost2.11 = fadd double %lost2.10, %v43
      store double %lost2.11, ptr %lost2
      store double %v38, ptr %sum1
      br label %k3.step
k3.step:
      %k3.next = add nsw i64 %k3, 1
      %k3.more = icmp slt i64 %k3.next, %n1
      br i1 %k3.more, label %k3.body, label %k3.after
k3.after:
    %sum1.12 = load double, ptr %sum1
    %lost2.13 = load double, ptr %lost2
    %v44 = fadd double %sum1.12, %lost2.13
    %lost2.14 = load double, ptr %lost2
    %lost2.15 = load double, ptr %lost2
    %v45 = fcmp oeq double %lost2.14, %lost2.15
    %sum1.16 = load double, ptr %sum1
    %v46 = select i1 %v45, double %v44, double %sum1.16
    store double %v46, ptr %out0, align 8
    br label %r0.step
r0.step:
    %r0.next = add nsw i64 %r0, 1
    %r0.more = icmp slt i64 %r0.next, %end
    br i1 %r0.more, label %r0.body, label %r0.after
r0.after:
  ret void
}

!0 = !{!"llvm.loop.unroll.disable"}
!1 = !{!"llvm.loop.vectorize.followup_vectorized", !2}
!2 = !{!"llvm.loop.unroll.full"}
!3 = distinct !{!3, !0, !1}
!4 = distinct !{!4, !0, !1}