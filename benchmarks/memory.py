"""The peak memory of one run, by the kernel's own high-water mark of the resident set.

The mark is reset before the run and read after it, so it sees every allocator. The inputs are
there before; the result counts.
"""

from __future__ import annotations

import ctypes
import gc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PROCESS = Path("/proc/self")


def peak_of(run: Callable[[], Any], release: Callable[[], object]) -> int | None:
    """Return the bytes by which a run raises the resident set at most; None off Linux.

    Parameters
    ----------
    run : callable
        Gives the result. It has run before, so that nothing is set up any more.
    release : callable
        Lets the library give memory that it holds for later back, so that what it needs counts.
    """
    if not (_PROCESS / "clear_refs").exists():
        return None
    # Twice, because a library may free its last result on another thread, while it is measured.
    return max(_peak_once(run, release) for _ in range(2))


def _peak_once(run: Callable[[], Any], release: Callable[[], object]) -> int:
    gc.collect()
    release()
    # The allocator keeps what was freed, and would serve the run from it.
    ctypes.CDLL(None).malloc_trim(0)
    (_PROCESS / "clear_refs").write_text("5")
    before = _status("VmRSS")
    result = run()
    peak = _status("VmHWM") - before
    del result
    return max(0, peak)


def _status(field: str) -> int:
    text = (_PROCESS / "status").read_text()
    match = re.search(rf"{field}:\s+(\d+) kB", text)
    if match is None:
        raise OSError(f"/proc/self/status has no {field}")
    return int(match[1]) * 1024
