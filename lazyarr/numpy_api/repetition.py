"""Functions that give elements more than once: repeat, tile, resize."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import holds_numbers
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, wrap
from lazyarr.builders import build
from lazyarr.core.axis_numbers import strict_axis
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.graph.node import Early
from lazyarr.numpy_api.creation import as_shape
from lazyarr.numpy_api.movement import expand_dims, reshape
from lazyarr.numpy_api.slicing import take
from lazyarr.ops.library import DATA_SHAPED

__all__ = ["repeat", "resize", "tile"]


def tile(A: Any, reps: Any) -> LazyArray:  # noqa: N803 - NumPy's name
    """Return `A` repeated as a whole, `reps` times along each axis.

    Parameters
    ----------
    A : array_like
        Input.
    reps : int or sequence of int
        Repetitions along each axis; axes of length one are put in front of the shorter of `reps`
        and the shape.

    Returns
    -------
    LazyArray
        A copy, also if every number is one.
    """
    numbers = reps if isinstance(reps, Iterable) and getattr(reps, "ndim", None) != 0 else (reps,)
    counts = as_shape(tuple(int(n) if isinstance(n, (bool, np.bool_)) else n for n in numbers))
    x = as_lazy(A)
    ndim = max(x.ndim, len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    sizes = (1,) * (ndim - x.ndim) + x.shape
    if all(count == 1 for count in counts):
        return x.copy("K") if sizes == x.shape else reshape(x, sizes, copy=True)
    apart = x.reshape(tuple(n for size in sizes for n in (1, size)))
    wide = build.broadcast_to(
        apart._node, tuple(n for pair in zip(counts, sizes, strict=True) for n in pair)
    )
    return wrap(build.reshape(wide, tuple(c * n for c, n in zip(counts, sizes, strict=True))))


def _counts(repeats: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the numbers of repetitions as int64; booleans are numbers, as in NumPy."""
    if not np.can_cast(repeats.dtype, np.int64, "safe"):
        raise DTypeError(
            f"Cannot cast array data from dtype('{repeats.dtype}') to dtype('int64') according "
            "to the rule 'safe'",
            origin=origin(),
        )
    return repeats.astype(np.int64)


def repeat(a: Any, repeats: Any, axis: Any = None) -> LazyArray:
    """Return `a` with each element repeated.

    Parameters
    ----------
    a : array_like
        Input.
    repeats : int or array_like of int
        Number of repetitions: one for all, or one for each element along `axis`. An array is
        computed.
    axis : int, optional
        Default: the flattened array.

    Returns
    -------
    LazyArray
        Longer along the axis.
    """
    x = as_lazy(a)
    if axis is None:
        x, axis = x.reshape(-1) if x.size else x.reshape(0), 0
    elif not x.ndim:
        x = x.reshape(1)
    with build.located():
        at = strict_axis(axis, x.ndim)
    if isinstance(repeats, LazyArray) and is_on_device(repeats._node):
        # Imported here: most programs have no GPU.
        from lazyarr.numpy_api.device_forms import repeated_places

        on_device = repeated_places(repeats, x.shape[at])
        if on_device is not None:
            return as_lazy(take(x, on_device, axis=at))
    counts = (
        repeats._value("numpy.repeat", DATA_SHAPED)
        if isinstance(repeats, LazyArray)
        else np.asarray(repeats, np.intp if holds_numbers(repeats) else None)
    )
    if counts.ndim > 1:
        raise ShapeError("object too deep for desired array", origin=origin())
    if counts.size == 1:
        count = operator.index(_counts(counts).reshape(())[()])
        if not x.shape[at]:
            count = 0  # of nothing, as in NumPy, even less than none
        if count < 0:
            raise ArgumentError("negative dimensions are not allowed", origin=origin())
        shape = (*x.shape[: at + 1], count, *x.shape[at + 1 :])
        wide = build.broadcast_to(expand_dims(x, at + 1)._node, shape)
        merged = (*x.shape[:at], x.shape[at] * count, *x.shape[at + 1 :])
        return wrap(build.reshape(wide, merged))
    try:
        places = np.repeat(np.arange(x.shape[at]), _counts(counts))
    except ValueError as error:
        raise ShapeError(str(error), origin=origin()) from None
    index: Any = places
    if isinstance(repeats, LazyArray):
        index = wrap(build.leaf(places, Early("numpy.repeat", DATA_SHAPED, counts.nbytes)))
    return as_lazy(take(x, index, axis=at))


def resize(a: Any, new_shape: Any) -> LazyArray:
    """Return the elements, repeated as often as needed, in another shape of any size.

    Parameters
    ----------
    a : array_like
        Input.
    new_shape : int or tuple of int
        Of the result.

    Returns
    -------
    LazyArray
        The elements in C order, repeated; zeros if `a` has none.
    """
    if isinstance(new_shape, (np.ndarray, LazyArray)) and not new_shape.ndim:
        raise ArgumentError("iteration over a 0-d array", origin=origin())
    sizes = as_shape(new_shape)
    x = as_lazy(a)
    count = prod(sizes)
    if not x.size:
        return wrap(build.filled(0, x.dtype, sizes))
    return tile(x.reshape(-1), -(-count // x.size))[:count].reshape(sizes)
