"""Values that are variables of the user's function.

From Python 3.14 on the stack borrows references of a function's variables: while an operation runs,
the references to such a value are as many as those to one without a name.
"""

from __future__ import annotations

import inspect
import sys
from types import FrameType

from lazyarr.core.source_location import is_ours

__all__ = ["is_lent", "is_variable"]

_BORROWS = sys.version_info >= (3, 14)


def is_lent(value: object) -> bool:
    """Return whether a value may have a name that its references do not show."""
    return _BORROWS and is_variable(value)


def is_variable(value: object) -> bool:
    """Return whether a value is a variable of the innermost function outside lazyarr and NumPy.

    Names of modules and classes are none: the stack does not borrow their references.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return False
    return any(variable is value for variable in frame.f_locals.values())
