;: Rows that are added to rows of an array, one after the other.
;: Written for lazyarr; scatter.py puts in the type of numbers and how they are added.

; Rows number %begin up to %end of %values, %step numbers apart. Places from the end are negative.
define void @scatter(i64 %begin, i64 %end, ptr noalias %out, ptr noalias %places,
    ptr noalias %values, i64 %rows, i64 %width, i64 %step) #0 {
entry:
  br label %head
head:
  %i = phi i64 [ %begin, %entry ], [ %next, %after ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %done
body:
  %place.at = getelementptr i64, ptr %places, i64 %i
  %number = load i64, ptr %place.at, align 8
  %from.end = icmp slt i64 %number, 0
  %other = add i64 %number, %rows
  %place = select i1 %from.end, i64 %other, i64 %number
  %target = mul i64 %place, %width
  %source = mul i64 %i, %step
  %to = getelementptr $scalar, ptr %out, i64 %target
  %from = getelementptr $scalar, ptr %values, i64 %source
  br label %loop
loop:
  %k = phi i64 [ 0, %body ], [ %k.next, %loop ]
  %to.at = getelementptr $scalar, ptr %to, i64 %k
  %from.at = getelementptr $scalar, ptr %from, i64 %k
  %old = load $scalar, ptr %to.at, align $align
  %value = load $scalar, ptr %from.at, align $align
  %sum = $add $scalar %old, %value
  store $scalar %sum, ptr %to.at, align $align
  %k.next = add i64 %k, 1
  %again = icmp slt i64 %k.next, %width
  br i1 %again, label %loop, label %after
after:
  %next = add i64 %i, 1
  br label %head
done:
  ret void
}
