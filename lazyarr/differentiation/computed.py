"""Derivatives of functions that compute at once: their values made of lazyarr's own operations.

Lengths and places that depend on the data are those of the values, which are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr import linalg
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, asarray
from lazyarr.builders import build
from lazyarr.core.axis_numbers import list_axes, normalize_axis
from lazyarr.core.source_location import origin
from lazyarr.differentiation.markers import stopped
from lazyarr.differentiation.rules import BY_NAME, Application, Rule, is_complex, refused
from lazyarr.differentiation.scatter import scatter_add
from lazyarr.errors import DifferentiationError
from lazyarr.numpy_api import joining, movement, reductions, slicing
from lazyarr.numpy_api.contraction import convolve
from lazyarr.numpy_api.ranges import linspace
from lazyarr.numpy_api.statistics import polyval

__all__ = ["known"]

Array = np.ndarray[Any, Any]


def known(x: Any) -> Array:
    """Return the values of an array as constants."""
    return np.asarray(LazyArray(stopped(as_lazy(x)._node)))


def _joined(*parts: Any) -> LazyArray:
    joined: LazyArray = joining.concatenate([as_lazy(part).reshape(-1) for part in parts])
    return joined


# ---------------------------------------------------------------- polynomials


def _vander(x: Any, N: int | None = None, increasing: bool = False) -> LazyArray:  # noqa: N803
    x = as_lazy(x)
    powers = np.arange(x.shape[0] if N is None else N).astype(x.dtype)
    columns: LazyArray = x[:, None] ** as_lazy(powers if increasing else powers[::-1])
    return columns


def _lengthened(p: Any, length: int) -> LazyArray:
    """Return coefficients with zeros for the higher powers."""
    p = as_lazy(p).reshape(-1)
    return _joined(np.zeros(length - p.shape[0], p.dtype), p)


def _sum_of_polynomials(sign: int) -> Callable[..., LazyArray]:
    def compose(a1: Any, a2: Any) -> LazyArray:
        length = max(asarray(a1).size, asarray(a2).size)
        total: LazyArray = _lengthened(a1, length) + sign * _lengthened(a2, length)
        return total

    return compose


def _trimmed(p: Any) -> LazyArray:
    """Return coefficients without leading zeros, at least one of them."""
    p = as_lazy(p).reshape(-1)
    nonzero = np.flatnonzero(known(p))
    trimmed: LazyArray = p[nonzero[0] if nonzero.size else -1 :]
    return trimmed


def _polymul(a1: Any, a2: Any) -> LazyArray:
    return convolve(_trimmed(a1), _trimmed(a2))


def _polydiv(u: Any, v: Any) -> tuple[LazyArray, LazyArray]:
    """Divide by elimination; the remainder is as long as that of the values."""
    length = np.polydiv(known(u), known(v))[1].size
    rest, divisor = as_lazy(u).reshape(-1), as_lazy(v).reshape(-1)
    if not is_complex(rest):
        rest = rest.astype(np.result_type(rest.dtype, divisor.dtype))
    tail = divisor[1:]
    count = rest.shape[0] - tail.shape[0]
    quotient = []
    for _ in range(count):
        factor = rest[:1] / divisor[:1]
        quotient.append(factor)
        changed = rest[1 : 1 + tail.shape[0]] - factor * tail
        rest = _joined(changed, rest[1 + tail.shape[0] :])
    whole = _joined(*quotient) if quotient else asarray(np.zeros(1, rest.dtype))
    return whole, _lengthened(rest, max(length, rest.shape[0]))[-length:]


def _polyder(p: Any, m: int = 1) -> LazyArray:
    derivative = as_lazy(p)
    for _ in range(m):
        derivative = derivative[:-1] * np.arange(derivative.shape[0] - 1, 0, -1)
    return derivative


def _polyint(p: Any, m: int = 1, k: Any = None) -> LazyArray:
    integral = as_lazy(p)
    constants = asarray(np.zeros(m) if k is None else k).reshape(-1)
    for place in range(m):
        constant = constants[min(place, constants.shape[0] - 1)]
        integral = _joined(integral / np.arange(integral.shape[0], 0, -1), constant)
    return integral


def _poly(seq_of_zeros: Any) -> LazyArray:
    zeros = as_lazy(seq_of_zeros)
    if zeros.ndim > 1:
        zeros = linalg.eigvals(zeros)
    product = asarray(np.ones(1, zeros.dtype))
    for zero in zeros.reshape(-1):
        product = convolve(product, _joined(np.ones(1, zeros.dtype), -zero))
    return product


def _polyfit(
    x: Any,
    y: Any,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: Any = False,
) -> Any:
    x, y = as_lazy(x), as_lazy(y)
    columns, right = _vander(x + 0.0, deg + 1), y + 0.0
    if w is not None:
        weights = as_lazy(w)
        columns = columns * weights[:, None]
        right = right * (weights if y.ndim == 1 else weights[:, None])
    if rcond is None:
        rcond = x.shape[0] * float(np.finfo((x + 0.0).dtype).eps)
    scale = reductions.sum(columns * columns, axis=0) ** 0.5
    solution, residuals, _, singular = linalg.lstsq(columns / scale, right, rcond)
    fit = (solution.T / scale).T
    if full:
        return fit, residuals, singular, None
    if not cov:
        return fit
    scaled = columns / scale
    base = linalg.inv(scaled.T @ scaled) / (scale[:, None] * scale)
    factor = 1 if cov == "unscaled" else residuals / (x.shape[0] - deg - 1)
    return fit, (base if y.ndim == 1 else base[:, :, None]) * factor


def _roots_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    """Differentiate ``p(z) = 0``: the change of a simple root is ``-dp(z) / p'(z)``."""
    t = tangents[1]
    if t is None:
        return None
    change: LazyArray = -polyval(t, at.out) / polyval(_polyder(at.operand(1)), at.out)
    return change


