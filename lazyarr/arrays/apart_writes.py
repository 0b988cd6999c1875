"""Expressions of other elements of the array that they are written to.

Red and black cells of a grid, halves of a vector and columns of a table lie in one memory, and have
no element in common. A kernel that reads the ones writes the others straight to their places, if
nothing else is to see what was there.
"""

from __future__ import annotations

from collections import Counter
from sys import getrefcount
from typing import Any, cast

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.steps import view_by_map
from lazyarr.arrays.storing import BORROWED, Storing, changing, known_node
from lazyarr.core.addresses import address_of
from lazyarr.core.shapes import View
from lazyarr.graph.leaf import Leaf, SharedLeaf
from lazyarr.graph.node import Node
from lazyarr.ops.movement import LEAF, VIEW

__all__ = ["reads_apart"]

Array = np.ndarray[Any, Any]

#: Whether parts of one memory lie apart, by where they lie.
_KNOWN: dict[tuple[object, ...], bool] = {}
_MOST_KNOWN = tuning.row().cached_maps
#: Steps of NumPy's search for an element that two views share, before they count as one.
_SEARCHED = tuning.row().searched_places


def reads_apart(root: Node, part: Array, owner: Storing, most: int, unused: int) -> bool:
    """Return whether an expression reads no element of a part, and is all that reads its array.

    Parameters
    ----------
    root : Node
        The expression, which one statement refers to.
    part : numpy.ndarray
        What is written to, of the memory of `owner`.
    owner : LazyArray
        An array in memory.
    most : int
        Nodes of the expression that are looked at.
    unused : int
        References to a node that nothing but a list and a loop over it refers to.
    """
    order, users = _order(root, most)
    if len(order) > most or not _are_apart(order, part):
        return False
    with changing():  # not while another thread lets it have other memory
        leaf = known_node(owner)
        if leaf is None or owner._history is BORROWED or id(leaf) not in users:
            return False
        if type(leaf.attr) is not SharedLeaf or leaf.attr.is_lent:
            return False
        owner._view_nodes = {}
        # The owner and a name refer to it.
        if getrefcount(leaf) > unused + users[id(leaf)] + 1:
            return False
        reading = {id(leaf)}
        del leaf
    del order[0]
    return _are_unused(order, users, reading, unused)


def _order(root: Node, most: int) -> tuple[list[Node], Counter[int]]:
    """Return some nodes of an expression, and how often others of them are made of each."""
    order, users = [root], Counter({id(root): 0})
    tuples: set[int] = set()
    for node in order:
        if id(node.src) in tuples or node.stored is not None:
            continue
        tuples.add(id(node.src))
        for source in node.src:
            if id(source) not in users:
                order.append(source)
            users[id(source)] += 1
        if len(order) > most:
            break
    return order, users


def _are_apart(order: list[Node], part: Array) -> bool:
    """Return whether operands of nodes, which are no views, have no element of a part."""
    return all(
        _is_apart(source, part)
        for node in order
        if node.op is not VIEW and node.stored is None
        for source in node.src
    )


def _are_unused(order: list[Node], users: Counter[int], reading: set[int], unused: int) -> bool:
    """Return whether nothing outside of an expression refers to nodes that read memory.

    Parameters
    ----------
    order : list of Node
        Those of the expression, without the root.
    users : Counter of int
        How often others of them are made of each, by its identity.
    reading : set of int
        Identity of the memory's leaf.
    unused : int
        References to a node that nothing but a list and a loop over it refers to.
    """
    known = 0
    while known < len(reading):
        known = len(reading)
        reading.update([id(x) for x in order if not reading.isdisjoint(map(id, x.src))])
    for node in order:
        if id(node) in reading and node.src and getrefcount(node) > unused + users[id(node)]:
            return False
    return True


def _is_apart(source: Node, part: Array) -> bool:
    """Return whether an operand is computed, or memory of which no element is one of a part."""
    shown = []
    while source.op is VIEW and source.stored is None:
        shown.append((source.attr, source.shape))
        (source,) = source.src
    leaf = source if source.stored is None else source.stored
    if leaf.op is not LEAF:
        return True  # what it is made of is looked at
    if not isinstance(leaf.attr, Leaf):
        return False
    memory = leaf.attr.array
    apart = address_of(part) - leaf.attr.address
    if not np.may_share_memory(memory, part):
        return True
    key = apart, *_lies(part), *_lies(memory), *shown
    known = _KNOWN.get(key)
    if known is None:
        for index_map, shape in reversed(shown):
            memory = view_by_map(memory, cast("View", index_map), shape, writeable=False)
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[key] = not _share(memory, part)
    return known


def _lies(memory: Array) -> tuple[object, ...]:
    return memory.shape, memory.strides, memory.itemsize


def _share(memory: Array, part: Array) -> bool:
    """Return whether arrays share an element, as far as a short search shows that they do not."""
    try:
        return np.shares_memory(memory, part, max_work=cast("Any", _SEARCHED))
    except np.exceptions.TooHardError:
        return True
