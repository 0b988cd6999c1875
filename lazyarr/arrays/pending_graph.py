"""The bound on pending expressions: a loop that never asks for a value is computed in pieces.

Nodes are bounded, and bytes of the arrays that they refer to (:mod:`lazyarr.graph.pressure`). Once
there are many, the arrays that are made next are looked at, and one is computed whose expression is
a large part of them, with all else of it that is in use. In a loop that is an array of one line and
one number of nodes each time, so that the expressions have one form and the same plans serve again.
"""

from __future__ import annotations

from lazyarr.arrays import tuning
from lazyarr.arrays.storing import Storing, become_expression
from lazyarr.core.config import NAN, get_config
from lazyarr.core.source_location import Origin
from lazyarr.graph import pressure
from lazyarr.graph.leaf import Leaf
from lazyarr.graph.node import Node, Op, count_nodes_soon
from lazyarr.graph.pressure import PRESSURE
from lazyarr.ops.markers import stays_expression
from lazyarr.tracing import running, scope

__all__ = ["is_of_few", "relieve"]

_SMALL_PART = tuning.row().pending_part
_MANY_BYTES = tuning.row().pending_leaf_bytes
_FEW_NODES = tuning.row().pending_leaf_nodes
_WAIT = tuning.row().pending_wait
_MOST_MISSES = tuning.row().pending_misses
_MANY_LEAVES = tuning.row().pending_leaves
_ASK_AGAIN = tuning.row().pending_ask_again


class _Watch:
    """The bound on pending expressions: counters, and when they are next checked.

    Attributes
    ----------
    kind : tuple, optional
        The line and the operation of the next array that may be computed.
    goal : int
        The nodes of its expression then.
    nodes : int
        Those that it had when it was last looked at.
    skip : int
        Arrays of this kind, or under many bytes of any, that need not be looked at.
    misses : int
        Arrays of other kinds that were made since.
    left, asked_at : int
        Bytes that the system had left, and those of wrapped arrays then.
    goals : dict of tuple to int
        Nodes of the expressions that were computed, by their kinds.
    """

    __slots__ = ("asked_at", "goal", "goals", "kind", "left", "misses", "nodes", "skip")

    def __init__(self) -> None:
        self.goals: dict[tuple[Origin | None, Op], int] = {}
        self.left = self.asked_at = 0
        self.skip = 0
        self.forget()

    def forget(self) -> None:
        """Wait for none."""
        self.kind: tuple[Origin | None, Op] | None = None
        self.goal = self.nodes = self.misses = 0


_watch = _Watch()


def relieve(array: Storing) -> None:
    """Compute an array that was just made, if much is pending and its expression is much of it.

    Parameters
    ----------
    array : LazyArray
        Its value is an expression.
    """
    value = array._current
    if running or scope() is not None:
        return
    settings = get_config()
    if settings.implicit != "allow" or settings.max_memory or settings.debug == NAN:
        return
    is_due = PRESSURE.nodes and _is_due(value)
    if not is_due and not (_is_short_of_memory() and _refers_to_much(value)):
        return
    if stays_expression((value,)):
        _watch.skip = _watch.goal  # the question walks the expression
        return
    # Imported here: expressions are built without the compiler.
    from lazyarr.compiler import pipeline

    pipeline.store_in_use(value)
    if value.stored is not None:
        become_expression(array, value.stored, array._alias, value)
    if is_due:
        _end_watch()
        count_nodes_soon()  # those of this expression and of the compiler are gone then


def _is_short_of_memory() -> bool:
    """Whether wrapped arrays take much, and more than the system has left.

    While there is room, expressions wait for each other, to be computed together.
    """
    return PRESSURE.nbytes > PRESSURE.most_bytes and PRESSURE.nbytes > _left()


def _left() -> int:
    """Return the bytes that the system has left, asked for again when wrapped arrays are others."""
    if abs(PRESSURE.nbytes - _watch.asked_at) > _ASK_AGAIN:
        from lazyarr.runtime.available_memory import available_bytes  # large arrays alone

        _watch.asked_at, _watch.left = PRESSURE.nbytes, available_bytes()
    return _watch.left


