"""Elementwise functions: one for each ufunc of the op table, under every name NumPy has for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, as_operand, asarray, wrap
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT64
from lazyarr.core.dtypes import finfo, kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.library_calls import compute_now
from lazyarr.numpy_api.selection import where
from lazyarr.numpy_api.ufunc import ufunc
from lazyarr.ops.elementwise import BY_UFUNC, ELEMENTWISE

__all__ = ["FUNCTIONS", "angle", "function_of", "imag", "nan_to_num", "real", "sinc", "ufunc"]

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
    return apply(ELEMENTWISE["imag"], (int(val) if val is True or val is False else val,))


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> LazyArray:
    """Return `x` with numbers in place of NaN and infinities.

    Parameters
    ----------
    x : array_like
        Input.
    copy : bool
        False: the values are written to `x`, if that is an array.
    nan, posinf, neginf : number
        What to put; for infinities the default is the greatest finite number of the dtype.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.
    """
    array = as_lazy(x)
    is_copied = isinstance(x, (list, tuple, int, float, complex, np.generic))
    if copy is not None and not copy and is_copied:
        raise ArgumentError(
            "Unable to avoid copy while creating an array as requested.", origin=origin()
        )
    if kind_of(array.dtype) not in "fc":
        return array.copy("K") if copy else asarray(x)
    if not copy and isinstance(x, np.ndarray):
        options = {"copy": False, "nan": nan, "posinf": posinf, "neginf": neginf}
        compute_now(np.nan_to_num, (x,), options)
        return asarray(x)
    replaced = _finite(array, nan, posinf, neginf)
    if copy or not isinstance(x, LazyArray):
        return replaced
    x._become(replaced._node)
    return x


def _finite(array: LazyArray, nan: Any, posinf: Any, neginf: Any) -> LazyArray:
    """Return the elements of an array with numbers in the places of those that are not finite."""
    if kind_of(array.dtype) == "c":
        parts = [_finite(part, nan, posinf, neginf) for part in (array.real, array.imag)]
        return apply(ELEMENTWISE["complex"], tuple(parts))
    for name, value in (("nan", nan), ("posinf", posinf), ("neginf", neginf)):
        if value is not None:
            filler = as_operand(value)
            strong = filler.dtype if isinstance(filler, Node) else np.dtype(type(filler))
            if not np.can_cast(strong, array.dtype, "same_kind"):
                raise DTypeError(
                    f"cannot put {name}={value!r} into an array of {array.dtype}", origin=origin()
                )
            if isinstance(filler, Node):
                build.broadcast_to(filler, array.shape)  # raises if it does not fit
    limits = finfo(array.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    replaced = where(apply(ELEMENTWISE["isnan"], (array,)), nan, array)
    replaced = where(array == float("inf"), high, replaced)
    replaced = where(array == float("-inf"), low, replaced)
    return as_lazy(replaced).astype(array.dtype)


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
