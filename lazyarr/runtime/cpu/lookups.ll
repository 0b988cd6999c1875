;: Values looked up in a sorted vector: their positions, or interpolation between its points.
;: Written for lazyarr; lookups.py puts in the types. Points and heights that are narrower than
;: values are widened where they are read.
declare <8 x $stored> @llvm.masked.gather.v8$name.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x $stored>)
declare i64 @llvm.smin.i64(i64, i64)
declare <8 x i64> @llvm.smin.v8i64(<8 x i64>, <8 x i64>)
declare <8 x i64> @llvm.smax.v8i64(<8 x i64>, <8 x i64>)

; The element of a table at an address, in the type of the values.
define internal $element @element(ptr %at) alwaysinline {
#if $narrow
  %stored = load $stored, ptr %at, align $stored_bytes
  %wide = fpext $stored %stored to $element
  ret $element %wide
#else
  %stored = load $element, ptr %at, align $stored_bytes
  ret $element %stored
#endif
}

; Those at eight addresses.
define internal <8 x $element> @elements(<8 x ptr> %at) alwaysinline {
  %stored = call <8 x $stored> @llvm.masked.gather.v8$name.v8p0(<8 x ptr> %at, i32 $stored_bytes,
      <8 x i1> splat (i1 true), <8 x $stored> poison)
#if $narrow
  %wide = fpext <8 x $stored> %stored to <8 x $element>
  ret <8 x $element> %wide
#else
  ret <8 x $element> %stored
#endif
}

; The blocks of eight values number %begin up to %end, of %count values, at least eight: the last
; block ends with the last value. The table has %length elements, at least one.
;
; Eight searches take the same steps: each halves what is left, whatever it finds, so that none
; waits for a branch that was not foreseen, and their loads overlap. In a table of few elements
; all of them are compared, which takes no loads from places of its own for each value.
#if $interpolates
define void @lookups(i64 %begin, i64 %end, ptr noalias %out, ptr readonly %table,
    ptr readonly %heights, ptr readonly %in, i64 %length, i64 %count, i64 %has.left, double %left,
    i64 %has.right, double %right) #0 {
#else
define void @lookups(i64 %begin, i64 %end, ptr noalias %out, ptr readonly %table,
    ptr readonly %in, i64 %length, i64 %count) #0 {
#endif
entry:
  %last.block = sub i64 %count, 8
  %all.last = sub i64 %length, 1
  %is.short = icmp ule i64 %length, $counted
#if $interpolates
  %inner = sub i64 %length, 2
  %inner.first = insertelement <8 x i64> poison, i64 %inner, i64 0
  %inner.lanes = shufflevector <8 x i64> %inner.first, <8 x i64> poison, <8 x i32> zeroinitializer
  %length.first = insertelement <8 x i64> poison, i64 %length, i64 0
  %length.lanes = shufflevector <8 x i64> %length.first, <8 x i64> poison,
      <8 x i32> zeroinitializer
  %end.at = getelementptr $stored, ptr %table, i64 %all.last
  %end.point = call double @element(ptr %end.at)
  %end.height.at = getelementptr $stored, ptr %heights, i64 %all.last
  %end.height = call double @element(ptr %end.height.at)
  %first.height = call double @element(ptr %heights)
  %is.left = icmp ne i64 %has.left, 0
  %is.right = icmp ne i64 %has.right, 0
  %low = select i1 %is.left, double %left, double %first.height
  %high = select i1 %is.right, double %right, double %end.height
  %end.first = insertelement <8 x double> poison, double %end.point, i64 0
  %end.lanes = shufflevector <8 x double> %end.first, <8 x double> poison,
      <8 x i32> zeroinitializer
  %end.height.first = insertelement <8 x double> poison, double %end.height, i64 0
  %end.heights = shufflevector <8 x double> %end.height.first, <8 x double> poison,
      <8 x i32> zeroinitializer
  %low.first = insertelement <8 x double> poison, double %low, i64 0
  %low.lanes = shufflevector <8 x double> %low.first, <8 x double> poison,
      <8 x i32> zeroinitializer
  %high.first = insertelement <8 x double> poison, double %high, i64 0
  %high.lanes = shufflevector <8 x double> %high.first, <8 x double> poison,
      <8 x i32> zeroinitializer
