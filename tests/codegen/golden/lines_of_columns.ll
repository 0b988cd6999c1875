define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, i64 %n7, ptr noalias readonly %in0, ptr noalias %tmp0, ptr noalias %tmp1, ptr noalias %flags) #0 {
entry:
  %state20 = alloca double
  %state21 = alloca double
  %state22 = alloca double
  %state23 = alloca double
  %state24 = alloca double
  %state25 = alloca double
  %state26 = alloca double
  %state27 = alloca double
  %state28 = alloca double
  %state29 = alloca double
  %state30 = alloca double
  %state31 = alloca double
  %line50 = alloca [2048 x double], align 64
  %line128 = alloca [512 x double], align 64
  %before = call i32 @watch_begin()
  %w0.any = icmp slt i64 %begin, %end
  br i1 %w0.any, label %w0.body, label %w0.after
w0.body:
    %w0 = phi i64 [ %begin, %entry ], [ %w0.next, %w0.step ]
    %v1 = srem i64 %w0, %n6
    %v2 = sdiv i64 %w0, %n6
    %v3 = mul i64 %v1, 4
    %v4 = add i64 %v3, 4
    %v5 = mul i64 %v4, %n2
    %v6 = icmp sle i64 %v5, %n1
    br i1 %v6, label %then.1, label %after.1
then.1:
      %v7 = mul i64 %v2, %n0
      %v8 = add i64 %v3, 1
      %v9 = add i64 %v3, 2
      %v10 = add i64 %v3, 3
      %v11 = mul i64 %v3, %n5
      %v12 = add i64 %v11, %v7
      %v13 = mul i64 %v8, %n5
      %v14 = add i64 %v13, %v7
      %v15 = mul i64 %v9, %n5
      %v16 = add i64 %v15, %v7
      %v17 = mul i64 %v10, %n5
      %v18 = add i64 %v17, %v7
      %v19 = mul i64 %v3, %n2
      store double 0.0, ptr %state20
      store double 0.0, ptr %state21
      store double 0.0, ptr %state22
      store double 0.0, ptr %state23
      store double 0.0, ptr %state24
      store double 0.0, ptr %state25
      store double 0.0, ptr %state26
      store double 0.0, ptr %state27
      store double 0.0, ptr %state28
      store double 0.0, ptr %state29
      store double 0.0, ptr %state30
      store double 0.0, ptr %state31
      %v32 = sub i64 %n7, 1
      %v33 = add i64 %n2, %v32
      %v34 = sdiv i64 %v33, %n7
      %k35.any = icmp slt i64 0, %v34
      br i1 %k35.any, label %k35.body, label %k35.after
k35.body:
        %k35 = phi i64 [ 0, %then.1 ], [ %k35.next, %k35.step ]
        %v36 = mul i64 %k35, %n7
        %v37 = add i64 %v36, %n7
        %v38 = call i64 @minimum_i64(i64 %v37, i64 %n2)
        %s39.any = icmp slt i64 0, 4
        br i1 %s39.any, label %s39.body, label %s39.after
s39.body:
          %s39 = phi i64 [ 0, %k35.body ], [ %s39.next, %s39.step ]
          %v40 = mul i64 %s39, %n2
          %v41 = add i64 %v19, %v40
          %v42 = add i64 %v41, %v36
          %v43 = add i64 %v41, %v38
          %v44 = mul i64 %v42, %n0
          %v45 = mul i64 %v43, %n0
          %i46.any = icmp slt i64 %v44, %v45
          br i1 %i46.any, label %i46.body, label %i46.after
i46.body:
            %i46 = phi i64 [ %v44, %s39.body ], [ %i46.next, %i46.step ]
            %v47.at = getelementptr inbounds double, ptr %in0, i64 %i46
            %v47 = load double, ptr %v47.at, align 8
            %v48 = call double @exp_f64(double %v47)
            %v49 = sub i64 %i46, %v44
            %line50.2.x0 = mul nsw i64 512, %s39
            %line50.2.s0 = add nsw i64 %line50.2.x0, %v49
            %line50.2 = getelementptr inbounds double, ptr %line50, i64 %line50.2.s0
            store double %v48, ptr %line50.2, align 8
            br label %i46.step
