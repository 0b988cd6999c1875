"""Numbers of elements by value: lazy in jitted functions and of elements on a GPU."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.evaluation import evaluate, persist
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, wrap
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT64, INT64
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import called_at, origin
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.creation import zeros
from lazyarr.numpy_api.library_calls import (
    call_library,
    compute_now,
    library_node,
    packed,
)
from lazyarr.ops.histograms import counted, counted_between
from lazyarr.ops.library import DATA_SHAPED, LIBRARY, summed_at
from lazyarr.ops.markers import is_differentiated
from lazyarr.tracing import running

__all__ = ["bincount", "histogram"]

Array = np.ndarray[Any, Any]
_NUMBERS = (int, float, np.integer, np.floating)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[LazyArray, LazyArray]:
    """Return the number of elements in each of several bins, and the edges of the bins.

    Parameters
    ----------
    a : array_like
        Real numbers, of any shape.
    bins : int, str or array_like
        The number of bins of equal widths, a rule for it, or their edges.
    range : (float, float), optional
        The ends of bins of equal widths; default: the least and the largest element.
    density : bool, optional
        Whether to divide by the widths of the bins and by the number of all elements in them.
    weights : array_like, optional
        What each element adds to its bin instead of 1; of the shape of `a`.

    Returns
    -------
    counts : LazyArray
        For each bin, int64 or of the dtype of the weights; float64 of densities.
    edges : LazyArray
        One more than bins.

    Raises
    ------
    ValueError
        If there are no bins or their ends are not finite.

    Notes
    -----
    In jitted functions, and on a GPU, the counts in bins of equal widths, or between ascending
    edges in memory, are lazy; everything else is computed immediately, by NumPy.

    Examples
    --------
    >>> import lazyarr as la
    >>> counts, edges = la.histogram([0.1, 0.2, 0.9], bins=2, range=(0, 1))
    >>> counts.compute(), edges.compute()
    (array([2, 1]), array([0. , 0.5, 1. ]))
    """
    options = {"bins": bins, "range": range, "density": density, "weights": weights}
    plain = {key: value for key, value in options.items() if value is not None}
    plain.setdefault("bins", bins)
    between = _edges_in_memory(bins)
    if not _is_lazy(a, bins if between is None else between.size - 1, weights):
        return tuple(compute_now(np.histogram, (a,), plain))
    values = as_lazy(a).reshape(-1)
    if between is not None:
        return _between_edges(values, between, density, weights)
    ends = _ends_of(values, range, weights)
    if ends is None and running and range is None:
        return _between_extremes(values, plain)
    if ends is None:
        return tuple(compute_now(np.histogram, (a,), plain))
    # NumPy judges the ends, and makes the edges, by the dtype of the elements.
    known = called_at(origin(), np.histogram_bin_edges, (np.empty(0, values.dtype), bins, ends), {})
    edges = wrap(build.leaf(known))
    counts = _counts(counted, (values, edges, *ends), known, weights)
    return _as_density(counts, known) if density else counts, edges


vars(histogram)["__signature__"] = inspect.signature(np.histogram)


def _counts(
    function: Callable[..., Any], args: tuple[Any, ...], edges: Array, weights: Any
) -> LazyArray:
    """Return the lazy call of a function that counts between edges, with or without weights."""
    extra = {} if weights is None else {"weights": as_lazy(weights).reshape(-1)}
    dtype = extra["weights"].dtype if extra else INT64
    name = "histogram" if function is counted else "histogram_between"
    return call_library(name, function, args, (edges.size - 1,), dtype, **extra)


def _as_density(counts: LazyArray, edges: Array) -> LazyArray:
    density: LazyArray = counts / np.diff(edges).astype(FLOAT64) / reductions.sum(counts)
    return density


def _edges_in_memory(bins: Any) -> Array | None:
    """Return ascending edges of bins of any widths; None where the bins are no such edges."""
    if isinstance(bins, str) or np.ndim(bins) != 1:
        return None
    if isinstance(bins, LazyArray):
        if running or not _on_device(bins) or is_differentiated((bins._node,)):
            return None
        bins = bins._value("numpy.histogram")
    edges: Array = np.asarray(bins)
    ascends = kind_of(edges.dtype) in "iuf" and edges.size > 1 and (edges[:-1] <= edges[1:]).all()
    return edges if ascends else None


def _between_edges(
    values: LazyArray, edges: Array, density: Any, weights: Any
) -> tuple[LazyArray, LazyArray]:
    """Return the histogram of bins whose edges are in memory."""
    leaf = wrap(build.leaf(edges))
    counts = _counts(counted_between, (values, leaf), edges, weights)
    return _as_density(counts, edges) if density else counts, leaf


def _between_extremes(values: LazyArray, options: dict[str, Any]) -> tuple[LazyArray, LazyArray]:
    """Return the histogram of bins whose ends are known when it is computed."""
    lazy = {key: value for key, value in options.items() if key != "weights"}
    sample = {**lazy, "density": None}
    if "weights" in options:
        lazy["weights"] = as_lazy(options["weights"]).reshape(-1)
        sample["weights"] = np.ones(1, lazy["weights"].dtype)
    shown = called_at(origin(), np.histogram, (np.zeros(1, values.dtype),), sample)
    counts = build.FLOAT64 if options.get("density") else shown[0].dtype
    outputs = [(shown[0].shape, counts), (shown[1].shape, shown[1].dtype)]
    first, second = packed(np.histogram, (values,), outputs, **lazy)
    return first, second


def _is_lazy(a: Any, bins: Any, weights: Any) -> bool:
    """Whether elements are counted lazily: in bins of equal widths, by NumPy's plain loops."""
    if not (isinstance(bins, (int, np.integer)) and bins > 0 and (running or _on_device(a))):
        return False
    values = as_lazy(a)
    if kind_of(values.dtype) not in "iuf" or is_differentiated((values._node,)):
        return False
    if weights is None:
        return True
    added = as_lazy(weights)
    simple = np.can_cast(added.dtype, np.double) and added.shape == values.shape
    return simple and not is_differentiated((added._node,))


