"""Expressions that once went wrong."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la


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


def test_complex_times_one() -> None:
    array = np.array([complex(np.inf, 0), complex(1, -0.0)])
    with np.errstate(invalid="ignore"):
        got, expected = (la.asarray(array) * 1).compute(), array * 1
    np.testing.assert_array_equal(got.view(np.int64), expected.view(np.int64))


def test_power_of_many_halves_is_no_root() -> None:
    array = np.array([-np.inf, -0.0, 2.0])
    half = la.full(3, 0.5)
    np.testing.assert_array_equal(
        np.power(la.asarray(array), half).compute(), np.power(array, np.full(3, 0.5))
    )


def test_vector_functions_of_a_constant() -> None:
    array = np.linspace(0.5, 9, 100)
    x = la.asarray(array)
    got = la.evaluate(np.arctan2(x, 1.0), np.hypot(2.0, x), np.arctan2(0.5, x))
    expected = np.arctan2(array, 1.0), np.hypot(2.0, array), np.arctan2(0.5, array)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-15)


def test_reshape_of_memory_in_another_order() -> None:
    array = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    for given in (array, np.broadcast_to(array[0], (3, 4)), array + 1j):
        x = la.asarray(given)
        flat, total, joined = la.evaluate(
            x.reshape(-1), x.reshape(2, 6).sum(axis=1), np.concatenate([x.ravel(), x.ravel() * 2])
        )
        np.testing.assert_array_equal(flat, given.reshape(-1))
        np.testing.assert_array_equal(total, given.reshape(2, 6).sum(axis=1))
        np.testing.assert_array_equal(joined, np.concatenate([given.ravel(), given.ravel() * 2]))


def test_a_result_outlives_the_last_step() -> None:
    array = np.arange(6.0)
    joined = np.concatenate([la.asarray(array), la.asarray(array) + 1])
    first, second = la.evaluate(joined, joined * joined)
    np.testing.assert_array_equal(first, np.concatenate([array, array + 1]))
    np.testing.assert_array_equal(second, first * first)


def test_windows_beside_an_empty_axis() -> None:
    window = np.lib.stride_tricks.sliding_window_view
    assert window(la.zeros((0, 4)), 2, axis=1).shape == (0, 3, 2)


def test_leaves_that_simplification_drops() -> None:
    array, mask = np.array([1.5, 2.5]), np.array([True, False])
    x, unused = la.asarray(array), la.asarray(mask)
    for y in (np.where(unused, x, x), np.where(la.asarray(True), x, unused)):
        np.testing.assert_array_equal(y.compute(), array)
    np.testing.assert_array_equal(array, [1.5, 2.5])
    np.testing.assert_array_equal(mask, [True, False])


@pytest.mark.parametrize(("shape", "axis"), [((0, 0), 0), ((2, 0, 0), 1), ((0, 3), 0)])
def test_extremes_of_nothing(shape: tuple[int, ...], axis: int) -> None:
    for function in (np.max, np.min, np.ptp):
        with pytest.raises(ValueError, match="zero-size array"):
            function(la.zeros(shape), axis=axis)
    assert np.max(la.zeros((0, 3)), axis=1).shape == (0,)


def test_many_counters_behind_a_reduction() -> None:
    array = np.random.default_rng(0).integers(0, 9, (300, 200)).astype(float)
    counter, expected = la.arange(240), array.sum(axis=0)
    result = la.asarray(array).sum(axis=0)
    for start in range(1, 30):
        result = result + counter[start : start + 200] * 2
        expected = expected + np.arange(start, start + 200) * 2
    np.testing.assert_array_equal(result.compute(), expected)


def test_shape_of_a_lazy_array_through_numpy() -> None:
    x = la.asarray(np.ones((2, 3)))
    with la.config(implicit="raise"):
        assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == ((2, 3), 2, 6, 3)
        assert (la.shape(x), la.ndim(x), la.size(x)) == ((2, 3), 2, 6)
