"""Borders round arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr import build
from lazyarr.array import LazyArray, as_node, asarray, wrap
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.functions.calling import call_library
from lazyarr.functions.joining import concatenate
from lazyarr.origin import origin
from lazyarr.shapes import normalize_axis

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
        How many elements before and after along each axis; as in NumPy.
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
    x = asarray(array)
    widths = _pairs(pad_width, x.ndim)
    if any(n < 0 for pair in widths for n in pair):
        raise ArgumentError("index can't contain negative values", origin=origin())
    if mode == "constant":
        fills = _value_pairs(keywords.pop("constant_values", 0), x.ndim)
        for axis, ((before, after), (first, last)) in enumerate(zip(widths, fills, strict=True)):
            if before or after:
                sides = []
                for count, fill in ((before, first), (after, last)):
                    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
                    value = build.cast(as_node(fill), x.dtype)
                    sides.append(wrap(build.broadcast_to(value, shape)))
                x = asarray(concatenate([sides[0], x, sides[1]], axis=axis))
        return x
    simple = ("edge", "wrap", "reflect", "symmetric")
    if (
        mode in simple
        and not keywords
        and all(
            max(pair) < size or (mode == "edge" and size) or max(pair) == 0
            for pair, size in zip(widths, x.shape, strict=True)
        )
    ):
        for axis, (before, after) in enumerate(widths):
            if before or after:
                x = _bordered(x, axis, before, after, mode)
        return x
    shape = tuple(n + before + after for n, (before, after) in zip(x.shape, widths, strict=True))
    np.pad(np.ones((1,) * x.ndim), 0, mode, **keywords)
    return call_library("pad", np.pad, (x, widths, mode), shape, x.dtype, **keywords)


def _bordered(x: LazyArray, axis: int, before: int, after: int, mode: str) -> LazyArray:
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
    return asarray(concatenate([left, x, right], axis=axis))


def _pairs(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    if isinstance(pad_width, dict):
        found = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            with build.located():
                at = normalize_axis(axis, ndim)
            first, last = np.broadcast_to(np.asarray(width), (2,)).tolist()
            found[at] = (first, last)
        return tuple(found)
    widths = np.asarray(pad_width)
    if widths.dtype.kind not in "iu":
        raise ArgumentError("`pad_width` must be of integral type.", origin=origin())
    try:
        table = np.broadcast_to(widths, (ndim, 2)).tolist()
    except ValueError:
        raise ShapeError(
            f"pad_width of shape {widths.shape} does not fit {ndim} axes", origin=origin()
        ) from None
    return tuple((before, after) for before, after in table)


def _value_pairs(values: Any, ndim: int) -> list[tuple[Any, Any]]:
    if isinstance(values, LazyArray):
        return [(values, values)] * ndim
    table = np.broadcast_to(np.asarray(values), (ndim, 2))
    return [(row[0], row[1]) for row in table]
