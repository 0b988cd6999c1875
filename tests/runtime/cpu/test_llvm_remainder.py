"""Remainders of floats: the C library's bits and flags, in vectors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import compilation
from lazyarr.core.config import Config
from lazyarr.runtime.cpu import llvm_remainder
from lazyarr.runtime.cpu.llvm_compiler import assembly

pytestmark = pytest.mark.host  # of processors' instructions

FUNCTIONS = ("remainder", "fmod", "floor_divide")
DTYPES = ("float32", "float64")


def _any_bits(dtype: str, count: int) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(3)
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    high = np.iinfo(bits).max
    return [random.integers(0, high, count, bits, True).view(dtype) for _ in range(2)]


def _quotients_near_integers(dtype: str, count: int) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(4)
    y = random.uniform(0.1, 9.0, count).astype(dtype)
    times = random.integers(0, 1 << 30, count).astype(dtype)
    x = y * times
    return [np.nextafter(x, random.choice([-np.inf, np.inf, 0.0], count).astype(dtype)), -y]


def _special(dtype: str, count: int) -> list[np.ndarray[Any, Any]]:
    form = np.finfo(np.dtype(dtype))
    ends = [form.smallest_subnormal, form.smallest_normal, form.max, 1.0, 3.0, np.inf, np.nan, 0.0]
    values = np.array([*ends, *np.negative(ends)], dtype)
    return [np.resize(np.repeat(values, len(values)), count), np.resize(values, count)]


@pytest.mark.parametrize("operands", [_any_bits, _quotients_near_integers, _special])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_bits_are_numpys(name: str, dtype: str, operands: Any) -> None:
    x, y = operands(dtype, 40_003)
    with np.errstate(all="ignore"), la.config(immediate=0):
        expected = getattr(np, name)(x, y)
        result = la.evaluate(getattr(la, name)(la.asarray(x), la.asarray(y)))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(result), ~numbers)
    bits = f"u{np.dtype(dtype).itemsize}"
    np.testing.assert_array_equal(result.view(bits)[numbers], expected.view(bits)[numbers])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("x, y", [(1.0, 0.0), (np.inf, 2.0)])
def test_invalid_operands_warn(x: float, y: float, dtype: str) -> None:
    dividends, divisors = np.full(1003, 5.5, dtype), np.full(1003, 2.0, dtype)
    dividends[700], divisors[700] = x, y
    with la.config(immediate=0), np.errstate(all="raise"):
        with pytest.raises(FloatingPointError, match="invalid value encountered in fmod"):
            la.evaluate(la.fmod(la.asarray(dividends), la.asarray(divisors)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_other_operands_do_not_warn(dtype: str) -> None:
    form = np.finfo(np.dtype(dtype))
    x = np.resize(np.array([form.max, form.smallest_normal, np.nan, 7.0, 0.0], dtype), 1005)
    y = np.resize(np.array([form.smallest_normal, np.inf, 3.0, np.nan], dtype), 1005)
    with la.config(immediate=0), np.errstate(all="raise"):
        result = la.evaluate(la.fmod(la.asarray(x), la.asarray(y)))
        np.testing.assert_array_equal(result, np.fmod(x, y))


@pytest.mark.skipif(not llvm_remainder._has_fma(), reason="the library's function is called")
def test_kernels_compute_vectors() -> None:
    x = la.asarray(np.arange(100_000.0))
    program = compilation.analyse(((x % 7.0)._node,), Config(backend="llvm"))
    text = "\n".join(assembly(source) for code in program.kernels for source in code.sources)
    x86, arm = r"\bvfn?m(add|sub)\d+pd\s[^\n]*[yz]mm", r"\bfml[as]\s+v"
    assert re.search(x86, text) or re.search(arm, text)
