"""The call of a kernel that computes a library step, or a part of one."""

from __future__ import annotations

from lazyarr.codegen.launch import Argument
from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cpu.function import Function

__all__ = ["LibraryKernel"]


@dataclass(frozen=True, eq=False, slots=True)
class LibraryKernel:
    """The call of a kernel.

    Attributes
    ----------
    function : Function
        The kernel.
    arguments : tuple of Argument
        Its arguments.
    count, chunk : int
        Its work items, and those that are worth another thread's time.
    """

    function: Function
    arguments: tuple[Argument, ...]
    count: int
    chunk: int
