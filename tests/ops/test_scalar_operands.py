"""Operations with constants among their operands, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.each_device


def test_vector_functions_of_a_constant() -> None:
    array = np.linspace(0.5, 9, 100)
    x = la.asarray(array)
    got = la.evaluate(np.arctan2(x, 1.0), np.hypot(2.0, x), np.arctan2(0.5, x))
    expected = np.arctan2(array, 1.0), np.hypot(2.0, array), np.arctan2(0.5, array)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-15)


def test_clip_to_integers_beyond_the_dtype() -> None:
    array = np.array([-5, 100], np.int8)
    x = la.asarray(array)
    for low, high in ((0, 300), (-1000, 5), (-128, 127), (None, 1 << 70)):
        np.testing.assert_array_equal(np.clip(x, low, high).compute(), np.clip(array, low, high))
    with pytest.raises(OverflowError):
        np.clip(x, 300, 400)
