"""Elementwise functions: one for each ufunc of the op table, under every name NumPy has for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply
from lazyarr.graph.node import Op
from lazyarr.numpy_api.ufunc_arguments import call_ufunc
from lazyarr.ops.elementwise import BY_UFUNC, ELEMENTWISE

__all__ = ["FUNCTIONS", "angle", "imag", "real"]


def _function(ufunc: np.ufunc, ops: tuple[Op, ...]) -> Callable[..., Any]:
    plain = ops[0]
    arity = ufunc.nin
    single = len(ops) == 1

    def function(
        *operands: Any,
        out: Any = None,
        where: Any = True,
        dtype: Any = None,
        casting: str = "same_kind",
    ) -> Any:
        if len(operands) == arity and out is None and where is True and dtype is None and single:
            return apply(plain, operands, None, casting)
        if len(operands) > ufunc.nin:
            operands, given = operands[: ufunc.nin], operands[ufunc.nin :]
            out = given if len(given) > 1 else given[0]
        if len(operands) < ufunc.nin:
            raise TypeError(f"{ufunc.__name__}() takes {ufunc.nin} operands, got {len(operands)}")
        return call_ufunc(ops, operands, out=out, where=where, dtype=dtype, casting=casting)

    name = ufunc.__name__
    function.__name__ = function.__qualname__ = name
    function.__module__ = "lazyarr"
    summary = (ufunc.__doc__ or "").split("\n\n")
    first = summary[1].strip() if len(summary) > 1 else name
    function.__doc__ = (
        f"{first}\n\nLazy :data:`numpy.{name}`: the same operands, ``out``, ``where``, ``dtype``\n"
        "and ``casting``; gives a LazyArray.\n"
    )
    return function


def _functions() -> dict[str, Callable[..., Any]]:
    made = {ufunc: _function(ufunc, ops) for ufunc, ops in BY_UFUNC.items()}
    found: dict[str, Callable[..., Any]] = {}
    for name in sorted(vars(np)):
        value = getattr(np, name) if not name.startswith("_") else None
        if isinstance(value, np.ufunc) and value in made:
            found[name] = made[value]
    return found


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
        `val` itself if it is not complex.
    """
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
        Of the components' dtype.
    """
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
