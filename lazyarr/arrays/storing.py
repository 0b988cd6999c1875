"""The state of arrays: an expression or memory, and for views their base."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from math import prod
from typing import Any, Protocol

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.steps import Step, region
from lazyarr.builders.movement import in_order
from lazyarr.core.addresses import extent
from lazyarr.core.shapes import Shape
from lazyarr.graph.leaf import SharedLeaf
from lazyarr.graph.node import Node, set_stored
from lazyarr.graph.storage import Layout, layout_of, lies_as

__all__ = [
    "BORROWED",
    "PAST_BITS",
    "Alias",
    "Storing",
    "become_expression",
    "borrow",
    "change",
    "changing",
    "enter_leaf",
    "forget_changeable",
    "forget_node",
    "has_places",
    "hold",
    "in_layout",
    "known_node",
    "laid",
    "layout_in",
    "layout_of_value",
    "lies_in_steps",
    "move",
    "store_value",
    "wrote",
]

Array = np.ndarray[Any, Any]

#: The history of an array whose memory was wrapped: it is the user's, and never written to.
BORROWED = object()

#: Elements that count in what an array remembers like one operation, as a power of two.
PAST_BITS = tuning.row().past_bits


class Storing(Protocol):
    """Aliasing state of an array that is a view or has views.

    Attributes
    ----------
    _array : numpy.ndarray or numpy.generic, optional
        Its memory; None if its value is an expression.
    _current : Node
        Its value, when it was last looked at; unset of an array in memory.
    _alias : tuple, optional
        What it is a view of; None if it owns its elements.
    _history : object
        Of an array in memory, what gave it.
    """

    _array: Any
    _current: Node
    _alias: Alias | None
    _history: Any
    _past: int
    _view_nodes: dict[int, tuple[Any, Node]] | None

    @property
    def _node(self) -> Node:
        """The value now current."""

    @property
    def _known(self) -> Node | None:
        """The node that it has, without making one."""

    @property
    def ndim(self) -> int:
        """Number of axes."""


#: The array that a view shows, its node from which the view's was made, and the steps from there.
#: Of a view in memory: the owner's memory that it is a view of, and None.
Alias = tuple["Storing", Any, "tuple[Step, ...] | None"]


_lock = threading.RLock()


def changing() -> threading.RLock:
    """Return the lock under which an array takes other memory, or an expression a next value.

    Writes to memory take none: a thread looks behind its write whether the array still has that
    memory, and writes again if it has not (see :func:`wrote`). So threads write to rows side by
    side.
    """
    return _lock


def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()  # it may be held by a thread that the child does not have


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _change(
    array: Storing, state: tuple[Any, Alias | None, Any, Node | None, Any], expected: Node | None
) -> bool:
    """Let an array have another state, in Python's form field by field.

    Parameters
    ----------
    array : LazyArray
        Its state is memory, alias, history, node, and the nodes of views.
    state : tuple
        The next one.
    expected : Node, optional
        The expression that it has to be, or nothing changes.

    Returns
    -------
    bool
        Whether it changed.
    """
    if expected is not None and (array._array is not None or known_node(array) is not expected):
        return False
    memory, alias, history, value, view_nodes = state
    # In this order: a thread that finds no memory finds the node.
    if memory is None:
        array._current = value  # type: ignore[assignment]
        array._alias = alias
        array._array = None
    array._view_nodes = view_nodes
    array._history = history
    if memory is not None:
        array._alias = alias
        array._array = memory
        if value is None:
            forget_node(array)
        else:
            array._current = value
    return True


#: Lets an array have another state, of which no other thread sees a part in the compiled form.
change: Callable[[Any, tuple[Any, ...], Any], bool] = (
    _change if COMPILED is None else COMPILED.change
)


def _enter_leaf(owner: Storing, leaf: Node) -> Node:
    """Let an array that owns its elements have a leaf of its memory, and return its leaf.

    That is another one if another thread was first.

    Parameters
    ----------
    owner : LazyArray
        In memory.
    leaf : Node
        Its leaf.
    """
    known = known_node(owner)
    if known is not None:
        return known
    if owner._view_nodes is None:
        owner._view_nodes = {}  # some node of its memory may be seen
    owner._current = leaf
    return leaf


#: Lets an array have a leaf of its memory, unless another thread was first, in the compiled form.
enter_leaf: Callable[[Any, Node], Node] = _enter_leaf if COMPILED is None else COMPILED.enter_leaf


def move(owner: Storing, copied: Callable[[Array], Array]) -> None:
    """Let an array have a copy of its memory, in which no write of another thread is missing.

    Parameters
    ----------
    owner : LazyArray
        Owns its elements, in memory; the caller has the lock.
    copied : callable
        Returns the copy.
    """
    # Who is about to write waits for the lock. Who writes now sees it afterwards, and writes again.
    # If there is no room for the copy it stays so, and the next write tries again: an expression
    # may see what is there.
    owner._history = BORROWED
    hold(owner, copied(owner._array))


def hold(array: Storing, memory: Any, alias: Alias | None = None, leaf: Node | None = None) -> None:
    """Let an array stand for memory.

    Parameters
    ----------
    array : LazyArray
        What had another value, or none yet.
    memory : numpy.ndarray or numpy.generic
        Its value, which nothing else writes to.
    alias : tuple, optional
        What it is a view of.
    leaf : Node, optional
        That of the memory, if expressions may see it.
    """
    array._past = (memory if alias is None else alias[1]).size >> PAST_BITS
    change(array, (memory, alias, None, leaf, None if leaf is None else {}), None)


def become_expression(
    array: Storing, value: Node, alias: Alias | None, expected: Node | None = None
) -> bool:
    """Let the value of an array be an expression.

    Parameters
    ----------
    array : LazyArray
        What had another value.
    value : Node
        Its value.
    alias : tuple, optional
        What it is a view of.
    expected : Node, optional
        The expression that it has to be, or nothing changes.

    Returns
    -------
    bool
        Whether it is that expression now.
    """
    return change(array, (None, alias, None, value, None), expected)


def forget_node(array: Storing) -> None:
    """Drop the node of an array in memory, if it has one."""
    with contextlib.suppress(AttributeError):
        del array._current


def forget_changeable(value: Node) -> None:
    """Forget the value of an expression if its leaves are memory that the program may change.

    Parameters
    ----------
    value : Node
        The value to store.
    """
    # Imported here: expressions are built without the compiler.
    from lazyarr.compiler import reuse

    reuse.forget_changeable((value,))


def store_value(value: Node, leaf: Node) -> None:
    """Let expressions that refer to a value begin with the leaf that holds it.

    Not those of a leaf of an array's memory, which goes on as the array's once nothing else refers
    to it, and may be written to then.

    Parameters
    ----------
    value : Node
        What was computed.
    leaf : Node
        Of the same value.
    """
    if type(value.attr) is SharedLeaf:
        return
    forget_changeable(value)
    set_stored(value, leaf)


def has_places(shape: Shape, strides: tuple[int, ...], itemsize: int) -> bool:
    """Return whether each element of an array lies in a place of its own, a whole number apart.

    Parameters
    ----------
    shape, strides : tuple of int
        Those of the array; strides in bytes.
    itemsize : int
        Bytes of an element.
    """
    reach = itemsize
    for stride, size in sorted(zip(map(abs, strides), shape, strict=True)):
        if size == 1:
            continue
        if stride < reach or stride % itemsize:
            return False
        reach = stride * size
    return True


def lies_in_steps(shape: Shape, strides: tuple[int, ...], itemsize: int) -> bool:
    """Return whether an array is a part in steps of a dense one that is not much larger.

    Views of it are found by where they lie.

    Parameters
    ----------
    shape, strides : tuple of int
        Those of the array; strides in bytes.
    itemsize : int
        Bytes of an element.
    """
    begin, end = extent(shape, strides, itemsize)
    row = tuning.row()
    most = max(row.stepped_bytes, row.stepped_span * itemsize * prod(shape))
    return end - begin <= most and has_places(shape, strides, itemsize)


def borrow(array: Storing, memory: Array, leaf: Node) -> None:
    """Let an array stand for memory of the user's, which is copied when it is first written to.

    Parameters
    ----------
    array : LazyArray
        What had another value, or none yet.
    memory : numpy.ndarray
        In C or Fortran order, or see :func:`lies_in_steps`.
    leaf : Node
        Its leaf.
    """
    # References to the array are the user's, beside the leaf's: they show whether it may change.
    shown = region(memory, 0, memory.shape, memory.strides, memory.dtype, True, leaf.attr)
    array._past = memory.size >> PAST_BITS
    change(array, (shown, None, BORROWED, leaf, {}), None)


def wrote(array: Storing, memory: Array) -> bool:
    """Record a write to the memory of an array, which no longer has its operation's result.

    Parameters
    ----------
    array : LazyArray
        An array, or a view of one.
    memory : numpy.ndarray
        What was written to.

    Returns
    -------
    bool
        Whether that is the array's memory still. If not, another thread let it have a copy, in
        which the write may be missing.
    """
    alias = array._alias
    owner = array if alias is None else alias[0]
    owned = memory if alias is None else alias[1]
    if alias is not None and array._history is not None:
        array._history = None
    if owner._history is not None:
        with changing():  # not while another thread makes a copy
            if owner._array is owned:
                owner._history = None
    if owner._array is not owned or array._array is not memory:
        return False
    array._past = owner._past = owned.size >> PAST_BITS
    if owner._view_nodes:
        owner._view_nodes = {}
    return True


def known_node(array: Storing) -> Node | None:
    """Return the node that an array has, without making one."""
    return array._known


def laid(memory: Array, array: Storing) -> Array:
    """Return memory in the order, or the steps, of an array's elements when it was written to.

    Parameters
    ----------
    memory : numpy.ndarray
        The value.
    array : LazyArray
        Owns its elements.
    """
    known: Layout | None = getattr(array, "_layout", None)
    if known is None or known.shape != memory.shape or known.strides == memory.strides:
        return memory
    is_dense = known.c_contiguous or known.f_contiguous
    if not is_dense and lies_in_steps(known.shape, known.strides, memory.itemsize):
        # Imported here: few programs write to arrays with gaps.
        from lazyarr.interop.array_interface import copied_with_strides

        return copied_with_strides(memory, known.strides)
    order = sorted(range(memory.ndim), key=lambda axis: -abs(known.strides[axis]))
    empty = np.empty([memory.shape[axis] for axis in order], memory.dtype)
    ordered = empty.transpose(np.argsort(order))
    ordered[...] = memory
    return ordered


def in_layout(value: Node, layout: Layout) -> Node:
    """Return the node of an array that holds a value and lies as it did when it was written to.

    What is made of it takes its order, which may not be that of the value.

    Parameters
    ----------
    value : Node
        What was written.
    layout : Layout
        Of the array.
    """
    if layout.shape != value.shape or lies_as(value, layout):
        return value
    return in_order(value, layout.order)


def layout_in(owned: Array, memory: Array) -> Layout:
    """Return the layout of a view in memory.

    Parameters
    ----------
    owned : numpy.ndarray
        The memory of the owner.
    memory : numpy.ndarray
        The view of it.
    """
    start = memory.__array_interface__["data"][0] - owned.__array_interface__["data"][0]
    return Layout(start, memory.shape, memory.strides, memory.itemsize)


def layout_of_value(value: Node) -> Layout:
    """Return the layout that NumPy's array of the value of an expression would have."""
    if COMPILED is not None and COMPILED.lies_in_c_order(value):
        return Layout.contiguous(value.shape, value.dtype.itemsize)
    return layout_of(value)
