"""Where in the user's code we are: the first frame outside lazyarr and NumPy."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType

import numpy as np

__all__ = ["Origin", "depth", "origin"]

#: A file of the user's and a line of it.
Origin = tuple[str, int]

_OURS = (
    str(Path(__file__).parents[1]) + os.sep,
    str(Path(np.__file__).parent) + os.sep,
)
_ours: dict[str, bool] = {}


def origin(inner: int = 0, /) -> Origin | None:
    """Return file and line of the first frame outside lazyarr and NumPy.

    Files are looked up in a table, because this runs once for every node built; by name, as the
    hash of a code object takes all its constants. `inner` is how many frames are known to be ours,
    the caller's not counted.
    """
    frame: FrameType | None
    try:
        frame = sys._getframe(1 + inner)
    except ValueError:
        return None  # there is nothing outside
    while frame is not None:
        name = frame.f_code.co_filename
        ours = _ours.get(name)
        if ours is None:
            if len(_ours) > 10_000:
                _ours.clear()
            ours = _ours[name] = name.startswith(_OURS)
        if not ours:
            return name, frame.f_lineno
        frame = frame.f_back
    return None


def depth() -> int:
    """Return the ``stacklevel`` with which the caller warns about that frame's line."""
    frame = sys._getframe(1)
    level = 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
        level += 1
    return level
