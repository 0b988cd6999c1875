"""Unrolled short sums of values that depend on two arrays, before another reduction.

Distances of points in a few dimensions, ``((a[:, None] - b) ** 2).sum(-1)``, are as many as there
are pairs of points. If only their minimum is wanted, say, a sum that is elementwise additions is
part of the kernel of the minimum, and no distance is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.core import tuning
from lazyarr.core.dtypes import kind_of
from lazyarr.core.narrow_columns import are_of_one_thread
from lazyarr.core.shapes import View, compose
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import VIEW
from lazyarr.passes.rewrite import replace_nodes
from lazyarr.passes.simplify import constant

__all__ = ["Lanes", "write_out_short_sums"]

#: The elements of a part of a sum that are added one after another, for each of the states that are
#: then merged: the first half of them with the second, until one is left.
Lanes = tuple[tuple[int, ...], ...]

_ADD, _MULTIPLY = ELEMENTWISE["add"], ELEMENTWISE["multiply"]


def write_out_short_sums(
    roots: Sequence[Node],
    order_of: Callable[[Node, Node], tuple[Lanes, ...] | None],
    most: int,
    share: int,
    final: dict[Node, Node],
) -> tuple[Node, ...]:
    """Return the roots with some short sums along the last axis as elementwise additions.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    order_of : callable
        The order in which the target adds the elements of a sum, in its dtype, where a reduction
        follows: parts whose sums are added one after another. None if it is not short, or not along
        the last axis.
    most : int
        Operations in front of a sum, beyond which it stays as it is.
    share : int
        A sum has at least so many elements for each of the arrays that it reads.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    users: dict[Node, list[Node]] = {}
    for current in order:
        for source in current.src:
            users.setdefault(source, []).append(current)
    results = set(roots)
    chosen: dict[Node, tuple[Lanes, ...]] = {}
    for current in order:
        if current.op.kind is not Kind.REDUCE or not _is_of_pairs(current, results, most, share):
            continue
        last = _reduction_after(current, users, results)
        parts = None if last is None else order_of(current, last)
        if parts is not None:
            chosen[current] = parts
    if not chosen:
        return tuple(roots)
    return replace_nodes(roots, order, chosen, lambda old, moved: _added(moved, chosen[old]), final)


def _is_of_pairs(value: Node, results: set[Node], most: int, share: int) -> bool:
    """Whether few operations lead to a sum, of arrays that are much smaller than it is."""
    stack, seen, operations, read = [value.src[0]], {value.src[0]}, 0, 0
    while stack:
        current = stack.pop()
        if current.op.kind is Kind.ELEMENTWISE:
            operations += 1
            if current in results or operations > most:
                return False
        elif current.op is not VIEW:
            read += current.size
            continue
        fresh = [source for source in current.src if source not in seen]
        seen.update(fresh)
        stack += fresh
    return operations > 0 and value.size >= share * read


def _reduction_after(value: Node, users: dict[Node, list[Node]], results: set[Node]) -> Node | None:
    """Return the reduction that alone uses a value, or elementwise operations that it alone uses.

    None if there is no such reduction.

    The operations compute one value of each, or a value for each of a few columns that share it.

    Parameters
    ----------
    value : Node
        The value.
    users : dict of Node to list of Node
        What uses each node.
    results : set of Node
        What is stored in any case.
    """
    columns = tuning.row().thread_columns
    stack, seen = [value], {value}
    reductions: set[Node] = set()
    repeated = False
    while stack:
        current = stack.pop()
        if current in results:
            return None
        for user in users[current]:
            if user.op.kind is Kind.REDUCE:
                reductions.add(user)
                continue
            repeats = value.size <= user.size <= columns * value.size
            if not (user.op.kind is Kind.ELEMENTWISE or (user.op is VIEW and repeats)):
                return None
            repeated = repeated or user.shape != value.shape
            if user not in seen:
                seen.add(user)
                stack.append(user)
    if len(reductions) != 1:
        return None
    (last,) = reductions
    domain, axes = last.src[0].shape, last.attr
    assert isinstance(axes, tuple)
    return last if not repeated or are_of_one_thread(domain, axes) else None


def _added(value: Node, parts: tuple[Lanes, ...]) -> Node:
    """Return a sum along the last axis as additions of its elements.

    Parameters
    ----------
    value : Node
        The sum.
    parts : tuple of Lanes
        The order of additions.
    """
    source = value.src[0]

    def element(k: int) -> Node:
        return _part(source, k, {})

    def plus(one: Node, other: Node) -> Node:
        return node(_ADD, (one, other), value.dtype, value.shape, None, value.origin)

    def merged(lanes: Lanes, total: Node | None) -> Node:
        """Return the sum of a part of the elements."""
        states: list[Node] = []
        for places in lanes:
            state = element(places[0])
            if total is None and not states and not _is_nonnegative(source):
                state = plus(constant(0, state), state)  # sums begin with 0, and -0 is not it
            for k in places[1:]:
                state = plus(state, element(k))
            states.append(state)
        distance = 1
        while distance < len(states):
            distance *= 2
        while len(states) > 1:
            distance //= 2
            pairs = zip(states, states[distance:], strict=False)
            halves = [plus(one, other) for one, other in pairs]
            states = halves + states[len(halves) : distance]
        return states[0]

    total: Node | None = None
    for lanes in parts:
        part = merged(lanes, total)
        total = part if total is None else plus(total, part)
    assert total is not None
    return total


def _is_nonnegative(value: Node) -> bool:
    """Return whether elements are real and never -0, so that adding them to 0 changes none."""
    is_square = value.op is _MULTIPLY and value.src[0] is value.src[1]
    return kind_of(value.dtype) == "f" and (is_square or value.op.nonnegative)


def _part(value: Node, k: int, known: dict[Node, Node]) -> Node:
    """Return the elements of a value whose last index is `k`."""
    if value in known:
        return known[value]
    if value.op.kind is Kind.ELEMENTWISE:
        sources = tuple([_part(source, k, known) for source in value.src])
        part = node(value.op, sources, value.dtype, value.shape[:-1], value.attr, value.origin)
    elif not value.shape:
        part = value
    else:
        part = _selected(value, k)
    known[value] = part
    return part


def _selected(value: Node, k: int) -> Node:
    """Return the elements of a value, stored or a view, whose last index is `k`."""
    ndim = value.ndim - 1
    offsets = (0,) * ndim + (k if value.shape[-1] > 1 else 0,)
    rows = tuple(tuple(int(row == axis) for axis in range(ndim)) for row in range(ndim + 1))
    view, source = View(offsets, rows), value
    while source.op is VIEW and type(source.attr) is View:
        view, source = compose(source.attr, view, ndim), source.src[0]
    return node(VIEW, (source,), value.dtype, value.shape[:-1], view, value.origin)
