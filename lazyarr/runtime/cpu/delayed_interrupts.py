"""Interrupts from the keyboard wait while a compiler works.

An exception in the midst of a call of LLVM's, or between two of them, would leave objects behind
that nobody ends in the right order, and that end the process.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["delayed_interrupts"]


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """Let what handles SIGINT do so at the end of the ``with`` block.

    Examples
    --------
    >>> import signal
    >>> try:
    ...     with delayed_interrupts():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("not yet")
    ... except KeyboardInterrupt:
    ...     print("now")
    not yet
    now
    """
    handler = signal.getsignal(signal.SIGINT)
    # Other threads are never interrupted.
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    frames: list[FrameType | None] = []

    def note(number: int, frame: FrameType | None) -> None:
        frames.append(frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if frames:
            handler(signal.SIGINT, frames[0])
