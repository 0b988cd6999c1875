;: The callers of the thread pool's native half. Written for lazyarr; native_pool_ir.py describes
;: the protocol. It follows native_pool.ll, whose functions it calls.
; Wait until nobody is inside a slot that is shut.
define internal void @wait(ptr %pool, ptr %slot) nounwind {
entry:
  %gate = getelementptr i8, ptr %slot, i64 $GATE
  %mutex = getelementptr i8, ptr %slot, i64 $SLOT_MUTEX
  %condition = getelementptr i8, ptr %slot, i64 $SLOT_CONDITION
  %spin.at = getelementptr i8, ptr %pool, i64 $header_caller_spin
  %spin = load i64, ptr %spin.at
  %g = load atomic i64, ptr %gate acquire, align 8
  %g.inside = and i64 %g, $INSIDE
  %g.none = icmp eq i64 %g.inside, 0
  br i1 %g.none, label %done, label %begin_spin
begin_spin:
  %since = call i64 @now()
  %until = add i64 %since, %spin
  br label %spin_some
spin_some:
  br label %spin_once
spin_once:
  %n = phi i64 [ 0, %spin_some ], [ %n.next, %spin_next ]
  $pause
  %s = load atomic i64, ptr %gate acquire, align 8
  %s.inside = and i64 %s, $INSIDE
  %s.none = icmp eq i64 %s.inside, 0
  br i1 %s.none, label %done, label %spin_next
spin_next:
  %n.next = add i64 %n, 1
  %n.more = icmp slt i64 %n.next, 16
  br i1 %n.more, label %spin_once, label %spin_time
spin_time:
  %time = call i64 @now()
  %time.left = icmp slt i64 %time, %until
  br i1 %time.left, label %spin_yield, label %sleep
spin_yield:
  %yielded = call i32 @sched_yield()
  br label %spin_some
sleep:
  %said = atomicrmw or ptr %gate, i64 $WAITER acq_rel
  %lock = call i32 @pthread_mutex_lock(ptr %mutex)
  br label %asleep
asleep:
  %a = load atomic i64, ptr %gate acquire, align 8
  %a.inside = and i64 %a, $INSIDE
  %a.none = icmp eq i64 %a.inside, 0
  br i1 %a.none, label %rise, label %sleeping
sleeping:
  %waited = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %asleep
rise:
  %unlock = call i32 @pthread_mutex_unlock(ptr %mutex)
  %unsaid = atomicrmw and ptr %gate, i64 $NOT_WAITER acq_rel
  br label %done
done:
  ret void
}

; Cut the items from `begin` on into the ranges of a slot, each of whole chunks.
define internal void @cut(ptr %slot, i64 %begin) nounwind {
entry:
  %p.count = getelementptr i8, ptr %slot, i64 $job_count
  %p.chunk = getelementptr i8, ptr %slot, i64 $job_chunk
  %p.ranges = getelementptr i8, ptr %slot, i64 $job_ranges
  %count = load i64, ptr %p.count
  %chunk = load i64, ptr %p.chunk
  %ranges = load i64, ptr %p.ranges
  %items = sub i64 %count, %begin
  %rounding = sub i64 %chunk, 1
  %rounded = add i64 %items, %rounding
  %chunks = sdiv i64 %rounded, %chunk
  br label %cutting
cutting:
  %k = phi i64 [ 0, %entry ], [ %k.next, %cutting ]
  %from = phi i64 [ %begin, %entry ], [ %to, %cutting ]
  %k.next = add i64 %k, 1
  %share = mul i64 %chunks, %k.next
  %before = sdiv i64 %share, %ranges
  %by = mul i64 %before, %chunk
  %end = add i64 %begin, %by
  %to = call i64 @llvm.smin.i64(i64 %end, i64 %count)
  %r.by = mul i64 %k, $RANGE_SIZE
  %r.at = add i64 %r.by, $RANGES_AT
  %next = getelementptr i8, ptr %slot, i64 %r.at
  %end.at = getelementptr i8, ptr %next, i64 8
  store atomic i64 %from, ptr %next monotonic, align 8
  store i64 %to, ptr %end.at
  %more = icmp slt i64 %k.next, %ranges
  br i1 %more, label %cutting, label %done
done:
  ret void
}

; Where the first range begins that is not done, or -1.
define internal i64 @left(ptr %slot) nounwind {
entry:
  %p.ranges = getelementptr i8, ptr %slot, i64 $job_ranges
  %ranges = load i64, ptr %p.ranges
  br label %looking
looking:
  %k = phi i64 [ 0, %entry ], [ %k.next, %done_one ]
  %r.by = mul i64 %k, $RANGE_SIZE
  %r.at = add i64 %r.by, $RANGES_AT
  %next.at = getelementptr i8, ptr %slot, i64 %r.at
  %end.at = getelementptr i8, ptr %next.at, i64 8
  %next = load atomic i64, ptr %next.at monotonic, align 8
  %end = load i64, ptr %end.at
  %any = icmp slt i64 %next, %end
  br i1 %any, label %done, label %done_one
done_one:
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %ranges
  br i1 %more, label %looking, label %done
done:
  %index = phi i64 [ %next, %looking ], [ -1, %done_one ]
  ret i64 %index
}

