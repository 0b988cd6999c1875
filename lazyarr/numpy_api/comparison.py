"""Functions that compare arrays, or test their elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, asarray, wrap
from lazyarr.builders import build
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError, ShapeError
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.ufunc_arguments import store_into
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "isclose",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
]


def _ordered(x: Any) -> LazyArray:
    array = asarray(x)
    if array.dtype.kind == "c":
        raise DTypeError(
            f"This operation is not supported for {array.dtype} values because it would be "
            "ambiguous.",
            origin=origin(),
        )
    return array


def isposinf(x: Any, out: Any = None) -> Any:
    """Return whether each element is positive infinity."""
    return store_into(_ordered(x) == float("inf"), out)


def isneginf(x: Any, out: Any = None) -> Any:
    """Return whether each element is negative infinity."""
    return store_into(_ordered(x) == float("-inf"), out)


def isreal(x: Any) -> LazyArray:
    """Return whether each element's imaginary part is zero."""
    return asarray(x).imag == 0


def iscomplex(x: Any) -> LazyArray:
    """Return whether each element's imaginary part is not zero."""
    return asarray(x).imag != 0


def isclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> LazyArray:
    """Return whether elements are equal within ``atol + rtol * abs(b)``."""
    x, y = asarray(a), asarray(b)
    if y.dtype.kind in "biu":
        y = y.astype(np.result_type(y.dtype, 1.0))
    finite = apply(ELEMENTWISE["isfinite"], (y,))
    near: Any = abs(x - y) <= atol + rtol * abs(y)
    near = wrap(build.silent(near._node, (x._node, y._node))) & finite | (x == y)
    if equal_nan and x.dtype.kind in "fc":
        near = near | (x != x) & (y != y)
    return asarray(near)


def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> LazyArray:
    """Return, as a 0-d LazyArray, whether all elements are close; see :func:`isclose`."""
    return asarray(reductions.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> LazyArray:
    """Return, as a 0-d LazyArray, whether shapes and all elements are equal."""
    x, y = asarray(a1), asarray(a2)
    if x.shape != y.shape:
        return asarray(False)
    same = x == y
    if equal_nan and x.dtype.kind in "fc" and y.dtype.kind in "fc":
        same = same | (x != x) & (y != y)
    return asarray(reductions.all(same))


def array_equiv(a1: Any, a2: Any) -> LazyArray:
    """Return, as a 0-d LazyArray, whether arrays broadcast together and are equal then."""
    x, y = asarray(a1), asarray(a2)
    try:
        return asarray(reductions.all(x == y))
    except ShapeError:
        return asarray(False)
