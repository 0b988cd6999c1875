;: The smallest elements of each row in order.
;: Written for lazyarr; selection.py puts in the types.
declare i64 @llvm.cttz.i64(i64, i1)
declare <16 x $word> @llvm.smax.v16$word(<16 x $word>, <16 x $word>)
declare <16 x $word> @llvm.smin.v16$word(<16 x $word>, <16 x $word>)
declare <16 x $word> @llvm.masked.load.v16$word.p0(ptr, i32, <16 x i1>, <16 x $word>)

; The rows number %begin up to %end, of %length elements each, %step elements apart; those of the
; result, one behind the other, have %count elements: at most 16, and no more than a row.
;
; A register holds them at its end, as signed numbers of the same order; in front of them is the
; least number. An element that is less than the last one goes in, and the last one out. Most blocks
; of a long row have no such element.
define void @selection(i64 %begin, i64 %end, ptr noalias %out, ptr noalias readonly %in,
    i64 %length, i64 %count, i64 %step) #0 {
entry:
  %sorted.at = alloca [16 x $word], align 64
  %free = sub i64 16, %count
#if $narrow
  %free.lane = trunc i64 %free to $word
#else
  %free.lane = add i64 %free, 0
#endif
  %free.first = insertelement <16 x $word> poison, $word %free.lane, i64 0
  %free.lanes = shufflevector <16 x $word> %free.first, <16 x $word> poison,
      <16 x i32> zeroinitializer
  %is.free = icmp slt <16 x $word> <$word 0, $word 1, $word 2, $word 3, $word 4, $word 5, $word 6,
      $word 7, $word 8, $word 9, $word 10, $word 11, $word 12, $word 13, $word 14, $word 15>,
      %free.lanes
  %initial = select <16 x i1> %is.free, <16 x $word> splat ($word $least),
      <16 x $word> splat ($word $most)
  br label %rows
rows:
  %r = phi i64 [ %begin, %entry ], [ %r.next, %written ]
  %is.row = icmp slt i64 %r, %end
  br i1 %is.row, label %row, label %return
row:
  %from.row = mul i64 %r, %step
  %to.row = mul i64 %r, %count
  %from = getelementptr $word, ptr %in, i64 %from.row
  %to = getelementptr $word, ptr %out, i64 %to.row
  br label %blocks
blocks:
  %i = phi i64 [ 0, %row ], [ %i.next, %unchanged ], [ %i.next, %insert ]
  %lanes = phi <16 x $word> [ %initial, %row ], [ %lanes, %unchanged ], [ %lanes.next, %insert ]
  %rest = sub i64 %length, %i
  %is.block = icmp sgt i64 %rest, 0
  br i1 %is.block, label %block, label %sorted
block:
  %i.next = add i64 %i, 16
  %block.from = getelementptr $word, ptr %from, i64 %i
  %is.whole = icmp sge i64 %rest, 16
  br i1 %is.whole, label %whole, label %part
whole:
  %whole.numbers = load <16 x $word>, ptr %block.from, align $itemsize
  br label %taken
part:
#if $narrow
  %rest.lane = trunc i64 %rest to $word
#else
  %rest.lane = add i64 %rest, 0
#endif
  %rest.first = insertelement <16 x $word> poison, $word %rest.lane, i64 0
  %rest.lanes = shufflevector <16 x $word> %rest.first, <16 x $word> poison,
      <16 x i32> zeroinitializer
  %mask = icmp slt <16 x $word> <$word 0, $word 1, $word 2, $word 3, $word 4, $word 5, $word 6,
      $word 7, $word 8, $word 9, $word 10, $word 11, $word 12, $word 13, $word 14, $word 15>,
      %rest.lanes
  %part.numbers = call <16 x $word> @llvm.masked.load.v16$word.p0(ptr %block.from, i32 $itemsize,
      <16 x i1> %mask, <16 x $word> splat ($word $most))
  br label %taken
