"""Running a script as Python would, while its evaluations are recorded."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from lazyarr.core.config import get_config
from lazyarr.core.scripts import run_script
from lazyarr.inspect.doctor.recording import Recording
from lazyarr.inspect.doctor.report import Report

__all__ = ["examine"]


def examine(script: str, arguments: Sequence[str] = ()) -> tuple[Report, int]:
    """Run a script unchanged and return the report of its use of lazyarr, and its exit status.

    It runs as ``python script.py arguments`` runs it, in this process. Its output goes where it
    goes, the traceback of an exception that ends it to the standard error, as ever.

    Parameters
    ----------
    script : str
        Path of the script.
    arguments : sequence of str
        For ``sys.argv``.
    """
    path = Path(script)
    recording = Recording()
    at_once = get_config().immediate
    children = _children_seconds()
    names_lazyarr = not path.is_file() or b"lazyarr" in path.read_bytes()
    started = time.perf_counter()
    ending = run_script(script, arguments, recording.running())
    seconds = time.perf_counter() - started - recording.spent
    lines = list(recording.lines.values())
    report = Report(
        script,
        arguments,
        lines,
        seconds,
        ending.failure,
        recording.unmeasured,
        _children_seconds() - children,
        at_once,
        names_lazyarr,
    )
    return report, ending.status


def _children_seconds() -> float:
    """Return the processor time of all processes that this one has started and waited for."""
    times = os.times()
    return times.children_user + times.children_system
