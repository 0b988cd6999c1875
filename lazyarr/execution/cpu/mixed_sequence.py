"""Runs of kernels and library calls, with all that can be known beforehand worked out.

What :mod:`lazyarr.execution.cpu.step_by_step` does around a library's function takes longer than
the function does on some thousand elements: operands are viewed, arguments put together, limits set
and taken back. A sequence views what lies at an address once, as the memory of a plan is at the
same place in the next run as a rule, and sets limits once a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.addresses import ALIGNMENT, address_of
from lazyarr.core.shapes import contiguous_strides
from lazyarr.execution.arguments import ScalarValue, bind
from lazyarr.execution.cpu.kernel_sequence import Call
from lazyarr.execution.cpu.library_call import ERROR_STATE, strict_state
from lazyarr.execution.cpu.library_step import LibraryStep, library_step
from lazyarr.execution.cpu.repeated_runs import exposed, is_brief
from lazyarr.execution.cpu.step_by_step import result_array
from lazyarr.execution.fp_errors.policy import FaultLog, collecting_faults
from lazyarr.execution.host_values import view_at
from lazyarr.execution.launch import RunReporter, blame
from lazyarr.execution.plan import CompiledPlan
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu import blas_threads
from lazyarr.runtime.cpu.fp_flags import SignalPool, Signals
from lazyarr.runtime.cpu.threads.parallel_for import launch
from lazyarr.runtime.host_memory_pool import SMALL, Block, pool
from lazyarr.runtime.run_log import listeners
from lazyarr.schedule.groups import Layout

if TYPE_CHECKING:
    from lazyarr.execution.executor import Donated

__all__ = ["MixedSequence"]

Array = np.ndarray[Any, Any]


class MixedSequence:
    """The steps of a plan that has kernels and library calls.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    steps : sequence
        For each step of the plan its library call, or None.
    threads : int
        How many threads may do one launch, or one library call.
    signals : SignalPool, optional
        Memory for what the kernels report.
    reporter : RunReporter
        Called after each run of the plan.

    Attributes
    ----------
    plan, threads, signals
        As given.
    steps : tuple
        For each step its library call or None, its launches, and the bases that are dead then.
    copies : tuple of (int, int, Node)
        Leaves that a step overwrites before the last library call, which another run would not
        find as they were: number, offset of the copy in the arena, and a value of its layout.
    is_quick : bool
        Whether the steps are quick, and may be run twice.
    """

    __slots__ = (
        "_buffers",
        "_reporter",
        "_spare",
        "copies",
        "is_quick",
        "plan",
        "signals",
        "steps",
        "threads",
    )

    def __init__(
        self,
        plan: CompiledPlan[Call],
        steps: Sequence[LibraryStep | None],
        threads: int,
        signals: SignalPool | None,
        reporter: RunReporter,
    ) -> None:
        self.plan = plan
        self.threads = threads
        self.signals = signals
        self._reporter = reporter
        self.steps = tuple(
            (library, tuple([_launch_of(call) for call in step.calls]), dead)
            for step, library, dead in zip(plan.steps, steps, plan.dead_after(), strict=True)
        )
        self._buffers = tuple(
            (buffer.offset, None, None, 0, None)
            if buffer.kind != "output"
            else (0, value.shape, value.dtype, buffer.nbytes, buffer.donated)
            for buffer, value in [(buffer, buffer.values[-1]) for buffer in plan.memory.buffers]
        )
        memory = plan.memory
        calls = {k: library.node for k, library in enumerate(steps) if library is not None}
        offsets = dict(memory.copies)
        of_leaves = exposed(memory.buffers, max(calls, default=-1))
        self.copies = tuple(
            (buffer.donated, offsets[buffer.donated], buffer.values[-1])
            for buffer in of_leaves
            if buffer.donated in offsets
        )
        is_brief_run = is_brief(memory.buffers, list(calls.values()))
        self.is_quick = is_brief_run and len(self.copies) == len(of_leaves)
        nbytes = sum(buffer.nbytes for buffer in memory.buffers)
        #: Small memory of runs before: values lie at the same addresses as a rule.
        self._spare: list[Array] | None = None
        if nbytes < SMALL and memory.arena_bytes + memory.scratch_bytes < SMALL:
            self._spare = []

    @classmethod
    def of(
        cls,
        plan: CompiledPlan[Call],
        threads: int,
        signals: SignalPool | None,
        reporter: RunReporter,
    ) -> MixedSequence | None:
        """Return the steps of a plan, or None if a library call takes a number of the run.

        Parameters
        ----------
        plan, threads, signals, reporter
            As of the class.
        """
        steps: list[LibraryStep | None] = []
        for step in plan.steps:
            library = None
            if not step.calls and step.group.kind == "library":
                library = library_step(plan, step)
                if library is None:
                    return None
            steps.append(library)
        return cls(plan, steps, threads, signals, reporter)

    def launch(
        self,
        addresses: list[int],
        scalars: Sequence[ScalarValue],
        bindings: Callable[[], Bindings],
        donated: Donated = None,
    ) -> list[Array] | None:
        """Return the results; None if the run is profiled.

        Parameters
        ----------
        addresses : list of int
            Of the leaves; those of the plan's memory are appended.
        scalars : sequence of number
            The values of the scalars.
        bindings : callable
            Returns leaves and scalars as nodes, for errors and warnings.
        donated : mapping of int to numpy.ndarray, optional
            For each leaf that the plan overwrites an array of its memory.
        """
        if listeners():
            return None
        plan, pooled, count = self.plan, self.signals, len(addresses)
        arrays: dict[int, Array] | None = None
        if self.is_quick:
            token = ERROR_STATE.set(strict_state())
            try:
                arrays, signals = self._run(addresses, scalars, bindings, donated, None)
            except FloatingPointError:
                del addresses[count:]
            finally:
                ERROR_STATE.reset(token)
        if arrays is None:
            with collecting_faults() as log:
                arrays, signals = self._run(addresses, scalars, bindings, donated, log)
            if log is not None and log.faults:
                log.report(lambda node: plan.lines.of(bindings(), node))
        if pooled is not None and signals is not None:
            if plan.status.is_silent(signals.data):
                signals.data[:] = pooled.quiet
            else:
                plan.status.follow(bindings(), signals)
            pooled.give(signals)
        self._reporter.first_run = False
        return [result_array(arrays[result.base], result) for result in plan.results]

    def _run(
        self,
        addresses: list[int],
        scalars: Sequence[ScalarValue],
        bindings: Callable[[], Bindings],
        donated: Donated,
        log: FaultLog | None,
    ) -> tuple[dict[int, Array], Signals | None]:
        """Return the memory of the results and the reports of the kernels."""
        memory, pooled = self.plan.memory, self.signals
        own: Array | None = None
        blocks: list[Block] = []  # memory of the run
        if self._spare is not None:
            try:
                own = self._spare.pop()
            except IndexError:
                own = np.empty(memory.arena_bytes + memory.scratch_bytes + 2 * ALIGNMENT, np.uint8)
            start = -(-address_of(own) // ALIGNMENT) * ALIGNMENT
            scratch = -(-(start + memory.arena_bytes) // ALIGNMENT) * ALIGNMENT
        else:
            start = scratch = 0
            if memory.arena_bytes:
                blocks.append(pool.allocate(memory.arena_bytes))
                start = blocks[-1].address
            if memory.scratch_bytes:
                blocks.append(pool.allocate(memory.scratch_bytes))
                scratch = blocks[-1].address
        arrays: dict[int, Array] = {}
        for offset, shape, dtype, nbytes, leaf in self._buffers:
            if shape is None:
                addresses.append(start + offset)
                continue
            if leaf is not None:
                array = donated[leaf]  # type: ignore[index]
            elif nbytes < SMALL:
                array = np.empty(shape, dtype)
            else:
                array = pool.allocate(nbytes).array(shape, dtype)  # type: ignore[arg-type]
            arrays[len(addresses)] = array
            addresses.append(address_of(array))
        addresses.append(scratch)
        signals = None
        if pooled is not None:
            signals = pooled.take()
            addresses.append(signals.address)
        before: list[tuple[Array, Array]] = []
        if log is None and donated:
            for leaf, offset, value in self.copies:
                layout = Layout(value, 0, contiguous_strides(value.shape))
                before.append((donated[leaf], view_at(start + offset, value, layout, None)))
                np.copyto(before[-1][1], donated[leaf])
        try:
            with blas_threads.limited(self.threads):
                self._take_steps(addresses, scalars, arrays, bindings, log)
        except FloatingPointError:
            for array, values in before:
                np.copyto(array, values)
            raise
        if own is not None and self._spare is not None:
            self._spare.append(own)
        return arrays, signals

    def _take_steps(
        self,
        addresses: list[int],
        scalars: Sequence[ScalarValue],
        arrays: dict[int, Array],
        bindings: Callable[[], Bindings],
        log: FaultLog | None,
    ) -> None:
        threads = self.threads
        for library, calls, dead in self.steps:
            if library is not None:
                if log is not None:
                    log.node = library.node
                try:
                    library.run(addresses, arrays, scalars)
                except Exception as error:
                    blame(error, library.node, self.plan.lines.of(bindings(), library.node))
                    raise
            for wakes_blas, function, pack, template, count, chunk, own in calls:
                block = pack(*bind(template, addresses, scalars))
                if wakes_blas:
                    with blas_threads.limited(1):
                        launch(function, block, count, threads, chunk, own)
                else:
                    launch(function, block, count, threads, chunk, own)
            for base in dead:
                del arrays[base]


def _launch_of(call: Call) -> tuple[Any, ...]:
    """Return a launch as a run reads it."""
    function = call.function
    wakes_blas = call.wakes_blas
    return wakes_blas, function, function.pack, call.template, call.count, call.chunk, call.scratch