#endif
  br label %blocks
blocks:
  %block = phi i64 [ %begin, %entry ], [ %block.next, %placed ]
  %is.block = icmp slt i64 %block, %end
  br i1 %is.block, label %values, label %return
values:
  %aligned = mul i64 %block, 8
  %at = call i64 @llvm.smin.i64(i64 %aligned, i64 %last.block)
  %from = getelementptr $element, ptr %in, i64 %at
  %keys = load <8 x $element>, ptr %from, align $itemsize
  br i1 %is.short, label %counting, label %steps
counting:
  %k = phi i64 [ 0, %values ], [ %k.next, %counting ]
  %counted = phi <8 x i64> [ zeroinitializer, %values ], [ %counted.next, %counting ]
  %one.at = getelementptr $stored, ptr %table, i64 %k
  %one.probe = call $element @element(ptr %one.at)
  %one.first = insertelement <8 x $element> poison, $element %one.probe, i64 0
  %one.lanes = shufflevector <8 x $element> %one.first, <8 x $element> poison,
      <8 x i32> zeroinitializer
#if $floating
#if $right
  %one.not.less = fcmp ult <8 x $element> %keys, %one.lanes
  %is.one.key = fcmp ord <8 x $element> %keys, %keys
  %is.one.less = and <8 x i1> %one.not.less, %is.one.key
  %one.goes = xor <8 x i1> %is.one.less, splat (i1 true)
#else
  %is.one.less = fcmp ult <8 x $element> %one.lanes, %keys
  %is.one.probe = fcmp ord <8 x $element> %one.lanes, %one.lanes
  %one.goes = and <8 x i1> %is.one.less, %is.one.probe
#endif
#else
#if $right
  %one.goes = icmp $least_or_equal <8 x $element> %one.lanes, %keys
#else
  %one.goes = icmp $less <8 x $element> %one.lanes, %keys
#endif
#endif
  %one.wide = zext <8 x i1> %one.goes to <8 x i64>
  %counted.next = add <8 x i64> %counted, %one.wide
  %k.next = add i64 %k, 1
  %is.counted = icmp eq i64 %k.next, %length
  br i1 %is.counted, label %placed, label %counting
steps:
  %base = phi <8 x i64> [ zeroinitializer, %values ], [ %base.next, %step ]
  %left.over = phi i64 [ %length, %values ], [ %left.next, %step ]
  %is.more = icmp ugt i64 %left.over, 1
  br i1 %is.more, label %step, label %searched
step:
  %half = lshr i64 %left.over, 1
  %left.next = sub i64 %left.over, %half
  %before = sub i64 %half, 1
  %half.first = insertelement <8 x i64> poison, i64 %half, i64 0
  %half.lanes = shufflevector <8 x i64> %half.first, <8 x i64> poison, <8 x i32> zeroinitializer
  %middle = getelementptr $stored, ptr %table, i64 %before
  %probe.at = getelementptr $stored, ptr %middle, <8 x i64> %base
  %probes = call <8 x $element> @elements(<8 x ptr> %probe.at)
#if $floating
#if $right
  %not.less = fcmp ult <8 x $element> %keys, %probes
  %is.key = fcmp ord <8 x $element> %keys, %keys
  %is.less = and <8 x i1> %not.less, %is.key
  %goes = xor <8 x i1> %is.less, splat (i1 true)
#else
  %is.less = fcmp ult <8 x $element> %probes, %keys
  %is.probe = fcmp ord <8 x $element> %probes, %probes
  %goes = and <8 x i1> %is.less, %is.probe
#endif
#else
#if $right
  %goes = icmp $least_or_equal <8 x $element> %probes, %keys
#else
  %goes = icmp $less <8 x $element> %probes, %keys
#endif
#endif
  %moved = add <8 x i64> %base, %half.lanes
  %base.next = select <8 x i1> %goes, <8 x i64> %moved, <8 x i64> %base
  br label %steps
searched:
  ; One element is left.
  %final.at = getelementptr $stored, ptr %table, <8 x i64> %base
  %finals = call <8 x $element> @elements(<8 x ptr> %final.at)
