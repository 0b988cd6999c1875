"""Functions that NumPy computes at once, as operations of arrays on a GPU or in a jitted function.

Each takes what NumPy's does, and returns NotImplemented for arguments that are left to NumPy, which
judges them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import holds_numbers
from lazyarr.arrays.evaluation import evaluate, persist
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, wrap
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT64, INT64
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import called_at, origin
from lazyarr.numpy_api import joining, reductions, scans, selection, sets, sorting
from lazyarr.numpy_api.equal_steps import arange
from lazyarr.numpy_api.library_calls import call_library
from lazyarr.ops.library import summed_at

__all__ = ["ON_DEVICE", "TRACED", "repeated_places"]

Form = Callable[..., Any]


def _numbers(*values: Any, kinds: str = "biuf") -> list[LazyArray] | None:
    """Return arrays of real numbers; None if one of the values is none."""
    if not all(isinstance(x, (LazyArray, np.ndarray)) or holds_numbers(x) for x in values):
        return None
    arrays = [as_lazy(value) for value in values]
    return arrays if all(kind_of(array.dtype) in kinds for array in arrays) else None


# ---------------------------------------------------------------- orders and sets


def _lexsort(keys: Any, axis: Any = -1) -> Any:
    if isinstance(keys, (LazyArray, np.ndarray)):
        keys = [keys[k] for k in np.arange(keys.shape[0]).tolist()] if keys.ndim > 1 else ()
    if type(keys) not in (list, tuple) or not keys:
        return NotImplemented
    arrays = _numbers(*keys)
    if arrays is None or not arrays[0].ndim or len({array.shape for array in arrays}) > 1:
        return NotImplemented
    shape = arrays[0].shape
    if not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        return NotImplemented
    return call_library("lexsort", np.lexsort, (arrays,), shape, INT64, axis=axis)


def _flat(*values: Any) -> list[LazyArray] | None:
    """Return arrays that are ordered on a GPU as vectors; None if one of them is not."""
    arrays = _numbers(*values)
    if arrays is None or any(not array.size for array in arrays):
        return None
    return [array.reshape(-1) for array in arrays]


def _union1d(ar1: Any, ar2: Any) -> Any:
    arrays = _flat(ar1, ar2)
    return NotImplemented if arrays is None else sets.unique(joining.concatenate(arrays))


def _distinct(array: LazyArray, assume_unique: bool) -> LazyArray:
    result: LazyArray = array if assume_unique else sets.unique(array)
    return result


def _setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    arrays = _flat(ar1, ar2)
    if arrays is None:
        return NotImplemented
    values = _distinct(arrays[0], assume_unique)
    return persist(values[sorting.isin(values, arrays[1], invert=True)])


def _intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    arrays = _flat(ar1, ar2)
    if arrays is None or return_indices:
        return NotImplemented
    both = joining.concatenate([_distinct(array, assume_unique) for array in arrays])
    ordered = persist(sorting.sort(both))
    return persist(ordered[:-1][ordered[1:] == ordered[:-1]])


def _setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    arrays = _flat(ar1, ar2)
    if arrays is None:
        return NotImplemented
    both = joining.concatenate([_distinct(array, assume_unique) for array in arrays])
    ordered = persist(sorting.sort(both))
    differs = joining.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
    return persist(ordered[differs[1:] & differs[:-1]])


# ---------------------------------------------------------------- places


def _argwhere(a: Any) -> Any:
    x = as_lazy(a)
    if not x.ndim or not x.size:
        return NotImplemented
    return persist(joining.stack(selection.nonzero(x), axis=1))


def _extremes(arrays: Sequence[LazyArray]) -> list[tuple[int, int]]:
    """Return the least and the greatest element of each array, computed together."""
    lazy = [f(array) for array in arrays for f in (reductions.min, reductions.max)]
    values = [int(value) for value in evaluate(*lazy)]
    return list(zip(values[::2], values[1::2], strict=True))


def _steps(dims: Sequence[int], order: str) -> list[int]:
    """Return the steps in memory, in elements, from one element to the next along each axis."""
    if order == "C":
        return [prod(dims[k + 1 :]) for k in range(len(dims))]
    return [prod(dims[:k]) for k in range(len(dims))]


def _dims(shape: Any) -> tuple[int, ...] | None:
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    if type(sizes) not in (list, tuple) or not sizes:
        return None
    if not all(isinstance(n, (int, np.integer)) and n > 0 for n in sizes):
        return None
    return tuple(int(n) for n in sizes)


def _unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    arrays, dims = _numbers(indices, kinds="iu"), _dims(shape)
    if arrays is None or dims is None or order not in ("C", "F") or not arrays[0].size:
        return NotImplemented
    places = arrays[0].astype(INT64)
    ((low, high),) = _extremes([places])
    if low < 0 or high >= prod(dims):
        return NotImplemented
    steps = _steps(dims, order)
    parts = [places // step % n for step, n in zip(steps, dims, strict=True)]
    return (persist(parts[0]),) if len(parts) == 1 else tuple(persist(*parts))


def _ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    if isinstance(multi_index, (LazyArray, np.ndarray)) and multi_index.ndim:
        multi_index = tuple(multi_index)
    sizes = _dims(dims)
    if type(multi_index) not in (list, tuple) or sizes is None or order not in ("C", "F"):
        return NotImplemented
    arrays = _numbers(*multi_index, kinds="iu")
    if arrays is None or len(arrays) != len(sizes) or mode not in ("raise", "wrap", "clip"):
        return NotImplemented
    places = [array.astype(INT64) for array in arrays]
    if any(not array.size for array in places):
        return NotImplemented
    if mode == "raise":
        for (low, high), n in zip(_extremes(places), sizes, strict=True):
            if low < 0 or high >= n:
                return NotImplemented
    elif mode == "wrap":
        places = [place % n for place, n in zip(places, sizes, strict=True)]
    else:
        places = [selection.clip(place, 0, n - 1) for place, n in zip(places, sizes, strict=True)]
    total: Any = 0
    for place, step in zip(places, _steps(sizes, order), strict=True):
        total = place * step + total
    return total


def repeated_places(repeats: LazyArray, length: int) -> LazyArray | None:
    """Return the position of each element of an axis that is repeated; None if NumPy judges.

    Parameters
    ----------
    repeats : LazyArray
        How often each element is repeated, on a GPU.
    length : int
        Of the axis.

    Returns
    -------
    LazyArray, optional
        int64 positions along the axis, one for each element of the result.
    """
    if repeats.shape != (length,) or length < 2 or kind_of(repeats.dtype) not in "iu":
        return None
    counts = repeats.astype(INT64)
    low, total = (int(x) for x in evaluate(reductions.min(counts), reductions.sum(counts)))
    if low < 0 or not total:
        return None
    return sorting.searchsorted(scans.cumsum(counts), arange(total), side="right")


# ---------------------------------------------------------------- polynomials


def _vander(x: Any, N: Any = None, increasing: Any = False) -> Any:  # noqa: N803 - NumPy's name
    arrays = _numbers(x, kinds="iufc")
    if arrays is None or arrays[0].ndim != 1 or not isinstance(N, (int, type(None))):
        return NotImplemented
    (points,) = arrays
    count = points.size if N is None else N
    if count < 1 or not points.size:
        return NotImplemented
    dtype = np.promote_types(points.dtype, np.int64)
    shape = (points.size, count - 1)
    wide = wrap(build.broadcast_to(points.astype(dtype)[:, None]._node, shape))
    first = wrap(build.filled(1, dtype, (points.size, 1)))
    columns = joining.concatenate([first, scans.cumprod(wide, axis=1)], axis=1)
    return columns if increasing else columns[:, ::-1]


# ---------------------------------------------------------------- histograms


def _histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    if not isinstance(bins, (int, np.integer)) and (
        type(bins) not in (list, tuple) or len(bins) != 2
    ):
        return NotImplemented
    arrays = _numbers(x, y)
    if arrays is None or any(z.shape != arrays[0].shape or z.ndim != 1 for z in arrays):
        return NotImplemented
    result = _histogramdd(arrays, bins, range, density, weights)
    return result if result is NotImplemented else (result[0], *result[1])


def _histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    columns = _columns(sample)
    if columns is None or not columns[0].size:
        return NotImplemented
    added = None if weights is None else _numbers(weights)
    if weights is not None and (added is None or added[0].shape != columns[0].shape):
        return NotImplemented
    edges = _edges(columns, bins, range)
    if edges is None:
        return NotImplemented
    wide = [line.size + 1 for line in edges]
    flat: Any = 0
    for column, line, step in zip(columns, edges, _steps(wide, "C"), strict=True):
        places = sorting.searchsorted(line, column, side="right")
        flat = (places - (column == line[-1])) * step + flat
    if added is None:
        ones = wrap(build.filled(1.0, FLOAT64, columns[0].shape))
    values = ones if added is None else added[0].astype(FLOAT64)
    total = prod(wide)
    sums = call_library("summed_at", summed_at, (values, flat, total), (total,), FLOAT64)
    counts = sums.reshape(wide)[tuple(slice(1, -1) for _ in wide)]
    if density:
        whole = reductions.sum(counts)
        for axis, line in enumerate(edges):
            widths = np.diff(line).reshape(-1, *(1,) * (len(edges) - axis - 1))
            counts = counts / widths
        counts = counts / whole
    return persist(counts), tuple(wrap(build.leaf(line)) for line in edges)


def _columns(sample: Any) -> list[LazyArray] | None:
    """Return the coordinates of points, in one dtype; None if they are not those of vectors."""
    if type(sample) in (list, tuple):
        columns = _numbers(*sample)
    else:
        table = _numbers(sample)
        if table is None or table[0].ndim != 2:
            return None
        columns = [table[0][:, k] for k in np.arange(table[0].shape[1]).tolist()]
    if not columns or any(z.ndim != 1 or z.shape != columns[0].shape for z in columns):
        return None
    common = np.result_type(*(column.dtype for column in columns))
    return [column.astype(common) for column in columns]


def _edges(columns: list[LazyArray], bins: Any, range: Any) -> list[np.ndarray[Any, Any]] | None:
    """Return the edges of bins as NumPy makes them, of coordinates whose ends are computed."""
    several = list(bins) if type(bins) in (list, tuple) else [bins] * len(columns)
    if len(several) != len(columns) or any(isinstance(one, (LazyArray, str)) for one in several):
        return None
    bounds = [None] * len(columns) if range is None else list(range)
    if len(bounds) != len(columns):
        return None
    asked = [k for k, one in enumerate(several) if not np.ndim(one) and bounds[k] is None]
    lazy = [f(columns[k]) for k in asked for f in (reductions.min, reductions.max)]
    ends = [as_lazy(end)._value("numpy.histogramdd") for end in persist(*lazy)] if lazy else []
    if not np.isfinite(np.array(ends, dtype=np.float64)).all():
        return None
    for place, k in enumerate(asked):
        bounds[k] = (ends[2 * place][()], ends[2 * place + 1][()])
    shown = np.empty((0, len(columns)), columns[0].dtype)
    _, edges = called_at(origin(), np.histogramdd, (shown,), {"bins": several, "range": bounds})
    return list(edges)


TRACED: dict[str, Form] = {"lexsort": _lexsort, "vander": _vander}
"""Functions whose shapes, dtypes and errors are known without the values."""

ON_DEVICE: dict[str, Form] = {
    "argwhere": _argwhere,
    "histogram2d": _histogram2d,
    "histogramdd": _histogramdd,
    "intersect1d": _intersect1d,
    "ravel_multi_index": _ravel_multi_index,
    "setdiff1d": _setdiff1d,
    "setxor1d": _setxor1d,
    "union1d": _union1d,
    "unravel_index": _unravel_index,
}
"""Functions of arrays on a GPU, of which some numbers are read to decide or to judge."""
