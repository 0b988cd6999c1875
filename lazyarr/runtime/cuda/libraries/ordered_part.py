"""The first or last elements of sorted rows, by kernels of our own."""

from __future__ import annotations

import numpy as np

from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.merge_sort import key_dtype
from lazyarr.runtime.cuda.libraries.kernels.ordered_part import part_source
from lazyarr.runtime.cuda.libraries.sorting import refuse_order
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["refuse", "sorted_part", "sorted_part_places"]

_U4 = np.dtype(np.uint32)


def refuse(out: Strided, a: Strided, axis: int, count: int, last: bool) -> str | None:
    """Return why elements are not selected here, or None.

    Parameters
    ----------
    out : Strided
        The result.
    a, axis, count, last
        As of :func:`lazyarr.ops.library.sorted_part`.
    """
    row, length = tuning.row(), a.shape[axis]
    if length < max(row.part_length, row.part_share * count) or count > row.part_count:
        return f"{count} of {length} elements are sorted faster"
    return refuse_order(out, a, axis=axis)


def sorted_part(work: Work, out: Strided, a: Strided, axis: int, count: int, last: bool) -> None:
    """Queue the selection of elements.

    Parameters
    ----------
    work : Work
        Where to queue it.
    out : Strided
        The result.
    a, axis, count, last
        As of :func:`lazyarr.ops.library.sorted_part`.
    """
    _select(work, out, a, axis, count, last, positions=False)


def sorted_part_places(
    work: Work, out: Strided, a: Strided, axis: int, count: int, last: bool
) -> None:
    """Queue the selection of positions.

    Parameters
    ----------
    work, out, a, axis, count, last
        As of :func:`sorted_part`.
    """
    _select(work, out, a, axis, count, last, positions=True)


def _select(
    work: Work, out: Strided, a: Strided, axis: int, count: int, last: bool, *, positions: bool
) -> None:
    rows, target = work.contiguous(a.moved_last(axis)), out.moved_last(axis)
    result = target if target.contiguous else work.empty(target.shape, out.dtype)
    length, row = rows.shape[-1], tuning.row()
    blocks = rows.size // length
    pieces = max(1, min(row.part_blocks // blocks, length // row.part_piece))
    first = int(not last)
    if pieces == 1:
        source = part_source(a.dtype, last, positions)
        ends = rows.address, result.address
        work.launch_blocks(source, blocks, length, 1, count, first, length, *ends)
    else:
        gathered = pieces * count
        keys = work.empty((blocks * gathered,), key_dtype(a.dtype))
        places = work.empty((blocks * gathered,), _U4)
        between = keys.address, places.address
        source = part_source(a.dtype, last, positions, whole=False)
        work.launch_blocks(
            source, blocks * pieces, length, pieces, count, 1, length, rows.address, *between
        )
        source = part_source(a.dtype, last, positions, gathered=True)
        addresses = rows.address, *between, result.address
        work.launch_blocks(source, blocks, gathered, 1, count, first, length, *addresses)
    if result is not target:
        work.copy(result, target)
