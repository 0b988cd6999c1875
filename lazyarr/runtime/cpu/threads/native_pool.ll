;: The thread pool's native half. Written for lazyarr; native_pool_ir.py describes the protocol.
;: $NAME is a constant of native_pool_layout.py or a value that native_pool_ir.py puts in.
; A pool of threads: see runtime/cpu/threads/native_pool_ir.py for the protocol.
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @clock_gettime(i32, ptr)
declare i32 @sched_yield()
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
$declare_pause

; Where Python finds the functions.
define void @pool(i64 %begin, i64 %end, ptr %places) {
  %p1 = getelementptr i8, ptr %places, i64 8
  %p2 = getelementptr i8, ptr %places, i64 16
  %p3 = getelementptr i8, ptr %places, i64 24
  %p4 = getelementptr i8, ptr %places, i64 32
  store ptr @prepare, ptr %places
  store ptr @serve, ptr %p1
  store ptr @run, ptr %p2
  store ptr @stop, ptr %p3
  store ptr @abandon, ptr %p4
  ret void
}

define internal i64 @now() nounwind {
  %time = alloca [2 x i64], align 16
  %status = call i32 @clock_gettime(i32 $clock, ptr %time)
  %seconds = load i64, ptr %time
  %at = getelementptr i8, ptr %time, i64 8
  %rest = load i64, ptr %at
  %scaled = mul i64 %seconds, 1000000000
  %total = add i64 %scaled, %rest
  ret i64 %total
}

; Make the mutex and the condition of every slot and parking slot. Returns 0, or what pthreads said.
define i32 @prepare(ptr %pool) nounwind {
entry:
  br label %slots
slots:
  %s = phi i64 [ 0, %entry ], [ %s.next, %slots ]
  %s.bad = phi i32 [ 0, %entry ], [ %s.worst, %slots ]
  %s.by = mul i64 %s, $SLOT_SIZE
  %s.at = add i64 %s.by, $SLOT_AT
  %slot = getelementptr i8, ptr %pool, i64 %s.at
  %s.mutex = getelementptr i8, ptr %slot, i64 $SLOT_MUTEX
  %s.condition = getelementptr i8, ptr %slot, i64 $SLOT_CONDITION
  %s.m = call i32 @pthread_mutex_init(ptr %s.mutex, ptr null)
  %s.c = call i32 @pthread_cond_init(ptr %s.condition, ptr null)
  %s.mc = or i32 %s.m, %s.c
  %s.worst = or i32 %s.bad, %s.mc
  %s.next = add i64 %s, 1
  %s.more = icmp slt i64 %s.next, $SLOTS
  br i1 %s.more, label %slots, label %done
done:
  ret i32 %s.worst
}

