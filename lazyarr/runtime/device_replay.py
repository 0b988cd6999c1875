"""The graphs of a plan for leaves and numbers that are what they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.runtime.device_memory import DeviceArray, Request
from lazyarr.runtime.device_stream import chosen
from lazyarr.runtime.record import listeners

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

    __slots__ = ("_device", "_graphs", "_requests", "_views", "executable", "stream")

    def __init__(
        self,
        executable: object,
        device: Any,
        stream: Any,
        graphs: dict[tuple[int, ...], Callable[[], None]],
        requests: tuple[Request, ...],
        views: Sequence[View],
    ) -> None:
        self.executable = executable
        self.stream = stream
        self._device = device
        self._graphs = graphs
        self._requests = requests
        self._views = views

    def here(self) -> list[DeviceArray] | None:
        """Return what a call does if the thread works in its stream."""
        return self() if (chosen.get() or self._device.main) is self.stream else None

    def __call__(self) -> list[DeviceArray] | None:
        """Queue the work and return the results; None if that takes more than a graph."""
        stream = self.stream
        if listeners() or stream.partner is not None or not self._device.ready():
            return None
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
            results.append(
                DeviceArray(block.address + offset, shape, dtype, strides, block, stream, ticket)
            )
        return results
