"""Functions that cut arrays apart along an axis."""

from __future__ import annotations

import itertools
import operator
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_node, asarray
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.numpy_api.movement import axis_of, moveaxis

__all__ = [
    "array_split",
    "dsplit",
    "hsplit",
    "split",
    "unstack",
    "vsplit",
]


def unstack(x: Any, /, *, axis: int = 0) -> tuple[LazyArray, ...]:
    """Return the slices of `x` along an axis.

    Parameters
    ----------
    x : array_like
        With at least one axis.
    axis : int
        The axis of the slices.

    Returns
    -------
    tuple of LazyArray
        Views, without the axis.
    """
    if not x.ndim:
        raise ArgumentError("Input array must be at least 1-d.", origin=origin())
    moved = moveaxis(x, axis, 0)
    return tuple(moved[k] for k in range(moved.shape[0]))


def _has_places(indices_or_sections: Any) -> bool:
    """Return whether an argument names positions; else it is the number of parts."""
    try:
        len(indices_or_sections)
    except TypeError:
        return False
    return True


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[LazyArray]:
    """Return an array cut along an axis, into near equal parts or at positions.

    Parameters
    ----------
    ary, indices_or_sections, axis
        As for :func:`lazyarr.split`; the parts need not be equal: the first ones have one element
        more.

    Returns
    -------
    list of LazyArray
        Views of `ary`, in order.

    Raises
    ------
    ArgumentError
        If the number of parts is not positive.
    """
    x = asarray(ary)
    at = axis_of(axis, x.ndim)
    size = x.shape[at]
    if not _has_places(indices_or_sections):
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ArgumentError("number sections must be larger than 0.", origin=origin())
        each, extra = divmod(size, sections)
        # Too many parts are refused at once, as lists of their lengths.
        lengths = [each + 1] * extra + [each] * (sections - extra)
        pairs = list(itertools.pairwise(itertools.accumulate(lengths, initial=0)))
    else:
        cuts = [operator.index(k) for k in indices_or_sections]
        starts: list[Any] = [0, *cuts]
        stops: list[Any] = [*cuts, None]
        pairs = list(zip(starts, stops, strict=True))
    front = (slice(None),) * at
    return [x[(*front, slice(start, stop))] for start, stop in pairs]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[LazyArray]:
    """Return an array cut along an axis, into equal parts or at positions.

    Parameters
    ----------
    ary : array_like
        With at least one axis.
    indices_or_sections : int or sequence of int
        The number of equal parts, or the positions before which to cut.
    axis : int
        The axis to cut.

    Returns
    -------
    list of LazyArray
        Views of `ary`, in order.

    Raises
    ------
    ShapeError
        If the axis cannot be divided into as many equal parts.
    """
    if not _has_places(indices_or_sections):
        _check_is_array(ary)
        x = as_node(ary)
        if x.shape[axis_of(axis, x.ndim)] % indices_or_sections:
            raise ShapeError("array split does not result in an equal division", origin=origin())
    return array_split(ary, indices_or_sections, axis)


def _check_is_array(ary: Any, attribute: str = "shape") -> None:
    """Raise NumPy's error for a list, whose attributes NumPy reads."""
    if not hasattr(ary, attribute):
        raise AttributeError(f"{type(ary).__name__!r} object has no attribute {attribute!r}")


def _check_axes(name: str, ary: Any, least: int) -> None:
    if as_node(ary).ndim < least:
        raise ShapeError(
            f"{name} only works on arrays of {least} or more dimensions", origin=origin()
        )


def vsplit(ary: Any, indices_or_sections: Any) -> list[LazyArray]:
    """Return an array cut along its first axis.

    Parameters
    ----------
    ary, indices_or_sections
        As for :func:`lazyarr.split`.
    """
    _check_axes("vsplit", ary, 2)
    return split(ary, indices_or_sections, 0)


def hsplit(ary: Any, indices_or_sections: Any) -> list[LazyArray]:
    """Return an array cut along its second axis, or its only one.

    Parameters
    ----------
    ary, indices_or_sections
        As for :func:`lazyarr.split`.
    """
    _check_axes("hsplit", ary, 1)
    _check_is_array(ary, "ndim")
    return split(ary, indices_or_sections, 0 if as_node(ary).ndim == 1 else 1)


def dsplit(ary: Any, indices_or_sections: Any) -> list[LazyArray]:
    """Return an array cut along its third axis.

    Parameters
    ----------
    ary, indices_or_sections
        As for :func:`lazyarr.split`.
    """
    _check_axes("dsplit", ary, 3)
    return split(ary, indices_or_sections, 2)
