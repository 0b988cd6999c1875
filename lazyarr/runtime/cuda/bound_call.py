"""Work on a device that is done again and again in the same memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazyarr.runtime import run_log as record
from lazyarr.runtime.cuda.memory_pool import DeviceArray, extent

__all__ = ["Repeated"]


class Repeated:
    """Computes the results of a plan again, into the memory that has them.

    Parameters
    ----------
    executable : DeviceExecutable
        The plan.
    stream : DeviceStream
        Where it is queued, whatever the caller's stream is.
    found : Shell
        The leaves and numbers.
    arrays : sequence of DeviceArray
        The results.
    graph : callable, optional
        Queues all steps at once; None if no graph can hold them: results are copied then.
    memory : object, optional
        What keeps the memory that the graph works in.
    """

    __slots__ = ("_arrays", "_executable", "_foreign", "_found", "_graph", "_memory", "_stream")

    def __init__(
        self,
        executable: Any,
        stream: Any,
        found: Any,
        arrays: Sequence[DeviceArray],
        graph: Callable[[], None] | None = None,
        memory: object = None,
    ) -> None:
        self._executable = executable
        self._stream = stream
        self._found = found
        self._arrays = arrays
        self._graph = graph
        self._memory = memory
        leaves = [getattr(leaf.attr, "device_array", None) for leaf in found.leaves]
        self._foreign = [a for a in leaves if a is not None and a.queue is not stream]

    def __call__(self) -> None:
        """Queue the work."""
        stream, arrays = self._stream, self._arrays
        # Also refuses in a forked child, and when the process ends.
        here = self._executable.device.stream()
        if self._graph is None or record.listeners():
            self._plainly(here)
            return
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

    def _plainly(self, here: Any) -> None:
        """Run the plan, and copy what it gives; in the caller's stream."""
        made = self._executable.run_on_device(self._found)
        for source, array in zip(made, self._arrays, strict=True):
            low, high = extent(array.shape, array.strides, array.itemsize)
            array.settle()
            if array.queue is not here:
                source.cross(array.queue)
            with here.current():
                array.queue.copy(array.address + low, source.address + low, high - low)
            array.ticket = array.queue.ticket()
