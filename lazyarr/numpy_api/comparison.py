"""Functions that compare arrays, or test their elements."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import WEAK
from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, as_operand, asarray, wrap
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import DTypeError, ShapeError
from lazyarr.graph.node import Leaf, Node
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.library_calls import compute_now
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
    "real_if_close",
]


def _ordered(x: Any) -> LazyArray:
    array = as_lazy(x)
    if kind_of(array.dtype) == "c":
        raise DTypeError(
            f"This operation is not supported for {array.dtype} values because it would be "
            "ambiguous.",
            origin=origin(),
        )
    return array


def isposinf(x: Any, out: Any = None) -> Any:
    """Return whether each element is positive infinity.

    Parameters
    ----------
    x : array_like
        Real numbers.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Returns
    -------
    LazyArray
        Booleans.

    Raises
    ------
    DTypeError
        If the numbers are complex.
    """
    return store_into(_ordered(x) == float("inf"), out)


def isneginf(x: Any, out: Any = None) -> Any:
    """Return whether each element is negative infinity.

    Parameters
    ----------
    x : array_like
        Real numbers.
    out : ndarray or LazyArray, optional
        Takes the result on.

    Returns
    -------
    LazyArray
        Booleans.

    Raises
    ------
    DTypeError
        If the numbers are complex.
    """
    return store_into(_ordered(x) == float("-inf"), out)


def isreal(x: Any) -> LazyArray:
    """Return whether each element's imaginary part is zero."""
    return as_lazy(x).imag == 0


def iscomplex(x: Any) -> LazyArray:
    """Return whether each element's imaginary part is not zero."""
    return as_lazy(x).imag != 0


def isclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> LazyArray:
    """Return whether elements are equal within ``atol + rtol * abs(b)``.

    Parameters
    ----------
    a, b : array_like
        Numbers, which broadcast together.
    rtol, atol : array_like
        Relative and absolute tolerance.
    equal_nan : bool
        Whether NaN equals NaN.

    Returns
    -------
    LazyArray
        Booleans. Infinities are close to themselves only.
    """
    is_lazy = isinstance(rtol, LazyArray) or isinstance(atol, LazyArray)
    if type(a) in WEAK and type(b) in WEAK and not is_lazy:
        return asarray(np.isclose(a, b, rtol, atol, equal_nan))
    _check_tolerances(rtol, atol)
    y = _inexact(b)
    x = as_lazy(a) if type(y) in WEAK or type(a) not in WEAK else a
    near: Any = wrap(_is_near(as_operand(x), as_operand(y), as_operand(atol), as_operand(rtol)))
    if type(y) in WEAK:
        near = near & cmath.isfinite(y) | (x == y)
    else:
        near = near & apply(ELEMENTWISE["isfinite"], (y,)) | (y == x)
    if equal_nan:
        near = near | _is_nan(x) & _is_nan(y)
    return as_lazy(near)


def _inexact(b: Any) -> Any:
    """Return numbers to compare with as inexact ones; a Python number need not fit any dtype."""
    if type(b) in WEAK:
        return float(b) if isinstance(b, int) else b
    y = as_lazy(b)
    return y.astype(np.result_type(y.dtype, 1.0)) if kind_of(y.dtype) in "biu" else y


def _is_nan(x: Any) -> Any:
    if type(x) in WEAK:
        return cmath.isnan(x)
    return (x != x) if kind_of(x.dtype) in "fc" else False


def _is_near(x: Any, y: Any, atol: Any, rtol: Any) -> Node:
    """Return ``|x - y| <= atol + rtol * |y|``; its steps issue no warning, and none runs alone."""

    def step(name: str, *operands: Any) -> Node:
        return build.elementwise(ELEMENTWISE[name], operands)

    distance = step("absolute", step("subtract", x, y))
    # Of Python numbers the reach is one, too, which may be larger than the dtype's.
    size = step("absolute", y) if isinstance(y, Node) else abs(y)
    is_weak = not isinstance(size, Node) and not isinstance(rtol, Node)
    reach = rtol * size if is_weak else step("multiply", rtol, size)
    is_weak = is_weak and not isinstance(atol, Node)
    reach = atol + reach if is_weak else step("add", atol, reach)
    inputs = [operand for operand in (x, y, atol, rtol) if isinstance(operand, Node)]
    return build.silent(step("less_equal", distance, reach), tuple(inputs))


def _check_tolerances(rtol: Any, atol: Any) -> None:
    """Warn, as NumPy does, of tolerances in memory that are not finite; none is computed."""
    tolerances = [_in_memory(x) if isinstance(x, LazyArray) else x for x in (rtol, atol)]
    if not all(np.isfinite(x).all() for x in tolerances if x is not None):
        warn_user(f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}")


def _in_memory(array: LazyArray) -> Any:
    """Return the values of an array that are in the host's memory; else None."""
    memory = array._node.attr
    if isinstance(memory, Leaf) and memory.is_on_host:
        return memory.array
    return None


def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> LazyArray:
    """Return whether all elements of two arrays are close; see :func:`isclose`.

    Parameters
    ----------
    a, b, rtol, atol, equal_nan
        As for :func:`lazyarr.isclose`.

    Returns
    -------
    LazyArray
        A boolean without axes, where NumPy returns a Python bool.
    """
    return as_lazy(reductions.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> LazyArray:
    """Return whether the shapes and all elements of two arrays are equal.

    Parameters
    ----------
    a1, a2 : array_like
        Arrays, which do not broadcast.
    equal_nan : bool
        Whether NaN equals NaN.

    Returns
    -------
    LazyArray
        A boolean without axes, where NumPy returns a Python bool.
    """
    try:
        x, y = as_lazy(a1), as_lazy(a2)
    except ShapeError:  # sequences of several lengths are no arrays
        return as_lazy(False)
    if x.shape != y.shape:
        return as_lazy(False)
    same = x == y
    if equal_nan and kind_of(x.dtype) in "fc" and kind_of(y.dtype) in "fc":
        same = same | (x != x) & (y != y)
    return as_lazy(reductions.all(same))


def array_equiv(a1: Any, a2: Any) -> LazyArray:
    """Return whether two arrays broadcast together and are equal then.

    Parameters
    ----------
    a1, a2 : array_like
        Arrays.

    Returns
    -------
    LazyArray
        A boolean without axes, where NumPy returns a Python bool.
    """
    try:
        return as_lazy(reductions.all(as_lazy(a1) == as_lazy(a2)))
    except ShapeError:
        return as_lazy(False)


def real_if_close(a: Any, tol: float = 100) -> LazyArray:
    """Return the real parts of complex numbers whose imaginary parts are all close to zero.

    Parameters
    ----------
    a : array_like
        Input. What is not complex stays as it is; of complex numbers the values are asked for.
    tol : float
        In machine epsilons of the dtype, or absolute if it is at most 1.

    Returns
    -------
    LazyArray
        A view of the real parts, or `a` itself.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.real_if_close([2.1 + 4e-14j, 5.2]).compute()
    array([2.1+4.e-14j, 5.2+0.e+00j])
    >>> la.real_if_close([2.1 + 4e-14j, 5.2], tol=1000).compute()
    array([2.1, 5.2])
    """
    x = asarray(a)
    if kind_of(x.dtype) != "c":
        return x
    judged = compute_now(np.real_if_close, (x, tol), {})
    return x if kind_of(judged.dtype) == "c" else x.real