def _ends_of(values: LazyArray, ends: Any, weights: Any) -> tuple[Any, Any] | None:
    """Return the ends of bins of equal widths; None if only NumPy knows them, or that they fail."""
    if ends is None and not running and values.size and weights is None:
        low, high = evaluate(reductions.min(values), reductions.max(values))
        ends = low[()], high[()]
        return ends if np.isfinite(ends).all() else None
    if not isinstance(ends, (tuple, list)) or len(ends) != 2:
        return None
    return (ends[0], ends[1]) if all(isinstance(end, _NUMBERS) for end in ends) else None


def _on_device(a: Any) -> bool:
    return isinstance(a, LazyArray) and is_on_device(a._node)


def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> LazyArray:
    """Return the count of each integer; computes, as the length depends on the data.

    Parameters
    ----------
    x : array_like of int
        A vector without negative numbers.
    weights : array_like, optional
        What each element adds to the sum of its number instead of 1; of the shape of `x`.
    minlength : int
        The least length of the result.

    Returns
    -------
    LazyArray
        int64 counts, or float64 sums; one more than the largest number. On the GPU if `x` is there.

    Raises
    ------
    ValueError
        If a number is negative.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.bincount([1, 3, 1]).compute()
    array([0, 2, 0, 1])
    """
    length = _length(x, weights, minlength)
    if length is None:
        options = {"weights": weights} if weights is not None else {}
        options["minlength"] = minlength
        counted_now: LazyArray = compute_now(np.bincount, (x,), options, DATA_SHAPED)
        return counted_now
    places = as_lazy(x).astype(INT64)
    if weights is not None:
        added = as_lazy(weights).astype(FLOAT64)
        sums = call_library("summed_at", summed_at, (added, places, length), (length,), FLOAT64)
        return persist(sums)
    arguments = (np.add, as_node(zeros(length, INT64)), places, build.constant(1, INT64))
    return persist(wrap(library_node(LIBRARY["scatter"], arguments, {}, (length,), INT64)))


def _length(x: Any, weights: Any, least: Any) -> int | None:
    """Return the length of the result if it is computed on a GPU; else None."""
    if running or not _on_device(x) or not isinstance(least, (int, np.integer)):
        return None
    places = as_lazy(x)
    if places.ndim != 1 or not places.size or kind_of(places.dtype) not in "iu":
        return None
    if not np.can_cast(places.dtype, INT64) or is_differentiated((places._node,)) or least < 0:
        return None
    if weights is not None:
        added = as_lazy(weights)
        simple = np.can_cast(added.dtype, FLOAT64) and added.shape == places.shape
        if not simple or is_differentiated((added._node,)):
            return None
    first, last = evaluate(reductions.min(places), reductions.max(places))
    return None if first < 0 else max(int(last) + 1, int(least))
