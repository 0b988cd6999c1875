"""Library functions whose derivatives are those of the same value made of other operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, asarray
from lazyarr.builders import build
from lazyarr.core.source_location import origin
from lazyarr.differentiation.markers import stopped
from lazyarr.differentiation.rules import BY_NAME, DISCRETE, Rule, refused
from lazyarr.differentiation.scatter import scatter_add
from lazyarr.errors import DifferentiationError
from lazyarr.numpy_api import movement, reduction_arguments, reductions, selection, sorting
from lazyarr.numpy_api.contraction import convolve
from lazyarr.numpy_api.moments import mean
from lazyarr.ops.elementwise import ELEMENTWISE

__all__: list[str] = []


def _unknown(name: str, reason: str) -> DifferentiationError:
    return DifferentiationError(f"{name} cannot be differentiated: {reason}", origin=origin())


def _merged(a: LazyArray, axis: Any) -> tuple[LazyArray, tuple[int, ...]]:
    """Return `a` with the axes that are reduced merged into one, the last."""
    axes = reduction_arguments.axes_of(axis, a.ndim)
    remaining = [k for k in range(a.ndim) if k not in axes]
    moved = movement.transpose(a, [*remaining, *axes])
    return moved.reshape(*(a.shape[k] for k in remaining), -1), axes


def _put_back(x: LazyArray, axes: tuple[int, ...], keepdims: Any) -> LazyArray:
    return LazyArray(build.expand_axes(x._node, axes)) if keepdims else x


def _median(a: LazyArray, axis: Any = None, keepdims: Any = False, **options: Any) -> LazyArray:
    flat, axes = _merged(a, axis)
    size = flat.shape[-1]
    ordered = sorting.sort(flat, axis=-1)
    middle = ordered[..., (size - 1) // 2 : size // 2 + 1]
    return _put_back(mean(middle, axis=-1), axes, keepdims)


def _quantile_of(scale: float) -> Any:
    def quantile(
        a: LazyArray, q: Any, axis: Any = None, keepdims: Any = False, **options: Any
    ) -> LazyArray:
        if options.get("method", "linear") != "linear" or options.get("weights") is not None:
            raise _unknown("quantile", "only method='linear' without weights is known")
        flat, axes = _merged(a, axis)
        ordered = sorting.sort(flat, axis=-1)
        share = np.asarray(asarray(q), np.float64) / scale
        places = share * (flat.shape[-1] - 1)
        results = []
        for place in places.reshape(-1):
            low = int(np.floor(place))
            high = min(low + 1, flat.shape[-1] - 1)
            part = float(place - low)
            interpolated = ordered[..., low] * (1.0 - part) + ordered[..., high] * part
            results.append(_put_back(interpolated, axes, keepdims))
        stacked = [LazyArray(build.expand_axes(x._node, (0,)))._node for x in results]
        whole = build.concatenate(stacked, 0)
        return LazyArray(build.reshape(whole, (*places.shape, *results[0].shape)))

    return quantile


def _interp(
    x: LazyArray, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> LazyArray:
    if period is not None:
        raise _unknown("interp", "period= is not supported")
    places, known = asarray(xp), asarray(fp)
    count = places.shape[0]
    if count == 1:
        inside = known[0] + x * 0.0
    else:
        fixed = LazyArray(stopped(x._node))
        interval = sorting.searchsorted(LazyArray(stopped(places._node)), fixed, side="right") - 1
        index = selection.clip(interval, 0, count - 2)
        start, stop = places[index], places[index + 1]
        low, high = known[index], known[index + 1]
        inside = low + (x - start) * ((high - low) / (stop - start))
    before = known[0] if left is None else left
    behind = known[-1] if right is None else right
    result = selection.where(x < places[0], before, inside)
    return asarray(selection.where(x > places[-1], behind, result))


def _correlate(a: LazyArray, v: LazyArray, mode: str) -> LazyArray:
    turned = v[::-1].conj() if v.dtype.kind == "c" else v[::-1]
    if a.shape[0] >= v.shape[0] or mode == "full":
        return convolve(a, turned, mode)
    # NumPy exchanges the operands and turns the result round.
    other = a[::-1].conj() if a.dtype.kind == "c" else a[::-1]
    reversed_result = convolve(v, other, mode)[::-1]
    return reversed_result.conj() if reversed_result.dtype.kind == "c" else reversed_result


def _added_at(ufunc: np.ufunc, array: LazyArray, indices: Any, *values: Any) -> LazyArray:
    if ufunc not in (np.add, np.subtract):
        raise _unknown(f"{ufunc.__name__}.at", "only add.at and subtract.at are known")
    numbers = LazyArray(build.reshape(build.iota(array.size), array.shape))[indices]
    value = build.cast(asarray(values[0])._node, array.dtype)
    spread = build.broadcast_to(value, numbers.shape)
    added = LazyArray(scatter_add(array.size, numbers._node, spread, array.shape))
    return array + added if ufunc is np.add else array - added


def _reduced(ufunc: np.ufunc, array: LazyArray, **options: Any) -> LazyArray:
    unsupported = {key for key, value in options.items() if value is not None} - {
        "axis",
        "keepdims",
    }
    if ufunc is not np.logaddexp or unsupported:
        raise _unknown(f"{ufunc.__name__}.reduce", "its derivative is not known to lazyarr")
    axes = reduction_arguments.axes_of(options.get("axis"), array.ndim)
    most = reductions.max(array, axis=axes, keepdims=True)
    finite = apply(ELEMENTWISE["isfinite"], (most,))
    shift = LazyArray(stopped(selection.where(finite, most, 0.0)._node))
    total = reductions.sum(apply(ELEMENTWISE["exp"], (array - shift,)), axis=axes, keepdims=True)
    logarithm = apply(ELEMENTWISE["log"], (total,)) + shift
    return logarithm if options.get("keepdims") else movement.squeeze(logarithm, axes)


_ORDER = "the order of its elements is not determined; use sort"

BY_NAME |= {
    "median": Rule(compose=_median),
    "quantile": Rule(compose=_quantile_of(1.0)),
    "percentile": Rule(compose=_quantile_of(100.0)),
    "interp": Rule(compose=_interp),
    "correlate": Rule(compose=_correlate),
    "scatter": Rule(compose=_added_at),
    "reduce": Rule(compose=_reduced),
    "partition": refused(_ORDER),
}
BY_NAME |= dict.fromkeys(("argsort", "argpartition", "searchsorted", "isin", "digitize"), DISCRETE)
