"""Streams and events of a driver whose work runs on the CPU, at once or late in any order."""

from __future__ import annotations

import ctypes
import threading
import time
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

__all__ = ["EmulatedDriver", "EmulatedEvent", "EmulatedWork"]

#: Devices that exchange something drive each other's streams.
_one_driver = threading.RLock()
#: Seconds after which what a stream waits for does not come any more.
PATIENCE = 20


class EmulatedWork:
    """A stream of the driver: what is queued runs in order, at once or when somebody waits.

    What is queued returns False if it cannot run yet, and stays then.
    """

    def __init__(self, driver: EmulatedDriver) -> None:
        self.driver = driver
        self.handle = 77 + len(driver.streams)
        self.queued: deque[Callable[[], object]] = deque()
        self.busy = False
        driver.streams.append(self)

    def put(self, function: Callable[[], object]) -> None:
        with self.driver.lock:
            self.driver.queued_singly += not self.driver.replaying
            self.queued.append(function)
            self.driver.progress(self)

    def step(self) -> bool:
        """Take the next step; return whether that was possible."""
        if self.busy or not self.queued:
            return False
        self.busy = True
        try:
            if self.queued[0]() is False:
                return False
            self.queued.popleft()
            return True
        except BaseException:
            self.queued.popleft()
            raise
        finally:
            self.busy = False

    def run(self) -> bool:
        """Do all that can be done; return whether that was anything."""
        with self.driver.lock:
            did = False
            while self.step():
                did = True
            return did

    def synchronize(self) -> None:
        _wait(lambda: (self.run() and False) or not self.queued)

    def wait_for_event(self, event: EmulatedEvent) -> None:
        self.put(event.place.reach)  # where it is now: it may be recorded again


def _wait(is_done: Callable[[], bool]) -> None:
    """Wait on the host for what threads of other devices may have to queue."""
    ends = time.monotonic() + PATIENCE
    while not is_done():
        assert time.monotonic() < ends, "a stream waits for what nobody queues"
        time.sleep(0.001)


class Place:
    """Where an event was recorded."""

    def __init__(self, stream: EmulatedWork | None) -> None:
        self.stream = stream
        self.done = stream is None

    def reached(self) -> None:
        self.done = True
        self.time = time.perf_counter()

    def reach(self) -> bool:
        """Let the stream go on to this place; return whether it gets there."""
        while not self.done:
            assert self.stream is not None
            with self.stream.driver.lock:
                if not self.done and not self.stream.step():
                    return False
        return True

    def synchronize(self) -> None:
        _wait(self.reach)


class EmulatedEvent:
    """A place in a stream, another one each time that it is recorded."""

    def __init__(self, flags: int = 0) -> None:
        self.place = Place(None)

    def record(self, stream: EmulatedWork) -> EmulatedEvent:
        self.place = Place(stream)
        stream.put(self.place.reached)
        return self

    def time_since(self, other: EmulatedEvent) -> float:
        return (self.place.time - other.place.time) * 1e3

    def query(self) -> bool:
        return self.place.done

    def synchronize(self) -> None:
        self.place.synchronize()


class EmulatedDriver:
    """What `pycuda.driver` is to a stream.

    With `random`, what is queued runs late, streams in an order that it chooses: only what waits
    for an event, or for a stream, finds its work done.

    Attributes
    ----------
    queued_singly : int
        Kernels, copies, fills and events that were queued, but for those of graphs.
    replaying : bool
        Whether what is queued now is a graph's.
    """

    class event_flags:  # noqa: N801 - PyCUDA's name
        DISABLE_TIMING = 2

    Event = EmulatedEvent

    def __init__(self, random: Random | None = None) -> None:
        self.random = random
        self.queued_singly = 0
        self.replaying = False
        self.streams: list[EmulatedWork] = []
        self.lock = _one_driver

    def Stream(self) -> EmulatedWork:  # noqa: N802 - PyCUDA's name
        return EmulatedWork(self)

    def progress(self, stream: EmulatedWork) -> None:
        if self.random is None:
            stream.run()
        elif self.random.random() < 0.3:
            some = self.random.choice(self.streams)
            if some.queued:
                some.step()

    def memcpy_htod_async(self, address: int, host: Any, stream: EmulatedWork) -> None:
        data = host.tobytes()
        stream.put(lambda: ctypes.memmove(address, data, len(data)) and None)

    def memcpy_dtoh_async(self, host: Any, address: int, stream: EmulatedWork) -> None:
        stream.put(lambda: ctypes.memmove(host.ctypes.data, address, host.nbytes) and None)

    def memcpy_dtod_async(self, to: int, source: int, nbytes: int, stream: EmulatedWork) -> None:
        stream.put(lambda: ctypes.memmove(to, source, nbytes) and None)

    def memset_d8_async(self, address: int, value: int, nbytes: int, stream: EmulatedWork) -> None:
        stream.put(lambda: ctypes.memset(address, value, nbytes) and None)
