"""Bits read as another dtype, and arrays resized, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.values import assert_same

Array = np.ndarray[Any, Any]


@pytest.mark.parametrize("source", ["f8", "f4", "c16", "i2", "u8", "?"])
@pytest.mark.parametrize("target", ["f8", "u8", "i4", "u1", "c8", "f2"])
def test_bits_read_as_another_dtype(source: str, target: str) -> None:
    values = (np.arange(32) % 7).astype(source)
    for x in (values, values.reshape(4, 8), values.reshape(8, 4).T, values[::-2]):
        lazy = la.asarray(x)
        one = np.array(1, source)
        for mine, numpys in ((lazy, x), (lazy * one, x * one)):
            try:
                expected = numpys.view(target)
            except ValueError:
                with pytest.raises(ValueError, match="last axis must be contiguous"):
                    mine.view(target)
            else:
                assert_same(mine.view(target), expected)


def test_bits_that_do_not_fit() -> None:
    for x in (np.zeros((2, 3), np.float32), np.array(1, np.float32)):
        with pytest.raises(ValueError) as error:
            x.view(np.float64)
        with pytest.raises(la.errors.ArgumentError, match=f"^{error.value}"):
            la.asarray(x).view(np.float64)
    x = la.arange(3)
    y = x.view()
    y[0] = 9
    assert_same(x, np.array([9, 1, 2]))


@pytest.mark.parametrize("shape", [(3, 2), (2, 2), (9,), 4, (0,), (2, 0)])
def test_resize_in_place(shape: Any) -> None:
    operand = np.arange(6.0).reshape(2, 3)
    expected = operand.copy()
    expected.resize(shape, refcheck=False)
    x = la.asarray(operand)
    x.resize(shape)
    assert_same(x, expected)
    np.testing.assert_array_equal(operand, np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("shape", [(3, 2), (2,), (0, 4), (2, 2, 3)])
@pytest.mark.parametrize("convert", [np.array, la.array, list, lambda shape: np.array(shape, "i1")])
def test_shapes_are_arrays_or_lists(convert: Any, shape: tuple[int, ...], limit: int) -> None:
    expected = np.arange(6.0)
    expected.resize(shape, refcheck=False)
    with la.config(immediate=limit):
        x = la.arange(6.0)
        x.resize(convert(shape))
        assert_same(x, expected)


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("shape", [(3, 2), (3, 3), (9,), 4, (1, 3), (0,), (2, 2, 3)])
def test_arrays_in_fortran_order_are_resized_in_it(shape: Any, limit: int) -> None:
    for operand in (np.arange(6).reshape(2, 3), np.arange(24.0).reshape(2, 3, 4)):
        expected = np.array(operand, order="F")
        with la.config(immediate=limit):
            x = la.array(operand, order="F")
            x.resize(shape)
            expected.resize(shape, refcheck=False)
            assert_same(x, expected)
            if expected.size and 1 not in expected.shape:
                assert x.strides == expected.strides
