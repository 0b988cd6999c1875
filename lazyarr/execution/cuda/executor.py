"""Runs plans on a CUDA device: arrays go there once, kernels are queued, results stay there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.cuda.launch import DeviceLowered
from lazyarr.core.config import Config
from lazyarr.errors import ArgumentError
from lazyarr.execution.arguments import Bases, UserLines
from lazyarr.execution.cuda.bound_call import BoundCall
from lazyarr.execution.cuda.bounds_reports import BoundsReports
from lazyarr.execution.cuda.device_plan import DevicePlan
from lazyarr.execution.cuda.fused_matmul import FusedMatmuls
from lazyarr.execution.cuda.graph_replay import Replay
from lazyarr.execution.cuda.graphs import GraphCache
from lazyarr.execution.cuda.kernel_batch import KernelBatch
from lazyarr.execution.cuda.kernels import KernelCall, KernelLoader
from lazyarr.execution.cuda.library_calls import DeviceCall, device_call
from lazyarr.execution.cuda.library_steps import LibrarySteps
from lazyarr.execution.cuda.memory import RunMemory, RunRequest, is_on_device
from lazyarr.execution.cuda.step_by_step import StepByStep
from lazyarr.execution.cuda.steps import StepQueue
from lazyarr.execution.executor import Donated
from lazyarr.execution.fp_errors.diagnosis import Diagnosis
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.execution.launch import LaunchStrategy, RunReporter
from lazyarr.execution.plan import LoweredPlan, compile_plan
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Early, Leaf, Node
from lazyarr.loop_ir.source import Source
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cuda import driver
from lazyarr.runtime.cuda.device_array import DeviceArray
from lazyarr.runtime.cuda.transfers import to_host
from lazyarr.schedule.fusion import Group

__all__ = ["CudaExecutor"]

Array = np.ndarray[Any, Any]


class CudaExecutor:
    """Runs a plan on the device repeatedly, from many threads concurrently.

    Parameters
    ----------
    lowered : LoweredPlan
        The plan and its sources, which are compiled now.
    threads : int
        Not used: the device has its own.
    settings : Config
        How to compile.

    Attributes
    ----------
    plan : CompiledPlan
        What runs.
    library : LibrarySteps
        Its library steps.
    graphs : GraphCache
        Replays what comes again.
    batch : KernelBatch
        Queues kernels that are ready but for addresses and numbers.
    step_by_step : StepByStep
        Queues any plan.
    """

    #: A launch on a device takes more than addresses and numbers.
    by_address = mixed = None
    sole_call = None
    #: Results lie in memory of the stream's pool.
    donated = ()

    def __init__(self, lowered: LoweredPlan, threads: int, settings: Config) -> None:
        calls = {group: device_call(group.members[0]) for group in lowered.libraries}
        implementations = [call.implementation for call in calls.values()]
        libraries = sorted({one.binding for one in implementations if one and one.binding})
        # Opening one takes as long as compiling a kernel: both at once.
        driver.begin_opening(libraries, settings.device)
        self._device = device = driver.device(settings.device)
        device.prepare_libraries(libraries)
        before = device.info().compiled
        started = time.perf_counter()
        bases = Bases(lowered.leaf_count, len(lowered.memory.buffers), lowered.memory.home)
        lines = UserLines(lowered.positions)
        status = Reports(len(lowered.memory.steps), lines.of)
        kernels = self._kernels = KernelLoader(device, settings, bases, status)
        calls_of = _compile_kernels(lowered, calls, kernels, device, settings)
        plan = self.plan = compile_plan(lowered, bases, status, lines, calls_of)
        reporter = RunReporter(lowered.memory.peak_bytes, lowered.trace_seconds, lowered.observed)
        reporter.compile_seconds = time.perf_counter() - started
        library = self.library = LibrarySteps(plan, calls, settings, reporter)
        self._read_leaves = library.leaves_on_device()
        exchanges = library.exchanges() if lowered.libraries else ()
        replayable = library.can_repeat()
        bounds = BoundsReports(device, status) if status.bounds else None
        self._memory = memory = RunMemory(plan, self._read_leaves, replayable, bounds)
        self.graphs = GraphCache(device, memory, replayable=replayable, noted=not exchanges)
        self._mark = self.graphs.mark
        self.batch = KernelBatch(device, plan, memory, self.graphs)
        steps = StepQueue(kernels, library)
        own = DevicePlan(device, plan, kernels, steps, library, settings, reporter)
        launched: Any = lowered.lowered
        self._fused = FusedMatmuls(own, launched, self.graphs.forget)
        self.step_by_step = StepByStep(own, memory, self._fused, self.graphs, self.batch, exchanges)
        self._strategies: Sequence[LaunchStrategy[[RunRequest], DeviceArray]] = (
            self.graphs,
            self.batch,
            self.step_by_step,
        )
        self._without_graphs: Sequence[Any] = self._strategies[1:]
        if exchanges:  # devices decide together, where steps are queued, how to go on
            self._strategies = self._without_graphs = (self.step_by_step,)
        reporter.compiled = device.info().compiled - before

    @property
    def peak_bytes(self) -> int:
        """Largest total size of live buffers in the memory plan, in bytes."""
        return self.plan.memory.peak_bytes

    def diagnose_by(self, diagnosis: Diagnosis) -> None:
        """Set the diagnosis by which reports of kernels become errors and warnings."""
        self.plan.status.diagnose_by(diagnosis)

    def run(self, bindings: Bindings, outs: Sequence[Array | None] | None = None) -> list[Array]:
        """Return the results in the host's memory.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars of an expression of this structure.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write the results.
        """
        arrays = self.persist(bindings)
        targets = [None] * len(arrays) if outs is None else outs
        with self._device.current():
            return [to_host(value, out) for value, out in zip(arrays, targets, strict=True)]

    def run_over(self, bindings: Bindings, donated: Donated) -> list[Array]:
        """Return the results in the host's memory.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        donated : mapping of int to numpy.ndarray, optional
            None: plans for devices overwrite no leaf.
        """
        assert not donated
        return self.run(bindings)

    def persist(self, bindings: Bindings) -> Sequence[DeviceArray]:
        """Queue the steps in the thread's stream, and return the results where they are."""
        failures = self._device.stream_of_thread().deferred.failures
        known = len(failures)
        if known:
            _refuse_wrong(bindings)
        results = self._queued(bindings)
        if len(failures) != known:
            # It was seen meanwhile, by a step that waited or by another thread.
            _refuse_wrong(bindings)
        return results

    def _queued(self, bindings: Bindings) -> Sequence[DeviceArray]:
        notes = bindings.notes
        results: Sequence[DeviceArray] | None
        if notes:
            replay = notes.get(self._device.stream_of_thread())
            if type(replay) is Replay and replay.owner is self._mark:
                results = replay.launch()
                if results is not None:
                    return results
        stream = self._device.stream()
        graph_key = None
        graphs = self.graphs.graphs
        if stream.partner is None and (graphs or self.batch.launches is not None):
            graph_key = self._memory.graph_key(stream, bindings)
        request = RunRequest(stream, bindings, graph_key)
        for strategy in self._strategies if graphs else self._without_graphs:
            results = strategy.launch(request)
            if results is not None:
                return results
        raise AssertionError("unreachable: every plan can run step by step")

    def run_and_keep(
        self, bindings: Bindings, count: int, outs: Sequence[Array | None] | None, early: Early
    ) -> tuple[list[Array], list[Leaf]]:
        """Return the first `count` results on the host, and leaves of the others on the device.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        count : int
            How many results were asked for.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write these.
        early : Early
            Why the others are computed.
        """
        values = self.persist(bindings)
        targets = [None] * count if outs is None else outs
        with self._device.current():
            pairs = zip(values[:count], targets, strict=True)
            results = [to_host(value, target) for value, target in pairs]
        return results, [DeviceLeaf(value) for value in values[count:]]

    def repeat(self, bindings: Bindings) -> tuple[Sequence[DeviceArray], Callable[[], object]]:
        """Return the results, and a function that computes them again in their memory.

        Raises
        ------
        ArgumentError
            If a leaf is in the host's memory.
        """
        device = self._device.label
        for position, leaf in enumerate(bindings.leaves):
            if position in self._read_leaves and not is_on_device(leaf, device):
                raise ArgumentError(
                    f"a bound call reads arrays on {device!r}, but this array is {_place(leaf)}",
                    origin=leaf.origin,
                    hint=f'copy it there once with lazyarr.asarray(x, device="{device}")',
                )
        stream = self._device.stream()
        # A plain run first: it raises what there is to raise. The next finds the fastest way to
        # multiply.
        arrays = self.persist(bindings)
        self._kernels.optimize()
        if len(self.library):
            self._fused.wait()
            arrays = self.persist(bindings)
        recorded = None
        # Reports of bounds are read after each run, which a bound call does not wait for.
        if self.graphs.replayable and self._memory.bounds is None:
            recorded = self.step_by_step.graph(RunRequest(stream, bindings, None))
        compute = lambda: self.persist(bindings)  # noqa: E731
        if recorded is None:
            call = BoundCall(self._device, stream, bindings.leaves, arrays, compute)
            return arrays, call.launch
        run, graph = recorded
        arrays = self._memory.results(run)
        call = BoundCall(self._device, stream, bindings.leaves, arrays, compute, graph, run)
        return call.launch(), call.launch


