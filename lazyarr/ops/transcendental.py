"""Rows of the elementwise table: roots, exponentials, logarithms, powers and trigonometry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lazyarr.ops import complex_functions as functions
from lazyarr.ops.floating import at_one, at_size_one, at_zero, floating, of_parts
from lazyarr.ops.table import Expand, elementwise
from lazyarr.ops.underflow import always

if TYPE_CHECKING:
    from lazyarr.codegen.builder import Builder
    from lazyarr.codegen.kernel import Operand, Value

__all__ = ["ROWS"]


def _primitive(name: str) -> Expand:
    def expand(builder: Builder, *values: Operand) -> Value:
        return builder.call(name, *values)

    return expand


def _power(builder: Builder, x: Operand, y: Operand) -> Value | None:
    # Integer powers stay with NumPy, which refuses negative exponents by their values.
    return builder.call("pow", x, y) if x.dtype.kind == "f" else None


def _log_of_sum(power: str, scale: float, doubled: float) -> Expand:
    def expand(builder: Builder, x: Operand, y: Operand) -> Value:
        """``max(x, y) + scale * log1p(power(-|x - y|))``, or ``x + doubled`` where x == y."""
        size = builder.call("absolute", builder.call("subtract", x, y))
        share = builder.call("log1p", builder.call(power, builder.call("negative", size)))
        if scale != 1.0:
            share = builder.call("multiply", builder.literal(scale, x.dtype), share)
        result = builder.call("add", builder.call("maximum", x, y), share)
        # Equal infinities too come this way, whose difference is NaN.
        twice = builder.call("add", x, builder.literal(doubled, x.dtype))
        return builder.call("select", builder.call("equal", x, y), twice, result)

    return expand


def _scaled(numerator: float, denominator: float) -> Expand:
    def expand(builder: Builder, x: Operand) -> Value:
        """Multiply by a constant that is computed in the dtype itself, as NumPy does."""
        factor = x.dtype.type(numerator) / x.dtype.type(denominator)
        return builder.call("multiply", x, builder.literal(float(factor), x.dtype))

    return expand


def _of_no_zero(builder: Builder, result: Operand, x: Operand, y: Operand) -> Value:
    return builder.call("not_equal", x, builder.literal(0.0, x.dtype))


def _zero_to_negative(builder: Builder, x: Operand, y: Operand) -> Value:
    """Whether a power is of zero, and negative."""
    zero = builder.literal(0.0, x.dtype)
    return builder.call("and", builder.call("equal", x, zero), builder.call("less", y, zero))


_degrees = _scaled(180.0, np.pi)
_radians = _scaled(np.pi, 180.0)

_over = floating("over")
_exponential = floating("over", rounded=always)
_invalid = floating("invalid")
_logarithm = floating("invalid", pole=at_zero)
_power_faults = floating("invalid", "over", pole=_zero_to_negative, rounded=_of_no_zero)

ROWS = (
    elementwise(
        "sqrt",
        np.sqrt,
        expand=_primitive("sqrt"),
        of_complex=functions.of_one(functions.sqrt),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        cost=4,
        faults=_invalid,
    ),
    elementwise("cbrt", np.cbrt, expand=_primitive("cbrt"), cost=20),
    elementwise(
        "exp",
        np.exp,
        expand=_primitive("exp"),
        of_complex=functions.of_one(functions.exp),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_exponential,
    ),
    elementwise(
        "exp2",
        np.exp2,
        expand=_primitive("exp2"),
        of_complex=functions.of_one(functions.exp2),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_exponential,
    ),
    elementwise(
        "expm1",
        np.expm1,
        expand=_primitive("expm1"),
        of_complex=functions.of_one(functions.expm1),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_over,
    ),
    elementwise(
        "log",
        np.log,
        expand=_primitive("log"),
        of_complex=functions.of_one(functions.log),
        complex_faults=of_parts("invalid", "over", poles=(0.0,)),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_logarithm,
    ),
    elementwise(
        "log2",
        np.log2,
        expand=_primitive("log2"),
        of_complex=functions.of_one(functions.log2),
        complex_faults=of_parts("invalid", "over", poles=(0.0,)),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_logarithm,
    ),
    elementwise(
        "log10",
        np.log10,
        expand=_primitive("log10"),
        of_complex=functions.of_one(functions.log10),
        complex_faults=of_parts("invalid", "over", poles=(0.0,)),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_logarithm,
    ),
    elementwise(
        "log1p",
        np.log1p,
        expand=_primitive("log1p"),
        of_complex=functions.of_one(functions.log1p),
        complex_faults=of_parts("invalid", "over", poles=(-1.0,)),
        unflagged=True,
        loose=True,
        cost=20,
        faults=floating("invalid", pole=at_one(-1.0)),
    ),
    elementwise(
        "power",
        np.power,
        expand=_power,
        cost=40,
        faults=_power_faults,
        operator_varies=True,
    ),
    elementwise("float_power", np.float_power, expand=_power, cost=40, faults=_power_faults),
    elementwise(
        "logaddexp",
        np.logaddexp,
        expand=_log_of_sum("exp", 1.0, np.log(2.0)),
        cost=40,
        commutative=True,
    ),
    elementwise(
        "logaddexp2",
        np.logaddexp2,
        expand=_log_of_sum("exp2", 1.0 / np.log(2.0), 1.0),
        cost=40,
        commutative=True,
    ),
    elementwise(
        "sin",
        np.sin,
        expand=_primitive("sin"),
        of_complex=functions.of_one(functions.sin),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_invalid,
    ),
    elementwise(
        "cos",
        np.cos,
        expand=_primitive("cos"),
        of_complex=functions.of_one(functions.cos),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_invalid,
    ),
    elementwise(
        "tan",
        np.tan,
        expand=_primitive("tan"),
        of_complex=functions.of_one(functions.tan),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_invalid,
    ),
    elementwise(
        "arcsin",
        np.arcsin,
        expand=_primitive("asin"),
        of_complex=functions.of_one(functions.arcsin),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_invalid,
    ),
    elementwise(
        "arccos",
        np.arccos,
        expand=_primitive("acos"),
        of_complex=functions.of_one(functions.arccos),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_invalid,
    ),
    elementwise(
        "arctan",
        np.arctan,
        expand=_primitive("atan"),
        of_complex=functions.of_one(functions.arctan),
        complex_faults=of_parts("invalid", "over", poles=(1j, -1j)),
        unflagged=True,
        loose=True,
        cost=20,
    ),
    elementwise("arctan2", np.arctan2, expand=_primitive("atan2"), cost=20),
    elementwise(
        "hypot", np.hypot, expand=_primitive("hypot"), cost=20, commutative=True, faults=_over
    ),
    elementwise(
        "sinh",
        np.sinh,
        expand=_primitive("sinh"),
        of_complex=functions.of_one(functions.sinh),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_over,
    ),
    elementwise(
        "cosh",
        np.cosh,
        expand=_primitive("cosh"),
        of_complex=functions.of_one(functions.cosh),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_over,
    ),
    elementwise(
        "tanh",
        np.tanh,
        expand=_primitive("tanh"),
        of_complex=functions.of_one(functions.tanh),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
    ),
    elementwise(
        "arcsinh",
        np.arcsinh,
        expand=_primitive("asinh"),
        of_complex=functions.of_one(functions.arcsinh),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
    ),
    elementwise(
        "arccosh",
        np.arccosh,
        expand=_primitive("acosh"),
        of_complex=functions.of_one(functions.arccosh),
        complex_faults=of_parts("invalid", "over"),
        unflagged=True,
        loose=True,
        cost=20,
        faults=_invalid,
    ),
    elementwise(
        "arctanh",
        np.arctanh,
        expand=_primitive("atanh"),
        of_complex=functions.of_one(functions.arctanh),
        complex_faults=of_parts("invalid", "over", poles=(1.0, -1.0)),
        unflagged=True,
        loose=True,
        cost=20,
        faults=floating("invalid", pole=at_size_one),
    ),
    elementwise("degrees", np.degrees, expand=_degrees, faults=_over),
    elementwise("radians", np.radians, expand=_radians),
    elementwise("deg2rad", np.deg2rad, expand=_radians),
    elementwise("rad2deg", np.rad2deg, expand=_degrees, faults=_over),
)
