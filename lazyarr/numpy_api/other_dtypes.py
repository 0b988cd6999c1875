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
from lazyarr.errors import LazyarrError, UnsupportedDTypeError
from lazyarr.numpy_api.library_calls import compute_now
from lazyarr.ops.markers import is_differentiated
from lazyarr.tracing import REFUSALS

__all__ = ["computed_by_numpy"]

#: Of the dtype of objects.
_OBJECT_NAMES = frozenset(("O", "|O", "object", "object_"))
_REASON = "NumPy computes with its dtype"


def computed_by_numpy(
    error: UnsupportedDTypeError,
    theirs: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    """Return NumPy's result of a public function that met a dtype which lazyarr has not.

    Parameters
    ----------
    error : UnsupportedDTypeError
        That of the call.
    theirs : callable
        NumPy's function of the same arguments.
    args, keywords : tuple and dict
        The arguments.

    Returns
    -------
    object
        NumPy's arrays of such dtypes, and LazyArrays of others. NotImplemented if the error stays:
        where NumPy refuses the arguments or would write to a LazyArray, where a derivative passes,
        within another call, and where NumPy would make an array of objects that nobody asked for.
    """
    if is_within_a_call():
        return NotImplemented
    values = [*_items((*args, *keywords.values()))]
    if any(map(_is_of_another_library, values)):
        return NotImplemented
    are_asked_for = any(map(_is_of_objects, values))
    if error.dtype == np.object_ and not are_asked_for:
        return NotImplemented
    arrays = [value for value in values if isinstance(value, LazyArray)]
    if is_differentiated([array._node for array in arrays]):
        return NotImplemented
    outputs = [*_items((keywords.get("out"),))]
    if any(isinstance(output, LazyArray) for output in outputs):
        return NotImplemented
    try:
        result = _computed(theirs, args, keywords)
    except REFUSALS as other:
        if isinstance(other, LazyarrError):  # of the evaluation of an argument
            raise
        return NotImplemented  # the error of the call is raised, in NumPy's words
    has_objects = any(map(_is_of_objects, _items((result,))))
    return NotImplemented if has_objects and not are_asked_for else result


def _computed(theirs: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return NumPy's result, which is the output itself where there is one."""
    options = dict(keywords)
    out = options.pop("out", None)
    results: list[Any] = []
    line = origin()

    @functools.wraps(theirs, updated=())
    def call(*values: Any, **named: Any) -> Any:
        if out is not None:
            named["out"] = out
        result = called_at(line, theirs, values, named)
        if any(result is value for value in _items(values)):
            results.append(result)  # one of the arguments, as it is
        return result

    call.__module__ = getattr(theirs, "__module__", None) or "numpy"
    computed = compute_now(call, args, options, _REASON)
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


def _is_of_objects(value: Any) -> bool:
    """Return whether a value is an array of objects, or their dtype."""
    kind = getattr(value, "dtype", value)
    if isinstance(kind, np.dtype):
        return kind.type is np.object_
    if isinstance(kind, type):
        return kind in (object, np.object_)
    return isinstance(kind, str) and kind in _OBJECT_NAMES
