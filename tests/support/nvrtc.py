"""What NVRTC takes for a kernel, whatever else the machine is doing."""

from __future__ import annotations

import time

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.compiler import compile_cubin, compile_options

__all__ = ["LIMIT", "compile_seconds"]

#: Seconds that no kernel may take.
LIMIT = 0.5
#: What NVRTC takes for next to nothing on a machine that nobody else keeps busy.
_NOTHING = 0.016


def compile_seconds(source: Source, architecture: str = "sm_90") -> float:
    """Return what NVRTC takes for a kernel, less what is due to a machine that is busy or slow."""

    def measured(text: Source) -> float:
        begun = time.thread_time()
        code = compile_cubin(text, compile_options(architecture, "strict"))
        assert code.startswith(b"\x7fELF")
        return time.thread_time() - begun

    found = measured(source)
    if found < LIMIT:
        return found
    nothing = Source("cuda", 'extern "C" __global__ void kernel() {}', "kernel", ())
    slowness = min(measured(nothing) for _ in range(3)) / _NOTHING
    return min(found, measured(source)) / max(slowness, 1.0)
