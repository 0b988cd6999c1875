"""How many blocks reductions and scans ask a multiprocessor to have room for.

ptxas chooses the registers of a thread. Left alone it takes few, so that many blocks have room, and
then waits for each load before the next one where several arrays are read: too little of memory is
under way. Asked for fewer blocks it lets the loads of several turns overlap. What is said here was
measured on an H200, 2**26 elements, as time over that of what ptxas chooses by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.cuda.compile_cost import CHEAP
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.partial_states import Parts

__all__ = ["resident_of_columns", "resident_of_scan", "resident_of_split"]

FLOAT16, FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)
#: Of chunks of long rows. Sums of two and three arrays take 0.97 to 0.99, of complex128 0.69. With
#: functions, whose code has branches, more threads are better than more loads: the sum
#: of a quotient of float64 would take 1.06.
SPLIT = 3
#: Turns of a chunk from which on that is so: of short chunks it takes 1.02.
ENOUGH_TURNS = 16
#: Of several arrays down columns: 0.67 to 0.88 of the time with eight, and 0.94 to 1.0 with as many
#: as ptxas chooses; of halves 0.83, of standard deviations 0.96.
COLUMNS = 4
#: Of one array of float32 down columns: ptxas goes for that by itself, but takes a few registers
#: more for some, and two blocks fewer take 1.03 to 1.26.
COLUMNS_OF_ONE = 8
#: Of scans of long rows, whose threads keep what they load in registers: 0.88 to 0.98 of the time
#: for float32, and 0.92 to 1.0 for others.
SCAN_OF_SINGLES, SCAN = 3, 4
#: What NVRTC takes for the code of an element without functions, in ms.
PLAIN = 0.5


def _loads(low: DeviceLowering, terms: Iterable[int], reduced: Sequence[int]) -> int:
    """Return how many numbers are read for an element of what is reduced."""
    places = [low.accesses[k] for k in terms if k in low.accesses]
    return sum(any(place.strides[axis] for axis in reduced) for place in places)


def resident_of_split(
    low: DeviceLowering, parts: Parts, wanted: Sequence[int], turns: int, width: int
) -> int:
    """Return how many blocks to ask for where long rows are cut into chunks.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    parts : Parts
        What chunks leave.
    wanted : sequence of int
        The terms of an element.
    turns, width : int
        Vectors that a thread takes of a chunk, and their numbers.
    """
    if parts.deviations:
        return SPLIT
    loads = _loads(low, wanted, low.group.reduced)
    several = loads > 2 or (loads == 2 and width <= 4)
    if several and turns >= ENOUGH_TURNS and low.effort(wanted) < PLAIN:
        return SPLIT
    return 1


def resident_of_scan(dtypes: Iterable[np.dtype[Any]]) -> int:
    """Return how many blocks to ask for where long rows are scanned, of numbers of these dtypes."""
    return SCAN_OF_SINGLES if any(dtype == FLOAT32 for dtype in dtypes) else SCAN


def resident_of_columns(low: DeviceLowering, parts: Parts, wanted: Sequence[int]) -> int:
    """Return how many blocks to ask for where columns are reduced.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    parts : Parts
        What chunks leave.
    wanted : sequence of int
        The terms of an element.
    """
    if low.effort(wanted) >= CHEAP:
        return 1
    dtypes = {low.terms[k].dtype for k in wanted}
    if parts.deviations or FLOAT16 in dtypes or _loads(low, wanted, low.group.reduced) > 1:
        return COLUMNS
    few = sum(map(len, parts.components.values())) <= 2
    return COLUMNS_OF_ONE if few and dtypes == {FLOAT32} else 1
