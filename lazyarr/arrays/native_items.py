"""Indices into arrays in memory, and writes to them, by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import memory_of, writable_memory
from lazyarr.arrays.immediate import ITEM, limit
from lazyarr.arrays.native import (
    NOTED,
    NUMBERS,
    REFUSED,
    exceptions,
    new_array,
    noted,
    operand,
    report,
    state,
    view,
)
from lazyarr.arrays.storing import wrote
from lazyarr.graph.node import Op

__all__ = ["item", "write_item", "write_operated"]

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
    if memory is None or memory.size > most:
        return None
    own = type(key)
    basic = own in BASIC or (own is tuple and BASIC.issuperset(map(type, key)))
    values = key if basic else operand(key, type(x))
    if values is NotImplemented:
        return None
    try:
        part = memory[values]
    except REFUSED:
        return None
    if type(part) is not np.ndarray:
        return new_array(type(x), part, (ITEM, x, key), x._past)
    if part.size > most:
        return None
    base = part.base
    if base is not None and (base is memory or base is memory.base):
        return view(part, x, (ITEM, x, key))
    if base is not None:
        part = part.copy(order="K")
    return new_array(type(x), part, (ITEM, x, key), x._past)


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
    values = key if basic else operand(key, type(x))
    if values is NotImplemented or not most or x._array.size > most:
        return False
    data = value if type(value) in NUMBERS else operand(value, type(x))
    if data is NotImplemented or data is None:
        return False
    memory = writable_memory(x)
    if memory is None:
        return False
    token = state.set(NOTED)
    try:
        if type(data) is np.ndarray and data.dtype != memory.dtype:
            if data.dtype.kind == "c" and memory.dtype.kind != "c":
                return False  # which warns
            # First of all, so that nothing is written where this meets an exception.
            data = data.astype(memory.dtype)
            if exceptions and noted():
                return False
        elif type(data) is complex and memory.dtype.kind != "c":
            return False
        memory[values] = data
    except REFUSED:
        return False
    finally:
        state.reset(token)
    wrote(x)
    # If it met an exception, it is written again as an expression, which warns.
    return not (exceptions and noted())


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
    second = other if type(other) in NUMBERS else operand(other, type(x))
    if second is NotImplemented or not most or second is None:
        return False
    function = _IN_PLACE.get(op.name)
    memory = writable_memory(x) if function is not None else None
    if function is None or memory is None or memory.size > most:
        return False
    token = state.set(NOTED)
    try:
        function(memory, second)
    except REFUSED:
        return False
    finally:
        state.reset(token)
    wrote(x)
    if exceptions:
        report(op.name, memory)
    return True


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
