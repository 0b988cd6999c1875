"""Runs that are nothing but kernels and products, with all that can be known beforehand worked out.

For some thousand elements the way to a kernel costs more than the kernel, and after a kernel that
has filled the caches each line on that way waits for memory. Most of what
:mod:`lazyarr.execution.cpu.step_by_step` does for a run comes out the same every time where no
other library takes part, each result is an array of its own, and no profiler listens.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from lazyarr.core.addresses import ALIGNMENT, address_of
from lazyarr.core.frozen import dataclass
from lazyarr.execution import tuning
from lazyarr.execution.arguments import ArgumentTemplate, ScalarValue, bind
from lazyarr.execution.launch import RunReporter
from lazyarr.runtime.cpu.blas_threads import limited
from lazyarr.runtime.cpu.fp_flags import SignalPool, Signals
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.threads.parallel_for import Scratch, launch
from lazyarr.runtime.host_memory_pool import SMALL, Block, pool
from lazyarr.runtime.run_log import listeners

if TYPE_CHECKING:
    from lazyarr.execution.cpu.launch_batches import LaunchBatches
    from lazyarr.execution.executor import Donated
    from lazyarr.execution.fp_errors.status import Reports
    from lazyarr.execution.plan import CompiledPlan
    from lazyarr.passes.canonicalize import Bindings
    from lazyarr.schedule.memory import Buffer

__all__ = [
    "BufferRow",
    "Call",
    "KernelSequence",
    "RunMeter",
    "SequenceCode",
    "SequenceMemory",
    "is_writable",
]

Array = np.ndarray[Any, Any]
#: Shape, dtype, bytes and leaf of a result; or, behind None, another buffer's offset in the arena.
BufferRow: TypeAlias = tuple[tuple[int, ...] | None, np.dtype[Any] | None, int, int, int | None]


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """One launch with its code.

    Attributes
    ----------
    function : Function
        The kernel.
    template : ArgumentTemplate
        Its arguments.
    count, chunk, scratch
        As in :func:`lazyarr.runtime.cpu.threads.parallel_for.launch`.
    blas_work : int, optional
        Products of elements of a matrix product that BLAS computes; 0: it does not.
    parts : tuple of Function
        Kernels that the kernel calls.
    """

    function: Function
    template: ArgumentTemplate
    count: int
    chunk: int
    scratch: Scratch | None
    blas_work: int = 0
    parts: tuple[Function, ...] = ()

    @property
    def wakes_blas(self) -> bool:
        """Whether BLAS would wake threads of its own."""
        return self.blas_work > tuning.row().blas_alone


class _Scratch:
    """Scratch memory that is not the pool's: little, and kept for the next run."""

    __slots__ = ("_memory", "address")

    def __init__(self, nbytes: int) -> None:
        self._memory = np.empty(nbytes + ALIGNMENT, np.uint8)
        start = address_of(self._memory)
        self.address = start + -start % ALIGNMENT


@dataclass(frozen=True, eq=False, slots=True)
class SequenceCode:
    """The code of a sequence, which a run reads atomically, so that it can be replaced.

    Attributes
    ----------
    calls : tuple
        One a launch: function, its packing, template, count, chunk, scratch.
    scratch_bytes : int
        Scratch memory that they need.
    spare : deque, optional
        Scratch memory that nobody uses, where that is less than the pool would keep.
    parts : tuple of Function
        Kernels that others call.
    """

    calls: tuple[tuple[Any, ...], ...]
    scratch_bytes: int
    spare: deque[_Scratch] | None
    parts: tuple[Function, ...] = ()

    @classmethod
    def of(cls, calls: Iterable[Call], scratch_bytes: int) -> SequenceCode:
        """Return the code of some launches.

        Parameters
        ----------
        calls : iterable of Call
            In order.
        scratch_bytes : int
            Scratch memory that they need.
        """
        listed = list(calls)
        packed = tuple(
            (call.function, call.function.pack, call.template, call.count, call.chunk, call.scratch)
            for call in listed
        )
        spare: deque[_Scratch] | None = None
        if 0 < scratch_bytes < SMALL:
            spare = deque(maxlen=tuning.row().spare_scratch)
        parts = tuple(part for call in listed for part in call.parts)
        return cls(packed, scratch_bytes, spare, parts)


