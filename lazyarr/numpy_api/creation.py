"""Functions that make arrays of the values that they are passed."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import layout
from lazyarr.arrays.coercion import check_order, has_items
from lazyarr.arrays.lazy_array import LazyArray, as_node, as_operand, asarray, wrap
from lazyarr.arrays.prototype_argument import with_like
from lazyarr.builders import build
from lazyarr.core.axis_numbers import c_int
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import MOST_AXES, Shape, broadcasts_to, check_size, text_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.interop import exchange
from lazyarr.interop.exchange import checked_device
from lazyarr.numpy_api.memory_order import in_order

__all__ = [
    "array",
    "asanyarray",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "empty",
    "from_dlpack",
    "full",
    "ones",
    "zeros",
]

#: Where a value is held: "cpu" or "cuda"; None for wherever it is used.
Device = str | None


def as_shape(shape: Any, refusal: str = "negative dimensions are not allowed") -> tuple[int, ...]:
    """Return a shape argument as a tuple of non-negative ints.

    Parameters
    ----------
    shape : int or sequence of int
        The user's argument.
    refusal : str, optional
        The text of the error of a negative length.
    """
    listed = has_items(shape) and bool(getattr(shape, "ndim", 1))
    entries = tuple(shape) if listed else (shape,)
    try:
        if any(isinstance(n, (bool, np.bool_)) for n in entries):
            raise TypeError("an integer is required")
        sizes = tuple(operator.index(n) for n in entries)
    except TypeError as error:
        what = "Use () not None as shape arguments" if shape is None else str(error)
        if not (listed or shape is None or isinstance(shape, str)):
            what = f"expected a sequence of integers or a single integer, got '{shape!r}'"
        raise ArgumentError(f"{what}: a shape takes integers", origin=origin()) from None
    if any(n < 0 for n in sizes):
        raise ShapeError(f"{refusal}, got {sizes}", origin=origin())
    with build.located():
        check_size(sizes, 1)
    return sizes


def check_order_of_new(order: Any) -> None:
    """Raise ArgumentError unless ``order=`` is that of an array which is made from nothing."""
    check_order(order)
    if order is not None and order not in "CFcf":
        raise ArgumentError("only 'C' or 'F' order is permitted", origin=origin())


def on_device(value: LazyArray, device: Any) -> LazyArray:
    """Return an array held on a device, the CPU's as an expression.

    Parameters
    ----------
    value : LazyArray
        Any array.
    device : {"cpu", "cuda"} or None
        Where to hold it.

    Returns
    -------
    LazyArray
        `value` itself if it is there already, or if `device` is None.

    Raises
    ------
    ArgumentError
        If there is no such device.
    """
    if device is None:
        return value
    name = checked_device(device)
    return value if name == value.device else value.to_device(name)


@with_like
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = MOST_AXES,
    device: Device = None,
    like: object = None,
) -> LazyArray:
    """Return a LazyArray of a copy of `object`; see :func:`lazyarr.asarray` for one without.

    Parameters
    ----------
    object : array_like
        Input.
    dtype : dtype, optional
        Of the result; default: that of `object`.
    copy : bool, optional
        False or None shares memory with an ndarray.
    order, subok : object
        Accepted for NumPy's sake.
    like : object
        An array of another library, whose class makes the result (NEP 35).
    ndmin : int
        Axes of length one are put in front up to this number.
    ndmax : int
        The most axes that sequences may have; with ``dtype=object``, deeper ones are the objects of
        NumPy's array.
    device : {"cpu", "cuda"}, optional
        Where to hold the value.

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
    result = asarray(object, dtype=dtype, order=order, copy=copy, device=device)
    ndmin, ndmax = c_int(ndmin), c_int(ndmax)
    if not 0 <= ndmax <= MOST_AXES:
        raise ArgumentError(
            f"ndmax must be in the range [0, NPY_MAXDIMS ({MOST_AXES})]", origin=origin()
        )
    if ndmin > ndmax:
        raise ArgumentError(f"ndmin must be <= ndmax ({ndmax})", origin=origin())
    if result.ndim > ndmax and not isinstance(object, (np.ndarray, LazyArray)):
        raise ShapeError(
            "setting an array element with a sequence. The requested array would exceed the "
            f"maximum number of dimension of {ndmax}.",
            origin=origin(),
        )
    missing = ndmin - result.ndim
    return result if missing <= 0 else result.reshape((1,) * missing + result.shape)


@with_like
def asanyarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Device = None,
    copy: bool | None = None,
    like: object = None,
) -> LazyArray:
    """Return ``lazyarr.asarray(a, dtype)``: there are no subclasses to preserve.

    Parameters
    ----------
    a, dtype, order, device, copy, like
        As for :func:`lazyarr.asarray`.
    """
    return asarray(a, dtype, order, device=device, copy=copy, like=like)


def _axed(a: Any, dtype: Any) -> LazyArray:
    result = asarray(a, dtype=dtype)
    return result if result.ndim else result.reshape(1)


@with_like
def ascontiguousarray(a: Any, dtype: Any = None, *, like: object = None) -> LazyArray:
    """Return `a` in C order.

    Parameters
    ----------
    a : array_like
        Input.
    dtype : dtype, optional
        Of the result; default: that of `a`.
    like : object
        An array of another library, whose class makes the result (NEP 35).

    Returns
    -------
    LazyArray
        With at least one axis: `a` itself if it lies in C order, else a copy that does.
    """
    result = _axed(a, dtype)
    return result if layout(result).c_contiguous else result.copy("C")


