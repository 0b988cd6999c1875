"""Runs of a plan on a device step after step; those that come again become graphs."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

from lazyarr.core.device_group import (
    DeferredChecks,
    DeviceGroup,
    agree,
    current_group,
    exchange_identity,
)
from lazyarr.execution.cuda.bounds_reports import without_leaves
from lazyarr.execution.cuda.device_plan import DevicePlan
from lazyarr.execution.cuda.fused_matmul import FusedMatmuls
from lazyarr.execution.cuda.graphs import GraphCache
from lazyarr.execution.cuda.kernel_batch import KernelBatch
from lazyarr.execution.cuda.kernels import KernelCall
from lazyarr.execution.cuda.memory import (
    DeviceRun,
    RunMemory,
    RunRequest,
    is_on_device,
    scalar_bytes,
)
from lazyarr.execution.cuda.recorded_run import RecordedRun
from lazyarr.execution.plan import CompiledPlan
from lazyarr.runtime import run_log
from lazyarr.runtime.cuda.branch import Branch
from lazyarr.runtime.cuda.device_array import DeviceArray
from lazyarr.runtime.cuda.graph import Graph
from lazyarr.runtime.cuda.recorder import Recorder
from lazyarr.schedule.fusion import Group

__all__ = ["StepByStep"]


class StepByStep:
    """Runs any plan.

    Parameters
    ----------
    own : DevicePlan
        The plan.
    memory : RunMemory
        Its memory.
    fused : FusedMatmuls
        Queues two steps as one launch.
    graphs : GraphCache
        Its graphs.
    batch : KernelBatch
        Called after each run.
    exchanges : tuple
        What is exchanged with other devices: sizes, dtypes and notes.
    """

    def __init__(
        self,
        own: DevicePlan,
        memory: RunMemory,
        fused: FusedMatmuls,
        graphs: GraphCache,
        batch: KernelBatch,
        exchanges: tuple[tuple[int, str, str], ...],
    ) -> None:
        self._device = own.device
        self._plan = own.plan
        self._memory = memory
        self._kernels = own.kernels
        self._steps = own.steps
        self._fused = fused
        self._graphs = graphs
        self._batch = batch
        self._reporter = own.reporter
        self._exchanges = exchanges
        self._exchanged_through = b""
        self._dead_after = own.plan.dead_after()
        self._awaited = _awaited(own.plan, fused) if exchanges else ()

    def launch(self, request: RunRequest) -> list[DeviceArray]:
        """Queue the steps, and return the results.

        Parameters
        ----------
        request : RunRequest
            The run.
        """
        stream = request.stream
        partner = stream.partner
        if partner is None:
            return self._queue(request)
        stream.wait_for(partner)
        try:
            return self._queue(request)
        finally:
            stream.let_wait(partner)

    def graph(self, request: RunRequest) -> tuple[DeviceRun, Graph] | None:
        """Return a graph of all steps and the memory that it works in; None if there can be none.

        Parameters
        ----------
        request : RunRequest
            The run; nothing of it is queued.
        """
        run = DeviceRun(request.stream, request.bindings, self._plan.bases.counters)
        try:
            with self._device.current():
                self._memory.place(run)
                graph = self._graphs.record(run, self._recording(run))
        except BaseException:
            run.drop()
            raise
        return None if graph is None else (run, graph)

    def _queue(self, request: RunRequest) -> list[DeviceArray]:
        bindings = request.bindings
        run = DeviceRun(request.stream, bindings, self._plan.bases.counters)
        try:
            with self._device.current():
                self._device.part()
                self._memory.place(run, request.blocks)
                settled, device = self._kernels.settled(self._reporter), self._device.label
                # Devices that exchange something would have to record new graphs together.
                recorded = self._recorded(run) if settled or not self._exchanges else None
                if recorded is not None and not (settled and self._kernels.optimized):
                    # Its launches are those of the first tier, and stay so.
                    self._kernels.when_optimized(self._graphs.forget)
                if self._exchanges and not agree(self._exchanges, recorded is not None):
                    recorded = None
                if recorded is not None:
                    self._replay(run, recorded)
                else:
                    self._queue_steps(run)
                    if settled and all(is_on_device(leaf, device) for leaf in bindings.leaves):
                        self._batch.count_run(bindings)
        except BaseException:
            # The error's traceback keeps this call's frames, and must not keep its memory.
            run.drop()
            raise
        self._reporter.first_run = False
        return self._memory.results(run)

    def _recorded(self, run: DeviceRun) -> RecordedRun | None:
        """Return the graph of a run that came with these very addresses and numbers before."""
        graphs = self._graphs
        if not graphs.replayable or self._fused.in_trial or run_log.listening():
            return None
        leaves = tuple(run.addresses[: self._plan.bases.leaf_count])
        scalars = scalar_bytes(run.bindings)
        if self._exchanges:
            identity = exchange_identity()
            if identity != self._exchanged_through:
                graphs.forget()  # they hold communicators that are no more
                self._exchanged_through = identity
            # A first exchange connects the devices, which no graph can hold.
            scalars = (*scalars, identity)
        graph_key = run.stream, leaves, scalars
        recorded = graphs.recorded(run, graph_key, self._recording(run))
        if self._fused.in_trial:
            graphs.forget()  # one kernel was compiled while a graph was recorded
        return recorded

    def _replay(self, run: DeviceRun, recorded: RecordedRun) -> None:
        """Queue all steps together, with the other devices' if there are exchanges."""
        place = current_group.get() if self._exchanges else None
        if place is None or place[0].communicators is None:
            run.ticket = recorded.queue(run.stream, run.bindings)
        else:
            self._replay_together(run, recorded, place[0].communicators.checks, *place)
        if run.report is not None:
            assert self._memory.bounds is not None
            self._memory.bounds.give_back(run.report)  # the graph has its own

    def _replay_together(
        self,
        run: DeviceRun,
        recorded: RecordedRun,
        checks: DeferredChecks,
        group: DeviceGroup,
        rank: int,
    ) -> None:
        """Queue all steps of all devices together; their reports are read later."""
        stream = run.stream
        stream.checks = checks
        checks.settle(rank, recorded)
        group.together(rank, recorded.launch)
        if self._memory.bounds is not None:
            mark = stream.current_mark()
            lines = without_leaves(run.bindings)
            checks.add(rank, recorded, functools.partial(recorded.look, mark, lines))

    def _recording(self, run: DeviceRun) -> Callable[[Recorder], None]:
        """Return a function that records all steps."""

        def record(recorder: Recorder) -> None:
            if run.report is not None:
                recorder.retained.append(run.report)
            if not self._exchanges:
                self._record_each(run, recorder, None)
                return
            with recorder.branch() as branch:
                self._record_each(run, recorder, branch)

        return record

    def _record_each(self, run: DeviceRun, recorder: Recorder, branch: Branch | None) -> None:
        done = -1
        for index, step in enumerate(self._plan.steps):
            if index == done:
                continue
            if branch is not None:
                branch.join(self._awaited[index])
            if self._fused.queue(run, index, recorder, decide=False):
                done = index + 1
            else:
                self._steps.queue(run, step, recorder, branch)

    def _queue_steps(self, run: DeviceRun) -> None:
        """Queue step after step, and read their reports."""
        stream = run.stream
        if run.report is None and self._memory.bounds is not None:
            self._memory.place_report(run)  # that of a graph which is not used
        listening = run_log.listening()
        started = time.perf_counter() if listening else 0.0
        if self._exchanges and not listening:  # profiled steps run in order
            with stream.branch() as branch:
                records = self._queue_each(run, branch, listening)
        else:
            records = self._queue_each(run, None, listening)
        if run.report is not None:
            assert self._memory.bounds is not None
            # Waits for the kernels: an index that is out of bounds is an error of this call.
            self._memory.bounds.check(run.report, stream, run.bindings)
        if listening:
            seconds = time.perf_counter() - started
            self._reporter.publish(records, run.peak, seconds, run.bindings)

    def _queue_each(
        self, run: DeviceRun, branch: Branch | None, listening: bool
    ) -> list[run_log.StepRecord]:
        """Queue step after step; return the records for the run log."""
        stream = run.stream
        records: list[run_log.StepRecord] = []
        done = -1
        for index, step in enumerate(self._plan.steps):
            begun = time.perf_counter() if listening else 0.0
            if branch is not None:
                branch.join(self._awaited[index])
            if self._fused.queue(run, index, stream, decide=True):
                done = index + 1
            elif index != done:
                self._steps.queue(run, step, stream, branch)
            for base in self._dead_after[index]:
                dropped = run.blocks.pop(base, None)
                if dropped is not None:
                    run.count(-dropped.nbytes)
                    del dropped
            if listening and index != done:
                stream.synchronize()
                seconds = time.perf_counter() - begun
                records.append(self._record(index, seconds, fused=done == index + 1))
        return records

    def _record(self, index: int, seconds: float, *, fused: bool) -> run_log.StepRecord:
        """Return the profiling record of a step, or of one launch for it and the next."""
        step = self._plan.steps[index]
        group, moved = step.group, step.traffic()
        read, written = moved.read, moved.written
        if fused:
            after = self._plan.steps[index + 1]
            group, moved = after.group, after.traffic()
            read, written = read + moved.read - written, moved.written
        return run_log.StepRecord(group.name, group.kind, seconds, read, written)


def _awaited(plan: CompiledPlan[KernelCall], fused: FusedMatmuls) -> tuple[tuple[Group, ...], ...]:
    """Return for each step the groups beside earlier ones that it waits for.

    Where it may be one launch with the next step, it waits for those of that one, too.
    """
    awaited: list[tuple[Group, ...]] = list(plan.awaited_before())
    for index in range(len(awaited)):
        if index in fused:
            awaited[index] += awaited[index + 1]
    return tuple(awaited)
