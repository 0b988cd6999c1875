"""Lists of integers as indices into arrays in memory: as NumPy's, and remembered as they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la


@pytest.fixture(autouse=True)
def small_arrays_run_at_once() -> Iterator[None]:
    with la.config(immediate=4096):
        yield


KEYS: list[Any] = [
    [1, 3],
    [-1, 0, 2],
    [[0, 1], [2, 3]],
    [],
    [True, False, True, False, True],
    [np.int64(2), 1],
    ([1, 2], 0),
    ([1, 2], slice(None, 3)),
    (slice(1, 4), [0, -2]),
    ([0, 1], [2, 3]),
    (None, [2]),
    (..., [1, 1]),
    ([4, 3], ...),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
@pytest.mark.parametrize("dtype", ["float64", "int32", "complex64", "bool"])
def test_reads_and_writes_are_numpys(key: Any, dtype: str) -> None:
    values = (np.arange(30).reshape(5, 6) % 7).astype(dtype)
    x, expected = la.asarray(values.copy()), values.copy()
    part = x[key]
    np.testing.assert_array_equal(np.asarray(part), expected[key])
    assert part.dtype == expected.dtype
    x[key] = x[key][::-1].copy()
    expected[key] = expected[key][::-1].copy()
    np.testing.assert_array_equal(np.asarray(x), expected)
    x[key] = 1
    expected[key] = 1
    np.testing.assert_array_equal(np.asarray(x), expected)
    np.testing.assert_array_equal(np.asarray(part), values[key])


def test_rows_are_exchanged() -> None:
    x, expected = la.asarray(np.arange(12.0).reshape(4, 3)), np.arange(12.0).reshape(4, 3)
    for i, k in ((0, 2), (1, 3), (2, 2)):
        x[[i, k]] = x[[k, i]]
        expected[[i, k]] = expected[[k, i]]
        x[[i, k], :2] = x[[k, i], :2]
        expected[[i, k], :2] = expected[[k, i], :2]
    np.testing.assert_array_equal(np.asarray(x), expected)


@pytest.mark.parametrize("key", [[5], [-6, 0], ([0, 1, 2], [0, 1]), [1.5], [10**30]])
def test_indices_out_of_bounds_are_refused(key: Any) -> None:
    x = la.asarray(np.ones((5, 6)))
    with pytest.raises(IndexError):
        np.asarray(x[key])
    with pytest.raises(IndexError):
        x[key] = 2.0
    np.testing.assert_array_equal(np.asarray(x), np.ones((5, 6)))


def test_what_is_remembered_of_a_list_is_what_it_was() -> None:
    x = la.asarray(np.arange(6.0)) * 1.0
    key, both = [1, 2], ([0, 3],)
    one, two = x[key], x[both]
    key[0] = 5
    both[0][0] = 5
    with la.config(immediate=0):
        la.explain(one + two)
        assert np.asarray(one + two).tolist() == [1.0, 5.0]
    assert la.evaluate(one).tolist() == [1.0, 2.0]


def test_a_list_of_many_indices_gives_what_an_array_of_them_gives() -> None:
    own = np.random.default_rng(0)
    values, places = own.random(3_000), own.integers(-3_000, 3_000, 20_000)
    part = la.asarray(values)[places.tolist()]
    np.testing.assert_array_equal(np.asarray(part), values[places])


def test_integers_that_were_computed_are_taken_like_others() -> None:
    values = np.random.default_rng(1).random((6, 6))
    x: Any = la.asarray(values.copy())
    expected: Any = values.copy()
    for k in range(5):
        i, there = k + np.argmax(np.abs(x[k:, k])), k + np.argmax(np.abs(expected[k:, k]))
        x[[k, i]] = x[[i, k]]
        expected[[k, there]] = expected[[there, k]]
        x[[k, i], :k] = x[[i, k], :k] * 2.0
        expected[[k, there], :k] = expected[[there, k], :k] * 2.0
    np.testing.assert_array_equal(np.asarray(x), expected)


@pytest.mark.parametrize("item", [True, np.True_, 1.0, la.asarray(np.array(1.0))])
def test_lists_of_other_items_are_as_numpys(item: Any) -> None:
    values = np.arange(6.0)
    key = [item, item, item, item, item, item]
    theirs: Any = [np.asarray(item)[()]] * 6 if isinstance(item, la.LazyArray) else key
    try:
        expected = values[theirs]
    except IndexError:
        with pytest.raises(IndexError):
            np.asarray(la.asarray(values)[key])
        return
    np.testing.assert_array_equal(np.asarray(la.asarray(values)[key]), expected)


@pytest.mark.parametrize(
    "index", [[[1, 0], 2], [[0, 1], [2]], [[1], None], [slice(1), [0]]], ids=str
)
def test_lists_of_several_lengths_are_refused_as_arrays_of_them_are(index: list[Any]) -> None:
    x = la.zeros((3, 4))
    for key in (index, (0, index)):
        with pytest.raises(ValueError, match="inhomogeneous shape"):
            x[key]
        with pytest.raises(ValueError, match="inhomogeneous shape"):
            x[key] = 1
