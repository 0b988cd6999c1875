"""Derivatives of every elementwise operation against finite differences, and their kinks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.lazy_array import apply
from lazyarr.differentiation.elementwise import SLOPES
from lazyarr.differentiation.rules import BY_OP, DISCRETE
from lazyarr.errors import DifferentiationError, DTypeError, ShapeError
from lazyarr.graph.node import Op
from lazyarr.ops import movement
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.gather import GATHER
from lazyarr.ops.markers import SELECTED, WARNED
from lazyarr.ops.reduce import REDUCE
from lazyarr.ops.scan import SCAN
from tests.support.derivatives import check_derivatives, values

MOVEMENT = [op for op in vars(movement).values() if isinstance(op, Op)]
ROWS = [*ELEMENTWISE.values(), *REDUCE.values(), *SCAN.values(), *MOVEMENT, GATHER]

#: Where an operation is smooth, if not between -2 and 2.
_DOMAINS = {
    "arccosh": (1.2, 3.0),
    "arcsin": (-0.9, 0.9),
    "arccos": (-0.9, 0.9),
    "arctanh": (-0.9, 0.9),
    "cbrt": (0.3, 2.0),
    "log": (0.3, 2.0),
    "log2": (0.3, 2.0),
    "log10": (0.3, 2.0),
    "log1p": (-0.6, 2.0),
    "logit": (0.1, 0.9),
    "sqrt": (0.3, 2.0),
    "power": (0.3, 2.0),
    "float_power": (0.3, 2.0),
    "divide": (0.4, 2.0),
    "reciprocal": (0.4, 2.0),
    "tan": (-1.0, 1.0),
    "remainder": (0.4, 0.9),
    "fmod": (0.4, 0.9),
    "frexp_mantissa": (0.55, 0.95),
    "modf_fraction": (0.1, 0.9),
    "arctan2": (0.3, 2.0),
    "hypot": (0.3, 2.0),
    "copysign": (0.3, 2.0),
}
_SPECIAL = {"where", "ldexp", "nextafter"}
_COMPLEX = (
    "add subtract multiply divide negative positive reciprocal square exp exp2 expm1 log log2 "
    "log10 log1p power sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh "
    "arctanh absolute angle sign conjugate real imag"
).split()


def _points(name: str, count: int, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    low, high = _DOMAINS.get(name, (-2.0, 2.0))
    return [rng.uniform(low, high, (3,)) for _ in range(count)]


@pytest.mark.parametrize("op", [*ROWS, WARNED, SELECTED], ids=lambda op: op.name)
def test_every_row_has_a_rule_or_a_refusal(op: Any) -> None:
    rule = BY_OP[op]
    assert rule.vjp is not None or rule.jvp is not None or rule.refusal


@pytest.mark.parametrize("name", sorted(SLOPES.keys() - _SPECIAL))
def test_slope(name: str) -> None:
    def fun(*operands: Any) -> Any:
        return apply(ELEMENTWISE[name], operands)

    check_derivatives(fun, *_points(name, len(SLOPES[name])))


@pytest.mark.parametrize("name", _COMPLEX)
def test_complex_slope(name: str) -> None:
    count = len(SLOPES.get(name, (None,)))
    rng = np.random.default_rng(7)
    points = [rng.uniform(0.3, 1.2, 3) + 1j * rng.uniform(0.3, 1.2, 3) for _ in range(count)]

    def fun(*operands: Any) -> Any:
        return apply(ELEMENTWISE[name], operands)

    check_derivatives(fun, *points)


def test_complex_of_parts() -> None:
    rng = np.random.default_rng(7)

    def fun(x: Any, y: Any) -> Any:
        return apply(ELEMENTWISE["exp"], (apply(ELEMENTWISE["complex"], (x, y)),))

    check_derivatives(fun, rng.uniform(0.3, 1.2, 3), rng.uniform(0.3, 1.2, 3))


@pytest.mark.parametrize("name", ["exp", "sin", "tanh", "log", "sqrt", "arctan", "reciprocal"])
def test_the_complex_step_agrees_to_the_last_digits(name: str) -> None:
    x = np.linspace(0.3, 1.7, 7)
    function = getattr(np, name)
    expected = function(x + 1e-30j).imag / 1e-30
    (gradient,) = values(la.grad(lambda x: apply(ELEMENTWISE[name], (x,)).sum())(x))
    np.testing.assert_allclose(gradient, expected, rtol=1e-14)


def test_where_passes_only_what_it_chooses() -> None:
    x = np.array([-1.0, 2.0])
    y = np.array([3.0, 4.0])
    check_derivatives(lambda x, y: la.where(la.asarray([True, False]), x * y, x - y), x, y)
    # The other branch is infinite, and says nothing.
    with np.errstate(divide="ignore"):
        chosen = la.grad(lambda x: la.where(x > 0, x, 1 / x).sum())
        (gradient,) = values(chosen(np.array([0.0, 1.0])))
    assert gradient[1] == 1


def test_scaling_by_powers_of_two() -> None:
    check_derivatives(lambda x: la.ldexp(x, la.asarray([1, -2, 3])), np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [
        (lambda x: la.maximum(x, 0.0), 0.0, 0.5),
        (lambda x: la.minimum(0.0, x), 0.0, 0.5),
        (lambda x: la.fmax(x, 0.0), 0.0, 0.5),
        (lambda x: la.clip(x, 0.0, 1.0), 0.0, 0.5),
        (lambda x: la.clip(x, 0.0, 1.0), 1.0, 0.5),
        (lambda x: abs(x), 0.0, 0.0),
        (lambda x: la.fabs(x), 0.0, 0.0),
        (lambda x: la.sign(x), 0.0, 0.0),
        (lambda x: la.floor(x), 1.0, 0.0),
        (lambda x: la.sqrt(x), 0.0, np.inf),
        (lambda x: la.hypot(x, 0.0), 0.0, 0.0),
        (lambda x: x**2, 0.0, 0.0),
        (lambda x: x**0, 0.0, 0.0),
        (lambda x: x**1, 0.0, 1.0),
        (lambda x: la.max(la.stack([x, x, x * 0.0])), 0.0, 2 / 3),
        (lambda x: la.logaddexp(x, 0.0), -np.inf, 0.0),
        (lambda x: la.logaddexp(x, x), -np.inf, 1.0),
    ],
)
def test_value_at_a_kink(function: Any, at: float, expected: float) -> None:
    assert la.grad(function)(at).compute() == expected


def test_discrete_operations_pass_nothing() -> None:
    rules = [op.name for op, rule in BY_OP.items() if rule is DISCRETE]
    assert {"floor", "equal", "argmax", "stop_gradient"} <= set(rules)
    (gradient,) = values(la.grad(lambda x: (la.round(x) * x).sum())(np.array([1.2, 2.7])))
    np.testing.assert_array_equal(gradient, [1.0, 3.0])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dtypes_stay(dtype: str) -> None:
    x = np.array([0.5, 1.5], dtype)
    gradient = la.grad(lambda x: la.sum(la.exp(x) * 2 + x**3, dtype=np.float64))(x)
    assert gradient.dtype == dtype
    np.testing.assert_allclose(
        gradient.compute(), 2 * np.exp(x) + 3 * x**2, rtol=4 * float(np.finfo(dtype).eps)
    )


def test_casts_between_precisions() -> None:
    x = np.array([1.0, 2.0])
    value = la.grad(lambda x: (x.astype(np.float32).astype(np.float64) ** 2).sum())(x)
    np.testing.assert_allclose(value.compute(), 2 * x)
    check_derivatives(lambda x: x.astype(np.complex128) * (1 + 2j), x)
    check_derivatives(lambda z: (z * z).real + z.imag, x + 1j)


def test_gradient_of_a_real_function_of_complex_numbers_is_jaxs() -> None:
    z = np.array([1.0 + 2.0j, 3.0 - 1.0j])
    result = la.grad(lambda z: (z * z.conj()).real.sum())(z).compute()
    np.testing.assert_allclose(result, 2 * z.conj())


def test_refusals_name_what_is_wrong_and_where() -> None:
    x = la.asarray([1.0, 2.0])
    with pytest.raises(ShapeError, match="scalar") as caught:
        la.grad(lambda x: x * 2)(x)
    assert caught.value.origin is not None
    assert caught.value.origin[0] == __file__
    with pytest.raises(DTypeError, match="int64"):
        la.grad(lambda x: (x * 1.0).sum())(la.asarray([1, 2]))
    with pytest.raises(DTypeError, match="complex128"):
        la.grad(lambda x: (x * 1j).sum())(x)
    with pytest.raises(DTypeError, match="int64"):
        la.grad(lambda x: x.astype(np.int64).sum())(x)

    def refused(x: Any) -> Any:
        return la.partition(x, 1).sum()

    with pytest.raises(DifferentiationError, match="partition") as located:
        la.grad(refused)(x)
    assert located.value.origin == (__file__, refused.__code__.co_firstlineno + 1)


@pytest.mark.parametrize("scale", [1e-9, 1e-4, 0.1, 0.3183, 3.0])
def test_sinc_is_smooth_at_zero(scale: float) -> None:
    x = np.array([0.0, -1.0, 0.7, 0.2]) * scale
    first = la.grad(lambda x: la.sum(la.sinc(x)))
    second = la.grad(lambda x: la.sum(first(x)))
    third = la.grad(lambda x: la.sum(second(x)))
    # The series of sinc, term by term; the terms that are left out are below rounding here.
    y = np.pi * np.minimum(np.abs(x), 1.0) * np.sign(x)
    terms = np.arange(40)
    signs = (-1.0) ** (terms + 1)
    sizes = np.array([math.factorial(2 * int(k) + 3) for k in terms], float)
    powers = y[:, None] ** (2 * terms + 1)
    near = np.abs(x) <= 1.0
    exact = (signs * (2 * terms + 2) * powers / sizes).sum(axis=1) * np.pi
    np.testing.assert_allclose(values(first(x))[0][near], exact[near], rtol=1e-14)
    powers = y[:, None] ** (2 * terms)
    factors = signs * (2 * terms + 2) * (2 * terms + 1)
    exact = (factors * powers / sizes).sum(axis=1) * np.pi**2
    np.testing.assert_allclose(values(second(x))[0][near], exact[near], rtol=1e-13)
    check_derivatives(lambda x: la.sinc(x), x + 0.11, order=3)
    assert values(third(np.zeros(1)))[0] == 0


def test_a_nan_that_is_left_out_does_not_reach_the_others_slopes() -> None:
    x = np.array([[1.0, np.nan, 4.0, 0.5], [2.0, 1.0, 2.5, np.nan]])
    is_number = ~np.isnan(x)
    for name in ("sum", "mean", "var", "std", "prod", "max", "min"):
        nan_function, function = getattr(la, f"nan{name}"), getattr(la, name)
        (ours,) = values(la.grad(lambda x, f=nan_function: la.sum(f(x, axis=1)))(x))
        for row, slopes, kept in zip(x, ours, is_number, strict=True):
            (expected,) = values(la.grad(lambda x, f=function: f(x))(row[kept]))
            np.testing.assert_allclose(slopes[kept], expected, rtol=1e-13)
            np.testing.assert_array_equal(slopes[~kept], 0)


def test_mixed_derivatives_of_powers_where_the_exponent_is_zero() -> None:
    """Of ``x**y`` they are ``1 / x``; slopes are 0 for every x."""
    x = np.array([2.0, 0.5, 0.0, np.nan, np.inf, 5e-324, -2.0])
    ones = np.ones(7)

    def slope(y: Any) -> Any:
        return la.vjp(lambda x: x**y, la.asarray(x))[1](ones)[0]

    first, second = la.evaluate(*la.jvp(slope, (la.zeros(7),), (ones,)))
    np.testing.assert_array_equal(first, np.zeros(7))
    np.testing.assert_allclose(second[:2], [0.5, 2.0], rtol=1e-15)
