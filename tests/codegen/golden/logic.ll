define void @kernel(i64 %begin, i64 %end, ptr noalias readonly %in0, ptr noalias readonly %in1, i32 %s0, i32 %s1, i32 %s2, ptr noalias %out0, ptr noalias %status0, ptr noalias %status1, ptr noalias %status2) #0 {
entry:
  %bad17 = alloca i1
  %bad43 = alloca i1
  %bad44 = alloca i1
  store i1 false, ptr %bad17
  store i1 false, ptr %bad43
  store i1 false, ptr %bad44
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
    %bad17.1 = load i1, ptr %bad17
    %bad17.2 = or i1 %bad17.1, %v4
    store i1 %bad17.2, ptr %bad17
    %v18 = icmp eq i32 %v15, %s1
    %v19 = and i1 %v3, %v18
    %v20 = icmp eq i32 %s2, 0
    %v21 = icmp eq i32 %s2, -1
    %v22 = or i1 %v20, %v21
    %v23 = select i1 %v22, i32 1, i32 %s2
    %v24 = sdiv i32 %v1, %v23
    %v25 = mul i32 %v24, %v23
    %v26 = sub i32 %v1, %v25
    %v27 = icmp ne i32 %v26, 0
    %v28 = icmp slt i32 %v26, 0
    %v29 = icmp slt i32 %v23, 0
    %v30 = xor i1 %v28, %v29
    %v31 = and i1 %v27, %v30
    %v32 = sub i32 %v24, 1
    %v33 = select i1 %v31, i32 %v32, i32 %v24
    %v35 = call i32 @negative_i32(i32 %v1)
    %v36 = select i1 %v21, i32 %v35, i32 %v33
    %v38 = select i1 %v20, i32 0, i32 %v36
    %v40 = icmp eq i32 %v1, -2147483648
    %v42 = and i1 %v40, %v21
    %bad43.3 = load i1, ptr %bad43
    %bad43.4 = or i1 %bad43.3, %v20
    store i1 %bad43.4, ptr %bad43
    %bad44.5 = load i1, ptr %bad44
    %bad44.6 = or i1 %bad44.5, %v42
    store i1 %bad44.6, ptr %bad44
    %v45 = call i32 @negative_i32(i32 %v2)
    %v46 = select i1 %v19, i32 %v38, i32 %v45
    %out0.7 = getelementptr inbounds i32, ptr %out0, i64 %i0
    store i32 %v46, ptr %out0.7, align 4
    br label %i0.step
i0.step:
    %i0.next = add nsw i64 %i0, 1
    %i0.more = icmp slt i64 %i0.next, %end
    br i1 %i0.more, label %i0.body, label %i0.after
i0.after:
  %bad17.9 = load i1, ptr %bad17
  br i1 %bad17.9, label %then.8, label %after.8
then.8:
    %bad17.10 = load i1, ptr %bad17
    %status0.11.byte = zext i1 %bad17.10 to i8
    store i8 %status0.11.byte, ptr %status0, align 1
    br label %after.8
after.8:
  %bad43.13 = load i1, ptr %bad43
  br i1 %bad43.13, label %then.12, label %after.12
then.12:
    %bad43.14 = load i1, ptr %bad43
    %status1.15.byte = zext i1 %bad43.14 to i8
    store i8 %status1.15.byte, ptr %status1, align 1
    br label %after.12
after.12:
  %bad44.17 = load i1, ptr %bad44
  br i1 %bad44.17, label %then.16, label %after.16
then.16:
    %bad44.18 = load i1, ptr %bad44
    %status2.19.byte = zext i1 %bad44.18 to i8
    store i8 %status2.19.byte, ptr %status2, align 1
    br label %after.16
after.16:
  ret void
}
