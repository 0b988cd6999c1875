"""Arrays that come to lie in memory, so that their elements are read and written there.

An array that was wrapped or computed has a leaf. It *adopts* the leaf's memory when an element or
a slice is first read: indices are then NumPy's, at its cost, and the first write takes a copy
(:data:`~lazyarr.arrays.storing.BORROWED`). Of an array that is still an expression a write to few
elements *computes* the whole, so that this write and those that follow go in place; a write to a
large part makes the next expression of the present one.

Nothing is computed while a function is traced or differentiated, where ``implicit`` forbids it, on
other devices, and with ``config(immediate=0)``.
"""

from __future__ import annotations

import weakref
from typing import Any, TypeVar

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import (
    keep_in_memory,
    layout,
    memory_of,
    note_layout,
    refreshed,
    settle,
    snapshot,
)
from lazyarr.arrays.copies import writable
from lazyarr.arrays.early_evaluation import INDEX_CAUSE, evaluate_now
from lazyarr.arrays.immediate import CHEAPER, CREATED, HOSTED, WRITTEN, limit
from lazyarr.arrays.pending_graph import is_of_few
from lazyarr.arrays.pending_writes import computed_array, memory_by_index
from lazyarr.arrays.shared_memory import export, fresh_leaf_of, is_shared, steps_between
from lazyarr.arrays.steps import Step, merged
from lazyarr.arrays.storing import (
    BORROWED,
    Storing,
    become_expression,
    borrow,
    changing,
    hold,
    known_node,
    laid,
    layout_of_value,
    lies_in_steps,
    store_value,
)
from lazyarr.core.donation import DONATED, refuse_donated
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.graph import storage
from lazyarr.graph.leaf import ComputedLeaf, Leaf
from lazyarr.graph.node import Kind, Node, is_of_constants
from lazyarr.ops.markers import stays_expression
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import running, scope

__all__ = [
    "adopt",
    "adopt_or_compute",
    "compute_owner",
    "computed_for_part",
    "computed_for_reads",
    "handed_out",
    "is_computed_first",
    "keep_computed",
    "lies_in_memory",
    "own_memory",
    "steps_of",
    "take",
    "wrapped_memory",
]

Array = np.ndarray[Any, Any]
T = TypeVar("T", bound=Storing)

#: A write to less than this part of an array that is an expression computes it.
_SMALL_PART = tuning.row().written_part
_FEW_BYTES = tuning.row().written_bytes
_FEW_NODES = tuning.row().immediate_nodes
_ONE_KERNEL = tuning.row().joined_operations
#: Reads of parts, each at most this fraction of an expression, after which that is computed.
_MOST_READS, _READ_PART = tuning.row().part_reads, tuning.row().read_part
_COLUMNS = tuning.row().least_columns
_MOST_NODES = tuning.row().straight_nodes
_READS: weakref.WeakKeyDictionary[Node, int] = weakref.WeakKeyDictionary()


def is_computed_first(array: Storing, elements: int | None = None) -> bool:
    """Return whether all of an array that is an expression is computed for a part of it.

    Parameters
    ----------
    array : LazyArray
        The array; its owner is an expression.
    elements : int, optional
        How many are written to; default: none, the part is read.
    """
    whole = (array if (alias := array._alias) is None else alias[0])._node
    is_small_part = elements is not None and elements * _SMALL_PART <= whole.size
    return is_small_part or whole.nbytes <= _FEW_BYTES


def adopt(array: Storing) -> bool:
    """Let an array have the memory of its leaf; return whether it has memory now.

    Parameters
    ----------
    array : LazyArray
        Any array; nothing is computed.
    """
    if array._array is not None:
        return True
    if not limit():
        return False
    alias = array._alias
    if alias is not None:
        if alias[0]._array is None and not adopt(alias[0]):
            return False
        settle(array)
        if array._alias is not None:
            refreshed(array)
            return array._array is not None
    value = known_node(array)
    if value is None:
        return False  # a selection that is not gathered
    leaf = value if value.stored is None else value.stored
    attr = leaf.attr
    if leaf.op is not LEAF or type(attr) not in HOSTED or not leaf.shape or is_bfloat16(leaf.dtype):
        return False
    assert isinstance(attr, Leaf)
    memory = attr.array
    if DONATED:
        refuse_donated(memory)
    if not memory.flags.forc and not (
        type(attr) is Leaf and lies_in_steps(memory.shape, memory.strides, memory.itemsize)
    ):
        return False
    is_line = memory.ndim == 1 and memory.flags.c_contiguous
    noted = getattr(array, "_layout", None)
    if noted is None and type(attr) is ComputedLeaf and not is_line:
        noted = array._layout = layout_of_value(value)  # type: ignore[attr-defined]
    if noted is not None:
        ordered = laid(memory, array)
        if ordered is not memory:
            take(array, weakref.ref(value), ordered)
            return array._array is not None
    with changing():
        if array._array is None and known_node(array) is value:
            borrow(array, memory, leaf)
    return array._array is not None