i46.step:
            %i46.next = add nsw i64 %i46, 1
            %i46.more = icmp slt i64 %i46.next, %v45
            br i1 %i46.more, label %i46.body, label %i46.after, !llvm.loop !200
i46.after:
          br label %s39.step
s39.step:
          %s39.next = add nsw i64 %s39, 1
          %s39.more = icmp slt i64 %s39.next, 4
          br i1 %s39.more, label %s39.body, label %s39.after, !llvm.loop !201
s39.after:
        %v51 = sub i64 %v38, %v36
        %q52.any = icmp slt i64 0, %v51
        br i1 %q52.any, label %q52.body, label %q52.after
q52.body:
          %q52 = phi i64 [ 0, %s39.after ], [ %q52.next, %q52.step ]
          %v53 = mul i64 %q52, 3
          %v54.at = getelementptr inbounds double, ptr %line50, i64 %v53
          %v54 = load double, ptr %v54.at, align 8
          %state20.3 = load double, ptr %state20
          %v56 = fadd double %state20.3, %v54
          store double %v56, ptr %state20
          %v57.at.s0 = add nsw i64 %v53, 1
          %v57.at = getelementptr inbounds double, ptr %line50, i64 %v57.at.s0
          %v57 = load double, ptr %v57.at, align 8
          %state21.4 = load double, ptr %state21
          %v59 = fadd double %state21.4, %v57
          store double %v59, ptr %state21
          %v60.at.s0 = add nsw i64 %v53, 2
          %v60.at = getelementptr inbounds double, ptr %line50, i64 %v60.at.s0
          %v60 = load double, ptr %v60.at, align 8
          %state22.5 = load double, ptr %state22
          %v62 = fadd double %state22.5, %v60
          store double %v62, ptr %state22
          %v63.at.s0 = add nsw i64 %v53, 512
          %v63.at = getelementptr inbounds double, ptr %line50, i64 %v63.at.s0
          %v63 = load double, ptr %v63.at, align 8
          %state23.6 = load double, ptr %state23
          %v65 = fadd double %state23.6, %v63
          store double %v65, ptr %state23
          %v66.at.s0 = add nsw i64 %v53, 513
          %v66.at = getelementptr inbounds double, ptr %line50, i64 %v66.at.s0
          %v66 = load double, ptr %v66.at, align 8
          %state24.7 = load double, ptr %state24
          %v68 = fadd double %state24.7, %v66
          store double %v68, ptr %state24
          %v69.at.s0 = add nsw i64 %v53, 514
          %v69.at = getelementptr inbounds double, ptr %line50, i64 %v69.at.s0
          %v69 = load double, ptr %v69.at, align 8
          %state25.8 = load double, ptr %state25
          %v71 = fadd double %state25.8, %v69
          store double %v71, ptr %state25
          %v72.at.s0 = add nsw i64 %v53, 1024
          %v72.at = getelementptr inbounds double, ptr %line50, i64 %v72.at.s0
          %v72 = load double, ptr %v72.at, align 8
          %state26.9 = load double, ptr %state26
          %v74 = fadd double %state26.9, %v72
          store double %v74, ptr %state26
          %v75.at.s0 = add nsw i64 %v53, 1025
          %v75.at = getelementptr inbounds double, ptr %line50, i64 %v75.at.s0
          %v75 = load double, ptr %v75.at, align 8
          %state27.10 = load double, ptr %state27
          %v77 = fadd double %state27.10, %v75
          store double %v77, ptr %state27
          %v78.at.s0 = add nsw i64 %v53, 1026
          %v78.at = getelementptr inbounds double, ptr %line50, i64 %v78.at.s0
          %v78 = load double, ptr %v78.at, align 8
          %state28.11 = load double, ptr %state28
          %v80 = fadd double %state28.11, %v78
          store double %v80, ptr %state28
          %v81.at.s0 = add nsw i64 %v53, 1536
          %v81.at = getelementptr inbounds double, ptr %line50, i64 %v81.at.s0
          %v81 = load double, ptr %v81.at, align 8
          %state29.12 = load double, ptr %state29
          %v83 = fadd double %state29.12, %v81
          store double %v83, ptr %state29
          %v84.at.s0 = add nsw i64 %v53, 1537
          %v84.at = getelementptr inbounds double, ptr %line50, i64 %v84.at.s0
          %v84 = load double, ptr %v84.at, align 8
          %state30.13 = load double, ptr %state30
          %v86 = fadd double %state30.13, %v84
          store double %v86, ptr %state30
          %v87.at.s0 = add nsw i64 %v53, 1538
          %v87.at = getelementptr inbounds double, ptr %line50, i64 %v87.at.s0
          %v87 = load double, ptr %v87.at, align 8
          %state31.14 = load double, ptr %state31
          %v89 = fadd double %state31.14, %v87
          store double %v89, ptr %state31
          br label %q52.step
