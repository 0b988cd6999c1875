"""The graphs of a plan for leaves and numbers that are what they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.runtime.cuda.launch_batch import not_launched
from lazyarr.runtime.cuda.memory_pool import DeviceArray, Request, array_at
from lazyarr.runtime.cuda.streams import Graph, chosen
from lazyarr.runtime.run_log import listeners

__all__ = ["Replay", "View"]

#: Where a result lies: which block, offset in bytes, shape, dtype, strides in bytes.
View = tuple[int, int, tuple[int, ...], np.dtype[Any], tuple[int, ...]]


class Replay:
    """Runs a plan once more, with little ado: all that differs is the memory of the results.

    Parameters
    ----------
    executable : object
        Whose plan it is.
    device : Device
        Of the stream.
    stream : DeviceStream
        Where it is queued; all leaves are of this stream.
    graphs : dict
        By the addresses of the blocks. The owner may clear it.
    requests : tuple of Request
        The blocks that a run has of its own.
    views : sequence of View
        The results.
    """

    __slots__ = ("_device", "_graphs", "_requests", "_view", "_views", "executable", "stream")

    def __init__(
        self,
        executable: object,
        device: Any,
        stream: Any,
        graphs: dict[tuple[int, ...], Graph],
        requests: tuple[Request, ...],
        views: Sequence[View],
    ) -> None:
        self.executable = executable
        self.stream = stream
        self._device = device
        self._graphs = graphs
        self._requests = requests
        self._views = views
        self._view = views[0] if len(requests) == len(views) == 1 else None

    def here(self) -> list[DeviceArray] | None:
        """Return what :meth:`again` does if the thread works in the stream."""
        return self.again() if (chosen.get() or self._device.main) is self.stream else None

    def again(self) -> list[DeviceArray] | None:
        """Queue the work and return the results; None if that takes more than a graph."""
        stream = self.stream
        if listeners() or stream.partner is not None or not self._device.ready():
            return None
        view = self._view
        if view is None:
            return self._at_length()
        # The common case, with as little work as can be: a result like one that was just dropped.
        block = stream.pool.exchange(self._requests[0])
        if block is None:
            return self._at_length()
        graph = self._graphs.get((block.address,))
        if graph is None:
            return None
        status = graph.launch()
        if status:
            raise not_launched(status)
        _, offset, shape, dtype, strides = view
        address = block.address + offset
        return [array_at(address, shape, dtype, strides, block, stream, stream.ticket())]

    def _at_length(self) -> list[DeviceArray] | None:
        """Do what :meth:`again` does for any number of results."""
        stream = self.stream
        blocks = stream.pool.reuse(self._requests)
        if blocks is None:
            return None
        graph = self._graphs.get(tuple([block.address for block in blocks]))
        if graph is None:
            return None
        graph()
        ticket = stream.ticket()
        results = []
        for place, offset, shape, dtype, strides in self._views:
            block = blocks[place]
            address = block.address + offset
            results.append(array_at(address, shape, dtype, strides, block, stream, ticket))
        return results