; The slot that is owned by this number, or null.
define internal ptr @slot_of(ptr %pool, i64 %number) nounwind {
entry:
  br label %slots
slots:
  %s = phi i64 [ 0, %entry ], [ %s.next, %no ]
  %s.by = mul i64 %s, $SLOT_SIZE
  %s.at = add i64 %s.by, $SLOT_AT
  %slot = getelementptr i8, ptr %pool, i64 %s.at
  %owner = getelementptr i8, ptr %slot, i64 $OWNER
  %o = load atomic i64, ptr %owner monotonic, align 8
  %mine = icmp eq i64 %o, %number
  br i1 %mine, label %done, label %no
no:
  %s.next = add i64 %s, 1
  %s.more = icmp slt i64 %s.next, $SLOTS
  br i1 %s.more, label %slots, label %done
done:
  %owned = phi ptr [ %slot, %slots ], [ null, %no ]
  ret ptr %owned
}

; Give up what is left of job `number`.
define void @abandon(ptr %pool, i64 %number) nounwind {
entry:
  %slot = call ptr @slot_of(ptr %pool, i64 %number)
  %none = icmp eq ptr %slot, null
  br i1 %none, label %done, label %free
free:
  %owner = getelementptr i8, ptr %slot, i64 $OWNER
  store atomic i64 0, ptr %owner release, align 8
  br label %done
done:
  ret void
}

