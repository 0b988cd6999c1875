"""Calls of traced functions that are short kernels and calls of libraries, in C.

They are small calls, some of whose steps call a function: its operands are views of the memory of
the call. Python's form (:mod:`lazyarr.execution.cpu.mixed_sequence`) answers where NumPy meets
anything that it would warn of, or raises an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.frozen import dataclass
from lazyarr.execution import tuning
from lazyarr.execution.arguments import ScalarValue
from lazyarr.execution.cpu.library_call import (
    ERROR_STATE,
    STRICT,
    USUAL,
    USUAL_QUIET,
    USUAL_STRICT,
    is_order_statistic,
    strict_now,
)
from lazyarr.execution.cpu.library_rows import PART_LENGTH, OwnMemory
from lazyarr.execution.cpu.mixed_sequence import MixedSequence
from lazyarr.execution.cpu.small_calls import (
    ADDRESS,
    ARGUMENT,
    COMPILED,
    LARGEST_RESULT,
    MEMORY,
    MOST_ARGUMENTS,
    MOST_AXES,
    MOST_BASES,
    MOST_LIBRARIES,
    MOST_RESULTS,
    MOST_STATUS,
    MOST_VALUES,
    MOST_WORDS,
    NO_POOL,
    RESULT,
    STATUS,
    WORD,
    Binding,
    Interface,
    Layout,
    SmallCall,
    block_of,
    limited_call,
)
from lazyarr.execution.executor import LaunchByAddress
from lazyarr.execution.plan import ResultView
from lazyarr.graph.node import Node
from lazyarr.ops.library import (
    ORDERS,
    Call,
    nonempty,
    scatter,
    selected,
    sorted_part,
    summed_at,
    unpack,
)
from lazyarr.ops.loop_records import loop_body
from lazyarr.runtime.cpu.fp_flags import Signals
from lazyarr.runtime.cpu.threads.native_pool import current_pool

__all__ = ["mixed_call"]

Array = np.ndarray[Any, Any]

#: Modules whose functions wake no threads of BLAS.
_WITHOUT_BLAS = frozenset(("numpy.fft",))
#: Functions of :mod:`lazyarr.ops.library` that compute no products.
_OWN_WITHOUT_BLAS = frozenset((scatter, summed_at, unpack, selected, sorted_part, nonempty))

if COMPILED is not None and STRICT is not None:
    COMPILED.install_state(ERROR_STATE, strict_now, USUAL, USUAL_STRICT, USUAL_QUIET)


def mixed_call(
    sequence: LaunchByAddress,
    layouts: tuple[Layout, ...],
    interface: Interface,
) -> SmallCall | None:
    """Return the small call of a sequence; None if it is none, or C's form is not there.

    Parameters
    ----------
    sequence : LaunchByAddress
        Its steps.
    layouts : tuple of tuple
        Of the arguments, from :meth:`Interface.layouts`.
    interface : Interface
        Of the function.
    """
    if COMPILED is None or not isinstance(sequence, MixedSequence) or not sequence.is_quick:
        return None
    plan = sequence.plan
    memory = plan.memory
    leaves, scalars, finish = interface.leaves, interface.scalars, interface.finish
    order = _order(plan.results, [buffer.kind for buffer in memory.buffers], len(leaves))
    if order is None:
        return None
    bases, results = _memory_of(sequence, leaves, order)
    donors, restored = _donors(sequence, leaves, order)
    start_of_scratch = -(-memory.arena_bytes // ALIGNMENT) * ALIGNMENT
    bases += [(MEMORY, start_of_scratch), (STATUS, 0)]
    own = OwnMemory(bases, start_of_scratch + memory.scratch_bytes)
    steps: list[tuple[Any, ...]] = []
    takes_threads = wakes_blas = False
    libraries = helpers = 0
    for library, calls, _ in sequence.steps:
        if library is not None:
            row = own.row_of(library, scalars, donors)
            steps.append(row)
            if len(row) > PART_LENGTH:
                libraries += 1
                begins = memory.buffers[library.base - len(leaves)].values[0]
                result = results[order.index(library.base)] if library.base in order else None
                if not _is_computed(row, library.node is begins, result):
                    return None
                takes_threads |= _takes_threads(library.node)
        launches = _launches(calls, scalars, sequence.threads)
        if launches is None:
            return None
        steps += launches.steps
        helpers = max(helpers, launches.helpers)
        wakes_blas |= launches.wakes_blas
    if wakes_blas and takes_threads and sequence.threads > 1:
        return None  # BLAS has one thread for kernels, and several for calls
    report_bytes = 0 if sequence.signals is None else len(sequence.signals.quiet)
    words = -(-report_bytes // WORD)
    shapes = [shape for _, shape, *_ in (*layouts, *results.values())]
    if (
        len(layouts) > MOST_ARGUMENTS
        or len(results) > MOST_RESULTS
        or len(bases) > MOST_BASES
        or libraries > MOST_LIBRARIES
        or words > MOST_STATUS
        or any(len(shape) > MOST_AXES for shape in shapes)
        or any(k >= 0 and layouts[k][1] != results[r][1] for r, k in enumerate(donors))
    ):
        return None
    workers = current_pool() if helpers else None
    small: SmallCall = COMPILED.SmallCall(
        layouts,
        tuple(results[k] for k in range(len(results))),
        tuple(bases),
        tuple(steps),
        own.nbytes,
        words,
        helpers,
        NO_POOL if workers is None else workers.entrance,
        None,
        None,
        None,
        None,
        partial(_report, sequence, interface.bindings),
        finish,
        (sequence, finish),
        donors,
        interface.protected,
        restored,
        plan.status.loud(report_bytes, WORD * words),
    )
    if wakes_blas:
        return partial(limited_call, 1, small)
    return partial(limited_call, sequence.threads, small) if takes_threads else small


def _is_computed(row: tuple[Any, ...], begins: bool, result: tuple[Any, ...] | None) -> bool:
    """Return whether C runs a library call, and its result is that of the plan.

    Parameters
    ----------
    row : tuple
        The call.
    begins : bool
        Whether it computes the first value in its memory.
    result : tuple, optional
        The layout of the result of the plan that lies there.
    """
    *_, writes, _, _, layout, _ = row
    if not writes and (not begins or (result is not None and not _is_like(result, layout))):
        return False  # other elements are made of it in its place
    return len(row[1]) <= MOST_VALUES


def _is_like(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Return whether layouts have the same elements in C order, of any shape."""
    return bool(one[0] == other[0] and prod(one[1]) == prod(other[1]))


