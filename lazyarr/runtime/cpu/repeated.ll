;: One routine for each matrix of a stack, as one call. Written for lazyarr; repeated.py writes
;: the arguments.

; Call number %begin up to %end. All arguments are addresses, or lengths that Fortran hides: those
; of the first call, and the bytes from one call to the next.
define void @repeated(i64 %begin, i64 %end, ptr %routine, ptr %arguments, ptr %steps) #0 {
entry:
  %place0 = getelementptr i64, ptr %arguments, i64 0
  %first0 = load i64, ptr %place0, align 8
  %where0 = getelementptr i64, ptr %steps, i64 0
  %step0 = load i64, ptr %where0, align 8
  %place1 = getelementptr i64, ptr %arguments, i64 1
  %first1 = load i64, ptr %place1, align 8
  %where1 = getelementptr i64, ptr %steps, i64 1
  %step1 = load i64, ptr %where1, align 8
  %place2 = getelementptr i64, ptr %arguments, i64 2
  %first2 = load i64, ptr %place2, align 8
  %where2 = getelementptr i64, ptr %steps, i64 2
  %step2 = load i64, ptr %where2, align 8
  %place3 = getelementptr i64, ptr %arguments, i64 3
  %first3 = load i64, ptr %place3, align 8
  %where3 = getelementptr i64, ptr %steps, i64 3
  %step3 = load i64, ptr %where3, align 8
  %place4 = getelementptr i64, ptr %arguments, i64 4
  %first4 = load i64, ptr %place4, align 8
  %where4 = getelementptr i64, ptr %steps, i64 4
  %step4 = load i64, ptr %where4, align 8
  %place5 = getelementptr i64, ptr %arguments, i64 5
  %first5 = load i64, ptr %place5, align 8
  %where5 = getelementptr i64, ptr %steps, i64 5
  %step5 = load i64, ptr %where5, align 8
  %place6 = getelementptr i64, ptr %arguments, i64 6
  %first6 = load i64, ptr %place6, align 8
  %where6 = getelementptr i64, ptr %steps, i64 6
  %step6 = load i64, ptr %where6, align 8
  %place7 = getelementptr i64, ptr %arguments, i64 7
  %first7 = load i64, ptr %place7, align 8
  %where7 = getelementptr i64, ptr %steps, i64 7
  %step7 = load i64, ptr %where7, align 8
  %place8 = getelementptr i64, ptr %arguments, i64 8
  %first8 = load i64, ptr %place8, align 8
  %where8 = getelementptr i64, ptr %steps, i64 8
  %step8 = load i64, ptr %where8, align 8
  %place9 = getelementptr i64, ptr %arguments, i64 9
  %first9 = load i64, ptr %place9, align 8
  %where9 = getelementptr i64, ptr %steps, i64 9
  %step9 = load i64, ptr %where9, align 8
  %place10 = getelementptr i64, ptr %arguments, i64 10
  %first10 = load i64, ptr %place10, align 8
  %where10 = getelementptr i64, ptr %steps, i64 10
  %step10 = load i64, ptr %where10, align 8
  %place11 = getelementptr i64, ptr %arguments, i64 11
  %first11 = load i64, ptr %place11, align 8
  %where11 = getelementptr i64, ptr %steps, i64 11
  %step11 = load i64, ptr %where11, align 8
  br label %head
head:
  %i = phi i64 [ %begin, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %done
body:
  %along0 = mul i64 %i, %step0
  %argument0 = add i64 %first0, %along0
  %along1 = mul i64 %i, %step1
  %argument1 = add i64 %first1, %along1
  %along2 = mul i64 %i, %step2
  %argument2 = add i64 %first2, %along2
  %along3 = mul i64 %i, %step3
  %argument3 = add i64 %first3, %along3
  %along4 = mul i64 %i, %step4
  %argument4 = add i64 %first4, %along4
  %along5 = mul i64 %i, %step5
  %argument5 = add i64 %first5, %along5
  %along6 = mul i64 %i, %step6
  %argument6 = add i64 %first6, %along6
  %along7 = mul i64 %i, %step7
  %argument7 = add i64 %first7, %along7
  %along8 = mul i64 %i, %step8
  %argument8 = add i64 %first8, %along8
  %along9 = mul i64 %i, %step9
  %argument9 = add i64 %first9, %along9
  %along10 = mul i64 %i, %step10
  %argument10 = add i64 %first10, %along10
  %along11 = mul i64 %i, %step11
  %argument11 = add i64 %first11, %along11
  call void %routine(i64 %argument0, i64 %argument1, i64 %argument2, i64 %argument3,
      i64 %argument4, i64 %argument5, i64 %argument6, i64 %argument7,
      i64 %argument8, i64 %argument9, i64 %argument10, i64 %argument11)
  %next = add i64 %i, 1
  br label %head
done:
  ret void
}
