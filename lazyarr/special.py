"""Functions beyond NumPy's: error function, logistic, softmax. Names are those of SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, apply, asarray
from lazyarr.graph.node import Op
from lazyarr.numpy_api import reductions
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.numpy_api.selection import where
from lazyarr.numpy_api.ufunc_arguments import call_ufunc
from lazyarr.ops import special
from lazyarr.ops.elementwise import ELEMENTWISE
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
    made = asarray(x)
    shifted: LazyArray = made - reductions.max(made, axis=axis, keepdims=True)
    return shifted


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
    found: LazyArray = powers / reductions.sum(powers, axis=axis, keepdims=True)
    return found


def log_softmax(x: Any, axis: Any = None) -> LazyArray:
    """Return the logarithm of :func:`softmax`, without overflow."""
    shifted = _shifted(x, axis)
    total = reductions.sum(FUNCTIONS["exp"](shifted), axis=axis, keepdims=True)
    found: LazyArray = shifted - FUNCTIONS["log"](total)
    return found


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False) -> LazyArray:
    """Return ``log(sum(b * exp(a)))`` over axes, without overflow; `b` defaults to one."""
    made = asarray(a)
    top = reductions.max(made, axis=axis, keepdims=True)
    top = where(apply(ELEMENTWISE["isfinite"], (top,)), top, 0)
    powers = FUNCTIONS["exp"](made - top)
    if b is not None:
        powers = b * powers
    found = FUNCTIONS["log"](reductions.sum(powers, axis=axis, keepdims=True)) + top
    axes = reductions.axes_of(axis, found.ndim)
    if keepdims:
        return asarray(found)
    return asarray(found).reshape(tuple(n for k, n in enumerate(found.shape) if k not in axes))


def sincos(x: Any) -> tuple[LazyArray, LazyArray]:
    """Return sine and cosine of each element; evaluated together, they read `x` once.

    Examples
    --------
    >>> import lazyarr as la
    >>> sine, cosine = la.special.sincos([0.0, 1.0])
    >>> la.evaluate(sine**2 + cosine**2)
    array([1., 1.])
    """
    made = asarray(x)
    return FUNCTIONS["sin"](made), FUNCTIONS["cos"](made)


def xlogy(x: Any, y: Any) -> LazyArray:
    """Return ``x * log(y)``, and 0 where x is 0 and y is not NaN."""
    factor, argument = asarray(x), asarray(y)
    nothing = (factor == 0) & (argument == argument)
    found: LazyArray = factor * FUNCTIONS["log"](where(nothing, 1, argument))
    return found


record_functions(globals(), __all__)


def __dir__() -> list[str]:
    return sorted(__all__)
