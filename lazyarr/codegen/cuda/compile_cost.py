"""The compile-cost model: NVRTC's time for an operation and for a kernel.

Loops over elements are written out so that the loads of several iterations overlap. That pays where
memory binds; of a function whose code is long, every copy takes NVRTC milliseconds that the first
evaluation waits for, and two iterations keep memory as busy as four. A kernel that takes long all
the same is compiled in two tiers, see :attr:`lazyarr.loop_ir.source.Source.tiered`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from lazyarr.codegen import scalar
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.passes.common_subexpressions import without_common_subexpressions
from lazyarr.core.dtypes import kind_of
from lazyarr.graph.node import Node
from lazyarr.loop_ir.kernel import For, Literal
from lazyarr.loop_ir.threads import DividedBy, Divisor, Intrinsic
from lazyarr.schedule.index_terms import parts_of

__all__ = ["is_long", "kernel_milliseconds", "milliseconds"]

#: What it takes there for one copy of a primitive, of float32 and of float64: of a sum of 2**22
#: elements with four iterations written out, less that of the sum alone, by copies.
_MEASURED = {
    "sin": (2.7, 5.5),
    "cos": (2.8, 5.6),
    "tan": (6.8, 5.3),
    "asin": (1.1, 3.0),
    "acos": (1.2, 5.0),
    "atan": (1.1, 2.3),
    "atan2": (3.1, 4.9),
    "sinh": (1.2, 5.4),
    "cosh": (0.8, 2.4),
    "tanh": (0.8, 3.3),
    "asinh": (2.3, 8.3),
    "acosh": (2.3, 8.0),
    "atanh": (2.0, 7.8),
    "exp": (0.4, 2.3),
    "exp2": (0.2, 2.4),
    "exp10": (0.4, 2.4),
    "expm1": (1.1, 2.7),
    "log": (1.4, 3.9),
    "log2": (1.4, 4.0),
    "log10": (1.4, 4.0),
    "log1p": (1.7, 6.7),
    "sqrt": (0.7, 1.4),
    "cbrt": (0.8, 3.0),
    "pow": (2.6, 6.4),
    "hypot": (1.5, 1.9),
    "divide": (0.9, 1.5),
    "remainder": (5.0, 3.4),
    "erf": (1.5, 4.0),
    "erfc": (1.5, 4.0),
}
#: The same for any other primitive: a hundred of them make a random number.
_OTHER = 0.02

#: Milliseconds of a whole kernel there: those of an empty one, of a statement, of a division by
#: what many are divided by, of a block of random words, and of each that its functions are said to
#: take. Fitted to a hundred kernels of 20 to 140 ms, from which it is 10 off.
_EMPTY, _STATEMENT, _DIVISION, _WORDS, _FUNCTIONS = 28.0, 0.11, 4.0, 6.0, 1.15
#: What the first float64 of these takes more, as it is a function that the others call.
_CALLED = {"remainder": 18.0}

_known: dict[tuple[object, ...], float] = {}


def milliseconds(nodes: Iterable[Node]) -> float:
    """Return the time that NVRTC takes for one copy of the code of operations.

    Examples
    --------
    >>> import lazyarr as la
    >>> import numpy as np
    >>> milliseconds([la.sin(np.zeros(100_000))._node])
    5.5
    """
    return sum(map(_of_one, nodes))


def _of_one(node: Node) -> float:
    if node.op.loop is not None:
        return milliseconds(node.op.loop.steps)
    if node.op.expand is None:
        return 0.0
    key = (node.op, node.dtype, *(source.dtype for source in node.src))
    cost = _known.get(key)
    if cost is None:
        if len(_known) > 4096:  # loops and Python functions are ops without end
            _known.clear()
        # The parts of a complex number are counted one by one, and have one code.
        code = without_common_subexpressions(scalar.statements(node))
        cost = _known[key] = sum(_costs(code)) / len(parts_of(node))
    return cost


def _costs(statements: Iterable[Any]) -> Iterator[float]:
    for statement, times in _copies(statements):
        if getattr(statement, "primitive", None) is not None:
            yield times * _of_primitive(statement, _OTHER)


def _of_primitive(statement: Any, other: float) -> float:
    """Return the time that NVRTC takes for a primitive; `other` if it was not measured."""
    operand = statement.args[-1]
    single, double = _MEASURED.get(statement.primitive, (other, other))
    if kind_of(operand.dtype) != "f":
        return other
    return double if operand.dtype.itemsize > 4 else single


def is_long(body: Iterable[Any]) -> bool:
    """Whether NVRTC takes so long for a kernel that it is compiled in two tiers."""
    return kernel_milliseconds(body) > tuning.row().nvrtc_long


def kernel_milliseconds(body: Iterable[Any]) -> float:
    """Return the estimated compilation time of NVRTC for a kernel of these statements."""
    total = _EMPTY
    called: set[str] = set()
    for statement, times in _copies(body):
        each = _STATEMENT
        if isinstance(statement, Divisor | DividedBy):
            each += _DIVISION
        if isinstance(statement, Intrinsic) and statement.name == "philox":
            each += _WORDS
        if getattr(statement, "primitive", None) is not None:
            each += _FUNCTIONS * _of_primitive(statement, 0.0)
            if statement.primitive in _CALLED and statement.args[-1].dtype == np.float64:
                called.add(statement.primitive)
        total += times * each
    return total + sum(map(_CALLED.__getitem__, called))


def _copies(statements: Iterable[Any], times: int = 1) -> Iterator[tuple[Any, int]]:
    """Yield all statements, those within others too, with how often each is written out."""
    for statement in statements:
        yield statement, times
        inner = times
        if isinstance(statement, For) and statement.unroll not in (None, 1):
            # Iterations that are written out in part have a loop for the rest.
            inner *= statement.unroll + 1 if statement.unroll else _iterations(statement)
        yield from _copies(getattr(statement, "body", ()), inner)


def _iterations(loop: For) -> int:
    """Return the number of iterations of a loop that is written out as a whole."""
    if not (isinstance(loop.start, Literal) and isinstance(loop.stop, Literal)):
        return 1
    return int(loop.stop.value) - int(loop.start.value)
