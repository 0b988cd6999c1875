"""Runs of a plan step after step: kernels, library calls, results in memory of the caller's."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from lazyarr.execution.arguments import ScalarValue, bind, memory_of
from lazyarr.execution.cpu.kernel_sequence import Call, is_writable
from lazyarr.execution.cpu.library_call import call_library
from lazyarr.execution.host_values import HostValues
from lazyarr.execution.launch import RunReporter
from lazyarr.execution.plan import CompiledPlan, CompiledStep, ResultView
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime import run_log
from lazyarr.runtime.cpu import blas_threads
from lazyarr.runtime.cpu.fp_flags import SignalPool, Signals
from lazyarr.runtime.cpu.threads.parallel_for import launch
from lazyarr.runtime.host_memory_pool import SMALL, address_of, pool
from lazyarr.schedule.fusion import Group

if TYPE_CHECKING:
    from lazyarr.execution.executor import Donated

__all__ = ["HostRun", "Outs", "StepByStep", "result_array"]

Array = np.ndarray[Any, Any]
#: The caller's arrays for results; None for one that is to be a new array.
Outs: TypeAlias = Sequence[Array | None] | None


class HostRun:
    """The memory of one run.

    Attributes
    ----------
    addresses : list of int
        Where each base lies.
    scalars : sequence of number
        The values of the scalars.
    bindings : Bindings
        Leaves and scalars as nodes.
    arrays : dict of int to numpy.ndarray
        Bases that are arrays of their own.
    keep : list
        What keeps the other memory alive.
    signals : Signals, optional
        Where kernels report.
    in_use, peak : int
        Bytes held, now and at most.
    """

    __slots__ = (
        "addresses",
        "arrays",
        "bindings",
        "in_use",
        "keep",
        "peak",
        "scalars",
        "signals",
    )

    def __init__(
        self, addresses: list[int], scalars: Sequence[ScalarValue], bindings: Bindings
    ) -> None:
        self.addresses = addresses
        self.scalars = scalars
        self.bindings = bindings
        self.arrays: dict[int, Array] = {}
        self.keep: list[object] = []
        self.signals: Signals | None = None
        self.in_use = 0
        self.peak = 0

    def count(self, nbytes: int) -> None:
        """Count bytes that lazyarr holds, or with a negative number no longer holds."""
        self.in_use += nbytes
        if self.in_use > self.peak:
            self.peak = self.in_use


class StepByStep:
    """Runs any plan.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    threads : int
        How many threads may do one launch.
    signals : SignalPool, optional
        Memory for what the kernels report.
    reporter : RunReporter
        Called after each run.

    Attributes
    ----------
    signals : SignalPool, optional
        As given.
    """

    __slots__ = ("_dead_after", "_plan", "_reporter", "_threads", "signals")

    def __init__(
        self,
        plan: CompiledPlan[Call],
        threads: int,
        signals: SignalPool | None,
        reporter: RunReporter,
    ) -> None:
        self._plan = plan
        self._threads = threads
        self.signals = signals
        self._reporter = reporter
        self._dead_after = plan.dead_after()

    def launch(
        self,
        addresses: list[int],
        scalars: Sequence[ScalarValue],
        bindings: Callable[[], Bindings],
        outs: Outs = None,
        donated: Donated = None,
    ) -> list[Array]:
        """Return the results, in `outs` where given.

        Parameters
        ----------
        addresses : list of int
            Of the leaves; those of the plan's memory are appended.
        scalars : sequence of number
            The values of the scalars.
        bindings : callable
            Returns leaves and scalars as nodes.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write the results.
        donated : mapping of int to numpy.ndarray, optional
            For each leaf that the plan overwrites an array of its memory.
        """
        listening = run_log.listening()
        started = time.perf_counter() if listening else 0.0
        run = HostRun(addresses, scalars, bindings())
        direct = self._allocate(run, outs, donated)
        records: list[run_log.StepRecord] = []
        for step, dead in zip(self._plan.steps, self._dead_after, strict=True):
            begun = time.perf_counter() if listening else 0.0
            if any(call.wakes_blas for call in step.calls):
                with blas_threads.limited(1):
                    self._kernels(run, step)
            elif step.calls:
                self._kernels(run, step)
            elif step.group.kind == "library":
                self._library(run, step.group)
            for base in dead:
                array = run.arrays.pop(base)
                run.count(0 if self._plan.is_part(base) else -array.nbytes)
            if listening:
                seconds = time.perf_counter() - begun
                group, moved = step.group, step.traffic()
                records.append(
                    run_log.StepRecord(group.name, group.kind, seconds, moved.read, moved.written)
                )
        status, signals = self._plan.status, run.signals
        if signals is not None and self.signals is not None:
            if signals.data != self.signals.quiet or status.certain:
                # Nobody reads the intermediates any more.
                run.keep.clear()
                status.follow(run.bindings, signals)
            self.signals.give(signals)
        results = self._results(run, outs, direct)
        if listening:
            seconds = time.perf_counter() - started
            elsewhere = sum(array.nbytes for array in direct.values())
            self._reporter.publish(records, run.peak, seconds, run.bindings, elsewhere)
        self._reporter.first_run = False
        return results

    def _allocate(self, run: HostRun, outs: Outs, donated: Donated) -> dict[int, Array]:
        """Fill in the addresses of everything but adopted memory; return which outs are used."""
        plan = self._plan.memory
        addresses = run.addresses
        direct = {} if outs is None else self._direct_outs(run.bindings, outs)
        arena = 0
        if plan.arena_bytes:
            block = pool.allocate(plan.arena_bytes)
            run.keep.append(block)
            run.count(block.nbytes)
            arena = block.address
        for base, buffer in enumerate(plan.buffers, self._plan.bases.leaf_count):
            if buffer.kind == "output":
                value = buffer.values[-1]
                array = direct.get(base)
                if buffer.donated is not None:
                    array = donated[buffer.donated]  # type: ignore[index]
                elif array is None:
                    nbytes = buffer.nbytes
                    if nbytes < SMALL:
                        array = np.empty(value.shape, value.dtype)
                    else:
                        array = pool.allocate(nbytes).array(value.shape, value.dtype)
                    run.count(nbytes)
                run.arrays[base] = array
                addresses.append(address_of(array))
            else:
                addresses.append(arena + buffer.offset)
        scratch = 0
        if plan.scratch_bytes:
            block = pool.allocate(plan.scratch_bytes)
            run.keep.append(block)
            run.count(block.nbytes)
            scratch = block.address
        addresses.append(scratch)
        if self.signals is not None:
            run.signals = self.signals.take()
            addresses.append(run.signals.address)
        return direct

    def _direct_outs(self, bindings: Bindings, outs: Sequence[Array | None]) -> dict[int, Array]:
        """Return the out= arrays that kernels can write: contiguous, and apart from all inputs."""
        plan = self._plan
        inputs = self._inputs(bindings)
        direct: dict[int, Array] = {}
        for index, (out, result) in enumerate(zip(outs, plan.results, strict=True)):
            if out is None or result.base in direct or not result.is_whole:
                continue
            others = [other for k, other in enumerate(outs) if other is not None and k != index]
            if not is_writable(out, (*inputs, *others)):
                continue
            if plan.memory.buffers[result.base - plan.bases.leaf_count].kind == "output":
                direct[result.base] = out
        return direct

    def _inputs(self, bindings: Bindings) -> list[Array]:
        """Return the memory that a run reads."""
        return [memory_of(leaf).array for leaf in bindings.leaves]

    def _kernels(self, run: HostRun, step: CompiledStep[Call]) -> None:
        for call in step.calls:
            function = call.function
            block = function.pack(*bind(call.template, run.addresses, run.scalars))
            launch(function, block, call.count, self._threads, call.chunk, call.scratch)

    def _library(self, run: HostRun, group: Group) -> None:
        node = group.members[0]
        layout = group.outputs[0].layout
        plan = self._plan
        base = plan.bases.of(layout.owner)
        values = HostValues(
            plan.layouts, plan.bases, run.bindings, run.addresses, run.arrays, run.keep
        )
        operands = [values.array(source) for source in node.src]
        out: Array | None = None
        if layout.owner is not node:  # a part of a concatenation
            out = values.array(node)
        elif node.op.supports_out:
            out = values.stored(base, node)
        shares = plan.is_part(base)
        result = call_library(
            node,
            operands,
            out,
            self._threads,
            lambda: plan.lines.of(run.bindings, node),
            shares=shares,
        )
        if out is not None:
            return
        run.arrays[base] = result
        run.addresses[base] = address_of(result)
        run.count(0 if shares else result.nbytes)

    def _results(self, run: HostRun, outs: Outs, direct: dict[int, Array]) -> list[Array]:
        results: list[Array] = []
        for index, result in enumerate(self._plan.results):
            array = result_array(run.arrays[result.base], result)
            out = None if outs is None else outs[index]
            if out is not None:
                if direct.get(result.base) is not out:
                    np.copyto(out, array)
                array = out
            results.append(array)
        return results


def result_array(memory: Array, result: ResultView) -> Array:
    """Return a result as a view of the memory that holds it.

    Parameters
    ----------
    memory : numpy.ndarray
        The memory.
    result : ResultView
        Where in it the result lies.
    """
    root = result.root
    if not result.is_whole:
        layout = result.layout
        strides = tuple(stride * memory.itemsize for stride in layout.strides)
        return as_strided(memory.reshape(-1)[layout.offset :], root.shape, strides)
    if memory.shape != root.shape or memory.dtype != root.dtype:
        return memory.reshape(root.shape)
    return memory
