"""Quotients and remainders of integers are NumPy's: values, dtypes and warnings."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]
OPERATIONS = (operator.floordiv, operator.mod, lambda x, y: 1.5 * (x // y) + x % y)


def _integers(code: str, count: int, random: np.random.Generator) -> Array:
    """Return integers of all magnitudes, the extreme ones among them."""
    info = np.iinfo(code)
    values = random.integers(info.min, info.max, count, dtype=code, endpoint=True)
    values >>= random.integers(0, info.bits, count).astype(code)
    special = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2]
    values[: len(special)] = special
    if info.min:
        values[len(special) : len(special) + 2] = -1, -2
    return values


def _divisors(code: str, random: np.random.Generator) -> list[int]:
    info = np.iinfo(code)
    near = [2**k + more for k in range(info.bits) for more in (-1, 0, 1)]
    near += [-number for number in near]
    chosen = random.choice(np.array([n for n in near if info.min <= n <= info.max], code), 12)
    return [*map(int, _integers(code, 20, random)), *map(int, chosen)]


def _warned(function: Callable[..., Any], *operands: Any) -> tuple[Array, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = np.asarray(function(*operands))
    texts = {str(warning.message).splitlines()[0] for warning in caught}
    return result, sorted(texts)


@pytest.mark.host
@pytest.mark.parametrize("code", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_quotients_are_numpys_for_any_divisor(code: str) -> None:
    random = np.random.default_rng([ord(c) for c in code])
    x = _integers(code, 501, random)
    y = random.permutation(_integers(code, 501, random))
    with la.config(immediate=0):
        lazy = la.asarray(x)
        for function in OPERATIONS:
            for divisor in (*_divisors(code, random), y):
                expected, warnings_of_numpy = _warned(function, x, divisor)
                got, heard = _warned(function, lazy, la.asarray(y) if divisor is y else divisor)
                assert got.dtype == expected.dtype
                np.testing.assert_array_equal(got, expected, err_msg=f"{function} {divisor}")
                assert heard == warnings_of_numpy, (function, divisor)


@pytest.mark.host
def test_another_divisor_has_the_same_kernel() -> None:
    x = np.arange(-500, 500)
    with la.config(immediate=0):
        np.asarray(la.asarray(x) // 5)
        plans = la.cache.info().plans.plans
        for divisor in (7, -9, 2**40, 12):
            np.testing.assert_array_equal(np.asarray(la.asarray(x) // divisor), x // divisor)
    assert la.cache.info().plans.plans == plans


@pytest.mark.host
def test_all_quotients_of_unsigned_bytes() -> None:
    x = np.arange(256, dtype=np.uint8)
    with la.config(immediate=0):
        lazy = la.asarray(x)
        for divisor in range(1, 256):
            y = np.uint8(divisor)
            quotient, rest = la.evaluate(lazy // y + np.uint8(1), lazy % y + np.uint8(1))
            np.testing.assert_array_equal(quotient, x // y + np.uint8(1), err_msg=str(divisor))
            np.testing.assert_array_equal(rest, x % y + np.uint8(1), err_msg=str(divisor))
