"""Powers with a whole exponent: the nearest float, NumPy's whole numbers, their special values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import compilation
from lazyarr.core.config import Config
from lazyarr.ops.powers import whole_powers

pytestmark = pytest.mark.each_device

EXPONENTS = (3, 4, 5, 6, 7, 11, 13, 16)
RANDOM = np.random.default_rng(11)


def error(base: Any, exponent: int, result: Any) -> Fraction:
    """Return the error of a power, in units of the result's last place."""
    unit = Fraction(float(abs(np.spacing(result))))
    return abs(Fraction(float(result)) - Fraction(float(base)) ** exponent) / unit


@pytest.mark.lazy
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_floats_are_the_nearest(exponent: int, dtype: Any) -> None:
    x = (RANDOM.standard_normal(300) * np.exp(RANDOM.normal(size=300))).astype(dtype)
    result = la.asarray(x) ** exponent
    assert result.dtype == dtype and result._node.op is whole_powers()[exponent]
    values = np.asarray(result)
    regular = np.isfinite(values) & (np.abs(values) >= np.finfo(dtype).tiny)
    assert regular.sum() > 200
    pairs = zip(x[regular], values[regular], strict=True)
    # 8 k u of float64 lie so near to the middle of two floats that either may come.
    most = Fraction(1, 2) if dtype == np.float32 else Fraction(50001, 100000)
    assert max(error(a, exponent, b) for a, b in pairs) <= most


