"""Arrays without axes have the attributes of NumPy's numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lazyarr as la

NAMES = ["is_integer", "as_integer_ratio", "bit_count", "hex", "numerator", "denominator"]
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def _answer(number: Any, name: str) -> Any:
    if not hasattr(number, name):
        return AttributeError
    value = getattr(number, name)
    return value() if callable(value) else value


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_they_are_numpys(name: str, dtype: str, immediate: int) -> None:
    values = np.array([3, 2, 1]).astype(dtype)
    with la.config(immediate=immediate):
        x = la.asarray(values)
        for mine, theirs in ((x[0], values[0]), (x.max(), values.max()), (x.sum(), values.sum())):
            assert _answer(mine, name) == _answer(theirs, name)
        assert not hasattr(x, name)


@pytest.mark.parametrize("value", [2.5, -2.5, 7, True, np.float64(1e6)])
def test_truncation(value: Any) -> None:
    number = la.asarray(value)
    assert math.trunc(number) == math.trunc(value)
    assert math.trunc(number + 0) == math.trunc(value)


def test_truncation_of_others() -> None:
    with pytest.raises(TypeError, match="__trunc__"):
        math.trunc(la.arange(3))
    with pytest.raises(OverflowError):
        math.trunc(la.asarray(np.inf))
    with pytest.raises(ValueError):
        math.trunc(la.asarray(np.nan))


@pytest.mark.lazy
def test_whether_there_is_such_a_method_is_known_without_a_value() -> None:
    with la.config(immediate=0, implicit="raise"):
        number = la.asarray(np.arange(3.0)).sum()
        assert hasattr(number, "is_integer")
        assert not hasattr(number, "bit_count")
