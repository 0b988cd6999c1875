"""Results that share values, steps or memory with other results, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.each_device


@pytest.mark.parametrize(("shape", "axis"), [((200_000,), 0), ((3000, 5), 0), ((4, 70_000), 1)])
def test_variance_of_a_value_that_is_a_result_too(shape: tuple[int, ...], axis: int) -> None:
    array = np.random.default_rng(0).normal(size=shape) + 100
    doubled = la.asarray(array) * 2
    got = la.evaluate(doubled, doubled.var(axis=axis), doubled.sum(axis=axis))
    np.testing.assert_array_equal(got[0], array * 2)
    np.testing.assert_allclose(got[1], (array * 2).var(axis=axis), rtol=1e-12)
    np.testing.assert_allclose(got[2], (array * 2).sum(axis=axis), rtol=1e-12)


def test_a_result_twice_with_one_out() -> None:
    x = la.asarray(np.arange(5.0)) + 1
    out = np.empty(5)
    for outs in ([None, out], [out, None]):
        first, second = la.evaluate(x, x, out=outs)
        assert not np.shares_memory(first, second)
        np.testing.assert_array_equal(first, second)
    flipped = np.empty(5)
    first, second = la.evaluate(x, x[::-1], out=[out, None])
    assert first is out and not np.shares_memory(second, out)
    first, second = la.evaluate(x, x[::-1], out=[None, flipped])
    assert second is flipped and not np.shares_memory(first, flipped)


def test_a_result_outlives_the_last_step() -> None:
    array = np.arange(6.0)
    joined = np.concatenate([la.asarray(array), la.asarray(array) + 1])
    first, second = la.evaluate(joined, joined * joined)
    np.testing.assert_array_equal(first, np.concatenate([array, array + 1]))
    np.testing.assert_array_equal(second, first * first)


def test_leaves_that_simplification_drops() -> None:
    array, mask = np.array([1.5, 2.5]), np.array([True, False])
    x, unused = la.asarray(array), la.asarray(mask)
    for y in (np.where(unused, x, x), np.where(la.asarray(True), x, unused)):
        np.testing.assert_array_equal(y.compute(), array)
    np.testing.assert_array_equal(array, [1.5, 2.5])
    np.testing.assert_array_equal(mask, [True, False])


def test_many_counters_behind_a_reduction() -> None:
    array = np.random.default_rng(0).integers(0, 9, (300, 200)).astype(float)
    counter, expected = la.arange(240), array.sum(axis=0)
    result = la.asarray(array).sum(axis=0)
    for start in range(1, 30):
        result = result + counter[start : start + 200] * 2
        expected = expected + np.arange(start, start + 200) * 2
    np.testing.assert_array_equal(result.compute(), expected)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_first_rows_of_what_is_stored_in_another_shape(rows: int) -> None:
    a = np.arange(12.0).reshape(3, 4)

    def first(x: Any) -> Any:
        return np.concatenate([x[:1], x[1:]])[:rows].reshape(2 * rows, 2)

    np.testing.assert_array_equal(la.evaluate(first(la.asarray(a))), first(a))
    out = np.full((2 * rows, 2), -1.0)
    assert la.evaluate(first(la.asarray(a)), out=out) is out
    np.testing.assert_array_equal(out, first(a))
