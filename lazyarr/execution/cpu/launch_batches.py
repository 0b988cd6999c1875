"""Launches of a plan with their arguments bound together, and short ones as one call.

To bind and to make a launch takes Python some microseconds, and several times that where kernels
have swept its code from the caches: of a recurrent net a third of a step. Here the addresses of all
launches are one sum of arrays, and neighbours that take one thread run in a native loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.core.config import get_config
from lazyarr.core.frozen import dataclass
from lazyarr.core.text_files import text_file
from lazyarr.execution import tuning
from lazyarr.execution.arguments import ScalarValue
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.calling_convention import SLOT
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.threads.parallel_for import launch

__all__ = ["LaunchBatches"]

Array = np.ndarray[Any, Any]
_WORD = np.dtype(np.int64)
#: The scalars that fill a slot, or half of one, as an element of an array does.
_SCALARS = frozenset(map(np.dtype, (np.float32, np.float64, np.int64)))
_POINTERS = ("table", "blocks", "result")


@cache
def _loop() -> Function:
    """Return the native loop over launches."""
    parameters = tuple(Parameter(name, _WORD, True) for name in _POINTERS)
    text = text_file("lazyarr.runtime.cpu", "launches.ll")
    source = Source("llvm", text, "launches", parameters, optimize=False)
    return compiler.load_support(source, get_config())


@dataclass(frozen=True, eq=False, slots=True)
class _Scalars:
    """The places of scalars of one dtype.

    Attributes
    ----------
    dtype : numpy.dtype
        Of the scalars.
    places : numpy.ndarray
        Among the elements of that dtype that the blocks consist of.
    numbers : list of int
        Which scalars they are.
    """

    dtype: np.dtype[Any]
    places: Array
    numbers: list[int]


class LaunchBatches:
    """The launches of a sequence.

    Parameters
    ----------
    calls : sequence of tuple
        As of a :class:`~lazyarr.execution.cpu.kernel_sequence.SequenceCode`.
    """

    __slots__ = (
        "_bases",
        "_calls",
        "_loop",
        "_offsets",
        "_parts",
        "_places",
        "_scalars",
        "_starts",
        "_table",
        "_words",
    )

    def __init__(self, calls: Sequence[tuple[Any, ...]]) -> None:
        self._calls = calls
        self._loop = _loop()
        sizes = [function.nbytes // SLOT for function, *_ in calls]
        self._starts = np.concatenate(([0], np.cumsum(sizes, dtype=_WORD))).tolist()
        addresses: list[tuple[int, int, int]] = []
        scalars: dict[np.dtype[Any], list[tuple[int, int]]] = {}
        blocks: list[bytes] = []
        rows: list[tuple[int, int, int]] = []
        for start, (function, pack, template, count, _, _) in zip(
            self._starts, calls, strict=False
        ):
            blocks.append(pack(*template.values))
            rows.append((function.address, count, start * SLOT))
            addresses += [(start + k, base, offset) for k, base, offset in template.addresses]
            for k, number in template.scalars:
                dtype = function.parameters[k].dtype
                place = (start + k) * (SLOT // dtype.itemsize)
                scalars.setdefault(dtype, []).append((place, number))
        self._words = np.frombuffer(b"".join(blocks), _WORD)
        self._table = np.array(rows, _WORD)
        places, bases, offsets = np.array(addresses, _WORD).reshape(-1, 3).T
        self._places, self._bases, self._offsets = places, bases, offsets
        self._scalars = [
            _Scalars(dtype, np.array([k for k, _ in uses], np.intp), [n for _, n in uses])
            for dtype, uses in scalars.items()
        ]
        self._parts = _parts_of(calls)

    @classmethod
    def of(cls, calls: Sequence[tuple[Any, ...]]) -> LaunchBatches | None:
        """Return the launches; None if they are few or take scalars that elements are not like.

        Parameters
        ----------
        calls : sequence of tuple
            As of a :class:`~lazyarr.execution.cpu.kernel_sequence.SequenceCode`.
        """
        for function, _, template, _, _, _ in calls:
            if template.parts or any(
                function.parameters[k].dtype not in _SCALARS for k, _ in template.scalars
            ):
                return None
        return cls(calls)

    def run(self, addresses: list[int], scalars: Sequence[ScalarValue], threads: int) -> None:
        """Make all launches, in order.

        Parameters
        ----------
        addresses : list of int
            Where each base lies.
        scalars : sequence of number
            The values of the scalars.
        threads : int
            How many may do one launch.
        """
        words = self._words.copy()
        words[self._places] = np.array(addresses, _WORD)[self._bases] + self._offsets
        for uses in self._scalars:
            words.view(uses.dtype)[uses.places] = [scalars[number] for number in uses.numbers]
        happened = np.zeros(1, _WORD)
        block = self._loop.pack(address_of(self._table), address_of(words), address_of(happened))
        for first, end in self._parts:
            if end - first > 1:
                self._loop.run(first, end, block)
                self._loop.check(int(happened[0]))
            else:
                function, _, _, count, chunk, own = self._calls[first]
                own_block = words[self._starts[first] : self._starts[end]].tobytes()
                launch(function, own_block, count, threads, chunk, own)


def _parts_of(calls: Sequence[tuple[Any, ...]]) -> list[tuple[int, int]]:
    """Return the first launch and the one behind the last of each call."""
    parts: list[tuple[int, int]] = []
    most = tuning.row().batched_launches
    begin = 0
    for k, (_, _, _, count, chunk, _) in enumerate(calls):
        if count > chunk:
            if begin < k:
                parts.append((begin, k))
            parts.append((k, k + 1))
            begin = k + 1
        elif k + 1 - begin == most:
            parts.append((begin, k + 1))
            begin = k + 1
    if begin < len(calls):
        parts.append((begin, len(calls)))
    return parts
