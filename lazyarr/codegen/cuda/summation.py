"""The order in which kernels of a GPU add: from shapes, axes and dtypes alone.

Rounding makes the order of floating additions show in the last bits of a result. So which thread
takes which elements, and how the threads' states are merged, does not depend on what a kernel loads
and how: a sum of products has the same bits whether the products lie in memory or are computed on
the way, contiguous or strided, at an aligned address or not, alone in its kernel or beside other
reductions. It follows from a *granule*, the neighbouring elements that one thread adds one after
another: those of the widest load of the reduced values, were they in memory in C order. Where a
kernel cannot load so many at once it takes a granule in several steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cuda import tuning
from lazyarr.core.dtypes import kind_of
from lazyarr.graph.node import Kind, Node, part_dtype
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.index_terms import Term

__all__ = [
    "dtype_of_order",
    "granule_of",
    "order_of",
    "ordered_terms",
    "sums_narrowly",
    "widest_granule",
]

DType = np.dtype[Any]
_NARROW = np.dtype(np.float32).itemsize


def dtype_of_order(node: Node) -> DType | None:
    """Return the dtype whose granules order the additions of a node; None if no order shows."""
    reducer = node.op.reducer
    if node.op.kind is not Kind.REDUCE or reducer is None or not reducer.ordered:
        return None
    dtype = part_dtype(node.src[0].dtype)
    return dtype if kind_of(dtype) == "f" else None


def ordered_terms(low: Lowering) -> dict[int, DType]:
    """Return the reductions of a kernel whose order of additions shows, with their dtypes."""
    orders = {k: dtype_of_order(term.node) for k, term in enumerate(low.terms) if not term.loaded}
    return {k: dtype for k, dtype in orders.items() if dtype is not None}


def sums_narrowly(term: Term) -> bool:
    """Return whether the sum of a pair of rows is taken in float32.

    Parameters
    ----------
    term : Term
        A reduction.
    """
    source = term.source_dtype
    summed = term.node.op.reducer is not None and term.node.op.reducer.compensation is not None
    return summed and kind_of(source) == "f" and register_dtype(source).itemsize == _NARROW


def granule_of(low: Lowering, axes: Iterable[int], ragged: bool = False) -> int | None:
    """Return the granule of a kernel's reductions; None if no order of additions shows.

    Parameters
    ----------
    low : Lowering
        The group's. All of its ordered reductions are of one dtype: fusion sees to that.
    axes : iterable of int
        Those along which neighbours lie side by side: the innermost of them count.
    ragged : bool, optional
        Whether the last granule of a domain without other axes may have fewer elements.
    """
    granule, _ = order_of(low, axes, ragged)
    return granule


def order_of(
    low: Lowering, axes: Iterable[int], ragged: bool = False
) -> tuple[int | None, DType | None]:
    """Return the granule of a kernel's reductions, and their dtype; None where no order shows.

    Parameters
    ----------
    low, axes, ragged
        As for :func:`granule_of`.
    """
    dtypes = set(ordered_terms(low).values())
    if not dtypes:
        return None, None
    (dtype,) = dtypes
    chosen = set(axes)
    run = 1
    for axis in reversed(range(len(low.domain))):
        if low.domain[axis] != 1 and axis not in chosen:
            break
        run *= low.domain[axis]
    alone = all(size == 1 for axis, size in enumerate(low.domain) if axis not in chosen)
    return widest_granule(run, dtype.itemsize, ragged and alone), dtype


def widest_granule(run: int, itemsize: int, ragged: bool = False) -> int:
    """Return the granule of elements that lie in memory.

    Parameters
    ----------
    run : int
        Elements that lie side by side.
    itemsize : int
        Bytes of one.
    ragged : bool, optional
        Whether the last granule may have fewer elements.

    Examples
    --------
    >>> widest_granule(1024, 4), widest_granule(1022, 4), widest_granule(1023, 4, ragged=True)
    (4, 2, 4)
    """
    row = tuning.row()
    granule = min(row.vector_elements, row.vector_bytes // itemsize)
    if run < 2:
        return 1
    while run % granule and not (ragged and run > row.vector_elements):
        granule //= 2
    return granule
