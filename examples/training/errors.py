"""Errors of training, each with a message that says what to do."""

from pathlib import Path

from rich.console import Console

from lazyarr.errors import ConfigError, DeviceError

#: The exit status of a program that Ctrl-C ended.
INTERRUPTED = 130


class TrainingError(Exception):
    """Training cannot begin or go on."""


class DataError(TrainingError):
    """A data file is missing, cut short, or not what its name says."""


class CheckpointError(TrainingError):
    """A checkpoint cannot be written, read, or does not fit the model."""


#: What ends the script with a message and without a traceback.
REPORTED = (TrainingError, ConfigError, DeviceError, KeyboardInterrupt)


def report(error: BaseException, saved: Path | None) -> int:
    """Print the cause of the end of training, and return the exit status of the script.

    Parameters
    ----------
    error : BaseException
        One of those that are reported.
    saved : Path, optional
        The checkpoint of the last whole epoch.
    """
    text, status = f"error: {error}", 1
    if isinstance(error, KeyboardInterrupt):
        after = "" if saved is None else f"; --resume {saved} goes on after the last whole epoch"
        text, status = f"interrupted{after}", INTERRUPTED
    Console(stderr=True).print(text, markup=False)
    return status
