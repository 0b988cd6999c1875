;: Steering of the thread pool's threads by calls of Linux. Written for lazyarr; native_pool_ir.py
;: says why.
declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)

; Note where the caller runs, as a number from 1, and 0 if that is not known.
define internal void @look_around(ptr %slot) nounwind {
entry:
  %at = getelementptr i8, ptr %slot, i64 $PROCESSOR
  %mask = getelementptr i8, ptr %slot, i64 $MASK
  %known = load i64, ptr %at
  %processor = call i32 @sched_getcpu()
  %wide = sext i32 %processor to i64
  %number = add i64 %wide, 1
  %same = icmp eq i64 %number, %known
  br i1 %same, label %done, label %moved
moved:
  %bits = shl i64 $MASK_BYTES, 3
  %negative = icmp slt i64 %wide, 0
  %beyond = icmp sge i64 %wide, %bits
  %odd = or i1 %negative, %beyond
  br i1 %odd, label %unknown, label %ask
ask:
  %status = call i32 @sched_getaffinity(i32 0, i64 $MASK_BYTES, ptr %mask)
  %refused = icmp slt i32 %status, 0
  br i1 %refused, label %unknown, label %remove
remove:
  %word.index = lshr i64 %wide, 6
  %word.at = getelementptr i64, ptr %mask, i64 %word.index
  %word = load i64, ptr %word.at
  %bit = and i64 %wide, 63
  %flag = shl i64 1, %bit
  %inverse = xor i64 %flag, -1
  %without = and i64 %word, %inverse
  store i64 %without, ptr %word.at
  br label %count
count:
  %k = phi i64 [ 0, %remove ], [ %k.next, %count ]
  %any = phi i64 [ 0, %remove ], [ %any.next, %count ]
  %k.at = getelementptr i64, ptr %mask, i64 %k
  %k.word = load i64, ptr %k.at
  %any.next = or i64 %any, %k.word
  %k.next = add i64 %k, 1
  %k.by = shl i64 %k.next, 3
  %k.more = icmp slt i64 %k.by, $MASK_BYTES
  br i1 %k.more, label %count, label %counted
counted:
  %nowhere = icmp eq i64 %any.next, 0
  br i1 %nowhere, label %unknown, label %know
know:
  store i64 %number, ptr %at
  br label %done
unknown:
  store i64 0, ptr %at
  br label %done
done:
  ret void
}

; Keep the worker in a parking slot away from the processor of a slot's caller. It sleeps, and the
; bit that says so is ours, so nobody else writes here.
define internal void @steer(ptr %slot, ptr %parking) nounwind {
entry:
  %none = icmp eq ptr %slot, null
  br i1 %none, label %done, label %look
look:
  %at = getelementptr i8, ptr %slot, i64 $PROCESSOR
  %mask = getelementptr i8, ptr %slot, i64 $MASK
  %thread.at = getelementptr i8, ptr %parking, i64 $THREAD
  %avoided.at = getelementptr i8, ptr %parking, i64 $AVOIDED
  %number = load i64, ptr %at
  %avoided = load i64, ptr %avoided.at
  %same = icmp eq i64 %number, %avoided
  %unknown = icmp eq i64 %number, 0
  %leave = or i1 %same, %unknown
  br i1 %leave, label %done, label %forbid
forbid:
  %thread = load i64, ptr %thread.at
  %narrow = trunc i64 %thread to i32
  ; Where it is not permitted, the scheduler decides alone.
  %status = call i32 @sched_setaffinity(i32 %narrow, i64 $MASK_BYTES, ptr %mask)
  store i64 %number, ptr %avoided.at
  br label %done
done:
  ret void
}

; Go elsewhere if the caller of a slot runs just here.
define internal void @step_aside(ptr %slot, ptr %parking) nounwind {
  %at = getelementptr i8, ptr %slot, i64 $PROCESSOR
  %number = load i64, ptr %at
  %processor = call i32 @sched_getcpu()
  %wide = sext i32 %processor to i64
  %here = add i64 %wide, 1
  %same = icmp eq i64 %here, %number
  br i1 %same, label %go, label %done
go:
  call void @steer(ptr %slot, ptr %parking)
  br label %done
done:
  ret void
}
