define void @kernel(i64 %begin, i64 %end, double %s0, ptr noalias readonly %in0, ptr noalias readonly %in1, ptr noalias %out0, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %state9 = alloca [64 x double], align 64
  %state10 = alloca [64 x double], align 64
  %more23 = alloca i1
  %before = call i32 @watch_begin()
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
    %v8 = icmp eq i64 %v7, 64
    br i1 %v8, label %then.1, label %after.1
then.1:
      %l11.any = icmp slt i64 0, 64
      br i1 %l11.any, label %l11.body, label %l11.after
l11.body:
        %l11 = phi i64 [ 0, %then.1 ], [ %l11.next, %l11.step ]
        %v12 = add i64 %v5, %l11
        %v13.at = getelementptr inbounds double, ptr %in0, i64 %v12
        %v13 = load double, ptr %v13.at, align 8
        %v14.at = getelementptr inbounds double, ptr %in1, i64 %v12
        %v14 = load double, ptr %v14.at, align 8
        %state9.2 = getelementptr inbounds double, ptr %state9, i64 %l11
        store double %v13, ptr %state9.2, align 8
        %state10.3 = getelementptr inbounds double, ptr %state10, i64 %l11
        store double %v14, ptr %state10.3, align 8
        br label %l11.step
l11.step:
        %l11.next = add nsw i64 %l11, 1
        %l11.more = icmp slt i64 %l11.next, 64
        br i1 %l11.more, label %l11.body, label %l11.after, !llvm.loop !200
l11.after:
      br label %after.1
after.1:
    %v15 = call i1 @not_b1(i1 %v8)
    br i1 %v15, label %then.4, label %after.4
then.4:
      %l16.any = icmp slt i64 0, %v7
      br i1 %l16.any, label %l16.body, label %l16.after
l16.body:
        %l16 = phi i64 [ 0, %then.4 ], [ %l16.next, %l16.step ]
        %v17 = add i64 %v5, %l16
        %v18.at = getelementptr inbounds double, ptr %in0, i64 %v17
        %v18 = load double, ptr %v18.at, align 8
        %v19.at = getelementptr inbounds double, ptr %in1, i64 %v17
        %v19 = load double, ptr %v19.at, align 8
        %state9.5 = getelementptr inbounds double, ptr %state9, i64 %l16
        store double %v18, ptr %state9.5, align 8
        %state10.6 = getelementptr inbounds double, ptr %state10, i64 %l16
        store double %v19, ptr %state10.6, align 8
        br label %l16.step
l16.step:
        %l16.next = add nsw i64 %l16, 1
        %l16.more = icmp slt i64 %l16.next, %v7
        br i1 %l16.more, label %l16.body, label %l16.after
l16.after:
      %l20.any = icmp slt i64 %v7, 64
      br i1 %l20.any, label %l20.body, label %l20.after
l20.body:
        %l20 = phi i64 [ %v7, %l16.after ], [ %l20.next, %l20.step ]
        %v21 = load double, ptr %state9, align 8
        %state9.7 = getelementptr inbounds double, ptr %state9, i64 %l20
        store double %v21, ptr %state9.7, align 8
        %v22 = load double, ptr %state10, align 8
        %state10.8 = getelementptr inbounds double, ptr %state10, i64 %l20
        store double %v22, ptr %state10.8, align 8
        br label %l20.step
l20.step:
        %l20.next = add nsw i64 %l20, 1
        %l20.more = icmp slt i64 %l20.next, 64
        br i1 %l20.more, label %l20.body, label %l20.after
l20.after:
      br label %after.4
after.4:
    store i1 true, ptr %more23
    br label %while.9
while.9:
    %more23.10 = load i1, ptr %more23
    br i1 %more23.10, label %turn.9, label %done.9
turn.9:
      store i1 false, ptr %more23
      %l24.any = icmp slt i64 0, 64
      br i1 %l24.any, label %l24.body, label %l24.after
l24.body:
        %l24 = phi i64 [ 0, %turn.9 ], [ %l24.next, %l24.step ]
        %v25.at = getelementptr inbounds double, ptr %state9, i64 %l24
        %v25 = load double, ptr %v25.at, align 8
        %v26.at = getelementptr inbounds double, ptr %state10, i64 %l24
        %v26 = load double, ptr %v26.at, align 8
        %v27 = fcmp oge double %v25, 1.0
        %v28 = fmul double %v25, %s0
        %v29 = fadd double %v26, 1.0
        %v30 = select i1 %v27, double %v28, double %v25
        %state9.11 = getelementptr inbounds double, ptr %state9, i64 %l24
        store double %v30, ptr %state9.11, align 8
        %v31 = select i1 %v27, double %v29, double %v26
        %state10.12 = getelementptr inbounds double, ptr %state10, i64 %l24
        store double %v31, ptr %state10.12, align 8
        %more23.13 = load i1, ptr %more23
        %more23.14 = or i1 %more23.13, %v27
        store i1 %more23.14, ptr %more23
        br label %l24.step
l24.step:
        %l24.next = add nsw i64 %l24, 1
        %l24.more = icmp slt i64 %l24.next, 64
        br i1 %l24.more, label %l24.body, label %l24.after, !llvm.loop !201
l24.after:
      br label %while.9
done.9:
    %l32.any = icmp slt i64 0, %v7
    br i1 %l32.any, label %l32.body, label %l32.after
l32.body:
      %l32 = phi i64 [ 0, %done.9 ], [ %l32.next, %l32.step ]
      %v33.at = getelementptr inbounds double, ptr %state10, i64 %l32
      %v33 = load double, ptr %v33.at, align 8
      %v34 = add i64 %v5, %l32
      %out0.15 = getelementptr inbounds double, ptr %out0, i64 %v34
      store double %v33, ptr %out0.15, align 8
      br label %l32.step
l32.step:
      %l32.next = add nsw i64 %l32, 1
      %l32.more = icmp slt i64 %l32.next, %v7
      br i1 %l32.more, label %l32.body, label %l32.after
l32.after:
    br label %b3.step
b3.step:
    %b3.next = add nsw i64 %b3, 1
    %b3.more = icmp slt i64 %b3.next, %v2
    br i1 %b3.more, label %b3.body, label %b3.after
b3.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

!100 = !{!"llvm.loop.unroll.disable"}
!101 = !{!"llvm.loop.vectorize.followup_vectorized", !102}
!102 = !{!"llvm.loop.unroll.full"}
!200 = distinct !{!200, !100, !101}
!201 = distinct !{!201, !100, !101}