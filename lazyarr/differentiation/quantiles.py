"""Derivatives of quantiles: of the ordered elements, and of the place among them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy
from lazyarr.builders import build
from lazyarr.core.axis_numbers import list_axes, normalize_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.differentiation.markers import stopped
from lazyarr.differentiation.rules import BY_NAME, Rule
from lazyarr.numpy_api import movement, reduction_arguments, reductions, scans, selection, sorting
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["median"]


def _unary(name: str, x: Any) -> LazyArray:
    return apply(ELEMENTWISE[name], (x,))


def _merged(a: LazyArray, axis: Any) -> tuple[LazyArray, tuple[int, ...]]:
    """Return `a` with the axes that are reduced merged into one, the last."""
    axes = reduction_arguments.axes_of(axis, a.ndim)
    remaining = [k for k in range(a.ndim) if k not in axes]
    moved = movement.transpose(a, [*remaining, *axes])
    return moved.reshape(*(a.shape[k] for k in remaining), -1), axes


def _put_back(x: LazyArray, axes: tuple[int, ...], keepdims: Any) -> LazyArray:
    return LazyArray(build.expand_axes(x._node, axes)) if keepdims else x


#: Offsets of the place of a quantile among n elements, ``n q + a + q (1 - a - b) - 1`` (Hyndman,
#: Fan: Sample quantiles in statistical packages, 1996).
_OFFSETS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}


def _place(method: str, share: Any, last: Any) -> Any:
    """Return the place of a quantile among the ordered elements 0 to `last`.

    Of the methods that pick elements the place is one of these, and does not depend on the share.
    """
    floor, ceil = (functools.partial(_unary, name) for name in ("floor", "ceil"))
    if method == "linear":
        return last * share
    count = last + 1
    if method in _OFFSETS:
        before, behind = _OFFSETS[method]
        return count * share + (before + share * (1 - before - behind)) - 1
    share = LazyArray(stopped(as_lazy(share)._node))
    if method == "lower":
        return floor(last * share)
    if method == "higher":
        return ceil(last * share)
    if method == "nearest":
        return _unary("rint", last * share)
    if method == "midpoint":
        return 0.5 * (floor(last * share) + ceil(last * share))
    if method == "closest_observation":
        place = count * share - 1 - 0.5
        start = floor(place)
        return selection.where((place == start) & (start % 2 == 1), start, start + 1)
    place = count * share - 1
    start = floor(place)
    step = 0.5 if method == "averaged_inverted_cdf" else 0.0
    return selection.where(place == start, start + step, start + 1)


def _order_statistic(scale: float, *, skips_nan: bool) -> Any:
    """Return the composition of a quantile whose shares are given in units of ``1 / scale``."""

    def quantile(
        a: LazyArray,
        q: Any,
        axis: Any = None,
        keepdims: Any = False,
        method: str = "linear",
        weights: Any = None,
        **options: Any,
    ) -> LazyArray:
        flat, axes = _merged(a, axis)
        last = flat.shape[-1] - 1
        shares = as_lazy(q)
        if weights is not None:
            wide, _ = _merged(_spread_weights(weights, a.shape, axis), axis)
            line = shares.reshape(-1)
            if isinstance(q, (int, float)) or kind_of(line.dtype) != "f":
                line = line.astype(a.dtype if isinstance(q, (int, float)) else np.float64)
            picked = _weighted(flat, wide, line / scale, skips_nan=skips_nan)
            whole = movement.moveaxis(picked, -1, 0)
            return whole.reshape((*shares.shape, *_put_back(whole[0], axes, keepdims).shape))
        ordered = sorting.sort(flat, axis=-1)
        dtype = a.dtype if isinstance(q, (int, float)) else np.result_type(a.dtype, shares.dtype)
        steps: Any = last
        if skips_nan:  # they come last
            is_nan = apply(ELEMENTWISE["isnan"], (flat,))
            steps = last - reductions.sum(is_nan, axis=-1, keepdims=True)
        place = _place(method, shares.reshape(-1).astype(np.float64) / scale, steps)
        top: Any = selection.clip(steps, 0, last) if skips_nan else last
        place = as_lazy(selection.where(place < 0, 0.0, selection.where(place > top, top, place)))
        start = _unary("floor", LazyArray(stopped(place._node)))
        low = start.astype(np.int64)
        part = (place - start).astype(dtype)
        values = []
        for index in (low, selection.clip(low + 1, 0, top)):
            wide = movement.broadcast_to(index, (*flat.shape[:-1], index.shape[-1]))
            values.append(sorting.take_along_axis(ordered, wide, axis=-1))
        interpolated = values[0] * (1.0 - part) + values[1] * part
        whole = movement.moveaxis(interpolated, -1, 0)
        return whole.reshape((*shares.shape, *_put_back(whole[0], axes, keepdims).shape))

    return quantile


def _spread_weights(weights: Any, shape: tuple[int, ...], axis: Any) -> LazyArray:
    """Return weights of an array's elements; those of axes come in the order of these."""
    weights = LazyArray(stopped(as_lazy(weights)._node))
    if weights.shape != shape:
        axes = [normalize_axis(k, len(shape)) for k in list_axes(axis)]
        weights = movement.transpose(weights, np.argsort(axes).tolist())
        lengths = tuple(n if k in axes else 1 for k, n in enumerate(shape))
        weights = weights.reshape(lengths)
    return movement.broadcast_to(weights, shape)


