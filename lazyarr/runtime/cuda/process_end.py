"""The end of a process that uses a GPU: nothing is given back while a thread may use it."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from types import CodeType, FrameType

__all__ = ["wait_until_alone"]

#: The package's folder, to know its frames by; and how long to wait for threads at the end.
_PACKAGE = str(Path(__file__).parents[2]) + os.sep
_PATIENCE = 5.0
_WORKERS = ("native_pool.py", "parallel_for.py", "staging.py")


def wait_until_alone(stopped: CodeType) -> bool:
    """Wait until no other thread is in lazyarr; return whether that came about.

    Parameters
    ----------
    stopped : code
        Of the function in which threads are stopped for good.
    """
    until = time.monotonic() + _PATIENCE
    while True:
        own = threading.get_ident()
        others = [frame for thread, frame in sys._current_frames().items() if thread != own]
        if not any(_is_busy(frame, stopped) for frame in others):
            return True
        if time.monotonic() > until:
            return False
        time.sleep(0.001)


def _is_busy(frame: FrameType | None, stopped: CodeType) -> bool:
    """Whether a thread is in code of lazyarr's that may use a device."""
    busy = False
    while frame is not None:
        if frame.f_code is stopped:
            return False
        # Workers of the pool and of transfers are in our code all their life.
        name = frame.f_code.co_filename
        busy = busy or (name.startswith(_PACKAGE) and not name.endswith(_WORKERS))
        frame = frame.f_back
    return busy
