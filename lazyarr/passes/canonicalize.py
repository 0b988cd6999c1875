"""Canonical DAGs: an expression without its arrays and numbers, so that a plan can serve again.

Leaves and most scalar constants become numbered parameters. Two expressions with the same key
differ only in those, and share one plan. Other threads may store values of an expression at any
time, and its form is another one then: an evaluation takes form and bindings of one call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from lazyarr.core import tuning
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import View
from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import ArgumentError, ContractError
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Kind, Leaf, Node, Op, fresh_leaf, node, unique_node
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.ops.movement import ARGUMENT
from lazyarr.tracing import SYMBOL

__all__ = [
    "PARAMETER",
    "Bindings",
    "Canonical",
    "Signature",
    "Sizes",
    "bind",
    "bound_node",
    "canonicalize",
    "is_special",
]


def _no_value(node: Node, *arrays: Any) -> Any:
    raise ContractError("a parameter has no value of its own")


MARKER = Kind.MARKER
PARAMETER = Op("parameter", Kind.PARAMETER, _no_value)

#: Constants that simplification or code generation treats specially stay constants.
_SPECIAL = (0.0, 1.0, -1.0, 2.0, 0.5)
_special: dict[tuple[np.dtype[Any], object], bool] = {}


#: The form of an expression: equal for those that differ only in arrays' contents and scalars.
Signature: TypeAlias = tuple[object, ...]


#: Of what a plan generates: no node of a plan is one of the user's, though nothing may differ. What
#: a program still uses is known by references, and a plan is no use; nor shall it keep values.
_PLANNED = "planned"
#: Shape and attribute of a node; of a leaf, shape and strides.
Sizes: TypeAlias = dict[Node, tuple[tuple[Any, ...], Any]]


_NO_WINDOWS: dict[Node, Node] = {}
#: Leaves of which no part can be taken as an array of the host.
_ELSEWHERE = (DeviceLeaf, StreamedLeaf)


@dataclass(frozen=True, eq=False, slots=True)
class Bindings:
    """The bindings of a plan: the arrays and scalars of one expression, and the user's lines.

    Attributes
    ----------
    order : list of Node
        Every node, operands first; none where an expression is not kept alive.
    leaves : list of Node
        The leaves, in order of their parameters.
    scalars : list of Node
        The constants that became parameters.
    lines : tuple of Origin
        The origins of the nodes of `order`, where those are not kept.
    windows : dict of Node to Node
        Views of the expression, and the views of parts of arrays that stand for them.
    form : tuple, optional
        The form of the expression as it was bound; None where it is not kept alive.
    notes : dict, optional
        What those who run it again and again remember of it; None: it ran once or twice.
    """

    order: list[Node]
    leaves: list[Node]
    scalars: list[Node]
    lines: tuple[Origin | None, ...] = ()
    notes: dict[object, object] | None = None
    windows: dict[Node, Node] = _NO_WINDOWS
    form: Signature | None = None

    def origin(self, position: int) -> Origin | None:
        """Return the user's file and line of a node."""
        return self.order[position].origin if self.order else self.lines[position]

    def without_nodes(self) -> Bindings:
        """Return the bindings without the nodes, which do not keep the expression alive."""
        if not self.order:
            return self
        lines = tuple([value.origin for value in self.order])
        return Bindings([], self.leaves, self.scalars, lines, {})


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
        if len(_special) >= tuning.OF_MACHINE.constants:
            _special.clear()
        scalar = np.frombuffer(value.attr, value.dtype)[0]
        known = kind_of(value.dtype) not in "iuf" or float(scalar) in _SPECIAL
        _special[key] = known
    return known


def bind(
    roots: Sequence[Node], *, windows: bool = False, among: Container[Node] | None = None
) -> tuple[Signature, Bindings]:
    """Return the form of an expression and its bindings.

    A value that an evaluation has stored is the leaf that holds it: what it was computed from takes
    no part.

    Parameters
    ----------
    roots : sequence of Node
        The results.
    windows : bool, optional
        Whether an array of which the expression reads one view alone is bound as the part that the
        view reads, so that its form does not depend on where in the array that lies. The leaves of
        the bindings are then not those of the expression.
    among : container of Node, optional
        All leaves of the expression as it was earlier: what was stored since is computed, as then.
    """
    order: list[Node] = []
    leaves: list[Node] = []
    scalars: list[Node] = []
    entries: list[object] = []
    places: dict[Node, int] = {}
    place_of = places.get
    views: list[int] = []
    stack: list[Node] = list(reversed(roots))
    while stack:
        current = stack[-1]
        leaf = current.stored
        if leaf is not None and (among is None or leaf in among):
            if current in places:  # another thread stored it since it was reached
                stack.pop()
            elif leaf in places:
                stack.pop()
                places[current] = places[leaf]
            else:
                stack.append(leaf)
            continue
        src = current.src
        if current.op.kind is MARKER:
            # A marker is its value: plans are the same with and without it.
            place = place_of(src[0])
            if place is None:
                stack.append(src[0])
            else:
                stack.pop()
                places[current] = place
            continue
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
            if windows and current.op.kind is Kind.VIEW and src[0].op.kind is Kind.LEAF:
                views.append(len(order))
            own = [places[source] for source in src]
            entries.append((current.op, current.dtype, current.shape, current.attr, *own))
        else:
            stack.pop()
            if current in places:
                continue
            entries.append(_source_entry(current, leaves, scalars))
        places[current] = len(order)
        order.append(current)
    entries.append(tuple([places[root] for root in roots]))
    shown = _narrow(views, entries, order, leaves) if views else {}
    form = tuple(entries)
    return form, Bindings(order, leaves, scalars, (), None, shown, form)