q52.step:
          %q52.next = add nsw i64 %q52, 1
          %q52.more = icmp slt i64 %q52.next, %v51
          br i1 %q52.more, label %q52.body, label %q52.after
q52.after:
        br label %k35.step
k35.step:
        %k35.next = add nsw i64 %k35, 1
        %k35.more = icmp slt i64 %k35.next, %v34
        br i1 %k35.more, label %k35.body, label %k35.after, !llvm.loop !202
k35.after:
      %state20.15 = load double, ptr %state20
      %tmp0.16 = getelementptr inbounds double, ptr %tmp0, i64 %v12
      store double %state20.15, ptr %tmp0.16, align 8
      %state21.17 = load double, ptr %state21
      %tmp0.18.s0 = add nsw i64 %v12, 1
      %tmp0.18 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.18.s0
      store double %state21.17, ptr %tmp0.18, align 8
      %state22.19 = load double, ptr %state22
      %tmp0.20.s0 = add nsw i64 %v12, 2
      %tmp0.20 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.20.s0
      store double %state22.19, ptr %tmp0.20, align 8
      %state23.21 = load double, ptr %state23
      %tmp0.22 = getelementptr inbounds double, ptr %tmp0, i64 %v14
      store double %state23.21, ptr %tmp0.22, align 8
      %state24.23 = load double, ptr %state24
      %tmp0.24.s0 = add nsw i64 %v14, 1
      %tmp0.24 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.24.s0
      store double %state24.23, ptr %tmp0.24, align 8
      %state25.25 = load double, ptr %state25
      %tmp0.26.s0 = add nsw i64 %v14, 2
      %tmp0.26 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.26.s0
      store double %state25.25, ptr %tmp0.26, align 8
      %state26.27 = load double, ptr %state26
      %tmp0.28 = getelementptr inbounds double, ptr %tmp0, i64 %v16
      store double %state26.27, ptr %tmp0.28, align 8
      %state27.29 = load double, ptr %state27
      %tmp0.30.s0 = add nsw i64 %v16, 1
      %tmp0.30 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.30.s0
      store double %state27.29, ptr %tmp0.30, align 8
      %state28.31 = load double, ptr %state28
      %tmp0.32.s0 = add nsw i64 %v16, 2
      %tmp0.32 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.32.s0
      store double %state28.31, ptr %tmp0.32, align 8
      %state29.33 = load double, ptr %state29
      %tmp0.34 = getelementptr inbounds double, ptr %tmp0, i64 %v18
      store double %state29.33, ptr %tmp0.34, align 8
      %state30.35 = load double, ptr %state30
      %tmp0.36.s0 = add nsw i64 %v18, 1
      %tmp0.36 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.36.s0
      store double %state30.35, ptr %tmp0.36, align 8
      %state31.37 = load double, ptr %state31
      %tmp0.38.s0 = add nsw i64 %v18, 2
      %tmp0.38 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.38.s0
      store double %state31.37, ptr %tmp0.38, align 8
      br label %after.1
after.1:
    %v102 = call i1 @not_b1(i1 %v6)
    br i1 %v102, label %then.39, label %after.39
then.39:
      %v103 = call i64 @minimum_i64(i64 %v4, i64 %n3)
      %c104.any = icmp slt i64 %v3, %v103
      br i1 %c104.any, label %c104.body, label %c104.after
c104.body:
        %c104 = phi i64 [ %v3, %then.39 ], [ %c104.next, %c104.step ]
        %v105 = mul i64 0, 1024
        %v106 = add i64 %v105, 1024
        %v107 = call i64 @minimum_i64(i64 %v106, i64 %n0)
        %v108 = mul i64 %c104, %n2
        %v109 = add i64 %v108, %n2
        %v110 = call i64 @minimum_i64(i64 %v109, i64 %n1)
        %j111.any = icmp slt i64 %v105, %v107
        br i1 %j111.any, label %j111.body, label %j111.after
