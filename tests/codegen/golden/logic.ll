define void @kernel(i64 %begin, i64 %end, ptr noalias readonly %in0, ptr noalias readonly %in1, i32 %s0, i32 %s1, ptr noalias %out0) #0 {
entry:
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
    %v16 = icmp eq i32 %v15, 0
    %v17 = and i1 %v3, %v16
    %v18 = icmp eq i32 %s1, 0
    %v19 = icmp eq i32 %s1, -1
    %v20 = or i1 %v18, %v19
    %v21 = select i1 %v20, i32 1, i32 %s1
    %v22 = sdiv i32 %v1, %v21
    %v23 = mul i32 %v22, %v21
    %v24 = sub i32 %v1, %v23
    %v25 = icmp ne i32 %v24, 0
    %v26 = icmp slt i32 %v24, 0
    %v27 = icmp slt i32 %v21, 0
    %v28 = xor i1 %v26, %v27
    %v29 = and i1 %v25, %v28
    %v30 = sub i32 %v22, 1
    %v31 = select i1 %v29, i32 %v30, i32 %v22
    %v32 = call i32 @negative_i32(i32 %v1)
    %v33 = select i1 %v19, i32 %v32, i32 %v31
    %v34 = select i1 %v18, i32 0, i32 %v33
    %v35 = call i32 @negative_i32(i32 %v2)
    %v36 = select i1 %v17, i32 %v34, i32 %v35
    %out0.1 = getelementptr inbounds i32, ptr %out0, i64 %i0
    store i32 %v36, ptr %out0.1, align 4
    br label %i0.step
i0.step:
    %i0.next = add nsw i64 %i0, 1
    %i0.more = icmp slt i64 %i0.next, %end
    br i1 %i0.more, label %i0.body, label %i0.after
i0.after:
  ret void
}
