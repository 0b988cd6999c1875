"""Counts of the evaluations of a form, by which a line that repeats is noticed."""

from __future__ import annotations

from lazyarr.core import tuning
from lazyarr.core.source_location import Origin

__all__ = ["NAMED", "STEP", "Repetition"]

#: Evaluations between two looks at the line.
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
