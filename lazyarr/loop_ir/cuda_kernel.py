"""A kernel of a GPU: a kernel of the loop IR that every thread of every block runs.

`begin` and `end` do not exist: what a thread works on follows from its number and its block's, see
:mod:`lazyarr.loop_ir.threads`.
"""

from __future__ import annotations

from typing import ClassVar

from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.kernel import Kernel

__all__ = ["WARP", "DeviceKernel"]

#: Threads that run in step, on every GPU of NVIDIA.
WARP = 32


@dataclass(frozen=True, slots=True)
class DeviceKernel(Kernel):
    """One function that every thread of every block runs.

    Attributes
    ----------
    threads : int
        Of a block.
    min_blocks : int
        Blocks that one multiprocessor must have room for: bounds the registers of a thread.
    shared_bytes : int
        Shared memory that a launch gives each block.
    tiered : bool
        Whether compiling takes so long that it is done in two tiers.
    shared_divisions : int
        How many divisions by one float64 are worth preparing the divisor for; 0 if none are.
    searches : int
        Searches in sorted vectors that were written.
    """

    of_gpu: ClassVar[bool] = True

    threads: int = 256
    min_blocks: int = 1
    shared_bytes: int = 0
    tiered: bool = False
    shared_divisions: int = 0
    searches: int = 0
