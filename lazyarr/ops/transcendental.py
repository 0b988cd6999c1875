"""Rows of the elementwise table: roots, exponentials, logarithms, powers and trigonometry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.graph.node import Node, Op
from lazyarr.ops.fp_conditions import at_one, at_size_one, at_zero, floating, of_parts
from lazyarr.ops.fp_underflow import always
from lazyarr.ops.table import Expand, Faults, elementwise

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value
    from lazyarr.loop_ir.pair import Pair
    from lazyarr.ops.complex_numbers import OfComplex

__all__ = ["ROWS"]

Array = np.ndarray[Any, Any]


def _primitive(name: str) -> Expand:
    def expand(builder: Builder, *values: Operand) -> Value:
        return builder.call(name, *values)

    return expand


def _power(builder: Builder, x: Operand, y: Operand) -> Value | None:
    # Integer powers stay with NumPy, which refuses negative exponents by their values.
    return builder.call("pow", x, y) if kind_of(x.dtype) == "f" else None


def _by_operator(node: Node, x: Array, y: Array) -> Array:
    """``x ** y``: plans take squares and roots, as it does, and ``power`` from NumPy 2.3 on."""
    return np.asarray(x**y)


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


def _of_complex(name: str) -> OfComplex:
    """Return the expansion of a function of one complex number."""

    def expand(builder: Builder, *values: Pair) -> Operand | Pair | None:
        # Imported here: most kernels compute no functions of complex numbers.
        from lazyarr.ops import complex_functions

        return complex_functions.of_one(getattr(complex_functions, name))(builder, *values)

    return expand


def _function(
    name: str,
    *,
    primitive: str = "",
    faults: Faults | None = None,
    poles: tuple[complex, ...] = (),
    approximate: bool = True,
    cost: int = 20,
) -> Op:
    """Return the row of a function of one number, real or complex.

    Parameters
    ----------
    name : str
        Of NumPy's function, and of the one of complex numbers.
    primitive : str
        What computes it of real numbers; default: what has its name.
    faults : callable, optional
        When NumPy warns of it on real numbers.
    poles : tuple of complex
        Where it divides by zero on complex numbers.
    approximate : bool
        See :class:`lazyarr.graph.node.Op`.
    cost : int
        In additions.
    """
    return elementwise(
        name,
        getattr(np, name),
        expand=_primitive(primitive or name),
        of_complex=_of_complex(name),
        complex_faults=of_parts("invalid", "over", poles=poles),
        raises_no_flag=True,
        approximate=approximate,
        cost=cost,
        faults=faults,
    )


_degrees = _scaled(180.0, np.pi)
_radians = _scaled(np.pi, 180.0)

_over = floating("over")
_exponential = floating("over", rounded=always)
_invalid = floating("invalid")
_logarithm = floating("invalid", pole=at_zero)
_power_faults = floating("invalid", "over", pole=_zero_to_negative, rounded=_of_no_zero)

ROWS = (
    _function("sqrt", faults=_invalid, approximate=False, cost=4),
    elementwise("cbrt", np.cbrt, expand=_primitive("cbrt"), cost=20),
    _function("exp", faults=_exponential),
    _function("exp2", faults=_exponential),
    _function("expm1", faults=_over),
    _function("log", faults=_logarithm, poles=(0.0,)),
    _function("log2", faults=_logarithm, poles=(0.0,)),
    _function("log10", faults=_logarithm, poles=(0.0,)),
    _function("log1p", faults=floating("invalid", pole=at_one(-1.0)), poles=(-1.0,)),
    elementwise(
        "power",
        np.power,
        expand=_power,
        evaluate=_by_operator,
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
    _function("sin", faults=_invalid),
    _function("cos", faults=_invalid),
    _function("tan", faults=_invalid),
    _function("arcsin", primitive="asin", faults=_invalid),
    _function("arccos", primitive="acos", faults=_invalid),
    _function("arctan", primitive="atan", poles=(1j, -1j)),
    elementwise("arctan2", np.arctan2, expand=_primitive("atan2"), cost=20),
    elementwise(
        "hypot", np.hypot, expand=_primitive("hypot"), cost=20, commutative=True, faults=_over
    ),
    _function("sinh", faults=_over),
    _function("cosh", faults=_over),
    _function("tanh"),
    _function("arcsinh", primitive="asinh"),
    _function("arccosh", primitive="acosh", faults=_invalid),
    _function(
        "arctanh",
        primitive="atanh",
        faults=floating("invalid", pole=at_size_one),
        poles=(1.0, -1.0),
    ),
    elementwise("degrees", np.degrees, expand=_degrees, faults=_over),
    elementwise("radians", np.radians, expand=_radians),
    elementwise("deg2rad", np.deg2rad, expand=_radians),
    elementwise("rad2deg", np.rad2deg, expand=_degrees, faults=_over),
)
