"""The order in which a GPU adds the elements of a short row, for sums that are written out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.row_loops import RowElements, choose_rows, is_short
from lazyarr.codegen.cuda.summation import dtype_of_order, widest_granule
from lazyarr.graph.node import Node
from lazyarr.ops.reduce import REDUCE
from lazyarr.passes.short_sums import Lanes

__all__ = ["order_of_short_sum"]

_SUM = REDUCE["sum"]
_NARROW = np.dtype(np.float32).itemsize


def order_of_short_sum(value: Node, last: Node) -> tuple[Lanes, ...] | None:
    """Return the elements that each lane adds of each part of a row; None if a sum is not short.

    The order is that of tiles of pairs, so that the bits are the same: of float32 one after another
    or a balanced tree, and else that of the template for rows.

    Parameters
    ----------
    value : Node
        A reduction.
    last : Node
        The reduction that follows.
    """
    source = value.src[0]
    if value.op is not _SUM or value.attr != (source.ndim - 1,) or source.dtype != value.dtype:
        return None
    length, rows, dtype = source.shape[-1], value.size, dtype_of_order(value)
    if dtype is None or dtype.itemsize < _NARROW:
        return None
    row, is_narrow = tuning.row(), dtype.itemsize == _NARROW
    reducer = last.op.reducer
    adds = dtype_of_order(last) is not None and reducer is not None and not reducer.is_positional
    narrow, wide = row.short_sum if adds else row.short_sum_of_extremum
    if not 1 < length <= (narrow if is_narrow else wide) or not is_short(length, rows):
        return None
    if is_narrow:
        return tuple(_trees(length))
    granule = widest_granule(length, dtype.itemsize)
    tiling = choose_rows(RowElements(length, 1, dtype.itemsize, granule), short=True)
    lanes: list[list[int]] = [[] for _ in range(tiling.lanes)]
    for k in range(length):
        lanes[k // granule % tiling.lanes].append(k)
    return (tuple([tuple(lane) for lane in lanes if lane]),)


def _trees(length: int) -> Iterator[Lanes]:
    """Yield lanes that add neighbours first for each whole tree of elements, then single ones."""
    tree = tuning.row().pair_tree
    lanes = [0]
    while len(lanes) < tree:
        lanes = [2 * k for k in lanes] + [2 * k + 1 for k in lanes]
    whole = length // tree * tree
    for first in range(0, whole, tree):
        yield tuple([(first + k,) for k in lanes])
    if not whole:
        yield (tuple(range(length)),)
        return
    for k in range(whole, length):
        yield ((k,),)