# ---------------------------------------------------------------- tensors


def _tensorsolve(a: Any, b: Any, axes: Any = None) -> LazyArray:
    a, b = as_lazy(a), as_lazy(b)
    if axes is not None:
        a = movement.transpose(a, [*(k for k in range(a.ndim) if k not in axes), *axes])
    shape = a.shape[b.ndim :] if b.ndim else a.shape
    size = prod(shape)
    return linalg.solve(a.reshape(size, size), b.reshape(-1)).reshape(shape)


def _tensorinv(a: Any, ind: int = 2) -> LazyArray:
    a = as_lazy(a)
    size = prod(a.shape[ind:])
    return linalg.inv(a.reshape(size, -1)).reshape(a.shape[ind:] + a.shape[:ind])


def _lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, ...]:
    """Return the solution, the residuals, if there are any, and the singular values."""
    a, b = as_lazy(a), as_lazy(b)
    solution = linalg.lstsq(a, b, rcond)[0]
    error = abs(b - a @ solution) ** 2
    return solution, reductions.sum(error.reshape(a.shape[0], -1), axis=0), linalg.svdvals(a)


# ---------------------------------------------------------------- counts


def _counts(places: Array, weights: Any, shape: tuple[int, ...]) -> LazyArray:
    """Return the sums of weights at places of an array in C order; negative places are left out."""
    inside = np.flatnonzero(places >= 0)
    weights = np.ones(places.size) if weights is None else weights
    values = as_lazy(weights).reshape(-1)[inside]
    numbers = build.leaf(places[inside].astype(np.int64))
    return LazyArray(scatter_add(prod(shape), numbers, values._node, shape))


def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> LazyArray:
    places = known(x)
    length = np.bincount(places, minlength=minlength).size
    return _counts(places, weights, (length,))


def _ends(values: Any, bounds: Any) -> tuple[Any, Any]:
    """Return the ends of bins of equal widths: NumPy's, of values that may depend on arguments."""
    if bounds is not None:
        first, last = bounds
        return first, last
    values = as_lazy(values)
    if not values.size:
        return 0.0, 1.0
    low, high = reductions.min(values), reductions.max(values)
    return (low, high) if (known(low) != known(high)).any() else (low - 0.5, high + 0.5)


def _edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> LazyArray:
    if isinstance(bins, str):
        raise DifferentiationError(
            f"histogram cannot be differentiated: the number of bins of {bins!r} depends on the "
            "values",
            origin=origin(),
            hint="pass a number of bins, or their edges",
        )
    if np.ndim(bins):
        return as_lazy(bins)
    low, high = _ends(a, range)
    edges: LazyArray = linspace(low, high, int(bins) + 1)
    return edges


def _bins_of(values: Array, edges: Array) -> Array:
    """Return the bin of each value, -1 outside; the last edge belongs to the last bin."""
    places = np.searchsorted(edges, values, side="right") - 1
    places = np.where(values == edges[-1], edges.size - 2, places)
    return np.where((values >= edges[0]) & (values <= edges[-1]), places, -1)


def _histogram(
    a: Any,
    bins: Any = 10,
    range: Any = None,
    density: Any = None,
    weights: Any = None,
) -> tuple[LazyArray, LazyArray]:
    edges = _edges(a, bins, range)
    places = _bins_of(known(a).reshape(-1), np.histogram_bin_edges(known(a), _plain(bins), range))
    counts = _counts(places, weights, (edges.shape[0] - 1,))
    if density:
        counts = counts / (edges[1:] - edges[:-1]) / reductions.sum(counts)
    return counts, edges


def _plain(bins: Any) -> Any:
    return known(bins) if isinstance(bins, LazyArray) else bins


