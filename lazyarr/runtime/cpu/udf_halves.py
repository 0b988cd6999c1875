"""Casts to float16 in Python functions of numbers, which Numba does not compile for the CPU.

The function that is compiled has float32 in their place, rounded to numbers that float16 has.
"""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["casts_to_half", "with_halves"]

#: Names of the type in NumPy's namespace.
_NAMES = ("float16", "half")
_HALF = np.finfo(np.float16)
#: Of float16: the bits of a significand, and the exponent of its least number.
_DIGITS, _LEAST = _HALF.nmant + 1, _HALF.minexp - _HALF.nmant
#: Numbers from here on are rounded to infinity: half a step beyond the largest one.
_OVERFLOW = float(_HALF.max) + 2.0 ** (_HALF.maxexp - _DIGITS - 1)


def casts_to_half(function: Callable[..., Any]) -> bool:
    """Return whether a function of numbers may call NumPy's type of float16."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    return any(name in code.co_names for name in _NAMES) or any(
        value is np.float16 for value in _captured(function).values()
    )


def with_halves(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that rounds numbers where the given one casts them to float16."""
    rounded: Any = import_module("numba").njit(_rounded)
    module = _Module(rounded)
    own = {np.float16: rounded, np: module}

    def replaced(value: Any) -> Any:
        is_one = value is np or value is np.float16
        return own[value] if is_one else value

    names = {name: replaced(value) for name, value in function.__globals__.items()}
    cells = tuple(types.CellType(replaced(c.cell_contents)) for c in function.__closure__ or ())
    copy = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, cells
    )
    return functools.update_wrapper(copy, function)


def _captured(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the globals and the closure variables of a function, by name."""
    code = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    names = {name: function.__globals__.get(name) for name in code.co_names}
    return {**names, **{name: cell.cell_contents for name, cell in cells}}


class _Module(types.ModuleType):
    """NumPy's namespace with a function in the place of its type of float16."""

    def __init__(self, rounded: Callable[..., Any]) -> None:
        super().__init__("numpy")
        for name in _NAMES:
            setattr(self, name, rounded)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def _rounded(x: Any) -> Any:
    """Return the float32 of the number of float16 that is nearest to `x`, even ones first."""
    value = np.float64(x)
    if value == 0 or not math.isfinite(value):
        return np.float32(value)
    exponent = max(math.frexp(value)[1] - _DIGITS, _LEAST)
    result = math.ldexp(np.rint(math.ldexp(value, -exponent)), exponent)
    if abs(result) >= _OVERFLOW:
        result = math.copysign(math.inf, value)
    return np.float32(math.copysign(result, value))
