"""Processor affinity of the pool's threads: ``affinity.ll``.

:mod:`lazyarr.runtime.cpu.threads.native_pool_ir` says why. ``no_affinity.ll`` stands for it on
systems without these functions.
"""

from __future__ import annotations

__all__ = ["STEERING"]

#: What the module calls on systems where threads can be steered.
STEERING = ("sched_getcpu", "sched_getaffinity", "sched_setaffinity")
