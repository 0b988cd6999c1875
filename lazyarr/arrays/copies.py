"""Copies of memory, large ones in pages of the pool, and new memory for them.

malloc hands large blocks back to the system when they are freed, and the next copy would meet the
first write to each of its pages again, which takes longer than to copy it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.runtime.host_memory_pool import SMALL, pool
from lazyarr.tracing import running

__all__ = [
    "copied",
    "copied_as_it_lies",
    "empty_in_order",
    "filled",
    "snapshot",
    "writable",
    "zeros",
]

Array = np.ndarray[Any, Any]


def zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return an array of zeros in C order.

    Parameters
    ----------
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        In native byte order.
    """
    nbytes = dtype.itemsize * prod(shape)
    if nbytes < SMALL:
        return np.zeros(shape, dtype)
    return pool.zeroed(nbytes).array(shape, dtype)


def empty_in_order(arrays: Sequence[Array], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return new memory whose axes lie in the order of operands, as results of NumPy's ufuncs do.

    Parameters
    ----------
    arrays : sequence of numpy.ndarray
        The operands.
    shape : tuple of int
        Theirs, broadcast together.
    dtype : dtype
        Of the result.
    """
    operands = [array for array in arrays if array.ndim > 1]
    if not operands or 0 in shape or all(array.flags.c_contiguous for array in operands):
        return np.empty(shape, dtype)
    options = [["readonly"]] * len(operands) + [["writeonly", "allocate"]]
    types = [array.dtype for array in operands]
    iterate: Any = np.nditer  # whose stub has no operand to allocate
    allocated: Array = iterate(
        [*operands, None], op_flags=options, op_dtypes=[*types, dtype], itershape=shape
    ).operands[-1]
    return allocated


def filled(shape: tuple[int, ...], dtype: np.dtype[Any], value: Any) -> Array:
    """Return an array in C order whose elements are all the same.

    Parameters
    ----------
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        In native byte order.
    value : numpy.generic
        The element.
    """
    array = _uninitialised(shape, dtype, "C")
    array.fill(value)
    return array


def copied(memory: Array, order: str | None = "K") -> Array:
    """Return a copy of an array.

    Parameters
    ----------
    memory : numpy.ndarray
        Any array in native byte order.
    order : {"C", "F", "A", "K"}, optional
        Of the copy's elements in memory, as NumPy means it.
    """
    kind = "K" if order is None else order.upper()
    if kind == "A" or (kind == "K" and memory.flags.forc):
        kind = "F" if memory.flags.fnc else "C"
    if memory.nbytes < SMALL or kind == "K" or not _is_number(memory.dtype):
        return np.array(memory, order=kind)  # type: ignore[call-overload, no-any-return]
    copy = _uninitialised(memory.shape, memory.dtype, kind)
    np.copyto(copy, memory)
    return copy


def copied_as_it_lies(memory: Array) -> Array:
    """Return a copy of an array whose elements lie as far apart as its own.

    Parameters
    ----------
    memory : numpy.ndarray
        In native byte order; no two elements lie in the same place.
    """
    if memory.flags.forc:
        return copied(memory)
    # Imported here: few programs write to arrays with gaps.
    from lazyarr.interop.array_interface import copied_with_strides

    return copied_with_strides(memory, memory.strides)


def snapshot(value: Any) -> Any:
    """Return a value that is written to an array and stays part of an expression.

    Parameters
    ----------
    value : object
        The value. An ndarray comes as a copy: what the program writes to it after the statement
        is not to be seen. Traces read theirs with each call, and a file is not read into memory.
    """
    return copied(value) if type(value) is np.ndarray and not running else value


def _is_number(dtype: np.dtype[Any]) -> bool:
    return kind_of(dtype) in "biufc" and dtype.isnative


def _uninitialised(shape: tuple[int, ...], dtype: np.dtype[Any], order: str) -> Array:
    nbytes = dtype.itemsize * prod(shape)
    if nbytes < SMALL:
        return np.empty(shape, dtype, "F" if order == "F" else "C")
    block = pool.allocate(nbytes)
    return block.array(shape[::-1], dtype).T if order == "F" else block.array(shape, dtype)


def writable(result: Array) -> Array:
    """Return the result of an evaluation in memory that may be written to.

    A result that has the value of another node may be what the evaluation has stored of that.

    Parameters
    ----------
    result : numpy.ndarray
        Of an evaluation.
    """
    return result if result.flags.writeable else copied(result)
