"""Writes to expressions: the next value of an array, which is made of the present one.

The array that owns the elements takes it on, and what is a view of it is out of date then
(:mod:`lazyarr.arrays.aliasing`). After a run of writes the value is computed, as the expression of
a loop would grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import (
    is_writeable,
    keep_written,
    layout,
    leave_memory,
    note_layout,
    owner_of,
    read_only,
    refreshed,
    settle,
    writable_memory,
)
from lazyarr.arrays.copies import filled, zeros
from lazyarr.arrays.early_evaluation import INDEX_CAUSE, evaluate_now
from lazyarr.arrays.immediate import FAULT, HOSTED, at_once, limit, small_leaf
from lazyarr.arrays.steps import (
    PendingIndex,
    Step,
    at_integers,
    computed_key,
    known_key,
    merged,
    read,
    written,
)
from lazyarr.arrays.storing import (
    Storing,
    become_expression,
    changing,
    hold,
    in_layout,
    laid,
)
from lazyarr.builders import build
from lazyarr.core.config import get_config
from lazyarr.core.source_location import origin
from lazyarr.graph.device_leaf import DeviceLeaf, is_on_device
from lazyarr.graph.node import Early, Kind, Node, fresh_leaf
from lazyarr.ops.markers import stays_expression
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import current, running, scope
from lazyarr.tracing.hooks import FUNCTIONS

Array = np.ndarray[Any, Any]

__all__ = [
    "MOST_WRITES",
    "begin_write",
    "computed",
    "computed_array",
    "is_last_write",
    "may_compute",
    "memory_by_index",
    "own",
    "passing",
    "settle_index",
    "write_through",
]

#: Writes to an array after which its value is computed. A loop that writes in every iteration then
#: computes expressions of this many iterations, which have one form and so one plan.
MOST_WRITES = tuning.row().writes
#: Operations and reads of an expression at most to which more writes are joined.
_JOINED_OPERATIONS, _JOINED_READS = tuning.row().joined_operations, tuning.row().joined_reads
#: Operands that no array of the program stands for once the statement under way ends.
_passing: list[Node] = []
_EARLY = Early("a run of writes", "its expression would grow with every write")


def begin_write(array: Storing) -> None:
    """Make an array an expression before a write, where nothing is computed immediately.

    Its next value is made of the present one, in which no write of another thread may be missing.

    Parameters
    ----------
    array : LazyArray
        An array, or a view of one; the caller has the lock.
    """
    if type(array._array) is np.ndarray and not running and not limit():
        leave_memory(owner_of(array))


def own(array: Storing, value: Node) -> None:
    """Give an array that owns its elements its next value.

    Parameters
    ----------
    array : LazyArray
        The owner.
    value : Node
        Of its shape and dtype.
    """
    if not is_writeable(array):
        raise read_only()
    if running:
        _note_write(array)
    memory = _computed_now(value)
    if memory is not None:
        target = writable_memory(array)
        if target is not None and target.shape == value.shape:
            target[...] = memory
            keep_written(array, target)
        else:
            note_layout(array)
            hold(array, laid(np.array(memory), array))
        return
    lies = note_layout(array)
    writes: int = getattr(array, "_writes", 0) + 1
    if writes == MOST_WRITES:
        writes = 0
        if not _is_one_pass(value):
            become_expression(array, value, None)  # so that the value before is not in use
            array._writes = writes  # type: ignore[attr-defined]
            # Unless another thread has computed it, too, and written to it since.
            become_expression(array, in_layout(computed(value), lies), None, value)
            return
    become_expression(array, in_layout(value, lies), None)
    array._writes = writes  # type: ignore[attr-defined]


def is_last_write(array: Storing) -> bool:
    """Return whether an array's value may be computed behind its next write."""
    return not running and getattr(array, "_writes", 0) + 1 == MOST_WRITES


def _is_one_pass(value: Node) -> bool:
    """Return whether a kernel computes a value, and many more operations, from memory alone.

    A loop that adds to an array in each iteration makes such values. Each run of it reads and
    writes the array, so that it is worth waiting for more iterations. The memory that they refer to
    is not to grow with them.
    """
    order, read = [value], {id(value)}
    leaves: dict[int, int] = {}
    operations = reads = 0
    for member in order:
        if member.op.kind is Kind.ELEMENTWISE and member.stored is None:
            operations += 1
            if operations > _JOINED_OPERATIONS:
                return False
            for source in member.src:
                if id(source) not in read:
                    read.add(id(source))
                    order.append(source)
            continue
        source = member
        while source.stored is None and source.op.kind is Kind.VIEW:
            (source,) = source.src
        leaf = source if source.stored is None else source.stored
        if leaf.op.kind is Kind.CONSTANT:
            continue
        leaves[id(leaf)] = leaf.nbytes
        reads += 1
        if leaf.op.kind is not Kind.LEAF or type(leaf.attr) not in HOSTED or reads > _JOINED_READS:
            return False
    return sum(leaves.values()) <= MOST_WRITES * value.nbytes