j111.body:
          %j111 = phi i64 [ %v105, %c104.body ], [ %j111.next, %j111.step ]
          %v112 = sub i64 %j111, %v105
          %tmp1.40 = getelementptr inbounds double, ptr %tmp1, i64 %v112
          store double 0.0, ptr %tmp1.40, align 8
          br label %j111.step
j111.step:
          %j111.next = add nsw i64 %j111, 1
          %j111.more = icmp slt i64 %j111.next, %v107
          br i1 %j111.more, label %j111.body, label %j111.after
j111.after:
        %v113 = sub i64 %n7, 1
        %v114 = sub i64 %v110, %v108
        %v115 = add i64 %v114, %v113
        %v116 = sdiv i64 %v115, %n7
        %k117.any = icmp slt i64 0, %v116
        br i1 %k117.any, label %k117.body, label %k117.after
k117.body:
          %k117 = phi i64 [ 0, %j111.after ], [ %k117.next, %k117.step ]
          %v118 = mul i64 %k117, %n7
          %v119 = add i64 %v108, %v118
          %v120 = add i64 %v119, %n7
          %v121 = call i64 @minimum_i64(i64 %v120, i64 %v110)
          %v122 = mul i64 %v119, %n0
          %v123 = mul i64 %v121, %n0
          %i124.any = icmp slt i64 %v122, %v123
          br i1 %i124.any, label %i124.body, label %i124.after
i124.body:
            %i124 = phi i64 [ %v122, %k117.body ], [ %i124.next, %i124.step ]
            %v125.at = getelementptr inbounds double, ptr %in0, i64 %i124
            %v125 = load double, ptr %v125.at, align 8
            %v126 = call double @exp_f64(double %v125)
            %v127 = sub i64 %i124, %v122
            %line128.41 = getelementptr inbounds double, ptr %line128, i64 %v127
            store double %v126, ptr %line128.41, align 8
            br label %i124.step
i124.step:
            %i124.next = add nsw i64 %i124, 1
            %i124.more = icmp slt i64 %i124.next, %v123
            br i1 %i124.more, label %i124.body, label %i124.after, !llvm.loop !203
i124.after:
          %v129 = sub i64 %v121, %v119
          %v130 = sdiv i64 %v129, 8
          %g131.any = icmp slt i64 0, %v130
          br i1 %g131.any, label %g131.body, label %g131.after
g131.body:
            %g131 = phi i64 [ 0, %i124.after ], [ %g131.next, %g131.step ]
            %v132 = mul i64 %g131, 8
            %v133 = add i64 %v119, %v132
            %v134 = add i64 %v133, 0
            %v135 = add i64 %v133, 1
            %v136 = add i64 %v133, 2
            %v137 = add i64 %v133, 3
            %v138 = add i64 %v133, 4
            %v139 = add i64 %v133, 5
            %v140 = add i64 %v133, 6
            %v141 = add i64 %v133, 7
            %j142.any = icmp slt i64 %v105, %v107
            br i1 %j142.any, label %j142.body, label %j142.after
