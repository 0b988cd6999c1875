"""Results have the same bits whatever number of threads works, and whatever hands out the work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cpu.threads import parallel_for

SIZES = [7, 1023, 1025, 7_777, 33_333, 100_001, 400_009]


def results(x: Any, y: Any) -> list[np.ndarray]:
    """Return values of every kind of kernel."""
    square = x[: len(x.ravel()) // 7 * 7].reshape(7, -1)
    return list(
        la.evaluate(
            np.sin(x) * np.exp(y) - np.tanh(x / y),
            ((x - y) ** 2 * x).sum(),
            x.var(),
            np.exp(square - square.max(axis=1, keepdims=True)).sum(axis=1),
            square.T.var(axis=0),
            square.std(axis=0),
            (x > y).sum(),
            np.argmax(x * y),
        )
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", SIZES)
def test_any_number_of_threads(size: int, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(size)
    x = la.asarray((random.random(size) + 0.25).astype(dtype))
    y = la.asarray((random.random(size) + 0.5).astype(dtype))
    with la.config(threads=1):
        expected = results(x, y)
    for count in (2, 3, 7, 16):
        with la.config(threads=count):
            for _ in range(3):
                for ours, theirs in zip(results(x, y), expected, strict=True):
                    assert ours.tobytes() == theirs.tobytes()
    monkeypatch.setattr(parallel_for, "current_pool", lambda: None)
    with la.config(threads=3):
        for ours, theirs in zip(results(x, y), expected, strict=True):
            assert ours.tobytes() == theirs.tobytes()