@with_like
def asfortranarray(a: Any, dtype: Any = None, *, like: object = None) -> LazyArray:
    """Return `a` in Fortran order.

    Parameters
    ----------
    a, dtype, like
        As for :func:`lazyarr.ascontiguousarray`.

    Returns
    -------
    LazyArray
        With at least one axis: `a` itself if it lies in Fortran order, else a copy that does.
    """
    result = _axed(a, dtype)
    return result if layout(result).f_contiguous else result.copy("F")


def copy(a: Any, order: str = "K", subok: bool = False) -> LazyArray:
    """Return `a` as a LazyArray that later writes into an ndarray `a` do not change.

    Parameters
    ----------
    a : array_like
        Input.
    order : {"C", "F", "A", "K"}
        The order of the elements in the memory of the copy, as in NumPy.
    subok : bool
        Accepted for NumPy's sake.

    Returns
    -------
    LazyArray
        With elements of its own.
    """
    check_order(order)
    return a.copy(order) if isinstance(a, LazyArray) else array(a, order=order)


def from_dlpack(x: Any, /, *, device: Device = None, copy: bool | None = None) -> LazyArray:
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
        imported = x.copy() if copy else x
    else:
        imported = wrap(exchange.take(x, copy))
    return imported if device is None else asarray(imported, device=device)


@with_like
def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Device = None,
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
    order : {"C", "F"}
        Of the elements in memory.
    like : object
        An array of another library, whose class makes the result (NEP 35).
    device : {"cpu", "cuda"}, optional
        Where to hold the value; default: wherever it is used.

    Returns
    -------
    LazyArray
        No memory is used until it is evaluated.

    Raises
    ------
    OverflowError
        If an integer does not fit the dtype.
    ShapeError
        If no memory could be addressed that holds it.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.full((2, 2), 7).compute()
    array([[7, 7],
           [7, 7]])
    """
    check_order_of_new(order)
    return on_device(in_order(_filled(shape, fill_value, dtype), order), device)


def _filled(shape: Any, fill_value: Any, dtype: Any) -> LazyArray:
    """Return an array of one value, in C order."""
    sizes = as_shape(shape)
    target = None if dtype is None else build.as_dtype(dtype)
    operand = as_operand(fill_value)
    if target is not None and not isinstance(operand, Node):
        if type(operand) is complex and kind_of(target) not in "cb":
            build.warn_of_discarding(np.dtype(complex), target)
            operand = operand.real
        if type(operand) is float and kind_of(target) in "iu":
            # Cast, as a number of NumPy's, and not converted.
            cast = build.cast(build.leaf(np.array(operand)), target)
            value = build.broadcast_to(cast, sizes)
        else:
            value = build.filled(operand, target, sizes)
    else:
        value = as_node(fill_value)
        if target is not None:
            build.warn_of_discarding(value.dtype, target)
            value = build.cast(value, target)
        value = build.broadcast_to(_written_into(value, sizes), sizes)
    return wrap(value)


def _written_into(value: Node, sizes: Shape) -> Node:
    """Return a value without leading axes of one element that an array of some sizes lacks."""
    shape = value.shape
    while len(shape) > len(sizes) and shape[0] == 1:
        shape = shape[1:]
    if not broadcasts_to(shape, sizes):
        text = f"from shape {text_of(value.shape)} into shape {text_of(sizes)}"
        raise ShapeError(f"could not broadcast input array {text}", origin=origin())
    return build.reshape(value, shape)


@with_like
def zeros(
    shape: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Device = None,
    like: object = None,
) -> LazyArray:
    """Return an array of zeros: ``full(shape, 0, dtype or float64)``.

    Parameters
    ----------
    shape : int or tuple of int
        Of the result.
    dtype : dtype, optional
        Default: float64.
    order : object
        Accepted for NumPy's sake.
    like : object
        An array of another library, whose class makes the result (NEP 35).
    device : {"cpu", "cuda"}, optional
        Where to hold the value; default: wherever it is used.

    Returns
    -------
    LazyArray
        No memory is used until it is evaluated.
    """
    return full(shape, 0, float if dtype is None else dtype, order, device=device, like=like)


@with_like
def ones(
    shape: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Device = None,
    like: object = None,
) -> LazyArray:
    """Return an array of ones: ``full(shape, 1, dtype or float64)``.

    Parameters
    ----------
    shape : int or tuple of int
        Of the result.
    dtype : dtype, optional
        Default: float64.
    order : object
        Accepted for NumPy's sake.
    like : object
        An array of another library, whose class makes the result (NEP 35).
    device : {"cpu", "cuda"}, optional
        Where to hold the value; default: wherever it is used.

    Returns
    -------
    LazyArray
        No memory is used until it is evaluated.
    """
    return full(shape, 1, float if dtype is None else dtype, order, device=device, like=like)


@with_like
def empty(
    shape: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Device = None,
    like: object = None,
) -> LazyArray:
    """Return zeros: an expression has no memory whose old contents could show.

    Parameters
    ----------
    shape : int or tuple of int
        Of the result.
    dtype : dtype, optional
        Default: float64.
    order, device, like
        As for :func:`lazyarr.zeros`.
    """
    return zeros(shape, dtype, order, device=device, like=like)
