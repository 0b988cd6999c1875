"""Losses of numbers against their formulas, with masks, and of infinite differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import lazyarr as la
from lazyarr import nn

TOLERANCE = {"float16": 3e-3, "float32": 3e-6, "float64": 1e-13}


def _huber(d: Any, width: float) -> Any:
    size = np.abs(d)
    return np.where(size <= width, d**2 / 2, width * (size - width / 2))


LOSSES: dict[str, tuple[Callable[..., Any], Callable[[Any], Any]]] = {
    "mean_squared_error": (nn.mean_squared_error, np.square),
    "mean_absolute_error": (nn.mean_absolute_error, np.abs),
    "huber_loss": (lambda *x, **y: nn.huber_loss(*x, delta=2.0, **y), lambda d: _huber(d, 2.0)),
    "smooth_l1_loss": (
        lambda *x, **y: nn.smooth_l1_loss(*x, beta=0.5, **y),
        lambda d: _huber(d, 0.5) / 0.5,
    ),
    "smooth_l1_loss, beta 0": (lambda *x, **y: nn.smooth_l1_loss(*x, beta=0, **y), np.abs),
}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_formula(name: str, dtype: str, data: st.DataObject) -> None:
    function, formula = LOSSES[name]
    shape = data.draw(hnp.array_shapes(max_dims=2, max_side=4))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x, y = (2 * random.standard_normal((2, *shape))).astype(dtype)
    mask = random.random(shape) < 0.7
    losses = formula(x.astype(float) - y.astype(float))
    close = {"rtol": 5 * TOLERANCE[dtype], "atol": 5 * TOLERANCE[dtype]}
    each = function(x, y, reduction="none")
    assert each.dtype == dtype
    np.testing.assert_allclose(each.compute(), losses, **close)
    np.testing.assert_allclose(function(x, y).compute(), losses.mean(), **close)
    result = function(x, y, where=mask, reduction="sum").compute()
    np.testing.assert_allclose(result, losses[mask].sum(), **close)
    result = function(x, y, where=mask).compute()
    np.testing.assert_allclose(result, losses[mask].sum() / max(mask.sum(), 1), **close)


@pytest.mark.parametrize("name", LOSSES)
def test_shapes_that_differ_are_refused(name: str) -> None:
    with pytest.raises(la.errors.ShapeError, match=r"targets have shape \(2,\), the predictions"):
        LOSSES[name][0](np.zeros((2, 1)), np.zeros(2))


@pytest.mark.parametrize("name", LOSSES)
def test_of_nothing_the_sum_is_zero(name: str) -> None:
    function, _ = LOSSES[name]
    assert function(np.zeros((0, 3)), np.zeros((0, 3)), reduction="sum").compute() == 0
    slope = la.grad(lambda x: function(x, np.zeros((0, 3)), reduction="sum"))(np.zeros((0, 3)))
    assert slope.compute().shape == (0, 3)


@pytest.mark.parametrize("name", ["huber_loss", "smooth_l1_loss", "mean_absolute_error"])
def test_infinite_and_huge_differences_have_a_slope(name: str) -> None:
    function, _ = LOSSES[name]
    limit = 2.0 if name == "huber_loss" else 1.0
    x = np.array([np.inf, -np.inf, 1e200, -1e200])
    loss, slope = la.evaluate(
        *la.value_and_grad(lambda x: function(x, np.zeros(4), reduction="sum"))(x)
    )
    assert loss == np.inf
    np.testing.assert_array_equal(slope, limit * np.sign(x))


def test_numbers_that_are_refused() -> None:
    x = np.zeros(2)
    for delta in (0.0, -1.0, np.nan):
        with pytest.raises(la.errors.ArgumentError, match="delta must be positive"):
            nn.huber_loss(x, x, delta=delta)
    for beta in (-1.0, np.nan):
        with pytest.raises(la.errors.ArgumentError, match="beta must not be negative"):
            nn.smooth_l1_loss(x, x, beta=beta)
    with pytest.raises(la.errors.ArgumentError, match="reduction"):
        nn.huber_loss(x, x, reduction="batchmean")
