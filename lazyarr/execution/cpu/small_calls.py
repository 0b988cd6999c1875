"""Calls of traced functions with kernels so short that the overhead dominates.

Of some hundred elements a kernel takes half a microsecond, and ten lines of Python before it take
five; of some ten thousand they take as long as the kernel. A :class:`SmallCall` is those lines in
C: it compares the layouts of the arguments, allocates the results, and runs the kernels, long ones
on the pool of threads. It returns None for every call that it was not made for. Where it was not
built, or ``LAZYARR_COMPILED=0`` asks for Python's form, which is the reference, there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.frozen import dataclass
from lazyarr.core.hashing import compiled_form
from lazyarr.execution.arguments import ArgumentTemplate, ScalarValue, bind_scalars
from lazyarr.execution.cpu.kernel_sequence import KernelSequence, SequenceCode
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu.blas_threads import limited
from lazyarr.runtime.cpu.threads.native_pool import NativePool, current_pool
from lazyarr.runtime.host_memory_pool import SMALL, pool

__all__ = [
    "COMPILED",
    "FORM",
    "NO_RECORDS",
    "Binding",
    "Interface",
    "Layout",
    "PackedLoop",
    "Records",
    "SmallCall",
    "block_of",
    "is_call_of",
    "iterated",
    "limited_call",
    "packed_loop",
    "small_call",
]

Array = np.ndarray[Any, Any]
#: Returns leaves and scalars of a call as nodes.
Binding: TypeAlias = Callable[[Sequence[Array]], Bindings]
#: Of an array: dtype, shape, strides, and which bits of its address must be 0.
Layout: TypeAlias = tuple[np.dtype[Any], tuple[int, ...], tuple[int, ...], int]

#: Returns a traced function's result for the arguments of a call, or None.
SmallCall: TypeAlias = Callable[..., Any]

#: Where a base lies: as in the C source.
ARGUMENT, ADDRESS, RESULT, MEMORY, STATUS = range(5)
#: What the C source has room for: arguments, results, bases, words of a kernel and of reports;
#: axes; and of libraries calls and the values of one.
MOST_ARGUMENTS, MOST_RESULTS, MOST_BASES, MOST_WORDS, MOST_STATUS = 256, 256, 1024, 512, 512
MOST_AXES, MOST_LIBRARIES, MOST_VALUES = 32, 256, 64
#: Bytes of a result from which on the C library takes its pages from the system: those are pooled.
LARGEST_RESULT = 2 * SMALL
#: Bytes of a word: of a kernel's parameter, and of reports.
WORD = 8
#: The entrance of a pool, where the calling thread runs all kernels.
NO_POOL = (None, 0, 0, 1, None, None)


def _extension() -> Any:
    from lazyarr.execution.cpu import _small_calls

    return _small_calls


#: The extension module; None if Python's form runs.
COMPILED, FORM = compiled_form(_extension, __file__)


if COMPILED is not None:
    COMPILED.install(pool.result, pool.allocate, current_pool, perf_counter)


class Interface(NamedTuple):
    """The interface between a plan and a traced function: arguments and results of its calls.

    Attributes
    ----------
    leaves : tuple of (int, int)
        For each leaf the number of an argument and which bits of its address must be 0, or -1
        and the address of an array that is always the same.
    scalars : tuple of number
        The values of the scalars, the same in every call.
    bindings : callable
        Returns leaves and scalars of a call as nodes.
    finish : callable, optional
        Returns the function's result from the list of the plan's results; None: the plan has one
        result, which is the function's.
    protected : tuple of (int, int)
        First and last address of arrays that must share no memory with an argument that a result
        overwrites.
    """

    leaves: tuple[tuple[int, int], ...]
    scalars: tuple[ScalarValue, ...]
    bindings: Binding
    finish: Callable[[list[Any]], Any] | None
    protected: tuple[tuple[int, int], ...] = ()

    def layouts(self, arguments: Sequence[Array]) -> tuple[Layout, ...]:
        """Return the layouts of the arguments of a call, which those of later ones must have."""
        unaligned = [0] * len(arguments)
        for number, value in self.leaves:
            if number >= 0:
                unaligned[number] |= value
        return tuple(
            (array.dtype, array.shape, array.strides, mask)
            for array, mask in zip(arguments, unaligned, strict=True)
        )


def small_call(
    sequence: KernelSequence, layouts: tuple[Layout, ...], interface: Interface
) -> SmallCall | None:
    """Return the small call of a sequence; None if it is none, or C's form is not there.

    Parameters
    ----------
    sequence : KernelSequence
        Its launches.
    layouts : tuple of tuple
        Of the arguments, from :meth:`Interface.layouts`.
    interface : Interface
        Of the function.
    """
    if COMPILED is None:
        return None
    call = _Form(sequence, layouts, interface).call()
    if call is None or not sequence.wakes_blas:
        return call
    return partial(limited_call, 1, call)


def limited_call(threads: int, call: SmallCall, *arguments: Any, **keywords: Any) -> Any:
    """Return the result of a call during which BLAS takes so many threads.

    Parameters
    ----------
    threads : int
        How many.
    call : callable
        The call.
    *arguments, **keywords
        What it takes.
    """
    with limited(threads):
        return call(*arguments, **keywords)


class Records(NamedTuple):
    """The arrays in which a loop records a value of each iteration, along their first axis.

    Attributes
    ----------
    stacks : tuple of (numpy.ndarray, int)
        Each array with the position of the state whose value at the beginning of an iteration it
        records, or -1: it records the next value that an iteration returns behind the states.
    is_backward : bool
        Whether the first iteration is recorded last.
    """

    stacks: tuple[tuple[Array, int], ...] = ()
    is_backward: bool = False


#: A loop that records nothing.
NO_RECORDS = Records()


def iterated(
    call: Callable[..., Any],
    numbers: tuple[int, int],
    operands: tuple[Array, ...],
    width: int,
    records: Records = NO_RECORDS,
    *,
    is_conditional: bool = False,
) -> tuple[int, Sequence[Array], bool]:
    """Run iterations in C, each with the results of the one before, as long as that is possible.

    Parameters
    ----------
    call : callable
        A small call that returns a tuple: the states, and what else an iteration returns.
    numbers : (int, int)
        The number of the first iteration, and how many there are.
    operands : tuple of numpy.ndarray
        Its states, invariants, and last the index, a scalar int64 that is overwritten.
    width : int
        How many are states.
    records : Records, optional
        The values that are recorded; default: none.
    is_conditional : bool, optional
        Whether the last result is a bool, which ends the loop if it is false.

    Returns
    -------
    tuple
        The number of the iteration that is to be run otherwise, or how many there are; the states;
        and whether the condition asks for it.
    """
    threads = call.args[0] if isinstance(call, partial) else None
    inner = _in_c(call)
    if inner is None:
        return numbers[0], operands[:width], True
    stacks, is_backward = records.stacks, records.is_backward
    arguments = (*numbers, operands, width, stacks, is_backward, is_conditional)
    result: tuple[int, Sequence[Array], bool]
    if threads is None:
        result = inner.iterate(*arguments)
    else:
        result = limited_call(threads, inner.iterate, *arguments)
    return result


class PackedLoop(NamedTuple):
    """The bytes to which a loop's last states and recorded values are written.

    Attributes
    ----------
    memory : numpy.ndarray
        Bytes, or none of them.
    starts : tuple of int
        The first byte of each state that is written.
    stacks : tuple of (int, int, int)
        Of each value that is recorded its first byte, the bytes of an iteration, and the position
        of the state, or -1, as of :class:`Records`.
    is_backward : bool
        Whether the first iteration is recorded last.
    """

    memory: Array
    starts: tuple[int, ...] = ()
    stacks: tuple[tuple[int, int, int], ...] = ()
    is_backward: bool = False


def packed_loop(
    call: Callable[..., Any],
    count: int,
    operands: tuple[Array, ...],
    width: int,
    packed: PackedLoop,
) -> tuple[int, Sequence[Array]]:
    """Run a loop in C from its first iteration, as far as that is possible.

    Parameters
    ----------
    call : callable
        As of :func:`iterated`.
    count : int
        The number of iterations, at least one.
    operands : tuple of numpy.ndarray
        The states and invariants, of any layouts.
    width : int
        How many are states.
    packed : PackedLoop
        The place of what is computed; states are written at the end alone.

    Returns
    -------
    tuple
        The number of the iteration that is to be run otherwise, or `count`; and the states.
    """
    inner = _in_c(call)
    if inner is None:
        return 0, operands[:width]
    arguments = (count, operands, width, *packed)
    result: tuple[int, Sequence[Array]]
    if isinstance(call, partial):
        result = limited_call(call.args[0], inner.pack, *arguments)
    else:
        result = inner.pack(*arguments)
    return result


def is_call_of(call: Callable[..., Any] | None, arrays: tuple[Array, ...]) -> bool:
    """Return whether arrays are laid out as the arguments of a small call.

    Parameters
    ----------
    call : callable, optional
        The call.
    arrays : tuple of numpy.ndarray
        Its arguments.
    """
    inner = _in_c(call)
    return inner is not None and inner.takes(arrays)


def _in_c(call: Callable[..., Any] | None) -> Any:
    """Return the object of C's form that makes a call; None if none does."""
    inner = call.args[1] if isinstance(call, partial) else call
    return inner if COMPILED is not None and type(inner) is COMPILED.SmallCall else None


