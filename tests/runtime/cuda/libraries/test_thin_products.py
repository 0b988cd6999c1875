"""Stacks of products of few columns by a kernel of a GPU: the kernel runs on the CPU."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core import tuning
from tests.support.tuning_rows import use_row

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]


def products(
    random: np.random.Generator, shape: tuple[int, int, int, int], dtype: str
) -> tuple[Any, Any]:
    """Two stacks of matrices, the second of which lies in memory in one of several ways."""
    count, rows, inner, columns = shape
    wide = inner + int(random.integers(0, 3))
    a = random.standard_normal((count, rows, wide)).astype(dtype)[:, :, :inner]
    layout = int(random.integers(3))
    b = random.standard_normal((count, inner, columns)).astype(dtype)
    if layout == 1:
        b = np.ascontiguousarray(b.swapaxes(1, 2)).swapaxes(1, 2)
    elif layout == 2:
        b = np.broadcast_to(b[:1], b.shape)
    return a, b


@pytest.mark.parametrize("seed", range(40))
def test_random_products(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    use_row(monkeypatch, tuning, thin_rows_in_all=1, thin_columns_each=0, thin_depth=1)
    random = np.random.default_rng([seed, 61])
    dtype = str(random.choice(["f4", "f8"]))
    rows = int(random.choice([16, 17, 33, 64, 100, 300]))
    inner = int(random.choice([1, 3, 8, 16, 20, 65]))
    columns = int(random.integers(1, 17 if dtype == "f4" else 9))
    a, b = products(random, (int(random.integers(2, 25)), rows, inner, columns), dtype)
    lazy = la.matmul(la.asarray(a), la.asarray(b))
    result = la.evaluate(lazy)
    expected = np.matmul(a.astype("f8"), b.astype("f8"))
    bound = 4 * inner * np.finfo(dtype).eps * np.matmul(abs(a), abs(b)).astype("f8")
    assert result.dtype == dtype
    assert (abs(result - expected) <= bound).all()
