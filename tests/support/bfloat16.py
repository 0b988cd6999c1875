"""bfloat16 of ml_dtypes for tests, which are skipped where that package is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]

try:
    import ml_dtypes
except ImportError:
    BFLOAT16 = np.dtype(np.float16)  # so that files of tests can be read
    needs_bfloat16 = pytest.mark.skip(reason="ml_dtypes is not installed")
else:
    BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
    needs_bfloat16 = pytest.mark.skipif(False, reason="")
#: All numbers, NaN with every payload included.
EVERY: Array = np.arange(1 << 16, dtype=np.uint16).view(BFLOAT16)


def drawn(rng: np.random.Generator, *shape: int) -> Array:
    """Numbers near one, some of them special."""
    numbers = rng.standard_normal(shape).astype(BFLOAT16)
    specials = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-39, 3e38], BFLOAT16)
    return np.where(rng.random(shape) < 0.1, rng.choice(specials, shape), numbers)


def apart(result: Array, expected: Array) -> Array:
    """How many numbers of bfloat16 lie between two results; a NaN is none from another."""
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    if result.dtype != BFLOAT16:
        same = (result == expected) | ((result != result) & (expected != expected))
        return np.where(same, 0, 1 << 16)
    places, unknown = [], []
    for value in (result, expected):
        bits = np.ascontiguousarray(value).view(np.uint16).astype(np.int64)
        places.append(np.where(bits & 0x8000, 0x7FFF - bits, bits))
        unknown.append((bits & 0x7FFF) > 0x7F80)
    distance = np.abs(places[0] - places[1])
    return np.where(unknown[0] & unknown[1], 0, distance + ((unknown[0] ^ unknown[1]) << 16))


def assert_same_bits(result: Array, expected: Array) -> None:
    """Dtypes, shapes and bits are the same, but for those of NaN."""
    wrong = np.flatnonzero(apart(result, expected))
    assert wrong.size == 0, (wrong[:5], result.flat[wrong[:5]], expected.flat[wrong[:5]])


def nearest(exact: Array) -> Array:
    """The numbers of bfloat16 nearest to exact ones."""
    return np.asarray(exact).astype(BFLOAT16)
