"""Indices into arrays in memory, and writes to them, by NumPy.

Basic indices are views of any array in memory, whatever its size. Indices by arrays are NumPy's if
the result is small; masks of large arrays stay selections, which kernels compute. A write goes to
memory if there is a value in memory to write; a pending one is computed first, unless the whole of
an array is written to, which then has that expression as its next value.
"""

from __future__ import annotations

import math
import operator as python_operators
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import keep_written, memory_of, writable_memory
from lazyarr.arrays.immediate import CHEAPER, HOSTED, ITEM, WRITTEN, is_cheap, limit
from lazyarr.arrays.native import (
    CODES,
    NUMBERS,
    REFUSED,
    exceptions,
    new_array,
    note_exceptions,
    noted,
    operand,
    report,
    state,
    view,
)
from lazyarr.arrays.needed_values import value_in_memory
from lazyarr.arrays.residence import adopt
from lazyarr.arrays.slice_writes import is_used_once, write_expression, write_operation
from lazyarr.arrays.storing import known_node, wrote
from lazyarr.core.donation import DONATED, refuse_donated
from lazyarr.core.dtypes import kind_of
from lazyarr.graph.leaf import Leaf
from lazyarr.graph.node import Op

Array = np.ndarray[Any, Any]

__all__ = ["item", "write_called", "write_item", "write_operated"]

#: What basic indices are made of.
BASIC = frozenset((int, slice, type(None), type(Ellipsis)))


def item(x: Any, key: Any) -> Any:
    """Return ``x[key]``; None if it is to be built.

    Parameters
    ----------
    x : LazyArray
        An array in memory.
    key : object
        Any index.
    """
    memory = x._array if x._alias is None else memory_of(x)
    most = limit()
    if memory is None or not most:
        return None
    own = type(key)
    basic = own in BASIC or (own is tuple and BASIC.issuperset(map(type, key)))
    is_large = memory.size > most
    if not basic:
        most *= CHEAPER  # copying elements costs no more than adding them
    values = key if basic else _index(key, type(x), most)
    if values is NotImplemented:
        return None
    if is_large and DONATED:
        _refuse_donated(x)
    if not basic:
        chosen = _selected(values, memory)
        if chosen > most and (math.isfinite(chosen) or memory.size > most):
            return None
    try:
        part = memory[values]
    except REFUSED:
        return None
    if type(part) is not np.ndarray:
        return new_array(type(x), part, (ITEM, x, key), x._past)
    if part.size > most and not basic:
        return None
    base = part.base
    if base is not None and (base is memory or base is memory.base):
        return view(part, x, memory, (ITEM, x, key))
    if base is not None:
        part = part.copy(order="K")
    return new_array(type(x), part, (ITEM, x, key), x._past)


def _index(key: Any, kind: type, most: int) -> Any:
    """Return an index with memory in the place of arrays; NotImplemented if there is none."""
    if type(key) is tuple:
        items = [_index(item, kind, most) for item in key]
        return NotImplemented if any(item is NotImplemented for item in items) else tuple(items)
    lazy: Any = key
    memory = memory_of(lazy) if type(key) is kind else key
    if type(memory) is np.ndarray:
        known = memory.dtype.char in CODES and memory.dtype.isnative and memory.size <= most
        return memory if known else NotImplemented
    return operand(key, kind)


def _selected(key: Any, memory: Array) -> float:
    """Return the largest number of elements that an index by arrays may give."""
    items = key if type(key) is tuple else (key,)
    shapes: set[tuple[int, ...]] = set()
    axis = 0
    rest = memory.size
    for item in items:
        if item is None:
            continue
        if item is Ellipsis or isinstance(item, (bool, np.bool_)) or axis >= memory.ndim:
            return math.inf
        length = memory.shape[axis]
        if isinstance(item, slice):
            try:
                rest = rest // max(length, 1) * len(range(*item.indices(length)))
            except (TypeError, ValueError):  # refused by what indexes
                return math.inf
            axis += 1
            continue
        index = np.asarray(item)
        if kind_of(index.dtype) == "b":
            return math.inf
        rest //= max(length, 1)
        shapes.add(index.shape)
        axis += 1
    return math.prod([math.prod(shape) for shape in shapes]) * rest  # they may broadcast


def _refuse_donated(x: Any) -> None:
    owner = x if (alias := x._alias) is None else alias[0]
    leaf = known_node(owner)
    if leaf is not None and isinstance(leaf.attr, Leaf):
        refuse_donated(leaf.attr.array)


