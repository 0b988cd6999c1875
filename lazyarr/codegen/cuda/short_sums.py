"""The order in which a GPU adds the elements of a short row, for sums that are written out."""

from __future__ import annotations

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.row_loops import choose_rows, is_short
from lazyarr.codegen.cuda.summation import dtype_of_order, widest_granule
from lazyarr.graph.node import Node
from lazyarr.ops.reduce import REDUCE

__all__ = ["lanes_of_short_sum"]

_SUM = REDUCE["sum"]


def lanes_of_short_sum(value: Node) -> tuple[tuple[int, ...], ...] | None:
    """Return the elements that each lane adds of a row; None if a sum is not short.

    The order is that of the template for rows, so that the bits are the same.

    Parameters
    ----------
    value : Node
        A reduction.
    """
    source = value.src[0]
    if value.op is not _SUM or value.attr != (source.ndim - 1,) or source.dtype != value.dtype:
        return None
    length, rows, dtype = source.shape[-1], value.size, dtype_of_order(value)
    if dtype is None or dtype.itemsize < 4 or not 1 < length <= tuning.row().short_sum:
        return None
    if not is_short(length, rows):
        return None
    granule = widest_granule(length, dtype.itemsize)
    tiling = choose_rows(length, 1, dtype.itemsize, granule, short=True)
    lanes: list[list[int]] = [[] for _ in range(tiling.lanes)]
    for k in range(length):
        lanes[k // granule % tiling.lanes].append(k)
    return tuple([tuple(lane) for lane in lanes if lane])
