"""Memory that an array shares with expressions: leaves of it, and whether anybody sees them.

A large array in memory is not copied for an expression that takes it in. Its owner has one node, a
leaf of the memory, and the nodes of its views are index maps of that leaf, so that the compiler
sees one array however many views a stencil takes. Who writes drops the owner's reference to the
leaf and looks whether the leaf lives on. If it does, a pending expression, a stored value or an
evaluation under way reads the memory, or another array has the same value: then the owner goes on
with a copy. If it does not, nobody sees the write, and it goes in place. Nothing need be counted
while expressions are built.

An ndarray that the user got of the memory is no node. So the leaf notes that there is one. Views
that the user got are made of one ndarray, a *lease*, and keep it: once they are gone, the memory is
the array's alone again.
"""

from __future__ import annotations

import weakref
from sys import getrefcount
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.copies import copied_as_it_lies
from lazyarr.arrays.immediate import limit
from lazyarr.arrays.steps import Bits, Locked, Part, Reshaped, Step, read, region
from lazyarr.arrays.storing import (
    BORROWED,
    Storing,
    changing,
    enter_leaf,
    forget_node,
    known_node,
    move,
)
from lazyarr.builders import build
from lazyarr.core.addresses import address_of
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.graph.leaf import Leaf, SharedLeaf
from lazyarr.graph.node import Node, fresh_leaf
from lazyarr.ops.movement import LEAF

__all__ = [
    "UNSEEN",
    "VIEWED_PART",
    "detach",
    "export",
    "fresh_leaf_of",
    "is_shared",
    "leaf_of",
    "lease",
    "lent_memory",
    "part_of",
    "steps_between",
    "steps_in_memory",
]

Array = np.ndarray[Any, Any]

#: Elements of an array that is copied for an expression where no limit applies.
_COPIED = tuning.row().copied_elements
#: Of an array that was written to, a view of less than this part is copied for an expression: the
#: next write would copy the whole.
VIEWED_PART = tuning.row().viewed_part
#: Index maps from an owner's memory to that of a view, by where they lie.
_maps: dict[tuple[object, ...], tuple[Step, ...]] = {}
_MOST_MAPS = tuning.row().cached_maps


def is_shared(memory: Array) -> bool:
    """Return whether expressions share an array in memory; small ones are copied."""
    return memory.size > (limit() or _COPIED)


def leaf_of(owner: Storing) -> Node:
    """Return the leaf of the memory of an array that owns it."""
    known = known_node(owner)
    if known is not None:
        return known
    with changing():  # not while another thread makes up its mind whether it copies
        known = known_node(owner)
        if known is not None:
            return known
        memory = owner._array
        if owner._history is BORROWED:
            known = build.leaf(memory)
        else:
            known = fresh_leaf_of(memory)
        return enter_leaf(owner, known)


def fresh_leaf_of(memory: Array) -> Node:
    """Return a leaf of memory that one array will own.

    Parameters
    ----------
    memory : numpy.ndarray
        Its elements lie one after another.
    """
    shown = memory.view()
    shown.flags.writeable = False
    return fresh_leaf(LEAF, shown.dtype, shown.shape, SharedLeaf(shown), origin())


def part_of(owner: Storing, memory: Array) -> Node | None:
    """Return the node of a view in memory, of the leaf of its owner; None if it is to be copied.

    Parameters
    ----------
    owner : LazyArray
        Owns the elements.
    memory : numpy.ndarray
        The view's.
    """
    owned = owner._array
    if memory.size * VIEWED_PART < owned.size and _was_written(owner):
        return None
    value = leaf_of(owner)
    for step in steps_in_memory(owned, memory):
        value = read(value, step)
    return value


def _was_written(owner: Storing) -> bool:
    return getattr(owner, "_writes", 0) > 0 and owner._history is not BORROWED


def detach(owner: Storing) -> None:
    """Let the memory of an array be seen by nothing but its views: a copy, if it may be seen.

    Parameters
    ----------
    owner : LazyArray
        In memory; what it owns is about to be written to.
    """
    # In this order: who looks whether the leaf lives on takes it away after it has set the history.
    if known_node(owner) is None and owner._history is not BORROWED:
        return
    with changing():
        if owner._array is None:
            return  # another thread has made it an expression, and the caller will see that
        before = owner._history
        owner._history = BORROWED  # other threads wait before they write
        if before is BORROWED or _is_seen(owner):
            move(owner, copied_as_it_lies)
        else:
            owner._history = before


