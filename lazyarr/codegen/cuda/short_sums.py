"""The order in which a GPU adds the elements of a short row, for sums that are written out."""

from __future__ import annotations

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.row_loops import RowElements, choose_rows, is_short
from lazyarr.codegen.cuda.summation import dtype_of_order, widest_granule
from lazyarr.graph.node import Node
from lazyarr.ops.reduce import REDUCE

__all__ = ["lanes_of_short_sum"]

_SUM = REDUCE["sum"]
_NARROW = np.dtype(np.float32).itemsize


def lanes_of_short_sum(value: Node) -> tuple[tuple[int, ...], ...] | None:
    """Return the elements that each lane adds of a row; None if a sum is not short.

    The order is that of tiles of pairs, so that the bits are the same: of float32 one after another
    or a balanced tree, and else that of the template for rows.

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
    if dtype.itemsize == _NARROW:
        return _lanes_of_tree(length) if length <= tuning.row().pair_tree else None
    granule = widest_granule(length, dtype.itemsize)
    tiling = choose_rows(RowElements(length, 1, dtype.itemsize, granule), short=True)
    lanes: list[list[int]] = [[] for _ in range(tiling.lanes)]
    for k in range(length):
        lanes[k // granule % tiling.lanes].append(k)
    return tuple([tuple(lane) for lane in lanes if lane])


def _lanes_of_tree(length: int) -> tuple[tuple[int, ...], ...]:
    """Return lanes that add neighbours first where elements are a whole tree, else one lane."""
    if length < tuning.row().pair_tree:
        return (tuple(range(length)),)
    lanes = [0]
    while len(lanes) < length:
        lanes = [2 * k for k in lanes] + [2 * k + 1 for k in lanes]
    return tuple([(k,) for k in lanes])