def _histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: Any = None,
    weights: Any = None,
) -> tuple[LazyArray, ...]:
    if isinstance(sample, (list, tuple)):
        columns = [as_lazy(column).reshape(-1) for column in sample]
    else:
        table = as_lazy(sample)
        columns = [table[:, k] for k in np.arange(table.shape[1])]
    several = list(bins) if isinstance(bins, (list, tuple)) or np.ndim(bins) else [bins]
    several = several * len(columns) if len(several) == 1 else several
    bounds = [None] * len(columns) if range is None else list(range)
    edges, places = [], np.zeros(columns[0].shape[0], np.int64)
    for column, own, bound in zip(columns, several, bounds, strict=True):
        line = _edges(column, own, bound)
        edges.append(line)
        here = _bins_of(known(column), known(line))
        is_outside = (places < 0) | (here < 0)
        places = np.where(is_outside, -1, places * (line.shape[0] - 1) + here)
    shape = tuple(line.shape[0] - 1 for line in edges)
    counts = _counts(places, weights, shape)
    if density:
        total = reductions.sum(counts)
        for axis, line in enumerate(edges):
            widths = (line[1:] - line[:-1]).reshape(-1, *(1,) * (len(edges) - axis - 1))
            counts = counts / widths
        counts = counts / total
    return counts, *edges


def _histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: Any = None,
    weights: Any = None,
) -> tuple[LazyArray, ...]:
    if isinstance(bins, (list, tuple)) or np.ndim(bins):
        bins = bins if len(bins) == 2 else [as_lazy(bins)] * 2  # edges of both
    return _histogramdd([x, y], bins, range, density, weights)


# ---------------------------------------------------------------- picked elements


def _picked(function: Callable[..., Any], count: int) -> Callable[..., LazyArray]:
    """Return the composition of a function whose result holds elements of its first arguments."""

    def compose(*args: Any, **options: Any) -> LazyArray:
        names = ("ar", "ar1", "ar2", "x")
        arrays = [*args[:count], *(options.pop(name) for name in names if name in options)]
        values = [known(array) for array in arrays]
        result = function(*values, *args[count:], **options)
        picked = result[0] if isinstance(result, tuple) else np.asarray(result)
        flat = np.concatenate([value.reshape(-1) for value in values])
        order = np.argsort(flat, kind="stable")
        elements: LazyArray = _joined(*arrays)[order[np.searchsorted(flat[order], picked)]]
        return elements

    return compose


def _unique(ar: Any, *args: Any, **options: Any) -> LazyArray:
    axis = args[3] if len(args) > 3 else options.get("axis")
    if axis is None:
        return _picked(np.unique, 1)(ar, *args, **options)
    rows = np.unique(known(ar), return_index=True, axis=axis)[1]
    lines: LazyArray = slicing.take(as_lazy(ar), rows, axis=axis)
    return lines


def _trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> LazyArray:
    array = as_lazy(filt)
    nonzero = np.nonzero(known(array))
    axes = range(array.ndim)
    trimmed = axes if axis is None else [normalize_axis(k, array.ndim) for k in list_axes(axis)]
    key = []
    for k in axes:
        places, size = nonzero[k], array.shape[k]
        start = int(np.min(places)) if places.size else size
        stop = int(np.max(places)) + 1 if places.size else 0
        is_cut = k in trimmed
        front = start if is_cut and "f" in trim.lower() else 0
        key.append(slice(front, stop if is_cut and "b" in trim.lower() else size))
    trimmed_array: LazyArray = array[tuple(key)]
    return trimmed_array


_COMPOSED: dict[str, Callable[..., Any]] = {
    "vander": _vander,
    "polyadd": _sum_of_polynomials(1),
    "polysub": _sum_of_polynomials(-1),
    "polymul": _polymul,
    "polydiv": _polydiv,
    "polyder": _polyder,
    "polyint": _polyint,
    "poly": _poly,
    "polyfit": _polyfit,
    "linalg.tensorsolve": _tensorsolve,
    "linalg.tensorinv": _tensorinv,
    "linalg.lstsq": _lstsq,
    "bincount": _bincount,
    "histogram": _histogram,
    "histogram_bin_edges": _edges,
    "histogramdd": _histogramdd,
    "histogram2d": _histogram2d,
    "unique": _unique,
    "unique_values": _picked(np.unique_values, 1),
    "union1d": _picked(np.union1d, 2),
    "intersect1d": _picked(np.intersect1d, 2),
    "setdiff1d": _picked(np.setdiff1d, 2),
    "setxor1d": _picked(np.setxor1d, 2),
    "trim_zeros": _trim_zeros,
}
BY_NAME |= {f"numpy.{name}": Rule(compose=compose) for name, compose in _COMPOSED.items()}
BY_NAME |= {
    "numpy.roots": Rule(None, _roots_jvp),
    "numpy.apply_along_axis": refused("it calls a function of ndarrays; use lazyarr.vectorize"),
}
