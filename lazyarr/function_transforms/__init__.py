"""``lazyarr.jit``: functions of arrays, traced once and then called at the cost of a kernel."""

from __future__ import annotations

from lazyarr.function_transforms.function import Jitted, jit
from lazyarr.function_transforms.retracing import Retrace, TraceInfo

__all__ = ["Jitted", "Retrace", "TraceInfo", "jit"]