@pytest.mark.lazy
@pytest.mark.parametrize(
    ("exponent", "fraction"),
    [(3, 0x138CCB), (5, 0x24724F), (6, 0x2A357B), (9, 0x4ACEA5), (13, 0x7EF075), (16, 0x1FDA0E)],
)
def test_float32_near_the_middle_of_two_floats(exponent: int, fraction: int) -> None:
    # The powers that a sum of two float32 has wrong.
    x = np.ldexp(np.float32(1 + fraction / 2**23), np.arange(-3, 4)).astype(np.float32)
    result = np.asarray(la.asarray(x) ** exponent)
    pairs = zip(x, result, strict=True)
    assert max(error(a, exponent, b) for a, b in pairs) < Fraction(1, 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_special_values(exponent: int, dtype: Any) -> None:
    limits = np.finfo(dtype)
    sizes = [0.0, np.inf, np.nan, limits.max, limits.tiny, limits.smallest_subnormal, 1.0]
    x = np.array([sign * size for size in sizes for sign in (1, -1)], dtype)
    with np.errstate(all="ignore"):
        expected = x**exponent
        result = np.asarray(la.asarray(x) ** exponent)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


@pytest.mark.lazy
@pytest.mark.parametrize("code", "ilqIQ")
def test_whole_numbers_wrap(code: str) -> None:
    x = RANDOM.integers(0, 1000, 100).astype(code)
    for exponent in EXPONENTS:
        result = la.asarray(x) ** exponent
        assert result._node.op is whole_powers()[exponent]
        np.testing.assert_array_equal(np.asarray(result), x**exponent)


def test_tiny_results_are_within_their_last_place() -> None:
    # Where results are subnormal, what a rounding leaves is lost.
    x = 2.0 ** RANDOM.uniform(-110, -95, 500)
    for exponent in (9, 10, 11):
        result = np.asarray(la.asarray(x) ** exponent)
        assert max(error(a, exponent, b) for a, b in zip(x, result, strict=True)) <= 1


@pytest.mark.host
def test_warnings_are_those_of_a_power() -> None:
    x = la.asarray(np.array([1e200, 2.0]))
    with pytest.warns(RuntimeWarning, match="overflow encountered in power"):
        assert np.isinf(np.asarray(x**3)[0])
    with np.errstate(under="raise"), pytest.raises(FloatingPointError, match=r"underflow.*power"):
        np.asarray(la.asarray(np.array([1e-200])) ** 3)


@pytest.mark.host
@pytest.mark.filterwarnings("error")
def test_what_is_exact_or_infinite_already_warns_of_nothing() -> None:
    result = np.asarray(la.asarray(np.array([0.0, np.inf, np.nan])) ** 5)
    np.testing.assert_array_equal(result, [0.0, np.inf, np.nan])


@pytest.mark.lazy
def test_others_stay_powers() -> None:
    x = la.asarray(np.arange(1.0, 4.0))
    for exponent in (2.5, -3, 17, 300):
        assert (x**exponent)._node.op.name == "power"
        np.testing.assert_allclose(x**exponent, np.arange(1.0, 4.0) ** exponent, rtol=1e-15)
    half = la.asarray(np.arange(3, dtype=np.float16))
    assert (half**3)._node.op.name == "power"


@pytest.mark.lazy
def test_one_operator_takes_all_exponents() -> None:
    # Which operation it is depends on the number, in whatever order numbers come.
    x = la.asarray(np.linspace(0.5, 2, 5))
    names = [(x**k)._node.op.name for k in (2.5, 3, 2, 7, 2.5, 3.0)]
    assert names == ["power", "power_3", "power", "power_7", "power", "power_3"]


@pytest.mark.host
def test_powers_of_one_base_share_their_steps() -> None:
    x = la.asarray(np.linspace(0.5, 2, 10_000))

    def products(value: Any) -> int:
        program = compilation.analyse((value._node,), Config(backend="llvm", threads=1))
        (source,) = (source for code in program.kernels for source in code.sources)
        return source.text.count("fmul double")

    # The third is a step of the sixth, and the sixth of the seventh.
    assert products(x**3 + x**6 + x**7) == products(x**7)


def test_gradients() -> None:
    x = np.linspace(-2, 2, 9)
    for exponent in EXPONENTS:
        slope = np.asarray(la.grad(lambda v, k=exponent: (v**k).sum())(la.asarray(x)))
        np.testing.assert_allclose(slope, exponent * x ** (exponent - 1), rtol=1e-15)
        second = np.asarray(la.hessian(lambda v, k=exponent: (v**k).sum())(la.asarray(x)))
        np.testing.assert_allclose(
            second, np.diag(exponent * (exponent - 1) * x ** (exponent - 2)), rtol=1e-14
        )


def test_power_of_many_halves_is_no_root() -> None:
    array = np.array([-np.inf, -0.0, 2.0])
    half = la.full(3, 0.5)
    result = np.power(la.asarray(array), half).compute()
    expected = np.power(array, np.full(3, 0.5))
    # A GPU's power may be off by two last places.
    places = 2 if la.get_config().device == "cuda" else 0
    np.testing.assert_array_max_ulp(result, expected, places)
    np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


@pytest.mark.host
def test_powers_of_complex_numbers_are_the_operations_of_numpy() -> None:
    parts = [0.0, -0.0, 1.0, -np.inf, np.nan, 1e300, -3.5]
    values = np.array([complex(a, b) for a in parts for b in parts])
    x = la.array(values)
    exponents: list[Any] = [2, 0.5, -1, 1, 0, 2.0, -1.0, np.float64(0.5), np.int64(2), 2 + 0j, True]
    with np.errstate(all="ignore"), la.config(immediate=0):
        for e in exponents:
            in_place = x.copy()
            in_place **= e
            for result in (x**e, in_place):
                ufunc = result._node.op.ufunc
                known = ufunc(values) if ufunc.nin == 1 else np.power(values, e)
                np.testing.assert_array_equal((values**e).view(np.int64), known.view(np.int64))
        powers = la.evaluate(la.power(x, 2), la.power(x, 1.0), x**2.0)
        known = np.stack([np.power(values, 2), np.power(values, 1.0), values**2.0])
        np.testing.assert_array_equal(np.stack(powers).view(np.int64), known.view(np.int64))