j142.body:
              %j142 = phi i64 [ %v105, %g131.body ], [ %j142.next, %j142.step ]
              %v143 = sub i64 %j142, %v105
              %v144.at = getelementptr inbounds double, ptr %tmp1, i64 %v143
              %v144 = load double, ptr %v144.at, align 8
              %v145 = sub i64 %v134, %v119
              %v146 = mul i64 %v145, %n0
              %v148.at.s0 = add nsw i64 %v146, %v143
              %v148.at = getelementptr inbounds double, ptr %line128, i64 %v148.at.s0
              %v148 = load double, ptr %v148.at, align 8
              %v149 = fadd double %v144, %v148
              %v150 = sub i64 %v135, %v119
              %v151 = mul i64 %v150, %n0
              %v153.at.s0 = add nsw i64 %v151, %v143
              %v153.at = getelementptr inbounds double, ptr %line128, i64 %v153.at.s0
              %v153 = load double, ptr %v153.at, align 8
              %v154 = fadd double %v149, %v153
              %v155 = sub i64 %v136, %v119
              %v156 = mul i64 %v155, %n0
              %v158.at.s0 = add nsw i64 %v156, %v143
              %v158.at = getelementptr inbounds double, ptr %line128, i64 %v158.at.s0
              %v158 = load double, ptr %v158.at, align 8
              %v159 = fadd double %v154, %v158
              %v160 = sub i64 %v137, %v119
              %v161 = mul i64 %v160, %n0
              %v163.at.s0 = add nsw i64 %v161, %v143
              %v163.at = getelementptr inbounds double, ptr %line128, i64 %v163.at.s0
              %v163 = load double, ptr %v163.at, align 8
              %v164 = fadd double %v159, %v163
              %v165 = sub i64 %v138, %v119
              %v166 = mul i64 %v165, %n0
              %v168.at.s0 = add nsw i64 %v166, %v143
              %v168.at = getelementptr inbounds double, ptr %line128, i64 %v168.at.s0
              %v168 = load double, ptr %v168.at, align 8
              %v169 = fadd double %v164, %v168
              %v170 = sub i64 %v139, %v119
              %v171 = mul i64 %v170, %n0
              %v173.at.s0 = add nsw i64 %v171, %v143
              %v173.at = getelementptr inbounds double, ptr %line128, i64 %v173.at.s0
              %v173 = load double, ptr %v173.at, align 8
              %v174 = fadd double %v169, %v173
              %v175 = sub i64 %v140, %v119
              %v176 = mul i64 %v175, %n0
              %v178.at.s0 = add nsw i64 %v176, %v143
              %v178.at = getelementptr inbounds double, ptr %line128, i64 %v178.at.s0
              %v178 = load double, ptr %v178.at, align 8
              %v179 = fadd double %v174, %v178
              %v180 = sub i64 %v141, %v119
              %v181 = mul i64 %v180, %n0
              %v183.at.s0 = add nsw i64 %v181, %v143
              %v183.at = getelementptr inbounds double, ptr %line128, i64 %v183.at.s0
              %v183 = load double, ptr %v183.at, align 8
              %v184 = fadd double %v179, %v183
              %tmp1.42 = getelementptr inbounds double, ptr %tmp1, i64 %v143
              store double %v184, ptr %tmp1.42, align 8
              br label %j142.step
j142.step:
              %j142.next = add nsw i64 %j142, 1
              %j142.more = icmp slt i64 %j142.next, %v107
              br i1 %j142.more, label %j142.body, label %j142.after
j142.after:
            br label %g131.step
g131.step:
            %g131.next = add nsw i64 %g131, 1
            %g131.more = icmp slt i64 %g131.next, %v130
            br i1 %g131.more, label %g131.body, label %g131.after
g131.after:
          %v185 = mul i64 %v130, 8
          %v186 = add i64 %v119, %v185
          %q187.any = icmp slt i64 %v186, %v121
          br i1 %q187.any, label %q187.body, label %q187.after
q187.body:
            %q187 = phi i64 [ %v186, %g131.after ], [ %q187.next, %q187.step ]
            %j188.any = icmp slt i64 %v105, %v107
            br i1 %j188.any, label %j188.body, label %j188.after
j188.body:
              %j188 = phi i64 [ %v105, %q187.body ], [ %j188.next, %j188.step ]
              %v189 = sub i64 %j188, %v105
              %v190.at = getelementptr inbounds double, ptr %tmp1, i64 %v189
              %v190 = load double, ptr %v190.at, align 8
              %v191 = sub i64 %q187, %v119
              %v192 = mul i64 %v191, %n0
              %v194.at.s0 = add nsw i64 %v192, %v189
              %v194.at = getelementptr inbounds double, ptr %line128, i64 %v194.at.s0
              %v194 = load double, ptr %v194.at, align 8
              %v195 = fadd double %v190, %v194
              %tmp1.43 = getelementptr inbounds double, ptr %tmp1, i64 %v189
              store double %v195, ptr %tmp1.43, align 8
              br label %j188.step
j188.step:
              %j188.next = add nsw i64 %j188, 1
              %j188.more = icmp slt i64 %j188.next, %v107
              br i1 %j188.more, label %j188.body, label %j188.after
j188.after:
            br label %q187.step
