define void @kernel(i64 %begin, i64 %end, ptr noalias readonly %in0, i64 %s0, ptr noalias readonly %in1, i64 %n0, double %s1, ptr noalias %out0, ptr noalias %far0at, ptr noalias %flags) #0 {
entry:
  %far7 = alloca i64
  %before = call i32 @watch_begin()
  store i64 0, ptr %far7
  %i0.any = icmp slt i64 %begin, %end
  br i1 %i0.any, label %i0.body, label %i0.after
i0.body:
    %i0 = phi i64 [ %begin, %entry ], [ %i0.next, %i0.step ]
    %v1.at = getelementptr inbounds i64, ptr %in0, i64 %i0
    %v1 = load i64, ptr %v1.at, align 8
    %v2 = mul i64 %v1, %s0
    %v3 = add i64 %v2, %n0
    %v4 = icmp slt i64 %v2, 0
    %v5 = select i1 %v4, i64 %v3, i64 %v2
    %v6 = call i64 @bitcast_i64_u64(i64 %v5)
    %far7.1 = load i64, ptr %far7
    %far7.2 = call i64 @maximum_u64(i64 %far7.1, i64 %v6)
    store i64 %far7.2, ptr %far7
    %v8 = call i64 @bitcast_i64_u64(i64 %n0)
    %v9 = icmp ult i64 %v6, %v8
    %v10 = select i1 %v9, i64 %v5, i64 0
    %v11.at = getelementptr inbounds double, ptr %in1, i64 %v10
    %v11 = load double, ptr %v11.at, align 8
    %v12 = fadd double %v11, %s1
    %out0.3 = getelementptr inbounds double, ptr %out0, i64 %i0
    store double %v12, ptr %out0.3, align 8
    br label %i0.step
i0.step:
    %i0.next = add nsw i64 %i0, 1
    %i0.more = icmp slt i64 %i0.next, %end
    br i1 %i0.more, label %i0.body, label %i0.after
i0.after:
  %v13 = call i64 @bitcast_i64_u64(i64 %n0)
  %far7.4 = load i64, ptr %far7
  %v15 = icmp uge i64 %far7.4, %v13
  br i1 %v15, label %then.5, label %after.5
then.5:
    store i64 %far7.4, ptr %far0at, align 8
    br label %after.5
after.5:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}
