"""The table of nodes, in which equal nodes are one object; Python's form is the reference."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core import tuning
from lazyarr.core.source_location import Origin
from lazyarr.graph import pressure
from lazyarr.graph.elements import COMPILED, Node, NodeFields, Op
from lazyarr.graph.kind import Kind
from lazyarr.graph.pressure import PRESSURE

__all__ = [
    "count_nodes",
    "count_nodes_soon",
    "forget_node",
    "live_nodes",
    "look_at_nodes",
    "node",
    "set_memo",
    "set_origin",
    "set_stored",
    "unique_node",
]

#: Write what a node's slots cache: the node, then the value.
set_origin: Callable[[Node, Origin | None], None] = NodeFields.__dict__["origin"].__set__
set_memo: Callable[[Node, object], None] = NodeFields.__dict__["memo"].__set__
_set_stored: Callable[[Node, Node], None] = NodeFields.__dict__["stored"].__set__
_storing = threading.Lock()


def _after_fork() -> None:
    global _storing
    _storing = threading.Lock()  # it may be held by a thread that the child does not have


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def set_stored(value: Node, leaf: Node) -> None:
    """Set the leaf that holds a node's value, unless it has one.

    The first of several threads that compute a node counts: a third may be planning with its leaf.

    Parameters
    ----------
    value : Node
        What was computed.
    leaf : Node
        Of the same value.
    """
    with _storing:
        if value.stored is None:
            _set_stored(value, leaf)


class _Entry(weakref.ref[Node]):
    """A weak reference that knows its key in the interning table."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


_interned: dict[tuple[object, ...], weakref.ref[Node]] = {}
_room = tuning.row().nodes


def _forget(entry: weakref.ref[Node]) -> None:
    assert isinstance(entry, _Entry)
    op, dtype, shape, _ = entry.key
    if op.kind is Kind.LEAF:
        PRESSURE.count(dtype, shape, -1)
    if _interned.get(entry.key) is entry:
        _interned.pop(entry.key, None)


def _drop_dead() -> None:
    """Drop the entries of nodes that are gone, and note whether many are left."""
    global _room
    # Of the keys alone: pairs would be new objects, whose making may collect garbage, and with it
    # leaves that take their entries out of the table.
    for key in list(_interned):
        entry = _interned.get(key)
        if entry is not None and entry() is None and _interned.get(key) is entry:
            _interned.pop(key, None)
    _room = _crowded(len(_interned))


def _crowded(nodes: int) -> int:
    """Note whether many nodes are alive, and return of how many to hear next."""
    if nodes >= pressure.MOST_NODES // 2:
        PRESSURE.nodes = PRESSURE.high = True
    return max(tuning.row().nodes, 2 * nodes)


