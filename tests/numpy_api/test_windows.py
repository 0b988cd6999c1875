"""Window functions, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.values import assert_same

Array = np.ndarray[Any, Any]


WINDOWS = ["bartlett", "blackman", "hamming", "hanning"]


@pytest.mark.parametrize("size", [-1, 0, 1, 2, 3, 12, 51, 6.5])
def test_windows(size: float) -> None:
    for name in WINDOWS:
        assert_same(getattr(la, name)(size), getattr(np, name)(size), rtol=1e-14, atol=1e-15)
    if size == int(size) >= 0:
        for beta in (0, 5, 14.0):
            assert_same(la.kaiser(size, beta), np.kaiser(size, beta), rtol=1e-12)


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_of_long_double_are_numpys(name: str) -> None:
    result = getattr(la, name)(np.longdouble(7))
    np.testing.assert_array_equal(result, getattr(np, name)(np.longdouble(7)), strict=True)
