"""Running a script as Python would, while its evaluations are recorded."""

from __future__ import annotations

import os
import runpy
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from lazyarr.core.config import get_config
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
    outer_argv, outer_path = sys.argv, sys.path[:]
    outer_main = sys.modules.get("__main__")
    failure, status, names_lazyarr = "", 0, True
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(path.resolve().parent))
    at_once = get_config().immediate
    children = _children_seconds()
    started = time.perf_counter()
    try:
        names_lazyarr = b"lazyarr" in path.read_bytes()
        with recording.running():
            runpy.run_path(str(path), run_name="__main__")
    except SystemExit as leaving:
        if isinstance(leaving.code, int) or leaving.code is None:
            status = leaving.code or 0
        else:
            failure, status = str(leaving.code), 1
    except Exception as error:  # noqa: BLE001 - whatever ends the script is reported
        failure, status = f"{type(error).__name__}: {error}", 1
        _show(error, str(path))
    finally:
        seconds = time.perf_counter() - started - recording.spent
        sys.argv, sys.path[:] = outer_argv, outer_path
        if outer_main is not None:
            sys.modules["__main__"] = outer_main
    lines = list(recording.lines.values())
    report = Report(
        script,
        arguments,
        lines,
        seconds,
        failure,
        recording.unmeasured,
        _children_seconds() - children,
        at_once,
        names_lazyarr,
    )
    return report, status


def _show(error: Exception, script: str) -> None:
    """Print the traceback of an error, from the frame of the script on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != script:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


def _children_seconds() -> float:
    """Return the processor time of all processes that this one has started and waited for."""
    times = os.times()
    return times.children_user + times.children_system
