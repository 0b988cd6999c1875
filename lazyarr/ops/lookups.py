"""Lookups in sorted vectors, which are written where they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.ops.library import LIBRARY, library_op

__all__ = [
    "ASCENDING_BINS",
    "INTERPOLATED",
    "NARROW_SEARCHED",
    "SEARCHED",
    "narrow_positions",
    "narrow_searchsorted",
]

Array = np.ndarray[Any, Any]


def searched(table: Array, values: Array, right: bool, out: Array | None = None) -> Array:
    """Return the positions at which values would keep a sorted vector sorted.

    Parameters
    ----------
    table : numpy.ndarray
        The vector.
    values : numpy.ndarray
        Of its dtype.
    right : bool
        Whether an equal element lies before the position.
    out : numpy.ndarray, optional
        Where they lie, int64.
    """
    return _written(np.searchsorted(table, values, "right" if right else "left"), out)


def narrow_positions(length: int) -> np.dtype[Any]:
    """Return the dtype of positions in a vector that takes the least memory.

    Parameters
    ----------
    length : int
        Of the vector, below 2**31.
    """
    return np.dtype(np.uint16 if length < 1 << 16 else np.int32)


def narrow_searchsorted(a: Array, v: Array, side: Any = "left", sorter: Any = None) -> Array:
    """Return the positions at which values would keep a sorted vector sorted, in little memory.

    Parameters
    ----------
    a : numpy.ndarray
        The vector, of fewer than 2**31 elements.
    v : numpy.ndarray
        The values.
    side, sorter : object, optional
        As of ``numpy.searchsorted``.

    Returns
    -------
    numpy.ndarray
        Of the dtype of :func:`narrow_positions`, and the shape of the values.
    """
    return np.asarray(np.searchsorted(a, v, side, sorter)).astype(narrow_positions(len(a)))


def interpolated(
    values: Array, points: Array, heights: Array, left: Any, right: Any, out: Array | None = None
) -> Array:
    """Return the heights at values between points.

    Parameters
    ----------
    values, points, heights : numpy.ndarray
        float64; vectors of points in ascending order, and of their heights, of float64 or float32.
    left, right : float or None
        The result before the first point and behind the last; None: the height of that point.
    out : numpy.ndarray, optional
        Where they lie, float64.
    """
    return _written(np.interp(values, points, heights, left, right), out)


def ascending_bins(bins: Array) -> Array:
    """Return the edges of bins in ascending order.

    Parameters
    ----------
    bins : numpy.ndarray
        A vector that rises or falls.

    Raises
    ------
    ValueError
        If it does neither; as NumPy says it.
    """
    np.digitize(np.empty(0), bins)
    return bins[::-1] if bins.size and bins[0] > bins[-1] else bins


def _written(result: Any, out: Array | None) -> Array:
    if out is None:
        return np.asarray(result)
    np.copyto(out, result)
    return out


SEARCHED = LIBRARY["searched"] = library_op(
    "searched", searched, supports_out=True, known_as=lambda _: "searchsorted"
)
"""The library op, of two sources: the vector and the values."""
INTERPOLATED = LIBRARY["interpolated"] = library_op(
    "interpolated", interpolated, supports_out=True, known_as=lambda _: "interp"
)
"""The library op, of three sources: the values, the points and their heights."""
NARROW_SEARCHED = LIBRARY["narrow_searchsorted"] = library_op(
    "narrow_searchsorted", narrow_searchsorted, known_as=lambda _: "searchsorted"
)
"""The library op, of two sources: the vector and the values."""
ASCENDING_BINS = LIBRARY["ascending_bins"] = library_op("ascending_bins", ascending_bins)
"""The library op, of a vector of edges."""
