"""Rows of the elementwise table: comparisons, logic and questions about a float's make-up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.ops import complex_numbers
from lazyarr.ops.fp_conditions import floating
from lazyarr.ops.table import Expand, elementwise

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["ROWS"]

BOOL = np.dtype(np.bool_)

# How a comparison turns out where exactly one of its operands is a negative number.
NEGATIVE_FIRST = frozenset({"not_equal", "less", "less_equal"})
NEGATIVE_SECOND = frozenset({"not_equal", "greater", "greater_equal"})


def _comparison(primitive: str) -> Expand:
    def expand(builder: Builder, x: Operand, y: Operand) -> Value:
        """Compare as numbers; NumPy has loops of int64 with uint64."""
        if x.dtype == y.dtype:
            return builder.call(primitive, x, y)
        signed, other = (x, y) if kind_of(x.dtype) == "i" else (y, x)
        negative = builder.call("less", signed, builder.literal(0, signed.dtype))
        unsigned = builder.call("bitcast", signed, dtype=other.dtype)
        operands = (unsigned, y) if signed is x else (x, unsigned)
        alike = builder.call(primitive, *operands)
        if primitive in (NEGATIVE_FIRST if signed is x else NEGATIVE_SECOND):
            return builder.call("or", negative, alike)
        return builder.call("and", builder.call("not", negative), alike)

    return expand


def _true(builder: Builder, x: Operand) -> Operand:
    return x if x.dtype == BOOL else builder.call("convert", x, dtype=BOOL)


def _logical(primitive: str) -> Expand:
    def expand(builder: Builder, *values: Operand) -> Value:
        return builder.call(primitive, *(_true(builder, value) for value in values))

    return expand


def _isnan(builder: Builder, x: Operand) -> Value:
    return builder.call("not_equal", x, x)


def _isinf(builder: Builder, x: Operand) -> Value:
    if kind_of(x.dtype) != "f":
        return builder.call("not_equal", x, x)
    size = builder.call("absolute", x)
    return builder.call("equal", size, builder.literal(np.inf, x.dtype))


def _isfinite(builder: Builder, x: Operand) -> Value:
    if kind_of(x.dtype) != "f":
        return builder.call("equal", x, x)
    size = builder.call("absolute", x)
    return builder.call("less", size, builder.literal(np.inf, x.dtype))


def _signbit(builder: Builder, x: Operand) -> Value:
    bits = builder.call("bitcast", x, dtype=_word(x))
    return builder.call("less", bits, builder.literal(0, bits.dtype))


def _copysign(builder: Builder, x: Operand, y: Operand) -> Value:
    return builder.call("copysign", x, y)


def _modf_fraction(builder: Builder, x: Operand) -> Value:
    """``x - trunc(x)``, or 0 of infinities; with the sign of x."""
    rest = builder.call("subtract", x, builder.call("trunc", x))
    rest = builder.call("select", _isinf(builder, x), builder.literal(0.0, x.dtype), rest)
    return builder.call("copysign", rest, x)


def _modf_integral(builder: Builder, x: Operand) -> Value:
    return builder.call("trunc", x)


def _word(x: Operand) -> np.dtype[Any]:
    return np.dtype(f"i{x.dtype.itemsize}")


def _power_of_two(builder: Builder, exponent: Operand, dtype: np.dtype[Any]) -> Value:
    """Return 2 to an integer that fits the exponent of a normal number."""
    limits = np.finfo(dtype)
    biased = builder.call("add", exponent, builder.literal(limits.maxexp - 1, exponent.dtype))
    shift = builder.literal(limits.nmant, exponent.dtype)
    return builder.call("bitcast", builder.call("shift_left", biased, shift), dtype=dtype)


def _ldexp(builder: Builder, x: Operand, n: Operand) -> Value:
    """``x * 2**n`` by three multiplications, of which one at most rounds.

    The algorithm of scalbn in musl, without its branches.
    """
    limits = np.finfo(x.dtype)
    word = _word(x)
    largest = limits.maxexp - 1
    # Far enough below the normal numbers that only the last multiplication is inexact.
    step_down = limits.minexp + limits.nmant + 1
    reach = builder.literal(3 * largest, n.dtype)
    n = builder.call("minimum", n, reach)
    n = builder.call("maximum", n, builder.literal(-3 * largest, n.dtype))
    rest: Operand = builder.call("convert", n, dtype=word)
    result = x
    for _ in range(2):
        above = builder.call("greater", rest, builder.literal(largest, word))
        below = builder.call("less", rest, builder.literal(limits.minexp, word))
        zero = builder.literal(0, word)
        step = builder.call("select", below, builder.literal(step_down, word), zero)
        step = builder.call("select", above, builder.literal(largest, word), step)
        result = builder.call("multiply", result, _power_of_two(builder, step, x.dtype))
        rest = builder.call("subtract", rest, step)
    rest = builder.call("minimum", rest, builder.literal(largest, word))
    rest = builder.call("maximum", rest, builder.literal(limits.minexp, word))
    return builder.call("multiply", result, _power_of_two(builder, rest, x.dtype))


def _frexp(builder: Builder, x: Operand) -> tuple[Value, Value]:
    """Return the bits of x normalised, and the increment of the exponent."""
    limits = np.finfo(x.dtype)
    digits = limits.nmant + 2
    size = builder.call("absolute", x)
    subnormal = builder.call("less", size, builder.literal(float(limits.tiny), x.dtype))
    scaled = builder.call("multiply", x, builder.literal(2.0**digits, x.dtype))
    bits = builder.call("bitcast", builder.call("select", subnormal, scaled, x), dtype=_word(x))
    zero = builder.literal(0, bits.dtype)
    added = builder.call("select", subnormal, builder.literal(digits, bits.dtype), zero)
    return bits, added


def _has_no_exponent(builder: Builder, x: Operand) -> Value:
    zero = builder.call("equal", x, builder.literal(0.0, x.dtype))
    return builder.call("or", zero, builder.call("not", _isfinite(builder, x)))


def _frexp_mantissa(builder: Builder, x: Operand) -> Value:
    limits = np.finfo(x.dtype)
    bits, _ = _frexp(builder, x)
    exponent = (2 * limits.maxexp - 1) << limits.nmant
    bits = builder.call("and", bits, builder.literal(~exponent, bits.dtype))
    half = (limits.maxexp - 2) << limits.nmant
    bits = builder.call("or", bits, builder.literal(half, bits.dtype))
    mantissa = builder.call("bitcast", bits, dtype=x.dtype)
    return builder.call("select", _has_no_exponent(builder, x), x, mantissa)


def _frexp_exponent(builder: Builder, x: Operand) -> Value:
    limits = np.finfo(x.dtype)
    bits, added = _frexp(builder, x)
    bits = builder.call("shift_right", bits, builder.literal(limits.nmant, bits.dtype))
    bits = builder.call("and", bits, builder.literal(2 * limits.maxexp - 1, bits.dtype))
    bias = builder.literal(limits.maxexp - 2, bits.dtype)
    exponent = builder.call("subtract", builder.call("subtract", bits, bias), added)
    zero = builder.literal(0, bits.dtype)
    exponent = builder.call("select", _has_no_exponent(builder, x), zero, exponent)
    return builder.call("convert", exponent, dtype=np.dtype(np.int32))


ROWS = (
    elementwise(
        "equal",
        np.equal,
        expand=_comparison("equal"),
        of_complex=complex_numbers.equal,
        commutative=True,
    ),
    elementwise(
        "not_equal",
        np.not_equal,
        expand=_comparison("not_equal"),
        of_complex=complex_numbers.not_equal,
        commutative=True,
    ),
    elementwise(
        "less",
        np.less,
        expand=_comparison("less"),
        of_complex=complex_numbers.ordering("less", "less"),
    ),
    elementwise(
        "less_equal",
        np.less_equal,
        expand=_comparison("less_equal"),
        of_complex=complex_numbers.ordering("less", "less_equal"),
    ),
    elementwise(
        "greater",
        np.greater,
        expand=_comparison("greater"),
        of_complex=complex_numbers.ordering("greater", "greater"),
    ),
    elementwise(
        "greater_equal",
        np.greater_equal,
        expand=_comparison("greater_equal"),
        of_complex=complex_numbers.ordering("greater", "greater_equal"),
    ),
    elementwise(
        "logical_and",
        np.logical_and,
        expand=_logical("and"),
        of_complex=complex_numbers.logical("and"),
        commutative=True,
    ),
    elementwise(
        "logical_or",
        np.logical_or,
        expand=_logical("or"),
        of_complex=complex_numbers.logical("or"),
        commutative=True,
    ),
    elementwise(
        "logical_xor",
        np.logical_xor,
        expand=_logical("xor"),
        of_complex=complex_numbers.logical("xor"),
        commutative=True,
    ),
    elementwise(
        "logical_not",
        np.logical_not,
        expand=_logical("not"),
        of_complex=complex_numbers.logical("not"),
    ),
    elementwise("isnan", np.isnan, expand=_isnan, of_complex=complex_numbers.isnan),
    elementwise("isinf", np.isinf, expand=_isinf, of_complex=complex_numbers.isinf),
    elementwise("isfinite", np.isfinite, expand=_isfinite, of_complex=complex_numbers.isfinite),
    elementwise("signbit", np.signbit, expand=_signbit),
    elementwise("copysign", np.copysign, expand=_copysign),
    elementwise("nextafter", np.nextafter, cost=4),
    elementwise("spacing", np.spacing, cost=4),
    elementwise("ldexp", np.ldexp, expand=_ldexp, cost=4, faults=floating("over")),
    elementwise("modf_fraction", np.modf, expand=_modf_fraction, output=0),
    elementwise("modf_integral", np.modf, expand=_modf_integral, output=1),
    elementwise("frexp_mantissa", np.frexp, expand=_frexp_mantissa, output=0, cost=4),
    elementwise("frexp_exponent", np.frexp, expand=_frexp_exponent, output=1, cost=4),
)
