"""Canonical DAGs: an expression without its arrays and numbers, so that a plan can serve again.

Leaves and most scalar constants become numbered parameters. Two expressions with the same key
differ only in those, and share one plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import ArgumentError, ContractError
from lazyarr.graph.node import Kind, Leaf, Node, Op, node
from lazyarr.ops.movement import ARGUMENT
from lazyarr.tracing import SYMBOL

__all__ = ["PARAMETER", "Canonical", "Shell", "canonicalize", "is_special", "shell"]


def _no_value(node: Node, *arrays: Any) -> Any:
    raise ContractError("a parameter has no value of its own")


PARAMETER = Op("parameter", Kind.PARAMETER, _no_value)

#: Constants that simplification or code generation treats specially stay constants.
_SPECIAL = (0.0, 1.0, -1.0, 2.0, 0.5)
_special: dict[tuple[np.dtype[Any], object], bool] = {}


@dataclass(frozen=True, eq=False, slots=True)
class Shell:
    """What an expression is made of.

    Attributes
    ----------
    key : tuple
        Equal for expressions that differ only in their arrays' contents and their scalars.
    order : list of Node
        Every node, operands first.
    leaves : list of Node
        The leaves, in order of their parameters.
    scalars : list of Node
        The constants that became parameters.
    lines : tuple of Origin
        The origins of the nodes of `order`, where those are not kept.
    notes : dict, optional
        What those who run it again and again remember of it; None: it ran once or twice.
    """

    key: tuple[object, ...]
    order: list[Node]
    leaves: list[Node]
    scalars: list[Node]
    lines: tuple[Origin | None, ...] = ()
    notes: dict[object, object] | None = None

    def origin(self, position: int) -> Origin | None:
        """Return the user's file and line of a node."""
        return self.order[position].origin if self.order else self.lines[position]

    def without_nodes(self) -> Shell:
        """Return what a run needs, which does not keep the expression itself alive."""
        if not self.order:
            return self
        lines = tuple([found.origin for found in self.order])
        return Shell(self.key, [], self.leaves, self.scalars, lines, {})


@dataclass(frozen=True, eq=False, slots=True)
class Canonical:
    """The DAG of placeholders and, for each of its nodes, the user's node it came from."""

    roots: tuple[Node, ...]
    originals: dict[Node, Node]


def is_special(value: Node) -> bool:
    """Return whether a constant stays in the code instead of being passed to it."""
    if value.op is ARGUMENT:
        return False
    key = (value.dtype, value.attr)
    known = _special.get(key)
    if known is None:
        assert isinstance(value.attr, bytes)
        if len(_special) > 4096:
            _special.clear()
        scalar = np.frombuffer(value.attr, value.dtype)[0]
        known = value.dtype.kind not in "iuf" or float(scalar) in _SPECIAL
        _special[key] = known
    return known


def shell(roots: Sequence[Node]) -> Shell:
    """Return the key of an expression and the arrays and scalars that fill it."""
    order: list[Node] = []
    leaves: list[Node] = []
    scalars: list[Node] = []
    entries: list[object] = []
    places: dict[Node, int] = {}
    place_of = places.get
    stack: list[Node] = list(reversed(roots))
    while stack:
        current = stack[-1]
        src = current.src
        if len(src) == 2:
            # Written out, as most nodes are such.
            left, right = src
            first, second = place_of(left), place_of(right)
            if first is None:
                stack.append(left)
                if second is None:
                    stack.append(right)
                continue
            if second is None:
                stack.append(right)
                continue
            stack.pop()
            if current in places:
                continue
            entries.append((current.op, current.dtype, current.shape, current.attr, first, second))
        elif src:
            ready = True
            for source in src:
                if source not in places:
                    stack.append(source)
                    ready = False
            if not ready:
                continue
            stack.pop()
            if current in places:
                continue
            entries.append(
                (
                    current.op,
                    current.dtype,
                    current.shape,
                    current.attr,
                    *[places[source] for source in src],
                )
            )
        else:
            stack.pop()
            if current in places:
                continue
            op = current.op
            kind = op.kind
            if kind is Kind.LEAF:
                assert isinstance(current.attr, Leaf)
                leaves.append(current)
                entries.append((current.dtype, current.shape, current.attr.strides))
            elif op is SYMBOL or (kind is Kind.CONSTANT and not is_special(current)):
                scalars.append(current)
                entries.append(current.dtype)
            elif kind is Kind.PARAMETER:
                raise ArgumentError(
                    "the value of an array inside a loop's body is not known while the loop is "
                    "built",
                    origin=origin(),
                    hint="choose with lazyarr.where instead of if, and return from the body "
                    "what is needed outside of it",
                )
            else:
                entries.append((op, current.dtype, current.shape, current.attr))
        places[current] = len(order)
        order.append(current)
    entries.append(tuple([places[root] for root in roots]))
    return Shell(tuple(entries), order, leaves, scalars)


def canonicalize(roots: Sequence[Node], found: Shell) -> Canonical:
    """Return the DAG of placeholders for an expression."""
    made: dict[Node, Node] = {}
    for position, leaf in enumerate(found.leaves):
        assert isinstance(leaf.attr, Leaf)
        attr = ("leaf", position, leaf.attr.strides)
        made[leaf] = node(PARAMETER, (), leaf.dtype, leaf.shape, attr, leaf.origin)
    for position, scalar in enumerate(found.scalars):
        made[scalar] = node(PARAMETER, (), scalar.dtype, (), ("scalar", position), scalar.origin)
    for current in found.order:
        if current not in made:
            src = tuple(made[s] for s in current.src)
            made[current] = node(
                current.op, src, current.dtype, current.shape, current.attr, current.origin
            )
    originals = {placeholder: original for original, placeholder in made.items()}
    return Canonical(tuple(made[root] for root in roots), originals)
