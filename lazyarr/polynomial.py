"""``numpy.polynomial``, whose functions evaluate series at LazyArrays as at ndarrays.

NumPy's functions ask whether the points are an ndarray, and else take them for one number. Here the
coefficients get the axes of the points before NumPy computes with both. All other names are
NumPy's own.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, asarray
from lazyarr.core.source_location import origin
from lazyarr.errors import ShapeError

#: Modules by the first letters of the names of their functions.
_PREFIXES = {
    "chebyshev": "cheb",
    "hermite": "herm",
    "hermite_e": "herme",
    "laguerre": "lag",
    "legendre": "leg",
    "polynomial": "poly",
}

__all__ = [*_PREFIXES]


class Series(ModuleType):
    """A module of NumPy's of one family of polynomials.

    Parameters
    ----------
    name : str
        The module's name in ``numpy.polynomial``.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"lazyarr.polynomial.{name}")
        self._theirs = importlib.import_module(f"numpy.polynomial.{name}")
        prefix = _PREFIXES[name]
        evaluate = _values(getattr(self._theirs, f"{prefix}val"))
        functions = {f"{prefix}val": evaluate}
        for axes in (2, 3):
            grid = f"{prefix}grid{axes}d"
            functions[grid] = _grid(getattr(self._theirs, grid), evaluate)
        if name == "polynomial":
            functions["polyvalfromroots"] = _from_roots(self._theirs.polyvalfromroots)
        vars(self).update(functions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)

    def __dir__(self) -> list[str]:
        return dir(self._theirs)


def _spread(coefficients: Any, points: LazyArray) -> LazyArray:
    """Return coefficients with the axes of points behind their own."""
    values = as_lazy(coefficients)
    values = values if values.ndim else values.reshape(1)
    return values.reshape(values.shape + (1,) * points.ndim)


def _values(theirs: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(theirs, updated=())
    def evaluate(x: Any, c: Any, tensor: bool = True) -> Any:
        if isinstance(x, LazyArray) and tensor:
            return theirs(x, _spread(c, x), tensor=False)
        return theirs(x, c, tensor=tensor)

    return evaluate


def _grid(theirs: Callable[..., Any], evaluate: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(theirs, updated=())
    def on_grid(*points_and_coefficients: Any) -> Any:
        *points, c = points_and_coefficients
        if not any(isinstance(x, LazyArray) for x in points):
            return theirs(*points_and_coefficients)
        for x in points:
            c = evaluate(as_lazy(x), c)
        return c

    return on_grid


def _from_roots(theirs: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(theirs, updated=())
    def polyvalfromroots(x: Any, r: Any, tensor: bool = True) -> Any:
        if not isinstance(x, LazyArray):
            return theirs(x, r, tensor)
        if tensor:
            return theirs(x, _spread(r, x), tensor=False)
        if x.ndim >= asarray(r).ndim:
            raise ShapeError("x.ndim must be < r.ndim when tensor == False", origin=origin())
        return theirs(x, r, tensor=False)

    return polyvalfromroots


_modules: dict[str, Series] = {}


def __getattr__(name: str) -> Any:
    if name in _PREFIXES:
        if name not in _modules:
            _modules[name] = Series(name)
        return _modules[name]
    return getattr(importlib.import_module("numpy.polynomial"), name)


def __dir__() -> list[str]:
    return dir(importlib.import_module("numpy.polynomial"))
