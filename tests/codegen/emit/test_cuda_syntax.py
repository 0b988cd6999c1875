"""Functions that CUDA kernels carry with them, as this processor computes them."""

from __future__ import annotations

import ctypes
import importlib.util
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lazyarr.codegen.emit import cuda_syntax

pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None or platform.machine() != "x86_64", reason="needs g++ for x86-64"
)

HEAD = """
#include <math.h>
#include <string.h>
#define __device__
#define __forceinline__ inline
#define __noinline__
static int __float2int_rn(float x) { return (int)rintf(x); }
static float __int_as_float(int x) { float y; memcpy(&y, &x, 4); return y; }
static int __float_as_int(float x) { int y; memcpy(&y, &x, 4); return y; }
static double __longlong_as_double(long long x) { double y; memcpy(&y, &x, 8); return y; }
static long long __double_as_longlong(double x) { long long y; memcpy(&y, &x, 8); return y; }
static unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) << shift % 32 >> 32);
}
"""


def _on_the_host(helpers: tuple[str, ...], run: str) -> Any:
    """Return the function `run` of a text that may use helpers, compiled for this processor."""
    text = "\n".join(cuda_syntax.HELPERS[name] for name in helpers)
    with tempfile.TemporaryDirectory() as folder:
        code, library = Path(folder) / "code.cpp", Path(folder) / "code.so"
        code.write_text(f'{HEAD}\n{text}\nextern "C" void run{run}\n')
        command = [
            "g++",
            "-O2",
            "-mfma",
            "-ffp-contract=off",
            "-shared",
            "-fPIC",
            "-o",
            library,
            code,
        ]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(library)).run


@pytest.mark.parametrize(("helper", "function"), [("sine", np.sin), ("cosine", np.cos)])
def test_own_waves_are_exact_to_1_6_units_in_the_last_place(helper: str, function: Any) -> None:
    rng = np.random.default_rng(0)
    some = np.concatenate([rng.uniform(-s, s, 200_000) for s in (1e-3, 2, 50, 1e5, 1e7)])
    large = np.ldexp(rng.uniform(1, 2, 200_000), rng.integers(16, 128, 200_000))
    edges = np.array([0.0, -0.0, 1e-40, np.pi, np.pi / 2, 105615.0, 105614.99, np.nan, np.inf])
    operand = np.concatenate([some, large, -large, edges, -edges]).astype(np.float32)
    result = operand.copy()
    run = _on_the_host(
        ("wave", helper),
        f"(float* x, int n) {{ for (int i = 0; i < n; ++i) x[i] = {helper}(x[i]); }}",
    )
    run(ctypes.c_void_p(result.ctypes.data), result.size)
    with np.errstate(invalid="ignore"):
        expected = function(operand.astype(np.float64))
    error = np.abs(result - expected) / np.spacing(np.abs(expected).astype(np.float32))
    assert np.nanmax(error) < 1.6
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    np.testing.assert_array_equal(
        np.signbit(result[operand == 0]), np.signbit(expected[operand == 0])
    )


def _exponentials(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    result = np.array(x)
    run = _on_the_host(
        ("exponential",),
        "(double* x, int n) { for (int i = 0; i < n; ++i) x[i] = exponential(x[i]); }",
    )
    run(ctypes.c_void_p(result.ctypes.data), result.size)
    return result


def _arguments_of_exponentials() -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(0)
    some = [rng.uniform(-s, s, 100_000) for s in (1e-12, 0.5, 30, 708)]
    edges = [0.0, -0.0, 5e-324, 1e-300, 708.0, 709.0, 709.78, 709.79, 745.0, 745.13, 745.14]
    edges += [746.0, 747.0, 1e5, 1e300, np.inf, np.nan, np.nextafter(708, 0)]
    return np.concatenate(
        [
            *some,
            rng.uniform(708, 710, 10_000),
            rng.uniform(-746, -708, 10_000),
            edges,
            np.negative(edges),
        ]
    )


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="needs more digits than a double")
def test_own_exponential_is_exact_to_one_unit_in_the_last_place() -> None:
    x = _arguments_of_exponentials()
    result = _exponentials(x)
    with np.errstate(all="ignore"):
        expected = np.exp(x.astype(np.longdouble))
        unit = np.spacing(expected.astype(np.float64))
        error = np.abs(result - expected) / unit
    finite = np.isfinite(unit)
    assert np.max(error[finite]) < 1
    beyond = np.where(np.isnan(x[~finite]), np.nan, np.inf)
    np.testing.assert_array_equal(result[~finite], beyond)
    assert result[x == 0].tolist() == [1.0] * np.count_nonzero(x == 0)


