define void @kernel(i64 %begin, i64 %end, ptr noalias readonly %in0, ptr noalias readonly %in1, i32 %s0, i32 %s1, i32 %s2, ptr noalias %out0, ptr noalias %status0, ptr noalias %status1, ptr noalias %status2) #0 {
entry:
  %bad16 = alloca i1
  %bad38 = alloca i1
  %bad39 = alloca i1
  store i1 false, ptr %bad16
  store i1 false, ptr %bad38
  store i1 false, ptr %bad39
  %i0.any = icmp slt i64 %begin, %end
  br i1 %i0.any, label %i0.body, label %i0.after
i0.body:
    %i0 = phi i64 [ %begin, %entry ], [ %i0.next, %i0.step ]
    %v1.at = getelementptr inbounds i32, ptr %in0, i64 %i0
    %v1 = load i32, ptr %v1.at, align 4
    %v2.at = getelementptr inbounds i32, ptr %in1, i64 %i0
    %v2 = load i32, ptr %v2.at, align 4
    %v3 = icmp sgt i32 %v1, %v2
    %v4 = icmp eq i32 %s0, 0
    %v5 = icmp eq i32 %s0, -1
    %v6 = or i1 %v4, %v5
    %v7 = select i1 %v6, i32 1, i32 %s0
    %v8 = srem i32 %v1, %v7
    %v9 = icmp ne i32 %v8, 0
    %v10 = icmp slt i32 %v8, 0
    %v11 = icmp slt i32 %v7, 0
    %v12 = xor i1 %v10, %v11
    %v13 = and i1 %v9, %v12
    %v14 = add i32 %v8, %v7
    %v15 = select i1 %v13, i32 %v14, i32 %v8
    %bad16.1 = load i1, ptr %bad16
    %bad16.2 = or i1 %bad16.1, %v4
    store i1 %bad16.2, ptr %bad16
    %v17 = icmp eq i32 %v15, %s1
    %v18 = and i1 %v3, %v17
    %v19 = icmp eq i32 %s2, 0
    %v20 = icmp eq i32 %s2, -1
    %v21 = or i1 %v19, %v20
    %v22 = select i1 %v21, i32 1, i32 %s2
    %v23 = sdiv i32 %v1, %v22
    %v24 = mul i32 %v23, %v22
    %v25 = sub i32 %v1, %v24
    %v26 = icmp ne i32 %v25, 0
    %v27 = icmp slt i32 %v25, 0
    %v28 = icmp slt i32 %v22, 0
    %v29 = xor i1 %v27, %v28
    %v30 = and i1 %v26, %v29
    %v31 = sub i32 %v23, 1
    %v32 = select i1 %v30, i32 %v31, i32 %v23
    %v33 = call i32 @negative_i32(i32 %v1)
    %v34 = select i1 %v20, i32 %v33, i32 %v32
    %v35 = select i1 %v19, i32 0, i32 %v34
    %v36 = icmp eq i32 %v1, -2147483648
    %v37 = and i1 %v36, %v20
    %bad38.3 = load i1, ptr %bad38
    %bad38.4 = or i1 %bad38.3, %v19
    store i1 %bad38.4, ptr %bad38
    %bad39.5 = load i1, ptr %bad39
    %bad39.6 = or i1 %bad39.5, %v37
    store i1 %bad39.6, ptr %bad39
    %v40 = call i32 @negative_i32(i32 %v2)
    %v41 = select i1 %v18, i32 %v35, i32 %v40
    %out0.7 = getelementptr inbounds i32, ptr %out0, i64 %i0
    store i32 %v41, ptr %out0.7, align 4
    br label %i0.step
i0.step:
    %i0.next = add nsw i64 %i0, 1
    %i0.more = icmp slt i64 %i0.next, %end
    br i1 %i0.more, label %i0.body, label %i0.after
i0.after:
  %bad16.9 = load i1, ptr %bad16
  br i1 %bad16.9, label %then.8, label %after.8
then.8:
    %bad16.10 = load i1, ptr %bad16
    %status0.11.byte = zext i1 %bad16.10 to i8
    store i8 %status0.11.byte, ptr %status0, align 1
    br label %after.8
after.8:
  %bad38.13 = load i1, ptr %bad38
  br i1 %bad38.13, label %then.12, label %after.12
then.12:
    %bad38.14 = load i1, ptr %bad38
    %status1.15.byte = zext i1 %bad38.14 to i8
    store i8 %status1.15.byte, ptr %status1, align 1
    br label %after.12
after.12:
  %bad39.17 = load i1, ptr %bad39
  br i1 %bad39.17, label %then.16, label %after.16
then.16:
    %bad39.18 = load i1, ptr %bad39
    %status2.19.byte = zext i1 %bad39.18 to i8
    store i8 %status2.19.byte, ptr %status2, align 1
    br label %after.16
after.16:
  ret void
}