def _computed_now(value: Node) -> Any:
    """Return a value to write in memory, if it is a small leaf or can be computed immediately."""
    most = limit()
    if not most:
        return None
    if not value.src:
        return small_leaf(value, most)
    result = at_once(value)
    return FUNCTIONS["wrap"](value)._value("a write") if result is FAULT else result


def _note_write(array: Storing) -> None:
    """Record in the trace of this thread that an array has another value from now on."""
    trace = current()
    if trace is not None:
        trace.wrote(array)


def write_through(view: Storing, value: Node) -> None:
    """Give a view another value, and with it the array that it shows.

    Parameters
    ----------
    view : LazyArray
        A view, or an array that owns its elements.
    value : Node
        Of its shape and dtype.
    """
    if not is_writeable(view):
        raise read_only()
    settle(view)
    if view._alias is None:
        own(view, value)
        return
    if view._array is not None or memory_by_index(view):
        memory = _computed_now(value)
        target = None if memory is None else writable_memory(view)
        if target is not None:
            target[...] = memory
            keep_written(view, target)
            return
        leave_memory(view._alias[0])
        refreshed(view)
        if view._alias is None:
            own(view, value)
            return
    owner, _, steps = view._alias
    assert steps is not None  # or it had memory
    root = owner._node
    steps = merged(steps)
    sources = [root]
    for step in steps[:-1]:
        sources.append(read(sources[-1], step))
    changed = value
    for source, step in zip(reversed(sources), reversed(steps), strict=True):
        changed = written(source, step, changed)
    own(owner, changed)
    view._alias = (owner, owner._current, steps)
    view._current = in_layout(value, layout(view))


def memory_by_index(view: Storing) -> bool:
    """Return whether a view of an array in memory lies there, once its index is computed.

    Parameters
    ----------
    view : LazyArray
        A view that is about to be written to.
    """
    alias = view._alias
    if limit() and alias is not None and type(alias[0]._array) is np.ndarray:
        settle_index(view)
    return view._array is not None


def settle_index(view: Storing) -> None:
    """Let a view at numbers that may be computed now be one at integers.

    Parameters
    ----------
    view : LazyArray
        A view, or an array that owns its elements.
    """
    owner, seen, steps = view._alias or (view, None, None)
    if steps is None:
        return
    pending = [step for step in steps if type(step) is PendingIndex]
    numbers = [item for step in pending for item in step.items if isinstance(item, Node)]
    if not pending or running or stays_expression(numbers):
        return
    if get_config().implicit != "allow" and not all(map(known_key, pending)):
        return
    value: Any = seen
    settled: list[Step] = []
    for step in steps:
        if type(step) is PendingIndex:
            step = at_integers(step, computed_key(step), value.shape)
        value = read(value, step)
        settled.append(step)
    with changing():
        if view._alias is None or view._alias[2] is not steps:
            return  # another thread has brought it up to date meanwhile
        view._alias = (owner, seen, tuple(settled))
        if type(owner._array) is np.ndarray:
            refreshed(view)


@contextmanager
def passing(operand: Node) -> Iterator[None]:
    """Let a value not be stored inside a ``with`` block, although an array has it.

    Parameters
    ----------
    operand : Node
        Of an array that only the statement under way refers to.
    """
    with changing():
        _passing.append(operand)
        try:
            yield
        finally:
            _passing.pop()


def computed(value: Node) -> Node:
    """Return a leaf of an array's value after many writes, or the value itself, not computed.

    It may not be while a function is traced, where ``implicit`` forbids it, and where a derivative
    depends on it.
    """
    if running or scope() is not None or get_config().implicit != "allow":
        return value
    if not value.src or stays_expression((value,)):
        return value
    # Imported here: expressions are built without the compiler.
    from lazyarr.compiler import pipeline

    # With it all that is in use: arrays that a loop writes to in turn are made of each other.
    pipeline.store_in_use(value, _passing)
    if value.stored is not None:
        return value.stored
    (result,) = pipeline.persist((value,))
    if isinstance(result, np.ndarray):
        return build.leaf(_read_only(result), _EARLY)
    return fresh_leaf(LEAF, result.dtype, result.shape, DeviceLeaf(result), origin())


def may_compute(values: Sequence[Node]) -> bool:
    """Return whether values may be computed before they are asked for.

    Parameters
    ----------
    values : sequence of Node
        What arrays in memory are waiting for.
    """
    return bool(limit()) and scope() is None and not stays_expression(values)


def computed_array(value: Node) -> Array | None:
    """Return the value of an array in memory of its own; None if it may not be computed now.

    Parameters
    ----------
    value : Node
        Of the array.
    """
    if not may_compute((value,)):
        return None
    source = value
    while source.op.kind in (Kind.VIEW, Kind.RESHAPE):
        source = source.src[0]
    if source.op.kind is Kind.CONSTANT and not source.shape:
        assert isinstance(source.attr, bytes)
        if not any(source.attr):
            return zeros(value.shape, value.dtype)
        return filled(value.shape, value.dtype, np.frombuffer(source.attr, source.dtype)[0])
    if is_on_device(value):
        return None
    result: Array
    (result,) = evaluate_now((value,), *INDEX_CAUSE)
    return result


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
