"""Signals that Python code handles wait while a compiler works.

An exception in the midst of a call of LLVM's, or between two of them, as an interrupt from the
keyboard or a timeout raises it, would leave objects behind that nobody ends in the right order, and
that end the process.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any, TypeAlias

__all__ = ["delayed_interrupts"]

_Handler: TypeAlias = Callable[[int, FrameType | None], Any]

#: Those for which programs have handlers that raise: interrupts, timeouts, ends.
_SIGNALS = [
    getattr(signal, name)
    for name in "SIGINT SIGALRM SIGVTALRM SIGPROF SIGTERM SIGHUP SIGUSR1 SIGUSR2".split()
    if hasattr(signal, name)
]


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """Delay the handlers of signals to the end of the ``with`` block.

    Examples
    --------
    >>> import signal
    >>> before = signal.signal(signal.SIGINT, signal.default_int_handler)
    >>> try:
    ...     with delayed_interrupts():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("not yet")
    ... except KeyboardInterrupt:
    ...     print("now")
    not yet
    now
    >>> handler = signal.signal(signal.SIGINT, before)
    """
    # Other threads are never interrupted.
    if threading.get_ident() != threading.main_thread().ident:
        yield
        return
    present = {number: signal.getsignal(number) for number in _SIGNALS}
    handlers: dict[int, _Handler] = {n: f for n, f in present.items() if callable(f)}
    came: dict[int, FrameType | None] = {}

    def note(number: int, frame: FrameType | None) -> None:
        came.setdefault(number, frame)

    try:
        # Until all of them are replaced, a handler may still raise.
        _set(dict.fromkeys(handlers, note))
        yield
    finally:
        try:
            _restore(handlers)
        finally:
            with ExitStack() as calls:  # all of them are called, whatever one of them raises
                for number, frame in reversed(came.items()):
                    calls.callback(handlers[number], number, frame)


def _set(handlers: dict[int, _Handler]) -> None:
    """Set handlers, one after another, by no loop of Python's.

    The jump back in a loop is where handlers are called, and CPython from 3.12 on has some such
    jumps outside of the ``try`` that is written around them.
    """
    deque(map(signal.signal, handlers.keys(), handlers.values()), maxlen=0)


def _restore(handlers: dict[int, _Handler]) -> None:
    """Set all handlers, even if those that were set first raise meanwhile."""
    try:
        _set(handlers)
    except BaseException:
        try:
            _set(handlers)
        finally:
            _set(handlers)
        raise
