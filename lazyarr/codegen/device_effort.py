"""How long NVRTC takes for the code of an operation.

Loops over elements are written out so that the loads of several turns overlap. That pays where
memory binds; of a function whose code is long, every copy takes NVRTC milliseconds that the first
evaluation waits for, and two turns keep memory as busy as four.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lazyarr.ir import Node

__all__ = ["LIMIT", "milliseconds"]

#: What NVRTC may take for all turns that are written out, in ms of a core of an AMD EPYC.
LIMIT = 25.0
#: What it takes there for one copy, of float32 and of float64: that of a sum of 2**22 elements with
#: four turns written out, less that of the sum alone, by copies.
_MEASURED = {
    "sin": (2.7, 5.5),
    "cos": (2.8, 5.6),
    "tan": (6.8, 5.3),
    "arcsin": (1.1, 3.0),
    "arccos": (1.2, 5.0),
    "arctan": (1.1, 2.3),
    "sinh": (1.2, 5.4),
    "cosh": (0.8, 2.4),
    "tanh": (0.8, 3.3),
    "arcsinh": (2.3, 8.3),
    "arccosh": (2.3, 8.0),
    "arctanh": (2.0, 7.8),
    "exp": (0.4, 2.3),
    "exp2": (0.2, 2.4),
    "expm1": (1.1, 2.7),
    "log": (1.4, 3.9),
    "log2": (1.4, 4.0),
    "log10": (1.4, 4.0),
    "log1p": (1.7, 6.7),
    "sqrt": (0.7, 1.4),
    "cbrt": (0.8, 3.0),
    "divide": (0.9, 1.5),
    "reciprocal": (0.9, 1.5),
    "power": (2.6, 6.4),
    "remainder": (5.4, 4.3),
    "floor_divide": (7.5, 7.1),
    "fmod": (5.1, 3.4),
    "arctan2": (3.1, 4.9),
    "hypot": (1.5, 1.9),
    "logaddexp": (1.3, 11.3),
    "random": (1.9, 3.4),
    "standard_normal": (3.3, 7.0),
}
#: The same by the cost of an operation, for others and for those of complex numbers, of which each
#: part is counted: sin of complex128 takes 23 ms.
_BY_COST = 0.07, 0.25
_BY_COST_COMPLEX = 0.3, 0.6
#: Costs of operations whose code counts.
_COSTLY = 4


def milliseconds(nodes: Iterable[Node]) -> float:
    """Return what NVRTC takes for one copy of the code of operations.

    Examples
    --------
    >>> import lazyarr as la
    >>> import numpy as np
    >>> milliseconds([la.sin(np.zeros(3))._node])
    5.5
    """
    return sum(map(_of_one, nodes))


def _of_one(node: Node) -> float:
    dtypes = [node.dtype, *(n.dtype for n in node.src)]
    wide = any(dtype.itemsize // (2 if dtype.kind == "c" else 1) > 4 for dtype in dtypes)
    if any(dtype.kind == "c" for dtype in dtypes):
        return node.op.cost * _BY_COST_COMPLEX[wide] if node.op.cost >= _COSTLY else 0.0
    if node.op.name in _MEASURED and any(np.issubdtype(d, np.floating) for d in dtypes):
        return _MEASURED[node.op.name][wide]
    return node.op.cost * _BY_COST[wide] if node.op.cost >= _COSTLY else 0.0