@dataclass(frozen=True, eq=False, slots=True)
class _Form:
    """The form of a sequence's small calls, the same for any code."""

    sequence: KernelSequence
    layouts: tuple[Layout, ...]
    interface: Interface

    def call(self) -> SmallCall | None:
        """Return the call with the sequence's present code; None: C has no room for it."""
        sequence, interface = self.sequence, self.interface
        leaves, finish = interface.leaves, interface.finish
        code = sequence.code
        bases = [(ADDRESS, value) if number < 0 else (ARGUMENT, number) for number, value in leaves]
        results: list[tuple[Any, ...]] = []
        donors: list[int] = []
        for shape, dtype, nbytes, offset, leaf in sequence.buffers:
            if shape is None:
                bases.append((MEMORY, offset))
                continue
            bases.append((RESULT, sequence.place_of(len(results))))
            is_large = leaf is None and nbytes >= LARGEST_RESULT
            row = dtype, shape, (0,) * len(shape), 0
            results.append((*row, (nbytes, shape, dtype)) if is_large else row)
            donors.append(-1 if leaf is None else leaves[leaf][0])
        start_of_scratch = -(-sequence.arena_bytes // ALIGNMENT) * ALIGNMENT
        bases += [(MEMORY, start_of_scratch), (STATUS, 0)]
        steps, workers, helpers = self._steps(code)
        words = -(-sequence.report_bytes // WORD)
        if (
            len(self.layouts) > MOST_ARGUMENTS
            or len(results) > MOST_RESULTS
            or len(bases) > MOST_BASES
            or words > MOST_STATUS
            or any(len(block) > WORD * MOST_WORDS for _, _, block, *_ in steps)
            or any(len(shape) > MOST_AXES for _, shape, *_ in (*self.layouts, *results))
            or (workers is None and any(call[3] > call[4] for call in code.calls))
        ):
            return None
        order = [place for kind, place in bases if kind == RESULT]
        donated = tuple(donors[order.index(k)] for k in range(len(donors)))
        small: SmallCall = COMPILED.SmallCall(
            self.layouts,
            tuple(results[order.index(k)] for k in range(len(results))),
            tuple(bases),
            tuple(steps),
            start_of_scratch + code.scratch_bytes,
            words,
            helpers,
            NO_POOL if workers is None else workers.entrance,
            sequence,
            code,
            self.call,
            partial(_ran, sequence, interface.bindings, interface.scalars),
            partial(_report, sequence, interface.bindings),
            finish,
            (code, finish),
            donated if any(number >= 0 for number in donated) else (),
            interface.protected,
            (),
            sequence.status.loud(sequence.report_bytes, WORD * words),
        )
        return small

    def _steps(self, code: SequenceCode) -> tuple[list[tuple[Any, ...]], NativePool | None, int]:
        """Return the launches, the pool that some of them take, and how many of its workers."""
        threads, helpers = self.sequence.threads, 0
        steps: list[tuple[Any, ...]] = []
        workers: NativePool | None = None
        for function, pack, template, count, chunk, scratch in code.calls:
            block, places = block_of(pack, template, self.interface.scalars)
            descriptor = bytearray()
            if count > chunk and (workers := current_pool()) is not None:
                helpers = max(helpers, min(threads, -(-count // chunk)) - 1)
                words = len(block) // WORD
                descriptor = workers.descriptor(
                    function.address, words, count, threads, chunk, scratch
                )
            steps.append((function.address, count, block, places, descriptor))
        return steps, workers, helpers


def _ran(
    sequence: KernelSequence,
    bindings: Binding,
    scalars: Sequence[ScalarValue],
    arguments: tuple[Array, ...],
    began: float,
) -> None:
    """Count the time of a call that has ended."""
    meter = sequence.meter
    if meter is not None:
        meter.ran(sequence, perf_counter() - began, scalars, partial(bindings, arguments))


def _report(
    sequence: KernelSequence, bindings: Binding, arguments: tuple[Array, ...], data: bytes
) -> None:
    """Raise errors and issue warnings from the reports of the kernels of a call."""
    sequence.follow(data, lambda: bindings(arguments))


def block_of(
    pack: Callable[..., bytes], template: ArgumentTemplate, scalars: Sequence[ScalarValue]
) -> tuple[bytes, tuple[tuple[int, int, int], ...]]:
    """Return the arguments of a launch, addresses 0, and where addresses go.

    Parameters
    ----------
    pack : callable
        Packs arguments.
    template : ArgumentTemplate
        Of the launch.
    scalars : sequence of number
        The values of the scalars.
    """
    return pack(*bind_scalars(template, scalars)), template.addresses
