"""Borders round arrays."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, wrap
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, IndexingError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.library_calls import call_library
from lazyarr.numpy_api.memory_order import in_order, order_of

__all__ = [
    "pad",
]


def pad(array: Any, pad_width: Any, mode: Any = "constant", **keywords: Any) -> LazyArray:
    """Return `array` with a border.

    Parameters
    ----------
    array : array_like
        Input.
    pad_width : int, pair, or sequence of pairs
        Numbers of elements before and after along each axis, as in NumPy.
    mode : str
        "constant" (with `constant_values`), "edge", "wrap", "reflect" and "symmetric" are
        concatenations; NumPy's others are computed by NumPy.
    **keywords
        NumPy's, for the mode.

    Returns
    -------
    LazyArray
        Larger by the border.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.pad([1, 2], 1).compute()
    array([0, 1, 2, 0])
    """
    x = as_lazy(array)
    order = order_of(x, "A")  # a wrapped array with gaps has another one once it is indexed
    return as_lazy(in_order(_padded(x, pad_width, mode, keywords), order))


def _padded(x: LazyArray, pad_width: Any, mode: Any, keywords: dict[str, Any]) -> LazyArray:
    """Return an array with a border, in any order in memory."""
    widths = _pairs(pad_width, x.ndim)
    if mode == "constant":
        values = keywords.pop("constant_values", 0)
        if not keywords:
            return wrap(_framed(x._node, widths, values))
    _check_growing(x, widths, mode)
    simple = ("edge", "wrap", "reflect", "symmetric")
    if (
        mode in simple
        and not keywords
        and all(
            max(pair) < size or (mode == "edge" and size) or max(pair) == 0
            for pair, size in zip(widths, x.shape, strict=True)
        )
    ):
        return _bordered(x, tuple(enumerate(widths)), mode)
    shape = tuple(n + before + after for n, (before, after) in zip(x.shape, widths, strict=True))
    np.pad(np.ones((1,) * x.ndim), 0, mode, **keywords)
    return call_library("pad", np.pad, (x, widths or 0, mode), shape, x.dtype, **keywords)


def _check_growing(x: LazyArray, widths: tuple[tuple[int, int], ...], mode: Any) -> None:
    """Raise ArgumentError if an axis without elements is to grow by elements made of others."""
    if callable(mode) or mode in ("constant", "empty"):
        return
    for axis, (pair, size) in enumerate(zip(widths, x.shape, strict=True)):
        if not size and any(pair):
            raise ArgumentError(
                f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'",
                origin=origin(),
            )


def _framed(x: Node, widths: tuple[tuple[int, int], ...], values: Any) -> Node:
    """Return `x` with constants round it: one concatenation for each axis that grows."""
    fillers: dict[Any, Node] = {}

    def filler(value: Any) -> Node:
        if isinstance(value, LazyArray):
            return build.cast(value._node, x.dtype)
        key = (value.dtype, value.tobytes())
        if key not in fillers:
            fillers[key] = build.cast(as_node(value), x.dtype)
        return fillers[key]

    for axis, (pair, fills) in enumerate(zip(widths, _value_pairs(values, x.ndim), strict=True)):
        sides = []
        for count, value in zip(pair, fills, strict=True):
            shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
            sides.append([build.broadcast_to(filler(value), shape)] if count else [])
        if any(sides):
            x = build.concatenate([*sides[0], x, *sides[1]], axis)
    return x


def _bordered(x: LazyArray, axes: tuple[tuple[int, tuple[int, int]], ...], mode: str) -> LazyArray:
    """Return `x` with borders made of itself along `axes`.

    The borders of one axis are cut from `x` and then padded along the other axes themselves,
    instead of from a padded `x`: so every element is written once, into its place.
    """
    if not axes:
        return x
    *rest, (axis, (before, after)) = axes
    sides = _sides(x, axis, before, after, mode) if before or after else (x,)
    parts = [
        _bordered(part, tuple(rest), mode)._node for part in sides if part.shape[axis] or part is x
    ]
    return wrap(build.concatenate(parts, axis))


def _sides(
    x: LazyArray, axis: int, before: int, after: int, mode: str
) -> tuple[LazyArray, LazyArray, LazyArray]:
    """Return the border before, `x`, and the border after, along one axis."""
    front = (slice(None),) * axis
    size = x.shape[axis]

    def cut(start: int, stop: int) -> LazyArray:
        return x[(*front, slice(start, stop))]

    def turned(part: LazyArray) -> LazyArray:
        return part[(*front, slice(None, None, -1))]

    if mode == "edge":

        def wide(part: LazyArray, count: int) -> LazyArray:
            shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
            return wrap(build.broadcast_to(part._node, shape))

        left, right = wide(cut(0, 1), before), wide(cut(size - 1, size), after)
    elif mode == "wrap":
        left, right = cut(size - before, size), cut(0, after)
    elif mode == "reflect":
        left, right = turned(cut(1, before + 1)), turned(cut(size - 1 - after, size - 1))
    else:
        left, right = turned(cut(0, before)), turned(cut(size - after, size))
    return left, x, right


def _pairs(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    if isinstance(pad_width, dict):
        table = np.zeros((ndim, 2), int)
        for axis, width in pad_width.items():
            if not -ndim <= operator.index(axis) < ndim:
                raise IndexingError(
                    f"axis {axis} of `pad_width` is out of bounds for an array of {ndim} axes",
                    origin=origin(),
                )
            table[axis] = _integers(width, (2,))
    else:
        table = _integers(pad_width, (ndim, 2))
    return tuple((before, after) for before, after in table.tolist())


def _integers(pad_width: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return widths as integers of a shape."""
    widths = np.asarray(pad_width)
    if kind_of(widths.dtype) not in "iu":
        raise ArgumentError("`pad_width` must be of integral type.", origin=origin())
    if (widths < 0).any():
        raise ArgumentError("index can't contain negative values", origin=origin())
    try:
        return np.broadcast_to(widths, shape)
    except ValueError as error:
        raise ShapeError(f"`pad_width`: {error}", origin=origin()) from None


def _value_pairs(values: Any, ndim: int) -> list[tuple[Any, Any]]:
    if isinstance(values, LazyArray):
        return [(values, values)] * ndim
    table = np.broadcast_to(np.asarray(values), (ndim, 2))
    return [(row[0], row[1]) for row in table]
