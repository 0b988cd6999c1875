;: The frame of the kernels of convolutions: how flags are watched. Written for lazyarr;
;: convolutions.py puts in parameters and bodies.
#if $x86
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
#else
declare i32 @fetestexcept(i32)
declare i32 @feclearexcept(i32)
declare i32 @feraiseexcept(i32)
#endif
$declarations

define internal void @items(i64 %begin, i64 %end, $parameters) #0 {
entry:
$body
  ret void
}

define void @convolution(i64 %begin, i64 %end, $parameters) #0 {
entry:
#if $x86
  %place = alloca i32, align 4
  call void @llvm.x86.sse.stmxcsr(ptr %place)
  %before = load i32, ptr %place, align 4
  %cleared = and i32 %before, -64
  store i32 %cleared, ptr %place, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr %place)
#else
  %before = call i32 @fetestexcept(i32 $mask)
  %cleared = call i32 @feclearexcept(i32 $mask)
#endif
  call void @items(i64 %begin, i64 %end, $parameters)
#if $x86
  call void @llvm.x86.sse.stmxcsr(ptr %place)
  %now = load i32, ptr %place, align 4
  %raised = and i32 %now, $mask
  store i32 %before, ptr %place, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr %place)
#else
  %raised = call i32 @fetestexcept(i32 $mask)
  %forgotten = call i32 @feclearexcept(i32 $mask)
  %restored = call i32 @feraiseexcept(i32 %before)
#endif
  %quiet = icmp eq i32 %raised, 0
  br i1 %quiet, label %return, label %report
report:
  %old = atomicrmw or ptr %flags, i32 %raised monotonic
  br label %return
return:
  ret void
}