q187.step:
            %q187.next = add nsw i64 %q187, 1
            %q187.more = icmp slt i64 %q187.next, %v121
            br i1 %q187.more, label %q187.body, label %q187.after
q187.after:
          br label %k117.step
k117.step:
          %k117.next = add nsw i64 %k117, 1
          %k117.more = icmp slt i64 %k117.next, %v116
          br i1 %k117.more, label %k117.body, label %k117.after, !llvm.loop !204
k117.after:
        %v196 = mul i64 %c104, %n5
        %v197 = mul i64 %v2, %n0
        %v198 = add i64 %v196, %v197
        %j199.any = icmp slt i64 %v105, %v107
        br i1 %j199.any, label %j199.body, label %j199.after
j199.body:
          %j199 = phi i64 [ %v105, %k117.after ], [ %j199.next, %j199.step ]
          %v200 = sub i64 %j199, %v105
          %v201.at = getelementptr inbounds double, ptr %tmp1, i64 %v200
          %v201 = load double, ptr %v201.at, align 8
          %tmp0.44.s0 = add nsw i64 %v198, %j199
          %tmp0.44 = getelementptr inbounds double, ptr %tmp0, i64 %tmp0.44.s0
          store double %v201, ptr %tmp0.44, align 8
          br label %j199.step
j199.step:
          %j199.next = add nsw i64 %j199, 1
          %j199.more = icmp slt i64 %j199.next, %v107
          br i1 %j199.more, label %j199.body, label %j199.after
j199.after:
        br label %c104.step
c104.step:
        %c104.next = add nsw i64 %c104, 1
        %c104.more = icmp slt i64 %c104.next, %v103
        br i1 %c104.more, label %c104.body, label %c104.after
c104.after:
      br label %after.39
after.39:
    br label %w0.step
w0.step:
    %w0.next = add nsw i64 %w0, 1
    %w0.more = icmp slt i64 %w0.next, %end
    br i1 %w0.more, label %w0.body, label %w0.after
w0.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

!100 = !{!"llvm.loop.unroll.disable"}
!103 = !{!"llvm.loop.vectorize.enable", i1 false}
!104 = !{!"llvm.loop.interleave.count", i32 1}
!200 = distinct !{!200, !100, !104}
!201 = distinct !{!201, !100, !103}
!202 = distinct !{!202, !100, !103}
!203 = distinct !{!203, !100, !104}
!204 = distinct !{!204, !100, !103}
define void @kernel(i64 %begin, i64 %end, i64 %n0, i64 %n1, i64 %n2, ptr noalias readonly %tmp0, ptr noalias %out0, ptr noalias %flags) #0 "no-builtin-memcpy" {
entry:
  %state5 = alloca [32 x double], align 64
  %state6 = alloca [32 x double], align 64
  %state30 = alloca [1 x double], align 64
  %state31 = alloca [1 x double], align 64
  %before = call i32 @watch_begin()
  %v0 = sub i64 %end, %begin
  %v1 = sdiv i64 %v0, 32
  %b2.any = icmp slt i64 0, %v1
  br i1 %b2.any, label %b2.body, label %b2.after
b2.body:
    %b2 = phi i64 [ 0, %entry ], [ %b2.next, %b2.step ]
    %v3 = mul i64 %b2, 32
    %v4 = add i64 %begin, %v3
    %l7.any = icmp slt i64 0, 32
    br i1 %l7.any, label %l7.body, label %l7.after
l7.body:
      %l7 = phi i64 [ 0, %b2.body ], [ %l7.next, %l7.step ]
      %state5.1 = getelementptr inbounds double, ptr %state5, i64 %l7
      store double 0.0, ptr %state5.1, align 8
      %state6.2 = getelementptr inbounds double, ptr %state6, i64 %l7
      store double 0.0, ptr %state6.2, align 8
      br label %l7.step
l7.step:
      %l7.next = add nsw i64 %l7, 1
      %l7.more = icmp slt i64 %l7.next, 32
      br i1 %l7.more, label %l7.body, label %l7.after, !llvm.loop !200
l7.after:
    %c8.any = icmp slt i64 0, %n0
    br i1 %c8.any, label %c8.body, label %c8.after
