"""Whether arrays share elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import layout, memory_of, owner_of
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.arrays.pending_writes import settle_index
from lazyarr.arrays.shared_memory import is_shared
from lazyarr.graph.node import Leaf

__all__ = ["may_share_memory", "shares_memory"]


def shares_memory(a: Any, b: Any, /, max_work: Any = None) -> bool:
    """Return whether a write to one array can be seen in the other.

    Parameters
    ----------
    a, b : array_like
        Arrays. A LazyArray that wraps an ndarray shares its memory until it is written to.
    max_work : int, optional
        As NumPy's.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.zeros(6)
    >>> la.shares_memory(x[::2], x[1:]), la.shares_memory(x[::2], x[1::2])
    (True, False)
    """
    first, second = _memory(a, b)
    return bool(np.shares_memory(first, second, max_work))


def may_share_memory(a: Any, b: Any, /, max_work: Any = None) -> bool:
    """Return whether the bounds of the elements of two arrays overlap.

    Parameters
    ----------
    a, b : array_like
        Arrays.
    max_work : int, optional
        As NumPy's.

    Returns
    -------
    bool
        True may be wrong: arrays whose bounds overlap need not have an element in common. It is
        True of a read-only ndarray, which may be what ``numpy.asarray`` of a small array in memory
        returned, so that functions copy that before they write to it.
    """
    if _may_be_exported(a, b) or _may_be_exported(b, a):
        return True
    first, second = _memory(a, b)
    return bool(np.may_share_memory(first, second, max_work))


def _may_be_exported(array: Any, exported: Any) -> bool:
    """Return whether an ndarray may stand for an array of which each export is a copy."""
    if not isinstance(array, LazyArray) or type(exported) is not np.ndarray:
        return False
    memory = memory_of(array)
    is_small = type(memory) is np.ndarray and not is_shared(memory)
    return is_small and not exported.flags.writeable and bool(exported.size)


def _memory(a: Any, b: Any) -> tuple[Any, Any]:
    """Return arrays that share memory as two arrays share elements; they must not be read."""
    if isinstance(a, LazyArray) and isinstance(b, LazyArray):
        if owner_of(a) is owner_of(b):
            settle_index(a)
            settle_index(b)
            return layout(a).shadow(), layout(b).shadow()
        return np.empty(0), np.empty(0)
    return _where(a), _where(b)


def _where(x: Any) -> Any:
    if not isinstance(x, LazyArray):
        return x
    memory = owner_of(x)._node.attr
    if isinstance(memory, Leaf) and memory.is_on_host:
        return layout(x).shadow(memory.address)
    return np.empty(0)
