"""Views: arrays that show another's elements, are read again after writes and write through.

The model is functionalization. The array that owns its elements has a node, the value now current;
a write gives it another. A view has the owner, the owner's node from which its own was made, and
the steps that lead from the one to the other: it is out of date once the owner has another node,
and then takes the steps again when it is next read. To write to a view is to make the owner's next
value of its present one. Nodes never change, so what was made of an old value stays as it is.

Arrays in memory need no model: such an array has an ndarray, its views have NumPy's views of that,
and writes go there. A view is out of date only if its owner has another ndarray, or a node again
because what was written to it is not computed yet. Expressions copy small arrays and share large
ones (:mod:`lazyarr.arrays.shared_memory`); :mod:`lazyarr.arrays.residence` says when an array comes
to lie in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.copies import copied_as_it_lies
from lazyarr.arrays.immediate import Immediate, limit, small_leaf
from lazyarr.arrays.shared_memory import detach, is_shared, leaf_of, part_of, steps_between
from lazyarr.arrays.steps import (
    Bits,
    Locked,
    Part,
    PendingIndex,
    Reshaped,
    Step,
    Unsettled,
    at_integers,
    in_memory,
    known_key,
    merged,
    place,
    read,
)
from lazyarr.arrays.storing import (
    BORROWED,
    Storing,
    become_expression,
    changing,
    hold,
    in_layout,
    known_node,
    laid,
    layout_in,
    layout_of_value,
    wrote,
)
from lazyarr.builders import build
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import ComputedLeaf, Leaf, Node, fresh_leaf
from lazyarr.graph.storage import Layout
from lazyarr.ops.movement import LEAF

__all__ = [
    "is_number",
    "is_writeable",
    "keep_in_memory",
    "keep_written",
    "lay_copy",
    "layout",
    "leave_memory",
    "make_alias",
    "memory_of",
    "note_layout",
    "owner_of",
    "read_only",
    "refreshed",
    "settle",
    "snapshot",
    "writable_memory",
]

Array = np.ndarray[Any, Any]

#: Copies of an array's views that are kept at once, for expressions.
_CACHED_VIEWS = tuning.row().cached_views


# Arrays in memory.


def memory_of(array: Storing) -> Any:
    """Return the memory of an array, up to date; None if its value is an expression."""
    memory = array._array
    if memory is not None:
        alias = array._alias
        # Another thread may have brought it up to date in between.
        while alias is not None and (alias[0]._array is not alias[1] or array._array is not memory):
            refreshed(array)
            memory = array._array
            if memory is None:
                break
            alias = array._alias
    return memory


def snapshot(array: Storing) -> Node:
    """Return the node of an array in memory: of its value as it is now."""
    memory, alias = array._array, array._alias
    nodes = array._view_nodes if alias is None else alias[0]._view_nodes
    known = nodes.get(id(memory)) if nodes else None
    if known is not None and known[0] is memory:
        return known[1]
    with changing():  # not while another thread lets it have another value
        memory = memory_of(array)
        if memory is not None:
            return _snapshot(array, memory)
    return array._node  # an expression by now


def _snapshot(array: Storing, memory: Any) -> Node:
    alias = array._alias
    owner = array if alias is None else alias[0]
    nodes: Any = owner._view_nodes
    if nodes is None or len(nodes) > _CACHED_VIEWS:
        nodes = owner._view_nodes = {}
    # Before it is copied, so that who writes meanwhile drops what is kept.
    nodes[id(memory)] = _NOT_COPIED
    if type(memory) is not np.ndarray:
        number = np.array(memory)
        number.flags.writeable = False
        value = fresh_leaf(LEAF, number.dtype, (), Immediate(number, array._history), None)
    else:
        value = _leaf_or_part(array, owner, memory)
    nodes[id(memory)] = memory, value
    return value


#: What stands in the place of a copy that is not there yet.
_NOT_COPIED = (None, None)


def _leaf_or_part(array: Storing, owner: Storing, memory: Array) -> Node:
    """Return the node of memory: the shared leaf, a part of it, or the leaf of a copy."""
    if is_shared(memory):
        if memory is owner._array:
            return leaf_of(owner)
        if owner._history is BORROWED or is_shared(owner._array):
            part = part_of(owner, memory)
            if part is not None:
                return part
    if owner._history is BORROWED:
        return leaf_of(owner) if memory is owner._array else build.leaf(memory)
    if memory.size > owner._array.size:
        value = snapshot(owner)  # broadcast: the copy need not be as large
        for step in steps_between(owner._array, memory):
            value = read(value, step)
        return value
    is_whole = memory is owner._array  # which is handed out with the strides that it has
    copy = copied_as_it_lies(memory) if is_whole else memory.copy(order="K")
    copy.flags.writeable = False
    attr = Immediate(copy, array._history)
    return fresh_leaf(LEAF, copy.dtype, copy.shape, attr, None)


def writable_memory(array: Storing) -> Array | None:
    """Return the memory of an array to write to; None if it has none or must not be written to."""
    alias = array._alias
    owner = array if alias is None else alias[0]
    if type(owner._array) is np.ndarray:
        if not is_writeable(array):
            return None  # also where a copy would be
        detach(owner)
    memory = memory_of(array)
    return memory if type(memory) is np.ndarray and memory.flags.writeable else None


def keep_written(array: Any, memory: Array, key: Any = ...) -> None:
    """Note that the memory of an array was written to, and keep that if it has other memory now.

    Parameters
    ----------
    array : LazyArray
        An array, or a view of one.
    memory : numpy.ndarray
        Its memory as it was written to.
    key : object, optional
        The basic index of what was written; default: all.
    """
    while not wrote(array, memory):  # another thread let the array have a copy meanwhile
        target = writable_memory(array)
        if target is None:
            array[key] = memory[key].copy()  # an expression now
            return
        target[key] = memory[key]
        memory = target


def leave_memory(array: Storing) -> None:
    """Let the value of an array, and so of its views, be an expression again."""
    with changing():
        memory = memory_of(array)
        if memory is None:
            return
        alias = array._alias
        if alias is not None:
            owner, seen, steps = alias
            assert steps is None
            value = snapshot(array)
            alias = owner, owner._current, steps_between(seen, memory)
        else:
            value = _last_of_memory(array)
            if getattr(array, "_layout", None) is None and type(memory) is np.ndarray:
                array._layout = layout_in(memory, memory)  # type: ignore[attr-defined]
        become_expression(array, value, alias)


def _last_of_memory(owner: Storing) -> Node:
    """Return the node of the memory of an array that is about to be an expression.

    No write of another thread is missing: who is about to write waits for the lock, and who writes
    now writes to the expression then.

    Parameters
    ----------
    owner : LazyArray
        Owns its elements, in memory; the caller has the lock.
    """
    memory, history = owner._array, owner._history
    if history is BORROWED or (type(memory) is np.ndarray and is_shared(memory)):
        return snapshot(owner)  # it goes on with its memory, which nobody writes to any more
    owner._history = BORROWED
    copy = copied_as_it_lies(np.asarray(memory))
    copy.flags.writeable = False
    return fresh_leaf(LEAF, copy.dtype, copy.shape, Immediate(copy, history), None)


def keep_in_memory(array: Storing) -> None:
    """Let an array that owns its elements have memory, if its value is small and computed."""
    if array._array is not None or array._alias is not None:
        return
    most = limit()
    memory = small_leaf(array._current, most) if most else None
    if memory is not None:
        known = array._current
        attr = known.attr
        if type(attr) is Leaf:
            return  # memory that others may write to: it is read when the value is asked for
        if not memory.shape and type(attr) is not Leaf:
            memory = memory[()]  # of an operation's result
        hold(array, laid(memory.copy(order="K"), array) if memory.shape else memory)
        array._history = attr.history if isinstance(attr, Immediate) else (known,)


# Views.


def make_alias(view: Storing, parent: Storing, step: Step) -> None:
    """Let an array just made be a view of another, by one step from it.

    Parameters
    ----------
    view : LazyArray
        The array just made.
    parent : LazyArray
        What it shows elements of.
    step : Step
        From the one to the other.
    """
    settle(parent)
    memory = memory_of(parent)
    alias = parent._alias
    if type(memory) is np.ndarray:
        shown = in_memory(memory, step)
        if shown is not None:
            owner, seen = (parent, memory) if alias is None else alias[:2]
            hold(view, shown, (owner, seen, None))
            return
        if type(step) is Unsettled:
            return  # a copy
    if view._array is not None:
        settled = Reshaped(step.shape) if isinstance(step, Unsettled) else step
        become_expression(view, read(parent._node, settled), None)
    if alias is None:
        view._alias = (parent, parent._current, (step,))
        return
    steps = alias[2]
    if steps is None:
        steps = steps_between(alias[1], parent._array)
    # Views of views of views take few steps: their maps become one.
    steps = merged((*steps, step)) if len(steps) > 7 else (*steps, step)
    view._alias = (alias[0], alias[0]._current, steps) if alias[2] is None else (*alias[:2], steps)


def settle(view: Storing) -> None:
    """Settle whether an array in another shape is a view; if it is a copy, let it be one."""
    alias = view._alias
    if alias is None or alias[2] is None or type(alias[2][-1]) is not Unsettled:
        return
    with changing():  # not while another thread does
        _settle(view)


def _settle(view: Storing) -> None:
    alias = view._alias
    if alias is None or alias[2] is None:
        return
    last = alias[2][-1]
    if type(last) is not Unsettled:
        return
    owner, seen, before = alias[0], alias[1], alias[2][:-1]
    lies = _layout_by(owner, before)
    if lies.reshaped(last.shape) is None:
        view._alias = None
    else:
        view._alias = (owner, seen, (*before, Reshaped(last.shape)))


def refreshed(view: Storing) -> Node | None:
    """Bring a view up to date whose owner has been written to.

    Returns
    -------
    Node or None
        Its value; None if it has memory.
    """
    with changing():  # not while another thread does
        return _refreshed(view)


def _refreshed(view: Storing) -> Node | None:
    settle(view)
    alias = view._alias
    if alias is None:
        return view._current  # a copy, of what was there when it was made
    owner, seen, steps = alias
    memory, owned = view._array, memory_of(owner)
    if seen.shape != (owner._current if owned is None else owned).shape:
        # The owner was resized: what it had is the view's alone.
        if memory is not None:
            hold(view, memory.copy(order="K"))
            return None
        view._alias = None
        return view._current
    if steps is None:
        if owned is not None:
            start = memory.__array_interface__["data"][0] - seen.__array_interface__["data"][0]
            hold(view, place(owned, start, memory), (owner, owned, None))
            return None
        steps = steps_between(seen, memory)
    elif owned is not None and type(owned) is np.ndarray:
        shown: Array | None = owned
        for step in steps:
            shown = None if shown is None else in_memory(shown, step)
        if shown is not None:
            hold(view, shown, (owner, owned, None))
            return None
    value = root = owner._node
    for step in steps:
        value = read(value, step)
    become_expression(view, value, (owner, root, steps))
    return value


def note_layout(array: Storing) -> Layout:
    """Return the layout that an owner has once it is written to, and keep it.

    Its next node does not show it.
    """
    known: Layout | None = getattr(array, "_layout", None)
    if known is None:
        known = layout_of_value(array._node) if array._array is None else layout(array)
    known = known.apart()
    array._layout = known  # type: ignore[attr-defined]
    return known


def layout(array: Storing) -> Layout:
    """Return the layout of an array's elements, were it one of NumPy's."""
    settle(array)
    with changing():  # not while another thread lets it have another value
        memory, alias = memory_of(array), array._alias
    if memory is not None:
        if type(memory) is not np.ndarray:
            return Layout.contiguous((), memory.itemsize)
        return layout_in(memory if alias is None else alias[1], memory)
    if alias is None:
        root = array._node
        known: Layout | None = getattr(array, "_layout", None)
        if known is not None and known.shape == root.shape:
            return known
        lies = layout_of_value(root)
        if root.src and len(root.shape) > 1:
            array._layout = lies  # type: ignore[attr-defined]
        return lies
    assert alias[2] is not None  # or it had memory
    return _layout_by(alias[0], alias[2])


def _layout_by(owner: Storing, steps: Sequence[Step]) -> Layout:
    """Return the layout of the elements to which steps lead from an owner."""
    lies = layout(owner)
    listed: Layout | None = None  # whose elements, in C order, a map chooses from
    for step in steps:
        if type(step) is PendingIndex:
            # Where numbers are not computed, the first row has the same strides.
            first = [0 if isinstance(item, Node) else item for item in step.items]
            step = at_integers(step, known_key(step) or first, lies.shape)
        if isinstance(step, tuple | Locked):
            index_map, shape = step if isinstance(step, tuple) else (step.index_map, step.shape)
            if listed is None:
                lies = lies.indexed(index_map, shape)
            else:
                lies, listed = listed.at_positions(index_map, shape), None
            continue
        assert listed is None  # a map follows what is no view
        if type(step) is Part:
            lies = lies.part(step.name)
        else:
            if type(step) is Reshaped:
                moved = lies.reshaped(step.shape)
                if moved is None and len(step.shape) == 1:
                    listed = lies
                    continue
            else:
                assert type(step) is Bits
                moved = lies.read_as(step.dtype.itemsize)
            assert moved is not None  # or it would be no view
            lies = moved
    assert listed is None
    return lies


def owner_of(array: Storing) -> Storing:
    """Return the array whose elements an array shows, which may be itself."""
    settle(array)
    return array if (alias := array._alias) is None else alias[0]


def is_number(array: Storing) -> bool:
    """Return whether an array stands for one of NumPy's numbers, which no operator changes.

    Those are what reductions, operations and full indices give that have no axes.
    """
    memory = array._array
    if memory is not None:
        return type(memory) is not np.ndarray
    if array.ndim or array._alias is not None or hasattr(array, "_layout"):
        return False
    value = array._node
    return bool(value.src) or isinstance(value.attr, ComputedLeaf)


def is_writeable(array: Storing) -> bool:
    """Return whether an array may be written to."""
    locked: bool | None = getattr(array, "_locked", None)
    if locked is not None:
        return not locked
    settle(array)
    alias = array._alias
    if alias is None:
        return True
    if alias[2] is None:
        memory = array._array
        return (memory is None or bool(memory.flags.writeable)) and is_writeable(alias[0])
    return not any(type(step) is Locked for step in alias[2]) and is_writeable(alias[0])


def read_only() -> ArgumentError:
    """Return the error of a write to an array that must not be written to."""
    return ArgumentError(
        "assignment destination is read-only", origin=origin(), hint="copy it first: x.copy()"
    )


def lay_copy(copy: Storing, source: Storing, order: str, itemsize: int | None = None) -> None:
    """Note where the elements of a copy lie, which the node of its source does not show.

    Parameters
    ----------
    copy : LazyArray
        Just made, of the node of its source, or of that in another dtype.
    source : LazyArray
        Of at least two axes.
    order : str
        NumPy's name of the order of the copy.
    itemsize : int, optional
        Bytes of the copy's elements; default: those of the source.
    """
    lies = layout(source).copied(order)
    if itemsize is not None:
        strides = tuple([stride // lies.itemsize * itemsize for stride in lies.strides])
        lies = Layout(0, lies.shape, strides, itemsize)
    copy._layout = lies  # type: ignore[attr-defined]
    value = known_node(copy)
    if copy._array is None and value is not None:
        # Unless another thread has computed it meanwhile.
        become_expression(copy, in_layout(value, lies), copy._alias, value)
