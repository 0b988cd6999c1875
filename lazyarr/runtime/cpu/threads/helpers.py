"""Threads that help their caller with work for any number of threads.

`threading.Thread.start` waits for the new thread, for ever if that has no memory to begin. Nobody
waits for a helper that has not begun.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable

__all__ = ["Helpers"]


class Helpers:
    """Threads that call one function.

    Parameters
    ----------
    work : callable
        Takes pieces of work until there is none. A helper may begin late, when all is done.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        #: Of each helper that has begun, a lock that it releases at its end.
        self._begun: list[_thread.LockType] = []

    def start(self, count: int) -> None:
        """Start helpers, as many of a number as the system allows."""
        for _ in range(count):
            try:
                _thread.start_new_thread(self._help, ())
            except (RuntimeError, MemoryError):
                return

    def join(self) -> None:
        """Wait until those that have begun have ended."""
        for ended in self._begun:
            with ended:
                pass

    def _help(self) -> None:
        ended = _thread.allocate_lock()
        with ended:
            self._begun.append(ended)
            self._work()
