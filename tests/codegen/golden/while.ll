define void @kernel(i64 %begin, i64 %end, double %s0, ptr noalias readonly %in0, ptr noalias readonly %in1, ptr noalias %out0) #0 {
entry:
  %held8 = alloca [64 x double], align 64
  %held9 = alloca [64 x double], align 64
  %state17 = alloca [64 x double], align 64
  %state18 = alloca [64 x double], align 64
  %more22 = alloca i1
  %v0 = sub i64 %end, %begin
  %v1 = add i64 %v0, 63
  %v2 = sdiv i64 %v1, 64
  %b3.any = icmp slt i64 0, %v2
  br i1 %b3.any, label %b3.body, label %b3.after
b3.body:
    %b3 = phi i64 [ 0, %entry ], [ %b3.next, %b3.step ]
    %v4 = mul i64 %b3, 64
    %v5 = add i64 %begin, %v4
    %v6 = sub i64 %end, %v5
    %v7 = call i64 @minimum_i64(i64 64, i64 %v6)
    %l10.any = icmp slt i64 0, %v7
    br i1 %l10.any, label %l10.body, label %l10.after
l10.body:
      %l10 = phi i64 [ 0, %b3.body ], [ %l10.next, %l10.step ]
      %v11 = add i64 %v5, %l10
      %v12.at = getelementptr inbounds double, ptr %in0, i64 %v11
      %v12 = load double, ptr %v12.at, align 8
      %v13.at = getelementptr inbounds double, ptr %in1, i64 %v11
      %v13 = load double, ptr %v13.at, align 8
      %held8.1 = getelementptr inbounds double, ptr %held8, i64 %l10
      store double %v12, ptr %held8.1, align 8
      %held9.2 = getelementptr inbounds double, ptr %held9, i64 %l10
      store double %v13, ptr %held9.2, align 8
      br label %l10.step
l10.step:
      %l10.next = add nsw i64 %l10, 1
      %l10.more = icmp slt i64 %l10.next, %v7
      br i1 %l10.more, label %l10.body, label %l10.after
l10.after:
    %l14.any = icmp slt i64 %v7, 64
    br i1 %l14.any, label %l14.body, label %l14.after
l14.body:
      %l14 = phi i64 [ %v7, %l10.after ], [ %l14.next, %l14.step ]
      %v15 = load double, ptr %held8, align 8
      %held8.3 = getelementptr inbounds double, ptr %held8, i64 %l14
      store double %v15, ptr %held8.3, align 8
      %v16 = load double, ptr %held9, align 8
      %held9.4 = getelementptr inbounds double, ptr %held9, i64 %l14
      store double %v16, ptr %held9.4, align 8
      br label %l14.step
l14.step:
      %l14.next = add nsw i64 %l14, 1
      %l14.more = icmp slt i64 %l14.next, 64
      br i1 %l14.more, label %l14.body, label %l14.after
l14.after:
    %l19.any = icmp slt i64 0, 64
    br i1 %l19.any, label %l19.body, label %l19.after
l19.body:
      %l19 = phi i64 [ 0, %l14.after ], [ %l19.next, %l19.step ]
      %v20.at = getelementptr inbounds double, ptr %held8, i64 %l19
      %v20 = load double, ptr %v20.at, align 8
      %state17.5 = getelementptr inbounds double, ptr %state17, i64 %l19
      store double %v20, ptr %state17.5, align 8
      %v21.at = getelementptr inbounds double, ptr %held9, i64 %l19
      %v21 = load double, ptr %v21.at, align 8
      %state18.6 = getelementptr inbounds double, ptr %state18, i64 %l19
      store double %v21, ptr %state18.6, align 8
      br label %l19.step
l19.step:
      %l19.next = add nsw i64 %l19, 1
      %l19.more = icmp slt i64 %l19.next, 64
      br i1 %l19.more, label %l19.body, label %l19.after, !llvm.loop !3
l19.after:
    store i1 true, ptr %more22
    br label %while.7
while.7:
    %more22.8 = load i1, ptr %more22
    br i1 %more22.8, label %turn.7, label %done.7
turn.7:
      store i1 false, ptr %more22
      %l23.any = icmp slt i64 0, 64
      br i1 %l23.any, label %l23.body, label %l23.after
l23.body:
        %l23 = phi i64 [ 0, %turn.7 ], [ %l23.next, %l23.step ]
        %v24.at = getelementptr inbounds double, ptr %state17, i64 %l23
        %v24 = load double, ptr %v24.at, align 8
        %v25.at = getelementptr inbounds double, ptr %state18, i64 %l23
        %v25 = load double, ptr %v25.at, align 8
        %v26 = fcmp oge double %v24, 1.0
        %v27 = fmul double %v24, %s0
        %v28 = fadd double %v25, 1.0
        %v29 = select i1 %v26, double %v27, double %v24
        %state17.9 = getelementptr inbounds double, ptr %state17, i64 %l23
        store double %v29, ptr %state17.9, align 8
        %v30 = select i1 %v26, double %v28, double %v25
        %state18.10 = getelementptr inbounds double, ptr %state18, i64 %l23
        store double %v30, ptr %state18.10, align 8
        %more22.11 = load i1, ptr %more22
        %more22.12 = or i1 %more22.11, %v26
        store i1 %more22.12, ptr %more22
        br label %l23.step
l23.step:
        %l23.next = add nsw i64 %l23, 1
        %l23.more = icmp slt i64 %l23.next, 64
        br i1 %l23.more, label %l23.body, label %l23.after, !llvm.loop !4
l23.after:
      br label %while.7
done.7:
    %l31.any = icmp slt i64 0, %v7
    br i1 %l31.any, label %l31.body, label %l31.after
l31.body:
      %l31 = phi i64 [ 0, %done.7 ], [ %l31.next, %l31.step ]
      %v32.at = getelementptr inbounds double, ptr %held8, i64 %l31
      %v32 = load double, ptr %v32.at, align 8
      %v33.at = getelementptr inbounds double, ptr %held9, i64 %l31
      %v33 = load double, ptr %v33.at, align 8
      %v34.at = getelementptr inbounds double, ptr %state18, i64 %l31
      %v34 = load double, ptr %v34.at, align 8
      %v35 = add i64 %v5, %l31
      %out0.13 = getelementptr inbounds double, ptr %out0, i64 %v35
      store double %v34, ptr %out0.13, align 8
      br label %l31.step
l31.step:
      %l31.next = add nsw i64 %l31, 1
      %l31.more = icmp slt i64 %l31.next, %v7
      br i1 %l31.more, label %l31.body, label %l31.after
l31.after:
    br label %b3.step
b3.step:
    %b3.next = add nsw i64 %b3, 1
    %b3.more = icmp slt i64 %b3.next, %v2
    br i1 %b3.more, label %b3.body, label %b3.after
b3.after:
  ret void
}

!0 = !{!"llvm.loop.unroll.disable"}
!1 = !{!"llvm.loop.vectorize.followup_vectorized", !2}
!2 = !{!"llvm.loop.unroll.full"}
!3 = distinct !{!3, !0, !1}
!4 = distinct !{!4, !0, !1}