c8.body:
      %c8 = phi i64 [ 0, %l7.after ], [ %c8.next, %c8.step ]
      %l9.any = icmp slt i64 0, 32
      br i1 %l9.any, label %l9.body, label %l9.after
l9.body:
        %l9 = phi i64 [ 0, %c8.body ], [ %l9.next, %l9.step ]
        %v10.at.x0 = mul nsw i64 %n1, %c8
        %v10.at.s0 = add nsw i64 %v10.at.x0, %v4
        %v10.at.s1 = add nsw i64 %v10.at.s0, %l9
        %v10.at = getelementptr inbounds double, ptr %tmp0, i64 %v10.at.s1
        %v10 = load double, ptr %v10.at, align 8
        %v11.at = getelementptr inbounds double, ptr %state5, i64 %l9
        %v11 = load double, ptr %v11.at, align 8
        %v12.at = getelementptr inbounds double, ptr %state6, i64 %l9
        %v12 = load double, ptr %v12.at, align 8
        %v13 = fadd double %v11, %v10
        %v14 = fsub double %v13, %v11
        %v15 = fsub double %v13, %v14
        %v16 = fsub double %v11, %v15
        %v17 = fsub double %v10, %v14
        %v18 = fadd double %v16, %v17
        %v19 = fadd double %v12, %v18
        %state5.3 = getelementptr inbounds double, ptr %state5, i64 %l9
        store double %v13, ptr %state5.3, align 8
        %state6.4 = getelementptr inbounds double, ptr %state6, i64 %l9
        store double %v19, ptr %state6.4, align 8
        br label %l9.step
l9.step:
        %l9.next = add nsw i64 %l9, 1
        %l9.more = icmp slt i64 %l9.next, 32
        br i1 %l9.more, label %l9.body, label %l9.after, !llvm.loop !201
l9.after:
      br label %c8.step
c8.step:
      %c8.next = add nsw i64 %c8, 1
      %c8.more = icmp slt i64 %c8.next, %n0
      br i1 %c8.more, label %c8.body, label %c8.after
c8.after:
    %l20.any = icmp slt i64 0, 32
    br i1 %l20.any, label %l20.body, label %l20.after
l20.body:
      %l20 = phi i64 [ 0, %c8.after ], [ %l20.next, %l20.step ]
      %v21 = add i64 %v4, %l20
      %v22.at = getelementptr inbounds double, ptr %state5, i64 %l20
      %v22 = load double, ptr %v22.at, align 8
      %v23.at = getelementptr inbounds double, ptr %state6, i64 %l20
      %v23 = load double, ptr %v23.at, align 8
      %v24 = fadd double %v22, %v23
      %v25 = fcmp oeq double %v23, %v23
      %v26 = select i1 %v25, double %v24, double %v22
      %out0.5 = getelementptr inbounds double, ptr %out0, i64 %v21
      store double %v26, ptr %out0.5, align 8
      br label %l20.step
l20.step:
      %l20.next = add nsw i64 %l20, 1
      %l20.more = icmp slt i64 %l20.next, 32
      br i1 %l20.more, label %l20.body, label %l20.after, !llvm.loop !202
l20.after:
    br label %b2.step
b2.step:
    %b2.next = add nsw i64 %b2, 1
    %b2.more = icmp slt i64 %b2.next, %v1
    br i1 %b2.more, label %b2.body, label %b2.after
b2.after:
  %v27 = mul i64 %v1, 32
  %v28 = add i64 %begin, %v27
  %o29.any = icmp slt i64 %v28, %end
  br i1 %o29.any, label %o29.body, label %o29.after
o29.body:
    %o29 = phi i64 [ %v28, %b2.after ], [ %o29.next, %o29.step ]
    %l32.any = icmp slt i64 0, 1
    br i1 %l32.any, label %l32.body, label %l32.after
l32.body:
      %l32 = phi i64 [ 0, %o29.body ], [ %l32.next, %l32.step ]
      %state30.6 = getelementptr inbounds double, ptr %state30, i64 %l32
      store double 0.0, ptr %state30.6, align 8
      %state31.7 = getelementptr inbounds double, ptr %state31, i64 %l32
      store double 0.0, ptr %state31.7, align 8
      br label %l32.step