def _takes_threads(node: Node) -> bool:
    """Return whether a library's function may compute on several threads of BLAS."""
    function = node.op.calls
    if loop_body(node) is not None:
        return False  # each iteration bounds the threads of BLAS
    if getattr(function, "__module__", "") in _WITHOUT_BLAS or function in _OWN_WITHOUT_BLAS:
        return False
    if function in ORDERS or is_order_statistic(function):
        return False
    if function is not np.matmul or not isinstance(node.attr, Call):
        return True
    return node.size * node.src[0].shape[-1] > tuning.row().blas_alone


def _memory_of(
    sequence: MixedSequence, leaves: Sequence[tuple[int, int]], order: Sequence[int]
) -> tuple[list[tuple[int, int]], dict[int, tuple[Any, ...]]]:
    """Return the bases of the leaves and buffers, and the results by number."""
    plan = sequence.plan
    bases = [(ADDRESS, value) if number < 0 else (ARGUMENT, number) for number, value in leaves]
    results: dict[int, tuple[Any, ...]] = {}
    for buffer in plan.memory.buffers:
        if len(bases) not in order:
            bases.append((MEMORY, buffer.offset))
            continue
        number = order.index(len(bases))
        root = plan.results[number].root
        results[number] = (root.dtype, root.shape, (0,) * root.ndim, 0)
        if root.nbytes >= LARGEST_RESULT and buffer.kind == "output":
            results[number] += ((root.nbytes, root.shape, root.dtype),)
        bases.append((RESULT, number))
    return bases, results


def _donors(
    sequence: MixedSequence, leaves: Sequence[tuple[int, int]], order: Sequence[int]
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Return the argument in whose memory each result lies, and the results restored.

    An argument is -1 where a result has memory of its own; there are none if all have. A result is
    restored if a library call may fail after it was written, which then is run again: it is beside
    the offset of a copy of the argument.
    """
    buffers = sequence.plan.memory.buffers
    donated = [buffers[base - len(leaves)].donated for base in order]
    if all(leaf is None for leaf in donated):
        return (), ()
    restored = [(donated.index(leaf), offset) for leaf, offset, _ in sequence.copies]
    return tuple(-1 if leaf is None else leaves[leaf][0] for leaf in donated), tuple(restored)


@dataclass(frozen=True, slots=True)
class _Launches:
    """Kernels of a step as C launches them.

    Attributes
    ----------
    steps : list of tuple
        One for each launch.
    helpers : int
        Workers of the pool that they take.
    wakes_blas : bool
        Whether BLAS would wake threads of its own for one.
    """

    steps: list[tuple[Any, ...]]
    helpers: int
    wakes_blas: bool


def _launches(
    calls: Sequence[tuple[Any, ...]], scalars: Sequence[ScalarValue], threads: int
) -> _Launches | None:
    """Return the launches of a step; None if C has no room for one, or no threads."""
    steps: list[tuple[Any, ...]] = []
    helpers = 0
    wakes_blas = False
    for wakes, function, pack, template, count, chunk, scratch in calls:
        block, places = block_of(pack, template, scalars)
        wakes_blas |= wakes
        if len(block) > WORD * MOST_WORDS:
            return None
        descriptor = bytearray()
        if threads > 1 and count > chunk:
            workers = current_pool()
            if workers is None:
                return None
            helpers = max(helpers, min(threads, -(-count // chunk)) - 1)
            words = len(block) // WORD
            launch = function.address, words, count, threads, chunk, scratch
            descriptor = workers.descriptor(*launch)
        if count > 0:
            steps.append((function.address, count, block, places, descriptor))
    return _Launches(steps, helpers, wakes_blas)


def _order(results: Sequence[ResultView], kinds: Sequence[str], leaves: int) -> list[int] | None:
    """Return the bases of the results, each a whole buffer of its own; None if one is not."""
    bases = [result.base for result in results]
    own = [
        leaves + k
        for k, kind in enumerate(kinds)
        if kind == "output" or (kind == "adopted" and leaves + k in bases)
    ]
    if sorted(bases) != own or not all(result.is_whole for result in results):
        return None
    return bases


def _report(
    sequence: MixedSequence, bindings: Binding, arguments: tuple[Array, ...], data: bytes
) -> None:
    """Raise errors and issue warnings from the reports of the kernels of a call."""
    assert sequence.signals is not None
    size, status = len(sequence.signals.quiet), sequence.plan.status
    if status.is_silent(data[:size]):
        return
    signals = Signals(size)
    signals.data[:] = data[:size]
    status.follow(bindings(arguments), signals)
