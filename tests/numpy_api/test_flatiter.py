"""Indices of ``x.flat`` that are none of a vector, against NumPy's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la

KEYS: list[Any] = [
    np.ones(9, bool),
    np.ones(10, bool),
    [True, False],
    [1.0],
    [1.0, 2.0],
    1.0,
    "a",
    (1, 2),
    [[1], [2]],
    20,
    [20],
    [],
]


def _outcome(x: Any, key: Any, write: bool) -> tuple[Any, list[type]]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            if write:
                x.flat[key] = 10
            result: Any = np.asarray(x if write else x.flat[key]).tolist()
        except IndexError as error:
            result = str(error).partition("\n")[0]
    return result, [warning.category for warning in seen]


@pytest.mark.parametrize("key", KEYS, ids=repr)
@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("immediate", [0, 4096])
def test_indices_mean_and_are_refused_as_in_numpy(key: Any, write: bool, immediate: int) -> None:
    values = np.arange(9.0).reshape(3, 3)
    with la.config(immediate=immediate):
        result = _outcome(la.array(values), key, write)
    assert result == _outcome(values.copy(), key, write)
