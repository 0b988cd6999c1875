"""Calls with dtypes that lazyarr does not compute with: texts, times, records, long doubles.

NumPy computes them at once, and its arrays are the results: a program that was written for NumPy
has such arrays beside its numbers. The same holds for masked arrays and matrices.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.arrays.reworded_errors import is_within_a_call
from lazyarr.core.source_location import called_at, origin
from lazyarr.errors import LazyarrError
from lazyarr.numpy_api.library_calls import compute_now
from lazyarr.ops.markers import is_differentiated
from lazyarr.tracing import REFUSALS

__all__ = ["computed_by_numpy"]

Array = np.ndarray[Any, Any]

#: Functions, methods and operators that write to their first argument.
_WRITERS = frozenset(
    "at copyto fill fill_diagonal place put put_along_axis putmask __iadd__ __iand__ "
    "__ifloordiv__ __ilshift__ __imatmul__ __imod__ __imul__ __ior__ __ipow__ __irshift__ "
    "__isub__ __itruediv__ __ixor__".split()
)
_REASON = "NumPy computes with its dtype"


def computed_by_numpy(
    theirs: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    """Return NumPy's result of a public function that met a dtype which lazyarr has not.

    Parameters
    ----------
    theirs : callable
        NumPy's function of the same arguments.
    args, keywords : tuple and dict
        The arguments.

    Returns
    -------
    object
        NumPy's arrays of such dtypes, and LazyArrays of others. NotImplemented if the error stays:
        where NumPy refuses the arguments, where a derivative passes, and within another call.
    """
    if is_within_a_call():
        return NotImplemented
    values = [*_items((*args, *keywords.values()))]
    if any(map(_is_of_another_library, values)):
        return NotImplemented
    arrays = [value for value in values if isinstance(value, LazyArray)]
    if is_differentiated([array._node for array in arrays]):
        return NotImplemented
    try:
        return _computed(theirs, args, keywords)
    except REFUSALS as other:
        # Of the evaluation of an argument, or of values.
        if isinstance(other, (LazyarrError, FloatingPointError)):
            raise
        return NotImplemented  # the error of the call is raised, in NumPy's words


def _computed(theirs: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return NumPy's result, which is the output itself where there is one."""
    options = dict(keywords)
    out = options.pop("out", None)
    targets = _Targets()
    first = args[:1] if getattr(theirs, "__name__", "") in _WRITERS else ()
    results: list[Any] = []
    line = origin()

    @functools.wraps(theirs, updated=())
    def call(*values: Any, **named: Any) -> Any:
        if out is not None:
            named["out"] = targets.of(out)
        result = called_at(line, theirs, (*map(targets.of, first), *values), named)
        targets.write()
        shown = targets.shown(result)
        if shown is not result or any(result is value for value in _items((*values, out))):
            results.append(shown)  # one of the arguments, as it is
        return result

    call.__module__ = getattr(theirs, "__module__", None) or "numpy"
    computed = compute_now(call, args[len(first) :], options, _REASON)
    return results[0] if results else computed


def _items(values: Iterable[Any]) -> Iterable[Any]:
    """Yield values, and those in lists and tuples."""
    for value in values:
        if type(value) in (list, tuple):
            yield from _items(value)
        else:
            yield value


def _is_of_another_library(value: Any) -> bool:
    """Return whether a value is an array of a dtype that is not NumPy's, or that dtype."""
    dtype = getattr(value, "dtype", value)
    return isinstance(dtype, np.dtype) and dtype.isbuiltin == 2


class _Targets:
    """LazyArrays that a function of NumPy's writes to: it writes to copies of their values."""

    def __init__(self) -> None:
        self._copies: list[tuple[LazyArray, Array]] = []

    def of(self, value: Any) -> Any:
        """Return an output, or those of a tuple, for NumPy; others than LazyArrays are as they are.

        Evaluates LazyArrays.
        """
        if type(value) is tuple:
            return tuple(map(self.of, value))
        if not isinstance(value, LazyArray):
            return value
        copy = value._value("numpy", _REASON).copy("K")
        copy.flags.writeable = value.flags.writeable
        self._copies.append((value, copy))
        return copy

    def write(self) -> None:
        """Write the copies back."""
        for target, copy in self._copies:
            if copy.flags.writeable:
                target[...] = copy

    def shown(self, result: Any) -> Any:
        """Return a result, or those of a tuple, with the LazyArrays in place of their copies."""
        if type(result) is tuple:
            return tuple(map(self.shown, result))
        return next((target for target, copy in self._copies if result is copy), result)
