"""Values of expressions of few bytes, which NumPy computes sooner than a plan is found."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import (
    CHEAPER,
    FAULT,
    FREE_COST,
    HOSTED,
    MOST_NODES,
    by_numpy,
    handed,
    limit,
)
from lazyarr.arrays.steps import view_by_map
from lazyarr.core.dtypes import kind_of
from lazyarr.graph import elements
from lazyarr.graph.node import Kind, Node, set_memo
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import LEAF, VIEW

__all__ = ["COMPUTED_CHEAPLY", "MOST_BYTES", "NUMBER_BYTES", "cheap_value", "is_one_pass"]

Array = np.ndarray[Any, Any]

#: Bytes that NumPy reads and writes at most for an expression whose value is needed now.
MOST_BYTES, NUMBER_BYTES = tuning.row().needed_bytes, tuning.row().number_bytes
_CHEAP = frozenset((Kind.ELEMENTWISE, Kind.VIEW, Kind.RESHAPE, Kind.CONCATENATE, Kind.REDUCE))
_CHEAP |= {Kind.CONSTANT, Kind.LEAF}
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
    for source in value.src:
        while source.op is VIEW and source.src:
            source = source.src[0]
        if source.src and source.stored is None:
            return False
    return value.size <= limit() * CHEAPER * handed()


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