l32.step:
      %l32.next = add nsw i64 %l32, 1
      %l32.more = icmp slt i64 %l32.next, 1
      br i1 %l32.more, label %l32.body, label %l32.after, !llvm.loop !203
l32.after:
    %c33.any = icmp slt i64 0, %n0
    br i1 %c33.any, label %c33.body, label %c33.after
c33.body:
      %c33 = phi i64 [ 0, %l32.after ], [ %c33.next, %c33.step ]
      %l34.any = icmp slt i64 0, 1
      br i1 %l34.any, label %l34.body, label %l34.after
l34.body:
        %l34 = phi i64 [ 0, %c33.body ], [ %l34.next, %l34.step ]
        %v35.at.x0 = mul nsw i64 %n1, %c33
        %v35.at.s0 = add nsw i64 %v35.at.x0, %o29
        %v35.at.s1 = add nsw i64 %v35.at.s0, %l34
        %v35.at = getelementptr inbounds double, ptr %tmp0, i64 %v35.at.s1
        %v35 = load double, ptr %v35.at, align 8
        %v36.at = getelementptr inbounds double, ptr %state30, i64 %l34
        %v36 = load double, ptr %v36.at, align 8
        %v37.at = getelementptr inbounds double, ptr %state31, i64 %l34
        %v37 = load double, ptr %v37.at, align 8
        %v38 = fadd double %v36, %v35
        %v39 = fsub double %v38, %v36
        %v40 = fsub double %v38, %v39
        %v41 = fsub double %v36, %v40
        %v42 = fsub double %v35, %v39
        %v43 = fadd double %v41, %v42
        %v44 = fadd double %v37, %v43
        %state30.8 = getelementptr inbounds double, ptr %state30, i64 %l34
        store double %v38, ptr %state30.8, align 8
        %state31.9 = getelementptr inbounds double, ptr %state31, i64 %l34
        store double %v44, ptr %state31.9, align 8
        br label %l34.step
l34.step:
        %l34.next = add nsw i64 %l34, 1
        %l34.more = icmp slt i64 %l34.next, 1
        br i1 %l34.more, label %l34.body, label %l34.after, !llvm.loop !204
l34.after:
      br label %c33.step
c33.step:
      %c33.next = add nsw i64 %c33, 1
      %c33.more = icmp slt i64 %c33.next, %n0
      br i1 %c33.more, label %c33.body, label %c33.after
c33.after:
    %l45.any = icmp slt i64 0, 1
    br i1 %l45.any, label %l45.body, label %l45.after
l45.body:
      %l45 = phi i64 [ 0, %c33.after ], [ %l45.next, %l45.step ]
      %v46 = add i64 %o29, %l45
      %v47.at = getelementptr inbounds double, ptr %state30, i64 %l45
      %v47 = load double, ptr %v47.at, align 8
      %v48.at = getelementptr inbounds double, ptr %state31, i64 %l45
      %v48 = load double, ptr %v48.at, align 8
      %v49 = fadd double %v47, %v48
      %v50 = fcmp oeq double %v48, %v48
      %v51 = select i1 %v50, double %v49, double %v47
      %out0.10 = getelementptr inbounds double, ptr %out0, i64 %v46
      store double %v51, ptr %out0.10, align 8
      br label %l45.step
l45.step:
      %l45.next = add nsw i64 %l45, 1
      %l45.more = icmp slt i64 %l45.next, 1
      br i1 %l45.more, label %l45.body, label %l45.after, !llvm.loop !205
l45.after:
    br label %o29.step
o29.step:
    %o29.next = add nsw i64 %o29, 1
    %o29.more = icmp slt i64 %o29.next, %end
    br i1 %o29.more, label %o29.body, label %o29.after
o29.after:
  call void @watch_end(ptr %flags, i32 %before)
  ret void
}

!100 = !{!"llvm.loop.unroll.disable"}
!101 = !{!"llvm.loop.vectorize.followup_vectorized", !102}
!102 = !{!"llvm.loop.unroll.full"}
!103 = !{!"llvm.loop.vectorize.enable", i1 false}
!200 = distinct !{!200, !100, !101}
!201 = distinct !{!201, !100, !101}
!202 = distinct !{!202, !100, !101}
!203 = distinct !{!203, !100, !103}
!204 = distinct !{!204, !100, !103}
!205 = distinct !{!205, !100, !103}