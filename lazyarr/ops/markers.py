"""Operations that give their first operand.

Some say something of its elements to who warns. Those of the kind MARKER show differentiation how
the value depends on others; canonical form drops them, so that no plan or kernel knows of them.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DifferentiationError
from lazyarr.graph.node import Kind, Node, Op, node, walk
from lazyarr.ops.library import Call

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = [
    "DERIVED",
    "GROUP",
    "MEMBER",
    "PARAMETERS",
    "RECOMPUTED",
    "SELECTED",
    "STOPPED",
    "VARIABLE",
    "WARNED",
    "WEIGHT",
    "Derivation",
    "awaited",
    "holds_variable",
    "is_differentiated",
    "is_differentiating",
    "refuse_differentiated",
    "stays_expression",
    "stopped",
    "unmarked",
    "variable",
]

Array = np.ndarray[Any, Any]


def _first(builder: Builder, value: Any, condition: Operand) -> Any:
    return value


def _evaluate(node: Node, *arrays: Array) -> Array:
    return np.array(np.broadcast_to(arrays[0], node.shape))


WARNED = Op("warned", Kind.ELEMENTWISE, _evaluate, expand=_first, cost=0, emits_warning=True)
"""A value, and a bool that says where the warning of the node's ``WarningText`` applies."""

SELECTED = Op("selected", Kind.ELEMENTWISE, _evaluate, expand=_first, cost=0, selects=True)
"""A value, and a bool that says which elements the user knows of."""


def _divisor(node: Node, total: Array) -> Array:
    if not np.all(total):
        raise _no_weight()
    return total


def _any_zero(builder: Builder, *parts: Operand) -> Value:
    zeros = [builder.call("equal", part, builder.literal(0, part.dtype)) for part in parts]
    return zeros[0] if len(zeros) == 1 else builder.call("and", *zeros)


def _no_weight() -> ZeroDivisionError:
    return ZeroDivisionError("Weights sum to zero, can't be normalized")


WEIGHT = Op(
    "total weight",
    Kind.ELEMENTWISE,
    _divisor,
    expand=lambda builder, total: total,
    cost=0,
    raises=_any_zero,
    error=_no_weight,
)
"""The sum of the weights of an average, which is an error where it is zero."""


def _parameter(text: str, zero: bool) -> Op:
    """Return the operation that is an error where a parameter is negative, or zero.

    Parameters
    ----------
    text : str
        What the error says.
    zero : bool
        Whether zero is an error, too.
    """

    def error() -> ArgumentError:
        return ArgumentError(text, origin=origin())

    def evaluate(node: Node, values: Array) -> Array:
        if np.any(values <= 0 if zero else np.signbit(values)):
            raise error()
        return values

    def refused(builder: Builder, value: Operand) -> Value:
        if zero:
            return builder.call("less_equal", value, builder.literal(0.0, value.dtype))
        integer = np.dtype(np.int64)
        bits = builder.call("bitcast", value, dtype=integer)
        return builder.call("less", bits, builder.literal(0, integer))

    return Op(
        f"parameter, refused if {text}",
        Kind.ELEMENTWISE,
        evaluate,
        expand=lambda builder, value: value,
        cost=0,
        raises=refused,
        error=error,
    )


PARAMETERS = {
    **{f"{name} < 0": _parameter(f"{name} < 0", False) for name in ("a", "scale", "sigma")},
    "high - low < 0": _parameter("high - low < 0", False),
    "a <= 0": _parameter("a <= 0", True),
}
"""float64 parameters of distributions, by what their errors say."""


RECOMPUTED = Op("recomputed", Kind.ELEMENTWISE, _evaluate, expand=_first, cost=0)
"""A value, and a number that is computed before what is made of the value here."""


def _value(node: Node, *arrays: Array) -> Array:
    return arrays[0]


STOPPED = Op("stop_gradient", Kind.MARKER, _value, cost=0)
"""A value that counts as a constant."""

