"""Plans of kernels and products as plain numbers, run in processes that compile nothing.

A process whose plan is on disk, and its kernels too, has no stage of the compiler to run, nor to
import. What it needs beyond the launches, such as the name of the operation that has met a
floating-point exception, the compiled plan says, which is made when it is first asked for.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.execution.arguments import ArgumentTemplate, memory_of, scalar_of
from lazyarr.execution.cpu.kernel_sequence import Call, KernelSequence, SequenceMemory
from lazyarr.execution.fp_errors.status import DeferredReports, Reports
from lazyarr.execution.launch import RunReporter
from lazyarr.loop_ir.source import Parameter
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.fp_flags import SignalPool, Signals
from lazyarr.runtime.cpu.function import CodeReference, Function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lazyarr.core.config import Config
    from lazyarr.execution.cpu.executor import CpuExecutor
    from lazyarr.execution.executor import Donated
    from lazyarr.execution.fp_errors.diagnosis import Diagnosis
    from lazyarr.graph.node import Early, Leaf
    from lazyarr.passes.canonicalize import Bindings
    from lazyarr.runtime.cpu.blas import Routine

__all__ = ["RestoredExecutor", "SavedPlan"]

Array = np.ndarray[Any, Any]
#: What :mod:`marshal` reads and writes.
Plain = Any


@dataclass(frozen=True, slots=True)
class SavedLaunch:
    """One launch as plain numbers.

    Attributes
    ----------
    code : CodeReference
        The kernel's machine code on disk.
    values, addresses, scalars, parts : tuple
        As of :class:`~lazyarr.execution.arguments.ArgumentTemplate`.
    count, chunk, scratch
        As in :func:`lazyarr.runtime.cpu.threads.parallel_for.launch`.
    blas_work : int
        As of :class:`~lazyarr.execution.cpu.kernel_sequence.Call`. If it is not 0, the first
        argument is the address of BLAS's routine, which each process has elsewhere.
    """

    code: CodeReference
    values: tuple[int | float, ...]
    addresses: tuple[tuple[int, int, int], ...]
    scalars: tuple[tuple[int, int], ...]
    parts: tuple[tuple[int, int, int], ...]
    count: int
    chunk: int
    scratch: tuple[int, tuple[int, ...]] | None
    blas_work: int = 0

    @classmethod
    def of(cls, call: Call) -> SavedLaunch | None:
        """Return a launch as plain numbers; None if its code is not on disk."""
        template, code = call.template, call.function.reference
        values = template.values
        if call.blas_work:
            routine = _routine(code)
            if routine is None or routine.function is not call.function:
                return None
            values = [0, *values[1:]]
        if not code.key or call.parts:
            return None
        arguments = tuple(values), template.addresses, template.scalars, template.parts
        return cls(code, *arguments, call.count, call.chunk, call.scratch, call.blas_work)

    def call(self, function: Function) -> Call:
        """Return the launch with its code."""
        values = list(self.values)
        if self.blas_work:
            routine = _routine(self.code)
            assert routine is not None
            values[0] = routine.address
        template = ArgumentTemplate(values, self.addresses, self.scalars, self.parts)
        return Call(function, template, self.count, self.chunk, self.scratch, self.blas_work)

    def to_plain(self) -> Plain:
        """Return the launch as :mod:`marshal` writes it."""
        code = self.code
        parameters = tuple([(p.name, p.dtype.str, p.pointer) for p in code.parameters])
        template = self.values, self.addresses, self.scalars, self.parts
        work = self.count, self.chunk, self.scratch, self.blas_work
        return (code.key, code.entry, parameters, *template, *work)

    @classmethod
    def from_plain(cls, plain: Plain) -> SavedLaunch:
        """Return a launch that :meth:`to_plain` has written."""
        key, entry, rows, *fields = plain
        parameters = tuple([Parameter(name, np.dtype(kind), ptr) for name, kind, ptr in rows])
        return cls(CodeReference(entry, parameters, key), *fields)


def _routine(code: CodeReference) -> Routine | None:
    """Return the routine of BLAS that code calls, by the dtype of the code's operands."""
    from lazyarr.runtime.cpu.blas import routine  # most plans have no products

    return routine(code.parameters[1].dtype)


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """A plan of kernels and matrix products as plain numbers.

    Attributes
    ----------
    launches : tuple of SavedLaunch
        In order.
    memory : SequenceMemory
        The memory of a run.
    scratch_bytes : int
        Scratch memory that the launches need.
    peak_bytes : int
        Largest total size of live buffers.
    steps : int
        How many steps the plan has.
    report_bytes : int
        Bytes in which the kernels of a run report; 0: they report nothing.
    """

    launches: tuple[SavedLaunch, ...]
    memory: SequenceMemory
    scratch_bytes: int
    peak_bytes: int
    steps: int
    report_bytes: int

    @classmethod
    def of(cls, executor: CpuExecutor) -> SavedPlan | None:
        """Return the plan of an executor; None if it takes more than kernels and products."""
        sequence, plan = executor.by_address, executor.plan
        if sequence is None or sequence.code.parts or plan.memory.donated:
            return None
        calls = [call for step in plan.steps for call in step.calls]
        if [call.function for call in calls] != [function for function, *_ in sequence.code.calls]:
            return None  # code that tuning has exchanged
        of_libraries = [step for step in plan.steps if step.group.kind == "library"]
        if not all(call.blas_work for step in of_libraries for call in step.calls):
            return None
        launches = []
        for call in calls:
            launch = SavedLaunch.of(call)
            if launch is None:
                return None
            launches.append(launch)
        return cls(
            tuple(launches),
            sequence.memory,
            sequence.code.scratch_bytes,
            executor.peak_bytes,
            len(plan.steps),
            sequence.report_bytes,
        )

    def to_bytes(self) -> bytes | None:
        """Return the plan as it is on disk; None where an argument is no plain number."""
        buffers = tuple(
            [
                (shape, None if dtype is None else dtype.str, nbytes, offset)
                for shape, dtype, nbytes, offset, _ in self.memory.buffers
            ]
        )
        memory = buffers, self.memory.order, self.memory.arena_bytes
        launches = tuple([launch.to_plain() for launch in self.launches])
        sizes = self.scratch_bytes, self.peak_bytes, self.steps, self.report_bytes
        plain = launches, memory, *sizes
        try:
            content = marshal.dumps(plain)
        except ValueError:
            return None
        # Of other numbers than Python's it writes bytes.
        return content if marshal.loads(content) == plain else None

    @classmethod
    def from_bytes(cls, content: bytes) -> SavedPlan:
        """Return a plan that :meth:`to_bytes` has written."""
        launches, (rows, order, arena), *sizes = marshal.loads(content)
        buffers = tuple(
            [
                (shape, None if kind is None else np.dtype(kind), nbytes, offset, None)
                for shape, kind, nbytes, offset in rows
            ]
        )
        memory = SequenceMemory(buffers, order, arena)
        return cls(tuple(map(SavedLaunch.from_plain, launches)), memory, *sizes)


