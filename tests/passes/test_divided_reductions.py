"""Reductions over axes that lie apart, in two steps on a GPU, against NumPy."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core import tuning
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuned import tune

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    tune(monkeypatch, tuning, divided_least=0, divided_columns=2, divided_rows=2)
    forget_plans()
    with la.config(device="cuda", cache_dir="off", immediate=0):
        yield
    forget_plans()


def _kernels(*results: la.LazyArray) -> int:
    return len(la.explain(*results).kernels)


def _drawn(shape: tuple[int, ...], dtype: str) -> Array:
    values = np.random.default_rng(len(shape)).standard_normal(shape) * 10
    return (values > 5) if dtype == "?" else values.astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i4", "?"])
@pytest.mark.parametrize("name", ["sum", "min", "max", "any", "all", "mean"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((30, 20, 3), (0, 2)), ((2, 3, 40, 9, 2), (2, 4)), ((5, 1, 8, 4, 1, 2), (0, 2, 4, 5))],
    ids=str,
)
def test_results_are_those_of_numpy(
    shape: tuple[int, ...], axes: tuple[int, ...], name: str, dtype: str
) -> None:
    x = _drawn(shape, dtype)
    expected = getattr(np, name)(x, axis=axes)
    lazy = getattr(la, name)(la.asarray(x), axis=axes)
    assert _kernels(lazy) == 2
    result = np.asarray(lazy)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    if result.dtype.kind == "f":
        exact = getattr(np, name)(x.astype(np.longdouble), axis=axes)
        scale = np.abs(x.astype(np.float64)).sum()
        assert np.abs(result - exact).max() <= np.finfo(result.dtype).eps * (scale / 8 + 1)
    else:
        np.testing.assert_array_equal(result, expected)


def test_nan_and_infinity_pass_both_steps() -> None:
    x = _drawn((30, 20, 3), "f4")
    x[4, 5, 1], x[7, 6, 2], x[8, 7, 0] = np.nan, np.inf, -np.inf
    for name in "sum", "min", "max":
        result = np.asarray(getattr(la.asarray(x), name)(axis=(0, 2)))
        np.testing.assert_allclose(result, getattr(x, name)(axis=(0, 2)), rtol=1e-5)


def test_results_that_are_reduced_again() -> None:
    x = _drawn((30, 20, 3), "f8")
    total = la.asarray(x).sum(axis=(0, 2))
    np.testing.assert_allclose(np.asarray(total.max()), x.sum(axis=(0, 2)).max(), rtol=1e-13)
    np.testing.assert_allclose(np.asarray(total.var()), x.sum(axis=(0, 2)).var(), rtol=1e-13)


def test_what_is_left_in_one_step() -> None:
    x = la.asarray(_drawn((30, 20, 3), "f8"))
    # Deviations and positions have no steps, and extrema share their kernel.
    assert _kernels(la.var(x, axis=(0, 2)) + la.max(x, axis=(0, 2))) == 1
    # Adjacent axes, one axis, deviations in another order, and a long axis at the end.
    assert _kernels(x.sum(axis=(1, 2))) == 1
    assert _kernels(x.sum(axis=0)) == 1
    assert _kernels(x.transpose(2, 1, 0).var(axis=(0, 2))) == 1
    assert _kernels(la.asarray(_drawn((30, 20, 9), "f8")).max(axis=(0, 2))) == 1


def test_other_orders_of_axes_are_divided_in_the_order_of_memory() -> None:
    x = la.asarray(_drawn((30, 20, 3), "f8"))
    assert _kernels(x.transpose(2, 1, 0).max(axis=(0, 2))) == _kernels(x.max(axis=(0, 2))) == 2


def test_the_bits_of_a_sum_follow_from_its_shape() -> None:
    """What else is computed, and how the elements lie in memory, changes none of them."""
    values = _drawn((30, 20, 3), "f4")
    x = la.asarray(values)
    alone = np.asarray(x.sum(axis=(0, 2)))
    beside, _, _ = la.evaluate(x.sum(axis=(0, 2)), x.var(axis=(0, 2)), x.max(axis=(0, 2)))
    turned = la.asarray(np.asfortranarray(values)).sum(axis=(0, 2))
    computed = (x * 1).transpose(2, 1, 0).transpose(2, 1, 0).sum(axis=(0, 2))
    for other in beside, np.asarray(turned), np.asarray(computed):
        assert np.asarray(other).tobytes() == alone.tobytes()


def test_the_bits_of_a_deviation_follow_from_its_shape() -> None:
    for seed in range(5):
        x = la.asarray(np.random.default_rng(seed).standard_normal((89, 19, 5)))
        alone = np.asarray(x.std(axis=(0, 2)))
        beside, _ = la.evaluate(x.std(axis=(0, 2)), x.mean(axis=(0, 2)))
        assert beside.tobytes() == alone.tobytes()


def test_small_arrays_stay_in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    forget_plans()
    assert _kernels(la.asarray(_drawn((30, 20, 3), "f8")).max(axis=(0, 2))) == 1