DERIVED = Op("derived", Kind.MARKER, _value, cost=0)
"""A value and what it was computed from.

The attribute is its name in the table of derivatives, or the ``Derivation`` that says the call.
"""

GROUP = Op("group", Kind.MARKER, _value, cost=0)
"""Several values computed together, and what they were computed from; the attribute says how."""

MEMBER = Op("member", Kind.MARKER, _value, cost=0)
"""One value of a group: the value, and the group; the attribute is its position."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """The call that a value comes from which was computed while its expression was built.

    Attributes
    ----------
    function : str
        The function's name, with its module.
    position : int
        That of the value among the arrays that the function returned.
    call : Call
        The arguments; the slots are sources of the value, which is the source 0 itself. Without
        any the arguments are not known.
    """

    function: str
    position: int
    call: Call

    @property
    def name(self) -> str:
        """The name of the value in the table of derivatives, if it has a rule of its own."""
        return f"{self.function}[{self.position}]"


VARIABLE = Op("variable", Kind.MARKER, _value, cost=0)
"""An input of a differentiated function; the attribute distinguishes it from all others."""


def stopped(value: Node) -> Node:
    """Return a value as a constant of derivatives."""
    return node(STOPPED, (value,), value.dtype, value.shape, None, origin())


_variables = weakref.WeakSet[Node]()


def variable(value: Node, token: Hashable) -> Node:
    """Return a value as an input of a differentiated function.

    Parameters
    ----------
    value : Node
        The value.
    token : hashable
        The identity of the variable among those of the same value.
    """
    marked = node(VARIABLE, (value,), value.dtype, value.shape, token, value.origin)
    _variables.add(marked)
    return marked


def is_differentiated(roots: Iterable[Node]) -> bool:
    """Return whether values depend on an input of a differentiated function that is being built.

    Parameters
    ----------
    roots : iterable of Node
        The values.
    """
    # Without a derivative under construction, which is the rule, nothing is looked at.
    if not _variables:
        return False
    return any(node.op is VARIABLE for node in walk(roots, lambda node: node.op is STOPPED))


def holds_variable(roots: Iterable[Node]) -> bool:
    """Return whether an input of a differentiated function is among what values are made of.

    Parameters
    ----------
    roots : iterable of Node
        The values. What ``stop_gradient`` makes constant may be used elsewhere, too.
    """
    return bool(_variables) and any(node.op is VARIABLE for node in walk(roots))


_awaited = weakref.WeakSet[Node]()


def awaited(value: Node) -> Node:
    """Return a leaf whose memory is not there before its expressions are evaluated.

    Parameters
    ----------
    value : Node
        The leaf, which this notes.
    """
    _awaited.add(value)
    return value


def stays_expression(roots: Iterable[Node]) -> bool:
    """Return whether no memory may stand for values while expressions are made of them.

    They depend on an input of a differentiated function that is being built, or on a leaf whose
    memory is not there yet.

    Parameters
    ----------
    roots : iterable of Node
        The values.
    """
    if not _awaited:
        return is_differentiated(roots)
    values = tuple(roots)
    return is_differentiated(values) or any(node in _awaited for node in walk(values))


def refuse_differentiated(roots: Iterable[Node], what: str) -> None:
    """Raise if values are asked for that a derivative under construction depends on.

    Parameters
    ----------
    roots : iterable of Node
        The values.
    what : str
        What asks for them, for the message.

    Raises
    ------
    DifferentiationError
        If one of them depends on an input of the function that is differentiated.
    """
    if is_differentiated(roots):
        raise DifferentiationError(
            f"{what} needs the value of an array that depends on a differentiated argument; "
            "the derivative would be lost",
            origin=origin(),
            hint="use lazyarr's functions, or lazyarr.stop_gradient(x) for a constant",
        )


def is_differentiating() -> bool:
    """Return whether the derivative of any function is being built, in any thread."""
    return bool(_variables)


def unmarked(node: Node) -> Node:
    """Return the value that a marker, or a chain of markers, stands for."""
    while node.op.kind is Kind.MARKER:
        node = node.src[0]
    return node