def _is_seen(owner: Storing) -> bool:
    if owner._view_nodes is None:
        return False
    leaf = known_node(owner)
    if leaf is None:
        return False
    if type(leaf.attr) is not SharedLeaf or leaf.attr.is_lent:
        return True
    was_used = bool(owner._view_nodes)
    owner._view_nodes = {}
    if was_used and getrefcount(leaf) <= UNSEEN:
        return False  # the leaf may stay: the next turn of a loop uses it
    forget_node(owner)
    reference = weakref.ref(leaf)
    del leaf
    return reference() is not None


class _Slot:
    __slots__ = ("_known",)


def _references_of_a_slot() -> int:
    """Return the reference count of a leaf that its owner and a local name alone refer to."""
    owner: Any = _Slot()
    owner._known = object()
    leaf = known_node(owner)
    return getrefcount(leaf)


#: References to a leaf that nothing but its owner and a local name refers to.
UNSEEN = _references_of_a_slot()


def export(owner: Storing, memory: Array) -> Array:
    """Return an array for the user of the memory of an array or its view, which never changes.

    Parameters
    ----------
    owner : LazyArray
        Owns the elements.
    memory : numpy.ndarray
        Its own, or that of a view.
    """
    with changing():  # not while another thread lets the owner have another value
        if owner._array is not None:
            leaf = leaf_of(owner).attr
            assert isinstance(leaf, Leaf)
            if type(leaf) is SharedLeaf:
                leaf.exported = True
            if memory is owner._array:
                return leaf.array
            if type(leaf) is not SharedLeaf:
                return memory.copy()  # the user may write to what was wrapped
    shown = memory.view()
    shown.flags.writeable = False
    return shown


def lease(owner: Storing) -> Array:
    """Return the memory of an array for views of it that the user gets, which never changes.

    Parameters
    ----------
    owner : LazyArray
        Owns the elements, which expressions share.
    """
    leaf = leaf_of(owner).attr
    assert type(leaf) is SharedLeaf
    lent = None if leaf.lease is None else leaf.lease()
    if lent is None:
        shown = leaf.array
        # Made by address: NumPy lets views of it refer to it, and not to what lies behind.
        lent = region(shown, 0, shown.shape, shown.strides, shown.dtype, False)
        leaf.lease = weakref.ref(lent)
    return lent


def lent_memory(leaf: Leaf) -> Array:
    """Return the memory of a leaf for the user, which never changes.

    It may be that of another array, which has the same value by now.
    """
    if type(leaf) is SharedLeaf:
        leaf.exported = True
    return leaf.array


def steps_in_memory(owned: Array, view: Array) -> tuple[Step, ...]:
    """Return steps from an array that owns its elements to a view of it in memory.

    One index map, if each axis of the view goes along axes of the owner.

    Parameters
    ----------
    owned : numpy.ndarray
        No two elements lie in the same place.
    view : numpy.ndarray
        Shows part of its memory.
    """
    start = address_of(view) - address_of(owned)
    lies = view.shape, view.strides, view.dtype, view.flags.writeable
    key = (start, owned.shape, owned.strides, owned.dtype, *lies)
    steps = _maps.get(key)
    if steps is None:
        index_map = None
        if view.dtype == owned.dtype:
            index_map = _along_axes(owned.shape, owned.strides, start, view)
        if index_map is None:
            steps = steps_between(owned, view)
        elif view.flags.writeable:
            steps = ((index_map, view.shape),)
        else:
            steps = (Locked(index_map, view.shape),)
        if len(_maps) >= _MOST_MAPS:
            _maps.clear()
        _maps[key] = steps
    return steps