def write_item(x: Any, key: Any, value: Any) -> bool:
    """Write ``x[key] = value``; return whether that was possible.

    Parameters
    ----------
    x : LazyArray
        An array in memory.
    key : object
        Any index.
    value : object
        What to write.
    """
    most = limit()
    own = type(key)
    basic = own in BASIC or (own is tuple and BASIC.issuperset(map(type, key)))
    memory = x._array
    if not most or memory is None:
        return False  # another thread may have made it an expression
    is_large = memory.size > most
    if is_large and _is_selection(value, type(x)) and getattr(key, "dtype", None) == np.bool_:
        return False  # chosen and written by one mask, it is not gathered
    values = key if basic else NotImplemented
    if not basic:
        # Many elements may be written to a small array: by more indices than it has elements.
        values = NotImplemented if is_large else operand(key, type(x))
        if values is NotImplemented:
            values = _key_to_write(key, type(x))
    if values is NotImplemented:
        return False
    if type(value) in NUMBERS:
        data = value
    elif _is_selection(value, type(x)):
        data = _gathered(value)
    elif not is_large:
        data = operand(value, type(x))
        if data is NotImplemented:
            data = _data(value, type(x))
    elif x._alias is None and type(value) is type(x) and _is_whole(key) and not _is_little(value):
        return False  # its next value, an expression
    elif basic and type(value) is type(x) and write_expression(x, key, value):
        return True
    else:
        is_pending = type(value) is type(x) and value._array is None
        data = _data(value, type(x))
        if is_pending and value._array is not None and getattr(key, "dtype", None) == np.bool_:
            x[key] = value  # the compiled form writes under masks
            return True
    if data is NotImplemented or data is None:
        return False
    memory = writable_memory(x)
    if memory is None:
        return False
    if is_large:
        _note_written(x)
    token = note_exceptions()
    try:
        if type(data) is np.ndarray and data.dtype != memory.dtype:
            if kind_of(data.dtype) == "c" and kind_of(memory.dtype) != "c":
                return False  # which warns
            # First of all, so that nothing is written where this meets an exception.
            data = data.astype(memory.dtype)
            if exceptions and noted():
                return False
        elif kind_of(memory.dtype) != "c" and isinstance(data, complex | np.complexfloating):
            return False
        if not basic:
            values = _apart(values, memory)
        memory[values] = data
        while not wrote(x, memory):  # another thread let the array have other memory meanwhile
            memory = writable_memory(x)
            if memory is None:
                return False
            memory[values] = data
    except REFUSED:
        return False
    finally:
        state.reset(token)
    # If it met an exception, it is written again as an expression, which warns.
    return not (exceptions and noted())


def _apart(key: Any, memory: Array) -> Any:
    """Return a key whose arrays do not overlap the destination; NumPy 2.0 would write elsewhere."""
    if type(key) is tuple:
        return tuple([_apart(item, memory) for item in key])
    if type(key) is np.ndarray and np.may_share_memory(key, memory):
        return key.copy()
    return key


def _is_little(value: Any) -> bool:
    """Return whether an array is in memory, and copied more quickly than an expression is built."""
    memory = value._array
    return type(memory) is np.ndarray and memory.size <= limit() * CHEAPER


def _is_whole(key: Any) -> bool:
    """Return whether a basic index is sure to choose all elements."""
    if type(key) is tuple:
        return all(map(_is_whole, key))
    return key is Ellipsis or (type(key) is slice and key == slice(None))


def _note_written(x: Any) -> None:
    owner = x if (alias := x._alias) is None else alias[0]
    owner._writes = 1


def _data(value: Any, kind: type) -> Any:
    """Return a value to write to a large array, as memory: computed now if it is pending."""
    if type(value) is kind:
        memory = value_in_memory(value)
        return NotImplemented if memory is None else memory
    if _is_selection(value, kind):
        return _gathered(value)
    if type(value) is np.ndarray:
        return value if value.dtype.char in CODES and value.dtype.isnative else NotImplemented
    return operand(value, kind)


def _is_selection(value: Any, kind: type) -> bool:
    """Return whether a value is the elements under a mask, whose number only the data determine."""
    return isinstance(value, kind) and type(value) is not kind


def _gathered(selection: Any) -> Any:
    """Return the elements of a selection as memory; NotImplemented where they are no leaf."""
    attr = selection._node.attr
    return attr.array if type(attr) in HOSTED else NotImplemented


