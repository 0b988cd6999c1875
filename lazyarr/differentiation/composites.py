"""Library functions whose derivatives are those of the same value made of other operations."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.differentiation.markers import stopped
from lazyarr.differentiation.quantiles import median
from lazyarr.differentiation.rules import (
    BY_NAME,
    DISCRETE,
    Application,
    Cotangent,
    Rule,
    fitted,
    refused,
    spread,
)
from lazyarr.errors import DifferentiationError
from lazyarr.numpy_api import (
    movement,
    reductions,
    selection,
    slicing,
    sorting,
)
from lazyarr.numpy_api.contraction import convolve
from lazyarr.numpy_api.matrix_products import matmul
from lazyarr.numpy_api.moments import mean
from lazyarr.ops.elementwise import ELEMENTWISE

__all__: list[str] = []


def _unknown(name: str, reason: str) -> DifferentiationError:
    return DifferentiationError(f"{name} cannot be differentiated: {reason}", origin=origin())


def _unary(name: str, x: Any) -> LazyArray:
    return apply(ELEMENTWISE[name], (x,))


def _interp(
    x: LazyArray, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> LazyArray:
    places, known = as_lazy(xp), as_lazy(fp)
    if period is not None:  # the points, one more on each side
        left = right = None
        length = _unary("absolute", period)
        x, places = (apply(ELEMENTWISE["remainder"], (part, length)) for part in (x, places))
        order = sorting.argsort(LazyArray(stopped(places._node)))
        places, known = places[order], known[order]
        ends = ((places[-1:] - length, places, places[:1] + length), (known[-1:], known, known[:1]))
        places, known = (
            LazyArray(build.concatenate([part._node for part in parts], 0)) for parts in ends
        )
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
    return as_lazy(selection.where(x > places[-1], behind, result))


def _correlate(a: LazyArray, v: LazyArray, mode: str) -> LazyArray:
    turned = v[::-1].conj() if kind_of(v.dtype) == "c" else v[::-1]
    if a.shape[0] >= v.shape[0] or mode == "full":
        return convolve(a, turned, mode)
    # NumPy exchanges the operands and turns the result round.
    other = a[::-1].conj() if kind_of(a.dtype) == "c" else a[::-1]
    reversed_result = convolve(v, other, mode)[::-1]
    return reversed_result.conj() if kind_of(reversed_result.dtype) == "c" else reversed_result


def _sort_complex(a: LazyArray) -> LazyArray:
    ordered = sorting.sort(a)
    return ordered if kind_of(a.dtype) == "c" else ordered.astype(np.complex128)


def _covariance(x: LazyArray, ddof: int, fweights: Any = None, aweights: Any = None) -> LazyArray:
    """Return the weighted covariance of rows; frequencies are integers."""
    factors = [as_lazy(part) for part in (fweights, aweights) if part is not None]
    weights = functools.reduce(operator.mul, factors)
    total = reductions.sum(weights)
    factor = total - ddof
    if aweights is not None and ddof:
        factor = total - ddof * reductions.sum(weights * as_lazy(aweights)) / total
    centered = x - reductions.sum(x * weights, axis=1, keepdims=True) / total
    other = centered.conj() if kind_of(x.dtype) == "c" else centered
    return movement.squeeze(matmul(centered * weights, other.T) / factor)


def _pad(
    x: LazyArray,
    widths: Any,
    mode: str,
    stat_length: Any = None,
    end_values: Any = 0,
    reflect_type: str = "even",
    **options: Any,
) -> LazyArray:
    """Return a border whose elements are made of the array's, one axis after another."""
    is_odd = reflect_type == "odd"
    if mode in ("reflect", "symmetric", "wrap"):
        for axis, pair in enumerate(widths):
            x = _repeated(x, axis, pair, mode, is_odd=is_odd)
        return x
    if mode not in (*_STATISTICS, "linear_ramp"):
        raise _unknown("pad", f"mode={mode!r} with these options is not supported")
    lengths = np.broadcast_to(np.asarray(stat_length, object), (x.ndim, 2))
    ends = np.broadcast_to(np.asarray(end_values), (x.ndim, 2))
    for axis, pair in enumerate(widths):
        front = (slice(None),) * axis
        size = x.shape[axis]
        sides = []
        for end, count in enumerate(pair):
            shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
            if mode == "linear_ramp":
                edge = x[(*front, slice(0, 1) if end == 0 else slice(size - 1, size))]
                ramp = np.linspace(0.0, 1.0, count, endpoint=False)
                ramp = (ramp if end == 0 else ramp[::-1]).reshape(-1, *(1,) * (x.ndim - axis - 1))
                goal = ends[axis, end]
                sides.append((goal + (edge - goal) * ramp.astype(x.dtype)).astype(x.dtype))
                continue
            length = size if lengths[axis, end] is None else min(lengths[axis, end], size)
            part = x[(*front, slice(0, length) if end == 0 else slice(size - length, size))]
            statistic = _STATISTICS[mode](part, axis=axis, keepdims=True)
            sides.append(movement.broadcast_to(statistic, shape))
        x = LazyArray(build.concatenate([sides[0]._node, x._node, sides[1]._node], axis))
    return x


