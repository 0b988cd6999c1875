"""Plans of only kernels, queued by one call of the driver with updated arguments."""

from __future__ import annotations

import functools

from lazyarr.core.config import get_config
from lazyarr.execution.cuda.bounds_reports import without_leaves
from lazyarr.execution.cuda.graphs import GraphCache
from lazyarr.execution.cuda.kernels import KernelCall, ready_launches
from lazyarr.execution.cuda.memory import GraphKey, RunMemory, RunRequest, scalar_bytes
from lazyarr.execution.plan import CompiledPlan
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime import run_log
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.device_array import DeviceArray, array_at
from lazyarr.runtime.cuda.driver import Device
from lazyarr.runtime.cuda.launch_batch import Launches, Place

__all__ = ["KernelBatch"]


class KernelBatch:
    """The kernels of a plan, ready but for addresses and numbers.

    Parameters
    ----------
    device : Device
        Where they run.
    plan : CompiledPlan
        The plan.
    memory : RunMemory
        Its memory.
    graphs : GraphCache
        Its graphs: what comes again and again becomes one.

    Attributes
    ----------
    launches : Launches, optional
        What queues the kernels, once that is looked for; None if it must be done one by one.
    """

    def __init__(
        self,
        device: Device,
        plan: CompiledPlan[KernelCall],
        memory: RunMemory,
        graphs: GraphCache,
    ) -> None:
        self.launches: Launches | None = None
        self._device = device
        self._plan = plan
        self._memory = memory
        self._graphs = graphs
        self._runs_left = tuning.row().runs_before_ready
        self._last_scalars: tuple[bytes, ...] = ()

    def launch(self, request: RunRequest) -> list[DeviceArray] | None:
        """Queue the kernels together; None if they have to be queued one by one.

        Parameters
        ----------
        request : RunRequest
            The run; it is given the memory that was asked for in vain.
        """
        launches, graph_key, stream = self.launches, request.graph_key, request.stream
        if launches is None or graph_key is None:
            return None
        if run_log.listeners() or not self._device.ready():
            return None
        memory = self._memory
        requests = memory.requests(request.bindings)
        blocks = stream.pool.reuse(requests)
        if blocks is None:
            blocks = stream.pool.allocate_all(requests, get_config().memory_limit)
        try:
            own = tuple([block.address for block in blocks])
            if graph_key[2] != self._last_scalars:
                # Numbers that change are read anew, and need no graphs of their own.
                self._last_scalars = graph_key[2]
                self._graphs.runs.clear()
            graphs = self._graphs
            is_graph = graphs.replayable and graphs.comes_again(graph_key, own[memory.padded :])
            ticket = 0 if is_graph else self._queue(launches, request, graph_key, own)
            if not ticket:
                request.blocks = blocks
                return None
            return [
                array_at(own[k] + offset, shape, dtype, strides, blocks[k], stream, ticket)
                for k, offset, shape, dtype, strides in memory.block_views
            ]
        except BaseException:
            blocks.clear()  # the error's traceback keeps this call's frame
            raise

    def _queue(
        self, launches: Launches, request: RunRequest, graph_key: GraphKey, own: tuple[int, ...]
    ) -> int:
        """Queue the kernels of a run, and return the ticket of its results.

        It is 0 if an address is not aligned: then nothing was queued.

        Parameters
        ----------
        launches : Launches
            The kernels.
        request : RunRequest
            The run.
        graph_key : tuple
            Its stream, addresses of leaves, and scalars.
        own : tuple of int
            Addresses of its blocks.
        """
        stream, leaves, scalars = graph_key
        bounds = self._memory.bounds
        if bounds is None:
            return stream.ticket() if launches.queue(stream, leaves + own, scalars) else 0
        if len(stream.deferred.pending) > tuning.row().reports_pending:
            stream.synchronize()
        with self._device.current():
            report = bounds.take()
        after = stream.ticket()
        if not launches.queue(stream, (*leaves, *own, report.address), scalars):
            bounds.give_back(report)
            return 0
        close = functools.partial(bounds.close, report, without_leaves(request.bindings))
        return stream.deferred.add(report, after, close)

    def count_run(self, bindings: Bindings) -> None:
        """Count a run that was queued step by step; after some of them, prepare the batch."""
        if self._runs_left > 0:
            self._runs_left -= 1
            if self._runs_left <= 0:
                self._prepare(bindings)

    def _prepare(self, bindings: Bindings) -> None:
        plan, memory, bases = self._plan, self._memory, self._plan.bases
        only_kernels = all(step.calls for step in plan.steps)
        if not only_kernels or len(memory.block_views) < len(memory.views):
            return
        first = bases.leaf_count
        places = {k: Place(k, 0) for k in range(first)}
        for k, (base, _, _) in enumerate(memory.own_blocks, first):
            if base < bases.scratch:
                places[base] = Place(k, 0)
            else:
                places |= {stored: Place(k, offset) for stored, offset in memory.in_arena}
                places[base] = Place(k, plan.memory.arena_bytes)
        places[bases.status] = Place(first + len(memory.own_blocks), 0)
        calls = [call for step in plan.steps for call in step.calls]
        dtypes = [scalar.dtype for scalar in bindings.scalars]
        self._last_scalars = scalar_bytes(bindings)
        self.launches = ready_launches(self._device, calls, places, first, bases.counters, dtypes)
