"""Counters of elements computed by evaluations, and by eager NumPy for the same work."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass

__all__ = ["WORK", "WorkInfo", "work_info"]


@dataclass(frozen=True, slots=True)
class WorkInfo:
    """Elements computed since the process began.

    Attributes
    ----------
    computed : int
        By kernels and library calls. A reduction counts the elements that it takes in, a matrix
        product those that it multiplies and adds.
    eager : int
        By NumPy, had it computed each value of the program once, one operation after another.
    """

    computed: int
    eager: int


class _Work:
    """The counters behind :func:`work_info`."""

    __slots__ = ("computed", "eager")

    def __init__(self) -> None:
        self.computed = 0
        self.eager = 0


WORK = _Work()


def work_info() -> WorkInfo:
    """Return the counters of elements."""
    return WorkInfo(WORK.computed, WORK.eager)
