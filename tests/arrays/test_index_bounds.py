"""Indices out of bounds raise IndexError at their line, in whatever way they are written."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]


def _item(length: int, random: np.random.Generator) -> Any:
    """Return a part of an index, which may be out of bounds by one or two."""
    i = int(random.integers(-length - 2, length + 2))
    choices = [i, np.int64(i), [i], [0, i], np.array([i]), np.array(i), np.array([[0], [i]])]
    choices += [slice(None), slice(i, None), random.random(length) < 0.5, None, Ellipsis]
    return choices[random.integers(len(choices))]


def _read(x: Any, key: Any) -> Any:
    return x[key]


def _write(x: Any, key: Any) -> Any:
    x[key] = 2.0
    return x


def _add(x: Any, key: Any) -> Any:
    x[key] += 1
    return x


def _result(act: Callable[[Any, Any], Any], x: Any, key: Any) -> Any:
    """Return the result of a statement, not computed, or IndexError."""
    with warnings.catch_warnings():
        # Older releases of NumPy warn of an index that selects nothing.
        warnings.filterwarnings("ignore", "Out of bound index found", DeprecationWarning)
        try:
            return act(x, key)
        except IndexError:
            return IndexError


@pytest.mark.host
def test_indices_out_of_bounds_raise_where_numpy_does() -> None:
    random = np.random.default_rng(11)
    raised = 0
    for _ in range(700):
        shape = ((5,), (4, 6), (3, 4, 5), (900,))[random.integers(4)]
        count = random.integers(1, len(shape) + 2)
        lengths = [shape[min(axis, len(shape) - 1)] for axis in range(count)]
        items = [_item(length, random) for length in lengths]
        key = tuple(items) if count > 1 else items[0]
        lazy_items = [
            la.asarray(item) if isinstance(item, np.ndarray) and random.integers(2) else item
            for item in items
        ]
        lazy_key = tuple(lazy_items) if count > 1 else lazy_items[0]
        x = np.arange(float(np.prod(shape))).reshape(shape)
        act = (_read, _write, _add)[random.integers(3)]
        most = (0, 4096)[random.integers(2)]
        with la.config(immediate=most, implicit="allow"):
            lazy = la.array(x)
            if random.integers(2):
                lazy = lazy * 1
            result, expected = _result(act, lazy, lazy_key), _result(act, x, key)
            if expected is IndexError:
                raised += 1
                assert result is IndexError, (shape, key, act)
            elif most:  # other files compare what kernels choose
                np.testing.assert_array_equal(np.asarray(result), expected)
    assert raised > 100


def test_the_error_names_the_axis() -> None:
    x = la.zeros((4, 6))
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 1 with size 6"):
        x[([0], 6)] = 2.0
