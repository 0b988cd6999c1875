;: Rows that are added to rows of an array, one after the other.
;: Written for lazyarr; scatter.py puts in the types, the width of short rows and how flags are
;: watched. A short row that lies together is $taken: one number or a vector.
declare i64 @llvm.smin.i64(i64, i64)
#if $flagged
#if $x86
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
#else
declare i32 @fetestexcept(i32)
declare i32 @feclearexcept(i32)
declare i32 @feraiseexcept(i32)
#endif
#endif

; The blocks of columns number %begin up to %end. Places from the end are negative; one that lies
; outside is noted, and its row is not added.
define void @scatter(i64 %begin, i64 %end, ptr noalias %out, ptr %start, ptr noalias %places,
    ptr noalias %values, ptr %farthest, ptr %flags, i64 %rows, i64 %width, i64 %count,
    i64 %place.step, i64 %value.step, i64 %column.step, i64 %block, i64 %first,
    $scalar %fill, $scalar %addend) #0 {
entry:
#if $flagged
#if $x86
  %word = alloca i32, align 4
  call void @llvm.x86.sse.stmxcsr(ptr %word)
  %before = load i32, ptr %word, align 4
  %cleared = and i32 %before, -64
  store i32 %cleared, ptr %word, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr %word)
#else
  %before = call i32 @fetestexcept(i32 $mask)
  %cleared = call i32 @feclearexcept(i32 $mask)
#endif
#endif
#if $short
  %low = add i64 0, 0
  %across = add i64 $columns, 0
  %long = mul i64 %rows, $columns
  %lines = add i64 1, 0
#else
  %low = mul i64 %begin, %block
  %until = mul i64 %end, %block
  %high = call i64 @llvm.smin.i64(i64 %until, i64 %width)
  %across = add i64 %width, 0
  %long = sub i64 %high, %low
  %lines = add i64 %rows, 0
#endif
  %begins = icmp eq i64 %first, 0
  br i1 %begins, label %copies, label %begun
copies:
  %row = phi i64 [ 0, %entry ], [ %row.next, %copied ]
  %line = mul i64 %row, %across
  %line.begin = add i64 %line, %low
  %is.line = icmp slt i64 %row, %lines
  br i1 %is.line, label %columns, label %begun
columns:
  %c = phi i64 [ 0, %copies ], [ %c.next, %copy ]
  %is.column = icmp slt i64 %c, %long
  br i1 %is.column, label %copy, label %copied
copy:
  %number.at = add i64 %line.begin, %c
  %copy.to = getelementptr $scalar, ptr %out, i64 %number.at
#if $filled
  store $scalar %fill, ptr %copy.to, align $itemsize
#else
  %copy.from = getelementptr $scalar, ptr %start, i64 %number.at
  %initial = load $scalar, ptr %copy.from, align $itemsize
  store $scalar %initial, ptr %copy.to, align $itemsize
#endif
  %c.next = add i64 %c, 1
  br label %columns
copied:
  %row.next = add i64 %row, 1
  br label %copies
begun:
#if $kept
  ; How often a place is that of the one before, among the first ones.
  %sampled = call i64 @llvm.smin.i64(i64 %count, i64 $sample)
  br label %sample
sample:
  %s = phi i64 [ 1, %begun ], [ %s.next, %compare ]
  %repeated = phi i64 [ 0, %begun ], [ %repeated.next, %compare ]
  %is.sample = icmp slt i64 %s, %sampled
  br i1 %is.sample, label %compare, label %chosen
compare:
  %s.before = sub i64 %s, 1
  %s.by = mul i64 %s, %place.step
  %s.before.by = mul i64 %s.before, %place.step
  %s.at = getelementptr $place, ptr %places, i64 %s.by
  %s.before.at = getelementptr $place, ptr %places, i64 %s.before.by
  %s.place = load $place, ptr %s.at, align $place_align
  %s.place.before = load $place, ptr %s.before.at, align $place_align
  %s.same = icmp eq $place %s.place, %s.place.before
  %s.one = zext i1 %s.same to i64
  %repeated.next = add i64 %repeated, %s.one
  %s.next = add i64 %s, 1
  br label %sample
chosen:
  ; A processor foresees that places repeat where that is the rule.
  %changes = sub i64 %sampled, %repeated
  %changes.scaled = mul i64 %changes, $foreseen
  %rule = icmp sle i64 %changes.scaled, %sampled
  br label %head
#else
  br label %head
#endif
head:
#if $kept
  %i = phi i64 [ %first, %chosen ], [ %next, %after ]
  %far = phi i64 [ 0, %chosen ], [ %far.next, %after ]
  %last = phi i64 [ -1, %chosen ], [ %last.next, %after ]
  %last.sum = phi $taken [ $none, %chosen ], [ %sum.next, %after ]
