"""Running scripts in this process, as ``python script.py arguments`` runs them."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from lazyarr.core.frozen import dataclass

__all__ = ["Ending", "run_script"]


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a script.

    Attributes
    ----------
    failure : str
        The exception that ended it, or the message with which it left; empty if there is none.
    status : int
        The exit status that Python would return.
    """

    failure: str
    status: int


def run_script(
    script: str, arguments: Sequence[str], around: AbstractContextManager[object]
) -> Ending:
    """Run a script and return how it ended. An exception's traceback goes to the standard error.

    Parameters
    ----------
    script : str
        Path of the script.
    arguments : sequence of str
        For ``sys.argv``.
    around : context manager
        Entered while the script runs.

    Raises
    ------
    SystemExit
        In a process that the script has forked, where its code ends.
    """
    process = os.getpid()
    ending = _run(Path(script), [script, *arguments], around)
    if os.getpid() != process:
        raise SystemExit(ending.status)  # a process that the script forked ends as it would
    return ending


def _run(path: Path, argv: list[str], around: AbstractContextManager[object]) -> Ending:
    outer_argv, outer_path = sys.argv, sys.path[:]
    outer_main = sys.modules.get("__main__")
    sys.argv = argv
    sys.path.insert(0, str(path.resolve().parent))
    try:
        with around:
            runpy.run_path(str(path), run_name="__main__")
    except SystemExit as leaving:
        if isinstance(leaving.code, int) or leaving.code is None:
            return Ending("", leaving.code or 0)
        return Ending(str(leaving.code), 1)
    except Exception as error:  # noqa: BLE001 - whatever ends the script is reported
        _show(error, str(path))
        return Ending(f"{type(error).__name__}: {error}", 1)
    finally:
        sys.argv, sys.path[:] = outer_argv, outer_path
        if outer_main is not None:
            sys.modules["__main__"] = outer_main
    return Ending("", 0)


def _show(error: Exception, script: str) -> None:
    """Print the traceback of an error, from the frame of the script on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != script:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)
