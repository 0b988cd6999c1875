"""Resources that are released once the queued work that uses them is done."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from lazyarr.runtime.cuda.device_array import Mark

__all__ = ["RetiredWork"]


class _Stream(Protocol):
    def mark(self) -> Mark: ...


class RetiredWork:
    """Functions to call once all work that was queued when they were added is done.

    Attributes
    ----------
    added : deque
        Functions whose work nobody has looked at.
    waiting : deque
        The others, each list with the places in streams that it waits for.
    """

    __slots__ = ("_lock", "added", "waiting")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.added: deque[Callable[[], None]] = deque()
        self.waiting: deque[tuple[Sequence[Mark], list[Callable[[], None]]]] = deque()

    def add(self, function: Callable[[], None]) -> None:
        """Call a function later. Safe in a finaliser."""
        self.added.append(function)

    def call(self, streams: Iterable[_Stream], *, wait: bool) -> None:
        """Call those that nothing waits for; the context must be current.

        Parameters
        ----------
        streams : iterable of DeviceStream
            All streams of the device.
        wait : bool
            Whether to wait for the work of the others.
        """
        with self._lock:
            added = []
            while self.added:
                added.append(self.added.popleft())
            if added:
                self.waiting.append(([stream.mark() for stream in streams], added))
            done = []
            while self.waiting:
                marks, functions = self.waiting[0]
                if wait:
                    for mark in marks:
                        mark.synchronize()
                elif not all(mark.query() for mark in marks):
                    break
                self.waiting.popleft()
                done += functions
        for function in done:
            function()
