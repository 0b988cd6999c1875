"""Elementwise functions: one for each ufunc of the op table, under every name NumPy has for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, asarray, wrap
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT64
from lazyarr.core.dtypes import finfo, kind_of
from lazyarr.numpy_api.ufunc import ufunc
from lazyarr.ops.elementwise import BY_UFUNC, ELEMENTWISE

__all__ = ["FUNCTIONS", "angle", "function_of", "imag", "real", "sinc", "ufunc"]

#: The functions that were asked for, by NumPy's.
_by_ufunc: dict[np.ufunc, ufunc] = {}


def function_of(theirs: np.ufunc) -> ufunc | None:
    """Return the function of a ufunc, which is made when it is first asked for.

    Parameters
    ----------
    theirs : numpy.ufunc
        NumPy's.

    Returns
    -------
    ufunc or None
        The latter if the table of operations has no row for it.
    """
    function = _by_ufunc.get(theirs)
    if function is None and theirs in BY_UFUNC:
        function = _by_ufunc.setdefault(theirs, ufunc(theirs, BY_UFUNC[theirs]))
    return function


class _Functions(dict[str, Callable[..., Any]]):
    """Functions of ufuncs by NumPy's names; several names of one ufunc have one function."""

    def __missing__(self, name: str) -> Callable[..., Any]:
        theirs = vars(np).get(name)
        function = function_of(theirs) if isinstance(theirs, np.ufunc) else None
        if function is None:
            raise KeyError(name)
        self[name] = function
        return function


FUNCTIONS: dict[str, Callable[..., Any]] = _Functions()
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
    if type(val) is np.ndarray:
        val = asarray(val)  # of whose elements there are views
    if type(val) is LazyArray:
        return val.real
    x = as_lazy(int(val) if val is True or val is False else val)  # whose parts are integers
    return x if kind_of(x.dtype) != "c" else apply(ELEMENTWISE["real"], (x,))


def imag(val: Any) -> LazyArray:
    """Return the imaginary part of each element; zeros if `val` is not complex.

    Parameters
    ----------
    val : array_like
        Input.

    Returns
    -------
    LazyArray
        Of the components' dtype; of a complex LazyArray a view, of another one locked zeros.
    """
    if type(val) is np.ndarray:
        val = asarray(val)  # of whose elements there are views
    if type(val) is LazyArray:
        return val.imag
    if isinstance(val, int):
        return asarray(val.imag)  # as Python's numbers have it, whatever their size
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


def sinc(x: Any) -> LazyArray:
    """Return ``sin(pi x) / (pi x)``, and 1 at zero."""
    array = as_lazy(x)
    loop = array.dtype if kind_of(array.dtype) in "fc" else FLOAT64
    array = array.astype(loop)
    scaled = array * np.pi
    safe = apply(ELEMENTWISE["where"], (scaled != 0, scaled, finfo(loop).eps))
    quotient: LazyArray = apply(ELEMENTWISE["sin"], (safe,)) / safe
    # At zero the quotient is that of another number, and near it its slope is nothing but rounding.
    return wrap(build.derived(quotient._node, (array._node,), "sinc"))