def _end_watch() -> None:
    _watch.forget()
    _watch.skip = 0
    PRESSURE.nodes = False
    PRESSURE.update()


def _is_due(value: Node) -> bool:
    """Return whether an expression has many nodes, as many as the last one of its kind had."""
    kind = value.origin, value.op
    goals = _watch.goals
    if _watch.kind is None:
        # Where an expression was computed before, it is computed again, if that comes soon.
        is_waited_for = kind in goals or not goals or _watch.misses >= _WAIT * _WAIT
    else:
        is_waited_for = kind == _watch.kind
    if not is_waited_for:
        _watch.misses += 1
        if _watch.misses > _MOST_MISSES:
            _end_watch()
        return False
    if _watch.skip:
        _watch.skip -= 1
        return False
    nodes, _ = _pending(value, 0)
    if nodes < pressure.MOST_NODES // 4:
        _watch.skip = _WAIT
        _watch.misses += _WAIT * _WAIT
        if _watch.misses > _MOST_MISSES:
            _end_watch()
        return False
    if _watch.kind is None:
        _watch.kind, _watch.nodes = kind, nodes
        # Well above what it has when it is first looked at, which is not always the same.
        _watch.goal = max(goals.get(kind, 0), pressure.MOST_NODES * 3 // 2)
    if nodes >= _watch.goal:
        if len(goals) > pressure.MOST_NODES:
            goals.clear()
        goals[kind] = nodes
        return True
    step = nodes - _watch.nodes
    # The values of a backward pass have fewer nodes each time: no goal is near then, and a look at
    # each of them would take time as the square of their number.
    _watch.skip = max(0, (_watch.goal - nodes) // step - 2) if step > 0 else _WAIT
    _watch.nodes = nodes
    return False


def _refers_to_much(value: Node) -> bool:
    """Return whether an expression refers to many bytes, and computing it lets them go."""
    if value.nbytes * _SMALL_PART <= _MANY_BYTES:
        _, sizes = _pending(value, _FEW_NODES)
        return sum(sizes) >= max(_MANY_BYTES, _SMALL_PART * value.nbytes)
    if _watch.skip:
        _watch.skip -= 1
        return False
    _watch.skip = _WAIT
    _, sizes = _pending(value, pressure.MOST_NODES)
    return sum(sizes) >= max(_MANY_LEAVES * max(sizes, default=0), PRESSURE.most_bytes // 2)


def _pending(value: Node, most: int) -> tuple[int, list[int]]:
    """Return the number of nodes to compute, and the sizes in bytes of their leaves.

    Parameters
    ----------
    value : Node
        The expression.
    most : int
        Nodes that are looked at; 0 for all.
    """
    seen: set[int] = {id(value)}
    stack = [value]
    nodes = 0
    sizes: list[int] = []
    while stack:
        current = stack.pop()
        if current.stored is not None:
            continue
        nodes += 1
        if nodes == most:
            break
        if not current.src and isinstance(current.attr, Leaf):
            sizes.append(current.nbytes)
        for source in current.src:
            name = id(source)
            if name not in seen:
                seen.add(name)
                stack.append(source)
    return nodes, sizes


def is_of_few(value: Node, most: int, nodes: int, behind: int | None = None) -> bool:
    """Return whether few nodes of few elements are to be computed for a value.

    Parameters
    ----------
    value : Node
        The value.
    most : int
        Elements of it at most.
    nodes : int
        Nodes at most.
    behind : int, optional
        Elements at most of each node that it is made of; default: `most`.
    """
    bound = most if behind is None else behind
    stack, seen = [value], {id(value)}
    while stack:
        current = stack.pop()
        if current.stored is not None or not current.src:
            continue
        if current.size > bound or len(seen) > nodes:
            return False
        for source in current.src:
            if id(source) not in seen:
                seen.add(id(source))
                stack.append(source)
    return value.size <= most