def _key_to_write(key: Any, kind: type) -> Any:
    """Return an index to write to, which is computed now if it is pending."""
    if type(key) is tuple:
        items = [_key_to_write(item, kind) for item in key]
        return NotImplemented if any(item is NotImplemented for item in items) else tuple(items)
    return _data(key, kind)


def write_called(
    function: Callable[..., None],
    x: Any,
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    repeatable: bool = True,
    at_any_size: bool = False,
) -> bool:
    """Let a function of NumPy's write to its first argument; return whether that was possible.

    Parameters
    ----------
    function : callable
        NumPy's.
    x : LazyArray
        The first argument.
    args, keywords : tuple and dict
        The others.
    repeatable : bool, optional
        Whether it writes the same again if it is called twice.
    at_any_size : bool, optional
        Whether no kernel does it: large arguments are then computed for the call.
    """
    most = limit()
    memory = memory_of(x)
    if not most or type(memory) is not np.ndarray:
        return False
    is_large = memory.size > most * WRITTEN
    values = NotImplemented if is_large else operand(args, type(x), most=most * WRITTEN)
    if values is NotImplemented and at_any_size:
        values = _key_to_write(args, type(x))
    if values is NotImplemented:
        return False
    memory = writable_memory(x)
    if memory is None:
        return False
    before = memory.copy()
    token = note_exceptions()
    try:
        function(memory, *values, **keywords)
    except REFUSED:
        memory[...] = before
        return False
    finally:
        state.reset(token)
    if exceptions and noted():
        memory[...] = before  # written as an expression, it warns in NumPy's words
        return False
    if repeatable:  # it is called again if another thread let the array have other memory
        return wrote(x, memory)
    keep_written(x, memory)
    return True


def write_operated(op: Op, x: Any, other: Any) -> bool:
    """Write the result of an operation to its first operand; return whether that was possible.

    Parameters
    ----------
    op : Op
        The operation of an operator in place.
    x : LazyArray
        An array in memory that is no number.
    other : LazyArray or number
        The second operand.
    """
    most = limit()
    function = _IN_PLACE.get(op.name)
    if not most or function is None:
        return False
    memory = x._array
    if memory is None:
        return False  # another thread has made it an expression
    is_large = memory.size > most
    if is_large and x._alias is None:
        if memory.size > (most * WRITTEN if is_cheap(op) else most):
            return False  # its next value, an expression
        if type(other) is type(x) and not adopt(other) and not is_used_once(other):
            return False  # so that others compute nothing of it again
    if type(other) in NUMBERS:
        second = other
    elif is_large and type(other) is type(x) and write_operation(op, x, other):
        return True
    else:
        second = (_data if is_large else operand)(other, type(x))
    if second is NotImplemented or second is None:
        return False
    memory = writable_memory(x)
    if memory is None:
        return False
    if op.operator_varies and kind_of(memory.dtype) in "iu" and type(second) is not int:
        return False  # an exponent may be negative, which NumPy sees when it has written others
    if is_large:
        _note_written(x)
    token = note_exceptions()
    try:
        function(memory, second)
    except REFUSED:
        return False
    finally:
        state.reset(token)
    keep_written(x, memory)
    if exceptions:
        report(op, python_operators.pow, *_failing(op, memory.dtype, second))
    return True


def _failing(op: Op, dtype: np.dtype[Any], second: Any) -> tuple[Any, Any]:
    """Return operands that meet exceptions as an operation did that wrote over its first one.

    Only a power may go by several names. The numbers overflow as squares, and are invalid to
    square roots and poles of reciprocals.
    """
    numbers = (np.finfo(dtype).max, -1, 0) if op.operator_varies else ()
    return np.array(numbers, dtype).reshape(-1, *[1] * np.ndim(second)), second


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.ndarray.__iadd__,
    "subtract": np.ndarray.__isub__,
    "multiply": np.ndarray.__imul__,
    "divide": np.ndarray.__itruediv__,
    "floor_divide": np.ndarray.__ifloordiv__,
    "remainder": np.ndarray.__imod__,
    "power": np.ndarray.__ipow__,
    "bitwise_and": np.ndarray.__iand__,
    "bitwise_or": np.ndarray.__ior__,
    "bitwise_xor": np.ndarray.__ixor__,
    "left_shift": np.ndarray.__ilshift__,
    "right_shift": np.ndarray.__irshift__,
}
