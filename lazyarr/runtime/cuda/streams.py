"""Streams of a GPU: queues of work, each with memory, counters and library handles of its own.

What is queued in one stream is done in order; different streams wait for each other only where they
are made to, by events. Every stream of ours is ordered with the legacy default stream, which is the
one that other libraries use by default. So work that has to be part of another library's
stream stays in one of ours, its *partner*: before a run ours waits for what is queued there, and
what is queued there later waits for the run.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

from lazyarr.core.device_group import DeferredChecks
from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda.branch import Branch
from lazyarr.runtime.cuda.deferred_reports import DeferredReports
from lazyarr.runtime.cuda.device_array import DeviceBlock, Queue
from lazyarr.runtime.cuda.driver_calls import succeeded
from lazyarr.runtime.cuda.graph import Graph
from lazyarr.runtime.cuda.interfaces import DriverStream, StreamDevice
from lazyarr.runtime.cuda.kernel_cache import DeviceFunction
from lazyarr.runtime.cuda.launch_batch import Chain
from lazyarr.runtime.cuda.libraries.handles import Libraries
from lazyarr.runtime.cuda.marks import Mark, StreamMark
from lazyarr.runtime.cuda.memory_pool import DevicePool
from lazyarr.runtime.cuda.recorder import Recorder
from lazyarr.runtime.cuda.stream_memory import StreamMemory

__all__ = ["DeviceStream", "chosen"]

#: The stream that this thread or task works in; None is the device's main one.
chosen: ContextVar[DeviceStream | None] = ContextVar("lazyarr_stream", default=None)


class DeviceStream(StreamMemory):
    """One stream of a device.

    Parameters
    ----------
    device : Device
        Has the context, kernels and transfers.
    driver : module
        ``pycuda.driver``, or what stands for it.

    Attributes
    ----------
    stream : object
        The driver's own.
    handle : int
        Its address, by which other libraries know it.
    label : str
        The name of the device.
    pool : DevicePool
        Its memory.
    libraries : Libraries
        Handles that work in it.
    partner : object, optional
        Another library's stream that this one stands in for, by its handle.
    """

    def __init__(self, device: StreamDevice, driver: Any) -> None:
        self.device = device
        self.label = device.label
        self._cuda = driver
        with device.current():
            self.stream: DriverStream = driver.Stream()
        self.handle: int = int(self.stream.handle)
        self.pool = DevicePool(self, device.memory)
        self.libraries = Libraries(self)
        self.partner: int | None = None
        self.graphs: weakref.WeakSet[Graph] = weakref.WeakSet()
        self.chains: weakref.WeakSet[Chain] = weakref.WeakSet()
        #: Of work that is exchanged with other devices, to be made when results are read.
        self.checks: DeferredChecks | None = None
        self._lock = threading.Lock()
        #: Events that no mark has.
        self._events: deque[Any] = deque()
        #: The last is handed out: kernels in the stream may be counting with those before it.
        self._counters: list[DeviceBlock] = []
        self._pad: DeviceBlock | None = None
        self._side: DriverStream | None = None
        #: Returns a number that is larger than those given out for what was queued before. One step
        #: of an iterator, so that threads cannot come between.
        self.ticket: Callable[[], int] = itertools.count(1).__next__
        #: What kernels report, which is read when the host waits for them.
        self.deferred = DeferredReports(self.ticket)
        #: For each other stream, a ticket before which all its work is waited for.
        self._behind: dict[object, int] = {}
        self.compile = device.kernels.compile

    def current(self) -> AbstractContextManager[None]:
        """Return a context manager that makes the device's context that of this thread."""
        return self.device.current()

    # -- order -------------------------------------------------------------------------------

    def mark(self) -> Mark:
        """Return the place behind all that is queued by now."""
        with self.device.current():
            return self._mark_in(self.stream)

    def _mark_in(self, stream: DriverStream) -> Mark:
        """Return the place behind all that is queued in a stream; the context is current."""
        try:
            event = self._events.pop()
        except IndexError:
            event = self._cuda.Event(self._cuda.event_flags.DISABLE_TIMING)
        event.record(stream)
        return Mark(event, self._events)

    def branch(self) -> Branch:
        """Return a branch for a run: work in a second stream beside the run's work in this one."""
        return Branch(self.stream, self._side_stream, self._mark_in)

    def _side_stream(self) -> DriverStream:
        """Return the second stream, which is made when first asked for."""
        if self._side is None:
            with self._lock:
                if self._side is None:
                    self._side = self._cuda.Stream()
        return self._side

    def current_mark(self) -> StreamMark:
        """Return :meth:`mark`, for threads in which the context is not current."""
        return StreamMark(self.device, self.mark())

    def seconds(self, series: Sequence[Callable[[], None]]) -> list[float]:
        """Return the device's time, in seconds, for the work that each function queues; waits.

        By the device's clock: the host may be kept from queueing for milliseconds at a time.
        """
        with self.device.current():
            marks = [self._cuda.Event().record(self.stream)]
            for queue in series:
                queue()
                marks.append(self._cuda.Event().record(self.stream))
            marks[-1].synchronize()
            times = [later.time_since(mark) / 1e3 for mark, later in itertools.pairwise(marks)]
            marks.clear()  # while the context is current
            return times

    def after(self, other: Queue, ticket: int) -> None:
        """Let later work wait for the earlier work of another stream.

        Parameters
        ----------
        other : Queue
            The other stream.
        ticket : int
            Of that stream: what it had queued when it gave the ticket out is waited for.
        """
        if other is self or self._behind.get(other, 0) > ticket:
            return
        reached = other.ticket()
        mark = other.mark()
        with self.device.current():
            self.stream.wait_for_event(mark.event)
        self._behind[other] = reached

    def wait_for(self, stream: int | None) -> None:
        """Let later work wait for the work in another library's stream."""
        if stream not in (None, 0, 1):  # the legacy default stream is ordered with ours
            self.device.order(before=int(stream), after=self.handle)

    def let_wait(self, stream: int) -> None:
        """Let later work in another library's stream wait for this one."""
        if stream not in (0, 1):
            self.device.order(before=self.handle, after=stream)

    def synchronize(self) -> None:
        """Wait for all work, and record its reports."""
        reached = self.ticket() if self.deferred.pending else 0
        with self.device.current():
            self.stream.synchronize()
        if reached:
            self.deferred.settle(reached)

    def wait_for_reports(self) -> None:
        """Wait for work whose reports are not read yet, and raise the first that is of an error.

        Raises
        ------
        IndexError
            An index was out of bounds.
        """
        known = len(self.deferred.failures)
        if self.deferred.pending:
            self.synchronize()
        for after, _, _ in self.deferred.failures[known:]:
            self.deferred.refuse(after + 1)

    def synchronize_all(self) -> None:
        """Wait for all work of every stream, those of other libraries included."""
        self.device.synchronize_all()

    # -- kernels -----------------------------------------------------------------------------

    def launch(
        self, function: DeviceFunction, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        """Queue a kernel; the context must be current.

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
        function.start((blocks, 1), (threads, 1, 1), packed, function.shared_bytes, self.stream)

    def capture(self, queue: Callable[[Recorder], None]) -> Graph | None:
        """Return a graph of all that a function queues; None where no bindings can record one.

        The context must be current, but not to queue the graph.

        Raises
        ------
        DeviceError
            If something of it cannot be part of a graph; nothing was queued then.
        """
        driver = self.device.bindings
        if driver is None:
            return None
        mode = driver.CUstreamCaptureMode
        # Not in the stream itself: another thread's kernels would be captured too.
        private = self._cuda.Stream()
        stream = driver.CUstream(private.handle)
        recorder = Recorder(self, private, self._cuda)
        # Relaxed: memory may be taken from the driver meanwhile.
        succeeded(driver.cuStreamBeginCapture(stream, mode.CU_STREAM_CAPTURE_MODE_RELAXED))
        try:
            with self.libraries.working_in(private.handle):
                queue(recorder)
        except Exception as error:
            driver.cuStreamEndCapture(stream)  # gives the unfinished graph up
            raise DeviceError(f"this work cannot be part of a CUDA graph: {error}") from error
        graph = succeeded(driver.cuStreamEndCapture(stream))
        ready = succeeded(driver.cuGraphInstantiate(graph, 0))
        succeeded(driver.cuGraphDestroy(graph))
        replay = Graph(self.device, driver, ready, self.handle, recorder.retained)
        self.graphs.add(replay)
        return replay

    def close_graphs(self) -> None:
        """Give the graphs back; all work is done, the context current."""
        for graph in list(self.graphs):
            graph.close()

    def close(self) -> None:
        """Give everything back at the end of the process; all work is done, the context current."""
        self.close_graphs()
        for chain in list(self.chains):
            chain.close()
        self._events.clear()
        self._side = None
        self.libraries.close()

    def __repr__(self) -> str:
        return f"<DeviceStream {self.handle:#x}>"