def steps_between(array: Array, view: Array) -> tuple[Step, ...]:
    """Return steps from an array that owns its elements to a view of it in memory.

    Parameters
    ----------
    array : numpy.ndarray
        No two elements lie in the same place.
    view : numpy.ndarray
        Shows part of its memory.
    """
    steps: list[Step] = []
    order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    if not array.flags.c_contiguous:
        steps.append(_slowest_first(array, order))
    lengths, strides = _pieces(array, order)
    if array.ndim != 1:
        steps.append(Reshaped(tuple(lengths)))
    start = view.__array_interface__["data"][0] - array.__array_interface__["data"][0]
    # From the first byte of all, which is that of the last element along axes that go backwards.
    start -= sum([min(0, s) * (n - 1) for n, s in zip(array.shape, array.strides, strict=True)])
    if view.dtype != array.dtype:
        if view.itemsize != array.itemsize != strides[-1]:
            # NumPy shows nothing else of elements that lie apart.
            steps.append(Part("imag" if start % array.itemsize else "real"))
            start -= start % array.itemsize
        else:
            steps.append(Bits(view.dtype))
            if view.itemsize != array.itemsize:
                lengths[-1] = lengths[-1] * array.itemsize // view.itemsize
                strides[-1] = view.itemsize
    index_map: View | None
    if not view.size:
        index_map = View((0,) * len(lengths), ((0,) * view.ndim,) * len(lengths))
    elif len(lengths) > 1:
        index_map = _along_axes(tuple(lengths), tuple(strides), start, view)
        assert index_map is not None
    else:
        (step,) = strides
        pairs = zip(view.shape, view.strides, strict=True)
        row = tuple([stride // step if length > 1 else 0 for length, stride in pairs])
        index_map = View((start // step,), (row,))
    steps.append((index_map, view.shape) if view.flags.writeable else Locked(index_map, view.shape))
    return tuple(steps)


def _slowest_first(array: Array, order: list[int]) -> Step:
    """Return the step from an array to its elements in the order of their addresses.

    Parameters
    ----------
    array : numpy.ndarray
        Not empty.
    order : list of int
        Its axes, the slowest first.
    """
    offsets, rows = [0] * array.ndim, [[0] * array.ndim for _ in order]
    for column, axis in enumerate(order):
        is_backwards = array.strides[axis] < 0
        offsets[axis] = array.shape[axis] - 1 if is_backwards else 0
        rows[axis][column] = -1 if is_backwards else 1
    index_map = View(tuple(offsets), tuple([tuple(row) for row in rows]))
    return index_map, tuple([array.shape[axis] for axis in order])


def _pieces(array: Array, order: list[int]) -> tuple[list[int], list[int]]:
    """Return the lengths and strides of axes along which an array's elements are equally far apart.

    One axis, unless there are gaps of several lengths.

    Parameters
    ----------
    array : numpy.ndarray
        No two elements lie in the same place.
    order : list of int
        Its axes, the slowest first.
    """
    lengths, strides = [1], [array.itemsize]
    for axis in reversed(order):
        length, stride = array.shape[axis], abs(array.strides[axis])
        if lengths[0] == 1:
            lengths[0], strides[0] = length, stride if length != 1 else strides[0]
        elif stride == lengths[0] * strides[0]:
            lengths[0] *= length
        elif length != 1:
            lengths.insert(0, length)
            strides.insert(0, stride)
    return lengths, strides


def _along_axes(shape: Shape, strides: tuple[int, ...], start: int, view: Array) -> View | None:
    """Return the index map to a view whose axes go along axes of its owner; else None.

    Parameters
    ----------
    shape, strides : tuple of int
        Of the owner; strides in bytes.
    start : int
        Bytes from its first element to that of the view.
    view : numpy.ndarray
        Shows part of its memory.
    """
    if not view.size:
        return None
    slowest_first = sorted(
        [axis for axis in range(len(shape)) if shape[axis] > 1],
        key=lambda axis: -abs(strides[axis]),
    )
    # From the first byte of all, which is that of the last element along axes that go backwards.
    start -= sum([strides[k] * (shape[k] - 1) for k in slowest_first if strides[k] < 0])
    offsets = [0] * len(shape)
    for axis in slowest_first:
        offsets[axis], start = divmod(start, abs(strides[axis]))
        if strides[axis] < 0:
            offsets[axis] = shape[axis] - 1 - offsets[axis]
    rows = [[0] * view.ndim for _ in shape]
    least, most = list(offsets), list(offsets)
    for column, (length, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
        if length == 1 or not stride:
            continue
        axes = [(offsets[k], shape[k], strides[k]) for k in slowest_first]
        factors = _factors(stride, length, axes)
        if factors is None:
            return None
        for axis, factor in zip(slowest_first, factors, strict=True):
            rows[axis][column] = factor
            reach = factor * (length - 1)
            least[axis] += min(reach, 0)
            most[axis] += max(reach, 0)
    if start or not _inside(least, most, shape):
        return None
    return View(tuple(offsets), tuple([tuple(row) for row in rows]))


def _factors(stride: int, length: int, axes: list[tuple[int, int, int]]) -> list[int] | None:
    """Return the steps along axes that one step of a view takes; a diagonal's goes along several.

    Parameters
    ----------
    stride, length : int
        Of an axis of the view.
    axes : list of tuple
        Where the view begins along the owner's axes, their lengths and strides, the slowest first.
    """
    if not axes:
        return None if stride else []
    (first, size, step), *others = axes
    whole = int(stride / step)
    for factor in (whole, whole + 1, whole - 1):
        if 0 <= first + factor * (length - 1) < size:
            rest = _factors(stride - factor * step, length, others)
            if rest is not None:
                return [factor, *rest]
    return None


def _inside(least: list[int], most: list[int], shape: Shape) -> bool:
    bounds = zip(least, most, shape, strict=True)
    return all(low >= 0 and high < length for low, high, length in bounds)
