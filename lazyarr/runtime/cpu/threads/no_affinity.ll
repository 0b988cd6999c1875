;: What stands for affinity.ll where threads cannot be steered. Written for lazyarr.
define internal void @look_around(ptr %slot) nounwind {
  ret void
}

define internal void @steer(ptr %slot, ptr %parking) nounwind {
  ret void
}

define internal void @step_aside(ptr %slot, ptr %parking) nounwind {
  ret void
}
