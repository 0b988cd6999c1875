"""Arrays whose length is no multiple of what a thread loads at once: nothing behind them counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.device_sources import cuda_sources
from tests.support.targets import TARGETS

pytestmark = pytest.mark.each_device

#: One vector and a piece of another one, and more than a block and a chunk take.
LENGTHS = (17, 18, 19, 1001, 4099, 70_002, 70_001)
FUNCTIONS = {
    "map": lambda xp, x, y: x * y - x,
    "two maps": lambda xp, x, y: (x + y, x > y),
    "sum": lambda xp, x, y: xp.sum(x * y),
    "stored and reduced": lambda xp, x, y: (x - y, xp.max(x - y)),
    "positions": lambda xp, x, y: (xp.argmax(x), xp.argmin(y)),
    "deviations": lambda xp, x, y: xp.std(x),
    "standardised": lambda xp, x, y: (x - xp.mean(x)) / (xp.std(x) + 1),
    "cumsum": lambda xp, x, y: xp.cumsum(x),
    "cumprod": lambda xp, x, y: xp.cumprod(x),
    "positions of elements": lambda xp, x, y: xp.sum(x * xp.arange(x.shape[0])),
    "looked up": lambda xp, x, y: x + y[xp.arange(x.shape[0])],
    "looked up and reduced": lambda xp, x, y: xp.max(xp.abs(x * y[xp.arange(x.shape[0])])),
    "looked up and scanned": lambda xp, x, y: xp.cumsum(y[xp.arange(x.shape[0])]),
}


@pytest.mark.parametrize("target", TARGETS, indirect=True)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64", "int8", "int64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_lies_behind_does_not_count(target: str, dtype: str, name: str) -> None:
    function = FUNCTIONS[name]
    rng = np.random.default_rng(0)
    behind = np.nan if np.dtype(dtype).kind in "fc" else np.iinfo(dtype).max
    for length in LENGTHS:
        longer = [rng.integers(-3, 4, length + 8).astype(dtype) for _ in range(2)]
        for array in longer:
            array[length:] = behind
        arrays = [la.persist(la.asarray(array)) for array in longer]
        result = function(la, *(array[:length] for array in arrays))
        # NumPy's own sums of halves overflow.
        exact = [array.astype(np.float32) if dtype == "float16" else array for array in longer]
        expected = function(np, *(array[:length] for array in exact))
        if isinstance(expected, tuple):
            results = la.evaluate(*result)
        else:
            results, expected = (la.evaluate(result),), (expected,)
        for got, reference in zip(results, expected, strict=True):
            kind = got.dtype if got.dtype.kind in "fc" else np.dtype(np.float64)
            eps = float(np.finfo(kind).eps) * (64 if kind.itemsize > 2 else 4)
            scale = float(np.max(np.abs(reference), initial=1))
            np.testing.assert_allclose(got, reference, rtol=64 * eps, atol=eps * scale)
        for array, before in zip(arrays, longer, strict=True):
            np.testing.assert_array_equal(np.asarray(array), before)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 2 * x + 1,
        lambda x: x.sum(),
        lambda x: x.std(),
        lambda x: x.argmax(),
        lambda x: la.cumsum(x),
    ],
)
def test_odd_lengths_are_loaded_by_vectors(function: Any) -> None:
    x = la.asarray(np.ones(70_001, np.float32))
    assert "f32x4 q0 = " in cuda_sources([function(x)])[0].text