@dataclass(frozen=True, slots=True)
class SequenceMemory:
    """The memory of the runs of a sequence.

    Attributes
    ----------
    buffers : tuple of BufferRow
        One for each buffer of the plan.
    order : tuple of int, optional
        For each result of the plan, which of the output buffers it is; None: they are in order.
    arena_bytes : int
        Memory of intermediates.
    """

    buffers: tuple[BufferRow, ...]
    order: tuple[int, ...] | None
    arena_bytes: int

    @classmethod
    def of(cls, plan: CompiledPlan[Call], order: Sequence[int]) -> SequenceMemory:
        """Return the memory of a plan.

        Parameters
        ----------
        plan : CompiledPlan
            Every step has calls.
        order : sequence of int
            For each result, which of the output buffers it is.
        """
        shapes = {result.base - plan.bases.leaf_count: result.root.shape for result in plan.results}
        buffers = tuple(
            _buffer_row(buffer, shapes.get(index))
            for index, buffer in enumerate(plan.memory.buffers)
        )
        is_sorted = list(order) == list(range(len(order)))
        return cls(buffers, None if is_sorted else tuple(order), plan.memory.arena_bytes)


class RunMeter(Protocol):
    """Counts the time that a sequence takes."""

    def ran(
        self,
        sequence: KernelSequence,
        seconds: float,
        scalars: Sequence[ScalarValue],
        bindings: Callable[[], Bindings],
    ) -> None:
        """Take in one run.

        Parameters
        ----------
        sequence : KernelSequence
            What ran.
        seconds : float
            From taking memory to the last kernel's end.
        scalars : sequence of number
            The values of the scalars.
        bindings : callable
            Returns leaves and scalars as nodes.
        """


