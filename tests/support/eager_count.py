"""NumPy that counts the elements which it computes, to hold lazyarr's counters against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["CountingNumpy"]

_PRODUCTS = (np.matmul, np.vecdot)
_MOVING = frozenset(
    (np.broadcast_to, np.reshape, np.transpose, np.swapaxes, np.expand_dims, np.squeeze, np.shape)
)


class _Counted(np.ndarray[Any, Any]):
    """An array whose operations are counted; what is made of it is such an array too."""

    counter: CountingNumpy

    def __array_finalize__(self, other: Any) -> None:
        if isinstance(other, _Counted):
            self.counter = other.counter

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        out = keywords.get("out")
        if out is not None:
            keywords["out"] = tuple(map(_plain, out))
        if "where" in keywords:
            keywords["where"] = _plain(keywords["where"])
        result = getattr(ufunc, method)(*map(_plain, inputs), **keywords)
        self.counter.elements += _computed(ufunc, method, inputs, result)
        if out is not None:
            return out[0] if len(out) == 1 else out
        return self.counter.watched(result)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        result = super().__array_function__(func, types, args, kwargs)
        if func not in _MOVING and isinstance(result, np.ndarray):
            self.counter.elements += result.size
        return result

    def __getitem__(self, key: Any) -> Any:
        result = super().__getitem__(key)
        if isinstance(result, np.ndarray) and result.base is None:
            self.counter.elements += result.size  # a copy: of a selection, or at indices
        return result

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, _plain(value))
        self.counter.elements += np.size(_plain(self)[key])


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, _Counted) else value


def _computed(ufunc: np.ufunc, method: str, inputs: Any, result: Any) -> int:
    """Return the elements that a call computes; a reduction's are those that it takes in."""
    arrays = [np.asarray(_plain(value)) for value in inputs if value is not None]
    if method != "__call__":
        return arrays[0].size
    size = max(np.size(part) for part in (result if isinstance(result, tuple) else (result,)))
    if ufunc in _PRODUCTS:
        return 2 * size * arrays[0].shape[-1]
    widened = [a.size for a in arrays if a.ndim and a.dtype != np.result_type(*inputs)]
    return size + sum(widened)


class CountingNumpy:
    """The namespace of NumPy, whose arrays count.

    Attributes
    ----------
    elements : int
        Computed so far.
    """

    def __init__(self) -> None:
        self.elements = 0

    def watched(self, value: Any) -> Any:
        """Return an array that counts; numbers and others as they are."""
        if isinstance(value, tuple):
            return tuple(map(self.watched, value))
        if not isinstance(value, np.ndarray):
            return value
        array = value.view(_Counted)
        array.counter = self
        return array

    def __getattr__(self, name: str) -> Any:
        value = getattr(np, name)
        if not callable(value) or isinstance(value, type):
            return value

        def called(*args: Any, **keywords: Any) -> Any:
            function: Callable[..., Any] = value
            return self.watched(function(*args, **keywords))

        return called
