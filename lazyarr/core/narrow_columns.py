"""Reductions down so few columns that one work item may take all of them.

The components of forces, ``(weights[:, :, None] * between).sum(axis=1)``, share what is computed
for each pair. If a thread of a GPU takes all components, it computes that once and keeps it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod

from lazyarr.core import tuning

__all__ = ["are_of_one_thread"]


def are_of_one_thread(domain: Sequence[int], reduced: Collection[int]) -> bool:
    """Return whether one axis of few columns lies behind the rows that a reduction goes through.

    Parameters
    ----------
    domain : sequence of int
        Sizes of the iteration space.
    reduced : collection of int
        Its axes that are reduced.

    Examples
    --------
    >>> are_of_one_thread((9, 200, 3), (1,)), are_of_one_thread((9, 3, 200), (2,))
    (True, False)
    """
    long = [axis for axis, size in enumerate(domain) if size != 1]
    if len(long) < 2 or long[-1] in reduced or long[-2] not in reduced:
        return False
    row = tuning.row()
    rows = prod(domain[axis] for axis in reduced)
    return domain[long[-1]] <= row.thread_columns and rows > row.thread_rows
