"""Runs plans on the processors of the host."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.codegen.launch import (
    Address,
    Argument,
    Bounds,
    Flags,
    Launch,
    Lowered,
    Scratch,
    Status,
)
from lazyarr.core.config import Config
from lazyarr.execution.arguments import Bases, UserLines, make_template, memory_of, scalar_of
from lazyarr.execution.cpu.kernel_sequence import Call, KernelSequence
from lazyarr.execution.cpu.products import product_of
from lazyarr.execution.cpu.step_by_step import Outs, StepByStep
from lazyarr.execution.executor import Donated
from lazyarr.execution.fp_errors.diagnosis import Diagnosis
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.execution.launch import RunReporter
from lazyarr.execution.plan import LoweredPlan, compile_plan
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import ComputedLeaf, Early, Leaf
from lazyarr.loop_ir.source import Source
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.compiler import Function
from lazyarr.runtime.cpu.fp_flags import SignalPool
from lazyarr.runtime.run_log import listeners
from lazyarr.schedule.groups import Group

__all__ = ["CpuExecutor"]

Array = np.ndarray[Any, Any]


class CpuExecutor:
    """Runs a plan again and again, from many threads at once.

    Parameters
    ----------
    lowered : LoweredPlan
        The plan and its sources, which are compiled now.
    threads : int
        Threads of one evaluation.
    settings : Config
        How to compile.

    Attributes
    ----------
    plan : CompiledPlan
        What runs.
    by_address : KernelSequence, optional
        Launches a plan that is nothing but kernels.
    step_by_step : StepByStep
        Launches any plan.
    """

    def __init__(self, lowered: LoweredPlan, threads: int, settings: Config) -> None:
        bases = Bases(lowered.leaf_count, len(lowered.memory.buffers), lowered.memory.home)
        lines = UserLines(lowered.positions)
        status = Reports(len(lowered.memory.steps), lines.of)
        self._reporter = RunReporter(
            lowered.memory.peak_bytes, lowered.trace_seconds, lowered.observed
        )
        before = compiler.info()
        started = time.perf_counter()
        sources = [source for own in lowered.sources for source in own]
        functions = dict(zip(sources, compiler.compile_sources(sources, settings), strict=True))

        def calls_of(index: int, kernels: Lowered, own: tuple[Source, ...]) -> tuple[Call, ...]:
            return tuple(
                _call(launch, functions[source], kernels, index, bases, status)
                for launch, source in zip(kernels.launches, own, strict=True)
            )

        def product_calls(index: int, group: Group) -> tuple[Call, ...]:
            product = None if lowered.tiled else product_of(group, lowered.layouts)
            if product is None:
                return ()
            status.watch_product(index, group.members[0])
            place = _places(bases, status, index, 0)
            template = make_template(product.arguments, place)
            return (Call(product.function, template, product.count, product.count, None),)

        self.plan = compile_plan(lowered, bases, status, lines, calls_of, product_calls)
        self._reporter.compile_seconds = time.perf_counter() - started
        self._reporter.compiled = compiler.info().compiled - before.compiled
        signals = SignalPool(status.nbytes) if status.any else None
        self.step_by_step = StepByStep(self.plan, threads, signals, self._reporter)
        self.by_address = KernelSequence.of(self.plan, threads, signals, self._reporter)

    @property
    def peak_bytes(self) -> int:
        """Bytes of buffers live at once, as the memory plan has it."""
        return self.plan.memory.peak_bytes

    @property
    def donated(self) -> tuple[int, ...]:
        """Numbers of the leaves that results overwrite."""
        return self.plan.memory.donated

    def diagnose_by(self, diagnosis: Diagnosis) -> None:
        """Set the diagnosis by which reports of kernels become errors and warnings."""
        self.plan.status.diagnose_by(diagnosis)
        if diagnosis.certain:
            self.by_address = None

    def run(self, bindings: Bindings, outs: Outs = None) -> list[Array]:
        """Return the results for the leaves and scalars of an expression of this structure.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write the results.
        """
        leaves: list[Any] = bindings.leaves  # whose attr is a Leaf, as memory_of knows
        addresses = [leaf.attr.address for leaf in leaves]
        scalars = [scalar_of(scalar) for scalar in bindings.scalars]
        sequence = self.by_address
        if sequence is not None:
            into = None if outs is None else sequence.targets(outs, _arrays(bindings))
            if outs is None or into is not None:
                results = sequence.launch(addresses, scalars, lambda: bindings, None, into)
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
        targets = [None] * count if outs is None else list(outs)
        values = self.run(bindings, [*targets, *([None] * (len(self.plan.results) - count))])
        leaves: list[Leaf] = []
        for value in values[count:]:
            value.flags.writeable = False
            leaves.append(ComputedLeaf(value, early))
        return values[:count], leaves

    def repeat(self, bindings: Bindings) -> tuple[list[Array], Callable[[], object]]:
        """Return the results, and a function that computes them again in their memory."""
        results = self.run(bindings)
        sequence = self.by_address
        # The host's copy of a device's memory is made anew whenever its address is asked for.
        if sequence is None or any(type(leaf.attr) is DeviceLeaf for leaf in bindings.leaves):
            return results, lambda: self.run(bindings, results)
        into = sequence.targets(results, _arrays(bindings))
        addresses = [memory_of(leaf).address for leaf in bindings.leaves]
        scalars = [scalar_of(scalar) for scalar in bindings.scalars]

        def again() -> object:
            if into is None or listeners():
                return self.run(bindings, results)
            return sequence.launch(addresses.copy(), scalars, lambda: bindings, None, into)

        return results, again


def _arrays(bindings: Bindings) -> list[Array]:
    """Return the leaves of a run as arrays."""
    return [memory_of(leaf).array for leaf in bindings.leaves]


def _call(
    launch: Launch,
    function: Function,
    kernels: Lowered,
    index: int,
    bases: Bases,
    status: Reports,
) -> Call:
    """Return a launch with its code."""
    own = tuple(
        position
        for position, argument in enumerate(launch.arguments)
        if isinstance(argument, Scratch) and argument.own
    )
    return Call(
        function,
        make_template(launch.arguments, _places(bases, status, index, kernels.shared_scratch)),
        launch.count,
        launch.chunk,
        (kernels.worker_scratch, own) if own else None,
    )


def _places(
    bases: Bases, status: Reports, index: int, shared_scratch: int
) -> Callable[[Argument], tuple[int, int]]:
    """Return the function from an address among a step's arguments to its base and offset."""

    def place(argument: Argument) -> tuple[int, int]:
        match argument:
            case Address(owner, offset):
                return bases.of(owner), offset
            case Scratch(offset, is_own):
                return bases.scratch, offset + shared_scratch if is_own else offset
            case Status() | Bounds():
                return bases.status, status.place(argument)
            case Flags():
                return bases.status, status.place_of_flags(index)
        raise AssertionError(argument)

    return place
