"""Calls of traced functions whose kernels are so short that the way to them is what they cost.

Of some hundred elements a kernel takes half a microsecond, and ten lines of Python before it take
five. A :class:`SmallCall` is those lines in C: it compares the layouts of the arguments, allocates
the results, and runs the kernels in the calling thread. It returns None for every call that it was
not made for. Where it was not built, or ``LAZYARR_COMPILED=0`` asks for Python's form, which is the
reference, there is none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.hashing import sources_digest
from lazyarr.execution.arguments import ArgumentTemplate, ScalarValue
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.runtime.host_memory_pool import SMALL

__all__ = ["COMPILED", "FORM", "Report", "SmallCall", "small_call"]

Array = np.ndarray[Any, Any]
#: Takes the arguments of a call and what its kernels have reported; makes errors and warnings.
Report: TypeAlias = Callable[[tuple[Any, ...], bytes], object]

#: Returns a traced function's result for the arguments of a call, or None.
SmallCall: TypeAlias = Callable[..., Any]

#: Where a base lies: as in the C source.
ARGUMENT, ADDRESS, RESULT, MEMORY, STATUS = range(5)
#: What the C source has room for: arguments, results, bases, words of a kernel and of reports.
MOST_ARGUMENTS, MOST_RESULTS, MOST_BASES, MOST_WORDS, MOST_STATUS = 32, 16, 64, 128, 32
MOST_AXES = 32
#: Bytes of a result from which on the C library takes its pages from the system: those are pooled.
LARGEST_RESULT = 2 * SMALL
#: Bytes of a word: of a kernel's parameter, and of reports.
WORD = 8


def _load() -> tuple[Any, str]:
    """Return the extension module, or None, and which form it is and why."""
    if os.environ.get("LAZYARR_COMPILED", "1") == "0":
        return None, "Python (LAZYARR_COMPILED=0)"
    try:
        from lazyarr.execution.cpu import _small_calls
    except ImportError as error:
        return None, f"Python ({error})"
    if sources_digest(__file__) != _small_calls.SOURCE:
        return None, "Python (the compiled form is one of other sources: install again)"
    return _small_calls, "compiled"


#: The extension module; None if Python's form runs.
COMPILED, FORM = _load()


def small_call(
    sequence: KernelSequence,
    arguments: Sequence[Array],
    leaves: Sequence[tuple[int, int]],
    scalars: Sequence[ScalarValue],
    report: Report,
    finish: Callable[[list[Any]], Any] | None,
) -> SmallCall | None:
    """Return the small call of a sequence; None if it is none, or C's form is not there.

    Parameters
    ----------
    sequence : KernelSequence
        Its launches.
    arguments : sequence of numpy.ndarray
        Of a call: later ones have their dtypes, shapes and strides.
    leaves : sequence of (int, int)
        For each leaf the number of an argument and which bits of its address must be 0, or -1
        and the address of an array that is always the same.
    scalars : sequence of number
        The values of the scalars, the same in every call.
    report : callable
        Called with the arguments and a report that says anything.
    finish : callable, optional
        Makes what the function returns of the list of results; default: there is one, and it is
        that.
    """
    code = sequence.code
    if (
        COMPILED is None
        or sequence.has_products
        or sequence.meter is not None
        or any(count > chunk for _, _, _, count, chunk, _ in code.calls)
        or sequence.arena_bytes + code.scratch_bytes >= SMALL
    ):
        return None
    unaligned = [0] * len(arguments)
    bases: list[tuple[int, int]] = []
    for number, value in leaves:
        if number < 0:
            bases.append((ADDRESS, value))
        else:
            unaligned[number] |= value
            bases.append((ARGUMENT, number))
    results: list[tuple[Any, tuple[int, ...], tuple[int, ...], int]] = []
    for shape, dtype, nbytes, offset, leaf in sequence.buffers:
        if shape is None:
            bases.append((MEMORY, offset))
        elif leaf is not None or nbytes >= LARGEST_RESULT:
            return None
        else:
            bases.append((RESULT, sequence.place_of(len(results))))
            results.append((dtype, shape, (0,) * len(shape), 0))
    start_of_scratch = -(-sequence.arena_bytes // ALIGNMENT) * ALIGNMENT
    bases += [(MEMORY, start_of_scratch), (STATUS, 0)]
    steps = [
        (function.address, count, *_block(pack, template, scalars))
        for function, pack, template, count, _, _ in code.calls
    ]
    layouts = [
        (array.dtype, array.shape, array.strides, mask)
        for array, mask in zip(arguments, unaligned, strict=True)
    ]
    words = -(-sequence.report_bytes // WORD)
    if (
        len(layouts) > MOST_ARGUMENTS
        or len(results) > MOST_RESULTS
        or len(bases) > MOST_BASES
        or words > MOST_STATUS
        or any(len(block) > WORD * MOST_WORDS for _, _, block, _ in steps)
        or any(len(shape) > MOST_AXES for _, shape, _, _ in (*layouts, *results))
    ):
        return None
    order = [place for kind, place in bases if kind == RESULT]
    nbytes = start_of_scratch + code.scratch_bytes
    small: SmallCall = COMPILED.SmallCall(
        tuple(layouts),
        tuple(results[order.index(k)] for k in range(len(results))),
        tuple(bases),
        tuple(steps),
        nbytes,
        words,
        report,
        finish,
        (sequence, code, finish),
    )
    return small


def _block(
    pack: Callable[..., bytes], template: ArgumentTemplate, scalars: Sequence[ScalarValue]
) -> tuple[bytes, tuple[tuple[int, int, int], ...]]:
    """Return the arguments of a launch, addresses 0, and where addresses go."""
    values = template.values.copy()
    for position, index in template.scalars:
        values[position] = scalars[index]
    for position, index, part in template.parts:
        values[position] = scalars[index][part]
    return pack(*values), template.addresses
