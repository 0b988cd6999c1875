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