class KernelSequence:
    """The launches of a plan that has nothing else.

    Parameters
    ----------
    calls : sequence of Call
        In order.
    scratch_bytes : int
        Scratch memory that they need.
    memory : SequenceMemory
        The memory of a run.
    threads : int
        How many threads may do one launch.
    signals : SignalPool, optional
        Memory for what the kernels report.
    status : Reports
        Makes errors and warnings of that.
    reporter : RunReporter
        Notes that the plan has run.

    Attributes
    ----------
    code : SequenceCode
        What runs; may be replaced by other code of the same results at any time.
    status : Reports
        What the kernels of a run report.
    wakes_blas : bool
        Whether BLAS would wake threads of its own for a launch.
    meter : RunMeter, optional
        Counts the time of runs that donate nothing.
    """

    __slots__ = (
        "_batches",
        "_least_batched",
        "_reporter",
        "_signals",
        "arena_bytes",
        "buffers",
        "code",
        "memory",
        "meter",
        "status",
        "threads",
        "wakes_blas",
    )

    def __init__(
        self,
        calls: Sequence[Call],
        scratch_bytes: int,
        memory: SequenceMemory,
        threads: int,
        signals: SignalPool | None,
        status: Reports,
        reporter: RunReporter,
    ) -> None:
        self.code = SequenceCode.of(calls, scratch_bytes)
        row = tuning.row()
        self.wakes_blas = any(call.blas_work > row.blas_alone for call in calls)
        self.meter: RunMeter | None = None
        self._least_batched = row.least_batched_launches
        self._batches: tuple[SequenceCode | None, LaunchBatches | None] = (None, None)
        self.threads = threads
        self.memory = memory
        self.buffers, self.arena_bytes = memory.buffers, memory.arena_bytes
        self._signals = signals
        self.status = status
        self._reporter = reporter

    @classmethod
    def of(
        cls,
        plan: CompiledPlan[Call],
        threads: int,
        signals: SignalPool | None,
        reporter: RunReporter,
    ) -> KernelSequence | None:
        """Return the launches of a plan, or None if a run takes anything else.

        Parameters
        ----------
        plan : CompiledPlan
            The plan.
        threads : int
            How many threads may do one launch.
        signals : SignalPool, optional
            Memory for what the kernels report; None: they report nothing.
        reporter : RunReporter
            Notes that the plan has run.
        """
        if not plan.steps or any(not step.calls for step in plan.steps):
            return None
        if any(call.count <= 0 for step in plan.steps for call in step.calls):
            return None
        buffers = plan.memory.buffers
        outputs = [k for k, buffer in enumerate(buffers) if buffer.kind == "output"]
        order = []
        for result in plan.results:
            index = result.base - plan.bases.leaf_count
            if not result.is_whole or index not in outputs:
                return None
            value, root = buffers[index].values[-1], result.root
            # The same elements in C order may have another shape; a donated array has its own.
            is_shaped = value.shape == root.shape or buffers[index].donated is None
            if not is_shaped or value.size != root.size or value.dtype != root.dtype:
                return None
            order.append(outputs.index(index))
        if sorted(order) != list(range(len(outputs))):
            return None
        calls = [call for step in plan.steps for call in step.calls]
        memory = SequenceMemory.of(plan, order)
        scratch = plan.memory.scratch_bytes
        return cls(calls, scratch, memory, threads, signals, plan.status, reporter)

    def launch(
        self,
        addresses: list[int],
        scalars: Sequence[ScalarValue],
        bindings: Callable[[], Bindings],
        donated: Donated = None,
        into: Sequence[Array] | None = None,
    ) -> list[Array] | None:
        """Return the results; None if the run is profiled.

        Parameters
        ----------
        addresses : list of int
            Of the leaves; those of the plan's memory are appended.
        scalars : sequence of number
            The values of the scalars.
        bindings : callable
            Returns leaves and scalars as nodes; called if the kernels report anything.
        donated : mapping of int to numpy.ndarray, optional
            For each leaf that the plan overwrites an array of its memory.
        into : sequence of numpy.ndarray, optional
            Where to write them, as :meth:`targets` returns it; default: new arrays.
        """
        if listeners():
            return None
        meter = self.meter
        started = 0.0 if meter is None else perf_counter()
        code = self.code
        scratch_bytes, spare = code.scratch_bytes, code.spare
        results: list[Array] = []
        arena = pool.allocate(self.arena_bytes) if self.arena_bytes else None
        start = 0 if arena is None else arena.address
        for shape, dtype, nbytes, offset, leaf in self.buffers:
            if shape is None:
                addresses.append(start + offset)
                continue
            if leaf is not None:
                result = donated[leaf]  # type: ignore[index]
            elif into is not None:
                result = into[len(results)]
            elif nbytes < SMALL:
                result = np.empty(shape, dtype)
            else:
                result = pool.allocate(nbytes).array(shape, dtype)  # type: ignore[arg-type]
            results.append(result)
            addresses.append(address_of(result))
        scratch = _take_scratch(scratch_bytes, spare) if scratch_bytes else None
        addresses.append(0 if scratch is None else scratch.address)
        pooled = self._signals
        if pooled is not None:
            signals = pooled.take()
            addresses.append(signals.address)
        if self.wakes_blas:
            with limited(1):
                self._call_all(code, addresses, scalars)
        else:
            self._call_all(code, addresses, scalars)
        if pooled is not None:
            if signals.data != pooled.quiet:
                if self.status.is_silent(signals.data):
                    signals.data[:] = pooled.quiet
                else:
                    # Nobody reads the intermediates any more.
                    del arena
                    self.status.follow(bindings(), signals)
            pooled.give(signals)
        if type(scratch) is _Scratch:
            spare.append(scratch)  # type: ignore[union-attr]
        if meter is not None and donated is None:
            meter.ran(self, perf_counter() - started, scalars, bindings)
        self._reporter.first_run = False
        order = self.memory.order
        return results if order is None else [results[k] for k in order]

    def _call_all(
        self,
        code: SequenceCode,
        addresses: list[int],
        scalars: Sequence[ScalarValue],
    ) -> None:
        threads, calls = self.threads, code.calls
        if len(calls) >= self._least_batched:
            batches = self._launch_batches(code)
            if batches is not None:
                batches.run(addresses, scalars, threads)
                return
        for function, pack, template, count, chunk, own in calls:
            block = pack(*bind(template, addresses, scalars))
            launch(function, block, count, threads, chunk, own)

    def _launch_batches(self, code: SequenceCode) -> LaunchBatches | None:
        """Return the launches of a code, bound together, once it has run: most plans run once."""
        if self._reporter.first_run:
            return None
        own, batches = self._batches
        if own is not code:
            # Imported here: most plans are one launch.
            from lazyarr.execution.cpu.launch_batches import LaunchBatches

            batches = LaunchBatches.of(code.calls)
            self._batches = (code, batches)
        return batches

    @property
    def report_bytes(self) -> int:
        """Bytes in which the kernels of a run report; 0: they report nothing."""
        return 0 if self._signals is None else len(self._signals.quiet)

    def place_of(self, output: int) -> int:
        """Return the number of the result that lies in an output buffer.

        Parameters
        ----------
        output : int
            Which of them.
        """
        order = self.memory.order
        return output if order is None else order.index(output)

    def follow(self, data: bytes, bindings: Callable[[], Bindings]) -> None:
        """Raise errors and issue warnings from the reports of the kernels of a run.

        Parameters
        ----------
        data : bytes
            The report.
        bindings : callable
            Returns leaves and scalars of the run as nodes.
        """
        if self.status.is_silent(data[: self.report_bytes]):
            return
        signals = Signals(self.report_bytes)
        signals.data[:] = data[: self.report_bytes]
        self.status.follow(bindings(), signals)

    def targets(
        self, outs: Sequence[Array | None], inputs: Sequence[Array]
    ) -> Sequence[Array] | None:
        """Return arrays in the order of the plan's buffers; None if kernels cannot write them.

        Parameters
        ----------
        outs : sequence of (numpy.ndarray or None)
            One for each result, of its shape and dtype.
        inputs : sequence of numpy.ndarray
            What the kernels read.
        """
        arrays: list[Array] = []
        for out in outs:
            if out is None or not is_writable(out, (*inputs, *arrays)):
                return None
            arrays.append(out)
        order = self.memory.order
        return arrays if order is None else [arrays[order.index(k)] for k in range(len(arrays))]


def _take_scratch(nbytes: int, spare: deque[_Scratch] | None) -> _Scratch | Block:
    if spare is None:
        return pool.allocate(nbytes)
    try:
        return spare.pop()
    except IndexError:
        return _Scratch(nbytes)


def is_writable(out: Array, others: Iterable[Array]) -> bool:
    """Return whether kernels can write an array: contiguous, and apart from others.

    Parameters
    ----------
    out : numpy.ndarray
        The array.
    others : iterable of numpy.ndarray
        What is read or written meanwhile.
    """
    if not (out.flags.carray and out.dtype.isnative):
        return False
    return not any(np.may_share_memory(out, other) for other in others)


def _buffer_row(buffer: Buffer, shape: tuple[int, ...] | None) -> BufferRow:
    """Return the row of a buffer; a result has a shape."""
    if buffer.kind != "output":
        return None, None, 0, buffer.offset, None
    return shape, buffer.values[-1].dtype, buffer.nbytes, 0, buffer.donated
