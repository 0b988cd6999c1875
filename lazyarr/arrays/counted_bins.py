"""Numbers of elements in bins of equal widths, as ``numpy.histogram`` returns them.

NumPy computes a bin for each element, and compares each with the edges of that bin. Here only
elements whose quotient by the width lies next to an integer are looked up among the edges: for all
others rounding cannot change the bin.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lazyarr.arrays import tuning

__all__ = ["histogram"]

Array = np.ndarray[Any, Any]

_LEAST = tuning.row().binned_elements
_BLOCK = tuning.row().binned_block
_MOST_NEAR = tuning.row().binned_near
_EPSILON = float(np.finfo(np.float64).eps)
#: Roundings up to the quotient of an element, and of an edge, and as many again.
_ROUNDINGS = 8
#: From there on half of the elements would lie next to an integer.
_WIDEST = 0.25
_NUMPYS: Any = np.histogram


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Array, Array]:
    """Return the number of elements in each bin, and the edges, as of ``numpy.histogram``.

    Parameters
    ----------
    a : array_like
        Any array.
    bins, range, density, weights : object
        As NumPy takes them.

    Returns
    -------
    tuple of numpy.ndarray
        int64 counts, and float64 edges; of other types as NumPy's.
    """
    is_plain = type(bins) is int and 0 < bins <= _BLOCK and range is None and weights is None
    if is_plain and not density and isinstance(a, np.ndarray) and a.dtype == np.float64:
        counted = _counted(a.ravel(), bins) if a.size >= _LEAST else None
        if counted is not None:
            return counted
    result: tuple[Array, Array] = _NUMPYS(a, bins, range, density, weights)
    return result


def _counted(a: Array, bins: int) -> tuple[Array, Array] | None:
    """Return counts and edges; None if many elements lie next to edges, or the ends are special."""
    first, last = float(a.min()), float(a.max())
    width = last - first
    if not (math.isfinite(width) and width > 0 and math.isfinite(bins / width)):
        return None
    near = _ROUNDINGS * _EPSILON * bins * (1 + max(abs(first), abs(last)) / width)
    if near > _WIDEST:
        return None
    edges = np.histogram_bin_edges(a[:0], bins, (first, last))
    counts = np.zeros(bins, np.int64)
    for start in range(0, a.size, _BLOCK):
        block = a[start : start + _BLOCK]
        quotients = block - first
        quotients *= bins / width
        distances = np.rint(quotients)
        distances -= quotients
        np.abs(distances, out=distances)
        places = quotients.astype(np.int64)
        if distances.min() < near:
            members = np.flatnonzero(distances < near)
            if members.size > block.size // _MOST_NEAR:
                return None
            exact = np.searchsorted(edges, block[members], "right") - 1
            places[members] = np.clip(exact, 0, bins - 1)
        counts += np.bincount(places, minlength=bins)
    return counts, edges
