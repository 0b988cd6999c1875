"""Functions beyond NumPy's: error function, logistic, softmax. Names are those of SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, wrap
from lazyarr.builders import build
from lazyarr.graph.node import Op
from lazyarr.numpy_api import reduction_arguments, reductions
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.numpy_api.selection import where
from lazyarr.numpy_api.ufunc_calls import call_ufunc
from lazyarr.ops import special
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.markers import is_differentiating, stopped
from lazyarr.tracing import record_functions


def _function(op: Op) -> Callable[..., Any]:
    def function(*operands: Any, out: Any = None) -> Any:
        return call_ufunc((op,), operands, out=out)

    function.__name__ = function.__qualname__ = op.name
    function.__module__ = "lazyarr.special"
    function.__doc__ = f"Return ``scipy.special.{op.name}`` of each element, lazily.\n"
    return function


_functions: dict[str, Callable[..., Any]] = {op.name: _function(op) for op in special.ROWS}
globals().update(_functions)

__all__ = [
    "log_softmax",
    "logsumexp",
    "sincos",
    "softmax",
    "xlogy",
    *_functions,
]


def _shifted(x: Any, axis: Any) -> LazyArray:
    array = as_lazy(x)
    shifted: LazyArray = array - _top(array, axis)
    return shifted


def _top(array: LazyArray, axis: Any) -> LazyArray:
    """Return the maximum as a constant: the shift by it cancels, and so does its derivative."""
    top: LazyArray = reductions.max(array, axis=axis, keepdims=True)
    return LazyArray(stopped(top._node)) if is_differentiating() else top


def softmax(x: Any, axis: Any = None) -> LazyArray:
    """Return ``exp(x) / sum(exp(x))`` over axes, without overflow.

    Parameters
    ----------
    x : array_like
        Input.
    axis : int or tuple of int, optional
        Over which the result sums to one; default: all.

    Returns
    -------
    LazyArray
        Of the shape of `x`.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.special.softmax([0.0, 0.0]).compute()
    array([0.5, 0.5])
    """
    powers = FUNCTIONS["exp"](_shifted(x, axis))
    quotient: LazyArray = powers / reductions.sum(powers, axis=axis, keepdims=True)
    return quotient


def log_softmax(x: Any, axis: Any = None) -> LazyArray:
    """Return the logarithm of :func:`softmax`, without overflow.

    Parameters
    ----------
    x : array_like
        Of any shape and numeric dtype.
    axis : int or tuple of int, optional
        Axes of the sum; default: all.

    Returns
    -------
    LazyArray
        Of the shape of `x`: ``x - max(x) - log(sum(exp(x - max(x))))``.
    """
    shifted = _shifted(x, axis)
    total = reductions.sum(FUNCTIONS["exp"](shifted), axis=axis, keepdims=True)
    logarithm: LazyArray = shifted - FUNCTIONS["log"](total)
    return logarithm


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False) -> LazyArray:
    """Return ``log(sum(b * exp(a)))`` over axes, without overflow; `b` defaults to one.

    Parameters
    ----------
    a : array_like
        Exponents.
    axis : int or tuple of int, optional
        Axes of the sum; default: all.
    b : array_like, optional
        Factors, broadcast against `a`; default: ones.
    keepdims : bool
        Keep the axes of the sum, with length one.

    Returns
    -------
    LazyArray
        The maximum of `a` plus the logarithm of ``sum(b * exp(a - max(a)))``; minus infinity
        where every term is zero.
    """
    array = as_lazy(a)
    top = _top(array, axis)
    top = where(apply(ELEMENTWISE["isfinite"], (top,)), top, 0)
    powers = FUNCTIONS["exp"](array - top)
    if b is not None:
        powers = b * powers
    logarithm = FUNCTIONS["log"](reductions.sum(powers, axis=axis, keepdims=True)) + top
    axes = reduction_arguments.axes_of(axis, logarithm.ndim)
    if keepdims:
        return as_lazy(logarithm)
    return as_lazy(logarithm).reshape(
        tuple(n for k, n in enumerate(logarithm.shape) if k not in axes)
    )


def sincos(x: Any) -> tuple[LazyArray, LazyArray]:
    """Return sine and cosine of each element; evaluated together, they read `x` once.

    Examples
    --------
    >>> import lazyarr as la
    >>> sine, cosine = la.special.sincos([0.0, 1.0])
    >>> la.evaluate(sine**2 + cosine**2)
    array([1., 1.])
    """
    array = as_lazy(x)
    return FUNCTIONS["sin"](array), FUNCTIONS["cos"](array)


def xlogy(x: Any, y: Any) -> LazyArray:
    """Return ``x * log(y)``, and 0 where x is 0 and y is not NaN."""
    factor, argument = as_lazy(x), as_lazy(y)
    zero = (factor == 0) & (argument == argument)
    product: LazyArray = factor * FUNCTIONS["log"](where(zero, 1, argument))
    # At zero the product is that of another logarithm, whose slope would be that of 1.
    return wrap(build.derived(product._node, (factor._node, argument._node), "xlogy"))


record_functions(globals(), __all__)


def __dir__() -> list[str]:
    return sorted(__all__)