; Call `most` sleepers at most, for the job in a slot, or for none.
define internal void @wake(ptr %pool, ptr %slot, i64 %most) nounwind {
entry:
  br label %words
words:
  %w = phi i64 [ 0, %entry ], [ %w.next, %next_word ]
  %left.w = phi i64 [ %most, %entry ], [ %left.done, %next_word ]
  %w.by = shl i64 %w, 3
  %w.at = add i64 %w.by, $ASLEEP
  %word = getelementptr i8, ptr %pool, i64 %w.at
  br label %bits
bits:
  %left = phi i64 [ %left.w, %words ], [ %left.b, %bit ], [ %left.called, %call ]
  %any = icmp sgt i64 %left, 0
  br i1 %any, label %look, label %done
look:
  %seen = load atomic i64, ptr %word seq_cst, align 8
  %none = icmp eq i64 %seen, 0
  br i1 %none, label %next_word, label %bit
next_word:
  %left.done = phi i64 [ %left, %look ]
  %w.next = add i64 %w, 1
  %w.more = icmp slt i64 %w.next, $ASLEEP_WORDS
  br i1 %w.more, label %words, label %done
bit:
  %left.b = phi i64 [ %left, %look ]
  %index = call i64 @llvm.cttz.i64(i64 %seen, i1 true)
  %mask = shl i64 1, %index
  %inverse = xor i64 %mask, -1
  %before = atomicrmw and ptr %word, i64 %inverse seq_cst
  %ours = and i64 %before, %mask
  %lost = icmp eq i64 %ours, 0
  br i1 %lost, label %bits, label %call
call:
  %first = shl i64 %w, 6
  %who = add i64 %first, %index
  %parking.by = mul i64 %who, $PARKING_SIZE
  %parking.at = add i64 %parking.by, $PARKING_AT
  %parking = getelementptr i8, ptr %pool, i64 %parking.at
  %called = getelementptr i8, ptr %parking, i64 $CALLED
  %mutex = getelementptr i8, ptr %parking, i64 $PARKING_MUTEX
  %condition = getelementptr i8, ptr %parking, i64 $PARKING_CONDITION
  call void @steer(ptr %slot, ptr %parking)
  %c.lock = call i32 @pthread_mutex_lock(ptr %mutex)
  store i64 1, ptr %called
  %c.unlock = call i32 @pthread_mutex_unlock(ptr %mutex)
  %c.signal = call i32 @pthread_cond_signal(ptr %condition)
  %left.called = sub i64 %left.b, 1
  br label %bits
done:
  ret void
}

; Go out of a slot; the last one wakes a caller that sleeps.
define internal void @leave(ptr %slot) nounwind {
  %gate = getelementptr i8, ptr %slot, i64 $GATE
  %before = atomicrmw sub ptr %gate, i64 1 acq_rel
  %inside = and i64 %before, $INSIDE
  %last = icmp eq i64 %inside, 1
  %flag = and i64 %before, $WAITER
  %awaited = icmp ne i64 %flag, 0
  %both = and i1 %last, %awaited
  br i1 %both, label %signal, label %done
signal:
  %mutex = getelementptr i8, ptr %slot, i64 $SLOT_MUTEX
  %condition = getelementptr i8, ptr %slot, i64 $SLOT_CONDITION
  %lock = call i32 @pthread_mutex_lock(ptr %mutex)
  %said = call i32 @pthread_cond_signal(ptr %condition)
  %unlock = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %done
done:
  ret void
}

