"""Arrays of one value with the shape, the dtype and the order of another array."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import layout, memory_of
from lazyarr.arrays.coercion import check_order
from lazyarr.arrays.lazy_array import LazyArray, asarray, wrap
from lazyarr.builders import build
from lazyarr.graph.storage import Layout
from lazyarr.numpy_api.creation import as_shape, full, on_device

__all__ = ["empty_like", "full_like", "ones_like", "zeros_like"]

#: Where a value is held: "cpu" or "cuda"; None for wherever it is used.
Device = str | None


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Device = None,
) -> LazyArray:
    """Return an array of one value with the shape and dtype of `a`, or with others.

    Parameters
    ----------
    a : array_like
        The prototype; its values do not matter.
    fill_value : array_like
        The value, or values that broadcast to the shape.
    dtype, order, subok, shape, device
        As for :func:`lazyarr.zeros_like`.
    """
    check_order(order)
    operator.index(subok)  # as NumPy refuses what is no integer
    like = a if isinstance(a, LazyArray) else asarray(a)
    dtype = like.dtype if dtype is None else build.as_dtype(dtype)
    sizes = like.shape if shape is None else as_shape(shape)
    if isinstance(fill_value, (float, complex)) and not np.can_cast(type(fill_value), dtype):
        fill_value = np.asarray(fill_value)  # cast as an array is, unlike that of `full`
    result = full(sizes, fill_value, dtype)
    return on_device(_laid(result, like, "K" if order is None else order), device)


def _laid(result: LazyArray, like: LazyArray, order: Any) -> LazyArray:
    """Return a new array whose elements lie in an order, or in that of another array."""
    if result.ndim < 2:
        return result
    lies = layout(like)
    if order in "Kk" and like.ndim == result.ndim:
        kept = Layout(0, result.shape, lies.strides, result.dtype.itemsize).copied("K")
    else:
        letter = "C" if order in "Kk" else order.upper()
        if letter == "A":
            letter = "F" if lies.f_contiguous and not lies.c_contiguous else "C"
        kept = layout(result).copied(letter)
    if kept.c_contiguous:
        return result
    ordered = result if memory_of(result) is not None else result.copy("C")
    memory = memory_of(ordered)  # which the copy may have
    if memory is not None:
        axes = sorted(range(result.ndim), key=lambda axis: -kept.strides[axis])
        return wrap(build.leaf(memory.transpose(axes).copy().transpose(np.argsort(axes))))
    ordered._layout = kept
    return ordered


def zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Device = None,
) -> LazyArray:
    """Return zeros with the shape and dtype of an array, or with others.

    Parameters
    ----------
    a : array_like
        The prototype; its values do not matter.
    dtype : dtype, optional
        Default: that of `a`.
    order : {"C", "F", "A", "K"}
        Of the elements in memory: "A" and "K" take it from `a`.
    subok : object
        Accepted for NumPy's sake.
    shape : int or tuple of int, optional
        Default: that of `a`.
    device : {"cpu", "cuda"}, optional
        Where to hold the value; default: wherever it is used.
    """
    return full_like(a, 0, dtype, order, subok, shape, device=device)


def ones_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Device = None,
) -> LazyArray:
    """Return ones with the shape and dtype of an array, or with others.

    Parameters
    ----------
    a : array_like
        The prototype; its values do not matter.
    dtype, order, subok, shape, device
        As for :func:`lazyarr.zeros_like`.
    """
    return full_like(a, 1, dtype, order, subok, shape, device=device)


def empty_like(
    prototype: Any,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Device = None,
) -> LazyArray:
    """Return zeros with the shape and dtype of an array, or with others.

    Parameters
    ----------
    prototype : array_like
        Its values do not matter.
    dtype, order, subok, shape, device
        As for :func:`lazyarr.zeros_like`.
    """
    return full_like(prototype, 0, dtype, order, subok, shape, device=device)
