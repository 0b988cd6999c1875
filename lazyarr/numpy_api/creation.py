"""Functions that make arrays of values that are given."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_node, as_operand, asarray, wrap
from lazyarr.builders import nodes as build
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.interop import exchange as interop

__all__ = [
    "array",
    "asanyarray",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "empty",
    "empty_like",
    "from_dlpack",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def as_shape(shape: Any) -> tuple[int, ...]:
    """Return a shape argument as a tuple of non-negative ints."""
    given = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    try:
        found = tuple(operator.index(n) for n in given)
    except TypeError:
        raise ArgumentError(f"a shape takes integers, got {shape!r}", origin=origin()) from None
    if any(n < 0 for n in found):
        raise ShapeError(f"negative dimensions are not allowed, got {found}", origin=origin())
    return found


def array(
    obj: Any,
    /,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str | None = None,
    ndmin: int = 0,
    device: object = None,
    like: object = None,
) -> LazyArray:
    """Return a LazyArray of a copy of `obj`; see :func:`lazyarr.asarray` for one without.

    Parameters
    ----------
    obj : array_like
        Input.
    dtype : dtype, optional
        Wanted dtype.
    copy : bool, optional
        False or None shares memory with an ndarray.
    order, device, like : object
        Accepted for NumPy's sake.
    ndmin : int
        Axes of length one are put in front up to this number.

    Returns
    -------
    LazyArray
        With at least `ndmin` axes.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.array([1, 2], dtype="float32").dtype
    dtype('float32')
    """
    made = asarray(obj, dtype=dtype, copy=copy)
    missing = ndmin - made.ndim
    return made if missing <= 0 else made.reshape((1,) * missing + made.shape)


def asanyarray(a: Any, dtype: Any = None, **ignored: Any) -> LazyArray:
    """Return ``lazyarr.asarray(a, dtype)``."""
    return asarray(a, dtype=dtype)


ascontiguousarray = asfortranarray = asanyarray


def copy(a: Any, order: str = "K", subok: bool = False) -> LazyArray:
    """Return `a` as a LazyArray that later writes into an ndarray `a` do not change."""
    return asarray(a, copy=True) if not isinstance(a, LazyArray) else a.copy()


def from_dlpack(x: Any, /, *, device: object = None, copy: bool | None = None) -> LazyArray:
    """Return an array that shares the memory of a DLPack exporter, on the CPU or a GPU.

    Parameters
    ----------
    x : object
        With ``__dlpack__`` and ``__dlpack_device__``.
    device : {"cpu", "cuda"}, optional
        Where to hold the value; default: where it is.
    copy : bool, optional
        True copies; otherwise the memory is shared.

    Returns
    -------
    LazyArray
        Its memory goes back to `x` once nothing needs it any more.

    Examples
    --------
    >>> import numpy as np, lazyarr as la
    >>> la.from_dlpack(np.arange(3.0)).compute()
    array([0., 1., 2.])
    """
    if isinstance(x, LazyArray):
        made = x
    else:
        made = wrap(interop.take(x, copy))
    return made if device is None else asarray(made, device=device)


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: object = None,
    like: object = None,
) -> LazyArray:
    """Return an array of one value.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the result.
    fill_value : array_like
        The value, or values that broadcast to the shape.
    dtype : dtype, optional
        Default: that of the value.
    order, device, like : object
        Accepted for NumPy's sake.

    Returns
    -------
    LazyArray
        No memory is used until it is evaluated.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.full((2, 2), 7).compute()
    array([[7, 7],
           [7, 7]])
    """
    sizes = as_shape(shape)
    operand = as_operand(fill_value)
    if dtype is not None and not isinstance(operand, Node):
        return wrap(build.filled(operand, build.as_dtype(dtype), sizes))
    made = as_node(fill_value)
    if dtype is not None:
        made = build.cast(made, build.as_dtype(dtype))
    return wrap(build.broadcast_to(made, sizes))


def zeros(shape: Any, dtype: Any = None, order: str = "C", **ignored: Any) -> LazyArray:
    """Return an array of zeros: ``full(shape, 0, dtype or float64)``."""
    return full(shape, 0, float if dtype is None else dtype)


def ones(shape: Any, dtype: Any = None, order: str = "C", **ignored: Any) -> LazyArray:
    """Return an array of ones: ``full(shape, 1, dtype or float64)``."""
    return full(shape, 1, float if dtype is None else dtype)


def empty(shape: Any, dtype: Any = None, order: str = "C", **ignored: Any) -> LazyArray:
    """Return zeros: an expression has no memory whose old contents could show."""
    return zeros(shape, dtype)


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: object = None,
) -> LazyArray:
    """Return an array of one value with the shape and dtype of `a`, unless others are given."""
    like = as_node(a)
    return full(
        like.shape if shape is None else shape,
        fill_value,
        like.dtype if dtype is None else dtype,
    )


def zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: object = None,
) -> LazyArray:
    """Return zeros with the shape and dtype of `a`, unless others are given."""
    return full_like(a, 0, dtype, shape=shape)


def ones_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: object = None,
) -> LazyArray:
    """Return ones with the shape and dtype of `a`, unless others are given."""
    return full_like(a, 1, dtype, shape=shape)


def empty_like(
    prototype: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: object = None,
) -> LazyArray:
    """Return zeros with the shape and dtype of `prototype`, unless others are given."""
    return full_like(prototype, 0, dtype, shape=shape)
