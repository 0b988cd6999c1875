"""Values marked for differentiation: inputs, constants, results with rules of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape
from lazyarr.core.source_location import origin
from lazyarr.differentiation.rules import (
    BY_NAME,
    BY_OP,
    DISCRETE,
    Application,
    Cotangent,
    Member,
    Rule,
)
from lazyarr.graph.node import Kind, Loop, Node, node
from lazyarr.ops import markers
from lazyarr.ops.library import LIBRARY, Call, Slot, freeze, packed_starts, thaw
from lazyarr.ops.markers import DERIVED, GROUP, MEMBER, STOPPED, VARIABLE, stopped

__all__ = [
    "GroupRule",
    "carries",
    "kinds",
    "members",
    "stopped",
    "through",
    "variable",
    "width",
    "with_rule",
]


class _Identity:
    """The identity of a variable: it equals no other."""

    __slots__ = ()


def variable(value: Node) -> Node:
    """Return a value as an input of a differentiated function, equal to no other node."""
    return markers.variable(value, _Identity())


@dataclass(frozen=True, eq=False, slots=True)
class GroupRule:
    """The derivatives of several values that were computed together.

    Attributes
    ----------
    vjp : callable
        ``vjp(application, cotangents)``: the cotangents of the group's sources, given those of its
        values, None where one is zero.
    count : int
        The number of values; they are the first sources.
    jvp : callable, optional
        ``jvp(application, tangents, count)``: the tangents of the values, given those of all
        sources. By default `vjp` is transposed.
    """

    vjp: Callable[[Application, Sequence[LazyArray | None]], Sequence[Cotangent]]
    count: int
    jvp: Callable[[Application, Sequence[Any], int], Sequence[LazyArray | None]] | None = None


def with_rule(values: Sequence[Node], sources: Sequence[Node], rule: GroupRule) -> tuple[Node, ...]:
    """Return values with a derivative rule of their own.

    Parameters
    ----------
    values : sequence of Node
        The values, computed from `sources` in any way.
    sources : sequence of Node
        The nodes that cotangents go to and tangents come from.
    rule : GroupRule
        Their vector-Jacobian and Jacobian-vector products.

    Returns
    -------
    tuple of Node
        One for each of `values`, equal to it.
    """
    where = origin()
    first = values[0]
    group = node(GROUP, (*values, *sources), first.dtype, first.shape, rule, where)
    return tuple(
        node(MEMBER, (value, group), value.dtype, value.shape, position, where)
        for position, value in enumerate(values)
    )


_PACK = LIBRARY["pack"]
_UNPACK = LIBRARY["unpack"]
_BLOCKS = frozenset((GROUP, _PACK))


def carries(value: Node) -> bool:
    """Return whether derivatives flow through a node: it holds floating-point numbers."""
    op = value.op
    if BY_OP.get(op) is DISCRETE or (op.kind is Kind.LIBRARY and BY_NAME.get(op.name) is DISCRETE):
        return False
    return kind_of(value.dtype) in "fc" or op in _BLOCKS or _is_loop_of_several(value)


def _is_loop_of_several(value: Node) -> bool:
    """Return whether a node is the block of bytes with all states of a loop."""
    loop = value.op.loop
    return loop is not None and value.op.kind is Kind.LIBRARY and len(loop.states) > 1


def through(marker: Node) -> tuple[Node, ...]:
    """Return the sources of a marker through which derivatives flow: not the value itself."""
    rule = marker.attr
    if isinstance(rule, GroupRule):
        return marker.src[rule.count :]
    return marker.src[1:] if marker.op in (MEMBER, DERIVED) else marker.src


def width(value: Node) -> int:
    """Return the number of values that a node stands for; 0 for an ordinary node of one."""
    rule = value.attr
    if isinstance(rule, GroupRule):
        return rule.count
    if _is_loop_of_several(value):
        return len(_loop_of(value).states)
    return len(rule.outputs) if value.op is _PACK and isinstance(rule, Call) else 0


def kinds(block: Node) -> list[tuple[Shape, np.dtype[Any]]]:
    """Return shape and dtype of each value that a node of several stands for."""
    rule = block.attr
    if isinstance(rule, GroupRule):
        return [(value.shape, value.dtype) for value in block.src[: rule.count]]
    if _is_loop_of_several(block):
        return [(state.shape, state.dtype) for state in _loop_of(block).states]
    assert isinstance(rule, Call)
    return list(rule.outputs)


def _loop_of(block: Node) -> Loop:
    loop = block.op.loop
    assert loop is not None
    return loop


def members(block: Node) -> tuple[LazyArray, ...]:
    """Return the values that a library function of several results gave."""
    results = []
    for start, (shape, dtype) in zip(_starts(block), kinds(block), strict=True):
        args = (Slot(0), *(freeze(x, _no_slot) for x in (start, shape, dtype)))
        results.append(LazyArray(node(_UNPACK, (block,), dtype, shape, Call(args), block.origin)))
    return tuple(results)


def _starts(block: Node) -> list[int]:
    sizes = [prod(shape) * dtype.itemsize for shape, dtype in kinds(block)]
    return packed_starts(sizes)[0]


def _no_slot(value: object) -> None:
    """Say that an argument is no array."""


def _group_vjp(at: Application, cotangents: Any) -> Sequence[Cotangent]:
    rule = at.node.attr
    assert isinstance(rule, GroupRule)
    return [*[None] * rule.count, *rule.vjp(at, cotangents)]


def _member_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    position = at.node.attr
    assert isinstance(position, int)
    return [None, Member(position, g)]


def _member_jvp(at: Application, tangents: Sequence[Any]) -> LazyArray | None:
    position = at.node.attr
    assert isinstance(position, int)
    tangent: LazyArray | None = None if tangents[1] is None else tangents[1][position]
    return tangent


def _position(at: Application) -> int:
    """Return the position of an unpacked value among the results of its library function."""
    call = at.node.attr
    assert isinstance(call, Call)
    return _starts(at.node.src[0]).index(thaw(call.args[1], ()))


def _unpack_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [Member(_position(at), g)]


def _unpack_jvp(at: Application, tangents: Sequence[Any]) -> LazyArray | None:
    tangent: LazyArray | None = None if tangents[0] is None else tangents[0][_position(at)]
    return tangent


BY_OP |= {
    STOPPED: DISCRETE,
    GROUP: Rule(_group_vjp),
    MEMBER: Rule(_member_vjp, _member_jvp),
    _UNPACK: Rule(_unpack_vjp, _unpack_jvp),
    VARIABLE: Rule(lambda at, g: [g], lambda at, tangents: tangents[0]),
}
