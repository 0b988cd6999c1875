"""Recorders of graphs, which stand for a stream while a graph is made."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from lazyarr.core.config import Config
from lazyarr.errors import DeviceError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.branch import Branch
from lazyarr.runtime.cuda.device_array import DeviceBlock
from lazyarr.runtime.cuda.interfaces import DriverStream, MemorySource
from lazyarr.runtime.cuda.kernel_cache import DeviceFunction
from lazyarr.runtime.cuda.libraries.handles import Libraries
from lazyarr.runtime.cuda.marks import Mark

__all__ = ["Recorder"]


class _Stream(Protocol):
    """The stream that a graph will run in."""

    libraries: Libraries

    @property
    def compile(self) -> Callable[[Source, Config], DeviceFunction]: ...

    @property
    def pool(self) -> MemorySource: ...

    @property
    def counters(self) -> Callable[..., int]: ...


class Recorder:
    """Stands for a stream while a graph is recorded: queued work goes into the graph.

    Parameters
    ----------
    queue : DeviceStream
        The stream that the graph will run in.
    stream : object
        The driver's stream that is being captured.
    driver : module
        ``pycuda.driver``, or what stands for it.

    Attributes
    ----------
    retained : list
        Memory that the graph's kernels work in.
    """

    def __init__(self, queue: _Stream, stream: DriverStream, driver: Any) -> None:
        self._queue = queue
        self._cuda = driver
        self._stream = stream
        self.libraries = queue.libraries
        self.compile = queue.compile
        self.counters = queue.counters
        self.retained: list[object] = []
        # The driver's objects of a branch: they go with the recorder, when nothing is captured any
        # more and the context is current.
        self._side: DriverStream | None = None
        self._events: deque[Any] = deque()

    @property
    def pool(self) -> Recorder:
        """The memory pool of the stream."""
        # No attribute: a cycle would keep the stream until a thread without the context ends it.
        return self

    def allocate(
        self, nbytes: int, limit: int = 0, origin: tuple[str, int] | None = None
    ) -> DeviceBlock:
        """Return memory that lives as long as the graph.

        Parameters
        ----------
        nbytes : int
            How much.
        limit : int, optional
            Bytes that lazyarr may have of the device after this; 0 means no limit.
        origin : tuple of (str, int), optional
            The user's line that needs it, for errors.
        """
        block: DeviceBlock = self._queue.pool.allocate(nbytes, limit, origin)
        self.retained.append(block)
        return block

    def branch(self) -> Branch:
        """Return a branch for the run that is recorded; the stream beside is captured, too."""
        return Branch(self._stream, self._side_stream, self._mark_in)

    def _side_stream(self) -> DriverStream:
        if self._side is None:
            self._side = self._cuda.Stream()
        return self._side

    def _mark_in(self, stream: DriverStream) -> Mark:
        event = self._cuda.Event(self._cuda.event_flags.DISABLE_TIMING)
        event.record(stream)
        return Mark(event, self._events)

    def launch(
        self, function: DeviceFunction, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        """Queue a kernel.

        Parameters
        ----------
        function : DeviceFunction
            The kernel.
        blocks, threads : int
            Its grid.
        args : sequence of int or float
            One a parameter; addresses are integers.
        """
        packed = function.pack(*args)
        function.start((blocks, 1), (threads, 1, 1), packed, function.shared_bytes, self._stream)

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Queue a copy inside the device.

        Parameters
        ----------
        to, source : int
            Addresses on the device; the memory does not overlap.
        nbytes : int
            How much.
        """
        if nbytes:
            self._cuda.memcpy_dtod_async(to, source, nbytes, self._stream)

    def clear(self, address: int, nbytes: int) -> None:
        """Queue filling with zeros.

        Parameters
        ----------
        address : int
            On the device.
        nbytes : int
            How much.
        """
        self._cuda.memset_d8_async(address, 0, nbytes, self._stream)

    def upload(self, address: int, host: np.ndarray[Any, Any]) -> None:
        """Refuse: the copy would be that of one run.

        Parameters
        ----------
        address : int
            Not used.
        host : numpy.ndarray
            Not used.
        """
        raise _refusal("a copy from the host")

    def download(self, host: np.ndarray[Any, Any], address: int) -> None:
        """Refuse: a recording does not wait.

        Parameters
        ----------
        host : numpy.ndarray
            Not used.
        address : int
            Not used.
        """
        raise _refusal("a copy to the host")

    def synchronize(self) -> None:
        """Refuse: a recording does not wait."""
        raise _refusal("waiting")

    def seconds(self, series: Sequence[Callable[[], None]]) -> list[float]:
        """Refuse: a recording does not wait."""
        raise _refusal("timing")


def _refusal(what: str) -> DeviceError:
    return DeviceError(f"{what} cannot be part of a CUDA graph")
