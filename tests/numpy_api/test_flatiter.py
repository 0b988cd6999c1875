"""Indices of ``x.flat`` that are none of a vector, against NumPy's."""

from __future__ import annotations

import operator
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
    [True] * 9,
    [[True] * 9],
    [True, 1],
    (2,),
    (None, 1),
    (...,),
    (True,),
    (np.False_,),
    (np.array(True),),
    ((),),
    ((1, 2),),
    ([1, 2],),
    (1.5,),
    True,
    np.array(False),
    np.array(4),
]


def _outcome(x: Any, key: Any, write: bool, value: Any = 10) -> tuple[Any, list[type]]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            if write:
                x.flat[key] = value
            result: Any = np.asarray(x if write else x.flat[key]).tolist()
        except (IndexError, ValueError) as error:
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


@pytest.mark.parametrize("key", [1, (1,), np.array(3), -1, np.int8(2), slice(1, 2), [1]], ids=repr)
def test_one_element_takes_one_value(key: Any) -> None:
    values = np.arange(9.0).reshape(3, 3)
    result = _outcome(la.array(values), key, True, [7, 8])
    assert result == _outcome(values.copy(), key, True, [7, 8])


def test_elements_cannot_be_deleted() -> None:
    x = la.arange(4)
    with pytest.raises(TypeError, match="Cannot delete iterator elements"):
        del x.flat[1]
    with pytest.raises((ValueError, AttributeError)):
        del x[1]
    for name in ("index", "base", "coords"):
        with pytest.raises(AttributeError):
            setattr(x.flat, name, 1)


def test_gathers_beyond_all_addresses_are_refused() -> None:
    x = la.ones((3,) * 5)
    places = np.zeros(7132, int)
    with pytest.raises(ValueError, match="array is too big"):
        x[np.ix_(*[places] * 5)]


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons_are_of_each_element(name: str, immediate: int) -> None:
    compare = getattr(operator, name)
    x = np.arange(6).reshape(2, 3).T
    with la.config(immediate=immediate):
        mine = la.array(x)
        for theirs, ours in (
            (2, 2),
            (np.arange(6)[::-1], la.arange(6)[::-1]),
            ([3, 1, 4, 1, 5, 9], [3, 1, 4, 1, 5, 9]),
            (x.flat, mine.flat),
        ):
            expected = compare(x.flat, theirs)
            result = compare(mine.flat, ours)
            assert isinstance(result, la.LazyArray)
            np.testing.assert_array_equal(np.asarray(result), expected)
        np.testing.assert_array_equal(
            np.asarray(compare(mine.reshape(-1), mine.flat)), compare(x.reshape(-1), x.flat)
        )
        assert mine[mine.flat[0] == mine].tolist() == x[x.flat[0] == x].tolist()
    with pytest.raises(TypeError, match="unhashable"):
        hash(mine.flat)