#else
  %i = phi i64 [ %first, %begun ], [ %next, %after ]
  %far = phi i64 [ 0, %begun ], [ %far.next, %after ]
#endif
  %more = icmp slt i64 %i, %count
  br i1 %more, label %body, label %done
body:
  %place.by = mul i64 %i, %place.step
  %place.at = getelementptr $place, ptr %places, i64 %place.by
  %number = load $place, ptr %place.at, align $place_align
#if $widened
  %index = sext $place %number to i64
#else
  %index = add i64 %number, 0
#endif
  %from.end = icmp slt i64 %index, 0
  %other = add i64 %index, %rows
  %place = select i1 %from.end, i64 %other, i64 %index
  %inside = icmp ult i64 %place, %rows
  br i1 %inside, label %add, label %outside
outside:
  %farther = icmp ugt i64 %place, %far
  %far.most = select i1 %farther, i64 %place, i64 %far
  br label %after
add:
  %source.row = mul i64 %i, %value.step
#if $strided
  %source.low = mul i64 %low, %column.step
#else
  %source.low = add i64 %low, 0
#endif
  %source = add i64 %source.row, %source.low
  %from = getelementptr $scalar, ptr %values, i64 %source
#if $kept
  ; The sum of the place before is still in a register: memory would give it back later.
  %to = getelementptr $taken_array, ptr %out, i64 %place
#if $counted
  %value = select i1 true, $scalar %addend, $scalar %addend
#else
  %value = load $taken, ptr %from, align $itemsize
#endif
  %same = icmp eq i64 %place, %last
  ; Others take number after number below, which is in memory as soon.
  br i1 %rule, label %foreseen, label %numbers
foreseen:
  br i1 %same, label %sum, label %fetch
fetch:
  %old = load $taken, ptr %to, align $itemsize
  br label %sum
sum:
  %so.far = phi $taken [ %last.sum, %foreseen ], [ %old, %fetch ]
  %total = $add $taken %so.far, %value
  store $taken %total, ptr %to, align $itemsize
  br label %after
#else
  br label %numbers
#endif
numbers:
#if $short
  %wide = add i64 $columns, 0
#else
  %wide = add i64 %long, 0
#endif
  %target.row = mul i64 %place, %across
  %target = add i64 %target.row, %low
  %row.to = getelementptr $scalar, ptr %out, i64 %target
  br label %loop
loop:
  %k = phi i64 [ 0, %numbers ], [ %k.next, %loop ]
  %to.at = getelementptr $scalar, ptr %row.to, i64 %k
#if $strided
  %from.column = mul i64 %k, %column.step
#else
  %from.column = add i64 %k, 0
#endif
  %from.at = getelementptr $scalar, ptr %from, i64 %from.column
  %number.old = load $scalar, ptr %to.at, align $itemsize
#if $counted
  %number.value = select i1 true, $scalar %addend, $scalar %addend
#else
  %number.value = load $scalar, ptr %from.at, align $itemsize
#endif
  %number.total = $add $scalar %number.old, %number.value
  store $scalar %number.total, ptr %to.at, align $itemsize
  %k.next = add i64 %k, 1
  %again = icmp slt i64 %k.next, %wide
  br i1 %again, label %loop, label %numbers.done
numbers.done:
  br label %after
after:
#if $kept
  %far.next = phi i64 [ %far.most, %outside ], [ %far, %sum ], [ %far, %numbers.done ]
  %last.next = phi i64 [ -1, %outside ], [ %place, %sum ], [ -1, %numbers.done ]
  %sum.next = phi $taken [ $none, %outside ], [ %total, %sum ], [ $none, %numbers.done ]
#else
  %far.next = phi i64 [ %far.most, %outside ], [ %far, %numbers.done ]
#endif
  %next = add i64 %i, 1
  br label %head
done:
  %within = icmp eq i64 %far, 0
  br i1 %within, label %checked, label %beyond
beyond:
  %farthest.before = atomicrmw umax ptr %farthest, i64 %far monotonic
  br label %checked
checked:
#if $flagged
#if $x86
  call void @llvm.x86.sse.stmxcsr(ptr %word)
  %now = load i32, ptr %word, align 4
  %raised = and i32 %now, $mask
  store i32 %before, ptr %word, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr %word)
#else
  %raised = call i32 @fetestexcept(i32 $mask)
  %forgotten = call i32 @feclearexcept(i32 $mask)
  %restored = call i32 @feraiseexcept(i32 %before)
#endif
  %quiet = icmp eq i32 %raised, 0
  br i1 %quiet, label %return, label %report
report:
  %reported = atomicrmw or ptr %flags, i32 %raised monotonic
  br label %return
#else
  br label %return
#endif
return:
  ret void
}
