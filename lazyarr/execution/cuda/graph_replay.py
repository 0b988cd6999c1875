"""Replays of a plan's graphs for unchanged leaves and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.execution.cuda.memory import BlockView
from lazyarr.execution.cuda.recorded_run import RecordedRun, RecordedRuns
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cuda.device_array import DeviceArray, DeviceBlock, array_at
from lazyarr.runtime.cuda.driver import Device
from lazyarr.runtime.cuda.memory_pool import Request
from lazyarr.runtime.cuda.streams import DeviceStream
from lazyarr.runtime.run_log import listeners

__all__ = ["Replay"]


class Replay:
    """Replays a plan's graphs: all that differs between runs is the memory of the results.

    Parameters
    ----------
    owner : object
        A mark of the plan whose graphs they are.
    device : Device
        Of the stream.
    stream : DeviceStream
        Where it is queued; all leaves are of this stream.
    graphs : dict
        By the addresses of the blocks. The owner may clear it.
    bindings : Bindings
        With the user's lines, for errors.
    requests : tuple of Request
        The blocks that a run has of its own.
    views : sequence of BlockView
        The results.
    """

    __slots__ = (
        "_bindings",
        "_device",
        "_graphs",
        "_requests",
        "_view",
        "_views",
        "owner",
        "stream",
    )

    def __init__(
        self,
        owner: object,
        device: Device,
        stream: DeviceStream,
        graphs: RecordedRuns,
        bindings: Bindings,
        requests: tuple[Request, ...],
        views: Sequence[BlockView],
    ) -> None:
        self.owner = owner
        self.stream = stream
        self._device = device
        self._graphs = graphs
        self._bindings = bindings
        self._requests = requests
        self._views = views
        self._view = views[0] if len(requests) == len(views) == 1 else None

    def here(self) -> list[DeviceArray] | None:
        """Return the results of :meth:`launch` if the thread works in the stream; else None.

        Also None where leaves may have been computed with an index that was out of bounds.
        """
        stream = self.stream
        if self._device.stream_of_thread() is not stream or stream.deferred.failures:
            return None
        results = self.launch()
        return None if stream.deferred.failures else results  # another thread may have seen one

    def launch(self) -> list[DeviceArray] | None:
        """Queue the work and return the results; None if that takes more than a graph."""
        stream = self.stream
        if listeners() or stream.partner is not None or not self._device.ready():
            return None
        view = self._view
        if view is None:
            return self._launch_any()
        # The common case, with as little work as can be: a result like one that was just dropped.
        block = stream.pool.exchange(self._requests[0])
        if block is None:
            return self._launch_any()
        graph = self._graphs.get((block.address,))
        if graph is None:
            return None
        ticket = graph.queue(stream, self._bindings)
        _, offset, shape, dtype, strides = view
        address = block.address + offset
        return [array_at(address, shape, dtype, strides, block, stream, ticket)]

    def _launch_any(self) -> list[DeviceArray] | None:
        """Return the results of :meth:`launch`, however many they are."""
        for addresses, graph in list(self._graphs.items()):
            blocks = self.stream.pool.reuse_at(self._requests, addresses)
            if blocks is not None:
                return self._queued(graph, blocks)
        return None

    def _queued(self, graph: RecordedRun, blocks: Sequence[DeviceBlock]) -> list[DeviceArray]:
        """Queue a graph, and return the results in its blocks."""
        stream = self.stream
        ticket = graph.queue(stream, self._bindings)
        results = []
        for place, offset, shape, dtype, strides in self._views:
            block = blocks[place]
            address = block.address + offset
            results.append(array_at(address, shape, dtype, strides, block, stream, ticket))
        return results
