"""Signals that Python code handles wait while a compiler works.

An exception in the midst of a call of LLVM's, or between two of them, as an interrupt from the
keyboard or a timeout raises it, would leave objects behind that nobody ends in the right order, and
that end the process.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

__all__ = ["delayed_interrupts"]

#: Those for which programs have handlers that raise: interrupts, timeouts, ends.
_SIGNALS = [
    getattr(signal, name)
    for name in "SIGINT SIGALRM SIGVTALRM SIGPROF SIGTERM SIGHUP SIGUSR1 SIGUSR2".split()
    if hasattr(signal, name)
]


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """Let what handles signals do so at the end of the ``with`` block.

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
    # Other threads are never interrupted.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {
        number: handler for number in _SIGNALS if callable(handler := signal.getsignal(number))
    }
    came: dict[int, FrameType | None] = {}

    def note(number: int, frame: FrameType | None) -> None:
        came.setdefault(number, frame)

    for number in handlers:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        with ExitStack() as calls:  # all of them are called, whatever one of them raises
            for number, frame in reversed(came.items()):
                calls.callback(handlers[number], number, frame)
