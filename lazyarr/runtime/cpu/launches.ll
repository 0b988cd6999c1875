;: Kernels one after the other, as one call.
;: Written for lazyarr; launch_batches.py writes the table.

; Launches number %begin up to %end. A row of the table: a kernel's packed entry, its work items,
; and where its block begins. What the kernels return is joined in %result.
define void @launches(i64 %begin, i64 %end, ptr %table, ptr %blocks, ptr %result) #0 {
entry:
  br label %head
head:
  %i = phi i64 [ %begin, %entry ], [ %next, %body ]
  %bits = phi i64 [ 0, %entry ], [ %joined, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %done
body:
  %row = getelementptr [3 x i64], ptr %table, i64 %i
  %kernel = load ptr, ptr %row, align 8
  %second = getelementptr i64, ptr %row, i64 1
  %count = load i64, ptr %second, align 8
  %third = getelementptr i64, ptr %row, i64 2
  %offset = load i64, ptr %third, align 8
  %block = getelementptr i8, ptr %blocks, i64 %offset
  %happened = call i32 %kernel(i64 0, i64 %count, ptr %block)
  %wide = zext i32 %happened to i64
  %joined = or i64 %bits, %wide
  %next = add i64 %i, 1
  br label %head
done:
  store i64 %bits, ptr %result, align 8
  ret void
}