def _refuse_wrong(bindings: Bindings) -> None:
    """Raise the errors that are known of leaves on devices."""
    for leaf in bindings.leaves:
        if type(leaf.attr) is DeviceLeaf:
            array: Any = leaf.attr.device_array
            array.refuse_wrong()


def _place(leaf: Node) -> str:
    """Return the place of a leaf, for errors."""
    memory = leaf.attr
    return f"on {memory.device_array.device!r}" if type(memory) is DeviceLeaf else "on the host"


def _compile_kernels(
    lowered: LoweredPlan,
    calls: Mapping[Group, DeviceCall],
    kernels: KernelLoader,
    device: driver.Device,
    settings: Config,
) -> Callable[[int, DeviceLowered, tuple[Source, ...]], tuple[KernelCall, ...]]:
    """Compile all sources of a plan; return the function that makes the calls of a kernel."""
    sources = [source for own in lowered.sources for source in own]
    if calls:
        # Imported here: most plans have kernels alone.
        from lazyarr.execution.cuda.rehearsed_kernels import rehearsed_kernels

        sources += rehearsed_kernels(calls, lowered.layouts, settings)
    functions = device.kernels.compile_all(sources, settings)

    def calls_of(
        index: int, kernel: DeviceLowered, own: tuple[Source, ...]
    ) -> tuple[KernelCall, ...]:
        return tuple(
            kernels.call(launch, functions[source])
            for launch, source in zip(kernel.launches, own, strict=True)
        )

    return calls_of