def take(array: Storing, value: weakref.ref[Node], memory: Any, leaf: Node | None = None) -> bool:
    """Let an array have memory of its value, unless another thread was first; return whether.

    Parameters
    ----------
    array : LazyArray
        An expression that owns its elements.
    value : weakref.ref of Node
        Its value, which nothing need keep.
    memory : numpy.ndarray or numpy.generic
        The same in memory of its own.
    leaf : Node, optional
        That of the memory, if expressions may see it.
    """
    with changing():
        # It may have been written to since.
        if array._array is not None or known_node(array) is not value():
            return False
        hold(array, memory, None, leaf)
    return True


def keep_computed(array: Any, value: Node, leaf: Node) -> bool:
    """Let an array have its computed value, unless another thread has written to it meanwhile.

    Parameters
    ----------
    array : LazyArray
        An expression.
    value : Node
        Its value as the computation began.
    leaf : Node
        The same, computed.

    Returns
    -------
    bool
        Whether it has memory now.
    """
    with changing():
        if array._node is not value:
            return False
        if array._alias is None and len(value.shape) > 1:
            storage.note_layout(leaf, layout(array))  # which the result does not show
        if array._alias is None and not is_of_constants(value):
            store_value(value, leaf)
        if not become_expression(array, leaf, array._alias, value):
            return False  # another thread has computed it, too
        keep_in_memory(array)
        return array._array is not None


def wrapped_memory(array: Storing) -> Array | None:
    """Return the user's memory that an array shows, for an immediate copy.

    Parameters
    ----------
    array : LazyArray
        Any array.

    Returns
    -------
    numpy.ndarray or None
        None if the value is an expression, or in memory that nothing else writes to.
    """
    if running:
        return None
    if not adopt(array):
        leaf = array._node
        return leaf.attr.array if type(leaf.attr) is Leaf else None
    alias = array._alias
    owner = array if alias is None else alias[0]
    memory = memory_of(array) if owner._history is BORROWED else None
    return memory if type(memory) is np.ndarray else None


def own_memory(array: T) -> T:
    """Let an array just made have the memory of its leaf for its own, so that it is written there.

    Parameters
    ----------
    array : LazyArray
        Just made, of a leaf of memory that nobody else knows.

    Returns
    -------
    LazyArray
        The array.
    """
    leaf = array._known
    if (
        array._array is None
        and leaf is not None
        and leaf.shape
        and not is_bfloat16(leaf.dtype)
        and limit()
    ):
        assert isinstance(leaf.attr, Leaf)
        hold(array, leaf.attr.array)
    return array


def compute_owner(array: Storing) -> bool:
    """Compute the elements that an array shows, with all of their owner's, if that may be.

    Parameters
    ----------
    array : LazyArray
        Any array.

    Returns
    -------
    bool
        Whether it has memory now.
    """
    if adopt(array):
        return True
    settle(array)
    alias = array._alias
    owner = array if alias is None else alias[0]
    if owner._array is None and not _compute(owner):
        return False
    return memory_of(array) is not None or adopt(array)


def adopt_or_compute(array: Storing) -> bool:
    """Let an array that is read by an index have memory: its leaf's, or that of few elements.

    Parameters
    ----------
    array : LazyArray
        Any array; one that is made of many elements is not computed.

    Returns
    -------
    bool
        Whether it has memory now.
    """
    if adopt(array):
        return True
    value = known_node(array if (alias := array._alias) is None else alias[0])
    most = limit() * CHEAPER
    return value is not None and is_of_few(value, most, _FEW_NODES) and compute_owner(array)


def computed_for_reads(array: Storing, elements: int) -> bool:
    """Compute an array that is an expression if small parts of it are read again and again.

    Each part would be an expression of its own, and compute its elements of the whole. One element
    of a reduction is enough: others follow.

    Parameters
    ----------
    array : LazyArray
        Any array.
    elements : int
        Of the part that is read now.

    Returns
    -------
    bool
        Whether it has memory now.
    """
    owner = array if (alias := array._alias) is None else alias[0]
    value = known_node(owner)
    if value is None or not value.src or elements * _READ_PART > value.size or not limit():
        return False
    reads = _READS.get(value, 0) + 1
    is_of_reduction = elements == 1 and _is_reduced(value, limit() * CHEAPER)
    if (reads < _MOST_READS and not is_of_reduction) or not _begins_in_memory(value):
        _READS[value] = reads
        return False
    _READS.pop(value, None)
    return compute_owner(array)