taken:
  %numbers = phi <16 x $word> [ %whole.numbers, %whole ], [ %part.numbers, %part ]
#if $floating
  %signs = ashr <16 x $word> %numbers, splat ($word $shift)
  %flips = and <16 x $word> %signs, splat ($word $most)
  %keys = xor <16 x $word> %numbers, %flips
#else
  %keys = add <16 x $word> %numbers, zeroinitializer
#endif
  %last = extractelement <16 x $word> %lanes, i64 15
  %last.first = insertelement <16 x $word> poison, $word %last, i64 0
  %last.lanes = shufflevector <16 x $word> %last.first, <16 x $word> poison,
      <16 x i32> zeroinitializer
  %less = icmp slt <16 x $word> %keys, %last.lanes
  %less.bits = bitcast <16 x i1> %less to i16
  %is.unchanged = icmp eq i16 %less.bits, 0
  br i1 %is.unchanged, label %unchanged, label %some
unchanged:
  br label %blocks
some:
  %first.hits = zext i16 %less.bits to i64
  br label %insert
insert:
  ; Without effect for an element that is not less than the last one any more, or no number.
  %hits = phi i64 [ %first.hits, %some ], [ %hits.next, %insert ]
  %lanes.before = phi <16 x $word> [ %lanes, %some ], [ %lanes.next, %insert ]
  %lane = call i64 @llvm.cttz.i64(i64 %hits, i1 true)
  %number.at = getelementptr $word, ptr %block.from, i64 %lane
  %number = load $word, ptr %number.at, align $itemsize
#if $floating
  %sign = ashr $word %number, $shift
  %flip = and $word %sign, $most
  %ordered = xor $word %number, %flip
  %size = and $word %number, $most
  %is.nan = icmp ugt $word %size, $infinity
  %key = select i1 %is.nan, $word $nan, $word %ordered
#else
  %key = add $word %number, 0
#endif
  %key.first = insertelement <16 x $word> poison, $word %key, i64 0
  %key.lanes = shufflevector <16 x $word> %key.first, <16 x $word> poison,
      <16 x i32> zeroinitializer
  %moved = shufflevector <16 x $word> %lanes.before, <16 x $word> splat ($word $least),
      <16 x i32> <i32 16, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9,
      i32 10, i32 11, i32 12, i32 13, i32 14>
  %behind = call <16 x $word> @llvm.smax.v16$word(<16 x $word> %moved, <16 x $word> %key.lanes)
  %lanes.next = call <16 x $word> @llvm.smin.v16$word(<16 x $word> %lanes.before,
      <16 x $word> %behind)
  %hits.less = sub i64 %hits, 1
  %hits.next = and i64 %hits, %hits.less
  %is.hit = icmp ne i64 %hits.next, 0
  br i1 %is.hit, label %insert, label %blocks
sorted:
#if $floating
  %sorted.signs = ashr <16 x $word> %lanes, splat ($word $shift)
  %sorted.flips = and <16 x $word> %sorted.signs, splat ($word $most)
  %sorted.numbers = xor <16 x $word> %lanes, %sorted.flips
#else
  %sorted.numbers = add <16 x $word> %lanes, zeroinitializer
#endif
  store <16 x $word> %sorted.numbers, ptr %sorted.at, align 64
  %sorted.from = getelementptr $word, ptr %sorted.at, i64 %free
  br label %write
write:
  %w = phi i64 [ 0, %sorted ], [ %w.next, %write ]
  %w.from = getelementptr $word, ptr %sorted.from, i64 %w
  %w.to = getelementptr $word, ptr %to, i64 %w
  %w.number = load $word, ptr %w.from, align $itemsize
  store $word %w.number, ptr %w.to, align $itemsize
  %w.next = add i64 %w, 1
  %is.more = icmp slt i64 %w.next, %count
  br i1 %is.more, label %write, label %written
written:
  %r.next = add i64 %r, 1
  br label %rows
return:
  ret void
}
