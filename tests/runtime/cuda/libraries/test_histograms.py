"""Histograms by kernels of a GPU, with NumPy's numbers: the kernels run on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import histograms
from tests.support.tuning_rows import use_row

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]

Array = np.ndarray[Any, Any]
DTYPES = ["f4", "f8", "i4", "i8", "u1"]


@pytest.fixture(autouse=True)
def own_texts() -> Iterator[None]:
    """Texts of kernels have numbers of the tuning table, which tests change."""
    histograms.count_source.cache_clear()
    yield
    histograms.count_source.cache_clear()


def drawn(random: np.random.Generator, dtype: str) -> Array:
    shape = [(1,), (3000,), (40, 50)][int(random.integers(3))]
    values = random.standard_normal(shape) * float(random.choice([1, 30]))
    if dtype[0] == "f" and random.random() < 0.5:
        values = np.round(values, 1)
    return (np.abs(values) if dtype == "u1" else values).astype(dtype)


def on_gpu(array: Array) -> Any:
    return la.persist(la.asarray(array) * 1)


def same(ours: Any, theirs: Any) -> None:
    for one, other in zip(ours, theirs, strict=True):
        value = la.evaluate(one)
        assert value.dtype == other.dtype
        np.testing.assert_array_equal(value, other)


def stays(*lazy: Any) -> bool:
    return not any(step for one in lazy for step in la.explain(one).fallbacks)


@pytest.mark.parametrize("seed", range(60))
def test_random_counts_in_bins_of_equal_widths(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng([seed, 59])
    room, blocks = int(random.choice([4, 2048])), int(random.choice([1, 1056]))
    use_row(monkeypatch, tuning, places_held=room, sort_blocks=blocks)
    a = drawn(random, str(random.choice(DTYPES)))
    ends: Any = random.choice([(0, 1), (-2.5, 2.5), (0.1, 0.7), (3, 3), (-100, 100)])
    ends = tuple(ends.tolist())
    if random.random() < 0.3:
        ends = tuple(np.float32(ends))
    elif random.random() < 0.3:
        ends = tuple(map(int, ends))
    options = {"bins": int(random.choice([1, 7, 100])), "range": ends}
    if random.random() < 0.3:
        del options["range"]
    if random.random() < 0.3:
        options["density"] = True
    if a.dtype.kind == "f" and "range" in options and random.random() < 0.5:
        a[random.random(a.shape) < 0.1] = np.nan
    with np.errstate(all="ignore"):
        expected = np.histogram(a, **options)
        lazy = la.histogram(on_gpu(a), **options)
        assert stays(*lazy)
        same(lazy, expected)


@pytest.mark.parametrize("seed", range(20))
def test_random_counts_of_integers(seed: int) -> None:
    random = np.random.default_rng([seed, 61])
    x = random.integers(0, int(random.choice([1, 50, 5000])), int(random.choice([1, 3000])))
    x = x.astype(str(random.choice(["i8", "i4", "u2"])))
    options: dict[str, Any] = {"minlength": int(random.choice([0, 20, 6000]))}
    if random.random() < 0.5:
        options["weights"] = random.standard_normal(x.size).astype(str(random.choice(["f8", "f4"])))
    lazy = la.bincount(on_gpu(x), **options)
    assert stays(lazy)
    same([lazy], [np.bincount(x, **options)])


def test_negative_numbers_are_not_counted() -> None:
    with pytest.raises(ValueError, match="negative"):
        la.bincount(on_gpu(np.array([1, -1])))


@pytest.mark.parametrize("a", [np.array([1.0, np.nan]), np.array([np.inf])])
def test_ends_that_are_not_finite_are_errors(a: Array) -> None:
    with pytest.raises(ValueError, match="autodetected range"):
        la.histogram(on_gpu(a), 3)
    with pytest.raises(ValueError, match="supplied range"):
        la.histogram(on_gpu(a), 3, (0, np.inf))


def test_a_jitted_histogram_is_one_kernel() -> None:
    a = np.random.default_rng(9).random(5000)

    def shares(xp: Any, a: Any) -> Any:
        return xp.histogram(a * 2, bins=50, range=(0.5, 1.5))[0] / a.size

    assert np.array_equal(la.jit(lambda a: shares(la, a))(a), shares(np, a))
