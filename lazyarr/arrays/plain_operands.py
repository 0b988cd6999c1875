"""Ndarrays of the program as operands, which the program may write to after the call.

NumPy's functions have read their operands when they return, so an expression must not read an
ndarray later. A small one, and a mask of an index, is copied into the expression. A result that
depends on a larger one is computed at the call, which is no more work than NumPy's. The exceptions
are arrays that nothing else refers to, such as the operand of ``la.sin(a + 1)``, arrays that
:func:`lazyarr.asarray` has wrapped, and views, which in NumPy, too, show the memory of an operand.

The compiled form looks for such operands itself (``c_source/plain_operands.h``), and knows which of
them have a name; Python's form takes all of them for named ones.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import settle
from lazyarr.arrays.fields import COMPILED, Fields
from lazyarr.arrays.immediate import limit
from lazyarr.arrays.needed_values import values_in_memory
from lazyarr.arrays.steps import Reshaped, in_memory
from lazyarr.builders import build
from lazyarr.core.config import get_config
from lazyarr.core.shapes import View
from lazyarr.graph.node import Kind, Leaf, Node
from lazyarr.ops.markers import stays_expression
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import running, scope

__all__ = [
    "cast_by_numpy",
    "compute_results",
    "leaf_in",
    "operand_leaf",
    "read_at_call",
    "read_operands",
]

Array = np.ndarray[Any, Any]
T = TypeVar("T")

#: Leaves of copies and the strides of what was copied, by the identity of the ndarray.
_copies: dict[int, tuple[Callable[[], Node | None], tuple[int, ...]]] = {}
_NO_COPY: tuple[Callable[[], Node | None], tuple[int, ...]] = (lambda: None, ())
_MOST_COPIES = tuning.row().cached_maps
_REASON = "an operand that the program may write to"

#: Of texts, times, objects, records and long doubles.
_CHARS_OF_NUMPY = frozenset("gGOSUVMmT")


def cast_by_numpy(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return values to be written: those of a dtype that is NumPy's alone in another dtype.

    Parameters
    ----------
    value
        What is written; others than such arrays and scalars are as they are.
    dtype
        Of the array that it is written to.
    """
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.char in _CHARS_OF_NUMPY:
        return build.number_in(np.asarray(value).astype, dtype)
    return value


def operand_leaf(array: Array, *, is_mask: bool = False) -> Node:
    """Return the leaf of an ndarray that an expression reads: of a copy, if the array is small.

    Parameters
    ----------
    array : numpy.ndarray
        The operand.
    is_mask : bool, optional
        Whether it selects elements: then it is copied whatever its size.
    """
    most = limit()
    if not most or (array.size > most and not is_mask) or not _may_be_written(array):
        return build.leaf(array)
    kept, strides = _copies.get(id(array), _NO_COPY)
    leaf = kept()
    # The same leaf if nothing was written: equal operands of an expression stay one.
    if leaf is not None and strides == array.strides and leaf.dtype == array.dtype:
        assert isinstance(leaf.attr, Leaf)
        if leaf.shape == array.shape and leaf.attr.array.tobytes() == array.tobytes():
            return leaf
    copy = array.copy("K")
    copy.flags.writeable = False
    leaf = build.leaf(copy)
    if len(_copies) >= _MOST_COPIES:
        _copies.clear()
    _copies[id(array)] = weakref.ref(leaf), array.strides
    return leaf


def compute_results(result: Any, owns: bool, named: list[Any] | None = None) -> None:
    """Let the results of a call that has read an ndarray of the program have their values.

    Parameters
    ----------
    result : object
        What the function returns: an array, or (nested) sequences of arrays.
    owns : bool
        Whether the function never returns views.
    named : list of LazyArray, optional
        Operands that are expressions, and with which the program may go on: they are computed
        with the result, which takes less than to compute them again.
    """
    if not limit() or get_config().max_memory:
        return
    for array in _arrays(result):
        value = array._node  # of a selection, its elements
        if not value.src or (not owns and _shown(value) is not None) or scope() is not None:
            continue
        if not stays_expression((value,)):
            values_in_memory([array, *(named or ())], _REASON)


def _arrays(result: Any) -> Iterator[Any]:
    if isinstance(result, (list, tuple)):
        for item in result:
            yield from _arrays(item)
    elif isinstance(result, Fields):
        array: Any = result
        settle(array)
        owner = array if (alias := array._alias) is None else alias[0]
        if owner._array is None:
            yield owner


def _shown(value: Node) -> Array | None:
    """Return the part of a leaf's memory that a value shows, if NumPy has a view of it."""
    if value.op is LEAF:
        array: Array | None = getattr(value.attr, "array", None)
        return array
    if value.op.kind not in (Kind.VIEW, Kind.RESHAPE):
        return None
    source = _shown(value.src[0])
    if source is None:
        return None
    if value.op.kind is Kind.RESHAPE:
        return in_memory(source, Reshaped(value.shape))
    assert isinstance(value.attr, View)
    return in_memory(source, (value.attr, value.shape))


def read_operands(result: T, operands: Any, owns: bool = True) -> T:
    """Return a result of Python's form, computed if the program may write to an operand.

    Parameters
    ----------
    result : object
        What was built.
    operands : tuple
        Of the call.
    owns : bool, optional
        Whether the function never returns views.
    """
    return result if COMPILED is not None else _read(result, operands, owns)


def _read(result: T, operands: tuple[Any, ...], owns: bool) -> T:
    if not running and _is_large(operands):
        compute_results(result, owns)
    return result


def read_at_call(function: Callable[..., Any], owns: bool = False) -> Callable[..., Any]:
    """Return a function in Python that has read the ndarrays among its arguments.

    Parameters
    ----------
    function : callable
        Builds an expression.
    owns : bool, optional
        Whether it never returns views.
    """

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        result = function(*args, **keywords)
        return _read(result, (*args, *keywords.values()), owns)

    return call


def _is_large(value: Any) -> bool:
    """Return whether a value is, or has among its items, a large ndarray that may be written to."""
    if isinstance(value, (list, tuple)):
        return any(_is_large(item) for item in value)
    return isinstance(value, np.ndarray) and value.size > limit() and _may_be_written(value)


def _may_be_written(array: Array) -> bool:
    base = array.base
    return array.flags.writeable or (isinstance(base, np.ndarray) and base.flags.writeable)


def leaf_in(
    shape: Any, dtype: np.dtype[Any], buffer: Any, offset: int, strides: Any, order: Any
) -> Node:
    """Return a leaf of a buffer's memory, or of zeros, as the arguments of `numpy.ndarray` say.

    Parameters
    ----------
    shape, dtype, buffer, offset, strides, order
        Of NumPy's class.
    """
    if buffer is None:
        np.ndarray(shape, dtype, None, offset, strides, order)  # NumPy judges the arguments
        return build.leaf(np.zeros(shape, dtype, "C" if order is None else order))
    memory = np.asarray(buffer) if isinstance(buffer, Fields) else buffer
    return build.leaf(np.ndarray(shape, dtype, memory, offset, strides, order))
