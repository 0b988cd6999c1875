"""Reuse across evaluations: the second evaluation of a value stores it for the third.

In ::

    while np.abs(x - np.cos(x)).max() > 1e-12:
        x = np.cos(x)

every iteration asks for one number and leaves ``x`` an expression, which grows. Each evaluation
marks the nodes that it computes. One that comes upon a marked node stores what is still in use: the
repeated values, and those made of them. Each node then has a leaf that holds its value
(:attr:`~lazyarr.graph.node.Node.stored`), with which expressions that are built later begin, and at
which the walk over earlier ones ends. So no value is computed more than twice.

What a library function returns lies in memory of its own anyway, and takes long: it is stored with
the first evaluation, unless the expression begins with memory that somebody else may write to. So
is a value of middle size that takes longer to compute than to store and load. Bytes, as the truth
values of a mask, take a fraction of that: of these the first ones that the results are made of are
stored, not those that lie behind them.

A value is in use if anything outside of the expression refers to its node: an array of the
program, or another expression. Python counts references anyway, so that nothing need be noted when
arrays are made, and no heap is searched.

An evaluation of the very same roots stores nothing: who asks for them again has asked to compute
them again, perhaps from memory that has changed.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from math import prod
from sys import getrefcount
from typing import Any

import numpy as np

from lazyarr.core import tuning
from lazyarr.graph.leaf import Region
from lazyarr.graph.node import (
    ComputedLeaf,
    Early,
    Kind,
    Leaf,
    Node,
    forget_node,
    fresh_leaf,
    replace_sources,
    set_memo,
    set_stored,
    walk,
)
from lazyarr.graph.storage import note_layout, operand_layout
from lazyarr.ops.markers import holds_variable
from lazyarr.ops.movement import LEAF, WRITE
from lazyarr.passes.canonicalize import Bindings, bound_node

__all__ = [
    "COMPUTED",
    "IN_USE",
    "WORTH_A_LOOK",
    "choose_stored",
    "current",
    "forget_changeable",
    "mark",
    "may_change",
    "result_count",
    "store",
    "store_arrays",
    "worth_storing",
]

Array = np.ndarray[Any, Any]

#: The memo of a node that an evaluation has computed.
COMPUTED = object()
#: Where values come from that arrays of the program go on with.
IN_USE = Early("a value in use", "several evaluations would have computed it again")
_NONE: frozenset[int] = frozenset()
#: What is looked at, and stored, when it is computed for the first time.
WORTH_A_LOOK = tuning.OF_MACHINE.expensive_elements
_LEAST_ADDITIONS = tuning.OF_MACHINE.expensive_additions
_STORE_ADDITIONS = tuning.OF_MACHINE.stored_additions
_STORE_BYTE_ADDITIONS = tuning.OF_MACHINE.stored_byte_additions
_STORED_BYTES = tuning.OF_MACHINE.expensive_bytes
_CALLED_ADDITIONS = tuning.OF_MACHINE.called_additions
_UNCOMPUTED = frozenset((Kind.VIEW, Kind.RESHAPE, Kind.CONSTANT, Kind.LEAF, Kind.MARKER))


def mark(order: Iterable[Node]) -> frozenset[int]:
    """Note that nodes are computed; return the identities of those that were computed before.

    A view of a leaf is not computed, and expressions of the same array share it.
    """
    repeated: list[int] = []
    for value in order:
        src = value.src
        if src and (src[0].src or value.op.kind is not Kind.VIEW):
            if value.memo is None:
                set_memo(value, COMPUTED)
            else:
                repeated.append(id(value))
    return frozenset(repeated) if repeated else _NONE


def _library_values(bindings: Bindings) -> frozenset[int]:
    """Return the identities of the values that lie in memory of their own, and stay as they are.

    Parameters
    ----------
    bindings : Bindings
        All that an expression is made of.
    """
    # What writes to memory that it is handed has a place in the memory plan, which others reuse.
    names = [
        id(value)
        for value in bindings.order
        if value.op.kind is Kind.LIBRARY and not value.op.supports_out
    ]
    if not names or any(may_change(value.attr) for value in bindings.leaves):
        return _NONE
    return frozenset(names)


def may_change(leaf: Any) -> bool:
    """Return whether the program may write to the memory of a leaf."""
    return type(leaf) is Leaf and _is_referred_to(leaf)


def _is_referred_to(holder: Any) -> bool:
    """Return whether the program refers to the array of a leaf, or to that in a tuple.

    Such a tuple keeps a small array that was wrapped, and a region keeps a larger one by its leaf.
    """
    array = holder.array if isinstance(holder, Leaf) else holder[0]
    base = array.base
    if type(base) is np.ndarray and base.base is not None:
        base = base.base
    if type(base) is Region:
        return not isinstance(base.keeper, Leaf) or _is_referred_to(base.keeper)
    if type(base) is tuple and type(base[0]) is np.ndarray:
        return _is_referred_to(base)
    if base is not None and type(base) is not np.ndarray:
        return True
    own = _references_of_an_array()
    return getrefcount(array) > own or (base is not None and getrefcount(base) > own)


def choose_stored(
    roots: Sequence[Node],
    bindings: Bindings,
    repeated: frozenset[int],
    computed: frozenset[int] = frozenset(),
    *,
    expensive: bool = False,
) -> list[Node]:
    """Return the values that an evaluation should store beside its results.

    Parameters
    ----------
    roots : sequence of Node
        What is asked for.
    bindings : Bindings
        All that it is made of.
    repeated : frozenset of int
        Identities of the nodes among that which were computed before.
    computed : frozenset of int, optional
        Identities of those that lie in memory of their own anyway.
    expensive : bool, optional
        Whether values are stored, too, that take longer to compute than to store and load.

    Returns
    -------
    list of Node
        Values in use outside of the expression: such ones and repeated ones, and ones made of
        repeated ones that are no larger than what the expression starts from. The state of a loop
        is; what it broadcasts in between may be much larger. What is made of constants alone is
        part of plans, and those refer to it: it is not considered.
    """
    if holds_variable(roots):
        return []  # a leaf would no longer depend on what it is differentiated by
    order = bindings.order
    bound = {id(value) for value in (*bindings.leaves, *bindings.scalars, *bindings.windows)}
    largest = 0
    users: Counter[int] = Counter()
    sources: set[int] = set()
    for value in order:
        if value.op.kind is Kind.GENERATE:
            bound.add(id(value))
        if all(source.op.kind is Kind.CONSTANT for source in value.src):
            largest = max(largest, value.nbytes)  # a leaf, or such as zeros
        if id(value.src) not in sources:
            sources.add(id(value.src))
            users.update(map(id, value.src))
    asked = set(map(id, roots))
    # A result that shows what a library computed lies in that memory: stored, it would be a copy.
    shown = {id(_source_of_views(root)) for root in roots}
    computed -= shown
    free = max(largest, tuning.row().reused_bytes)
    unused = _references_of_a_list()
    derived: set[int] = set()
    stored: set[int] = set()
    narrow: set[int] = set()
    chosen: list[int] = []
    costs: dict[int, int] = {}
    for position, value in enumerate(order):
        name = id(value)
        if expensive and value.src:
            costs[name] = _additions(value) + _spent_on_operands(value, costs)
        if bound.isdisjoint([id(bound_node(source)) for source in value.src]):
            continue
        bound.add(name)
        if name in repeated:
            limit = free
        elif any(id(source) in derived for source in value.src):
            limit = largest
        elif name in computed:
            limit = free
        elif costs.get(name, 0) >= max(_LEAST_ADDITIONS, _STORE_ADDITIONS * value.size):
            limit = free if costs[name] >= _CALLED_ADDITIONS * value.size else _STORED_BYTES
            limit = limit if name not in shown else 0
        elif value.dtype.itemsize == 1 and costs.get(name, 0) >= max(
            _LEAST_ADDITIONS, _STORE_BYTE_ADDITIONS * value.size
        ):
            limit = _STORED_BYTES if name not in shown else 0
            narrow.add(name)
        else:
            continue
        if name in repeated or any(id(source) in derived for source in value.src):
            derived.add(name)
        in_use = getrefcount(value) > unused + users[name]
        if not in_use or name in asked or value.nbytes > limit or not _computes(value, stored):
            narrow.discard(name)
            continue
        chosen.append(position)
        if name not in narrow:
            stored.add(name)
            costs[name] = 0
    if narrow:
        stored |= _met_first(roots, order, stored, narrow)
        chosen = [position for position in chosen if id(order[position]) in stored]
    return [order[position] for position in chosen]


def _met_first(
    roots: Sequence[Node], order: Sequence[Node], stored: set[int], narrow: set[int]
) -> set[int]:
    """Return the identities of narrow values that some root is made of by values not stored.

    What is behind another one was most likely computed for it alone.
    """
    visible = set(map(id, roots))
    met: set[int] = set()
    for value in reversed(order):
        name = id(value)
        if name not in visible or name in stored:
            continue
        if name in narrow:
            met.add(name)
        else:
            visible.update(map(id, value.src))
    return met


def worth_storing(
    roots: Sequence[Node],
    bindings: Bindings,
    repeated: frozenset[int],
    on_host: bool,
    expensive: bool,
) -> list[Node]:
    """Return the values that a first or later evaluation of some roots should store.

    Parameters
    ----------
    roots, bindings, repeated
        As of :func:`choose_stored`.
    on_host : bool
        Whether libraries return arrays of the host.
    expensive : bool
        Whether values of middle size that take long are stored with the first.
    """
    computed_by_libraries = _library_values(bindings) if on_host else _NONE
    expensive = expensive and on_host and _may_be_expensive(bindings)
    if not (repeated or computed_by_libraries or expensive):
        return []
    return choose_stored(roots, bindings, repeated, computed_by_libraries, expensive=expensive)


def _may_be_expensive(bindings: Bindings) -> bool:
    """Return whether an expression may take long, and begins with memory that stays as it is."""
    return any(prod(value.shape) >= WORTH_A_LOOK for value in bindings.order) and not any(
        may_change(value.attr) for value in bindings.leaves
    )


def _spent_on_operands(value: Node, costs: dict[int, int]) -> int:
    """Return the additions for the elements that a value reads of its operands."""
    spent = sum([costs.get(id(source), 0) for source in value.src])
    if value.op.kind is Kind.VIEW and spent:
        whole = prod(value.src[0].shape)
        return spent * min(prod(value.shape), whole) // max(whole, 1)
    return spent


def _additions(value: Node) -> int:
    """Return the arithmetic that computes a value of its operands, in additions."""
    op = value.op
    if op.kind is Kind.REDUCE:
        return op.cost * prod(value.src[0].shape)
    if op.kind is Kind.SCAN:
        return max(op.cost, tuning.row().scanned_additions) * prod(value.shape)
    if op.kind in _UNCOMPUTED:
        return 0
    if op.kind is Kind.LIBRARY:  # a norm is one number of many
        return op.cost * max(prod(read.shape) for read in (value, *value.src))
    return op.cost * prod(value.shape)


def _source_of_views(value: Node) -> Node:
    """Return the node whose elements a value shows."""
    while value.op.kind in (Kind.VIEW, Kind.RESHAPE):
        value = value.src[0]
    return value


def _references_of_a_list() -> int:
    """Return the reference count of an object that only a list and the loop over it refer to."""
    for _, value in enumerate([object()]):
        return getrefcount(value) + 0
    raise AssertionError


@functools.cache
def _references_of_an_array() -> int:
    """Return the reference count of an array that a leaf and a variable refer to."""
    leaf = Leaf(np.empty(0))
    array = leaf.array
    return getrefcount(array)


def _computes(value: Node, stored: set[int]) -> bool:
    """Return whether a value has operations of its own, beyond views of values in memory."""
    while value.op.kind in (Kind.VIEW, Kind.RESHAPE):
        value = value.src[0]
        if id(value) in stored or value.stored is not None:
            return False
    return any(source.op.kind is not Kind.CONSTANT for source in value.src)


def store(values: Iterable[Node], memory: Iterable[Leaf]) -> None:
    """Let expressions begin with values that have been computed.

    Parameters
    ----------
    values : iterable of Node
        What was computed.
    memory : iterable of Leaf
        Where each value lies.
    """
    values = list(values)
    forget_changeable(values)
    for value, attr in zip(values, memory, strict=True):
        leaf = fresh_leaf(LEAF, value.dtype, value.shape, attr, value.origin)
        if len(value.shape) > 1:
            note_layout(leaf, operand_layout(value))
        set_stored(value, leaf)


def forget_changeable(values: Sequence[Node]) -> None:
    """Drop expressions from the intern table if the memory that they read may change.

    Those of an ndarray of the user's, which may have other elements by then.

    Parameters
    ----------
    values : sequence of Node
        What is stored.
    """
    seen = set(values)
    stack = list(seen)
    while stack:
        for source in stack.pop().src:
            if source in seen or source.stored is not None:
                continue  # of values that are stored already, equal ones are others
            if not source.src and may_change(source.attr):
                for value in values:
                    forget_node(value)
                return
            seen.add(source)
            stack.append(source)


def store_arrays(values: Iterable[Node], arrays: Sequence[Array]) -> None:
    """Let expressions begin with values that have been computed beside others.

    Parameters
    ----------
    values : iterable of Node
        What was computed.
    arrays : sequence of numpy.ndarray
        Each value, in memory that nothing else writes to.
    """
    for array in arrays:
        array.flags.writeable = False
    store(values, [ComputedLeaf(array, IN_USE) for array in arrays])


def current(roots: Sequence[Node]) -> tuple[Node, ...]:
    """Return the expressions as they would be evaluated now: stored values are leaves."""
    present: dict[Node, Node] = {}
    for value in walk(roots, stop=lambda value: value.stored is not None):
        if value.stored is not None:
            present[value] = value.stored
        else:
            present[value] = replace_sources(value, tuple([present[s] for s in value.src]))
    return tuple([present[root] for root in roots])


def result_count(roots: Sequence[Node]) -> int:
    """Return the number of results that have memory of their own: no writes."""
    return sum([root.op is not WRITE for root in roots])
