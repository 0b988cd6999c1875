"""Tuning beforehand: a script runs once, and each of its plans is tried at its first run."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from lazyarr.autotuning import records
from lazyarr.autotuning.records import Record
from lazyarr.autotuning.tuning import BEFOREHAND, using

__all__ = ["tune_script"]


def tune_script(script: str, arguments: Sequence[str] = ()) -> list[Record]:
    """Run a script as ``python script.py arguments`` does, and return tuning's measurements.

    Parameters
    ----------
    script : str
        Path of the script.
    arguments : sequence of str
        For ``sys.argv``.
    """
    path = Path(script)
    outer_argv, outer_path = sys.argv, sys.path[:]
    outer_main = sys.modules.get("__main__")
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(path.resolve().parent))
    try:
        with using(BEFOREHAND), records.collecting() as measured:
            runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.argv, sys.path[:] = outer_argv, outer_path
        if outer_main is not None:
            sys.modules["__main__"] = outer_main
    return measured
