"""A function called on ndarrays and on LazyArrays, and its results or errors compared."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la


def bits(array: np.ndarray[Any, Any]) -> bytes:
    """Return the bits of an array, with one NaN for all: whose payload goes on nobody says."""
    if array.dtype.kind in "fc":
        parts = array.reshape(-1).view(array.real.dtype).copy()
        parts[np.isnan(parts)] = np.nan
        return parts.tobytes()
    return array.tobytes()


def _lazy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return la.asarray(value)
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        return [la.asarray(item) for item in value]
    return value


def _values(result: Any) -> list[np.ndarray]:
    if isinstance(result, (tuple, list)):
        return [value for item in result for value in _values(item)]
    if isinstance(result, la.LazyArray):
        value = la.evaluate(result)
        assert type(value) is np.ndarray
        assert value.shape == result.shape
        assert value.dtype == result.dtype
        return [value]
    return [np.asarray(result)]


def _copies(args: tuple[Any, ...]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


_RAISED = (ArithmeticError, LookupError, TypeError, ValueError)


def _categories(error: BaseException) -> set[type]:
    """The built-in exception types that an exception is, leaving NumPy's own ones out."""
    standard = (IndexError, TypeError, ValueError, OverflowError, ZeroDivisionError)
    return {kind for kind in standard if isinstance(error, kind)}


def compare_with_numpy(function: Callable[..., Any], *args: Any, rtol: float = 0.0) -> None:
    """Call a function on ndarrays and on LazyArrays and compare."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = _values(function(*_copies(args)))
        except _RAISED as error:
            reference = error
            expected = None
        lazy = [_lazy(a) for a in _copies(args)]
        if expected is None:
            with pytest.raises(Exception) as caught:
                _values(function(*lazy))
            assert _categories(reference) & _categories(caught.value), (
                f"NumPy: {reference!r}, lazyarr: {caught.value!r}"
            )
            return
        result = function(*lazy)
        assert any(
            isinstance(x, la.LazyArray)
            for x in (result if isinstance(result, (tuple, list)) else [result])
        ), f"not lazy: {type(result)}"
        actual = _values(result)
    assert len(actual) == len(expected)
    for mine, theirs in zip(actual, expected, strict=True):
        assert mine.shape == theirs.shape
        assert mine.dtype == theirs.dtype
        if rtol:
            np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol)
        else:
            np.testing.assert_array_equal(mine, theirs)
