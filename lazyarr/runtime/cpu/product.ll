;: A matrix product as a kernel. Written for lazyarr; blas.py puts in the types of numbers and how
;: flags are watched.
#if $x86
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
#else
declare i32 @fetestexcept(i32)
declare i32 @feclearexcept(i32)
declare i32 @feraiseexcept(i32)
#endif

; Where a block of rows or of columns begins: blocks are whole strips, as many as each other but for
; one, the first ones more; the last has what is left, too.
define internal i64 @begin_of(i64 %block, i64 %blocks, i64 %strip, i64 %size) #0 {
  %strips = sdiv i64 %size, %strip
  %share = mul i64 %strips, %block
  %up = sub i64 %blocks, 1
  %share.up = add i64 %share, %up
  %strips.before = sdiv i64 %share.up, %blocks
  %whole = mul i64 %strips.before, %strip
  %end = icmp eq i64 %block, %blocks
  %begin = select i1 %end, i64 %size, i64 %whole
  ret i64 %begin
}

; Blocks number %begin up to %end of the products of a stack. 101: rows lie one after the other.
define void @product(i64 %begin, i64 %end, ptr %routine, ptr %a, ptr %b, ptr %c, ptr %flags,
    i64 %m, i64 %n, i64 %k, i64 %transpose_a, i64 %transpose_b, i64 %lda, i64 %ldb, i64 %ldc,
    i64 %step_a, i64 %step_b, i64 %step_c,
    i64 %row.blocks, i64 %row.strip, i64 %column.blocks, i64 %column.strip,
    i64 %row_a, i64 %row_c, i64 %column_b, i64 %column_c) #0 {
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
#if $short
  %inner = trunc i64 %k to i32
  %leading_a = trunc i64 %lda to i32
  %leading_b = trunc i64 %ldb to i32
  %leading_c = trunc i64 %ldc to i32
#else
  %inner = add i64 %k, 0
  %leading_a = add i64 %lda, 0
  %leading_b = add i64 %ldb, 0
  %leading_c = add i64 %ldc, 0
#endif
  %how_a = trunc i64 %transpose_a to i32
  %how_b = trunc i64 %transpose_b to i32
  %blocks = mul i64 %row.blocks, %column.blocks
  br label %head
head:
  %i = phi i64 [ %begin, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %done
body:
  ; A block is some rows and some columns of a product.
  %number = sdiv i64 %i, %blocks
  %block = srem i64 %i, %blocks
  %row.block = sdiv i64 %block, %column.blocks
  %column.block = srem i64 %block, %column.blocks
  %row.block.next = add i64 %row.block, 1
  %column.block.next = add i64 %column.block, 1
  %row.low = call i64 @begin_of(i64 %row.block, i64 %row.blocks, i64 %row.strip, i64 %m)
  %row.high = call i64 @begin_of(i64 %row.block.next, i64 %row.blocks, i64 %row.strip, i64 %m)
  %column.low = call i64 @begin_of(i64 %column.block, i64 %column.blocks, i64 %column.strip,
    i64 %n)
  %column.high = call i64 @begin_of(i64 %column.block.next, i64 %column.blocks, i64 %column.strip,
    i64 %n)
  %m.block = sub i64 %row.high, %row.low
  %n.block = sub i64 %column.high, %column.low
#if $short
  %rows = trunc i64 %m.block to i32
  %columns = trunc i64 %n.block to i32
#else
  %rows = add i64 %m.block, 0
  %columns = add i64 %n.block, 0
#endif
  %by_a = mul i64 %number, %step_a
  %by_b = mul i64 %number, %step_b
  %by_c = mul i64 %number, %step_c
  %in_a = mul i64 %row.low, %row_a
  %in_b = mul i64 %column.low, %column_b
  %in_c.row = mul i64 %row.low, %row_c
  %in_c.column = mul i64 %column.low, %column_c
  %in_c = add i64 %in_c.row, %in_c.column
  %offset_a = add i64 %by_a, %in_a
  %offset_b = add i64 %by_b, %in_b
  %offset_c = add i64 %by_c, %in_c
  %at_a = getelementptr i8, ptr %a, i64 %offset_a
  %at_b = getelementptr i8, ptr %b, i64 %offset_b
  %at_c = getelementptr i8, ptr %c, i64 %offset_c
  call void %routine(i32 101, i32 %how_a, i32 %how_b,
    $integer %rows, $integer %columns, $integer %inner,
    $scalar 1.0, ptr %at_a, $integer %leading_a, ptr %at_b, $integer %leading_b,
    $scalar 0.0, ptr %at_c, $integer %leading_c)
  %next = add i64 %i, 1
  br label %head
done:
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