; Take chunks as number `who` until there are none, or until `deadline`, if that is not 0.
define internal void @work(ptr %slot, i64 %who, i64 %deadline) nounwind {
entry:
  %closed.at = getelementptr i8, ptr %slot, i64 $CLOSED
  %p.entry = getelementptr i8, ptr %slot, i64 $job_entry
  %p.words = getelementptr i8, ptr %slot, i64 $job_words
  %p.chunk = getelementptr i8, ptr %slot, i64 $job_chunk
  %p.ranges = getelementptr i8, ptr %slot, i64 $job_ranges
  %p.scratch = getelementptr i8, ptr %slot, i64 $job_scratch
  %p.positions = getelementptr i8, ptr %slot, i64 $job_positions
  %p.block = getelementptr i8, ptr %slot, i64 $job_block
  %p.where = getelementptr i8, ptr %slot, i64 $job_where
  %kernel = load ptr, ptr %p.entry
  %words = load i64, ptr %p.words
  %chunk = load i64, ptr %p.chunk
  %ranges = load i64, ptr %p.ranges
  %scratch = load i64, ptr %p.scratch
  %positions = load i64, ptr %p.positions
  %arguments = load ptr, ptr %p.block
  %where = load ptr, ptr %p.where
  %first = urem i64 %who, %ranges
  %shift = mul i64 %scratch, %who
  %moves = icmp ne i64 %shift, 0
  br i1 %moves, label %own, label %take
own:
  %copy = alloca i64, i64 %words, align 16
  br label %copying
copying:
  %k = phi i64 [ 0, %own ], [ %k.next, %copying ]
  %from = getelementptr i64, ptr %arguments, i64 %k
  %to = getelementptr i64, ptr %copy, i64 %k
  %word = load i64, ptr %from
  store i64 %word, ptr %to
  %k.next = add i64 %k, 1
  %k.more = icmp slt i64 %k.next, %words
  br i1 %k.more, label %copying, label %moving
moving:
  %m = phi i64 [ 0, %copying ], [ %m.next, %moving ]
  %m.at = getelementptr i64, ptr %where, i64 %m
  %position = load i64, ptr %m.at
  %address.at = getelementptr i64, ptr %copy, i64 %position
  %address = load i64, ptr %address.at
  %moved = add i64 %address, %shift
  store i64 %moved, ptr %address.at
  %m.next = add i64 %m, 1
  %m.more = icmp slt i64 %m.next, %positions
  br i1 %m.more, label %moving, label %take
take:
  %block = phi ptr [ %arguments, %entry ], [ %copy, %moving ]
  br label %range
range:
  %happened.r = phi i32 [ 0, %take ], [ %happened, %next_range ]
  %r = phi i64 [ %first, %take ], [ %r.turned, %next_range ]
  %visited = phi i64 [ 1, %take ], [ %visited.next, %next_range ]
  %r.by = mul i64 %r, $RANGE_SIZE
  %r.at = add i64 %r.by, $RANGES_AT
  %next = getelementptr i8, ptr %slot, i64 %r.at
  %end.at = getelementptr i8, ptr %next, i64 8
  %end.item = load i64, ptr %end.at
  br label %chunks
chunks:
  %happened = phi i32 [ %happened.r, %range ], [ %happens, %again ]
  %closed = load atomic i64, ptr %closed.at monotonic, align 8
  %shut = icmp ne i64 %closed, 0
  br i1 %shut, label %end, label %peek
peek:
  ; Looks at several ranges that are done overlap, additions to them would not.
  %seen = load atomic i64, ptr %next monotonic, align 8
  %maybe = icmp slt i64 %seen, %end.item
  br i1 %maybe, label %add, label %elsewhere
add:
  %begin = atomicrmw add ptr %next, i64 %chunk monotonic
  %any = icmp slt i64 %begin, %end.item
  br i1 %any, label %do, label %elsewhere
elsewhere:
  %all_seen = icmp eq i64 %visited, %ranges
  br i1 %all_seen, label %close, label %next_range
next_range:
  %visited.next = add i64 %visited, 1
  %r.next = add i64 %r, 1
  %r.last = icmp eq i64 %r.next, %ranges
  %r.turned = select i1 %r.last, i64 0, i64 %r.next
  br label %range
do:
  %whole = add i64 %begin, %chunk
  %stop = call i64 @llvm.smin.i64(i64 %whole, i64 %end.item)
  %happened.here = call i32 %kernel(i64 %begin, i64 %stop, ptr %block)
  %happens = or i32 %happened, %happened.here
  %timed = icmp ne i64 %deadline, 0
  br i1 %timed, label %look, label %again
look:
  %time = call i64 @now()
  %late = icmp sgt i64 %time, %deadline
  br i1 %late, label %close, label %again
again:
  br label %chunks
close:
  %happened.last = phi i32 [ %happened, %elsewhere ], [ %happens, %look ]
  store atomic i64 1, ptr %closed.at monotonic, align 8
  br label %end
end:
  %all = phi i32 [ %happened, %chunks ], [ %happened.last, %close ]
  %quiet = icmp eq i32 %all, 0
  br i1 %quiet, label %out, label %report
report:
  %result = getelementptr i8, ptr %slot, i64 $RESULT
  %wide = zext i32 %all to i64
  %reported = atomicrmw or ptr %result, i64 %wide monotonic
  br label %out
out:
  ret void
}

