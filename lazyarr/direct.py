"""Runs that are one call of one kernel, with all that can be known beforehand worked out.

For a few thousand elements the way to a kernel costs more than the kernel. Most of what
:class:`lazyarr.executable.Executable` does for a run comes out the same every time when there is
one launch that one thread does, and no scratch memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.addresses import address_of
from lazyarr.runtime.flags import SignalPool, Signals
from lazyarr.runtime.pool import SMALL, pool

__all__ = ["Direct", "converter"]

Array = np.ndarray[Any, Any]


class Direct:
    """The one launch of a plan, one call of one kernel by the calling thread.

    Parameters
    ----------
    function : callable
        The compiled function.
    count : int
        Number of work items.
    template : sequence
        Its arguments, as far as they are always the same.
    inputs : sequence of (int, int, int)
        Position of an argument, the leaf whose address it is, and an offset in bytes.
    scalars : sequence of (int, int)
        Position of an argument, and the scalar parameter that it is.
    outputs : sequence of (tuple of int, numpy.dtype, sequence of (int, int))
        Of each result its shape, its dtype, and positions and offsets of its addresses.
    signals : SignalPool, optional
        Memory for what the kernel reports.
    signal_places : sequence of (int, int)
        Positions and offsets of its addresses.
    """

    __slots__ = (
        "_count",
        "_function",
        "_inputs",
        "_outputs",
        "_scalars",
        "_signal_places",
        "_signals",
        "_template",
    )

    def __init__(
        self,
        function: Callable[..., object],
        count: int,
        template: Sequence[Any],
        inputs: Sequence[tuple[int, int, int]],
        scalars: Sequence[tuple[int, int]],
        outputs: Sequence[tuple[tuple[int, ...], np.dtype[Any], Sequence[tuple[int, int]]]],
        signals: SignalPool | None = None,
        signal_places: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._signals = signals
        self._signal_places = tuple(signal_places)
        self._function = function
        self._count = count
        self._template = list(template)
        self._inputs = tuple(inputs)
        self._scalars = tuple(scalars)
        self._outputs = tuple(
            (shape, dtype, math.prod(shape) * dtype.itemsize, tuple(places))
            for shape, dtype, places in outputs
        )

    def run(
        self,
        addresses: Sequence[int],
        scalars: Sequence[Any],
        diagnose: Callable[[Signals], None],
    ) -> list[Array]:
        """Return the results.

        Parameters
        ----------
        addresses : sequence of int
            Of the leaves.
        scalars : sequence of number
            The scalar parameters.
        diagnose : callable
            Called with what the kernel reports, if it reports anything.
        """
        args = self._template.copy()
        for position, leaf, offset in self._inputs:
            args[position] = addresses[leaf] + offset
        for position, index in self._scalars:
            args[position] = scalars[index]
        results = []
        for shape, dtype, nbytes, places in self._outputs:
            if nbytes < SMALL:
                result = np.empty(shape, dtype)
            else:
                result = pool.allocate(nbytes).array(shape, dtype)
            results.append(result)
            address = address_of(result)
            for position, offset in places:
                args[position] = address + offset
        pooled = self._signals
        if pooled is None:
            self._function(0, self._count, *args)
            return results
        signals = pooled.take()
        for position, offset in self._signal_places:
            args[position] = signals.address + offset
        self._function(0, self._count, *args)
        if signals.data != pooled.quiet:
            diagnose(signals)
        pooled.give(signals)
        return results


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