#if $floating
#if $right
  %final.not.less = fcmp ult <8 x $element> %keys, %finals
  %is.final.key = fcmp ord <8 x $element> %keys, %keys
  %is.final.less = and <8 x i1> %final.not.less, %is.final.key
  %final.goes = xor <8 x i1> %is.final.less, splat (i1 true)
#else
  %is.final.less = fcmp ult <8 x $element> %finals, %keys
  %is.final.probe = fcmp ord <8 x $element> %finals, %finals
  %final.goes = and <8 x i1> %is.final.less, %is.final.probe
#endif
#else
#if $right
  %final.goes = icmp $least_or_equal <8 x $element> %finals, %keys
#else
  %final.goes = icmp $less <8 x $element> %finals, %keys
#endif
#endif
  %final.step = zext <8 x i1> %final.goes to <8 x i64>
  %searched.places = add <8 x i64> %base, %final.step
  br label %placed
placed:
  %places = phi <8 x i64> [ %counted.next, %counting ], [ %searched.places, %searched ]
#if $interpolates
  ; Between the points before and behind each value, as NumPy interpolates: with the one before it,
  ; and where that gives NaN with the one behind it.
  %before.values = sub <8 x i64> %places, splat (i64 1)
  %not.negative = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %before.values,
      <8 x i64> zeroinitializer)
  %j = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %not.negative, <8 x i64> %inner.lanes)
  %x0.at = getelementptr $stored, ptr %table, <8 x i64> %j
  %x1.at = getelementptr $stored, <8 x ptr> %x0.at, i64 1
  %y0.at = getelementptr $stored, ptr %heights, <8 x i64> %j
  %y1.at = getelementptr $stored, <8 x ptr> %y0.at, i64 1
  %x0 = call <8 x double> @elements(<8 x ptr> %x0.at)
  %x1 = call <8 x double> @elements(<8 x ptr> %x1.at)
  %y0 = call <8 x double> @elements(<8 x ptr> %y0.at)
  %y1 = call <8 x double> @elements(<8 x ptr> %y1.at)
  %rise = fsub <8 x double> %y1, %y0
  %run = fsub <8 x double> %x1, %x0
  %slope = fdiv <8 x double> %rise, %run
  %way = fsub <8 x double> %keys, %x0
  %part = fmul <8 x double> %slope, %way
  %between = fadd <8 x double> %part, %y0
  %way.back = fsub <8 x double> %keys, %x1
  %part.back = fmul <8 x double> %slope, %way.back
  %between.back = fadd <8 x double> %part.back, %y1
  %is.level = fcmp oeq <8 x double> %y0, %y1
  %is.no.number = fcmp uno <8 x double> %between, %between
  %is.none.back = fcmp uno <8 x double> %between.back, %between.back
  %is.level.only = and <8 x i1> %is.none.back, %is.level
  %other.way = select <8 x i1> %is.level.only, <8 x double> %y0, <8 x double> %between.back
  %inside = select <8 x i1> %is.no.number, <8 x double> %other.way, <8 x double> %between
  %is.point = fcmp oeq <8 x double> %x0, %keys
  %on.points = select <8 x i1> %is.point, <8 x double> %y0, <8 x double> %inside
  %is.last = icmp eq <8 x i64> %places, %length.lanes
  %to.last = select <8 x i1> %is.last, <8 x double> %end.heights, <8 x double> %on.points
  %is.beyond = fcmp ogt <8 x double> %keys, %end.lanes
  %to.right = select <8 x i1> %is.beyond, <8 x double> %high.lanes, <8 x double> %to.last
  %is.before = icmp eq <8 x i64> %places, zeroinitializer
  %to.left = select <8 x i1> %is.before, <8 x double> %low.lanes, <8 x double> %to.right
  %is.nan = fcmp uno <8 x double> %keys, %keys
  %results = select <8 x i1> %is.nan, <8 x double> %keys, <8 x double> %to.left
  %to = getelementptr double, ptr %out, i64 %at
  store <8 x double> %results, ptr %to, align 8
#else
  %to = getelementptr i64, ptr %out, i64 %at
  store <8 x i64> %places, ptr %to, align 8
#endif
  %block.next = add i64 %block, 1
  br label %blocks
return:
  ret void
}
