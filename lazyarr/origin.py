"""Where in the user's code we are: the first frame outside lazyarr and NumPy."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import CodeType, FrameType

import numpy as np

from lazyarr.ir import Origin

__all__ = ["origin"]

_OURS = (
    str(Path(__file__).parent) + os.sep,
    str(Path(np.__file__).parent) + os.sep,
)
_ours: dict[CodeType, bool] = {}


def origin() -> Origin | None:
    """Return file and line of the first frame outside lazyarr and NumPy.

    Code objects are looked up in a table, because this runs once for every node built.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        ours = _ours.get(code)
        if ours is None:
            if len(_ours) > 10_000:
                _ours.clear()
            ours = _ours[code] = code.co_filename.startswith(_OURS)
        if not ours:
            return code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None