def _source_entry(source: Node, leaves: list[Node], scalars: list[Node]) -> object:
    """Return the entry of a node without operands in a form.

    Parameters
    ----------
    source : Node
        A leaf, a constant, a symbol.
    leaves, scalars : list of Node
        What fills the form; a leaf or a scalar is added.
    """
    op = source.op
    kind = op.kind
    if kind is Kind.LEAF:
        assert isinstance(source.attr, Leaf)
        leaves.append(source)
        return source.dtype, source.shape, source.attr.strides
    if op is SYMBOL or (kind is Kind.CONSTANT and not is_special(source)):
        scalars.append(source)
        return source.dtype
    if kind is Kind.PARAMETER:
        raise ArgumentError(
            "the value of an array inside a loop's body is not known while the loop is built",
            origin=origin(),
            hint="use lazyarr.where instead of if, lazyarr.asarray(a)[i] to index an ndarray, and "
            "return from the body the values needed outside of it",
        )
    return op, source.dtype, source.shape, source.attr


def _narrow(
    views: Iterable[int], entries: list[object], order: list[Node], leaves: list[Node]
) -> dict[Node, Node]:
    """Bind parts of arrays in place of arrays that nothing but one view reads.

    Parameters
    ----------
    views : iterable of int
        The positions of views of leaves.
    entries : list
        The form, which is changed.
    order, leaves : list of Node
        What fills it, which is changed.

    Returns
    -------
    dict of Node to Node
        The views, and those of parts that stand for them.
    """
    shown_by = Counter([_sources(entries[position])[0] for position in views])
    views = [position for position in views if shown_by[_sources(entries[position])[0]] == 1]
    if not views:
        return {}  # as of a stencil
    ends = entries[-1]
    assert isinstance(ends, tuple)
    users: Counter[int] = Counter(ends)
    for entry in entries[:-1]:
        users.update(_sources(entry))
    windows: dict[Node, Node] = {}
    for position in views:
        (at,) = _sources(entries[position])
        view, leaf = order[position], order[at]
        index_map = view.attr
        assert isinstance(leaf.attr, Leaf) and isinstance(index_map, View)
        if users[at] > 1 or type(leaf.attr) in _ELSEWHERE or not view.size:
            continue
        part, offsets = [], []
        for offset, row in zip(index_map.offsets, index_map.coefficients, strict=True):
            steps = [c * (n - 1) for c, n in zip(row, view.shape, strict=True)]
            before = -sum([step for step in steps if step < 0])
            part.append(slice(offset - before, offset + sum(steps) + before + 1))
            offsets.append(before)
        array = leaf.attr.array[tuple(part)]
        if array.shape == leaf.shape:
            continue
        memory = Leaf(array)
        window = fresh_leaf(leaf.op, leaf.dtype, array.shape, memory, leaf.origin)
        inside = View(tuple(offsets), index_map.coefficients)
        shown = unique_node(view.op, (window,), view.dtype, view.shape, inside, view.origin)
        entries[at] = (window.dtype, window.shape, memory.strides)
        entries[position] = (shown.op, shown.dtype, shown.shape, inside, at)
        order[at], order[position] = window, shown
        leaves[leaves.index(leaf)] = window
        windows[view] = shown
    return windows


def _sources(entry: object) -> tuple[Any, ...]:
    """Return the positions of the operands of an entry of a form."""
    return entry[4:] if type(entry) is tuple and isinstance(entry[0], Op) else ()


def bound_node(value: Node, bound: Container[Node] = ()) -> Node:
    """Return the node that stands for a value among those of an expression.

    Parameters
    ----------
    value : Node
        A root, or an operand of one of them.
    bound : container of Node, optional
        Nodes that stand for themselves, though another thread may have stored their values since.
    """
    while value not in bound:
        if value.stored is not None:
            value = value.stored
        elif value.op.kind is MARKER:
            value = value.src[0]
        else:
            return value
    return value


def canonicalize(bindings: Bindings, sizes: Sizes | None = None) -> Canonical:
    """Return the DAG of placeholders for an expression, as it was when it was bound.

    Parameters
    ----------
    bindings : Bindings
        What :func:`bind` gives for it.
    sizes : dict of Node to (shape, attribute), optional
        Others than those of the nodes, perhaps symbols.
    """
    placeholders: dict[Node, Node] = {}
    for position, leaf in enumerate(bindings.leaves):
        assert isinstance(leaf.attr, Leaf)
        shape, strides = (leaf.shape, leaf.attr.strides) if sizes is None else sizes[leaf]
        attr = ("leaf", position, strides)
        placeholders[leaf] = node(PARAMETER, (), leaf.dtype, shape, attr, leaf.origin)
    for position, scalar in enumerate(bindings.scalars):
        placeholders[scalar] = node(
            PARAMETER, (), scalar.dtype, (), ("scalar", position), scalar.origin
        )
    order, form = bindings.order, bindings.form
    assert form is not None
    for current, entry in zip(order, form[:-1], strict=True):
        if current not in placeholders:
            src = tuple([placeholders[order[place]] for place in _sources(entry)])
            shape, own = (current.shape, current.attr) if sizes is None else sizes[current]
            if current.op.kind is Kind.GENERATE and not src:
                own = _PLANNED
            placeholders[current] = node(current.op, src, current.dtype, shape, own, current.origin)
    originals = {placeholder: original for original, placeholder in placeholders.items()}
    ends = form[-1]
    assert isinstance(ends, tuple)
    return Canonical(tuple([placeholders[order[end]] for end in ends]), originals)