; Look through the slots, and help in the first one that can use help. Returns whether it did.
define internal i1 @help(ptr %pool, ptr %parking) nounwind {
entry:
  br label %slots
slots:
  %s = phi i64 [ 0, %entry ], [ %s.next, %no ]
  %s.by = mul i64 %s, $SLOT_SIZE
  %s.at = add i64 %s.by, $SLOT_AT
  %slot = getelementptr i8, ptr %pool, i64 %s.at
  %gate = getelementptr i8, ptr %slot, i64 $GATE
  %closed.at = getelementptr i8, ptr %slot, i64 $CLOSED
  %joined = getelementptr i8, ptr %slot, i64 $JOINED
  %p.limit = getelementptr i8, ptr %slot, i64 $job_limit
  ; A guess, from which nothing follows but whether to try.
  %g = load atomic i64, ptr %gate monotonic, align 8
  %g.open = and i64 %g, $OPEN
  %shut = icmp eq i64 %g.open, 0
  br i1 %shut, label %no, label %guess
guess:
  %c = load atomic i64, ptr %closed.at monotonic, align 8
  %j = load atomic i64, ptr %joined monotonic, align 8
  %l = load atomic i64, ptr %p.limit monotonic, align 8
  %c.not = icmp eq i64 %c, 0
  %j.any = icmp slt i64 %j, %l
  %try = and i1 %c.not, %j.any
  br i1 %try, label %enter, label %no
enter:
  %before = atomicrmw add ptr %gate, i64 1 acquire
  %open = and i64 %before, $OPEN
  %late = icmp eq i64 %open, 0
  br i1 %late, label %spin, label %inside
inside:
  %who = atomicrmw add ptr %joined, i64 1 monotonic
  %limit = load atomic i64, ptr %p.limit monotonic, align 8
  %full = icmp sge i64 %who, %limit
  br i1 %full, label %spin, label %recruit
recruit:
  ; Each that comes in calls two more, so that waking many takes few steps.
  %places = sub i64 %limit, %who
  %others = sub i64 %places, 1
  %closed = load atomic i64, ptr %closed.at monotonic, align 8
  %some = icmp eq i64 %closed, 0
  %spinning.at = getelementptr i8, ptr %pool, i64 $SPINNING
  %spinning = load atomic i64, ptr %spinning.at seq_cst, align 8
  %wanting = sub i64 %others, %spinning
  %two = call i64 @llvm.smin.i64(i64 %wanting, i64 2)
  %sleepers = select i1 %some, i64 %two, i64 0
  call void @wake(ptr %pool, ptr %slot, i64 %sleepers)
  call void @step_aside(ptr %slot, ptr %parking)
  call void @work(ptr %slot, i64 %who, i64 0)
  call void @leave(ptr %slot)
  ret i1 true
spin:
  call void @leave(ptr %slot)
  br label %no
no:
  %s.next = add i64 %s, 1
  %s.more = icmp slt i64 %s.next, $SLOTS
  br i1 %s.more, label %slots, label %nothing
nothing:
  ret i1 false
}

