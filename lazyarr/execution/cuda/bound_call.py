"""Work on a device that is done again and again in the same memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.core.addresses import extent
from lazyarr.graph.node import Node
from lazyarr.runtime import run_log
from lazyarr.runtime.cuda.device_array import DeviceArray
from lazyarr.runtime.cuda.driver import Device
from lazyarr.runtime.cuda.streams import DeviceStream

__all__ = ["BoundCall"]


class BoundCall:
    """Computes the results of a plan again, into the memory that has them.

    Parameters
    ----------
    device : Device
        Where it runs.
    stream : DeviceStream
        Where it is queued, whatever the caller's stream is.
    leaves : sequence of Node
        The arrays that it reads.
    arrays : sequence of DeviceArray
        The results.
    compute : callable
        Returns the results in other memory.
    graph : callable, optional
        Queues all steps at once; None if no graph can hold them: results are copied then.
    memory : object, optional
        What keeps the memory that the graph works in.
    """

    __slots__ = (
        "_arrays",
        "_compute",
        "_device",
        "_foreign",
        "_graph",
        "_memory",
        "_read",
        "_stream",
    )

    def __init__(
        self,
        device: Device,
        stream: DeviceStream,
        leaves: Sequence[Node],
        arrays: Sequence[DeviceArray],
        compute: Callable[[], Sequence[DeviceArray]],
        graph: Callable[[], None] | None = None,
        memory: object = None,
    ) -> None:
        self._device = device
        self._stream = stream
        self._arrays = arrays
        self._compute = compute
        self._graph = graph
        self._memory = memory
        read = [getattr(leaf.attr, "device_array", None) for leaf in leaves]
        self._read = [array for array in read if array is not None]
        self._foreign = [array for array in self._read if array.queue is not stream]

    def launch(self) -> Sequence[DeviceArray]:
        """Queue the work, and return the results."""
        stream, arrays = self._stream, self._arrays
        # Also refuses in a forked child, and when the process ends.
        here = self._device.stream()
        if self._graph is None or run_log.listeners():
            self._copy_results(here)
            return arrays
        for array in self._read:
            array.refuse_wrong()
        for array in arrays:
            array.settle()
        for array in self._foreign:
            array.cross(stream)
        partner = stream.partner
        if partner is None:
            self._graph()
        else:
            stream.wait_for(partner)
            self._graph()
            stream.let_wait(partner)
        ticket = stream.ticket()
        for array in arrays:
            array.ticket = ticket
        return arrays

    def _copy_results(self, here: DeviceStream) -> None:
        """Compute elsewhere, in the caller's stream, and copy."""
        for source, array in zip(self._compute(), self._arrays, strict=True):
            low, high = extent(array.shape, array.strides, array.itemsize)
            array.settle()
            if array.queue is not here:
                source.cross(array.queue)
            with here.current():
                array.queue.copy(array.address + low, source.address + low, high - low)
            array.ticket = array.queue.ticket()
