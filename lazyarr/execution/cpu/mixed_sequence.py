"""Runs of kernels and library calls, with all that can be known beforehand worked out.

What :mod:`lazyarr.execution.cpu.step_by_step` does around a library's function takes longer than
the function does on some thousand elements: operands are viewed, arguments put together, limits set
and taken back. A sequence views what lies at an address once, as the memory of a plan is at the
same place in the next run as a rule, and sets limits once a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.addresses import ALIGNMENT, address_of
from lazyarr.core.shapes import contiguous_strides
from lazyarr.errors import ContractError
from lazyarr.execution import tuning
from lazyarr.execution.arguments import ScalarValue, bind, constant_of
from lazyarr.execution.cpu.kernel_sequence import Call
from lazyarr.execution.cpu.library_call import (
    ERROR_STATE,
    STRICT,
    is_repeatable,
    strict_state,
)
from lazyarr.execution.cpu.step_by_step import result_array
from lazyarr.execution.fp_errors.policy import FaultLog, collecting_faults
from lazyarr.execution.host_values import view_at
from lazyarr.execution.launch import RunReporter, blame
from lazyarr.execution.plan import CompiledPlan, CompiledStep
from lazyarr.graph.node import Kind, Node
from lazyarr.ops.library import Call as Arguments
from lazyarr.ops.library import Slot, thaw
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu import blas_threads
from lazyarr.runtime.cpu.fp_flags import SignalPool, Signals
from lazyarr.runtime.cpu.threads.parallel_for import launch
from lazyarr.runtime.host_memory_pool import SMALL, Block, pool
from lazyarr.runtime.run_log import listeners
from lazyarr.schedule.groups import Layout, layout_of

if TYPE_CHECKING:
    from lazyarr.execution.executor import Donated

__all__ = ["MixedSequence"]

Array = np.ndarray[Any, Any]


class _Operand:
    """A value as an array, given where the memory of a run lies.

    Parameters
    ----------
    node : Node
        The value.
    base : int
        The number of its memory.
    layout : Layout
        Where it lies in there.
    """

    __slots__ = ("_base", "_is_whole", "_layout", "_node", "_offset", "_seen")

    def __init__(self, node: Node, base: int, layout: Layout) -> None:
        self._node = node
        self._base = base
        self._layout = layout
        owner = layout.owner
        self._offset = layout.offset * owner.dtype.itemsize
        steps = contiguous_strides(node.shape)
        self._is_whole = not layout.offset and layout.strides == steps and owner.size == node.size
        #: The last address, and what was seen there. Nothing reads memory by it that is not the
        #: run's: addresses are compared.
        self._seen: tuple[int, Array | None] = (-1, None)

    @property
    def row(self) -> tuple[int, int, tuple[Any, ...]]:
        """Its base, the offset there, and its layout, as calls in C take them."""
        node = self._node
        strides = tuple(stride * node.dtype.itemsize for stride in self._layout.strides)
        return self._base, self._offset, (node.dtype, node.shape, strides, 0)

    def array(self, addresses: Sequence[int], arrays: dict[int, Array]) -> Array:
        """Return the value of this run.

        Parameters
        ----------
        addresses : sequence of int
            Where each base lies.
        arrays : dict of int to numpy.ndarray
            Bases that are arrays of their own.
        """
        node = self._node
        if self._is_whole:
            own = arrays.get(self._base)
            if own is not None and own.dtype == node.dtype:
                return own if own.shape == node.shape else own.reshape(node.shape)
        address = addresses[self._base] + self._offset
        last, seen = self._seen
        if last != address or seen is None:
            seen = view_at(address, node, self._layout, None)
            self._seen = (address, seen)
        return seen


class _LibraryStep:
    """A library call of a plan.

    Parameters
    ----------
    node : Node
        What it computes.
    operands : sequence of _Operand or numpy.ndarray
        Its sources; constants as arrays.
    base : int
        The number of the memory of the result.
    out : _Operand, optional
        Where the function writes it; None: to memory of its own.
    """

    __slots__ = (
        "_args",
        "_base",
        "_function",
        "_is_pooled",
        "_keywords",
        "_operands",
        "_out",
        "node",
    )

    def __init__(
        self, node: Node, operands: Sequence[_Operand | Array], base: int, out: _Operand | None
    ) -> None:
        self.node = node
        self._operands = tuple(operands)
        self._base = base
        self._out = out
        call = node.attr
        self._function: Callable[..., Any] | None = None
        self._args: list[Any] = []
        self._keywords: dict[str, Any] = {}
        if node.op.calls is not None and isinstance(call, Arguments) and _is_flat(call):
            self._function = node.op.calls
            self._args = [x if type(x) is Slot else thaw(x, ()) for x in call.args]
            self._keywords = {key: thaw(value, ()) for key, value in call.keywords}
        is_large = out is None and node.nbytes >= SMALL
        self._is_pooled = is_large and node.op.fills_out and self._function is not None

    @property
    def row(self) -> tuple[Any, ...]:
        """The call as calls in C take it: function, values, names, operands, and the result."""
        node = self.node
        if self._function is None:
            function: Callable[..., Any] = partial(node.op.evaluate, node)
            arguments: list[Any] = [Slot(k) for k in range(len(self._operands))]
        else:
            function, arguments = self._function, self._args
        values = [*arguments, *self._keywords.values()]
        operands = []
        for position, value in enumerate(values):
            if type(value) is Slot:
                operand = self._operands[value.index]
                if type(operand) is _Operand:
                    operands.append((position, *operand.row))
                values[position] = operand
        names = tuple(self._keywords)
        if self._out is not None:
            operands.append((len(values), *self._out.row))
            values.append(None)
            names = (*names, "out")
        result = node.dtype, node.shape, (0,) * node.ndim, 0
        writes = self._out is not None
        return function, tuple(values), names, tuple(operands), writes, self._base, result

    def run(self, addresses: list[int], arrays: dict[int, Array]) -> None:
        """Compute the value.

        Parameters
        ----------
        addresses : list of int
            Where each base lies; that of memory of its own is brought up to date.
        arrays : dict of int to numpy.ndarray
            Bases that are arrays of their own.
        """
        operands = [
            x.array(addresses, arrays) if type(x) is _Operand else x for x in self._operands
        ]
        node, function = self.node, self._function
        keywords: dict[str, Any] = {}
        if self._out is not None:
            keywords["out"] = out = self._out.array(addresses, arrays)
        elif self._is_pooled:
            # The pool has pages that were written before; those of a new array are not there yet.
            keywords["out"] = out = pool.allocate(node.nbytes).array(node.shape, node.dtype)
        if function is None:
            result = node.op.evaluate(node, *operands, **keywords)
        else:
            args = [operands[x.index] if type(x) is Slot else x for x in self._args]
            result = function(*args, **self._keywords, **keywords)
        if keywords and result is out:
            if self._out is None:
                arrays[self._base] = out
                addresses[self._base] = address_of(out)
            return
        result = np.asarray(result)
        if result.shape != node.shape:
            raise ContractError(f"{node} evaluated to shape {result.shape}")
        if self._out is not None:
            np.copyto(out, result, casting="unsafe")
            return
        # An array that is no view shares memory with nothing before it but itself.
        is_view = result.base is not None
        is_own = not any(
            result is x or (is_view and np.may_share_memory(result, x)) for x in operands
        )
        if result.dtype != node.dtype or not result.flags.c_contiguous or not is_own:
            result = np.array(result, node.dtype, order="C")
        elif not result.flags.writeable:
            result = result.copy()
        arrays[self._base] = result
        addresses[self._base] = address_of(result)


def _is_flat(call: Arguments) -> bool:
    """Whether arrays are arguments of a call and are not within others."""
    values = [*call.args, *(value for _, value in call.keywords)]
    slots = sum(type(value) is Slot for value in call.args)
    return slots == _count_of_slots(values)


def _count_of_slots(values: Sequence[Any]) -> int:
    """Return the number of arrays among arguments and within them."""
    return sum(
        1 if type(value) is Slot else _count_of_slots(getattr(value, "items", ()))
        for value in values
    )


class MixedSequence:
    """The steps of a plan that has kernels and library calls.

    Parameters
    ----------
    plan : CompiledPlan
        The plan; it overwrites no leaves.
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
    is_quick : bool
        Whether the steps are quick, and may be run twice.
    """

    __slots__ = (
        "_buffers",
        "_reporter",
        "_spare",
        "is_quick",
        "plan",
        "signals",
        "steps",
        "threads",
    )

    def __init__(
        self,
        plan: CompiledPlan[Call],
        steps: Sequence[_LibraryStep | None],
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
            (buffer.offset, None, None, 0)
            if buffer.kind != "output"
            else (0, buffer.values[-1].shape, buffer.values[-1].dtype, buffer.nbytes)
            for buffer in plan.memory.buffers
        )
        memory = plan.memory
        calls = [library.node for library in steps if library is not None]
        nbytes = sum(buffer.nbytes for buffer in memory.buffers)
        is_quick = nbytes < tuning.row().repeatable_bytes and STRICT is not None
        self.is_quick = is_quick and all(map(is_repeatable, calls))
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
        if plan.memory.donated:
            return None
        steps: list[_LibraryStep | None] = []
        for step in plan.steps:
            library = None
            if not step.calls and step.group.kind == "library":
                library = _library_step(plan, step)
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
            Has to be None.
        """
        if listeners() or donated is not None:
            return None
        plan, pooled, count = self.plan, self.signals, len(addresses)
        arrays: dict[int, Array] | None = None
        if self.is_quick:
            # To have NumPy raise takes less time than to have it keep account of what it meets.
            token = ERROR_STATE.set(strict_state())
            try:
                arrays, signals = self._run(addresses, scalars, bindings, None)
            except FloatingPointError:
                del addresses[count:]
            finally:
                ERROR_STATE.reset(token)
        if arrays is None:
            with collecting_faults() as log:
                arrays, signals = self._run(addresses, scalars, bindings, log)
            if log is not None and log.faults:
                log.report(lambda node: plan.lines.of(bindings(), node))
        if pooled is not None and signals is not None:
            if signals.data != pooled.quiet or plan.status.certain:
                plan.status.follow(bindings(), signals)
            pooled.give(signals)
        self._reporter.first_run = False
        return [result_array(arrays[result.base], result) for result in plan.results]

    def _run(
        self,
        addresses: list[int],
        scalars: Sequence[ScalarValue],
        bindings: Callable[[], Bindings],
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
        for offset, shape, dtype, nbytes in self._buffers:
            if shape is None:
                addresses.append(start + offset)
                continue
            if nbytes < SMALL:
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
        with blas_threads.limited(self.threads):
            self._take_steps(addresses, scalars, arrays, bindings, log)
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
                    library.run(addresses, arrays)
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


def _library_step(plan: CompiledPlan[Call], step: CompiledStep[Call]) -> _LibraryStep | None:
    """Return the library call of a step; None if it takes a number of the run."""
    node = step.group.members[0]
    operands: list[_Operand | Array] = []
    for source in node.src:
        operand = _operand(plan, source)
        if operand is None:
            return None
        operands.append(operand)
    layout = step.group.outputs[0].layout
    base = plan.bases.of(layout.owner)
    out: _Operand | None = None
    if layout.owner is not node:  # a part of a concatenation
        out = _Operand(node, base, layout)
        if not node.op.supports_out:
            return None
    elif node.op.supports_out:
        out = _Operand(node, base, Layout(node, 0, contiguous_strides(node.shape)))
    return _LibraryStep(node, operands, base, out)


def _operand(plan: CompiledPlan[Call], source: Node) -> _Operand | Array | None:
    """Return a source of a library call; None if it is a number of the run."""
    layout = layout_of(source, plan.layouts)
    if layout is not None:
        return _Operand(source, plan.bases.of(layout.owner), layout)
    base = source
    while base.op.kind is Kind.VIEW and base not in plan.layouts:
        base = base.src[0]
    if base.op.kind is Kind.PARAMETER:
        return None
    return np.broadcast_to(constant_of(Bindings([], [], [], ()), base), source.shape)