; The life of worker `index`, whose thread has the system's number `thread`.
define void @serve(ptr %pool, i64 %index, i64 %thread) nounwind {
entry:
  %epoch = getelementptr i8, ptr %pool, i64 $EPOCH
  %stop = getelementptr i8, ptr %pool, i64 $STOP
  %spinning = getelementptr i8, ptr %pool, i64 $SPINNING
  %word.index = lshr i64 %index, 6
  %word.by = shl i64 %word.index, 3
  %word.at = add i64 %word.by, $ASLEEP
  %word = getelementptr i8, ptr %pool, i64 %word.at
  %bit = and i64 %index, 63
  %mask = shl i64 1, %bit
  %inverse = xor i64 %mask, -1
  %parking.by = mul i64 %index, $PARKING_SIZE
  %parking.at = add i64 %parking.by, $PARKING_AT
  %parking = getelementptr i8, ptr %pool, i64 %parking.at
  %called = getelementptr i8, ptr %parking, i64 $CALLED
  %mutex = getelementptr i8, ptr %parking, i64 $PARKING_MUTEX
  %condition = getelementptr i8, ptr %parking, i64 $PARKING_CONDITION
  %thread.at = getelementptr i8, ptr %parking, i64 $THREAD
  %avoided.at = getelementptr i8, ptr %parking, i64 $AVOIDED
  store i64 %thread, ptr %thread.at
  store i64 -1, ptr %avoided.at
  %m.failed = call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  %c.failed = call i32 @pthread_cond_init(ptr %condition, ptr null)
  %failed = or i32 %m.failed, %c.failed
  %no_parking = icmp ne i32 %failed, 0
  %spin.at = getelementptr i8, ptr %pool, i64 $header_worker_spin
  %spin.limit = load i64, ptr %spin.at
  %spinners.at = getelementptr i8, ptr %pool, i64 $header_spinners
  %spinners = load i64, ptr %spinners.at
  %may_spin = icmp slt i64 %index, %spinners
  %spin = select i1 %may_spin, i64 %spin.limit, i64 0
  br i1 %no_parking, label %end, label %awake
awake:
  ; The first sleep comes without spinning: whoever ends it says where to run.
  %patience = phi i64 [ 0, %entry ], [ %spin, %search ], [ %spin, %end_spin ],
                      [ %spin, %get_up ], [ %spin, %rise ]
  %seen = load atomic i64, ptr %epoch acquire, align 8
  %s = load atomic i64, ptr %stop acquire, align 8
  %stopped = icmp ne i64 %s, 0
  br i1 %stopped, label %end, label %search
search:
  %helped = call i1 @help(ptr %pool, ptr %parking)
  br i1 %helped, label %awake, label %idle
idle:
  %spins = icmp sgt i64 %patience, 0
  br i1 %spins, label %begin_spin, label %lie_down
begin_spin:
  %more = atomicrmw add ptr %spinning, i64 1 seq_cst
  %since = call i64 @now()
  %until = add i64 %since, %spin
  br label %spin_some
spin_some:
  br label %spin_once
spin_once:
  %n = phi i64 [ 0, %spin_some ], [ %n.next, %spin_next ]
  $pause
  %e = load atomic i64, ptr %epoch acquire, align 8
  %new = icmp ne i64 %e, %seen
  br i1 %new, label %end_spin, label %spin_next
spin_next:
  %n.next = add i64 %n, 1
  %n.more = icmp slt i64 %n.next, 16
  br i1 %n.more, label %spin_once, label %spin_time
spin_time:
  %time = call i64 @now()
  %time.left = icmp slt i64 %time, %until
  br i1 %time.left, label %spin_yield, label %end_spin
spin_yield:
  ; Who is ready to run on this processor goes first: BLAS's workers, above all.
  %yielded = call i32 @sched_yield()
  br label %spin_some
end_spin:
  %has_work = phi i1 [ true, %spin_once ], [ false, %spin_time ]
  %fewer = atomicrmw sub ptr %spinning, i64 1 seq_cst
  br i1 %has_work, label %awake, label %lie_down
lie_down:
  %c.lock = call i32 @pthread_mutex_lock(ptr %mutex)
  store i64 0, ptr %called
  %c.unlock = call i32 @pthread_mutex_unlock(ptr %mutex)
  %lying = atomicrmw or ptr %word, i64 %mask seq_cst
  %e.now = load atomic i64, ptr %epoch seq_cst, align 8
  %same = icmp eq i64 %e.now, %seen
  br i1 %same, label %sleep, label %get_up
get_up:
  %before = atomicrmw and ptr %word, i64 %inverse seq_cst
  %own = and i64 %before, %mask
  %unseen = icmp ne i64 %own, 0
  br i1 %unseen, label %awake, label %sleep
sleep:
  %s.lock = call i32 @pthread_mutex_lock(ptr %mutex)
  br label %asleep
asleep:
  %c = load i64, ptr %called
  %not_called = icmp eq i64 %c, 0
  br i1 %not_called, label %wait, label %rise
wait:
  %waited = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %asleep
rise:
  %s.unlock = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %awake
end:
  ret void
}