; Do a job, or go on with it: `rest` is what the last call said of it, and at first 0. Returns what
; is to be done still, and below that what happened.
define i64 @run(ptr %pool, ptr %descriptor, ptr %block, i64 %rest, i64 %number) nounwind {
entry:
  %in.limit = getelementptr i8, ptr %descriptor, i64 $in_limit
  %in.budget = getelementptr i8, ptr %descriptor, i64 $in_budget
  %limit = load i64, ptr %in.limit
  %budget = load i64, ptr %in.budget
  %now = call i64 @now()
  %deadline = add i64 %now, %budget
  ; If all slots are taken, the job lies here, where no worker looks.
  %private = alloca i8, i64 $SLOT_SIZE, align 64
  %goes_on = icmp eq i64 %rest, $IN_SLOT
  br i1 %goes_on, label %find, label %begin
find:
  %mine = call ptr @slot_of(ptr %pool, i64 %number)
  br label %ready
begin:
  %positive = icmp sgt i64 %rest, 0
  %one = icmp slt i64 %limit, 2
  %alone = or i1 %positive, %one
  br i1 %alone, label %by_itself, label %slots
slots:
  %s = phi i64 [ 0, %begin ], [ %s.next, %no ]
  %s.by = mul i64 %s, $SLOT_SIZE
  %s.at = add i64 %s.by, $SLOT_AT
  %candidate = getelementptr i8, ptr %pool, i64 %s.at
  %owner = getelementptr i8, ptr %candidate, i64 $OWNER
  %o = load atomic i64, ptr %owner monotonic, align 8
  %taken = icmp ne i64 %o, 0
  br i1 %taken, label %no, label %claim
claim:
  %pair = cmpxchg ptr %owner, i64 0, i64 %number acquire monotonic
  %got = extractvalue { i64, i1 } %pair, 1
  br i1 %got, label %fill, label %no
no:
  %s.next = add i64 %s, 1
  %s.more = icmp slt i64 %s.next, $SLOTS
  br i1 %s.more, label %slots, label %by_itself
by_itself:
  %private.gate = getelementptr i8, ptr %private, i64 $GATE
  store i64 0, ptr %private.gate
  br label %fill
fill:
  %filled = phi ptr [ %candidate, %claim ], [ %private, %by_itself ]
  %filled.shared = phi i1 [ true, %claim ], [ false, %by_itself ]
  %p.block = getelementptr i8, ptr %filled, i64 $job_block
  %p.where = getelementptr i8, ptr %filled, i64 $job_where
  %positions = getelementptr i8, ptr %descriptor, i64 $NUMBERS_SIZE
  store ptr %block, ptr %p.block
  store ptr %positions, ptr %p.where
  br label %copy
copy:
  %k = phi i64 [ 0, %fill ], [ %k.next, %copy ]
  %k.from = getelementptr i8, ptr %descriptor, i64 %k
  %k.at = add i64 %k, $JOB
  %k.to = getelementptr i8, ptr %filled, i64 %k.at
  %k.word = load i64, ptr %k.from
  store atomic i64 %k.word, ptr %k.to monotonic, align 8
  %k.next = add i64 %k, 8
  %k.more = icmp slt i64 %k.next, $NUMBERS_SIZE
  br i1 %k.more, label %copy, label %copied
copied:
  br i1 %filled.shared, label %whole, label %in_one
in_one:
  ; What is left of a job by itself is one range, and its place says where that begins.
  %p.ranges = getelementptr i8, ptr %filled, i64 $job_ranges
  store i64 1, ptr %p.ranges
  %less = sub i64 %rest, 1
  %from = call i64 @llvm.smax.i64(i64 %less, i64 0)
  br label %whole
whole:
  %first = phi i64 [ 0, %copied ], [ %from, %in_one ]
  call void @cut(ptr %filled, i64 %first)
  br label %ready
ready:
  %slot = phi ptr [ %mine, %find ], [ %filled, %whole ]
  %shared = phi i1 [ true, %find ], [ %filled.shared, %whole ]
  %gate = getelementptr i8, ptr %slot, i64 $GATE
  %closed = getelementptr i8, ptr %slot, i64 $CLOSED
  %joined = getelementptr i8, ptr %slot, i64 $JOINED
  %result = getelementptr i8, ptr %slot, i64 $RESULT
  store atomic i64 0, ptr %closed monotonic, align 8
  store atomic i64 1, ptr %joined monotonic, align 8
  store atomic i64 0, ptr %result monotonic, align 8
  br i1 %shared, label %publish, label %own_work
publish:
  call void @look_around(ptr %slot)
  %opened = atomicrmw add ptr %gate, i64 $OPEN release
  %epoch = getelementptr i8, ptr %pool, i64 $EPOCH
  %published = atomicrmw add ptr %epoch, i64 1 seq_cst
  %helpers = sub i64 %limit, 1
  %spinning.at = getelementptr i8, ptr %pool, i64 $SPINNING
  %spinning = load atomic i64, ptr %spinning.at seq_cst, align 8
  %wanting = sub i64 %helpers, %spinning
  %two = call i64 @llvm.smin.i64(i64 %wanting, i64 2)
  ; Waking pays for long jobs, and where short ones follow each other: then only the first waits.
  %last.at = getelementptr i8, ptr %pool, i64 $LAST
  %last = load atomic i64, ptr %last.at monotonic, align 8
  store atomic i64 %now, ptr %last.at monotonic, align 8
  %recent = add i64 %last, $BUSY
  %busy = icmp slt i64 %now, %recent
  %in.calls = getelementptr i8, ptr %descriptor, i64 $in_calls
  %calls = load i64, ptr %in.calls
  %many = icmp ne i64 %calls, 0
  %in.alone = getelementptr i8, ptr %descriptor, i64 $in_alone
  %alone.before = load atomic i64, ptr %in.alone monotonic, align 8
  %long = icmp sge i64 %alone.before, $LONG
  %some = or i1 %many, %long
  %pays = or i1 %busy, %some
  %sleepers = select i1 %pays, i64 %two, i64 0
  call void @wake(ptr %pool, ptr %slot, i64 %sleepers)
  br label %own_work
own_work:
  call void @work(ptr %slot, i64 0, i64 %deadline)
  br i1 %shared, label %shut, label %over
shut:
  %was_open = atomicrmw sub ptr %gate, i64 $OPEN acq_rel
  call void @wait(ptr %pool, ptr %slot)
  %came = load atomic i64, ptr %joined monotonic, align 8
  %nobody = icmp eq i64 %came, 1
  %new = icmp eq i64 %rest, 0
  %measures = and i1 %nobody, %new
  br i1 %measures, label %measure, label %over
measure:
  ; About the least time that the job took one thread, which says whether others are worth waking.
  ; It rises slowly: the next kernel at this address may be another.
  %p.alone = getelementptr i8, ptr %descriptor, i64 $in_alone
  %known = load atomic i64, ptr %p.alone monotonic, align 8
  %ended = call i64 @now()
  %took = sub i64 %ended, %now
  %eighth = lshr i64 %known, 3
  %raised = add i64 %known, %eighth
  %lesser = call i64 @llvm.smin.i64(i64 %took, i64 %raised)
  %unknown = icmp eq i64 %known, 0
  %noted = select i1 %unknown, i64 %took, i64 %lesser
  store atomic i64 %noted, ptr %p.alone monotonic, align 8
  br label %over
over:
  %happened = load atomic i64, ptr %result monotonic, align 8
  %at = call i64 @left(ptr %slot)
  %done = icmp slt i64 %at, 0
  %beyond = add i64 %at, 1
  %where = select i1 %shared, i64 $IN_SLOT, i64 %beyond
  %still = select i1 %done, i64 0, i64 %where
  %free = and i1 %done, %shared
  br i1 %free, label %release, label %return
release:
  %p.owner = getelementptr i8, ptr %slot, i64 $OWNER
  store atomic i64 0, ptr %p.owner release, align 8
  br label %return
return:
  %place = shl i64 %still, $RESULT_BITS
  %answer = or i64 %place, %happened
  ret i64 %answer
}

; Let every worker return.
define void @stop(ptr %pool) nounwind {
  %stop.at = getelementptr i8, ptr %pool, i64 $STOP
  store atomic i64 1, ptr %stop.at seq_cst, align 8
  %epoch = getelementptr i8, ptr %pool, i64 $EPOCH
  %published = atomicrmw add ptr %epoch, i64 1 seq_cst
  call void @wake(ptr %pool, ptr null, i64 $PARKING_SLOTS)
  ret void
}