def computed_for_part(array: Storing, elements: int) -> bool:
    """Compute an expression of medium size for a part small enough for immediate operations.

    Parameters
    ----------
    array : LazyArray
        Any array; one that is made of many elements is not computed.
    elements : int
        Of the part that is read.

    Returns
    -------
    bool
        Whether it has memory now.
    """
    most = limit()
    value = known_node(array if (alias := array._alias) is None else alias[0])
    return (
        value is not None
        and 0 < elements <= min(most * CHEAPER, value.size // _COLUMNS)
        and is_of_few(value, most * CREATED, _FEW_NODES)
        and compute_owner(array)
    )


def _is_reduced(value: Node, most: int) -> bool:
    """Return whether a value of few elements is made of a reduction by operations on few."""
    order = [value]
    for current in order:
        if current.size > most or current.stored is not None or len(order) > _FEW_NODES:
            continue
        if current.op.kind is Kind.REDUCE:
            return True
        order.extend(current.src)
    return False


def _begins_in_memory(value: Node) -> bool:
    """Return whether an expression of few nodes begins with arrays in the host's memory."""
    stack, seen = [value], {id(value)}
    while stack:
        current = stack.pop()
        if isinstance(current.attr, Leaf) and type(current.attr) not in HOSTED:
            return False
        if len(seen) > _MOST_NODES:
            return False
        for source in current.src:
            if id(source) not in seen:
                seen.add(id(source))
                stack.append(source)
    return True


def lies_in_memory(view: Storing) -> bool:
    """Return whether a view that is about to be written to lies in memory, computed for that.

    Parameters
    ----------
    view : LazyArray
        Any array; one that owns its elements is not computed, and a large one left as it is.
    """
    alias = view._alias
    if view._array is not None:
        return False
    if alias is None:
        value = known_node(view)
        return value is not None and value.size <= limit() * WRITTEN and adopt(view)
    if adopt(view):
        return True
    if alias[0]._array is not None:
        return memory_by_index(view)
    return is_computed_first(view, view._current.size) and compute_owner(view)


def _compute(owner: Storing) -> bool:
    value: Node | None = owner._current
    assert value is not None
    if not value.shape or is_bfloat16(value.dtype):
        return False
    result = computed_array(value)
    if result is None:
        return False
    reference = weakref.ref(value)
    value = None
    return _keep_computed(owner, reference, result)


def _keep_computed(owner: Storing, reference: weakref.ref[Node], result: Array) -> bool:
    """Let an owner have its computed value for memory; return whether it has memory now."""
    note_layout(owner)
    memory = laid(writable(result), owner)
    leaf = fresh_leaf_of(memory)  # before another thread may write to it
    if not take(owner, reference, memory, leaf):
        return owner._array is not None
    reader = reference()
    if reader is not None and not is_of_constants(reader):
        store_value(reader, leaf)
    return True


def compute_together(*arrays: Any) -> bool:
    """Let expressions of few elements have memory, computed by one plan.

    Parameters
    ----------
    *arrays : object
        Arrays that own their elements, and what is none. If the first is in memory, of which parts
        are read or written to, those may be as many as are written at once.

    Returns
    -------
    bool
        Whether any was an expression and all have memory now.
    """
    kind = type(arrays[0])
    pending = {id(array): array for array in arrays if type(array) is kind and not adopt(array)}
    most = limit() * (CREATED if id(arrays[0]) in pending else WRITTEN)
    if not pending or not most or scope() is not None:
        return False
    owners = [*pending.values()]
    values = [owner._current for owner in owners if owner._alias is None]
    if len(values) < len(owners) or stays_expression(tuple(values)):
        return False
    if any(not v.shape or is_bfloat16(v.dtype) for v in values):
        return False
    behind = limit() * WRITTEN
    if not all(is_of_few(value, most, _ONE_KERNEL, behind) for value in values):
        return False
    results = evaluate_now(tuple(values), *INDEX_CAUSE)
    references = [weakref.ref(value) for value in values]
    values.clear()
    return all([*map(_keep_computed, owners, references, results)])


def handed_out(array: Storing) -> Array | None:
    """Return an array for the user that never changes; None of one that is not in memory.

    Parameters
    ----------
    array : LazyArray
        Its value.
    """
    memory = memory_of(array)
    if memory is None:
        return None
    alias = array._alias
    owner = array if alias is None else alias[0]
    if type(memory) is np.ndarray and is_shared(memory):
        return export(owner, memory)
    value = snapshot(array)
    return value.attr.array if isinstance(value.attr, Leaf) else np.array(memory)


def steps_of(array: Storing) -> tuple[Step, ...] | None:
    """Return the settled steps to a view from its owner; None of an array that is no view."""
    settle(array)
    with changing():  # not while another thread lets it have another value
        memory, alias = array._array, array._alias
    if alias is None:
        return None
    return steps_between(alias[1], memory) if alias[2] is None else merged(alias[2])
