"""Rows that a block has brought to the L2 cache for the blocks that come after it.

The threads of a block load a row, meet, and store it at about the same time, and a multiprocessor
has room for a few such blocks. So its share of memory's time is lost whenever they all compute,
unless rows that will be needed come to the L2 cache meanwhile. There they stay until they are read,
if no more passes through the cache than has to: results are stored past it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.loop_nest import Access, Frame
from lazyarr.loop_ir.kernel import Operand
from lazyarr.loop_ir.threads import PrefetchL2

__all__ = ["RowsAhead", "find_rows_ahead"]


class RowsAhead:
    """Operands of which every row is loaded by one block.

    Parameters
    ----------
    low : DeviceLowering
        The kernel.
    outer, inner : Frame
        The loops over rows, and along one.
    places : sequence of (Access, numpy.dtype)
        Where the operands lie.
    line_bytes : int
        That come to the L2 cache at once.
    """

    def __init__(
        self,
        low: DeviceLowering,
        outer: Frame,
        inner: Frame,
        places: Sequence[tuple[Access, np.dtype[Any]]],
        line_bytes: int,
    ) -> None:
        self._low = low
        self._outer = outer
        self._inner = inner
        self._places = places
        self._line_bytes = line_bytes
        #: Of one row of all operands together.
        self.nbytes = sum(inner.size * place.unit * dtype.itemsize for place, dtype in places)

    def fetch(self, row: Operand, thread: Operand, threads: int) -> None:
        """Write the fetching of a row behind `row`, a line for each thread of the block.

        Parameters
        ----------
        row : Operand
            The row that the block works on.
        thread : Operand
            The number of the thread.
        threads : int
            Of the block.
        """
        low, b, length = self._low, self._low.builder, self._inner.size
        other = low.plus(row, low.ahead(self.nbytes))
        with b.when(low.below(other, low.number("rows", self._outer.size, "n"))):
            counters = low.decode(other, self._outer)
            for place, dtype in self._places:
                line = self._line_bytes // (place.unit * dtype.itemsize)
                for first in range(0, length, line * threads):
                    start = low.plus(low.times(thread, line), low.integer(first))
                    inside: Any = nullcontext()
                    if first + line * threads > length:
                        inside = b.when(low.below(start, low.number("length", length, "n")))
                    with (
                        inside,
                        low.instead(self._outer, counters),
                        low.inside(self._inner, [start]),
                    ):
                        pointer = low.parameters.pointer(place, dtype)
                        low.device.emit(PrefetchL2(low.device.memory_of(pointer), low.index(place)))


def find_rows_ahead(
    low: DeviceLowering, outer: Frame, inner: Frame, terms: Sequence[int]
) -> RowsAhead | None:
    """Return the operands among some terms whose rows are worth fetching; None if none are.

    Parameters
    ----------
    low : DeviceLowering
        The kernel.
    outer, inner : Frame
        The loops over rows, and along one.
    terms : sequence of int
        The terms that the first pass needs.
    """
    if len(inner.axes) != 1:
        return None
    places: dict[object, tuple[Access, np.dtype[Any]]] = {}
    for k in terms:
        place = low.accesses.get(k)
        # What rows share is in the caches already.
        if place is None or not all(axis.stride(place.strides) for axis in outer.axes):
            continue
        if inner.axes[0].stride(place.strides) == place.unit:
            key = (place.owner, place.offset, place.strides)
            places.setdefault(key, (place, low.terms[k].dtype))
    row = tuning.row()
    rows = RowsAhead(low, outer, inner, list(places.values()), row.l2_line_bytes)
    return rows if rows.nbytes * outer.size >= row.prefetch_bytes else None
