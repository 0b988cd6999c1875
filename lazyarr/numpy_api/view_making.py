"""Arrays that show the elements of others: where NumPy makes a view, and where it copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import Bits, Locked, Reshaped, Unsettled, as_bits, layout
from lazyarr.arrays.lazy_array import LazyArray, as_node, wrap
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError

__all__ = ["broadcast", "is_fortran", "reinterpreted", "reshaped", "shown"]

Shape = tuple[int, ...]


def shown(a: Any, index_map: shapes.View, shape: Shape, *, locked: bool = False) -> LazyArray:
    """Return the elements of `a` that an index map chooses: a view of an array.

    `locked` says that they cannot be written to through it.
    """
    x = as_node(a)
    made = build.view(x, index_map, shape)
    if not isinstance(a, LazyArray):
        return wrap(made)
    view: LazyArray = a._view(made, Locked(index_map, shape) if locked else (index_map, shape))
    return view


def reshaped(a: Any, shape: Shape, copy: bool | None = None) -> LazyArray:
    """Return `a` in C order in another shape of the same size: a view where NumPy makes one."""
    x = as_node(a)
    made = build.reshape(x, shape)
    if copy or not isinstance(a, LazyArray):
        return wrap(made)
    index_map = shapes.expand_view(x.shape, shape)
    if index_map is not None:
        return shown(a, index_map, shape)
    if copy is None:
        unsettled: LazyArray = a._view(made, Unsettled(shape))
        return unsettled
    if layout(a).reshaped(shape) is None:
        raise ArgumentError(
            f"an array of shape {x.shape} cannot be seen in shape {shape} without a copy",
            origin=origin(),
        )
    view: LazyArray = a._view(made, Reshaped(shape))
    return view


def is_fortran(a: Any) -> bool:
    """Return whether an array lies in Fortran order, and not in C order."""
    if isinstance(a, LazyArray):
        place = layout(a)
        return place.f_contiguous and not place.c_contiguous
    return isinstance(a, np.ndarray) and np.isfortran(a)


def broadcast(array: Any, shape: Shape) -> LazyArray:
    """Return a view broadcast to a shape, which cannot be written to."""
    x = as_node(array)
    made = build.broadcast_to(x, shape)
    if not isinstance(array, LazyArray):
        return wrap(made)
    view: LazyArray = array._view(made, Locked(shapes.broadcast_view(x.shape, shape), shape))
    return view


def reinterpreted(x: LazyArray, dtype: Any) -> LazyArray:
    """Return the bits of the elements, read as another dtype, as ``ndarray.view`` does."""
    wanted = build.as_dtype(dtype)
    if wanted == x.dtype:
        return x[...]
    shape = x.shape
    if wanted.itemsize != x.dtype.itemsize:
        rest = shape[-1] * x.dtype.itemsize % wanted.itemsize if shape else 1
        if not shape or rest:
            raise DTypeError(
                f"cannot read {x.dtype} of shape {shape} as {wanted}: the last axis is no "
                f"multiple of {wanted.itemsize} bytes",
                origin=origin(),
            )
    bits = as_bits(x._node, wanted)
    if layout(x).read_as(wanted.itemsize) is None:
        raise ArgumentError(
            "To change to a dtype of a different size, the last axis must be contiguous",
            origin=origin(),
            hint="copy it first: x.copy()",
        )
    view: LazyArray = x._view(bits, Bits(wanted))
    return view
