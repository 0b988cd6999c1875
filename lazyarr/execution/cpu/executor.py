"""Runs plans on the processors of the host."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.codegen.launch import Lowered
from lazyarr.core.config import Config
from lazyarr.execution.arguments import Bases, UserLines, memory_of, scalar_of
from lazyarr.execution.cpu.calls import call_of, compiled_functions
from lazyarr.execution.cpu.kernel_sequence import Call, KernelSequence, SequenceCode
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.execution.launch import RunReporter
from lazyarr.execution.plan import CompiledPlan, LoweredKernels, LoweredPlan, compile_plan
from lazyarr.graph.node import Early, Leaf
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.loop_ir.source import Source
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.fp_flags import SignalPool
from lazyarr.runtime.cpu.threads.native_pool import missing_code
from lazyarr.runtime.run_log import listeners
from lazyarr.schedule.groups import Group

if TYPE_CHECKING:
    from lazyarr.execution.cpu.library_call import SoleCall
    from lazyarr.execution.cpu.mixed_sequence import MixedSequence
    from lazyarr.execution.cpu.step_by_step import Outs, StepByStep
    from lazyarr.execution.executor import Donated
    from lazyarr.execution.fp_errors.diagnosis import Diagnosis

__all__ = ["CpuExecutor", "compiled_plan"]

Array = np.ndarray[Any, Any]


class CpuExecutor:
    """Runs a plan repeatedly, from many threads concurrently.

    Parameters
    ----------
    plan : CompiledPlan
        What runs.
    threads : int
        Threads of one evaluation.
    signals : SignalPool, optional
        Memory for what the kernels report.
    reporter : RunReporter
        Keeps count of runs.
    observable : callable, optional
        From bindings to an executor of the same expression whose runs may be profiled; None: this.

    Attributes
    ----------
    plan : CompiledPlan
        What runs.
    by_address : KernelSequence, optional
        Launches a plan that is nothing but kernels.
    mixed : MixedSequence, optional
        Launches a plan that has library calls, too.
    sole_call : SoleCall, optional
        The plan, if it is nothing but one call of a library.
    """

    def __init__(
        self,
        plan: CompiledPlan[Call],
        threads: int,
        signals: SignalPool | None,
        reporter: RunReporter,
        observable: Callable[[Bindings], CpuExecutor] | None = None,
    ) -> None:
        self.plan = plan
        self._reporter = reporter
        self._observable = observable
        self._threads, self.signals = threads, signals
        self.by_address = KernelSequence.of(plan, threads, signals, reporter)
        if self.by_address is not None and any(step.group.kind == "library" for step in plan.steps):
            # Imported here: most plans are kernels.
            from lazyarr.execution.cpu.interleaving import interleaved

            calls = interleaved(plan, threads)
            self.by_address.code = SequenceCode.of(calls, plan.memory.scratch_bytes)
        self.sole_call: SoleCall | None = None
        self.mixed: MixedSequence | None = None
        if self.by_address is None and _calls_libraries(plan):
            from lazyarr.execution.cpu.mixed_sequence import MixedSequence

            self.mixed = MixedSequence.of(plan, threads, signals, reporter)
        if len(plan.steps) == 1 and not plan.steps[0].calls:
            # Imported here: most plans are kernels.
            from lazyarr.execution.cpu.library_call import SoleCall

            self.sole_call = SoleCall.of(plan, threads, reporter)

    @classmethod
    def compiled(cls, lowered: LoweredPlan, threads: int, settings: Config) -> CpuExecutor:
        """Return the executor of a plan, whose sources are compiled now.

        Parameters
        ----------
        lowered : LoweredPlan
            The plan and its sources.
        threads : int
            Threads of one evaluation.
        settings : Config
            How to compile.
        """
        plan, signals, reporter = compiled_plan(lowered, threads, settings)
        return cls(plan, threads, signals, reporter)

    @cached_property
    def step_by_step(self) -> StepByStep:
        """The launch strategy that takes any plan."""
        # Imported here: most plans are launched by their addresses.
        from lazyarr.execution.cpu.step_by_step import StepByStep

        return StepByStep(self.plan, self._threads, self.signals, self._reporter)

    @property
    def peak_bytes(self) -> int:
        """Largest total size of live buffers in the memory plan, in bytes."""
        return self.plan.memory.peak_bytes

    @property
    def donated(self) -> tuple[int, ...]:
        """Numbers of the leaves that results overwrite."""
        return self.plan.memory.donated

    def diagnose_by(self, diagnosis: Diagnosis) -> None:
        """Set the diagnosis by which reports of kernels become errors and warnings."""
        self.plan.status.diagnose_by(diagnosis)
        if diagnosis.certain:
            self.by_address = self.mixed = None

    def run(self, bindings: Bindings, outs: Outs = None) -> list[Array]:
        """Return the results for the leaves and scalars of an expression of this structure.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write the results.
        """
        if self._observable is not None and listeners():
            return self._observable(bindings).run(bindings, outs)
        leaves: list[Any] = bindings.leaves  # whose attr is a Leaf, as memory_of knows
        if (
            self.sole_call is not None
            and outs is None
            and not listeners()
            and StreamedLeaf not in [type(leaf.attr) for leaf in leaves]
        ):
            arrays = [leaf.attr.array for leaf in leaves]
            return [self.sole_call.run(arrays, lambda: bindings)]
        addresses = [leaf.attr.address for leaf in leaves]
        scalars = [scalar_of(scalar) for scalar in bindings.scalars]
        sequence = self.by_address
        if sequence is not None:
            if outs is None:
                results = sequence.launch(addresses, scalars, lambda: bindings)
            else:
                # Imported here, and below: most runs write to new arrays.
                from lazyarr.execution.cpu.sequence_runs import launch_into

                results = launch_into(sequence, addresses, scalars, bindings, outs)
            if results is not None:
                return results
        if self.mixed is not None and outs is None:
            results = self.mixed.launch(addresses.copy(), scalars, lambda: bindings)
            if results is not None:
                return results
        return self.step_by_step.launch(addresses, scalars, lambda: bindings, outs)

    def run_over(self, bindings: Bindings, donated: Donated) -> list[Array]:
        """Return the results, some of them in the memory of leaves.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        donated : mapping of int to numpy.ndarray, optional
            For each leaf that the plan overwrites a writable array of its memory.
        """
        addresses = [memory_of(leaf).address for leaf in bindings.leaves]
        scalars = [scalar_of(scalar) for scalar in bindings.scalars]
        sequence = self.by_address
        if sequence is not None:
            results = sequence.launch(addresses, scalars, lambda: bindings, donated)
            if results is not None:
                return results
        if self.mixed is not None:
            results = self.mixed.launch(addresses.copy(), scalars, lambda: bindings, donated)
            if results is not None:
                return results
        return self.step_by_step.launch(addresses, scalars, lambda: bindings, None, donated)

    def persist(self, bindings: Bindings) -> list[Array]:
        """Return the results where they are computed."""
        return self.run(bindings)

    def run_and_keep(
        self, bindings: Bindings, count: int, outs: Outs, early: Early
    ) -> tuple[list[Array], list[Leaf]]:
        """Return the first `count` results, and leaves of the others for expressions to begin with.

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
        results = len(self.plan.results)
        from lazyarr.execution.cpu.sequence_runs import run_and_keep

        return run_and_keep(self.run, bindings, results, count, outs, early)

    def repeat(self, bindings: Bindings) -> tuple[list[Array], Callable[[], object]]:
        """Return the results, and a function that computes them again in their memory."""
        from lazyarr.execution.cpu.sequence_runs import repeat

        return repeat(self.run, self.by_address, bindings)


