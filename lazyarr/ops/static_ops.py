"""The operations that every process has, by names that tell them apart.

Others are made while a program runs: of its functions, of the bodies of its loops.
"""

from __future__ import annotations

from functools import cache

from lazyarr.graph.node import Op
from lazyarr.ops import movement
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.gather import GATHER, POSITION
from lazyarr.ops.library import LIBRARY
from lazyarr.ops.reduce import REDUCE

__all__ = ["static_names"]


@cache
def static_names(scans: bool = False) -> dict[Op, str]:
    """Return the names of operations in every process; two of one name have none.

    Parameters
    ----------
    scans : bool, optional
        Whether scans are among them, whose module few programs need.

    Examples
    --------
    >>> static_names()[ELEMENTWISE["add"]]
    'ELEMENTWISE add'
    """
    static = [*ELEMENTWISE.values(), *REDUCE.values(), *LIBRARY.values(), GATHER, POSITION]
    static += [value for value in vars(movement).values() if type(value) is Op]
    if scans:
        from lazyarr.ops.scan import SCAN

        static += SCAN.values()
    ops: dict[str, set[Op]] = {}
    for op in static:
        ops.setdefault(f"{op.kind.name} {op.name}", set()).add(op)
    return {alike.pop(): name for name, alike in ops.items() if len(alike) == 1}