class RestoredExecutor:
    """Runs a plan that an earlier process has compiled.

    Parameters
    ----------
    saved : SavedPlan
        The plan.
    functions : sequence of Function
        The code of its launches.
    threads : int
        Threads of one evaluation.
    compiled : callable
        From bindings to the executor of the same plan, compiled in this process.

    Attributes
    ----------
    by_address : KernelSequence
        Launches the plan.
    """

    mixed = sole_call = None
    donated = ()

    def __init__(
        self,
        saved: SavedPlan,
        functions: Sequence[Function],
        threads: int,
        compiled: Callable[[Bindings], CpuExecutor],
    ) -> None:
        self.saved = saved
        self._compiled = compiled
        pairs = zip(saved.launches, functions, strict=True)
        status = DeferredReports(Reports(saved.steps, lambda bindings, node: None), self._follow)
        self.by_address = KernelSequence(
            [launch.call(function) for launch, function in pairs],
            saved.scratch_bytes,
            saved.memory,
            threads,
            SignalPool(saved.report_bytes) if saved.report_bytes else None,
            status,
            RunReporter(saved.peak_bytes, 0.0),
        )

    @classmethod
    def of(
        cls,
        saved: SavedPlan,
        threads: int,
        settings: Config,
        compiled: Callable[[Bindings], CpuExecutor],
    ) -> RestoredExecutor | None:
        """Return the executor of a plan; None if its code is not there any more.

        Parameters
        ----------
        saved : SavedPlan
            The plan.
        threads : int
            Threads of one evaluation.
        settings : Config
            Says where kernels are.
        compiled : callable
            As above.
        """
        kernels = [launch.code for launch in saved.launches if not launch.blas_work]
        loaded = compiler.load_saved(kernels, settings)
        if loaded is None:
            return None
        rest, functions = iter(loaded), []
        for launch in saved.launches:
            routine = _routine(launch.code) if launch.blas_work else None
            if launch.blas_work and routine is None:
                return None
            functions.append(next(rest) if routine is None else routine.function)
        return cls(saved, functions, threads, compiled)

    @property
    def peak_bytes(self) -> int:
        """Largest total size of live buffers in the memory plan, in bytes."""
        return self.saved.peak_bytes

    def compiled(self, bindings: Bindings) -> CpuExecutor:
        """Return the executor of the plan as it is compiled in this process."""
        return self._compiled(bindings)

    def diagnose_by(self, diagnosis: Diagnosis) -> None:
        """Do nothing: the compiled plan has the diagnosis."""

    def run(self, bindings: Bindings, outs: Sequence[Array | None] | None = None) -> list[Array]:
        """Return the results for the leaves and scalars of an expression of this structure.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write the results.
        """
        addresses = [memory_of(leaf).address for leaf in bindings.leaves]
        scalars = [scalar_of(scalar) for scalar in bindings.scalars]
        if outs is None:
            results = self.by_address.launch(addresses, scalars, lambda: bindings)
        else:
            # Imported here, and below: most runs write to new arrays.
            from lazyarr.execution.cpu.sequence_runs import launch_into

            results = launch_into(self.by_address, addresses, scalars, bindings, outs)
        return self.compiled(bindings).run(bindings, outs) if results is None else results

    def run_over(self, bindings: Bindings, donated: Donated) -> list[Array]:
        """Return the results; no plan of this kind overwrites leaves.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        donated : mapping of int to numpy.ndarray, optional
            Nothing.
        """
        return self.run(bindings)

    def persist(self, bindings: Bindings) -> list[Array]:
        """Return the results where they are computed."""
        return self.run(bindings)

    def run_and_keep(
        self, bindings: Bindings, count: int, outs: Sequence[Array | None] | None, early: Early
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
        results = sum(shape is not None for shape, *_ in self.saved.memory.buffers)
        from lazyarr.execution.cpu.sequence_runs import run_and_keep

        return run_and_keep(self.run, bindings, results, count, outs, early)

    def repeat(self, bindings: Bindings) -> tuple[list[Array], Callable[[], object]]:
        """Return the results, and a function that computes them again in their memory."""
        from lazyarr.execution.cpu.sequence_runs import repeat

        return repeat(self.run, self.by_address, bindings)

    def _follow(self, bindings: Bindings, signals: Signals) -> None:
        """Make errors and warnings of what the kernels of a run have reported."""
        compiled = self.compiled(bindings)
        if SavedPlan.of(compiled) == self.saved:
            compiled.plan.status.follow(bindings, signals)
        else:  # its reports lie elsewhere
            signals.data[:] = bytes(len(signals.data))
            compiled.run(bindings)
