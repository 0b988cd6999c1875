"""Tuning beforehand: a script runs once, and each of its plans is tried at its first run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lazyarr.autotuning import records
from lazyarr.autotuning.records import Record
from lazyarr.autotuning.tuning import BEFOREHAND, using
from lazyarr.core.scripts import Ending, run_script

__all__ = ["tune_script"]


def tune_script(script: str, arguments: Sequence[str] = ()) -> tuple[list[Record], Ending]:
    """Run a script as ``python script.py arguments`` does; return measurements and its ending.

    Parameters
    ----------
    script : str
        Path of the script.
    arguments : sequence of str
        For ``sys.argv``.
    """
    measured: list[Record] = []

    @contextmanager
    def tuning() -> Iterator[None]:
        with using(BEFOREHAND), records.collecting() as collected:
            try:
                yield
            finally:
                measured.extend(collected)

    ending = run_script(script, arguments, tuning())
    return measured, ending
