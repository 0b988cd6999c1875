"""Values that are needed immediately: numbers for Python, and values written to memory.

NumPy computes few bytes more quickly than a plan is found; else the plan of the expression runs,
and the array goes on with the value as its memory.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from math import prod
from sys import getrefcount
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import memory_of, writable_memory
from lazyarr.arrays.copies import writable
from lazyarr.arrays.early_evaluation import WRITE_CAUSE, compiler, evaluate_early
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import (
    CHEAPER,
    CREATED,
    FAULT,
    FREE_COST,
    HOSTED,
    MOST_NODES,
    by_numpy,
    handed,
    limit,
)
from lazyarr.arrays.residence import adopt, compute_owner, is_computed_first, lies_in_memory, take
from lazyarr.arrays.steps import view_by_map
from lazyarr.arrays.storing import laid, layout_of_value
from lazyarr.builders.movement import view
from lazyarr.core.config import get_config
from lazyarr.core.dtypes import is_bfloat16, kind_of
from lazyarr.core.shapes import permute_view
from lazyarr.graph import elements
from lazyarr.graph.node import Kind, Node, leaves_of, set_memo
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.markers import stays_expression
from lazyarr.ops.movement import LEAF, VIEW
from lazyarr.runtime import run_log
from lazyarr.tracing import scope

__all__ = [
    "COMPUTED_CHEAPLY",
    "MOST_BYTES",
    "NUMBER_BYTES",
    "REPEATED_FACTOR",
    "SHORT_ROWS",
    "cheap_value",
    "elements_before",
    "in_order",
    "is_one_pass",
    "keep_cheap",
    "keep_in_use",
    "keep_temporary",
    "may_wait",
    "memory_may_stand",
    "memory_to_write",
    "number_in_memory",
    "value_by_plan",
    "value_in_memory",
    "values_in_memory",
]

Array = np.ndarray[Any, Any]

#: Lets an expression that owns its elements have memory, in the compiled form; None: there is none.
_COMPUTE_PENDING: Callable[[Any], bool] | None = (
    COMPILED.compute_pending if COMPILED is not None and elements.COMPILED is not None else None
)

#: Bytes that NumPy reads and writes at most for an expression whose value is needed now.
MOST_BYTES, NUMBER_BYTES = tuning.row().needed_bytes, tuning.row().number_bytes
SHORT_ROWS, REPEATED_FACTOR = tuning.row().short_rows, tuning.row().repeated_factor
_CHEAP = frozenset((Kind.ELEMENTWISE, Kind.VIEW, Kind.RESHAPE, Kind.CONCATENATE, Kind.REDUCE))
_CHEAP |= {Kind.CONSTANT, Kind.LEAF}
#: What rows of an expression are made of that stay expressions.
_OF_ELEMENTS = frozenset((Kind.ELEMENTWISE, Kind.VIEW, Kind.RESHAPE, Kind.CONCATENATE))
_JOINED_ROWS, _JOINED_OPERATIONS = tuning.row().joined_rows, tuning.row().joined_operations
_ROW_NODES = tuning.row().straight_nodes
#: What the memo is of a node that NumPy has computed.
COMPUTED_CHEAPLY = "computed by NumPy"
#: Ufuncs that are bound by memory, which NumPy computes alone as fast as a kernel.
_HANDED = frozenset(tuning.row().handed.split())
#: The operation that copies elements in another dtype, as NumPy does as fast.
_CAST = ELEMENTWISE["cast"]
_FLOOR_DIVIDE = ELEMENTWISE["floor_divide"]

#: The value of an expression of few bytes in the compiled form; None: there is none.
_CHEAP_NATIVELY: Callable[[Node], Any] | None = (
    COMPILED.cheap_value if COMPILED is not None and elements.COMPILED is not None else None
)


def keep_cheap(array: Any) -> bool:
    """Let an array that is no view have its value in memory, if NumPy computes that quickly."""
    value = array._current
    if array._alias is not None or not _may_be_computed(value):
        return False
    result = cheap_value(value)
    if result is None:
        return False
    take(array, weakref.ref(value), in_order(result, array))
    return array._array is not None


def keep_in_use(value: Node, memory: Array) -> None:
    """Let expressions begin with the value of a node that NumPy computed within another one.

    Not where it is made of memory that the program may write to.

    Parameters
    ----------
    value : Node
        Something outside of that expression refers to it.
    memory : numpy.ndarray
        Its value, which nothing else writes to.
    """
    # Imported here: expressions are built without the compiler.
    from lazyarr.compiler import reuse

    if not get_config().max_memory and not any(
        leaf.op is LEAF and reuse.may_change(leaf.attr) for leaf in leaves_of(value)
    ):
        reuse.store_arrays((value,), [memory])


def keep_temporary(array: Any) -> None:
    """Let an expression that one statement alone reads have its value in memory, if that may be.

    Where its elements lie does not matter: nobody sees.

    Parameters
    ----------
    array : LazyArray
        No view, and without a name.
    """
    value = array._current
    if _COMPUTE_PENDING is not None and value.shape and _COMPUTE_PENDING(array):
        return
    if array._alias is not None or not limit() or not value.shape or not _may_be_computed(value):
        return
    result = cheap_value(value)
    if result is None:
        result = writable(evaluate_early(value, *WRITE_CAUSE))
    take(array, weakref.ref(value), result)


def number_in_memory(array: Any, reason: str) -> Any:
    """Return the one element of an expression that nothing else is made of, which is then a number.

    Parameters
    ----------
    array : LazyArray
        An expression of one element.
    reason : str
        What asks for it.

    Returns
    -------
    numpy.ndarray or numpy.generic or None
        None if other expressions are to begin with the value, or nothing may be computed at once.
    """
    value = array._current
    if not value.src or value.stored is not None or array._alias is not None or not limit():
        return None
    if not _may_be_computed(value):
        return None
    result = cheap_value(value)
    if result is None:
        if value.shape or getrefcount(value) > _UNSHARED:
            return None
        result = evaluate_early(value, reason, "its value was asked for")
    take(array, weakref.ref(value), in_order(result, array))
    return array._array


def memory_may_stand(value: Node) -> bool:
    """Return whether memory may stand for a node, and nothing looks at evaluations."""
    return scope() is None and not stays_expression((value,)) and not run_log.listeners()


def value_by_plan(value: Node) -> Array:
    """Return the value of a node by its plan, where memory may stand for it."""
    from lazyarr.compiler.pipeline import evaluate  # arrays are built without the compiler

    result: Array
    (result,) = evaluate((value,))
    return writable(result)


def _may_be_computed(value: Node) -> bool:
    """Whether memory may stand for a node: no trace and no gradient sees it, and NumPy takes it."""
    return scope() is None and not stays_expression((value,)) and not is_bfloat16(value.dtype)


def in_order(result: Any, array: Any) -> Any:
    """Return the value of an array as its elements lie, were it one of NumPy's.

    Parameters
    ----------
    result : numpy.ndarray or numpy.generic or None
        The value; None: it is computed by its plan.
    array : LazyArray
        An expression.
    """
    if result is None:
        result = _computed_in_order(array)
    if not result.shape:
        return result[()]
    is_vector = result.ndim == 1 and result.flags.c_contiguous
    if not is_vector and getattr(array, "_layout", None) is None:
        array._layout = layout_of_value(array._current)
    return laid(result, array)


def _computed_in_order(array: Any) -> Array:
    """Return the value of an expression, computed along the axes in the order in which they lie.

    A kernel that writes the elements in C order reads others across their lines, and they are then
    copied to where they lie.
    """
    value: Node = array._current
    if getattr(array, "_layout", None) is None:
        array._layout = layout_of_value(value)
    order = array._layout.order
    if order == tuple(range(len(order))) or value.op.kind is not Kind.ELEMENTWISE:
        return value_by_plan(value)
    shape = tuple([value.shape[axis] for axis in order])
    turned = value_by_plan(view(value, permute_view(order), shape))
    return turned.transpose(sorted(range(len(order)), key=order.__getitem__))


def memory_to_write(array: Any) -> Array | None:
    """Return the memory of a small array for a function that writes to it; None if it has none.

    Parameters
    ----------
    array : LazyArray
        An array in memory, or a leaf that it may adopt.
    """
    if array.size > limit() * CREATED or not (array._array is not None or lies_in_memory(array)):
        return None
    return writable_memory(array)


def value_in_memory(array: Any, reason: str | None = None) -> Array | None:
    """Return the value of an array as memory to read, computed if need be and allowed.

    Parameters
    ----------
    array : LazyArray
        The array, which goes on with the value.
    reason : str, optional
        What asks for it; default: a write to memory.
    """
    why = WRITE_CAUSE if reason is None else (reason, "its value was asked for")
    if _COMPUTE_PENDING is not None:
        _COMPUTE_PENDING(array)
    memory = memory_of(array)
    if memory is None and adopt(array):
        memory = memory_of(array)
    if memory is not None:
        return np.asarray(memory)
    if not limit() or scope() is not None or stays_expression((array._node,)):
        return None
    if array._alias is not None:
        if is_computed_first(array):  # other parts may be read, too
            compute_owner(array)
            memory = memory_of(array)
            if memory is not None:
                return np.asarray(memory)
        shown: Array = array._value(*why)
        return shown
    if keep_cheap(array):
        memory = memory_of(array)
        if memory is not None:  # else another thread has written to it meanwhile
            return np.asarray(memory)
    value = array._current
    result = writable(evaluate_early(value, *why))
    if is_bfloat16(value.dtype):
        return result
    ordered = in_order(result, array)
    if take(array, weakref.ref(value), ordered):
        return np.asarray(ordered)
    return result


def values_in_memory(arrays: Sequence[Any], reason: str) -> None:
    """Let arrays have their values in memory, computed together.

    Parameters
    ----------
    arrays : sequence of LazyArray
        The first one is asked for; of the others those that are expressions are computed.
    reason : str
        What asks for it.
    """
    first, *others = arrays
    if first._alias is None and others and not keep_cheap(first):
        together = [first, *[x for x in others if _is_computed_with(x)]]
        values = [array._current for array in together]
        if len(together) > 1 and not run_log.listeners():
            results = compiler().evaluate(tuple(values))
            for array, value, result in zip(together, values, results, strict=True):
                take(array, weakref.ref(value), in_order(writable(result), array))
            return
    value_in_memory(first, reason)


def _is_computed_with(array: Any) -> bool:
    """Return whether the value of an operand is computed with what is made of it."""
    value = array._current
    is_computed = array._alias is None and array._array is None and value.stored is None
    return is_computed and value.op.kind is Kind.ELEMENTWISE and _may_be_computed(value)


def may_wait(array: Any) -> bool:
    """Return whether rows of an array need no value: in memory, or few long ones of one kernel.

    They are the variables of a program, as in ``x, y, z = state``, which are computed together with
    what is made of them.

    Parameters
    ----------
    array : LazyArray
        Of two axes and more, over whose first axis a program iterates.
    """
    if array._array is not None:
        return True
    rows, size = array.shape[0], array.size
    if rows > _JOINED_ROWS or size <= rows * limit() * CHEAPER or not limit():
        return False
    order, known = [array._node], {id(array._node)}
    elements = 0
    for value in order:
        if value.stored is not None or not value.src:
            continue
        if value.op.kind not in _OF_ELEMENTS or is_bfloat16(value.dtype):
            return False
        elements += value.size if value.op.kind is Kind.ELEMENTWISE else 0
        if elements * rows > _JOINED_OPERATIONS * size or len(order) > _ROW_NODES:
            return False
        for source in value.src:
            if id(source) not in known:
                known.add(id(source))
                order.append(source)
    return True


def cheap_value(value: Node) -> Any:
    """Return the value of an expression that has to be computed now, if NumPy is the faster way.

    It is for few bytes: finding a plan and launching it takes as long as NumPy takes for a
    megabyte or two.

    Parameters
    ----------
    value : Node
        Any node.

    Returns
    -------
    numpy.ndarray or numpy.generic or None
        As of :func:`at_once`.
    """
    if not limit():
        return None
    if _CHEAP_NATIVELY is not None:
        return _CHEAP_NATIVELY(value)
    nodes, nbytes = 0, 0.0
    most = math.inf if is_one_pass(value) else MOST_BYTES if value.shape else NUMBER_BYTES
    stack, uses = [value], {id(value): 1}
    while stack:
        current = stack.pop()
        op, src = current.op, current.src
        kind = op.kind
        if current.stored is not None and current is not value:
            if type(current.stored.attr) not in HOSTED:
                return None
            continue
        if kind not in _CHEAP or current.stored is not None:
            return None
        if not src:
            if op is LEAF and type(current.attr) not in HOSTED:
                return None
            continue
        if kind is not Kind.VIEW:
            if current.memo is not None and current is not value:
                return None  # computed before: now it is stored for the next time
            nodes += 1
            moved = prod(current.shape) * current.dtype.itemsize
            for source in src:
                moved += prod(source.shape) * source.dtype.itemsize
            if kind is Kind.REDUCE and op.cost > 1:
                moved *= 2 * op.cost  # each operation of a reduction has arrays of its own
            if kind is Kind.ELEMENTWISE and _repeats_in_rows(current):
                moved *= REPEATED_FACTOR
            nbytes += moved * (op.cost / FREE_COST) if op.cost > FREE_COST else moved
            if nbytes > most or nodes > MOST_NODES:
                return None
        for source in src:
            if id(source) in uses:
                uses[id(source)] += 1
            else:
                uses[id(source)] = 1
                stack.append(source)
    result = by_numpy(value, lambda: _value_of(value, {}, uses))
    return None if result is FAULT else result


def is_one_pass(value: Node) -> bool:
    """Return whether NumPy computes a value in one pass over memory, and no plan does sooner."""
    copies = value.op.kind is Kind.CONCATENATE or value.op is _CAST
    if not copies and value.op.name not in _HANDED and not _divides_by_number(value):
        return False
    if value.op.kind is Kind.ELEMENTWISE and _repeats_in_rows(value):
        return False
    for source in value.src:
        while source.op is VIEW and source.src:
            source = source.src[0]
        if source.src and source.stored is None:
            return False
    return value.size <= limit() * CHEAPER * handed()


def elements_before(source: Node) -> int:
    """Return the elements that an operand of an elementwise operation has before they repeat."""
    least = source.size
    while source.op is VIEW and source.src:
        source = source.src[0]
        least = min(least, source.size)
    return least


def _repeats_in_rows(value: Node) -> bool:
    """Return whether elements of an operand repeat along short rows, each of which NumPy begins."""
    if len(value.shape) < 2 or value.shape[-1] >= SHORT_ROWS:
        return False
    return any(1 < elements_before(source) < value.size for source in value.src)


def _divides_by_number(value: Node) -> bool:
    """Return whether a node divides integers by a number: NumPy multiplies by the inverse."""
    if value.op is not _FLOOR_DIVIDE or kind_of(value.dtype) not in "iu":
        return False
    return value.src[1].op.kind is Kind.CONSTANT


def _value_of(value: Node, values: dict[int, Array], uses: dict[int, int]) -> Array:
    """Return the value of one of few nodes; values that are used again are kept until then."""
    left = uses[id(value)] = uses[id(value)] - 1
    name = id(value)
    known = values.get(name)
    if known is not None:
        if not left:
            del values[name]  # so that the next one takes this memory
        return known
    if value.stored is not None:
        value = value.stored
    sources = [_value_of(source, values, uses) for source in value.src]
    if value.op.kind is Kind.VIEW:
        index_map: Any = value.attr
        result = view_by_map(sources[0], index_map, value.shape)
    else:
        if value.op.emits_warning and sources[1].any():
            raise FloatingPointError
        result = value.op.evaluate(value, *sources)
        if value.memo is None and value.src:
            set_memo(value, COMPUTED_CHEAPLY)  # who computes it again stores it
    if left:
        values[name] = result
    return result


class _Slot:
    __slots__ = ("_current",)


def _references_of_a_slot() -> int:
    """Return the reference count of a node that an array and a local name alone refer to."""
    array: Any = _Slot()
    array._current = object()
    value = array._current
    return getrefcount(value)


#: References to the node of an expression that nothing but its array and a local name refers to.
_UNSHARED = _references_of_a_slot()
