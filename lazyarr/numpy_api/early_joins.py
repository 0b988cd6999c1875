"""Joins of many small arrays in memory, which NumPy computes immediately."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.immediate import limit
from lazyarr.arrays.lazy_array import LazyArray, wrap
from lazyarr.arrays.needed_values import keep_cheap
from lazyarr.arrays.residence import adopt
from lazyarr.builders import build
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.graph.node import Early

__all__ = ["are_many_in_memory", "joined_now"]

#: Arrays that are joined by NumPy if all are small and in memory: kernels take fewer operands.
_MANY = tuning.row().joined_arrays
_WHY = "it joins many small arrays in memory"


def are_many_in_memory(parts: list[Any]) -> bool:
    """Return whether many small arrays lie in memory, where quick ones are computed for that."""
    most = limit()
    if len(parts) < _MANY or not most:
        return False
    if any([type(x) is not LazyArray or x.size > most for x in parts]):  # noqa: C419
        return False
    if any([is_bfloat16(x.dtype) for x in parts]):  # noqa: C419
        return False
    return all([x._array is not None or adopt(x) or keep_cheap(x) for x in parts])  # noqa: C419


def joined_now(function: Callable[..., Any], parts: list[Any], axis: Any) -> LazyArray | None:
    """Return the array that a function of NumPy's joins, which ``explain`` lists as computed early.

    Parameters
    ----------
    function : callable
        NumPy's.
    parts : list of LazyArray
        In memory.
    axis : int or None
        Along which they are joined.

    Returns
    -------
    LazyArray or None
        None if NumPy refuses it: whoever builds the expression says what is wrong with it.
    """
    try:
        result = function([memory_of(x) for x in parts], axis=axis)
    except (ValueError, TypeError):
        return None
    early = Early(f"numpy.{function.__name__}", _WHY, result.nbytes)
    return wrap(build.leaf(result, early))
