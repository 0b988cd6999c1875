"""Places in streams of a GPU, which can be waited for."""

from __future__ import annotations

from collections import deque
from typing import Any

from lazyarr.runtime.cuda.interfaces import StreamDevice

__all__ = ["Mark", "StreamMark"]


class Mark:
    """A place in a stream.

    Parameters
    ----------
    event : object
        The driver's, recorded there.
    free : deque
        Takes it back: to end an event, its context must be current, and a mark is dropped anywhere.
    """

    __slots__ = ("_free", "event")

    def __init__(self, event: Any, free: deque[Any]) -> None:
        self.event = event
        self._free = free

    def query(self) -> bool:
        """Whether all work before it is done; the context must be current."""
        return bool(self.event.query())

    def synchronize(self) -> None:
        """Wait for all work before it; the context must be current."""
        self.event.synchronize()

    def __del__(self) -> None:
        self._free.append(self.event)


class StreamMark:
    """A place in a stream that any thread may wait for.

    Parameters
    ----------
    device : Device
        Of the stream.
    mark : Mark
        The place.
    """

    def __init__(self, device: StreamDevice, mark: Mark) -> None:
        self._device = device
        self._mark = mark

    def synchronize(self) -> None:
        """Wait for all work before it."""
        with self._device.current():
            self._mark.synchronize()
