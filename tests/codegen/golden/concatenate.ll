define void @kernel(i64 %begin, i64 %end, ptr noalias readonly %in0, double %s0, ptr noalias %out0, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %i0.any = icmp slt i64 %begin, %end
  br i1 %i0.any, label %i0.body, label %i0.after
i0.body:
    %i0 = phi i64 [ %begin, %entry ], [ %i0.next, %i0.step ]
    %v1.at = getelementptr inbounds double, ptr %in0, i64 %i0
    %v1 = load double, ptr %v1.at, align 8
    %v2 = fadd double %v1, %s0
    %out0.1 = getelementptr inbounds double, ptr %out0, i64 %i0
    store double %v2, ptr %out0.1, align 8
    br label %i0.step
i0.step:
    %i0.next = add nsw i64 %i0, 1
    %i0.more = icmp slt i64 %i0.next, %end
    br i1 %i0.more, label %i0.body, label %i0.after
i0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

define void @kernel(i64 %begin, i64 %end, ptr noalias readonly %in0, double %s0, ptr noalias %out0, ptr noalias %flags) #0 {
entry:
  %before = call i32 @watch_begin()
  %i0.any = icmp slt i64 %begin, %end
  br i1 %i0.any, label %i0.body, label %i0.after
i0.body:
    %i0 = phi i64 [ %begin, %entry ], [ %i0.next, %i0.step ]
    %v1.at = getelementptr inbounds double, ptr %in0, i64 %i0
    %v1 = load double, ptr %v1.at, align 8
    %v2 = fmul double %v1, %s0
    %out0.1 = getelementptr inbounds double, ptr %out0, i64 %i0
    store double %v2, ptr %out0.1, align 8
    br label %i0.step
i0.step:
    %i0.next = add nsw i64 %i0, 1
    %i0.more = icmp slt i64 %i0.next, %end
    br i1 %i0.more, label %i0.body, label %i0.after
i0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}
