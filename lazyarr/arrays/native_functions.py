"""NumPy's functions on small arrays in memory: those called immediately, and their size limits."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

from lazyarr.arrays.base import ArrayBase
from lazyarr.arrays.coercion import holds_kind
from lazyarr.arrays.compiled import (
    CALLS,
    compiled_call,
    compiled_function,
    in_python,
)
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import limit
from lazyarr.arrays.native import compute_natively
from lazyarr.arrays.native_calls import Row, call_at_once
from lazyarr.arrays.native_methods import dot_product, product, times_of
from lazyarr.arrays.native_rows import row_of
from lazyarr.tracing import running
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = ["called_at_once", "compute_at_once", "with_native"]

#: Returns whether a result of the arguments (those of NumPy's function) has few enough elements.
Fits = Callable[[int, tuple[Any, ...], dict[str, Any]], bool]


def _no_larger(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return True, unless one of the arguments is an array to write to."""
    return not any([isinstance(value, np.ndarray) for value in args[1:]])  # noqa: C419 - faster


def _together(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether arrays that are joined have few enough elements."""
    parts = args[0]
    if not _no_larger(most, args, keywords):
        return False
    return type(parts) in (tuple, list) and sum([_size(part) for part in parts]) <= most


def _size(value: Any) -> float:
    """Return the number of elements of an array-like; infinity where none may be counted.

    The values of sequences of lazy arrays are not asked for: they may not be known, or be
    differentiated. Sequences of several lengths are no array.
    """
    if type(value) in (list, tuple) and holds_kind(value, ArrayBase):
        return math.inf
    try:
        return np.size(value)
    except ValueError:
        return math.inf


def _broadcast(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    if len(args) > 3:
        return False
    operands = [value for value in args if value is not None]
    try:
        return bool(np.broadcast(*operands).size <= most)
    except ValueError:
        return False


def _pairs(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    return len(args) == 2 and _size(args[0]) * _size(args[1]) <= most


def _searched(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    return len(args) == 2


def _shaped(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether a shape has few enough elements."""
    shape: Any = args[0] if args else keywords.get("shape")
    if type(shape) is int:
        return 0 <= shape <= most
    if type(shape) not in (tuple, list) or any(type(n) is not int for n in shape):
        return False
    return bool(prod(shape) <= most)


def _counted(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether numbers count few enough elements."""
    if (
        1 <= len(args) <= 3
        and {*map(type, args)} <= {int, float}
        and not all(type(value) is int for value in args)
    ):
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        length = (stop - start) / step if step else math.inf
        return math.isfinite(length) and length <= most
    numbers = [value for value in args if type(value) is int]
    return bool(args) and len(numbers) == len(args) and max(map(abs, numbers)) <= most


def _square(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    return bool(args) and type(args[0]) is int and len(args) == 1 and 0 <= args[0] ** 2 <= most


def _copied(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    return len(args) == 1 and (not isinstance(args[0], np.ndarray) or args[0].size <= most)


def _listed(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    return 0 < len(args) <= 2 and type(args[0]) in (list, tuple) and _size(args[0]) <= most


def _like(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    return bool(args) and "shape" not in keywords and isinstance(args[0], np.ndarray)


def _inner(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    if len(args) != 2 or not all(isinstance(x, np.ndarray) and 0 < x.ndim < 3 for x in args):
        return False
    return math.prod(len(x) for x in args if x.ndim == 2) <= most


def _names(text: str, fits: Fits) -> dict[str, Fits]:
    return dict.fromkeys(text.split(), fits)


#: Functions of arrays, at least one of them lazy.
_OF_ARRAYS: dict[str, Fits] = {
    **_names(
        "roll flip fliplr flipud rot90 ravel reshape transpose moveaxis rollaxis swapaxes squeeze "
        "expand_dims atleast_1d atleast_2d sum prod mean std var min max amin amax any all argmin "
        "argmax cumsum cumprod sort argsort diff round around ptp trace diagonal nonzero copy "
        "array_split split hsplit vsplit tril triu real median",
        _no_larger,
    ),
    **_names("concatenate stack hstack vstack column_stack dstack", _together),
    **_names("where clip", _broadcast),
    **_names("dot", product),
    **_names("inner", _inner),
    **_names("outer", _pairs),
    **_names("searchsorted", _searched),
    **_names("zeros_like ones_like empty_like", _like),
}
#: Functions that make arrays of numbers.
_OF_NUMBERS: dict[str, Fits] = {
    **_names("zeros ones empty", _shaped),
    **_names("full", _shaped),
    **_names("arange", _counted),
    **_names("eye identity", _square),
    **_names("array", _copied),
    **_names("asarray asanyarray", _listed),
}
#: Keywords that mean in NumPy's functions what they mean in those of lazyarr.
_KEYWORDS = frozenset(
    "axis axes keepdims dtype offset n k decimals shift side num endpoint".split()
)


#: NumPy's functions that are called at once by its protocol, and what has to hold for it.
_ROWS: dict[Callable[..., Any], Row] = {}


@functools.cache
def _by_function() -> dict[Callable[..., Any], Fits]:
    return {getattr(np, name): fits for name, fits in _OF_ARRAYS.items()}


def compute_at_once(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any], kind: type[Any]
) -> Any:
    """Return the result of a function of NumPy's; None if an expression is to be built.

    Parameters
    ----------
    function : callable
        NumPy's.
    args, keywords : tuple and dict
        Its arguments.
    kind : type
        The class of lazy arrays.
    """
    if not args:
        return None
    FUNCTIONS["counterpart"](function)  # which enters its row here
    fits = _by_function().get(function)
    result = None
    if fits is not None:
        result = compute_natively(function, args, keywords, kind, fits, _KEYWORDS)
    row = _ROWS.get(function)
    if result is None and row is not None:
        result = call_at_once(row, args, keywords, kind)
    return result


def with_native(
    names: Iterable[str],
    functions: dict[str, Callable[..., Any]],
    kind: type[Any],
    theirs: ModuleType = np,
) -> None:
    """Let functions of a namespace call NumPy's of their name where all is small and in memory.

    Parameters
    ----------
    names : iterable of str
        Those that may.
    functions : dict
        The namespace; its functions are replaced.
    kind : type
        The class of lazy arrays.
    theirs : module
        NumPy's namespace.
    """
    replaced: dict[int, Callable[..., Any]] = {}
    names = list(names)
    for name in names:
        built = functions[name]
        if id(built) in replaced:
            if COMPILED is not None:
                CALLS.setdefault(getattr(theirs, name), replaced[id(built)])
            continue
        row = row_of(theirs, name, built)
        if theirs is np and (name in _OF_ARRAYS or name in _OF_NUMBERS):
            make = _of_arrays if name in _OF_ARRAYS else _of_numbers
            replaced[id(built)] = make(built, name, kind, row)
        elif row is not None:
            replaced[id(built)] = called_at_once(built, row, kind, getattr(theirs, name))
        if row is not None and not row.creates:
            _ROWS[getattr(theirs, name)] = row
    for name in names:  # several names of one function stay one
        function = functions[name] = replaced.get(id(functions[name]), functions[name])
        if "__name__" in functions:
            function.__module__ = str(functions["__name__"])


def called_at_once(
    built: Callable[..., Any], row: Row, kind: type[Any], theirs: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Return a function that calls NumPy's where all is small and in memory.

    Parameters
    ----------
    built : callable
        What is called otherwise.
    row : Row
        What has to hold.
    kind : type
        The class of lazy arrays.
    theirs : callable, optional
        NumPy's public function, which answers by its protocol.
    """

    @functools.wraps(built)
    def call(*args: Any, **keywords: Any) -> Any:
        if not running:
            result = call_at_once(row, args, keywords, kind)
            if result is not None:
                return result
        return built(*args, **keywords)

    if COMPILED is None:
        return in_python(call, theirs)
    named: Callable[..., Any] = functools.update_wrapper(compiled_call(built, row, theirs), built)
    return named


def _of_arrays(
    built: Callable[..., Any], name: str, kind: type[Any], row: Row | None
) -> Callable[..., Any]:
    theirs, fits = getattr(np, name), _OF_ARRAYS[name]

    @functools.wraps(built)
    def call(*args: Any, **keywords: Any) -> Any:
        if args and not running:
            first = args[0]
            if type(first) is not kind or first._array is not None:
                result = compute_natively(theirs, args, keywords, kind, fits, _KEYWORDS)
                if result is None and row is not None:
                    result = call_at_once(row, args, keywords, kind)
                if result is not None:
                    return result
            if fits is product and (result := dot_product(args, keywords, kind)) is not None:
                return result
        return built(*args, **keywords)

    return compiled_function(name, call, fits.__name__.lstrip("_"), _KEYWORDS, row)


def _of_numbers(
    built: Callable[..., Any], name: str, kind: type[Any], row: Row | None
) -> Callable[..., Any]:
    theirs, fits, times = getattr(np, name), _OF_NUMBERS[name], times_of(name, row)

    @functools.wraps(built)
    def call(*args: Any, **keywords: Any) -> Any:
        most = limit()
        if most and not running:
            result = None
            if fits(most * times, args, keywords):
                result = compute_natively(theirs, args, keywords, kind, None, _KEYWORDS)
            if result is None and row is not None:
                result = call_at_once(row, args, keywords, kind)
            if result is not None:
                return result
        return built(*args, **keywords)

    return compiled_function(name, call, fits.__name__.lstrip("_"), _KEYWORDS, row)
