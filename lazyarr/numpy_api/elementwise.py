"""Elementwise functions: one for each ufunc of the op table, under every name NumPy has for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply
from lazyarr.numpy_api.ufunc import ufunc
from lazyarr.ops.elementwise import BY_UFUNC, ELEMENTWISE

__all__ = ["FUNCTIONS", "angle", "imag", "real", "ufunc"]


def _functions() -> dict[str, Callable[..., Any]]:
    by_ufunc = {theirs: ufunc(theirs, ops) for theirs, ops in BY_UFUNC.items()}
    functions: dict[str, Callable[..., Any]] = {}
    for name in sorted(vars(np)):
        value = getattr(np, name) if not name.startswith("_") else None
        if isinstance(value, np.ufunc) and value in by_ufunc:
            functions[name] = by_ufunc[value]
    return functions


FUNCTIONS: dict[str, Callable[..., Any]] = _functions()
"""The function of each ufunc name."""


def real(val: Any) -> LazyArray:
    """Return the real part of each element.

    Parameters
    ----------
    val : array_like
        Input.

    Returns
    -------
    LazyArray
        A view of `val`; `val` itself if it is not complex.
    """
    if type(val) is LazyArray:
        return val.real
    return apply(ELEMENTWISE["real"], (val,))


def imag(val: Any) -> LazyArray:
    """Return the imaginary part of each element; zeros if `val` is not complex.

    Parameters
    ----------
    val : array_like
        Input.

    Returns
    -------
    LazyArray
        Of the components' dtype; of a complex LazyArray a view.
    """
    if type(val) is LazyArray and val.dtype.kind == "c":
        return val.imag
    return apply(ELEMENTWISE["imag"], (val,))


def angle(z: Any, deg: bool = False) -> LazyArray:
    """Return the argument of each complex element.

    Parameters
    ----------
    z : array_like
        Input.
    deg : bool
        In degrees instead of radians.

    Returns
    -------
    LazyArray
        In (-pi, pi], or (-180, 180].
    """
    radians = apply(ELEMENTWISE["angle"], (z,))
    return radians * (180 / np.pi) if deg else radians
