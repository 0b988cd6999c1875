"""Expressions that once went wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

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
    result = np.power(la.asarray(array), half).compute()
    expected = np.power(array, np.full(3, 0.5))
    # A GPU's power may be off by two last places.
    places = 2 if la.get_config().device == "cuda" else 0
    np.testing.assert_array_max_ulp(result, expected, places)
    np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


def test_vector_functions_of_a_constant() -> None:
    array = np.linspace(0.5, 9, 100)
    x = la.asarray(array)
    got = la.evaluate(np.arctan2(x, 1.0), np.hypot(2.0, x), np.arctan2(0.5, x))
    expected = np.arctan2(array, 1.0), np.hypot(2.0, array), np.arctan2(0.5, array)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-15)


def test_reshape_of_memory_in_another_order() -> None:
    array = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    for operand in (array, np.broadcast_to(array[0], (3, 4)), array + 1j):
        x = la.asarray(operand)
        flat, total, joined = la.evaluate(
            x.reshape(-1), x.reshape(2, 6).sum(axis=1), np.concatenate([x.ravel(), x.ravel() * 2])
        )
        np.testing.assert_array_equal(flat, operand.reshape(-1))
        np.testing.assert_array_equal(total, operand.reshape(2, 6).sum(axis=1))
        np.testing.assert_array_equal(
            joined, np.concatenate([operand.ravel(), operand.ravel() * 2])
        )


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


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "cumsum", "var"])
@pytest.mark.parametrize("kind", ["d", "b", "D"])
def test_reductions_in_booleans_and_complex_numbers(name: str, kind: str) -> None:
    array = np.array([[0, 2, 0], [-1, 3, 5]]).astype(kind)
    for dtype in (bool, np.complex64):
        if name == "var" and dtype is bool:
            continue
        expected = getattr(np, name)(array, axis=0, dtype=dtype)
        got = getattr(np, name)(la.asarray(array), axis=0, dtype=dtype).compute()
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "nansum", "nanmax"])
def test_reductions_without_nan_over_no_axis(name: str) -> None:
    array = np.array([[1.0, np.nan], [3.0, 4.0]])
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = getattr(np, name)(array, axis=())
        np.testing.assert_array_equal(getattr(la, name)(array, axis=()).compute(), expected)
        for axis in (None, 0, -1):
            assert getattr(la, name)(np.array(3.5), axis=axis).compute() == getattr(np, name)(3.5)


def test_numpy_functions_that_only_ask() -> None:
    array = np.ones((2, 3), np.float32)
    x = la.asarray(array)
    assert np.shape(x) == (2, 3) and np.ndim(x) == 2 and np.size(x) == 6 and np.size(x, 1) == 3
    assert np.result_type(x, np.float64) == np.float64
    assert np.result_type(x, 2.0) == np.float32
    assert np.can_cast(x.dtype, np.float64)
    np.testing.assert_allclose(
        np.geomspace(x, 8 * x, 4).compute(), np.geomspace(array, 8 * array, 4)
    )


def test_clip_to_integers_beyond_the_dtype() -> None:
    array = np.array([-5, 100], np.int8)
    x = la.asarray(array)
    for low, high in ((0, 300), (-1000, 5), (-128, 127), (None, 1 << 70)):
        np.testing.assert_array_equal(np.clip(x, low, high).compute(), np.clip(array, low, high))
    with pytest.raises(OverflowError):
        np.clip(x, 300, 400)


@pytest.mark.parametrize("function", [np.sum, np.mean, np.argmin, np.nanvar, np.cumsum])
def test_an_axis_that_is_no_integer(function: Callable[..., object]) -> None:
    for array in (np.ones((2, 3)), np.array(1.0)):
        for axis in ("a", 1.5):
            with pytest.raises(TypeError):
                function(array, axis=axis)
            with pytest.raises(TypeError, match="must be an integer"):
                function(la.asarray(array), axis=axis)
    with pytest.raises(TypeError):
        np.argmax(la.ones((2, 2)), axis=(0, 1))


def test_result_type_computes_nothing() -> None:
    x = la.asarray(np.ones(3, np.float32)) * 2
    with la.config(implicit="raise"):
        assert np.result_type(x, 1.0) == la.result_type(x, np.float32) == np.float32


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_first_rows_of_what_is_stored_in_another_shape(rows: int) -> None:
    a = np.arange(12.0).reshape(3, 4)

    def first(x: Any) -> Any:
        return np.concatenate([x[:1], x[1:]])[:rows].reshape(2 * rows, 2)

    np.testing.assert_array_equal(la.evaluate(first(la.asarray(a))), first(a))
    out = np.full((2 * rows, 2), -1.0)
    assert la.evaluate(first(la.asarray(a)), out=out) is out
    np.testing.assert_array_equal(out, first(a))
