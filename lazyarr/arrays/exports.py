"""Memory that leaves an array by a protocol of other libraries, with the array's strides.

Takers step through what they get by strides that they asked the array for, as
``numpy.lib.stride_tricks.as_strided`` does, and so may read what lies beside a view in the memory
of its owner. So a view is lent as the region of its owner's memory that it is, and the owner of a
pending view is computed for that, as NumPy would have done before. Where that does not give the
strides that the array answered, the value is copied to where they lead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import layout, memory_of, settle, snapshot
from lazyarr.arrays.residence import adopt, compute_owner, handed_out
from lazyarr.arrays.shared_memory import is_shared, lease
from lazyarr.arrays.steps import PendingIndex, Step, known_key, place, region
from lazyarr.arrays.storing import BORROWED, Storing, changing
from lazyarr.core.addresses import address_of
from lazyarr.core.shapes import Shape
from lazyarr.graph.leaf import Leaf, SharedLeaf
from lazyarr.graph.node import leaves_of
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.interop.array_interface import copied_with_strides
from lazyarr.tracing import running

__all__ = ["exported"]

Array = np.ndarray[Any, Any]


def exported(array: Storing, compute: Callable[[Any], Array]) -> Array:
    """Return the value of an array in memory that others may read, with the array's strides.

    Parameters
    ----------
    array : LazyArray
        Any array on the host.
    compute : callable
        Returns the value of an array that is an expression.

    Returns
    -------
    numpy.ndarray
        Read-only, unless the user wrapped it; nothing of lazyarr's writes to it.
    """
    if running:
        return compute(array)
    memory = array._array
    if memory is not None and array._alias is None:
        value = handed_out(array)
        if value is not None and value.strides == memory.strides and 1 not in value.shape:
            return value
    settle(array)
    if array._alias is not None and not _is_streamed(array):
        shown = _lent(array)
        if shown is not None:
            return shown
        alias = array._alias
        if alias is not None and memory_of(alias[0]) is None and all(map(_leads, alias[2] or ())):
            return _region_of_owner(array, compute)
    value = compute(array)
    if value.ndim == 0 or (value.ndim == 1 and array._alias is None):
        return value
    strides = layout(array).strides
    if strides == value.strides or _is_streamed(array):
        return value
    if not _differ(value.shape, value.strides, strides):
        return _read_only(region(value, 0, value.shape, strides, value.dtype, False))
    if array._alias is None and adopt(array):
        laid = compute(array)  # in the array's order from now on
        if laid.strides == strides:
            return laid
    return _read_only(copied_with_strides(value, strides))


def _lent(view: Storing) -> Array | None:
    """Return the region of its owner's memory that a view shows; None if there may be no memory."""
    if not compute_owner(view) or view._alias is None:
        return None
    with changing():  # not while another thread lets the owner have other memory
        return _lent_of_memory(view)


def _lent_of_memory(view: Storing) -> Array | None:
    alias = view._alias
    if alias is None:
        return None
    memory, owner = memory_of(view), alias[0]
    if type(memory) is not np.ndarray:
        return None
    owned = owner._array
    attr = None if owner._history is not BORROWED and is_shared(owned) else snapshot(owner).attr
    if attr is None or type(attr) is SharedLeaf:  # its own, or another array's that was copied
        lent = lease(owner)
    else:
        assert isinstance(attr, Leaf)
        lent = attr.array
    shown = place(lent, address_of(memory) - address_of(owned), memory)
    return _read_only(shown)


def _leads(step: Step) -> bool:
    """Return whether the place of what a step shows is known without computing numbers."""
    return type(step) is not PendingIndex or known_key(step) is not None


def _region_of_owner(view: Storing, compute: Callable[[Any], Array]) -> Array:
    """Return the region that a view shows of its owner's value, where arrays keep no memory."""
    owner, dtype = view if (alias := view._alias) is None else alias[0], view._node.dtype
    whole, strides = exported(owner, compute), layout(owner).strides
    lies = layout(view)  # the owner may lie otherwise, now that it is computed
    if _differ(whole.shape, whole.strides, strides):
        whole = copied_with_strides(whole, strides)  # a vector may be computed backwards
    return _read_only(region(whole, lies.offset, lies.shape, lies.strides, dtype, False))


def _is_streamed(array: Storing) -> bool:
    """Return whether an array depends on arrays in files, which have no strides in memory."""
    alias = array._alias
    owner = array if alias is None else alias[0]
    if owner._array is not None:
        return False
    return any(isinstance(leaf.attr, StreamedLeaf) for leaf in leaves_of(owner._node))


def _differ(shape: Shape, strides: tuple[int, ...], others: tuple[int, ...]) -> bool:
    """Return whether strides lead to other elements of an array."""
    if 0 in shape:
        return False
    return any(n > 1 and a != b for n, a, b in zip(shape, strides, others, strict=True))


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
