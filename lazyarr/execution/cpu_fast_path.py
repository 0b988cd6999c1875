"""Runs that are nothing but kernels, with all that can be known beforehand worked out.

For some thousand elements the way to a kernel costs more than the kernel, and after a kernel that
has swept the caches each line on that way waits for memory. Most of what
:class:`lazyarr.execution.cpu.Executable` does for a run comes out the same every time where no
library
takes part, each result is an array of its own, and nobody listens.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cpu.compiler import Function
from lazyarr.runtime.cpu.fp_flags import SignalPool, Signals
from lazyarr.runtime.cpu.threads.parallel_for import Scratch, launch
from lazyarr.runtime.host_memory_pool import ALIGNMENT, SMALL, Block, pool

__all__ = ["Call", "Direct", "Result", "converter"]

Array = np.ndarray[Any, Any]

#: Pieces of scratch memory that a plan keeps at most: one for each run at the same time.
MOST_SPARE = 16


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """One launch with its code: what to pass, and where the addresses go.

    Attributes
    ----------
    function : Function
        The kernel.
    template : list
        Its arguments, as far as they are always the same.
    addresses : tuple of (int, int, int)
        Position of an argument, the base that it points into, and an offset in bytes.
    scalars : tuple of (int, int, int)
        Position of an argument, the scalar parameter that it is, and which part of that.
    count, chunk, scratch
        As in :func:`lazyarr.runtime.cpu.threads.parallel_for.launch`.
    """

    function: Function
    template: list[Any]
    addresses: tuple[tuple[int, int, int], ...]
    scalars: tuple[tuple[int, int, int], ...]
    count: int
    chunk: int
    scratch: Scratch | None


@dataclass(frozen=True, slots=True)
class Result:
    """A buffer that is an array of its own, as the user gets it."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    nbytes: int


class _Scratch:
    """Scratch memory that is not the pool's: little, and kept for the next run."""

    __slots__ = ("_memory", "address")

    def __init__(self, nbytes: int) -> None:
        self._memory = np.empty(nbytes + ALIGNMENT, np.uint8)
        start = address_of(self._memory)
        self.address = start + -start % ALIGNMENT


class Direct:
    """The launches of a plan that has nothing else.

    Bases are numbered: first the leaves, then the plan's buffers, its scratch memory, and that for
    what kernels report.

    Parameters
    ----------
    calls : sequence of Call
        In order; their scalars are whole.
    threads : int
        How many threads may do one.
    buffers : sequence of Result or int
        Each buffer of the plan: a result, or its offset in the arena.
    order : sequence of int
        For each result of the plan, which of the results among `buffers` it is.
    arena_bytes, scratch_bytes : int
        Sizes of the arena and of the scratch memory.
    signals : SignalPool, optional
        Memory for what the kernels report.
    """

    __slots__ = (
        "_arena_bytes",
        "_buffers",
        "_calls",
        "_order",
        "_scratch_bytes",
        "_signals",
        "_spare",
        "_threads",
    )

    def __init__(
        self,
        calls: Sequence[Call],
        threads: int,
        buffers: Sequence[Result | int],
        order: Sequence[int],
        arena_bytes: int = 0,
        scratch_bytes: int = 0,
        signals: SignalPool | None = None,
    ) -> None:
        self._calls = tuple(calls)
        self._threads = threads
        self._buffers = tuple(
            (None, None, 0, buffer)
            if isinstance(buffer, int)
            else (buffer.shape, buffer.dtype, buffer.nbytes, 0)
            for buffer in buffers
        )
        made = sum(not isinstance(buffer, int) for buffer in buffers)
        self._order = None if list(order) == list(range(made)) else tuple(order)
        self._arena_bytes = arena_bytes
        self._scratch_bytes = scratch_bytes
        self._signals = signals
        #: Scratch memory that nobody uses, where that is less than the pool would keep.
        self._spare: deque[_Scratch] | None = (
            deque(maxlen=MOST_SPARE) if 0 < scratch_bytes < SMALL else None
        )

    def run(
        self,
        addresses: list[int],
        scalars: Sequence[Any],
        diagnose: Callable[[Signals], None],
    ) -> list[Array]:
        """Return the results.

        Parameters
        ----------
        addresses : list of int
            Of the leaves; it is changed.
        scalars : sequence of number
            The scalar parameters.
        diagnose : callable
            Called with what the kernels report, if they report anything.
        """
        results: list[Array] = []
        arena = pool.allocate(self._arena_bytes) if self._arena_bytes else None
        start = 0 if arena is None else arena.address
        for shape, dtype, nbytes, offset in self._buffers:
            if shape is None:
                addresses.append(start + offset)
                continue
            if nbytes < SMALL:
                result = np.empty(shape, dtype)
            else:
                result = pool.allocate(nbytes).array(shape, dtype)  # type: ignore[arg-type]
            results.append(result)
            addresses.append(address_of(result))
        scratch = self._take_scratch()
        addresses.append(0 if scratch is None else scratch.address)
        pooled = self._signals
        if pooled is not None:
            signals = pooled.take()
            addresses.append(signals.address)
        threads = self._threads
        for call in self._calls:
            args = call.template.copy()
            for position, base, offset in call.addresses:
                args[position] = addresses[base] + offset
            for position, index, _ in call.scalars:
                args[position] = scalars[index]
            function = call.function
            block = function.pack(*args)
            launch(
                function, block, call.count, threads=threads, chunk=call.chunk, scratch=call.scratch
            )
        if pooled is not None:
            if signals.data != pooled.quiet:
                # Nobody reads the intermediates any more.
                del arena
                diagnose(signals)
            pooled.give(signals)
        if type(scratch) is _Scratch:
            self._spare.append(scratch)  # type: ignore[union-attr]
        return results if self._order is None else [results[k] for k in self._order]

    def _take_scratch(self) -> _Scratch | Block | None:
        if not self._scratch_bytes:
            return None
        if self._spare is None:
            return pool.allocate(self._scratch_bytes)
        try:
            return self._spare.pop()
        except IndexError:
            return _Scratch(self._scratch_bytes)


#: From here on numbers round to infinity in single precision.
_SINGLE_LIMIT = float(np.finfo(np.float32).max) + 2.0**103


def _single(value: Any) -> float:
    """Return a number that the format of single precision takes: it refuses what overflows."""
    found = float(value)
    if -_SINGLE_LIMIT < found < _SINGLE_LIMIT or found != found:
        return found
    return math.copysign(math.inf, found)


def converter(kind: type, dtype: np.dtype[Any]) -> Callable[[Any], Any] | None:
    """Return what turns a Python number into what a kernel takes for it; None: nothing does.

    Parameters
    ----------
    kind : type
        bool, int or float.
    dtype : numpy.dtype
        Of the scalar parameter.
    """
    if kind is complex or dtype.kind not in "biuf" or (dtype.itemsize == 2 and dtype.kind == "f"):
        return None
    if dtype.kind == "b":
        return bool if kind is bool else None
    if dtype.kind == "f":
        return float if dtype.itemsize == 8 else _single
    if kind is float:
        return None
    limits = np.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)

    def fit(value: int) -> int:
        if low <= value <= high:
            return int(value)
        raise OverflowError(f"Python integer {value} out of bounds for {dtype}")

    return fit
