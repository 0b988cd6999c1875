"""Reductions down columns and of long rows in random shapes: the kernels run on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.device_tilings import ColumnTiling
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuning_rows import use_row

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    forget_plans()
    with la.config(device="cuda", cache_dir="off"):
        yield
    forget_plans()


COMPUTED: dict[str, Callable[[Any, Array, Any], Any]] = {
    "max and var": lambda xp, a, k: xp.max(a, k) + xp.var(a, k),
    "sum of squares": lambda xp, a, k: xp.sum(a * a, k) * 2 + 1,
    "norm": lambda xp, a, k: a / xp.sqrt(xp.sum(a * a, k, keepdims=True)),
    "mean of all and min": lambda xp, a, k: xp.min(a, k) - xp.mean(xp.abs(a), k),
    "cumulated": lambda xp, a, k: xp.cumsum(2 * a - 1, k) / 2,
    "softmax": lambda xp, a, k: (
        xp.exp(a - xp.max(a, k, keepdims=True))
        / xp.sum(xp.exp(a - xp.max(a, k, keepdims=True)), k, keepdims=True)
    ),
}


def _check(values: Array, axis: Any, name: str, *, turned: bool = False) -> None:
    ordered = np.asfortranarray(values) if turned else values
    result = la.evaluate(COMPUTED[name](la, la.asarray(ordered), axis))
    expected = COMPUTED[name](np, values.astype("f8"), axis)
    close = 3e-5 if values.dtype == "f4" else 1e-11
    np.testing.assert_allclose(result, expected, rtol=close, atol=close)


@pytest.mark.parametrize("seed", range(30))
def test_short_axes_in_front_of_others(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng([seed, 21])
    if seed % 2:  # as if there were many columns
        use_row(monkeypatch, tuning, column_many=1)
    rank = int(random.integers(2, 5))
    shape = [int(random.integers(1, 12)) for _ in range(rank)]
    axis = int(random.integers(rank - 1))
    shape[axis] = int(random.integers(2, 34))
    shape[-1] = int(random.choice([1, 2, 5, 8, 36, 270]))
    dtype = str(random.choice(["f4", "f8"]))
    name = list(COMPUTED)[seed % len(COMPUTED)]
    _check(random.random(shape).astype(dtype) + 1, axis, name, turned=seed % 5 == 0)


@pytest.mark.parametrize("seed", range(12))
def test_columns_that_fill_no_warp(seed: int) -> None:
    random = np.random.default_rng([seed, 22])
    columns = [int(random.choice([3, 10, 39, 156, 41])), int(random.choice([1, 4]))]
    shape = (int(random.integers(40, 900)), *columns)
    dtype = str(random.choice(["f4", "f8"]))
    _check(random.random(shape).astype(dtype), 0, list(COMPUTED)[seed % 4])


@pytest.mark.parametrize("seed", range(8))
def test_long_rows_of_odd_lengths(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng([seed, 23])
    use_row(monkeypatch, tuning, split_chunks=int(random.choice([8, 64])))
    shape = (int(random.integers(2, 4)), int(random.integers(40_000, 70_000)) | seed % 2)
    dtype = str(random.choice(["f4", "f8"]))
    _check(random.random(shape).astype(dtype), 1, list(COMPUTED)[seed % 4])


@pytest.mark.parametrize("operation", ["argmax", "argmin"])
def test_positions_down_short_columns(operation: str) -> None:
    values = np.random.default_rng(4).integers(0, 3, (6, 7, 50)).astype("f4")
    values[2, 3, 4] = np.nan
    result = la.evaluate(getattr(la, operation)(la.asarray(values), 1))
    assert np.array_equal(result, getattr(np, operation)(values, 1))


def test_a_thread_for_each_column() -> None:
    x = la.asarray(np.ones((30, 2, 270)))
    (kernel,) = la.explain(la.max(x, 1) + la.var(x, 1)).kernels
    assert kernel.tiling == ColumnTiling(tuning.row().column_threads, 1, 2, 2, 1, 1, unroll=2)


@pytest.mark.parametrize("seed", range(12))
def test_rows_are_as_many_as_columns(seed: int) -> None:
    """What is divided by, as an index and as a mean, are parameters of their own."""
    random = np.random.default_rng([seed, 71])
    dtype = str(random.choice(["f4", "f8"]))
    length = int(random.integers(2, 9))
    width = 16 // np.dtype(dtype).itemsize if random.random() < 0.5 else 1
    x = random.random((int(random.integers(300, 900)), length, length * width)).astype(dtype)
    lazy = la.var(la.asarray(x), 1) + la.mean(la.asarray(x), 1)
    np.testing.assert_allclose(la.evaluate(lazy), np.var(x, 1) + np.mean(x, 1), rtol=1e-5)