@functools.cache
def _leaves_out_weightless() -> bool:
    """Return whether no quantile of the installed NumPy is an element of no weight."""
    least = np.quantile([0.0, 1.0], 0.0, weights=np.array([0, 1]), method="inverted_cdf")
    return bool(least == 1)


def _weighted(a: LazyArray, weights: LazyArray, shares: LazyArray, *, skips_nan: bool) -> LazyArray:
    """Return the elements along the last axis that weighted quantiles are.

    Which ones these are does not depend on small changes of elements, weights or shares.
    """
    constant = LazyArray(stopped(a._node))
    order = sorting.argsort(constant, axis=-1)
    ordered = sorting.take_along_axis(weights, order, axis=-1).astype(np.float64)
    count: Any = a.shape[-1]
    if skips_nan:
        is_nan = _unary("isnan", sorting.take_along_axis(constant, order, axis=-1))
        ordered = as_lazy(selection.where(is_nan, 0.0, ordered))
        count = reductions.sum(~is_nan, axis=-1, keepdims=True)
    totals = scans.cumsum(ordered, axis=-1)
    totals = (totals / totals[..., -1:]).astype(shares.dtype)
    if _leaves_out_weightless():
        totals = as_lazy(selection.where(totals == 0, -1.0, totals))
    limits = LazyArray(stopped(shares._node))
    place = reductions.sum(totals[..., None, :] < limits[:, None], axis=-1)
    place = selection.clip(place, 0, selection.clip(as_lazy(count) - 1, 0, None))
    return sorting.take_along_axis(a, sorting.take_along_axis(order, place, axis=-1), axis=-1)


def _middle(quantile: Any) -> Any:
    """Return the composition of a median."""

    def median(a: LazyArray, axis: Any = None, keepdims: Any = False, **options: Any) -> LazyArray:
        result: LazyArray = quantile(a, 0.5, axis, keepdims)
        return result

    return median


_QUANTILE = _order_statistic(1.0, skips_nan=False)
_NANQUANTILE = _order_statistic(1.0, skips_nan=True)

median = _middle(_QUANTILE)
"""The median, made of a sorted array."""

BY_NAME |= {
    "median": Rule(compose=median),
    "quantile": Rule(compose=_QUANTILE),
    "percentile": Rule(compose=_order_statistic(100.0, skips_nan=False)),
    "nanmedian": Rule(compose=_middle(_NANQUANTILE)),
    "nanquantile": Rule(compose=_NANQUANTILE),
    "nanpercentile": Rule(compose=_order_statistic(100.0, skips_nan=True)),
}
