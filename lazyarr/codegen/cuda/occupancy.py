"""The occupancy that reductions and scans request: blocks of a multiprocessor.

ptxas chooses the registers of a thread. Left alone it takes few, so that many blocks have room, and
then waits for each load before the next one where several arrays are read: too little of memory is
under way. Asked for fewer blocks it lets the loads of several iterations overlap. What is said here
was measured on an H200, 2**26 elements, as time over that of what ptxas chooses by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.partial_states import Parts
from lazyarr.core.dtypes import is_narrow

__all__ = ["blocks_of_columns", "blocks_of_scan", "blocks_of_split"]

FLOAT32 = np.dtype(np.float32)


def _loads(low: DeviceLowering, terms: Iterable[int], reduced: Sequence[int]) -> int:
    """Return the numbers that are read for an element of a reduction."""
    places = [low.accesses[k] for k in terms if k in low.accesses]
    return sum(any(place.strides[axis] for axis in reduced) for place in places)


def blocks_of_split(
    low: DeviceLowering, parts: Parts, terms: Sequence[int], iterations: int, width: int
) -> int:
    """Return the blocks per multiprocessor where long rows are cut into chunks.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    parts : Parts
        What chunks leave.
    terms : sequence of int
        The terms of an element.
    iterations, width : int
        Vectors that a thread takes of a chunk, and their numbers.
    """
    if parts.deviations:
        return tuning.row().blocks_of_splits
    loads = _loads(low, terms, low.group.reduced)
    several = loads > 2 or (loads == 2 and width <= 4)
    if (
        several
        and iterations >= tuning.row().iterations_of_splits
        and low.code.compile_cost(terms) < tuning.row().plain_cost
    ):
        return tuning.row().blocks_of_splits
    return 1


def blocks_of_scan(dtypes: Iterable[np.dtype[Any]]) -> int:
    """Return the blocks per multiprocessor where long rows of some dtypes are scanned."""
    return (
        tuning.row().blocks_of_single_scans
        if any(dtype == FLOAT32 for dtype in dtypes)
        else tuning.row().blocks_of_scans
    )


def blocks_of_columns(low: DeviceLowering, parts: Parts, terms: Sequence[int]) -> int:
    """Return the blocks per multiprocessor where columns are reduced.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    parts : Parts
        What chunks leave.
    terms : sequence of int
        The terms of an element.
    """
    if low.code.compile_cost(terms) >= tuning.row().nvrtc_cheap:
        return 1
    dtypes = {low.terms[k].dtype for k in terms}
    narrow = any(map(is_narrow, dtypes))
    if parts.deviations or narrow or _loads(low, terms, low.group.reduced) > 1:
        return tuning.row().blocks_of_columns
    few = sum(map(len, parts.components.values())) <= 2
    return tuning.row().blocks_of_one_column if few and dtypes == {FLOAT32} else 1
