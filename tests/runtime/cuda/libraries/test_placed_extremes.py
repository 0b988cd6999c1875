"""Extremes and differences at places by kernels of a GPU, with NumPy's bits: on the CPU."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cuda import tuning
from tests.support.tuning_rows import use_row

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]

Array = np.ndarray[Any, Any]


def applied(ufunc: Any, start: Array, places: Array, values: Any, xp: Any) -> Any:
    if xp is np:
        result = start.copy()
        ufunc.at(result, places, values)
        return result
    lazy = la.asarray(start) * 1
    operand = la.asarray(values) if isinstance(values, np.ndarray) else values
    ufunc.at(lazy, la.asarray(places), operand)
    return lazy


def check(ufunc: Any, start: Array, places: Array, values: Any) -> None:
    lazy = applied(ufunc, start, places, values, la)
    assert not la.explain(lazy).fallbacks
    with np.errstate(all="ignore"):
        expected = applied(ufunc, start, places, values, np)
    assert la.evaluate(lazy).tobytes() == expected.tobytes()


def drawn(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Numbers, or few kinds of them with both zeros, infinities and NaN of both signs."""
    if dtype[0] == "u":
        return random.integers(0, 1 << 31, shape).astype(dtype)
    if dtype[0] == "i" or random.random() < 0.4:
        return (random.standard_normal(shape) * 1e3).astype(dtype)
    kinds = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1, -1], dtype)
    return random.choice(kinds[: int(random.choice([2, 4, 6, 8]))], shape)


@pytest.mark.parametrize("seed", range(60))
def test_random_extremes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng([seed, 47])
    use_row(monkeypatch, tuning, sort_blocks=int(random.choice([1, 3, 1056])))
    dtype = str(random.choice(["f4", "f8", "f4", "f8", "i4", "i8", "u4", "u8"]))
    row = [(), (1,), (3,), (2, 4)][int(random.integers(4))]
    rows = int(random.integers(1, 2000 if not row else 300))
    count = max(1, rows // int(random.choice([1, 7, 100])))
    places = random.integers(-count, count, rows).astype(str(random.choice(["i8", "i4"])))
    values: Any = drawn(random, (rows, *row), dtype)
    if random.random() < 0.2:
        values = values.reshape(-1)[:1].reshape(())
    start = drawn(random, (count, *row), dtype)
    if random.random() < 0.5:
        start = np.zeros_like(start)
    check(random.choice([np.maximum, np.minimum]), start, places, values)


@pytest.mark.parametrize("seed", range(20))
def test_random_differences(seed: int) -> None:
    random = np.random.default_rng([seed, 53])
    dtype = str(random.choice(["f4", "f8", "i4", "i8", "u4"]))
    row = [(), (3,)][int(random.integers(2))]
    count, rows = int(random.integers(1, 50)), int(random.integers(1, 500))
    start = (random.random((count, *row)) * 100).astype(dtype)
    values = (random.random((rows, *row)) * 100).astype(dtype)
    check(np.subtract, start, random.integers(0, count, rows), values)


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.maximum])
@pytest.mark.parametrize("value", [1, 0.5, -3, True])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_number_of_another_dtype(ufunc: Any, value: Any, dtype: str) -> None:
    places = np.random.default_rng(3).integers(0, 70, 3000)
    check(ufunc, np.zeros(70, dtype), places, value)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8"])
def test_whole_numbers_that_wrap(dtype: str) -> None:
    random = np.random.default_rng(5)
    places, values = random.integers(0, 70, 3000), random.integers(0, 1 << 40, 3000)
    check(np.add, np.zeros(70, dtype), places, values if dtype != "u4" else values.astype("u8"))
    check(np.add, np.zeros(70, dtype), places, 1)


@pytest.mark.parametrize("ufunc", [np.maximum, np.minimum])
def test_places_out_of_bounds_are_errors(ufunc: Any) -> None:
    lazy = applied(ufunc, np.zeros(5), np.array([1, 7]), np.ones(2), la)
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        la.evaluate(lazy)


def test_a_histogram_of_groups_stays_on_the_gpu() -> None:
    random = np.random.default_rng(7)
    x, g = random.standard_normal((500, 8)).astype("f4"), random.integers(0, 20, 500)

    def means(xp: Any, x: Any, g: Any) -> Any:
        s, n = xp.zeros((20, 8), x.dtype), xp.zeros(20, x.dtype)
        xp.add.at(s, g, x)
        xp.add.at(n, g, 1)
        return s / xp.maximum(n, 1)[:, None]

    lazy = means(la, la.asarray(x), la.asarray(g))
    assert not la.explain(lazy).fallbacks
    assert la.evaluate(lazy).tobytes() == means(np, x, g).tobytes()
