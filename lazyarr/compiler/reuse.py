"""Loops that look at what they compute: what each look would compute again is kept.

In ::

    while np.abs(x - np.cos(x)).max() > 1e-12:
        x = np.cos(x)

every turn asks for one number and leaves ``x`` an expression, which grows. The second turn would
compute what the first did again, the third both, each with kernels of its own. So who evaluates
marks what it computes; and once it comes upon what was computed twice before, it also stores the
values that arrays of the program go on with. The expressions of these arrays begin anew there.

Stored is what is new and made of what was computed before, what arrays that are alive still refer
to, and what is no larger than what the expression starts from: the state of a loop is, while what
it broadcasts in between may be much larger. An eager program holds all of it.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar
from weakref import ref

from lazyarr.graph.node import Kind, Node, replace_sources, walk

__all__ = ["COMPUTED", "again", "mark", "restart", "watch", "watched", "watches"]

T = TypeVar("T")

#: The memo of a node that one evaluation has computed. Any other tells that several have.
COMPUTED = object()
_OFTEN = object()

#: The arrays alive, once something was computed a third time: nobody pays for it before.
watched: list[ref[Any]] = []
_lock = threading.Lock()
#: How many there may be before those that are gone are dropped.
_FEW = 1024
_room = _FEW
#: The class of arrays, which have a ``_node``.
_classes: list[type] = []


def watches(kind: type[T]) -> type[T]:
    """Let arrays of a class begin anew: a decorator."""
    _classes.append(kind)
    return kind


def watch(array: Any) -> None:
    """Remember an array for as long as it lives."""
    watched.append(ref(array))
    if len(watched) > _room:
        _living()


def mark(order: Iterable[Node]) -> bool:
    """Note that nodes are computed; return whether one of them was twice before."""
    often = False
    for found in order:
        if found.src:
            if found.memo is None:
                found.memo = COMPUTED
            elif found.memo is COMPUTED:
                found.memo = _OFTEN
            else:
                often = True
    return often


def again(roots: Sequence[Node], order: Sequence[Node]) -> list[Node]:
    """Return what is worth storing when an expression is computed in which something comes again.

    Parameters
    ----------
    roots : sequence of Node
        What is asked for.
    order : sequence of Node
        All that it is made of, marked already: what is marked once is new.
    """
    most = 0
    repeated: set[Node] = set()
    new: set[Node] = set()
    for found in order:
        if all(source.op.kind is Kind.CONSTANT for source in found.src):
            most = max(most, found.nbytes)  # a leaf, or such as zeros
        elif found.memo is not COMPUTED:
            repeated.add(found)
        elif not repeated.isdisjoint(found.src) or not new.isdisjoint(found.src):
            new.add(found)
    wanted = {found for found in new if found.nbytes <= most}.difference(roots)
    if not wanted:
        return []
    if not watched:
        _begin()
    inside = set(order)
    reached: dict[Node, None] = {}
    outside = walk([array._node for array in _living()], stop=inside.__contains__)
    for found in outside:
        if found in wanted:
            reached[found] = None
    return list(reached)


def restart(leaves: Mapping[Node, Node]) -> None:
    """Let the arrays that are made of computed nodes begin with leaves that hold their values."""
    arrays = _living()
    made: dict[Node, Node] = dict(leaves)
    for found in walk([array._node for array in arrays], stop=leaves.__contains__):
        if found not in made:
            made[found] = replace_sources(found, tuple([made[source] for source in found.src]))
    for array in arrays:
        found = array._node
        fresh = made.get(found, found)
        if fresh is not found:
            array._node = fresh


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    # A thread that the child does not have may hold it.
    os.register_at_fork(after_in_child=_renew_lock)


def _begin() -> None:
    """Look for the arrays that were made before anything was watched."""
    watched.extend(ref(thing) for thing in gc.get_objects() if type(thing) in _classes)


def _living() -> list[Any]:
    """Return the arrays that are still there, and drop the rest."""
    global _room
    with _lock:
        count = len(watched)
        living = [(entry, array) for entry in watched[:count] if (array := entry()) is not None]
        watched[:count] = [entry for entry, _ in living]
        _room = max(_FEW, 2 * len(watched))
    return [array for _, array in living]