def _repeated(
    x: LazyArray, axis: int, pair: tuple[int, int], mode: Any, *, is_odd: bool
) -> LazyArray:
    """Return an array with reflections or copies of itself around it, along an axis.

    An element of an odd border is ``sign * x[place] + first * x[0] + last * x[-1]``, with numbers
    that NumPy's borders of ``1, 1, 1, ...``, ``0, 1, 2, ...`` and ``0, 1, 4, ...`` tell.
    """
    size = x.shape[axis]
    numbers = np.arange(size)
    places = np.pad(numbers, pair, mode=mode)
    whole: LazyArray = slicing.take(x, places, axis=axis)
    if not is_odd:
        return whole
    ones, line, square = (
        np.pad(numbers**power, pair, mode=mode, reflect_type="odd").astype(np.int64)
        for power in (0, 1, 2)
    )
    end = size - 1
    inner = places * (places - end)
    sign = np.where(inner != 0, (square - end * line) // np.where(inner != 0, inner, 1), 1)
    last = (line - sign * places) // max(end, 1)
    shape = (-1,) + (1,) * (x.ndim - axis - 1)
    edges = [slicing.take(x, [place], axis=axis) for place in (0, end)]
    factors = [part.astype(x.dtype).reshape(shape) for part in (sign, ones - sign - last, last)]
    return as_lazy(whole * factors[0] + edges[0] * factors[1] + edges[1] * factors[2])


def _sinc_slope(x: LazyArray) -> LazyArray:
    """Return ``pi (cos(y) - sin(y)/y) / y`` for ``y = pi x``; near zero by its series."""
    y = x * np.pi
    is_small = apply(ELEMENTWISE["absolute"], (y,)) < 1.0
    near = selection.where(is_small, y, 0.0)
    square = near * near
    series: Any = _SINC_SERIES[-1]
    for coefficient in _SINC_SERIES[-2::-1]:
        series = series * square + coefficient
    far = selection.where(is_small, 1.0, y)
    quotient = (far * apply(ELEMENTWISE["cos"], (far,)) - apply(ELEMENTWISE["sin"], (far,))) / (
        far * far
    )
    return as_lazy(selection.where(is_small, near * series, quotient) * np.pi)


#: ``(-1)**k 2k / (2k + 1)!``; the first that is left out is below 1e-24.
_SINC_SERIES = tuple((-1) ** k * 2 * k / math.factorial(2 * k + 1) for k in range(1, 13))


def _sinc_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [None, fitted(g * _sinc_slope(at.operand(1)), at.node.src[1])]


def _sinc_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    t = tangents[1]
    return None if t is None else spread(t * _sinc_slope(at.operand(1)), at.node)


def _bessel(x: LazyArray) -> LazyArray:
    """Return the modified Bessel function of order zero.

    Up to 32 by its power series, whose terms are all positive, above by its asymptotic series
    (Abramowitz, Stegun: Handbook of mathematical functions, 1964, 9.6.12 and 9.7.1).
    """
    y, middle = _unary("absolute", x), 32.0
    is_near = y < middle
    near = selection.where(is_near, x, 0.0)
    quarter = near * near * 0.25
    series: Any = 1.0
    for ratio in _NEAR_RATIOS:
        series = 1.0 + quarter * series * ratio
    far = selection.where(is_near, middle, y)
    inverse = 1.0 / far
    tail: Any = 1.0
    for ratio in _FAR_RATIOS:
        tail = 1.0 + inverse * tail * ratio
    # The root of the exponential, twice: this overflows where the function does.
    root = _unary("exp", far * 0.5)
    scaled = root * (tail / _unary("sqrt", far * (2 * np.pi))) * root
    return as_lazy(selection.where(is_near, series, scaled))


#: Coefficients of a term and the one before it; the first that is left out is below 1e-18.
_NEAR_RATIOS = tuple(1 / k**2 for k in range(56, 0, -1))
_FAR_RATIOS = tuple((2 * k - 1) ** 2 / (8 * k) for k in range(18, 0, -1))


def _geometric(
    start: Any, stop: Any, num: int, dtype: Any, endpoint: bool = True, axis: int = 0
) -> LazyArray:
    first, last = as_lazy(start), as_lazy(stop)
    if kind_of(dtype) == "c":
        first, last = first.astype(dtype), last.astype(dtype)
    ratio = _unary("log", last / first)
    steps = np.linspace(0.0, 1.0, num, endpoint=endpoint).astype(ratio.real.dtype)
    values = first * _unary("exp", steps.reshape(-1, *(1,) * ratio.ndim) * ratio)
    return movement.moveaxis(values, 0, axis)


def _logarithmic_slopes(at: Application) -> tuple[Any, Any]:
    """Return the slopes of ``x * log(y)``; that by `y` is 0 where both are."""
    x, y = at.operand(1), at.operand(2)
    return _unary("log", y), x / selection.where((x == 0) & (y == 0), 1.0, y)


def _xlogy_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    slopes = _logarithmic_slopes(at)
    pairs = zip(slopes, at.node.src[1:], strict=True)
    return [None, *(fitted(g * slope, source) for slope, source in pairs)]


def _xlogy_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    pairs = zip(tangents[1:], _logarithmic_slopes(at), strict=True)
    parts = [spread(t * slope, at.node) for t, slope in pairs if t is not None]
    return functools.reduce(operator.add, parts) if parts else None


#: What fills the border along an axis.
_STATISTICS: dict[str, Any] = {
    "mean": mean,
    "maximum": reductions.max,
    "minimum": reductions.min,
    "median": median,
}

_ORDER = "the order of its elements is not determined; use sort"

BY_NAME |= {
    "pad": Rule(compose=_pad),
    "sinc": Rule(_sinc_vjp, _sinc_jvp),
    "xlogy": Rule(_xlogy_vjp, _xlogy_jvp),
    "i0": Rule(compose=_bessel),
    "geomspace": Rule(compose=_geometric),
    "interp": Rule(compose=_interp),
    "correlate": Rule(compose=_correlate),
    "cov": Rule(compose=_covariance),
    "sort_complex": Rule(compose=_sort_complex),
    "partition": refused(_ORDER),
}
BY_NAME |= dict.fromkeys(("argsort", "argpartition", "searchsorted", "isin", "digitize"), DISCRETE)
