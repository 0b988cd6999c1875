"""Axes by number."""

from __future__ import annotations

import numpy as np
import pytest

from lazyarr.core.axis_numbers import list_axes, normalize_axes, normalize_axis, strict_axis
from lazyarr.errors import ArgumentError, AxisError


def test_axes() -> None:
    assert normalize_axis(-1, 3) == 2
    assert normalize_axes((2, -3), 3) == (0, 2)
    assert normalize_axes(None, 2) == (0, 1)
    assert normalize_axes((), 2) == ()
    for wrong in (3, -4):
        with pytest.raises(AxisError, match="out of bounds") as error:
            normalize_axis(wrong, 3)
        assert (error.value.axis, error.value.ndim) == (wrong, 3)
    with pytest.raises(AxisError, match="repeated"):
        normalize_axes((0, -2), 2)
    with pytest.raises(ArgumentError, match="must be an integer"):
        normalize_axis(1.0, 2)  # type: ignore[arg-type]


def test_only_some_functions_take_booleans() -> None:
    assert normalize_axis(True, 2) == 1
    assert strict_axis(-2, 2) == 0
    for axis in (True, False, 1.0, "0"):
        with pytest.raises(ArgumentError):
            strict_axis(axis, 2)  # type: ignore[arg-type]


def test_axes_are_listed_in_their_order() -> None:
    assert list_axes(3) == list_axes([3]) == list_axes(np.array(3)) == (3,)
    assert list_axes((1, -1, 0)) == tuple(list_axes(np.array([1, -1, 0]))) == (1, -1, 0)
    assert list_axes(1.5) == (1.5,)  # type: ignore[arg-type, comparison-overlap]


def test_numbers_of_more_than_64_bits() -> None:
    for axis in (2**63, -(2**70)):
        with pytest.raises(OverflowError):
            normalize_axis(axis, 3)
