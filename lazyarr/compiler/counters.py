"""Counters of the evaluations of a form, and of the elements that evaluations compute."""

from __future__ import annotations

from lazyarr.core import tuning
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import Origin

__all__ = ["NAMED", "STEP", "WORK", "Repetition", "WorkInfo", "work_info"]

#: Evaluations of a form between two looks at the line that builds it, which may repeat.
STEP = tuning.row().repetition_step
#: Lines that a hint has named.
NAMED: set[Origin] = set()


class Repetition:
    """The count of a form's evaluations, and the line that they come from.

    Attributes
    ----------
    left : int
        Evaluations before the line is looked at.
    line : tuple of (str, int), optional
        The line that built the expression when it was last looked at.
    looks : int
        How often it was this line, one time after the other.
    """

    __slots__ = ("left", "line", "looks")

    def __init__(self) -> None:
        self.left = STEP
        self.line: Origin | None = None
        self.looks = 0


@dataclass(frozen=True, slots=True)
class WorkInfo:
    """Elements computed since the process began, and by eager NumPy for the same work.

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
