"""Piecewise functions, angles and functions over axes, against NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.values import assert_same

Array = np.ndarray[Any, Any]


PIECES: dict[str, Callable[[Any], Any]] = {
    "functions": lambda x: np.piecewise(x, [x < 0, x >= 2], [np.negative, np.sqrt]),
    "numbers": lambda x: np.piecewise(x, [x < 0, x >= 2], [-1, 7, 3]),
    "rest": lambda x: np.piecewise(x, [x < 0], [lambda v: v * v, lambda v: v + 10]),
    "overlapping": lambda x: np.piecewise(x, [x < 1, x < 0], [1, np.exp]),
    "one condition": lambda x: np.piecewise(x, x > 0, [lambda v: 1 / v, 0]),
    "arguments": lambda x: np.piecewise(x, [x > 0], [lambda v, k, n=0: v * k + n], 3, n=1),
    "nothing": lambda x: np.piecewise(x, [x > 99], [np.log]),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("name", PIECES)
def test_piecewise(name: str, dtype: Any) -> None:
    x = np.arange(-4, 5).astype(dtype)
    # Of a condition alone, NumPy looks at the first row.
    for operand in (x,) if name == "one condition" else (x, x.reshape(3, 3), x[:0]):
        assert_same(PIECES[name](la.asarray(operand)), PIECES[name](operand), rtol=1e-6)


def test_piecewise_of_one_number() -> None:
    for value in (-1.0, 2.0):
        x = np.array(value)
        expected = np.piecewise(x, [x < 0, x >= 0], [-5, 6])
        assert_same(np.piecewise(la.asarray(x), [x < 0, x >= 0], [-5, 6]), expected)


def test_piecewise_fuses_and_is_silent_about_what_is_not_selected() -> None:
    x = la.asarray(np.arange(-4.0, 5.0))
    y = np.piecewise(x, [x <= 0, x > 0], [0, np.log])
    assert not la.explain(y).fallbacks
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        la.evaluate(y)


def test_piecewise_wants_a_function_for_each_condition() -> None:
    x = la.arange(3.0)
    with pytest.raises(ValueError, match="either 2 or 3 functions"):
        np.piecewise(x, [x > 0, x > 1], [1])


ANGLES = {
    "floats": np.array([0.0, 3.0, 6.5, -2.0, 9.0, 9.0 + np.pi, 1.0, -12.0, 40.0]),
    "single": np.linspace(0, 30, 7).astype(np.float32),
    "table": np.cumsum(np.random.default_rng(0).normal(size=(5, 6)) * 3, axis=1),
    "integers": np.array([0, 3, 2, 1, 9, -7, 30]),
    "one": np.array([2.0]),
    "none": np.zeros((0,)),
}


@pytest.mark.parametrize("name", ANGLES)
def test_unwrap(name: str) -> None:
    x = ANGLES[name]
    options: list[dict[str, Any]] = [{}, {"period": 4}, {"period": 5}, {"discont": 4.0}]
    options += [{"discont": 1.0, "period": 3.5}, *([{"axis": 0}] if x.ndim == 2 else [])]
    for keywords in options:
        expected = np.unwrap(x, **keywords)
        assert_same(np.unwrap(la.asarray(x), **keywords), expected, rtol=1e-6, atol=1e-6)
    assert not la.explain(np.unwrap(la.asarray(ANGLES["table"]))).fallbacks


def test_apply_over_axes() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for axes in (0, [0, 2], (-1, 1), []):
        for function in (np.sum, np.cumsum):
            assert_same(
                np.apply_over_axes(function, la.asarray(x), axes),
                np.apply_over_axes(function, x, axes),
            )
    with pytest.raises(ValueError, match="correct shape"):
        np.apply_over_axes(lambda a, axis: a.sum(), la.asarray(x), [0])


@pytest.mark.host
def test_pieces_of_small_arrays_are_put_together_at_once() -> None:
    a = np.linspace(-3.0, 3.0, 1000)
    with la.config(immediate=4096):
        x = la.array(a)
        got = la.piecewise(x, [x < -1, x > 1], [lambda v: -v, lambda v: v * 2, 0.5])
        assert got._array is not None
        expected = np.piecewise(a, [a < -1, a > 1], [lambda v: -v, lambda v: v * 2, 0.5])
        np.testing.assert_array_equal(np.asarray(got), expected)
        with pytest.raises(la.errors.ShapeError):
            la.piecewise(x, [x < -1, x[:9] > 1], [1, 2, 3])