def _calls_libraries(plan: CompiledPlan[Call]) -> bool:
    """Return whether a step is a function of a library's, which kernels do not compute."""
    return any(not step.calls and step.group.kind == "library" for step in plan.steps)


def _is_shared(kernels: LoweredKernels) -> bool:
    """Return whether a launch has work for several threads."""
    launches = kernels.launches if isinstance(kernels, Lowered) else ()
    return any(launch.count > launch.chunk for launch in launches)


def compiled_plan(
    lowered: LoweredPlan, threads: int, settings: Config
) -> tuple[CompiledPlan[Call], SignalPool | None, RunReporter]:
    """Return a plan with its code, memory for reports of its kernels, and the reporter of its runs.

    Parameters
    ----------
    lowered : LoweredPlan
        The plan and its sources, which are compiled now.
    threads : int
        Threads of one evaluation.
    settings : Config
        How to compile.
    """
    bases = Bases(lowered.leaf_count, len(lowered.memory.buffers), lowered.memory.home)
    lines = UserLines(lowered.positions)
    status = Reports(len(lowered.memory.steps), lines.of)
    reporter = RunReporter(lowered.memory.peak_bytes, lowered.trace_seconds, lowered.observed)
    before = compiler.compiled_count()
    started = time.perf_counter()
    elements = [prod(kernels.group.domain) for kernels in lowered.lowered]
    supports = missing_code() if threads > 1 and any(map(_is_shared, lowered.lowered)) else ()
    functions = compiled_functions(lowered.sources, settings, elements, supports)

    def calls_of(index: int, kernels: Lowered, own: tuple[Source, ...]) -> tuple[Call, ...]:
        return tuple(
            call_of(launch, functions[source], kernels, index, bases, status)
            for launch, source in zip(kernels.launches, own, strict=True)
        )

    def calls_of_library(index: int, group: Group) -> tuple[Call, ...]:
        if lowered.tiled:
            return ()
        # Imported here: most plans are kernels alone.
        from lazyarr.execution.cpu.library_launches import library_calls

        return library_calls(group, index, lowered.layouts, bases, status, threads)

    plan = compile_plan(lowered, bases, status, lines, calls_of, calls_of_library)
    reporter.compile_seconds = time.perf_counter() - started
    reporter.compiled = compiler.compiled_count() - before
    signals = SignalPool(status.nbytes) if status.any else None
    return plan, signals, reporter
