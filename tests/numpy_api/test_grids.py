"""Grids of few elements, and ``r_`` and ``c_`` of arrays in memory: NumPy makes them at once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la

pytestmark = pytest.mark.host


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("name", ["r_", "c_"])
def test_arrays_and_numbers_are_joined(immediate: int, name: str) -> None:
    a = np.arange(6.0)
    with la.config(immediate=immediate):
        x = la.array(a)
        keys: list[tuple[Any, Any]] = [
            ((0, a), (0, x)),
            ((np.inf, a[1:]), (np.inf, x[1:])),
            ((a, np.float32(2)), (x, np.float32(2))),
            ((a[:1], np.arange(3), a[::-2]), (x[:1], np.arange(3), x[::-2])),
            ((True, a[:2] > 0), (True, x[:2] > 0)),
            (a[2:4], x[2:4]),
            (slice(0, 5, 2j), slice(0, 5, 2j)),
        ]
        if name == "c_":
            keys = [(a, x), ((a, a + 1), (x, x + 1))]
        for of_numpy, key in keys:
            expected, got = getattr(np, name)[of_numpy], getattr(la, name)[key]
            np.testing.assert_array_equal(np.asarray(got), expected)
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            assert immediate == 0 or got._array is not None
            got[...] = 9
            np.testing.assert_array_equal(np.asarray(x), a)


_NUMBERS = st.one_of(
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from([0, -1, 2**63 - 1, -(2**63), 2**63, 2**64]),
    st.floats(),
    st.sampled_from([1j, np.float32(1.5), np.float64(-0.0), np.int64(3), np.bool_(True)]),
)
_VECTORS = st.tuples(st.sampled_from("?bilLfdFD"), st.integers(1, 5), st.booleans()).map(
    lambda row: (np.arange(row[1]) % 2).astype(row[0])[:: -1 if row[2] else 1]
)


@given(items=st.lists(st.one_of(_NUMBERS, _VECTORS), min_size=1, max_size=5))
def test_numbers_and_vectors_are_joined_as_numpy_joins_them(items: list[Any]) -> None:
    def joined(module: Any, key: tuple[Any, ...]) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                return np.asarray(module.r_[key])
            except (OverflowError, TypeError, RuntimeWarning) as error:
                return type(error)

    key = tuple([la.array(x) if isinstance(x, np.ndarray) else x for x in items])
    with la.config(immediate=4096):
        expected, got = joined(np, tuple(items)), joined(la, key)
    if isinstance(expected, np.ndarray) and expected.dtype != object:
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        assert got.tobytes() == expected.tobytes()


def test_middle_sizes_are_joined_at_once() -> None:
    x = la.array(np.arange(100_000) % 3)
    with la.config(immediate=4096):
        joined = la.r_[True, x[1:] != x[:-1]]
        assert joined._array is not None
    expected = np.asarray(x)
    np.testing.assert_array_equal(joined, np.r_[True, expected[1:] != expected[:-1]])


@pytest.mark.parametrize("immediate", [0, 4096])
def test_grids_are_numpys(immediate: int) -> None:
    keys: list[Any] = [
        (slice(3), slice(4)),
        (slice(None, 3, None), slice(1, 4), slice(2)),
        (slice(0, 1, 3j), slice(2)),
        (slice(3), slice(0)),
        (slice(2.5), slice(3)),
        slice(4),
        (slice(400), slice(500)),
    ]
    with la.config(immediate=immediate):
        for key in keys:
            expected, got = np.mgrid[key], la.mgrid[key]
            np.testing.assert_array_equal(np.asarray(got), expected)
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        y, x = la.mgrid[:3, :4]
        y[0] = 7
        np.testing.assert_array_equal(np.asarray(x), np.mgrid[:3, :4][1])


@pytest.mark.parametrize("immediate", [0, 16384])
def test_joined_numbers_and_arrays_are_differentiated(immediate: int) -> None:
    x, weights = la.asarray(np.arange(1.0, 4.0)), np.arange(6.0)
    with la.config(immediate=immediate):
        joined = la.grad(lambda x: (la.r_[x * 2, x] * weights).sum())(x)
        columns = la.grad(lambda x: (la.c_[x * x, x] * weights.reshape(3, 2)).sum())(x)
        np.testing.assert_array_equal(joined, 2 * weights[:3] + weights[3:])
        np.testing.assert_array_equal(columns, 2 * np.arange(1.0, 4.0) * [0, 2, 4] + [1, 3, 5])


def lazy(blocks: Any) -> Any:
    if isinstance(blocks, (list, tuple)):
        return type(blocks)(map(lazy, blocks))
    return la.asarray(blocks)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_of_blocks() -> None:
    a, b = np.arange(4).reshape(2, 2), np.ones((2, 1))
    named = {"a": la.asarray(a), "b": la.asarray(b)}
    for obj in ([a, b], [[a, b], [a, b]], (a, a), a):
        own = lazy(obj)
        result, expected = la.bmat(own), np.bmat(obj)
        assert type(result) is np.matrix
        np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(la.bmat("a, b; a, b"), np.bmat("a, b; a, b"))
    np.testing.assert_array_equal(la.bmat("b, a", named, {}), np.bmat("b, a"))
    with pytest.raises(NameError):
        la.bmat("a, missing")
