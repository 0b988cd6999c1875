"""Values that break arithmetic, and how far a result is from the exact one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import lazyarr as la

DType = np.dtype[Any]
Array = np.ndarray[Any, Any]

COUNT = 4096
#: Relative error of NumPy's functions of float16, which releases before 2.4 compute with the
#: instructions that some processors have for them.
HALF_FUNCTIONS_ERROR = 0.0 if np.sin(np.full(32, 2, "e"))[0] == np.float16(np.sin(2.0)) else 2e-3


@functools.cache
def special(dtype: DType) -> tuple[Any, ...]:
    """Return the corner values of a dtype."""
    if dtype.kind == "b":
        return (False, True)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        expected = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1, info.bits]
        if dtype.kind == "i":
            expected += [-1, -2, -7, -100]
        return tuple(expected)
    limits = np.finfo(dtype)
    tiny, least = float(limits.tiny), float(limits.smallest_subnormal)
    positive = [
        0.0, 1.0, 2.0, 0.5, 1.5, 2.5, 0.3, 3.0, np.pi, 10.0, 100.25, 1e3, tiny, least, tiny / 2,
        tiny * 3, float(limits.eps), 1 + float(limits.eps), 1 - float(limits.eps) / 2,
        float(limits.max), float(limits.max) / 2, np.inf, 88.5, 104.0, 709.5, 745.2,
        2.0**15, 65504.0, 65519.0, 65520.0,
    ]  # fmt: skip
    if dtype.itemsize > 2:
        positive += [1e5, 1e10, 2.0**31 - 0.5, 2.0**31, 2.0**32, 2.0**53, 2.0**63, 2.0**64, 1e20]
    return (*positive, *(-v for v in positive), np.nan)


@functools.cache
def samples(dtype: DType, count: int) -> tuple[Array, ...]:
    """Return `count` read-only operands: corner values in all pairs, then random ones."""
    generator = np.random.default_rng(7)
    with np.errstate(over="ignore"):
        corners = np.array(special(dtype), dtype)
    first, second = (grid.ravel() for grid in np.meshgrid(corners, corners))
    grids = [first, second, np.roll(first, 3)][:count]
    arrays = []
    for grid in grids:
        arrays.append(np.concatenate([grid, _random(generator, dtype)]))
        arrays[-1].setflags(write=False)
    return tuple(arrays)


def _random(generator: np.random.Generator, dtype: DType) -> Array:
    if dtype.kind == "b":
        return generator.random(COUNT) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        wide = generator.integers(info.min, info.max, COUNT // 2, dtype, endpoint=True)
        low = max(info.min, -20)
        near = generator.integers(low, 20, COUNT // 2).astype(dtype)
        return np.concatenate([wide, generator.permutation(near)])
    near = generator.normal(size=COUNT // 2) * 3
    top = np.log10(float(np.finfo(dtype).max)) * 0.999
    sizes = 10.0 ** generator.uniform(-top, top, COUNT // 4)
    unit = generator.uniform(-1, 1, COUNT // 4)
    signs = np.where(generator.random(COUNT // 4) < 0.5, -1, 1)
    return np.concatenate([near, sizes * signs, unit]).astype(dtype)


def fits(values: Array, target: DType) -> Array:
    """Return a mask of the values that a cast defines: C leaves floats out of range open."""
    if values.dtype.kind != "f" or target.kind not in "iu":
        return np.ones(values.shape, np.bool_)
    info = np.iinfo(target)
    with np.errstate(invalid="ignore"):
        whole = np.trunc(values.astype(np.longdouble))
        return np.asarray((whole >= info.min) & (whole <= info.max))


def _power(x: Array, y: Array) -> Array:
    """Return ``x ** y``; the C library's long double form mistakes -inf to a huge power."""
    power = np.power(x, y)
    return np.where(np.isinf(x), np.power(x.astype(np.float64), y.astype(np.float64)), power)


#: NumPy's names of the inverse functions, by the names of the loop IR's primitives.
INVERSES: dict[str, Callable[..., Any]] = {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "atan2": np.arctan2,
}
EXACT: dict[str, Callable[..., Array]] = {
    "exp10": lambda x: np.power(np.longdouble(10), x),
    **INVERSES,
    "pow": _power,
}


def exact(name: str, arrays: tuple[Array, ...]) -> Array:
    """Return a primitive in more digits than its operands have."""
    if name in ("erf", "erfc"):
        # No long double here, but the C library is within one ulp.
        function = getattr(math, name)
        return np.array([function(value) for value in arrays[0].tolist()], np.longdouble)
    function = EXACT.get(name) or getattr(np, name)
    return np.asarray(function(*(array.astype(np.longdouble) for array in arrays)))


def ulps(name: str, arrays: tuple[Array, ...], got: Array) -> float:
    """Return the greatest distance of `got` from the exact primitive; infinite if not alike."""
    with np.errstate(all="ignore"):
        return distance(got, exact(name, arrays))


def distance(got: Array, expected: Array) -> float:
    """Return the greatest distance in units of the last place of `got`'s dtype."""
    return float(np.max(distances(got, expected), initial=0.0))


def distances(got: Array, expected: Array) -> Array:
    """Return the distance of each element in units of the last place of `got`'s dtype."""
    with np.errstate(all="ignore"):
        rounded = expected.astype(got.dtype)
        alike = (np.isnan(got) & np.isnan(rounded)) | (got == rounded)
        space = np.spacing(np.abs(rounded)).astype(np.longdouble)
        difference = np.abs(got.astype(np.longdouble) - expected.astype(np.longdouble)) / space
        # One step beyond the largest number is as near to it as one step before.
        edge = np.isinf(rounded) & (np.abs(got) >= np.finfo(got.dtype).max * (1 - 4e-7))
        difference = np.where(edge & (np.signbit(got) == np.signbit(rounded)), 1.0, difference)
        return np.where(alike, 0.0, np.where(np.isnan(difference), np.inf, difference))


def assert_same(result: Any, expected: Any, **tolerance: Any) -> None:
    """Assert that an array, evaluated if it is lazy, is NumPy's: dtype, shape and values."""
    value = la.evaluate(result) if isinstance(result, la.LazyArray) else result
    assert value.dtype == expected.dtype
    assert value.shape == expected.shape
    if tolerance:
        np.testing.assert_allclose(value, expected, **tolerance)
    else:
        np.testing.assert_array_equal(value, expected)
