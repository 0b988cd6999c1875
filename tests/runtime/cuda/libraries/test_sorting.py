"""Few elements of sorted rows, selected by warps of a GPU: the kernels run on the CPU."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import lazyarr as la

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "f2"])
def test_random_rows(dtype: str) -> None:
    """What a warp selects is what the slice of the whole order would be, first and last."""
    random = np.random.default_rng(len(dtype) + ord(dtype[1]))
    last = bool(random.integers(2))
    for number in range(4):
        count = int(random.integers(1, 33))
        shape = int(random.integers(1, 20)), int(random.integers(max(128, 4 * count), 700))
        x = (random.standard_normal(shape) * 10).astype(dtype)
        if dtype[0] == "f":
            x[random.random(shape) < 0.02] = np.nan
        if number == 3:  # so that each element goes among those before it
            x = np.sort(x, axis=1)[:, ::-1].copy()
        part = np.s_[:, -count:] if last else np.s_[:, :count]
        lazy = la.argsort(la.asarray(x), axis=1) if last else la.sort(la.asarray(x), axis=1)
        (step,) = la.explain(lazy[part]).library_calls
        assert step.name.endswith("sorted_part")
        expected = np.argsort(x, axis=1, stable=True) if last else np.sort(x, axis=1)
        np.testing.assert_array_equal(la.evaluate(lazy[part]), expected[part])


@pytest.mark.parametrize("seed", range(48))
def test_random_short_rows_are_sorted_by_warps(seed: int) -> None:
    """Rows of any number of elements, with both zeros and NaN of both signs among them."""
    random = np.random.default_rng([seed, 71])
    dtype = str(random.choice(["f4", "f8", "f2", "i4", "i8", "u1", "?", "u8"]))
    length = int(random.choice([1, 2, 5, 8, 9, 16, 31, 33, 64, 100, 129, 300, 700, 1024]))
    shape = int(random.integers(1, 20)), length
    x = (random.standard_normal(shape) * float(random.choice([2, 1e4]))).astype("f8")
    x = (np.abs(x) if dtype[0] in "u?" else x).astype(dtype)
    if dtype[0] == "f":
        special = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf], dtype)
        x = np.where(random.random(shape) < 0.3, random.choice(special, shape), x)
    kind = str(random.choice(["quicksort", "stable"]))
    if random.random() < 0.5:
        ours = la.evaluate(la.argsort(la.asarray(x), axis=1, kind="stable"))
        np.testing.assert_array_equal(ours, np.argsort(x, axis=1, kind="stable"))
        return
    ours, theirs = la.evaluate(la.sort(la.asarray(x), 1, kind)), np.sort(x, 1, kind)
    np.testing.assert_array_equal(ours, theirs)
    bits = f"u{x.itemsize}"
    if kind == "stable":
        assert np.array_equal(
            ours.view(bits), np.take_along_axis(x, np.argsort(x, 1, "stable"), 1).view(bits)
        )
    assert np.array_equal(np.sort(ours.view(bits)), np.sort(x.view(bits)))
