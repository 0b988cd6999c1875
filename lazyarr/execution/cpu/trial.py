"""Runs of a sequence apart from the program: on copies of its arrays, into memory of their own."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from lazyarr.core.addresses import ALIGNMENT, address_of
from lazyarr.execution.arguments import ScalarValue, bind
from lazyarr.execution.cpu.kernel_sequence import KernelSequence, SequenceCode
from lazyarr.runtime.cpu.fp_flags import Signals
from lazyarr.runtime.cpu.threads.parallel_for import launch

__all__ = ["Trial", "extent"]

Array = np.ndarray[Any, Any]


def extent(array: Array) -> int:
    """Return the bytes from the first to the last element of an array in memory."""
    low, high = _bounds(array)
    return high - low


def _bounds(array: Array) -> tuple[int, int]:
    low = high = address_of(array)
    if not array.size:
        return low, high
    for step, size in zip(array.strides, array.shape, strict=True):
        reach = step * (size - 1)
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low, high + array.itemsize


def _memory(nbytes: int, offset: int = 0) -> tuple[Array, int]:
    """Return memory, and an address in it that lies `offset` behind a line of cache."""
    memory = np.zeros(nbytes + 2 * ALIGNMENT, np.uint8)
    start = address_of(memory)
    return memory, start + (offset - start) % ALIGNMENT


class Trial:
    """Copies of a run's arrays, on which code is run and timed.

    Parameters
    ----------
    sequence : KernelSequence
        What is run.
    leaves : sequence of numpy.ndarray
        Its arrays; what they hold now is copied.
    scalars : sequence of number
        Its scalars.
    signal_bytes : int
        Of the status block.
    """

    def __init__(
        self,
        sequence: KernelSequence,
        leaves: Sequence[Array],
        scalars: Sequence[ScalarValue],
        signal_bytes: int,
    ) -> None:
        self._owned: list[Array] = []
        self._addresses: list[int] = []
        for leaf in leaves:
            low, high = _bounds(leaf)
            memory, start = _memory(high - low, low % ALIGNMENT)
            ctypes.memmove(start, low, high - low)
            self._owned.append(memory)
            self._addresses.append(start + address_of(leaf) - low)
        self._scalars = list(scalars)
        self._threads = sequence.threads
        self._signals = Signals(signal_bytes)
        self._outputs: list[tuple[Array, int, int]] = []
        arena, start = _memory(sequence.arena_bytes)
        self._owned.append(arena)
        for shape, _, nbytes, offset, _ in sequence.buffers:
            if shape is None:
                self._addresses.append(start + offset)
                continue
            memory, own = _memory(nbytes)
            self._outputs.append((memory, own - address_of(memory), nbytes))
            self._addresses.append(own)

    def run(self, code: SequenceCode) -> float:
        """Return the seconds of one run.

        Parameters
        ----------
        code : SequenceCode
            What runs; its results stay for :meth:`results`.
        """
        scratch, start = _memory(code.scratch_bytes)
        self._signals.data[:] = bytes(len(self._signals.data))
        addresses = [*self._addresses, start, self._signals.address]
        blocks = [call[1](*bind(call[2], addresses, self._scalars)) for call in code.calls]
        begun = perf_counter()
        for (function, _, _, count, chunk, own), block in zip(code.calls, blocks, strict=True):
            launch(function, block, count, self._threads, chunk, own)
        seconds = perf_counter() - begun
        del scratch
        return seconds

    def results(self) -> list[bytes]:
        """Return the bytes of all results of the last run, and of its kernels' reports."""
        values = [memory[at : at + nbytes].tobytes() for memory, at, nbytes in self._outputs]
        return [*values, bytes(self._signals.data)]

    def clear(self) -> None:
        """Overwrite the results, so that the next run's are its own."""
        for memory, _, _ in self._outputs:
            memory.fill(0xA5)