def test_exponentials_side_by_side_have_the_bits_of_one() -> None:
    x = _arguments_of_exponentials()
    result, rare = np.zeros((x.size, 2)), np.zeros(x.size, np.int32)
    run = _on_the_host(
        ("each", "exp_or"),
        "(double* x, double (*found)[2], int* rare, int n) {"
        " for (int i = 0; i < n; ++i) { const double both[2] = {x[i], 0.5}; bool is_rare = false;"
        " exp_or(found[i], both, is_rare); rare[i] = is_rare; } }",
    )
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, result, rare)]
    run(*pointers, x.size)
    usual = rare == 0
    assert np.all(usual[np.abs(x) < 708])
    assert np.all(usual[(x < -746) & np.isfinite(x)])
    assert not np.any(usual[~np.isfinite(x) | (x > 709.5)])
    expected = _exponentials(x)
    np.testing.assert_array_equal(result[usual, 0].view(np.int64), expected[usual].view(np.int64))


#: What a script computes for kernels of GPUs.
OF_GPUS = (
    *("sine", "cosine", "2 / pi", "pi / 2", "digits of 2 / pi", "pi / 2 * 2**-64"),
    *("exponential", "log2(e)", "ln(2)"),
)


def test_the_constants_are_those_that_their_script_computes() -> None:
    root = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
    path = root / "tools" / "polynomials.py"
    spec = importlib.util.spec_from_file_location("polynomials", path)
    assert spec is not None and spec.loader is not None
    polynomials = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(polynomials)
    computed = polynomials.constants()
    constants = {name: computed[name] for name in OF_GPUS}
    wave, alone, several = (cuda_syntax.HELPERS[n] for n in ("wave", "exponential", "exp_or"))
    signs = {"pi / 2": 1 << 31, "ln(2)": 1 << 63}  # they are subtracted
    for name, values in constants.items():
        for value in values:
            sign = signs.get(name, 0)
            text = f"0x{int(value, 16) ^ sign:0{len(value) - 2}x}"
            texts = [alone, several] if name in ("exponential", "log2(e)", "ln(2)") else [wave]
            assert all(text in where for where in texts), (name, text)


def _near(x: np.ndarray[Any, Any], steps: int) -> list[np.ndarray[Any, Any]]:
    """Return floats and those up to so many steps from them."""
    bits = x.view(np.int64)
    return [(bits + step).view(np.float64) for step in range(-steps, steps + 1)]


def _hard_to_divide(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Return numbers and divisors whose quotients lie next to the middle between two floats.

    With ``middle * by = 1`` modulo 2**54, ``x = (middle * by - 1) / 2**54`` is an integer, and
    ``x / by`` as near to ``middle / 2**54`` as a quotient of floats can be to a number of 54 bits.
    """
    pairs = []
    for by in rng.integers(1 << 52, 1 << 53, n).tolist():
        for odd in (by | 1, (by | 1) - (by >> 40 << 40) + (1 << 52), 2**53 - 1 - (by & 1022)):
            inverse = pow(odd, -1, 1 << 54)
            for sign, middle in ((1, inverse), (-1, (1 << 54) - inverse)):
                x = (middle * odd - sign) >> 54
                if middle >= 1 << 53 and x:
                    pairs.append((float(x), float(odd)))
    x, by = np.array(pairs).T
    return np.ldexp(x, rng.integers(-400, 400, x.size)), by


def test_divisions_by_one_number_are_rounded_as_divisions_are() -> None:
    run = _on_the_host(
        ("quotient", "divisor"),
        "(double* x, double* by, int n) {"
        " for (int i = 0; i < n; ++i) x[i] = divided(x[i], divisor_of(by[i])); }",
    )
    rng = np.random.default_rng(0)
    n = 300_000
    plain = rng.uniform(-10, 10, n), rng.uniform(-10, 10, n)
    of_all_sizes = [
        np.ldexp(rng.uniform(-2, 2, n), rng.integers(-1074, 1024, n, np.int32)) for _ in range(2)
    ]
    limits = [2.0**k for k in (-1074, -1022, -500, -461, -460, -459, -1, 0, 1, 499, 500, 501, 1023)]
    edges = np.concatenate([*_near(np.array(limits), 2), [0.0, np.inf, np.nan, np.pi, 1e308]])
    edges = np.concatenate([edges, -edges])
    pairs = [part.reshape(-1) for part in np.meshgrid(edges, edges)]
    for x, by in (plain, of_all_sizes, _hard_to_divide(rng, 50_000), pairs):
        result, divisors = np.array(x), np.ascontiguousarray(by)
        run(ctypes.c_void_p(result.ctypes.data), ctypes.c_void_p(divisors.ctypes.data), result.size)
        with np.errstate(all="ignore"):
            expected = x / by
        there = ~np.isnan(expected)
        np.testing.assert_array_equal(np.isnan(result), ~there)
        np.testing.assert_array_equal(result[there].view(np.int64), expected[there].view(np.int64))