def count_nodes_soon() -> None:
    """Let nodes be counted once a few more have been entered."""
    global _room
    nodes = count_nodes()
    more = max(tuning.row().nodes // 4, nodes // 8)
    _room = nodes + more
    if COMPILED is not None:
        COMPILED.set_room(more)


def count_nodes() -> int:
    """Return the number of entries of the table; in Python's form some may be of dead nodes."""
    return len(_interned) if COMPILED is None else COMPILED.count_nodes()


def live_nodes() -> list[Node]:
    """Return the nodes of the table."""
    if COMPILED is not None:
        nodes: list[Node] = COMPILED.live_nodes()
        return nodes
    alive = [entry() for entry in list(_interned.values())]
    return [value for value in alive if value is not None]


def look_at_nodes() -> None:
    """Note whether many nodes are alive, as is done by itself now and then."""
    if COMPILED is None:
        _drop_dead()
    else:
        COMPILED.set_room(_crowded(count_nodes()) - count_nodes())


def node(
    op: Op,
    src: tuple[Node, ...],
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    attr: Hashable = None,
    origin: Origin | None = None,
) -> Node:
    """Return the one node with this operation, operands, dtype, shape and attribute.

    Parameters
    ----------
    op : Op
        The operation.
    src : tuple of Node
        Its operands. One that has a stored value is replaced by the leaf that holds it.
    dtype : numpy.dtype
        Of the result.
    shape : tuple of int
        Of the result.
    attr : hashable, optional
        What else the operation needs, see :class:`Kind`.
    origin : tuple of (str, int), optional
        File and line of the user. An equal node that exists already keeps its own.
    """
    # Operands are keyed by identity: they are interned, and outlive the entry of their user. Not in
    # a tuple of their own: that would be a seventh of the time it takes to add two arrays.
    key: tuple[object, ...]
    if len(src) == 2:
        left, right = src
        if left.stored is not None or right.stored is not None:
            src = (left.stored or left, right.stored or right)
            left, right = src
        key = (op, id(left), id(right), dtype, shape, attr)
    else:
        for source in src:
            if source.stored is not None:
                src = tuple([source.stored or source for source in src])
                break
        key = (op, dtype, shape, attr, *map(id, src))
    entry = _interned.get(key)
    if entry is not None:
        existing = entry()
        if existing is not None:
            return existing
    # As in unique_node, which would be one more call for each operation.
    fields = NodeFields()
    fields.op = op
    fields.src = src
    fields.dtype = dtype
    fields.shape = shape
    fields.attr = attr
    fields.origin = origin
    fields.memo = None
    fields.stored = None
    fields.__class__ = Node
    if TYPE_CHECKING:
        assert isinstance(fields, Node)
    if src:
        # Cheaper than a callback. Until dead entries are dropped, a key is left of such a node,
        # which holds no arrays and no nodes; its identities may come again, but lead to nothing.
        entry = weakref.ref(fields)
        if len(_interned) > _room:
            _drop_dead()
    else:
        entry = owned = _Entry(fields, _forget)
        owned.key = key
        if op.kind is Kind.LEAF:
            PRESSURE.count(dtype, shape, 1)
    current = _interned.setdefault(key, entry)
    if current is not entry:
        existing = current()
        if existing is not None:
            return existing
        _interned[key] = entry
    return fields


def unique_node(
    op: Op,
    src: tuple[Node, ...],
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    attr: Hashable = None,
    origin: Origin | None = None,
) -> Node:
    """Return a node that is not interned, so that no other ever is this one.

    Parameters
    ----------
    op : Op
        The operation.
    src : tuple of Node
        Its operands.
    dtype : numpy.dtype
        Of the result.
    shape : tuple of int
        Of the result.
    attr : hashable, optional
        What else the operation needs, see :class:`Kind`.
    origin : tuple of (str, int), optional
        File and line of the user.
    """
    fields = NodeFields()
    fields.op = op
    fields.src = src
    fields.dtype = dtype
    fields.shape = shape
    fields.attr = attr
    fields.origin = origin
    fields.memo = None
    fields.stored = None
    # Frozen when complete: it takes a third of the time of setting slots through a frozen class.
    fields.__class__ = Node
    return fields  # type: ignore[return-value]


def forget_node(value: Node) -> None:
    """Let nodes that are built from now on be others than this one, even if they are equal.

    Parameters
    ----------
    value : Node
        One that is not interned stays as it is.
    """
    source = value.src
    key: tuple[object, ...]
    if len(source) == 2:
        key = (value.op, id(source[0]), id(source[1]), value.dtype, value.shape, value.attr)
    else:
        key = (value.op, value.dtype, value.shape, value.attr, *map(id, source))
    entry = _interned.get(key)
    if entry is not None and entry() is value:
        _interned.pop(key, None)


if COMPILED is not None and not TYPE_CHECKING:
    COMPILED.install(Kind.LEAF, PRESSURE, _crowded, _room)
    node, unique_node = COMPILED.node, COMPILED.unique_node
    set_origin, set_memo = COMPILED.set_origin, COMPILED.set_memo
    set_stored, forget_node = COMPILED.set_stored, COMPILED.forget_node
