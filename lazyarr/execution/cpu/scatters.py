"""Library steps that add rows where several fall on the same place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.execution import tuning
from lazyarr.graph.node import Node
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.runtime.cpu.scatter import SCALARS, add_rows

__all__ = ["scattered"]

Array = np.ndarray[Any, Any]

_SCATTER = LIBRARY["scatter"]
_ADDITION = Call((np.add, Slot(0), Slot(1), Slot(2)))


def scattered(node: Node, operands: Sequence[Array]) -> Array | None:
    """Return the value of a step that adds at places; None if NumPy has to compute it.

    A kernel adds in NumPy's order, so that the bits are the same. NumPy computes what it raises or
    warns of: places out of bounds, and sums that are no numbers.

    Parameters
    ----------
    node : Node
        A library step.
    operands : sequence of numpy.ndarray
        Its operands.
    """
    if node.op is not _SCATTER or node.attr != _ADDITION:
        return None
    start, places, values = operands
    row = tuning.row()
    fewest = row.scattered_numbers if start.ndim == 1 else row.scattered_rows
    if places.size < fewest or places.ndim != 1 or places.dtype.kind != "i":
        return None
    if start.dtype not in SCALARS or not start.size:
        return None
    if np.result_type(start.dtype, values.dtype) != start.dtype:
        return None
    is_number = start.ndim == 1 and not values.ndim
    if not is_number and values.shape != (places.size, *start.shape[1:]):
        return None
    if places.min() < -len(start) or places.max() >= len(start):
        return None
    result = np.array(start, order="C")
    added = np.asarray(values, start.dtype, order="C")
    add_rows(result, np.asarray(places, np.int64, order="C"), added)
    if start.dtype.kind == "f" and not np.isfinite(result).all():
        return None
    return result
