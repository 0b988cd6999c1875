"""Statistics of compiling, on the CPU or on a GPU."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass

__all__ = ["CompileInfo"]


@dataclass(frozen=True, slots=True)
class CompileInfo:
    """The compile statistics of this process.

    Attributes
    ----------
    compiled : int
        Functions compiled.
    disk_hits, memory_hits : int
        Functions found on disk, or already loaded.
    compile_seconds : float
        Time in the compiler, its import included.
    loaded : int
        Functions in memory.
    baseline, optimized : int
        Functions for the CPU that began with code of the baseline tier, and those of them that
        went on with optimised code since.
    """

    compiled: int
    disk_hits: int
    memory_hits: int
    compile_seconds: float
    loaded: int
    baseline: int = 0
    optimized: int = 0
