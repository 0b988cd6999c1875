define void @kernel(i64 %begin, i64 %end, ptr noalias readonly %in0, ptr noalias readonly %in1, i32 %s0, i32 %s1, i32 %s2, ptr noalias %out0, ptr noalias %status0, ptr noalias %status1, ptr noalias %status2) #0 {
entry:
  %bad20 = alloca i1
  %bad41 = alloca i1
  %bad42 = alloca i1
  %v4 = icmp eq i32 %s0, 0
  %v5 = select i1 %v4, i32 1, i32 %s0
  %v7 = call double @convert_i32_f64(i32 %v5)
  %v8 = call double @copysign_f64(double 0.5, double %v7)
  %v9 = fdiv double 1.0, %v7
  store i1 false, ptr %bad20
  %v23 = icmp eq i32 %s2, 0
  %v24 = select i1 %v23, i32 1, i32 %s2
  %v25 = select i1 %v23, i32 0, i32 -1
  %v26 = call double @convert_i32_f64(i32 %v24)
  %v27 = call double @copysign_f64(double 0.5, double %v26)
  %v28 = fdiv double 1.0, %v26
  store i1 false, ptr %bad41
  store i1 false, ptr %bad42
  %i0.any = icmp slt i64 %begin, %end
  br i1 %i0.any, label %i0.body, label %i0.after
i0.body:
    %i0 = phi i64 [ %begin, %entry ], [ %i0.next, %i0.step ]
    %v1.at = getelementptr inbounds i32, ptr %in0, i64 %i0
    %v1 = load i32, ptr %v1.at, align 4
    %v2.at = getelementptr inbounds i32, ptr %in1, i64 %i0
    %v2 = load i32, ptr %v2.at, align 4
    %v3 = icmp sgt i32 %v1, %v2
    %v10 = call double @convert_i32_f64(i32 %v1)
    %v11 = fadd double %v10, %v8
    %v12 = fmul double %v11, %v9
    %v13 = call double @floor_f64(double %v12)
    %v14 = fadd double %v13, 6755399441055744.0
    %v15 = call i64 @bitcast_f64_i64(double %v14)
    %v16 = call i32 @convert_i64_i32(i64 %v15)
    %v17 = mul i32 %v16, %v5
    %v18 = sub i32 %v1, %v17
    %bad20.1 = load i1, ptr %bad20
    %bad20.2 = or i1 %bad20.1, %v4
    store i1 %bad20.2, ptr %bad20
    %v21 = icmp eq i32 %v18, %s1
    %v22 = and i1 %v3, %v21
    %v30 = fadd double %v10, %v27
    %v31 = fmul double %v30, %v28
    %v32 = call double @floor_f64(double %v31)
    %v33 = fadd double %v32, 6755399441055744.0
    %v34 = call i64 @bitcast_f64_i64(double %v33)
    %v35 = call i32 @convert_i64_i32(i64 %v34)
    %v36 = and i32 %v35, %v25
    %v38 = icmp eq i32 %v1, -2147483648
    %v39 = icmp eq i32 %s2, -1
    %v40 = and i1 %v38, %v39
    %bad41.3 = load i1, ptr %bad41
    %bad41.4 = or i1 %bad41.3, %v23
    store i1 %bad41.4, ptr %bad41
    %bad42.5 = load i1, ptr %bad42
    %bad42.6 = or i1 %bad42.5, %v40
    store i1 %bad42.6, ptr %bad42
    %v43 = call i32 @negative_i32(i32 %v2)
    %v44 = select i1 %v22, i32 %v36, i32 %v43
    %out0.7 = getelementptr inbounds i32, ptr %out0, i64 %i0
    store i32 %v44, ptr %out0.7, align 4
    br label %i0.step
i0.step:
    %i0.next = add nsw i64 %i0, 1
    %i0.more = icmp slt i64 %i0.next, %end
    br i1 %i0.more, label %i0.body, label %i0.after
i0.after:
  %bad20.9 = load i1, ptr %bad20
  br i1 %bad20.9, label %then.8, label %after.8
then.8:
    %bad20.10 = load i1, ptr %bad20
    %status0.11.byte = zext i1 %bad20.10 to i8
    store i8 %status0.11.byte, ptr %status0, align 1
    br label %after.8
after.8:
  %bad41.13 = load i1, ptr %bad41
  br i1 %bad41.13, label %then.12, label %after.12
then.12:
    %bad41.14 = load i1, ptr %bad41
    %status1.15.byte = zext i1 %bad41.14 to i8
    store i8 %status1.15.byte, ptr %status1, align 1
    br label %after.12
after.12:
  %bad42.17 = load i1, ptr %bad42
  br i1 %bad42.17, label %then.16, label %after.16
then.16:
    %bad42.18 = load i1, ptr %bad42
    %status2.19.byte = zext i1 %bad42.18 to i8
    store i8 %status2.19.byte, ptr %status2, align 1
    br label %after.16
after.16:
  ret void
}
