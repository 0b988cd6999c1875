"""Windows and repetitions of arrays in memory: NumPy's views and values, without expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import fields

windows = np.lib.stride_tricks.sliding_window_view


@pytest.fixture(autouse=True)
def at_once() -> Any:
    with la.config(immediate=4096, implicit="allow"):
        yield


@pytest.mark.parametrize("seed", range(60))
def test_windows_are_numpys(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(1, 9, random.integers(1, 4)))
    x = random.normal(size=shape)
    axes = tuple(int(k) for k in random.integers(-len(shape), len(shape), random.integers(1, 3)))
    sizes = tuple(int(n) for n in random.integers(1, 4, len(axes)))
    arguments: tuple[Any, ...] = (sizes, axes)
    if random.integers(2):
        arguments = (int(random.integers(1, 4)), int(axes[0]))
    try:
        expected = windows(x, *arguments)
    except ValueError:
        with pytest.raises(ValueError, match="window"):
            windows(la.array(x), *arguments)
        return
    lazy = la.array(x)
    for source in (lazy, la.asarray(x), lazy[::-1], lazy.T[None][0].T):
        got = windows(source, *arguments)
        np.testing.assert_array_equal(np.asarray(got), windows(np.asarray(source), *arguments))
        assert not got.flags.writeable
    got = windows(lazy, *arguments)
    assert got.strides == expected.strides
    lazy[(0,) * lazy.ndim] = 7.0
    np.testing.assert_array_equal(np.asarray(got), windows(np.asarray(lazy), *arguments))


def test_windows_that_are_written_to_are_the_array() -> None:
    x = np.arange(20.0).reshape(4, 5)
    lazy, expected = la.array(x), x.copy()
    for array in (lazy, expected):
        windows(array, (2, 3), writeable=True)[1, 1] = -1.0
    np.testing.assert_array_equal(np.asarray(lazy), expected)
    with pytest.raises(ValueError, match="read-only"):
        windows(lazy, 2, 0)[0] = 1.0
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        windows(la.asarray(x), 2, 0)[0] = 1.0


def test_windows_of_few_elements_are_no_expressions() -> None:
    got = windows(la.array(np.arange(9.0)), 3)
    assert fields.COMPILED is None or got._array is not None
    assert got.base is not None


@pytest.mark.parametrize("size", [300, 70_000])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_elements_are_repeated_as_often_as_an_array_says(size: int, axis: int | None) -> None:
    random = np.random.default_rng(size)
    x = random.normal(size=(size, 3))
    length = x.size if axis is None else x.shape[axis]
    for counts in (random.integers(0, 4, length), random.integers(1, 3, length, dtype=np.int32)):
        expected = np.repeat(x, counts, axis)
        for values in (la.array(x), la.asarray(x), la.asarray(x) * 1.0):
            for times in (la.asarray(counts), counts, la.asarray(counts) + 0):
                got = la.repeat(values, times, axis)
                np.testing.assert_array_equal(np.asarray(got), expected)
    with pytest.raises(ValueError, match="negative"):
        la.repeat(la.array(x), la.array(np.full(length, -1)), axis).compute()


def test_repetitions_are_no_gathers_of_places() -> None:
    counts = np.random.default_rng(0).integers(0, 4, 200_000)
    got = la.repeat(la.asarray(np.arange(200_000)), la.asarray(counts))
    assert fields.COMPILED is None or got._array is not None


def test_repetitions_are_differentiated() -> None:
    x, counts = np.arange(1.0, 4.0), np.array([2, 0, 3])
    gradient = la.grad(lambda x: (la.repeat(x, counts) ** 2).sum())(x)
    np.testing.assert_allclose(np.asarray(gradient), 2 * x * counts)
